"""The calibration error from an audit: against the definition, and what holds of it."""

import numpy as np
import pytest
from hypothesis import given
from scipy.special import expit, logit

import puremetrics as pm
from puremetrics.auditing import Audited
from puremetrics.exceptions import InputError, PriorError, ScoreError, UnsupportedError
from tests.auditing.cases import CC, SINGLE, cases


def gaps_of(truth, score, upper):
    """Score less truth in each bin (lower, upper], over all rows: from the definition."""
    bins = [next(k for k, edge in enumerate(upper) if s <= edge) for s in score]
    found = np.zeros(len(upper))
    for place, s, y in zip(bins, score, truth, strict=True):
        found[place] += (s - y) / len(score)
    return found


@given(case=cases(everything=True))
def test_if_all_rows_are_checked_it_is_that_of_the_truth(case):
    found = pm.calibration_error(case.table, audit=case.audit, n_bins=4)
    wanted = gaps_of(*case.population, found.bins.upper)
    assert found.bins.gap == pytest.approx(wanted, abs=1e-9)
    assert found.error == pytest.approx(np.abs(wanted).sum(), abs=1e-9)
    assert found.signed_error == pytest.approx(wanted.sum(), abs=1e-9)
    assert found.error in found.interval or found.debiased in found.interval
    assert found.n_checked == case.checked.sum()


@given(case=cases())
def test_without_forecast_a_checked_row_stands_for_its_stratum(case):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Audited, "powers", property(lambda self: np.zeros(self.edges.size + 1)))
        found = pm.calibration_error(case.table, audit=case.audit, binning="width", n_bins=2)
    rows, checked = case.counts(case.y == 0), case.counts(case.checked)
    stratum = np.searchsorted(case.edges, case.score, side="right")
    stands = np.zeros(case.y.size)
    known = np.flatnonzero(case.checked)
    stands[known] = rows[stratum[known]] / checked[stratum[known]] * case.truth[known]
    if case.scenario == SINGLE:
        stands[case.y == 1] = 1.0
    inside = case.y == 0 if case.scenario == CC else np.full(case.y.size, True)
    for place, (low, high) in enumerate(zip(found.bins.lower, found.bins.upper, strict=True)):
        here = (case.score <= high) & ((case.score > low) | (place == 0))
        unlabeled = here & (case.y == 0)
        least = np.sum(case.truth[here & case.checked])
        most = unlabeled.sum() - np.sum(~case.truth[here & case.checked])
        positive = np.clip(stands[unlabeled].sum(), least, most)
        positive += stands[here & (case.y == 1)].sum() if case.scenario == SINGLE else 0.0
        wanted = (case.score[here & inside].sum() - positive) / inside.sum()
        assert found.bins.gap[place] == pytest.approx(wanted, abs=1e-9)


@given(case=cases())
def test_limits_contain_what_they_are_limits_of(case):
    found = pm.calibration_error(case.table, audit=case.audit)
    assert 0 <= found.interval.low <= found.interval.high <= 1
    assert found.interval.high >= found.error - 1e-12
    assert found.signed_error in found.signed_interval
    assert found.max_interval.low <= found.max_error <= found.max_interval.high
    filled = ~np.isnan(found.bins.positive_rate)
    bins = found.bins
    assert np.all(bins.rate_low[filled] <= bins.positive_rate[filled] + 1e-12)
    assert np.all(bins.rate_high[filled] >= bins.positive_rate[filled] - 1e-12)


def population(rng, rows, shift=0.0, slope=1.0, prior=0.2):
    truth = rng.random(rows) < prior
    margin = logit(prior) - 1.5 + 1.5 * (rng.normal(size=rows) + 1.5 * truth) + 0.375
    return truth, expit(shift + slope * margin)


def sampled(rng, truth, score, budget):
    """Labels that favour high scores, and a random audit."""
    y = (truth & (rng.random(truth.size) < score**2)).astype(int)
    rows = rng.choice(np.flatnonzero(y == 0), budget, replace=False)
    table = pm.ScoreTable.from_arrays(y, score, scenario=SINGLE)
    return table, pm.Audit.from_arrays(score[rows], truth[rows])


@pytest.mark.slow
@pytest.mark.parametrize(("shift", "slope"), [(0.0, 1.0), (1.0, 1.0), (0.0, 0.4)])
def test_biased_labels_do_not_matter(shift, slope):
    rng = np.random.default_rng(4)
    truth, score = population(rng, 200_000, shift, slope)
    held = []
    for _ in range(60):
        table, audit = sampled(rng, *population(rng, 2000, shift, slope), 200)
        found = pm.calibration_error(table, audit=audit)
        place = np.searchsorted(found.bins.upper, score, side="left").clip(max=len(found.bins) - 1)
        gaps = np.bincount(place, score - truth, len(found.bins)) / score.size
        held.append(np.abs(gaps).sum() in found.interval)
    assert np.mean(held) >= 0.9


def test_an_evaluation_shows_both():
    rng = np.random.default_rng(0)
    table, audit = sampled(rng, *population(rng, 2000, shift=1.0), 300)
    model = pm.evaluate(table, audit=audit, threshold=0.5).models["model"]
    alone = pm.calibration_error(table, audit=audit)
    assert model.calibration.error == alone.error
    assert model.calibration_if_random.n_checked is None
    assert "300 checked rows" in str(alone)


def test_looking_widens():
    rng = np.random.default_rng(1)
    table, audit = sampled(rng, *population(rng, 1000), 100)
    scores, answers = audit.scores["model"], audit.positive
    looked = pm.Audit.from_arrays(scores, answers, planned=400)
    first, second = (pm.calibration_error(table, audit=a).interval for a in (audit, looked))
    assert first.width < second.width


def test_what_is_refused():
    rng = np.random.default_rng(2)
    table, audit = sampled(rng, *population(rng, 500), 50)
    with pytest.raises(InputError, match="already determines the prior"):
        pm.calibration_error(table, audit=audit, prior=0.2)
    with pytest.raises(UnsupportedError, match="come from its answers"):
        pm.calibration_error(table, audit=audit, interval="bootstrap")
    with pytest.raises(PriorError, match="prior is missing"):
        pm.calibration_error(table)
    wide = pm.ScoreTable.from_arrays([1, 0, 0], [3.0, 2.0, 1.0], scenario=SINGLE)
    with pytest.raises(ScoreError, match="probabilities"):
        pm.calibration_error(wide, audit=pm.Audit.from_arrays([2.0], [0]))
