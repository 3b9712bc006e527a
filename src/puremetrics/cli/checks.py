"""Checking rows on a page: from a sheet, from scores, or on the demo data by itself."""

from __future__ import annotations

import argparse
import getpass
import os
import shlex
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from puremetrics.checking.columns import unsigned
from puremetrics.checkpage.checkers import agreement_words, are_two, checked_by
from puremetrics.checkpage.live import Counted, Live
from puremetrics.checkpage.page import alone
from puremetrics.checkpage.server import CheckServer, Options
from puremetrics.checkpage.session import Session
from puremetrics.checkpage.sheet import Sheet, read_sheet, sheet_bytes, sheet_of
from puremetrics.cli.reading import counted, single_label
from puremetrics.cli.terminal import Bar, bar, say, translated
from puremetrics.exceptions import InputError, PuremetricsError
from puremetrics.io.batches import RowReader
from puremetrics.io.drawing import draw_rows, look_up
from puremetrics.io.files import column_names, expand
from puremetrics.io.writing import check_target, whole_file, write_text
from puremetrics.planning.plan import plan_audit
from puremetrics.planning.sheets import (
    audit_of_looked,
    check_kept,
    plan_about,
    plan_text,
    read_plan,
)
from puremetrics.statistics import metrics

if TYPE_CHECKING:
    from puremetrics.planning.plan import AuditPlan

__all__ = ["about_data", "check_demo", "check_rows", "page_text"]

_DATA = (
    "file", "label", "score", "scenario", "pos_label", "unlabeled_label", "neg_label", "groups", "where",
    "level", "scan",
)  # fmt: skip
_ASKED = ("budget", "target", "threshold", "prior", "seed")
_PATIENCE = 20.0  # seconds
_NOT_THERE = "The data that the rows were drawn from are not named in the plan"


def check_rows(options: argparse.Namespace, guess: Any) -> int:
    """Open the page for a sheet, or plan, draw and open it for scores."""
    counting: list[Any] = []
    if options.budget is not None:
        with bar(wanted=not options.no_progress) as shown:
            sheet_path, counting = _from_scores(options, guess, shown)
        output = sheet_path
    else:
        sheet_path, output = _paths(options)
    sheet = read_sheet(sheet_path)
    shown_columns = _shown(options.show, sheet)
    plan = _plan_of(options, sheet_path)
    about: dict[str, Any] = {}
    if plan is not None:
        about, _ = plan_about(plan)
        kept = {"overlap": _overlap(options, about, output)}
        about, plan = plan_about(plan, kept)
        check_target(output)
        write_text(f"{output}.plan.json", plan)
    overlap = float(about.get("overlap", 0.0) if plan is not None else options.overlap or 0.0)
    if overlap and options.checker is None:
        raise InputError(
            "Some rows are given to two people, so each must say who answers. Pass --checker NAME."
        )
    session = Session(sheet, output, checker=options.checker or _login(), overlap=overlap)
    _take_answers(session, options.answers or ())
    live, given_up = None, threading.Event()
    if plan is not None:
        found = counting[0] if counting else None
        live = Live(
            plan,
            sheet.places,
            (lambda: found) if found is not None else _loader(about, plan, sheet_path, given_up),
            width=options.until_width,
            confidence_level=read_plan(plan)[0].level,
        )
        _check_width(options)
    elif options.until_width is not None:
        raise InputError(
            "--until-width needs the plan of the sheet. Pass it with --audit-plan FILE."
        )
    outcome = _Outcome(session, live, about, output)
    server = CheckServer(
        session,
        live,
        Options(
            columns=shown_columns,
            question=options.question or "Is this row positive?",
            images=bool(options.images),
            resume=_resume(options),
            scores=_scores(plan, sheet),
        ),
        port=_port(options),
        verdict=outcome.sentences,
        report=outcome.report if live is not None else None,
    )
    session.save()
    if plan is None:
        say("There is no plan next to the sheet: the page shows no interval.", error=True)
    _serve(options, server)
    for line in outcome.last_words():
        say(line)
    given_up.set()
    _leave(live)
    return 0


