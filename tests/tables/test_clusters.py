"""Groups of rows on tables: names of any kind, cells, and what cannot be."""

import datetime
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.checking.groups import as_groups, hashed_groups
from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.tables import clusters
from puremetrics.tables.clusters import Reached, cell_edges, units_of

RNG = np.random.default_rng(0)
Y = (RNG.random(300) < 0.3).astype(int)
SCORE = np.round(RNG.normal(size=300) + Y, 2)
GROUP = RNG.integers(0, 25, 300)


def table(groups, **options):
    return pm.ScoreTable.from_arrays(Y, SCORE, scenario="case_control", groups=groups, **options)


def told(found):
    return found.value, found.interval, found.n_groups, found.design_effect


@pytest.mark.parametrize(
    "names",
    [
        GROUP - 1_000_000,
        GROUP.astype(np.int8),
        GROUP.astype(float),
        GROUP.astype(float) + 0.5,
        GROUP * 10**15,
        [f"patient {i}" for i in GROUP],
        [f"patient {i}".encode() for i in GROUP],
        [datetime.date(2026, 1, 1) + datetime.timedelta(int(i)) for i in GROUP],
        np.datetime64("2026-01-01") + GROUP,
        np.array([int(i) for i in GROUP], dtype=object),
    ],
    ids=["moved", "int8", "float", "halves", "far apart", "text", "bytes", "dates", "datetime64", "objects"],
)  # fmt: skip
def test_names_may_be_of_any_kind(names):
    first, second = (pm.roc_auc(table(g), prior=0.2) for g in (GROUP, names))
    assert first.n_groups == second.n_groups == 25
    assert second.interval.low == pytest.approx(first.interval.low, rel=1e-12)
    assert second.interval.high == pytest.approx(first.interval.high, rel=1e-12)


def test_rows_in_any_order_give_the_same_bits():
    order = np.random.default_rng(1).permutation(Y.size)
    again = pm.ScoreTable.from_arrays(
        Y[order], SCORE[order], scenario="case_control", groups=GROUP[order]
    )
    assert told(pm.roc_auc(again, prior=0.2)) == told(pm.roc_auc(table(GROUP), prior=0.2))


def test_counts_add_up_to_the_table():
    found = table(GROUP).clusters
    assert found.pos.sum() == Y.sum()
    assert (found.pos + found.unl).sum() == Y.size
    assert sorted((found.pos + found.unl).sum(axis=1)) == sorted(np.bincount(GROUP))


def test_very_many_groups_are_counted_in_units(monkeypatch):
    rng = np.random.default_rng(2)
    group = np.repeat(np.arange(6000), 5)
    y = (rng.random(group.size) < 0.2).astype(int)
    score = y + 2 * rng.normal(size=(6000, 2))[group, y] + rng.normal(size=group.size)
    exact = pm.ScoreTable.from_arrays(y, score, scenario="case_control", groups=group)
    monkeypatch.setattr(clusters, "MOST_UNITS", 1 << 14 >> 4)
    monkeypatch.setattr(
        clusters, "_hashed_units", lambda ids: (ids >> np.uint64(54)).astype(np.int32)
    )
    coarse = pm.ScoreTable.from_arrays(y, score, scenario="case_control", groups=group)
    assert exact.clusters.units == exact.clusters.number == coarse.clusters.number == 6000
    assert coarse.clusters.units == 1024
    widths = [pm.roc_auc(t, prior=0.2).design_effect for t in (exact, coarse)]
    assert widths[0] > 1.5
    assert widths[1] == pytest.approx(widths[0], rel=0.1)  # the error of 1,024 squares


@given(st.lists(st.floats(-1e308, 1e308), min_size=1, max_size=300))
def test_cells_are_few_and_lie_between_the_scores(values):
    scores = np.unique(np.array(values) + 0.0)
    edges = cell_edges(scores, scores[:0], float(scores[0]), float(scores[-1]))
    assert edges.size <= 170
    assert np.all(np.isfinite(edges))
    assert np.all(np.diff(edges) > 0)
    if scores.size <= 80:
        assert np.isin(scores[1:], edges).all()


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        (np.where(GROUP == 3, np.nan, GROUP), "has no value in row"),
        ([None if g == 3 else f"p{g}" for g in GROUP], "has no value in row"),
        (np.zeros(300), "one group"),
        (GROUP[:10], "300"),
        ([[1, 2]] * 300, "one-dimensional"),
        ([{"a": 1}] * 300, "cannot name a group"),
        (GROUP + 1j, "cannot name groups"),
    ],
    ids=["NaN", "None", "one", "short", "two columns", "dicts", "complex"],
)  # fmt: skip
def test_what_names_no_groups_is_refused(groups, words):
    with pytest.raises(InputError, match=words):
        table(groups)


