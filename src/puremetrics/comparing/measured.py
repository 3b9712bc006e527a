"""One statistic that models are compared by: estimates, values, and errors row by row.

A statistic is a smooth function of the two samples G and F, so its error is a sum over rows: each row adds
its influence over the size of its sample. Differences of two models are sums over the same rows.
"""

from __future__ import annotations

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.results import Estimate
from puremetrics.sampling.bounded import Span
from puremetrics.sampling.limits import contributions
from puremetrics.setting import (
    RANDOM,
    LabelBias,
    PriorLike,
    PurityLike,
    Setting,
    check_bias_alone,
)
from puremetrics.tables.joint import JointTable
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Compared", "Influence", "Spans", "errors_by_group"]

Influence = tuple[FloatArray, FloatArray]
Spans = tuple[Span, Span]


class Compared:
    """One statistic: estimates, values, and errors row by row."""

    name: str
    ranks_only = True  # whether a cut table says it all
    default_interval = "analytic"
    ranked_by_prior = False  # whether models can be ranked along the prior
    linear = False  # whether it is linear in the heads of the labelled rows
    span = 1.0  # the largest difference that two models can have

    def assume(
        self,
        table: ScoreTable,
        prior: PriorLike,
        purity: PurityLike,
        level: float,
        bias: LabelBias = RANDOM,
    ) -> Setting:
        """The setting of the first model, with all that is assumed of the rows."""
        if not bias.is_random:
            check_bias_alone(table)
        return Setting.of(table, prior, purity, level).with_bias(bias)

    def on(self, common: Setting, table: ScoreTable) -> Setting:
        """The same for another model on the same rows."""
        return common.on(table)

    def again(self, setting: Setting, resampled: ScoreTable) -> Setting:
        """The same for rows that were drawn again."""
        return self.on(setting, resampled)

    def estimate(self, setting: Setting) -> Estimate:
        """The statistic with its interval."""
        raise NotImplementedError

    def value(self, setting: Setting) -> float:
        """The statistic alone."""
        raise NotImplementedError

    def plain(self, setting: Setting) -> float:
        """The statistic before any repair, where that is what the order of models rests on."""
        return self.value(setting)

    def influence(self, setting: Setting) -> Influence:
        """What a row of G and of F at each score adds, up to the size of its sample."""
        raise NotImplementedError

    def row_errors(self, joint: JointTable, name: str, setting: Setting) -> FloatArray:
        """What each row adds to the error of a model's estimate."""
        samples = setting.samples if self.ranks_only else setting.rows
        via_pos, via_cmp = contributions(samples, *self.influence(setting))
        place = joint.places[name] if self.ranks_only else joint.whole_places[name]
        return errors_by_group(joint, setting, via_pos[place], via_cmp[place])

    def labelled_influence(self, joint: JointTable, name: str, setting: Setting) -> FloatArray:
        """What each row would add through G, if it were labelled."""
        place = joint.places[name] if self.ranks_only else joint.whole_places[name]
        return np.asarray(self.influence(setting)[0][place])

    def biased_ends(self, setting: Setting) -> tuple[float, float, float] | None:
        """Ends of a single model under biased labels and what they multiply its error by.

        None for all whose difference is looked for by itself.
        """
        return None

    def unclear(self, setting: Setting) -> float:
        """Variance that no row by itself accounts for."""
        return 0.0

    def spans(self, setting: Setting) -> Spans | None:
        """Ranges of what labelled and of what other rows add, if it is a sum over rows of bounded values."""
        return None


def errors_by_group(
    joint: JointTable, setting: Setting, on_pos: FloatArray, on_cmp: FloatArray
) -> FloatArray:
    """Errors by row; groups that are no part of either sample add nothing."""
    labelled = on_pos if joint.weight is None else joint.weight * on_pos
    if setting.design.one_sample:
        labelled = labelled + on_cmp
    rows = np.where(joint.group == 0, labelled, on_cmp)
    used = setting.design.compared(setting.table.totals)
    for group in (1, 2):
        if setting.table.totals[group] > 0 and not used[group]:
            rows[joint.group == group] = 0.0
    return rows
