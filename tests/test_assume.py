"""What is assumed, as an object: its answers are those of the functions, and its text says what it is."""

import inspect
import itertools

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError, PriorError, PuremetricsError, UnsupportedError
from tests.every import for_every

SCENARIOS = ("case_control", "single_training_set")
RNG = np.random.default_rng(3)
TRUTH = RNG.random(60) < 0.4
LABEL = (TRUTH & (RNG.random(60) < 0.5)).astype(int)
SCORES = {
    name: np.round(1 / (1 + np.exp(1 - shift * TRUTH - RNG.normal(size=60))), 2)
    for name, shift in (("a", 2.0), ("b", 1.0))
}
CHECKED = np.flatnonzero(LABEL == 0)[::2]
AUDIT = pm.Audit.from_arrays(SCORES["a"][CHECKED], TRUTH[CHECKED])
BY_BOTH = pm.Audit.from_arrays(
    {name: score[CHECKED] for name, score in SCORES.items()}, TRUTH[CHECKED]
)
JOINT = {
    scenario: pm.JointTable.from_arrays(LABEL, SCORES, scenario=scenario) for scenario in SCENARIOS
}
KNOWN = {
    "a prior": {"prior": 0.4},
    "a range": {"prior": (0.35, 0.45), "confidence_level": 0.9},
    "purity": {"prior": 0.4, "purity": 0.9},
    "a range of the purity": {"prior": 0.4, "purity": (0.8, 0.95)},
    "biased labels": {"prior": 0.4, "label_bias": 2.0},
    "labels that favour high scores": {"prior": 0.4, "label_bias": 2.0, "label_bias_side": "high"},
}


def taken(function, known):
    """Those of the assumptions that a function takes."""
    return {k: v for k, v in known.items() if k in inspect.signature(function).parameters}


def left_out(function, known):
    """Whether a function takes no part of what is assumed, so that the object must refuse."""
    takes = inspect.signature(function).parameters
    return any(name in known and name not in takes for name in ("purity", "label_bias"))


def both(method, *args, function=None, **options):
    """An answer of the object, and that of the function of the same name."""
    call = getattr(pm, function or method)

    def asked(given):
        return getattr(given, method)(*args, **options)

    def called(table, known):
        own = args if function is None else ()
        return call(table, *own, **taken(call, known), **options)

    return asked, called


def metric(name, **place):
    return (
        lambda given: given.metric(name, **place),
        lambda table, known: pm.metric(table, name, **place, **known),
    )


def named(method, name, function, **options):
    """The same where a name says which function it is."""

    def called(table, known):
        if method in ("curve", "bounds") and left_out(function, known):
            raise UnsupportedError("cannot allow for it")
        return function(table, **taken(function, known), **options)

    return lambda given: getattr(given, method)(name, **options), called


def bounded(name, **options):
    function = pm.metric_bounds if "threshold" in options else pm.metric_curve_bounds

    def called(table, known):
        if left_out(function, known):
            raise UnsupportedError("cannot allow for it")
        return function(table, name, **taken(function, known), **options)

    return lambda given: given.bounds(name, **options), called


def without(key, known):
    return {k: v for k, v in known.items() if k != key}


