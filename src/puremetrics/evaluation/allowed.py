"""Which priors and purities the data allow: what a page needs to say so by itself.

Two things contradict an assumption (`evaluation.trusting`). The prior may not exceed `largest_prior`: that is
the purity times the limit for clean labels. And with labels of purity β a share of at least (1 − β)/(1 − a)
of the labelled rows is distributed like the unlabeled ones, of which a share a is positive; the data allow a
share of at most s (`largest_share`), so that β ≥ 1 − s (1 − a). Two numbers say it for every prior and
purity, at the label bias that was evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from puremetrics.exceptions import UnsupportedError
from puremetrics.priors.largest import largest_prior
from puremetrics.priors.samples import Samples
from puremetrics.priors.slope import largest_share
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from puremetrics.evaluation.records import Evaluation

__all__ = ["Allowed", "alike_share", "allowed_by", "least_purity"]


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
