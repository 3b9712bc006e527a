"""What two people said of the same rows: how often they agree, and how often they err.

`checked_by` makes evidence of a sheet on which some rows were given to two people. Where all differences are
settled, what was agreed is taken as right, and the errors of first answers are learnt from the rows that have
both. Where some are open, nobody is taken as right: errors are learnt from how people agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from puremetrics.auditing import Audit
from puremetrics.checking.types import FloatArray
from puremetrics.checkpage.sheet import Answer, Answers
from puremetrics.evidence import agreement_of
from puremetrics.evidence.checked import AuditedRows, as_checked

__all__ = ["agreement_words", "are_two", "checked_by"]

_CODE = {"yes": 1.0, "no": 0.0}


def are_two(answers: Sequence[Answers]) -> bool:
    """Whether some row has sure answers of two people."""
    return any(_coded(one.first, one.second) for one in answers)


def _coded(first: Answer | None, second: Answer | None) -> bool:
    return bool(first and second and first.said in _CODE and second.said in _CODE)


def _matrix(answers: Sequence[Answers]) -> tuple[FloatArray, tuple[str, ...]]:
    """Answers by row and checker, and the checkers."""
    names = dict.fromkeys(
        one.checker for given in answers for one in (given.first, given.second) if one is not None
    )
    place = {name: at for at, name in enumerate(names)}
    found = np.full((len(answers), len(place)), np.nan)
    for row, given in enumerate(answers):
        for one in (given.first, given.second):
            if one is not None and one.said in _CODE:
                found[row, place[one.checker]] = _CODE[one.said]
    return found, tuple(name or "somebody" for name in names)


def agreement_words(answers: Sequence[Answers]) -> list[str]:
    """How often each pair of people agrees, a sentence each."""
    found = agreement_of(*_matrix(answers))
    told = []
    for first, second, rows, agree, kappa in zip(*found.values(), strict=True):
        if rows:
            beyond = "" if np.isnan(kappa) else f" (Cohen's kappa {kappa:.2f})"
            told.append(
                f"{first} and {second} agree on {round(agree * rows)} of {rows} rows{beyond}."
            )
    return told


def checked_by(
    answers: Sequence[Answers], audit_of: Callable[[list[bool | None]], Audit]
) -> AuditedRows:
    """The evidence of a sheet that two people answered.

    Parameters
    ----------
    answers : sequence of Answers
        Row by row, in the order of the draw.
    audit_of : callable
        Makes an audit of one answer to each row, None where there is none.
    """
    sure = [
        next((a for a in (one.first, one.second) if a is not None and a.said in _CODE), None)
        for one in answers
    ]
    settled = all(one.final for one in answers if _coded(one.first, one.second))
    own = as_checked(audit_of([None if a is None else a.said == "yes" for a in sure]))
    rows = [row for row, a in enumerate(sure) if a is not None]
    given: dict[str, Any] = {}
    if settled:
        given["second"] = np.array(
            [
                _CODE[answers[row].final]
                if _coded(answers[row].first, answers[row].second)
                else np.nan
                for row in rows
            ]
        )
    else:
        matrix, names = _matrix([answers[row] for row in rows])
        given = {"answers": matrix, "names": names}
    return replace(own, **given)
