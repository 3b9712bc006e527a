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
below 200. ``smoothing="monotone"`` replaces the ratio by the best one that only rises or only falls, unless
the data contradict it (`presences`): few presences cannot tell a bend from noise, so none is assumed.

**Interval.** Resampling shows the noise of the index and not its bias, so its percentiles alone miss the
truth. They are stretched to 1 if a ratio that rises all along is not contradicted at the confidence level,
and to −1 if a falling one is not. What lies between, a ratio that bends but is nearly monotone, is held by
percentiles only, and with few presences less often than the level says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.calibration.bins import score_span
from puremetrics.checking.arguments import (
    as_generator,
    check_choice,
    check_level,
    check_resamples,
)
from puremetrics.checking.types import FloatArray, IntArray
from puremetrics.exceptions import Diagnostic
from puremetrics.listing.presences import Cells, correlations
from puremetrics.results import Estimate, Interval
from puremetrics.sampling.clustered import head_effects
from puremetrics.setting import TwoSamples, check_uncut
from puremetrics.tables.score_table import ScoreTable

__all__ = ["boyce_index"]

_ENOUGH = 200  # presences
_SMOOTHING = ("none", "monotone")
_SIGNS = (1.0, -1.0)


def boyce_index(
    table: ScoreTable,
    *,
    smoothing: str = "none",
    confidence_level: float = 0.95,
    n_resamples: int = 500,
    rng: Any = 0,
) -> Estimate:
    """Estimate the continuous Boyce index: whether presences are the denser the higher the score.

    Parameters
    ----------
    table : ScoreTable
        Labelled rows are the presences, the comparison sample (unlabeled rows in case-control, all rows in a
        single training set) the background. Not cut: the index depends on the scores themselves.
    smoothing : {"none", "monotone"}
        "monotone" takes the ratio for rising, or falling, all along unless the data contradict that: use it
        with fewer than some 200 presences.
    confidence_level : float, default 0.95
    n_resamples : int, default 500
    rng : int, Generator or None
        0 by default: a second run says the same.

    Returns
    -------
    Estimate
        Undefined (PM103) if all scores are equal, or all ratios. The interval is made by resampling and
        approximate: see the module.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=np.sqrt(np.arange(1, 400) / 400), unlabeled=np.arange(1, 400) / 400,
    ...     scenario="case_control")
    >>> round(float(boyce_index(table)), 2)
    1.0
    """
    check_uncut(table, "boyce_index")
    smooth = check_choice(smoothing, _SMOOTHING, "smoothing") == "monotone"
    level, draws = check_level(confidence_level), check_resamples(n_resamples)
    generator = as_generator(rng)
    low, high = score_span(table)
    remarks: list[Diagnostic] = []
    value, interval = np.nan, None
    effect = (1.0, 1.0)
    if table.clusters is not None:
        effect = head_effects(table.clusters, level)[0]
    presences = TwoSamples(table, effect).sizes[0]
    if high > low:
        cells = Cells.of(table, low, high, effect)
        value, ends = _index(cells, smooth, level, draws, generator)
        if not np.isnan(value):
            interval = Interval(*ends, level, "confidence", "bootstrap_and_shape")
    if np.isnan(value):
        remarks.append(
            Diagnostic(
                "PM103",
                "boyce_index is undefined: all scores are equal, or presences are equally dense in all "
                "windows. Look at the scores.",
            )
        )
    if presences < _ENOUGH:
        remarks.append(_few(presences, smooth))
    return Estimate(
        name="boyce_index",
        title="Boyce index",
        value=float(value),
        interval=interval,
        standard_error=None,
        method="monotone windows" if smooth else "smoothed windows",
        scenario=table.scenario,
        diagnostics=tuple(remarks),
    )


def _few(presences: float, smooth: bool) -> Diagnostic:
    told = (
        "cannot tell a ratio that bends a little from one that does not"
        if smooth
        else "is biased towards 0: noise turns neighbouring ratios round"
    )
    instead = "" if smooth else ", or use smoothing='monotone'"
    return Diagnostic(
        "PM113",
        f"with {presences:.4g} presences the Boyce index {told}. Below {_ENOUGH} compare it on the same rows "
        f"only{instead}.",
    )


def _index(
    cells: Cells, smooth: bool, level: float, draws: int, rng: np.random.Generator
) -> tuple[float, tuple[float, float]]:
    """The index, and its limits."""
    filled = cells.filled()
    cmp = cells.background(cells.pos, cells.others)
    raw = float(correlations(cells.ratios(cells.pos, cmp)[None, filled])[0])
    possible = [cells.contradicted(rng, sign, draws) >= 1 - level for sign in _SIGNS]
    fits = [cells.monotone(sign) for sign in _SIGNS]
    best = int(fits[1][1] > fits[0][1])
    value = raw
    if smooth and possible[best]:
        value = _of_fit(cells, fits[best][0], cmp, filled)
    if np.isnan(value):
        return value, (value, value)
    shares, others = cells.drawn(rng, cells.pos, draws)
    sizes = float(cells.effective[0]), float(sum(cells.effective))
    found = correlations(cells.ratios(shares, others, sizes)[:, filled])
    found = found[~np.isnan(found)]
    ends = [value]
    if found.size:
        ends += [float(end) for end in np.quantile(found, [(1 - level) / 2, (1 + level) / 2])]
    ends += [sign for sign, open_ in zip(_SIGNS, possible, strict=True) if open_]
    return value, (min(ends), max(ends))


def _of_fit(cells: Cells, pos: FloatArray, cmp: FloatArray, filled: IntArray) -> float:
    """The index of fitted shares: ratios as they are, where there is background."""
    top, bottom = cells.in_windows(pos)[filled], cells.in_windows(cmp)[filled]
    ratios = np.divide(top, bottom, out=np.full(top.size, np.inf), where=bottom > 1e-12)
    most = float(ratios[np.isfinite(ratios)].max(initial=1.0))
    ratios = np.where(np.isfinite(ratios), ratios, 2 * most)
    return float(correlations(np.maximum(ratios, 1e-12)[None])[0])
