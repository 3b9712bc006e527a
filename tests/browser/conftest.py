"""Chromium, and a page that notices everything it should not do."""

import os
import shutil
import subprocess

import pytest

from puremetrics.evaluation import evaluate
from puremetrics.report import render
from tests.browser.reports import FONTS, install
from tests.conftest import require
from tests.javascript.cases import CASES

CHROMIUM = os.environ.get("PUREMETRICS_CHROMIUM") or shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="package")
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
        self.page.on("download", lambda d: self.trouble.append(f"download: {d.url[:200]}"))
        self.page.on("popup", lambda p: self.trouble.append(f"popup: {p.url[:200]}"))
        self.address = ""

    def _request(self, request):
        if request.url != self.address and not request.url.startswith("data:"):
            self.trouble.append(f"request: {request.url[:200]}")

    def open(self, html):
        file = self.folder / "report.html"
        file.write_text(html, encoding="utf-8")
        self.address = file.as_uri()
        self.page.goto(self.address)
        self.page.wait_for_selector("html.drawn")
        install(self.page)
        return self.page


@pytest.fixture
def watched(browser, tmp_path):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    watched = Watched(context, tmp_path)
    yield watched
    context.close()
    assert watched.trouble == []


@pytest.fixture(scope="package")
def demo():
    tables, given, options = CASES["the demo"]()
    evaluation = evaluate(tables, **given, **options)
    return evaluation, render(evaluation, title="Demo")


@pytest.fixture(scope="package")
def fonts():
    """Skip unless the fonts are installed that pages are measured in."""
    listed = shutil.which("fc-list")
    found = subprocess.run([listed], capture_output=True, text=True).stdout if listed else ""
    for family in (family for pair in FONTS.values() for family in pair):
        if family not in found:
            require("fonts", f"The report is measured in {family}, and it is not installed.")


@pytest.fixture
def styled(browser, fonts):
    """A page whose font can be chosen: the policy of the report would forbid that."""
    context = browser.new_context(bypass_csp=True)
    yield context.new_page()
    context.close()
