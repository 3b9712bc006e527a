"""The section about an audit: its figures, and what each stratum said beside what was expected."""

from __future__ import annotations

from html import escape

import numpy as np

from puremetrics.evaluation import Evaluation
from puremetrics.evaluation.audited import AuditSummary, span_words
from puremetrics.report.pieces import caption, hue, model_name, section
from puremetrics.report.words import TITLES, count, figure, level_words
from puremetrics.results import Interval

__all__ = ["audit_section"]

_ABOUT = (
    "These figures rest on the rows that were checked and assume neither a prior nor random labels; the "
    "sliders do not move them. Beside them: what follows at the audited prior if labels are a random sample "
    "of the positives, as in the figures below. Where the two differ by more than their intervals, labels "
    "are biased."
)
_STRATA = (
    "Expected: positives among the checked rows if labels were a random sample of the positives. Many more "
    "or fewer in some range of scores mean that labels favour others."
)


def audit_section(evaluation: Evaluation) -> str:
    """Return the section, or nothing if no row was checked."""
    found = evaluation.audit
    if not isinstance(found, AuditSummary):
        return ""
    level = level_words(evaluation.level)
    cards = []
    for i, model in enumerate(evaluation.models.values()):
        rows = []
        for key, estimate in model.corrected.items():
            if key not in TITLES:
                continue
            other = model.if_random[key]
            rows.append(
                f'<tr><th scope="row">{TITLES[key]}</th>'
                f"<td><b>{figure(estimate.value)}</b> {_ends(estimate.interval)}</td>"
                f"<td>{figure(other.value)} {_ends(other.interval)}</td></tr>"
            )
        other_error = model.calibration_if_random
        if model.calibration is not None and other_error is not None:
            audited = model.calibration
            rows.append(
                '<tr><th scope="row">Calibration error</th>'
                f"<td><b>{figure(audited.error)}</b> {_ends(audited.interval)}</td>"
                f"<td>{figure(other_error.error)} {_ends(other_error.interval)}</td></tr>"
            )
        heads = "".join(
            f'<th scope="col">{text}</th>'
            for text in (f"audited, {level} interval", "if labels are random")
        )
        cards.append(
            f'<article class="card {hue(i)}" data-model="{i}"><h3>{model_name(model.name)}</h3>'
            f'<table class="plain"><thead><tr><td></td>{heads}</tr></thead>'
            f"<tbody>{''.join(rows)}</tbody></table></article>"
        )
    lines = (line.strip() for line in str(found.labels).splitlines()[:2])
    said = " ".join(escape(f"{line[0].upper()}{line[1:]}.") for line in lines)
    content = (
        f'<div class="cards">{"".join(cards)}</div>{caption(_ABOUT)}{_strata(found)}{caption(_STRATA)}'
        f'<p class="gist">{said}</p>'
    )
    return section("audit", "What the audit found", content)


def _strata(found: AuditSummary) -> str:
    rows = []
    for low, high, rows_, checked, positive, expected in zip(*found.frame().values(), strict=True):
        rows.append(
            f'<tr><th scope="row">{escape(span_words(low, high))}</th><td>{count(rows_)}</td>'
            f"<td>{count(checked)}</td><td>{count(positive)}</td><td>{expected:.1f}</td></tr>"
        )
    heads = "".join(
        f'<th scope="col">{text}</th>'
        for text in ("unlabeled rows", "checked", "positive", "expected")
    )
    total = float(np.sum(found.checked))
    return (
        f'<div class="scroll"><table class="plain"><thead><tr><td>scores ({count(total)} rows checked)</td>'
        f"{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _ends(interval: Interval | None) -> str:
    return "" if interval is None else f"({figure(interval.low)} to {figure(interval.high)})"
