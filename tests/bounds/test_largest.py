"""The largest prior that the ranks allow."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.bounds import largest
from tests.oracles import fisher
from tests.strategies import groups


@pytest.mark.slow
@pytest.mark.parametrize(("share", "shift"), [(0.02, 4), (0.1, 2), (0.3, 4), (0.6, 1.5)])
def test_the_largest_prior_holds(share, shift):
    rng = np.random.default_rng(2)
    misses, limits = 0, []
    for _ in range(300):
        latent = rng.random(2000) < share
        table = pm.ScoreTable.from_groups(
            positive=rng.normal(shift, 1, 300),
            unlabeled=rng.normal(size=2000) + shift * latent,
            scenario="case_control",
        )
        limit = pm.largest_prior(table)
        misses += limit.prior < latent.mean()
        limits.append(limit.prior)
    assert misses / 300 <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5
    if shift == 4:
        assert np.median(limits) < 1.25 * share + 0.02  # and it is worth having


def test_noisy_labels_lower_the_limit_in_proportion():
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(3, 1, 300),
        unlabeled=np.concatenate([rng.normal(3, 1, 100), rng.normal(0, 1, 900)]),
        scenario="case_control",
    )
    clean = pm.largest_prior(table).prior
    assert pm.largest_prior(table, purity=1.0).prior == clean
    assert pm.largest_prior(table, purity=0.8).prior == pytest.approx(0.8 * clean)
    assert pm.largest_prior(table, purity=(0.6, 0.8)).prior == pytest.approx(0.8 * clean)


def _biased(rng, gamma, labelled=300, unlabeled=2000, share=0.2, shift=3.0):
    """Positives above their median are labelled Γ times as often."""
    some = rng.normal(shift, 1, int(20 * gamma * labelled))
    chance = np.where(some > shift, 1.0, 1 / gamma)
    latent = rng.random(unlabeled) < share
    table = pm.ScoreTable.from_groups(
        positive=some[rng.random(some.size) < chance][:labelled],
        unlabeled=rng.normal(size=unlabeled) + shift * latent,
        scenario="case_control",
    )
    return table, latent.mean()


@pytest.mark.slow
@pytest.mark.parametrize("gamma", [1.5, 2.0, 4.0])
def test_the_largest_prior_holds_under_biased_labels(gamma):
    rng = np.random.default_rng(3)
    misses = too_low = 0
    for _ in range(200):
        table, share = _biased(rng, gamma)
        misses += pm.largest_prior(table, label_bias=gamma).prior < share
        too_low += pm.largest_prior(table).prior < share
    assert misses / 200 <= 0.05
    assert gamma < 4 or too_low > 150


def test_bias_allows_more_positives_unless_it_favours_low_scores():
    table, _ = _biased(np.random.default_rng(1), 2.0)
    plain = pm.largest_prior(table)
    assert pm.largest_prior(table, label_bias=1, label_bias_side="high") == plain
    assert pm.largest_prior(table, label_bias=9, label_bias_side="low") == plain
    limits = [pm.largest_prior(table, label_bias=gamma).prior for gamma in (1.1, 2, 5, 50)]
    assert plain.prior < limits[0] < limits[1] < limits[2] < limits[3]
    either = pm.largest_prior(table, label_bias=2)
    assert either == pm.largest_prior(table, label_bias=2, label_bias_side="high")
    assert either.interval.method == "fisher_heads"
    noisy = pm.largest_prior(table, label_bias=2, purity=0.8)
    assert noisy.prior == pytest.approx(0.8 * either.prior)
    with pytest.raises(pm.PuremetricsError, match="label_bias=0"):
        pm.largest_prior(table, label_bias=0)


@given(
    groups(max_size=8, negatives=False), st.sampled_from([1.5, 4.0]), st.sampled_from([0.05, 0.2])
)
def test_numbers_are_contradicted_by_the_law(data, odds, error):
    """Heads that end with the j-th labelled row: here every j is one of them."""
    labelled = len(data.pos)
    possible = largest._biased(data.table("case_control"), error, odds)
    ordered = sorted(data.pos, reverse=True)
    for latent in range(1, len(data.unl) + 1):
        tails = []
        for j, score in enumerate(ordered, start=1):
            marked = min(j + sum(s >= score for s in data.unl), labelled + latent)
            tails.append(fisher.at_least(j, labelled + latent, marked, labelled, Fraction(odds)))
        assert possible(latent) == (min(tails) > Fraction(error) / labelled)


def test_biased_labels_allow_no_less_than_random_ones():
    rng = np.random.default_rng(5)
    y = np.r_[np.ones(5, int), np.zeros(60, int)]
    table = pm.ScoreTable.from_arrays(y, rng.normal(size=65) + y, scenario="single_training_set")
    limits = [pm.largest_prior(table, label_bias=g).prior for g in (1, 1.0001, 2, 5)]
    assert limits == sorted(limits)


@given(
    st.integers(0, 2**20),
    st.sampled_from(["case_control", "single_training_set"]),
    st.floats(0.02, 0.98),
)
def test_single_functions_say_that_a_prior_is_above_the_largest(seed, scenario, part):
    rng = np.random.default_rng(seed)
    n_pos, n_unl = int(rng.integers(20, 400)), int(rng.integers(50, 2000))
    score = np.concatenate([rng.normal(2, 1, n_pos), rng.normal(0, 1, n_unl)])
    y = (np.arange(n_pos + n_unl) < n_pos).astype(int)
    groups = None if seed % 3 else np.arange(y.size) // 2
    table = pm.ScoreTable.from_arrays(y, score, scenario=scenario, groups=groups)
    least = n_pos / y.size if scenario == "single_training_set" else 0.0
    prior = least + part * (1 - least)
    purity, bias = (
        (1.0, float(rng.choice([1.0, 3.0]))) if seed % 2 else (min(0.9 + prior / 10, 1.0), 1.0)
    )
    if purity <= prior + 0.01:
        purity = 1.0
    given_ = {"purity": purity, "label_bias": bias}
    limit = pm.priors.largest_prior(table, **given_).prior
    for call in (pm.roc_auc, pm.average_precision):
        said = [d.code for d in call(table, prior=prior, **given_).diagnostics]
        assert ("PM503" in said) == (prior > limit)
    evaluated = {d.code for d in pm.evaluate(table, prior=prior).diagnostics}
    plain = {d.code for d in pm.metric(table, "precision", threshold=1.0, prior=prior).diagnostics}
    assert ("PM503" in evaluated) == ("PM503" in plain)
