"""Corrected ROC and precision-recall curves (Jain, White, Radivojac 2017).

The raw corrected path need not be a curve that is possible; ``method`` says what is done about it:

- "direct" leaves it as it is;
- "indirect" (default), Algorithm 1, takes its upper-left envelope, see `numerics.monotone`;
- "projected", not in the paper, its bounded isotonic projection.

Precision along a repaired curve is prior·γ / (prior·γ + (1 − prior)·η), Eq. (3). Where no row of the
comparison sample has been reached (0/0), precision is 1: whatever was retrieved so far is a labelled
positive.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from puremetrics.checking.arguments import check_choice
from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import SIDES, BiasedHeads
from puremetrics.correction.curve_bands import check_band, with_band
from puremetrics.correction.rates import corrected_rates, range_diagnostics, rate_errors
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.monotone import envelope, projection
from puremetrics.results import Curve, CurveBounds
from puremetrics.setting import Heads, PriorLike, PurityLike, Setting
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "METHODS",
    "area_of",
    "banded",
    "path_of",
    "pr_curve",
    "pr_curve_of",
    "precision_of",
    "roc_curve",
    "roc_curve_of",
]

METHODS = ("direct", "indirect", "projected")


@takes_data
def roc_curve(
    table: ScoreTable,
    *,
    prior: PriorLike,
    purity: PurityLike = None,
    method: str = "indirect",
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    band: str | None = None,
    confidence_level: float = 0.95,
) -> Curve:
    """Recover the ROC curve of positives against negatives.

    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives.

    Parameters
    ----------
    table : ScoreTable
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population; of an interval, its middle is used here.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; likewise. Left out, it is that of
        the prior's estimate, if it has one.
    method : {"indirect", "direct", "projected"}
        How the raw path is made a curve; "direct" leaves it as it is.
    label_bias, label_bias_side : float, default 1, and {"either", "high", "low"}
        How many times as likely to be labelled some positives may be as others; see `roc_auc`. The curve
        then carries a range, its ``bias_range``.
    band : {None, "pointwise", "simultaneous"}
        Where the true curve lies: true positive rates at each false positive rate by itself, or the whole
        curve at once. The curve then carries a `CurveBand`, its ``band``. Ranges of prior and purity and a
        label bias widen it.
    confidence_level : float, default 0.95
        Of the band.

    Returns
    -------
    Curve
        False positive rate against true positive rate from (0, 0) to (1, 1); straight between its
        vertices. Runs of unlabeled rows are straight, so vertices lie at labelled scores only.
        Cost: O(labelled · log rows).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[4, 2, 2], unlabeled=[4, 3, 2, 1, 0, 0], scenario="case_control")
    >>> curve = roc_curve(table, prior=0.25)
    >>> curve.x.round(3)
    array([0.   , 0.111, 0.333, 0.333, 1.   ])
    >>> curve.y.round(3)
    array([0.   , 0.333, 0.333, 1.   , 1.   ])
    """
    kind = check_band(band)
    setting = Setting.of(table, prior, purity, confidence_level, label_bias, label_bias_side)
    curve = banded(setting, roc_curve_of, check_choice(method, METHODS, "method"))
    return with_band(setting, curve, kind)


@takes_data
def pr_curve(
    table: ScoreTable,
    *,
    prior: PriorLike,
    purity: PurityLike = None,
    method: str = "indirect",
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    band: str | None = None,
    confidence_level: float = 0.95,
) -> Curve:
    """Recover the precision-recall curve in the population.

    Parameters are those of `roc_curve`, from whose repaired rates precision and recall are taken;
    ``method`` is "indirect" or "projected". A ``band`` has limits of precision at each recall.

    Returns
    -------
    Curve
        Recall against precision, by steps: its `area` is the average precision.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[4, 2, 2], unlabeled=[4, 3, 2, 1, 0, 0], scenario="case_control")
    >>> pr_curve(table, prior=0.25).y.round(3)
    array([0.5 , 0.5 , 0.25, 0.5 , 0.25])
    """
    kind = check_band(band)
    setting = Setting.of(table, prior, purity, confidence_level, label_bias, label_bias_side)
    curve = banded(setting, pr_curve_of, check_choice(method, METHODS[1:], "method"))
    return with_band(setting, curve, kind)


def banded(
    setting: Setting, curve_of: Callable[..., Curve], method: str, in_blocks: bool = False
) -> Curve:
    """The curve of a setting with the band that biased labels leave open; of very many rows, on blocks."""
    curve = curve_of(setting, method)
    if setting.bias.is_random:
        return curve
    blocks = setting.on_blocks() if in_blocks else setting
    found = BiasedHeads(blocks)
    lower, upper = (curve_of(blocks, method, found.pointwise(side)) for side in SIDES)
    return replace(curve, bias_range=CurveBounds(lower, upper, 1.0, "label_bias", "positives"))


@dataclass(frozen=True)
class Path:
    """The repaired path, with the raw rates it came from."""

    fpr: FloatArray
    tpr: FloatArray
    threshold: FloatArray
    raw_fpr: FloatArray
    raw_tpr: FloatArray
    diagnostics: tuple[Diagnostic, ...]


def area_of(
    curve_of: Callable[..., Curve], setting: Setting, method: str, heads: Heads | None = None
) -> float:
    """The area under a curve, without looking for what is remarkable about it."""
    return float(curve_of(setting, method, heads, remarks=False).area)


def path_of(setting: Setting, heads: Heads, method: str, remarks: bool = True) -> Path:
    """The corrected path of heads, made possible by the method."""
    tpr, fpr = corrected_rates(heads.pos, heads.cmp, setting.share, setting.purity)
    found: list[Diagnostic] = []
    if remarks:
        known = setting.share, setting.purity, setting.samples.sizes
        found = range_diagnostics(tpr, fpr, rate_errors(heads.pos, heads.cmp, *known))
    x, y, threshold = fpr, tpr, heads.threshold
    if method != "direct":
        repair = envelope if method == "indirect" else projection
        x, y, threshold = repair(fpr, tpr, heads.threshold)
        x, y, threshold = _join_corners(x, y, threshold)
    return Path(x, y, threshold, fpr, tpr, tuple(found))


def _join_corners(
    x: FloatArray, y: FloatArray, threshold: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Make the curve start at (0, 0) and end at (1, 1)."""
    if x[0] > 0 or y[0] > 0:
        x, y = np.concatenate([[0.0], x]), np.concatenate([[0.0], y])
        threshold = np.concatenate([[np.inf], threshold])
    if x[-1] < 1 or y[-1] < 1:
        x, y = np.concatenate([x, [1.0]]), np.concatenate([y, [1.0]])
        threshold = np.concatenate([threshold, threshold[-1:]])
    return x, y, threshold


