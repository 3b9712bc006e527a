"""Paired comparisons of risks, calibration and PULP: values by definition, errors against the bootstrap."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError, PriorError, ScoreError
from tests.small_tables import CC, SINGLE

STATISTICS = ("brier_score", "log_loss", "calibration_error", "pulp")


def joint(scenario, seed=0, n_pos=120, n_unl=900, same=False):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_pos, n_unl])
    positive = (y == 1) | (rng.random(y.size) < 0.3)
    shared = rng.normal(size=y.size)
    scores = {}
    for name, slope, shift in (("good", 2.0, -0.8), ("steep", 3.5, -0.2)):
        x = 2 * positive - 1 + 0.7 * shared + 0.7 * rng.normal(size=y.size)
        scores[name] = 1 / (1 + np.exp(-(slope * x + shift)))
    if same:
        scores["steep"] = scores["good"]
    return pm.JointTable.from_arrays(y, scores, scenario=scenario)


def known(statistic, scenario):
    return {} if statistic == "pulp" else {"prior": 0.3 if scenario == CC else 0.4}


@pytest.mark.parametrize("scenario", [CC, SINGLE])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_errors_by_influence_are_those_of_resampled_rows(statistic, scenario):
    rows = joint(scenario)
    given = known(statistic, scenario)
    analytic = pm.compare(rows, statistic=statistic, **given).differences[0]
    drawn = pm.compare(
        rows, statistic=statistic, **given, interval="bootstrap", n_resamples=200
    ).differences[0]
    assert analytic.value == pytest.approx(drawn.value)
    # Where signs of gaps are unclear the analytic error is on the safe side.
    most = 1.3 if statistic != "calibration_error" else 2.0
    assert 0.8 < analytic.standard_error / drawn.standard_error < most
    low, high = analytic.interval
    assert low < analytic.value < high


@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_differences_are_those_of_the_statistics(scenario):
    rows = joint(scenario)
    given = known("brier_score", scenario)
    for statistic, function in (("brier_score", pm.brier_score), ("log_loss", pm.log_loss)):
        found = pm.compare(rows, statistic=statistic, **given)
        values = [function(rows[name], **given, nonnegative=False).value for name in rows]
        assert found.differences[0].value == pytest.approx(values[0] - values[1])
        assert [e.value for e in found.estimates.values()] == pytest.approx(values)
        assert found.ranking is None
    found = pm.compare(rows, statistic="pulp")
    values = [pm.pulp(rows[name]).value for name in rows]
    assert found.differences[0].value == pytest.approx(values[0] - values[1])


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_model_does_not_differ_from_itself(statistic):
    found = pm.compare(joint(CC, same=True), statistic=statistic, **known(statistic, CC))
    assert found.differences[0].value == 0
    assert found.differences[0].p_value == pytest.approx(1.0)


def test_a_range_of_the_prior_widens_the_difference():
    rows = joint(CC)
    narrow = pm.compare(rows, statistic="brier_score", prior=0.3).differences[0].interval
    wide = pm.compare(rows, statistic="brier_score", prior=(0.2, 0.4)).differences[0].interval
    assert wide.low <= narrow.low < narrow.high <= wide.high
    assert wide.kind == "combined"


def test_what_cannot_be_compared_is_said():
    rows = joint(CC)
    with pytest.raises(PriorError, match="prior is missing"):
        pm.compare(rows, statistic="brier_score")
    with pytest.raises(InputError, match="takes no threshold"):
        pm.compare(rows, statistic="pulp", threshold=0.5)
    scores = {name: 10 * rows.scores[name] for name in rows}
    y = (rows.kind == 0).astype(int)
    beyond = pm.JointTable.from_arrays(y, scores, scenario=CC)
    for statistic in ("brier_score", "log_loss", "calibration_error"):
        with pytest.raises(ScoreError, match="needs probabilities"):
            pm.compare(beyond, statistic=statistic, prior=0.3)
