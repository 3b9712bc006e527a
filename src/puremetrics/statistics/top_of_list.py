"""The top of the ranked list: early recognition, and metrics of its first rows.

**Early recognition** (`enrichment_factor`, `rie`, `bedroc`, `ndcg`). Truchon and Bayly (2007) have the first
three, Järvelin and Kekäläinen (2002) the last one. All are functions of one sum over the positives by their
rank (`statistics.list_sums`). With N rows in the list, of which a share π is positive, θ the mean over the
positives of a discount φ of the rank r, and x = k/N:

- enrichment factor: θ/x with φ = 1 in the first k rows. At random it is 1.
- RIE, robust initial enhancement: θ·α/(1 − e^(−α)) with φ = e^(−α·r/N). At random it is 1. With whole
  ranks this equals the usual ratio (1/n Σ e^(−α·r_i/N)) / ((1 − e^(−α)) / (N·(e^(α/N) − 1))), because the
  mean of φ over the stretch of one row differs from e^(−α·r_i/N) by a factor that is the same for all rows.
- BEDROC: (RIE − least)/(most − least), where the positives come last and first:
  most = (1 − e^(−α·π)) / (π·(1 − e^(−α))), least = (1 − e^(α·π)) / (π·(1 − e^α)).
- nDCG: π·N·θ/D(min(k, π·N)) with φ = 1/log2(i + 1) for the i-th of the first k rows, and D its sum over so
  many rows. The gain of a row is whether it is positive; in PU data, how likely. Rows of one score share
  the mean of their discounts, as in scikit-learn.

The first two need no prior as long as labels are right and at random.

**Metrics of the confusion matrix of a list's first rows** (`TopMetric`): as `metric`, with a budget in place
of a threshold. Among the first k of N rows a share θ of the positives is found (recall). All four entries
follow from it, from the prior and from x = k/N: prior·θ, x − prior·θ, prior·(1 − θ), 1 − x − prior·(1 − θ).
At a fixed k every metric is a monotone function of θ, so its limits are those of θ, carried over. They know
that the k-th score was found on the same rows: it is the share k/N that is given, not the threshold.

Recall, its complement and the lift θ/x need no prior as long as the labels are pure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from puremetrics.auditing import Audit, Audited, audited_metric
from puremetrics.auditing.areas import Measured, audited_list
from puremetrics.checking.arguments import check_number
from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import SIDES, bias_interval
from puremetrics.exceptions import Diagnostic, InputError, UnsupportedError
from puremetrics.numerics.discounts import Discount, Even, Exponential, Logarithmic
from puremetrics.numerics.formulas import Formula
from puremetrics.results import Estimate, Interval
from puremetrics.sampling.clustered import allow_for_groups
from puremetrics.sampling.limits import bounded_interval
from puremetrics.sampling.list_ranks import Top, check_top
from puremetrics.setting import PriorLike, PurityLike, Setting
from puremetrics.statistics.catalogue import Ask, estimate_from, find, register
from puremetrics.statistics.list_sums import Listed
from puremetrics.statistics.statistic import (
    ANY_PRIOR,
    Centre,
    ExpectedSum,
    Influence,
    Limits,
    OfFormula,
    Spreads,
    Statistic,
)
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "Bedroc",
    "EnrichmentFactor",
    "ListStatistic",
    "Ndcg",
    "Rie",
    "TopMetric",
    "bedroc",
    "enrichment_factor",
    "ndcg",
    "rie",
    "threshold_of_top",
]

_SMALLEST_ALPHA, _LARGEST_ALPHA = 1e-6, 500.0
_STEP = 1e-6


class Range(NamedTuple):
    """Where the values of a named statistic can lie."""

    name: str
    low: float
    high: float


class ListStatistic(Statistic):
    """A monotone function of θ, the mean over the positives of a discount of their rank (`list_sums`).

    Subclasses say the discount, how many rows count, the function, and what θ can be.
    """

    interval_method = "list_beta"
    of_rates = True
    budget: Top | None = None

    def discount(self, total: float) -> Discount:
        """How much a place counts in a list of so many rows."""
        raise NotImplementedError

    def rows(self, total: float) -> float:
        """How many of so many rows count."""
        return total if self.budget is None else self.budget.rows_of(total)

    def value_at(self, prior: float, total: float, theta: FloatArray) -> FloatArray:
        """The statistic at values of θ, in a list of so many rows with such a share of positives."""
        raise NotImplementedError

    def theta_range(self, prior: float, total: float) -> tuple[float, float]:
        """The least and the largest θ that there can be."""
        raise NotImplementedError

    def range_of(self, total: float) -> tuple[float, float]:
        """Between which values it lies in a list of so many rows."""
        return self.low, self.high

    def stand_in_prior(self, table: ScoreTable) -> float:
        return float(table.design.prior_limits(table.totals)[0])

    def place(self, table: ScoreTable) -> dict[str, float | None]:
        if self.budget is None:
            return {}
        return {"top": self.budget.rows_of(table.design.population_size(table.totals))}

    def listed(self, world: Setting) -> Listed:
        """θ of a world."""
        total = world.population_size
        return Listed(world, self.discount(total), self.rows(total))

    def of(self, world: Setting, theta: FloatArray) -> FloatArray:
        """The statistic at values of θ."""
        return self.value_at(world.prior, world.population_size, theta)

    def settled(self, world: Setting, theta: float) -> float:
        """The statistic at θ, moved into what is possible."""
        total = world.population_size
        least, most = self.theta_range(world.prior, total)
        value = float(self.of(world, np.array([min(max(theta, least), most)]))[0])
        low, high = self.range_of(total)
        return value if np.isnan(value) else float(min(max(value, low), high))

    def value(self, world: Setting) -> float:
        return self.settled(world, self.listed(world).value)

    def _slope(self, world: Setting, theta: float) -> float:
        around = self.of(world, theta + np.array([-_STEP, _STEP]))
        return float(around[1] - around[0]) / (2 * _STEP)

    def influence(self, world: Setting) -> Influence:
        """Those of θ, times the derivative of the statistic."""
        found = self.listed(world)
        slope = self._slope(world, found.value)
        on_pos, on_cmp = found.influence()
        return slope * on_pos, slope * on_cmp

    def with_groups(self, setting: Setting) -> Setting:
        if setting.table.clusters is None:
            return setting
        return allow_for_groups(setting, *self.listed(setting).influence())

    def centre(self, setting: Setting) -> Centre:
        here = self.listed(setting)
        raw = float(self.of(setting, np.array([here.value]))[0])
        remarks = here.ranks.tied(here.rows) if here.ends_early else []
        if np.isnan(raw):
            return Centre(raw, raw, remarks=(*remarks, _undefined(self.name)))
        error = abs(self._slope(setting, here.value)) * here.error()
        known = error if np.isfinite(error) else None
        return Centre(self.settled(setting, here.value), raw, known, remarks=tuple(remarks))

    def spreads_over(self, setting: Setting) -> Spreads:
        """With θ found once, where it is the same in all worlds."""
        assumed, here = setting.assumed, self.listed(setting)
        same = assumed.clean and setting.mixed == 0.0
        placed = {at for at, _ in assumed.placed}
        found = []
        for number, pair in enumerate(assumed.pairs):
            world = setting.at(*pair)
            there = here if same else self.listed(world)
            ends = self._limits(world, there) if number in placed else (np.nan, np.nan)
            found.append((self.settled(world, there.value), *ends))
        return Spreads(*np.array(found).T)

    def limits_at(self, world: Setting) -> Limits:
        return self._limits(world, self.listed(world))

    def _limits(self, world: Setting, there: Listed) -> Limits:
        """Those of θ, carried over and cut to what is possible; a value that was moved keeps its reach."""
        theta = there.value + np.array([-there.limits[0], 0.0, there.limits[1]])
        told, value = self.of(world, theta), self.settled(world, there.value)
        low, high = float(np.fmin.reduce(told)), float(np.fmax.reduce(told))
        if low > value:
            low = value - (told[1] - low)
        elif high < value:
            high = value + (high - told[1])
        ends = np.array([low, value, high])
        ends = np.clip(ends[~np.isnan(ends)], *self._possible(world, world.prior))
        return (float(ends.min()), float(ends.max())) if ends.size else (np.inf, -np.inf)

    def cut(self, setting: Setting, raw: float, ends: Limits) -> tuple[Interval, list[Diagnostic]]:
        where = Range(self.name, *self.range_in(setting))
        return bounded_interval(setting, where, raw, *ends, self.told_method(setting))

    def range_in(self, setting: Setting) -> Limits:
        """Between which values it can lie in such a list at the priors that may be true."""
        ends = [self._possible(setting, float(prior)) for prior in setting.assumed.arrays()[0]]
        return min(end[0] for end in ends), max(end[1] for end in ends)

    def _possible(self, setting: Setting, prior: float) -> Limits:
        """Between which values it can lie at a prior."""
        total = setting.population_size
        least, most = self.range_of(total)
        ends = self.value_at(prior, total, np.array(self.theta_range(prior, total)))
        known = ends[~np.isnan(ends)]
        if not known.size:
            return least, most
        return max(least, float(known.min())), min(most, float(known.max()))

    def bias_range(self, setting: Setting, centre: Centre) -> Interval:
        here = self.listed(setting)
        told = [self.settled(setting, here.biased(side)[0]) for side in SIDES]
        return bias_interval([centre.value if np.isnan(end) else end for end in told])

    def bias_limits(self, setting: Setting, centre: Centre, open_: Interval) -> list[float]:
        ends = []
        for world in setting.extremes():
            there = self.listed(world)
            ends += [self.settled(world, there.biased(side)[1]) for side in SIDES]
        return [end for end in ends if not np.isnan(end)]

    def audited(self, audited: Audited) -> Measured | None:
        total = float(audited.population.sum())
        return audited_list(
            audited,
            self._counts_for(audited.population),
            lambda share, mean: float(self.value_at(share, total, np.array([mean]))[0]),
        )

    def _counts_for(self, population: FloatArray) -> FloatArray:
        """How much a positive counts among so many tied rows each, the top of the list first."""
        total = float(population.sum())
        ends = np.concatenate([[0.0], np.cumsum(population)])
        rows, discount = self.rows(total), self.discount(total)
        length = np.diff(ends)
        part = np.clip((rows - ends[:-1]) / np.where(length > 0, length, 1.0), 0.0, 1.0)
        last = np.maximum(np.minimum(ends[1:], rows), ends[:-1])
        return np.asarray(part * discount.mean(ends[:-1], last))

    def cut_at(self, table: ScoreTable) -> float:
        return -np.inf if self.budget is None else threshold_of_top(table, self.budget)

    def expected_value(
        self, positives: FloatArray, rows: FloatArray, table: ScoreTable, edges: FloatArray
    ) -> ExpectedSum:
        total = float(rows.sum())
        counts = self._counts_for(rows[::-1])[::-1]
        found = max(float(positives.sum()), 1e-300)
        theta, share = float(positives @ counts) / found, found / total

        def at(prior: float, mean: float) -> float:
            return float(self.value_at(prior, total, np.array([mean]))[0])

        by_theta = (at(share, theta + _STEP) - at(share, theta - _STEP)) / (2 * _STEP)
        step = _STEP * share
        by_share = (at(share + step, theta) - at(share - step, theta)) / (2 * step)
        gain = by_theta * (counts - theta) / found + by_share / total
        # Where the list ends is left out of its error: it moves by single rows.
        return ExpectedSum.of(at(share, theta), gain, np.zeros(rows.size), 1.0, positives, rows)


@dataclass(frozen=True)
class TopMetric(OfFormula, ListStatistic):
    """A metric of the confusion matrix of the list's first rows."""

    formula: Formula
    budget: Top
    options: dict[str, float] = field(default_factory=dict)

    @property
    def prior_free(self) -> bool:  # type: ignore[override]
        return self.formula.prior_free_at_top

    def discount(self, total: float) -> Discount:
        return Even()

    def value_at(self, prior: float, total: float, theta: FloatArray) -> FloatArray:
        share = self.rows(total) / total
        if self.formula.prior_free_at_top:
            prior = ANY_PRIOR  # which cancels, and may be 0 where none is known
        found = prior * theta
        entries = found, share - found, prior - found, 1 - share - prior + found
        return self.formula(*entries, **self.options)

    def theta_range(self, prior: float, total: float) -> tuple[float, float]:
        return _most_in(prior, self.rows(total) / total)

    why_not_audited = "models differ in the rows at the top of their lists"

    def audited(self, audited: Audited) -> Measured | None:
        at = threshold_of_top(audited.table, self.budget)
        found = audited_metric(audited, self.formula, self.options, at)
        return None if found is None else Measured(*found)


