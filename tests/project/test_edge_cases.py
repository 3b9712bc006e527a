"""Corners that once went wrong: each case is one sentence of a review."""

import copy
import pickle

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.bounds.latent_limits import RANK_LIMITS
from puremetrics.exceptions import (
    InputError,
    PriorError,
    PuremetricsError,
    ScenarioError,
    ScoreError,
    UnsupportedError,
    WeightError,
)

CC, SINGLE = {"scenario": "case_control"}, {"scenario": "single_training_set"}


def normal_table(labelled=60, unlabeled=500, shift=2.0, prior=0.3, seed=0, **scenario):
    rng = np.random.default_rng(seed)
    return pm.ScoreTable.from_groups(
        positive=rng.normal(shift, 1, labelled),
        unlabeled=rng.normal(size=unlabeled) + shift * (rng.random(unlabeled) < prior),
        **(scenario or CC),
    )


@pytest.mark.slow
@pytest.mark.parametrize(("labelled", "unlabeled", "prior", "shift", "cut"),
                         [(100, 1000, 0.3, 2.5, 2.0), (30, 300, 0.2, 1.8, 1.8)])  # fmt: skip
def test_positive_likelihood_ratios_cover_across_their_pole(labelled, unlabeled, prior, shift, cut):
    from scipy.special import ndtr

    truth = ndtr(shift - cut) / ndtr(-cut)
    hits, repeats = 0, 400
    for seed in range(repeats):
        table = normal_table(labelled, unlabeled, shift, prior, seed)
        estimate = pm.metric(table, "positive_likelihood_ratio", threshold=cut, prior=prior)
        hits += truth in estimate.interval
        assert estimate.value <= estimate.interval.high or estimate.value < 0
    assert hits / repeats >= 0.93 - 3 * (0.93 * 0.07 / repeats) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize("weight", [(1.0, 8.0), (8.0, 1.0)])
def test_weighted_rows_of_one_training_set_cover(weight):
    # Rows sampled at unequal rates, weighted back: the population is the weighted one.
    from scipy.special import ndtr

    rng = np.random.default_rng(1)
    prior, shift, cut, hits, repeats = 0.4, 1.5, 1.0, 0, 300
    g, e = ndtr(shift - cut), ndtr(-cut)
    truth = prior * g / (prior * g + (1 - prior) * e)
    for _ in range(repeats):
        n = 20_000
        y = rng.random(n) < prior
        labelled = y & (rng.random(n) < 0.5)
        rate = np.where(labelled, 1 / weight[0], 1 / weight[1]) * min(weight) * 0.1
        kept = rng.random(n) < rate
        score = rng.normal(size=n) + shift * y
        table = pm.ScoreTable.from_arrays(
            labelled[kept], score[kept], sample_weight=1 / rate[kept], **SINGLE
        )
        hits += truth in pm.metric(table, "precision", threshold=cut, prior=prior).interval
    assert hits / repeats >= 0.93 - 3 * (0.93 * 0.07 / repeats) ** 0.5


def test_a_range_of_priors_covers_the_priors_inside_it():
    rng = np.random.default_rng(2)
    for _ in range(30):
        table = pm.ScoreTable.from_groups(
            positive=rng.integers(0, 9, 25), unlabeled=rng.integers(0, 8, 60), **CC
        )
        low, high = 10, 40
        wide = pm.roc_auc_bounds(table, prior=(low / 60, high / 60))
        tables = pm.confusion_bounds(table, prior=(low / 60, high / 60))
        for latent in range(low, high + 1, 3):
            one = pm.roc_auc_bounds(table, prior=latent / 60)
            assert wide.low <= one.low + 1e-12
            assert wide.high >= one.high - 1e-12
            at = pm.confusion_bounds(table, prior=latent / 60)
            fpr = [c.metric("fpr") for c in (tables.upper, at.upper, at.lower, tables.lower)]
            assert np.all(fpr[0] <= fpr[1] + 1e-12)
            assert np.all(fpr[2] <= fpr[3] + 1e-12)


