"""The verdict, the screen that it opens, and an evaluation for other places."""

import csv
import io
import re

import numpy as np
import pytest
from scipy.stats import norm

import puremetrics as pm
from puremetrics.evaluation import evaluate
from puremetrics.evaluation.verdict import _most_found, _out_of
from puremetrics.exceptions import InputError

DEMO = pm.load_demo()
SINGLE = "single_training_set"


def joint(names=("forest", "words"), **more):
    return pm.JointTable.from_arrays(
        DEMO["reported"], {name: DEMO[name] for name in names}, scenario=SINGLE, **more
    )


@pytest.fixture(scope="module")
def known():
    return evaluate(joint(), prior=0.394)


@pytest.fixture(scope="module")
def estimated():
    return evaluate(joint())


def noise(models=2, apart=(1.0, 1.0), n=1500, seed=0, scenario=SINGLE):
    """Models whose classes lie apart by so much, and the same positives for all."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    y = (truth & (rng.random(n) < 0.4)).astype(int)
    scores = {f"m{i}": apart[i] * truth + rng.normal(size=n) for i in range(models)}
    return y, scores, truth


def test_the_winner_and_the_paired_difference_are_named(known):
    verdict = known.verdict
    difference = pm.compare(joint(), prior=0.394).differences[0]
    assert verdict.best == "forest"
    assert verdict.ranking.startswith(
        "forest is better than words, whatever the prior: ROC AUC 0.973 against 0.825"
    )
    low, high = difference.interval
    assert f"the difference is {low:.2f} to {high:.2f} (95% interval)" in verdict.ranking
    assert known.comparison.differences[0] == difference


def test_the_threshold_is_put_into_words(known):
    said = known.verdict.meaning
    found = known.models["forest"].corrected
    assert "about 9 in 10 of the rows that forest flags are positive" in said
    low, high = found["precision"].interval
    assert f"({100 * low:.0f} to {100 * high:.0f}%)" in said
    assert f"score >= {found['precision'].threshold:.4g}" in said


def test_trust_and_the_next_step(known, estimated):
    said = known.verdict
    assert said.trust.startswith(
        "Trust: fair. All figures take for granted that labels are a random"
    )
    assert "ROC AUC and precision also need the prior (0.394, given)" in said.trust
    point = known.models["forest"].tipping["roc_auc"]
    assert f"ROC AUC could {point.condition}" in said.if_biased
    assert "100 rows checked by hand would test them" in said.next_step
    advice = estimated.verdict.advice
    assert (advice.kind, advice.figure, advice.model) == ("audit", "precision", "forest")
    assert f"check {advice.rows} unlabeled rows by hand" in estimated.verdict.next_step
    told = f"{advice.width:.2g} wide now, would be about {advice.expected:.2g} wide"
    assert told in estimated.verdict.next_step
    assert advice.expected < 0.65 * advice.width


def test_stated_assumptions_are_trusted_more():
    stated = evaluate(joint(), prior=0.394, label_bias=1)
    assert stated.verdict.grade == "good"
    assert stated.verdict.trust.startswith(
        "Trust: good. All figures need this: labels are a random"
    )
    biased = evaluate(joint(), prior=0.394, label_bias=4)
    assert "no positive has more than 4 times the odds of a label" in biased.verdict.trust
    assert "random sample" not in biased.verdict.trust
    assert biased.verdict.if_biased == ""  # intervals allow for it already
    noisy = evaluate(joint(), prior=0.394, purity=(0.95, 1))
    assert "95 to 100% of the labels are right" in noisy.verdict.trust


def test_what_needs_no_prior_comes_first(estimated):
    said = estimated.verdict.meaning
    model = estimated.models["forest"]
    low, high = model.corrected["recall"].interval
    assert said.startswith("Known if labels are random: at score >= ")
    assert f"({100 * low:.0f} to {100 * high:.0f}%)" in said
    assert said.index("nine in ten positives are in the first") < said.index(
        "Not known: how many of the"
    )
    assert "because the share of positives may be anything from 0.26 to 0.43" in said


@pytest.mark.parametrize("labelled", [60, 300])
def test_nine_in_ten_positives_are_in_so_much_of_the_list(labelled):
    rng = np.random.default_rng(labelled)
    held = 0
    truth = 1 - norm.cdf(norm.ppf(0.1, 1.5, 1)) * 0.7 - 0.1 * 0.3  # of the list, with 30% positives
    for _ in range(50):
        y = np.append(np.ones(labelled, int), np.zeros(2000, int))
        hidden = rng.random(2000) < 0.3
        score = rng.normal(size=y.size) + 1.5 * np.append(np.ones(labelled, bool), hidden)
        table = pm.ScoreTable.from_arrays(y, score, scenario="case_control")
        said = _most_found(evaluate(table, prior=(0.05, 0.6), threshold=1.0).models["model"])
        low, high = re.search(r"of the list \((\d+) to (\d+)%\)", said).groups()
        held += int(low) - 0.5 <= 100 * truth <= int(high) + 0.5
    assert held >= 44


def test_an_audit_is_trusted_and_nothing_else_is_assumed():
    table = joint()["forest"]
    plan = pm.plan_audit(table, budget=300, threshold=0.1, prior=0.4)
    rows = plan.draw(DEMO["reported"], DEMO["forest"])
    result = evaluate(table, audit=plan.audit(rows, DEMO["spam"][rows]))
    assert result.verdict.trust.startswith("Trust: high")
    assert "300 rows, chosen to tell F1, were checked" in result.verdict.trust
    assert "Neither a prior nor random labels" in result.verdict.trust
    assert "rest on 300 rows that were checked by hand" in result.sentence()


def test_models_that_cannot_be_told_apart():
    y, scores, _ = noise()
    result = evaluate(pm.JointTable.from_arrays(y, scores, scenario=SINGLE), prior=0.4)
    assert "m0 and m1 are too close to call" in result.verdict.ranking.replace(
        "m1 and m0", "m0 and m1"
    )
    assert "is better than" not in result.verdict.ranking


def test_without_paired_rows_no_difference_is_claimed():
    tables = {name: joint()[name] for name in ("words", "forest")}
    said = evaluate(tables, prior=0.394).verdict.ranking
    assert "the rows of the models are not paired" in said
    assert said.startswith("forest has the largest ROC AUC")


def test_many_models_share_one_table():
    y, scores, _ = noise(6, (2.5, 0.4, 0.5, 2.45, 0.3, 0.2))
    result = evaluate(pm.JointTable.from_arrays(y, scores, scenario=SINGLE), prior=0.4)
    said = result.verdict.ranking
    assert "of 6 models" in said
    assert "4 others" in said
    lines = str(result).splitlines()
    start = next(i for i, line in enumerate(lines) if "ROC AUC  " in line)
    shown = [line.split()[0] for line in lines[start + 1 : start + 7]]
    by_area = sorted(scores, key=lambda name: -result.models[name].corrected["roc_auc"].value)
    assert shown == by_area
    assert len(lines) <= 25


def test_low_trust_gives_ranges():
    y, scores, _ = noise(1, (0.8,))
    result = evaluate(pm.ScoreTable.from_arrays(y, scores["m0"], scenario=SINGLE))
    assert result.trust.level == "upper_bound"
    low, high = result.models["model"].corrected["roc_auc"].interval
    assert result.verdict.ranking == f"ROC AUC between {low:.3f} and {high:.3f}."
    assert result.verdict.trust.startswith("Trust: low for precision, fair for ROC AUC and recall.")
    found = result.models["model"].corrected
    assert f"{found['roc_auc'].value:.3f}" not in str(result)
    assert f"{found['recall'].value:.3f}" in str(result)  # which needs no prior


def test_two_models_of_low_trust_are_compared_by_ranges():
    y, scores, _ = noise(2, (1.3, 0.4))
    result = evaluate(pm.JointTable.from_arrays(y, scores, scenario=SINGLE))
    assert result.trust.level == "upper_bound"
    said = result.verdict.ranking
    ends = result.comparison.differences[0].interval
    assert said.startswith("m0 is better than m1, whatever the prior: ROC AUC between ")
    assert f"the difference is {ends.low:.2f} to {ends.high:.2f} (95% interval)" in said
    for model in result.models.values():
        assert f"{model.corrected['roc_auc'].value:.3f}" not in said


def test_many_models_of_low_trust_show_no_single_figure():
    y, scores, _ = noise(5, (0.8, 0.82, 0.78, 0.81, 0.79))
    result = evaluate(pm.JointTable.from_arrays(y, scores, scenario=SINGLE))
    assert result.trust.level == "upper_bound"
    page = str(result)
    for model in result.models.values():
        low, high = model.corrected["roc_auc"].interval
        assert f"{low:.3f} to {high:.3f}" in page
        line = next(one for one in page.splitlines()[::-1] if one.startswith(model.name + " "))
        assert line.split()[1] == "–"
        assert line.split()[5:7] == ["–"] * 2  # average precision and precision
        assert line.split()[7] == f"{model.corrected['recall'].value:.3f}"


def test_a_contradiction_is_said_once_and_no_figure_is_given():
    y, scores, _ = noise(1)
    result = evaluate(pm.ScoreTable.from_arrays(y, scores["m0"], scenario=SINGLE), prior=0.95)
    assert result.verdict.best is None
    assert result.verdict.ranking.startswith("No figures are given. A prior of 0.95")
    assert str(result).replace("\n  ", " ").count("is above 0.66") == 1
    assert result.sentence().startswith("No figures are reported for model")


def test_fully_labelled_rows_need_no_trust():
    truth = DEMO["spam"].astype(int)
    table = pm.ScoreTable.from_arrays(truth, DEMO["forest"], scenario=SINGLE)
    result = evaluate(table.unlabeled_as_negative())
    assert result.verdict.trust.endswith("Every row is labelled, so nothing had to be assumed.")
    assert result.verdict.grade == "high"
    assert result.verdict.next_step == ""


@pytest.mark.parametrize("result", ["known", "estimated"])
def test_two_models_fit_on_a_screen(request, result):
    lines = str(request.getfixturevalue(result)).splitlines()
    assert len(lines) <= 32
    assert lines[0].startswith("forest is better than words")
    assert any(line.startswith("Next: ") for line in lines[:12])


def test_the_verdict_is_the_same_everywhere(known):
    for part in known.verdict.sentences:
        assert part in known.details()
        assert part in known.to_markdown()
        assert part in known.to_dict()["verdict"].values()
        assert part.split(". ")[0][:60] in str(known).replace("\n  ", " ")
    assert len(repr(known)) <= 130


def test_the_sentence_for_a_paper(known, estimated):
    said = known.sentence("words")
    area, bound = (
        known.models["words"].corrected["roc_auc"],
        known.models["words"].bounds["roc_auc"],
    )
    low, high = area.interval
    assert f"{area.value:.3f} (95% interval {low:.3f} to {high:.3f})" in said
    assert f"between {bound.low:.3f} and {bound.high:.3f}" in said
    assert "The prior (0.394) was given" in said
    assert pm.__version__ in said
    assert "was estimated from the scores of 2 models" in estimated.sentence()
    with pytest.raises(InputError, match="There is no model 'other'"):
        known.sentence("other")


def test_tables_for_other_places(known):
    rows = list(csv.reader(io.StringIO(known.to_csv())))
    frame = known.frame()
    assert rows[0] == list(frame)
    assert len(rows) == 1 + frame["model"].size
    assert float(rows[1][3]) == frame["corrected"][0]
    markdown = known.to_markdown().splitlines()
    assert sum(line.startswith("| ") for line in markdown) == 3
    latex = known.to_latex()
    assert latex.count(r"\\") == 3
    assert r"\begin{tabular}{lrrrrrrrr}" in latex
    odd = evaluate({"50 % & more_": joint()["words"]}, prior=0.394)
    assert r"50 \% \& more\_" in odd.to_latex()
    assert "a\\|b" in evaluate({"a|b": joint()["words"]}, prior=0.394).to_markdown()


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.905, "9 in 10"),
        (0.5, "5 in 10"),
        (0.071, "1 in 10"),
        (0.04, "1 in 25"),
        (0.999, "99 in 100"),
    ],
)
def test_shares_in_words(share, words):
    assert _out_of(share) == words
