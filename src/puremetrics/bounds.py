"""Bounds on contingency tables, curves and metrics that hold whichever unlabeled rows are positive.

Claesen, Davis, De Smet, De Moor (2015). Renamed: the paper's β is the share of positives among the
unlabeled. P_L, N_L and U are the labelled positives, known negatives and unlabeled rows; m = |P_U| is
the number of latent positives, share · |U| rounded to the nearest whole number.

At a threshold whose head holds h_U unlabeled rows, a band (see `bands`) says that between θ_low and
θ_high of the m latent positives are in it. Eq. (11) with its corner cases is

    x = clip(θ, m − |tail(U)|, min(h_U, m)),

and Eqs. (4), (5), (12) give the table from x, which every entry is linear in. The upper bound takes
θ_high: more true positives, fewer false ones; the lower bound takes θ_low. What is counted follows the
scenario: all rows in a single training set (the paper's tables), the unlabeled rows in case-control.

Known negatives (Section 4.1) are counted where they are. Appendix C reversed, ``basis="negatives"``:
latent negatives follow the rank distribution of the known ones; y of them in the tail leave
x = h_U − (|U| − m) + y latent positives in the head. ``basis="tightest"`` takes, for the whole table,
the basis whose limits for x are closer on average.

Curves. Along a run of unlabeled rows between labelled ones θ is constant, and x as a function of h_U has
at most two kinks (at h_U = θ and at |tail(U)| = m − θ). With the operating points around them as
vertices a table cut at its labelled scores gives the exact curves. As θ jumps at labelled scores, the
upper path may step back to the left; its upper-left envelope is the bound that holds (the lower path:
lower-right envelope).

A range of the prior: at each threshold the extremes over all numbers of latent positives in it are taken
(if more than nine, over nine of them, with θ one row wider). By Lemma 4 the high end matters for the
upper bound where the ranking is better than random, and the low end where it is worse; as the exact
band depends on m itself, values in between matter, too.

Precision-recall: false positives are linear in true positives between vertices, so precision is a
hyperbola there (Davis and Goadrich 2006), and its area is integrated in closed form. The step-wise sum
Σ (R_i − R_{i−1})·P_i is bounded by itself: the threshold that first reaches recall R lies between those
at which the upper and the lower limit of recall do, so P_i is at most the largest upper limit of
precision between them, and at least R · positives / (rows in the later head).

Errata: Eqs. (15) and (20) lack a factor 1/|U|, see `sensitivity`. A band on the population's rank
distribution is not one for the latent positives, see `bands`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from puremetrics._validation import FloatArray, check_number
from puremetrics.brackets import extreme_orders
from puremetrics.contingency import (
    Heads,
    LatentChoice,
    check_operating_point,
    class_sizes,
    head_at,
    table_entries,
    whole_heads,
)
from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.formulas import find_formula
from puremetrics.intervals import weighted_sum
from puremetrics.recovery import envelope
from puremetrics.results import ConfusionBounds, ConfusionCounts, Curve, CurveBounds, Interval
from puremetrics.scenario import PriorLike, check_table
from puremetrics.table import ScoreTable

__all__ = [
    "average_precision_bounds",
    "bounds_at_threshold",
    "confusion_bounds",
    "metric_bounds",
    "metric_curve_bounds",
    "pr_bounds",
    "roc_auc_bounds",
    "roc_bounds",
]

_POINTS_INSIDE = 65  # values of x, and of the prior, at which a user's own metric is tried


def confusion_bounds(
    table: ScoreTable,
    *,
    prior: PriorLike,
    band: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
) -> ConfusionBounds:
    """Contingency tables that bound the truth at every threshold.

    Holds, at each threshold with the given confidence, if the labelled positives are a random sample of
    all positives (for ``basis="negatives"``: the known negatives of all negatives).

    Parameters
    ----------
    table : ScoreTable
        Without sampling weights.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population.
    band : {"exact", "bootstrap", "clopper_pearson", "dkw"}
        How the rank distribution of the latent positives is bounded; see `rank_cdf_band`.
    confidence_level : float, default 0.95
    basis : {"positives", "negatives", "tightest"}
        Whose rank distribution is used.
    simultaneous : bool, default False
        Ask that all thresholds hold at once (band "exact" or "dkw").

    Returns
    -------
    ConfusionBounds
        ``lower`` and ``upper`` `ConfusionCounts` (Eqs. (10)–(13)) at every distinct score. The upper
        one has the lowest false positive rate that is possible, the lower one the highest.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> bounds = confusion_bounds(table, prior=0.25)
    >>> bounds.lower.tp, bounds.upper.tp
    (array([0., 0., 0., 0., 0., 0., 2.]), array([0., 0., 1., 2., 2., 2., 2.]))
    """
    heads = whole_heads(table)
    choice = LatentChoice.of(table, prior, band, confidence_level, basis, simultaneous)
    size = {latent: class_sizes(table, latent) for latent in choice.latents}
    picked: dict[str, ConfusionCounts] = {}
    for side in ("lower", "upper"):
        best: tuple[FloatArray, ...] | None = None
        for latent in choice.latents:
            entries = table_entries(table, heads, choice.x(heads, latent, side), latent)
            rate = entries[1] / size[latent][1]
            if best is None:
                best = (*entries, rate)
                continue
            better = rate < best[4] if side == "upper" else rate > best[4]
            best = tuple(
                np.where(better, a, b) for a, b in zip((*entries, rate), best, strict=True)
            )
        assert best is not None
        tp, fp, fn, tn, _ = best
        picked[side] = ConfusionCounts(heads.threshold, tp, fp, fn, tn)
    return ConfusionBounds(picked["lower"], picked["upper"], choice.level, band, choice.basis)


def roc_bounds(
    table: ScoreTable,
    *,
    prior: PriorLike,
    band: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
) -> CurveBounds:
    """Curves between which the ROC curve of the rows at hand lies.

    Parameters are those of `confusion_bounds`. Cost: O(labelled · log rows) after the band.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> bounds = roc_bounds(table, prior=0.25)
    >>> bounds.lower.area < bounds.upper.area
    True
    """
    choice = LatentChoice.of(table, prior, band, confidence_level, basis, simultaneous)
    return _roc(table, choice)


def pr_bounds(
    table: ScoreTable,
    *,
    prior: PriorLike,
    band: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
) -> CurveBounds:
    """Curves between which the precision-recall curve of the rows at hand lies.

    Parameters are those of `confusion_bounds`. One curve dominates another in ROC space if and only if
    it does so here, hence these are the ROC bounds carried over.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> pr_bounds(table, prior=0.25).upper.interpolation
    'hyperbolic'
    """
    choice = LatentChoice.of(table, prior, band, confidence_level, basis, simultaneous)
    return _precision_recall(table, choice)


def roc_auc_bounds(
    table: ScoreTable,
    *,
    prior: PriorLike,
    band: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
) -> Interval:
    """Bounds on the area under the ROC curve: the areas of `roc_bounds`, with its parameters.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> bounds = roc_auc_bounds(table, prior=0.25)
    >>> round(bounds.low, 3), bounds.high
    (0.083, 1.0)
    """
    choice = LatentChoice.of(table, prior, band, confidence_level, basis, simultaneous)
    curves = _roc(table, choice)
    return Interval(
        curves.lower.area, curves.upper.area, curves.level, "combined", f"bounds_{band}"
    )


def average_precision_bounds(
    table: ScoreTable,
    *,
    prior: PriorLike,
    band: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
) -> Interval:
    """Bounds on the average precision, with the parameters of `confusion_bounds`.

    They hold for the area under the hyperbolae of `pr_bounds` and for the step-wise sum of
    scikit-learn, which differs from it where scores are tied.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> bounds = average_precision_bounds(table, prior=0.25)
    >>> 0 < bounds.low < bounds.high == 1
    True
    """
    choice = LatentChoice.of(table, prior, band, confidence_level, basis, simultaneous)
    curves = _precision_recall(table, choice)
    worst, best = _orders(table)
    low, high = _step_sums(worst, choice)[0], _step_sums(best, choice)[1]
    low, high = min(low, curves.lower.area), max(high, curves.upper.area)
    return Interval(low, min(high, 1.0), choice.level, "combined", f"bounds_{band}")


def metric_bounds(
    table: ScoreTable,
    name: str | Callable[..., Any],
    *,
    threshold: float,
    prior: PriorLike,
    band: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
    **options: float,
) -> Interval:
    """Bounds on any metric of the contingency table at a threshold.

    Parameters
    ----------
    table, prior, band, confidence_level, basis, simultaneous
        See `confusion_bounds`.
    name : str or callable
        A metric of `metric`, or a function of four arrays (tp, fp, fn, tn).
    threshold : float
        Rows with ``score >= threshold`` are predicted positive.
    options
        Of the metric, such as ``beta``.

    Returns
    -------
    Interval
        Smallest and largest value over all possible numbers of latent positives in the head, the ends
        and up to 65 values in between (a user's own metric need not be monotone), and over the
        range of the prior.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> tuple(metric_bounds(table, "recall", threshold=2, prior=0.25))
    (0.0, 1.0)
    """
    at = check_number(threshold, "threshold")
    check_table(table)
    choice = LatentChoice.of(table, prior, band, confidence_level, basis, simultaneous)
    values = _values(name, _possible_tables(table, at, choice), options, at)
    low, high = float(np.min(values)), float(np.max(values))
    return Interval(low, high, choice.level, "combined", f"bounds_{band}")


def bounds_at_threshold(
    table: ScoreTable,
    names: Sequence[str],
    *,
    threshold: float,
    prior: PriorLike,
    confidence_level: float = 0.95,
) -> dict[str, Interval]:
    """`metric_bounds` of several metrics, and of "tp", "fp", "fn" and "tn", at the cost of one.

    Metrics that are undefined for a possible table are left out.
    """
    choice = LatentChoice.of(table, prior, "exact", confidence_level, "positives", False)
    entries = _possible_tables(table, threshold, choice)
    counts = dict(zip(("tp", "fp", "fn", "tn"), entries, strict=True))
    found = {}
    for name in names:
        values = counts[name] if name in counts else _values(name, entries, {}, None)
        if not np.isnan(values).any():
            ends = float(np.min(values)), float(np.max(values))
            found[name] = Interval(*ends, choice.level, "combined", "bounds_exact")
    return found


def _possible_tables(
    table: ScoreTable, threshold: float, choice: LatentChoice
) -> tuple[FloatArray, ...]:
    """Entries of the possible tables at a threshold, over the range of the prior."""
    if table.is_cut:
        raise InputError("A cut table no longer knows every score. Use the table before cut().")
    check_operating_point(table, threshold)
    heads = head_at(table, threshold)
    parts = []
    latents = np.linspace(choice.latents[0], choice.latents[-1], _POINTS_INSIDE).round()
    for latent in np.unique(latents).astype(int):
        ends = [float(choice.x(heads, int(latent), side)[0]) for side in ("lower", "upper")]
        x = np.unique(np.linspace(ends[0], ends[1], _POINTS_INSIDE).round())
        parts.append(np.broadcast_arrays(*table_entries(table, heads, x, int(latent))))
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def metric_curve_bounds(
    table: ScoreTable,
    name: str | Callable[..., Any],
    *,
    prior: PriorLike,
    band: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
    **options: float,
) -> CurveBounds:
    """Bounds on any metric along all thresholds: `metric_bounds` at every distinct score.

    Where the metric is undefined for a possible table (0/0, at the ends of the ranking) its bounds are
    NaN.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> metric_curve_bounds(table, "recall", prior=0.25).upper.y
    array([0. , 0. , 0.5, 1. , 1. , 1. , 1. ])
    """
    choice = LatentChoice.of(table, prior, band, confidence_level, basis, simultaneous)
    heads = whole_heads(table)
    low, high = np.full(heads.unl.size, np.inf), np.full(heads.unl.size, -np.inf)
    for latent in choice.latents:
        ends = [choice.x(heads, latent, side) for side in ("lower", "upper")]
        for part in np.linspace(0, 1, 1 if isinstance(name, str) else 17):
            x = np.round(ends[0] + part * (ends[1] - ends[0]))
            for tried in (x, ends[1]):
                values = _values(name, table_entries(table, heads, tried, latent), options, None)
                low, high = np.minimum(low, values), np.maximum(high, values)
    curves = [
        Curve(f"{side} bound", heads.threshold, y, heads.threshold, "threshold", str(name))
        for side, y in (("lower", low), ("upper", high))
    ]
    return CurveBounds(curves[0], curves[1], choice.level, choice.method, choice.basis)


def _values(
    name: str | Callable[..., Any],
    entries: tuple[FloatArray, ...],
    options: dict[str, float],
    threshold: float | None,
) -> FloatArray:
    """The metric of possible tables; at a given threshold it must be defined for all of them."""
    if callable(name):
        try:
            values = np.asarray(name(*entries, **options), dtype=np.float64)
            values = np.broadcast_to(values, entries[0].shape)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"The metric must map four arrays (tp, fp, fn, tn) to one of the same length: {error}."
            ) from None
    else:
        formula, checked = find_formula(name, dict(options))
        values = formula(*entries, **checked)
    if threshold is not None and np.isnan(values).any():
        raise InputError(
            f"The metric is undefined at threshold {threshold:g} for some of the possible tables. "
            "Choose a threshold inside the range of the scores."
        )
    return values


# ------------------------------------------------------------------------------------- curves


def _roc(table: ScoreTable, choice: LatentChoice) -> CurveBounds:
    worst, best = _orders(table)
    lower, upper = _roc_side(worst, choice, "lower"), _roc_side(best, choice, "upper")
    return CurveBounds(lower, upper, choice.level, choice.method, choice.basis)


def _orders(table: ScoreTable) -> tuple[ScoreTable, ScoreTable]:
    """The table twice; if it has buckets, in the worst and in the best order inside them."""
    ranked = table.cut()
    if ranked.hidden is None:
        return table, table
    if table.total_neg > 0:
        raise UnsupportedError(
            "Bounds of a table with buckets take the two extreme orders inside them, which known negatives "
            "make more than two. Use scan with a larger max_labelled, or without neg_label."
        )
    return extreme_orders(ranked)


def _precision_recall(table: ScoreTable, choice: LatentChoice) -> CurveBounds:
    roc = _roc(table, choice)
    sides = []
    for curve, latent in ((roc.lower, choice.latents[0]), (roc.upper, choice.latents[-1])):
        positives, negatives = class_sizes(table, latent)
        sides.append(_to_precision_recall(curve, negatives / positives))
    return CurveBounds(sides[0], sides[1], choice.level, choice.method, choice.basis)


def _roc_side(table: ScoreTable, choice: LatentChoice, side: str) -> Curve:
    """One bound: extremes over the prior at each vertex, kinks included, then the envelope."""
    heads = _with_kinks(table, choice, (side,))
    fpr, tpr = _rate_limits(table, choice, heads, side)
    if side == "upper":
        x, y, threshold = envelope(fpr, tpr, heads.threshold)
    else:
        y, x, threshold = envelope(tpr, fpr, heads.threshold)
    return Curve(
        name=f"roc_{side}",
        x=x,
        y=y,
        threshold=threshold,
        x_label="false positive rate",
        y_label="true positive rate",
        method=f"bounds_{choice.method}",
        raw_x=fpr,
        raw_y=tpr,
    )


def _rate_limits(
    table: ScoreTable, choice: LatentChoice, heads: Heads, side: str
) -> tuple[FloatArray, FloatArray]:
    """False and true positive rates of one bound at every vertex, extremes over the prior."""
    rates = []
    for latent in choice.latents:
        tp, fp, fn, tn = table_entries(table, heads, choice.x(heads, latent, side), latent)
        rates.append((fp / (fp + tn), tp / (tp + fn)))
    fpr, tpr = np.array(rates).swapaxes(0, 1)
    if side == "upper":
        return fpr.min(axis=0), tpr.max(axis=0)
    return fpr.max(axis=0), tpr.min(axis=0)


def _step_sums(table: ScoreTable, choice: LatentChoice) -> tuple[float, float]:
    """Bounds on the step-wise average precision; see the module's docstring."""
    heads = _with_kinks(table, choice, ("lower", "upper"))
    least = _rate_limits(table, choice, heads, "lower")[1]
    most = _rate_limits(table, choice, heads, "upper")[1]
    precision = np.zeros(heads.unl.size)
    for latent in choice.latents:
        tp, fp, _, _ = table_entries(table, heads, choice.x(heads, latent, "upper"), latent)
        reached = tp + fp
        share = np.divide(tp, reached, out=np.zeros_like(tp), where=reached > 0)
        precision = np.maximum(precision, share)
    recall = np.unique(np.concatenate([most, least]))[1:]
    first, last = (
        np.minimum(np.searchsorted(limit, recall - 1e-12), limit.size - 1)
        for limit in (most, least)
    )
    best = _range_maximum(precision, first, np.maximum(last, first))
    high = weighted_sum(np.diff(recall, prepend=0.0), best)
    # Lower: where labelled rows are tied, all of them are in the head before recall rises.
    positives = class_sizes(table, choice.latents[0])[0]
    rows = heads.unl.copy()
    if table.scenario == "single_training_set":
        rows += heads.pos + heads.neg
    tied = np.concatenate([[False], (np.diff(heads.pos) > 0) | (np.diff(heads.neg) > 0)])
    before = np.flatnonzero(tied)
    recall = np.insert(least, before, least[before - 1])
    reached = np.insert(rows + 1.0, before, rows[before] + 1.0) / positives
    curve = Curve("", recall, recall, recall, "", "", "hyperbolic", reached=reached)
    return curve.area, high


def _range_maximum(values: FloatArray, first: Any, last: Any) -> FloatArray:
    """Largest of values[first[i] : last[i] + 1] for every i, from maxima over powers of two."""
    levels = [values]
    while 2 ** len(levels) <= values.size:
        half = 2 ** (len(levels) - 1)
        previous = levels[-1]
        levels.append(np.maximum(previous[:-half], previous[half:]))
    level = np.floor(np.log2(last - first + 1)).astype(np.int64)
    result = np.empty(first.size)
    for i, maxima in enumerate(levels):
        rows = np.flatnonzero(level == i)
        result[rows] = np.maximum(maxima[first[rows]], maxima[last[rows] + 1 - 2**i])
    return result


def _with_kinks(table: ScoreTable, choice: LatentChoice, sides: tuple[str, ...]) -> Heads:
    """Vertices of the cut table, and the operating points around each kink of Eq. (11).

    A kink inside a block of tied unlabeled rows is no operating point: the ends of the block are, and
    the curve is straight between them. A table that came cut, or scanned, does not know its ties; it gets
    only the kink that makes the bound wider.
    """
    heads = whole_heads(table.cut())
    start, stop = heads.unl[:-1], heads.unl[1:]
    pure = (np.diff(heads.pos) == 0) & (np.diff(heads.neg) == 0)
    runs, places = [], []
    for latent, side in product(choice.latents, sides):
        concave, convex = choice.kinks(heads, latent, side)
        kinks = [concave, convex]
        if table.is_cut or table.is_scanned:
            kinks = [concave if side == "upper" else convex]
        for kink in kinks:
            run = np.flatnonzero(pure & (kink[:-1] > start) & (kink[:-1] < stop))
            ends = (
                (kink[run],)
                if table.is_cut or table.is_scanned
                else table.unlabeled_steps(kink[run])
            )
            for end in ends:
                inside = (end > start[run]) & (end < stop[run])
                runs.append(run[inside])
                places.append(end[inside])
    run, place = np.concatenate(runs), np.concatenate(places)
    order = np.lexsort((place, run))
    at, place = run[order] + 1, place[order]
    return Heads(
        np.insert(heads.threshold, at, heads.threshold[at]),
        np.insert(heads.pos, at, heads.pos[at]),
        np.insert(heads.unl, at, place),
        np.insert(heads.neg, at, heads.neg[at]),
    )


def _to_precision_recall(roc: Curve, odds: float) -> Curve:
    """Carry a ROC curve over; ``odds`` is the number of negatives a positive."""
    reached = roc.y + odds * roc.x
    some = reached > 0
    precision = np.divide(roc.y, reached, out=np.ones_like(reached), where=some)
    first = int(np.argmax(some))
    precision[:first] = precision[first]
    return Curve(
        name=roc.name.replace("roc", "precision_recall"),
        x=roc.y,
        y=precision,
        threshold=roc.threshold,
        x_label="recall",
        y_label="precision",
        interpolation="hyperbolic",
        method=roc.method,
        reached=reached,
    )
