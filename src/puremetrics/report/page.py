"""One self-contained HTML file: template, style, script and numbers put together.

Everything a user supplies is escaped twice over: as text in the static part, and in the numbers for the
script as JSON without any character that HTML knows. The page's policy allows its own script and style by
their hashes and nothing else, no request of any kind included.

`provenance` says where the figures come from: enough to make the page again.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from importlib import resources

from puremetrics import __version__
from puremetrics.evaluation import Evaluation
from puremetrics.report import words
from puremetrics.report.evidence import evidence_body
from puremetrics.report.payload import payload, script_json
from puremetrics.report.pieces import section
from puremetrics.report.sections import body, contradicted_body

__all__ = ["provenance", "render"]


def provenance(
    evaluation: Evaluation, source: Mapping[str, str] | None, made: datetime | None
) -> str:
    """Return the section: version, date, what was read, what was assumed, and what else is known."""
    table = next(iter(evaluation.models.values())).table
    known = evaluation.prior
    lines = {
        **(source or {}),
        "Rows": words.rows_read(table),
        "Models": ", ".join(evaluation.models),
        "Design": table.scenario.replace("_", " "),
        "Prior": _prior(evaluation) + f", {evaluation.prior_source}",
        "Purity": _span(known.purity, known.purity_low, known.purity_high),
        **_about_labels(evaluation),
        "Confidence": words.level_words(evaluation.level),
    }
    shown = "".join(
        f'<div><dt>{escape(name)}</dt><dd dir="auto">{escape(_short(text))}</dd></div>'
        for name, text in lines.items()
    )
    return section(
        "provenance",
        "Where this comes from",
        f'<dl class="source">{shown}</dl>',
        words.provenance_answer(evaluation, made or datetime.now(UTC)),
    )


def _prior(evaluation: Evaluation) -> str:
    known = evaluation.prior
    if evaluation.rests_on_evidence and evaluation.trust.level == "contradicted":
        return f"{words.share(known.low)} to {words.share(known.high)}"
    return _span(known.value, known.low, known.high)


def _about_labels(evaluation: Evaluation) -> dict[str, str]:
    """What is known of the labels: other evidence, or how they were given."""
    if evaluation.evidence is not None:
        return {"Evidence": "; ".join(evaluation.evidence.kinds)}
    if evaluation.label_bias == 1:
        return {"Label bias": "labels count as random"}
    most = words.share(evaluation.label_bias)
    return {"Label bias": f"up to {most}, side: {evaluation.label_bias_side}"}


def _span(value: float, low: float, high: float) -> str:
    told = words.share(value)
    return told if low == high else f"{told} ({words.share(low)} to {words.share(high)})"


def _short(text: str) -> str:
    return text if len(text) <= 1000 else text[:999] + "…"


_SCRIPTS = (
    "special", "curves", "sampling", "core", "allowed", "calibration", "discovery", "chart", "figures",
    "draw", "found", "league", "zones", "events",
)  # fmt: skip


def render(
    evaluation: Evaluation,
    *,
    title: str | None = None,
    truth: Mapping[str, Mapping[str, float]] | None = None,
    notes: Sequence[str] = (),
    source: Mapping[str, str] | None = None,
    made: datetime | None = None,
) -> str:
    """Return an evaluation as one self-contained HTML page.

    Parameters
    ----------
    evaluation : Evaluation
    title : str, optional
        Heading of the page; by default it names the models.
    truth : mapping of str to mapping of str to float, optional
        True values by model and metric (``{"model": {"roc_auc": 0.97}}``), where hidden labels are known;
        they are shown beside the estimates.
    notes : sequence of str, optional
        Lines below the title, such as what models were compared by.
    source : mapping of str to str, optional
        What else is known of where the figures come from, such as files and the command; it stands in the
        last section, with version, date, rows and assumptions.
    made : datetime, optional
        Date of the page; by default now.

    Returns
    -------
    str
        HTML that needs no network. Its sliders recompute every figure from the counts in the page; without
        JavaScript the figures of the evaluation stand there. Size and cost grow with the labelled rows.

    Examples
    --------
    >>> from puremetrics import ScoreTable
    >>> from puremetrics.evaluation import evaluate
    >>> table = ScoreTable.from_groups(
    ...     positive=range(40, 80), unlabeled=range(60), scenario="case_control")
    >>> page = render(evaluate(table, prior=0.2), title="Churn")
    >>> page.startswith("<!DOCTYPE html>"), "<title>Churn</title>" in page
    (True, True)
    """
    shown = _clean(title) if title else _default_title(evaluation)
    last = provenance(evaluation, source, made)
    against = [m for m in evaluation.models.values() if m.trust.level == "contradicted"]
    if evaluation.rests_on_evidence:  # what the page's script computes would not
        return _put_together(
            shown, evidence_body(evaluation, shown, against, notes, last), "", "{}"
        )
    if len(against) == len(evaluation.models):
        return _put_together(shown, contradicted_body(evaluation, shown, notes, last), "", "{}")
    rest = {n: m for n, m in evaluation.models.items() if m.trust.level != "contradicted"}
    told = replace(evaluation, models=rest)
    content = payload(told, title=shown, truth=truth, allowed=evaluation)
    return _put_together(
        shown,
        body(told, content, evaluation.verdict, against, notes, last),
        _script(),
        script_json(content),
    )


def _put_together(title: str, content: str, script: str, data: str) -> str:
    style = _style()
    parts = {
        "title": escape(title),
        "version": escape(__version__),
        "style": style,
        "style-hash": _hash(style),
        "script": script,
        "script-hash": _hash(script),
        "body": content,
        "data": data,
    }
    page = re.sub(r"\{\{([a-z-]+)\}\}", lambda match: parts[match[1]], _asset("template.html"))
    return _clean(page)


def _default_title(evaluation: Evaluation) -> str:
    names = [name if len(name) <= 40 else name[:39] + "…" for name in evaluation.models]
    if names == ["model"]:
        return "How good is the classifier?"
    if len(names) == 1:
        return _clean(f"How good is {names[0]}?")
    if len(names) <= 3:
        return _clean(f"How good are {', '.join(names[:-1])} and {names[-1]}?")
    return f"How good are these {len(names)} classifiers?"


def _clean(text: str) -> str:
    """Text that can be written as UTF-8: lone surrogates become question marks, NUL disappears."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def _style() -> str:
    """The style without the characters that only people need."""
    text = re.sub(r"\s+", " ", _asset("style.css"))
    text = re.sub(r" ?([{};>~]) ?|(?<=[:,]) ", r"\1", text)
    return text.replace(";}", "}")


_SPACES = re.compile(r" ?(=>|===|!==|[!<>]=|&&|\|\||[,;:?={}()\[\]*]) ?")


def _script() -> str:
    """All files in one, without indentation, comments, and spaces where there is no text or pattern."""
    lines = [line.strip() for name in _SCRIPTS for line in _asset(f"{name}.js").splitlines()]
    lines = [re.sub(r"(?<=[;{},)\]]) // [^'\"`]*$", "", line) for line in lines]
    lines = [
        line if re.search(r"['\"`]|/[^ ]", line) else _SPACES.sub(r"\1", line) for line in lines
    ]
    parts = "\n".join(line for line in lines if line and not line.startswith("//"))
    return f"'use strict';\n(() => {{\n{parts}\n}})();\n"


def _asset(name: str) -> str:
    return (resources.files("puremetrics.report") / "assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return "sha256-" + base64.b64encode(digest).decode("ascii")
