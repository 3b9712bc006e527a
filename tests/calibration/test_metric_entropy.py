"""fCMI by metric entropy: against the fCMI itself, covers that are built, and every step of the proof."""

import math
import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import InputError
from tests.calibration.test_capacity import EVEN, UPPER
from tests.oracles import vapnik


@st.composite
def lists_of_models(draw):
    """Some models of three values on three points: the list is fixed before the data are seen."""
    every = list(product(range(3), repeat=3))
    return draw(st.lists(st.sampled_from(every), min_size=1, max_size=6, unique=True))


def learner(models, seed):
    """Any function of the training rows."""
    chosen = {}

    def learn(*training):
        if training not in chosen:
            chosen[training] = random.Random(f"{seed}{training}").choice(models)
        return chosen[training]

    return learn


@pytest.mark.parametrize("sizes", [(1, 1), (1, 2)])
@given(lists_of_models(), st.integers(0, 10**6))
def test_no_choice_from_a_list_tells_more_than_its_logarithm(sizes, models, seed):
    told = vapnik.information(learner(models, seed), *sizes, UPPER, EVEN)
    for value, rows in zip(told, ("all", "unlabeled"), strict=True):
        bound = pm.fcmi_bound(
            metric_entropy=math.log(len(models)), n_pos=sizes[0], n_unl=sizes[1], rows=rows
        )
        assert value <= bound + 1e-12


def test_rounded_parameters_are_a_list():
    """k numbers from −1 to 1, rounded to a fifth: eleven values each, in the norm of the largest."""
    found = pm.fcmi_bound(n_parameters=3, radius=1, resolution=0.2, n_pos=100, n_unl=100)
    assert found == pytest.approx(3 * math.log(11))
    bits = pm.fcmi_bound(metric_entropy=3 * 8 * math.log(2), n_pos=100, n_unl=100)
    assert bits == pytest.approx(math.log(256**3))


@pytest.mark.parametrize(("radius", "resolution"), [(1.0, 0.5), (2.0, 0.3), (1.0, 0.9), (0.5, 0.6)])
def test_a_cover_of_a_disc_has_no_more_points_than_counted(radius, resolution):
    """Points that are farther apart than the resolution, taken one after the other, until none is left."""
    rng = np.random.default_rng(0)
    tried = rng.uniform(-radius, radius, size=(4000, 2))
    tried = tried[np.hypot(*tried.T) <= radius]
    kept = np.zeros((1, 2))
    for point in tried:
        if np.hypot(*(kept - point).T).min() > resolution:
            kept = np.vstack([kept, point])
    assert max(np.hypot(*(kept - point).T).min() for point in tried) <= resolution
    counted = pm.fcmi_bound(
        n_parameters=2, radius=radius, resolution=resolution, n_pos=1e6, n_unl=1e6
    )
    assert len(kept) <= math.exp(counted) + 1e-9


def test_it_is_the_formula_and_never_more_than_the_choice_of_rows():
    sizes = {"n_pos": 50, "n_unl": 500}
    found = pm.fcmi_bound(n_parameters=7, radius=3.0, slope=0.25, resolution=1e-3, **sizes)
    assert found == pytest.approx(7 * math.log(1 + 2 * 3 * 0.25 / 1e-3))
    assert found == pm.fcmi_bound(metric_entropy=found, **sizes)
    most = 550 * math.log(2)
    assert pm.fcmi_bound(metric_entropy=1e9, **sizes) == pytest.approx(most)
    assert (
        pm.fcmi_bound(n_parameters=9, radius=1e300, slope=1e300, resolution=1e-9, **sizes) == most
    )
    assert pm.fcmi_bound(n_parameters=0, radius=1e300, slope=1e300, resolution=1e-9, **sizes) == 0
    assert pm.fcmi_bound(n_parameters=9, radius=0.5, resolution=0.5, **sizes) == 0


# ---------------------------------------------------------------- a model that is only near the list


def calibration_error(score, n_bins):
    """In bins of equal width, of eight labelled rows and the others; prior 0.4."""
    table = pm.ScoreTable.from_groups(
        positive=score[:8], unlabeled=score[8:], scenario="case_control"
    )
    return pm.calibration_error(table, prior=0.4, n_bins=n_bins, binning="width").error


@given(st.integers(0, 10**6), st.integers(1, 6), st.sampled_from([0.3, 0.1, 0.01, 1e-4]))
def test_a_near_model_differs_by_the_resolution_and_by_rows_at_edges(seed, n_bins, resolution):
    rng = np.random.default_rng(seed)
    near = rng.random(40)
    exact = np.clip(near + rng.uniform(-resolution, resolution, 40), 0, 1)
    edges = np.arange(1, n_bins) / n_bins
    close = (np.abs(near[:, None] - edges) <= resolution + 1e-12).any(axis=1)
    allowed = resolution + 2 * close[8:].mean() + 2 * 0.4 * close[:8].mean()
    moved = abs(calibration_error(near, n_bins) - calibration_error(exact, n_bins))
    assert moved <= allowed + 1e-9


