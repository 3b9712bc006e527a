"""Old spellings of keyword arguments: they work, warn, and give the same result."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.checking.arguments import renamed
from puremetrics.exceptions import InputError
from tests.every import for_every

CC = {"scenario": "case_control"}
_RNG = np.random.default_rng(0)
_Y = np.arange(120) < 30
_SCORES = {name: 1 / (1 + np.exp(-_RNG.normal(size=120) - 1.5 * _Y)) for name in "ab"}
TABLE = pm.ScoreTable.from_arrays(_Y, _SCORES["a"], **CC)
JOINT = pm.JointTable.from_arrays(_Y, _SCORES, **CC)


def area(table):
    return pm.naive_auc(table).value


# Function, positional arguments, other keywords, then the old and the new spelling.
CASES = {
    "metric": (
        pm.metric, (TABLE,), {"threshold": 0.6, "prior": 0.2},
        {"name": "f1"}, {"statistic": "f1"},
    ),
    "metric_bounds": (
        pm.metric_bounds, (TABLE,), {"threshold": 0.6, "prior": 0.2},
        {"name": "recall"}, {"statistic": "recall"},
    ),
    "metric_curve_bounds": (
        pm.metric_curve_bounds, (TABLE,), {"prior": 0.2},
        {"name": "recall"}, {"statistic": "recall"},
    ),
    "rank_cdf_band": (
        pm.rank_cdf_band, (TABLE,), {"prior": 0.2},
        {"method": "clopper_pearson"}, {"rank_limits": "clopper_pearson"},
    ),
    **{
        f"{bounds.__name__}, band": (
            bounds, (TABLE,), {"prior": 0.2}, {"band": "dkw"}, {"rank_limits": "dkw"},
        )
        for bounds in (
            pm.roc_auc_bounds, pm.average_precision_bounds, pm.roc_bounds, pm.pr_bounds,
            pm.confusion_bounds, pm.rank_cdf_band,
        )
    },
    "calibration_error": (
        pm.calibration_error, (TABLE,), {"prior": 0.2, "n_resamples": 20},
        {"interval_method": "bootstrap"}, {"interval": "bootstrap"},
    ),
    "bootstrap": (
        pm.bootstrap, (TABLE, area), {"n_resamples": 20},
        {"method": "basic"}, {"interval": "basic"},
    ),
    "compare, influence": (
        pm.compare, (JOINT,), {"prior": 0.2},
        {"method": "influence"}, {"interval": "analytic"},
    ),
    "compare, bootstrap": (
        pm.compare, (JOINT,), {"prior": 0.2, "n_resamples": 20},
        {"method": "bootstrap"}, {"interval": "bootstrap"},
    ),
}  # fmt: skip


@for_every("case", CASES)
def test_old_spellings_warn_and_give_the_same_result(case):
    function, given, known, old, new = CASES[case]
    (before,), (after,) = old, new
    name = function.__name__
    with pytest.warns(DeprecationWarning, match=rf"{name}\({before}=…\) is now called {after}=…"):
        found = function(*given, **known, **old)
    assert found == function(*given, **known, **new)


@for_every("case", CASES)
def test_both_spellings_together_are_an_error(case):
    function, given, known, old, new = CASES[case]
    with pytest.raises(InputError, match=rf"got both '{next(iter(old))}' and '{next(iter(new))}'"):
        function(*given, **known, **old, **new)


def test_the_warning_points_at_the_caller():
    with pytest.warns(DeprecationWarning, match="metric") as caught:
        pm.metric(TABLE, name="f1", threshold=0.6, prior=0.2)
    assert caught[0].filename == __file__


def test_new_spellings_do_not_warn(recwarn):
    for function, given, known, _, new in CASES.values():
        function(*given, **known, **new)
    assert not recwarn.list


def test_functions_keep_their_names_and_documentation():
    for function, *_ in CASES.values():
        assert function.__doc__
        assert getattr(pm, function.__name__) is function


def test_values_are_renamed_as_well():
    @renamed({"old": {"one": "first"}}, old="new")
    def echo(*, new="none"):
        return new

    assert echo(new="one") == "one"
    for given, expected in (("one", "first"), ("two", "two"), (3, 3), (["one"], ["one"])):
        with pytest.warns(DeprecationWarning, match="now called new"):
            assert echo(old=given) == expected
