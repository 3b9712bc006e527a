"""`CrossEvaluation`: means over folds with their intervals, and what each fold says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.comparing.differences import Difference
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.results import Columns, Estimate, Result
from puremetrics.results.words import number

__all__ = ["CrossEvaluation"]


@dataclass(frozen=True, eq=False, repr=False)
class CrossEvaluation(Result):
    """Every statistic of every model: its mean over folds with an interval, and its value in each fold.

    Attributes
    ----------
    folds : tuple
        Names of the folds, rising.
    labelled, rows : tuple of int
        Labelled positives, and all rows, of each fold.
    estimates : dict of str to dict of str to Estimate
        By model and statistic.
    by_fold : dict of str to dict of str to ndarray
        Values of the folds, likewise. That of a small fold may lie outside the range of the quantity, or be
        NaN.
    differences : dict of str to list of Difference
        By statistic: those of every pair of models.
    """

    folds: tuple[Any, ...]
    labelled: tuple[int, ...]
    rows: tuple[int, ...]
    estimates: dict[str, dict[str, Estimate]]
    by_fold: dict[str, dict[str, FloatArray]]
    differences: dict[str, list[Difference]]
    diagnostics: tuple[Diagnostic, ...] = ()

    def __getitem__(self, statistic: str) -> Estimate:
        """The mean over folds of a statistic, if there is one model."""
        if len(self.estimates) > 1:
            raise InputError(
                f"There are {len(self.estimates)} models: name one, as in "
                f"estimates[{next(iter(self.estimates))!r}]"
                f"[{statistic!r}]."
            )
        found = next(iter(self.estimates.values()))
        if statistic not in found:
            raise InputError(f"{statistic!r} was not asked for. There are: {', '.join(found)}.")
        return found[statistic]

    def frame(self) -> Columns:
        """Return one row for each model and statistic."""
        rows = [
            (model, name, estimate)
            for model, found in self.estimates.items()
            for name, estimate in found.items()
        ]
        columns = [estimate.frame() for _, _, estimate in rows]
        numbers = {
            key: np.concatenate([column[key] for column in columns])
            for key in ("value", "low", "high", "standard_error", "threshold")
        }
        names = {"model": [row[0] for row in rows], "statistic": [row[1] for row in rows]}
        return {**{key: np.array(column) for key, column in names.items()}, **numbers}

    def fold_frame(self) -> Columns:
        """Return one row for each model, statistic and fold."""
        found: dict[str, list[Any]] = {"model": [], "statistic": [], "fold": [], "value": []}
        for model, statistics in self.by_fold.items():
            for name, values in statistics.items():
                for fold, value in zip(self.folds, values.tolist(), strict=True):
                    for key, item in zip(found, (model, name, fold, value), strict=True):
                        found[key].append(item)
        folds = np.empty(len(found["fold"]), dtype=object)
        folds[:] = found["fold"]
        return {key: folds if key == "fold" else np.array(column) for key, column in found.items()}

    def __str__(self) -> str:
        least, most = min(self.labelled), max(self.labelled)
        each = f"{least}" if least == most else f"{least} to {most}"
        lines = [
            f"{len(self.folds)} folds of {sum(self.rows)} rows, {each} labelled positives each"
        ]
        several = len(self.estimates) > 1
        for model, found in self.estimates.items():
            for name, estimate in found.items():
                at = "" if estimate.threshold is None else f" at score >= {estimate.threshold:g}"
                who = f"{model}: " if several else ""
                said = "" if estimate.interval is None else f", {estimate.interval.words()}"
                values = self.by_fold[model][name]
                known = values[np.isfinite(values)]
                spread = (
                    f"; folds {number(known.min())} to {number(known.max())}" if known.size else ""
                )
                lines.append(f"  {who}{estimate.title}{at}: {number(estimate.value)}{said}{spread}")
        for name, pairs in self.differences.items():
            lines += [f"  {name}, {difference}" for difference in pairs]
        first = next(iter(next(iter(self.estimates.values())).values()))
        if first.n_groups is not None:
            lines.append(f"  rows belong to {first.n_groups} groups, summed over all folds")
        lines += [f"  {remark}" for remark in self.diagnostics]
        return "\n".join(lines)
