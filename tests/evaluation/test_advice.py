"""Trust by figure, traps that are said first, and whether the next step keeps what it promises."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.evaluation import evaluate
from tests.every import for_every

SINGLE, CONTROL = "single_training_set", "case_control"


def rows(seed=0, n=3000, prior=0.3, apart=2.0, labelled=0.3):
    """Labels, scores and the truth of one sample."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < prior
    y = (truth & (rng.random(n) < labelled)).astype(int)
    return y, rng.normal(size=n) + apart * truth, truth


def table_of(y, score, scenario=SINGLE):
    return pm.ScoreTable.from_arrays(y, score, scenario=scenario)


def checked(result, y, score, truth, count, target, drawn=None):
    """An audit planned for a target, of which so many rows were checked."""
    plan = result.plan_audit(budget=max(count, 5), target=target)
    chosen = plan.draw(y, score)[:count] if drawn is None else plan.draw(y, score)[drawn]
    return plan.audit(chosen, truth[chosen])


# -------------------------------------------------------------------- audits that say little


def test_three_checked_rows_are_not_trusted():
    y, score, truth = rows()
    first = evaluate(table_of(y, score), threshold=1.5)
    audit = checked(first, y, score, truth, 3, "roc_auc")
    result = evaluate(table_of(y, score), audit=audit, threshold=1.5)
    verdict = result.verdict
    assert verdict.grade == "low"
    assert verdict.trust.startswith("Trust: low")
    assert "pairs" not in verdict.ranking  # no number where nothing is known
    assert verdict.advice.kind == "audit"


def test_an_audit_leads_with_what_it_was_planned_for():
    y, score, truth = rows()
    first = evaluate(table_of(y, score), threshold=1.5)
    audit = checked(first, y, score, truth, 100, "precision")
    result = evaluate(table_of(y, score), audit=audit, threshold=1.5)
    model, verdict = result.models["model"], result.verdict
    assert next(iter(model.graded)) == "precision"
    assert not model.graded["roc_auc"].is_known
    assert verdict.grade == model.graded["precision"].grade == "high"
    assert verdict.trust.startswith("Trust: high for precision, low for ROC AUC")
    assert "Not known: ROC AUC (" in verdict.meaning
    assert "if labels are random)" in verdict.meaning  # what the labels know is not forgotten
    assert verdict.ranking == ""


def test_rows_that_were_picked_are_not_trusted():
    y, score, truth = rows()
    first = evaluate(table_of(y, score), threshold=1.5)
    plan = first.plan_audit(budget=200, target="prior")
    drawn = plan.draw(y, score)
    audit = plan.audit(
        drawn, [True if truth[row] else None for row in drawn]
    )  # only positives ticked
    result = evaluate(table_of(y, score), audit=audit, threshold=1.5)
    assert result.verdict.grade == "low"
    assert "not the first ones of the draw" in result.verdict.trust


@for_every("width", [0.05, 0.15, 0.25, 0.35, 0.45])
def test_grades_follow_the_width_of_intervals(width):
    y, score, _ = rows(n=int(30 / width**2), labelled=0.2)
    result = evaluate(table_of(y, score), prior=0.3, label_bias=1, threshold=1.5)
    for one in result.models["model"].graded.values():
        most = {"high": 0.2, "good": 0.3, "fair": 0.5, "low": 1.0}[one.grade]
        assert one.width <= most
        assert one.grade != "high"  # nobody has checked anything


# -------------------------------------------------------------------- traps


def test_every_row_twice():
    y, score, _ = rows()
    result = evaluate(table_of(np.repeat(y, 2), np.repeat(score, 2)), prior=0.3)
    assert result.verdict.sentences[0].startswith("Caution: Every score occurs twice")
    assert "do not use them" in result.verdict.sentences[1]
    assert result.verdict.grade == "low"
    assert result.verdict.advice is None
    assert "put that right first" in result.verdict.next_step
    assert evaluate(table_of(y, score), prior=0.3).verdict.caution == ""


def test_rounded_scores_are_no_copies():
    y, score, _ = rows()
    assert evaluate(table_of(y, np.round(score, 1)), prior=0.3).verdict.caution == ""


def test_scores_of_rows_that_the_model_was_trained_on():
    from sklearn.ensemble import RandomForestClassifier

    rng = np.random.default_rng(1)
    truth = rng.random(3000) < 0.3
    features = rng.normal(size=(3000, 8)) + 0.8 * truth[:, None]
    y = (truth & (rng.random(3000) < 0.3)).astype(int)
    half = np.arange(3000) < 1500
    model = RandomForestClassifier(60, min_samples_leaf=2, random_state=0)
    model.fit(features[half], y[half])
    seen, unseen = (
        table_of(y[part], model.predict_proba(features[part])[:, 1]) for part in (half, ~half)
    )
    found = evaluate(seen)
    assert found.verdict.best is None or "trained on these rows" in found.verdict.caution
    assert found.verdict.grade in ("none", "low")
    assert evaluate(unseen).verdict.caution == ""


