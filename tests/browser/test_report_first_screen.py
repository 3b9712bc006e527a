"""The first screen on a desk and on a phone, on paper and without a script."""

import re
from datetime import UTC, datetime

import pytest

import puremetrics as pm
from puremetrics.evaluation import evaluate
from puremetrics.report import render
from tests.browser.reports import drive, install, read

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


def opened(watched, html, size):
    watched.page.set_viewport_size(size)
    return watched.open(html)


def below(page, selector):
    """Where the first of these ends on the first screen."""
    box = page.locator(selector).first.bounding_box()
    return box["y"] + box["height"]


def test_on_a_desk_verdict_figures_and_sliders_fit_on_the_first_screen(watched, demo):
    _, html = demo
    page = opened(watched, html, DESK)
    ends = [
        below(page, s) for s in (".verdict .answer", "[data-fig='0.roc_auc']", "[data-fig='1.f1']")
    ]
    ends += [below(page, s) for s in ("#prior", "#threshold")]
    assert max(ends) < 800
    assert below(page, "[data-fig='1.f1']") < page.locator("#prior").bounding_box()["y"]
    text = page.locator(".verdict").inner_text()
    assert "forest" in text
    assert "Trust:" in text
    assert "Next:" in text


def test_on_a_phone_a_bar_stands_for_the_sliders(watched, demo):
    evaluation, html = demo
    page = opened(watched, html, PHONE)
    assert below(page, ".verdict .answer") < 300
    assert below(page, ".verdict") < 844 - 48
    assert below(page, "[data-fig='0.roc_auc']") < 844 - 48
    assert not page.locator("#prior").is_visible()
    bar = page.locator("#deck-open")
    assert f"Prior {evaluation.prior.value:.4g}" in bar.inner_text()
    assert bar.bounding_box()["y"] + bar.bounding_box()["height"] == pytest.approx(844, abs=1)
    page.mouse.wheel(0, 3000)
    page.wait_for_timeout(100)
    assert bar.is_visible()
    bar.click()
    assert bar.get_attribute("aria-expanded") == "true"
    assert page.locator("#prior").is_visible()
    page.fill("#prior-number", "0.6")
    page.press("#prior-number", "Enter")
    assert "Prior 0.6" in bar.inner_text()
    assert "The data contradict this" in bar.inner_text()
    bar.click()
    assert not page.locator("#prior").is_visible()


def test_the_keyboard_alone_reaches_everything(watched, demo):
    _, html = demo
    page = opened(watched, html, DESK)
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate("() => document.activeElement.id || document.activeElement.className")
        )
    for name in (
        "skip",
        "theme",
        "show-bounds",
        "prior-number",
        "prior",
        "purity",
        "threshold",
    ):
        assert name in seen, name
    assert seen.index("show-bounds") < seen.index("prior")
    page.focus("#show-bounds")
    page.keyboard.press("Space")
    assert page.locator("#overview .bounds").first.is_visible()
    page.focus("#purity")
    page.keyboard.press("Home")
    assert page.locator("#against").is_visible()
    page.set_viewport_size(PHONE)
    page.focus("#deck-open")
    page.keyboard.press("Enter")
    assert page.locator("#prior").is_visible()


