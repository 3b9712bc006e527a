"""What all figures share: colours, type, legend and caption, and their words. No figure is drawn here.

Colours are those of Okabe and Ito, which colour-blind readers tell apart; line patterns change with them, so
that figures survive a black-and-white printer. Everything is set on the artists: rcParams stay as they are.

The words of legends and captions say what an estimate is, and what it takes for granted.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import MissingDependencyError
from puremetrics.results import Interval
from puremetrics.scenarios import Scenario, design_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation


__all__ = [
    "CLASH",
    "FAINT",
    "INK",
    "NAIVE",
    "QUIET",
    "TRUTH",
    "add_caption",
    "add_legend",
    "assumption",
    "draw_reference",
    "estimates_drawn",
    "interval_sentence",
    "level_words",
    "look_of_next",
    "new_axes",
    "number",
    "outside_sentence",
    "percent",
    "prior_words",
    "show_unit_range",
    "tidy",
    "with_interval",
]


CLASH = "#a51440"  # of what contradicts something
INK, QUIET, FAINT = "#333333", "#6b6b6b", "#e6e6e6"
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_DASHES: tuple[Any, ...] = ("-", (0, (8, 1)), (0, (5, 1, 1, 1)), (0, (2.5, 0.8)))
_ESTIMATE, _CAPTION = "puremetrics-estimate", "puremetrics-caption"
_REFERENCE = "puremetrics-reference"
_SMALL, _TEXT, _FINE = 8.5, 9.5, 7.5  # points: legend and ticks, axis labels, caption
_MARGIN = 0.012  # room for lines that run along the edge of the unit square
_BEYOND = 0.1  # how far values that leave the unit square are followed

NAIVE: dict[str, Any] = {"color": "#8a8a8a", "linewidth": 1.0, "zorder": 2.1}
TRUTH: dict[str, Any] = {
    "color": "black",
    "linewidth": 1.3,
    "linestyle": (0, (1, 1.3)),
    "zorder": 2.6,
}
_DASHED: dict[str, Any] = {
    "color": "#b5b5b5",
    "linewidth": 0.8,
    "linestyle": (0, (4, 3)),
    "zorder": 1.9,
}


def new_axes(size: tuple[float, float]) -> Axes:
    """Make a figure with one pair of axes."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingDependencyError(
            "Drawing needs matplotlib, which is not installed. Install puremetrics[plots]."
        ) from None
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return plt.subplots(figsize=size, layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08))[1]


def estimates_drawn(ax: Axes) -> int:
    """Count the estimates that displays have drawn into these axes."""
    return sum(line.get_gid() == _ESTIMATE for line in ax.lines)


def look_of_next(ax: Axes, color: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """Colour and pattern of the next estimate drawn into the axes; the caller's options win."""
    drawn = estimates_drawn(ax)
    look = {
        "color": color or _COLORS[drawn % len(_COLORS)],
        "linestyle": _DASHES[drawn % len(_DASHES)],
        "linewidth": 1.9,
        "zorder": 2.5,
        "gid": _ESTIMATE,
    }
    aliases = {"c": "color", "ls": "linestyle", "lw": "linewidth"}
    return look | {aliases.get(name, name): value for name, value in options.items()}


def draw_reference(ax: Axes, heights: tuple[float, float]) -> Line2D:
    """Draw a dashed line across the unit square, or return the one that is there."""
    for line in ax.lines:
        if line.get_gid() == _REFERENCE and tuple(np.asarray(line.get_ydata())) == heights:
            return line
    return ax.plot([0, 1], heights, label="_reference", gid=_REFERENCE, **_DASHED)[0]


def tidy(ax: Axes, x_label: str, y_label: str) -> None:
    """Light axes: two spines, a faint grid, labels in plain words."""
    ax.set_xlabel(x_label, fontsize=_TEXT, color=INK)
    ax.set_ylabel(y_label, fontsize=_TEXT, color=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set(color=QUIET, linewidth=0.7)
    ax.tick_params(labelsize=_SMALL, color=QUIET, labelcolor=INK, width=0.7, length=3)
    ax.grid(True, color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)


def show_unit_range(ax: Axes, *, square: bool = True) -> None:
    """Show [0, 1] on both axes, and up to 0.1 more where something drawn lies outside it."""
    ticks = np.linspace(0, 1, 6)
    ax.set_xticks(ticks)
    ax.set_yticks(ticks)
    x0, y0, x1, y1 = np.clip(ax.dataLim.extents, -_BEYOND, 1 + _BEYOND)
    ax.set_xlim(min(x0, 0.0) - _MARGIN, max(x1, 1.0) + _MARGIN)
    ax.set_ylim(min(y0, 0.0) - _MARGIN, max(y1, 1.0) + _MARGIN)
    if square:
        ax.set_aspect("equal")


def add_legend(ax: Axes, where: bool | str) -> Legend | None:
    """Write the legend above the axes, where it covers nothing, or inside at ``where``."""
    if where is False:
        return None
    options: dict[str, Any] = {"loc": "best" if where is True else where, "frameon": True}
    if where is True and not ax.get_title():
        options = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.01), "frameon": False}
        options |= {"borderaxespad": 0.0, "borderpad": 0.2}
    legend = ax.legend(
        fontsize=_SMALL, labelcolor=INK, handlelength=2.4, labelspacing=0.35, **options
    )
    legend.get_frame().set(edgecolor="none", facecolor="white", alpha=0.85)
    return legend


