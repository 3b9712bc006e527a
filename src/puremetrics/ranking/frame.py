"""What all ranking measures share: value, curve, limits, and the scale they live on.

Limits of a ranking measure, from the influence of its rows.

Student's limits on the logit scale of the values that rankings of these rows can take. A ranking without a
mistake at one end shows no sampling error there, though the next sample may have one. So one row of each
group is added at both ends, and the scale reaches beyond the possible values by the effect of one row.

Where do these rows go? Next to the rows that were seen there, they describe samples like this one. At the
very ends they describe what no sample of this size can exclude: that a few positives rank below all
negatives. A limit goes that far, but not further than the one of Clopper and Pearson for as many rows that
all are as good or as bad as can be: no mean of values in the same range varies more.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from puremetrics.checking.arguments import check_level
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.quantiles import beta_quantile
from puremetrics.ranking.catalogue import MEASURES, Sizes
from puremetrics.ranking.influence import Cells, Pair, Spread, even_points, influence_of
from puremetrics.ranking.kernels import Blocks
from puremetrics.ranking.null_law import NullLaw
from puremetrics.ranking.rows import Ranked
from puremetrics.results import Curve, Estimate, Interval, Named
from puremetrics.sampling.limits import linear_variance, logit_limits
from puremetrics.setting import check_whole, independent
from puremetrics.tables.score_table import ScoreTable

__all__ = ["RankingEstimate", "check_rows", "estimate", "finish", "limits_of"]


def limits_of(
    ranked: Ranked, ends: tuple[float, float], value: float, spread: Spread, level: float
) -> tuple[float, float] | None:
    """Both limits, between the worst and the best value; None if no row can change its rank."""
    if ranked.pos.size < 2:
        return None
    worst, best = ends
    near = _student(ranked, ends, value, spread, level, far=None)
    if near is None:
        return None
    limits = list(near)
    for side in (0, 1):
        far = _student(ranked, ends, value, spread, level, far=side)
        if far is not None:
            bound = _extreme(ranked, ends, value, level)[side]
            limits[side] = (
                min(near[0], max(far[0], bound)) if side == 0 else max(near[1], min(far[1], bound))
            )
    low, high = max(min(limits[0], value), worst), min(max(limits[1], value), best)
    return min(low, value), max(high, value)


def _student(
    ranked: Ranked,
    ends: tuple[float, float],
    value: float,
    spread: Spread,
    level: float,
    far: int | None,
) -> tuple[float, float] | None:
    """Limits with rows added next to others, or where they lower (0) or raise (1) the value most."""
    found = []
    for rows, beyond in spread.versions():
        added = _added(rows, beyond, far)
        found.append((ranked.padded_variance(rows, added), rows, added))
    variance, rows, added = max(found, key=lambda part: part[0].total)
    variance = variance._replace(total=max(variance.total, spread.bent))
    if variance.total <= 0:
        return None
    worst, best = ends
    reach = (np.ptp(np.concatenate(group)) for group in zip(rows, added, strict=True))
    one = max(float(way) / count for way, count in zip(reach, ranked.samples.sizes, strict=True))
    one = max(one, 1e-12 * (best - worst))  # so that floats can tell the value from the best one
    inside = min(max(value, worst), best)  # sums of many rows may go beyond by rounding
    return logit_limits(inside, variance, level, worst - one, best + one)


def _added(rows: Pair, beyond: Pair, far: int | None) -> Pair:
    """Influence of the added rows, of both groups: at the top and at the bottom."""
    near = tuple(group[[0, -1]] for group in rows)
    if far is None:
        return near[0], near[1]
    chosen = np.minimum if far == 0 else np.maximum
    return _chosen(chosen, near[0], beyond[0]), _chosen(chosen, near[1], beyond[1])


def _chosen(better: np.ufunc, near: FloatArray, beyond: FloatArray) -> FloatArray:
    return np.asarray(better(near, beyond))


def _extreme(
    ranked: Ranked, ends: tuple[float, float], value: float, level: float
) -> tuple[float, float]:
    """Limits of Clopper and Pearson for the share of the way from the worst to the best value."""
    worst, best = ends
    sizes = ranked.samples.sizes
    count = 1 / sum(1 / size for size in sizes)
    way = min(max((value - worst) / (best - worst), 0.0), 1.0) if best > worst else 0.5
    good, bad, tail = count * way, count * (1 - way), (1 - level) / 2
    low = beta_quantile(good, bad + 1, tail) if good > 0 else 0.0
    high = beta_quantile(good + 1, bad, 1 - tail) if bad > 0 else 1.0
    return worst + low * (best - worst), worst + high * (best - worst)


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
    return RankingEstimate.of(
        Named(name, measure.title),
        value,
        interval,
        {"scenario": ranked.table.scenario},
        standard_error=error,
        method=curve.method,
        curve=curve,
        diagnostics=tuple(remarks),
        n_groups=None if grouping is None else grouping.number,
        design_effect=None if grouping is None else grouping.design_effect,
        total=sizes.total,
        labelled=sizes.labelled,
        share=share,
        apart=sizes.apart,
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