def test_a_pair_of_rows_has_no_exponential_moment_above_one():
    for first, second in product((0, 1), repeat=2):
        both = [
            math.exp((train - 2.1 * test) / 2) for train, test in ((first, second), (second, first))
        ]
        assert sum(both) / 2 <= 1


@given(lists_of_models(), st.integers(0, 10**6))
def test_the_share_of_chosen_rows_is_hardly_larger_in_training(models, seed):
    """E U(A) ≤ 2.1·P(A) + 2·I/n over all supersamples, for A the rows where the output is 2."""
    learn, n_pos, n_unl = learner(models, seed), 1, 2
    told = vapnik.information(learn, n_pos, n_unl, UPPER, EVEN)[0]
    trained, expected, weight = 0.0, 0.0, 0.0
    for unl in product(range(3), repeat=n_unl):
        for pos in (1, 2):
            model = learn((pos,), unl)
            chance = float(math.prod(EVEN[x] for x in unl) * UPPER[pos])
            trained += chance * np.mean([model[x] == 2 for x in unl])
            expected += chance * sum(float(EVEN[x]) for x in range(3) if model[x] == 2)
            weight += chance
    assert weight == pytest.approx(1)
    assert trained <= 2.1 * expected + 2 * told / n_unl + 1e-12


def test_digits_beyond_the_resolution_can_tell_everything():
    """Why metric entropy alone does not bound fCMI: one number near 1/2 holds the training rows."""
    rng = random.Random(0)
    pairs = [(rng.random(), rng.random()) for _ in range(5)]
    seen = set()
    for choice in product((0, 1), repeat=5):
        rows = tuple(pair[c] for pair, c in zip(pairs, choice, strict=True))
        seen.add(0.5 + 0.01 * random.Random(str(rows)).random())
    assert math.log(len(seen)) == pytest.approx(5 * math.log(2))
    assert pm.fcmi_bound(n_parameters=1, radius=0.01, resolution=0.01, n_pos=2, n_unl=3) == 0


def test_the_whole_bound_holds_for_a_fitted_threshold_of_noise():
    """A model of one parameter, f = σ(w·x) with w fitted to rows of noise, against its true error."""
    rng = np.random.default_rng(5)
    n_pos, n_unl, prior, n_bins, resolution = 200, 1000, 0.5, 5, 1e-4
    told = pm.fcmi_bound(n_parameters=1, radius=2.0, slope=0.25, resolution=resolution,
                         n_pos=n_pos, n_unl=n_unl)  # fmt: skip
    weights = np.linspace(0.5, 2.0, 40)
    density = 1 / 0.12  # x is uniform on −½ to ½: the slope of the score is at least w·σ'(w/2)
    found = []
    for _ in range(20):
        pos, unl = rng.random(n_pos) - 0.5, rng.random(n_unl) - 0.5
        errors = []
        for w in weights:
            table = pm.ScoreTable.from_groups(
                positive=1 / (1 + np.exp(-w * pos)), unlabeled=1 / (1 + np.exp(-w * unl)),
                scenario="case_control",
            )  # fmt: skip
            errors.append(
                pm.calibration_error(table, prior=prior, n_bins=n_bins, binning="width").error
            )
        w = weights[int(np.argmin(errors))]  # the model is chosen on the very rows
        at = (np.arange(2000) + 0.5) / 2000 - 0.5
        found.append(abs(np.mean(np.abs(1 / (1 + np.exp(-w * at)) - 0.5)) - min(errors)))
    bound = pm.generalization_bound(n_pos=n_pos, n_unl=n_unl, prior=prior, n_bins=n_bins, fcmi=told,
                                    binning="width", lipschitz=0.0)  # fmt: skip
    more = 2 * resolution + 20.8 * resolution * density * (n_bins - 1)
    more += 4 * told * (prior / n_pos + 1 / n_unl)
    assert np.mean(found) <= float(bound) + more < 1.5


def test_one_size_is_asked_for():
    sizes = {"n_pos": 10, "n_unl": 100}
    with pytest.raises(InputError, match="none was given"):
        pm.fcmi_bound(**sizes)
    with pytest.raises(InputError, match="vc_dimension and metric_entropy were given"):
        pm.fcmi_bound(vc_dimension=2, metric_entropy=2.0, **sizes)
    with pytest.raises(InputError, match="radius was given without n_parameters"):
        pm.fcmi_bound(vc_dimension=2, radius=2.0, **sizes)
    with pytest.raises(InputError, match="n_parameters also needs resolution"):
        pm.fcmi_bound(n_parameters=2, radius=2.0, **sizes)
    with pytest.raises(InputError, match="levels=30 was given without vc_dimension"):
        pm.fcmi_bound(metric_entropy=2.0, levels=30, **sizes)
    with pytest.raises(InputError, match="resolution=0 is not a possible distance"):
        pm.fcmi_bound(n_parameters=2, radius=2.0, resolution=0, **sizes)
    with pytest.raises(InputError, match="metric_entropy=-1 is negative"):
        pm.fcmi_bound(metric_entropy=-1, **sizes)
