"""Resampled tables: counts redrawn, any kind of rows held fixed, cost O(labelled scores) a resample.

Rows are resampled by drawing new counts for the rows of the table, multinomial (the number of rows of each
kind kept) or Poisson. If the table is cut at its labelled scores first, the cost of a resample does not
depend on the number of unlabeled rows. In case-control each kind is a sample of its own. In a single training
set all rows are one sample, so the number of labelled rows varies as well, unless a kind is held fixed (or
``fixed_sizes=True``).

**Rows that belong to groups** (`grouped_counts`). Groups are drawn, with all of their rows. A drawn group
brings as many rows to each cell of scores (`tables.clusters`) as it has there. Where a cell holds several
rows of the table, those that were brought are spread over them at random, in proportion to their counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from puremetrics.checking.arguments import as_generator, check_choice, shown
from puremetrics.checking.types import CountArray
from puremetrics.exceptions import InputError
from puremetrics.setting import check_whole
from puremetrics.tables.clusters import Cells
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "DEFAULT_RESAMPLES",
    "KINDS_OF_ROWS",
    "counts_by_kind",
    "grouped_counts",
    "resampled_counts",
    "resampled_tables",
]


_CHUNK = 4_000_000  # counts drawn at a time
Places = npt.NDArray[np.intp]


def grouped_counts(
    table: ScoreTable,
    drawn: list[str],
    n_resamples: int,
    scheme: str,
    fixed_sizes: bool,
    generator: np.random.Generator,
) -> Iterator[tuple[CountArray, CountArray, CountArray]]:
    """Yield batches of counts, each of shape (resamples, rows); kinds that are not drawn stay as they are.

    With ``fixed_sizes`` the counts of each kind are scaled to its number of rows, and rounded.
    """
    clusters = table.clusters
    assert clusters is not None
    columns = {"pos": table.n_pos, "unl": table.n_unl, "neg": table.n_neg}
    matrices = {"pos": clusters.pos, "unl": clusters.unl, "neg": clusters.neg}
    pieces = {name: _Pieces.of(columns[name], matrices[name]) for name in drawn}
    rows = table.score.size
    at_once = max(1, _CHUNK // max(rows * len(drawn), clusters.units))
    for start in range(0, n_resamples, at_once):
        batch = min(at_once, n_resamples - start)
        found: dict[str, Any] = {
            name: np.broadcast_to(column, (batch, rows)) for name, column in columns.items()
        }
        times = _times(clusters.units, batch, scheme, generator)
        totals = {name: times @ matrices[name] for name in drawn}
        empty = np.any([totals[name].sum(axis=1) <= 0 for name in drawn], axis=0)
        while empty.any():  # a kind of a handful of groups came out empty: draw again
            again = _times(clusters.units, int(empty.sum()), scheme, generator)
            for name in drawn:
                totals[name][empty] = again @ matrices[name]
            empty = np.any([totals[name].sum(axis=1) <= 0 for name in drawn], axis=0)
        for name in drawn:
            counts = pieces[name].spread(np.rint(totals[name]).astype(np.int64), rows, generator)
            if fixed_sizes:
                counts = _scaled(counts, float(columns[name].sum()))
            found[name] = counts
        yield found["pos"], found["unl"], found["neg"]


def _times(units: int, batch: int, scheme: str, generator: np.random.Generator) -> Any:
    """How often each group is drawn."""
    if scheme == "poisson":
        return generator.poisson(1.0, size=(batch, units)).astype(np.float64)
    return generator.multinomial(units, np.full(units, 1 / units), size=batch).astype(np.float64)


def _scaled(counts: CountArray, total: float) -> CountArray:
    """Whole counts in the same proportions that add up to a total."""
    running = np.cumsum(counts, axis=1, dtype=np.float64)
    ends = np.rint(running * (total / running[:, -1:])).astype(np.int64)
    return np.diff(ends, axis=1, prepend=0)


class _Pieces(NamedTuple):
    """Where rows of a table and cells meet: row, cell and share of the cell's rows, cell by cell."""

    row: Places
    start: Places
    share: npt.NDArray[np.float64]
    cells: int

    @staticmethod
    def of(counts: CountArray, matrix: Cells) -> _Pieces:
        """Both are in falling order of scores and hold the same rows."""
        by_row = np.cumsum(counts, dtype=np.float64)
        mass = np.asarray(matrix.sum(axis=0), dtype=np.float64)
        by_cell = np.cumsum(mass)
        ends = np.union1d(by_row, by_cell)
        ends = ends[ends > 0]
        size = np.diff(ends, prepend=0.0)
        middle = ends - size / 2
        row = np.searchsorted(by_row, middle)
        cell = np.searchsorted(by_cell, middle)
        share = size / mass[cell]
        start = np.searchsorted(cell, np.arange(matrix.shape[1] + 1))
        return _Pieces(row, start, share, matrix.shape[1])

    def spread(self, totals: Any, rows: int, generator: np.random.Generator) -> CountArray:
        """Counts by row of the table, from counts by cell."""
        found = np.zeros((totals.shape[0], rows), dtype=np.int64)
        for cell in range(self.cells):
            piece = slice(self.start[cell], self.start[cell + 1])
            places, share = self.row[piece], self.share[piece]
            if places.size == 1:
                found[:, places[0]] += totals[:, cell]
            elif places.size:
                drawn = generator.multinomial(totals[:, cell], share / share.sum())
                found[:, places] += drawn
        return found


