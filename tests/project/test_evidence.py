"""Every page of evidence is understood from its first screen."""

import re

import pytest

from tests.programs import ROOT

FOLDER = ROOT / "docs" / "evidence"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "index.md")


def parts(path):
    """What stands before the first section, as paragraphs."""
    opening = path.read_text(encoding="utf-8").split("\n## ")[0]
    return [part.strip() for part in opening.split("\n\n") if part.strip()]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_opens_with_a_sentence_and_a_plot(path):
    title, sentence, picture, *rest = parts(path)
    assert title.startswith("# ")
    assert sentence[0] not in "|!#-<`"
    assert 40 < len(sentence) < 600, "one or two sentences that say what was found"
    assert re.search(r"\d", sentence), "with its number"
    shown = re.fullmatch(r"!\[(.+)\]\(([^)]+)\)", picture)
    assert shown, "then the plot of it"
    assert (path.parent / shown[2]).exists()
    assert any(re.search(r"`(python (benchmarks|reproductions)/|make )", part) for part in rest), (
        "and the command that made it"
    )


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_long_tables_are_folded(path):
    text = path.read_text(encoding="utf-8")
    unfolded = re.sub(r"<details>.*?</details>", "", text, flags=re.S)
    runs = re.findall(r"(?:^\|.*\n)+", unfolded + "\n", flags=re.M)
    assert max((run.count("\n") for run in runs), default=0) <= 30
