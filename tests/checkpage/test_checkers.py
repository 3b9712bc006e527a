"""Two people, their agreement, and their errors in the estimate."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.checkpage.checkers import agreement_words, are_two, checked_by
from puremetrics.checkpage.sheet import Answer, Answers
from tests.checkpage.world import World


def answered(world, sensitivity=0.8, specificity=0.9, overlap=2, settle=True, seed=0):
    """Answers of ann, and of bob to every so many rows, each with errors of their own."""
    rng = np.random.default_rng(seed)

    def said(row):
        right = rng.random() < (sensitivity if world.truth[row] else specificity)
        return "yes" if bool(world.truth[row]) == right else "no"

    found = []
    for number, row in enumerate(world.rows):
        first = Answer(said(row), "ann", "1")
        if number % overlap:
            found.append(Answers(first))
            continue
        second, settled = Answer(said(row), "bob", "2"), None
        if settle and first.said != second.said:
            settled = Answer("yes" if world.truth[row] else "no", "ann", "3")
        found.append(Answers(first, second, settled))
    return found


def audit_of(world):
    return lambda answers: world.plan.audit(world.rows, answers)


def test_agreement_is_counted():
    yes, no = (Answer(said, "ann", "") for said in ("yes", "no"))
    other = [Answer(said, "bob", "") for said in ("yes", "no")]
    found = [Answers(yes, other[0])] * 6 + [Answers(no, other[1])] * 3 + [Answers(yes, other[1])]
    assert are_two(found)
    assert agreement_words([*found, Answers(yes)]) == [
        "ann and bob agree on 9 of 10 rows (Cohen's kappa 0.78)."
    ]
    unsure = [Answers(yes, Answer("unsure", "bob", ""))]
    assert not are_two(unsure)
    assert agreement_words(unsure) == []


@pytest.mark.parametrize("settle", [True, False])
def test_errors_of_checkers_reach_the_estimate(settle):
    """Someone who misses a fifth of the positives makes precision too small, until that is allowed for."""
    naive, allowed, truth = [], [], []
    for seed in range(8):
        world = World(seed, rows=3000, budget=300)
        answers = answered(world, settle=settle, seed=seed)
        plain = [one.first.said == "yes" for one in answers]
        at = {"threshold": world.threshold}
        naive.append(pm.metric(world.table, "precision", audit=audit_of(world)(plain), **at).value)
        evidence = checked_by(answers, audit_of(world))
        allowed.append(pm.metric(world.table, "precision", evidence=[evidence], **at))
        truth.append(world.truth[world.score >= 1].mean())
    off = np.mean(naive) - np.mean(truth)
    assert off < -0.05
    left = abs(np.mean([e.value for e in allowed]) - np.mean(truth))
    assert left < (0.5 if settle else 0.9) * abs(
        off
    )  # how people agree says less than what is right
    inside = [e.interval.low <= t <= e.interval.high for e, t in zip(allowed, truth, strict=True)]
    assert sum(inside) >= 7


def test_settled_answers_are_taken_as_right_and_open_ones_are_not():
    world = World()
    settled = checked_by(answered(world), audit_of(world))
    assert settled.names == ("checker",)
    assert np.count_nonzero(~np.isnan(settled.second)) == 40
    open_ = checked_by(answered(world, settle=False), audit_of(world))
    assert open_.names == ("ann", "bob")
    assert open_.answers.shape == (80, 2)
    assert np.count_nonzero(~np.isnan(open_.answers[:, 1])) == 40


def test_rows_without_a_sure_answer_are_left_out():
    world = World()
    answers = answered(world)
    answers[0] = Answers(Answer("unsure", "ann", ""), Answer("yes", "bob", ""))
    answers[1] = Answers(Answer("unsure", "ann", ""))
    answers[2] = Answers()
    found = checked_by(answers, audit_of(world))
    assert len(found) == 78
    assert found.second.size == 78
