"""Known negatives settle the share of positives."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.priors.lookalikes import mixture_of
from puremetrics.priors.samples import Samples
from tests.priors.cases import codes


def drawn(seed, share=0.3, labelled=200, rows=2000, known=200, gap=1.2, shift=0.0):
    """Overlapping classes, a tenth of the negatives like positives."""
    rng = np.random.default_rng(seed)
    negatives = lambda size: rng.normal(gap * (rng.random(size) < 0.1), 1)  # noqa: E731
    hidden = rng.binomial(rows, share)
    unlabeled = np.concatenate([rng.normal(gap, 1, hidden), negatives(rows - hidden)])
    return hidden / rows, {
        "positive": rng.normal(gap, 1, labelled),
        "unlabeled": unlabeled,
        "negative": negatives(known) - shift,
    }


def slow_log_likelihood(share, pos, neg, unl):
    """Largest log likelihood over both classes' chances, by direct search from many starts."""
    from scipy.optimize import minimize

    count = pos.size

    def fall(logits):
        p, n = (np.exp(x - x.max()) / np.exp(x - x.max()).sum() for x in np.split(logits, 2))
        mixed = share * p + (1 - share) * n
        return -float(pos @ np.log(p) + neg @ np.log(n) + unl @ np.log(mixed))

    starts = [np.zeros(2 * count), np.log(np.concatenate([pos, neg]) + 1)]
    return -min(minimize(fall, start, tol=1e-12).fun for start in starts)


def test_the_curve_is_the_largest_likelihood():
    from puremetrics.priors.lookalikes import _log_likelihoods

    pos, neg, unl = np.array([30.0, 15, 5]), np.array([4.0, 10, 26]), np.array([60.0, 80, 160])
    shares = np.array([0.05, 0.3, 0.7])
    expected = [slow_log_likelihood(share, pos, neg, unl) for share in shares]
    assert _log_likelihoods(shares, pos, neg, unl) == pytest.approx(expected, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
def test_the_interval_covers_where_negatives_look_like_positives(scenario):
    hits, without = [], []
    for seed in range(100):
        share, groups = drawn(seed)
        table = pm.ScoreTable.from_groups(**groups, scenario=scenario)
        found = pm.estimate_prior(table)
        truth = share if scenario == "case_control" else (200 + share * 2000) / 2400
        hits.append(truth in found.interval)
        without.append(found.interval.width)
        assert found.interval.kind == "confidence"
    assert np.mean(hits) >= 0.92
    assert np.mean(without) < 0.25


def test_known_negatives_identify_what_overlap_leaves_open():
    _, groups = drawn(0)
    table = pm.ScoreTable.from_groups(**groups, scenario="case_control")
    blind = pm.ScoreTable.from_groups(**(groups | {"negative": None}), scenario="case_control")
    found, alone = pm.estimate_prior(table), pm.estimate_prior(blind)
    assert found.trust.level == "identified"
    assert "known negatives" in found.trust.reason
    assert alone.trust.level == "upper_bound"
    assert found.interval.width < 0.6 * alone.interval.width
    assert "random sample" in next(d.message for d in found.diagnostics if d.code == "PM106")


def test_easy_negatives_are_not_believed():
    _, groups = drawn(0, shift=1.5)
    table = pm.ScoreTable.from_groups(**groups, scenario="case_control")
    found = pm.estimate_prior(table)
    remark = next(d.message for d in found.diagnostics if d.code == "PM106")
    assert "not used" in remark
    assert found.lookalikes is not None
    few = pm.ScoreTable.from_groups(
        **(groups | {"negative": groups["negative"][:5]}), scenario="case_control"
    )
    assert "at least" in next(
        d.message for d in pm.estimate_prior(few).diagnostics if d.code == "PM106"
    )
    assert "PM106" in codes(pm.estimate_prior(table, method="best_bin", interval="none"))


def test_only_ranks_matter_and_rows_that_agree_are_no_misfit():
    _, groups = drawn(3)
    values = []
    for change in (lambda x: x, lambda x: np.exp(3 * x)):
        table = pm.ScoreTable.from_groups(
            **{name: change(rows) for name, rows in groups.items()}, scenario="case_control"
        )
        values.append(mixture_of(Samples.of(table), Samples.of_negatives(table)))
    assert values[0].fit.share == values[1].fit.share
    assert values[0].p_value > 0.01
