"""Metrics at a threshold under biased labels, against linear programs."""

import numpy as np
import pytest

import puremetrics as pm
from tests.biased_tables import SCENARIOS, drawn
from tests.oracles import label_bias

# Those that rise or fall with the recall at a given threshold.
METRICS = (
    "fnr", "fpr", "specificity", "fdr", "npv", "accuracy", "balanced_accuracy", "informedness", "lift",
    "jaccard",
)  # fmt: skip


def ends(interval):
    return pytest.approx(sorted(interval), abs=1e-9)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_metrics_at_a_threshold_reach_exactly_the_ends(scenario):
    compared, rng = 0, np.random.default_rng(2)
    for seen in drawn(2, scenario, 230):
        case, table = seen.case, seen.table
        cut = int(rng.integers(1, seen.score.size))
        above = (np.arange(seen.score.size) < cut).astype(float)
        head = float(case.population @ above)
        if not 0 < head < 1:
            continue
        found = case.mean_range(above, seen.ratio)
        threshold = float(rng.uniform(seen.score[cut], seen.score[cut - 1]))
        for name in ("recall", "precision", "f1", str(rng.choice(METRICS))):
            result = pm.metric(table, name, threshold=threshold, **seen.labels)
            if np.any(
                case.share > case.caps
            ):  # labels at random do not fit, and rates are repaired
                low, high = result.bias_range
                assert low <= high
                continue
            expected = [label_bias.rates(end, head, seen.prior)[name] for end in found]
            assert list(result.bias_range) == ends(expected), name
        compared += not np.any(case.share > case.caps)
    assert compared >= 130
