"""A statistic along what is assumed: the prior, the label bias, the purity.

It shows how much depends on knowing them (Claesen et al. 2015, Section 6.2, for the prior).

A grid of a hundred priors would take a hundred passes over all labelled scores. On some thousand blocks of
neighbouring rows (`Setting.on_blocks`) the value is off by a little, and how much changes slowly with the
prior: it is computed exactly at five priors, and the difference is interpolated. How far limits and bounds
lie from the value is looked for at seven priors, on blocks. Tables with few labelled scores have no blocks,
and all their values are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from puremetrics.bounds.contingency import LatentChoice
from puremetrics.bounds.largest import largest_prior
from puremetrics.checking.arguments import check_flag
from puremetrics.checking.columns import as_grid
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError, PriorError, UnsupportedError
from puremetrics.results import Columns, Result
from puremetrics.results.picture import Picture
from puremetrics.results.protocol import number
from puremetrics.setting import (
    LabelBias,
    PriorLike,
    PurityLike,
    Setting,
    check_table,
    purity_range,
)
from puremetrics.setting.assumed import resolve
from puremetrics.statistics.catalogue import find
from puremetrics.statistics.statistic import Statistic
from puremetrics.statistics.worlds import reaches_over
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "LabelBiasSensitivity",
    "PriorSensitivity",
    "PuritySensitivity",
    "around_along",
    "in_blocks",
    "label_bias_sensitivity",
    "prior_sensitivity",
    "sensitivity_of",
    "sensitivity_to_bias",
    "sensitivity_to_purity",
    "values_along",
]


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

    _picture = Picture(
        "prior",
        ("value",),
        (("low", "high", "interval"), ("bound low", "bound high", "bounds")),
        y_title="{0.statistic}",
    )

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


@takes_data  # type: ignore[arg-type]  # because of **options
def prior_sensitivity(
    table: ScoreTable,
    *,
    statistic: str | Statistic = "roc_auc",
    priors: Any = None,
    purity: PurityLike = None,
    bounds: bool = True,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    threshold: float | None = None,
    top: float | None = None,
    **options: Any,
) -> PriorSensitivity:
    """Trace a statistic, its confidence interval and its bounds over the prior.

    Parameters
    ----------
    table : ScoreTable
    statistic : str, default "roc_auc"
        Any statistic; metrics of the confusion matrix at ``threshold`` or of the ``top`` rows.
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
    threshold, top, options
        As in `metric`.

    Notes
    -----
    With more than 8,192 labelled scores values are exact at five priors, and limits and bounds are computed
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
    asked = find(statistic, options, threshold=threshold, top=top)
    asked.check(table)
    if not isinstance(label_bias, int | float) or label_bias != 1:
        asked.check_biasable(table)
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
    return sensitivity_of(settings, asked, limit, bounds)


def sensitivity_of(
    settings: list[Setting], statistic: Statistic, limit: float, bounds: bool = False
) -> PriorSensitivity:
    """The statistic of the same rows at several priors."""
    prior = np.array([setting.prior for setting in settings])
    if not in_blocks(settings, statistic):
        found = np.array([_numbers(setting, statistic, bounds) for setting in settings])
        value, low, high, least, most = found.reshape(-1, 5).T
    else:
        value = values_along(settings, statistic)
        low, high, least, most = around_along(
            settings, lambda setting: _reaches_of_ends(_numbers(setting, statistic, bounds)), 2
        )
        low, high = (
            np.clip(end, statistic.low, statistic.high) for end in (value - low, value + high)
        )
    return PriorSensitivity(statistic.name, prior, value, low, high, least, most, limit)


def _numbers(setting: Setting, statistic: Statistic, bounds: bool) -> tuple[float, ...]:
    """The value, both ends of its interval, and both bounds."""
    result = statistic.estimate(setting)
    ends: tuple[float, ...] = (np.nan, np.nan)
    if bounds:
        with suppress(PriorError, UnsupportedError):  # noise, weights, or no rate to bound
            found = statistic.bounds(LatentChoice.of(setting))
            ends = ends if found is None else tuple(found)
    return result.value, result.low, result.high, *ends


