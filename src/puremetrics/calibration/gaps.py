"""The gap between score and truth in each bin, its sampling error, and the sum of absolute gaps.

**Gaps** (`bin_gaps`; Kiryo, Section 3.1). With a the share of positives in the comparison sample F, β the
purity and π the prior, the gap of bin b is d_b = E[(s − Y)·1_b] in the population, re-derived here for any of
them:

    E_pop[s·1_b] = w_G·mean_G(s·1_b) + w_F·mean_F(s·1_b),   w_G = (π − a)/(β − a),  w_F = (β − π)/(β − a)
    P(b | y = 1) = ((1 − a)·G_b − (1 − β)·F_b) / (β − a)                            (Jain, Eq. (1))
    d_b = E_pop[s·1_b] − π·P(b | y = 1)

With clean labels and a = π this is the term inside the bars of the paper's ECE_PU (its sign turned, so that
positive means over-confident); the sum of |d_b| is well defined in empty bins. (In fully labelled
case-control data a = 0.)

**Sampling error.** d_b is linear in sums over G and over F, so its variance is exact up to plugging in
moments; in a single training set the labelled rows are in both samples. For d ~ N(δ, σ²) the plug-in |d| is
too large on average, by at most σ·√(2/π). Two more functions of d (Φ, φ the normal distribution and density,
m(d) = E|N(d, σ²)|) serve, neither from the paper:

- debiased: 2·|d| − m(d), what is left when the bias is estimated at d itself. Its bias is at most
  0.47·σ (at δ = 0) and below 0.1·σ from δ = σ/2 on; nowhere is it below −0.1·σ.
- split: the mean over random parts of the data, a share w of it, of "sign from this part, gap from the rest":
  with t = sqrt(w/(1 − w)), d·(1 − 2·Φ(−t·d/σ)) − 2·t·σ·φ(t·d/σ). Its mean is δ·(2·Φ(√w·δ/σ) − 1), never above
  |δ|. The larger w, the nearer to it, and the more it varies.

**Interval** of Σ|δ_b|, the binned calibration error: the plug-in never falls short on average (Jensen),
nor does the debiased error with 0.1·σ for each bin; the split estimate never exceeds it on average.
Between the split estimate and the lower one of the other two lies what no estimator can tell: whether
small gaps are real or noise. The interval goes beyond both by the sampling error, as far as is needed:
the truth cannot be at both ends (`reach_factor`; Imbens and Manski 2004). With few labels the noise is a
guess itself, and less is cut off the plug-in and off its reach. The interval holds the plug-in. The
sampling error, and that of mean score less prior, allows for rows that the sample may have missed
(below).

**Rows that the sample may have missed** (`bounded_reach`, `joint_reach`): how far a sum over two samples may
be off, when rows of one of them add rarely and then much. The calibration error and mean score less prior are
means over the population's sample F of something that is bounded, less something about the labelled
positives. With rare positives a row of F adds next to nothing in nearly every case, and much in a few: the
sample's variance is too small just when those few are missing from it. Limits of that part are therefore
those of Agresti and Coull, carried from proportions to any bounded variable: z²/2 rows are added at either
end of its range, and

    centre = (n·mean + z²/2·(low + high)) / (n + z²),    limits = centre ± z·sqrt(v / (n + z²))

with v the mean squared distance of all of these rows from the centre. For a proportion these are the limits
of `sampling.limits`. Towards the near end of the range these are closer to the mean than normal limits, mean
± z·standard error, as they should be for a proportion; other variables are less skewed, and neither side is
therefore narrower than the normal one (up to 8% of the samples missed the closer limit). The range ends
where scores that have not been seen may lie. Everything follows from power sums in closed form, unlike the
limits of `sampling.bounded`, which serve the same end where rows are at hand: the report computes these again
for every position of its sliders.

The rest of the variance (of the labelled rows, and what both samples share) is added in squares, as in MOVER,
side by side: reach = sqrt(z²·(variance − variance of F's part) + (reach of F's part)²).

**Biased labels** (`biased_gaps`, `error_range`): the least and the largest calibration error that their bias
leaves open. The gap of a bin is its score less π·P(b | y = 1), and P(b | y = 1) = γ_b + m·(φ_b − γ_b) in the
symbols of `correction.biased`, with φ a tilt of γ within Γ: s·γ_b ≤ φ_b ≤ Γ·s·γ_b, Σ φ_b = 1, and no more of
them in a bin than unlabeled rows (or γ_b, if that is more already).

*Least error.* Let t_b be the φ_b at which the gap vanishes. For a given s every φ_b is moved as near to t_b
as its limits allow; if their sum is not 1, the rest goes anywhere, each unit of it adding as much to the
error. That is convex in s, and a search over s finds the least.

*Largest error.* The error is convex in φ, so it is largest at a vertex, where v is 1 or Γ in each bin. With
up to twelve bins all are tried; with more, bins are switched from several starts until no switch adds to it.
If it is known which side labels favour, v falls or rises with the score, and the vertices are steps. Where
the best of these has no room among the unlabeled, the search goes on from it: for given signs of the gaps
the error is linear in φ, and its largest is that of a linear program; signs and programs take turns.

The least error with a known side is a linear program, too: that of the φ nearest to the t_b.

*Sampling error.* At a tilt every labelled row of a bin counts φ_b/γ_b times; the limits are those of all
gaps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from puremetrics.calibration.bins import BinMoments
from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import BiasedHeads, bias_interval
from puremetrics.numerics.quantiles import normal_quantile, small_sample
from puremetrics.numerics.tilting import capped_rows, capped_steps, nearest_steps, shifted
from puremetrics.results import Interval
from puremetrics.setting import Setting

__all__ = [
    "BinGaps",
    "BoundedMean",
    "biased_gaps",
    "biased_rates",
    "bin_gaps",
    "bootstrap_limits",
    "bounded_reach",
    "debiased_size",
    "error_range",
    "expected_sign",
    "folded_mean",
    "joint_reach",
    "limits_beyond",
    "reach_factor",
    "split_size",
]


class BoundedMean(NamedTuple):
    """The mean of a bounded variable: number of rows, mean, variance of the mean, and its range."""

    rows: float
    mean: float
    variance: float
    low: float
    high: float


def bounded_reach(part: BoundedMean, level: float) -> tuple[float, float]:
    """Distances from the mean to its lower and to its upper limit.

    >>> below, above = bounded_reach(BoundedMean(100, 0.0, 0.0, 0.0, 1.0), 0.95)
    >>> round(below, 4), round(above, 4)  # no success in a hundred trials
    (0.0074, 0.0444)
    """
    added = normal_quantile(level) ** 2
    total = part.rows + added
    centre = (part.rows * part.mean + added / 2 * (part.low + part.high)) / total
    squares = part.rows * (part.rows * part.variance + (part.mean - centre) ** 2)
    squares += added / 2 * ((part.low - centre) ** 2 + (part.high - centre) ** 2)
    reach, plain = float(np.sqrt(added * squares)) / total, float(np.sqrt(added * part.variance))
    return max(reach - (centre - part.mean), plain), max(reach + (centre - part.mean), plain)


def joint_reach(part: BoundedMean, variance: float, level: float) -> tuple[float, float]:
    """Reaches of a sum of which ``part`` is one term; ``variance`` is that of the sum."""
    rest = normal_quantile(level) ** 2 * max(variance - part.variance, 0.0)
    below, above = (float(np.sqrt(rest + reach**2)) for reach in bounded_reach(part, level))
    return below, above


_STEPS = 20  # halvings


def limits_beyond(
    ends: tuple[float, float], reaches: tuple[float, float], level: float, trust: float
) -> tuple[float, float]:
    """Limits of a number that lies between two ends, each known up to a sampling error.

    Reaches are shortened, as far as the errors are to be trusted, to what is needed.
    """
    factor = 1 - trust * (1 - reach_factor(ends[1] - ends[0], *reaches, level))
    return ends[0] - factor * reaches[0], ends[1] + factor * reaches[1]


def reach_factor(apart: float, below: float, above: float, level: float) -> float:
    """The least part of both reaches with which either end, if it is the truth, is held as often as wanted.

    The limits are no closer to each other than those of one end alone. `sampling.uncertain` has the same for
    any number of places; the report repeats this one.
    """
    from scipy.special import ndtr

    if apart <= 0 or below <= 0 or above <= 0:
        return 1.0
    z, least, most = normal_quantile(level), 0.0, 1.0
    for _ in range(_STEPS):
        factor = (least + most) / 2
        at_lower = ndtr(z * (apart / above + factor)) - ndtr(-z * factor)
        at_upper = ndtr(z * factor) - ndtr(-z * (apart / below + factor))
        held = min(at_lower, at_upper) >= level
        if held and apart + factor * (below + above) >= below + above:
            most = factor
        else:
            least = factor
    return most


_TINY = 1e-300
_DEBIASED_LOW = (
    0.1  # standard errors that the debiased size of a gap is too low on average, at most
)
_FEW_LABELS = 20.0  # with which half of what could be shortened is
_SIGN_PART = 0.6  # share of the data that tells the sign of a gap, where the rest tells its size


@dataclass(frozen=True)
class BinGaps:
    """Gaps of the bins at one prior, with all that is needed for their sampling error.

    Attributes
    ----------
    gap : ndarray, shape (B,)
        Score less truth, weighted by the bin's share of the population.
    share_pos, share_pop : ndarray, shape (B,)
        Estimated P(b | y = 1) and P(b).
    on_pos, on_cmp : (float, float)
        Each row of G adds (c0 + c1·s)/|G| to its bin's gap, each row of F likewise.
    purity, prior : float
        What was assumed.
    """

    moments: BinMoments
    gap: FloatArray
    score_pop: FloatArray
    share_pos: FloatArray
    share_pop: FloatArray
    on_pos: tuple[float, float]
    on_cmp: tuple[float, float]
    purity: float
    prior: float

    @cached_property
    def variance(self) -> FloatArray:
        """Sampling variance of each gap."""
        total = np.zeros(self.gap.size)
        for squares, c0, c1, centre in self._strata:
            line, square = _line(squares, c0, c1), _square(squares, c0, c1)
            total += square - 2 * centre * line + centre**2 * squares[0].sum()
        return np.maximum(total, 0.0)

    def variance_of_sum(self, signs: FloatArray) -> float:
        """Sampling variance of Σ signs·gap, the covariance between bins included."""
        total = 0.0
        for squares, c0, c1, centre in self._strata:
            middle = float(np.dot(signs, centre))
            line, square = _line(squares, c0, c1), _square(squares, c0, c1)
            total += float(np.dot(signs**2, square) - 2 * middle * np.dot(signs, line))
            total += middle**2 * float(squares[0].sum())
        return max(total, 0.0)

    @cached_property
    def _strata(self) -> list[tuple[FloatArray, float, float, FloatArray]]:
        """Independent sets of rows: power sums, what a row adds, and what it adds on average."""
        moments, used = self.moments, self.moments.in_comparison
        pos, cmp = moments.positives, moments.comparison
        size_pos, size_cmp = float(pos[0].sum()), float(cmp[0].sum())
        rows_pos = size_pos**2 / moments.squares[0, 0].sum()
        rows_cmp = size_cmp**2 / moments.squares[used, 0].sum()
        g0, g1 = (small_sample(rows_pos) * c / size_pos for c in self.on_pos)
        f0, f1 = (small_sample(rows_cmp) * c / size_cmp for c in self.on_cmp)
        expected = self.expected_positives
        mean_pos = expected * (g0 + g1 * self.mean_score)
        mean_cmp = _line(cmp, f0, f1) / size_cmp
        labelled = _refilled(moments.squares[0], expected, self.mean_score)
        others = moments.squares[[False, *used[1:]]].sum(axis=0)
        first = (labelled, g0, g1, mean_pos)
        if used[0]:  # the labelled rows are in both samples
            first = (labelled, g0 + f0, g1 + f1, mean_pos + mean_cmp)
        return [first, (others, f0, f1, mean_cmp)]

    @cached_property
    def mean_score(self) -> FloatArray:
        """Mean score of the bin's rows in the population; the middle of a bin without any."""
        middle = (self.moments.lower + self.moments.upper) / 2
        return np.divide(self.score_pop, self.share_pop, out=middle, where=self.share_pop > 0)

    @cached_property
    def expected_positives(self) -> FloatArray:
        """Shares of G by bin for the variance: one further row a bin, placed as if calibrated.

        A bin without labelled rows would otherwise seem to be known without error, and with few
        labels most bins are such bins.
        """
        squares = self.moments.squares[0, 0].sum()
        size = self.moments.positives[0].sum()
        effective = size**2 / squares
        weight, rest = self.score_pop, self.share_pop - self.score_pop
        guess = self.purity * weight / max(weight.sum(), _TINY)
        guess = guess + (1 - self.purity) * rest / max(rest.sum(), _TINY)
        extra = self.gap.size * guess
        counts = self.moments.positives[0] / size * effective + extra
        return np.asarray(counts / (effective + extra.sum()))

    @property
    def error(self) -> float:
        """The plug-in calibration error, Σ|d_b|."""
        return float(np.abs(self.gap).sum())

    @cached_property
    def noise(self) -> FloatArray:
        """Standard error of each gap."""
        return np.sqrt(self.variance)

    @property
    def debiased(self) -> float:
        """The error less its estimated bias; may come out negative."""
        return float(debiased_size(self.gap, self.noise).sum())

    @cached_property
    def standard_error(self) -> float:
        """Standard error of the plug-in: gaps of certain sign add linearly, the rest by variance."""
        unclear = float(np.dot(1 - self.sign**2, self.variance))
        return float(np.sqrt(self.variance_of_sum(self.sign) + unclear))

    @cached_property
    def sign(self) -> FloatArray:
        """Expected sign of each gap: ±1 where it is clear, nearer to 0 where noise hides it."""
        return expected_sign(self.gap, self.noise)

    def limits(self, level: float) -> tuple[float, float]:
        """Limits of the binned calibration error; the lower one is at least 0."""
        low, high = limits_beyond(self.ends, self.reaches(level), level, self.trust)
        return max(low, 0.0), min(max(high, self.error), 1.0)

    @property
    def trust(self) -> float:
        """How far the noise of the gaps is to be relied on: with few labels it is a guess itself."""
        pos = self.moments.positives[0]
        labels = float(pos.sum()) ** 2 / float(self.moments.squares[0, 0].sum())
        return labels / (labels + _FEW_LABELS)

    @property
    def ends(self) -> tuple[float, float]:
        """Between which the binned calibration error is on average; no estimator can tell where."""
        slack = _DEBIASED_LOW * float(self.noise.sum())
        too_large = max(self.error - float(debiased_size(self.gap, self.noise).sum()) - slack, 0.0)
        most = self.error - self.trust * too_large
        least = min(float(split_size(self.gap, self.noise).sum()), 1.0)
        return min(least, most), most

    def reaches(self, level: float) -> tuple[float, float]:
        """How far the error may be off, below and above, apart from its bias."""
        row = self._row_of_population(self.sign, 1.0)
        return joint_reach(row, self.standard_error**2, level)

    @cached_property
    def signed(self) -> float:
        """Mean score less prior, Σ d_b, no further out than the prior lets it be."""
        return min(max(float(self.gap.sum()), -self.prior), 1 - self.prior)

    def signed_limits(self, level: float) -> tuple[float, float]:
        """Limits of Σ d_b."""
        ones = np.ones(self.gap.size)
        row = self._row_of_population(ones, 0.0)
        below, above = joint_reach(row, self.variance_of_sum(ones), level)
        return max(self.signed - below, -self.prior), min(self.signed + above, 1 - self.prior)

    def _row_of_population(self, signs: FloatArray, unclear: float) -> BoundedMean:
        """What a row of F adds to Σ signs·gap; ``unclear`` adds the variance of signs that are."""
        moments, (f0, f1) = self.moments, self.on_cmp
        sums, squares = moments.comparison, moments.squares[moments.in_comparison].sum(axis=0)
        size, shared = sums[0].sum(), squares[0].sum()
        mean = float(np.dot(signs, _line(sums, f0, f1)) / size)
        squared = np.dot(signs**2 + unclear * (1 - signs**2), _square(squares, f0, f1))
        spread = squared - 2 * mean * np.dot(signs, _line(squares, f0, f1)) + mean**2 * shared
        ends = f0, f0 + f1 * moments.top
        low, high = (min(*ends), max(*ends)) if unclear == 0.0 else (-max(ends), max(ends))
        rows = float(size / shared * size)
        variance = max(float(spread / size / size), 0.0) * small_sample(rows) ** 2
        return BoundedMean(rows, mean, variance, low, high)


