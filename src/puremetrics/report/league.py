"""Many models in one chart: sorted dots with their intervals on one axis, and the figures beside them."""

from __future__ import annotations

import math

from puremetrics.evaluation import Evaluation, ModelEvaluation
from puremetrics.report import words
from puremetrics.report.pieces import hue, model_name, point_or_span, span_of
from puremetrics.report.words import level_words

__all__ = ["league"]

_WIDE, _EDGE = 220, 8


def league(evaluation: Evaluation) -> str:
    """Return the chart as a table, one row a model, the largest ROC area first."""
    order = sorted(
        enumerate(evaluation.models.values()), key=lambda one: -one[1].modelled["roc_auc"].value
    )
    least = axis_start([_ends(model)[0] for _, model in order])
    others: list[str] = [k for k in ("average_precision", "f1") if k in order[0][1].modelled]
    titles = {"average_precision": "Av. prec.", "f1": "F1"}
    heads = "".join(f'<th scope="col" class="num">{titles[key]}</th>' for key in others)
    rows = "".join(_row(i, model, least, others) for i, model in order)
    return (
        '<div class="scroll"><table class="league"><thead><tr><th scope="col">Model</th>'
        f'<td class="bar" aria-hidden="true">{_axis(least)}</td><th scope="col" class="num">ROC AUC</th>'
        f'<th scope="col">{level_words(evaluation.level)} interval</th>{heads}</tr></thead>'
        f'<tbody id="league">{rows}</tbody></table></div>'
    )


def axis_start(lows: list[float]) -> float:
    """A round number below all of these, so that the axis shows where they differ.

    >>> axis_start([0.62, 0.7]), axis_start([0.93]), axis_start([0.2])
    (0.6, 0.9, 0.2)
    """
    return min(max(math.floor(10 * min(lows) + 1e-9) / 10, 0.0), 0.9)


def _row(i: int, model: ModelEvaluation, least: float, others: list[str]) -> str:
    found = model.modelled["roc_auc"]
    low, high = _ends(model)
    point = point_or_span(model, found, f"{i}.roc_auc", None)
    cells = "".join(
        f'<td class="num">{point_or_span(model, model.modelled[key], f"{i}.{key}", None)}</td>'
        for key in others
        if key in model.modelled
    )
    return (
        f'<tr class="{hue(i)}" data-model="{i}"><th scope="row">{model_name(model.name)}</th>'
        f'<td class="bar">{_dot(i, least, found.value, (low, high), model.naive["roc_auc"].value)}</td>'
        f'<td class="num">{point}</td><td>{span_of(i, "roc_auc", low, high)}</td>{cells}</tr>'
    )


def _ends(model: ModelEvaluation) -> tuple[float, float]:
    found = model.modelled["roc_auc"]
    low, high = found.interval or (found.value, found.value)
    return low, high


def _x(value: float, least: float) -> float:
    inside = min(max(value, least), 1.0)
    return _EDGE + (_WIDE - 2 * _EDGE) * (inside - least) / (1 - least)


def _dot(i: int, least: float, value: float, ends: tuple[float, float], naive: float) -> str:
    low, high = (_x(end, least) for end in ends)
    drawn = [f'<path class="base" d="M{_EDGE} 9H{_WIDE - _EDGE}"/>']
    if naive >= least:
        drawn.append(f'<path class="tick-naive" d="M{_x(naive, least):.1f} 4V14"/>')
    drawn.append(
        f'<rect class="sure" x="{low:.1f}" y="6" width="{max(high - low, 1):.1f}" height="6" rx="1"/>'
        f'<circle class="dot" cx="{_x(value, least):.1f}" cy="9" r="4"/>'
    )
    return (
        f'<svg class="range" data-league="{i}" viewBox="0 0 {_WIDE} 18" aria-hidden="true">'
        f"{''.join(drawn)}</svg>"
    )


def _axis(least: float) -> str:
    middle = (least + 1) / 2
    ticks = "".join(
        f'<text class="{place}" x="{_x(at, least):.1f}" y="12">{words.figure(at, 2).rstrip("0").rstrip(".")}'
        f'</text><path class="base" d="M{_x(at, least):.1f} 14V18"/>'
        for at, place in ((least, ""), (middle, "mid"), (1.0, "end"))
    )
    return f'<svg class="range" data-league="axis" viewBox="0 0 {_WIDE} 18">{ticks}</svg>'
