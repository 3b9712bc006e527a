"""Tables that cannot answer a question are refused by one sentence each."""

import inspect
import itertools

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError, UnsupportedError
from tests.every import for_every

CC = {"scenario": "case_control"}
TABLE = pm.ScoreTable.from_groups(
    positive=[0.9, 0.8, 0.6, 0.4], unlabeled=np.linspace(0.05, 0.95, 12), **CC
)
WEIGHTED = pm.ScoreTable.from_arrays(
    [1, 1, 0, 0, 0], [0.9, 0.6, 0.5, 0.4, 0.1], sample_weight=[1, 2, 1, 1.5, 1], **CC
)
JOINT = pm.JointTable.from_arrays(
    [1, 1, 0, 0], {"a": [0.9, 0.5, 0.4, 0.1], "b": [0.8, 0.6, 0.2, 0.3]}, **CC
)
NEEDS_SCORES = {
    "metric": lambda t: pm.metric(t, "f1", threshold=0.5, prior=0.2),
    "metric_bounds": lambda t: pm.metric_bounds(t, "f1", threshold=0.5, prior=0.3),
    "calibration_error": lambda t: pm.calibration_error(t, prior=0.2),
    "reliability_curve": lambda t: pm.reliability_curve(t, prior=0.2),
    "brier_score": lambda t: pm.brier_score(t, prior=0.2),
    "log_loss": lambda t: pm.log_loss(t, prior=0.2),
    "platt": lambda t: pm.recalibrate(t, prior=0.2, method="platt"),
    "pulp_significance": lambda t: pm.pulp_significance(t, threshold=0.5),
    "elkan_noto": lambda t: pm.estimate_prior(t, method="elkan_noto"),
}
COUNTS_ROWS = {
    "roc_auc_bounds": lambda t: pm.roc_auc_bounds(t, prior=0.3),
    "confusion_bounds": lambda t: pm.confusion_bounds(t, prior=0.3),
    "metric_bounds": lambda t: pm.metric_bounds(t, "f1", threshold=0.5, prior=0.3),
    "rank_cdf_band": lambda t: pm.rank_cdf_band(t, prior=0.3),
    "pulp": pm.pulp,
    "lee_liu": pm.lee_liu,
    "pulp_significance": lambda t: pm.pulp_significance(t, threshold=0.5),
    "largest_prior": pm.largest_prior,
}


@for_every("name", NEEDS_SCORES)
def test_cut_tables_are_refused_by_one_sentence(name):
    NEEDS_SCORES[name](TABLE)
    with pytest.raises(
        UnsupportedError,
        match="needs the scores of all rows, but a cut table has merged runs of unlabeled rows",
    ):
        NEEDS_SCORES[name](TABLE.cut())


@for_every("name", COUNTS_ROWS)
def test_weights_are_refused_by_one_sentence(name):
    COUNTS_ROWS[name](TABLE)
    with pytest.raises(
        UnsupportedError,
        match="counts rows one by one, but this table has weights or fractional counts",
    ):
        COUNTS_ROWS[name](WEIGHTED)


TAKES_TABLE = sorted(
    name
    for name in pm.__all__
    if inspect.isfunction(getattr(pm, name))
    and next(iter(inspect.signature(getattr(pm, name)).parameters), None) == "table"
)
ARGUMENTS = {
    "prior": 0.2, "statistic": "f1", "threshold": 0.5, "objective": "f1", "budget": 50, "top": 3,
    "audit": pm.Audit.from_arrays(TABLE.score[:5], [0, 0, 1, 0, 1]),
}  # fmt: skip


OPTIONAL = {"prior": 0.3, "threshold": 0.5, "objective": "f1", "statistic": "f1"}
NO_TABLES = [None, 3, 3.0, "table", [1, 2], TABLE.score, JOINT]


@for_every("name, given", itertools.product(TAKES_TABLE, NO_TABLES))
def test_anything_but_a_table_is_refused_by_name(name, given):
    if name in ("assume", "tipping_point") and given is JOINT:
        return  # which takes it
    function = getattr(pm, name)
    parameters = inspect.signature(function).parameters
    needed = {
        key: ARGUMENTS[key]
        for key, parameter in parameters.items()
        if parameter.default is inspect.Parameter.empty and key in ARGUMENTS
    }
    more = {key: value for key, value in OPTIONAL.items() if key in parameters}
    if name == "metric":  # a threshold or a budget: neither is required by itself
        needed["threshold"] = 0.5
    if name == "bootstrap":
        needed["statistic"] = pm.naive_auc
    for chosen in (needed, more | needed):
        with pytest.raises(InputError, match="ScoreTable"):
            function(given, **chosen)