@pytest.mark.slow
def test_hull_variance_counts_the_random_number_of_labels():
    rng = np.random.default_rng(3)
    areas, errors = [], []
    for i in range(120):
        y = rng.random(1500) < 0.4
        score = rng.normal(size=1500) + 2.5 * y
        table = pm.ScoreTable.from_arrays(y & (rng.random(1500) < 0.8), score, **SINGLE)
        areas.append(pm.roc_hull(table, prior=0.4).area)
        if i < 15:
            errors.append(pm.hull_variance(table, prior=0.4, n_resamples=150, rng=i).with_more())
    assert np.mean(errors) == pytest.approx(np.std(areas), rel=0.25)


@pytest.mark.slow
def test_the_largest_prior_is_one_of_the_population():
    rng = np.random.default_rng(4)
    misses = 0
    for _ in range(300):
        positive = rng.random(200) < 0.1
        table = pm.ScoreTable.from_groups(
            positive=rng.normal(6, 1, 5000), unlabeled=rng.normal(size=200) + 6 * positive, **CC
        )
        misses += pm.largest_prior(table).prior < 0.1
    assert misses / 300 <= 0.05


def test_noisy_estimates_are_refused_where_labels_must_be_clean():
    noisy = pm.PriorEstimate(0.3, purity=0.7)
    table = normal_table()
    for call in (pm.roc_auc_bounds, pm.confusion_bounds, pm.prior_derivatives):
        with pytest.raises(UnsupportedError):
            call(table, prior=noisy)


def test_estimates_of_the_prior_are_checked():
    table = normal_table(30, 30, **SINGLE)
    with pytest.raises(ScenarioError, match="a different share"):
        pm.roc_auc(table, prior=pm.PriorEstimate(0.6, scenario="case_control"))
    with pytest.raises(PriorError, match="not finite"):
        pm.roc_auc(table, prior=pm.PriorEstimate(float("nan")))
    outside = pm.Interval(0.1, 0.3, 0.95, "confidence", "test")
    with pytest.raises(PriorError, match="already labelled"):
        pm.roc_auc(table, prior=pm.PriorEstimate(0.2, outside))
    given = pm.Interval(0.6, 0.7, 0.95, "confidence", "test")
    assert pm.roc_auc(table, prior=given) == pm.roc_auc(table, prior=(0.6, 0.7))
    assert pm.roc_auc(table, prior=np.array(0.6)).prior == 0.6
    with pytest.raises(PriorError, match="must be a number"):
        pm.roc_auc(table, prior={0.6, 0.7})


