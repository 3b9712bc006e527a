"""Estimates, of a statistic and of the class prior: a number, its interval, and everything it assumes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.results.curve import Curve
from puremetrics.results.picture import Drawing
from puremetrics.results.protocol import (
    Columns,
    Interval,
    Result,
    Trust,
    in_groups,
    json_ready,
    number,
    percent,
)
from puremetrics.scenarios import Scenario

__all__ = ["Described", "Estimate", "Named", "Pair", "Place", "PriorEstimate", "RowEffects"]

Pair = tuple[float, float]  # a prior, and a purity of the labels


class Place(NamedTuple):
    """A pair of prior and purity that may be the true one, and what errors may have moved it.

    Each of the independent ``errors`` is the set of pairs between its limits.
    """

    pair: Pair
    errors: tuple[tuple[Pair, ...], ...] = ()


class RowEffects(NamedTuple):
    """What one row more in each range of scores, from the highest down, does to an estimated prior.

    ``labelled`` and ``unlabeled`` are the rows of each range, by which the scores are known again; the
    effects are up to a constant and a factor.
    """

    labelled: FloatArray
    unlabeled: FloatArray
    of_labelled: FloatArray
    of_unlabeled: FloatArray


class Described(Protocol):
    """What an estimate is of: a statistic, or anything that is called like one."""

    @property
    def name(self) -> str:
        """Its name in code."""

    @property
    def title(self) -> str:
        """Its name in words."""


class Named(NamedTuple):
    """The name of a number that is no statistic of a table, such as a published one."""

    name: str
    title: str


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(Result):
    """One number with its interval and everything it assumes.

    ``float(estimate)`` is the value. ``curve`` is the curve that a value summarises, where there
    is one: its area is the value. ``bracket``, where a reader had to put scores into buckets, is sure to
    contain the value that the rows themselves would give. ``raw``, where the formula can leave the range of
    the quantity, is what it gave before that was mended. ``label_bias`` is the ratio up to which labels may
    favour some positives, and ``bias_range`` what that leaves open however many rows there are.
    ``n_checked`` is the number of checked rows that it rests on, if there was an audit. ``n_groups`` is that
    of the groups of rows, and ``design_effect`` how many times the variance of independent rows they have.
    ``top`` is the number of rows at the top of the list that it is about. ``evidence`` is a table of what
    each kind of evidence says of it, where some was passed; it is computed when asked for.
    """

    name: str
    title: str
    value: float
    interval: Interval | None
    standard_error: float | None
    method: str
    scenario: Scenario
    prior: float | None = None
    unlabeled_share: float | None = None
    purity: float | None = None
    threshold: float | None = None
    curve: Curve | None = field(default=None, repr=False, compare=False)
    diagnostics: tuple[Diagnostic, ...] = ()
    bracket: Interval | None = None
    raw: float | None = None
    label_bias: float = 1.0
    bias_range: Interval | None = None
    n_checked: int | None = None
    n_groups: int | None = None
    design_effect: float | None = None
    top: float | None = None
    make_evidence: Callable[[], Result] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def evidence(self) -> Any:
        """What each kind of evidence says of it; None if it rests on labels and a prior alone."""
        return None if self.make_evidence is None else self.make_evidence()

    @classmethod
    def of(
        cls,
        statistic: Described,
        value: float,
        interval: Interval | None,
        assumed: Mapping[str, Any],
        **found: Any,
    ) -> Self:
        """Fill in an estimate of a statistic, with what is assumed and what else was found.

        ``assumed`` is what `Setting.told` gives. Every estimate is made here.
        """
        named = {"name": statistic.name, "title": statistic.title, "standard_error": None}
        return cls(**{**named, "value": value, "interval": interval, **assumed, **found})

    @property
    def low(self) -> float:
        """The lower end of the interval; NaN if there is none."""
        return np.nan if self.interval is None else self.interval.low

    @property
    def high(self) -> float:
        """The upper end of the interval; NaN if there is none."""
        return np.nan if self.interval is None else self.interval.high

    def __float__(self) -> float:
        return self.value

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else str(self)

    def frame(self) -> Columns:
        """Return one row: name, value, ends of the interval, standard error and threshold."""
        low, high = self.interval or (np.nan, np.nan)
        numbers = {
            "value": self.value,
            "low": low,
            "high": high,
            "standard_error": self.standard_error,
            "threshold": self.threshold,
        }
        columns = {key: np.array([value], dtype=np.float64) for key, value in numbers.items()}
        return {"name": np.array([self.name]), **columns}

    def __str__(self) -> str:
        at = "" if self.threshold is None else f" at score >= {self.threshold:g}"
        if self.top is not None:
            at = f" in the first {self.top:.6g} rows"
        lines = [f"{self.title}{at}: {number(self.value)}"]
        if self.interval is not None:
            lines[0] += f", {self.interval.words()}"
        assumed: list[str] = [self.scenario]
        if self.prior is not None:
            assumed.append(f"prior {number(self.prior)}")
        if self.unlabeled_share is not None and self.unlabeled_share != self.prior:
            assumed.append(f"share of positives among the unlabeled {number(self.unlabeled_share)}")
        if self.purity is not None:
            assumed.append(f"purity of the labels {number(self.purity)}")
        if self.label_bias > 1:
            assumed.append(f"label bias up to {number(self.label_bias)}")
        if self.make_evidence is not None:
            lines.append(f"  from the evidence that was passed; {', '.join(assumed)}")
        elif self.n_checked is None:
            lines.append(f"  assumes {', '.join(assumed)}; method {self.method!r}")
        else:
            lines.append(
                f"  based on {self.n_checked} checked rows; assumes neither a prior nor random labels; "
                + ", ".join(assumed)
            )
        lines += in_groups(self.n_groups, self.design_effect)
        if self.bias_range is not None:
            low, high = self.bias_range
            lines.append(
                f"  such a bias leaves {number(low)} to {number(high)} open, without sampling error"
            )
        if self.bracket is not None:
            least, most = self.bracket
            lines.append(
                f"  scores were put into buckets: the exact value lies between {least:.6f} and {most:.6f}"
            )
        lines += [f"  {diagnostic}" for diagnostic in self.diagnostics]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON; the curve is left out."""
        own = [
            field.name
            for field in fields(Estimate)
            if field.name not in ("title", "curve", "make_evidence")
        ]
        ready: dict[str, Any] = json_ready({name: getattr(self, name) for name in own})
        return ready