@dataclass(frozen=True)
class EnrichmentFactor(ListStatistic):
    """How many times as dense positives are in the first rows as in all of them."""

    budget: Top
    name = "enrichment_factor"
    title = "Enrichment factor"
    high = np.inf
    prior_free = True

    def discount(self, total: float) -> Discount:
        return Even()

    def value_at(self, prior: float, total: float, theta: FloatArray) -> FloatArray:
        return theta / (self.rows(total) / total)

    def theta_range(self, prior: float, total: float) -> tuple[float, float]:
        return _most_in(prior, self.rows(total) / total)

    def range_of(self, total: float) -> tuple[float, float]:
        return 0.0, total / self.rows(total)


@dataclass(frozen=True)
class Rie(ListStatistic):
    """The robust initial enhancement."""

    alpha: float = 20.0
    name = "rie"
    title = "RIE"
    high = np.inf
    prior_free = True

    def discount(self, total: float) -> Discount:
        return Exponential(self.alpha, total)

    def _chance(self, total: float) -> float:
        return float(self.discount(total).mean(0.0, total))

    def value_at(self, prior: float, total: float, theta: FloatArray) -> FloatArray:
        return theta / self._chance(total)

    def theta_range(self, prior: float, total: float) -> tuple[float, float]:
        least, most = _rie_ends(self.alpha, prior)
        return least * self._chance(total), most * self._chance(total)

    def range_of(self, total: float) -> tuple[float, float]:
        chance = self._chance(total)
        return float(self.discount(total).level(total)) / chance, 1 / chance


