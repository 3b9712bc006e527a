"""The report's text: where it comes from, what checking buys, segments in time, no-break spaces."""

import argparse
import re
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.cli.delivering import source_of
from puremetrics.evaluation import evaluate
from puremetrics.report import render
from puremetrics.report.extras import narrowing
from puremetrics.report.overview import axis_start
from puremetrics.report.pieces import line
from puremetrics.report.segmenting import day_of

MADE = datetime(2024, 5, 6, 7, 8, tzinfo=UTC)
TABLE = pm.ScoreTable.from_groups(
    positive=np.arange(40, 80) / 100, unlabeled=np.arange(60) / 100, scenario="case_control"
)


@pytest.fixture(scope="module")
def evaluation():
    return evaluate(TABLE, prior=(0.15, 0.25))


def test_the_date_can_be_given_and_pages_repeat(evaluation):
    page = render(evaluation, made=MADE)
    assert page == render(evaluation, made=MADE)
    assert "2024-05-06 07:08 UTC" in page
    assert render(evaluation, made=MADE.replace(year=2025)) != page


def test_the_last_section_has_files_filter_command_and_seed(evaluation):
    words = ["evaluate", "https://host/x.csv?key=secret", "my file.csv", "--where", "a < 3"]
    options = argparse.Namespace(typed=words, file=words[1:3], where="a < 3", seed=7)
    told = source_of(options)
    assert told == {
        "Files": "https://host/x.csv?…, my file.csv",
        "Only rows where": "a < 3",
        "Command": "puremetrics evaluate 'https://host/x.csv?…' 'my file.csv' --where 'a < 3'",
        "Seed": "7",
    }
    page = render(evaluation, source=told, made=MADE)
    last = page[page.index('<section id="provenance"') :]
    assert "a &lt; 3" in last
    assert "secret" not in page
    assert "0.2 (0.15 to 0.25), given" in last


def test_contradicted_pages_say_where_they_come_from():
    page = render(evaluate(TABLE, prior=0.97), source={"Files": "scores.csv"}, made=MADE)
    assert "scores.csv" in page
    assert "Why there are no figures" in page


def test_an_audit_that_does_not_help_takes_one_line(evaluation):
    model = evaluation.models["model"]
    told = narrowing(evaluation)
    assert "the prior from 50 random rows" in told
    width = model.narrowing.width
    idle = replace(model.narrowing, audits=dict.fromkeys((50, 200, 1000), width))
    other = replace(model)
    other.__dict__["narrowing"] = idle  # as if it had been computed
    told = narrowing(replace(evaluation, models={"model": other}))
    assert "the prior from up to 1,000 random rows</th><td>would not help" in told
    assert "the prior from 50" not in told


def test_numbers_and_per_cent_signs_stay_together(evaluation):
    page = render(evaluation, made=MADE)
    shown = re.sub(r"<(script|style).*?</\1>", "", page, flags=re.S)
    assert re.search(r"\d %", shown) is None
    assert "95%" in shown


def test_days_of_segments():
    assert day_of("2024-03-02") - day_of("2024-02-28") == 3
    assert day_of("2024-Q1") < day_of("2024-05") < day_of("2024Q3") < day_of("2025")
    assert day_of("2024-W01") < day_of("2024-W10")
    assert day_of(np.datetime64("2024-03-02")) == day_of("2024-03-02")
    for other in ("north", "2024-13", "2024-02-30", "12", "0001", "", None):
        assert day_of(other) is None


def test_the_axis_of_many_models_starts_below_them():
    assert axis_start([0.62, 0.7]) == 0.6
    assert axis_start([1.0]) == 0.9
    assert axis_start([-0.1]) == 0.0


def test_drawn_lines_end_where_they_should():
    rng = np.random.default_rng(2)
    x, y = np.sort(rng.random((2, 400)))
    course = re.search(r'd="M(\d+) (\d+)l([^"]*)"', line(x, y, "curve"))
    moves = np.array([int(v) for v in course[3].split()]).reshape(-1, 2)
    end = np.array([int(course[1]), int(course[2])]) + moves.sum(axis=0)
    assert np.abs(end - [46 + 360 * x[-1], 12 + 360 * (1 - y[-1])]).max() <= 1


def test_the_script_says_nothing_of_what_models_hide():
    """What is left out of the figures still counts in what the data allow."""
    rng = np.random.default_rng(4)
    truth = rng.random(800) < 0.3
    label = (truth & (rng.random(800) < 0.5)).astype(int)
    scores = {"good": 3 * truth + rng.normal(size=800), "none": rng.normal(size=800)}
    tables = {
        name: pm.ScoreTable.from_arrays(label, score, scenario="single_training_set")
        for name, score in scores.items()
    }
    result = evaluate(tables, prior=0.25)
    assert result.models["none"].trust.level == "contradicted"
    from puremetrics.report.payload import payload

    told = replace(result, models={"good": result.models["good"]})
    found = payload(told, title="", allowed=result)["allowed"]["clean"]
    assert found == pytest.approx(result.largest_prior, abs=1e-12)
    assert payload(told, title="")["allowed"]["clean"] != found
