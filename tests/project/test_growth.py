"""The growth table measures every public function, and stands on the benchmark page."""

import importlib.util
import inspect
import os
import sys
import time
from pathlib import Path

import pytest

import puremetrics as pm

ROOT = Path(__file__).parents[2]
NO_DATA = {"load_demo"}  # functions that take none


@pytest.fixture(scope="module")
def growth():
    place = ROOT / "benchmarks" / "growth.py"
    if not place.exists():
        pytest.skip("the benchmarks are not here")
    spec = importlib.util.spec_from_file_location("growth", place)
    module = importlib.util.module_from_spec(spec)
    sys.modules["growth"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["growth"]


def test_every_public_function_is_measured(growth):
    functions = {name for name in pm.__all__ if inspect.isfunction(getattr(pm, name))}
    measured = {name.split(",")[0] for name in growth.calls(3000, 0.1)}
    missing = sorted(functions - measured - NO_DATA)
    assert not missing, f"say in benchmarks/growth.py how to call {missing}"
    assert set(growth.BARRED) <= set(growth.calls(3000, 0.1))


def test_ratios_are_written_and_shown(growth, tmp_path, monkeypatch):
    file = tmp_path / "growth.csv"
    sizes = ["--rows", "2000", "4000", "--labelled", "0.1"]
    growth.main([*sizes, "--only", "roc_auc", "metric", "--no-page", "--file", str(file)])
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "function,rows,ratio"
    assert len(lines) == 1 + 2 * 4  # sorting, building and two functions, at two sizes
    assert "ScoreTable.from_arrays,2000,1.00" in lines
    shown = (ROOT / "docs" / "evidence" / "benchmarks.md").read_text(encoding="utf-8")
    assert "## Growth" in shown
    for name in growth.BARRED:
        assert f"| {name} |" in shown


def test_a_function_that_takes_too_long_or_breaks_is_listed(growth, tmp_path, monkeypatch):
    def calls(rows, labelled):
        return {
            growth.SORTING: lambda: sum(range(1000)),
            growth.BUILDING: lambda: sum(range(100_000)),
            "breaks": lambda: os._exit(3),
            "quick": lambda: 1,
            "slow": lambda: time.sleep(60),
        }

    monkeypatch.setattr(growth, "calls", calls)
    kept = []
    rows = growth.measure([10, 20], 0.1, 2.0, None, lambda rows: kept.append(len(rows)))
    ratio = {(row["function"], row["rows"]): row["ratio"] for row in rows}
    assert ratio["slow", "10"].startswith(">")
    assert ratio["breaks", "10"].startswith(">")
    assert not ratio["quick", "20"].startswith(">")
    assert ("slow", "20") not in ratio  # not tried again with more rows
    assert kept == list(range(1, len(rows) + 1))
