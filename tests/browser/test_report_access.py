"""The report under axe-core: no violation on a desk, on a phone, in the dark, folded, unfolded or greyed."""

from importlib import resources

import pytest

from tests.conftest import require

SIZES = {"desk": (1280, 800), "phone": (390, 844)}


@pytest.fixture(scope="module")
def axe():
    try:
        folder = resources.files("axe_playwright_python")
    except ModuleNotFoundError:
        require("axe", "The report is tested with axe-core: pip install axe-playwright-python.")
    return (folder / "axe.min.js").read_text(encoding="utf-8")


def violations(page):
    found = page.evaluate("async () => (await axe.run()).violations")
    return [(v["id"], [node["html"][:150] for node in v["nodes"]]) for v in found]


# Every size and every scheme once; all pairs of them with the slow tests.
@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        pytest.param(size, scheme, marks=pytest.mark.slow if (i + j) % 2 else ())
        for i, size in enumerate(SIZES)
        for j, scheme in enumerate(("light", "dark"))
    ],
)
def test_no_violations(browser, demo, axe, tmp_path, size, scheme):
    wide, tall = SIZES[size]
    context = browser.new_context(
        viewport={"width": wide, "height": tall}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    file = tmp_path / "page.html"
    file.write_text(demo[1], encoding="utf-8")
    page.goto(file.as_uri())
    page.evaluate(f"() => {{ {axe}\n }}")
    assert violations(page) == []
    page.evaluate("() => document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    page.check("#show-bounds")
    if size == "phone":
        page.click("#deck-open")
    page.fill("#purity-number", "0.7")
    page.press("#purity-number", "Enter")
    assert page.locator("#against").is_visible()
    assert violations(page) == []
    context.close()
