"""The bound of the fCMI against the fCMI itself, by enumeration of small classes."""

import math
import random
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import InputError
from tests.oracles import vapnik

EVEN = [Fraction(1, 3)] * 3
UPPER = [Fraction(0), Fraction(1, 2), Fraction(1, 2)]


@st.composite
def classes(draw):
    """Some models on three points, and how many values they have."""
    values = draw(st.integers(2, 3))
    every = list(product(range(values), repeat=3))
    return draw(st.lists(st.sampled_from(every), min_size=1, max_size=10, unique=True)), values


@given(classes())
def test_no_class_has_more_models_than_its_dimension_allows(given_class):
    models, values = given_class
    dimension = vapnik.pseudo_dimension(models, values)
    assert len(models) <= vapnik.patterns(dimension, 3, values)


@pytest.mark.parametrize("sizes", [(1, 1), (1, 2), (2, 1)])
@given(classes(), st.integers(0, 10**6))
def test_no_algorithm_tells_more_than_the_bound(sizes, given_class, seed):
    models, values = given_class
    dimension = vapnik.pseudo_dimension(models, values)
    chosen = {}

    def learn(*training):  # any function of the training rows
        if training not in chosen:
            chosen[training] = random.Random(f"{seed}{training}").choice(models)
        return chosen[training]

    told = vapnik.information(learn, *sizes, UPPER, EVEN)
    for value, rows in zip(told, ("all", "unlabeled"), strict=True):
        bound = pm.fcmi_bound(
            vc_dimension=dimension, n_pos=sizes[0], n_unl=sizes[1], levels=values, rows=rows
        )
        assert value <= bound + 1e-12


def test_a_model_that_remembers_all_reaches_the_bound():
    """With pairs of two different points, always: outputs 1 at the rows of training, 0 elsewhere."""

    def learn(pos, unl):
        return tuple(int(x in {*pos, *unl}) for x in range(400))

    rng = random.Random(0)
    points = rng.sample(range(400), 8)
    seen = set()
    for choice in product((0, 1), repeat=4):
        trained = [points[2 * i + c] for i, c in enumerate(choice)]
        seen.add(tuple(learn(trained[:2], trained[2:])[x] for x in points))
    bound = pm.fcmi_bound(vc_dimension=400, n_pos=2, n_unl=2)
    assert math.log(len(seen)) == pytest.approx(bound) == pytest.approx(4 * math.log(2))


@given(st.integers(0, 60), st.integers(1, 300), st.integers(1, 3000), st.integers(1, 40))
def test_the_sum_is_that_of_the_lemma(dimension, n_pos, n_unl, levels):
    sizes = {"n_pos": n_pos, "n_unl": n_unl, "vc_dimension": dimension, "levels": levels}
    points, most = 2 * (n_pos + n_unl), (n_pos + n_unl) * math.log(2)
    allowed = math.log(vapnik.patterns(dimension, points, levels))
    on_all = pm.fcmi_bound(**sizes)
    assert on_all == pytest.approx(min(allowed, most), rel=1e-10)
    on_unlabeled = pm.fcmi_bound(**sizes, rows="unlabeled")
    assert on_unlabeled <= on_all
    exact = math.log(vapnik.patterns(dimension, 2 * n_unl, levels))
    assert on_unlabeled >= min(exact, on_all) * (1 - 1e-10)
    if 0 < dimension <= points and levels > 1:
        assert on_all <= dimension * math.log(math.e * points * (levels - 1) / dimension) + 1e-9


def test_very_many_rows():
    for dimension in (1, 3, 20):
        exact = math.log(vapnik.patterns(dimension, 4 * 10**12, 2))
        found = pm.fcmi_bound(vc_dimension=dimension, n_pos=10**12, n_unl=10**12)
        assert found == pytest.approx(exact, rel=1e-9)
    many = pm.fcmi_bound(vc_dimension=10**12, n_pos=10**12, n_unl=10**12)
    assert many == pytest.approx(2 * 10**12 * math.log(2))


def test_the_bound_goes_into_theorem_3_and_falls_with_rows():
    found = []
    for n in (10**3, 10**4, 10**5, 10**6):
        sizes = {"n_pos": n, "n_unl": 10 * n}
        on = [pm.fcmi_bound(vc_dimension=5, **sizes, rows=rows) for rows in ("all", "unlabeled")]
        assert on[1] < on[0]
        found.append(
            float(
                pm.generalization_bound(
                    **sizes, prior=0.4, n_bins=10, fcmi=on[0], fcmi_unlabeled=on[1]
                )
            )
        )
    assert found == sorted(found, reverse=True)
    with pytest.raises(InputError, match="vc_dimension"):
        pm.fcmi_bound(vc_dimension=-1, n_pos=3, n_unl=3)


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 5))
def test_rounding_to_cells_moves_the_error_by_half_a_cell_at_most(seed, n_bins, cells):
    rng = random.Random(seed)
    levels = n_bins * cells
    scores = [rng.choice([rng.random(), rng.randint(0, levels) / levels]) for _ in range(30)]
    errors = []
    for values in (scores, [(max(math.ceil(s * levels - 1e-9), 1) - 0.5) / levels for s in scores]):
        table = pm.ScoreTable.from_groups(
            positive=values[:8], unlabeled=values[8:], scenario="case_control"
        )
        errors.append(pm.calibration_error(table, prior=0.4, n_bins=n_bins, binning="width").error)
    assert abs(errors[0] - errors[1]) <= 0.5 / levels + 1e-9
