"""Bounds on any metric of the contingency table, at one threshold or along all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from puremetrics.bounds.contingency import LatentChoice, head_at, whole_heads
from puremetrics.checking.arguments import check_number
from puremetrics.checking.renaming import renamed
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.numerics.formulas import find_formula
from puremetrics.results import Curve, CurveBounds, Interval
from puremetrics.setting import PriorLike, Setting, check_known_head, check_uncut
from puremetrics.tables.score_table import ScoreTable

__all__ = ["bounds_at_threshold", "metric_bounds", "metric_curve_bounds"]

_POINTS_INSIDE = 65  # values of x, and of the prior, at which a user's own metric is tried


@renamed(name="statistic")
def metric_bounds(
    table: ScoreTable,
    statistic: str | Callable[..., Any],
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
    statistic : str or callable
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
    check_uncut(table, "metric_bounds")
    at = check_number(threshold, "threshold")
    setting = Setting.of(table, prior, confidence_level=confidence_level)
    choice = LatentChoice.of(setting, band, basis, simultaneous)
    values = _values(statistic, _possible_tables(choice, at), options, at)
    low, high = float(np.min(values)), float(np.max(values))
    return Interval(low, high, choice.level, "combined", f"bounds_{band}")


def bounds_at_threshold(
    choice: LatentChoice, statistics: Sequence[str], threshold: float
) -> dict[str, Interval]:
    """`metric_bounds` of several metrics, and of "tp", "fp", "fn" and "tn", at the cost of one.

    Metrics that are undefined for a possible table are left out.
    """
    entries = _possible_tables(choice, threshold)
    counts = dict(zip(("tp", "fp", "fn", "tn"), entries, strict=True))
    found = {}
    for name in statistics:
        values = counts[name] if name in counts else _values(name, entries, {}, None)
        if not np.isnan(values).any():
            ends = float(np.min(values)), float(np.max(values))
            found[name] = Interval(*ends, choice.level, "combined", f"bounds_{choice.band}")
    return found


def _possible_tables(choice: LatentChoice, threshold: float) -> tuple[FloatArray, ...]:
    """Entries of the possible tables at a threshold, over the range of the prior."""
    table = choice.setting.table
    check_known_head(table, threshold)
    heads = head_at(table, threshold)
    latents = np.linspace(choice.latents[0], choice.latents[-1], _POINTS_INSIDE)
    latents = np.unique(latents.round())
    low, high = choice.x_range(heads, latents)
    inside = np.linspace(low, high, _POINTS_INSIDE, axis=1).round()
    entries = np.broadcast_arrays(*choice.entries(heads, inside, latents[:, None]))
    return tuple(column.ravel() for column in entries)


@renamed(name="statistic")
def metric_curve_bounds(
    table: ScoreTable,
    statistic: str | Callable[..., Any],
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
    setting = Setting.of(table, prior, confidence_level=confidence_level)
    choice = LatentChoice.of(setting, band, basis, simultaneous)
    heads = whole_heads(table)
    low, high = np.full(heads.unl.size, np.inf), np.full(heads.unl.size, -np.inf)
    for latent in choice.latents:
        ends = [choice.x(heads, latent, side) for side in ("lower", "upper")]
        for part in np.linspace(0, 1, 1 if isinstance(statistic, str) else 17):
            x = np.round(ends[0] + part * (ends[1] - ends[0]))
            for tried in (x, ends[1]):
                values = _values(statistic, choice.entries(heads, tried, latent), options, None)
                low, high = np.minimum(low, values), np.maximum(high, values)
    curves = [
        Curve(f"{side} bound", heads.threshold, y, heads.threshold, "threshold", str(statistic))
        for side, y in (("lower", low), ("upper", high))
    ]
    return CurveBounds(curves[0], curves[1], choice.level, choice.band, choice.basis)


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
