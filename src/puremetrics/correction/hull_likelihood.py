"""Both maximum likelihood estimates of a concave ROC curve (Lim, Won 2012); see `hull`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.correction.hull import height
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.pava import concave_blocks
from puremetrics.results import Result
from puremetrics.setting import check_table
from puremetrics.tables.score_table import ScoreTable

__all__ = ["HullLikelihood", "hull_likelihood"]


@dataclass(frozen=True, eq=False, repr=False)
class HullLikelihood(Result):
    """Both likelihood estimates at every distinct score: the columns of the paper's Table 1.

    ``survival`` columns are shares *strictly above* the score. ``conditional_pos`` is the hull at the
    empirical ``empirical_other``; the ``lloyd`` columns are the unconditional estimate.
    """

    score: FloatArray
    empirical_other: FloatArray
    empirical_pos: FloatArray
    conditional_pos: FloatArray
    posterior: FloatArray
    odds: FloatArray
    density_other: FloatArray
    density_pos: FloatArray
    lloyd_other: FloatArray
    lloyd_pos: FloatArray
    diagnostics: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        return (
            f"Two likelihood estimates of a concave ROC curve at {self.score.size} scores\n"
            "  conditional: the hull; unconditional: Lloyd's"
        )


def hull_likelihood(table: ScoreTable) -> HullLikelihood:
    """Both maximum likelihood estimates of a concave ROC curve, row by row.

    Positives are compared with all other rows as they are. The unconditional estimate is Lloyd's:
    isotonic posteriors π, odds φ = π/(1 − π), and densities by Eqs. (11) and (12). The conditional one keeps
    the others' empirical distribution and puts the positives on the hull (Theorem 1).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 2], unlabeled=None, negative=[3, 1, 0], scenario="case_control")
    >>> hull_likelihood(table).posterior
    array([1. , 1. , 0.5, 0.5, 0. , 0. ])
    """
    check_table(table)
    naive = table.unlabeled_as_negative()
    pos, other = np.asarray(naive.n_pos, float), np.asarray(naive.n_neg, float)
    size = pos + other
    blocks = concave_blocks(other / other.sum(), pos / pos.sum())
    starts = blocks[:-1]
    lengths = np.diff(blocks)
    share = np.add.reduceat(pos, starts) / np.add.reduceat(size, starts)
    posterior = np.repeat(share, lengths)
    certain = posterior == 1.0
    odds = np.divide(posterior, 1 - posterior, out=np.full(size.size, np.inf), where=~certain)
    ratio = pos.sum() / other.sum()
    finite = np.where(certain, 0.0, odds)
    bottom = pos.sum() * finite + other.sum() * ratio
    density_other = np.where(certain, 0.0, size * ratio / bottom)
    density_pos = np.where(certain, size / pos.sum(), size * finite / bottom)
    empirical_other, empirical_pos = _above(other / other.sum()), _above(pos / pos.sum())
    f, g = (
        np.concatenate([[0.0], np.cumsum(d)])[blocks]
        for d in (other / other.sum(), pos / pos.sum())
    )
    return HullLikelihood(
        score=naive.score,
        empirical_other=empirical_other,
        empirical_pos=empirical_pos,
        conditional_pos=height(f, g, empirical_other),
        posterior=posterior,
        odds=odds,
        density_other=density_other,
        density_pos=density_pos,
        lloyd_other=_above(density_other),
        lloyd_pos=_above(density_pos),
    )


def _above(density: FloatArray) -> FloatArray:
    """Share strictly above each score, from densities in order of falling scores."""
    return np.concatenate([[0.0], np.cumsum(density)[:-1]])
