"""The section about labels that are not a random sample: the library's numbers, without a script."""

import re

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.evaluation import evaluate
from puremetrics.evaluation.biased import HEADLINES, bias_curves
from puremetrics.report import notebook, render
from puremetrics.report.words import tipping_words
from tests.report.test_report import data_of, parsed

TABLE = pm.ScoreTable.from_groups(
    positive=np.arange(40, 80) / 100, unlabeled=np.arange(60) / 100, scenario="case_control"
)


@pytest.fixture(scope="module")
def evaluation():
    return evaluate({"one": TABLE, "other": TABLE.flipped().flipped()}, prior=0.2)


def section(page):
    """The section without its tags, and as it is."""
    found = re.search(r'<section id="biased-section".*?</section>', page, re.S)
    return "" if found is None else found[0]


def test_numbers_are_the_librarys(evaluation):
    content = data_of(render(evaluation))
    for shown, model in zip(content["models"], evaluation.models.values(), strict=True):
        assert list(shown["biased"]) == list(HEADLINES)
        for key, curve in shown["biased"].items():
            at = None if key in ("roc_auc", "average_precision") else curve["threshold"]
            wanted = pm.label_bias_sensitivity(
                model.table, key, ratios=curve["label_bias"], prior=0.2, threshold=at
            )
            assert (curve["label_bias"][0], curve["label_bias"][-1]) == (1.0, 5.0)
            assert curve["value"] == pytest.approx(wanted.value, abs=1e-12)
            for name in ("low", "high", "bias_low", "bias_high"):
                assert curve[name] == pytest.approx(getattr(wanted, name), abs=1e-12)


def test_at_random_the_areas_are_those_of_the_figures(evaluation):
    for model in evaluation.models.values():
        for key in ("roc_auc", "average_precision"):
            curve, told = bias_curves(model)[key], model.corrected[key]
            assert (curve.value, curve.low[0], curve.high[0]) == (told.value, *told.interval)


def test_intervals_and_tipping_points_are_told_without_a_script(evaluation):
    page = render(evaluation)
    text = " ".join(parsed(section(page)).text)
    assert "If labels are not a random sample" in text
    for i, model in enumerate(evaluation.models.values()):
        curves = bias_curves(model)
        for curve in curves.values():
            for n in np.flatnonzero(np.isin(curve.label_bias, (1.0, 2.0, 5.0))):
                assert f"{curve.low[n]:.3f} to {curve.high[n]:.3f}" in text
        assert model.tipping
        for told in tipping_words(model).values():
            assert told in text
        drawn = [key for key, p in model.tipping.items() if 1 < p.low <= 5]
        article = section(page).split("<article")[i + 1]
        assert len(re.findall('class="holds', article)) == len(drawn) > 0
        assert len(re.findall("<svg", article)) == len(HEADLINES)
        first = next(iter(model.tipping.values()))
        assert first.words in notebook(evaluation)


def test_a_tipping_point_lies_on_the_lower_limit(evaluation):
    for model in evaluation.models.values():
        for key, point in model.tipping.items():
            curve = bias_curves(model)[key]
            assert point.low in curve.label_bias
            low = curve.low[np.flatnonzero(curve.label_bias == point.low)]
            assert low == pytest.approx(point.target, abs=1e-4)


def test_a_larger_evaluated_bias_is_shown_and_marked():
    evaluation = evaluate(TABLE, prior=0.2, threshold=0.5, label_bias=8, label_bias_side="high")
    page = render(evaluation)
    curve = data_of(page)["models"][0]["biased"]["roc_auc"]
    told = evaluation.models["model"].corrected["roc_auc"]
    assert curve["label_bias"][-1] == 8.0
    assert (curve["low"][-1], curve["high"][-1]) == pytest.approx(tuple(told.interval))
    assert len(re.findall('<path class="assumed', section(page))) == len(HEADLINES) + 1  # the key
    assert "evaluated: 8" in section(page)


def test_of_many_models_the_area_is_told():
    tables = {f"model {i}": TABLE for i in range(5)}
    page = render(evaluate(tables, prior=0.2))
    parsed(page)
    assert [list(m["biased"]) for m in data_of(page)["models"]] == [["roc_auc"]] * 5
    assert len(re.findall('role="img"', section(page))) == 5
    assert len(re.findall("<li>.*?ROC AUC could fall below", section(page))) == 5


def test_what_was_checked_has_no_such_section(evaluation):
    rng = np.random.default_rng(0)
    truth = rng.random(600) < 0.4
    label = (truth & (rng.random(600) < 0.5)).astype(int)
    score = (truth + rng.normal(size=600)).round(2)
    table = pm.ScoreTable.from_arrays(label, score, scenario="single_training_set")
    rows = rng.choice(np.flatnonzero(label == 0), 80, replace=False)
    audit = pm.Audit.from_arrays(score[rows], truth[rows])
    audited = evaluate(table, audit=audit)
    (model,) = audited.models.values()
    assert model.if_random
    assert bias_curves(model) == {}
    assert section(render(audited)) == ""


def test_what_is_contradicted_or_labelled_throughout_has_none_either():
    against = evaluate(TABLE, prior=0.97)
    assert all(bias_curves(model) == {} for model in against.models.values())
    labelled = pm.ScoreTable.from_groups(
        positive=[5, 4, 4, 2], unlabeled=None, negative=[4, 3, 1, 0, 0],
        scenario="single_training_set",
    )  # fmt: skip
    assert section(render(evaluate(labelled, threshold=3))) == ""


def test_what_cannot_be_computed_is_left_out():
    evaluation = evaluate(TABLE.cut(), prior=0.2, threshold=0.5)  # biased rates need all rows
    (model,) = evaluation.models.values()
    assert "precision" in model.corrected
    assert list(bias_curves(model)) == ["roc_auc", "average_precision"]
    assert len(re.findall('role="img"', section(render(evaluation)))) == 2


def test_the_legend_names_what_the_interval_allows_for(evaluation):
    assert "with sampling error: 95" in section(render(evaluation))
    ranged = render(evaluate(TABLE, prior=(0.15, 0.25), threshold=0.5))
    assert "with sampling error and the range of the prior" in section(ranged)
