"""Only `scenarios` knows the two scenarios; everything else asks the design of the table."""

import ast

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


def found_elsewhere(lines_of):
    """Places outside the module of scenarios at which something is found, as file and line."""
    return [
        (place_of(path), line)
        for path in files()
        if place_of(path) != HOME
        for line in lines_of(tree_of(path))
    ]


def test_no_other_module_compares_with_a_scenario():
    places = found_elsewhere(compared)
    assert not places, f"compared with the name of a scenario: {places}"


def test_no_other_module_names_a_scenario():
    places = [
        (place, line)
        for place, line in found_elsewhere(named)
        if place not in MAY_NAME and not place.startswith(MAY_NAME_FOLDERS)
    ]
    assert not places, f"names a scenario: {places}"


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
