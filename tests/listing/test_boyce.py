"""The Boyce index, window by window from its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

import puremetrics as pm
from puremetrics.exceptions import UnsupportedError
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
    found = pm.boyce_index(table)
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
                )
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
