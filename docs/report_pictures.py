"""Take the pictures of the report: ``python docs/report_pictures.py [folder]``. Needs Chromium.

report-desk.png, report-ruled-out.png, report-phone.png, report-many.png and report-biased.png, for the page
about the report.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

import puremetrics as pm
from puremetrics.report import render

DESK, PHONE = (1280, 800), (390, 844)


def main(folder: Path) -> None:
    """Take all pictures into a folder."""
    with sync_playwright() as started, tempfile.TemporaryDirectory() as place:
        chromium = os.environ.get("PUREMETRICS_CHROMIUM") or shutil.which("chromium")
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        demo, many = Path(place) / "demo.html", Path(place) / "many.html"
        demo.write_text(render(two_models(), title="Spam nobody reported"), encoding="utf-8")
        many.write_text(render(eight_models(), title="Eight models"), encoding="utf-8")
        taken = {
            "report-desk": opened(browser, demo, DESK),
            "report-phone": opened(browser, demo, PHONE),
            "report-many": opened(browser, many, DESK),
            "report-ruled-out": opened(browser, demo, DESK),
            "report-biased": opened(browser, demo, (DESK[0], 1400)),
        }
        taken["report-biased"].evaluate("document.querySelector('.deck').hidden = true")
        taken["report-ruled-out"].fill("#purity-number", "0.9")
        taken["report-ruled-out"].press("#purity-number", "Enter")
        for name, page in taken.items():
            page.wait_for_timeout(300)
            shown = page.locator("#biased-section") if name == "report-biased" else page
            few = (
                Image.open(BytesIO(shown.screenshot()))
                .convert("RGB")
                .quantize(64, dither=Image.Dither.NONE)
            )
            few.save(folder / f"{name}.png", optimize=True)
        browser.close()


def opened(browser: Browser, file: Path, size: tuple[int, int]) -> Page:
    """The report on a screen of that size."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.goto(file.as_uri())
    page.wait_for_selector("html.drawn")
    return page


def two_models() -> pm.Evaluation:
    """Two models of the demo data, their rows paired."""
    demo = pm.load_demo()
    scores = {name: demo[name] for name in ("forest", "words")}
    table = pm.JointTable.from_arrays(demo["reported"], scores, scenario="single_training_set")
    return pm.evaluate(table, prior=0.394)


def eight_models() -> pm.Evaluation:
    """Eight models of made-up rows, from fair to very good."""
    rng = np.random.default_rng(0)
    truth = rng.random(3000) < 0.3
    label = (truth & (rng.random(3000) < 0.5)).astype(int)
    scores = {
        f"depth {depth}": (0.6 + 0.35 * depth) * truth + rng.normal(size=3000)
        for depth in range(1, 9)
    }
    table = pm.JointTable.from_arrays(label, scores, scenario="single_training_set")
    return pm.evaluate(table, prior=0.3)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
