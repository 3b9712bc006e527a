"""The page as one file for somebody without Python: kept in the browser, saved as a sheet."""

import pytest

from puremetrics.checkpage import Sheet, alone, read_sheet
from puremetrics.checkpage.sheet import sheet_bytes
from tests.browser.checks import COLUMNS, Tab, cells_of

ROWS = 12
CELLS = [("a\r\nb", 'with "quotes", commas', "=1+1", "ünïcödé 𝕏", "")] + [
    cells_of(row) for row in range(1, ROWS)
]


@pytest.fixture
def file(tmp_path):
    sheet = Sheet(COLUMNS, [5 * row for row in range(ROWS)], CELLS)
    path = tmp_path / "to_check.html"
    path.write_text(alone(sheet, columns=("text", "url"), question="Is it <b>spam</b>?"), "utf-8")
    return path


@pytest.fixture
def context(browser):
    context = browser.new_context(viewport={"width": 390, "height": 844}, accept_downloads=True)
    yield context
    context.close()


@pytest.fixture
def tab(context, file):
    tab = Tab(context, file.as_uri())
    tab.asked = []
    tab.page.on("dialog", lambda d: (tab.asked.append(d.type), d.accept()))
    yield tab.open()
    assert tab.trouble == []


def saved(tab, tmp_path):
    with tab.page.expect_download() as download:
        tab.page.click("#save")
    assert download.value.suggested_filename == "checked.csv"
    target = tmp_path / "checked.csv"
    download.value.save_as(target)
    return target


def test_answers_are_saved_as_the_sheet_that_evaluate_reads(tab, tmp_path):
    assert tab.says("question") == "Is it <b>spam</b>?"
    assert tab.page.locator("#cells .field").count() == 2
    tab.page.fill("#name", 'Ann "A", of course')
    tab.page.locator("#name").blur()
    for key in "10?" + "1" * 9:
        tab.press(key)
    assert "Save the answers and send the file checked.csv back" in tab.says("finish")
    found = read_sheet(saved(tab, tmp_path))
    assert found.columns == COLUMNS
    assert found.cells == CELLS
    assert found.places == [5 * row for row in range(ROWS)]
    assert [one.final for one in found.answers] == ["yes", "no", ""] + ["yes"] * 9
    assert found.answers[2].first.said == "unsure"
    assert {one.first.checker for one in found.answers} == {'Ann "A", of course'}
    assert all(one.first.at.startswith("20") for one in found.answers)
    again = Sheet(found.columns, found.places, found.cells, found.answers)
    assert (tmp_path / "checked.csv").read_bytes() == sheet_bytes(again)  # as the program writes it


def test_a_reload_loses_nothing_and_leaving_unsaved_answers_is_asked_about(tab, tmp_path):
    tab.press("1")
    tab.press("0")
    tab.page.reload()
    tab.page.wait_for_selector("html.ready")
    assert tab.asked == ["beforeunload"]
    assert tab.row == "2"
    assert "kept in this browser, not saved yet" in tab.says("saved")
    tab.press("Backspace")
    assert tab.row == "1"
    tab.press("1")
    saved(tab, tmp_path)
    assert "saved as a file" in tab.says("saved")
    tab.page.reload()
    tab.page.wait_for_selector("html.ready")
    assert tab.asked == ["beforeunload"]  # nothing is lost by leaving now
    assert tab.row == "2"
    assert tab.page.is_hidden("#live")
    assert tab.page.is_hidden("#end")


def test_it_asks_for_nothing_and_states_a_policy(file):
    text = file.read_text("utf-8")
    assert "connect-src 'none'" in text
    assert "default-src 'none'" in text
    assert "<b>spam" not in text
    rows = sum(len(cell) for cells in CELLS for cell in cells)
    assert len(text.encode()) < 200_000 + 4 * rows


def test_where_the_browser_keeps_nothing_it_says_so(browser, file):
    context = browser.new_context(accept_downloads=True)
    context.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } });"
    )
    tab = Tab(context, file.as_uri())
    tab.page.on("dialog", lambda d: d.accept())
    tab.open()
    tab.press("1")
    assert "This browser keeps nothing for files" in tab.says("note")
    assert tab.row == "1"
    context.close()
    assert tab.trouble == []
