"""Bounds over a range of latent positives are extremes over every number in it."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.bounds import contingency as extremes
from puremetrics.bounds import contingency as numbers
from puremetrics.bounds import latent_limits as limits
from puremetrics.bounds.contingency import SIDES, LatentChoice, whole_heads
from puremetrics.numerics.formulas import METRICS
from tests.bounds import enumeration
from tests.bounds.cases import ROWS, cases, choice_of, prior_of
from tests.small_tables import CC


@pytest.mark.parametrize("name", sorted(METRICS))
def test_metrics_move_as_the_proof_says(name):
    """With a positive more in the head, or one fewer in the tail, no metric gets worse."""
    sign = -1 if METRICS[name].smaller_is_better else 1
    options = {"beta": 2.0} if name == "fbeta" else {}

    def value(*entries):
        found = sign * float(METRICS[name](*entries, **options))
        return None if np.isnan(found) else found

    for tp, fp, fn, tn in product(range(5), repeat=4):
        here = value(tp, fp, fn, tn)
        better = [(tp, fp, fn - 1, tn + 1), (tp + 1, fp - 1, fn - 1, tn + 1)]
        if name != "pseudo_f":
            better.append((tp + 1, fp - 1, fn, tn))
        for entries in better:
            there = value(*entries) if min(entries) >= 0 else None
            if here is not None and there is not None:
                assert there >= here - 1e-12, (tp, fp, fn, tn)


def test_all_metrics_are_tried():
    assert set(METRICS) == {*enumeration.METRICS, "fbeta"}


@st.composite
def ranges(draw, max_size=9):
    """A table, its scenario, and a range of latent positives that leaves both classes."""
    data, scenario, low = draw(cases(max_size=max_size))
    both = scenario == "case_control" or not data.neg
    high = draw(st.integers(low, max(len(data.unl) - both, low)))
    assume(scenario != "case_control" or high < len(data.unl))
    return data, scenario, low, high


def ends_of(data, scenario, low, high):
    return prior_of(data, scenario, low), prior_of(data, scenario, high)


@given(ranges(), st.sampled_from(sorted(enumeration.METRICS)), st.sampled_from([0.5, 0.8, 0.95]))
def test_metrics_are_extremes_over_all_possible_tables(case, name, level):
    data, scenario, low, high = case
    known = {"prior": ends_of(*case), "confidence_level": level, **ROWS}
    table = data.table(scenario)
    curve = pm.metric_curve_bounds(table, name, **known)
    own = pm.metric_curve_bounds(table, lambda *entries: METRICS[name](*entries), **known)
    for i, threshold in enumerate(curve.lower.x):
        possible = list(enumeration.tables(*data, threshold, range(low, high + 1), level, scenario))
        values = [enumeration.METRICS[name](*entries) for entries in possible]
        expected = min(values), max(values)
        if np.isnan(values).any():
            assert np.isnan(curve.lower.y[i])
            continue
        assert (curve.lower.y[i], curve.upper.y[i]) == pytest.approx(expected, abs=1e-12)
        assert (own.lower.y[i], own.upper.y[i]) == pytest.approx(expected, abs=1e-12)
        if np.isfinite(threshold):
            for metric in (name, lambda *entries: METRICS[name](*entries)):
                own_risk = {"threshold_probability": 0.5} if metric == "net_benefit" else {}
                found = pm.metric_bounds(
                    table, metric, threshold=float(threshold), **known, **own_risk
                )
                assert tuple(found) == pytest.approx(expected, abs=1e-12)


@given(ranges(), st.sampled_from([0.5, 0.95]))
def test_tables_have_the_extreme_false_positive_rates(case, level):
    data, scenario, low, high = case
    known = {"prior": ends_of(*case), "confidence_level": level, **ROWS}
    found = pm.confusion_bounds(data.table(scenario), **known)
    for i, threshold in enumerate(found.lower.threshold):
        possible = set(enumeration.tables(*data, threshold, range(low, high + 1), level, scenario))
        rates = [fp / (fp + tn) for _, fp, _, tn in possible]
        for counts, expected in ((found.upper, min(rates)), (found.lower, max(rates))):
            entries = tuple(float(getattr(counts, key)[i]) for key in ("tp", "fp", "fn", "tn"))
            assert entries in possible
            assert entries[1] / (entries[1] + entries[3]) == pytest.approx(expected)


@given(ranges(max_size=6), st.sampled_from(["positives", "negatives"]))
def test_areas_hold_for_every_number_of_latent_positives(case, basis):
    data, scenario, low, high = case
    assume(basis == "positives" or data.neg)
    table = data.table(scenario)
    known = {"confidence_level": 0.7, "basis": basis, **ROWS}
    wide = pm.roc_auc_bounds(table, prior=ends_of(*case), **known)
    for latent in range(low, high + 1):
        one = pm.roc_auc_bounds(table, prior=prior_of(data, scenario, latent), **known)
        assert wide.low <= one.low + 1e-12
        assert wide.high >= one.high - 1e-12


def few(monkeypatch, count):
    """Look at a few numbers of latent positives only, and at a few limits, as in large tables."""

    def nodes(self, heads, cells=0, most=0):
        return np.unique(np.linspace(self.low, self.high, count).round())

    monkeypatch.setattr(LatentChoice, "nodes", nodes)  # curves have nodes of their own
    monkeypatch.setattr(limits, "_AT_ONCE", 0)
    monkeypatch.setattr(limits, "_AT_MOST", 0)


def middling(rng, scenario, negatives):
    shape = int(rng.integers(5, 60)), int(rng.integers(60, 300))
    return pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, shape[0]),
        unlabeled=rng.normal(size=shape[1]) + (rng.random(shape[1]) < 0.3),
        negative=rng.normal(size=negatives) if negatives else None,
        scenario=scenario,
    )


@pytest.mark.parametrize("seed", range(60))
def test_few_numbers_of_latent_positives_enclose_all_of_them(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    scenario = ("case_control", "single_training_set")[seed % 2]
    table = middling(rng, scenario, 30 if seed % 4 > 1 else 0)
    basis = ("positives", "negatives")[seed % 4 > 1]
    low = table.design.prior_limits(table.totals)[0] + 0.1
    prior = (low, low + float(rng.uniform(0.02, 0.3)))
    known = {"prior": prior, "basis": basis, **ROWS}
    threshold = float(np.median(table.score))

    def everything():
        intervals = [
            pm.roc_auc_bounds(table, **known),
            pm.average_precision_bounds(table, **known),
            *(
                pm.metric_bounds(table, n, threshold=threshold, **known)
                for n in ("mcc", "f1", "pseudo_f")
            ),
        ]
        curve = pm.metric_curve_bounds(table, "mcc", **known)
        band = pm.rank_cdf_band(table, prior=prior, **ROWS)
        counts = pm.confusion_bounds(table, **known)
        rates = [c.fp / (c.fp + c.tn) for c in (counts.upper, counts.lower)]
        roc = pm.roc_bounds(table, **known)
        grid = np.linspace(0, 1, 101)[1:-1]
        heights = [np.interp(grid, c.x, c.y) for c in (roc.lower, roc.upper)]
        lower = [i.low for i in intervals], curve.lower.y, band.lower, rates[0], heights[0]
        upper = [i.high for i in intervals], curve.upper.y, band.upper, rates[1], heights[1]
        return np.concatenate(lower), np.concatenate(upper)

    monkeypatch.setattr("puremetrics.bounds.areas.tied_precision_bounds", lambda choice: None)
    exact = everything()
    few(monkeypatch, 9)
    monkeypatch.setattr("puremetrics.bounds.bands.spread", lambda a, b, *_: np.unique(
        np.linspace(a, b, 9).round()))  # fmt: skip
    loose = everything()
    assert np.array_equal(np.isnan(loose), np.isnan(exact))
    assert np.nanmax(loose[0] - exact[0]) <= 1e-12
    assert np.nanmin(loose[1] - exact[1]) >= -1e-12
    wider = np.nansum(loose[1] - loose[0]) / np.nansum(exact[1] - exact[0])
    assert 1 <= wider < 1.15


def test_a_range_that_nine_numbers_missed():
    """Extremes lie between evenly spaced numbers of latent positives."""
    rng = np.random.default_rng(5)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(2, 1, 30), unlabeled=rng.normal(0.5, 1, 200), scenario=CC
    )
    known = {"prior": (0.05, 0.6), **ROWS}
    curve = pm.metric_curve_bounds(table, "mcc", **known)
    for i in range(9, curve.lower.x.size - 1, 7):
        threshold = float(curve.lower.x[i])
        each = [
            pm.metric_bounds(table, "mcc", threshold=threshold, prior=m / 200, **ROWS)
            for m in range(10, 121)
        ]
        expected = min(e.low for e in each), max(e.high for e in each)
        found = pm.metric_bounds(table, "mcc", threshold=threshold, **known)
        assert tuple(found) == pytest.approx(expected, abs=1e-12)
        assert (curve.lower.y[i], curve.upper.y[i]) == pytest.approx(expected, abs=1e-12)


def test_corners_of_single_steps_are_the_tables_themselves():
    table = middling(np.random.default_rng(1), CC, 0)
    choice = choice_of(table, (0.2, 0.4))
    heads = whole_heads(table)
    ((_, sides),) = extremes.corner_tables(choice, heads)
    for side, entries in zip(SIDES, sides, strict=True):
        assert entries[0].shape == (choice.high - choice.low + 1, heads.unl.size)
        for i, latent in enumerate(range(choice.low, choice.high + 1)):
            one = choice.entries(heads, choice.x(heads, latent, side), latent)
            assert all(np.array_equal(a, np.broadcast_to(b[i], a.shape)) for a, b in
                       zip(one, np.broadcast_arrays(*entries), strict=True))  # fmt: skip


def test_numbers_are_spread_evenly_only_if_they_are_too_many():
    assert numbers.spread(5, 5, 5, 10, 7).tolist() == [5]
    assert numbers.spread(3, 1002, 500, 50, 20).tolist() == list(range(3, 1003))  # 20,000 tables
    some = numbers.spread(3, 1003, 500, 50, 20)
    assert (some[0], some[-1]) == (3, 1003)
    assert some.size == 1000
    # With many heads, as many as keep the enclosure within 4% of the distance of the limits.
    many = numbers.spread(900, 1100, 1000, 200, 10_000)
    assert many.size == 1 + np.ceil(200 / (0.04 * 2 * 1.96 * np.sqrt(1000 * 6)))
    assert numbers.spread(0, 10**6, 10**6, 10, 10**9).size == 9