def bin_gaps(
    moments: BinMoments, prior: float, purity: float, share: float | None = None
) -> BinGaps:
    """Gaps of the bins at a prior, whose comparison sample has a share of positives; O(bins)."""
    if share is None:
        share = float(moments.design.share(moments.totals, prior, purity))
    span = purity - share
    pos, cmp = moments.positives, moments.comparison
    size_pos, size_cmp = pos[0].sum(), cmp[0].sum()
    weight_pos, weight_cmp = (prior - share) / span, (purity - prior) / span
    label_pos, label_cmp = (1 - share) / span, -(1 - purity) / span
    if share == prior:  # spares the common case a rounding
        weight_pos, weight_cmp = 0.0, 1.0
    if purity == 1.0:
        label_pos, label_cmp = 1.0, 0.0
    score_pop = weight_pos * (pos[1] / size_pos) + weight_cmp * (cmp[1] / size_cmp)
    share_pop = weight_pos * (pos[0] / size_pos) + weight_cmp * (cmp[0] / size_cmp)
    share_pos = label_pos * (pos[0] / size_pos) + label_cmp * (cmp[0] / size_cmp)
    return BinGaps(
        moments=moments,
        gap=score_pop - prior * share_pos,
        score_pop=score_pop,
        share_pos=share_pos,
        share_pop=share_pop,
        on_pos=(-prior * label_pos, weight_pos),
        on_cmp=(-prior * label_cmp, weight_cmp),
        purity=purity,
        prior=prior,
    )


