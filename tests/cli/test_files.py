"""What the command line reads, and what it shows while it reads."""

import json
import os
import pty
import subprocess
import sys

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from puremetrics.cli import main
from puremetrics.cli.gates import NO_FIGURES
from puremetrics.datasets import demo_path
from puremetrics.exceptions import InputError
from puremetrics.io.files import expand, read_columns

ROWS = pa.table(
    {
        "y": [1, 0, 0, 1, 0, 0, 0, 0] * 4,
        "p": [0.9, 0.8, 0.3, 0.7, 0.2, 0.1, 0.6, 0.4] * 4,
        "land": ["NL", "BE"] * 16,
    }
)
OPTIONS = ["--label", "y", "--score", "p", "--scenario", "case_control", "--prior", "0.2"]


def write_all(folder):
    pq.write_table(ROWS, folder / "a.parquet")
    pyarrow.feather.write_feather(ROWS, folder / "a.feather")
    for name, make in (("a.arrow", pa.ipc.new_file), ("a.arrows", pa.ipc.new_stream)):
        with pa.OSFile(str(folder / name), "wb") as out, make(out, ROWS.schema) as writer:
            writer.write_table(ROWS)
    lines = [",".join(ROWS.column_names)]
    lines += [",".join(map(str, row.values())) for row in ROWS.to_pylist()]
    (folder / "a.csv").write_text("\n".join(lines))
    (folder / "a.jsonl").write_text("\n".join(json.dumps(row) for row in ROWS.to_pylist()))


def rows_read(capsys, *argv):
    code = main(["evaluate", *argv, *OPTIONS, "--json", "-"])
    out = capsys.readouterr()
    assert code in (0, NO_FIGURES), out.err  # a handful of rows may contradict the prior
    return json.loads(out.out)["models"]["p"]["rows"]


def test_every_format_gives_the_same_rows(capsys, tmp_path):
    write_all(tmp_path)
    expected = {"positive": 8, "unlabeled": 24, "negative": 0}
    for file in sorted(tmp_path.iterdir()):
        read = rows_read(capsys, str(file))
        assert {name: read[name] for name in expected} == expected, file.name


def test_patterns_lists_and_conditions(capsys, tmp_path):
    for name in ("one", "two", "three"):
        pq.write_table(ROWS, tmp_path / f"{name}.parquet")
    assert rows_read(capsys, str(tmp_path / "t*.parquet"))["positive"] == 16
    both = [str(tmp_path / "one.parquet"), str(tmp_path / "t*.parquet")]
    assert rows_read(capsys, *both)["positive"] == 24
    assert rows_read(capsys, both[0], "--where", "land = 'NL' AND p > 0.5")["positive"] == 4
    assert rows_read(capsys, both[0], both[0])["positive"] == 8  # a file named twice counts once


def test_a_name_with_a_bracket_is_a_name(tmp_path):
    pq.write_table(ROWS, tmp_path / "run[1]*.parquet")
    assert len(read_columns(tmp_path / "run[1]*.parquet", ["p"])["p"]) == 32


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda d: d / "*.parquet", "No file matches"),
        (lambda d: d, "is a folder without a file of scores"),
        (lambda d: [], "No file was named"),
    ],
)
def test_nothing_to_read(tmp_path, make, message):
    with pytest.raises(InputError, match=message.replace("*", r"\*")):
        expand(make(tmp_path))


def test_files_that_do_not_fit_together(tmp_path):
    pq.write_table(ROWS, tmp_path / "a.parquet")
    pq.write_table(ROWS.drop(["p"]), tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"'b.parquet' has no column 'p'. It has: y, land."):
        read_columns(tmp_path / "*.parquet", ["y", "p"])
    texts = ROWS.set_column(0, "y", pa.array(["yes"] * 32))
    pq.write_table(texts, tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"Column 'y' is string in 'b\.parquet' but int64 in 'a"):
        read_columns(tmp_path / "*.parquet", ["y", "p"])
    floats = ROWS.set_column(0, "y", ROWS["y"].cast(pa.float64()))
    pq.write_table(floats, tmp_path / "b.parquet")
    assert len(read_columns(tmp_path / "*.parquet", ["y"])["y"]) == 64  # numbers are numbers


