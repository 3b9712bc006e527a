import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import puremetrics as pm
from puremetrics.exceptions import InputError


def make(rng, scenario="case_control", aucs=(0.85, 0.8), labelled=100, unlabeled=800, prior=0.2):
    """Correlated scores of two models whose true areas are known."""
    shifts = np.sqrt(2) * ndtri(np.array(aucs))
    if scenario == "case_control":
        positive = np.concatenate([np.ones(labelled), rng.random(unlabeled) < prior]).astype(bool)
        y = np.concatenate([np.ones(labelled), np.zeros(unlabeled)])
    else:
        positive = rng.random(labelled + unlabeled) < prior
        y = positive & (rng.random(positive.size) < labelled / positive.size / prior)
    common = rng.normal(size=positive.size)
    scores = {
        name: 0.8 * common + 0.6 * rng.normal(size=positive.size) + shift * positive
        for name, shift in zip("ab", shifts, strict=True)
    }
    return pm.JointTable.from_arrays(y, scores, scenario=scenario)


def paired_delong(pos, neg):
    """Variance of a difference of areas from its definition: pairs of rows, both models."""
    wins = [
        (p[:, None] > n[None]).astype(float) + 0.5 * (p[:, None] == n[None])
        for p, n in zip(pos, neg, strict=True)
    ]
    difference = wins[0] - wins[1]
    by_pos, by_neg = difference.mean(axis=1), difference.mean(axis=0)
    return by_pos.var(ddof=1) / by_pos.size + by_neg.var(ddof=1) / by_neg.size


def test_full_labels_give_the_paired_form_of_delong():
    rng = np.random.default_rng(0)
    y = np.arange(90) < 30
    scores = {name: np.round(rng.normal(size=90) + y, 1) for name in "ab"}
    joint = pm.JointTable.from_arrays(
        y, scores, scenario="case_control", unlabeled_label=None, neg_label=0
    )
    result = pm.compare(joint, prior=None).differences[0]
    expected = paired_delong([scores[n][y] for n in "ab"], [scores[n][~y] for n in "ab"])
    assert result.standard_error == pytest.approx(np.sqrt(expected), rel=1e-9)
    from sklearn.metrics import roc_auc_score

    areas = [roc_auc_score(y, scores[name]) for name in "ab"]
    assert result.value == pytest.approx(areas[0] - areas[1], abs=1e-12)


@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
@pytest.mark.parametrize("statistic", ["roc_auc", "f1"])
def test_influence_agrees_with_the_bootstrap(scenario, statistic):
    joint = make(np.random.default_rng(1), scenario, labelled=300, unlabeled=1500)
    assert (
        pm.compare(joint, prior=0.25, statistic="average_precision", n_resamples=9).method
        == "bootstrap"
    )
    known = {"statistic": statistic, "prior": 0.25, "threshold": 1.0 if statistic == "f1" else None}
    quick = pm.compare(joint, **known).differences[0]
    slow = pm.compare(joint, **known, interval="bootstrap", n_resamples=150, rng=2).differences[0]
    assert quick.value == slow.value
    assert quick.standard_error == pytest.approx(slow.standard_error, rel=0.25)


def test_pairing_narrows_the_difference():
    joint = make(np.random.default_rng(3))
    result = pm.compare(joint, prior=0.2)
    alone = [estimate.standard_error for estimate in result.estimates.values()]
    assert result.differences[0].standard_error < 0.8 * np.hypot(*alone)
    wide = pm.compare(joint, prior=(0.1, 0.3)).differences[0]
    assert wide.interval.kind == "combined"
    assert wide.interval.width > result.differences[0].interval.width
    assert "a − b" in str(result)
    assert result.ranking.ranges


