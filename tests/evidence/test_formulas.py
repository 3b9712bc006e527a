"""Where evidence has a formula, the joint fit gives it."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.auditing.metrics import PRIOR
from puremetrics.evidence.fit import Fit, softened
from puremetrics.evidence.joint import Joined
from tests.oracles import evidence as oracle

EXACT = 1e-12
CAUGHT = [(30, 60, 40, 2000), (3, 20, 9, 500), (200, 150, 300, 10_000), (1, 5, 5, 50)]


def two_sources(both, first, second, rest, theta=1.0):
    """Rows of one score, for there the smooth odds of the fit are those of the counts."""
    number = both + first + second
    caught = {
        "a": [1] * (both + first) + [0] * second,
        "b": [1] * both + [0] * first + [1] * second,
    }
    table = pm.ScoreTable.from_arrays(
        [1] * number + [0] * rest, [0.5] * (number + rest), scenario="single_training_set"
    )
    sources = pm.LabelSources.from_arrays([0.5] * number, caught, dependence=theta)
    return table, sources


@pytest.mark.parametrize("counts", CAUGHT)
@pytest.mark.parametrize("theta", [1.0, 0.5, 1.7])
def test_two_sources_give_chapmans_estimate(counts, theta):
    table, sources = two_sources(*counts, theta)
    both, first, second, rest = counts
    hidden = oracle.chapman(both, first, second, theta)
    expected = (both + first + second + hidden) / sum(counts)
    found = pm.assume(table, evidence=[sources]).joint_prior()
    assert float(found) == pytest.approx(expected, rel=EXACT)
    assert found.interval.low < expected < found.interval.high
    assert found.unlabeled_share == pytest.approx(hidden / rest, rel=1e-10)


@pytest.mark.parametrize("theta", [1.0, 2.0])
def test_without_the_correction_it_is_lincolns_and_petersens(theta):
    """Intervals belong to the fit that has no correction for few double catches."""
    table, sources = two_sources(30, 60, 40, 2000, theta)
    joined = Joined.of(table, [sources])
    ground = joined.fitted((-np.inf,), (sources,)).ground
    terms = tuple(sources.terms(ground, False))
    best = Fit(ground.cells, terms).best(softened(ground.cells, terms).theta)
    expected = oracle.lincoln_petersen(30, 60, 40, theta)
    assert float(best.hidden.sum()) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("number", [2, 3, 5])
def test_least_hidden_is_chaos(number):
    rng = np.random.default_rng(number)
    caught = rng.random((300, number)) < 0.3
    caught[:number] |= np.eye(number, dtype=bool)
    named = {f"source {j}": caught[:, j] for j in range(number)}
    value, interval = pm.LabelSources.from_arrays(rng.random(300), named).least_hidden()
    times = [int(row.sum()) for row in caught if row.any()]
    assert value == pytest.approx(oracle.chao(times, number), rel=EXACT)
    assert interval.low < value < interval.high


def test_nothing_is_hidden_where_all_were_caught_by_both():
    sources = pm.LabelSources.from_arrays([0.1, 0.2], {"a": [1, 1], "b": [1, 1]})
    assert sources.least_hidden()[0] == oracle.chao([2, 2], 2) == 0


@pytest.mark.parametrize("scenario", ["single_training_set", "case_control"])
@pytest.mark.parametrize(
    ("sensitivity", "specificity"), [(1, 1), (0.8, 0.95), (0.7, 0.9), (1, 0.85)]
)
def test_a_checker_who_errs_is_corrected_as_by_rogan_and_gladen(scenario, sensitivity, specificity):
    answers = np.array([1.0] * 30 + [0.0] * 70 + [np.nan] * 900)
    table = pm.ScoreTable.from_arrays([1] * 20 + [0] * 1000, [0.5] * 1020, scenario=scenario)
    looked = pm.Investigated.from_arrays(
        [0.5] * 1000, answers, sensitivity=sensitivity, specificity=specificity
    )
    share = oracle.rogan_gladen(30, 100, sensitivity, specificity)
    one = scenario == "single_training_set"
    expected = (20 + 1000 * share) / 1020 if one else share
    found = pm.assume(table, evidence=[looked]).joint_prior()
    assert float(found) == pytest.approx(expected, rel=EXACT)


def investigated():
    """Four scores, each a stratum of its own: then within strata nothing is left to a forecast."""
    score = np.repeat([1.0, 2.0, 3.0, 4.0], [800, 400, 200, 100])
    answers = np.full(score.size, np.nan)
    for at, yes in ((1, 6), (2, 18), (3, 30), (4, 48)):
        rows = np.flatnonzero(score == at)[:60]
        answers[rows] = 0
        answers[rows[:yes]] = 1
    labelled = np.repeat([1.0, 2.0, 3.0, 4.0], [5, 10, 20, 30])
    return labelled, score, answers


@pytest.mark.parametrize("scenario", ["single_training_set", "case_control"])
def test_investigated_rows_give_the_post_stratified_estimate(scenario):
    labelled, score, answers = investigated()
    table = pm.ScoreTable.from_groups(positive=labelled, unlabeled=score, scenario=scenario)
    looked = pm.Investigated.from_arrays(score, answers)
    said = [None if np.isnan(answer) else bool(answer) for answer in answers]
    positive = oracle.horvitz_thompson(score.tolist(), said)
    rows = {at: int(np.sum(score == at)) for at in positive}
    if scenario == "single_training_set":
        for at in positive:
            known = int(np.sum(labelled == at))
            positive[at], rows[at] = positive[at] + known, rows[at] + known
    above = [at for at in positive if at >= 3]
    tp, flagged = (sum(counts[at] for at in above) for counts in (positive, rows))
    total = sum(positive.values())
    given = {"evidence": [looked]}
    assert float(pm.assume(table, **given).joint_prior()) == pytest.approx(
        float(total / sum(rows.values())), rel=EXACT
    )
    for name, expected in (
        ("precision", tp / flagged),
        ("recall", tp / total),
        ("f1", 2 * tp / (total + flagged)),
        ("fpr", (flagged - tp) / (sum(rows.values()) - total)),
    ):
        found = pm.metric(table, name, threshold=3, **given)
        assert float(found) == pytest.approx(float(expected), rel=EXACT)
    # sums of pairs over all ranges of scores add up rounding errors
    expected = float(oracle.area(positive, rows))
    assert float(pm.roc_auc(table, **given)) == pytest.approx(expected, abs=3e-12)


def test_a_judge_with_people_is_prediction_powered():
    """1,000 rows of one score; the judge says yes to 300. People looked at 40 of these and at 60 others.

    Numbers of ppi-python 0.2.3, from the same rows: ``ppi_mean_pointestimate(y, f, every, lam=1)`` and
    ``ppi_mean_ci(…, alpha=0.05, lam=1)``, with people's answers y, the share of yes among them for the
    judge's answer as forecast f, and that forecast for all rows. Then no residual is left on the average, and
    its estimate is the post-stratified one. With the judge's own answers as forecast and the best weight
    (``lam=None``) it said 0.2777, 0.2103 to 0.3451.
    """
    judge, answers = np.repeat([1, 0], [300, 700]), np.full(1000, np.nan)
    answers[:40], answers[300:360] = [1] * 31 + [0] * 9, [1] * 4 + [0] * 56
    table = pm.ScoreTable.from_arrays([1] * 20 + [0] * 1000, [0.5] * 1020, scenario="case_control")
    found = pm.assume(table, evidence=[pm.Judged.from_arrays([0.5] * 1000, judge, answers)])
    prior = found.joint_prior()
    assert float(prior) == pytest.approx(0.27916667, abs=5e-9)
    said = [None if np.isnan(answer) else bool(answer) for answer in answers]
    positive = oracle.horvitz_thompson(judge.tolist(), said)
    assert float(prior) == pytest.approx(float(sum(positive.values()) / 1000), rel=EXACT)
    ppi = 0.34638509 - 0.21194825
    assert prior.interval.width == pytest.approx(ppi, rel=0.1)
    assert prior.interval.low == pytest.approx(0.21194825, abs=0.01)
    assert prior.interval.high == pytest.approx(0.34638509, abs=0.01)


def test_the_prior_is_that_of_every_statistic():
    table, sources = two_sources(30, 60, 40, 2000)
    joined = Joined.of(table, [sources])
    found = joined.estimate(PRIOR)
    assert (
        found.value
        == joined.prior_value
        == pm.assume(table, evidence=[sources]).joint_prior().prior
    )
