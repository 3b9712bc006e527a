"""The same rows in every kind of source."""

import numpy as np
import pytest

from puremetrics import ScoreTable

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
