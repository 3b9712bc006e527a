"""Paired differences: their intervals, p-values, and what having several of them costs.

**Resamples** (`replicates`): statistics of several models on the same rows, each row keeping its scores by
all of them. Few rows are drawn again one by one, which costs O(rows) a resample. Very many are dealt at
random into 500 piles in each kind, and piles are drawn again instead. A pile is a sum over independent rows,
so the variance of resampled sums is the same on average, known within 3%; and once the rows of each pile
have been counted by block of neighbouring scores, a resample costs O(blocks). If only some of the unlabeled
rows are looked at (`JointTable.fewer`), deviations of their piles are scaled to those of all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.checking.arguments import as_generator
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, UnsupportedError
from puremetrics.numerics.quantiles import holm_adjusted, student_quantile
from puremetrics.results import Columns, Interval, Result
from puremetrics.sampling.uncertain import limits_over
from puremetrics.setting import Setting
from puremetrics.statistics.statistic import Statistic
from puremetrics.tables.joint import JointTable, places_among
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Difference", "Spread", "differences_of", "replicates", "with_sign_of_order"]


Spread = tuple[float, float, float]  # a value, its standard error and its degrees of freedom


_ROUNDING = 1e-12  # of areas
_HALVINGS = 40  # of the range of a p-value


@dataclass(frozen=True, eq=False, repr=False)
class Difference(Result):
    """How much the first model exceeds the second, on the same rows.

    Attributes
    ----------
    value, standard_error : float
    interval : Interval
        For this pair alone.
    simultaneous : Interval
        Such that the intervals of all pairs hold at once.
    p_value, adjusted_p_value : float
        Two-sided, of no difference; adjusted by Holm's procedure. That of two ROC areas needs no prior.
    bias_range : Interval or None
        What biased labels leave open, without sampling error.
    """

    first: str
    second: str
    value: float
    standard_error: float
    interval: Interval
    simultaneous: Interval
    p_value: float
    adjusted_p_value: float
    diagnostics: tuple[Diagnostic, ...] = ()
    bias_range: Interval | None = None

    def __float__(self) -> float:
        return self.value

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else str(self)

    def frame(self) -> Columns:
        """Return one row: both names, difference, interval and p-values."""
        numbers = {
            "difference": self.value,
            "low": self.interval.low,
            "high": self.interval.high,
            "p_value": self.p_value,
            "adjusted_p_value": self.adjusted_p_value,
        }
        names = {"first": self.first, "second": self.second}
        return {key: np.array([value]) for key, value in (names | numbers).items()}

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.first} − {self.second}: {self.value:+.4f}, {100 * self.interval.level:g}% "
            f"{self.interval.kind} interval {low:+.4f} to {high:+.4f}, adjusted p {self.adjusted_p_value:.3g}"
        )


def differences_of(
    setting: Setting,
    pairs: list[tuple[str, str]],
    spreads: list[list[Spread]],
    method: str,
    orders: list[Spread] | None = None,
    ranges: list[Interval] | None = None,
    tilted: list[list[Spread]] | None = None,
) -> list[Difference]:
    """Intervals and p-values of all pairs of models.

    ``spreads`` are value, error and degrees of freedom at each pair of prior and purity of the setting,
    ``tilted`` those that biased labels may give.

    ``orders`` are those of what has the sign of the difference whatever the prior is. They give p-values and
    may settle the sign: a range of priors can leave open how large the difference is, down to 0, and yet
    not which model is better. ``ranges`` are what biased labels leave open.
    """
    count, level = len(pairs), setting.level
    # Over a range of priors the least convincing difference counts; biased labels can turn the order round.
    settled = orders if ranges is None else None
    if settled is not None:
        p_values = np.array([_chance(*order) for order in settled])
    else:
        least = [_least_convincing(setting, [s[i] for s in spreads]) for i in range(count)]
        if tilted:
            beyond = [_worst([s[i] for s in (*spreads, *tilted)]) for i in range(count)]
            least = [max(pair) for pair in zip(least, beyond, strict=True)]
        p_values = np.array(least)
    adjusted = holm_adjusted(p_values)
    result = []
    for i, (first, second) in enumerate(pairs):
        value, error, _ = spreads[0][i]
        value = with_sign_of_order(value, i, orders, setting.gap)
        ends = []
        for sure, chance in (level, p_values[i]), (1 - (1 - level) / count, adjusted[i]):
            low, high = _limits(setting, [s[i] for s in spreads], sure)
            for gap, spread, degrees in (s[i] for s in tilted or ()):
                reach = student_quantile(degrees, sure) * spread
                low, high = min(low, gap - reach), max(high, gap + reach)
            if settled is not None and chance <= 1 - level:
                low, high = _on_one_side(low, high, value, settled[i][0])
            ends.append(setting.interval(min(low, value), max(high, value), method))
        own, all_at_once = ends
        found = float(p_values[i]), float(adjusted[i])
        open_ = None if ranges is None else ranges[i]
        result.append(
            Difference(first, second, value, error, own, all_at_once, *found, bias_range=open_)
        )
    return result


def with_sign_of_order(value: float, place: int, orders: list[Spread] | None, gap: float) -> float:
    """A difference of areas with the sign of their order, which the repair of curves may have changed."""
    if orders is None or value * orders[place][0] >= 0 or abs(orders[place][0]) < _ROUNDING:
        return value
    return float(np.clip(orders[place][0] / gap, -1.0, 1.0))


def _limits(setting: Setting, spreads: list[Spread], level: float) -> tuple[float, float]:
    """Limits of one difference over all pairs that are possible."""
    middle = np.array([s[0] for s in spreads])
    reach = np.array([student_quantile(s[2], level) * s[1] for s in spreads])
    low, high = limits_over(setting.assumed, (middle, middle - reach, middle + reach), level)
    return float(low), float(high)


def _least_convincing(setting: Setting, spreads: list[Spread]) -> float:
    """The p-value of no difference: one less the level at which 0 is an end of the interval."""
    if len(spreads) == 1:
        return _chance(*spreads[0])
    least, most = 0.0, 1.0  # of the p-value
    for _ in range(_HALVINGS):
        tried = (least + most) / 2
        low, high = _limits(setting, spreads, 1 - tried)
        least, most = (tried, most) if low <= 0 <= high else (least, tried)
    return most


def _worst(spreads: list[Spread]) -> float:
    """The largest p-value of several; 1 if the sign is open."""
    if min(s[0] for s in spreads) < 0 < max(s[0] for s in spreads):
        return 1.0
    return max(_chance(*s) for s in spreads)


def _on_one_side(low: float, high: float, value: float, sign: float) -> tuple[float, float]:
    """The interval as far as it agrees with the sign, and as far as the value."""
    return (max(low, 0.0), max(high, value)) if sign > 0 else (min(low, value), min(high, 0.0))


def _chance(value: float, error: float, degrees: float) -> float:
    """Two-sided p-value by Student's law."""
    from scipy.special import stdtr

    return 2 * float(stdtr(degrees, -abs(value) / error)) if error > 0 else float(value == 0)


