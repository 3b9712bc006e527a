"""The command line against bytes that are not what their ending says."""

import os

import pytest
from hypothesis import HealthCheck, given, note, settings

from puremetrics.cli import main
from tests.fuzz.files import ENDINGS, commands, encoded, files, options, run, sound_rows

EXAMPLES = int(os.environ.get("PUREMETRICS_FUZZ", "0")) or 15
hostile = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


@hostile
@given(commands, files(), options)
def attack(command, file, extra):
    note(f"{command} {extra} on *{file[0]}: {file[1]!r}")
    run(command, *file, extra)


def test_any_bytes_give_a_page_or_one_sentence():
    attack()


@pytest.mark.parametrize("ending", [e for e in ENDINGS if e not in (".xlsx", ".tsv")])
def test_sound_files_are_read(ending):
    content = encoded(sound_rows(), ending)
    extra = [] if ending.startswith((".parquet", ".arrow")) else [("--json", "-")]
    assert run("evaluate", ending, content, [("--prior", "0.5"), *extra]) == 0


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
def test_every_truncation_of_a_small_file(ending):
    content = encoded(sound_rows(6), ending)
    step = max(len(content) // 12, 1)
    for size in range(0, len(content), step):
        run("evaluate", ending, content[:size], [("--prior", "0.5")])


def test_names_that_are_patterns_or_folders(tmp_path, capsys):
    (tmp_path / "folder.csv").mkdir()
    for name in ("folder.csv", "no*.csv", "a[b.csv", "", "\udcff.csv"):
        argv = ["evaluate", str(tmp_path / name), "--label", "y", "--score", "s"]
        assert main([*argv, "--scenario", "case_control", "--prior", "0.4"]) == 2
        assert capsys.readouterr().err.startswith("puremetrics: ")
