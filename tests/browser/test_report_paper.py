"""The report on paper: four pages, nothing split, charts of a sensible size, no controls."""

import re
from itertools import pairwise

import pytest

from tests.browser.reports import FONTS, open_in

INSIDE = {"width": 688, "height": 1040}  # A4 less its margins, in pixels


def pages(document):
    return len(re.findall(rb"/Type\s*/Page\b", document))


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("font", FONTS)
def test_the_demo_takes_four_pages(styled, demo, tmp_path, font, paper):
    page = open_in(styled, demo[1], tmp_path, font)
    assert pages(page.pdf(format=paper)) <= 4


def test_the_demo_takes_four_pages_without_a_script(browser, demo, tmp_path):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    file = tmp_path / "page.html"
    file.write_text(demo[1], encoding="utf-8")
    page.goto(file.as_uri())
    assert pages(page.pdf(format="A4")) <= 4
    context.close()


def test_nothing_is_split_and_charts_are_small(watched, demo):
    watched.page.set_viewport_size(INSIDE)
    page = watched.open(demo[1])
    page.emulate_media(media="print")
    kept = "n => getComputedStyle(n).breakInside"
    for selector in ("figure", "table", ".card", ".at", ".biased", "section", ".beside"):
        for node in page.locator(selector).all():
            assert node.evaluate(kept) == "avoid", selector
    for chart in ("roc", "pr", "found", "calibration", "sensitivity"):
        box = page.locator(f"#{chart} svg.live").bounding_box()
        assert 150 < box["height"] <= 345, chart
        assert 200 < box["width"] <= 345, chart
        text = page.locator(f"#{chart} svg.live text").first.bounding_box()
        assert 8 < text["height"] < 16, chart
        below = [t.bounding_box() for t in page.locator(f"#{chart} svg.live .tick.mid").all()]
        assert all(a["x"] + a["width"] < b["x"] for a, b in pairwise(below)), chart
    sections = page.locator("section").all()
    assert all(section.bounding_box()["height"] < 900 for section in sections)


def test_controls_and_long_tables_are_left_out(watched, demo):
    watched.page.set_viewport_size(INSIDE)
    page = watched.open(demo[1])
    page.emulate_media(media="print")
    for selector in (
        "input",
        "button",
        "select",
        "summary ~ div",
        "#bins",
        "#narrowing table",
        "#free table",
    ):
        for node in page.locator(selector).all():
            assert not node.is_visible(), selector
    for key in ("free", "narrowing", "assumed", "remarks", "provenance"):
        assert page.locator(f"#{key} .lead").is_visible(), key
    page.emulate_media(media="screen")
    assert page.locator("#narrowing table").first.is_visible()
