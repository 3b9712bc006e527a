"""The first screen measured: no text lies on another or leaves its box, whatever the width and the font."""

from functools import cache

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.evaluation import evaluate
from puremetrics.report import render
from tests.browser.reports import FONTS, open_in

WIDTHS = (320, 390, 600, 768, 1001, 1100, 1280, 1600, 2560)
LONG = "gradient boosting with isotonic recalibration, 2024-03 (fold 3 of 5)"
UNBROKEN = "x_" * 40

# Every line of text that is seen: its box, cut where an ancestor cuts it, and the box that it belongs in.
MEASURE = """
() => {
  const where = 'header.top, .first, #overview, .deck', apart = 'script, style, select, .quiet-voice, .skip';
  const boxes = '.card, .verdict, .said, .control, .status, .under, .league, .top, section, .deck-bar';
  const found = [], outside = [], crossing = [];
  const seen = (n) => n.closest(where) && !n.closest(apart) && getComputedStyle(n).clipPath === 'none'
    && n.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const parent = node.parentElement, text = node.textContent.trim().slice(0, 60);
    if (!text || !seen(parent)) continue;
    const range = document.createRange(), owner = parent.closest(boxes), own = owner.getBoundingClientRect();
    range.selectNodeContents(node);
    for (const line of range.getClientRects()) {
      let { left, right, top, bottom } = line;
      for (let up = parent; up !== document.body; up = up.parentElement) {
        if (getComputedStyle(up).overflow !== 'hidden') continue;
        const cut = up.getBoundingClientRect();
        left = Math.max(left, cut.left); right = Math.min(right, cut.right);
        top = Math.max(top, cut.top); bottom = Math.min(bottom, cut.bottom);
      }
      if (right - left < 1 || bottom - top < 1) continue;
      const beyond = Math.max(-left, right - innerWidth, own.left - left, right - own.right);
      const by = Math.max(beyond, own.top - top, bottom - own.bottom);
      if (by > 1) outside.push(`${text} leaves ${owner.className || owner.tagName} by ${by.toFixed(1)}`);
      const slack = 0.22 * (bottom - top); // of a line: what is left above and below its letters
      top += slack; bottom -= slack;
      found.push({ text, node, left: left + 0.5, right: right - 0.5, top, bottom });
    }
  }
  const floats = (n) => !!n.parentElement.closest('.deck'); // above all else
  found.forEach((a, i) => found.slice(i + 1).forEach((b) => {
    if (a.node === b.node || floats(a.node) !== floats(b.node)) return;
    const across = a.left < b.right && b.left < a.right, along = a.top < b.bottom && b.top < a.bottom;
    if (across && along) crossing.push(`${a.text} × ${b.text}`);
  }));
  return { lines: found.length, outside, crossing, wide: document.documentElement.scrollWidth - innerWidth };
}
"""


def scores(names, overlap=0.9, rows=700):
    """Labels, and the scores of models whose classes overlap so much that the prior cannot be read off."""
    rng = np.random.default_rng(5)
    truth = rng.random(rows) < 0.4
    label = (truth & (rng.random(rows) < 0.4)).astype(int)
    columns = {
        name: (
            1 / (1 + np.exp(0.8 - (1 + 0.1 * i) * overlap * truth - rng.normal(size=rows)))
        ).round(4)
        for i, name in enumerate(names)
    }
    return truth, label, columns


def tables(names):
    _, label, columns = scores(names)
    return pm.JointTable.from_arrays(label, columns, scenario="single_training_set")


def audited():
    truth, label, columns = scores(["first", LONG])
    rows = np.random.default_rng(1).choice(np.flatnonzero(label == 0), 90, replace=False)
    checked = {name: column[rows] for name, column in columns.items()}
    table = pm.JointTable.from_arrays(label, columns, scenario="single_training_set")
    return evaluate(table, audit=pm.Audit.from_arrays(checked, truth[rows]))


def single():
    rng = np.random.default_rng(5)
    positive, unlabeled = rng.normal(1.5, 1, 150), rng.normal(1.5 * (rng.random(800) < 0.4), 1)
    return pm.ScoreTable.from_groups(
        positive=positive, unlabeled=unlabeled, scenario="case_control"
    )


def some_against():
    """One model with figures, one without."""
    rng = np.random.default_rng(4)
    truth = rng.random(800) < 0.3
    label = (truth & (rng.random(800) < 0.5)).astype(int)
    found = {"good": 3 * truth + rng.normal(size=800), "backwards": rng.normal(size=800)}
    return {
        name: pm.ScoreTable.from_arrays(label, score, scenario="single_training_set")
        for name, score in found.items()
    }


@cache
def rendered(name):
    return render(PAGES[name]())


PAGES = {
    "one model, nothing known": lambda: evaluate(single()),
    "two models with long names, nothing known": lambda: evaluate(tables([LONG, UNBROKEN])),
    "six models with long names, nothing known": lambda: evaluate(
        tables([f"{LONG} {i}" for i in range(6)])
    ),
    "three models, prior known": lambda: evaluate(tables(["a", "b", LONG]), prior=0.35),
    "an audit": audited,
    "no figures": lambda: evaluate(
        pm.ScoreTable.from_groups(
            positive=[5, 4, 4, 2], unlabeled=[4, 3, 3, 1, 0, 0, 2], scenario="case_control"
        ),
        prior=0.2,
        threshold=3,
    ),
    "one model contradicted": lambda: evaluate(some_against(), prior=0.25),
    "every row labelled": lambda: evaluate(
        pm.ScoreTable.from_groups(
            positive=[5, 4, 4, 2], unlabeled=None, negative=[4, 3, 1, 0], scenario="case_control"
        ),
        threshold=3,
    ),
}


def wrong_at(page, width):
    """What is wrong at a width, in words."""
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))")
    found = page.evaluate(MEASURE)
    assert found["lines"] > 12
    sideways = [f"scrolls sideways by {found['wide']}"] if found["wide"] > 0 else []
    return [f"at {width}: {text}" for text in found["outside"] + found["crossing"] + sideways]


@pytest.mark.parametrize("font", FONTS)
@pytest.mark.parametrize("name", PAGES)
def test_no_text_of_the_first_screen_overlaps_or_leaves_its_box(styled, tmp_path, name, font):
    page = open_in(styled, rendered(name), tmp_path, font)
    wrong = [text for width in WIDTHS for text in wrong_at(page, width)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("font", FONTS)
def test_moved_figures_fit_as_well(styled, tmp_path, font):
    """At a prior that was moved, numbers and intervals take the place of ranges; bounds are shown."""
    page = open_in(styled, rendered("two models with long names, nothing known"), tmp_path, font)
    page.check("#show-bounds")
    page.fill("#prior-number", "0.25")
    page.press("#prior-number", "Enter")
    assert page.locator(".figure .point").first.is_visible()
    wrong = [text for width in (390, 1001, 1280) for text in wrong_at(page, width)]
    assert not wrong, "\n".join(wrong)
