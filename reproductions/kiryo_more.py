"""Two sections of `kiryo.py`: Theorem 3 with a VC dimension, and CIFAR-10 with bins of equal width and mass.

CIFAR-10 comes as 256 features of each image, in `cifar10_feat256.parquet` of the data folder, not as images: a
network 256-100-100-1 on these takes the place of the paper's ResNet-18.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.worlds import MODELS
from reproductions.common import BLUE, GREEN, GREY, RED, Run, plain_axes, table
from reproductions.logit_worlds import LogitWorld
from reproductions.nnpu import train

import puremetrics as pm

DIMENSIONS = {2: BLUE, 11: GREEN, 101: "#c77c11", 785: RED}
VEHICLES = (0, 1, 8, 9)
BINNINGS = {"mass": BLUE, "width": RED, "balanced": GREEN}
MOST = 5  # components of a mixture


def least_bound(n: int, dimension: int | None) -> tuple[float, int]:
    """The smallest bound over numbers of bins (n_P = n, n_U = 10 n, prior 0.5, L = 1), and that number.

    Without a dimension that of Theorem 1, for rows that the model has not seen; bins of equal width.
    """
    sizes = {"n_pos": n, "n_unl": 10 * n, "prior": 0.5, "binning": "width"}
    found = []
    for bins in np.unique(np.geomspace(2, 2000, 40).astype(int)).tolist():
        if dimension is None:
            found.append((float(pm.bias_bound(**sizes, n_bins=bins)), bins))
            continue
        for cells in (1, 3, 10, 30):
            levels = bins * cells
            fcmi = pm.fcmi_bound(vc_dimension=dimension, n_pos=n, n_unl=10 * n, levels=levels)
            bound = float(pm.generalization_bound(**sizes, n_bins=bins, fcmi=fcmi)) + 1 / levels
            found.append((bound, bins))
    return min(found)


def enough(dimension: int | None, bound: float = 0.1) -> float:
    """The number of labelled rows at which the bound is met, to two digits."""
    low, high = 2.0, 10.0  # powers of ten
    while high - low > 0.003:
        middle = (low + high) / 2
        met = least_bound(round(10**middle), dimension)[0] <= bound
        low, high = (low, middle) if met else (middle, high)
    return float(f"{10**high:.1e}")


def theorem_3(run: Run) -> list[str]:
    ns = np.geomspace(100, 1e7, 6 if run.quick else 21).astype(int)
    drawing, ax = plt.subplots(figsize=(5.6, 3.8), layout="constrained")
    rows, first = [], {}
    for dimension, colour in {None: GREY, **DIMENSIONS}.items():
        bounds = np.array([least_bound(int(n), dimension)[0] for n in ns])
        name = "rows not seen (Theorem 1)" if dimension is None else f"d = {dimension}"
        ax.loglog(ns, bounds, color=colour, ls="--" if dimension is None else "-", label=name)
        picked = [least_bound(n, dimension) for n in (10**3, 10**5, 10**7)]
        rows.append([name, *(f"{bound:.3f} ({bins} bins)" for bound, bins in picked)])
        first[dimension] = enough(dimension)
    ax.axhline(1, color="black", lw=0.7)
    plain_axes(ax, xlabel="N (n_P = N, n_U = 10 N)", ylabel="bound on the expected bias")
    ax.legend(frameon=False, fontsize=8)
    said = {d: f"about {n:,.0f}" for d, n in first.items()}
    return [
        "## Theorem 3: a bound on training rows from a VC dimension",
        "",
        *run.figure(drawing, "kiryo-theorem-3", "Bounds of Theorem 3 for four VC dimensions"),
        f"For a bound below 0.1 a linear model of ten features (d = 11) needs {said[11]} labelled training rows and ten times as "
        f"many unlabeled ones, one of 784 pixels (d = 785) {said[785]}; rows that the model has not seen suffice at {said[None]}.",
        "",
        "The paper leaves fCMI open; `fcmi_bound` has it from a VC dimension. Prior 0.5, L = 1, bins of equal width, the number "
        "of bins that makes the bound smallest; scores are rounded to levels within the bins, which the bound pays for.",
        "",
        *table(["", "N = 1,000", "N = 100,000", "N = 10,000,000"], rows),
    ]  # fmt: skip


def vehicles(run: Run) -> tuple[np.ndarray, np.ndarray, int] | None:
    """Standardised features, is it a vehicle, and how many rows are for training."""
    if run.quick:
        rng = np.random.default_rng(run.seed)
        y = rng.random(3000) < 0.4
        return (rng.normal(size=(3000, 20)) + 0.5 * y[:, None]).astype(np.float32), y, 2000
    place = run.folder / "cifar10_feat256.parquet" if run.folder else None
    if place is None or not place.exists():
        print("Without CIFAR-10: name a folder that has cifar10_feat256.parquet with --folder.")
        return None
    import duckdb

    rows = duckdb.sql(f"select * from '{place}' order by test").fetchnumpy()
    x = np.column_stack([rows[f"f{i}"] for i in range(256)]).astype(np.float32)
    cut = int(np.sum(~rows["test"]))
    x = (x - x[:cut].mean(axis=0)) / x[:cut].std(axis=0)
    return x, np.isin(rows["y"], VEHICLES), cut


def bias_by_binning(
    world: LogitWorld, ns: tuple[int, ...], trials: int, seed: int
) -> dict[str, np.ndarray]:
    """Mean |PU-ECE − truth| of each binning, with the number of bins of Corollary 1; n_P = N, n_U = 10 N."""
    found = {name: np.empty((len(ns), trials)) for name in BINNINGS}
    rng = np.random.default_rng(seed)
    for i, n in enumerate(ns):
        bins = pm.optimal_bins(prior=world.prior, n_pos=n, n_unl=10 * n)
        for j in range(trials):
            sample = world.table(rng, n, 10 * n)
            for name, values in found.items():
                result = pm.calibration_error(sample, prior=world.prior, binning=name, n_bins=bins)
                values[i, j] = abs(result.error - world.truth)
    return found


def cifar_10(run: Run) -> list[str]:
    ns = (10, 100) if run.quick else (10, 100, 1000, 10_000)
    trials = 3 if run.quick else 30
    worlds, sentence = [LogitWorld.of(model) for model in MODELS], "CIFAR-10 could not be had."
    data = vehicles(run)
    if data is not None:
        x, truth, cut = data
        rng = np.random.default_rng(run.seed)
        positives = np.flatnonzero(truth[:cut])
        labelled = rng.choice(positives, min(10_000, positives.size // 2), replace=False)
        net = train(x[labelled], x[:cut], prior=float(truth[:cut].mean()), hidden=(100, 100),
                    loss="sigmoid", epochs=2 if run.quick else 10, seed=run.seed)  # fmt: skip
        z, y = net.logit(x[cut:]), truth[cut:]
        name, most = ("made data", 2) if run.quick else ("CIFAR-10", MOST)
        worlds.append(LogitWorld.fitted(name, z, y, most, run.seed))
        sentence = (
            f"CIFAR-10: vehicles against animals, the network's accuracy on test rows is {np.mean((z > 0) == y):.3f}; mixtures of "
            f"{worlds[-1].positive.n_components} (positives) and {worlds[-1].negative.n_components} (negatives) components, the best of 1 to {MOST} by BIC "
            f"from many starts; TCE {worlds[-1].truth:.4f}. The features are not the paper's ResNet-18, which was not trained "
            "here, so only the pattern can be compared."
        )  # fmt: skip
    drawing, axes = plt.subplots(
        1, len(worlds), figsize=(4 * len(worlds), 3.5), layout="constrained", sharey=True
    )
    rows, ratios = [], []
    for ax, world in zip(np.atleast_1d(axes), worlds, strict=True):
        found = bias_by_binning(world, ns, trials, run.seed)
        for name, values in found.items():
            mean = values.mean(axis=1)
            ax.loglog(ns, mean, marker=".", color=BINNINGS[name], label=f"{name} bins")
            error = values[-1].std() / np.sqrt(trials)
            rows.append([world.name, name, *map(float, mean[:-1]), f"{mean[-1]:.4f} ± {error:.4f}"])
        ratios.append(found["width"].mean(axis=1)[-1] / found["mass"].mean(axis=1)[-1])
        plain_axes(ax, title=world.name, xlabel="N (n_P = N, n_U = 10 N)")
    np.atleast_1d(axes)[0].set_ylabel("total bias")
    np.atleast_1d(axes)[0].legend(frameon=False, fontsize=8)
    told = ", ".join(f"{r:.2f} ({w.name})" for r, w in zip(ratios, worlds, strict=True))
    return [
        "## CIFAR-10, and equal width against equal mass",
        "",
        *run.figure(drawing, "kiryo-widths", "Bias with bins of equal mass and equal width"),
        f"At N = {ns[-1]:,} the bias with bins of equal width is so many times that with bins of equal mass: {told}.",
        "",
        f"{sentence} {trials} trials (elsewhere on the page 100), the number of bins of Corollary 1. The paper compares "
        "the two binnings in its Appendix I, which was not at hand. *Balanced*: this library's default, not in the paper.",
        "",
        *table(["", "bins", *(f"N = {n:,}" for n in ns)], rows),
    ]  # fmt: skip


def more(run: Run) -> list[str]:
    """Both sections."""
    parts = {"Theorem 3": theorem_3, "CIFAR-10": cifar_10}
    return [
        line for title, make in parts.items() for line in run.section(title, partial(make, run))
    ]
