"""The default: an average over shapes of the negatives, and an allowance for what no shape can show.

Chosen by evidence (evidence/priors.md, evidence/real_priors.md). Averaging the likelihood over shapes
(`shapes`) extrapolates beyond the overlap of the classes, from ranks only. Its interval is that of the
posterior around its mean. Half the distance to a second model (`convex`, which assumes less and errs
differently) is added in quadrature on either side: disagreement between two models is an error that sampling
does not show. That is the largest share of the labelled's distribution in the unlabeled. The answer allows
for two things beyond it:

- the ranking may turn, so that its top is not its purest part (`turning`): then the rows above the turn are
  left out, or if that is doubtful the lower limit is the lower one of both;
- some negatives may look like positives (`lookalikes`).

Where classes part, some head of the ranking holds hardly a negative and nothing has to be extrapolated: the
share can be read off that head (`slope`), while the average over shapes, most of which overlap, comes out too
low. So the answer moves from the one to the other with the overlap of the classes, as e^(−x/0.04), where
x is the mean overlap at the two answers. The limits stay those of the shapes.

Noisy labels (`combined_n`). The shapes with exchanged roles give the share of the unlabeled's distribution in
the labelled, hence prior and purity (`noise`); rows of either class may look like the other (`mutual`). Where
the classes part, both shares move to those of the purest heads, unless these ask for an AUC above 1.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from puremetrics.priors.convex import convex_share
from puremetrics.priors.lookalikes import likely, overlap, upper_reach
from puremetrics.priors.mutual import allowing_both
from puremetrics.priors.noise import prior_and_purity
from puremetrics.priors.samples import LIKELY, Samples, ShareFit
from puremetrics.priors.shapes import labelled_bins, share_posterior
from puremetrics.priors.slope import slope
from puremetrics.priors.turning import DOUBTFUL, SURE, Bins, below, excess_of, turn_of

__all__ = ["combined", "combined_n"]

_PARTED = 0.04  # overlap at which the purest head counts for a third


def combined(samples: Samples, level: float = 0.95) -> ShareFit:
    """Share of positives among the unlabeled, with interval; the objective is the log posterior.

    Costs some 20 ms whatever the number of rows; memory is shapes × bins, below 1 MB.

    Examples
    --------
    >>> pos, unl = np.array([60.0, 30, 10]), np.array([60.0, 30, 910])
    >>> samples = Samples(np.arange(3.0)[::-1], pos, unl, True)
    >>> fit = combined(samples)
    >>> 0.02 < fit.low < fit.share < fit.high < 0.15
    True
    """
    bins = Bins(*labelled_bins(samples))
    turn = turn_of(bins)
    turned = turn.gain >= SURE
    fit, low, high = _of_bins(bins, turn.bins if turned else 0, level)
    if DOUBTFUL <= turn.gain < SURE:
        low = min(low, _of_bins(bins, turn.bins, level)[1])
    apart = overlap(samples, fit.share)
    share = fit.share
    if not turned:
        head = slope(samples).share  # not at the interval's level, on which no share may depend
        share = _read_off(share, head, (apart + overlap(samples, head)) / 2)
    high = fit.share + upper_reach(samples.size_pos) * (high - fit.share)
    found = likely(share, low, high, apart)
    return replace(
        fit, share=found.share, low=found.low, high=found.high, separable=share,
        lookalikes=found.lookalikes, turned=turned, excess=excess_of(bins), status=LIKELY,
    )  # fmt: skip


def _read_off(share: float, head: float, apart: float) -> float:
    """The share, moved towards that of the purest head as far as the classes part."""
    return float(share + np.exp(-apart / _PARTED) * (head - share))


def largest_fit(samples: Samples, level: float = 0.95) -> ShareFit:
    """The largest share of the labelled's distribution in the unlabeled, with interval."""
    return _of_bins(Bins(*labelled_bins(samples)), 0, level)[0]


def _of_bins(bins: Bins, left_out: int, level: float) -> tuple[ShareFit, float, float]:
    """The same without the first bins, and its limits."""
    kept, scale = below(bins, left_out)
    posterior = share_posterior(*kept)
    mean, half = (
        posterior.mean,
        abs(posterior.quantile(0.5) - convex_share(kept.unl, kept.above)) / 2,
    )
    low = mean - np.hypot(mean - posterior.quantile((1 - level) / 2), half)
    high = mean + np.hypot(posterior.quantile((1 + level) / 2) - mean, half)
    share, low, high = (float(np.clip(scale * x, 0.0, 1.0)) for x in (mean, low, high))
    fit = ShareFit(share, scale * posterior.share, posterior.log_density, low, high)
    return fit, low, high


def combined_n(samples: Samples, level: float = 0.95) -> ShareFit:
    """Share of positives and purity of noisy labels together, with the default in both directions.

    Examples
    --------
    >>> pos, unl = np.array([60.0, 30, 60]), np.array([60.0, 30, 910])
    >>> fit = combined_n(Samples(np.arange(3.0)[::-1], pos, unl, True))
    >>> 0 < fit.share < fit.purity <= 1
    True
    """
    both = samples, samples.swapped()
    fits = [largest_fit(one, level) for one in both]
    heads = [slope(one).share for one in both]
    pairs = [
        prior_and_purity(mixed, 1 - own) for mixed, own in ([fit.share for fit in fits], heads)
    ]
    if pairs[1][1] - pairs[1][0] >= 2 * samples.area - 1:  # else no classes are that far apart
        apart = sum(overlap(samples, *pair) for pair in pairs) / 2
        fits = [
            replace(fit, share=_read_off(fit.share, head, apart))
            for fit, head in zip(fits, heads, strict=True)
        ]
    return allowing_both(samples, *fits)
