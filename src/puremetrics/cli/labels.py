"""Label values in the type of their column: the command line knows only text.

What a column holds is told with counts, since whoever names a label wrongly wants to know which there are.
"""

from __future__ import annotations

import argparse
import shlex
from typing import Any

import numpy as np

from puremetrics.checking.arguments import shown
from puremetrics.checking.spelling import nearest
from puremetrics.exceptions import LabelError

__all__ = ["label_values"]

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
            f"--neg-label {shlex.quote(options.neg_label)} names empty cells, and a known negative has a "
            "value. Empty cells are unlabeled rows: leave out --neg-label."
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


def _check_positive(counts: Counts, positive: Any, options: argparse.Namespace) -> None:
    if not counts or any(_same(value, positive) for value in counts):
        return
    named = [value for value in counts if value is not None]
    if not named:
        raise LabelError(f"Column {shown(options.label)} is empty in all rows. Check --label.")
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
        f"{how} is not a value of column {shown(options.label)}. It holds {_told(counts)}. {advice}"
    )


def _unknown(
    unknown: Counts, others: Counts, positive: Any, options: argparse.Namespace
) -> LabelError:
    """The sentence for rows that no flag accounts for."""
    label = shown(options.label)
    told = f"Column {label} holds {_told(unknown)} besides {_as_flags(positive, others, unknown, options)}."
    first = next(iter(unknown))
    if len(others) > 50:
        return LabelError(f"{told} A label has two or three values: check --label.")
    if first is None and len(unknown) == 1:
        zero = _word(_plain(next(v for v in others if v is not None)))
        return LabelError(
            f"{told} If empty cells mark the unlabeled rows and {zero} known negatives, pass "
            f"--unlabeled-label missing --neg-label {zero}; otherwise drop the rows with --where "
            f"{_word(f'{options.label} IS NOT NULL')}."
        )
    word = _word(_plain(first))
    if options.neg_label is None:
        marks = (
            f"pass --unlabeled-label {word} if it marks unlabeled rows, --neg-label {word} if it "
        )
        return LabelError(f"{told} For {word}: {marks}marks known negatives.")
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


def _told(counts: Counts) -> str:
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
