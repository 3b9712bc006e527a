"""Fuzzing: ``python benchmarks/fuzz.py calls --seed 7 --calls 100000``, or guided by coverage.

``calls`` draws the arguments of every public function with the strategies of tests/fuzz, from a seed, shares
the calls out among the functions, and goes on after a failure: at the end every broken promise is listed. The
others, such as ``python benchmarks/fuzz.py functions --seconds 300``, need ``pip install atheris``: ``functions`` (every public function with the strategies of tests/fuzz, driven by libFuzzer's bytes
through hypothesis), ``arrays`` (labels, scores, weights and counts of any dtype, from raw bytes) and
``files`` (the command line on bytes that start as sound CSV, Parquet, JSON lines and Arrow files). Stops at
the first input that breaks a promise and writes it to the current folder.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
import traceback
import warnings
import zlib
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

try:
    import atheris
except ImportError:  # good enough for ``calls``
    atheris = None

with atheris.instrument_imports(include=["puremetrics"]) if atheris else contextlib.nullcontext():
    import puremetrics as pm
    import puremetrics.cli
    import puremetrics.evaluation
    import puremetrics.io.files

    for name in pm.__all__:
        getattr(pm, name)

import numpy as np  # noqa: E402
from hypothesis import HealthCheck, Phase, given, seed, settings  # noqa: E402
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


def many_calls(first: int, count: int) -> int:
    """So many calls from a seed, shared out among the functions; the number of broken promises."""
    broken: dict[str, str] = {}
    made, start = 0, time.process_time()
    for name in NAMES:
        made += _calls_of(name, first, max(count // len(NAMES) // COSTS.get(name, 1), 1), broken)
        print(f"{name}: {made} calls, {time.process_time() - start:.0f} s of CPU", flush=True)
    print(f"seed {first}: {made} calls, {len(broken)} broken promises")
    return len(broken)


def _calls_of(name: str, first: int, count: int, broken: dict[str, str]) -> int:
    made = 0

    @seed(first + zlib.crc32(name.encode()))
    @settings(
        max_examples=count, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(drawn(name))
    def attack(arguments):
        nonlocal made
        made += 1
        try:
            hold_up(CALLS[name][0], arguments)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            key = f"{name}: {type(error).__name__} at {Path(where.filename).name}:{where.lineno}"
            if key not in broken:
                broken[key] = f"{error}"[:600] + f"\n    {arguments}"[:1500]
                print(f"{key}\n  {broken[key]}", flush=True)

    attack()
    return made


COSTS = {
    "estimate_prior_from_features": 100, "out_of_fold_scores": 100, "AuditPlan.draw_from": 3, "evaluate": 6,
    "evaluate.audit": 6, "plan_audit": 4, "audit_labels": 3, "follow_audit": 3, "choose_threshold": 3,
    "choose_threshold.audit": 3, "estimate_prior": 3, "prior_sensitivity": 6, "best_by_prior": 6, "compare": 3,
    "tipping_point": 3, "label_bias_sensitivity": 6, "scan": 4, "calibration_test": 3,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", choices=("calls", "functions", "arrays", "files"))
    parser.add_argument("--seed", type=int, default=0, help="of calls")
    parser.add_argument("--calls", type=int, default=10_000, help="number of calls, about")
    parser.add_argument("--seconds", type=int, default=300)
    given_options = parser.parse_args()
    warnings.simplefilter("error")
    if given_options.target == "calls":
        sys.exit(many_calls(given_options.seed, given_options.calls) > 0)
    if atheris is None:
        sys.exit("Guided fuzzing needs atheris: pip install atheris. The target calls does not.")
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
