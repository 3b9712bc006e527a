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
    assert "estimated from the scores of 'forest'" in result.prior_source
    assert not result.prior.is_point
    assert result.models["forest"].corrected["roc_auc"].interval.kind == "combined"


def test_outputs_are_plain_and_repeatable(demo, result):
    content = json.loads(result.to_json())
    assert content["schema_version"] == 1
    assert content["models"]["forest"]["corrected"]["roc_auc"]["prior"] == 0.394
    assert pm.evaluate(demo, prior=0.394).to_json() == result.to_json()
    frame = result.to_frame()
    assert len({len(column) for column in frame.values()}) == 1
    assert set(frame["model"]) == {"forest", "words"}
    page = str(result)
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
    from .test_sensitivity import figure_4

    result = pm.evaluate(figure_4(), prior=(0.11, 0.19))
    assert "PM502" in {d.code for d in result.diagnostics}
