"""Which priors, purities and label biases the data allow: what a page needs to say so by itself.

Two things contradict an assumption (`evaluation.trusting`). The prior may not exceed `largest_prior`: that is
the purity times a limit for clean labels, which depends on the label bias alone, cut to what counts allow.
And with labels of purity β a share of at least (1 − β)/(1 − a) of the labelled rows is distributed like the
unlabeled ones, of which a share a is positive; the data allow a share of at most s (`largest_share`), so that
β ≥ 1 − s (1 − a). One number for each label bias, and s, say it for every position of the sliders.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from puremetrics.bounds.contingency import check_countable
from puremetrics.exceptions import UnsupportedError
from puremetrics.priors.largest import LatentLimit
from puremetrics.priors.samples import Samples
from puremetrics.priors.slope import largest_share
from puremetrics.sampling.clustered import head_effects
from puremetrics.setting import LabelBias
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from puremetrics.evaluation.records import Evaluation

__all__ = ["Allowed", "alike_share", "allowed_by", "least_purity"]


@dataclass(frozen=True)
class Allowed:
    """What the data allow.

    Attributes
    ----------
    clean : list of float or None
        For each label bias, the largest prior if no label is wrong; None where the counts alone limit it.
    counted : bool
        Whether the rows can be counted, so that the prior has a limit at all.
    alike : float or None
        Largest share of the labelled rows that can be distributed like the unlabeled ones.
    """

    clean: list[float | None]
    counted: bool
    alike: float | None


def allowed_by(evaluation: Evaluation, biases: Sequence[float]) -> Allowed:
    """What the rows of all models allow at these label biases, which rise."""
    tables = [model.table for model in evaluation.models.values()]
    level = 1 - (1 - evaluation.level) / len(tables)
    alike = None
    if tables[0].total_unl > 0:
        with suppress(UnsupportedError):
            alike = alike_share(tables, level)
    try:
        for table in tables:
            check_countable(table)
    except UnsupportedError:
        return Allowed([None] * len(biases), False, alike)
    odds = [LabelBias(bias, evaluation.label_bias_side).down for bias in biases]
    grouped = tables[0].clusters is not None
    return Allowed((_grouped if grouped else _limits)(tables, level, odds), True, alike)


def _limits(tables: list[ScoreTable], level: float, odds: list[float]) -> list[float | None]:
    """The lowest limit of all rankings, for each of rising odds.

    All have the same rows, so the fewest latent positives decide. A ranking that allows the fewest so far is
    asked for no more, and the one that decided last is asked first.
    """
    limits = [LatentLimit(table, level) for table in tables]
    size, least, found = int(tables[0].total_unl), 0, []
    for ratio in odds:
        most = size
        for limit in list(limits):
            own = limit.most(ratio, min(least, most), most)
            if own < most:
                most = own
                limits.remove(limit)
                limits.insert(0, limit)
        least = most
        found.append(limits[0].prior(most))
    return found


def _grouped(tables: list[ScoreTable], level: float, odds: list[float]) -> list[float | None]:
    """The same where rows of a group count as fewer, by other factors for each ranking."""
    limits = [
        LatentLimit(table, level, head_effects(table.clusters, level)[0])
        for table in tables
        if table.clusters is not None
    ]
    found: list[float | None] = []
    for ratio in odds:
        own = [limit.prior(limit.most(ratio)) for limit in limits]
        known = [value for value in own if value is not None]
        found.append(min(known) if known else None)
    return found


def alike_share(tables: Sequence[ScoreTable], level: float) -> float:
    """Largest share of the labelled that can be distributed like the unlabeled, by every ranking."""
    return min(largest_share(Samples.of(table).swapped(), level) for table in tables)


def least_purity(alike: float, hidden: float) -> float:
    """The least purity that the data allow if so many of the unlabeled are positive."""
    return 1 - alike * (1 - hidden)
