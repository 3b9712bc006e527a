"""A session: nothing lost, nothing doubled, whatever happens to the file, the page or the program."""

import errno
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

from puremetrics.checkpage import read_sheet
from puremetrics.checkpage import session as session_module
from puremetrics.checkpage.session import ChangedError
from puremetrics.exceptions import InputError
from tests.checkpage.making import ask, session, sheet


def on_disk(made):
    return [one.final for one in read_sheet(made.output).answers]


def test_every_answer_is_on_disk_when_it_counts(tmp_path):
    made = session(tmp_path)
    for row, said in enumerate(["yes", "no", "unsure", "yes"]):
        made.say(row, said)
        assert on_disk(made) == made.final
    assert made.final[:5] == ["yes", "no", "", "yes", ""]
    assert read_sheet(made.output).answers[2].first.said == "unsure"


def test_who_and_when_are_kept(tmp_path):
    made = session(tmp_path)
    made.say(0, "yes")
    made.say(1, "no")
    first, second = (one.first for one in read_sheet(made.output).answers[:2])
    assert (first.checker, second.checker) == ("ann", "ann")
    assert first.at < second.at
    assert first.at.startswith("2026-01-02T03:04:06")


def test_it_is_written_whole_and_synchronised(tmp_path, monkeypatch):
    made, synced = session(tmp_path), []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(handle))
    made.say(0, "yes")
    assert len(synced) == 2  # the file and its folder
    assert [path.name for path in tmp_path.iterdir()] == ["checked.csv"]


def test_answers_are_taken_back_one_by_one(tmp_path):
    made = session(tmp_path)
    made.say(0, "yes")
    made.say(1, "no")
    made.say(0, "no")
    assert made.undo().row == 0
    assert made.final[:2] == ["yes", "no"]
    assert made.undo().row == 1
    assert on_disk(made)[:2] == ["yes", ""]
    assert made.undo().row == 0
    assert made.undo() is None
    assert on_disk(made) == [""] * 10


def test_it_continues_where_it_ended(tmp_path):
    made = session(tmp_path)
    for row in (0, 2):
        made.say(row, "yes")
    again = session(tmp_path, checker="bob")
    assert again.final == made.final
    assert again.state()["said"] == ["yes", None, "yes"] + [None] * 7
    assert again.undo().row == 2  # the newest, although somebody else gave it


def test_a_request_that_comes_twice_counts_once(tmp_path):
    made = session(tmp_path)
    assert made.say(0, "yes", base=0, request="a") == 1
    assert made.say(0, "yes", base=0, request="a") == 1
    made.undo()
    assert made.final[0] == ""


def test_the_later_of_two_tabs_is_told(tmp_path):
    made = session(tmp_path)
    seen = made.version
    made.say(0, "yes", base=seen)
    with pytest.raises(ChangedError, match="answered elsewhere a moment ago: it now says positive"):
        made.say(0, "no", base=seen)
    assert made.final[0] == "yes"
    made.say(1, "no", base=seen)  # another row is free
    made.say(0, "no", base=made.version)
    assert made.final[:2] == ["no", "no"]


@pytest.mark.parametrize("row", [-1, 10, True, None, "1", 1.0])
def test_rows_that_are_not_there_are_refused(tmp_path, row):
    with pytest.raises(InputError, match="There is no row"):
        session(tmp_path).say(row, "yes")


@pytest.mark.parametrize("said", ["maybe", "", 1, "YES", "x" * 10**5])
def test_other_answers_are_refused(tmp_path, said):
    with pytest.raises(InputError, match="one of yes, no, unsure"):
        session(tmp_path).say(0, said)


def test_on_a_full_disk_nothing_is_acknowledged(tmp_path, monkeypatch):
    made = session(tmp_path)
    made.say(0, "yes")

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as m:
        m.setattr(os, "fsync", full)
        for _ in range(3):
            with pytest.raises(InputError, match=r"No space left on device.*free space"):
                made.say(1, "no", request="b")
        assert made.final[:2] == ["yes", ""]
        with pytest.raises(InputError, match="No space left"):
            made.undo()
        assert made.final[:2] == ["yes", ""]
    assert on_disk(made)[:2] == ["yes", ""]
    made.say(1, "no", request="b")
    assert on_disk(made)[:2] == ["yes", "no"]
    assert [path.name for path in tmp_path.iterdir()] == ["checked.csv"]


