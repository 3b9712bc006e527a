"""A statistic against the prior: how much depends on knowing it (Claesen et al. 2015, Section 6.2)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from puremetrics.bounds.areas import precision_area_bounds, roc_area_bounds
from puremetrics.bounds.contingency import LatentChoice
from puremetrics.bounds.curves import pr_bounds_of, roc_bounds_of
from puremetrics.checking.arguments import check_choice, check_flag
from puremetrics.checking.columns import as_grid
from puremetrics.checking.types import FloatArray
from puremetrics.correction.along import around_along, in_blocks, values_along
from puremetrics.correction.areas import area_estimate
from puremetrics.correction.curves import area_of, pr_curve_of, roc_curve_of
from puremetrics.correction.precision import precision_estimate
from puremetrics.exceptions import Diagnostic, PriorError, UnsupportedError
from puremetrics.priors.largest import largest_prior
from puremetrics.results import Columns, Estimate, Interval, Result
from puremetrics.setting import LabelBias, PurityLike, Setting, check_table, purity_range
from puremetrics.setting.assumed import resolve
from puremetrics.tables.score_table import ScoreTable

__all__ = ["STATISTICS", "PriorSensitivity", "prior_sensitivity", "sensitivity_of"]

_ESTIMATES: dict[str, Callable[[Setting], Estimate]] = {
    "roc_auc": area_estimate,
    "average_precision": precision_estimate,
}
_CURVES = {"roc_auc": roc_curve_of, "average_precision": pr_curve_of}
STATISTICS = tuple(_ESTIMATES)


@dataclass(frozen=True, eq=False, repr=False)
class PriorSensitivity(Result):
    """A statistic against the prior: estimate, confidence interval, and bounds (NaN without)."""

    statistic: str
    prior: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    bound_low: FloatArray
    bound_high: FloatArray
    largest_prior: float
    diagnostics: tuple[Diagnostic, ...] = ()

    def frame(self) -> Columns:
        """Return what a plot draws."""
        return {
            "prior": self.prior,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "bound low": self.bound_low,
            "bound high": self.bound_high,
        }

    def __str__(self) -> str:
        if not self.prior.size:
            return f"{self.statistic} at no prior"
        return (
            f"{self.statistic} from {self.value[0]:.4f} at prior {self.prior[0]:.4g} to "
            f"{self.value[-1]:.4f} at prior {self.prior[-1]:.4g}\n"
            f"  the data allow priors up to {self.largest_prior:.4g}"
        )


def prior_sensitivity(
    table: ScoreTable,
    *,
    statistic: str = "roc_auc",
    priors: Any = None,
    purity: PurityLike = None,
    bounds: bool = True,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
) -> PriorSensitivity:
    """Trace a statistic, its confidence interval and its bounds over the prior.

    Parameters
    ----------
    table : ScoreTable
    statistic : {"roc_auc", "average_precision"}
    priors : array-like, optional
        Default: 41 values from the smallest possible prior to the largest the data allow.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; a range widens the intervals.
    bounds : bool, default True
        Also compute the bounds at every prior. They assume clean labels and whole rows: elsewhere, and
        if not asked for, they are NaN.
    confidence_level : float, default 0.95
    label_bias, label_bias_side : float, default 1, and {"either", "high", "low"}
        How many times as likely to be labelled some positives may be as others; see `roc_auc`.

    Notes
    -----
    With more than 8 192 labelled scores values are exact at five priors, and limits and bounds are computed
    at seven, on some thousand blocks of neighbouring rows. In between, limits are interpolated, which is off
    by some hundredths of the width of the interval; of bounds the farther of both neighbours is taken.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=range(30, 60), unlabeled=range(50), scenario="case_control")
    >>> curve = prior_sensitivity(table, priors=[0.1, 0.2])
    >>> bool(curve.value[0] < curve.value[1])
    True
    """
    check_table(table)
    check_choice(statistic, STATISTICS, "statistic")
    check_flag(bounds, "bounds")
    labels = (1.0, 1.0, 1.0) if purity is None else purity_range(purity)
    limit = float(table.design.prior_limits(table.totals, labels[2])[1])
    with suppress(UnsupportedError):  # weights, or nothing hidden
        limit = largest_prior(
            table,
            purity=purity,
            confidence_level=confidence_level,
            label_bias=label_bias,
            label_bias_side=label_bias_side,
        ).prior
    if priors is None:
        low, high = table.design.prior_limits(table.totals, labels[1])
        grid = np.linspace(low, min(limit, high - 1e-6, labels[1] - 1e-6), 41)
    else:
        grid = as_grid(priors, "priors")
    settings = []
    if grid.size:  # what holds for the smallest and the largest prior holds in between
        bias = LabelBias.of(label_bias, label_bias_side)
        setting = Setting.of(table, float(grid.min()), purity, confidence_level).with_bias(bias)
        resolve(table, float(grid.max()), purity)
        settings = [setting.at(float(prior)) for prior in grid]
        if labels[1] < labels[2]:  # which purities are possible depends on the prior
            assumed = [resolve(table, float(prior), purity) for prior in grid]
            settings = [replace(setting, assumed=known) for known in assumed]
    return sensitivity_of(settings, statistic, limit, bounds)


def sensitivity_of(
    settings: list[Setting], statistic: str, limit: float, bounds: bool = False
) -> PriorSensitivity:
    """The statistic of the same rows at several priors."""
    prior = np.array([setting.prior for setting in settings])
    if not in_blocks(settings):
        found = np.array([_numbers(setting, statistic, bounds) for setting in settings])
        value, low, high, least, most = found.reshape(-1, 5).T
    else:
        curve = _CURVES[statistic]
        value = values_along(settings, lambda setting: area_of(curve, setting, "indirect"))
        low, high, least, most = around_along(
            settings, lambda setting: _around(_numbers(setting, statistic, bounds)), 2
        )
        low, high = np.clip(value - low, 0.0, 1.0), np.clip(value + high, 0.0, 1.0)
    return PriorSensitivity(statistic, prior, value, low, high, least, most, limit)


def _numbers(setting: Setting, statistic: str, bounds: bool) -> tuple[float, ...]:
    """The value, both ends of its interval, and both bounds."""
    result = _ESTIMATES[statistic](setting)
    assert result.interval is not None
    ends: tuple[float, ...] = (np.nan, np.nan)
    if bounds:
        with suppress(PriorError, UnsupportedError):  # noise, weights, or no rate to bound
            ends = tuple(_bounds(setting, statistic))
    return result.value, *result.interval, *ends


def _around(numbers: tuple[float, ...]) -> tuple[float, ...]:
    """Reaches below and above the value instead of the ends."""
    value, low, high, *bounds = numbers
    return value - low, high - value, *bounds


def _bounds(setting: Setting, statistic: str) -> Interval:
    choice = LatentChoice.of(setting)
    curves = roc_bounds_of(choice)
    if statistic == "roc_auc":
        return roc_area_bounds(curves)
    return precision_area_bounds(choice, pr_bounds_of(choice, curves))