DEFAULT_RESAMPLES = 500  # of every function that resamples
KINDS_OF_ROWS = ("pos", "unl", "neg")


def resampled_tables(
    table: ScoreTable,
    resample: tuple[str, ...],
    n_resamples: int,
    scheme: str = "multinomial",
    fixed_sizes: bool | None = None,
    rng: Any = None,
) -> Iterator[ScoreTable]:
    """Yield tables with the same rows and redrawn counts; memory stays bounded."""
    for batch in resampled_counts(table, resample, n_resamples, scheme, fixed_sizes, rng):
        for row in zip(*batch, strict=True):
            yield table.with_counts(*row)


def resampled_counts(
    table: ScoreTable,
    resample: tuple[str, ...],
    n_resamples: int,
    scheme: str = "multinomial",
    fixed_sizes: bool | None = None,
    rng: Any = None,
) -> Iterator[tuple[CountArray, CountArray, CountArray]]:
    """Yield batches of redrawn counts of the three kinds, each of shape (resamples, rows)."""
    scheme = check_choice(scheme, ("multinomial", "poisson"), "scheme")
    generator = as_generator(rng)
    counts = counts_by_kind(table, resample)
    sizes = {name: float(column.sum()) for name, column in counts.items()}
    drawn = [name for name in KINDS_OF_ROWS if name in resample and sizes[name] > 0]
    if not drawn:
        raise InputError(
            f"resample={shown(resample)} names no kind that has rows. Pass some of {KINDS_OF_ROWS} that do."
        )
    if fixed_sizes is None:
        everything = all(name in drawn or sizes[name] == 0 for name in KINDS_OF_ROWS)
        fixed_sizes = not (table.design.one_sample and everything)
    if table.clusters is not None and not table.clusters.alone:
        yield from grouped_counts(table, drawn, n_resamples, scheme, fixed_sizes, generator)
        return
    strata = [[name] for name in drawn] if fixed_sizes else [drawn]
    rows = table.score.size
    at_once = max(1, _CHUNK // max(rows * len(drawn), 1))
    for start in range(0, n_resamples, at_once):
        batch = min(at_once, n_resamples - start)
        columns = {name: np.broadcast_to(c, (batch, rows)) for name, c in counts.items()}
        for stratum in strata:
            joined = np.concatenate([counts[name] for name in stratum])
            new = _draw(joined, batch, scheme, generator)
            for i, name in enumerate(stratum):
                columns[name] = new[:, i * rows : (i + 1) * rows]
        empty = ~np.all([columns[name].any(axis=1) for name in drawn], axis=0)
        for i in map(int, np.flatnonzero(empty)):
            while not all(columns[name][i].any() for name in drawn):
                # A kind of a handful of rows came out empty and has no statistic: draw again.
                joined = np.concatenate([counts[name] for name in drawn])
                again = _draw(joined, 1, scheme, generator)[0]
                for j, name in enumerate(drawn):
                    columns[name][i] = again[j * rows : (j + 1) * rows]
        yield columns["pos"], columns["unl"], columns["neg"]


def counts_by_kind(table: ScoreTable, resample: tuple[str, ...]) -> dict[str, Any]:
    """Counts of the three kinds, if rows of the table can be drawn."""
    check_whole(table, "The bootstrap", "the analytic intervals")
    several = isinstance(resample, tuple | list) and len(resample) > 0
    if not several or any(str(name) not in KINDS_OF_ROWS for name in resample):
        raise InputError(
            f"resample={shown(resample)} must be a tuple with some of {KINDS_OF_ROWS}."
        )
    return dict(zip(KINDS_OF_ROWS, (table.n_pos, table.n_unl, table.n_neg), strict=True))


def _draw(counts: Any, batch: int, scheme: str, generator: np.random.Generator) -> Any:
    occupied = np.flatnonzero(counts)
    new = np.zeros((batch, counts.size), dtype=np.int64)
    if scheme == "poisson":
        new[:, occupied] = generator.poisson(counts[occupied], size=(batch, occupied.size))
    else:
        total = int(counts.sum())
        new[:, occupied] = generator.multinomial(total, counts[occupied] / total, size=batch)
    return new
