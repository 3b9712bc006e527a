import json

import pytest

from puremetrics import ScoreTable, discovery_curve, load_demo, metric, roc_auc
from puremetrics.cli import main
from puremetrics.cli.gates import NO_FIGURES
from puremetrics.datasets import demo_path
from puremetrics.io import writing

DEMO = [str(demo_path()), "--label", "reported", "--scenario", "single_training_set"]


def run(capsys, *argv):
    code = main(list(argv))
    out = capsys.readouterr()
    return code, out.out, out.err


def test_evaluate_prints_naive_beside_corrected(capsys):
    code, out, _ = run(
        capsys,
        "evaluate",
        *DEMO,
        "--score",
        "forest",
        "--score",
        "words",
        "--prior",
        "0.394",
        "--verbose",
    )
    demo = load_demo()
    table = ScoreTable.from_arrays(demo["reported"], demo["words"], scenario="single_training_set")
    assert code == 0
    assert "naive" in out
    assert f"{roc_auc(table, prior=0.394).value:.4f}" in out
    assert "0.7233" in out  # the unlabeled taken as negative


def test_json_holds_the_same_numbers(capsys, tmp_path):
    options = ["--score", "forest", "--prior", "0.35:0.45", "--threshold", "0.2"]
    code, out, _ = run(capsys, "evaluate", *DEMO, *options, "--json", "-")
    assert code == 0
    content = json.loads(out)
    corrected = content["models"]["forest"]["corrected"]
    assert corrected["roc_auc"]["interval"]["kind"] == "combined"
    assert corrected["precision"]["threshold"] == 0.2
    target = tmp_path / "out.json"
    run(capsys, "evaluate", *DEMO, *options, "--json", str(target))
    assert json.loads(target.read_text()) == content
    assert [p.name for p in tmp_path.iterdir()] == ["out.json"]


def test_formats_and_labels(capsys, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    frame = pa.table({"y": ["spam", None, None, "ham"] * 5, "s": [3.0, 2.0, 0.0, 1.0] * 5})
    pq.write_table(frame, tmp_path / "d.parquet")
    (tmp_path / "d.jsonl").write_text(
        "\n".join(
            json.dumps({"y": y, "s": s}) for y, s in zip(*frame.to_pydict().values(), strict=True)
        )
    )
    (tmp_path / "d.csv").write_text(
        "y,s\n"
        + "\n".join(f"{y or ''},{s}" for y, s in zip(*frame.to_pydict().values(), strict=True))
    )
    pages = []
    for name in ("d.parquet", "d.jsonl", "d.csv"):
        code, out, err = run(
            capsys, "evaluate", str(tmp_path / name), "--label", "y", "--score", "s",
            "--scenario", "single_training_set", "--prior", "0.4", "--pos-label", "spam", "--verbose",
            "--unlabeled-label", "missing", "--neg-label", "ham",
        )  # fmt: skip
        assert code == 0, err
        pages.append(out.split(": ", 1)[1])
    assert pages[0] == pages[1] == pages[2]
    assert "5 positive, 5 negative, 10 unlabeled" in pages[0]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["evaluate", "nowhere.csv", *DEMO[1:], "--score", "forest"], "There is no file"),
        (
            ["evaluate", *DEMO, "--score", "forset", "--prior", "0.4"],
            "no column 'forset'. Did you mean 'forest'? It has:",
        ),
        (["compare", *DEMO, "--score", "forest", "--prior", "0.4"], "at least two"),
        (["prior", *DEMO, "--score", "forest", "--method", "guess"], "Pass one of: combined,"),
        (
            ["evaluate", *DEMO, "--score", "forest", "--prior", "0.4", "--json", "no/where.json"],
            "no folder",
        ),
        (["evaluate", *DEMO, "--score", "forest", "--prior", "x"], "neither a number"),
        (["evaluate", *DEMO, "--score", "forest", "--prior", "0.05"], "already labelled positive"),
        (
            ["evaluate", *DEMO[:3], "--scenario", "pu", "--score", "forest", "--prior", "0.4"],
            "case_control",
        ),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(capsys, argv, message):
    code, out, err = run(capsys, *argv)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_unknown_formats_and_broken_files(capsys, tmp_path):
    (tmp_path / "a.xlsx").write_text("x")
    (tmp_path / "b.parquet").write_text("not parquet")
    for name, message in (("a.xlsx", "not an Excel workbook"), ("b.parquet", "cannot be read")):
        argv = ["evaluate", str(tmp_path / name), *DEMO[1:], "--score", "s", "--prior", "0.4"]
        code, _, err = run(capsys, *argv)
        assert code == 2
        assert message in err


