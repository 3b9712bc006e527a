"""An audit on paper: a sheet of rows to check, and the plan beside it, so that answers can be read back.

The sheet says which rows to look at, in the order in which to check them, and nothing from which the checker
could guess the answer: neither scores nor strata, unless asked for. What the answers mean is in the plan, a
file of its own with the boundaries of the strata and the scores of the drawn rows, by which a changed data
file is noticed.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from puremetrics.auditing import Audit, Strata
from puremetrics.checking.answers import NO, YES
from puremetrics.checking.arguments import shown
from puremetrics.checking.columns import is_missing_value
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.planning.drawing import Draw, DrawnRows
from puremetrics.planning.plan import AuditPlan

__all__ = [
    "ANSWER",
    "ROW",
    "Looked",
    "audit_of_looked",
    "audit_of_sheet",
    "check_kept",
    "csv_line",
    "plan_about",
    "plan_text",
    "read_plan",
    "sheet_text",
]

ORDER, ROW, ANSWER = "order", "row", "positive"
_FORMAT = "puremetrics.audit_plan/1"


class Looked(NamedTuple):
    """Rows at some places of the data, and how many rows there are in all.

    Of each its scores, whether it is unlabeled, and its group, if there are groups.
    """

    size: int
    scores: dict[str, FloatArray]
    unlabeled: Any
    groups: Any = None


def sheet_text(rows: DrawnRows, more: Mapping[str, Sequence[Any]], *, scores: bool = False) -> str:
    """The sheet as CSV; ``more`` are columns to keep, such as an identifier, one value a drawn row."""
    assert rows.draw is not None
    shown = dict(more)
    if scores:
        shown |= {name: column.tolist() for name, column in rows.draw.scores.items()}
    check_kept(shown)
    lines = [csv_line([ORDER, ROW, *shown, ANSWER])]
    for number, (place, *values) in enumerate(
        zip(rows.tolist(), *shown.values(), strict=True), start=1
    ):
        lines.append(csv_line([number, place, *values, ""]))
    return "".join(f"{line}\n" for line in lines)


def csv_line(cells: Sequence[Any]) -> str:
    """Cells as a line of CSV without its end; line breaks of any kind in them are quoted."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue()[:-2]


def check_kept(names: Iterable[str]) -> None:
    """Raise if a column to keep has the name of one of the sheet's own."""
    known = set(names)
    taken = [name for name in (ORDER, ROW, ANSWER) if name in known]
    if taken:
        raise InputError(
            f"A column to keep is named {taken[0]!r}, like one of the sheet's own columns. Rename it first."
        )


def plan_text(plan: AuditPlan, rows: DrawnRows, about: Mapping[str, Any] | None = None) -> str:
    """The plan and its draw as JSON; ``about`` says further things, such as where the data are."""
    assert rows.draw is not None
    own = {field.name: getattr(plan, field.name) for field in fields(plan)}
    own["strata"] = {
        "model": plan.strata.model,
        "edges": plan.strata.edges.tolist(),
        "rows": plan.strata.rows.tolist(),
    }
    own["draws"], own["expected_rate"] = plan.draws.tolist(), plan.expected_rate.tolist()
    del own["diagnostics"]
    drawn = {
        "place": rows.tolist(),
        "scores": {n: c.tolist() for n, c in rows.draw.scores.items()},
    }
    content = {"format": _FORMAT, "plan": own, "draw": drawn, **({"about": about} if about else {})}
    return json.dumps(content, indent=1) + "\n"


def plan_about(text: str, more: Mapping[str, Any] | None = None) -> tuple[dict[str, Any], str]:
    """What a plan says beside the plan and its draw; and its text with more of that."""
    read_plan(text)
    content = json.loads(text)
    about = content.get("about")
    found = {**(about if isinstance(about, dict) else {}), **(more or {})}
    if more:
        content["about"] = found
        text = json.dumps(content, indent=1) + "\n"
    return found, text


