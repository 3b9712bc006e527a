"""Coverage-guided fuzzing with atheris: ``python benchmarks/fuzz.py functions --seconds 300``.

Targets: ``functions`` (every public function with the strategies of tests/fuzz, driven by libFuzzer's bytes
through hypothesis), ``arrays`` (labels, scores, weights and counts of any dtype, from raw bytes) and
``files`` (the command line on bytes that start as sound CSV, Parquet, JSON lines and Arrow files). Stops at
the first input that breaks a promise and writes it to the current folder. Needs ``pip install atheris``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

with atheris.instrument_imports(include=["puremetrics"]):
    import puremetrics as pm
    import puremetrics.cli
    import puremetrics.evaluation
    import puremetrics.io.files

    for name in pm.__all__:
        getattr(pm, name)

import numpy as np  # noqa: E402
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from tests.fuzz import files  # noqa: E402
from tests.fuzz.calls import CALLS  # noqa: E402
from tests.fuzz.checks import hold_up  # noqa: E402

DTYPES = ("f8", ">f8", "f4", "f2", "i1", "u1", "i4", ">i8", "?", "S1", "c8", "M8[s]")
NAMES = sorted(CALLS)


@settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(NAMES).flatmap(lambda name: st.tuples(st.just(name), drawn(name))))
def functions(drawn_call):
    name, arguments = drawn_call
    hold_up(CALLS[name][0], arguments)


def drawn(name):
    return st.fixed_dictionaries(CALLS[name][1])


def arrays(data: bytes) -> None:
    """One byte for the way in, one for each dtype; the rest is cut into columns."""
    if len(data) < 5:
        return
    ways, body = data[0], data[4:]
    part = len(body) // 3
    columns = []
    for i in range(3):
        dtype = np.dtype(DTYPES[data[1 + i] % len(DTYPES)])
        piece = body[i * part : (i + 1) * part]
        columns.append(np.frombuffer(piece[: len(piece) // dtype.itemsize * dtype.itemsize], dtype))
    scenario = ("case_control", "single_training_set")[ways % 2]
    if ways % 3 == 0:
        arguments = {"y": columns[0], "score": columns[1], "scenario": scenario}
        if ways & 8:
            arguments["sample_weight"] = columns[2]
        hold_up(pm.ScoreTable.from_arrays, arguments)
    elif ways % 3 == 1:
        names = ("positive", "unlabeled", "negative")
        arguments = {**dict(zip(names, columns, strict=True)), "scenario": scenario}
        hold_up(lambda **a: _everything(pm.ScoreTable.from_groups(**a)), arguments)
    else:
        names = ("score", "n_pos", "n_unl")
        arguments = {**dict(zip(names, columns, strict=True)), "scenario": scenario}
        hold_up(lambda **a: _everything(pm.ScoreTable.from_counts(**a)), arguments)


def _everything(table):
    prior = (table.total_pos + 0.3 * table.total_unl) / table.total
    return (
        pm.roc_auc(table, prior=prior),
        pm.average_precision(table, prior=prior),
        pm.confusion_at_thresholds(table, prior=prior),
        pm.roc_hull(table),
    )


def one_file(data: bytes) -> None:
    """Two bytes choose command, ending and options; the rest is the file."""
    if len(data) < 2:
        return
    command = ("evaluate", "prior", "compare")[data[0] % 3]
    extra = [[("--prior", "0.45")], [("--prior", "0.45"), ("--score", "t")], []][data[0] // 3 % 3]
    files.run(command, files.ENDINGS[data[1] % len(files.ENDINGS)], data[2:], extra)


def seeds(folder: Path) -> None:
    for i, ending in enumerate(files.ENDINGS):
        for command in range(9):
            content = files.encoded(files.sound_rows(), ending)
            (folder / f"{i}-{command}").write_bytes(bytes([command, i]) + content)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", choices=("functions", "arrays", "files"))
    parser.add_argument("--seconds", type=int, default=300)
    given_options = parser.parse_args()
    warnings.simplefilter("error")
    targets = {
        "functions": functions.hypothesis.fuzz_one_input, "arrays": arrays, "files": one_file
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        if given_options.target == "files":
            seeds(Path(folder))
        argv = [sys.argv[0], folder, f"-max_total_time={given_options.seconds}", "-max_len=4096"]
        argv += ["-print_final_stats=1", "-len_control=0", "-rss_limit_mb=3000", "-timeout=60"]
        atheris.Setup(argv, targets[given_options.target])
        atheris.Fuzz()


if __name__ == "__main__":
    main()
