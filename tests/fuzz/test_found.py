"""Answers that once broke a promise, each found by the tests beside this one."""

import json

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import PuremetricsError, UnsupportedError
from tests.fuzz.found import CC, JOINT, TABLE


def test_the_model_without_a_number_is_not_the_best():
    # An argmax over NaN once made it so.
    tables = {
        "a": pm.ScoreTable.from_groups(positive=[9, 8], unlabeled=[7, 5, 1], **CC),
        "b": pm.ScoreTable.from_groups(positive=[2, 1], unlabeled=[7, 5, 1], **CC),
    }
    ranking = pm.best_by_prior(tables, statistic="f1", threshold=8, priors=[0.0, 0.1, 0.2])
    assert ranking.prior.tolist() == [0.1, 0.2]  # at 0 nothing is found, and nothing missed
    assert ranking.dominant == "a"
    assert all(np.isfinite(column).all() for column in ranking.values.values())
    with pytest.raises(UnsupportedError, match="at every prior"):
        pm.best_by_prior(tables, statistic="precision", threshold=99, priors=[0.1, 0.2])


def test_an_infinite_ratio_is_no_best_choice():
    table = pm.ScoreTable.from_groups(positive=[9, 8, 3], unlabeled=[7, 5, 4, 1, 1, 0], **CC)
    choice = pm.choose_threshold(
        table, objective="positive_likelihood_ratio", prior=0.2, n_resamples=20, rng=0
    )
    assert np.isfinite(choice.apparent)
    assert not np.isnan(tuple(choice.estimate.interval)).any()


def test_limits_of_an_infinite_value_are_the_ends_of_its_range():
    table = pm.ScoreTable.from_counts(
        [1.0, 0.7, 0.4, 0.0], n_pos=[3, 3, 3, 3], n_unl=[0, 0, 0, 1], n_neg=[1, 1, 0, 0], **CC
    )
    for name, low in (("mcc", -1.0), ("precision", 0.0)):
        found = pm.metric(
            table,
            name,
            threshold=0.4,
            prior=0.9,
            label_bias=1e3,
            label_bias_side="low",
            confidence_level=0.5,
        )
        assert np.isinf(found.raw)
        assert tuple(found.interval) == (low, 1.0)


def test_an_unbiased_risk_below_zero_is_in_its_interval():
    table = pm.ScoreTable.from_groups(positive=[1.0, 1.0], unlabeled=[1.0, 0.0, 0.0], **CC)
    found = pm.log_loss(table, prior=0.6, nonnegative=False)
    assert found.value < 0
    assert found.value in found.interval


def test_no_turn_is_sought_below_all_unlabeled_rows():
    table = pm.ScoreTable.from_arrays(
        [1, 1, 1, 1, 0, 0, 0], [0, 0.05, 0.2, 0.35, 0.35, 0.35, 0.35], scenario="case_control"
    )
    assert 0 <= pm.estimate_prior(table).prior <= 1


def test_combined_estimates_lie_in_their_interval():
    narrow, wide = 1.192092896e-07, 0.1
    one = pm.PriorEstimate(wide, pm.Interval(narrow, wide, 0.95, "confidence", "a"))
    two = pm.PriorEstimate(narrow, pm.Interval(narrow, narrow, 0.95, "confidence", "b"))
    for pair in ((one, two), (two, one)):
        found = pm.combine(*pair)
        assert found.interval.low <= found.prior <= found.interval.high


def test_a_weighted_brier_score_is_at_most_1():
    rows = {"y": [1, 0, 0, 0], "score": [0.0, 1.0, 1.0, 0.0]}
    for weights in ([1e-8, 1.0, 1.5, 1.0], [1.0, 1.0, 1.0, 1e-9], [0.5, 1e8, 1.0, 1.0]):
        table = pm.ScoreTable.from_arrays(**rows, sample_weight=weights, **CC)
        for prior in (0.1, 0.5, (0.1, 0.9)):
            assert pm.brier_score(table, prior=prior).value <= 1


def test_counts_of_a_range_that_begins_without_positives():
    found = pm.evaluate(TABLE, prior=(0.0, 0.5), threshold=0.5).models["model"].confusion
    assert all(np.isfinite([part.low, part.high]).all() for part in found.likely.values())
    assert found.likely["tp"].low == 0.0


@pytest.mark.parametrize("call", [pm.ndcg, pm.bedroc])
def test_a_prior_above_the_purity_where_all_rows_are_labelled(call):
    table = pm.ScoreTable.from_groups(positive=[0.0], unlabeled=[], negative=[1.0], **CC)
    found = call(table, prior=0.9, purity=0.5)
    assert 0 <= found.interval.low <= found.value <= found.interval.high <= 1


def test_a_threshold_that_is_an_array_of_no_dimension():
    audit = pm.Audit.from_arrays({"a": [3, 2, 1], "b": [3, 2, 4]}, [True, False, False])
    found = pm.compare(JOINT, statistic="f1", threshold=np.array(0.3), audit=audit)
    json.dumps(found.to_dict(), allow_nan=False)


def test_segments_whose_intervals_have_no_end():
    two = pm.ScoreTable.from_groups(positive=[0.0], unlabeled=[0.0], **CC)
    segments = pm.Segments("land", {"a": two, "b": two}, two.merge(two), {})
    with pytest.raises(PuremetricsError, match="is unbounded there"):
        pm.compare_segments(segments, statistic="lift", threshold=0.0, prior=(0.0, 0.5))


def test_an_audited_metric_next_to_its_end():
    table = pm.ScoreTable.from_groups(positive=[0.0], unlabeled=[0.0] + [1 / 3] * 8, **CC)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        score = rng.permutation([0.0] + [1 / 3] * 8)[:5]
        audit = pm.Audit.from_arrays(score, rng.random(5) < 0.1)
        found = pm.metric(table, "mcc", threshold=1e-17, audit=audit)
        assert np.isnan(found.value) or found.value in found.interval


def test_an_audit_without_positives_and_labels_that_are_all_wrong():
    table = pm.ScoreTable.from_groups(positive=[0.0], unlabeled=[0.0], **CC)
    found = pm.prior_from_audit(1, 0, table=table, purity=0.0)
    assert found.label_frequency is None
