"""Contingency tables from the number of latent positives in a head, and the most extreme of them.

**One table** (Claesen, Section 4.1). `LatentChoice.x_at` is Eq. (11): how many of the latent positives a head
holds, at the limits that a band sets; `LatentChoice.entries` is Eq. (12). The package's docstring explains
the symbols. `corner_tables` finds what is extreme over all numbers of latent positives that are possible.

**How many positives there may be among the unlabeled rows** (`latent_range`). A prior can be said of two
things.

``prior_of="rows"``
    It is the share of positives among these very rows, as in the paper. The number of latent positives m is
    then known: share · |U|, rounded to the nearest whole number.
``prior_of="population"`` (default)
    It is the share in the population that the rows were drawn from, so m is random. In case-control m is
    Binomial(|U|, prior). In a single training set of n rows the positives, labelled or not, are Binomial(n,
    prior). Given their number and that of the labels, labels fall on a random part of them, which is all
    that a band asks for; so m is that number less the labels, between its quantiles less the labels. That
    the number of labels is seen helps nothing: how many positives get one is not known.

    A fifth of the error level goes to m, the rest to the band. By the union bound both hold together with the
    confidence that was asked for.

Of a range of the prior the lower quantile is taken at its low end, the upper one at its high end. Rates and
areas need a positive and a negative row; bounds hold given that the rows that count have one of each.

**The most extreme tables** (`corner_tables`) over all numbers of latent positives that are possible. Let m be
the number of latent positives and x how many of them a head holds, at its lower or at its upper limit. By
every band x(m) is a staircase: one latent positive more, and it stays or rises by one. (The exact band: see
`bounds.latent_limits`. The others scale a rate with m and round. The corner cases of Eq. (11) keep it.)

Call a metric good if it never falls when

1. a latent positive changes places with a negative of the head (x + 1: one false positive less, and one
   false negative),
2. a latent positive of the tail becomes a negative (m − 1: one false negative less),
3. a negative of the head becomes a latent positive (x + 1 and m + 1: one false positive less).

Every metric of `metric` is good, or its negative is; the tests try each on all small tables. For ratios of
true to all positives, negatives or rows that is plain. With head H, tail T, positives P, negatives N and the
covariance C = TP·TN − FP·FN, Matthews' correlation C / √(H·T·P·N) grows along 2 by a positive multiple of H·P
+ TP·(N − P) ≥ 0, and Cohen's kappa 2·C / (H·N + T·P) by one of H·(H·N + T·P) + C·(T − H) ≥ 0, because TP ≤ H,
TP ≤ P, TN ≤ N and FP·FN ≤ H·P. Along 3 it is the same with head and tail exchanged.

So between two numbers of latent positives a < b the best table is that in which x rises first and then stays,
(x, m) = (x_b, a + x_b − x_a), and the worst that in which it stays first, (x_a, b − (x_b − x_a)). If b = a +
1 these are tables that are possible, and the extremes are exact. If not, they enclose what is possible.
(Pseudo-F, F1 divided by the share of positives, is good along 1 and 2 only. It is enclosed by (x_b, a) and
(x_a, b).)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from puremetrics.bounds.latent_limits import RANK_LIMITS, LatentLimits, binomial_quantile
from puremetrics.checking.arguments import check_choice, check_flag
from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.exceptions import InputError, PriorError, UnsupportedError
from puremetrics.sampling.clustered import allow_for_groups_in_heads
from puremetrics.scenarios import PRIOR_OF
from puremetrics.setting import Setting, check_unlabeled, check_whole
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "CELLS",
    "MANY",
    "MOST",
    "SIDES",
    "CurveLimits",
    "Entries",
    "HeadCounts",
    "LatentChoice",
    "LatentRange",
    "check_countable",
    "check_rank_limits",
    "corner_tables",
    "head_at",
    "latent_range",
    "limits_of_parts",
    "rate_limits",
    "spread",
    "whole_heads",
]


CELLS = 20_000  # heads times numbers of latent positives, up to which all numbers are looked at
MOST = 1_000_000  # the same, where numbers in between are enclosed
_FEWEST = 9  # numbers of latent positives, however many the heads are
_LOOSE = 0.04
_SHARE = 0.2  # of the error level, for the number of latent positives


class LatentRange(NamedTuple):
    """Fewest and most latent positives, and the level that is left for the band."""

    low: int
    high: int
    level: float


def latent_range(setting: Setting, prior_of: str = "population") -> LatentRange:
    """Whole numbers of latent positives that are possible at the prior, or at the ends of its range."""
    known = setting.assumed
    meaning = check_choice(prior_of, PRIOR_OF, "prior_of")
    if not known.clean:
        raise UnsupportedError(
            f"Bounds assume that every labelled row is positive, but the purity is {known.purity:g}. Use "
            "roc_auc or another estimate that corrects for noisy labels."
        )
    if meaning == "rows":
        return LatentRange(*_of_rows(setting), setting.level)
    error = _SHARE * (1 - setting.level)
    low, high = _of_population(setting, error)
    if low == high:
        return LatentRange(low, high, setting.level)
    return LatentRange(low, high, 1 - (1 - _SHARE) * (1 - setting.level))


def spread(
    low: int, high: int, hidden: float, known: int, heads: int, cells: int = CELLS, most: int = MOST
) -> FloatArray:
    """All numbers from low to high, or if these are too many tables, some that are evenly spread.

    ``hidden`` is about how many rows a band with so many ``known`` ones is for. What lies between two
    numbers is enclosed (see `corner_tables`), by up to t (1 − t) · Δm / m of a rate t, with limits that are
    at least sqrt(t (1 − t) · (1/m + 1/n)) · 1.96 away. As many numbers are taken as keep that below 4% of
    this, if times the heads they are at most ``most`` tables.
    """
    span = high - low
    reach = 1.96 * 2 * math.sqrt(max(hidden, 1.0) * (1 + hidden / max(known, 1)))
    needed = math.ceil(span / (_LOOSE * reach)) + 1
    count = max(cells // max(heads, 1), min(needed, most // max(heads, 1)), _FEWEST)
    if span < count:
        return np.arange(low, high + 1.0)
    return np.unique(np.linspace(low, high, count).round())


def _of_rows(setting: Setting) -> tuple[int, int]:
    """Both ends of the prior as shares among the rows."""
    table = setting.table
    counts = []
    for prior in (setting.assumed.low, setting.assumed.high):
        share = setting.design.unlabeled_share(table.totals, prior)
        assert share is not None
        counts.append(int(np.floor(share * table.total_unl + 0.5)))
    return counts[0], counts[1]


def _of_population(setting: Setting, error: float) -> tuple[int, int]:
    """Quantiles of the number of latent positives, as far as both classes are there."""
    table, design = setting.table, setting.design
    rows = int(design.population_size(table.totals))
    seen = int(design.counted(table.total_pos, 0, 0, 0)[0])  # labelled rows of the population
    sides = (setting.assumed.low, error / 2), (setting.assumed.high, 1 - error / 2)
    further = float(np.sqrt(setting.samples.effect[1]))  # groups of rows have more alike numbers
    ends = []
    for prior, probability in sides:
        count = int(binomial_quantile(np.array([prior]), rows, probability)[0])
        if further > 1:
            count = round(prior * rows + further * (count - prior * rows))
        ends.append(count - seen)
    # One positive and one negative at least, unless even the prior itself says that there is none.
    positives, negatives = design.counted(*table.totals, 0)
    least = int(positives == 0 and setting.assumed.high > 0)
    unlabeled = int(table.total_unl)
    most = unlabeled - int(negatives == unlabeled and setting.assumed.low < 1)
    low, high = (min(max(end, least), max(most, 0)) for end in ends)
    return low, high


SIDES = ("lower", "upper")
_BASES = ("positives", "negatives", "tightest")


class HeadCounts(NamedTuple):
    """Whole numbers of rows at or above each threshold."""

    threshold: FloatArray
    pos: FloatArray
    unl: FloatArray
    neg: FloatArray


def check_countable(table: ScoreTable) -> None:
    """Refuse tables that have no bounds: with weights, or with nothing hidden."""
    check_whole(table, "A bound", "roc_auc or another estimate")
    check_unlabeled(table)


def check_rank_limits(rank_limits: str, simultaneous: bool) -> str:
    """Return how ranks are limited, if that can hold at all thresholds at once where it must."""
    made = check_choice(rank_limits, RANK_LIMITS, "rank_limits")
    if check_flag(simultaneous, "simultaneous") and made not in ("exact", "dkw"):
        raise InputError(
            f"Limits by {made!r} cannot hold at all thresholds at once. Use rank_limits='exact' or 'dkw'."
        )
    return made


def head_at(table: ScoreTable, threshold: float) -> HeadCounts:
    """The head at one threshold, as arrays of length one."""
    pos, unl, neg = (np.array([count]) for count in table.heads_at(threshold))
    return HeadCounts(np.array([threshold]), pos, unl, neg)


def whole_heads(table: ScoreTable) -> HeadCounts:
    """Heads at every row of the table, the empty one first."""
    columns = [
        np.concatenate([[0.0], np.cumsum(column)])
        for column in (table.n_pos, table.n_unl, table.n_neg)
    ]
    return HeadCounts(np.concatenate([[np.inf], table.score]), *columns)


class CurveLimits(NamedTuple):
    """Limits of the band by number of latent positives (rows) and different head (columns).

    ``place`` says which column each head has, ``slack`` by how many rows the limits of other numbers may lie
    beyond a straight line.
    """

    nodes: FloatArray
    low: FloatArray
    high: FloatArray
    place: Any
    slack: float


@dataclass(frozen=True)
class LatentChoice:
    """Everything that decides the limits of x, the latent positives in a head.

    ``low`` and ``high`` are the fewest and the most latent positives there may be in all.
    """

    setting: Setting
    low: int
    high: int
    basis: str
    positives: LatentLimits
    negatives: LatentLimits

    @classmethod
    def of(
        cls,
        setting: Setting,
        rank_limits: str = "exact",
        basis: str = "positives",
        simultaneous: bool = False,
        prior_of: str = "population",
    ) -> LatentChoice:
        """Check everything a user can get wrong, once for all bounds."""
        table = setting.table
        check_countable(table)
        method = check_rank_limits(rank_limits, simultaneous)
        basis = check_choice(basis, _BASES, "basis")
        if table.total_neg == 0:
            if basis == "negatives":
                raise InputError("basis='negatives' needs known negatives, but there are none.")
            basis = "positives"
        setting = allow_for_groups_in_heads(setting)
        low, high, level = latent_range(setting, prior_of)
        effect = setting.samples.effect
        positives = LatentLimits(
            int(table.total_pos), method, level, simultaneous, setting.bias, effect[0]
        )
        negatives = LatentLimits(
            int(table.total_neg), method, level, simultaneous, effect=effect[1]
        )
        made = cls(setting, low, high, basis, positives, negatives)
        for latent in (low, high):
            made.class_sizes(latent)
        return made

    def on(self, setting: Setting) -> LatentChoice:
        """The choice for another model on the same rows, whose limits need not be computed again."""
        return replace(self, setting=setting)

    def bases(self) -> list[LatentChoice]:
        """The choices among which the tightest is taken, for each question by itself."""
        if self.basis != "tightest":
            return [self]
        return [replace(self, basis=basis) for basis in ("positives", "negatives")]

    @property
    def rank_limits(self) -> str:
        """How the ranks of latent positives are limited."""
        return self.positives.method

    @property
    def level(self) -> float:
        """Nominal coverage."""
        return self.setting.level

    def class_sizes(self, latent: Any) -> tuple[Any, Any]:
        """Positives and negatives among the rows that are counted."""
        totals = self.setting.table.totals
        positives, negatives = self.setting.design.counted(*totals, latent)
        if np.any(positives == 0) or np.any(negatives == 0):
            none = bool(np.any(positives == 0))
            what, which = ("positive", "larger") if none else ("negative", "smaller")
            number = np.min(latent) if none else np.max(latent)
            raise PriorError(
                f"At this prior {number:g} of the {totals[1]:g} unlabeled rows are positive, so none of the "
                f"rows that are counted is {what}, and a rate is 0/0. Pass a {which} prior."
            )
        return positives, negatives

    def entries(
        self, heads: HeadCounts, x: FloatArray, latent: Any
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Eq. (12), with the labelled rows in a single training set."""
        positives, negatives = self.class_sizes(latent)
        tp, fp = self.setting.design.counted(heads.pos, heads.unl, heads.neg, x)
        return tp, fp, positives - tp, negatives - fp

    # ---------------------------------------------------------------- the limits of x

    def nodes(self, heads: int, cells: int = CELLS, most: int = MOST) -> FloatArray:
        """Numbers of latent positives at which so many heads are looked at.

        All of them as long as the tables are few enough, else some that are evenly spread; `corner_tables`
        makes up for those in between.
        """
        limits, (first, last) = self._basis_of_limits()
        return spread(self.low, self.high, (first + last) / 2, limits.known, heads, cells, most)

    def curve_limits(self, heads: HeadCounts, size: int) -> CurveLimits:
        """The band's limits for rates at heads, ``size`` of which are the vertices of a curve.

        For all numbers of latent positives, or for so few that straight lines between them, moved by the
        slack, enclose the others.
        """
        limits, (first, last) = self._basis_of_limits()
        if (last - first + 1) * size <= limits.affordable(last):
            nodes = np.arange(self.low, self.high + 1.0)
            return CurveLimits(nodes, *self.theta(heads, nodes), 0.0)
        negatives = self.basis == "negatives"
        known = limits.known - heads.neg if negatives else heads.pos
        found = limits.around(known, first, last)
        if found is not None:
            low, high, place = found
            turned = slice(None, None, -1 if negatives else 1)
            ends = np.array([self.low, self.high], dtype=np.float64)
            return CurveLimits(ends, low[turned], high[turned], place, 0.0)
        nodes = np.array(limits.anchors(first, last), dtype=np.float64)
        if negatives:
            nodes = self.setting.table.total_unl - nodes[::-1]
        return CurveLimits(nodes, *self.theta(heads, nodes), limits.slack(first))

    def _basis_of_limits(self) -> tuple[LatentLimits, tuple[int, int]]:
        """The limits that are used, and the fewest and most hidden rows that they are for."""
        if self.basis == "negatives":
            unlabeled = int(self.setting.table.total_unl)
            return self.negatives, (unlabeled - self.high, unlabeled - self.low)
        return self.positives, (self.low, self.high)

    def x(self, heads: HeadCounts, latent: int, side: str) -> FloatArray:
        """Eq. (11): latent positives in each head, at the lower or the upper limit."""
        return np.asarray(self.x_at(heads, np.array([float(latent)]))[side == "upper"][0])

    def x_at(self, heads: HeadCounts, nodes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Eq. (11) at both limits, for several numbers of latent positives: a row for each."""
        low, high, place = self.theta(heads, nodes)
        latent, reached = nodes[:, None], heads.unl
        return (
            self.possible(low[:, place], reached, latent),
            self.possible(high[:, place], reached, latent),
        )

    def theta(self, heads: HeadCounts, nodes: FloatArray) -> tuple[FloatArray, FloatArray, Any]:
        """The band's limits of latent positives in heads, or of latent negatives in tails.

        As in `LatentLimits.over`: the columns are different heads, and the place of each comes last.
        """
        if self.basis == "negatives":
            hidden = (self.setting.table.total_unl - nodes)[::-1]
            low, high, place = self.negatives.over(self.negatives.known - heads.neg, hidden)
            return low[::-1], high[::-1], place
        return self.positives.over(heads.pos, nodes)

    def kinks(self, theta: FloatArray, nodes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Where x(h_U) bends along the unlabeled run that starts at each vertex.

        First the concave bend (slope 1 to 0), then the convex one (0 to 1).
        """
        unlabeled, latent = int(self.setting.table.total_unl), nodes[:, None]
        if self.basis == "negatives":
            return unlabeled - theta, unlabeled - latent - theta
        return theta, unlabeled - latent + theta

    def possible(
        self, theta: FloatArray, reached: FloatArray, latent: Any, sides: tuple[str, ...] = SIDES
    ) -> FloatArray:
        """Corner cases of Eq. (11): no fewer, and no more, than there can be in the head and in all."""
        unlabeled = int(self.setting.table.total_unl)
        hidden, room = latent, reached
        if self.basis == "negatives":
            hidden, room = unlabeled - latent, unlabeled - reached
        x = theta
        if "lower" in sides:
            x = np.maximum(x, np.maximum(hidden - (unlabeled - room), 0))
        if "upper" in sides:
            x = np.minimum(x, np.minimum(room, hidden))
        return np.asarray(reached - hidden + x if self.basis == "negatives" else x)


MANY = 200_000  # tables that are looked at where they are the whole question
_NOT_ALONG_3 = ("pseudo_f",)
_CHUNK = 2**16  # tables that are held at once: their arrays stay in the cache
Entries = tuple[FloatArray, FloatArray, FloatArray, FloatArray]


def corner_tables(
    choice: LatentChoice,
    heads: HeadCounts,
    nodes: FloatArray | None = None,
    *,
    statistics: Sequence[str] = (),
) -> Iterator[tuple[slice, tuple[Entries, Entries]]]:
    """Entries of tables among which those of the lower and of the upper bound are, part by part of the heads.

    They have a row for each number of latent positives, and a column for each head of the part.
    ``statistics`` are the metrics that they are for.
    """
    boxed = any(name in _NOT_ALONG_3 for name in statistics)
    if nodes is None:
        nodes = choice.nodes(heads.unl.size)
    for part, some, limits in limits_of_parts(choice, heads, nodes):
        corners = [
            _corners(choice, x, side, nodes, boxed) for x, side in zip(limits, SIDES, strict=True)
        ]
        lower, upper = (choice.entries(some, x, latent) for latent, x in corners)
        yield part, (lower, upper)


def _corners(
    choice: LatentChoice, x: FloatArray, side: str, nodes: FloatArray, boxed: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Numbers of latent positives, and how many of them each head holds."""
    latent = nodes[:, None]
    if nodes.size > choice.high - choice.low:
        return latent, x
    rise = 0.0 if boxed else np.diff(x, axis=0)
    if side == "upper":
        return latent[:-1] + rise, x[1:]
    return latent[1:] - rise, x[:-1]


def limits_of_parts(
    choice: LatentChoice, heads: HeadCounts, nodes: FloatArray
) -> Iterator[tuple[slice, HeadCounts, tuple[FloatArray, FloatArray]]]:
    """Both limits of x, so many heads at a time that they fit into memory."""
    low, high, place = choice.theta(heads, nodes)
    width = max(_CHUNK // nodes.size, 1)
    for start in range(0, heads.unl.size, width):
        part = slice(start, start + width)
        some, at = HeadCounts(*(column[part] for column in heads)), place[part]
        limits = [choice.possible(theta[:, at], some.unl, nodes[:, None]) for theta in (low, high)]
        yield part, some, (limits[0], limits[1])


def rate_limits(
    choice: LatentChoice, heads: HeadCounts, side: str, size: int
) -> tuple[FloatArray, FloatArray]:
    """False and true positive rates of one bound at the vertices of a curve: extremes over all numbers.

    ``size`` is that of the curve without its bends (see `LatentChoice.curve_limits`). If not all numbers
    are looked at, a head holds at most a slack more than a straight line between two of them says, and a rate
    along a line is extreme at an end: the better of that and the corner is taken. Curves of numbers in
    between bend between the bends of both; there only the line will do, which does not depend on the head.
    """
    nodes, low, high, place, slack = choice.curve_limits(heads, size)
    theta = high if side == "upper" else low
    moved = theta + slack if side == "upper" else theta - slack
    enclosed = nodes.size <= choice.high - choice.low
    best, worst = (np.max, np.min) if side == "upper" else (np.min, np.max)
    found = np.empty((2, heads.unl.size))
    width = max(_CHUNK // nodes.size, 2)
    for start in range(0, heads.unl.size, width):
        part = slice(max(start - 1, 0), start + width + 1)  # neighbours on both sides
        some = HeadCounts(*(column[part] for column in heads))
        at = place[part]
        if enclosed:
            rates = _enclosed_rates(choice, some, theta[:, at], moved[:, at], side, nodes)
        else:
            x = choice.possible(theta[:, at], some.unl, nodes[:, None])
            rates = _rates_of(choice, some, x, nodes[:, None])
        own = slice(start - part.start, start - part.start + width)
        found[0, start : start + width] = worst(rates[0], axis=0)[own]
        found[1, start : start + width] = best(rates[1], axis=0)[own]
    fpr, tpr = np.clip(found, 0.0, 1.0)
    return fpr, tpr


def _enclosed_rates(
    choice: LatentChoice,
    heads: HeadCounts,
    theta: FloatArray,
    moved: FloatArray,
    side: str,
    nodes: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """What the rates do not go beyond between one number of latent positives and the next."""
    upper = side == "upper"
    x = choice.possible(theta, heads.unl, nodes[:, None])
    latent, corner = _corners(choice, x, side, nodes)
    open_ = choice.possible(moved, heads.unl, nodes[:, None], SIDES[:1] if upper else SIDES[1:])
    false, true = _rates_of(choice, heads, open_, nodes[:, None])
    far, near = (np.maximum, np.minimum) if upper else (np.minimum, np.maximum)
    lines = near(false[:-1], false[1:]), far(true[:-1], true[1:])
    corners = _rates_of(choice, heads, corner, latent)
    bent = _changes_along_run(heads, np.diff(x, axis=0))
    return (
        np.where(bent, lines[0], far(lines[0], corners[0])),
        np.where(bent, lines[1], near(lines[1], corners[1])),
    )


def _rates_of(
    choice: LatentChoice, heads: HeadCounts, x: FloatArray, latent: FloatArray
) -> tuple[FloatArray, FloatArray]:
    positives, negatives = choice.class_sizes(latent)
    tp, fp = choice.setting.design.counted(heads.pos, heads.unl, heads.neg, x)
    return fp / negatives, tp / positives


def _changes_along_run(heads: HeadCounts, rise: FloatArray) -> BoolArray:
    """Whether the rise from one number to the next changes along a run that ends at a vertex."""
    run = (np.diff(heads.pos) == 0) & (np.diff(heads.neg) == 0)
    change = np.pad(run & (np.diff(rise, axis=1) != 0), ((0, 0), (1, 1)))
    return np.asarray(change[:, :-1] | change[:, 1:])
