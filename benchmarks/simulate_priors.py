"""Error, time and coverage of every prior estimator; writes docs/evidence/priors.md and its picture.

Run: python benchmarks/simulate_priors.py docs/evidence/priors.md [section …] [--quick]. Every section can be made again by
itself; the others keep their numbers, which priors.json holds. With the section `none` only the page is written. Truth is
known: mixtures are drawn at a chosen share. Real data are the matter of reproductions/prior_estimators.py.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import evidence
import matplotlib.pyplot as plt
import numpy as np

import puremetrics as pm
from puremetrics.priors import estimate_prior

SEED = 5
METHODS = (
    "combined", "alphamax", "best_bin", "slope", "dedpul",
    "elkan_noto", "elkan_noto_e2", "elkan_noto_e3",
)  # fmt: skip
FEW = METHODS[:5]
NOISY = ("combined_n", "alphamax_n")
PRIORS = (0.02, 0.1, 0.3, 0.5, 0.8)
GAPS = (1.5, 2.5, 4.0)
SIZES = ((500, 5_000), (2_000, 20_000))
COMMAND = "python benchmarks/simulate_priors.py docs/evidence/priors.md"
Draw = Callable[[np.random.Generator, int], np.ndarray]
Rows = list[list[Any]]


def largest(table: pm.ScoreTable, method: str = "combined") -> float:
    """The largest share by a method: the default's as if no negative looked like a positive."""
    found = estimate_prior(table, method=method, interval="none")
    return found.prior if found.separable is None else found.separable


def normal(mean: float, width: float = 1.0) -> Draw:
    return lambda rng, size: rng.normal(mean, width, size)


def mixture(first: Draw, second: Draw, share: float) -> Draw:
    return lambda rng, size: np.where(rng.random(size) < share, first(rng, size), second(rng, size))


def levels(draw: Draw, step: float) -> Draw:
    return lambda rng, size: np.round(draw(rng, size) / step) * step


# name: positives, negatives, smallest ratio of their densities (the share of negatives that look exactly
# like positives, hence count as such)
FAMILIES: dict[str, tuple[Draw, Draw, float]] = {
    "narrow negatives, N(2.5, 1) and N(0, 0.7)": (normal(2.5), normal(0, 0.7), 0),
    "wide negatives, N(2.5, 1) and N(0, 1.3)": (normal(2.5), normal(0, 1.3), 0),
    "very narrow negatives, N(1.5, 1) and N(0, 0.5)": (normal(1.5), normal(0, 0.5), 0),
    "Beta(5, 2) and Beta(2, 5)": (lambda r, k: r.beta(5, 2, k), lambda r, k: r.beta(2, 5, k), 0),
    "Beta(3, 1) and Beta(1, 3)": (lambda r, k: r.beta(3, 1, k), lambda r, k: r.beta(1, 3, k), 0),
    "Student t3, 3 apart": (
        lambda r, k: 3 + r.standard_t(3, k),
        lambda r, k: r.standard_t(3, k),
        0.0436,
    ),
    "Gamma(6) and Gamma(2)": (lambda r, k: r.gamma(6, 1, k), lambda r, k: r.gamma(2, 1, k), 0),
    "exponential, means 6 and 1": (
        lambda r, k: r.exponential(6, k), lambda r, k: r.exponential(1, k), 0,
    ),
    "two groups of negatives, 4 and 1.5 σ below": (
        normal(0), mixture(normal(-4), normal(-1.5), 0.7), 0,
    ),
    "two groups of positives": (mixture(normal(3), normal(1), 0.5), normal(-1), 0),
    "normal, 2.5 σ, about ten levels": (levels(normal(2.5), 0.5), levels(normal(0), 0.5), 0),
    "reducible: 10 % of negatives like positives": (
        normal(0), mixture(normal(0), normal(-3), 0.1), 0.1,
    ),
}  # fmt: skip
# Added after the default had been fixed; no choice was made by looking at them.
HELD_OUT: dict[str, tuple[Draw, Draw, float]] = {
    "logistic, 3 apart": (
        lambda r, k: r.logistic(3, 1, k),
        lambda r, k: r.logistic(0, 1, k),
        np.exp(-3),
    ),
    "logistic, 5 apart": (
        lambda r, k: r.logistic(5, 1, k),
        lambda r, k: r.logistic(0, 1, k),
        np.exp(-5),
    ),
    "Weibull, shapes 3 and 1": (
        lambda r, k: r.weibull(3, k) * 2,
        lambda r, k: r.weibull(1, k) / 2,
        0.0387,
    ),
    "Gumbel, 3 apart": (lambda r, k: r.gumbel(3, 1, k), lambda r, k: r.gumbel(0, 1, k), np.exp(-3)),
    "lognormal, log means 1.5 and 0, log width 0.6": (
        lambda r, k: r.lognormal(1.5, 0.6, k),
        lambda r, k: r.lognormal(0, 0.6, k),
        0,
    ),
    "uniform on (0.3, 1) and (0, 0.7)": (
        lambda r, k: r.uniform(0.3, 1, k),
        lambda r, k: r.uniform(0, 0.7, k),
        0,
    ),
    "three groups of negatives, 1, 2 and 5 σ below": (
        normal(0),
        mixture(normal(-1), mixture(normal(-2), normal(-5), 0.5), 0.2),
        0,
    ),
    "reducible: 30 % of negatives like positives": (
        normal(0),
        mixture(normal(0), normal(-2.5), 0.3),
        0.3,
    ),
}


