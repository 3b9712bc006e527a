import json

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError


@pytest.fixture(scope="module")
def demo():
    data = pm.load_demo()
    return {
        name: pm.ScoreTable.from_arrays(
            data["reported"], data[name], scenario="single_training_set"
        )
        for name in ("forest", "words")
    }


@pytest.fixture(scope="module")
def result(demo):
    return pm.evaluate(demo, prior=0.394)


def test_it_holds_what_the_parts_say(demo, result):
    model = result.models["forest"]
    assert model.corrected["roc_auc"] == pm.roc_auc(demo["forest"], prior=0.394)
    assert model.bounds["average_precision"] == pm.average_precision_bounds(
        demo["forest"], prior=0.394
    )
    assert model.naive["roc_auc"].value == pytest.approx(pm.naive_auc(demo["forest"]).value)
    assert model.prior_free["pulp"].value == pm.pulp(demo["forest"]).value
    assert model.calibration.error == pm.calibration_error(demo["forest"], prior=0.394).error
    assert result.ranking.dominant == "forest"
    assert result.prior.is_point


def test_the_demo_truth_lies_in_the_intervals(result):
    data = pm.load_demo()
    for name, model in result.models.items():
        full = pm.ScoreTable.from_arrays(data["spam"], data[name], scenario="single_training_set")
        truth = pm.roc_auc(full.unlabeled_as_negative(), prior=None).value
        assert truth in model.corrected["roc_auc"].interval
        assert truth in model.bounds["roc_auc"]


def test_shares_of_the_width_add_up(demo):
    wide = pm.evaluate(demo["words"], prior=(0.3, 0.45)).models["model"].narrowing
    assert wide.due_to_positives + wide.due_to_others + wide.due_to_prior == pytest.approx(1)
    assert wide.due_to_prior > 0.3
    assert wide.twice_the_labels < wide.width
    assert wide.audits[1000] < wide.audits[200] <= wide.width
    known = pm.evaluate(demo["words"], prior=0.394).models["model"].narrowing
    assert known.due_to_prior == 0
    assert known.audits == {}


def test_without_a_prior_it_is_estimated(demo):
    result = pm.evaluate(demo)
    assert result.prior_source == "estimated from the scores of 2 models"
    assert not result.prior.is_point
    assert result.models["forest"].corrected["roc_auc"].interval.kind == "combined"


def test_outputs_are_plain_and_repeatable(demo, result):
    content = json.loads(result.to_json())
    assert content["schema_version"] == 1
    assert content["models"]["forest"]["corrected"]["roc_auc"]["prior"] == 0.394
    assert pm.evaluate(demo, prior=0.394).to_json() == result.to_json()
    frame = result.frame()
    assert len({len(column) for column in frame.values()}) == 1
    assert set(frame["model"]) == {"forest", "words"}
    made = result.to_frame()
    assert list(made.columns) == list(frame)
    assert len(made) == len(frame["model"])
    page = result.details()
    for word in ("naive", "corrected", "bounds", "twice the labels", "PULP", "best by roc_auc"):
        assert word in page


def test_any_kind_of_table(demo):
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.3
    logits = rng.normal(size=300) * 3 + 2 * y
    plain = pm.evaluate(pm.ScoreTable.from_arrays(y, logits, scenario="case_control"), prior=0.2)
    assert plain.models["model"].calibration is None
    weighted = pm.ScoreTable.from_arrays(
        y, logits, sample_weight=rng.random(300) + 0.5, scenario="case_control"
    )
    model = pm.evaluate(weighted, prior=0.2, threshold=1.0).models["model"]
    assert model.bounds == {}
    assert model.prior_free == {}
    full = pm.evaluate(plain.models["model"].table.unlabeled_as_negative())
    assert full.prior_source == "labels"
    noisy = pm.evaluate(plain.models["model"].table, prior=0.1, purity=0.9)
    assert noisy.models["model"].bounds == {}
    json.loads(noisy.to_json())


def test_warnings_about_the_prior(demo):
    table = demo["forest"]
    high = pm.evaluate(table, prior=0.6)
    assert "PM503" in {d.code for d in high.diagnostics}
    other = pm.ScoreTable.from_groups(positive=[1], unlabeled=[0], scenario="case_control")
    with pytest.raises(InputError, match="same rows"):
        pm.evaluate({"a": table, "b": other}, prior=0.4)


def test_models_that_swap_inside_the_range_are_named():
    from tests.comparing.figures import figure_4

    result = pm.evaluate(figure_4(), prior=(0.11, 0.19))
    assert "PM502" in {d.code for d in result.diagnostics}


def test_the_confusion_matrix_has_the_bounds_of_each_count(demo):
    table = demo["forest"]
    for options in ({}, {"threshold": 0.2}):
        model = pm.evaluate(table, prior=0.394, **options).models["model"]
        matrix = model.confusion
        assert matrix.threshold == model.corrected["precision"].threshold
        assert matrix.tp + matrix.fn == pytest.approx(0.394 * table.total)
        fixed = pm.metric(table, "precision", threshold=matrix.threshold, prior=0.394)
        assert matrix.tp / (matrix.tp + matrix.fp) == pytest.approx(fixed.value)
        for place, name in enumerate(("tp", "fp", "fn", "tn")):
            alone = pm.metric_bounds(
                table,
                lambda *entries, place=place: entries[place],
                threshold=matrix.threshold,
                prior=0.394,
            )
            assert tuple(matrix.bounds[name]) == tuple(alone)
            assert alone.low <= getattr(matrix, name) <= alone.high
        recall = pm.metric_bounds(table, "recall", threshold=matrix.threshold, prior=0.394)
        assert tuple(model.bounds["recall"]) == tuple(recall)
    noisy = pm.evaluate(table, prior=0.3, purity=0.9, threshold=0.2).models["model"]
    assert noisy.confusion.bounds == {}


def codes(table, **options):
    return {remark.code for remark in pm.evaluate(table, **options).models["model"].diagnostics}


def test_scores_that_are_tied_or_no_probabilities_are_said():
    rng = np.random.default_rng(0)
    fine = {"positive": rng.normal(2, 1, 200), "unlabeled": rng.normal(0, 1, 2000)}
    table = pm.ScoreTable.from_groups(**fine, scenario="case_control")
    assert "PM504" in codes(table, prior=0.1)
    assert "PM505" not in codes(table, prior=0.1)
    rounded = {name: np.round(scores) for name, scores in fine.items()}
    assert "PM505" in codes(
        pm.ScoreTable.from_groups(**rounded, scenario="case_control"), prior=0.1
    )
    shares = {name: 1 / (1 + np.exp(-scores)) for name, scores in fine.items()}
    assert "PM504" not in codes(
        pm.ScoreTable.from_groups(**shares, scenario="case_control"), prior=0.1
    )


def test_labels_that_look_biased_are_said_only_of_a_given_prior():
    rng = np.random.default_rng(1)
    hidden = rng.normal(2, 1, 3000)
    labelled = hidden[
        rng.random(3000) < 1 / (1 + np.exp(6 - 2 * hidden))
    ]  # high scores are favoured
    unlabeled = np.concatenate([rng.normal(0, 1, 7000), rng.normal(2, 1, 3000)])
    table = pm.ScoreTable.from_groups(
        positive=labelled, unlabeled=unlabeled, scenario="case_control"
    )
    assert "PM510" in codes(table, prior=0.3)
    assert "PM510" not in codes(table)
    fair = pm.ScoreTable.from_groups(
        positive=hidden[:500], unlabeled=unlabeled, scenario="case_control"
    )
    assert "PM510" not in codes(fair, prior=0.3)
