"""The bootstrap against analytic errors, definitions and scipy."""

import inspect

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError, UnsupportedError
from tests.sampling.cases import area, make


def test_spread_agrees_with_delong_and_splits_by_group():
    table = make(labelled=200, unlabeled=1000)
    analytic = pm.roc_auc(table, prior=0.25, method="direct").standard_error
    both = pm.bootstrap(table, area, n_resamples=800, rng=2)
    assert both.standard_error == pytest.approx(analytic, rel=0.07)
    parts = [
        pm.bootstrap(table, area, resample=(group,), n_resamples=800, rng=3).standard_error
        for group in ("pos", "unl")
    ]
    assert np.hypot(*parts) == pytest.approx(both.standard_error, rel=0.07)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_intervals_follow_their_definitions(method):
    table = make()
    result = pm.bootstrap(table, area, interval=method, n_resamples=999, rng=4)
    interval = result.interval
    assert interval.low < result.value < interval.high
    low, high = np.quantile(result.replicates, [0.025, 0.975])
    if method == "percentile":
        assert (interval.low, interval.high) == pytest.approx((low, high))
    if method == "basic":
        assert (interval.low, interval.high) == pytest.approx(
            (2 * result.value - high, 2 * result.value - low)
        )
    again = pm.bootstrap(table, area, interval=method, n_resamples=999, rng=4)
    assert np.array_equal(again.replicates, result.replicates)


def test_bca_agrees_with_scipy_on_a_mean():
    from scipy import stats

    rng = np.random.default_rng(5)
    sample = rng.exponential(size=80)
    table = pm.ScoreTable.from_groups(positive=sample, unlabeled=[0.0], scenario="case_control")

    def mean(t):
        return float(np.dot(t.score, t.n_pos) / t.total_pos)

    ours = pm.bootstrap(
        table, mean, resample=("pos",), interval="bca", n_resamples=9999, cut=False, rng=6
    )
    known = inspect.signature(stats.bootstrap).parameters
    seed = {"rng" if "rng" in known else "random_state": 7}  # SciPy 1.15 renamed it
    theirs = stats.bootstrap((sample,), np.mean, n_resamples=9999, **seed).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.015)


def test_arrays_progress_and_bad_input():
    table = make()
    calls = []
    result = pm.bootstrap(
        table, lambda t: np.array([area(t), 1.0]), n_resamples=9, rng=0,
        progress=lambda done, total: calls.append((done, total)),
    )  # fmt: skip
    assert result.low.shape == (2,)
    assert calls[-1] == (9, 9)
    with pytest.raises(InputError, match="use `low` and `high`"):
        _ = result.interval
    for options, message in (
        ({"resample": ("positive",)}, "must be a tuple"),
        ({"n_resamples": 1}, "whole number of at least 2"),
        ({"interval": "normal"}, "Choose one of"),
        ({"scheme": "block"}, "Choose one of"),
        ({"rng": -1}, "not a seed"),
    ):
        with pytest.raises(InputError, match=message):
            pm.bootstrap(table, area, **options)
    weighted = pm.ScoreTable.from_arrays(
        [1, 0], [2, 1], sample_weight=[1, 2], scenario="case_control"
    )
    with pytest.raises(UnsupportedError, match="whole rows"):
        pm.bootstrap(weighted, area)
