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
the data contradict it (below): few presences cannot tell a bend from noise, so none is assumed.

**Interval.** Resampling shows the noise of the index and not its bias, so its percentiles alone miss the
truth. They are stretched to 1 if a ratio that rises all along is not contradicted at the confidence level,
and to −1 if a falling one is not. What lies between, a ratio that bends but is nearly monotone, is held by
percentiles only, and with few presences less often than the level says.

**Monotone ratio.** The ratio of presences to background that rises with the score and fits best is the
isotonic regression of the share of presences among the rows of a cell, weighted by these rows. Whether it
contradicts the data is asked of ten windows side by side: the deviance of their counts from the fit, against
that of samples drawn from the fit.

**Cells** (`Cells`). The index is made of presences and background in windows of the score, and varies as they
do. A hundred and one windows overlap, so they are sums over cells between all of their edges. Counts of cells
are multinomial given the numbers of presences and of other rows; resampling them costs the same for any
number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
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
from puremetrics.numerics.monotone import bounded_isotonic
from puremetrics.results import Estimate, Interval, Named
from puremetrics.sampling.clustered import head_effects
from puremetrics.setting import TwoSamples, check_uncut
from puremetrics.tables.framing import takes_data
from puremetrics.tables.merging import merged_between
from puremetrics.tables.score_table import ScoreTable

__all__ = ["STEPS", "Cells", "boyce_index", "correlations"]


STEPS = 100
_WIDTH = 0.1  # of a window, as a share of the range
_LARGE = 1e300  # a range that a hundred steps would take beyond all floats
_APART = 10  # windows side by side


