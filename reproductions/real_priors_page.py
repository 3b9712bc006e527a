"""The page that `real_priors` writes."""

from __future__ import annotations

from typing import Any

import numpy as np
from reproductions.common import Run, table
from reproductions.real_priors_figure import (
    coverage_by_labels,
    coverage_by_set,
    drawing,
    summary,
)
from reproductions.real_priors_refit import (
    ENOUGH,
    EXPECTED,
    MOST,
    SPLITS,
    Constants,
    Split,
    outcome,
    splits,
)
from reproductions.real_priors_tables import (
    Data,
    bad,
    coverage_table,
    evaluate_table,
    failing,
    held,
    held_without,
    inside,
    methods_table,
    misjudged,
    noise_table,
    pairs_table,
    sets_table,
    several_table,
    shown,
    trust_table,
    turned,
    wanted,
    width_table,
)
from reproductions.real_scores import generator

from puremetrics.priors import lookalikes, trusting

Record = dict[str, Any]

METHODS = {
    "prior": "default", "separable": "default, as if separable", "slope": "slope",
    "best_bin": "best_bin (BBE)", "dedpul": "dedpul", "alphamax": "alphamax",
    "elkan_noto": "elkan_noto, scores scaled to 0 to 1",
}  # fmt: skip
JUDGED = ("roc_auc", "average_precision", "precision", "recall", "f1")
TOGETHER = ("lr_pu", "hgb_pu", "mlp_pu")


def page(run: Run, parts: dict[str, list[Record]], seconds: float) -> list[str]:
    data = Data.of(parts["prior"])
    found = splits(data, generator(run.seed, "splits"))
    lines = run.head(
        "Priors read off real scores",
        lambda: opening(run, data, found),
        f"The measurements took {seconds / 60:.0f} minutes of processor time.",
        timed=False,
    )
    lines += [PROTOCOL, "", *overlap(run, data), *coverage(data), *points(data), *trust(data)]
    lines += ["## What `evaluate` says without a prior", "", EVALUATE, ""]
    lines += evaluate_table(parts["evaluate"], JUDGED)
    lines += ["## Several models", "", SEVERAL.format(count=len(parts["several"])), ""]
    lines += several_table(parts["several"], TOGETHER)
    lines += ["## Scores that say nothing", "", NOISE, "", *noise_table(parts["noise"])]
    lines += ["## Which of two models is better", "", *pairs(parts["pairs"], parts["null"])]
    lines += ["## By data set", "", *sets_table(data)]
    lines += [FAILING.format(failing=failing(data), turned=turned(parts["prior"])), ""]
    return [*lines, *constants(data, found)]


def opening(run: Run, data: Data, found: list[Split]) -> list[str]:
    """What was found, and the plot of it."""
    by_set = coverage_by_set(data)
    worst = min(by_set, key=by_set.__getitem__)
    return [
        FIRST.format(
            held=100 * held(data).mean(), without=100 * held_without(data).mean(), cases=len(data),
            sets=len(by_set), worst=worst, least=100 * by_set[worst],
            left_out=100 * np.mean([split.coverage for split in found]),
        ),
        "",
        *run.figure(
            summary(by_set, coverage_by_labels(data)), "real_priors", "Share of intervals that hold the true prior"
        ),
    ]  # fmt: skip


def overlap(run: Run, data: Data) -> list[str]:
    """Error and coverage against the overlap of the classes."""
    ratio = np.sum(data["separable"] - data["truth"]) / np.sum(1 - data["true_auc"])
    return [
        "## Error follows overlap",
        "",
        *run.figure(drawing(data), "real_priors-overlap", "Error follows overlap; coverage by AUC"),
        OVERLAP.format(ratio=ratio),
        "",
    ]


def coverage(data: Data) -> list[str]:
    rare = data.where(wanted(data, 0.01))
    lines = ["## Coverage of the interval", "", COVERAGE, "", *coverage_table(data)]
    if len(rare):
        lines += ["At a prior of 0.01 alone:", "", *coverage_table(rare)]
    area = inside(data["true_auc"], data["auc_low"], data["auc_high"])
    above = data["truth"] <= data["upper"] + 1e-9
    return [
        *lines, "Mean width of the interval:", "", *width_table(data),
        f"The corrected AUC's interval holds the true one in {shown(area)} of cases. The upper limit that "
        f"needs no assumption about the negatives (`upper_limit`) is above the prior in {shown(above)}.",
        "",
    ]  # fmt: skip


