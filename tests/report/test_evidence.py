"""Pages of an evaluation that rests on evidence: its numbers, and nothing that takes labels as random."""

import json
import re
from html import unescape

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.report import render
from puremetrics.report.evidence import forest
from tests.cli.test_evidence import DATA

OWN = {name: DATA[name] for name in ("reported", "rule", "any", "p", "q", "outcome")}
SINGLE = "single_training_set"
ALLOWED = (
    "Curves, bounds, calibration and sliders are not on this page: they take labels as a random sample of "
    "the positives and would not rest on this evidence.",
    "(best for f1 if labels are random)",
    "The threshold is the best for f1 on these rows, if labels are random;",
    "chosen as if labels were random, which the intervals do not account for",
    "PULP is the chance that random scores catch fewer labelled rows",
    "random scores get about 0.5",
    "than random scores do",
)
FORBIDDEN = (
    "at random", "are random", "as random", "random sample", "nobody has confirmed", "slider", "bounds",
    "whatever the prior", "label bias", "nothing given", "Lee–Liu", "hull", "would be narrower",
)  # fmt: skip


@pytest.fixture(scope="module")
def together():
    return pm.evaluate(
        OWN, label=["reported", "rule"], score="p", scenario=SINGLE, checked="outcome",
        evidence=[pm.PublishedPrior(0.2, 0.02)],
    )  # fmt: skip


@pytest.fixture(scope="module")
def pair():
    few = {name: column[:800] for name, column in OWN.items()}
    return pm.evaluate(
        few, label="any", score=["p", "q"], scenario=SINGLE, checked="outcome", threshold=0.5
    )


@pytest.fixture(scope="module")
def clashing():
    return pm.evaluate(
        OWN, label=["reported", "rule"], score="p", scenario=SINGLE, threshold=0.5,
        evidence=[pm.PublishedPrior(0.5, 0.01)],
    )  # fmt: skip


