"""Noisy labels: prior and purity together, from two runs with exchanged roles.

Paper: Jain, White, Radivojac 2016. Let a1 be the largest share of the labelled's distribution in
the unlabeled, and 1 − l the largest share of the unlabeled's distribution in the labelled. If
neither class hides inside the other (mutual irreducibility),

    prior = a1 l / (1 − a1 (1 − l)),    purity = l / (1 − a1 (1 − l)).

Any estimator can make the two runs; "alphamax_n" takes AlphaMax, "combined_n" the default.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from puremetrics.exceptions import Diagnostic
from puremetrics.priors.samples import ShareFit

__all__ = ["REGION", "noisy_fit", "prior_and_purity", "recovered_ends"]

REGION = 9  # values of each of two uncertain numbers


def noisy_fit(forward: ShareFit, backward: ShareFit) -> ShareFit:
    """Join the share of L in U (forward) and that of U in L (backward).

    If both carry limits, those of prior and purity follow by recovering both variances: both rise in
    a1 and in l, so each limit moves them one way, and the moves add in quadrature. What is possible
    together are the pairs that any a1 and l within their limits give.

    >>> fit = noisy_fit(ShareFit(0.2), ShareFit(0.1))
    >>> round(fit.share, 4), round(fit.purity, 4)
    (0.1837, 0.9184)
    """
    mixed, clean = forward.share, 1 - backward.share
    share, purity = prior_and_purity(mixed, clean)
    limits: list[tuple[float, float]] | None = None
    region = corners = None
    ends = forward.low, forward.high, backward.low, backward.high
    if all(end is not None for end in ends):
        a_low, a_high, clean_high, clean_low = (float(end or 0.0) for end in ends)
        l_low, l_high = 1 - clean_low, 1 - clean_high
        corners = [
            (prior_and_purity(a, clean), prior_and_purity(mixed, right))
            for a, right in ((a_low, l_low), (a_high, l_high))
        ]
        limits = [
            recovered_ends(centre, [[point[which] for point in corner] for corner in corners])
            for which, centre in enumerate((share, purity))
        ]
        region = np.array(
            [
                prior_and_purity(float(a), float(right))
                for right in np.linspace(l_low, l_high, REGION)
                for a in np.linspace(a_low, a_high, REGION)
            ]
        )
    diagnostics = forward.diagnostics
    if purity - share < 0.1:
        diagnostics = (
            *diagnostics,
            Diagnostic(
                "PM202",
                f"labelled and unlabeled rows hardly differ (share {share:.3g} against purity "
                f"{purity:.3g}), so noise and prior cannot be told apart. Clean some labels by "
                "hand, or audit both samples with prior_from_audit.",
            ),
        )
    return ShareFit(
        share,
        forward.grid,
        forward.objective,
        None if limits is None else limits[0][0],
        None if limits is None else limits[0][1],
        purity=purity,
        purity_low=None if limits is None else limits[1][0],
        purity_high=None if limits is None else limits[1][1],
        region=region,
        moves=None if limits is None else np.array(corners),
        status=forward.status,
        diagnostics=diagnostics,
    )


def recovered_ends(centre: float, moves: Any) -> tuple[float, float]:
    """Limits of a share from where it moves if each number behind it goes to its own limits."""
    below, above = (math.hypot(*(centre - there for there in side)) for side in moves)
    return max(centre - below, 0.0), min(centre + above, 1.0)


def prior_and_purity(mixed: float, clean: float) -> tuple[float, float]:
    """Share of positives and purity from a1 and l."""
    bottom = 1 - mixed * (1 - clean)
    if bottom <= 0:  # the two samples are the same: nothing is known to be positive
        return 0.0, 0.0
    return mixed * clean / bottom, clean / bottom
