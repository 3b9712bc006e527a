"""evaluate, compare and estimate_prior take data frames of any library."""

import inspect

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError

RNG = np.random.default_rng(0)
TRUTH = RNG.random(500) < 0.4
COLUMNS = {
    "y": (TRUTH & (RNG.random(500) < 0.5)).astype(int),
    "a": TRUTH + RNG.normal(size=500),
    "b": TRUTH + RNG.normal(size=500),
    "who": RNG.integers(0, 60, 500),
}
NAMED = {"label": "y", "scenario": "single_training_set"}


class Stream:
    """Something that speaks the Arrow C interface and nothing else."""

    def __arrow_c_stream__(self, requested_schema=None):
        return pyarrow.table(COLUMNS).__arrow_c_stream__(requested_schema)


FRAMES = {
    "mapping": dict(COLUMNS),
    "pandas": pandas.DataFrame(COLUMNS),
    "polars": polars.DataFrame(COLUMNS),
    "lazy": polars.LazyFrame(COLUMNS),
    "pyarrow": pyarrow.table(COLUMNS),
    "stream": Stream(),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_the_same_as_from_arrays(frame):
    table = pm.ScoreTable.from_arrays(COLUMNS["y"], COLUMNS["a"], scenario=NAMED["scenario"])
    joint = pm.JointTable.from_arrays(
        COLUMNS["y"], {n: COLUMNS[n] for n in "ab"}, scenario=NAMED["scenario"]
    )
    assert pm.estimate_prior(frame, score="a", **NAMED) == pm.estimate_prior(table)
    both = {"score": ["a", "b"], **NAMED}
    assert pm.compare(frame, prior=0.4, **both) == pm.compare(joint, prior=0.4)
    found = pm.evaluate(frame, prior=0.4, **both)
    assert found.to_json() == pm.evaluate(joint, prior=0.4).to_json()
    assert found.comparison is not None


def test_groups_and_label_values():
    words = {**COLUMNS, "y": np.where(COLUMNS["y"] == 1, "yes", "?")}
    found = pm.evaluate(
        words, score="a", prior=0.4, groups="who", pos_label="yes", unlabeled_label="?", **NAMED
    )
    wanted = pm.ScoreTable.from_arrays(
        COLUMNS["y"], COLUMNS["a"], scenario=NAMED["scenario"], groups=COLUMNS["who"]
    )
    assert found.to_json() == pm.evaluate(wanted, prior=0.4).to_json()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"label": "z", "score": "a"}, "There is no column 'z'"),
        ({"label": "y", "score": []}, "score is empty"),
        ({"label": "y"}, "score is missing"),
        ({"label": "y", "score": "a", "scenario": None}, "scenario is missing"),
    ],
)
def test_wrong_names(given, said):
    with pytest.raises(InputError, match=said):
        pm.evaluate(pandas.DataFrame(COLUMNS), **{"scenario": NAMED["scenario"], **given})


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_a_misspelled_column_is_named_whatever_the_library(frame):
    with pytest.raises(InputError, match=r"no column 'wo' .* Did you mean 'who'\?"):
        pm.evaluate(frame, score="a", groups="wo", **NAMED)


def test_a_frame_without_names_and_names_without_a_frame():
    with pytest.raises(InputError, match=r"evaluate was given a DataFrame\. Name its columns"):
        pm.evaluate(polars.DataFrame(COLUMNS))
    with pytest.raises(InputError, match="name columns of a data frame"):
        pm.evaluate(3, score="a", **NAMED)
    double = pandas.DataFrame(np.zeros((4, 2)), columns=["y", "y"])
    with pytest.raises(InputError, match="2 columns named 'y'"):
        pm.evaluate(double, score="y", **NAMED)


def test_signatures_tell_of_it():
    for call in (pm.evaluate, pm.compare, pm.estimate_prior):
        assert {"label", "score", "scenario", "groups"} <= set(inspect.signature(call).parameters)
