"""Every public result keeps the same promises."""

import dataclasses
import html.parser
import inspect
import json
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import puremetrics as pm
from puremetrics.exceptions import Diagnostic, MissingDependencyError
from puremetrics.results import Interval, Result, json_ready
from tests.every import for_every
from tests.results.instances import made

RESULTS, AGAIN = made(), made()
CLASSES = {
    name: getattr(pm, name)
    for name in pm.__all__
    if inspect.isclass(getattr(pm, name)) and issubclass(getattr(pm, name), Result)
}


each = for_every("name", sorted(CLASSES))


def test_every_public_result_is_here_and_a_result():
    assert set(RESULTS) == set(CLASSES)
    others = {
        "Assumptions",
        "Diagnostic",
        "JointTable",
        "PuremetricsError",
        "Recalibrator",
        "ScoreTable",
        "Segments",
        "Statistic",
    }
    classes = {name for name in pm.__all__ if inspect.isclass(getattr(pm, name))}
    assert classes - others == set(CLASSES)


@each
def test_arrays_are_read_only(name):
    def arrays(value):
        if isinstance(value, np.ndarray):
            yield value
        elif isinstance(value, dict):
            for item in value.values():
                yield from arrays(item)

    found = [
        a for f in dataclasses.fields(RESULTS[name]) for a in arrays(getattr(RESULTS[name], f.name))
    ]
    assert not any(array.flags.writeable for array in found)
    with pytest.raises(dataclasses.FrozenInstanceError):
        RESULTS[name].diagnostics = ()


@each
def test_equality_is_of_the_numbers(name):
    first, again = RESULTS[name], AGAIN[name]
    assert first == again
    assert hash(first) == hash(again)
    assert first != 1
    assert (first == "text") is False
    for field in dataclasses.fields(first):
        value = getattr(first, field.name)
        if isinstance(value, float) and np.isfinite(value) and field.compare:
            assert first != dataclasses.replace(first, **{field.name: value + 0.01})
            break


@each
def test_text_is_short(name):
    text, short = str(RESULTS[name]), repr(RESULTS[name])
    assert 1 <= len(text.splitlines()) <= 70
    assert len(short) <= 130
    assert "\n" not in short
    assert short.startswith(f"<{name}: ")
    assert "array(" not in text
    assert "object at 0x" not in text


TAGS = {
    *(
        "div",
        "b",
        "span",
        "s",
        "bdi",
        "br",
        "small",
        "details",
        "summary",
        "table",
        "tr",
        "th",
        "td",
    ),
    *("svg", "title", "path", "text", "circle", "g"),
}


@each
def test_notebooks_get_tags_that_close_with_nothing_unescaped(name):
    page = RESULTS[name]._repr_html_()
    opened = []

    class Parser(html.parser.HTMLParser):
        def handle_starttag(self, tag, attrs):
            assert tag in TAGS
            assert not any(key.startswith("on") for key, _ in attrs)
            if tag != "br":
                opened.append(tag)

        def handle_startendtag(self, tag, attrs):
            assert tag in TAGS

        def handle_endtag(self, tag):
            assert opened.pop() == tag

    Parser().feed(page)
    assert not opened
    assert 20 < len(page) < 30_000


@each
def test_frames_are_columns_of_one_length(name):
    columns = RESULTS[name].frame()
    assert columns
    assert all(isinstance(column, np.ndarray) and column.ndim == 1 for column in columns.values())
    assert len({column.size for column in columns.values()}) == 1
    frame = RESULTS[name].to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == list(columns)


@each
def test_polars_serves_where_pandas_is_missing(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    frame = RESULTS[name].to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame.columns == list(RESULTS[name].frame())


def test_without_either_library_a_sentence_says_so(monkeypatch):
    for library in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingDependencyError, match="frame\\(\\)"):
        RESULTS["Estimate"].to_frame()


@each
def test_dicts_are_valid_json(name):
    found = RESULTS[name].to_dict()
    assert isinstance(found, dict)
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@each
def test_diagnostics_are_there(name):
    assert isinstance(RESULTS[name].diagnostics, tuple)
    assert all(isinstance(remark, Diagnostic) for remark in RESULTS[name].diagnostics)


def test_numbers_format_like_numbers():
    estimate = RESULTS["Estimate"]
    assert format(estimate, ".3f") == f"{estimate.value:.3f}"
    assert f"{estimate}" == str(estimate)
    assert (
        f"{estimate.interval:.2f}" == f"{estimate.interval.low:.2f} to {estimate.interval.high:.2f}"
    )
    difference = RESULTS["Difference"]
    assert f"{difference:+.2f}" == f"{difference.value:+.2f}"
    assert float(difference) == difference.value


def test_names_from_outside_are_escaped():
    y, score = [1, 1, 0, 0, 0, 0], [6, 5, 4, 3, 2, 1]
    hostile = "<script>alert(1)</script>"
    joint = pm.JointTable.from_arrays(
        y, {hostile: score, "b": score[::-1]}, scenario="case_control"
    )
    for result in (pm.compare(joint, prior=0.1), pm.best_by_prior(joint.tables, priors=[0.1, 0.2])):
        assert "<script" not in result._repr_html_()


def test_missing_and_infinite_numbers_become_null():
    assert json_ready({"a": np.array([1.0, np.nan]), "b": np.float64(np.inf), 3: (1, None)}) == {
        "a": [1.0, None],
        "b": None,
        "3": [1, None],
    }
    assert json_ready(Interval(0.0, np.inf, 0.95, "confidence", "x"))["high"] is None
    assert json_ready(SimpleNamespace()).startswith("namespace")


def test_nan_equals_nan_and_kinds_differ():
    first = Interval(np.nan, 1.0, 0.95, "confidence", "x")
    assert first == Interval(np.nan, 1.0, 0.95, "confidence", "x")
    assert hash(first) == hash(Interval(np.nan, 1.0, 0.95, "confidence", "x"))
    assert first != Interval(np.nan, 1.0, 0.95, "combined", "x")


def test_curves_along_thresholds_have_no_area():
    table = pm.ScoreTable.from_groups(
        positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control"
    )
    bounds = pm.metric_curve_bounds(table, "recall", prior=0.25)
    assert np.isnan(bounds.lower.area)
    for result in (bounds, bounds.lower):
        assert "area" not in str(result)
        assert result._repr_html_()
        assert result.to_dict()
