"""Priors estimated from scores, against oracles and in simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puremetrics import ScoreTable, largest_prior, roc_auc
from puremetrics.exceptions import InputError, PuremetricsError, UnsupportedError
from puremetrics.priors import (
    METHODS,
    estimate_prior,
)
from puremetrics.priors.combined import labelled_bins, share_posterior
from puremetrics.priors.ratio_methods import bound_ranks
from puremetrics.priors.samples import Samples, rank_edges
from tests.oracles import priors as oracle
from tests.priors.cases import RANK_METHODS, codes, normal_table
from tests.strategies import groups, scenarios


@given(groups(negatives=False), scenarios)
def test_best_bin_equals_the_oracle(data, scenario):
    found = estimate_prior(data.table(scenario), method="best_bin", interval="none")
    smallest, share = oracle.best_bin(data.pos, data.unl)
    assert found.unlabeled_share == pytest.approx(share, abs=1e-12)
    assert found.objective.min() == pytest.approx(smallest, abs=1e-12)


@given(
    st.lists(st.sampled_from([0.1, 0.25, 0.5, 0.9]), min_size=1, max_size=12),
    st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9]), min_size=1, max_size=12),
    st.sampled_from([("elkan_noto", "e1"), ("elkan_noto_e2", "e2"), ("elkan_noto_e3", "e3")]),
)
def test_elkan_noto_equals_the_oracle(pos, unl, names):
    table = ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario="case_control")
    found = estimate_prior(table, method=names[0], interval="none").prior
    assert found == pytest.approx(oracle.elkan_noto(pos, unl, names[1]), abs=1e-12)


@given(groups(max_size=30, negatives=False))
def test_upper_limit_equals_the_oracle(data):
    found = estimate_prior(data.table("case_control"), method="slope")
    ranks = bound_ranks(len(data.pos)).astype(int)
    limit = oracle.slope_limit(data.pos, data.unl, ranks, 0.95)
    assert found.interval.high == pytest.approx(limit, abs=1e-12)


@pytest.mark.parametrize("step", [1e-9, 0.5])
def test_upper_limit_of_a_larger_sample_equals_the_oracle(step):
    rng = np.random.default_rng(4)
    pos = np.round(rng.normal(2, 1, 120) / step) * step
    unl = np.round(np.concatenate([rng.normal(2, 1, 100), rng.normal(0, 1, 900)]) / step) * step
    table = ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario="case_control")
    limit = oracle.slope_limit(list(pos), list(unl), bound_ranks(120).astype(int), 0.95)
    assert limit < 0.5
    found = estimate_prior(table, method="slope")
    assert found.interval.high == pytest.approx(limit, abs=1e-12)
    assert found.upper_limit == largest_prior(table).prior


def test_dedpul_is_the_largest_fixed_point_on_clean_separation():
    table = ScoreTable.from_counts(
        [3, 2, 1], n_pos=[600, 300, 100], n_unl=[600, 300, 9100], scenario="case_control"
    )
    assert estimate_prior(table, method="dedpul", interval="none").prior == pytest.approx(
        0.1, abs=0.02
    )


@given(groups(max_size=40, negatives=False), st.sampled_from(RANK_METHODS))
def test_only_ranks_matter(data, method):
    table = data.table("case_control")
    mapped = ScoreTable.from_groups(
        positive=[2 * x - 7 for x in data.pos],
        unlabeled=[2 * x - 7 for x in data.unl],
        scenario="case_control",
    )
    first, second = (estimate_prior(t, method=method, interval="none") for t in (table, mapped))
    assert first.prior == second.prior
    assert first.upper_limit == second.upper_limit


def test_results_do_not_change_under_extreme_increasing_maps():
    rng = np.random.default_rng(3)
    pos, unl = rng.normal(2, 1, 300), rng.normal(0, 1, 3000)
    plain = ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario="case_control")
    squashed = ScoreTable.from_groups(
        positive=np.exp(5 * pos), unlabeled=np.exp(5 * unl), scenario="case_control"
    )
    for method in RANK_METHODS:
        first = estimate_prior(plain, method=method, interval="none").prior
        assert first == estimate_prior(squashed, method=method, interval="none").prior


@given(groups(max_size=20, negatives=False), scenarios, st.sampled_from(METHODS))
def test_every_result_is_possible_and_says_what_it_is(data, scenario, method):
    if method.startswith("elkan"):
        data = data._replace(
            pos=[1 / (1 + 2.0 ** -max(min(x, 5), -5)) for x in data.pos],
            unl=[1 / (1 + 2.0 ** -max(min(x, 5), -5)) for x in data.unl],
        )
    table = data.table(scenario)
    found = estimate_prior(table, method=method, n_resamples=3, rng=0)
    assert 0 <= found.unlabeled_share <= 1
    assert found.status
    low, high = found.interval
    assert -1e-12 <= low <= found.prior + 1e-12
    assert found.prior - 1e-12 <= high <= 1 + 1e-12
    if scenario == "single_training_set":
        purity = 1.0 if found.purity is None else found.purity
        total = purity * len(data.pos) + found.unlabeled_share * len(data.unl)
        assert found.prior == pytest.approx(total / (len(data.pos) + len(data.unl)))
    else:
        assert found.prior == found.unlabeled_share
    assert set(found.frame()) == {"share", "objective"}
    assert "Prior: " in str(found)
    assert found.to_dict()["method"] == method


def test_bins_keep_every_row_and_enough_labelled():
    table = normal_table(0.2)
    pos, unl, above = rank_edges(Samples.of(table), 0.2, 8.0)
    assert pos.sum() == 500
    assert unl.sum() == 5000
    assert pos.min() >= 8
    assert above[0] == 0
    assert above[-1] == 1
    assert np.all(np.diff(above) > 0)


def test_posterior_quantiles_rise():
    posterior = share_posterior(*labelled_bins(Samples.of(normal_table(0.2))))
    assert posterior.quantile(0.1) < posterior.quantile(0.5) < posterior.quantile(0.9)


@pytest.mark.parametrize("share", [0.001, 0.005, 0.05, 0.5, 0.95, 0.99])
@pytest.mark.parametrize("method", ["combined", "alphamax"])
def test_elbow_works_at_both_ends(share, method):
    table = normal_table(share, m=20_000, n=200_000)
    estimate = estimate_prior(table, method=method, interval="none")
    found = estimate.prior if estimate.separable is None else estimate.separable
    assert found == pytest.approx(share, abs=0.03, rel=0.4)
    assert abs(found - share) < 0.4 * min(share, 1 - share) + 0.02 * share


def test_weights_count_as_effective_rows():
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [200, 2000])
    score = np.concatenate([rng.normal(3, 1, 200), rng.normal(0, 1, 2000)])
    plain = ScoreTable.from_arrays(y, score, scenario="case_control")
    double = ScoreTable.from_arrays(
        y, score, scenario="case_control", sample_weight=np.full(2200, 2.0)
    )
    first, second = estimate_prior(plain), estimate_prior(double)
    assert second.prior == pytest.approx(first.prior, abs=1e-9)
    assert second.interval.high == pytest.approx(first.interval.high, abs=1e-9)
    assert second.upper_limit is None  # the guarantee counts whole rows
    assert estimate_prior(double, method="best_bin").diagnostics[0].code == "PM107"


def test_estimate_is_taken_as_a_prior():
    table = normal_table(0.3, gap=2.5)
    found = estimate_prior(table)
    assert 0.8 < roc_auc(table, prior=found).value <= 1
    noisy = normal_table(0.3, gap=4, purity=0.8, m=1000)
    both = estimate_prior(noisy, method="combined_n")
    assert both.purity == pytest.approx(0.8, abs=0.1)
    assert roc_auc(noisy, prior=both).purity == both.purity


@pytest.mark.parametrize("method", ["combined_n", "alphamax_n"])
@pytest.mark.parametrize("purity", [1.0, 0.9])
def test_purity_of_well_separated_labels(method, purity):
    """No labelled row lies among the bulk of the unlabeled when labels are clean."""
    table = normal_table(0.15, gap=12, purity=purity, m=1000)
    found = estimate_prior(table, method=method, interval="none")
    assert found.purity == pytest.approx(purity, abs=0.01 if purity == 1 else 0.05)
    assert found.prior == pytest.approx(0.15, abs=0.02)


def test_diagnostics():
    overlap = estimate_prior(normal_table(0.1, gap=1.2, m=2000, n=20_000))
    assert "PM201" in codes(overlap)
    assert overlap.trust.level == "upper_bound"
    clear = estimate_prior(normal_table(0.3))
    assert codes(clear) == set()
    assert "likely" in clear.status
    leaked = ScoreTable.from_groups(
        positive=np.arange(50) + 100.0, unlabeled=np.arange(500) / 10, scenario="case_control"
    )
    assert {"PM203", "PM205"} <= codes(estimate_prior(leaked))
    rng = np.random.default_rng(0)
    same = ScoreTable.from_groups(
        positive=rng.normal(size=300), unlabeled=rng.normal(size=3000), scenario="case_control"
    )
    assert "PM202" in codes(estimate_prior(same, method="combined_n"))
    few = ScoreTable.from_groups(
        positive=[3.0, 2.0], unlabeled=[1.0, 2.5, 0.0], negative=[0.5], scenario="case_control"
    )
    assert {"PM105", "PM106"} <= codes(estimate_prior(few))


def test_wrong_input_raises_with_advice():
    table = normal_table(0.3)
    with pytest.raises(InputError, match="Choose one of"):
        estimate_prior(table, method="magic")
    with pytest.raises(InputError, match="method='alphamax'"):
        estimate_prior(table, method="dedpul", interval="likelihood_ratio")
    with pytest.raises(InputError, match="needs a ScoreTable"):
        estimate_prior([1, 2])
    with pytest.raises(InputError, match="probabilities of being labelled"):
        estimate_prior(table, method="elkan_noto")
    with pytest.raises(UnsupportedError, match="before cut"):
        estimate_prior(table.cut(), method="elkan_noto")
    full = ScoreTable.from_groups(
        positive=[1.0], unlabeled=None, negative=[0.0], scenario="single_training_set"
    )
    with pytest.raises(PuremetricsError, match="no unlabeled rows"):
        estimate_prior(full)


@pytest.mark.slow
def test_default_beats_best_bin_on_the_thirty_mixtures():
    """Mixtures in which no negative looks like a positive: allowing for some costs a little."""
    errors = {"combined": [], "best_bin": []}
    allowing = []
    for share in (0.02, 0.1, 0.3, 0.5, 0.8):
        for gap in (1.5, 2.5, 4.0):
            for m, n in ((500, 5000), (2000, 20_000)):
                for seed in range(4):
                    table = normal_table(share, gap, m, n, seed=[seed, int(10 * gap), m])
                    for method, found in errors.items():
                        estimate = estimate_prior(table, method=method, interval="none")
                        told = estimate.prior if method == "best_bin" else estimate.separable
                        found.append(abs(told - share))
                    allowing.append(abs(estimate_prior(table, interval="none").prior - share))
    assert np.mean(errors["combined"]) < 0.02
    assert np.mean(allowing) < 0.035
    assert np.mean(errors["combined"]) < 0.7 * np.mean(errors["best_bin"])


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
def test_interval_covers_and_bound_holds(scenario):
    hits, bound = [], []
    for share in (0.02, 0.3, 0.8):
        for seed in range(100):
            table = normal_table(share, 4.0, 300, 3000, seed=[seed, 7], scenario=scenario)
            truth = share if scenario == "case_control" else (300 + share * 3000) / 3300
            found = estimate_prior(table)
            hits.append(truth in found.interval)
            bound.append(truth <= found.upper_limit)
    assert np.mean(hits) >= 0.93
    assert np.mean(bound) >= 0.95


@pytest.mark.slow
def test_bound_holds_with_overlap_and_ties():
    held = []
    for seed in range(300):
        rng = np.random.default_rng([seed, 11])
        pos = np.round(rng.normal(1, 1, 60))
        unl = np.round(
            np.where(rng.random(400) < 0.4, rng.normal(1, 1, 400), rng.normal(0, 1, 400))
        )
        table = ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario="case_control")
        held.append(estimate_prior(table, method="slope").upper_limit >= 0.4)
    assert np.mean(held) >= 0.95


@pytest.mark.parametrize("method", ["combined", "alphamax", "best_bin", "slope", "dedpul"])
def test_a_given_purity_scales_the_share(method):
    table = normal_table(0.3, gap=5, purity=0.8, m=1000)
    plain = estimate_prior(table, method=method, interval="none")
    known = estimate_prior(table, method=method, interval="none", purity=0.8)
    assert known.unlabeled_share == pytest.approx(0.8 * plain.unlabeled_share)
    assert (plain.purity, known.purity) == (None, 0.8)
    assert roc_auc(table, prior=known).purity == 0.8
    with pytest.raises(InputError, match="estimates the purity itself"):
        estimate_prior(table, method="combined_n", purity=0.8)


@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
def test_noisy_estimates_carry_the_purity_and_what_is_possible_together(scenario):
    table = normal_table(0.3, gap=4, purity=0.8, m=1000, scenario=scenario)
    found = estimate_prior(table, method="combined_n")
    assert found.purity in found.purity_interval
    assert found.prior in found.interval
    priors, purities = found.region.T
    assert found.region.shape[1] == 2
    # Errors of both runs are independent: no pair has both at their worst, as intervals of one alone have.
    for values, interval in ((priors, found.interval), (purities, found.purity_interval)):
        assert np.ptp(values) >= 0.8 * interval.width
        assert values.min() >= interval.low - 1e-9
        assert values.max() <= interval.high + 1e-9
    area = roc_auc(table, prior=found)
    assert area.interval.kind == "combined"
    assert area.purity == found.purity