@dataclass(frozen=True)
class Bedroc(Rie):
    """RIE on a scale from 0, all positives last, to 1, all of them first."""

    name = "bedroc"
    title = "BEDROC"
    high = 1.0
    prior_free = False

    def value_at(self, prior: float, total: float, theta: FloatArray) -> FloatArray:
        least, most = _rie_ends(self.alpha, prior)
        if not 0 < prior < 1:
            return np.full(theta.shape, np.nan)
        return (theta / self._chance(total) - least) / (most - least)

    def range_of(self, total: float) -> tuple[float, float]:
        return 0.0, 1.0


@dataclass(frozen=True)
class Ndcg(ListStatistic):
    """The normalised discounted cumulative gain, of all rows or of the first ones."""

    budget: Top | None = None
    name = "ndcg"
    title = "nDCG"

    def discount(self, total: float) -> Discount:
        return Logarithmic()

    def _ideal(self, prior: float, total: float) -> float:
        return float(Logarithmic().total(min(max(prior, 0.0) * total, self.rows(total))))

    def value_at(self, prior: float, total: float, theta: FloatArray) -> FloatArray:
        best = self._ideal(prior, total)
        if best <= 0:
            return np.full(theta.shape, np.nan)
        return prior * total * theta / best

    def theta_range(self, prior: float, total: float) -> tuple[float, float]:
        return 0.0, self._ideal(prior, total) / max(prior * total, 1e-300)


