"""The page's sentences: what was read, what each figure assumes."""

from __future__ import annotations

import math

from puremetrics.evaluation import Evaluation, ModelEvaluation
from puremetrics.results import Estimate
from puremetrics.results.protocol import sentence
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "CAPTIONS",
    "LEVELS",
    "TITLES",
    "bias_sentence",
    "count",
    "figure",
    "level_words",
    "moved_sentence",
    "population",
    "prior_sentences",
    "rows_read",
    "scenario_sentence",
    "sentence",
    "share",
    "tipping_words",
    "told",
]

TITLES = {
    "roc_auc": "ROC AUC",
    "average_precision": "Average precision",
    "precision": "Precision",
    "recall": "Recall",
    "specificity": "Specificity",
    "f1": "F1 score",
    "accuracy": "Accuracy",
    "mcc": "Matthews corr.",
}

LEVELS = {
    "known": "The prior is known:",
    "audited": "Checked:",
    "identified": "Identified:",
    "upper_bound": "An upper bound, not a number:",
    "contradicted": "Contradicted:",
}

CAPTIONS = {
    "roc": "Each point is a threshold: how many of the positives it finds against how many of the "
    "negatives it "
    "flags. Grey: the unlabeled taken as negative. Solid: corrected, which assumes that the labelled "
    "rows are a "
    "random sample of the positives. Thin: its convex hull, what picking one of two thresholds at random "
    "could reach; it is optimistic on the rows it was fitted to.",
    "pr": "Among the rows flagged, the share that is truly positive (precision), as more of the "
    "positives are "
    "found (recall). It depends on the prior twice: through the correction, and because precision "
    "counts "
    "positives in the population.",
    "calibration": "Of the rows scored around 0.3, are 30 % positive? Points are bins of equal mass "
    "with their "
    "limits; on the diagonal the scores are probabilities. The bins stay those of the evaluated "
    "prior. Assumes "
    "that scores were not fitted on these rows.",
    "sensitivity": "The same rows, read at every prior. If the line is steep where the prior may lie, "
    "knowing the "
    "prior better pays off more than anything else. Shaded: confidence interval with the prior taken "
    "as known.",
    "discovery": "How many of the best unlabeled rows are positive. Shaded: {level} limits that hold the "
    "number which checking them will find, at each number of rows by itself. Dotted: every row positive. "
    "Dashed: rows in random order.",
    "threshold": "A row is predicted positive if it scores at least the threshold. Counts are "
    "estimates for the "
    "population, so they need not be whole. Intervals assume that the threshold was not chosen on these "
    "rows.",
    "free": "These measures look only at where the labelled positives rank among all rows. They need "
    "no prior and "
    "do not move with the sliders; they order models, but their size means little by itself. PULP is how "
    "often the labelled rows are found better than by chance, whichever positives got a label: no label "
    "bias touches it. Lee–Liu alone takes labels as random.",
    "narrowing": "Where the width of the interval of the ROC AUC comes from, and roughly how wide it "
    "would be with "
    "more data. Assumes that new rows would be drawn like these. An audit is another interval, from rows "
    "checked by hand: it assumes neither a prior nor random labels, and may be narrower or wider than the "
    "one above.",
    "drift": "The same evaluation on each segment of the rows, model by model, with a prior of its own. "
    "Assumes that the labelled rows of each segment are a random sample of its positives; if labelling "
    "changed from one to the next, segments differ without the model having changed.",
}


def figure(value: float | None, digits: int = 3) -> str:
    """Three decimals; a real minus sign; a dash for what is undefined."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.{digits}f}".replace("-", "−")


def told(model: ModelEvaluation, found: Estimate) -> str:
    """A figure; its range where it rests on a prior that is not known well enough."""
    if model.trust.level == "upper_bound" and found.interval is not None:
        return f"{figure(found.interval.low)} to {figure(found.interval.high)}"
    return figure(found.value)


def count(value: float) -> str:
    """A number of rows with thin spaces between thousands."""
    whole = float(value).is_integer()
    return (f"{value:,.0f}" if whole else f"{value:,.1f}").replace(",", "\u202f").replace("-", "−")


def share(value: float) -> str:
    """A share to four significant digits."""
    return f"{value:.4g}"


def level_words(level: float) -> str:
    """The confidence level in per cent."""
    return f"{100 * level:g}\N{NO-BREAK SPACE}%"


def population(table: ScoreTable) -> str:
    """Whom the prior is about."""
    return table.design.population(table.totals)


def rows_read(table: ScoreTable) -> str:
    """What was read, in one line."""
    parts = [f"{count(table.total_pos)} labelled positive"]
    if table.total_unl > 0:
        parts.append(f"{count(table.total_unl)} unlabeled")
    if table.total_neg > 0:
        parts.append(f"{count(table.total_neg)} known negative")
    kind = "weighted rows" if table.weighted else "rows"
    groups = "" if table.clusters is None else f" in {count(table.clusters.number)} groups"
    return f"{count(table.total)} {kind}{groups}: {', '.join(parts)}"


def scenario_sentence(table: ScoreTable) -> str:
    """The scenario in plain words."""
    return table.design.sentence


def bias_sentence(evaluation: Evaluation) -> str:
    """How biased labels may be, if they are not taken as random."""
    favoured = {
        "high": ", higher scores rather than lower ones",
        "low": ", lower scores rather than higher ones",
    }
    design = next(iter(evaluation.models.values())).table.design
    said = design.favoured(f"up to {share(evaluation.label_bias)}", "may")
    return f"Some positives {said}{favoured.get(evaluation.label_bias_side, '')}."


def moved_sentence(evaluation: Evaluation) -> str:
    """What is said of figures elsewhere than as evaluated, if labels were not taken as random there."""
    if evaluation.label_bias == 1:
        return ""
    return (
        "Moved figures take labels as a random sample; the label bias of "
        f"{share(evaluation.label_bias)} applies to the figures as evaluated."
    )


def tipping_words(model: ModelEvaluation) -> dict[str, str]:
    """How much label bias the headlines of a model stand, the first in full and the others shorter."""
    said: dict[str, str] = {}
    for key, point in model.tipping.items():
        said[key] = point.words if not said else point.short
    return said


def prior_sentences(evaluation: Evaluation) -> list[str]:
    """Which prior was used, where it came from, and how large it could be."""
    known, source = evaluation.prior, evaluation.prior_source
    about = population(next(iter(evaluation.models.values())).table)
    said = "estimated" if source == "estimate" else source
    if source == "labels":
        said = "taken from the labels, as no row is unlabeled"
    text = f"The prior, {share(known.value)} of {about}, was {said}"
    if evaluation.trust.level == "upper_bound":
        text = f"Likely prior of {about}: {share(known.low)} to {share(known.high)}, {said}."
    elif evaluation.trust.level == "contradicted" and evaluation.estimate is not None:
        return []
    elif known.is_point:
        text += " and counts as known."
    else:
        text += f"; it may lie between {share(known.low)} and {share(known.high)}."
    sentences = [text]
    if known.purity_low < 1:
        ends = f"{100 * known.purity_low:.4g} to {100 * known.purity_high:.4g}"
        shown = ends if known.purity_low < known.purity_high else f"{100 * known.purity:.4g}"
        sentences.append(f"{shown} % of the labelled rows are taken to be truly positive.")
    if evaluation.label_bias > 1:
        sentences.append(bias_sentence(evaluation))
    if evaluation.largest_prior is not None:
        sentences.append(
            f"The data allow at most {share(evaluation.largest_prior)} "
            f"(confidence {level_words(evaluation.level)})."
        )
    return sentences