QUESTIONS = {
    "roc_auc": both("roc_auc"),
    "roc_auc up to a rate": both("roc_auc", max_fpr=0.3),
    "average_precision": both("average_precision"),
    "precision at a threshold": metric("precision", threshold=0.5),
    "fbeta at a threshold": metric("fbeta", threshold=0.5, beta=2.0),
    "recall of the top": metric("recall", top=20),
    "f1 of the top": metric("f1", top=0.25),
    "ndcg": named("estimate", "ndcg", pm.ndcg),
    "brier_score": named("estimate", "brier_score", pm.brier_score),
    "enrichment_factor": named("estimate", "enrichment_factor", pm.enrichment_factor, top=15),
    "roc": named("curve", "roc", pm.roc_curve),
    "pr": named("curve", "pr", pm.pr_curve),
    "hull": named("curve", "hull", pm.roc_hull),
    "reliability": named("curve", "reliability", pm.reliability_curve),
    "discovery": named("curve", "discovery", pm.discovery_curve, rows=[5, 10]),
    "net_benefit": named("curve", "net_benefit", pm.net_benefit, thresholds=[0.2, 0.5]),
    "bounds of the area": named("bounds", "roc_auc", pm.roc_auc_bounds),
    "bounds of the average precision": named(
        "bounds", "average_precision", pm.average_precision_bounds
    ),
    "bounds of the curve": named("bounds", "roc", pm.roc_bounds),
    "bounds of precision and recall": named("bounds", "pr", pm.pr_bounds),
    "bounds of the counts": named("bounds", "confusion", pm.confusion_bounds),
    "bounds of a metric": bounded("f1", threshold=0.5),
    "bounds of a metric along thresholds": bounded("f1"),
    "pulp": named("ranking", "pulp", pm.pulp),
    "pseudo_f": named("ranking", "pseudo_f", pm.pseudo_f),
    "naive_auc": named("ranking", "naive_auc", pm.naive_auc),
    "range of priors": (
        lambda given: given.along("prior", "f1", at=[0.35, 0.4], threshold=0.5),
        lambda table, known: pm.prior_sensitivity(
            table, statistic="f1", priors=[0.35, 0.4], threshold=0.5, **without("prior", known)
        ),
    ),
    "along the label bias": (
        lambda given: given.along("label_bias", at=[1.5, 3]),
        lambda table, known: pm.label_bias_sensitivity(
            table, "roc_auc", ratios=[1.5, 3], **without("label_bias", known)
        ),
    ),
    "tipping_point": (
        lambda given: given.tipping_point("roc_auc", above=0.6),
        lambda table, known: pm.tipping_point(
            table, "roc_auc", above=0.6, **without("label_bias", known)
        ),
    ),
    "choose_threshold": (
        lambda given: given.choose_threshold("f1", n_resamples=20),
        lambda table, known: pm.choose_threshold(table, objective="f1", n_resamples=20, **known),
    ),
}  # fmt: skip


def outcome(call):
    """The answer, or the sentence that refuses it."""
    try:
        return call()
    except PuremetricsError as error:
        return type(error), "cannot allow for" if "cannot allow for" in str(error) else str(error)


SLOW = {"bounds of the average precision", "tipping_point", "along the label bias", "hull"}
OFTEN = ("a prior", "purity", "biased labels")
TRIED = [
    (question, known, scenario)
    for question, known, scenario in itertools.product(QUESTIONS, KNOWN, SCENARIOS)
    if scenario == SCENARIOS[0] or (known in OFTEN and question not in SLOW)
    if question not in SLOW or known in ("a prior", "biased labels")
]


@for_every("question, known, scenario", TRIED)
def test_its_answers_are_those_of_the_functions(question, known, scenario):
    table, (asked, called) = JOINT[scenario]["a"], QUESTIONS[question]
    given = pm.assume(table, **KNOWN[known])
    assert outcome(lambda: asked(given)) == outcome(lambda: called(table, KNOWN[known]))


def test_hardly_any_question_is_refused():
    refused = [
        question
        for question, (asked, _) in QUESTIONS.items()
        if isinstance(outcome(lambda: asked(pm.assume(JOINT[SCENARIOS[0]]["a"], prior=0.4))), tuple)  # noqa: B023
    ]
    assert not refused, "both ways refuse it, which says nothing"


