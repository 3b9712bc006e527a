"""Files that are damaged, oddly named or not what they seem: a sentence, never a crash or a wrong number."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.cli import main
from puremetrics.exceptions import InputError
from puremetrics.io.files import read_columns
from tests.io.scanning import duckdb, pa, pq

COLUMNS = {"label": "y", "score": "p", "scenario": "case_control"}
ROWS = pa.table(
    {"y": [1, 0, 0, 1] * 50, "p": np.arange(200) / 200, "land": ["north", "south"] * 100}
)
OPTIONS = ["--label", "y", "--score", "p", "--scenario", "case_control", "--prior", "0.2"]


def write_arrow(path, table=ROWS, make=pa.ipc.new_file):
    with pa.OSFile(str(path), "wb") as out, make(out, table.schema) as writer:
        writer.write_table(table)


def in_process(code):
    """Run code in a process of its own, which may die; return its exit code and what it said."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def damaged(tmp_path):
    """An Arrow file with one offset of a string that leads out of its buffer."""
    write_arrow(tmp_path / "rows.arrow")
    content = bytearray((tmp_path / "rows.arrow").read_bytes())
    offsets = np.arange(0, 5 * 201, 5, dtype=np.int32).tobytes()
    place = bytes(content).index(offsets)
    content[place + 400 : place + 404] = np.int32(2**30).tobytes()
    (tmp_path / "rows.arrow").write_bytes(bytes(content))
    return tmp_path / "rows.arrow"


@pytest.mark.parametrize("more", ["by='land'", "where=\"land = 'north'\"", "label='land'"])
def test_a_damaged_offset_is_a_sentence(damaged, more):
    code, said = in_process(f"""
        import puremetrics as pm
        options = dict(label="y", score="p", scenario="case_control") | dict({more})
        if options["label"] == "land":
            options |= dict(pos_label="north", unlabeled_label="south")
        try:
            pm.scan({str(damaged)!r}, **options)
        except pm.PuremetricsError as error:
            print(error)
    """)
    assert code == 0, said
    assert "'rows.arrow' cannot be read" in said


def test_a_damaged_offset_on_its_way_through_other_hands(damaged):
    code, said = in_process(f"""
        import pyarrow as pa, pyarrow.dataset as ds, puremetrics as pm
        from puremetrics.io.files import read_columns
        options = dict(label="y", score="p", scenario="case_control", by="land")
        path = {str(damaged)!r}
        table = lambda: pa.ipc.open_file(path).read_all()
        for make in (table, lambda: table().to_reader(), lambda: iter(table().to_batches()),
                     lambda: ds.dataset(path, format="ipc")):
            try:
                pm.scan(make(), **options)
            except pm.PuremetricsError as error:
                print("said", error)
        try:
            read_columns(path, ["land"])
        except pm.PuremetricsError as error:
            print("said", error)
    """)
    assert code == 0, said
    assert said.count("said ") == 5


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_a_file_that_is_cut_off_while_it_is_read(tmp_path, kind):
    code, said = in_process(f"""
        import os, numpy as np, pyarrow as pa, pyarrow.parquet as pq, puremetrics as pm
        rng = np.random.default_rng(0)
        n = 3_000_000
        table = pa.table({{"y": (rng.random(n) < 0.1).astype(int), "p": rng.random(n)}})
        path = {str(tmp_path / f"rows.{kind}")!r}
        if {kind == "parquet"}:
            pq.write_table(table, path, compression="none", row_group_size=500_000)
        else:
            with pa.OSFile(path, "wb") as out, pa.ipc.new_file(out, table.schema) as writer:
                writer.write_table(table, max_chunksize=500_000)
        def cut(done, total):
            os.truncate(path, 5000)
        try:
            pm.scan(path, label="y", score="p", scenario="case_control", progress=cut, threads=1)
        except pm.PuremetricsError as error:
            print("said", error)
    """)
    assert code == 0, said
    assert "said 'rows." in said


def test_folders_do_not_replace_columns(tmp_path):
    folder = tmp_path / "p=5" / "month=3"
    folder.mkdir(parents=True)
    pq.write_table(ROWS, folder / "a.parquet")
    write_arrow(folder / "a.arrow")
    ROWS.to_pandas().to_csv(folder / "a.csv", index=False)
    ROWS.to_pandas().to_json(folder / "a.jsonl", orient="records", lines=True)
    right = pm.scan(ROWS, **COLUMNS)
    for ending in ("parquet", "arrow", "csv", "jsonl"):
        path = folder / f"a.{ending}"
        assert pm.scan(path, **COLUMNS).equals(right)
        assert pm.scan(path, **COLUMNS, where="p < 5").equals(right)
        assert np.asarray(read_columns(path, ["p"])["p"]).max() < 1
        by = pm.scan(path, **COLUMNS, by="month", where="month = 3")
        assert list(by.tables) == [3]
        assert by[3].total == 200


