"""Inputs that once broke a promise, each found by the tests beside this one."""

import itertools
import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError, PuremetricsError, UnsupportedError
from tests.fuzz.calls import CALLS
from tests.fuzz.checks import problem_with_sentence

CC = {"scenario": "case_control"}
TABLE = pm.ScoreTable.from_groups(
    positive=[0.9, 0.8, 0.3], unlabeled=[0.95, 0.85, 0.5, 0.4, 0.2, 0.1], **CC
)
STRUCTURED = np.array([(1, 2), (0, 1)], dtype=[("a", int), ("b", int)])
JOINT = pm.JointTable.from_arrays(
    [1, 1, 0, 0, 0], {"a": [5, 4, 3, 2, 1], "b": [5, 1, 3, 2, 4]}, **CC
)
DEFAULTS = {
    "prior": 0.3, "threshold": 0.5, "objective": "f1", "statistic": "f1"
}  # fmt: skip


def damaged(**changes):
    data = json.loads(pm.recalibrate(TABLE, prior=0.2, method="platt").to_json())
    return json.dumps({**data, **changes})


@pytest.mark.parametrize(
    "call",
    [
        lambda: pm.roc_auc(TABLE, prior=10**400),
        lambda: pm.roc_auc(TABLE, prior=Fraction(10**400, 3)),
        lambda: pm.roc_auc(TABLE, prior=np.ma.masked),
        lambda: pm.roc_auc(TABLE, prior=10**5000),
        lambda: pm.roc_auc(TABLE, prior=(0.4, 0.2)),
        lambda: pm.ScoreTable.from_arrays([1, 0], [2, 1], neg_label=[0.1, 0.2], **CC),
        lambda: pm.ScoreTable.from_arrays([1, 0], [2, 1], neg_label=[[1], [2, 3]], **CC),
        lambda: pm.ScoreTable.from_arrays([1, 0], [2, 1], pos_label=np.array([["a"]]), **CC),
        lambda: pm.ScoreTable.from_arrays([1, 0], [2, 1], pos_label=10**400, **CC),
        lambda: pm.ScoreTable.from_arrays([np.ma.masked], [1], **CC),
        lambda: pm.ScoreTable.from_arrays(
            np.array([1, np.array([1, 2])], dtype=object), [2, 1], **CC
        ),
        lambda: pm.ScoreTable.from_arrays([1, 0], [[1], [2, 3]], **CC),
        lambda: pm.RecalibrationMap.from_json(""),
        lambda: pm.RecalibrationMap.from_json(damaged(parameters={"slope": "x", "intercept": 0})),
        lambda: pm.RecalibrationMap.from_json(damaged(parameters=[1, 2])),
        lambda: pm.RecalibrationMap.from_json(damaged(start=[1.0])),
        lambda: pm.RecalibrationMap.from_json(damaged(prior=None)),
        lambda: pm.RecalibrationMap.from_json(damaged(link="none")),
        lambda: pm.RecalibrationMap.from_json(damaged(diagnostics=[["PM999", "x"]])),
        lambda: pm.RecalibrationMap.from_json(damaged(method="isotonic", link="none")),
        lambda: pm.bias_bound(n_pos=9, n_unl=9, prior=0.1, n_bins=0, binning="width"),
        lambda: pm.bias_bound(n_pos="9", n_unl=9, prior=0.1, n_bins=1),
        lambda: pm.bias_bound(n_pos=9, n_unl=99, prior=0.1, n_bins=1, pos_factor=[1]),
        lambda: pm.generalization_bound(n_pos=9, n_unl=9, prior=0.1, n_bins=10**400, fcmi=1),
        lambda: pm.optimal_bins(prior=0.1, n_pos=float("nan"), n_unl=9),
        lambda: pm.bootstrap(TABLE, lambda t: 1.0, n_resamples=1),
        lambda: pm.bootstrap(TABLE, 0.3),
        lambda: pm.bootstrap(TABLE, lambda t: float("nan"), n_resamples=5),
        lambda: pm.bootstrap(TABLE, lambda t: np.nan if t.n_pos[1] > 1 else 1.0, n_resamples=50, rng=0),
        lambda: pm.bootstrap(TABLE, lambda t: 1.0, resample=np.array([0.1, 0.2])),
        lambda: pm.bootstrap(TABLE, lambda t: 1.0, resample=("neg",), fixed_sizes=False),
        lambda: pm.bootstrap(TABLE, lambda t: 1.0, cut="no"),
        lambda: pm.compare(JOINT, prior=0.1, statistic="mcc", threshold=99),
        lambda: pm.compare(JOINT, prior=0.1, interval="bootstrap", n_resamples=1),
        lambda: pm.compare(JOINT, prior=0.1, statistic=["roc_auc"]),
        lambda: pm.compare(JOINT, prior=0.1, interval=np.array([1, 2])),
        lambda: pm.compare(TABLE, prior=0.1),
        lambda: pm.choose_threshold(TABLE, objective="f1", prior=0.2, subject_to="recall"),
        lambda: pm.choose_threshold(TABLE, objective="f1", prior=0.2, n_resamples=2.5),
        lambda: pm.choose_threshold(TABLE, objective="recall", prior=0.0),
        lambda: pm.choose_threshold(
            TABLE, objective="f1", prior=0.2, subject_to={"recall": (">=", float("nan"))}
        ),
        lambda: pm.roc_auc_bounds(TABLE, prior=0.2, simultaneous=np.array([True, False])),
        lambda: pm.brier_score(TABLE, prior=0.2, nonnegative="no"),
        lambda: pm.roc_hull(TABLE, prior=0.2, limit_slope=None),
        lambda: pm.prior_sensitivity(TABLE, bounds="all"),
        lambda: pm.prior_sensitivity(TABLE, purity=10**400),
        lambda: pm.hull_variance(TABLE, n_resamples=3, rng=0).with_more(others=10**400),
        lambda: pm.recalibrate(TABLE, prior=0.2).apply(0.3),
        lambda: pm.calibration_error(TABLE, prior=0.2, n_bins=10**12, binning="width"),
        lambda: pm.Recalibrator(prior=0.2, **CC).fit([[1], [2, 3]], [1, 0]),
        lambda: pm.best_by_prior({"a": TABLE, "b": 3}),
        lambda: pm.roc_auc(TABLE, prior=0.2, confidence_level=1e-17),
        lambda: pm.largest_prior(TABLE, confidence_level=0.9999999999999999),
        lambda: pm.bias_bound(n_pos=9, n_unl=9, prior=0.1, n_bins=2, delta=5e-324),
        lambda: pm.log_loss(TABLE, prior=0.2, eps=1e-17),
        lambda: pm.bootstrap(TABLE, pm.naive_auc, n_resamples=10**12),
        lambda: pm.compare(JOINT, prior=0.1, interval="bootstrap", n_resamples=10**12),
        lambda: pm.choose_threshold(TABLE, objective="f1", prior=0.2, n_resamples=10**12),
        lambda: pm.rank_cdf_band(TABLE, prior=0.2, band="bootstrap", n_resamples=10**12),
        lambda: pm.calibration_error(TABLE, prior=0.2, n_bins=10**6, interval="bootstrap"),
        lambda: pm.calibration_test(TABLE, prior=0.2, n_bins=10**6),
        lambda: pm.hull_variance(TABLE, fpr=np.linspace(0, 1, 10**6)),
        lambda: pm.hull_variance(TABLE, fpr=np.linspace(0, 1, 10**4), n_resamples=10**5),
        lambda: pm.best_by_prior({"a": TABLE, "b": TABLE}, priors=np.linspace(0.1, 0.2, 10**6)),
        lambda: pm.prior_sensitivity(TABLE, priors=np.linspace(0.1, 0.2, 10**6)),
        lambda: pm.label_bias_sensitivity(TABLE, statistic="roc_auc", prior=0.2, ratios=np.ones(10**6)),
        lambda: pm.scan([], label="y", score="p", buckets=10**9, **CC),
        lambda: pm.scan([], label="y", score="p", pieces=10**9, **CC),
        lambda: pm.scan([], label="y", score="p", threads=10**9, **CC),
        lambda: pm.rows_to_audit(5e-324),
        lambda: pm.roc_auc(TABLE, prior=0.2, recall_range=np.array("x")),
        lambda: pm.roc_auc(TABLE, prior=0.2, recall_range=np.array(0.5)),
        lambda: JOINT[[1]],
        lambda: pm.ScoreTable.from_arrays([], [], propensity=[], **CC),
        lambda: pm.ScoreTable.from_arrays(
            [1, 0], [2, 1], neg_label=np.float32(0.3), unlabeled_label=10**400, **CC
        ),
        lambda: pm.evaluate({"a": 1}, prior=0.1),
        lambda: pm.ScoreTable.from_arrays(STRUCTURED, [1, 2], **CC),
        lambda: pm.ScoreTable.from_arrays([1, 0], STRUCTURED, **CC),
        lambda: pm.ScoreTable.from_arrays([1, 0, Decimal("sNaN")], [1, 2, 3], **CC),
        lambda: pm.ScoreTable.from_arrays([1, 0, 0], [1, 2, Decimal("sNaN")], **CC),
        lambda: pm.ScoreTable.from_arrays([1, 0], [1, 2], pos_label=Decimal("sNaN"), **CC),
        lambda: pm.ScoreTable.from_arrays([1, 0], np.array([1, np.longdouble("1e4000")]), **CC),
        lambda: pm.ScoreTable.from_arrays([1, 0], [1, np.longdouble("1e4000")], **CC),
        lambda: pm.ScoreTable.from_arrays([1, 0], np.array([2**53, 2**53 + 1], dtype=object), **CC),
        lambda: pm.ScoreTable.from_arrays([1, 0, 0], [2**53, 2**53 + 1, 0.5], **CC),
        lambda: pm.ScoreTable.from_arrays([1, 0, 0], [2**63, 2**63 + 1, -1], **CC),
        lambda: pm.ScoreTable.from_arrays(
            [1, 0], [Decimal("0.1"), Decimal("0.10000000000000000001")], **CC
        ),
    ],
)  # fmt: skip
def test_a_sentence_instead_of_a_crash(call):
    with pytest.raises(PuremetricsError) as caught:
        call()
    assert problem_with_sentence(str(caught.value)) is None, caught.value


