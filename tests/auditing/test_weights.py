"""Audits with weights of one's own: rows that stand for many others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import puremetrics as pm
from puremetrics.auditing.audited import Audited, weight_classes, weighted_reaches
from tests.small_tables import SINGLE

PRIOR, APART, THRESHOLD = 0.05, 2.0, 1.5


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=40))
def test_classes_part_all_rows_and_hold_weights_within_a_factor_of_two(weights):
    weights = np.array(weights)
    classes = weight_classes(weights)
    assert sorted(np.concatenate(classes)) == list(range(weights.size))
    tops = [weights[alike].max() for alike in classes]
    bottoms = [weights[alike].min() for alike in classes]
    assert all(top <= 2 * bottom for top, bottom in zip(tops, bottoms, strict=True))
    assert all(top < bottom for top, bottom in zip(tops, bottoms[1:], strict=False))


@given(st.integers(1, 30), st.floats(0.01, 100))
def test_the_size_of_equal_weights_does_not_matter(rows, weight):
    answers = (np.arange(rows) % 3 == 0).astype(float)
    alone, scaled = (
        weighted_reaches(np.full(rows, size), answers, 0.95, (0.0, 1.0)) for size in (1.0, weight)
    )
    assert alone == pytest.approx(scaled)


def audited(seed, top, rest, rows=6000, part=0.03):
    """A table, and an audit of some of its highest rows and some of the others."""
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < PRIOR
    score = rng.normal(size=rows) + APART * y
    labelled = y & (rng.random(rows) < 0.3)
    table = pm.ScoreTable.from_arrays(labelled.astype(int), score, scenario=SINGLE)
    hidden = np.flatnonzero(~labelled)
    high = score[hidden] >= np.quantile(score[hidden], 1 - part)
    chosen, weight = [], []
    for strata, count in ((hidden[high], top), (hidden[~high], rest)):
        picked = rng.choice(strata, min(count, strata.size), replace=False)
        chosen.append(picked)
        weight.append(np.full(picked.size, strata.size / picked.size))
    chosen = np.concatenate(chosen)
    return table, pm.Audit.from_arrays(score[chosen], y[chosen], weight=np.concatenate(weight))


def test_a_heavy_class_without_a_find_may_hold_some():
    table, audit = audited(0, 30, 15)
    found = pm.prior_from_audit(audit, table=table)
    heavy = audit.weight > 100
    assert heavy.sum() == 15
    assert not audit.positive[heavy].any()
    # Of 15 rows without a find up to a share of 1 − 0.025^(1/15) may be positive.
    assert found.interval.high > 0.1


def test_relative_weights_say_the_same():
    table, audit = audited(1, 30, 60)
    other = pm.Audit.from_arrays(audit.score_of("model"), audit.positive, weight=audit.weight / 7)
    for name in ("precision", "recall", "f1"):
        first, second = (
            pm.metric(table, name, threshold=THRESHOLD, audit=one) for one in (audit, other)
        )
        assert (first.value, first.low, first.high) == pytest.approx(
            (second.value, second.low, second.high)
        )


def test_labelled_rows_that_were_checked_count_with_their_weights():
    table, audit = audited(2, 30, 60)
    labelled = np.repeat(table.score, table.n_pos)[:40]
    answers = np.arange(40) >= 8
    weight = np.where(answers, 1.0, 3.0)
    both = pm.Audit.from_arrays(
        np.concatenate([audit.score_of("model"), labelled]),
        np.concatenate([audit.positive, answers]),
        weight=np.concatenate([audit.weight, weight]),
        labelled=np.arange(audit.weight.size + 40) >= audit.weight.size,
    )
    value, low, high = Audited.of(table, both).purity
    assert value == pytest.approx(np.average(answers, weights=weight))
    assert low < value < high


@pytest.mark.slow
@pytest.mark.parametrize(("top", "rest"), [(15, 15), (30, 10), (50, 50), (200, 200), (20, 80)])
def test_intervals_hold(top, rest):
    tp, fp = PRIOR * norm.sf(THRESHOLD - APART), (1 - PRIOR) * norm.sf(THRESHOLD)
    truth = {"precision": tp / (tp + fp), "recall": tp / PRIOR, "f1": 2 * tp / (tp + fp + PRIOR)}
    held = dict.fromkeys([*truth, "prior"], 0)
    samples = 200
    for seed in range(samples):
        table, audit = audited(seed, top, rest)
        for name, exact in truth.items():
            told = pm.metric(table, name, threshold=THRESHOLD, audit=audit)
            held[name] += told.low <= exact <= told.high
        low, high = pm.prior_from_audit(audit, table=table).interval
        held["prior"] += low <= PRIOR <= high
    assert min(held.values()) / samples > 0.91, held
