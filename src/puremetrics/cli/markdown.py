"""A short summary in Markdown, such as for a pull request."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from puremetrics import __version__
from puremetrics.cli.translating import translated

if TYPE_CHECKING:
    from puremetrics.comparing import Comparison
    from puremetrics.evaluation import Evaluation, ModelEvaluation
    from puremetrics.exceptions import Diagnostic
    from puremetrics.results import Interval

__all__ = ["comparison_markdown", "evaluation_markdown", "write_markdown"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
_FIGURES = ("roc_auc", "average_precision", "precision", "recall", "f1")
_HEADS = {
    "roc_auc": "ROC AUC",
    "average_precision": "average precision",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
}


def write_markdown(options: argparse.Namespace, text: str) -> None:
    """Write the summary, if one was asked for."""
    if options.markdown is not None:
        from puremetrics.io.writing import write_text

        write_text(options.markdown, text)


def evaluation_markdown(
    result: Evaluation, title: str | None, failed: Sequence[str], gates: int
) -> str:
    """An evaluation as a table of its models, with trust and remarks."""
    known = result.prior
    prior = f"{known.value:.4g}"
    if not known.is_point:
        prior += f" ({known.low:.4g} to {known.high:.4g})"
    lines = [f"### {_safe(title or 'Evaluation')}", "", *_gates(failed, gates)]
    lines += [*(f"- {_safe(part)}" for part in result.verdict.sentences), ""]
    heads = ["model", *_HEADS.values(), "at score ≥", "trust"]
    lines += _table(heads, [_row(model) for model in result.models.values()])
    lines += [
        "",
        f"Prior {prior}, {_safe(result.prior_source)}. {_safe(_sentence(result.trust.words))}",
    ]
    lines.append(
        f"{100 * result.level:g} % intervals; every figure is corrected for positives among the unlabeled "
        "rows."
    )
    remarks = [("", remark) for remark in result.diagnostics]
    remarks += [(name, remark) for name, m in result.models.items() for remark in m.diagnostics]
    return "\n".join([*lines, *_remarks(remarks), "", _foot()])


def comparison_markdown(
    result: Comparison, title: str | None, assumed: str, failed: Sequence[str], gates: int
) -> str:
    """A comparison as a table of its pairs."""
    lines = [f"### {_safe(title or 'Comparison')}", "", *_gates(failed, gates)]
    name = next(iter(result.estimates.values())).title
    rows = [
        [_safe(model), _figure(found.value, found.interval)]
        for model, found in result.estimates.items()
    ]
    lines += [*_table(["model", _safe(name)], rows), ""]
    pairs = [
        [
            f"{_safe(d.first)} − {_safe(d.second)}",
            f"{d.value:+.4f}",
            f"{d.interval.low:+.4f} to {d.interval.high:+.4f}",
            f"{d.adjusted_p_value:.3g}",
        ]
        for d in result.differences
    ]
    lines += _table(["difference", "value", "interval", "adjusted p"], pairs)
    lines += ["", _safe(assumed) + "."]
    return "\n".join(
        [*lines, *_remarks([("", remark) for remark in result.diagnostics]), "", _foot()]
    )


def _row(model: ModelEvaluation) -> list[str]:
    level = model.trust.level.replace("_", " ")
    if model.trust.level == "contradicted":
        return [_safe(model.name), *["–"] * (len(_FIGURES) + 1), level]
    found = [model.corrected.get(key) for key in _FIGURES]
    exact = model.trust.level != "upper_bound"
    cells = ["–" if e is None else _figure(e.value, e.interval, exact=exact) for e in found]
    at = next((e.threshold for e in found if e is not None and e.threshold is not None), None)
    return [_safe(model.name), *cells, "–" if at is None else f"{at:.6g}", level]


def _figure(value: float, interval: Interval | None, *, exact: bool = True) -> str:
    """A figure with its interval; where only the interval is known well enough, that alone."""
    span = "" if interval is None else f"{interval.low:.4f} to {interval.high:.4f}"
    if value != value:
        return "–"
    if not exact and span:
        return span
    return f"{value:.4f}" + (f" ({span})" if span else "")


def _gates(failed: Sequence[str], gates: int) -> list[str]:
    if not gates:
        return []
    if not failed:
        return [f"**Passed**: {gates} gate{'s' if gates > 1 else ''}.", ""]
    return [*(f"- **Failed**: {_safe(text)}" for text in failed), ""]


def _table(heads: list[str], rows: list[list[str]]) -> list[str]:
    lines = [heads, ["---"] * len(heads), *rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


def _remarks(found: list[tuple[str, Diagnostic]]) -> list[str]:
    if not found:
        return []
    told = dict.fromkeys(
        f"- {remark.code}{f' ({_safe(name)})' if name else ''}: {_safe(translated(remark.message))}"
        for name, remark in found
    )
    return ["", "<details><summary>Remarks</summary>", "", *told, "", "</details>"]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _foot() -> str:
    return f"<sub>puremetrics {__version__}</sub>\n"


def _safe(text: str) -> str:
    """Text that Markdown and HTML show as it is, on one line."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return _SPECIAL.sub(r"\\\1", plain).replace("&", "&amp;")
