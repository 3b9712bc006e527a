"""Differences of models on rows that belong together."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.sampling.resampling import resampled_tables
from tests.oracles.groups import over_groups, placements


def drawn(seed=0, groups=50, rows=10):
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), rows)
    y = (rng.random(group.size) < 0.3).astype(int)
    common = rng.normal(size=(groups, 2, 2))[group, y]
    scores = {name: y + common[:, i] + 0.5 * rng.normal(size=y.size) for i, name in enumerate("ab")}
    return y, scores, group


def test_the_error_of_a_difference_is_that_of_sums_over_groups():
    y, scores, group = drawn()
    joint = pm.JointTable.from_arrays(y, scores, scenario="case_control", groups=group)
    found = pm.compare(joint, prior=0.2).differences[0]
    add = np.zeros(y.size)
    for sign, score in zip((1, -1), scores.values(), strict=True):
        below, above = placements(score[y == 1], score[y == 0])
        m, n = below.size, above.size
        add[y == 1] += sign * (below - below.mean()) / m * np.sqrt(m / (m - 1))
        add[y == 0] += sign * (above - above.mean()) / n * np.sqrt(n / (n - 1))
    wanted = np.sqrt(over_groups(add, y == 1, group)) / 0.8
    assert found.standard_error == pytest.approx(wanted, rel=1e-9)
    alone = pm.compare(pm.JointTable.from_arrays(y, scores, scenario="case_control"), prior=0.2)
    assert found.standard_error > 1.3 * alone.differences[0].standard_error


@pytest.mark.parametrize("statistic", ["roc_auc", "f1"])
def test_drawn_groups_agree_with_sums_over_groups(statistic):
    y, scores, group = drawn(1)
    joint = pm.JointTable.from_arrays(y, scores, scenario="single_training_set", groups=group)
    options = {"prior": 0.45, "threshold": None if statistic == "roc_auc" else 0.5}
    exact, again = (
        pm.compare(joint, statistic=statistic, interval=how, n_resamples=400, **options)
        .differences[0].standard_error
        for how in ("analytic", "bootstrap")
    )  # fmt: skip
    assert again == pytest.approx(exact, rel=0.2)


@pytest.mark.parametrize("fixed", [True, False])
def test_the_bootstrap_draws_groups(fixed):
    y, scores, group = drawn(2)
    table = pm.ScoreTable.from_arrays(y, scores["a"], scenario="case_control", groups=group)
    direct = pm.roc_auc(table, prior=0.2, method="direct")
    found = pm.bootstrap(
        table, lambda t: pm.roc_auc(t, prior=0.2, method="direct").value,
        n_resamples=400, fixed_sizes=fixed,
    )  # fmt: skip
    assert found.standard_error == pytest.approx(direct.standard_error, rel=0.15)
    for resampled in resampled_tables(table.cut(), ("pos", "unl"), 5, fixed_sizes=True, rng=0):
        assert (resampled.total_pos, resampled.total_unl) == (table.total_pos, table.total_unl)


def test_groups_of_one_row_are_rows():
    y, scores, _ = drawn(3)
    plain, alone = (
        pm.compare(
            pm.JointTable.from_arrays(y, scores, scenario="case_control", groups=groups), prior=0.2
        ).differences[0]
        for groups in (None, np.arange(y.size))
    )
    assert plain.interval == alone.interval
    assert plain.p_value == alone.p_value
