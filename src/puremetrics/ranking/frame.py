"""What all ranking measures share: value, curve, limits, and the p-value of PULP.

**Limits** (`limits_of`) follow from the influence of the rows. They are Student's limits on the logit scale
of the values that rankings of these rows can take. A ranking without a mistake at one end shows no sampling
error there, though the next sample may have one. So one row of each kind is added at both ends, and the scale
reaches beyond the possible values by the effect of one row.

Where do these rows go? Next to the rows that were seen there, they describe samples like this one. At the
very ends they describe what no sample of this size can exclude: that a few positives rank below all
negatives. A limit goes that far, but not further than the one of Clopper and Pearson for as many rows that
all are as good or as bad as can be: no mean of values in the same range varies more.

**The p-value of PULP itself** (`p_value_of`): how likely a ranking that knows nothing of the labels has a
PULP as large. Null hypothesis: every choice of t labelled rows among the N rows is equally likely, whatever
their scores. 1 − PULP is the mean over operating points of Fisher's p-values P(X ≥ k), which depend on each
other, so its law has no closed form. Twice a mean of p-values is always a valid p-value (Rüschendorf 1982;
Vovk and Wang 2020): that is the answer where the order of the unlabeled rows is not known any more (cut
tables), and for more than a million labels. It cannot fall below 2/(t + 1).

Elsewhere the law is that of labellings of the same rows, ties included:

- *Few labellings.* All of them are counted, with their probabilities: the p-value is exact.
- *Many.* Labellings are drawn from a mixture of the null law and of laws that favour the top: row by row, a
  labelled row comes next with the odds θ · (labelled rows left) : (others left), for a ladder of θ. With
  weights w = null / mixture,

      p = (w(table) + Σ_i w_i · [PULP_i ≥ PULP]) / (n + 1)

  is valid on average over generators, whatever the mixture (Harrison 2012), and reaches p-values far below
  1/n. The generator is fixed, so the simulation's own error is added (95%, one-sided): a few per cent.
  Below one in a million the simulation says no more than that. Rows are taken in cells (`NullCells`), single
  rows at both ends, more towards the middle, ties together; in each the number of labelled rows is proposed
  by a binomial law.

**Cells** (`NullCells`) serve that law: PULP is a function of the labelled rows in each. By the formula in
`ranking.kernels` PULP is 1/(t+1) · Σ_k c_k(τ_k), with c_k(τ) = P(Y_τ ≤ k − 1) and τ_k the rank of the k-th
labelled row. The functions c_k are kept at the edges of cells with their slopes, and interpolated by cubics;
of more than 256 labelled rows only some, denser at both ends, are looked at.

A unit is a tied block or a cell of other rows. With r labelled rows among its m, the rank of the i-th in it
has mean i (m + 1) / (r + 1) and variance i (r + 1 − i) (m + 1) (m − r) / ((r + 1)² (r + 2)). In a tied block
c_k is averaged over the law of that rank, by three places that share its first four moments (skewness and
kurtosis from the beta law of the same shape); elsewhere one rank with that mean and variance is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.arguments import check_level
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics import hypergeometric
from puremetrics.numerics.quantiles import beta_quantile
from puremetrics.ranking.influence import Cells, Pair, Spread, even_points, influence_of
from puremetrics.ranking.kernels import Blocks, pulp_sums
from puremetrics.ranking.measures import MEASURES, Ranked, Sizes
from puremetrics.results import Curve, Estimate, Interval, Named
from puremetrics.sampling.limits import linear_variance, logit_limits
from puremetrics.setting import check_whole, independent
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "NullCells",
    "NullLaw",
    "RankingEstimate",
    "Terms",
    "check_rows",
    "estimate",
    "finish",
    "limits_of",
]


_SMALL = 300  # rankings up to this size have a cell for every row
_EVEN = 128
_GROWTH = 1.06
_LOOKED_AT = 256  # labelled rows whose terms are summed
_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class NullCells:
    """Cells edge[i] < rank ≤ edge[i + 1]; those of one tied block make up one unit, others are units.

    ``first_scores`` says where each unit begins among the scores, ``tied`` whether it is one of them.
    """

    edges: FloatArray
    starts: FloatArray
    size: FloatArray
    tied: Any
    first_scores: Any

    @property
    def total(self) -> float:
        """Number of rows."""
        return float(self.edges[-1])

    @staticmethod
    def of(rows: Any) -> NullCells:
        """Cells of a ranking with so many rows of each score; labels play no part."""
        rows = np.asarray(rows, dtype=np.float64)
        ends = np.cumsum(rows)
        first = ends - rows
        points = _points(float(ends[-1]))
        block = np.searchsorted(ends, points, side="left")
        inside = (points < ends[block]) & (points > first[block])
        wide = np.zeros(ends.size, dtype=np.bool_)
        wide[block[inside]] = True
        # Units never divide a tied block; a block that a point would divide is a unit of its own.
        kept = np.concatenate([points[~inside], first[wide], ends[wide]])
        borders = np.unique(kept)
        starts = borders[:-1]
        place = np.searchsorted(first, starts, side="left")
        size = np.diff(borders)
        edges = np.unique(np.concatenate([points, borders]))
        return NullCells(edges, starts, size, (rows[place] == size) & (size > 1), place)

    def labellings(self, marked: int, most: int) -> Any | None:
        """Every way to spread the labelled rows over the units, or None if there are too many."""
        found: list[tuple[tuple[int, ...], int]] = [((), marked)]
        room = self.total
        for size in self.size.tolist():
            room -= size
            found = [
                ((*row, taken), left - taken)
                for row, left in found
                for taken in range(int(max(left - room, 0)), int(min(left, size)) + 1)
            ]
            if len(found) > most:
                return None
        return np.array([row for row, _ in found], dtype=np.int64)

    def rows_are_units(self, rows: Any) -> bool:
        """Whether every unit is one score, so that a labelling of units says all."""
        return self.size.size == rows.size and self.total <= _SMALL

    def exact(self, hits: Any) -> FloatArray:
        """PULP of labellings, if every unit is a row or a tied block."""
        size, at = self.size.astype(np.int64), np.array([self.total])
        sums = [pulp_sums(Blocks.of(row, size - row), at)[0] for row in hits]
        return np.array(sums) / (self.total + 1)


@dataclass(frozen=True, eq=False)
class Terms:
    """The functions c_k of some labelled rows k, their weights, and values and slopes at the edges."""

    cells: NullCells
    k: Any
    weight: FloatArray
    value: FloatArray
    slope: FloatArray

    @staticmethod
    def of(cells: NullCells, marked: int) -> Terms:
        """Functions of all labelled rows, or of some that stand for their neighbours."""
        angle = np.linspace(0, np.pi, min(marked, _LOOKED_AT) + 1)
        borders = np.unique(np.round(marked * (1 - np.cos(angle)) / 2))
        if marked <= _LOOKED_AT:
            borders = np.arange(marked + 1.0)
        k = np.floor((borders[1:] + borders[:-1] + 1) / 2)
        weight = np.diff(borders) / (marked + 1)
        n, t = cells.total + 1, marked + 1.0
        at = cells.edges[None, :]
        value = hypergeometric.cdf(k[:, None] - 1, n, t, at)
        here = np.exp(hypergeometric.log_pmf(k[:, None] - 1, n, t, at))
        # One more row is drawn: it is marked, and the k-th, with this chance.
        slope = -here * (t - k[:, None] + 1) / np.maximum(n - at, 1.0)
        return Terms(cells, k.astype(np.int64), weight, value, slope)

    def at(self, ranks: FloatArray) -> FloatArray:
        """The functions at ranks of their labelled rows, which lie along the last axis."""
        edges = self.cells.edges
        place = np.clip(np.searchsorted(edges, ranks, side="left") - 1, 0, edges.size - 2)
        width = np.diff(edges)[place]
        x = np.clip((ranks - edges[place]) / width, 0.0, 1.0)
        row = np.arange(self.k.size)
        low, high = self.value[row, place], self.value[row, place + 1]
        fall = high - low
        a, b = (np.clip(self.slope[row, place + side] * width, 3 * fall, 0.0) for side in (0, 1))
        return np.asarray(low + x * (a + x * ((3 * fall - 2 * a - b) + x * (a + b - 2 * fall))))

    def pulp(self, hits: Any, rng: np.random.Generator) -> FloatArray:
        """PULP of labellings, given as labelled rows in each unit."""
        step = max(int(_AT_ONCE / self.k.size), 1)
        parts = [self._some(hits[i : i + step], rng) for i in range(0, hits.shape[0], step)]
        return np.concatenate(parts)

    def pulp_of_ranks(self, hits: Any, ranks: FloatArray) -> float:
        """PULP of one labelling whose labelled rows have these ranks; in tied blocks only hits count."""
        drawn = self._places(hits[None, :])
        mean = self._mean(drawn, np.where(drawn.tied, np.nan, ranks[self.k - 1][None, :]))
        return float((mean @ self.weight)[0])

    def _some(self, hits: Any, rng: np.random.Generator) -> FloatArray:
        drawn = self._places(hits)
        noise = np.sqrt(3) * (2 * rng.random(hits.shape) - 1)  # one for all labelled rows of a unit
        ranks = drawn.mean + drawn.spread * np.take_along_axis(noise, drawn.unit, axis=1)
        return np.asarray(self._mean(drawn, ranks) @ self.weight)

    def _mean(self, drawn: Places, ranks: FloatArray) -> FloatArray:
        """Terms at these ranks, or averaged over orders where rows are tied."""
        tied = drawn.tied
        result = self.at(np.clip(np.where(tied, drawn.mean, ranks), drawn.low, drawn.high))
        if not tied.any():
            return result
        above, below, weights = _three(drawn.i, drawn.r)
        result = result * np.where(tied, 1 - weights[0] - weights[1], 1.0)
        for node, weight in zip((above, below), weights, strict=True):
            places = np.clip(drawn.mean + node * drawn.spread, drawn.low, drawn.high)
            result += np.where(tied, weight, 0.0) * self.at(places)
        return np.asarray(result)

    def _places(self, hits: Any) -> Places:
        cells = self.cells
        unit, i = _where(hits, self.k)
        r = np.take_along_axis(hits, unit, axis=1).astype(np.float64)
        m, start = cells.size[unit], cells.starts[unit]
        variance = i * (r + 1 - i) * (m + 1) * (m - r) / ((r + 1) ** 2 * (r + 2))
        mean, spread = start + i * (m + 1) / (r + 1), np.sqrt(np.maximum(variance, 0.0))
        return Places(unit, i, r, mean, spread, start + i, start + m - (r - i), cells.tied[unit])


class Places(NamedTuple):
    """Of each labelled row: its unit, its number i of r there, and the law of its rank."""

    unit: Any
    i: FloatArray
    r: FloatArray
    mean: FloatArray
    spread: FloatArray
    low: FloatArray
    high: FloatArray
    tied: Any


def _three(i: FloatArray, r: FloatArray) -> tuple[FloatArray, FloatArray, list[FloatArray]]:
    """Two standardised places besides the mean, and their weights: four moments of Beta(i, r + 1 − i)."""
    a, b = i, r + 1 - i
    skew = 2 * (b - a) * np.sqrt(a + b + 1) / ((a + b + 2) * np.sqrt(a * b))
    excess = (a - b) ** 2 * (a + b + 1) - a * b * (a + b + 2)
    kurtosis = 3 + 6 * excess / (a * b * (a + b + 2) * (a + b + 3))
    root = np.sqrt(4 * kurtosis - 3 * skew**2)
    above, below = (skew + root) / 2, (skew - root) / 2
    return above, below, [1 / (above * root), -1 / (below * root)]


def _where(hits: Any, k: Any) -> tuple[Any, FloatArray]:
    """Unit of the k-th labelled row of every labelling, and its place among those of the unit."""
    running = np.cumsum(hits, axis=1)
    marked = int(running[0, -1])
    offset = np.arange(hits.shape[0])[:, None] * (marked + 1)
    flat = np.searchsorted((running + offset).ravel(), (k[None, :] + offset).ravel(), side="left")
    unit = flat.reshape(hits.shape[0], k.size) - np.arange(hits.shape[0])[:, None] * hits.shape[1]
    before = np.take_along_axis(running - hits, unit, axis=1)
    return unit, (k[None, :] - before).astype(np.float64)


def _points(total: float) -> FloatArray:
    if total <= _SMALL:
        return np.arange(total + 1)
    steps = int(np.ceil(np.log(total) / np.log(_GROWTH)))
    near = np.minimum(np.floor(_GROWTH ** np.arange(steps + 1)), total)
    even = np.round(np.linspace(0, total, _EVEN + 1))
    return np.unique(np.concatenate([even, near, total - near]))


DRAWS = 4000
LEAST = 1e-6  # what a simulation can show
_RUNGS = np.array([0.0, 1.0, 2.0, 3.0, 4.5, 6.5, 9.0])  # log-odds, in units of what chance does
_BEYOND = 1.645  # standard errors of the simulation that are added
_ALL = 3000  # labellings that are counted one by one
_LARGEST = 10**9  # rows of numpy's hypergeometric law
_SLACK = 1e-10  # of equal values
_MOST_LABELS = 10**6  # that are placed one by one


class NullLaw:
    """The law of PULP over all labellings of the rows of a table; made when first asked for."""

    def __init__(self, table: ScoreTable, value: float) -> None:
        self.value = value
        self._table: ScoreTable | None = table

    @cached_property
    def p_value(self) -> float:
        """Probability of a PULP as large."""
        table = self._table
        assert table is not None
        if table.is_cut or table.is_scanned or table.total_pos > _MOST_LABELS:
            return min(2 * (1 - self.value), 1.0)
        kinds = (table.n_pos, table.n_unl, table.n_neg)
        pos, *others = (np.asarray(kind, dtype=np.int64) for kind in kinds)
        return p_value_of(pos, pos + others[0] + others[1])

    def __getstate__(self) -> dict[str, Any]:
        # The table may be large: only its answer is kept.
        return {"value": self.value, "_table": None, "p_value": self.p_value}


def p_value_of(pos: Any, rows: Any) -> float:
    """Probability of a PULP as large, from labelled and all rows of each score, best first."""
    cells = NullCells.of(rows)
    marked = int(pos.sum())
    hits = np.add.reduceat(pos, cells.first_scores)
    if marked == 1:  # PULP falls with the rank
        reached = np.cumsum(rows)[int(np.argmax(pos))]
        return float(reached / cells.total)
    rng = np.random.default_rng(0)
    every = cells.labellings(marked, _ALL)
    if every is not None and cells.rows_are_units(rows):
        values = cells.exact(np.vstack([hits, every]))
        reached = values[1:] >= values[0] - _SLACK
        log_weight = _log_choose(cells.size, every).sum(axis=1)[reached]
        chance = np.exp(log_weight - _log_choose(cells.total, float(marked)))
        return min(float(chance.sum()), 1.0)
    terms = Terms.of(cells, marked)
    places = _numbers(pos) * np.repeat((rows + 1) / (pos + 1), pos)  # of tied rows: on average
    least = terms.pulp_of_ranks(hits, np.repeat(np.cumsum(rows) - rows, pos) + places) - _SLACK
    proposal = Proposal.ladder(cells, marked)
    drawn, possible = proposal.draw(rng, DRAWS)
    reached = possible & (terms.pulp(drawn, rng) >= least)
    own, *weights = np.exp(proposal.log_weights(np.vstack([hits, drawn[reached]])))
    some = np.concatenate([weights, np.zeros(DRAWS - len(weights))])
    error = float(np.std(some)) / np.sqrt(DRAWS)
    return float(np.clip((own + some.sum()) / (DRAWS + 1) + _BEYOND * error, LEAST, 1.0))


@dataclass(frozen=True, eq=False)
class Proposal:
    """A mixture of the null law and of laws that favour the top, by log-odds of a labelled row."""

    cells: NullCells
    marked: int
    log_odds: FloatArray
    share: FloatArray

    @staticmethod
    def ladder(cells: NullCells, marked: int) -> Proposal:
        """Rungs up to what chance does once in a million times."""
        unit = np.sqrt(1 / marked + 1 / max(cells.total - marked, 1.0))
        return Proposal(cells, marked, _RUNGS * unit, np.full(_RUNGS.size, 1 / _RUNGS.size))

    def draw(self, rng: np.random.Generator, count: int) -> tuple[Any, Any]:
        """Labelled rows in every unit, and which of the draws are possible at all."""
        which = rng.choice(self.log_odds.size, size=count, p=self.share)
        odds = np.exp(self.log_odds[which])
        plain = np.flatnonzero(which == 0)
        left = np.full(count, self.marked, dtype=np.int64)
        rows = int(self.cells.total)
        possible = np.ones(count, dtype=np.bool_)
        drawn = np.zeros((count, self.cells.size.size), dtype=np.int64)
        for unit, size in enumerate(self.cells.size.astype(np.int64).tolist()):
            if size == rows:
                drawn[:, unit] = left
                break
            inner, outer, tries = _urn(size, left, rows)
            chance = odds * inner / (odds * inner + outer)
            taken = rng.binomial(tries, chance)
            if plain.size and rows <= _LARGEST:
                taken[plain] = rng.hypergeometric(left[plain], rows - left[plain], size)
            fits = np.maximum(taken, size - (rows - left))
            possible &= fits == taken
            drawn[:, unit] = fits
            left = left - fits
            rows -= size
        return drawn, possible

    def log_weights(self, drawn: Any) -> FloatArray:
        """Log of null / mixture for every draw."""
        sizes = self.cells.size
        rows = self.cells.total - (np.cumsum(sizes) - sizes)
        left = (self.marked - (np.cumsum(drawn, axis=1) - drawn)).astype(np.float64)
        null = _log_choose(sizes, drawn).sum(axis=1) - _log_choose(
            self.cells.total, float(self.marked)
        )
        choice = rows > sizes  # of the last unit all that is left is taken
        taken = drawn[:, choice].astype(np.float64)
        inner, outer, tries = _urn(sizes[choice], left[:, choice], rows[choice])
        with np.errstate(divide="ignore", invalid="ignore"):
            fixed = np.where(taken > 0, taken * np.log(inner), 0.0)
            fixed += np.where(tries > taken, (tries - taken) * np.log(outer), 0.0)
        fixed += _log_choose(tries, taken)
        parts = []  # log of each part of the mixture over the null law
        for log_odds, share in zip(self.log_odds, self.share, strict=True):
            if log_odds == 0 and self.cells.total <= _LARGEST:
                parts.append(np.full(drawn.shape[0], np.log(share)))
                continue
            both = tries * np.log(np.exp(log_odds) * inner + outer)
            chance = fixed.sum(axis=1) + log_odds * taken.sum(axis=1) - both.sum(axis=1)
            parts.append(np.log(share) + chance - null)
        stacked = np.stack(parts)
        most = stacked.max(axis=0)
        return np.asarray(-most - np.log(np.exp(stacked - most).sum(axis=0)))


def _urn(size: Any, left: Any, rows: Any) -> tuple[Any, Any, Any]:
    """Odds ``inner`` : ``outer`` of each of so many tries to be a labelled row of the unit.

    Tries are the rows of the unit, or the labelled rows that are left, whichever are fewer.
    """
    by_row = size <= left
    return (
        np.where(by_row, left, size),
        np.where(by_row, rows - left, rows - size),
        np.where(by_row, size, left),
    )


def _numbers(counts: Any) -> Any:
    """1, 2, … within each run of so many."""
    return np.arange(1, counts.sum() + 1) - np.repeat(np.cumsum(counts) - counts, counts)


def _log_choose(total: Any, chosen: Any) -> FloatArray:
    from scipy.special import gammaln

    return np.asarray(gammaln(total + 1) - gammaln(chosen + 1) - gammaln(total - chosen + 1))


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
    reach = (np.ptp(np.concatenate(kind)) for kind in zip(rows, added, strict=True))
    one = max(float(way) / count for way, count in zip(reach, ranked.samples.sizes, strict=True))
    one = max(one, 1e-12 * (best - worst))  # so that floats can tell the value from the best one
    inside = min(max(value, worst), best)  # sums of many rows may go beyond by rounding
    return logit_limits(inside, variance, level, worst - one, best + one)


def _added(rows: Pair, beyond: Pair, far: int | None) -> Pair:
    """Influence of the added rows, of both kinds: at the top and at the bottom."""
    near = tuple(kind[[0, -1]] for kind in rows)
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
    if not (measure.has_null_law and independent(table)):  # a p-value is that of independent rows
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
        ranked = ranked.allow_for_groups(spread.here, check_level(level))
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
