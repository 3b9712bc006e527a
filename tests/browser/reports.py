"""How the page's sliders are moved and its figures read, and how far they are from the library's."""

import math

import numpy as np

from tests.javascript.vectors import figures_at

CLOSE = 1e-9

# One font is about as wide as fonts for text get, the other as narrow as Arial.
FONTS = {
    "wide": ("DejaVu Sans", "DejaVu Serif"),
    "narrow": ("Liberation Sans", "Liberation Serif"),
}

# Moves the real inputs and reads every figure after each move.
DRIVE = """
(moves) => moves.map((move) => {
  const fire = (id, type, value) => {
    const node = document.getElementById(id);
    node.value = value;
    node.dispatchEvent(new Event(type, { bubbles: true }));
  };
  if (move.active !== undefined) fire('active', 'change', move.active);
  if (move.stop !== undefined) {
    const slider = document.getElementById('threshold');
    fire('threshold', 'input', Math.round(move.stop * Number(slider.max)));
  }
  for (const key of ['purity', 'prior', 'checked']) {
    const slider = document.getElementById(key);
    if (move[key] === undefined || !slider) continue;
    fire(key, 'input', Math.round(move[key] * Number(slider.max)));
  }
  return window.__read();
})
"""
READ = """
() => {
  const out = { checked: (document.getElementById('checked') || { dataset: {} }).dataset.value,
    prior: document.getElementById('prior').dataset.value,
    purity: document.getElementById('purity').dataset.value, figures: {}, texts: {}, bounds: {}, bins: {} };
  for (const node of document.querySelectorAll('[data-fig]')) {
    const key = `${node.dataset.fig}${node.dataset.kind === 'percent' ? '%' : ''}`;
    out.figures[key] = node.dataset.value;
    out.texts[key] = node.textContent;
  }
  for (const node of document.querySelectorAll('[data-bounds]')) {
    const { low, high } = node.dataset;
    out.bounds[node.dataset.bounds] = low === undefined ? null : [low, high];
  }
  for (const node of document.querySelectorAll('[data-bin]')) out.bins[node.dataset.bin] = node.dataset.value;
  return out;
}
"""


def open_in(page, html, folder, font):
    """Open the report in one of the fonts; without figures its script has nothing to draw."""
    file = folder / "report.html"
    file.write_text(html, encoding="utf-8")
    page.goto(file.as_uri())
    sans, serif = FONTS[font]
    page.add_style_tag(
        content=f':root {{ --sans: "{sans}" !important; --serif: "{serif}" !important; }}'
    )
    page.wait_for_function(
        "() => document.querySelector('html.drawn') || !document.querySelector('[data-fig]')"
    )
    return page


def install(page):
    page.evaluate(f"() => {{ window.__read = {READ}; }}")


def drive(page, moves):
    return page.evaluate(DRIVE, moves)


def read(page):
    return page.evaluate("() => window.__read()")


def wait_until_said(page, text):
    """Wait until the page tells screen readers this, which it does a moment after the last move."""
    said = "(text) => document.getElementById('live').textContent.includes(text)"
    page.wait_for_function(said, arg=text)


def some_moves(seed, count):
    """Both ends of every slider, then anywhere."""
    rng = np.random.default_rng(seed)
    moves = [{}, {"prior": 0, "stop": 0}, {"prior": 1, "stop": 1}, {"purity": 0, "prior": 0}]
    for _ in range(count):
        purity = float(rng.random()) if rng.random() < 0.6 else 1.0
        moves.append(
            {
                "prior": float(rng.random()),
                "purity": purity,
                "stop": float(rng.random()),
                "checked": float(rng.random()),
            }
        )
    return moves


def check(evaluation, readings, active=0):
    """Every figure of every model is the library's; bins are shown of the active one."""
    assert readings
    for seen in readings:
        worst, where = worst_difference(evaluation, seen, active)
        assert worst < CLOSE, where


def worst_difference(evaluation, seen, active=0):
    """Largest distance between a reading of the page and the library; counts by the population's size."""
    prior, purity = (float(seen[key]) for key in ("prior", "purity"))
    size = next(iter(evaluation.models.values())).table.total
    worst, where = 0.0, ""
    for index in range(len(evaluation.models)):
        at = seen["figures"].get(f"{index}.threshold")
        stop = None if at is None else float(at)
        checked = None if seen.get("checked") is None else float(seen["checked"])
        wanted = figures_at(evaluation, index, prior, purity, stop, checked=checked)
        shown = {key: seen["figures"].get(f"{index}.{key}") for key in wanted}
        for key in [key for key in wanted if key.startswith("bin.")]:
            column, name = wanted.pop(key), key.removeprefix("bin.")
            if index == active and name in ("share", "mean", "rate", "gap"):
                wanted |= {f"{b}.{name}": value for b, value in enumerate(column)}
                shown |= {f"{b}.{name}": seen["bins"][f"{b}.{name}"] for b in range(len(column))}
        for key, value in wanted.items():
            page = float(shown[key].replace("Infinity", "inf"))
            scale = size if key in ("tp", "fp", "fn", "tn") else max(1.0, abs(value))
            same = page == value or (math.isnan(page) and math.isnan(value))
            gap = 0.0 if same else abs(page - value) / scale
            if not gap <= worst:
                worst, where = gap, f"model {index}, {key}: page {page}, library {value}"
    return worst, f"prior {prior}, purity {purity}; {where}"
