"""Estimates from checked rows against the definition, and what holds of every audit."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.auditing import Audited
from puremetrics.auditing.areas import _Measured, rate_band
from puremetrics.auditing.audited import level_while_looking
from puremetrics.exceptions import InputError, LabelError, PuremetricsError, UnsupportedError

CC, SINGLE = "case_control", "single_training_set"
EDGES = np.array([0.3, 0.6])


def world(seed, scenario, rows=300, levels=20):
    rng = np.random.default_rng(seed)
    truth = rng.random(rows) < 0.3
    score = np.round(rng.beta(2, 4, rows) + 0.3 * truth, 2).clip(0, 1)
    score = np.round(score * levels) / levels
    labelled = truth & (rng.random(rows) < 0.3)
    table = pm.ScoreTable.from_arrays(labelled.astype(int), score, scenario=scenario)
    return rng, table, score, labelled, truth


def checked_rows(rng, score, labelled, cells, each=6):
    """Some unlabeled rows of every cell."""
    found = np.zeros(score.size, dtype=bool)
    cell = np.searchsorted(cells, score, side="right")
    for value in np.unique(cell):
        rows = np.flatnonzero((cell == value) & ~labelled)
        found[rng.choice(rows, min(each, rows.size), replace=False)] = True
    return found


def audit_of(score, labelled, truth, checked, edges=EDGES):
    """A stratified audit as a plan makes it."""
    rows = np.flatnonzero(checked)
    stratum = np.searchsorted(edges, score, side="right")
    count = np.bincount(stratum[~labelled], minlength=edges.size + 1).astype(float)
    per = np.bincount(stratum[rows], minlength=edges.size + 1)
    audit = pm.Audit.from_arrays(score[rows], truth[rows])
    strata = pm.auditing.Strata("model", edges, count)
    weight = count[stratum[rows]] / per[stratum[rows]]
    return pm.auditing.audit.replace(audit, strata=strata, weight=weight)


@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_if_all_rows_are_checked_the_value_is_the_truth(scenario):
    _, table, score, labelled, truth = world(3, scenario)
    audit = pm.Audit.from_arrays(score[~labelled], truth[~labelled])
    rows = slice(None) if scenario == SINGLE else ~labelled
    y, s = truth[rows], score[rows]
    tp, head = np.sum(y & (s >= 0.5)), np.sum(s >= 0.5)
    found = {
        name: pm.metric(table, name, threshold=0.5, audit=audit).value
        for name in ("precision", "recall")
    }
    assert found["precision"] == pytest.approx(tp / head, abs=1e-9)
    assert found["recall"] == pytest.approx(tp / y.sum(), abs=1e-9)
    assert pm.prior_from_audit(audit, table=table).prior == pytest.approx(y.mean(), abs=1e-9)
    pairs = (s[y][:, None] > s[~y]) + 0.5 * (s[y][:, None] == s[~y])
    assert pm.roc_auc(table, audit=audit).value == pytest.approx(pairs.mean(), abs=1e-9)
    average = pm.average_precision(table, audit=audit)
    assert average.value in average.interval


def test_order_and_scale_of_weights_do_not_matter():
    rng, table, score, labelled, truth = world(5, SINGLE)
    rows = rng.choice(np.flatnonzero(~labelled), 60, replace=False)
    weight = rng.uniform(1, 5, 60)
    turned = rng.permutation(60)
    one = pm.Audit.from_arrays(score[rows], truth[rows], weight=weight)
    other = pm.Audit.from_arrays(
        score[rows][turned], truth[rows][turned], weight=7 * weight[turned]
    )
    for call in (pm.roc_auc, pm.average_precision):
        a, b = call(table, audit=one), call(table, audit=other)
        assert a.value == pytest.approx(b.value, abs=1e-9)
        assert list(a.interval) == pytest.approx(list(b.interval), abs=1e-4)


def test_levels_and_looking_widen():
    rng, table, score, labelled, truth = world(6, SINGLE)
    rows = rng.choice(np.flatnonzero(~labelled), 80, replace=False)
    plain = pm.Audit.from_arrays(score[rows], truth[rows])
    looked = pm.Audit.from_arrays(score[rows], truth[rows], planned=200)
    for name in ("precision", "recall"):
        narrow, wide, sequence = (
            pm.metric(table, name, threshold=0.5, audit=audit, confidence_level=level).interval
            for audit, level in ((plain, 0.9), (plain, 0.99), (looked, 0.9))
        )
        assert narrow.width < wide.width
        assert narrow.width < sequence.width
        assert sequence.level == 0.9
    assert level_while_looking(200, 200, 0.95) < level_while_looking(20, 200, 0.95)


@pytest.mark.slow
def test_looking_all_the_time_errs_as_rarely_as_it_says():
    rng, looks = np.random.default_rng(0), range(10, 401, 10)
    from scipy.special import ndtri

    missed = {"once": 0, "always": 0}
    for _ in range(400):
        means = np.cumsum(rng.normal(size=400)) / np.arange(1, 401)
        for name, levels in (
            ("once", [0.95 for _ in looks]),
            ("always", [level_while_looking(n, 400, 0.95) for n in looks]),
        ):
            reach = [ndtri((1 + lv) / 2) / np.sqrt(n) for n, lv in zip(looks, levels, strict=True)]
            missed[name] += any(abs(means[n - 1]) > r for n, r in zip(looks, reach, strict=True))
    assert missed["always"] <= 0.05 * 400
    assert missed["once"] >= 0.15 * 400


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"score": [0.123456]}, InputError, "no such row"),
        ({"positive": [None]}, LabelError, "missing"),
        ({"positive": [2]}, LabelError, "1 or 0"),
        ({"positive": ["yes"]}, LabelError, "1 or 0"),
        ({"positive": [1, 0]}, InputError, "same length"),
        ({"weight": [0.0]}, InputError, "at least itself"),
        ({"score": [], "positive": []}, InputError, "No row was checked"),
        ({"labelled": [True]}, InputError, "Only labelled rows"),
        ({"planned": 0}, InputError, "planned"),
    ],
)
def test_wrong_audits_are_explained(change, error, said):
    table = pm.ScoreTable.from_groups(positive=[0.9, 0.8], unlabeled=[0.7, 0.5, 0.2], scenario=CC)
    given = {"score": [0.5], "positive": [1], **change}
    with pytest.raises(error, match=said):
        pm.roc_auc(table, audit=pm.Audit.from_arrays(**given))


def test_rows_that_are_labelled_or_drawn_twice_are_named():
    table = pm.ScoreTable.from_groups(positive=[0.9], unlabeled=[0.7, 0.5], scenario=CC)
    with pytest.raises(InputError, match="already labelled"):
        pm.roc_auc(table, audit=pm.Audit.from_arrays([0.9], [1]))
    with pytest.raises(InputError, match="drawn twice"):
        pm.roc_auc(table, audit=pm.Audit.from_arrays([0.5, 0.5], [1, 0]))
    with pytest.raises(InputError, match="Leave out prior"):
        pm.roc_auc(table, prior=0.2, audit=pm.Audit.from_arrays([0.5], [1]))
    with pytest.raises(InputError, match="Leave out label_bias"):
        pm.roc_auc(table, label_bias=2, audit=pm.Audit.from_arrays([0.5], [1]))
    with pytest.raises(InputError, match="must be an Audit"):
        pm.roc_auc(table, audit="yes")
    with pytest.raises(UnsupportedError, match="cut or weighted"):
        pm.roc_auc(table.cut(), audit=pm.Audit.from_arrays([0.5], [1]))


def test_checked_labels_tell_the_purity():
    rng, table, score, labelled, truth = world(9, SINGLE)
    some = np.r_[
        rng.choice(np.flatnonzero(~labelled), 60, replace=False),
        rng.choice(np.flatnonzero(labelled), 20, replace=False),
    ]
    answers = truth[some].copy()
    answers[60:64] = False  # four labels turn out to be wrong
    audit = pm.Audit.from_arrays(score[some], answers, labelled=labelled[some])
    found = pm.audit_labels(table, audit)
    assert found.purity == pytest.approx(0.8)
    assert 0.5 < found.purity_interval.low < 0.8 < found.purity_interval.high < 1
    assert pm.prior_from_audit(audit, table=table).purity == pytest.approx(0.8)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_biased_labels_are_noticed_and_random_ones_left_alone(scenario):
    rng, rejected = np.random.default_rng(1), {0.0: 0, 2.0: 0}
    for slope in rejected:
        for _ in range(60):
            truth = rng.random(2000) < 0.3
            score = rng.normal(size=2000) + 1.5 * truth
            chance = 1 / (1 + np.exp(1 - slope * (score - 1.5)))
            labelled = truth & (rng.random(2000) < chance)
            y = labelled.astype(int)
            if scenario == CC:  # the labelled were collected elsewhere
                score, truth = np.r_[score, score[labelled]], np.r_[truth, truth[labelled]]
                y = np.r_[np.zeros(2000, int), np.ones(labelled.sum(), int)]
            table = pm.ScoreTable.from_arrays(y, score, scenario=scenario)
            rows = rng.choice(np.flatnonzero(y == 0), 300, replace=False)
            audit = pm.Audit.from_arrays(score[rows], truth[rows])
            found = pm.audit_labels(table, audit)
            assert (found.p_value < 0.05) == (found.interval.low > 1) or abs(
                found.p_value - 0.05
            ) < 0.01
            rejected[slope] += found.p_value < 0.05
    assert rejected[0.0] <= 9  # of 60, where 3 are expected
    assert rejected[2.0] >= 50


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [CC, SINGLE])
@pytest.mark.parametrize("slope", [2.0, -2.0])
def test_intervals_hold_however_labels_were_given(scenario, slope):
    from tests.programs import load

    program = load("simulate_audits")
    world = program.World(scenario, 0.2, slope, 200, "f1")
    truths, rng = world.truths(), np.random.default_rng(2)
    held = dict.fromkeys(program.COLUMNS, 0)
    for _ in range(20):
        for name, found in program.estimates(world, rng).items():
            held[name] += truths[name] in found.interval
    assert all(count >= 16 for count in held.values()), held


def test_every_error_is_one_of_ours():
    with pytest.raises(PuremetricsError):
        pm.Audit.from_arrays({}, [1])


def test_rates_that_rise_lie_within_their_band():
    """In all places at once: a band that is missed rarely at each is missed in few samples."""
    missed = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        score = rng.random(400)
        rate = score**2
        table = pm.ScoreTable.from_groups(positive=rng.random(20), unlabeled=score, scenario=CC)
        rows = rng.choice(400, 120, replace=False)
        audit = pm.Audit.from_arrays(score[rows], rng.random(120) < rate[rows])
        at = np.linspace(0.05, 0.95, 19)
        low, high = rate_band(Audited.of(table, audit), at)
        assert np.all((low >= 0) & (low <= high + 0.5) & (high <= 1))
        assert low[-1] > 0.2
        assert high[0] < 0.5
        missed += bool(np.any((low > at**2 + 1e-12) | (at**2 > high + 1e-12)))
    assert missed <= 6


def test_what_was_missed_is_as_many_rows_as_a_checked_one_stands_for():
    """A value of 1 at one row is 1/20 over the twenty rows that each of five checked ones stands for."""
    score = np.arange(100.0)
    table = pm.ScoreTable.from_groups(positive=[200.0], unlabeled=score, scenario=CC)
    audit = pm.Audit.from_arrays(score[[3, 30, 50, 70, 90]], [False, False, True, True, True])
    made = _Measured(Audited.of(table, audit))
    values = (table.score == 99.0).astype(float)
    np.testing.assert_allclose(made._along(values), [0.05, 0, 0, 0, 0])
    np.testing.assert_allclose(made._along(table.score), [89.5, 69.5, 49.5, 29.5, 9.5])
