"""Variances of linear statistics, from their rows."""

import math

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.sampling.limits import linear_variance
from puremetrics.setting import TwoSamples
from tests.small_tables import CC, SINGLE


@pytest.mark.parametrize("weighted", [False, True])
def test_linear_variances_are_those_of_means_of_rows(weighted):
    rng = np.random.default_rng(0)
    y, score = np.repeat([1, 0, 0], [4, 5, 6]), np.arange(15.0)
    weight = rng.random(15) + 0.5 if weighted else None
    on_pos, on_cmp = rng.normal(size=15), rng.normal(size=15)  # by score, from the highest
    w = np.ones(15) if weight is None else weight
    for name in (CC, SINGLE):
        table = pm.ScoreTable.from_arrays(y, score, scenario=name, sample_weight=weight)
        found = linear_variance(TwoSamples(table), on_pos, on_cmp)
        p, c = on_pos[::-1], on_cmp[::-1]  # in the order of the rows
        g, f = y == 1, (y == 0) if name == CC else np.ones(15, bool)
        sizes = [w[s].sum() ** 2 / (w[s] ** 2).sum() for s in (g, f)]
        parts = []
        for value, sample, size in ((p, g, sizes[0]), (c, f, sizes[1])):
            mean = np.average(value[sample], weights=w[sample])
            scale = math.sqrt(size / (size - 1)) / w[sample].sum()
            parts.append(np.where(sample, (value - mean) * scale, 0.0))
        via_pos = parts[0] + (parts[1] if name == SINGLE else 0)
        from_pos = float((w**2 * np.where(g, via_pos, 0) ** 2).sum())
        from_others = float((w**2 * np.where(~g, parts[1], 0) ** 2).sum())
        assert found.from_positives == pytest.approx(from_pos)
        assert found.from_others == pytest.approx(from_others)
        assert found.total == pytest.approx(from_pos + from_others)
        others = sizes[1] if name == CC else sizes[1] - sizes[0]
        spread = from_pos**2 / (sizes[0] - 1) + from_others**2 / max(others - 1, 1)
        assert found.degrees == pytest.approx(found.total**2 / spread)
        assert TwoSamples(table).sizes == pytest.approx(tuple(sizes))
