"""Calibration against known truth: bias, coverage, wrong priors, repair; writes docs/evidence/calibration.md.

Run: python benchmarks/simulate_calibration.py [docs/evidence/calibration.md]. The model is that of Kiryo, Futami and
Sugiyama (2025), Section 5.1: x is N(1, 1) for positives and N(−1, 1) for negatives, prior ½, so that
P(y = 1 | x) = σ(2x); the classifier says σ(β0 + β1·x). Truth is computed by quadrature.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from worlds import GRID, MODELS, PERFECT, Model

import puremetrics as pm
from puremetrics.calibration import calibration_error
from puremetrics.calibration.gaps import split_size
from puremetrics.calibration.recalibration import recalibrate
from puremetrics.calibration.theory import bias_bound, optimal_bins

SIZES = (10, 31, 100, 316, 1000, 3162, 10_000)
TRIALS = 100
REPEATS = 500
SEED = 30


def supervised(model: Model, rng: np.random.Generator, rows: int) -> float:
    """Eq. (1) with ⌈n^(1/3)⌉ bins of equal mass."""
    y = rng.random(rows) < 0.5
    s = model.draw(rng, y)
    bins = int(np.ceil(rows ** (1 / 3) - 1e-9))
    edges = np.sort(s)[np.arange(1, bins) * rows // bins - 1]
    at = np.searchsorted(edges, s)
    return float(np.abs(np.bincount(at, s - y, minlength=bins)).sum() / rows)


def slope(values: list[float]) -> float:
    return float(np.polyfit(np.log(SIZES), np.log(values), 1)[0])


def row(*cells: object) -> str:
    shown = [f"{c:.4f}" if isinstance(c, float) else str(c) for c in cells]
    return "| " + " | ".join(shown) + " |"


def head(*cells: object) -> list[str]:
    return [row(*cells), "|" + "---|" * len(cells)]


def bias_section(rng: np.random.Generator, figure: Path | None) -> list[str]:
    inf = float("inf")
    curves = {
        "n_P = N, n_U = 10·N": lambda n: (n, 10 * n),
        "n_P = N, n_U = ∞": lambda n: (n, inf),
        "n_P = ∞, n_U = N": lambda n: (inf, n),
        "n_P = 100, n_U = N": lambda n: (100, n),
        "n_P = 1000, n_U = N": lambda n: (1000, n),
    }
    lines = [
        "## Bias against the size of the sample", "",
        f"Mean |estimate − true calibration error| over {TRIALS} trials, bins of equal mass, optimal "
        "number. The slope is fitted on log-log axes; the paper's rate is −1/3. The first three rows "
        "and the supervised error are its Figure 1, the next two its Figure 2 (with fixed n_P the bias "
        "stops falling).", "",
    ]  # fmt: skip
    drawn = {}
    for model in MODELS:
        lines += [
            f"**{model.name}** (β0 = {model.beta0}, β1 = {model.beta1}; true error {model.truth:.7f})",
            "",
        ]
        lines += head("estimator", *(f"N = {n}" for n in SIZES), "slope")
        series: dict[str, list[float]] = {}
        for label, sizes in curves.items():
            plain, less = [], []
            for n in SIZES:
                n_pos, n_unl = sizes(n)
                bins = optimal_bins(prior=0.5, n_pos=min(n_pos, 1e15), n_unl=min(n_unl, 1e15))
                results = [
                    calibration_error(
                        model.table(rng, n_pos, n_unl), prior=0.5, n_bins=bins, binning="mass"
                    )
                    for _ in range(TRIALS)
                ]
                plain.append(float(np.mean([abs(r.error - model.truth) for r in results])))
                less.append(float(np.mean([abs(r.debiased - model.truth) for r in results])))
            series[f"PU-ECE, {label}"] = plain
            if label.endswith("10·N"):
                series[f"debiased, {label}"] = less
        series["supervised ECE, n = N"] = [
            float(np.mean([abs(supervised(model, rng, n) - model.truth) for _ in range(TRIALS)]))
            for n in SIZES
        ]
        series["Theorem 1 (bound, L = 2), n_P = N, n_U = 10·N"] = [
            bias_bound(n_pos=n, n_unl=10 * n, prior=0.5, lipschitz=2.0,
                       n_bins=optimal_bins(prior=0.5, n_pos=n, n_unl=10 * n)).expected
            for n in SIZES
        ]  # fmt: skip
        for label, values in series.items():
            lines.append(row(label, *values, f"{slope(values):.3f}"))
        lines.append("")
        drawn[model.name] = series
    if figure is not None and draw_figure(drawn, figure):
        lines += [f"![bias against sample size]({figure.name})", ""]
    return lines


def draw_figure(drawn: dict[str, dict[str, list[float]]], target: Path) -> bool:
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "puremetrics"
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.2), sharey=True)
    for axis, (name, series) in zip(axes, drawn.items(), strict=True):
        for label, values in series.items():
            if "Theorem" not in label:
                axis.loglog(SIZES, values, marker="o", markersize=3, label=label)
        guide = 0.3 * (np.array(SIZES) / SIZES[0]) ** (-1 / 3)
        axis.loglog(SIZES, guide, "k--", linewidth=0.8, label="N^(−1/3)")
        axis.set(title=name, xlabel="N", ylabel="mean |bias|")
    axes[0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(target, metadata={"Date": None})
    return True


def debiasing_section(rng: np.random.Generator) -> list[str]:
    lines = [
        "## Plug-in, debiased and split estimate", "",
        "Mean estimate, and in brackets the mean distance from the true (unbinned) calibration error; "
        f"{REPEATS // 2} samples, bins of equal mass. *Split* takes each gap's sign from the other half of "
        "the data: never too large on average, it is where the interval's lower end starts.", "",
        *head("model", "n_P", "n_U", "bins", "truth", "plug-in", "debiased", "split"),
    ]  # fmt: skip
    for model in (*MODELS, PERFECT):
        for n_pos, n_unl in ((30, 300), (100, 1000), (1000, 1000), (1000, 10_000)):
            for bins in (optimal_bins(prior=0.5, n_pos=n_pos, n_unl=n_unl), 50):
                found = []
                for _ in range(REPEATS // 2):
                    result = calibration_error(
                        model.table(rng, n_pos, n_unl), prior=0.5, n_bins=bins, binning="mass"
                    )
                    split = float(split_size(result.bins.gap, result.bins.noise).sum())
                    found.append((result.error, result.debiased, max(split, 0.0)))
                means = np.mean(found, axis=0)
                far = np.mean(np.abs(np.array(found) - model.truth), axis=0)
                cells = [f"{m:.4f} ({d:.4f})" for m, d in zip(means, far, strict=True)]
                lines.append(row(model.name, n_pos, n_unl, bins, float(model.truth), *cells))
    return [*lines, ""]


def coverage_section(rng: np.random.Generator) -> list[str]:
    lines = [
        "## Coverage of the interval", "",
        f"Share of {REPEATS} samples whose nominal 95 % interval holds the calibration error *of the bins "
        "used* (the estimand), and the true, unbinned one, which is not promised: with few bins the "
        "binned error is smaller. Standard error about 0.01. Width is the mean of the analytic interval.", "",
        *head("scenario", "model", "n_P", "n_U", "purity", "binning", "bins", "analytic", "bootstrap",
              "analytic, unbinned truth", "width"),
    ]  # fmt: skip
    worst = [1.0, 1.0]
    for scenario in ("case_control", "single_training_set"):
        for model in (*MODELS, PERFECT):
            for (n_pos, n_unl), purity, binning, bins in (
                ((10, 100), 1.0, "mass", None), ((30, 300), 1.0, "mass", None),
                ((30, 300), 1.0, "mass", 30), ((100, 1000), 1.0, "mass", None),
                ((100, 1000), 0.9, "mass", None), ((100, 1000), 1.0, "width", 1),
                ((100, 1000), 1.0, "width", 10), ((1000, 3000), 1.0, "mass", None),
                ((30, 300), 1.0, "balanced", None), ((100, 1000), 1.0, "balanced", None),
            ):  # fmt: skip
                count = bins or optimal_bins(prior=0.5, n_pos=n_pos, n_unl=n_unl)
                hits, width = np.zeros(3), 0.0
                for _ in range(REPEATS):
                    table = model.table(rng, n_pos, n_unl, scenario, purity)
                    known = {"prior": 0.5, "purity": purity, "n_bins": count, "binning": binning}
                    plain = calibration_error(table, **known)
                    drawn = calibration_error(
                        table, **known, interval="bootstrap", n_resamples=200, rng=rng
                    )
                    truth = model.binned_truth(plain.bins.upper)
                    hits += (truth in plain.interval, truth in drawn.interval,
                             model.truth in plain.interval)  # fmt: skip
                    width += plain.interval.width / REPEATS
                share = hits / REPEATS
                worst = [min(w, s) for w, s in zip(worst, share[:2], strict=True)]
                lines.append(
                    row(scenario, model.name, n_pos, n_unl, f"{purity:g}", binning, count,
                        *(f"{s:.3f}" for s in share), f"{width:.3f}")
                )  # fmt: skip
                print(lines[-1], flush=True)
    lines += ["", f"Lowest: analytic {worst[0]:.3f}, bootstrap {worst[1]:.3f}.", ""]
    return lines


def rare_section(rng: np.random.Generator) -> list[str]:
    repeats = REPEATS // 2
    lines = [
        "## Rare positives: what bins can see", "",
        f"Positives N(3, 1), negatives N(0, 1), scores over-confident (logit times 1.3, or 3). Share of {repeats} "
        "samples whose interval holds the error of the bins, and the true, unbinned one; largest share of the "
        "labels in one bin, and the error of the bins as a share of the true one.", "",
        *head("prior", "n_P", "n_U", "steeper", "bins", "holds binned", "holds unbinned",
              "labels in one bin", "binned / true"),
    ]  # fmt: skip
    x = np.linspace(-7, 10, 400_001)
    for prior, n_pos, n_unl in ((0.002, 100, 10_000), (0.002, 1000, 100_000), (0.01, 100, 10_000)):
        for steeper in (1.3, 3.0):
            laws = [np.exp(-((x - move) ** 2) / 2) for move in (3.0, 0.0)]
            laws = [law / law.sum() for law in laws]
            evidence = np.log(prior / (1 - prior)) + 3 * x - 4.5
            score = 1 / (1 + np.exp(-steeper * evidence))
            gap = score * (prior * laws[0] + (1 - prior) * laws[1]) - prior * laws[0]
            true = float(np.abs(gap).sum())
            for binning in ("mass", "balanced"):
                found = []
                for _ in range(repeats):
                    y = rng.random(n_unl) < prior
                    raw = rng.normal(size=n_pos) + 3, rng.normal(size=n_unl) + 3 * y
                    pos, unl = (np.interp(part, x, score) for part in raw)
                    table = pm.ScoreTable.from_groups(
                        positive=pos, unlabeled=unl, scenario="case_control"
                    )
                    result = calibration_error(table, prior=prior, binning=binning)
                    at = np.searchsorted(result.bins.upper, score)
                    binned = np.abs(np.bincount(at, gap)).sum()
                    found.append((binned in result.interval, true in result.interval,
                                  result.bins.n_pos.max() / n_pos, binned / true))  # fmt: skip
                cells = [f"{value:.3f}" for value in np.mean(found, axis=0)]
                lines.append(row(f"{prior:g}", n_pos, n_unl, f"{steeper:g}", binning, *cells))
    return [*lines, ""]


def prior_section(rng: np.random.Generator) -> list[str]:
    lines = [
        "## A wrong prior", "",
        f"Largest shift of the estimate over {TRIALS} samples at each of N = 100, 1000, 10 000 (n_P = N, n_U "
        "= 10·N), against Theorem 2's bound, and the mean distance from the truth at N = 10 000 (Figure 3).", "",
        *head("model", "prior used", "largest shift", "bound", "distance at N = 10 000"),
    ]  # fmt: skip
    for model in MODELS:
        factors = (0.9, 0.95, 1.0, 1.05, 1.1)
        shift, far = np.zeros(len(factors)), np.zeros(len(factors))
        for n in (100, 1000, 10_000):
            bins = optimal_bins(prior=0.5, n_pos=n, n_unl=10 * n)
            for _ in range(TRIALS):
                table = model.table(rng, n, 10 * n)
                known = {"n_bins": bins, "binning": "mass"}
                errors = np.array(
                    [calibration_error(table, prior=0.5 * f, **known).error for f in factors]
                )
                shift = np.maximum(shift, np.abs(errors - errors[2]))
                if n == 10_000:
                    far += np.abs(errors - model.truth) / TRIALS
        for f, moved, distance in zip(factors, shift, far, strict=True):
            lines.append(
                row(model.name, f"{0.5 * f:g}", float(moved), abs(f - 1) * 0.5, float(distance))
            )
    return [*lines, ""]


def repair_section(rng: np.random.Generator) -> list[str]:
    lines = [
        "## Recalibration, judged on held-out data", "",
        f"Fitted on one sample, judged on another of n_P = 2000, n_U = 20 000; means over {TRIALS // 2} pairs. "
        "In brackets mean |p − P(y = 1 | score)| of the map, by quadrature: the true calibration error, or "
        "for the steps of the isotonic map more than that. Before / after is the debiased PU-ECE.", "",
        *head("model", "n_P", "n_U", "before", "isotonic", "platt", "temperature", "beta"),
    ]  # fmt: skip
    methods = ("isotonic", "platt", "temperature", "beta")
    for model in (*MODELS, Model("shifted and flat", -1.5, 0.8)):
        for n_pos, n_unl in ((30, 300), (100, 1000), (1000, 10_000)):
            found = np.zeros((5, 2))
            for _ in range(TRIALS // 2):
                fit_on, judge_on = model.table(rng, n_pos, n_unl), model.table(rng, 2000, 20_000)
                before = calibration_error(judge_on, prior=0.5).debiased
                found[0] += before, model.truth
                for i, method in enumerate(methods, start=1):
                    to_probability = recalibrate(fit_on, prior=0.5, method=method)
                    after = calibration_error(to_probability.apply(judge_on), prior=0.5).debiased
                    found[i] += after, model.distance(to_probability(model.score(GRID)))
            found /= TRIALS // 2
            lines.append(row(model.name, n_pos, n_unl, *(f"{a:.4f} ({b:.4f})" for a, b in found)))
    return [*lines, ""]


def main(target: str | None) -> None:
    rngs = [np.random.default_rng([SEED, section]) for section in range(6)]
    figure = None if target is None else Path(target).with_name("calibration_bias.svg")
    lines = [
        "# Calibration without negatives: what was measured", "",
        "Model of Kiryo, Futami and Sugiyama (2025), Section 5.1: positives N(1, 1), negatives N(−1, 1), "
        "prior 0.5, classifier σ(β0 + β1·x). Made by `python benchmarks/simulate_calibration.py "
        "docs/evidence/calibration.md`.", "",
    ]  # fmt: skip
    for section in (
        lambda: bias_section(rngs[0], figure),
        lambda: debiasing_section(rngs[1]),
        lambda: coverage_section(rngs[2]),
        lambda: rare_section(rngs[5]),
        lambda: prior_section(rngs[3]),
        lambda: repair_section(rngs[4]),
    ):
        part = section()
        print("\n".join(part), flush=True)
        lines += part
    if target:
        Path(target).write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
