"""The report shows what an evaluation holds: no estimator is within its reach."""

import ast
from pathlib import Path

import puremetrics

ESTIMATORS = ("bounds", "calibration", "correction", "priors", "ranking", "sampling")


def test_the_report_imports_no_estimator():
    wrong = [
        f"{path.name}: {node.module}"
        for path in (Path(puremetrics.__file__).parent / "report").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("puremetrics.")
        if node.module.split(".")[1] in ESTIMATORS
    ]
    assert not wrong, wrong
