"""What the scores, the labels and the prior themselves give reason to say."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from puremetrics.calibration.bins import score_span
from puremetrics.comparing.ranges import ModelRanking
from puremetrics.exceptions import Diagnostic, PuremetricsError
from puremetrics.priors.labelling import labelling_of, least_bias_of
from puremetrics.setting import Setting
from puremetrics.tables.score_table import ScoreTable

__all__ = ["crossing_remark", "limit_remark", "remarks_of"]

_MUCH_TIED = 0.2
_LABELLING_LEVEL = 0.99


def remarks_of(setting: Setting, tested: bool) -> list[Diagnostic]:
    """Remarks on one model; ``tested`` if the prior does not come from the same scores."""
    table = setting.table
    remarks = []
    if table.hidden is not None:
        remarks.append(
            Diagnostic(
                "PM606",
                f"the labelled scores did not fit and were put into {table.score.size} buckets. ROC AUC "
                "and average precision come with brackets; all else counts the rows of a bucket as tied.",
            )
        )
    low, high = score_span(table)
    if low < 0 or high > 1:
        remarks.append(
            Diagnostic(
                "PM504",
                f"scores span {low:.4g} to {high:.4g} and are not probabilities, so calibration was left "
                "out. `recalibrate` turns them into probabilities.",
            )
        )
    tied = _largest_tie(table)
    if tied >= _MUCH_TIED:
        remarks.append(
            Diagnostic(
                "PM505",
                f"{100 * tied:.0f} % of the unlabeled rows share one score, and no threshold can part "
                "them: curves are straight there, and tied pairs count one half. Score them more "
                "finely if you can.",
            )
        )
    if tested:
        with suppress(PuremetricsError):  # weights, or no unlabeled rows: nothing to compare
            remarks += labelling_of(setting.with_level(_LABELLING_LEVEL)).diagnostics
    return remarks


def crossing_remark(ranking: ModelRanking) -> list[Diagnostic]:
    """PM502 if the best model depends on the prior within its range, which the ranking is of."""
    if not ranking.crossings:
        return []
    low, high = float(ranking.prior[0]), float(ranking.prior[-1])
    return [
        Diagnostic(
            "PM502",
            f"the best model by AUC changes at prior {ranking.crossings[0]:.4g}, inside its range "
            f"{low:.4g} to {high:.4g}: narrow the prior before choosing a model.",
        )
    ]


def limit_remark(limit: float | None, setting: Setting) -> list[Diagnostic]:
    """PM503 if the prior is above what the ranking allows."""
    least = setting.assumed.low
    if limit is None or least <= limit:
        return []
    how = "not a random sample"
    with suppress(PuremetricsError):
        bias = least_bias_of(setting).low
        if bias > max(setting.bias.most, 1.0):
            how = f"biased: some positives {setting.design.favoured(f'at least {bias:.3g}')}"
    return [
        Diagnostic(
            "PM503",
            f"prior {least:.4g} exceeds {limit:.4g}, the largest that the ranking allows with "
            f"confidence {setting.level:g}: the prior is too high, or the labels are {how}.",
        )
    ]


def _largest_tie(table: ScoreTable) -> float:
    """Share of the unlabeled rows in the largest group of ties, if it is large; O(log rows)."""
    if table.total_unl == 0 or table.is_cut or table.is_scanned:
        return 0.0
    heads = np.floor(table.total_unl * np.arange(1, 10) / 10)
    above, through = table.unlabeled_steps(heads)
    return float(np.max(through - above)) / table.total_unl
