"""Formulas of the metrics, each once by hand."""

import math

import pytest

from puremetrics.exceptions import InputError
from puremetrics.numerics.formulas import METRICS, find_formula

TP, FP, FN, TN = 30, 12, 8, 50
N = TP + FP + FN + TN


def by_hand():
    tpr, tnr = TP / (TP + FN), TN / (TN + FP)
    ppv, npv = TP / (TP + FP), TN / (TN + FN)
    chance = ((TP + FP) * (TP + FN) + (TN + FP) * (TN + FN)) / N**2
    mcc = (TP * TN - FP * FN) / math.sqrt((TP + FP) * (TP + FN) * (TN + FP) * (TN + FN))
    return {
        "precision": (ppv, 0, 1), "recall": (tpr, 0, 1), "specificity": (tnr, 0, 1),
        "npv": (npv, 0, 1), "fpr": (1 - tnr, 0, 1), "fnr": (1 - tpr, 0, 1), "fdr": (1 - ppv, 0, 1),
        "f1": (2 * TP / (2 * TP + FP + FN), 0, 1), "fbeta": (2 * TP / (2 * TP + FP + FN), 0, 1),
        "accuracy": ((TP + TN) / N, 0, 1), "balanced_accuracy": ((tpr + tnr) / 2, 0, 1),
        "mcc": (mcc, -1, 1), "informedness": (tpr + tnr - 1, -1, 1),
        "markedness": (ppv + npv - 1, -1, 1),
        "positive_likelihood_ratio": (tpr / (1 - tnr), 0, math.inf),
        "negative_likelihood_ratio": ((1 - tpr) / tnr, 0, math.inf),
        "lift": (ppv / ((TP + FN) / N), 0, math.inf), "expected_cost": ((FP + FN) / N, 0, math.inf),
        "net_benefit": ((TP - FP) / N, -math.inf, 1), "jaccard": (TP / (TP + FP + FN), 0, 1),
        "cohen_kappa": (((TP + TN) / N - chance) / (1 - chance), -1, 1),
        "geometric_mean": (math.sqrt(tpr * tnr), 0, 1),
        "predicted_positive_rate": ((TP + FP) / N, 0, 1),
        "lee_liu": (tpr**2 / ((TP + FP) / N), 0, math.inf),
        "pseudo_f": (2 * tpr / ((TP + FP) / N + (TP + FN) / N), 0, math.inf),
    }  # fmt: skip


@pytest.mark.parametrize("name", sorted(METRICS))
@pytest.mark.parametrize("scale", [1, 1e-9, 1e12])
def test_every_metric_by_hand(name, scale):
    value, low, high = by_hand()[name]
    formula = METRICS[name]
    assert float(formula(*(scale * x for x in (TP, FP, FN, TN)))) == pytest.approx(value, rel=1e-14)
    assert (formula.name, formula.low, formula.high) == (name, low, high)


def test_options_and_other_names_by_hand():
    fbeta, options = find_formula("fbeta", {"beta": 2})
    assert float(fbeta(TP, FP, FN, TN, **options)) == pytest.approx(5 * TP / (5 * TP + 4 * FN + FP))
    cost, options = find_formula("expected_cost", {"cost_fp": 3, "cost_fn": 0.5})
    assert float(cost(TP, FP, FN, TN, **options)) == pytest.approx((3 * FP + 0.5 * FN) / N)
    benefit, options = find_formula("net_benefit", {"threshold_probability": 0.2})
    assert float(benefit(TP, FP, FN, TN, **options)) == pytest.approx((TP - FP / 4) / N)
    for wrong in (0.0, 1.0, 2.0):
        with pytest.raises(InputError, match="between 0 and 1"):
            find_formula("net_benefit", {"threshold_probability": wrong})
    for alias, name in (("tpr", "recall"), ("ppv", "precision"), ("youden", "informedness"),
                        ("tnr", "specificity"), ("f1_score", "f1")):  # fmt: skip
        assert find_formula(alias, {})[0].name == name
    for options in ({"beta": 0}, {"beta": -1}, {"beta": 1.01e100}, {"cost_fp": 1}):
        with pytest.raises(InputError):
            find_formula("fbeta", options)
    assert find_formula("fbeta", {"beta": 1e100})
    assert find_formula("expected_cost", {"cost_fp": 0.0})[1] == {"cost_fp": 0.0}
    with pytest.raises(InputError, match="at least 0"):
        find_formula("expected_cost", {"cost_fn": -0.1})
    smaller = {name for name, formula in METRICS.items() if formula.smaller_is_better}
    assert smaller == {"expected_cost", "fpr", "fnr", "fdr", "negative_likelihood_ratio"}


def test_empty_margins_are_undefined_or_infinite():
    nothing = (0, 0, 8, 50)  # nothing predicted positive
    for name in ("precision", "fdr", "mcc", "lift", "markedness", "positive_likelihood_ratio",
                 "lee_liu"):  # fmt: skip
        assert math.isnan(METRICS[name](*nothing)), name
    assert float(METRICS["recall"](*nothing)) == 0
    assert float(METRICS["pseudo_f"](*nothing)) == 0
    assert float(METRICS["positive_likelihood_ratio"](5, 0, 3, 50)) == math.inf
    assert float(METRICS["negative_likelihood_ratio"](5, 9, 3, 0)) == math.inf
    # Minus zero, which a correction may leave behind, is zero.
    assert float(METRICS["positive_likelihood_ratio"](5, -0.0, 3, 50)) == math.inf
    # A sum that is zero but for rounding is zero.
    assert math.isnan(METRICS["fdr"](0.3, 0.0 * 3, 1, 1)) is False
    assert float(METRICS["precision"](0.1 + 0.2, -0.3, 1, 1)) == math.inf
    assert float(METRICS["precision"](0.1, -0.3, 1, 1)) == pytest.approx(-0.5)
    assert math.isnan(METRICS["geometric_mean"](-1, 2, 3, 4))


def test_measures_of_two_samples_are_known_metrics_over_the_prior():
    """Lee–Liu is precision · recall / prior, pseudo-F is F1 / prior."""
    entries, prior = (TP, FP, FN, TN), (TP + FN) / N
    product = METRICS["precision"](*entries) * METRICS["recall"](*entries)
    assert float(METRICS["lee_liu"](*entries)) == pytest.approx(float(product) / prior)
    assert float(METRICS["pseudo_f"](*entries)) == pytest.approx(
        float(METRICS["f1"](*entries)) / prior
    )
