"""Prior and purity together, where rows of either class can look like the other.

Noisy labels are mixtures like the unlabeled rows: f_L = β f₁ + (1 − β) f₀, f_U = α f₁ + (1 − α) f₀. What two
runs with exchanged roles find (`noise`) are the shares α̃ and β̃ of the purest positives, g₁, as if the purest
negatives, g₀, were all that is left. A share ρ of the negatives may look like positives, and a share τ of the
positives like negatives: f₀ = ρ f₁ + (1 − ρ) g₀ and f₁ = τ f₀ + (1 − τ) g₁. Solved for g₁ and g₀, the share
of g₁ is p = (1 − τ)/(1 − τρ) among the positives and q = ρ p among the negatives, so that

    α̃ = α p + (1 − α) q,    β̃ = β p + (1 − β) q,    hence    α = (α̃ − q)/(p − q),    β = (β̃ − q)/(p − q).

No sample tells ρ and τ. Look-alikes among the negatives move α and β down, those among the positives move
both up, and either makes the classes overlap more than they seem to. The purity is at most 1, so τ is at most
(1 − β̃)/(1 − β̃ρ). The prior is at least 0, so ρ is at most α̃ if τ = 0; but where few positives are seen that
is uncertain itself, and limits of the purity go further.

What to expect is taken over from clean labels (`lookalikes`), where only the one kind matters: half of it is
expected of each, up to what is possible. Limits allow for as much of either as the classes overlap at the
estimate, with the sampling error of both runs on top.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from puremetrics.priors.lookalikes import EXPECTED, MOST, SMALLEST, mean_below, overlap
from puremetrics.priors.noise import hardly_differ, prior_and_purity
from puremetrics.priors.samples import MUTUAL, Samples, ShareFit

__all__ = ["allowing_both", "stacked_ends", "without_both"]

Pair = tuple[float, float]  # share of positives among the unlabeled, and among the labelled

_EACH = EXPECTED / 2
_STEPS = 5  # values of each run's share in the region


def without_both(seen: Pair, negatives: float, positives: float) -> Pair:
    """Shares of positives if so many negatives look like positives and so many positives like negatives.

    >>> share, purity = without_both((0.3, 0.8), 0.1, 0.0)
    >>> round(share, 4), round(purity, 4)
    (0.2222, 0.7778)
    """
    tau = min(positives, (1 - seen[1]) / (1 - seen[1] * negatives))
    pure = (1 - tau) / (1 - negatives * tau)
    false = negatives * pure
    share, purity = (min(max((part - false) / (pure - false), 0.0), 1.0) for part in seen)
    return share, purity


def allowing_both(samples: Samples, forward: ShareFit, backward: ShareFit) -> ShareFit:
    """Share and purity from two runs, with what look-alikes of either class leave open.

    The share of a run is the largest one of its first sample's distribution in its second; of ``forward`` the
    labelled in the unlabeled.
    """
    runs = forward.share, 1 - backward.share
    seen = prior_and_purity(*runs)
    apart = _EACH * overlap(samples, *seen)
    centre = without_both(seen, mean_below(seen[0], apart), mean_below(1 - seen[1], apart))
    most = MOST * overlap(samples, *centre)
    mixed, clean = _ends(forward, backward)
    lowest = [without_both(pair, most, 0.0) for pair in _moved(runs, (mixed[0], clean[0]))]
    highest = [without_both(pair, 0.0, most) for pair in _moved(runs, (mixed[1], clean[1]))]
    region = np.array(
        [
            without_both(prior_and_purity(float(one), float(other)), *allowed)
            for allowed in product(sorted({0.0, most}), repeat=2)
            for other in np.linspace(*clean, _STEPS)
            for one in np.linspace(*mixed, _STEPS)
        ]
    )
    region[:, 0] = np.maximum(region[:, 0], centre[0] / SMALLEST)
    moves = np.array([lowest, highest])
    low, high = stacked_ends(centre[0], moves[..., 0])
    purity_low, purity_high = stacked_ends(centre[1], moves[..., 1])
    return replace(
        forward, share=centre[0], low=low, high=high, purity=centre[1], purity_low=purity_low,
        purity_high=purity_high, moves=moves[None], region=region, lookalikes=most, status=MUTUAL,
        diagnostics=(*forward.diagnostics, *hardly_differ(*centre)),
    )  # fmt: skip


def stacked_ends(centre: float, moves: Any) -> tuple[float, float]:
    """Limits of a share from two sides, each a place and where the numbers behind it move it from there.

    A share of exactly 0 would make every rate 0/0, so the lower one is not below a small part of the share.
    """
    (low, *below), (high, *above) = moves
    least = low - math.hypot(*(max(low - there, 0.0) for there in below))
    most = high + math.hypot(*(max(there - high, 0.0) for there in above))
    return max(min(least, centre), centre / SMALLEST), min(max(most, centre), 1.0)


def _ends(forward: ShareFit, backward: ShareFit) -> tuple[Pair, Pair]:
    """Limits of the share of the labelled in the unlabeled, and of the labelled's own part."""
    both = []
    for fit in (forward, backward):
        assert fit.low is not None
        assert fit.high is not None
        both.append((min(fit.low, fit.share), max(fit.high, fit.share)))
    mixed, (low, high) = both
    return mixed, (1 - high, 1 - low)


def _moved(runs: Pair, reach: Sequence[float]) -> list[Pair]:
    """The pair of shares, and where it is if either run's number goes to its own limit."""
    (mixed, clean), (one, other) = runs, reach
    return [prior_and_purity(*pair) for pair in ((mixed, clean), (one, clean), (mixed, other))]
