"""Mutation testing of the numerical core: ``python benchmarks/mutate.py [module …] --each 12 --seed 0``.

Changes one operator, comparison, constant or boolean of a module at a time and runs the tests that concern it.
A mutant that no test notices survives; the score is the share noticed. No file is changed: each mutant lives
in a forked process, which imports the module from the changed syntax tree. Needs a system with ``fork``.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.abc
import importlib.util
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "puremetrics"
# The tests that concern each module, the fastest first.
CORE = {
    "numerics/formulas": ["numerics", "correction", "project/test_extremes.py"],
    "numerics/monotone": ["numerics", "correction"],
    "numerics/hypergeometric": ["numerics"],
    "numerics/head_limits": ["numerics", "bounds"],
    "scenarios": ["test_scenarios.py", "setting", "project/test_edge_cases.py", "correction"],
    "setting/assumed": ["setting", "project/test_edge_cases.py", "correction"],
    "setting/two_samples": ["setting", "sampling", "correction"],
    "sampling/limits": ["sampling", "correction", "project/test_edge_cases.py"],
    "sampling/list_ranks": ["sampling", "io"],
    "statistics/worlds": ["statistics", "correction", "listing"],
    "statistics/roc_area": ["statistics", "correction", "project/test_extremes.py"],
    "statistics/precision_area": ["statistics", "correction", "project/test_extremes.py"],
    "statistics/threshold_metric": ["statistics", "correction", "project/test_edge_cases.py"],
    "statistics/risks": ["statistics", "calibration"],
    "correction/curves": ["correction", "project/test_edge_cases.py"],
    "correction/hull": ["correction", "project/test_extremes.py"],
    "bounds/contingency": ["bounds", "project/test_extremes.py"],
    "bounds/curves": ["bounds", "project/test_edge_cases.py"],
    "bounds/areas": ["bounds", "project/test_edge_cases.py"],
    "bounds/metrics": ["bounds", "project/test_edge_cases.py"],
    "ranking/kernels": ["ranking", "project/test_extremes.py"],
    "calibration/gaps": ["calibration"],
    "priors/labelling": ["priors"],
    "io/first_pass": ["io"],
    "io/second_pass": ["io"],
    "io/score_keys": ["io"],
}  # fmt: skip
ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
              ast.Pow: ast.Mult, ast.FloorDiv: ast.Mult}  # fmt: skip
COMPARISON = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
              ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is}  # fmt: skip


def places(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Indices (in walking order) of the nodes that can be changed, and how."""
    messages = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise | ast.AnnAssign | ast.arguments | ast.JoinedStr)
        or (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Diagnostic")
        for inner in ast.walk(node.annotation if isinstance(node, ast.AnnAssign) else node)
    }
    for index, node in enumerate(ast.walk(tree)):
        if id(node) in messages:
            continue
        if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in ARITHMETIC:
            yield index, "arithmetic"
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISON:
            yield index, "comparison"
        elif isinstance(node, ast.BoolOp):
            yield index, "boolean"
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not | ast.Invert):
            yield index, "sign"
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
            yield index, "constant"


def mutated(tree: ast.Module, index: int) -> tuple[ast.Module, str]:
    """A copy with that node changed, and a line that says what became of it."""
    changed = copy.deepcopy(tree)
    node = next(n for i, n in enumerate(ast.walk(changed)) if i == index)
    before = ast.unparse(node)
    if isinstance(node, ast.BinOp | ast.AugAssign):
        node.op = ARITHMETIC[type(node.op)]()
    elif isinstance(node, ast.Compare):
        node.ops[0] = COMPARISON[type(node.ops[0])]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.UnaryOp):
        if isinstance(node.op, ast.USub):
            node.op = ast.UAdd()
        else:  # twice is not at all, for truth values and for arrays of them
            node.operand = ast.UnaryOp(type(node.op)(), node.operand)
    elif isinstance(node.value, bool):
        node.value = not node.value
    else:
        node.value = node.value + 1 if isinstance(node.value, int) else node.value * 1.5 + 1e-3
    return ast.fix_missing_locations(changed), f"{node.lineno}: {before}  →  {ast.unparse(node)}"


class Substitute(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a syntax tree instead of its file."""

    def __init__(self, name: str, tree: ast.Module, path: Path) -> None:
        self.name, self.tree, self.path = name, tree, path

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def create_module(self, spec):
        return None

    def exec_module(self, module) -> None:
        exec(compile(self.tree, str(self.path), "exec"), module.__dict__)


def survives(name: str, tree: ast.Module | None, path: Path, tests: list[str], limit: int) -> bool:
    """Run the tests in a child; True if none of them failed."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status) == 0
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        signal.alarm(limit)  # a mutant that never ends is noticed, too
        if tree is not None:
            sys.meta_path.insert(0, Substitute(name, tree, path))
        import pytest

        files = [str(ROOT / "tests" / test) for test in tests if (ROOT / "tests" / test).exists()]
        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow"]
        options += ["-o", "addopts=", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
        os._exit(int(pytest.main([*files, *options])))
    except BaseException:
        os._exit(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", default=list(CORE), metavar="module")
    parser.add_argument("--each", type=int, default=12, help="mutants of a module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", nargs="*", default=[], help="test files to leave out")
    parser.add_argument("--limit", type=int, default=60, help="seconds before a mutant is given up")
    options = parser.parse_args()
    os.environ["HYPOTHESIS_PROFILE"] = "mutation"
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    import numpy  # noqa: F401  (once, before the forks)
    import pytest  # noqa: F401
    import scipy.optimize
    import scipy.special  # noqa: F401
    from hypothesis import HealthCheck, Phase, settings

    calm = list(HealthCheck)
    settings.register_profile(
        "mutation", derandomize=True, deadline=None, max_examples=25, database=None,
        suppress_health_check=calm, phases=[Phase.explicit, Phase.generate],  # no shrinking
    )  # fmt: skip
    killed = total = 0
    start = time.perf_counter()
    for module in options.modules:
        path = SOURCE / f"{module}.py"
        name = "puremetrics." + module.replace("/", ".")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        tests = [test for test in CORE[module] if test not in options.without]
        if not survives(name, None, path, tests, options.limit):
            print(f"{module}: the tests fail without any change; skipped", flush=True)
            continue
        found = list(places(tree))
        picked = random.Random(f"{options.seed}{module}").sample(
            found, min(options.each, len(found))
        )
        lost = 0
        for index, _ in picked:
            changed, what = mutated(tree, index)
            alive = survives(name, changed, path, tests, options.limit)
            lost += not alive
            if alive:
                print(f"  {module}:{what}", flush=True)
        killed, total = killed + lost, total + len(picked)
        print(f"{module}: {lost} of {len(picked)} noticed (of {len(found)} possible)", flush=True)
    seconds = time.perf_counter() - start
    print(
        f"score {killed}/{total} = {killed / max(total, 1):.1%} in {seconds:.0f} s, seed {options.seed}"
    )


if __name__ == "__main__":
    main()
