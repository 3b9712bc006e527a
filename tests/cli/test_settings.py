"""Settings files: defaults of flags, tables of commands, and what is wrong with them."""

import json
from pathlib import Path

import pytest

from puremetrics.cli import main
from puremetrics.datasets import demo_path

LINE = ["evaluate", str(demo_path()), "--json", "-"]
FULL = """
label = "reported"
score = ["forest"]
scenario = "single_training_set"
prior = [0.35, 0.45]
method = "slope"          # of another command
[evaluate]
level = 0.9
threshold = 0.2
[compare]
statistic = "pulp"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(capsys, *argv):
    code = main([*LINE, *argv])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_file_gives_defaults_and_the_line_wins(capsys):
    Path("puremetrics.toml").write_text(FULL)
    code, out, err = run(capsys)
    assert code == 0, err
    found = json.loads(out)
    assert err.startswith("settings: --label, --score, --scenario, ")
    assert err.rstrip().endswith(" from puremetrics.toml")
    assert (found["prior"]["low"], found["prior"]["high"]) == (0.35, 0.45)
    assert found["confidence_level"] == 0.9
    assert found["models"]["forest"]["corrected"]["f1"]["threshold"] == 0.2
    _, out, _ = run(capsys, "--score", "words", "--prior", "0.394", "--level", "0.8")
    found = json.loads(out)
    assert list(found["models"]) == ["words"]  # not both
    assert found["prior"]["value"] == 0.394
    assert found["confidence_level"] == 0.8


def test_pyproject_and_no_settings(capsys):
    Path("pyproject.toml").write_text("[tool.puremetrics]\n" + FULL.replace("[eval", "[tool.puremetrics.eval")
                                      .replace("[compare", "[tool.puremetrics.compare"))  # fmt: skip
    code, out, err = run(capsys)
    assert code == 0, err
    assert "from [tool.puremetrics] in pyproject.toml" in err
    assert json.loads(out)["confidence_level"] == 0.9
    code, _, err = run(capsys, "--no-settings")
    assert code == 2
    assert "needs --label" in err
    Path("pyproject.toml").write_text("[tool.other]\nx = 1\n")
    assert "needs --label" in run(capsys)[2]
    Path("pyproject.toml").write_text("this is no TOML")
    assert "needs --label" in run(capsys)[2]


def test_the_report_names_the_file(capsys):
    Path("puremetrics.toml").write_text(FULL)
    assert run(capsys, "-o", "r.html")[0] == 0
    assert "from puremetrics.toml" in Path("r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('lable = "y"', ["'lable'", "Did you mean 'label'?"]),
        ("[evalute]\nlevel = 0.9", ["[evalute]", "Did you mean 'evaluate'?"]),
        ('[evaluate]\nmethod = "slope"', ["'method'", "the command evaluate"]),
        ('level = "high"', ["'level'", "'high' is not a number"]),
        ('scenario = "pu"', ["'scenario'", "'pu'", "case_control"]),
        ("scan = 1", ["'scan'", "true or false"]),
        ("prior = {a = 1}", ["[prior]", "'a'"]),
        ("label = true", ["'label'", "text or a number"]),
        ("file = 'a.csv'", ["'file'", "Name files on the command line"]),
        ("label = \nscore = 1", ["puremetrics.toml cannot be read", "line 1"]),
    ],
)
def test_what_is_wrong_with_a_file_is_told(capsys, text, said):
    Path("puremetrics.toml").write_text(text)
    command = ["prior", str(demo_path())] if "prior" in text else LINE
    code = main(command)
    err = capsys.readouterr().err
    assert code == 2
    assert err.count("\n") == 1
    for part in said:
        assert part in err
