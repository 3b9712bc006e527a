"""Several models and one audit: sums over positives of what depends on the scores of all of them.

Rows are counted one by one, since no single score orders them. Cells and forecast are those of one model: the
one that rows were drawn by, else the first. What is summed may be a difference of two models, so that errors
they share cancel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from puremetrics.auditing.audit import Audit, check_audit
from puremetrics.auditing.audited import Audited
from puremetrics.auditing.pieces import Pieces, Total
from puremetrics.auditing.spreading import spread_positives
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.setting import PurityLike
from puremetrics.tables.joint import JointTable

__all__ = ["Paired"]


@dataclass(frozen=True, eq=False)
class Paired:
    """Models on the same rows with an audit of these rows."""

    joint: JointTable
    models: Mapping[str, Audited]
    leading: str

    @classmethod
    def of(cls, joint: JointTable, audit: Audit, purity: PurityLike, level: float) -> Paired:
        """Check that the audit belongs to the rows and knows the scores of all models."""
        checked = check_audit(audit)
        missing = [name for name in joint if name not in checked.scores]
        if missing:
            raise InputError(
                f"The audit has no scores of {', '.join(map(repr, missing))}. A comparison needs the scores "
                "of the checked rows by every model: plan.draw(y, {'a': …, 'b': …}), or "
                "Audit.from_arrays({'a': …, 'b': …}, positive)."
            )
        models = {
            name: Audited.of(table, checked, purity, level, name)
            for name, table in joint.tables.items()
        }
        strata = checked.strata
        leading = (
            strata.model if strata is not None and strata.model in models else next(iter(joint))
        )
        return cls(joint, models, leading)

    def with_level(self, level: float) -> Paired:
        """The same at another confidence level."""
        made = {name: replace(model, level=level) for name, model in self.models.items()}
        return replace(self, models=made)

    def at_purities(self) -> list[Paired]:
        """The same with the purity at each of its ends; nothing if it is known or does not matter."""
        ends = zip(*(model.at_purities() for model in self.models.values()), strict=True)
        return [
            replace(self, models=dict(zip(self.models, models, strict=True))) for models in ends
        ]

    @property
    def base(self) -> Audited:
        """The model that cells and forecast are from."""
        return self.models[self.leading]

    @cached_property
    def unlabeled(self) -> Any:
        """Which rows are unlabeled."""
        return self.joint.group == 1

    def unlabeled_scores(self, name: str) -> FloatArray:
        """Their scores by a model."""
        return np.asarray(self.joint.scores[name][self.unlabeled])

    @cached_property
    def _cell_of_rows(self) -> Any:
        return np.searchsorted(self.base.edges, self.unlabeled_scores(self.leading), side="right")

    @cached_property
    def _rate_of_rows(self) -> FloatArray:
        return np.asarray(self.base.forecast.at(self.unlabeled_scores(self.leading)))

    def total(self, values: FloatArray, at_checked: FloatArray, split: Any = None) -> Total:
        """Σ values over the positives among the unlabeled rows.

        ``split`` cuts cells once more: a small whole number for each unlabeled row, and for each checked one.
        """
        cell, checked = self._cell_of_rows, self.base.cells
        if split is not None:
            most = int(split[0].max(initial=0)) + 1
            cell, checked = most * cell + split[0], most * checked + split[1]
        ones, none = np.ones(values.size), np.zeros(values.size)
        pieces = Pieces(np.empty(0), cell, ones, none, none, self._rate_of_rows)
        return self.base.total(pieces, checked, values, (values, values), at_checked)

    # ---------------------------------------------------------------- rows of the population

    @cached_property
    def counts(self) -> FloatArray:
        """1 for rows of the population, 0 for labelled rows that are none of it."""
        inside = np.array(
            [float(used) for used in self.base.design.compared(self.base.table.totals)]
        )
        return inside[self.joint.group]

    @property
    def size(self) -> float:
        """Rows of the population."""
        return float(self.counts.sum())

    @cached_property
    def known(self) -> FloatArray:
        """How much of each row counts as a positive that was labelled."""
        purity = self.base.purity[0]
        return np.where(self.joint.group == 0, purity * self.counts, 0.0)

    @cached_property
    def mass(self) -> FloatArray:
        """How much of each row counts as a positive, as the leading model's scores tell."""
        pieces, rates = spread_positives(self.base)
        at = np.searchsorted(pieces.edges, self.unlabeled_scores(self.leading), side="right")
        found = self.known.copy()
        found[self.unlabeled] = rates[at]
        return found

    def by_rows(self, values: FloatArray, others: FloatArray) -> float:
        """Standard error of a sum over rows: ``others`` of each, and ``values`` more if it is positive."""
        positive, rest = self.mass, np.maximum(self.counts - self.mass, 0.0)
        mean = (positive @ (values + others) + rest @ others) / self.size
        apart = positive @ (values + others - mean) ** 2 + rest @ (others - mean) ** 2
        return float(np.sqrt(apart))
