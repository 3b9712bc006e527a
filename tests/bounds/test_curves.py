"""Curves between which every assignment within the band lies."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.bounds.contingency import whole_heads
from puremetrics.bounds.curves import _to_precision_recall
from tests.bounds.cases import METHODS, ROWS, cases, choice_of, prior_of
from tests.strategies import Groups


@given(cases(max_size=6), st.sampled_from(["positives", "negatives"]))
def test_curves_and_areas_hold_for_every_assignment_within_the_band(case, basis):
    from sklearn import metrics

    data, scenario, latent = case
    assume(basis == "positives" or data.neg)
    table, prior = data.table(scenario), prior_of(data, scenario, latent)
    known = {"prior": prior, "confidence_level": 0.6, "basis": basis, **ROWS}
    choice = choice_of(table, prior, basis, 0.6)
    heads = whole_heads(table)
    limits = [choice.x(heads, latent, side) for side in ("lower", "upper")]
    auc, ap = pm.roc_auc_bounds(table, **known), pm.average_precision_bounds(table, **known)
    curves = pm.roc_bounds(table, **known)
    for chosen in combinations(range(len(data.unl)), latent):
        positive = [data.unl[i] for i in chosen]
        inside = [sum(s >= t for s in positive) for t in heads.threshold]
        if not np.all((limits[0] <= inside) & (inside <= limits[1])):
            continue
        negative = [s for i, s in enumerate(data.unl) if i not in chosen]
        if scenario == "single_training_set":
            positive, negative = positive + data.pos, negative + data.neg
        y = [1] * len(positive) + [0] * len(negative)
        score = positive + negative
        assert auc.low - 1e-12 <= metrics.roc_auc_score(y, score) <= auc.high + 1e-12
        assert ap.low - 1e-12 <= metrics.average_precision_score(y, score) <= ap.high + 1e-12
        fpr, tpr, _ = metrics.roc_curve(y, score, drop_intermediate=False)
        for x, height in zip(fpr, tpr, strict=True):
            assert height <= highest(curves.upper, x) + 1e-12
            assert height >= lowest(curves.lower, x) - 1e-12


def highest(curve, x):
    """The curve at x, the top of it where it is vertical (with a little slack for rounding)."""
    return max(np.interp([x - 1e-9, x, x + 1e-9], curve.x, curve.y).max(),
               curve.y[np.abs(curve.x - x) < 1e-9].max(initial=0))  # fmt: skip


def lowest(curve, x):
    return min(np.interp([x - 1e-9, x, x + 1e-9], curve.x, curve.y).min(),
               curve.y[np.abs(curve.x - x) < 1e-9].min(initial=1))  # fmt: skip


@given(cases(max_size=14), st.sampled_from(METHODS), st.sampled_from(["positives", "negatives"]))
def test_cut_tables_give_the_curves_of_all_rows(case, method, basis):
    data, scenario, latent = case
    assume(basis == "positives" or data.neg)
    table = data.table(scenario)
    known = {
        "prior": prior_of(data, scenario, latent),
        "rank_limits": method,
        "basis": basis,
        **ROWS,
    }
    tables = pm.confusion_bounds(table, **known)
    curves = pm.roc_bounds(table, **known)
    loose = pm.roc_auc_bounds(table.cut(), **known)
    rows = pm.ScoreTable.from_counts(
        table.score, n_pos=table.n_pos, n_unl=table.n_unl, n_neg=table.n_neg, scenario=scenario
    )
    assert pm.roc_auc_bounds(rows, **known) == pm.roc_auc_bounds(table, **known)
    for side in ("lower", "upper"):
        counts, curve = getattr(tables, side), getattr(curves, side)
        fpr = counts.fp / (counts.fp + counts.tn)
        tpr = counts.tp / (counts.tp + counts.fn)
        # Both ways: each row lies on the raw path, and each vertex of that on the path of all rows.
        for x, y in zip(fpr, tpr, strict=True):
            assert on_path(curve.raw_x, curve.raw_y, x, y)
        for x, y in zip(curve.raw_x, curve.raw_y, strict=True):
            assert on_path(fpr, tpr, x, y)
    assert loose.low <= curves.lower.area + 1e-12
    assert loose.high >= curves.upper.area - 1e-12


def on_path(xs, ys, x, y):
    dx, dy = np.diff(xs), np.diff(ys)
    length = dx**2 + dy**2
    part = np.divide((x - xs[:-1]) * dx + (y - ys[:-1]) * dy, length, out=np.zeros_like(dx),
                     where=length > 0)  # fmt: skip
    part = np.clip(part, 0, 1)
    gap = np.hypot(xs[:-1] + part * dx - x, ys[:-1] + part * dy - y)
    return gap.min(initial=np.inf) < 1e-9


@given(cases(), st.sampled_from(METHODS))
def test_curves_are_monotone_and_lower_stays_below_upper(case, method):
    data, scenario, latent = case
    table, prior = data.table(scenario), prior_of(data, scenario, latent)
    curves = pm.roc_bounds(table, prior=prior, rank_limits=method, **ROWS)
    for curve in (curves.lower, curves.upper):
        assert np.all(np.diff(curve.x) >= -1e-12)
        assert np.all(np.diff(curve.y) >= -1e-12)
        assert (curve.x[0], curve.y[0], curve.x[-1], curve.y[-1]) == (0, 0, 1, 1)
    assert curves.lower.area <= curves.upper.area + 1e-12
    auc = pm.roc_auc_bounds(table, prior=prior, rank_limits=method, **ROWS)
    assert (auc.low, auc.high) == (curves.lower.area, curves.upper.area)
    tables = pm.confusion_bounds(table, prior=prior, rank_limits=method, **ROWS)
    assert np.all(tables.lower.tp <= tables.upper.tp)
    for counts in (tables.lower, tables.upper):
        total = counts.tp + counts.fp + counts.fn + counts.tn
        assert np.all(total == total[0])
        assert min(counts.tp.min(), counts.fp.min(), counts.fn.min(), counts.tn.min()) >= 0


widths = st.one_of(st.just(0.0), st.floats(0.05, 2))


@given(st.lists(st.tuples(widths, widths), min_size=1, max_size=6))
def test_hyperbolic_area_is_the_integral(steps):
    x = np.cumsum([0.0, *(a for a, _ in steps)])
    reached = np.cumsum([0.0, *(a + b for a, b in steps)])
    assume(x[-1] > 0)
    curve = pm.Curve("pr", x, x, x, "recall", "precision", "hyperbolic", reached=reached)
    total = 0.0
    for i in range(len(x) - 1):
        if x[i + 1] > x[i]:
            grid = np.linspace(x[i], x[i + 1], 4001)
            q = np.interp(grid, x[i : i + 2], reached[i : i + 2])
            ratio = np.divide(grid, q, out=np.full(grid.size, np.nan), where=q > 0)
            if np.isnan(ratio[0]):
                ratio[0] = ratio[1]
            total += np.sum(np.diff(grid) * (ratio[1:] + ratio[:-1])) / 2
    assert curve.area == pytest.approx(total, abs=2e-4)


def test_precision_and_recall_of_a_roc_curve_by_hand():
    x, y = np.array([0, 0, 0.5, 1.0]), np.array([0, 0.5, 0.75, 1.0])
    roc = pm.Curve("roc_upper", x, y, np.array([np.inf, 3, 2, 1]), "", "")
    found = _to_precision_recall(roc, 3.0)  # three negatives a positive
    assert found.x.tolist() == y.tolist()
    assert found.y == pytest.approx([1, 1, 0.75 / (0.75 + 1.5), 0.25])
    assert found.reached == pytest.approx([0, 0.5, 2.25, 4])
    assert found.name == "precision_recall_upper"
    # Where negatives come first, precision is 0 from the start.
    late = pm.Curve("roc_lower", np.array([0, 0.5, 1]), np.array([0, 0.0, 1]), np.ones(3), "", "")
    assert _to_precision_recall(late, 1.0).y.tolist() == [0, 0, 0.5]


def test_the_frame_of_two_curves_is_long():
    table = Groups([5.0, 4, 3], [4.0, 2, 1, 0], []).table("case_control")
    bounds = pm.roc_bounds(table, prior=0.5)
    frame = bounds.frame()
    assert list(frame) == ["bound", "false positive rate", "true positive rate", "threshold"]
    for side, curve in (("lower", bounds.lower), ("upper", bounds.upper)):
        own = frame["bound"] == side
        assert np.array_equal(frame["false positive rate"][own], curve.x)
        assert np.array_equal(frame["threshold"][own], curve.threshold)
