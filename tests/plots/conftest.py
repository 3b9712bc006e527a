import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _closed_figures():
    before = dict(mpl.rcParams)
    assert plt.get_fignums() == []
    yield
    assert len(plt.get_fignums()) <= 1, "a display made more than one figure"
    plt.close("all")
    assert dict(mpl.rcParams) == before
