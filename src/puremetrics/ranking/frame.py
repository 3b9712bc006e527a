"""What all ranking measures share: value, curve, limits, and the scale they live on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from puremetrics.checking.arguments import check_level
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.ranking.catalogue import MEASURES, Sizes
from puremetrics.ranking.influence import Cells, Spread, even_points, influence_of
from puremetrics.ranking.kernels import Blocks
from puremetrics.ranking.limits import limits_of
from puremetrics.ranking.null_law import NullLaw
from puremetrics.ranking.rows import Ranked
from puremetrics.results import Curve, Estimate, Interval
from puremetrics.sampling.variance import linear_variance
from puremetrics.setting import check_whole, independent
from puremetrics.tables.score_table import ScoreTable

__all__ = ["RankingEstimate", "check_rows", "estimate", "finish"]


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
    apart: bool = field(default=False, repr=False)
    null_law: NullLaw | None = field(default=None, repr=False, compare=False)

    @property
    def p_value(self) -> float | None:
        """Chance that a ranking which knows nothing of the labels has a PULP as large; None for others.

        One-sided: all choices of as many labelled rows are equally likely. In small tables it is exact;
        in others it is simulated with a fixed generator, to a few per cent on the safe side and down to one
        in a million; for cut and scanned tables, and for more than a million labels, it is 2 · (1 − PULP),
        an upper bound. Computed when first asked for, at O(rows) and about a second.
        """
        return None if self.null_law is None else self.null_law.p_value

    @property
    def best(self) -> float:
        """Value of a perfect ranking, which need not be 1."""
        return MEASURES[self.name].best(self._sizes, self.share)

    @property
    def worst(self) -> float:
        """Lowest value that a ranking can have (0 as a bound for mutual information)."""
        return MEASURES[self.name].worst(self._sizes, self.share)

    @property
    def chance(self) -> float:
        """Mean over all rankings: what a random one gives, which need not be 1/2 or 0."""
        return MEASURES[self.name].chance(self._sizes, self.share)

    @property
    def _sizes(self) -> Sizes:
        return Sizes(self.total, self.labelled, self.apart)


def estimate(
    name: str,
    table: ScoreTable,
    level: float | None,
    share: float | None = None,
    ranked: Ranked | None = None,
) -> RankingEstimate:
    """Value, curve and interval of the measure of that name."""
    check_rows(table)
    measure = MEASURES[name]
    if ranked is None:
        ranked = Ranked.population(table) if measure.of_population else Ranked.all_rows(table)
    blocks = ranked.blocks
    grid = _grid(blocks)
    sums = measure.sums(blocks, grid, share)
    value = float(sums[-1]) / (blocks.total + 1)
    lowest = np.minimum(
        np.searchsorted(ranked.ends[1:], grid[1:], side="left"), ranked.size.size - 1
    )
    curve = Curve(
        name=f"{measure.title} over operating points",
        x=np.concatenate([[0.0], (grid + 1) / (blocks.total + 1)]),
        y=np.concatenate([sums[:1], sums[:1], np.diff(sums) / np.diff(grid)]),
        threshold=np.concatenate([[np.inf, np.inf], ranked.table.score[lowest]]),
        x_label="share of operating points",
        y_label=measure.title,
        interpolation="step",
        method="mean_over_operating_points",
    )
    spread = None if level is None else influence_of(Cells.of(ranked), measure, share)
    found = finish(ranked, name, value, curve, spread, level, share)
    if name != "pulp" or not independent(table):  # its p-value is that of independent rows
        return found
    return replace(found, null_law=NullLaw(table, value))


def finish(
    ranked: Ranked,
    name: str,
    value: float,
    curve: Curve,
    spread: Spread | None,
    level: float | None,
    share: float | None = None,
) -> RankingEstimate:
    """Add limits and diagnostics; ``spread`` is the influence of labelled and of other rows."""
    measure = MEASURES[name]
    if level is not None and spread is not None:
        ranked = ranked.robust(spread.here, check_level(level))
    grouping = ranked.grouping
    remarks = ranked.samples.few_positives()
    if grouping is not None:
        remarks += grouping.remarks()
    sizes = Sizes(ranked.blocks.total, ranked.blocks.marked, ranked.apart)
    interval: Interval | None = None
    error: float | None = None
    if level is not None and spread is not None:
        checked = check_level(level)
        ends = measure.worst(sizes, share), measure.best(sizes, share)
        error = float(np.sqrt(linear_variance(ranked.samples, *spread.here).total))
        error /= 1.0 if grouping is None else grouping.stretch
        found = limits_of(ranked, ends, value, spread, checked)
        if found is not None:
            interval = Interval(*found, checked, "confidence", "delta_logit")
        if interval is None:
            remarks.append(_no_spread(measure.title))
    return RankingEstimate(
        name=name,
        title=measure.title,
        value=value,
        interval=interval,
        standard_error=error,
        method=curve.method,
        scenario=ranked.table.scenario,
        curve=curve,
        diagnostics=tuple(remarks),
        total=sizes.total,
        labelled=sizes.labelled,
        share=share,
        apart=sizes.apart,
        n_groups=None if grouping is None else grouping.number,
        design_effect=None if grouping is None else grouping.design_effect,
    )


def check_rows(table: ScoreTable) -> None:
    """Refuse weights: operating points are rows."""
    check_whole(table, "A ranking measure", "naive_auc, which takes weights")


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
