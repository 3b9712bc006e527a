"""Gates, summaries and the report of a comparison."""

import json
import re

import pytest

import puremetrics as pm
from puremetrics.cli import main
from puremetrics.cli.gates import FAILED, parse_rules, worse_models
from puremetrics.datasets import demo_path
from puremetrics.exceptions import InputError

DEMO = [str(demo_path()), "--label", "reported", "--scenario", "single_training_set"]
BOTH = [*DEMO, "--score", "forest", "--score", "words", "--prior", "0.394"]


def run(capsys, *argv):
    code = main([str(word) for word in argv])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture(scope="module")
def figures():
    demo = pm.load_demo()
    tables = {
        name: pm.ScoreTable.from_arrays(
            demo["reported"], demo[name], scenario="single_training_set"
        )
        for name in ("forest", "words")
    }
    return pm.evaluate(tables, prior=0.394)


def test_rules_hold_or_not_by_the_figures_of_the_evaluation(figures, capsys, tmp_path):
    area = figures.models["words"].corrected["roc_auc"]
    error = figures.models["forest"].calibration
    best = figures.models["forest"].corrected["roc_auc"]
    rules = {
        f"roc_auc.low < {area.interval.low + 1e-6}": True,
        f"roc_auc.low < {area.interval.low - 1e-6}": False,
        f"forest:roc_auc.low < {area.interval.low + 1e-6}": False,
        f"forest : roc_auc.high>={best.interval.high - 1e-6}": True,
        f"words:roc_auc > {area.value}": False,
        f"words:roc_auc.value >= {area.value}": True,
        "roc_auc.naive < 0.73": True,
        "prior == 0.394": True,
        "prior.high > 0.4": False,
        f"largest_prior < {figures.largest_prior}": False,
        f"forest:calibration_error.low > {error.interval.low - 1e-6}": True,
        "trust != known": False,
        "trust == known": True,
        "trust < good": True,
        "trust <= fair": True,
        "forest:trust < fair": False,
        "trust == fair": True,
        "pulp < -1": False,
    }
    given = [word for rule in rules for word in ("--fail-if", rule)]
    page = tmp_path / "s.md"
    code, out, err = run(capsys, "evaluate", *BOTH, *given, "--markdown", page)
    assert code == FAILED == 3
    assert "corrected" in out
    for rule, holds in rules.items():
        assert (f"(--fail-if '{rule}')" in err) is holds, rule
    assert page.read_text().count("**Failed**") == err.count("gate failed")


def test_gates_that_pass_and_gates_that_cannot_be_judged(capsys, tmp_path):
    passed = ["--fail-if", "roc_auc.low < 0.5", "--fail-if", "prior > 0.9"]
    code, _, err = run(capsys, "evaluate", *BOTH, *passed)
    assert (code, "2 gates passed" in err) == (0, True)
    demo = pm.load_demo()
    pairs = zip(demo["reported"], demo["forest"], strict=True)
    (tmp_path / "a.csv").write_text("y,p\n" + "".join(f"{y},{10 * p}\n" for y, p in pairs))
    given = [tmp_path / "a.csv", "--label", "y", "--score", "p", *DEMO[3:], "--prior", "0.394"]
    code, _, err = run(capsys, "evaluate", *given, "--fail-if", "calibration_error > 0.9")
    assert code == FAILED
    assert "not known: it was not computed for these rows" in err


@pytest.mark.parametrize(
    "rule", ["__import__('os').system('x') < 1", "roc_auc < 1e999", "roc_auc < nan", "roc_auc.__class__ < 1",
             "roc_auc < 0.8 or 1 < 2", "", "trust < known", "prior.naive < 1"]
)  # fmt: skip
def test_nothing_but_a_comparison_is_a_rule(rule):
    with pytest.raises(InputError, match="--fail-if"):
        parse_rules([rule], ["forest"])


