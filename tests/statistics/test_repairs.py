"""Nothing is moved into its range in silence, and a value lies inside its interval."""

from functools import partial

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import puremetrics as pm

METRICS = ("precision", "recall", "f1", "mcc", "balanced_accuracy", "npv", "accuracy")
FROM_RATES = {
    **{name: partial(pm.metric, statistic=name, threshold=0.5) for name in METRICS},
    "precision of the first rows": partial(pm.metric, statistic="precision", top=8),
    "f1 of the first rows": partial(pm.metric, statistic="f1", top=0.2),
    "enrichment_factor": partial(pm.enrichment_factor, top=0.2),
    "bedroc": pm.bedroc,
    "ndcg": pm.ndcg,
}
OTHERS = {
    "roc_auc": pm.roc_auc,
    "average_precision": pm.average_precision,
    "brier_score": partial(pm.brier_score, nonnegative=False),
}
TOLD = {"PM101", "PM102", "PM115"}


def small(seed):
    """Few rows on a rating scale, with a prior that may be far off."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(3, 12))
    pos, unl = rng.integers(0, 10, size), rng.integers(0, 40, size)
    pos[0] += 2
    unl[-1] += 10
    scenario = ("case_control", "single_training_set")[seed % 2]
    score = np.sort(rng.random(size))[::-1]
    table = pm.ScoreTable.from_counts(score, n_pos=pos, n_unl=unl, scenario=scenario)
    least = pos.sum() / (pos.sum() + unl.sum()) if seed % 2 else 0.0
    return table, least + rng.uniform(0.05, 0.7) * (1 - least)


@given(st.integers(0, 2**20), st.sampled_from(sorted(FROM_RATES | OTHERS)))
def test_what_was_moved_is_told(seed, name):
    table, prior = small(seed)
    found = (FROM_RATES | OTHERS)[name](table, prior=prior)
    assume(not np.isnan(found.value) and found.interval is not None and found.raw is not None)
    codes = {remark.code for remark in found.diagnostics}
    # "indirect" areas are those of a curve, and differ from the plain formula without being impossible
    moved = name in FROM_RATES or not 0 <= found.raw <= 1
    if moved and abs(found.raw - found.value) > 1e-8:
        assert codes & TOLD
    assert found.interval.low <= found.value <= found.interval.high
    assert found.interval.low < found.interval.high
    if found.interval.low < found.raw < found.interval.high and found.raw == found.value:
        assert found.interval.low < found.value < found.interval.high


def test_rates_that_are_impossible_are_named():
    table = pm.ScoreTable.from_counts(
        [0.9, 0.6, 0.2], n_pos=[8, 1, 6], n_unl=[2, 10, 30], scenario="case_control"
    )
    found = pm.metric(table, "f1", threshold=0.5, prior=0.5)
    assert found.raw > found.value
    told = next(remark for remark in found.diagnostics if remark.code == "PM115")
    assert "from a rate below 0 or above 1" in told.message
    above = pm.metric(table, "precision", threshold=0.5, prior=0.5)
    assert above.raw > 1
    assert above.value == 1
    assert "which is impossible" in next(r for r in above.diagnostics if r.code == "PM115").message