def test_names_that_mean_something_elsewhere(tmp_path, monkeypatch):
    home, work = tmp_path / "home", tmp_path / "work"
    for folder in (home, work / "~", work / "file:"):
        folder.mkdir(parents=True)
    (home / "x.csv").write_text("y,p\n1,9\n0,9\n")
    for name in ("~/x.csv", "file:/x.csv", "a?b.csv", "http:x.csv", "s'q.csv", "new\nline.csv"):
        (work / name).write_text("y,p\n1,3\n0,2\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(work)
    for name in ("./~/x.csv", "file:/x.csv", "a?b.csv", "http:x.csv", "s'q.csv", "new\nline.csv"):
        assert pm.scan(name, **COLUMNS).score.tolist() == [3, 2]
        assert np.asarray(read_columns(name, ["p"])["p"]).tolist() == [3, 2]


def twice(tmp_path):
    """The same column twice, in every kind of source."""
    table = pa.table([pa.array([1, 0]), pa.array([0.1, 0.2]), pa.array([1, 2])], ["y", "p", "p"])
    pq.write_table(table, tmp_path / "a.parquet")
    write_arrow(tmp_path / "a.arrow", table)
    write_arrow(tmp_path / "a.arrows", table, pa.ipc.new_stream)
    (tmp_path / "a.csv").write_text("y,p,p\n1,0.1,1\n0,0.2,2\n")
    (tmp_path / "a.tsv").write_text('y\t"p"\tp\n1\t0.1\t1\n0\t0.2\t2\n')
    (tmp_path / "a.jsonl").write_text('{"y":1,"p":0.1,"p":1}\n{"y":0,"p":0.2,"p":2}\n')
    yield from sorted(tmp_path.iterdir())
    yield table
    yield table.to_reader()
    yield iter(table.to_batches())


def test_columns_of_the_same_name_are_refused_by_all(tmp_path):
    for source in twice(tmp_path):
        with pytest.raises(
            InputError, match=r"has several columns named 'p'\. Rename all but one\."
        ):
            pm.scan(source, **COLUMNS)
    for source in twice(tmp_path):
        with pytest.raises(
            InputError, match=r"has several columns named 'p'\. Rename all but one\."
        ):
            pm.scan(source, **COLUMNS, where="y >= 0")
    for path in sorted(tmp_path.iterdir()):
        with pytest.raises(
            InputError, match=r"has several columns named 'p'\. Rename all but one\."
        ):
            read_columns(path, ["y", "p"])
    relation = duckdb.connect().sql("SELECT 1 AS y, 2 AS p, 3 AS p")
    if list(relation.columns).count("p") > 1:
        with pytest.raises(InputError, match="several columns named 'p'"):
            pm.scan(relation, **COLUMNS)
    (tmp_path / "b.csv").write_text("y,p,p_1\n1,0.1,1\n0,0.2,2\n")  # a name like those DuckDB makes
    assert pm.scan(tmp_path / "b.csv", **COLUMNS).score.tolist() == [0.2, 0.1]
    (tmp_path / "c.csv").write_text("y,p,P\n1,0.1,1\n0,0.2,2\n")
    with pytest.raises(InputError, match=r"several columns named 'p' \(SQL ignores case"):
        pm.scan(tmp_path / "c.csv", **COLUMNS)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_numbers_after_many_whole_ones_are_not_rounded(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    values = ["0"] * 30_000 + ["0.3"]
    if ending == "csv":
        path.write_text("y,p\n" + "".join(f"{i % 2},{v}\n" for i, v in enumerate(values)))
    else:
        path.write_text("".join(f'{{"y":{i % 2},"p":{v}}}\n' for i, v in enumerate(values)))
    assert pm.scan(path, **COLUMNS).score.tolist() == [0.3, 0.0]
    assert np.asarray(read_columns(path, ["y", "p"], scores=["p"])["p"]).max() == 0.3
    try:
        found = pm.scan(path, label="y", score="y", scenario="case_control", by="p")
    except InputError as error:
        said = str(error)
    else:  # DuckDB 1.5.0 looks at all lines of a JSON file
        segments = [*found.tables, *found.without_positives]
        said = "'p' of 'a.jsonl' holds whole numbers and then '0.3'" if segments == [0, 0.3] else ""
    assert f"'p' of 'a.{ending}' holds whole numbers and then '0.3'" in said


@pytest.mark.parametrize("late", [False, True])
def test_hexadecimal_numbers_are_text(tmp_path, late):
    lines = [f"{i % 2},{i % 7}" for i in range(30_000 if late else 3)]
    (tmp_path / "a.csv").write_text("\n".join(["y,p", *lines, "1,0x10"]))
    for act in (
        lambda: pm.scan(tmp_path / "a.csv", **COLUMNS),
        lambda: read_columns(tmp_path / "a.csv", ["p"], scores=["p"]),
        lambda: pm.scan(tmp_path / "a.csv", label="y", score="y", scenario="case_control", by="p"),
    ):
        with pytest.raises(InputError, match=r"'a\.csv'.*0x10"):
            act()
    large = 2**53 + 1
    (tmp_path / "b.csv").write_text(f"y,p,id\n1,{large},{large}\n0,{large - 1},{large - 1}\n")
    with pytest.raises(InputError, match=r"beyond 2\*\*53"):
        pm.scan(tmp_path / "b.csv", **COLUMNS)
    assert np.asarray(read_columns(tmp_path / "b.csv", ["id"])["id"]).tolist() == [large, large - 1]


def test_a_part_with_nothing_but_a_header(tmp_path):
    (tmp_path / "a.csv").write_text("y,p,m\n" + "1,0.5,3\n0,0.25,4\n" * 20)
    (tmp_path / "b.csv").write_text("y,p,m\n")
    (tmp_path / "c.csv").write_text("y,p,m\n" + "1,0.5,3\n0,0.25,4\n" * 20)
    found = pm.scan(tmp_path / "*.csv", **COLUMNS, where="m + 1 >= 4 AND p > 0.1")
    assert found.total == 80
    assert len(read_columns(tmp_path / "*.csv", ["p"], where="m + 1 >= 4")["p"]) == 80
    with pytest.raises(InputError, match="subquery"):
        pm.scan(tmp_path / "b.csv", **COLUMNS, where="m > (SELECT 1)")


def test_names_that_lead_nowhere(tmp_path, capsys):
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    (tmp_path / "gone.csv").symlink_to(tmp_path / "nothing.csv")
    for name, said in (("loop.csv", "broken or circular"), ("gone.csv", "broken or circular")):
        with pytest.raises(InputError, match=said):
            pm.scan(tmp_path / name, **COLUMNS)
        assert main(["evaluate", str(tmp_path / name), *OPTIONS]) == 2
        assert said in capsys.readouterr().err
    with pytest.raises(InputError, match="NUL"):
        pm.scan("a\0.csv", **COLUMNS)
    for column in ("label", "score", "by", "where"):
        with pytest.raises(InputError, match="NUL"):
            pm.scan(ROWS, **COLUMNS | {column: "y\0"})


def test_many_or_long_or_hidden_names_make_a_short_message():
    many = pa.table({f"column {i}": [1] for i in range(100_000)})
    long = pa.table({"x" * 100_000: [1], "\x1b[31mred\nline": [1]})
    for table in (many, long):
        for where in (None, "z > 1"):
            with pytest.raises(InputError) as raised:
                pm.scan(table, **COLUMNS, where=where)
            assert len(str(raised.value)) < 1000
            assert "\x1b" not in str(raised.value)
            assert "\n" not in str(raised.value)
    with pytest.raises(InputError, match="99"):
        pm.scan(many, **COLUMNS)


def test_a_full_or_missing_temporary_folder(tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(InputError, match=r"temporary file cannot be written to '.*none'.*TMPDIR"):
        pm.scan(ROWS.to_reader(), **COLUMNS)
    monkeypatch.undo()
    if os.path.exists("/dev/full"):  # noqa: PTH110
        import puremetrics.io.sources as sources

        def full(path, schema, batches, columns):
            with open("/dev/full", "wb") as out, pa.ipc.new_file(out, schema) as writer:  # noqa: PTH123
                writer.write_table(pa.Table.from_batches(batches))

        monkeypatch.setattr(sources, "_write", full)
        with pytest.raises(InputError, match=r"No space left.*TMPDIR"):
            pm.scan(ROWS.select(["y", "p"]).to_reader(), **COLUMNS)


def test_scores_at_the_ends_of_the_floats():
    ends = np.finfo(float).max * np.array([1.0, 0.95])
    table = pa.table({"y": [1, 0, 0, 1], "p": np.concatenate([ends, -ends])})
    found = pm.scan(table, **COLUMNS)
    memory = pm.ScoreTable.from_arrays([1, 0, 0, 1], table["p"], scenario="case_control")
    assert found.cut().equals(memory.cut())
    assert pm.evaluate(found, prior=0.2).to_dict()["models"]
    assert np.isfinite(found.centre).all()
