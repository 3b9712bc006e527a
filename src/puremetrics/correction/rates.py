"""Corrected rates (Jain, White, Radivojac 2017, Theorem 1).

With G(t), F(t) the shares of the labelled positives and of the comparison sample that score at least
t, a the share of positives in the comparison sample and b the purity:

    γ = ((1 − a)·G − (1 − b)·F) / (b − a)        true positive rate, Eq. (1)
    η = (b·F − a·G) / (b − a)                    false positive rate, Eq. (2)

γ_pu and η_pu of the paper are G and F in case-control, where a is the prior.

Deviation: rates are kept as they come out, outside [0, 1] if need be; diagnostic PM101 says so where
sampling error does not explain it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic

__all__ = ["corrected_rates", "range_diagnostics", "rate_errors"]

_NAMES = ("true positive rate", "false positive rate")
_SURE = 4.0  # standard errors: the worst of many thresholds is judged


def corrected_rates(
    pos: FloatArray, cmp: FloatArray, share: Any, purity: Any
) -> tuple[FloatArray, FloatArray]:
    """True and false positive rates from heads G and F (Jain, Eqs. (1) and (2)).

    Written as the uncorrected rate plus a multiple of G − F, which is exact at both ends of the ranking.
    """
    apart = (pos - cmp) / (purity - share)
    return pos + (1 - purity) * apart, cmp - share * apart


def range_diagnostics(
    tpr: FloatArray, fpr: FloatArray, errors: tuple[FloatArray, FloatArray] | None = None
) -> list[Diagnostic]:
    """PM101 if corrected rates leave [0, 1] anywhere by more than their sampling error.

    ``errors`` are standard errors of both; without them every excursion counts.
    """
    remarks = []
    spreads = (np.zeros(1), np.zeros(1)) if errors is None else errors
    for name, rates, error in zip(_NAMES, (tpr, fpr), spreads, strict=True):
        beyond = np.maximum(-rates, rates - 1) - _SURE * error
        worst = int(np.argmax(beyond))
        if beyond[worst] > 1e-12:
            remarks.append(
                Diagnostic(
                    "PM101",
                    f"the corrected {name} reaches {rates[worst]:.4g}, outside [0, 1] and by more than "
                    "sampling error: the prior is too high, or the labels are not a random sample of "
                    "the positives.",
                )
            )
    return remarks


def rate_errors(
    pos: FloatArray, cmp: FloatArray, share: float, purity: float, sizes: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Standard errors of the corrected rates, with both samples taken as independent (a little too large).

    Shares are moved towards 1/2 by four rows, as those of no row or of all rows would have no error.
    """
    var_pos, var_cmp = (
        _smoothed(head, size) * (1 - _smoothed(head, size)) / size
        for head, size in zip((pos, cmp), sizes, strict=True)
    )
    gap = purity - share
    by_labels, by_prior = (1 - purity) / gap, share / gap
    return (
        np.sqrt((1 + by_labels) ** 2 * var_pos + by_labels**2 * var_cmp),
        np.sqrt((1 + by_prior) ** 2 * var_cmp + by_prior**2 * var_pos),
    )


def _smoothed(head: FloatArray, size: float) -> FloatArray:
    """Heads that biased labels leave open may lie beyond 0 and 1 if labels are impure, too."""
    return (np.clip(head, 0.0, 1.0) * size + 2) / (size + 4)
