import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import InputError, LabelError, PriorError, UnsupportedError
from puremetrics.priors.propensity import _fit, _Model, _standardised
from tests.oracles import hajek
from tests.oracles.sar_em import likelihood, sar_em
from tests.programs import load

SINGLE = "single_training_set"


def drawn(rows=3000, slope=1.0, seed=0):
    """Features, labels, scores, propensities and hidden classes."""
    world = load("simulate_propensity").Features(rows, slope)
    return world.sample(np.random.default_rng(seed))


def codes(result):
    return [remark.code for remark in result.diagnostics]


@pytest.mark.parametrize(("slope", "attributes"), [(1.0, [1]), (0.0, []), (2.0, [1, 3])])
def test_the_search_ends_where_em_ends(slope, attributes):
    features, y, *_ = drawn(500, slope)
    scaled = _standardised(features)
    model = _Model(scaled, tuple(attributes), y == 1, 1.0)
    found = min((_fit(model, start, 1000) for start in (0.3, 0.6)), key=lambda fit: fit.loss)
    by_class, by_label, path = sar_em(scaled, attributes, y == 1, 1.0, steps=40)
    assert np.all(np.diff(path) > -1e-6)  # EM climbs
    assert -found.loss >= path[-1] - 1e-6
    assert -found.loss == pytest.approx(path[-1], abs=0.5)
    both = np.concatenate([by_class, by_label])
    assert -model.loss(both)[0] == pytest.approx(
        likelihood(scaled, attributes, y == 1, by_class, by_label, 1.0), abs=1e-8
    )


def test_the_gradient_is_that_of_the_likelihood():
    features, y, *_ = drawn(200)
    model = _Model(_standardised(features), (1,), y == 1, 0.7)
    theta = np.random.default_rng(0).normal(size=7)
    slopes = [
        (model.loss(theta + 1e-6 * unit)[0] - model.loss(theta - 1e-6 * unit)[0]) / 2e-6
        for unit in np.eye(7)
    ]
    assert model.loss(theta)[1] == pytest.approx(slopes, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("slope", [1.0, pytest.param(1.5, marks=pytest.mark.slow)])
def test_estimated_propensities_bring_the_area_back(slope):
    errors = []
    for seed in range(8):
        features, y, score, chance, truth = drawn(4000, slope, seed)
        found = pm.estimate_propensity(features, y, attributes=[1])
        ratio = np.log(found.propensity / chance)[y == 1]
        assert ratio.std() < 0.25  # relative propensities, on which weighting rests
        ranks = np.argsort(np.argsort(score))
        exact = (ranks[truth].mean() - (truth.sum() - 1) / 2) / (~truth).sum()
        errors.append([
            pm.roc_auc(
                pm.ScoreTable.from_arrays(y, score, scenario=SINGLE, propensity=propensity),
                prior=truth.mean(), method="direct",
            ).value - exact
            for propensity in (None, chance, found.propensity)
        ])  # fmt: skip
    plain, known, modelled = np.abs(np.mean(errors, axis=0))
    assert plain > 0.03
    assert known < plain / 2
    assert modelled < plain / 2


def test_the_result_says_what_it_found():
    features, y, *_ = drawn()
    found = pm.estimate_propensity(features, y, attributes=[1])
    assert found == pm.estimate_propensity(features.tolist(), y.astype(bool), attributes=(1, 1),
                                           pos_label=True, unlabeled_label=False)  # fmt: skip
    assert found.propensity.shape == found.class_probability.shape == y.shape
    assert found.converged
    assert found.n_labelled == y.sum()
    weight = 1 / found.propensity[y == 1]
    assert found.effective_labels == pytest.approx(weight.sum() ** 2 / np.sum(weight**2))
    assert found.prior == pytest.approx(found.class_probability.mean())
    assert found.prior == pytest.approx(0.32, abs=0.06)
    assert set(found.frame()) == {"propensity", "class_probability"}
    assert "labels carry as much information as" in str(found)
    assert not found.diagnostics


def test_features_in_any_unit_give_the_same():
    features, y, *_ = drawn(800)
    first = pm.estimate_propensity(features, y, attributes=[1])
    moved = features * np.array([1e6, 1e-6, 3.0, 1e90]) + np.array([1e6, 0.0, -2.0, 0.0])
    again = pm.estimate_propensity(moved, y, attributes=[1])
    assert again.propensity == pytest.approx(first.propensity, abs=1e-3)


def test_clipping_and_few_effective_labels_are_said():
    features, y, *_ = drawn(4000, 3.0)
    found = pm.estimate_propensity(features, y, attributes=[1], clip=1e-4)
    assert "PM120" in codes(found)
    assert found.effective_labels < found.n_labelled / 2
    clipped = pm.estimate_propensity(features, y, attributes=[1], clip=0.3)
    assert clipped.clipped > 0
    assert "PM121" in codes(clipped)
    assert clipped.propensity.min() == 0.3
    assert clipped.effective_labels > found.effective_labels


def test_a_search_that_was_stopped_says_so():
    features, y, *_ = drawn(500)
    found = pm.estimate_propensity(features, y, attributes=[1], max_iterations=1)
    assert not found.converged
    assert "PM122" in codes(found)


def test_one_propensity_for_all_is_random_labelling():
    features, y, *_ = drawn(3000, 0.0)
    found = pm.estimate_propensity(features, y, attributes=[])
    assert np.ptp(found.propensity) == 0
    assert found.effective_labels == pytest.approx(found.n_labelled)
    assert "(none)" in str(found)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"attributes": [0, 1, 2, 3]}, "can be swapped"),
        ({"attributes": [4]}, "must list columns of X"),
        ({"attributes": "1"}, "must list columns of X"),
        ({"attributes": [True]}, "must list columns of X"),
        ({"attributes": 1}, "must list columns of X"),
        ({"ridge": -1}, "negative"),
        ({"clip": 0}, "smallest propensity"),
        ({"clip": 1}, "smallest propensity"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"X": [[1.0], [2.0]]}, "rows"),
        ({"X": [[np.nan] * 4] * 50}, "missing"),
    ],
)
def test_what_cannot_be_is_explained(change, message):
    features, y, *_ = drawn(50)
    given = {"X": features, "y": y, "attributes": [1], **change}
    with pytest.raises(InputError, match=message):
        pm.estimate_propensity(**given)
    with pytest.raises(LabelError):
        pm.estimate_propensity(features, np.zeros(50), attributes=[1])


