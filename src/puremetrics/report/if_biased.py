"""The section about labels that are not a random sample: every headline figure over the label bias.

One small chart for each figure, all with the same axes, drawn here and still: what is hovered is read out by
the style alone. The numbers come with the page's (`report.payload`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any

from puremetrics.evaluation import Evaluation, ModelEvaluation
from puremetrics.report import words
from puremetrics.report.pieces import caption, hue, key, model_name, section
from puremetrics.report.words import TITLES, figure, share

__all__ = ["FEW", "if_biased"]

FEW = 3  # models up to which all figures are told; of more, the ROC area

_WIDE, _TALL, _LEFT, _RIGHT, _TOP, _BOTTOM = 220, 186, 34, 10, 22, 40
_STEPS = (0.05, 0.1, 0.2, 0.25)
_LINES = 4  # between the lines of the grid, at most
_MARKS = (1, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000, 10_000, 100_000, 1_000_000)
_APART = 26  # pixels between labels below the axis, at least
_GIVEN = (
    " Precision, recall and F1 take the threshold as given here; above they allow for its having been chosen "
    "on these rows."
)


def if_biased(evaluation: Evaluation, content: dict[str, Any]) -> str:
    """Return the section, or nothing if no figure depends on how labels were given."""
    told = [
        (i, model, content["models"][i]["biased"])
        for i, model in enumerate(evaluation.models.values())
        if any(_opens(curve) for curve in content["models"][i]["biased"].values())
    ]
    if not told:
        return ""
    curves = [curve for _, _, found in told for curve in found.values()]
    axes = _Axes(curves)
    few = len(evaluation.models) <= FEW
    blocks = "".join(_model(*one, axes) for one in told) if few else _many(told, axes)
    level = words.level_words(evaluation.level)
    keys = key("inner grey", "what the bias leaves open", "band")
    keys += key("band grey", f"with sampling error{_ranged(evaluation)}: {level} interval", "band")
    if any(_tips(model, name, axes) for _, model, found in told for name in found):
        keys += key("holds grey", "up to here the conclusion holds")
    if evaluation.label_bias > 1:
        keys += key("assumed grey", f"evaluated: {share(evaluation.label_bias)}")
    design = next(iter(evaluation.models.values())).table.design
    about = (
        f"A label bias of 2 says that some positives {design.favoured('up to 2', 'may')}; 1 is a random "
        "sample. Nobody can read the bias off these rows: an audit tells it."
    )
    if few and any(model.operating_point is not None for _, model, _ in told):
        about += _GIVEN
    place, _ = words.best_of(evaluation)
    of = next((one for one in told if one[0] == place), told[0])
    return section(
        "biased-section",
        "If labels are not a random sample",
        f'<div data-home="all"><div class="legend">{keys}</div>{blocks}</div>'
        '<p class="note" data-away hidden>Hidden: this was computed at the evaluated position of the '
        f"sliders. Reset to see it.</p>{caption(about)}",
        words.bias_answer(evaluation, of[1], of[2]),
        "all",
    )


def _many(told: Sequence[tuple[int, ModelEvaluation, Mapping[str, Any]]], axes: _Axes) -> str:
    """The ROC areas of many models side by side; numbers and words are folded."""
    panels = "".join(_panel(i, model, "roc_auc", found, axes, True) for i, model, found in told)
    stands = "".join(
        f"<li>{model_name(model.name)}: {escape(' '.join(words.tipping_words(model).values()))}</li>"
        for _, model, _ in told
        if model.tipping
    )
    rows = [(model.name, found["roc_auc"]) for _, model, found in told]
    listed = f'<ul class="list">{stands}</ul>' if stands else ""
    return f'<div class="panels">{panels}</div>{_folded(rows, listed)}'


def _ranged(evaluation: Evaluation) -> str:
    """What else the interval allows for."""
    known = evaluation.prior
    if known.low < known.high:
        return " and the range of the prior"
    return " and the range of the purity" if known.purity_low < known.purity_high else ""


def _opens(curve: Mapping[str, Any]) -> bool:
    """Whether the figure depends on the label bias at all."""
    return bool(curve["bias_low"][-1] < curve["bias_high"][-1])


class _Axes:
    """Axes that all charts share: the label bias on a scale of logarithms, and the figure."""

    def __init__(self, curves: Sequence[Mapping[str, Any]]) -> None:
        least = min(min(curve["low"]) for curve in curves)
        step = next((s for s in _STEPS if (1 - least) / s <= _LINES + 1e-9), _STEPS[-1])
        self.least: float = round(max(math.floor(least / step + 1e-9) * step, 0.0), 2)
        count = round((1 - self.least) / step)
        self.lines = [round(1 - step * n, 2) for n in range(count + 1)]
        self.most = float(max(curve["label_bias"][-1] for curve in curves))

    def x(self, bias: float) -> float:
        return _LEFT + (_WIDE - _LEFT - _RIGHT) * math.log(bias) / math.log(self.most)

    def y(self, value: float) -> float:
        inside = min(max(value, self.least), 1.0)
        return _TOP + (_TALL - _TOP - _BOTTOM) * (1 - inside) / (1 - self.least)

    def drawn(self) -> str:
        """The grid, and the numbers beside and below it."""
        bottom, right, last = _TALL - _BOTTOM, _WIDE - _RIGHT, -math.inf
        lines = [f"M{_LEFT} {self.y(line):.0f}H{right}" for line in self.lines]
        beside = [f'<text x="28" y="{self.y(line) + 4:.0f}">{line:g}</text>' for line in self.lines]
        below = []
        for mark in _MARKS:
            if mark > self.most * (1 + 1e-9) or self.x(mark) - last < _APART:
                continue
            last = self.x(mark)
            lines.append(f"M{last:.0f} {_TOP}V{bottom}")
            below.append(f'<text x="{last:.0f}" y="{bottom + 17}">{mark:g}</text>')
        below.append(f'<text x="{(_LEFT + right) / 2:g}" y="{_TALL - 6}">label bias</text>')
        return (
            f'<path class="grid" d="{"".join(lines)}"/><g class="end">{"".join(beside)}</g>'
            f'<g class="mid">{"".join(below)}</g>'
        )

    def between(self, curve: Mapping[str, Any], low: str, high: str, look: str) -> str:
        """The area between two lines over the label bias."""
        up = [
            f"{self.x(b):.1f} {self.y(v):.1f}"
            for b, v in zip(curve["label_bias"], curve[high], strict=True)
        ]
        down = [
            f"{self.x(b):.1f} {self.y(v):.1f}"
            for b, v in zip(curve["label_bias"], curve[low], strict=True)
        ]
        return f'<path class="{look}" d="M{"L".join([*up, *reversed(down)])}Z"/>'

    def spots(self, curve: Mapping[str, Any]) -> str:
        """What is said at each label bias while the pointer is there."""
        places = [self.x(bias) for bias in curve["label_bias"]]
        ends = [_LEFT, *((a + b) / 2 for a, b in pairwise(places))]
        ends.append(_WIDE - _RIGHT)
        parts, tall = [], _TALL - _TOP - _BOTTOM
        for n, bias in enumerate(curve["label_bias"]):
            text = f"{share(bias)}: {figure(curve['low'][n])} to {figure(curve['high'][n])}"
            parts.append(
                f'<g><path d="M{ends[n]:.0f} {_TOP}H{ends[n + 1]:.0f}v{tall}H{ends[n]:.0f}z"/>'
                f"<text>{text}</text></g>"
            )
        return f'<g class="spots">{"".join(parts)}</g>'


def _model(
    i: int, model: ModelEvaluation, found: Mapping[str, Mapping[str, Any]], axes: _Axes
) -> str:
    """The charts of one model, what its conclusions stand, and the numbers."""
    at = next((c["threshold"] for c in found.values() if c["threshold"] is not None), None)
    rule = "" if at is None else f'<span class="rule"> score ≥\N{NO-BREAK SPACE}{at:.6g}</span>'
    panels = "".join(_panel(i, model, name, found, axes, False) for name in found)
    rows = [(TITLES[name], curve) for name, curve in found.items()]
    told = " ".join(words.tipping_words(model).values())
    stands = f'<p class="gist">{escape(told)}</p>' if told else ""
    return (
        f'<article class="biased {hue(i)}" data-model="{i}"><h3>{model_name(model.name)}{rule}</h3>'
        f'{stands}<div class="panels">{panels}</div>{_folded(rows)}</article>'
    )


def _panel(
    i: int,
    model: ModelEvaluation,
    name: str,
    found: Mapping[str, Mapping[str, Any]],
    axes: _Axes,
    named: bool,
) -> str:
    """One chart, with the figure or the model as its title."""
    curve, look = found[name], hue(i)
    title = model_name(model.name) if named else TITLES[name]
    parts = [
        axes.drawn(),
        axes.between(curve, "low", "high", f"band {look}"),
        axes.between(curve, "bias_low", "bias_high", f"inner {look}"),
    ]
    if not words.is_open(model):
        parts.append(
            f'<circle class="bead {look}" cx="{axes.x(1):.1f}" cy="{axes.y(curve["value"]):.1f}" r="3.2"/>'
        )
    if not model.setting.bias.is_random:
        at = axes.x(model.setting.bias.most)
        parts.append(f'<path class="assumed {look}" d="M{at:.1f} {_TOP}V{_TALL - _BOTTOM}"/>')
    if _tips(model, name, axes):
        point = model.tipping[name]
        at, target = axes.x(point.low), axes.y(point.target)
        parts.append(
            f'<path class="holds {look}" d="M{_LEFT} {target:.1f}H{at:.1f}V{_TALL - _BOTTOM}"/>'
            f'<circle class="mark {look}" cx="{at:.1f}" cy="{target:.1f}" r="3.6"/>'
        )
    first, last = (f"{figure(curve['low'][n])} to {figure(curve['high'][n])}" for n in (0, -1))
    label = f"{TITLES[name]} of {model.name[:60]}: {first} if labels are random, {last} with a label bias of "
    tag = "h3" if named else "h4"
    return (
        f'<figure class="panel {look}"{f" data-model={i}" if named else ""}><{tag}>{title}</{tag}>'
        f'<svg viewBox="0 0 {_WIDE} {_TALL}" role="img" '
        f'aria-label="{escape(label + share(curve["label_bias"][-1]))}">{"".join(parts)}'
        f"{axes.spots(curve)}</svg></figure>"
    )


def _tips(model: ModelEvaluation, name: str, axes: _Axes) -> bool:
    """Whether a conclusion fails at a label bias that the chart shows."""
    return name in model.tipping and 1.0 < model.tipping[name].low <= axes.most


def _folded(rows: Sequence[tuple[str, Mapping[str, Any]]], more: str = "") -> str:
    """The charts in numbers, at the label biases that all have."""
    common = [b for b in rows[0][1]["label_bias"] if all(b in c["label_bias"] for _, c in rows)]
    head = "".join(f'<th scope="col">{share(bias)}</th>' for bias in common)
    lines = []
    for title, curve in rows:
        places = [curve["label_bias"].index(bias) for bias in common]
        cells = "".join(
            f"<td>{figure(curve['low'][n])} to {figure(curve['high'][n])}</td>" for n in places
        )
        lines.append(f'<tr><th scope="row">{model_name(title)}</th>{cells}</tr>')
    return (
        '<details class="fold"><summary>In numbers</summary><div class="scroll"><table class="plain">'
        f'<thead><tr><th scope="col">label bias up to</th>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>{more}</details>"
    )
