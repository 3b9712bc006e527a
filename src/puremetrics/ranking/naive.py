"""ROC AUC and average precision with the unlabeled taken as negative: what most people report."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from puremetrics.checking.arguments import check_level
from puremetrics.correction.areas import area_estimate
from puremetrics.ranking import kernels
from puremetrics.ranking.frame import RankingEstimate, check_rows, finish
from puremetrics.ranking.influence import Cells, Spread
from puremetrics.ranking.rows import Ranked
from puremetrics.results import Curve, Estimate
from puremetrics.setting import Setting, check_table
from puremetrics.tables.score_table import ScoreTable

__all__ = ["naive_auc", "naive_average_precision"]

_TOP = 1000  # ranks whose 1/τ² are summed


def naive_auc(table: ScoreTable, *, confidence_level: float | None = 0.95) -> Estimate:
    """ROC AUC with every row that is not a labelled positive taken as negative.

    An estimate of the true AUC only if hardly any unlabeled row is positive; `roc_auc` corrects for
    them. Tied pairs count one half, which is the mean over random orders.

    Parameters
    ----------
    table : ScoreTable
        Sampling weights are taken into account.
    confidence_level : float or None, default 0.95

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 3], unlabeled=[4, 2, 1, 0], scenario="single_training_set")
    >>> naive_auc(table).value
    0.875
    """
    check_table(table)
    level = check_level(0.95 if confidence_level is None else confidence_level)
    # Two samples: in one training set the area would be that against all rows, divided by their share
    # of negatives, which costs digits where these are few.
    found = area_estimate(Setting.naive(table.cut(), level, two_samples=True))
    title = "ROC AUC, unlabeled taken as negative"
    return replace(
        found, name="naive_auc", title=title, method="naive", scenario=table.scenario,
        interval=None if confidence_level is None else found.interval,
        prior=None, unlabeled_share=None, purity=None,
    )  # fmt: skip


def naive_average_precision(
    table: ScoreTable, *, confidence_level: float | None = 0.95
) -> RankingEstimate:
    """Mean precision at the labelled rows, with every other row taken as negative.

    Without ties this is scikit-learn's ``average_precision_score``; with ties it is the exact mean
    over random orders of the tied rows, whereas scikit-learn gives each of them the precision at
    the end of its block.

    Parameters are those of `pulp`. The curve is precision over recall by steps, and its area the
    value: 1/t Σ_k k / τ_k, with τ_k the rank of the k-th labelled row.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 3], unlabeled=[4, 2, 1, 0], scenario="single_training_set")
    >>> round(naive_average_precision(table).value, 4)
    0.8333
    """
    check_rows(table)
    ranked = Ranked.all_rows(table)
    blocks = ranked.blocks
    parts = kernels.average_precision_parts(blocks)
    recall = np.concatenate([[0.0], (blocks.hits + blocks.labelled) / blocks.marked])
    precision = parts / blocks.labelled
    score = ranked.table.score[np.asarray(ranked.pos) > 0]
    curve = Curve(
        name="naive precision-recall curve",
        x=recall,
        y=np.concatenate([precision[:1], precision]),
        threshold=np.concatenate([[np.inf], score]),
        x_label="recall",
        y_label="precision",
        interpolation="step",
        method="naive",
    )

    value = float(parts.sum()) / blocks.marked
    spread = None if confidence_level is None else _precision_influence(ranked)
    return finish(ranked, "naive_average_precision", value, curve, spread, confidence_level)


def _precision_influence(ranked: Ranked) -> Spread:
    """Influence of a labelled and of another row of each score on the average precision.

    A row lowers the precision k / τ of all labelled rows below it; a labelled one also raises k
    there. Of a labelled row that joins s unlabeled ones at the top, 1/τ is anything from 1/s to 1: limits
    take its root mean square, without which samples that have no label at the top seem too certain.
    """
    cells = Cells.of(ranked)
    blocks = ranked.blocks
    precision = cells.hits_at_labels / cells.b
    lowered = cells.by_row(cells.new_hits * precision / cells.b)
    raised = cells.by_row(cells.new_hits / cells.b)
    own = cells.at_row(precision)
    on_rest = -(blocks.total - blocks.marked) / blocks.marked * lowered
    on_pos = own + raised - lowered
    top = on_pos[0]
    if ranked.pos[0] == 0:
        places = np.arange(1.0, min(ranked.size[0], _TOP) + 1)
        top += float(np.sqrt(np.sum(places**-2.0) / ranked.size[0])) - own[0]
    beyond = np.array([top, own[-1]]), on_rest[[0, -1]]
    return Spread((on_pos, on_rest), (on_pos, on_rest), beyond, beyond)
