"""Checkpoints: a killed run goes on, outdated and damaged ones are noticed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from puremetrics.exceptions import InputError
from puremetrics.io.scan import scan
from tests.io.scanning import COLUMNS, SIZE, in_memory, pq


def names(folder):
    return {path.name for path in Path(folder).iterdir()}


def test_checkpoints_are_used_and_outdated_ones_are_not(tmp_path, rows, folder):
    source, saved = str(folder / "*.parquet"), tmp_path / "saved"
    first = scan(source, **COLUMNS, checkpoint=saved)
    assert first.equals(scan(source, **COLUMNS))
    files = names(saved)
    assert len(files) == 4
    read = []
    again = scan(source, **COLUMNS, checkpoint=saved, progress=lambda *seen: read.append(seen))
    assert again.equals(first)
    assert read == []
    assert names(saved) == files
    scan(source, **COLUMNS | {"score": "q"}, checkpoint=saved)
    assert len(names(saved)) == 8
    own = tmp_path / "own"
    own.mkdir()
    pq.write_table(rows.slice(0, 2500), own / "a.parquet")
    before = scan(str(own / "*.parquet"), **COLUMNS, checkpoint=saved)
    pq.write_table(rows.slice(100, 2400), own / "a.parquet")
    os.utime(own / "a.parquet", ns=(1, 1))
    after = scan(str(own / "*.parquet"), **COLUMNS, checkpoint=saved)
    assert after.cut().equals(in_memory(rows, picked=slice(100, 2500)).cut())
    assert not after.equals(before)


def test_damaged_checkpoints_are_refused(tmp_path, folder):
    scan(folder / "a.parquet", **COLUMNS, checkpoint=tmp_path)
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(InputError, match="damaged"):
        scan(folder / "a.parquet", **COLUMNS, checkpoint=tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written to"):
        scan(folder / "a.parquet", **COLUMNS, checkpoint=tmp_path / "file")


KILLED = """
import os, signal, sys
from puremetrics.io.scan import scan
seen = []
def progress(done, total):
    seen.append(done)
    if done > {limit}:
        os.kill(os.getpid(), signal.SIGKILL)
scan({source!r}, label="y", score="p", scenario="case_control", neg_label=-1,
     checkpoint={saved!r}, progress=progress, threads=1)
"""


@pytest.mark.parametrize("limit", [2500, 6000])
def test_a_killed_run_goes_on(tmp_path, rows, folder, limit):
    source, saved = str(folder / "*.parquet"), str(tmp_path / "saved")
    program = KILLED.format(limit=limit, source=source, saved=saved)
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    kept = [name for name in names(saved) if name.endswith(".counts")]
    assert len(kept) == (1 if limit == 2500 else 2)
    read = []
    found = scan(source, **COLUMNS, checkpoint=saved, progress=lambda *seen: read.append(seen))
    assert found.cut().equals(in_memory(rows).cut())
    assert read[0][0] <= (SIZE if limit == 2500 else 2 * SIZE)
