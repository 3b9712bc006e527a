"""What the data allow at every position of the sliders is what evaluating there would say."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.evaluation import evaluate
from puremetrics.evaluation.page_numbers import allowed_by, least_purity


def tables(seed, scenario, groups=False):
    rng = np.random.default_rng(seed)
    truth = rng.random(700) < 0.3
    label = (truth & (rng.random(700) < 0.4)).astype(int)
    group = rng.integers(0, 90, 700) if groups else None
    return {
        name: pm.ScoreTable.from_arrays(
            label, (shift * truth + rng.normal(size=700)).round(1), scenario=scenario, groups=group
        )
        for name, shift in (("sharp", 3.0), ("blunt", 1.0))
    }


@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
@pytest.mark.parametrize("groups", [False, True])
def test_limits_are_those_of_largest_prior(scenario, groups):
    named = tables(1, scenario, groups)
    for bias in (1.0, 2.0):
        clean = allowed_by(evaluate(named, prior=0.25, label_bias=bias)).clean
        for purity in (1.0, 0.8):  # of which the page takes that share
            limits = [
                pm.largest_prior(table, purity=purity, label_bias=bias, confidence_level=0.975)
                for table in named.values()
            ]
            assert purity * clean == pytest.approx(min(map(float, limits)), abs=1e-12)


def test_where_all_rows_may_be_positive_the_counts_alone_limit_the_prior():
    table = pm.ScoreTable.from_groups(
        positive=[1, 2, 3], unlabeled=[1, 2, 3], scenario="case_control"
    )
    assert allowed_by(evaluate(table, prior=0.3)).clean == 1.0


def test_weighted_rows_have_no_limit():
    rng = np.random.default_rng(2)
    table = pm.ScoreTable.from_arrays(
        np.repeat([1, 0], 60), rng.random(120), scenario="case_control",
        sample_weight=rng.uniform(0.5, 2, 120),
    )  # fmt: skip
    found = allowed_by(evaluate(table, prior=0.2))
    assert found.clean is None
    assert found.alike is not None


@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
def test_a_purity_is_contradicted_where_the_least_one_exceeds_it(scenario):
    named = tables(3, scenario)
    alike = allowed_by(evaluate(named, prior=0.2)).alike
    design, totals = named["sharp"].design, named["sharp"].totals
    told = set()
    for purity in np.linspace(0.5, 1.0, 21):
        least = least_purity(alike, design.unlabeled_share(totals, 0.2, purity))
        against = evaluate(named, prior=0.2, purity=float(purity)).trust
        if "purity of" in against.reason or against.level != "contradicted":
            assert (against.level == "contradicted") == (purity < least)
            told.add(against.level)
            assert f"{least:.4g}" in against.reason or purity >= least
    assert told == {"contradicted", "known"}
