"""Limits over uncertain assumptions, slowly and from the definition."""

import math
from statistics import NormalDist

NORMAL = NormalDist()


def with_errors(value, low, high, moved):
    """Reaches below and above whose squares add up; ``moved`` has the values along each error's interval."""
    down, up = value - low, high - value
    for values in moved:
        down = math.sqrt(down**2 + max(value - min(values), 0.0) ** 2)
        up = math.sqrt(up**2 + max(max(values) - value, 0.0) ** 2)
    return down, up


def held(places, low, high, level):
    """The smallest chance, over places that may be true, that normal limits low and high hold it."""
    z = NORMAL.inv_cdf((1 + level) / 2)
    return min(
        NORMAL.cdf(z * (high - value) / up) - NORMAL.cdf(-z * (value - low) / down)
        for value, down, up in places
    )


def limits(places, level, steps=4_000):
    """The limits with the smallest common factor on all reaches that holds every place often enough.

    Nor may they be shorter than those of any place alone. ``places`` are values with both reaches.
    """
    longest = max(down + up for _, down, up in places)
    for step in range(steps + 1):
        factor = step / steps
        low = min(value - factor * down for value, down, _ in places)
        high = max(value + factor * up for value, _, up in places)
        if high - low >= longest * (1 - 1e-9) and held(places, low, high, level) >= level - 1e-9:
            return low, high
    raise AssertionError("all of the reaches are enough")
