"""The Boyce index, window by window from its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression
from scipy.stats import spearmanr

import puremetrics as pm
from puremetrics.exceptions import UnsupportedError
from puremetrics.listing.boyce import _rising
from tests.small_tables import CC, SINGLE

SCORES = st.floats(0, 1).map(lambda x: round(x, 4) + 0.00003)


def by_window(pos, unl, scenario):
    """Counts in a hundred and one windows, the last one closed above; half a row added to both."""
    background = [*unl, *pos] if scenario == SINGLE else list(unl)
    every = [*pos, *unl]
    low, high = min(every), max(every)
    middles, ratios = [], []
    for step in range(101):
        start = low + (high - low) * 0.9 * step / 100
        end = start + (high - low) * 0.1
        on_edge = any(
            abs(s - edge) < 1e-9 for s in every for edge in (start, end) if 0 < step < 100
        )
        if on_edge:
            return None  # which side of an edge a score is on would be decided by rounding
        p, e = (
            sum(1 for s in group if start <= s and (s < end or step == 100))
            for group in (pos, background)
        )
        if p + e == 0:
            continue
        middles.append(step)
        ratio = (p + 0.5) / (len(pos) + 1) / ((e + 0.5) / (len(background) + 1))
        ratios.append(float(f"{ratio:.12g}"))
    return spearmanr(middles, ratios).statistic if len(set(ratios)) > 1 else np.nan


@given(
    st.lists(SCORES, min_size=1, max_size=15),
    st.lists(SCORES, min_size=2, max_size=40),
    st.sampled_from([CC, SINGLE]),
)
def test_every_window_counts(pos, unl, scenario):
    if len({*pos, *unl}) < 2:
        return
    table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario=scenario)
    found = pm.boyce_index(table, n_resamples=2)
    expected = by_window(pos, unl, scenario)
    if expected is None:
        return
    if np.isnan(expected):
        assert np.isnan(found.value)
    else:
        assert found.value == pytest.approx(expected, abs=1e-9)


def test_the_highest_scores_count():
    """The window that reference code drops: all presences at the very top."""
    background = np.linspace(0, 1, 400)
    top = pm.ScoreTable.from_groups(positive=np.ones(300), unlabeled=background, scenario=CC)
    assert pm.boyce_index(top).value > 0.03
    bottom = pm.ScoreTable.from_groups(positive=np.zeros(300), unlabeled=background, scenario=CC)
    assert pm.boyce_index(bottom).value < -0.03


def test_few_presences_are_told_and_bias_is_as_said():
    rng = np.random.default_rng(0)
    means = {}
    for labels in (20, 50, 200):
        found = [
            pm.boyce_index(
                pm.ScoreTable.from_groups(
                    positive=rng.beta(2, 1, labels), unlabeled=rng.random(5000), scenario=CC
                ),
                n_resamples=2,
            )
            for _ in range(40)
        ]
        means[labels] = np.mean([one.value for one in found])
        assert any(d.code == "PM113" for d in found[0].diagnostics) == (labels < 200)
    assert means[20] < means[50] < means[200]
    assert means[200] > 0.9


def test_what_is_undefined_or_cut_is_told():
    same = pm.ScoreTable.from_groups(positive=[1.0], unlabeled=[1.0, 1.0], scenario=CC)
    found = pm.boyce_index(same)
    assert np.isnan(found.value)
    assert found.diagnostics[0].code == "PM103"
    with pytest.raises(UnsupportedError, match="cut"):
        pm.boyce_index(same.cut())


def rising(seed, labelled, unlabeled=1000):
    """Presences twice as dense as the background at the top, and absent at the bottom."""
    rng = np.random.default_rng(seed)
    return pm.ScoreTable.from_groups(
        positive=np.sqrt(rng.random(labelled)), unlabeled=rng.random(unlabeled), scenario=CC
    )


def test_a_monotone_ratio_takes_most_of_the_bias_of_few_presences():
    tables = [rising(seed, 30) for seed in range(30)]
    plain, smooth = (
        [pm.boyce_index(table, smoothing=how, n_resamples=100) for table in tables]
        for how in ("none", "monotone")
    )
    assert np.mean([found.value for found in plain]) < 0.8
    assert np.mean([found.value for found in smooth]) > 0.85
    for found in (*plain, *smooth):
        assert found.interval.low <= found.value <= found.interval.high
    assert np.mean([found.interval.high == 1.0 for found in plain]) >= 0.8  # the truth is 1
    assert "smoothing='monotone'" in plain[0].diagnostics[0].message
    assert smooth[0].method == "monotone windows"


def test_a_ratio_that_rises_and_falls_is_not_smoothed_away():
    rng = np.random.default_rng(2)
    table = pm.ScoreTable.from_groups(
        positive=rng.beta(8, 8, 600), unlabeled=rng.random(4000), scenario=CC
    )
    found = pm.boyce_index(table, smoothing="monotone")
    assert found.value == pytest.approx(pm.boyce_index(table).value, abs=1e-12)
    assert -0.5 < found.interval.low < found.interval.high < 0.5


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=10, max_size=10))
def test_fits_of_ten_windows_are_isotonic_regressions(counts):
    own, other = (np.array(column, dtype=float) for column in zip(*counts, strict=True))
    rows = own + other
    some = rows > 0
    if not some.any():
        return
    found = _rising(own[None], rows[None])[0]
    share = own[some] / rows[some]
    expected = isotonic_regression(share, weights=rows[some]).x
    assert found[some] == pytest.approx(expected, abs=1e-9)


def test_a_second_run_says_the_same_and_groups_widen():
    table = rising(0, 60)
    assert pm.boyce_index(table) == pm.boyce_index(table, rng=0)
    assert pm.boyce_index(table, rng=1).interval != pm.boyce_index(table, rng=2).interval
    rng = np.random.default_rng(0)
    y = np.r_[np.ones(200, int), np.zeros(1000, int)]
    score = np.r_[np.sqrt(rng.random(200)), rng.random(1000)]
    groups = np.empty(1200, int)
    groups[np.argsort(score)] = np.arange(1200) // 12
    grouped, alone = (
        pm.boyce_index(pm.ScoreTable.from_arrays(y, score, scenario=CC, **more)).interval
        for more in ({"groups": groups}, {})
    )
    assert grouped.width > alone.width
