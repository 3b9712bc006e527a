"""Negatives that look like positives: what the data cannot show, and how much of it to expect.

If a share ρ of the negatives is distributed like the positives, the largest share of the labelled's
distribution that the unlabeled contain is not the share of positives a but

    s = a + (1 − a)·ρ,    so that    a = (s − ρ)/(1 − ρ).

No method can tell a from s. What can be had is experience: how large is ρ on real data where classes overlap
as much as they seem to do here? With s instead of a the corrected AUC is too good; its distance from 1, x,
still says how much the classes overlap. Over scores of five models on fifteen data sets
(evidence/real_priors.md) ρ was about a third of x on average, seldom above x, and next to 0 where x was. So

- the estimate takes the mean of an exponential law with mean 0.7 x, as far as it is below s (more
  look-alikes than s are impossible). That is more than the third of x that ρ itself is on average, because
  with few labels s is too large, too; with 0.7 the estimate is right on average, and its mean absolute
  error is the same from 0.25 to 0.8,
- the lower limit allows for ρ = x, with the sampling error of s on top,
- the upper limit allows for none; with few labels the posterior of s turned out to be wide there, so that
  with 30 of them 0.8 of its distance is enough, and with more of them ever more of it is needed.

`EXPECTED`, `MOST` and `upper_reach` are these three.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puremetrics.priors.samples import Samples

__all__ = [
    "EXPECTED",
    "MOST",
    "SMALLEST",
    "Likely",
    "likely",
    "mean_below",
    "overlap",
    "upper_reach",
]

EXPECTED, MOST = 0.7, 1.0
_FEW = 30.0
_LARGEST = 0.9
SMALLEST = 50.0  # times smaller than the estimate: a share of exactly 0 would make every rate 0/0


class Likely(NamedTuple):
    """The share of positives that is to be expected, with limits, and the look-alikes that they allow for."""

    share: float
    low: float
    high: float
    lookalikes: float


def overlap(samples: Samples, share: float, purity: float = 1.0) -> float:
    """1 − AUC of positives against negatives at this share and purity (Jain, Eq. (4)), within 0 and 1/2."""
    return float(np.clip(0.5 - (samples.area - 0.5) / max(purity - share, 1e-3), 0.0, 0.5))


def likely(share: float, low: float, high: float, apart: float) -> Likely:
    """What a share s with these limits says where classes overlap by ``apart``.

    >>> found = likely(0.3, 0.25, 0.36, 0.08)
    >>> round(found.share, 3), round(found.low, 3), round(found.high, 3)
    (0.26, 0.185, 0.36)
    """
    most = min(MOST * apart, _LARGEST)
    point = _without(share, mean_below(share, EXPECTED * apart))
    return Likely(
        point,
        min(max(_without(low, most), point / SMALLEST), point),
        min(max(high, point), 1.0),
        most,
    )


def upper_reach(labels: float) -> float:
    """How much of the posterior's distance to its upper limit is needed."""
    return 1 - 0.2 * float(np.sqrt(_FEW / max(labels, _FEW)))


def mean_below(most: float, mean: float) -> float:
    """Mean of an exponential variable, given that it is below ``most``."""
    if mean <= 0 or most <= 0:
        return 0.0
    ratio = most / mean
    if ratio < 1e-4:  # next to uniform
        return most / 2 * (1 - ratio / 6)
    return float(mean - most / np.expm1(min(ratio, 700.0)))


def _without(share: float, lookalikes: float) -> float:
    return float(np.clip((share - lookalikes) / (1 - lookalikes), 0.0, 1.0))
