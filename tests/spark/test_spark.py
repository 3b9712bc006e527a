"""The same tables from a real cluster as from memory, bit for bit."""

import os
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puremetrics import ScoreTable, roc_auc
from puremetrics.exceptions import InputError, LabelError, ScoreError, UnsupportedError
from puremetrics.io import spark
from puremetrics.io.scan import scan

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
COLUMNS = {"label": "y", "score": "p", "scenario": "case_control"}


def make(rows=60_000, seed=0):
    rng = np.random.default_rng(seed)
    hidden = rng.random(rows) < 0.2
    score = np.round(1 / (1 + np.exp(-rng.normal(2.0 * hidden, 1.5))), 4)
    labels = np.where(hidden & (rng.random(rows) < 0.2), 1, 0)
    land = np.array(["NL", "BE", "LU"])[np.minimum(rng.geometric(0.7, rows) - 1, 2)]
    return pa.table({"y": labels, "p": score, "q": -(score**2), "land": land})


@pytest.fixture(scope="module")
def rows():
    return make()


@pytest.fixture(scope="module")
def frame(session, rows, tmp_path_factory):
    """Rows in files of very different sizes, one of them empty."""
    folder = tmp_path_factory.mktemp("rows")
    ends = [0, 0, 10, 1_000, 50_000, len(rows)]
    for at, (first, last) in enumerate(pairwise(ends)):
        pq.write_table(rows.slice(first, last - first), folder / f"{at}.parquet")
    return session.read.parquet(str(folder)).repartitionByRange(7, "y")  # skewed: one label is rare


def in_memory(rows, score="p"):
    return ScoreTable.from_arrays(
        rows["y"].to_numpy(), rows[score].to_numpy(), scenario="case_control"
    )


def test_the_cluster_gives_the_table_of_the_rows_in_memory(frame, rows):
    seen = []
    columns = {"label": "y", "score": ["p", "q"], "scenario": "case_control"}
    tables = scan(frame, **columns, progress=lambda *done: seen.append(done))
    assert seen == [(60_000, 120_000), (120_000, 120_000)]
    streamed = scan(rows, label="y", score=["p", "q"], scenario="case_control")
    for name, table in tables.items():
        assert table.equals(streamed[name])
        assert table.cut().equals(in_memory(rows, name).cut())
        exact = roc_auc(in_memory(rows, name), prior=0.2)
        assert roc_auc(table, prior=0.2).value == exact.value


def test_segments_and_conditions(frame, rows, monkeypatch):
    monkeypatch.setattr(spark, "_FAN_IN", 2)  # so that states are merged on the executors, too
    found = scan(frame, by="land", **COLUMNS)
    streamed = scan(rows, by="land", **COLUMNS)
    assert list(found.tables) == ["BE", "LU", "NL"]
    for key, table in streamed.tables.items():
        assert found.tables[key].equals(table)
    only = scan(frame, where="land = 'NL'", **COLUMNS)
    assert only.cut().equals(found.tables["NL"].cut())
    with pytest.raises(InputError, match="does not fit the data frame"):
        scan(frame, where="country = 'NL'", **COLUMNS)


def test_buckets(frame, rows):
    settings = {"max_labelled": 100, "buckets": 64}
    table = scan(frame, **COLUMNS, **settings)
    assert table.resolution > 0
    assert table.equals(scan(rows, **COLUMNS, **settings))


def test_a_lost_executor_changes_nothing(session, frame, rows, tmp_path):
    marker = str(tmp_path / "killed")

    def kill_once(batches):
        for number, batch in enumerate(batches):
            if number == 1 and not Path(marker).exists():
                Path(marker).touch()
                daemon = Path(f"/proc/{os.getppid()}/stat").read_text().split()
                os.kill(int(daemon[3]), 9)  # the executor: parent of the daemon that forks workers
            yield batch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        unlucky = frame.mapInArrow(kill_once, frame.schema)
    table = scan(unlucky, **COLUMNS)
    assert Path(marker).exists()
    assert table.equals(scan(rows, **COLUMNS))


def test_bad_rows_are_named(session, frame, rows):
    from pyspark.sql import functions as sf

    broken = frame.withColumn(
        "p", sf.when(sf.col("p") > 0.9, sf.lit(float("nan"))).otherwise(sf.col("p"))
    )
    with pytest.raises(ScoreError, match=r"NaN in row \d+ of partition \d+"):
        scan(broken, **COLUMNS)
    with pytest.raises(
        InputError, match=r"The data frame has no column 's'. It has: y, p, q, land"
    ):
        scan(frame, label="y", score="s", scenario="case_control")
    with pytest.raises(LabelError, match="no labelled positive"):
        scan(frame.filter("y = 0"), **COLUMNS)
    with pytest.raises(ScoreError, match=r"text|string"):
        scan(frame, label="y", score="land", scenario="case_control")


def test_rows_that_change_between_the_passes_are_noticed(session):
    frame = session.range(0, 20_000, 1, 4).selectExpr(
        "cast(id % 50 = 0 as int) as y", "id / 20000 as p"
    )
    table = scan(frame, **COLUMNS)
    assert table.total == 20_000

    def some(batches):
        for batch in batches:
            yield batch.slice(int.from_bytes(os.urandom(1), "little"))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        changing = frame.mapInArrow(some, frame.schema)
    with pytest.raises(InputError, match="changed while it was being read"):
        scan(changing, **COLUMNS)


def test_groups_have_the_bits_of_memory(frame, rows):
    from pyspark.sql import functions as sf

    who = (rows["p"].to_numpy() * 10_000).astype(int) % 97
    named = frame.withColumn("who", sf.expr("cast(p * 10000 as int) % 97"))
    found = scan(named, **COLUMNS, groups="who")
    kept = ScoreTable.from_arrays(
        rows["y"].to_numpy(), rows["p"].to_numpy(), scenario="case_control", groups=who
    )
    assert np.array_equal(found.clusters.unl, kept.clusters.unl)
    first, second = (roc_auc(table, prior=0.2) for table in (found, kept))
    assert first.n_groups == 97
    assert (first.interval, first.design_effect) == (second.interval, second.design_effect)


def test_a_condition_looks_at_columns_only(frame, tmp_path):
    for where in (
        "java_method('java.lang.System', 'getProperty', 'user.home') = ''",
        "p > (SELECT 1)",
    ):
        with pytest.raises(InputError, match="A condition may only compare"):
            scan(frame, **COLUMNS, where=where)
    with pytest.raises(UnsupportedError, match="checkpoint"):
        scan(frame, **COLUMNS, checkpoint=tmp_path)
