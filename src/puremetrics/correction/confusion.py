"""The confusion matrix of the population at every threshold.

TP = prior·n·γ and FP = (1 − prior)·n·η, with the corrected rates of `rates` and n the rows of the
scenario's population. In case-control TP/(TP + FP) is then Jain's Eq. (3), prior·γ/η_pu, because
prior·γ + (1 − prior)·η = η_pu; the paper's other formula, through the precision of positives against
unlabeled, is the same number.
"""

from __future__ import annotations

from puremetrics.checking.arguments import check_flag
from puremetrics.correction.rates import corrected_rates, range_diagnostics, rate_errors
from puremetrics.results import ConfusionCounts
from puremetrics.setting import PriorLike, PurityLike, Setting, TwoSamples
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = ["confusion_at_thresholds", "confusion_of"]


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
