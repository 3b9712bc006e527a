"""Segments: one table a group, in the same passes."""

import datetime

import numpy as np
import pytest

from puremetrics import ScoreTable
from puremetrics.comparing.drifting import drift
from puremetrics.exceptions import InputError
from puremetrics.io.scan import scan
from puremetrics.tables.segments import Segments, sorted_keys
from tests.tables.segmented import make_rows, pa, segmented


def test_segments_are_the_tables_of_their_rows():
    rows = make_rows()
    found = segmented(rows)
    assert isinstance(found, Segments)
    assert list(found) == [1, 2, 3, 4, 5, 6]
    assert len(found) == 6
    y, s, month = (np.asarray(rows[name]) for name in ("y", "s", "month"))
    for key, table in found.items():
        own = month == key
        expected = ScoreTable.from_arrays(y[own], s[own], scenario="single_training_set")
        assert table.cut().equals(expected.cut())
        assert found[key] is table
    assert found.total.equals(scan(rows, label="y", score="s", scenario="single_training_set"))
    assert "6 segments by 'month'" in str(found)
    assert "Segments: 6" in repr(found)
    with pytest.raises(InputError, match="no segment 9"):
        found[9]


def test_segments_without_positives_are_kept_aside():
    rows = pa.table(
        {
            "y": [1, 0, 0, 0, 1, 1],
            "s": [0.9, 0.1, 0.2, 0.3, 0.4, 0.5],
            "month": ["may", "may", "june", "june", "july", None],
        }
    )
    found = segmented(rows)
    assert list(found) == ["may"]
    assert found.without_positives == {"june": (0, 2, 0), "july": (1, 0, 0), None: (1, 0, 0)}
    assert found.total.total == 6
    assert "3 more with 4 rows" in str(found)
    with pytest.raises(InputError, match="has no labelled positives"):
        found["june"]
    with pytest.raises(InputError, match="No segment by 'month'"):
        segmented(rows.slice(2, 4))
    view = drift(found, prior=0.6)
    assert set(view.reasons) >= {"june", "july", None}
    assert "PM605" in [d.code for d in view.diagnostics]


def test_keys_of_many_types(tmp_path):
    import pyarrow.parquet as pq

    days = [datetime.date(2026, 1, 1), datetime.date(2025, 1, 1)] * 10
    rows = pa.table({"y": [1, 1, 0, 0] * 5, "s": np.arange(20.0), "month": days})
    assert list(segmented(rows)) == sorted(set(days))
    for kind in (pa.float64(), pa.string(), pa.decimal128(22, 1), pa.timestamp("us")):
        keys = pa.array([1, 2] * 10).cast(kind)
        pq.write_table(rows.set_column(2, "month", keys), tmp_path / "a.parquet")
        first = segmented(tmp_path / "a.parquet", checkpoint=tmp_path / "saved")
        again = segmented(tmp_path / "a.parquet", checkpoint=tmp_path / "saved")
        assert list(first) == list(again)
        assert len(first) == 2
        assert all(again[key].equals(table) for key, table in first.items())
    lists = rows.set_column(2, "month", pa.array([[1], [2]] * 10))
    with pytest.raises(InputError, match="cannot name groups"):
        segmented(lists)
    assert sorted_keys({"b": 1, 2: 1, None: 1, "a": 1}) == [2, "a", "b", None]


def test_thousands_of_segments():
    rng = np.random.default_rng(0)
    size = 60_000
    rows = pa.table(
        {
            "y": (rng.random(size) < 0.3).astype(int),
            "s": rng.random(size),
            "month": rng.integers(0, 3000, size),
        }
    )
    found = segmented(rows)
    assert len(found) + len(found.without_positives) == len(set(rows["month"].to_pylist()))
    assert sum(table.total for table in found.tables.values()) == size - sum(
        sum(counts) for counts in found.without_positives.values()
    )