@dataclass(frozen=True, eq=False, repr=False)
class PriorEstimate(Result):
    """An estimate of the class prior, with its interval; wherever a prior is taken, so is this.

    Attributes
    ----------
    prior : float
        P(y = 1) in the population of the scenario: of an estimate from scores, what is likely.
    interval : Interval or None
        Interval of the prior. Of the default method it allows for negatives that look like positives; where
        the purity is estimated too, for positives that look like negatives as well.
    trust : Trust or None
        How far it can be trusted, and why.
    certain : Interval or None
        What holds whatever the negatives are: from the share that is labelled already to `upper_limit`.
    separable : float or None
        The prior if no negative looked like a positive.
    lookalikes : float or None
        Share of the negatives that the lower end of ``interval`` allows to look like positives; where the
        purity is estimated too, also the share of the positives that its upper end allows to look like
        negatives.
    purity : float or None
        Share of true positives among the labelled, where it was estimated too, or given with a range.
    purity_interval : Interval or None
        Interval of the purity.
    unlabeled_share, label_frequency : float or None
        Share of positives among the unlabeled; share of positives that carry a label.
    method, status : str
        How it was estimated and what the number is ("estimate", "upper bound", …).
    scenario : str or None
        The scenario whose population the prior is about.
    upper_limit, upper_level : float or None
        The largest prior that the data allow, at that confidence, whatever the negatives.
    grid, objective : ndarray or None
        Candidates and what was compared at each, for a plot: shares among the unlabeled, or for
        "best_bin" and "slope" the share of the labelled above each threshold.
    region : ndarray, shape (k, 2), or None
        Pairs of prior and purity that are possible together, where both are uncertain.
    open_range : Interval or None
        The part of ``interval`` that no number of rows would narrow: what look-alikes leave open. The rest
        of it is sampling error. None if all of it is.
    places : tuple of Place
        The same where the purity is uncertain too: pairs that may be true, and what errors may have
        moved each.
    of_rows : float or None
        How many rows it is the share of positives of, if it is that of rows at hand: as a share of the
        population, which statistics are about, it has their sampling error, too.
    row_effects : RowEffects or None
        How the estimate follows the rows that it was read off. Statistics of the same scores err together
        with it, which makes their intervals shorter.
    n_groups, design_effect : int and float, or None
        Groups that the rows belong to, and the largest factor by which they raise the variance of a share.
    """

    prior: float
    interval: Interval | None = None
    purity: float | None = None
    unlabeled_share: float | None = None
    label_frequency: float | None = None
    method: str = "given"
    status: str = "estimate"
    diagnostics: tuple[Diagnostic, ...] = ()
    scenario: Scenario | None = None
    upper_limit: float | None = None
    upper_level: float | None = None
    grid: FloatArray | None = field(default=None, repr=False, compare=False)
    objective: FloatArray | None = field(default=None, repr=False, compare=False)
    purity_interval: Interval | None = None
    trust: Trust | None = None
    certain: Interval | None = None
    separable: float | None = None
    lookalikes: float | None = None
    region: FloatArray | None = field(default=None, repr=False, compare=False)
    n_groups: int | None = None
    design_effect: float | None = None
    open_range: Interval | None = None
    places: tuple[Place, ...] = field(default=(), repr=False, compare=False)
    of_rows: float | None = None
    row_effects: RowEffects | None = field(default=None, repr=False, compare=False)
    make_evidence: Callable[[], Result] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def evidence(self) -> Any:
        """What each kind of evidence says of it; None of other estimates."""
        return None if self.make_evidence is None else self.make_evidence()

    def __float__(self) -> float:
        return self.prior

    def __str__(self) -> str:
        lines = [f"Prior: {number(self.prior)}"]
        if self.interval is not None:
            lines[0] += f", {self.interval.words()}"
        if self.purity is not None:
            lines[0] += f"; purity of the labels {number(self.purity)}"
            if self.purity_interval is not None:
                lines[0] += f" ({self.purity_interval:.4f})"
        known = [] if self.scenario is None else [str(self.scenario)]
        if self.unlabeled_share is not None and self.unlabeled_share != self.prior:
            known.append(f"share of positives among the unlabeled {number(self.unlabeled_share)}")
        if self.trust is not None:
            lines.insert(0, f"{self.trust}")
        if self.separable is not None:
            lines.append(f"  {number(self.separable)} if no negative looks like a positive")
        if self.upper_limit is not None and self.upper_level is not None:
            confidence = percent(self.upper_level)
            least = "" if self.certain is None else f"at least {number(self.certain.low)}, "
            lines.append(
                f"  {least}at most {number(self.upper_limit)} with {confidence} confidence, whatever the "
                "negatives are"
            )
        lines += in_groups(self.n_groups, self.design_effect)
        lines.append("  " + "; ".join([*known, f"method {self.method!r}", self.status]))
        lines += [f"  {diagnostic}" for diagnostic in self.diagnostics]
        return "\n".join(lines)

    def _drawing(self) -> Drawing:
        share, objective = self.frame().values()
        lines = {"objective": (share, objective)}
        if self.method in (
            "best_bin",
            "slope",
        ):  # what the head above a threshold says of the share
            return Drawing(
                "share of the labelled above a threshold", "objective", lines, ends=(0.0, 1.0)
            )
        title = "share of positives among the unlabeled"
        return Drawing(title, "objective", lines, mark=self.unlabeled_share)

    def frame(self) -> Columns:
        """Return the objective curve that a plot draws; the answer sits at ``unlabeled_share``."""
        if self.grid is None or self.objective is None:
            return {"share": np.empty(0), "objective": np.empty(0)}
        return {"share": self.grid, "objective": self.objective}

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON; the objective's curve is left out."""
        found = self._values()
        for name in ("grid", "objective", "region", "places", "row_effects"):
            del found[name]
        ready: dict[str, Any] = json_ready(found)
        return ready
