"""What all ranking measures share: terms, curve, influence on both groups, limits, and their scale.

A measure is given by the sums of its terms f(k, b) up to an operating point (`kernels`) and
by the increments f(k, b) − f(k − 1, b). The sums give the value and the curve. The increments give
the influence of a row: a labelled row that moves down past another one lowers k by one at one
operating point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from puremetrics import hypergeometric
from puremetrics._validation import CountArray, FloatArray, check_level
from puremetrics.confusion import few_positives
from puremetrics.exceptions import Diagnostic, UnsupportedError
from puremetrics.intervals import linear_variance, logit_limits
from puremetrics.ranking import kernels
from puremetrics.ranking.kernels import Blocks
from puremetrics.results import Curve, Estimate, Interval
from puremetrics.scenario import check_table
from puremetrics.table import ScoreTable

__all__ = [
    "RankingEstimate",
    "Spread",
    "blocks_of",
    "check_whole",
    "estimate",
    "finish",
    "row_sizes",
]

_HERMITE = np.polynomial.hermite_e.hermegauss(9)
_HERMITE = (_HERMITE[0], _HERMITE[1] / np.sqrt(2 * np.pi))
_STEPS = 1024  # of a curve: every operating point where there are no more


@dataclass(frozen=True)
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
        return _MEASURES[self.name].best(self.total, self.labelled, self.share)

    @property
    def worst(self) -> float:
        """Lowest value that a ranking can have (0 as a bound for mutual information)."""
        return _MEASURES[self.name].worst(self.total, self.labelled, self.share)

    @property
    def chance(self) -> float:
        """Mean over all rankings: what a random one gives, which need not be 1/2 or 0."""
        return _MEASURES[self.name].value(
            _one_block(self.total, self.labelled, 0.0, self.total), self.share
        )


class Spread(NamedTuple):
    """Influence of labelled and of other rows by score: in this sample, and for the limits."""

    here: tuple[FloatArray, FloatArray]
    around: tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class Measure:
    """Sums of its terms up to an operating point, and the increment of a term in k.

    ``share`` is the share of positives, for the one measure that needs it.
    """

    title: str
    sums: Callable[[Blocks, FloatArray, float | None], FloatArray]
    gains: Callable[[Blocks, FloatArray, FloatArray, float | None], FloatArray]
    known_best: Callable[[float, float], float] | None = None
    known_worst: float | None = None
    saturates: bool = False

    def value(self, blocks: Blocks, share: float | None) -> float:
        """Mean over all operating points."""
        return float(self.sums(blocks, np.array([blocks.total]), share)[0]) / (blocks.total + 1)

    def best(self, total: float, labelled: float, share: float | None) -> float:
        """Value of the perfect ranking."""
        if self.known_best is not None:
            return self.known_best(total, labelled)
        return self.value(_one_block(total, labelled, 0.0, labelled), share)

    def worst(self, total: float, labelled: float, share: float | None) -> float:
        """Value of the reversed ranking, or a lower bound."""
        if self.known_worst is not None:
            return self.known_worst
        return self.value(_one_block(total, labelled, total - labelled, labelled), share)


def estimate(
    name: str, table: ScoreTable, level: float | None, share: float | None = None
) -> RankingEstimate:
    """Value, curve and interval of the measure of that name."""
    check_whole(table)
    measure = _MEASURES[name]
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
    spread = None if level is None else _influence(ranked, blocks, measure, share)
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
    measure = _MEASURES[name]
    remarks = few_positives(table)
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
    groups = replace(table.unlabeled_as_negative(), scenario="case_control")
    error = float(np.sqrt(linear_variance(groups, *spread.here).total))
    pos: CountArray = np.array(groups.n_pos, dtype=np.int64)
    rest: CountArray = np.array(groups.n_neg, dtype=np.int64)
    for column in (pos, rest):
        column[[0, -1]] += 1
    more = groups.with_counts(pos, 0 * rest, rest)
    used = max(spread, key=lambda part: linear_variance(more, *part).total)
    padded = linear_variance(more, *used)
    if pos.size < 2 or padded.total <= 0:
        return None, error
    one = max(float(np.ptp(part)) / count for part, count in zip(used, size, strict=True))
    one = max(one, 1e-12 * (best - worst))  # so that floats can tell the value from the best one
    low, high = logit_limits(value, padded, level, worst - one, best + one)
    low, high = max(min(low, value), worst), min(max(high, value), best)
    return Interval(min(low, value), max(high, value), level, "confidence", "delta_logit"), error


def check_whole(table: ScoreTable) -> None:
    """Refuse weights."""
    check_table(table)
    if not table.whole:
        raise UnsupportedError(
            "Ranking measures count operating points, one for each row, but this table has weights or "
            "fractional counts, which are not rows. Pass whole counts; naive_auc takes weights."
        )


def blocks_of(table: ScoreTable) -> Blocks:
    """Blocks of tied rows with labelled positives; all other rows are the rest."""
    rest: CountArray = np.add(table.n_unl, table.n_neg, dtype=np.int64)
    return Blocks.of(table.n_pos, rest)


def row_sizes(table: ScoreTable) -> FloatArray:
    """Rows of all groups at each score."""
    return np.asarray(table.n_pos + table.n_unl + table.n_neg, dtype=np.float64)


def _one_block(total: float, labelled: float, rows: float, size: float) -> Blocks:
    one = (np.array([x]) for x in (0.0, rows, labelled, size))
    return Blocks(total, labelled, *one)


def _grid(blocks: Blocks) -> FloatArray:
    """Operating points that divide the curve: all, or about `_STEPS`; never inside a tied block."""
    points = _even_points(blocks.total)
    tied = blocks.size > 1
    start, end = blocks.rows[tied], (blocks.rows + blocks.size)[tied]
    if start.size:
        place = np.searchsorted(end, points, side="left")
        inside = place < end.size
        inside[inside] = points[inside] > start[place[inside]]
        points[inside] = end[place[inside]]
        points = np.unique(points)
    return points


def _even_points(total: float) -> FloatArray:
    return np.unique(np.round(np.linspace(0, total, int(min(total, _STEPS)) + 1)))


def _influence(table: ScoreTable, blocks: Blocks, measure: Measure, share: float | None) -> Spread:
    """Influence of a labelled and of another row of each score; hits grow evenly inside ties.

    The estimand is a mean over samples, so its own derivative is a mean over the hits that samples may
    have. Where a measure saturates, the one at the hits of this sample is next to nothing: limits take the
    larger of both.
    """
    size = row_sizes(table)
    ends = np.concatenate([[0.0], np.cumsum(size)])
    grid = _even_points(blocks.total)
    hits = np.interp(grid, ends, np.concatenate([[0.0], np.cumsum(table.n_pos)]))
    k, b = (hits[1:] + hits[:-1]) / 2, (grid[1:] + grid[:-1]) / 2
    gains = measure.gains(blocks, k, b, share)
    spread = _order_spread(table, ends, b)
    tied = spread > 0
    if tied.any():  # there k depends on the order of the tied rows: a mean over a normal law
        gains[tied] = _mean_gains(measure, blocks, k[tied], spread[tied], b[tied], share)
    wide = gains
    if measure.saturates:
        sampled = np.hypot(spread, _sampling_spread(k, blocks.marked))
        wide = _mean_gains(measure, blocks, k, sampled, b, share)
    new_hits = np.diff(hits)
    middle = ends[1:] - size / 2
    by_pos, by_rest = np.diff(grid) - new_hits, new_hits
    here, around = (
        (
            blocks.marked * np.interp(middle, grid, _below(slope * by_pos)),
            -(blocks.total - blocks.marked) * np.interp(middle, grid, _below(slope * by_rest)),
        )
        for slope in (gains / (blocks.total + 1), wide / (blocks.total + 1))
    )
    return Spread(here, around)


def _mean_gains(
    measure: Measure,
    blocks: Blocks,
    k: FloatArray,
    spread: FloatArray,
    b: FloatArray,
    share: float | None,
) -> FloatArray:
    """Mean of the increments over hits with this mean and standard deviation."""
    steps = np.clip(k + _HERMITE[0][:, None] * spread, 0.0, np.minimum(b, blocks.marked))
    parts = measure.gains(blocks, steps, np.broadcast_to(b, steps.shape), share)
    return np.asarray(_HERMITE[1] @ parts)


def _sampling_spread(k: FloatArray, marked: float) -> FloatArray:
    """Standard deviation of the hits between samples, given the rows reached."""
    place = (k + 1) / (marked + 2)
    return np.asarray(np.sqrt(marked * place * (1 - place)))


def _order_spread(table: ScoreTable, ends: FloatArray, b: FloatArray) -> FloatArray:
    """Standard deviation of the hits at operating points, over random orders of tied rows."""
    block = np.minimum(np.searchsorted(ends, b, side="right") - 1, ends.size - 2)
    place, size = b - ends[block], np.diff(ends)[block]
    share = np.asarray(table.n_pos)[block] / size
    return np.sqrt(place * share * (1 - share) * (size - place) / np.maximum(size - 1, 1.0))


def _below(steps: FloatArray) -> FloatArray:
    """Sum of the steps below each grid point."""
    return np.concatenate([np.cumsum(steps[::-1])[::-1], [0.0]])


def _no_spread(title: str) -> Diagnostic:
    return Diagnostic(
        "PM401",
        f"{title} has no interval: all rows share one score, so none can change its rank. Check that the "
        "scores were not rounded or clipped.",
    )


# ---------------------------------------------------------------- the measures


def _pulp_sums(blocks: Blocks, at: FloatArray, share: float | None) -> FloatArray:
    return kernels.pulp_sums(blocks, at)


def _pulp_gains(blocks: Blocks, k: FloatArray, b: FloatArray, share: float | None) -> FloatArray:
    last = k - 0.5
    low = np.floor(last)
    n, t, at = blocks.total, blocks.marked, np.floor(b)
    here, next_ = (np.exp(hypergeometric.log_pmf(x, n, t, at)) for x in (low, low + 1))
    return np.asarray(here + (last - low) * (next_ - here))


def _best_pulp(total: float, labelled: float) -> float:
    """PULP of the perfect ranking, by Σ_{k ≥ 0} C(a, k) / C(n, k) = (n + 1) / (n + 1 − a)."""
    t = labelled
    last = float(np.exp(hypergeometric.log_pmf(t + 1, total + 1, t + 1, t + 1)))
    return (t - (t + 1) / (total - t + 1) + last) / (t + 1)


def _lee_liu_sums(blocks: Blocks, at: FloatArray, share: float | None) -> FloatArray:
    return blocks.total / blocks.marked**2 * kernels.lee_liu_sums(blocks, at)


def _lee_liu_gains(blocks: Blocks, k: FloatArray, b: FloatArray, share: float | None) -> FloatArray:
    return np.asarray(np.maximum(2 * k, 0.5) * blocks.total / blocks.marked**2 / b)


def _f1_sums(blocks: Blocks, at: FloatArray, share: float | None) -> FloatArray:
    return 2 * kernels.linear_sums(blocks, at, blocks.marked)


def _f1_gains(blocks: Blocks, k: FloatArray, b: FloatArray, share: float | None) -> FloatArray:
    return np.asarray(2 / (b + blocks.marked))


def _pseudo_f_sums(blocks: Blocks, at: FloatArray, share: float | None) -> FloatArray:
    n = blocks.total
    return 2 * n / blocks.marked * kernels.linear_sums(blocks, at, (share or 0.0) * n)


def _pseudo_f_gains(
    blocks: Blocks, k: FloatArray, b: FloatArray, share: float | None
) -> FloatArray:
    n = blocks.total
    return np.asarray(2 * n / blocks.marked / (b + (share or 0.0) * n))


def _information_sums(blocks: Blocks, at: FloatArray, share: float | None) -> FloatArray:
    return kernels.mutual_information_sums(blocks, at)


def _information_gains(
    blocks: Blocks, k: FloatArray, b: FloatArray, share: float | None
) -> FloatArray:
    n, t = blocks.total, blocks.marked
    cells = (k, n - t - b + k, t - k, b - k)
    logs = [np.log(np.maximum(cell, 0.5)) for cell in cells]
    return np.asarray((logs[0] + logs[1] - logs[2] - logs[3]) / n)


def _pearson_sums(blocks: Blocks, at: FloatArray, share: float | None) -> FloatArray:
    return kernels.pearson_sums(blocks, at)


def _pearson_gains(blocks: Blocks, k: FloatArray, b: FloatArray, share: float | None) -> FloatArray:
    n, t = blocks.total, blocks.marked
    return np.asarray(n / np.sqrt(t * (n - t) * b * (n - b)))


def _precision_mean(blocks: Blocks, at: FloatArray, share: float | None) -> FloatArray:
    """Average precision, scaled like a sum over operating points; up to the last one only."""
    mean = float(kernels.average_precision_parts(blocks).sum()) / blocks.marked
    return np.full(at.shape, mean * (blocks.total + 1))


_MEASURES = {
    "pulp": Measure("PULP", _pulp_sums, _pulp_gains, _best_pulp, 0.0, True),
    "lee_liu": Measure("Lee–Liu", _lee_liu_sums, _lee_liu_gains),
    "pseudo_f": Measure("Pseudo-F", _pseudo_f_sums, _pseudo_f_gains),
    "mean_f1": Measure("Mean F1", _f1_sums, _f1_gains),
    "mean_mutual_information": Measure(
        "Mean mutual information", _information_sums, _information_gains, None, 0.0
    ),
    "mean_pearson": Measure("Mean Pearson correlation", _pearson_sums, _pearson_gains),
    "naive_average_precision": Measure(
        "Average precision, unlabeled taken as negative", _precision_mean, _f1_gains
    ),
}
