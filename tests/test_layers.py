"""Data flows one way: a module imports only from those above it."""

import ast
from pathlib import Path

import puremetrics

LAYERS = [
    "exceptions",
    "_validation",
    "formulas",
    "_rows",
    "table",
    "segments",
    "joint",
    "results",
    "brackets",
    "scenario",
    "intervals",
    "pava",
    "recovery",
    "hypergeometric",
    "confusion",
    "correction",
    "resampling",
    "bands",
    "contingency",
    "bounds",
    "labelling",
    "sensitivity",
    "hull",
    "calibration",
    "ranking",
    "priors",
    "threshold",
    "comparison",
    "drifting",
    "evaluation",
    "datasets",
    "io",
    "report",
    "sklearn",
    "plots",
    "cli",
]
ON_CALL = {("evaluation", "report")}  # Evaluation.to_html loads it when called
ROOT = Path(puremetrics.__file__).parent


def test_modules_import_only_from_above():
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if name == "__init__":
            continue
        assert name in LAYERS, f"say in LAYERS where {name} belongs"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else []
            )
            for module in modules:
                parts = module.split(".")
                if parts[0] != "puremetrics" or len(parts) < 2:
                    continue
                if (name, parts[1]) in ON_CALL:
                    continue
                below = LAYERS.index(parts[1]) > LAYERS.index(name)
                assert not below, f"{name} imports {parts[1]}, which is below it"
