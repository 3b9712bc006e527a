"""Whether segments differ by more than chance."""

import json

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.comparing.drifting import drift
from puremetrics.exceptions import InputError
from tests.tables.segmented import make_rows, pa, segmented

COLUMNS = ["segment", "rows", "positives", "naive_auc", "auc", "auc_low", "auc_high", "prior",
           "prior_low", "prior_high"]  # fmt: skip


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
    assert each == view
    for name, column in each.frame().items():
        assert np.array_equal(column, frame[name]), name
    with pytest.raises(InputError, match="no value for segment 6"):
        drift(found, prior=dict.fromkeys(range(1, 6), 0.2))
    with pytest.raises(InputError, match="takes Segments"):
        drift(found.total)


def test_an_odd_segment_is_found_and_alike_ones_are_not():
    alike = drift(segmented(make_rows()), prior=0.2)
    assert not alike.tests[0].differ
    assert "by no more than chance" in str(alike)
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
    rare = frame["segment"].tolist().index("rare")
    assert np.isnan(frame["auc"][rare])
    assert np.isnan(frame["prior"][rare])
    assert not np.isnan(frame["naive_auc"][rare])
    assert view.columns["auc"][rare] is None
    assert "too few to estimate the prior" in view.reasons["rare"]
    impossible = drift(
        segmented(pa.table({"y": y, "s": rng.random(size), "month": month})), prior=0.01
    )
    assert "impossible" in impossible.reasons["common"]
    for column in view.columns.values():
        assert not any(isinstance(value, float) and value != value for value in column)
    assert json.loads(json.dumps(view.to_dict(), allow_nan=False))["segments"]["auc"][rare] is None


@pytest.mark.slow
def test_alike_segments_are_called_different_no_more_often_than_promised():
    wrong = 0
    repeats = 120
    for seed in range(repeats):
        found = segmented(make_rows(size=6000, months=8, seed=seed))
        wrong += drift(found, prior=0.2).tests[0].differ
    assert wrong <= 14  # 6 expected; 14 or more happens once in five hundred
