"""The notebooks of examples/ as pages: the build runs each and shows what it printed and drew.

A notebook is a program in jupytext's percent format, which any editor and Jupyter open; its pair
``.ipynb`` is written by ``python docs/_ext/notebooks.py``, without outputs. A page ``docs/examples/name.md``
stands for ``examples/name.py`` and gets its text when Sphinx reads it. Cells run as the examples of
any page do: in one namespace, in an empty folder, with warnings as errors.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import examples

FOLDER = Path(__file__).resolve().parents[2] / "examples"
_MARK = re.compile(r"^# %%(?: \[(\w+)\])?(.*)$")
_ALT = re.compile(r'alt="([^"]*)"')
_HEADER = re.compile(r"\A# ---\n(?:#.*\n)*?# ---\n")


@dataclass(frozen=True)
class Cell:
    """One cell: Markdown, or code with words for its picture."""

    kind: str  # "markdown" or "code"
    source: str
    alt: str
    line: int


@dataclass(frozen=True)
class Output:
    """What a cell printed, its pictures (PNG), and what went wrong."""

    text: str = ""
    pictures: tuple[bytes, ...] = ()
    failure: str = ""


def cells(text: str) -> list[Cell]:
    """The cells of a program in the percent format."""
    found: list[Cell] = []
    lines: list[str] = []
    kind, alt, start = "", "", 0
    head = _HEADER.match(text)
    skipped = head[0].count("\n") if head else 0

    def keep() -> None:
        source = "\n".join(lines).strip("\n")
        if kind == "markdown":
            source = "\n".join(
                line.removeprefix("#").removeprefix(" ") for line in source.split("\n")
            )
        if kind:
            found.append(Cell(kind, source, alt, start))

    for number, line in enumerate(text.split("\n")[skipped:], skipped + 1):
        mark = _MARK.match(line)
        if mark is None:
            lines.append(line)
            continue
        keep()
        words = _ALT.search(mark[2])
        kind, alt, start = mark[1] or "code", words[1] if words else "", number + 1
        lines = []
    keep()
    return found


def run(notebook: list[Cell], name: str) -> list[Output]:
    """Run all cells in order; stop at the first that fails."""
    space: dict[str, Any] = {"__name__": "__main__"}
    outputs = []
    with examples.workshop():
        for cell in notebook:
            output = Output() if cell.kind == "markdown" else _run_cell(cell, space, name)
            outputs.append(output)
            if output.failure:
                break
    return outputs


def _run_cell(cell: Cell, space: dict[str, Any], name: str) -> Output:
    tree = ast.parse("\n" * (cell.line - 1) + cell.source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(tree, name, "exec"), space)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), name, "eval"), space)
                if value is not None and not cell.source.rstrip().endswith(";"):
                    print(repr(value))
        return Output(out.getvalue(), _pictures())
    except Exception as error:
        return Output(out.getvalue(), _pictures(), f"{type(error).__name__}: {error}")


def _pictures() -> tuple[bytes, ...]:
    """Open figures as PNG, closed."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return ()
    drawn = []
    for number in pyplot.get_fignums():
        file = io.BytesIO()
        pyplot.figure(number).savefig(file, format="png", dpi=110, metadata={"Software": None})
        drawn.append(file.getvalue())
    pyplot.close("all")
    return tuple(drawn)


def page(name: str, notebook: list[Cell], outputs: list[Output]) -> str:
    """The Markdown of a notebook with its outputs."""
    parts = []
    for number, cell in enumerate(notebook):
        if cell.kind == "markdown":
            parts.append(cell.source.replace("](../docs/", "](../"))
            continue
        parts.append(f"```{{code-block}} python\n{cell.source}\n```")
        output = outputs[number] if number < len(outputs) else Output()
        if output.text.strip():
            parts.append(f"```{{code-block}} text\n:class: output\n\n{output.text.rstrip()}\n```")
        for picture in output.pictures:
            data = base64.b64encode(picture).decode()
            parts.append(f"![{cell.alt}](data:image/png;base64,{data})")
        if number == len(outputs) - 1 and output.failure:
            parts.append(f"**{output.failure}**")
    source = f"*This page is `examples/{name}.py`, run when the site was built.*"
    return "\n\n".join([*parts, source, ""])


def as_ipynb(notebook: list[Cell]) -> str:
    """The same cells as a Jupyter notebook without outputs."""
    made: list[dict[str, Any]] = []
    for number, cell in enumerate(notebook):
        entry: dict[str, Any] = {"cell_type": cell.kind, "id": f"cell-{number}", "metadata": {}}
        if cell.alt:
            entry["metadata"]["alt"] = cell.alt
        if cell.kind == "code":
            entry |= {"execution_count": None, "outputs": []}
        made.append(entry | {"source": cell.source.splitlines(keepends=True)})
    about = {
        "jupytext": {"formats": "ipynb,py:percent"},
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    whole = {"cells": made, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _read(app: Any, docname: str, source: list[str]) -> None:
    program = FOLDER / f"{docname.removeprefix('examples/')}.py"
    if not docname.startswith("examples/") or not program.exists():
        return
    from sphinx.util import logging

    app.env.note_dependency(str(program))
    notebook = cells(program.read_text(encoding="utf-8"))
    outputs = run(notebook, program.name) if app.config.run_examples else []
    for cell, output in zip(notebook, outputs, strict=False):
        if output.failure:
            place = f"{program}:{cell.line}"
            logging.getLogger(__name__).warning("cell failed: %s", output.failure, location=place)
    source[0] = page(program.stem, notebook, outputs)


def setup(app: Any) -> dict[str, Any]:
    """Fill the pages of notebooks when they are read."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    for program in sorted(FOLDER.glob("*.py")):
        notebook = cells(program.read_text(encoding="utf-8"))
        program.with_suffix(".ipynb").write_text(as_ipynb(notebook), encoding="utf-8")
