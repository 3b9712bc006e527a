"""The bar of sliders: prior, purity, label bias, threshold, and which models are shown."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from puremetrics.evaluation import Evaluation
from puremetrics.report.pieces import hue, model_name
from puremetrics.report.words import population, share

__all__ = ["controls"]


def controls(evaluation: Evaluation, content: dict[str, Any]) -> str:
    """Return the bar; the script shows it, since without one it can do nothing."""
    home = content["home"]
    about = population(next(iter(evaluation.models.values())).table).removeprefix("the ")
    told = f'<span class="blue">▮ evaluated {share(home["prior"])}</span>'
    if home["largest"] is not None:
        told += f' <span class="amber">▮ data allow ≤ {share(home["largest"])}</span>'
    meaning = f"positives of {about}"
    clean = "among the labelled rows; 1 if no label is wrong"
    parts = [
        _slider("prior", "Prior", meaning, told, content, _marks(content)),
        _slider("purity", "Purity", "share of true positives", clean, content, ""),
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
        f'<div class="controls">{"".join(parts)}</div>'
        f'<div class="status"><div class="chips" role="group" aria-label="Models shown">{chips}</div>'
        '<p id="state" class="state"></p>'
        '<button type="button" id="reset" class="button" disabled>Reset</button></div></div>'
        '<p class="printed"></p>'
    )


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
        f'<input id="{key}" type="range" min="0" max="{max(len(grid) - 1, 1)}" step="1" value="{place}" '
        f'aria-describedby="{key}-hint"{off}>{marks}<p class="hint" id="{key}-hint">{hint}</p></div>'
    )


def _marks(content: dict[str, Any]) -> str:
    """Under the slider: the evaluated prior, its range, and the largest one the data allow."""
    grid, home = np.array(content["grid"]["prior"]), content["home"]
    if grid.size < 2:
        return ""

    def place(prior: float) -> float:
        return 100 * float(np.interp(prior, grid, np.linspace(0, 1, grid.size)))

    drawn, told = [], [f"evaluated {share(home['prior'])}"]
    if home["low"] < home["high"]:
        left, right = place(home["low"]), place(home["high"])
        drawn.append(
            f'<rect class="range-of-prior" x="{left:.2f}%" width="{right - left:.2f}%" y="0" height="6"/>'
        )
        told.append(f"range {share(home['low'])} to {share(home['high'])}")
    at = place(home["prior"])
    drawn.append(
        f'<rect class="evaluated" x="{at:.2f}%" y="0" width="2" height="8" transform="translate(-1)"/>'
    )
    if home["largest"] is not None:
        most = place(home["largest"])
        drawn.append(
            f'<rect class="beyond" x="{most:.2f}%" width="{100 - most:.2f}%" y="0" height="4"/>'
        )
        drawn.append(f'<rect class="largest" x="{most:.2f}%" y="0" width="2" height="8"/>')
        told.append(f"largest the data allow {share(home['largest'])}")
    label = escape("; ".join(told))
    return f'<svg class="marks" role="img" aria-label="{label}"><title>{label}</title>{"".join(drawn)}</svg>'
