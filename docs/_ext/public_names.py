"""The API reference: every public name exactly once, without a list to keep up to date.

In an ``eval-rst`` fence, ``.. public-names:: correction pulp`` documents the names that the package exports
from a module, here ``correction``, and single names, here ``pulp``. A name that some page lists by itself is
left out wherever its module is listed. ``.. public-names:: rest`` documents whatever no page claims, so that
a new name cannot be forgotten. ``.. public-module:: puremetrics.sklearn`` takes a module's own ``__all__``.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import puremetrics

REST = "rest"


def names_by_module() -> dict[str, list[str]]:
    """Public names of the package, by the module that defines them."""
    found: dict[str, list[str]] = {}
    for name in puremetrics.__all__:
        found.setdefault(puremetrics._MODULE_OF[name], []).append(name)
    return found


def claimed(folder: Path) -> set[str]:
    """Modules and single names that the pages of a folder list in their ``public-names`` directives."""
    found: list[str] = []
    for page in sorted(folder.rglob("*.md")):
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith(".. public-names::"):
                found += [word for word in line.split("::", 1)[1].split() if word != REST]
    twice = {word for word in found if found.count(word) > 1}
    if twice:
        raise ValueError(f"Listed twice in the reference: {', '.join(sorted(twice))}.")
    return set(found)


def _entry(module: str, name: str, *, inherited: bool = False) -> list[str]:
    value = getattr(import_module(module), name)
    kind = "autofunction"
    if inspect.isclass(value):
        kind = "autoexception" if issubclass(value, BaseException) else "autoclass"
    elif not callable(value):
        kind = "autodata"
    options = ["   :inherited-members:"] if inherited and kind == "autoclass" else []
    return [f".. {kind}:: {module}.{name}", *options, ""]


class PublicNames(SphinxDirective):
    """Document single names, in the order given, or the exported names of some modules."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the entries; of modules functions before classes."""
        known, wanted = names_by_module(), self.arguments[0].split()
        taken = claimed(Path(self.env.srcdir))
        if wanted == [REST]:
            wanted = sorted(set(known) - taken)
        names = [word for word in wanted if word in puremetrics.__all__]
        of_modules = [name for word in wanted for name in known.get(word, []) if name not in taken]
        if of_modules:
            names = sorted(
                [*of_modules, *names], key=lambda name: inspect.isclass(getattr(puremetrics, name))
            )
        return _parsed(self, [line for name in names for line in _entry("puremetrics", name)])


class PublicModule(SphinxDirective):
    """Document everything in a module's ``__all__``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the entries in their order."""
        module = self.arguments[0]
        names = import_module(module).__all__
        return _parsed(
            self, [line for name in names for line in _entry(module, name, inherited=True)]
        )


def _name_role(
    _role: str,
    raw: str,
    text: str,
    line: int,
    inliner: Any,
    _options: Any = None,
    _content: Any = (),
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """`name` in a docstring: a link if the package exports it, plain code otherwise."""
    code = nodes.literal(raw, text)
    if text.split(".")[0] not in puremetrics.__all__:
        return [code], []
    link = addnodes.pending_xref(
        raw, code, refdomain="py", reftype="obj", reftarget=f"puremetrics.{text}", refexplicit=False
    )
    return [link], []


def _parsed(directive: SphinxDirective, lines: list[str]) -> list[nodes.Node]:
    box = nodes.section()
    box.document = directive.state.document
    directive.state.nested_parse(StringList(lines, source="public names"), 0, box)
    return box.children


def _plain_docstring(
    _app: Any, what: str, _name: str, value: Any, _options: Any, lines: list[str]
) -> None:
    """|U| is a size, not a substitution; fields of a result that its text leaves out are named."""
    code = ("``", ">>>", "...")
    lines[:] = [
        line if any(mark in line for mark in code) else line.replace("|", "\\|") for line in lines
    ]
    if what == "class" and is_dataclass(value):
        text = "\n".join(lines)
        names = [field.name for field in fields(value) if not field.name.startswith("_")]
        left = [name for name in names if not re.search(rf"\b{name}\b", text)]
        if left:
            ends = (i - 1 for i, line in enumerate(lines) if line.startswith("---"))
            which = "Fields" if left == names else "Other fields"
            at = next(ends, len(lines))
            lines[at:at] = ["", f"{which}: {', '.join(f'``{name}``' for name in left)}.", ""]


def _short_signature(
    _app: Any, what: str, _name: str, value: Any, _options: Any, signature: str, returns: str
) -> tuple[str, str] | None:
    """Results and tables are made by functions, not by their constructors."""
    if what == "class" and is_dataclass(value):
        return "", returns
    return None


def setup(app: Sphinx) -> dict[str, Any]:
    """Register directives and role."""
    app.add_directive("public-names", PublicNames)
    app.add_directive("public-module", PublicModule)
    app.add_role("public-name", _name_role)
    app.connect("autodoc-process-signature", _short_signature)
    app.connect("autodoc-process-docstring", _plain_docstring, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
