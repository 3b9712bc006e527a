"""Every command that the program prints runs as it is printed."""

import csv
import io
import re
import shlex
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.cli import main
from puremetrics.cli.gates import NO_FIGURES
from puremetrics.datasets import demo_path
from tests.every import for_every

DEMO = pm.load_demo()
SINGLE = "single_training_set"


def run(capsys, words):
    code = main([str(word) for word in words])
    out, err = capsys.readouterr()
    return code, out, err


def printed(text):
    """Whole commands in a page: lines of their own."""
    return [
        shlex.split(line)[1:] for line in text.splitlines() if line.startswith("  puremetrics ")
    ]


def mentioned(text):
    """Commands in the midst of a sentence."""
    found = re.findall(r"\(puremetrics ([^)]*)\)", " ".join(text.split()))
    return [words.split() for words in found]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    with Path("odd names.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["seen by us", "a score", "-b", "low", "who", "truth"])
        for at in rng.permutation(DEMO["spam"].size):
            mark = "yes" if DEMO["reported"][at] else "no"
            forest, words = DEMO["forest"][at], DEMO["words"][at]
            writer.writerow([mark, forest, words, -forest, at // 3, int(DEMO["spam"][at])])
    return tmp_path


ODD = ["odd names.csv", "--label", "seen by us", "--pos-label", "yes", "--unlabeled-label", "no"]
ODD += ["--scenario", SINGLE]
PLAIN = [str(demo_path()), "--label", "reported", "--scenario", SINGLE]
LINES = [
    [*PLAIN, "--score", "forest"],
    [*PLAIN, "--score", "words", "--score", "forest"],
    [*PLAIN, "--score", "words", "--prior", "0.3:0.45"],
    [*PLAIN, "--score", "forest", "--prior", "0.394", "--label-bias", "1"],
    [*PLAIN, "--score", "words", "--prior", "0.8"],  # contradicted
    [*PLAIN, "--score", "words", "--level", "0.9", "--where", "forest < 0.6"],
    [*ODD, "--score", "a score"],
    [*ODD, "--score", "a score", "--groups", "who"],
    [*ODD, "--score", "low"],  # backwards
    [*ODD, "--score=-a score"],  # turned once too often
    [*ODD, "--score=-low", "--threshold", "0.2"],
]


@for_every("line", LINES)
def test_commands_run_as_printed(capsys, folder, line):
    for old in folder.glob("to_check*"):
        old.unlink()
    code, out, err = run(capsys, ["evaluate", *line])
    assert code in (0, NO_FIGURES), err
    pasted = printed(out)
    assert len(pasted) == 1, out
    code, out, err = run(capsys, pasted[0])
    assert code == 0, err
    for words in mentioned(out):
        with pytest.raises(SystemExit) as stopped:
            main(words)
        assert stopped.value.code == 0
        capsys.readouterr()
    if pasted[0][0] == "evaluate":
        return
    sheet = pasted[0][pasted[0].index("-o") + 1]
    checked_by_hand(sheet, pasted[0])
    (again,) = printed(out)
    code, out, err = run(capsys, again)
    assert code == 0, err
    assert " were checked, and " in " ".join(out.split())


def checked_by_hand(sheet, words):
    """Fill in the truth."""
    with Path(sheet).open(newline="") as file:
        rows = list(csv.DictReader(file))
    source = words[2]
    with Path(source).open(newline="") as file:
        data = list(csv.DictReader(file))
    if "--where" in words:
        data = [row for row in data if float(row["forest"]) < 0.6]
    name = "truth" if "truth" in data[0] else "spam"
    for row in rows:
        row["positive"] = int(float(data[int(row["row"])][name]))
    with Path(sheet).open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_the_sheet_that_is_there_is_not_named_again(capsys, folder):
    (folder / "to_check.csv").write_text("answers")
    _, out, _ = run(capsys, ["evaluate", *PLAIN, "--score", "forest"])
    assert "-o to_check_2.csv" in out


def test_what_came_through_a_pipe_has_no_command(capsys, folder, monkeypatch):
    text = "y,p\n" + "\n".join(
        f"{int(i % 7 == 0)},{(i * 37 % 101) + 60 * (i % 7 == 0)}" for i in range(300)
    )
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    code, out, err = run(
        capsys, ["evaluate", "-", "--label", "y", "--score", "p", "--scenario", "case_control"]
    )
    assert code in (0, NO_FIGURES), err
    assert printed(out) == []


def test_a_score_with_its_sign_turned_is_the_same_ranking(capsys, folder):
    plain = run(capsys, ["evaluate", *ODD, "--score", "a score", "--prior", "0.394", "--json", "-"])
    turned = run(capsys, ["evaluate", *ODD, "--score=-low", "--prior", "0.394", "--json", "-"])
    scanned = run(
        capsys, ["evaluate", *ODD, "--score=-low", "--prior", "0.394", "--json", "-", "--scan"]
    )
    assert plain[1].replace('"a score"', '"-low"') == turned[1]
    assert '"roc_auc"' in scanned[1]
    frame = {"y": DEMO["reported"], "low": -DEMO["forest"]}
    own = pm.roc_auc(frame, label="y", score="-low", scenario=SINGLE, prior=0.394)
    assert (
        own.value
        == pm.roc_auc(DEMO["reported"], DEMO["forest"], scenario=SINGLE, prior=0.394).value
    )


def test_the_report_has_the_command_too(capsys, folder):
    line = ["evaluate", *PLAIN, "--score", "forest", "-o", "report.html"]
    _, out, _ = run(capsys, line)
    (command,) = [text.strip() for text in out.splitlines() if text.startswith("  puremetrics ")]
    assert command in unescape((folder / "report.html").read_text(encoding="utf-8"))


def test_cautions_speak_of_flags(capsys):
    _, out, _ = run(capsys, ["evaluate", *PLAIN, "--score", "forest", "--threshold", "50"])
    assert "pass --threshold 0.5" in " ".join(out.split())


def test_top_is_told_on_the_first_screen(capsys):
    _, out, _ = run(
        capsys, ["evaluate", *PLAIN, "--score", "forest", "--prior", "0.394", "--top", "50"]
    )
    assert "Checking the 50 best unlabeled rows would find" in out


def test_no_figures_end_with_a_code_of_their_own_and_no_figure(capsys, folder):
    line = ["evaluate", *PLAIN, "--score", "words", "--prior", "0.9", "--by", "spam"]
    code, out, _ = run(capsys, line)
    assert code == NO_FIGURES
    assert "No figures are given" in out
    assert not re.search(r"(?m)^ .*0\.\d{3,4}.*0\.\d{3,4}", out)
