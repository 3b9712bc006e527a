"""Other tables made from the rows of one or two: merged, turned round, recounted, read naively."""

from __future__ import annotations

import numpy as np

from puremetrics.checking.types import CountArray, FloatArray
from puremetrics.tables.rows import Rows, Runs, SortedKinds, combine, merge_sorted

__all__ = [
    "flipped_rows",
    "merged_kinds",
    "merged_rows",
    "naive_kinds",
    "naive_rows",
    "recounted_rows",
    "reweighted_rows",
    "same_runs",
    "tilted_rows",
    "two_kinds",
    "two_rows",
]

Sums = tuple[FloatArray, FloatArray, FloatArray]


def merged_kinds(first: SortedKinds, second: SortedKinds) -> SortedKinds:
    """The rows of both together."""
    return SortedKinds(*(merge_sorted(a, b) for a, b in zip(first, second, strict=True)))


def merged_rows(first: Rows, second: Rows, *, buckets: bool) -> Rows:
    """The rows of both together; counts of one become weights if those of the other are."""
    weighted = first.squares is not None or second.squares is not None
    parts = [_columns(rows, weighted) for rows in (first, second)]
    columns = [np.concatenate(pair) for pair in zip(*parts, strict=True)]
    rows = combine(np.concatenate([first.score, second.score]), columns)
    if buckets:
        return rows._replace(runs=Runs.of(rows.pos > 0, None, None))
    return rows


def flipped_rows(rows: Rows, highest: FloatArray) -> Rows:
    """The rows of the negated scores."""
    columns = [column[::-1].copy() for column in rows.counts()]
    flipped = Rows.of(-highest[::-1] + 0.0, columns)
    if rows.runs is None:
        return flipped
    hidden, high, _ = rows.runs
    turned = None if high is None else -rows.score[::-1] + 0.0
    # Sums of scores are kept for probabilities, and negated scores are not.
    return flipped._replace(runs=Runs.of(hidden[::-1].copy(), turned, None))


def recounted_rows(
    rows: Rows, counts: tuple[CountArray, CountArray, CountArray], sums: Sums | None
) -> Rows:
    """Rows of the same scores with other counts; the redrawn rows of a run have its mean score.

    Weights and propensities are lost: they belong to rows, which counts do not know.
    """
    made = Rows(rows.score, *counts, None)
    if rows.runs is None:
        return made
    hidden, high, _ = rows.runs
    again = None
    if sums is not None:
        kinds = zip(counts, sums, rows.counts(), strict=False)
        again = [new * old / np.maximum(count, 1) for new, old, count in kinds]
    return made._replace(runs=Runs.of(hidden, high, again))


def two_kinds(kinds: SortedKinds) -> SortedKinds:
    """The kinds without the known negatives."""
    return SortedKinds(kinds.pos, kinds.unl, np.empty(0))


def two_rows(rows: Rows) -> Rows:
    """The rows without the known negatives."""
    made = rows._replace(neg=0 * rows.neg)
    if rows.squares is not None:
        made = made._replace(squares=(*rows.squares[:2], 0 * rows.squares[2]))
    if rows.runs is None:
        return made
    return made._replace(runs=Runs.of(rows.runs.hidden, rows.runs.high, None))


def naive_kinds(kinds: SortedKinds) -> SortedKinds:
    """The kinds with the unlabeled rows counted as negative."""
    pos, unl, neg = kinds
    return SortedKinds(pos, np.empty(0), merge_sorted(unl, neg) if neg.size else unl)


def naive_rows(rows: Rows, sums: Sums | None) -> Rows:
    """The rows with the unlabeled counted as negative; labels are then the truth, whatever their chance."""
    columns = [rows.pos, 0 * rows.unl, rows.neg + rows.unl]
    if rows.squares is not None and rows.pos.dtype.kind == "f":
        pos, unl, neg = rows.squares
        columns += [pos, 0 * unl, neg + unl]
    naive = Rows.of(rows.score, columns)
    if rows.runs is None:
        return naive
    hidden, high, _ = rows.runs
    together = None if sums is None else [sums[0], 0 * sums[1], sums[1] + sums[2]]
    return naive._replace(runs=Runs.of(hidden, high, together))


def reweighted_rows(rows: Rows) -> Rows:
    """The rows with the labelled ones weighted by their propensities, up to their number."""
    assert rows.inverse is not None
    assert rows.squares is not None
    share, square, _ = rows.inverse
    scale = float(rows.pos.sum()) / float(share.sum())
    columns = [share * scale, rows.unl, rows.neg, square * scale**2, *rows.squares[1:]]
    return Rows.of(rows.score, [np.asarray(column, dtype=np.float64) for column in columns])


def tilted_rows(rows: Rows, factor: FloatArray) -> Rows:
    """The rows with the labelled ones counted so many times among the labelled, and once elsewhere."""
    squares = rows.squares or (rows.pos, rows.unl, rows.neg)
    share, square, product = rows.inverse or (rows.pos, squares[0], squares[0])
    inverse = share * factor, square * factor**2, product * factor
    return rows._replace(squares=squares, inverse=inverse)


def same_runs(first: Runs | None, second: Runs | None) -> bool:
    """Whether two tables know the same of their merged rows."""
    if first is None or second is None:
        return first is second
    pairs = zip(first.arrays(), second.arrays(), strict=False)
    return len(first.arrays()) == len(second.arrays()) and all(
        np.array_equal(a, b) for a, b in pairs
    )


def _columns(rows: Rows, weighted: bool) -> tuple[CountArray, ...]:
    if weighted and rows.squares is None:
        return (*rows.counts(), rows.pos, rows.unl, rows.neg)
    return rows.counts()
