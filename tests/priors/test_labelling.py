"""Labels that cannot be a random sample of the positives, and those that can."""

from dataclasses import replace

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.priors import labelling as score_intervals
from puremetrics.priors.labelling import check_labelling
from puremetrics.setting import Setting
from tests.oracles import labelling as oracle
from tests.programs import load

World = load("worlds").World


def rows(seed, labelled, unlabeled, digits=None):
    rng = np.random.default_rng(seed)
    pos = rng.normal(1.5, 1, labelled)
    unl = rng.normal(0, 1, unlabeled) + 1.5 * (rng.random(unlabeled) < 0.3)
    return (pos, unl) if digits is None else (pos.round(digits), unl.round(digits))


@pytest.mark.parametrize("digits", [None, 1, 0])
@pytest.mark.parametrize(("labelled", "unlabeled"), [(3, 5), (20, 40), (97, 301), (200, 50)])
def test_equals_the_oracle(labelled, unlabeled, digits):
    pos, unl = rows(labelled, labelled, unlabeled, digits)
    table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario="case_control")
    found = check_labelling(table, prior=0.01)
    assert found.largest_prior == pytest.approx(oracle.largest_share(pos, unl, 0.99), abs=1e-12)
    inside = (pos >= found.low) & (pos <= found.high)
    assert found.labelled == pytest.approx(inside.mean(), abs=1e-12)


def test_only_the_ranks_matter_and_neither_order_nor_name_of_the_rows():
    pos, unl = rows(1, 80, 300, 1)
    first = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario="case_control")
    again = pm.ScoreTable.from_groups(
        positive=np.exp(pos[::-1]), unlabeled=np.exp(unl[::-1]), scenario="case_control"
    )
    one, two = (check_labelling(table, prior=0.3) for table in (first, again))
    assert one.largest_prior == two.largest_prior
    assert np.exp(one.low) == pytest.approx(two.low)


def test_noisy_labels_allow_less_in_proportion():
    pos, unl = rows(2, 300, 900)
    table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario="case_control")
    clean, noisy = (check_labelling(table, prior=0.1, purity=beta) for beta in (1.0, 0.8))
    assert noisy.largest_prior == pytest.approx(0.8 * clean.largest_prior)


def test_message_says_where():
    table = pm.ScoreTable.from_groups(
        positive=np.linspace(2, 3, 200), unlabeled=np.linspace(0, 4, 400), scenario="case_control"
    )
    found = check_labelling(table, prior=0.5)
    assert found.contradicted
    assert "scores from" in found.diagnostics[0].message
    assert "contradicts a prior of 0.5" in str(found)
    assert (
        2 <= found.low < found.high <= 3
    )  # neither a head nor a tail: `largest_prior` sees nothing
    assert pm.largest_prior(table).prior > 0.5
    assert not check_labelling(table, prior=(0.1, 0.9)).contradicted  # the low end is tested


def share_noticed(world, repeats, seed):
    rng = np.random.default_rng(seed)
    checks = (check_labelling(world.table(rng), prior=world.prior) for _ in range(repeats))
    return sum(check.contradicted for check in checks) / repeats


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
def test_false_alarms_are_rare_and_strong_selection_is_noticed(scenario):
    world = World(scenario, 0.98, 0.3, 300, 3000)
    assert share_noticed(world, 400, 5) <= 0.01 + 3 * (0.01 * 0.99 / 400) ** 0.5
    assert share_noticed(replace(world, selection=1.0), 40, 6) >= 0.8
    # Labels that favour low scores hide behind the negatives unless rows are many.
    many = World(scenario, 0.98, 0.5, 1000, 10_000, selection=-2.0)
    assert share_noticed(many, 20, 7) >= 0.8


def test_intervals_of_exactly_eight_labelled_rows_count():
    # 129 labelled rows fall into 16 cells of eight gaps each: the fewest rows that are used.
    first, last = score_intervals._intervals(129)
    ours = {(int(a) or None, int(b) or None) for a, b in zip(first, last, strict=True)}
    assert ours == set(oracle.intervals(129))
    assert sum(a > 0 and b - a == 8 for a, b in zip(first, last, strict=True)) == 16
    rng = np.random.default_rng(3)
    pos, unl = rng.normal(1, 1, 129), rng.normal(0, 1, 400)
    table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario="case_control")
    found = pm.check_labelling(table, prior=0.01)
    assert found.largest_prior == pytest.approx(oracle.largest_share(pos, unl, 0.99), abs=1e-12)


def test_the_largest_prior_itself_is_no_contradiction():
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1.5, 1, 200), unlabeled=rng.normal(0, 1, 600), scenario="case_control"
    )
    limit = pm.check_labelling(table, prior=0.01).largest_prior
    assert 0.01 < limit < 1
    assert not pm.check_labelling(table, prior=limit).contradicted
    assert pm.check_labelling(table, prior=np.nextafter(limit, 1)).contradicted


def least_share(table, prior, purity):
    setting = Setting.of(table, prior, purity, 0.99)
    return score_intervals.least_share(setting, prior, purity)


def test_the_error_of_the_share_of_labelled_rows_is_taken_off():
    both = {
        name: pm.ScoreTable.from_groups(
            positive=np.arange(100.0), unlabeled=np.arange(900.0), scenario=name
        )
        for name in ("case_control", "single_training_set")
    }
    assert least_share(both["case_control"], 0.3, 1.0) == 0.3
    off = []
    for purity in (1.0, 0.8):
        share = (0.3 * 1000 - purity * 100) / 900
        least = least_share(both["single_training_set"], 0.3, purity)
        assert 0 < least < share
        off.append(share - least)
    assert off[1] < off[0]  # fewer positives are labelled, and the more rows are left
    assert least_share(both["single_training_set"], 0.1, 1.0) == 0
