"""Same seed, same bits: whatever the threads, the process, the order of rows and of merges."""

import functools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from tests.strategies import groups, scenarios

CC = {"scenario": "case_control"}

# Prints one line per result: its name and the exact bits of its numbers.
BATTERY = """
import sys
import numpy as np
import puremetrics as pm

def bits(name, *numbers):
    flat = [np.asarray(n, dtype=float).ravel() for n in numbers]
    print(name, *(float(x).hex() for part in flat for x in part))

def rows(labelled, unlabeled, scenario):
    rng = np.random.default_rng(7)
    squash = lambda z: 1 / (1 + np.exp(-z))
    return pm.ScoreTable.from_groups(
        positive=squash(rng.normal(1.5, 1, labelled)),
        unlabeled=squash(rng.normal(0, 1, unlabeled)), scenario=scenario)

which = sys.argv[1]
large = which != "all"
table = rows(20_000 if large else 200, 30_000 if large else 500, "single_training_set")
prior = 0.5 if large else 0.4
known = {"prior": prior}
if which == "dots":
    for function in (pm.roc_auc, pm.average_precision):
        found = function(table, **known)
        bits(found.name, found.value, tuple(found.interval))
    bits("naive", tuple(pm.naive_auc(table).interval))
    bits("elkan_noto", pm.estimate_prior(table, method="elkan_noto", n_resamples=3, rng=0).prior)
    sys.exit()
bits("f1", tuple(pm.metric(table, "f1", threshold=0.5, **known).interval))
for function in (pm.brier_score, pm.log_loss):
    found = function(table, **known)
    bits(found.name, found.value, tuple(found.interval))
found = pm.calibration_error(table, **known, n_resamples=20, rng=1, interval="bootstrap")
bits("calibration", found.error, tuple(found.interval))
for method in ("platt", "beta", "temperature", "isotonic"):
    bits(method, pm.recalibrate(table, method=method, **known)([0.1, 0.5, 0.9]))
for function in (pm.pulp, pm.lee_liu, pm.mean_pearson, pm.mean_mutual_information):
    found = function(table)
    bits(found.name, found.value, tuple(found.interval))
bits("hull", pm.roc_hull(table, **known).tpr)
bits("bounds", tuple(pm.roc_auc_bounds(table, **known)))
bits("precision bounds", tuple(pm.average_precision_bounds(table, **known)))
if not large:
    for function in (pm.roc_auc, pm.average_precision):
        found = function(table, **known)
        bits(found.name, found.value, tuple(found.interval))
    for scheme in ("multinomial", "poisson"):
        for method in ("percentile", "bca"):
            made = pm.bootstrap(
                table, lambda t: pm.roc_auc(t, **known).value, n_resamples=30, scheme=scheme,
                interval=method, fixed_sizes=True, rng=3)
            bits("bootstrap " + scheme + method, made.replicates, made.low, made.high)
    for method in ("combined", "alphamax", "dedpul", "best_bin", "slope"):
        bits(method, pm.estimate_prior(table, method=method, n_resamples=10, rng=5).prior)
    bits("variance", pm.hull_variance(table, **known, n_resamples=10, rng=2).total)
    chosen = pm.choose_threshold(table, objective="mcc", n_resamples=20, rng=4, **known)
    bits("threshold", chosen.threshold, tuple(chosen.estimate.interval))
    rng = np.random.default_rng(1)
    y, a = rng.random(400) < 0.3, rng.random(400)
    joint = pm.JointTable.from_arrays(
        y, {"a": a + 0.4 * y, "b": a + 0.2 * y, "c": rng.random(400)}, scenario="case_control")
    for method in ("analytic", "bootstrap"):
        compared = pm.compare(joint, prior=0.2, interval=method, n_resamples=20, rng=6)
        bits("compare", *(tuple(d.interval) for d in compared.differences))
    print(pm.evaluate({"x": table, "y": table}, prior=prior, rng=0).to_json())
    print(pm.evaluate(table, prior=None, rng=0))
"""


@functools.cache
def printed(which: str, threads: int, hash_seed: int) -> str:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    settings_ = {name: str(threads) for name in names} | {"PYTHONHASHSEED": str(hash_seed)}
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", BATTERY, which],
        capture_output=True, text=True, check=False, env={**os.environ, **settings_},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_a_fresh_process_gives_the_same_bits():
    first = printed("all", 1, 1)
    assert len(first.splitlines()) > 30
    assert printed("all", 4, 2) == first


