"""What all ranking measures share: value, curve, limits, and the scale they live on."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from puremetrics.checking.arguments import check_level
from puremetrics.checking.types import CountArray, FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.ranking.catalogue import MEASURES, Measure, one_block
from puremetrics.ranking.influence import Spread, even_points, influence_of, row_sizes
from puremetrics.ranking.kernels import Blocks
from puremetrics.results import Curve, Estimate, Interval
from puremetrics.sampling.limits import logit_limits
from puremetrics.sampling.variance import linear_variance
from puremetrics.setting import TwoSamples, check_whole
from puremetrics.tables.score_table import ScoreTable

__all__ = ["RankingEstimate", "blocks_of", "check_rows", "estimate", "finish"]


@dataclass(frozen=True, eq=False, repr=False)
class RankingEstimate(Estimate):
    """An `Estimate` that knows the scale it lives on: `best`, `worst` and `chance`.

    They are values of rankings of as many labelled and other rows: the perfect ranking, the lowest
    possible value, and the mean over all rankings. They depend on the two numbers only, and are
    computed when asked for.
    """

    total: float = field(default=np.nan, repr=False)
    labelled: float = field(default=np.nan, repr=False)
    share: float | None = field(default=None, repr=False)

    @property
    def best(self) -> float:
        """Value of a perfect ranking, which need not be 1."""
        return MEASURES[self.name].best(self.total, self.labelled, self.share)

    @property
    def worst(self) -> float:
        """Lowest value that a ranking can have (0 as a bound for mutual information)."""
        return MEASURES[self.name].worst(self.total, self.labelled, self.share)

    @property
    def chance(self) -> float:
        """Mean over all rankings: what a random one gives, which need not be 1/2 or 0."""
        return MEASURES[self.name].value(
            one_block(self.total, self.labelled, 0.0, self.total), self.share
        )


def estimate(
    name: str, table: ScoreTable, level: float | None, share: float | None = None
) -> RankingEstimate:
    """Value, curve and interval of the measure of that name."""
    check_rows(table)
    measure = MEASURES[name]
    ranked = table.cut()
    blocks = blocks_of(ranked)
    grid = _grid(blocks)
    sums = measure.sums(blocks, grid, share)
    value = float(sums[-1]) / (blocks.total + 1)
    ends = np.cumsum(row_sizes(ranked))
    lowest = np.minimum(np.searchsorted(ends, grid[1:], side="left"), ends.size - 1)
    curve = Curve(
        name=f"{measure.title} over operating points",
        x=np.concatenate([[0.0], (grid + 1) / (blocks.total + 1)]),
        y=np.concatenate([sums[:1], sums[:1], np.diff(sums) / np.diff(grid)]),
        threshold=np.concatenate([[np.inf, np.inf], ranked.score[lowest]]),
        x_label="share of operating points",
        y_label=measure.title,
        interpolation="step",
        method="mean_over_operating_points",
    )
    spread = None if level is None else influence_of(ranked, blocks, measure, share)
    return finish(ranked, name, value, curve, spread, level, share)


def finish(
    table: ScoreTable,
    name: str,
    value: float,
    curve: Curve,
    spread: Spread | None,
    level: float | None,
    share: float | None = None,
) -> RankingEstimate:
    """Add limits and diagnostics; ``spread`` is the influence of labelled and of other rows."""
    measure = MEASURES[name]
    remarks = TwoSamples(table).few_positives()
    interval: Interval | None = None
    error: float | None = None
    if level is not None and spread is not None:
        checked = check_level(level)
        interval, error = _limits(table, measure, value, spread, checked, share)
        if interval is None:
            remarks.append(_no_spread(measure.title))
    return RankingEstimate(
        name=name,
        title=measure.title,
        value=value,
        interval=interval,
        standard_error=error,
        method=curve.method,
        scenario=table.scenario,
        curve=curve,
        diagnostics=tuple(remarks),
        total=table.total,
        labelled=table.total_pos,
        share=share,
    )


def _limits(
    table: ScoreTable,
    measure: Measure,
    value: float,
    spread: Spread,
    level: float,
    share: float | None,
) -> tuple[Interval | None, float]:
    """Student's limits on the logit scale of the possible values, and the standard error.

    A ranking without a mistake at one end shows no sampling error there, though the next sample may
    have one. So one row of each group is added at both ends, and the scale reaches beyond the
    possible values by the effect of one row. Limits are cut to what is possible.
    """
    size = table.total_pos, table.total - table.total_pos
    best, worst = (f(table.total, size[0], share) for f in (measure.best, measure.worst))
    # Both groups keep their sizes: a case-control comparison of the labelled with all the rest.
    groups = table.unlabeled_as_negative(two_samples=True)
    error = float(np.sqrt(linear_variance(TwoSamples(groups), *spread.here).total))
    pos: CountArray = np.array(groups.n_pos, dtype=np.int64)
    rest: CountArray = np.array(groups.n_neg, dtype=np.int64)
    for column in (pos, rest):
        column[[0, -1]] += 1
    more = TwoSamples(groups.with_counts(pos, 0 * rest, rest))
    used = max(spread, key=lambda part: linear_variance(more, *part).total)
    padded = linear_variance(more, *used)
    if pos.size < 2 or padded.total <= 0:
        return None, error
    one = max(float(np.ptp(part)) / count for part, count in zip(used, size, strict=True))
    one = max(one, 1e-12 * (best - worst))  # so that floats can tell the value from the best one
    low, high = logit_limits(value, padded, level, worst - one, best + one)
    low, high = max(min(low, value), worst), min(max(high, value), best)
    return Interval(min(low, value), max(high, value), level, "confidence", "delta_logit"), error


def check_rows(table: ScoreTable) -> None:
    """Refuse weights: operating points are rows."""
    check_whole(table, "A ranking measure", "naive_auc, which takes weights")


def blocks_of(table: ScoreTable) -> Blocks:
    """Blocks of tied rows with labelled positives; all other rows are the rest."""
    rest: CountArray = np.add(table.n_unl, table.n_neg, dtype=np.int64)
    return Blocks.of(table.n_pos, rest)


def _grid(blocks: Blocks) -> FloatArray:
    """Operating points that divide the curve: all, or about `_STEPS`; never inside a tied block."""
    points = even_points(blocks.total)
    tied = blocks.size > 1
    start, end = blocks.rows[tied], (blocks.rows + blocks.size)[tied]
    if start.size:
        place = np.searchsorted(end, points, side="left")
        inside = place < end.size
        inside[inside] = points[inside] > start[place[inside]]
        points[inside] = end[place[inside]]
        points = np.unique(points)
    return points


def _no_spread(title: str) -> Diagnostic:
    return Diagnostic(
        "PM401",
        f"{title} has no interval: all rows share one score, so none can change its rank. Check that the "
        "scores were not rounded or clipped.",
    )
