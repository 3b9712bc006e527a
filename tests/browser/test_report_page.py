"""The report in a real browser: its numbers are the library's wherever the sliders stand."""

import os
import shutil

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.bounds import confusion_bounds, metric_bounds
from puremetrics.evaluation import evaluate
from puremetrics.report import payload as payload_module
from puremetrics.report import render
from puremetrics.scenario import prior_limits
from tests.browser.reports import (
    METRICS,
    demo_evaluation,
    drive,
    expected,
    install,
    small_table,
    worst_difference,
)
from tests.conftest import require

CHROMIUM = os.environ.get("PUREMETRICS_CHROMIUM") or shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
CLOSE = 1e-9


@pytest.fixture(scope="module")
def browser():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        require("browser", "The report is tested with Playwright: pip install playwright.")
    if CHROMIUM is None:
        require("browser", "The report is tested in Chromium, and there is none on the path.")
    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


class Watched:
    """A page, and everything it should not do."""

    def __init__(self, context, folder):
        self.page, self.folder, self.trouble = context.new_page(), folder, []
        self.page.on("console", lambda m: self.trouble.append(f"console: {m.text}"))
        self.page.on("pageerror", lambda e: self.trouble.append(f"error: {e}"))
        self.page.on("dialog", lambda d: (self.trouble.append(f"dialog: {d.message}"), d.dismiss()))
        self.page.on("request", self._request)
        self.address = ""

    def _request(self, request):
        if request.url != self.address and not request.url.startswith("data:"):
            self.trouble.append(f"request: {request.url[:200]}")

    def open(self, html):
        file = self.folder / "report.html"
        file.write_text(html, encoding="utf-8")
        self.address = file.as_uri()
        self.page.goto(self.address)
        install(self.page)
        return self.page


@pytest.fixture
def watched(browser, tmp_path):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    watched = Watched(context, tmp_path)
    yield watched
    context.close()
    assert watched.trouble == []


@pytest.fixture(scope="module")
def demo():
    evaluation = demo_evaluation()
    return evaluation, render(evaluation, title="Demo")


def check(evaluation, readings):
    compared = 0
    for seen in readings:
        worst, where, count = worst_difference(evaluation, seen)
        assert worst < CLOSE, where
        compared += count
    return compared


def many_moves(seed, count):
    rng = np.random.default_rng(seed)
    moves = [{}, {"prior": 0}, {"prior": 1}, {"purity": 0}, {"prior": 0}, {"stop": 0}, {"stop": 1}]
    moves += [{"purity": 1, "prior": 0.5}]
    for _ in range(count):
        purity = float(rng.random()) if rng.random() < 0.6 else 1.0
        moves.append({"prior": float(rng.random()), "purity": purity, "stop": float(rng.random())})
    return moves


# ------------------------------------------------------------------------------------- numbers


def test_demo_figures_equal_the_library_at_every_position(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    assert check(evaluation, drive(page, many_moves(0, 30))) > 2500
    for seen in drive(page, [{"active": "1", "stop": stop} for stop in (0.1, 0.5, 0.9)]):
        worst, where, _ = worst_difference(evaluation, seen, skip_bins=True)  # of the other model
        assert worst < CLOSE, where


def test_prior_range_of_the_demo(watched):
    evaluation = demo_evaluation((0.3, 0.42))
    page = watched.open(render(evaluation))
    check(evaluation, drive(page, many_moves(1, 2)))


CASES = [
    (seed, scenario, negatives, weighted, purity, ranged)
    for seed, (scenario, negatives, weighted, purity, ranged) in enumerate(
        [
            ("case_control", False, False, 1.0, False),
            ("single_training_set", False, False, 1.0, False),
            ("case_control", True, False, 1.0, True),
            ("single_training_set", True, False, 1.0, True),
            ("case_control", False, False, 0.85, False),
            ("single_training_set", True, False, 0.85, False),
            ("case_control", False, True, 1.0, False),
            ("single_training_set", True, True, 0.9, False),
        ]
    )
]


@pytest.mark.parametrize(("seed", "scenario", "negatives", "weighted", "purity", "ranged"), CASES)
def test_small_tables_with_ties(watched, seed, scenario, negatives, weighted, purity, ranged):
    table = small_table(
        seed, scenario, negatives=negatives, weighted=weighted, decimals=seed % 3 != 0
    )
    low, high = prior_limits(table, purity)
    prior = low + 0.3 * (min(high, purity) - low)
    given = (prior, 1.2 * prior) if ranged else prior
    threshold = 0.5 if seed % 2 else 0.4321  # at a score, and between two
    evaluation = evaluate(table, prior=given, purity=purity, threshold=threshold)
    page = watched.open(render(evaluation))
    assert check(evaluation, drive(page, many_moves(seed, 25))) > 1000


@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
def test_buckets_widen_the_intervals(watched, scenario):
    rng = np.random.default_rng(6)
    table = pm.ScoreTable.from_counts(
        np.arange(15) / 15, n_pos=rng.integers(0, 6, 15), n_unl=rng.integers(0, 20, 15),
        scenario=scenario, resolution=0.05,
    )  # fmt: skip
    evaluation = evaluate(table, prior=0.4, threshold=0.41)
    page = watched.open(render(evaluation))
    check(evaluation, drive(page, many_moves(6, 12)))


def test_scores_that_are_no_probabilities(watched):
    rng = np.random.default_rng(3)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 60), unlabeled=rng.normal(0, 1, 300), scenario="case_control"
    )
    evaluation = evaluate(table, prior=0.2)
    page = watched.open(render(evaluation))
    assert page.locator("#calibration").count() == 0
    check(evaluation, drive(page, many_moves(3, 20)))


