"""Calibration against known truth: bias, coverage, wrong priors, repair; writes docs/evidence/calibration.md and its plot.

Run: python benchmarks/simulate_calibration.py docs/evidence [--samples N]. The model is that of Kiryo, Futami and
Sugiyama (2025), Section 5.1: x is N(1, 1) for positives and N(−1, 1) for negatives, prior ½, so that
P(y = 1 | x) = σ(2x); the classifier says σ(β0 + β1·x). Truth is computed by quadrature.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import calibration_probes as probes
import evidence
import matplotlib.pyplot as plt
import numpy as np
import runs
from worlds import MODELS, PERFECT, Model

from puremetrics.calibration.theory import bias_bound, optimal_bins

SAMPLES = 1000  # for coverage; what needs no more takes a part of them
SIZES = (10, 31, 100, 316, 1000, 3162, 10_000)
BOTH = "n_P = N, n_U = 10·N"
PLUG_IN, DEBIASED = f"PU-ECE, {BOTH}", f"debiased, {BOTH}"
FIXED, SUPERVISED = "PU-ECE, n_P = 100, n_U = N", "supervised ECE, n = N"
DRAWN = {
    PLUG_IN: ("N labelled, 10·N unlabeled", evidence.BLUE),
    DEBIASED: ("the same, debiased", evidence.GREEN),
    FIXED: ("100 labelled, N unlabeled", evidence.ORANGE),
    SUPERVISED: ("N rows with all labels", evidence.GREY),
}
Series = dict[str, dict[str, list[float]]]  # by model and estimator, one number for each size


def part_of(samples: int, divisor: int) -> int:
    """A part of the samples, at least two."""
    return max(samples // divisor, 2)


def biases(samples: int) -> Series:
    """Mean distance from the truth, of each estimator at each size."""
    cells = [probes.Bias(*c) for c in product(MODELS, probes.GROWING, SIZES)]
    found = dict(zip(cells, runs.in_parallel(probes.bias, cells, samples=samples), strict=True))
    full = [probes.Supervised(*c) for c in product(MODELS, SIZES)]
    known = dict(zip(full, runs.in_parallel(probes.supervised, full, samples=samples), strict=True))
    series: Series = {}
    for model in MODELS:
        mine = {
            f"PU-ECE, {rows}": [found[probes.Bias(model, rows, n)][0] for n in SIZES]
            for rows in probes.GROWING
        }
        mine[DEBIASED] = [found[probes.Bias(model, BOTH, n)][1] for n in SIZES]
        mine[SUPERVISED] = [known[probes.Supervised(model, n)] for n in SIZES]
        mine[f"Theorem 1 (bound, L = 2), {BOTH}"] = [theorem_1(n) for n in SIZES]
        series[model.name] = mine
    return series


def theorem_1(n: int) -> float:
    """The paper's bound for n labelled and 10·n unlabeled rows."""
    size = {"n_pos": n, "n_unl": 10 * n, "prior": 0.5}
    return bias_bound(**size, lipschitz=2.0, n_bins=optimal_bins(**size)).expected


def slope(values: list[float]) -> float:
    """Of a line on log-log axes."""
    return float(np.polyfit(np.log(SIZES), np.log(values), 1)[0])


def sentence(series: Series, shares: np.ndarray) -> str:
    """What was found; ``shares`` of intervals that hold the error of their bins, in each setting."""
    first, second = (f"N<sup>−{-slope(mine[PLUG_IN]):.2f}</sup>" for mine in series.values())
    return (
        f"With N labelled and 10·N unlabeled rows, estimates of the calibration error approach the truth as {first} and "
        f"{second} for two models; the rate that Kiryo et al. (2025) prove is N<sup>−1/3</sup>. Nominal 95% intervals hold the calibration error "
        f"of their bins in at least {shares.min():.3f} of the samples in all {shares.size} settings."
    )


def draw(series: Series, target: Path) -> None:
    """Distance from the truth against the size of the sample, one panel for each model."""
    figure, axes = plt.subplots(1, 2, figsize=(7, 3.9), layout="constrained", sharey=True)
    for ax, (name, mine) in zip(axes, series.items(), strict=True):
        for estimator, (label, color) in DRAWN.items():
            ax.loglog(SIZES, mine[estimator], "o-", ms=3.5, color=color, label=label)
        rate = 0.3 * (np.array(SIZES) / SIZES[0]) ** (-1 / 3)
        ax.loglog(SIZES, rate, "k--", lw=1, label="the paper's rate, $N^{-1/3}$")
        ax.set_xticks(SIZES[::2], [f"{n}" for n in SIZES[::2]])
        ax.minorticks_off()
        evidence.plain(ax, title=f"{name} model", xlabel="N")
    axes[0].set(ylabel="mean distance from the truth")
    axes[0].set_yticks([0.003, 0.01, 0.03, 0.1, 0.3], ["0.003", "0.01", "0.03", "0.1", "0.3"])
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper center", ncols=3, frameon=False, fontsize=9)
    evidence.save(figure, target)


