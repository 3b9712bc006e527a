"""Whether the top of a ranking is its purest part.

On the scale on which labelled scores are uniform the unlabeled have density g(v) = a + (1 − a) h(v), with h
that of the negatives, and methods read a off the top, where a good ranking has h = 0 and from where h only
rises. Some rankings turn: a group of negatives scores above most positives (a linear model and a class that
lies on the far side of the positives), so g falls first and rises later. Its top then shows too large a
share, with all the certainty of many rows, and nothing in a model of rising h says so.

The test compares two fits of the share of unlabeled rows in each bin: rising from the top on, or falling down
to some bin and rising from there (isotonic regressions of binomial counts). The gain of the second in log
likelihood says how much the data prefer a turn. If the ranking never turns it is seldom above 2 and hardly
ever above 8, though the best of many places is taken.

What lies above the turn can be left out. The ratio g is not changed by leaving out the rows above some score:
of those below, a share t of the labelled and u of the unlabeled, a share a·t/u of the unlabeled is positive.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.pava import bounded_isotonic

__all__ = ["DOUBTFUL", "SURE", "Bins", "Turn", "below", "excess_of", "turn_of"]

DOUBTFUL, SURE = 2.0, 8.0  # gains in log likelihood
_LOWEST = 0.6  # share of the labelled above the lowest turn that is looked for
_LEFT = 3  # bins below it, at least


class Bins(NamedTuple):
    """Labelled and unlabeled rows by bin, and the share of the labelled above each edge."""

    pos: FloatArray
    unl: FloatArray
    above: FloatArray


class Turn(NamedTuple):
    """How many bins lie above the best turn, and how much it gains."""

    bins: int
    gain: float


def turn_of(bins: Bins) -> Turn:
    """The best place for a turn; none, without a gain, if the ratio only rises.

    >>> pos = np.full(10, 50.0)
    >>> bins = Bins(pos, pos * [9, 1, 1, 1, 1, 2, 3, 4, 9, 30], np.linspace(0, 1, 11))
    >>> turn_of(bins).bins
    1
    """
    both = bins.pos + bins.unl
    share = bins.unl / both
    some = int(np.flatnonzero(bins.unl)[-1])  # no turn below all unlabeled rows
    last = min(int(np.searchsorted(bins.above, _LOWEST)), share.size - _LEFT, some)
    rising = [_fitted(bins, share, both, slice(k, None)) for k in range(max(last, 0) + 1)]
    best = Turn(0, 0.0)
    for k in range(1, last + 1):
        falling = _fitted(bins, share, both, slice(k - 1, None, -1))
        gain = falling + rising[k] - rising[0]
        if gain > best.gain:
            best = Turn(k, gain)
    return best


def excess_of(bins: Bins) -> float:
    """By how much the share that the first bin shows exceeds the smallest that some head shows.

    >>> excess_of(Bins(np.full(4, 10.0), np.array([30.0, 10, 20, 140]), np.linspace(0, 1, 5)))
    0.2
    """
    ratio = np.cumsum(bins.unl) / np.cumsum(bins.pos)
    scale = bins.pos.sum() / bins.unl.sum()
    return float(scale * (ratio[0] - ratio.min()))


def below(bins: Bins, count: int) -> tuple[Bins, float]:
    """The bins without the first ones, and by what a share among their rows is multiplied."""
    if count == 0:
        return bins, 1.0
    edge = float(bins.above[count])
    above = (bins.above[count:] - edge) / (1 - edge)
    left = Bins(bins.pos[count:], bins.unl[count:], above)
    return left, float(left.unl.sum() / bins.unl.sum() / (1 - edge))


def _fitted(bins: Bins, share: FloatArray, both: FloatArray, part: slice) -> float:
    """Log likelihood of the best rising fit, in the order of the slice."""
    fit = np.clip(bounded_isotonic(share[part], both[part]), 1e-12, 1 - 1e-12)
    return float(np.sum(bins.unl[part] * np.log(fit) + bins.pos[part] * np.log1p(-fit)))
