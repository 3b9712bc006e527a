"""The first sheet of an Excel workbook as an Arrow table, read from its XML: no further package is needed.

A workbook (.xlsx, ECMA-376) is a zip archive. ``xl/workbook.xml`` lists the sheets, a sheet has rows of
cells, and text stands in ``xl/sharedStrings.xml`` or in the cell itself. The first row holds the names of the
columns. A column of numbers and empty cells becomes floats, whole where all are whole; any text in it makes
the column text, as in a CSV file. Formulas count with the value that was saved. Dates are the numbers that
Excel keeps, unless they were saved as text.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from puremetrics.exceptions import InputError

__all__ = ["excel_table"]

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_PLACE = re.compile(r"([A-Z]{1,3})\d*")
_MOST_BYTES = 2**31  # unpacked
_WHOLE = 2.0**53


def excel_table(path: Path, place: str) -> Any:
    """Return the first sheet of a workbook as an Arrow table."""
    import pyarrow as pa

    if not zipfile.is_zipfile(path):
        raise InputError(
            f"{place} cannot be read: it is not an Excel workbook, whatever its ending says. Save it again "
            "as .xlsx, or as .csv."
        )
    with zipfile.ZipFile(path) as archive:
        if sum(member.file_size for member in archive.infolist()) > _MOST_BYTES:
            raise InputError(f"{place} is too large for a workbook. Save it as .csv or .parquet.")
        texts = _shared(archive)
        rows = _rows(archive, _first_sheet(archive, place), texts)
        header = next(rows, {})
        if not header:
            raise InputError(
                f"{place} is empty in the first row of its first sheet, where the names of the columns "
                "belong. Write them there."
            )
        names = {at: str(_shown(value)) for at, value in header.items() if value is not None}
        columns: dict[int, list[Any]] = {at: [] for at in names}
        for row in rows:
            if any(row.get(at) is not None for at in names):
                for at, column in columns.items():
                    column.append(row.get(at))
    arrays = [_array(column) for column in columns.values()]
    return pa.Table.from_arrays(arrays, names=list(names.values()))


def _array(cells: list[Any]) -> Any:
    import pyarrow as pa

    present = [cell for cell in cells if cell is not None]
    if present and all(isinstance(cell, bool) for cell in present):
        return pa.array(cells, pa.bool_())
    if any(isinstance(cell, str | bool) for cell in present):
        return pa.array([None if cell is None else str(_shown(cell)) for cell in cells])
    if present and all(cell.is_integer() and abs(cell) < _WHOLE for cell in present):
        return pa.array([None if cell is None else int(cell) for cell in cells], pa.int64())
    return pa.array(cells, pa.float64())


def _shown(cell: Any) -> Any:
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def _first_sheet(archive: zipfile.ZipFile, place: str) -> str:
    """The name of the file in the archive that holds the first sheet which is not hidden."""
    book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
    sheets = book.findall(f"{_MAIN}sheets/{_MAIN}sheet")
    sheets = [sheet for sheet in sheets if sheet.get("state", "visible") == "visible"] or sheets
    if not sheets:
        raise InputError(f"{place} has no sheet. Save it again, or as .csv.")
    related = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    targets = {each.get("Id"): each.get("Target", "") for each in related}
    target = targets[sheets[0].get(_RELATED)]
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _shared(archive: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    root = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
    return [_text(item) for item in root.findall(f"{_MAIN}si")]


def _text(item: Any) -> str:
    """The text of a cell, without the phonetic readings that may stand beside it."""
    own = [item.find(f"{_MAIN}t"), *item.findall(f"{_MAIN}r/{_MAIN}t")]
    return "".join(part.text or "" for part in own if part is not None)


def _rows(archive: zipfile.ZipFile, sheet: str, texts: list[str]) -> Iterator[dict[int, Any]]:
    """The cells of each row, by the number of their column."""
    with archive.open(sheet) as file:
        for _, element in ElementTree.iterparse(file):
            if element.tag != f"{_MAIN}row":
                continue
            row: dict[int, Any] = {}
            at = -1
            for cell in element.findall(f"{_MAIN}c"):
                named = _PLACE.match(cell.get("r", ""))
                at = at + 1 if named is None else _number(named[1])
                row[at] = _value(cell, texts)
            element.clear()
            yield row


def _number(letters: str) -> int:
    """The number of a column from its letters: A is 0, AA is 26."""
    value = 0
    for letter in letters:
        value = 26 * value + ord(letter) - ord("A") + 1
    return value - 1


def _value(cell: Any, texts: list[str]) -> Any:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        inside = cell.find(f"{_MAIN}is")
        return None if inside is None else _text(inside) or None
    found = cell.find(f"{_MAIN}v")
    if found is None or found.text is None:
        return None
    if kind == "s":
        return texts[int(found.text)] or None
    if kind == "b":
        return found.text.strip() == "1"
    if kind in ("str", "e", "d"):
        return found.text or None
    return float(found.text)
