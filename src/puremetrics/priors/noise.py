"""Noisy labels: prior and purity together, from two runs with exchanged roles.

Paper: Jain, White, Radivojac 2016. Let a1 be the largest share of the labelled's distribution in
the unlabeled, and 1 − l the largest share of the unlabeled's distribution in the labelled. If
neither class hides inside the other (mutual irreducibility),

    prior = a1 l / (1 − a1 (1 − l)),    purity = l / (1 − a1 (1 − l)).

Any estimator can make the two runs; "alphamax_n" takes AlphaMax, "combined_n" the default.
"""

from __future__ import annotations

from puremetrics.exceptions import Diagnostic
from puremetrics.priors.samples import ShareFit

__all__ = ["hardly_differ", "noisy_fit", "prior_and_purity"]

_GAP = 0.1


def noisy_fit(forward: ShareFit, backward: ShareFit) -> ShareFit:
    """Join the share of L in U (forward) and that of U in L (backward).

    >>> fit = noisy_fit(ShareFit(0.2), ShareFit(0.1))
    >>> round(fit.share, 4), round(fit.purity, 4)
    (0.1837, 0.9184)
    """
    share, purity = prior_and_purity(forward.share, 1 - backward.share)
    return ShareFit(
        share,
        forward.grid,
        forward.objective,
        purity=purity,
        status=forward.status,
        diagnostics=(*forward.diagnostics, *hardly_differ(share, purity)),
    )


def hardly_differ(share: float, purity: float) -> list[Diagnostic]:
    """A remark if labelled and unlabeled rows hold nearly the same share of positives."""
    if purity - share >= _GAP:
        return []
    return [
        Diagnostic(
            "PM202",
            f"labelled and unlabeled rows hardly differ (share {share:.3g} against purity {purity:.3g}), so "
            "noise and prior cannot be told apart. Clean some labels by hand, or audit both samples with "
            "prior_from_audit.",
        )
    ]


def prior_and_purity(mixed: float, clean: float) -> tuple[float, float]:
    """Share of positives and purity from a1 and l."""
    bottom = 1 - mixed * (1 - clean)
    if bottom <= 0:  # the two samples are the same: nothing is known to be positive
        return 0.0, 0.0
    return mixed * clean / bottom, clean / bottom
