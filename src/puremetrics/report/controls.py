"""The bar of sliders: prior, purity, label bias, threshold, and which models are shown."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from puremetrics.evaluation import Evaluation
from puremetrics.report.pieces import hue, model_name
from puremetrics.report.words import population, share

__all__ = ["controls"]

_CHIPS = 6  # models that are named in the bar


def controls(evaluation: Evaluation, content: dict[str, Any]) -> str:
    """Return the bar; the script shows it, since without one it can do nothing."""
    home = content["home"]
    about = population(next(iter(evaluation.models.values())).table).removeprefix("the ")
    told = f'<span class="blue">▮ evaluated {share(home["prior"])}</span>'
    told += ' <span class="amber" id="prior-zone"></span>'
    meaning = f"positives of {about}"
    clean = '1 if no label is wrong <span class="amber" id="purity-zone"></span>'
    parts = [
        _slider("prior", "Prior", meaning, told, content, _marks("prior", content)),
        _slider(
            "purity",
            "Purity",
            "labels that are right",
            clean,
            content,
            _marks("purity", content),
        ),
        _slider("bias", "Label bias", "how uneven labels may be", _favoured(home), content, ""),
    ]
    with_threshold = [(i, m) for i, m in enumerate(content["models"]) if m["at"] is not None]
    if with_threshold:
        options = "".join(
            f'<option value="{i}">{escape(m["name"][:60])}</option>' for i, m in with_threshold
        )
        parts.append(
            '<div class="control"><div class="label"><label for="threshold">Threshold '
            "<small>lowest score flagged</small></label>"
            '<input id="threshold-number" type="number" step="any" inputmode="decimal" '
            'aria-label="Threshold, as a score"></div>'
            '<input id="threshold" type="range" min="0" max="1" step="1" value="0">'
            f'<p class="hint">of <select id="active" aria-label="Model whose threshold is moved">{options}'
            "</select>; drag it on the charts, too</p></div>"
        )
    chips = "".join(
        f'<label class="chip {hue(i)}"><input type="checkbox" data-show="{i}" checked>'
        f"{model_name(model['name'])}</label>"
        for i, model in enumerate(content["models"])
    )
    return (
        '<div class="deck script-only" role="group" aria-label="What is assumed">'
        '<button type="button" id="deck-open" class="deck-bar" aria-expanded="false" '
        'aria-controls="deck-body">'
        '<span id="bar-values"></span><span class="chevron" aria-hidden="true">▴</span></button>'
        f'<div id="deck-body"><div class="controls">{"".join(parts)}</div>'
        f'<div class="status">{_shown(chips, len(content["models"]))}'
        '<p id="state" class="state"></p>'
        '<button type="button" id="reset" class="button" disabled>Reset</button></div></div></div>'
        '<p class="printed"></p>'
    )


def _shown(chips: str, models: int) -> str:
    """Which models are shown; of many, folded, so that the bar stays low."""
    group = f'<div class="chips" role="group" aria-label="Models shown">{chips}</div>'
    if models <= _CHIPS:
        return group
    return f'<details class="fold"><summary>Models shown</summary>{group}</details>'


def _favoured(home: dict[str, Any]) -> str:
    """What a label bias is, and which side it is known to be on."""
    said = {"high": "; high scores favoured", "low": "; low scores favoured"}.get(home["side"], "")
    return f"some positives {home['favoured']}; 1 = at random{said}"


def _slider(
    key: str, title: str, meaning: str, hint: str, content: dict[str, Any], marks: str
) -> str:
    value, grid = content["home"][key], content["grid"][key]
    place = int(np.argmin(np.abs(np.array(grid) - value)))
    ends = f'min="1" max="{share(grid[-1])}"' if key == "bias" else 'min="0" max="1"'
    off = " disabled" if content["fixed"] or len(grid) < 2 else ""
    return (
        f'<div class="control"><div class="label"><label for="{key}">{title} <small>{meaning}</small></label>'
        f'<input id="{key}-number" type="number" step="any" {ends} inputmode="decimal" '
        f'value="{share(value)}" aria-label="{title}, as a number"{off}></div>'
        f'<div class="track">{marks}<input id="{key}" type="range" min="0" max="{max(len(grid) - 1, 1)}" '
        f'step="1" value="{place}" aria-describedby="{key}-hint"{off}></div>'
        f'<p class="hint" id="{key}-hint">{hint}</p></div>'
    )


def _marks(key: str, content: dict[str, Any]) -> str:
    """Behind the slider: the evaluated position and its range; the script adds what the data rule out."""
    grid, home = np.array(content["grid"][key]), content["home"]
    if grid.size < 2:
        return ""

    def place(value: float) -> float:
        return 100 * float(np.interp(value, grid, np.linspace(0, 1, grid.size)))

    drawn = []
    low, high = home["spans"][key]
    if low < high:
        left, right = place(low), place(high)
        drawn.append(
            f'<rect class="range-of-prior" x="{left:.2f}%" width="{right - left:.2f}%" y="8" height="6"/>'
        )
    drawn.append(
        f'<rect class="evaluated" x="{place(home[key]):.2f}%" y="14" width="2" height="8" '
        'transform="translate(-1)"/>'
    )
    zones = f'<g id="{key}-zones"></g>'
    return f'<svg class="marks" aria-hidden="true">{zones}{"".join(drawn)}</svg>'
