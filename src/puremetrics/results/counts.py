"""Confusion matrices along thresholds, and bounds of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.formulas import find_formula
from puremetrics.results.protocol import Columns, Result
from puremetrics.results.words import number, percent

__all__ = ["ConfusionBounds", "ConfusionCounts"]


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionCounts(Result):
    """Confusion matrices along thresholds.

    Counts refer to the population of the scenario: all rows in a single training set, the
    unlabeled rows in case-control. They are estimates, hence not whole numbers; as the correction gives
    them they need not lie inside their range either (`possible`).
    """

    threshold: FloatArray
    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    tn: FloatArray
    diagnostics: tuple[Diagnostic, ...] = ()

    def possible(self) -> ConfusionCounts:
        """Return the counts moved into their range, with the same numbers of positives and negatives."""
        positives, negatives = self.tp + self.fn, self.fp + self.tn
        tp, fp = np.clip(self.tp, 0.0, positives), np.clip(self.fp, 0.0, negatives)
        return replace(self, tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)

    def metric(self, name: str, **options: float) -> FloatArray:
        """Return any metric at every threshold; NaN where it is 0/0."""
        formula, checked = find_formula(name, dict(options))
        return formula(self.tp, self.fp, self.fn, self.tn, **checked)

    def frame(self) -> Columns:
        """Return the columns threshold, tp, fp, fn and tn."""
        return {
            "threshold": self.threshold,
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
            "tn": self.tn,
        }

    def __str__(self) -> str:
        size = float(self.tp[-1] + self.fp[-1])
        lines = [f"Confusion matrices of {number(size)} rows at {self.threshold.size} thresholds"]
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionBounds(Result):
    """Contingency tables that bound the truth: ``upper`` has the lowest false positive rate."""

    lower: ConfusionCounts
    upper: ConfusionCounts
    level: float
    band: str
    basis: str
    diagnostics: tuple[Diagnostic, ...] = ()

    def frame(self) -> Columns:
        """Return the threshold, and both tables' entries as ``tp_low``, ``tp_high`` and so on."""
        columns: Columns = {"threshold": self.lower.threshold}
        for name in ("tp", "fp", "fn", "tn"):
            ends = getattr(self.lower, name), getattr(self.upper, name)
            columns |= {f"{name}_low": np.minimum(*ends), f"{name}_high": np.maximum(*ends)}
        return columns

    def __str__(self) -> str:
        return (
            f"Bounds of the confusion matrix at {self.lower.threshold.size} thresholds\n"
            f"  {percent(self.level)} confidence at each; band {self.band!r}, basis {self.basis!r}"
        )
