"""Bounds under biased labels: the law that bounds them, every band, and the public functions."""

from fractions import Fraction
from itertools import pairwise
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.bounds import latent_limits as biased
from puremetrics.bounds import latent_limits as staircase
from puremetrics.bounds.latent_limits import LatentLimits, biased_range, rate_limits, shifted
from puremetrics.exceptions import InputError
from puremetrics.numerics.biased_limits import biased_limits
from puremetrics.setting import LabelBias
from tests.bounds.cases import METHODS, ROWS, cases, prior_of
from tests.oracles import fisher
from tests.programs import load
from tests.small_tables import CC
from tests.yardstick import yards

simulate = load("biased_bounds")

errors = st.sampled_from([0.25, 0.1, 0.025, 0.0005])
gammas = st.sampled_from([1.0, 1.5, 2.0, 4.0, 30.0])
sides = st.sampled_from(["either", "high", "low"])
FUNCTIONS = {
    "confusion_bounds": pm.confusion_bounds,
    "roc_bounds": pm.roc_bounds,
    "pr_bounds": pm.pr_bounds,
    "roc_auc_bounds": pm.roc_auc_bounds,
    "average_precision_bounds": pm.average_precision_bounds,
    "metric_bounds": lambda table, **o: pm.metric_bounds(table, "recall", threshold=0.0, **o),
    "metric_curve_bounds": lambda table, **o: pm.metric_curve_bounds(table, "recall", **o),
    "rank_cdf_band": pm.rank_cdf_band,
}


