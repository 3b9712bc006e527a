"""The report in a real browser: how many rows are checked, and what follows on all charts."""

import re

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.evaluation import evaluate
from puremetrics.report import render
from tests.browser.reports import check, drive, read, wait_until_said

PLACES = """() => ['roc', 'pr', 'found'].map((id) => [...document.querySelectorAll(`#${id} path.mark.m0`)]
  .map((n) => n.getAttribute('d')).join())"""
LINE = "() => document.querySelector('#found path.cross').getAttribute('d')"


def sentence(page, index=0):
    return page.locator(f".finding[data-model='{index}'] p").inner_text().replace(",", "")


def told(evaluation, name, rows):
    """The sentence of the library, at a point of its curve or between two."""
    return evaluation.models[name].discovery.words(rows)


def test_moving_the_rows_checked_moves_sentence_and_charts(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    names = list(evaluation.models)
    assert [sentence(page, i) for i in (0, 1)] == [told(evaluation, n, 100) for n in names]
    before, line = page.evaluate(PLACES), page.evaluate(LINE)
    for text in ("317", "1500", "7.5"):
        page.fill("#checked-number", text)
        page.press("#checked-number", "Enter")
        assert [sentence(page, i) for i in (0, 1)] == [
            told(evaluation, name, float(text)) for name in names
        ]
        after = page.evaluate(PLACES)
        assert all(a and b and a != b for a, b in zip(before, after, strict=True))
        check(evaluation, [read(page)])
        before = after
    assert page.evaluate(LINE) != line
    page.click("#reset")
    assert read(page)["checked"] == "100"
    assert page.locator("#reset").is_disabled()
    wait_until_said(page, "Checking 100 rows would find: forest 100")


def test_other_sliders_move_the_discoveries(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    seen = drive(page, [{"checked": 0.7}, {"prior": 0.1}, {"purity": 0.6}])
    check(evaluation, seen)
    limits = [tuple(s["figures"][f"1.found{end}"] for end in ("", ".low", ".high")) for s in seen]
    assert len(set(limits)) == 3


def test_keyboard_and_typing(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    page.focus("#checked")
    seen = [float(read(page)["checked"])]
    for key in ("ArrowRight", "End", "Home", "ArrowRight"):
        page.keyboard.press(key)
        seen.append(float(read(page)["checked"]))
    total = evaluation.models["forest"].discovery.unlabeled
    assert seen[0] < seen[1] < total
    assert seen[2:] == [total, 1.0, 2.0]
    assert page.locator("#checked").get_attribute("aria-valuetext") == "2 rows"
    page.focus("#found svg.live")
    page.keyboard.press("PageUp")
    assert float(read(page)["checked"]) > 2
    assert "rows checked; forest finds" in page.locator("#found svg.live").get_attribute(
        "aria-valuetext"
    )
    for text, kept in (("0", 1.0), ("1e9", total), ("", total), ("250", 250.0)):
        page.fill("#checked-number", text)
        page.press("#checked-number", "Enter")
        assert float(read(page)["checked"]) == kept
    check(evaluation, [read(page)])


def test_dragging_on_the_chart_keeps_its_axes(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    chart = page.locator("#found svg.live")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    ticks = "() => [...document.querySelectorAll('#found .tick.mid')].map((n) => n.textContent)"
    before = page.evaluate(ticks)
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    assert "rows checked" in page.locator("#found .tip").inner_text()
    page.mouse.down()
    page.mouse.move(box["x"] + 0.97 * box["width"], box["y"] + 0.5 * box["height"])
    seen = read(page)
    assert page.evaluate(ticks) == before
    page.mouse.up()
    assert page.evaluate(ticks) != before
    assert 400 < float(seen["checked"]) <= 500
    check(evaluation, [read(page)])


def test_hidden_models_find_nothing(watched, demo):
    _, html = demo
    page = watched.open(html)
    page.uncheck("[data-show='0']")
    assert not page.locator(".finding[data-model='0']").is_visible()
    assert page.locator("#found path.curve.m0").count() == 0
    assert page.locator("#found path.curve.m1").count() > 0
    page.uncheck("[data-show='1']")
    page.focus("#checked")
    page.keyboard.press("ArrowRight")
    page.check("[data-show='0']")
    assert page.locator("#roc path.mark.m0").count() > 0


def test_in_print_and_without_a_script(watched, browser, demo, tmp_path):
    evaluation, html = demo
    page = watched.open(html)
    drive(page, [{"checked": 1.0}])
    page.emulate_media(media="print")
    assert page.locator("#found svg.live").is_visible()
    assert not page.locator("#checked").is_visible()
    assert "; 4,049 unlabeled rows checked." in page.locator(".printed").inner_text()
    context = browser.new_context(java_script_enabled=False)
    still = context.new_page()
    file = tmp_path / "still.html"
    file.write_text(html, encoding="utf-8")
    still.goto(file.as_uri())
    assert sentence(still, 1) == told(evaluation, "words", 100)
    assert still.locator("#found svg.static path.curve").count() == 2
    assert still.locator("#found svg.static path.band").count() == 2
    assert not still.locator("#checked").is_visible()
    context.close()


def grouped_tables(scenario):
    rng = np.random.default_rng(3)
    label = np.repeat([1, 0], [60, 500])
    group = rng.integers(0, 120, label.size)
    positive = (label == 1) | (rng.random(label.size) < 0.3)
    score = rng.normal(1.5 * positive, 1) + rng.normal(0, 0.7, 120)[group]
    return pm.ScoreTable.from_arrays(label, score, scenario=scenario, groups=group)


@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
def test_groups_and_a_range_of_the_prior(watched, scenario):
    table = grouped_tables(scenario)
    low = table.design.prior_limits(table.totals)[0]
    evaluation = evaluate(table, prior=(low + 0.12, low + 0.3), top=40)
    page = watched.open(render(evaluation))
    assert sentence(page) == evaluation.models["model"].discoveries
    for seen in drive(page, [{}, {"checked": 0.6}, {"purity": 0.7}]):
        checked = float(seen["checked"])
        home = float(seen["prior"]), float(seen["purity"])
        known = evaluation.prior
        moved = home != (known.value, known.purity)
        prior = home[0] if moved else (known.low, known.high)
        curve = pm.discovery_curve(table, prior=prior, purity=home[1], rows=40)
        found = curve.at(checked)
        wanted = (found.value, *found.interval)
        shown = [float(seen["figures"][f"0.found{end}"]) for end in ("", ".low", ".high")]
        assert shown == pytest.approx(wanted, abs=1e-9)


def test_a_prior_that_is_not_known_well_enough_gives_a_range(watched):
    rng = np.random.default_rng(5)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1.5, 1, 150), unlabeled=rng.normal(1.5 * (rng.random(800) < 0.4), 1),
        scenario="case_control",
    )  # fmt: skip
    evaluation = evaluate(table)
    assert evaluation.trust.level == "upper_bound"
    page = watched.open(render(evaluation))
    assert re.search(r"would find \d+ to \d+ positives\.$", sentence(page))
    drive(page, [{"prior": 0.2}])
    assert re.search(r"would find \d+ positives \(\d+ to \d+\)\.$", sentence(page))
