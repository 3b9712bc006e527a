"""States of many segments at once: one of all rows, and one a segment.

A segment is cut at its own labelled scores, and has no histogram: memory grows with the labelled rows, not
with the number of segments times something.
"""

from __future__ import annotations

import datetime
import decimal
import hashlib
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.io.cuts import CutCounts, Tally
from puremetrics.io.cutting import NEGATIVE, POSITIVE, Cuts
from puremetrics.io.labelled import MAX_LABELLED, LabelledScores
from puremetrics.io.packing import pack, unpack
from puremetrics.scenarios import Scenario
from puremetrics.tables.segments import Segments, sorted_keys

__all__ = ["SegmentedCounts", "SegmentedCuts", "SegmentedScores", "pack_many", "unpack_many"]

_DATES: dict[str, Any] = {
    "date": datetime.date,
    "datetime": datetime.datetime,
    "time": datetime.time,
}


class SegmentedScores:
    """`LabelledScores` of all rows and of each segment."""

    def __init__(self, max_labelled: int = MAX_LABELLED) -> None:
        self.total = LabelledScores(max_labelled)
        self.parts: dict[Any, LabelledScores] = {}

    def update(self, score: FloatArray, codes: Any, segment: Any, keys: list[Any]) -> None:
        """Take rows with the number of the segment of each, which ``keys`` lists."""
        self.absorb(self.summary(score + 0.0, codes, segment, keys))

    def summary(
        self, score: FloatArray, codes: Any, segment: Any, keys: list[Any]
    ) -> SegmentedScores:
        """The state of these rows alone."""
        part = SegmentedScores(self.total.max_labelled)
        part.total = self.total.summary(score, codes)
        sizes = np.bincount(segment * 3 + codes, minlength=3 * len(keys)).reshape(-1, 3)
        labelled = np.flatnonzero((codes == POSITIVE) | (codes == NEGATIVE))
        order = labelled[np.argsort(segment[labelled], kind="stable")]
        ends = np.cumsum(sizes[:, POSITIVE] + sizes[:, NEGATIVE])
        own, kinds = score[order], np.asarray(codes)[order]
        for i in np.flatnonzero(sizes.sum(axis=1)):
            rows = slice(ends[i - 1] if i else 0, ends[i])
            state = LabelledScores(part.total.max_labelled, histogram=False)
            state.update(own[rows], kinds[rows])
            state.totals = sizes[i].astype(np.int64)
            part._add(keys[i], state)
        return part

    def _add(self, key: Any, state: LabelledScores) -> None:
        if key in self.parts:
            self.parts[key].absorb(state)
        else:
            self.parts[key] = state

    def absorb(self, other: SegmentedScores) -> None:
        """Add another state to this one."""
        self.total.absorb(other.total)
        for key, state in other.parts.items():
            own = LabelledScores(self.total.max_labelled, histogram=False)
            own.absorb(state)
            self._add(key, own)

    def merge(self, other: SegmentedScores) -> SegmentedScores:
        """Return the state of both states' rows."""
        both = SegmentedScores(self.total.max_labelled)
        both.absorb(self)
        both.absorb(other)
        return both

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.total.rows

    def cuts(self, *, pieces: int = 4096, buckets: int = 16384) -> SegmentedCuts:
        """Cuts of all rows, and of each segment its own labelled scores."""
        parts = {key: self.parts[key].cuts() for key in sorted_keys(self.parts)}
        return SegmentedCuts(self.total.cuts(pieces=pieces, buckets=buckets), parts)

    def to_bytes(self) -> bytes:
        """Return the state as checked bytes."""
        keys = sorted_keys(self.parts)
        states = [self.total.to_bytes(), *(self.parts[key].to_bytes() for key in keys)]
        return pack_many("segmented scores", keys, states)

    @classmethod
    def from_bytes(cls, data: bytes) -> SegmentedScores:
        """Return the state that `to_bytes` stored."""
        keys, states = unpack_many("segmented scores", data)
        state = cls()
        state.total = LabelledScores.from_bytes(next(states))
        state.parts = {key: LabelledScores.from_bytes(part) for key, part in zip(keys, states)}  # noqa: B905
        return state


class SegmentedCuts:
    """`Cuts` of all rows and of each segment."""

    def __init__(self, total: Cuts, parts: dict[Any, Cuts]) -> None:
        self.total, self.parts = total, parts

    @property
    def exact(self) -> bool:
        """Whether rows can be counted without their labels."""
        return self.total.exact

    def to_bytes(self) -> bytes:
        """Return the cuts as checked bytes."""
        keys = sorted_keys(self.parts)
        parts = [self.total.to_bytes(), *(self.parts[key].to_bytes() for key in keys)]
        return pack_many("segmented cuts", keys, parts)

    @classmethod
    def from_bytes(cls, data: bytes) -> SegmentedCuts:
        """Return the cuts that `to_bytes` stored."""
        keys, parts = unpack_many("segmented cuts", data)
        total = Cuts.from_bytes(next(parts))
        return cls(total, {key: Cuts.from_bytes(part) for key, part in zip(keys, parts)})  # noqa: B905

    def digest(self) -> str:
        """A short name of these cuts."""
        return hashlib.blake2b(self.to_bytes(), digest_size=16).hexdigest()