@pytest.mark.parametrize("name", [n for n in CALLS if "table" in CALLS[n][1] and hasattr(pm, n)])
@pytest.mark.parametrize("given", [None, 3, [1, 2], JOINT])
def test_whatever_is_no_table_is_named(name, given):
    if name == "prior_from_audit" or (name == "tipping_point" and given is JOINT):
        return
    parameters = {k: value for k, value in DEFAULTS.items() if k in CALLS[name][1]}
    if name == "prior_sensitivity":
        parameters = {}
    if name == "bootstrap":
        parameters["statistic"] = pm.naive_auc
    if name in ("audit_labels", "follow_audit"):
        parameters["audit"] = pm.Audit.from_arrays([0.5], [1])
    if name == "plan_audit":
        parameters["budget"] = 10
    if name == "enrichment_factor":
        parameters["top"] = 3
    with pytest.raises(InputError, match="ScoreTable"):
        getattr(pm, name)(given, **parameters)


def test_the_model_without_a_number_is_not_the_best():
    # An argmax over NaN once made it so.
    tables = {
        "a": pm.ScoreTable.from_groups(positive=[9, 8], unlabeled=[7, 5, 1], **CC),
        "b": pm.ScoreTable.from_groups(positive=[2, 1], unlabeled=[7, 5, 1], **CC),
    }
    ranking = pm.best_by_prior(tables, statistic="f1", threshold=8, priors=[0.0, 0.1, 0.2])
    assert ranking.prior.tolist() == [0.1, 0.2]  # at 0 nothing is found, and nothing missed
    assert ranking.dominant == "a"
    assert all(np.isfinite(column).all() for column in ranking.values.values())
    with pytest.raises(UnsupportedError, match="at every prior"):
        pm.best_by_prior(tables, statistic="precision", threshold=99, priors=[0.1, 0.2])


