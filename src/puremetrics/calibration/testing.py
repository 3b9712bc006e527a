"""A test of calibration: could scores that mean what they say have given these data?

Null hypothesis: P(y = 1 | score) = score in the population, at the prior and purity assumed. Neither Kiryo
nor others give such a test for positive and unlabeled rows; it is derived here.

*The null.* If scores are calibrated, the law P of the score in the population settles everything: its mean is
the prior π, and the densities of both samples over P are (β the purity, a the share of positives in F)

    of G:  β·s/π + (1 − β)·(1 − s)/(1 − π)        of F:  a·s/π + (1 − a)·(1 − s)/(1 − π)

Both integrate to 1 for every P of mean π. Since they do not depend on P otherwise, P's maximum likelihood
estimate from all rows, N_i of them at score s_i, maximises Σ N_i·log P_i subject to the mean:

    P_i = N_i / (N + λ·(s_i − π)),   λ such that Σ P_i·s_i = π           (empirical likelihood, Owen 1988)

Labelled rows thereby tell how much of the population lies at scores that its own sample has hardly reached,
which is where rare positives are. If all scores lie on one side of the prior, no calibrated population has
scores like these alone, and one more row at 0 or 1 is added.

*The statistic.* Gaps d_b of a few bins (`calibration.gaps`), and T = d'·S⁻¹·d with S their covariance under
the null. Bins are balanced (`calibration.bins`) in the estimated null, not in the samples.

*The p-value* counts how many of n samples drawn from the estimated null have a T at least as large: (1 + #{T*
≥ T}) / (n + 1). Nothing is assumed to be normal: with rare positives the gaps are far from it. S is the
second moment of all n + 1 vectors of gaps, so that the data and the draws are treated alike. In a single
training set rows are drawn first, then which of them are labelled. Rows are redrawn in small cells of
neighbouring scores, at most 500 of them, so that the cost depends on neither sample's size.

Of a range of priors or purities the largest p-value counts: the data speak against calibration only if they
do at each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from puremetrics.calibration.bins import (
    BinMoments,
    bin_edges,
    check_bin_count,
    check_probabilities,
    reduce_to_bins,
)
from puremetrics.calibration.gaps import BinGaps, bin_gaps
from puremetrics.checking.arguments import as_generator, check_choice, check_resamples
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.results import Result
from puremetrics.sampling.resampling import DEFAULT_RESAMPLES
from puremetrics.scenarios import Scenario
from puremetrics.setting import (
    PriorLike,
    PurityLike,
    Setting,
    check_independent,
    check_table,
    check_whole,
)
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = ["CalibrationTest", "calibration_test"]

_CELLS = 500
_MOST_BINS = 20
_SINGULAR = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationTest(Result):
    """A test of the hypothesis that scores are calibrated; ``float(result)`` is the p-value.

    Attributes
    ----------
    statistic : float
        T, the squared length of the gaps in units of their noise under the hypothesis.
    p_value : float
        Share of calibrated samples whose statistic is at least as large; at least 1/(n_resamples + 1).
    degrees : int
        Number of gaps that can vary on their own; about the mean of T under the hypothesis.
    lower, upper, gap, noise : ndarray
        Bins, their gaps (mean of score less truth, times the bin's share of the population), and how
        much those vary under the hypothesis.
    prior, purity : float
        Where the p-value was found: of a range, the value that speaks most for calibration.
    """

    statistic: float
    p_value: float
    degrees: int
    lower: FloatArray
    upper: FloatArray
    gap: FloatArray
    noise: FloatArray
    n_resamples: int
    scenario: Scenario
    prior: float
    purity: float
    diagnostics: tuple[Diagnostic, ...] = ()

    def __float__(self) -> float:
        return self.p_value

    def __str__(self) -> str:
        least = self.p_value * (self.n_resamples + 1) < 1.5
        lines = [
            f"Test of calibration: p-value {'at most ' if least else ''}{self.p_value:.4g} (T "
            f"= {self.statistic:.4g} with {self.degrees} degrees of freedom, {self.upper.size} "
            f"bins, {self.n_resamples} samples drawn under the hypothesis)",
            f"  assumes {self.scenario}, prior {self.prior:.4g}, purity {self.purity:.4g}",
        ]
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


@takes_data
def calibration_test(
    table: ScoreTable,
    *,
    prior: PriorLike,
    purity: PurityLike = None,
    n_bins: int | str = "auto",
    n_resamples: int = DEFAULT_RESAMPLES,
    rng: Any = 0,
) -> CalibrationTest:
    """Test whether scores can be the probabilities of being positive.

    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives, and if scores were not fitted on these data.

    Parameters
    ----------
    table : ScoreTable
        Of probabilities in [0, 1], without weights, not cut.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population; of a range, the largest p-value counts.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; of a range likewise.
    n_bins : int or "auto"
        "auto" is ⌈1.5·(1/n_P + 1/(prior·n_U))^(−1/3)⌉, from 3 to 20: fewer than an estimate has, since
        every bin more costs power against errors that reach over several of them.
    n_resamples, rng : int, default 500 and 0
        Samples drawn from the hypothesis. The p-value cannot be below 1/(n_resamples + 1).

    Returns
    -------
    CalibrationTest
        O(log rows) for each of 500 groups of scores, and O(groups · n_resamples).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[0.9, 0.8, 0.7, 0.7, 0.6], unlabeled=[0.9, 0.8, 0.2, 0.2, 0.1, 0.1, 0.1],
    ...     scenario="case_control")
    >>> calibration_test(table, prior=0.3).p_value > 0.05
    True
    """
    check_table(table)
    check_probabilities(table, "calibration_test")
    check_whole(table, "calibration_test", "calibration_error, whose interval allows for weights")
    check_independent(
        table, "calibration_test", "Use calibration_error, whose interval allows for groups."
    )
    n_resamples = check_resamples(n_resamples)
    setting = Setting.of(table, prior, purity)
    count = _bin_count(n_bins, setting)
    mass_of_positives = (setting.prior - setting.share) / setting.gap
    moments = reduce_to_bins(table, bin_edges(table, "balanced", _CELLS, mass_of_positives))
    seed = int(as_generator(rng).integers(2**63))  # the same draws at every prior of a range
    found = [
        _tested(point, moments, count, n_resamples, np.random.default_rng(seed))
        for point in setting.points()
    ]
    best = max(range(len(found)), key=lambda i: (found[i].p_value, -found[i].statistic))
    point, result = setting.points()[best], found[best]
    return CalibrationTest(
        statistic=result.statistic,
        p_value=result.p_value,
        degrees=result.degrees,
        lower=np.concatenate([np.zeros(1), result.upper[:-1]]),
        upper=result.upper,
        gap=result.gap,
        noise=result.noise,
        n_resamples=n_resamples,
        scenario=setting.scenario,
        prior=point.prior,
        purity=point.purity,
        diagnostics=(*setting.diagnostics, *setting.rows.few_positives()),
    )


class _Found(NamedTuple):
    statistic: float
    p_value: float
    degrees: int
    upper: FloatArray
    gap: FloatArray
    noise: FloatArray


class _Cells(NamedTuple):
    """Small groups of neighbouring scores: mean score, rows, gap, and share under the null."""

    score: FloatArray
    upper: FloatArray
    gap: FloatArray
    null: FloatArray


def _tested(
    point: Setting, moments: BinMoments, n_bins: int, n_resamples: int, rng: np.random.Generator
) -> _Found:
    gaps = bin_gaps(moments, point.prior, point.purity)
    cells = _cells(point, gaps)
    drawn = _drawn_gaps(point, gaps, cells, n_resamples, rng)
    place = _places(point, cells, n_bins)
    into = np.eye(place[-1] + 1)[place]
    both = np.concatenate([cells.gap[None], drawn]) @ into
    scale = np.sqrt((both[1:] ** 2).mean(axis=0))
    unit = np.sqrt((both**2).mean(axis=0))
    unit[unit == 0] = 1.0
    both = both / unit
    values, vectors = np.linalg.eigh(both.T @ both / len(both))
    kept = values > _SINGULAR * values.max()
    sizes = ((both @ vectors[:, kept]) ** 2 / values[kept]).sum(axis=1)
    as_large = np.count_nonzero(sizes[1:] >= sizes[0] * (1 - 1e-9))  # up to rounding
    # The data are in S themselves; without them T would be this (Sherman and Morrison).
    left = max(n_resamples + 1 - sizes[0], 1e-12)
    return _Found(
        statistic=float(n_resamples * sizes[0] / left),
        p_value=float((1 + as_large) / (n_resamples + 1)),
        degrees=int(np.count_nonzero(kept)),
        upper=cells.upper[np.flatnonzero(np.diff(place, append=place[-1] + 1))],
        gap=both[0] * unit,
        noise=scale,
    )


def _cells(point: Setting, gaps: BinGaps) -> _Cells:
    """Cells of the table with the share of each in the population under the null."""
    moments = gaps.moments
    rows = moments.comparison[:2]
    if not moments.in_comparison[0]:
        rows = rows + moments.positives[:2]
    filled = rows[0] > 0
    score = np.clip(rows[1][filled] / rows[0][filled], 0.0, 1.0)
    cells = [score, moments.upper[filled], gaps.gap[filled], rows[0][filled]]
    prior = point.prior
    if score[0] >= prior:  # some of a calibrated population must score lower
        cells = [np.append(new, old) for new, old in zip((0.0, 0.0, 0.0, 1.0), cells, strict=True)]
    if score[-1] <= prior:
        cells = [np.append(old, new) for new, old in zip((1.0, 1.0, 0.0, 1.0), cells, strict=True)]
    score, upper, gap, count = cells
    return _Cells(score, np.append(upper[:-1], 1.0), gap, null_shares(score, count, prior))


def null_shares(score: FloatArray, count: FloatArray, prior: float) -> FloatArray:
    """Most likely shares of the scores in a population whose mean score is the prior.

    >>> null_shares(np.array([0.0, 0.5]), np.array([10.0, 10.0]), 0.2).round(4)
    array([0.6, 0.4])
    """
    total, apart = count.sum(), score - prior
    if apart[0] == 0 or apart[-1] == 0:  # the mean is reached at one end only
        return np.asarray((apart == 0) * count / count[apart == 0].sum())
    low, high = -total / apart[-1], -total / apart[0]  # where shares at an end become endless
    for _ in range(200):  # the mean falls as λ rises; bisection in what both ends leave open
        middle = low + (high - low) / 2
        if np.dot(count / (total + middle * apart), apart) > 0:
            low = middle
        else:
            high = middle
    shares = count / (total + (low + high) / 2 * apart)
    return np.asarray(shares / shares.sum())


def _drawn_gaps(
    point: Setting, gaps: BinGaps, cells: _Cells, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Gaps of the cells in samples from the null, shape (resamples, cells)."""
    pos, cmp = (
        round(float(part[0].sum())) for part in (gaps.moments.positives, gaps.moments.comparison)
    )
    of_pos = cells.null * _density(cells.score, point.purity, point.prior)
    of_cmp = cells.null * _density(cells.score, point.share, point.prior)
    others = rng.multinomial(cmp, of_cmp / of_cmp.sum(), n_resamples).astype(np.float64)
    if gaps.moments.in_comparison[0]:
        chance = pos / cmp * _density(cells.score, point.purity, point.prior)
        labelled = rng.binomial(others.astype(np.int64), np.minimum(chance, 1.0)).astype(np.float64)
    else:
        labelled = rng.multinomial(pos, of_pos / of_pos.sum(), n_resamples).astype(np.float64)
    total = np.zeros(others.shape)
    for (c0, c1), count in ((gaps.on_pos, labelled), (gaps.on_cmp, others)):
        total += count * (c0 + c1 * cells.score) / np.maximum(count.sum(axis=1), 1.0)[:, None]
    return total