def text_of(page):
    page = re.sub(r"<(style|script).*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def told(table):
    """All numbers of a table of evidence."""
    numbers = [*table.value, *table.low, *table.high, *table.without, *table.together]
    return [number for number in numbers if not np.isnan(number)]


def without_allowed(text):
    text = " ".join(text.split())
    for words in ALLOWED:
        text = text.replace(words, "")
    return text


def test_every_number_and_assumption_of_the_table_is_on_the_page(together):
    table = together.evidence
    text = text_of(forest(table, 0.95))
    assert len(table.kinds) == 3
    for number in told(table):
        assert f"{number:.3f}" in text
    for assumes in table.assumes:
        assert f"right if {assumes}" in text
    assert text in text_of(render(together))


def test_lines_lie_where_the_limits_are(together):
    table = together.evidence
    drawn = forest(table, 0.95)
    found = np.array(
        re.findall(r'<line class="(?:kind|joint)" x1="([\d.]+)%" x2="([\d.]+)%"', drawn), float
    )
    points = np.array(re.findall(r'<circle class="(?:kind|joint)" cx="([\d.]+)%"', drawn), float)
    value, low, high = (
        np.append(own, end)
        for own, end in zip((table.value, table.low, table.high), table.together, strict=True)
    )
    places = np.concatenate([found.ravel(), points])
    numbers = np.concatenate([np.column_stack([low, high]).ravel(), value])
    slope, start = np.polyfit(numbers, places, 1)
    assert slope > 0
    np.testing.assert_allclose(start + slope * numbers, places, atol=0.02)
    assert places.min() >= 0
    assert places.max() <= 100


@pytest.mark.parametrize("which", ["together", "pair"])
def test_figures_on_the_page_are_those_of_the_evidence(which, request):
    evaluation = request.getfixturevalue(which)
    text = text_of(render(evaluation))
    assert [words for words in FORBIDDEN if words in without_allowed(text)] == []
    for model in evaluation.models.values():
        for key in ("roc_auc", "average_precision", "precision", "recall", "f1"):
            found = model.corrected[key]
            assert f"{found.low:.3f} to {found.high:.3f}" in text
        for key in ("tp", "fp", "fn", "tn"):
            assert f"{round(getattr(model.confusion, key)):,}" in text


@pytest.mark.parametrize(
    "page",
    [
        lambda e: text_of(render(e)),
        lambda e: text_of(e._repr_html_()),
        str,
        lambda e: e.details(),
        lambda e: e.sentence(),
        lambda e: e.to_markdown(),
    ],
    ids=["report", "notebook", "screen", "details", "paper", "markdown"],
)
def test_nothing_takes_labels_as_random(page, together):
    text = without_allowed(page(together))
    assert [words for words in FORBIDDEN if words in text] == []


def test_the_page_needs_no_script(together):
    page = render(together)
    assert page.count("<script") == 2  # the empty ones of the template
    assert "<input" not in page
    assert "data-home" not in page


def test_json_holds_nothing_that_takes_labels_as_random(together):
    content = json.loads(together.to_json())
    assert content["label_bias"]["most"] is None
    assert content["ranking"] is None
    for name, model in content["models"].items():
        assert model["bounds"] == {}
        assert model["narrowing"] is model["hull"] is model["calibration_error"] is None
        assert model["sensitivity"] == {}
        assert "lee_liu" not in model["prior_free"]
        point, own = model["operating_point"], together[name]
        assert point["estimate"]["value"] == own["f1"].value
        assert point["tp"] == own.confusion.tp


def test_contradicting_kinds_are_named_with_what_each_would_give(clashing):
    table = clashing.evidence
    assert table.contradicting == ((0, 1),)
    text = text_of(render(clashing))
    first, second = table.kinds
    assert f"{first[0].upper()}{first[1:]} and {second} contradict each other" in text
    for number in told(table):
        assert f"{number:.3f}" in text
    left = clashing["model"].if_left_out
    assert list(left) == [second, first]
    alone = pm.evaluate(OWN, label=["reported", "rule"], score="p", scenario=SINGLE, threshold=0.5)[
        "model"
    ]
    for key, found in left[second].items():
        assert found.value == pytest.approx(alone[key].value, rel=1e-9)
        assert found.interval.low == pytest.approx(alone[key].low, rel=1e-9)
        assert f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})" in text
        assert f"{found.low:.3f} to {found.high:.3f}" in str(clashing)
    assert 'class="all"' not in render(clashing)  # there is no common range to shade
    assert clashing.to_dict()["prior"]["value"] is None


def test_a_contradiction_is_settled_by_rows_drawn_at_random(clashing):
    advice = clashing.verdict.advice
    assert advice.kind == "audit"
    assert advice.figure == "prior"
    for kind in clashing.evidence.kinds:
        assert kind in clashing.verdict.next_step
    # The more the kinds differ, the fewer rows tell them apart.
    nearer = pm.evaluate(
        OWN, label=["reported", "rule"], score="p", scenario=SINGLE, threshold=0.5,
        evidence=[pm.PublishedPrior(0.28, 0.005)],
    )  # fmt: skip
    assert nearer.trust.level == "contradicted"
    assert nearer.verdict.advice.rows > advice.rows


def test_the_next_step_is_forecast_with_the_evidence():
    """With the rows that are recommended, the interval is about as wide as was said."""
    said = pm.evaluate(OWN, label=["reported", "rule"], score="p", scenario=SINGLE, threshold=0.6)
    advice = said.verdict.advice
    assert advice.kind == "audit"
    assert "add the answers to this evidence" in said.verdict.next_step
    plan = said.plan_audit()
    widths = []
    for seed in range(8):
        rows = plan.draw(DATA["any"], DATA["p"], rng=seed)
        audit = plan.audit(rows, DATA["truth"][rows])
        then = pm.evaluate(
            OWN, label=["reported", "rule"], score="p", scenario=SINGLE, threshold=0.6,
            evidence=[audit],
        )  # fmt: skip
        found = then["model"][advice.figure]
        widths.append(found.high - found.low)
    assert np.median(widths) == pytest.approx(advice.expected, rel=0.25)
