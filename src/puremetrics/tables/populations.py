"""`Populations`: the labelled rows together, and the unlabeled ones by population, such as a month.

`Segments` are about tables, each with labels of its own. Here labelled rows need no population: in
case-control they were collected apart, often once for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.checking.columns import as_scores, check_same_length, raise_not_finite
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import UnsupportedError
from puremetrics.scenarios import Scenario, check_scenario
from puremetrics.tables.segments import Segments, places_of, read_kinds

__all__ = ["Populations"]

Counted = tuple[FloatArray, FloatArray]  # scores, and rows of each


@dataclass(frozen=True, eq=False)
class Populations:
    """Scores of all labelled rows, and those of the unlabeled rows of each population.

    Attributes
    ----------
    by : str
        What tells the populations apart.
    scenario : str
    labelled : tuple of two ndarrays
        Scores, and how many rows have each.
    unlabeled : mapping
        The same for every population.
    """

    by: str
    scenario: Scenario
    labelled: Counted
    unlabeled: Mapping[Any, Counted]

    @classmethod
    def from_arrays(
        cls,
        y: Any,
        score: Any,
        *,
        population: Any,
        scenario: Any,
        by: str = "by",
        groups: Any = None,
        pos_label: Any = 1,
        unlabeled_label: Any = 0,
        neg_label: Any = None,
    ) -> Populations:
        """Build them from one label, one score and one population per row; known negatives are left aside.

        >>> found = Populations.from_arrays(
        ...     [1, 0, 0, 0], [4, 3, 2, 1], population=list("aabb"), scenario="case_control")
        >>> {name: scores.tolist() for name, (scores, _) in found.unlabeled.items()}
        {'a': [3.0], 'b': [2.0, 1.0]}
        """
        if groups is not None:
            raise _of_groups()
        scenario = check_scenario(scenario)
        marks = {
            "pos_label": pos_label, "unlabeled_label": unlabeled_label, "neg_label": neg_label,
        }  # fmt: skip
        kind, scores = read_kinds(y, marks), as_scores(score) + 0.0
        check_same_length(kind.size, scores.size, "y and score")
        if not np.isfinite(scores).all():
            raise_not_finite(scores)
        names, place = places_of(population, kind.size, "by")
        labelled = scores[kind == 0]
        found = {}
        for number, name in enumerate(names):
            own = scores[(kind == 1) & (place == number)]
            if own.size:
                found[name] = own, np.ones(own.size)
        return cls(by, scenario, (labelled, np.ones(labelled.size)), found)

    @classmethod
    def of_segments(cls, segments: Segments) -> Populations:
        """Those of a scan, or of tables by segment; a segment without a table is left out."""
        if segments.total.clusters is not None or segments.rows is not None:
            raise _of_groups()
        total = segments.total
        return cls(
            segments.by,
            segments.scenario,
            (total.score, total.n_pos.astype(np.float64)),
            {
                name: (table.score, table.n_unl.astype(np.float64))
                for name, table in segments.items()
            },
        )


def _of_groups() -> UnsupportedError:
    return UnsupportedError(
        "Populations are compared row by row, which grouped rows do not allow: rows of one group are alike. "
        "Keep one row of each group, and leave out groups."
    )