def _early(kind: type[Rie], ask: Ask) -> Statistic:
    if ask.top is not None:
        raise InputError(f"{ask.name!r} is about the whole list. Leave out top, or change alpha.")
    return kind(check_alpha(ask.take("alpha", 20.0)))


def _enrichment(ask: Ask) -> Statistic:
    if ask.top is None:
        raise InputError(f"{ask.name!r} is about the first rows: pass top=….")
    return EnrichmentFactor(check_top(ask.take_top()))


def _ndcg(ask: Ask) -> Statistic:
    return Ndcg(None if ask.top is None else check_top(ask.take_top()))


register("enrichment_factor", _enrichment)
register("rie", lambda ask: _early(Rie, ask))
register("bedroc", lambda ask: _early(Bedroc, ask))
register("ndcg", _ndcg)


@takes_data
def enrichment_factor(
    table: ScoreTable,
    *,
    top: float,
    prior: PriorLike = None,
    purity: PurityLike = None,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    audit: Audit | None = None,
    prior_of: str = "population",
    evidence: Any = None,
) -> Estimate:
    """Estimate how many times as dense positives are in the first rows as in all of them.

    It needs no prior if every label is right and labels are at random.

    Parameters
    ----------
    table : ScoreTable
        Cut and scanned tables serve as well as whole ones.
    top : int or float
        The first so many rows of the population, or such a share of them if it is a float up to 1. In
        case-control the population is the unlabeled rows. Rows tied at the end count in proportion.
    prior : float, (low, high) or PriorEstimate, optional
        Needed with a purity below 1, or a label bias.
    purity : float or (low, high), default 1
        Share of true positives among the labelled.
    confidence_level : float, default 0.95
    label_bias, label_bias_side : float, default 1, and {"either", "high", "low"}
        How many times as likely to be labelled some positives may be as others; see `roc_auc`.
    audit : Audit, optional
        Rows that were checked. Then neither a prior nor random labels are assumed: leave these out.
    prior_of : {"population", "rows"}
        Whose share of positives the prior is; see `roc_auc`.
    evidence : list, optional
        What else is known of the positives, such as `LabelSources`, `Investigated` or `PublishedPrior`. All
        of it is put together, and prior, audit and label bias count as evidence like any other. Labels are
        then taken as random only if `RandomLabels` is among it.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[9, 8, 3], unlabeled=range(10), scenario="case_control")
    >>> round(float(enrichment_factor(table, top=2)), 3)
    3.333
    """
    return estimate_from(
        find("enrichment_factor", top=top), table, prior, purity, confidence_level, label_bias,
        label_bias_side, audit, prior_of, evidence,
    )  # fmt: skip


