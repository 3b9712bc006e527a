"""Ranges of scores that an audit counts in, and sums over the positives there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray

__all__ = ["Pieces", "Total", "cells_of"]

_A_CELL = 40  # checked rows for each cell of a design of one's own
_MOST_CELLS = 4


def cells_of(checked: int) -> int:
    """How many cells a design of one's own has with so many checked rows."""
    return int(np.clip(checked // _A_CELL, 1, _MOST_CELLS))


class Pieces(NamedTuple):
    """Ranges of scores, rising, in which forecast and cell are the same.

    ``rows`` are unlabeled rows, ``labelled`` and ``negative`` the others; ``cell`` is the cell of each.
    """

    edges: FloatArray
    cell: Any
    rows: FloatArray
    labelled: FloatArray
    negative: FloatArray
    rate: FloatArray


class Total(NamedTuple):
    """A sum over the positives among the unlabeled, and how far it may lie below and above."""

    value: float
    down: float
    up: float
