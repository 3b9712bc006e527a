"""What grouped rows count for on the report's page: squared weights, and numbers at a threshold."""

from __future__ import annotations

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.evaluation.model import ModelEvaluation
from puremetrics.sampling.clustered import at_threshold, robust
from puremetrics.statistics.roc_area import area_influence
from puremetrics.tables.score_table import ScoreTable

__all__ = ["sizes_in_groups", "squares_in_groups"]


def squares_in_groups(model: ModelEvaluation, used: ScoreTable) -> list[FloatArray]:
    """Squared weights of the three kinds of rows, larger by the design effects of the area."""
    setting = model.setting
    labelled, others = robust(setting, *area_influence(setting.heads)).samples.effect
    scales = (labelled, others, others)
    return [
        np.asarray(column, dtype=np.float64) * scale
        for column, scale in zip(used.squared_weights(), scales, strict=True)
    ]


def sizes_in_groups(model: ModelEvaluation, threshold: float) -> list[float]:
    """Effective numbers of rows of both samples, for their shares above a threshold."""
    ends = [at_threshold(model.setting, threshold, by) for by in ((1.0, 0.0), (0.0, 1.0))]
    return [end.rows.sizes_at(threshold)[i] for i, end in enumerate(ends)]
