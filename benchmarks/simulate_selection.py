"""What labelling that is not at random does, and which diagnostics notice; writes docs/evidence/trust_selection.md.

Run: python benchmarks/simulate_selection.py [docs/evidence/trust_selection.md] [share of the repeats, such as 0.1] [start
of a world's name]. Worlds that are not chosen keep their numbers, which trust_selection.json holds. A positive's
chance to be labelled is logistic in its score, or in a feature that correlates with it.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

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


def tables(results: dict[str, dict[float, Any]]) -> list[str]:
    lines = []
    titles = pm.exceptions.DIAGNOSTIC_CODES
    for name, by_slope in results.items():
        shown = [f"{slope:+g}" if slope else "0 (random)" for slope in by_slope]
        lines += [f"## {name}: {WORLDS[name]}", "", "| slope | " + " | ".join(shown) + " |"]
        lines += ["|---" * (len(by_slope) + 1) + "|"]
        base = by_slope[0.0][0]["PULP"]
        for what in ESTIMATES:
            less = base if what == "PULP" else 0.0
            cells = [f"{means[what] - less:+.3f}" for means, _ in by_slope.values()]
            lines.append(f"| {what} | " + " | ".join(cells) + " |")
        gammas = [f"{gamma_of(slope):.3g}" for slope in by_slope]
        lines.append("| Γ that nine in ten positives keep | " + " | ".join(gammas) + " |")
        for what in MISSED:
            cells = [f"{means[what]:.2f}" for means, _ in by_slope.values()]
            lines.append(f"| {what} | " + " | ".join(cells) + " |")
        for code in DIAGNOSTICS:
            cells = [f"{seen[code]:.2f}" for _, seen in by_slope.values()]
            lines.append(f"| {code}: {titles[code]} | " + " | ".join(cells) + " |")
        lines.append("")
    return lines


def draw(results: dict[str, dict[float, Any]], target: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        2, len(results), figsize=(15, 6.6), layout="constrained", sharex=True
    )
    biases = (
        ("AUC, indirect", "#1f5fa8"), ("average precision", "#c8642a"), ("prior, combined", "#2f8f5b"),
        ("precision", "#8a4fa3"),
    )  # fmt: skip
    codes = (("PM101", "#999999"), ("PM503", "#00798c"), ("PM510", "#d1495b"))
    for column, (name, by_slope) in enumerate(results.items()):
        top, bottom = axes[0, column], axes[1, column]
        slopes = list(by_slope)
        for what, colour in biases:
            values = [means[what] for means, _ in by_slope.values()]
            top.plot(slopes, values, marker="o", markersize=3, color=colour, label=what)
        top.axhline(0, color="black", lw=0.6)
        top.set(title=name.replace(", by", ",\nby"), ylim=(-0.4, 0.32))
        for code, colour in codes:
            values = [seen[code] for _, seen in by_slope.values()]
            bottom.plot(slopes, values, marker="o", markersize=3, color=colour, label=code)
        missed = [means["AUC interval misses"] for means, _ in by_slope.values()]
        bottom.plot(
            slopes, missed, color="black", ls="--", lw=1, label="AUC interval misses the truth"
        )
        bottom.set(ylim=(-0.03, 1.03), xlabel="slope of the labelling propensity")
    axes[0, 0].set_ylabel("mean error")
    axes[1, 0].set_ylabel("share of samples")
    lines = {line.get_label(): line for ax in axes[:, 0] for line in ax.get_lines()}
    shown = {label: line for label, line in lines.items() if not label.startswith("_")}
    figure.legend(shown.values(), shown, loc="outside lower center", ncols=8, frameon=False)
    figure.savefig(target, dpi=110)


def main(target: str | None, part: float = 1.0, chosen: str = "") -> None:
    numbers = None if target is None else Path(target).with_suffix(".json")
    done: dict[str, Any] = {}
    if numbers is not None and numbers.exists():
        done = json.loads(numbers.read_text(encoding="utf-8"))
    for name, world in WORLDS.items():
        if part > 0 and name.startswith(chosen):
            repeats = max(int(FEWER.get(name, REPEATS) * part), 2)
            done[name] = {
                f"{slope:g}": measure(replace(world, selection=slope), repeats) for slope in SLOPES
            }
            print(name, flush=True)
    results = {
        name: {slope: done[name][f"{slope:g}"] for slope in SLOPES}
        for name in WORLDS
        if name in done
    }
    body = tables(results)
    if target is None or numbers is None:
        print("\n".join(body))
        return
    page = Path(target)
    numbers.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
    draw(results, page.with_suffix(".png"))
    page.write_text("\n".join([*introduction(page), *body]), encoding="utf-8")


def introduction(page: Path) -> list[str]:
    return [
        "# When labels are not given at random",
        "",
        "Unless `label_bias` or propensities are passed, everything in the library but PULP and its companions assumes that the labelled positives are a random "
        "sample of all positives. Here they are not: the chance to be labelled is proportional to "
        "σ(slope · z), with z the score of a positive, standardised, or a feature that correlates with it. Slope 1 "
        "labels a positive one standard deviation above the mean 2.7 times as often as one as far below; negative "
        "slopes favour low scores. The true prior is passed.",
        "",
        f"Mean error over {REPEATS} samples ({min(FEWER.values())} of ten thousand rows; PULP: change against random "
        "labelling; calibration error: the debiased one of a perfectly calibrated model, whose true one is 0), "
        "the share of samples whose interval or bound misses the truth, and the share in which each diagnostic "
        f"appears (standard error at most {0.5 / np.sqrt(REPEATS):.2f}, or "
        f"{0.5 / np.sqrt(min(FEWER.values())):.2f}). In the column of slope 0 these are false alarms. Made by "
        "`make coverage-tables`.",
        "",
        f"![Bias and detection]({page.with_suffix('.png').name})",
        "",
        "What to take from it:",
        "",
        "- No interval or bound that takes labels as random protects against biased ones: already at slope 0.5, if "
        "labelling follows the score, most intervals of the AUC miss. With `label_bias=Γ`, the ratio that nine in ten "
        "positives keep within, they hold: see the rows *with Γ*, and the price in [their coverage](label_bias_coverage.md). "
        "Through a feature that correlates with the score by one half, the error is about half as large.",
        "- Labels that favour high scores flatter every metric and shrink every estimate of the prior; labels that "
        "favour low scores do the opposite. The estimated prior moves against the metrics, so a prior that is "
        "estimated from the same scores hides the contradiction: pass one from elsewhere (an audit) to see it.",
        "- The repaired areas (indirect, projected) are less wrong than the direct one where labels favour "
        "high scores, because they cannot leave the square; where labels favour low ones, only the indirect one is, and "
        "by little unless classes are far apart.",
        "- PM101 says little: it appears in nearly every sample with random labels, too. PM503 (in `evaluate`) and "
        "PM510 (`check_labelling`) hardly ever do so, and if labelling follows the score they notice most samples at "
        "slope 1 and all at slope 2; through a feature, a third or so at slope 2.",
        "- Labels that favour low scores are seen by PM510 alone, and only where classes are far apart and rows are "
        "many (last table). Elsewhere negatives fill the gap and no test of the scores can tell.",
        "- PULP does not need random labels, but it rewards finding the rows that were labelled: if these are hard "
        "ones, it falls.",
        "",
    ]


if __name__ == "__main__":
    given = sys.argv[1:]
    main(given[0] if given else None, *(float(x) for x in given[1:2]), *given[2:3])
