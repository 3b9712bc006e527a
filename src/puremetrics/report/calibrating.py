"""The reliability diagram, on axes that spread the small scores, and the calibration error of each model."""

from __future__ import annotations

from html import escape

import numpy as np

from puremetrics.evaluation import Evaluation
from puremetrics.report import words
from puremetrics.report.pieces import caption, figure_span, hue, model_name, section, span_of
from puremetrics.report.svg import key, line, root_chart, whiskers

__all__ = ["calibration"]

_TITLE = "Are the scores probabilities?"
_ABOUT = (
    "The calibration error is the mean distance between score and share of positives over the bins. Noise in "
    "a bin counts as error whatever its sign; the debiased figure takes that off. Mean score less prior is "
    "positive if the scores are too high on the whole."
)


def calibration(evaluation: Evaluation) -> str:
    """Return the section."""
    rows, drawn, keys = [], [line([0, 1], [0, 1], "diagonal")], []
    for i, model in enumerate(evaluation.models.values()):
        found = model.modelled_calibration
        if found is None:
            continue
        bins = found.bins
        filled = ~np.isnan(bins.positive_rate)
        columns = (bins.mean_score, bins.positive_rate, bins.rate_low, bins.rate_high)
        x, y, low, high = (np.sqrt(np.clip(column[filled], 0, 1)) for column in columns)
        drawn += whiskers(x, np.clip(y, low, high), low, high, hue(i))
        keys.append(key(f"curve {hue(i)}", f"{model.name} {words.figure(found.error)}"))
        rows.append(
            f'<tr class="{hue(i)}" data-model="{i}"><th scope="row">{model_name(model.name)}</th>'
            f"<td><b>{figure_span(f'{i}.calibration', found.error)}</b></td>"
            f"<td>{span_of(i, 'calibration', *found.interval)}</td>"
            f"<td>{figure_span(f'{i}.calibration.debiased', found.debiased)}</td>"
            f"<td>{figure_span(f'{i}.calibration.signed', found.signed_error)}</td></tr>"
        )
    if not rows:
        text = "The scores are not probabilities between 0 and 1, so there is no calibration to measure."
        return section("calibration-section", _TITLE, caption(text))
    level = f"{words.level_words(evaluation.level)} interval"
    heads = ("", "error", level, "debiased", "mean score − prior")
    head = "".join(f'<th scope="col">{text}</th>' if text else "<td></td>" for text in heads)
    keys.append(key("diagonal", "calibrated"))
    chart = root_chart(drawn, "Score", "Share of positives", "Reliability diagram")
    content = (
        f'<div class="pair"><figure class="chart" id="calibration"><div class="legend">{"".join(keys)}</div>'
        f'<div class="plot">{chart}</div>'
        f"<figcaption>{escape(words.CAPTIONS['calibration'])}</figcaption></figure>"
        f'<div><div class="scroll"><table class="plain"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{caption(_ABOUT)}"
        '<details class="fold script-only"><summary>Bin by bin</summary><div class="scroll">'
        '<table class="plain bins" id="bins"></table></div></details></div></div>'
    )
    return section("calibration-section", _TITLE, content)