def audit_of_sheet(
    plan: str,
    places: Sequence[Any],
    answers: Sequence[Any],
    scores: Mapping[str, FloatArray],
    unlabeled: Any,
    *,
    sequential: bool = False,
) -> Audit:
    """The audit that a sheet with answers makes.

    Parameters
    ----------
    plan : str
        What `plan_text` wrote.
    places, answers : sequence
        The columns of the sheet; answers may be missing.
    scores : mapping of str to ndarray
        Scores of all rows of the data, by model.
    unlabeled : ndarray of bool
        Which rows of the data are unlabeled.
    """

    def look(places: Any) -> Looked:
        inside = np.flatnonzero(places < unlabeled.size)
        found = {name: np.full(places.size, np.nan) for name in scores}
        for name, column in scores.items():
            found[name][inside] = column[places[inside]]
        free = np.ones(places.size, dtype=np.bool_)
        free[inside] = unlabeled[places[inside]]
        return Looked(unlabeled.size, found, free)

    return audit_of_looked(plan, places, answers, look, sequential=sequential)


def audit_of_looked(
    plan: str,
    places: Sequence[Any],
    answers: Sequence[Any],
    look: Callable[[Any], Looked],
    *,
    sequential: bool = False,
) -> Audit:
    """The audit of a filled-in sheet if rows are not in memory: ``look`` finds those at given places."""
    made, draw = read_plan(plan)
    looked = look(draw.place)
    rows = _places(places, looked.size)
    at = draw.at(rows)
    strange = rows[at < 0]
    if strange.size:
        raise InputError(
            f"Row {strange[0]} of the sheet was not drawn ({strange.size} such rows). Answers count only "
            "for rows that were drawn at random: remove rows that were added by hand."
        )
    labelled = rows[~looked.unlabeled[at]]
    if labelled.size:
        raise InputError(
            f"Row {labelled[0]} carries a label in the data ({labelled.size} such rows): it was unlabeled "
            "when the audit was planned. Pass the data as they were then."
        )
    if made.strata.model not in looked.scores:
        raise InputError(
            f"The audit was planned on the scores of {made.strata.model!r}: pass these as well (--score)."
        )
    for name, column in draw.scores.items():
        if name in looked.scores and not np.array_equal(looked.scores[name], column):
            raise InputError(
                f"The scores of {name!r} differ from those that the audit was planned with. Pass the file "
                "that it was planned on, with the same condition (--where)."
            )
    drawn = DrawnRows.of(Draw(draw.place, dict(looked.scores), groups=looked.groups))
    return made.audit(
        drawn[at], [_answer(a, rows[i]) for i, a in enumerate(answers)], sequential=sequential
    )


def read_plan(text: str) -> tuple[AuditPlan, Draw]:
    """The plan and its draw from what `plan_text` wrote."""
    try:
        content = json.loads(text)
        if content["format"] != _FORMAT:
            raise KeyError(content["format"])
        own, drawn = dict(content["plan"]), content["draw"]
        strata = own.pop("strata")
        own["strata"] = Strata(
            strata["model"], np.array(strata["edges"], float), np.array(strata["rows"], float)
        )
        for name in ("draws", "expected_rate"):
            own[name] = np.array(own[name], dtype=np.float64)
        for name in ("widths", "random_widths"):
            own[name] = {int(rows): float(width) for rows, width in own[name].items()}
        draw = Draw(
            np.array(drawn["place"], dtype=np.int64),
            {name: np.array(column, dtype=np.float64) for name, column in drawn["scores"].items()},
        )
        return AuditPlan(**own), draw
    except (
        ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError
    ) as error:  # fmt: skip
        raise InputError(
            f"The plan cannot be read ({type(error).__name__}: {shown(str(error), 200)}). Pass the "
            ".plan.json file that was written next to the sheet."
        ) from None


def _places(values: Sequence[Any], size: int) -> Any:
    found = np.empty(len(values), dtype=np.int64)
    for number, value in enumerate(values):
        try:
            found[number] = int(value)
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"Line {number + 2} of the sheet has {value!r} in the column {ROW!r}. Keep that column as it "
                "was written: it says which row was checked."
            ) from None
    if found.size and (found.min() < 0 or found.max() >= size):
        raise InputError(
            f"The sheet names row {found.max()}, but the data have {size} rows. Pass the file that the audit "
            "was planned on."
        )
    return found


def _answer(value: Any, row: int) -> bool | None:
    if is_missing_value(value) or not str(value).strip():
        return None
    word = str(value).strip().lower()
    if word in YES:
        return True
    if word in NO:
        return False
    raise InputError(
        f"The answer for row {row} is {str(value)!r}. Write 1 or 0, yes or no, and leave it empty if the row "
        "was not checked."
    )
