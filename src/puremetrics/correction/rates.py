"""Corrected rates (Jain, White, Radivojac 2017, Theorem 1).

With G(t), F(t) the shares of the labelled positives and of the comparison sample that score at least
t, a the share of positives in the comparison sample and b the purity:

    γ = ((1 − a)·G − (1 − b)·F) / (b − a)        true positive rate, Eq. (1)
    η = (b·F − a·G) / (b − a)                    false positive rate, Eq. (2)

γ_pu and η_pu of the paper are G and F in case-control, where a is the prior.

Deviation: rates are kept as they come out, outside [0, 1] if need be, with diagnostic PM101.
"""

from __future__ import annotations

from typing import Any

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic

__all__ = ["corrected_rates", "range_diagnostics"]


def corrected_rates(
    pos: FloatArray, cmp: FloatArray, share: Any, purity: Any
) -> tuple[FloatArray, FloatArray]:
    """True and false positive rates from heads G and F (Jain, Eqs. (1) and (2)).

    Written as the uncorrected rate plus a multiple of G − F, which is exact at both ends of the ranking.
    """
    apart = (pos - cmp) / (purity - share)
    return pos + (1 - purity) * apart, cmp - share * apart


def range_diagnostics(tpr: FloatArray, fpr: FloatArray) -> list[Diagnostic]:
    """PM101 if corrected rates leave [0, 1] anywhere."""
    remarks = []
    for name, rates in (("true positive rate", tpr), ("false positive rate", fpr)):
        low, high = float(rates.min()), float(rates.max())
        if low < -1e-12 or high > 1 + 1e-12:
            worst = low if -low > high - 1 else high
            remarks.append(
                Diagnostic(
                    "PM101",
                    f"the corrected {name} reaches {worst:.4g}, outside [0, 1]. Small excursions "
                    "are sampling error; large ones say that the prior is too high or that the "
                    "labels are not a random sample of the positives.",
                )
            )
    return remarks
