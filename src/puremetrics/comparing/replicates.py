"""Resampled statistics of several models on the same rows, each row keeping its scores by all of them.

Few rows are drawn again one by one, which costs O(rows) a resample. Very many are dealt at random into 500
piles in each group, and piles are drawn again instead. A pile is a sum over independent rows, so the variance
of resampled sums is the same on average, known within 3 %; and once the rows of each pile have been counted
by block of neighbouring scores, a resample costs O(blocks). If only some of the unlabeled rows are looked at
(`JointTable.fewer`), deviations of their piles are scaled to those of all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from puremetrics.checking.arguments import as_generator
from puremetrics.checking.types import FloatArray
from puremetrics.comparing.compared import Compared
from puremetrics.exceptions import UnsupportedError
from puremetrics.setting import Setting
from puremetrics.tables.joint import JointTable, places_among
from puremetrics.tables.score_table import ScoreTable

__all__ = ["replicates"]

_PILES = 500
_BLOCKS = 1024  # enough for a spread, if not for a value
_MANY = 200_000  # rows from which on piles are drawn


def replicates(
    joint: JointTable, points: dict[str, Setting], measured: Compared, n_resamples: int, rng: Any
) -> dict[str, FloatArray]:
    """The statistic of each model on so many resamples."""
    drawn: dict[str, list[float]] = {name: [] for name in points}
    many = joint.group.size > _MANY and joint.independent
    in_piles = many and joint.weight is None and measured.ranks_only
    draw = _piled_tables if in_piles else _row_tables
    for name, table in draw(joint, points, measured, n_resamples, as_generator(rng)):
        drawn[name].append(measured.value(measured.again(points[name], table)))
    found = {name: np.array(values) for name, values in drawn.items()}
    if not all(np.isfinite(values).all() for values in found.values()):
        raise UnsupportedError(
            f"{measured.name!r} is undefined on some resamples, so its spread is unknown. Use "
            "interval='analytic', or choose a threshold with more rows on both sides."
        )
    return found


def _piled_tables(
    joint: JointTable,
    points: dict[str, Setting],
    measured: Compared,
    n_resamples: int,
    rng: np.random.Generator,
) -> Iterator[tuple[str, ScoreTable]]:
    """Tables on blocks, with piles of rows drawn again."""
    fewer = joint.fewer
    members = [np.flatnonzero(fewer.group == group) for group in range(3)]
    piles = [rng.integers(_PILES, size=rows.size, dtype=np.int64) for rows in members]
    bases = {name: point.samples.blocks.in_blocks(_BLOCKS).table for name, point in points.items()}
    moves: list[dict[str, FloatArray] | None] = []
    for group, rows in enumerate(members):
        if not rows.size:
            moves.append(None)
            continue
        again = rng.multinomial(_PILES, np.full(_PILES, 1 / _PILES), size=n_resamples) - 1.0
        # Rows that stand for several: their sums count as often, and vary as those of all rows.
        scale = np.sqrt(fewer.stands_for) if group == 1 else 1.0
        own = {}
        for name, base in bases.items():
            place = places_among(base.score, fewer.scores[name][rows])
            cells = piles[group] * base.score.size + place
            counts = np.bincount(cells, minlength=_PILES * base.score.size).astype(np.float64)
            # Whole numbers: their sums are exact, in whichever order they are added.
            own[name] = scale * (again @ counts.reshape(_PILES, -1))
        moves.append(own)
    for i in range(n_resamples):
        for name, base in bases.items():
            columns = [
                column
                if (move := moves[group]) is None
                else np.maximum(np.rint(column + move[name][i]), 0.0).astype(np.int64)
                for group, column in enumerate((base.n_pos, base.n_unl, base.n_neg))
            ]
            yield name, base.with_counts(*columns)


def _row_tables(
    joint: JointTable,
    points: dict[str, Setting],
    measured: Compared,
    n_resamples: int,
    rng: np.random.Generator,
) -> Iterator[tuple[str, ScoreTable]]:
    """Tables with rows drawn again."""
    draw = _row_weights if joint.independent else _group_weights
    for _ in range(n_resamples):
        weights = draw(joint, rng)
        for name in points:
            yield name, _reweighted(joint, name, weights, measured.ranks_only)


def _row_weights(joint: JointTable, rng: np.random.Generator) -> Any:
    """How often each row is drawn, as many of each kind as there are."""
    weights = np.zeros(joint.group.size, dtype=np.int64)
    for group in range(3):
        rows = np.flatnonzero(joint.group == group)
        if rows.size:
            picked = rng.integers(rows.size, size=rows.size)
            weights[rows] = np.bincount(picked, minlength=rows.size)
    return weights


def _group_weights(joint: JointTable, rng: np.random.Generator) -> Any:
    """The same with groups drawn; a draw without labelled or without other rows is drawn again."""
    units, labelled = joint.units, joint.group == 0
    assert units is not None
    weights = np.zeros(labelled.size, dtype=np.int64)
    while not (weights[labelled].any() and weights[~labelled].any()):
        picked = rng.integers(units.total, size=units.total)
        weights = np.bincount(picked, minlength=units.total)[units.place]
    return weights


def _reweighted(joint: JointTable, name: str, weights: Any, ranks_only: bool) -> ScoreTable:
    table = joint.tables[name]
    base = table.cut() if ranks_only else table
    place = joint.places[name] if ranks_only else joint.whole_places[name]
    columns = []
    for group in range(3):
        rows = joint.group == group
        columns.append(np.bincount(place[rows], weights=weights[rows], minlength=base.score.size))
    counts = [column.astype(np.int64) for column in columns]
    if joint.weight is None:
        return base.with_counts(*counts)
    labelled = joint.group == 0
    again, own, size = weights[labelled], joint.weight[labelled], base.score.size
    sums, squares = (
        np.bincount(place[labelled], weights=again * part, minlength=size).astype(np.float64)
        for part in (own, own**2)
    )
    return base.with_counts(*counts, inverse=(sums, squares, sums))
