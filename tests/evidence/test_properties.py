"""What holds whatever the evidence is."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puremetrics as pm
from tests.evidence.rows import drawn

# A joint fit takes a while: three examples in every run, fifty where more is explored.
few = settings(max_examples=settings.default.max_examples // 6)
KINDS = ("sources", "investigated", "checker", "judge", "second", "prior", "random")
kinds = st.lists(st.sampled_from(KINDS), min_size=1, max_size=2, unique=True).filter(
    lambda chosen: (
        not {"sources", "random"} <= set(chosen)
        and len({"investigated", "checker", "judge", "second"} & set(chosen)) <= 1
    )
)
tables = st.tuples(
    st.integers(0, 50),
    st.sampled_from([250, 400]),
    st.sampled_from([0.1, 0.3]),
    st.booleans(),
)
STATISTICS = {
    "prior": lambda table, evidence: pm.assume(table, evidence=evidence).joint_prior(),
    "recall": lambda table, evidence: pm.metric(table, "recall", threshold=1, evidence=evidence),
    "precision": lambda table, evidence: pm.metric(
        table, "precision", threshold=1, evidence=evidence
    ),
    "roc_auc": lambda table, evidence: pm.roc_auc(table, evidence=evidence),
}


def rows_of(seed, size, prior, tied):
    rows = drawn(seed, size, prior)
    return replace(rows, score=np.round(rows.score, 1)) if tied else rows


def evidence_of(rows, chosen, seed, order=slice(None)):
    """Evidence of some kinds; rows in another order say the same."""
    rng = np.random.default_rng(1000 + seed)
    hidden = ~rows.labelled
    said = np.where(rng.random(hidden.size) < 0.1, rows.positive.astype(float), np.nan)
    said[np.flatnonzero(hidden)[:2]] = 0.0  # somebody looked
    again = np.where(rng.random(hidden.size) < 0.5, said, np.nan)
    again[np.flatnonzero(hidden)[0]] = 0.0
    judge = (rng.random(hidden.size) < np.where(rows.positive, 0.9, 0.1)).astype(float)
    score, said, again, judge = (
        column[hidden][order] for column in (rows.score, said, again, judge)
    )
    made = {
        "sources": rows.sources,
        "investigated": lambda: pm.Investigated.from_arrays(score, said),
        "checker": lambda: pm.Investigated.from_arrays(score, said, specificity=0.97),
        "second": lambda: pm.Investigated.from_arrays(score, said, second=again),
        "judge": lambda: pm.Judged.from_arrays(score, judge, said),
        "prior": lambda: pm.PublishedPrior(max(rows.positive.mean(), 0.05), error=0.02),
        "random": pm.RandomLabels,
    }
    return [made[kind]() for kind in chosen]


def ends(found):
    return found.interval.low, found.interval.high


@few
@given(tables, kinds, st.sampled_from(sorted(STATISTICS)))
def test_the_interval_holds_the_value(drawn_from, chosen, statistic):
    rows = rows_of(*drawn_from)
    found = STATISTICS[statistic](rows.table, evidence_of(rows, chosen, drawn_from[0]))
    low, high = ends(found)
    assert 0 <= low < high <= 1
    value = float(found)
    contradicted = any(remark.code == "PM152" for remark in found.diagnostics)
    assert np.isnan(value) == contradicted
    assert contradicted or low <= value <= high


@few
@given(tables, kinds, st.sampled_from(sorted(STATISTICS)), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_of_kinds_does_not_matter(drawn_from, chosen, statistic, random):
    rows = rows_of(*drawn_from)
    order = list(range(int((~rows.labelled).sum())))
    random.shuffle(order)
    first = STATISTICS[statistic](rows.table, evidence_of(rows, chosen, drawn_from[0]))
    turned = evidence_of(rows, chosen, drawn_from[0], np.array(order))[::-1]
    again = STATISTICS[statistic](rows.table, turned)
    assert float(again) == pytest.approx(float(first), abs=1e-7, nan_ok=True)
    assert ends(again) == pytest.approx(ends(first), abs=2e-4)  # ends are searched for


@few
@given(tables, kinds, st.sampled_from(["prior", "recall", "roc_auc"]))
def test_only_the_order_of_scores_counts(drawn_from, chosen, statistic):
    rows = rows_of(*drawn_from)
    # of scores that are rounded, so that no two fall together; 1 stays 1, which is the threshold
    moved = replace(rows, score=np.sign(rows.score) * np.abs(rows.score) ** 3)
    found, again = (
        STATISTICS[statistic](one.table, evidence_of(one, chosen, drawn_from[0]))
        for one in (rows, moved)
    )
    assert float(again) == pytest.approx(float(found), rel=1e-9, nan_ok=True)
    assert ends(again) == pytest.approx(ends(found), rel=1e-6)


@few
@given(tables, kinds, st.sampled_from(["prior", "recall"]))
def test_a_higher_level_gives_a_longer_interval(drawn_from, chosen, statistic):
    rows = rows_of(*drawn_from)
    given_ = {"evidence": evidence_of(rows, chosen, drawn_from[0])}
    found = []
    for level in (0.8, 0.95):
        known = pm.assume(rows.table, **given_, confidence_level=level)
        one = known.joint_prior() if statistic == "prior" else known.metric(statistic, threshold=1)
        if any(remark.code == "PM152" for remark in one.diagnostics):
            return  # where kinds contradict each other it is a hull of several intervals
        found.append(ends(one))
    for (low, high), (lower, higher) in pairwise(found):
        assert lower <= low + 1e-4
        assert high <= higher + 1e-4
        assert higher - lower > high - low - 1e-9


@few
@given(st.integers(0, 50), st.floats(1.0, 3.0), st.floats(1.0, 2.0))
def test_a_wider_range_of_the_dependence_gives_a_longer_interval(seed, high, more):
    rows = drawn(seed, 800)
    found = [
        ends(pm.assume(rows.table, evidence=[rows.sources(dependence=span)]).joint_prior())
        for span in (1.0, (1.0, high), (1 / more, high * more))
    ]
    # One end may move inwards a little: where a range is open, each end has to hold one side only.
    for (low, top), (lower, higher) in pairwise(found):
        assert higher - lower >= (top - low) * 0.99


@few
@given(tables, st.sampled_from(["investigated", "judge"]))
def test_one_more_kind_of_the_same_rows_is_taken(drawn_from, checked):
    """Every kind that may stand beside another, one after the other."""
    rows = rows_of(*drawn_from)
    every = evidence_of(rows, [checked, "sources", "prior"], drawn_from[0])
    for number in (1, 2, 3):
        found = STATISTICS["recall"](rows.table, every[:number])
        assert 0 <= found.interval.low <= found.interval.high <= 1
        assert found.method == "evidence"
