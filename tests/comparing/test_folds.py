"""Means over folds: their values, what rows add, limits, and what cannot be answered."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.setting import Setting
from puremetrics.statistics import find
from puremetrics.tables.folds import Folds
from tests.oracles import folds as oracle

SCENARIOS = ["case_control", "single_training_set"]
LABELS = {"pos_label": 1, "unlabeled_label": 0, "neg_label": None}
WHOLE = ["roc_auc", "average_precision", "brier_score", "log_loss", "calibration_error"]


@st.composite
def rows_in_folds(draw):
    """Labels, tied scores, folds with both kinds of rows, and groups."""
    count = draw(st.integers(1, 4))
    y, fold = [], []
    for name in range(count):
        labelled, others = draw(st.integers(1, 4)), draw(st.integers(1, 6))
        y += [1] * labelled + [0] * others
        fold += [name] * (labelled + others)
    scores = draw(st.lists(st.integers(0, 5), min_size=len(y), max_size=len(y)))
    groups = draw(st.lists(st.integers(0, 6), min_size=len(y), max_size=len(y)))
    order = draw(st.permutations(range(len(y))))
    return tuple([values[i] for i in order] for values in (y, scores, fold, groups))


def many(seed=0, size=300, folds=5):
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < 0.3
    y = (truth & (rng.random(size) < 0.5)).astype(int)
    score = 1 / (1 + np.exp(0.7 - rng.normal(size=size) - 1.5 * truth))
    return y, score, np.arange(size) % folds, rng


@given(rows_in_folds(), st.sampled_from(SCENARIOS))
def test_the_mean_area_is_that_of_the_definition(rows, scenario):
    y, score, fold, _ = rows
    prior = 0.4 if scenario == "case_control" else (sum(y) + 1) / (len(y) + 1)
    found = pm.cross_evaluate(y, score, fold=fold, scenario=scenario, prior=max(prior, np.mean(y)))
    known = oracle.areas(y, score, fold, scenario, max(prior, np.mean(y)))
    assert found.by_fold["model"]["roc_auc"] == pytest.approx(known, abs=1e-12)
    assert found["roc_auc"].raw == pytest.approx(np.mean(known), abs=1e-12)
    assert found["roc_auc"].value == pytest.approx(np.clip(np.mean(known), 0, 1), abs=1e-12)
    assert found["roc_auc"].value in found["roc_auc"].interval


@given(rows_in_folds(), st.sampled_from(SCENARIOS))
def test_rows_add_what_they_add_in_their_fold(rows, scenario):
    y, score, fold, group = rows
    prior = 0.4 if scenario == "case_control" else (sum(y) + 1) / (len(y) + 1)
    folds = Folds.read(y, score, fold, group if len(set(group)) > 1 else None, scenario, LABELS)
    setting = Setting.of(folds.together, prior)
    found = find("roc_auc").fold_rows(folds, "model", setting)
    assert found == pytest.approx(oracle.added_to_area(y, score, fold, scenario, prior), abs=1e-12)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_rows_of_a_group_are_summed_over_all_folds(scenario):
    y, score, fold, _ = many(2)
    group = np.arange(300) // 6
    score = np.round(score + y * np.random.default_rng(5).normal(size=50)[group], 2)
    alone = pm.cross_evaluate(y, score, fold=fold, scenario=scenario, prior=0.3)["roc_auc"]
    found = pm.cross_evaluate(y, score, fold=fold, scenario=scenario, prior=0.3, groups=group)
    added = oracle.added_to_area(y, score, fold, scenario, 0.3)
    assert alone.standard_error**2 == pytest.approx(sum(part**2 for part in added), rel=1e-9)
    known = oracle.variance_over_groups(y, added, group.tolist())
    assert known > 1.2 * alone.standard_error**2  # nothing is lent
    assert found["roc_auc"].standard_error ** 2 == pytest.approx(known, rel=1e-9)
    assert found["roc_auc"].n_groups == 50
    assert found["roc_auc"].interval.width > alone.interval.width
    inside = pm.cross_evaluate(y, score, fold=group % 5, scenario=scenario, prior=0.3, groups=group)
    assert inside["roc_auc"].n_groups == 50


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("prior", [0.3, (0.25, 0.35)], ids=str)
@pytest.mark.parametrize("purity", [None, 0.9])
def test_one_fold_is_the_plain_estimate(scenario, prior, purity):
    y, score, _, _ = many()
    found = pm.cross_evaluate(
        y, score, fold=np.zeros(300), scenario=scenario, statistic=[*WHOLE, "f1", "fpr"], threshold=0.4,
        prior=prior, purity=purity,
    )  # fmt: skip
    table = pm.ScoreTable.from_arrays(y, score, scenario=scenario)
    known = {"prior": prior, "purity": purity}
    plain = {
        "roc_auc": pm.roc_auc(table, method="direct", **known),
        "average_precision": pm.average_precision(table, **known),
        "brier_score": pm.brier_score(table, nonnegative=False, **known),
        "log_loss": pm.log_loss(table, nonnegative=False, **known),
        "f1": pm.metric(table, "f1", threshold=0.4, **known),
        "fpr": pm.metric(table, "fpr", threshold=0.4, **known),
    }
    for name, estimate in plain.items():
        value = min(max(estimate.value, 0.0), 1.0)
        assert found[name].value == pytest.approx(value, abs=1e-9), name
        low, high = estimate.interval
        assert found[name].interval.low == pytest.approx(low, abs=1e-9), name
        assert found[name].interval.high == pytest.approx(min(high, 1.0), abs=1e-9), name
    calibration = pm.calibration_error(table, **known)
    assert found["calibration_error"].value == pytest.approx(calibration.debiased, abs=1e-12)
    assert tuple(found["calibration_error"].interval) == pytest.approx(
        tuple(calibration.interval), abs=1e-12
    )


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scores_of_different_folds_are_never_compared(scenario):
    y, score, fold, _ = many()
    moved = np.where(fold == 1, 100 + 3 * score, np.where(fold == 2, -(1 / score), score))
    known = {"fold": fold, "scenario": scenario, "statistic": WHOLE[:2], "prior": 0.3}
    first, second = (pm.cross_evaluate(y, values, **known) for values in (score, moved))
    for name in WHOLE[:2]:
        assert first[name].value == pytest.approx(second[name].value, abs=1e-12)
        assert tuple(first[name].interval) == pytest.approx(tuple(second[name].interval), abs=1e-9)


def test_order_of_rows_and_names_of_folds_do_not_matter():
    y, score, fold, rng = many()
    order = rng.permutation(300)
    known = {
        "scenario": "case_control",
        "prior": 0.3,
        "statistic": ["roc_auc", "mcc"],
        "threshold": 0.4,
    }
    first = pm.cross_evaluate(y, score, fold=fold, groups=np.arange(300) // 2, **known)
    names = np.array(["a", "b", "c", "d", "e"])[fold]
    second = pm.cross_evaluate(
        y[order], score[order], fold=names[order], groups=(np.arange(300) // 2)[order], **known
    )
    for name in ("roc_auc", "mcc"):
        assert tuple(first[name].interval) == pytest.approx(tuple(second[name].interval), abs=1e-9)
    assert second.folds == ("a", "b", "c", "d", "e")


def test_groups_of_one_row_change_nothing():
    y, score, fold, _ = many()
    known = {
        "fold": fold, "scenario": "single_training_set", "prior": 0.3, "statistic": [*WHOLE, "precision"],
        "threshold": 0.4,
    }  # fmt: skip
    first = pm.cross_evaluate(y, score, **known)
    second = pm.cross_evaluate(y, score, groups=np.arange(300), **known)
    for name, estimate in first.estimates["model"].items():
        assert tuple(second[name].interval) == pytest.approx(tuple(estimate.interval), abs=1e-9)
        assert second[name].design_effect == pytest.approx(1.0)


@given(rows_in_folds(), st.sampled_from(SCENARIOS))
def test_metrics_are_those_of_mean_rates(rows, scenario):
    y, score, fold, _ = rows
    prior = 0.4 if scenario == "case_control" else (sum(y) + 1) / (len(y) + 1)
    found = pm.cross_evaluate(
        y, score, fold=fold, scenario=scenario, prior=prior, statistic=["recall", "f1"], threshold=3
    )
    g, f = oracle.rates(y, score, fold, scenario, 3)
    assert found["recall"].value == pytest.approx(g, abs=1e-9)
    if np.isfinite(found["f1"].value):
        assert found["f1"].raw == pytest.approx(oracle.f1(g, f, prior), abs=1e-9)


def test_recall_is_the_mean_of_the_folds_and_needs_no_prior():
    y, score, fold, _ = many()
    known = {"fold": fold, "scenario": "case_control", "threshold": 0.4}
    found = pm.cross_evaluate(y, score, statistic="recall", **known)
    assert found["recall"].value == pytest.approx(found.by_fold["model"]["recall"].mean())
    assert found["recall"].prior is None
    given_one = pm.cross_evaluate(y, score, statistic="recall", prior=0.2, **known)
    assert tuple(given_one["recall"].interval) == pytest.approx(tuple(found["recall"].interval))
    for purity in (0.9, (0.8, 1.0)):
        with pytest.raises(pm.PuremetricsError, match="needs no prior if every label is right"):
            pm.cross_evaluate(y, score, statistic="recall", purity=purity, **known)
    with pytest.raises(pm.PuremetricsError, match="prior is missing"):
        pm.cross_evaluate(y, score, statistic="precision", **known)


def test_the_mean_of_values_is_that_and_its_interval_holds_both():
    y, score, fold, _ = many()
    known = {
        "fold": fold, "scenario": "case_control", "threshold": 0.4, "prior": 0.3,
        "statistic": ["precision", "recall"],
    }  # fmt: skip
    values = pm.cross_evaluate(y, score, average="values", **known)
    means = pm.cross_evaluate(y, score, **known)
    assert values["precision"].value == values.by_fold["model"]["precision"].mean()
    assert values["recall"].value == pytest.approx(means["recall"].value)
    assert values["precision"].value != means["precision"].value
    assert means["precision"].value in values["precision"].interval
    with pytest.raises(UnsupportedError, match="average='rates'"):
        pm.cross_evaluate(
            [1, 0, 1, 0], [0, 0, 3, 1], fold=[0, 0, 1, 1], scenario="case_control", threshold=2, prior=0.3,
            statistic="precision", average="values",
        )  # fmt: skip


def test_differences_are_paired():
    y, score, fold, rng = many()
    other = np.clip(score + rng.normal(size=300) / 50, 0.001, 0.999)
    known = {
        "fold": fold, "scenario": "case_control", "prior": 0.3, "statistic": [*WHOLE, "f1"], "threshold": 0.4,
    }  # fmt: skip
    found = pm.cross_evaluate(y, {"a": score, "b": other, "c": score}, **known)
    turned = pm.cross_evaluate(y, {"b": other, "a": score}, **known)
    for name in found.estimates["a"]:
        first, same, _ = found.differences[name]
        assert (first.first, first.second) == ("a", "b")
        back = turned.differences[name][0]
        assert (back.value, back.interval.low) == pytest.approx(
            (-first.value, -first.interval.high)
        )
        assert same.value == 0
        if name not in ("average_precision", "calibration_error"):
            both = [found.estimates[model][name].interval.width for model in "ab"]
            assert first.interval.width < 0.8 * max(both)  # rows err together
            raw = [found.estimates[model][name].raw for model in "ab"]
            assert first.value == pytest.approx(raw[0] - raw[1], abs=1e-9)
            if name != "f1":
                assert same.standard_error == pytest.approx(0.0, abs=1e-12)


@pytest.mark.slow
def test_a_range_holds_its_points():
    y, score, fold, _ = many()
    known = {
        "fold": fold,
        "scenario": "single_training_set",
        "statistic": [*WHOLE, "f1"],
        "threshold": 0.4,
    }
    wide = pm.cross_evaluate(y, score, prior=(0.25, 0.4), **known)
    estimate = pm.PriorEstimate(0.3, interval=pm.Interval(0.25, 0.4, 0.95, "confidence", "typed"))
    assert pm.cross_evaluate(y, score, prior=estimate, **known)["f1"].prior == 0.3
    for prior in (0.25, 0.325, 0.4):
        point = pm.cross_evaluate(y, score, prior=prior, **known)
        for name, found in point.estimates["model"].items():
            assert wide[name].interval.low <= found.interval.low + 1e-12, (name, prior)
            assert wide[name].interval.high >= found.interval.high - 1e-12, (name, prior)
            assert wide[name].interval.kind == "combined"


def test_biased_labels_widen_metrics():
    y, score, fold, _ = many(size=400)
    known = {
        "fold": fold,
        "scenario": "case_control",
        "prior": 0.3,
        "statistic": "precision",
        "threshold": 0.4,
    }
    plain = pm.cross_evaluate(y, score, **known)["precision"]
    biased = pm.cross_evaluate(y, score, label_bias=2.0, **known)["precision"]
    assert biased.bias_range is not None
    assert biased.interval.low < plain.interval.low
    with pytest.raises(UnsupportedError, match="cannot allow for label_bias"):
        pm.cross_evaluate(
            y, score, label_bias=2.0, **{**known, "statistic": "roc_auc", "threshold": None}
        )
    with pytest.raises(UnsupportedError, match="Differences between models"):
        pm.cross_evaluate(y, {"a": score, "b": score}, label_bias=2.0, **known)
    with pytest.raises(UnsupportedError, match="stratified"):
        pm.cross_evaluate(y, score, label_bias=2.0, **{**known, "scenario": "single_training_set"})


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"fold": [0, 0, 0, 1, 1]}, "Fold 1 has 2 rows with no labelled positive"),
        ({"fold": [0, 1, 1, 0, 0], "y": [1, 1, 0, 0, 0], "neg_label": -1}, None),
        ({"fold": [0, 0, 1, 1, 1], "y": [1, -1, 1, 0, 0], "neg_label": -1}, "nothing to compare"),
        ({"fold": [0, 0, 1]}, "same length"),
        ({"fold": [0, 0, None, 0, 0]}, "fold has no value in row 3"),
        ({"statistic": []}, "must be a name"),
        ({"statistic": 3}, "must be a name"),
        ({"statistic": "pulp"}, "depends on how many rows are labelled"),
        ({"statistic": "nonsense"}, "There is no statistic"),
        ({"statistic": "recall"}, "pass threshold"),
        ({"statistic": ["roc_auc", "roc_auc"]}, "twice"),
        ({"threshold": 2.0}, "None of these statistics takes a threshold"),
        ({"beta": 2.0}, "not an option of any statistic"),
        ({"score": {}}, "is empty"),
        ({"score": [1, 2, np.nan, 3, 4]}, "NaN"),
        ({"scenario": "both"}, "unknown"),
        ({"average": "mean"}, "Choose one of"),
        ({"groups": [1, 1, 1, 1, 1]}, "All rows belong to one group"),
        ({"statistic": "brier_score", "score": [5, 4, 3, 2, 1]}, "probabilities"),
        ({"prior": 2.0}, "not a share"),
    ],
)  # fmt: skip
def test_mistakes_get_a_sentence(change, sentence):
    known = {
        "y": [1, 1, 0, 0, 0], "score": [5, 4, 3, 2, 1], "fold": [0, 1, 0, 1, 1], "scenario": "case_control",
        "prior": 0.3, **change,
    }  # fmt: skip
    y, score = known.pop("y"), known.pop("score")
    if sentence is None:
        assert pm.cross_evaluate(y, score, **known)["roc_auc"].value >= 0
        return
    with pytest.raises(pm.PuremetricsError, match=sentence):
        pm.cross_evaluate(y, score, **known)


def test_results_can_be_read():
    y, score, fold, _ = many()
    found = pm.cross_evaluate(
        y, {"a": score, "b": score}, fold=fold, scenario="case_control", prior=0.3,
        statistic=["roc_auc", "recall"], threshold=0.4, groups=np.arange(300) // 3,
    )  # fmt: skip
    text = str(found)
    assert text.startswith("5 folds of 300 rows")
    assert "a: ROC AUC" in text
    assert "rows belong to 100 groups" in text
    frame = found.frame()
    assert frame["model"].tolist() == ["a", "a", "b", "b"]
    assert frame["value"][0] == found.estimates["a"]["roc_auc"].value
    folds = found.fold_frame()
    assert len(folds["value"]) == 20
    assert folds["value"][:5].tolist() == found.by_fold["a"]["roc_auc"].tolist()
    assert json.loads(json.dumps(found.to_dict()))["folds"] == [0, 1, 2, 3, 4]
    with pytest.raises(InputError, match="2 models"):
        found["roc_auc"]
    one = pm.cross_evaluate(y, score, fold=fold, scenario="case_control", prior=0.3)
    with pytest.raises(InputError, match="was not requested"):
        one["recall"]
    assert one == pm.cross_evaluate(y, score, fold=fold, scenario="case_control", prior=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_intervals_cover_in_small_folds(scenario):
    """Eight labels a fold, a fixed model: the mean over folds is the truth of the population."""
    from tests.programs import load

    program = load("simulate_folds")
    world = program.GroupWorld(200, 1, 0.0, 0.2, scenario)
    held = program.fold_coverage(world, 5, 150, None, 3)
    assert all(share > 0.95 - 3 * np.sqrt(0.05 * 0.95 / 150) for share, _ in held.values()), held
