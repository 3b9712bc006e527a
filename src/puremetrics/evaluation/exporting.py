"""An evaluation for other places: the sentence for a paper, and its figures as Markdown, LaTeX or CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from puremetrics.exceptions import InputError
from puremetrics.results.protocol import percent

if TYPE_CHECKING:
    from puremetrics.evaluation.model import ModelEvaluation
    from puremetrics.evaluation.records import Evaluation
    from puremetrics.results import Estimate

__all__ = ["csv_text", "latex_table", "markdown_table", "paper_sentence"]

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def paper_sentence(result: Evaluation, model: str | None = None) -> str:
    """What a paper would say of one model: figure, interval, bounds, prior and its source, assumptions."""
    from puremetrics import __version__

    name = model if model is not None else result.verdict.best or next(iter(result.models))
    if name not in result.models:
        raise InputError(
            f"There is no model {name!r} in this evaluation. Pass one of "
            f"{', '.join(map(repr, result.models))}."
        )
    found = result.models[name]
    if found.trust.level == "contradicted":
        return f"No figures are reported for {name}: {found.trust.reason}"
    parts = [_told(found.corrected["roc_auc"], result.level, found.trust.level == "upper_bound")]
    for key in ("average_precision", "f1"):
        if key in found.corrected:
            told = _told(found.corrected[key], None, found.trust.level == "upper_bound")
            cut = found.corrected[key].threshold
            parts.append(told if cut is None else f"{told} at score >= {cut:.4g}")
    bounds = found.bounds.get("roc_auc")
    certain = ""
    if bounds is not None and not found.if_random:
        certain = (
            f" Whichever unlabeled rows are positive, the ROC AUC lies between {bounds.low:.3f} and "
            f"{bounds.high:.3f}."
        )
    pos, unl, neg = found.table.totals
    rows = f"{pos:.0f} labelled positive and {unl:.0f} unlabeled rows"
    if neg:
        rows += f" and {neg:.0f} known negatives"
    scenario = found.table.scenario.replace("_", " ").replace("case control", "case-control")
    return (
        f"On {rows} ({scenario}), {name} has {', '.join(parts[:-1])} and {parts[-1]}.{certain} "
        f"{_assumed(result, found)} Computed with puremetrics {__version__}."
    )


def _told(estimate: Estimate, level: float | None, ranged: bool) -> str:
    title = estimate.title.split(" (")[0]
    title = title if title[:3].isupper() or title[1:2].isdigit() else title.lower()
    ends = estimate.interval
    if ends is None:
        return f"a {title} of {estimate.value:.3f}"
    word = "" if level is None else f"{percent(level)} interval "
    article = "an" if title[0] in "aeioFAR" and not title.startswith("ROC") else "a"
    if ranged:
        return f"{article} {title} between {ends.low:.3f} and {ends.high:.3f}"
    return f"{article} {title} of {estimate.value:.3f} ({word}{ends.low:.3f} to {ends.high:.3f})"


def _assumed(result: Evaluation, model: ModelEvaluation) -> str:
    if model.table.total_unl == 0:
        return "All rows are labelled."
    if model.if_random:
        n = next(iter(model.corrected.values())).n_checked
        return (
            f"The figures rest on {n} rows that were checked by hand, and assume neither a prior nor random "
            "labels."
        )
    known = result.prior
    span = f"{known.value:.4g}" if known.is_point else f"{known.low:.4g} to {known.high:.4g}"
    source = "was given" if result.prior_source == "given" else f"was {result.prior_source}"
    purity = "" if known.purity_low == 1 else f", the labels to have purity {known.purity:.4g}"
    bias = ""
    if result.label_bias > 1:
        bias = f", up to a label bias of {result.label_bias:.4g}"
    return (
        f"The prior ({span}) {source}; labels are taken to be a random sample of the positives{bias}"
        f"{purity}."
    )


def _cells(result: Evaluation) -> tuple[list[str], list[list[str]]]:
    """Titles of the columns, and one row for each model: value and interval of every metric."""
    first = next(iter(result.models.values()))
    titles = ["model", *(e.title.split(" (")[0] for e in first.corrected.values())]
    rows = []
    for name, model in result.models.items():
        row = [name]
        for found in model.corrected.values():
            ends = found.interval
            span = "" if ends is None else f"{ends.low:.3f} to {ends.high:.3f}"
            if model.trust.level == "contradicted":
                row.append("–")
            elif model.trust.level == "upper_bound":
                row.append(span)
            else:
                row.append(f"{found.value:.3f} ({span})" if span else f"{found.value:.3f}")
        rows.append(row)
    return titles, rows


def markdown_table(result: Evaluation) -> str:
    """The verdict, and one row for each model."""
    titles, rows = _cells(result)
    lines = [f"- {part}" for part in result.verdict.sentences]
    lines += ["", "| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for row in rows:
        lines.append(
            "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |"
        )
    return "\n".join(lines) + "\n"


def latex_table(result: Evaluation) -> str:
    """A tabular (booktabs) with one row for each model, and the sentence for the caption as a comment."""
    titles, rows = _cells(result)
    lines = [
        "% " + paper_sentence(result).replace("\n", " "),
        r"\begin{tabular}{l" + "r" * (len(titles) - 1) + "}",
        r"\toprule",
        " & ".join(_escaped(title) for title in titles) + r" \\",
        r"\midrule",
    ]
    lines += [" & ".join(_escaped(cell) for cell in row) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text).replace("–", "--")


def csv_text(result: Evaluation) -> str:
    """One line for each model and metric."""
    columns = result.frame()
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in zip(*(column.tolist() for column in columns.values()), strict=True):
        writer.writerow(["" if value != value else value for value in row])
    return out.getvalue()
