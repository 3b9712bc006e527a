"""What a draw from a source refuses, and what it holds while it reads."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from puremetrics.auditing import Strata
from puremetrics.exceptions import InputError, LabelError, ScoreError
from puremetrics.io.random_rows import Chance, Sampling
from tests.io.scanning import duckdb, pa, pq
from tests.planning.drawing import COLUMNS, NAMES, PLAN, ROWS, SCORE, SIZE, Y, small_plan


def test_other_rows_are_noticed_by_the_same_sentence():
    with pytest.raises(InputError) as here:
        PLAN.draw_from(ROWS.slice(0, SIZE - 3), **COLUMNS)
    with pytest.raises(InputError) as there:
        PLAN.draw(Y[:-3], SCORE[:-3])
    assert str(here.value) == str(there.value)
    with pytest.raises(InputError, match="Draw from the rows that the planned table"):
        PLAN.draw_from(ROWS, label="y", score="q")
    with pytest.raises(InputError, match="here there are 0 and 0"):
        PLAN.draw_from(ROWS.slice(0, 0), **COLUMNS)


def test_identifiers_must_identify():
    drawn = PLAN.draw_from(ROWS, **COLUMNS)
    names = list(NAMES)
    names[drawn[0]] = names[drawn[-1]]
    twice = ROWS.set_column(3, "name", pa.array(names))
    with pytest.raises(InputError, match=f"Two unlabeled rows have '{names[drawn[0]]}' in 'name'"):
        PLAN.draw_from(twice, **COLUMNS, id="name")
    np.testing.assert_array_equal(PLAN.draw_from(twice, **COLUMNS), drawn)
    names[drawn[0]] = None
    missing = ROWS.set_column(3, "name", pa.array(names))
    with pytest.raises(InputError, match="An unlabeled row has no value in 'name'"):
        PLAN.draw_from(missing, **COLUMNS, id="name")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"label": 3}, "label must be the name of a column"),
        ({"id": 3}, "id must be the name of a column"),
        ({"where": 3}, "where must be an SQL condition"),
        ({"score": 3}, "score must be the name"),
        ({"score": []}, "score must be the name"),
        ({"score": {}}, "score must be the name"),
        ({"score": {"a": 3}}, "score must be the name"),
        ({"score": ["p", "p"]}, "names a column twice"),
        ({"label": "z"}, "has no column 'z'"),
        ({"score": "z"}, "has no column 'z'"),
        ({"id": "z"}, "has no column 'z'"),
        ({"where": "z > 1"}, "no column 'z'"),
        ({"source": 3}, "A int cannot be scanned"),
        ({"source": "nothing.parquet"}, "There is no file"),
        ({"pos_label": 7}, "first in row"),
    ],
)
def test_wrong_arguments_are_named(options, said):
    given = {"source": ROWS, **COLUMNS, **options}
    with pytest.raises(InputError, match=said):
        PLAN.draw_from(given.pop("source"), **given)


def test_wrong_rows_are_named(tmp_path):
    for values, kind, said in (
        ({"p": [0.1, None]}, ScoreError, "no value in row 2 of 'rows.parquet'"),
        ({"p": [0.1, np.inf]}, ScoreError, "an infinite value .inf. in row 2 of 'rows.parquet'"),
        ({"y": [0, 5]}, LabelError, "first in row 2"),
        ({"p": ["a", "b"]}, ScoreError, "needs numbers"),
    ):
        rows = pa.table({"y": [0, 1], "p": [0.1, 0.2], **values})
        pq.write_table(rows, tmp_path / "rows.parquet")
        with pytest.raises(kind, match=said):
            PLAN.draw_from(tmp_path / "rows.parquet", **COLUMNS)
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match="cannot be read"):
        PLAN.draw_from(tmp_path / "cut.parquet", **COLUMNS)


# ------------------------------------------------------------------------------------- memory


def test_a_stream_is_read_once_and_not_held(monkeypatch):
    size, most = 40, [0]

    def batches():
        for _ in range(size):
            before = pa.total_allocated_bytes()
            batch = pa.record_batch({"y": np.zeros(50_000, int), "p": np.arange(50_000) / 50_000})
            most[0] = max(most[0], before)
            yield batch

    labels = np.zeros(size * 50_000, int)
    labels[0] = 1
    start = pa.total_allocated_bytes()
    schema = pa.schema({"y": pa.int64(), "p": pa.float64()})
    strata = Strata("model", np.array([0.5]), np.array([size * 25_000.0] * 2))
    plan = replace(small_plan(), strata=strata, draws=np.array([20.0, 30.0]))
    monkeypatch.setattr("puremetrics.io.sources._spilled", None)  # no temporary file
    rows = plan.draw_from(pa.RecordBatchReader.from_batches(schema, batches()), **COLUMNS)
    assert rows.size == 50
    assert most[0] - start < 20 * 50_000 * 16  # 32 MB were streamed


def test_parts_can_be_drawn_apart_and_put_together():
    from puremetrics.io.batches import RowReader
    from puremetrics.io.random_rows import Reservoir

    sampling = Sampling(PLAN.strata.edges, PLAN.draws.astype(int), "p", (), Chance.of(0))
    reader = RowReader("y", ("p",))
    total = Reservoir(sampling.wanted)
    for first in (3000, 0, 4500):
        last = {0: 3000, 3000: 4500, 4500: SIZE}[first]
        own, batch = Reservoir(sampling.wanted), ROWS.slice(first, last - first)
        sampling.take(
            own, reader.read(batch), batch, lambda at, first=first: (at + first).astype(np.uint64)
        )
        total.absorb(own.found, own.rows())
    held = total.rows()
    np.testing.assert_array_equal(total.found, PLAN.strata.rows)
    found = held["number"][np.argsort(held["order"])]
    np.testing.assert_array_equal(found, PLAN.draw_from(ROWS, **COLUMNS))


def test_a_relation_that_is_sorted_draws_by_its_order():
    relation = duckdb.from_arrow(ROWS).order("number DESC")
    rows = PLAN.draw_from(relation, **COLUMNS, id="number")
    np.testing.assert_array_equal(rows.identifiers, SIZE - 1 - np.asarray(rows))


def test_executors_need_no_more_than_for_a_scan():
    code = (
        "import sys, puremetrics.io.spark_drawing\n"
        "print([name for name in ('scipy', 'puremetrics.planning') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
