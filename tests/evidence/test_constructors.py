"""What the kinds of evidence refuse, and what they hold."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.evidence import agreement_of
from puremetrics.exceptions import PuremetricsError
from tests.evidence.rows import drawn
from tests.fuzz.checks import problem_with_sentence

SCORE = [0.9, 0.8, 0.7, 0.2]
BOTH = {"a": [1, 1, 0, 0], "b": [1, 0, 1, 0]}
SAID = ["yes", "no", "", ""]


def sources(score=SCORE, columns=BOTH, **options):
    return pm.LabelSources.from_arrays(score, columns, **options)


def investigated(outcome=SAID, score=SCORE, **options):
    return pm.Investigated.from_arrays(score, outcome, **options)


def judged(judge=(1, 1, 0, 0), outcome=SAID, score=SCORE, **options):
    return pm.Judged.from_arrays(score, judge, outcome, **options)


REFUSED = {
    "one source": (lambda: sources(columns={"a": [1, 0, 0, 0]}), "at least two names"),
    "no mapping": (lambda: sources(columns=[[1, 0, 0, 0]] * 2), "at least two names"),
    "too many sources": (
        lambda: sources(columns={str(j): [1, 1, 0, 0] for j in range(7)}), "at most 6"),
    "columns of other lengths": (lambda: sources(columns={**BOTH, "c": [1, 0]}), "has 2 rows"),
    "no labelled row": (lambda: sources(columns={"a": [0] * 4, "b": [0] * 4}), "No source labelled"),
    "an idle source": (lambda: sources(columns={**BOTH, "c": [0] * 4}), "'c' labelled no row"),
    "other scores": (lambda: sources(score=[1, 2]), "same length"),
    "scores that are missing": (lambda: sources(score=[0.1, np.nan, 0.2, 0.3]), "score"),
    "no model": (lambda: sources(score={}), "score is empty"),
    "dependence of 0": (lambda: sources(dependence=0), "between 0.01 and 100"),
    "dependence turned round": (lambda: sources(dependence=(2, 1)), "lower end first"),
    "dependence as a word": (lambda: sources(dependence="high"), "must be a number or a range"),
    "dependence with three ends": (lambda: sources(dependence=(1, 2, 3)), "number or a range"),
    "strange answer": (lambda: investigated(["yes", "perhaps", "", ""]), "neither yes nor no"),
    "nobody looked": (lambda: investigated([""] * 4), "Nobody looked"),
    "no checker": (lambda: investigated({}), "outcome is empty"),
    "checkers of other rows": (lambda: investigated({"x": SAID, "y": ["yes"]}), "same rows"),
    "a chance of 0": (lambda: investigated(chance=[0, 1, 1, 1]), "0 or less"),
    "chances of other rows": (lambda: investigated(chance=[1, 1]), "same length"),
    "chance and features": (
        lambda: investigated(chance=[1] * 4, features=[[1]] * 4), "Pass one of them"),
    "selection bias below 1": (lambda: investigated(selection_bias=0.5), "ratio of odds"),
    "sensitivity above 1": (lambda: investigated(sensitivity=1.2), "between 0 and 1"),
    "a checker who guesses": (
        lambda: investigated(sensitivity=0.5, specificity=0.5), "tells nothing"),
    "second answers without a first": (
        lambda: investigated(second=["", "", "yes", ""]), "have no first one"),
    "empty second answers": (lambda: investigated(second=[""] * 4), "holds no answer"),
    "second answers of several": (
        lambda: investigated({"x": SAID, "y": SAID}, second=SAID), "single checker"),
    "a judge in percent": (lambda: judged((90, 80, 10, 0)), "divide percentages"),
    "a judge of other rows": (lambda: judged((1, 0)), "same length"),
    "a prior above 1": (lambda: pm.PublishedPrior(1.2, error=0.1), "share between 0 and 1"),
    "a prior without error": (lambda: pm.PublishedPrior(0.2), "pass one of them"),
    "an error and an interval": (
        lambda: pm.PublishedPrior(0.2, error=0.1, interval=(0.1, 0.3)), "pass one of them"),
    "no error": (lambda: pm.PublishedPrior(0.2, error=0), "above 0"),
    "an interval elsewhere": (
        lambda: pm.PublishedPrior(0.2, interval=(0.3, 0.4)), "must hold the value"),
    "an interval of one point": (
        lambda: pm.PublishedPrior(0.2, interval=(0.2, 0.2)), "have a length"),
    "labels that say nothing": (lambda: pm.RandomLabels(1e300), "Leave RandomLabels out"),
    "labels less than random": (lambda: pm.RandomLabels(0.5), "ratio of chances"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_with_a_sentence(case):
    make, said = REFUSED[case]
    with pytest.raises(PuremetricsError) as refused:
        make()
    text = str(refused.value)
    assert said in text
    assert problem_with_sentence(text) is None


TABLE = pm.ScoreTable.from_arrays(
    [1, 1, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1], scenario="single_training_set"
)
PRESENCE = pm.ScoreTable.from_arrays(
    [1, 1, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1], scenario="case_control"
)
LABELLED = pm.LabelSources.from_arrays([6, 5, 4], {"a": [1, 1, 0], "b": [1, 0, 1]})
PRIOR = pm.PublishedPrior(0.7, error=0.1)
JUDGED = pm.Judged.from_arrays([3, 2, 1], [1, 0, 0], [1, "", 0])


def weighted():
    return pm.ScoreTable.from_arrays(
        [1, 1, 0, 0], [4, 3, 2, 1], sample_weight=[1, 2, 1, 1.5], scenario="single_training_set"
    )


APART = {
    "nothing": (TABLE, [], "evidence is empty"),
    "something else": (TABLE, [0.3], "holds a float"),
    "two judges": (TABLE, [JUDGED, JUDGED], "two judges"),
    "sources twice": (TABLE, [LABELLED, LABELLED], "Pass all sources in one"),
    "sources and random labels": (TABLE, [LABELLED, pm.RandomLabels()], "same rows twice"),
    "sources in case-control": (PRESENCE, [LABELLED], "single_training_set"),
    "sources of other rows": (
        TABLE, [sources(columns={"a": [1, 1, 0, 0], "b": [1, 0, 0, 0]})], "labelled 2 rows"),
    "a judge of other rows": (TABLE, [judged()], "judge answered for 4"),
    "more answers than rows": (
        TABLE, [pm.Investigated.from_arrays([1, 2, 3, 4], [1, 0, 1, 0])], "4 rows were checked"),
    "no known negatives": (TABLE, [pm.KnownNegatives()], "no known negatives"),
    "a prior that labels exclude": (TABLE, [pm.PublishedPrior(0.1, error=0.01)], "allow priors from"),
    "weights": (weighted(), [PRIOR], "weights or propensities"),
    "no unlabeled rows": (
        pm.ScoreTable.from_groups(
            positive=[2, 3], unlabeled=[], negative=[1], scenario="single_training_set"),
        [PRIOR], "nothing that evidence could tell"),
}  # fmt: skip


ASKED = {
    "metric": lambda table, given: pm.metric(table, "recall", threshold=3, evidence=given),
    "joint prior": lambda table, given: pm.assume(table, evidence=given).joint_prior(),
    "evaluation": lambda table, given: pm.evaluate(table, evidence=given),
}


@pytest.mark.parametrize("case", APART)
@pytest.mark.parametrize("ask", ASKED)
def test_evidence_that_does_not_belong_to_the_rows_is_refused(case, ask):
    table, evidence, said = APART[case]
    with pytest.raises(PuremetricsError, match=said) as refused:
        ASKED[ask](table, evidence)
    assert problem_with_sentence(str(refused.value)) is None


def test_purity_cannot_stand_beside_evidence():
    with pytest.raises(PuremetricsError, match="takes all labels as right"):
        pm.roc_auc(TABLE, purity=0.9, evidence=[PRIOR])


def test_scores_of_another_model_are_asked_for():
    named = pm.Investigated.from_arrays({"b": [3, 2, 1]}, [1, "", 0])
    with pytest.raises(PuremetricsError, match="no scores for"):
        pm.evaluate({"a": TABLE}, evidence=[named])


# ---------------------------------------------------------------- what they hold


def test_sources_count_who_caught_what():
    rows = drawn(0, 500)
    found = rows.sources()
    a, b = rows.caught["reported"], rows.caught["rule"]
    assert found.counts == {
        "reported and rule": int((a & b).sum()),
        "reported alone": int((a & ~b).sum()),
        "rule alone": int((b & ~a).sum()),
    }
    assert found.twice == int((a & b).sum())
    assert found.frame()["rows"].sum() == rows.labelled.sum()
    assert "independently" in found.assumes
    assert "1 to 2 times" in rows.sources(dependence=(1, 2)).assumes


def test_answers_may_be_words_numbers_or_missing():
    columns = (["yes", "No", "", "TRUE"], [1, 0, np.nan, 1], [True, False, None, True])
    for given in columns:
        found = investigated(given)
        assert len(found) == 3
        assert found.answers[:, 0].tolist() == [1, 0, 1]
        assert found.scores["model"].tolist() == [0.9, 0.8, 0.2]


def test_chances_become_weights():
    found = investigated(["yes", "no", "", "no"], chance=[0.5, 0.25, 1, 0.5])
    assert found.weight.tolist() == [2, 4, 2]
    assert found.known_chances


def test_second_answers_count_before_first_ones():
    found = investigated(["yes", "no", "yes", ""], second=["no", "", "yes", ""])
    assert found.positive.tolist() == [0, 0, 1]
    assert "second answers are right" in found.assumes


def test_a_judge_in_probabilities_is_cut_where_people_looked():
    rng = np.random.default_rng(0)
    share, score = rng.random(400), rng.random(400)
    answers = np.where(np.arange(400) < 200, (rng.random(400) < share).astype(float), np.nan)
    found = judged(share, answers, score)
    assert len(found.yes) == 4
    assert list(found.yes) == sorted(found.yes)
    few = judged(share, np.where(np.arange(400) < 12, 1.0, np.nan), score)
    assert len(few.yes) == 2


def test_a_published_prior_has_an_interval_either_way():
    assert pm.PublishedPrior(0.2, interval=(0.1, 0.4)).range == (0.1, 0.4)
    low, high = pm.PublishedPrior(0.2, error=0.05).range
    assert (low, high) == pytest.approx((0.2 - 1.959964 * 0.05, 0.2 + 1.959964 * 0.05))
    assert pm.PublishedPrior(0.01, error=0.05).range[0] == 0


def test_agreement_of_checkers():
    answers = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, np.nan]], dtype=float)
    found = agreement_of(answers, ("x", "y", "z"))
    assert list(zip(found["first"], found["second"], found["rows"], strict=True)) == [
        ("x", "y", 4), ("x", "z", 3), ("y", "z", 3)]  # fmt: skip
    assert found["agree"].tolist() == pytest.approx([0.75, 0, 1 / 3])
    # x says yes to half of the rows, y to a quarter: by chance they would agree on half
    assert found["kappa"][0] == pytest.approx((0.75 - 0.5) / (1 - 0.5))


def test_dependence_above_one_means_more_positives():
    rows = drawn(1)
    told = [
        float(pm.assume(rows.table, evidence=[rows.sources(dependence=theta)]).joint_prior())
        for theta in (0.5, 1.0, 2.0)
    ]
    assert told == sorted(told)
    assert told[2] > told[1] + 0.02
