"""Results traced along the prior."""

import numpy as np

import puremetrics as pm


def test_sensitivity_traces_estimates_and_bounds():
    rng = np.random.default_rng(1)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1.5, 1, 200),
        unlabeled=np.concatenate([rng.normal(1.5, 1, 100), rng.normal(0, 1, 900)]),
        scenario="case_control",
    )
    curve = pm.prior_sensitivity(table)
    inside = slice(1, None)  # at prior 0 there is no latent positive and nothing is bounded
    assert np.all(np.diff(curve.value) > 0)
    assert np.all(curve.low <= curve.value)
    assert np.all(curve.bound_low[inside] <= curve.value[inside])
    assert np.all(curve.bound_high[inside] >= curve.value[inside] - 1e-9)
    assert curve.prior[-1] <= curve.largest_prior
    assert pm.prior_sensitivity(table, statistic="average_precision", priors=[0.1]).value[0] > 0.3


def test_bounds_are_absent_where_there_are_none():
    rng = np.random.default_rng(2)
    y = np.arange(400) < 100
    score = rng.normal(size=400) + 1.5 * y
    table = pm.ScoreTable.from_arrays(y, score, scenario="case_control")
    weighted = pm.ScoreTable.from_arrays(
        y, score, sample_weight=rng.random(400) + 0.5, scenario="case_control"
    )
    known = {"priors": [0.05, 0.1, 0.2]}
    whole = pm.prior_sensitivity(table, **known)
    assert not np.isnan(whole.bound_low).any()
    plain = pm.prior_sensitivity(table, bounds=False, **known)
    assert np.array_equal(plain.value, whole.value)
    noisy = pm.prior_sensitivity(table, purity=0.9, **known)
    for curve in (plain, noisy, pm.prior_sensitivity(weighted, **known)):
        assert np.isnan(curve.bound_low).all()
        assert np.isnan(curve.bound_high).all()
        assert not np.isnan(curve.value).any()
    for prior, value in zip(noisy.prior, noisy.value, strict=True):
        assert value == pm.roc_auc(table, prior=float(prior), purity=0.9).value


def test_a_range_of_the_purity_widens_the_trace():
    table = pm.ScoreTable.from_groups(
        positive=np.arange(40, 80), unlabeled=np.arange(100), scenario="case_control"
    )
    point, wide = (
        pm.prior_sensitivity(table, priors=[0.1, 0.2], purity=purity)
        for purity in (0.9, (0.8, 1.0))
    )
    assert np.all(wide.low <= point.low)
    assert np.all(wide.high >= point.high)
    assert np.all(wide.high - wide.low > point.high - point.low)