def test_many_models_and_multiplicity():
    rng = np.random.default_rng(4)
    y = np.arange(600) < 100
    base = rng.normal(size=600)
    scores = {f"m{i}": base + 0.5 * rng.normal(size=600) + shift * y
              for i, shift in enumerate((0.5, 0.6, 2.0))}  # fmt: skip
    joint = pm.JointTable.from_arrays(y, scores, scenario="case_control")
    result = pm.compare(joint, prior=0.05)
    assert len(result.differences) == 3
    for difference in result.differences:
        assert difference.adjusted_p_value >= difference.p_value
        assert difference.simultaneous.width > difference.interval.width
    best = [d for d in result.differences if "m2" in (d.first, d.second)]
    assert all(d.adjusted_p_value < 1e-3 for d in best)


def test_bad_input_of_comparisons():
    joint = make(np.random.default_rng(5))
    for call, message in (
        (lambda: pm.compare(joint["a"], prior=0.2), "needs a JointTable"),
        (lambda: pm.compare(joint, statistic="f1", prior=0.2), "pass threshold"),
        (lambda: pm.compare(joint, threshold=1.0, prior=0.2), "takes no threshold"),
        (lambda: joint["c"], "no model 'c'"),
        (
            lambda: pm.JointTable.from_arrays([1, 0], {"a": [1, 2]}, scenario="case_control"),
            "at least two",
        ),
        (
            lambda: pm.JointTable.from_arrays(
                [1, 0], {"a": [1, 2], "b": [1]}, scenario="case_control"
            ),
            "same rows",
        ),
    ):
        with pytest.raises(InputError, match=message):
            call()


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
def test_differences_cover_the_truth(scenario):
    rng = np.random.default_rng(6)
    repeats, prior = 400, 0.2
    hits = np.zeros(2)
    shifts = np.sqrt(2) * ndtri(np.array([0.85, 0.8]))
    cut = 1.0
    g, e = ndtr(shifts - cut), ndtr(-cut)
    precision = prior * g / (prior * g + (1 - prior) * e)
    f1 = 2 * precision * g / (precision + g)
    for _ in range(repeats):
        joint = make(rng, scenario, labelled=60, unlabeled=600, prior=prior)
        area = pm.compare(joint, prior=prior).differences[0]
        at = pm.compare(joint, statistic="f1", threshold=cut, prior=prior).differences[0]
        hits += [0.05 in area.interval, f1[0] - f1[1] in at.interval]
    assert np.all(hits / repeats >= 0.93 - 3 * (0.93 * 0.07 / repeats) ** 0.5)


def close_models(seed, labelled=150, rows=2000, prior=0.3):
    """Two models of the same rows, one a little better."""
    rng = np.random.default_rng(seed)
    truth = np.append(np.ones(labelled), rng.random(rows) < prior)
    better, worse = (
        rng.normal(gap * truth, 1) + rng.normal(0, 0.3, truth.size) for gap in (1.5, 1.1)
    )
    labels = np.append(np.ones(labelled, dtype=int), np.zeros(rows, dtype=int))
    return pm.JointTable.from_arrays(
        labels, {"better": better, "worse": worse}, scenario="case_control"
    )


def test_the_order_of_areas_needs_no_prior():
    joint = close_models(1)
    found = [
        pm.compare(joint, prior=prior).differences[0]
        for prior in (0.05, 0.3, (0.0, 0.55), pm.estimate_prior(joint.tables["better"]))
    ]
    assert len({round(difference.p_value, 12) for difference in found}) == 1
    assert found[0].p_value < 0.05
    for difference in found:
        assert difference.value > 0
        assert 0 <= difference.interval.low <= difference.value <= difference.interval.high


@pytest.mark.slow
def test_an_estimated_prior_costs_no_power():
    known, estimated = [], []
    for seed in range(40):
        joint = close_models(seed)
        guess = pm.estimate_prior(joint.tables["better"])
        known.append(pm.compare(joint, prior=0.3).differences[0].p_value < 0.05)
        estimated.append(pm.compare(joint, prior=guess).differences[0].p_value < 0.05)
    assert np.mean(estimated) >= np.mean(known) > 0.3