def add_caption(ax: Axes, sentences: list[str]) -> Annotation:
    """Write what the figure assumes below it; sentences that stand there already are not repeated."""
    old = [text for text in ax.texts if text.get_gid() == _CAPTION]
    words = " ".join(text.get_text().replace("\n", " ") for text in old)
    for text in old:
        text.remove()
    for sentence in sentences:
        if sentence and sentence not in words:
            words = f"{words} {sentence}".strip()
    box = ax.get_window_extent()
    wide = min(box.width, box.height) if ax.get_aspect() == 1.0 else 0.93 * box.width
    columns = max(int(wide * 72 / ax.figure.dpi / (0.48 * _FINE)), 36)
    return ax.annotate(
        "\n".join(textwrap.wrap(words, columns)),
        xy=(0.0, 0.0),
        xycoords=("axes fraction", ax.xaxis.label),
        xytext=(0, -7),
        textcoords="offset points",
        va="top",
        fontsize=_FINE,
        color=QUIET,
        linespacing=1.35,
        annotation_clip=False,
        gid=_CAPTION,
    )


def number(value: float) -> str:
    """Three decimals, as legends show them."""
    return f"{value:.3f}"


def percent(share: float) -> str:
    """Format a share in per cent, without needless digits."""
    return f"{100 * share:.3g}%"


def level_words(level: float | None) -> str:
    """Confidence level before the word "confidence"; nothing if it is not known."""
    return "" if level is None else f"{percent(level)} "


def prior_words(scenario: Scenario | None) -> str:
    """Say what the prior is the share of."""
    return f"share of positives among {_population(scenario)}"


def with_interval(title: str, value: float, interval: Interval | None) -> str:
    """Name an estimate with its interval: "AUC 0.973 (0.956 to 0.998)"."""
    text = f"{title} {number(value)}"
    if interval is None:
        return text
    return f"{text} ({number(interval.low)} to {number(interval.high)})"


def assumption(
    scenario: Scenario | None,
    prior: float | None,
    purity: float | None,
    *,
    uncertain: bool = False,
    label_bias: float = 1.0,
) -> str:
    """Say in one sentence what an estimate takes for granted; an infinite label bias is left out."""
    parts = []
    alike = "a random sample of the positives"
    if label_bias > 1:
        alike = f"taken from the positives with chances that differ up to {label_bias:.3g}-fold"
    if prior is not None:
        about = "about " if uncertain else ""
        parts.append(f"{about}{percent(prior)} of {_population(scenario)} are positive")
    if purity is not None and purity < 1:
        parts.append(f"{percent(purity)} of the labelled rows are truly positive")
        parts.append(f"those are {alike}")
    elif np.isfinite(label_bias):
        parts.append(f"the labelled rows are {alike}")
    if not parts:
        return ""
    listed = ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]
    return f"Assumes that {listed}."


def interval_sentence(interval: Interval | None) -> str:
    """Say what the interval in the legend is."""
    if interval is None:
        return ""
    what = {
        "confidence": "confidence interval",
        "identification": "range over the possible priors",
        "combined": "confidence interval, widened by uncertain assumptions",
    }[interval.kind]
    level = f"{percent(interval.level)} " if interval.level < 1 else ""
    return f"In brackets: {level}{what}."


def outside_sentence(*columns: FloatArray) -> str:
    """Say so if something drawn lies outside [0, 1], and if it leaves the axes."""
    furthest = max(float(np.max(np.abs(column - 0.5))) - 0.5 for column in columns)
    if furthest <= 1e-9:
        return ""
    where = ", some beyond the axes" if furthest > 0.1 else ""
    return f"Values outside 0 to 1{where}: sampling error, or too high a prior."


def _population(scenario: Scenario | None) -> str:
    return "all rows" if scenario is None else design_of(scenario).population((1, 1, 0))