def _reaches_of_ends(numbers: tuple[float, ...]) -> tuple[float, ...]:
    """Reaches below and above the value instead of the ends."""
    value, low, high, *bounds = numbers
    return value - low, high - value, *bounds


_EXACT = 5  # priors at which all rows are looked at
_TRIED = 7  # priors at which what lies around a value is looked for


def values_along(settings: Sequence[Setting], statistic: Statistic) -> FloatArray:
    """The values in settings of the same rows that differ in their prior."""
    if not in_blocks(settings, statistic):
        return np.array([statistic.value(setting) for setting in settings])
    found = np.array([statistic.value(setting.on_blocks()) for setting in settings])
    places = _places(settings, _EXACT)
    missed = np.array([statistic.value(settings[place]) - found[place] for place in places])
    values = found + _between(settings, places, missed)
    return np.clip(values, statistic.low, statistic.high)


def around_along(
    settings: Sequence[Setting], around: Callable[[Setting], Sequence[float]], n_limits: int
) -> FloatArray:
    """Numbers that lie around a value on blocks, in rows; one column for each setting.

    The first ``n_limits`` rows are interpolated. Then come pairs of a lower and an upper bound, for which the
    farther one of both neighbours is taken: a bound may be loose, and must not be tight by mistake.
    """
    places = _places(settings, _TRIED)
    found = np.array([around(settings[place].on_blocks()) for place in places]).T
    rows = [_between(settings, places, row) for row in found[:n_limits]]
    for place, row in enumerate(found[n_limits:]):
        rows.append(
            _farther_neighbour(settings, places, row, np.maximum if place % 2 else np.minimum)
        )
    return np.array(rows)


def in_blocks(settings: Sequence[Setting], statistic: Statistic) -> bool:
    """Whether values at so many priors are computed on blocks."""
    many = statistic.in_blocks and len(settings) > _EXACT
    return many and settings[0].on_blocks() is not settings[0]


def _places(settings: Sequence[Setting], count: int) -> Any:
    """So many places, from the smallest prior to the largest."""
    rising = np.argsort([setting.prior for setting in settings], kind="stable")
    return rising[np.linspace(0, rising.size - 1, count).round().astype(np.int64)]


def _farther_neighbour(
    settings: Sequence[Setting], places: Any, values: FloatArray, farther: np.ufunc
) -> FloatArray:
    """The value at the neighbouring place that lies farther out, for each setting."""
    prior = np.array([setting.prior for setting in settings])
    known = prior[places]
    right = np.clip(np.searchsorted(known, prior, side="left"), 0, known.size - 1)
    left = np.where(known[right] == prior, right, np.maximum(right - 1, 0))
    return np.asarray(farther(values[left], values[right]))


def _between(settings: Sequence[Setting], places: Any, values: FloatArray) -> FloatArray:
    prior = np.array([setting.prior for setting in settings])
    return np.asarray(np.interp(prior, prior[places], values))


_MOST, _COUNT = 5.0, 33


@dataclass(frozen=True, eq=False, repr=False)
class LabelBiasSensitivity(Result):
    """A statistic against the label bias.

    Attributes
    ----------
    statistic, title : str
    label_bias : ndarray, shape (k,)
    value : float
        The corrected value, which does not depend on it.
    low, high : ndarray, shape (k,)
        Interval: bias and sampling error.
    bias_low, bias_high : ndarray, shape (k,)
        What the bias alone leaves open.
    threshold, level : float
    """

    statistic: str
    title: str
    label_bias: FloatArray
    value: float
    low: FloatArray
    high: FloatArray
    bias_low: FloatArray
    bias_high: FloatArray
    threshold: float | None
    level: float
    diagnostics: tuple[Diagnostic, ...] = ()

    _picture = Picture(
        "label bias",
        bands=(("bias low", "bias high", "left open by the bias"), ("low", "high", "interval")),
        y_title="{0.title}",
    )

    def frame(self) -> Columns:
        """Return what a plot draws."""
        return {
            "label bias": self.label_bias,
            "low": self.low,
            "high": self.high,
            "bias low": self.bias_low,
            "bias high": self.bias_high,
        }

    def __str__(self) -> str:
        return (
            f"{self.title} {number(self.value)}; {number(self.low[-1])} to {number(self.high[-1])} with a "
            f"label bias up to {self.label_bias[-1]:g}"
        )