@takes_data
def rie(
    table: ScoreTable,
    *,
    alpha: float = 20.0,
    prior: PriorLike = None,
    purity: PurityLike = None,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    audit: Audit | None = None,
    prior_of: str = "population",
    evidence: Any = None,
) -> Estimate:
    """Estimate the robust initial enhancement (RIE).

    It is the mean over the positives of e^(−alpha·rank/rows), as a ratio to that of a random order.

    It needs no prior if every label is right and labels are at random.

    Parameters
    ----------
    table : ScoreTable
    alpha : float, default 20
        How early is early: with 20 the first 8% of the rows hold 80% of the weight.
    prior, purity, confidence_level, label_bias, label_bias_side, audit, prior_of, evidence
        Those of `enrichment_factor`.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[9, 8, 3], unlabeled=range(10), scenario="case_control")
    >>> round(float(rie(table)), 3)
    3.272
    """
    return estimate_from(
        find("rie", {"alpha": alpha}), table, prior, purity, confidence_level, label_bias,
        label_bias_side, audit, prior_of, evidence,
    )  # fmt: skip


@takes_data
def bedroc(
    table: ScoreTable,
    *,
    prior: PriorLike = None,
    purity: PurityLike = None,
    alpha: float = 20.0,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    audit: Audit | None = None,
    prior_of: str = "population",
    evidence: Any = None,
) -> Estimate:
    """Estimate BEDROC: `rie` on a scale from 0, all positives last, to 1, all of them first.

    Parameters
    ----------
    table : ScoreTable
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens the interval.
    purity, alpha, confidence_level, label_bias, label_bias_side, audit, prior_of, evidence
        Those of `rie`.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[9, 8, 3], unlabeled=range(10), scenario="case_control")
    >>> round(float(bedroc(table, prior=0.2)), 3)
    0.667
    """
    return estimate_from(
        find("bedroc", {"alpha": alpha}), table, prior, purity, confidence_level, label_bias,
        label_bias_side, audit, prior_of, evidence,
    )  # fmt: skip


