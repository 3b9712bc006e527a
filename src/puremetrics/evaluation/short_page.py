"""An evaluation on one screen: the verdict, five figures a model, what matters besides."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import wrap
from typing import TYPE_CHECKING

from puremetrics.exceptions import Diagnostic
from puremetrics.results.protocol import percent, sentence

if TYPE_CHECKING:
    from puremetrics.evaluation.model import ModelEvaluation
    from puremetrics.evaluation.records import Evaluation
    from puremetrics.tables.score_table import ScoreTable

__all__ = ["short_lines"]

_WIDTH = 100
_SHOWN = ("roc_auc", "average_precision", "precision", "recall", "f1")
_TABLES = 3  # models that get a table each; of more, all share one
_REMARKS = 3
# Remarks that change nothing about the figures that are shown.
_QUIET = ("PM504", "PM606", "PM604", "PM206", "PM141")


def short_lines(
    result: Evaluation, reworded: Callable[[str], str] = str, all_figures: str = "details()"
) -> list[str]:
    """Return the lines of the screen; ``reworded`` puts sentences into the words of who reads them.

    ``all_figures`` is where the other figures are.
    """
    lines = []
    for part in result.verdict.sentences:
        lines += _wrapped(reworded(part))
    lines += ["", *_wrapped(_rows(result))]
    told = None if result.verdict.best is not None else result.trust  # nothing is said twice
    if len(result.models) > _TABLES:
        lines += _together(result)
    else:
        tables = [_table(m, result.level) for m in result.models.values() if m.trust != told]
        for number, table in enumerate(tables):
            lines += table if number == 0 else ["", *table]
    for name, found in result.drifts.items():
        own = str(found).splitlines()
        if len(result.drifts) > 1:
            own[0] = f"{name}: {own[0]}"
        lines += ["", *own]
    remarks = _remarks(result)
    for remark in remarks[:_REMARKS]:
        lines += _wrapped(reworded(str(remark)))
    left = len(remarks) - _REMARKS
    more = f"; {left} more {'remark' if left == 1 else 'remarks'}" if left > 0 else ""
    lines.append(f"All figures{more}: {all_figures}.")
    return lines


def _wrapped(text: str) -> list[str]:
    """A sentence in lines, none of which parts a number from its percent sign."""
    lines = wrap(
        text.replace(" %", "\u00a0%"), _WIDTH, subsequent_indent="  ", break_long_words=False
    )
    return [line.replace("\u00a0%", " %") for line in lines]


def _rows(result: Evaluation) -> str:
    table = next(iter(result.models.values())).table
    known = result.prior
    prior = f"prior {known.value:.4g}"
    if result.trust.level == "upper_bound":
        prior = f"prior {known.low:.3g} to {known.high:.3g}"
    elif not known.is_point:
        prior = f"prior {known.value:.3g} ({known.low:.3g} to {known.high:.3g})"
    source = result.prior_source.partition(", the lowest")[0].replace(" the scores of ", " ")
    parts = [str(table).split(" → ")[0] + ": " + _counts(table), f"{prior}, {source}"]
    if known.purity_low < 1:
        span = f"{known.purity:.4g}"
        if known.purity_low < known.purity_high:
            span += f" ({known.purity_low:.4g} to {known.purity_high:.4g})"
        parts.append(f"purity {span}")
    if result.label_bias > 1:
        side = (
            ""
            if result.label_bias_side == "either"
            else f" towards {result.label_bias_side} scores"
        )
        parts.append(f"label bias up to {result.label_bias:.4g}{side}")
    return "; ".join(parts)


def _counts(table: ScoreTable) -> str:
    pos, unl, neg = table.totals
    told = [f"{pos:,.0f} labelled".replace(",", " "), f"{unl:,.0f} unlabeled".replace(",", " ")]
    if neg:
        told.append(f"{neg:,.0f} known negatives".replace(",", " "))
    if table.clusters is not None:
        told.append(f"in {table.clusters.number:,} groups".replace(",", " "))
    return ", ".join(told)


def _table(model: ModelEvaluation, level: float) -> list[str]:
    """Five rows of one model."""
    if model.trust.level == "contradicted":
        text = f"{model.name}: no figures are given. {sentence(model.trust.words)}"
        return _wrapped(text)
    ranged = model.trust.level == "upper_bound"
    at = ""
    shown = [key for key in _SHOWN if key in model.corrected]
    cut = next((e.threshold for e in model.corrected.values() if e.threshold is not None), None)
    if cut is not None:
        how = (
            "" if model.operating_point is None else f", best for {model.operating_point.objective}"
        )
        at = f" (score >= {cut:.4g}{how})"
    kind = "audited" if model.if_random else "corrected"
    head = f"{'likely':>18}" if ranged else f"{kind:>11}{percent(level) + ' interval':>19}"
    title = f"{model.name}{at}"
    lines = [f"{title:<46}{head}{'naive':>9}"]
    for key in shown:
        found = model.corrected[key]
        ends = found.interval
        span = "" if ends is None else f"{ends.low:.3f} to {ends.high:.3f}"
        body = f"{span:>18}" if ranged else f"{found.value:>11.3f}{span:>19}"
        lines.append(f"  {found.title.split(' (')[0]:<44}{body}{model.naive[key].value:>9.3f}")
    return lines


def _together(result: Evaluation) -> list[str]:
    """One row for each of many models, the best first."""
    order = sorted(
        result.models.values(),
        key=lambda m: (m.trust.level == "contradicted", -m.corrected["roc_auc"].value),
    )
    shown = [key for key in _SHOWN if key in order[0].corrected]
    words = {"average_precision": "av. prec."}
    widest = min(max(len(model.name) for model in order), 30)
    head = "".join(f"{words.get(key, key):>11}" for key in shown[1:])
    lines = [f"{'':<{widest}}{'ROC AUC':>10}{percent(result.level) + ' interval':>19}{head}"]
    for model in order:
        name = model.name if len(model.name) <= widest else model.name[: widest - 1] + "…"
        if model.trust.level == "contradicted":
            lines.append(f"{name:<{widest}}   no figures are given: --verbose says why")
            continue
        area = model.corrected["roc_auc"]
        span = (
            "" if area.interval is None else f"{area.interval.low:.3f} to {area.interval.high:.3f}"
        )
        exact = model.trust.level != "upper_bound"  # else ranges alone, which details() has
        values = [f"{model.corrected[key].value:.3f}" if exact else "–" for key in shown]
        others = "".join(f"{value:>11}" for value in values[1:])
        lines.append(f"{name:<{widest}}{values[0]:>10}{span:>19}{others}")
    return lines


def _remarks(result: Evaluation) -> list[Diagnostic]:
    """Remarks that matter, each kind once."""
    hidden = (*_QUIET, *(("PM101", "PM503") if result.verdict.best is None else ()))
    every = [*result.diagnostics, *(d for m in result.models.values() for d in m.diagnostics)]
    found: dict[str, Diagnostic] = {}
    for remark in every:
        if remark.code not in hidden:
            found.setdefault(remark.code, remark)
    return list(found.values())
