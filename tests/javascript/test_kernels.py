"""The report's JavaScript under node: what it computes is what the library computes.

Rendering, sliders and keys are tested in a browser (`tests/browser`).
"""

import json
import shutil
import subprocess
from importlib import resources
from pathlib import Path

import pytest

from puremetrics.report import page
from tests.conftest import require
from tests.javascript.cases import CASES
from tests.javascript.vectors import plain, special, vector

RUN = Path(__file__).with_name("run.mjs")
SCRIPTS = page._SCRIPTS[: page._SCRIPTS.index("draw")]  # the others need a page


def compared(content, folder):
    """What node says about a vector."""
    node = shutil.which("node")
    if node is None:
        require(
            "node", "The report's JavaScript is tested with node, and there is none on the path."
        )
    file = folder / "vector.json"
    file.write_text(json.dumps(plain(content | {"scripts": SCRIPTS}), allow_nan=False), "utf-8")
    assets = str(resources.files("puremetrics.report") / "assets")
    done = subprocess.run(
        [node, str(RUN), assets, str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# Evaluated with labels that may be biased: what rounds, weighs, ties and widens in its own way.
BIASED = [
    name
    for name in CASES
    if name.startswith(
        ("ties,", "negatives", "weights", "noisy", "range of", "wide", "bins", "buckets,")
    )
]
TRIED = [(name, False) for name in CASES]
TRIED += [
    pytest.param(name, True, marks=() if "case-control" in name else pytest.mark.slow)
    for name in BIASED
]
# Much work, and another case is of the same kind: blocks, estimates and ranges of the other scenario.
RARELY = (
    "rows in blocks, one sample",
    "weighted rows in blocks",
    "prior and purity estimated together, one sample",
    "estimated prior, case-control",
    "many rows of few scores, one sample",
    "the demo, range of the prior",
)
for name in RARELY:
    TRIED[TRIED.index((name, False))] = pytest.param(name, False, marks=pytest.mark.slow)


@pytest.mark.parametrize(("name", "biased"), TRIED)
def test_every_figure_is_the_librarys(tmp_path, name, biased):
    if "scan" in name:
        pytest.importorskip("pyarrow")
    content = vector(name, biased)
    found = compared(content, tmp_path)
    assert found["positions"] == len(content["positions"]) >= 3
    assert found["compared"] > 50 * found["positions"]
    assert found["trouble"] == []


def test_special_functions(tmp_path):
    found = compared({"name": "special", "special": special()}, tmp_path)
    assert found["trouble"] == []
    assert found["compared"] == 44 + 141


def test_both_contradictions_are_met(tmp_path):
    """The positions of the demo hold a prior that is too high, a purity too low, and neither."""
    found = compared(vector("the demo", many=24), tmp_path)
    assert set(found["against"]) == {"prior", "purity", "null"}
