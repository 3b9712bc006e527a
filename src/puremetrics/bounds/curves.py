"""Curves between which the true ROC and precision-recall curves lie.

Along a run of unlabeled rows between labelled ones θ is constant, and x as a function of h_U has
at most two kinks (at h_U = θ and at |tail(U)| = m − θ). With the operating points around them as
vertices a table cut at its labelled scores gives the exact curves. As θ jumps at labelled scores, the
upper path may step back to the left; its upper-left envelope is the bound that holds (the lower path:
lower-right envelope).

A range of the prior: at each threshold the extremes over all numbers of latent positives in it are taken
(if more than nine, over nine of them, with θ one row wider). By Lemma 4 the high end matters for the
upper bound where the ranking is better than random, and the low end where it is worse; as the exact
band depends on m itself, values in between matter, too.

Precision-recall: false positives are linear in true positives between vertices, so precision is a
hyperbola there (Davis and Goadrich 2006), and its area is integrated in closed form.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from puremetrics.bounds.contingency import HeadCounts, LatentChoice, whole_heads
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import UnsupportedError
from puremetrics.numerics.recovery import envelope
from puremetrics.results import Curve, CurveBounds
from puremetrics.sampling.brackets import extreme_orders
from puremetrics.setting import PriorLike, Setting
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "orders",
    "pr_bounds",
    "pr_bounds_of",
    "rate_limits",
    "roc_bounds",
    "roc_bounds_of",
    "with_kinks",
]


def roc_bounds(
    table: ScoreTable,
    *,
    prior: PriorLike,
    band: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
) -> CurveBounds:
    """Curves between which the ROC curve of the rows at hand lies.

    Parameters are those of `confusion_bounds`. Cost: O(labelled · log rows) after the band.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> bounds = roc_bounds(table, prior=0.25)
    >>> bounds.lower.area < bounds.upper.area
    True
    """
    setting = Setting.of(table, prior, confidence_level=confidence_level)
    choice = LatentChoice.of(setting, band, basis, simultaneous)
    return roc_bounds_of(choice)


def pr_bounds(
    table: ScoreTable,
    *,
    prior: PriorLike,
    band: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
) -> CurveBounds:
    """Curves between which the precision-recall curve of the rows at hand lies.

    Parameters are those of `confusion_bounds`. One curve dominates another in ROC space if and only if
    it does so here, hence these are the ROC bounds carried over.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> pr_bounds(table, prior=0.25).upper.interpolation
    'hyperbolic'
    """
    setting = Setting.of(table, prior, confidence_level=confidence_level)
    choice = LatentChoice.of(setting, band, basis, simultaneous)
    return pr_bounds_of(choice, roc_bounds_of(choice))


def roc_bounds_of(choice: LatentChoice) -> CurveBounds:
    """The bounds on the ROC curve."""
    choice.prepare()
    worst, best = orders(choice.setting.table)
    lower, upper = _roc_side(worst, choice, "lower"), _roc_side(best, choice, "upper")
    return CurveBounds(lower, upper, choice.level, choice.band, choice.basis)


def orders(table: ScoreTable) -> tuple[ScoreTable, ScoreTable]:
    """The table twice; if it has buckets, in the worst and in the best order inside them."""
    ranked = table.cut()
    if ranked.hidden is None:
        return table, table
    if table.total_neg > 0:
        raise UnsupportedError(
            "Bounds of a table with buckets take the two extreme orders inside them, which known negatives "
            "make more than two. Use scan with a larger max_labelled, or without neg_label."
        )
    return extreme_orders(ranked)


def pr_bounds_of(choice: LatentChoice, roc: CurveBounds) -> CurveBounds:
    """The bounds on the ROC curve carried over to precision and recall."""
    sides = []
    for curve, latent in ((roc.lower, choice.latents[0]), (roc.upper, choice.latents[-1])):
        positives, negatives = choice.class_sizes(latent)
        sides.append(_to_precision_recall(curve, negatives / positives))
    return CurveBounds(sides[0], sides[1], choice.level, choice.band, choice.basis)


def _roc_side(table: ScoreTable, choice: LatentChoice, side: str) -> Curve:
    """One bound: extremes over the prior at each vertex, kinks included, then the envelope."""
    heads = with_kinks(table, choice, (side,))
    fpr, tpr = rate_limits(choice, heads, side)
    if side == "upper":
        x, y, threshold = envelope(fpr, tpr, heads.threshold)
    else:
        y, x, threshold = envelope(tpr, fpr, heads.threshold)
    return Curve(
        name=f"roc_{side}",
        x=x,
        y=y,
        threshold=threshold,
        x_label="false positive rate",
        y_label="true positive rate",
        method=f"bounds_{choice.band}",
        raw_x=fpr,
        raw_y=tpr,
    )


def rate_limits(
    choice: LatentChoice, heads: HeadCounts, side: str
) -> tuple[FloatArray, FloatArray]:
    """False and true positive rates of one bound at every vertex, extremes over the prior."""
    rates = []
    for latent in choice.latents:
        tp, fp, fn, tn = choice.entries(heads, choice.x(heads, latent, side), latent)
        rates.append((fp / (fp + tn), tp / (tp + fn)))
    fpr, tpr = np.array(rates).swapaxes(0, 1)
    if side == "upper":
        return fpr.min(axis=0), tpr.max(axis=0)
    return fpr.max(axis=0), tpr.min(axis=0)


def with_kinks(table: ScoreTable, choice: LatentChoice, sides: tuple[str, ...]) -> HeadCounts:
    """Vertices of the cut table, and the operating points around each kink of Eq. (11).

    A kink inside a block of tied unlabeled rows is no operating point: the ends of the block are, and
    the curve is straight between them. A table that came cut, or scanned, does not know its ties; it gets
    only the kink that makes the bound wider.
    """
    heads = whole_heads(table.cut())
    start, stop = heads.unl[:-1], heads.unl[1:]
    pure = (np.diff(heads.pos) == 0) & (np.diff(heads.neg) == 0)
    merged = table.is_cut or table.is_scanned
    runs, places = [], []
    for latent, side in product(choice.latents, sides):
        concave, convex = choice.kinks(heads, latent, side)
        kinks = [concave, convex]
        if merged:
            kinks = [concave if side == "upper" else convex]
        for kink in kinks:
            run = np.flatnonzero(pure & (kink[:-1] > start) & (kink[:-1] < stop))
            runs.append(run)
            places.append(kink[run])
    run, place = np.concatenate(runs), np.concatenate(places)
    if not merged:
        place = np.concatenate(table.unlabeled_steps(place))
        run = np.concatenate([run, run])
    inside = (place > start[run]) & (place < stop[run])
    run, place = run[inside], place[inside]
    order = np.lexsort((place, run))
    at, place = run[order] + 1, place[order]
    return HeadCounts(
        np.insert(heads.threshold, at, heads.threshold[at]),
        np.insert(heads.pos, at, heads.pos[at]),
        np.insert(heads.unl, at, place),
        np.insert(heads.neg, at, heads.neg[at]),
    )


def _to_precision_recall(roc: Curve, odds: float) -> Curve:
    """Carry a ROC curve over; ``odds`` is the number of negatives a positive."""
    reached = roc.y + odds * roc.x
    some = reached > 0
    precision = np.divide(roc.y, reached, out=np.ones_like(reached), where=some)
    first = int(np.argmax(some))
    precision[:first] = precision[first]
    return Curve(
        name=roc.name.replace("roc", "precision_recall"),
        x=roc.y,
        y=precision,
        threshold=roc.threshold,
        x_label="recall",
        y_label="precision",
        interpolation="hyperbolic",
        method=roc.method,
        reached=reached,
    )