def bootstrap_limits(
    gaps: BinGaps, level: float, n_resamples: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Limits as `BinGaps.limits`, with the spread of both ends from resampled counts.

    Rows are redrawn as counts per kind and bin, and the scores in a bin as a normal sum, so a
    resample costs O(bins) whatever the number of rows. An absolute value that is resampled near 0 folds
    over and seems to vary less than it does (a single bin held in 0.91 of the samples): neither side is
    narrower than that of the standard error.
    """
    again = _resampled_gaps(gaps, n_resamples, rng)
    noise = np.broadcast_to(gaps.noise, again.shape)
    below, above = gaps.reaches(level)
    reaches = (
        max(_reach(split_size(again, noise).sum(axis=1), level), below),
        max(_reach(np.abs(again).sum(axis=1), level), above),
    )
    low, high = limits_beyond(gaps.ends, reaches, level, gaps.trust)
    return max(low, 0.0), min(max(high, gaps.error), 1.0)


def _reach(replicates: FloatArray, level: float) -> float:
    """The wider side of the spread: near 0 an absolute value hardly varies downwards."""
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2])
    return float(max(high - replicates.mean(), replicates.mean() - low))


def _resampled_gaps(gaps: BinGaps, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    moments = gaps.moments
    counts = moments.sums[:, 0, :].copy()
    expected = np.maximum(
        gaps.expected_positives, 0.0
    )  # negative by rounding, near the largest prior
    counts[0] = counts[0].sum() * expected / expected.sum()
    sizes = counts.sum(axis=1)
    if moments.in_comparison[0]:  # one sample: the size of each kind is random too
        flat = rng.multinomial(round(sizes.sum()), (counts / sizes.sum()).ravel(), n_resamples)
        drawn = flat.reshape(n_resamples, *counts.shape).astype(np.float64)
    else:
        drawn = np.zeros((n_resamples, *counts.shape))
        for kind in np.flatnonzero(sizes):
            shares = counts[kind] / sizes[kind]
            drawn[:, kind] = rng.multinomial(round(sizes[kind]), shares, n_resamples)
    filled = np.maximum(moments.sums[:, 0, :], 1.0)
    mean = np.where(
        moments.sums[:, 0, :] > 0, moments.sums[:, 1, :] / filled, gaps.mean_score[None, :]
    )
    spread = np.sqrt(np.maximum(moments.sums[:, 2, :] / filled - mean**2, 0.0))
    scores = drawn * mean + np.sqrt(drawn) * spread * rng.normal(size=drawn.shape)
    used = np.array(moments.in_comparison)
    total = np.zeros((n_resamples, gaps.gap.size))
    for (c0, c1), count, score in (
        (gaps.on_pos, drawn[:, 0], scores[:, 0]),
        (gaps.on_cmp, drawn[:, used].sum(axis=1), scores[:, used].sum(axis=1)),
    ):
        total += (c0 * count + c1 * score) / np.maximum(count.sum(axis=1), 1.0)[:, None]
    return total


def expected_sign(gap: FloatArray, noise: FloatArray) -> FloatArray:
    """Mean of the sign of a normal variable, for each mean and standard deviation."""
    signs = np.sign(gap)
    clear = noise > 0
    signs[clear] = _sign_mean(gap[clear] / noise[clear])
    return signs


def folded_mean(gap: FloatArray, noise: FloatArray) -> FloatArray:
    """Mean of the absolute value of a normal variable, for each mean and standard deviation."""
    result = np.abs(gap)
    some = noise > 0
    ratio = gap[some] / noise[some]
    result[some] = noise[some] * (2 * _density(ratio) + ratio * _sign_mean(ratio))
    return result


def debiased_size(gap: FloatArray, noise: FloatArray) -> FloatArray:
    """|gap| less its bias as estimated at the gap itself.

    >>> debiased_size(np.array([0.0, 0.3]), np.array([0.1, 0.1])).round(4)
    array([-0.0798,  0.2999])
    """
    return 2 * np.abs(gap) - folded_mean(gap, noise)


def split_size(gap: FloatArray, noise: FloatArray) -> FloatArray:
    """Size of the gap with its sign taken from another part of the data; never too large on average.

    >>> split_size(np.array([0.0, 0.3]), np.array([0.1, 0.1])).round(4)
    array([-0.0977,  0.2998])
    """
    result, odds = np.abs(gap), np.sqrt(_SIGN_PART / (1 - _SIGN_PART))
    some = noise > 0
    ratio = gap[some] / noise[some]
    result[some] = noise[some] * (
        ratio * _sign_mean(odds * ratio) - 2 * odds * _density(odds * ratio)
    )
    return result


def _sign_mean(ratio: FloatArray) -> FloatArray:
    from scipy.special import ndtr

    return np.asarray(2 * ndtr(ratio) - 1)


def _density(ratio: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-(ratio**2) / 2) / np.sqrt(2 * np.pi))


def _refilled(squares: FloatArray, shares: FloatArray, score: FloatArray) -> FloatArray:
    """Power sums with the same total and other shares; bins without rows get the given score."""
    count = squares[0].sum() * shares
    some = squares[0] > 0
    ratio = np.divide(count, squares[0], out=np.zeros(count.size), where=some)
    first = np.where(some, ratio * squares[1], count * score)
    second = np.where(some, ratio * squares[2], count * score**2)
    return np.stack([count, first, second])


def _line(sums: FloatArray, c0: float, c1: float) -> FloatArray:
    """Sum of c0 + c1·s in each bin, from power sums of shape (3, B)."""
    return np.asarray(c0 * sums[0] + c1 * sums[1])


def _square(sums: FloatArray, c0: float, c1: float) -> FloatArray:
    """Sum of (c0 + c1·s)² in each bin."""
    return np.asarray(c0**2 * sums[0] + 2 * c0 * c1 * sums[1] + c1**2 * sums[2])


_ALL = 12  # bins up to which all vertices are tried
_SEARCH = 60  # steps of a search that narrows by the golden section
_NONE = 1e-200  # positives so rare that no tilt moves a gap
_STARTS = 12
_TURNS = 12
_SAME = 1e-13  # errors that differ by less are equal: many tilts may share the least or the largest


def biased_gaps(setting: Setting, gaps: BinGaps) -> tuple[BinGaps, BinGaps]:
    """The gaps at the tilts with the least and with the largest calibration error."""
    found = BiasedHeads(setting)
    share = np.maximum(gaps.share_pos, 0.0)
    total = share.sum()
    weight = gaps.prior * found.part
    if weight <= _NONE or total <= 0:
        return gaps, gaps
    share = share / total
    target, caps = share + gaps.gap / weight, _caps(setting, gaps, share)
    if setting.bias.side == "either":
        ratio = found.ratio("low")
        least = _least(share, target, ratio, caps)
        tilts = (1.0 + (ratio - 1.0) * _cuts(gaps.gap)) * share
        starts = [_largest(share, gaps.gap / weight, ratio), *tilts / tilts.sum(axis=1)[:, None]]

        def extreme(values: FloatArray) -> FloatArray | None:
            return capped_rows(share, values, ratio, caps)

    else:
        ratio = max(found.ratio(side) for side in ("low", "high"))
        # Bins are in rising order of the score; known to favour high ones, v falls along them.
        turned = slice(None, None, 1 if setting.bias.side == "high" else -1)
        least = nearest_steps(share[turned], target[turned], ratio, caps[turned])[turned]
        starts = list(_steps(share, ratio, rising=setting.bias.side == "low"))

        def extreme(values: FloatArray) -> FloatArray | None:
            return capped_steps(share[turned], values[turned], ratio, caps[turned])[turned]

    largest = _furthest(starts, target, caps, extreme)
    return _moved(gaps, found, share, least), _moved(gaps, found, share, largest)


def _furthest(
    starts: list[FloatArray],
    target: FloatArray,
    caps: FloatArray,
    extreme: Callable[[FloatArray], FloatArray | None],
) -> FloatArray:
    """φ with the largest Σ|φ − target| that has room: the best start, if that has, and else on from the best.

    The distance is the largest of Σ ±(φ − target) over all signs. Signs and the φ that is extreme for them
    (``extreme`` gives it) take turns, and every turn gains; with few bins single signs are switched then.
    """
    sizes = np.array([np.abs(phi - target).sum() for phi in starts])
    best = starts[_first(sizes, sizes.max())]
    if np.all(best <= caps * (1 + _SAME)):
        return best
    found, most = None, -1.0
    signs = [np.sign(starts[i] - target) for i in np.argsort(-sizes, kind="stable")[:_STARTS]]
    while signs:
        gained = False
        for sign in signs:
            for _ in range(_TURNS):
                phi = extreme(sign)
                if phi is None:
                    break
                size = float(np.abs(phi - target).sum())
                if size > most * (1 + _SAME) + _SAME:
                    found, most, gained = phi, size, True
                before, sign = sign, np.where(phi == target, sign, np.sign(phi - target))
                if np.array_equal(before, sign):
                    break
        signs = []
        if gained and found is not None and target.size <= _ALL:
            switch = 1.0 - 2.0 * np.eye(target.size)
            signs = list(switch * np.sign(found - target))
    return best if found is None else found


def error_range(low: BinGaps, high: BinGaps, error: float) -> Interval:
    """What the bias leaves open, around the error that is reported."""
    return bias_interval([min(low.error, error), min(max(high.error, error), 1.0)])


def biased_rates(setting: Setting, gaps: BinGaps, rates: FloatArray, side: str) -> FloatArray:
    """Limits of the positive rate of each bin, moved as far as biased labels allow."""
    found, prior = BiasedHeads(setting), gaps.prior
    if prior <= 0:
        return rates
    # Of a single bin neither side of the score is known: any tilt may favour it.
    ratio = max(found.ratio(end) for end in ("low", "high"))
    share = np.clip(rates * gaps.share_pop / prior, 0.0, 1.0)
    moved = share + found.part * (shifted(share, ratio if side == "high" else 1 / ratio) - share)
    result = rates.copy()
    np.divide(prior * moved, gaps.share_pop, out=result, where=gaps.share_pop > 0)
    return np.asarray(np.clip(result, 0.0, 1.0))


def _moved(gaps: BinGaps, found: BiasedHeads, share: FloatArray, phi: FloatArray) -> BinGaps:
    """The gaps at φ: its labelled rows count more or less."""
    rise = found.part * (phi - share)
    labelled = gaps.moments.positives[0] / gaps.moments.positives[0].sum()
    moved = labelled + found.weight * (phi - share)
    factor = np.divide(moved, labelled, out=np.ones_like(moved), where=labelled > 0)
    factor = np.maximum(factor, 0.0)
    on_pos = gaps.on_pos[0] * factor, gaps.on_pos[1] * factor
    return replace(
        gaps,
        gap=gaps.gap - gaps.prior * rise,
        share_pos=gaps.share_pos + rise,
        on_pos=on_pos,
    )


def _caps(setting: Setting, gaps: BinGaps, share: FloatArray) -> FloatArray:
    """The largest φ that the unlabeled rows of each bin have room for."""
    hidden, rows = setting.unlabeled_share or 0.0, gaps.moments.sums[1, 0]
    if hidden <= 0 or rows.sum() <= 0:
        return np.ones_like(share)
    return np.asarray(np.maximum(rows / rows.sum() / max(hidden, _NONE), share))


def _least(share: FloatArray, target: FloatArray, ratio: float, caps: FloatArray) -> FloatArray:
    """φ with the smallest Σ|φ − target|."""

    def at(s: float) -> tuple[float, FloatArray]:
        low, high = s * share, np.minimum(ratio * s * share, caps)
        near = np.clip(target, low, high)
        left = 1.0 - near.sum()
        room = (high - near) if left > 0 else (near - low)
        total = room.sum()
        if abs(left) > total * (1 + 1e-9) + 1e-12:
            return np.inf, near
        phi = near + (room * (left / total) if total > 0 else 0.0)
        return float(np.abs(phi - target).sum()), phi

    low, high = 1.0 / ratio, 1.0
    grid = np.linspace(low, high, 65)
    tried = [at(s) for s in grid]
    sizes = np.array([size for size, _ in tried])
    place = _first(sizes, sizes.min())
    best = tried[place]
    a, b = grid[max(place - 1, 0)], grid[min(place + 1, 64)]
    golden = (np.sqrt(5) - 1) / 2
    for _ in range(_SEARCH):
        left, right = b - golden * (b - a), a + golden * (b - a)
        here, there = at(left), at(right)
        for found in (here, there):
            best = found if found[0] < best[0] - _SAME * max(1.0, best[0]) else best
        a, b = (a, right) if here[0] <= there[0] else (left, b)
    return best[1]


def _largest(share: FloatArray, gap: FloatArray, ratio: float) -> FloatArray:
    """φ with the largest Σ|gap − (φ − share)|."""

    def sizes(v: FloatArray) -> FloatArray:
        phi = v * share
        phi = phi / phi.sum(axis=-1, keepdims=True)
        return np.asarray(np.abs(gap - (phi - share)).sum(axis=-1))

    bins = share.size
    if bins <= _ALL:
        v = 1.0 + (ratio - 1.0) * np.array(list(product((0.0, 1.0), repeat=bins)))
        found = sizes(v)
        best = v[_first(found, found.max())]
    else:
        starts = 1.0 + (ratio - 1.0) * _cuts(gap)
        found = sizes(starts)
        best = starts[_first(found, found.max())]
        size = float(sizes(best))
        while True:
            switched = np.repeat(best[None], bins, axis=0)
            np.fill_diagonal(switched, 1.0 + ratio - best)
            found = sizes(switched)
            place = _first(found, found.max())
            if found[place] <= size * (1 + 1e-12):
                break
            best, size = switched[place], float(found[place])
    phi = best * share
    return np.asarray(phi / phi.sum())


def _cuts(gap: FloatArray) -> FloatArray:
    """Which bins lie on one side of a cut: of their scores, and of their gaps, one cut a row."""
    bins = gap.size
    by_gap = np.tri(bins, k=-1)[:, np.argsort(np.argsort(gap, kind="stable"))]
    return np.concatenate([np.tri(bins), 1 - np.tri(bins), by_gap, 1 - by_gap])


def _first(sizes: FloatArray, best: float) -> int:
    """Place of the first size that is the best one but for rounding."""
    return int(np.argmax(np.abs(sizes - best) <= _SAME * max(1.0, abs(best))))


def _steps(share: FloatArray, ratio: float, *, rising: bool) -> FloatArray:
    """All φ whose v is Γ on one side of a cut and 1 on the other; bins are in rising order of the score."""
    v = 1.0 + (ratio - 1.0) * (1 - np.tri(share.size + 1, share.size, k=-1))
    v = v if rising else 1.0 + ratio - v
    phi = v * share
    return np.asarray(phi / phi.sum(axis=1, keepdims=True))
