"""Checking rows inside a notebook: the page of a server of this process, in a frame."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from puremetrics.auditing import Audit
from puremetrics.checking.arguments import check_flag
from puremetrics.checking.columns import as_column, columns_of, is_frame
from puremetrics.checkpage.live import Counted, Live
from puremetrics.checkpage.server import CheckServer, Options
from puremetrics.checkpage.session import Session
from puremetrics.checkpage.sheet import sheet_of
from puremetrics.exceptions import InputError
from puremetrics.io.writing import check_target, write_text
from puremetrics.planning.drawing import DrawnRows
from puremetrics.planning.plan import AuditPlan
from puremetrics.planning.sheets import Looked, check_kept, plan_text
from puremetrics.tables.score_table import ScoreTable

__all__ = ["CheckPage", "open_page"]

_HIGH = 760  # of the frame, in pixels


class CheckPage:
    """A page of rows to check, served by this process until it is stopped.

    Show it as the last line of a cell. Answers are kept in its file, and here as soon as they are given.
    """

    def __init__(self, plan: AuditPlan, rows: DrawnRows, server: CheckServer) -> None:
        self._plan, self._rows, self._server = plan, rows, server
        self._over = weakref.finalize(self, server.stop)

    @property
    def address(self) -> str:
        """Where the page is, with the token that opens it."""
        return self._server.address

    @property
    def output(self) -> Path:
        """The file that keeps the answers."""
        return self._server.session.output

    @property
    def answers(self) -> list[bool | None]:
        """The answer to each row, None where there is none."""
        return [{"yes": True, "no": False}.get(said) for said in self._server.session.final]

    def audit(self, *, sequential: bool = True) -> Audit:
        """The audit that the answers make so far.

        Parameters
        ----------
        sequential : bool, default True
            Intervals hold although you looked at them while answers came in. Pass False if nobody did.
        """
        return self._plan.audit(
            self._rows, self.answers, sequential=check_flag(sequential, "sequential")
        )

    def stop(self) -> None:
        """End the server; answers stay in their file."""
        self._over()

    def _repr_html_(self) -> str:
        return (
            f'<iframe src="{escape(self.address)}" title="Rows to check" width="100%" height="{_HIGH}" '
            'style="border:1px solid #8886;border-radius:8px"></iframe>'
        )

    def __repr__(self) -> str:
        done = sum(answer is not None for answer in self.answers)
        return f"{done} of {len(self._rows)} rows have answers, in {self.output}\n  {self.address}"


def open_page(
    plan: AuditPlan,
    rows: Any,
    show: Any = None,
    *,
    table: ScoreTable | None,
    output: str | Path,
    until_width: float | None,
    question: str | None,
    checker: str,
    overlap: float,
    images: bool,
) -> CheckPage:
    """Serve the page of drawn rows; parameters are those of `AuditPlan.check`."""
    draw = getattr(rows, "draw", None)
    if draw is None:
        raise InputError(
            "These rows no longer carry the draw they came from. Pass what plan.draw or plan.draw_from "
            "returned."
        )
    kept = dict(draw.kept) if show is None else _columns(show, np.asarray(rows))
    check_kept(kept)
    sheet = sheet_of(rows, kept)
    target = Path(output)
    check_target(target)
    text = plan_text(plan, rows)
    session = Session(sheet, target, checker=checker, overlap=overlap)
    live = None
    if table is not None:
        free = np.ones(draw.place.size, dtype=np.bool_)
        looked = Looked(int(draw.place.max()) + 1, dict(draw.scores), free, draw.groups)
        live = Live(
            text,
            sheet.places,
            lambda: Counted(table, looked),
            width=until_width,
            confidence_level=plan.level,
        )
    elif until_width is not None:
        raise InputError("until_width needs the table that the plan was made for: pass table=….")
    at = draw.at(np.asarray(rows))
    scores = draw.scores[plan.model_among(draw.scores)]
    server = CheckServer(
        session,
        live,
        Options(
            question=question or "Is this row positive?",
            images=check_flag(images, "images"),
            framed=True,
            scores={row: float(scores[place]) for row, place in enumerate(at)},
        ),
    )
    session.save()
    write_text(f"{target}.plan.json", text)
    server.start()
    return CheckPage(plan, rows, server)


def _columns(show: Any, places: Any) -> dict[str, Any]:
    """What is shown of the drawn rows, from columns of these rows or of all rows."""
    if not is_frame(show):
        raise InputError(
            "show must be a data frame, or a mapping of names to columns: what people see of each row."
        )
    names = list(show) if isinstance(show, Mapping) else _names(show)
    read = show if isinstance(show, Mapping) else columns_of(show, names)
    found = {}
    for name in names:
        column = as_column(read[name], str(name))
        if column.size != places.size:
            if column.size <= places.max(initial=-1):
                raise InputError(
                    f"show[{name!r}] has {column.size} values. Pass those of all rows of the data, or of the "
                    f"{places.size} drawn ones in their order."
                )
            column = column[places]
        found[str(name)] = column
    return found


def _names(frame: Any) -> list[Any]:
    found = getattr(frame, "column_names", None)
    return list(frame.columns if found is None else found)
