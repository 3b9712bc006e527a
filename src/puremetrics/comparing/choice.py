"""`ThresholdChoice`: a threshold that was chosen, and what it achieves."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from puremetrics.exceptions import Diagnostic
from puremetrics.results import Columns, Estimate, Result

__all__ = ["ThresholdChoice"]


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
        lines.append(f"  before the correction for having chosen: {self.apparent:.4f}")
        lines += [f"  {name} there: {value:.4f}" for name, value in self.limits.items()]
        return "\n".join(lines)
