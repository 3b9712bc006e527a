"""`JointTable`: several models scored on the same rows, for paired comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.checking.arguments import shown
from puremetrics.checking.columns import as_propensities, as_scores, check_same_length
from puremetrics.checking.groups import as_groups
from puremetrics.checking.labels import label_masks
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.numerics.sorting import order_of
from puremetrics.scenarios import Scenario, check_scenario
from puremetrics.tables.clusters import Units, units_of
from puremetrics.tables.score_table import ScoreTable

__all__ = ["JointTable", "places_among"]

_ENOUGH = 1_000_000  # unlabeled rows of which sums of squares are known well enough


@dataclass(frozen=True, eq=False, repr=False)
class JointTable:
    """One `ScoreTable` per model, and for every row where it stands in each of them.

    Attributes
    ----------
    tables : dict of str to ScoreTable
        In the order given.
    kind : ndarray of int8, shape (n,)
        0 for labelled positives, 1 for unlabeled rows, 2 for known negatives.
    scores : dict of str to ndarray, shape (n,)
        The scores, row by row.
    weight : ndarray, shape (n,), or None
        Inverse propensities of the labelled rows, scaled to a mean of 1, and 1 for other rows.
    units : Units or None
        Which rows belong together, if some do.
    stands_for : float
        How many unlabeled rows of the tables each unlabeled row here stands for; 1 unless some were drawn.

    Examples
    --------
    >>> joint = JointTable.from_arrays(
    ...     [1, 1, 0, 0], {"a": [4, 3, 2, 1], "b": [4, 1, 3, 2]}, scenario="case_control")
    >>> list(joint), joint["a"].total_pos
    (['a', 'b'], 2.0)
    """

    tables: dict[str, ScoreTable]
    kind: npt.NDArray[np.int8]
    scores: dict[str, FloatArray]
    weight: FloatArray | None = None
    units: Units | None = None
    stands_for: float = 1.0

    @classmethod
    def from_arrays(
        cls,
        y: Any,
        scores: Mapping[str, Any],
        *,
        scenario: Scenario,
        propensity: Any = None,
        groups: Any = None,
        pos_label: Any = 1,
        unlabeled_label: Any = 0,
        neg_label: Any = None,
    ) -> JointTable:
        """Build it from one label per row and one score per row and model.

        ``propensity`` and ``groups`` are those of `ScoreTable.from_arrays`, the same for all models.
        """
        scenario = check_scenario(scenario)
        if not isinstance(scores, Mapping) or len(scores) < 2:
            raise InputError(
                "scores must map at least two model names to their scores, such as {'a': …, 'b': …}."
            )
        positive, unlabeled, _ = label_masks(y, pos_label, unlabeled_label, neg_label)
        kind = np.full(positive.size, 2, dtype=np.int8)
        kind[positive], kind[unlabeled] = 0, 1
        labels = {"pos_label": 0, "unlabeled_label": 1, "neg_label": 2}
        chance = weight = None
        if propensity is not None:
            chance = as_propensities(propensity, positive)
            weight = np.where(positive, 1 / chance, 1.0)
            weight[positive] /= max(float(weight[positive].mean()), 1.0) if positive.any() else 1.0
            weight.flags.writeable = False
        names = None if groups is None else as_groups(groups, kind.size)
        tables, columns = {}, {}
        for name, values in scores.items():
            column = as_scores(values, f"scores[{name!r}]").copy()
            check_same_length(kind.size, column.size, f"y and scores[{name!r}]")
            column += 0.0
            column.flags.writeable = False
            tables[str(name)] = ScoreTable.from_arrays(
                kind, column, scenario=scenario, propensity=chance, groups=names, **labels
            )
            columns[str(name)] = column
        kind.flags.writeable = False
        return cls(tables, kind, columns, weight, None if names is None else units_of(names))

    def tilted(self, factor: FloatArray) -> JointTable:
        """Return the models on the same rows, the labelled ones weighted by a factor as by a propensity."""
        labelled = self.kind == 0
        own = factor[labelled] if self.weight is None else (self.weight * factor)[labelled]
        own = own / own.mean()
        weight = np.ones(self.kind.size)
        weight[labelled] = own
        weight.flags.writeable = False
        tables = {}
        for name, table in self.tables.items():
            place = self.whole_places[name][labelled]
            sums, squares = (
                np.bincount(place, weights=part, minlength=table.score.size).astype(np.float64)
                for part in (own, own**2)
            )
            tables[name] = table.with_propensities((sums, squares, sums))
        made = JointTable(tables, self.kind, self.scores, weight, self.units)
        made.__dict__.update(places=self.places, whole_places=self.whole_places)  # the same rows
        return made

    @cached_property
    def fewer(self) -> JointTable:
        """These tables with about a million of the unlabeled rows, drawn at random, if there are far more.

        Sums of squares over unlabeled rows are known from a million of them to a few parts in a thousand.
        """
        unlabeled = self.kind == 1
        size = int(np.count_nonzero(unlabeled))
        if size <= 2 * _ENOUGH or not self.independent:
            return self
        kept = np.random.default_rng(0).random(self.kind.size, dtype=np.float32) < _ENOUGH / size
        kept |= ~unlabeled
        scores = {name: column[kept] for name, column in self.scores.items()}
        weight = None if self.weight is None else self.weight[kept]
        kind = self.kind[kept]
        each = size / max(int(np.count_nonzero(kind == 1)), 1)
        return JointTable(self.tables, kind, scores, weight, None, each)

    @property
    def group(self) -> npt.NDArray[np.int8]:
        """The old name of ``kind``, from before "group" meant rows that belong together."""
        return self.kind

    @property
    def independent(self) -> bool:
        """Whether no two rows belong to one group."""
        return self.units is None or self.units.alone

    @property
    def scenario(self) -> Scenario:
        """How the data arose."""
        return next(iter(self.tables.values())).scenario

    @cached_property
    def places(self) -> dict[str, npt.NDArray[np.intp]]:
        """For every row, its row in the cut table of each model."""
        return {
            name: places_among(table.cut().score, self.scores[name])
            for name, table in self.tables.items()
        }

    @cached_property
    def whole_places(self) -> dict[str, npt.NDArray[np.intp]]:
        """For every row, its row in the table of each model."""
        return {
            name: places_among(table.score, self.scores[name])
            for name, table in self.tables.items()
        }

    def __getitem__(self, name: str) -> ScoreTable:
        if not isinstance(name, str) or name not in self.tables:
            raise InputError(
                f"There is no model {shown(name)}. Name one of {', '.join(self.tables)}."
            )
        return self.tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def __str__(self) -> str:
        first = next(iter(self.tables.values()))
        return f"{len(self)} models ({', '.join(self)}) on the same rows: {first}"

    def __repr__(self) -> str:
        return f"<JointTable: {len(self)} models ({', '.join(list(self)[:5])}) on {self.kind.size} rows>"


def places_among(falling: FloatArray, scores: FloatArray) -> npt.NDArray[np.intp]:
    """Where scores stand among falling ones; asked in order, which spares the cache."""
    order = order_of(scores)
    found = np.empty(scores.size, dtype=np.intp)
    found[order] = np.searchsorted(-falling, -scores[order], side="left")
    return found
