"""Values against the definition on raw rows, with ties, known negatives and a purity."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.auditing import Audited
from tests.auditing.cases import CC, cases
from tests.oracles import audit as oracle

METRICS = ("precision", "recall", "f1")
purities = st.sampled_from([None, 1.0, 0.8])


@pytest.fixture(autouse=True, scope="module")
def no_forecast():
    """The definition knows no forecast: it counts nothing here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Audited, "powers", property(lambda self: np.zeros(self.edges.size + 1)))
        yield


def compare(case, audit, purity, weights=None):
    edges, table = case.edges.tolist(), case.table
    clean = 1.0 if purity is None else purity
    tp, fp, fn, _ = oracle.confusion(
        case.rows, edges, case.threshold, case.scenario, clean, weights
    )
    wanted = {"precision": (tp, tp + fp), "recall": (tp, tp + fn), "f1": (2 * tp, 2 * tp + fp + fn)}
    for name, (top, bottom) in wanted.items():
        found = pm.metric(table, name, threshold=case.threshold, audit=audit, purity=purity)
        if bottom > 1e-9:
            assert found.value == pytest.approx(top / bottom, abs=1e-9)
        else:
            assert math.isnan(found.value)
            assert "PM103" in [remark.code for remark in found.diagnostics]
    lowest = min(case.score) - 1.0  # one cell above, none below
    tp, fp, _, _ = oracle.confusion(case.rows, edges, lowest, case.scenario, clean, weights)
    found = pm.prior_from_audit(audit, table=table, purity=purity)
    assert found.prior == pytest.approx(tp / (tp + fp), abs=1e-9)
    area = oracle.area(case.rows, edges, case.scenario, clean, weights)
    found = pm.roc_auc(table, audit=audit, purity=purity)
    if area is None:
        assert math.isnan(found.value)
    else:
        assert found.value == pytest.approx(min(max(area, 0.0), 1.0), abs=1e-9)


@given(case=cases(), purity=purities)
def test_planned_audits(case, purity):
    compare(case, case.audit, purity)


@given(case=cases(strata=False), purity=purities, seed=st.integers(0, 2**16))
def test_designs_of_ones_own(case, purity, seed):
    weights = np.where(np.random.default_rng(seed).random(case.y.size) < 0.5, 1.0, 2.5)
    audit = pm.Audit.from_arrays(
        case.score[case.checked], case.truth[case.checked], weight=weights[case.checked]
    )
    compare(case, audit, purity, weights.tolist())


@given(case=cases(), add=st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=5))
def test_in_case_control_labelled_rows_do_not_count(case, add):
    case = case._replace(scenario=CC)
    more = case._replace(
        y=np.append(case.y, [1] * len(add)).astype(int), score=np.append(case.score, add),
        truth=np.append(case.truth, [True] * len(add)).astype(bool),
        checked=np.append(case.checked, [False] * len(add)).astype(bool),
    )  # fmt: skip
    for name in METRICS:
        first, again = (
            pm.metric(c.table, name, threshold=c.threshold, audit=c.audit) for c in (case, more)
        )
        assert first.value == pytest.approx(again.value, abs=1e-9, nan_ok=True)
    first, again = (pm.roc_auc(c.table, audit=c.audit).value for c in (case, more))
    assert first == pytest.approx(again, abs=1e-9, nan_ok=True)
