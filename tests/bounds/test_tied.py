"""Average precision of tied scores, against every labelling within the limits."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.bounds import areas as tied
from tests.bounds import enumeration
from tests.bounds.cases import ROWS, choice_of
from tests.bounds.test_extremes import ends_of, ranges
from tests.small_tables import CC, SINGLE


@given(ranges(max_size=8), st.sampled_from([0.3, 0.7, 0.95]))
def test_average_precision_is_as_extreme_as_a_labelling_can_make_it(case, level):
    data, scenario, low, high = case
    numbers = range(low, high + 1)
    every = list(enumeration.average_precisions(*data, numbers, level, scenario))
    assume(every)
    known = {"prior": ends_of(*case), "confidence_level": level, **ROWS}
    found = pm.average_precision_bounds(data.table(scenario), **known)
    assert tuple(found) == pytest.approx((min(every), max(every)), abs=1e-12)


def every_way(low, high, new):
    """All x between the limits that rise by no more than the new rows."""
    ways = [(0,)]
    for i in range(1, len(low)):
        ways = [
            (*way, x)
            for way in ways
            for x in range(max(low[i], way[-1]), min(high[i], way[-1] + new[i]) + 1)
        ]
    return ways


@pytest.mark.parametrize("seed", range(300))
def test_any_limits_are_used_up(seed):
    """Limits as no band would set them, and blocks of very different size."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(3, 6))
    new = np.concatenate([[0], rng.integers(0, 5, size)])
    heads = np.cumsum(new)
    low = np.concatenate([[0], np.sort(rng.integers(0, 4, size))])
    high = np.minimum(low + rng.integers(0, 5, size + 1), heads)
    high[0] = 0
    known = np.cumsum(np.concatenate([[0], rng.integers(0, 3, size)])) * (seed % 2)
    reached = heads + known + np.cumsum(np.concatenate([[0], rng.integers(0, 9, size)]))
    values = []
    for way in every_way(low, high, new):
        tp = np.array(way) + known
        if tp[-1] > 0:
            steps = np.divide(
                np.diff(tp) * tp[1:], reached[1:], out=np.zeros(size), where=reached[1:] > 0
            )
            values.append(steps.sum() / tp[-1])
    levels = tied._Levels(*(np.asarray(a, dtype=float) for a in (low, high, new, reached, known)))
    if not values or low[-1] + known[-1] == 0:
        return
    found = tied._smallest(levels), tied._largest(levels, tied._vertices(levels))
    assert found == pytest.approx((min(values), max(values)), abs=1e-12)


def ten_levels(rng, scenario, unlabeled=1000):
    latent = unlabeled * 3 // 10
    groups = (
        rng.normal(1.8, 1, 100),
        rng.normal(1.8, 1, latent),
        rng.normal(size=unlabeled - latent),
    )
    edges = np.linspace(-1.5, 3.3, 9)
    positive, hidden, negative = (np.digitize(group, edges).astype(float) for group in groups)
    prior = latent / unlabeled if scenario == CC else (latent + 100) / (unlabeled + 100)
    table = pm.ScoreTable.from_groups(
        positive=positive, unlabeled=np.concatenate([hidden, negative]), scenario=scenario
    )
    return table, prior, (positive, hidden, negative)


def random_walks(rng, low, high, new, count):
    """Whole x between the limits, each at most the new rows above the last; many of them extreme."""
    least, most = low.copy(), high.copy()
    for i in range(low.size - 2, -1, -1):  # from which the end can still be reached
        least[i] = max(least[i], least[i + 1] - new[i + 1])
        most[i] = min(most[i], most[i + 1])
    for _ in range(count):
        x, taste = [0.0], rng.random()
        for i in range(1, low.size):
            ends = max(least[i], x[-1]), min(most[i], x[-1] + new[i])
            if ends[0] > ends[1]:
                break
            inside = rng.integers(int(ends[0]), int(ends[1]) + 1)
            x.append(float(ends[int(rng.random() < taste)] if rng.random() < 0.8 else inside))
        if len(x) == low.size:
            yield np.array(x)


