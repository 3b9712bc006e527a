"""The report in a real browser: what its sliders show is what the library says.

A handful of positions, from input to text; the arithmetic itself is tested in `tests/javascript`.
"""

import pytest

from puremetrics.evaluation import evaluate
from puremetrics.report import payload as payload_module
from puremetrics.report import render
from tests.browser.reports import CLOSE, check, drive, read, some_moves, worst_difference
from tests.javascript.cases import CASES
from tests.javascript.vectors import METRICS, bounds_at, figures_at


def opened(watched, name):
    tables, given, options = CASES[name]()
    evaluation = evaluate(tables, **given, **options)
    return evaluation, watched.open(render(evaluation))


def test_two_models(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    check(evaluation, drive(page, some_moves(0, 4)))
    check(evaluation, drive(page, [{"active": "1", "stop": 0.4}]), active=1)


@pytest.mark.parametrize(
    "name",
    [
        "weights, negatives, noisy labels, one sample",
        "range of the prior, case-control",
        "buckets, one sample",
    ],
)
def test_one_model(watched, name):
    evaluation, page = opened(watched, name)
    check(evaluation, drive(page, some_moves(len(name), 1)))


def test_scores_that_are_no_probabilities(watched):
    evaluation, page = opened(watched, "scores beyond 0 and 1, case-control")
    assert page.locator("#calibration").count() == 0
    check(evaluation, drive(page, some_moves(3, 1)))


def test_fully_labelled_rows_have_nothing_to_slide(watched):
    evaluation, page = opened(watched, "every row labelled, one sample")
    assert page.locator("#prior").is_disabled()
    check(evaluation, drive(page, [{}, {"stop": 0.5}]))


def test_the_visible_text_is_the_figure(watched, demo):
    _, html = demo
    page = watched.open(html)
    for seen in drive(page, some_moves(5, 4)):
        for key, value in seen["figures"].items():
            text = seen["texts"][key].replace("−", "-").replace(",", "").replace("%", "")
            if text in ("–", "∞"):
                continue
            scale, unit = (100, 0.05) if key.endswith("%") else (1, 0.0005)
            if key.split(".")[-1] in ("tp", "fp", "fn", "tn"):
                unit = 0.5
            if ".found" in key:  # whole numbers: limits round inwards
                unit = 1.0 if key.endswith(("low", "high")) else 0.5
            assert abs(float(text) - scale * float(value)) <= unit * 1.0001, key


def test_bounds_at_the_evaluated_prior_and_hidden_elsewhere(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    home = evaluation.prior.value, evaluation.prior.purity
    for seen in drive(page, [{}, {"stop": 0.2}]):
        at = float(seen["figures"]["0.threshold"])
        for key, wanted in bounds_at(evaluation, 0, *home, at).items():
            low, high = map(float, seen["bounds"][f"0.{key}"])
            assert wanted[0] - 2e-3 <= low <= wanted[0] + 1e-9
            assert wanted[1] - 1e-9 <= high <= wanted[1] + 2e-3
    (moved,) = drive(page, [{"prior": 0.2}])
    assert all(bounds is None for bounds in moved["bounds"].values())
    assert not page.locator("#narrowing .cards").is_visible()
    assert "count as exactly known" in page.locator("#state").inner_text()
    page.click("#reset")
    assert page.locator("#narrowing .cards").is_visible()
    assert page.locator("#reset").is_disabled()


BIASED = ["noisy labels, case-control", "range of the prior, one sample", "the demo"]


@pytest.mark.parametrize("name", BIASED)
def test_labels_that_were_evaluated_as_biased(watched, name):
    """As evaluated with the bias; moved figures as of random labels, and the page says so."""
    tables, given, options = CASES[name]()
    evaluation = evaluate(tables, **given, **options, label_bias=1.7, label_bias_side="high")
    random = evaluate(tables, **given, **options)
    page = watched.open(render(evaluation))
    notes, said = page.locator("[data-moved]"), "Moved figures take labels as a random sample"
    applies = "the label bias of 1.7 applies to the figures as evaluated"
    home = read(page)
    check(evaluation, [home])
    first = next(iter(evaluation.models.values()))
    for key, found in first.corrected.items():
        shown = [float(home["figures"][f"0.{key}{end}"]) for end in (".low", ".high")]
        assert shown == pytest.approx(list(found.interval), abs=CLOSE)
    narrower = next(iter(random.models.values())).corrected["roc_auc"].interval
    assert float(home["figures"]["0.roc_auc.low"]) < narrower.low
    assert "labels may be biased up to 1.7" in page.locator("#state").inner_text()
    assert not notes.first.is_visible()
    page.emulate_media(media="print")
    assert "label bias up to 1.7" in page.locator(".printed").inner_text()
    page.emulate_media(media="screen")
    for move in ({"checked": 0.5}, {"stop": 0.0}, {"prior": 0.3, "purity": 0.9}):
        (seen,) = drive(page, [move])
        check(evaluation, [seen])
        moved = "checked" not in move
        text = page.locator("#state").inner_text()
        assert ((said in text) and (applies in text)) == (moved and "contradict" not in text)
        assert notes.first.is_visible() == moved
    assert said in notes.first.inner_text()
    page.click("#reset")
    check(evaluation, [read(page)])
    assert not notes.first.is_visible()


def test_random_labels_need_no_such_sentence(watched, demo):
    page = watched.open(demo[1])
    drive(page, [{"prior": 0.2, "stop": 0.3}])
    assert page.locator("[data-moved]").count() == 0
    assert "random sample" not in page.locator("#state").inner_text()


@pytest.mark.slow
def test_merged_rows_are_within_what_the_page_says(watched):
    evaluation, page = opened(watched, "rows in blocks, case-control")
    (model,) = payload_module.payload(evaluation, title="")["models"]
    assert 1e-9 < model["deviation"] < 0.01
    assert "in blocks" in page.locator("footer").inner_text()
    home, moved = drive(page, [{}, {"prior": 0.4, "stop": 0.4}])
    check(evaluation, [home])
    worst, where = worst_difference(evaluation, moved)
    assert worst < model["deviation"], where
    at = [float(moved[key]) for key in ("prior", "purity")]
    wanted = figures_at(evaluation, 0, *at, float(moved["figures"]["0.threshold"]))
    for key in ("hull", *METRICS):  # exact in any case
        shown = float(moved["figures"][f"0.{key}"])
        assert shown == pytest.approx(wanted[key], abs=CLOSE, nan_ok=True)