def roc_curve_of(
    setting: Setting, method: str, heads: Heads | None = None, remarks: bool = True
) -> Curve:
    """The ROC curve of a setting, or of other heads such as those of an extreme order."""
    path = path_of(setting, setting.heads if heads is None else heads, method, remarks)
    return Curve(
        name="roc",
        x=path.fpr,
        y=path.tpr,
        threshold=path.threshold,
        x_label="false positive rate",
        y_label="true positive rate",
        method=method,
        prior=setting.prior,
        raw_x=path.raw_fpr,
        raw_y=path.raw_tpr,
        diagnostics=path.diagnostics,
    )


def pr_curve_of(
    setting: Setting, method: str, heads: Heads | None = None, remarks: bool = True
) -> Curve:
    """The precision-recall curve of a setting, or of other heads."""
    prior = setting.prior
    path = path_of(setting, setting.heads if heads is None else heads, method, remarks)
    precision = precision_of(path.fpr, path.tpr, prior)
    precision[0] = precision[min(1, precision.size - 1)]
    with np.errstate(divide="ignore", invalid="ignore"):
        raw = prior * path.raw_tpr / (prior * path.raw_tpr + (1 - prior) * path.raw_fpr)
    return Curve(
        name="precision_recall",
        x=path.tpr,
        y=precision,
        threshold=path.threshold,
        x_label="recall",
        y_label="precision",
        interpolation="step",
        method=method,
        prior=prior,
        raw_x=path.raw_tpr[1:],
        raw_y=raw[1:],
        diagnostics=path.diagnostics,
    )


def precision_of(fpr: FloatArray, tpr: FloatArray, prior: float) -> FloatArray:
    """Precision of repaired rates; 1 where nothing but labelled positives has been reached."""
    found = prior * tpr
    reached = found + (1 - prior) * fpr
    return np.divide(found, reached, out=np.ones_like(found), where=reached > 0)
