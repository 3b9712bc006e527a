"""Contingency tables from the number of latent positives in a head (Claesen, Section 4.1).

`LatentChoice.x_at` is Eq. (11): how many of the latent positives a head holds, at the limits that a band
sets; `LatentChoice.entries` is Eq. (12). The package's docstring explains the symbols. What is extreme over
all numbers of latent positives that are possible is found in `extremes`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from puremetrics.bounds.limits import BAND_METHODS, LatentLimits
from puremetrics.bounds.numbers import CELLS, MOST, latent_range, spread
from puremetrics.checking.arguments import check_choice, check_flag
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError, PriorError
from puremetrics.sampling.clustered import robust_heads
from puremetrics.setting import Setting, check_unlabeled, check_whole
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "SIDES",
    "CurveLimits",
    "HeadCounts",
    "LatentChoice",
    "check_band",
    "check_countable",
    "head_at",
    "whole_heads",
]

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
    check_whole(table, "A bound", "roc_auc and its companions")
    check_unlabeled(table)


def check_band(band: str, simultaneous: bool) -> str:
    """Return the name of a band, if it is one that can hold at all thresholds at once."""
    band = check_choice(band, BAND_METHODS, "band")
    if check_flag(simultaneous, "simultaneous") and band not in ("exact", "dkw"):
        raise InputError(f"There is no simultaneous {band!r} band. Use band='exact' or 'dkw'.")
    return band


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
        band: str = "exact",
        basis: str = "positives",
        simultaneous: bool = False,
        prior_of: str = "population",
    ) -> LatentChoice:
        """Check everything a user can get wrong, once for all bounds."""
        table = setting.table
        check_countable(table)
        band = check_band(band, simultaneous)
        basis = check_choice(basis, _BASES, "basis")
        if table.total_neg == 0:
            if basis == "negatives":
                raise InputError("basis='negatives' needs known negatives, and there are none.")
            basis = "positives"
        setting = robust_heads(setting)
        low, high, level = latent_range(setting, prior_of)
        effect = setting.samples.effect
        positives = LatentLimits(
            int(table.total_pos), band, level, simultaneous, setting.bias, effect[0]
        )
        negatives = LatentLimits(int(table.total_neg), band, level, simultaneous, effect=effect[1])
        made = cls(setting, low, high, basis, positives, negatives)
        for latent in (low, high):
            made.class_sizes(latent)
        return made

    def on(self, setting: Setting) -> LatentChoice:
        """The same for another model on the same rows, whose limits need not be computed again."""
        return replace(self, setting=setting)

    def bases(self) -> list[LatentChoice]:
        """The choices among which the tightest is taken, for each question by itself."""
        if self.basis != "tightest":
            return [self]
        return [replace(self, basis=basis) for basis in ("positives", "negatives")]

    @property
    def is_known(self) -> bool:
        """Whether the number of latent positives is taken as known."""
        return self.low == self.high

    @property
    def band(self) -> str:
        """Name of the band."""
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
                f"At this prior {number:g} of the {totals[1]:g} unlabeled rows are positive, so no row "
                f"that counts is {what} and its rate is 0/0. Pass a {which} prior."
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

        All of them as long as the tables are few enough, else some that are evenly spread; `extremes`
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