def test_demo_shows_the_truth(capsys):
    code, out, _ = run(capsys, "demo")
    assert code == 0
    assert "hidden truth" in out
    assert " 0.966\n" in out  # AUC of the forest with the hidden labels


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    target = tmp_path / "out.json"
    target.write_text("old")

    def fail(self, other):
        raise KeyboardInterrupt

    monkeypatch.setattr(writing.Path, "replace", fail)
    with pytest.raises(KeyboardInterrupt):
        writing.write_text(target, "new")
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["out.json"]


def test_help_without_a_command(capsys):
    code, out, _ = run(capsys)
    assert code == 0
    assert "examples:" in out


def test_the_prior_is_estimated_when_left_out(capsys):
    code, out, _ = run(capsys, "prior", *DEMO, "--score", "forest", "--json", "-")
    assert code == 0
    estimate = json.loads(out)["priors"]["forest"]
    assert estimate["interval"]["low"] < 0.394 < estimate["interval"]["high"]
    code, page, _ = run(capsys, "evaluate", *DEMO, "--score", "forest")
    assert code == 0
    assert "estimated from the scores" in page


def test_compare_prints_the_difference(capsys):
    argv = ["compare", *DEMO, "--score", "forest", "--score", "words", "--prior", "0.394"]
    code, page, _ = run(capsys, *argv)
    assert code == 0
    assert "forest − words: +0.1" in page
    code, out, _ = run(capsys, *argv, "--json", "-", "--statistic", "f1", "--threshold", "0.1")
    assert json.loads(out)["differences"][0]["first"] == "forest"
    code, _, err = run(capsys, *argv[:-2])
    assert code == 0
    assert "prior estimated" in err


def test_boolean_labels_with_empty_cells(capsys, tmp_path):
    rows = ["true,3", "true,2.5", ",2", ",1", "false,0.5", "false,0"] * 5
    (tmp_path / "b.csv").write_text("y,s\n" + "\n".join(rows))
    code, out, err = run(
        capsys, "evaluate", str(tmp_path / "b.csv"), "--label", "y", "--score", "s",
        "--scenario", "single_training_set", "--prior", "0.5", "--pos-label", "true", "--verbose",
        "--unlabeled-label", "missing", "--neg-label", "false",
    )  # fmt: skip
    assert code == 0, err
    assert "10 positive, 10 negative, 10 unlabeled" in out


def test_undefined_numbers_are_null_in_json(capsys):
    argv = ["evaluate", *DEMO, "--score", "forest", "--prior", "0.394", "--threshold", "99"]
    code, out, _ = run(capsys, *argv, "--json", "-")
    assert code == 0
    assert "NaN" not in out
    assert json.loads(out)["models"]["forest"]["corrected"]["precision"]["value"] is None


