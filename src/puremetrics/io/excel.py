"""The first sheet of an Excel workbook as an Arrow table, read by calamine.

The first row that is not empty names the columns. A column of numbers is whole where all are whole; columns
of dates and of true and false stay such, and any other mixture becomes text, as in a CSV file. Formulas count
with the value that was saved.
"""

from __future__ import annotations

import datetime
import functools
import io
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from puremetrics.exceptions import InputError, MissingDependencyError

__all__ = ["excel_table"]

_MOST_BYTES = 2**31  # unpacked
_MOST_CELLS = 2**26
_PLACE = re.compile(  # of cells that hold something, and of rows whose first cell does not say where it is
    rb"""<(?:\w+:)? (?: c | row (?= [^<]* <(?:\w+:)?c (?! [^<]* \s r \s* = ) \b ) ) (?=\s)
    [^<]*? \s r \s* = \s* ["'] ([A-Za-z]{0,9}) (\d{1,20}) [^<]* (?<!/) > \s* < (?!/)""",
    re.VERBOSE,
)
_ERROR = re.compile(rb"(<(?:\w+:)?c\s[^<>]*?\bt\s*=\s*[\"'])e(?=[\"'])")


def excel_table(path: Path, place: str) -> Any:
    """Return the first sheet of a workbook that is not hidden, as an Arrow table."""
    import pyarrow as pa

    try:
        from python_calamine import SheetTypeEnum, SheetVisibleEnum, load_workbook
    except ImportError:
        raise MissingDependencyError(
            "Reading Excel workbooks needs python-calamine. Install puremetrics[cli]."
        ) from None
    with load_workbook(_prepared(path, place)) as book:
        sheets = [each for each in book.sheets_metadata if each.typ == SheetTypeEnum.WorkSheet]
        if not sheets:
            raise InputError(f"{place} has no sheet. Save it again, or as .csv.")
        first = min(sheets, key=lambda each: each.visible != SheetVisibleEnum.Visible)
        header, *rows = book.get_sheet_by_name(first.name).to_python() or [[]]
    names = {at: _text(cell) for at, cell in enumerate(header) if cell != ""}
    if not names:
        raise InputError(
            f"{place} has an empty first row in its first sheet, where the column names belong. Put them "
            "there."
        )
    rows = [row for row in rows if any(row[at] != "" for at in names)]
    columns = [_array([None if row[at] == "" else row[at] for row in rows]) for at in names]
    return pa.Table.from_arrays(columns, names=list(names.values()))


def _prepared(path: Path, place: str) -> io.BytesIO:
    """The XML of a workbook, if it is safe to read, with its errors (``#N/A``) as text.

    Calamine leaves errors empty, and an empty label means something. It also makes room for every cell up to
    the last one, wherever that is, and ends the process if there is not enough.
    """
    if not zipfile.is_zipfile(path):
        raise InputError(
            f"{place} cannot be read: it is not an Excel workbook, despite its extension, or it has a "
            "password. Save it again as .xlsx without one, or as .csv."
        )
    prepared = io.BytesIO()
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(prepared, "w") as copy:
        if sum(member.file_size for member in archive.infolist()) > _MOST_BYTES:
            raise InputError(f"{place} is too large for a workbook. Save it as .csv or .parquet.")
        for name in archive.namelist():
            if name.endswith((".xml", ".rels")):
                content = archive.read(name)
                columns, rows = {b"A"}, {b"1"}
                for cell in _PLACE.finditer(content):
                    columns.add(cell[1])
                    rows.add(cell[2])
                if max(map(_number, columns)) * max(map(int, rows)) > _MOST_CELLS:
                    raise InputError(
                        f"{place} has a sheet with cells far below and far to the right of the others. "
                        "Delete them, or save the sheet as .csv or .parquet."
                    )
                copy.writestr(name, _ERROR.sub(rb"\1str", content))
    prepared.seek(0)
    return prepared


def _number(letters: bytes) -> int:
    """The number of a column from its letters: A is 1, AA is 27."""
    return functools.reduce(lambda value, letter: 26 * value + letter - 64, letters.upper(), 0)


def _array(cells: list[Any]) -> Any:
    import pyarrow as pa

    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds <= {float}:
        whole = kinds and all(c is None or (c.is_integer() and abs(c) < 2.0**53) for c in cells)
        return pa.array(cells, pa.int64() if whole else pa.float64())
    if kinds == {datetime.date, datetime.datetime}:
        return pa.array(np.array(cells, dtype="datetime64[us]"))
    if len(kinds) == 1:
        return pa.array(cells)
    return pa.array([None if cell is None else _text(cell) for cell in cells])


def _text(cell: Any) -> str:
    return str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell)
