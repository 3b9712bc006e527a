"""Confidence bands on the rank distribution of the positives hidden among the unlabeled.

Claesen et al. (2015), Section 4.2. At a threshold whose head holds k of the n labelled positives, a
band says how many of the m latent positives (those among the unlabeled) the head may hold. It depends
on the threshold only through k, so at most n + 1 inversions are needed, whatever the number of rows.

``"exact"`` (default)
    Labelled and latent positives are exchangeable. Given K positives in the head among n + m, the
    labelled ones in it are hypergeometric(n + m, K, n). All K that neither one-sided test rejects at
    half the error level form the band. It holds for finite m, which the bands below ignore.
``"bootstrap"``
    The paper's pointwise percentile bootstrap of the labelled rank distribution. No resampling is
    needed: the resampled count in the head is Binomial(n, k/n). With ``n_resamples`` it is resampled
    all the same, as a check.
``"clopper_pearson"``, ``"dkw"``
    Exact binomial limits, and the Dvoretzky–Kiefer–Wolfowitz band, for the population's rate.

Erratum: a band for the population's rank distribution is not one for the latent positives, which are a
finite sample themselves. Measured coverage of the bootstrap band, nominal 95 %, is 0.50 to 0.95; that
of the exact band 0.94 to 0.99 (docs/bounds.md).

``simultaneous=True`` asks for all thresholds at once. For ``"exact"`` that is the two-sample band
|F_latent − F_labelled| ≤ sqrt(log(2/δ)/2 · (n + m)/(n·m)). Wei and Dudley (2012) prove the constant 2 for
equal sizes from 458 on; for others its coverage is checked by simulation in the tests. For
``"dkw"`` the band is simultaneous anyway (for the population), and the others have no such version.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from puremetrics._validation import FloatArray, check_choice, check_count, check_flag, check_level
from puremetrics.exceptions import InputError, PriorError, UnsupportedError
from puremetrics.resampling import resampled_tables
from puremetrics.scenario import PriorLike, check_table, resolve_prior, unlabeled_share
from puremetrics.table import ScoreTable

__all__ = ["BAND_METHODS", "Band", "latent_counts", "latent_limits", "rank_cdf_band"]

BAND_METHODS = ("exact", "bootstrap", "clopper_pearson", "dkw")
_LATENT_GRID = 9


@dataclass(frozen=True)
class Band:
    """Band on the share of latent positives that score at least each threshold.

    Attributes
    ----------
    threshold : ndarray, shape (k,)
        Falling thresholds; the first, infinite, has an empty head.
    estimate, lower, upper : ndarray, shape (k,)
        Share of the labelled positives in the head, and limits for the latent ones.
    level, method, simultaneous
        Nominal coverage, at each threshold or at all of them at once.
    """

    threshold: FloatArray
    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    level: float
    method: str
    simultaneous: bool

    def frame(self) -> dict[str, FloatArray]:
        """Return what a plot draws."""
        return {
            "threshold": self.threshold,
            "estimate": self.estimate,
            "lower": self.lower,
            "upper": self.upper,
        }


def rank_cdf_band(
    table: ScoreTable,
    *,
    method: str = "exact",
    prior: PriorLike = None,
    confidence_level: float = 0.95,
    simultaneous: bool = False,
    n_resamples: int | None = None,
    rng: Any = None,
) -> Band:
    """Band on the rank distribution of the latent positives.

    Holds if the labelled positives are a random sample of all positives.

    Parameters
    ----------
    table : ScoreTable
        Without sampling weights.
    method : {"exact", "bootstrap", "clopper_pearson", "dkw"}
        See the module's docstring.
    prior : float, (low, high) or PriorEstimate
        Needed by "exact", which depends on the number of latent positives, share × unlabeled rounded
        to a whole number. Of a range, the wider limits are taken.
    confidence_level : float, default 0.95
    simultaneous : bool, default False
        Ask for a band that holds at all thresholds at once ("exact" and "dkw" only).
    n_resamples, rng
        Make "bootstrap" resample this often, instead of taking its exact limit.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> band = rank_cdf_band(table, prior=0.5)
    >>> band.estimate
    array([0.  , 0.25, 0.5 , 0.75, 1.  , 1.  ])
    >>> band.upper
    array([0.75, 1.  , 1.  , 1.  , 1.  , 1.  ])
    """
    level = check_level(confidence_level)
    method = check_choice(method, BAND_METHODS, "method")
    if check_flag(simultaneous, "simultaneous") and method not in ("exact", "dkw"):
        raise InputError(f"There is no simultaneous {method!r} band. Use method='exact' or 'dkw'.")
    check_whole(table)
    ranked = table.cut()
    heads = np.concatenate([[0], np.cumsum(ranked.n_pos)])
    labelled = int(table.total_pos)
    threshold = np.concatenate([[np.inf], ranked.score])
    if method == "exact":
        if prior is None and table.total_unl > 0:
            raise PriorError(
                "The exact band needs the number of latent positives. Pass prior=…, or choose "
                "method='clopper_pearson', which bounds the population's rate instead."
            )
        ends = [np.full(heads.size, np.inf), np.full(heads.size, -np.inf)]
        for latent in sorted(set(latent_counts(table, prior))):
            low, high = latent_limits(heads, labelled, latent, method, level, simultaneous)
            size = max(latent, 1)
            ends = [np.minimum(ends[0], low / size), np.maximum(ends[1], high / size)]
        lower, upper = ends
    elif method == "bootstrap" and n_resamples is not None:
        lower, upper = _resampled(ranked, level, n_resamples, rng)
    else:
        lower, upper = _shares(heads, labelled, method, level)
    return Band(threshold, heads / labelled, lower, upper, level, method, simultaneous)


def check_whole(table: ScoreTable) -> None:
    """Refuse weights: the bounds count rows."""
    check_table(table)
    if not table.whole:
        raise UnsupportedError(
            "Bounds and their bands count rows one by one, so weights and fractional counts have no "
            "meaning here. Build the table from whole rows, or use roc_auc and its companions."
        )
    if table.total_unl == 0:
        raise UnsupportedError(
            "There are no unlabeled rows, so nothing is hidden and the metrics are known exactly. "
            "Use roc_auc, average_precision or metric."
        )


def latent_counts(table: ScoreTable, prior: PriorLike) -> tuple[int, ...]:
    """Whole numbers of latent positives from the low to the high end of the prior; nine if they are many."""
    known = resolve_prior(table, prior)
    if known.purity != 1.0:
        raise UnsupportedError(
            f"Bounds assume that every labelled positive is one, but the purity is {known.purity:g}. Use "
            "roc_auc and its companions, which correct for noisy labels."
        )
    counts = []
    for point in (known.low, known.high):
        share = unlabeled_share(table, point)
        assert share is not None
        counts.append(int(np.floor(share * table.total_unl + 0.5)))
    low, high = counts
    if high - low <= _LATENT_GRID:
        return tuple(range(low, high + 1))
    return tuple(sorted({round(m) for m in np.linspace(low, high, _LATENT_GRID)}))


def latent_limits(
    heads: Any, labelled: int, latent: int, method: str, level: float, simultaneous: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Limits of the number of latent positives in heads that hold so many labelled ones."""
    distinct, place = np.unique(np.asarray(heads, dtype=np.int64), return_inverse=True)
    if method == "exact" and not simultaneous:
        if 4 * distinct.size > labelled:
            low, high = _all_limits(labelled, latent, level)
            return low[distinct][place], high[distinct][place]
        from puremetrics.hypergeometric import head_limits

        low, high = head_limits(distinct.astype(np.float64), labelled, latent, (1 - level) / 2)
        return low[place], high[place]
    if method == "exact":
        size = labelled * max(latent, 1) / (labelled + max(latent, 1))
        reach = float(np.sqrt(np.log(2 / (1 - level)) / 2 / size))
        lower, upper = distinct / labelled - reach, distinct / labelled + reach
    elif method == "bootstrap":
        ends = _binomial_counts(distinct, labelled, level)
        low, high = _scaled(ends[0], latent, labelled), -_scaled(-ends[1], latent, labelled)
        return low[place].astype(np.float64), high[place].astype(np.float64)
    else:
        lower, upper = _shares(distinct, labelled, method, level)
    low = np.floor(lower * latent * (1 - 1e-12))
    high = np.ceil(upper * latent * (1 - 1e-12))
    return np.maximum(low, 0.0)[place], np.minimum(high, latent)[place]


