"""Memory and processor time of `scan` on Parquet files, compared with `np.sort` of as many scores.

    python benchmarks/scan.py [rows]        default 2e8: writes 1.8 GB into a temporary folder

Each size is scanned in a fresh process, whose peak memory and processor time (all threads) are read from the
operating system. The scores are probabilities of a decent classifier, 1% of the rows are labelled.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from common import report

PER_FILE = 25_000_000


def write(folder: Path, rows: int) -> None:
    """Write files of up to 25 million rows, in row groups of a million."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("label", pa.int8()), ("score", pa.float64())])
    for number, start in enumerate(range(0, rows, PER_FILE)):
        left = min(PER_FILE, rows - start)
        rng = np.random.default_rng(number)
        with pq.ParquetWriter(
            folder / f"part-{number:03d}.parquet", schema, use_dictionary=["label"]
        ) as out:
            for _ in range(0, left, 1_000_000):
                size = min(1_000_000, left)
                left -= size
                label = (rng.random(size) < 0.01).astype(np.int8)
                score = 1 / (1 + np.exp(1.0 - rng.normal(size=size) - 1.2 * label))
                out.write_table(pa.table({"label": label, "score": score}, schema=schema))


def measure(pattern: str) -> None:
    """Scan, and print what it cost; runs in a fresh process."""
    from puremetrics.io.scan import scan

    before = time.process_time()
    start = time.perf_counter()
    table = scan(pattern, label="label", score="score", scenario="single_training_set")
    used = {
        "cpu": time.process_time() - before,
        "wall": time.perf_counter() - start,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "rows": table.total,
        "labelled": table.total_pos,
    }
    print(json.dumps(used))


def sort_seconds(rows: int) -> float:
    """Processor time of sorting as many scores."""
    scores = np.random.default_rng(0).random(rows)
    start = time.process_time()
    np.sort(scores)
    return time.process_time() - start


def main(rows: int) -> None:
    """Print one line a size, then the bars at the largest."""
    print(f"{'rows':>12}{'CPU s':>9}{'wall s':>9}{'np.sort s':>11}{'ratio':>8}{'peak MB':>9}"
          f"{'ns a row':>10}")  # fmt: skip
    found = {}
    for size in [s for s in (rows // 100, rows // 10, rows) if s]:
        with tempfile.TemporaryDirectory() as name:
            write(Path(name), size)
            out = subprocess.run(
                [sys.executable, __file__, "--measure", f"{name}/*.parquet"],
                check=True, capture_output=True, text=True,
            )  # fmt: skip
        used = json.loads(out.stdout)
        assert used["rows"] == size
        sort = sort_seconds(size)
        found[size] = (used, sort)
        print(f"{size:>12}{used['cpu']:>9.2f}{used['wall']:>9.2f}{sort:>11.2f}"
              f"{used['cpu'] / sort:>8.2f}{used['peak'] / 1e6:>9.0f}"
              f"{1e9 * used['cpu'] / size:>10.1f}", flush=True)  # fmt: skip
    used, sort = found[rows]
    report("processor time of scan / np.sort of as many scores", used["cpu"] / sort, 2.5)
    report("peak memory of scan / 1 GB", used["peak"] / 1e9, 1.0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2])
    else:
        main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 200_000_000)
