"""Score columns that hold text: what kind of text, where, and what to do about it."""

from __future__ import annotations

import re
from typing import Any

from puremetrics.checking.arguments import shown
from puremetrics.exceptions import ScoreError

__all__ = ["not_a_number", "text_scores"]

_COMMA = re.compile(r"[-+]?\d{0,3}(?:[. ']\d{3})*\d*,\d+(?:[eE][-+]?\d+)?")
_PERCENT = re.compile(r"[-+]?[\d.,]+\s*%")
_INFINITE = re.compile(r"[-+]?(?:inf|infinity|∞)", re.IGNORECASE)
_MISSING = {"na", "n/a", "nan", "#n/a", "null", "none", "nil", "-", "--", "?", ".", "missing", "#value!",
            "#div/0!", "<na>"}  # fmt: skip


def text_scores(column: Any, name: str, place: str, first_row: int) -> ScoreError:
    """The error for an Arrow column of text: it names the first value that is no number, and its row."""
    for row, value in enumerate(column.to_pylist(), first_row + 1):
        found = "" if value is None else str(value)
        if not _is_number(found):
            return not_a_number(found, name, place, f"row {row}")
    return ScoreError(
        f"Column {shown(name)} of {place} holds numbers as text. Convert it to numbers first."
    )


def not_a_number(found: str, name: str, place: str, where: str) -> ScoreError:
    """The sentence for one cell of a score column, which the command line's user can look up."""
    text = found.strip()
    cell = f"Column {shown(name)} of {place} holds {shown(found)} in {where}"
    if not text:
        return ScoreError(
            f"Column {shown(name)} of {place} has no value in {where}, which has no place in a ranking. Drop "
            "such rows or score them; do not fill them with a constant, which would rank them."
        )
    if _PERCENT.fullmatch(text):
        share = text.rstrip("% \u00a0\u202f").replace(",", ".")
        example = f"{float(share) / 100:g}" if _is_number(share) else "0.83"
        return ScoreError(
            f"{cell}, a number with a percent sign, which is text. Write shares, such as {example}, or "
            "remove the signs: ranks stay the same."
        )
    if _COMMA.fullmatch(text):
        point = re.sub(r"[. '](?=\d{3})", "", text).replace(",", ".")
        return ScoreError(
            f"{cell}, a number with a decimal comma, which is text. Write the file with decimal points "
            f"({point})."
        )
    if _INFINITE.fullmatch(text):
        return ScoreError(
            f"{cell}, an infinite score, which has no place among the others. Write a number that is larger "
            "or smaller than all of them, or drop the row."
        )
    if text.lower() in _MISSING:
        return ScoreError(
            f"{cell}, which stands for a missing score. A row without a score has no place in a ranking: "
            "drop such rows or score them."
        )
    return ScoreError(
        f"{cell}, which is text, but a ranking needs numbers. Name another column, or correct the cell."
    )


def _is_number(text: str) -> bool:
    try:
        value = float(text)
    except ValueError:
        return False
    return value == value and abs(value) != float("inf")
