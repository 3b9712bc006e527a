"""Checking rows from the command line: sheets, scores, two people, pages that need no Python, the demo."""

import csv
import json
import re
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

from puremetrics.checkpage import Sheet, read_sheet
from puremetrics.checkpage.sheet import Answer, Answers, sheet_bytes
from puremetrics.cli import main
from tests.checkpage.making import ask
from tests.cli.checking import running

RNG = np.random.default_rng(4)
TRUTH = RNG.random(1500) < 0.3
SCORE = np.round(RNG.normal(size=1500) + 2 * TRUTH, 3)
LABEL = (TRUTH & (RNG.random(1500) < 0.3)).astype(int)
ROWS = ["--label", "y", "--score", "p", "--scenario", "single_training_set"]
PLAN = ["--threshold", "1", "--target", "precision", "--budget", "60", "--prior", "0.3"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "scores.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["y", "p", "text", "group"])
        for row, (label, score) in enumerate(zip(LABEL.tolist(), SCORE.tolist(), strict=True)):
            writer.writerow([label, score, f"text of row {row}, with a comma", row // 3])
    return tmp_path


@pytest.fixture
def sheet(folder, capsys):
    assert (
        main(["audit", "plan", "scores.csv", *ROWS, *PLAN, "--id", "text", "-o", "to_check.csv"])
        == 0
    )
    assert "puremetrics audit check to_check.csv" in capsys.readouterr().out
    return folder / "to_check.csv"


def said(row):
    return "yes" if TRUTH[row] else "no"


def answer_all(page, places, rows=None):
    for row, place in enumerate(places[:rows]):
        page.say(row, said(place))


def interval(page):
    for _ in range(200):
        found = page.ask("news")
        if found["interval"]["version"] == found["state"]["version"]:
            return found["interval"]
        time.sleep(0.1)
    raise AssertionError(found)


def test_a_sheet_is_checked_and_evaluated(sheet, capsys):
    places = read_sheet(sheet).places
    before = sheet.read_bytes()
    with running(
        sheet.parent, "audit", "check", sheet, "--until-width", "0.3", "--checker", "ann"
    ) as page:
        about = page.ask("about")
        assert about["columns"] == ["text"]
        assert about["checker"] == "ann"
        assert page.ask("rows?first=0&count=1")["rows"][0]["cells"][0].startswith("text of row")
        answer_all(page, places)
        found = interval(page)
        assert found["checked"] == 60
        sentences = page.ask("verdict")["sentences"]
        assert sentences[0].startswith("Checked 60 of 60 rows: precision at score >= 1 is 0.")
        report = page.ask("report")
        assert "by the rows that were checked?</h1>" in report
        assert "default-src 'none'" in report
        code, out, err = page.stop()
    assert code == 0
    assert "60 of 60 rows have answers" in out
    assert "Ctrl-C" in err
    assert sheet.read_bytes() == before
    evaluate = ["evaluate", "scores.csv", *ROWS, "--threshold", "1", "--audit", "checked.csv"]
    assert main([*evaluate, "--until-width", "0.3"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(sentences[0].split(",")[0].split(", which")[0])
    ends = f"({found['low']:.4f} to {found['high']:.4f})"
    assert ends in last  # the interval of the page is that of the command
    command = next(line for line in out.splitlines() if line.startswith("  puremetrics evaluate"))
    assert main(command.split()[1:]) == 0


def test_the_button_ends_it_too_and_it_resumes(sheet):
    places = read_sheet(sheet).places
    with running(sheet.parent, "audit", "check", "to_check.csv") as page:
        answer_all(page, places, 5)
        assert page.ask("end", {}) == {"ended": True}
        assert page.end()[0] == 0
    with running(sheet.parent, "audit", "check", "to_check.csv") as page:
        state = page.ask("about")["state"]
        assert [s is not None for s in state["said"]] == [True] * 5 + [False] * 55
        page.stop(signal.SIGKILL)
    with running(
        sheet.parent, "audit", "check", "checked.csv"
    ) as page:  # the answers are a sheet, too
        assert page.ask("about")["state"]["answered"] == 5
        assert interval(page)["checked"] == 5


def test_straight_from_scores_and_again(folder, capsys):
    command = ["audit", "check", "scores.csv", *ROWS, *PLAN, "-o", "checked.csv"]
    with running(folder, *command) as page:
        about = page.ask("about")
        assert about["columns"] == ["text", "group"]
        places = read_sheet(folder / "checked.csv").places
        answer_all(page, places, 12)
        assert interval(page)["checked"] == 12
        assert page.stop()[0] == 0
    with running(folder, *command) as page:  # the same command goes on
        assert page.ask("about")["state"]["answered"] == 12
        assert interval(page)["checked"] == 12
    assert main([*command, "--seed", "9", "--no-browser"]) == 2
    assert "may hold answers to other rows" in capsys.readouterr().err


def test_scores_from_a_pipe_and_another_level(folder):
    command = f"cat scores.csv | {sys.executable} -m puremetrics.cli audit check - --no-browser"
    words = [*ROWS, *PLAN, "--level", "0.8", "--show", "text", "-o", "checked.csv"]
    pipe = subprocess.Popen(
        f"exec {command} {' '.join(words)}",
        shell=True,
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        found = re.search(r"127\.0\.0\.1:(\d+)/([\w-]+)/", pipe.stdout.readline())
        server = SimpleNamespace(port=int(found[1]), token=found[2])
        for row, place in enumerate(read_sheet(folder / "checked.csv").places[:10]):
            assert ask(server, "answer", {"row": row, "said": said(place)})[0] == 200
        page = SimpleNamespace(ask=lambda path: ask(server, path)[2])
        assert interval(page)["level"] == 0.8
        ask(server, "end", {})
        assert pipe.wait(30) == 0
        assert "evaluate" not in pipe.stdout.read()  # it cannot be read again
    finally:
        pipe.kill()
        pipe.wait()
        pipe.stdout.close()


def test_only_the_columns_that_were_chosen_are_shown(folder):
    chosen = ["--show", "group", "--question", "Spam?"]
    with running(folder, "audit", "check", "scores.csv", *ROWS, *PLAN, *chosen) as page:
        about = page.ask("about")
        assert (about["columns"], about["question"]) == (["group"], "Spam?")
        assert "text of row" not in str(page.ask("rows?first=0&count=50"))


def test_the_sheet_can_be_checked_without_its_data(sheet):
    (sheet.parent / "scores.csv").rename(sheet.parent / "gone.csv")
    places = read_sheet(sheet).places
    with running(sheet.parent, "audit", "check", "to_check.csv") as page:
        answer_all(page, places, 3)
        for _ in range(100):
            found = page.ask("news")["interval"]
            if found["state"] == "none":
                break
            time.sleep(0.1)
        assert "There is no file" in found["words"]
        assert page.stop()[0] == 0
    assert [one.final for one in read_sheet(sheet.parent / "checked.csv").answers[:3]] == [
        said(place) for place in places[:3]
    ]


def test_two_people_one_after_the_other(sheet, capsys):
    places = read_sheet(sheet).places
    with running(
        sheet.parent, "audit", "check", "to_check.csv", "--checker", "ann", "--overlap", "50"
    ) as page:
        answer_all(page, places)
        page.stop()
    with running(
        sheet.parent, "audit", "check", "to_check.csv", "--checker", "bob"
    ) as page:  # 50% is remembered
        state = page.ask("about")["state"]
        assert len(state["rows"]) == 30
        for row in state["rows"]:
            page.say(
                row,
                said(places[row]) if row != 1 else {"yes": "no", "no": "yes"}[said(places[row])],
            )
        assert len(page.ask("news")["state"]["differ"]) == 1
        page.say(1, said(places[1]), settle=True)
        told = page.ask("verdict")["sentences"]
        assert any("ann and bob agree on 29 of 30 rows" in text for text in told)
        assert any("Allowing for how often checkers err" in text for text in told)
        code, out, _ = page.stop()
        assert code == 0
        assert "ann and bob agree on 29 of 30 rows" in out
    evaluate = ["evaluate", "scores.csv", *ROWS, "--threshold", "1", "--audit", "checked.csv"]
    assert main([*evaluate, "--json", "out.json"]) == 0
    assert "ann and bob agree on 29 of 30" in capsys.readouterr().err
    by_two = _precision()
    assert main([*evaluate, "--sequential", "--json", "out.json"]) == 0
    assert "allowed for only without --sequential" in capsys.readouterr().err
    assert main([*evaluate, "--sensitivity", "1", "--json", "out.json"]) == 0  # stated: nobody errs
    alone = _precision()
    assert by_two["high"] - by_two["low"] > alone["high"] - alone["low"]


def _precision():
    with open("out.json") as file:  # noqa: PTH123
        return json.load(file)["models"]["p"]["corrected"]["precision"]["interval"]


def test_answers_of_others_are_taken_in(sheet):
    lines = sheet.read_text().splitlines()
    with (sheet.parent / "bob.csv").open("w") as file:
        file.write("\n".join([lines[0], *[line + "1" for line in lines[1:11]], *lines[11:]]) + "\n")
    with running(sheet.parent, "audit", "check", "to_check.csv", "--answers", "bob.csv") as page:
        assert page.ask("about")["state"]["answered"] == 10


def test_a_page_for_somebody_without_python(folder, capsys):
    more = ["--id", "text", "-o", "to_check.html", "--question", "Spam <b>?"]
    assert main(["audit", "plan", "scores.csv", *ROWS, *PLAN, *more]) == 0
    assert "checked.csv" in capsys.readouterr().out
    text = (folder / "to_check.html").read_text()
    assert "connect-src 'none'" in text
    assert "Spam <b>" not in text
    assert "text of row" in text
    plan = json.loads((folder / "to_check.html.plan.json").read_text())
    assert len(plan["draw"]["place"]) == 60
    found = Sheet(("text",), plan["draw"]["place"], [("",)] * 60)
    found.answers[:] = [Answers(Answer(said(row), "expert", "t")) for row in found.places]
    (folder / "checked.csv").write_bytes(sheet_bytes(found))
    evaluate = ["evaluate", "scores.csv", *ROWS, "--threshold", "1", "--audit", "checked.csv"]
    assert main([*evaluate, "--audit-plan", "to_check.html.plan.json"]) == 0
    assert "from 60 checked rows" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["none.csv"], "no file"),
        (["scores.csv"], "no column 'row'"),
        (["scores.csv", *ROWS], "needs --budget N"),
        (["scores.csv", "--budget", "20"], "--label COL"),
        (["to_check.csv", "--show", "texts"], "no column 'texts' to show; its columns are: text"),
        (["to_check.csv", "--overlap", "20"], "Pass --checker NAME"),
        (["to_check.csv", "--overlap", "120", "--checker", "ann"], "between 0 and 100"),
        (["to_check.csv", "--port", "99999"], "not a port"),
        (["to_check.csv", "--until-width", "0"], "never be reached"),
        (["to_check.csv", "--audit-plan", "none.json"], "There is no plan"),
        (["to_check.csv", "-o", "none/checked.csv"], "no folder"),
        (["to_check.csv", "scores.csv"], "One sheet"),
        (["to_check.csv", "--answers", "scores.csv"], "no column"),
        (["to_check.csv", "--buget", "20"], "Did you mean --budget"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(sheet, capsys, argv, told):
    assert main(["audit", "check", *argv, "--no-browser"]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert len(err.strip().splitlines()) == 1


def test_the_demonstration_answers_by_itself(tmp_path):
    with running(tmp_path, "demo", "--audit") as page:
        about = page.ask("about")
        assert len(about["truth"]) == 200
        assert set(about["truth"]) == {"yes", "no"}
        for row in range(30):
            page.say(row, about["truth"][row])
        assert interval(page)["checked"] == 30
        code, out, _ = page.stop()
    assert code == 0
    assert "hidden precision" in out
    assert "Checked 30 of 200 rows" in out
    assert list(tmp_path.iterdir()) == []
