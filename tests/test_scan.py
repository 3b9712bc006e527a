"""`scan`: every source gives the same table, wrong input is named, and a killed run goes on."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

import puremetrics as pm
from puremetrics import ScoreTable
from puremetrics.exceptions import InputError, LabelError, ScenarioError, ScoreError
from puremetrics.io.batches import RowReader
from puremetrics.io.scan import scan

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")

SIZE = 6000
COLUMNS = {"label": "y", "score": "p", "scenario": "case_control", "neg_label": -1}


def make_rows(size=SIZE, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice([1, 0, -1], size, p=[0.05, 0.9, 0.05])
    p = np.round(1 / (1 + np.exp(-rng.normal(size=size) - y)), 3)
    return pa.table(
        {"y": y, "p": p, "q": -3 * p, "country": rng.choice(["nl", "be", "lu"], size), "n": y}
    )


def in_memory(table, score="p", picked=slice(None), **options):
    return ScoreTable.from_arrays(
        np.asarray(table["y"])[picked],
        np.asarray(table[score])[picked],
        scenario="case_control",
        neg_label=-1,
        **options,
    )


@pytest.fixture(scope="module")
def rows():
    return make_rows()


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows")
    pq.write_table(rows.slice(0, 2500), path / "a.parquet", row_group_size=700)
    pq.write_table(rows.slice(2500), path / "b.parquet")
    frame = rows.to_pandas()
    frame.to_csv(path / "all.csv", index=False)
    frame.to_csv(path / "all.tsv", index=False, sep="\t")
    frame.to_json(path / "all.jsonl", orient="records", lines=True)
    with (
        pa.OSFile(str(path / "all.arrow"), "wb") as out,
        pa.ipc.new_file(out, rows.schema) as writer,
    ):
        writer.write_table(rows, max_chunksize=1000)
    with (
        pa.OSFile(str(path / "all.arrows"), "wb") as out,
        pa.ipc.new_stream(out, rows.schema) as writer,
    ):
        writer.write_table(rows, max_chunksize=999)
    return path


def sources(rows, folder):
    import polars
    import pyarrow.dataset as ds

    yield "pattern", str(folder / "*.parquet")
    yield "paths", [folder / "b.parquet", str(folder / "a.parquet")]
    for name in ("all.csv", "all.tsv", "all.jsonl", "all.arrow", "all.arrows"):
        yield name, folder / name
    yield "arrow table", rows
    yield "reader", pa.RecordBatchReader.from_batches(rows.schema, rows.to_batches(777))
    yield "polars", polars.from_arrow(rows)
    yield "pandas", rows.to_pandas()
    yield "relation", duckdb.connect().sql(f"SELECT * FROM '{folder}/*.parquet'")
    yield "dataset", ds.dataset([str(folder / "a.parquet"), str(folder / "b.parquet")])


def test_all_sources_give_the_same_bits(rows, folder):
    expected = in_memory(rows)
    first = scan(rows, **COLUMNS)
    assert first.cut().equals(expected.cut())
    for name, source in sources(rows, folder):
        for threads in (1, 3):
            if name == "reader" and threads == 3:
                continue
            found = scan(source, **COLUMNS, threads=threads)
            assert found.equals(first), name
    assert pm.roc_auc(first, prior=0.1).value == pm.roc_auc(expected, prior=0.1).value
    left = Path(tempfile.gettempdir()).glob("puremetrics-*/rows.arrow")
    assert not list(left)


def test_chunks_do_not_matter(rows, folder, monkeypatch):
    first = scan(rows, **COLUMNS)
    bucketed = scan(rows, **COLUMNS, max_labelled=10, buckets=100)
    monkeypatch.setattr("puremetrics.io.passes.CHUNK_ROWS", 500)
    monkeypatch.setattr("puremetrics.io.passes._BATCH_ROWS", 130)
    monkeypatch.setattr("puremetrics.io.sources.UNIT_ROWS", 900)
    monkeypatch.setattr("puremetrics.io.sources.BATCH_ROWS", 301)
    for name, source in sources(rows, folder):
        assert scan(source, **COLUMNS).equals(first), name
    source = str(folder / "*.parquet")
    assert scan(source, **COLUMNS, max_labelled=10, buckets=100).equals(bucketed)


def test_several_scores_in_the_same_passes(rows, folder):
    tables = scan(str(folder / "*.parquet"), **{**COLUMNS, "score": ["p", "q"]})
    assert list(tables) == ["p", "q"]
    for name, table in tables.items():
        assert table.cut().equals(in_memory(rows, name).cut())
    assert pm.evaluate(tables, prior=0.1).ranking is not None


def test_conditions(rows, folder):
    picked = np.asarray(rows["country"]) == "nl"
    expected = in_memory(rows, picked=picked).cut()
    condition = "country = 'nl'"
    for name, source in sources(rows, folder):
        if name in ("pattern", "all.csv", "all.arrow", "arrow table", "relation", "dataset"):
            found = scan(source, **COLUMNS, where=condition)
            assert found.cut().equals(expected), name
    for source in (str(folder / "all.csv"), rows):
        with pytest.raises(InputError, match="nothing_like_that"):
            scan(source, **COLUMNS, where="nothing_like_that = 1")


def test_progress_reaches_the_end(folder):
    seen = []
    scan(
        str(folder / "*.parquet"),
        **COLUMNS,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (2 * SIZE, 2 * SIZE)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert all(total == 2 * SIZE for _, total in seen)
    seen.clear()
    scan(folder / "all.csv", **COLUMNS, progress=lambda done, total: seen.append((done, total)))
    assert seen[0][1] is None
    assert seen[-1] == (2 * SIZE, 2 * SIZE)


# ------------------------------------------------------------------------------------- labels


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["yes", "no", "yes", "maybe", None], ("yes", None, "no")),
        ([True, False, True, False, False], (True, False, None)),
        ([1.0, None, 1.0, None, -1.0], (1, None, -1)),
        ([2, 7, 2, 7, 7], (2, 7, None)),
    ],
)
def test_labels_are_read_as_in_memory(values, labels):
    pos, unlabeled, neg = labels
    given = {"pos_label": pos, "unlabeled_label": unlabeled, "neg_label": neg}
    score = [0.9, 0.8, 0.7, 0.6, 0.5]
    rows = pa.table({"y": values, "p": score})
    if "maybe" in values:
        with pytest.raises(LabelError, match="y contains 'maybe' besides") as raised:
            scan(rows, label="y", score="p", scenario="case_control", **given)
        assert "row 4" in str(raised.value)
        with pytest.raises(LabelError, match="y contains 'maybe' besides"):
            ScoreTable.from_arrays(values, score, scenario="case_control", **given)
        return
    found = scan(rows, label="y", score="p", scenario="case_control", **given)
    expected = ScoreTable.from_arrays(values, score, scenario="case_control", **given)
    assert found.cut().equals(expected.cut())
    encoded = rows.set_column(0, "y", rows["y"].combine_chunks().dictionary_encode())
    again = scan(encoded, label="y", score="p", scenario="case_control", **given)
    assert again.equals(found)


def test_unknown_labels_are_named_with_their_row(rows, folder):
    with pytest.raises(LabelError, match="y contains -1 besides pos_label=1") as raised:
        scan(str(folder / "*.parquet"), label="y", score="p", scenario="case_control")
    row = int(np.flatnonzero(np.asarray(rows["y"]) == -1)[0]) + 1
    assert f"'a.parquet', first in row {row}" in str(raised.value)
    with pytest.raises(LabelError, match=r"no labelled positive among \d+ rows"):
        scan(rows, **COLUMNS | {"pos_label": 5, "unlabeled_label": 0, "label": "n"}, where="n = 0")
    with pytest.raises(LabelError, match="only positives"):
        scan(rows, **COLUMNS, where="y = 1")


# ------------------------------------------------------------------------------------- wrong input


def test_scores_without_a_place_are_named(tmp_path, rows):
    for row, value, found in (
        (1234, np.nan, "NaN"),
        (4000, np.inf, "infinite"),
        (17, None, "no value"),
    ):
        p = np.asarray(rows["p"]).astype(object)
        p[row] = value
        p[5000] = np.nan  # the first one counts
        bad = rows.set_column(1, "p", pa.array(p, pa.float64(), from_pandas=False))
        pq.write_table(bad, tmp_path / "bad.parquet", row_group_size=500)
        with pytest.raises(ScoreError, match=found) as raised:
            scan(tmp_path / "bad.parquet", **COLUMNS)
        assert f"Column 'p' has {'an ' if found == 'infinite' else ''}{found}" in str(raised.value)
        assert f"row {row + 1} of 'bad.parquet'" in str(raised.value)


def test_text_is_no_score(rows):
    with pytest.raises(ScoreError, match="Column 'country' of the source holds string"):
        scan(rows, **COLUMNS | {"score": "country"})


def test_missing_columns_name_the_file(tmp_path, rows):
    pq.write_table(rows, tmp_path / "a.parquet")
    pq.write_table(rows.drop_columns(["p"]), tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"'b.parquet' has no column 'p'. It has: y, q"):
        scan(str(tmp_path / "*.parquet"), **COLUMNS)
    with pytest.raises(InputError, match="the source has no column 'z'"):
        scan(rows, **COLUMNS | {"label": "z"})
    with pytest.raises(InputError, match="has no column 'z'"):
        scan(duckdb.connect().sql("SELECT 1 AS y, 2 AS p"), **COLUMNS | {"label": "z"})


def test_changed_types_name_both_files(tmp_path, rows):
    pq.write_table(rows, tmp_path / "a.parquet")
    text = [str(v) for v in rows["y"].to_pylist()]
    pq.write_table(rows.set_column(0, "y", pa.array(text)), tmp_path / "b.parquet")
    with pytest.raises(
        InputError, match=r"'y' holds text in 'b.parquet' but numbers in 'a.parquet'"
    ):
        scan(str(tmp_path / "*.parquet"), **COLUMNS, threads=1)


def test_truncated_files_are_named(tmp_path, folder):
    data = (folder / "a.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match=r"'cut.parquet' cannot be read"):
        scan(tmp_path / "cut.parquet", **COLUMNS)
    middle = bytearray(data)
    for place in range(200, len(data) // 2):
        middle[place] = 0xFF
    (tmp_path / "bad.parquet").write_bytes(bytes(middle))
    with pytest.raises(InputError, match=r"'bad.parquet'"):
        scan(tmp_path / "bad.parquet", **COLUMNS)
    arrow = (folder / "all.arrow").read_bytes()
    (tmp_path / "cut.arrow").write_bytes(arrow[: len(arrow) // 2])
    with pytest.raises(InputError, match=r"'cut.arrow'"):
        scan(tmp_path / "cut.arrow", **COLUMNS)


def test_a_bad_line_is_named(tmp_path, folder):
    lines = (folder / "all.csv").read_text().splitlines()
    lines[3000] = "1,abc,what,nl,1"
    (tmp_path / "bad.csv").write_text("\n".join(lines))
    with pytest.raises(InputError, match=r"bad.csv"):
        scan(tmp_path / "bad.csv", **COLUMNS)
    many = lines[:1] + lines[1:2900] * 12 + lines[3000:3001] + lines[1:2900]
    (tmp_path / "late.csv").write_text("\n".join(many))
    with pytest.raises(InputError, match=r"late.csv.*(?i:line|row)") as raised:
        scan(tmp_path / "late.csv", **COLUMNS)
    assert str(2899 * 12 + 2) in str(raised.value) or "holds string" in str(raised.value)


def test_sources_that_cannot_be_scanned(tmp_path, rows, folder):
    with pytest.raises(InputError, match="A list cannot be scanned"):
        scan([1, 2], **COLUMNS)
    with pytest.raises(InputError, match="There is no file"):
        scan(tmp_path / "none.parquet", **COLUMNS)
    with pytest.raises(InputError, match="No file matches"):
        scan(str(tmp_path / "*.parquet"), **COLUMNS)
    (tmp_path / "rows.xyz").write_text("y,p")
    with pytest.raises(InputError, match="ends in none of"):
        scan(tmp_path / "rows.xyz", **COLUMNS)
    with pytest.raises(ScenarioError):
        scan(rows, label="y", score="p")
    with pytest.raises(InputError, match="twice"):
        scan(rows, **COLUMNS | {"score": ["p", "p"]})
    with pytest.raises(InputError, match="name of a column"):
        scan(rows, **COLUMNS | {"score": []})
    with pytest.raises(InputError, match="checkpoint needs files"):
        scan(rows, **COLUMNS, checkpoint=tmp_path / "saved")


def test_a_source_that_changes_is_noticed(tmp_path, rows):
    path = tmp_path / "a.csv"
    rows.slice(0, 3000).to_pandas().to_csv(path, index=False)

    def change(done, total):
        if total is None:
            rows.slice(0, 2000).to_pandas().to_csv(path, index=False)

    with pytest.raises(InputError, match=r"changed|first pass"):
        scan(path, **COLUMNS, progress=change)


def test_errors_in_progress_stop_the_scan(rows):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scan(rows, **COLUMNS, progress=stop)


# ------------------------------------------------------------------------------------- scanned tables


def test_scanned_tables_are_tables_like_any(rows):
    exact, table = in_memory(rows), scan(rows, **COLUMNS)
    assert table.is_scanned
    assert not table.cut().is_scanned
    at = float(pm.choose_threshold(exact, objective="f1", prior=0.1, rng=0).threshold)
    for name in ("precision", "recall", "mcc"):
        first, second = (pm.metric(t, name, threshold=at, prior=0.1) for t in (exact, table))
        assert first.value == second.value
        assert second.bracket is None
    expected = pm.calibration_error(exact, prior=0.1, binning="width", n_bins=10)
    found = pm.calibration_error(table, prior=0.1, binning="width", n_bins=10)
    assert found.error == pytest.approx(expected.error, abs=1e-11)
    assert found.bins.upper.tolist() == expected.bins.upper.tolist()
    for function in (pm.brier_score, pm.log_loss):
        assert function(table, prior=0.1).value == pytest.approx(
            function(exact, prior=0.1).value, abs=1e-6
        )
    assert pm.estimate_prior(table).prior == pm.estimate_prior(exact).prior
    for method in ("elkan_noto", "elkan_noto_e2"):
        given = {"method": method, "interval": "none"}
        assert pm.estimate_prior(table, **given).prior == pytest.approx(
            pm.estimate_prior(exact, **given).prior, abs=1e-11
        )
    flipped = table.flipped()
    assert flipped.cut().equals(exact.flipped().cut())
    assert flipped.flipped().cut().equals(exact.cut())
    with pytest.raises(InputError, match="Scan all files together"):
        table.merge(table)


def test_whole_evaluations_agree(rows):
    exact, table = in_memory(rows), scan(rows, **COLUMNS)
    first, second = (pm.evaluate(t, prior=0.1).models["model"] for t in (exact, table))
    for part in ("naive", "corrected", "prior_free"):
        for name, estimate in getattr(first, part).items():
            assert getattr(second, part)[name].value == estimate.value, name
            assert getattr(second, part)[name].interval == estimate.interval, name
    for name, bound in first.bounds.items():
        # Ties inside a run are not known, so bounds may be a little wider, never narrower.
        assert bound.low - 1e-5 < second.bounds[name].low <= bound.low + 1e-12, name
        assert bound.high - 1e-12 <= second.bounds[name].high < bound.high + 1e-5, name
    assert second.calibration is not None


def sparse():
    """Few labelled scores, so that runs hold many unlabeled ones."""
    rng = np.random.default_rng(0)
    p = rng.random(4000)
    y = np.zeros(4000, dtype=int)
    y[:20] = 1
    return pa.table({"y": y, "p": p}), y, p


def test_thresholds_inside_merged_scores_say_so():
    data, y, p = sparse()
    table = scan(data, label="y", score="p", scenario="case_control", pieces=5)
    exact = ScoreTable.from_arrays(y, p, scenario="case_control")
    place = int(np.argmax(table.highest - table.score))
    at = float(table.score[place] + (table.highest[place] - table.score[place]) * 0.6)
    found = pm.metric(table, "precision", threshold=at, prior=0.2)
    assert "PM603" in [d.code for d in found.diagnostics]
    assert pm.metric(exact, "precision", threshold=at, prior=0.2).value in found.bracket
    for function in (pm.metric_bounds, lambda t, _, **o: pm.pulp_significance(t, threshold=at)):
        with pytest.raises(InputError, match="has merged the scores"):
            function(table, "precision", threshold=at, prior=0.2)
    moved = pm.calibration_error(table, prior=0.2, binning="width", n_bins=11)
    assert "PM601" in [d.code for d in moved.diagnostics]
    expected = exact.heads_at(float(moved.bins.upper[4]) + 1e-12)[1]
    assert sum(moved.bins.n_population[5:]) == expected
    assert "PM602" in [d.code for d in pm.log_loss(table, prior=0.2).diagnostics]


# ------------------------------------------------------------------------------------- checkpoints


def names(folder):
    return {path.name for path in Path(folder).iterdir()}


def test_checkpoints_are_used_and_outdated_ones_are_not(tmp_path, rows, folder):
    source, saved = str(folder / "*.parquet"), tmp_path / "saved"
    first = scan(source, **COLUMNS, checkpoint=saved)
    assert first.equals(scan(source, **COLUMNS))
    files = names(saved)
    assert len(files) == 4
    read = []
    again = scan(source, **COLUMNS, checkpoint=saved, progress=lambda *seen: read.append(seen))
    assert again.equals(first)
    assert read == []
    assert names(saved) == files
    scan(source, **COLUMNS | {"score": "q"}, checkpoint=saved)
    assert len(names(saved)) == 8
    own = tmp_path / "own"
    own.mkdir()
    pq.write_table(rows.slice(0, 2500), own / "a.parquet")
    before = scan(str(own / "*.parquet"), **COLUMNS, checkpoint=saved)
    pq.write_table(rows.slice(100, 2400), own / "a.parquet")
    os.utime(own / "a.parquet", ns=(1, 1))
    after = scan(str(own / "*.parquet"), **COLUMNS, checkpoint=saved)
    assert after.cut().equals(in_memory(rows, picked=slice(100, 2500)).cut())
    assert not after.equals(before)


def test_damaged_checkpoints_are_refused(tmp_path, folder):
    scan(folder / "a.parquet", **COLUMNS, checkpoint=tmp_path)
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(InputError, match="damaged"):
        scan(folder / "a.parquet", **COLUMNS, checkpoint=tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written to"):
        scan(folder / "a.parquet", **COLUMNS, checkpoint=tmp_path / "file")


KILLED = """
import os, signal, sys
from puremetrics.io.scan import scan
seen = []
def progress(done, total):
    seen.append(done)
    if done > {limit}:
        os.kill(os.getpid(), signal.SIGKILL)