@takes_data  # type: ignore[arg-type]  # because of **options
def label_bias_sensitivity(
    table: ScoreTable,
    statistic: str | Statistic = "roc_auc",
    *,
    ratios: Any = None,
    prior: PriorLike,
    purity: PurityLike = None,
    threshold: float | None = None,
    top: float | None = None,
    confidence_level: float = 0.95,
    label_bias_side: str = "either",
    **options: float,
) -> LabelBiasSensitivity:
    """Trace a statistic and its interval over the label bias.

    Parameters
    ----------
    table : ScoreTable
    statistic : str
        Any statistic that depends on the labels, such as "roc_auc" or a metric at ``threshold``.
    ratios : array-like, optional
        Label biases, 1 or more. Default: 33 values from 1 to 5.
    prior, purity, threshold, top, confidence_level, label_bias_side, options
        As in `tipping_point`.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=range(30, 60), unlabeled=range(50), scenario="case_control")
    >>> curve = label_bias_sensitivity(table, prior=0.1, ratios=[1, 2])
    >>> bool(curve.low[1] < curve.low[0])
    True
    """
    asked = find(statistic, options, threshold=threshold, top=top)
    setting = Setting.of(table, prior, purity, confidence_level, label_bias_side=label_bias_side)
    return sensitivity_to_bias(setting, asked, ratios)


def sensitivity_to_bias(
    setting: Setting, statistic: Statistic, ratios: Any = None
) -> LabelBiasSensitivity:
    """A statistic of a setting over the label bias."""
    table = setting.table
    statistic.check_biasable(table)
    statistic.check(table)
    grid = np.geomspace(1.0, _MOST, _COUNT) if ratios is None else as_grid(ratios, "ratios")
    grid = np.sort(grid)
    if not grid.size:
        raise InputError("ratios is empty. Pass label biases to try, or leave it out.")
    plain = statistic.estimate(setting)
    if plain.interval is None:
        raise InputError(f"{plain.title} is undefined at this threshold. Choose another one.")
    biases = [LabelBias.of(float(ratio), setting.bias.side) for ratio in grid]
    ends = np.full((4, grid.size), np.nan)
    for i, found in enumerate(reaches_over(statistic, setting, biases)):
        assert found.interval is not None
        ends[:, i] = *found.interval, *(found.bias_range or (plain.value, plain.value))
    low, high, bias_low, bias_high = ends
    return LabelBiasSensitivity(
        statistic.name,
        plain.title,
        grid,
        plain.value,
        low,
        high,
        bias_low,
        bias_high,
        plain.threshold,
        setting.level,
        plain.diagnostics,
    )


@dataclass(frozen=True, eq=False, repr=False)
class PuritySensitivity(Result):
    """A statistic against the share of labels that are right: estimate and confidence interval."""

    statistic: str
    purity: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    diagnostics: tuple[Diagnostic, ...] = ()

    _picture = Picture("purity", ("value",), (("low", "high"),), y_title="{0.statistic}")

    def frame(self) -> Columns:
        """Return what a plot draws."""
        return {"purity": self.purity, "value": self.value, "low": self.low, "high": self.high}

    def __str__(self) -> str:
        if not self.purity.size:
            return f"{self.statistic} at no purity"
        return (
            f"{self.statistic} from {self.value[0]:.4f} at purity {self.purity[0]:.4g} to "
            f"{self.value[-1]:.4f} at purity {self.purity[-1]:.4g}"
        )


def sensitivity_to_purity(
    setting: Setting, statistic: Statistic, purities: Any = None
) -> PuritySensitivity:
    """A statistic of a setting over the purity of its labels, at the setting's prior."""
    least = float(setting.share) + 0.05 * (1 - float(setting.share))
    grid = (
        np.linspace(max(least, 0.5), 1.0, 11) if purities is None else as_grid(purities, "purities")
    )
    grid = np.sort(grid)
    found = [
        statistic.estimate(
            replace(setting, assumed=resolve(setting.table, setting.prior, float(purity)))
        )
        for purity in grid
    ]
    columns = np.array([[one.value, one.low, one.high] for one in found]).reshape(-1, 3).T
    return PuritySensitivity(statistic.name, grid, *columns)
