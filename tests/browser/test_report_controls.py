"""The report in a real browser: how it is used, what it looks like, and what it must not do."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.evaluation import evaluate
from puremetrics.report import render
from tests.browser.reports import check, drive, install, read, wait_until_said
from tests.javascript.cases import CASES


def test_keyboard_moves_sliders_and_charts(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    page.focus("#prior")
    seen = []
    for key in ("ArrowRight", "ArrowLeft", "Home", "End", "PageDown"):
        page.keyboard.press(key)
        seen.append(float(read(page)["prior"]))
    right, left, least, most, page_down = seen
    assert least < left < right < most
    assert least < page_down < most
    page.focus("#purity")
    seen = [float(read(page)["purity"])]
    for key in ("ArrowLeft", "PageDown"):
        page.keyboard.press(key)
        seen.append(float(read(page)["purity"]))
    assert seen[0] > seen[1] > seen[2]
    check(evaluation, [read(page)])
    page.focus("#roc svg.live")
    before = page.locator("[data-fig='0.threshold']").first.get_attribute("data-value")
    for key in ("ArrowRight", "PageUp", "Shift+ArrowLeft", "End", "Home", "ArrowUp"):
        page.keyboard.press(key)
    check(evaluation, [read(page)])
    assert page.locator("[data-fig='0.threshold']").first.get_attribute("data-value") != before
    assert "recall" in page.locator("#roc svg.live").get_attribute("aria-valuetext")
    page.focus("#sensitivity svg.live")
    before = float(read(page)["prior"])
    page.keyboard.press("ArrowLeft")
    assert float(read(page)["prior"]) < before


def test_numbers_can_be_typed_and_impossible_ones_are_held(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    for text in ("0.999", "-3", "", "0.01", "0.314159"):
        page.fill("#prior-number", text)
        page.press("#prior-number", "Enter")
        seen = read(page)
        assert 0 < float(seen["prior"]) < float(seen["purity"])
    assert seen["prior"] == "0.314159"
    check(evaluation, [seen])
    page.fill("#purity-number", "0.1")
    page.press("#purity-number", "Enter")
    seen = read(page)
    assert float(seen["prior"]) < float(seen["purity"])
    page.fill("#threshold-number", "0.3")
    page.press("#threshold-number", "Enter")
    seen = read(page)
    assert float(seen["figures"]["0.threshold"]) == pytest.approx(0.3, abs=0.02)
    check(evaluation, [seen])


def test_dragging_on_charts_links_the_threshold(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    for chart in ("roc", "pr", "calibration"):
        page.locator(f"#{chart} svg.live").scroll_into_view_if_needed()
        box = page.locator(f"#{chart} svg.live").bounding_box()
        before = read(page)["figures"]
        page.mouse.move(box["x"] + 0.45 * box["width"], box["y"] + 0.4 * box["height"])
        assert page.locator(f"#{chart} .tip").is_visible()
        page.mouse.down()
        page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.5 * box["height"])
        page.mouse.up()
        seen = read(page)
        moved = [i for i in "01" if seen["figures"][f"{i}.threshold"] != before[f"{i}.threshold"]]
        assert moved
    check(evaluation, [seen], active=None)
    page.locator("#sensitivity svg.live").scroll_into_view_if_needed()
    box = page.locator("#sensitivity svg.live").bounding_box()
    page.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + 0.5 * box["height"])
    seen = read(page)
    assert float(seen["prior"]) != evaluation.prior.value
    wait_until_said(page, f"Prior {float(seen['prior']):.4g}")


def test_models_can_be_hidden(watched, demo):
    _, html = demo
    page = watched.open(html)
    assert page.locator("#roc path.curve.m1").count() > 0
    page.uncheck("[data-show='1']")
    assert page.locator("#roc path.curve.m1").count() == 0
    assert not page.locator("article[data-model='1']").first.is_visible()
    page.uncheck("[data-show='0']")
    page.check("[data-show='1']")
    assert page.locator("#roc path.curve.m1").count() > 0


def test_dark_light_and_print(watched, demo):
    _, html = demo
    page = watched.open(html)
    paper = "() => getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.click("#theme")
    dark = page.evaluate(paper)
    assert light != dark
    assert page.locator("#theme").get_attribute("aria-pressed") == "true"
    page.emulate_media(media="print")
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    assert not page.locator(".deck").is_visible()
    assert "Shown at prior 0.394" in page.locator(".printed").inner_text()
    page.emulate_media(media="screen", color_scheme="dark")
    page.reload()
    install(page)
    assert page.evaluate(paper) == dark


@pytest.mark.parametrize("width", [320, 390, 768])
def test_narrow_screens_do_not_scroll_sideways(watched, demo, width):
    _, html = demo
    watched.page.set_viewport_size({"width": width, "height": 800})
    page = watched.open(html)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_every_control_has_a_name(watched, demo):
    _, html = demo
    page = watched.open(html)
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll('input, select, button, svg[tabindex]')].filter((n) =>
        !(n.getAttribute('aria-label') || n.textContent.trim() || (n.labels && n.labels.length))
        ).map((n) => n.outerHTML)"""
    )
    assert unnamed == []
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.className") == "skip"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_without_a_script_the_figures_stand(browser, demo, tmp_path):
    evaluation, html = demo
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    file = tmp_path / "report.html"
    file.write_text(html, encoding="utf-8")
    page.goto(file.as_uri())
    text = page.locator("#overview").inner_text()
    for model in evaluation.models.values():
        for key in ("roc_auc", "average_precision", "f1"):
            assert f"{model.corrected[key].value:.3f}" in text
    assert page.locator("#roc svg.static path.curve").count() == 2
    assert not page.locator(".deck").is_visible()
    context.close()


