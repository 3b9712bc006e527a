"""`Setting`: everything that is assumed about a table, stated once.

A public function takes assumptions as keyword arguments and makes one setting of them; all private functions
take that setting. It holds the table, the two samples that are compared, prior and purity with what is
possible around them, how biased the labels may be, the confidence level, and remarks about the assumptions
themselves. Two of these have records of their own: `Grouping`, what is known of the groups that rows belong
to, for one statistic; and `LabelBias`, how far labels may be from random: one number, Γ.

**Label bias.** Labels are at random if every positive has the same chance of getting one. Γ ≥ 1 says how far
that may fail: any two positives differ in their chance of being labelled by at most a factor Γ (Rosenbaum's
form). In a single training set it is the odds that differ by at most Γ, which says the same of the positives
that are left: the hidden positives against the labelled ones.

Let g be the distribution of the labelled positives over the scores and φ that of the positives that the
correction has to find: all of them in case-control, the hidden ones in a single training set. Then

    φ ∝ g · v    with v between 1 and Γ,

and v is large where labels are rare. Γ = 1 leaves φ = g. Tan's form, φ/g between 1/Γ and Γ, is nested with
this one: Rosenbaum at Γ ⊂ Tan at Γ ⊂ Rosenbaum at Γ².

``side`` says more, for those who know it. With "high", higher scores are never labelled less often (obvious
cases got their labels first), so v falls with the score, and what is corrected can only be too good. With
"low", higher scores are never labelled more often.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from puremetrics.checking.arguments import check_choice, check_level, check_number
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.quantiles import wilson
from puremetrics.results import Interval, IntervalKind, Pair
from puremetrics.scenarios import PRIOR_OF, Design, Scenario
from puremetrics.setting.assumed import Assumed, PriorLike, PurityLike, resolve
from puremetrics.setting.requirements import check_bias_alone, check_table
from puremetrics.setting.two_samples import Heads, TwoSamples
from puremetrics.tables.clusters import head_effect
from puremetrics.tables.score_table import ScoreTable

__all__ = ["FEW_GROUPS", "RANDOM", "SIDES_OF_BIAS", "Grouping", "LabelBias", "Setting"]


FEW_GROUPS = 40


@dataclass(frozen=True)
class Grouping:
    """Groups of rows, and what they do to the variance of a statistic.

    Attributes
    ----------
    number : int
        Groups.
    design_effect : float
        Variance over the one that independent rows would have.
    degrees : float
        Degrees of freedom of the estimated variance.
    stretch : float
        What so few degrees of freedom make limits wider by.
    """

    number: int
    design_effect: float
    degrees: float
    stretch: float

    @classmethod
    def alone(cls, number: int) -> Grouping:
        """Groups of one row each, which change nothing."""
        return cls(number, 1.0, float("inf"), 1.0)

    def remarks(self) -> list[Diagnostic]:
        """PM140 if the groups are few."""
        if self.degrees >= FEW_GROUPS - 1:
            return []
        return [
            Diagnostic(
                "PM140",
                f"the rows belong to {self.number} groups, which show as much about how groups differ "
                f"as {self.degrees + 1:.0f} of equal weight would. With fewer than {FEW_GROUPS}, intervals "
                "are rough; more groups would help most.",
            )
        ]


SIDES_OF_BIAS = ("either", "high", "low")
_MOST = 1e6
_STEPS = (1.2, 1.5, 2.0, 3.0, 4.0, 5.0, 8.0, 10.0, 12.0, 20.0, 50.0, 100.0, 1000.0, _MOST)


@dataclass(frozen=True)
class LabelBias:
    """The largest ratio of two positives' chances of being labelled, and the side that it favours."""

    most: float = 1.0
    side: str = "either"

    @classmethod
    def of(cls, label_bias: object, side: object = "either") -> LabelBias:
        """Check what a user gives."""
        most = check_number(label_bias, "label_bias")
        if not 1.0 <= most <= _MOST:
            hint = f" Did you mean {1 / most:.4g}?" if 0 < most < 1 else ""
            raise InputError(
                f"label_bias={most:g} must lie between 1 (labels at random) and {_MOST:.0e}: it is the "
                f"ratio of the largest to the smallest chance that a positive has of being labelled.{hint}"
            )
        return cls(most, check_choice(side, SIDES_OF_BIAS, "label_bias_side"))

    @property
    def is_random(self) -> bool:
        """Whether labels are taken to be a random sample of the positives."""
        return self.most == 1.0

    @cached_property
    def steps(self) -> tuple[LabelBias, ...]:
        """Fixed ratios, rising, up to the first that is not below this one.

        What a larger bias leaves open holds what a smaller one does, but ends that are found by a search, or
        from rows that were tilted, need not come out so. Limits are therefore computed at these ratios, held
        to fall and rise from one to the next, and drawn straight on the scale of log Γ in between.
        """
        last = next(i for i, step in enumerate(_STEPS) if step >= self.most)
        return tuple(replace(self, most=step) for step in _STEPS[: last + 1])

    def smaller(self) -> list[LabelBias]:
        """The steps below this ratio, rising, and the ratio itself: what one of them leaves open is open."""
        return [*(step for step in self.steps if step.most < self.most), self]

    def between(self, ends: Sequence[tuple[float, float]]) -> tuple[float, float]:
        """Limits at this ratio, from those of labels at random and at each of the `steps`."""
        lows = np.minimum.accumulate([end[0] for end in ends])
        highs = np.maximum.accumulate([end[1] for end in ends])
        ratios = np.log([1.0, *(step.most for step in self.steps)])
        part = (np.log(self.most) - ratios[-2]) / (ratios[-1] - ratios[-2])
        found = []
        for nearer, further in (lows[-2:], highs[-2:]):
            straight = np.isfinite(nearer) and np.isfinite(further)
            found.append(float(nearer + part * (further - nearer) if straight else further))
        return found[0], found[1]

    @property
    def down(self) -> float:
        """The factor by which positives with low scores may be under-labelled."""
        return 1.0 if self.side == "low" else self.most

    @property
    def up(self) -> float:
        """The factor by which positives with high scores may be under-labelled."""
        return 1.0 if self.side == "high" else self.most


