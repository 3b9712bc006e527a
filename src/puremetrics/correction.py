"""Corrected ROC and precision-recall curves, and their areas (Jain, White, Radivojac 2017).

Symbols: the paper's α is ``prior`` (in case-control), β is ``purity``, γ and η the true and false
positive rates; AUC_pu is the area of labelled positives against the comparison sample.

- Eq. (4): AUC = (AUC_pu − (1 − (β − α))/2) / (β − α), ``method="direct"``. It equals the signed area
  under the raw corrected path: the correction is affine, and the path runs from (0, 0) to (1, 1).
- Algorithm 1, ``method="indirect"`` (default): the envelope of that path, see `recovery`.
- ``method="projected"``, not in the paper: the bounded isotonic projection of the path.

In simulation (table in the docs) the indirect area has the smallest error overall and by far above
an AUC of 0.9; the projected one is best below 0.8 with few positives or a large prior, where the
indirect one is biased upwards.

Precision along a repaired curve is prior·γ / (prior·γ + (1 − prior)·η), Eq. (3). Average precision is
its step-wise sum over gains in recall, as in scikit-learn, whose numbers come out on fully labelled
data. Where no row of the comparison sample has been reached (0/0), precision is 1: whatever was
retrieved so far is a labelled positive.

Intervals: AUC_pu is a Mann–Whitney statistic; its variance is DeLong's (shared rows accounted for in
a single training set), its limits are Student's on the logit scale of AUC_pu, and Eq. (4) carries
them over. DeLong's variance misses the tail of the placements when few rows are nearly perfectly
ranked (coverage 0.86 to 0.91 in simulation); a quarter of a row placed at ½ in each sample repairs
that, and one row with noisy labels, whose number of mislabelled rows is itself random.
Average precision uses the linearised variance of its raw sum, on the logit scale. Precision
divides by an estimated share, which biases it upwards where few rows have been reached: the lower
limit starts from the value less that bias, the upper one from the value.

Errata: the caption of Figure 4 gives AUC_pu = 0.80 for (α, β, AUC) = (0.25, 0.75, 0.90); Eq. (4) gives
0.70.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics._validation import BoolArray, FloatArray, check_choice, check_level
from puremetrics.brackets import bracket_of, extreme_orders, mixed_precision, widened
from puremetrics.confusion import (
    Heads,
    bounded_interval,
    corrected_rates,
    few_positives,
    heads_of,
    range_diagnostics,
)
from puremetrics.exceptions import Diagnostic
from puremetrics.formulas import Formula
from puremetrics.intervals import (
    LinearVariance,
    effective_sizes,
    linear_variance,
    logit_limits,
    student_quantile,
    weighted_sum,
)
from puremetrics.recovery import envelope, projection
from puremetrics.results import Curve, Estimate, Interval
from puremetrics.scenario import (
    PriorLike,
    PriorRange,
    comparison_counts,
    comparison_share,
    resolve_prior,
    unlabeled_share,
)
from puremetrics.table import ScoreTable

__all__ = [
    "area_influence",
    "average_precision",
    "pr_curve",
    "precision_influence",
    "roc_auc",
    "roc_curve",
]

_METHODS = ("direct", "indirect", "projected")
_PSEUDO_ROW = {"clean": 0.25, "noisy": 1.0}
_TINY = 1e-100  # its square must not underflow
_AUC = Formula("roc_auc", "ROC AUC", 0.0, 1.0, np.asarray)
_AP = Formula("average_precision", "Average precision", 0.0, 1.0, np.asarray)


def roc_curve(
    table: ScoreTable, *, prior: PriorLike, purity: float = 1.0, method: str = "indirect"
) -> Curve:
    """Recover the ROC curve of positives against negatives.

    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives.

    Parameters
    ----------
    table : ScoreTable
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population; of an interval, its middle is used here.
    purity : float, default 1
        Share of true positives among the labelled.
    method : {"indirect", "direct", "projected"}
        How the raw path is made a curve; "direct" leaves it as it is.

    Returns
    -------
    Curve
        False positive rate against true positive rate from (0, 0) to (1, 1); straight between its
        vertices. Runs of unlabeled rows are straight, so vertices lie at labelled scores only.
        Cost: O(labelled · log rows).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[4, 2, 2], unlabeled=[4, 3, 2, 1, 0, 0], scenario="case_control")
    >>> curve = roc_curve(table, prior=0.25)
    >>> curve.x.round(3)
    array([0.   , 0.111, 0.333, 0.333, 1.   ])
    >>> curve.y.round(3)
    array([0.   , 0.333, 0.333, 1.   , 1.   ])
    """
    known = resolve_prior(table, prior, purity)
    method = check_choice(method, _METHODS, "method")
    ranked = table.cut()
    return _roc_curve(ranked, heads_of(ranked), known, known.value, method)


def pr_curve(
    table: ScoreTable, *, prior: PriorLike, purity: float = 1.0, method: str = "indirect"
) -> Curve:
    """Recover the precision-recall curve in the population.

    Parameters are those of `roc_curve`, from whose repaired rates precision and recall are taken;
    ``method`` is "indirect" or "projected".

    Returns
    -------
    Curve
        Recall against precision, by steps: its `area` is the average precision.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[4, 2, 2], unlabeled=[4, 3, 2, 1, 0, 0], scenario="case_control")
    >>> pr_curve(table, prior=0.25).y.round(3)
    array([0.5 , 0.5 , 0.25, 0.5 , 0.25])
    """
    known = resolve_prior(table, prior, purity)
    method = check_choice(method, _METHODS[1:], "method")
    ranked = table.cut()
    return _pr_curve(ranked, heads_of(ranked), known, known.value, method)


def roc_auc(
    table: ScoreTable,
    *,
    prior: PriorLike,
    purity: float = 1.0,
    method: str = "indirect",
    confidence_level: float = 0.95,
) -> Estimate:
    """Estimate the area under the ROC curve of positives against negatives.

    It is the chance that a random positive scores above a random negative, ties counting half.
    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives.

    Parameters
    ----------
    table : ScoreTable
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens the interval, whose kind is then "combined".
    purity : float, default 1
        Share of true positives among the labelled; must exceed the prior.
    method : {"indirect", "direct", "projected"}
        See the module's docstring.
    confidence_level : float, default 0.95

    Returns
    -------
    Estimate
        Its ``curve`` is the ROC curve whose area is the value. The value of "direct" may leave
        [0, 1]; diagnostic PM101 then says so. The interval is cut to [0, 1].

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[4, 2, 2], unlabeled=[4, 3, 2, 1, 0, 0], scenario="case_control")
    >>> round(float(roc_auc(table, prior=0.25, method="direct")), 3)
    0.759
    """
    level = check_level(confidence_level)
    method = check_choice(method, _METHODS, "method")
    known = resolve_prior(table, prior, purity)
    ranked = table.cut()
    heads = heads_of(ranked)
    curve = _roc_curve(ranked, heads, known, known.value, method)
    area, variance = _uncorrected_area(ranked, heads, known.purity)
    low_pu, high_pu = _area_limits(ranked, area, variance, level)
    gaps = [known.purity - comparison_share(table, end) for end in (known.low, known.high)]
    ends = [_direct_area(end, gap) for end in (low_pu, high_pu) for gap in gaps]
    value = curve.area
    remarks = [*curve.diagnostics, *few_positives(table), *_no_bracket(ranked, method)]
    if variance.total == 0.0:
        remarks.append(_no_variance(_AUC.name))
    bracket = _area_bracket(ranked, known, method, value)
    low, high = widened((min(*ends, value), max(*ends, value)), value, bracket)
    interval, out_of_range = bounded_interval(
        value, low, high, _AUC, level, known, "delong_logit_student"
    )
    gap = known.purity - comparison_share(table, known.value)
    return Estimate(
        name=_AUC.name,
        title=_AUC.title,
        value=value,
        interval=interval,
        standard_error=float(np.sqrt(variance.total)) / gap,
        method=method,
        scenario=table.scenario,
        prior=known.value,
        unlabeled_share=unlabeled_share(table, known.value, known.purity),
        purity=known.purity,
        curve=curve,
        diagnostics=(*known.diagnostics, *remarks, *out_of_range),
        bracket=bracket,
    )


def average_precision(
    table: ScoreTable,
    *,
    prior: PriorLike,
    purity: float = 1.0,
    method: str = "indirect",
    confidence_level: float = 0.95,
) -> Estimate:
    """Estimate the average precision: precision averaged over gains in recall.

    It refers to the population of the scenario, so it depends on the prior itself, not only
    through the correction. Parameters are those of `roc_auc`, with ``method`` "indirect" or
    "projected".

    Returns
    -------
    Estimate
        Its ``curve`` is the precision-recall curve whose area, by steps, is the value.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[4, 2, 2], unlabeled=[4, 3, 2, 1, 0, 0], scenario="case_control")
    >>> round(float(average_precision(table, prior=0.25)), 3)
    0.5
    """
    level = check_level(confidence_level)
    method = check_choice(method, _METHODS[1:], "method")
    known = resolve_prior(table, prior, purity)
    ranked = table.cut()
    heads = heads_of(ranked)
    curve = _pr_curve(ranked, heads, known, known.value, method)
    value = curve.area
    remarks = [*curve.diagnostics, *few_positives(table), *_no_bracket(ranked, method)]
    variance, inflation = _precision_variance(ranked, heads, known.value, known.purity)
    limits = [_precision_limits(value, variance, inflation, level)]
    if variance.total == 0.0:
        limits = [_without_variance(ranked, value, level)]
    if not known.is_point:
        for point in known.points():
            at = _pr_curve(ranked, heads, known, float(point), method).area
            spread, excess = _precision_variance(ranked, heads, float(point), known.purity)
            limits.append(_precision_limits(at, spread, excess, level))
    if variance.total == 0.0:
        remarks.append(_no_variance(_AP.name))
    bracket = _precision_bracket(ranked, known, method, value)
    low, high = min(ends[0] for ends in limits), max(ends[1] for ends in limits)
    low, high = widened((low, high), value, bracket)
    interval, out_of_range = bounded_interval(
        value, low, high, _AP, level, known, "linearised_logit_student"
    )
    return Estimate(
        name=_AP.name,
        title=_AP.title,
        value=value,
        interval=interval,
        standard_error=float(np.sqrt(variance.total)),
        method=method,
        scenario=table.scenario,
        prior=known.value,
        unlabeled_share=unlabeled_share(table, known.value, known.purity),
        purity=known.purity,
        curve=curve,
        diagnostics=(*known.diagnostics, *remarks, *out_of_range),
        bracket=bracket,
    )


# ------------------------------------------------------------------------------------- curves


@dataclass(frozen=True)
class _Path:
    """The repaired path, with the raw rates it came from."""

    fpr: FloatArray
    tpr: FloatArray
    threshold: FloatArray
    raw_fpr: FloatArray
    raw_tpr: FloatArray
    diagnostics: tuple[Diagnostic, ...]


def _path(table: ScoreTable, heads: Heads, prior: float, purity: float, method: str) -> _Path:
    share = comparison_share(table, prior)
    tpr, fpr = corrected_rates(heads.pos, heads.cmp, share, purity)
    remarks = range_diagnostics(tpr, fpr)
    x, y, threshold = fpr, tpr, heads.threshold
    if method != "direct":
        repair = envelope if method == "indirect" else projection
        x, y, threshold = repair(fpr, tpr, heads.threshold)
        x, y, threshold = _join_corners(x, y, threshold)
    return _Path(x, y, threshold, fpr, tpr, tuple(remarks))


def _join_corners(
    x: FloatArray, y: FloatArray, threshold: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Make the curve start at (0, 0) and end at (1, 1)."""
    if x[0] > 0 or y[0] > 0:
        x, y = np.concatenate([[0.0], x]), np.concatenate([[0.0], y])
        threshold = np.concatenate([[np.inf], threshold])
    if x[-1] < 1 or y[-1] < 1:
        x, y = np.concatenate([x, [1.0]]), np.concatenate([y, [1.0]])
        threshold = np.concatenate([threshold, threshold[-1:]])
    return x, y, threshold


