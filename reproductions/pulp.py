"""Reproduce Hajizadeh, Li, Dollevoet and Tax (2014): Table 1, Figure 2, and where they come from.

    python reproductions/pulp.py
    python reproductions/pulp.py --only 'Figure 2: all eight measures'

At each share of positives among the unlabeled the values of a measure with all labels and with PU labels
are compared over all configurations (13 problems × 20 learners = 260, as many as in the paper), by
Spearman's correlation and by the mean absolute deviation. The experiment is in `pulp_experiment.py`, the
learners are in `pulp_learners.py`, the statistics in `pulp_statistics.py`, the sentences in `pulp_reading.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from reproductions import pulp_reading as reading
from reproductions.common import BLUE, GREEN, GREY, RED, Run, asked, plain_axes, table
from reproductions.pulp_experiment import (
    AUC,
    LARGE,
    MEASURES,
    PULP,
    SCENARIOS,
    SIZES,
    Results,
    experiment,
)
from reproductions.pulp_opening import PAPER, TITLES, opening
from reproductions.pulp_statistics import (
    CORRECTED,
    choice,
    correlation,
    deviation,
    error,
    from_truth,
    means,
    shuffled,
)

SEED = 14
LOOKS = {
    "AUC": (BLUE, "-"), "F1": (GREY, "--"), "L&L": (GREEN, "-"), "MI": ("#c77c11", "--"),
    "PEAR": ("#444444", "-"), "MAP": ("#7a4fa3", "--"), "PULP": (RED, "-"), "PseudoF": ("#3aa6b9", "--"),
}  # fmt: skip


# ---------------------------------------------------------------- figures


def against_share(
    shares: Sequence[float], rows: Mapping[str, np.ndarray], left_out: Sequence[str] = ()
) -> plt.Figure:
    """A row of panels for each label, a panel for each scenario; the lower row without measures left out."""
    drawing, axes = plt.subplots(
        2, 3, figsize=(11, 6.2), layout="constrained", sharex=True, sharey="row"
    )
    for row, (label, numbers) in enumerate(rows.items()):
        for column, title in enumerate(TITLES):
            ax = axes[row, column]
            for i, (name, (colour, line)) in enumerate(LOOKS.items()):
                if row and name in left_out:
                    continue
                front = name == "PULP"
                ax.plot(shares, numbers[column, :, i], color=colour, ls=line, marker=".",
                        lw=2.2 if front else 1.2, zorder=3 if front else 2,
                        label=None if row or column else name)  # fmt: skip
            ax.axhline(0, color=GREY, lw=0.6, zorder=0)
            plain_axes(ax, xticks=shares)
            if not row:
                ax.set_title(title, fontsize=10)
        axes[row, 0].set_ylabel(label)
    axes[1, 1].set_xlabel("share of positives among the unlabeled")
    drawing.legend(loc="outside upper center", ncols=len(LOOKS), frameon=False, fontsize=9)
    return drawing


def figure_2(run: Run, shares: Sequence[float], values: np.ndarray) -> list[str]:
    """Correlation (above) and mean absolute deviation (below) against the share, as in the paper."""
    rows = {"rank correlation": correlation(values), "mean absolute deviation": deviation(values)}
    drawing = against_share(shares, rows, left_out=("L&L", "PseudoF"))  # not within [0, 1]
    caption = "Correlation and deviation against the share, test sets of one size"
    return [
        *run.figure(drawing, "pulp-figure-2", caption),
        "The lower row leaves out L&L and Pseudo-F, which are not within [0, 1]; the section after next has all eight.",
        "",
    ]


def all_eight(run: Run, results: Results) -> list[str]:
    """Figure 2 with nothing left out: deviations of every measure in units of its own spread."""
    values = results.by_problem()[..., : len(MEASURES)]
    found = correlation(values)
    apart = deviation(values) / values.std(axis=(0, 1, 2, 3, 4))
    drawing = against_share(
        results.shares, {"rank correlation": found, "deviation, in spreads": apart}
    )
    rows = [
        [scenario, f"{share:g}", *map(float, found[i, j])]
        for i, scenario in enumerate(SCENARIOS)
        for j, share in enumerate(results.shares)
    ]
    wide = [[scenario, *map(float, apart[i].mean(axis=0))] for i, scenario in enumerate(SCENARIOS)]
    return [
        "## Figure 2: all eight measures",
        "",
        *run.figure(drawing, "pulp-figure-2-all", "All eight measures against the share, test sets of three sizes"),
        *reading.all_eight(results, bool(run.only)),
        *table(["correlation", "share", *MEASURES], rows, digits=3, summary="Correlations by share"),
        *table(["deviation in spreads, mean", *MEASURES], wide, digits=3),
    ]  # fmt: skip


# ---------------------------------------------------------------- tables


def table_1(run: Run, values: np.ndarray) -> list[str]:
    """Our numbers above the paper's."""
    found, spread = means(values), error(values, run.seed)
    apart = deviation(values).mean(axis=1)
    count = len(MEASURES)
    rows: list[list[Any]] = []
    for i, scenario in enumerate(SCENARIOS):
        ours = [f"{m:.3f} ± {e:.3f}" for m, e in zip(found[i], spread[i, :count], strict=True)]
        rows += [[f"correlation, {scenario}", *ours], ["paper", *PAPER["correlation", scenario]]]
    for i, scenario in enumerate(SCENARIOS):
        rows += [[f"deviation, {scenario}", *map(float, apart[i, :count])]]
        rows += [["paper", *PAPER["deviation", scenario]]]
    both = values[..., :count].reshape(-1, count).std(axis=0)
    rows += [
        ["standard deviation of all values", *map(float, both)],
        ["paper", *PAPER["spread", "all"]],
    ]
    return table(["", *MEASURES], rows, digits=3)


