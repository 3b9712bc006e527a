"""The site: it builds without warnings, its examples run, and what it lists is what there is."""

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import puremetrics as pm
from puremetrics import exceptions
from puremetrics.tables.segments import Segments
from tests.programs import ROOT, load

DOCS = ROOT / "docs"
NEEDED = ("sphinx", "myst_parser", "furo")
MISSING = [name for name in NEEDED if find_spec(name) is None]
needs_sphinx = pytest.mark.skipif(
    bool(MISSING) and "docs" not in os.environ.get("PUREMETRICS_REQUIRE", ""),
    reason=f"the site needs {', '.join(MISSING)}: install puremetrics[docs]",
)
PAGES = [path for path in DOCS.rglob("*.md") if "_build" not in path.parts]


@pytest.fixture(scope="module")
def extension():
    """A module of docs/_ext by name."""
    sys.path.insert(0, str(DOCS / "_ext"))
    yield import_module
    sys.path.remove(str(DOCS / "_ext"))


@needs_sphinx
@pytest.mark.slow
def test_site(tmp_path):
    """It builds without warnings, which includes that all examples run; and it is whole."""
    command = [
        sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html",
        "-D", "run_docstrings=0",  # pytest runs those by itself
        "-d", str(tmp_path / "doctrees"), str(DOCS), str(tmp_path / "html"),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    site = tmp_path / "html"
    for page in PAGES:
        assert (site / page.relative_to(DOCS).with_suffix(".html")).exists()
    assert (site / "demo-report.html").exists()
    _asks_for_nothing_from_elsewhere(site)
    _has_every_public_name(site / "api")
    _has_every_diagnostic_and_error(site / "errors_and_diagnostics.html")


def _asks_for_nothing_from_elsewhere(site):
    loaded = re.compile(r"""<(?:script|link|img|iframe)[^>]*(?:src|href)=["'](?:https?:)?//""")
    for page in site.rglob("*.html"):
        assert not loaded.search(page.read_text(encoding="utf-8")), page


def _has_every_public_name(folder):
    text = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.html"))
    wanted = [f"puremetrics.{name}" for name in pm.__all__]
    for module in ("puremetrics.sklearn", "puremetrics.plots"):
        wanted += [f"{module}.{name}" for name in import_module(module).__all__]
    assert not [name for name in wanted if f'id="{name}"' not in text]


def _has_every_diagnostic_and_error(page):
    text = re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8"))
    for code, title in exceptions.DIAGNOSTIC_CODES.items():
        assert code in text
        assert re.split(r"['\"&<]", title)[0] in text
    for name in exceptions.__all__:
        if isinstance(getattr(exceptions, name), type) and name != "Diagnostic":
            assert name in text


@needs_sphinx
def test_a_wrong_output_fails(extension, tmp_path):
    examples = extension("examples")
    page = tmp_path / "page.md"
    right = "```pycon\n>>> a = 2\n>>> a + 2\n4\n```\n\n```python\nb = a + 1\n```\n"
    page.write_text(right + "```pycon\n>>> b\n3\n```\n")
    assert examples.check_page(page) == []
    page.write_text(right + "```pycon\n>>> b\n4\n```\n")
    assert [failure.line for failure in examples.check_page(page)] == [11]
    page.write_text("```python\nraise RuntimeError('no')\n```\n")
    assert "RuntimeError" in examples.check_page(page)[0].text
    page.write_text("```console\n$ puremetrics --version\nsomething else\n```\n")
    assert len(examples.check_page(page)) == 1


@needs_sphinx
def test_refresh_writes_what_comes_out(extension):
    refresh = extension("refresh")
    page = "# A\n\n```pycon\n>>> 1 + 1\n3\n>>> 'abcdef'\n'abc...'\n```\n\nend\n"
    assert refresh.refreshed(page) == page.replace("\n3\n", "\n2\n")


def test_links_between_files_lead_somewhere():
    link = re.compile(r"\]\(([^)\s]+)\)")
    broken = []
    for page in [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        for target in link.findall(text):
            if "://" in target or target.startswith("#"):
                continue
            if not (page.parent / target.split("#")[0]).exists():
                broken.append(f"{page.name}: {target}")
    assert not broken, broken


def test_every_page_has_a_place_in_the_tree(extension):
    """Pages written by hand are named in a toctree; those of programs are listed by themselves."""
    by_hand = {f"{name}.md" for name in _names_by_hand()}
    named = set()
    for page in PAGES:
        for block in re.findall(
            r"^```\{toctree\}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.M | re.S
        ):
            lines = [line for line in block.splitlines() if line and not line.startswith(":")]
            named |= {(page.parent / f"{line}.md").resolve() for line in lines}
    index = DOCS / "index.md"
    # Apart from the first page, and those that the index of the evidence finds by itself.
    homeless = [
        str(page)
        for page in PAGES
        if page != index
        and (page.parent != DOCS / "evidence" or page.name in by_hand)
        and page.resolve() not in named
    ]
    assert not homeless, homeless


def _names_by_hand():
    source = (DOCS / "_ext" / "site_pages.py").read_text(encoding="utf-8")
    return re.findall(r'"(\w+)"', source.split("BY_HAND = {")[1].split("}")[0])


def test_json_schema_page_is_complete():
    documented = _documented_fields()
    seen = defaultdict(set)
    for evaluation in _evaluations():
        _collect(json.loads(evaluation.to_json()), "document", "", seen)
    assert documented == dict(seen)


def _documented_fields():
    objects, name = defaultdict(set), None
    for line in (DOCS / "json_schema.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            name = line.split()[-1].lower()
        elif name and (found := re.match(r"\| `([^`]+)` \|", line)):
            objects[name].add(found[1])
    return dict(objects)


def _evaluations():
    """Enough of them that every field occurs."""
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.25).astype(int)
    table, other = (
        pm.ScoreTable.from_arrays(y, score, scenario="single_training_set")
        for score in (rng.random(600) * (1 + y) / 2, rng.random(600))
    )
    yield pm.evaluate(table, prior=(0.4, 0.5))
    demo = pm.load_demo()
    yield pm.evaluate(demo["reported"], demo["forest"], scenario="single_training_set")
    yield pm.evaluate({"a": table, "b": other}, prior=0.9, threshold=0.5)
    yield pm.evaluate({"a": table, "b": other})
    models = {"a": rng.random(600) + y, "b": rng.random(600)}
    pair = pm.JointTable.from_arrays(y, models, scenario="single_training_set")
    yield pm.evaluate(pair, prior=0.5)
    yield pm.evaluate(pair, prior=0.5, label_bias=1.1)
    weights = rng.random(600) + 0.5
    weighted = pm.ScoreTable.from_arrays(
        y, rng.random(600), sample_weight=weights, scenario="case_control"
    )
    yield pm.evaluate(weighted, prior=0.3)
    few = pm.ScoreTable.from_arrays(y[:40], rng.random(40), scenario="single_training_set")
    score = np.arange(600.0)
    audited = pm.ScoreTable.from_arrays(y, score, scenario="single_training_set")
    rows = np.concatenate([np.flatnonzero(y == 0)[::5], np.flatnonzero(y == 1)[:10]])
    for checked in (rows[:-10], rows):
        said = (score[checked] > 400) | (y[checked] == 1)
        audit = pm.Audit.from_arrays(score[checked], said, labelled=y[checked])
        yield pm.evaluate(audited, audit=audit)
    yield pm.evaluate(audited, audit=audit, evidence=[pm.PublishedPrior(0.4, error=0.1)])
    against = [pm.PublishedPrior(prior, error=0.01) for prior in (0.4, 0.8)]
    yield pm.evaluate(audited, evidence=against)
    parts = {"few": few, "may": table, "june": table}
    yield pm.evaluate(Segments("month", parts, table.merge(table).merge(few), {}))


def _collect(value, kind, path, seen):
    """Fields of each kind of object, with names of models and metrics made general."""
    if isinstance(value, list):
        for item in value:
            _collect(item, kind, f"{path}[]", seen)
        if not value and not path.endswith(("ranges", "alternatives", "contradicting")):
            seen[kind].add(f"{path}[]")
        return
    if not isinstance(value, dict):
        seen[kind].add(path)
        return
    known = {
        "estimate": {"name", "value", "standard_error"},
        "interval": {"low", "high", "kind"},
        "diagnostic": {"code", "message"},
        "model": {"naive", "corrected"},
        "drift": {"by", "tests"},
        "audit": {"checked", "expected", "labels"},
        "difference": {"first", "second", "simultaneous"},
        "evidence": {"kinds", "assumes", "without"},
    }
    for name, keys in known.items():
        if keys <= value.keys() and path:
            seen[kind].add(path)
            kind, path = name, ""
            break
    else:
        if value.keys() == {"low", "high", "level"}:
            seen[kind].add(path)
            kind, path = "bound", ""
    rows = dict.fromkeys(("audits", "planned_audits", "random_audits"), "<rows>")
    general = {
        "models": "<model>",
        "drifts": "<model>",
        **rows,
        "reasons": "<segment>",
    } | dict.fromkeys(
        (
            "naive",
            "corrected",
            "if_random",
            "bounds",
            "certain",
            "tipping",
            "likely",
            "prior_free",
            "figures",
        ),
        "<metric>",
    )
    for key, item in value.items():
        shown = general.get(path.rsplit(".", 1)[-1], key)
        _collect(item, kind, f"{path}.{shown}" if path else shown, seen)


def test_json_schema_version_is_the_documented_one():
    from puremetrics.evaluation import SCHEMA_VERSION

    text = (DOCS / "json_schema.md").read_text(encoding="utf-8")
    assert f"| `schema_version` | integer | {SCHEMA_VERSION} |" in text


def test_citation_agrees_with_the_package():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    # The version is stated in the package alone; wherever else it stands, it is the same.
    for found in re.findall(r'^version: "?([^"\n]+)', text, flags=re.M):
        assert found == pm.__version__
    assert "license: BSD-3-Clause" in text
    assert f"version {pm.__version__}" in (DOCS / "cite.md").read_text(encoding="utf-8")


def test_pictures_are_drawn(tmp_path):
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    load("pictures", "docs").main(tmp_path)
    drawn = {path.name for path in tmp_path.glob("*.svg")}
    assert drawn == {
        "scenario-case-control.svg",
        "scenario-single-training-set.svg",
        "wrong-number.svg",
    }
    assert all((DOCS / name).exists() for name in drawn)


def test_benchmark_page_keeps_a_history(tmp_path):
    page = load("page")
    output = (
        "1,000 rows, 1% labelled; roc_auc_score 0.1 s\n"
        "  default / roc_auc_score                                         0.500   bar 2   ok\n"
        "table / np.sort                                                    4.250   bar 3   MISSED\n"
        "other / np.sort                                                   12.000\n"
    )
    assert page.measured(output) == [
        ("default / roc_auc_score, 1% labelled", "0.500", "2"),
        ("table / np.sort", "4.250", "3"),
        ("other / np.sort", "12.000", ""),
    ]
    history = tmp_path / "history.csv"
    about = dict.fromkeys(page.COLUMNS, "x") | {"rows": page.OWN, "program": "correction"}
    for date, ratio in (("2026-01-01", "4.250"), ("2026-02-01", "2.000")):
        row = {"date": date, "measure": "table / np.sort", "ratio": ratio, "bar": "3"}
        page.append(history, [about | row])
    quick = {"rows": "1000", "date": "2026-03-01", "measure": "quick", "ratio": "9", "bar": ""}
    page.append(history, [about | quick])
    text = page.page(page.read(history))
    assert "| measure | bar | 2026-01-01 | 2026-02-01 |" in text
    assert "| table / np.sort | 3 | **4.250** | 2.000 |" in text
    assert "1 of 1 are below it; the closest, “correction: table / np.sort”, is at 0.67" in text
    assert "quick" not in text
    assert "No run" in page.page([])


@pytest.mark.slow
def test_benchmark_page_runs_a_program(tmp_path):
    pytest.importorskip("sklearn", reason="benchmarks compare with scikit-learn")
    page = load("page")
    target, history = tmp_path / "page.md", tmp_path / "history.csv"
    page.main(
        ["--rows", "2000", "--only", "correction", "--history", str(history), "--page", str(target)]
    )
    rows = page.read(history)
    assert len(rows) == 7
    assert {row["rows"] for row in rows} == {"2000"}
    assert Path(target).read_text(encoding="utf-8").startswith("# Benchmarks")
