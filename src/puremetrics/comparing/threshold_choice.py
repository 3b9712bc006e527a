"""A threshold that was chosen: what it was judged by, which is the best, and what it achieves.

`ThresholdChoice` is the record. The best of many thresholds, with limits on metrics, is found by
`best_place`, and `edge_remark` says so if it is at an end.

**Judging** (`Judged`). Thresholds are judged by the metrics of one table each (`of_counts`), or by the worst
that they can be (`worst_of`). In the worst case every metric is taken over all numbers of latent positives
that are possible at the prior, or anywhere in its range, and over all tables that the exact band allows for
them (`bounds.contingency`). A range of the prior is part of that; so a narrow range says nearly the same as
its middle.

**What a metric at a threshold is worth if the same rows chose the threshold** (`account_for_choice`). Every
resample chooses its own threshold. How much better a metric seems there, on the resample, than the rows at
hand say, is how much better the rows at hand make it seem than it is. The mean of that is taken off the
metric, and its spread widens the interval that a threshold fixed beforehand would have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from puremetrics.bounds.contingency import LatentChoice, corner_tables, whole_heads
from puremetrics.checking.arguments import check_number, shown
from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.formulas import METRICS, Formula, find_formula
from puremetrics.numerics.quantiles import normal_quantile, small_sample, student_quantile
from puremetrics.results import Columns, ConfusionCounts, Estimate, Interval, Result
from puremetrics.sampling.limits import move_into_range
from puremetrics.sampling.list_ranks import check_top
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "Judged",
    "Limits",
    "ThresholdChoice",
    "account_for_choice",
    "best_place",
    "check_limits",
    "edge_remark",
    "few_rows_factor",
    "gains_of",
    "moved_range",
    "of_counts",
    "places_of",
    "worst_of",
]


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdChoice(Result):
    """A threshold, and what it achieves.

    Attributes
    ----------
    threshold : float
        Predict positive where ``score >= threshold``; infinite if predicting nothing is best.
    objective : str
        The metric that was optimised.
    estimate : Estimate
        Its value at the threshold, with its interval; both allow for the choice.
    apparent : float
        The value that the choice was made by, before that correction.
    tp, fp, fn, tn : float
        The estimated confusion matrix there.
    limits : dict of str to float
        Values of the limited metrics there, if any.
    metrics : dict of str to Estimate
        Precision, recall and others there, which allow for the choice as the objective does; filled by
        `evaluate`.
    """

    threshold: float
    objective: str
    estimate: Estimate
    apparent: float
    tp: float
    fp: float
    fn: float
    tn: float
    limits: dict[str, float]
    metrics: dict[str, Estimate] = field(default_factory=dict)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:  # type: ignore[override]
        """Those of the estimate."""
        return self.estimate.diagnostics

    def frame(self) -> Columns:
        """Return one row: the threshold, the objective with its interval, and the confusion matrix."""
        counts = {name: np.array([getattr(self, name)]) for name in ("tp", "fp", "fn", "tn")}
        return {**self.estimate.frame(), "apparent": np.array([self.apparent]), **counts}

    def __str__(self) -> str:
        lines = [f"score >= {self.threshold:g}", str(self.estimate)]
        lines.append(f"  before correcting for the choice of threshold: {self.apparent:.4f}")
        lines += [f"  {name} at this threshold: {value:.4f}" for name, value in self.limits.items()]
        return "\n".join(lines)


_CELLS = (
    100_000  # thresholds times numbers of latent positives, up to which all numbers are looked at
)


class Judged(NamedTuple):
    """The objective and the limited metrics at every threshold, and the table that the objective is of."""

    values: FloatArray
    limited: dict[str, FloatArray]
    counts: ConfusionCounts


def of_counts(
    counts: ConfusionCounts,
    formula: Formula,
    options: dict[str, float],
    limits: dict[str, tuple[str, float]],
) -> Judged:
    """Metrics of the tables themselves."""
    limited = {name: counts.metric(name) for name in limits}
    return Judged(counts.metric(formula.name, **options), limited, counts)


def worst_of(
    choice: LatentChoice,
    table: ScoreTable,
    formula: Formula,
    options: dict[str, float],
    limits: dict[str, tuple[str, float]],
) -> Judged:
    """The worst that each metric can be at each threshold, for itself.

    Every resample has as many labelled rows, so the choice need not be made again for it.
    """
    heads = whole_heads(table)
    size = heads.unl.size
    limited = {name: np.empty(size) for name in limits}
    values, entries = np.empty(size), np.empty((4, size))
    nodes = choice.nodes(size, _CELLS)
    for part, (lower, _) in corner_tables(choice, heads, nodes, statistics=[formula.name, *limits]):
        least = tuple(np.broadcast_arrays(*lower))
        found = formula(*least, **options)
        gain = -found if formula.smaller_is_better else found
        place = np.argmin(gain, axis=0)[None]
        values[part] = np.take_along_axis(found, place, axis=0)[0]
        entries[:, part] = [np.take_along_axis(entry, place, axis=0)[0] for entry in least]
        for name, reached in limited.items():
            every = find_formula(name, {})[0](*least)
            worst = np.max if METRICS[name].smaller_is_better else np.min
            reached[part] = worst(every, axis=0)
    return Judged(values, limited, ConfusionCounts(heads.threshold, *entries))


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
        raise InputError(f"No threshold meets {listed}. Relax the limits.")
    gain = -judged.values if formula.smaller_is_better else judged.values
    return int(np.argmax(np.where(allowed, gain, -np.inf)))


def places_of(
    again: Judged, formula: Formula, limits: Limits, fallback: int
) -> npt.NDArray[np.intp]:
    """The best threshold of each resample."""
    redrawn = np.atleast_2d(again.values)
    allowed = np.atleast_2d(_allowed(again, limits))
    gain = -redrawn if formula.smaller_is_better else redrawn
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
            f"the best choice is to predict {what} positive: at this prior and these costs the scores do "
            "not help. Check the prior, the costs, and whether this is the objective you want.",
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


Places = npt.NDArray[np.intp]


def gains_of(
    formulas: Sequence[Formula], redrawn: ConfusionCounts, here: ConfusionCounts, place: Places
) -> FloatArray:
    """How much better each metric seems on each resample, at the place it chose: (metrics, resamples)."""
    rows = np.arange(place.size)
    there = tuple(
        np.atleast_2d(getattr(redrawn, name))[rows, place] for name in ("tp", "fp", "fn", "tn")
    )
    same = tuple(getattr(here, name)[place] for name in ("tp", "fp", "fn", "tn"))
    return np.array([formula(*there) - formula(*same) for formula in formulas])


def few_rows_factor(labelled: float, level: float) -> float:
    """Factor on a spread of resamples of so many labelled rows."""
    quantile = student_quantile(max(labelled - 1, 1.0), level) / normal_quantile(level)
    return float(small_sample(labelled) * quantile)


def account_for_choice(
    plain: Estimate, formula: Formula, gains: FloatArray, few: float
) -> Estimate:
    """The estimate at a fixed threshold, made to account for the choice."""
    known = gains[np.isfinite(gains)]
    if plain.interval is None or not known.size:
        return plain
    bias, tail = float(known.mean()), (1 - plain.interval.level) / 2
    value = move_into_range(formula, plain.value - bias)
    below, above = few * (np.quantile(known, [1 - tail, tail]) - bias)
    low = move_into_range(formula, min(plain.interval.low - bias, value - below))
    high = move_into_range(formula, max(plain.interval.high - bias, value - above))
    interval = replace(
        plain.interval,
        low=min(low, value),
        high=max(high, value),
        method="bootstrap_of_the_choice",
    )
    return replace(
        plain,
        value=value,
        interval=interval,
        bias_range=moved_range(plain.bias_range, formula, bias),
    )


def moved_range(found: Interval | None, formula: Formula, by: float) -> Interval | None:
    """What biased labels leave open, moved with the value."""
    if found is None:
        return None
    low, high = (move_into_range(formula, end - by) for end in found)
    return replace(found, low=low, high=high)
