import pytest

from tests.io.scanning import make_rows, pa, pq


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
