"""Partial areas under the ROC curve: against scikit-learn, the definition, and the whole area."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

import puremetrics as pm
from puremetrics.exceptions import InputError, UnsupportedError
from tests.correction.cases import cases
from tests.small_tables import CC, SINGLE, tables

ROWS = st.lists(st.tuples(st.booleans(), st.integers(0, 8)), min_size=2, max_size=30)


def full(rows, scenario):
    y = np.array([int(label) for label, _ in rows])
    score = np.array([float(value) for _, value in rows])
    assume(0 < y.sum() < y.size)
    return y, score, pm.ScoreTable.from_arrays(
        y, score, scenario=scenario, unlabeled_label=7, neg_label=0
    )  # fmt: skip


@given(ROWS, st.floats(0.01, 0.99), st.sampled_from([CC, SINGLE]))
def test_full_labels_give_scikit_learns_numbers(rows, max_fpr, scenario):
    y, score, table = full(rows, scenario)
    found = pm.roc_auc(table, max_fpr=max_fpr)
    assert found.value == pytest.approx(roc_auc_score(y, score, max_fpr=max_fpr), abs=1e-12)
    assert found.raw == pytest.approx(found.value, abs=1e-12)
    assert found.interval.low <= found.value <= found.interval.high
    assert pm.roc_auc(table, max_fpr=1).value == pm.roc_auc(table).value


@given(ROWS, st.floats(0, 0.9), st.floats(0.05, 1))
def test_ranges_of_recall_mirror_those_of_the_false_positive_rate(rows, low, width):
    """Exchanging the classes and turning the ranking round exchanges both rates."""
    y, score, table = full(rows, CC)
    high = min(low + width, 1.0)
    assume(high - low > 0.01)
    found = pm.roc_auc(table, recall_range=(low, high))
    assert found.raw == pytest.approx(found.value, abs=1e-11)
    mirrored = pm.ScoreTable.from_arrays(1 - y, -score, scenario=CC, unlabeled_label=7, neg_label=0)
    # The part with recall from `low` on is that with false positive rates up to 1 − low of the mirror image.
    if low > 0.01:
        above = pm.roc_auc(table, recall_range=(low, 1.0)).value
        assert above == pytest.approx(pm.roc_auc(mirrored, max_fpr=1 - low).value, abs=1e-11)


@given(cases(unlabeled=True), st.floats(0.05, 0.95))
def test_parts_add_up_to_the_whole(case, cut):
    data, scenario, prior, purity = case
    table = data.table(scenario)
    whole = pm.roc_auc(table, prior=prior, purity=purity)
    lower, upper = (
        pm.roc_auc(table, prior=prior, purity=purity, recall_range=ends)
        for ends in ((0.0, cut), (cut, 1.0))
    )

    def area(value, low, high):
        perfect = high - low
        chance = perfect - (high**2 - low**2) / 2
        return chance + (2 * value - 1) * (perfect - chance)

    total = area(lower.value, 0, cut) + area(upper.value, cut, 1)
    assert total == pytest.approx(whole.value, abs=1e-9)
    raw = area(lower.raw, 0, cut) + area(upper.raw, cut, 1)
    inside = np.all((whole.curve.raw_y >= -1e-9) & (whole.curve.raw_y <= 1 + 1e-9))
    if inside:
        assert raw == pytest.approx(whole.raw, abs=1e-9)
    cut_table = pm.roc_auc(table.cut(), prior=prior, purity=purity, max_fpr=cut)
    assert cut_table == pm.roc_auc(table, prior=prior, purity=purity, max_fpr=cut)


def test_ranges_and_biased_labels_widen():
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1.5, 1, 60), unlabeled=rng.normal(0.2, 1.2, 600), scenario=CC
    )
    for part in ({"max_fpr": 0.1}, {"recall_range": (0.7, 1.0)}):
        plain = pm.roc_auc(table, prior=0.15, **part)
        for options in ({"prior": (0.1, 0.2)}, {"prior": 0.15, "label_bias": 2.0}):
            wide = pm.roc_auc(table, **options, **part)
            assert wide.interval.low <= plain.interval.low + 1e-9
            assert wide.interval.high >= plain.interval.high - 1e-9
        biased = pm.roc_auc(table, prior=0.15, label_bias=2.0, **part)
        assert biased.bias_range.low <= biased.value <= biased.bias_range.high


def test_wrong_parts_are_told():
    table = tables()[CC]
    for wrong, message in (
        ({"max_fpr": 0}, "above 0"),
        ({"max_fpr": 1.5}, "at most 1"),
        ({"max_fpr": 0.1, "recall_range": (0.5, 1)}, "Both max_fpr and recall_range"),
        ({"recall_range": (0.9, 0.2)}, "must go from"),
        ({"recall_range": 0.5}, "must be a pair"),
        ({"max_fpr": 0.2, "method": "direct"}, "direct path need not be one"),
    ):
        with pytest.raises(InputError, match=message):
            pm.roc_auc(table, prior=0.3, **wrong)
    with pytest.raises(UnsupportedError, match="cannot be computed from an audit"):
        pm.roc_auc(table, max_fpr=0.2, audit=pm.Audit.from_arrays([1.0], [0]))
