"""Tables: however they are built, merged, cut or flipped, they count the same rows."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puremetrics import ScoreTable
from puremetrics.exceptions import InputError, LabelError, ScenarioError, ScoreError, WeightError
from tests.strategies import Groups, groups, scenarios

CC = "case_control"


def rows_of(data: Groups):
    """Counts per distinct score in decreasing order, by counting."""
    distinct = sorted({*data.pos, *data.unl, *data.neg}, reverse=True)
    return distinct, [[group.count(s) for s in distinct] for group in data]


@given(groups(), scenarios)
def test_rows_are_counts_of_distinct_scores(data, scenario):
    table = data.table(scenario)
    distinct, counts = rows_of(data)
    assert table.score.tolist() == distinct
    assert [c.tolist() for c in (table.n_pos, table.n_unl, table.n_neg)] == counts
    assert table.totals == (len(data.pos), len(data.unl), len(data.neg))


@given(groups(), scenarios, st.randoms(use_true_random=False))
def test_three_ways_to_build_agree_whatever_the_order(data, scenario, random):
    y, score = data.arrays()
    order = list(range(len(y)))
    random.shuffle(order)
    shuffled = ScoreTable.from_arrays(
        [y[i] for i in order], [score[i] for i in order], scenario=scenario, neg_label=-1
    )
    distinct, (pos, unl, neg) = rows_of(data)
    counted = ScoreTable.from_counts(distinct, n_pos=pos, n_unl=unl, n_neg=neg, scenario=scenario)
    assert shuffled.equals(data.table(scenario))
    assert counted.equals(shuffled)


@given(groups(), scenarios)
def test_unit_weights_change_nothing_and_whole_weights_repeat(data, scenario):
    y, score = data.arrays()
    plain = data.table(scenario)
    weighted = ScoreTable.from_arrays(
        y, score, scenario=scenario, neg_label=-1, sample_weight=np.ones(len(y))
    )
    twice = ScoreTable.from_arrays(
        y, score, scenario=scenario, neg_label=-1, sample_weight=np.full(len(y), 2)
    )
    repeated = ScoreTable.from_arrays(y * 2, score * 2, scenario=scenario, neg_label=-1)
    assert np.array_equal(weighted.n_pos, plain.n_pos)
    assert np.array_equal(twice.n_unl, repeated.n_unl)
    assert np.array_equal(twice.score, repeated.score)


@given(groups(), groups(), groups(), scenarios)
def test_merge_is_the_table_of_the_concatenation(a, b, c, scenario):
    tables = [data.table(scenario) for data in (a, b, c)]
    joined = Groups(*(x + y + z for x, y, z in zip(a, b, c, strict=True))).table(scenario)
    left = tables[0].merge(tables[1]).merge(tables[2])
    right = tables[2].merge(tables[1].merge(tables[0]))
    distinct, (pos, unl, neg) = rows_of(c)
    mixed = (
        tables[0]
        .merge(tables[1])
        .merge(ScoreTable.from_counts(distinct, n_pos=pos, n_unl=unl, n_neg=neg, scenario=scenario))
    )
    assert left.equals(joined)
    assert right.equals(joined)
    assert mixed.equals(joined)


@given(groups(), scenarios)
def test_cut_keeps_counts_at_and_above_every_labelled_score(data, scenario):
    table = data.table(scenario)
    cut = table.cut()
    distinct, (pos, unl, neg) = rows_of(data)
    counted = ScoreTable.from_counts(distinct, n_pos=pos, n_unl=unl, n_neg=neg, scenario=scenario)
    assert counted.cut().equals(cut)
    assert cut.cut() is cut
    assert cut.totals == table.totals
    labelled = len({*data.pos, *data.neg})
    assert cut.score.size <= 2 * labelled + 1
    assert np.all(np.diff(cut.score) < 0)
    for threshold in cut.score:
        for name in ("n_pos", "n_unl", "n_neg"):
            full = getattr(table, name)[table.score >= threshold].sum()
            assert getattr(cut, name)[cut.score >= threshold].sum() == full


@given(groups(), scenarios)
def test_flipping_twice_is_the_identity(data, scenario):
    table = data.table(scenario)
    assert table.flipped().flipped().equals(table)
    assert np.array_equal(table.flipped().score, -table.score[::-1])


def test_zero_weight_is_removal():
    table = ScoreTable.from_arrays(
        [1, 1, 0, 0], [4, 3, 2, 1], scenario=CC, sample_weight=[1, 0, 1, 0]
    )
    assert table.score.tolist() == [4.0, 2.0]


def test_arrays_are_read_only_and_input_is_left_alone():
    score = np.array([3.0, 1.0, 2.0, -0.0])
    y = np.array([1, 0, 0, 0])
    before = score.copy(), y.copy()
    table = ScoreTable.from_arrays(y, score, scenario=CC)
    ScoreTable.from_groups(positive=score, unlabeled=score, scenario=CC)
    assert np.array_equal(score, before[0])
    assert score.flags.writeable
    for array in (table.score, table.n_pos, table.n_unl, table.n_neg):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
    counts = np.array([1, 2])
    ScoreTable.from_counts([1, 2], n_pos=counts, n_unl=counts, scenario=CC)
    assert counts.flags.writeable


@pytest.mark.parametrize(
    ("y", "score", "options", "error", "message"),
    [
        (
            [1, 0],
            [1.0, np.nan],
            {},
            ScoreError,
            "1 NaN among its 2 values .the first at position 1",
        ),
        ([1, 0], [np.inf, 1.0], {}, ScoreError, "1 infinite"),
        ([1, 0], [None, 1.0], {}, ScoreError, "1 NaN"),
        ([1, 0], ["0.5", "0.1"], {}, ScoreError, "real numbers"),
        ([1, 0], [1 + 2j, 0], {}, ScoreError, "real numbers"),
        ([1, 0], [2**60, 0], {}, ScoreError, "2\\*\\*53"),
        ([0, 0], [1, 2], {}, LabelError, "no labelled positive.* pos_label=1"),
        ([1, 1], [1, 2], {}, LabelError, "only positives"),
        ([1, -1], [1, 2], {}, LabelError, "y contains -1 besides .* pass neg_label=-1"),
        ([1, None], [1, 2], {}, LabelError, "missing values .* unlabeled_label=None"),
        (["1", "0"], [1, 2], {}, LabelError, "y contains '1' besides"),
        ([1, 2, 3], [1, 2, 3], {"unlabeled_label": 2, "neg_label": 0}, LabelError, "contains 3"),
        ([1, 0], [1, 2], {"unlabeled_label": 1}, LabelError, "both 1"),
        ([1, 0], [1, 2], {"neg_label": 0}, LabelError, "both 0"),
        ([1, 0, 0], [1, 2], {}, InputError, "y has 3 values but score has 2"),
        ([1, 0], [[1, 2], [3, 4]], {}, InputError, "second column"),
        (1, [1], {}, InputError, "one-dimensional"),
        ([1, 0], [1, 2], {"sample_weight": [1, -1]}, WeightError, "negative"),
        ([1, 0], [1, 2], {"sample_weight": [1, np.nan]}, WeightError, "not finite"),
        ([1, 0], [1, 2], {"sample_weight": [1]}, WeightError, "1 values for 2 rows"),
        ([1, 0], [1, 2], {"sample_weight": [0, 1]}, LabelError, "no labelled positive"),
        ([1, 0], [1, 2], {"scenario": "both"}, ScenarioError, "case_control.*single_training_set"),
        ([1, 0], [1, 2], {"scenario": None}, ScenarioError, "missing"),
    ],
)
def test_bad_input_gets_its_own_sentence(y, score, options, error, message):
    with pytest.raises(error, match=message):
        ScoreTable.from_arrays(y, score, **{"scenario": CC, **options})


def test_scenario_has_no_default():
    for build in (
        lambda: ScoreTable.from_arrays([1, 0], [1, 2]),
        lambda: ScoreTable.from_groups(positive=[1], unlabeled=[2]),
        lambda: ScoreTable.from_counts([1], n_pos=[1], n_unl=[1]),
    ):
        with pytest.raises(ScenarioError, match=r"missing.*case_control.*single_training_set"):
            build()


def test_tables_of_different_scenarios_do_not_merge():
    tables = [
        ScoreTable.from_groups(positive=[1], unlabeled=[0], scenario=s)
        for s in (CC, "single_training_set")
    ]
    with pytest.raises(ScenarioError, match="different populations"):
        tables[0].merge(tables[1])
    with pytest.raises(InputError, match="merge first"):
        tables[0].cut().merge(tables[0])


def test_counts_to_1e12_stay_whole():
    table = ScoreTable.from_counts([1, 2], n_pos=[10**12, 1], n_unl=[1, 10**12], scenario=CC)
    assert table.n_pos.dtype.kind == "i"
    assert table.total_pos == 10**12 + 1
    with pytest.raises(WeightError, match="negative"):
        ScoreTable.from_counts([1, 2], n_pos=[-1, 1], n_unl=[1, 1], scenario=CC)


def test_string_and_pickle():
    table = ScoreTable.from_counts(
        np.arange(812), n_pos=[300] + [0] * 811, n_unl=[9700 - 811] + [1] * 811, scenario=CC
    )
    assert str(table) == (
        "10,000 rows → 812 distinct scores: 300 positive, 0 negative, 9,700 unlabeled, case_control"
    )
    assert pickle.loads(pickle.dumps(table)).equals(table)
    assert "cut at the labelled scores" in str(table.cut())


@pytest.mark.parametrize(
    "given",
    [
        (),
        (CC,),
        (CC, 0.0, False, None, None),
        (CC, 0.0, False, [1, 2], None),
        (CC, 0.0, False, None, "rows"),
        ([1, 0], [3, 2]),
        (3, 0.0, False, None, None),
    ],
)
def test_the_constructor_itself_refuses_nonsense(given):
    with pytest.raises((InputError, TypeError)) as caught:
        ScoreTable(*given)
    if len(given) == 5:
        assert isinstance(caught.value, InputError)


@given(data=st.data())
def test_ranges_and_ranks_are_the_same_with_and_without_rows(data):
    scores = st.lists(st.integers(-3, 6).map(float), min_size=1, max_size=12)
    pos, unl, neg = (data.draw(scores) for _ in range(3))
    groups = ScoreTable.from_groups(
        positive=pos, unlabeled=unl, negative=neg, scenario="case_control"
    )
    rows = ScoreTable.from_counts(
        groups.score, n_pos=groups.n_pos, n_unl=groups.n_unl, n_neg=groups.n_neg,
        scenario="case_control",
    )  # fmt: skip
    edges = np.unique(data.draw(st.lists(st.floats(-4, 7), max_size=5)))
    wanted = [
        np.bincount(np.searchsorted(edges, group, side="right"), minlength=edges.size + 1)
        for group in (pos, unl, neg)
    ]
    for table in (groups, rows):
        for found, counts in zip(table.rows_between(edges), wanted, strict=True):
            np.testing.assert_array_equal(found, counts)
        for name, group in (("pos", pos), ("unl", unl), ("neg", neg)):
            ranks = np.arange(1, len(group) + 1)
            np.testing.assert_array_equal(table.scores_of(name, ranks), np.sort(group))
