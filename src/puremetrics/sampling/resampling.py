"""Resampled tables: counts redrawn, any group held fixed, cost O(labelled scores) a resample.

Rows are resampled by drawing new counts for the rows of the table, multinomial (group sizes kept) or
Poisson. If the table is cut at its labelled scores first, the cost of a resample does not depend on the
number of unlabeled rows. In case-control each group is a sample of its own. In a single training
set all rows are one sample, so the number of labelled rows varies as well, unless a group is held
fixed (or ``fixed_sizes=True``). Of rows that belong to groups, groups are drawn (`regrouping`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from puremetrics.checking.arguments import as_generator, check_choice, shown
from puremetrics.checking.types import CountArray
from puremetrics.exceptions import InputError
from puremetrics.sampling.regrouping import grouped_counts
from puremetrics.setting import check_whole
from puremetrics.tables.score_table import ScoreTable

__all__ = ["DEFAULT_RESAMPLES", "GROUPS", "group_counts", "resampled_counts", "resampled_tables"]

DEFAULT_RESAMPLES = 500  # of every function that resamples
GROUPS = ("pos", "unl", "neg")
_CHUNK = 4_000_000  # counts drawn at a time


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
    """Yield batches of redrawn counts of the three groups, each of shape (resamples, rows)."""
    scheme = check_choice(scheme, ("multinomial", "poisson"), "scheme")
    generator = as_generator(rng)
    counts = group_counts(table, resample)
    sizes = {name: float(column.sum()) for name, column in counts.items()}
    drawn = [name for name in GROUPS if name in resample and sizes[name] > 0]
    if not drawn:
        raise InputError(
            f"resample={shown(resample)} names no group that has rows. Pass some of {GROUPS} that do."
        )
    if fixed_sizes is None:
        everything = all(name in drawn or sizes[name] == 0 for name in GROUPS)
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
                # A group of a handful of rows came out empty and has no statistic: draw again.
                joined = np.concatenate([counts[name] for name in drawn])
                again = _draw(joined, 1, scheme, generator)[0]
                for j, name in enumerate(drawn):
                    columns[name][i] = again[j * rows : (j + 1) * rows]
        yield columns["pos"], columns["unl"], columns["neg"]


def group_counts(table: ScoreTable, resample: tuple[str, ...]) -> dict[str, Any]:
    """Counts of the three groups, if rows of the table can be drawn."""
    check_whole(table, "The bootstrap", "the analytic intervals")
    several = isinstance(resample, tuple | list) and len(resample) > 0
    if not several or any(str(name) not in GROUPS for name in resample):
        raise InputError(f"resample={shown(resample)} must be a tuple with some of {GROUPS}.")
    return dict(zip(GROUPS, (table.n_pos, table.n_unl, table.n_neg), strict=True))


def _draw(counts: Any, batch: int, scheme: str, generator: np.random.Generator) -> Any:
    occupied = np.flatnonzero(counts)
    new = np.zeros((batch, counts.size), dtype=np.int64)
    if scheme == "poisson":
        new[:, occupied] = generator.poisson(counts[occupied], size=(batch, occupied.size))
    else:
        total = int(counts.sum())
        new[:, occupied] = generator.multinomial(total, counts[occupied] / total, size=batch)
    return new
