"""What the passes count, whoever reads the rows: the states of one or more models, segments or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from puremetrics.exceptions import InputError, LabelError
from puremetrics.io.batches import Chunk, RowReader
from puremetrics.io.cuts import CutCounts
from puremetrics.io.cutting import Cuts
from puremetrics.io.labelled import LabelledScores
from puremetrics.io.segmented import (
    SegmentedCounts,
    SegmentedCuts,
    SegmentedScores,
    pack_many,
    unpack_many,
)
from puremetrics.scenarios import Scenario

__all__ = ["MAX_PASSES", "FirstPass", "SecondPass", "check_totals", "count_tables"]

MAX_PASSES = 8


def count_tables(reading: Any, scenario: Scenario, settings: dict[str, int]) -> dict[str, Any]:
    """Return the table, or segments, of each score column.

    ``reading`` has a ``reader``, counts all rows once at each ``run(work, step)``, keeps ``done`` and
    ``expected`` for the progress, and gives its memory back on ``release()``.
    """
    reader = reading.reader
    first = FirstPass(reader, settings["max_labelled"])
    states = reading.run(first, "labelled scores")
    for state in states.values():
        check_totals(state.total.totals if reader.by else state.totals, reader)
    rows = next(iter(states.values())).rows
    reading.done, reading.expected = rows, 2 * rows
    cut = {"pieces": settings["pieces"], "buckets": settings["buckets"]}
    cuts = {name: state.cuts(**cut) for name, state in states.items()}
    del states
    for step in range(2, MAX_PASSES + 1):
        second = SecondPass(reader, cuts)
        digests = [cuts[name].digest() for name in reader.scores] if reading.checkpoint else []
        counts = reading.run(second, f"counts {digests}")
        finer = {name: state.refined() for name, state in counts.items()}
        if step == MAX_PASSES or not any(found is not None for found in finer.values()):
            break
        cuts = {name: finer[name] or cuts[name] for name in cuts}
        reading.expected = (step + 1) * rows
    if hasattr(reading, "release"):
        reading.release()
    tables: dict[str, Any] = {}
    for name in reader.scores:
        state = counts.pop(name)
        if reader.by is None:
            tables[name] = state.to_table(scenario)
        else:
            tables[name] = state.to_segments(reader.by, scenario)
    return tables


class FirstPass:
    """The first pass over the scores of one or more models."""

    labels = True
    first = True

    def __init__(self, reader: RowReader, max_labelled: int) -> None:
        self.reader, self.max_labelled = reader, max_labelled

    def empty(self) -> dict[str, Any]:
        """Return states of no rows."""
        kind: Callable[[int], Any] = LabelledScores if self.reader.by is None else SegmentedScores
        return {name: kind(self.max_labelled) for name in self.reader.scores}

    def count(self, state: dict[str, Any], chunk: Chunk) -> dict[str, Any]:
        """Return what a chunk adds; the states are only looked at."""
        group = () if chunk.segment is None else (chunk.segment, chunk.keys)
        return {
            name: state[name].summary(score, chunk.codes, *group)
            for name, score in chunk.scores.items()
        }

    def add(self, state: dict[str, Any], counted: dict[str, Any]) -> None:
        """Add what `count` returned."""
        self.absorb(state, counted)

    def absorb(self, state: dict[str, Any], other: dict[str, Any]) -> None:
        """Add other states."""
        for name, own in state.items():
            own.absorb(other[name])

    def to_bytes(self, state: dict[str, Any]) -> bytes:
        """Return the states as checked bytes."""
        return pack_many("first pass", list(state), [own.to_bytes() for own in state.values()])

    def from_bytes(self, data: bytes) -> dict[str, Any]:
        """Return the states that `to_bytes` stored."""
        kind: Any = LabelledScores if self.reader.by is None else SegmentedScores
        names, states = unpack_many("first pass", data)
        _check_names(names, self.reader)
        return {name: kind.from_bytes(own) for name, own in zip(names, states)}  # noqa: B905


class SecondPass:
    """The passes that count."""

    first = False

    def __init__(self, reader: RowReader, cuts: dict[str, Cuts] | dict[str, SegmentedCuts]) -> None:
        self.reader, self.cuts = reader, cuts
        self.kind: Any = CutCounts if reader.by is None else SegmentedCounts
        self.labels = not all(own.exact for own in cuts.values())

    def empty(self) -> dict[str, Any]:
        """Return states of no rows."""
        return {name: self.kind(own) for name, own in self.cuts.items()}

    def count(self, state: dict[str, Any], chunk: Chunk) -> dict[str, Any]:
        """Return what a chunk adds; the states are only looked at."""
        if chunk.segment is None:
            return {n: state[n].tallies(s, chunk.codes) for n, s in chunk.scores.items()}
        group = (chunk.segment, chunk.keys)
        return {n: state[n].tallies(s, chunk.codes, *group) for n, s in chunk.scores.items()}

    def add(self, state: dict[str, Any], counted: dict[str, Any]) -> None:
        """Add what `count` returned."""
        for name, own in state.items():
            own.absorb_tallies(counted[name])

    def absorb(self, state: dict[str, Any], other: dict[str, Any]) -> None:
        """Add other states."""
        for name, own in state.items():
            own.absorb(other[name])

    def to_bytes(self, state: dict[str, Any]) -> bytes:
        """Return the states as checked bytes."""
        return pack_many("second pass", list(state), [own.to_bytes() for own in state.values()])

    def from_bytes(self, data: bytes) -> dict[str, Any]:
        """Return the states that `to_bytes` stored."""
        names, states = unpack_many("second pass", data)
        _check_names(names, self.reader)
        return {
            name: self.kind.from_bytes(own, self.cuts[name])
            for name, own in zip(names, states)  # noqa: B905
        }


def _check_names(names: list[Any], reader: RowReader) -> None:
    """Raise unless states are those of the columns that are read."""
    if names != list(reader.scores):
        raise InputError("These saved counts are those of other columns. Count again.")


def check_totals(totals: Any, reader: RowReader) -> None:
    """Raise before the second reading if no table can come of it."""
    pos, unl, neg = (int(total) for total in totals)
    if pos == 0:
        raise LabelError(
            f"There is no labelled positive among {unl + neg} rows, and without one nothing can be "
            f"said. No value of {reader.label!r} equals pos_label={reader.pos_label!r}. Check the "
            "label column and pos_label."
        )
    if unl + neg == 0:
        raise LabelError(
            "There are only positives: neither unlabeled rows nor known negatives. No value of "
            f"{reader.label!r} equals unlabeled_label={reader.unlabeled_label!r}. A classifier can only "
            "be judged against something else than positives: check unlabeled_label."
        )
