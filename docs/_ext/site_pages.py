"""What follows the package by itself: lists of pages, codes and errors, and the report of the demo data."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import puremetrics
from puremetrics import exceptions

PACKAGE = Path(puremetrics.__file__).parent
# Listed by hand; every other page of docs/evidence is written by a program.
BY_HAND = {"benchmarks", "index", "peers"}
_LINE = re.compile(r"^(\w+): (.+)$")


def pages_of_programs(folder: Path) -> list[str]:
    """Names of the pages of evidence that a program wrote."""
    pages = (folder / "evidence").glob("*.md")
    return sorted(page.stem for page in pages if page.stem not in BY_HAND)


def claimed_pages(folder: Path) -> set[str]:
    """Pages that the index describes in a sentence of their own, whether they exist or not."""
    text = (folder / "evidence" / "index.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```\{made-pages\}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    return {m[1] for block in blocks for line in block.splitlines() if (m := _LINE.match(line))}


class MadePages(SphinxDirective):
    """A list of pages with a sentence each, those that exist; ``rest`` as argument: all others."""

    optional_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the list and a hidden toctree."""
        folder = Path(self.env.srcdir)
        there = pages_of_programs(folder)
        if self.arguments == ["rest"]:
            rows = [(name, "") for name in there if name not in claimed_pages(folder)]
        else:
            found = (_LINE.match(line) for line in self.content)
            rows = [(m[1], m[2]) for m in found if m and m[1] in there]
        if not rows:
            return []
        lines = [
            f"- [](/evidence/{name}.md){': ' + words if words else ''}" for name, words in rows
        ]
        lines += [
            "",
            ":::{toctree}",
            ":hidden:",
            "",
            *(f"/evidence/{name}" for name, _ in rows),
            ":::",
        ]
        return _parsed(self, lines)


class DiagnosticCodes(SphinxDirective):
    """A table of all codes: what each says, and the modules that give it."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        lines = ["| code | what it says | given by |", "|---|---|---|"]
        lines += [f"| `{code}` | {title} | {where} |" for code, title, where in diagnostic_rows()]
        return _parsed(self, lines)


def diagnostic_rows() -> list[tuple[str, str, str]]:
    """Code, title and modules of every diagnostic, by code."""
    sources = {
        path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", "."): path.read_text(
            encoding="utf-8"
        )
        for path in PACKAGE.rglob("*.py")
        if path.name != "exceptions.py"
    }
    rows = []
    for code, title in sorted(exceptions.DIAGNOSTIC_CODES.items()):
        where = sorted(name for name, text in sources.items() if f'"{code}"' in text)
        rows.append((code, title, ", ".join(f"`{name}`" for name in where)))
    return rows


class ErrorTree(SphinxDirective):
    """The errors as a nested list."""

    def run(self) -> list[nodes.Node]:
        """Return the list."""
        return _parsed(self, error_lines())


def error_lines(kind: type = exceptions.PuremetricsError, depth: int = 0) -> list[str]:
    """The tree below an error, one line each, as nested bullets."""
    said = (kind.__doc__ or "").strip().splitlines()[0]
    lines = ["  " * depth + f"- `{kind.__name__}`: {said[0].lower()}{said[1:]}"]
    for child in kind.__subclasses__():
        if child.__module__.startswith("puremetrics."):
            lines += error_lines(child, depth + 1)
    return lines


def _write_demo_report(app: Sphinx, problem: Exception | None) -> None:
    """The report of the demo data, which report.md shows in a frame."""
    if problem is None and app.builder.format == "html":
        from puremetrics.cli import main

        with contextlib.redirect_stdout(io.StringIO()):
            main(["demo", "-o", str(Path(app.outdir) / "demo-report.html")])


def _parsed(directive: SphinxDirective, lines: list[str]) -> list[nodes.Node]:
    box = nodes.Element()
    box.document = directive.state.document
    directive.state.nested_parse(StringList(lines, source=directive.name), 0, box)
    return box.children


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("made-pages", MadePages)
    app.add_directive("diagnostic-codes", DiagnosticCodes)
    app.add_directive("error-tree", ErrorTree)
    app.connect("build-finished", _write_demo_report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