def test_propensities_are_a_column(capsys, tmp_path):
    path = tmp_path / "rows.csv"
    rows = [(1, 0.9, 0.5), (1, 0.6, 0.2), (1, 0.8, 1.0), *((0, k / 40, "") for k in range(36))]
    path.write_text("y,p,q,e\n" + "".join(f"{y},{p},{1 - p},{e}\n" for y, p, e in rows))
    given = [str(path), "--label", "y", "--propensity", "e", "--scenario"]
    table = ScoreTable.from_arrays(
        [row[0] for row in rows],
        [row[1] for row in rows],
        scenario="single_training_set",
        propensity=[row[2] or None for row in rows],
    )
    code, out, _ = run(
        capsys, "evaluate", *given, "single_training_set", "--score", "p", "--json", "-"
    )
    assert code == NO_FIGURES  # so few rows cannot be told from chance
    found = json.loads(out)
    assert found["prior"]["value"] == pytest.approx(8 / 39)
    area = roc_auc(table, prior=8 / 39).value
    assert found["models"]["p"]["corrected"]["roc_auc"]["value"] == pytest.approx(area)
    models = ["--score", "p", "--score", "q", "--prior", "0.2"]
    assert run(capsys, "compare", *given, "case_control", *models)[0] == 0
    code, _, said = run(capsys, "evaluate", *given, "case_control", "--score", "p", "--scan")
    assert code == 2
    assert "which a scan does not keep" in said


def test_budgets(capsys):
    known = ["--score", "forest", "--prior", "0.394", "--threshold", "0.2"]
    code, out, _ = run(capsys, "evaluate", *DEMO, *known, "--top", "200", "--verbose")
    demo = load_demo()
    table = ScoreTable.from_arrays(demo["reported"], demo["forest"], scenario="single_training_set")
    curve = discovery_curve(table, prior=0.394, rows=200)
    assert code == 0
    assert curve.words(200) in out
    _, out, _ = run(capsys, "evaluate", *DEMO, *known, "--json", "-")
    found = json.loads(out)["models"]["forest"]["discovery"]
    assert found["rows"] == 100
    assert found["estimate"]["value"] == pytest.approx(float(curve.at(100)), abs=1e-6)
    assert len(found["curve"]["finds"]) == len(found["curve"]["rows"])
    two = ["--score", "forest", "--score", "words", "--prior", "0.394"]
    code, out, _ = run(capsys, "compare", *DEMO, *two, "--statistic", "recall", "--top", "0.3")
    assert code == 0
    assert f"forest: {metric(table, 'recall', top=0.3).value:.4f}" in out
    code, _, err = run(capsys, "evaluate", *DEMO, *known, "--top", "0")
    assert code != 0
    assert "number of rows such as 100" in err


def test_labels_are_checked_by_a_prior_or_by_populations(capsys, tmp_path):
    import numpy as np

    from puremetrics import check_labelling

    rng = np.random.default_rng(0)
    month = np.repeat(["May", "June"], 4000)
    positive = rng.random(8000) < np.where(month == "May", 0.1, 0.5)
    score = rng.normal(1.5 * positive).round(4)
    label = (positive & (rng.random(8000) < np.where(score > 1.5, 0.02, 0.3))).astype(int)
    rows = (f"{y},{s},{m}" for y, s, m in zip(label, score, month, strict=True))
    file = tmp_path / "s.csv"
    file.write_text("y,p,month\n" + "\n".join(rows))
    argv = [
        "labels",
        str(file),
        "--label",
        "y",
        "--score",
        "p",
        "--scenario",
        "single_training_set",
    ]
    code, out, _ = run(capsys, *argv, "--by", "month", "--json", "-", "--level", "0.99")
    assert code == 0
    told = json.loads(out)["labels"]["p"]
    wanted = check_labelling(label, score, by=month, scenario="single_training_set")
    assert told["p_value"] == wanted.p_value < 0.01
    assert told["excess"] == dict(wanted.excess)
    code, page, _ = run(capsys, *argv, "--by", "month")
    assert code == 0
    assert "contradict random labels" in page
    assert "--label-bias" in page
    code, page, _ = run(capsys, *argv, "--prior", "0.3")
    assert code == 0
    assert "Random labelling allows priors up to" in page
    code, _, err = run(capsys, *argv, "--by", "month", "--groups", "month")
    assert code == 2
    assert "Keep one row of each group" in err
