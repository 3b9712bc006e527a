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
from tests.javascript.cases import CASES, SCENARIOS
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


# Evaluated with labels that favour a side: what rounds, weighs, ties and widens in its own way.
FAVOURED = [
    name
    for name in CASES
    if name.startswith(
        ("ties,", "negatives", "weights", "noisy", "range of", "wide", "bins", "buckets,")
    )
]
SIDES = [(name, "either") for name in CASES]
SIDES += [
    pytest.param(name, side, marks=() if name.startswith("ties,") else pytest.mark.slow)
    for name in FAVOURED
    for side in ("high", "low")
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
    SIDES[SIDES.index((name, "either"))] = pytest.param(name, "either", marks=pytest.mark.slow)


@pytest.mark.parametrize(("name", "side"), SIDES)
def test_every_figure_is_the_librarys(tmp_path, name, side):
    if "scan" in name:
        pytest.importorskip("pyarrow")
    content = vector(name, side)
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
    found = compared(vector("the demo"), tmp_path)
    assert set(found["against"]) >= {"prior", "null"}
    seen = [compared(vector(f"noisy labels, {words}", many=14), tmp_path) for words in SCENARIOS]
    assert any(report["against"].get("purity") for report in seen)
