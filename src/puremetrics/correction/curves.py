"""Corrected ROC and precision-recall curves (Jain, White, Radivojac 2017), and areas under parts of them.

The raw corrected path need not be a curve that is possible; ``method`` says what is done about it:

- "direct" leaves it as it is;
- "indirect" (default), Algorithm 1, takes its upper-left envelope, see `numerics.monotone`;
- "projected", not in the paper, its bounded isotonic projection.

Precision along a repaired curve is prior·γ / (prior·γ + (1 − prior)·η), Eq. (3). Where no row of the
comparison sample has been reached (0/0), precision is 1: whatever was retrieved so far is a labelled
positive.

**Parts of a ROC curve** (`Part`, `partial_area`): up to a false positive rate, or over a range of recall. The
areas below them are put on McClish's scale (1989), on which chance is ½ and a perfect ranking 1, as
scikit-learn does with ``max_fpr``: ½·(1 + (A − x²/2)/(x − x²/2)), and the same for a range of recalls with
its area at chance, (h − l) − (h² − l²)/2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from puremetrics.checking.arguments import check_choice, check_number, shown
from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import SIDES, BiasedHeads
from puremetrics.correction.curve_bands import check_band, with_band
from puremetrics.correction.rates import corrected_rates, range_diagnostics, rate_errors
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.monotone import envelope, projection
from puremetrics.results import Curve, CurveBounds
from puremetrics.setting import Heads, PriorLike, PurityLike, Setting
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "METHODS",
    "Part",
    "area_of",
    "check_part",
    "curve_with_bias_band",
    "partial_area",
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
    prior_of: str = "population",
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
    prior_of : {"population", "rows"}
        Whose share of positives the prior is; see `roc_auc`.

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
    setting = Setting.of(
        table, prior, purity, confidence_level, label_bias, label_bias_side, prior_of
    )
    curve = curve_with_bias_band(setting, roc_curve_of, check_choice(method, METHODS, "method"))
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
    prior_of: str = "population",
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
    setting = Setting.of(
        table, prior, purity, confidence_level, label_bias, label_bias_side, prior_of
    )
    curve = curve_with_bias_band(setting, pr_curve_of, check_choice(method, METHODS[1:], "method"))
    return with_band(setting, curve, kind)


def curve_with_bias_band(
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


@dataclass(frozen=True)
class Part:
    """Which part of the curve: false positive rates up to ``fpr``, or recalls from ``low`` to ``high``."""

    fpr: float | None = None
    low: float = 0.0
    high: float = 1.0

    @property
    def chance(self) -> float:
        """The area of a random ranking."""
        if self.fpr is not None:
            return self.fpr**2 / 2
        return self.perfect - (self.high**2 - self.low**2) / 2

    @property
    def perfect(self) -> float:
        """The area of a perfect one."""
        return self.fpr if self.fpr is not None else self.high - self.low

    def scaled(self, area: float) -> float:
        """An area on McClish's scale."""
        return (1 + (area - self.chance) / (self.perfect - self.chance)) / 2

    @property
    def words(self) -> str:
        """Which part, in words."""
        if self.fpr is not None:
            return f"FPR up to {self.fpr:g}"
        return f"recall {self.low:g} to {self.high:g}"


def check_part(max_fpr: object, recall_range: object) -> Part | None:
    """Which part is asked for; None for the whole curve."""
    if max_fpr is not None and recall_range is not None:
        raise InputError("Both max_fpr and recall_range were given. Pass one of them.")
    if max_fpr is not None:
        rate = check_number(max_fpr, "max_fpr")
        if not 0 < rate <= 1:
            raise InputError(f"max_fpr={rate:g} must lie above 0 and be at most 1.")
        return None if rate == 1 else Part(rate)
    if recall_range is None:
        return None
    pair = recall_range.tolist() if isinstance(recall_range, np.ndarray) else recall_range
    ends = list(pair) if isinstance(pair, tuple | list) else []
    if len(ends) != 2:
        raise InputError(f"recall_range={shown(recall_range)} must be a pair such as (0.8, 1).")
    low, high = (check_number(end, "an end of recall_range") for end in ends)
    if not 0 <= low < high <= 1:
        raise InputError(
            f"recall_range=({low:g}, {high:g}) must go from a lower to a higher end, both between 0 and 1."
        )
    return None if (low, high) == (0, 1) else Part(None, low, high)


def partial_area(curve: Curve, part: Part) -> float:
    """The area of that part below a curve."""
    if part.fpr is not None:
        x, y = _until(curve.x, curve.y, part.fpr)
        return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)
    area = 0.0
    for end, sign in ((part.high, 1.0), (part.low, -1.0)):
        y, x = _until(curve.y, curve.x, end)
        area += sign * (end - float(np.sum(np.diff(y) * (x[1:] + x[:-1])) / 2))
    return area


def _until(x: FloatArray, y: FloatArray, end: float) -> tuple[FloatArray, FloatArray]:
    """A polyline with rising x up to where x reaches the end."""
    last = int(np.searchsorted(x, end, side="right"))
    if last == x.size:
        return x, y
    start, stop = last - 1, last
    part = (end - x[start]) / (x[stop] - x[start])
    between = y[start] + part * (y[stop] - y[start])
    return np.append(x[:last], end), np.append(y[:last], between)
