"""`scan` names what is wrong, and where."""

import numpy as np
import pytest

from puremetrics.exceptions import InputError, LabelError, ScenarioError, ScoreError
from puremetrics.io.scan import scan
from tests.io.scanning import COLUMNS, duckdb, pa, pq


def test_unknown_labels_are_named_with_their_row(rows, folder):
    with pytest.raises(LabelError, match="y contains -1 besides pos_label=1") as raised:
        scan(str(folder / "*.parquet"), label="y", score="p", scenario="case_control")
    row = int(np.flatnonzero(np.asarray(rows["y"]) == -1)[0]) + 1
    assert f"'a.parquet', first in row {row}" in str(raised.value)
    with pytest.raises(LabelError, match=r"no labelled positive among \d+ rows"):
        scan(rows, **COLUMNS | {"pos_label": 5, "unlabeled_label": 0, "label": "n"}, where="n = 0")
    with pytest.raises(LabelError, match="only positives"):
        scan(rows, **COLUMNS, where="y = 1")


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
    with pytest.raises(
        ScoreError, match="Column 'country' of the source holds 'be' in row 1, which is text"
    ):
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
    with pytest.raises(InputError, match="none of the extensions"):
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


def test_scan_is_quick_to_fail(tmp_path, rows):
    pq.write_table(rows, tmp_path / "a.parquet")
    seen = []
    with pytest.raises(InputError):
        scan(
            [tmp_path / "a.parquet", tmp_path / "b.parquet"],
            **COLUMNS,
            progress=lambda *done: seen.append(done),
        )
    assert seen == []  # no row of the first file was read
