"""Contingency tables that bound the truth at every threshold (Claesen, Eqs. (10)–(13))."""

from __future__ import annotations

import numpy as np

from puremetrics.bounds.contingency import HeadCounts, LatentChoice, whole_heads
from puremetrics.bounds.extremes import MANY, corner_tables
from puremetrics.checking.types import FloatArray
from puremetrics.results import ConfusionBounds, ConfusionCounts
from puremetrics.setting import PriorLike, Setting
from puremetrics.tables.score_table import ScoreTable

__all__ = ["confusion_bounds", "confusion_bounds_of"]


def confusion_bounds(
    table: ScoreTable,
    *,
    prior: PriorLike,
    band: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
    prior_of: str = "population",
    label_bias: float = 1.0,
    label_bias_side: str = "either",
) -> ConfusionBounds:
    """Contingency tables that bound the truth at every threshold.

    Holds, at each threshold with the given confidence, if the labelled positives are a random sample of
    all positives (for ``basis="negatives"``: the known negatives of all negatives), or as far from one as
    ``label_bias`` says.

    Parameters
    ----------
    table : ScoreTable
        Without sampling weights.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population, or the share of positives among the rows: see ``prior_of``.
    band : {"exact", "bootstrap", "clopper_pearson", "dkw"}
        How the rank distribution of the latent positives is bounded; see `rank_cdf_band`.
    confidence_level : float, default 0.95
    basis : {"positives", "negatives", "tightest"}
        Whose rank distribution is used. "tightest" takes, for each question, the one of the two that leaves
        less room: of a curve or an area as a whole, of a table or a metric at each threshold. As the choice
        is made after seeing the data, the level is then guaranteed only in so far as both bases hold at
        once.
    simultaneous : bool, default False
        Ask that all thresholds hold at once (band "exact" or "dkw").
    prior_of : {"population", "rows"}
        Whose prior it is. That of the population leaves the number of positives among the rows to chance, and
        the bounds allow for that; "rows" says that the share among these very rows is known.
    label_bias : float, default 1
        Labels may be biased: any two positives differ in their odds of being labelled (in case-control: their
        chance of being sampled) by at most this factor. 1 says that labels are given at random. It moves
        the limits of ``basis="positives"`` only; known negatives stay a random sample. See `bounds.biased`.
    label_bias_side : {"either", "high", "low"}
        "high": higher scores are never labelled less often, so results can only be worse than labels at
        random would make them; "low": never more often.

    Returns
    -------
    ConfusionBounds
        ``lower`` and ``upper`` `ConfusionCounts` (Eqs. (10)–(13)) at every distinct score. The upper
        one has the lowest false positive rate that is possible, the lower one the highest, over all numbers
        of latent positives that are possible.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> bounds = confusion_bounds(table, prior=0.25, prior_of="rows")
    >>> bounds.lower.tp, bounds.upper.tp
    (array([0., 0., 0., 0., 0., 0., 2.]), array([0., 0., 1., 2., 2., 2., 2.]))
    """
    setting = Setting.of(table, prior, None, confidence_level, label_bias, label_bias_side)
    choice = LatentChoice.of(setting, band, basis, simultaneous, prior_of)
    return confusion_bounds_of(choice, table)


def confusion_bounds_of(choice: LatentChoice, table: ScoreTable) -> ConfusionBounds:
    """The bounds at every row of a table, which may be the cut one.

    ``basis="tightest"`` takes at each row the basis that leaves less room to the false positive rate.
    """
    heads = whole_heads(table)
    found = np.array([_extreme_tables(base, heads) for base in choice.bases()])
    rates = found[:, :, 1] / (found[:, :, 1] + found[:, :, 3])
    best = np.argmin(rates[:, 0] - rates[:, 1], axis=0)
    taken = np.take_along_axis(found, best[None, None, None], axis=0)[0]
    lower, upper = (ConfusionCounts(heads.threshold, *entries) for entries in taken)
    return ConfusionBounds(lower, upper, choice.level, choice.band, choice.basis)


def _extreme_tables(choice: LatentChoice, heads: HeadCounts) -> FloatArray:
    """The four entries of the possible tables with the highest and with the lowest false positive rate."""
    found = np.empty((2, 4, heads.unl.size))
    for part, sides in corner_tables(choice, heads, choice.nodes(heads.unl.size, MANY)):
        for side, entries in enumerate(sides):
            tp, fp, fn, tn = np.broadcast_arrays(*entries)
            rate = fp / (fp + tn)
            place = (np.argmin if side else np.argmax)(rate, axis=0)[None]
            for row, entry in zip(found[side], (tp, fp, fn, tn), strict=True):
                row[part] = np.take_along_axis(entry, place, axis=0)[0]
    return found
