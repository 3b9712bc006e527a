"""An estimate of the class prior."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
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

__all__ = ["PriorEstimate"]


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
        Pairs of prior and purity that are possible together, where both are uncertain: every result
        made from this estimate covers all of them.
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

    def frame(self) -> Columns:
        """Return the objective curve that a plot draws; the answer sits at ``unlabeled_share``."""
        if self.grid is None or self.objective is None:
            return {"share": np.empty(0), "objective": np.empty(0)}
        return {"share": self.grid, "objective": self.objective}

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON; the objective's curve is left out."""
        found = self._values()
        for name in ("grid", "objective", "region"):
            del found[name]
        ready: dict[str, Any] = json_ready(found)
        return ready