def test_counts_of_1e12_do_not_overflow():
    k = 10**12
    table = pm.ScoreTable.from_counts(
        [3, 2, 1], n_pos=[k, k // 2, 1], n_unl=[k // 10, k, 2 * k], **CC
    )
    areas = [pm.roc_auc_bounds(table, prior=0.05, rank_limits=made).low for made in RANK_LIMITS]
    assert areas == pytest.approx([areas[0]] * 4, abs=1e-4)
    with pytest.raises(WeightError, match="2\\*\\*50"):
        pm.ScoreTable.from_counts(range(2000), n_pos=[2**53] * 2000, n_unl=[1] * 2000, **CC)


def test_masked_values_are_missing():
    score = np.ma.masked_array([3.0, 2.0, 1.0], [0, 1, 0])
    with pytest.raises(ScoreError, match="1 NaN"):
        pm.ScoreTable.from_arrays([1, 0, 0], score, **CC)
    y = np.ma.masked_array([1, 0, 0], [0, 1, 1])
    table = pm.ScoreTable.from_arrays(y, [3, 2, 1], unlabeled_label=None, **CC)
    assert table.totals == (1, 2, 0)


def test_hulls_outside_their_range_say_so_and_can_be_limited():
    table = normal_table(60, 500, 2.0, 0.2)
    hull = pm.roc_hull(table, prior=0.5)
    assert "PM101" in {d.code for d in hull.diagnostics}
    for prior, purity in ((0.5, 1.0), (0.2, 0.6)):
        limited = pm.roc_hull(table, prior=prior, purity=purity, limit_slope=True)
        for values in (limited.fpr, limited.tpr, limited.posterior):
            assert values.min() >= -1e-9
            assert values.max() <= 1 + 1e-9
        assert limited.area <= 1 + 1e-9
    with pytest.raises(InputError, match="needs a prior"):
        pm.roc_hull(table, purity=0.9)


def test_acceleration_of_bca_is_that_of_single_rows():
    from puremetrics.sampling.bootstrap import _acceleration

    table = pm.ScoreTable.from_counts([2, 1], n_pos=[120, 3880], n_unl=[1, 1], **CC)

    def recall(t):
        return float(t.n_pos[0] / t.n_pos.sum())

    p, n = 120 / 4000, 4000
    exact = (1 - 2 * p) / (6 * np.sqrt(n * p * (1 - p)))
    assert float(_acceleration(table, recall, ("pos",))) == pytest.approx(exact, rel=1e-3)


def test_intervals_do_not_collapse_where_all_rows_agree():
    perfect = pm.ScoreTable.from_groups(positive=[1] * 5, unlabeled=[0] * 50, **CC)
    tied = pm.ScoreTable.from_groups(positive=[1] * 5, unlabeled=[1] * 50, **CC)
    for table in (perfect, tied):
        for function in (pm.roc_auc, pm.average_precision):
            estimate = function(table, prior=0.1)
            assert estimate.interval.width > 0.1
            assert "PM107" in {d.code for d in estimate.diagnostics}
    reverse = pm.ScoreTable.from_groups(positive=[0], unlabeled=[1], **CC)
    interval = pm.metric(reverse, "mcc", threshold=0.5, prior=0.3).interval
    assert -1 <= interval.low <= interval.high <= 1


def test_the_bootstrap_resamples_every_group_by_default():
    rng = np.random.default_rng(5)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 50), unlabeled=None, negative=rng.normal(size=60), **CC
    )
    auc = pm.roc_auc(table, prior=None, method="direct")
    drawn = pm.bootstrap(
        table, lambda t: pm.roc_auc(t, prior=None, method="direct").value, n_resamples=600, rng=0
    )
    assert drawn.standard_error == pytest.approx(auc.standard_error, rel=0.15)
    near = normal_table(30, 300, **SINGLE)
    counted = {"prior": 30 / 330, "prior_of": "rows"}
    with pytest.raises(PriorError, match="fixed_sizes=True"):
        pm.bootstrap(near, lambda t: pm.roc_auc(t, **counted).value, n_resamples=99, rng=0)
    pm.bootstrap(near, lambda t: pm.roc_auc(t, prior=30 / 330).value, n_resamples=99, rng=0)
    for wrong in (lambda t: None, lambda t: "a", lambda t: np.zeros(int(t.n_pos.max()))):
        with pytest.raises(InputError, match="must return a number"):
            pm.bootstrap(normal_table(5, 5), wrong, rng=0)
    two = pm.ScoreTable.from_groups(positive=[1], unlabeled=[0], **CC)
    pm.bootstrap(two, lambda t: t.total_pos, interval="bca", n_resamples=5, rng=0)


TABLE = normal_table()


