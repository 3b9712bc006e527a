"""What a label column may hold."""

from types import SimpleNamespace

import pytest

from puremetrics.cli.reading import _counts
from puremetrics.exceptions import LabelError

pa = pytest.importorskip("pyarrow")


def test_values_that_cannot_be_counted_are_named():
    """DuckDB reads whole numbers of sixty digits as a type that Arrow has no functions for."""

    def counts():
        raise pa.ArrowNotImplementedError("no kernel")

    column = SimpleNamespace(type=pa.binary(), value_counts=counts)
    with pytest.raises(LabelError, match=r"holds binary\. Name a column"):
        _counts(column)
    with pytest.raises(LabelError, match="holds list"):
        _counts(pa.array([[1], [2]]))
    assert _counts(pa.array([1, 1, 0, None])) == {1: 2, 0: 1, None: 1}