@lru_cache(maxsize=24)
def _all_limits(labelled: int, latent: int, level: float) -> tuple[FloatArray, FloatArray]:
    """Exact limits for every possible head; the curves of one table ask for the same ones."""
    from puremetrics.hypergeometric import head_limits

    heads = np.arange(labelled + 1, dtype=np.float64)
    return head_limits(heads, labelled, latent, (1 - level) / 2)


def _shares(heads: Any, labelled: int, method: str, level: float) -> tuple[FloatArray, FloatArray]:
    """Limits of the rate itself, for the bands that do not depend on the latent positives."""
    error = (1 - level) / 2
    if method == "dkw":
        reach = np.sqrt(np.log(1 / error) / (2 * labelled))
        share = heads / labelled
        return np.maximum(share - reach, 0.0), np.minimum(share + reach, 1.0)
    if method == "bootstrap":
        low, high = _binomial_counts(heads, labelled, level)
        return low / labelled, high / labelled
    from scipy.special import betaincinv

    k = np.asarray(heads, dtype=np.float64)
    lower, upper = np.zeros(k.size), np.ones(k.size)
    some, short = k > 0, k < labelled
    lower[some] = betaincinv(k[some], labelled - k[some] + 1, error)
    upper[short] = betaincinv(k[short] + 1, labelled - k[short], 1 - error)
    return lower, upper


