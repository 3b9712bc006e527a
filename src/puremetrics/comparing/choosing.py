"""The best of many thresholds: limits on metrics, the choice, and what is said if it is at an end."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from puremetrics.checking.arguments import check_number, shown
from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.comparing.judging import Judged
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.formulas import SMALLER_IS_BETTER, Formula, find_formula
from puremetrics.sampling.ranks import check_top

__all__ = ["Limits", "best_place", "check_limits", "edge_remark", "places_of"]

_SHARE = "predicted_positive_rate"
_SLACK = 1e-9  # a share of rows may miss a whole number by rounding
Limits = dict[str, tuple[str, float]]  # metrics, and what they must reach or not exceed


def check_limits(subject_to: Mapping[str, tuple[str, float]] | None, rows: float) -> Limits:
    """Raise unless these are limits on metrics; a budget is one on the share of so many rows."""
    limits: Limits = {}
    if not isinstance(subject_to, Mapping | None):
        raise InputError(
            f"subject_to={shown(subject_to)} must map metrics to limits, such as "
            "{'precision': ('>=', 0.9)}."
        )
    for name, limit in (subject_to or {}).items():
        formula, _ = find_formula(_SHARE if name == "top" else name, {})
        fine = isinstance(limit, tuple) and len(limit) == 2 and limit[0] in (">=", "<=")
        if not fine:
            raise InputError(
                f"subject_to[{name!r}]={shown(limit)} is not a limit. Write it as ('>=', 0.9) or ('<=', 0.1)."
            )
        if formula.name in limits:
            raise InputError(
                "subject_to limits both 'top' and 'predicted_positive_rate', which are the same. Pass one "
                "of them."
            )
        least = check_number(limit[1], f"subject_to[{name!r}]")
        if name == "top":
            slack = -_SLACK if limit[0] == ">=" else _SLACK
            least = check_top(limit[1]).rows_of(rows) / rows * (1 + slack)
        limits[formula.name] = (limit[0], least)
    return limits


def best_place(formula: Formula, judged: Judged, limits: Limits) -> int:
    """Index of the best threshold that meets the limits; the highest one of equals.

    A ratio is infinite where no false positive is left, which says more about few rows than about the
    scores; such thresholds are passed over.
    """
    allowed = _allowed(judged, limits)
    if not allowed.any():
        listed = ", ".join(f"{name} {sign} {limit:g}" for name, (sign, limit) in limits.items())
        if not listed:
            raise InputError(
                f"{formula.title} has no finite value at any threshold. Choose another objective or prior."
            )
        raise InputError(f"No threshold meets {listed}. Loosen the limits.")
    gain = -judged.values if formula.name in SMALLER_IS_BETTER else judged.values
    return int(np.argmax(np.where(allowed, gain, -np.inf)))


def places_of(
    again: Judged, formula: Formula, limits: Limits, fallback: int
) -> npt.NDArray[np.intp]:
    """The best threshold of each resample."""
    redrawn = np.atleast_2d(again.values)
    allowed = np.atleast_2d(_allowed(again, limits))
    gain = -redrawn if formula.name in SMALLER_IS_BETTER else redrawn
    place = np.argmax(np.where(allowed, gain, -np.inf), axis=1)
    return np.where(allowed.any(axis=1), place, fallback)


def edge_remark(chosen: int, values: FloatArray) -> list[Diagnostic]:
    """PM501 if nothing or everything is predicted."""
    if 0 < chosen < values.size - 1:
        return []
    what = "nothing" if chosen == 0 else "everything"
    return [
        Diagnostic(
            "PM501",
            f"the best choice is to predict {what} positive: at this prior and these costs the scores "
            "do not help. Check the prior, the costs, and whether the objective is the one you mean.",
        )
    ]


def _allowed(judged: Judged, limits: Limits) -> BoolArray:
    """Which thresholds have a value and meet the limits."""
    allowed = np.isfinite(judged.values)
    for name, (sign, limit) in limits.items():
        reached = judged.limited[name]
        with np.errstate(invalid="ignore"):
            allowed &= reached >= limit if sign == ">=" else reached <= limit
    return allowed
