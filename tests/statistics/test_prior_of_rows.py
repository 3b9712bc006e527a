"""A prior that is the share of positives among the rows at hand was drawn with them, and errs as they do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import puremetrics as pm
from puremetrics.exceptions import PriorError
from puremetrics.setting import Setting
from tests.small_tables import CC, SINGLE

LABELLED = {"neg_label": 0, "unlabeled_label": None}
SCENARIOS = pytest.mark.parametrize("scenario", [CC, SINGLE])


def drawn(seed, rows=1000):
    """Labels of all rows, and scores that are probabilities, though not the right ones."""
    rng = np.random.default_rng(seed)
    score = 1 / (1 + np.exp(-rng.normal(size=rows)))
    return rng.random(rows) < score**1.5, score


def known(y, score, scenario):
    return pm.ScoreTable.from_arrays(y.astype(int), score, scenario=scenario, **LABELLED)


def wilson(found, of):
    z, share = norm.ppf(0.975), found / of
    middle, reach = share + z**2 / 2 / of, z * np.sqrt(share * (1 - share) / of + (z / 2 / of) ** 2)
    return (middle - reach) / (1 + z**2 / of), (middle + reach) / (1 + z**2 / of)


@SCENARIOS
@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.7])
def test_shares_of_rows_have_the_usual_limits(scenario, threshold):
    y, score = drawn(0)
    table, flagged = known(y, score, scenario), score >= threshold
    right = (y == flagged).sum()
    for name, found, of in (
        ("precision", (y & flagged).sum(), flagged.sum()),
        ("npv", (~y & ~flagged).sum(), (~flagged).sum()),
        ("accuracy", right, y.size),
        ("recall", (y & flagged).sum(), y.sum()),
    ):
        told = pm.metric(table, name, threshold=threshold)
        low, high = wilson(found, of)
        assert told.value == pytest.approx(found / of)
        assert told.high - told.low == pytest.approx(high - low, rel=0.12), name
        assert (told.low, told.high) == pytest.approx((low, high), abs=0.12 * (high - low)), name


@SCENARIOS
def test_errors_of_means_over_rows_are_those_of_the_rows(scenario):
    y, score = drawn(1)
    loss = (score - y) ** 2
    found = pm.brier_score(known(y, score, scenario))
    assert found.standard_error == pytest.approx(loss.std() / np.sqrt(y.size), rel=0.01)
    assert found.high - found.low == pytest.approx(3.92 * loss.std() / np.sqrt(y.size), rel=0.1)


def test_both_scenarios_say_the_same_of_rows_that_are_all_labelled():
    y, score = drawn(2, 300)
    one, other = (known(y, score, scenario) for scenario in (CC, SINGLE))
    for ask in (
        pm.roc_auc, pm.average_precision, pm.brier_score, pm.ndcg, pm.bedroc,
        lambda t: pm.metric(t, "f1", threshold=0.4),
        lambda t: pm.metric(t, "precision", top=30),
    ):  # fmt: skip
        first, second = ask(one), ask(other)
        assert (first.value, first.low, first.high) == pytest.approx(
            (second.value, second.low, second.high), abs=1e-9
        )


@given(st.integers(0, 2**20), st.sampled_from([1, 2, 9]))
def test_curves_of_labelled_rows_never_turn_back(seed, digits):
    y, score = drawn(seed, 60)
    if y.all() or not y.any():
        return
    curve = pm.roc_curve(known(y, np.round(score, digits), SINGLE), prior=None)
    assert np.all(np.diff(curve.x) >= 0)
    assert np.all(np.diff(curve.y) >= 0)
    assert np.unique(curve.threshold).size == curve.threshold.size
    assert (curve.x[0], curve.y[-1]) == (0, 1)


@SCENARIOS
@pytest.mark.parametrize("interval", ["analytic", "bootstrap"])
def test_differences_of_models_are_those_of_their_rows(scenario, interval):
    y, score = drawn(3)
    other = np.clip(score + 0.1 * np.random.default_rng(9).normal(size=y.size), 0, 1)
    joint = pm.JointTable.from_arrays(
        y.astype(int), {"a": score, "b": other}, scenario=scenario, **LABELLED
    )
    found = pm.compare(joint, statistic="brier_score", interval=interval).differences[0]
    apart = (score - y) ** 2 - (other - y) ** 2
    wide = 0.01 if interval == "analytic" else 0.15
    assert found.standard_error == pytest.approx(apart.std() / np.sqrt(y.size), rel=wide)


@SCENARIOS
def test_means_over_folds_allow_for_it(scenario):
    y, score = drawn(4)
    given = {"fold": np.arange(y.size) % 5, "scenario": scenario, **LABELLED}
    found = pm.cross_evaluate(y.astype(int), score, statistic="brier_score", **given)
    loss = (score - y) ** 2
    error = found["brier_score"].standard_error
    assert error == pytest.approx(loss.std() / np.sqrt(y.size), rel=0.02)


def test_a_prior_of_the_rows_is_exact_and_one_of_the_population_is_not():
    rng = np.random.default_rng(5)
    y = rng.random(400) < 0.3
    labelled = y & (rng.random(400) < 0.9)
    score = rng.normal(size=400) + 1.5 * y
    table = pm.ScoreTable.from_arrays(labelled.astype(int), score, scenario=SINGLE)
    least = labelled.mean()
    low = pm.metric(table, "precision", threshold=0.7, prior=least - 0.02)
    assert "PM114" in {remark.code for remark in low.diagnostics}
    with pytest.raises(PriorError, match="already labelled positive"):
        pm.roc_auc(table, prior=least - 0.02, prior_of="rows")
    with pytest.raises(PriorError, match="already labelled positive"):
        pm.roc_auc(table, prior=0.05)  # no chance
    of_rows = pm.metric(table, "precision", threshold=0.7, prior=y.mean(), prior_of="rows")
    of_all = pm.metric(table, "precision", threshold=0.7, prior=y.mean())
    assert of_rows.value == pytest.approx(of_all.value)
    assert of_rows.high - of_rows.low > of_all.high - of_all.low
    assert pm.assume(table, prior=y.mean(), prior_of="rows").metric(
        "precision", threshold=0.7
    ).low == pytest.approx(of_rows.low)


def test_with_few_labels_both_meanings_agree():
    rng = np.random.default_rng(6)
    y = rng.random(20_000) < 0.3
    labelled = y & (rng.random(20_000) < 0.02)
    score = rng.normal(size=20_000) + 1.5 * y
    table = pm.ScoreTable.from_arrays(labelled.astype(int), score, scenario=SINGLE)
    for ask in (pm.roc_auc, lambda t, **k: pm.metric(t, "f1", threshold=0.7, **k)):
        ends = [ask(table, prior=0.3, prior_of=of).interval for of in ("population", "rows")]
        assert tuple(ends[0]) == pytest.approx(tuple(ends[1]), abs=0.05 * ends[0].width)


TRUTH = {"share": 0.25, "apart": 1.5}


def in_groups(seed, groups=300, size=6, together=0.8):
    """Groups that have many positives or few, and whose scores are shifted along with that."""
    rng = np.random.default_rng(seed)
    place = np.repeat(np.arange(groups), size)
    shift = rng.normal(size=groups)
    y = rng.random(place.size) < norm.cdf(-0.5 + shift[place])
    score = rng.normal(size=place.size) + 1.5 * y
    score += together * shift[place] + rng.normal(size=groups)[place] * 0.3
    return y, score, place


def width_over_groups(rows, place):
    sums = np.bincount(place, rows)
    return 2 * norm.ppf(0.975) * np.sqrt(np.sum(sums**2) * sums.size / (sums.size - 1))


@SCENARIOS
@pytest.mark.parametrize("together", [-0.8, 0.0, 0.8])
def test_groups_of_rows_are_allowed_for_in_the_share_of_positives_too(scenario, together):
    y, score, place = in_groups(3, together=together)
    flagged = score >= 0.8
    table = pm.ScoreTable.from_arrays(
        y.astype(int), score, scenario=scenario, groups=place, **LABELLED
    )
    both = y.sum() + flagged.sum()
    f1 = 2 * (y & flagged).sum() / both
    # what each row adds to the error of a ratio: its part of the top less the ratio times that of the bottom
    added = {
        "precision": flagged * (y - y[flagged].mean()) / flagged.sum(),
        "npv": ~flagged * (~y - (~y[~flagged]).mean()) / (~flagged).sum(),
        "accuracy": ((y == flagged) - (y == flagged).mean()) / y.size,
        "f1": (2.0 * (y & flagged) - f1 * (1.0 * y + flagged)) / both,
    }
    for name, rows in added.items():
        told = pm.metric(table, name, threshold=0.8)
        assert told.high - told.low == pytest.approx(width_over_groups(rows, place), rel=0.1), name


def test_rows_of_which_few_are_labelled_tell_how_their_positives_cluster():
    errors = []
    for frequency in (1.0, 0.5, 0.3):
        y, _, place = in_groups(4, groups=4000)
        rng = np.random.default_rng(5)
        labelled = y & (rng.random(y.size) < frequency)
        table = pm.ScoreTable.from_arrays(
            labelled.astype(int), rng.normal(size=y.size), scenario=SINGLE, groups=place
        )
        errors.append(Setting.of(table, float(y.mean()), prior_of="rows").prior_error)
    rows = (y - y.mean()) / y.size
    assert errors == pytest.approx(
        3 * [width_over_groups(rows, place) / 2 / norm.ppf(0.975)], rel=0.1
    )


def test_differences_of_models_and_folds_allow_for_groups_in_the_share_of_positives():
    y, score, place = in_groups(6)
    other = score + np.random.default_rng(7).normal(size=y.size)
    scores, flags = {"a": score, "b": other}, {"a": score >= 0.8, "b": other >= 0.8}
    joint = pm.JointTable.from_arrays(
        y.astype(int), scores, scenario=SINGLE, groups=place, **LABELLED
    )
    parts = [f * (y - y[f].mean()) / f.sum() for f in flags.values()]
    found = pm.compare(joint, statistic="precision", threshold=0.8).differences[0].interval
    width = width_over_groups(parts[0] - parts[1], place)
    assert found.high - found.low == pytest.approx(width, rel=0.1)
    told = pm.cross_evaluate(
        y.astype(int), scores, fold=place % 5, statistic="precision", threshold=0.8,
        scenario=SINGLE, groups=place, **LABELLED,
    )  # fmt: skip
    estimate = told.estimates["a"]["precision"]
    assert estimate.high - estimate.low == pytest.approx(
        width_over_groups(parts[0], place), rel=0.12
    )
    apart = told.differences["precision"][0].interval
    assert apart.high - apart.low == pytest.approx(width, rel=0.12)


def held(scenario, frequency, of, samples=300, rows=800):
    """How often intervals hold the truth of the population, by statistic."""
    rng = np.random.default_rng(7)
    share, apart = TRUTH["share"], TRUTH["apart"]
    recall, fall_out = norm.sf(-apart / 2), norm.sf(apart / 2)
    tp, fp = share * recall, (1 - share) * fall_out
    truth = {
        "precision": tp / (tp + fp),
        "f1": 2 * tp / (tp + fp + share),
        "accuracy": tp + (1 - share) * (1 - fall_out),
        "npv": (1 - share - fp) / (1 - tp - fp),
        "roc_auc": norm.cdf(apart / np.sqrt(2)),
    }
    found = dict.fromkeys(truth, 0)
    for _ in range(samples):
        y = rng.random(rows) < share
        score = rng.normal(size=rows) + apart * y
        labelled = y & (rng.random(rows) < frequency)
        table = pm.ScoreTable.from_arrays(labelled.astype(int), score, scenario=scenario)
        prior = share if of == "population" else y.mean()
        given = pm.assume(table, prior=prior, prior_of=of)
        for name, exact in truth.items():
            told = given.estimate(name, threshold=None if name == "roc_auc" else apart / 2)
            found[name] += told.low <= exact <= told.high
    return {name: count / samples for name, count in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize("frequency", [0.1, 0.3, 0.6, 0.9, 1.0])
@pytest.mark.parametrize("of", ["population", "rows"])
def test_intervals_hold_from_few_labels_to_all(frequency, of):
    assert min(held(SINGLE, frequency, of).values()) > 0.91
