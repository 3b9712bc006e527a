"""Very many segments, and very many score columns: CPU seconds and memory.

Run: python benchmarks/segments.py [--segments 1e5] [--rows 5e6] [--columns 1000] [--column-rows 1e5]

Bars, on a quiet machine with two processors: 1e5 segments of 5e6 rows are scanned within 15 s and compared by
`drift`, at a given prior, within 20 s; 1,000 score columns of 1e5 rows take less than 2 GB.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

import puremetrics as pm


def timed(what: str, call: Callable[[], Any]) -> Any:
    """Run it, and say how long it took."""
    clock, start = time.monotonic(), time.process_time()
    found = call()
    cpu, wall = time.process_time() - start, time.monotonic() - clock
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{what:<52}{cpu:9.1f} s of CPU{wall:9.1f} s{peak:9.2f} GB at most", flush=True)
    return found


def rows_of(rows: int, segments: int) -> pa.Table:
    """Labels, scores and segments of so many rows, 2% of them labelled."""
    rng = np.random.default_rng(0)
    truth = rng.random(rows) < 0.2
    return pa.table(
        {
            "y": (truth & (rng.random(rows) < 0.1)).astype(np.int64),
            "p": rng.normal(size=rows) + truth,
            "land": rng.integers(segments, size=rows),
        }
    )


def columns_of(columns: int, rows: int) -> pa.Table:
    """Labels, and many columns of scores in single precision."""
    rng = np.random.default_rng(1)
    truth = rng.random(rows) < 0.2
    found = {"y": (truth & (rng.random(rows) < 0.3)).astype(np.int64)}
    for i in range(columns):
        found[f"p{i}"] = rng.normal(size=rows).astype(np.float32) + truth.astype(np.float32)
    return pa.table(found)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--segments", type=float, default=1e5)
    parser.add_argument("--rows", type=float, default=5e6)
    parser.add_argument("--columns", type=float, default=1000)
    parser.add_argument("--column-rows", type=float, default=1e5)
    options = parser.parse_args(arguments)
    known = {"label": "y", "scenario": "single_training_set"}
    if options.columns:
        many = columns_of(int(options.columns), int(options.column_rows))
        names = many.column_names[1:]
        timed(f"scan of {len(names)} score columns", lambda: pm.scan(many, score=names, **known))
        del many
    if options.segments:
        rows = rows_of(int(options.rows), int(options.segments))
        found = timed(
            f"scan of {options.segments:g} segments of {options.rows:g} rows",
            lambda: pm.scan(rows, score="p", by="land", **known),
        )
        timed(f"drift of {len(found)} segments, prior given", lambda: pm.drift(found, prior=0.2))


if __name__ == "__main__":
    main()
