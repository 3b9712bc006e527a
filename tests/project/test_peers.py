"""The comparison with other packages: rows with a known truth, failures told, the page it writes."""

import json

import numpy as np
import pytest

from tests.programs import ROOT, load


@pytest.fixture(scope="module")
def peers():
    return load("peers")


def test_rows_have_the_prior_and_labels_of_positives_alone(peers):
    truth, y, score = peers.rows(2000, 1)
    assert truth.mean() == pytest.approx(peers.PRIOR, abs=1e-12)
    assert not np.any(y & ~truth)
    assert abs(y.sum() / truth.sum() - peers.FREQUENCY) < 0.08
    assert np.corrcoef(score, truth)[0, 1] > 0.5


def test_every_question_has_an_answer_and_a_truth(peers):
    truth, y, score = peers.rows(2000, 1)
    assert set(peers.ours(y, score, peers.PRIOR)) == set(peers.QUESTIONS)
    assert set(peers.ours(truth, score, None)) == set(peers.QUESTIONS) - {"prior"}


def test_calls_are_timed_and_errors_told(tmp_path, capsys, monkeypatch):
    pytest.importorskip("sklearn", reason="it stands for the others here")
    calls = load("peer_calls")
    _, y, score = load("peers").rows(500, 2)
    np.savez(tmp_path / "rows.npz", y=y, score=score, prior=0.3, cut=0.5)

    def odd(y, score, prior, cut):
        yield "recall", "fine", lambda: 0.5
        yield "prior", "broken", lambda: 1 / 0

    monkeypatch.setitem(calls.CALLS, "odd", odd)
    calls.main(str(tmp_path / "rows.npz"), "scikit-learn")
    said = json.loads(capsys.readouterr().out)
    assert {one["question"] for one in said} >= {"ROC AUC", "specificity"}
    assert all(0 <= one["value"] <= 1 and one["seconds"] >= 0 for one in said)
    calls.main(str(tmp_path / "rows.npz"), "odd")
    fine, broken = json.loads(capsys.readouterr().out)
    assert fine["value"] == 0.5
    assert broken["error"] == "ZeroDivisionError: division by zero"


def test_what_is_missing_and_what_fails_has_a_row(peers):
    _, y, score = peers.rows(500, 3)
    own = {name: (call(), 0.2) for name, call in peers.ours(y, score, 0.3).items()}
    answers = {
        "scikit-learn": [
            {"question": "ROC AUC", "call": "roc_auc_score", "value": 0.7, "seconds": 0.1}
        ],
        "other": [{"question": "recall", "call": "f", "error": "ValueError: no"}],
    }
    known = dict.fromkeys(peers.QUESTIONS, 0.5)
    table = peers.lines(answers, {"gone": "cannot be installed by pip"}, own, known)
    assert "| ROC AUC | scikit-learn | `roc_auc_score` | 0.700 | 0.500 | none | 1.0 |" in table
    assert "| recall | other | `f` | fails: ValueError: no | 0.500 | none |  |" in table
    assert "| | gone | | cannot be installed by pip | | | |" in table
    assert sum("**puremetrics**" in line for line in table) == len(peers.QUESTIONS)
    assert "negative are off by up to 0.20." in peers.sentence(answers, own, known)
    points, intervals = peers.distances(answers, own, known)
    assert points["scikit-learn"] == [("ROC AUC", pytest.approx(0.2))]
    assert set(points) == {"puremetrics", "scikit-learn"}
    assert set(intervals) == set(peers.QUESTIONS)


def test_the_page_is_one_that_the_program_wrote(peers):
    page = (ROOT / "docs" / "evidence" / "peers.md").read_text(encoding="utf-8")
    assert "`python benchmarks/peers.py --rows" in page
    for name in (*peers.PEERS, *peers.LEFT_OUT):
        assert name in page
