"""Prior and purity of noisy labels together: what look-alikes of either class leave open."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.priors.combined import combined_n, largest_fit
from puremetrics.priors.lookalikes import noisy_fit, stacked_ends, without_both
from puremetrics.priors.lookalikes import overlap as overlap_of
from puremetrics.priors.samples import Samples
from tests.programs import load
from tests.small_tables import CC, SINGLE


def drawn(seed, shift, prior, purity, sizes=(200, 2000), scenario=CC):
    rng = np.random.default_rng(seed)
    labelled = rng.normal(size=sizes[0]) + shift * (rng.random(sizes[0]) < purity)
    unlabeled = rng.normal(size=sizes[1]) + shift * (rng.random(sizes[1]) < prior)
    return pm.ScoreTable.from_groups(positive=labelled, unlabeled=unlabeled, scenario=scenario)


masses = st.lists(st.floats(0.02, 1), min_size=3, max_size=6)


@given(
    positives=masses,
    negatives=masses,
    prior=st.floats(0.01, 0.6),
    extra=st.floats(0.1, 1),
)
def test_look_alikes_are_undone_in_distributions_that_are_known(positives, negatives, prior, extra):
    """Two runs see the least ratios of the mixtures; with those of the classes they give the truth."""
    size = min(len(positives), len(negatives))
    f1, f0 = (np.array(x[:size]) / np.sum(x[:size]) for x in (positives, negatives))
    if np.abs(f1 - f0).max() < 0.05:
        return
    purity = prior + extra * (1 - prior)
    labelled, unlabeled = (s * f1 + (1 - s) * f0 for s in (purity, prior))
    forward, backward = (unlabeled / labelled).min(), (labelled / unlabeled).min()
    bottom = 1 - forward * backward
    seen = forward * (1 - backward) / bottom, (1 - backward) / bottom
    rho, tau = (f0 / f1).min(), (f1 / f0).min()
    assert without_both(seen, rho, tau) == pytest.approx((prior, purity), abs=1e-7)


def test_look_alikes_of_one_class_by_hand():
    assert without_both((0.3, 0.8), 0.0, 0.0) == (0.3, 0.8)
    assert without_both((0.3, 0.8), 0.1, 0.0) == pytest.approx((0.2 / 0.9, 0.7 / 0.9))
    assert without_both((0.3, 0.8), 0.0, 0.1) == pytest.approx((0.3 / 0.9, 0.8 / 0.9))
    assert without_both((0.3, 0.8), 0.0, 0.5) == pytest.approx((0.375, 1.0))  # the purity ends at 1
    assert without_both((0.1, 0.8), 0.2, 0.0) == pytest.approx((0.0, 0.75))


def test_limits_from_both_sides_by_hand():
    sides = [[0.2, 0.17, 0.16], [0.4, 0.46, 0.48]]
    assert stacked_ends(0.3, sides) == pytest.approx((0.15, 0.5))
    assert stacked_ends(0.1, sides)[0] == 0.1  # never beyond the estimate itself
    assert stacked_ends(0.6, sides)[1] == 0.6
    assert stacked_ends(0.3, [[0.2, 0.25, 0.1], [0.9, 0.8, 1.4]]) == pytest.approx((0.1, 1.0))
    assert stacked_ends(0.3, [[0.1, 0.0, 0.0], [0.4, 0.4, 0.4]])[0] == 0.3 / 50  # never 0


@given(
    pos=st.lists(st.integers(0, 6), min_size=2, max_size=15),
    unl=st.lists(st.integers(0, 6), min_size=2, max_size=25),
    share=st.floats(0, 0.4),
    purity=st.floats(0.6, 1),
)
def test_the_separation_is_the_corrected_area(pos, unl, share, purity):
    wins = sum((a > b) + (a == b) / 2 for a in pos for b in unl) / (len(pos) * len(unl))
    table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario=CC)
    expected = np.clip(0.5 + (wins - 0.5) / (purity - share), 0.5, 1.0)
    for cut in (True, False):
        found = 1 - overlap_of(Samples.of(table, cut=cut), share, purity)
        assert found == pytest.approx(expected)


@given(
    pos=st.lists(st.integers(0, 9), min_size=1, max_size=40),
    unl=st.lists(st.integers(0, 9), min_size=1, max_size=60),
    scenario=st.sampled_from([CC, SINGLE]),
)
def test_the_estimate_is_possible_and_does_not_depend_on_the_level(pos, unl, scenario):
    table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario=scenario)
    narrow, found, wide = (
        pm.estimate_prior(table, method="combined_n", confidence_level=level)
        for level in (0.5, 0.95, 0.999)
    )
    for other in (narrow, wide):
        assert (other.prior, other.purity) == (found.prior, found.purity)
    assert wide.interval.low <= found.interval.low <= narrow.interval.low
    assert narrow.interval.high <= found.interval.high <= wide.interval.high
    assert found.prior in found.interval
    low, high = found.purity_interval or (found.purity, found.purity)
    assert 0 <= low <= found.purity <= high <= 1
    assert ((found.region >= 0) & (found.region <= 1)).all()


@pytest.mark.parametrize("labels", [1, 3, 10])
def test_few_labels_leave_much_open(labels):
    """Heads of so few ask for classes that are farther apart than any: they are not believed."""
    hits = []
    for seed in range(25):
        table = drawn(seed, 2.0, 0.5, 0.9, sizes=(labels, 600))
        found = pm.estimate_prior(table, method="combined_n")
        hits.append(0.5 in found.interval)
        assert found.purity > 0.5
        assert pm.roc_auc(table, prior=found).interval is not None
    assert np.mean(hits) >= 0.92


def test_a_single_weighted_row_has_a_share():
    """Its effective number of rows falls short of one by rounding."""
    for label, weight in (([1, 1, 0], [1, 1, 0.05]), ([1, 0, 0], [0.05, 1, 1])):
        table = pm.ScoreTable.from_arrays(label, [0.9, 0.5, 0.7], sample_weight=weight, scenario=CC)
        for method in ("combined", "combined_n", "slope"):
            assert np.isfinite(pm.estimate_prior(table, method=method).prior)


def test_groups_only_widen():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        common, truth = rng.normal(size=40), rng.random(800) < 0.25
        group = rng.integers(0, 40, 800)
        score = 1.5 * truth + rng.normal(size=800) + common[group]
        label = rng.random(800) < np.where(truth, 0.4, 0.03)
        plain, grouped = (
            pm.estimate_prior(
                pm.ScoreTable.from_arrays(label, score, scenario=SINGLE, groups=groups),
                method="combined_n",
            )
            for groups in (None, group)
        )
        assert (grouped.prior, grouped.purity) == (plain.prior, plain.purity)
        for name in ("interval", "purity_interval"):
            inner, outer = getattr(plain, name), getattr(grouped, name)
            assert outer.low <= inner.low
            assert inner.high <= outer.high


def test_limits_of_the_bootstrap_are_of_sampling_alone():
    table = drawn(3, 1.5, 0.2, 0.85)
    own, sampled, alone = (
        pm.estimate_prior(table, method="combined_n", interval=how, n_resamples=40)
        for how in ("auto", "bootstrap", "none")
    )
    assert own.prior == sampled.prior == alone.prior
    assert own.interval.kind == "combined"
    assert sampled.interval.kind == sampled.purity_interval.kind == "confidence"
    assert sampled.interval.width < own.interval.width
    assert sampled.lookalikes is alone.lookalikes is alone.interval is None
    assert "sampling error alone" in sampled.status
    assert "purity" in alone.trust.reason


def test_what_hardly_differs_is_said_of_the_estimate():
    found = pm.estimate_prior(drawn(1, 0.4, 0.45, 0.55), method="combined_n")
    remark = next(str(remark) for remark in found.diagnostics if remark.code == "PM202")
    assert f"share {found.unlabeled_share:.3g} against purity {found.purity:.3g}" in remark


@pytest.mark.parametrize("shift", [1.2, 2.0])
def test_limits_allow_for_look_alikes_of_both_classes(shift):
    samples = Samples.of(drawn(1, shift, 0.2, 0.8))
    forward, backward = largest_fit(samples), largest_fit(samples.swapped())
    plain, found = noisy_fit(forward, backward), combined_n(samples)
    apart = overlap_of(samples, plain.share, plain.purity)
    most = found.lookalikes
    assert most > apart > 0  # at the estimate, where classes overlap more than they seem to
    assert most == pytest.approx(overlap_of(samples, found.share, found.purity))
    assert found.purity - found.share > plain.purity - plain.share
    assert found.low < without_both((plain.share, plain.purity), most, 0)[0]
    assert found.purity_high > plain.purity / (1 - min(most, 1 - plain.purity)) - 1e-9


@pytest.mark.parametrize("scenario", [CC, SINGLE])
@pytest.mark.parametrize("seed", range(4))
def test_overlap_is_said_and_separation_is_not(scenario, seed):
    tables = (
        drawn(seed, 4.5, 0.3, 0.9, sizes=(3000, 20_000), scenario=scenario),
        drawn(seed, 1.2, 0.1, 0.8, scenario=scenario),
    )
    far, near = (pm.estimate_prior(table, method="combined_n") for table in tables)
    assert "PM201" not in {remark.code for remark in far.diagnostics}
    assert "PM201" in {remark.code for remark in near.diagnostics}
    assert near.trust.level == "upper_bound"
    assert "purity" in near.trust.reason
    for found in (far, near):
        assert found.prior in found.interval
        assert found.purity in found.purity_interval
        assert found.interval.kind == found.purity_interval.kind == "combined"


def test_separated_classes_have_few_look_alikes():
    found = pm.estimate_prior(drawn(5, 4.5, 0.3, 0.9, sizes=(500, 5000)), method="combined_n")
    assert found.lookalikes < 0.01
    assert found.interval.width < 0.1
    assert found.purity_interval.width < 0.1
    assert found.trust.level == "identified"


@pytest.mark.slow
@pytest.mark.parametrize("purity", [0.7, 1.0])
@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_limits_cover_with_overlap_and_a_small_prior(scenario, purity):
    """Where they held in 0.59 to 0.83 of samples: the prior came out too large."""
    prior = 0.05 if scenario == CC else 0.12
    world = load("worlds").World(scenario, 0.82, prior, 200, 2000, purity=purity)
    rng, repeats, hits = np.random.default_rng(6), 60, 0
    for _ in range(repeats):
        table = world.table(rng)
        found = pm.estimate_prior(table, method="combined_n")
        assert "PM201" in {remark.code for remark in found.diagnostics}
        hits += world.share_at_hand(table) in found.interval
    assert hits / repeats >= 0.92


@pytest.mark.slow
def test_areas_are_covered_where_classes_overlap_and_labels_are_many():
    """Where intervals of the AUC held in 0.47 of samples, those of the prior in 0.38."""
    world = load("simulate_purity").WORLDS[0]
    hits = []
    for seed in range(60):
        table = world.table(np.random.default_rng([91, seed]))
        found = pm.estimate_prior(table, method="combined_n")
        held = world.area in pm.roc_auc(table, prior=found).interval
        hits.append((held, world.prior in found.interval, world.purity in found.purity_interval))
    area, prior, purity = np.mean(hits, axis=0)
    assert min(area, prior) >= 0.92
    assert purity >= 0.85
