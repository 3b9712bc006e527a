"""Elkan–Noto: the label frequency from calibrated probabilities of being labelled.

Paper: Elkan, Noto 2008. If g(x) = P(labelled | x) is calibrated on labelled and unlabeled rows
together and labels were given at random, then g(x) = c P(y = 1 | x) with c the share of positives
that carry a label. Three estimators of c from held-out scores: e1, the mean over the labelled; e2,
the sum over the labelled divided by the sum over all; e3, the maximum. Of m labelled rows follow
m/c positives, so a = m (1 − c) / (c n). All three are biased when classes overlap: e1 and e2 assume
that every positive has P(y = 1 | x) = 1.
"""

from __future__ import annotations

from puremetrics.exceptions import InputError
from puremetrics.numerics.sums import weighted_sum
from puremetrics.priors.samples import UPPER_BOUND, Samples, ShareFit

__all__ = ["elkan_noto"]


def elkan_noto(samples: Samples, which: str = "e1") -> ShareFit:
    """Share of positives among the unlabeled from probabilities of being labelled. O(rows).

    Examples
    --------
    >>> import numpy as np
    >>> samples = Samples(np.array([0.8, 0.1]), np.array([8.0, 0]), np.array([2.0, 90]), False)
    >>> round(elkan_noto(samples, "e1").share, 4), round(2 / 92, 4)
    (0.0217, 0.0217)
    """
    low, high = float(samples.score[-1]), float(samples.score[0])
    if low < 0 or high > 1 or high <= 0:
        raise InputError(
            f"Elkan–Noto needs probabilities of being labelled, but scores span [{low:g}, {high:g}]. "
            "Use method='combined', which needs only the ranking."
        )
    over_pos, over_unl = (
        weighted_sum(weight, samples.score) for weight in (samples.pos, samples.unl)
    )
    if which == "e1":
        frequency = over_pos / samples.size_pos
    elif which == "e2":
        frequency = over_pos / (over_pos + over_unl) if over_pos > 0 else 0.0
    else:
        frequency = high
    if frequency <= 0:
        raise InputError(
            "Every labelled row has score 0: these are not probabilities of being labelled. Use "
            "method='combined', which needs only the ranking."
        )
    share = samples.size_pos * (1 - frequency) / (frequency * samples.size_unl)
    return ShareFit(min(share, 1.0), status=UPPER_BOUND)
