"""Are all segments alike? Cochran's test, and by Holm's the segments that stand out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.quantiles import holm_rejected
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Result
from puremetrics.sampling.clustered import robust
from puremetrics.sampling.limits import linear_variance
from puremetrics.setting import Setting
from puremetrics.statistics.roc_area import area_influence, direct_area

__all__ = ["Homogeneity", "RawArea", "homogeneity_of", "pooled", "sentence_of"]


@dataclass(frozen=True, eq=False, repr=False)
class Homogeneity(Result):
    """Cochran's test that all segments have the same value.

    Attributes
    ----------
    name : str
        "naive_auc", "auc" or "prior".
    segments : int
        How many were compared.
    statistic, p_value : float
        Q, and the chance of one at least as large if segments are alike.
    mean : float
        Mean of the segments, weighted by precision.
    differ : bool
        Whether the chance is below the error rate, shared by the quantities that were asked.
    outliers : tuple
        Segments that stand out, by Holm's test; empty unless segments differ.
    """

    name: str
    segments: int
    statistic: float
    p_value: float
    mean: float
    differ: bool
    outliers: tuple[Any, ...]
    diagnostics: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        return sentence_of(self)


class RawArea(NamedTuple):
    """An area without repair, and what its variance is made of."""

    value: float
    by_pos: float  # variance of a placement of a positive, and of another row
    by_others: float
    n_pos: float
    n_others: float
    gap: float

    @staticmethod
    def of(setting: Setting) -> RawArea:
        """The area of a setting."""
        below, above = area_influence(setting.heads)
        setting = robust(setting, below, above)
        gap, samples, table = setting.gap, setting.samples, setting.ranked
        area = weighted_sum(np.diff(samples.heads.cmp), above)
        parts = linear_variance(samples, below, above)
        n_pos = samples.sizes[0]
        n_others = (table.total - table.total_pos) / samples.effect[1]
        return RawArea(
            direct_area(area, gap),
            parts.from_positives * n_pos,
            parts.from_others * n_others,
            n_pos,
            n_others,
            gap,
        )


def pooled(areas: list[RawArea | None]) -> tuple[list[int], FloatArray, FloatArray]:
    """Places, areas and standard errors, with the spread of the rows pooled over all segments.

    The error that a segment gives itself shrinks as its area comes out near 1, which would weight lucky
    segments too heavily: with 30 positives each, Cochran's test then raises three false alarms for one.
    """
    place = [i for i, area in enumerate(areas) if area is not None]
    known = [area for area in areas if area is not None]
    by_pos, by_others = (
        float(np.mean([area[i] for area in known])) if known else 0.0 for i in (1, 2)
    )
    variance = [(by_pos / a.n_pos + by_others / a.n_others) / a.gap**2 for a in known]
    return place, np.array([area.value for area in known]), np.sqrt(variance)


def homogeneity_of(
    name: str, keys: list[Any], value: FloatArray, error: FloatArray, allowed: float
) -> Homogeneity | None:
    """Cochran's Q, and by Holm's test the segments that stand out."""
    from scipy.special import chdtrc, ndtr

    keys = [key for key, own in zip(keys, error, strict=True) if own > 0]
    value, error = value[error > 0], error[error > 0]
    if len(keys) < 2:
        return None
    weight = 1 / error**2
    mean = weighted_sum(weight, value) / float(weight.sum())
    statistic = weighted_sum(weight, (value - mean) ** 2)
    p_value = float(chdtrc(len(keys) - 1, statistic))
    differ = p_value < allowed
    outliers: tuple[Any, ...] = ()
    if differ:
        spread = np.sqrt(np.maximum(error**2 - 1 / weight.sum(), 1e-300))
        beyond = 2 * ndtr(-np.abs(value - mean) / spread)
        outliers = tuple(keys[i] for i in holm_rejected(np.asarray(beyond), allowed))
    return Homogeneity(name, len(keys), statistic, p_value, mean, differ, outliers)


def sentence_of(test: Homogeneity) -> str:
    """What the test says."""
    what = {"naive_auc": "naive AUC", "auc": "AUC", "prior": "prior"}[test.name]
    if not test.differ:
        return (
            f"the {what} of {test.segments} segments differs no more than by chance "
            f"(p = {test.p_value:.2g}); mean {test.mean:.4f}"
        )
    named = ", ".join(str(key) for key in test.outliers[:8])
    more = f" and {len(test.outliers) - 8} more" if len(test.outliers) > 8 else ""
    out = f"; these stand out: {named}{more}" if named else "; no single one stands out"
    return (
        f"the {what} of {test.segments} segments differs by more than chance (p = {test.p_value:.2g}; "
        f"mean {test.mean:.4f}){out}"
    )