def test_hashes_are_the_same_for_the_same_name_wherever_it_is_read():
    whole = hashed_groups(np.array([3, 4, 5]))
    mixed = hashed_groups(np.array([3.0, 4.0, 5.0, 0.5]))
    assert np.array_equal(whole, mixed[:3])
    text = hashed_groups(as_groups(["a", "b", "a"], 3))
    assert text[0] == text[2] != text[1]
    assert np.array_equal(text, hashed_groups(np.array(["a", "b", "a"])))
    assert units_of(np.array([10**18, -(10**18), 0])).number == 3


def test_tables_keep_their_groups():
    whole = table(GROUP)
    assert "in 25 groups" in str(whole)
    assert pickle.loads(pickle.dumps(whole)).clusters.number == 25
    assert whole.cut().clusters is whole.clusters
    naive = whole.unlabeled_as_negative().clusters
    assert naive.neg.sum() == (Y == 0).sum()
    assert naive.unl.sum() == 0
    backwards = pm.roc_auc(whole.flipped(), prior=0.2, method="direct")
    forwards = pm.roc_auc(whole, prior=0.2, method="direct")
    assert backwards.design_effect == pytest.approx(forwards.design_effect, rel=1e-9)
    with pytest.raises(InputError, match="names of its groups"):
        whole.merge(whole)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda t: pm.pulp_significance(t, threshold=1.0), "pulp_significance"),
        (lambda t: pm.calibration_test(t, prior=0.2), "calibration_error"),
        (lambda t: pm.calibration_error(t, prior=0.2, interval="bootstrap"), "analytic"),
    ],
)  # fmt: skip
def test_what_cannot_allow_for_groups_says_so(call, words):
    chances = (SCORE - SCORE.min()) / np.ptp(SCORE)
    grouped = pm.ScoreTable.from_arrays(Y, chances, scenario="case_control", groups=GROUP)
    with pytest.raises(UnsupportedError, match=words):
        call(grouped)
    alone = pm.ScoreTable.from_arrays(Y, chances, scenario="case_control", groups=np.arange(300))
    if words != "analytic":
        call(alone)


def test_bca_leaves_out_rows_and_says_so():
    with pytest.raises(InputError, match="percentile"):
        pm.bootstrap(table(GROUP), lambda t: 1.0, interval="bca", n_resamples=2)
    assert pm.pulp(table(GROUP)).p_value is None
    assert pm.pulp(table(None)).p_value is not None


@given(
    seed=st.integers(0, 10**6),
    span=st.sampled_from([1.0, 1e-300, 1e300, 1e-9, 5e-324]),
    far=st.sampled_from([0.0, 1.0, -1e6, 1e12]),
    levels=st.sampled_from([3, 1000, 10**9]),
)
def test_edges_are_reached_as_searchsorted_says(seed, span, far, levels):
    rng = np.random.default_rng(seed)
    score = far + span * (np.floor(levels * rng.normal(size=70_000)) / levels)
    edges = np.unique(np.concatenate([rng.choice(score, 40), far + span * rng.normal(size=20)]))
    found = Reached(edges).by(score)
    assert np.array_equal(found, np.searchsorted(edges, score, side="right"))


def test_edges_at_both_ends_of_what_floats_can_be():
    score = np.tile([-1.7e308, -1.0, 0.0, 1.7e308], 20_000)
    edges = np.array([-1.7e308, 0.0, 1.7e308])
    assert Reached(edges).by(score).reshape(-1, 4)[0].tolist() == [1, 1, 2, 3]
    assert Reached(edges[:0]).by(score).max() == 0
    assert Reached(edges[1:2]).by(score).reshape(-1, 4)[0].tolist() == [0, 0, 1, 1]
