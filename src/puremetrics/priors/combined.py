"""The default: an average over shapes of the negatives, tempered by a convex fit.

Chosen by evidence (docs/priors.md). Averaging the likelihood over shapes (`shapes`) extrapolates
beyond the overlap of the classes and is the most accurate method where some shape fits; the convex
maximum-likelihood fit (`convex`) assumes less and errs differently, so the mean of both is more
robust than either. Both use ranks only.

The interval is that of the posterior around the mean of both, with half their difference added in
quadrature on either side: disagreement between two models is an error that sampling does not show.
"""

from __future__ import annotations

import numpy as np

from puremetrics.exceptions import Diagnostic
from puremetrics.priors.best_bin import best_bin
from puremetrics.priors.convex import convex_share
from puremetrics.priors.noise import noisy_fit
from puremetrics.priors.samples import EXTRAPOLATED, LARGEST_SHARE, Samples, ShareFit
from puremetrics.priors.shapes import labelled_bins, share_posterior

__all__ = ["combined", "combined_n"]


def combined(samples: Samples, level: float = 0.95) -> ShareFit:
    """Share of positives among the unlabeled, with interval; the objective is the log posterior.

    Costs some 20 ms whatever the number of rows; memory is shapes × bins, below 1 MB.

    Examples
    --------
    >>> pos, unl = np.array([60.0, 30, 10]), np.array([60.0, 30, 910])
    >>> samples = Samples(np.arange(3.0)[::-1], pos, unl, True)
    >>> fit = combined(samples)
    >>> 0.07 < fit.low < fit.share < fit.high < 0.15
    True
    """
    pos, unl, above = labelled_bins(samples)
    posterior = share_posterior(pos, unl, above)
    middle = posterior.quantile(0.5)
    convex = convex_share(unl, above)
    share, half = (middle + convex) / 2, abs(middle - convex) / 2
    low = share - np.hypot(middle - posterior.quantile((1 - level) / 2), half)
    high = share + np.hypot(posterior.quantile((1 + level) / 2) - middle, half)
    low, high = max(float(low), 0.0), min(float(high), 1.0)
    diagnostics = []
    if half > 0.05:
        diagnostics.append(
            Diagnostic(
                "PM204",
                f"two models of the negatives disagree about the share of positives: {middle:.3g} "
                f"and {convex:.3g}. Audit some unlabeled rows (prior_from_audit) to decide.",
            )
        )
    nearest = best_bin(samples).share
    status = LARGEST_SHARE
    if nearest - share > max(0.04, (high - low) / 2):
        status = EXTRAPOLATED
        diagnostics.append(
            Diagnostic(
                "PM201",
                f"classes overlap: no head of the ranking shows a share below {nearest:.3g}, and "
                f"{share:.3g} is extrapolated from how it falls towards the top. Check it "
                "against an audit, or use upper_limit where a certain bound is wanted.",
            )
        )
    return ShareFit(
        share, posterior.share, posterior.log_density, low, high, status=status,
        diagnostics=tuple(diagnostics),
    )  # fmt: skip


def combined_n(samples: Samples, level: float = 0.95) -> ShareFit:
    """Share of positives and purity of noisy labels together, with the default in both directions.

    Examples
    --------
    >>> pos, unl = np.array([60.0, 30, 60]), np.array([60.0, 30, 910])
    >>> fit = combined_n(Samples(np.arange(3.0)[::-1], pos, unl, True))
    >>> 0 < fit.share < fit.purity <= 1
    True
    """
    return noisy_fit(combined(samples, level), combined(samples.swapped(), level))