def _density(score: FloatArray, share: float, prior: float) -> FloatArray:
    """Density, over the population, of a sample with this share of positives."""
    positive = score / prior if prior > 0 else np.ones(score.size)
    negative = (1 - score) / (1 - prior) if prior < 1 else np.ones(score.size)
    return np.asarray(share * positive + (1 - share) * negative)


def _places(point: Setting, cells: _Cells, n_bins: int) -> Any:
    """Bin of each cell, from 0 without gaps; equal in mass of the balanced mixture under the null."""
    if cells.score.size <= n_bins:
        return np.arange(cells.score.size)
    mass = cells.null * (1 + _density(cells.score, 1.0, point.prior)) / 2
    middle = np.cumsum(mass) - mass / 2  # a cell belongs to the bin that its middle lies in
    place = np.floor(np.clip(middle / mass.sum() * n_bins, 0, n_bins - 1)).astype(np.int64)
    return np.unique(place, return_inverse=True)[1]


def _bin_count(n_bins: object, setting: Setting) -> int:
    if not isinstance(n_bins, str):
        return min(check_bin_count(n_bins), _CELLS)
    check_choice(n_bins, ("auto",), "n_bins")
    pos, cmp = setting.rows.sizes
    rate = 1 / pos + 1 / max(setting.prior * cmp, 1e-12)
    return int(min(max(np.ceil(1.5 * rate ** (-1 / 3)), 3), _MOST_BINS))