def sample(
    rng: np.random.Generator, positives: Draw, negatives: Draw, share: float, m: int, n: int
) -> tuple[np.ndarray, np.ndarray]:
    hidden = rng.random(n) < share
    return positives(rng, m), np.where(hidden, positives(rng, n), negatives(rng, n))


def table_of(pos: np.ndarray, unl: np.ndarray, scenario: str = "case_control") -> pm.ScoreTable:
    return pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario=scenario)


def labelled_probability(
    groups: tuple[np.ndarray, np.ndarray], training: tuple[np.ndarray, np.ndarray]
) -> list[np.ndarray]:
    """P(labelled | score) by logistic regression on an independent sample of the same sizes.

    Elkan–Noto takes probabilities. The exact ones would contain the prior that is to be estimated. The
    map is increasing, so the methods that read ranks are not affected.
    """
    from sklearn.linear_model import LogisticRegression

    y = np.repeat([1, 0], [part.size for part in training])
    model = LogisticRegression().fit(np.concatenate(training)[:, None], y)
    return [model.predict_proba(part[:, None])[:, 1] for part in groups]


def _mixture(task: tuple[float, float, int, int, int]) -> dict[str, tuple[float, float]]:
    """Mean absolute error and milliseconds of each method on one normal mixture."""
    share, gap, m, n, samples = task
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in METHODS}
    for repeat in range(samples):
        rng = np.random.default_rng([SEED, repeat, int(1000 * share), int(10 * gap), m])
        groups = sample(rng, normal(gap), normal(0), share, m, n)
        training = sample(rng, normal(gap), normal(0), share, m, n)
        table = table_of(*labelled_probability(groups, training))
        for name in METHODS:
            start = time.process_time()
            error = abs(largest(table, name) - share)
            found[name].append((error, 1000 * (time.process_time() - start)))
    return {name: tuple(np.mean(pairs, axis=0)) for name, pairs in found.items()}  # type: ignore[misc]


def synthetic(samples: int) -> Rows:
    """By method: mean absolute error over all mixtures, by distance and by prior; milliseconds."""
    grid = list(product(PRIORS, GAPS, SIZES))
    tasks = [(share, gap, *size, samples) for share, gap, size in grid]
    found = list(evidence.each(_mixture, tasks))
    rows = []
    for name in METHODS:
        error, spent = np.array([cell[name] for cell in found]).T
        parts = [[gap == cell[1] for cell in grid] for gap in GAPS]
        parts += [[share == cell[0] for cell in grid] for share in PRIORS]
        numbers = [error.mean(), *(error[part].mean() for part in parts), spent.mean()]
        rows.append([name, *map(float, numbers)])
    return rows


