"""How many positives are among the first unlabeled rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.listing.discovery import grid_of
from tests.correction.cases import cases
from tests.oracles import top
from tests.small_tables import CC, SINGLE


def drawn(scenario, seed=0, rows=2000, ties=False):
    """A table, and the hidden truth of its unlabeled rows: whether positive, and their scores."""
    rng = np.random.default_rng(seed)
    positive = rng.random(rows) < 0.2
    score = rng.normal(size=rows) + 2 * positive
    score = np.round(score, 1) if ties else score
    if scenario == SINGLE:
        labelled = positive & (rng.random(rows) < 0.4)
        table = pm.ScoreTable.from_arrays(labelled.astype(int), score, scenario=scenario)
        return table, positive[~labelled], score[~labelled]
    labels = rng.normal(2, 1, 150)
    labels = np.round(labels, 1) if ties else labels
    table = pm.ScoreTable.from_groups(positive=labels, unlabeled=score, scenario=scenario)
    return table, positive, score


@given(cases())
def test_curves_are_possible(case):
    data, scenario, prior, purity = case
    if not data.unl:
        return
    table = data.table(scenario)
    curve = pm.discovery_curve(table, prior=prior, purity=purity)
    steps, finds = np.diff(curve.rows), np.diff(curve.finds)
    assert curve.rows[0] == 0
    assert curve.rows[-1] == len(data.unl)
    assert np.all(finds >= -1e-9)
    assert np.all(finds <= steps + 1e-9)
    assert np.all((curve.low >= 0) & (curve.low <= curve.finds + 1e-12))
    assert np.all((curve.finds <= curve.high + 1e-12) & (curve.high <= curve.rows))
    total = len(data.pos) + len(data.unl) + len(data.neg)
    hidden = prior * len(data.unl)
    if scenario == SINGLE:
        hidden = prior * total - purity * len(data.pos)
    assert curve.positives == pytest.approx(min(max(hidden, 0), purity * len(data.unl)), abs=1e-6)
    again = pm.discovery_curve(table.cut(), prior=prior, purity=purity)
    assert np.allclose(curve.finds, again.finds, atol=1e-9)
    assert np.allclose(curve.high, again.high, atol=1e-9)


@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_finds_are_the_positives_above_the_score_where_that_is_possible(scenario):
    table, _, score = drawn(scenario)
    prior = 0.2
    curve = pm.discovery_curve(table, prior=prior, rows=[700, 900])
    labelled = table.scores_of("pos", np.arange(1, table.total_pos + 1))
    cut = np.sort(score)[::-1][899]
    hidden = prior * table.total_unl
    if scenario == SINGLE:
        hidden = prior * table.total - table.total_pos
    plain = hidden * np.mean(labelled >= cut)
    assert float(curve.at(900)) == pytest.approx(plain, rel=0.03)


@pytest.mark.parametrize("scenario", [CC, SINGLE])
@pytest.mark.parametrize("ties", [False, True])
def test_bands_hold_what_checking_finds(scenario, ties):
    held = []
    for seed in range(40):
        table, positive, score = drawn(scenario, seed, 500, ties)
        curve = pm.discovery_curve(table, prior=0.2, rows=[25, 100, 250])
        for rows in (25, 100, 250):
            found = top.discoveries(list(positive), list(score), rows)
            interval = curve.at(rows).interval
            held.append(interval.low - 1e-9 <= found <= interval.high + 1e-9)
    assert np.mean(held) >= 0.93


def test_rows_to_find_turns_the_curve_round():
    table, _, _ = drawn(CC)
    curve = pm.discovery_curve(table, prior=0.2)
    for wanted in (1, 50, 200.5):
        found = curve.rows_to_find(wanted)
        assert float(curve.at(found.value)) == pytest.approx(wanted)
        assert found.interval.low <= found.value <= found.interval.high
        assert curve.at(found.interval.high).interval.low == pytest.approx(wanted)
    assert curve.rows_to_find(390).interval.high == np.inf
    assert curve.rows_to_find(10_000).value == np.inf
    assert curve.rows_to_find(390).to_dict()["interval"]["high"] is None
    assert "Checking the 100 best unlabeled rows would find" in str(curve)
    with pytest.raises(InputError, match="above 0"):
        curve.rows_to_find(0)
    with pytest.raises(InputError, match="2000 unlabeled"):
        curve.at(2001)


def test_ranges_and_biased_labels_widen():
    table, _, _ = drawn(SINGLE)
    plain = pm.discovery_curve(table, prior=0.2)
    for options in ({"prior": (0.15, 0.25)}, {"prior": 0.2, "label_bias": 2.0}):
        wide = pm.discovery_curve(table, **options)
        assert np.all(wide.low <= plain.low + 1e-9)
        assert np.all(wide.high >= plain.high - 1e-9)
        assert wide.kind == "combined"
    biased = pm.discovery_curve(table, prior=0.2, label_bias=2.0, label_bias_side="high")
    assert np.all(
        biased.bias_high <= np.maximum(plain.finds, biased.finds) + 1e-6 * plain.unlabeled
    )
    assert plain.bias_low is None


def test_what_cannot_be_told_is_refused():
    labelled = pm.ScoreTable.from_groups(positive=[2, 1], unlabeled=None, negative=[0], scenario=CC)
    with pytest.raises(UnsupportedError, match="no unlabeled rows"):
        pm.discovery_curve(labelled)
    y, s = [1, 1, 0, 0, 0], [5, 3, 4, 2, 1]
    weighed = pm.ScoreTable.from_arrays(y, s, scenario=SINGLE, propensity=[0.5, 0.2, 1, 1, 1])
    with pytest.raises(UnsupportedError, match="two weights of a labelled row"):
        pm.discovery_curve(weighed, prior=0.6)
    table, _, _ = drawn(CC)
    for rows in (0, 5000, [3, -1]):
        with pytest.raises(InputError, match="not a number of rows"):
            pm.discovery_curve(table, prior=0.2, rows=rows)


@given(st.integers(1, 10**8))
def test_grids_are_short_and_whole(total):
    grid = grid_of(float(total), np.empty(0))
    assert grid.size < 260
    assert grid[0] == 0
    assert grid[-1] == total
    assert np.all(grid == np.round(grid))


@pytest.mark.parametrize("scenario", [CC, SINGLE])
@pytest.mark.parametrize("purity", [1.0, 0.9])
def test_limits_of_all_numbers_at_once_hold_those_of_each(scenario, purity):
    table, _, _ = drawn(scenario)
    known = {"prior": 0.2, "purity": purity}
    each, every = (
        pm.discovery_curve(table, band=band, **known) for band in ("pointwise", "simultaneous")
    )
    assert np.array_equal(each.finds, every.finds)
    assert np.all((every.low <= each.low + 1e-9) & (each.high <= every.high + 1e-9))
    width = float(np.mean(every.high - every.low) / np.mean(each.high - each.low))
    assert 1.2 < width < 2.0
    assert every.level == each.level == 0.95
    assert "at all numbers of rows at once" in str(every)
    assert "at each number of rows by itself" in str(each)
    with pytest.raises(InputError, match="'simultaneous'"):
        pm.discovery_curve(table, prior=0.2, band="both")


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_all_numbers_are_held_at_once(scenario):
    held = []
    for seed in range(60):
        table, positive, score = drawn(scenario, seed, rows=1000)
        curve = pm.discovery_curve(table, prior=0.2, band="simultaneous")
        order = np.argsort(-score, kind="stable")
        found = np.concatenate([[0.0], np.cumsum(positive[order])])[curve.rows.astype(int)]
        held.append(np.all((curve.low <= found + 1e-9) & (found <= curve.high + 1e-9)))
    assert np.mean(held) >= 0.93 - 3 * (0.93 * 0.07 / 60) ** 0.5