# ------------------------------------------------------------------------------------- hostile input

HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    "\"' onmouseover=alert(2) x='",
    "\u202egnirts\u202c <b>&amp;</b> \u2028\u2029",
    "x" * 10_000,
    "🦜 ‏עברית‏ --> <!-- ${alert(3)} {{title}}",
    "<svg onload=alert(4)>\\u003c",
]


def test_hostile_names_do_not_run(watched):
    table, _, _ = CASES["ties, case-control"]()
    tables = dict.fromkeys(HOSTILE, table)
    evaluation = evaluate(tables, prior=0.2, threshold=0.5)
    page = watched.open(render(evaluation, title=HOSTILE[0] + HOSTILE[2]))
    assert page.locator("img").count() == 0
    assert page.locator("#roc svg.live path.curve").count() == len(HOSTILE)
    names = page.locator("article.card h3 bdi").all_inner_texts()[: len(HOSTILE)]
    assert names[0] == HOSTILE[0]
    assert page.title().startswith("</script>")
    box = page.locator("#roc svg.live").bounding_box()
    page.locator("#roc svg.live").hover(position={"x": box["width"] / 2, "y": box["height"] / 2})
    seen = drive(page, [{"prior": 0.3, "stop": 0.5, "active": "3"}])[-1]
    wait_until_said(page, f"Prior {float(seen['prior']):.4g}")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 1280
    blocked = page.evaluate(
        """() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';
        document.body.append(s); return window.ran === undefined; }"""
    )
    assert blocked
    assert len(watched.trouble) == 1  # the policy said so
    assert "Content Security Policy" in watched.trouble.pop()


def test_a_report_of_few_thousand_labels_is_small(demo):
    _, html = demo
    assert len(html.encode()) < 300_000
    rng = np.random.default_rng(9)
    positive, unlabeled = rng.random((2, 3000)) ** 0.5, rng.random((2, 40_000))
    tables = {
        name: pm.ScoreTable.from_groups(
            positive=positive[i], unlabeled=unlabeled[i], scenario="case_control"
        )
        for i, name in enumerate(("one", "other"))
    }
    assert len(render(evaluate(tables, prior=0.1)).encode()) < 430_000