# ------------------------------------------------------------------------------- the prior


@given(
    st.lists(st.sampled_from([1.0, 0.5, 0.25, 0.1]), min_size=1, max_size=12), st.integers(0, 60)
)
def test_the_prior_is_that_of_horvitz_and_thompson(chances, more):
    others = int(sum(1 / c for c in chances)) + more + 1
    y = [1] * len(chances) + [0] * others
    chance = [*chances, *[None] * others]
    table = pm.ScoreTable.from_arrays(y, range(len(y)), scenario=SINGLE, propensity=chance)
    found = pm.prior_from_propensities(table)
    assert found.prior == pytest.approx(hajek.prior(y, [c or 1.0 for c in chance]))
    assert len(chances) / len(y) - 1e-12 <= found.interval.low <= found.prior <= found.interval.high
    assert found.label_frequency == pytest.approx(len(chances) / sum(1 / c for c in chances))
    cut = pm.prior_from_propensities(table.cut())
    assert cut.prior == pytest.approx(found.prior)
    assert pm.roc_auc(table, prior=found.prior).value is not None


def test_the_prior_with_weights_counts_rows_by_them():
    y, chance = [1, 1, 0, 0, 0, 0, 0, 0], [0.5, 1.0, *[None] * 6]
    weighted = pm.ScoreTable.from_arrays(
        y, range(8), scenario=SINGLE, propensity=chance, sample_weight=np.full(8, 3.0)
    )
    assert pm.prior_from_propensities(weighted).prior == pytest.approx(0.375)


def test_a_prior_that_cannot_be_is_explained():
    y, scores = [1, 1, 0, 0], [4, 3, 2, 1]
    small = pm.ScoreTable.from_arrays(y, scores, scenario=SINGLE, propensity=[0.1, 0.1, None, None])
    with pytest.raises(PriorError, match="stand for 20 positives"):
        pm.prior_from_propensities(small)
    for other in ({"scenario": SINGLE}, {"scenario": "case_control", "propensity": [0.5] * 4}):
        with pytest.raises(UnsupportedError, match="single training set only"):
            pm.prior_from_propensities(pm.ScoreTable.from_arrays(y, scores, **other))
    with pytest.raises(InputError):
        pm.prior_from_propensities("table")


@pytest.mark.slow
def test_intervals_hold_with_known_propensities():
    simulate = load("simulate_propensity")
    for scenario in simulate.SCENARIOS:
        for link in simulate.LINKS:
            found, _ = simulate.coverage_of(simulate.World(scenario, 8.0, 100, link), 150, 5)
            assert min(found.values()) >= 0.88, (scenario, link, found)


def test_attributes_are_a_list():
    X = np.zeros((4, 2))
    with pytest.raises(InputError, match="must list columns"):
        pm.estimate_propensity(X, [1, 0, 1, 0], attributes=np.array(1))
