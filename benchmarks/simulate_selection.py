"""What labelling that is not at random does, and which diagnostics notice; writes docs/evidence/trust_selection.md.

Run: python benchmarks/simulate_selection.py [docs/evidence/trust_selection.md] [share of the repeats, such as 0.1] [start
of a world's name]. Worlds that are not chosen keep their numbers, which trust_selection.json holds; with a share of 0
only the page is written. A positive's chance to be labelled is logistic in its score, or in a feature that correlates
with it.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import evidence
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit, logit
from worlds import World

import puremetrics as pm
from puremetrics.priors.labelling import check_labelling

REPEATS = 60
FEWER = {"AUC 0.98, ten thousand rows": 30}
SEED = 41
SLOPES = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0)
WORLDS = {
    "AUC 0.9, by score": World("case_control", 0.9, 0.3, 300, 3000),
    "AUC 0.98, by score": World("case_control", 0.98, 0.3, 300, 3000),
    "AUC 0.9, single training set, by score": World("single_training_set", 0.9, 0.3, 300, 3000),
    "AUC 0.9, by a feature (correlation 0.5)": World(
        "case_control", 0.9, 0.3, 300, 3000, through=0.5
    ),
    "AUC 0.98, ten thousand rows": World("case_control", 0.98, 0.5, 1000, 10_000),
}
ESTIMATES = (
    "AUC, direct", "AUC, indirect", "AUC, projected", "average precision", "recall", "precision",
    "prior, combined", "prior, AlphaMax", "prior, best bin", "prior, DEDPUL", "PULP",
    "calibration error",
)  # fmt: skip
DIAGNOSTICS = ("PM101", "PM102", "PM303", "PM503", "PM510", "PM201", "PM204", "PM205")
MISSED = (
    "AUC interval misses", "AUC interval misses, with Γ", "AUC bounds violated", "AUC bounds violated, with Γ",
    "precision interval misses", "precision interval misses, with Γ", "prior interval misses",
    "least label bias (mean)",
)  # fmt: skip
SHOWN = ("AUC, indirect", "average precision", "recall", "precision", "prior, combined")
CHECKS = ("PM101", "PM503", "PM510")
COMMAND = "python benchmarks/simulate_selection.py docs/evidence/trust_selection.md"
Means, Seen = dict[str, float], dict[str, float]
Results = dict[str, dict[float, tuple[Means, Seen]]]  # by world and slope
INNER = 1.645  # standard deviations from the mean that nine in ten positives keep within


def gamma_of(slope: float) -> float:
    """The ratio of the chances of positives that far above and below the mean: σ(x)/σ(−x) = exp(x)."""
    return float(np.exp(INNER * abs(slope)))


def probabilities(world: World, table: pm.ScoreTable) -> pm.ScoreTable:
    """The same rows scored by their true probability of being positive."""
    score = table.score
    known = expit(logit(world.prior) + world.shift * score - world.shift**2 / 2)
    return pm.ScoreTable.from_counts(
        known, n_pos=table.n_pos, n_unl=table.n_unl, scenario=table.scenario
    )


def trial(world: World, rng: np.random.Generator) -> tuple[dict[str, float], set[str]]:
    """Errors of every estimator on one sample, what was missed (1 or 0), and the codes that appeared."""
    sample = world.draw(rng)
    table, at = sample.table(world.scenario), world.threshold()
    known: dict[str, Any] = {"prior": world.prior}
    codes: set[str] = set()
    found: dict[str, float] = {}

    def note(name: str, result: Any, truth: float) -> Any:
        codes.update(remark.code for remark in result.diagnostics)
        value = result.prior if isinstance(result, pm.PriorEstimate) else result.value
        found[name] = value - truth
        return result

    for method in ("direct", "indirect", "projected"):
        area = note(f"AUC, {method}", pm.roc_auc(table, **known, method=method), world.area)
    found["AUC interval misses"] = float(world.area not in area.interval)
    note("average precision", pm.average_precision(table, **known), world.average_precision)
    for name in ("recall", "precision"):
        result = pm.metric(table, name, threshold=at, **known)
        note(name, result, world.metric(name, at))
    biased: dict[str, Any] = {**known, "label_bias": gamma_of(world.selection)}
    right, wide = (
        world.metric("precision", at),
        pm.metric(table, "precision", threshold=at, **biased),
    )
    found["precision interval misses"] = float(right not in result.interval)
    found["precision interval misses, with Γ"] = float(right not in wide.interval)
    found["AUC interval misses, with Γ"] = float(
        world.area not in pm.roc_auc(table, **biased).interval
    )
    found["least label bias (mean)"] = pm.least_label_bias(table, **known).low
    estimate = note("prior, combined", pm.estimate_prior(table), world.prior)
    found["prior interval misses"] = float(world.prior not in estimate.interval)
    for title, method in (("AlphaMax", "alphamax"), ("best bin", "best_bin"), ("DEDPUL", "dedpul")):
        other = pm.estimate_prior(table, method=method, interval="none")
        found[f"prior, {title}"] = other.prior - world.prior
    found["PULP"] = pm.pulp(table, confidence_level=None).value
    calibration = pm.calibration_error(probabilities(world, table), **known)
    codes.update(remark.code for remark in calibration.diagnostics)
    found["calibration error"] = calibration.debiased
    rows = sample.revealed(world.scenario)
    share = rows.total_pos / rows.total  # the bounds are about the rows at hand
    truth = pm.roc_auc(rows, prior=None).value
    found["AUC bounds violated"] = float(truth not in pm.roc_auc_bounds(table, prior=share))
    within = pm.roc_auc_bounds(table, prior=share, label_bias=biased["label_bias"])
    found["AUC bounds violated, with Γ"] = float(truth not in within)
    if world.prior > pm.largest_prior(table).prior:  # as in evaluate
        codes.add("PM503")
    codes.update(remark.code for remark in check_labelling(table, **known).diagnostics)
    return found, codes


def measure(world: World, repeats: int) -> tuple[dict[str, float], dict[str, float]]:
    """Mean error of every estimator, and how often every code appears."""
    rng = np.random.default_rng([SEED, round(10 * world.selection) + 100])
    errors: dict[str, list[float]] = {}
    seen = dict.fromkeys(DIAGNOSTICS, 0)
    for _ in range(repeats):
        found, codes = trial(world, rng)
        for name, error in found.items():
            errors.setdefault(name, []).append(error)
        for code in codes & set(DIAGNOSTICS):
            seen[code] += 1
    means = {name: float(np.mean(values)) for name, values in errors.items()}
    return means, {code: count / repeats for code, count in seen.items()}


def by_score(results: Results) -> Results:
    """The worlds whose labels follow the score itself."""
    return {name: found for name, found in results.items() if WORLDS[name].through == 1.0}


def named(slope: float) -> str:
    """A slope as the head of a column."""
    return f"{slope:+g}" if slope else "0 (random)"


def spread(values: list[float], sign: str = "") -> str:
    """Lowest and highest, or the one that both are."""
    low, high = (f"{x + 0.0:{sign}.2f}" for x in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def sentence(results: Results) -> str:
    """What the picture says."""
    found = by_score(results).values()
    biased = [means for slopes in found for slope, (means, _) in slopes.items() if slope]
    plain, wide = (
        [means[what] for means in biased]
        for what in ("AUC interval misses", "AUC interval misses, with Γ")
    )
    up, down = ([slopes[at][1]["PM510"] for slopes in found] for at in (1.0, -1.0))
    return (
        "Where a positive's chance to be labelled rises or falls with its score, 95% intervals that take labels as random "
        f"miss the true AUC in {spread(plain)} of the samples; with `label_bias=Γ` they miss it in at most "
        f"{max(wide):.2f}. The diagnostic PM510 notices labels that favour high scores (slope 1) in {spread(up)} of the samples, "
        f"labels that favour low ones (slope −1) in at most {max(down):.2f}."
    )


def summary(results: Results) -> list[str]:
    """Errors, misses and warnings by slope: ranges over the worlds in which labels follow the score."""
    found = list(by_score(results).values())
    slopes = SLOPES[1:-1]

    def row(title: str, part: int, what: str, sign: str = "") -> list[str]:
        return [title, *(spread([s[slope][part][what] for s in found], sign) for slope in slopes)]

    rows = [row(f"error of {what}", 0, what, "+") for what in SHOWN]
    rows += [row(what, 0, what) for what in MISSED[:4]]
    rows += [row(f"{code} appears", 1, code) for code in CHECKS]
    return evidence.table(["slope", *map(named, slopes)], rows)


def tables(results: Results) -> list[str]:
    """All numbers of each world, folded."""
    lines = []
    titles = pm.exceptions.DIAGNOSTIC_CODES
    for name, by_slope in results.items():
        base = by_slope[0.0][0]["PULP"]
        rows = [
            [what, *(f"{m[what] - base * (what == 'PULP'):+.3f}" for m, _ in by_slope.values())]
            for what in ESTIMATES
        ]
        gammas = (f"{gamma_of(slope):.3g}" for slope in by_slope)
        rows.append(["Γ that nine in ten positives keep", *gammas])
        rows += [[what, *(f"{m[what]:.2f}" for m, _ in by_slope.values())] for what in MISSED]
        rows += [
            [f"{code}: {titles[code]}", *(f"{seen[code]:.2f}" for _, seen in by_slope.values())]
            for code in DIAGNOSTICS
        ]
        lines += evidence.table(["slope", *map(named, by_slope)], rows, f"{name}: {WORLDS[name]}")
    return lines


def draw(results: Results, target: Path) -> None:
    """How often intervals of the AUC miss, and how often a check notices."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.6), layout="constrained", sharey=True)
    drawn = (
        (left, 0, "AUC interval misses", evidence.ORANGE),
        (left, 0, "AUC interval misses, with Γ", evidence.BLUE),
        (right, 1, "PM510", evidence.GREEN),
    )
    for ax, part, what, colour in drawn:
        for name, found in results.items():
            style = "-" if name in by_score(results) else "--"
            shares = [numbers[part][what] for numbers in found.values()]
            ax.plot(list(found), shares, style, marker="o", ms=3, color=colour, alpha=0.8)
    left.set_title("The interval of the AUC misses", loc="left", fontsize=11)
    right.set_title("PM510 says: labels look biased", loc="left", fontsize=11)
    told = (
        ("-", evidence.ORANGE, "labels taken as random"),
        ("-", evidence.BLUE, "label_bias=Γ"),
        ("--", evidence.GREY, "labels follow a feature, not the score"),
    )
    lines = [plt.Line2D([], [], ls=style, color=colour) for style, colour, _ in told]
    names = [name for _, _, name in told]
    figure.legend(lines, names, loc="outside upper left", ncols=3, frameon=False, fontsize=9)
    for ax in (left, right):
        ax.set_xticks([-2, -1, 0, 1, 2], ["−2", "−1", "random", "1", "2"])
        evidence.plain(
            ax, ylim=(-0.03, 1.05), xlabel="low scores   ← labels favour →   high scores"
        )
    left.set_ylabel("share of samples")
    evidence.save(figure, target)


