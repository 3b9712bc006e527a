"""Only `scenarios` knows the two scenarios; everything else asks the design of the table."""

import ast

import pytest

from tests.project.source import ROOT, files, tree_of

NAMES = {"case_control", "single_training_set"}
HOME = "scenarios.py"
# Texts that show the names to a user: help of the command line, and the demo data with its scenario.
MAY_NAME = {"cli/arguments.py", "cli/commands.py"}
MAY_NAME_FOLDERS = ("datasets/",)


def place_of(path):
    return path.relative_to(ROOT).as_posix()


def docstrings(tree):
    """Constants that are docstrings, or other bare texts."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def named(tree):
    """Lines at which a text is the name of a scenario."""
    skipped = docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in skipped and node.value in NAMES:
            yield node.lineno


def compared(tree):
    """Lines at which something is compared with the name of a scenario."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            inside = [n for n in ast.walk(node) if isinstance(n, ast.Constant)]
            if any(constant.value in NAMES for constant in inside):
                yield node.lineno
        matched = node.value if isinstance(node, ast.MatchValue) else None
        if isinstance(matched, ast.Constant) and matched.value in NAMES:
            yield matched.lineno


ELSEWHERE = [path for path in files() if place_of(path) != HOME]


@pytest.mark.parametrize("path", ELSEWHERE, ids=place_of)
def test_no_other_module_compares_with_a_scenario(path):
    assert list(compared(tree_of(path))) == []


@pytest.mark.parametrize("path", ELSEWHERE, ids=place_of)
def test_no_other_module_names_a_scenario(path):
    place = place_of(path)
    if place in MAY_NAME or place.startswith(MAY_NAME_FOLDERS):
        return
    assert list(named(tree_of(path))) == []


def test_what_is_looked_for_is_found():
    code = (
        '"""case_control"""\n'
        'a = scenario == "case_control"\n'
        'b = scenario in ("case_control", "other")\n'
        'c = {"single_training_set": 1}\n'
        'd = f"for case_control, say"\n'
    )
    tree = ast.parse(code)
    assert list(compared(tree)) == [2, 3]
    assert sorted(named(tree)) == [2, 3, 4]
    home = tree_of(ROOT / HOME)
    assert len(list(named(home))) >= 2
