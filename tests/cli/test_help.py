"""--help and --version: quick, readable at 80 columns, and true."""

import ast
import re
import subprocess
import sys

import pytest

from puremetrics import __version__
from puremetrics.cli import main
from puremetrics.cli.arguments import ALIASES, CHOICES
from puremetrics.cli.terminal import FLAGS, translated
from puremetrics.numerics.formulas import ALIASES as KNOWN
from puremetrics.numerics.formulas import METRICS
from puremetrics.planning.plan import TARGETS
from puremetrics.priors.estimate import METHODS
from puremetrics.results.protocol import LEVELS
from puremetrics.setting.setting import SIDES_OF_BIAS
from puremetrics.statistics import names
from tests.project.source import ROOT, files

HEAVY = ("numpy", "scipy", "pyarrow", "duckdb", "dataclasses", "tomllib", "difflib")


@pytest.mark.parametrize("argv", [["--version"], ["--help"], ["evaluate", "--help"], []])
def test_help_and_version_load_nothing_heavy(argv):
    code = (
        "import sys\nfrom puremetrics.cli import main\n"
        f"try:\n    main({argv!r})\nexcept SystemExit:\n    pass\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    if argv == ["--version"]:
        assert done.stdout == f"puremetrics {__version__}\n"


def test_the_values_of_flags_are_those_of_the_library():
    assert sorted(CHOICES["objective"]) == sorted([*METRICS, *KNOWN])
    assert sorted(ALIASES) == sorted(KNOWN)
    assert set(CHOICES["statistic"]) <= {*names(), *KNOWN}
    assert sorted(CHOICES["method"]) == sorted(METHODS)
    assert sorted(CHOICES["target"]) == sorted(TARGETS)
    assert sorted(CHOICES["label_bias_side"]) == sorted(SIDES_OF_BIAS)
    assert "upper_bound" in LEVELS


@pytest.mark.parametrize(
    "command",
    [[], ["evaluate"], ["prior"], ["compare"], ["audit", "plan"], ["audit", "check"]],
    ids=str,
)
def test_help_is_readable_at_80_columns(command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as stop:
        main([*command, "--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    assert [line for line in text.splitlines() if len(line) > 80] == []
    for flag, words in CHOICES.items():
        if f"values of --{flag}" in text and flag != "statistic":
            assert all(re.search(rf"\b{word}\b", text) for word in words if word not in ALIASES)
    assert "exit codes: 0 success" in text


# Names of the library that may stand in a message, because they are values of a flag or not for terminals.
API = re.compile(
    r"ScoreTable|JointTable|from_arrays|\bplan\.[a-z]+\(|Audit\b|scan\(|estimate_prior|choose_threshold"
)
WHERE = ("checking/arguments", "statistics/catalogue", "statistics/statistic", "statistics/top_of_list",
         "statistics/threshold_metric", "evaluation/model", "io/conditions", "io/counting", "io/files",
         "io/first_pass", "planning/sheets", "priors/ratio_methods", "priors/estimate",
         "sampling/list_ranks", "setting/assumed", "setting/setting", "tables/rows",
         "tables/clusters")  # fmt: skip
ONLY_FROM_PYTHON = (
    "estimate_prior takes a ScoreTable",
    "interval='likelihood_ratio'",
    "rng must be None",
)


def text_of(node):
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(
            text_of(part) if isinstance(part, ast.Constant) else "0.5" for part in node.values
        )
    return "x"


def messages():
    """What these modules say in errors, with 0.5 for every value."""
    for path in files():
        if str(path.relative_to(ROOT)).removesuffix(".py") in WHERE:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                called = getattr(getattr(node, "func", None), "id", "")
                if called.endswith("Error") and node.args:
                    yield text_of(node.args[0])


def test_messages_that_reach_a_terminal_name_flags():
    told = [text for text in messages() if not text.startswith(ONLY_FROM_PYTHON)]
    assert len(told) > 60
    arguments = re.compile(rf"(?<![-\w'])(?:{'|'.join(FLAGS)})=")
    snakes = re.compile(rf"(?<![-\w'])(?:{'|'.join(n for n in FLAGS if '_' in n)})\b")
    changed = 0
    for text in told:
        found = translated(text)
        changed += found != text
        assert not arguments.search(found), found
        assert not snakes.search(found), found
        assert not API.search(found), found
    assert changed > 20


def test_every_flag_of_the_table_exists(capsys):
    shown = ""
    for command in (["evaluate"], ["prior"], ["compare"], ["audit", "plan"], ["audit", "check"]):
        with pytest.raises(SystemExit):
            main([*command, "--help"])
        shown += capsys.readouterr().out
    for flag, metavar in FLAGS.values():
        assert f"{flag} {metavar}" in shown
