"""`scan`: every source gives the same table, and tables like any."""

import tempfile
from pathlib import Path

import numpy as np
import pytest

import puremetrics as pm
from puremetrics import ScoreTable
from puremetrics.exceptions import InputError, LabelError
from puremetrics.io.batches import RowReader
from puremetrics.io.scan import scan
from tests.io.scanning import COLUMNS, SIZE, in_memory, pa, sources


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
        slack = 2e-3 if name == "average_precision" else 1e-5
        assert bound.low - slack < second.bounds[name].low <= bound.low + 1e-12, name
        assert bound.high - 1e-12 <= second.bounds[name].high < bound.high + slack, name
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


def test_reader_can_be_sent_away():
    import pickle

    reader = RowReader("y", ("p",), neg_label=-1, by="c")
    assert pickle.loads(pickle.dumps(reader)) == reader
    assert reader.columns == ["y", "p", "c"]