def test_large_tables_do_not_depend_on_the_number_of_threads():
    # Vectors of more than 10,000 entries are what BLAS splits among its threads.
    assert printed("large", 1, 1) == printed("large", 3, 1)


def test_large_corrections_do_not_depend_on_the_number_of_threads():
    assert printed("dots", 1, 1) == printed("dots", 3, 1)


@given(st.lists(groups(max_size=6), min_size=2, max_size=6), scenarios, st.randoms())
def test_any_order_and_grouping_of_merges_gives_the_same_bits(parts, scenario, random):
    whole = pm.ScoreTable.from_groups(
        positive=[s for part in parts for s in part.pos],
        unlabeled=[s for part in parts for s in part.unl],
        negative=[s for part in parts for s in part.neg],
        scenario=scenario,
    )
    tables = []
    for part in parts:
        table = part.table(scenario)
        if random.random() < 0.4:  # of the other origin: counts instead of groups
            table = pm.ScoreTable.from_counts(
                table.score, n_pos=table.n_pos, n_unl=table.n_unl, n_neg=table.n_neg,
                scenario=scenario,
            )  # fmt: skip
        tables.append(table)
    while len(tables) > 1:
        random.shuffle(tables)
        tables.append(tables.pop().merge(tables.pop()))
    merged = tables[0]
    assert merged.equals(whole)
    for name in ("score", "n_pos", "n_unl", "n_neg"):
        one, two = getattr(merged, name), getattr(whole, name)
        assert one.dtype == two.dtype
        assert one.tobytes() == two.tobytes()
    assert pm.roc_hull(merged).area.hex() == pm.roc_hull(whole).area.hex()


@given(st.integers(0, 10**6))
def test_weights_merge_alike_in_both_orders(seed):
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(2):
        y, score, weight = rng.random(9) < 0.5, rng.integers(0, 3, 9), rng.random(9) + 0.1
        y[:2] = True, False
        made.append(pm.ScoreTable.from_arrays(y, score, sample_weight=weight, **CC))
    one, two = made[0].merge(made[1]), made[1].merge(made[0])
    assert one.equals(two)
    assert one.n_pos.tobytes() == two.n_pos.tobytes()


def test_order_of_models_and_names_does_not_matter():
    rng = np.random.default_rng(0)
    y, a, b = rng.random(200) < 0.4, rng.random(200), rng.random(200)
    known = {"prior": 0.3, "rng": 0}
    found = []
    for scores in ({"a": a, "b": b}, {"b": b, "a": a}):
        joint = pm.JointTable.from_arrays(y, scores, **CC)
        found.append(pm.compare(joint, **known).estimates)
    assert found[0] == found[1]


def test_a_generator_is_used_up_and_a_seed_is_not():
    table = pm.ScoreTable.from_groups(positive=range(5, 25), unlabeled=range(30), **CC)
    call = functools.partial(pm.bootstrap, table, lambda t: pm.naive_auc(t).value, n_resamples=20)
    assert np.array_equal(call(rng=1).replicates, call(rng=1).replicates)
    assert np.array_equal(call(rng=1).replicates, call(rng=np.random.default_rng(1)).replicates)
    rng = np.random.default_rng(1)
    assert not np.array_equal(call(rng=rng).replicates, call(rng=rng).replicates)
    state = np.random.get_state()[1].tobytes()  # noqa: NPY002  (the global one must not be touched)
    call(rng=None)
    assert np.random.get_state()[1].tobytes() == state  # noqa: NPY002


def test_files_do_not_depend_on_the_threads_of_the_reader(tmp_path: Path, monkeypatch, capsys):
    duckdb = pytest.importorskip("duckdb")
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    from puremetrics.cli import main
    from puremetrics.cli.gates import NO_FIGURES

    rng = np.random.default_rng(2)
    y = (rng.random(30_000) < 0.2).astype(int)
    table = pa.table({"y": y, "s": np.round(rng.random(30_000) + 0.3 * y, 4)})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=2048)
    connect, pages = duckdb.connect, []
    for threads in (1, 4):
        monkeypatch.setattr(
            duckdb,
            "connect",
            lambda *args, threads=threads, **kw: connect(*args, config={"threads": threads}),
        )
        argv = ["evaluate", str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s"]
        argv += ["--scenario", "single_training_set", "--prior", "0.3", "--json", "-"]
        assert main(argv) in (0, NO_FIGURES)
        pages.append(capsys.readouterr().out)
    assert pages[0] == pages[1]
