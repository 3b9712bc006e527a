"""What every method starts from: two samples as counts, the labelled and the unlabeled.

Methods differ in how they read the two distributions, not in what they need: the counts of both
samples at falling scores. `Samples` is that and nothing else. A method returns a `ShareFit`, the
share of positives among the unlabeled; what that means for the population is left to `scenarios`.

Only the largest share that the data allow can be identified (irreducibility, Blanchard et al. 2010;
Jain et al. 2016): if some negatives look exactly like positives, no method can tell.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, UnsupportedError
from puremetrics.results import Place, RowEffects
from puremetrics.setting import check_one_weight
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "LARGEST_SHARE",
    "LIKELY",
    "MUTUAL",
    "SAMPLING",
    "UPPER_BOUND",
    "Samples",
    "ShareFit",
    "rank_edges",
]

LARGEST_SHARE = "largest share the data allow; the true one may be smaller"
UPPER_BOUND = "upper bound"
_HANDFUL = 3.0
LIKELY = "likely; allows for negatives that look like positives"
MUTUAL = "likely; allows for rows of either class that look like the other"
SAMPLING = "likely; its interval allows for sampling error alone"


@dataclass(frozen=True)
class Samples:
    """Counts of the labelled and the unlabeled at falling scores.

    Attributes
    ----------
    score : ndarray, shape (k,)
        Strictly decreasing; where the table was cut, the lowest score of a run of unlabeled rows.
    pos, unl : ndarray of float64, shape (k,)
        Counts; sampling weights are scaled so that the sums are effective numbers of rows.
    is_cut : bool
        Whether runs of unlabeled rows were merged.
    """

    score: FloatArray
    pos: FloatArray
    unl: FloatArray
    is_cut: bool

    @staticmethod
    def of(table: ScoreTable, *, cut: bool = True) -> Samples:
        """Read the two samples off a table; by default cut at the labelled scores."""
        if table.total_unl <= 0:
            raise UnsupportedError(
                "The table has no unlabeled rows, so there is no share of positives among them to "
                "estimate. With every row labelled the prior is the share of positives: count it."
            )
        check_one_weight(
            table,
            "An estimate of the prior by scores",
            "There the propensities give the prior by themselves: use prior_from_propensities.",
        )
        return _samples(table.cut() if cut else table, cut, 1)

    @staticmethod
    def of_negatives(table: ScoreTable) -> Samples:
        """Both samples with the known negatives in the place of the unlabeled rows."""
        return _samples(table.cut(), True, 2)

    @property
    def size_pos(self) -> float:
        """Number of labelled rows."""
        return float(self.pos.sum())

    @property
    def size_unl(self) -> float:
        """Number of unlabeled rows."""
        return float(self.unl.sum())

    @property
    def area(self) -> float:
        """AUC of the labelled against the unlabeled rows."""
        pos, unl = (np.cumsum(counts) / counts.sum() for counts in (self.pos, self.unl))
        steps = np.diff(unl, prepend=0.0)
        return float(np.sum(steps * (pos - self.pos / self.size_pos / 2)))

    def thinned(self, worth: tuple[float, float]) -> Samples:
        """As many rows as those of both samples are worth; not fewer than a handful, if there are so many."""
        pos, unl = (
            column * max(1 / own, min(1.0, _HANDFUL / float(column.sum())))
            for column, own in zip((self.pos, self.unl), worth, strict=True)
        )
        return Samples(self.score, pos, unl, self.is_cut)

    def swapped(self) -> Samples:
        """Exchange the roles: how much of the unlabeled is in the labelled?"""
        return Samples(-self.score[::-1], self.unl[::-1], self.pos[::-1], self.is_cut)

    def cumulative(self) -> tuple[FloatArray, FloatArray]:
        """Counts at or above each row, with a zero in front."""
        start = np.zeros(1)
        return (
            np.concatenate([start, np.cumsum(self.pos)]),
            np.concatenate([start, np.cumsum(self.unl)]),
        )


def _samples(rows: ScoreTable, cut: bool, other: int) -> Samples:
    """Positives and another group, as effective numbers of rows."""
    groups = rows.n_pos, rows.n_unl, rows.n_neg
    pos, second = (np.asarray(groups[i], dtype=np.float64) for i in (0, other))
    if rows.weighted:
        squares = rows.squared_weights()
        pos, second = (
            column * (float(column.sum()) / float(squares[i].sum())) if column.any() else column
            for i, column in ((0, pos), (other, second))
        )
    return Samples(rows.score if cut else rows.centre, pos, second, rows.is_cut)


@dataclass(frozen=True)
class ShareFit:
    """Share of positives among the unlabeled by one method.

    Attributes
    ----------
    share : float
        The answer, in [0, 1].
    grid, objective : ndarray or None
        Candidate shares and what was compared at each; the answer's place is at ``share``.
    low, high : float or None
        Interval at the asked level, where the method gives one itself.
    purity : float or None
        Share of true positives among the labelled, where it is estimated too.
    purity_low, purity_high : float or None
        Interval of the purity.
    open_low, open_high : float or None
        The part of the interval that no number of rows would narrow: what look-alikes leave open.
    places : tuple of Place
        Pairs of share and purity that may be true, and what errors may have moved each, where the purity is
        uncertain too.
    moves : ndarray, shape (k, 2, 3, 2), or None
        Of each of k fits that the limits must hold, the lowest and the highest place of the pair, and where
        it moves from there if either of two numbers behind it goes to its own limit.
    row_effects : RowEffects or None
        How the share follows the rows.
    status : str
        What the number is.
    separable : float or None
        The share if no negative looked like a positive, where ``share`` allows for some that do.
    lookalikes : float or None
        Share of the negatives that the lower limit allows to look like positives, and with noisy labels of
        the positives that the upper limit allows to look like negatives.
    turned : bool
        Whether rows at the top of the ranking were left out, because those below them are purer.
    excess : float
        By how much the share that the first rows show exceeds the smallest that some head shows.
    """

    share: float
    grid: FloatArray | None = field(default=None, repr=False)
    objective: FloatArray | None = field(default=None, repr=False)
    low: float | None = None
    high: float | None = None
    purity: float | None = None
    purity_low: float | None = None
    purity_high: float | None = None
    open_low: float | None = None
    open_high: float | None = None
    places: tuple[Place, ...] = field(default=(), repr=False)
    moves: FloatArray | None = field(default=None, repr=False)
    row_effects: RowEffects | None = field(default=None, repr=False)
    status: str = LARGEST_SHARE
    separable: float | None = None
    lookalikes: float | None = None
    turned: bool = False
    excess: float = 0.0
    diagnostics: tuple[Diagnostic, ...] = ()

    def covering(self, other: ShareFit) -> ShareFit:
        """The fit with limits that hold those of another fit as well."""
        ends: dict[str, Any] = {}
        for name, choose in (
            ("low", min),
            ("high", max),
            ("purity_low", min),
            ("purity_high", max),
            ("open_low", min),
            ("open_high", max),
        ):
            pair = getattr(self, name), getattr(other, name)
            ends[name] = pair[0] if None in pair else choose(pair)
        both = [part for part in (self.moves, other.moves) if part is not None]
        ends["moves"] = np.concatenate(both) if both else None
        return replace(self, **ends, places=(*self.places, *other.places), row_effects=None)


def rank_edges(
    samples: Samples, step: float, fewest: float, reach: float = 4.5
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Bin both samples by the rank among the labelled: invariant to any increasing map of the scores.

    Edges aim at equal steps of the normal quantile of the labelled share, fine in both tails, and
    keep at least ``fewest`` labelled rows in every bin: a tail bin with one or two of them has an
    unknown width.

    Returns
    -------
    pos, unl : ndarray, shape (k,)
        Counts per bin, from the highest scores down.
    above : ndarray, shape (k + 1,)
        Share of the labelled above each edge, from 0 to 1; (c + 1/2) / (m + 1) for c of m.
    """
    from scipy.special import ndtr

    total_pos, total_unl = samples.cumulative()
    size = total_pos[-1]
    share = (total_pos + 0.5) / (size + 1)
    wanted = np.searchsorted(share, ndtr(np.arange(-reach, reach + step / 2, step)))
    kept = [0]
    for place in np.unique(wanted[wanted < total_pos.size]):
        here = total_pos[place]
        if here - total_pos[kept[-1]] >= fewest and size - here >= fewest:
            kept.append(int(place))
    kept.append(total_pos.size - 1)
    above = share[kept]
    above[0], above[-1] = 0.0, 1.0
    return np.diff(total_pos[kept]), np.diff(total_unl[kept]), above
