"""Every page of evidence is understood from its first screen."""

import re

import pytest

from tests.every import for_every
from tests.programs import ROOT, load

FOLDER = ROOT / "docs" / "evidence"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "index.md")


def parts(path):
    """What stands before the first section, as paragraphs."""
    opening = path.read_text(encoding="utf-8").split("\n## ")[0]
    return [part.strip() for part in opening.split("\n\n") if part.strip()]


@for_every("path", PAGES, show=lambda path: path.stem)
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


@for_every("path", PAGES, show=lambda path: path.stem)
def test_long_tables_are_folded(path):
    text = path.read_text(encoding="utf-8")
    unfolded = re.sub(r"<details>.*?</details>", "", text, flags=re.S)
    runs = re.findall(r"(?:^\|.*\n)+", unfolded + "\n", flags=re.M)
    assert max((run.count("\n") for run in runs), default=0) <= 30


def test_the_tables_about_mutants_add_up_to_what_the_page_says():
    pytest.importorskip("matplotlib", reason="the program that reads them also draws")
    text = (FOLDER / "mutation.md").read_text(encoding="utf-8")
    totals = re.findall(r"^\| \*\*all\*\* \| (.*?) \| \d+ of", text, flags=re.M)
    found = load("mutation_plot").tables(text)
    for counts, total in zip(found, totals, strict=True):
        assert [sum(column) for column in zip(*counts.values(), strict=True)] == [
            int(cell.strip("*")) for cell in total.split(" | ")
        ]
    _, at_once, after, _ = (sum(column) for column in zip(*found[1].values(), strict=True))
    assert f"Of {after} wrong formulas" in text
    assert f"noticed {at_once} at once ({at_once / after:.0%})" in text
