"""Influence values are derivatives: what a little more weight on a row does to the statistic."""

import itertools

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.statistics import find
from tests.every import for_every
from tests.statistics.cases import SCENARIOS, every, rows

PRIOR, STEP = 0.35, 1e-4
TRUTH, Y, SCORES = rows(2, 70, shift=1.0)
SCORE = SCORES["a"]
EXACT = {
    "roc_auc": find("roc_auc"),
    "partial_roc_auc": find("roc_auc", {"max_fpr": 0.5}),
    "brier_score": find("brier_score"),
    "log_loss": find("log_loss"),
    "discrimination_slope": find("discrimination_slope"),
    "rie": find("rie", {"alpha": 3.0}),
    "bedroc": find("bedroc", {"alpha": 3.0}),
    "f1": find("f1", threshold=0.5),
    "precision": find("precision", threshold=0.5),
    "mcc": find("mcc", threshold=0.4),
}
NEARLY = {  # the density at the cut, and steps of the discount, are smoothed
    "enrichment_factor": find("enrichment_factor", top=25),
    "recall of the top": find("recall", top=25),
    "ndcg": find("ndcg"),
}
SMOOTHED = {"average_precision", "pulp", "mean_f1", "mean_mutual_information", "mean_pearson"}


def world(asked, scenario, purity, weight=None):
    table = pm.ScoreTable.from_arrays(Y, SCORE, scenario=scenario, sample_weight=weight)
    return asked.assume(table, PRIOR, purity)


def unrepaired(asked, setting):
    """The statistic as the formula gives it, before it is moved into its range."""
    found = asked.centre(setting)
    return found.raw if found.unrepaired is None else found.unrepaired


def by_weights(asked, scenario, purity):
    """Its change by the weight of each row, the weight of the row's sample held."""
    found = np.empty(Y.size)
    for row in range(Y.size):
        together = np.full(Y.size, True) if scenario == SCENARIOS[1] else Y[row] == Y
        ends = []
        for step in (STEP, -STEP):
            weight = np.ones(Y.size)
            weight[row] += step
            weight[together] *= together.sum() / weight[together].sum()
            ends.append(unrepaired(asked, world(asked, scenario, purity, weight)))
        found[row] = (ends[0] - ends[1]) / (2 * STEP)
    return found


def by_influence(asked, scenario, purity):
    """What `influence` says of each row: its value less the mean, over the size of the sample."""
    setting = world(asked, scenario, purity)
    samples, influence = asked.samples(setting), asked.influence(setting)
    joint = pm.JointTable.from_arrays(Y, SCORES, scenario=scenario)
    place = (joint.places if asked.ranks_only else joint.whole_places)["a"]
    sizes = (samples.pos, samples.total_pos), (samples.cmp, samples.total_cmp)
    on_pos, on_cmp = (
        ((values - counts @ values / total) / total)[place]
        for values, (counts, total) in zip(influence, sizes, strict=True)
    )
    if scenario == SCENARIOS[1]:  # labelled rows are in both samples
        return np.where(Y == 1, on_pos, 0.0) + on_cmp
    return np.where(Y == 1, on_pos, on_cmp)


@for_every("name, scenario", itertools.product(EXACT, SCENARIOS))
def test_influence_values_are_derivatives(name, scenario):
    purity = 1.0 if name == "partial_roc_auc" else 0.95
    slopes = by_weights(EXACT[name], scenario, purity)
    assert np.abs(slopes).max() > 1e-3
    assert by_influence(EXACT[name], scenario, purity) == pytest.approx(slopes, abs=1e-6)


@for_every("name", NEARLY)
def test_at_the_cut_they_nearly_are(name):
    slopes, told = (way(NEARLY[name], SCENARIOS[1], 1.0) for way in (by_weights, by_influence))
    assert np.corrcoef(slopes, told)[0, 1] > 0.8
    assert np.abs(slopes - told).max() < 0.5 * np.abs(slopes).max()


@for_every("name, scenario", itertools.product(every(top=25), SCENARIOS))
def test_what_rows_add_makes_up_the_standard_error(name, scenario):
    asked = every(top=25)[name]
    joint = pm.JointTable.from_arrays(Y, SCORES, scenario=scenario)
    setting = asked.assume(joint["a"], PRIOR)
    found, each = asked.estimate(setting), asked.row_errors(joint, "a", setting)
    assert each.shape == Y.shape
    if not np.isfinite(found.value) or not np.isfinite(each).all():
        return
    assert abs(each.sum()) <= 1e-6 + 0.1 * np.abs(each).sum()  # errors, not values
    together = float(np.sqrt(np.sum(each**2) + asked.unclear(setting)))
    if found.standard_error is None:
        assert together < max(found.high - found.low, 1e-12) or not np.isfinite(asked.span)
    elif name in SMOOTHED:  # what is held to its range varies less than what rows add
        assert together >= 0.8 * found.standard_error
    else:
        assert found.standard_error == pytest.approx(together, rel=0.1)
