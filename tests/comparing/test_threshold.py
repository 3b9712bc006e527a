import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import puremetrics as pm
from puremetrics.exceptions import InputError
from puremetrics.numerics.formulas import METRICS


def make(rng, auc=0.9, prior=0.2, labelled=100, unlabeled=1000):
    shift = np.sqrt(2) * ndtri(auc)
    return pm.ScoreTable.from_groups(
        positive=rng.normal(shift, 1, labelled),
        unlabeled=rng.normal(size=unlabeled) + shift * (rng.random(unlabeled) < prior),
        scenario="case_control",
    )


TABLE = make(np.random.default_rng(0))


def test_the_choice_is_the_best_of_all_thresholds():
    for objective in ("f1", "accuracy", "informedness"):
        choice = pm.choose_threshold(TABLE, objective=objective, prior=0.2, n_resamples=5, rng=0)
        counts = pm.confusion_at_thresholds(TABLE, prior=0.2)
        fp = np.clip(counts.fp, 0, None)
        values = METRICS[objective](counts.tp, fp, counts.fn, counts.fp + counts.tn - fp)
        assert choice.apparent == pytest.approx(np.nanmax(values), abs=1e-12)
        assert choice.estimate.value < choice.apparent
        assert choice.tp + choice.fn == pytest.approx(200)


def test_costs_are_minimised_and_agree_with_the_hull():
    table = TABLE.unlabeled_as_negative()
    prior = table.total_pos / table.total
    choice = pm.choose_threshold(
        table, objective="expected_cost", prior=None, cost_fp=1, cost_fn=20, n_resamples=5, rng=0
    )
    assert choice.threshold == pm.roc_hull(table).best_threshold(cost_fp=1, cost_fn=20, prior=prior)


def test_limits_are_met_or_refused():
    choice = pm.choose_threshold(
        TABLE, objective="recall", prior=0.2, subject_to={"precision": (">=", 0.8)}, rng=0
    )
    assert choice.limits["precision"] >= 0.8
    free = pm.choose_threshold(TABLE, objective="recall", prior=0.2, rng=0)
    assert free.apparent == 1.0
    none = pm.choose_threshold(TABLE, objective="specificity", prior=0.2, rng=0)
    assert none.threshold == np.inf
    assert "PM501" in {d.code for d in none.estimate.diagnostics}
    with pytest.raises(InputError, match=r"No threshold meets precision >= 1\.5"):
        pm.choose_threshold(
            TABLE, objective="recall", prior=0.2, subject_to={"precision": (">=", 1.5)}
        )
    with pytest.raises(InputError, match="not a limit"):
        pm.choose_threshold(TABLE, objective="recall", prior=0.2, subject_to={"fpr": 0.1})


def test_worst_case_is_below_the_point_estimate():
    point = pm.choose_threshold(TABLE, objective="f1", prior=0.2, n_resamples=20, rng=0)
    worst = pm.choose_threshold(
        TABLE, objective="f1", prior=0.2, worst_case=True, n_resamples=20, rng=0
    )
    assert worst.apparent < point.apparent
    bounds = pm.metric_curve_bounds(TABLE, "f1", prior=0.2).lower.y
    assert worst.apparent == pytest.approx(np.nanmax(bounds), abs=1e-12)
    with pytest.raises(InputError, match="clean labels"):
        pm.choose_threshold(TABLE, objective="f1", prior=0.2, purity=0.9, worst_case=True)