_PILES = 500
_BLOCKS = 1024  # enough for a spread, if not for a value
_MANY = 200_000  # rows from which on piles are drawn


def replicates(
    joint: JointTable, points: dict[str, Setting], statistic: Statistic, n_resamples: int, rng: Any
) -> dict[str, FloatArray]:
    """The statistic of each model on so many resamples."""
    drawn: dict[str, list[float]] = {name: [] for name in points}
    many = joint.kind.size > _MANY and joint.independent
    in_piles = many and joint.weight is None and statistic.ranks_only
    draw = _piled_tables if in_piles else _row_tables
    for name, table in draw(joint, points, statistic, n_resamples, as_generator(rng)):
        drawn[name].append(statistic.difference_value(statistic.on(points[name], table)))
    found = {name: np.array(values) for name, values in drawn.items()}
    if not all(np.isfinite(values).all() for values in found.values()):
        raise UnsupportedError(
            f"{statistic.name!r} is undefined on some resamples, so its spread is unknown. Use "
            "interval='analytic', or choose a threshold with more rows on both sides."
        )
    return found


def _piled_tables(
    joint: JointTable,
    points: dict[str, Setting],
    statistic: Statistic,
    n_resamples: int,
    rng: np.random.Generator,
) -> Iterator[tuple[str, ScoreTable]]:
    """Tables on blocks, with piles of rows drawn again."""
    fewer = joint.fewer
    members = [np.flatnonzero(fewer.kind == kind) for kind in range(3)]
    piles = [rng.integers(_PILES, size=rows.size, dtype=np.int64) for rows in members]
    bases = {name: point.samples.blocks.in_blocks(_BLOCKS).table for name, point in points.items()}
    moves: list[dict[str, FloatArray] | None] = []
    for kind, rows in enumerate(members):
        if not rows.size:
            moves.append(None)
            continue
        again = rng.multinomial(_PILES, np.full(_PILES, 1 / _PILES), size=n_resamples) - 1.0
        # Rows that stand for several: their sums count as often, and vary as those of all rows.
        scale = np.sqrt(fewer.stands_for) if kind == 1 else 1.0
        own = {}
        for name, base in bases.items():
            place = places_among(base.score, fewer.scores[name][rows])
            cells = piles[kind] * base.score.size + place
            counts = np.bincount(cells, minlength=_PILES * base.score.size).astype(np.float64)
            # Whole numbers: their sums are exact, in whichever order they are added.
            own[name] = scale * (again @ counts.reshape(_PILES, -1))
        moves.append(own)
    for i in range(n_resamples):
        for name, base in bases.items():
            columns = [
                column
                if (move := moves[kind]) is None
                else np.maximum(np.rint(column + move[name][i]), 0.0).astype(np.int64)
                for kind, column in enumerate((base.n_pos, base.n_unl, base.n_neg))
            ]
            yield name, base.with_counts(*columns)


