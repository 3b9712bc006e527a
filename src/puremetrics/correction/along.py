"""A value along a grid of priors: exact at a few of them, and on blocks of rows in between.

A grid of a hundred priors would take a hundred passes over all labelled scores. On some thousand blocks of
neighbouring rows (`Setting.on_blocks`) the value is off by a little, and how much changes slowly with the
prior: it is computed exactly at five priors, and the difference is interpolated. How far limits and bounds
lie from the value is looked for at seven priors, on blocks. Tables with few labelled scores have no blocks,
and all their values are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.setting import Setting

__all__ = ["around_along", "in_blocks", "values_along"]

_EXACT = 5  # priors at which all rows are looked at
_TRIED = 7  # priors at which what lies around a value is looked for


def values_along(settings: Sequence[Setting], value: Callable[[Setting], float]) -> FloatArray:
    """The value in settings of the same rows that differ in their prior."""
    if not in_blocks(settings):
        return np.array([value(setting) for setting in settings])
    found = np.array([value(setting.on_blocks()) for setting in settings])
    places = _places(settings, _EXACT)
    missed = np.array([value(settings[place]) - found[place] for place in places])
    return np.clip(found + _between(settings, places, missed), 0.0, 1.0)


def around_along(
    settings: Sequence[Setting], around: Callable[[Setting], Sequence[float]], n_limits: int
) -> FloatArray:
    """Numbers that lie around a value on blocks, in rows; one column for each setting.

    The first ``n_limits`` rows are interpolated. Then come pairs of a lower and an upper bound, for which the
    farther one of both neighbours is taken: a bound may be loose, and must not be tight by mistake.
    """
    places = _places(settings, _TRIED)
    found = np.array([around(settings[place].on_blocks()) for place in places]).T
    rows = [_between(settings, places, row) for row in found[:n_limits]]
    for number, row in enumerate(found[n_limits:]):
        rows.append(_beyond(settings, places, row, np.maximum if number % 2 else np.minimum))
    return np.array(rows)


def in_blocks(settings: Sequence[Setting]) -> bool:
    """Whether values at so many priors are computed on blocks."""
    return len(settings) > _EXACT and settings[0].on_blocks() is not settings[0]


def _places(settings: Sequence[Setting], count: int) -> Any:
    """So many places, from the smallest prior to the largest."""
    rising = np.argsort([setting.prior for setting in settings], kind="stable")
    return rising[np.linspace(0, rising.size - 1, count).round().astype(np.int64)]


def _beyond(
    settings: Sequence[Setting], places: Any, values: FloatArray, farther: np.ufunc
) -> FloatArray:
    prior = np.array([setting.prior for setting in settings])
    known = prior[places]
    right = np.clip(np.searchsorted(known, prior, side="left"), 0, known.size - 1)
    left = np.where(known[right] == prior, right, np.maximum(right - 1, 0))
    return np.asarray(farther(values[left], values[right]))


def _between(settings: Sequence[Setting], places: Any, values: FloatArray) -> FloatArray:
    prior = np.array([setting.prior for setting in settings])
    return np.asarray(np.interp(prior, prior[places], values))
