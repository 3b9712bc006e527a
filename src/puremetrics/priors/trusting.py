"""Whether a prior that was read off the scores of a model can be trusted.

The estimate rests on the ranking of the very model that is judged with it. Three questions decide:

- *Is there a ranking at all?* If labelled rows do not score higher than unlabeled ones beyond sampling
  error, the scores say nothing about the prior, and if they score lower, the scores are backwards.
- *Are these scores that a model gave to rows it had not seen?* If half of the labelled rows score above every
  unlabeled one, the model was trained on the rows, or no unlabeled row is positive; two scores that tell
  labelled from unlabeled are the label itself. Consecutive whole numbers, each once, are an identifier.
- *Do the classes part?* The likely range of the prior and the overlap of the classes (1 − AUC at the
  estimate) say how far off the estimate may be; so does a top of the ranking that shows a larger share than
  some longer head, for it should show the smallest. On real data (evidence/real_priors.md) priors off by more
  than 0.1, or an AUC off by more than 0.05, were rare where width + 3 · overlap + excess/2 < 0.395. Where the
  purity is estimated too, both can be off together (evidence/purity.md): then the overlap must be next to
  nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puremetrics.exceptions import Diagnostic
from puremetrics.priors.from_audit import rows_to_audit
from puremetrics.results import Interval, Trust
from puremetrics.statistics import naive_auc
from puremetrics.statistics.roc_area import roc_auc
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Found", "contradiction", "trust_of", "trust_remarks"]

CLEAR = 0.395
_OVERLAP, _EXCESS = 3.0, 0.5  # what they count beside the width
_NOISY = 0.02  # overlap up to which prior and purity can both be read off the scores
_PARTED = 0.085  # overlap below which few labels are to blame
_ERROR = 1 / 6  # of the width of the likely interval: mean error on real data
_LUCKY = 0.04  # times the error of the interval: noise that looks like a ranking makes up a prior
_ABOVE = 0.5  # share of the labelled above every unlabeled row
_ENOUGH = 20  # rows of either kind, for a pattern not to be chance
_MANY = 300  # labels that are not too few


class Found(NamedTuple):
    """What was estimated: limits of prior and purity, whether the ranking turns, whether negatives told."""

    interval: Interval | None
    purity: Interval | None
    turned: bool
    by_negatives: bool = False
    excess: float = 0.0
    noisy: bool = False  # whether the purity was estimated, too

    @property
    def width(self) -> float:
        """How much both leave open; all, if there are no limits."""
        if self.interval is None:
            return 1.0
        return self.interval.width + (0.0 if self.purity is None else self.purity.width)


def contradiction(table: ScoreTable, level: float = 0.95) -> Trust | None:
    """What speaks against reading anything off these scores, if anything does.

    ``level`` is that of the interval of the uncorrected AUC, which must lie above 1/2.
    Labels with propensities count by them, not as they are: at the least prior that is possible.
    """
    if table.has_propensities:
        least = float(table.design.prior_limits(table.totals)[0])
        found = roc_auc(table, prior=least, method="direct", confidence_level=level)
    else:
        found = naive_auc(table, confidence_level=level)
    low, high = found.interval or (0.0, 1.0)
    if high < 0.5:
        return Trust(
            "contradicted",
            f"labelled rows score lower than unlabeled ones (AUC {found.value:.3f}, {low:.3f} "
            f"to {high:.3f}): the scores seem to be reversed.",
            "Pass -score if low scores mean positive.",
        )
    if low <= 0.5:
        return Trust(
            "contradicted",
            "the ranking is no better than chance, as far as these rows can show (AUC of labelled against "
            f"unlabeled rows {found.value:.3f}, {low:.3f} to {high:.3f}), so the scores say nothing about "
            "the prior.",
        )
    return _leak(table)


def _too_good(table: ScoreTable) -> Trust | None:
    """Labelled rows that stand above those hidden among the unlabeled, which should be like them."""
    if min(table.total_pos, table.total_unl) < _ENOUGH:
        return None
    first = int(np.argmax(np.asarray(table.n_unl) > 0))
    above = float(np.sum(table.n_pos[:first])) / table.total_pos
    if above < _ABOVE:
        return None
    return Trust(
        "contradicted",
        f"{100 * above:.0f}% of the labelled rows score above every unlabeled one. Positives among the "
        "unlabeled would score like them: either there are none, or the model was trained on these rows.",
        "Use scores of rows that the model has not seen (out_of_fold_scores), or pass the prior.",
    )


def _leak(table: ScoreTable) -> Trust | None:
    """Scores that no model gave to rows that it had not seen."""
    if min(table.total_pos, table.total_unl) < _ENOUGH or table.is_cut or table.is_scanned:
        return None
    if table.score.size == 2 and float(np.sum(table.n_pos[1:]) + np.sum(table.n_unl[:1])) == 0:
        return Trust(
            "contradicted",
            "there are two scores, one for all labelled rows and one for all unlabeled rows: the score is "
            "the label itself.",
            "Pass the scores that the model gave.",
        )
    first, last, rows = float(table.score[-1]), float(table.score[0]), table.score.size
    numbers = first in (0.0, 1.0) and last - first == rows - 1 and table.total == rows
    if numbers and bool(np.all(np.diff(table.score) == -1)):
        return Trust(
            "contradicted",
            f"the scores are the numbers {first:g} to {last:g}, each exactly once: these are row numbers, "
            "not the scores of a model.",
        )
    return None


def trust_of(
    table: ScoreTable, found: Found, overlap: float, upper: float | None, level: float
) -> Trust:
    """The level of an estimated prior, where classes overlap so much."""
    against = contradiction(table, 1 - _LUCKY * (1 - level)) or _too_good(table)
    if against is not None:
        return against
    open_to = found.width + (
        0.0 if found.by_negatives else _OVERLAP * overlap + _EXCESS * found.excess
    )
    tells = not found.noisy or overlap < _NOISY
    if not found.turned and tells and open_to < CLEAR:
        return Trust("identified", _why_it_stands(found, overlap))
    why = _why_it_is_open(found, overlap, table.total_pos)
    settle = _rows_for_half_width(table, found, level)
    return Trust("upper_bound", why, settle, limit=upper)


def _why_it_stands(found: Found, overlap: float) -> str:
    if found.by_negatives:
        return "the known negatives show how many negatives look like positives."
    told = f"so the prior can be estimated from the scores (estimated AUC {1 - overlap:.3g})"
    return f"the classes are clearly separated, {told}."


def _why_it_is_open(found: Found, overlap: float, labelled: float) -> str:
    apart = f"estimated AUC {1 - overlap:.3g}"
    if found.by_negatives:
        return "there are too few labels and known negatives to estimate the prior well."
    if found.noisy and overlap >= _NOISY:
        return (
            f"the classes overlap ({apart}), and the purity of the labels was estimated from the same "
            "scores: both may be wrong together."
        )
    if found.turned:
        return "the top of the ranking is not its purest part: some negatives score above most positives."
    if overlap < _PARTED and labelled >= _MANY:
        return (
            f"the classes are separated ({apart}), but the scores do not show how many negatives look like "
            "positives."
        )
    if overlap < _PARTED:
        return (
            f"the classes are separated ({apart}), but there are too few labels to estimate the prior "
            "from the scores."
        )
    return f"the classes overlap ({apart}), and negatives that look like positives are counted as positives."


def _rows_for_half_width(table: ScoreTable, found: Found, level: float) -> str:
    """How many rows to check for half of the width."""
    if found.interval is None:
        return ""
    design, totals = table.design, table.totals
    steep = design.prior_of(totals, 1.0) - design.prior_of(totals, 0.0)  # of the prior by the share
    shares = [design.unlabeled_share(totals, end) or 0.0 for end in found.interval]
    width = min(max(found.interval.width / (2 * steep), 1e-4), 1.0)
    guess = float(np.clip(sum(shares) / 2, 0.0, 1.0))
    everything = int(table.total_unl) if table.whole else None
    rows = rows_to_audit(width, guess=guess, n_unlabeled=everything, confidence_level=level)
    return f"Checking {rows} random unlabeled rows would halve the range (prior_from_audit)."


def trust_remarks(trust: Trust, found: Found) -> list[Diagnostic]:
    """What the level asks of the reader, and what would settle the question."""
    remarks = []
    interval = found.interval
    if trust.level == "contradicted":
        remarks.append(Diagnostic("PM206", trust.reason))
    elif trust.level == "upper_bound" and interval is not None:
        off = _ERROR * interval.width
        remarks.append(
            Diagnostic("PM201", f"expect the prior to be off by about {off:.2g}. {trust.settle}")
        )
    if found.turned:
        remarks.append(
            Diagnostic(
                "PM207",
                "the top of the ranking is not its purest part: rows further down hold relatively fewer "
                "unlabeled ones. What lies above them was left out of the estimate of the prior.",
            )
        )
    return remarks
