"""Audits on the command line: write a sheet of rows to check, and read the answers back."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from puremetrics.checkpage import read_sheet as answered_sheet
from puremetrics.checkpage.checkers import agreement_words, are_two, checked_by
from puremetrics.checkpage.sheet import SECOND as SECOND_COLUMNS
from puremetrics.checkpage.sheet import sheet_of
from puremetrics.cli.checks import about_data, page_text
from puremetrics.cli.delivering import checked_command
from puremetrics.cli.reading import Counted, single_label
from puremetrics.cli.terminal import say
from puremetrics.exceptions import InputError
from puremetrics.io.batches import RowReader
from puremetrics.io.conditions import name_reader_errors
from puremetrics.io.drawing import draw_rows, look_up
from puremetrics.io.files import column_names, read_columns
from puremetrics.io.writing import write_text
from puremetrics.planning import follow_audit
from puremetrics.planning.plan import plan_audit
from puremetrics.planning.sheets import (
    ANSWER,
    ROW,
    Looked,
    audit_of_looked,
    check_kept,
    plan_text,
    read_plan,
    sheet_text,
)
from puremetrics.statistics import metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from puremetrics.auditing import Audit
    from puremetrics.cli.reading import Rows
    from puremetrics.cli.terminal import Bar
    from puremetrics.evidence import Evidence
    from puremetrics.planning import AuditPath
    from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "check_following",
    "check_sheet",
    "follow_sheet",
    "plan_path",
    "read_answers",
    "write_sheet",
]


def plan_path(sheet: str) -> Path:
    """Where the plan of a sheet lies: beside it."""
    return Path(f"{sheet}.plan.json")


def check_sheet(options: argparse.Namespace) -> None:
    """Refuse at once a sheet that cannot be written, before any row is read."""
    target = Path(options.output)
    if target.exists() and not options.force:
        raise InputError(
            f"{options.output!r} already exists and may hold answers. Choose another file name, or pass "
            "--force."
        )
    check_kept(options.id or ())


def write_sheet(
    options: argparse.Namespace,
    table: ScoreTable,
    marks: dict[str, Any],
    prior: Any,
    shown: Bar,
) -> str:
    """Plan an audit of the first model, draw the rows in one pass over the files, write sheet and plan.

    Returns what to say. The table is that of the first model.
    """
    shown.step("planning")
    plan = plan_audit(
        table,
        budget=options.budget,
        target=options.target,
        threshold=options.threshold,
        prior=prior,
        confidence_level=options.level,
    )
    plan = replace(plan, strata=replace(plan.strata, model=options.score[0]))
    shown.step("drawing")
    rows = draw_rows(
        plan,
        options.file,
        label=single_label(options),
        score=list(dict.fromkeys(options.score)),
        more=options.id or (),
        rng=options.seed,
        where=options.where,
        progress=shown.update,
        **{name: value for name, value in marks.items() if name != "groups"},
    )
    kept = {} if rows.draw is None else rows.draw.kept
    sheet = sheet_text(
        rows, {name: column.tolist() for name, column in kept.items()}, scores=options.show_scores
    )
    about = {
        "data": about_data(options, Path(options.output)),
        "asked": {"threshold": plan.threshold},
    }
    write_text(plan_path(options.output), plan_text(plan, rows, about))
    if Path(options.output).suffix.lower() in (".html", ".htm"):
        more = {name: column.tolist() for name, column in kept.items()}
        if options.show_scores and rows.draw is not None:
            more |= {name: column.tolist() for name, column in rows.draw.scores.items()}
        write_text(options.output, page_text(sheet_of(rows, more), options))
        return (
            f"{plan}\n"
            "\n"
            f"The page {options.output} holds the rows to check and can be sent to whoever knows the "
            "answers: it needs nothing but a browser, and saves answers as checked.csv. Keep "
            f"{plan_path(options.output).name}. When checked.csv is back, run:\n  "
            f"{checked_command(options, 'checked.csv')} --audit-plan "
            f"{shlex.quote(str(plan_path(options.output)))}"
        )
    write_text(options.output, sheet)
    return (
        f"{plan}\n"
        "\n"
        f"The rows to check are in {options.output}, in random order. Starting at the top, fill in the "
        f"column {ANSWER!r} with 1 or 0, and keep {plan_path(options.output).name} in the same folder. Then"
        + (
            f" run:\n  {checked_command(options)}"
            if options.can_read_again
            else " evaluate with --audit."
        )
        + f"\nOr check them on a page: puremetrics audit check {shlex.quote(options.output)}"
    )


def read_answers(
    options: argparse.Namespace, found: Counted, shown: Bar
) -> tuple[Audit, Evidence | None]:
    """The audit that a sheet with answers makes; the rows that were drawn are looked up in the data.

    If two people answered some of the rows, also the evidence that allows for their errors.
    """
    plan = _plan_text(options)
    sheet = read_columns(options.audit, [ROW, ANSWER])
    places, answers = (np.asarray(sheet[name]).tolist() for name in (ROW, ANSWER))
    shown.step("looking up what was checked")
    looked = _lookup(options, found, shown)(read_plan(plan)[1].place)
    looking = options.sequential or options.until_width is not None
    audit = audit_of_looked(plan, places, answers, lambda _: looked, sequential=looking)
    left = len(places) - len(audit)
    if left:
        say(f"{len(audit)} of {len(places)} rows have answers; only these are used.", error=True)
    return audit, _by_two(
        options, lambda said: audit_of_looked(plan, places, said, lambda _: looked)
    )


def _by_two(
    options: argparse.Namespace, audit_of: Callable[[list[bool | None]], Audit]
) -> Evidence | None:
    """The evidence of rows that two people answered; None if there are none."""
    file = Path(options.audit)
    if SECOND_COLUMNS[0] not in column_names(file):
        return None
    answers = answered_sheet(file).answers
    if not are_two(answers):
        return None
    for line in agreement_words(answers):
        say(line, error=True)
    if options.sequential or options.until_width is not None:
        say(
            "Answers are taken as right: how often people err is allowed for only without --sequential and "
            "--until-width.",
            error=True,
        )
        return None
    return checked_by(answers, audit_of)


def _lookup(options: argparse.Namespace, found: Counted, shown: Bar) -> Callable[[Any], Looked]:
    """What finds rows by their places: in the files, or in memory where several sources make the label."""
    rows = found.rows
    if rows is not None and rows.sources is not None:
        return lambda places: _in_memory(rows, places)
    names = {name: value for name, value in found.marks.items() if name != "groups"}
    scores = tuple(dict.fromkeys(options.score))
    reader = RowReader(options.sources[0], scores, groups=options.groups, **names)
    return lambda places: look_up(
        options.file, reader, places, where=options.where, progress=shown.update
    )


def _in_memory(rows: Rows, places: Any) -> Looked:
    size = rows.unlabeled.size
    there = np.minimum(places, size - 1)
    scores = {
        name: np.where(places < size, column[there] + 0.0, np.nan)
        for name, column in rows.arrays.items()
    }
    return Looked(size, scores, rows.unlabeled[there] | (places >= size))


def check_following(options: argparse.Namespace) -> None:
    """Refuse a wish to be told when to stop if there is nothing to follow."""
    if options.audit is None and (options.sequential or options.until_width is not None):
        given = "--sequential" if options.until_width is None else "--until-width"
        raise InputError(f"{given} needs rows that were checked: pass them with --audit FILE.")


def follow_sheet(
    options: argparse.Namespace, tables: Mapping[str, ScoreTable], audit: Audit, purity: Any
) -> AuditPath:
    """Whether the rows checked so far are enough for the statistic that the audit was planned for."""
    plan, _ = read_plan(_plan_text(options))
    model = plan.strata.model
    assert audit.strata is not None
    own = replace(
        audit, scores={"model": audit.score_of(model)}, strata=replace(audit.strata, model="model")
    )
    return follow_audit(
        tables[model],
        own,
        plan.target,
        threshold=plan.threshold if plan.target in metrics() else None,
        width=options.until_width,
        purity=purity,
        confidence_level=options.level,
    )


def _plan_text(options: argparse.Namespace) -> str:
    plan = Path(options.audit_plan) if options.audit_plan else plan_path(options.audit)
    if not plan.is_file():
        raise InputError(
            f"There is no plan {str(plan)!r} next to the answers. Pass the one that was written with the "
            "sheet: --audit-plan FILE."
        )
    with name_reader_errors(repr(str(plan))):
        return plan.read_text(encoding="utf-8")
