"""Any result as a small table for notebooks: no script, no style sheet, everything escaped."""

from __future__ import annotations

import math
from html import escape
from typing import Any

__all__ = ["html_of"]

_ROWS = 12
_CELL = (
    "padding:1px 12px 1px 0;text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap"
)


def html_of(lines: list[str], columns: dict[str, Any], remarks: tuple[Any, ...]) -> str:
    """The lines of a result, the first rows of its columns, and its remarks."""
    said = "".join(f"<div>{escape(line.strip())}</div>" for line in lines[1:4])
    parts = [f"<div><b>{escape(lines[0])}</b></div>", f'<div style="opacity:.7">{said}</div>']
    rows = min((len(column) for column in columns.values()), default=0)
    if rows > 1:
        head = "".join(f'<th style="{_CELL};opacity:.6">{escape(name)}</th>' for name in columns)
        body = "".join(
            "<tr>"
            + "".join(f'<td style="{_CELL}">{escape(_cell(c[i]))}</td>' for c in columns.values())
            + "</tr>"
            for i in range(min(rows, _ROWS))
        )
        table = '<table style="border-collapse:collapse;margin:.3em 0">'
        parts.append(f"{table}<tr>{head}</tr>{body}</table>")
        if rows > _ROWS:
            parts.append(f'<div style="opacity:.6">… and {rows - _ROWS} more rows</div>')
    parts += [f"<div>{escape(str(remark))}</div>" for remark in remarks]
    text = f'<div class="puremetrics">{"".join(parts)}</div>'
    return text.encode("utf-8", "replace").decode("utf-8")


def _cell(value: Any) -> str:
    if isinstance(value, float) or hasattr(value, "dtype"):
        try:
            number = float(value)
        except (TypeError, ValueError):
            return str(value)
        return "–" if math.isnan(number) else f"{number:.4g}"
    return str(value)
