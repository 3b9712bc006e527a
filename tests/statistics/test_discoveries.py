"""How many positives are among the first unlabeled rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.statistics import find
from puremetrics.statistics.discoveries import grid_of
from tests.correction.cases import cases
from tests.oracles import top
from tests.small_tables import CC, SINGLE


def drawn(scenario, seed=0, rows=2000, ties=False):
    """A table, and the hidden truth of its unlabeled rows: whether positive, and their scores."""
    rng = np.random.default_rng(seed)
    positive = rng.random(rows) < 0.2
    score = rng.normal(size=rows) + 2 * positive
    score = np.round(score, 1) if ties else score
    if scenario == SINGLE:
        labelled = positive & (rng.random(rows) < 0.4)
        table = pm.ScoreTable.from_arrays(labelled.astype(int), score, scenario=scenario)
        return table, positive[~labelled], score[~labelled]
    labels = rng.normal(2, 1, 150)
    labels = np.round(labels, 1) if ties else labels
    table = pm.ScoreTable.from_groups(positive=labels, unlabeled=score, scenario=scenario)
    return table, positive, score


@given(cases())
def test_curves_are_possible(case):
    data, scenario, prior, purity = case
    if not data.unl:
        return
    table = data.table(scenario)
    curve = pm.discovery_curve(table, prior=prior, purity=purity)
    steps, finds = np.diff(curve.rows), np.diff(curve.finds)
    assert curve.rows[0] == 0
    assert curve.rows[-1] == len(data.unl)
    assert np.all(finds >= -1e-9)
    assert np.all(finds <= steps + 1e-9)
    assert np.all((curve.low >= 0) & (curve.low <= curve.finds + 1e-12))
    assert np.all((curve.finds <= curve.high + 1e-12) & (curve.high <= curve.rows))
    total = len(data.pos) + len(data.unl) + len(data.neg)
    hidden = prior * len(data.unl)
    if scenario == SINGLE:
        hidden = prior * total - purity * len(data.pos)
    assert curve.positives == pytest.approx(min(max(hidden, 0), purity * len(data.unl)), abs=1e-6)
    again = pm.discovery_curve(table.cut(), prior=prior, purity=purity)
    assert np.allclose(curve.finds, again.finds, atol=1e-9)
    assert np.allclose(curve.high, again.high, atol=1e-9)


@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_finds_are_the_positives_above_the_score_where_that_is_possible(scenario):
    table, _, score = drawn(scenario)
    prior = 0.2
    curve = pm.discovery_curve(table, prior=prior, rows=[700, 900])
    labelled = table.scores_of("pos", np.arange(1, table.total_pos + 1))
    cut = np.sort(score)[::-1][899]
    hidden = prior * table.total_unl
    if scenario == SINGLE:
        hidden = prior * table.total - table.total_pos
    plain = hidden * np.mean(labelled >= cut)
    assert float(curve.at(900)) == pytest.approx(plain, rel=0.03)


@pytest.mark.parametrize("scenario", [CC, SINGLE])
@pytest.mark.parametrize("ties", [False, True])
def test_bands_hold_what_checking_finds(scenario, ties):
    held = []
    for seed in range(40):
        table, positive, score = drawn(scenario, seed, 500, ties)
        curve = pm.discovery_curve(table, prior=0.2, rows=[25, 100, 250])
        for rows in (25, 100, 250):
            found = top.discoveries(list(positive), list(score), rows)
            interval = curve.at(rows).interval
            held.append(interval.low - 1e-9 <= found <= interval.high + 1e-9)
    assert np.mean(held) >= 0.93


def test_rows_to_find_turns_the_curve_round():
    table, _, _ = drawn(CC)
    curve = pm.discovery_curve(table, prior=0.2)
    for wanted in (1, 50, 200.5):
        found = curve.rows_to_find(wanted)
        assert float(curve.at(found.value)) == pytest.approx(wanted)
        assert found.interval.low <= found.value <= found.interval.high
        assert curve.at(found.interval.high).interval.low == pytest.approx(wanted)
    assert curve.rows_to_find(390).interval.high == np.inf
    assert curve.rows_to_find(10_000).value == np.inf
    assert curve.rows_to_find(390).to_dict()["interval"]["high"] is None
    assert "Checking the 100 best unlabeled rows would find" in str(curve)
    with pytest.raises(InputError, match="above 0"):
        curve.rows_to_find(0)
    with pytest.raises(InputError, match="2000 unlabeled"):
        curve.at(2001)


def test_ranges_and_biased_labels_widen():
    table, _, _ = drawn(SINGLE)
    plain = pm.discovery_curve(table, prior=0.2)
    for options in ({"prior": (0.15, 0.25)}, {"prior": 0.2, "label_bias": 2.0}):
        wide = pm.discovery_curve(table, **options)
        assert np.all(wide.low <= plain.low + 1e-9)
        assert np.all(wide.high >= plain.high - 1e-9)
        assert wide.kind == "combined"
    biased = pm.discovery_curve(table, prior=0.2, label_bias=2.0, label_bias_side="high")
    assert np.all(
        biased.bias_high <= np.maximum(plain.finds, biased.finds) + 1e-6 * plain.unlabeled
    )
    assert plain.bias_low is None


def test_what_cannot_be_told_is_refused():
    labelled = pm.ScoreTable.from_groups(positive=[2, 1], unlabeled=None, negative=[0], scenario=CC)
    with pytest.raises(UnsupportedError, match="no unlabeled rows"):
        pm.discovery_curve(labelled)
    y, s = [1, 1, 0, 0, 0], [5, 3, 4, 2, 1]
    weighed = pm.ScoreTable.from_arrays(y, s, scenario=SINGLE, propensity=[0.5, 0.2, 1, 1, 1])
    with pytest.raises(UnsupportedError, match="two weights of a labelled row"):
        pm.discovery_curve(weighed, prior=0.6)
    table, _, _ = drawn(CC)
    for rows in (0, 5000, [3, -1]):
        with pytest.raises(InputError, match="is not possible"):
            pm.discovery_curve(table, prior=0.2, rows=rows)


@given(st.integers(1, 10**8))
def test_grids_are_short_and_whole(total):
    grid = grid_of(float(total), np.empty(0))
    assert grid.size < 260
    assert grid[0] == 0
    assert grid[-1] == total
    assert np.all(grid == np.round(grid))


@pytest.mark.parametrize("scenario", [CC, SINGLE])
@pytest.mark.parametrize("purity", [1.0, 0.9])
def test_limits_of_all_numbers_at_once_hold_those_of_each(scenario, purity):
    table, _, _ = drawn(scenario)
    known = {"prior": 0.2, "purity": purity}
    each, every = (
        pm.discovery_curve(table, band=band, **known) for band in ("pointwise", "simultaneous")
    )
    assert np.array_equal(each.finds, every.finds)
    assert np.all((every.low <= each.low + 1e-9) & (each.high <= every.high + 1e-9))
    width = float(np.mean(every.high - every.low) / np.mean(each.high - each.low))
    assert 1.2 < width < 2.0
    assert every.level == each.level == 0.95
    assert "for all numbers of rows at once" in str(every)
    assert "at each number of rows separately" in str(each)
    with pytest.raises(InputError, match="'simultaneous'"):
        pm.discovery_curve(table, prior=0.2, band="both")


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_all_numbers_are_held_at_once(scenario):
    held = []
    for seed in range(60):
        table, positive, score = drawn(scenario, seed, rows=1000)
        curve = pm.discovery_curve(table, prior=0.2, band="simultaneous")
        order = np.argsort(-score, kind="stable")
        found = np.concatenate([[0.0], np.cumsum(positive[order])])[curve.rows.astype(int)]
        held.append(np.all((curve.low <= found + 1e-9) & (found <= curve.high + 1e-9)))
    assert np.mean(held) >= 0.93 - 3 * (0.93 * 0.07 / 60) ** 0.5


# ------------------------------------------------------------ the curve at one number of rows: a statistic


def two_models(scenario, seed=0, rows=1500):
    """A joint table of a better and a worse model, what the first 60 rows hold, and the prior."""
    rng = np.random.default_rng(seed)
    positive = rng.random(rows) < 0.2
    labelled = positive & (rng.random(rows) < 0.4)
    scores = {name: rng.normal(size=rows) + by * positive for name, by in (("a", 1.2), ("b", 0.6))}
    joint = pm.JointTable.from_arrays(labelled.astype(int), scores, scenario=scenario)
    hidden = positive[~labelled]
    found = {
        name: int(hidden[np.argsort(-score[~labelled])[:60]].sum())
        for name, score in scores.items()
    }
    return joint, found, float(hidden.mean() if scenario == CC else positive.mean())


@pytest.mark.parametrize("scenario", [CC, SINGLE])
@pytest.mark.parametrize(
    "known",
    [
        {"prior": 0.2},
        {"prior": (0.18, 0.25)},
        {"prior": 0.2, "purity": 0.95},
        {"prior": 0.2, "label_bias": 2.0, "label_bias_side": "high"},
    ],
)
def test_the_statistic_is_the_curve_at_its_rows(scenario, known):
    table = two_models(scenario)[0]["a"]
    curve = pm.discovery_curve(table, rows=60, **known).at(60)
    found = pm.assume(table, **known).estimate(find("discoveries", top=60))
    assert (found.name, found.title, found.top) == (curve.name, curve.title, curve.top)
    assert (found.value, found.low, found.high) == (curve.value, curve.low, curve.high)
    assert (found.prior, found.unlabeled_share) == pytest.approx(
        (curve.prior, curve.unlabeled_share)
    )


@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_differences_by_rows_are_those_of_resampling(scenario):
    joint, _, prior = two_models(scenario)
    asked = {"statistic": "discoveries", "top": 60, "prior": prior}
    by_rows = pm.compare(joint, interval="analytic", **asked).differences[0]
    drawn = pm.compare(joint, interval="bootstrap", n_resamples=200, rng=0, **asked).differences[0]
    assert by_rows.value == drawn.value
    assert by_rows.standard_error == pytest.approx(drawn.standard_error, rel=0.2)


def test_known_negatives_are_no_row_of_the_list():
    rng = np.random.default_rng(3)
    y = rng.choice([1, 0, -1], size=900, p=[0.1, 0.8, 0.1])
    scores = {name: rng.normal(size=900) + (y == 1) for name in "ab"}
    joint = pm.JointTable.from_arrays(y, scores, scenario=SINGLE, neg_label=-1)
    difference = pm.compare(
        joint, statistic="discoveries", top=50, prior=0.2, interval="analytic"
    ).differences[0]
    assert np.isfinite(difference.standard_error)
    assert difference.standard_error > 0


@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_checked_rows_tell_it_exactly(scenario):
    joint, found, _ = two_models(scenario)
    table = joint["a"]
    rng = np.random.default_rng(0)
    positive = rng.random(1500) < 0.2
    labelled = positive & (rng.random(1500) < 0.4)
    hidden = ~labelled
    audit = pm.Audit.from_arrays(
        joint.scores["a"][hidden], positive[hidden], weight=np.ones(int(hidden.sum()))
    )
    told = pm.assume(table, audit=audit).estimate(find("discoveries", top=60))
    assert (told.value, told.low, told.high) == pytest.approx((found["a"],) * 3)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_differences_to_expect_are_held(scenario):
    """The number to expect is that of a far larger sample of the same kind."""
    many, _, _ = two_models(scenario, seed=1, rows=400_000)
    truth = 0.2
    held = []
    share = 60 / (1500 * 0.92)
    rows = int(share * many["a"].total_unl)
    exact = pm.compare(
        many, statistic="discoveries", top=rows, prior=truth * (0.6 / 0.92 if scenario == CC else 1),
        interval="analytic",
    ).differences[0].value * 60 / rows  # fmt: skip
    for seed in range(200):
        joint, _, _ = two_models(scenario, seed=seed + 10)
        top = round(share * joint["a"].total_unl)
        prior = truth * (0.6 / 0.92 if scenario == CC else 1)
        interval = pm.compare(
            joint, statistic="discoveries", top=top, prior=prior, interval="analytic"
        ).differences[0].interval  # fmt: skip
        held.append(interval.low <= exact <= interval.high)
    assert np.mean(held) > 0.92
