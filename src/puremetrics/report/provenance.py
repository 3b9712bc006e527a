"""Where the figures come from: enough to make the page again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from html import escape

from puremetrics import __version__
from puremetrics.evaluation import Evaluation
from puremetrics.report import words
from puremetrics.report.pieces import section

__all__ = ["provenance"]


def provenance(
    evaluation: Evaluation, source: Mapping[str, str] | None, made: datetime | None
) -> str:
    """Return the section: version, date, what was read, what was assumed, and what else is known."""
    when = made or datetime.now(UTC)
    zone = when.strftime(" %Z").rstrip()
    table = next(iter(evaluation.models.values())).table
    known = evaluation.prior
    lines = {
        "Made with": f"puremetrics {__version__}",
        "On": when.strftime("%Y-%m-%d %H:%M") + zone,
        **(source or {}),
        "Rows": words.rows_read(table),
        "Models": ", ".join(evaluation.models),
        "Design": table.scenario.replace("_", " "),
        "Prior": _span(known.value, known.low, known.high) + f", {evaluation.prior_source}",
        "Purity": _span(known.purity, known.purity_low, known.purity_high),
        "Label bias": "labels count as random"
        if evaluation.label_bias == 1
        else f"up to {words.share(evaluation.label_bias)}, side: {evaluation.label_bias_side}",
        "Confidence": words.level_words(evaluation.level),
    }
    shown = "".join(
        f'<div><dt>{escape(name)}</dt><dd dir="auto">{escape(_short(text))}</dd></div>'
        for name, text in lines.items()
    )
    return section("provenance", "Where this comes from", f'<dl class="source">{shown}</dl>')


def _span(value: float, low: float, high: float) -> str:
    told = words.share(value)
    return told if low == high else f"{told} ({words.share(low)} to {words.share(high)})"


def _short(text: str) -> str:
    return text if len(text) <= 1000 else text[:999] + "…"
