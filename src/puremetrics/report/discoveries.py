"""The section about discoveries: what checking the best unlabeled rows would find, and how many to check."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from puremetrics.evaluation import Evaluation, ModelEvaluation
from puremetrics.listing import DiscoveryCurve
from puremetrics.report import words
from puremetrics.report.pieces import (
    area,
    caption,
    counts_chart,
    figure_span,
    hue,
    key,
    line,
    model_name,
    section,
)

__all__ = ["discoveries"]

_AHEAD = 2.5  # the chart reaches so many times as far as the rows checked
_BANDS = 3  # models up to which every band is drawn
X_LABEL, Y_LABEL = "Unlabeled rows checked, best first", "Positives found"


def discoveries(evaluation: Evaluation, content: dict[str, Any]) -> str:
    """Return the section: a sentence for each model, the slider of rows checked, and the chart."""
    models = [
        (i, model)
        for i, model in enumerate(evaluation.models.values())
        if model.discovery is not None
    ]
    if not models or content["checked"] is None:
        return ""
    text = words.CAPTIONS["discovery"].format(level=words.level_words(evaluation.level))
    told = "".join(_told(i, model) for i, model in models)
    chart = (
        '<figure class="chart" id="found"><div class="legend">'
        f'{_keys(models, evaluation.level)}</div><div class="plot">'
        f"{_drawn(models, content['checked']['home'])}</div></figure>"
    )
    return section(
        "discovery-section",
        "What checking rows would find",
        f'<div class="pair checks"><div>{_slider(content["checked"])}{told}{caption(text)}</div>'
        f"{chart}</div>",
    )


def _keys(models: list[tuple[int, ModelEvaluation]], level: float) -> str:
    keys = [key(f"curve {hue(i)}", model.name) for i, model in models]
    keys += [key("diagonal", "every row positive"), key("random", "random order")]
    return "".join([*keys, key("band grey", f"{words.level_words(level)} limits", "band")])


def _slider(checked: dict[str, Any]) -> str:
    grid, home = checked["grid"], checked["home"]
    most = words.count(grid[-1])
    return (
        '<div class="control script-only"><div class="label"><label for="checked">Rows checked '
        "<small>of the unlabeled ones, best first</small></label>"
        f'<input id="checked-number" type="number" step="any" min="{grid[0]:g}" max="{grid[-1]!r}" '
        f'inputmode="decimal" value="{home:.10g}" aria-label="Rows checked, as a number"></div>'
        f'<input id="checked" type="range" min="0" max="{max(len(grid) - 1, 1)}" step="1" '
        f'value="{grid.index(home)}" aria-describedby="checked-hint"'
        f"{' disabled' if len(grid) < 2 else ''}>"
        f'<p class="hint" id="checked-hint">1 to all {most}, in ever larger steps; '
        "◇ on the curves above</p></div>"
    )


def _told(i: int, model: ModelEvaluation) -> str:
    """The sentence of a model; its range where the prior is not known well enough for one figure."""
    curve, rows = model.discovery, model.discovery_rows
    assert curve is not None
    assert rows is not None
    found = curve.at(rows)
    assert found.interval is not None
    value = found.value
    low = min(math.ceil(found.interval.low - 1e-9), value)
    high = max(math.floor(found.interval.high + 1e-9), value)
    spans = [
        figure_span(f"{i}.found{end}", exact, "whole", f"{shown:,.0f}".replace(",", "\u202f"))
        for end, exact, shown in (
            ("", value, value),
            (".low", found.interval.low, low),
            (".high", found.interval.high, high),
        )
    ]
    between = " to ".join(spans[1:])
    told = f"<b>{spans[0]}</b> positives <span>({between})</span>"
    if model.trust.level == "upper_bound":
        told = f'<span class="point">{told}</span><span class="spread"><b>{between}</b> positives</span>'
    given = "If labels are random, checking" if model.if_random else "Checking"
    checked = figure_span(f"{i}.checked", rows, "count")
    return (
        f'<div class="finding {hue(i)}" data-model="{i}"><h3>{model_name(model.name)}</h3>'
        f"<p>{given} the {checked} best unlabeled rows would find {told}.</p></div>"
    )


def reach_of(rows: float, total: float) -> float:
    """How far the chart goes: a round number some way beyond the rows checked, or all."""
    wanted = max(_AHEAD * rows, 10.0)
    base = 10.0 ** math.floor(math.log10(wanted))
    reach = next(step * base for step in (1, 2, 5, 10) if step * base >= wanted * (1 - 1e-9))
    return reach if reach < 0.7 * total else total


def _drawn(models: list[tuple[int, ModelEvaluation]], rows: float) -> str:
    curves: list[tuple[int, DiscoveryCurve]] = [
        (i, model.discovery) for i, model in models if model.discovery is not None
    ]
    first = curves[0][1]
    wide = reach_of(rows, first.unlabeled)
    banded = curves if len(curves) <= _BANDS else curves[:1]
    ends = [np.interp(wide, c.rows, c.finds) for _, c in curves]
    ends += [np.interp(wide, c.rows, c.high) for _, c in banded]
    tall = max(1.04 * float(max(ends)), 1.0)
    parts = []
    for i, curve in banded:
        x, low, high = (_until(curve, wide, column) for column in ("rows", "low", "high"))
        parts.append(area(x / wide, low / tall, high / tall, f"band {hue(i)}"))
    share = first.positives / first.unlabeled
    for slope in (1.0, share):
        end = min(1.0, tall / (slope * wide)) if slope > 0 else 1.0
        parts.append(
            line([0, end], [0, slope * end * wide / tall], "diagonal" if slope == 1.0 else "random")
        )
    for i, curve in curves:
        x, y = (_until(curve, wide, column) for column in ("rows", "finds"))
        parts.append(line(x / wide, y / tall, f"curve {hue(i)}"))
    parts.append(line([rows / wide] * 2, [0, 1], "cross"))
    label = f"Positives found by the number of unlabeled rows checked, up to {words.count(wide)}"
    return counts_chart(parts, (wide, tall), X_LABEL, Y_LABEL, label)


def _until(curve: DiscoveryCurve, end: float, column: str) -> Any:
    """A column of the curve up to a number of rows."""
    values, inside = getattr(curve, column), curve.rows < end
    return np.append(values[inside], np.interp(end, curve.rows, values))
