"""Intervals of the measures: at the ends of their range, and their coverage."""

import numpy as np
import pytest

from puremetrics import ScoreTable
from puremetrics import statistics as ranking
from puremetrics.ranking.influence import Cells, influence_of
from puremetrics.ranking.kernels import Blocks
from puremetrics.ranking.measures import MEASURES, Ranked
from puremetrics.sampling.limits import linear_variance
from puremetrics.statistics.label_ranking import _precision_influence
from tests.ranking.cases import NAMES, OF_POPULATION, measure, simulated


@pytest.mark.parametrize("turn", [1, -1])
def test_perfect_and_reversed_rankings_still_have_an_interval(turn):
    scores = turn * np.arange(60.0)
    table = ScoreTable.from_groups(
        positive=scores[40:], unlabeled=scores[:40], scenario="case_control"
    )
    for name in set(NAMES) - {"naive_auc"}:
        found = measure(name, table)
        end = found.best if turn > 0 else found.worst
        if turn > 0 or name != "mean_mutual_information":
            assert found.value == pytest.approx(end, abs=1e-14)
        assert found.interval.low <= found.value <= found.interval.high
        assert found.interval.width > 1e-3 * (found.best - found.worst)
        assert found.interval.low >= found.worst - 1e-12
        assert found.interval.high <= found.best + 1e-12
        assert found.standard_error >= 0


def test_a_single_score_gives_chance_and_a_diagnostic():
    table = ScoreTable.from_groups(positive=[1, 1], unlabeled=[1, 1, 1], scenario="case_control")
    for name in set(NAMES) - {"naive_auc"}:
        found = measure(name, table)
        assert found.interval is None
        assert found.value == found.chance
        assert [d.code for d in found.diagnostics] == ["PM105", "PM401"]


def test_a_range_of_priors_widens_pseudo_f():
    table = simulated(np.random.default_rng(1), 40, 200)
    point, wide = ranking.pseudo_f(table, prior=0.2), ranking.pseudo_f(table, prior=(0.1, 0.3))
    assert wide.interval.kind == "combined"
    assert wide.interval.low < point.interval.low < point.interval.high < wide.interval.high


def moved(name, pos, rest, source, target, group, apart):
    """Change of a measure if one row of a group had another score; ties as they come."""
    values = []
    for move in (0, 1):
        columns = [pos.copy(), rest.copy()]
        columns[group][source] -= move
        columns[group][target] += move
        blocks = Blocks.of(*columns, apart=apart)
        values.append(MEASURES[name].value(blocks, 0.3))
    return values[1] - values[0]