RANDOM = LabelBias()


_LEAST_GAP = 1e-9  # of purity and share of positives among the unlabeled


@dataclass(frozen=True, eq=False)
class Setting:
    """A table with everything that is assumed about it.

    Attributes
    ----------
    table : ScoreTable
        As it was given.
    samples : TwoSamples
        G and F of the table cut at its labelled scores: for all that depends on ranks.
    rows : TwoSamples
        The same of the table as it is: for all that needs the scores.
    assumed : Assumed
    level : float
        Confidence level of all intervals.
    bias : LabelBias
        How far the labels may be from random.
    grouping : Grouping or None
        What the groups of the rows do to the statistic in question, once that is known.
    prior_known : bool
        Whether a prior is assumed; if not, one stands in for it that changes nothing.
    prior_drawn : bool
        Whether the prior is the share of positives among the very rows at hand, which were drawn: as a share
        of the population it has a binomial error.
    share_of_rows : float or None
        The share of positives in F, where that stays while the prior of the population is another one.
    prior_effect : float or None
        Design effect of a prior that was drawn, for one statistic; None: as for the share of positives alone.
    """

    table: ScoreTable
    samples: TwoSamples
    rows: TwoSamples
    assumed: Assumed
    level: float
    bias: LabelBias = RANDOM
    grouping: Grouping | None = None
    prior_known: bool = True
    prior_drawn: bool = False
    share_of_rows: float | None = None
    prior_effect: float | None = None

    @classmethod
    def of(
        cls,
        table: ScoreTable,
        prior: PriorLike,
        purity: PurityLike = None,
        confidence_level: float = 0.95,
        label_bias: float = 1.0,
        label_bias_side: str = "either",
        prior_of: str = "population",
    ) -> Setting:
        """Check all that a user can get wrong about assumptions, once."""
        level = check_level(confidence_level)
        bias = LabelBias.of(label_bias, label_bias_side)
        if not bias.is_random:
            check_bias_alone(table)
        meant = check_choice(prior_of, PRIOR_OF, "prior_of")
        assumed = resolve(table, prior, purity, meant)
        drawn = meant == "rows" or (prior is None and table.total_unl == 0)
        if bias.is_random and (drawn or table.total_unl == 0):
            table = table.of_known_rows()
        return cls(
            table,
            TwoSamples(table.cut()),
            TwoSamples(table),
            assumed,
            level,
            bias,
            prior_drawn=drawn,
        )

    @classmethod
    def naive(cls, table: ScoreTable, level: float, *, two_samples: bool = False) -> Setting:
        """Every unlabeled row taken as negative: nothing is assumed, and the prior is that of the labels."""
        made = table.unlabeled_as_negative(two_samples=two_samples).of_known_rows()
        ranks = table.cut().unlabeled_as_negative(two_samples=two_samples).of_known_rows()
        assumed = Assumed.point(made.total_pos / made.total, 1.0)
        drawn = not two_samples
        return cls(made, TwoSamples(ranks), TwoSamples(made), assumed, level, prior_drawn=drawn)

    @classmethod
    def without_prior(cls, table: ScoreTable, confidence_level: float, stand_in: float) -> Setting:
        """For what needs no prior, as long as labels are right and at random.

        ``stand_in`` takes its place and changes nothing.
        """
        check_table(table)
        level = check_level(confidence_level)
        known = Assumed.point(stand_in, 1.0)
        if table.total_unl == 0:
            table = table.of_known_rows()
        samples = TwoSamples(table.cut())
        return cls(table, samples, TwoSamples(table), known, level, prior_known=False)

    def at(self, prior: float, purity: float | None = None) -> Setting:
        """The setting with prior and purity taken as known; not checked again."""
        return replace(
            self, assumed=Assumed.point(prior, self.purity if purity is None else purity)
        )

    def with_bias(self, bias: LabelBias) -> Setting:
        """The setting with labels that are biased up to another ratio."""
        return replace(self, bias=bias)

    def with_level(self, level: float) -> Setting:
        """The setting at another confidence level."""
        return replace(self, level=level)

    def on(self, table: ScoreTable) -> Setting:
        """The setting of another table of the same scenario, such as a resampled one."""
        if self.table.known_rows:
            table = table.of_known_rows()
        samples = TwoSamples(table, self.samples.effect)
        cut = samples if table.is_cut else TwoSamples(table.cut(), self.samples.effect)
        return replace(self, table=table, samples=cut, rows=samples)

    def among_unlabeled(self) -> Setting:
        """The setting of the unlabeled rows alone, at their own share of positives.

        Given the numbers of rows, labelled and unlabeled rows are two samples in either scenario.
        """
        table = self.table.labelled_and_unlabeled()
        assumed = self.assumed.mapped(lambda prior, purity: (self._hidden(prior, purity), purity))
        return replace(
            self,
            table=table,
            samples=TwoSamples(table.cut(), self.samples.effect),
            rows=TwoSamples(table, self.samples.effect),
            assumed=assumed,
        )

    def _hidden(self, prior: float, purity: float) -> float:
        share = self.design.unlabeled_share(self.table.totals, prior, purity)
        return float(min(max(share or 0.0, 0.0), purity - _LEAST_GAP))

    def on_blocks(self) -> Setting:
        """The setting on blocks of neighbouring rows if these are very many, else as it is."""
        blocks = self.samples.blocks
        if blocks is self.samples:
            return self
        return replace(self, table=blocks.table, samples=blocks, rows=blocks)

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        """What ``make`` gives, made when first asked for and kept under a name."""
        kept = self.__dict__.setdefault("_kept", {})
        if key not in kept:
            kept[key] = make()
        return kept[key]

    # ---------------------------------------------------------------- what is assumed

    @cached_property
    def prior(self) -> float:
        """The prior that values are computed at."""
        return self.assumed.value

    @cached_property
    def purity(self) -> float:
        """The purity that values are computed at."""
        return self.assumed.purity

    @cached_property
    def design(self) -> Design:
        """What the scenario means."""
        return self.table.design

    @cached_property
    def scenario(self) -> Scenario:
        """How the data arose."""
        return self.design.name

    @cached_property
    def share(self) -> float:
        """Share of positives in the comparison sample."""
        if self.share_of_rows is not None:
            return self.share_of_rows
        return float(self.design.share(self.table.totals, self.prior, self.purity))

    @cached_property
    def gap(self) -> float:
        """Purity less that share: how far the two samples are apart."""
        return self.purity - self.share

    @cached_property
    def mixed(self) -> float:
        """How much of the population's list is G: 0 wherever F is drawn from the population."""
        return (self.prior - self.share) / self.gap

    @cached_property
    def gaps(self) -> tuple[float, float]:
        """Smallest and largest gap over all that is possible."""
        priors, purities = self.assumed.arrays()
        gaps = purities - self.shares_of(priors, purities)
        return float(np.min(gaps)), float(np.max(gaps))

    def shares_of(self, priors: FloatArray, purities: FloatArray) -> FloatArray:
        """Share of positives in the comparison sample, at several priors and purities."""
        if self.share_of_rows is not None:
            return np.full(np.shape(priors), self.share_of_rows)
        return np.asarray(self.design.share(self.table.totals, priors, purities))

    @cached_property
    def prior_error(self) -> float:
        """Standard error of the prior as a share of the population, if it was drawn with the rows."""
        if not self.prior_drawn:
            return 0.0
        return float(np.sqrt(self.prior * (1 - self.prior) / self.rows_of_prior))

    @cached_property
    def rows_of_prior(self) -> float:
        """How many independent rows say as much of the prior as those that it is the share of."""
        rows = self._rows_of_prior
        effect = self._share_effect if self.prior_effect is None else self.prior_effect
        stretch = 1.0 if self.grouping is None else self.grouping.stretch
        return rows / (effect * stretch**2)

    @cached_property
    def _rows_of_prior(self) -> float:
        return self.table.effective_rows(self.design.rows_of_prior(self.table.totals))

    @cached_property
    def label_rates(self) -> tuple[float, float]:
        """Chances of positive and of negative rows to be labelled positive."""
        labelled, rows = self.table.total_pos, self.table.total
        return (
            min(self.purity * labelled / max(self.prior * rows, 1e-300), 1.0),
            min((1 - self.purity) * labelled / max((1 - self.prior) * rows, 1e-300), 1.0),
        )

    @cached_property
    def _share_effect(self) -> float:
        """Design effect of the share of positives among the rows that a drawn prior is the share of."""
        clusters = self.table.clusters
        if clusters is None or clusters.alone:
            return 1.0
        if self.design.rows_of_prior(self.table.totals)[0]:
            return clusters.share_effect(self.prior, self.label_rates, self._rows_of_prior)
        return head_effect(clusters.unl)  # none of these rows has a label: as their scores cluster

    def other_populations(self) -> list[Setting]:
        """The setting at the limits of a prior that was drawn, the rates of both classes kept."""
        low, high = wilson(self.prior, self.rows_of_prior, self.level)
        return [
            replace(
                self,
                assumed=Assumed.point(end, self.purity),
                prior_drawn=False,
                share_of_rows=self.share,
                prior_effect=None,
            )
            for end in (low, high)
        ]

    @cached_property
    def unlabeled_share(self) -> float | None:
        """Share of positives among the unlabeled."""
        share: float | None = self.design.unlabeled_share(
            self.table.totals, self.prior, self.purity
        )
        return share

    @cached_property
    def population_size(self) -> float:
        """Number of rows that confusion counts refer to."""
        return self.design.population_size(self.table.totals)

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Remarks about the assumptions."""
        own = self.assumed.diagnostics
        return own if self.grouping is None else (*own, *self.grouping.remarks())

    def points(self) -> list[Setting]:
        """The setting at every pair of prior and purity that is possible, the central one first."""
        if self.assumed.is_point:
            return [self]
        return [self.at(*pair) for pair in self.assumed.pairs]

    def at_extremes(self) -> Setting:
        """The setting with its centre, and the pairs with the most extreme prior, purity and gap.

        Enough for what is monotone in all three, such as the height of a ROC curve.
        """

        def extreme(pairs: list[Pair]) -> list[Pair]:
            priors, purities = np.array(pairs).T
            gaps = purities - self.shares_of(priors, purities)
            columns = priors, purities, gaps
            places = {int(f(c)) for c in columns for f in (np.argmin, np.argmax)}
            return [pairs[i] for i in sorted(places)]

        return self if self.assumed.is_point else replace(self, assumed=self.assumed.only(extreme))

    def extremes(self) -> list[Setting]:
        """The setting at the pairs of `at_extremes`, the central one first."""
        return self.at_extremes().points()

    # ---------------------------------------------------------------- what results get

    @cached_property
    def ranked(self) -> ScoreTable:
        """The table cut at its labelled scores."""
        return self.samples.table

    @cached_property
    def heads(self) -> Heads:
        """Heads of G and F at the labelled scores."""
        return self.samples.heads

    @cached_property
    def kind(self) -> IntervalKind:
        """What an interval holds: sampling error alone, or uncertain assumptions too."""
        return "confidence" if self.assumed.is_point and self.bias.is_random else "combined"

    @property
    def n_groups(self) -> int | None:
        """Groups that the rows belong to; None if they are independent."""
        return None if self.grouping is None else self.grouping.number

    @property
    def design_effect(self) -> float | None:
        """Variance of the statistic in question over that of independent rows."""
        return None if self.grouping is None else self.grouping.design_effect

    def standard_error(self, reach: float) -> float:
        """The standard error, from one that is stretched because the groups are few."""
        return reach if self.grouping is None else reach / self.grouping.stretch

    def told(self) -> dict[str, Any]:
        """What an estimate says of its assumptions."""
        return {
            "scenario": self.scenario,
            "prior": self.prior if self.prior_known else None,
            "unlabeled_share": self.unlabeled_share if self.prior_known else None,
            "purity": self.purity,
            "label_bias": self.bias.most,
            "n_groups": self.n_groups,
            "design_effect": self.design_effect,
        }

    def interval(self, low: float, high: float, method: str) -> Interval:
        """An interval of a result made in this setting."""
        return Interval(low, high, self.level, self.kind, method)
