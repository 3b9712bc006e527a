"""The two ways in which positive-unlabeled data arise: the only module that knows them.

Every correction compares the labelled positives (sample G, of which a share ``purity`` is truly
positive) with a comparison sample F that holds a known share of positives:

=====================  ==============================  =====================  ==================
scenario               F                               share of positives     population counted
=====================  ==============================  =====================  ==================
case_control           the unlabeled rows              prior                  the unlabeled rows
  (no unlabeled rows)  the known negatives             0                      all rows, reweighted
single_training_set    all rows                        prior                  all rows
=====================  ==============================  =====================  ==================

In a single training set the population is the data set, so F holds the labelled rows as well. That
gives the same rates as comparing with the unlabeled at their own, smaller share of positives (both
solve the same two linear equations), and known negatives join without further assumptions.

Conversions, with L, U, N the labelled, unlabeled and negative rows and n their sum:
``prior · n = purity · L + share · U`` in a single training set; ``prior = share`` in case-control.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics._validation import CountArray, FloatArray, check_share, shown
from puremetrics.exceptions import (
    Diagnostic,
    InputError,
    NotIdentifiableError,
    PriorError,
    ScenarioError,
)
from puremetrics.results import Interval, PriorEstimate
from puremetrics.table import ScoreTable

__all__ = [
    "PriorRange",
    "check_table",
    "comparison_counts",
    "comparison_head",
    "comparison_share",
    "comparison_total",
    "population_prior",
    "population_size",
    "prior_limits",
    "resolve_prior",
    "unlabeled_share",
]

PriorLike = float | tuple[float, float] | PriorEstimate | None
_SMALLEST_GAP = 1e-14  # of purity and prior; every correction divides by it
_SLACK = 1e-9  # a prior typed as 0.12 may fall short of 1200/10000 by rounding


@dataclass(frozen=True)
class PriorRange:
    """The prior as a number with the range around it, checked against the table."""

    value: float
    low: float
    high: float
    purity: float
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def is_point(self) -> bool:
        """Whether the prior is taken as known."""
        return self.low == self.high

    def points(self, count: int = 17) -> FloatArray:
        """Priors from low to high at which a result is evaluated to widen its interval."""
        return np.array([self.value]) if self.is_point else np.linspace(self.low, self.high, count)


def check_table(table: object) -> None:
    """Raise unless it is a table."""
    if not isinstance(table, ScoreTable):
        raise InputError(
            f"A ScoreTable is needed here, not {type(table).__name__}. Build one with "
            "ScoreTable.from_arrays."
        )


def comparison_counts(table: ScoreTable) -> tuple[CountArray, CountArray]:
    """Counts of the comparison sample F per row, and their squared weights."""
    squares = table.squared_weights()
    if table.scenario == "single_training_set":
        return table.n_pos + table.n_unl + table.n_neg, squares[0] + squares[1] + squares[2]
    if table.total_unl > 0:
        return table.n_unl, squares[1]
    return table.n_neg, squares[2]


def comparison_total(table: ScoreTable) -> float:
    """Number of rows in the comparison sample F."""
    if table.scenario == "single_training_set":
        return table.total
    return table.total_unl if table.total_unl > 0 else table.total_neg


def comparison_head(table: ScoreTable, heads: tuple[float, float, float]) -> float:
    """Rows of the comparison sample F in a head, from those of the three groups."""
    if table.scenario == "single_training_set":
        return sum(heads)
    return heads[1] if table.total_unl > 0 else heads[2]


def comparison_share(table: ScoreTable, prior: float) -> float:
    """Share of positives in the comparison sample F."""
    if table.scenario == "case_control" and table.total_unl == 0:
        return 0.0
    return prior


def population_size(table: ScoreTable) -> float:
    """Number of rows that confusion counts refer to."""
    if table.scenario == "case_control" and table.total_unl > 0:
        return table.total_unl
    return table.total


def unlabeled_share(table: ScoreTable, prior: float, purity: float = 1.0) -> float | None:
    """Share of positives among the unlabeled; None if there are no unlabeled rows."""
    if table.total_unl == 0:
        return None
    if table.scenario == "case_control":
        return prior
    share = (prior * table.total - purity * table.total_pos) / table.total_unl
    return min(max(share, 0.0), 1.0)


def population_prior(table: ScoreTable, share: float, purity: float = 1.0) -> float:
    """Prior of the population from the share of positives among the unlabeled."""
    if table.scenario == "case_control":
        return share
    return (purity * table.total_pos + share * table.total_unl) / table.total


def prior_limits(table: ScoreTable, purity: float = 1.0) -> tuple[float, float]:
    """Smallest and largest prior that the counts allow."""
    if table.scenario == "case_control":
        return 0.0, 1.0
    return population_prior(table, 0.0, purity), population_prior(table, 1.0, purity)


def resolve_prior(table: ScoreTable, prior: PriorLike, purity: float = 1.0) -> PriorRange:
    """Check a prior of any form against the table and return its range.

    A number is taken as known. For an interval the point estimate is made at its middle, for a
    `PriorEstimate` at the estimate (with its purity, unless one is given); both widen every interval that
    is computed from them: the union over the range. Together with a range at level 1 − δ, limits at level
    1 − δ are guaranteed for 1 − 2δ only, though the union usually covers more.
    """
    check_table(table)
    purity = check_share(purity, "purity")
    diagnostics: list[Diagnostic] = []
    if isinstance(prior, np.ndarray) and prior.ndim == 0 and prior is not np.ma.masked:
        prior = prior.item()
    if isinstance(prior, Interval):
        prior = (prior.low, prior.high)
    if isinstance(prior, PriorEstimate):
        _check_estimate(table, prior)
        if prior.purity is not None and purity == 1.0:
            purity = prior.purity
        low, high = tuple(prior.interval) if prior.interval is not None else (prior.prior,) * 2
        low, high = _cut_to_limits(table, low, high, purity, diagnostics)
        value = min(max(prior.prior, low), high)
    elif prior is None:
        value = low = high = _prior_of_labels(table, purity)
    elif _is_pair(prior):
        low, high = (check_share(end, "prior") for end in prior)  # type: ignore[union-attr]
        if low > high:
            raise PriorError(
                f"prior=({low:g}, {high:g}) is not an interval: its lower end comes first. Pass "
                "(low, high)."
            )
        value = (low + high) / 2
    else:
        value = low = high = check_share(prior, "prior")
    low, high = (_check_limits(table, end, purity) for end in (low, high))
    value = min(max(value, low), high)
    if purity - comparison_share(table, high) < _SMALLEST_GAP:
        raise NotIdentifiableError(
            f"purity={purity:g} with prior={high:g}: the labelled rows must hold a larger share of "
            "positives than the population, otherwise labelled and unlabeled rows do not differ "
            "and no correction can tell positives from negatives. Pass purity > prior."
        )
    if table.scenario == "case_control" and table.total_neg > 0 and table.total_unl > 0:
        diagnostics.append(
            Diagnostic(
                "PM106",
                f"the {table.total_neg:g} known negatives are a separate sample in case_control "
                "and are not used by the correction, which compares positives with the unlabeled; "
                "the bounds can use them (basis='negatives').",
            )
        )
    return PriorRange(value, low, high, purity, tuple(diagnostics))


def _prior_of_labels(table: ScoreTable, purity: float) -> float:
    if table.total_unl > 0:
        raise PriorError(
            f"prior is missing, and {table.total_unl:g} rows are unlabeled. Pass the share of "
            "positives in the population as a number, an interval (low, high), or an estimate "
            "from estimate_prior."
        )
    return purity * table.total_pos / table.total


def _check_limits(table: ScoreTable, prior: float, purity: float) -> float:
    low, high = prior_limits(table, purity)
    if prior < low - _SLACK:
        raise PriorError(
            f"prior={prior:g} is impossible: in scenario 'single_training_set' "
            f"{purity * table.total_pos:g} of {table.total:g} rows ({low:.4g}) are already labelled "
            f"positive. Pass prior >= {low:.4g}, or scenario='case_control' if the unlabeled rows "
            "were drawn separately."
        )
    if prior > high + _SLACK:
        raise PriorError(
            f"prior={prior:g} is impossible: {table.total_neg:g} of {table.total:g} rows are known "
            f"negatives, so at most {high:.4g} can be positive. Pass prior <= {high:.4g}."
        )
    return min(max(prior, low), high)


def _cut_to_limits(
    table: ScoreTable, low: float, high: float, purity: float, diagnostics: list[Diagnostic]
) -> tuple[float, float]:
    """Cut the interval of an estimate, unlike one that the user typed, to what is possible."""
    smallest, largest = prior_limits(table, purity)
    largest = min(largest, purity - 1e-6)
    if high < smallest - _SLACK or low > largest + _SLACK:
        _check_limits(table, high if high < smallest else low, purity)
    cut = min(max(low, smallest), largest), min(max(high, smallest), largest)
    if cut != (low, high):
        diagnostics.append(
            Diagnostic(
                "PM108",
                f"the estimated prior's interval {low:.4g} to {high:.4g} was cut to "
                f"{cut[0]:.4g} to {cut[1]:.4g}, the part that the label counts allow.",
            )
        )
    return cut


def _check_estimate(table: ScoreTable, estimate: PriorEstimate) -> None:
    check_share(estimate.prior, "the estimated prior")
    for end in estimate.interval or ():
        check_share(end, "an end of the estimated prior's interval")
    if estimate.scenario is not None and estimate.scenario != table.scenario:
        raise ScenarioError(
            f"The prior was estimated for scenario {estimate.scenario!r}, but the table is "
            f"{table.scenario!r}, where the prior means another share. Estimate it on such a table."
        )


def _is_pair(prior: Any) -> bool:
    single = isinstance(prior, np.ndarray) and prior.ndim == 0
    if single or isinstance(prior, str | set | frozenset | dict) or not hasattr(prior, "__len__"):
        return False
    if len(prior) != 2:
        raise PriorError(
            f"prior={shown(prior)} has {len(prior)} values. Pass a number or (low, high)."
        )
    return True
