"""The notebooks of examples/: their form, their pairs, and how the site runs and shows them."""

import json
import re
import sys

import pytest

from tests.every import for_every
from tests.programs import ROOT, load

PROGRAMS = sorted((ROOT / "examples").glob("*.py"))
each = for_every("program", PROGRAMS, show=lambda path: path.stem)


@pytest.fixture(scope="module")
def notebooks():
    pytest.importorskip("sphinx", reason="docs/_ext/examples.py needs Sphinx")
    yield load("notebooks", "docs/_ext")
    del sys.modules["notebooks"]


def test_all_twelve_are_there():
    assert len(PROGRAMS) == 12


@each
def test_the_pair_has_the_same_cells(notebooks, program):
    pair = program.with_suffix(".ipynb").read_text(encoding="utf-8")
    found = notebooks.cells(program.read_text(encoding="utf-8"))
    assert pair == notebooks.as_ipynb(found), "run python docs/_ext/notebooks.py"
    read = ["".join(cell["source"]) for cell in json.loads(pair)["cells"]]
    assert read == [cell.source for cell in found]


@each
def test_it_says_when_it_fails_and_shows_the_truth_at_last(notebooks, program):
    found = notebooks.cells(program.read_text(encoding="utf-8"))
    titles = [
        title
        for cell in found
        if cell.kind == "markdown"
        for title in re.findall(r"^#+ (.*)$", cell.source, flags=re.M)
    ]
    assert titles[-1] == "The truth"
    assert "When this fails" in titles
    assert (
        sum(bool(cell.alt) for cell in found) == 1
    )  # one picture, with words for who cannot see it


@each
def test_it_has_a_page(program):
    assert (ROOT / "docs" / "examples" / f"{program.stem}.md").exists()
    listed = (ROOT / "docs" / "examples" / "index.md").read_text(encoding="utf-8")
    assert f"]({program.stem}.md)" in listed


TEXT = """# ---
# jupyter: x
# ---

# %% [markdown]
# # Title
#
# Words, and [a page](../docs/tour.md).

# %%
a = 2
print("said", a)
a + 1

# %% alt="a line"
import matplotlib.pyplot as plt

figure, ax = plt.subplots()
line = ax.plot([0, a])
"""


def test_cells_run_in_one_namespace_and_are_shown(notebooks):
    found = notebooks.cells(TEXT)
    assert [(c.kind, c.line) for c in found] == [("markdown", 6), ("code", 11), ("code", 16)]
    assert found[0].source == "# Title\n\nWords, and [a page](../docs/tour.md)."
    outputs = notebooks.run(found, "made")
    assert [o.failure for o in outputs] == ["", "", ""]
    assert outputs[1].text == "said 2\n3\n"
    assert [len(o.pictures) for o in outputs] == [0, 0, 1]
    shown = notebooks.page("made", found, outputs)
    assert "[a page](../tour.md)" in shown
    assert "said 2\n3\n```" in shown
    assert shown.count("![a line](data:image/png;base64,") == 1


def test_a_cell_that_fails_is_told_and_stops_the_rest(notebooks):
    found = notebooks.cells("# %%\nprint(1)\n1 / 0\n\n# %%\nprint(2)\n")
    outputs = notebooks.run(found, "made")
    assert len(outputs) == 1
    assert outputs[0].failure == "ZeroDivisionError: division by zero"
    warned = notebooks.cells("# %%\nimport warnings\n\nwarnings.warn('careful')\n")
    assert notebooks.run(warned, "made")[0].failure == "UserWarning: careful"
