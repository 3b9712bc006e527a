"""Tipping points against bisection over linear programs, and against ratios of sums."""

import dataclasses
import math

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.comparing.tipping import tipping_point
from puremetrics.exceptions import InputError, PuremetricsError
from tests.biased_pairs import draw_pair, drawn_pairs, own_below
from tests.biased_tables import CC, SCENARIOS, draw, drawn
from tests.oracles import label_bias


def check(point, case, values, target, *, above=True, capped=True, search=True):
    """Compare with what the definition gives; True if bisection and the closed form agree with it."""
    sign = 1 if above else -1
    assert 1 <= point.low <= point.label_bias
    mean = float(case.share @ values)
    moved = (target - case.known * mean) / (1 - case.known)
    closed = label_bias.balance(case.share, sign * values, sign * moved)

    def reached(ratio):
        low, high = case.mean_range(values, ratio, capped=capped)
        return low <= target + 1e-13 if above else high >= target - 1e-13

    if closed < 1e6 and (not capped or fits(case, values, closed, above)):
        assert point.label_bias == pytest.approx(closed, rel=1e-9)
        if closed > 1 and search:
            assert reached(closed * (1 + 1e-7))
            assert not reached(1 + (closed - 1) * (1 - 1e-6))
        return True
    found = label_bias.smallest(reached)
    assert point.label_bias == pytest.approx(found, rel=1e-6)
    return False


def fits(case, values, ratio, above):
    """Whether caps leave the most extreme tilt as it is."""
    ends = [case.mean_range(values, ratio, capped=c) for c in (True, False)]
    side = 0 if above else 1
    return abs(ends[0][side] - ends[1][side]) < 1e-12


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("relation", ["above", "below"])
def test_points_of_one_model(scenario, relation):
    rng, above = np.random.default_rng(1), relation == "above"
    counts = {True: 0, False: 0}
    for seen in drawn(11, scenario, 26):
        case, prior, k = seen.case, seen.prior, seen.score.size
        if np.any(case.share > case.caps):  # labels at random are impossible here
            continue
        below = label_bias.below(case.population)
        cut = int(rng.integers(1, k))
        head = (np.arange(k) < cut).astype(float)
        step = rng.uniform(-0.02, 0.15) * (-1 if above else 1)
        for name, values, known in (
            ("roc_auc", below, {}),
            ("recall", head, {"threshold": float(seen.score[cut - 1])}),
        ):
            mean = float(case.share @ values)
            value = label_bias.auc(mean, prior) if name == "roc_auc" else mean
            goal = value + step
            if not 0.02 < goal < 0.98 or (name == "recall" and not 0 < mean < 1):
                continue
            target = (1 - prior) * goal + prior / 2 if name == "roc_auc" else goal
            point = tipping_point(seen.table, name, prior=prior, **{relation: goal}, **known)
            assert point.value == pytest.approx(value, abs=1e-9)
            counts[check(point, case, values, target, above=above)] += 1
            if (
                name == "recall"
                and scenario == CC
                and above
                and point.label_bias < 1e6
                and fits(case, head, point.label_bias, above)
            ):
                odds = [share / (1 - share) for share in (mean, goal)]
                assert point.label_bias == pytest.approx(max(odds[0] / odds[1], 1), rel=1e-9)
    assert counts[True] >= 15


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("tied", [True, False])
def test_points_of_two_models(scenario, tied):
    compared = 0
    for seen in drawn_pairs(12, scenario, 20, tied=tied):
        pairs, case, capped = seen.cells()
        if capped and np.any(case.share > case.caps):
            continue
        threshold = float(np.median(seen.scores[0]))
        below = [own_below(score, case.population) for score in pairs.T]
        above = [(score >= threshold).astype(float) for score in pairs.T]
        for name, values, known in (
            ("roc_auc", below[0] - below[1], {}),
            ("recall", above[0] - above[1], {"threshold": threshold}),
        ):
            mean = float(case.share @ values)
            if abs(mean) < 1e-12:
                continue
            names, sign = (("a", "b"), 1) if mean > 0 else (("b", "a"), -1)
            chosen = {"first": names[0], "second": names[1]}
            point = tipping_point(seen.joint, name, prior=seen.prior, **chosen, **known)
            check(point, case, sign * values, 0.0, capped=capped, search=False)
            compared += 1
            turned = {"first": names[1], "second": names[0]}
            other = tipping_point(seen.joint, name, prior=seen.prior, **turned, **known)
            assert other.label_bias == other.low == 1
            if scenario == CC and not capped:
                rows = seen.label == 1
                if name == "recall":
                    won = [(s[rows] >= threshold).astype(int) for s in seen.scores]
                    ahead, behind = (np.sum(sign * (won[0] - won[1]) == w) for w in (1, -1))
                    ratio = ahead / behind if behind else math.inf
                    assert point.label_bias == pytest.approx(ratio, rel=1e-9)
                else:
                    free = tipping_point(seen.joint, **chosen)  # no prior is needed
                    assert free.label_bias == pytest.approx(point.label_bias, rel=1e-9)
    assert compared >= 15


