"""The default: an average over shapes of the negatives, tempered by a convex fit.

Chosen by evidence (docs/priors.md). Averaging the likelihood over shapes (`shapes`) extrapolates
beyond the overlap of the classes and is the most accurate method where some shape fits; the convex
maximum-likelihood fit (`convex`) assumes less and errs differently, so the mean of both is more
robust than either. Both use ranks only.

The interval is that of the posterior around the mean of both, with half their difference added in
quadrature on either side: disagreement between two models is an error that sampling does not show.

Noisy labels (`combined_n`). The shapes are those of negatives against pure positives. Against noisy labels
they level off at the bottom, no shape fits, and where classes overlap both shares come out too large: what
was extrapolated may have to be extrapolated further. The lower limit of either share is at most the
share less its distance from the smallest share that some head of the ranking shows. Where the classes overlap
(estimated AUC below 0.95), the largest share that is possible counts instead, if it is farther away. Then no
plateau was seen, and PM201 says that the lower limits rest on the shapes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from puremetrics.exceptions import Diagnostic
from puremetrics.priors.best_bin import best_bin
from puremetrics.priors.convex import convex_share
from puremetrics.priors.noise import noisy_fit, prior_and_purity
from puremetrics.priors.samples import EXTRAPOLATED, LARGEST_SHARE, Samples, ShareFit
from puremetrics.priors.shapes import labelled_bins, share_posterior
from puremetrics.priors.slope import largest_share

__all__ = ["combined", "combined_n"]

_SEPARATED = 0.95  # AUC from which on some head of the ranking holds hardly a negative


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
    both = samples, samples.swapped()
    forward, backward = (combined(one, level) for one in both)
    area = _separation(samples, *prior_and_purity(forward.share, 1 - backward.share))
    overlap = area < _SEPARATED
    lowered = [
        _lowered(fit, max(best_bin(one).share, _largest(one, level) if overlap else 0.0))
        for fit, one in zip((forward, backward), both, strict=True)
    ]
    fit = noisy_fit(*lowered)
    if not overlap or any(remark.code == "PM201" for remark in fit.diagnostics):
        return fit
    remark = Diagnostic(
        "PM201",
        f"classes overlap (estimated AUC {area:.3g}): no head of the ranking holds positives only, so prior "
        "and purity are extrapolated from how their share falls, and the lower limits rest on that. Audit "
        "some labelled and unlabeled rows (prior_from_audit).",
    )
    return replace(fit, status=EXTRAPOLATED, diagnostics=(*fit.diagnostics, remark))


def _separation(samples: Samples, share: float, purity: float) -> float:
    """AUC of positives against negatives at such a share and purity (Jain, Eq. (4)), at most 1."""
    pos, unl = (np.cumsum(counts) / counts.sum() for counts in (samples.pos, samples.unl))
    steps = np.diff(unl, prepend=0.0)
    area = float(np.dot(steps, pos - samples.pos / samples.size_pos / 2))
    gap = purity - share
    return 0.5 if gap <= 0 else min(0.5 + (area - 0.5) / gap, 1.0)


def _largest(samples: Samples, level: float) -> float:
    return largest_share(samples, level) if samples.size_pos >= 4 else 1.0


def _lowered(fit: ShareFit, nearest: float) -> ShareFit:
    """The fit with a lower limit that allows for as much again as was extrapolated."""
    assert fit.low is not None
    reach = max(nearest - fit.share, 0.0)
    return replace(fit, low=max(min(fit.low, fit.share - reach), 0.0))