def _roc_curve(
    table: ScoreTable, heads: Heads, known: PriorRange, prior: float, method: str
) -> Curve:
    path = _path(table, heads, prior, known.purity, method)
    return Curve(
        name="roc",
        x=path.fpr,
        y=path.tpr,
        threshold=path.threshold,
        x_label="false positive rate",
        y_label="true positive rate",
        method=method,
        prior=prior,
        raw_x=path.raw_fpr,
        raw_y=path.raw_tpr,
        diagnostics=path.diagnostics,
    )


def _pr_curve(
    table: ScoreTable, heads: Heads, known: PriorRange, prior: float, method: str
) -> Curve:
    path = _path(table, heads, prior, known.purity, method)
    precision = _precision(path.fpr, path.tpr, prior)
    precision[0] = precision[min(1, precision.size - 1)]
    with np.errstate(divide="ignore", invalid="ignore"):
        raw = prior * path.raw_tpr / (prior * path.raw_tpr + (1 - prior) * path.raw_fpr)
    return Curve(
        name="precision_recall",
        x=path.tpr,
        y=precision,
        threshold=path.threshold,
        x_label="recall",
        y_label="precision",
        interpolation="step",
        method=method,
        prior=prior,
        raw_x=path.raw_tpr[1:],
        raw_y=raw[1:],
        diagnostics=path.diagnostics,
    )


