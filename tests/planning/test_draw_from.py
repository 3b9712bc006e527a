"""Rows of a plan drawn from a source: which rows, in which order, whatever the source is cut into."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import puremetrics as pm
from puremetrics.exceptions import InputError
from puremetrics.io import sources as sources_of
from puremetrics.io.random_rows import Chance, numbers_of
from puremetrics.planning.sheets import audit_of_sheet, plan_text, sheet_text
from tests.io.scanning import make_rows, pa, pq, sources
from tests.planning.drawing import (
    COLUMNS,
    NAMES,
    OTHER,
    PLAN,
    ROWS,
    SCORE,
    SIZE,
    SMALL,
    TABLE,
    TRUTH,
    Y,
    small_plan,
)


def smallest(plan, labels, score, seed):
    """The definition: of each stratum the unlabeled rows with the smallest keys, by their other keys."""
    chance, rows = Chance.of(seed), np.arange(labels.size, dtype=np.uint64)
    keys, order = chance.keys(rows), chance.order(rows)
    stratum = np.digitize(score, plan.strata.edges)
    found = []
    for number, wanted in enumerate(plan.draws.astype(int)):
        own = np.flatnonzero((labels == 0) & (stratum == number))
        found += sorted(own.tolist(), key=lambda row: keys[row])[:wanted]
    return sorted(found, key=lambda row: order[row])


# ------------------------------------------------------------------------------------- which rows


@pytest.mark.parametrize("seed", [0, 1, 2**40])
def test_rows_are_those_of_the_definition(seed):
    rows = PLAN.draw_from(ROWS, **COLUMNS, rng=seed)
    assert rows.tolist() == smallest(PLAN, Y, SCORE, seed)
    per = np.bincount(PLAN.strata.of(SCORE[rows]), minlength=PLAN.draws.size)
    np.testing.assert_array_equal(per, PLAN.draws)
    assert not Y[rows].any()
    np.testing.assert_array_equal(rows.draw.scores["model"], SCORE[rows])


def test_seeds_and_generators():
    rows = PLAN.draw_from(ROWS, **COLUMNS, rng=3)
    np.testing.assert_array_equal(rows, PLAN.draw_from(ROWS, **COLUMNS, rng=3))
    assert set(rows.tolist()) != set(PLAN.draw_from(ROWS, **COLUMNS, rng=4).tolist())
    generator = np.random.default_rng(3)
    np.testing.assert_array_equal(rows, PLAN.draw_from(ROWS, **COLUMNS, rng=generator))
    assert not np.array_equal(rows, PLAN.draw_from(ROWS, **COLUMNS, rng=generator))
    with pytest.raises(InputError, match="not a seed"):
        PLAN.draw_from(ROWS, **COLUMNS, rng=-1)


@pytest.mark.parametrize("size", [4, 1000, SIZE])
def test_batches_do_not_matter(size, monkeypatch):
    wanted = PLAN.draw_from(ROWS, **COLUMNS, id="name")
    monkeypatch.setattr(sources_of, "BATCH_ROWS", size)
    for source in (ROWS, pa.RecordBatchReader.from_batches(ROWS.schema, ROWS.to_batches(size))):
        rows = PLAN.draw_from(source, **COLUMNS, id="name")
        np.testing.assert_array_equal(rows, wanted)
        assert rows.identifiers.tolist() == wanted.identifiers.tolist()


def test_files_do_not_matter(tmp_path):
    wanted = PLAN.draw_from(ROWS, **COLUMNS)
    pq.write_table(ROWS, tmp_path / "whole.parquet", row_group_size=333)
    for at, (first, last) in enumerate([(0, 1), (1, 4000), (4000, 4000), (4000, SIZE)]):
        pq.write_table(ROWS.slice(first, last - first), tmp_path / f"part-{at}.parquet")
    np.testing.assert_array_equal(PLAN.draw_from(tmp_path / "whole.parquet", **COLUMNS), wanted)
    seen = []
    rows = PLAN.draw_from(
        str(tmp_path / "part-*.parquet"), **COLUMNS, progress=lambda *done: seen.append(done)
    )
    np.testing.assert_array_equal(rows, wanted)
    assert seen[-1] == (SIZE, SIZE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from tests.io.conftest import folder as made

    return made.__wrapped__(make_rows(), tmp_path_factory)


def test_every_source_gives_the_same_rows(folder):
    given = make_rows()
    labels, score = np.asarray(given["y"]), np.asarray(given["p"])
    table = pm.scan(given, label="y", score="p", scenario="case_control", neg_label=-1)
    plan = pm.plan_audit(table, budget=60, target="roc_auc", prior=0.2)
    for name, source in sources(given, folder):
        rows = plan.draw_from(source, **COLUMNS, neg_label=-1, rng=5)
        if name == "paths":  # b.parquet comes first
            turned = np.r_[2500 : labels.size, 0:2500]
            assert rows.tolist() == smallest(plan, labels[turned], score[turned], 5), name
        else:
            assert rows.tolist() == smallest(plan, labels, score, 5), name


def test_many_rows_of_a_text_file_come_in_their_order(tmp_path):
    size = 600_000  # several blocks of the parallel reader
    labels = (np.arange(size) % 50 == 0).astype(int)
    rows = pa.table({"y": labels, "p": np.arange(size) % 997, "number": np.arange(size)})
    import pyarrow.csv

    pyarrow.csv.write_csv(rows, tmp_path / "rows.csv")
    pq.write_table(rows, tmp_path / "rows.parquet", row_group_size=20_000)
    table = pm.scan(rows, label="y", score="p", scenario="case_control")
    plan = pm.plan_audit(table, budget=2000, target="prior", prior=0.2)
    wanted = plan.draw_from(rows, **COLUMNS)
    assert wanted.tolist() == smallest(plan, labels, np.asarray(rows["p"]), 0)
    for name, where in (("rows.csv", None), ("rows.csv", "p >= 0"), ("rows.parquet", "p >= 0")):
        found = plan.draw_from(tmp_path / name, **COLUMNS, id="number", where=where)
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(found.identifiers, wanted)


def test_a_condition_counts_the_rows_that_are_left(tmp_path):
    pq.write_table(ROWS, tmp_path / "rows.parquet")
    left = np.flatnonzero(OTHER > 0.3)
    table = pm.scan(ROWS, **COLUMNS, scenario="single_training_set", where="q > 0.3")
    plan = pm.plan_audit(table, budget=50, target="prior", prior=0.15)
    for source in (ROWS, tmp_path / "rows.parquet"):
        rows = plan.draw_from(source, **COLUMNS, where="q > 0.3", id="number")
        assert rows.tolist() == smallest(plan, Y[left], SCORE[left], 0)
        np.testing.assert_array_equal(rows.identifiers, left[rows])


# ------------------------------------------------------------------------------------- chance


def test_keys_are_those_of_the_generator_that_they_are_named_after():
    def mixed(value):
        value ^= value >> 30
        value = value * 0xBF58476D1CE4E5B9 % 2**64
        value ^= value >> 27
        value = value * 0x94D049BB133111EB % 2**64
        return value ^ value >> 31

    chance = Chance.of(8)
    for number in (0, 1, 77, 2**63 + 5):
        for keys, (first, second) in ((chance.keys, chance.drawn), (chance.order, chance.checked)):
            start = mixed((number * 0x9E3779B97F4A7C15 + first) % 2**64)
            assert keys(np.array([number], dtype=np.uint64))[0] == mixed(start ^ second)


SEEDS = 3000


def uniform(counts, drawn):
    """Probability of counts as uneven as these, of rows drawn so often without replacement."""
    size, seeds = counts.size, counts.sum() / drawn
    expected = seeds * drawn / size
    statistic = ((counts - expected) ** 2).sum() / expected * (size - 1) / (size - drawn)
    return stats.chi2.sf(statistic, size - 1)


def test_every_row_of_a_stratum_is_drawn_equally_often_in_any_place():
    plan = small_plan()
    drawn = np.array([plan.draw_from(SMALL, **COLUMNS, rng=seed) for seed in range(SEEDS)])
    counts = np.bincount(drawn.ravel(), minlength=32)
    assert counts[30:].sum() == 0
    assert uniform(counts[:10], 7) > 1e-4
    assert uniform(counts[10:30], 5) > 1e-4
    lower = drawn < 10
    assert np.all(lower.sum(axis=1) == 7)
    # in every place of the order a row of the lower stratum is as likely as in a random order
    per_place = lower.sum(axis=0)
    assert uniform(per_place, 7) > 1e-4
    # and the first three are a draw by themselves: each row of a stratum equally often
    first = np.bincount(drawn[:, :3].ravel(), minlength=32)
    for own in (first[:10], first[10:30]):
        assert stats.chisquare(own).pvalue > 1e-4


@pytest.mark.parametrize("column", ["id", "name"])
def test_keys_of_identifiers_are_uniform_too(column):
    numbers = numbers_of(SMALL[column], column)
    assert np.unique(numbers).size == 32
    counts = np.zeros(32)
    first = np.zeros(32)
    for seed in range(SEEDS):
        chance = Chance.of(seed)
        kept = np.argsort(chance.keys(numbers))[:5]
        counts[kept] += 1
        first[kept[np.argmin(chance.order(numbers[kept]))]] += 1
    assert uniform(counts, 5) > 1e-4
    assert stats.chisquare(first).pvalue > 1e-4


def test_numbers_of_identifiers():
    texts = ["", "a", "b", "ab", "ba", "x" * 8, "x" * 9, "x" * 16, "x" * 17, "é", "a\0", "a\0\0"]
    numbers = numbers_of(pa.array(texts), "id")
    assert len(set(numbers.tolist())) == len(texts)
    for kind in (pa.string(), pa.large_string(), pa.binary()):
        column = pa.array([text.encode() for text in texts], pa.binary()).cast(kind)
        np.testing.assert_array_equal(numbers_of(column, "id"), numbers)
        np.testing.assert_array_equal(numbers_of(column.slice(3, 5), "id"), numbers[3:8])
        chunked = pa.chunked_array([column.slice(0, 3), column.slice(3)])
        np.testing.assert_array_equal(numbers_of(chunked, "id"), numbers)
    np.testing.assert_array_equal(numbers_of(pa.array(texts).dictionary_encode(), "id"), numbers)
    whole = numbers_of(pa.array([1, -2, 3]), "id")
    np.testing.assert_array_equal(numbers_of(pa.array([1, -2, 3], pa.int8()), "id"), whole)
    assert numbers_of(pa.array([], pa.string()), "id").size == 0
    assert numbers_of(pa.chunked_array([], pa.int64()), "id").size == 0
    with pytest.raises(InputError, match="not an identifier"):
        numbers_of(pa.array([[1], [2]]), "id")


# ------------------------------------------------------------------------------------- the loop


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_whole_loop_on_a_file_is_that_in_memory(kind, tmp_path):
    import pyarrow.csv

    path = tmp_path / f"rows.{kind}"
    (pyarrow.csv.write_csv if kind == "csv" else pq.write_table)(ROWS, path)
    table = pm.scan(path, **COLUMNS, scenario="single_training_set")
    plan = pm.plan_audit(table, budget=150, target="f1", threshold=0.8, prior=0.15)
    rows = plan.draw_from(path, **COLUMNS, id="name", rng=1)
    assert rows.identifiers.tolist() == [NAMES[row] for row in rows]
    answers = {NAMES[row]: bool(TRUTH[row]) for row in range(SIZE)}
    audit = plan.audit(rows, [answers[name] for name in rows.identifiers])
    own = plan.audit(np.asarray(rows), TRUTH[rows], score=SCORE)
    for statistic in ("precision", "recall", "f1"):
        found = pm.metric(table, statistic, threshold=0.8, audit=audit)
        wanted = pm.metric(TABLE, statistic, threshold=0.8, audit=own)
        assert found.value == wanted.value
        assert found.interval.low == wanted.interval.low
    part = plan.audit(rows[10:50], TRUTH[rows[10:50]])
    assert len(part) == 40
    assert rows[10:50].identifiers.tolist() == [NAMES[row] for row in rows[10:50]]
    with pytest.raises(InputError, match="was not drawn"):
        _ = (rows + SIZE).identifiers


def test_several_models(tmp_path):
    pq.write_table(ROWS, tmp_path / "rows.parquet")
    tables = pm.scan(ROWS, label="y", score=["p", "q"], scenario="single_training_set")
    plan = pm.plan_audit(tables["p"], budget=80, target="roc_auc", prior=0.15)
    wanted = plan.draw_from(ROWS, **COLUMNS)
    for score in (["p", "q"], {"p": "p", "q": "q"}, ("p", "q")):
        rows = plan.draw_from(tmp_path / "rows.parquet", label="y", score=score)
        np.testing.assert_array_equal(rows, wanted)
        audit = plan.audit(rows, TRUTH[rows])
        assert list(audit.scores) == ["p", "q"]
        np.testing.assert_array_equal(np.sort(audit.scores["q"]), np.sort(OTHER[rows]))
        assert audit.strata.model == "p"
    twice = plan.draw_from(ROWS, label="y", score={"old": "p", "new": "p"})
    np.testing.assert_array_equal(twice.draw.scores["old"], twice.draw.scores["new"])
    result = pm.evaluate(tables, audit=audit)
    assert set(result.models) == {"p", "q"}


def test_names_of_models_are_those_of_the_plan():
    named = replace(PLAN, strata=replace(PLAN.strata, model="p"))
    assert list(named.draw_from(ROWS, **COLUMNS).draw.scores) == ["p"]
    rows = named.draw_from(ROWS, label="y", score=["q", "p"])
    np.testing.assert_array_equal(rows, PLAN.draw_from(ROWS, **COLUMNS))
    with pytest.raises(InputError, match="The plan uses the scores of 'p'"):
        named.draw_from(ROWS, label="y", score="q")


def test_a_sheet_is_written_and_read():
    rows = PLAN.draw_from(ROWS, **COLUMNS, id="name")
    text = sheet_text(rows, {"name": rows.identifiers.tolist()})
    lines = list(csv.DictReader(io.StringIO(text)))
    assert [line["name"] for line in lines] == [NAMES[row] for row in rows]
    places = [line["row"] for line in lines]
    answers = [int(TRUTH[int(place)]) for place in places]
    found = audit_of_sheet(plan_text(PLAN, rows), places, answers, {"model": SCORE}, Y == 0)
    np.testing.assert_array_equal(found.positive, PLAN.audit(rows, TRUTH[rows]).positive)


def test_a_draw_in_memory_has_no_identifiers():
    assert PLAN.draw(Y, SCORE).identifiers is None
    assert PLAN.draw_from(ROWS, **COLUMNS).identifiers is None


def test_all_rows_can_be_drawn_and_negative_zero_is_zero():
    score = np.r_[-0.0, 0.0, 0.0, -1.0, 2.0, 3.0]
    rows = pa.table({"y": [0, 0, 0, 0, 1, 1], "p": score})
    table = pm.scan(rows, **COLUMNS, scenario="case_control")
    plan = pm.plan_audit(table, budget=100, target="precision", threshold=0.0, prior=0.3)
    assert sorted(plan.draw_from(rows, **COLUMNS).tolist()) == [0, 1, 2, 3]


def test_a_plan_of_buckets_draws_as_well():
    table = pm.scan(ROWS, **COLUMNS, scenario="single_training_set", max_labelled=10, buckets=64)
    plan = pm.plan_audit(table, budget=50, target="prior", prior=0.15)
    assert plan.draw_from(ROWS, **COLUMNS).size == 50


# ------------------------------------------------------------------------------------- mistakes
