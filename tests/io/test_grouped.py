"""Groups of rows in files: the same bits as in memory, whatever the files, threads and checkpoints."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.io import counting as grouped
from puremetrics.io.counting import GroupNames

COLUMNS = {"label": "y", "score": "p", "scenario": "single_training_set", "groups": "who"}


def make(rows=4000, groups=60, seed=0):
    rng = np.random.default_rng(seed)
    who = rng.integers(0, groups, rows)
    y = (rng.random(rows) < 0.15).astype(int)
    p = 1 / (1 + np.exp(-(y + rng.normal(size=groups)[who] + rng.normal(size=rows))))
    return pa.table({"y": y, "p": np.round(p, 3), "q": p**2, "who": who})


def in_memory(rows, score="p"):
    return pm.ScoreTable.from_arrays(
        rows["y"].to_numpy(), rows[score].to_numpy(), scenario="single_training_set",
        groups=rows["who"].to_numpy(zero_copy_only=False) if rows["who"].type == pa.int64()
        else rows["who"].to_pylist(),
    )  # fmt: skip


def same(first, second):
    for part in ("pos", "unl", "neg"):
        assert np.array_equal(getattr(first.clusters, part), getattr(second.clusters, part))
    assert (first.clusters.number, first.clusters.alone) == (
        second.clusters.number,
        second.clusters.alone,
    )
    for statistic in (
        lambda t: pm.roc_auc(t, prior=0.3),
        lambda t: pm.average_precision(t, prior=0.3),
        lambda t: pm.estimate_prior(t),
        lambda t: pm.pulp(t),
    ):
        one, other = statistic(first), statistic(second)
        assert one.interval == other.interval
        assert one.design_effect == other.design_effect


@pytest.mark.parametrize("kind", ["numbers", "text", "dictionary"])
def test_files_give_the_bits_of_memory(tmp_path, kind):
    rows = make()
    if kind != "numbers":
        names = pa.array([f"user {i}" for i in rows["who"].to_pylist()])
        names = names.dictionary_encode() if kind == "dictionary" else names
        rows = rows.set_column(3, "who", names)
    for i, (a, b) in enumerate([(0, 100), (100, 2500), (2500, 4000)]):
        pq.write_table(rows.slice(a, b - a), tmp_path / f"{i}.parquet")
    if kind == "dictionary":
        rows = rows.set_column(3, "who", rows["who"].cast(pa.string()))
    files = str(tmp_path / "*.parquet")
    for options in ({"threads": 1}, {"threads": 4}, {"checkpoint": tmp_path / "kept"}):
        same(pm.scan(files, **COLUMNS, **options), in_memory(rows))
    same(pm.scan(files, **COLUMNS, checkpoint=tmp_path / "kept"), in_memory(rows))
    both = pm.scan(files, **{**COLUMNS, "score": ["p", "q"]})
    same(both["q"], in_memory(rows, "q"))


def test_csv_too(tmp_path):
    rows = make(900)
    import pyarrow.csv

    pyarrow.csv.write_csv(rows, tmp_path / "rows.csv")
    same(pm.scan(tmp_path / "rows.csv", **COLUMNS), in_memory(rows))


def test_groups_of_one_row_are_seen(tmp_path):
    rows = make(500)
    rows = rows.set_column(3, "who", pa.array(np.arange(500)))
    found = pm.scan(rows, **COLUMNS)
    assert found.clusters.alone
    plain = pm.scan(rows, **{**COLUMNS, "groups": None})
    assert pm.roc_auc(found, prior=0.3).interval == pm.roc_auc(plain, prior=0.3).interval


def test_of_very_many_groups_the_number_is_estimated(monkeypatch):
    monkeypatch.setattr(grouped, "_MOST_NAMES", 1000)
    ids = np.random.default_rng(0).integers(0, 2**64, 50_000, dtype=np.uint64)
    parts = [GroupNames.of(part) for part in np.array_split(ids, 7)]
    forwards, backwards = GroupNames(), GroupNames()
    for part in parts:
        forwards.absorb(part)
    for part in parts[::-1]:
        backwards.absorb(GroupNames.from_bytes(part.to_bytes()))
    assert forwards.to_bytes() == backwards.to_bytes()
    assert forwards.number == pytest.approx(50_000, rel=0.1)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pa.array([None, *range(3999)]), "row 1 of"),
        (pa.array([*range(3999), float("nan")]), "row 4000 of"),
        (pa.array(["a"] * 4000), "one group"),
    ],
)
def test_columns_that_name_no_groups(column, words):
    with pytest.raises(InputError, match=words):
        pm.scan(make().set_column(3, "who", column), **COLUMNS)


def test_segments_and_groups_do_not_go_together():
    with pytest.raises(UnsupportedError, match="one segment at a time"):
        pm.scan(make(), **COLUMNS, by="q")
    with pytest.raises(InputError, match="nobody"):
        pm.scan(make(), **{**COLUMNS, "groups": "nobody"})
