"""Evidence on the command line: what flags name is what the library is given, and what cannot go together."""

import csv
import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import puremetrics as pm
from puremetrics.cli import main, reading
from tests.cli.test_inputs import workbook

SINGLE = ("--scenario", "single_training_set")
SOURCES = ("--label", "reported", "--label", "rule")


def made(rows=3000, seed=7):
    """Columns of rows with a fifth positive, two sources, answers to some rows, and a judge of all."""
    rng = np.random.default_rng(seed)
    truth = rng.random(rows) < 0.2
    score = 1 / (1 + np.exp(-rng.normal(2.0 * truth - 1.0, 1.0)))
    reported, rule = truth & (rng.random(rows) < 0.4), truth & (rng.random(rows) < 0.3)
    looked = ~(reported | rule) & (rng.random(rows) < 0.05 + 0.2 * score)
    outcome = np.where(looked, np.where(truth, "yes", "no"), "")
    second = np.where(looked & (rng.random(rows) < 0.5), outcome, "")
    judge = np.where(truth, rng.random(rows) < 0.9, rng.random(rows) < 0.05)
    return {
        "reported": reported.astype(int), "rule": rule.astype(int), "any": (reported | rule).astype(int),
        "p": score.round(4), "q": (score + rng.normal(0, 0.2, rows)).round(4), "outcome": outcome,
        "second": second, "judge": judge.astype(int), "truth": truth.astype(int),
    }  # fmt: skip


DATA = made()


def written(path, columns=None):
    columns = DATA if columns is None else columns
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*(np.asarray(c).tolist() for c in columns.values()), strict=True))
    return path


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    return written(tmp_path_factory.mktemp("evidence") / "scores.csv")


def run(capsys, *argv):
    code = main([str(word) for word in argv])
    out = capsys.readouterr()
    return code, out.out, out.err


def numbers(capsys, *argv):
    code, out, err = run(capsys, *argv, "--json", "-")
    assert code == 0, err
    return json.loads(out)


def same(found, table):
    assert found["kinds"] == list(table.kinds)
    for name in ("value", "low", "high", "without"):
        wanted = getattr(table, name)
        given = [np.nan if value is None else value for value in found[name]]
        np.testing.assert_allclose(given, wanted, rtol=1e-12)
    np.testing.assert_allclose(found["together"], table.together, rtol=1e-12)