@for_every("known, scenario", itertools.product(KNOWN, SCENARIOS))
def test_along_the_purity_it_is_the_estimate_at_each(known, scenario):
    table, held = JOINT[scenario]["a"], without("purity", KNOWN[known])
    found = pm.assume(table, **held).along("purity", "roc_auc", at=[1.0, 0.8])
    alone = [pm.roc_auc(table, purity=p, **held) for p in (0.8, 1.0)]
    if isinstance(held["prior"], tuple):  # at its middle
        alone = [pm.roc_auc(table, purity=p, **{**held, "prior": 0.4}) for p in (0.8, 1.0)]
    assert found.purity.tolist() == [0.8, 1.0]
    for name in ("value", "low", "high"):
        assert getattr(found, name) == pytest.approx([getattr(one, name) for one in alone])


@for_every("name", ["a prior", "a range", "biased labels"])
def test_evaluate_and_compare(name):
    joint, known = JOINT[SCENARIOS[1]], KNOWN[name]
    given = pm.assume(joint, **known)
    assert given.compare() == pm.compare(joint, **known)
    assert given.compare("brier_score") == pm.compare(joint, statistic="brier_score", **known)
    table = joint["a"]
    found, alone = given["a"].evaluate(threshold=0.5), pm.evaluate(table, threshold=0.5, **known)
    assert str(found) == str(alone)
    assert found.models["model"].corrected == alone.models["model"].corrected


@for_every("scenario", SCENARIOS)
def test_one_of_several_models(scenario):
    joint = JOINT[scenario]
    given = pm.assume(LABEL, SCORES, scenario=scenario, prior=0.4)
    for name in SCORES:
        assert given[name].roc_auc() == pm.roc_auc(joint[name], prior=0.4)
        assert given[name].table.equals(joint[name])
    pair = given.tipping_point()
    assert pair == pm.tipping_point(joint, prior=0.4)
    frame = {"y": LABEL, **SCORES}
    again = pm.assume(frame, label="y", score=["a", "b"], scenario=scenario, prior=0.4)
    assert again["b"].average_precision() == given["b"].average_precision()


AUDITED = {
    "roc_auc": (lambda g: g.roc_auc(), lambda t: pm.roc_auc(t, audit=AUDIT)),
    "average_precision": (
        lambda g: g.average_precision(),
        lambda t: pm.average_precision(t, audit=AUDIT),
    ),
    "f1": (
        lambda g: g.metric("f1", threshold=0.5),
        lambda t: pm.metric(t, "f1", threshold=0.5, audit=AUDIT),
    ),
    "brier_score": (lambda g: g.estimate("brier_score"), lambda t: pm.brier_score(t, audit=AUDIT)),
    "ndcg": (lambda g: g.estimate("ndcg", top=20), lambda t: pm.ndcg(t, top=20, audit=AUDIT)),
    "choose_threshold": (
        lambda g: g.choose_threshold("f1", n_resamples=10),
        lambda t: pm.choose_threshold(t, objective="f1", n_resamples=10, audit=AUDIT),
    ),
    "evaluate": (
        lambda g: g.evaluate(threshold=0.5)["model"].corrected,
        lambda t: pm.evaluate(t, threshold=0.5, audit=AUDIT)["model"].corrected,
    ),
}  # fmt: skip


@for_every("question, scenario", itertools.product(AUDITED, SCENARIOS))
def test_with_an_audit(question, scenario):
    asked, called = AUDITED[question]
    table = JOINT[scenario]["a"]
    assert asked(pm.assume(table, audit=AUDIT)) == called(table)


@for_every("scenario", SCENARIOS)
def test_models_are_compared_with_an_audit(scenario):
    joint = JOINT[scenario]
    assert pm.assume(joint, audit=BY_BOTH).compare() == pm.compare(joint, audit=BY_BOTH)