def test_points_rise_as_the_target_moves_away():
    for scenario in SCENARIOS:
        for seen in drawn(13, scenario, 6):
            value = tipping_point(seen.table, above=0.5, prior=seen.prior).value
            targets = np.linspace(max(value - 0.25, 0.02), min(value + 0.02, 0.98), 5)
            points = [tipping_point(seen.table, above=float(t), prior=seen.prior) for t in targets]
            assert np.all(np.diff([p.label_bias for p in points]) <= 1e-9)
            assert points[-1].label_bias == 1 or value > 0.95


def test_bad_questions_are_named():
    table = draw(np.random.default_rng(0), CC).table
    joint = draw_pair(np.random.default_rng(0), CC, tied=True).joint
    with pytest.raises(InputError, match="above"):
        tipping_point(table, prior=0.1)
    with pytest.raises(InputError, match="above"):
        tipping_point(table, prior=0.1, above=0.5, below=0.6)
    with pytest.raises(InputError, match="above"):
        tipping_point(table, prior=0.1, above="much")
    with pytest.raises(InputError, match="above"):
        tipping_point(table, prior=0.1, above=math.nan)
    with pytest.raises(PuremetricsError, match="prior"):
        tipping_point(table, above=0.6)
    with pytest.raises(InputError, match="nobody"):
        tipping_point(joint, prior=0.1, first="a", second="nobody")
    with pytest.raises(InputError, match=r"label_bias_side.*either"):
        tipping_point(table, prior=0.1, above=0.6, label_bias_side="up")


def test_no_bias_overturns_a_measure_of_ranks_of_two_models():
    joint = pm.JointTable.from_arrays(
        [1, 1, 0, 0, 0], {"a": [5, 4, 3, 2, 1], "b": [5, 1, 3, 2, 4]}, scenario=CC
    )
    with pytest.raises(PuremetricsError, match="no bias can overturn it"):
        tipping_point(joint, "pulp", prior=0.2)


def test_a_single_training_set_speaks_of_odds():
    rng = np.random.default_rng(0)
    labels = np.r_[np.zeros(1000, int), np.ones(100, int)]
    score = rng.normal(size=1100) + 1.5 * labels
    said = {}
    for scenario in SCENARIOS:
        table = pm.ScoreTable.from_arrays(labels, score, scenario=scenario)
        said[scenario] = tipping_point(table, above=0.7, prior=0.2).words
    assert "times as likely to be labelled as others" in said[CC]
    assert "times the odds of a label that others have" in said["single_training_set"]


@pytest.mark.parametrize(
    ("low", "told"),
    [
        (12.73, "12 times as likely"),
        (412.9, "412 times"),
        (2.39, "2.3 times"),
        (1.003, "0.3% more likely"),
        (1.07, "7% more likely"),
        (1.989, "90% more likely"),
        (3.0, "3 times"),
    ],
)
def test_limits_are_rounded_down(low, told):
    table = pm.ScoreTable.from_groups(positive=[3, 2], unlabeled=[1, 0], scenario=CC)
    point = dataclasses.replace(tipping_point(table, above=0.6, prior=0.1), label_bias=1e5, low=low)
    assert f"some positives were {told}" in point.words


def test_buckets_count_in_the_confidence_of_a_tipping_point():
    rng = np.random.default_rng(1)
    score = np.round(np.r_[rng.normal(2, 1, 200), rng.normal(0, 1, 2000)], 1)
    levels, place = np.unique(score, return_inverse=True)
    pos, unl = (
        np.bincount(place[part], minlength=levels.size) for part in (np.s_[:200], np.s_[200:])
    )
    table = pm.ScoreTable.from_counts(levels, n_pos=pos, n_unl=unl, scenario=CC, resolution=0.1)
    point = tipping_point(table, above=0.8, prior=0.05)
    if np.isfinite(point.low) and point.low > 1:
        found = pm.roc_auc(table, prior=0.05, label_bias=point.low)
        assert found.interval.low >= 0.8 - 1e-4
