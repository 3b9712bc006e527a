"""Bounds on any metric of the contingency table, at one threshold or along all of them.

`bounds_along` bounds several metrics and counts along all thresholds, at the cost of one. `confusion_bounds`
are the contingency tables that bound the truth at every threshold (Claesen, Eqs. (10)–(13)).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from puremetrics.bounds.contingency import (
    MANY,
    Entries,
    HeadCounts,
    LatentChoice,
    corner_tables,
    head_at,
    limits_of_parts,
    whole_heads,
)
from puremetrics.checking.arguments import check_number, renamed
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.numerics.formulas import METRICS, at_own_risk, find_formula
from puremetrics.results import ConfusionBounds, ConfusionCounts, Curve, CurveBounds, Interval
from puremetrics.setting import PriorLike, Setting, check_known_head, check_uncut
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "bounds_along",
    "bounds_at_threshold",
    "confusion_bounds",
    "confusion_bounds_of",
    "metric_bounds",
    "metric_curve_bounds",
]


_TABLES = 100_000  # that a user's own metric is tried on
_POINTS_INSIDE = 65  # values of x, and of m, at which a user's own metric is tried


@renamed(name="statistic", band="rank_limits")
@takes_data  # type: ignore[arg-type]  # because of **options
def metric_bounds(
    table: ScoreTable,
    statistic: str | Callable[..., Any],
    *,
    threshold: float,
    prior: PriorLike,
    rank_limits: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
    prior_of: str = "population",
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    **options: float,
) -> Interval:
    """Bounds on any metric of the contingency table at a threshold.

    Parameters
    ----------
    table, prior, rank_limits, confidence_level, basis, simultaneous, prior_of, label_bias, label_bias_side
        See `confusion_bounds`.
    statistic : str or callable
        A metric of `metric`, or a function of four arrays (tp, fp, fn, tn).
    threshold : float
        Rows with ``score >= threshold`` are predicted positive.
    options
        Of the metric, such as ``beta``.

    Returns
    -------
    Interval
        Smallest and largest value over all tables that are possible: over the numbers of latent positives in
        all, and of those in the head. For a metric of `metric` that is exact; of more than 20,000 numbers
        of latent positives it is an enclosure (see `bounds.contingency`). A user's own metric need not be
        monotone: it is tried on all of these tables, or, if they are more than 100,000, on 65 values of each.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> tuple(metric_bounds(table, "recall", threshold=2, prior=0.25, prior_of="rows"))
    (0.0, 1.0)
    """
    check_uncut(table, "metric_bounds")
    at = check_number(threshold, "threshold")
    setting = Setting.of(table, prior, None, confidence_level, label_bias, label_bias_side)
    choice = LatentChoice.of(setting, rank_limits, basis, simultaneous, prior_of)
    found = []
    for base in choice.bases():
        own = callable(statistic)
        tables = _all_tables(base, at) if own else _possible_tables(base, at, [str(statistic)])
        found.append(_interval(choice, _values(statistic, tables, options, at)))
    return min(found, key=lambda interval: interval.width)


def bounds_at_threshold(
    choice: LatentChoice,
    statistics: Sequence[str],
    threshold: float,
    options: dict[str, float] | None = None,
) -> dict[str, Interval]:
    """`metric_bounds` of several metrics, and of "tp", "fp", "fn" and "tn", at the cost of one.

    Metrics that are undefined for a possible table are left out.
    """
    found: dict[str, Interval] = {}
    for base in choice.bases():
        entries = _possible_tables(base, threshold, statistics)
        counts = dict(zip(("tp", "fp", "fn", "tn"), entries, strict=True))
        for name in statistics:
            values = counts[name] if name in counts else _values(name, entries, options or {}, None)
            if not np.isnan(values).any():
                made = _interval(choice, values)
                found[name] = min(found.get(name, made), made, key=lambda interval: interval.width)
    return found


def _interval(choice: LatentChoice, values: FloatArray) -> Interval:
    ends = float(np.min(values)), float(np.max(values))
    return Interval(*ends, choice.level, "combined", f"bounds_{choice.rank_limits}")


def _possible_tables(
    choice: LatentChoice, threshold: float, statistics: Sequence[str]
) -> tuple[FloatArray, ...]:
    """Entries of the tables at a threshold among which metrics of `metric` have their extremes."""
    table = choice.setting.table
    check_known_head(table, threshold)
    heads = head_at(table, threshold)
    sides = next(corner_tables(choice, heads, statistics=statistics))[1]
    return tuple(np.concatenate(pair).ravel() for pair in zip(*sides, strict=True))


def _all_tables(choice: LatentChoice, threshold: float) -> tuple[FloatArray, ...]:
    """Entries of all possible tables at a threshold; of too many, of some that are evenly spread."""
    table = choice.setting.table
    check_known_head(table, threshold)
    heads = head_at(table, threshold)
    nodes = choice.nodes(1)
    low, high = (x[:, 0] for x in choice.x_at(heads, nodes))
    sizes = high - low + 1
    if sizes.sum() <= _TABLES:  # whole numbers would overflow
        counts = sizes.astype(np.int64)
        latent = np.repeat(nodes, counts)
        x = np.repeat(low - (np.cumsum(counts) - counts), counts) + np.arange(float(latent.size))
    else:
        some = np.unique(np.linspace(0, nodes.size - 1, _POINTS_INSIDE).round()).astype(np.intp)
        inside = np.linspace(low[some], high[some], _POINTS_INSIDE, axis=1).round()
        latent, x = np.repeat(nodes[some], _POINTS_INSIDE), inside.ravel()
    entries = np.broadcast_arrays(*choice.entries(heads, x, latent))
    return tuple(column.ravel() for column in entries)


@renamed(name="statistic", band="rank_limits")
@takes_data  # type: ignore[arg-type]  # because of **options
def metric_curve_bounds(
    table: ScoreTable,
    statistic: str | Callable[..., Any],
    *,
    prior: PriorLike,
    rank_limits: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
    prior_of: str = "population",
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    **options: float,
) -> CurveBounds:
    """Bounds on any metric along all thresholds: `metric_bounds` at every distinct score.

    ``label_bias`` and ``label_bias_side`` say how far labels may be from random; see `confusion_bounds`.
    Where the metric is undefined for a possible table (0/0, at the ends of the ranking) its bounds are NaN.
    If thresholds times numbers of latent positives are more than 200,000, the bounds of a metric of
    `metric` enclose what is possible, by a few per cent of their distance. A user's own metric is tried on
    up to 65 values of latent positives in the head for as many numbers of them in all.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> metric_curve_bounds(table, "recall", prior=0.25, prior_of="rows").upper.y
    array([0. , 0. , 0.5, 1. , 1. , 1. , 1. ])
    """
    setting = Setting.of(table, prior, None, confidence_level, label_bias, label_bias_side)
    choice = LatentChoice.of(setting, rank_limits, basis, simultaneous, prior_of)
    heads = whole_heads(table)
    limits = np.array([_along(base, heads, statistic, options) for base in choice.bases()])
    with np.errstate(invalid="ignore"):
        best = np.argmin(np.nan_to_num(limits[:, 1] - limits[:, 0], nan=np.inf), axis=0)
    low, high = np.take_along_axis(limits, best[None, None], axis=0)[0]
    curves = [
        Curve(f"{side} bound", heads.threshold, y, heads.threshold, "threshold", str(statistic))
        for side, y in (("lower", low), ("upper", high))
    ]
    return CurveBounds(curves[0], curves[1], choice.level, choice.rank_limits, choice.basis)


def _along(
    choice: LatentChoice,
    heads: HeadCounts,
    statistic: str | Callable[..., Any],
    options: dict[str, float],
) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest value at every head."""
    low, high = np.full(heads.unl.size, np.inf), np.full(heads.unl.size, -np.inf)
    own = callable(statistic)
    tried = _inside(choice, heads) if own else _ends(choice, heads, str(statistic))
    for part, entries in tried:
        values = _values(statistic, tuple(np.broadcast_arrays(*entries)), options, None)
        low[part] = np.minimum(low[part], values.min(axis=0))
        high[part] = np.maximum(high[part], values.max(axis=0))
    return low, high


