"""Evidence that somebody states: labels at random, a prior from elsewhere, negatives that are known.

`RandomLabels` says that labelled rows are a random sample of the positives: the *shape* of the positives
over the scores, not how many there are. Up to a label bias Γ, positives in some ranges may have been labelled
up to Γ times as readily as in others; which ranges is left open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from puremetrics.checking.arguments import check_number, shown
from puremetrics.checking.types import FloatArray
from puremetrics.evidence.fit import Term
from puremetrics.evidence.ground import Ground
from puremetrics.evidence.kind import Evidence, as_range
from puremetrics.evidence.terms import Given, Labelled
from puremetrics.exceptions import InputError, PriorError, UnsupportedError
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.results import Interval, PriorEstimate
from puremetrics.results.protocol import number
from puremetrics.tables.score_table import ScoreTable

__all__ = ["KnownNegatives", "PublishedPrior", "RandomLabels", "as_prior_evidence"]

_CUTS = (0.25, 0.5, 0.75)  # quantiles of the labelled rows at which their chances may step
_MOST_BIAS = 1e6
_TOWARDS_MIDDLE = 3.0  # half lengths of a range: standard error of its middle
_EXACT = 1e-6  # relative error of a prior that is taken as known


@dataclass(frozen=True, eq=False, repr=False)
class RandomLabels(Evidence):
    """The labelled rows are a random sample of the positives, up to a bias.

    Attributes
    ----------
    label_bias : float, default 1
        How many times as likely to be labelled some positives may be as others.
    """

    label_bias: float = 1.0
    step: tuple[float, float] | None = (
        None  # beyond which quantile chances are so many times as large
    )

    def __post_init__(self) -> None:
        if not check_number(self.label_bias, "label_bias") >= 1:
            raise InputError(
                f"label_bias={shown(self.label_bias)} must be 1 (labels at random) or more: it is a ratio of "
                "chances."
            )
        if self.label_bias > _MOST_BIAS:
            raise InputError(
                f"label_bias={shown(self.label_bias)} is so large that labels say nothing of where positives "
                "are. Leave RandomLabels out."
            )
        super().__post_init__()

    @property
    def title(self) -> str:
        return (
            "random labels"
            if self.label_bias == 1
            else f"labels with a bias up to {self.label_bias:g}"
        )

    @property
    def assumes(self) -> str:
        if self.label_bias == 1:
            return "labelled rows are a random sample of the positives"
        return f"no positives are more than {self.label_bias:g} times as likely to be labelled as others"

    def check(self, table: ScoreTable) -> None:
        if table.total_pos <= 0:
            raise InputError(
                "There are no labelled rows, so RandomLabels says nothing. Leave it out."
            )

    def cases(self) -> tuple[RandomLabels, ...]:
        if self.label_bias == 1:
            return (self,)
        ways = (self.label_bias, 1 / self.label_bias)
        cuts = (*_CUTS, np.nan)  # NaN stands for the threshold
        return (self, *(replace(self, step=(cut, way)) for cut in cuts for way in ways))

    def information(self, ground: Ground) -> FloatArray:
        return 0.5 * ground.labelled

    def terms(self, ground: Ground, corrected: bool) -> list[Term]:
        group = ground.piece_below_top
        found = np.bincount(group, ground.labelled).astype(np.float64)
        return [Labelled(group, ground.rows * self._favoured(ground), found)]

    def _favoured(self, ground: Ground) -> Any:
        """Odds of a label in each cell, over those of the lowest."""
        if self.step is None:
            return 1.0
        cut, times = self.step
        labelled = ground.along(ground.labelled)
        if np.isnan(cut):
            view = next(iter(ground.views.values()))
            high = view.above[view.cell]
        else:
            high = (np.cumsum(labelled) >= cut * labelled.sum())[ground.axis]
        return np.where(high, times, 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class PublishedPrior(Evidence):
    """The share of positives in the population, from elsewhere: a registry, a survey, an earlier study.

    Attributes
    ----------
    value : float
    error : float, optional
        Its standard error.
    interval : (low, high), optional
        Its 95% interval, in place of the error.

    Examples
    --------
    >>> print(PublishedPrior(0.12, interval=(0.10, 0.15)))
    a published prior of 0.12 (0.1 to 0.15)
      right if the rows are a sample of the population that it was measured in
    """

    value: float
    error: float | None = None
    interval: tuple[float, float] | None = None
    open_range: bool = (
        False  # whether the prior may be anywhere in the interval, which has no error
    )

    def __post_init__(self) -> None:
        if isinstance(
            self.interval, list | np.ndarray
        ):  # which is the caller's, and would be frozen
            object.__setattr__(self, "interval", tuple(self.interval))
        if not 0 <= check_number(self.value, "value") <= 1:
            raise PriorError(f"value={shown(self.value)} must be a share between 0 and 1.")
        if (self.error is None) == (self.interval is None):
            raise InputError(
                "PublishedPrior takes error=… (a standard error) or interval=(low, high) (of 95%): pass one "
                "of them. A prior that is known without error is prior=…."
            )
        if self.error is not None and not check_number(self.error, "error") > 0:
            raise InputError(f"error={shown(self.error)} must be a standard error above 0.")
        if self.interval is not None:
            low, high = as_range(self.interval, "interval", 0.0, 1.0)
            if not low <= self.value <= high or low == high:
                raise InputError(
                    f"interval={shown(self.interval)} must hold the value {self.value:g} and have a length."
                )
            object.__setattr__(self, "interval", (low, high))
        object.__setattr__(self, "value", float(self.value))
        super().__post_init__()

    @property
    def title(self) -> str:
        if self.open_range:
            assert self.interval is not None
            return f"a prior between {number(self.interval[0])} and {number(self.interval[1])}"
        if self.error is not None and self.error <= 2 * _EXACT * max(self.value, _EXACT):
            return f"the prior {self.value:g}"
        low, high = self.range
        return f"a published prior of {self.value:g} ({low:.3g} to {high:.3g})"

    @property
    def assumes(self) -> str:
        if self.open_range or (self.error is not None and "published" not in self.title):
            return "the population of these rows has that share of positives"
        return "the rows are a sample of the population that it was measured in"

    @property
    def range(self) -> tuple[float, float]:
        """Its interval."""
        if self.interval is not None:
            return self.interval
        assert self.error is not None
        reach = normal_quantile(0.95) * self.error
        return max(self.value - reach, 0.0), min(self.value + reach, 1.0)

    def check(self, table: ScoreTable) -> None:
        least, most = (float(end) for end in table.design.prior_limits(table.totals))
        low, high = self.range
        if high < least or low > most:
            raise PriorError(
                f"The table's labels allow priors from {least:.4g} to {most:.4g}, but {self.title} was "
                "given. Check the figure, and whose share it is."
            )

    @property
    def open(self) -> bool:
        return self.open_range

    def extremes(self) -> tuple[PublishedPrior, ...]:
        if not self.open_range:
            return (self,)
        assert self.interval is not None
        return tuple(
            replace(self, value=at, interval=None, open_range=False, error=_EXACT * max(at, _EXACT))
            for at in (self.value, *self.interval)
        )

    def terms(self, ground: Ground, corrected: bool) -> list[Term]:
        known = (ground.size, ground.rows, self.value)
        if self.error is not None:
            return [Given(*known, self.error, self.error)]
        assert self.interval is not None
        least = _EXACT * max(self.value, _EXACT)
        if self.open_range:
            half = (self.interval[1] - self.interval[0]) / 2
            middle = _TOWARDS_MIDDLE * half  # where nothing else says more
            return [Given(*known, least, least, half), Given(*known, middle, middle)]
        reach = normal_quantile(0.95)
        below, above = (max(abs(self.value - end) / reach, least) for end in self.interval)
        return [Given(*known, below, above)]


@dataclass(frozen=True, eq=False, repr=False)
class KnownNegatives(Evidence):
    """The known negatives of the table are a random sample of the negatives."""

    @property
    def title(self) -> str:
        return "known negatives"

    @property
    def assumes(self) -> str:
        return "the known negatives are a random sample of the negatives"

    def check(self, table: ScoreTable) -> None:
        if table.total_neg <= 0:
            raise InputError(
                "The table has no known negatives. Name them with neg_label=…, or leave out KnownNegatives."
            )

    def information(self, ground: Ground) -> FloatArray:
        return 0.25 * ground.negative

    def terms(self, ground: Ground, corrected: bool) -> list[Term]:
        found = np.bincount(ground.piece, ground.negative).astype(np.float64)
        return [Labelled(ground.piece, ground.rows, found, negative=True)]


def as_prior_evidence(prior: Any) -> Evidence:
    """What somebody passed as a prior, as evidence beside other kinds."""
    if isinstance(prior, PriorEstimate):
        if prior.purity is not None and prior.purity < 1:
            raise UnsupportedError(
                "Evidence takes labels as right, but this prior was estimated with a purity below 1. Leave "
                "it out."
            )
        if prior.interval is None or prior.interval.width <= 0:
            return as_prior_evidence(prior.prior)
        return PublishedPrior(prior.prior, interval=(prior.interval.low, prior.interval.high))
    if isinstance(prior, tuple | list | Interval):
        low, high = as_range(tuple(prior), "prior", 0.0, 1.0)
        if low == high:
            return as_prior_evidence(low)
        return PublishedPrior((low + high) / 2, interval=(low, high), open_range=True)
    value = check_number(prior, "prior")
    return PublishedPrior(value, error=_EXACT * max(value, _EXACT))