@for_every("scenario", SCENARIOS)
def test_curves_of_an_audit_have_the_area_that_it_tells(scenario):
    given = pm.assume(JOINT[scenario]["a"], audit=AUDIT)
    curve = given.curve("roc")
    area = float(np.sum(np.diff(curve.x) * (curve.y[1:] + curve.y[:-1]) / 2))
    assert area in given.roc_auc().interval  # not the value: positives are spread over the rows
    assert (curve.x[0], curve.y[0]) == (0, 0)
    assert (curve.x[-1], curve.y[-1]) == pytest.approx((1, 1))
    steps = given.curve("precision_recall")
    mean = float(np.sum(np.diff(steps.x) * steps.y[1:]))
    assert mean == pytest.approx(given.average_precision().value, abs=1e-9)
    for place in range(1, curve.x.size, 7):
        at = float(curve.threshold[place])
        assert curve.y[place] in given.metric("recall", threshold=at).interval
        assert curve.x[place] in given.metric("fpr", threshold=at).interval
    assert curve.prior == pytest.approx(
        pm.prior_from_audit(AUDIT, table=given.table).prior, abs=0.05
    )


REFUSED = {
    "two curves only": lambda g: g.curve("hull"),
    "no bounds": lambda g: g.bounds("roc_auc"),
    "nothing along it": lambda g: g.along("prior"),
    "about the labels": lambda g: g.estimate("pulp"),
}


@for_every("what", REFUSED)
def test_what_an_audit_does_not_tell_is_said(what):
    with pytest.raises(UnsupportedError, match=r"Leave"):
        REFUSED[what](pm.assume(JOINT[SCENARIOS[0]]["a"], audit=AUDIT))


# ---------------------------------------------------------------- without a prior

FREE = {
    "recall": lambda g: g.metric("recall", threshold=0.5),
    "recall of the top": lambda g: g.metric("recall", top=10),
    "lift of the top": lambda g: g.metric("lift", top=10),
    "enrichment_factor": lambda g: g.estimate("enrichment_factor", top=10),
    "rie": lambda g: g.estimate("rie"),
    "pulp": lambda g: g.estimate("pulp"),
    "ranking": lambda g: g.ranking("mean_f1"),
    "range of priors": lambda g: g.along("prior", at=[0.4]),
    "evaluate": lambda g: g.evaluate(threshold=0.5),
}
NOT_FREE = {
    "roc_auc": lambda g: g.roc_auc(),
    "f1": lambda g: g.metric("f1", threshold=0.5),
    "curve": lambda g: g.curve("roc"),
    "bounds": lambda g: g.bounds("roc_auc"),
    "label bias": lambda g: g.along("label_bias"),
    "tipping_point": lambda g: g.tipping_point(above=0.6),
    "choose_threshold": lambda g: g.choose_threshold(),
}


@for_every("what, scenario", itertools.product(FREE, SCENARIOS))
def test_what_needs_no_prior(what, scenario):
    table = JOINT[scenario]["a"]
    found = FREE[what](pm.assume(table))
    if isinstance(found, pm.Estimate):
        assert found.prior is None
        known = FREE[what](pm.assume(table, prior=0.4))  # moved into what it can be there
        assert found.raw == pytest.approx(known.raw)


@for_every("what, scenario", itertools.product(NOT_FREE, SCENARIOS))
def test_what_needs_one_says_so(what, scenario):
    with pytest.raises(PriorError, match="prior is missing"):
        NOT_FREE[what](pm.assume(JOINT[scenario]["a"]))


# ---------------------------------------------------------------- in words