class SegmentedCounts:
    """`CutCounts` of all rows and of each segment."""

    def __init__(self, cuts: SegmentedCuts) -> None:
        self.cuts = cuts
        self.total = CutCounts(cuts.total)
        self.parts = {key: CutCounts(own) for key, own in cuts.parts.items()}

    def update(self, score: FloatArray, codes: Any, segment: Any, keys: list[Any]) -> None:
        """Take rows with the number of the segment of each, which ``keys`` lists."""
        most = 1 << 22
        for start in range(0, score.size, most):
            part = slice(start, start + most)
            own = np.array(score[part], dtype=np.float64)
            group = None if codes is None else codes[part]
            self.absorb_tallies(self.tallies(own, group, segment[part], keys))

    def tallies(
        self, score: FloatArray, codes: Any, segment: Any, keys: list[Any]
    ) -> list[tuple[Any, list[Tally]]]:
        """Sort the rows in place and count."""
        narrow = segment.astype(np.uint16) if len(keys) < 2**16 else segment
        order = np.argsort(narrow, kind="stable")
        own = score[order]
        ends = np.cumsum(np.bincount(segment, minlength=len(keys)))
        found: list[tuple[Any, list[Tally]]] = []
        for i, key in enumerate(keys):
            rows = slice(ends[i - 1] if i else 0, ends[i])
            if rows.start == rows.stop:
                continue
            if key not in self.parts:
                raise InputError(
                    f"Segment {key!r} was not there in the first pass: the source has changed while "
                    "it was read. Scan again."
                )
            found.append((key, self.parts[key].tallies(own[rows])))
        return [(_ALL, self.total.tallies(score, codes)), *found]

    def absorb_tallies(self, tallies: list[tuple[Any, list[Tally]]]) -> None:
        """Add what `tallies` returned."""
        for key, own in tallies:
            (self.total if key is _ALL else self.parts[key]).absorb_tallies(own)

    def absorb(self, other: SegmentedCounts) -> None:
        """Add another state to this one; it must have the same cuts."""
        self.total.absorb(other.total)
        for key, state in other.parts.items():
            self.parts[key].absorb(state)

    def merge(self, other: SegmentedCounts) -> SegmentedCounts:
        """Return the state of both states' rows."""
        both = SegmentedCounts(self.cuts)
        both.absorb(self)
        both.absorb(other)
        return both

    @property
    def rows(self) -> int:
        """Number of rows counted."""
        return self.total.rows

    def refined(self) -> SegmentedCuts | None:
        """Finer cuts of the table of all rows, if its buckets hide more than they should."""
        finer = self.total.refined()
        return None if finer is None else SegmentedCuts(finer, self.cuts.parts)

    def to_segments(self, by: str, scenario: Scenario) -> Segments:
        """Return the tables."""
        tables, aside = {}, {}
        for key, state in self.parts.items():
            pos, unl, neg = state.cuts.totals
            if pos and unl + neg:
                tables[key] = state.to_table(scenario)
            else:
                aside[key] = (pos, unl, neg)
        return Segments(by, tables, self.total.to_table(scenario), aside)

    def to_bytes(self) -> bytes:
        """Return the counts as checked bytes."""
        keys = sorted_keys(self.parts)
        states = [self.total.to_bytes(), *(self.parts[key].to_bytes() for key in keys)]
        return pack_many("segmented counts", keys, states)

    @classmethod
    def from_bytes(cls, data: bytes, cuts: SegmentedCuts) -> SegmentedCounts:
        """Return the counts that `to_bytes` stored."""
        keys, states = unpack_many("segmented counts", data)
        state = cls.__new__(cls)
        state.cuts = cuts
        state.total = CutCounts.from_bytes(next(states), cuts.total)
        state.parts = {
            key: CutCounts.from_bytes(part, cuts.parts[key])
            for key, part in zip(keys, states)  # noqa: B905
        }
        return state


_ALL = object()


def pack_many(kind: str, keys: list[Any], parts: list[bytes]) -> bytes:
    """Pack several packed states under their keys."""
    plain = {"keys": [_key_out(key) for key in keys], "sizes": [len(part) for part in parts]}
    return pack(kind, plain, {"data": np.frombuffer(b"".join(parts), dtype=np.uint8)})


def unpack_many(kind: str, data: bytes) -> tuple[list[Any], Iterator[bytes]]:
    """Return the keys, and the packed states one by one."""
    plain, arrays = unpack(data, kind)
    ends = np.cumsum([0, *plain["sizes"]])
    joined = arrays["data"].tobytes()
    parts = (joined[a:b] for a, b in pairwise(ends))
    return [_key_in(key) for key in plain["keys"]], parts


def _key_out(key: Any) -> Any:
    if key is None or isinstance(key, str | bool | int | float):
        return key
    if isinstance(key, decimal.Decimal):
        return {"type": "decimal", "value": str(key)}
    for name, kind in _DATES.items():
        if type(key) is kind:
            return {"type": name, "value": key.isoformat()}
    raise InputError(
        f"A segment is {key!r}, of type {type(key).__name__}. Segments can be text, numbers, dates or times."
    )


def _key_in(stored: Any) -> Any:
    if not isinstance(stored, dict):
        return stored
    if stored["type"] == "decimal":
        return decimal.Decimal(stored["value"])
    return _DATES[stored["type"]].fromisoformat(stored["value"])
