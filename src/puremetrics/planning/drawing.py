"""Rows that a plan drew: their places, and all that is needed to read the answers back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from puremetrics.auditing import Strata
from puremetrics.checking.columns import as_scores
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError

__all__ = ["Draw", "DrawnRows", "check_counts", "draw_of", "drawn_places"]


@dataclass(frozen=True, eq=False)
class Draw:
    """The rows of a draw in the order in which they are to be checked, with their scores.

    ``kept`` holds further columns of these rows, by name, the identifier first; ``groups`` the groups that
    they belong to, if there are any.
    """

    place: Any
    scores: dict[str, FloatArray]
    kept: dict[str, Any] = field(default_factory=dict)
    groups: Any = None

    def at(self, place: Any) -> Any:
        """Where in the draw rows are, by their places; -1 if they were not drawn."""
        if not self.place.size:
            return np.full(np.shape(place), -1)
        order = np.argsort(self.place)
        found = np.searchsorted(self.place[order], place)
        at = order[np.minimum(found, order.size - 1)]
        return np.where(self.place[at] == place, at, -1)


class DrawnRows(np.ndarray[Any, Any]):
    """Places of the rows to look at: an array of integers that remembers the draw it comes from.

    A part of it, in any order, still does, so that ``plan.audit(rows[:50], answers)`` works.
    """

    draw: Draw | None

    @classmethod
    def of(cls, draw: Draw) -> DrawnRows:
        """The places of a draw."""
        made = np.asarray(draw.place, dtype=np.int64).view(cls)
        made.draw = draw
        return made

    def __array_finalize__(self, parent: Any) -> None:
        self.draw = getattr(parent, "draw", None)

    @property
    def identifiers(self) -> Any:
        """The identifier of each of these rows; None if the draw was not asked for them (``id=…``)."""
        if self.draw is None or not self.draw.kept:
            return None
        at = self.draw.at(np.asarray(self))
        if np.any(at < 0):
            raise InputError(
                f"Row {np.asarray(self)[at < 0][0]} was not drawn, so its identifier is not known. Ask only "
                "for rows that were drawn."
            )
        return next(iter(self.draw.kept.values()))[at]


def check_counts(strata: Strata, found: Any) -> None:
    """Raise unless each stratum has the unlabeled rows that the plan was made for."""
    if not np.array_equal(found, strata.rows):
        raise InputError(
            f"The plan was made for {strata.rows.sum():.0f} unlabeled rows, {strata.rows[-1]:.0f} of them in "
            f"the top range of scores; here there are {found.sum()} and {found[-1]}. Draw from the rows that "
            "the planned table was built from."
        )


def drawn_places(
    strata: Strata, wanted: Any, unlabeled: Any, score: FloatArray, rng: np.random.Generator
) -> Any:
    """So many rows of every stratum, all of them in random order: any first part is a draw as well."""
    stratum = strata.of(score[unlabeled])
    found = np.bincount(stratum, minlength=strata.rows.size)
    check_counts(strata, found)
    order = np.argsort(stratum, kind="stable")
    ends = np.concatenate([[0], np.cumsum(found)])
    parts = [
        order[ends[h] + rng.choice(found[h], int(wanted[h]), replace=False)]
        for h in range(found.size)
        if wanted[h] > 0
    ]
    return unlabeled[rng.permutation(np.concatenate(parts))]


def draw_of(place: Any, score: Any) -> Draw:
    """Rows that have forgotten the draw they come from, with the scores of all rows."""
    if score is None:
        raise InputError(
            "These rows no longer carry the draw they came from. Pass what plan.draw returned (or a part of "
            "it), or the scores of all rows: plan.audit(rows, positive, score=score)."
        )
    named = score if isinstance(score, Mapping) else {"model": score}
    columns = {str(name): as_scores(column, "score") + 0.0 for name, column in named.items()}
    if place.size and (place.min() < 0 or place.max() >= min(c.size for c in columns.values())):
        raise InputError(
            "rows holds positions beyond the end of the scores. Pass the scores of all rows, in order."
        )
    return Draw(place, {name: column[place] for name, column in columns.items()})