@for_every(
    "known, said",
    [
        ({"prior": 0.4}, "assumes prior 0.4000; all labels correct; labels at random; 95% intervals"),
        ({}, "assumes no prior; labels at random"),
        ({"prior": (0.3, 0.5)}, "prior 0.4000 (0.3000 to 0.5000)"),
        ({"prior": pm.PriorEstimate(0.4)}, "prior 0.4000, estimated"),
        ({"prior": 0.4, "purity": 0.9}, "purity of the labels 0.9;"),
        ({"prior": 0.4, "purity": (0.8, 0.95)}, "purity of the labels 0.875 (0.8 to 0.95)"),
        ({"prior": 0.4, "label_bias": 2}, "label bias up to 2;"),
        ({"prior": 0.4, "label_bias": 2, "label_bias_side": "high"}, "up to 2 towards high scores"),
        ({"prior": 0.4, "confidence_level": 0.9}, "90% intervals"),
        ({"prior": 0.4}, "the data do not contradict this: the ranking allows priors up to 0."),
        ({"prior": 0.9}, "contradicted by the data: the ranking allows priors only up to 0."),
        ({}, "the ranking allows priors up to 0."),
        ({"audit": AUDIT}, f"based on {len(CHECKED)} checked rows, {TRUTH[CHECKED].sum()} of them positive"),
    ],
)  # fmt: skip
def test_its_text_says_what_is_assumed(known, said):
    given = pm.assume(JOINT[SCENARIOS[0]]["a"], **known)
    assert said in str(given)
    assert "60 rows" in repr(given)


def test_of_several_models_the_one_that_contradicts_it_is_named():
    largest = {
        name: pm.largest_prior(table).prior for name, table in JOINT[SCENARIOS[0]].tables.items()
    }
    least = min(largest, key=largest.get)
    given = pm.assume(JOINT[SCENARIOS[0]], prior=0.95)
    assert (
        f"contradicted by the data: the ranking of {least} allows priors only up to {largest[least]:.4g}"
        in str(given)
    )
    assert "2 models (a, b)" in repr(given)


# ---------------------------------------------------------------- what cannot be


@for_every(
    "call, said",
    [
        (lambda t: pm.assume(3), "ScoreTable"),
        (lambda t: pm.assume(t, prior=1.5), "is not a share"),
        (lambda t: pm.assume(t, prior=0.4, purity=2), "is not a share"),
        (lambda t: pm.assume(t, prior=0.4, confidence_level=95), "strictly between 0 and 1"),
        (lambda t: pm.assume(t, label_bias=2), "pass prior"),
        (lambda t: pm.assume(t, prior=0.4, label_bias=0.5), "label_bias"),
        (lambda t: pm.assume(t, prior=0.4, label_bias_side="up"), "Choose one of 'either'"),
        (lambda t: pm.assume(t, prior=0.4, audit=AUDIT), "Leave out prior"),
        (lambda t: pm.assume(t, audit=3), "must be an Audit"),
        (lambda t: pm.assume(t, prior=0.4)["a"], "There is only one model"),
        (lambda t: pm.assume(t, prior=0.4).compare(), "There is only one model"),
        (lambda t: pm.assume(t, prior=0.4).curve("rock"), "Choose one of 'roc'"),
        (lambda t: pm.assume(t, prior=0.4).ranking("rank"), "Choose one of 'pulp'"),
        (lambda t: pm.assume(t, prior=0.4).along("time"), "Choose one of 'prior'"),
        (lambda t: pm.assume(t, prior=0.4).estimate("area"), "There is no statistic 'area'"),
        (lambda t: pm.assume(t, prior=0.4).bounds("area"), "There is no metric 'area'"),
        (lambda t: pm.assume(t, prior=0.4).metric("f1"), "Neither threshold nor top"),
        (lambda t: pm.assume(t, prior=0.4).roc_auc(maximum=3), "is not an option of 'roc_auc'"),
        (lambda t: pm.assume(t, prior=0.4).along("label_bias", "pulp"), "Choose another"),
        (lambda t: pm.assume(JOINT["case_control"], prior=0.4).roc_auc(), "There are 2 models"),
        (lambda t: pm.assume(JOINT["case_control"], prior=0.4)["c"], "There is no model 'c'"),
        (lambda t: pm.assume(t, prior=0.4).tipping_point("roc_auc"), "above"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_a_sentence(call, said):
    with pytest.raises((InputError, PriorError, UnsupportedError), match=said) as caught:
        call(JOINT["case_control"]["a"])
    assert str(caught.value).endswith((".", "?"))
