import numpy as np
import pytest
from hypothesis import assume, given

import puremetrics as pm
from puremetrics.exceptions import InputError

from .strategies import groups, scenarios


@given(groups(), scenarios)
def test_derivatives_are_those_of_the_confusion_counts(data, scenario):
    table = data.table(scenario)
    low = table.total_pos / table.total if scenario == "single_training_set" else 0.0
    high = (table.total_pos + table.total_unl) / table.total if low else 1.0
    prior, step = low + 0.4 * (high - low), 1e-6 * (high - low)
    assume(prior < 0.9)
    before, after = (
        pm.confusion_at_thresholds(table, prior=prior + sign * step) for sign in (-1, 1)
    )
    slopes = pm.prior_derivatives(table, prior=prior)

    def check(name, of):
        expected = (of(after) - of(before)) / (2 * step)
        got = getattr(slopes, name)
        fine = np.isfinite(expected) & np.isfinite(got)
        assert got[fine] == pytest.approx(expected[fine], rel=1e-4, abs=1e-3)

    for name in ("tp", "fp", "fn", "tn"):
        check(name, lambda counts, name=name: getattr(counts, name))
    check("tpr", lambda counts: counts.tp / (counts.tp + counts.fn))
    check("fpr", lambda counts: counts.fp / (counts.fp + counts.tn))
    with np.errstate(all="ignore"):
        check("precision", lambda counts: counts.tp / (counts.tp + counts.fp))


def figure_4():
    """Two models on 5,000 labelled and 45,000 unlabeled rows, as runs of rows from the top.

    The second model ranks half of the labelled positives above nearly everything, then nothing more for
    long: its curve rises faster than 1/0.1 at first.
    """
    steep = [(2500, 450), (0, 2250), (2500, 42_300)]
    smooth = [(2750, 4500), (2250, 40_500)]
    tables = {}
    for name, runs in (("model 1", smooth), ("model 2", steep)):
        pos, unl = zip(*runs, strict=True)
        tables[name] = pm.ScoreTable.from_counts(
            range(len(runs), 0, -1), n_pos=pos, n_unl=unl, scenario="single_training_set"
        )
    return tables


def test_order_of_models_flips_with_the_prior_as_in_figure_4():
    tables = figure_4()
    low, high = (
        {name: pm.roc_auc(table, prior=prior).value for name, table in tables.items()}
        for prior in (0.1, 0.1 + 0.9 * 0.1)  # shares 0 and 0.1 among the unlabeled
    )
    assert low == pytest.approx({"model 1": 0.725, "model 2": 0.7325}, abs=1e-9)
    assert high == pytest.approx({"model 1": 0.750, "model 2": 0.747}, abs=1e-3)
    ranking = pm.best_by_prior(tables, priors=np.linspace(0.1, 0.19, 19))
    assert [name for *_, name in ranking.ranges] == ["model 2", "model 1"]
    assert ranking.dominant is None
    assert ranking.ranges[0][1] == ranking.crossings[0] == ranking.ranges[1][0]
    # The exact correction never changes the order; the flip says that the prior is contradicted.
    assert np.isfinite(ranking.contradicted["model 2"])
    direct = [
        pm.roc_auc(tables[name], prior=0.19, method="direct").value for name in sorted(tables)
    ]
    assert direct[0] < direct[1]
    assert "contradicts" in str(ranking)


def test_dominance_and_bad_input():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=600)
    y = np.arange(600) < 100
    good, poor = (
        pm.ScoreTable.from_arrays(y, scores + shift * y, scenario="case_control")
        for shift in (2, 1)
    )
    assert pm.best_by_prior({"good": good, "poor": poor}).dominant == "good"
    by_ap = pm.best_by_prior({"good": good, "poor": poor}, statistic="average_precision")
    assert by_ap.dominant == "good"
    with pytest.raises(InputError, match="two or more"):
        pm.best_by_prior({"one": good})
    other = pm.ScoreTable.from_arrays(y[:-1], scores[:-1], scenario="case_control")
    with pytest.raises(InputError, match="same rows"):
        pm.best_by_prior({"one": good, "two": other})


def test_sensitivity_traces_estimates_and_bounds():
    rng = np.random.default_rng(1)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1.5, 1, 200),
        unlabeled=np.concatenate([rng.normal(1.5, 1, 100), rng.normal(0, 1, 900)]),
        scenario="case_control",
    )
    curve = pm.prior_sensitivity(table)
    inside = slice(1, None)  # at prior 0 there is no latent positive and nothing is bounded
    assert np.all(np.diff(curve.value) > 0)
    assert np.all(curve.low <= curve.value)
    assert np.all(curve.bound_low[inside] <= curve.value[inside])
    assert np.all(curve.bound_high[inside] >= curve.value[inside] - 1e-9)
    assert curve.prior[-1] <= curve.largest_prior
    assert pm.prior_sensitivity(table, statistic="average_precision", priors=[0.1]).value[0] > 0.3


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