def test_a_threshold_in_percent_and_predictions():
    y, score, _ = rows()
    share = 1 / (1 + np.exp(-score))
    result = evaluate(table_of(y, share), prior=0.3, threshold=50)
    assert "a threshold of 50 flags no row" in result.verdict.caution
    assert "pass threshold=0.5" in result.verdict.caution
    result = evaluate(table_of(y, (share > 0.7).astype(float)), prior=0.3)
    assert "these look like predictions" in result.verdict.caution


# -------------------------------------------------------------------- the next step

CASES = [
    ("nothing known", 2.0, 0.3, SINGLE, {}),
    ("classes overlap", 1.2, 0.3, SINGLE, {}),
    ("a range", 2.0, 0.3, SINGLE, {"prior": (0.2, 0.4)}),
    ("rare positives", 2.0, 0.03, SINGLE, {}),
    ("prior known, case-control", 1.5, 0.2, CONTROL, {"prior": 0.2}),
]


@for_every("name, apart, prior, scenario, known", CASES)
def test_following_the_advice_narrows_as_forecast(name, apart, prior, scenario, known):
    """One sample a case; `benchmarks/simulate_verdicts.py` has many."""
    y, score, truth = rows(5, 6000, prior, apart, 0.2)
    if scenario == CONTROL:
        hidden = np.flatnonzero(y == 0)
        kept = np.append(np.flatnonzero(y == 1), hidden)
        y, score, truth = y[kept], score[kept], truth[kept]
    result = evaluate(table_of(y, score, scenario), **known)
    advice = result.verdict.advice
    assert advice.kind in ("audit", "labels", "rows", "prior")
    assert advice.expected <= 0.65 * advice.width
    widths = {key: one.width for key, one in result.models["model"].graded.items()}
    assert widths[advice.figure] == max(widths.values())
    if advice.kind != "audit":
        return
    plan = result.plan_audit()
    assert (plan.budget, plan.target) == (advice.rows, advice.figure)
    drawn = plan.draw(y, score)
    at = result.models["model"].threshold
    again = evaluate(
        table_of(y, score, scenario), audit=plan.audit(drawn, truth[drawn]), threshold=at
    )
    width = again.models["model"].corrected[advice.figure].interval.width
    assert width <= 0.7 * advice.width
    assert 0.6 * advice.expected <= width <= 1.5 * advice.expected


def test_where_little_is_open_the_assumptions_are_to_be_tested():
    y, score, _ = rows(n=20_000)
    verdict = evaluate(table_of(y, score), prior=0.3, threshold=1.0).verdict
    assert verdict.advice.kind == "nothing"
    assert verdict.advice.rows == 100
    assert "would test them" in verdict.next_step
    assert verdict.command == "plan = evaluation.plan_audit()"


def test_backwards_scores_are_to_be_negated():
    y, score, _ = rows()
    verdict = evaluate(table_of(y, -score), prior=0.3).verdict
    assert verdict.advice.kind == "reverse"
    assert verdict.next_step == "Next: if low scores mean positive, negate the scores."


def test_a_contradicted_prior_is_to_be_audited():
    y, score, truth = rows()
    result = evaluate(table_of(y, score), prior=0.9)
    assert result.verdict.best is None
    plan = result.plan_audit()
    assert plan.target == "prior"
    drawn = plan.draw(y, score)
    after = evaluate(table_of(y, score), audit=plan.audit(drawn, truth[drawn]))
    assert after.prior.low <= truth.mean() <= after.prior.high


@pytest.mark.parametrize("threshold", [0.1 + 1 / 3, 2.0, -0.123456789])
def test_the_threshold_of_the_advice_flags_the_same_rows(threshold):
    y, score, _ = rows()
    verdict = evaluate(table_of(y, score), threshold=threshold).verdict
    told = verdict.advice.threshold
    assert told is None or np.array_equal(score >= told, score >= threshold)
    assert told is None or len(repr(told)) <= len(repr(threshold))


# -------------------------------------------------------------------- one prior of several models


def test_several_models_are_one_witness():
    """Between the estimates of the models, not the lowest; and no higher than any of them allows."""
    from puremetrics.priors.combining import of_models

    rng = np.random.default_rng(2)
    truth = rng.random(4000) < 0.3
    y = (truth & (rng.random(4000) < 0.3)).astype(int)
    found = [
        pm.estimate_prior(table_of(y, rng.normal(size=4000) + apart * truth))
        for apart in (1.5, 2.0, 3.0)
    ]
    one = of_models(found)
    assert min(e.prior for e in found) <= one.prior <= max(e.prior for e in found)
    assert one.interval.high <= min(e.upper_limit for e in found)
    assert one.interval.low <= 0.3 <= one.interval.high
    assert of_models(found[::-1]).interval == one.interval
    assert of_models(found[:1]) is found[0]
