"""Arrow record batches as numpy: scores, codes of the labels, and segments.

Labels are compared by the rules of `label_masks`, on the distinct values of a batch where these are
not plain numbers. Every complaint names the place: the file, and the row counted from 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from puremetrics.checking.columns import as_scores, unsigned
from puremetrics.checking.groups import as_groups, hashed_groups
from puremetrics.checking.labels import label_masks
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError, LabelError, ScoreError
from puremetrics.io.conditions import check_columns, text_scores
from puremetrics.io.score_keys import NEGATIVE, POSITIVE, UNLABELED

__all__ = ["Chunk", "RowReader", "check_finite", "read_scores"]


class Chunk(NamedTuple):
    """Rows as arrays: scores of each model, codes of labels and of segments, hashes of groups."""

    scores: dict[str, FloatArray]
    codes: npt.NDArray[np.int8] | None
    segment: npt.NDArray[np.int64] | None
    keys: list[Any]
    ids: npt.NDArray[np.uint64] | None = None

    @property
    def rows(self) -> int:
        """Number of rows."""
        return next(iter(self.scores.values())).size


@dataclass(frozen=True)
class RowReader:
    """Reads the columns that are counted off Arrow record batches; it can be sent to other machines.

    Examples
    --------
    >>> import pyarrow
    >>> batch = pyarrow.record_batch({"y": [1, 0, None], "s": [0.5, 0.25, 0.125]})
    >>> reader = RowReader("y", ("s",), unlabeled_label=0, neg_label=None)
    >>> reader.read(batch.slice(0, 2)).codes
    array([0, 1], dtype=int8)
    """

    label: str
    scores: tuple[str, ...]
    pos_label: Any = 1
    unlabeled_label: Any = 0
    neg_label: Any = None
    by: str | None = None
    groups: str | None = None

    @property
    def score_columns(self) -> list[str]:
        """Columns that the scores are in: a score "-p" is column "p" with its sign turned."""
        return list(dict.fromkeys(unsigned(name) for name in self.scores))

    @property
    def columns(self) -> list[str]:
        """Names of the columns that are read."""
        more = [name for name in (self.by, self.groups) if name is not None]
        return list(dict.fromkeys([self.label, *self.score_columns, *more]))

    def read(
        self,
        batch: Any,
        *,
        place: str = "the source",
        first_row: int = 0,
        labels: bool = True,
        finite: bool = True,
    ) -> Chunk:
        """Return the rows of a record batch or table, checked; without ``finite``, scores may be NaN."""
        names = batch.schema.names
        wanted = [name for name in self.columns if labels or name != self.label]
        check_columns(place, names, wanted)
        columns = {
            name: read_scores(batch.column(name), name, place, first_row)
            for name in self.score_columns
        }
        for name, column in columns.items() if finite else ():
            check_finite(column, name, place, first_row)
        scores = {
            name: columns[name] if unsigned(name) == name else -columns[unsigned(name)]
            for name in self.scores
        }
        codes = self._codes(batch.column(self.label), place, first_row) if labels else None
        ids = None
        if self.groups is not None:
            ids = self._ids(batch.column(self.groups), self.groups, place, first_row)
        if self.by is None:
            return Chunk(scores, codes, None, [], ids)
        segment, keys = _encoded(batch.column(self.by))
        return Chunk(scores, codes, segment, [_plain(key) for key in keys], ids)

    def _ids(self, column: Any, name: str, place: str, first_row: int) -> npt.NDArray[np.uint64]:
        """Hashes of the groups, which every row must name."""
        import pyarrow as pa

        kind = column.type
        whole = pa.types.is_integer(kind) or pa.types.is_boolean(kind)
        if column.null_count:
            missing = int(np.flatnonzero(_to_numpy(column.is_null()))[0])
        elif whole or pa.types.is_floating(kind):
            values = _to_numpy(column)
            values = values.astype(np.int64 if whole else np.float64, copy=False)
            empty = np.zeros(0, np.intp) if whole else np.flatnonzero(np.isnan(values))
            if not empty.size:
                return hashed_groups(values + 0.0 if not whole else values)
            missing = int(empty[0])
        else:
            codes, keys = _encoded(column)
            names = np.empty(len(keys), dtype=object)
            names[:] = keys
            return hashed_groups(as_groups(names, names.size, name))[codes]
        raise InputError(
            f"Column {name!r} has no value in row {first_row + missing + 1} of {place}, so its group is "
            "unknown. Give each row that stands alone a group name of its own."
        )

    def _codes(self, column: Any, place: str, first_row: int) -> npt.NDArray[np.int8]:
        import pyarrow as pa

        kind = column.type
        numeric = pa.types.is_floating(kind) or pa.types.is_integer(kind)
        if numeric and not column.null_count:
            values = _to_numpy(column)
            try:
                return self._codes_of(values)
            except LabelError:
                codes = None
                distinct, place_of = np.unique(values, return_inverse=True)
        else:
            codes = None
            place_of, keys = _encoded(column)
            distinct = np.empty(len(keys), dtype=object)
            distinct[:] = keys
        codes = np.full(distinct.size, -1, dtype=np.int8)
        problem: LabelError | None = None
        for i in range(distinct.size):
            try:
                codes[i] = self._codes_of(distinct[i : i + 1])[0]
            except LabelError as error:
                problem = problem or error
        found = codes[place_of]
        if problem is not None:
            bad = np.flatnonzero(found < 0)
            values = distinct[place_of[bad]]
            row = first_row + int(bad[0]) + 1
            try:
                self._codes_of(values)
            except LabelError as error:
                raise LabelError(
                    f"{error} (Column {self.label!r} of {place}, first in row {row}.)"
                ) from None
        return np.asarray(found)

    def _codes_of(self, values: npt.NDArray[Any]) -> npt.NDArray[np.int8]:
        positive, _, negative = label_masks(
            values, self.pos_label, self.unlabeled_label, self.neg_label
        )
        codes = np.full(values.size, UNLABELED, dtype=np.int8)
        codes[positive] = POSITIVE
        if negative is not None:
            codes[negative] = NEGATIVE
        return codes


def _to_numpy(column: Any) -> npt.NDArray[Any]:
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        if column.num_chunks != 1:
            return np.asarray(column.to_numpy())
        column = column.chunk(0)
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _encoded(column: Any) -> tuple[npt.NDArray[np.int64], list[Any]]:
    """Codes and distinct values of a column; a missing value is None."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = column.chunk(0) if column.num_chunks else pa.array([], column.type)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_null(column.type):
        return np.zeros(len(column), dtype=np.int64), [None]
    try:
        encoded = column.dictionary_encode()
    except pa.ArrowNotImplementedError:
        raise InputError(
            f"A column of type {column.type} cannot name groups or segments. Convert it to text."
        ) from None
    keys = encoded.dictionary.to_pylist()
    codes = encoded.indices
    if codes.null_count:
        codes = codes.fill_null(len(keys))
        keys.append(None)
    return codes.to_numpy(zero_copy_only=False).astype(np.int64), keys


