"""Priors next to 0 and counts next to 2**50 that once broke a promise, found by the tests beside this."""

import itertools

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError, PuremetricsError, UnsupportedError
from tests.fuzz.found import CC, TABLE


def test_extreme_arguments_have_answers():
    assert pm.roc_hull(TABLE, prior=0.2).best_threshold(prior=5e-324, cost_fn=0.3) == np.inf
    assert pm.roc_hull(TABLE, prior=0.2).best_threshold(prior=0.5) >= 0.1
    bound = pm.bias_bound(n_pos=9, n_unl=99, prior=0.1, n_bins=2, unl_factor=1e308, binning="width")
    assert bound.expected == np.inf
    steep = pm.recalibrate(
        pm.ScoreTable.from_groups(positive=[1e-3, 2e-3], unlabeled=[-1e-3, 0.0, 1e-3], **CC),
        prior=0.3, method="platt",
    )  # fmt: skip
    assert steep([-1.7e308, 1.7e308]).tolist() in ([0.0, 1.0], [pytest.approx(0.0), 1.0])


def test_audits_of_more_rows_than_floats_can_count():
    with pytest.raises(pm.PuremetricsError, match="at most 2\\*\\*53"):
        pm.prior_from_audit(1e308, 2)


@pytest.mark.parametrize("side", ["low", "high", "either"])
@pytest.mark.parametrize("band", ["bootstrap", "clopper_pearson", "dkw"])
@pytest.mark.parametrize("of", ["rows", "population"])
@pytest.mark.parametrize("positives", [[3, 0, 0], [10**9, 0, 7], [2 * 10**14, 0, 0]])
def test_own_metrics_of_more_rows_than_can_be_tried(side, band, of, positives):
    # Limits were once cut by a part in 1e12: at 2e14 rows the upper one fell below the lower one.
    table = pm.ScoreTable.from_counts(
        [0.9, 0.5, 0.1], n_pos=positives, n_unl=[2 * 10**14, 5, 10**14], **CC
    )
    for threshold in (0.9, 0.5, 0.1):
        found = pm.metric_bounds(
            table, lambda tp, fp, fn, tn: tp / (tp + fn), threshold=threshold, prior=0.4, rank_limits=band,
            label_bias=1.5, label_bias_side=side, prior_of=of,
        )  # fmt: skip
        random = pm.metric_bounds(
            table, "recall", threshold=threshold, prior=0.4, rank_limits=band, prior_of=of
        )
        assert 0 <= found.low <= found.high <= 1
        assert found.low <= random.low + 1e-9
        assert found.high >= random.high - 1e-9


def test_bounds_with_nothing_hidden_do_not_cross():
    rng = np.random.default_rng(0)
    for size in range(5, 40):
        y = np.ones(size, dtype=int)
        y[rng.integers(size)] = 0
        table = pm.ScoreTable.from_arrays(y, rng.random(size), scenario="single_training_set")
        bounds = pm.average_precision_bounds(table, prior=(size - 1) / size, prior_of="rows")
        assert bounds.low <= bounds.high
        assert bounds.width < 1e-12


def test_the_boyce_index_of_scores_at_both_ends_of_what_floats_can_be():
    y = [1, 1, 1, 0, 0, 0, 0]
    score = np.array([0.9, 0.7, 0.2, -0.1, -0.3, -0.8, -0.9])
    wide, narrow = (
        pm.boyce_index(pm.ScoreTable.from_arrays(y, score * scale, **CC)).value
        for scale in (1.7e308, 1.0)
    )
    assert wide == pytest.approx(narrow)
    # A range that is a float, but not so if multiplied.
    wide, narrow = (
        pm.boyce_index(pm.ScoreTable.from_arrays(y, (score + 0.9) * scale, **CC)).value
        for scale in (0.99e308, 1.0)
    )
    assert wide == pytest.approx(narrow)


