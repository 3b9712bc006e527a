"""Functions of a table take labels and scores, or a data frame, as well: the answers are the same."""

import inspect

import numpy as np
import pandas
import polars
import pytest

import puremetrics as pm
from puremetrics.exceptions import PuremetricsError
from tests.every import for_every

RNG = np.random.default_rng(5)
TRUTH = RNG.random(60) < 0.5
Y = (TRUTH & (RNG.random(60) < 0.6)).astype(int)
A, B = (
    np.round(1 / (1 + np.exp(1 - shift * TRUTH - RNG.normal(size=60))), 2) for shift in (2.0, 1.0)
)
SCENARIO = "single_training_set"
TABLE = pm.ScoreTable.from_arrays(Y, A, scenario=SCENARIO)
JOINT = pm.JointTable.from_arrays(Y, {"a": A, "b": B}, scenario=SCENARIO)
CHECKED = np.flatnonzero(Y == 0)[::4]
COLUMNS = {"y": Y, "a": A, "b": B}
FRAMES = (COLUMNS, pandas.DataFrame(COLUMNS), polars.DataFrame(COLUMNS))
REQUIRED = {
    "prior": 0.5, "statistic": "f1", "threshold": 0.5, "objective": "f1", "budget": 10, "top": 5,
    "audit": pm.Audit.from_arrays(A[CHECKED], TRUTH[CHECKED], planned=CHECKED.size),
}  # fmt: skip
MORE = {  # what is asked in a way of its own, or should not take long
    "assume": {"prior": 0.5},
    "average_precision": {"prior": 0.5},
    "bedroc": {"prior": 0.5},
    "bootstrap": {"statistic": pm.naive_auc, "n_resamples": 10},
    "boyce_index": {"n_resamples": 10},
    "brier_score": {"prior": 0.5},
    "calibration_error": {"prior": 0.5},
    "calibration_test": {"n_resamples": 20},
    "check_labelling": {"prior": 0.5},
    "choose_threshold": {"prior": 0.5, "n_resamples": 10},
    "compare": {"prior": 0.5},
    "discovery_curve": {"prior": 0.5, "rows": [3, 5]},
    "evaluate": {"prior": 0.5, "threshold": 0.5},
    "follow_audit": {"every": 5, "statistic": "roc_auc"},
    "hull_variance": {"prior": 0.5, "n_resamples": 10},
    "label_bias_sensitivity": {"threshold": 0.5, "statistic": "f1", "ratios": [2.0]},
    "log_loss": {"prior": 0.5},
    "metric": {"prior": 0.5, "threshold": 0.5},
    "ndcg": {"prior": 0.5},
    "net_benefit": {"prior": 0.5, "thresholds": [0.3]},
    "plan_audit": {"threshold": 0.5},
    "prior_sensitivity": {"priors": [0.5]},
    "pseudo_f": {"prior": 0.5},
    "rank_cdf_band": {"prior": 0.5},
    "roc_auc": {"prior": 0.5},
    "roc_hull": {"prior": 0.5},
    "tipping_point": {"prior": 0.5, "above": 0.6},
}
OF_SEVERAL = {"compare"}
NO_DATA = {"prior_from_propensities"}  # needs propensities, which no column of these calls is


def is_of_a_table(function):
    return (
        inspect.isfunction(function)
        and next(iter(inspect.signature(function).parameters), "") in ("table", "tables", "joint")
        and "label" in inspect.signature(function).parameters
    )


CALLS = sorted(name for name in pm.__all__ if is_of_a_table(getattr(pm, name)))


