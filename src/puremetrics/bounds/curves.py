"""Curves between which the true ROC and precision-recall curves lie.

Along a run of unlabeled rows between labelled ones θ is constant, and x as a function of h_U has at most two
kinks (at h_U = θ and at |tail(U)| = m − θ). With the operating points around them as vertices a table cut at
its labelled scores gives the exact curves. As θ jumps at labelled scores, the upper path may step back to the
left; its upper-left envelope is the bound that holds (the lower path: lower-right envelope).

If several numbers of latent positives are possible, the extremes over all of them are taken at each threshold
(see `bounds.contingency`). By Lemma 4 the high end matters for the upper bound where the ranking is better
than random, and the low end where it is worse; as the exact band depends on m itself, values in between
matter, too.

Precision-recall: false positives are linear in true positives between vertices, so precision is a hyperbola
there (Davis and Goadrich 2006), and its area is integrated in closed form.
"""

from __future__ import annotations

import numpy as np

from puremetrics.bounds.contingency import HeadCounts, LatentChoice, rate_limits, whole_heads
from puremetrics.checking.arguments import renamed
from puremetrics.exceptions import UnsupportedError
from puremetrics.numerics.monotone import envelope
from puremetrics.results import Curve, CurveBounds
from puremetrics.sampling.list_ranks import extreme_orders
from puremetrics.setting import PriorLike, Setting
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "closest",
    "orders",
    "pr_bounds",
    "pr_bounds_of",
    "roc_bounds",
    "roc_bounds_of",
    "with_kinks",
]


@renamed(band="rank_limits")
@takes_data
def roc_bounds(
    table: ScoreTable,
    *,
    prior: PriorLike,
    rank_limits: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
    prior_of: str = "population",
    label_bias: float = 1.0,
    label_bias_side: str = "either",
) -> CurveBounds:
    """Curves between which the ROC curve of the rows at hand lies.

    Parameters are those of `confusion_bounds`; ``label_bias`` and ``label_bias_side`` say how far labels may
    be from random. Cost: O(labelled · log rows) after the band.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> bounds = roc_bounds(table, prior=0.25)
    >>> bounds.lower.area < bounds.upper.area
    True
    """
    setting = Setting.of(table, prior, None, confidence_level, label_bias, label_bias_side)
    choice = LatentChoice.of(setting, rank_limits, basis, simultaneous, prior_of)
    return roc_bounds_of(choice)


@renamed(band="rank_limits")
@takes_data
def pr_bounds(
    table: ScoreTable,
    *,
    prior: PriorLike,
    rank_limits: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
    prior_of: str = "population",
    label_bias: float = 1.0,
    label_bias_side: str = "either",
) -> CurveBounds:
    """Curves between which the precision-recall curve of the rows at hand lies.

    Parameters are those of `confusion_bounds`; ``label_bias`` and ``label_bias_side`` say how far labels may
    be from random. One curve dominates another in ROC space if and only if it does so here, hence these are
    the ROC bounds carried over.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> pr_bounds(table, prior=0.25).upper.interpolation
    'hyperbolic'
    """
    setting = Setting.of(table, prior, None, confidence_level, label_bias, label_bias_side)
    choice = LatentChoice.of(setting, rank_limits, basis, simultaneous, prior_of)
    return closest([pr_bounds_of(base, roc_bounds_of(base)) for base in choice.bases()])


def roc_bounds_of(choice: LatentChoice) -> CurveBounds:
    """The bounds on the ROC curve; of two bases those with less area between them."""
    return closest([_roc_bounds(base) for base in choice.bases()])


def closest(bounds: list[CurveBounds]) -> CurveBounds:
    """The pair of curves with the least area in between."""
    return min(bounds, key=lambda pair: pair.upper.area - pair.lower.area)


def _roc_bounds(choice: LatentChoice) -> CurveBounds:
    worst, best = orders(choice.setting.table)
    lower, upper = _roc_side(worst, choice, "lower"), _roc_side(best, choice, "upper")
    return CurveBounds(lower, upper, choice.level, choice.rank_limits, choice.basis)


def orders(table: ScoreTable) -> tuple[ScoreTable, ScoreTable]:
    """The table twice; if it has buckets, in the worst and in the best order inside them."""
    ranked = table.cut()
    if ranked.hidden is None:
        return table, table
    if table.total_neg > 0:
        raise UnsupportedError(
            "Bounds for a table with buckets use the two extreme orders inside each bucket, but with known "
            "negatives there are more than two. Use scan with a larger max_labelled, or without neg_label."
        )
    return extreme_orders(ranked)


def pr_bounds_of(choice: LatentChoice, roc: CurveBounds) -> CurveBounds:
    """The bounds on the ROC curve carried over to precision and recall."""
    sides = []
    for curve, latent in ((roc.lower, choice.low), (roc.upper, choice.high)):
        positives, negatives = choice.class_sizes(latent)
        sides.append(_to_precision_recall(curve, negatives / positives))
    return CurveBounds(sides[0], sides[1], choice.level, choice.rank_limits, roc.basis)


def _roc_side(table: ScoreTable, choice: LatentChoice, side: str) -> Curve:
    """One bound: extremes at each vertex, kinks included, then the envelope."""
    heads, size = with_kinks(table, choice, (side,))
    fpr, tpr = rate_limits(choice, heads, side, size)
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
        method=f"bounds_{choice.rank_limits}",
        raw_x=fpr,
        raw_y=tpr,
    )


def with_kinks(
    table: ScoreTable, choice: LatentChoice, sides: tuple[str, ...]
) -> tuple[HeadCounts, int]:
    """Vertices of the cut table, and the operating points around each kink of Eq. (11).

    Also how many vertices there are without the kinks. A kink inside a block of tied unlabeled rows
    is no operating point: the ends of the block are, and the curve is straight between them. A table that
    came cut, or scanned, does not know its ties; it gets only the kink that makes the bound wider.
    """
    heads = whole_heads(table.cut())
    start, stop = heads.unl[:-1], heads.unl[1:]
    pure = np.flatnonzero((np.diff(heads.pos) == 0) & (np.diff(heads.neg) == 0))
    merged = table.is_cut or table.is_scanned
    nodes, low, high, place, _ = choice.curve_limits(heads, heads.unl.size)
    runs, places = [], []
    for side in sides:
        theta = (high if side == "upper" else low)[:, place[pure]]
        concave, convex = choice.kinks(theta, nodes)
        kinks = [concave, convex]
        if merged:
            kinks = [concave if side == "upper" else convex]
        for kink in kinks:
            row, run = np.nonzero((kink > start[pure]) & (kink < stop[pure]))
            runs.append(pure[run])
            places.append(kink[row, run])
    run, at = np.concatenate(runs), np.concatenate(places)
    if not merged:
        least, most = table.unlabeled_steps(np.floor(at)), table.unlabeled_steps(np.ceil(at))
        at, run = np.concatenate([least[0], most[1]]), np.concatenate([run, run])
    inside = (at > start[run]) & (at < stop[run])
    pairs = np.unique(np.stack([run[inside], at[inside]]), axis=1)
    before, at = pairs[0].astype(np.intp) + 1, pairs[1]
    vertices = HeadCounts(
        np.insert(heads.threshold, before, heads.threshold[before]),
        np.insert(heads.pos, before, heads.pos[before]),
        np.insert(heads.unl, before, at),
        np.insert(heads.neg, before, heads.neg[before]),
    )
    return vertices, heads.unl.size


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
