import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import puremetrics as pm
from puremetrics import plots
from puremetrics.exceptions import DIAGNOSTIC_CODES, Diagnostic


def test_all_is_sorted_and_complete():
    assert pm.__all__ == sorted(pm.__all__)
    assert set(pm.__all__) == set(pm._MODULE_OF)
    undocumented = [name for name in pm.__all__ if not getattr(pm, name).__doc__]
    assert not undocumented, undocumented
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
    unused = [code for code in DIAGNOSTIC_CODES if source.count(f'"{code}"') < 2]
    assert not unused, f"registered but never given: {unused}"
    with pytest.raises(KeyError, match="PM999"):
        Diagnostic("PM999", "nothing")


def parameters():
    """Every parameter of every public function and display, by function."""
    displays = [getattr(plots, name) for name in plots.__all__]
    functions = {name: getattr(pm, name) for name in pm.__all__}
    functions |= {f"{d.__name__}.{n}": getattr(d, n) for d in displays
                  for n in ("from_table", "from_predictions", "from_estimator")}  # fmt: skip
    return {
        name: inspect.signature(function).parameters
        for name, function in functions.items()
        if inspect.isroutine(function)
    }


def test_defaults_are_the_same_everywhere():
    """500 resamples of seed 0; a purity that is left out is None."""
    seen = {"n_resamples": set(), "rng": set(), "purity": set()}
    for name, given in parameters().items():
        for key, found in seen.items():
            if key in given and (name, key) != ("rank_cdf_band", "n_resamples"):
                found.add((given[key].default, name))
    assert {default for default, _ in seen["n_resamples"]} == {500}
    assert {default for default, _ in seen["rng"]} == {0}, seen["rng"]
    assert {default for default, _ in seen["purity"]} == {None}, seen["purity"]
    assert len(seen["purity"]) > 20


def test_no_function_keeps_results_for_the_next_call():
    source = {p: p.read_text("utf-8") for p in Path(pm.__file__).parent.rglob("*.py")}
    wrong = [
        str(path)
        for path, text in source.items()
        if "lru_cache" in text or "functools.cache\n" in text
    ]
    assert not wrong, wrong
