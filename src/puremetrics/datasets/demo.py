"""The demo data."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable

import numpy as np
import numpy.typing as npt

__all__ = ["demo_path", "load_demo"]


def load_demo() -> dict[str, npt.NDArray[np.float64]]:
    """Load the scores of two spam filters on 4,601 messages of which 552 were reported as spam.

    Columns: ``reported`` (1 reported, 0 unlabeled), the scores ``forest`` and ``words``, and the
    hidden truth ``spam``. The population is the data set itself: scenario "single_training_set",
    prior 0.394. Reported messages are a random 30% of the spam.

    Data: Spambase, by M. Hopkins, E. Reeber, G. Forman and J. Suermondt (1999), UCI Machine Learning
    Repository, licensed CC BY 4.0; scores by cross-validation of two classifiers.

    >>> demo = load_demo()
    >>> demo["reported"].size, int(demo["reported"].sum()), int(demo["spam"].sum())
    (4601, 552, 1813)
    """
    with demo_path().open(encoding="utf-8") as lines:
        names = next(lines).strip().split(",")
        values = np.loadtxt(lines, delimiter=",")
    return {name: values[:, i].copy() for i, name in enumerate(names)}


def demo_path() -> Traversable:
    """Where the demo CSV lies."""
    return resources.files("puremetrics") / "data" / "demo.csv"
