"""Discoveries: of the first k unlabeled rows, how many are positive? The statistic, and its curve over k.

This number differs from precision at k, whose list counts labelled rows too. Given how many rows are
labelled, labelled and unlabeled rows are two samples in either scenario: the labelled ones show where
positives are, a share α of the U unlabeled ones is positive. With γ(t) the share of the positives that score
at least t, the k-th score, one expects

    K(k) = U·α·γ(t)

positives. Raw, K may exceed k, or rise by more than one a row: it is made possible by the bounded isotonic
projection of both rates, which does not favour either side (`numerics.monotone`). `DiscoveryCurve` is the
record of the curve, and says what can be read off it.

**The interval is about the rows at hand**: it should hold the number that checking them will find. Three
errors add up, squared: that of γ at t, with limits that allow for what a few labels have missed
(`sampling.bounded`); that hidden positives fall above t by chance, K ~ Binomial(U, α·γ(t)), with the skew and
the half step of whole numbers; and in a single training set that of α itself, which depends on how many
positives got a label. No ratio of densities is needed: at the k-th score the binomial error of K already
holds that the k rows were drawn. An uncertain prior widens the interval as it does everywhere.

With ``band="simultaneous"`` the limits hold the numbers of all k at once. They are those of a higher level:
the normal quantile is replaced by that of the largest error along the curve (`sampling.limits`), in which the
errors of γ and of chance are bridges, and that of α is one number.

Biased labels move γ at each t by itself, up to Γ and to what has room among the unlabeled rows.

`Discoveries` is the curve at one k as a statistic. Its own interval is about the rows at hand, as above. Its
standard error, and what `compare` says of two models, is about the numbers to expect: which of the first k
rows happen to be positive is no merit of a model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from puremetrics.auditing import Audited, hidden_positives
from puremetrics.auditing.areas import Measured
from puremetrics.checking.arguments import check_choice, check_number
from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import SIDES, bias_interval, biased_rate
from puremetrics.correction.curve_bands import BAND_KINDS
from puremetrics.correction.rates import corrected_rates
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.discounts import Even
from puremetrics.numerics.monotone import projection
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.results import Columns, Estimate, Interval, IntervalKind, Named, Result
from puremetrics.results.picture import Picture
from puremetrics.results.protocol import number, percent
from puremetrics.sampling.bounded import linear_reaches
from puremetrics.sampling.clustered import allow_for_groups_in_heads
from puremetrics.sampling.limits import Mixture, bounded_interval, contributions, linear_variance
from puremetrics.sampling.list_ranks import Ranks, Top, check_top
from puremetrics.sampling.uncertain import limits_over
from puremetrics.scenarios import Scenario
from puremetrics.setting import (
    LabelBias,
    PriorLike,
    PurityLike,
    Setting,
    TwoSamples,
    check_one_weight,
    check_unlabeled,
)
from puremetrics.statistics.catalogue import Ask, register
from puremetrics.statistics.list_sums import Listed
from puremetrics.statistics.statistic import Centre, Influence, Limits, Statistic
from puremetrics.statistics.top_of_list import Range, threshold_of_top
from puremetrics.tables.framing import takes_data
from puremetrics.tables.joint import JointTable, places_among
from puremetrics.tables.merging import merged_blocks
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Discoveries", "DiscoveryCurve", "discovery_curve", "discovery_of", "listed"]

_TITLE = "Positives to be found"


@dataclass(frozen=True, eq=False, repr=False)
class DiscoveryCurve(Result):
    """How many positives are among the first unlabeled rows.

    Attributes
    ----------
    rows : ndarray, shape (k,)
        Numbers of unlabeled rows, from the top of the list: 0 up to all.
    finds : ndarray, shape (k,)
        Positives to be found among them; straight between the points.
    low, high : ndarray, shape (k,)
        Limits that hold the number which checking these rows will find.
    band : {"pointwise", "simultaneous"}
        Whether they hold at each number of rows by itself, or at all of them at once.
    level, kind : float and str
        Their confidence level, and whether they hold uncertain assumptions too.
    unlabeled, positives : float
        Number of unlabeled rows, and of the positives expected among all of them.
    bias_low, bias_high : ndarray or None
        What biased labels leave open, without sampling error.
    """

    rows: FloatArray
    finds: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    kind: IntervalKind
    scenario: Scenario
    prior: float
    purity: float
    unlabeled: float
    positives: float
    label_bias: float = 1.0
    bias_low: FloatArray | None = field(default=None, repr=False)
    bias_high: FloatArray | None = field(default=None, repr=False)
    diagnostics: tuple[Diagnostic, ...] = ()
    band: str = "pointwise"

    def at(self, rows: float) -> Estimate:
        """The number of positives to be found among the first so many unlabeled rows, with its interval."""
        count = check_number(rows, "rows")
        if not 0 < count <= self.unlabeled:
            raise InputError(
                f"rows={count:g} is not possible: the list has {self.unlabeled:g} unlabeled rows. Pass a "
                "number from 1 up to that."
            )
        value, low, high = (
            float(np.interp(count, self.rows, column))
            for column in (self.finds, self.low, self.high)
        )
        return self._estimate("discoveries", _TITLE, value, low, high, count)

    def rows_to_find(self, finds: float) -> Estimate:
        """How many unlabeled rows to check, from the top, for so many positives.

        The interval runs from where that many are just possible to where they are sure at the level of the
        curve; its end is infinite if even all rows may hold fewer.
        """
        wanted = check_number(finds, "finds")
        if wanted <= 0:
            raise InputError(
                f"finds={wanted:g} must be above 0: a number of positives to be found."
            )
        value, low, high = (
            _first_reached(self.rows, column, wanted)
            for column in (self.finds, self.high, self.low)
        )
        title = f"Rows to check for {wanted:g} finds"
        return self._estimate("rows_to_find", title, value, low, high, None)

    def _estimate(
        self, name: str, title: str, value: float, low: float, high: float, top: float | None
    ) -> Estimate:
        return Estimate.of(
            Named(name, title),
            value,
            Interval(min(low, value), max(high, value), self.level, self.kind, "discovery"),
            {
                "scenario": self.scenario,
                "prior": self.prior,
                "unlabeled_share": self.positives / self.unlabeled,
                "purity": self.purity,
                "label_bias": self.label_bias,
            },
            method="discovery",
            diagnostics=self.diagnostics,
            top=top,
        )

    def words(self, rows: float) -> str:
        """What checking so many rows would find, as a sentence."""
        found = self.at(rows)
        assert found.interval is not None
        low, high = np.ceil(found.interval.low - 1e-9) + 0.0, np.floor(found.interval.high + 1e-9)
        return (
            f"Checking the {rows:g} best unlabeled rows would find {found.value:.0f} positives "
            f"({min(low, found.value):.0f} to {max(high, found.value):.0f})."
        )

    @property
    def held(self) -> str:
        """Where the limits hold, in words."""
        if self.band == "simultaneous":
            return "for all numbers of rows at once"
        return "at each number of rows separately"

    _picture = Picture(
        "rows",
        ("finds",),
        (("low", "high"),),
        x_title="unlabeled rows checked",
        y_title="positives found",
    )

    def frame(self) -> Columns:
        """Return the points of the curve with its limits."""
        return {"rows": self.rows, "finds": self.finds, "low": self.low, "high": self.high}

    def __str__(self) -> str:
        told = [count for count in (10, 100, 1000, 10_000) if count <= self.unlabeled][:3]
        lines = [
            f"Discoveries among {self.unlabeled:g} unlabeled rows, {self.positives:.4g} of them positive"
        ]
        lines += [f"  {self.words(count)}" for count in told]
        assumed = (
            f"assumes {self.scenario}, prior {number(self.prior)}, purity {number(self.purity)}"
        )
        if self.label_bias > 1:
            assumed += f", label bias up to {number(self.label_bias)}"
        lines.append(f"  {assumed}; {percent(self.level)} limits {self.held}")
        return "\n".join(lines + [f"  {remark}" for remark in self.diagnostics])


def _first_reached(rows: FloatArray, column: FloatArray, wanted: float) -> float:
    """The first number of rows at which a column reaches a number; infinite if it never does."""
    above = np.flatnonzero(column >= wanted - 1e-9)
    if not above.size:
        return float("inf")
    place = int(above[0])
    if place == 0:
        return float(rows[0])
    start, end = column[place - 1], column[place]
    part = (wanted - start) / (end - start) if end > start else 1.0
    return float(rows[place - 1] + min(max(part, 0.0), 1.0) * (rows[place] - rows[place - 1]))


_SINGLE = 40  # first rows that are all points of the curve
_GROWTH = 1.12  # of the steps beyond
_EVEN = 50  # points at even steps
_LEAST = 1e-12  # share of positives
_SOME = 0.5  # finds, from which on a point counts for the level of all of them


@takes_data
def discovery_curve(
    table: ScoreTable,
    *,
    prior: PriorLike = None,
    purity: PurityLike = None,
    rows: Any = None,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    band: str = "pointwise",
) -> DiscoveryCurve:
    """Estimate how many positives are among the first unlabeled rows, for every number of them.

    Parameters
    ----------
    table : ScoreTable
        With unlabeled rows. Cut and scanned tables serve as well as whole ones.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens the band.
    purity : float or (low, high), default 1
        Share of true positives among the labelled.
    rows : int or array-like of int, optional
        Numbers of rows that must be points of the curve. It has all small numbers anyway, and about a hundred
        more up to all rows; it is straight in between.
    confidence_level : float, default 0.95
        Of the band.
    label_bias, label_bias_side : float, default 1, and {"either", "high", "low"}
        How many times as likely to be labelled some positives may be as others; see `roc_auc`.
    band : {"pointwise", "simultaneous"}
        Whether the limits hold at each number of rows by itself, or at all of them at once: the latter if
        you will look at the whole curve, and stop where it tells you to.

    Returns
    -------
    DiscoveryCurve
        ``curve.at(100)`` is the number to be found among the first 100, ``curve.rows_to_find(10)`` how far
        down to go for ten.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=range(30, 70), unlabeled=range(60), scenario="case_control")
    >>> curve = discovery_curve(table, prior=0.3)
    >>> round(float(curve.at(10)), 2)
    9.0
    """
    kind = check_choice(band, BAND_KINDS, "band")
    setting = Setting.of(table, prior, purity, confidence_level, label_bias, label_bias_side)
    _check(table, "discovery_curve")
    return discovery_of(setting, _wanted(rows, table.total_unl), kind)


def _check(table: ScoreTable, asked: str) -> None:
    """Raise if a table has no unlabeled rows, or rows with two weights."""
    check_unlabeled(table)
    check_one_weight(table, asked, "Use metric(top=…), whose list counts the labelled rows too.")


def _wanted(rows: Any, total: float) -> FloatArray:
    if rows is None:
        return np.empty(0)
    listed = rows if np.iterable(rows) and not isinstance(rows, str | bytes) else [rows]
    wanted = np.array([check_number(row, "rows") for row in listed])
    if wanted.size and (wanted.min() <= 0 or wanted.max() > total):
        worst = float(wanted.min() if wanted.min() <= 0 else wanted.max())
        raise InputError(
            f"rows={worst:g} is not possible: the list has {total:g} unlabeled rows. Pass numbers from 1 up "
            "to that."
        )
    return wanted


def discovery_of(
    setting: Setting, wanted: FloatArray | None = None, kind: str = "pointwise"
) -> DiscoveryCurve:
    """The curve of a setting."""
    setting = allow_for_groups_in_heads(setting)
    level = setting.level
    small, points = listed(setting, wanted)
    total, ranks = small.population_size, Ranks(small)
    inside = np.array([ranks.inside(float(row)) for row in points])
    finds = _finds(small, points)
    errors = [
        setting.design.unlabeled_share_error(setting.table.totals, *pair)
        for pair in _given_pairs(setting, small)
    ]
    if kind == "simultaneous":
        level = _level_of_all(small, finds, inside, errors[0])
    small = small.with_level(level)
    bands = [_band(small.at(*pair), points, inside) for pair in _pairs(setting, small)]
    spreads = []
    for band, error in zip(bands, errors, strict=True):
        middle = np.clip(total * band.share * band.rate, 0.0, points)
        spreads.append((middle, *_limits(band, error, total, level, small, points)))
    known, span = small.at_extremes().assumed, (np.zeros(points.size), points)
    low, high = limits_over(known, zip(*spreads, strict=True), level, span=span)
    finds_at = np.interp(points, points, finds)
    open_low = open_high = None
    if not setting.bias.is_random:
        ends = [finds_at + total * small.share * bands[0].biased[side] for side in SIDES]
        open_low, open_high = (np.clip(end, 0.0, points) for end in ends)
        low, high = np.minimum(low, open_low), np.maximum(high, open_high)
    remarks = (*setting.diagnostics, *setting.samples.few_positives())
    return DiscoveryCurve(
        rows=points,
        finds=finds_at,
        low=np.clip(np.minimum(low, finds_at), 0.0, points),
        high=np.clip(np.maximum(high, finds_at), 0.0, points),
        level=setting.level,
        kind=setting.kind,
        scenario=setting.scenario,
        prior=setting.prior,
        purity=setting.purity,
        unlabeled=total,
        positives=total * small.share,
        label_bias=setting.bias.most,
        bias_low=open_low,
        bias_high=open_high,
        diagnostics=remarks,
        band=kind,
    )


def _level_of_all(small: Setting, finds: FloatArray, inside: FloatArray, error: float) -> float:
    """The level of single limits that makes those at all numbers of rows hold at once."""
    from scipy.special import ndtr

    samples = small.samples
    total, share = Ranks(small).total, max(small.share, _LEAST)
    scale = total * share
    rate = np.clip(finds / scale, 0.0, 1.0)
    weighted = samples.weighted
    squares = (samples.pos_squares, samples.cmp_squares) if weighted else (samples.pos, samples.cmp)
    totals = samples.total_pos, total
    own, other = (inside @ column / size**2 for column, size in zip(squares, totals, strict=True))
    found = np.diff(small.heads.pos), np.diff(small.heads.cmp)
    by_pos, by_cmp = ((1 - part) / small.gap for part in (small.share, small.purity))
    one = np.ones(rate.size)
    heavy = total / samples.sizes[1]
    error_of = Mixture(rate.size)
    error_of.add_bridge(scale * by_pos * one, inside @ found[0], own)
    if by_cmp > 0:
        error_of.add_bridge(-scale * by_cmp * one, inside @ found[1], other)
    drawn = np.append(share * rate, 1.0)  # hidden positives, as a part of all unlabeled rows
    chance = heavy * drawn / total
    error_of.add_bridge(total * one, drawn[:-1], chance[:-1], float(chance[-1]))
    error_of.add_number(total * rate, error**2)
    kept = (finds >= _SOME) & (finds <= scale - _SOME)
    return float(1 - 2 * ndtr(-error_of.largest(small.level, kept)))


def listed(setting: Setting, wanted: FloatArray | None = None) -> tuple[Setting, FloatArray]:
    """All that the curve is made of: labelled and unlabeled rows in few rows of a table, and its points.

    Design effects of groups are those of whole heads. Neither depends on the prior, the purity or the bias.
    """
    hidden = allow_for_groups_in_heads(setting).among_unlabeled()
    points = grid_of(hidden.population_size, np.empty(0) if wanted is None else wanted)
    return _on_points(hidden, points), points


def grid_of(total: float, wanted: FloatArray) -> FloatArray:
    """Numbers of rows at which the curve is made: all small ones, growing and even steps, those wanted."""
    steps = int(np.ceil(np.log(max(total / _SINGLE, 1.0)) / np.log(_GROWTH)))
    parts = [
        np.arange(1.0, _SINGLE + 1),
        np.round(_SINGLE * _GROWTH ** np.arange(steps + 1)),
        np.round(np.linspace(0, total, _EVEN + 1)[1:]),
    ]
    points = np.concatenate(parts)
    return np.unique(
        np.concatenate([[0.0], points[(points > 0) & (points < total)], wanted, [total]])
    )


def _on_points(hidden: Setting, points: FloatArray) -> Setting:
    """The setting on few rows of the table that end at the points, or hold one."""
    ends = np.cumsum(hidden.samples.cmp, dtype=np.float64)
    place = np.searchsorted(
        ends, points[points > 0] - 1e-9 * np.maximum(points[points > 0], 1), side="left"
    )
    place = np.minimum(place, ends.size - 1)
    cuts = np.unique(np.concatenate([place, place + 1, [ends.size]]))
    cuts = cuts[(cuts > 0) & (cuts <= ends.size)]
    return hidden.on(merged_blocks(hidden.ranked, cuts))


def _finds(small: Setting, points: FloatArray) -> FloatArray:
    """The number of positives at each point, made possible."""
    ranks, heads, share = Ranks(small), small.heads, small.share
    tpr, fpr = corrected_rates(heads.pos, heads.cmp, share, small.purity)
    x, y, _ = projection(fpr, tpr, heads.threshold)
    rows = ranks.total * (share * y + (1 - share) * x)
    return np.asarray(np.interp(points, rows, ranks.total * share * y))


@dataclass(frozen=True)
class _Band:
    """γ at each point with its limits at one pair of share and purity, and how far biased labels move it."""

    share: float
    rate: FloatArray
    low: FloatArray
    high: FloatArray
    biased: dict[str, FloatArray]


def _band(point: Setting, points: FloatArray, inside: FloatArray) -> _Band:
    samples = point.samples
    by_pos, by_cmp = (1 - point.share) / point.gap, (1 - point.purity) / point.gap
    pos, cmp = (np.diff(head) for head in (point.heads.pos, point.heads.cmp))
    rate = inside @ (by_pos * pos - by_cmp * cmp)
    spans = (0.0, by_pos), (-by_cmp, 0.0)
    reaches = np.array(
        [linear_reaches(samples, by_pos * row, -by_cmp * row, point.level, spans) for row in inside]
    )
    low, high = rate - reaches[:, 0], rate + reaches[:, 1]
    low[points >= points[-1]] = high[points >= points[-1]] = 1.0
    moved = {}
    if not point.bias.is_random:
        head = points / points[-1]
        low = np.minimum(biased_rate(point, np.clip(low, 0, 1), head, "low"), low)
        high = np.maximum(biased_rate(point, np.clip(high, 0, 1), head, "high"), high)
        inner = np.clip(rate, 0.0, 1.0)
        moved = {side: np.asarray(biased_rate(point, inner, head, side)) - inner for side in SIDES}
    return _Band(point.share, np.asarray(rate), low, high, moved)


def _limits(
    band: _Band, error: float, total: float, level: float, small: Setting, points: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Limits of the number found: by γ, by where chance puts the positives, and by how many there are."""
    z, scale = normal_quantile(level), total * band.share
    heavy = total / small.samples.sizes[1]  # of weighted rows: the weight of one in effect
    middle = np.clip(scale * band.rate, 0.0, points)
    ends = []
    for rate, sign in ((band.low, -1.0), (band.high, 1.0)):
        edge = np.clip(scale * rate, 0.0, points)
        mean = np.maximum(middle, edge)
        spread = z * np.sqrt(heavy * mean * np.maximum(1 - mean / total, 0.0))
        skew = np.where(points > 0, (z**2 - 1) / 6 * heavy, 0.0)
        chance = np.maximum(spread + sign * skew, 0.0) + 0.5 * heavy
        by_share = z * total * error * np.clip(band.rate, 0.0, 1.0)
        ends.append(middle + sign * np.sqrt((edge - middle) ** 2 + chance**2 + by_share**2))
    return ends[0], ends[1]