def _ends(
    choice: LatentChoice, heads: HeadCounts, statistic: str
) -> Iterator[tuple[slice, Entries]]:
    """Tables at the limits, for a metric of `metric`."""
    nodes = choice.nodes(heads.unl.size, MANY)
    for part, sides in corner_tables(choice, heads, nodes, statistics=[statistic]):
        for entries in sides:
            yield part, entries


def _inside(choice: LatentChoice, heads: HeadCounts) -> Iterator[tuple[slice, Entries]]:
    """Tables between the limits, for a user's own metric: all of them, if they are few enough."""
    nodes = choice.nodes(heads.unl.size, _TABLES // _POINTS_INSIDE)
    for part, some, (low, high) in limits_of_parts(choice, heads, nodes):
        count = min(int((high - low).max()) + 1, _POINTS_INSIDE)
        for share in np.linspace(0, 1, count):
            x = low + np.round(share * (high - low))
            yield part, choice.entries(some, x, nodes[:, None])


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
        checked = checked if threshold is None else at_own_risk(formula, checked, threshold)
        values = formula(*entries, **checked)
    if threshold is not None and np.isnan(values).any():
        raise InputError(
            f"The metric is undefined at threshold {threshold:g} for some of the possible confusion "
            "matrices. Choose a threshold inside the range of the scores."
        )
    return values


_ENTRIES = ("tp", "fp", "fn", "tn")


def bounds_along(
    choice: LatentChoice, table: ScoreTable, statistics: Sequence[str]
) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Smallest and largest value of each metric (or of "tp", …) at every row of a table.

    Undefined, where the metric is for a possible table. `metric_curve_bounds` looks at more numbers of latent
    positives; where these are not all of them, both enclose what is possible.
    """
    heads = whole_heads(table)
    found = {name: np.stack([np.full(heads.unl.size, np.inf), np.full(heads.unl.size, -np.inf)])
             for name in statistics}  # fmt: skip
    for part, sides in corner_tables(choice, heads, choice.nodes(heads.unl.size)):
        for entries in sides:
            tables = np.broadcast_arrays(*entries)
            for name, limits in found.items():
                values = (
                    tables[_ENTRIES.index(name)] if name in _ENTRIES else METRICS[name](*tables)
                )
                limits[0, part] = np.minimum(limits[0, part], values.min(axis=0))
                limits[1, part] = np.maximum(limits[1, part], values.max(axis=0))
    return {name: (limits[0, 1:], limits[1, 1:]) for name, limits in found.items()}


@renamed(band="rank_limits")
@takes_data
def confusion_bounds(
    table: ScoreTable,
    *,
    prior: PriorLike,
    rank_limits: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
    prior_of: str = "population",
    label_bias: float = 1.0,
    label_bias_side: str = "either",
) -> ConfusionBounds:
    """Contingency tables that bound the truth at every threshold.

    Holds, at each threshold with the given confidence, if the labelled positives are a random sample of
    all positives (for ``basis="negatives"``: the known negatives of all negatives), or as far from one as
    ``label_bias`` says.

    Parameters
    ----------
    table : ScoreTable
        Without sampling weights.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population, or the share of positives among the rows: see ``prior_of``.
    rank_limits : {"exact", "bootstrap", "clopper_pearson", "dkw"}
        How the rank distribution of the latent positives is bounded; see `rank_cdf_band`.
    confidence_level : float, default 0.95
    basis : {"positives", "negatives", "tightest"}
        Whose rank distribution is used. "tightest" takes, for each question, the one of the two that leaves
        less room: of a curve or an area as a whole, of a table or a metric at each threshold. As the choice
        is made after seeing the data, the level is then guaranteed only in so far as both bases hold at
        once.
    simultaneous : bool, default False
        Ask that all thresholds hold at once (rank_limits "exact" or "dkw").
    prior_of : {"population", "rows"}
        Whose prior it is. That of the population leaves the number of positives among the rows to chance, and
        the bounds allow for that; "rows" says that the share among these very rows is known.
    label_bias : float, default 1
        Labels may be biased: any two positives differ in their odds of being labelled (in case-control: their
        chance of being sampled) by at most this factor. 1 says that labels are given at random. It moves
        the limits of ``basis="positives"`` only; known negatives stay a random sample. See
        `bounds.latent_limits`.
    label_bias_side : {"either", "high", "low"}
        "high": higher scores are never labelled less often, so results can only be worse than labels at
        random would make them; "low": never more often.

    Returns
    -------
    ConfusionBounds
        ``lower`` and ``upper`` `ConfusionCounts` (Eqs. (10)–(13)) at every distinct score. The upper
        one has the lowest false positive rate that is possible, the lower one the highest, over all numbers
        of latent positives that are possible.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> bounds = confusion_bounds(table, prior=0.25, prior_of="rows")
    >>> bounds.lower.tp, bounds.upper.tp
    (array([0., 0., 0., 0., 0., 0., 2.]), array([0., 0., 1., 2., 2., 2., 2.]))
    """
    setting = Setting.of(table, prior, None, confidence_level, label_bias, label_bias_side)
    choice = LatentChoice.of(setting, rank_limits, basis, simultaneous, prior_of)
    return confusion_bounds_of(choice, table)


def confusion_bounds_of(choice: LatentChoice, table: ScoreTable) -> ConfusionBounds:
    """The bounds at every row of a table, which may be the cut one.

    ``basis="tightest"`` takes at each row the basis that leaves less room to the false positive rate.
    """
    heads = whole_heads(table)
    found = np.array([_extreme_tables(base, heads) for base in choice.bases()])
    rates = found[:, :, 1] / (found[:, :, 1] + found[:, :, 3])
    best = np.argmin(rates[:, 0] - rates[:, 1], axis=0)
    taken = np.take_along_axis(found, best[None, None, None], axis=0)[0]
    lower, upper = (ConfusionCounts(heads.threshold, *entries) for entries in taken)
    return ConfusionBounds(lower, upper, choice.level, choice.rank_limits, choice.basis)


def _extreme_tables(choice: LatentChoice, heads: HeadCounts) -> FloatArray:
    """The four entries of the possible tables with the highest and with the lowest false positive rate."""
    found = np.empty((2, 4, heads.unl.size))
    for part, sides in corner_tables(choice, heads, choice.nodes(heads.unl.size, MANY)):
        for side, entries in enumerate(sides):
            tp, fp, fn, tn = np.broadcast_arrays(*entries)
            rate = fp / (fp + tn)
            place = (np.argmin if side else np.argmax)(rate, axis=0)[None]
            for row, entry in zip(found[side], (tp, fp, fn, tn), strict=True):
                row[part] = np.take_along_axis(entry, place, axis=0)[0]
    return found
