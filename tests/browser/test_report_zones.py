"""What the data rule out: zones on the sliders, and figures that are greyed inside them."""

import re

import pytest

import puremetrics as pm
from puremetrics.evaluation import evaluate
from puremetrics.report import render
from tests.browser.reports import drive, read
from tests.javascript.cases import CASES

CONTRADICTED = "The data contradict this"


def zones(page, key):
    """Ends of the shaded positions of a slider."""
    drawn = page.locator(f"#{key}-zones rect").all()
    return [tuple(float(v) for v in rect.get_attribute("data-zone").split()) for rect in drawn]


def type_in(page, key, value):
    page.fill(f"#{key}-number", str(value))
    page.press(f"#{key}-number", "Enter")


def level_of(evaluation, prior, purity):
    bias = evaluation.label_bias
    tables = {name: model.table for name, model in evaluation.models.items()}
    return evaluate(tables, prior=prior, purity=purity, label_bias=bias).trust.level


def test_the_zone_of_the_prior_is_what_the_library_contradicts(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    ((low, high),) = zones(page, "prior")
    assert low == pytest.approx(evaluation.largest_prior, abs=0.005)
    assert low >= evaluation.largest_prior
    assert high > 0.97
    assert level_of(evaluation, low, 1.0) == "contradicted"
    assert level_of(evaluation, low - 0.005, 1.0) == "known"
    assert f"above {evaluation.largest_prior:.4g}" in page.locator("#prior-zone").inner_text()


def test_the_zone_of_the_prior_moves_with_the_purity(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    first = zones(page, "prior")[0][0]
    type_in(page, "purity", 0.96)
    second = zones(page, "prior")[0][0]
    assert second == pytest.approx(0.96 * first, abs=0.006)
    assert level_of(evaluation, second, 0.96) == "contradicted"


def test_zones_know_the_label_bias_that_was_evaluated(watched, demo):
    tables, given, options = CASES["the demo"]()
    evaluation = evaluate(tables, **given, **options, label_bias=3)
    page = watched.open(demo[1])
    random = zones(page, "prior")[0][0]
    page = watched.open(render(evaluation))
    low = zones(page, "prior")[0][0]
    assert low > random + 0.05
    assert level_of(evaluation, low, 1.0) == "contradicted"
    assert level_of(evaluation, low - 0.005, 1.0) == "known"
    type_in(page, "prior", low)
    assert "at purity 1 and label bias 3" in page.locator("#against").inner_text()


def test_the_zone_of_the_purity_moves_with_the_prior(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    ((low, high),) = zones(page, "purity")
    assert low < 0.6
    assert level_of(evaluation, evaluation.prior.value, high) == "contradicted"
    assert level_of(evaluation, evaluation.prior.value, high + 0.005) == "known"
    type_in(page, "prior", 0.43)
    assert zones(page, "purity")[0][1] > high
    type_in(page, "prior", 0.2)
    assert zones(page, "purity")[0][1] < high


def test_inside_a_zone_figures_are_grey_and_possible(watched, demo):
    _, html = demo
    page = watched.open(html)
    assert not page.locator("#against").is_visible()
    for key, value, against in (
        ("purity", 0.7, "a prior of 0.394 is above 0.3084"),
        ("prior", 0.6, "a prior of 0.6"),
    ):
        type_in(page, key, value)
        assert page.locator("#against").inner_text().startswith(CONTRADICTED)
        assert against in page.locator("#against").inner_text()
        assert CONTRADICTED in page.locator("#state").inner_text()
        style = "n => getComputedStyle(n).fontStyle"
        assert page.locator("#overview .value b").first.evaluate(style) == "italic"
        told = page.locator("#roc svg.live").get_attribute("aria-valuetext")
        numbers = [float(n) for n in re.findall(r"(?:recall|rate|precision) (−?\d\.\d+)", told)]
        assert len(numbers) == 3
        assert all(0 <= n <= 1 for n in numbers)
        shown = read(page)["figures"]
        for path, text in shown.items():
            if path.split(".")[1] in ("roc_auc", "average_precision", "f1", "precision", "recall"):
                assert 0 <= float(text) <= 1
        page.click("#reset")
        assert not page.locator("#against").is_visible()
    type_in(page, "prior", 0.06)
    assert float(read(page)["prior"]) >= 552 / 4601 - 1e-9  # fewer positives than are labelled


def test_a_purity_that_the_labels_contradict(watched):
    tables, given, options = CASES["noisy labels, case-control"]()
    evaluation = evaluate(tables, **given, **options)
    page = watched.open(render(evaluation))
    found = zones(page, "purity")
    low = found[0][0] if found else 0.5
    type_in(page, "prior", 0.01)
    type_in(page, "purity", low)
    seen = read(page)
    level = level_of(evaluation, float(seen["prior"]), float(seen["purity"]))
    assert (level == "contradicted") == page.locator("#against").is_visible()


@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
def test_weighted_rows_have_no_zone_of_the_prior_but_the_counts(watched, scenario):
    words = {"case_control": "case-control", "single_training_set": "one sample"}[scenario]
    tables, given, options = CASES[f"weights, {words}"]()
    page = watched.open(render(evaluate(tables, **given, **options)))
    drive(page, [{"prior": 0.9}])
    assert "a prior of" not in page.locator("#state").inner_text()


def test_an_evaluated_range_is_never_inside_a_zone(watched):
    tables, given, options = CASES["the demo, range of the prior"]()
    evaluation = evaluate(tables, **given, **options)
    page = watched.open(render(evaluation))
    assert not page.locator("#against").is_visible()
    assert pm.__version__ in page.content()
