"""Corrected rates, counts and what is said about them, by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest

import puremetrics as pm
from puremetrics import confusion, scenario
from puremetrics.formulas import METRICS

from .test_core_scenario import CC, SINGLE, tables


def test_corrected_rates_by_hand():
    g, f = np.array([0, 0.5, 1]), np.array([0, 0.2, 1])
    a, b = 0.1, 0.9
    tpr, fpr = confusion.corrected_rates(g, f, a, b)
    assert tpr == pytest.approx(((1 - a) * g - (1 - b) * f) / (b - a))
    assert fpr == pytest.approx((b * f - a * g) / (b - a))
    assert (tpr[-1], fpr[-1]) == (1, 1)
    heads = confusion.heads_of(tables()[CC])
    assert heads.pos.tolist() == pytest.approx([0, 1 / 3, 2 / 3, 2 / 3, 1, 1, 1])
    assert heads.cmp.tolist() == [0, 0, 0.25, 0.5, 0.5, 1, 1]
    assert heads.threshold.tolist() == [math.inf, 5, 4, 3, 2, 1, 0]
    assert confusion.shares_at(tables()[SINGLE], 4) == (2 / 3, 3 / 9)


def test_counts_and_diagnostics_by_hand():
    counts = pm.confusion_at_thresholds(tables()[CC], prior=0.25)
    a = Fraction(1, 4)
    for i, (g, f) in enumerate([(0, 0), (Fraction(1, 3), 0), (Fraction(2, 3), Fraction(1, 4))]):
        fpr = (f - a * g) / (1 - a)
        exact = [4 * a * g, 4 * (1 - a) * fpr, 4 * a * (1 - g), 4 * (1 - a) * (1 - fpr)]
        found = [getattr(counts, n)[i] for n in ("tp", "fp", "fn", "tn")]
        assert found == pytest.approx([float(x) for x in exact])
    assert {d.code for d in counts.diagnostics} == {"PM101", "PM106"}
    remarks = confusion.range_diagnostics
    assert not remarks(np.array([0.0, 1.0 + 1e-13]), np.array([-1e-13, 1.0]))
    for off in (-1e-6, 1 + 1e-6):  # a little is said, too, but not rounding
        for rates in ([0.5, off], [0.5, 0.5]), ([0.5, 0.5], [0.5, off]):
            assert [d.code for d in remarks(*map(np.array, rates))] == ["PM101"]
    assert "reaches 1.5" in remarks(np.array([-0.2, 1.5]), np.array([0.0, 1.0]))[0].message
    assert "reaches -0.7" in remarks(np.array([-0.7, 1.5]), np.array([0.0, 1.0]))[0].message
    for n, few in ((29, True), (30, False), (31, False)):
        table = pm.ScoreTable.from_groups(positive=range(n), unlabeled=[1], scenario=CC)
        assert bool(confusion.few_positives(table)) is few


def test_limits_are_cut_to_the_range_by_hand():
    known = scenario.resolve_prior(tables()[SINGLE], 0.5)
    formula = METRICS["mcc"]
    for value, ends, cut, codes in (
        (0.5, (-2.0, 0.9), (-1.0, 0.9), []),
        (1.2, (0.3, 1.7), (0.3, 1.0), ["PM101"]),
        (-1.2, (-1.7, -1.1), (-1.0, -1.0), ["PM101", "PM102"]),
        (1.0 + 1e-13, (1.0, 1.0), (1.0, 1.0), []),
        (1.5, (1.2, 1.7), (1.0, 1.0), ["PM101", "PM102"]),
    ):
        found, remarks = confusion.bounded_interval(value, *ends, formula, 0.9, known, "x")
        assert tuple(found) == cut
        assert [d.code for d in remarks] == codes
        assert (found.level, found.kind, found.method) == (0.9, "confidence", "x")


def test_ratios_with_a_pole_run_to_infinity_by_hand():
    table = pm.ScoreTable.from_groups(positive=[3, 3, 1], unlabeled=[3, 1, 0, 0], scenario=CC)
    ratio = pm.metric(table, "positive_likelihood_ratio", threshold=2, prior=0.3)
    g, f = 2 / 3, 1 / 4
    assert ratio.value == pytest.approx(g / ((f - 0.3 * g) / 0.7))
    assert ratio.interval.high == math.inf
    assert 0 <= ratio.interval.low < ratio.value


def test_undefined_metrics_say_why_by_hand():
    table = tables()[SINGLE]
    for threshold, words in ((99, "no row"), (-99, "every row")):
        name = "precision" if threshold > 0 else "npv"
        found = pm.metric(table, name, threshold=threshold, prior=0.5)
        assert any(words in d.message for d in found.diagnostics if d.code == "PM103")
        assert found.interval is None
    # Sums of weights may exceed their total by rounding, shares may not.
    rng = np.random.default_rng(0)
    y, weight = np.arange(50) % 2, rng.random(50)
    heavy = pm.ScoreTable.from_arrays(y, -np.arange(50), sample_weight=weight, scenario=CC)
    assert max(confusion.shares_at(heavy, -99)) <= 1


def test_a_range_of_priors_widens_the_interval_and_leaves_the_value_at_its_middle():
    table = tables()[SINGLE]
    wide = pm.metric(table, "precision", threshold=2, prior=(0.4, 0.6))
    each = [pm.metric(table, "precision", threshold=2, prior=point) for point in (0.4, 0.5, 0.6)]
    assert wide.value == each[1].value != each[0].value
    assert wide.interval.low == pytest.approx(min(one.interval.low for one in each))
    assert wide.interval.high == pytest.approx(max(one.interval.high for one in each))
    assert (wide.interval.kind, each[0].interval.kind) == ("combined", "confidence")
