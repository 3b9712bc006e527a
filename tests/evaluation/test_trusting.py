"""How far an evaluation can be trusted, and what is shown at each level."""

import json

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.report import render


def table_of(gap, seed=0, labelled=300, rows=4000, prior=0.2, scenario="case_control"):
    rng = np.random.default_rng(seed)
    positive = rng.random(rows) < prior
    return pm.ScoreTable.from_groups(
        positive=rng.normal(gap, 1, labelled),
        unlabeled=rng.normal(gap * positive, 1),
        scenario=scenario,
    )


@pytest.fixture(scope="module")
def overlapping():
    return pm.evaluate(table_of(1.2))


def test_a_given_or_counted_prior_is_known():
    assert pm.evaluate(table_of(1.2), prior=0.2).trust.level == "known"
    full = table_of(2.0).unlabeled_as_negative()
    assert pm.evaluate(full).trust.level == "known"
    audit = pm.prior_from_audit(400, 80, table=table_of(1.2))
    assert pm.evaluate(table_of(1.2), prior=audit).trust.level == "audited"


@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
@pytest.mark.parametrize("labelled", [30, 100, 1000])
def test_noise_and_backwards_scores_have_no_figures(scenario, labelled):
    for gap, word in ((0.0, "chance"), (-2.0, "reversed")):
        result = pm.evaluate(table_of(gap, labelled, labelled, scenario=scenario))
        assert result.trust.level == "contradicted"
        assert word in result.trust.reason
        assert "corrected" not in str(result)
        page = render(result)
        assert "No figures are given" in page
        assert "data-fig" not in page
        assert result.to_dict()["trust"]["level"] == "contradicted"


def test_a_prior_above_what_the_data_allow_is_contradicted():
    table = table_of(2.5)
    limit = pm.largest_prior(table).prior
    result = pm.evaluate(table, prior=0.6)
    assert result.trust.level == "contradicted"
    assert f"{limit:.4g}" in result.trust.reason
    assert "PM503" in {remark.code for remark in result.diagnostics}


def test_a_purity_below_what_the_data_allow_is_contradicted():
    table = table_of(4.0)
    assert pm.evaluate(table, prior=0.1, purity=0.995).trust.level == "known"
    result = pm.evaluate(table, prior=0.05, purity=0.3)
    assert result.trust.level == "contradicted"
    assert "purity of 0.3" in result.trust.reason


def test_rows_that_the_model_was_trained_on():
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_groups(
        positive=rng.uniform(0.9, 1.0, 100),
        unlabeled=np.append(rng.uniform(0, 0.9, 1000), 0.91),
        scenario="single_training_set",
    )
    result = pm.evaluate(table)
    assert result.trust.level == "contradicted"
    assert "trained" in result.trust.reason


def test_ranges_take_the_place_of_numbers(overlapping):
    model = overlapping.models["model"]
    assert overlapping.trust.level == model.trust.level == "upper_bound"
    assert "Checking" in overlapping.trust.settle
    text = overlapping.details()
    assert "\nThe classes overlap" in text
    assert "upper bound" not in text
    for estimate in model.corrected.values():
        assert f"{estimate.interval.low:.4f} to {estimate.interval.high:.4f}" in text
    assert f"{model.corrected['average_precision'].value:.4f}" not in text
    page = render(overlapping)
    assert 'class="point"' in page
    assert "<b>" + f"{model.corrected['roc_auc'].value:.3f}" not in page
    assert "Trust: low" in overlapping._repr_html_()
    assert "likely" in overlapping._repr_html_()


def test_three_statements_are_in_the_document(overlapping):
    found = json.loads(overlapping.to_json())
    prior, model = found["prior"], found["models"]["model"]
    assert prior["least"] == 0
    assert prior["low"] < prior["value"] < prior["separable"] < prior["largest"]
    assert prior["high"] <= prior["largest"]
    for key, span in model["certain"].items():
        assert span["low"] <= model["corrected"][key]["value"] <= span["high"] + 1e-9
    for key in ("tp", "fp", "fn", "tn"):
        span = model["confusion"]["likely"][key]
        assert 0 <= span["low"] <= model["confusion"][key] <= span["high"]


def test_models_share_one_prior_and_one_limit_in_any_order():
    tables = {"good": table_of(2.5), "poor": table_of(1.0, seed=1), "noise": table_of(0.0, seed=2)}
    one = pm.evaluate(tables)
    two = pm.evaluate(dict(reversed(tables.items())))
    assert one.largest_prior == two.largest_prior
    assert one.prior.value == two.prior.value
    assert "of 3 models" in one.prior_source
    level = 1 - 0.05 / 3
    assert one.largest_prior == min(
        pm.largest_prior(t, confidence_level=level).prior for t in tables.values()
    )
    assert one.prior.high <= one.largest_prior
    said = {model.trust.limit for model in one.models.values()} | {one.trust.limit}
    assert said <= {None, one.largest_prior}  # one limit, whichever model's estimate was taken
    assert [model.trust.level == "contradicted" for model in one.models.values()] == [
        False,
        False,
        True,
    ]
    page = render(one)
    assert "no better than chance" in page
    assert page.count('data-model="') >= 2
