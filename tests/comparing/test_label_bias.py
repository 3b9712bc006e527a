"""Differences of two models under biased labels, against linear programs over rows."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError
from tests.biased_pairs import draw_pair, drawn_pairs, own_below
from tests.biased_tables import CC, SCENARIOS

TOLERANCE = 1e-9


@pytest.fixture(autouse=True)
def _without_ranking(monkeypatch):
    """Leave out the ranking over all priors: it takes most of the time, and labels do not enter."""
    monkeypatch.setattr("puremetrics.comparing.comparison.ranking_of", lambda *_, **__: None)


def contrasts(seen, threshold):
    """What each cell adds to a difference of two models, by statistic."""
    pairs, case, capped = seen.cells()
    below = [own_below(score, case.population) for score in pairs.T]
    above = [(score >= threshold).astype(float) for score in pairs.T]
    head = [float(case.population @ a) for a in above]
    prior = seen.prior
    values = {
        "roc_auc": (below[0] - below[1]) / (1 - prior),
        "recall": above[0] - above[1],
        "f1": 2 * prior * (above[0] / (prior + head[0]) - above[1] / (prior + head[1])),
    }
    if min(head) > 0:
        values["precision"] = prior * (above[0] / head[0] - above[1] / head[1])
    return values, case, capped


def difference(seen, name, threshold, **known):
    if name != "roc_auc":
        known["threshold"] = threshold
    return pm.compare(seen.joint, statistic=name, **known).differences[0]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_differences_reach_exactly_the_ends_where_cells_are_shared(scenario):
    compared = dict.fromkeys(("roc_auc", "recall", "precision", "f1"), 0)
    for seen in drawn_pairs(1, scenario, 40, tied=True):
        threshold = float(np.median(seen.scores[0]))
        values, case, capped = contrasts(seen, threshold)
        assert capped
        found = case.mean_range(list(values.values()), seen.ratio)
        for i, name in enumerate(values):
            result = difference(seen, name, threshold, **seen.known())
            low, high = result.bias_range
            assert -1 <= low <= high <= 1
            assert result.bias_range.kind == "identification"
            random = float(case.share @ values[name])
            if found is None or abs(result.value - random) > 1e-12:
                continue
            compared[name] += 1
            assert [low, high] == pytest.approx(list(found[i]), abs=TOLERANCE), name
    assert min(compared.values()) >= 25


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_differences_reach_as_far_from_the_value_without_ties(scenario):
    for seen in drawn_pairs(2, scenario, 50, tied=False):
        threshold = float(np.median(seen.scores[0]))
        values, case, capped = contrasts(seen, threshold)
        assert not capped
        names = ["roc_auc", "recall"]
        found = case.mean_range([values[n] for n in names], seen.ratio, capped=False)
        for (low, high), name in zip(found, names, strict=True):
            result = difference(seen, name, threshold, **seen.known())
            random = float(case.share @ values[name])
            reach = [low - random, high - random]
            ends = [end - result.value for end in result.bias_range]
            assert ends == pytest.approx(reach, abs=TOLERANCE), name


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("statistic", ["recall", "f1", "brier_score"])
def test_values_do_not_depend_on_the_bias(scenario, statistic):
    for seen in drawn_pairs(3, scenario, 8, tied=False):
        seen = seen._replace(scores=tuple(1 / (1 + np.exp(-s)) for s in seen.scores))
        known = {"statistic": statistic, "prior": seen.prior}
        if statistic != "brier_score":
            known["threshold"] = 0.6
        random = pm.compare(seen.joint, **known).differences[0]
        biased = pm.compare(seen.joint, **known, label_bias=seen.ratio).differences[0]
        assert biased.value == pytest.approx(random.value, abs=1e-12)
        assert biased.interval.low <= random.interval.low + 1e-12
        assert biased.interval.high >= random.interval.high - 1e-12
        same = pm.compare(seen.joint, **known, label_bias=1).differences[0]
        assert same.to_dict() == random.to_dict()
        assert random.bias_range is None


def test_differences_of_areas_do_not_depend_on_the_bias():
    for scenario in SCENARIOS:
        for seen in drawn_pairs(4, scenario, 60, tied=False):
            random = difference(seen, "roc_auc", None, prior=seen.prior)
            biased = difference(seen, "roc_auc", None, **seen.known())
            assert biased.value == pytest.approx(random.value, abs=1e-12)


def test_ranges_are_nested_and_swap_with_the_models():
    for scenario in SCENARIOS:
        for seen in drawn_pairs(5, scenario, 6, tied=False):
            ranges = [
                difference(seen, "roc_auc", None, prior=seen.prior, label_bias=bias).bias_range
                for bias in (1.1, 1.5, 3, 50, 1e6)
            ]
            assert np.all(np.diff([r.low for r in ranges]) <= TOLERANCE)
            assert np.all(np.diff([r.high for r in ranges]) >= -TOLERANCE)
            swapped = seen._replace(scores=seen.scores[::-1])
            other = difference(swapped, "roc_auc", None, prior=seen.prior, label_bias=3).bias_range
            assert [-other.high, -other.low] == pytest.approx(list(ranges[2]), abs=TOLERANCE)


def test_equal_models_stay_equal():
    for seen in drawn_pairs(6, CC, 5, tied=True):
        same = seen._replace(scores=(seen.scores[0], 2 * seen.scores[0]))
        for name in ("roc_auc", "recall"):
            result = pm.compare(
                same._replace(scores=(seen.scores[0], seen.scores[0].copy())).joint,
                statistic=name, threshold=2.0 if name == "recall" else None, **seen.known(),
            )  # fmt: skip
            assert list(result.differences[0].bias_range) == pytest.approx([0, 0], abs=TOLERANCE)
        assert list(difference(same, "roc_auc", None, **seen.known()).bias_range) == pytest.approx(
            [0, 0], abs=TOLERANCE
        )


def test_bad_arguments_are_named():
    joint = draw_pair(np.random.default_rng(0), CC, tied=True).joint
    for bias in (0.5, np.nan, np.inf, "2", True):
        with pytest.raises(InputError, match="label_bias"):
            pm.compare(joint, prior=0.1, label_bias=bias)
    with pytest.raises(InputError, match=r"label_bias_side.*either"):
        pm.compare(joint, prior=0.1, label_bias=2, label_bias_side="up")


def test_differences_of_average_precision_reach_at_least_as_far_as_steps_along_the_ranks():
    rng = np.random.default_rng(3)
    truth = rng.random(1500) < 0.3
    first = rng.normal(size=1500) + 2 * truth
    second = first / 2 + rng.normal(size=1500) + truth
    labelled = truth & (rng.random(1500) < 0.4)
    joint = pm.JointTable.from_arrays(
        labelled.astype(int), {"a": first, "b": second}, scenario="case_control"
    )
    ratio, prior = 6.0, 0.22
    found = pm.compare(
        joint, statistic="average_precision", prior=prior, label_bias=ratio, n_resamples=20
    )
    low, high = found.differences[0].bias_range
    ranks = (np.argsort(np.argsort(score)) for score in (second, first))
    apart = np.subtract(*ranks)
    for sign, end in ((1, low), (-1, high)):  # those that speak for b, or for a, are under-labelled
        order = np.argsort(-sign * apart[labelled])
        weight = np.ones(order.size)
        weight[order[: int(0.3 * order.size)]] = ratio
        chance = np.ones(1500)
        chance[labelled] = 1 / weight
        tables = (
            pm.ScoreTable.from_arrays(labelled, s, scenario="case_control", propensity=chance)
            for s in (first, second)
        )
        one, other = (pm.average_precision(table, prior=prior).value for table in tables)
        assert sign * end <= sign * (one - other) + 1e-3
