import ast
import subprocess
import sys
from pathlib import Path

import pytest

import puremetrics as pm
from puremetrics.exceptions import DIAGNOSTIC_CODES, Diagnostic


def test_all_is_sorted_and_complete():
    assert pm.__all__ == sorted(pm.__all__)
    assert set(pm.__all__) == set(pm._MODULE_OF)
    for name in pm.__all__:
        assert getattr(pm, name).__doc__
    assert set(pm.__all__) <= set(dir(pm))
    with pytest.raises(AttributeError, match="no attribute 'auc'"):
        _ = pm.auc


def test_type_checkers_see_every_name():
    tree = ast.parse(Path(pm.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name for statement in block.body for alias in statement.names}
    assert seen == set(pm.__all__)


def test_importing_loads_nothing_heavy():
    code = (
        "import sys, puremetrics; puremetrics.roc_auc; puremetrics.ScoreTable\n"
        "heavy = ('scipy.stats', 'sklearn', 'matplotlib', 'pandas', 'duckdb', 'pyarrow')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_diagnostic_codes_are_registered_and_used():
    source = "".join(p.read_text("utf-8") for p in Path(pm.__file__).parent.rglob("*.py"))
    for code in DIAGNOSTIC_CODES:
        assert source.count(f'"{code}"') >= 2, f"{code} is registered but never given"
    with pytest.raises(KeyError, match="PM999"):
        Diagnostic("PM999", "nothing")
