"""Each section opens with its answer: one sentence, with a number that the evaluation holds."""

import re
from html import unescape

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.evaluation import evaluate
from puremetrics.report import render, words
from puremetrics.tables.segments import Segments
from tests.javascript.cases import CASES
from tests.report.test_report import parsed

TABLE = pm.ScoreTable.from_groups(
    positive=np.arange(40, 80) / 100, unlabeled=np.arange(60) / 100, scenario="case_control"
)


@pytest.fixture(scope="module")
def demo():
    tables, given, options = CASES["the demo"]()
    return evaluate(tables, **given, **options)


@pytest.fixture(scope="module")
def overlapping():
    rng = np.random.default_rng(5)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1.5, 1, 150), unlabeled=rng.normal(1.5 * (rng.random(800) < 0.4), 1),
        scenario="case_control",
    )  # fmt: skip
    return evaluate(table)


@pytest.fixture(scope="module")
def audited():
    rng = np.random.default_rng(0)
    truth = rng.random(600) < 0.4
    label = (truth & (rng.random(600) < 0.5)).astype(int)
    score = (truth + rng.normal(size=600)).round(2)
    table = pm.ScoreTable.from_arrays(label, score, scenario="single_training_set")
    rows = rng.choice(np.flatnonzero(label == 0), 80, replace=False)
    return evaluate(table, audit=pm.Audit.from_arrays(score[rows], truth[rows]))


def segments():
    rng = np.random.default_rng(5)
    tables = {
        key: pm.ScoreTable.from_groups(
            positive=rng.normal(1.5, 1, 40).round(2),
            unlabeled=rng.normal(1.5 * (rng.random(150) < 0.2), 1).round(2),
            scenario="case_control",
        )
        for key in ("north", "south")
    }
    return Segments("place", tables, tables["north"].merge(tables["south"]), {})


def opening(page):
    """What stands below each heading, and whether it is the answer."""
    found = re.findall(
        r'<section id="([^"]*)"[^>]*><h2[^>]*>.*?</h2>(<p class="lead"[^>]*>)?(.*?)<', page, re.S
    )
    return {name: unescape(text) if lead else None for name, lead, text in found}


def text_of(page, section):
    found = re.search(rf'<section id="{section}".*?</section>', page, re.S)
    return " ".join(parsed(found[0]).text)


def test_every_section_opens_with_a_sentence(demo, overlapping, audited):
    others = [
        evaluate(segments(), prior=0.2, also=["ndcg"]),
        evaluate({f"model {i}": TABLE for i in range(5)}, prior=0.2),
        evaluate(TABLE, prior=(0.15, 0.25), label_bias=1.7, threshold=0.5),
        evaluate(TABLE.unlabeled_as_negative(), threshold=0.5),
    ]
    seen = set()
    for evaluation in (demo, overlapping, audited, *others):
        answers = opening(render(evaluation))
        seen |= set(answers)
        for name, answer in answers.items():
            if name == "overview" and evaluation.audit is None:
                continue  # its answer is the verdict, which stands beside it
            assert answer is not None, name
            assert answer.endswith("."), answer
            assert not answer[:2].islower(), answer  # nDCG is
            assert 20 < len(answer) < 220, answer
    assert {"drift", "further", "audit", "strata", "biased-section", "assumed"} <= seen


def test_the_numbers_are_those_of_the_evaluation(demo):
    answers, model = opening(render(demo)), demo.models["forest"]
    found = model.calibration
    assert (
        f"off by {found.error:.3f} ({found.interval.low:.3f} to" in answers["calibration-section"]
    )
    assert "mostly too low" in answers["calibration-section"]
    f1 = model.corrected["f1"]
    told = f"F1 is {f1.value:.3f} ({f1.interval.low:.3f} to {f1.interval.high:.3f}) there"
    assert told in answers["threshold-section"]
    assert f"is {model.threshold:.4g}:" in answers["threshold-section"]
    pulp = model.prior_free["pulp"]
    assert f"{pulp.value:.3f} ({pulp.interval.low:.3f}" in answers["free"]
    assert f"is {model.narrowing.width:.3f} wide" in answers["narrowing"]
    assert "the prior is 0.394" in answers["assumed"]
    at = pm.roc_auc(model.table, prior=0.9 * 0.394).value
    assert f"would be {at:.3f} or" in answers["sensitivity-section"]
    low, high = pm.roc_auc(model.table, prior=0.394, label_bias=2).interval
    assert f"from {low:.3f} to {high:.3f}" in answers["biased-section"]


