"""Degenerate tables against everything: an answer, or an error of our own; never a warning or a crash."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import PuremetricsError

PRIORS = (1e-9, 0.05, 0.3, 0.6, 0.95, 1 - 1e-9)
PRIOR_METHODS = (
    "combined", "combined_n", "alphamax", "alphamax_n", "best_bin", "slope", "dedpul",
    "elkan_noto", "elkan_noto_e2", "elkan_noto_e3",
)  # fmt: skip
RANKINGS = (
    pm.pulp, pm.lee_liu, pm.pseudo_f, pm.mean_f1, pm.mean_mutual_information, pm.mean_pearson,
    pm.naive_auc, pm.naive_average_precision,
)  # fmt: skip
ODD = np.array([0.0, 1.0, 1e-310, 1e308, -1e308, np.nextafter(1, 2)])


def random_table(rng):
    kind = rng.choice(["tied", "few", "probability", "normal", "odd"])

    def draw(size):
        if kind == "tied":
            return np.zeros(size)
        if kind == "few":
            return rng.integers(0, 3, size) / 2
        if kind == "probability":
            return rng.random(size)
        return rng.normal(size=size) if kind == "normal" else rng.choice(ODD, size)

    return pm.ScoreTable.from_groups(
        positive=draw(rng.choice([1, 2, 5, 40])),
        unlabeled=draw(rng.choice([1, 2, 30, 300])),
        negative=draw(rng.choice([0, 0, 1, 10])),
        scenario=str(rng.choice(["case_control", "single_training_set"])),
    )


def calls(table, prior, purity, rng):
    known = {"prior": prior, "purity": purity}
    yield lambda: pm.roc_auc(table, **known)
    yield lambda: pm.average_precision(table, **known)
    yield lambda: pm.confusion_at_thresholds(table, **known)
    yield lambda: pm.metric(table, "mcc", threshold=float(rng.normal()), **known)
    yield lambda: pm.roc_auc_bounds(table, prior=prior)
    yield lambda: pm.average_precision_bounds(table, prior=prior)
    yield lambda: pm.roc_hull(table, limit_slope=True, **known)
    yield lambda: pm.hull_likelihood(table)
    yield lambda: pm.hull_variance(table, prior=prior, n_resamples=3, rng=0)
    yield lambda: pm.calibration_error(table, **known)
    yield lambda: pm.reliability_curve(table, method="isotonic", **known)
    yield lambda: pm.brier_score(table, **known)
    yield lambda: pm.log_loss(table, **known)
    for method in ("isotonic", "platt", "temperature", "beta"):
        yield lambda method=method: pm.recalibrate(table, method=method, **known)([0.1, 0.5])
    for measure in RANKINGS:
        yield lambda measure=measure: measure(table)
    for method in PRIOR_METHODS:
        yield lambda method=method: pm.estimate_prior(table, method=method, n_resamples=5, rng=0)
    yield lambda: pm.choose_threshold(table, objective="f1", n_resamples=3, rng=0, **known)
    yield lambda: pm.largest_prior(table)
    yield lambda: pm.evaluate(table, **known).to_json()


@pytest.mark.parametrize("seed", range(24))
def test_an_answer_or_an_error_of_our_own(seed):
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    prior, purity = float(rng.choice(PRIORS)), float(rng.choice([1.0, 1.0, 0.7]))
    answers, sentences = 0, []
    for call in calls(table, (prior / 2, prior) if seed % 5 == 0 else prior, purity, rng):
        try:
            call()
        except PuremetricsError as error:
            sentences.append(str(error))
        else:
            answers += 1
    assert all(sentence[-1] in ".)" for sentence in sentences)
    assert answers >= 8  # the ranking measures never refuse
