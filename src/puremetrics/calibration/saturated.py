"""Scores of 0 and 1 on the logit scale, where they would be endlessly far out.

Such scores (and those below 2⁻⁵³, as near to 0 as floats get to 1) are rounded: by single precision, by
few decimals, by a clip, or because the model failed. What they stood for is not known. Taking them at
some fixed distance from the end, such as 1e-7, makes a logistic map depend on that choice: with a few
positives at 0, which then have a logit of −16, the map gets flat to reach them. Their place is therefore
estimated along with the map:

1. The map is fitted to the rows that score between 0 and 1.
2. The rows at 0 are placed where that map reaches their own rate of positives (with half a row of the
   nearest score added), below all other scores. If their rate is too high for that, they are pooled with the
   lowest other scores, as isotonic regression does, until the rate of all of them is no higher than the map
   at the next; all of them then count as the last one. Other rows join the pool with the rate that the map
   gives them, for how well it fits there has nothing to do with the end. Rows at 1 likewise.
3. The map is fitted to all rows.

That is one round of maximising the likelihood over map and places by turns. The rows at the ends then
say how many positives there are at the ends, and hardly anything about how steep the map is. Without rows
enough for a map in between, or if it is flat, they are placed half-way between the end and the nearest
other score.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.calibration.posterior import LogisticFit, fit_logistic
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.setting import Setting
from puremetrics.tables.score_table import ScoreTable

__all__ = ["EXACT_ENDS", "UNPLACED", "Inside", "features_of", "fit_with_ends", "saturation_remark"]

Inside = tuple[float, float]
UNPLACED: Inside = (1e-7, 1 - 1e-7)  # of maps that were stored without any
_LEAST, _MOST = 2.0**-53, 1 - 2.0**-53  # floats have none nearer to 1
EXACT_ENDS = (_LEAST, 1.0)  # rows below the first, and from the second on, are placed by themselves


def features_of(score: FloatArray, method: str, link: str, inside: Inside) -> FloatArray:
    """What a map is linear in, one row for each score."""
    x = score
    if link == "logit":
        kept = np.clip(score, *inside)
        if method == "beta":
            return np.stack([np.log(kept), -np.log1p(-kept), np.ones(score.size)], axis=1)
        x = np.log(kept) - np.log1p(-kept)
    return x[:, None] if method == "temperature" else np.stack([x, np.ones(score.size)], axis=1)


def fit_with_ends(
    setting: Setting, method: str, link: str, start: FloatArray, rising: list[bool]
) -> tuple[LogisticFit, Inside]:
    """Fit a logistic map, with a place for scores of exactly 0 and 1 if there are any."""
    score = setting.table.centre
    inside = _LEAST, _MOST
    if link == "logit" and (score[-1] < _LEAST or score[0] > _MOST):
        inside = _places(setting, method, start, rising)
    fit = fit_logistic(setting, features_of(score, method, link, inside), start, rising)
    return fit, inside


def saturation_remark(table: ScoreTable, inside: Inside) -> list[Diagnostic]:
    """PM316 if rows score exactly 0 or 1: how many, and where they were placed."""
    score = table.centre
    size = table.n_pos + table.n_unl + table.n_neg
    found = [
        f"{float(size[there].sum()):g} rows score exactly {end} and count as {place:.6g}"
        for end, place, there in zip((0, 1), inside, (score < _LEAST, score > _MOST), strict=True)
        if there.any()
    ]
    if not found:
        return []
    return [
        Diagnostic(
            "PM316",
            f"{', and '.join(found)}: their logit is endless, so they were placed where the map of the "
            "other rows reaches their rate of positives. Scores that are not rounded would tell more.",
        )
    ]


def _places(setting: Setting, method: str, start: FloatArray, rising: list[bool]) -> Inside:
    """Scores between 0 and 1 that stand for rows at 0 and at 1."""
    score, rows = setting.table.centre, setting.rows
    pos, cmp = (np.asarray(column, dtype=np.float64) for column in (rows.pos, rows.cmp))
    inner = (score >= _LEAST) & (score <= _MOST)
    others = score[inner]
    if not others.size:
        half = 0.5 / (rows.sizes[1] + 1)
        return half, 1 - half
    fallback = max(float(others[-1]) / 2, _LEAST), min((1 + float(others[0])) / 2, _MOST)
    if others.size < 2 or not (pos[inner].sum() > 0 and cmp[inner].sum() > 0):
        return fallback
    features = features_of(others, method, "logit", (_LEAST, _MOST))
    fit = fit_logistic(setting, features, start, rising, (pos[inner], cmp[inner]))
    if fit.at_limit or not any(v > 0 for v, up in zip(fit.parameters, rising, strict=True) if up):
        return fallback
    fitted = _sigmoid(features @ fit.parameters)
    low, high = _LEAST, _MOST
    if score[-1] < _LEAST:
        rate = _pooled_rates(setting, score < _LEAST, fitted[::-1], cmp[inner][::-1])
        low = _place(fit, method, rate, fitted[::-1], others[::-1], _LEAST)
    if score[0] > _MOST:
        rate = _pooled_rates(setting, score > _MOST, fitted, cmp[inner])
        high = _place(fit, method, rate, fitted, others, _MOST)
    return (low, high) if low < high else fallback


def _place(
    fit: LogisticFit,
    method: str,
    rate: FloatArray,
    fitted: FloatArray,
    score: FloatArray,
    end: float,
) -> float:
    """Place of the rows at an end, from the rates of those rows pooled with the next 0, 1, 2 … scores."""
    sign = -1.0 if end < 0.5 else 1.0
    beyond = sign * (rate[:-1] - fitted) >= 0  # the pool lies beyond the next score, as it should
    pooled = int(np.argmax(beyond)) if beyond.any() else score.size
    if pooled > 0:
        return float(score[pooled - 1])
    near, far = (float(np.log(s) - np.log1p(-s)) for s in (score[0], end))
    for _ in range(100):
        middle = (near + far) / 2
        at = features_of(np.array([1 / (1 + np.exp(-middle))]), method, "logit", (_LEAST, _MOST))
        if sign * (rate[0] - float(_sigmoid(at @ fit.parameters)[0])) > 0:
            near = middle
        else:
            far = middle
    return float(np.clip(1 / (1 + np.exp(-far)), _LEAST, _MOST))


def _pooled_rates(setting: Setting, end: Any, fitted: FloatArray, rows: FloatArray) -> FloatArray:
    """Rates of the rows at an end, by themselves and with the next 1, 2 … scores."""
    own = setting.rows
    labelled, more = (_labelled(setting, *some) for some in ((fitted, rows), (fitted[:1], 0.5)))
    pools = [
        np.cumsum(np.append(float(np.sum(column[end])) + float(half), others))
        for column, others, half in ((own.pos, labelled, more[0]), (own.cmp, rows, 0.5))
    ]
    ratio = pools[0] / own.total_pos / (pools[1] / own.total_cmp)
    prior, purity, share = setting.prior, setting.purity, setting.share
    top = prior * ((1 - share) * ratio - (1 - purity))
    bottom = (prior - share) * ratio + (purity - prior)
    rate = np.divide(top, bottom, out=np.ones(ratio.size), where=bottom > 0)
    return np.asarray(np.clip(rate, 0.0, 1.0))


def _labelled(setting: Setting, rate: FloatArray, rows: FloatArray | float) -> FloatArray:
    """Labelled rows that go with a rate of positives, among so many rows of the comparison sample."""
    prior, purity, share = setting.prior, setting.purity, setting.share
    top = rate * (purity - prior) + prior * (1 - purity)
    ratio = top / np.maximum(prior * (1 - share) - rate * (prior - share), 1e-12)
    return np.asarray(ratio * rows / setting.rows.total_cmp * setting.rows.total_pos)


def _sigmoid(z: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -700, 700))))
