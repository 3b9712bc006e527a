"""Groups of rows in a scan: their names in the first pass, counts by group and cell in the second.

Names are kept as hashes, and of more than four million only the smallest hashes, which tell how many there
are (the k-th smallest of C is about k/C of the largest possible one). Counts are whole numbers. So states
merge in any order, as those of scores do, and memory is bounded however many groups there are.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.io.packing import pack, unpack
from puremetrics.io.score_keys import NEGATIVE, POSITIVE
from puremetrics.tables.clusters import (
    MOST_UNITS,
    Clusters,
    Units,
    check_several,
    units_of_hashes,
)

__all__ = ["GroupCells", "GroupCounts", "GroupNames"]

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
                    "A group was not there in the first pass: the source has changed while it was read. "
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
