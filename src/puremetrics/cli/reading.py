"""Files as tables or columns, for the commands: read whole, or counted if they are large or asked to be.

The command line knows only text, so label values are put in the type of their column (`label_values`). What a
column holds is told with counts, since whoever names a label wrongly wants to know which there are.

What a command cannot do without is told with the columns that the file has (`check_needed`).

Rows in memory (`Rows`) hold the columns that are evidence as well: those of several label sources, which
together make one label, and answers of people.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from puremetrics.checking.arguments import listed, shown
from puremetrics.checking.columns import as_column, as_scores, unsigned
from puremetrics.checking.labels import label_masks
from puremetrics.checking.spelling import nearest
from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.cli.arguments import NEEDED
from puremetrics.cli.evidence import ANSWERS, of_columns
from puremetrics.cli.terminal import Bar
from puremetrics.exceptions import InputError, LabelError, PuremetricsError, UnsupportedError
from puremetrics.io.conditions import check_text
from puremetrics.io.files import expand, read_columns
from puremetrics.scenarios import check_scenario
from puremetrics.tables.joint import JointTable
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "Counted",
    "Rows",
    "check_needed",
    "check_segments",
    "counted",
    "label_values",
    "read_rows",
    "single_label",
]


_SEEN = 100_000
_LISTED = 6
Counts = dict[Any, int]  # rows by value; None stands for empty cells


def label_values(column: Any, options: argparse.Namespace, *, whole: bool = True) -> dict[str, Any]:
    """Return ``pos_label``, ``unlabeled_label`` and ``neg_label`` as values of the column.

    With ``whole`` the column holds all rows, and labels that are not there are refused here. Without
    --unlabeled-label the unlabeled rows are the empty cells, if there is nothing else besides the other
    labels, and otherwise those with 0.
    """
    counts = _counts(column)
    values = np.asarray(column)
    if options.neg_label in ("missing", ""):
        raise LabelError(
            f"--neg-label {shlex.quote(options.neg_label)} stands for empty cells, but a known negative "
            "needs a value. Empty cells are unlabeled rows: leave out --neg-label."
        )
    positive = _typed("1" if options.pos_label is None else options.pos_label, values)
    negative = _typed(options.neg_label, values)
    if whole:
        _check_positive(counts, positive, options)
    others = {
        value: rows
        for value, rows in counts.items()
        if not _same(value, positive) and (negative is None or not _same(value, negative))
    }
    if options.unlabeled_label is None:
        unlabeled = None if set(others) == {None} else _typed("0", values)
    else:
        unlabeled = _typed(options.unlabeled_label, values)
    if whole:
        unknown = {value: rows for value, rows in others.items() if not _same(value, unlabeled)}
        if unknown:
            raise _unknown(unknown, others, positive, options)
    return {"pos_label": positive, "unlabeled_label": unlabeled, "neg_label": negative}


def _label(options: argparse.Namespace) -> str:
    return str(options.sources[0])


def _check_positive(counts: Counts, positive: Any, options: argparse.Namespace) -> None:
    if not counts or any(_same(value, positive) for value in counts):
        return
    named = [value for value in counts if value is not None]
    if not named:
        raise LabelError(f"Column {shown(_label(options))} is empty in all rows. Check --label.")
    given = options.pos_label
    how = "--pos-label is not given, and 1" if given is None else f"--pos-label {_word(given)}"
    meant = nearest(str(given), [_plain(value) for value in named]) if given is not None else None
    if meant is None:
        rare = min(named, key=lambda value: counts[value])
        meant = _plain(rare) if len(named) <= 3 else None
    advice = (
        "Check --label and --pos-label." if meant is None else f"Pass --pos-label {_word(meant)}"
    )
    if meant is not None:
        advice += " if that marks the labelled positives."
    raise LabelError(
        f"{how} is not a value of column {shown(_label(options))}. It holds {_with_counts(counts)}. {advice}"
    )


def _unknown(
    unknown: Counts, others: Counts, positive: Any, options: argparse.Namespace
) -> LabelError:
    """The sentence for rows that no flag accounts for."""
    label = shown(_label(options))
    flags = _as_flags(positive, others, unknown, options)
    told = f"Column {label} holds {_with_counts(unknown)} besides {flags}."
    first = next(iter(unknown))
    if len(others) > 50:
        return LabelError(f"{told} A label column has two or three values: check --label.")
    if first is None and len(unknown) == 1:
        zero = _word(_plain(next(v for v in others if v is not None)))
        return LabelError(
            f"{told} If empty cells mark the unlabeled rows and {zero} known negatives, pass "
            f"--unlabeled-label missing --neg-label {zero}; otherwise drop the rows with --where "
            f"{_word(f'{_label(options)} IS NOT NULL')}."
        )
    word = _word(_plain(first))
    if options.neg_label is None:
        marks = (
            f"pass --unlabeled-label {word} if it marks unlabeled rows, --neg-label {word} if it "
        )
        return LabelError(f"{told} For {word}: {marks}value that marks known negatives.")
    return LabelError(
        f"{told} Pass --unlabeled-label {word} if that marks unlabeled rows, or drop these rows with --where."
    )


def _as_flags(positive: Any, others: Counts, unknown: Counts, options: argparse.Namespace) -> str:
    known = [f"--pos-label {_word(_plain(positive))}"]
    known += [
        f"--unlabeled-label {'missing' if value is None else _word(_plain(value))}"
        for value in others
        if value not in unknown
    ]
    if options.neg_label is not None:
        known.append(f"--neg-label {_word(options.neg_label)}")
    return " and ".join([", ".join(known[:-1]), known[-1]] if len(known) > 1 else known)


def _with_counts(counts: Counts) -> str:
    """Values with their counts, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda pair: -pair[1])
    told = [
        f"{_cell(value)} ({rows} {'row' if rows == 1 else 'rows'})"
        for value, rows in ordered[:_LISTED]
    ]
    more = len(ordered) - len(told)
    return ", ".join(told) + (f" and {more} other values" if more else "")