def _pairs(setting: Setting, small: Setting) -> list[tuple[float, float]]:
    return [(point.prior, point.purity) for point in small.extremes()]


def _given_pairs(setting: Setting, small: Setting) -> list[tuple[float, float]]:
    """The pairs of prior and purity that those of the unlabeled rows come from."""
    places = {pair: place for place, pair in reversed(list(enumerate(small.assumed.pairs)))}
    return [setting.assumed.pairs[places[pair]] for pair in _pairs(setting, small)]


@dataclass(frozen=True)
class Discoveries(Statistic):
    """How many of the first unlabeled rows are positive: `discovery_curve` at one number of rows.

    Given how many rows are labelled, these and the unlabeled ones are two samples, and its influence values
    are about rows of those (`Setting.among_unlabeled`).
    """

    budget: Top
    name = "discoveries"
    title = _TITLE
    high = np.inf
    method = "discovery"
    interval_method = "discovery"

    def rows(self, table: ScoreTable) -> float:
        """How many of the unlabeled rows of a table are looked at."""
        return self.budget.rows_of(table.total_unl)

    def place(self, table: ScoreTable) -> dict[str, float | None]:
        return {"top": self.rows(table)}

    def check(self, table: ScoreTable) -> None:
        super().check(table)
        _check(table, self.name)

    def samples(self, setting: Setting) -> TwoSamples:
        return setting.among_unlabeled().samples

    def value(self, world: Setting) -> float:
        """The curve at the number of rows, without the limits along it."""
        rows = self.rows(world.table)
        small, points = listed(world, np.array([rows]))
        return float(_finds(small, points)[np.searchsorted(points, rows)])

    def _curve(self, setting: Setting) -> DiscoveryCurve:
        rows = self.rows(setting.table)
        key = f"discoveries {rows!r}"
        curve: DiscoveryCurve = setting.once(key, lambda: discovery_of(setting, np.array([rows])))
        return curve

    def influence(self, world: Setting) -> Influence:
        hidden = world.among_unlabeled()
        on_pos, on_cmp = Listed(hidden, Even(), self.rows(world.table)).influence()
        positives = hidden.population_size * hidden.share
        return positives * on_pos, positives * on_cmp

    def centre(self, setting: Setting) -> Centre:
        value, hidden = self.value(setting), setting.among_unlabeled()
        by_rows = linear_variance(hidden.samples, *self.influence(setting)).total
        by_share = self._by_share(setting, value)
        rows = self.rows(setting.table)
        error = float(np.sqrt(by_rows + by_share**2))
        return Centre(value, value, error, remarks=tuple(Ranks(hidden).tied(rows)))

    def _by_share(self, world: Setting, value: float) -> float:
        """The error that comes from how many positives happened to get a label."""
        hidden = world.among_unlabeled()
        error = world.design.unlabeled_share_error(world.table.totals, world.prior, world.purity)
        return error * value / max(hidden.share, _LEAST)

    def with_groups(self, setting: Setting) -> Setting:
        return setting  # the curve allows for them, in whole heads

    def limits_at(self, world: Setting) -> Limits:
        here = self._curve(world.with_bias(LabelBias())).at(self.rows(world.table))
        return here.low, here.high

    def limits(self, setting: Setting, centre: Centre) -> Limits:
        return self.limits_at(setting)

    def cut(self, setting: Setting, raw: float, ends: Limits) -> tuple[Interval, list[Diagnostic]]:
        where = Range(self.name, 0.0, self.rows(setting.table))
        return bounded_interval(setting, where, raw, *ends, self.told_method(setting))

    def bias_range(self, setting: Setting, centre: Centre) -> Interval:
        curve, rows = self._curve(setting), self.rows(setting.table)
        assert curve.bias_low is not None
        assert curve.bias_high is not None
        ends = (np.interp(rows, curve.rows, end) for end in (curve.bias_low, curve.bias_high))
        return bias_interval([float(end) for end in ends])

    def bias_limits(self, setting: Setting, centre: Centre, open_: Interval) -> list[float]:
        here = self._curve(setting).at(self.rows(setting.table))
        return [here.low, here.high]

    def row_errors(self, joint: JointTable, name: str, world: Setting) -> FloatArray:
        via_pos, via_cmp = contributions(self.samples(world), *self.influence(world))
        place = self._places(joint, name)
        labelled = joint.kind == 0
        rows = np.where(labelled, via_pos[place], via_cmp[place])
        rows[joint.kind == 2] = 0.0
        by_share = self._by_share(world, self.value(world))
        if by_share == 0.0:
            return np.asarray(rows)
        # How many rows got a label is a binomial number: the squares of these deviations sum to its variance.
        part = float(np.mean(labelled))
        scale = by_share / np.sqrt(rows.size * part * (1 - part))
        return np.asarray(rows - scale * (labelled - part))

    def _places(self, joint: JointTable, name: str) -> FloatArray:
        falling = joint.tables[name].labelled_and_unlabeled().cut().score
        found = np.minimum(places_among(falling, joint.scores[name]), falling.size - 1)
        return np.asarray(found)  # a known negative below all others is no row of either sample

    def audited(self, audited: Audited) -> Measured | None:
        at = threshold_of_top(audited.table.labelled_and_unlabeled(), self.budget)
        found = hidden_positives(audited, at)[0]
        return Measured(found.value, found.low, found.high)

    why_not_audited = "models differ in the rows at the top of their lists"


def _discoveries(ask: Ask) -> Statistic:
    if ask.top is None:
        raise InputError(
            f"{ask.name!r} is about the first unlabeled rows: pass top=…, the number of rows to check."
        )
    return Discoveries(check_top(ask.take_top()))


register("discoveries", _discoveries)