def test_a_file_that_vanished_is_written_again(tmp_path):
    made = session(tmp_path)
    made.say(0, "yes")
    made.output.unlink()
    made.say(1, "no")
    assert on_disk(made)[:2] == ["yes", "no"]
    assert "had vanished" in made.notes[-1]


def test_answers_of_another_program_are_taken_over(tmp_path):
    made, other = session(tmp_path), session(tmp_path, checker="bob")
    made.say(0, "yes")
    other = session(tmp_path, checker="bob")
    other.say(1, "no")
    made.say(2, "yes")
    assert on_disk(made)[:3] == ["yes", "no", "yes"]
    assert made.final == on_disk(made)
    assert "1 answer was taken over" in made.notes[-1]
    base = made.version
    other.say(3, "yes")
    with pytest.raises(ChangedError):
        made.say(3, "no", base=base)
    assert on_disk(made)[3] == "yes"


def test_a_file_that_became_something_else_is_left_alone(tmp_path):
    made = session(tmp_path)
    made.say(0, "yes")
    made.output.write_text("dear diary")
    with pytest.raises(
        InputError, match=r"changed by another program.*Nothing was written over it"
    ):
        made.say(1, "no")
    assert made.output.read_text() == "dear diary"
    assert made.final[:2] == ["yes", ""]
    made.output.unlink()
    made.say(1, "no")
    assert on_disk(made)[:2] == ["yes", "no"]


def test_a_file_with_other_rows_is_left_alone(tmp_path):
    session(tmp_path, rows=5).save()
    with pytest.raises(InputError, match=r"answers to other rows \(5\) than this sheet \(10\)"):
        session(tmp_path)
    made = session(tmp_path, rows=5)
    made.output.unlink()
    session(tmp_path, rows=10).save()
    made._seen = (0, 0, 0)
    with pytest.raises(InputError, match="replaced by a sheet with other rows"):
        made.say(0, "yes")
    assert len(read_sheet(made.output)) == 10


def test_a_folder_that_is_not_there_is_told_at_once(tmp_path):
    with pytest.raises(InputError, match="no folder"):
        session(tmp_path / "none")


# ---------------------------------------------------------------------- two people


def both(tmp_path, overlap=40.0):
    ann = session(tmp_path, overlap=overlap)
    for row in range(6):
        ann.say(row, "yes" if row % 2 else "no")
    return session(tmp_path, overlap=overlap, checker="bob")


def test_a_share_of_the_rows_is_given_to_two(tmp_path):
    for share in (0.0, 10.0, 20.0, 37.0, 100.0):
        made = session(tmp_path, rows=200, overlap=share)
        double = [made.is_double(row) for row in range(200)]
        assert sum(double) == round(2 * share)
        for first in range(10, 200, 10):  # any first part has its share
            assert abs(sum(double[:first]) - first * share / 100) < 1


def test_the_second_gets_doubles_and_open_rows_without_the_first_answers(tmp_path):
    bob = both(tmp_path)
    assert [row for row in range(10) if bob.is_double(row)] == [2, 4, 7, 9]
    assert bob.todo() == [2, 4, 6, 7, 8, 9]
    state = bob.state()
    assert state["said"] == [None] * 6
    assert state["differ"] == []
    with pytest.raises(ChangedError, match="checked by somebody else"):
        bob.say(0, "yes")


def test_differences_are_settled(tmp_path):
    bob = both(tmp_path)
    bob.say(2, "yes")
    bob.say(4, "no")
    assert bob.final[2] == ""
    assert bob.final[4] == "no"
    assert bob.state()["differ"] == [
        {
            "row": 2,
            "first": {"said": "no", "by": "ann"},
            "second": {"said": "yes", "by": "bob"},
            "settled": None,
        }
    ]
    with pytest.raises(InputError, match="nothing to settle"):
        bob.say(6, "yes", settle=True)
    bob.say(2, "yes", settle=True)
    assert bob.final[2] == "yes"
    again = session(tmp_path, overlap=40.0)
    assert again.answers[2] == bob.answers[2]
    assert again.state()["differ"][0]["settled"] == "yes"


