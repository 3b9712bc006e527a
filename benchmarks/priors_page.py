"""The page on estimators of the prior: its sentence, its picture, its tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import evidence
import matplotlib.pyplot as plt
import numpy as np
from prior_worlds import (
    COMMAND,
    FEW,
    GAPS,
    METHODS,
    NOISY,
    PRIORS,
    Rows,
)


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
        f"by {means[worst]:.3f}. The default's 95% intervals hold the truth in {min(held):.2f} to {max(held):.2f} of the "
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
        f"Priors {', '.join(map(str, PRIORS))}; 1.5, 2.5 and 4 σ apart; 500 labelled and 5,000 unlabeled or 2,000 and "
        f"20,000; case-control; {samples} samples of each. Mean absolute error, and milliseconds an estimate without "
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
        "AlphaMax, likelihood ratio", "width", "λ95 of the default",
    )[: len(rows[0])]  # fmt: skip
    return [
        "## Coverage",
        "",
        f'Share of {samples} samples whose nominal 95% interval holds the truth: the lowest by distance. "Bound" is how '
        "often the guaranteed upper limit holds, and [λ95](sharpness.md) how much of its length an interval needs.",
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
        f"1,000 labelled, 10,000 unlabeled, {samples} samples: mean absolute error of the prior / of the purity.",
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
