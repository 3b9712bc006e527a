"""Error of the three recoveries of AUC and average precision; writes docs/evidence/recovery.md and its plot.

Run: python benchmarks/simulate_recovery.py docs/evidence [--samples N]. Simulated scores are those of
simulate_coverage.py; real data are the demo's two models, with labels drawn afresh in each sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

import evidence
import matplotlib.pyplot as plt
import numpy as np
import runs
from worlds import World

import puremetrics as pm

SAMPLES, SEED = 1000, 1
METHODS = ("direct", "indirect", "projected")
COLORS = dict(zip(METHODS, (evidence.GREY, evidence.BLUE, evidence.ORANGE), strict=True))
AUCS = (0.6, 0.76, 0.9, 0.98, 0.999)
Found = tuple[
    np.ndarray, np.ndarray
]  # error and bias: AUC by three methods, average precision by two


@dataclass(frozen=True)
class Demo:
    """A model of the demo data; so many rows of spam are labelled."""

    model: str
    labelled: int
    purity: float = 1.0

    @cached_property
    def data(self) -> dict[str, np.ndarray]:
        return pm.load_demo()

    @property
    def prior(self) -> float:
        return float((self.data["spam"] == 1).mean())

    def truth(self) -> dict[str, float]:
        full = self._labelled(self.data["spam"]).unlabeled_as_negative()
        return {
            "roc_auc": pm.roc_auc(full, prior=None).value,
            "average_precision": pm.average_precision(full, prior=None).value,
        }

    def table(self, rng: np.random.Generator) -> pm.ScoreTable:
        y = np.zeros(self.data["spam"].size)
        y[rng.choice(np.flatnonzero(self.data["spam"] == 1), self.labelled, replace=False)] = 1
        return self._labelled(y)

    def _labelled(self, y: np.ndarray) -> pm.ScoreTable:
        return pm.ScoreTable.from_arrays(y, self.data[self.model], scenario="single_training_set")

    def __str__(self) -> str:
        return f"demo, {self.model}, {self.labelled} of 4601 rows labelled"


def grid() -> list[World]:
    sizes = (30, 300), (100, 1000), (1000, 5000)
    return [
        World("case_control", auc, prior, *size)
        for auc, prior, size in product(AUCS, (0.05, 0.3, 0.6), sizes)
    ]


def others() -> list[World | Demo]:
    """Noisy labels, and real scores."""
    noisy = product((0.76, 0.9, 0.98), (0.05, 0.3))
    return [
        *(World("case_control", auc, prior, 100, 1000, purity=0.8) for auc, prior in noisy),
        *(
            Demo(model, labelled)
            for model, labelled in product(("forest", "words"), (30, 100, 500))
        ),
    ]


def measured(setting: World | Demo, samples: int) -> Found:
    """Mean absolute error and bias of each recovery."""
    rng = np.random.default_rng(runs.seed_of(setting, SEED))
    known, truth = {"prior": setting.prior, "purity": setting.purity}, setting.truth()
    errors = np.empty((samples, 5))
    for i in range(samples):
        table = setting.table(rng)
        errors[i, :3] = [pm.roc_curve(table, method=m, **known).area for m in METHODS]
        errors[i, 3:] = [pm.pr_curve(table, method=m, **known).area for m in METHODS[1:]]
    errors -= [truth["roc_auc"]] * 3 + [truth["average_precision"]] * 2
    return np.abs(errors).mean(axis=0), errors.mean(axis=0)


def geometric(errors: np.ndarray) -> np.ndarray:
    """Mean of each column."""
    return np.exp(np.log(errors).mean(axis=0))


def sentence(errors: np.ndarray) -> str:
    """What was found in the simulated settings."""
    mean = geometric(errors)
    worst = (errors[:, 1] / errors[:, :3].min(axis=1)).max()
    return (
        f"Of three ways to correct the ROC AUC for hidden positives, the default (indirect) has {mean[1] / mean[0]:.2f} times "
        f"the error of the plain formula (direct) on average over {len(errors)} simulated settings, and the third (projected) "
        f"{mean[2] / mean[0]:.2f} times. Nowhere does the default err more than {worst:.2f} times as much as the best of the "
        "three."
    )


def draw(settings: list[World], errors: np.ndarray, target: Path) -> None:
    """Error of each method against the AUC of the model, for both areas."""
    figure, axes = plt.subplots(1, 2, figsize=(7, 3.6), layout="constrained", sharey=True)
    aucs = np.array([s.auc for s in settings])
    lines = np.array([geometric(errors[aucs == auc]) for auc in AUCS]).T
    panels = ("ROC AUC", METHODS, lines[:3]), ("average precision", METHODS[1:], lines[3:])
    for ax, (title, methods, heights) in zip(axes, panels, strict=True):
        for method, height in zip(methods, heights, strict=True):
            ax.plot(range(len(AUCS)), height, "o-", ms=4, color=COLORS[method], label=method)
        ax.set_xticks(range(len(AUCS)), [f"{auc:g}" for auc in AUCS])
        evidence.plain(ax, title=title, xlabel="true ROC AUC of the model", yscale="log")
    axes[0].set(ylabel="mean absolute error")
    axes[0].set_yticks([0.003, 0.01, 0.03], ["0.003", "0.01", "0.03"])
    axes[0].minorticks_off()
    axes[0].legend(frameon=False, loc="lower left")
    evidence.save(figure, target)


def cells(found: Found) -> list[str]:
    """Errors with their biases; the smallest error of each area in bold."""
    error, bias = found
    shown = [f"{e:.4f} ({b:+.4f})" for e, b in zip(error, bias, strict=True)]
    best = int(np.argmin(error[:3])), 3 + int(np.argmin(error[3:]))
    return [f"**{cell}**" if i in best else cell for i, cell in enumerate(shown)]


def table(settings: list[World] | list[World | Demo], found: list[Found]) -> list[str]:
    head = ["data", *(f"AUC {m}" for m in METHODS), *(f"AP {m}" for m in METHODS[1:])]
    rows = [
        (str(s).removeprefix("case_control, "), *cells(one))
        for s, one in zip(settings, found, strict=True)
    ]
    return evidence.table(head, rows, f"Errors in all {len(rows)} settings")


def advice(settings: list[World], found: list[Found]) -> str:
    """When to use which, from the settings with the weakest and the strongest model."""
    aucs = np.array([s.auc for s in settings])
    errors, biases = (np.array([one[i] for one in found]) for i in (0, 1))
    strong, weak = geometric(errors[aucs == AUCS[-1]]), aucs == AUCS[0]
    bias = biases[weak].mean(axis=0)
    wins = int((errors[weak, 4] < errors[weak, 3]).sum())
    return (
        f"Indirect is the default. At an AUC of {AUCS[-1]:g} its error is {strong[1] / strong[0]:.2f} times that of "
        f"direct. At an AUC of {AUCS[0]:g} its bias is {bias[1]:+.3f} on average for AUC and {bias[3]:+.3f} for average "
        f"precision; that of projected is {bias[2]:+.3f} and {bias[4]:+.3f}, and its error of average precision is the "
        f"smaller one in {wins} of {weak.sum()} settings."
    )


def main(run: runs.Run) -> None:
    settings, more = grid(), others()
    found = runs.in_parallel(measured, [*settings, *more], samples=run.samples)
    first, rest = found[: len(settings)], found[len(settings) :]
    errors = np.array([error for error, _ in first])
    draw(settings, errors, run.picture)
    how = (
        f"Errors are means over {run.samples} samples of each setting, with the prior known; averages over settings are "
        "geometric. Negatives score N(0, 1), positives N(μ, 1). Rows are labelled + unlabeled. The [theory]"
        "(../theory/correction.md) says what the three methods do."
    )
    run.write(
        [
            *evidence.opening(
                "Which recovery is best", sentence(errors), run.picture.name,
                "Error of each method against the AUC of the model, for ROC AUC and average precision",
                how, run.command,
            ),
            advice(settings, first), "",
            "## Simulated scores", "",
            "Mean absolute error, and the bias in brackets; the smallest error is bold. AP is average precision.", "",
            *table(settings, first),
            "## Noisy labels and real scores", "",
            "The demo's rows are e-mails, judged by two models.", "",
            *table(more, rest),
        ]
    )  # fmt: skip


if __name__ == "__main__":
    main(runs.asked("recovery", SAMPLES))
