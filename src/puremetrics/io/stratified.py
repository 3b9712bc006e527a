"""What a pass that draws does with a batch: rows of each stratum come by, some stay.

It needs neither the plan nor what belongs to it, so that it can be sent to other machines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.io.batches import Chunk
from puremetrics.io.chance import Chance, Keys
from puremetrics.io.cutting import UNLABELED
from puremetrics.io.keys import Int64
from puremetrics.io.reservoir import Reservoir

__all__ = ["Sampling", "objects"]


@dataclass(frozen=True, eq=False)
class Sampling:
    """So many unlabeled rows of each stratum, and which columns of them are kept.

    Attributes
    ----------
    edges : ndarray
        Rising scores, each of which begins a stratum.
    wanted : ndarray of int
        Rows of each stratum, the one below all edges first.
    score : str
        The column whose scores the edges are.
    kept : tuple of str
        Columns to keep besides the scores.
    chance : Chance
    """

    edges: FloatArray
    wanted: Int64
    score: str
    kept: tuple[str, ...]
    chance: Chance

    def take(
        self, rows: Reservoir, chunk: Chunk, batch: Any, numbers: Callable[[Any], Keys]
    ) -> None:
        """Let a batch come by; ``numbers`` gives those of rows at given places in it."""
        unlabeled = np.flatnonzero(chunk.codes == UNLABELED)
        scores = {column: score[unlabeled] + 0.0 for column, score in chunk.scores.items()}
        own = numbers(unlabeled)

        def columns(at: Any) -> dict[str, Any]:
            found = {"number": own[at], "order": self.chance.order(own[at])}
            found |= {f"score {column}": score[at] for column, score in scores.items()}
            return found | {
                f"kept {name}": objects(_at(batch.column(name), unlabeled[at]))
                for name in self.kept
            }

        stratum = np.searchsorted(self.edges, scores[self.score], side="right")
        rows.take(stratum, self.chance.keys(own), columns)


def objects(column: Any) -> Any:
    """Values of an Arrow array as they are in Python."""
    found = np.empty(len(column), dtype=object)
    for at, value in enumerate(column.to_pylist()):
        found[at] = value
    return found


def _at(column: Any, rows: Any) -> Any:
    import pyarrow as pa

    return column.take(pa.array(rows, pa.int64()))
