"""Labels of any value, missing ones among them."""

import numpy as np
import pytest

from puremetrics import ScoreTable

CC = "case_control"


@pytest.mark.parametrize(
    ("y", "options"),
    [
        ([True, False, False], {}),
        (["yes", "no", "no"], {"pos_label": "yes", "unlabeled_label": "no"}),
        ([1.0, None, None], {"unlabeled_label": None}),
        ([1.0, np.nan, np.nan], {"unlabeled_label": None}),
        (["p", None, None], {"pos_label": "p", "unlabeled_label": None}),
        ([1, -1, -1], {"unlabeled_label": -1}),
        ([2, 3, 3], {"pos_label": 2, "unlabeled_label": 3}),
    ],
)
def test_any_label_values(y, options):
    table = ScoreTable.from_arrays(y, [3, 2, 1], scenario=CC, **options)
    assert table.n_pos.tolist() == [1, 0, 0]
    assert table.n_unl.tolist() == [0, 1, 1]


def test_missing_labels_of_pandas_and_polars():
    import pandas as pd
    import polars as pl

    for y in (pd.Series([1, None, None], dtype="Int64"), pl.Series([1, None, None])):
        table = ScoreTable.from_arrays(y, [3, 2, 1], scenario=CC, unlabeled_label=None)
        assert table.totals == (1, 2, 0)
