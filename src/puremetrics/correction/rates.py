"""Corrected rates (Jain, White, Radivojac 2017, Theorem 1), and the confusion matrices that they give.

With G(t), F(t) the shares of the labelled positives and of the comparison sample that score at least t, a the
share of positives in the comparison sample and b the purity:

    γ = ((1 − a)·G − (1 − b)·F) / (b − a)        true positive rate, Eq. (1)
    η = (b·F − a·G) / (b − a)                    false positive rate, Eq. (2)

γ_pu and η_pu of the paper are G and F in case-control, where a is the prior.

Deviation: rates are kept as they come out, outside [0, 1] if need be; diagnostic PM101 says so where sampling
error does not explain it.

**The confusion matrix of the population at every threshold** (`confusion_at_thresholds`). TP = prior·n·γ and
FP = (1 − prior)·n·η, with the corrected rates and n the rows of the scenario's population. In case-control
TP/(TP + FP) is then Jain's Eq. (3), prior·γ/η_pu, because prior·γ + (1 − prior)·η = η_pu; the paper's other
formula, through the precision of positives against unlabeled, is the same number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.checking.arguments import check_flag
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.results import ConfusionCounts
from puremetrics.setting import PriorLike, PurityLike, Setting, TwoSamples
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "confusion_at_thresholds",
    "confusion_of",
    "corrected_rates",
    "range_diagnostics",
    "rate_errors",
]


_NAMES = ("true positive rate", "false positive rate")
_SURE = 4.0  # standard errors: the worst of many thresholds is judged


def corrected_rates(
    pos: FloatArray, cmp: FloatArray, share: Any, purity: Any
) -> tuple[FloatArray, FloatArray]:
    """True and false positive rates from heads G and F (Jain, Eqs. (1) and (2)).

    Written as the uncorrected rate plus a multiple of G − F, which is exact at both ends of the ranking.
    """
    apart = (pos - cmp) / (purity - share)
    return pos + (1 - purity) * apart, cmp - share * apart


def range_diagnostics(
    tpr: FloatArray, fpr: FloatArray, errors: tuple[FloatArray, FloatArray] | None = None
) -> list[Diagnostic]:
    """PM101 if corrected rates leave [0, 1] anywhere by more than their sampling error.

    ``errors`` are standard errors of both; without them every excursion counts.
    """
    remarks = []
    spreads = (np.zeros(1), np.zeros(1)) if errors is None else errors
    for name, rates, error in zip(_NAMES, (tpr, fpr), spreads, strict=True):
        beyond = np.maximum(-rates, rates - 1) - _SURE * error
        worst = int(np.argmax(beyond))
        if beyond[worst] > 1e-12:
            remarks.append(
                Diagnostic(
                    "PM101",
                    f"the corrected {name} reaches {rates[worst]:.4g}, outside [0, 1] by more than sampling "
                    "error: the prior is too high, or the labels are not a random sample of the positives.",
                )
            )
    return remarks


def rate_errors(
    pos: FloatArray, cmp: FloatArray, share: float, purity: float, sizes: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Standard errors of the corrected rates, with both samples taken as independent (a little too large).

    Shares are moved towards 1/2 by four rows, as those of no row or of all rows would have no error.
    """
    var_pos, var_cmp = (
        _smoothed(head, size) * (1 - _smoothed(head, size)) / size
        for head, size in zip((pos, cmp), sizes, strict=True)
    )
    gap = purity - share
    by_labels, by_prior = (1 - purity) / gap, share / gap
    return (
        np.sqrt((1 + by_labels) ** 2 * var_pos + by_labels**2 * var_cmp),
        np.sqrt((1 + by_prior) ** 2 * var_cmp + by_prior**2 * var_pos),
    )


def _smoothed(head: FloatArray, size: float) -> FloatArray:
    """Heads that biased labels leave open may lie beyond 0 and 1 if labels are impure, too."""
    return (np.clip(head, 0.0, 1.0) * size + 2) / (size + 4)


@takes_data
def confusion_at_thresholds(
    table: ScoreTable, *, prior: PriorLike, purity: PurityLike = None, raw: bool = False
) -> ConfusionCounts:
    """Estimate the confusion matrix of the population at every threshold.

    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives.

    Parameters
    ----------
    table : ScoreTable
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population; of an interval, its middle is used here.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; likewise. Left out, it is that of the prior's estimate,
        if it has one.
    raw : bool, default False
        Whether counts stay as the formula gives them, outside their range if need be. By default those are
        moved to the nearer end of it.

    Returns
    -------
    ConfusionCounts
        One entry for each distinct score, and a first one where nothing is predicted positive.
        TP = prior·n·γ and FP = (1 − prior)·n·η (Jain, Eqs. (1)–(3)); O(distinct scores).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[4, 2], unlabeled=[3, 2, 1, 0], scenario="case_control")
    >>> counts = confusion_at_thresholds(table, prior=0.25)
    >>> counts.tp
    array([0. , 0.5, 0.5, 1. , 1. , 1. ])
    """
    setting = Setting.of(table, prior, purity)
    counts = confusion_of(setting, setting.rows)
    return counts if check_flag(raw, "raw") else counts.possible()


def confusion_of(setting: Setting, samples: TwoSamples) -> ConfusionCounts:
    """Counts at every row of the samples, as they come out."""
    heads = samples.heads
    tpr, fpr = corrected_rates(heads.pos, heads.cmp, setting.share, setting.purity)
    errors = rate_errors(heads.pos, heads.cmp, setting.share, setting.purity, samples.sizes)
    size = setting.population_size
    positives, negatives = setting.prior * size, (1 - setting.prior) * size
    return ConfusionCounts(
        threshold=heads.threshold,
        tp=positives * tpr,
        fp=negatives * fpr,
        fn=positives * (1 - tpr),
        tn=negatives * (1 - fpr),
        diagnostics=(*setting.diagnostics, *range_diagnostics(tpr, fpr, errors)),
    )