def needed(name):
    """What has to be given beside the data, by its name."""
    parameters = list(inspect.signature(getattr(pm, name)).parameters.values())[1:]
    asked = [p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    return {**{key: REQUIRED[key] for key in asked if key in REQUIRED}, **MORE.get(name, {})}


def told(result):
    """What can be compared of a result."""
    if isinstance(result, pm.Assumptions):
        return str(result), result.roc_auc() if isinstance(result.data, pm.ScoreTable) else None
    if isinstance(result, pm.Evaluation):
        return str(result), [model.corrected for model in result.models.values()]
    return result


def test_all_functions_of_tables_take_data():
    first = {name: next(iter(inspect.signature(getattr(pm, name)).parameters), "")
             for name in pm.__all__ if inspect.isfunction(getattr(pm, name))}  # fmt: skip
    assert {name for name, word in first.items() if word in ("table", "joint")} <= set(CALLS)
    assert set(MORE) <= set(CALLS)
    assert len(CALLS) > 45


@for_every("name", [name for name in CALLS if name not in NO_DATA])
def test_arrays_frames_and_tables_say_the_same(name):
    call, more = getattr(pm, name), needed(name)
    several = name in OF_SEVERAL
    wanted = told(call(JOINT if several else TABLE, **more))
    scores, column = ({"a": A, "b": B}, ["a", "b"]) if several else (A, "a")
    found = {
        "arrays": call(Y, scores, scenario=SCENARIO, **more),
        "scores by name": call(Y, score=scores, scenario=SCENARIO, **more),
        "both by name": call(y=Y, score=scores, scenario=SCENARIO, **more),
        "other labels": call(
            np.where(Y == 1, "yes", "?"),
            scores,
            scenario=SCENARIO,
            pos_label="yes",
            unlabeled_label="?",
            **more,
        ),
        **{
            type(frame).__module__: call(frame, label="y", score=column, scenario=SCENARIO, **more)
            for frame in FRAMES
        },
    }
    wrong = [way for way, result in found.items() if told(result) != wanted]
    assert not wrong, f"differs: {wrong}"


@for_every("name", ["metric", "metric_bounds", "tipping_point", "label_bias_sensitivity"])
def test_what_comes_after_the_table_comes_after_the_scores(name):
    call, more = getattr(pm, name), {**needed(name), "statistic": "f1", "threshold": 0.5}
    if name == "tipping_point":
        more["above"] = 0.3
    rest = {key: value for key, value in more.items() if key != "statistic"}
    wanted = call(TABLE, **more)
    assert call(TABLE, "f1", **rest) == wanted
    assert call(Y, A, "f1", scenario=SCENARIO, **rest) == wanted
    frame = {"label": "y", "score": "a", "scenario": SCENARIO}
    assert call(FRAMES[1], "f1", **frame, **rest) == wanted


WRONG = {
    "no scenario": lambda call, **more: call(Y, A, **more),
    "an unknown scenario": lambda call, **more: call(Y, A, scenario="both", **more),
    "labels without scores": lambda call, **more: call(Y, scenario=SCENARIO, **more),
    "scores of another length": lambda call, **more: call(Y, A[:-1], scenario=SCENARIO, **more),
    "scores that are no numbers": lambda call, **more: call(
        Y, ["high"] * 60, scenario=SCENARIO, **more
    ),
    "a frame without its columns": lambda call, **more: call(FRAMES[1], **more),
    "a frame without a label": lambda call, **more: call(
        FRAMES[2], score="a", scenario=SCENARIO, **more
    ),
    "a frame without a scenario": lambda call, **more: call(
        FRAMES[1], label="y", score="a", **more
    ),
    "a column that is not there": lambda call, **more: call(
        COLUMNS, label="y", score="z", scenario=SCENARIO, **more
    ),
    "a table and a scenario": lambda call, **more: call(TABLE, scenario=SCENARIO, **more),
    "a table and its columns": lambda call, **more: call(TABLE, label="y", score="a", **more),
    "groups of another length": lambda call, **more: call(
        Y, A, scenario=SCENARIO, groups=[1, 2], **more
    ),
    "only one label": lambda call, **more: call(np.ones(60), A, scenario=SCENARIO, **more),
}


@for_every("name, wrong", [(name, wrong) for name in CALLS for wrong in WRONG])
def test_wrong_calls_get_a_sentence(name, wrong):
    with pytest.raises(PuremetricsError) as caught:
        WRONG[wrong](getattr(pm, name), **needed(name))
    assert str(caught.value).endswith((".", "?", ")")), caught.value