def _cell(value: Any) -> str:
    if value is None:
        return "empty cells"
    return shown(value, 40) if isinstance(value, str) else _plain(value)


def _word(text: str) -> str:
    return shlex.quote(text)


def _plain(value: Any) -> str:
    """A value as it stands in a file, as far as that can be told."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _same(value: Any, label: Any) -> bool:
    if value is None or label is None:
        return value is label
    return isinstance(value, str) == isinstance(label, str) and bool(value == label)


def _counts(column: Any) -> Counts:
    """Rows by value, the most frequent of very many; empty cells and NaN are None."""
    import pyarrow as pa

    wrong = LabelError(f"The label column holds {column.type}. Name a column of single values.")
    if pa.types.is_nested(column.type):
        raise wrong
    try:
        found = column.value_counts() if hasattr(column, "value_counts") else None
    except pa.ArrowNotImplementedError:  # such as numbers beyond all that Arrow has
        raise wrong from None
    counts: Counts = {}
    if found is None:
        return counts
    for value, rows in zip(
        found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True
    ):
        key = None if isinstance(value, float) and value != value else value
        counts[key] = counts.get(key, 0) + rows
    return counts


def _typed(text: str | None, values: Any) -> Any:
    """The value of the column that a word on the command line means."""
    if text is None or text in ("missing", ""):
        return None
    kind = values.dtype.kind
    boolean = kind == "b" or (
        kind == "O" and any(isinstance(value, bool) for value in values[:_SEEN].tolist())
    )
    if kind == "O":  # text, or anything with empty cells
        present = {value for value in values[:_SEEN].tolist() if value is not None}
        if text in present:
            return text
        same = [value for value in present if str(value).lower() == text.lower()]
        if same:
            return same[0]
        kind = "U" if any(isinstance(value, str) for value in present) else "f"
    if kind not in "biuf":
        return text
    words = {"true": 1.0, "false": 0.0}
    if boolean:  # what CSV readers take for booleans
        words |= {"yes": 1.0, "t": 1.0, "no": 0.0, "f": 0.0}
    try:
        return words[text.lower()] if text.lower() in words else float(text)
    except ValueError:
        return text


LOADED = 2**31  # bytes of files that are read whole
MOST_PAIRED = 12  # models whose pairs are compared
_LOOK = 20_000  # rows that show whether a column names segments
_SEGMENTS = 200  # fewer may be as many as rows
_MOST_SHARE = 0.5


@dataclass(frozen=True)
class Rows:
    """Rows in memory: labels, scores by column, and what else a table takes.

    ``sources`` says which rows each label column marked, if there are several; ``labels`` are 1 for rows that
    any of them did. ``answers`` are the columns of people's and a judge's answers by flag.
    """

    labels: Any
    scores: Mapping[str, Any]
    marks: dict[str, Any]
    sources: dict[str, BoolArray] | None = None
    answers: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def unlabeled(self) -> BoolArray:
        """Rows without a label."""
        marks = self.marks
        return label_masks(
            self.labels, marks["pos_label"], marks["unlabeled_label"], marks["neg_label"]
        )[1]

    @cached_property
    def arrays(self) -> dict[str, FloatArray]:
        """The scores as arrays."""
        return {name: as_scores(column, name) for name, column in self.scores.items()}


@dataclass(frozen=True)
class Counted:
    """The tables, the label values and propensities that they took, and the rows if they are in memory."""

    tables: Any
    marks: dict[str, Any]
    rows: Rows | None = None


def counted(options: argparse.Namespace, shown: Bar) -> Counted:
    """A table per score column, or segments of one; counted from the files when they are large."""
    files = expand(options.file)
    wants = [getattr(options, name, None) for name in ("by", "scan", "checkpoint")]
    large = sum(file.stat().st_size for file in files)
    if large > LOADED and of_columns(options):
        raise UnsupportedError(
            f"Evidence from columns ({listed(of_columns(options))}) needs the rows in memory, but the files "
            f"hold {large / 2**30:.1f} GB, and up to {LOADED / 2**30:.0f} GB are read whole. Write the "
            "columns that are needed, or a random sample of the rows, to a smaller file."
        )
    if not any(wants) and large <= LOADED:
        rows = read_rows(options, shown)
        columns, how = rows.scores, {"scenario": options.scenario, **rows.marks}
        if 1 < len(columns) <= MOST_PAIRED:  # the same rows: differences of models have intervals
            return Counted(JointTable.from_arrays(rows.labels, columns, **how), rows.marks, rows)
        tables = {
            name: ScoreTable.from_arrays(rows.labels, column, **how)
            for name, column in columns.items()
        }
        return Counted(tables, rows.marks, rows)
    if options.propensity is not None:
        raise UnsupportedError(
            "Propensities belong to rows, which a scan does not keep. Leave out --propensity; or leave out "
            "--by, --scan and --checkpoint, and use files of up to 2 GB."
        )
    label = options.sources[0]
    seen = read_columns(files[0], [label], where=options.where, limit=100_000)
    if len(files) == 1 or not options.where:
        _check_any(options, len(seen[label]))
    marks = label_values(seen[label], options, whole=False)
    shown.step("counting")
    from puremetrics.io.scan import scan

    tables = scan(
        files,
        label=label,
        score=options.score,
        scenario=options.scenario,
        by=wants[0],
        groups=options.groups,
        where=options.where,
        checkpoint=wants[2],
        progress=shown.update,
        **marks,
    )
    return Counted(tables, marks)


def read_rows(options: argparse.Namespace, shown: Bar) -> Rows:
    """The rows of the files, with all columns that flags name."""
    check_scenario(options.scenario)
    for name in ("propensity", "groups", "where", *ANSWERS):
        check_text(name, getattr(options, name, None), optional=True)
    for label in options.sources:
        check_text("label", label)
    scores = [unsigned(name) for name in options.score]
    asked = {name: getattr(options, name, None) for name in ("propensity", "groups", *ANSWERS)}
    named: dict[str, str] = {name: column for name, column in asked.items() if column is not None}
    wanted = [*options.sources, *scores, *named.values()]
    columns = read_columns(
        options.file, list(dict.fromkeys(wanted)), scores=scores, where=options.where,
        progress=shown.update,
    )  # fmt: skip
    labels, more, sources = _labels(options, columns)
    for name in ("propensity", "groups"):
        if name in named:
            more[name] = columns[named[name]]
    found = {
        name: columns[name] if unsigned(name) == name else -as_scores(columns[unsigned(name)], name)
        for name in options.score
    }
    answers = {
        name: as_column(columns[named[name]], f"--{name} {named[name]}")
        for name in ANSWERS
        if name in named
    }
    return Rows(labels, found, more, sources, answers)


def _labels(
    options: argparse.Namespace, columns: Mapping[str, Any]
) -> tuple[Any, dict[str, Any], dict[str, BoolArray] | None]:
    """The labels and their values; with several sources also which rows each of them labelled."""
    _check_any(options, len(columns[options.sources[0]]))
    if len(options.sources) == 1:
        labels = columns[options.sources[0]]
        return labels, label_values(labels, options), None
    sources = {}
    for name in options.sources:
        own = argparse.Namespace(**{**vars(options), "sources": [name]})
        marks = label_values(columns[name], own)
        sources[name] = label_masks(
            columns[name], marks["pos_label"], marks["unlabeled_label"], None
        )[0]
    any_ = np.any(np.stack(list(sources.values())), axis=0).astype(np.int64)
    return any_, {"pos_label": 1, "unlabeled_label": 0, "neg_label": None}, sources


def _check_any(options: argparse.Namespace, rows: int) -> None:
    """Raise if there is no row to work with."""
    if rows:
        return
    if options.where is not None:
        raise InputError(
            f"No rows are left after --where {shown(options.where)}. Check the condition: text in SQL needs "
            "single quotes and is case-sensitive."
        )
    raise InputError(
        f"There are no rows in {', '.join(map(shown, options.file[:3]))}. Check the file."
    )


def check_segments(options: argparse.Namespace) -> None:
    """Refuse at once a column that has a value of its own for nearly every row, such as an id."""
    if options.by is None:
        return
    first = expand(options.file)[0]
    column = read_columns(first, [options.by], where=options.where, limit=_LOOK)[options.by]
    distinct = len(column.unique())
    if distinct > max(_SEGMENTS, _MOST_SHARE * len(column)):
        raise InputError(
            f"--by {options.by} has {distinct} different values in the first {len(column)} rows, such as "
            f"{shown(column[0].as_py())}: nearly every row would be a segment of its own. Name a column with "
            "few values, such as a month or a country."
        )


def check_needed(options: argparse.Namespace) -> None:
    """Raise for flags that were left out and have no default; ``sources`` become the label columns."""
    given = vars(options)
    if given.get("action") == "check":
        if options.budget is None:  # a sheet, whose plan says all that
            return
        options.output = options.output or "checked.csv"
    lacking = [name for name in NEEDED if name in given and given[name] is None]
    if options.command != "audit":  # only a sheet must have a name
        lacking = [name for name in lacking if name != "output"]
    if lacking:
        told = "; ".join(f"{_flag(name)}, {NEEDED[name]}" for name in lacking)
        action = f" {options.action}" if "action" in options else ""
        raise InputError(f"{options.command}{action} needs {told}.{_columns(options, lacking)}")
    options.sources = list(dict.fromkeys(options.label))
    for label in options.sources:
        if label in map(unsigned, options.score):
            raise InputError(
                f"--label and --score both name the column {shown(label)}. Labels and scores must be "
                f"different columns.{_columns(options, ['label'])}"
            )


def single_label(options: argparse.Namespace) -> str:
    """The one label column, for what counts labels in files without loading the rows."""
    if len(options.sources) > 1:
        raise UnsupportedError(
            f"audit {options.action} takes one label column, but --label names {listed(options.sources)}. "
            "Write a column that is 1 where any of them is 1, and pass that."
        )
    return str(options.sources[0])


def _flag(name: str) -> str:
    word = {"label": "COL", "score": "COL", "scenario": "S", "budget": "N", "output": "FILE"}[name]
    return f"{'-o' if name == 'output' else '--' + name} {word}"


def _columns(options: argparse.Namespace, lacking: list[str]) -> str:
    """What columns there are to choose from; nothing if that cannot be told."""
    if not {"label", "score"} & set(lacking) or options.file[0] == "-":
        return ""
    from puremetrics.io.files import column_names, expand

    with suppress(PuremetricsError, OSError):
        first = expand(options.file)[0]
        return f" The columns of {first.name!r} are: {listed(column_names(first))}."
    return ""