@takes_data
def ndcg(
    table: ScoreTable,
    *,
    prior: PriorLike = None,
    purity: PurityLike = None,
    top: float | None = None,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    audit: Audit | None = None,
    prior_of: str = "population",
    evidence: Any = None,
) -> Estimate:
    """Estimate the normalised discounted cumulative gain, of all rows or of the first ones.

    Parameters
    ----------
    table : ScoreTable
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens the interval.
    top : int or float, optional
        The first so many rows of the population, or such a share of them; all rows if left out.
    purity, confidence_level, label_bias, label_bias_side, audit, prior_of, evidence
        Those of `enrichment_factor`.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[9, 8, 3], unlabeled=range(10), scenario="case_control")
    >>> round(float(ndcg(table, prior=0.2, top=5)), 3)
    0.667
    """
    return estimate_from(
        find("ndcg", top=top), table, prior, purity, confidence_level, label_bias,
        label_bias_side, audit, prior_of, evidence,
    )  # fmt: skip


def check_alpha(alpha: object) -> float:
    """How early is early."""
    number = check_number(alpha, "alpha")
    if not _SMALLEST_ALPHA <= number <= _LARGEST_ALPHA:
        raise InputError(
            f"alpha={number:g} must lie between {_SMALLEST_ALPHA:g}, where all rows count the same up to "
            f"rounding, and {_LARGEST_ALPHA:g}; 20 is usual."
        )
    return number


def threshold_of_top(table: ScoreTable, top: Top) -> float:
    """The score of the last row of the top, where it has one of its own; for audits."""
    table_rows = np.cumsum(table.design.comparison_counts(table)[0])
    rows = top.rows_of(float(table_rows[-1]))
    place = int(np.searchsorted(table_rows, rows, side="left"))
    if float(table_rows[place]) != rows:
        raise UnsupportedError(
            f"Rows are tied at the end of the first {rows:g} rows, and an audit identifies rows by their "
            f"scores alone. Pass threshold={table.score[place]:g} for all of the tied rows, or another top."
        )
    return float(table.score[place])


def _undefined(name: str) -> Diagnostic:
    return Diagnostic(
        "PM103",
        f"{name} is undefined at the top of this list. Ask for another number of rows, or check the "
        "prior.",
    )


def _most_in(prior: float, share: float) -> tuple[float, float]:
    """The least and the largest share of the positives that can be in such a share of the rows."""
    prior = max(prior, 1e-300)
    return max(1 - (1 - share) / prior, 0.0), min(share / prior, 1.0)


def _rie_ends(alpha: float, prior: float) -> tuple[float, float]:
    """RIE with all positives last, and with all of them first; none at all is a limit of few."""
    scale, mass = alpha / -np.expm1(-alpha), alpha * max(prior, 0.0)
    if mass == 0.0:
        return float(scale * np.exp(-alpha)), float(scale)
    # Divided by the mass itself: its product with anything below 1 may underflow.
    least, most = np.exp(-alpha) * (np.expm1(mass) / mass), np.expm1(-mass) / -mass
    return float(scale * least), float(scale * most)