def _precision(fpr: FloatArray, tpr: FloatArray, prior: float) -> FloatArray:
    """Precision of repaired rates; 1 where nothing but labelled positives has been reached."""
    found = prior * tpr
    reached = found + (1 - prior) * fpr
    return np.divide(found, reached, out=np.ones_like(found), where=reached > 0)


def _area_bracket(
    table: ScoreTable, known: PriorRange, method: str, value: float
) -> Interval | None:
    """Between the areas of the two extreme orders inside buckets; see `brackets`.

    The projection is no pointwise repair, and nothing is certain about it.
    """
    if table.hidden is None or method == "projected":
        return None
    ends = [
        _roc_curve(order, heads_of(order), known, known.value, method).area
        for order in extreme_orders(table)
    ]
    return bracket_of(min(ends), max(ends), value)


def _precision_bracket(
    table: ScoreTable, known: PriorRange, method: str, value: float
) -> Interval | None:
    """Between the sums of the lowest and of the highest precision possible at each gain in recall.

    The curve of the rows themselves lies between those of the two extreme orders, so at each recall its
    precision does, too; but where inside a bucket its steps end is unknown. There the extreme
    precision of the piece counts; so it does where a tied row has been split by the repair.
    """
    if table.hidden is None or method == "projected":
        return None
    ends = []
    for largest, order in enumerate(extreme_orders(table)):
        path = _path(order, heads_of(order), known.value, known.purity, method)
        precision = _precision(path.fpr, path.tpr, known.value)
        if largest:
            precision[0] = precision[min(1, precision.size - 1)]
        else:
            precision[(path.fpr == 0) & (path.tpr == 0)] = 0.0
        ends.append(
            mixed_precision(
                precision, path.tpr, _open_pieces(table, path.threshold), largest=bool(largest)
            )
        )
    return bracket_of(ends[0], ends[1], value)