def test_bounds_are_shown_on_demand_with_and_without_a_script(browser, watched, demo, tmp_path):
    _, html = demo
    file = tmp_path / "page.html"
    file.write_text(html, encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    for page in (context.new_page(), watched.open(html)):
        if page.url == "about:blank":
            page.goto(file.as_uri())
        assert page.locator("#overview .line.own").first.is_visible()
        assert not page.locator("#overview .line.bounds").first.is_visible()
        assert not page.locator("#threshold-section td.bounds").first.is_visible()
        assert not page.locator("#overview .possible").first.is_visible()
        page.check("#show-bounds")
        assert page.locator("#overview .line.bounds").first.is_visible()
        assert page.locator("#threshold-section td.bounds").first.is_visible()
    context.close()


def test_a_naive_figure_that_reads_the_same_is_not_struck_out(watched, demo):
    table = pm.ScoreTable.from_groups(
        positive=[5, 4, 4, 2], unlabeled=None, negative=[4, 3, 1, 0, 0], scenario="case_control"
    )
    page = watched.open(render(evaluate(table, threshold=3)))
    look = "n => getComputedStyle(n).textDecorationLine"
    same = page.locator("[data-naive='0.recall']").first
    assert same.evaluate(look) == "none"
    page = watched.open(demo[1])
    assert page.locator("[data-naive='0.recall']").first.evaluate(look) == "line-through"
    drive(page, [{"prior": 0.1}])
    same = page.evaluate(
        """() => [...document.querySelectorAll('[data-naive]')].every((s) => s.classList.contains('same')
        === (s.textContent === document.querySelector(`[data-fig="${s.dataset.naive}"]`).textContent))"""
    )
    assert same


def test_clearing_a_field_keeps_the_last_value(watched, demo):
    _, html = demo
    page = watched.open(html)
    for key in ("prior", "purity", "threshold", "checked"):
        before = page.locator(f"#{key}-number").get_attribute("data-value")
        page.fill(f"#{key}-number", "")
        page.press(f"#{key}-number", "Enter")
        page.locator(f"#{key}-number").blur()
        assert page.locator(f"#{key}-number").get_attribute("data-value") == before
        assert page.locator(f"#{key}-number").input_value() != ""
        assert page.locator("#state").inner_text().startswith("As evaluated.")


@pytest.mark.parametrize("move", [{"stop": 0.7}, {"checked": 0.9}, {"prior": 0.2}])
def test_as_evaluated_is_said_only_where_nothing_was_moved(watched, demo, move):
    page = watched.open(demo[1])
    assert page.locator("#state").inner_text().startswith("As evaluated.")
    drive(page, [move])
    assert not page.locator("#state").inner_text().startswith("As evaluated.")
    page.click("#reset")
    assert page.locator("#state").inner_text().startswith("As evaluated.")


def test_on_paper_the_first_page_stands_alone(watched, demo):
    _, html = demo
    page = opened(watched, html, {"width": 718, "height": 1047})  # A4 less its margins
    page.emulate_media(media="print")
    assert below(page, ".printed") < 1047
    text = page.locator(".first").inner_text() + page.locator(".printed").inner_text()
    for words in ("forest", "0.973", "Trust:", "Next:", "The prior, 0.394", "Shown at prior"):
        assert words in text
    second = page.locator(".printed + .page")
    assert second.evaluate("n => getComputedStyle(n).breakBefore") == "page"
    assert not page.locator("#deck-open").is_visible()
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) >= 2


def test_legends_stand_without_a_script(browser, demo, tmp_path):
    _, html = demo
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    file = tmp_path / "page.html"
    file.write_text(html, encoding="utf-8")
    page.goto(file.as_uri())
    for chart in ("roc", "pr", "calibration", "found"):
        text = page.locator(f"#{chart} .legend").inner_text()
        assert "forest" in text
        assert "words" in text
    assert page.locator("#calibration svg .bead").count() > 10
    assert page.locator("#overview svg.range .dot").count() == 6
    context.close()


def test_where_it_comes_from(watched, demo):
    evaluation, _ = demo
    made = datetime(2024, 5, 6, 7, 8, tzinfo=UTC)
    source = {"Files": "scores.csv", "Command": "puremetrics evaluate scores.csv", "Seed": "0"}
    html = render(evaluation, source=source, made=made)
    assert html == render(evaluation, source=source, made=made)
    page = watched.open(html)
    text = page.locator("#provenance").inner_text()
    for words in (pm.__version__, "2024-05-06 07:08", "scores.csv", "puremetrics evaluate", "Seed",
                  "0.394", "single training set", "4,601 rows", "95%"):  # fmt: skip
        assert words in text, words
    install(page)
    assert read(page)["prior"]