def points(data: Data) -> list[str]:
    return ["## Error of the estimate", "", ERRORS, "", *methods_table(data, METHODS)]


def trust(data: Data) -> list[str]:
    sure = data["trust"] == "identified"
    told = []
    for labels in (30, 100, 1000):
        part = (data["true_auc"] > 0.93) & (data["labels"] == labels)
        if part.any():
            told.append(f"{shown(sure[part])} with {labels} labels")
    return [
        "## Trust", "", TRUST, "", *trust_table(data),
        f"Of all cases {shown(bad(data) & sure, 4)} are called identified and are far off. Of those with an "
        f"AUC above 0.93 the share that is identified is {', '.join(told) or '–'}. Models of a set that are "
        f"far off three times or more, of the times that they are called identified: {misjudged(data)}.",
        "",
    ]  # fmt: skip


def pairs(real: list[Record], null: list[Record]) -> list[str]:
    both = [*real, *null]
    flips = [r for r in both if r["truth"][1] * r["estimate"][1] <= 0]
    sure = sum(r["truth"][0] < 0.05 for r in flips)
    text = PAIRS.format(flips=len(flips), count=len(both), sure=sure)
    return [text, "", *pairs_table(real, null)]


def constants(data: Data, found: list[Split]) -> list[str]:
    text = CONSTANTS.format(
        expected=lookalikes.EXPECTED, most=lookalikes.MOST, clear=trusting.CLEAR, splits=SPLITS,
        range_expected=f"{EXPECTED[0]:g} to {EXPECTED[-1]:g}",
        range_most=f"{MOST[0]:g} to {MOST[-1]:g}", enough=100 * ENOUGH,
        sets=len(dict.fromkeys(data["set"])),
    )  # fmt: skip
    rows = [
        [", ".join(s.left_out), f"{s.chosen.expected:g}", f"{s.chosen.most:g}", f"{s.error:.3f}",
         f"{s.coverage:.3f}", f"{s.error_now:.3f}", f"{s.coverage_now:.3f}"]
        for s in found
    ]  # fmt: skip
    means = [
        np.mean([getattr(s, name) for s in found])
        for name in ("error", "coverage", "error_now", "coverage_now")
    ]
    chosen = np.mean([s.chosen for s in found], axis=0)
    rows.append(["mean", *(f"{x:.2f}" for x in chosen), *(f"{mean:.3f}" for mean in means)])
    head = ["left out", "EXPECTED", "MOST", "error", "coverage"]
    return [
        "## How the constants were chosen", "", text, "",
        *table([*head, "error, package's constants", "coverage, package's constants"], rows),
        ALLOWANCE, "", *allowance_table(data),
    ]  # fmt: skip


def allowance_table(data: Data) -> list[str]:
    """What other values of `MOST` would give."""
    rare = wanted(data, 0.01)
    rows = []
    for most in (0.0, 0.5, 0.8, 1.0, 1.2, 1.5):
        found = outcome(data, Constants(lookalikes.EXPECTED, most))
        lowest = min(
            (found.held[data["set"] == name].mean(), str(name)) for name in np.unique(data["set"])
        )
        worst = f"{lowest[0]:.3f} ({lowest[1]})"
        rows.append(
            [f"{most:g}", shown(found.held), shown(found.held[rare]), worst, shown(found.width)]
        )
    return table(["MOST", "coverage", "at prior 0.01", "of the worst set", "width"], rows)


