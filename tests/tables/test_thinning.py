"""Tables in fewer rows: the same rows in all, the same sums, and the same fitted maps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.tables import merging as thinning
from puremetrics.tables.merging import thinned


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(thinning, "_BINS", 8)
    monkeypatch.setattr(thinning, "_MANY", 20)


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=60),
    st.lists(st.integers(0, 40), min_size=1, max_size=80),
    st.lists(st.integers(0, 40), max_size=30),
)
def test_bins_keep_rows_sums_and_kept_scores(positive, unlabeled, negative):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thinning, "_BINS", 8)
        patch.setattr(thinning, "_MANY", 20)
        groups = {"positive": positive, "unlabeled": unlabeled, "negative": negative}
        table = pm.ScoreTable.from_groups(**groups, scenario="case_control")
        fewer = thinned(table, (10.0, 30.0))
        assert fewer.totals == table.totals
        for name, scores in zip(("n_pos", "n_unl", "n_neg"), groups.values(), strict=True):
            count = getattr(fewer, name)
            assert float(np.sum(count * fewer.score)) == pytest.approx(sum(scores), abs=1e-9)
            for edge in (10, 30):
                assert count[fewer.score >= edge].sum() == sum(score >= edge for score in scores)
        if len(positive) + len(unlabeled) + len(negative) <= 20:
            assert fewer is table


def test_weighted_tables_stay_as_they_are(small):
    table = pm.ScoreTable.from_arrays(
        [1, 0] * 30, np.arange(60), sample_weight=np.arange(60) + 1, scenario="case_control"
    )
    assert thinned(table) is table


@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
@pytest.mark.parametrize("method", ["platt", "temperature", "beta"])
def test_maps_of_very_many_rows_are_those_of_all_of_them(monkeypatch, scenario, method):
    rng = np.random.default_rng(5)
    truth = rng.random(60_000) < 0.2
    score = 1 / (1 + np.exp(-(rng.normal(size=truth.size) + 1.5 * truth - 1.5)))
    y = truth & (rng.random(truth.size) < 0.3)
    table = pm.ScoreTable.from_arrays(y.astype(int), score, scenario=scenario)
    exact = pm.recalibrate(table, prior=0.2, method=method)
    monkeypatch.setattr(thinning, "_BINS", 4096)
    monkeypatch.setattr(thinning, "_MANY", 0)
    binned = pm.recalibrate(table, prior=0.2, method=method)
    assert binned.parameters == pytest.approx(exact.parameters, rel=1e-5)
    assert binned.parameters != exact.parameters
