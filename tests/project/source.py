"""The package's source as syntax trees: its modules, and what they import when they are loaded."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import puremetrics

ROOT = Path(puremetrics.__file__).parent


@cache
def files() -> tuple[Path, ...]:
    return tuple(sorted(ROOT.rglob("*.py")))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    """Dotted name inside the package: "tables.rows"; the package of a folder has the folder's name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def names() -> frozenset[str]:
    return frozenset(name_of(path) for path in files())


def loaded(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports that run when the module is loaded: not those of functions or for type checkers."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If):
            if not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
                yield from loaded(node.body)
            yield from loaded(node.orelse)
        elif isinstance(node, ast.Try):
            for part in (node.body, node.orelse, node.finalbody, *(h.body for h in node.handlers)):
                yield from loaded(part)
        elif isinstance(node, ast.With | ast.ClassDef):
            yield from loaded(node.body)


def every_import(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node


def targets(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Modules of the package that an import names: "from package.folder import module" names the module."""
    if isinstance(node, ast.Import):
        given = [alias.name for alias in node.names]
    else:
        assert node.level == 0, "imports are absolute"
        given = []
        for alias in node.names:
            below = f"{node.module}.{alias.name}"
            given.append(below if below.removeprefix("puremetrics.") in names() else node.module)
    for name in given:
        if name == "puremetrics" or name.startswith("puremetrics."):
            yield name.removeprefix("puremetrics").removeprefix(".")


def graph() -> dict[str, set[str]]:
    """What each module imports from the package when it is loaded."""
    found = {}
    for path in files():
        own = name_of(path)
        nodes = loaded(tree_of(path).body)
        found[own] = {name for node in nodes for name in targets(node)} - {own}
    return found
