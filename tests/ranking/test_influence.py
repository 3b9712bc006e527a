"""Intervals of the measures: at the ends of their range, and their coverage."""

import numpy as np
import pytest

from puremetrics import ScoreTable, ranking
from tests.ranking.cases import NAMES, measure, simulated


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
    [(40, 400, 1.0, None), (40, 400, 0.0, None), (100, 300, 0.5, None), (60, 300, 1.0, 0)],
)
def test_intervals_cover(labelled, others, shift, digits):
    repeats = 250
    for name, share in coverage(labelled, others, shift, repeats, digits).items():
        # Mutual information is curved near chance.
        nominal = 0.91 if name == "mean_mutual_information" else 0.93
        assert share >= nominal - 3 * (nominal * (1 - nominal) / repeats) ** 0.5, name
