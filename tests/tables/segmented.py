"""Rows of several months, one of which may be odd."""

import numpy as np
import pytest

from puremetrics.io.scan import scan

pa = pytest.importorskip("pyarrow")


def make_rows(size=20_000, months=6, odd=None, seed=0):
    rng = np.random.default_rng(seed)
    month = rng.integers(1, months + 1, size)
    positive = rng.random(size) < 0.2
    labelled = positive & (rng.random(size) < 0.5)
    score = rng.normal(size=size) + np.where(month == odd, 0.4, 1.6) * positive
    return pa.table({"y": labelled.astype(int), "s": score, "month": month})


def segmented(rows, **options):
    given = {"label": "y", "score": "s", "scenario": "single_training_set", "by": "month"}
    return scan(rows, **given | options)
