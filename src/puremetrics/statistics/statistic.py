"""`Statistic`: what a number about a classifier is, described once.

A statistic knows its name and between which values it lies, what it asks of the data, its value in one
world, what each row adds to its error, and its limits. A *world* is a setting in which everything unknown
is decided: one prior and one purity. `worlds` puts all that are possible together into an `Estimate`;
models, folds, segments, sensitivities, tipping points, audits and the report ask the same object.

To add one, write a file in this folder with a class and call `register` (`catalogue`): its value and its
influence are enough, everything else has a default that follows from them.

Influence values: a statistic is a smooth function of the two samples that are compared, the labelled
positives G and the comparison sample F, so its error is a sum over rows. ``influence`` says what a row of G
and of F at each score adds, up to the size of its sample and a constant: one entry for each row of
`Statistic.samples`, which are those of the table cut at its labelled scores if ``ranks_only``.

The number itself, in one world:

============================  ==============================================================================
``value``                     what is told: repaired, and inside its range
``plain``                     before any repair: what means over folds and tipping points of pairs rest on
``difference_value``          what `compare` subtracts: ``plain`` if ``differences_unrepaired``, or ``value``
``uncorrected``               before the correction, if that orders models as the corrected one does
``Centre.raw``                the number around which limits lie
============================  ==============================================================================

Most statistics need ``value``, ``influence``, and ``plain`` and ``spans`` if they are sums over rows.
Hooks of one family only: ``tipping_guess``, ``biased_alone``, ``unclear``, ``of_fold_values``,
``check_between``, ``stand_in_prior``, ``uncorrected``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from puremetrics.auditing import Audited
from puremetrics.auditing.areas import Measured
from puremetrics.calibration.bins import check_probabilities
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError, UnsupportedError
from puremetrics.numerics.formulas import Formula
from puremetrics.results import Curve, Estimate, Interval
from puremetrics.sampling.bounded import Span, linear_reaches
from puremetrics.sampling.clustered import allow_for_groups
from puremetrics.sampling.limits import (
    bounded_interval,
    contributions,
    linear_variance,
    logit_limits,
    plain_limits,
)
from puremetrics.sampling.list_ranks import bracket_of, extreme_orders
from puremetrics.sampling.uncertain import correlation_with_prior, limits_over
from puremetrics.setting import (
    LabelBias,
    PriorLike,
    PurityLike,
    Setting,
    TwoSamples,
    check_bias_alone,
    check_table,
    check_uncut,
    purity_range,
)
from puremetrics.tables.joint import JointTable
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from puremetrics.auditing.pairs import Paired, Signs
    from puremetrics.bounds.contingency import LatentChoice
    from puremetrics.statistics.over_folds import FoldLimits
    from puremetrics.tables.folds import Folds

__all__ = [
    "ANY_PRIOR",
    "Centre",
    "ExpectedSum",
    "Influence",
    "Limits",
    "OfFormula",
    "Spans",
    "Spreads",
    "Statistic",
    "errors_by_row",
]

Influence = tuple[FloatArray, FloatArray]  # of a row of G, and of a row of F, by score
Spans = tuple[Span, Span]  # ranges of what labelled and of what other rows add
Limits = tuple[float, float]
ANY_PRIOR = 0.5  # stands in where the prior cancels


@dataclass(frozen=True)
class Centre:
    """A statistic where values are computed: at the central prior and purity, labels at random.

    ``value`` is what is told, ``raw`` the number around which limits lie, before it was moved into its range.
    ``unrepaired`` is what the formula gave, where that is something else again. ``biased`` keeps what labels
    leave open that are biased by some ratio, for all who ask at several.
    """

    value: float
    raw: float
    standard_error: float | None = None
    curve: Curve | None = None
    remarks: tuple[Diagnostic, ...] = ()
    unrepaired: float | None = None
    biased: dict[LabelBias, tuple[Interval, Limits]] = field(default_factory=dict, repr=False)


class Spreads(NamedTuple):
    """A statistic at every pair of prior and purity, and its sampling limits where a pair may be true."""

    middle: FloatArray
    low: FloatArray
    high: FloatArray


class ExpectedSum(NamedTuple):
    """A value, how much one more positive in each range of scores moves it, and its error by rows.

    ``others`` is what any row of a range adds, be it positive or not.
    """

    value: float
    slope: FloatArray
    error: float
    others: FloatArray

    @classmethod
    def of(
        cls,
        value: float,
        gain: FloatArray,
        others: FloatArray,
        bottom: float,
        positives: FloatArray,
        rows: FloatArray,
    ) -> ExpectedSum:
        """From what a positive and what any row of a range adds to a sum, and what that is divided by."""
        rest, size = np.maximum(rows - positives, 0.0), max(float(rows.sum()), 1e-9)
        mean = (float(positives @ (gain + others)) + float(rest @ others)) / size
        apart = float(positives @ (gain + others - mean) ** 2) + float(rest @ (others - mean) ** 2)
        return cls(value, gain / bottom, float(np.sqrt(apart)) / bottom, others / bottom)


class Statistic:
    """One statistic. Subclasses say at least ``name``, ``title``, ``value`` and ``influence``."""

    name: str
    title: str
    low: float = 0.0
    high: float = 1.0
    smaller_is_better: bool = False
    threshold: float | None = None

    # ---------------------------------------------------------------- what it asks

    prior_free: bool = False  # as long as labels are right and at random
    about_labels: bool = False  # nothing is assumed of how labels were given
    ranks_only: bool = True  # whether the order of the scores says it all
    of_probabilities: bool = False  # whether scores must be probabilities
    linear: bool = False  # whether it is linear in the distribution of the labelled rows

    # ---------------------------------------------------------------- how it is told

    method: str = "correction"
    interval_method: str | None = None  # what intervals say of themselves; see `told_method`
    differences_unrepaired: bool = False  # whether a repair would not cancel in differences
    of_rates: bool = (
        False  # whether it is computed from rates, which are moved where they are impossible
    )
    compared_by: str = "analytic"  # where the spread of differences comes from by default
    ranked_by_prior: bool = False  # whether it is told which model is best at which prior
    in_blocks: bool = False  # whether blocks of neighbouring rows say nearly the same
    order_ignores_prior: bool = False  # whether the better of two models is the same at every prior
    offsets_prior: bool = (
        False  # whether it hardly moves with the error of a prior off the same scores
    )

    @property
    def span(self) -> float:
        """The largest difference that two models can have."""
        return self.high - self.low

    @property
    def sign(self) -> float:
        """1 if larger values are better, else -1."""
        return -1.0 if self.smaller_is_better else 1.0

    def place(self, table: ScoreTable) -> dict[str, float | None]:
        """Where in the list of a table it is taken: its ``threshold``, or the ``top`` rows."""
        return {}

    def for_differences(self) -> Statistic:
        """The version whose differences and means are unbiased, if that is another one."""
        return self

    def inside(self, value: float) -> float:
        """The value, or the end of the range that it lies beyond."""
        return float(min(max(value, self.low), self.high))

    # ---------------------------------------------------------------- what is assumed

    def check(self, table: ScoreTable) -> None:
        """Raise if a table cannot tell it."""
        check_table(table)
        if not self.ranks_only:
            check_uncut(table, self.name)
        if self.of_probabilities:
            check_probabilities(table, self.name)

    def assume(
        self,
        table: ScoreTable,
        prior: PriorLike = None,
        purity: PurityLike = None,
        level: float = 0.95,
        label_bias: float = 1.0,
        label_bias_side: str = "either",
        prior_of: str = "population",
    ) -> Setting:
        """What is assumed of a table; without a prior, if it needs none."""
        self.check(table)
        return self.assume_of(table, prior, purity, level, label_bias, label_bias_side, prior_of)

    def assume_of(
        self,
        table: ScoreTable,
        prior: PriorLike,
        purity: PurityLike,
        level: float,
        label_bias: float,
        label_bias_side: str,
        prior_of: str = "population",
    ) -> Setting:
        """What is assumed of rows whose scores need not be known yet, such as those of all folds."""
        if not self.prior_free or prior is not None or table.total_unl == 0:
            return Setting.of(table, prior, purity, level, label_bias, label_bias_side, prior_of)
        if purity is not None and purity_range(purity)[1] < 1.0:
            raise InputError(
                f"{self.title} needs no prior if every label is right. With impure labels it does: pass "
                "prior=… as well as purity=…."
            )
        bias = LabelBias.of(label_bias, label_bias_side)
        if not bias.is_random:
            raise InputError(
                f"{self.title} needs no prior if labels are at random. How far biased labels may move it "
                "depends on how many positives are hidden: pass prior=… as well as label_bias=…."
            )
        return Setting.without_prior(table, level, self.stand_in_prior(table))

    def stand_in_prior(self, table: ScoreTable) -> float:
        """A prior that changes nothing, where none is needed."""
        return ANY_PRIOR

    def on(self, common: Setting, table: ScoreTable) -> Setting:
        """What is assumed of one model, for another one on the same rows or on rows drawn again."""
        return common.on(table)

    def check_biasable(self, table: ScoreTable) -> None:
        """Raise if biased labels mean nothing to it."""
        if self.about_labels:
            raise UnsupportedError(
                f"{self.name} judges the ranking of the labelled rows themselves and assumes nothing about "
                "how labels were given, so no bias can overturn it. Choose another statistic."
            )
        check_bias_alone(table)

    def check_between(self) -> None:
        """Raise if it means something else in another sample: segments or folds cannot be compared by it."""

    # ---------------------------------------------------------------- in one world

    def samples(self, setting: Setting) -> TwoSamples:
        """The two samples that its influence values are of."""
        return setting.samples if self.ranks_only else setting.rows

    def value(self, world: Setting) -> float:
        """The statistic alone, moved into its range."""
        raise NotImplementedError

    def plain(self, world: Setting) -> float:
        """The statistic before any repair, where that is what differences and means rest on."""
        return self.value(world)

    def difference_value(self, world: Setting) -> float:
        """What differences of two models are made of."""
        return self.plain(world) if self.differences_unrepaired else self.value(world)

    def uncorrected(self, world: Setting) -> float | None:
        """The value before any correction, if it orders models as the corrected one does; else None.

        Its rows add purity less share of positives times what they add to the corrected value.
        """
        return None

    def values_over(self, setting: Setting, priors: FloatArray, purities: FloatArray) -> FloatArray:
        """The values at several pairs of prior and purity."""
        pairs = zip(priors, purities, strict=True)
        return np.array([self.value(setting.at(float(p), float(b))) for p, b in pairs])

    def influence(self, world: Setting) -> Influence:
        """What a row of G and of F at each score adds, up to the size of its sample."""
        raise NotImplementedError

    def spans(self, world: Setting) -> Spans | None:
        """Ranges of what labelled and of what other rows add, if it is a sum over rows of bounded values."""
        return None

    def unclear(self, world: Setting) -> float:
        """Variance that no row by itself accounts for."""
        return 0.0

    def limits_at(self, world: Setting) -> Limits:
        """Limits in one world, sampling error alone.

        By default those of means of bounded values, if `spans` says that it is a sum of such; else Student's,
        on the logit scale of a finite range.
        """
        spans, influence = self.spans(world), self.influence(world)
        if spans is not None:
            below, above = linear_reaches(self.samples(world), *influence, world.level, spans)
            return self.plain(world) - below, self.plain(world) + above
        value = self.value(world)
        variance = linear_variance(self.samples(world), *influence)
        if variance.total > 0 and self.low < value < self.high and np.isfinite(self.span):
            return logit_limits(value, variance, world.level, self.low, self.high)
        return plain_limits(value, variance, world.level)

    # ---------------------------------------------------------------- over all worlds of a setting

    def estimate(self, setting: Setting) -> Estimate:
        """Value, interval and everything that is assumed."""
        from puremetrics.statistics.worlds import estimate

        return estimate(self, setting)

    def spreads_over(self, setting: Setting) -> Spreads:
        """The statistic at every pair of prior and purity, and its limits at those that may be true."""
        middle = self.values_over(setting, *setting.assumed.arrays())
        low, high = np.full(middle.size, np.nan), np.full(middle.size, np.nan)
        for at, _ in setting.assumed.placed:
            low[at], high[at] = self.limits_at(setting.at(*setting.assumed.pairs[at]))
        return Spreads(middle, low, high)

    def range_in(self, setting: Setting) -> Limits:
        """Between which values it lies in a setting."""
        return self.low, self.high

    def limits(self, setting: Setting, centre: Centre) -> Limits:
        """Limits over all worlds, labels at random."""
        if setting.assumed.is_point:
            return self.limits_at(setting)
        low, high = limits_over(
            setting.assumed,
            self.spreads_over(setting),
            setting.level,
            self.correlation_with_prior(setting),
            self.range_in(setting),
            offsets=self.offsets_prior,
        )
        return float(low), float(high)

    def correlation_with_prior(self, setting: Setting) -> float:
        """How its error at a known prior goes with that of a prior which was read off the same scores."""
        if setting.assumed.row_effects is None:
            return 0.0
        world = setting.at(setting.prior)
        return correlation_with_prior(setting, self.samples(world), *self.influence(world))

    def with_groups(self, setting: Setting) -> Setting:
        """The setting with rows that count for as much as they say, where they belong to groups."""
        if setting.table.clusters is None:
            return setting
        return allow_for_groups(setting, *self.influence(setting), self.samples(setting))

    def centre(self, setting: Setting) -> Centre:
        """The statistic where values are computed."""
        variance = linear_variance(self.samples(setting), *self.influence(setting))
        return Centre(self.value(setting), self.plain(setting), float(np.sqrt(variance.total)))

    def interval_around(self, setting: Setting, centre: Centre) -> Interval | None:
        """The interval alone, around a centre that is known already: what tipping points search along."""
        from puremetrics.statistics.worlds import reach_of

        return None if np.isnan(centre.raw) else reach_of(self, setting, centre).interval

    def bracket(self, setting: Setting, centre: Centre) -> Interval | None:
        """What the rows themselves might give, where a scan has put scores into buckets."""
        if not self.ranks_only or setting.ranked.hidden is None:
            return None
        ends = [self.value(self.on(setting, order)) for order in extreme_orders(setting.ranked)]
        return bracket_of(min(ends), max(ends), centre.value)

    def cut(self, setting: Setting, raw: float, ends: Limits) -> tuple[Interval, list[Diagnostic]]:
        """Limits cut to the range of the statistic, and what is said if they leave it."""
        return bounded_interval(setting, self, raw, *ends, self.told_method(setting))

    def told_method(self, setting: Setting) -> str:
        """What its intervals say of how they were made; it selects nothing."""
        if self.interval_method is not None:
            return self.interval_method
        return "student_logit" if self.spans(setting) is None else "bounded_beta"

    # ---------------------------------------------------------------- biased labels

    def bias_range(self, setting: Setting, centre: Centre) -> Interval:
        """What biased labels leave open around the value, without sampling error.

        By default as far as a tilt of the labelled rows along their influence moves it, if it is linear; else
        found by a search over labels that favour one end of the ranking. See `biased_search`.
        """
        from puremetrics.statistics.biased_search import linear_range, searched_range

        return (linear_range if self.linear else searched_range)(self, setting, centre)

    def bias_limits(self, setting: Setting, centre: Centre, open_: Interval) -> list[float]:
        """Limits beyond that range.

        By default they lie Γ times as far from its ends as they do from the value: a row that was not seen
        may weigh Γ times as much as one that was.
        """
        ends = []
        for world in setting.extremes():
            value, (low, high) = self.value(world), self.limits_at(world)
            ends.append(open_.low - setting.bias.most * max(value - low, 0.0))
            ends.append(open_.high + setting.bias.most * max(high - value, 0.0))
        return ends

    def biased_alone(self, world: Setting) -> tuple[float, float, float] | None:
        """Ends of a single model under biased labels, and what they multiply its error by.

        None for all whose difference of two models is looked for by itself.
        """
        return None

    def tipping_guess(self, setting: Setting, target: float, below: bool) -> float | None:
        """The label bias at which it reaches a number by a formula, where there is one."""
        return None

    # ---------------------------------------------------------------- row by row

    def row_errors(self, joint: JointTable, name: str, world: Setting) -> FloatArray:
        """What each row of a joint table adds to the error of a model's estimate."""
        via_pos, via_cmp = contributions(self.samples(world), *self.influence(world))
        place = self._places(joint, name)
        return errors_by_row(joint, world, via_pos[place], via_cmp[place])

    def labelled_influence(self, joint: JointTable, name: str, world: Setting) -> FloatArray:
        """What each row of a joint table would add through G, if it were labelled."""
        return np.asarray(self.influence(world)[0][self._places(joint, name)])

    def _places(self, joint: JointTable, name: str) -> FloatArray:
        found = joint.places[name] if self.ranks_only else joint.whole_places[name]
        return np.asarray(found)

    # ---------------------------------------------------------------- folds

    def fold_values(self, folds: Folds, name: str, setting: Setting) -> FloatArray:
        """The statistic of each fold, before any repair that would not average out."""
        return np.array([self.plain(setting.on(joint.tables[name])) for joint in folds.joints])

    def fold_rows(self, folds: Folds, name: str, world: Setting) -> FloatArray:
        """What every row adds to the error of the mean over folds."""
        found = np.empty(folds.kind.size)
        for rows, joint in zip(folds.members, folds.joints, strict=True):
            own = world.on(joint.tables[name])
            found[rows] = self.row_errors(joint, name, own) / len(folds.names)
        return found

    def fold_mean(self, folds: Folds, name: str, world: Setting) -> float:
        """The mean over folds alone."""
        return float(np.mean(self.fold_values(folds, name, world)))

    def fold_unclear(self, folds: Folds, name: str, world: Setting) -> float:
        """Variance of the mean over folds that no row by itself accounts for."""
        parts = (self.unclear(world.on(joint.tables[name])) for joint in folds.joints)
        return sum(parts) / len(folds.names) ** 2

    def over_folds(self, folds: Folds, name: str, setting: Setting) -> Estimate:
        """The mean over folds with its interval."""
        from puremetrics.statistics.over_folds import mean_over_folds

        return mean_over_folds(self, folds, name, setting)

    def fold_limits(self, folds: Folds, name: str, world: Setting) -> FoldLimits:
        """Value and limits of the mean over folds in one world."""
        from puremetrics.statistics.over_folds import limits_of_folds, limits_of_sums

        make = limits_of_folds if self.spans(world) is None else limits_of_sums
        return make(self, folds, name, world)

    def of_fold_values(self, folds: Folds, found: Estimate, values: FloatArray) -> Estimate:
        """The mean of the folds' own values, where `over_folds` gives something else."""
        return found

    def check_bias_over_folds(self, folds: Folds) -> None:
        """Raise if biased labels are not allowed for in its mean over folds."""
        raise UnsupportedError(
            f"The mean over folds of {self.name!r} cannot allow for label_bias; only metrics at a threshold "
            "can. Leave it out here, and evaluate each fold with label_bias=…."
        )

    # ---------------------------------------------------------------- checked rows, and bounds

    def audited(self, audited: Audited) -> Measured | None:
        """The statistic from checked rows, which assume neither a prior nor random labels."""
        raise UnsupportedError(
            f"{self.title} cannot be computed from an audit: {self.why_not_audited}. Leave out audit=…, or "
            "use its prior, prior_from_audit(audit, table=table)."
        )

    why_not_audited: str = "it is not a sum over the positives that were found"

    def audited_pair(self, paired: Paired, signs: Signs) -> Measured:
        """The statistic of one model, or a difference of two, from the same checked rows."""
        raise UnsupportedError(
            f"{self.name} cannot be compared with an audit: {self.why_not_audited}. Compare roc_auc, "
            "average_precision, brier_score, log_loss or a metric at a threshold."
        )

    def of_counts(self, tp: Any, fp: Any, fn: Any, tn: Any) -> FloatArray | None:
        """Its value as a function of the confusion matrix at its threshold; None if it is none."""
        return None

    def expected_sum(self, positives: FloatArray, rows: FloatArray) -> ExpectedSum | None:
        """What an audit may expect of it if so many rows of each range of scores, rising, are positive.

        None if it is no sum over the positives of the whole list.
        """
        return None

    def cut_at(self, table: ScoreTable) -> float:
        """The score from which on rows count that it is about; −inf if all do."""
        return -np.inf if self.threshold is None else self.threshold

    def expected_value(
        self, positives: FloatArray, rows: FloatArray, table: ScoreTable, edges: FloatArray
    ) -> ExpectedSum | None:
        """Its value if so many rows of each range of scores, rising, are positive; None if they do not say.

        ``edges`` are the scores of ``table`` that begin the ranges, but for the first.
        """
        return self.expected_sum(positives, rows)

    def bounds(self, choice: LatentChoice) -> Interval | None:
        """What it is whichever unlabeled rows are positive; None if that is not known."""
        return None


class OfFormula(Statistic):
    """A statistic that is a formula of the confusion matrix, and is called and ranged like it."""

    formula: Formula

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.formula.name

    @property
    def title(self) -> str:  # type: ignore[override]
        return self.formula.title

    @property
    def low(self) -> float:  # type: ignore[override]
        return self.formula.low

    @property
    def high(self) -> float:  # type: ignore[override]
        return self.formula.high

    @property
    def smaller_is_better(self) -> bool:  # type: ignore[override]
        return self.formula.smaller_is_better


def errors_by_row(
    joint: JointTable, world: Setting, on_pos: FloatArray, on_cmp: FloatArray
) -> FloatArray:
    """Errors by row; rows that are no part of either sample add nothing."""
    labelled = on_pos if joint.weight is None else joint.weight * on_pos
    if world.design.one_sample:
        labelled = labelled + on_cmp
    rows = np.where(joint.kind == 0, labelled, on_cmp)
    used = world.design.compared(world.table.totals)
    for kind in (1, 2):
        if world.table.totals[kind] > 0 and not used[kind]:
            rows[joint.kind == kind] = 0.0
    return rows