def test_fully_labelled_rows_have_nothing_to_slide(watched):
    table = pm.ScoreTable.from_groups(
        positive=[5, 4, 4, 2],
        unlabeled=None,
        negative=[4, 3, 1, 0, 0],
        scenario="single_training_set",
    )
    evaluation = evaluate(table, threshold=3)
    page = watched.open(render(evaluation))
    assert page.locator("#prior").is_disabled()
    check(evaluation, drive(page, [{}, {"stop": 0.5}, {"stop": 1}]))


def test_the_visible_text_is_the_figure(watched, demo):
    _, html = demo
    page = watched.open(html)
    for seen in drive(page, many_moves(5, 10)):
        for key, value in seen["figures"].items():
            text = seen["texts"][key].replace("−", "-").replace("\u202f", "").replace(" %", "")
            if text in ("–", "∞"):
                continue
            scale, unit = (100, 0.05) if key.endswith("%") else (1, 0.0005)
            if key.split(".")[-1] in ("tp", "fp", "fn", "tn"):
                unit = 0.5
            assert abs(float(text) - scale * float(value)) <= unit * 1.0001, key


def test_bounds_at_the_evaluated_prior_and_hidden_elsewhere(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    model = evaluation.models["forest"]
    for seen in drive(page, [{}, {"stop": 0.2}, {"stop": 0.6}, {"stop": 0.93}]):
        at = float(seen["figures"]["0.threshold"])
        for key in METRICS:
            low, high = map(float, seen["bounds"][f"0.{key}"])
            wanted = metric_bounds(model.table, key, threshold=at, prior=evaluation.prior.value)
            assert (low, high) == pytest.approx(tuple(wanted), abs=CLOSE)
        bounds = confusion_bounds(model.table, prior=evaluation.prior.value)
        row = int(np.searchsorted(-bounds.lower.threshold, -at, side="right")) - 1
        for key in ("tp", "fp", "fn", "tn"):
            ends = sorted(float(getattr(side, key)[row]) for side in (bounds.lower, bounds.upper))
            assert list(map(float, seen["bounds"][f"0.{key}"])) == pytest.approx(ends, abs=1e-6)
    (moved,) = drive(page, [{"prior": 0.4}])
    assert all(bounds is None for bounds in moved["bounds"].values())
    assert not page.locator("#narrowing .cards").is_visible()
    assert "count as exactly known" in page.locator("#state").inner_text()
    page.click("#reset")
    assert page.locator("#narrowing .cards").is_visible()
    assert page.locator("#reset").is_disabled()


# ------------------------------------------------------------------------------------- using it


def test_keyboard_moves_sliders_and_charts(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    page.focus("#prior")
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "Home", "End", "PageDown", "ArrowLeft"):
        page.keyboard.press(key)
        check(evaluation, [page.evaluate("() => window.__read()")])
    page.focus("#purity")
    for key in ("ArrowLeft", "PageDown", "Home", "End"):
        page.keyboard.press(key)
        check(evaluation, [page.evaluate("() => window.__read()")])
    page.focus("#roc svg.live")
    before = page.locator("[data-fig='0.threshold']").get_attribute("data-value")
    for key in ("ArrowRight", "PageUp", "Shift+ArrowLeft", "End", "Home", "ArrowUp"):
        page.keyboard.press(key)
        check(evaluation, [page.evaluate("() => window.__read()")])
    assert page.locator("[data-fig='0.threshold']").get_attribute("data-value") != before
    assert "recall" in page.locator("#roc svg.live").get_attribute("aria-valuetext")
    page.focus("#sensitivity svg.live")
    page.keyboard.press("ArrowLeft")
    check(evaluation, [page.evaluate("() => window.__read()")])


def test_numbers_can_be_typed_and_impossible_ones_are_held(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    for text in ("0.314159", "0.2", "0.999", "-3", "", "0.01", "0.394"):
        page.fill("#prior-number", text)
        page.press("#prior-number", "Enter")
        check(evaluation, [page.evaluate("() => window.__read()")])
    page.fill("#purity-number", "0.1")
    page.press("#purity-number", "Enter")
    seen = page.evaluate("() => window.__read()")
    assert float(seen["prior"]) < float(seen["purity"])
    check(evaluation, [seen])
    page.fill("#threshold-number", "0.3")
    page.press("#threshold-number", "Enter")
    check(evaluation, [page.evaluate("() => window.__read()")])


def test_dragging_on_charts_links_the_threshold(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    for chart in ("roc", "pr", "calibration"):
        page.locator(f"#{chart} svg.live").scroll_into_view_if_needed()
        box = page.locator(f"#{chart} svg.live").bounding_box()
        before = page.evaluate("() => window.__read()")["figures"]
        page.mouse.move(box["x"] + 0.45 * box["width"], box["y"] + 0.4 * box["height"])
        assert page.locator(f"#{chart} .tip").is_visible()
        page.mouse.down()
        page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.5 * box["height"])
        page.mouse.up()
        seen = page.evaluate("() => window.__read()")
        moved = [i for i in "01" if seen["figures"][f"{i}.threshold"] != before[f"{i}.threshold"]]
        assert moved
        worst, where, _ = worst_difference(evaluation, seen, skip_bins=True)
        assert worst < CLOSE, where
    page.locator("#sensitivity svg.live").scroll_into_view_if_needed()
    box = page.locator("#sensitivity svg.live").bounding_box()
    page.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + 0.5 * box["height"])
    seen = page.evaluate("() => window.__read()")
    assert float(seen["prior"]) != evaluation.prior.value
    page.wait_for_timeout(500)
    assert f"Prior {float(seen['prior']):.4g}" in page.locator("#live").inner_text()


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
    table = small_table(1, "case_control")
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
    drive(page, [{"prior": 0.3, "stop": 0.5, "active": "3"}])
    page.wait_for_timeout(450)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 1280
    blocked = page.evaluate(
        """() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';
        document.body.append(s); return window.ran === undefined; }"""
    )
    assert blocked
    assert len(watched.trouble) == 1  # the policy said so
    assert "Content Security Policy" in watched.trouble.pop()


# ------------------------------------------------------------------------------------- many rows


def test_merged_rows_are_within_what_the_page_says(watched, monkeypatch):
    monkeypatch.setattr(payload_module, "ROWS", 800)
    rng = np.random.default_rng(8)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1.2, 1, 2000), unlabeled=rng.normal(0, 1, 9000), scenario="case_control"
    )
    evaluation = evaluate(table, prior=0.15)
    html = render(evaluation)
    page = watched.open(html)
    content = payload_module.payload(evaluation, title="")
    stated = content["models"][0]["deviation"]
    assert 1e-9 < stated < 0.01
    assert "in blocks" in page.locator("footer").inner_text()
    moves = [{"prior": float(p), "stop": float(p)} for p in np.linspace(0, 0.9, 9)]
    readings = drive(page, [{}, *moves, {"prior": 0.2, "purity": 0.8}])
    for i, seen in enumerate(readings):
        worst, where, _ = worst_difference(evaluation, seen, skip_bins=True)
        assert worst < (1.5 * stated if i else CLOSE), where
        at = [float(seen[key]) for key in ("prior", "purity")]
        wanted = expected(evaluation, 0, *at, float(seen["figures"]["0.threshold"]))
        for key in ("hull", *METRICS):  # exact in any case
            assert float(seen["figures"][f"0.{key}"]) == pytest.approx(
                wanted[key], abs=CLOSE, nan_ok=True
            )


def test_a_report_of_few_thousand_labels_is_small(demo):
    _, html = demo
    assert len(html.encode()) < 250_000
    rng = np.random.default_rng(9)
    positive, unlabeled = rng.random((2, 3000)) ** 0.5, rng.random((2, 40_000))
    tables = {
        name: pm.ScoreTable.from_groups(
            positive=positive[i], unlabeled=unlabeled[i], scenario="case_control"
        )
        for i, name in enumerate(("one", "other"))
    }
    assert len(render(evaluate(tables, prior=0.1)).encode()) < 400_000