def test_an_infinite_ratio_is_no_best_choice():
    table = pm.ScoreTable.from_groups(positive=[9, 8, 3], unlabeled=[7, 5, 4, 1, 1, 0], **CC)
    choice = pm.choose_threshold(
        table, objective="positive_likelihood_ratio", prior=0.2, n_resamples=20, rng=0
    )
    assert np.isfinite(choice.apparent)
    assert not np.isnan(tuple(choice.estimate.interval)).any()


def test_limits_of_an_infinite_value_are_the_ends_of_its_range():
    table = pm.ScoreTable.from_counts(
        [1.0, 0.7, 0.4, 0.0], n_pos=[3, 3, 3, 3], n_unl=[0, 0, 0, 1], n_neg=[1, 1, 0, 0], **CC
    )
    for name, low in (("mcc", -1.0), ("precision", 0.0)):
        found = pm.metric(
            table,
            name,
            threshold=0.4,
            prior=0.9,
            label_bias=1e3,
            label_bias_side="low",
            confidence_level=0.5,
        )
        assert np.isinf(found.raw)
        assert tuple(found.interval) == (low, 1.0)


def test_an_unbiased_risk_below_zero_is_in_its_interval():
    table = pm.ScoreTable.from_groups(positive=[1.0, 1.0], unlabeled=[1.0, 0.0, 0.0], **CC)
    found = pm.log_loss(table, prior=0.6, nonnegative=False)
    assert found.value < 0
    assert found.value in found.interval


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


