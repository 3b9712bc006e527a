"""Gaps between scores and rates of bins by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.calibration import bins, gaps
from puremetrics.calibration.gaps import debiased_size, folded_mean, split_size
from tests.small_tables import CC, SINGLE


@pytest.mark.parametrize(("gap", "noise"), [(0.0, 0.1), (0.05, 0.1), (-0.2, 0.1), (0.3, 0.0)])
def test_sizes_of_noisy_gaps_are_their_integrals(gap, noise):
    one = np.array([gap]), np.array([noise])
    if noise == 0:
        assert (
            gaps.folded_mean(*one) == gaps.split_size(*one) == gaps.debiased_size(*one) == abs(gap)
        )
        return
    z = np.linspace(-12, 12, 400_001)
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    mean = float(np.sum(np.abs(gap + noise * z) * density) * (z[1] - z[0]))
    assert float(gaps.folded_mean(*one)[0]) == pytest.approx(mean, rel=1e-8)
    assert float(gaps.debiased_size(*one)[0]) == pytest.approx(2 * abs(gap) - mean, rel=1e-7)
    # The sign from a part of the data, the gap from the rest: averaged over what the part may say, given all.
    part = 0.6
    said = gap + noise * math.sqrt(1 / part - 1) * z
    rest = (gap - part * said) / (1 - part)
    split = float(np.sum(rest * np.sign(said) * density) * (z[1] - z[0]))
    assert float(gaps.split_size(*one)[0]) == pytest.approx(split, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("true", [0.0, 0.3, 1.0, 1.4, 2.5])
def test_sizes_of_gaps_are_off_to_known_sides(true):
    z = np.linspace(-10, 10, 20_001)
    density = np.exp(-((z - true) ** 2) / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0])
    ones = np.ones(z.size)
    assert float(gaps.split_size(z, ones) @ density) <= true + 1e-9
    assert -0.1 <= float(gaps.debiased_size(z, ones) @ density) - true <= 0.48


@pytest.mark.parametrize(
    ("apart", "below", "above"), [(0.05, 0.1, 0.1), (0.2, 0.05, 0.1), (3, 1, 2)]
)
def test_either_of_two_ends_is_held(apart, below, above):
    z, factor = 1.959963984540054, gaps.reach_factor(apart, below, above, 0.95)

    def chance(upper, lower):
        """Of a normal error within so many standard errors above and below."""
        return (math.erf(upper / math.sqrt(2)) + math.erf(lower / math.sqrt(2))) / 2

    at_lower = chance(z * (apart / above + factor), z * factor)
    at_upper = chance(z * factor, z * (apart / below + factor))
    assert min(at_lower, at_upper) >= 0.95 - 1e-6
    longest = apart + factor * (below + above) <= (below + above) * (1 + 1e-5)
    assert min(at_lower, at_upper) == pytest.approx(0.95, abs=1e-5) or longest
    assert gaps.reach_factor(0.0, below, above, 0.95) == 1.0
    assert gaps.reach_factor(1e9, below, above, 0.95) == pytest.approx(1.6448536 / z, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "prior", "purity"),
    [
        (CC, 0.3, 1.0),
        (SINGLE, 0.5, 1.0),
        (CC, 0.2, 0.8),
        (SINGLE, 0.5, 0.75),
        ("labels", None, 1.0),
    ],
)
def test_gaps_of_bins_by_hand(name, prior, purity):
    pos, unl = np.array([0.9, 0.8, 0.55, 0.2]), np.array([0.85, 0.6, 0.45, 0.4, 0.1, 0.05])
    if name == "labels":
        table = pm.ScoreTable.from_groups(positive=pos, unlabeled=None, negative=unl, scenario=CC)
        prior, share, cmp = 0.4, 0.0, unl
    else:
        table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario=name)
        share, cmp = prior, unl if name == CC else np.concatenate([pos, unl])
    found = pm.calibration_error(table, prior=prior if name != "labels" else None, purity=purity,
                                 n_bins=2, binning="width")  # fmt: skip
    expected = []
    for low, high in ((0.0, 0.5), (0.5, 1.0)):
        g, f = ((s > low) & (s <= high) for s in (pos, cmp))
        span = purity - share
        score = (prior - share) / span * (pos * g).mean() + (purity - prior) / span * (
            cmp * f
        ).mean()
        rate = ((1 - share) * g.mean() - (1 - purity) * f.mean()) / span
        expected.append(score - prior * rate)
    assert found.bins.gap == pytest.approx(np.array(expected), abs=1e-14)
    assert found.error == pytest.approx(float(np.abs(expected).sum()))


def test_bins_without_labelled_rows_are_refilled_by_hand():
    sums = np.array([[2.0, 0], [1.0, 0], [0.6, 0]])
    filled = gaps._refilled(sums, np.array([0.5, 0.5]), np.array([0.3, 0.4]))
    assert filled == pytest.approx(np.array([[1, 1], [0.5, 0.4], [0.3, 0.16]]))


def many_rows(name, prior):
    rng = np.random.default_rng(7)
    pos, unl = rng.beta(4, 2, 400), np.append(rng.beta(4, 2, 1200), rng.beta(2, 4, 4800))
    table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario=name)
    moments = bins.reduce_to_bins(table, np.array([0.25, 0.5, 0.75, 1.0]))
    return pos, unl, gaps.bin_gaps(moments, prior, 1.0)


@pytest.mark.parametrize(("name", "prior"), [(CC, 0.2), (SINGLE, 0.25)])
def test_noise_and_resamples_have_the_spread_of_redrawn_rows(name, prior):
    """Three ways to the same number: rows redrawn one by one, counts redrawn, and the formula."""
    pos, unl, found = many_rows(name, prior)
    rng = np.random.default_rng(0)
    again = []
    for _ in range(600):
        if name == CC:
            g, u = rng.choice(pos, pos.size), rng.choice(unl, unl.size)
            f = u
        else:
            place = rng.integers(0, pos.size + unl.size, pos.size + unl.size)
            f = np.append(pos, unl)[place]
            g = f[place < pos.size]
        low = np.array([0, 0.25, 0.5, 0.75])
        of_g, of_f = (np.ceil(s * 4).astype(int) - 1 for s in (g, f))
        score = np.bincount(of_f, f, 4) / f.size
        again.append(score - prior * np.bincount(of_g, minlength=low.size) / g.size)
    again = np.array(again)
    drawn = gaps._resampled_gaps(found, 3000, np.random.default_rng(1))
    assert drawn.std(axis=0) == pytest.approx(again.std(axis=0), rel=0.12)
    assert found.noise == pytest.approx(again.std(axis=0), rel=0.12)
    signs = np.array([1, -1, 1, -1.0])
    spread = (again @ signs).std()
    assert math.sqrt(found.variance_of_sum(signs)) == pytest.approx(spread, rel=0.12)
    assert (drawn @ signs).std() == pytest.approx(spread, rel=0.12)
    assert drawn.mean(axis=0) == pytest.approx(found.gap, abs=0.3 * found.noise.max())


def test_limits_by_hand():
    _, unl, found = many_rows(CC, 0.2)
    z = 1.959963984540054

    def reaches(values, variance, ends):
        """Rows added at both ends of the range, from the definition; the rest in squares."""
        weight = np.append(np.ones(unl.size), [z**2 / 2, z**2 / 2])
        both = np.append(values, ends)
        centre = np.average(both, weights=weight)
        reach = z * math.sqrt(np.average((both - centre) ** 2, weights=weight) / weight.sum())
        own = values.var(ddof=1) / unl.size
        sides = values.mean() - (centre - reach), centre + reach - values.mean()
        rest = z**2 * max(variance - own, 0)
        return [math.sqrt(rest + max(side, z * math.sqrt(own)) ** 2) for side in sides]

    top = found.moments.top
    below, above = reaches(unl, found.variance_of_sum(np.ones(4)), [0.0, top])
    middle = found.gap.sum()
    assert found.signed_limits(0.95) == pytest.approx((middle - below, middle + above), rel=1e-4)
    clear = replace(found, gap=np.array([0.5, -0.5, 0.5, -0.5]))
    signed = unl * np.array([1, -1, 1, -1])[np.ceil(unl * 4).astype(int) - 1]
    below, above = reaches(signed, clear.standard_error**2, [-top, top])
    assert clear.reaches(0.95) == pytest.approx((below, above), rel=1e-4)
    low, high = found.limits(0.95)
    below, above = found.reaches(0.95)
    labels = found.moments.positives[0].sum()
    debiased = gaps.debiased_size(found.gap, found.noise).sum() + 0.1 * found.noise.sum()
    most = found.error - labels / (labels + 20) * max(found.error - debiased, 0)
    least = gaps.split_size(found.gap, found.noise).sum()
    cut = 1 - gaps.reach_factor(most - least, below, above, 0.95)
    factor = 1 - labels / (labels + 20) * cut
    assert high == pytest.approx(max(most + factor * above, found.error))
    assert low == pytest.approx(max(least - factor * below, 0))
    assert below >= z * found.standard_error * (1 - 1e-9)
    # The wider side of the spread counts, whichever it is.
    skewed = np.append(np.arange(101.0), np.full(101, 70.0))
    wide = gaps._reach(skewed, 0.98)
    ends = np.quantile(skewed, [0.01, 0.99])
    assert wide == pytest.approx(skewed.mean() - ends[0])
    assert gaps._reach(-skewed, 0.98) == pytest.approx(wide)


def test_clear_gaps_add_with_their_signs_and_unclear_ones_by_variance():
    _, _, found = many_rows(CC, 0.2)
    far = replace(found, gap=np.array([0.5, -0.5, 0.5, -0.5]))
    assert far.standard_error == pytest.approx(math.sqrt(far.variance_of_sum(np.sign(far.gap))))
    near = replace(found, gap=np.zeros(4))
    assert near.standard_error == pytest.approx(math.sqrt(near.variance.sum()))


def test_bins_without_rows_have_the_score_of_their_middle():
    table = pm.ScoreTable.from_groups(positive=[0.9], unlabeled=[0.1, 0.7], scenario=CC)
    moments = bins.reduce_to_bins(table, np.array([0.25, 0.5, 1.0]))
    found = gaps.bin_gaps(moments, 0.3, 1.0)
    low, high = moments.lower[1], moments.upper[1]
    assert found.mean_score == pytest.approx([0.1, (low + high) / 2, 0.7])
    assert low < found.mean_score[1] < high


def test_sizes_of_a_noisy_gap_have_the_means_they_claim():
    z = np.linspace(-9, 9, 20_001)
    weight = np.exp(-(z**2) / 2)
    weight /= weight.sum()
    for truth in (0.0, 0.3, 1.0, 2.5):
        noise = np.ones(z.size)
        assert weight @ np.abs(truth + z) == pytest.approx(
            folded_mean(np.array([truth]), np.ones(1))[0], abs=1e-6
        )
        assert weight @ split_size(truth + z, noise) <= truth + 1e-9
        bias = weight @ debiased_size(truth + z, noise) - truth
        assert -0.1 < bias < 0.47
        assert abs(bias) < weight @ np.abs(truth + z) - truth or truth > 1
