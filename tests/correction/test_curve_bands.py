"""Bands of ROC and precision-recall curves: against the definition, and what every band promises."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.correction import curve_bands
from puremetrics.correction.curve_bands import _Places, critical_value
from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.setting import Setting
from tests.correction.cases import cases
from tests.oracles import bands as oracle
from tests.small_tables import CC, SINGLE, tables

KINDS = ("pointwise", "simultaneous")
CURVES = (pm.roc_curve, pm.pr_curve)


def drawn(scenario, seed=0, labelled=40, rows=400, ties=False, prior=0.3):
    rng = np.random.default_rng(seed)
    positive = rng.random(rows) < prior
    score = rng.normal(size=rows) + 1.5 * positive
    labels = rng.normal(1.5, 1, labelled)
    if scenario == SINGLE:
        chosen = positive & (rng.random(rows) < labelled / (prior * rows))
        labels, score = score[chosen], score[~chosen]
    if ties:
        labels, score = np.round(labels, 0), np.round(score, 0)
    return labels, score


def table_of(scenario, **options):
    labels, score = drawn(scenario, **options)
    return pm.ScoreTable.from_groups(positive=labels, unlabeled=score, scenario=scenario)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_edges_are_those_of_all_points_that_are_kept(scenario, ties, monkeypatch):
    labels, score = drawn(scenario, labelled=12, rows=60, ties=ties)
    table = pm.ScoreTable.from_groups(positive=labels, unlabeled=score, scenario=scenario)
    prior = 0.35
    steps = 40 if ties else 4
    kept = oracle.kept(labels, score, scenario == SINGLE, prior, 1.959964, steps=steps)
    rough = pm.roc_curve(table, prior=prior, band="pointwise").band
    monkeypatch.setattr(curve_bands, "_ANGLES", 61)
    fine = pm.roc_curve(table, prior=prior, band="pointwise").band
    for fpr in (0.05, 0.1, 0.2, 0.35, 0.5, 0.8):
        expected = oracle.limits(kept, fpr)
        for band, near in ((fine, 0.003), (rough, 0.04)):
            found = [np.interp(fpr, band.x, edge) for edge in (band.low, band.high)]
            assert found == pytest.approx(expected, abs=near)


@given(cases(), st.sampled_from(KINDS))
def test_bands_are_possible_and_hold_the_curve(case, kind):
    data, scenario, prior, purity = case
    table = data.table(scenario)
    known = {"prior": prior, "purity": purity, "band": kind}
    roc, pr = (curve(table, **known) for curve in CURVES)
    for curve in (roc, pr):
        band = curve.band
        assert np.all((band.low >= 0) & (band.low <= band.high) & (band.high <= 1))
        assert np.all(np.diff(band.x) > 0)
    assert np.all(np.diff(roc.band.low) >= -1e-9)
    assert np.all(np.diff(roc.band.high) >= -1e-9)
    height = np.interp(roc.band.x, roc.x, roc.y)
    assert np.all((roc.band.low <= height + 1e-9) & (height <= roc.band.high + 1e-9))
    step = pr.y[np.minimum(np.searchsorted(pr.x, pr.band.x - 1e-12), pr.x.size - 1)]
    assert np.all((pr.band.low <= step + 1e-9) & (step <= pr.band.high + 1e-9))
    again = pm.roc_curve(table.cut(), **known).band
    assert np.allclose(again.low, roc.band.low, atol=1e-9)
    assert np.allclose(again.high, roc.band.high, atol=1e-9)


def inside(inner, outer):
    return bool(
        np.all((outer.low <= inner.low + 1e-9) & (inner.high <= outer.high + 1e-9))
        and np.any(outer.high - outer.low > inner.high - inner.low + 1e-6)
    )


@pytest.mark.parametrize("scenario", [CC, SINGLE])
@pytest.mark.parametrize("curve", CURVES, ids=["roc", "pr"])
def test_what_is_less_certain_is_wider(curve, scenario):
    table = table_of(scenario)

    def band(**options):
        known = {"prior": 0.3, "band": "pointwise"} | options
        return curve(table, **known).band

    plain = band()
    assert inside(plain, band(band="simultaneous"))
    assert inside(plain, band(confidence_level=0.99))
    assert inside(plain, band(label_bias=2.0))
    for known, open_ in (
        (plain, band(prior=(0.2, 0.4))),
        (band(purity=0.9), band(purity=(0.85, 0.95))),
    ):
        assert np.all(open_.high - open_.low >= known.high - known.low - 1e-9)
    assert plain.holds == "confidence"
    assert band(prior=(0.2, 0.4)).holds == "combined"


@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_rows_that_count_for_fewer_make_bands_wider(scenario):
    labels, score = drawn(scenario)
    y = np.r_[np.ones(labels.size, int), np.zeros(score.size, int)]
    scores = np.r_[labels, score]
    place = np.argsort(scores)
    groups = np.empty(y.size, int)
    groups[place] = np.arange(y.size) // 8  # neighbours of a score belong together
    known = {"scenario": scenario}
    alone = pm.ScoreTable.from_arrays(y, scores, **known)
    grouped = pm.ScoreTable.from_arrays(y, scores, groups=groups, **known)
    weight = np.random.default_rng(1).exponential(size=y.size)
    even = pm.ScoreTable.from_arrays(y, scores, sample_weight=np.full(y.size, 3.0), **known)
    uneven = pm.ScoreTable.from_arrays(y, scores, sample_weight=weight, **known)
    plain, apart, same, fewer = (
        pm.roc_curve(table, prior=0.3, band="pointwise").band
        for table in (alone, grouped, even, uneven)
    )
    width = float(np.mean(plain.high - plain.low))
    assert np.mean(apart.high - apart.low) > 1.1 * width
    assert np.allclose(same.low, plain.low, atol=1e-9)
    assert np.mean(fewer.high - fewer.low) > 1.1 * width


def test_known_negatives_narrow_the_band():
    labels, score = drawn(SINGLE)
    rng = np.random.default_rng(3)
    few, more = (
        pm.roc_curve(
            pm.ScoreTable.from_groups(
                positive=labels, unlabeled=score, negative=rng.normal(size=n), scenario=SINGLE
            ),
            prior=0.3 * 400 / (400 + n), band="pointwise",
        ).band
        for n in (1, 4000)
    )  # fmt: skip
    assert np.mean(more.high - more.low) < np.mean(few.high - few.low)


def test_all_rows_labelled_gives_a_band_of_both_classes():
    labels, _ = drawn(CC)
    rng = np.random.default_rng(5)
    table = pm.ScoreTable.from_groups(
        positive=labels, unlabeled=None, negative=rng.normal(size=50), scenario=CC
    )
    band = pm.roc_curve(table, prior=0.3, band="pointwise").band
    assert 0 < np.mean(band.high - band.low) < 0.5


def test_bands_of_scanned_buckets_hold_those_of_the_rows():
    labels, score = drawn(CC)
    exact = pm.ScoreTable.from_groups(positive=labels, unlabeled=score, scenario=CC)
    edges = np.arange(-4, 6, 0.5)
    counts = [np.histogram(rows, np.append(edges, 6.0))[0][::-1] for rows in (labels, score)]
    bucketed = pm.ScoreTable.from_counts(
        edges[::-1], n_pos=counts[0], n_unl=counts[1], scenario=CC, resolution=0.5
    )
    inner, outer = (
        pm.roc_curve(table, prior=0.3, band="pointwise").band for table in (exact, bucketed)
    )
    assert np.mean(outer.high - outer.low) > np.mean(inner.high - inner.low)
    assert np.all(outer.low <= inner.low + 0.02)
    assert np.all(outer.high >= inner.high - 0.02)


def test_a_band_says_what_it_promises_and_becomes_json():
    curve = pm.roc_curve(tables()[CC], prior=0.4, band="simultaneous")
    assert "95% simultaneous band, for the whole curve at once" in str(curve)
    assert str(curve.band).startswith("Band of true positive rate against false positive rate")
    assert list(curve.band.frame()) == ["false positive rate", "low", "high"]
    held = json.loads(json.dumps(curve.to_dict()))["band"]
    assert held["kind"] == "simultaneous"
    assert held["low"] == curve.band.low.tolist()
    assert pm.roc_curve(tables()[CC], prior=0.4).band is None
    assert "separately" in str(pm.pr_curve(tables()[CC], prior=0.4, band="pointwise"))


def test_what_has_no_band_gets_a_sentence():
    with pytest.raises(InputError, match="'pointwise'"):
        pm.roc_curve(tables()[CC], prior=0.4, band="wide")
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_arrays(
        [1, 1, 1, 0, 0, 0, 0, 0], rng.normal(size=8), scenario=SINGLE,
        propensity=[0.5, 0.9, 0.8, *[0.5] * 5],
    )  # fmt: skip
    with pytest.raises(UnsupportedError, match="two weights of a labelled row"):
        pm.roc_curve(table, prior=0.6, band="pointwise")


def test_the_critical_value_is_that_of_drawn_samples():
    """Of one sample against a population that is known: the largest standardised error of its heads."""
    rng = np.random.default_rng(7)
    labels, score = rng.normal(1.5, 1, 300), rng.normal(size=1_000_000)
    setting = Setting.of(
        pm.ScoreTable.from_groups(positive=labels, unlabeled=score, scenario=CC), 0.001
    )
    places = _Places.of(setting.samples)
    few = places.pos[(places.pos > 0.02) & (places.pos < 0.98)]
    draws = np.sort(rng.random((2000, 300)), axis=1)
    heads = np.array([np.searchsorted(draw, few) for draw in draws]) / 300
    largest = (np.abs(heads - few) / np.sqrt(few * (1 - few) / 300)).max(axis=1)
    found = critical_value(setting, places)
    assert np.quantile(largest, 0.95) - 0.1 < found < np.quantile(largest, 0.95) + 0.35


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_bands_hold_the_curve_of_the_population(scenario):
    from tests.programs import load

    program = load("simulate_bands")
    world = program.World(scenario, 0.85, 0.3, 60, 2000)
    found, wide = program.coverage((9, world, 60))
    assert np.all(found >= 0.93 - 3 * (0.93 * 0.07 / 60) ** 0.5)
    assert np.all(wide < 8)
