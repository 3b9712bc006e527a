"""A sheet of rows to check, answered little by little."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from puremetrics.cli import main

RNG = np.random.default_rng(2)
TRUTH = RNG.random(1500) < 0.3
SCORE = np.round(RNG.normal(size=1500) + 2 * TRUTH, 3)
LABEL = (TRUTH & (RNG.random(1500) < 0.3)).astype(int)


@pytest.fixture
def sheet(tmp_path, monkeypatch, capsys):
    """The data and a sheet of 100 rows; the first so many are answered by calling it."""
    monkeypatch.chdir(tmp_path)
    with Path("scores.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["y", "p", "q"])
        writer.writerows(zip(LABEL.tolist(), SCORE.tolist(), SCORE.tolist(), strict=True))
    told = ["--threshold", "1", "--budget", "100", "--prior", "0.3", "-o", "rows.csv"]
    assert main(["audit", "plan", *DATA, "--target", "precision", *told]) == 0
    capsys.readouterr()

    def answer(count):
        with Path("rows.csv").open(newline="") as file:
            lines = list(csv.DictReader(file))
        with Path("rows.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, lines[0])
            writer.writeheader()
            for number, line in enumerate(lines):
                said = int(TRUTH[int(line["row"])]) if number < count else ""
                writer.writerow({**line, "positive": said})

    return answer


DATA = ["scores.csv", "--label", "y", "--score", "p", "--scenario", "single_training_set"]
EVALUATE = ["evaluate", *DATA, "--threshold", "1", "--audit", "rows.csv"]


def test_it_is_told_whether_the_rows_so_far_are_enough(sheet, capsys):
    sheet(40)
    assert main([*EVALUATE, "--until-width", "0.2"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("Checked 40 of 100 rows: precision at score >= 1 is 0.")
    assert "more rows would make it at most 0.2 wide" in last
    sheet(100)
    assert main([*EVALUATE, "--score", "q", "--until-width", "0.3", "--verbose"]) == 0
    page = capsys.readouterr().out.splitlines()
    assert page[-1].endswith("; you can stop.")
    shown = next(line for line in page if line.split()[:1] == ["Precision"])
    ends = [f"{float(end):.4f}" for end in shown.split()[3:6:2]]
    assert f"({ends[0]} to {ends[1]})" in page[-1]  # the interval of the page


def test_json_stays_alone_on_standard_output(sheet, capsys):
    sheet(60)
    assert main([*EVALUATE, "--until-width", "0.2", "--json", "-"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["audit"]["n_checked"] == 60
    assert "Checked 60 of 100 rows" in err


@pytest.mark.parametrize("option", [["--until-width", "0.1"], ["--sequential"]])
def test_without_answers_there_is_nothing_to_follow(sheet, capsys, option):
    assert main(["evaluate", *DATA, *option]) != 0
    assert "pass them with --audit" in capsys.readouterr().err


def test_a_width_that_is_never_reached_is_refused(sheet, capsys):
    sheet(20)
    assert main([*EVALUATE, "--until-width", "0"]) != 0
    assert "never be reached" in capsys.readouterr().err
