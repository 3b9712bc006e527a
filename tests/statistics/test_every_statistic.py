"""What holds for every statistic, whoever wrote it: ranges, intervals, and answers to every question."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import PuremetricsError
from puremetrics.statistics import find, names
from tests.every import for_every
from tests.statistics.cases import SCENARIOS, every, joint, rows

EVERY = every()
ABOUT_LABELS = {name for name, asked in EVERY.items() if asked.about_labels}
NEGATIVE = {"mean_pearson"}  # says that it starts at 0, but may be negative
PRIOR = 0.4
TINY = 1e-9


def test_every_name_is_tried():
    assert {name.split(" ")[0] for name in EVERY} >= set(names())
    assert len(names()) >= 39
    assert len(EVERY) > 60


def contradicted(estimate):
    """Whether the whole interval lies outside the range: it is then all of it, and says nothing."""
    return any(remark.code == "PM102" for remark in estimate.diagnostics)


@settings(max_examples=4)
@given(st.integers(0, 2**20), st.sampled_from([1, 2]), st.sampled_from(SCENARIOS))
def test_values_lie_in_their_range_and_intervals_hold_them(seed, digits, scenario):
    table = joint(seed, scenario, size=40, digits=digits)["a"]
    low, high = table.design.prior_limits(table.totals)
    prior = low + 0.3 * (high - low)
    wider = low + 0.25 * (high - low), low + 0.35 * (high - low)
    for name, asked in EVERY.items():
        found = asked.estimate(asked.assume(table, prior))
        if np.isnan(found.value):
            assert found.interval is None, name
            assert any(remark.code == "PM103" for remark in found.diagnostics), name
            continue
        assert found.low <= found.value <= found.high, name
        assert (found.name, found.title) == (asked.name, asked.title)
        if name not in NEGATIVE:
            assert asked.low - TINY <= found.low, name
            assert found.high <= asked.high + TINY, name
        ranged = asked.estimate(asked.assume(table, wider))
        for inside in (found, *(asked.estimate(asked.assume(table, end)) for end in wider)):
            if not np.isnan(inside.value) and not contradicted(inside):
                assert ranged.low <= inside.value + TINY, f"{name}: a range of the prior"
                assert ranged.high >= inside.value - TINY, f"{name}: a range of the prior"
                assert (
                    ranged.high - ranged.low >= (inside.high - inside.low) * 0.99 - TINY
                ), (  # between points of the grid
                    f"{name}: who knows more has no longer interval"
                )
        if name in ABOUT_LABELS:
            continue
        biased = asked.estimate(asked.assume(table, prior, label_bias=1.7))
        assert biased.value == found.value, name
        if not contradicted(found):
            assert biased.low <= found.low + TINY, f"{name}: biased labels"
            assert biased.high >= found.high - TINY, f"{name}: biased labels"


WIDENED = (
    "roc_auc", "partial_roc_auc", "average_precision", "f1 at 0.5", "brier_score", "log_loss",
    "discrimination_slope", "ndcg", "rie", "calibration_error",
)  # fmt: skip


@for_every("scenario", SCENARIOS)
def test_larger_biases_and_higher_levels_only_widen(scenario):
    table = joint(1, scenario)["a"]
    for name in WIDENED:
        asked = EVERY[name]
        last = asked.estimate(asked.assume(table, PRIOR, level=0.8))
        for more in ({"level": 0.9}, {}, {"label_bias": 1.5}, {"label_bias": 3.0}):
            found = asked.estimate(asked.assume(table, PRIOR, **more))
            assert found.low <= last.low + TINY, f"{name}: {more}"
            assert found.high >= last.high - TINY, f"{name}: {more}"
            last = found


QUESTIONS = {
    "cross_evaluate": lambda asked, data: pm.cross_evaluate(
        data.y, data.scores["a"], fold=np.arange(data.y.size) % 2, scenario=data.scenario,
        statistic=asked, prior=PRIOR,
    ),
    "compare": lambda asked, data: pm.compare(
        data.joint, statistic=asked, prior=PRIOR, interval="analytic"
    ),
    "compare_segments": lambda asked, data: pm.compare_segments(
        data.segments, statistic=asked, prior=PRIOR
    ),
    "range of priors": lambda asked, data: data.given.along("prior", asked, at=[PRIOR]),
    "along the label bias": lambda asked, data: data.given.along("label_bias", asked, at=[1, 2]),
    "along the purity": lambda asked, data: data.given.along("purity", asked, at=[0.9, 1]),
    "tipping_point": lambda asked, data: data.tipping(asked),
    "best_by_prior": lambda asked, data: pm.best_by_prior(
        data.joint.tables, statistic=asked, priors=[0.35, PRIOR]
    ),
}  # fmt: skip


class Data:
    """The same rows in every shape that is asked."""

    def __init__(self, scenario):
        self.scenario = scenario
        _, self.y, self.scores = rows(6, 60)
        self.joint = pm.JointTable.from_arrays(self.y, self.scores, scenario=scenario)
        self.given = pm.assume(self.joint["a"], prior=PRIOR)
        land = np.where(np.arange(self.y.size) % 2, "north", "south")
        self.segments = pm.Segments.from_arrays(
            self.y, self.scores["a"], segment=land, scenario=scenario, by="land"
        )

    def tipping(self, asked):
        value = self.given.estimate(asked).value
        aim = {"below": value + 0.02} if asked.smaller_is_better else {"above": value - 0.02}
        return self.given.tipping_point(asked, **aim)


DATA = {scenario: Data(scenario) for scenario in SCENARIOS}
REFUSED = {  # what has no answer, by question; anything else must have one
    "cross_evaluate": ABOUT_LABELS,
    "compare_segments": ABOUT_LABELS | {"positive_likelihood_ratio at 0.5"},
    "along the label bias": ABOUT_LABELS,
    "tipping_point": ABOUT_LABELS,
}


def in_turn():
    """Statistics in both scenarios; metrics at a threshold in one, or of the first rows in the other."""
    metrics = sorted({name.split(" ")[0] for name in EVERY if name.endswith(" at 0.5")})
    places = itertools.cycle([(" of 12", SCENARIOS[0]), (" at 0.5", SCENARIOS[1])])
    yield from (
        (name + place, scenario) for name, (place, scenario) in zip(metrics, places, strict=False)
    )
    others = [name for name in EVERY if name.split(" ")[0] not in metrics]
    yield from itertools.product(others, SCENARIOS)


IN_TURN = list(in_turn())


@for_every("name, scenario", IN_TURN)
def test_every_question_is_answered_or_refused_by_a_sentence(name, scenario):
    for question, ask in QUESTIONS.items():
        refusal = refused(lambda: str(ask(EVERY[name], DATA[scenario])))  # noqa: B023
        if refusal is not None:
            assert refusal.endswith(".")
            undefined = "undefined" in refusal or "not finite" in refusal
            assert undefined or name in REFUSED.get(question, ()), f"{question}: {refusal}"


def refused(call):
    """The sentence that a question is refused by; None if it is answered."""
    try:
        assert call()
    except PuremetricsError as error:
        return str(error)
    return None


@for_every("name, scenario", IN_TURN)
def test_the_same_value_whoever_asks(name, scenario):
    asked, data = EVERY[name], DATA[scenario]
    wanted = data.given.estimate(asked)
    if not np.isfinite(wanted.value):
        return
    along = data.given.along("prior", asked, at=[PRIOR])
    assert along.value[0] == pytest.approx(wanted.value, abs=1e-12)
    if name not in ABOUT_LABELS:
        assert (along.low[0], along.high[0]) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    best = pm.best_by_prior(data.joint.tables, statistic=asked, priors=[PRIOR])
    assert best.values["a"][0] == pytest.approx(wanted.value, abs=1e-12)
    pure = data.given.along("purity", asked, at=[1.0])
    assert pure.value[0] == pytest.approx(wanted.value, abs=1e-12)
    compared = pm.compare(data.joint, statistic=asked, prior=PRIOR, interval="analytic")
    apart = asked.for_differences()
    values = {
        model: apart.difference_value(apart.assume(table, PRIOR))
        for model, table in data.joint.tables.items()
    }
    (difference,) = compared.differences
    assert difference.value == pytest.approx(values["a"] - values["b"], abs=1e-12)
    rows_of = {
        model: apart.row_errors(data.joint, model, apart.assume(table, PRIOR))
        for model, table in data.joint.tables.items()
    }
    more = sum(apart.unclear(apart.assume(t, PRIOR)) for t in data.joint.tables.values())
    spread = np.sqrt(np.sum((rows_of["a"] - rows_of["b"]) ** 2) + more)
    if np.isfinite(spread):
        assert difference.standard_error == pytest.approx(spread)


PAIRS = ["roc_auc", "recall at 0.5", "discrimination_slope"]


@for_every("name, scenario", itertools.product(PAIRS, SCENARIOS))
def test_a_tipping_point_of_two_models_is_where_they_are_equal(name, scenario):
    data, asked = DATA[scenario], EVERY[name]
    found, turned = (
        pm.tipping_point(data.joint, asked, prior=PRIOR, first=first, second=second)
        for first, second in ("ab", "ba")
    )
    assert sorted([found.label_bias > 1, turned.label_bias > 1]) == [False, True]
    better = found if found.label_bias > 1 else turned
    assert 1 <= better.low <= better.label_bias
    assert asked.sign * better.value > 0


def test_a_name_and_its_object_are_the_same():
    table = DATA[SCENARIOS[0]].joint["a"]
    given = pm.assume(table, prior=PRIOR)
    for name in ("roc_auc", "brier_score", "discrimination_slope", "ndcg"):
        assert given.estimate(name) == given.estimate(find(name))
    assert given.estimate("f1", threshold=0.5) == given.estimate(find("f1", threshold=0.5))
