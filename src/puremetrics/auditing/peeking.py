"""Looking while answers come in: intervals that hold at all looks together.

Who looks after every ten rows and stops when the interval is narrow, or excludes something, errs far more
often than an interval for one look says. A confidence sequence holds at all numbers of rows at once. For a
sum of n independent terms with standard error s, Robbins' mixture of normal laws gives

    |estimate − truth| ≤ s · sqrt((1 + 1/r) · log((r + 1) / α²)),     r = n·ρ²,

at all n together with probability 1 − α; ρ is free, and is chosen so that the factor is smallest when all
planned rows are checked. It is a normal quantile of a higher level, and that is how it is used: every
interval of an audit that is looked at while it grows is made at the level that belongs to its number of rows
(Robbins 1970; Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas 2024 for estimated standard errors).
"""

from __future__ import annotations

import numpy as np

__all__ = ["level_while_looking"]


def level_while_looking(checked: int, planned: int, level: float) -> float:
    """The level of an interval after so many rows, if it may be looked at after each of them."""
    from scipy.special import ndtr

    alpha = 1.0 - level
    least = 2 * np.log(1 / alpha)
    best = max(least + np.log1p(least), 1e-3)  # close to the minimum of the factor
    r = best * max(checked, 1) / planned
    factor = np.sqrt((1 + 1 / r) * np.log((r + 1) / alpha**2))
    return float(max(min(2 * ndtr(factor) - 1, 1 - 1e-12), level))
