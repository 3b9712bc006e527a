"""Columns that the folders of a file name, such as ``month=5``: for those that ask, if the file has none."""

from __future__ import annotations

import contextlib
import datetime
import re
from pathlib import Path
from urllib.parse import unquote

from puremetrics.io.duck import quoted, text_of

__all__ = ["columns_of_folders", "with_folders"]

_WHOLE = re.compile(r"[-+]?\d{1,18}")
_MISSING = "__HIVE_DEFAULT_PARTITION__"


def columns_of_folders(path: Path) -> dict[str, str]:
    """The values that the folders above a file name, by column.

    >>> columns_of_folders(Path("data/month=5/land=NL/part-0.csv"))
    {'month': '5', 'land': 'NL'}
    """
    pairs = (part.partition("=") for part in path.parts[:-1])
    return {unquote(name): unquote(value) for name, sign, value in pairs if sign and name}


def with_folders(held: dict[str, str], names: list[str]) -> str:
    """What to select besides the columns of a file: those that only its folders have, in SQL."""
    return "".join(
        f", {_constant(value)} AS {quoted(name)}"
        for name, value in held.items()
        if name not in names
    )


def _constant(value: str) -> str:
    if value == _MISSING:
        return "NULL"
    if _WHOLE.fullmatch(value):
        return f"CAST({int(value)} AS BIGINT)"
    with contextlib.suppress(ValueError):
        return f"CAST({text_of(datetime.date.fromisoformat(value).isoformat())} AS DATE)"
    return text_of(value)
