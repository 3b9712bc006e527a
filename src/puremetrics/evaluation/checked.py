"""What the report's page needs for the curve of discoveries: few rows, whatever the size of the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.evaluation.model import ModelEvaluation
from puremetrics.listing.discovery import listed

__all__ = ["Checked", "checked_rows_of"]


@dataclass(frozen=True)
class Checked:
    """Labelled and unlabeled rows between the points of a curve of discoveries.

    ``squares`` are squared weights of both, larger by the design effects of groups; None if every row counts
    as one. ``heavy`` is the weight of one unlabeled row in effect.
    """

    points: FloatArray
    labelled: FloatArray
    unlabeled: FloatArray
    squares: tuple[FloatArray, FloatArray] | None
    heavy: float


def checked_rows_of(model: ModelEvaluation) -> Checked | None:
    """The rows that the curve of a model is made of; None if it has none."""
    if model.discovery is None or model.discovery_rows is None:
        return None
    small, points = listed(model.setting, np.array([model.discovery_rows]))
    samples = small.samples
    labelled, others, pos_squares, cmp_squares = (
        np.asarray(column, dtype=np.float64)
        for column in (samples.pos, samples.cmp, samples.pos_squares, samples.cmp_squares)
    )
    squares = (pos_squares, cmp_squares) if samples.weighted else None
    return Checked(points, labelled, others, squares, small.population_size / samples.sizes[1])
