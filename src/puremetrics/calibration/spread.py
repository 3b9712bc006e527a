"""How far a sum over two samples may be off, when rows of one of them add rarely and then much.

The calibration error and mean score less prior are means over the population's sample F of something
that is bounded, less something about the labelled positives. With rare positives a row of F adds next to
nothing in nearly every case, and much in a few: the sample's variance is too small just when those few
are missing from it. Limits of that part are therefore those of Agresti and Coull, carried from
proportions to any bounded variable: z²/2 rows are added at either end of its range, and

    centre = (n·mean + z²/2·(low + high)) / (n + z²),    limits = centre ± z·sqrt(v / (n + z²))

with v the mean squared distance of all of these rows from the centre. For a proportion these are the
limits of `sampling.limits`. Towards the near end of the range these are closer to the mean than normal
limits, mean ± z·standard error, as they should be for a proportion; other variables are less skewed, and
neither side is therefore narrower than the normal one (up to 8 % of the samples missed the closer limit).
The range ends where scores that have not been seen may lie. Everything follows from power sums in closed
form, unlike the limits of `sampling.bounded`, which serve the same end where rows are at hand: the report
computes these again for every position of its sliders.

The rest of the variance (of the labelled rows, and what both samples share) is added in squares, as in
MOVER, side by side: reach = sqrt(z²·(variance − variance of F's part) + (reach of F's part)²).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puremetrics.numerics.quantiles import normal_quantile

__all__ = ["BoundedMean", "bounded_reach", "joint_reach"]


class BoundedMean(NamedTuple):
    """The mean of a bounded variable: number of rows, mean, variance of the mean, and its range."""

    rows: float
    mean: float
    variance: float
    low: float
    high: float


def bounded_reach(part: BoundedMean, level: float) -> tuple[float, float]:
    """Distances from the mean to its lower and to its upper limit.

    >>> below, above = bounded_reach(BoundedMean(100, 0.0, 0.0, 0.0, 1.0), 0.95)
    >>> round(below, 4), round(above, 4)  # no success in a hundred trials
    (0.0074, 0.0444)
    """
    added = normal_quantile(level) ** 2
    total = part.rows + added
    centre = (part.rows * part.mean + added / 2 * (part.low + part.high)) / total
    squares = part.rows * (part.rows * part.variance + (part.mean - centre) ** 2)
    squares += added / 2 * ((part.low - centre) ** 2 + (part.high - centre) ** 2)
    reach, plain = float(np.sqrt(added * squares)) / total, float(np.sqrt(added * part.variance))
    return max(reach - (centre - part.mean), plain), max(reach + (centre - part.mean), plain)


def joint_reach(part: BoundedMean, variance: float, level: float) -> tuple[float, float]:
    """The same for a sum of which ``part`` is one term; ``variance`` is that of the sum."""
    rest = normal_quantile(level) ** 2 * max(variance - part.variance, 0.0)
    below, above = (float(np.sqrt(rest + reach**2)) for reach in bounded_reach(part, level))
    return below, above
