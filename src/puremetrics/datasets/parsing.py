"""From the files that packages carry to features and labels: one function a format.

Each reader takes the contents of its files and returns a `Parsed`: features, labels, and the
original label where another binarisation is possible. Positives are coded 1.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import MissingDataError

__all__ = ["Parsed"]

_BANK_LEVELS = {
    "job": "admin. blue-collar entrepreneur housemaid management retired self-employed services student "
    "technician unemployed unknown",
    "marital": "divorced married single",
    "education": "unknown primary secondary tertiary",
    "default": "no yes",
    "housing": "no yes",
    "loan": "no yes",
    "contact": "cellular telephone unknown",
    "month": "jan feb mar apr may jun jul aug sep oct nov dec",
    "poutcome": "failure other success unknown",
}
_BANK_ROWS = 45_000
# Every value that the documentation of the mushroom data lists, occurring or not: 126 indicators.
_MUSHROOM_LEVELS = (
    "bcxfks", "fgys", "nbcgrpuewy", "tf", "alcyfmnps", "adfn", "cwd", "bn", "knbhgropuewy", "et",
    "bcuezr?", "fyks", "fyks", "nbcgopewy", "nbcgopewy", "pu", "nowy", "not", "ceflnpsz", "knbhrouwy",
    "acnsvy", "glmpuwd",
)  # fmt: skip
# What the packaged copy of page-blocks has wrong: (row, column): (found, right), and a lost last row.
_PAGEBLOCKS_WRONG = {(4, 3): (500.0, 0.5), (13, 7): (1.0, 17.0), (13, 8): (737.0, 37.0)}
_PAGEBLOCKS_LOST = (8, 1, 8, 0.125, 1, 1, 8, 8, 8, 1, 4)
_PAGEBLOCKS_ROWS = 5473
_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


@dataclass(frozen=True)
class Parsed:
    """Features ``X``, labels ``y`` and further columns by name."""

    X: Any
    y: Any
    columns: dict[str, Any] = field(default_factory=dict)


def numbers(content: bytes, delimiter: str | None = ",", skip: int = 0, dtype: Any = float) -> Any:
    """A matrix of numbers from text."""
    return np.loadtxt(io.BytesIO(content), delimiter=delimiter, skiprows=skip, dtype=dtype, ndmin=2)


def keel_rows(content: bytes) -> list[list[str]]:
    """Data lines of a KEEL or ARFF file (or of plain comma-separated text), split and stripped."""
    lines = [line.strip() for line in content.decode("utf-8").splitlines()]
    return [
        [cell.strip() for cell in line.split(",")]
        for line in lines
        if line and not line.startswith(("@", "%"))
    ]


def bank(contents: Sequence[bytes]) -> Parsed:
    """Categories become their place in the documented order of levels."""
    rows = keel_rows(contents[0])
    names, rows = rows[0], rows[1 : _BANK_ROWS + 1]
    codes = {
        name: {level: place for place, level in enumerate(levels.split())}
        for name, levels in _BANK_LEVELS.items()
    }
    features = np.empty((len(rows), len(names) - 1))
    for place, name in enumerate(names[:-1]):
        column = [row[place] for row in rows]
        features[:, place] = [codes[name][cell] for cell in column] if name in codes else column
    return Parsed(features, _as_label(np.array([row[-1] for row in rows]) == "yes"))


def concrete(contents: Sequence[bytes]) -> Parsed:
    """The first sheet of a workbook, without a spreadsheet library: numbers are plain cells."""
    with zipfile.ZipFile(io.BytesIO(contents[0])) as book:
        sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    rows = [
        [float(cell.findtext(f"{_SHEET}v", "nan")) for cell in row]
        for row in list(sheet.iter(f"{_SHEET}row"))[1:]
    ]
    return _above_mean(np.array([row for row in rows if row]))


def housing(contents: Sequence[bytes]) -> Parsed:
    return _above_mean(numbers(contents[0]))


def landsat(contents: Sequence[bytes]) -> Parsed:
    values = np.concatenate([numbers(part, None) for part in contents])
    return _classes(values, {7})


def mushroom(contents: Sequence[bytes]) -> Parsed:
    """One indicator for every documented value of the 22 attributes; the class comes first."""
    rows = np.array(keel_rows(contents[0]))
    columns = [
        rows[:, place + 1] == level
        for place, levels in enumerate(_MUSHROOM_LEVELS)
        for level in levels
    ]
    return Parsed(np.column_stack(columns).astype(float), _as_label(rows[:, 0] == "p"))


def pageblocks(contents: Sequence[bytes]) -> Parsed:
    """Two misprinted rows are put right and the row that the packaged copy lost is added."""
    values = np.array(keel_rows(contents[0]), dtype=float)
    for place, (wrong, right) in _PAGEBLOCKS_WRONG.items():
        if place[0] < len(values) and values[place] == wrong:
            values[place] = right
    if len(values) == _PAGEBLOCKS_ROWS - 1:
        values = np.vstack([values, _PAGEBLOCKS_LOST])
    return _classes(values, {2, 3, 4, 5})


def pendigits(contents: Sequence[bytes]) -> Parsed:
    return _classes(np.array(keel_rows(contents[0]), dtype=float), {0, 1, 2})


def pima(contents: Sequence[bytes]) -> Parsed:
    rows = keel_rows(contents[0])
    features = np.array([row[:-1] for row in rows], dtype=float)
    return Parsed(features, _as_label(np.array([row[-1] for row in rows]) == "positive"))


def spambase(contents: Sequence[bytes]) -> Parsed:
    values = numbers(contents[0])
    return Parsed(values[:, :-1], _as_label(values[:, -1] == 1))


def wine(contents: Sequence[bytes]) -> Parsed:
    """Red wines, then white ones."""
    parts = [numbers(part, ";", 1) for part in contents]
    values = np.concatenate(parts)
    white = np.repeat([0, 1], [len(part) for part in parts]).astype(np.uint8)
    quality = values[:, -1]
    columns = {"quality": quality.astype(np.uint8), "white": white}
    return Parsed(values[:, :-1], _as_label(quality > 5), columns)


def covtype(contents: Sequence[bytes]) -> Parsed:
    values = numbers(contents[0], skip=1, dtype=np.int16)
    cover = values[:, -1].astype(np.uint8)
    return Parsed(values[:, :-1], _as_label(cover == 2), {"cls": cover})


def mnist(contents: Sequence[bytes]) -> Parsed:
    """The label first, then 28 × 28 pixels; training rows, then test rows."""
    values = np.concatenate([numbers(part, skip=1, dtype=np.uint8) for part in contents])
    return Parsed(values[:, 1:], values[:, 0].copy())


def mnist16(contents: Sequence[bytes]) -> Parsed:
    """The first 1000 of each digit, resized to 16 × 16."""
    whole = mnist(contents)
    rows = np.sort(np.concatenate([np.flatnonzero(whole.y == d)[:1000] for d in range(10)]))
    return Parsed(shrunk(whole.X[rows], 16), whole.y[rows], {"mnist_row": rows.astype(np.int32)})


def shrunk(images: Any, side: int) -> Any:
    """Square images resized by a box filter, along rows and then along columns, rounded after each.

    A new pixel is the mean of the old ones whose centres it covers, as image libraries do it.
    """
    old = round(images.shape[1] ** 0.5)
    scale = old / side
    offset = (np.arange(old) + 0.5 - (np.arange(side)[:, None] + 0.5) * scale) / scale
    inside = (offset > -0.5) & (offset <= 0.5)
    weights = inside / inside.sum(axis=1, keepdims=True)
    square = images.reshape(-1, old, old).astype(float)
    across = np.floor(square @ weights.T + 0.5)
    down = np.floor(np.swapaxes(np.swapaxes(across, 1, 2) @ weights.T, 1, 2) + 0.5)
    return down.astype(np.uint8).reshape(len(images), side * side)


def newsgroups(contents: Sequence[bytes]) -> Parsed:
    """Two tab-separated files, train and test, with three lines of header: group, then text."""
    groups: list[str] = []
    texts: list[str] = []
    split: list[str] = []
    for name, content in zip(("train", "test"), contents, strict=True):
        for line in content.decode("utf-8").split("\n")[3:]:
            group, tab, text = line.partition("\t")
            if tab:
                groups.append(group)
                texts.append(text)
                split.append(name)
    return Parsed(np.array(texts, dtype=object), np.array(groups), {"split": np.array(split)})


def _as_label(positive: Any) -> Any:
    return np.asarray(positive).astype(np.uint8)


def _above_mean(values: FloatArray) -> Parsed:
    """The last column is a number to predict; above its mean is positive."""
    if not np.isfinite(values).all():
        raise MissingDataError(
            "A cell that should be a number is not one: the package has changed."
        )
    target = values[:, -1]
    return Parsed(values[:, :-1], _as_label(target > target.mean()), {"target": target})


def _classes(values: FloatArray, positive: set[int]) -> Parsed:
    """The last column is a class; some classes together are positive."""
    found = values[:, -1].astype(np.uint8)
    return Parsed(values[:, :-1], _as_label(np.isin(found, list(positive))), {"cls": found})
