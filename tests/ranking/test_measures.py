"""PULP and its companions against the paper's definition on raw rows."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import average_precision_score, roc_auc_score

from puremetrics import ScoreTable
from puremetrics import statistics as ranking
from puremetrics.exceptions import InputError, PriorError, UnsupportedError
from tests.oracles import pulp as oracle
from tests.ranking.cases import NAMES, OF_POPULATION, ORACLES, information, measure, simulated
from tests.strategies import groups, scenarios


def term(name, n, t, b, k):
    """One term of a measure, written out."""
    if name == "pulp":
        return float(oracle.at_most(n, t, b, k - 1))
    if name == "lee_liu":
        return (k / t) ** 2 * n / b if b else 0.0
    if name == "mean_f1":
        return 2 * k / (b + t)
    if name == "mean_pearson":
        return (k * n - b * t) / np.sqrt(t * (n - t) * b * (n - b)) if 0 < b < n else 0.0
    return information(n, t, np.array([float(b)]), np.array([float(k)]))[0]


@given(data=groups(max_size=5), scenario=scenarios)
def test_equals_the_mean_over_all_tie_breakings(data, scenario):
    rest = [*data.unl, *data.neg]
    table = data.table(scenario)
    for name, strict in ORACLES.items():
        if name in OF_POPULATION:
            continue
        wanted = float(oracle.mean_over_tie_breaking(strict, data.pos, rest))
        assert measure(name, table).value == pytest.approx(wanted, abs=1e-12), name


@pytest.mark.parametrize(
    "name", ["pulp", "lee_liu", "mean_f1", "mean_mutual_information", "mean_pearson"]
)
def test_curve_holds_every_operating_point_of_a_small_strict_ranking(name):
    flags = [1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 1]
    table = ScoreTable.from_arrays(flags, -np.arange(12.0), scenario="single_training_set")
    curve = measure(name, table).curve
    assert curve.x == pytest.approx(np.arange(14) / 13)
    for b in range(13):
        assert curve.y[b + 1] == pytest.approx(term(name, 12, 5, b, sum(flags[:b])), abs=1e-13)


@given(data=groups(), scenario=scenarios)
def test_curve_and_value_agree_and_input_order_does_not_matter(data, scenario):
    table = data.table(scenario)
    labels, scores = data.arrays()
    turned = ScoreTable.from_arrays(
        labels[::-1], scores[::-1], neg_label=-1, unlabeled_label=0, scenario=scenario
    )
    for name in NAMES:
        found = measure(name, table)
        assert found.curve.area == pytest.approx(found.value, abs=1e-12)
        assert measure(name, turned).value == found.value
        assert measure(name, table.cut()).value == found.value
        assert found.curve.threshold[0] == np.inf
        if found.interval is not None:
            assert found.interval.low <= found.value <= found.interval.high
        if name != "naive_auc":
            assert found.worst - 1e-12 <= found.value <= found.best + 1e-12
            assert found.worst - 1e-12 <= found.chance <= found.best + 1e-12


@given(data=groups(negatives=True))
def test_known_negatives_are_part_of_the_rest_and_scenarios_agree(data):
    joined = ScoreTable.from_groups(
        positive=data.pos, unlabeled=[*data.unl, *data.neg], scenario="case_control"
    )
    for name in set(NAMES) - set(OF_POPULATION):
        value = measure(name, joined).value
        assert measure(name, data.table("case_control")).value == pytest.approx(value, abs=1e-14)
        assert measure(name, data.table("single_training_set")).value == pytest.approx(
            value, abs=1e-14
        )


def test_strict_rankings_give_scikit_learns_answers():
    rng = np.random.default_rng(3)
    y, score = (rng.random(500) < 0.2).astype(int), rng.normal(size=500)
    table = ScoreTable.from_arrays(y, score, scenario="single_training_set")
    assert ranking.naive_auc(table).value == pytest.approx(roc_auc_score(y, score), abs=1e-12)
    value = ranking.naive_average_precision(table).value
    assert value == pytest.approx(average_precision_score(y, score), abs=1e-12)


def test_pseudo_f_without_prior_is_f1_over_the_share_of_labels():
    table = simulated(np.random.default_rng(0), 20, 80, digits=1)
    assert ranking.pseudo_f(table).value == pytest.approx(ranking.mean_f1(table).value / 0.2)


def test_weights_and_cut_tables_are_refused():
    weighted = ScoreTable.from_arrays(
        [1, 0, 1, 0], [4, 3, 2, 1], sample_weight=[1, 2, 1, 1], scenario="case_control"
    )
    for name in NAMES:
        if name != "naive_auc":
            with pytest.raises(UnsupportedError, match="counts rows one by one"):
                measure(name, weighted)
    assert ranking.naive_auc(weighted).value == pytest.approx((1 + 1 / 3) / 2)
    table = simulated(np.random.default_rng(0), 5, 9)
    with pytest.raises(UnsupportedError, match="cut"):
        ranking.pulp_significance(table.cut(), threshold=0.0)
    with pytest.raises(InputError, match="threshold"):
        ranking.pulp_significance(table, threshold=np.nan)
    with pytest.raises(InputError, match="confidence_level"):
        ranking.pulp(table, confidence_level=95)
    with pytest.raises(PriorError):
        ranking.pseudo_f(table, prior=2)


def test_results_can_be_pickled_and_printed():
    found = ranking.pulp(simulated(np.random.default_rng(1), 40, 200, digits=1))
    again = pickle.loads(pickle.dumps(found))
    assert again.chance == found.chance
    assert str(found).startswith("PULP: 0.9")