def test_changing_an_answer_takes_the_settlement_away(tmp_path):
    bob = both(tmp_path)
    bob.say(2, "yes")
    bob.say(2, "no", settle=True)
    bob.say(2, "no")
    assert bob.answers[2].settled is None
    assert bob.final[2] == "no"
    bob.undo()
    assert bob.answers[2].settled is not None


def test_somebody_elses_sheet_is_taken_in(tmp_path):
    ann = session(tmp_path, overlap=40.0)
    for row in range(6):
        ann.say(row, "yes")
    other = sheet()
    from puremetrics.checkpage.sheet import Answer, Answers

    for row in range(4, 8):
        other.answers[row] = Answers(Answer("no", "bob", "t"))
    assert ann.take(other, "bob.csv") == 4
    assert ann.final == ["yes"] * 4 + ["", "", "no", "no", "", ""]
    assert len(ann.differing()) == 2
    assert ann.take(other, "bob.csv") == 0
    assert on_disk(ann) == ann.final
    with pytest.raises(InputError, match="other rows"):
        ann.take(sheet(5), "bob.csv")


@pytest.mark.parametrize(("overlap", "checker"), [(-1, "ann"), (101, "ann"), (20, "")])
def test_shares_that_cannot_be_are_refused(tmp_path, overlap, checker):
    with pytest.raises(InputError):
        session(tmp_path, overlap=overlap, checker=checker)


# ---------------------------------------------------------------------- kills

SERVE = """
import sys
from pathlib import Path
from puremetrics.checkpage import CheckServer, Session, read_sheet
folder = Path(sys.argv[1])
server = CheckServer(Session(read_sheet(folder / "to_check.csv"), folder / "checked.csv", checker="ann"))
server.start()
print(server.port, server.token, flush=True)
server.ended.wait()
"""


def serve(folder):
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(folder)], stdout=subprocess.PIPE, text=True
    )
    port, token = process.stdout.readline().split()
    return process, SimpleNamespace(port=int(port), token=token)


def test_twenty_kills_lose_no_answer(tmp_path):
    from puremetrics.checkpage.sheet import sheet_bytes

    (tmp_path / "to_check.csv").write_bytes(sheet_bytes(sheet(200)))
    rng, given, row = np.random.default_rng(0), {}, 0
    for kill in range(20):
        process, server = serve(tmp_path)
        try:
            for _ in range(int(rng.integers(1, 6))):
                said = "yes" if rng.random() < 0.5 else "no"
                status, _, found = ask(server, "answer", {"row": row, "said": said})
                assert status == 200
                assert found["state"]["said"][row] == said
                given[row], row = said, row + 1
            if kill % 2:  # in the middle of one: it may be there, but nothing else may be gone
                caught = subprocess.Popen(
                    [sys.executable, "-c", ASK, str(server.port), server.token, str(row)]
                )
                time.sleep(float(rng.random()) * 0.1)
                process.send_signal(signal.SIGKILL)
                caught.wait()
                row += 1
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
        found = [one.final for one in read_sheet(tmp_path / "checked.csv").answers]
        assert {at: found[at] for at in given} == given
    assert len(given) >= 40
    assert len(read_sheet(tmp_path / "checked.csv")) == 200


ASK = """
import http.client, json, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=5)
try:
    connection.request("POST", f"/{sys.argv[2]}/answer", json.dumps({"row": int(sys.argv[3]), "said": "yes"}),
                       {"X-Puremetrics": "1", "Content-Type": "application/json"})
    connection.getresponse().read()
except OSError:
    pass
except http.client.HTTPException:
    pass
"""


def test_a_kill_while_writing_leaves_the_old_file(tmp_path, monkeypatch):
    made = session(tmp_path)
    made.say(0, "yes")
    before = made.output.read_bytes()

    def killed(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(session_module, "sheet_bytes", lambda *a, **k: killed(None))
    with pytest.raises(KeyboardInterrupt):
        made.say(1, "no")
    assert made.output.read_bytes() == before
    assert made.final[1] == ""
