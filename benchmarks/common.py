"""Ratios, not seconds: every time is compared with something measured in the same run."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np


def seconds(function: Callable[[], Any], repeats: int = 3) -> float:
    """Best of a few runs."""
    best = np.inf
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best


def peak_bytes(function: Callable[[], Any]) -> int:
    """Peak of what was allocated while the function ran."""
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def make_rows(rows: int, labelled: float = 0.01, seed: int = 0) -> tuple[Any, Any]:
    """Labels (int64) and continuous scores of a decent classifier."""
    rng = np.random.default_rng(seed)
    y = (rng.random(rows) < labelled).astype(np.int64)
    return y, rng.normal(size=rows) + 1.2 * y


def report(name: str, ratio: float, bar: float | None = None) -> None:
    """Print one line: what, ratio, and the bar it should stay below."""
    verdict = "" if bar is None else f"   bar {bar:g}   {'ok' if ratio <= bar else 'MISSED'}"
    print(f"{name:<66}{ratio:8.3f}{verdict}")
