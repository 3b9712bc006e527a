"""Some rows of a source by their places, read in one pass: what the answers to an audit are compared with."""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.io.batches import RowReader
from puremetrics.io.cutting import UNLABELED
from puremetrics.io.files import Progress
from puremetrics.io.sources import open_source, read_batches
from puremetrics.planning.sheets import Looked

__all__ = ["look_up"]


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
    with open_source(source, reader.columns, where, scores=reader.scores, once=True) as parts:
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
