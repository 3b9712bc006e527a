"""The Boyce index of presence-only models (Boyce et al. 2002; Hirzel et al. 2006).

Windows of a tenth of the range of scores move from the lowest to the highest score in a hundred steps. In
each, P is the share of the labelled rows (presences) and E that of the comparison sample (background). The
index is Spearman's correlation of P/E with the middle of the window: 1 if presences are the denser the higher
the score, 0 at random. It needs no prior, and does not say how good a ranking is, only whether it rises.

Deviations from the usual code:

- The last window ends at the highest score and holds it. Reference code in R leaves it out, and with it the
  presences that score highest (ecospat, issue 99).
- Half a row is added to both counts of a window, so that windows with few rows do not decide the order by
  chance, and windows without background count at all. Windows without any row are left out.
- Ratios that repeat are kept; rows that share a rank share the mean rank.

With few presences noise turns neighbouring ratios round, and the index is biased towards 0: where the truth
is 1, without smoothing the mean is about 0.5 with 20 presences, 0.75 with 50 and 0.93 with 200. PM113 says so
below 200. For the same reason it has no interval: what resampling shows is that noise, not how far the index
is from the truth.
"""

from __future__ import annotations

import numpy as np

from puremetrics.calibration.bins import score_span
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.results import Estimate
from puremetrics.setting import TwoSamples, check_uncut
from puremetrics.tables.merging import merged_between
from puremetrics.tables.score_table import ScoreTable

__all__ = ["boyce_index"]

_STEPS = 100
_WIDTH = 0.1  # of a window, as a share of the range
_ENOUGH = 200  # presences


def boyce_index(table: ScoreTable) -> Estimate:
    """Estimate the continuous Boyce index: whether presences are the denser the higher the score.

    Parameters
    ----------
    table : ScoreTable
        Labelled rows are the presences, the comparison sample (unlabeled rows in case-control, all rows in a
        single training set) the background. Not cut: the index depends on the scores themselves.

    Returns
    -------
    Estimate
        Without an interval: see the module. Undefined (PM103) if all scores are equal, or all ratios.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=np.sqrt(np.arange(1, 400) / 400), unlabeled=np.arange(1, 400) / 400,
    ...     scenario="case_control")
    >>> round(float(boyce_index(table)), 2)
    1.0
    """
    check_uncut(table, "boyce_index")
    low, high = score_span(table)
    remarks: list[Diagnostic] = []
    value = np.nan
    samples = TwoSamples(table)
    if high > low:
        value = _index(table, low, high)
    if np.isnan(value):
        remarks.append(
            Diagnostic(
                "PM103",
                "boyce_index is undefined: all scores are equal, or presences are equally dense in all "
                "windows. Look at the scores.",
            )
        )
    if samples.sizes[0] < _ENOUGH:
        remarks.append(
            Diagnostic(
                "PM113",
                f"with {samples.sizes[0]:.4g} presences the Boyce index is biased towards 0: noise turns "
                f"neighbouring ratios round. Below {_ENOUGH} compare it on the same rows only.",
            )
        )
    return Estimate(
        name="boyce_index",
        title="Boyce index",
        value=float(value),
        interval=None,
        standard_error=None,
        method="smoothed windows",
        scenario=table.scenario,
        diagnostics=tuple(remarks),
    )


def _index(table: ScoreTable, low: float, high: float) -> float:
    """Spearman's correlation of window and ratio."""
    starts, ends = _windows(low, high)
    edges = np.unique(np.concatenate([starts, ends[:-1]]))
    samples = TwoSamples(merged_between(table, edges))
    sizes = samples.total_pos, samples.total_cmp
    shares = []
    for head in (samples.heads.pos, samples.heads.cmp):
        above = [
            head[np.searchsorted(-samples.table.score, -at, side="right")] for at in (starts, ends)
        ]
        above[1][-1] = 0.0  # the last window holds the highest score
        shares.append(above[0] - above[1])
    some = shares[0] + shares[1] > 1e-12
    top, bottom = (
        (share * size + 0.5) / (size + 1) for share, size in zip(shares, sizes, strict=True)
    )
    return _correlation(np.arange(float(np.sum(some))), _ranks((top / bottom)[some]))


def _windows(low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Where windows of a tenth of the range start and end."""
    steps, reach = np.arange(_STEPS + 1), high - low
    if np.isinf(reach):  # scores at both ends of what floats can be
        share = (1 - _WIDTH) * steps / _STEPS
        starts, ends = (low * (1 - part) + high * part for part in (share, share + _WIDTH))
    else:
        starts = low + reach * (1 - _WIDTH) * steps / _STEPS
        ends = starts + reach * _WIDTH
    starts[0] = low
    return starts, ends


def _ranks(values: FloatArray) -> FloatArray:
    """Ranks, those of equal values averaged; values that differ by rounding are equal."""
    rounded = np.array([float(f"{value:.12g}") for value in values])
    distinct, place, counts = np.unique(rounded, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(middle[place.reshape(-1)] if distinct.size else rounded)


def _correlation(first: FloatArray, second: FloatArray) -> float:
    """Pearson's correlation; NaN if one of them does not vary."""
    if first.size < 2:
        return float("nan")
    a, b = first - first.mean(), second - second.mean()
    scale = float(np.sqrt(np.sum(a**2) * np.sum(b**2)))
    return float(np.sum(a * b) / scale) if scale > 0 else float("nan")