@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
def test_ranking_measures_of_as_many_rows_as_a_table_can_have(scenario):
    # Mutual information once had NaN as limits, and PULP a singular matrix.
    big = 10**15
    columns = [[1, 2, 3], [big, 0, 1], [1, big, 1], [big // 3] * 3, [0, 0, big]]
    for pos, unl in itertools.product(columns, columns):
        if sum(pos) + sum(unl) > 2**50:
            continue
        table = pm.ScoreTable.from_counts([3, 2, 1], n_pos=pos, n_unl=unl, scenario=scenario)
        for function in (pm.mean_mutual_information, pm.mean_pearson, pm.mean_f1, pm.pulp):
            found = function(table)
            assert found.interval.low <= found.value <= found.interval.high, (function, pos, unl)
    with pytest.raises(PuremetricsError, match="2\\*\\*50"):
        pm.ScoreTable.from_counts([2, 1], n_pos=[big, 1], n_unl=[1, big], scenario=scenario)


def test_an_estimate_with_next_to_no_pure_labels():
    # The prior was cut to a millionth below the purity, and so to less than 0.
    interval = pm.Interval(1e-9, 1.0, 0.95, "confidence", "made up")
    table = pm.ScoreTable.from_arrays(
        [1, 1, 1, -1, -1], [5, 3, 1, 4, 3], neg_label=-1, scenario="single_training_set"
    )
    for purity in (1e-9, 1e-7, 1e-3):
        known = pm.PriorEstimate(0.5, interval, purity=purity)
        for method in ("indirect", "projected"):
            assert 0 <= pm.average_precision(table, prior=known, method=method).value <= 1
    with pytest.raises(PuremetricsError, match="Pass purity > prior"):
        pm.average_precision(table, prior=pm.PriorEstimate(0.5, interval, purity=0.0))


def test_biased_labels_at_the_smallest_prior_that_floats_have():
    table = pm.ScoreTable.from_counts([1.0], n_pos=[8], n_unl=[13], **CC)
    found = pm.average_precision(table, prior=2.2e-311, purity=(0.5, 0.8), label_bias=1e6)
    assert 0 <= found.value <= 1


def test_an_audit_with_a_purity_next_to_nothing():
    y, answered = np.repeat([1, -1, 0], [6, 3, 5]), 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        score = rng.normal(size=y.size)
        table = pm.ScoreTable.from_arrays(y, score, neg_label=-1, scenario="single_training_set")
        audit = pm.Audit.from_arrays(score[y == 0], rng.random(5) < 0.2)
        try:
            found = pm.evaluate(table, audit=audit, purity=(2.2e-309, 0.18), threshold=1.0)
        except PuremetricsError:  # the checked rows say that the prior is above the purity
            continue
        answered += 1
        for estimate in found.models["model"].corrected.values():
            limits = estimate.interval
            assert limits is None or not limits.low > limits.high
    assert answered


@pytest.mark.parametrize("prior", [5e-324, 1e-310, (5e-324, 0.3)])
@pytest.mark.parametrize("alpha", [1e-3, 20.0, 500.0])
def test_early_recognition_at_the_smallest_priors(prior, alpha):
    found = pm.bedroc(TABLE, prior=prior, alpha=alpha)
    assert 0 <= found.interval.low <= found.value <= found.interval.high <= 1


def test_groups_at_the_smallest_priors():
    y, groups, weight = [1, 1, 0], ["a", "b", "a"], [1e-3, 1.5, 1.5]
    table = pm.ScoreTable.from_arrays(y, [0, 0, 0], groups=groups, sample_weight=weight, **CC)
    for flag in (True, False):
        assert np.isfinite(pm.brier_score(table, prior=7.6e-85, nonnegative=flag).value)


@pytest.mark.parametrize("rows", [{"unlabeled": [0.0]}, {"unlabeled": [], "negative": [0.33]}])
def test_biased_calibration_at_the_smallest_priors(rows):
    table = pm.ScoreTable.from_groups(positive=[0.0], **rows, **CC)
    found = pm.calibration_error(table, prior=5e-324, label_bias=1.5)
    assert 0 <= found.interval.low <= found.error <= found.interval.high <= 1


def test_a_purity_that_no_float_holds():
    segments = pm.Segments("land", {"a": TABLE}, TABLE, {})
    for call in (
        lambda: pm.drift(segments, purity=10**400),
        lambda: pm.drift(segments, prior=10**400),
        lambda: pm.drift(segments, prior={"a": 10**400}),
    ):
        told = call().diagnostics[0].message
        assert "too large for a float" in told or "too few" in told


def test_more_rows_than_can_be_counted():
    with pytest.raises(InputError, match="more than a table can hold"):
        pm.fcmi_bound(vc_dimension=1, n_pos=1.0, n_unl=1e308)


@pytest.mark.parametrize("many", [10**6, 10**12])
def test_a_step_with_very_many_labels_and_no_other_row(many):
    table = pm.ScoreTable.from_counts([1.0, 0.0], n_pos=[many, 1], n_unl=[0, 2], **CC)
    found = pm.reliability_curve(table, prior=0.0, method="isotonic")
    assert np.all((found.low >= 0) & (found.low <= found.high) & (found.high <= 1))


def test_an_audited_ratio_without_an_end():
    many = 10**12
    table = pm.ScoreTable.from_counts(
        [1.0, 0.25, 0.0], n_pos=[many, 2, many], n_unl=[3, 4, 2], **CC
    )
    for seed in range(10):
        rng = np.random.default_rng(seed)
        score = rng.permutation(np.repeat([1.0, 0.25, 0.0], [3, 4, 2]))[:5]
        audit = pm.Audit.from_arrays(score, rng.random(5) < 0.3)
        for name in ("positive_likelihood_ratio", "negative_likelihood_ratio", "lift"):
            ends = pm.metric(table, name, threshold=0.5, audit=audit).interval
            assert ends is None or ends.low <= ends.high


def test_recalibration_at_the_smallest_priors():
    table = pm.ScoreTable.from_counts([0.0], n_pos=[1], n_unl=[2], scenario="single_training_set")
    estimate = pm.PriorEstimate(2.2e-309, pm.Interval(0.0, 1.0, 0.95, "confidence", "by hand"))
    for method in ("platt", "temperature"):
        try:
            found = pm.recalibrate(table, prior=estimate, purity=(0.0, 1.0), method=method)
        except PuremetricsError:
            continue
        assert np.isfinite(found([0.0])).all()


def test_bounds_that_leave_nothing_open():
    table = pm.ScoreTable.from_counts(
        [2 / 3, 1 / 3, 0.0], n_pos=[1, 1, 0], n_unl=[2 * 10**13, 0, 3], **CC
    )
    for part in range(1, 20):
        prior = table.design.prior_limits(table.totals)[1] * part / 20
        found = pm.roc_auc_bounds(table, prior=prior)
        assert found.low <= found.high


@pytest.mark.parametrize("side", ["either", "high", "low"])
def test_more_bins_than_a_search_takes(side):
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_groups(positive=rng.random(3000), unlabeled=rng.random(9000), **CC)
    known = {"prior": 0.3, "binning": "width", "label_bias": 2.0, "label_bias_side": side}
    with pytest.raises(UnsupportedError, match="n_bins=2000 is too many: with a label bias"):
        pm.calibration_error(table, n_bins=2000, **known)
    found = pm.calibration_error(table, n_bins=150, **known)
    assert found.bias_range.low <= found.error <= found.bias_range.high
    many = pm.ScoreTable.from_counts(
        np.linspace(1, 0, 3000), n_pos=[10**8] * 3000, n_unl=[10**9] * 3000, **CC
    )
    assert pm.optimal_bins(prior=0.1, n_pos=many.total_pos, n_unl=many.total_unl) > 1000
    assert pm.calibration_error(many, **known).n_bins == 1000