def _size(task: tuple[int, float, int]) -> list[Any]:
    """Mean absolute error of the default by distance, for one number of rows and prior."""
    rows, share, samples = task
    row: list[Any] = [rows, share]
    for gap in (1.0, 2.0, 3.0, 4.0):
        found = []
        for repeat in range(min(samples, 3) if rows == 1_000_000 else samples):
            rng = np.random.default_rng([SEED, 1, repeat, int(1000 * share), int(10 * gap)])
            groups = sample(rng, normal(gap), normal(0), share, rows // 10, rows - rows // 10)
            found.append(abs(largest(table_of(*groups)) - share))
        row.append(float(np.mean(found)))
    return row


def sizes(samples: int) -> Rows:
    """By number of rows and prior."""
    grid = product((200, 2_000, 20_000, 1_000_000), (0.001, 0.01, 0.1, 0.5, 0.9, 0.99))
    return list(evidence.each(_size, [(*cell, samples) for cell in grid]))


def _family(task: tuple[str, bool, int]) -> list[Any]:
    """Mean absolute error and mean error of five methods on one family of scores."""
    title, held, samples = task
    positives, negatives, alike = (HELD_OUT if held else FAMILIES)[title]
    errors = []
    for share, (m, n), repeat in product(PRIORS, SIZES, range(samples)):
        rng = np.random.default_rng([SEED, 2 + 10 * held, repeat, int(1000 * share), m])
        table = table_of(*sample(rng, positives, negatives, share, m, n))
        truth = share + (1 - share) * alike
        errors.append([largest(table, name) - truth for name in FEW])
    return [
        title,
        *zip(*(np.mean(e, axis=0).tolist() for e in (np.abs(errors), errors)), strict=True),
    ]


def families(samples: int) -> Rows:
    """By family that was seen while choosing the default."""
    return list(evidence.each(_family, [(title, False, samples) for title in FAMILIES]))


def held_out(samples: int) -> Rows:
    """By family that was not."""
    return list(evidence.each(_family, [(title, True, samples) for title in HELD_OUT]))


def _case(task: tuple[str, float, int, int, float, int]) -> list[Any]:
    """Coverage and mean width of the default, of its bound, and of AlphaMax."""
    scenario, gap, m, n, share, samples = task
    runs = []
    truth = share if scenario == "case_control" else (m + share * n) / (m + n)
    for repeat in range(samples):
        rng = np.random.default_rng([SEED, 3, repeat, int(1000 * share), int(10 * gap), m])
        table = table_of(*sample(rng, normal(gap), normal(0), share, m, n), scenario)
        found = estimate_prior(table)
        other = estimate_prior(table, method="alphamax", interval="likelihood_ratio").interval
        ends, top = found.interval, found.upper_limit
        runs.append((truth in ends, ends.width, truth <= top, top, truth in other, other.width))
    return [scenario, gap, m, n, share, *np.mean(runs, axis=0).tolist()]


def coverage(samples: int) -> Rows:
    """By scenario, distance, size and prior."""
    cases = [("case_control", gap, *size, share) for gap, size, share in product(
        GAPS[::-1], SIZES, PRIORS)]  # fmt: skip
    cases += [("case_control", 4.0, 100, 1_000, share) for share in PRIORS]
    cases += [("single_training_set", 4.0, 500, 5_000, share) for share in PRIORS]
    return list(evidence.each(_case, [(*case, samples) for case in cases]))


def _noisy(task: tuple[float, float, float, int]) -> list[Any]:
    """Mean absolute errors of the prior and of the purity by two methods."""
    gap, share, purity, samples = task
    row: list[Any] = [gap, share, purity]
    for name in NOISY:
        errors = []
        for repeat in range(samples):
            rng = np.random.default_rng([SEED, 4, repeat, int(1000 * share), int(10 * gap)])
            labelled = mixture(normal(gap), normal(0), purity)(rng, 1_000)
            _, unlabeled = sample(rng, normal(gap), normal(0), share, 1, 10_000)
            found = estimate_prior(table_of(labelled, unlabeled), method=name, interval="none")
            errors.append((abs(found.prior - share), abs(found.purity - purity)))
        row.append(np.mean(errors, axis=0).tolist())
    return row


def noise(samples: int) -> Rows:
    """By distance, prior and purity."""
    grid = product((2.5, 4.0), (0.1, 0.3, 0.5), (1.0, 0.95, 0.75))
    return list(evidence.each(_noisy, [(*cell, samples) for cell in grid]))


# name: what measures it, and how many samples of each setting it takes
SECTIONS: dict[str, tuple[Callable[[int], Rows], int]] = {
    "synthetic": (synthetic, 12),
    "sizes": (sizes, 10),
    "families": (families, 4),
    "held_out": (held_out, 4),
    "coverage": (coverage, 100),
    "noise": (noise, 10),
}


def _means(rows: Rows) -> dict[str, float]:
    """Mean absolute error of each method over families."""
    errors = np.array([[pair[0] for pair in row[1:]] for row in rows])
    return dict(zip(FEW, map(float, errors.mean(axis=0)), strict=True))


def sentence(parts: dict[str, Any]) -> str:
    """What the picture says."""
    rows = parts["held_out"]["rows"]
    means = _means(rows)
    others = [name for name in FEW if name != "combined"]
    best, worst = (pick(others, key=means.__getitem__) for pick in (min, max))
    held = [row[5] for row in parts["coverage"]["rows"]]
    return (
        f"On {len(rows)} families of scores that no choice was made on, the default estimate of the prior is off by "
        f"{means['combined']:.3f} on average, the best other method ({best}) by {means[best]:.3f} and the worst ({worst}) "
        f"by {means[worst]:.3f}. The default's 95 % intervals hold the truth in {min(held):.2f} to {max(held):.2f} of the "
        "samples, depending on the mixture."
    )


def draw(parts: dict[str, Any], target: Path) -> None:
    """Mean absolute error of each method, sorted."""
    series = {
        "30 normal mixtures": {row[0]: row[1] for row in parts["synthetic"]["rows"]},
        "other shapes, seen while choosing the default": _means(parts["families"]["rows"]),
        "other shapes, held out": _means(parts["held_out"]["rows"]),
    }
    looks = ((evidence.GREY, "o"), (evidence.BLUE, "s"), (evidence.ORANGE, "D"))
    order = sorted(
        METHODS, key=lambda name: np.mean([f[name] for f in series.values() if name in f])
    )
    figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for turn, ((label, found), (colour, mark)) in enumerate(
        zip(series.items(), looks, strict=True)
    ):
        aside = 0.16 * (turn - 1)
        shown = [(found[name], i + aside) for i, name in enumerate(order) if name in found]
        ax.plot(*zip(*shown, strict=True), mark, color=colour, ms=6, alpha=0.9, label=label)
    names = [f"{name} (default)" if name == "combined" else name for name in order]
    ax.set_yticks(range(len(order)), names)
    ax.set_xscale("log")
    ax.set_xticks([0.02, 0.05, 0.1, 0.2], ["0.02", "0.05", "0.1", "0.2"])
    ax.minorticks_off()
    ax.grid(axis="y", color="0.9")
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.legend(loc="upper right", fontsize=9, frameon=False)
    evidence.plain(ax, xlabel="mean absolute error of the estimated prior (further left is better)")
    evidence.save(figure, target)


def _of_synthetic(rows: Rows, samples: int) -> list[str]:
    shown = [[name, *(f"{x:.4f}" for x in numbers), f"{ms:.1f}"] for name, *numbers, ms in rows]
    gaps = (f"{gap:g} σ" for gap in GAPS)
    return [
        "## Normal scores: 30 mixtures",
        "",
        f"Priors {', '.join(map(str, PRIORS))}; 1.5, 2.5 and 4 σ apart; 500 labelled and 5 000 unlabeled or 2 000 and "
        f"20 000; case-control; {samples} samples of each. Mean absolute error, and milliseconds an estimate without "
        "interval. Elkan–Noto takes probabilities of a logistic regression on an independent sample.",
        "",
        *evidence.table(["method", "all", *gaps, *map(str, PRIORS), "ms"], shown),
    ]


def _of_sizes(rows: Rows, samples: int) -> list[str]:
    head = ("1 σ", "2 σ", "3 σ", "4 σ")
    totals = sorted({row[0] for row in rows})
    means = [
        [total, *np.mean([row[2:] for row in rows if row[0] == total], axis=0).tolist()]
        for total in totals
    ]
    return [
        "## From 200 rows to a million, from 1 to 4 σ",
        "",
        f"The default: mean absolute error over {samples} samples (at most 3 of a million rows), and over priors from 0.001 "
        "to 0.99. One row in ten is labelled.",
        "",
        *evidence.table(("rows", *head), means, digits=4),
        *evidence.table(("rows", "prior", *head), _words(rows, 2, 4), "By prior"),
    ]


def _words(rows: Rows, settings: int, digits: int) -> Rows:
    """Settings as they are, numbers with these digits."""
    return [
        [f"{x:g}" if isinstance(x, float) else str(x) for x in row[:settings]]
        + [f"{x:.{digits}f}" for x in row[settings:]]
        for row in rows
    ]


def _of_families(held: Rows, seen: Rows, samples: int) -> list[str]:
    kinds = (
        ("held out", held, "Families that were added after the default had been fixed"),
        ("seen while choosing", seen, "Families that the default was chosen with an eye on"),
    )
    means = [[f"{len(rows)}, {name}", *_means(rows).values()] for name, rows, _ in kinds]
    lines = [
        "## Other shapes",
        "",
        f"The same priors and sizes, {samples} samples of each: mean absolute error. Held-out families were added after the "
        "default had been fixed; the others were looked at while choosing it, on other samples.",
        "",
        *evidence.table(("families", *FEW), means),
    ]
    for _, rows, title in kinds:
        shown = [[row[0], *(f"{mae:.3f} ({mean:+.3f})" for mae, mean in row[1:])] for row in rows]
        table = evidence.table(("scores of positives and negatives", *FEW), shown)
        lines += evidence.folded(f"{title}: mean absolute error (mean error)", table[:-1])
    return lines


def _of_coverage(rows: Rows, samples: int) -> list[str]:
    lowest = [
        [f"{gap:g}", *np.min([row[5:10:2] for row in rows if row[1] == gap], axis=0).tolist()]
        for gap in GAPS
    ]
    head = (
        "scenario", "σ", "labelled", "unlabeled", "share", "default", "width", "bound", "mean bound",
        "AlphaMax, likelihood ratio", "width",
    )  # fmt: skip
    return [
        "## Coverage",
        "",
        f'Share of {samples} samples whose nominal 95 % interval holds the truth: the lowest by distance. "Bound" is how '
        "often the guaranteed upper limit holds.",
        "",
        *evidence.table(("σ", "default", "bound", "AlphaMax, likelihood ratio"), lowest),
        *evidence.table(head, _words(rows, 5, 3), f"All {len(rows)} settings, with mean widths"),
    ]


def _of_noise(rows: Rows, samples: int) -> list[str]:
    def cells(pairs: Sequence[Any]) -> list[str]:
        return [" / ".join(f"{error:.3f}" for error in pair) for pair in pairs]

    mean = np.mean([row[3:] for row in rows], axis=0)
    shown = [[f"{x:g}" for x in row[:3]] + cells(row[3:]) for row in rows]
    return [
        "## Noisy labels",
        "",
        f"1 000 labelled, 10 000 unlabeled, {samples} samples: mean absolute error of the prior / of the purity.",
        "",
        *evidence.table(("method", "mean of all settings"), zip(NOISY, cells(mean), strict=True)),
        *evidence.table(("σ", "prior", "purity", *NOISY), shown, "By distance, prior and purity"),
    ]


def page(parts: dict[str, Any], when: str, picture: str) -> list[str]:
    """The page: a sentence, the picture, then a section for each part."""

    def part(name: str) -> tuple[Rows, int]:
        return parts[name]["rows"], parts[name]["samples"]

    return [
        *evidence.opening(
            "Estimating the prior: error, time, coverage",
            sentence(parts),
            picture,
            "Mean absolute error of each estimator of the prior",
            "Only the largest share that the data allow is identifiable; the truth is that share. The default is `combined`; "
            "its errors are those of `separable`, the share if no negative looked like a positive, and its intervals allow "
            "for some that do. Errors on real data: [scores of fifteen sets](real_priors.md), [twelve UCI "
            "sets](prior_estimators.md). Numbers: `priors.json`.",
            COMMAND,
            when,
        ),
        *_of_synthetic(*part("synthetic")),
        *_of_families(parts["held_out"]["rows"], *part("families")),
        *_of_sizes(*part("sizes")),
        *_of_coverage(*part("coverage")),
        *_of_noise(*part("noise")),
        "## How the default was chosen",
        "",
        "About sixty variants (kinds of model for the negatives, likelihoods, bins, weights of the two parts) were compared on "
        "the 30 normal mixtures, on the families marked as seen, and on splits of the UCI sets; about eight score models "
        "were compared on the latter. The samples and splits on this page are fresh, but the mixtures, families and sets "
        "are those, so read their errors as somewhat optimistic. The held-out families are the check that is not.",
        "",
    ]


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("target", nargs="?", default="docs/evidence/priors.md", type=Path)
    reader.add_argument("sections", nargs="*", default=list(SECTIONS), help=", ".join(SECTIONS))
    reader.add_argument("--quick", action="store_true", help="two samples of each setting")
    given = reader.parse_args()
    record = evidence.Record(given.target.with_suffix(".json"))
    for name, (measured, samples) in SECTIONS.items():
        if name in given.sections:
            taken = 2 if given.quick else samples
            record.keep(name, {"samples": taken, "rows": measured(taken)})
            print(name, flush=True)
    picture = given.target.with_suffix(".png")
    draw(record.parts, picture)
    lines = page(record.parts, record.when, picture.name)
    given.target.write_text("\n".join(lines), "utf-8")


if __name__ == "__main__":
    main()