def test_a_model_that_is_worse_than_the_baseline(capsys):
    code, _, err = run(capsys, "compare", *BOTH, "--fail-if-worse-than", "forest")
    assert code == FAILED
    assert "words is worse than forest by roc_auc: difference -0.1" in err
    code, _, err = run(capsys, "compare", *BOTH, "--fail-if-worse-than", "words")
    assert (code, "1 gate passed" in err) == (0, True)


def test_the_worse_side_is_above_zero_for_errors_and_equals_pass():
    demo = pm.load_demo()
    scores = {"good": demo["forest"], "bad": demo["words"], "same": demo["forest"]}
    joint = pm.JointTable.from_arrays(demo["reported"], scores, scenario="single_training_set")
    for statistic in ("roc_auc", "brier_score"):
        result = pm.compare(joint, statistic=statistic, prior=0.394)
        told = worse_models(result, "good")
        pair = next(d for d in result.differences if (d.first, d.second) == ("good", "bad"))
        clear = pair.simultaneous.low > 0 if statistic == "roc_auc" else pair.simultaneous.high < 0
        assert clear
        assert [text.split()[0] for text in told] == ["bad"]
        assert worse_models(result, "bad") == []


def test_the_summary_holds_the_figures(figures, capsys, tmp_path):
    page = tmp_path / "s.md"
    assert run(capsys, "evaluate", *BOTH, "--markdown", page, "--title", "a|b <i>")[0] == 0
    text = page.read_text(encoding="utf-8")
    lines = text.splitlines()
    assert lines[0] == r"### a\|b \<i\>"
    row = next(line for line in lines if line.startswith("| words"))
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
    area, at = figures.models["words"].corrected["roc_auc"], figures.models["words"].corrected["f1"]
    assert cells[1] == f"{area.value:.4f} ({area.interval.low:.4f} to {area.interval.high:.4f})"
    assert cells[5].startswith(f"{at.value:.4f} (")
    assert cells[6:] == [f"{at.threshold:.6g}", "fair"]
    assert "Prior 0.394, given." in text


def test_a_comparison_names_statistic_and_prior_everywhere(capsys, tmp_path):
    report, page = tmp_path / "r.html", tmp_path / "s.md"
    code, out, err = run(capsys, "compare", *BOTH, "-o", report, "--markdown", page)
    assert code == 0, err
    told = "Compared by ROC AUC; prior 0.394, given"
    assert told in out
    html = report.read_text(encoding="utf-8")
    assert told in html
    assert "forest − words: +0." in html
    assert told in page.read_text(encoding="utf-8")
    options = ["--statistic", "f1", "--threshold", "0.1"]
    out = run(capsys, "compare", *BOTH, *options)[1]
    assert "at score >= 0.1; prior 0.394, given" in out
    assert "which needs no prior" in run(capsys, "compare", *BOTH, "--statistic", "pulp")[1]
    out = run(capsys, "compare", *BOTH[:-2])[1]
    assert "estimated from the scores of 'forest'" in out


def test_segments_of_all_models(capsys, tmp_path):
    demo = pm.load_demo()
    rows = zip(demo["reported"], demo["forest"], demo["words"], strict=True)
    path = tmp_path / "a.csv"
    path.write_text(
        "y,a,b,month\n" + "".join(f"{y},{a},{b},{i % 3}\n" for i, (y, a, b) in enumerate(rows))
    )
    given = [
        path,
        "--label",
        "y",
        "--score",
        "a",
        "--score",
        "b",
        "--scenario",
        "single_training_set",
    ]
    given += ["--prior", "0.394", "--by", "month"]
    code, out, err = run(capsys, "evaluate", *given, "-o", tmp_path / "r.html")
    assert code == 0, err
    assert "a: 3 segments by 'month'" in out
    assert "b: 3 segments by 'month'" in out
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert html[html.index("Segment by segment") :].count("<h3>") >= 2
    found = json.loads(run(capsys, "evaluate", *given, "--json", "-")[1])
    assert found["drifts"]["a"] == found["drift"]
    assert found["drifts"]["b"]["segments"]["auc"] != found["drift"]["segments"]["auc"]
