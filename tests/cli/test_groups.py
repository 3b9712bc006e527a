"""--groups on the command line."""

import csv
import json

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.cli.gates import NO_FIGURES
from tests.cli.test_commands import run


@pytest.fixture
def rows(tmp_path):
    rng = np.random.default_rng(0)
    who = rng.integers(0, 60, 900)
    y = (rng.random(900) < 0.2).astype(int)
    p, q = (
        1 / (1 + np.exp(-(y + 2 * rng.normal(size=(60, 2))[who, y] + rng.normal(size=900))))
        for _ in range(2)
    )
    path = tmp_path / "rows.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["y", "p", "q", "patient"])
        writer.writerows(
            zip(y.tolist(), p.tolist(), q.tolist(), [f"no {i}" for i in who], strict=True)
        )
    given = [str(path), "--label", "y", "--scenario", "case_control", "--groups", "patient"]
    tables = {"y": y, "p": p, "q": q, "who": [f"no {i}" for i in who]}
    return given, tables


@pytest.mark.parametrize("how", [[], ["--scan"]])
def test_intervals_are_those_of_groups(capsys, rows, how):
    given, data = rows
    argv = ["evaluate", *given, "--score", "p", "--prior", "0.2", "--json", "-", *how]
    code, out, _ = run(capsys, *argv)
    assert code == NO_FIGURES  # with so few groups the ranking cannot be told from chance
    found = json.loads(out)["models"]["p"]["corrected"]["roc_auc"]
    table = pm.ScoreTable.from_arrays(
        data["y"], data["p"], scenario="case_control", groups=data["who"]
    )
    wanted = pm.roc_auc(table, prior=0.2)
    assert found["n_groups"] == 60
    assert found["design_effect"] == pytest.approx(wanted.design_effect)
    assert found["design_effect"] > 1.5
    assert found["interval"]["low"] == pytest.approx(wanted.interval.low)


def test_the_page_names_the_groups(capsys, rows):
    given, _ = rows
    code, out, _ = run(capsys, "evaluate", *given, "--score", "p", "--prior", "0.2")
    assert code == NO_FIGURES
    assert "in 60 groups" in out


def test_comparisons_and_priors(capsys, rows):
    given, data = rows
    models = ["--score", "p", "--score", "q"]
    code, out, _ = run(capsys, "compare", *given, *models, "--prior", "0.2", "--json", "-")
    assert code == 0
    joint = pm.JointTable.from_arrays(
        data["y"], {n: data[n] for n in "pq"}, scenario="case_control", groups=data["who"]
    )
    wanted = pm.compare(joint, prior=0.2).differences[0]
    assert json.loads(out)["differences"][0]["interval"]["low"] == pytest.approx(
        wanted.interval.low
    )
    code, out, _ = run(capsys, "prior", *given, "--score", "p")
    assert code == 0
    assert "rows belong to 60 groups" in out


@pytest.mark.parametrize("how", [[], ["--scan"]])
def test_the_loop_of_an_audit(capsys, rows, tmp_path, how):
    given, data = rows
    sheet = tmp_path / "sheet.csv"
    argv = ["audit", "plan", *given, "--score", "p", "--threshold", "0.5", "--budget", "90"]
    code, out, said = run(capsys, *argv, "--prior", "0.3", "-o", str(sheet))
    assert code == 0, said
    assert "PM141" in out
    lines = list(csv.DictReader(sheet.read_text().splitlines()))
    truth = {int(line["row"]): int(len(set(data["who"][int(line["row"])])) == 5) for line in lines}
    sheet.write_text(
        "order,row,positive\n"
        + "".join(f"{line['order']},{line['row']},{truth[int(line['row'])]}\n" for line in lines)
    )
    argv = ["evaluate", *given, "--score", "p", "--audit", str(sheet), "--threshold", "0.5"]
    code, out, said = run(capsys, *argv, "--json", "-", *how)
    assert code == 0, said
    found = json.loads(out)["models"]["p"]["corrected"]["precision"]
    table = pm.ScoreTable.from_arrays(
        data["y"], data["p"], scenario="case_control", groups=data["who"]
    )
    places = list(truth)
    plan = pm.plan_audit(table, budget=90, threshold=0.5, prior=0.3)
    audit = plan.audit(
        np.array(places),
        list(truth.values()),
        score=data["p"],
        groups=[data["who"][place] for place in places],
    )
    wanted = pm.metric(table, "precision", threshold=0.5, audit=audit)
    assert found["n_groups"] == len({data["who"][place] for place in places})
    near = 0.02 if how else 1e-9  # a scan merges scores, and so do forecasts
    assert found["design_effect"] == pytest.approx(wanted.design_effect, rel=near)
    assert found["interval"]["low"] == pytest.approx(wanted.interval.low, rel=near)
