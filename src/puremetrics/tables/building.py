"""From arrays of any kind to sorted groups of scores, or to rows of counts.

Rows are split by label and each group is sorted by itself, which is quicker than sorting labels along
with scores. Equal scores become one row, so nothing depends on the order of the input.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.checking.columns import (
    as_counts,
    as_propensities,
    as_scores,
    as_weights,
    check_same_length,
    raise_not_finite,
)
from puremetrics.checking.groups import as_groups
from puremetrics.checking.labels import label_masks, label_places
from puremetrics.checking.types import BoolArray, CountArray, FloatArray
from puremetrics.exceptions import LabelError, WeightError
from puremetrics.numerics.sorting import sort_in_place
from puremetrics.tables.clusters import Clusters, cell_edges, units_of
from puremetrics.tables.rows import Groups, Rows, add_up, combine, distinct_of, drop_empty, ranking

__all__ = [
    "MOST_ROWS",
    "check_totals",
    "clusters_of_arrays",
    "counted_rows",
    "groups_of_arrays",
    "sorted_groups",
    "weighted_rows",
]

MOST_ROWS = 2**50
_MOST = 0.75  # from this share of unlabeled rows on, the others are taken out after sorting


def groups_of_arrays(
    y: Any, score: Any, pos_label: Any, unlabeled_label: Any, neg_label: Any
) -> Groups:
    """Sorted scores of the three groups, from one label and one score a row."""
    scores = as_scores(score)
    size, labelled, others = label_places(y, pos_label, unlabeled_label, neg_label)
    check_same_length(size, scores.size, "y and score")
    pos, neg = scores[labelled], scores[others]
    if scores.size - labelled.size - others.size >= _MOST * scores.size:
        # A copy sorts faster than a selection: what is not unlabeled goes to its end.
        unl = scores.copy()
        unl[labelled] = np.inf
        unl[others] = np.inf
        aside = labelled.size + others.size
    else:
        unlabeled = np.ones(size, dtype=np.bool_)
        unlabeled[labelled] = unlabeled[others] = False
        unl, aside = scores[unlabeled], 0
    sort_in_place(unl)
    if aside and unl[-1] == np.inf:  # NaN would be last
        unl = unl[: unl.size - aside]
    for group in (pos, neg):
        sort_in_place(group)
    _check_ends((pos, unl, neg), scores)
    check_totals(pos.size, unl.size + neg.size, pos_label, unlabeled_label)
    return _frozen(pos, unl, neg)


def weighted_rows(
    y: Any,
    score: Any,
    weight: Any,
    propensity: Any,
    pos_label: Any,
    unlabeled_label: Any,
    neg_label: Any,
) -> Rows:
    """Rows with sums of weights and of their squares, and of those by propensity if there are any."""
    scores = as_scores(score)
    masks = label_masks(y, pos_label, unlabeled_label, neg_label)
    check_same_length(masks[0].size, scores.size, "y and score")
    weights = np.ones(scores.size) if weight is None else as_weights(weight, scores.size)
    if not np.isfinite(scores).all():
        raise_not_finite(scores)
    group = np.full(scores.size, 2, dtype=np.int8)
    group[masks[0]], group[masks[1]] = 0, 1
    chance = None if propensity is None else as_propensities(propensity, masks[0])
    keys = [weights, group] if chance is None else [weights, group, chance]
    order, ordered = ranking(scores, keys)
    distinct, starts = distinct_of(ordered)
    own, group = weights[order], group[order]  # all columns follow from these
    columns = [_of_group(own, group == kind, weight is None) for kind in range(3)]
    columns += [column**2 if column.strides[0] else column for column in columns]
    if chance is not None:
        inverse = columns[0] / chance[order]
        columns += [inverse, inverse**2, inverse * columns[0]]
    rows = drop_empty(Rows.of(distinct, [add_up(column, starts) for column in columns]))
    check_totals(rows.pos.sum(), rows.unl.sum() + rows.neg.sum(), pos_label, unlabeled_label)
    return rows


def clusters_of_arrays(
    y: Any,
    score: Any,
    groups: Any,
    labelled: tuple[FloatArray, FloatArray, float, float],
    weight: Any,
    propensity: Any,
    *labels: Any,
) -> Clusters:
    """Counts by group and cell of the rows of a table, whose labelled scores and range are known."""
    scores = as_scores(score)
    units = units_of(as_groups(groups, scores.size))
    edges = cell_edges(*labelled)
    _, pos, neg = label_places(y, *labels)
    weights = None if weight is None else as_weights(weight, scores.size).astype(np.float64)
    inverse = None
    if propensity is not None:
        own = np.ones(pos.size) if weights is None else weights[pos]
        inverse = own / as_propensities(propensity, label_masks(y, *labels)[0])[pos]
    return Clusters.counted(units, scores, edges, (pos, None, neg), weights, inverse)


def sorted_groups(positive: Any, unlabeled: Any, negative: Any) -> Groups:
    """Sorted copies of the scores of each group."""
    given = (("positive", positive), ("unlabeled", unlabeled), ("negative", negative))
    picked = []
    for name, values in given:
        scores = as_scores([] if values is None else values, name)
        if not np.isfinite(scores).all():
            raise_not_finite(scores, name)
        picked.append(np.sort(scores))
    pos, unl, neg = picked
    check_totals(pos.size, unl.size + neg.size, None, None)
    return _frozen(pos, unl, neg)


def counted_rows(score: Any, n_pos: Any, n_unl: Any, n_neg: Any) -> Rows:
    """Rows from counts per score, in any order."""
    scores = as_scores(score)
    if not np.isfinite(scores).all():
        raise_not_finite(scores)
    zeros = np.zeros(scores.size)
    given = (("n_pos", n_pos), ("n_unl", n_unl), ("n_neg", zeros if n_neg is None else n_neg))
    columns = [as_counts(values, scores.size, name) for name, values in given]
    if any(column.dtype.kind == "f" for column in columns):
        columns = [column.astype(np.float64) for column in columns]
    if sum(float(np.sum(column, dtype=np.float64)) for column in columns) > MOST_ROWS:
        raise WeightError(
            "The counts add up to more than 2**50 (1e15), where floats lose the halves and quarters of a row "
            "that measures are made of. Pass smaller ones, such as every count divided by 1000."
        )
    rows = drop_empty(combine(scores, columns))
    check_totals(rows.pos.sum(), rows.unl.sum() + rows.neg.sum(), None, None)
    return rows


def check_totals(positive: float, others: float, pos_label: Any, unlabeled_label: Any) -> None:
    """Raise unless there are positives and something to compare them with."""
    if positive <= 0:
        hint = "" if pos_label is None else f" No value of y equals pos_label={pos_label!r}."
        raise LabelError(
            f"There is no labelled positive, and without one nothing can be said.{hint} Check "
            "the label column and pos_label."
        )
    if others <= 0:
        hint = (
            ""
            if pos_label is None
            else f" No value of y equals unlabeled_label={unlabeled_label!r}."
        )
        raise LabelError(
            f"There are only positives: neither unlabeled rows nor known negatives.{hint} A "
            "classifier can only be judged against something else than positives: check unlabeled_label."
        )


def _of_group(weights: FloatArray, members: BoolArray, unweighted: bool) -> CountArray:
    if not members.any():  # a long column of zeros takes time and memory
        zero: Any = np.int64(0) if unweighted else np.float64(0)
        return np.broadcast_to(zero, members.size)
    return members.astype(np.int64) if unweighted else weights * members


def _check_ends(groups: tuple[FloatArray, ...], original: FloatArray) -> None:
    """Sorting has put scores that are not finite at the ends."""
    for group in groups:
        if group.size and not (np.isfinite(group[0]) and np.isfinite(group[-1])):
            raise_not_finite(original)


def _frozen(*groups: FloatArray) -> Groups:
    for group in groups:
        first, last = (np.searchsorted(group, 0.0, side=side) for side in ("left", "right"))
        group[first:last] = 0.0  # turns -0.0 into 0.0, so that both print alike
        group.flags.writeable = False
    return Groups(*groups)
