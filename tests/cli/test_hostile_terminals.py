"""Terminals of any encoding, files that are written where others are, and runs that are stopped."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from puremetrics.cli import main
from puremetrics.cli.terminal import spell_out_invisible
from puremetrics.datasets import demo_path
from puremetrics.exceptions import InputError
from puremetrics.io.writing import write_text

DEMO = [str(demo_path()), "--label", "reported", "--score", "forest", "--scenario",
        "single_training_set", "--prior", "0.394"]  # fmt: skip
OPTIONS = ["--label", "y", "--score", "p", "--scenario", "case_control", "--prior", "0.2"]
LINES = "y,p\n" + "1,0.9\n0,0.5\n0,0.1\n1,0.6\n" * 5


def command(*argv, **options):
    environment = {**os.environ, **options.pop("env", {})}
    return subprocess.run(
        [sys.executable, "-m", "puremetrics.cli", *argv], capture_output=True, check=False,
        env=environment, **options,
    )  # fmt: skip


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1", "cp437", "utf-8", "utf-16"])
def test_any_encoding_shows_a_page(encoding):
    argv = ["demo"] if encoding in ("ascii", "utf-8") else ["evaluate", *DEMO, "--verbose"]
    done = command(*argv, env={"PYTHONIOENCODING": encoding})
    assert done.returncode == 0, done.stderr
    page = done.stdout.decode(encoding)
    assert "rows -> " in page or "rows → " in page or "hidden truth" in page


def test_the_c_locale(tmp_path):
    (tmp_path / "é.csv").write_text("y,p\n" + "1,0.5\n0,0.25\n" * 9, encoding="utf-8")
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = command("evaluate", str(tmp_path / "é.csv"), *OPTIONS, env=env)
    assert done.returncode == 0, done.stderr
    missing = command("evaluate", str(tmp_path / "ü.csv"), *OPTIONS, env=env)
    assert missing.returncode == 2
    assert missing.stderr.startswith(b"puremetrics: There is no file")


def test_escape_sequences_are_shown_and_not_obeyed(tmp_path, capsys):
    name = "p\x1b[31m\x9b2J\u202ex"
    (tmp_path / "a.csv").write_text(LINES.replace("y,p", f"y,{name}"), encoding="utf-8")
    options = ["--label", "y", "--scenario", "case_control", "--prior", "0.2"]
    assert main(["evaluate", str(tmp_path / "a.csv"), "--score", name, *options]) == 0
    assert main(["evaluate", str(tmp_path / "a.csv"), "--score", "q", *options]) == 2
    said = capsys.readouterr()
    for text in (said.out, said.err):
        assert "\\x1b[31m" in text
        assert not set(text) & {"\x1b", "\x9b", "\u202e"}
    (tmp_path / "b.csv").write_text(
        "y,p,s\n" + "1,0.9,a\x1b[2J\n0,0.5,a\x1b[2J\n0,0.1,b\n1,0.6,b\n" * 9
    )
    assert main(["evaluate", str(tmp_path / "b.csv"), *OPTIONS, "--by", "s"]) == 0
    assert "\x1b" not in capsys.readouterr().out
    assert spell_out_invisible("4\u202f601 rows → é\n\tx") == "4\u202f601 rows → é\n\tx"


def test_targets_that_are_each_other_or_an_input(tmp_path, capsys):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(LINES)
    os.link(tmp_path / "b.csv", tmp_path / "hard.html")
    (tmp_path / "soft.json").symlink_to(tmp_path / "x.html")
    pattern, x = str(tmp_path / "?.csv"), str(tmp_path / "x.html")
    wrong = (
        ["-o", x, "--json", x],
        ["-o", x, "--json", str(tmp_path / "." / "x.html")],
        ["-o", x, "--json", str(tmp_path / "soft.json")],
        ["-o", str(tmp_path / "b.csv")],
        ["--json", str(tmp_path / "hard.html")],
    )
    for options in wrong:
        assert main(["evaluate", pattern, *OPTIONS, *options]) == 2
        said = capsys.readouterr()
        assert "Choose another" in said.err
        assert not said.out
    assert (tmp_path / "b.csv").read_text() == LINES
    plan = [
        "audit",
        "plan",
        str(tmp_path / "a.csv"),
        *OPTIONS,
        "--threshold",
        "0.5",
        "--budget",
        "5",
    ]
    (tmp_path / "s.csv.plan.json").mkdir()
    assert main([*plan, "-o", str(tmp_path / "s.csv")]) == 2
    assert "is a folder" in capsys.readouterr().err
    (tmp_path / "t.csv.plan.json").write_text(LINES)
    data = ["audit", "plan", str(tmp_path / "t.csv.plan.json"), *plan[3:]]
    assert main([*data, "-o", str(tmp_path / "t.csv")]) == 2
    assert "is an input file" in capsys.readouterr().err


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to(tmp_path, capsys):
    (tmp_path / "a.csv").write_text(LINES)
    (tmp_path / "shut").mkdir(mode=0o500)
    assert (
        main(["evaluate", str(tmp_path / "a.csv"), *OPTIONS, "-o", f"{tmp_path}/shut/r.html"]) == 2
    )
    assert "r.html" in capsys.readouterr().err


def test_rights_are_kept(tmp_path, capsys):
    (tmp_path / "a.csv").write_text(LINES)
    for name, mode in (("r.html", 0o600), ("n.json", 0o640)):
        (tmp_path / name).write_text("old")
        (tmp_path / name).chmod(mode)
    targets = ["-o", str(tmp_path / "r.html"), "--json", str(tmp_path / "n.json")]
    assert main(["evaluate", str(tmp_path / "a.csv"), *OPTIONS, *targets]) == 0
    assert (tmp_path / "r.html").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "n.json").stat().st_mode & 0o777 == 0o640
    write_text(tmp_path / "new", "x")
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o666 & ~mask


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device is always full")  # noqa: PTH110
def test_no_room_names_the_file(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="'/dev/full' cannot be written: No space left"):
        write_text("/dev/full", "x" * 10**6)
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "puremetrics.cli", "evaluate", *DEMO], stdout=full,
            stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(b"puremetrics: standard output or a file: No space left")
    assert done.stderr.count(b"\n") == 1


def test_half_characters_do_not_stop_a_report(tmp_path):
    write_text(tmp_path / "r.html", "a\udcffb")
    assert (tmp_path / "r.html").read_text() == "a\\udcffb"


def wait_until_open(path, process, seconds=300):
    """Wait until the process has the file open (where the system tells), and a moment more."""
    files = Path(f"/proc/{process.pid}/fd")
    ends = time.monotonic() + (seconds if files.exists() else 3)
    while time.monotonic() < ends and process.poll() is None:
        with suppress(OSError):
            if any(str(entry.readlink()) == str(path) for entry in files.iterdir()):
                break
        time.sleep(0.02)
    time.sleep(0.5)


def test_an_interrupt_while_a_file_is_read(tmp_path):
    """The filter would take minutes, so that the signal comes in time on any machine."""
    path = tmp_path / "large.csv"
    with path.open("w") as out:
        out.write("y,p,x\n")
        block = "".join(f"{i % 2},0.{i:06d},{'z' * 40}\n" for i in range(100_000))
        for _ in range(30):
            out.write(block)
    argv = [sys.executable, "-m", "puremetrics.cli", "evaluate", str(path), *OPTIONS]
    argv += ["--where", "md5(" * 60 + "concat(x, p)" + ")" * 60 + " <> 'z'"]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until_open(path, process)
    process.send_signal(signal.SIGINT)
    with suppress(
        subprocess.TimeoutExpired
    ):  # seen once: a signal that was lost on a crowded machine
        process.wait(timeout=60)
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert err == b"puremetrics: interrupted; nothing was written.\n"
    assert not out


def test_pipes_are_read_once(tmp_path):
    content = LINES.encode()
    direct = tmp_path / "a.csv"
    direct.write_bytes(content)
    expected = command("evaluate", str(direct), *OPTIONS, "--json", "-")
    assert expected.returncode == 0
    for name, more in (("-", []), ("/dev/stdin", []), ("-", ["--scan"])):
        done = command("evaluate", name, *OPTIONS, *more, "--json", "-", input=content)
        assert done.returncode == 0, done.stderr
        assert more or done.stdout == expected.stdout
