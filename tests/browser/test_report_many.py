"""Many models and many segments: one chart each, pages that stay small and answer."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.evaluation import evaluate
from puremetrics.report import render
from puremetrics.tables.segments import Segments
from tests.browser.reports import check, drive, read

MODELS = 7


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(3)
    truth = rng.random(900) < 0.3
    label = (truth & (rng.random(900) < 0.5)).astype(int)
    tables = {
        f"model {i}": pm.ScoreTable.from_arrays(
            label,
            (1 / (1 + np.exp(-(1.0 + 0.4 * i) * truth - rng.normal(size=900)))).round(4),
            scenario="single_training_set",
        )
        for i in range(MODELS)
    }
    evaluation = evaluate(tables, prior=0.27)
    return evaluation, render(evaluation)


def rows(page):
    return [int(row.get_attribute("data-model")) for row in page.locator("#league tr").all()]


def by_area(page):
    figures = read(page)["figures"]
    return sorted(range(MODELS), key=lambda i: -float(figures[f"{i}.roc_auc"]))


def test_more_than_three_models_share_one_sorted_chart(watched, many):
    evaluation, html = many
    page = watched.open(html)
    assert page.locator("article.card .figures").count() == 0
    assert rows(page) == by_area(page)
    assert page.locator("#league svg .dot").count() == MODELS
    for seen in drive(page, [{"prior": 0.02}, {"prior": 0.1}]):
        check(evaluation, [seen], active=int(page.locator("#active").input_value()))
        assert rows(page) == by_area(page)
    best = max(
        range(MODELS), key=lambda i: list(evaluation.models.values())[i].corrected["roc_auc"].value
    )
    assert int(page.locator("#active").input_value()) == best
    dots = [
        float(page.locator(f"[data-league='{i}'] .dot").get_attribute("cx")) for i in rows(page)
    ]
    assert dots == sorted(dots, reverse=True)
    page.locator(".status summary").click()
    page.uncheck("[data-show='2']")
    assert not page.locator("#league tr[data-model='2']").is_visible()


# Moves the prior as soon as the page listens, which is before it has drawn the models.
AT_ONCE = """
const ask = () => {
  if (!document.querySelector('.scripted')) { setTimeout(ask, 1); return; }
  const slider = document.getElementById('prior');
  window.__drawn = document.documentElement.classList.contains('drawn');
  slider.value = Math.round(0.2 * Number(slider.max));
  slider.dispatchEvent(new Event('input', { bubbles: true }));
};
ask();
"""


def test_a_slider_moved_before_all_is_drawn_counts(watched, many):
    evaluation, html = many
    watched.page.add_init_script(AT_ONCE)
    page = watched.open(html)
    page.wait_for_function("() => window.__drawn !== undefined")
    seen = read(page)
    assert float(seen["prior"]) != pytest.approx(0.27)
    check(evaluation, [seen], active=int(page.locator("#active").input_value()))
    assert not page.evaluate("() => window.__drawn")


def test_the_chart_stands_without_a_script(browser, many, tmp_path):
    evaluation, html = many
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    file = tmp_path / "page.html"
    file.write_text(html, encoding="utf-8")
    page.goto(file.as_uri())
    values = [m.corrected["roc_auc"].value for m in evaluation.models.values()]
    assert rows(page) == sorted(range(MODELS), key=lambda i: -values[i])
    assert page.locator("#league svg .dot").count() == MODELS
    text = page.locator("#league").inner_text()
    assert all(f"{value:.3f}" in text for value in values)
    context.close()


def segments(keys, seed=5):
    rng = np.random.default_rng(seed)
    tables = {
        key: pm.ScoreTable.from_groups(
            positive=rng.normal(1.5, 1, 40).round(2),
            unlabeled=rng.normal(1.5 * (rng.random(150) < 0.2), 1).round(2),
            scenario="case_control",
        )
        for key in keys
    }  # fmt: skip
    total = None
    for table in tables.values():
        total = table if total is None else total.merge(table)
    return Segments("month", tables, total, {})


def test_segments_of_all_models_share_an_axis_of_time(watched):
    keys = ["2024-01", "2024-02", "2024-03", "2024-09"]
    named = {"one": segments(keys), "other": segments(keys, 6)}
    page = watched.open(render(evaluate(named, prior=0.2)))
    charts = page.locator("#drift svg.segments")
    assert charts.count() == 1  # the prior is the same everywhere
    assert charts.first.locator("path.band").count() == 2
    places = [float(n.get_attribute("cx")) for n in charts.first.locator("circle.m0").all()]
    steps = np.diff(places)
    assert steps[2] > 4 * steps[0]  # half a year against a month
    assert not page.locator("#drift table").first.is_visible()
    page.locator("#drift summary").click()
    assert page.locator("#drift table").count() == 2


def test_segments_without_dates_are_bars(watched):
    page = watched.open(render(evaluate(segments(["north", "south", "west"]))))
    assert page.locator("#drift path.band").count() == 0
    assert page.locator("#drift svg.segments").first.locator("path.bars").count() == 1
    assert page.locator("#drift svg.segments").first.locator("circle").count() == 3
    assert page.locator("#drift svg.segments").count() == 2


@pytest.mark.slow
def test_two_hundred_segments_are_small(watched):
    days = np.arange("2024-01-01", "2024-07-19", dtype="datetime64[D]").astype(str).tolist()
    html = render(evaluate(segments(days), prior=0.2))
    assert len(days) == 200
    assert len(html.encode()) < 1_500_000
    page = watched.open(html)
    assert page.locator("#drift svg.segments").first.locator("path.curve").count() == 1
    drive(page, [{"prior": 0.3}])
    assert read(page)["prior"]


@pytest.mark.slow
def test_twenty_models_are_small(watched):
    rng = np.random.default_rng(0)
    truth = rng.random(6000) < 0.3
    label = (truth & (rng.random(6000) < 0.5)).astype(int)
    tables = {
        f"m{i}": pm.ScoreTable.from_arrays(
            label, (0.6 + 0.12 * i) * truth + rng.normal(size=6000), scenario="single_training_set"
        )
        for i in range(20)
    }
    html = render(evaluate(tables, prior=0.3))
    assert len(html.encode()) < 1_500_000
    page = watched.open(html)
    before = read(page)["figures"]["0.roc_auc"]
    (after,) = drive(page, [{"prior": 0.2}])
    assert after["figures"]["0.roc_auc"] != before
