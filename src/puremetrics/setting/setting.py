"""`Setting`: everything that is assumed about a table, stated once.

A public function takes assumptions as keyword arguments and makes one setting of them; all private
functions take that setting. It holds the table, the two samples that are compared, prior and purity with
what is possible around them, how biased the labels may be, the confidence level, and remarks about the
assumptions themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from puremetrics.checking.arguments import check_level
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.results import Interval, IntervalKind
from puremetrics.scenarios import Design, Scenario
from puremetrics.setting.assumed import Assumed, PriorLike, PurityLike, resolve
from puremetrics.setting.grouping import Grouping
from puremetrics.setting.label_bias import RANDOM, LabelBias
from puremetrics.setting.requirements import check_bias_alone, check_table
from puremetrics.setting.two_samples import Heads, TwoSamples
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Setting"]

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
    """

    table: ScoreTable
    samples: TwoSamples
    rows: TwoSamples
    assumed: Assumed
    level: float
    bias: LabelBias = RANDOM
    grouping: Grouping | None = None

    @classmethod
    def of(
        cls,
        table: ScoreTable,
        prior: PriorLike,
        purity: PurityLike = None,
        confidence_level: float = 0.95,
        label_bias: float = 1.0,
        label_bias_side: str = "either",
    ) -> Setting:
        """Check all that a user can get wrong about assumptions, once."""
        level = check_level(confidence_level)
        bias = LabelBias.of(label_bias, label_bias_side)
        if not bias.is_random:
            check_bias_alone(table)
        assumed = resolve(table, prior, purity)
        return cls(table, TwoSamples(table.cut()), TwoSamples(table), assumed, level, bias)

    @classmethod
    def naive(cls, table: ScoreTable, level: float, *, two_samples: bool = False) -> Setting:
        """Every unlabeled row taken as negative: nothing is assumed, and the prior is that of the labels."""
        made = table.unlabeled_as_negative(two_samples=two_samples)
        ranks = table.cut().unlabeled_as_negative(two_samples=two_samples)
        assumed = Assumed.point(made.total_pos / made.total, 1.0)
        return cls(made, TwoSamples(ranks), TwoSamples(made), assumed, level)

    @classmethod
    def prior_free(cls, table: ScoreTable, confidence_level: float = 0.95) -> Setting:
        """For what depends on the order of pure labels in the list alone: no prior is assumed.

        The smallest possible one stands for it, and changes nothing.
        """
        check_table(table)
        level = check_level(confidence_level)
        prior = float(table.design.prior_limits(table.totals)[0])
        samples = TwoSamples(table.cut())
        return cls(table, samples, TwoSamples(table), Assumed.point(prior, 1.0), level)

    def at(self, prior: float, purity: float | None = None) -> Setting:
        """The same with prior and purity taken as known; not checked again."""
        return replace(
            self, assumed=Assumed.point(prior, self.purity if purity is None else purity)
        )

    def with_bias(self, bias: LabelBias) -> Setting:
        """The same with labels that are biased up to another ratio."""
        return replace(self, bias=bias)

    def with_level(self, level: float) -> Setting:
        """The same at another confidence level."""
        return replace(self, level=level)

    def on(self, table: ScoreTable) -> Setting:
        """The same assumptions about another table of the same design, such as a resampled one."""
        samples = TwoSamples(table, self.samples.effect)
        cut = samples if table.is_cut else TwoSamples(table.cut(), self.samples.effect)
        return replace(self, table=table, samples=cut, rows=samples)

    def among_unlabeled(self) -> Setting:
        """The same about the unlabeled rows alone, at their own share of positives.

        Given the numbers of rows, labelled and unlabeled rows are two samples in either scenario.
        """
        table = self.table.labelled_and_unlabeled()
        pairs = tuple((self._hidden(*pair), pair[1]) for pair in self.assumed.pairs)
        priors = [pair[0] for pair in pairs]
        assumed = replace(
            self.assumed, value=priors[0], low=min(priors), high=max(priors), pairs=pairs
        )
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
        """The same on blocks of neighbouring rows if these are very many, else as it is."""
        blocks = self.samples.blocks
        if blocks is self.samples:
            return self
        return replace(self, table=blocks.table, samples=blocks, rows=blocks)

    # ---------------------------------------------------------------- what is assumed

    @property
    def prior(self) -> float:
        """The prior that values are computed at."""
        return self.assumed.value

    @property
    def purity(self) -> float:
        """The purity that values are computed at."""
        return self.assumed.purity

    @property
    def design(self) -> Design:
        """What the scenario means."""
        return self.table.design

    @property
    def scenario(self) -> Scenario:
        """How the data arose."""
        return self.table.scenario

    @property
    def share(self) -> float:
        """Share of positives in the comparison sample."""
        return float(self.design.share(self.table.totals, self.prior))

    @property
    def gap(self) -> float:
        """Purity less that share: how far the two samples are apart."""
        return self.purity - self.share

    @property
    def mixed(self) -> float:
        """How much of the population's list is G: 0 wherever F is drawn from the population."""
        return (self.prior - self.share) / self.gap

    @cached_property
    def gaps(self) -> tuple[float, float]:
        """Smallest and largest gap over all that is possible."""
        priors, purities = self.assumed.arrays()
        gaps = purities - self.design.share(self.table.totals, priors)
        return float(np.min(gaps)), float(np.max(gaps))

    def shares_of(self, priors: FloatArray) -> FloatArray:
        """Share of positives in the comparison sample, at several priors."""
        return np.asarray(self.design.share(self.table.totals, priors))

    @property
    def unlabeled_share(self) -> float | None:
        """Share of positives among the unlabeled."""
        share: float | None = self.design.unlabeled_share(
            self.table.totals, self.prior, self.purity
        )
        return share

    @property
    def population_size(self) -> float:
        """Number of rows that confusion counts refer to."""
        return self.design.population_size(self.table.totals)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Remarks about the assumptions."""
        own = self.assumed.diagnostics
        return own if self.grouping is None else (*own, *self.grouping.remarks())

    def points(self) -> list[Setting]:
        """The setting at every pair of prior and purity that is possible, the central one first."""
        if self.assumed.is_point:
            return [self]
        return [self.at(*pair) for pair in self.assumed.pairs]

    def extremes(self) -> list[Setting]:
        """The setting at its centre, and at the pairs with the most extreme prior, purity and gap.

        Enough for what is monotone in all three, such as the height of a ROC curve.
        """
        priors, purities = self.assumed.arrays()
        gaps = purities - self.shares_of(priors)
        places = {int(f(c)) for c in (priors, purities, gaps) for f in (np.argmin, np.argmax)}
        points = self.points()
        return [points[i] for i in sorted(places | {0})]

    # ---------------------------------------------------------------- what results get

    @property
    def ranked(self) -> ScoreTable:
        """The table cut at its labelled scores."""
        return self.samples.table

    @property
    def heads(self) -> Heads:
        """Heads of G and F at the labelled scores."""
        return self.samples.heads

    @property
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

    def interval(self, low: float, high: float, method: str) -> Interval:
        """An interval of a result made in this setting."""
        return Interval(low, high, self.level, self.kind, method)
