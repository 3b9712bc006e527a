import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puremetrics import PriorEstimate, ScoreTable, roc_auc
from puremetrics.exceptions import InputError, PuremetricsError, UnsupportedError
from puremetrics.priors import (
    METHODS,
    combine,
    estimate_prior,
    prior_from_audit,
    rows_to_audit,
)
from puremetrics.priors.alphamax import alphamax_objective
from puremetrics.priors.samples import Samples, rank_edges
from puremetrics.priors.shapes import labelled_bins, share_posterior
from puremetrics.priors.slope import bound_ranks
from puremetrics.results import Interval

from .oracles import priors as oracle
from .strategies import groups, scenarios

RANK_METHODS = [name for name in METHODS if not name.startswith("elkan")]


def normal_table(share, gap=4.0, m=500, n=5000, seed=0, scenario="case_control", purity=1.0):
    rng = np.random.default_rng(seed)
    pos = np.where(rng.random(m) < purity, rng.normal(gap, 1, m), rng.normal(0, 1, m))
    hidden = rng.random(n) < share
    unl = np.where(hidden, rng.normal(gap, 1, n), rng.normal(0, 1, n))
    return ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario=scenario)


# ---------------------------------------------------------------- AlphaMax


def random_histograms(count, bins=8, seed=0):
    rng = np.random.default_rng(seed)
    w = np.array([rng.dirichlet(np.full(bins, rng.choice([0.3, 1, 5]))) for _ in range(count)])
    w = (w + 1e-6) / (w + 1e-6).sum(axis=1, keepdims=True)
    v = np.array([rng.dirichlet(np.full(bins, rng.choice([0.5, 1, 5]))) for _ in range(count)])
    v[::4, 0] = 0.0  # bins without labelled rows take another branch
    v /= v.sum(axis=1, keepdims=True)
    return w, v, rng.choice([0.001, 0.05, 0.3, 0.7, 0.95, 0.99], count)


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


# ---------------------------------------------------------------- the other methods


@given(groups(negatives=False), scenarios)
@settings(max_examples=60, deadline=None)
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
@settings(max_examples=60, deadline=None)
def test_elkan_noto_equals_the_oracle(pos, unl, names):
    table = ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario="case_control")
    found = estimate_prior(table, method=names[0], interval="none").prior
    assert found == pytest.approx(oracle.elkan_noto(pos, unl, names[1]), abs=1e-12)


@given(groups(max_size=30, negatives=False))
@settings(max_examples=60, deadline=None)
def test_upper_limit_equals_the_oracle(data):
    found = estimate_prior(data.table("case_control"), method="slope")
    ranks = bound_ranks(len(data.pos)).astype(int)
    limit = oracle.slope_limit(data.pos, data.unl, ranks, 0.95)
    assert found.upper_limit == pytest.approx(limit, abs=1e-12)
    assert found.interval.high == found.upper_limit


@pytest.mark.parametrize("step", [1e-9, 0.5])
def test_upper_limit_of_a_larger_sample_equals_the_oracle(step):
    rng = np.random.default_rng(4)
    pos = np.round(rng.normal(2, 1, 120) / step) * step
    unl = np.round(np.concatenate([rng.normal(2, 1, 100), rng.normal(0, 1, 900)]) / step) * step
    table = ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario="case_control")
    limit = oracle.slope_limit(list(pos), list(unl), bound_ranks(120).astype(int), 0.95)
    assert limit < 0.5
    assert estimate_prior(table).upper_limit == pytest.approx(limit, abs=1e-12)


def test_dedpul_is_the_largest_fixed_point_on_clean_separation():
    table = ScoreTable.from_counts(
        [3, 2, 1], n_pos=[600, 300, 100], n_unl=[600, 300, 9100], scenario="case_control"
    )
    assert estimate_prior(table, method="dedpul", interval="none").prior == pytest.approx(
        0.1, abs=0.02
    )


@given(groups(max_size=40, negatives=False), st.sampled_from(RANK_METHODS))
@settings(max_examples=60, deadline=None)
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
@settings(max_examples=80, deadline=None)
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
    assert str(found).startswith("Prior: ")
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
    found = estimate_prior(table, method=method, interval="none").prior
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


# ---------------------------------------------------------------- diagnostics and errors


def codes(estimate):
    return {remark.code for remark in estimate.diagnostics}


def test_diagnostics():
    overlap = estimate_prior(normal_table(0.1, gap=1.2, m=2000, n=20_000))
    assert "PM201" in codes(overlap)
    assert "extrapolated" in overlap.status
    clear = estimate_prior(normal_table(0.3))
    assert codes(clear) == set()
    assert "largest" in clear.status
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
    with pytest.raises(InputError, match="takes a ScoreTable"):
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


# ---------------------------------------------------------------- audit


