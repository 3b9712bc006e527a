"""The section about labels that are not a random sample, as it is seen."""

import pytest

from puremetrics.evaluation.biased import HEADLINES, bias_curves
from tests.browser.reports import drive

SECTION = "#biased-section"


@pytest.mark.parametrize("width", [320, 1280])
def test_charts_stand_without_a_script(browser, demo, tmp_path, width):
    evaluation, html = demo
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": width, "height": 800}
    )
    page = context.new_page()
    file = tmp_path / "page.html"
    file.write_text(html, encoding="utf-8")
    page.goto(file.as_uri())
    charts = page.locator(f"{SECTION} svg[role=img]")
    assert charts.count() == len(HEADLINES) * len(evaluation.models)
    boxes = [chart.bounding_box() for chart in charts.all()]
    assert all(box["width"] > 120 and box["x"] + box["width"] <= width for box in boxes)
    text = page.locator(SECTION).inner_text()
    for model in evaluation.models.values():
        assert next(iter(model.tipping.values())).words in text
    page.locator(f"{SECTION} summary").first.click()
    curve = bias_curves(evaluation.models["forest"])["roc_auc"]
    assert f"{curve.low[-1]:.3f} to {curve.high[-1]:.3f}" in page.locator(SECTION).inner_text()
    context.close()


def test_the_edge_of_the_band_is_where_the_numbers_are(watched, demo):
    """Read back from the drawing: the first and the last lower limit."""
    evaluation, html = demo
    page = watched.open(html)
    panel = page.locator(f"{SECTION} article[data-model='1'] .panel").first
    outline = panel.locator("path.band").get_attribute("d").removeprefix("M").removesuffix("Z")
    points = [tuple(map(float, pair.split())) for pair in outline.split("L")]
    lines = panel.locator("svg > g.end text").all()
    scale = {float(n.inner_html()): float(n.get_attribute("y")) - 4 for n in lines}
    (top, bottom), curve = (max(scale), min(scale)), bias_curves(evaluation.models["words"])
    unit = (scale[bottom] - scale[top]) / (top - bottom)
    for place, value in ((-1, curve["roc_auc"].low[0]), (0, curve["roc_auc"].high[0])):
        assert top - (points[place][1] - scale[top]) / unit == pytest.approx(value, abs=0.01)
    assert points[0][0] == points[-1][0] == min(x for x, _ in points)


def test_hovering_reads_out_and_moving_hides(watched, demo):
    evaluation, html = demo
    page = watched.open(html)
    chart = page.locator(f"{SECTION} svg[role=img]").first
    chart.scroll_into_view_if_needed()
    spots = chart.locator(".spots g")
    shown = "n => getComputedStyle(n).opacity"
    curve = bias_curves(evaluation.models["forest"])["roc_auc"]
    assert spots.count() == curve.label_bias.size
    assert spots.last.locator("text").evaluate(shown) == "0"
    spots.last.locator("path").hover()
    assert spots.last.locator("text").evaluate(shown) == "1"
    told = f"5: {curve.low[-1]:.3f} to {curve.high[-1]:.3f}"
    assert spots.last.locator("text").inner_html() == told
    page.uncheck("[data-show='1']")
    assert not page.locator(f"{SECTION} article[data-model='1']").is_visible()
    drive(page, [{"prior": 0.2}])
    assert not chart.is_visible()
    assert "Reset to see it" in page.locator(f"{SECTION} .note").inner_text()
    page.click("#reset")
    assert chart.is_visible()