@dataclass(frozen=True)
class Cells:
    """Shares of the presences (``pos``) and of the other rows in cells from the lowest score up.

    ``first`` and ``last`` are the cells of each window, ``labelled`` the part of the background that
    presences are, ``sizes`` the numbers of presences and of background rows, ``effective`` those of presences
    and other rows that are independent.
    """

    pos: FloatArray
    others: FloatArray
    first: IntArray
    last: IntArray
    labelled: float
    sizes: tuple[float, float]
    effective: tuple[int, int]

    @classmethod
    def of(cls, table: ScoreTable, low: float, high: float, effect: tuple[float, float]) -> Cells:
        """The cells of a table whose scores run from low to high."""
        starts, ends = _windows(low, high)
        edges = np.unique(np.concatenate([starts, ends[:-1]]))
        samples = TwoSamples(merged_between(table, edges), effect)
        own = samples.total_pos / samples.total_cmp if samples.one_sample else 0.0
        above = np.searchsorted(-samples.table.score, -edges, side="right")
        heads = [samples.heads.pos[above], samples.heads.cmp[above]]
        pos, cmp = (head - np.append(head[1:], 0.0) for head in heads)
        others = np.maximum(cmp - own * pos, 0.0) / max(1 - own, 1e-300)
        first = np.searchsorted(edges, starts)
        last = np.append(np.searchsorted(edges, ends[:-1]), edges.size)
        whole = max(float(others.sum()), 1e-300)
        rows = samples.sizes[0], samples.sizes[1] * (1 - own)
        effective = tuple(max(round(size), 1) for size in rows)
        sizes = samples.total_pos, samples.total_cmp
        return cls(pos, others / whole, first, last, own, sizes, effective)  # type: ignore[arg-type]

    def background(self, pos: FloatArray, others: FloatArray) -> FloatArray:
        """Shares of the background."""
        return self.labelled * pos + (1 - self.labelled) * others

    def in_windows(self, cells: FloatArray) -> FloatArray:
        """Sums over the cells of each window; cells along the last axis."""
        zero = np.zeros((*cells.shape[:-1], 1))
        running = np.concatenate([zero, np.cumsum(cells, axis=-1)], axis=-1)
        return np.asarray(running[..., self.last] - running[..., self.first])

    def ratios(
        self, pos: FloatArray, cmp: FloatArray, sizes: tuple[float, float] | None = None
    ) -> FloatArray:
        """Presences to background in each window, with half a row more in both."""
        top, bottom = (
            (self.in_windows(cells) * size + 0.5) / (size + 1)
            for cells, size in zip((pos, cmp), sizes or self.sizes, strict=True)
        )
        return np.asarray(top / bottom)

    def filled(self) -> IntArray:
        """Windows that hold any row."""
        rows = self.in_windows(self.pos + self.background(self.pos, self.others))
        return np.asarray(np.flatnonzero(rows > 1e-12))

    def drawn(
        self, rng: np.random.Generator, pos: FloatArray, draws: int
    ) -> tuple[FloatArray, FloatArray]:
        """Shares of presences and background in samples of as many rows."""
        own, rest = self.effective
        shares = rng.multinomial(own, pos / pos.sum(), size=draws) / own
        others = rng.multinomial(rest, self.others, size=draws) / rest
        return shares, self.background(shares, others)

    def monotone(self, sign: float) -> tuple[FloatArray, float]:
        """Shares of presences with a ratio that rises (or falls, with sign −1), and their log-likelihood."""
        own, other = self._rows(self.pos, self.background(self.pos, self.others))
        rows = own + other
        share = np.divide(own, rows, out=np.zeros(rows.size), where=rows > 0)
        order = slice(None, None, 1 if sign > 0 else -1)
        fit = np.clip(bounded_isotonic(share[order], rows[order])[order], 0.0, 1.0)
        found = fit * rows
        return found / max(float(found.sum()), 1e-300), float(_likelihood(fit, own, other))

    def contradicted(self, rng: np.random.Generator, sign: float, draws: int) -> float:
        """How often samples from a monotone ratio are as far from one as these rows are."""
        fit, _ = self.monotone(sign)
        cmp = self.background(self.pos, self.others)
        seen = self._distances(self.pos[None], cmp[None], sign)[0]
        found = self._distances(*self.drawn(rng, fit, draws), sign)
        return (1 + float(np.sum(found >= seen - 1e-9))) / (draws + 1)

    def _rows(self, pos: FloatArray, cmp: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Numbers of presences and of background rows."""
        return pos * self.effective[0], cmp * sum(self.effective)

    def _distances(self, pos: FloatArray, cmp: FloatArray, sign: float) -> FloatArray:
        """Deviance of ten windows from the best monotone ratio, for each row of the arrays."""
        starts = np.arange(_APART) * pos.shape[1] // _APART
        own, other = (
            np.add.reduceat(rows, starts, axis=1)[:, :: 1 if sign > 0 else -1]
            for rows in self._rows(pos, cmp)
        )
        free = own / np.maximum(own + other, 1e-300)
        fit = _rising(own, own + other)
        return np.asarray(2 * (_likelihood(free, own, other) - _likelihood(fit, own, other)))


def _windows(low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Where windows of a tenth of the range start and end."""
    steps, reach = np.arange(STEPS + 1), high - low
    if reach > _LARGE:  # scores at both ends of what floats can be
        share = (1 - _WIDTH) * steps / STEPS
        starts, ends = (low * (1 - part) + high * part for part in (share, share + _WIDTH))
    else:
        starts = low + reach * (1 - _WIDTH) * steps / STEPS
        ends = starts + reach * _WIDTH
    starts[0] = low
    return starts, ends


def _rising(own: FloatArray, rows: FloatArray) -> FloatArray:
    """Isotonic regression of shares along the last axis by the max-min formula, for a few places."""
    size = own.shape[1]
    sums, totals = (
        np.concatenate([np.zeros((own.shape[0], 1)), np.cumsum(column, axis=1)], axis=1)
        for column in (own, rows)
    )
    fit = np.full(own.shape, -np.inf)
    for first in range(size):
        mass = totals[:, first + 1 :] - totals[:, first : first + 1]
        mean = (sums[:, first + 1 :] - sums[:, first : first + 1]) / np.maximum(mass, 1e-300)
        mean = np.where(mass > 1e-9, mean, np.inf)  # without rows there is no mean to keep below
        least = np.minimum.accumulate(mean[:, ::-1], axis=1)[:, ::-1]
        fit[:, first:] = np.maximum(fit[:, first:], np.where(np.isfinite(least), least, -np.inf))
    return np.asarray(np.clip(fit, 0.0, 1.0))


def _likelihood(share: FloatArray, own: FloatArray, other: FloatArray) -> FloatArray:
    """Log-likelihood of which rows are presences, if their shares are these."""
    share = np.clip(share, 1e-12, 1 - 1e-12)
    return np.asarray(np.sum(own * np.log(share) + other * np.log1p(-share), axis=-1))


def correlations(ratios: FloatArray) -> FloatArray:
    """Spearman's correlation of each row of ratios with their places; NaN where all are equal."""
    logs = np.log(ratios).round(11)
    count, size = logs.shape[0], logs.shape[-1]
    order = np.argsort(logs, axis=1)
    placed = np.take_along_axis(logs, order, axis=1)
    new = np.ones((count, size + 1), dtype=np.bool_)
    np.not_equal(placed[:, 1:], placed[:, :-1], out=new[:, 1:-1])
    place = np.arange(size + 0.0)
    first = np.maximum.accumulate(np.where(new[:, :-1], place, 0.0), axis=1)
    last = np.minimum.accumulate(np.where(new[:, 1:], place, size)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty((count, size))
    np.put_along_axis(ranks, order, (first + last) / 2, axis=1)
    apart = ranks - ranks.mean(axis=1, keepdims=True)
    place -= place.mean()
    scale = np.sqrt(np.sum(apart**2, axis=1) * float(np.sum(place**2)))
    none = np.full(count, np.nan)
    return np.asarray(np.divide(apart @ place, scale, out=none, where=scale > 0))


_ENOUGH = 200  # presences
_SMOOTHING = ("none", "monotone")
_SIGNS = (1.0, -1.0)


@takes_data
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
                "windows. Check the scores.",
            )
        )
    if presences < _ENOUGH:
        remarks.append(_few(presences, smooth))
    return Estimate.of(
        Named("boyce_index", "Boyce index"),
        float(value),
        interval,
        {"scenario": table.scenario},
        method="monotone windows" if smooth else "smoothed windows",
        diagnostics=tuple(remarks),
    )


def _few(presences: float, smooth: bool) -> Diagnostic:
    told = (
        "cannot distinguish a ratio that bends slightly from one that does not"
        if smooth
        else "is biased towards 0: noise reverses neighbouring ratios"
    )
    instead = "" if smooth else ", or use smoothing='monotone'"
    return Diagnostic(
        "PM113",
        f"with {presences:.4g} presences the Boyce index {told}. With fewer than {_ENOUGH}, compare it only "
        f"on the same rows{instead}.",
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
