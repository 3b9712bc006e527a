"""The rows of a plan, drawn from a source of any size in one pass; and rows looked up by their places.

Every row has random keys of its own (`random_rows.Chance`). Of each stratum the unlabeled rows with the
smallest ones are kept (`random_rows.Reservoir`), so memory holds these and one batch. Neither batches nor the
split into files change which rows they are. The order in which to check them comes from other keys: the first
ones are smaller where few of many rows are drawn, and would put those strata first.

`look_up` reads some rows of a source by their places, in one pass: what the answers to an audit are compared
with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from puremetrics.exceptions import InputError
from puremetrics.io.batches import RowReader
from puremetrics.io.conditions import check_columns, check_text
from puremetrics.io.files import Progress
from puremetrics.io.random_rows import Chance, Keys, Reservoir, Sampling
from puremetrics.io.score_keys import UNLABELED
from puremetrics.io.sources import open_source, read_batches
from puremetrics.planning.drawing import Draw, DrawnRows, check_counts
from puremetrics.planning.sheets import Looked

if TYPE_CHECKING:
    from puremetrics.planning.plan import AuditPlan


__all__ = ["draw_rows", "look_up"]


def draw_rows(
    plan: AuditPlan,
    source: Any,
    *,
    label: str,
    score: Any,
    id: str | None = None,
    more: Sequence[str] = (),
    rng: Any = 0,
    where: str | None = None,
    progress: Progress | None = None,
    **labels: Any,
) -> DrawnRows:
    """Draw the rows of a plan from a source that `scan` takes.

    Parameters are those of `AuditPlan.draw_from`. ``more`` are columns to keep that identify nothing.
    """
    check_text("label", label)
    check_text("id", id, optional=True)
    check_text("where", where, optional=True)
    named = _named(score, plan.strata.model)
    kept = tuple(dict.fromkeys([*([] if id is None else [id]), *more]))
    reader = RowReader(label, tuple(dict.fromkeys(named.values())), **labels)
    sampling = Sampling(
        plan.strata.edges,
        plan.draws.astype(np.int64),
        named[plan.model_among(named)],
        kept,
        Chance.of(rng),
    )
    remote = type(source).__module__.split(".")[0] == "pyspark"
    if remote:
        from puremetrics.io.spark_drawing import sample_frame

        rows = sample_frame(source, sampling, reader, id, where, progress)
    else:
        rows = _sample(source, sampling, reader, where, progress)
    check_counts(plan.strata, rows.found)
    if id is not None:
        _check_identifiers(rows.rows()[f"kept {id}"].tolist(), id)
    held = rows.first(sampling.wanted)
    order = np.lexsort((held["key"], held["order"]))
    places = np.arange(order.size) if remote else held["number"][order].astype(np.int64)
    draw = Draw(
        places,
        {model: held[f"score {column}"][order] for model, column in named.items()},
        {name: held[f"kept {name}"][order] for name in kept},
    )
    return DrawnRows.of(draw)


def _named(score: Any, model: str) -> dict[str, str]:
    """The columns of scores by the names of their models; a single one has the plan's name if it can."""
    if isinstance(score, str):
        return {score if score == model else "model": score}
    if isinstance(score, Mapping):
        named = {str(name): column for name, column in score.items()}
    else:
        listed = list(score) if isinstance(score, list | tuple) else []
        named = {str(name): name for name in listed}
        if len(named) < len(listed):
            raise InputError(f"score={listed!r} names a column twice. Name it once.")
    if not named or not all(isinstance(column, str) for column in named.values()):
        raise InputError(
            "score must be the name of a column, a list of names, or a mapping of models to columns."
        )
    return named


def _sample(
    source: Any,
    sampling: Sampling,
    reader: RowReader,
    where: str | None,
    progress: Progress | None,
) -> Reservoir:
    """Read a source once; the number of a row is its place in all of it."""
    rows, done = Reservoir(sampling.wanted), 0
    wanted = list(dict.fromkeys([*reader.columns, *sampling.kept]))
    with open_source(source, wanted, where, scores=reader.score_columns, once=True) as parts:
        known = [part.rows for part in parts if part.rows is not None]
        expected = sum(known) if len(known) == len(parts) else None
        for place, row, batch in read_batches(parts, wanted):
            check_columns(place, list(batch.schema.names), wanted)
            chunk = reader.read(batch, place=place, first_row=row)
            sampling.take(rows, chunk, batch, _counted_from(done))
            done += batch.num_rows
            if progress is not None:
                progress(done, expected)
    return rows


def _counted_from(first: int) -> Callable[[Any], Keys]:
    """The numbers of rows in a batch: their places in the source, where the batch begins at ``first``."""
    return lambda at: (at + first).astype(np.uint64)


def _check_identifiers(values: list[Any], name: str) -> None:
    """Raise if the identifiers of drawn rows are missing or the same for two of them."""
    seen = set()
    for value in values:
        if value is None or value != value:
            raise InputError(
                f"An unlabeled row has no value in {name!r}, the identifier column, so nobody could tell "
                "which row to check. Choose a column that identifies every row."
            )
        known = repr(value)
        if known in seen:
            raise InputError(
                f"Two unlabeled rows have {value!r} in {name!r}, the identifier column, so nobody could "
                "tell which of them to check. Choose a column with a different value in every row."
            )
        seen.add(known)


def look_up(
    source: Any,
    reader: RowReader,
    places: Any,
    *,
    where: str | None = None,
    progress: Progress | None = None,
) -> Looked:
    """Scores, labels and groups of rows at some places of a source; beyond its end there is no score."""
    order = np.argsort(places)
    ascending = places[order]
    scores = {name: np.full(places.size, np.nan) for name in reader.scores}
    unlabeled = np.ones(places.size, dtype=np.bool_)
    groups = None if reader.groups is None else np.zeros(places.size, dtype=np.uint64)
    done = 0
    with open_source(
        source, reader.columns, where, scores=reader.score_columns, once=True
    ) as parts:
        for place, row, batch in read_batches(parts, reader.columns):
            chunk = reader.read(batch, place=place, first_row=row)
            ends = np.searchsorted(ascending, [done, done + batch.num_rows])
            here = order[slice(*ends)]
            for name, score in chunk.scores.items():
                scores[name][here] = score[places[here] - done] + 0.0
            assert chunk.codes is not None
            unlabeled[here] = chunk.codes[places[here] - done] == UNLABELED
            if groups is not None:
                assert chunk.ids is not None
                groups[here] = chunk.ids[places[here] - done]
            done += batch.num_rows
            if progress is not None:
                progress(done, None)
    return Looked(done, scores, unlabeled, groups)