def test_messages_show_what_was_given_on_one_line():
    with pytest.raises(InputError) as caught:
        pm.roc_auc(TABLE, prior=0.2, confidence_level=np.ones((40, 40)))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_audits_of_more_rows_than_floats_can_count():
    with pytest.raises(pm.PuremetricsError, match="at most 2\\*\\*53"):
        pm.prior_from_audit(1e308, 2)


def test_a_prior_and_purities_that_never_fit_together_get_a_sentence():
    table = pm.ScoreTable.from_counts(
        [0.0], n_pos=[1.5], n_unl=[0.0], n_neg=[1.5], scenario="single_training_set"
    )
    with pytest.raises(pm.PuremetricsError, match="one decides the other"):
        pm.roc_auc(table, prior=0.09375, purity=(0.125, 1.0))


def test_no_turn_is_sought_below_all_unlabeled_rows():
    table = pm.ScoreTable.from_arrays(
        [1, 1, 1, 1, 0, 0, 0], [0, 0.05, 0.2, 0.35, 0.35, 0.35, 0.35], scenario="case_control"
    )
    assert 0 <= pm.estimate_prior(table).prior <= 1


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
            table, lambda tp, fp, fn, tn: tp / (tp + fn), threshold=threshold, prior=0.4, band=band,
            label_bias=1.5, label_bias_side=side, prior_of=of,
        )  # fmt: skip
        random = pm.metric_bounds(
            table, "recall", threshold=threshold, prior=0.4, band=band, prior_of=of
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


def test_combined_estimates_lie_in_their_interval():
    narrow, wide = 1.192092896e-07, 0.1
    one = pm.PriorEstimate(wide, pm.Interval(narrow, wide, 0.95, "confidence", "a"))
    two = pm.PriorEstimate(narrow, pm.Interval(narrow, narrow, 0.95, "confidence", "b"))
    for pair in ((one, two), (two, one)):
        found = pm.combine(*pair)
        assert found.interval.low <= found.prior <= found.interval.high


@pytest.mark.parametrize("statistic", [np.array([0.1, 0.2]), ["f1"], {"f1": 1}, 3])
def test_a_statistic_that_is_not_a_name(statistic):
    audit = pm.Audit.from_arrays({"a": [3, 2, 1], "b": [3, 2, 4]}, [True, False, False])
    segments = pm.Segments("land", {"a": TABLE, "b": TABLE}, TABLE.merge(TABLE), {})
    for call in (
        lambda: pm.compare(JOINT, statistic=statistic, prior=0.2),
        lambda: pm.compare(JOINT, statistic=statistic, audit=audit),
        lambda: pm.compare_segments(segments, statistic=statistic, prior=0.2),
        lambda: pm.label_bias_sensitivity(TABLE, statistic, prior=0.2),
        lambda: pm.tipping_point(TABLE, statistic, above=0.5, prior=0.2),
        lambda: pm.prior_sensitivity(TABLE, statistic=statistic),
    ):
        with pytest.raises(PuremetricsError):
            call()


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


def test_a_weighted_brier_score_is_at_most_1():
    rows = {"y": [1, 0, 0, 0], "score": [0.0, 1.0, 1.0, 0.0]}
    for weights in ([1e-8, 1.0, 1.5, 1.0], [1.0, 1.0, 1.0, 1e-9], [0.5, 1e8, 1.0, 1.0]):
        table = pm.ScoreTable.from_arrays(**rows, sample_weight=weights, **CC)
        for prior in (0.1, 0.5, (0.1, 0.9)):
            assert pm.brier_score(table, prior=prior).value <= 1


@pytest.mark.parametrize("alpha", [1e-17, 1e-7, 0.0, 501.0])
def test_a_discount_that_is_none(alpha):
    for call in (
        lambda: pm.rie(TABLE, alpha=alpha),
        lambda: pm.bedroc(TABLE, prior=0.2, alpha=alpha),
    ):
        with pytest.raises(InputError, match="20 is usual"):
            call()
    assert pm.bedroc(TABLE, prior=0.2, alpha=1e-6).value == pytest.approx(
        pm.bedroc(TABLE, prior=0.2, alpha=1e-3).value, abs=1e-3
    )


@pytest.mark.parametrize("sequential", [np.array([]), "yes", np.array([True, False])])
def test_a_flag_of_a_plan_that_is_not_one(sequential):
    plan = pm.plan_audit(TABLE, budget=2, target="prior", prior=0.2)
    score = [0.9, 0.8, 0.3, 0.95, 0.85, 0.5, 0.4, 0.2, 0.1]
    rows = plan.draw(np.repeat([1, 0], [3, 6]), score)
    with pytest.raises(InputError, match="sequential"):
        plan.audit(rows, [True] * len(rows), sequential=sequential)


def test_a_statistic_that_raises_is_named():
    with pytest.raises(InputError, match="raised TypeError: object of type 'ScoreTable'") as found:
        pm.bootstrap(TABLE, len, n_resamples=2)
    assert isinstance(found.value.__cause__, TypeError)


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


def test_counts_of_a_range_that_begins_without_positives():
    found = pm.evaluate(TABLE, prior=(0.0, 0.5), threshold=0.5).models["model"].confusion
    assert all(np.isfinite([part.low, part.high]).all() for part in found.likely.values())
    assert found.likely["tp"].low == 0.0


def test_more_rows_than_can_be_counted():
    with pytest.raises(InputError, match="more than a table can hold"):
        pm.fcmi_bound(vc_dimension=1, n_pos=1.0, n_unl=1e308)


@pytest.mark.parametrize("call", [pm.ndcg, pm.bedroc])
def test_a_prior_above_the_purity_where_all_rows_are_labelled(call):
    table = pm.ScoreTable.from_groups(positive=[0.0], unlabeled=[], negative=[1.0], **CC)
    found = call(table, prior=0.9, purity=0.5)
    assert 0 <= found.interval.low <= found.value <= found.interval.high <= 1


@pytest.mark.parametrize("many", [10**6, 10**12])
def test_a_step_with_very_many_labels_and_no_other_row(many):
    table = pm.ScoreTable.from_counts([1.0, 0.0], n_pos=[many, 1], n_unl=[0, 2], **CC)
    found = pm.reliability_curve(table, prior=0.0, method="isotonic")
    assert np.all((found.low >= 0) & (found.low <= found.high) & (found.high <= 1))


def test_half_a_character_in_a_condition():
    pyarrow = pytest.importorskip("pyarrow")
    rows = pyarrow.table({"y": [1, 0], "p": [0.5, 0.2]})
    with pytest.raises(InputError, match="half a character"):
        pm.scan(rows, label="y", score="p", where="\ud800", **CC)


@pytest.mark.parametrize("word", ["first", "second"])
def test_a_model_that_is_not_a_name(word):
    for name in (np.array([1, 2], dtype=object), 3, ("a", "b")):
        with pytest.raises(InputError, match=f"{word}=.* is not the name of a model"):
            pm.tipping_point(JOINT, "roc_auc", prior=0.2, **{word: name})


def test_a_threshold_that_is_an_array_of_no_dimension():
    audit = pm.Audit.from_arrays({"a": [3, 2, 1], "b": [3, 2, 4]}, [True, False, False])
    found = pm.compare(JOINT, statistic="f1", threshold=np.array(0.3), audit=audit)
    json.dumps(found.to_dict(), allow_nan=False)


def test_segments_whose_intervals_have_no_end():
    two = pm.ScoreTable.from_groups(positive=[0.0], unlabeled=[0.0], **CC)
    segments = pm.Segments("land", {"a": two, "b": two}, two.merge(two), {})
    with pytest.raises(PuremetricsError, match="has no end there"):
        pm.compare_segments(segments, statistic="lift", threshold=0.0, prior=(0.0, 0.5))


def test_an_audited_metric_next_to_its_end():
    table = pm.ScoreTable.from_groups(positive=[0.0], unlabeled=[0.0] + [1 / 3] * 8, **CC)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        score = rng.permutation([0.0] + [1 / 3] * 8)[:5]
        audit = pm.Audit.from_arrays(score, rng.random(5) < 0.1)
        found = pm.metric(table, "mcc", threshold=1e-17, audit=audit)
        assert np.isnan(found.value) or found.value in found.interval


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


def test_an_audit_without_positives_and_labels_that_are_all_wrong():
    table = pm.ScoreTable.from_groups(positive=[0.0], unlabeled=[0.0], **CC)
    found = pm.prior_from_audit(1, 0, table=table, purity=0.0)
    assert found.label_frequency is None


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
    with pytest.raises(UnsupportedError, match="n_bins=2000 is too many with a label bias"):
        pm.calibration_error(table, n_bins=2000, **known)
    found = pm.calibration_error(table, n_bins=150, **known)
    assert found.bias_range.low <= found.error <= found.bias_range.high
    many = pm.ScoreTable.from_counts(
        np.linspace(1, 0, 3000), n_pos=[10**8] * 3000, n_unl=[10**9] * 3000, **CC
    )
    assert pm.optimal_bins(prior=0.1, n_pos=many.total_pos, n_unl=many.total_unl) > 1000
    assert pm.calibration_error(many, **known).n_bins == 1000
