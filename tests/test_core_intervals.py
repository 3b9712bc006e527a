"""Quantiles, variances and limits by hand."""

import math

import numpy as np
import pytest

import puremetrics as pm
from puremetrics import confusion, intervals

from .test_core_scenario import CC, SINGLE, tables


def test_quantiles_and_proportions_by_hand():
    assert intervals.normal_quantile(0.95) == pytest.approx(1.959963984540054)
    assert intervals.student_quantile(10, 0.95) == pytest.approx(2.228138851964939)
    z = 1.959963984540054
    low, high = intervals.agresti_coull(0.3, 20, 0.95)
    padded = 20 + z**2
    centre = (6 + z**2 / 2) / padded
    reach = z * math.sqrt(centre * (1 - centre) / padded)
    assert (low, high) == pytest.approx((centre - reach, centre + reach))
    assert intervals.agresti_coull(0.0, 3, 0.95)[0] == 0.0
    assert intervals.agresti_coull(1.0, 3, 0.95)[1] == 1.0
    assert intervals.small_sample(5) == pytest.approx(math.sqrt(5 / 4))
    assert (intervals.small_sample(1), intervals.small_sample(0.5)) == (1.0, 1.0)
    assert intervals.weighted_sum(np.array([1, 2]), np.array([0.5, 3.0])) == 6.5
    variance = intervals.LinearVariance(0.01, 10.0, 0.004, 0.006)
    error = 2.228138851964939 * 0.1 / (0.7 * 0.3)
    ends = [1 / (1 + math.exp(-(math.log(7 / 3) + s * error))) for s in (-1, 1)]
    assert intervals.logit_limits(0.7, variance, 0.95) == pytest.approx(ends)
    wide = intervals.logit_limits(0.4, variance._replace(total=0.04), 0.95, -1.0, 1.0)
    assert wide == pytest.approx([2 * end - 1 for end in ends])


@pytest.mark.parametrize("weighted", [False, True])
def test_linear_variances_are_those_of_means_of_rows(weighted):
    rng = np.random.default_rng(0)
    y, score = np.repeat([1, 0, 0], [4, 5, 6]), np.arange(15.0)
    weight = rng.random(15) + 0.5 if weighted else None
    on_pos, on_cmp = rng.normal(size=15), rng.normal(size=15)  # by score, from the highest
    w = np.ones(15) if weight is None else weight
    for name in (CC, SINGLE):
        table = pm.ScoreTable.from_arrays(y, score, scenario=name, sample_weight=weight)
        found = intervals.linear_variance(table, on_pos, on_cmp)
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
        assert intervals.effective_sizes(table) == pytest.approx(tuple(sizes))


def test_recovered_limits_by_hand():
    both = tables()
    g, f = 2 / 3, 3 / 9
    for name, size in ((CC, 4), (SINGLE, 9)):
        table = both[name]
        ends_g = intervals.agresti_coull(g, 3, 0.9)
        ends_f = intervals.agresti_coull(f, size, 0.9)
        alone = intervals.recovered_limits(table, lambda a, b: a + 0 * b, g, f, 0.9)
        assert alone == pytest.approx(ends_g)
        other = intervals.recovered_limits(table, lambda a, b: 0 * a - b, g, f, 0.9)
        assert other == pytest.approx((-ends_f[1], -ends_f[0]))
        corr = 0.0 if name == CC else math.sqrt(3 / 9 * g * (1 - g) / (f * (1 - f)))
        for sign in (1, -1):  # of F in G ± F
            found = intervals.recovered_limits(table, lambda a, b, s=sign: a + s * b, g, f, 0.9)
            for side in (0, 1):
                by_g = abs(ends_g[side] - g)
                by_f = abs(ends_f[side if sign > 0 else 1 - side] - f)
                reach = math.sqrt(by_g**2 + by_f**2 + 2 * sign * corr * by_g * by_f)
                assert found[side] == pytest.approx(g + sign * f + (2 * side - 1) * reach)
    undefined = intervals.recovered_limits(both[CC], lambda a, b: a * np.nan, g, f, 0.9)
    assert undefined == (-math.inf, math.inf)


def test_weighted_rows_shared_by_both_samples_correlate_by_their_squares():
    y, weight = np.array([1, 1, 1, 0, 0, 0, 0]), np.array([3.0, 1, 1, 2, 1, 1, 1])
    table = pm.ScoreTable.from_arrays(
        y, [7, 3, 2, 6, 5, 1, 0], sample_weight=weight, scenario=SINGLE
    )
    g, f = confusion.shares_at(table, 4)
    sizes = intervals.effective_sizes(table)
    ends_g = intervals.agresti_coull(g, sizes[0], 0.9)
    ends_f = intervals.agresti_coull(f, sizes[1], 0.9)
    shared = (weight[:3] ** 2).sum() / (weight**2).sum()
    corr = math.sqrt(shared * g * (1 - g) / (f * (1 - f)))
    found = intervals.recovered_limits(table, lambda a, b: a + b, g, f, 0.9)
    for side in (0, 1):
        by_g, by_f = abs(ends_g[side] - g), abs(ends_f[side] - f)
        reach = math.sqrt(by_g**2 + by_f**2 + 2 * corr * by_g * by_f)
        assert found[side] == pytest.approx(g + f + (2 * side - 1) * reach)
