"""The report shows what an evaluation holds: no estimator is within its reach."""

import ast
from pathlib import Path

import puremetrics

ESTIMATORS = ("bounds", "calibration", "correction", "priors", "ranking", "sampling")


def test_the_report_imports_no_estimator():
    for path in (Path(puremetrics.__file__).parent / "report").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("puremetrics."):
                assert node.module.split(".")[1] not in ESTIMATORS, f"{path.name}: {node.module}"
