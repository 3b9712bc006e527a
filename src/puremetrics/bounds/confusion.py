"""Contingency tables that bound the truth at every threshold (Claesen, Eqs. (10)–(13))."""

from __future__ import annotations

import numpy as np

from puremetrics.bounds.contingency import LatentChoice, whole_heads
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
) -> ConfusionBounds:
    """Contingency tables that bound the truth at every threshold.

    Holds, at each threshold with the given confidence, if the labelled positives are a random sample of
    all positives (for ``basis="negatives"``: the known negatives of all negatives).

    Parameters
    ----------
    table : ScoreTable
        Without sampling weights.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population.
    band : {"exact", "bootstrap", "clopper_pearson", "dkw"}
        How the rank distribution of the latent positives is bounded; see `rank_cdf_band`.
    confidence_level : float, default 0.95
    basis : {"positives", "negatives", "tightest"}
        Whose rank distribution is used.
    simultaneous : bool, default False
        Ask that all thresholds hold at once (band "exact" or "dkw").

    Returns
    -------
    ConfusionBounds
        ``lower`` and ``upper`` `ConfusionCounts` (Eqs. (10)–(13)) at every distinct score. The upper
        one has the lowest false positive rate that is possible, the lower one the highest.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> bounds = confusion_bounds(table, prior=0.25)
    >>> bounds.lower.tp, bounds.upper.tp
    (array([0., 0., 0., 0., 0., 0., 2.]), array([0., 0., 1., 2., 2., 2., 2.]))
    """
    setting = Setting.of(table, prior, confidence_level=confidence_level)
    choice = LatentChoice.of(setting, band, basis, simultaneous)
    return confusion_bounds_of(choice, table)


def confusion_bounds_of(choice: LatentChoice, table: ScoreTable) -> ConfusionBounds:
    """The bounds at every row of a table, which may be the cut one."""
    heads = whole_heads(table)
    picked: dict[str, ConfusionCounts] = {}
    for side in ("lower", "upper"):
        best: tuple[FloatArray, ...] | None = None
        for latent in choice.latents:
            entries = choice.entries(heads, choice.x(heads, latent, side), latent)
            rate = entries[1] / choice.class_sizes(latent)[1]
            if best is None:
                best = (*entries, rate)
                continue
            better = rate < best[4] if side == "upper" else rate > best[4]
            best = tuple(
                np.where(better, a, b) for a, b in zip((*entries, rate), best, strict=True)
            )
        assert best is not None
        tp, fp, fn, tn, _ = best
        picked[side] = ConfusionCounts(heads.threshold, tp, fp, fn, tn)
    return ConfusionBounds(
        picked["lower"], picked["upper"], choice.level, choice.band, choice.basis
    )