def settled(task: tuple[str, float, int]) -> tuple[Means, Seen]:
    """One world at one slope."""
    name, slope, repeats = task
    return measure(replace(WORLDS[name], selection=slope), repeats)


def renew(record: evidence.Record, part: float, chosen: str) -> None:
    """Measure the chosen worlds."""
    for name in WORLDS:
        if not name.startswith(chosen):
            continue
        repeats = max(int(FEWER.get(name, REPEATS) * part), 2)
        found = evidence.each(settled, [(name, slope, repeats) for slope in SLOPES])
        slopes = {f"{slope:g}": numbers for slope, numbers in zip(SLOPES, found, strict=True)}
        record.keep(name, {"samples": repeats, "slopes": slopes})
        print(name, flush=True)


def results_of(record: evidence.Record) -> Results:
    """The numbers of all worlds that were measured."""
    return {
        name: {slope: record.parts[name]["slopes"][f"{slope:g}"] for slope in SLOPES}
        for name in WORLDS
        if name in record.parts
    }


def page(results: Results, record: evidence.Record, picture: str) -> list[str]:
    """The page, from all worlds that were measured."""
    samples = [record.parts[name]["samples"] for name in results]
    most, fewest = max(samples), min(samples)
    other = "" if most == fewest else f" ({fewest} of ten thousand rows)"
    return [
        *evidence.opening(
            "When labels are not given at random",
            sentence(results),
            picture,
            "How often intervals of the AUC miss the truth, and how often a check notices, by how labels were given",
            "The chance of a positive to be labelled is proportional to σ(slope · z), with z its standardised score, or a "
            "feature that correlates with the score. Slope 1 labels a positive one standard deviation above the mean "
            f"{np.e:.1f} times as often as one as far below; negative slopes favour low scores. The true prior is passed; Γ "
            f"is the ratio that nine in ten positives keep within. {most} samples a setting{other}, so the standard error "
            f"of a share is at most {0.5 / np.sqrt(fewest):.2f}.",
            COMMAND,
            record.when,
        ),
        "## By slope",
        "",
        f"Lowest and highest of the {len(by_score(results))} worlds in which labels follow the score. At slope 0 labels are "
        "random: what a diagnostic says there is a false alarm.",
        "",
        *summary(results),
        "- No interval or bound that takes labels as random protects against biased ones. What `label_bias` costs in width is "
        "on [a page of its own](label_bias_coverage.md).",
        "- Labels that favour high scores flatter every metric and shrink the estimated prior, so a prior that is "
        "estimated from the same scores hides the contradiction: pass one from elsewhere, such as an audit.",
        "- The repaired areas (indirect, projected) are less wrong than the direct one where labels favour high scores, "
        "because they cannot leave the unit square.",
        "- Labels that favour low scores are hard to see: unless classes are far apart and rows are many, negatives fill "
        "the gap, and no test of the scores can tell.",
        "- PULP does not need random labels, but it rewards finding the rows that were labelled: it falls if these are the "
        "hard ones.",
        "",
        "## All numbers",
        "",
        "Mean errors (PULP: change against random labelling; calibration error: the debiased one of a perfectly calibrated "
        "model, whose true one is 0), the share of samples whose interval or bound misses the truth, and the share in "
        "which each diagnostic appears. Numbers: `trust_selection.json`.",
        "",
        *tables(results),
    ]  # fmt: skip


def main(
    target: str = "docs/evidence/trust_selection.md", part: float = 1.0, chosen: str = ""
) -> None:
    path = Path(target)
    record = evidence.Record(path.with_suffix(".json"))
    if part > 0:
        renew(record, part, chosen)
    results, picture = results_of(record), path.with_suffix(".png")
    draw(results, picture)
    path.write_text("\n".join(page(results, record, picture.name)), encoding="utf-8")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(*given[:1], *(float(x) for x in given[1:2]), *given[2:3])
