"""Take the pictures of the page on which rows are checked: ``python docs/check_pictures.py [folder]``.

check-desk.png, check-phone.png and check-dark.png, for the page about it. Needs Chromium. The messages are
made up.
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
from puremetrics.checkpage import CheckServer, Live, Session
from puremetrics.checkpage.live import Counted
from puremetrics.checkpage.server import Options
from puremetrics.checkpage.sheet import sheet_of
from puremetrics.planning.sheets import Looked, plan_text

DESK, PHONE = (1280, 800), (390, 844)
SPAM = (
    "Your parcel is waiting. A fee of 1.99 was not paid, so that it could not be delivered. Settle it "
    "within 24 hours, or the parcel goes back: https://parcel-fee.example/pay?id={}"
)
FINE = (
    "Hello, the minutes of Tuesday are attached. Could you look at the second item before we meet again? "
    "The room is booked from ten to twelve."
)


def main(folder: Path) -> None:
    """Take all pictures into a folder."""
    with sync_playwright() as started, tempfile.TemporaryDirectory() as place:
        chromium = os.environ.get("PUREMETRICS_CHROMIUM") or shutil.which("chromium")
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, size, scheme, rows, width in (
            ("check-desk", DESK, "light", 61, 0.15),
            ("check-dark", DESK, "dark", 117, 0.25),
            ("check-phone", PHONE, "light", 24, 0.15),
        ):
            (Path(place) / name).mkdir()
            server, said = served(Path(place) / name / "checked.csv", width)
            page = checked(browser, server, said[:rows], size, scheme)
            few = Image.open(BytesIO(page.screenshot())).convert("RGB")
            few = few.quantize(128, dither=Image.Dither.NONE)
            few.save(folder / f"{name}.png", optimize=True)
            server.stop()
        browser.close()


def served(output: Path, width: float) -> tuple[CheckServer, list[str]]:
    """A page of 200 rows of the demo data, and the right answers."""
    demo = pm.load_demo()
    labels, score, truth = demo["reported"], demo["forest"], demo["spam"].astype(bool)
    table = pm.ScoreTable.from_arrays(labels, score, scenario="single_training_set")
    plan = pm.plan_audit(table, budget=200, target="precision", threshold=0.1, prior=0.4)
    rows = plan.draw(labels, score, rng=0)
    shown = {
        "subject": ["Delivery failed" if truth[row] else "Minutes of the meeting" for row in rows],
        "text": [SPAM.format(row) if truth[row] else FINE for row in rows],
        "sender": [f"office{row % 97}@mail.example" for row in rows],
        "headers": [f'{{"received": {1 + row % 4}, "reply-to": null}}' for row in rows],
    }
    sheet = sheet_of(rows, shown)
    looked = Looked(score.size, dict(rows.draw.scores), np.ones(len(rows), dtype=np.bool_))
    live = Live(plan_text(plan, rows), sheet.places, lambda: Counted(table, looked), width=width)
    about = Options(question="Is this message spam?", scores=dict.fromkeys(range(200), 0.5))
    session = Session(sheet, output, checker="ann")
    said = ["yes" if truth[row] else "no" for row in rows]
    server = CheckServer(session, live, about, verdict=lambda: [])
    server.start()
    return server, said


def checked(
    browser: Browser, server: CheckServer, said: list[str], size: tuple[int, int], scheme: str
) -> Page:
    """The page after some answers, the last few of them given on it."""
    for row, answer in enumerate(said[:-4]):
        server.session.say(row, answer)
        if row % 8 == 7:
            assert server.live is not None
            server.live.wait(server.session.version, 60)
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, has_touch=size == PHONE
    )
    page.goto(server.address)
    page.wait_for_selector("html.ready")
    for row, answer in enumerate(said[-4:], start=len(said) - 3):
        page.wait_for_timeout(600)
        page.keyboard.press("1" if answer == "yes" else "0")
        page.wait_for_selector(f"body[data-row='{row}']")
    assert server.live is not None
    server.live.wait(server.session.version, 60)
    page.wait_for_timeout(1000)
    return page


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