def sizes_table(run: Run, results: Results) -> list[str]:
    """AUC and PULP with test sets of one size, and of several."""
    designs = {f"one size, {name}": results.one_size(i) for i, name in enumerate(SIZES)}
    designs["three sizes, down to a quarter"] = results.by_problem(LARGE)
    designs["three sizes, down to a sixteenth"] = results.by_problem()
    paper = [PAPER["correlation", s][place] for s in SCENARIOS for place in (AUC, PULP)]
    rows: list[list[Any]] = []
    mixed: list[list[Any]] = []
    for name, values in designs.items():
        for into, found in ((rows, correlation(values)), (mixed, shuffled(values, run.seed))):
            cells = [float(found[i, :, place].mean()) for i in range(3) for place in (AUC, PULP)]
            into.append([name, *cells])
        rows[-1].append(float(values[..., PULP].std()))
    rows += [[f"in four folds: {name}", *known] for name, known in reading.FOUR_FOLDS.items()]
    rows.append(["paper", *paper, PAPER["spread", "all"][PULP]])
    head = [f"{name}, {scenario}" for scenario in SCENARIOS for name in ("AUC", "PULP")]
    return [
        *table(["test sets", *head, "standard deviation of PULP"], rows, digits=3),
        "With the PU values dealt to other learners of the same problem (*shuffled*):",
        "",
        *table(["test sets, shuffled", *head], mixed, digits=3),
    ]


def shares_table(shares: Sequence[float], values: np.ndarray) -> list[str]:
    found = correlation(values)
    rows = [
        [scenario, name, *map(float, found[i, :, place])]
        for i, scenario in enumerate(SCENARIOS)
        for name, place in (("AUC", AUC), ("PULP", PULP))
    ]
    return table(["", "", *(f"share {share:g}" for share in shares)], rows, digits=3)


def choice_table(values: np.ndarray) -> list[str]:
    found = choice(values)[..., : len(MEASURES)].mean(axis=1)  # scenario, problem, measure
    mean, spread = found.mean(axis=1), found.std(axis=1, ddof=1) / np.sqrt(found.shape[1])
    rows = [
        [scenario, *(f"{m:.3f} ± {e:.3f}" for m, e in zip(mean[i], spread[i], strict=True))]
        for i, scenario in enumerate(SCENARIOS)
    ]
    return table(["", *MEASURES], rows)


def choice_by_size(results: Results) -> list[str]:
    rows = []
    for i, name in enumerate(SIZES):
        found = choice(results.one_size(i)[..., [AUC, PULP]]).mean(axis=(1, 2))
        rows.append([name, *map(float, found.ravel())])
    head = [f"{name}, {scenario}" for scenario in SCENARIOS for name in ("AUC", "PULP")]
    return table(["test folds", *head], rows, digits=3)


def corrected_table(shares: Sequence[float], values: np.ndarray) -> list[str]:
    """Deviation from the true AUC, by share, with labels at random."""
    rows = []
    for name, place in (
        ("AUC, unlabeled as negative", AUC),
        ("AUC, corrected with the share", CORRECTED),
    ):
        gap = from_truth(values, place)
        rows.append([name, *map(float, gap), float(gap.mean())])
    return table(["", *(f"share {share:g}" for share in shares), "mean"], rows, digits=3)


# ---------------------------------------------------------------- the page


def page(run: Run, results: Results | None) -> None:
    """All sections of full results; with `--only "Figure 2"` that figure from a few problems."""

    def full(heading: str, *make: Callable[[Results], list[str]]) -> list[str]:
        def made() -> list[str]:
            assert results is not None
            return [f"## {heading}", "", *(line for part in make for line in part(results))]

        return run.section(heading, made)

    def said(text: str) -> Callable[[Results], list[str]]:
        return lambda _: [text, ""]

    head = run.head(
        "Hajizadeh, Li, Dollevoet and Tax (2014), reproduced: PULP",
        lambda: opening(run, means(results.by_problem()), means(results.one_size(0))),
        note="The data sets were files of a folder (`--folder`)." if run.folder else "",
    )
    if not run.only:
        head += reading.introduction(results)
    run.write(
        [
            *head,
            *full(
                "Table 1 and Figure 2: test sets of one size",
                lambda r: table_1(run, r.one_size(0)),
                lambda r: figure_2(run, r.shares, r.one_size(0)),
            ),
            *full(
                "Table 1: test sets of three sizes",
                reading.three_sizes,
                lambda r: table_1(run, r.by_problem()),
            ),
            *run.section(
                "Figure 2: all eight measures",
                lambda: all_eight(run, results or experiment(run, few=True)),
            ),
            *full(
                "Where PULP's lead comes from here: the sizes of the test sets",
                lambda r: sizes_table(run, r),
                lambda r: reading.sizes(run, r),
            ),
            *full(
                "By the share of positives among the unlabeled (three sizes)",
                lambda r: shares_table(r.shares, r.by_problem()),
            ),
            *full(
                "Which measure finds the best learner?",
                said(reading.CHOICE),
                lambda r: choice_table(r.one_size(0)),
                said("AUC and PULP with smaller test folds (and the true AUC of these):"),
                choice_by_size,
            ),
            *full(
                "Correcting instead of ranking",
                said(reading.CORRECTING),
                lambda r: corrected_table(r.shares, r.one_size(0)),
            ),
            *full("What reproduces, and what does not", reading.verdict),
        ]
    )


def main(arguments: Sequence[str] | None = None) -> None:
    run = asked("pulp", SEED, arguments)
    run.makes("Figure 2: all eight measures")
    page(run, None if run.only else experiment(run))


if __name__ == "__main__":
    main()