@pytest.mark.parametrize("scenario", [CC, SINGLE])
@pytest.mark.parametrize("seed", range(5))
def test_ten_levels_are_bounded_sharply(scenario, seed):
    rng = np.random.default_rng(seed)
    table, prior, (positive, hidden, negative) = ten_levels(rng, scenario)
    found = pm.average_precision_bounds(table, prior=prior, **ROWS)
    choice = choice_of(table, prior)
    heads = tied.whole_heads(table)
    low, high = (choice.x(heads, choice.low, side) for side in ("lower", "upper"))
    known = heads.pos if scenario == SINGLE else 0 * heads.pos
    reached = heads.unl + known
    values = []
    for x in random_walks(rng, low, high, np.diff(heads.unl, prepend=0.0), 3000):
        tp = x + known
        values.append(float(np.sum(np.diff(tp) * tp[1:] / reached[1:]) / tp[-1]))
    assert found.low - 1e-12 <= min(values) <= found.low + 0.01
    assert found.high - 0.01 <= max(values) <= found.high + 1e-12
    from sklearn.metrics import average_precision_score

    rows = hidden if scenario == CC else np.concatenate([positive, hidden])
    y = np.repeat([1, 0], [rows.size, negative.size])
    assert average_precision_score(y, np.concatenate([rows, negative])) in found


def test_many_scores_are_bounded_recall_by_recall(monkeypatch):
    """With more levels than are tried one by one the bounds are a little wider, and no narrower."""
    table, prior, _ = ten_levels(np.random.default_rng(0), CC)
    sharp = pm.average_precision_bounds(table, prior=prior, **ROWS)
    monkeypatch.setattr(tied, "MOST_LEVELS", 5)
    loose = pm.average_precision_bounds(table, prior=prior, **ROWS)
    assert loose.low <= sharp.low + 1e-12
    assert loose.high >= sharp.high - 1e-12
    assert sharp.low - loose.low < 0.05


def test_a_block_of_saturated_scores_is_one_step():
    """Forty per cent of the rows at the highest score, the others all different."""
    rng = np.random.default_rng(3)
    positive = np.concatenate([np.ones(60), rng.random(40)])
    unlabeled = np.concatenate([np.ones(400), rng.random(600)])
    table = pm.ScoreTable.from_groups(positive=positive, unlabeled=unlabeled, scenario=CC)
    assert table.score.size > tied.MOST_LEVELS
    found = pm.average_precision_bounds(table, prior=0.4, **ROWS)
    least = choice_of(table, 0.4).x(tied.whole_heads(table), 400, "lower")
    block = least[1] / 400 * least[1] / 400  # what the first step alone adds, at least
    assert found.low > block


def test_what_cannot_be_tried_is_left_to_other_bounds():
    table, prior, _ = ten_levels(np.random.default_rng(0), CC)
    assert tied.tied_precision_bounds(choice_of(table.cut(), prior)) is None
    # No labelling keeps within these limits at both thresholds.
    odd = pm.ScoreTable.from_groups(
        positive=[5.0] * 60, unlabeled=[9.0] * 10 + [1.0] * 3, scenario=CC
    )
    assert tied.tied_precision_bounds(choice_of(odd, 8 / 13)) is None
    low, high = pm.average_precision_bounds(odd, prior=8 / 13, **ROWS)
    assert 0 <= low <= high <= 1


def test_numbers_of_latent_positives_in_between_are_enclosed():
    table = ten_levels(np.random.default_rng(1), CC)[0]
    wide = pm.average_precision_bounds(table, prior=(0.2, 0.4), **ROWS)
    each = [pm.average_precision_bounds(table, prior=m / 1000, **ROWS) for m in range(200, 401, 10)]
    assert wide.low <= min(one.low for one in each) + 1e-12
    assert wide.high >= max(one.high for one in each) - 1e-12
    assert wide.width < max(one.high for one in each) - min(one.low for one in each) + 0.01
