"""Decision curves: what acting on probabilities is worth (Vickers, Elkin 2006).

Somebody who acts on a probability of at least p is as willing to take one true positive as p/(1 − p) false
ones are bad. With w these odds, and shares of the population,

    net benefit = TP − w·FP = π·(1 + w)·γ(p) − w·Q(p),

γ and Q the shares of the positives and of all rows with a probability of at least p. Acting on all rows has
π − w·(1 − π), on none 0. Divided by π it is the standardised net benefit, at most 1. With γ from the
corrected rates it is linear in the heads of G and F, so its limits are those of bounded means
(`sampling.bounded`).

It needs probabilities of the population's prior: those of a classifier that was fitted on labelled against
unlabeled rows are not, until they are recalibrated (`recalibrate`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from puremetrics.calibration.bins import check_probabilities
from puremetrics.checking.arguments import check_number
from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import SIDES, biased_rate
from puremetrics.correction.rates import corrected_rates
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.results import Columns, IntervalKind, Result
from puremetrics.results.picture import Drawing
from puremetrics.results.protocol import number, percent
from puremetrics.sampling.bounded import linear_reaches
from puremetrics.sampling.clustered import allow_for_groups_in_heads
from puremetrics.sampling.uncertain import limits_over
from puremetrics.scenarios import Scenario
from puremetrics.setting import PriorLike, PurityLike, Setting
from puremetrics.tables.framing import takes_data
from puremetrics.tables.merging import merged_between
from puremetrics.tables.score_table import ScoreTable

__all__ = ["DecisionCurve", "decision_of", "net_benefit"]

_MOST = 10_000  # thresholds of one curve


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(Result):
    """Net benefit of acting on probabilities, by the probability from which one acts.

    Attributes
    ----------
    threshold : ndarray, shape (k,)
        Probabilities from which one acts, rising.
    net_benefit, low, high : ndarray, shape (k,)
        By row of the population, with limits at each threshold by itself.
    treat_all : ndarray, shape (k,)
        Net benefit of acting on every row; on none it is 0.
    prior : float
        ``curve.standardised`` divides by it.
    bias_low, bias_high : ndarray or None
        What biased labels leave open, without sampling error.
    """

    threshold: FloatArray
    net_benefit: FloatArray
    low: FloatArray
    high: FloatArray
    treat_all: FloatArray
    level: float
    kind: IntervalKind
    scenario: Scenario
    prior: float
    purity: float
    label_bias: float = 1.0
    bias_low: FloatArray | None = field(default=None, repr=False)
    bias_high: FloatArray | None = field(default=None, repr=False)
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def standardised(self) -> Columns:
        """The net benefits as multiples of the prior: at most 1."""
        if self.prior <= 0:
            return {name: np.full(self.threshold.shape, np.nan) for name in self._columns()}
        return {name: column / self.prior for name, column in self._columns().items()}

    def _columns(self) -> Columns:
        return {
            "net_benefit": self.net_benefit,
            "low": self.low,
            "high": self.high,
            "treat_all": self.treat_all,
        }

    def useful(self) -> FloatArray:
        """Thresholds at which acting on the probabilities is surely better than on all rows or on none."""
        return np.asarray(self.threshold[self.low > np.maximum(self.treat_all, 0.0)])

    def _drawing(self) -> Drawing:
        columns = {name: (self.threshold, column) for name, column in self.frame().items()}
        most = max(float(np.max(self.net_benefit, initial=0.0)), 0.01)
        return Drawing(
            "threshold",
            "net benefit",
            {"net_benefit": columns["net_benefit"]},
            [("", columns["low"], columns["high"])],
            {name: columns[name] for name in ("treat_all", "treat_none")},
            ends=(-most, np.inf),  # far below 0 a rule does harm, and it matters little how much
        )

    def frame(self) -> Columns:
        """Return the curve with its limits and both simple rules."""
        columns: Columns = {"threshold": self.threshold, **self._columns()}
        return columns | {"treat_none": np.zeros(self.threshold.size)}

    def __str__(self) -> str:
        best = self.useful()
        told = "nowhere clearly better than acting on all rows or on none"
        if best.size:
            told = f"clearly better than both simple rules at {best.size} of {self.threshold.size} thresholds"
            told += f", {best[0]:g} to {best[-1]:g}"
        assumed = (
            f"assumes {self.scenario}, prior {number(self.prior)}, purity {number(self.purity)}"
        )
        if self.label_bias > 1:
            assumed += f", label bias up to {number(self.label_bias)}"
        ends = (number(float(self.net_benefit[place])) for place in (0, -1))
        lines = [
            f"Net benefit {' to '.join(ends)} at thresholds {self.threshold[0]:g} to {self.threshold[-1]:g}",
            f"  {told}",
            f"  {assumed}; {percent(self.level)} limits at each threshold separately",
        ]
        return "\n".join(lines + [f"  {remark}" for remark in self.diagnostics])


@takes_data
def net_benefit(
    table: ScoreTable,
    *,
    prior: PriorLike = None,
    purity: PurityLike = None,
    thresholds: Any = None,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
) -> DecisionCurve:
    """Estimate the net benefit of acting on probabilities, over the probability from which one acts.

    Differences of two models on the same rows: ``compare(joint, statistic="net_benefit", threshold=0.1)``.

    Parameters
    ----------
    table : ScoreTable
        Its scores must be probabilities, and rows not cut.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens the limits.
    purity : float or (low, high), default 1
        Share of true positives among the labelled.
    thresholds : array-like, optional
        Probabilities strictly between 0 and 1; 0.01, 0.02 … 0.99 if left out.
    confidence_level : float, default 0.95
    label_bias, label_bias_side : float, default 1, and {"either", "high", "low"}
        How many times as likely to be labelled some positives may be as others; see `roc_auc`.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[0.9, 0.6, 0.3], unlabeled=[0.8, 0.5, 0.2, 0.1], scenario="case_control")
    >>> net_benefit(table, prior=0.25, thresholds=[0.2, 0.5]).net_benefit.round(4)
    array([ 0.125 , -0.1667])
    """
    setting = Setting.of(table, prior, purity, confidence_level, label_bias, label_bias_side)
    check_probabilities(table, "net_benefit")
    return decision_of(setting, _checked(thresholds))


def _checked(thresholds: Any) -> FloatArray:
    if thresholds is None:
        return np.arange(1, 100) / 100
    listed = (
        thresholds if np.iterable(thresholds) and not isinstance(thresholds, str) else [thresholds]
    )
    listed = list(listed)
    if not 0 < len(listed) <= _MOST:
        raise InputError(
            f"thresholds holds {len(listed)} values. Pass between 1 and {_MOST} of them, such as [0.1, 0.2]."
        )
    values = np.unique([check_number(value, "a threshold") for value in listed])
    if values[0] <= 0 or values[-1] >= 1:
        worst = float(values[0] if values[0] <= 0 else values[-1])
        raise InputError(
            f"thresholds={worst:g} must lie strictly between 0 and 1: it is the probability from which one "
            "acts."
        )
    return values


def decision_of(setting: Setting, thresholds: FloatArray) -> DecisionCurve:
    """The decision curve of a setting."""
    setting = allow_for_groups_in_heads(setting)
    small = setting.on(merged_between(setting.table, thresholds))
    inside = (small.ranked.score[None, :] >= thresholds[:, None]).astype(np.float64)
    odds = thresholds / (1 - thresholds)
    corners = small.at_extremes()
    found = [_at_point(point, inside, odds) for point in corners.points()]
    value = found[0][0]
    spreads = ([ends[part] for ends in found] for part in range(3))
    low, high = limits_over(corners.assumed, spreads, setting.level)
    hidden = _unknown(setting, thresholds, odds)
    prior = setting.prior
    ranges: list[FloatArray | None] = [None, None]
    if not setting.bias.is_random:
        ranges = [np.minimum(found[0][3], value), np.maximum(found[0][4], value)]
    priors = [point.prior for point in corners.points()]
    least = np.min([-odds * (1 - p) for p in priors], axis=0)
    return DecisionCurve(
        threshold=thresholds,
        net_benefit=value,
        low=np.minimum(np.maximum(low - hidden, least), value),
        high=np.maximum(np.minimum(high + hidden, max(priors)), value),
        treat_all=prior - odds * (1 - prior),
        level=setting.level,
        kind=setting.kind,
        scenario=setting.scenario,
        prior=prior,
        purity=setting.purity,
        label_bias=setting.bias.most,
        bias_low=ranges[0],
        bias_high=ranges[1],
        diagnostics=(*setting.diagnostics, *setting.samples.few_positives()),
    )


Ends = tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]


def _at_point(point: Setting, inside: FloatArray, odds: FloatArray) -> Ends:
    """Net benefit, its limits, and what biased labels leave of it, at one pair of prior and purity."""
    samples, mixed, prior = point.samples, point.mixed, point.prior
    pos, cmp = (inside @ np.diff(head) for head in (point.heads.pos, point.heads.cmp))
    tpr, _ = corrected_rates(pos, cmp, point.share, point.purity)
    value = prior * (1 + odds) * tpr - odds * (mixed * pos + (1 - mixed) * cmp)
    by_pos, by_cmp = (1 - point.share) / point.gap, (1 - point.purity) / point.gap
    slopes = (
        prior * (1 + odds) * by_pos - odds * mixed,
        -prior * (1 + odds) * by_cmp - odds * (1 - mixed),
    )
    labelled = samples.total_pos / samples.total_cmp if samples.one_sample else 0.0
    reaches = np.empty((2, odds.size))
    for place, row in enumerate(inside):
        own, other = float(slopes[0][place]), float(slopes[1][place])
        both = own + labelled * other
        spans = (min(both, 0.0), max(both, 0.0)), (min(other, 0.0), max(other, 0.0))
        reaches[:, place] = linear_reaches(samples, own * row, other * row, point.level, spans)
    ends = [value - reaches[0], value + reaches[1]]
    if point.bias.is_random:
        return value, ends[0], ends[1], value, value
    totals = point.table.totals
    neg = inside @ point.ranked.n_neg / max(totals[2], 1.0)
    hidden = point.design.unlabeled_head(totals, pos, cmp, neg)
    moved = []
    for side, reach, sign in zip(SIDES, reaches, (-1.0, 1.0), strict=True):
        rate = biased_rate(point, tpr, hidden, side)
        there = value + prior * (1 + odds) * (rate - tpr)
        step = 1e-6
        ahead = biased_rate(point, np.clip(tpr + step, 0, 1), hidden, side)
        grown = np.maximum((ahead - rate) / step, 1.0)
        moved.append(there)
        here = 0 if sign < 0 else 1
        ends[here] = (np.minimum if sign < 0 else np.maximum)(
            ends[here], there + sign * grown * reach
        )
    return value, ends[0], ends[1], moved[0], moved[1]


def _unknown(setting: Setting, thresholds: FloatArray, odds: FloatArray) -> FloatArray:
    """How far the value may be off because a scan has merged scores around a threshold."""
    if not setting.table.is_scanned:
        return np.zeros(thresholds.size)
    off = []
    for at, w in zip(thresholds, odds, strict=True):
        ends = []
        for pos, cmp in setting.rows.shares_around(float(at)):
            heads = np.array([pos]), np.array([cmp])
            tpr = float(corrected_rates(*heads, setting.share, setting.purity)[0][0])
            mixed = setting.mixed * pos + (1 - setting.mixed) * cmp
            ends.append(setting.prior * (1 + w) * tpr - w * mixed)
        off.append(abs(ends[1] - ends[0]))
    return np.array(off)