def _binomial_counts(heads: Any, labelled: int, level: float) -> tuple[Any, Any]:
    """Quantiles of Binomial(n, k/n) at both tails: the smallest count whose CDF reaches each."""
    k = np.asarray(heads, dtype=np.int64)
    error = (1 - level) / 2
    return _binomial_quantile(k, labelled, error), _binomial_quantile(k, labelled, 1 - error)


def _binomial_quantile(k: Any, size: int, probability: float) -> Any:
    from scipy.special import bdtr, ndtri

    share = k / size
    spread = np.sqrt(size * share * (1 - share))
    z = float(ndtri(probability))
    skew = (1 - 2 * share) * (z * z - 1) / 6
    guess = np.clip(np.floor(size * share + z * spread + skew + 0.5), 0, size).astype(np.int64)
    todo = np.arange(k.size)
    while todo.size:  # step down while one less still reaches the probability
        at = guess[todo] - 1
        reached = (at >= 0) & (bdtr(np.maximum(at, 0), size, share[todo]) >= probability)
        todo = todo[reached]
        guess[todo] -= 1
    todo = np.arange(k.size)
    while todo.size:  # step up while it is not reached
        short = bdtr(guess[todo], size, share[todo]) < probability
        todo = todo[short & (guess[todo] < size)]
        guess[todo] += 1
    return guess


def _scaled(counts: Any, latent: int, labelled: int) -> Any:
    """Floor of counts · latent / labelled in whole numbers, without overflow."""
    times, rest = divmod(latent, labelled)
    if labelled < 2**31:
        return counts * times + (counts * rest) // labelled
    return np.array([int(c) * latent // labelled for c in counts], dtype=np.float64)


def _resampled(
    ranked: ScoreTable, level: float, n_resamples: int, rng: Any
) -> tuple[FloatArray, FloatArray]:
    labelled = int(ranked.total_pos)
    n_resamples = check_count(n_resamples, "n_resamples")
    tables = resampled_tables(ranked, ("pos",), n_resamples, fixed_sizes=True, rng=rng)
    heads = np.array([np.concatenate([[0], np.cumsum(table.n_pos)]) for table in tables])
    error = (1 - level) / 2
    lower, upper = np.quantile(heads, [error, 1 - error], axis=0, method="inverted_cdf")
    return lower / labelled, upper / labelled
