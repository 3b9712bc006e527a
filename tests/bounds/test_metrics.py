"""Bounds on metrics are extremes over all heads, whatever the metric."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.bounds.contingency import LatentChoice, head_at
from puremetrics.numerics.formulas import METRICS
from puremetrics.setting import Setting
from tests.bounds.cases import ROWS, cases, choice_of, prior_of
from tests.small_tables import CC


@given(cases(), st.sampled_from(["precision", "recall", "f1", "mcc", "accuracy"]))
def test_metric_bounds_are_extremes_over_all_heads(case, name):
    data, scenario, latent = case
    table, prior = data.table(scenario), prior_of(data, scenario, latent)
    threshold = float(np.median(data.pos))
    choice = choice_of(table, prior)
    heads = head_at(table, threshold)
    low, high = (int(choice.x(heads, latent, side)[0]) for side in ("lower", "upper"))
    values = [
        float(METRICS[name](*choice.entries(heads, np.array([x]), latent))[0])
        for x in range(low, high + 1)
    ]
    assume(not np.isnan(values).any())
    got = pm.metric_bounds(table, name, threshold=threshold, prior=prior, **ROWS)
    assert tuple(got) == (min(values), max(values))


def test_a_users_own_metric_need_not_be_monotone():
    table = pm.ScoreTable.from_groups(
        positive=range(10, 30), unlabeled=range(40), scenario="case_control"
    )
    bounds = pm.metric_bounds(
        table, lambda tp, fp, fn, tn: (tp - 8) ** 2, threshold=20, prior=0.5, **ROWS
    )
    assert bounds.low == 0
    assert bounds.high > 1


def test_own_metrics_need_not_be_monotone():
    table = pm.ScoreTable.from_groups(positive=range(5, 15), unlabeled=np.arange(20), scenario=CC)
    known = {"prior": 0.5, "confidence_level": 0.95, **ROWS}
    least, most = pm.metric_bounds(table, lambda tp, fp, fn, tn: tp, threshold=10, **known)
    assert most - least >= 3
    middle = (least + most) // 2

    def hill(tp, fp, fn, tn):  # highest between the ends
        return -((tp - middle) ** 2)

    found = pm.metric_bounds(table, hill, threshold=10, **known)
    assert found.high == 0
    assert found.low == -(max(middle - least, most - middle) ** 2)
    curve = pm.metric_curve_bounds(table, hill, **known)
    row = curve.upper.x.tolist().index(10)
    assert (curve.lower.y[row], curve.upper.y[row]) == tuple(found)


def test_own_metrics_are_tried_on_all_tables_or_on_as_many_as_is_documented():
    table = pm.ScoreTable.from_groups(
        positive=range(100), unlabeled=np.arange(1000) / 10, scenario=CC
    )
    for prior, meaning in ((0.5, "rows"), (0.5, "population"), ((0.1, 0.9), "rows")):
        tried = []
        pm.metric_bounds(
            table, lambda tp, fp, fn, tn, tried=tried: tried.append((tp, fn)) or tp, threshold=50,
            prior=prior, rank_limits="dkw", prior_of=meaning,
        )  # fmt: skip
        tables = set(zip(*(entry.tolist() for entry in tried[0]), strict=True))
        choice = LatentChoice.of(Setting.of(table, prior), "dkw", "positives", False, meaning)
        heads = head_at(table, 50)
        every = {
            (float(x), float(latent - x))
            for latent in range(choice.low, choice.high + 1)
            for x in range(*(int(choice.x(heads, latent, side)[0]) + (side == "upper")
                             for side in ("lower", "upper")))
        }  # fmt: skip
        if len(every) <= 100_000:
            assert tables == every
        else:
            assert tables < every
            assert len(tables) > 60 * 60


def test_own_metrics_of_many_tables_are_tried_on_65_values_of_each():
    table = pm.ScoreTable.from_groups(
        positive=np.arange(100.0), unlabeled=np.arange(20_000.0) / 200, scenario=CC
    )
    tried = []
    pm.metric_bounds(
        table, lambda tp, fp, fn, tn: tried.append((tp, fn)) or tp, threshold=50,
        prior=(0.2, 0.4), **ROWS,
    )  # fmt: skip
    tp, fn = tried[0]
    assert tp.size == 65 * 65
    assert np.unique(tp + fn).size == 65
