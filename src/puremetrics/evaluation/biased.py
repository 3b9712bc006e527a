"""What label bias means for an evaluation: its prior, and how much bias the headlines stand.

**Prior.** An estimate from scores rests on the highest ratio of labelled to unlabeled rows: there the
unlabeled ones are taken to be positive, α·g = u. With labels biased up to Γ the positives there are up to Γ
times more or fewer than g says, so the share α lies between 1/Γ and Γ times what the estimate's interval
holds, and not above what all rankings allow at that bias.

**Headlines.** For each model the largest round number that its AUC, and its precision at the threshold,
exceed with confidence if labels are at random; and how biased labels must be for that to fail (`tipping_of`).

**Curves.** The headline figures over the label bias, from random labels on (`bias_curves`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from puremetrics.comparing.sensitivity import LabelBiasSensitivity, sensitivity_to_bias
from puremetrics.comparing.tipping import TippingPoint, tipping_of
from puremetrics.evaluation.figures import figure_of
from puremetrics.exceptions import PuremetricsError
from puremetrics.results import PriorEstimate
from puremetrics.setting import RANDOM, LabelBias, Setting
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from puremetrics.evaluation.model import ModelEvaluation

__all__ = ["HEADLINES", "bias_curves", "biased_prior", "tipping_points"]

HEADLINES = ("roc_auc", "average_precision", "precision", "recall", "f1")
_STEP = 0.05
_RATIOS = (1.0, 1.2, 1.5, 2.0, 3.0, 4.0, 5.0)
_TIPPING = {
    "roc_auc": 0.5,
    "precision": 0.0,
    "recall": 0.0,
}  # and above what they are worth telling


def biased_prior(
    estimate: PriorEstimate, table: ScoreTable, bias: LabelBias, limit: float | None
) -> PriorEstimate:
    """The estimate with all that biased labels leave possible."""
    if bias.is_random or estimate.interval is None:
        return estimate
    design, totals = table.design, table.totals
    purity = 1.0 if estimate.purity is None else estimate.purity
    ends = []
    for prior, factor in zip(estimate.interval, (1 / bias.most, bias.most), strict=True):
        share = design.unlabeled_share(totals, prior, purity) or 0.0
        ends.append(float(design.prior_of(totals, min(share * factor, 1.0), purity)))
    high = ends[1] if limit is None else min(ends[1], max(limit, estimate.prior))
    certain = estimate.certain
    if certain is not None and limit is not None:
        certain = replace(certain, high=max(limit, certain.high))
    return replace(
        estimate,
        interval=replace(estimate.interval, low=ends[0], high=high, kind="combined"),
        certain=certain,
        upper_limit=limit if estimate.upper_limit is not None else None,
    )


def tipping_points(setting: Setting, threshold: float | None) -> dict[str, TippingPoint]:
    """How biased labels must be for the headline statements of a model to fail."""
    found = {}
    random = setting.with_bias(replace(setting.bias, most=RANDOM.most))
    for name, floor in _TIPPING.items():
        statistic = figure_of(name, threshold)
        if statistic is None:
            continue
        with suppress(PuremetricsError):
            low = statistic.estimate(random).low
            target = round(_STEP * (np.ceil(low / _STEP - 1e-9) - 1), 2)
            if target > floor:
                found[name] = tipping_of(random, statistic, target)
    return found


def bias_curves(
    model: ModelEvaluation, figures: Sequence[str] = HEADLINES
) -> dict[str, LabelBiasSensitivity]:
    """The headline figures of a model over the label bias, those that can be computed.

    Each is traced from 1 to 5, or to the evaluated bias if that is more, and at its tipping point. Empty
    where no bias matters: figures that rest on checked rows, and models that something contradicts.
    """
    if model.audited is not None or model.trust.level == "contradicted":
        return {}
    setting, found = model.setting, {}
    random = setting.with_bias(replace(setting.bias, most=RANDOM.most))
    for name in figures:
        statistic = figure_of(name, model.threshold)
        if statistic is None:
            continue
        ratios = {*_RATIOS, setting.bias.most}
        if name in model.tipping and 1.0 < model.tipping[name].low < max(ratios):
            ratios.add(model.tipping[name].low)
        with suppress(PuremetricsError):
            found[name] = sensitivity_to_bias(random, statistic, sorted(ratios))
    return found
