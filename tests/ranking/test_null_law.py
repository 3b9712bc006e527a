"""The p-value of PULP against all labellings of small tables, and under the null hypothesis."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puremetrics import ScoreTable
from puremetrics import statistics as ranking
from puremetrics.ranking import frame as null_law
from puremetrics.ranking.frame import NullCells, Terms
from puremetrics.ranking.kernels import Blocks, pulp_sums
from tests.oracles import pulp as oracle
from tests.ranking.cases import simulated

SHAPES = {
    "strict": ([1] * 9, 3),
    "half": ([1] * 8, 4),
    "ties": ([2, 1, 3, 1, 2], 3),
    "coarse": ([4, 5], 4),
    "tied ends": ([3, 1, 1, 1, 3], 2),
}


def every_p_value(rows, marked):
    """PULP of every labelling, by its definition, and the share of labellings with one as large."""
    scores = np.repeat(-np.arange(len(rows), dtype=float), rows)
    known = {}
    values = []
    for chosen in combinations(range(scores.size), marked):
        labelled = np.zeros(scores.size, dtype=bool)
        labelled[list(chosen)] = True
        key = tuple(scores[labelled])
        if key not in known:
            pos, rest = scores[labelled].tolist(), scores[~labelled].tolist()
            known[key] = oracle.mean_over_tie_breaking(oracle.pulp_strict, pos, rest)
        values.append((known[key], chosen))
    for value, chosen in values:
        yield scores, list(chosen), sum(v >= value for v, _ in values) / len(values)


def table_of(scores, chosen, scenario="case_control"):
    label = np.zeros(scores.size, dtype=int)
    label[chosen] = 1
    return ScoreTable.from_arrays(label, scores, scenario=scenario)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
def test_it_is_the_share_of_labellings_that_do_as_well(shape, scenario):
    cases = list(every_p_value(*SHAPES[shape]))
    for scores, chosen, wanted in cases[:: max(len(cases) // 12, 1)]:
        found = ranking.pulp(table_of(scores, chosen, scenario), confidence_level=None)
        assert found.p_value == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_simulation_agrees_with_enumeration(shape, monkeypatch):
    """The same tables, as if they had too many labellings to count."""
    cases = list(every_p_value(*SHAPES[shape]))
    monkeypatch.setattr(null_law, "_ALL", 0)
    for scores, chosen, wanted in cases[:: max(len(cases) // 6, 1)]:
        found = ranking.pulp(table_of(scores, chosen), confidence_level=None).p_value
        assert wanted * 0.97 <= found <= min(wanted * 1.15, 1.0) + 1e-12


@given(data=st.data(), marked=st.integers(1, 6))
@settings(max_examples=20, deadline=None)
def test_order_of_rows_and_known_negatives_do_not_matter(data, marked):
    scores = data.draw(st.lists(st.integers(0, 5), min_size=marked + 2, max_size=14))
    order = data.draw(st.permutations(range(len(scores))))
    label = [1] * marked + [0] * (len(scores) - marked)
    label[-1] = -1
    first = ScoreTable.from_arrays(label, scores, neg_label=-1, scenario="case_control")
    again = ScoreTable.from_arrays(
        [label[i] for i in order], [scores[i] for i in order], neg_label=-1, scenario="case_control"
    )
    value = ranking.pulp(first).p_value
    assert 0 < value <= 1
    assert ranking.pulp(again).p_value == value


def test_one_label_has_the_share_of_rows_at_least_as_high():
    scores = np.array([5.0, 4, 4, 3, 2, 2, 2, 1])
    for place, wanted in ((0, 1), (1, 3), (3, 4), (5, 7), (7, 8)):
        assert ranking.pulp(table_of(scores, [place])).p_value == pytest.approx(wanted / 8)


def test_best_and_worst_rankings():
    rows = np.arange(200.0)
    best = ranking.pulp(table_of(rows, list(range(190, 200))))
    assert best.p_value == null_law.LEAST
    worst = ranking.pulp(table_of(rows, list(range(10))))
    assert worst.p_value > 0.999


def test_cut_tables_have_the_bound_that_holds_whatever_was_merged():
    table = simulated(np.random.default_rng(2), 40, 400, 0.3, 1)
    whole, cut = ranking.pulp(table), ranking.pulp(table.cut())
    assert cut.p_value == pytest.approx(min(2 * (1 - cut.value), 1))
    assert whole.p_value < cut.p_value


def test_it_is_kept_in_a_pickle_and_only_pulp_has_it():
    table = simulated(np.random.default_rng(1), 20, 100)
    found = ranking.pulp(table)
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.p_value == found.p_value == ranking.pulp(table).p_value
    assert again.null_law._table is None
    assert ranking.mean_f1(table).p_value is None
    assert "null_law" not in found.to_dict()


@pytest.mark.parametrize(
    ("rows", "marked"),
    [
        ([1] * 1000, 20), ([1] * 5000, 100), ([2000] * 5, 30), ([2000] * 5, 300), ([200] * 50, 200),
        ([1] * 500 + [500], 5), ([3, 1, 2, 4] * 1000, 100), ([1] * 5000, 1000),
    ],
)  # fmt: skip
@pytest.mark.parametrize("tilt", [0.0, 2.0, 6.0])
def test_the_simulated_statistic_is_pulp(rows, marked, tilt):
    """Of more than 256 labelled rows only some are looked at; PULP then varies by about 0.2."""
    rng = np.random.default_rng(marked)
    rows = np.array(rows)
    cells = NullCells.of(rows)
    weight = np.exp(-tilt * np.arange(rows.sum()) / rows.sum())
    chosen = rng.choice(rows.sum(), marked, replace=False, p=weight / weight.sum())
    pos = np.bincount(np.repeat(np.arange(rows.size), rows)[chosen], minlength=rows.size)
    wanted = pulp_sums(Blocks.of(pos, rows - pos), np.array([rows.sum()]))[0] / (rows.sum() + 1)
    places = np.concatenate(
        [np.arange(1, p + 1) * (m + 1) / (p + 1) for p, m in zip(pos, rows, strict=True)]
    )
    ranks = np.repeat(np.cumsum(rows) - rows, pos) + places
    hits = np.add.reduceat(pos, cells.first_scores)
    terms = Terms.of(cells, marked)
    found = terms.pulp_of_ranks(hits, ranks)
    assert found == pytest.approx(wanted, abs=1e-3 if marked <= 256 else 4e-3)
    # Ranks that are drawn inside cells vary about those of the table.
    drawn = terms.pulp(np.repeat(hits[None, :], 50, axis=0), rng)
    assert np.mean(drawn) == pytest.approx(found, abs=3e-3)


def null_draws(rng, rows, marked, count):
    row = np.repeat(np.arange(rows.size), rows)
    for _ in range(count):
        chosen = rng.choice(rows.sum(), marked, replace=False)
        yield np.bincount(row[chosen], minlength=rows.size)


@pytest.mark.parametrize(
    "rows", [[1] * 400, [80] * 5, [1] * 100 + [30] * 10], ids=["alone", "tied", "both"]
)
@pytest.mark.parametrize("marked", [2, 12, 60])
def test_weights_turn_the_mixture_into_the_null_law(rows, marked):
    rng = np.random.default_rng(0)
    rows = np.array(rows)
    cells = NullCells.of(rows)
    proposal = null_law.Proposal.ladder(cells, marked)
    draws = 10_000
    drawn, possible = proposal.draw(rng, draws)
    assert (drawn.sum(axis=1) == marked).all()
    weight = np.where(possible, np.exp(proposal.log_weights(drawn)), 0.0)
    assert weight.mean() == pytest.approx(1, abs=0.06)
    assert weight.max() <= proposal.share.size * 1.001
    share = (weight @ drawn) / weight.sum() / marked
    slack = 6 * np.sqrt(proposal.share.size / (draws * marked))
    assert share[: cells.size.size // 2].sum() == pytest.approx(
        cells.size[: cells.size.size // 2].sum() / cells.total, abs=slack
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "marked"),
    [([1] * 300, 3), ([1] * 600, 30), ([100] * 5, 12), ([40] * 20, 100)],
    ids=str,
)
def test_it_is_not_too_small_under_the_null(rows, marked):
    rng = np.random.default_rng(5)
    rows = np.array(rows)
    found = np.array([null_law.p_value_of(pos, rows) for pos in null_draws(rng, rows, marked, 120)])
    for level in (0.5, 0.05, 0.01):
        slack = 3 * np.sqrt(level * (1 - level) / found.size)
        assert np.mean(found <= level) <= level + slack, level
    assert np.mean(found <= 0.5) > 0.4