@pytest.mark.parametrize(
    "call",
    [
        lambda: pm.ScoreTable.from_arrays([1, 0], [2, 1], sample_weight=[1e200, 1], **CC),
        lambda: pm.ScoreTable.from_arrays([1, 0], [2, 1], sample_weight=[1e-200, 1], **CC),
        lambda: pm.metric(TABLE, "fbeta", threshold=1, prior=0.3, beta=1e200),
        lambda: pm.hull_variance(TABLE, n_resamples=1),
        lambda: pm.hull_variance(TABLE, n_resamples=2.5),
        lambda: pm.hull_variance(TABLE, fpr=[np.nan]),
        lambda: pm.hull_variance(TABLE, fpr=[2.0]),
        lambda: pm.hull_variance(TABLE, n_resamples=5, rng=0).with_more(positives=float("nan")),
        lambda: pm.hull_variance(TABLE, n_resamples=5, rng=0).with_more(positives="2"),
        lambda: pm.rank_cdf_band(TABLE, rank_limits="bootstrap", n_resamples=0),
        lambda: pm.best_by_prior([TABLE, TABLE]),
        lambda: pm.best_by_prior({"a": TABLE, "b": TABLE}, priors=[]),
        lambda: pm.metric_bounds(TABLE, lambda *e: np.zeros(3), threshold=1, prior=0.3),
        lambda: pm.metric_bounds(TABLE, lambda *e: None, threshold=1, prior=0.3),
        lambda: pm.roc_auc([1, 2], prior=0.2),
        lambda: pm.metric(TABLE, "f1", threshold=np.nan, prior=0.3),
        lambda: pm.evaluate([TABLE], prior=0.3),
        lambda: pm.evaluate({}, prior=0.3),
    ],
)
def test_wrong_input_raises_errors_of_our_own(call):
    with pytest.raises(PuremetricsError) as caught:
        call()
    assert str(caught.value).endswith((".", "exactly.", "1"))


def test_whole_numbers_of_numpy_are_whole_numbers():
    result = pm.bootstrap(TABLE, lambda t: t.total_pos, n_resamples=np.int64(5), rng=np.int64(1))
    assert result.replicates.size == 5


def test_copies_stay_read_only_and_other_things_are_not_equal():
    counted = pm.ScoreTable.from_counts([2, 1], n_pos=[1, 0], n_unl=[0, 1], **CC)
    for table in (TABLE, counted):
        for twin in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table)):
            with pytest.raises(ValueError, match="read-only"):
                twin.score[0] = 1
    assert not TABLE.equals(3)


def test_weighted_tables_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(6)
    y, score, weight = rng.random(200) < 0.3, rng.integers(0, 5, 200), rng.random(200) + 0.1
    order = rng.permutation(200)
    one, two = (
        pm.ScoreTable.from_arrays(y[o], score[o], sample_weight=weight[o], **CC)
        for o in (slice(None), order)
    )
    assert one.equals(two)


def test_text_labels_get_a_hint():
    with pytest.raises(PuremetricsError, match="These are text"):
        pm.ScoreTable.from_arrays(["1", "0"], [2, 1], **CC)


def test_bounds_along_all_thresholds_are_those_at_each():
    table = pm.ScoreTable.from_groups(positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0], **CC)
    for name in ("recall", "f1", lambda tp, fp, fn, tn: (tp - 1) ** 2):
        curve = pm.metric_curve_bounds(table, name, prior=0.4)
        for i, threshold in enumerate(curve.lower.x[1:], start=1):
            one = pm.metric_bounds(table, name, threshold=float(threshold), prior=0.4)
            assert (curve.lower.y[i], curve.upper.y[i]) == pytest.approx(tuple(one))


def test_models_are_ranked_by_metrics_at_thresholds():
    rng = np.random.default_rng(7)
    y = np.arange(2000) < 300
    tables = {
        name: pm.ScoreTable.from_arrays(y, rng.normal(size=2000) + shift * y, **CC)
        for name, shift in (("a", 2.0), ("b", 1.0))
    }
    ranking = pm.best_by_prior(
        tables, statistic="f1", threshold={"a": 1.0, "b": 0.5}, priors=[0.02, 0.1]
    )
    assert ranking.dominant == "a"
    costs = pm.best_by_prior(tables, statistic="fpr", threshold=1.0, priors=[0.0, 0.02])
    assert costs.values[costs.ranges[0][2]][0] == min(v[0] for v in costs.values.values())
    with pytest.raises(InputError, match="no entry"):
        pm.best_by_prior(tables, statistic="f1", threshold={"a": 1.0})
