"""Counts at every threshold, and every metric that is a function of them.

Jain, Theorem 1. With G(t), F(t) the shares of the labelled positives and of the comparison sample
that score at least t, a the share of positives in the comparison sample and b the purity:

    γ = ((1 − a)·G − (1 − b)·F) / (b − a)        true positive rate, Eq. (1)
    η = (b·F − a·G) / (b − a)                    false positive rate, Eq. (2)

γ_pu and η_pu of the paper are G and F in case-control, where a is the prior. Confusion counts
refer to the population of the scenario: TP = prior·n·γ and FP = (1 − prior)·n·η. In case-control
TP/(TP + FP) is then Eq. (3), prior·γ/η_pu, because prior·γ + (1 − prior)·η = η_pu; the paper's other
formula, through the precision of positives against unlabeled, is the same number.

Deviation: rates are kept as they come out, outside [0, 1] if need be, with diagnostic PM101.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from puremetrics._validation import FloatArray, check_level, check_number
from puremetrics.brackets import bracket_of, widened
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.formulas import Formula, find_formula
from puremetrics.intervals import effective_sizes, recovered_limits
from puremetrics.results import ConfusionCounts, Estimate, Interval
from puremetrics.scenario import (
    PriorLike,
    PriorRange,
    check_table,
    comparison_counts,
    comparison_head,
    comparison_share,
    comparison_total,
    population_size,
    resolve_prior,
    unlabeled_share,
)
from puremetrics.table import ScoreTable

__all__ = [
    "Heads",
    "bounded_interval",
    "confusion_at_thresholds",
    "corrected_rates",
    "few_positives",
    "heads_of",
    "metric",
    "metric_of_shares",
    "range_diagnostics",
    "shares_at",
]

FEW_POSITIVES = 30


@dataclass(frozen=True)
class Heads:
    """Shares of G and F at or above each threshold, from none (threshold inf) to all."""

    threshold: FloatArray
    pos: FloatArray
    cmp: FloatArray


def heads_of(table: ScoreTable) -> Heads:
    """Cumulative shares at every row of the table, with the empty head in front."""
    counts, _ = comparison_counts(table)
    shares = []
    for column in (table.n_pos, counts):
        running = np.concatenate([[0], np.cumsum(column)])
        shares.append(running / running[-1])
    threshold = np.concatenate([[np.inf], table.score])
    return Heads(threshold, shares[0], shares[1])


def corrected_rates(
    pos: FloatArray, cmp: FloatArray, share: float, purity: float
) -> tuple[FloatArray, FloatArray]:
    """True and false positive rates from heads G and F (Jain, Eqs. (1) and (2)).

    Written as the uncorrected rate plus a multiple of G − F, which is exact at both ends of the ranking.
    """
    apart = (pos - cmp) / (purity - share)
    return pos + (1 - purity) * apart, cmp - share * apart


def confusion_at_thresholds(
    table: ScoreTable, *, prior: PriorLike, purity: float = 1.0
) -> ConfusionCounts:
    """Estimate the confusion matrix of the population at every threshold.

    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives.

    Parameters
    ----------
    table : ScoreTable
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population; of an interval, its middle is used here.
    purity : float, default 1
        Share of true positives among the labelled.

    Returns
    -------
    ConfusionCounts
        One entry for each distinct score, and a first one where nothing is predicted positive.
        TP = prior·n·γ and FP = (1 − prior)·n·η (Jain, Eqs. (1)–(3)); O(distinct scores).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[4, 2], unlabeled=[3, 2, 1, 0], scenario="case_control")
    >>> counts = confusion_at_thresholds(table, prior=0.25)
    >>> counts.tp
    array([0. , 0.5, 0.5, 1. , 1. , 1. ])
    """
    known = resolve_prior(table, prior, purity)
    heads = heads_of(table)
    share = comparison_share(table, known.value)
    tpr, fpr = corrected_rates(heads.pos, heads.cmp, share, known.purity)
    size = population_size(table)
    positives, negatives = known.value * size, (1 - known.value) * size
    return ConfusionCounts(
        threshold=heads.threshold,
        tp=positives * tpr,
        fp=negatives * fpr,
        fn=positives * (1 - tpr),
        tn=negatives * (1 - fpr),
        diagnostics=(*known.diagnostics, *range_diagnostics(tpr, fpr)),
    )


def metric(
    table: ScoreTable,
    name: str,
    *,
    threshold: float,
    prior: PriorLike,
    purity: float = 1.0,
    confidence_level: float = 0.95,
    **options: float,
) -> Estimate:
    """Estimate any metric of the confusion matrix at one threshold, with its interval.

    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives, and if the threshold was not chosen on these data.

    Parameters
    ----------
    table : ScoreTable
    name : str
        precision, recall, specificity, f1, fbeta (``beta=``), accuracy, balanced_accuracy, mcc,
        informedness, markedness, positive_likelihood_ratio, negative_likelihood_ratio, lift,
        expected_cost (``cost_fp=``, ``cost_fn=``), npv, fpr, fnr, fdr, jaccard, cohen_kappa,
        geometric_mean or predicted_positive_rate.
    threshold : float
        Rows with ``score >= threshold`` are predicted positive.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens the interval.
    purity : float, default 1
        Share of true positives among the labelled.
    confidence_level : float, default 0.95

    Returns
    -------
    Estimate
        The interval carries Agresti–Coull limits of both samples' shares through the metric; it is
        cut to the range that the metric can take. The value itself is never cut.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[4, 3, 2], unlabeled=[3, 2, 1, 0, 0], scenario="case_control")
    >>> round(float(metric(table, "precision", threshold=2, prior=0.2)), 3)
    0.5
    """
    formula, checked = find_formula(name, dict(options))
    level = check_level(confidence_level)
    at = check_number(threshold, "threshold")
    check_table(table)
    if table.is_cut:
        raise InputError(
            "A cut table no longer knows every score. Use the table before cut(); for the bootstrap of "
            "such a metric pass cut=False."
        )
    known = resolve_prior(table, prior, purity)
    around = [_shares(table, heads) for heads in table.heads_around(at)]
    g, f = ((least + most) / 2 for least, most in zip(*around, strict=True))
    values, limits = [], []
    for point in (known.value, *known.points()):
        compute = metric_of_shares(table, formula, checked, point, known.purity)
        values.append(float(compute(np.array(g), np.array(f))))
        if np.isinf(formula.high):
            compute = metric_of_shares(table, formula, checked, point, known.purity, possible=True)
        limits.append(recovered_limits(table, compute, g, f, level))
    value = values[0]
    diagnostics = [*known.diagnostics, *few_positives(table)]
    interval = bracket = None
    if around[0] != around[1]:
        compute = metric_of_shares(table, formula, checked, known.value, known.purity)
        ends = _over_box(compute, around)
        if ends is not None:
            bracket = bracket_of(*ends, value)
        diagnostics.append(_between_cuts(table, at))
    if np.isnan(value):
        diagnostics.append(_undefined(formula, g, f, at))
    else:
        low, high = min(ends[0] for ends in limits), max(ends[1] for ends in limits)
        low, high = widened((low, high), value, bracket)
        interval, remarks = bounded_interval(
            value, low, high, formula, level, known, "agresti_coull_mover"
        )
        diagnostics += remarks
    return Estimate(
        name=formula.name,
        title=formula.title,
        value=value,
        interval=interval,
        standard_error=None,
        method="correction",
        scenario=table.scenario,
        prior=known.value,
        unlabeled_share=unlabeled_share(table, known.value, known.purity),
        purity=known.purity,
        threshold=at,
        diagnostics=tuple(diagnostics),
        bracket=bracket,
    )


def _over_box(
    compute: Callable[[FloatArray, FloatArray], FloatArray], around: list[tuple[float, float]]
) -> tuple[float, float] | None:
    """Smallest and largest value between two heads: at the corners, and on a grid in between."""
    grids = [np.linspace(least, most, 17) for least, most in zip(*around, strict=True)]
    values = compute(*np.meshgrid(*grids))
    known = values[~np.isnan(values)]
    return (float(known.min()), float(known.max())) if known.size else None


def _between_cuts(table: ScoreTable, threshold: float) -> Diagnostic:
    place = int(np.searchsorted(-table.score, -threshold, side="right"))
    return Diagnostic(
        "PM603",
        f"the scan has merged the scores from {table.score[place]:g} to {table.highest[place]:g}, so how "
        f"many of them reach {threshold:g} is known within limits only. Use {table.score[place]:g} as "
        "the threshold, where all is exact.",
    )


def bounded_interval(
    value: float,
    low: float,
    high: float,
    formula: Formula,
    level: float,
    known: PriorRange,
    method: str,
) -> tuple[Interval, list[Diagnostic]]:
    """Cut limits to the range of the quantity, and say when value or limits leave it."""
    remarks = []
    if value < formula.low - 1e-12 or value > formula.high + 1e-12:
        remarks.append(
            Diagnostic(
                "PM101",
                f"{formula.name}={value:.4g} lies outside [{formula.low:g}, {formula.high:g}]: "
                f"with prior={known.value:.4g} and purity={known.purity:.4g} more positives would "
                "have to be among the top scores than there are rows. It is sampling error, or the "
                "prior is too high, or the labels are not a random sample of the positives.",
            )
        )
    cut_low = min(max(low, formula.low), formula.high)
    cut_high = max(min(high, formula.high), formula.low)
    if cut_low >= cut_high and high > low:
        remarks.append(
            Diagnostic(
                "PM102",
                f"the whole interval, {low:.4g} to {high:.4g}, lies outside the range of "
                f"{formula.name}: the data contradict prior={known.value:.4g} with "
                f"purity={known.purity:.4g}. Try a smaller prior or check how labels were given.",
            )
        )
    kind = "confidence" if known.is_point else "combined"
    return Interval(cut_low, cut_high, level, kind, method), remarks  # type: ignore[arg-type]


def range_diagnostics(tpr: FloatArray, fpr: FloatArray) -> list[Diagnostic]:
    """PM101 if corrected rates leave [0, 1] anywhere."""
    remarks = []
    for name, rates in (("true positive rate", tpr), ("false positive rate", fpr)):
        low, high = float(rates.min()), float(rates.max())
        if low < -1e-12 or high > 1 + 1e-12:
            worst = low if -low > high - 1 else high
            remarks.append(
                Diagnostic(
                    "PM101",
                    f"the corrected {name} reaches {worst:.4g}, outside [0, 1]. Small excursions "
                    "are sampling error; large ones say that the prior is too high or that the "
                    "labels are not a random sample of the positives.",
                )
            )
    return remarks


def shares_at(table: ScoreTable, threshold: float) -> tuple[float, float]:
    """Shares of G and F with score >= threshold."""
    return _shares(table, table.heads_at(threshold))


def _shares(table: ScoreTable, heads: tuple[float, float, float]) -> tuple[float, float]:
    g = heads[0] / table.total_pos
    f = comparison_head(table, heads) / comparison_total(table)
    return min(g, 1.0), min(f, 1.0)


def metric_of_shares(
    table: ScoreTable,
    formula: Formula,
    options: dict[str, float],
    prior: float,
    purity: float,
    possible: bool = False,
) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """The metric as a function of the shares G and F at a threshold.

    With ``possible`` rates are moved into [0, 1] first. A ratio of rates has a pole at 0: beyond it the
    sign flips, and limits must run to infinity instead.
    """
    share = comparison_share(table, prior)

    def compute(pos: FloatArray, cmp: FloatArray) -> FloatArray:
        tpr, fpr = corrected_rates(pos, cmp, share, purity)
        if possible:
            tpr, fpr = np.clip(tpr, 0.0, 1.0), np.clip(fpr, 0.0, 1.0)
        return formula(
            prior * tpr, (1 - prior) * fpr, prior * (1 - tpr), (1 - prior) * (1 - fpr), **options
        )

    return compute


def few_positives(table: ScoreTable) -> list[Diagnostic]:
    """PM105 if there are so few labelled positives that intervals are approximate."""
    count = effective_sizes(table)[0]
    if count >= FEW_POSITIVES:
        return []
    return [
        Diagnostic(
            "PM105",
            f"only {count:.4g} labelled positives: intervals are approximate below "
            f"{FEW_POSITIVES}, and more labels would help most.",
        )
    ]


def _undefined(formula: Formula, g: float, f: float, threshold: float) -> Diagnostic:
    if (g, f) in ((0, 0), (1, 1)):
        what = "no row" if g == 0 else "every row"
        why = f"where {what} is predicted positive. Choose a threshold inside the range of the scores."
    else:
        why = "where a corrected rate is negative. Try a smaller prior, or a threshold with more rows."
    return Diagnostic("PM103", f"{formula.name} is undefined at threshold {threshold:g}, {why}")