FIRST = """\
The default's 95% interval for a prior that is read off real scores holds the true prior in {held:.1f}% of {cases}
cases from {sets} data sets, and in {least:.1f}% on the worst of them ({worst}); without its allowance for negatives that
look like positives it would be {without:.1f}%. The allowance was chosen with these sets in view; chosen
without the sets that it is tried on, it gives {left_out:.1f}%."""
OVERLAP = """\
Read off real scores as if no negative looked like a positive, a prior is too high on average by
{ratio:.2f} of the overlap of the classes (1 − AUC); the estimate and its interval allow for that.

Left: each dot is one case, the prior as if no negative looked like a positive less the true prior; lines
are means. Middle and right: intervals with the allowance for such negatives, and dotted without it; cells
of five cases and more."""
PROTOCOL = """\
Scores of rows that the model had not seen, by logistic regression, gradient boosting and a small network
trained on 30% of the positives against everything else (`lr_pu`, `hgb_pu`, `mlp_pu`), and logistic
regression trained on the truth (`lr_sup`). Draws: both scenarios; prior as in the set, 0.01, 0.05, 0.2
and 0.5; 30, 100 and 1,000 labels, given at random; 5, 20 and 50% of the positives labelled; at most
60,000 rows; one draw of every cell that the set can fill. The true prior is that of the draw: of all rows in
a single training set, of the unlabeled rows in case-control. Cases of one draw share rows, and cells of
one set share models, so there is less evidence here than the number of cases says."""
COVERAGE = """\
By the true AUC of the model. "Without the allowance": the interval before anything is allowed for
look-alikes."""
ERRORS = """\
Mean absolute error. All methods on all cases. `best_bin` is BBE of Garg et al. (2021), written from the
paper; `elkan_noto` takes calibrated probabilities of a label for granted, which scores of a model that
was trained elsewhere are not: it is close at 0.01 and far off elsewhere."""
TRUST = """\
An answer is far off if the prior is off by more than 0.1 or the corrected AUC by more than 0.05.
"identified" says that it is unlikely; the other levels warn. "contradicted" includes good models on so
few rows that their ranking cannot be told from chance, such as 30 labels and 60 unlabeled rows, half of
them positive."""
EVALUATE = """\
All cases with 1,000 labels and a random third of the others. Truth: scikit-learn on the true labels of
the same rows, at the same threshold. For recall it is that of all positives of the set: the recall of few
hidden positives varies by itself."""
SEVERAL = """\
`evaluate` on the three models trained on labels, on the same rows: they share one prior, the one with the
lowest upper limit. {count} draws."""
NOISE = """\
What `evaluate` says of scores that were shuffled over the rows, and of scores with the sign changed:
random cells of at most 10,000 rows, random models."""
PAIRS = """\
`compare` on pairs of models of one set, one random pair for each draw, by how far apart their areas are
on the whole set; and on two copies of one model with noise of the same size (half a standard deviation of
normal scores), where every significant difference (p < 0.05, "wrong winner") is a false one. The order of
two areas does not depend on the prior, so its test does not either. The estimate is the lower one of both
models. Coverage: whether the interval holds the difference on the true labels of the same rows. The
winner is the model with the larger corrected area. That area is of an envelope, which can level or
reverse the order of the uncorrected areas: the sign of the difference at the estimate is not that at the
true prior in {flips} of {count} draws, {sure} of them with p < 0.05."""
FAILING = """\
Models of a set with coverage below 0.9: {failing}. Shuttle's linear models rank a group of negatives
above nearly all positives: hardly any of the highest 2% of its rows is positive. PM207 says that the
ranking turns, {turned}. With few labels nothing shows it, the classes seem to part, and the answer may be
called identified."""
CONSTANTS = """\
The constants of the default are `EXPECTED` = {expected:g} and `MOST` = {most:g} (`priors/lookalikes.py`)
and `CLEAR` = {clear:.3g} (`priors/trusting.py`). They were chosen with all {sets} sets in view (`EXPECTED`
so that the estimate is right on average; its error hardly depends on it), on other
draws of the same pools: the draws here are fresh, the sets are not. What a set that nobody looked at
would give is shown by leaving sets out: on random two thirds of the sets `EXPECTED` is chosen again for
the least error ({range_expected}) and `MOST` as the smallest value ({range_most}) that covers
{enough:.0f}% at each number of labels, and both are tried on the other third. {splits} splits. `CLEAR`,
the test for a turning ranking and the form of the allowance were not chosen again."""
ALLOWANCE = """\
Other values of `MOST` on all cases, with `EXPECTED` as it is:"""