OWN = {name: column for name, column in DATA.items() if name != "truth"}
HIDDEN = DATA["any"] == 0
AT = {name: DATA[name][HIDDEN] for name in ("p", "outcome", "second", "judge")}
GIVEN = {
    "sources": (SOURCES, {"label": ["reported", "rule"]}),
    "dependent sources": (
        (*SOURCES, "--dependence", "1:2"),
        {
            "label": "any",
            "evidence": [
                pm.LabelSources.from_arrays(
                    DATA["p"], {k: DATA[k] for k in ("reported", "rule")}, dependence=(1, 2)
                )
            ],
        },
    ),
    "checked": (
        ("--label", "any", "--checked", "outcome"),
        {"label": "any", "checked": "outcome"},
    ),
    "second answers": (
        ("--label", "any", "--checked", "outcome", "--second", "second"),
        {"label": "any", "checked": "outcome", "second": "second"},
    ),
    "a judge": (
        ("--label", "any", "--checked", "outcome", "--judge", "judge"),
        {"label": "any", "checked": "outcome", "judge": "judge"},
    ),
    "checkers who err": (
        ("--label", "any", "--checked", "outcome", "--sensitivity", "0.9:1", "--specificity", "0.99",
         "--selection-bias", "1.5"),
        {"label": "any", "evidence": [pm.Investigated.from_arrays(
            AT["p"], AT["outcome"], sensitivity=(0.9, 1), specificity=0.99, selection_bias=1.5)]},
    ),
    "a published prior": (
        (*SOURCES, "--published-prior", "0.2", "--prior-error", "0.02"),
        {"label": ["reported", "rule"], "evidence": [pm.PublishedPrior(0.2, 0.02)]},
    ),
    "its interval": (
        (*SOURCES, "--published-prior", "0.2", "--prior-interval", "0.15:0.3"),
        {"label": ["reported", "rule"],
         "evidence": [pm.PublishedPrior(0.2, interval=(0.15, 0.3))]},
    ),
    "random labels": (
        ("--label", "any", "--checked", "outcome", "--random-labels"),
        {"label": "any", "checked": "outcome", "evidence": [pm.RandomLabels()]},
    ),
    "a range of the prior": (
        (*SOURCES, "--prior", "0.1:0.3"),
        {"label": ["reported", "rule"], "prior": (0.1, 0.3)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", GIVEN)
def test_flags_name_what_the_library_takes(kind, scores, capsys):
    flags, arguments = GIVEN[kind]
    found = numbers(
        capsys, "evaluate", scores, "--score", "p", *SINGLE, "--threshold", "0.5", *flags
    )
    wanted = pm.evaluate(OWN, score="p", scenario=SINGLE[1], threshold=0.5, **arguments)
    same(found["evidence"], wanted.evidence)
    for key in ("roc_auc", "precision", "recall"):
        own = found["models"]["p"]["corrected"][key]
        assert own["value"] == pytest.approx(wanted["model"][key].value, rel=1e-12)
        assert own["interval"]["low"] == pytest.approx(wanted["model"][key].low, rel=1e-12)


def cell(value):
    if value is None:
        return "<c/>"
    text = f'<c t="inlineStr"><is><t>{value}</t></is></c>'
    return text if isinstance(value, str) else f"<c><v>{value!r}</v></c>"


@pytest.mark.parametrize("kind", ["parquet", "xlsx"])
def test_other_files_say_the_same(kind, scores, capsys, tmp_path):
    flags = ("--score", "p", *SINGLE, *SOURCES, "--checked", "outcome", "--threshold", "0.5")
    target = tmp_path / f"scores.{kind}"
    columns = {
        name: [None if v == "" else v for v in np.asarray(c).tolist()] for name, c in DATA.items()
    }
    if kind == "parquet":
        pq.write_table(pa.table(columns), target)
    else:
        lines = [list(columns), *zip(*columns.values(), strict=True)]
        cells = ("".join(map(cell, line)) for line in lines)
        workbook(target, "".join(f"<row>{line}</row>" for line in cells))
    first, second = (
        numbers(capsys, "evaluate", source, *flags)["evidence"] for source in (scores, target)
    )
    assert first == second


def test_an_audit_is_one_more_kind(scores, capsys, tmp_path):
    sheet = tmp_path / "sheet.csv"
    plan = ("--label", "any", "--score", "p", *SINGLE, "--target", "prior", "--budget", "120")
    assert run(capsys, "audit", "plan", scores, *plan, "-o", sheet)[0] == 0
    with sheet.open(newline="") as file:
        lines = list(csv.DictReader(file))
    for line in lines:
        line["positive"] = DATA["truth"][int(line["row"])]
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, lines[0])
        writer.writeheader()
        writer.writerows(lines)
    common = ("evaluate", scores, "--score", "p", *SINGLE, "--audit", sheet)
    by_any = numbers(
        capsys, *common, "--label", "any", "--published-prior", ".2", "--prior-error", ".02"
    )
    kinds = by_any["evidence"]["kinds"]
    assert kinds[0].startswith("120 audited rows")
    assert len(kinds) == 2
    sources = numbers(capsys, *common, *SOURCES)["evidence"]
    assert "120 audited rows" in sources["kinds"][1]
    # The same answers to the same rows, whichever columns make the label.
    assert sources["value"][1] == pytest.approx(by_any["evidence"]["value"][0], rel=1e-12)
    errs = numbers(capsys, *common, "--label", "any", "--specificity", "0.97")["evidence"]
    assert errs["assumes"] == [
        "rows were drawn by chance, and the checker's sensitivity is 1 and specificity is 0.97"
    ]
    assert errs["value"][0] < sources["value"][1]


def test_a_sheet_drawn_from_rows_that_another_source_labelled_is_refused(scores, capsys, tmp_path):
    sheet = tmp_path / "sheet.csv"
    plan = ("--label", "reported", "--score", "p", *SINGLE, "--target", "prior", "--budget", "900")
    assert run(capsys, "audit", "plan", scores, *plan, "-o", sheet)[0] == 0
    text = sheet.read_text().splitlines()
    sheet.write_text("\n".join([text[0], *(f"{line}1" for line in text[1:])]))
    code, _, err = run(
        capsys, "evaluate", scores, *SOURCES, "--score", "p", *SINGLE, "--audit", sheet
    )
    assert code == 2
    assert "carries a label in the data" in err


def test_models_are_compared_with_the_evidence(scores, capsys, tmp_path):
    flags = ("--score", "p", "--score", "q", *SINGLE, *SOURCES, "--published-prior", ".2",
             "--prior-error", ".02")  # fmt: skip
    summary, page = tmp_path / "summary.md", tmp_path / "page.html"
    given = ("--markdown", summary, "-o", page, "--json", tmp_path / "out.json")
    code, out, err = run(capsys, "compare", scores, *flags, *given)
    assert code == 0, err
    assert "from the evidence that was passed" in out
    found = json.loads((tmp_path / "out.json").read_text())
    wanted = pm.compare(
        OWN, label=["reported", "rule"], score=["p", "q"], scenario=SINGLE[1],
        evidence=[pm.PublishedPrior(0.2, 0.02)],
    )  # fmt: skip
    assert found["differences"][0]["value"] == pytest.approx(wanted.differences[0].value, rel=1e-12)
    for name, estimate in wanted.estimates.items():
        same(found["evidence_by_model"][name], estimate.evidence)
    prior = found["evidence"]
    assert prior["name"] == "prior"
    for value in (*prior["value"], prior["together"][0]):
        assert f"{value:.4f}" in out
        assert f"{value:.4f}" in summary.read_text()
    assert page.is_file()


def test_the_prior_alone_can_be_asked_for(scores, capsys):
    found = numbers(capsys, "prior", scores, "--score", "p", *SINGLE, *SOURCES)
    joined = pm.assume(
        pm.ScoreTable.from_arrays(DATA["any"], DATA["p"], scenario=SINGLE[1]),
        evidence=[pm.LabelSources.from_arrays(DATA["p"], {k: DATA[k] for k in ("reported", "rule")})],
    )  # fmt: skip
    assert found["priors"]["p"]["prior"] == pytest.approx(joined.joint_prior().prior, rel=1e-12)
    same(found["evidence"]["p"], joined.joint_prior().evidence)


def test_every_number_of_the_table_is_in_the_summary(scores, capsys, tmp_path):
    target = tmp_path / "summary.md"
    flags = (*SOURCES, "--checked", "outcome", "--json", tmp_path / "out.json")
    code, _, err = run(
        capsys, "evaluate", scores, "--score", "p", *SINGLE, *flags, "--markdown", target
    )
    assert code == 0, err
    text, table = target.read_text(), json.loads((tmp_path / "out.json").read_text())["evidence"]
    for name in ("value", "low", "high", "without"):
        assert all(f"{value:.4f}" in text for value in table[name])
    assert all(f"{value:.4f}" in text for value in table["together"])
    assert all(assumes in text for assumes in table["assumes"])


def test_evidence_in_a_settings_file(scores, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = io.StringIO()
    text.write('label = ["reported", "rule"]\nscenario = "single_training_set"\nscore = "p"\n')
    text.write('dependence = "1:2"\n')
    (tmp_path / "puremetrics.toml").write_text(text.getvalue())
    found = numbers(capsys, "evaluate", scores)
    assert "1 to 2 times as large" in found["evidence"]["assumes"][0]


ANY = ("--label", "any")
WRONG = {
    "a judge alone": ((*ANY, "--judge", "judge"), "--judge says nothing without answers of people"),
    "second answers alone": ((*ANY, "--second", "second"), "--checked COL"),
    "nobody who errs": ((*ANY, "--sensitivity", "0.9"), "no answers were passed"),
    "what is learnt, and stated": (
        (*ANY, "--checked", "outcome", "--second", "second", "--specificity", "0.9"),
        "--second tells how often first answers are wrong",
    ),
    "one source that depends": ((*ANY, "--dependence", "2"), "there is only one"),
    "no range": ((*SOURCES, "--dependence", "1:2:3"), "neither a number such as 0.9 nor a range"),
    "a decimal comma": ((*SOURCES, "--dependence", "1,5"), "decimal comma"),
    "an impossible dependence": ((*SOURCES, "--dependence", "0"), "--dependence 0.0 must lie"),
    "a prior without error": ((*ANY, "--published-prior", ".2"), "--prior-error E"),
    "an error without a prior": ((*ANY, "--prior-error", ".2"), "--published-prior P"),
    "an interval beside the prior": (
        (*ANY, "--published-prior", ".2", "--prior-interval", ".3:.4"),
        "hold the prior 0.2",
    ),
    "labels twice": ((*SOURCES, "--random-labels"), "count the same rows twice"),
    "two biases": ((*ANY, "--random-labels", "--label-bias", "2"), "Pass one of them"),
    "segments": ((*SOURCES, "--by", "any"), "Leave out --by"),
    "a scan": ((*SOURCES, "--scan"), "needs the rows in memory"),
    "first rows": ((*SOURCES, "--top", "10"), "Leave out --top"),
    "negatives of several sources": ((*SOURCES, "--neg-label", "2"), "single label column"),
    "one column for two": ((*ANY, "--checked", "any"), "both name the column 'any'"),
    "no such column": ((*ANY, "--checked", "answers"), "answers"),
    "no answers": ((*ANY, "--checked", "q"), "neither yes nor no"),
    "case-control": (
        (*SOURCES, "--scenario", "case_control"),
        "--scenario single_training_set",
    ),
    "purity": ((*SOURCES, "--purity", "0.9"), "--purity B cannot be passed"),
    "a side": (
        (*ANY, "--checked", "outcome", "--label-bias", "2", "--label-bias-side", "high"),
        "Leave out --label-bias-side",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_is_a_sentence(what, scores, capsys):
    flags, said = WRONG[what]
    code, out, err = run(capsys, "evaluate", scores, *SINGLE, "--score", "p", *flags)
    assert code == 2, out
    assert said in err
    assert err.count("\n") == 1
    assert "=…" not in err
    assert "from_arrays" not in err


def test_large_files_say_that_rows_are_needed(scores, capsys, monkeypatch):
    monkeypatch.setattr(reading, "LOADED", 10)
    common = ("evaluate", scores, *SINGLE, "--score", "p")
    code, _, err = run(capsys, *common, *SOURCES, "--checked", "outcome")
    assert code == 2
    assert "several --label" in err
    assert "--checked" in err
    assert "needs the rows in memory" in err
    # What needs no column is there for files of any size.
    stated = numbers(capsys, *common, *ANY, "--published-prior", ".2", "--prior-error", ".02")
    assert len(stated["evidence"]["kinds"]) == 1


def test_a_plan_takes_one_label(scores, capsys, tmp_path):
    code, _, err = run(
        capsys, "audit", "plan", scores, *SOURCES, "--score", "p", *SINGLE, "--budget", "50",
        "-o", tmp_path / "sheet.csv",
    )  # fmt: skip
    assert code == 2
    assert "takes one label column" in err


def test_the_same_column_twice_is_one_label(scores, capsys):
    twice = numbers(
        capsys, "evaluate", scores, *SINGLE, "--score", "p", *ANY, *ANY, "--prior", "0.2"
    )
    assert twice["evidence"] is None