def _row_tables(
    joint: JointTable,
    points: dict[str, Setting],
    statistic: Statistic,
    n_resamples: int,
    rng: np.random.Generator,
) -> Iterator[tuple[str, ScoreTable]]:
    """Tables with rows drawn again."""
    draw = _row_weights if joint.independent else _group_weights
    for _ in range(n_resamples):
        weights = draw(joint, rng)
        for name in points:
            yield name, _reweighted(joint, name, weights, statistic.ranks_only)


def _row_weights(joint: JointTable, rng: np.random.Generator) -> Any:
    """How often each row is drawn, as many of each kind as there are."""
    weights = np.zeros(joint.kind.size, dtype=np.int64)
    for kind in range(3):
        rows = np.flatnonzero(joint.kind == kind)
        if rows.size:
            picked = rng.integers(rows.size, size=rows.size)
            weights[rows] = np.bincount(picked, minlength=rows.size)
    return weights


def _group_weights(joint: JointTable, rng: np.random.Generator) -> Any:
    """How often each row is drawn if groups are; repeated if no labelled or no other row is drawn."""
    units, labelled = joint.units, joint.kind == 0
    assert units is not None
    weights = np.zeros(labelled.size, dtype=np.int64)
    while not (weights[labelled].any() and weights[~labelled].any()):
        picked = rng.integers(units.total, size=units.total)
        weights = np.bincount(picked, minlength=units.total)[units.place]
    return weights


def _reweighted(joint: JointTable, name: str, weights: Any, ranks_only: bool) -> ScoreTable:
    table = joint.tables[name]
    base = table.cut() if ranks_only else table
    place = joint.places[name] if ranks_only else joint.whole_places[name]
    columns = []
    for kind in range(3):
        rows = joint.kind == kind
        columns.append(np.bincount(place[rows], weights=weights[rows], minlength=base.score.size))
    counts = [column.astype(np.int64) for column in columns]
    if joint.weight is None:
        return base.with_counts(*counts)
    labelled = joint.kind == 0
    again, own, size = weights[labelled], joint.weight[labelled], base.score.size
    sums, squares = (
        np.bincount(place[labelled], weights=again * part, minlength=size).astype(np.float64)
        for part in (own, own**2)
    )
    return base.with_counts(*counts, inverse=(sums, squares, sums))