@pytest.mark.parametrize(
    ("name", "apart"),
    [(name, False) for name in NAMES if name not in ("naive_auc", "pulp")]
    + [(name, True) for name in OF_POPULATION],
)
@pytest.mark.parametrize("levels", [4, 12, 300])
def test_influence_is_the_effect_of_moving_a_row(name, apart, levels):
    """To first order in one of 400 labelled and 1500 other rows, whatever is tied."""
    rng = np.random.default_rng(levels)
    place = np.linspace(-2, 3, levels - 1)
    pos = np.bincount(np.digitize(rng.normal(1, 1, 400), place), minlength=levels)[::-1]
    rest = np.bincount(np.digitize(rng.normal(0, 1, 1500), place), minlength=levels)[::-1]
    scenario = "case_control" if apart else "single_training_set"
    table = ScoreTable.from_counts(-np.arange(levels), n_pos=pos, n_unl=rest, scenario=scenario)
    pos, rest = np.array(table.n_pos), np.array(table.n_unl)
    ranked = Ranked.population(table) if name in OF_POPULATION else Ranked.all_rows(table)
    assert ranked.apart == apart
    if ranked.pos.size != pos.size:  # scores without a label were merged
        pos, rest = np.array(ranked.pos), np.array(ranked.rest)
    found = (
        _precision_influence(ranked)
        if name == "naive_average_precision"
        else influence_of(Cells.of(ranked), MEASURES[name], 0.3)
    ).here
    part = 0.004 if levels == 4 else 0.02
    if apart or name == "naive_average_precision":  # one row at the top moves 1/b by a finite step
        part = 0.06 if apart else 0.15
    slack = part * np.ptp(found[0]) / 400
    for group, (counts, size) in enumerate(((pos, 400), (rest, 1500))):
        some = np.flatnonzero(counts > 0)
        for source, target in (
            (some[1], some[-2]),
            (some[-2], some[1]),
            (some[len(some) // 2], some[0]),
        ):
            wanted = moved(name, pos, rest, source, target, group, apart)
            linear = (found[group][target] - found[group][source]) / size
            assert linear == pytest.approx(wanted, abs=slack), (group, source, target)


def test_limits_allow_for_what_a_sample_of_this_size_cannot_show():
    """Thirty labelled rows at the top do not exclude that one in twenty ranks at the bottom."""
    rows = np.arange(10_000.0)
    table = ScoreTable.from_groups(
        positive=rows[-30:], unlabeled=rows[:-30], scenario="single_training_set"
    )
    for name in ("pulp", "mean_pearson", "mean_f1"):
        found = measure(name, table)
        few = ScoreTable.from_groups(
            positive=[*rows[-29:], 0.5], unlabeled=rows[1:-29], scenario="single_training_set"
        )
        assert found.interval.low < measure(name, few, confidence_level=None).value < found.value
        # Nor do they say that one in four does.
        many = ScoreTable.from_groups(
            positive=[*rows[-22:], *(rows[:8] + 0.5)], unlabeled=rows[8:-22],
            scenario="single_training_set",
        )  # fmt: skip
        assert found.interval.low > measure(name, many, confidence_level=None).value


def test_mutual_information_of_a_random_ranking_is_not_certain():
    """Its derivative is nearly 0 there, which says nothing about the next sample."""
    positive, rest = np.repeat([2, 1, 0], [3, 6, 3]), np.repeat([2, 1, 0], [100, 200, 100])
    table = ScoreTable.from_groups(
        positive=positive, unlabeled=rest, scenario="single_training_set"
    )
    found = ranking.mean_mutual_information(table)
    assert found.interval.high > 1.3 * found.value
    assert found.interval.low < 0.8 * found.value


def levelled(rng, labelled, others):
    """Five levels, a fair ranking."""
    place = np.linspace(-1.5, 2.5, 4)
    scores = [np.digitize(rng.normal(m, 1, n), place) for m, n in ((1, labelled), (0, others))]
    return ScoreTable.from_groups(positive=scores[0], unlabeled=scores[1], scenario="case_control")


@pytest.mark.parametrize(
    ("draw", "labelled", "others"),
    [(levelled, 1000, 10_000), (simulated, 2000, 20_000), (simulated, 2000, 200_000)],
    ids=["five levels", "continuous", "large"],
)
def test_pulp_of_a_good_ranking_varies_at_its_ends(draw, labelled, others):
    """All of its sampling error is made in the first rows and the last, and inside their ties."""
    rng = np.random.default_rng(0)
    values, errors, held = [], [], 0
    for _ in range(30):
        table = draw(rng, labelled, others)
        ranked = Ranked.all_rows(table)
        around = influence_of(Cells.of(ranked), MEASURES["pulp"], None).around
        errors.append(np.sqrt(linear_variance(ranked.samples, *around).total))
        values.append(ranking.pulp(table, confidence_level=None).value)
    assert 0.2 * np.std(values) < np.median(errors) < 4 * np.std(values)
    for _ in range(30):
        held += np.mean(values) in ranking.pulp(draw(rng, labelled, others)).interval
    assert held >= 25


def coverage(labelled, others, shift, repeats, digits=None, names=NAMES, seed=0):
    """Share of samples whose interval holds the mean over samples of that size."""
    rng = np.random.default_rng(seed)
    values = {name: [] for name in names}
    for _ in range(3 * repeats):
        table = simulated(rng, labelled, others, shift, digits)
        for name in names:
            level = {} if name == "naive_auc" else {"confidence_level": None}
            values[name].append(measure(name, table, **level).value)
    held = dict.fromkeys(names, 0)
    for _ in range(repeats):
        table = simulated(rng, labelled, others, shift, digits)
        for name in names:
            interval = measure(name, table).interval
            held[name] += interval is not None and float(np.mean(values[name])) in interval
    return {name: count / repeats for name, count in held.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("labelled", "others", "shift", "digits"),
    [
        (40, 400, 1.0, None), (40, 400, 0.0, None), (100, 300, 0.5, None), (60, 300, 1.0, 0),
        (12, 1000, 0.0, 0), (12, 1000, 1.5, 0), (30, 300, 0.0, 0),
    ],
)  # fmt: skip
def test_intervals_cover(labelled, others, shift, digits):
    repeats, nominal = 120, 0.93
    for name, share in coverage(labelled, others, shift, repeats, digits).items():
        assert share >= nominal - 3 * (nominal * (1 - nominal) / repeats) ** 0.5, name
