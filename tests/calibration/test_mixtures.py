"""Mixtures of logits against scikit-learn's, and their calibration error against adaptive quadrature."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.mixture import GaussianMixture

import puremetrics as pm
from puremetrics.calibration import posterior
from puremetrics.calibration.posterior import LogitMixture, error_of_mixtures, fit_mixture
from puremetrics.exceptions import InputError, PuremetricsError


def drawn(seed, rows, weight=(0.3, 0.5, 0.2), mean=(-2.0, 1.0, 4.0), spread=(0.5, 1.0, 0.3)):
    rng = np.random.default_rng(seed)
    part = rng.choice(len(weight), rows, p=weight)
    return rng.normal(np.array(mean)[part], np.array(spread)[part])


def made(*columns):
    return LogitMixture(*(np.array(column, dtype=float) for column in columns))


# ---------------------------------------------------------------- the error of given mixtures


@pytest.mark.parametrize(
    ("beta", "truth"), [((-0.5, 1.5), 0.0744433), ((-0.2, 1.9), 0.0234589), ((0.0, 2.0), 0.0)]
)
def test_the_papers_synthetic_model(beta, truth):
    sides = (made([1], [beta[0] + sign * beta[1]], [beta[1]]) for sign in (1, -1))
    assert error_of_mixtures(0.5, *sides) == pytest.approx(truth, abs=5e-8)


def normal(z, mean, spread):
    return np.exp(-(((z - mean) / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi))


@pytest.mark.parametrize("seed", range(8))
def test_the_error_is_that_of_adaptive_quadrature(seed):
    rng = np.random.default_rng(seed)
    prior, sides = rng.random(), []
    for k in rng.integers(1, 5, 2):
        spread = np.exp(rng.normal(-0.5, 1, k))
        sides.append((rng.dirichlet(np.ones(k)), rng.normal(0, 4, k), spread))

    def gap(z):
        one, zero = (
            sum(w * normal(z, m, s) for w, m, s in zip(*side, strict=True)) for side in sides
        )
        score = 1 / (1 + np.exp(-z))
        return prior * one - score * (prior * one + (1 - prior) * zero)

    low, high = (
        end(
            m + sign * 9 * s for _, mean, spread in sides for m, s in zip(mean, spread, strict=True)
        )
        for end, sign in ((min, -1), (max, 1))
    )
    cuts = np.linspace(low, high, 1000)  # short pieces: quad would miss narrow components
    turns = [brentq(gap, a, b, xtol=1e-14) for a, b in pairwise(cuts) if gap(a) * gap(b) < 0]
    cuts = sorted([*cuts, *turns])  # and kinks
    exact = sum(abs(quad(gap, a, b, epsabs=1e-14)[0]) for a, b in pairwise(cuts))
    found = error_of_mixtures(prior, *(made(*side) for side in sides))
    assert found == pytest.approx(exact, abs=1e-12)


def test_sides_of_one_prior_have_a_closed_form():
    """At prior 1 all are positive, and the error is 1 − E σ(z); here logits hardly vary."""
    side = made([1], [2.0], [1e-6])
    other = made([0.5, 0.5], [-1e5, 1e5], [3.0, 4e4])
    assert error_of_mixtures(1.0, side, other) == pytest.approx(1 - expit(2.0), abs=1e-9)
    assert error_of_mixtures(0.0, other, side) == pytest.approx(expit(2.0), abs=1e-9)
    # Far wider than the logistic function bends: half of the rows are above 0, with a score of 1.
    assert error_of_mixtures(0.0, side, made([1], [0.0], [1e5])) == pytest.approx(0.5, abs=1e-9)


# ---------------------------------------------------------------- fits


@pytest.mark.parametrize(("seed", "rows"), [(0, 400), (1, 1500)])
def test_the_fit_is_at_least_as_good_as_scikit_learns(seed, rows):
    logit = drawn(seed, rows)
    column = logit[:, None]
    options = {"n_init": 3, "tol": 1e-6, "max_iter": 3000, "random_state": 0}
    others = [GaussianMixture(k, **options).fit(column) for k in (1, 2, 3, 4)]
    best = min(others, key=lambda fit: fit.bic(column))
    found = fit_mixture(logit, 4, np.random.default_rng(0))
    assert found.n_components == best.n_components == 3
    assert found.bic <= best.bic(column) + 1e-6
    assert found.bic == pytest.approx(best.bic(column), abs=0.05)
    order = np.argsort(best.means_[:, 0])
    assert found.mean == pytest.approx(best.means_[order, 0], abs=5e-3)
    assert found.spread == pytest.approx(np.sqrt(best.covariances_[order, 0, 0]), abs=5e-3)
    assert found.weight == pytest.approx(best.weights_[order], abs=5e-3)


def test_bic_is_that_of_the_density():
    logit = drawn(3, 300)
    found = fit_mixture(logit, 3, np.random.default_rng(0))
    likelihood = np.log(found.density(logit)).sum()
    sizes = 3 * found.n_components - 1
    assert found.bic == pytest.approx(sizes * np.log(300) - 2 * likelihood, rel=1e-9)
    assert found.rows == 300
    assert found.weight.sum() == pytest.approx(1)


def test_one_component_is_mean_and_spread():
    logit = np.random.default_rng(0).normal(3, 2, 200)
    found = fit_mixture(logit, 1, np.random.default_rng(0))
    assert found.mean == pytest.approx([logit.mean()])
    assert found.spread == pytest.approx([logit.std()])


def test_groups_of_neighbours_hardly_change_a_fit(monkeypatch):
    logit = drawn(4, 6000)
    grouped = fit_mixture(logit, 3, np.random.default_rng(0))
    monkeypatch.setattr(posterior, "_MOST_POINTS", 10**9)
    exact = fit_mixture(logit, 3, np.random.default_rng(0))
    assert grouped.n_components == exact.n_components
    assert 0 <= grouped.bic - exact.bic < 0.5  # a lower bound of the likelihood
    assert grouped.mean == pytest.approx(exact.mean, abs=1e-3)
    assert grouped.spread == pytest.approx(exact.spread, abs=1e-3)


def test_groups_leave_outliers_alone():
    logit = np.random.default_rng(0).normal(size=30_000)
    logit[:20] = np.linspace(500, 1500, 20)
    found = fit_mixture(logit, 3, np.random.default_rng(0))
    assert found.n_components == 2
    assert found.weight[1] * logit.size == pytest.approx(20, abs=0.1)
    assert found.mean == pytest.approx([0, 1000], abs=0.5)
    assert found.spread[0] == pytest.approx(1, abs=0.02)


def test_no_step_loses():
    points = posterior._Points.of(np.sort(drawn(5, 500)))
    parts = posterior._Parts(np.full(3, 1 / 3), np.array([-1.0, 0, 1]), np.ones(3))
    found = []
    for _ in range(100):
        parts, likelihood = posterior._maximise(points, parts)
        found.append(likelihood)
    assert np.all(np.diff(found) >= -1e-9)


def test_ties_and_few_rows_have_a_fit():
    tied = np.repeat([-3.0, 1.0, 2.0], [40, 30, 30])
    found = fit_mixture(tied, 10, np.random.default_rng(0))
    assert 1 <= found.n_components <= 3
    assert found.spread.min() >= 0.99e-3 * tied.std()
    assert fit_mixture(np.array([0.0, 1.0]), 10, np.random.default_rng(0)).n_components == 1


# ---------------------------------------------------------------- the public function


def test_a_known_world_is_found():
    sides = made([0.3, 0.7], [0.0, 3.0], [1.0, 0.5]), made([1], [-2.0], [1.5])
    rng = np.random.default_rng(0)
    y = np.arange(8000) < 3000
    logit = np.concatenate([sides[0].sample(3000, rng), sides[1].sample(5000, rng)])
    shuffled = rng.permutation(y.size)
    found = pm.theory.mixture_calibration_error(logit[shuffled], y[shuffled], max_components=4)
    assert found.prior == 3 / 8
    assert (found.positive.n_components, found.negative.n_components) == (2, 1)
    assert float(found) == pytest.approx(error_of_mixtures(3 / 8, *sides), abs=0.015)
    assert "2 (positives) and 1 (negatives)" in str(found)
    again = pm.mixture_calibration_error(logit[shuffled], y[shuffled], max_components=4)
    assert again == found
    other = pm.mixture_calibration_error(logit, y.astype(int), prior=0.1, max_components=1)
    assert other.value == error_of_mixtures(0.1, other.positive, other.negative)


def test_samples_are_of_the_mixtures():
    found = pm.mixture_calibration_error(drawn(6, 800), np.arange(800) % 4 == 0, max_components=2)
    score, y = found.sample(200_000, rng=1)
    assert y.mean() == pytest.approx(0.25, abs=0.005)
    edges = np.linspace(0, 1, 101)[1:]
    gaps = np.bincount(np.searchsorted(edges, score), score - y, minlength=100)
    assert np.abs(gaps).sum() / y.size == pytest.approx(found.value, abs=0.01)
    assert np.array_equal(found.sample(5, rng=3)[0], found.sample(5, rng=3)[0])
    assert found.sample(0)[0].size == 0


@pytest.mark.parametrize(
    ("logit", "y", "said"),
    [
        ([1.0, 2.0, 3.0], [1, 1, 1], "y = 0 has no rows"),
        ([1.0, 1.0, 3.0, 4.0], [1, 1, 0, 0], "y = 1 has 2 rows with the same logit"),
        ([1.0, np.inf, 3.0, 4.0], [1, 1, 0, 0], "no logit"),
        ([1.0, np.nan, 3.0, 4.0], [1, 1, 0, 0], "missing"),
        ([1.0, 2.0, 3.0], [1, 0], "same length"),
        ([1.0, 2.0, 3.0, 4.0], [1, 2, 0, 0], "1 or 0"),
        ([], [], "no rows"),
    ],
)
def test_what_has_no_mixture_is_told(logit, y, said):
    with pytest.raises(PuremetricsError, match=said):
        pm.mixture_calibration_error(logit, y)


def test_wrong_arguments_are_told():
    rows = ([1.0, 2.0, 3.0, 4.0], [1, 1, 0, 0])
    with pytest.raises(InputError, match="max_components=0"):
        pm.mixture_calibration_error(*rows, max_components=0)
    with pytest.raises(PuremetricsError, match="prior=7"):
        pm.mixture_calibration_error(*rows, prior=7)