def test_a_condition_that_does_not_fit(tmp_path):
    pq.write_table(ROWS, tmp_path / "a.parquet")
    for where in ("country = 'NL'", "land =="):
        with pytest.raises(InputError, match=r"does not fit 'a.parquet'.*columns are: y, p, land"):
            read_columns(tmp_path / "a.parquet", ["y"], where=where)


def test_a_truncated_file_is_named(tmp_path):
    write_all(tmp_path)
    for name in ("a.parquet", "a.arrow"):
        file = tmp_path / name
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        with pytest.raises(InputError, match=f"{name!r} cannot be read"):
            read_columns(file, ["y", "p"])


def test_targets_are_checked_before_the_work(capsys, tmp_path):
    for target in (tmp_path, tmp_path / "none" / "r.html"):
        code = main(["evaluate", str(demo_path()), *OPTIONS, "-o", str(target)])
        assert code == 2
        assert "folder" in capsys.readouterr().err


def run_on_terminal(*argv):
    """Run with standard error on a terminal; return what it showed there."""
    outer, inner = pty.openpty()
    command = [sys.executable, "-m", "puremetrics.cli", "evaluate", str(demo_path())]
    command += ["--label", "reported", "--score", "forest", "--scenario", "single_training_set"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(
        [*command, *argv], stdout=subprocess.PIPE, stderr=inner, env=environment
    ) as process:
        os.close(inner)
        shown = b""
        while True:
            try:
                part = os.read(outer, 65536)
            except OSError:  # the terminal is gone when the program ends
                break
            if not part:
                break
            shown += part
        out = process.stdout.read()
    os.close(outer)
    assert process.returncode == 0
    return out.decode(), shown.decode()


def test_the_bar_is_on_standard_error_and_only_on_a_terminal():
    out, shown = run_on_terminal("--prior", "0.394")
    assert "evaluating" in shown
    assert "━" in shown
    assert "evaluating" not in out
    quiet, silent = run_on_terminal("--prior", "0.394", "--no-progress")
    assert silent == ""
    assert quiet == out


def evaluated(capsys, *argv):
    code = main(["evaluate", *argv, *OPTIONS, "--json", "-"])
    out = capsys.readouterr()
    assert code == 0, out.err
    return json.loads(out.out)


def test_counting_without_loading_gives_the_same_numbers(capsys, tmp_path):
    for name in ("one", "two"):
        pq.write_table(ROWS, tmp_path / f"{name}.parquet")
    files = str(tmp_path / "*.parquet")
    loaded = evaluated(capsys, files)
    kept = str(tmp_path / "kept")
    for extra in (["--scan"], ["--checkpoint", kept], ["--checkpoint", kept]):
        counted = evaluated(capsys, files, *extra)
        for name in ("roc_auc", "average_precision"):
            assert (
                counted["models"]["p"]["corrected"][name]["value"]
                == loaded["models"]["p"]["corrected"][name]["value"]
            )
    assert any((tmp_path / "kept").iterdir())


def test_segments_and_their_report(capsys, tmp_path):
    pq.write_table(ROWS, tmp_path / "a.parquet")
    page = tmp_path / "drift.html"
    found = evaluated(capsys, str(tmp_path / "a.parquet"), "--by", "land", "-o", str(page))
    assert found["drift"]["by"] == "land"
    text = page.read_text(encoding="utf-8")
    assert "land" in text
    assert text.rstrip().endswith("</html>")


def test_a_report_from_the_command_line(tmp_path, capsys):
    (tmp_path / "scores.csv").write_text(
        "y,p\n" + "\n".join(f"{row['y']},{row['p']}" for row in ROWS.to_pylist()), encoding="utf-8"
    )
    target = tmp_path / "report.html"
    code = main(["evaluate", str(tmp_path / "scores.csv"), *OPTIONS, "-o", str(target),
                 "--title", "<b>Mine</b>"])  # fmt: skip
    assert code == 0, capsys.readouterr().err
    text = target.read_text(encoding="utf-8")
    assert "&lt;b&gt;Mine" in text
    assert "<b>Mine</b>" not in text
    assert sorted(p.name for p in tmp_path.iterdir()) == ["report.html", "scores.csv"]
