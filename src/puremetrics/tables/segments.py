"""`Segments`: one table for each segment of the rows, such as a country, a month or a version of a model.

Tables of very many segments lie in columns that all of them share (`FlatTables`, `SegmentRows`). A table that
nobody asks for costs nothing but its rows, so a hundred thousand segments fit where as many objects would
not. Rows of one segment follow each other in decreasing order of their scores.

`places_of` and `sorted_keys` serve all parts of rows, folds as well as segments: the names of the parts in
order, and the part of each row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from puremetrics.checking.columns import as_scores, check_same_length, raise_not_finite
from puremetrics.checking.groups import as_groups
from puremetrics.checking.labels import label_masks
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.scenarios import Scenario, check_scenario
from puremetrics.tables.clusters import Units, units_of
from puremetrics.tables.rows import Rows, Runs, check_totals
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "KINDS",
    "FlatTables",
    "Kinds",
    "Places",
    "SegmentRows",
    "Segments",
    "places_of",
    "read_kinds",
    "sorted_keys",
]


Int64 = npt.NDArray[np.int64]


class FlatTables(Mapping[Any, ScoreTable]):
    """A mapping of segments to tables, each made when it is first asked for.

    Parameters
    ----------
    scenario : str
    keys : list
        The segments, in order.
    ends : ndarray of int64, shape (segments + 1,)
        Where the rows of each segment begin, and where the last ones end.
    low, high : ndarray, shape (rows,)
        Lowest and highest score that a row stands for.
    counts : ndarray of int64, shape (3, rows)
        Positive, unlabeled and negative rows.
    """

    def __init__(
        self,
        scenario: Scenario,
        keys: list[Any],
        ends: Int64,
        low: FloatArray,
        high: FloatArray,
        counts: Int64,
    ) -> None:
        self.scenario, self.ends, self.counts = scenario, ends, counts
        self._low, self._high = low, high
        self._place = {key: place for place, key in enumerate(keys)}
        self._made: dict[Any, ScoreTable] = {}

    def __len__(self) -> int:
        return len(self._place)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._place)

    def __contains__(self, key: object) -> bool:
        return key in self._place

    def __getitem__(self, key: Any) -> ScoreTable:
        if key not in self._made:
            place = self._place[key]
            own = slice(self.ends[place], self.ends[place + 1])
            pos, unl, neg = (column[own].copy() for column in self.counts)
            if not neg.any():
                neg = np.broadcast_to(np.int64(0), neg.size)
            rows = Rows.of(self._low[own].copy(), [pos, unl, neg])
            runs = Runs.of(np.broadcast_to(np.False_, pos.size), self._high[own].copy(), None)
            self._made[key] = ScoreTable._scanned(self.scenario, rows._replace(runs=runs))
        return self._made[key]


Kinds = npt.NDArray[np.int8]
Places = npt.NDArray[np.intp]
KINDS: dict[str, Any] = {"pos_label": 0, "unlabeled_label": 1, "neg_label": 2}


def read_kinds(y: Any, labels: dict[str, Any]) -> Kinds:
    """What kind of row each is: 0 labelled positive, 1 unlabeled, 2 known negative."""
    pos_label, unlabeled_label, neg_label = (labels[name] for name in KINDS)
    positive, unlabeled, _ = label_masks(y, pos_label, unlabeled_label, neg_label)
    kind = np.full(positive.size, 2, dtype=np.int8)
    kind[positive], kind[unlabeled] = 0, 1
    labelled = int(positive.sum())
    check_totals(labelled, kind.size - labelled, pos_label, unlabeled_label)
    return kind


def places_of(values: Any, size: int, title: str) -> tuple[list[Any], Places]:
    """Distinct names of parts of the rows, rising, and the part of each row."""
    column = as_groups(values, size, title)
    codes: dict[Any, int] = {}
    first = np.fromiter((codes.setdefault(key, len(codes)) for key in column.tolist()), np.intp)
    names = sorted_keys(list(codes))
    rank = np.empty(len(names), dtype=np.intp)
    rank[[codes[name] for name in names]] = np.arange(len(names))
    return names, rank[first]


def sorted_keys(keys: Any) -> list[Any]:
    """Keys in increasing order; of mixed types by type first, a missing value last."""
    known = [key for key in keys if key is not None]
    try:
        ordered = sorted(known)
    except TypeError:
        try:
            ordered = sorted(known, key=lambda key: (type(key).__name__, key))
        except TypeError:  # of one type, and without an order
            ordered = sorted(known, key=lambda key: (type(key).__name__, str(key)))
    return ordered + [None] * (len(list(keys)) - len(known))


class SegmentRows(NamedTuple):
    """Kind, score and unit of each row, and the rows of each segment that has a table."""

    kind: Kinds
    score: FloatArray
    units: Units
    members: dict[Any, Places]


@dataclass(frozen=True, eq=False, repr=False)
class Segments:
    """Tables of the segments, rows that share a value of a column, and the table of all rows.

    `puremetrics.scan` makes them with ``by=``, `Segments.from_arrays` from columns.

    Attributes
    ----------
    by : str
        Name of the column.
    tables : mapping
        One table per value, in increasing order of the values; a missing value is None and comes last.
    total : ScoreTable
        Of all rows, those of the segments without a table included.
    without_positives : mapping
        Segments that have no table, because they hold no positive or nothing else: their numbers of
        positive, unlabeled and negative rows.
    rows : SegmentRows or None
        The rows themselves, if some belong to one group. One group may be in several segments.

    Examples
    --------
    >>> from puremetrics import ScoreTable
    >>> may, june = (ScoreTable.from_groups(positive=[2 + i], unlabeled=[1, 3],
    ...              scenario="case_control") for i in range(2))
    >>> print(Segments("month", {"may": may, "june": june}, may.merge(june), {}))
    2 segments by 'month'; all: 6 rows → 3 distinct scores: 2 positive, 0 negative, 4 unlabeled, ...
      june  3 rows, 1 positive
      may   3 rows, 1 positive
    """

    by: str
    tables: Mapping[Any, ScoreTable]
    total: ScoreTable
    without_positives: Mapping[Any, tuple[int, int, int]]
    rows: SegmentRows | None = None

    @classmethod
    def from_arrays(
        cls,
        y: Any,
        score: Any,
        *,
        segment: Any,
        scenario: Scenario,
        groups: Any = None,
        by: str = "segment",
        pos_label: Any = 1,
        unlabeled_label: Any = 0,
        neg_label: Any = None,
    ) -> Segments:
        """Build them from one label, one score and one segment per row.

        ``segment`` has numbers or text, ``by`` is what it is called. ``groups`` and labels are those of
        `ScoreTable.from_arrays`; rows of one group may be in several segments. A segment whose rows are all
        of one group has no table, since nothing tells how far its groups differ.

        >>> found = Segments.from_arrays(
        ...     [1, 0, 1, 0, 0], [5, 4, 3, 2, 1], segment=list("aabbb"), scenario="case_control")
        >>> list(found), found["b"].total_unl
        (['a', 'b'], 2.0)
        """
        scenario = check_scenario(scenario)
        labels = {
            "pos_label": pos_label, "unlabeled_label": unlabeled_label, "neg_label": neg_label,
        }  # fmt: skip
        kind, scores = read_kinds(y, labels), as_scores(score) + 0.0
        check_same_length(kind.size, scores.size, "y and score")
        if not np.isfinite(scores).all():
            raise_not_finite(scores)
        names, place = places_of(segment, kind.size, "segment")
        known = None if groups is None else as_groups(groups, kind.size)
        units = None if known is None else units_of(known)
        tables, without, members = {}, {}, {}
        for number, name in enumerate(names):
            rows = np.flatnonzero(place == number)
            counts = np.bincount(kind[rows], minlength=3).tolist()
            alone = units is not None and np.unique(units.place[rows]).size < 2
            if counts[0] == 0 or counts[0] == rows.size or alone:
                without[name] = (counts[0], counts[1], counts[2])
                continue
            members[name] = rows
            tables[name] = ScoreTable.from_arrays(
                kind[rows],
                scores[rows],
                scenario=scenario,
                groups=None if known is None else known[rows],
                **KINDS,
            )
        total = ScoreTable.from_arrays(kind, scores, scenario=scenario, groups=known, **KINDS)
        held = None if units is None else SegmentRows(kind, scores, units, members)
        return cls(by, tables, total, without, held)

    def __post_init__(self) -> None:
        if not self.tables:
            raise InputError(
                f"No segment by {self.by!r} has both labelled positives and other rows. Check the labels, "
                "or use coarser segments."
            )
        for name in ("tables", "without_positives"):
            given = getattr(self, name)
            if isinstance(given, FlatTables):  # in order, and made one by one when asked for
                continue
            object.__setattr__(self, name, {key: given[key] for key in sorted_keys(given)})

    @property
    def scenario(self) -> Scenario:
        """The scenario of all tables."""
        return self.total.scenario

    def __len__(self) -> int:
        return len(self.tables)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tables)

    def __getitem__(self, key: Any) -> ScoreTable:
        if key not in self.tables:
            why = (
                " It has no labelled positives, or nothing else."
                if key in self.without_positives
                else ""
            )
            listed = ", ".join(map(repr, list(self.tables)[:8])) + (", …" if len(self) > 8 else "")
            raise InputError(
                f"There is no segment {key!r} by {self.by!r}.{why} Name one of these: {listed}."
            )
        return self.tables[key]

    def items(self) -> Iterator[tuple[Any, ScoreTable]]:
        """Pairs of value and table."""
        return iter(self.tables.items())

    def __str__(self) -> str:
        lines = [f"{len(self)} segments by {self.by!r}; all: {self.total}"]
        width = max(len(str(key)) for key in self.tables)
        for shown, (key, table) in enumerate(self.items()):
            if shown == 20:
                lines.append(f"  … and {len(self) - 20} more")
                break
            lines.append(f"  {key!s:<{width}}  {table.total:g} rows, {table.total_pos:g} positive")
        if self.without_positives:
            rows = sum(sum(counts) for counts in self.without_positives.values())
            lines.append(
                f"  {len(self.without_positives)} more with {rows} rows have no labelled positives, or "
                "nothing else, and so no table"
            )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Segments: {len(self)} by {self.by!r}>"
