"""What the report's page needs from an evaluation: what the data allow, discoveries, and rows in groups.

**What the data allow** (`allowed_by`): which priors and purities, so that a page can say so by itself. Two
things contradict an assumption (`evaluation.trusting`). The prior may not exceed `largest_prior`: that is the
purity times the limit for clean labels. And with labels of purity β a share of at least (1 − β)/(1 − a) of
the labelled rows is distributed like the unlabeled ones, of which a share a is positive; the data allow a
share of at most s (`largest_share`), so that β ≥ 1 − s (1 − a). Two numbers say it for every prior and
purity, at the label bias that was evaluated.

**Discoveries** (`checked_rows_of`): the curve in few rows, whatever the size of the table.

**What is uncertain** (`uncertain_at`): the pairs of prior and purity that may be true, and what errors may
have moved them, by which the page has limits at any threshold.

**Rows in groups** (`squares_in_groups`, `sizes_in_groups`): what they count for, as squared weights and as
numbers at a threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from puremetrics.bounds.largest import largest_prior
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import UnsupportedError
from puremetrics.priors.ratio_methods import largest_share
from puremetrics.priors.samples import Samples
from puremetrics.sampling.clustered import allow_for_groups, at_threshold
from puremetrics.sampling.uncertain import KEPT, PriorByHead, least_factor, scale_of_errors
from puremetrics.setting import Assumed, Setting
from puremetrics.statistics.discoveries import listed
from puremetrics.statistics.roc_area import area_influence
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from puremetrics.evaluation.model import ModelEvaluation
    from puremetrics.evaluation.records import Evaluation


__all__ = [
    "Allowed",
    "Checked",
    "alike_share",
    "allowed_by",
    "checked_rows_of",
    "least_purity",
    "sizes_in_groups",
    "squares_in_groups",
    "uncertain_at",
]


def uncertain_at(known: Assumed, level: float) -> dict[str, Any]:
    """What limits over uncertain assumptions are made of; see `sampling.uncertain`."""
    return {
        "pairs": known.pairs,
        "places": known.placed,
        "errors": scale_of_errors(known, level),
        "least": least_factor(level),
    }


def prior_by_head(setting: Setting) -> list[Any] | None:
    """How the error of the prior goes with the rows above a score, if it was read off these scores."""
    found = None if setting.assumed.is_point else PriorByHead.of(setting)
    if found is None:
        return None
    return [found.labelled, found.unlabeled, found.by_labelled, found.by_unlabeled, KEPT]


@dataclass(frozen=True)
class Allowed:
    """What the data allow.

    Attributes
    ----------
    clean : float or None
        The largest prior if no label is wrong; None where rows cannot be counted, so that it has no limit.
    alike : float or None
        Largest share of the labelled rows that can be distributed like the unlabeled ones.
    """

    clean: float | None
    alike: float | None


def allowed_by(evaluation: Evaluation) -> Allowed:
    """What the rows of all models allow."""
    tables = [model.table for model in evaluation.models.values()]
    level = 1 - (1 - evaluation.level) / len(tables)
    clean = alike = None
    with suppress(UnsupportedError):
        bias = evaluation.label_bias, evaluation.label_bias_side
        clean = min(
            largest_prior(
                table, confidence_level=level, label_bias=bias[0], label_bias_side=bias[1]
            ).prior
            for table in tables
        )
    if tables[0].total_unl > 0:
        with suppress(UnsupportedError):
            alike = alike_share(tables, level)
    return Allowed(clean, alike)


def alike_share(tables: Sequence[ScoreTable], level: float) -> float:
    """Largest share of the labelled that can be distributed like the unlabeled, by every ranking."""
    return min(largest_share(Samples.of(table).swapped(), level) for table in tables)


def least_purity(alike: float, hidden: float) -> float:
    """The least purity that the data allow if so many of the unlabeled are positive."""
    return 1 - alike * (1 - hidden)


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


def squares_in_groups(model: ModelEvaluation, used: ScoreTable) -> list[FloatArray]:
    """Squared weights of the three kinds of rows, larger by the design effects of the area."""
    setting = model.setting
    labelled, others = allow_for_groups(setting, *area_influence(setting.heads)).samples.effect
    scales = (labelled, others, others)
    return [
        np.asarray(column, dtype=np.float64) * scale
        for column, scale in zip(used.squared_weights(), scales, strict=True)
    ]


def sizes_in_groups(model: ModelEvaluation, threshold: float) -> list[float]:
    """Effective numbers of rows of both samples, for their shares above a threshold."""
    ends = [at_threshold(model.setting, threshold, by) for by in ((1.0, 0.0), (0.0, 1.0))]
    return [end.rows.sizes_at(threshold)[i] for i, end in enumerate(ends)]
