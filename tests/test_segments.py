"""Segments: one table a group, in the same passes; and whether they differ by more than chance."""

import datetime
import json

import numpy as np
import pytest

import puremetrics as pm
from puremetrics import ScoreTable
from puremetrics.drifting import Drift, _holm, drift
from puremetrics.exceptions import InputError
from puremetrics.io.scan import scan
from puremetrics.segments import Segments, sorted_keys

pa = pytest.importorskip("pyarrow")

COLUMNS = ["segment", "rows", "positives", "naive_auc", "auc", "auc_low", "auc_high", "prior",
           "prior_low", "prior_high"]  # fmt: skip


def make_rows(size=20_000, months=6, odd=None, seed=0):
    rng = np.random.default_rng(seed)
    month = rng.integers(1, months + 1, size)
    positive = rng.random(size) < 0.2
    labelled = positive & (rng.random(size) < 0.5)
    score = rng.normal(size=size) + np.where(month == odd, 0.4, 1.6) * positive
    return pa.table({"y": labelled.astype(int), "s": score, "month": month})


def segmented(rows, **options):
    given = {"label": "y", "score": "s", "scenario": "single_training_set", "by": "month"}
    return scan(rows, **given | options)


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
    with pytest.raises(KeyError, match="no segment 9"):
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
    with pytest.raises(KeyError, match="holds no labelled positive"):
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
    with pytest.raises(InputError, match="cannot be read"):
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


# ------------------------------------------------------------------------------------- drift


def test_drift_is_roc_auc_of_each_segment():
    found = segmented(make_rows())
    view = drift(found, prior=0.2)
    frame = view.frame()
    assert list(frame) == COLUMNS
    for i, (key, table) in enumerate(found.items()):
        area = pm.roc_auc(table, prior=0.2)
        naive = pm.naive_auc(table)
        row = [frame[name][i] for name in COLUMNS]
        assert row[:3] == [key, table.total, table.total_pos]
        assert row[3] == pytest.approx(naive.value, abs=1e-12)
        assert row[4:7] == [area.value, area.interval.low, area.interval.high]
        assert row[7:] == [0.2, 0.2, 0.2]
    assert view.prior_source == "given"
    estimated = drift(found)
    for i, table in enumerate(found.tables.values()):
        known = pm.estimate_prior(table)
        assert estimated.frame()["prior"][i] == pytest.approx(known.prior, abs=1e-12)
        assert estimated.frame()["prior_low"][i] <= known.prior
    assert [test.name for test in estimated.tests] == ["naive_auc", "auc", "prior"]
    each = drift(found, prior=dict.fromkeys(found, 0.2))
    assert each.frame() == frame
    with pytest.raises(InputError, match="no value for segment 6"):
        drift(found, prior=dict.fromkeys(range(1, 6), 0.2))
    with pytest.raises(InputError, match="takes Segments"):
        drift(found.total)


def test_an_odd_segment_is_found_and_alike_ones_are_not():
    alike = drift(segmented(make_rows()), prior=0.2)
    assert not alike.tests[0].differ
    assert "no more than by chance" in str(alike)
    odd = drift(segmented(make_rows(odd=4)), prior=0.2)
    assert odd.tests[0].differ
    assert odd.tests[0].outliers[0] == 4
    assert "PM604" in [d.code for d in odd.diagnostics]
    assert "stand out: 4" in str(odd)
    without = drift(segmented(make_rows(odd=4)))
    assert without.tests[0].differ


def test_numbers_that_cannot_be_computed_are_absent_with_a_reason():
    rng = np.random.default_rng(0)
    size = 2000
    month = np.where(rng.random(size) < 0.02, "rare", "common")
    y = (rng.random(size) < 0.1).astype(int)
    y[np.flatnonzero(month == "rare")[:2]] = 1, 0
    view = drift(segmented(pa.table({"y": y, "s": rng.random(size) + y, "month": month})))
    frame = view.frame()
    rare = frame["segment"].index("rare")
    assert frame["auc"][rare] is None
    assert frame["prior"][rare] is None
    assert frame["naive_auc"][rare] is not None
    assert "too few to estimate the prior" in view.reasons["rare"]
    impossible = drift(
        segmented(pa.table({"y": y, "s": rng.random(size), "month": month})), prior=0.01
    )
    assert "impossible" in impossible.reasons["common"]
    assert not any(isinstance(v, float) and v != v for c in frame.values() for v in c)


def test_evaluate_takes_segments():
    found = segmented(make_rows(odd=2))
    result = pm.evaluate(found, prior=0.2)
    assert isinstance(result.drift, Drift)
    whole = pm.evaluate(found.total, prior=0.2)
    assert whole.drift is None
    assert whole.to_dict()["drift"] is None
    first, second = (r.models["model"].corrected["roc_auc"] for r in (whole, result))
    assert first == second
    stored = json.loads(result.to_json())["drift"]
    assert stored["segments"]["segment"] == [1, 2, 3, 4, 5, 6]
    assert stored["tests"][0]["differ"] is True
    assert "segments by 'month'" in str(result)
    assert "PM604" in [d.code for d in result.diagnostics]
    several = pm.evaluate({"first": found, "second": found}, prior=0.2)
    assert several.drift is not None
    assert set(several.models) == {"first", "second"}


@pytest.mark.slow
def test_alike_segments_are_called_different_no_more_often_than_promised():
    wrong = 0
    repeats = 120
    for seed in range(repeats):
        found = segmented(make_rows(size=6000, months=8, seed=seed))
        wrong += drift(found, prior=0.2).tests[0].differ
    assert wrong <= 14  # 6 expected; 14 or more happens once in five hundred


def test_holm_steps_down():
    assert _holm(np.array([0.001, 0.2, 0.02, 0.9]), 0.05) == [0]
    assert _holm(np.array([0.001, 0.2, 0.012, 0.9]), 0.05) == [0, 2]
    assert _holm(np.array([0.5]), 0.05) == []
    assert _holm(np.array([0.001, 0.002]), 0.05) == [0, 1]
