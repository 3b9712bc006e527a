"""Resampled counts of rows that belong to groups: groups are drawn, with all of their rows.

A drawn group brings as many rows to each cell of scores (`tables.clusters`) as it has there. Where a cell
holds several rows of the table, those that were brought are spread over them at random, in proportion to
their counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import CountArray
from puremetrics.tables.clusters import Cells
from puremetrics.tables.score_table import ScoreTable

__all__ = ["grouped_counts"]

_CHUNK = 4_000_000  # counts drawn at a time
_KINDS = ("pos", "unl", "neg")
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
