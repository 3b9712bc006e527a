"""Data flow one way: between folders in a stated order, and between modules without cycles."""

import ast

from tests.programs import load
from tests.project.source import ROOT, every_import, files, graph, loaded, name_of, targets, tree_of

LAYERS = [
    "exceptions",
    "checking",
    "scenarios",
    "numerics",
    "results",
    "tables",
    "setting",
    "sampling",
    "auditing",
    "evidence",
    "correction",
    "bounds",
    "ranking",
    "calibration",
    "statistics",
    "listing",
    "priors",
    "theory",
    "planning",
    "comparing",
    "evaluation",
    "assuming",
    "io",
    "datasets",
    "report",
    "checkpage",
    "plots",
    "sklearn",
    "cli",
]
ON_CALL = {
    # Evaluation.to_html, AuditPlan.draw_from and AuditPlan.check load them when called; so do columns of a
    # data frame that are evidence, and chances of being looked at that are estimated from features.
    ("evaluation", "io"),
    ("evaluation", "report"),
    ("evidence", "priors"),
    ("planning", "checkpage"),
    ("planning", "io"),
    ("tables", "evidence"),
}


def test_every_folder_and_module_has_a_place():
    found = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in files()}
    assert found - {"__init__"} == set(LAYERS), "say in LAYERS where it belongs"


def test_the_picture_shows_every_folder():
    picture = load("architecture_picture", "docs")
    shown = {
        name
        for boxes in (picture.READING, picture.QUESTIONS, picture.SHOWING, picture.BESIDE)
        for name, _ in boxes
    }
    assert shown | {"tables", "setting", "results", "evaluation"} == set(LAYERS)


def test_modules_import_only_from_above():
    wrong = []
    for path in files():
        own = name_of(path).split(".")[0]
        if not own:
            continue
        for node in every_import(tree_of(path)):
            for name in targets(node):
                other = name.split(".")[0]
                if not other or (own, other) in ON_CALL:
                    continue
                if LAYERS.index(other) > LAYERS.index(own):
                    wrong.append(f"{name_of(path)} imports {name}, which is below it")
    assert not wrong, "\n".join(wrong)


def test_what_is_loaded_on_call_is_not_loaded_before():
    wrong = [
        f"{name_of(path)} imports {name}"
        for path in files()
        for node in loaded(tree_of(path).body)
        for name in targets(node)
        if (name_of(path).split(".")[0], name.split(".")[0]) in ON_CALL
    ]
    assert not wrong, wrong


def cycle_in(imports: dict[str, set[str]]) -> list[str] | None:
    """A chain of imports that leads back to where it started, or None."""
    done: set[str] = set()

    def follow(name: str, chain: list[str]) -> list[str] | None:
        if name in chain:
            return [*chain[chain.index(name) :], name]
        if name in done:
            return None
        for other in sorted(imports.get(name, ())):
            found = follow(other, [*chain, name])
            if found:
                return found
        done.add(name)
        return None

    return next((found for name in sorted(imports) if (found := follow(name, []))), None)


def test_a_cycle_is_found():
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": set()}) is None
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


def test_the_whole_package_has_no_cycle():
    found = cycle_in({name: others for name, others in graph().items() if name})
    assert found is None, " imports ".join(found or [])


def test_imports_for_type_checkers_and_inside_functions_do_not_count():
    source = (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    import puremetrics.cli\n"
        "else:\n    import puremetrics.tables.rows\n"
        "def f():\n    import puremetrics.plots\n"
        "try:\n    from puremetrics.tables import joint\nexcept ImportError:\n    pass\n"
    )
    nodes = list(loaded(ast.parse(source).body))
    assert [name for node in nodes for name in targets(node)] == ["tables.rows", "tables.joint"]
