"""AlphaMax against numerical solvers."""

import numpy as np
import pytest

from puremetrics.priors.alphamax import alphamax_objective
from tests.oracles import priors as oracle


def random_histograms(count, bins=8, seed=0):
    rng = np.random.default_rng(seed)
    w = np.array([rng.dirichlet(np.full(bins, rng.choice([0.3, 1, 5]))) for _ in range(count)])
    w = (w + 1e-6) / (w + 1e-6).sum(axis=1, keepdims=True)
    v = np.array([rng.dirichlet(np.full(bins, rng.choice([0.5, 1, 5]))) for _ in range(count)])
    v[::4, 0] = 0.0  # bins without labelled rows take another branch
    v /= v.sum(axis=1, keepdims=True)
    return w, v, rng.choice([0.001, 0.05, 0.3, 0.7, 0.95, 0.99], count)


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # of scipy before 1.13
def test_alphamax_objective_equals_numerical_solvers():
    w, v, c = random_histograms(200)
    ours = np.array(
        [alphamax_objective(*row, np.array([x]))[0] for *row, x in zip(w, v, c, strict=True)]
    )
    np.testing.assert_allclose(oracle.alphamax_dual(w, v, c), ours, atol=1e-8, rtol=0)
    solved = np.array([oracle.alphamax_numeric(*row) for row in zip(w, v, c, strict=True)])
    assert np.all(solved <= ours + 1e-8)  # no feasible point is better
    assert np.mean(np.abs(solved - ours) < 1e-6) > 0.7  # the general solver often stops early


def test_alphamax_objective_is_flat_then_falls():
    v = np.array([0.5, 0.3, 0.2, 0.0])
    w = 0.3 * v + 0.7 * np.array([0.0, 0.0, 0.3, 0.7])
    curve = alphamax_objective(w, v, np.array([0.01, 0.1, 0.2, 0.3, 0.4, 0.6]))
    np.testing.assert_allclose(curve[:4], curve[0], atol=1e-9)
    assert np.all(np.diff(curve[3:]) < -1e-3)


def test_alphamax_objective_with_bins_that_hold_no_unlabeled():
    curve = alphamax_objective(
        np.array([0.0, 0.4, 0.0, 0.6]), np.array([0.2, 0.6, 0.1, 0.1]), np.array([0.2, 0.5])
    )
    assert np.all(np.isfinite(curve))
