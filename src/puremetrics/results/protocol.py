"""What every public result has in common.

A result is a frozen record of numbers that says what it assumed. Its arrays are read-only. Two results
are equal if they are of one kind and all their numbers agree (NaN equals NaN). ``print`` gives a few
lines, ``repr`` one, notebooks a small table; `frame` gives columns, `to_frame` a data frame and
`to_dict` valid JSON.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.exceptions import Diagnostic, MissingDependencyError
from puremetrics.results.html import html_of

__all__ = ["Columns", "Result", "json_ready"]

Columns = dict[str, npt.NDArray[Any]]
_LONGEST_REPR = 120


class Result:
    """Base of the frozen dataclasses that public functions return.

    Subclasses are declared with ``@dataclass(frozen=True, eq=False, repr=False)`` and have a field
    ``diagnostics``.
    """

    diagnostics: tuple[Diagnostic, ...]

    def __post_init__(self) -> None:
        for value in self._values().values():
            _freeze(value)

    def _values(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    # ---------------------------------------------------------------- comparing

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, Result)
        compared = [field.name for field in fields(self) if field.compare]  # type: ignore[arg-type]
        return all(_same(getattr(self, name), getattr(other, name)) for name in compared)

    def __hash__(self) -> int:
        plain = (float, int, str, bool, type(None))
        parts = [value for value in self._values().values() if isinstance(value, plain)]
        return hash((type(self).__name__, *(p for p in parts if p == p)))

    # ---------------------------------------------------------------- showing

    def __repr__(self) -> str:
        line = str(self).split("\n", 1)[0]
        text = f"{type(self).__name__}: {line}"
        return f"<{text if len(text) <= _LONGEST_REPR else text[: _LONGEST_REPR - 1] + '…'}>"

    def _repr_html_(self) -> str:
        remarks = [f"  {remark}" for remark in self.diagnostics]
        lines = [line for line in str(self).split("\n") if line not in remarks]
        return html_of(lines, self.frame(), self.diagnostics)

    # ---------------------------------------------------------------- handing on

    def frame(self) -> Columns:
        """Return the numbers as columns, which any data frame library takes."""
        values = self._values()
        arrays = {k: v for k, v in values.items() if isinstance(v, np.ndarray) and v.ndim == 1}
        if arrays:
            return arrays
        plain = (float, int, str, bool, np.generic)
        return {k: np.array([v]) for k, v in values.items() if isinstance(v, plain)}

    def to_frame(self) -> Any:
        """Return `frame` as a data frame: of pandas if it is installed, otherwise of polars."""
        columns = self.frame()
        try:
            import pandas
        except ImportError:
            pass
        else:
            return pandas.DataFrame(columns)
        try:
            import polars
        except ImportError:
            raise MissingDependencyError(
                "to_frame needs pandas or polars, and neither is installed. Install one of them, or use "
                "frame(), which returns columns as arrays."
            ) from None
        return polars.DataFrame({name: column.tolist() for name, column in columns.items()})

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings that are valid JSON; infinite and undefined ones are None."""
        ready: dict[str, Any] = json_ready(self._values())
        return ready


def json_ready(value: Any) -> Any:
    """Plain Python for JSON: arrays as lists, results as mappings, infinite and undefined numbers as null."""
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, Diagnostic):
        return {"code": value.code, "message": value.message}
    if isinstance(value, dict):
        return {str(key): json_ready(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_ready(item) for item in value]
    if isinstance(value, np.ndarray):
        plain = value.tolist()
        return [json_ready(item) for item in plain] if value.ndim else json_ready(plain)
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return str(value)


def _freeze(value: Any) -> None:
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, dict):
        for item in value.values():
            _freeze(item)


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        if not (isinstance(first, np.ndarray) and isinstance(second, np.ndarray)):
            return False
        floats = first.dtype.kind == "f" and second.dtype.kind == "f"
        return np.array_equal(first, second, equal_nan=floats)
    if type(first) is not type(second) and not isinstance(first, float | int):
        return False
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(_same(v, second[k]) for k, v in first.items())
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(
            _same(a, b) for a, b in zip(first, second, strict=True)
        )
    if hasattr(first, "equals"):  # a table
        return bool(first.equals(second))
    return bool(first == second or (first != first and second != second))
