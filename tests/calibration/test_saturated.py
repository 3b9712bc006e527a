"""Scores of exactly 0 and 1 in logistic maps."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logit

from puremetrics import ScoreTable
from puremetrics.calibration.recalibration import RecalibrationMap, recalibrate
from tests.calibration.cases import codes

LOGISTIC = ("platt", "temperature", "beta")


def drawn(rng, rows, prior, share, made):
    y = rng.random(rows) < share
    z = 2 * (rng.normal(size=rows) + 2 * y - 1) + logit(prior)
    return y, z, made(z, rng)


def votes(z, rng):
    return rng.binomial(20, expit(z)) / 20


def failures(z, rng):
    """Some clear positives are scored 0."""
    return np.where((rng.random(z.size) < 0.06) & (z > 0), 0.0, expit(z))


def single_precision(z, rng):
    return expit(4 * z).astype(np.float32).astype(float)


def table_of(made, seed=0, prior=0.3, rows=(1000, 10_000)):
    rng = np.random.default_rng(seed)
    pos, unl = (drawn(rng, n, prior, p, made)[2] for n, p in zip(rows, (1.0, prior), strict=True))
    return ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario="case_control")


@pytest.mark.parametrize(
    ("made", "slope"), [(votes, 0.94), (failures, 1.0), (single_precision, 0.25)]
)
def test_rounded_scores_leave_the_slope_alone(made, slope):
    """A fixed distance of 1e-7 gives slopes of 0.38, 0.35 and 0.27 here."""
    table = table_of(made)
    found = recalibrate(table, prior=0.3, method="platt")
    assert found.parameters["slope"] == pytest.approx(slope, rel=0.12)
    remark = next(str(d) for d in found.diagnostics if d.code == "PM316")
    zeros = int((table.n_pos + table.n_unl)[table.score < 2**-53].sum())
    assert f"{zeros} rows score exactly 0 and count as {found.inside[0]:.6g}" in remark or not zeros


@pytest.mark.parametrize("made", [votes, failures, single_precision])
@pytest.mark.parametrize("method", LOGISTIC)
def test_held_out_loss_is_not_worse_than_with_any_fixed_distance(made, method):
    table = table_of(made)
    y, _, score = drawn(np.random.default_rng(9), 60_000, 0.3, 0.3, made)

    def loss(to_probability):
        p = np.clip(to_probability(score), 1e-6, 1 - 1e-6)
        return -np.mean(np.where(y, np.log(p), np.log1p(-p)))

    found = loss(recalibrate(table, prior=0.3, method=method))
    for edge in (1e-7, 1e-4):
        clipped = ScoreTable.from_counts(
            np.clip(table.score, edge, 1 - edge), n_pos=table.n_pos, n_unl=table.n_unl,
            scenario="case_control",
        )  # fmt: skip
        fixed = recalibrate(clipped, prior=0.3, method=method)
        assert found <= loss(lambda s, m=fixed, e=edge: m(np.clip(s, e, 1 - e))) + 0.002


def test_rows_at_an_end_are_given_their_own_rate():
    # Between 0 and 1 a third of the rows is positive and scores N(1, 1), the others N(−1, 1) before σ.
    # At 0 are 300 of 3000 rows, 2 of 1000 labelled ones; at 1 another 300, and 270 labelled.
    rng = np.random.default_rng(1)
    y = rng.random(2400) < 0.3
    inner = expit(rng.normal(size=y.size) + np.where(y, 1, -1))
    pos = expit(rng.normal(size=728) + 1)
    table = ScoreTable.from_groups(
        positive=[*pos, *[0.0] * 2, *[1.0] * 270],
        unlabeled=[*inner, *[0.0] * 300, *[1.0] * 300], scenario="case_control",
    )  # fmt: skip
    found = recalibrate(table, prior=0.33, method="platt")
    assert found([0.0])[0] == pytest.approx(0.33 * 0.002 / 0.1, abs=0.01)
    assert found([1.0])[0] == pytest.approx(0.33 * 0.27 / 0.1, abs=0.05)


@pytest.mark.parametrize("method", LOGISTIC)
def test_without_such_rows_nothing_is_said_and_nothing_moved(method):
    table = table_of(lambda z, rng: expit(z))
    found = recalibrate(table, prior=0.3, method=method)
    assert "PM316" not in codes(found)
    assert found.inside == (2**-53, 1 - 2**-53)


@pytest.mark.parametrize("method", LOGISTIC)
@pytest.mark.parametrize(
    ("positive", "unlabeled"),
    [
        ([1.0, 1.0], [0.0, 0.0, 1.0]),
        ([0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]),
        ([1.0, 0.5], [0.0, 0.0, 0.5]),
        ([1.0, 1.0], [0.0, 0.4, 0.6]),
        ([0.0, 0.0], [1.0, 0.4, 0.6]),
        ([0.0, 0.3, 0.9], [0.3, 0.9, 1e-200]),
    ],
)
def test_small_tables_have_maps_that_rise(method, positive, unlabeled):
    table = ScoreTable.from_groups(positive=positive, unlabeled=unlabeled, scenario="case_control")
    found = recalibrate(table, prior=0.3, method=method)
    values = found(np.linspace(0, 1, 101))
    assert np.all(np.diff(values) >= 0)
    assert np.all((values >= 0) & (values <= 1))
    assert 0 < found.inside[0] <= found.inside[1] < 1
    assert "PM316" in codes(found)


def test_places_are_stored_and_older_maps_keep_theirs():
    found = recalibrate(table_of(votes), prior=0.3, method="platt")
    again = RecalibrationMap.from_json(found.to_json())
    assert again.inside == found.inside
    stored = json.loads(found.to_json())
    del stored["inside"]
    older = RecalibrationMap.from_json(json.dumps(stored))
    assert older([0.0])[0] == replace(found, inside=(1e-7, 1 - 1e-7))([0.0])[0]
    stored["inside"] = [0.5, 0.2]
    with pytest.raises(ValueError, match="two increasing scores"):
        RecalibrationMap.from_json(json.dumps(stored))


@pytest.mark.parametrize("method", LOGISTIC)
def test_other_scores_keep_their_place_though_the_map_fits_badly(method):
    table = ScoreTable.from_counts(
        np.arange(11) / 10,
        n_pos=[0, 0, 0, 0, 0, 2, 2, 9, 4, 9, 1],
        n_unl=[1, 10, 11, 17, 24, 34, 13, 19, 16, 10, 1],
        scenario="single_training_set",
    )
    found = recalibrate(table, prior=0.235, method=method)
    assert found.inside[0] <= 0.1
    assert found.inside[1] >= 0.9
    assert np.all(np.diff(found.predict(np.arange(1, 10) / 10)) > 0)
