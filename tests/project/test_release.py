"""A release: versions agree, fragments can be assembled, workflows and recipe say what the project says."""

import importlib.util
import re
import subprocess
import sys
import tomllib

import pytest

import puremetrics
from tests.programs import ROOT, load

CHECK = load("check", "release")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TYPES = set(PROJECT["tool"]["towncrier"]["fragment"])
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def parsed(path):
    yaml = pytest.importorskip("yaml", reason="files of YAML are read with pyyaml: install it")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_one_version():
    assert CHECK.versions() == dict.fromkeys(CHECK.versions(), puremetrics.__version__)
    assert re.fullmatch(r"\d+\.\d+\.\d+(rc\d+)?", puremetrics.__version__)
    assert PROJECT["project"]["dynamic"] == ["version"]


def malformed(name, text):
    """What is wrong with a fragment, or nothing."""
    match = re.fullmatch(r"[a-z0-9_]+\.([a-z]+)\.md", name)
    if not match or match[1] not in TYPES:
        return f"{name}: call it topic.type.md, with a type of {sorted(TYPES)}"
    for line in text.splitlines():
        if not re.match(r"(- |  +)\S", line):
            return f"{name}: a line neither begins a bullet nor goes on with one: {line!r}"
    if not text.startswith("- ") or not text.endswith("\n"):
        return f"{name}: it is to begin with a bullet and to end with its line"
    return None


def test_fragments_are_well_formed():
    said = [malformed(p.name, p.read_text(encoding="utf-8")) for p in CHECK.fragments()]
    assert not [sentence for sentence in said if sentence]
    strays = {p.name for p in (ROOT / "changelog.d").iterdir()} - {"template.md"}
    assert strays == {p.name for p in CHECK.fragments()}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("topic.md", "- A line.\n"),
        ("topic.feature.md", "- A line.\n"),
        ("topic.fixed.md", "No bullet.\n"),
        ("topic.fixed.md", "- A line.\nNot indented.\n"),
        ("topic.fixed.md", "  goes on\n"),
        ("topic.fixed.md", ""),
    ],
)
def test_malformed_fragments_are_noticed(name, text):
    assert malformed(name, text)


def test_draft_holds_every_fragment_as_it_is():
    if importlib.util.find_spec("towncrier") is None:
        pytest.skip("the changelog is assembled by towncrier: install puremetrics[release]")
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.9.9"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert "## puremetrics 9.9.9 (" in done.stdout
    for path in CHECK.fragments():
        assert path.read_text(encoding="utf-8").strip() in done.stdout, path.name


@pytest.fixture
def ready(tmp_path):
    """A small tree that is ready for version 0.3.0."""
    for folder in ("src/puremetrics", "recipe", "changelog.d"):
        (tmp_path / folder).mkdir(parents=True)
    files = {
        "src/puremetrics/__init__.py": '__version__ = "0.3.0"\n',
        "CITATION.cff": "cff-version: 1.2.0\nversion: 0.3.0\n",
        "recipe/recipe.yaml": 'context:\n  version: "0.3.0"\n',
        "CHANGELOG.md": "# Changelog\n\n## puremetrics 0.3.0 (2026-01-01)\n",
        "changelog.d/template.md": "",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_tree_that_is_ready_has_no_obstacle(ready):
    assert CHECK.obstacles(ready, "") == []


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("CITATION.cff", "cff-version: 1.2.0\nversion: 0.2.0\n", "CITATION.cff says version 0.2.0"),
        ("CITATION.cff", "cff-version: 0.3.0\n", "CITATION.cff says version None"),
        ("recipe/recipe.yaml", 'context:\n  version: "0.3.1"\n', "recipe.yaml says version 0.3.1"),
        ("changelog.d/new.fixed.md", "- A line.\n", "1 fragments wait"),
        ("CHANGELOG.md", "## puremetrics 0.3.0rc1 (2026-01-01)\n", "no section for version 0.3.0"),
        ("CHANGELOG.md", "## puremetrics 0.30 (2026-01-01)\n", "no section for version 0.3.0"),
    ],
)
def test_obstacles_are_told(ready, name, text, sentence):
    (ready / name).write_text(text, encoding="utf-8")
    (said,) = CHECK.obstacles(ready, "")
    assert sentence in said


def test_changes_that_are_not_committed_are_an_obstacle(ready):
    (said,) = CHECK.obstacles(ready, " M README.md\n")
    assert "README.md" in said


def test_make_has_the_targets():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    steps = re.search(r"^release-check:.*\n((?:\t.*\n)+)", text, re.MULTILINE)[1]
    places = [steps.index(s) for s in ("check.py", "-m build", "twine check", "try_wheel.py dist")]
    assert places == sorted(places)
    assert re.search(r"^changelog:.*\n\t.*--draft", text, re.MULTILINE)


def test_workflows_store_no_token_and_run_targets_that_exist():
    assert {path.stem for path in WORKFLOWS} == {"tests", "docs", "release"}
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        assert "secrets." not in text
        assert "password" not in text
        for targets in re.findall(r"run: make (.+)$", text, re.MULTILINE):
            for target in targets.split():
                assert re.search(rf"^{target}:", made, re.MULTILINE), target


def test_workflows_test_every_python_that_is_declared():
    matrix = parsed(ROOT / ".github/workflows/tests.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["dependencies"] == ["newest", "oldest"]
    first = PROJECT["project"]["requires-python"].removeprefix(">=")
    declared = [c.rsplit(" ", 1)[1] for c in PROJECT["project"]["classifiers"] if ":: 3." in c]
    assert matrix["python"][0] == first == declared[0]
    assert set(declared) <= set(matrix["python"])
    # The oldest dependencies are tested somewhere.
    assert {"python": first, "dependencies": "oldest"} not in matrix["exclude"]


def test_only_the_upload_may_prove_who_it_is():
    jobs = parsed(ROOT / ".github/workflows/release.yml")["jobs"]
    assert jobs["upload"]["permissions"] == {"id-token": "write"}
    assert jobs["upload"]["needs"] == "build"
    assert "permissions" not in jobs["build"]
    assert any(step.get("run") == "make release-check" for step in jobs["build"]["steps"])


@pytest.mark.parametrize(
    "path", [*WORKFLOWS, ROOT / ".pre-commit-config.yaml"], ids=lambda p: p.name
)
def test_yaml_is_read_as_a_mapping(path):
    assert isinstance(parsed(path), dict)


def test_recipe_asks_for_what_the_package_asks_for():
    recipe = parsed(ROOT / "recipe" / "recipe.yaml")
    run = [one.replace(" ", "") for one in recipe["requirements"]["run"]]
    assert run[1:] == PROJECT["project"]["dependencies"]
    assert recipe["build"]["noarch"] == "python"
    least = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert recipe["context"]["python_min"] == least
    extras = PROJECT["project"]["optional-dependencies"]
    wanted = {one for name in ("cli", "plots", "spark", "sklearn") for one in extras[name]}
    other = {"python-duckdb": "duckdb", "matplotlib-base": "matplotlib"}  # names there, names here
    constraints = (one.split() for one in recipe["requirements"]["run_constraints"])
    assert {other.get(name, name) + least for name, least in constraints} == wanted


def test_issue_templates_have_names():
    folder = ROOT / ".github" / "ISSUE_TEMPLATE"
    assert {path.stem for path in folder.glob("*.md")} == {"bug", "question", "wrong_number"}
    for path in folder.glob("*.md"):
        head = path.read_text(encoding="utf-8").split("---")[1]
        assert re.search(r"^name: \S", head, re.MULTILINE)
        assert re.search(r"^about: \S", head, re.MULTILINE)