scan({source!r}, label="y", score="p", scenario="case_control", neg_label=-1,
     checkpoint={saved!r}, progress=progress, threads=1)
"""


@pytest.mark.parametrize("limit", [2500, 6000])
def test_a_killed_run_goes_on(tmp_path, rows, folder, limit):
    source, saved = str(folder / "*.parquet"), str(tmp_path / "saved")
    program = KILLED.format(limit=limit, source=source, saved=saved)
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    kept = [name for name in names(saved) if name.endswith(".counts")]
    assert len(kept) == (1 if limit == 2500 else 2)
    read = []
    found = scan(source, **COLUMNS, checkpoint=saved, progress=lambda *seen: read.append(seen))
    assert found.cut().equals(in_memory(rows).cut())
    assert read[0][0] <= (SIZE if limit == 2500 else 2 * SIZE)


def test_reader_can_be_sent_away():
    import pickle

    reader = RowReader("y", ("p",), neg_label=-1, by="c")
    assert pickle.loads(pickle.dumps(reader)) == reader
    assert reader.columns == ["y", "p", "c"]


def test_scan_is_quick_to_fail(tmp_path, rows):
    pq.write_table(rows, tmp_path / "a.parquet")
    start = time.perf_counter()
    with pytest.raises(InputError):
        scan([tmp_path / "a.parquet", tmp_path / "b.parquet"], **COLUMNS)
    assert time.perf_counter() - start < 5
