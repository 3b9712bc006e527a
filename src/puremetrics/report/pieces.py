"""Small pieces of HTML that several sections share. Text from outside is escaped here."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from puremetrics.evaluation import ModelEvaluation
from puremetrics.report import words
from puremetrics.results import Estimate

__all__ = [
    "caption",
    "figure_span",
    "hue",
    "model_name",
    "naive_span",
    "point_or_span",
    "section",
    "span_of",
]

_HUES = 6


def hue(index: int) -> str:
    """The class that gives a model its colour and line pattern."""
    return f"m{index % _HUES}"


def model_name(name: str) -> str:
    """A model's name, isolated from the direction of the text around it; long ones are cut by the style."""
    shown = name if len(name) <= 200 else name[:199] + "…"
    return f'<bdi class="model" title="{escape(shown)}">{escape(shown)}</bdi>'


def figure_span(path: str, value: float, kind: str = "figure", told: str | None = None) -> str:
    """A number that the script keeps up to date, with its full precision beside the text."""
    if told is not None:
        text = told
    elif kind == "percent":
        text = f"{100 * value:.1f}\N{NO-BREAK SPACE}%"
    elif kind == "count":
        text = words.count(round(value, 1)) if abs(value) < 99.95 else words.count(round(value))
    elif kind == "plain":
        text = f"{value:.6g}"
    else:
        text = words.figure(value)
    return f'<span data-fig="{path}" data-kind="{kind}" data-value="{float(value)!r}">{escape(text)}</span>'


def span_of(i: int, key: str, low: float, high: float) -> str:
    """The interval of a figure."""
    ends = figure_span(f"{i}.{key}.low", low), figure_span(f"{i}.{key}.high", high)
    return f'<span class="span">{ends[0]} to {ends[1]}</span>'


def naive_span(i: int, key: str, model: ModelEvaluation) -> str:
    """The naive figure, struck out unless the corrected one reads the same."""
    naive, found = model.naive[key].value, model.modelled[key].value
    same = words.figure(naive) == words.figure(found) and model.trust.level != "upper_bound"
    look = ' class="same"' if same else ""
    return f'<s data-naive="{i}.{key}"{look}>{figure_span(f"{i}.naive.{key}", naive)}</s>'


def point_or_span(
    model: ModelEvaluation,
    found: Estimate | float,
    path: str,
    ends: Iterable[float] | None,
    kind: str = "figure",
) -> str:
    """A figure in bold; where it rests on a prior that is not known well enough, its range (`style.css`)."""
    point = figure_span(path, float(found), kind)
    if model.trust.level != "upper_bound" or not _rests_on_the_prior(model, found):
        return f"<b>{point}</b>"
    spread = ""
    if ends is not None:
        names = (f"{path}.low", f"{path}.high")
        shown = [figure_span(*end, kind) for end in zip(names, ends, strict=True)]
        spread = f'<b class="spread">{" to ".join(shown)}</b>'
    return f'<b class="point">{point}</b>{spread}'


def _rests_on_the_prior(model: ModelEvaluation, found: Estimate | float) -> bool:
    """Recall does not: it is the share of the labelled rows that are found, if every label is right."""
    name = found.name if isinstance(found, Estimate) else ""
    return name != "recall" or not model.setting.assumed.clean


def section(key: str, title: str, content: str) -> str:
    """A titled section."""
    heading = f'<h2 id="{key}-title">{title}</h2>'
    return f'<section id="{key}" aria-labelledby="{key}-title">{heading}{content}</section>'


def caption(text: str) -> str:
    """What the figures above assume."""
    return f'<p class="caption">{escape(text)}</p>'
