"""Intervals of scores in which labelled and unlabeled rows are compared.

They end at scores of the labelled whose ranks are fixed in advance by their number alone, so that looking at
all of them is a matter of the level only.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.sampling.clustered import head_effects
from puremetrics.setting import Setting
from puremetrics.tables.score_table import ScoreTable

__all__ = ["ScoreIntervals", "least_share", "score_intervals"]

_FEWEST = 8  # labelled rows in an interval: fewer are not nearly normal
_CELLS = (2, 4, 8, 16)  # parts of equal size into which the labelled are cut
_HEADS = (0.03, 0.06, 0.12, 0.25, 0.35, 0.5, 0.65, 0.8, 0.9)


@dataclass(frozen=True)
class ScoreIntervals:
    """Some fifty intervals with their rows.

    Attributes
    ----------
    held, inside : ndarray
        Labelled and unlabeled rows in each.
    counted : ndarray
        Labelled rows that count: of those that end an interval, one of two does not.
    size_pos, size_unl : float
        What ``counted`` and ``inside`` are shares of.
    quantile : float
        Of the normal law, such that all intervals together err as rarely as the level says.
    wider : float
        What groups of alike rows multiply standard errors by; it is part of ``quantile``.
    """

    held: FloatArray
    inside: FloatArray
    counted: FloatArray
    size_pos: float
    size_unl: float
    quantile: float
    ranked: ScoreTable
    first: FloatArray
    last: FloatArray
    top: FloatArray
    bottom: FloatArray
    wider: float = 1.0

    def quantile_at(self, level: float) -> float:
        """The same for another level."""
        from scipy.special import ndtri

        return self.wider * float(ndtri(1 - (1 - level) / self.held.size))

    def scores(self, place: int) -> tuple[float, float]:
        """Lowest and highest score of an interval; infinite for heads and tails of the ranking."""
        score = self.ranked.score
        high = np.inf if self.first[place] == 0 else float(score[self.top[place]])
        low = -np.inf if self.last[place] == 0 else float(score[self.bottom[place]])
        return low, high


def score_intervals(setting: Setting) -> ScoreIntervals:
    """The intervals of a setting's table; whole counts are needed."""
    from scipy.special import ndtri

    table, ranked = setting.table, setting.ranked
    first, last = _intervals(int(table.total_pos))
    heads = np.cumsum(ranked.n_pos)
    top = np.where(first > 0, np.searchsorted(heads, first), 0)
    bottom = np.where(last > 0, np.searchsorted(heads, last), heads.size - 1)
    unlabeled = np.concatenate([[0], np.cumsum(ranked.n_unl)])
    inside = (unlabeled[bottom + 1] - unlabeled[top]).astype(np.float64)
    labelled = np.concatenate([[0], heads])
    held = (labelled[bottom + 1] - labelled[top]).astype(np.float64)
    # Rows that end an interval are in it by construction: one of two does not count, nor one of n + 1.
    counted = held - ((first > 0) & (last > 0))
    wider = 1.0
    if table.clusters is not None:
        wider = float(np.sqrt(max(head_effects(table.clusters, setting.level)[0])))
    quantile = wider * float(ndtri(1 - (1 - setting.level) / held.size))
    sizes = table.total_pos + 1, table.total_unl
    ends = first, last, top, bottom
    return ScoreIntervals(held, inside, counted, *sizes, quantile, ranked, *ends, wider)


def least_share(setting: Setting, prior: float, purity: float) -> float:
    """Share of positives among the unlabeled, less the sampling error of the number of labels."""
    share: float | None = setting.design.unlabeled_share(setting.table.totals, prior, purity)
    assert share is not None  # there are unlabeled rows
    error = setting.design.unlabeled_share_error(setting.table.totals, prior, purity)
    return max(share - normal_quantile(setting.level) * error, 0.0)


def _intervals(size: int) -> tuple[FloatArray, FloatArray]:
    """First and last rank (from the top, 1 to n) of the labelled at each interval; 0: open end."""
    pairs: set[tuple[int, int]] = set()
    for share in _HEADS:
        rank = int(np.ceil(share * size))
        pairs |= {(0, rank), (size + 1 - rank, 0)}
    for cells in _CELLS:
        ends = np.unique(np.linspace(1, size, cells + 1).round().astype(int))
        pairs |= {(int(a), int(b)) for a, b in pairwise(ends)}
    kept = sorted(pair for pair in pairs if _rows(*pair, size) >= min(_FEWEST, size - 1))
    if not kept:
        kept = [(0, size)]
    first, last = np.array(kept).T
    return first, last


def _rows(first: int, last: int, size: int) -> int:
    """Labelled rows that an interval holds, one of them as its end."""
    return (last if last > 0 else size + 1) - first
