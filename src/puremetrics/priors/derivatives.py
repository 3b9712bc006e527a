"""Derivatives of the confusion matrix with respect to the prior (Claesen et al. 2015, Section 6.1).

With G and F the shares of the labelled positives and of the comparison sample in the head,
α the prior and clean labels, TP/n = α·G, FP/n = F − α·G, FN/n = α·(1 − G), TN/n = 1 − F − α·(1 − G), so

    dTP/dα = n·G,  dFP/dα = −n·G,  dFN/dα = n·(1 − G),  dTN/dα = −n·(1 − G),
    dTPR/dα = 0,   dFPR/dα = (F − G) / (1 − α)²,   dPrecision/dα = G / F.

In case-control these are the paper's, F being |head(U)|/|U|. Erratum: Eqs. (15) and (20) lack the factor
1/|U| in the derivative of the false positive rate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, UnsupportedError
from puremetrics.results import Result
from puremetrics.results.picture import Picture
from puremetrics.setting import PriorLike, Setting
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = ["PriorDerivatives", "prior_derivatives"]


@dataclass(frozen=True, eq=False, repr=False)
class PriorDerivatives(Result):
    """Derivatives with respect to the prior, at every threshold; entries are counts of rows."""

    threshold: FloatArray
    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    tn: FloatArray
    tpr: FloatArray
    fpr: FloatArray
    precision: FloatArray
    diagnostics: tuple[Diagnostic, ...] = ()

    _picture = Picture(
        "threshold", ("tpr", "fpr", "precision"), y_title="change of a rate with the prior"
    )

    def __str__(self) -> str:
        return (
            f"Derivatives of counts and rates with respect to the prior, at {self.threshold.size} "
            "thresholds"
        )


@takes_data
def prior_derivatives(table: ScoreTable, *, prior: PriorLike) -> PriorDerivatives:
    """Derivatives of every entry and rate of the confusion matrix with respect to the prior.

    For clean labels, at every distinct score; precision has no derivative where nothing of the
    comparison sample is in the head (NaN there).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[4, 2], unlabeled=[3, 2, 1, 0], scenario="case_control")
    >>> prior_derivatives(table, prior=0.25).fpr.round(3)
    array([ 0.   , -0.889, -0.444, -0.889, -0.444,  0.   ])
    """
    setting = Setting.of(table, prior)
    if not setting.assumed.clean:
        raise UnsupportedError(
            "These derivatives are for clean labels: pass a prior without a purity."
        )
    heads = setting.rows.heads
    g, f, n = heads.pos, heads.cmp, setting.population_size
    by_share = setting.design.share_slope(table.totals)
    precision = np.divide(g, f, out=np.full(g.size, np.nan), where=f > 0)
    return PriorDerivatives(
        threshold=heads.threshold,
        tp=n * g,
        fp=-n * g,
        fn=n * (1 - g),
        tn=-n * (1 - g),
        tpr=np.zeros(g.size),
        fpr=by_share * (f - g) / (1 - setting.share) ** 2,
        precision=precision,
        diagnostics=setting.diagnostics,
    )
