"""Mistakes that once broke a promise, each found by the tests beside this one: now they get a sentence."""

import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError, PuremetricsError
from tests.fuzz.checks import problem_with_sentence
from tests.fuzz.found import CC, JOINT, STRUCTURED, TABLE


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
        lambda: pm.rank_cdf_band(TABLE, prior=0.2, rank_limits="bootstrap", n_resamples=10**12),
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


def test_messages_show_what_was_given_on_one_line():
    with pytest.raises(InputError) as caught:
        pm.roc_auc(TABLE, prior=0.2, confidence_level=np.ones((40, 40)))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_prior_and_purities_that_never_fit_together_get_a_sentence():
    table = pm.ScoreTable.from_counts(
        [0.0], n_pos=[1.5], n_unl=[0.0], n_neg=[1.5], scenario="single_training_set"
    )
    with pytest.raises(pm.PuremetricsError, match="one determines the other"):
        pm.roc_auc(table, prior=0.09375, purity=(0.125, 1.0), prior_of="rows")


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


def test_half_a_character_in_a_condition():
    pyarrow = pytest.importorskip("pyarrow")
    rows = pyarrow.table({"y": [1, 0], "p": [0.5, 0.2]})
    with pytest.raises(InputError, match="incomplete character"):
        pm.scan(rows, label="y", score="p", where="\ud800", **CC)


@pytest.mark.parametrize("word", ["first", "second"])
def test_a_model_that_is_not_a_name(word):
    for name in (np.array([1, 2], dtype=object), 3, ("a", "b")):
        with pytest.raises(InputError, match=f"{word}=.* is not the name of a model"):
            pm.tipping_point(JOINT, "roc_auc", prior=0.2, **{word: name})
