"""Derivatives by the prior."""

import numpy as np
import pytest
from hypothesis import assume, given

import puremetrics as pm
from tests.strategies import groups, scenarios


@given(groups(), scenarios)
def test_derivatives_are_those_of_the_confusion_counts(data, scenario):
    table = data.table(scenario)
    low = table.total_pos / table.total if scenario == "single_training_set" else 0.0
    high = (table.total_pos + table.total_unl) / table.total if low else 1.0
    prior, step = low + 0.4 * (high - low), 1e-6 * (high - low)
    assume(prior < 0.9)
    before, after = (
        pm.confusion_at_thresholds(table, prior=prior + sign * step, raw=True) for sign in (-1, 1)
    )
    slopes = pm.prior_derivatives(table, prior=prior)

    def check(name, of):
        expected = (of(after) - of(before)) / (2 * step)
        got = getattr(slopes, name)
        fine = np.isfinite(expected) & np.isfinite(got)
        assert got[fine] == pytest.approx(expected[fine], rel=1e-4, abs=1e-3)

    for name in ("tp", "fp", "fn", "tn"):
        check(name, lambda counts, name=name: getattr(counts, name))
    check("tpr", lambda counts: counts.tp / (counts.tp + counts.fn))
    check("fpr", lambda counts: counts.fp / (counts.fp + counts.tn))
    with np.errstate(all="ignore"):
        check("precision", lambda counts: counts.tp / (counts.tp + counts.fp))
