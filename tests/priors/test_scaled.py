"""The prior from an audit and labels that are a random sample of the positives."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError

CC, SINGLE = "case_control", "single_training_set"
BOTH = pytest.mark.parametrize("scenario", [CC, SINGLE])


def world(seed, scenario, rows=4000, prior=0.1, labels=200):
    rng = np.random.default_rng(seed)
    truth = rng.random(rows) < prior
    score = np.round(rng.normal(size=rows) + 2 * truth, 3)
    if scenario == SINGLE:
        y = np.zeros(rows, dtype=int)
        y[rng.permutation(np.flatnonzero(truth))[: labels // 2]] = 1
    else:
        y = np.r_[np.ones(labels, int), np.zeros(rows, int)]
        score = np.r_[np.round(rng.normal(size=labels) + 2, 3), score]
        truth = np.r_[np.ones(labels, bool), truth]
    return rng, truth, y, score, pm.ScoreTable.from_arrays(y, score, scenario=scenario)


def planned(rng, truth, y, score, table, budget=200):
    plan = pm.plan_audit(table, budget=budget, target="f1", threshold=1.5, prior=0.1)
    rows = plan.draw(y, score, rng=rng)
    return plan.audit(rows, truth[rows])


@BOTH
def test_it_is_found_over_expected(scenario):
    """Ranges are those of the definition: the forecast's and the strata's edges."""
    rng, truth, y, score, table = world(0, scenario)
    audit = planned(rng, truth, y, score, table)
    found = pm.prior_from_audit(audit, table=table, random_labels=True)
    from puremetrics.auditing import Audited

    audited = Audited.of(table, audit)
    edges = np.unique(np.r_[audited.edges, audited.forecast.edges])
    place = np.searchsorted(edges, score, side="right")
    expected = 0.0
    for s in audit.scores["model"]:
        here = place == np.searchsorted(edges, s, side="right")
        g = np.sum(here & (y == 1)) / np.sum(y == 1)
        u = np.sum(here & (y == 0)) / np.sum(y == 0)
        expected += g / u
    share = audit.n_positive / expected
    assert found.unlabeled_share == pytest.approx(share, abs=1e-9)
    rows = np.sum(y == 0)
    wanted = share if scenario == CC else (share * rows + np.sum(y == 1)) / y.size
    assert found.prior == pytest.approx(wanted, abs=1e-9)
    assert found.prior in found.interval
    assert found.trust.level == "identified"


@pytest.mark.slow
@BOTH
def test_it_holds_and_is_narrower_than_either(scenario):
    held, widths = [], []
    for seed in range(60):
        rng, truth, y, score, table = world(seed, scenario)
        audit = planned(rng, truth, y, score, table)
        both = pm.prior_from_audit(audit, table=table, random_labels=True)
        alone = pm.prior_from_audit(audit, table=table), pm.estimate_prior(table)
        held.append(0.1 in both.interval)
        widths.append([e.interval.width for e in (both, *alone)])
    assert np.mean(held) >= 0.9
    mean = np.mean(widths, axis=0)
    assert mean[0] < 0.8 * mean[1]
    assert mean[0] < 0.8 * mean[2]


def test_other_rows_of_the_same_scores_say_the_same():
    """Which chance a row had to be drawn does not matter: its score tells what to expect."""
    rng, truth, y, score, table = world(2, CC)
    rows = rng.choice(np.flatnonzero(y == 0), 300, replace=False)
    plain = pm.Audit.from_arrays(score[rows], truth[rows])
    weighed = pm.Audit.from_arrays(score[rows], truth[rows], weight=rng.uniform(1, 1.001, 300))
    first, second = (
        pm.prior_from_audit(audit, table=table, random_labels=True) for audit in (plain, weighed)
    )
    assert first.prior == pytest.approx(second.prior, rel=1e-2)


def test_what_is_refused():
    rng, truth, y, score, table = world(3, SINGLE)
    audit = planned(rng, truth, y, score, table, 50)
    with pytest.raises(InputError, match="random_labels needs the scores"):
        pm.prior_from_audit(100, 5, random_labels=True)
    with pytest.raises(InputError, match="some are not"):
        pm.prior_from_audit(audit, table=table, purity=0.9, random_labels=True)
