"""`Segments`: one table for each group of rows, such as a country, a month or a version of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from puremetrics.exceptions import InputError
from puremetrics.scenarios import Scenario
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Segments", "sorted_keys"]


@dataclass(frozen=True, eq=False, repr=False)
class Segments:
    """Tables of the groups of rows that share a value of a column, and the table of all rows.

    `puremetrics.scan` makes them with ``by=``.

    Attributes
    ----------
    by : str
        Name of the column.
    tables : mapping
        One table per value, in increasing order of the values; a missing value is None and comes last.
    total : ScoreTable
        Of all rows, those of the groups without a table included.
    without_positives : mapping
        Groups that have no table, because they hold no positive or nothing else: their numbers of
        positive, unlabeled and negative rows.

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

    def __post_init__(self) -> None:
        if not self.tables:
            raise InputError(
                f"No segment by {self.by!r} holds a labelled positive besides other rows. Check the labels, "
                "or use coarser segments."
            )
        for name in ("tables", "without_positives"):
            given = getattr(self, name)
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
                " It holds no labelled positive, or nothing else."
                if key in self.without_positives
                else ""
            )
            listed = ", ".join(map(repr, list(self.tables)[:8])) + (", …" if len(self) > 8 else "")
            raise InputError(
                f"There is no segment {key!r} by {self.by!r}.{why} There are: {listed}."
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
                f"  {len(self.without_positives)} more with {rows} rows hold no labelled positive, or "
                "nothing else, and have no table"
            )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Segments: {len(self)} by {self.by!r}>"


def sorted_keys(keys: Any) -> list[Any]:
    """Keys in increasing order; of mixed types by type first, a missing value last."""
    known = [key for key in keys if key is not None]
    try:
        ordered = sorted(known)
    except TypeError:
        ordered = sorted(known, key=lambda key: (type(key).__name__, key))
    return ordered + [None] * (len(list(keys)) - len(known))
