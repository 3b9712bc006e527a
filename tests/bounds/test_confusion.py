"""Contingency tables against exhaustive search over surrogate sets."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.bounds.metrics import bounds_at_threshold
from tests.bounds.cases import METHODS, ROWS, cases, choice_of, oracle_band, prior_of
from tests.oracles import claesen
from tests.small_tables import CC
from tests.strategies import Groups


@given(cases(), st.sampled_from(METHODS), st.sampled_from([0.5, 0.8, 0.95]))
def test_tables_equal_exhaustive_search_over_all_surrogate_sets(case, method, level):
    data, scenario, latent = case
    bounds = pm.confusion_bounds(
        data.table(scenario), prior=prior_of(data, scenario, latent), rank_limits=method,
        confidence_level=level, **ROWS,
    )  # fmt: skip
    n = len(data.pos)
    for i, threshold in enumerate(map(float, bounds.upper.threshold)):
        k = int(sum(s >= threshold for s in data.pos))
        low, high = oracle_band(method, k, n, latent, level)
        for side, bound, table in (("lower", low, bounds.lower), ("upper", high, bounds.upper)):
            expected = claesen.tables(*data, threshold, latent, bound, side, scenario)
            got = (table.tp[i], table.fp[i], table.fn[i], table.tn[i])
            assert got == tuple(map(float, expected)), (side, threshold)


@pytest.mark.slow
def test_every_small_ranking_equals_exhaustive_search():
    """All rankings of up to three labelled and eight unlabeled rows: 180 thousand tables."""
    from functools import cache

    limits = cache(oracle_band)
    tables = 0
    for size, known in product(range(1, 9), (1, 2, 3)):
        for where in combinations(range(size + known), known):
            ranks = [float(size + known - i) for i in range(size + known)]
            data = Groups(
                [ranks[i] for i in where], [r for i, r in enumerate(ranks) if i not in where], []
            )
            for scenario in ("case_control", "single_training_set")[: 1 if size > 5 else 2]:
                for latent in range(int(scenario == "case_control"), size):
                    for method in ("exact", "bootstrap"):
                        prior = prior_of(data, scenario, latent)
                        bounds = pm.confusion_bounds(
                            data.table(scenario),
                            prior=prior,
                            rank_limits=method,
                            confidence_level=0.8,
                            **ROWS,
                        )
                        for i, threshold in enumerate(map(float, bounds.upper.threshold)):
                            k = sum(s >= threshold for s in data.pos)
                            ends = limits(method, k, known, latent, 0.8)
                            for side, end in zip(("lower", "upper"), ends, strict=True):
                                table = getattr(bounds, side)
                                got = (table.tp[i], table.fp[i], table.fn[i], table.tn[i])
                                expected = claesen.tables(
                                    *data, threshold, latent, end, side, scenario
                                )
                                assert got == tuple(map(float, expected))
                                tables += 1
    assert tables == 179_928


def test_bounds_over_a_range_of_priors_are_extremes_of_its_points():
    rng = np.random.default_rng(5)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 15).round(1), unlabeled=rng.normal(0, 1, 20).round(1), scenario=CC
    )
    points = [k / 20 for k in range(6, 11)]
    wide = pm.confusion_bounds(table, prior=(0.3, 0.5), **ROWS)
    each = [pm.confusion_bounds(table, prior=point, **ROWS) for point in points]
    for side, best in (("upper", np.min), ("lower", np.max)):
        counts = [getattr(bound, side) for bound in each]
        rates = [c.fp / (c.fp + c.tn) for c in counts]
        chosen = getattr(wide, side)
        assert chosen.fp / (chosen.fp + chosen.tn) == pytest.approx(best(rates, axis=0))
        assert chosen.tp + chosen.fp == pytest.approx(counts[0].tp + counts[0].fp)  # the head
    at = float(table.score[table.score.size // 2])
    names = ["tp", "recall", "precision", "mcc"]
    together = bounds_at_threshold(choice_of(table, (0.3, 0.5)), names, at)
    for name in names[1:]:
        one = [pm.metric_bounds(table, name, threshold=at, prior=point, **ROWS) for point in points]
        found = pm.metric_bounds(table, name, threshold=at, prior=(0.3, 0.5), **ROWS)
        assert tuple(found) == pytest.approx((min(b.low for b in one), max(b.high for b in one)))
        assert tuple(together[name]) == tuple(found)
        curve = pm.metric_curve_bounds(table, name, prior=(0.3, 0.5), **ROWS)
        row = curve.lower.x.tolist().index(at)
        assert (curve.lower.y[row], curve.upper.y[row]) == pytest.approx(tuple(found))