def bias_section(series: Series, samples: int) -> list[str]:
    lines = [
        "## Bias against the size of the sample", "",
        f"Mean |estimate − true calibration error| over {samples} samples, bins of equal mass, optimal number. The slope is "
        "fitted on log-log axes; the paper's rate is −1/3. The rows up to n_P = ∞ and the supervised error are the paper's "
        "Figure 1, those with n_P = 100 and 1000 its Figure 2: with fixed n_P the bias stops falling.", "",
    ]  # fmt: skip
    for model in MODELS:
        lines += [
            f"**{model.name}** (β0 = {model.beta0}, β1 = {model.beta1}; true error {model.truth:.7f})", "",
            *evidence.table(
                ["estimator", *(f"N = {n}" for n in SIZES), "slope"],
                [(name, *v, f"{slope(v):.3f}") for name, v in series[model.name].items()],
                digits=4,
            ),
        ]  # fmt: skip
    return lines


def debiasing_section(samples: int) -> list[str]:
    sizes = (30, 300), (100, 1000), (1000, 1000), (1000, 10_000)
    cells = [
        probes.Debiasing(model, *size, bins)
        for model, size in product((*MODELS, PERFECT), sizes)
        for bins in (optimal_bins(prior=0.5, n_pos=size[0], n_unl=size[1]), 50)
    ]
    found = runs.in_parallel(probes.debiasing, cells, samples=samples)
    rows = [
        (c.model.name, c.n_pos, c.n_unl, c.bins, f"{c.model.truth:.4f}", *in_brackets(*pair))
        for c, pair in zip(cells, found, strict=True)
    ]
    head = ["model", "n_P", "n_U", "bins", "truth", "plug-in", "debiased", "split"]
    return [
        "## Plug-in, debiased and split estimate", "",
        "Mean estimate, and in brackets the mean distance from the true (unbinned) calibration error; "
        f"{samples} samples, bins of equal mass. *Split* takes each gap's sign from the other half of "
        "the data: never too large on average, it is where the interval's lower end starts.", "",
        *evidence.table(head, rows, f"The three estimates in {len(rows)} settings"),
    ]  # fmt: skip


def in_brackets(numbers: np.ndarray, more: np.ndarray) -> list[str]:
    """Numbers, each followed by another one in brackets."""
    return [f"{a:.4f} ({b:.4f})" for a, b in zip(numbers, more, strict=True)]


def covered_cells() -> list[probes.Cover]:
    """Settings in which intervals are tried."""
    ways = (
        ((10, 100), 1.0, "mass", None), ((30, 300), 1.0, "mass", None),
        ((30, 300), 1.0, "mass", 30), ((100, 1000), 1.0, "mass", None),
        ((100, 1000), 0.9, "mass", None), ((100, 1000), 1.0, "width", 1),
        ((100, 1000), 1.0, "width", 10), ((1000, 3000), 1.0, "mass", None),
        ((30, 300), 1.0, "balanced", None), ((100, 1000), 1.0, "balanced", None),
    )  # fmt: skip
    return [
        probes.Cover(
            scenario, model, *size, purity, binning,
            bins or optimal_bins(prior=0.5, n_pos=size[0], n_unl=size[1]),
        )
        for scenario, model, (size, purity, binning, bins) in product(
            runs.SCENARIOS, (*MODELS, PERFECT), ways
        )
    ]  # fmt: skip


def coverage_section(cells: list[probes.Cover], covered: np.ndarray, samples: int) -> list[str]:
    rows = [
        (runs.SCENARIOS[c.scenario], c.model.name, c.n_pos, c.n_unl, f"{c.purity:g}", c.binning, c.bins,
         *map(float, found))
        for c, found in zip(cells, covered, strict=True)
    ]  # fmt: skip
    head = ["scenario", "model", "n_P", "n_U", "purity", "binning", "bins", "analytic", "bootstrap",
            "analytic, unbinned truth", "width", "λ95"]  # fmt: skip
    return [
        "## Coverage of the interval", "",
        f"The lowest share is {covered[:, 0].min():.3f} for the analytic interval and {covered[:, 1].min():.3f} for the "
        f"bootstrap. There are {samples} samples of each setting, so a share of 0.95 has a standard error of "
        f"{runs.standard_error(samples):.3f}. What the interval is to hold is the calibration error *of the bins used*. The "
        "true, unbinned one is not promised: with few bins the binned error is smaller. Width is the mean of the analytic "
        f"interval, and [λ95](sharpness.md) how much of its length it needs ({np.median(covered[:, 4]):.2f} in the median setting).", "",
        *evidence.table(head, rows, f"The shares in all {len(rows)} settings"),
    ]  # fmt: skip


