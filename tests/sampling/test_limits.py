"""Limits of shares and of what is computed from them, by hand."""

import math

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.numerics.formulas import METRICS
from puremetrics.sampling.limits import (
    LinearVariance,
    agresti_coull,
    bounded_interval,
    logit_limits,
    recovered_limits,
)
from puremetrics.setting import Setting, TwoSamples
from tests.small_tables import CC, SINGLE, tables


def test_recovered_limits_by_hand():
    both = tables()
    g, f = 2 / 3, 3 / 9
    for name, size in ((CC, 4), (SINGLE, 9)):
        samples = TwoSamples(both[name])
        ends_g = agresti_coull(g, 3, 0.9)
        ends_f = agresti_coull(f, size, 0.9)
        alone = recovered_limits(samples, lambda a, b: a + 0 * b, g, f, 0.9)
        assert alone == pytest.approx(ends_g)
        other = recovered_limits(samples, lambda a, b: 0 * a - b, g, f, 0.9)
        assert other == pytest.approx((-ends_f[1], -ends_f[0]))
        corr = 0.0 if name == CC else math.sqrt(3 / 9 * g * (1 - g) / (f * (1 - f)))
        for sign in (1, -1):  # of F in G ± F
            found = recovered_limits(samples, lambda a, b, s=sign: a + s * b, g, f, 0.9)
            for side in (0, 1):
                by_g = abs(ends_g[side] - g)
                by_f = abs(ends_f[side if sign > 0 else 1 - side] - f)
                reach = math.sqrt(by_g**2 + by_f**2 + 2 * sign * corr * by_g * by_f)
                assert found[side] == pytest.approx(g + sign * f + (2 * side - 1) * reach)
    undefined = recovered_limits(TwoSamples(both[CC]), lambda a, b: a * np.nan, g, f, 0.9)
    assert undefined == (-math.inf, math.inf)


def test_weighted_rows_shared_by_both_samples_correlate_by_their_squares():
    y, weight = np.array([1, 1, 1, 0, 0, 0, 0]), np.array([3.0, 1, 1, 2, 1, 1, 1])
    table = pm.ScoreTable.from_arrays(
        y, [7, 3, 2, 6, 5, 1, 0], sample_weight=weight, scenario=SINGLE
    )
    samples = TwoSamples(table)
    g, f = samples.shares_at(4)
    sizes = samples.sizes
    ends_g = agresti_coull(g, sizes[0], 0.9)
    ends_f = agresti_coull(f, sizes[1], 0.9)
    shared = (weight[:3] ** 2).sum() / (weight**2).sum()
    corr = math.sqrt(shared * g * (1 - g) / (f * (1 - f)))
    found = recovered_limits(samples, lambda a, b: a + b, g, f, 0.9)
    for side in (0, 1):
        by_g, by_f = abs(ends_g[side] - g), abs(ends_f[side] - f)
        reach = math.sqrt(by_g**2 + by_f**2 + 2 * corr * by_g * by_f)
        assert found[side] == pytest.approx(g + f + (2 * side - 1) * reach)


def test_limits_are_cut_to_the_range_by_hand():
    setting = Setting.of(tables()[SINGLE], 0.5, confidence_level=0.9)
    formula = METRICS["mcc"]
    for value, ends, cut, codes in (
        (0.5, (-2.0, 0.9), (-1.0, 0.9), []),
        (1.2, (0.3, 1.7), (0.3, 1.0), []),  # sampling error
        (-1.2, (-1.7, -1.1), (-1.0, -0.9), ["PM101", "PM102"]),  # it keeps its reach
        (1.0 + 1e-13, (1.0, 1.0), (1.0, 1.0), []),
        (1.5, (1.2, 1.7), (0.7, 1.0), ["PM101", "PM102"]),
        (math.inf, (0.8, math.inf), (0.8, 1.0), []),
        (math.inf, (math.inf, math.inf), (1.0, 1.0), ["PM101"]),
    ):
        found, remarks = bounded_interval(setting, formula, value, *ends, "x")
        assert tuple(found) == pytest.approx(cut)
        assert [d.code for d in remarks] == codes
        assert (found.level, found.kind, found.method) == (0.9, "confidence", "x")


def test_limits_of_proportions_by_hand():
    z = 1.959963984540054
    low, high = agresti_coull(0.3, 20, 0.95)
    padded = 20 + z**2
    centre = (6 + z**2 / 2) / padded
    reach = z * math.sqrt(centre * (1 - centre) / padded)
    assert (low, high) == pytest.approx((centre - reach, centre + reach))
    assert agresti_coull(0.0, 3, 0.95)[0] == 0.0
    assert agresti_coull(1.0, 3, 0.95)[1] == 1.0


def test_limits_on_the_logit_scale_by_hand():
    variance = LinearVariance(0.01, 10.0, 0.004, 0.006)
    error = 2.228138851964939 * 0.1 / (0.7 * 0.3)
    ends = [1 / (1 + math.exp(-(math.log(7 / 3) + s * error))) for s in (-1, 1)]
    assert logit_limits(0.7, variance, 0.95) == pytest.approx(ends)
    wide = logit_limits(0.4, variance._replace(total=0.04), 0.95, -1.0, 1.0)
    assert wide == pytest.approx([2 * end - 1 for end in ends])


def test_limits_of_several_versions_come_at_once():
    samples = TwoSamples(tables()[SINGLE])
    times = np.array([1.0, -2.0, 0.5])
    low, high = recovered_limits(samples, lambda a, b: a - times[:, None] * b, 0.5, 0.4, 0.9)
    for i, factor in enumerate(times):
        one = recovered_limits(samples, lambda a, b, k=factor: a - k * b, 0.5, 0.4, 0.9)
        assert (low[i], high[i]) == pytest.approx(tuple(map(float, one)))
