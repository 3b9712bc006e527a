"""Columns of any library, dtype and layout."""

import numpy as np

from puremetrics import ScoreTable

CC = "case_control"


def test_memory_maps_views_and_odd_dtypes(tmp_path):
    path = tmp_path / "s.npy"
    np.save(path, np.array([3.0, 1.0, 2.0, 0.0]))
    expected = ScoreTable.from_arrays([1, 0, 0, 0], [3, 1, 2, 0], scenario=CC)
    variants = [
        np.load(path, mmap_mode="r"),
        np.array([3, 1, 2, 0], dtype=">f4"),
        np.array([3, 9, 1, 9, 2, 9, 0, 9], dtype=np.float32)[::2],
        np.array([3, 1, 2, 0], dtype=np.uint8),
        np.array([3, 1, 2, 0], dtype=object),
        np.array([[3], [1], [2], [0]]),
    ]
    for score in variants:
        assert ScoreTable.from_arrays([1, 0, 0, 0], score, scenario=CC).equals(expected)


def test_columns_of_any_library():
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    y, s = [1, 0, 0], [0.5, 0.25, 0.75]
    expected = ScoreTable.from_arrays(y, s, scenario=CC)
    for wrap in (
        pd.Series,
        pl.Series,
        pa.array,
        lambda v: pa.chunked_array([v[:1], v[1:]]),
        np.array,
        tuple,
    ):
        assert ScoreTable.from_arrays(wrap(y), wrap(s), scenario=CC).equals(expected)


class ArrowOnly:
    """What a library without numpy support would pass."""

    def __init__(self, values):
        import pyarrow as pa

        self._column = pa.chunked_array([values])

    def __arrow_c_stream__(self, requested_schema=None):
        return self._column.__arrow_c_stream__(requested_schema)


def test_arrow_interface_alone_is_enough():
    table = ScoreTable.from_arrays(ArrowOnly([1, 0, 0]), ArrowOnly([0.5, 0.1, 0.7]), scenario=CC)
    assert table.score.tolist() == [0.7, 0.5, 0.1]
