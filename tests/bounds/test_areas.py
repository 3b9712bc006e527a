"""Bounds on areas: what is refused, and step-wise sums of many scores."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.bounds.areas import _range_maximum, _step_sums
from puremetrics.exceptions import InputError, PriorError, UnsupportedError
from tests.bounds.cases import ROWS, choice_of
from tests.small_tables import CC, SINGLE

TABLE = pm.ScoreTable.from_groups(positive=[3, 2], unlabeled=[2, 1, 0], scenario=CC)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"prior": 0.05}, PriorError, "0 of the 3 unlabeled rows are positive.*larger prior"),
        ({"prior": 0.95}, PriorError, "smaller prior"),
        ({"prior": 0.3, "rank_limits": "wald"}, InputError, "Choose one of 'exact'"),
        ({"prior": 0.3, "basis": "negatives"}, InputError, "needs known negatives"),
        (
            {"prior": 0.3, "rank_limits": "bootstrap", "simultaneous": True},
            InputError,
            "at all thresholds at once",
        ),
    ],
)
def test_bad_settings_get_their_own_sentence(options, error, message):
    with pytest.raises(error, match=message):
        pm.roc_bounds(TABLE, **options, **ROWS)


def test_what_has_no_bounds_is_refused():
    weighted = pm.ScoreTable.from_arrays([1, 0, 0], [3, 2, 1], sample_weight=[1, 2, 1], scenario=CC)
    with pytest.raises(UnsupportedError, match="counts rows one by one"):
        pm.roc_bounds(weighted, prior=0.3)
    full = pm.ScoreTable.from_groups(positive=[1], unlabeled=None, negative=[0], scenario=CC)
    with pytest.raises(UnsupportedError, match="nothing is hidden"):
        pm.roc_auc_bounds(full, prior=0.5)
    with pytest.raises(PriorError, match="needs the number of latent positives"):
        pm.rank_cdf_band(TABLE)
    with pytest.raises(UnsupportedError, match="before cut"):
        pm.metric_bounds(TABLE.cut(), "f1", threshold=1, prior=0.3)
    with pytest.raises(InputError, match="undefined at threshold 9"):
        pm.metric_bounds(TABLE, "precision", threshold=9, prior=0.3)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 33])
def test_range_maxima_are_those_of_slices(size):
    values = np.random.default_rng(size).permutation(size).astype(float)
    first, last = (end.ravel() for end in np.meshgrid(np.arange(size), np.arange(size)))
    first, last = first[first <= last], last[first <= last]
    expected = [values[a : b + 1].max() for a, b in zip(first, last, strict=True)]
    assert _range_maximum(values, first, last).tolist() == expected


def test_step_sums_of_tied_scores_are_within_the_bounds_of_average_precision():
    """Ties push the step-wise sum below, or above, the area under the hyperbolae."""
    # The truth may be: positives 3, 2, 2, 0 and negative 2 among the unlabeled.
    low = pm.ScoreTable.from_groups(positive=[3, 2], unlabeled=[3, 0, 2, 2, 2], scenario=CC)
    known = {"prior": 4 / 5, "confidence_level": 0.3, **ROWS}
    steps = 1 / 4 * 1 + 2 / 4 * 3 / 4 + 1 / 4 * 4 / 5
    assert steps < pm.pr_bounds(low, **known).lower.area
    assert pm.average_precision_bounds(low, **known).low <= steps + 1e-12
    # Positives 3 and 0, negative 1 among the unlabeled.
    high = pm.ScoreTable.from_groups(positive=[3, 0, 0], unlabeled=[0, 1, 3], scenario=CC)
    known = {"prior": 2 / 3, "confidence_level": 0.3, **ROWS}
    steps = 1 / 2 * 1 + 1 / 2 * 2 / 3
    assert steps > pm.pr_bounds(high, **known).upper.area
    assert steps <= pm.average_precision_bounds(high, **known).high + 1e-12


@pytest.mark.parametrize(("name", "prior"), [(CC, 0.3), (SINGLE, 0.44)])
def test_without_ties_steps_and_hyperbolae_nearly_agree(name, prior):
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1.5, 1, 200),
        unlabeled=rng.normal(0, 1, 800) + 1.5 * (rng.random(800) < 0.3),
        scenario=name,
    )
    curves = pm.pr_bounds(table, prior=prior, **ROWS)
    found = pm.average_precision_bounds(table, prior=prior, **ROWS)
    assert found.low == pytest.approx(curves.lower.area, abs=0.02)
    assert found.high == pytest.approx(curves.upper.area, abs=0.05)
    low, high = _step_sums(table, choice_of(table, prior))
    assert low == pytest.approx(curves.lower.area, abs=0.02)
    assert high == pytest.approx(curves.upper.area, abs=0.05)