def test_rates_of_the_curve_are_on_it_and_on_its_band(demo):
    answer = opening(render(demo))["curves"]
    value, low, high = map(float, re.search(r"flags (\S+)% \((\S+) to (\S+)%\)", answer).groups())
    model = demo.models["forest"]
    curve, band = model.modelled["roc_auc"].curve, model.bands["roc_auc"]
    assert np.interp(value / 100, curve.x, curve.y) == pytest.approx(0.9, abs=0.01)
    assert np.interp(low / 100, band.x, band.high) == pytest.approx(0.9, abs=0.02)
    assert np.interp(high / 100, band.x, band.low) == pytest.approx(0.9, abs=0.02)


def test_thresholds_that_are_about_as_good_are(demo):
    for name in ("forest", "words"):
        model = demo.models[name]
        answer = words.threshold_answer(demo, model)
        low, high = map(float, re.search(r"anywhere from (\S+) to (\S+)\.$", answer).groups())
        best = pm.metric(model.table, "f1", threshold=model.threshold, prior=0.394).value
        inside = [s for s in model.table.cut().score if low <= s <= high]
        for at in inside[:: max(len(inside) // 20, 1)]:
            there = pm.metric(model.table, "f1", threshold=float(at), prior=0.394).value
            assert best - there <= 0.0101


def test_what_is_not_known_is_told_as_a_range(overlapping):
    answers = opening(render(overlapping))
    for name in ("curves", "discovery-section", "threshold-section"):
        assert "between" in answers[name], name
        assert "(" not in answers[name], name  # no single number with an interval behind it
    assert "Over the range of the prior" in answers["sensitivity-section"]


def test_one_thing_is_said_of_a_threshold_that_was_chosen(demo):
    chosen, given = (
        text_of(render(evaluation), "threshold-section")
        for evaluation in (demo, evaluate(TABLE, prior=0.2, threshold=0.5))
    )
    assert "was chosen on these rows" in chosen
    assert "allow for that" in chosen
    assert "not chosen" not in chosen
    assert "The threshold was given" in given
    assert "chosen" not in given
    for text in (chosen, given):
        assert "Corrected for having chosen" not in text


def test_figures_at_a_chosen_threshold_allow_for_the_choice_and_counts_do_not(demo):
    """What the section says of them."""
    model = demo.models["forest"]
    for key in ("precision", "recall", "f1", "specificity", "accuracy", "mcc"):
        assert model.corrected[key].interval.method == "bootstrap_of_the_choice"
    plain = pm.metric(model.table, "recall", threshold=model.threshold, prior=0.394).value
    assert model.confusion.tp / (model.confusion.tp + model.confusion.fn) == pytest.approx(plain)
    assert model.corrected["recall"].value < plain


def test_trust_is_told_by_grade(demo, overlapping, audited):
    internal = re.compile(r"upper_bound|upper bound|\bidentified\b|\baudited\b")
    for evaluation in (demo, overlapping, audited):
        page = render(evaluation)
        shown = page[page.index("<body>") : page.index('<script type="application/json"')]
        assert internal.search(shown) is None
        grade = evaluation.verdict.grade
        assert f'<div class="verdict trust {grade}">' in page
        for one in evaluation.verdict.figures:
            title = words.TITLES[one.figure]
            row = re.search(rf'<th scope="row">{title}</th><td><span class="grade (\w+)">', page)
            assert row[1] == one.grade
        summary = re.search(r'<details class="why" open><summary>(.*?)</summary>', page)[1]
        told = set(re.findall(r'class="grade (\w+)"', summary))
        assert told == {one.grade for one in evaluation.verdict.figures}


def test_what_is_wrong_with_the_rows_comes_first():
    doubled = pm.ScoreTable.from_groups(
        positive=np.repeat(np.arange(40, 80), 2) / 100,
        unlabeled=np.repeat(np.arange(60), 2) / 100,
        scenario="case_control",
    )
    evaluation = evaluate(doubled, prior=0.2)
    page = render(evaluation)
    assert evaluation.verdict.caution
    assert page.index('class="caution"') < page.index('class="answer"')


def test_names_stand_as_they_are_written():
    page = render(evaluate({"lower": TABLE, "x" * 300: TABLE.flipped().flipped()}, prior=0.2))
    for name, answer in opening(page).items():
        assert answer is None or "Lower" not in answer, name
        assert answer is None or "x" * 60 not in answer, name