@given(st.integers(1, 60), st.data(), st.sampled_from([0.8, 0.95]))
@settings(max_examples=60, deadline=None)
def test_audit_equals_the_oracle(checked, data, level):
    positive = data.draw(st.integers(0, checked))
    found = prior_from_audit(checked, positive, confidence_level=level)
    assert tuple(found.interval) == pytest.approx(
        oracle.clopper_pearson(positive, checked, level), abs=1e-12
    )
    rows = checked + data.draw(st.integers(0, 30))
    finite = prior_from_audit(checked, positive, n_unlabeled=rows, confidence_level=level)
    assert tuple(finite.interval) == pytest.approx(
        oracle.finite_limits(positive, checked, rows, level), abs=1e-9
    )
    for method in ("clopper_pearson", "jeffreys"):
        everything = prior_from_audit(checked, positive, n_unlabeled=checked, method=method)
        assert everything.interval.low == everything.interval.high == everything.prior


def test_jeffreys_is_inside_clopper_pearson():
    exact, bayes = (
        prior_from_audit(200, 14, method=name).interval for name in ("clopper_pearson", "jeffreys")
    )
    assert exact.low < bayes.low < bayes.high < exact.high
    finite = prior_from_audit(200, 14, n_unlabeled=10_000_000, method="jeffreys").interval
    assert tuple(finite) == tuple(bayes)
    large = prior_from_audit(200, 14, n_unlabeled=1_000_000, method="jeffreys").interval
    assert tuple(large) == pytest.approx(tuple(bayes), abs=1e-4)


def test_audit_converts_by_scenario():
    table = normal_table(0.3, scenario="single_training_set")
    found = prior_from_audit(100, 30, table=table)
    assert found.unlabeled_share == 0.3
    assert found.prior == pytest.approx((500 + 0.3 * 5000) / 5500)
    assert found.label_frequency == pytest.approx(500 / 2000)
    with pytest.raises(InputError, match="only 50 unlabeled"):
        prior_from_audit(100, 30, n_unlabeled=50)
    with pytest.raises(InputError, match="no more can be positive"):
        prior_from_audit(10, 11)
    with pytest.raises(InputError, match="whole number"):
        prior_from_audit(10, 2.5)


def test_combine():
    scores = PriorEstimate(0.12, Interval(0.09, 0.16, 0.95, "confidence", "combined"))
    audit = prior_from_audit(400, 40)
    both = combine(scores, audit)
    assert both.interval.width < min(scores.interval.width, audit.interval.width)
    assert 0.1 < both.prior < 0.12
    loose = PriorEstimate(0.3, Interval(0.02, 0.8, 0.95, "confidence", "combined"))
    assert combine(loose, audit).prior == pytest.approx(audit.prior, abs=0.01)
    meet = combine(scores, audit, how="intersection")
    assert meet.interval.low == max(0.09, audit.interval.low)
    assert meet.interval.level == pytest.approx(0.9)
    far = combine(scores, prior_from_audit(400, 4))
    assert "PM204" in codes(far)
    assert far.interval.low < 0.01
    assert far.interval.high == 0.16
    assert "PM204" in codes(combine(scores, prior_from_audit(400, 4), how="intersection"))
    with pytest.raises(InputError, match="one of them has none"):
        combine(scores, PriorEstimate(0.1))
    with pytest.raises(InputError, match="same level"):
        combine(scores, prior_from_audit(400, 40, confidence_level=0.9))


@given(st.sampled_from([0.02, 0.1, 0.3]), st.sampled_from([0.05, 0.2, 0.5]))
@settings(max_examples=12, deadline=None)
def test_rows_to_audit_reach_the_width(width, guess):
    rows = rows_to_audit(width, guess=guess)
    low, high = prior_from_audit(rows, round(guess * rows)).interval
    assert high - low <= width
    fewer = max(int(rows * 0.9), 1)
    low, high = prior_from_audit(fewer, round(guess * fewer)).interval
    assert high - low > width * 0.9
    assert rows_to_audit(width, guess=guess, n_unlabeled=100) <= 100


# ---------------------------------------------------------------- simulations


@pytest.mark.slow
def test_default_beats_best_bin_on_the_thirty_mixtures():
    errors = {"combined": [], "best_bin": []}
    for share in (0.02, 0.1, 0.3, 0.5, 0.8):
        for gap in (1.5, 2.5, 4.0):
            for m, n in ((500, 5000), (2000, 20_000)):
                for seed in range(4):
                    table = normal_table(share, gap, m, n, seed=[seed, int(10 * gap), m])
                    for method, found in errors.items():
                        estimate = estimate_prior(table, method=method, interval="none")
                        found.append(abs(estimate.prior - share))
    assert np.mean(errors["combined"]) < 0.02
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
