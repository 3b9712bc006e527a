"""Rows of a table: distinct scores with counts, made from sorted scores of each kind or from any counts.

Only sorting, counting and adding up happen here; what the counts mean is the business of
`tables.score_table`. Arrays of any sort (`kinds_of_arrays`, `weighted_rows`, `counted_rows`) come in first.
Their rows are split by label and each kind is sorted by itself, which is quicker than sorting labels along
with scores. Equal scores become one row, so nothing depends on the order of the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

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
from puremetrics.numerics.sorting import order_of, places_in, sort_in_place
from puremetrics.tables.clusters import Clusters, cell_edges, units_of

__all__ = [
    "MOST_ROWS",
    "Rows",
    "Runs",
    "SortedKinds",
    "add_up",
    "check_totals",
    "clusters_of_arrays",
    "combine",
    "counted_rows",
    "cut_kinds",
    "cut_rows",
    "distinct_of",
    "drop_empty",
    "kinds_of_arrays",
    "merge_sorted",
    "ranking",
    "rows_of_kinds",
    "sorted_kinds",
    "weighted_rows",
]


class SortedKinds(NamedTuple):
    """Sorted (ascending) scores of each kind; every score counts once."""

    pos: FloatArray
    unl: FloatArray
    neg: FloatArray


class Runs(NamedTuple):
    """What is known inside rows that stand for several scores; ``Rows.score`` is their lowest.

    ``hidden`` marks rows with positives whose order is unknown. ``high`` is the highest score of each
    row, ``sums`` the sums of the scores of the three kinds, or of the unlabeled alone where each labelled
    row has its own score; None where a reader did not keep them.
    """

    hidden: BoolArray
    high: FloatArray | None
    sums: tuple[FloatArray, ...] | None

    @staticmethod
    def of(hidden: BoolArray, high: FloatArray | None, sums: Sequence[FloatArray] | None) -> Runs:
        """Freeze the columns."""
        for array in (hidden, high, *(sums or ())):
            if array is not None:
                array.flags.writeable = False
        return Runs(hidden, high, None if sums is None else tuple(sums))

    def arrays(self) -> tuple[Any, ...]:
        """All columns that are known."""
        return tuple(
            column for column in (self.hidden, self.high, *(self.sums or ())) if column is not None
        )


class Rows(NamedTuple):
    """Distinct scores in decreasing order, with (weighted) counts and sums of squared weights.

    ``inverse`` is there if the labelled rows have propensities e: sums over them of w/e, (w/e)² and w²/e,
    with w the weight that counts them elsewhere.
    """

    score: FloatArray
    pos: CountArray
    unl: CountArray
    neg: CountArray
    squares: tuple[CountArray, CountArray, CountArray] | None
    runs: Runs | None = None
    inverse: tuple[FloatArray, FloatArray, FloatArray] | None = None

    def counts(self) -> tuple[CountArray, ...]:
        """Return all additive columns: counts, then sums of squares, then those by propensity."""
        return (self.pos, self.unl, self.neg, *(self.squares or ()), *(self.inverse or ()))

    @staticmethod
    def of(score: FloatArray, columns: Sequence[CountArray]) -> Rows:
        """Freeze the columns that `counts` returned."""
        for array in (score, *columns):
            array.flags.writeable = False
        squares, inverse = (cast("Any", tuple(columns[i : i + 3])) or None for i in (3, 6))
        return Rows(score, columns[0], columns[1], columns[2], squares, None, inverse)


def rows_of_kinds(kinds: SortedKinds) -> Rows:
    """Return rows in decreasing order from the ascending scores of three kinds."""
    distinct, starts = distinct_of(kinds.unl)
    labelled = np.union1d(kinds.pos, kinds.neg)
    place = np.searchsorted(distinct, labelled)
    known = np.zeros(labelled.size, dtype=np.bool_)
    inside = place < distinct.size
    known[inside] = distinct[place[inside]] == labelled[inside]
    size = distinct.size + int(np.count_nonzero(~known))
    at = (
        size - 1 - (place + np.cumsum(~known) - ~known)
    )  # rows of the labelled scores, from the top
    added = np.zeros(size, dtype=np.bool_)
    added[at[~known]] = True
    score, unl = np.empty(size), np.zeros(size, dtype=np.int64)
    score[added] = labelled[~known][::-1]
    np.logical_not(
        added, out=added
    )  # memory: each array of a large table is as large as its scores
    score[added] = distinct[::-1]
    if distinct.size == kinds.unl.size:
        unl[added] = 1
    else:
        unl[added] = np.diff(starts, append=kinds.unl.size)[::-1]
    columns = [
        _place(kinds.pos, labelled, at, size),
        unl,
        _place(kinds.neg, labelled, at, size),
    ]
    return Rows.of(score, columns)


def _place(kind: FloatArray, labelled: FloatArray, at: Any, size: int) -> CountArray:
    if not kind.size:
        return np.broadcast_to(np.int64(0), size)
    column = np.zeros(size, dtype=np.int64)
    column[at] = _tied(kind, labelled)
    return column


def _tied(kind: FloatArray, values: FloatArray) -> CountArray:
    left, right = _spans(kind, values)
    return right - left


def _spans(kind: FloatArray, values: FloatArray) -> tuple[CountArray, CountArray]:
    """Where rising values start and end in sorted scores; most are not there, and end where they start."""
    left = places_in(kind, values)
    right = left.copy()
    if kind.size:
        found = np.flatnonzero(kind[np.minimum(left, kind.size - 1)] == values)
        right[found] = np.searchsorted(kind, values[found], side="right")
    return left, right


def cut_kinds(kinds: SortedKinds) -> Rows:
    """Cut the ascending scores of three kinds at their labelled scores without making all rows."""
    labelled, n_pos, n_neg = _labelled(kinds)
    left, right = _spans(kinds.unl, labelled)
    run_start = np.concatenate(
        [[0], right]
    )  # the unlabeled run just below labelled[i], above [i-1]
    run = np.concatenate([left, [kinds.unl.size]]) - run_start
    score = np.empty(2 * labelled.size + 1)
    pos, unl, neg = np.zeros((3, score.size), dtype=np.int64)
    score[1::2] = labelled
    occupied = run > 0
    score[::2][occupied] = kinds.unl[run_start[occupied]]
    unl[::2], unl[1::2] = run, right - left
    pos[1::2], neg[1::2] = n_pos, n_neg
    keep = np.ones(score.size, dtype=np.bool_)
    keep[::2] = occupied
    columns = [column[keep][::-1].copy() for column in (pos, unl, neg)]
    return Rows.of(score[keep][::-1].copy(), columns)


def _labelled(kinds: SortedKinds) -> tuple[FloatArray, Any, Any]:
    """Distinct labelled scores, rising, and the positives and negatives at each."""
    if not kinds.neg.size:
        distinct, starts = distinct_of(kinds.pos)
        return distinct, np.diff(starts, append=kinds.pos.size), 0
    labelled = np.union1d(kinds.pos, kinds.neg)
    return labelled, _tied(kinds.pos, labelled), _tied(kinds.neg, labelled)


def cut_rows(rows: Rows) -> Rows:
    """Merge the unlabeled rows between two neighbouring labelled scores."""
    labelled: BoolArray = (rows.pos > 0) | (rows.neg > 0)
    first = np.ones(labelled.size, dtype=np.bool_)
    first[1:] = labelled[1:] | labelled[:-1]
    starts = np.flatnonzero(first)
    last = np.append(starts[1:], labelled.size) - 1
    columns = [np.add.reduceat(column, starts) for column in rows.counts()]
    cut = Rows.of(rows.score[last], columns)
    if rows.runs is None or not rows.runs.hidden.any():
        return cut
    high = None if rows.runs.high is None else rows.runs.high[starts]
    return cut._replace(runs=Runs.of(rows.runs.hidden[last], high, None))


def distinct_of(ascending: FloatArray) -> tuple[FloatArray, Any]:
    """Return the distinct values and where each starts."""
    if not ascending.size:
        return ascending, np.zeros(0, dtype=np.int64)
    first = np.empty(ascending.size, dtype=np.bool_)
    first[0] = True
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    if first.all():
        return ascending, np.arange(ascending.size)
    starts = np.flatnonzero(first)
    return ascending[starts], starts


def combine(scores: FloatArray, columns: Sequence[CountArray]) -> Rows:
    """Sort rows by decreasing score and add up the columns of equal scores."""
    order, ordered = ranking(scores, columns)
    distinct, starts = distinct_of(ordered)
    summed = [add_up(column[order], starts) for column in columns]
    return Rows.of(distinct.copy(), summed)


def ranking(scores: FloatArray, columns: Sequence[Any]) -> tuple[Any, FloatArray]:
    """Order of decreasing scores, and the scores in it; -0.0 becomes 0.0.

    Ties are ordered by their columns: sums over them do not depend on the order given.
    """
    order = order_of(scores)[::-1]
    ordered = scores[order]
    ordered += 0.0
    tied = np.zeros(scores.size, dtype=np.bool_)
    np.equal(ordered[1:], ordered[:-1], out=tied[1:])
    tied[:-1] |= tied[1:]
    if tied.any():
        members = order[tied]
        keys = [column[members] for column in columns]
        order[tied] = members[np.lexsort((*keys, scores[members]))[::-1]]
    return order, ordered


def add_up(column: CountArray, starts: Any) -> CountArray:
    """Sums of the runs that start there."""
    if starts.size == column.size:
        return column
    return np.asarray(np.add.reduceat(column, starts))


def drop_empty(rows: Rows) -> Rows:
    """Remove rows that count nothing: weight zero means removal."""
    keep = (rows.pos > 0) | (rows.unl > 0) | (rows.neg > 0)
    if keep.all():
        return rows
    return Rows.of(rows.score[keep], [column[keep] for column in rows.counts()])


def merge_sorted(first: FloatArray, second: FloatArray) -> FloatArray:
    """Two sorted columns of scores together, sorted and read-only."""
    merged = np.concatenate([first, second])
    merged.sort()
    merged.flags.writeable = False
    return merged


MOST_ROWS = 2**50
_MOST = 0.75  # from this share of unlabeled rows on, the others are taken out after sorting


def kinds_of_arrays(
    y: Any, score: Any, pos_label: Any, unlabeled_label: Any, neg_label: Any
) -> SortedKinds:
    """Sorted scores of the three kinds, from one label and one score a row."""
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
    for kind in (pos, neg):
        sort_in_place(kind)
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
    kind = np.full(scores.size, 2, dtype=np.int8)
    kind[masks[0]], kind[masks[1]] = 0, 1
    chance = None if propensity is None else as_propensities(propensity, masks[0])
    keys = [weights, kind] if chance is None else [weights, kind, chance]
    order, ordered = ranking(scores, keys)
    distinct, starts = distinct_of(ordered)
    own, kind = weights[order], kind[order]  # all columns follow from these
    columns = [_of_kind(own, kind == k, weight is None) for k in range(3)]
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


def sorted_kinds(positive: Any, unlabeled: Any, negative: Any) -> SortedKinds:
    """Sorted copies of the scores of each kind."""
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
            f"There is no labelled positive, and without one nothing can be estimated.{hint} Check the "
            "label column and pos_label."
        )
    if others <= 0:
        hint = (
            ""
            if pos_label is None
            else f" No value of y equals unlabeled_label={unlabeled_label!r}."
        )
        raise LabelError(
            f"There are only positives: neither unlabeled rows nor known negatives.{hint} A classifier can "
            "only be judged against rows other than positives: check unlabeled_label."
        )


def _of_kind(weights: FloatArray, members: BoolArray, unweighted: bool) -> CountArray:
    if not members.any():  # a long column of zeros takes time and memory
        zero: Any = np.int64(0) if unweighted else np.float64(0)
        return np.broadcast_to(zero, members.size)
    return members.astype(np.int64) if unweighted else weights * members


def _check_ends(kinds: tuple[FloatArray, ...], original: FloatArray) -> None:
    """Sorting has put scores that are not finite at the ends."""
    for kind in kinds:
        if kind.size and not (np.isfinite(kind[0]) and np.isfinite(kind[-1])):
            raise_not_finite(original)


def _frozen(*kinds: FloatArray) -> SortedKinds:
    for kind in kinds:
        first, last = (np.searchsorted(kind, 0.0, side=side) for side in ("left", "right"))
        kind[first:last] = 0.0  # turns -0.0 into 0.0, so that both print alike
        kind.flags.writeable = False
    return SortedKinds(*kinds)