def rare_cells() -> list[probes.Rare]:
    """Settings with rare positives."""
    sizes = (0.002, 100, 10_000), (0.002, 1000, 100_000), (0.01, 100, 10_000)
    return [
        probes.Rare(*size, steeper, binning)
        for size, steeper, binning in product(sizes, (1.3, 3.0), ("mass", "balanced"))
    ]


def rare_section(cells: list[probes.Rare], found: np.ndarray, samples: int) -> list[str]:
    rows = [
        (f"{c.prior:g}", c.n_pos, c.n_unl, f"{c.steeper:g}", c.binning, *map(float, one))
        for c, one in zip(cells, found, strict=True)
    ]
    head = ["prior", "n_P", "n_U", "steeper", "binning", "holds binned", "holds unbinned",
            "labels in one bin", "binned / true"]  # fmt: skip
    return [
        "## Rare positives: what bins can see", "",
        f"Positives N(3, 1), negatives N(0, 1), scores over-confident (logit times 1.3, or 3). Share of {samples} "
        "samples whose interval holds the error of the bins, and the true, unbinned one; largest share of the "
        "labels in one bin, and the error of the bins as a share of the true one.", "",
        *evidence.table(head, rows),
    ]  # fmt: skip


def prior_section(samples: int) -> list[str]:
    sizes = (100, 1000, 10_000)
    cells = [probes.WrongPrior(model, n) for model, n in product(MODELS, sizes)]
    found = runs.in_parallel(probes.wrong_prior, cells, samples=samples)
    rows = []
    for i, model in enumerate(MODELS):
        mine = found[i * len(sizes) : (i + 1) * len(sizes)]
        shift, far = np.max([moved for moved, _ in mine], axis=0), mine[-1][1]
        for f, moved, distance in zip(probes.FACTORS, shift, far, strict=True):
            row = float(moved), abs(f - 1) * 0.5, float(distance)
            rows.append((model.name, f"{0.5 * f:g}", *row))
    head = ["model", "prior used", "largest shift", "bound", "distance at N = 10 000"]
    return [
        "## A wrong prior", "",
        f"Largest shift of the estimate over {samples} samples at each of N = 100, 1000, 10 000 (n_P = N, n_U "
        "= 10·N), against Theorem 2's bound, and the mean distance from the truth at N = 10,000 (Figure 3).", "",
        *evidence.table(head, rows, digits=4),
    ]  # fmt: skip


def repair_section(samples: int) -> list[str]:
    models = (*MODELS, Model("shifted and flat", -1.5, 0.8))
    sizes = (30, 300), (100, 1000), (1000, 10_000)
    cells = [probes.Repair(model, *size) for model, size in product(models, sizes)]
    found = runs.in_parallel(probes.repair, cells, samples=samples)
    rows = [
        (c.model.name, c.n_pos, c.n_unl, *in_brackets(*one.T))
        for c, one in zip(cells, found, strict=True)
    ]
    return [
        "## Recalibration, judged on held-out data", "",
        f"Fitted on one sample, judged on another of n_P = 2000, n_U = 20,000; means over {samples} pairs. "
        "In brackets mean |p − P(y = 1 | score)| of the map, by quadrature: the true calibration error, or "
        "for the steps of the isotonic map more than that. Before / after is the debiased PU-ECE.", "",
        *evidence.table(["model", "n_P", "n_U", "before", *probes.METHODS], rows),
    ]  # fmt: skip


def main(run: runs.Run) -> None:
    few = part_of(run.samples, 10)
    series, cells, rare = biases(few), covered_cells(), rare_cells()
    covered = np.array(runs.in_parallel(probes.cover, cells, samples=run.samples))
    seen = np.array(runs.in_parallel(probes.rare, rare, samples=run.samples))
    shares = np.concatenate([covered[:, 0], seen[:, 0]])
    draw(series, run.picture)
    how = (
        "The world is that of Kiryo, Futami and Sugiyama (2025), Section 5.1: positives are N(1, 1), negatives N(−1, 1), "
        "the prior is 0.5, and the classifier says σ(β0 + β1·x). n_P is the number of labelled rows, n_U that of unlabeled "
        "ones; PU-ECE is the paper's estimate of the calibration error."
    )
    run.write(
        [
            *evidence.opening(
                "Calibration without negatives: what was measured", sentence(series, shares),
                run.picture.name, "Mean distance from the truth against the size of the sample, for two models",
                how, run.command,
            ),
            *bias_section(series, few),
            *debiasing_section(part_of(run.samples, 4)),
            *coverage_section(cells, covered, run.samples),
            *rare_section(rare, seen, run.samples),
            *prior_section(few),
            *repair_section(part_of(run.samples, 20)),
        ]
    )  # fmt: skip


if __name__ == "__main__":
    main(runs.asked("calibration", SAMPLES))
