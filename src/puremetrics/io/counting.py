"""What the passes count, whoever reads the rows: the states of one or more models, segments or not.

Groups of rows are counted as well: their names in the first pass (`GroupNames`), counts by group and cell in
the second (`GroupCounts`). Names are kept as hashes, and of more than four million only the smallest hashes,
which tell how many there are (the k-th smallest of C is about k/C of the largest possible one). Counts are
whole numbers. So states merge in any order, as those of scores do, and memory is bounded however many groups
there are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError, LabelError
from puremetrics.io.batches import Chunk, RowReader
from puremetrics.io.first_pass import LabelledScores
from puremetrics.io.packing import pack, pack_many, unpack, unpack_many
from puremetrics.io.score_keys import NEGATIVE, POSITIVE, Cuts
from puremetrics.io.second_pass import CutCounts
from puremetrics.io.segment_passes import SegmentedCounts, SegmentedCuts, SegmentedScores
from puremetrics.scenarios import Scenario
from puremetrics.tables.clusters import (
    MOST_UNITS,
    Clusters,
    Units,
    cell_edges,
    check_several,
    units_of_hashes,
)

__all__ = [
    "MAX_PASSES",
    "FirstPass",
    "GroupCells",
    "GroupCounts",
    "GroupNames",
    "SecondPass",
    "check_totals",
    "count_tables",
]


_MOST_NAMES = 1 << 22
Hashes = npt.NDArray[np.uint64]


class GroupNames:
    """Hashes of the groups' names, and the number of rows.

    >>> names = GroupNames.of(np.array([5, 9, 5], dtype=np.uint64))
    >>> names.absorb(GroupNames.of(np.array([7], dtype=np.uint64)))
    >>> names.number, names.rows
    (3, 4)
    """

    def __init__(self, known: Hashes | None = None, rows: int = 0, cut: bool = False) -> None:
        self.known: Hashes = np.zeros(0, dtype=np.uint64) if known is None else known
        self.rows, self.cut = rows, cut

    @classmethod
    def of(cls, ids: Hashes) -> GroupNames:
        """Those of some rows."""
        state = cls(np.unique(ids), ids.size)
        state._trim()
        return state

    def _trim(self) -> None:
        if self.known.size > _MOST_NAMES:
            self.known, self.cut = self.known[:_MOST_NAMES], True

    def absorb(self, other: GroupNames) -> None:
        """Add another state."""
        self.known = np.union1d(self.known, other.known)
        self.rows, self.cut = self.rows + other.rows, self.cut or other.cut
        self._trim()

    @property
    def number(self) -> int:
        """Groups; of more than four million, an estimate."""
        if not self.cut:
            return int(self.known.size)
        return round((self.known.size - 1) / (float(self.known[-1]) / 2.0**64))

    def to_bytes(self) -> bytes:
        """Return the state as checked bytes."""
        return pack("group names", {"rows": self.rows, "cut": self.cut}, {"known": self.known})

    @classmethod
    def from_bytes(cls, data: bytes) -> GroupNames:
        """Return the state that `to_bytes` stored."""
        plain, arrays = unpack(data, "group names")
        return cls(arrays["known"], plain["rows"], plain["cut"])


class GroupCells:
    """What counts refer to: the groups, and the edges of the cells of each score column."""

    def __init__(self, names: GroupNames, edges: dict[str, FloatArray]) -> None:
        check_several(names.number)
        self.names, self.edges = names, edges

    @property
    def units(self) -> int:
        """Groups, or units of several if these are too many."""
        return int(min(self.names.known.size, MOST_UNITS))

    def units_of(self, ids: Hashes) -> Units:
        """The unit of each row."""
        found = units_of_hashes(ids, self.names.known)
        if found.total < MOST_UNITS:
            place = np.minimum(found.place, self.names.known.size - 1)
            if not np.array_equal(self.names.known[place], ids):
                raise InputError(
                    "A group was not there in the first pass: the source changed while it was being read. "
                    "Scan again."
                )
        return found

    def to_bytes(self) -> bytes:
        """Return all of it as checked bytes."""
        kept = {f"edges {i}": own for i, own in enumerate(self.edges.values())}
        plain = {"names": list(self.edges), "rows": self.names.rows, "cut": self.names.cut}
        return pack("group cells", plain, {"known": self.names.known, **kept})

    @classmethod
    def from_bytes(cls, data: bytes) -> GroupCells:
        """Return what `to_bytes` stored."""
        plain, arrays = unpack(data, "group cells")
        names = GroupNames(arrays["known"], plain["rows"], plain["cut"])
        return cls(names, {name: arrays[f"edges {i}"] for i, name in enumerate(plain["names"])})

    def digest(self) -> str:
        """A short name: counts with the same one can be added up."""
        return hashlib.blake2b(self.to_bytes(), digest_size=16).hexdigest()


class GroupCounts:
    """Rows by kind, unit and cell, for each score column."""

    def __init__(self, cells: GroupCells) -> None:
        self.cells = cells
        self._counts: dict[str, npt.NDArray[np.int64]] = {}

    def counted(self, scores: dict[str, FloatArray], codes: Any, ids: Any) -> GroupCounts:
        """The state of some rows."""
        state = GroupCounts(self.cells)
        units = self.cells.units_of(ids)
        labelled = tuple(np.flatnonzero(codes == kind) for kind in (POSITIVE, NEGATIVE))
        for name, score in scores.items():
            kinds = labelled[0], None, labelled[1]
            found = Clusters.counted(units, score, self.cells.edges[name], kinds)
            state._counts[name] = np.stack([found.pos, found.unl, found.neg]).astype(np.int64)
        return state

    def absorb_tallies(self, other: GroupCounts) -> None:
        """Add what `counted` returned."""
        self.absorb(other)

    def absorb(self, other: GroupCounts) -> None:
        """Add another state."""
        for name, counts in other._counts.items():
            if name in self._counts:
                self._counts[name] += counts
            else:
                self._counts[name] = counts

    def clusters(self, name: str) -> Clusters:
        """The counts of one score column."""
        names = self.cells.names
        pos, unl, neg = self._counts[name]
        return Clusters(names.number, pos, unl, neg, None, names.number == names.rows)

    def to_bytes(self) -> bytes:
        """Return the counts as checked bytes; only cells that hold rows are written."""
        arrays: dict[str, Any] = {}
        for i, counts in enumerate(self._counts.values()):
            filled = np.flatnonzero(counts)
            arrays |= {f"at {i}": filled, f"rows {i}": counts.reshape(-1)[filled]}
        return pack("group counts", {"names": list(self._counts)}, arrays)

    @classmethod
    def from_bytes(cls, data: bytes, cells: Any) -> GroupCounts:
        """Return the counts that `to_bytes` stored."""
        plain, arrays = unpack(data, "group counts")
        state = cls(cells)
        for i, name in enumerate(plain["names"]):
            counts = np.zeros((3, cells.units, cells.edges[name].size + 1), dtype=np.int64)
            counts.reshape(-1)[arrays[f"at {i}"]] = arrays[f"rows {i}"]
            state._counts[name] = counts
        return state


MAX_PASSES = 8


def count_tables(reading: Any, scenario: Scenario, settings: dict[str, int]) -> dict[Any, Any]:
    """Return the table, or segments, of each score column.

    ``reading`` has a ``reader``, counts all rows once at each ``run(work, step)``, keeps ``done`` and
    ``expected`` for the progress, and gives its memory back on ``release()``.
    """
    reader = reading.reader
    first = FirstPass(reader, settings["max_labelled"])
    states = reading.run(first, "labelled scores")
    names = states.pop(None, None)
    for state in states.values():
        check_totals(state.total.totals if reader.by else state.totals, reader)
    rows = next(iter(states.values())).rows
    reading.done, reading.expected = rows, 2 * rows
    cut = {"pieces": settings["pieces"], "buckets": settings["buckets"]}
    cuts = {name: state.cuts(**cut) for name, state in states.items()}
    groups = None
    if names is not None:
        edges = {n: _cell_edges(state, cuts[n]) for n, state in states.items()}
        groups = GroupCells(names, edges)
    del states
    for step in range(2, MAX_PASSES + 1):
        second = SecondPass(reader, cuts, groups)
        digests = [cuts[name].digest() for name in reader.scores] if reading.checkpoint else []
        if reading.checkpoint and groups is not None:
            digests.append(groups.digest())
        counts = reading.run(second, f"counts {digests}")
        together = counts.pop(None, None)
        finer = {name: state.refined() for name, state in counts.items()}
        if step == MAX_PASSES or not any(found is not None for found in finer.values()):
            break
        cuts = {name: finer[name] or cuts[name] for name in cuts}
        reading.expected = (step + 1) * rows
    if hasattr(reading, "release"):
        reading.release()
    tables: dict[Any, Any] = {}
    for name in reader.scores:
        state = counts.pop(name)
        if reader.by is None:
            tables[name] = state.to_table(scenario)
            if together is not None:
                tables[name] = replace(tables[name], clusters=together.clusters(name))
        else:
            tables[name] = state.to_segments(reader.by, scenario)
    return tables


class FirstPass:
    """The first pass over the scores of one or more models."""

    labels = True
    first = True

    def __init__(self, reader: RowReader, max_labelled: int) -> None:
        self.reader, self.max_labelled = reader, max_labelled

    def empty(self) -> dict[Any, Any]:
        """Return states of no rows."""
        kind: Callable[[int], Any] = LabelledScores if self.reader.by is None else SegmentedScores
        found: dict[Any, Any] = {name: kind(self.max_labelled) for name in self.reader.scores}
        return found if self.reader.groups is None else {**found, None: GroupNames()}

    def count(self, state: dict[Any, Any], chunk: Chunk) -> dict[Any, Any]:
        """Return what a chunk adds; the states are only looked at."""
        group = () if chunk.segment is None else (chunk.segment, chunk.keys)
        found: dict[Any, Any] = {
            name: state[name].summary(score, chunk.codes, *group)
            for name, score in chunk.scores.items()
        }
        return found if chunk.ids is None else {**found, None: GroupNames.of(chunk.ids)}

    def add(self, state: dict[Any, Any], counted: dict[Any, Any]) -> None:
        """Add what `count` returned."""
        self.absorb(state, counted)

    def absorb(self, state: dict[Any, Any], other: dict[Any, Any]) -> None:
        """Add other states."""
        for name, own in state.items():
            own.absorb(other[name])

    def to_bytes(self, state: dict[Any, Any]) -> bytes:
        """Return the states as checked bytes."""
        return pack_many("first pass", list(state), [own.to_bytes() for own in state.values()])

    def from_bytes(self, data: bytes) -> dict[Any, Any]:
        """Return the states that `to_bytes` stored."""
        kind: Any = LabelledScores if self.reader.by is None else SegmentedScores
        names, states = unpack_many("first pass", data)
        _check_names(names, self.reader)
        return {
            name: (GroupNames if name is None else kind).from_bytes(own)
            for name, own in zip(names, states)  # noqa: B905
        }


class SecondPass:
    """The passes that count."""

    first = False

    def __init__(
        self,
        reader: RowReader,
        cuts: dict[str, Cuts] | dict[str, SegmentedCuts],
        groups: GroupCells | None = None,
    ) -> None:
        self.reader, self.cuts, self.groups = reader, cuts, groups
        self.kind: Any = CutCounts if reader.by is None else SegmentedCounts
        self.labels = groups is not None or not all(own.exact for own in cuts.values())

    def empty(self) -> dict[Any, Any]:
        """Return states of no rows."""
        found: dict[Any, Any] = {name: self.kind(own) for name, own in self.cuts.items()}
        return found if self.groups is None else {**found, None: GroupCounts(self.groups)}

    def count(self, state: dict[Any, Any], chunk: Chunk) -> dict[Any, Any]:
        """Return what a chunk adds; the states are only looked at."""
        if self.groups is not None:  # before the scores are sorted
            together = GroupCounts(self.groups).counted(chunk.scores, chunk.codes, chunk.ids)
            found: dict[Any, Any] = {
                n: state[n].tallies(s, chunk.codes) for n, s in chunk.scores.items()
            }
            return {**found, None: together}
        if chunk.segment is None:
            return {n: state[n].tallies(s, chunk.codes) for n, s in chunk.scores.items()}
        group = (chunk.segment, chunk.keys)
        return {n: state[n].tallies(s, chunk.codes, *group) for n, s in chunk.scores.items()}

    def add(self, state: dict[Any, Any], counted: dict[Any, Any]) -> None:
        """Add what `count` returned."""
        for name, own in state.items():
            own.absorb_tallies(counted[name])

    def absorb(self, state: dict[Any, Any], other: dict[Any, Any]) -> None:
        """Add other states."""
        for name, own in state.items():
            own.absorb(other[name])

    def to_bytes(self, state: dict[Any, Any]) -> bytes:
        """Return the states as checked bytes."""
        return pack_many("second pass", list(state), [own.to_bytes() for own in state.values()])

    def from_bytes(self, data: bytes) -> dict[Any, Any]:
        """Return the states that `to_bytes` stored."""
        names, states = unpack_many("second pass", data)
        _check_names(names, self.reader)
        return {
            name: GroupCounts.from_bytes(own, self.groups)
            if name is None
            else self.kind.from_bytes(own, self.cuts[name])
            for name, own in zip(names, states)  # noqa: B905
        }


def _cell_edges(state: Any, cuts: Cuts) -> FloatArray:
    """Edges of the cells that groups are counted in; the same as for rows in memory, if labels fit."""
    if state.too_many:
        return cell_edges(cuts.score, cuts.score[:0], state.low, state.high)
    pos, neg = state.labelled_kinds()
    return cell_edges(pos, neg, state.low, state.high)


def _check_names(names: list[Any], reader: RowReader) -> None:
    """Raise unless states are those of the columns that are read."""
    known: list[Any] = list(reader.scores)
    if names != (known if reader.groups is None else [*known, None]):
        raise InputError("These saved counts belong to other columns. Count again.")


def check_totals(totals: Any, reader: RowReader) -> None:
    """Raise before the second reading if no table can come of it."""
    pos, unl, neg = (int(total) for total in totals)
    if pos == 0:
        raise LabelError(
            f"There is no labelled positive among {unl + neg} rows, and without one nothing can be "
            f"estimated. No value of {reader.label!r} equals pos_label={reader.pos_label!r}. Check the "
            "label column and pos_label."
        )
    if unl + neg == 0:
        raise LabelError(
            "There are only positives: neither unlabeled rows nor known negatives. No value "
            f"of {reader.label!r} equals unlabeled_label={reader.unlabeled_label!r}. A classifier can only "
            "be judged against rows other than positives: check unlabeled_label."
        )
