"""Audits on the command line: sheets, answers, files that are not loaded, runs that were killed."""

import contextlib
import csv
import json

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.cli import audits, commands, main, reading
from puremetrics.datasets import demo_path
from puremetrics.planning.sheets import audit_of_sheet

DEMO = pm.load_demo()
INPUT = [str(demo_path()), "--label", "reported", "--scenario", "single_training_set"]
PLAN = ["--threshold", "0.1", "--budget", "60", "--prior", "0.39"]


def run(capsys, *argv):
    code = main([str(word) for word in argv])
    out = capsys.readouterr()
    return code, out.out, out.err


def plan(capsys, target, *options):
    scores = [] if "--score" in options else ["--score", "forest"]
    code, out, err = run(capsys, "audit", "plan", *INPUT, *scores, *PLAN, "-o", target, *options)
    assert code == 0, err
    return out


def lines_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def fill(path, rows=None):
    """Write the truth into the first so many lines."""
    lines = lines_of(path)
    for line in lines[:rows]:
        line["positive"] = int(DEMO["spam"][int(line["row"])])
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, lines[0])
        writer.writeheader()
        writer.writerows(lines)


def test_the_sheet_holds_the_rows_that_the_plan_draws_from_the_file(capsys, tmp_path):
    target = tmp_path / "sheet.csv"
    out = plan(capsys, target, "--seed", "5", "--id", "words")
    assert "Check 60 rows" in out
    table = pm.ScoreTable.from_arrays(
        DEMO["reported"], DEMO["forest"], scenario="single_training_set"
    )
    made = pm.plan_audit(table, budget=60, threshold=0.1, prior=0.39)
    rows = made.draw_from(demo_path(), label="reported", score="forest", rng=5)
    lines = lines_of(target)
    assert list(lines[0]) == ["order", "row", "words", "positive"]
    assert [int(line["row"]) for line in lines] == rows.tolist()
    assert [float(line["words"]) for line in lines] == DEMO["words"][rows].tolist()
    content = json.loads((tmp_path / "sheet.csv.plan.json").read_text())
    assert content["draw"]["scores"] == {"forest": DEMO["forest"][rows].tolist()}


def test_a_column_to_keep_need_not_identify(capsys, tmp_path):
    target = tmp_path / "sheet.csv"
    plan(capsys, target, "--id", "reported")
    assert {line["reported"] for line in lines_of(target)} == {"0"}


@pytest.mark.parametrize("how", ["loaded", "--scan", "large"])
def test_answers_come_back_whether_or_not_the_rows_are_loaded(how, capsys, tmp_path, monkeypatch):
    if how == "large":
        monkeypatch.setattr(reading, "LOADED", 10)
    given = ["--scan"] if how == "--scan" else []
    target = tmp_path / "sheet.csv"
    models = ["--score", "forest", "--score", "words"]
    plan(capsys, target, *models, *given)
    fill(target, 40)
    code, out, err = run(
        capsys, "evaluate", *INPUT, *models, "--threshold", "0.1", "--audit", target, "--json",
        tmp_path / "out.json", *given,
    )  # fmt: skip
    assert code == 0, err
    assert "40 of 60 rows have answers" in err
    assert "40 rows" in out
    found = json.loads((tmp_path / "out.json").read_text())["models"]
    rows = np.array([int(line["row"]) for line in lines_of(target)])[:40]
    tables = {
        name: pm.ScoreTable.from_arrays(
            DEMO["reported"], DEMO[name], scenario="single_training_set"
        )
        for name in ("forest", "words")
    }
    audit = audit_of_sheet(
        (tmp_path / "sheet.csv.plan.json").read_text(),
        rows,
        DEMO["spam"][rows].astype(int),
        {name: DEMO[name] for name in tables},
        DEMO["reported"] == 0,
    )
    wanted = pm.evaluate(tables, audit=audit, threshold=0.1)
    for name, model in wanted.models.items():
        for key in ("precision", "recall", "roc_auc"):
            own = found[name]["corrected"][key]["value"]
            off = 1e-3 if key == "roc_auc" else 1e-12  # a scan takes rows between cuts as tied
            assert own == pytest.approx(model.corrected[key].value, abs=off)


def test_loaded_and_scanned_answers_say_the_same(capsys, tmp_path):
    target = tmp_path / "sheet.csv"
    plan(capsys, target)
    fill(target)
    pages = []
    for given in ([], ["--scan"]):
        code, out, err = run(
            capsys, "evaluate", *INPUT, "--score", "forest", "--threshold", "0.1", "--audit",
            target, *given,
        )  # fmt: skip
        assert code == 0, err
        pages.append(
            [line for line in out.splitlines() if line.startswith(("  Precision  ", "  F1 score "))]
        )
    assert pages[0] == pages[1]
    assert len(pages[0]) == 2


def test_conditions_hold_for_plan_and_answers(capsys, tmp_path):
    target = tmp_path / "sheet.csv"
    plan(capsys, target, "--where", "words < 0.5")
    left = np.flatnonzero(DEMO["words"] < 0.5)
    lines = lines_of(target)
    assert not DEMO["reported"][left[[int(line["row"]) for line in lines]]].any()
    fill(target)
    command = ["evaluate", *INPUT, "--score", "forest", "--threshold", "0.1", "--audit", target]
    code, _, err = run(capsys, *command, "--where", "words < 0.5")
    assert code == 0, err
    code, _, err = run(capsys, *command)
    assert code != 0
    assert "differ from those" in err or "carries a label" in err


def test_a_sheet_with_answers_is_not_replaced_and_no_row_is_read(capsys, tmp_path, monkeypatch):
    target = tmp_path / "sheet.csv"
    target.write_text("answers")
    monkeypatch.setattr(commands, "counted", None)
    for options, said in (
        ([], "may hold answers"),
        (["--force", "--id", "row"], "named 'row'"),
        (["-o", str(tmp_path / "none" / "sheet.csv")], "no folder"),
    ):
        code, _, err = run(
            capsys, "audit", "plan", *INPUT, "--score", "forest", *PLAN, "-o", target, *options
        )
        assert code != 0
        assert said in err
    assert target.read_text() == "answers"


@pytest.mark.parametrize("name", ["draw_rows", "plan_text", "sheet_text"])
def test_a_killed_run_writes_nothing(name, tmp_path, monkeypatch):
    def killed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(audits, name, killed)
    target = tmp_path / "sheet.csv"
    with contextlib.suppress(KeyboardInterrupt):
        assert main(["audit", "plan", *INPUT, "--score", "forest", *PLAN, "-o", str(target)]) != 0
    assert list(tmp_path.iterdir()) == []


def test_segments_and_propensities_are_refused(capsys, tmp_path):
    target = tmp_path / "sheet.csv"
    plan(capsys, target)
    fill(target)
    command = ["evaluate", *INPUT, "--score", "forest", "--audit", target]
    code, _, err = run(capsys, *command, "--by", "words")
    assert code != 0
    assert "leave out --by" in err
    code, _, err = run(capsys, *command, "--propensity", "words")
    assert code != 0
