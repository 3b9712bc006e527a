"""Brier score and log loss without negatives (Kiryo, Eq. (2) and the non-negative risk after it).

The risk E[ℓ(s, Y)] in the population is prior · E[ℓ(s, 1) | y = 1] + (1 − prior) · E[ℓ(s, 0) | y = 0].
Both conditional means follow from those over the labelled rows and over the comparison sample, which
is the same linear step as for rates (`correction.rates`; Jain, Eqs. (1) and (2)). With clean
case-control data it is Eq. (2): prior · mean_P[ℓ(s, 1) − ℓ(s, 0)] + mean_U[ℓ(s, 0)].

The negatives' part is a difference of two means and can come out negative, which no risk can be.
``nonnegative=True`` (default) then counts it as 0, the correction max(·, 0) of the paper, and diagnostic
PM307 says so; so does it with the positives' part, which can be negative if labels are impure. Beyond the
paper: where the loss is at most 1, as that of the Brier score is, neither part counts as more than its share
of the population. The unbiased value is wanted where many risks are averaged.

Intervals: the risk is a sum of two means of bounded values, whose limits around the unbiased value
`sampling.bounded` gives; losses of labelled rows range over all scores from 0 to 1 (of the log loss, which
is unbounded, over the scores of the table), since a positive may have any of them even if no labelled one
has. They are cut to the range of the risk, and always hold the value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from puremetrics.auditing import Audit, Audited
from puremetrics.auditing.areas import Measured, audited_mean
from puremetrics.auditing.pairs import Paired, Signs, paired_mean
from puremetrics.calibration.bins import merged_remark
from puremetrics.checking.arguments import check_flag, check_number
from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import (
    SIDES,
    BiasedHeads,
    bias_interval,
    free_tilt,
    moved_by,
    tilted_reach,
)
from puremetrics.correction.rates import corrected_rates
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Estimate, Interval
from puremetrics.sampling.bounded import linear_reaches
from puremetrics.sampling.limits import linear_variance
from puremetrics.setting import PriorLike, PurityLike, Setting, TwoSamples
from puremetrics.statistics.catalogue import Ask, estimate_from, find, register
from puremetrics.statistics.statistic import (
    Centre,
    ExpectedSum,
    Influence,
    Limits,
    Spans,
    Statistic,
)
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Loss", "Risk", "brier_loss", "brier_score", "log_loss", "log_loss_of"]

_LEAST_MARGIN = 2.0**-53  # the last float below 1 is 1 less this
_ROUNDING = 1e-9  # how far a part may leave its range without a word


@takes_data
def brier_score(
    table: ScoreTable,
    *,
    prior: PriorLike = None,
    purity: PurityLike = None,
    nonnegative: bool = True,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    audit: Audit | None = None,
    prior_of: str = "population",
    evidence: Any = None,
) -> Estimate:
    """Estimate the mean squared distance of scores from the labels, E[(score − Y)²].

    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives.

    Parameters
    ----------
    table : ScoreTable
        Of probabilities in [0, 1], not cut.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens the interval. Needed unless there is an audit.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; a range widens the interval. Left out, it is that of
        the prior's estimate, if it has one.
    nonnegative : bool, default True
        Count a part, of the negatives or the positives, as 0 where its estimate is negative, and as its
        share of the population where it is larger than that.
    confidence_level : float, default 0.95
    label_bias, label_bias_side : float, default 1, and {"either", "high", "low"}
        How many times as likely to be labelled some positives may be as others; see `roc_auc`.
    audit : Audit, optional
        Rows that were checked (`plan_audit`). The estimate then rests on them, and assumes neither a prior
        nor random labels: leave out ``prior`` and ``label_bias``.
    prior_of : {"population", "rows"}
        Whether the prior is known of the population, or is the share of positives among the very rows at
        hand, because somebody counted. In the latter case its own sampling error is allowed for; so it is
        if every label is known and no prior is given.
    evidence : list, optional
        What else is known of the positives, such as `LabelSources`, `Investigated` or `PublishedPrior`. All
        of it is put together, and prior, audit and label bias count as evidence like any other. Labels are
        then taken as random only if `RandomLabels` is among it.

    Returns
    -------
    Estimate
        Eq. (2) with the squared loss: prior · mean_P[1 − 2·s] + mean_U[s²]. O(distinct scores).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[0.9, 0.7], unlabeled=[0.9, 0.6, 0.2, 0.1], scenario="case_control")
    >>> round(float(brier_score(table, prior=0.5)), 4)
    0.025
    """
    return estimate_from(
        find("brier_score", {"nonnegative": nonnegative}), table, prior, purity, confidence_level,
        label_bias, label_bias_side, audit, prior_of, evidence,
    )  # fmt: skip


@takes_data
def log_loss(
    table: ScoreTable,
    *,
    prior: PriorLike = None,
    purity: PurityLike = None,
    nonnegative: bool = True,
    confidence_level: float = 0.95,
    eps: float = 1e-15,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    audit: Audit | None = None,
    prior_of: str = "population",
    evidence: Any = None,
) -> Estimate:
    """Estimate the mean negative log-likelihood of the labels, −E[Y·log s + (1 − Y)·log(1 − s)].

    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives.

    Parameters
    ----------
    table, prior, purity, nonnegative, confidence_level
        As in `brier_score`.
    label_bias, label_bias_side, audit, prior_of, evidence
        As in `brier_score`.
    eps : float, default 1e-15
        Scores are moved into [eps, 1 − eps], since the loss at 0 and 1 is infinite; diagnostic
        PM308 says how many were. The result depends on ``eps`` if there are any.

    Returns
    -------
    Estimate
        Eq. (2) with the logistic loss: −prior · mean_P[logit s] − mean_U[log(1 − s)], in nats.
        O(distinct scores).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[0.9, 0.7], unlabeled=[0.9, 0.6, 0.2, 0.1], scenario="case_control")
    >>> round(float(log_loss(table, prior=0.5)), 4)
    0.1257
    """
    return estimate_from(
        find("log_loss", {"nonnegative": nonnegative, "eps": eps}), table, prior, purity,
        confidence_level, label_bias, label_bias_side, audit, prior_of, evidence,
    )  # fmt: skip


@dataclass(frozen=True)
class Risk(Statistic):
    """The mean over the population of a loss that depends on a row's score and class.

    ``nonnegative`` holds the parts of the positives and of the negatives to what they can be. Differences and
    means rest on the unbiased risk: a part that is held would not cancel in them.
    """

    name: str
    title: str
    loss: Callable[[ScoreTable], Loss]
    high: float
    nonnegative: bool = True
    smaller_is_better = True
    ranks_only = False
    of_probabilities = True
    linear = True
    differences_unrepaired = True
    interval_method = "bounded_beta"

    @property
    def method(self) -> str:  # type: ignore[override]
        return "nonnegative_risk" if self.nonnegative else "unbiased_risk"

    def for_differences(self) -> Risk:
        return replace(self, nonnegative=False)

    def loss_of(self, world: Setting) -> Loss:
        """The losses of the rows, made once for each table."""
        return self.loss(world.table)

    def parts(self, world: Setting, loss: Loss) -> tuple[float, float]:
        """What the positives and the negatives add."""
        samples = world.rows
        pos_means, cmp_means = _means(samples, loss.if_positive), _means(samples, loss.if_negative)
        on_positives = corrected_rates(*pos_means, world.share, world.purity)[0]
        on_negatives = corrected_rates(*cmp_means, world.share, world.purity)[1]
        return float(world.prior * on_positives), float((1 - world.prior) * on_negatives)

    def _told(self, world: Setting, loss: Loss) -> float:
        found = self.parts(world, loss)
        if not self.nonnegative:
            return sum(found)
        return sum(
            min(max(part, 0.0), most) for part, most in zip(found, _most(world, loss), strict=True)
        )

    def value(self, world: Setting) -> float:
        return self._told(world, self.loss_of(world))

    def plain(self, world: Setting) -> float:
        """The unbiased risk, as a sum over rows."""
        on_pos, on_cmp = self.influence(world)
        samples = world.rows
        return weighted_sum(samples.pos, on_pos) / samples.total_pos + (
            weighted_sum(samples.cmp, on_cmp) / samples.total_cmp
        )

    def influence(self, world: Setting) -> Influence:
        return risk_influence(world, self.loss_of(world))

    def spans(self, world: Setting) -> Spans:
        loss = self.loss_of(world)
        return risk_spans(world, loss, risk_influence(world, loss))

    def centre(self, setting: Setting) -> Centre:
        loss = self.loss_of(setting)
        value = self._told(setting, loss)
        remarks = list(loss.remarks)
        if self.nonnegative:
            remarks += _remarks(self.parts(setting, loss), _most(setting, loss), loss)
        variance = linear_variance(setting.rows, *risk_influence(setting, loss))
        return Centre(value, value, float(np.sqrt(variance.total)), remarks=tuple(remarks))

    def limits_at(self, world: Setting) -> Limits:
        """Those of a sum of two means of bounded values, around the unbiased risk."""
        loss = self.loss_of(world)
        influence = risk_influence(world, loss)
        below, above = linear_reaches(
            world.rows, *influence, world.level, risk_spans(world, loss, influence)
        )
        middle, told = sum(self.parts(world, loss)), self._told(world, loss)
        return min(middle - below, told), max(middle + above, told)

    def cut(self, setting: Setting, raw: float, ends: Limits) -> tuple[Interval, list[Diagnostic]]:
        """A risk that was held to its range says so itself."""
        low, high = (self.inside(end) for end in ends)
        return setting.interval(min(low, raw), max(high, raw), self.told_method(setting)), []

    def bias_range(self, setting: Setting, centre: Centre) -> Interval:
        found = BiasedHeads(setting, whole=True)
        on_pos = risk_influence(setting, self.loss_of(setting))[0]
        told = [centre.value + moved_by(found, on_pos, side) for side in SIDES]
        return bias_interval([self.inside(end) for end in told])

    def bias_limits(self, setting: Setting, centre: Centre, open_: Interval) -> list[float]:
        loss = self.loss_of(setting)
        ends: list[float] = []
        for world in setting.points():
            ends += _biased_limits(world, loss, sum(self.parts(world, loss)))
        return ends

    def audited(self, audited: Audited) -> Measured:
        loss = self.loss(audited.table)
        return audited_mean(audited, loss.if_positive, loss.if_negative)

    def expected_value(
        self, positives: FloatArray, rows: FloatArray, table: ScoreTable, edges: FloatArray
    ) -> ExpectedSum:
        loss, place = self.loss(table), np.searchsorted(edges, table.score, side="right")
        weight = np.asarray(table.n_pos + table.n_unl + table.n_neg, dtype=np.float64)
        held = np.maximum(np.bincount(place, weight, rows.size), 1e-300)
        gain, others = (
            np.bincount(place, weight * column, rows.size) / held
            for column in (loss.if_positive - loss.if_negative, loss.if_negative)
        )
        size = max(float(rows.sum()), 1e-300)
        value = float(positives @ gain + rows @ others) / size
        return ExpectedSum.of(value, gain, others, size, positives, rows)

    def audited_pair(self, paired: Paired, signs: Signs) -> Measured:
        losses = {name: self.loss(paired.joint[name]) for name in signs}
        columns = {name: (loss.if_positive, loss.if_negative) for name, loss in losses.items()}
        return paired_mean(paired, signs, columns, self.high)


def _brier(ask: Ask) -> Risk:
    held = check_flag(ask.take("nonnegative", True), "nonnegative")
    return Risk("brier_score", "Brier score", brier_loss, 1.0, held)


def _log_loss(ask: Ask) -> Risk:
    held = check_flag(ask.take("nonnegative", True), "nonnegative")
    margin = _check_margin(check_number(ask.take("eps", 1e-15), "eps"))
    return Risk("log_loss", "Log loss", partial(log_loss_of, margin=margin), np.inf, held)


register("brier_score", _brier)
register("log_loss", _log_loss)


class Loss(NamedTuple):
    """A loss by row of the table: its value if the row is positive, and if it is negative."""

    name: str
    title: str
    if_positive: FloatArray
    if_negative: FloatArray
    largest: float
    ends: tuple[tuple[float, float], ...] = ()  # both losses at scores that the table may not have
    remarks: tuple[Diagnostic, ...] = ()


def brier_loss(table: ScoreTable) -> Loss:
    """The squared distance of scores from the labels."""
    remarks = merged_remark(table, "brier_score", _spread(table))
    losses = (1 - table.centre) ** 2, table.centre**2
    ends = ((1.0, 0.0), (0.0, 1.0))
    return Loss("brier_score", "Brier score", *losses, 1.0, ends, tuple(remarks))


def log_loss_of(table: ScoreTable, margin: float = 1e-15) -> Loss:
    """The negative log-likelihood of the labels, with scores moved into [margin, 1 − margin]."""
    score = np.clip(table.centre, margin, 1 - margin)
    moved = table.centre != score
    remarks = merged_remark(table, "log_loss")
    if moved.any():
        rows = float(sum(column[moved].sum() for column in (table.n_pos, table.n_unl, table.n_neg)))
        remarks.append(
            Diagnostic(
                "PM308",
                f"{rows:g} rows score below {margin:g} or above 1 − {margin:g}, where the log loss is "
                "almost infinite; they were moved to that limit, and the result depends on it. Recalibrate "
                "the scores, or use brier_score.",
            )
        )
    losses = -np.log(score), -np.log1p(-score)
    return Loss("log_loss", "Log loss", *losses, np.inf, (), tuple(remarks))


def _check_margin(margin: float) -> float:
    """How far scores are kept from 0 and 1."""
    if not 0.0 < margin < 0.5:
        raise InputError(f"eps={margin:g} must lie between 0 and 0.5.")
    if margin < _LEAST_MARGIN:
        raise InputError(
            f"eps={margin:g} is too small: 1 − eps is 1 in floating point, where the log loss is infinite. "
            f"Pass at least {_LEAST_MARGIN:.3g}."
        )
    return margin


def _most(point: Setting, loss: Loss) -> tuple[float, float]:
    """The most that the positives' and the negatives' part can be."""
    if np.isinf(loss.largest):
        return np.inf, np.inf
    return point.prior * loss.largest, (1 - point.prior) * loss.largest


def _remarks(parts: tuple[float, float], most: tuple[float, float], loss: Loss) -> list[Diagnostic]:
    """PM307 for each part that left its range."""
    found = []
    for part, largest, whose in zip(parts, most, ("positives'", "negatives'"), strict=True):
        if 0 <= part <= largest + _ROUNDING:
            continue
        held, why = (
            (0.0, "the prior is too high")
            if part < 0
            else (largest, "the prior or the purity is wrong")
        )
        found.append(
            Diagnostic(
                "PM307",
                f"the {whose} part of {loss.name} came out at {part:.4g} and counts as {held:.4g}; the "
                f"unbiased value is {sum(parts):.4g}. This is sampling error, or {why}.",
            )
        )
    return found


def _biased_limits(point: Setting, loss: Loss, middle: float) -> tuple[float, float]:
    """The lower limit of the low end and the upper limit of the high end."""
    found, (on_pos, on_cmp) = BiasedHeads(point, whole=True), risk_influence(point, loss)
    beyond = []
    for yes, no in loss.ends:
        at = loss._replace(if_positive=np.array([yes]), if_negative=np.array([no]))
        there = risk_influence(point, at)
        beyond.append((float(there[0][0]), float(there[1][0])))
    ends = []
    for sign, side in zip((-1, 1), SIDES, strict=True):
        shares = free_tilt(found, on_pos, side)
        moved = found.weight * weighted_sum(shares - np.diff(found.found), on_pos)
        reach = tilted_reach(found, on_pos, on_cmp, shares, side, tuple(beyond))
        ends.append(middle + moved + sign * reach)
    return ends[0], ends[1]


def _spread(table: ScoreTable) -> float:
    """Largest mean squared deviation of the scores inside merged rows."""
    size = table.n_pos + table.n_unl + table.n_neg
    return weighted_sum(size, (table.highest - table.score) ** 2) / 4 / float(size.sum())


def _means(samples: TwoSamples, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means of a function of the score over G and over F, as arrays that `corrected_rates` takes."""
    over_pos = weighted_sum(samples.pos, values) / samples.total_pos
    over_cmp = weighted_sum(samples.cmp, values) / samples.total_cmp
    return np.asarray(over_pos), np.asarray(over_cmp)


def risk_spans(
    point: Setting, loss: Loss, influence: tuple[FloatArray, FloatArray]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ranges of what a row adds: over the scores of the table, and for few labelled rows over all scores."""
    samples = point.rows
    labelled = samples.total_pos / samples.total_cmp if samples.one_sample else 0.0
    both = influence[0] + labelled * influence[1]
    low, high = float(both.min()), float(both.max())
    for yes, no in loss.ends:
        on_pos, on_cmp = risk_influence(
            point, loss._replace(if_positive=np.array([yes]), if_negative=np.array([no]))
        )
        there = float(on_pos[0] + labelled * on_cmp[0])
        low, high = min(low, there), max(high, there)
    return (low, high), (float(influence[1].min()), float(influence[1].max()))


def risk_influence(point: Setting, loss: Loss) -> tuple[FloatArray, FloatArray]:
    """What a row of G, and of F, adds to the risk, up to the size of its sample."""
    prior, purity, share, span = point.prior, point.purity, point.share, point.gap
    yes, no = loss.if_positive, loss.if_negative
    on_pos = prior * (1 - share) / span * yes - (1 - prior) * share / span * no
    on_cmp = (1 - prior) * purity / span * no - prior * (1 - purity) / span * yes
    return on_pos, on_cmp