def _table(seed=0, labelled=40, unlabeled=200, negative=None, scenario=CC):
    rng = np.random.default_rng(seed)
    return pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, labelled),
        unlabeled=np.append(rng.normal(1, 1, unlabeled // 4), rng.normal(0, 1, 3 * unlabeled // 4)),
        negative=None if negative is None else rng.normal(0, 1, negative),
        scenario=scenario,
    )


# ------------------------------------------------------------ the law


@given(st.lists(st.integers(0, 6), min_size=2, max_size=8), st.data())
def test_no_labelling_goes_beyond_the_tails_of_the_law(steps, data):
    """Each positive has odds of its own, in [1, Γ]; the labelled ones in the head, given their number."""
    gamma = Fraction(5, 2)
    odds = [1 + (gamma - 1) * Fraction(step, 6) for step in steps]
    total, marked = len(odds), data.draw(st.integers(0, len(steps)))
    drawn = data.draw(st.integers(0, total))
    truth = fisher.heterogeneous(odds, marked, drawn)
    for k in range(drawn + 1):
        upper = sum((p for x, p in truth.items() if x >= k), Fraction(0))
        lower = sum((p for x, p in truth.items() if x <= k), Fraction(0))
        assert upper <= fisher.at_least(k, total, marked, drawn, gamma)
        assert lower <= fisher.at_most(k, total, marked, drawn, 1 / gamma)
        if sorted(odds, reverse=True) == odds:  # higher scores are never labelled less often
            assert lower <= fisher.at_most(k, total, marked, drawn, Fraction(1))


@given(st.integers(0, 9), st.integers(0, 9), st.data(), gammas)
def test_marked_rows_raise_the_tail_and_others_lower_it(marked, others, data, gamma):
    drawn = data.draw(st.integers(0, marked + others))
    for odds in (Fraction(gamma), 1 / Fraction(gamma)):
        for k in range(drawn + 1):
            tail = fisher.at_least(k, marked + others, marked, drawn, odds)
            assert fisher.at_least(k, marked + others + 1, marked + 1, drawn, odds) >= tail
            assert fisher.at_least(k, marked + others + 1, marked, drawn, odds) <= tail


# ------------------------------------------------------------ the bands


@given(st.integers(1, 8), st.integers(0, 12), st.sampled_from([0.5, 0.9, 0.95]), gammas, sides)
def test_the_exact_band_equals_its_definition(known, latent, level, gamma, side):
    bias = LabelBias(gamma, side)
    low, high = LatentLimits(known, "exact", level, bias=bias)(np.arange(known + 1), latent)
    factors = Fraction(1 if side == "low" else gamma), Fraction(1 if side == "high" else gamma)
    for k in range(known + 1):
        expected = fisher.band(k, known, latent, Fraction((1 - level) / 2), *factors)
        assert (low[k], high[k]) == expected


@pytest.mark.parametrize("few", [0, 4000])  # limits that are all computed
@given(st.integers(1, 30), st.integers(0, 60), st.integers(0, 50), errors, gammas, sides)
def test_limits_of_a_range_equal_those_of_single_numbers(
    few, known, first, more, error, gamma, side
):
    bias = LabelBias(gamma, side)
    heads = np.arange(known + 1.0)
    with mock.patch.object(biased, "_FEW", few):
        low, high = biased_range(heads, known, first, first + more, error, bias)
    latent = np.arange(first, first + more + 1.0)[:, None]
    expected = biased_limits(heads, known, latent, error, bias.down, bias.up)
    assert np.array_equal(low, expected[0])
    assert np.array_equal(high, expected[1])
    for limits in (low, high):  # a staircase
        assert set(np.unique(np.diff(limits, axis=0))) <= {0.0, 1.0}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("side", ["either", "high", "low"])
def test_every_band_is_a_staircase_and_wider_than_without_bias(method, together, side):
    if together and method not in ("exact", "dkw"):
        return
    for known in (1, 7, 40):
        found = [
            LatentLimits(known, method, 0.9, together, LabelBias(gamma, side)).over(
                np.arange(known + 1), np.arange(0.0, 90.0)
            )
            for gamma in (1.0, 1.2, 3.0, 100.0)
        ]
        for low, high, place in found:
            for limits in (low[:, place], high[:, place]):
                assert set(np.unique(np.diff(limits, axis=0))) <= {0.0, 1.0}
        for narrow, wide in pairwise(found):
            assert np.all(wide[0] <= narrow[0])
            assert np.all(wide[1] >= narrow[1])
            assert side != "low" or np.array_equal(wide[0], narrow[0])
            assert side != "high" or np.array_equal(wide[1], narrow[1])


@pytest.mark.parametrize("method", ["clopper_pearson", "dkw", "bootstrap"])
def test_rates_move_by_the_logarithm_of_the_bias(method):
    heads = np.arange(31)
    low, high = rate_limits(heads, 30, method, 0.9)
    lower, upper = shifted(low, high, LabelBias(3.0))
    logit = lambda p: np.log(p / (1 - p))  # noqa: E731
    for before, after, sign in ((low, lower, -1), (high, upper, 1)):
        inside = (before > 0) & (before < 1)
        assert logit(after[inside]) == pytest.approx(logit(before[inside]) + sign * np.log(3.0))
        assert np.array_equal(after[~inside], before[~inside])
    counts = LatentLimits(30, method, 0.9, bias=LabelBias(3.0))(heads, 1000)
    assert counts[0] / 1000 == pytest.approx(lower, abs=1.001e-3)  # rounded outwards
    assert counts[1] / 1000 == pytest.approx(upper, abs=1.001e-3)


# ------------------------------------------------------------ what stands between computed limits


@given(errors, sides, st.integers(0, 10**6))
def test_chords_enclose_the_limits(error, side, seed):
    rng = np.random.default_rng(seed)
    known, first = int(10 ** rng.uniform(0, 5)), int(10 ** rng.uniform(0, 6)) - 1
    bias = LabelBias(float(10 ** rng.uniform(0.02, 3)), side)
    limits = LatentLimits(known, "exact", 1 - 2 * error, bias=bias)
    few = np.arange(min(known, 4) + 1)
    heads = np.unique(np.concatenate([few, known - few, rng.integers(0, known + 1, 5)]))
    ends = limits.anchors(first, first + int(10 ** rng.uniform(0.3, 6)))
    place = int(rng.integers(len(ends) - 1))
    start, stop = ends[place], ends[place + 1]
    at = np.unique(np.linspace(start, stop, 9).round())
    found = biased_limits(heads[None].astype(float), known, at[:, None], error, bias.down, bias.up)
    slack = limits.slack(first)
    for side_of, upper in zip(found, (False, True), strict=True):
        ends_of = side_of[0], side_of[-1]
        around = staircase.chord(at, (start, stop), ends_of, slack, upper=upper)
        gap = (around - side_of) * (1 if upper else -1)
        assert gap.min() >= 0
        assert gap.max() <= 2 * slack + 1


@given(errors, sides, st.integers(0, 10**6))
def test_lines_enclose_the_limits_of_a_narrow_range(error, side, seed):
    rng = np.random.default_rng(seed)
    known, first = int(10 ** rng.uniform(0, 5)), int(10 ** rng.uniform(2.7, 7))
    last = first + int(rng.uniform(0, 6) * first**0.5)
    bias = LabelBias(float(10 ** rng.uniform(0.02, 3)), side)
    limits = LatentLimits(known, "exact", 1 - 2 * error, bias=bias)
    few = np.arange(min(known, 4) + 1)
    heads = np.unique(np.concatenate([few, known - few, rng.integers(0, known + 1, 9)]))
    low, high, place = limits.around(heads, first, last)
    at = np.unique(np.linspace(first, last, 7).round())
    exact = biased_limits(heads[None].astype(float), known, at[:, None], error, bias.down, bias.up)
    part = ((at - first) / max(last - first, 1))[:, None]
    lower, upper = ((end[0] + (end[1] - end[0]) * part)[:, place] for end in (low, high))
    assert np.all(lower <= exact[0] + 1e-9)
    assert np.all(upper >= exact[1] - 1e-9)
    assert np.max(exact[0] - lower) <= 2.6
    assert np.max(upper - exact[1]) <= 2.6


@pytest.mark.parametrize("labelled", [40, 3000])
def test_shortcuts_change_bounds_by_little(labelled, monkeypatch):
    table = _table(labelled=labelled, unlabeled=4000)
    found = pm.roc_auc_bounds(table, prior=0.25, label_bias=2.0)
    monkeypatch.setattr("puremetrics.bounds.latent_limits._AT_ONCE", 10**9)
    monkeypatch.setattr("puremetrics.bounds.latent_limits._AT_MOST_BIASED", 10**9)
    exact = pm.roc_auc_bounds(table, prior=0.25, label_bias=2.0)
    assert found.low <= exact.low + 1e-12
    assert found.high >= exact.high - 1e-12
    assert tuple(found) == pytest.approx(tuple(exact), abs=0.003)


# ------------------------------------------------------------ public functions


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("options", [{}, {"rank_limits": "dkw"}, {"simultaneous": True}], ids=str)
def test_a_bias_of_one_is_none(name, options):
    table = _table()
    expected = FUNCTIONS[name](table, prior=0.25, **options)
    for side in ("either", "high", "low"):
        found = FUNCTIONS[name](table, prior=0.25, label_bias=1, label_bias_side=side, **options)
        assert found == expected


@pytest.mark.parametrize("name", FUNCTIONS)
def test_bias_is_checked(name):
    with pytest.raises(InputError, match=r"label_bias=0\.5 must lie between 1.*Did you mean 2"):
        FUNCTIONS[name](_table(), prior=0.25, label_bias=0.5)
    with pytest.raises(InputError, match="label_bias_side"):
        FUNCTIONS[name](_table(), prior=0.25, label_bias=2, label_bias_side="up")


@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
def test_areas_widen_with_the_bias_on_the_side_that_it_favours(scenario):
    table, known = _table(scenario=scenario), {"prior": 0.35}
    for area in (pm.roc_auc_bounds, pm.average_precision_bounds):
        plain = area(table, **known)
        ends = [area(table, label_bias=gamma, **known) for gamma in (1.5, 3.0, 10.0)]
        for narrow, wide in pairwise([plain, *ends]):
            assert wide.low < narrow.low
            assert wide.high >= narrow.high
        high = area(table, label_bias=3.0, label_bias_side="high", **known)
        low = area(table, label_bias=3.0, label_bias_side="low", **known)
        assert high.low == pytest.approx(ends[1].low, abs=0.002)
        assert low.high == pytest.approx(ends[1].high, abs=0.002)
        assert high.high == pytest.approx(plain.high, abs=0.002)
        assert low.low == pytest.approx(plain.low, abs=0.002)


@given(cases(negatives=False), st.sampled_from([0.5, 0.9]), gammas, sides)
def test_tables_have_as_many_latent_positives_as_the_law_allows(case, level, gamma, side):
    data, scenario, latent = case
    if scenario != CC:
        return
    bias = {"label_bias": gamma, "label_bias_side": side}
    bounds = pm.confusion_bounds(
        data.table(scenario),
        prior=prior_of(data, scenario, latent),
        confidence_level=level,
        **bias,
        **ROWS,
    )
    factors = Fraction(1 if side == "low" else gamma), Fraction(1 if side == "high" else gamma)
    for i, threshold in enumerate(bounds.lower.threshold):
        k, reached = (sum(s >= threshold for s in group) for group in (data.pos, data.unl))
        ends = fisher.band(k, len(data.pos), latent, Fraction((1 - level) / 2), *factors)
        least, most = max(latent - (len(data.unl) - reached), 0), min(reached, latent)
        low, high = (min(max(x, least), most) for x in ends)
        assert (bounds.lower.tp[i], bounds.upper.tp[i]) == (low, high)


def test_known_negatives_stay_a_random_sample():
    table = _table(negative=60)
    for area in (pm.roc_auc_bounds, pm.average_precision_bounds):
        plain = area(table, prior=0.25, basis="negatives")
        assert area(table, prior=0.25, basis="negatives", label_bias=5) == plain
        both = area(table, prior=0.25, basis="tightest", label_bias=5)
        assert both.width <= min(plain.width, area(table, prior=0.25, label_bias=5).width)


def test_a_band_says_by_how_much_ranks_may_differ():
    table = _table()
    plain = pm.rank_cdf_band(table, rank_limits="clopper_pearson")
    wide = pm.rank_cdf_band(table, rank_limits="clopper_pearson", label_bias=2.0)
    assert wide.lower == pytest.approx(plain.lower / (2 - plain.lower))
    assert wide.upper == pytest.approx(2 * plain.upper / (1 + plain.upper))
    one = pm.rank_cdf_band(table, prior=0.25, label_bias=2.0, label_bias_side="high")
    assert np.array_equal(one.upper, pm.rank_cdf_band(table, prior=0.25).upper)
    assert np.all(one.lower <= pm.rank_cdf_band(table, prior=0.25).lower)


@pytest.mark.parametrize("prior", [0.3, (0.001, 0.9)])
@pytest.mark.parametrize("count", [10**6, 10**9, 10**12])
def test_huge_counts_take_no_longer(prior, count):
    table = pm.ScoreTable.from_counts(
        score=[3.0, 2.0, 1.0, 0.0],
        n_pos=[count // 10, count // 100, 7, 1],
        n_unl=[count // 9, count, 3 * count, 5],
        scenario=CC,
    )

    def both():
        for gamma in (1.5, 1e6):
            found = pm.roc_auc_bounds(table, prior=prior, label_bias=gamma)
            assert 0 <= found.low <= found.high <= 1
            pm.average_precision_bounds(table, prior=prior, label_bias=gamma)

    assert yards(both) < 300  # some 4 when this was written


# ------------------------------------------------------------ coverage


@pytest.mark.slow
@pytest.mark.parametrize(
    "world",
    [
        simulate.World("case_control", "step", 4.0),
        simulate.World("case_control", "smooth", 1.5),
        simulate.World("single_training_set", "step", 2.0),
        simulate.World("single_training_set", "reversed step", 4.0),
    ],
    ids=str,
)
def test_bounds_cover_the_truth_under_biased_labels(world):
    repeats = 100
    covered = world.coverage(repeats, seed=7)
    slack = 3 * (0.95 * 0.05 / repeats) ** 0.5
    for name in simulate.NAMES:
        assert covered[name] >= 0.95 - slack, name
    if world.gamma == 4.0:
        assert covered[f"rates, {simulate.RANDOM}"] < 0.2