def _leave(live: Live | None) -> None:
    """Wait until nothing counts any longer; a reader that is cut off would bring the program down."""
    if live is None or live.over(_PATIENCE):
        return
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _serve(options: argparse.Namespace, server: CheckServer) -> None:
    """Let people check until they end it."""
    server.start()
    say(f"Check the rows at {server.address}")
    say("Every answer is kept at once. End with Ctrl-C, or on the page.", error=True)
    sys.stdout.flush()
    try:
        if not options.no_browser:
            import webbrowser

            with suppress(webbrowser.Error):
                webbrowser.open(server.address)
        while not server.ended.wait(0.5):
            pass
    except KeyboardInterrupt:
        say("", error=True)
    finally:
        server.stop()
        server.session.save()


class _Outcome:
    """What a session says at its end."""

    def __init__(
        self, session: Session, live: Live | None, about: dict[str, Any], output: Path
    ) -> None:
        self.session, self.live, self.about, self.output = session, live, about, output

    def sentences(self) -> list[str]:
        """The verdict: what the answers say, how people agreed, and what is left."""
        session, found = self.session, []
        if self.live is not None:
            self.live.wait(session.version, 30)
            look = self.live.look
            if look is not None:
                found.append(_first(look.path.words))
                if not look.enough and look.words and look.words not in found[0]:
                    found.append(look.words)
            elif self.live.trouble:
                found.append(self.live.trouble)
            promised = self.live.promised
            if promised is not None and look is not None:
                found.append(_promised(promised, look.low, look.high))
            found += self._by_two()
        found = found or [f"{_rows(sum(map(bool, session.final)))} have answers."]
        found += agreement_words(session.answers) if are_two(session.answers) else []
        unsure = sum(
            1 for a in session.answers if not a.final and not a.differ and a.first is not None
        )
        if unsure:
            found.append(f"{_rows(unsure)} left unsure count for nothing.")
        return found

    def _by_two(self) -> list[str]:
        """The target with the errors of checkers allowed for."""
        live, answers = self.live, self.session.answers
        if live is None or live.counted is None or not are_two(answers):
            return []
        from puremetrics.evaluation import evaluate

        plan, table = live.plan, live.counted.table
        try:
            evidence = checked_by(answers, self._audit)
            evidence = replace(evidence, scores={"model": evidence.scores[plan.strata.model]})
            at = plan.threshold if plan.target in metrics() else None
            result = evaluate(table, evidence=[evidence], threshold=at)
            found: Any = result.models["model"].corrected.get(plan.target, None)
            found = result.prior if found is None else found
            low, high = (
                (found.interval.low, found.interval.high)
                if getattr(found, "interval", None)
                else (found.low, found.high)
            )
        except PuremetricsError as error:
            return [f"How often checkers err could not be allowed for: {translated(str(error))}"]
        return [
            f"Allowing for how often checkers err, it is {low:.4f} to {high:.4f} (a single look, when all "
            "rows are checked)."
        ]

    def _audit(self, answers: list[bool | None]) -> Any:
        assert self.live is not None
        assert self.live.counted is not None
        looked = self.live.counted.looked
        return audit_of_looked(self.live.text, self.session.sheet.places, answers, lambda _: looked)

    def report(self) -> str:
        """The report of an evaluation with these answers."""
        from puremetrics.evaluation import evaluate
        from puremetrics.report import render

        live = self.live
        if live is None or not live.wait(self.session.version, 60) or live.counted is None:
            raise InputError("The rows have not been counted yet. Try again in a moment.")
        audit = live.audit(self.session.final)
        assert audit.strata is not None
        model = live.plan.strata.model
        own = replace(
            audit,
            scores={"model": audit.score_of(model)},
            strata=replace(audit.strata, model="model"),
        )
        at = live.plan.threshold if live.plan.target in metrics() else None
        result = evaluate(live.counted.table, audit=own, threshold=at)
        name = "it" if model == "model" else model
        return render(result, title=f"How good is {name}, by the rows that were checked?")

    def last_words(self) -> list[str]:
        """What to say at the terminal when the page has ended."""
        done = sum(map(bool, self.session.final))
        lines = [f"{done} of {_rows(len(self.session))} have answers; they are in {self.output}."]
        if self.live is not None and self.live.look is not None:
            lines.append(self.live.look.path.words)
        lines += agreement_words(self.session.answers) if are_two(self.session.answers) else []
        command = _evaluate_command(self.about, self.output)
        return [*lines, f"Then run:\n  {command}"] if command and done else lines