def _no_bracket(table: ScoreTable, method: str) -> list[Diagnostic]:
    if table.hidden is None or method != "projected":
        return []
    return [
        Diagnostic(
            "PM606",
            "scores were put into buckets, and method='projected' has no bracket that is sure to contain "
            "the exact value. Use method='indirect', or scan with a larger max_labelled.",
        )
    ]


def _open_pieces(table: ScoreTable, threshold: FloatArray) -> BoolArray:
    """Which pieces of a path belong to buckets, or to rows of which the path has several pieces."""
    assert table.hidden is not None
    inside = np.isin(threshold[1:], table.score[table.hidden])
    several = threshold[1:][1:] == threshold[1:][:-1]
    return np.asarray(inside | np.append(several, False) | np.insert(several, 0, False))


# ------------------------------------------------------------------------------------- variance


def area_influence(heads: Heads, gap: float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Influence of each row on the corrected area through G and F: DeLong's placements over β − α."""
    above = (heads.pos[1:] + heads.pos[:-1]) / 2  # share of G above each row, ties half
    below = 1 - (heads.cmp[1:] + heads.cmp[:-1]) / 2  # share of F below each row, ties half
    return below / gap, above / gap


def _uncorrected_area(
    table: ScoreTable, heads: Heads, purity: float
) -> tuple[float, LinearVariance]:
    """AUC_pu and its variance."""
    below, above = area_influence(heads)
    area = weighted_sum(np.diff(heads.cmp), above)
    variance = linear_variance(table, below, above)
    if variance.total == 0.0:
        return area, variance
    weight = _PSEUDO_ROW["clean" if purity == 1.0 else "noisy"]
    extra = [weight * ((0.5 - area) / size) ** 2 for size in effective_sizes(table)]
    return area, variance._replace(total=variance.total + sum(extra))


def _area_limits(
    table: ScoreTable, area: float, variance: LinearVariance, level: float
) -> tuple[float, float]:
    if variance.total > 0 and 0 < area < 1:
        return logit_limits(area, variance, level)
    return _without_variance(table, area, level)


def _without_variance(table: ScoreTable, value: float, level: float) -> tuple[float, float]:
    """Limits where all rows agree: n alike are not yet surprising if a share up to 1 − doubt differs."""
    doubt = ((1 - level) / 2) ** (1 / min(effective_sizes(table)))
    return value * doubt, 1 - (1 - value) * doubt


def _direct_area(area: float, gap: float) -> float:
    """Jain, Eq. (4); ``gap`` is β − α."""
    return (area - (1 - gap) / 2) / gap


def precision_influence(
    table: ScoreTable, heads: Heads, prior: float, purity: float
) -> tuple[FloatArray, FloatArray]:
    """Influence of each row on the raw average precision Σ (γ_i − γ_{i−1})·prior·γ_i / Q_i.

    Q_i = prior·γ_i + (1 − prior)·η_i is the share predicted positive. A row's influence through G (or F)
    is the sum of the derivatives by that head over all thresholds at or below the row.
    """
    share = comparison_share(table, prior)
    tpr, _ = corrected_rates(heads.pos, heads.cmp, share, purity)
    by_pos = corrected_rates(np.array(1.0), np.array(0.0), share, purity)
    by_cmp = corrected_rates(np.array(0.0), np.array(1.0), share, purity)
    found, bottom = _found_and_reached(table, heads, prior, purity)
    gain, precision = np.diff(tpr), np.maximum(found, 0.0) / bottom
    slope_tpr = np.where(found > 0, prior * (bottom - found) / bottom**2, 0.0)
    slope_fpr = -(1 - prior) * np.maximum(found, 0.0) / bottom**2
    on_tpr = precision - np.append(precision[1:], 0.0) + gain * slope_tpr
    on_fpr = gain * slope_fpr
    influence = []
    for tpr_part, fpr_part in (by_pos, by_cmp):
        by_head = tpr_part * on_tpr + fpr_part * on_fpr
        influence.append(np.cumsum(by_head[::-1])[::-1])
    return influence[0], influence[1]


def _found_and_reached(
    table: ScoreTable, heads: Heads, prior: float, purity: float
) -> tuple[FloatArray, FloatArray]:
    """Shares of the population found and predicted positive; precision is held to at most 1."""
    share = comparison_share(table, prior)
    tpr, fpr = corrected_rates(heads.pos[1:], heads.cmp[1:], share, purity)
    found = prior * tpr
    reached = found + (1 - prior) * fpr
    return found, np.maximum(np.maximum(reached, found), _TINY)


def _precision_variance(
    table: ScoreTable, heads: Heads, prior: float, purity: float
) -> tuple[LinearVariance, float]:
    """Variance of the raw average precision, and the factor by which two biases raise it.

    E[1/Q̂] > 1/Q, to second order, and each labelled positive is counted in its own head.
    """
    share = comparison_share(table, prior)
    gain = np.diff(corrected_rates(heads.pos, heads.cmp, share, purity)[0])
    found, bottom = _found_and_reached(table, heads, prior, purity)
    size_pos, size_cmp = effective_sizes(table)
    excess = _head_variance(table) / np.maximum(bottom, 1 / size_cmp) ** 2
    others = np.maximum(size_pos * heads.pos[1:] - 1, 0.0) / max(size_pos - 1, 1.0)
    without = np.maximum(prior * corrected_rates(others, heads.cmp[1:], share, purity)[0], 0.0)
    total = weighted_sum(gain, np.maximum(found, 0.0) / bottom)
    deflated = weighted_sum(gain, without / bottom / (1 + excess))
    inflation = total / deflated if total > 0 and deflated > 0 else 1.0
    influence = precision_influence(table, heads, prior, purity)
    return linear_variance(table, *influence), max(inflation, 1.0)


def _head_variance(table: ScoreTable) -> FloatArray:
    """Variance of the share of F in each head, given the labelled positives."""
    counts, squares = comparison_counts(table)
    if table.scenario == "single_training_set":
        counts, squares = counts - table.n_pos, squares - table.squared_weights()[0]
    total = float(counts.sum())
    head = np.cumsum(counts) / total
    weight = total / float(comparison_counts(table)[0].sum())
    return np.asarray(head * (1 - head) * weight**2 * float(squares.sum()) / total**2)


def _precision_limits(
    value: float, variance: LinearVariance, inflation: float, level: float
) -> tuple[float, float]:
    """Limits of average precision: each end is the tighter one of the logit and the plain scale.

    Near 1 the raw sum varies more than its repaired value, which cannot pass 1, and the logit scale
    would stretch that into a uselessly low limit. Not so the upper end there: the repair biases the
    value downwards, so the farther one is taken.
    """
    ends = [
        (_logit_or_plain(centre, variance, level)[side], _plain(centre, variance, level)[side])
        for side, centre in enumerate((value / inflation, value))
    ]
    return max(ends[0]), (max if value > 0.5 else min)(ends[1])


def _logit_or_plain(value: float, variance: LinearVariance, level: float) -> tuple[float, float]:
    if variance.total > 0 and 0 < value < 1:
        return logit_limits(value, variance, level)
    return _plain(value, variance, level)


def _plain(value: float, variance: LinearVariance, level: float) -> tuple[float, float]:
    reach = student_quantile(variance.degrees, level) * float(np.sqrt(variance.total))
    return value - reach, value + reach


def _no_variance(name: str) -> Diagnostic:
    return Diagnostic(
        "PM107",
        f"the sampling variance of {name} came out as 0, because the rows are perfectly separated "
        "or all tied. The interval is then a conservative guess, not a measurement.",
    )