def _plain(key: Any) -> Any:
    """A key that sorts and compares: NaN counts as missing."""
    return None if isinstance(key, float) and key != key else key


def read_scores(column: Any, name: str, place: str, first_row: int) -> FloatArray:
    """The numbers of a score column; text or an empty cell is named, with its row."""
    import pyarrow as pa

    kind = column.type
    numeric = pa.types.is_floating(kind) or pa.types.is_integer(kind)
    if not (numeric or pa.types.is_boolean(kind) or pa.types.is_decimal(kind)):
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            raise text_scores(column, name, place, first_row)
        if not (pa.types.is_null(kind) and len(column)):
            raise ScoreError(
                f"Column {name!r} of {place} holds {kind}, but a ranking needs numbers. Convert it "
                "first."
            )
    if column.null_count:
        row = int(np.flatnonzero(_to_numpy(column.is_null()))[0])
        raise _not_finite(name, "no value", first_row + row, place)
    if pa.types.is_decimal(kind):
        column = column.cast(pa.float64())
    return as_scores(_to_numpy(column), f"column {name!r} of {place}")


def check_finite(score: FloatArray, name: str, place: str, first_row: int) -> None:
    """Raise if a score is NaN or infinite, and name its row."""
    if not score.size or np.isfinite([score.min(), score.max()]).all():
        return
    row = int(np.flatnonzero(~np.isfinite(score))[0])
    if np.isnan(score[row]):
        raise _not_finite(name, "NaN", first_row + row, place)
    raise ScoreError(
        f"Column {name!r} has an infinite value ({score[row]:g}) in row {first_row + row + 1} of {place}, "
        "which cannot be ranked. Drop such rows, or use a number beyond all others."
    )


def _not_finite(name: str, found: str, row: int, place: str) -> ScoreError:
    return ScoreError(
        f"Column {name!r} has {found} in row {row + 1} of {place}, which cannot be ranked. Drop such rows "
        "or score them; do not fill them with a constant, which would give them a rank."
    )