def _promised(promised: dict[str, Any], low: float, high: float) -> str:
    told = f"The labels promised {promised['told']}, if they were random"
    if low <= promised["value"] <= high:
        return f"{told}: the answers agree."
    return f"{told}: the answers say {'less' if promised['value'] > high else 'more'}."


def _first(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _rows(count: int) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'}"


def _login() -> str:
    with suppress(Exception):  # no name for this user, or no such module
        return getpass.getuser()
    return ""


def _port(options: argparse.Namespace) -> int:
    port = options.port
    if port is not None and not 0 <= port < 65536:
        raise InputError(f"--port {port} is not a port. Use a number from 1,024 to 65,535.")
    return port or 0


def _check_width(options: argparse.Namespace) -> None:
    width = options.until_width
    if width is not None and not width > 0:
        raise InputError(
            f"--until-width {width:g} can never be reached. Pass a number above 0, such as 0.1."
        )


# ---------------------------------------------------------------------- from a sheet


def _paths(options: argparse.Namespace) -> tuple[Path, Path]:
    """The sheet, and where answers go: beside it, or into it if it has answers of this command already."""
    given = [options.label, options.score, options.scenario]
    if len(options.file) > 1:
        raise InputError(
            "One sheet is checked at a time. Name one file; or pass scores with --budget N."
        )
    sheet = Path(options.file[0])
    if not sheet.is_file():
        sheet = expand(options.file)[0]
    known = options.audit_plan or Path(f"{sheet}.plan.json").is_file()
    if any(value is not None for value in given) and not known and "row" not in _head(sheet):
        raise InputError(
            "Planning which rows to check needs --budget N, how many rows can be checked."
        )
    if options.output is not None:
        return sheet, Path(options.output)
    return sheet, sheet.with_name("checked.csv")


def _head(path: Path) -> list[str]:
    with suppress(PuremetricsError, OSError):
        return list(column_names(path))
    return []


def _plan_of(options: argparse.Namespace, sheet: Path) -> str | None:
    path = Path(options.audit_plan) if options.audit_plan else Path(f"{sheet}.plan.json")
    if not path.is_file():
        if options.audit_plan:
            raise InputError(f"There is no plan {str(path)!r}. Check --audit-plan.")
        return None
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{str(path)!r} cannot be read ({error}). Check the path.") from None
    read_plan(text)
    return text


def _overlap(options: argparse.Namespace, about: dict[str, Any], output: Path) -> float:
    """The share of rows for two people: as given now, or when these answers were begun."""
    if options.overlap is not None:
        return float(options.overlap)
    with suppress(PuremetricsError, OSError, UnicodeDecodeError):
        about = plan_about(Path(f"{output}.plan.json").read_text(encoding="utf-8"))[0]
    kept = about.get("overlap", 0.0)
    return float(kept) if isinstance(kept, int | float) else 0.0


def _shown(names: Sequence[str] | None, sheet: Sheet) -> tuple[str, ...] | None:
    if not names:
        return None
    wanted = tuple(
        dict.fromkeys(part.strip() for name in names for part in name.split(",") if part.strip())
    )
    lacking = [name for name in wanted if name not in sheet.columns]
    if lacking:
        there = ", ".join(sheet.columns) or "none"
        raise InputError(
            f"The sheet has no column {lacking[0]!r} to show; its columns are: {there}. Keep it in the sheet "
            "when it is planned: puremetrics audit plan … --id COL."
        )
    return wanted


def _scores(plan: str | None, sheet: Sheet) -> dict[int, float] | None:
    """The planned model's score of each row of the sheet."""
    if plan is None:
        return None
    made, draw = read_plan(plan)
    column = draw.scores.get(made.strata.model, next(iter(draw.scores.values())))
    at = draw.at(np.array(sheet.places))
    return {row: float(column[place]) for row, place in enumerate(at) if place >= 0}


def _take_answers(session: Session, files: Sequence[str]) -> None:
    """Take in what others have answered in sheets of their own."""
    for name in files:
        found = read_sheet(Path(name))
        taken = session.take(found, Path(name).name)
        say(f"{_rows(taken)} answered in {name}.", error=True)


class _Stoppable(Bar):
    """Progress that nobody sees, and that stops the work when nobody wants it."""

    def __init__(self, given_up: threading.Event) -> None:
        self._given_up = given_up

    def step(self, words: str) -> None:
        self.update(0, None)

    def update(self, done: int, total: int | None) -> None:
        if self._given_up.is_set():
            raise InputError("Counting was stopped.")


def _loader(
    about: dict[str, Any], plan: str, sheet: Path, given_up: threading.Event
) -> Callable[[], Counted]:
    """Count the data that the plan names, which lie where they lay seen from the sheet."""

    def load() -> Counted:
        data = about.get("data")
        if not isinstance(data, dict) or not isinstance(data.get("file"), list):
            raise InputError(f"{_NOT_THERE}. Run puremetrics audit plan again.")
        own = argparse.Namespace(**{name: data.get(name) for name in _DATA}, propensity=None)
        own.file = [_beside(sheet, str(name)) for name in data["file"]]
        shown = _Stoppable(given_up)
        planned = argparse.Namespace(**{**vars(own), "score": own.score[:1]})
        own.sources = planned.sources = _listed(own.label)
        counts = counted(planned, shown)
        tables, marks = counts.tables, counts.marks
        model, draw = read_plan(plan)
        names = {name: value for name, value in marks.items() if name != "groups"}
        reader = RowReader(
            own.sources[0], tuple(dict.fromkeys(own.score)), groups=own.groups, **names
        )
        looked = look_up(own.file, reader, draw.place, where=own.where, progress=shown.update)
        return Counted(tables[model.strata.model], looked)

    return load


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _beside(sheet: Path, name: str) -> str:
    return name if Path(name).is_absolute() else str(sheet.parent / name)


# ---------------------------------------------------------------------- from scores


def about_data(options: argparse.Namespace, target: Path) -> dict[str, Any]:
    """Where the data of a plan are, seen from its sheet, and how they are read."""
    if not getattr(options, "can_read_again", True):  # what came out of a pipe
        return {}
    found = {name: getattr(options, name, None) for name in _DATA}
    folder = Path(os.path.realpath(target)).parent
    with suppress(ValueError):  # on another drive
        found["file"] = [os.path.relpath(os.path.realpath(name), folder) for name in options.file]
    return found


def page_text(sheet: Sheet, options: argparse.Namespace) -> str:
    """The sheet as one page for somebody without Python."""
    return alone(sheet, question=options.question or "", images=bool(options.images))


def _from_scores(options: argparse.Namespace, guess: Any, shown: Bar) -> tuple[Path, list[Counted]]:
    """Plan, draw, and write the sheet into the file of answers; or find that this was done."""
    output = Path(options.output)
    asked = {name: getattr(options, name) for name in _ASKED}
    data = about_data(options, output)
    wanted = _kept_columns(options)
    check_kept(wanted)
    about = {"data": data, "asked": asked, "kept": list(wanted)}
    check_target(output)
    if output.exists():
        plan = _plan_of(argparse.Namespace(audit_plan=None), output)
        before = {} if plan is None else plan_about(plan)[0]
        if any(before.get(name) != value for name, value in about.items()):
            raise InputError(
                f"{str(output)!r} is there already and may hold answers to other rows. Choose another file "
                f"with -o, or go on with it: puremetrics audit check {shlex.quote(str(output))}"
            )
        return output, []
    planned = argparse.Namespace(**{**vars(options), "score": options.score[:1]})
    counts = counted(planned, shown)
    tables, marks = counts.tables, counts.marks
    if "propensity" in marks:
        raise InputError("An audit needs no propensities: leave out --propensity.")
    table = tables[options.score[0]]
    shown.step("planning")
    plan_made: AuditPlan = plan_audit(
        table,
        budget=options.budget,
        target=options.target,
        threshold=options.threshold,
        prior=guess,
        confidence_level=options.level,
    )
    plan_made = replace(plan_made, strata=replace(plan_made.strata, model=options.score[0]))
    shown.step("drawing")
    names = {name: value for name, value in marks.items() if name != "groups"}
    rows = draw_rows(
        plan_made, options.file, label=single_label(options), score=list(dict.fromkeys(options.score)),
        more=wanted, rng=options.seed, where=options.where, progress=shown.update, **names,
    )  # fmt: skip
    assert rows.draw is not None
    kept = {name: column.tolist() for name, column in rows.draw.kept.items()}
    write_text(f"{output}.plan.json", plan_text(plan_made, rows, about))
    with whole_file(output, sync=True) as out:
        out.write(sheet_bytes(sheet_of(rows, kept)))
    if options.groups is not None:  # those of the drawn rows are found in the data
        return output, []
    from puremetrics.planning.sheets import Looked

    places = rows.draw.place
    size = int(places.max()) + 1
    looked = Looked(size, dict(rows.draw.scores), np.ones(places.size, dtype=np.bool_))
    return output, [Counted(table, looked)]


def _kept_columns(options: argparse.Namespace) -> tuple[str, ...]:
    """The columns to keep: those to show, or all but label and scores."""
    named = [part.strip() for name in options.show or () for part in name.split(",")]
    if named:
        return tuple(dict.fromkeys(name for name in named if name))
    own = {*options.sources, *map(unsigned, options.score), options.propensity}
    return tuple(name for name in column_names(expand(options.file)[0]) if name not in own)


def _resume(options: argparse.Namespace) -> str:
    return shlex.join(["puremetrics", *getattr(options, "typed", [])])


def _evaluate_command(about: dict[str, Any], output: Path) -> str:
    from puremetrics.cli.delivering import checked_command

    data = about.get("data")
    if not isinstance(data, dict) or not data.get("file"):
        return ""
    given = argparse.Namespace(
        **{name: data.get(name) for name in _DATA}, no_settings=None, output=str(output)
    )
    given.threshold = (about.get("asked") or {}).get("threshold")
    given.file = [_beside(output, str(name)) for name in data["file"]]
    return checked_command(given)


# ---------------------------------------------------------------------- the demonstration


def check_demo(options: argparse.Namespace) -> int:
    """Check rows of the demo data on a page that answers by itself, from the hidden truth."""
    from puremetrics.datasets.loading import DEMO_SCENARIO, load_demo
    from puremetrics.planning.sheets import Looked
    from puremetrics.tables.score_table import ScoreTable

    data = load_demo()
    labels, score, truth = data["reported"], data["forest"], data["spam"].astype(bool)
    table = ScoreTable.from_arrays(labels, score, scenario=DEMO_SCENARIO)
    plan = plan_audit(table, budget=200, target="precision", threshold=0.1, prior=0.4)
    rows = plan.draw(labels, score, rng=0)
    assert rows.draw is not None
    kept = {
        "message": [f"message {row}" for row in rows],
        "what a reader sees": ["spam" if truth[row] else "a message that is fine" for row in rows],
    }
    sheet = sheet_of(rows, kept)
    looked = Looked(labels.size, rows.draw.scores, np.ones(len(rows), dtype=np.bool_))
    folder = Path(tempfile.mkdtemp(prefix="puremetrics-"))
    try:
        output = folder / "checked.csv"
        session = Session(sheet, output, checker="demonstration")
        live = Live(plan_text(plan, rows), sheet.places, lambda: Counted(table, looked), width=0.25)
        outcome = _Outcome(session, live, {}, output)
        server = CheckServer(
            session,
            live,
            Options(
                question="Is this message spam?",
                resume="puremetrics demo --audit",
                scores=dict(enumerate(rows.draw.scores["model"].tolist())),
                truth=tuple("yes" if truth[row] else "no" for row in rows),
            ),
            port=_port(options),
            verdict=outcome.sentences,
            report=outcome.report,
        )
        known = float(np.mean(truth[score >= 0.1]))
        say(f"Is a message spam? The hidden precision at score >= 0.1 is {known:.4f}.")
        _serve(options, server)
        for line in outcome.sentences():
            say(line)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0
