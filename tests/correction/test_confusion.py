"""Corrected counts at every threshold, against the oracle and by hand."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given

import puremetrics as pm
from tests.correction.cases import SINGLE, TOLERANCE, cases
from tests.oracles import jain
from tests.small_tables import CC, tables


@given(cases())
def test_confusion_counts_equal_the_oracle_at_every_threshold(case):
    data, scenario, prior, purity = case
    counts = pm.confusion_at_thresholds(data.table(scenario), prior=prior, purity=purity, raw=True)
    for i, threshold in enumerate(counts.threshold):
        expected = (
            jain.confusion(
                *data, scenario=scenario, prior=prior, purity=purity, threshold=float(threshold)
            )
            if np.isfinite(threshold)
            else None
        )
        got = (counts.tp[i], counts.fp[i], counts.fn[i], counts.tn[i])
        if expected is None:
            assert got[0] == got[1] == 0
        else:
            assert got == pytest.approx(
                [float(x) for x in expected], abs=TOLERANCE * sum(map(len, data)) / (purity - prior)
            )


@given(cases(negatives=False))
def test_both_precision_formulas_of_the_paper_agree(case):
    data, _, prior, purity = case
    assume(0.01 < prior < 0.9 * purity)
    table = data.table("case_control")
    counts = pm.confusion_at_thresholds(table, prior=prior, purity=purity, raw=True)
    pos, unl = len(data.pos), len(data.unl)
    for i, threshold in enumerate(counts.threshold[1:], start=1):
        labelled = sum(s >= threshold for s in data.pos) / pos
        others = sum(s >= threshold for s in data.unl) / unl
        if others == 0:
            continue
        naive = pos * labelled / (pos * labelled + unl * others)
        c = pos / (pos + unl)
        through = (
            prior
            * (1 - prior)
            / (purity - prior)
            * ((1 - c) / c * naive / (1 - naive) - (1 - purity) / (1 - prior))
        )
        assert counts.tp[i] / (counts.tp[i] + counts.fp[i]) == pytest.approx(through, abs=1e-9)


def test_metrics_along_all_thresholds_match_those_at_one():
    counts = pm.confusion_at_thresholds(SINGLE, prior=0.4)
    along = counts.metric("f1")
    for i, threshold in enumerate(counts.threshold[1:], start=1):
        at = pm.metric(SINGLE, "f1", threshold=float(threshold), prior=0.4).value
        assert along[i] == pytest.approx(at, abs=1e-12)


def test_counts_and_diagnostics_by_hand():
    counts = pm.confusion_at_thresholds(tables()[CC], prior=0.25, raw=True)
    a = Fraction(1, 4)
    for i, (g, f) in enumerate([(0, 0), (Fraction(1, 3), 0), (Fraction(2, 3), Fraction(1, 4))]):
        fpr = (f - a * g) / (1 - a)
        exact = [4 * a * g, 4 * (1 - a) * fpr, 4 * a * (1 - g), 4 * (1 - a) * (1 - fpr)]
        found = [getattr(counts, n)[i] for n in ("tp", "fp", "fn", "tn")]
        assert found == pytest.approx([float(x) for x in exact])
    assert {d.code for d in counts.diagnostics} == {"PM106"}  # three rows explain what is outside
    repaired = pm.confusion_at_thresholds(tables()[CC], prior=0.25)
    assert counts.fp.min() < 0 == repaired.fp.min()
    assert repaired.tp + repaired.fn == pytest.approx(counts.tp + counts.fn)
    assert repaired.fp + repaired.tn == pytest.approx(counts.fp + counts.tn)
    assert repaired.fp == pytest.approx(np.maximum(counts.fp, 0))


def test_counts_beyond_sampling_error_are_named():
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(2, 1, 500),
        unlabeled=np.append(rng.normal(0, 1, 4500), rng.normal(2, 1, 500)),
        scenario="case_control",
    )
    assert not pm.confusion_at_thresholds(table, prior=0.1).diagnostics
    told = pm.confusion_at_thresholds(table, prior=0.5).diagnostics
    assert [remark.code for remark in told] == ["PM101"]
    assert "more than sampling error" in told[0].message
