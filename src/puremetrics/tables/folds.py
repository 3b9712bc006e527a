"""Rows in folds: each scored by a model of the other folds, and compared with its own fold only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.checking.columns import as_scores, check_same_length, raise_not_finite
from puremetrics.checking.groups import as_groups
from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.exceptions import InputError
from puremetrics.scenarios import (
    KNOWN_ROWS,
    SINGLE_TRAINING_SET,
    Scenario,
    check_scenario,
    design_of,
)
from puremetrics.tables.clusters import Clusters, Units, units_of
from puremetrics.tables.joint import JointTable
from puremetrics.tables.score_table import ScoreTable
from puremetrics.tables.segments import KINDS, Kinds, Places, places_of, read_kinds

__all__ = ["Folds"]

_ROUNDING = 1e-9  # of weights


@dataclass(frozen=True, eq=False)
class Folds:
    """Labels, scores by all models, and the fold of every row.

    Attributes
    ----------
    names : list
        Of the folds, rising.
    place : ndarray, shape (n,)
        Fold of each row.
    kind : ndarray of int8, shape (n,)
        0 for labelled positives, 1 for unlabeled rows, 2 for known negatives.
    scores : dict of str to ndarray
        By model.
    group : ndarray or None
        Names of the groups that rows belong to.
    """

    names: list[Any]
    place: Places
    kind: Kinds
    scores: dict[str, FloatArray]
    group: npt.NDArray[Any] | None
    scenario: Scenario

    @classmethod
    def read(
        cls, y: Any, score: Any, fold: Any, groups: Any, scenario: Any, labels: dict[str, Any]
    ) -> Folds:
        """Check what a user gives."""
        scenario = check_scenario(scenario)
        kind = read_kinds(y, labels)
        given = score if isinstance(score, Mapping) else {"model": score}
        if not given:
            raise InputError("score is empty. Pass the scores, or {'a': …, 'b': …}.")
        scores = {}
        for name, values in given.items():
            title = f"score[{name!r}]" if isinstance(score, Mapping) else "score"
            column = as_scores(values, title) + 0.0
            check_same_length(kind.size, column.size, f"y and {title}")
            if not np.isfinite(column).all():
                raise_not_finite(column, title)
            scores[str(name)] = column
        names, place = places_of(fold, kind.size, "fold")
        group = None if groups is None else as_groups(groups, kind.size)
        made = cls(names, place, kind, scores, group, scenario)
        made._check_filled()
        return made

    def _check_filled(self) -> None:
        """Every fold needs rows of both samples."""
        for number, name in enumerate(self.names):
            kinds = self.kind[self.place == number]
            lacking = []
            if not (kinds == 0).any():
                lacking.append("no labelled positive")
            if not self.compared[kinds[kinds > 0]].any():
                lacking.append("nothing to compare positives with")
            if lacking:
                raise InputError(
                    f"Fold {name!r} has {kinds.size} rows with {' and '.join(lacking)}, so nothing can be "
                    "said about it. Use fewer folds, or stratified ones (StratifiedKFold, "
                    "StratifiedGroupKFold), so that each has its share of the labels."
                )

    @property
    def compared(self) -> BoolArray:
        """Which kinds of rows make up the comparison sample."""
        known = self.totals[1] == 0 and self.scenario == SINGLE_TRAINING_SET.name
        design = KNOWN_ROWS if known else design_of(self.scenario)
        return np.array(design.compared(self.totals))

    @cached_property
    def totals(self) -> tuple[int, int, int]:
        """Numbers of labelled, unlabeled and negative rows."""
        counts = np.bincount(self.kind, minlength=3)
        return int(counts[0]), int(counts[1]), int(counts[2])

    @cached_property
    def units(self) -> Units | None:
        """Which rows belong together, if some do."""
        return None if self.group is None else units_of(self.group)

    @cached_property
    def members(self) -> list[Places]:
        """Rows of each fold."""
        return [np.flatnonzero(self.place == number) for number in range(len(self.names))]

    @cached_property
    def together(self) -> ScoreTable:
        """A table of all rows that knows their numbers and groups, and no scores."""
        pos, unl, neg = ([count] for count in self.totals)
        table = ScoreTable.from_counts(
            [0.0], n_pos=pos, n_unl=unl, n_neg=neg, scenario=self.scenario
        )
        if self.units is None:
            return table
        kinds = (self.kind == 0, self.kind == 1, self.kind == 2)
        one_cell = np.zeros(0)
        clusters = Clusters.counted(self.units, np.zeros(self.kind.size), one_cell, kinds)
        return replace(table, clusters=clusters)

    @cached_property
    def rows(self) -> JointTable:
        """All rows, with their kinds and groups only."""
        return JointTable({}, self.kind, {}, None, self.units)

    @cached_property
    def joints(self) -> list[JointTable]:
        """The rows of each fold, with a table a model."""
        found = []
        for rows in self.members:
            kind = self.kind[rows]
            scores = {name: column[rows] for name, column in self.scores.items()}
            tables = {
                name: ScoreTable.from_arrays(kind, column, scenario=self.scenario, **KINDS)
                for name, column in scores.items()
            }
            found.append(JointTable(tables, kind, scores, None, None))
        return found

    def decided(self, name: str, threshold: float) -> ScoreTable:
        """A table of all rows by what the model of their fold decides: 1 from the threshold on, else 0.

        Decisions, unlike scores, may be put together. Rows are weighted such that all folds count the same:
        labelled rows by 1 / L_k, and rows of the comparison sample by 1 / n_k. Where labelled rows are in
        both, the two weights are carried as a propensity is.
        """
        decision = (self.scores[name] >= threshold).astype(np.float64)
        labelled, used = self.kind == 0, self.compared[self.kind]
        in_g, in_f = np.ones(labelled.size), np.ones(labelled.size)
        for which, weight in ((labelled, in_g), (used, in_f)):
            sizes = np.bincount(self.place[which], minlength=len(self.names))
            weight[which] = which.sum() / (len(self.names) * sizes[self.place[which]])
        options: dict[str, Any] = {}
        if self.compared[0]:
            ratio = in_f[labelled] / in_g[labelled]
            if np.ptp(in_f) > _ROUNDING:
                options["sample_weight"] = in_f
            if np.ptp(ratio) > _ROUNDING:
                chance = np.ones(labelled.size)
                chance[labelled] = ratio / ratio.max()
                options["propensity"] = chance
        else:
            weight = np.where(labelled, in_g, in_f)
            if np.ptp(weight) > _ROUNDING:
                options["sample_weight"] = weight
        return ScoreTable.from_arrays(
            self.kind, decision, scenario=self.scenario, groups=self.group, **KINDS, **options
        )
