"""How results write numbers."""

from __future__ import annotations

import numpy as np

__all__ = ["in_groups", "number", "percent", "sentence"]


def number(value: float) -> str:
    """Format to four significant decimals without exponent for ordinary sizes."""
    if not np.isfinite(value) or value == 0:
        return f"{value:g}"
    return f"{value:.4f}" if 1e-3 <= abs(value) < 1e4 else f"{value:.4g}"


def percent(level: float) -> str:
    """A confidence level in per cent."""
    return f"{100 * level:g} %"


def sentence(text: str) -> str:
    """The text with a capital letter in front."""
    return text[:1].upper() + text[1:]


def in_groups(number_of: int | None, effect: float | None) -> list[str]:
    """A line about the groups that rows belong to; none if they are independent."""
    if number_of is None or effect is None:
        return []
    return [
        f"  rows belong to {number_of} groups: {number(effect)} times the variance of independent rows"
    ]