@pytest.mark.parametrize("objective", ["f1", "mcc", "expected_cost"])
def test_the_worst_case_of_a_range_is_the_worst_of_its_priors(objective):
    options = {"cost_fp": 1, "cost_fn": 4} if objective == "expected_cost" else {}

    def worst(prior):
        return pm.choose_threshold(
            TABLE,
            objective=objective,
            prior=prior,
            worst_case=True,
            n_resamples=60,
            rng=0,
            **options,
        )

    wide = worst((0.15, 0.25))
    sign = 1 if objective == "expected_cost" else -1
    curve = pm.metric_curve_bounds(TABLE, objective, prior=(0.15, 0.25), **options)
    values = curve.upper.y if sign == 1 else curve.lower.y
    row = curve.lower.x.tolist().index(wide.threshold)
    assert wide.apparent == pytest.approx(values[row], abs=1e-12)
    assert sign * wide.apparent == pytest.approx(np.nanmin(sign * values), abs=1e-12)
    found = METRICS[objective](wide.tp, wide.fp, wide.fn, wide.tn, **options)
    assert float(found) == pytest.approx(wide.apparent)
    for prior in (0.15, 0.2, 0.25):
        assert sign * worst(prior).apparent <= sign * wide.apparent + 1e-12


def test_a_narrow_range_says_nearly_what_its_middle_says():
    """The upper limit was 0.660 at prior 0.2, and 0.836 in the range from 0.1999 to 0.2001."""
    found = [
        pm.choose_threshold(
            TABLE, objective="f1", prior=prior, worst_case=True, n_resamples=100, rng=0
        )
        for prior in (0.2, (0.1999, 0.2001), (0.199, 0.201))
    ]
    for other in found[1:]:
        assert other.threshold == found[0].threshold
        assert tuple(other.estimate.interval) == pytest.approx(
            tuple(found[0].estimate.interval), abs=0.01
        )


def test_limits_of_the_worst_case_are_met_at_the_worst():
    choice = pm.choose_threshold(
        TABLE, objective="recall", prior=(0.15, 0.25), worst_case=True, n_resamples=20, rng=0,
        subject_to={"fpr": ("<=", 0.2), "npv": (">=", 0.8)},
    )  # fmt: skip
    known = {"threshold": choice.threshold, "prior": (0.15, 0.25)}
    assert choice.limits["fpr"] == pytest.approx(pm.metric_bounds(TABLE, "fpr", **known).high)
    assert choice.limits["npv"] == pytest.approx(pm.metric_bounds(TABLE, "npv", **known).low)
    assert choice.limits["fpr"] <= 0.2
    assert choice.limits["npv"] >= 0.8


def test_a_range_of_priors_widens_and_seeds_repeat():
    point, again = (
        pm.choose_threshold(TABLE, objective="f1", prior=0.2, n_resamples=50, rng=1) for _ in "ab"
    )
    wide = pm.choose_threshold(TABLE, objective="f1", prior=(0.1, 0.3), n_resamples=50, rng=1)
    assert point.estimate.interval == again.estimate.interval
    assert wide.estimate.interval.width > point.estimate.interval.width
    assert wide.estimate.interval.kind == "combined"
    assert "before correcting" in str(point)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("auc", "prior", "objective"),
    [(0.76, 0.2, "f1"), (0.76, 0.3, "mcc"), (0.9, 0.2, "informedness")],
)
def test_intervals_account_for_having_chosen(auc, prior, objective):
    rng = np.random.default_rng(7)
    shift = np.sqrt(2) * ndtri(auc)
    hits, apparent, corrected, repeats = 0, [], [], 200
    for i in range(repeats):
        table = make(rng, auc, prior, 60, 600)
        choice = pm.choose_threshold(
            table, objective=objective, prior=prior, n_resamples=150, rng=i
        )
        g, e = ndtr(shift - choice.threshold), ndtr(-choice.threshold)
        entries = (prior * g, (1 - prior) * e, prior * (1 - g), (1 - prior) * (1 - e))
        truth = float(METRICS[objective](*entries))
        hits += truth in choice.estimate.interval
        apparent.append(choice.apparent - truth)
        corrected.append(choice.estimate.value - truth)
    assert hits / repeats >= 0.93 - 3 * (0.93 * 0.07 / repeats) ** 0.5
    assert abs(np.mean(corrected)) < 0.5 * np.mean(apparent)
