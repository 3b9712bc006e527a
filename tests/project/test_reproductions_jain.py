"""Quick versions of reproductions/jain.py and reproductions/prior_estimators.py, and their parts."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("sklearn")
from tests.programs import load

jain = load("jain", "reproductions")
prior_estimators = load("prior_estimators", "reproductions")
from reproductions import jain_examples, jain_figures, jain_page, networks, published, uci  # noqa: E402


def test_jain_quick(tmp_path):
    page = jain.main(["--quick", "--repeats", "1", "--out", str(tmp_path)]).read_text("utf-8")
    assert "## Table 1" in page
    assert "## Table 2" in page
    assert "| made |" in page
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "jain-figure-1.png", "jain-figure-3.png", "jain-figure-4.png", "jain.md", "jain.png",
    ]  # fmt: skip


def test_hiding_one_label_of_four_lowers_the_area_as_equation_4_says():
    for places in combinations(range(8), 4):
        found = [jain_examples.areas(places, hidden) for hidden in places]
        expected = np.mean([[i < j for j in range(8) if j not in places] for i in places])
        assert [true for _, true in found] == pytest.approx([expected] * 4)
        assert np.mean([pu for pu, _ in found]) == pytest.approx(0.8 * expected + 0.1)
    assert len(list(jain_examples.rankings())) == 280


def test_figure_2_reads_the_tables_of_the_page(tmp_path):
    docs = Path(__file__).parents[2] / "docs" / "evidence"
    (tmp_path / "jain.md").write_text((docs / "jain.md").read_text("utf-8"), "utf-8")
    before = jain_examples.means_on_page(jain.asked("jain", 1, ["--out", str(tmp_path)]))
    assert before.keys() == published.JAIN.keys()
    assert before["pima", 1.0]["AUC"] == pytest.approx(published.JAIN["pima", 1.0]["AUC"], abs=0.02)
    page = jain.main(["--only", "Figure 2", "--out", str(tmp_path)]).read_text("utf-8")
    assert page.count("## Figure 2: ") == page.count("## Table 1: ") == 1
    assert page.count(jain_examples.TUNED) == 2
    assert jain_examples.means_on_page(jain.asked("jain", 1, ["--out", str(tmp_path)])) == before


def test_prior_estimators_quick(tmp_path):
    page = prior_estimators.main(["--quick", "--out", str(tmp_path)]).read_text("utf-8")
    assert "| made |" in page
    for name in prior_estimators.METHODS:
        assert f"| {name} |" in page
    assert (tmp_path / "prior_estimators.png").exists()


def test_a_stopped_run_goes_on_where_it_was(tmp_path, monkeypatch):
    run = jain.asked("jain", 3, ["--quick", "--out", str(tmp_path)])
    first = jain.experiment(run, 1, tmp_path)
    monkeypatch.setattr(jain, "network_scores", print)  # nothing is left to be scored
    assert jain.experiment(run, 1, tmp_path) == first
    assert len(first) == len(published.PURITIES)


def test_published_means():
    for name, mean in {
        "PU": 0.1818, "IR": 0.0338, "DR": 0.0363, "IE": 0.0434, "DE": 0.0490, "e": 0.1036,
        "AP PU": 0.5788, "AP IR": 0.0642, "AP IE": 0.1742,
    }.items():  # fmt: skip
        found = np.mean([row[name] for row in published.JAIN.values()])
        assert abs(found - mean) < 6e-5
    assert len(published.JAIN) == 36


def cells(direct: list[float], indirect: list[float]) -> dict:
    pairs = enumerate(zip(direct, indirect, strict=True))
    return {(str(i), 1.0): {"D": np.array([a]), "I": np.array([b])} for i, (a, b) in pairs}


def test_binomial_test_gives_the_papers_probabilities():
    paper = list(published.JAIN.values())
    for pair, told in (
        (("DR", "IR"), "k = 31 of 36, P = 6.5e-06"),
        (("DE", "IE"), "k = 26 of 36, P = 0.0057"),
    ):
        found = jain_page.binomial_test(
            cells([row[pair[0]] for row in paper], [row[pair[1]] for row in paper]), "D", "I"
        )
        assert told in found


def test_means_and_goals():
    place, row = next(iter(published.JAIN.items()))
    names = {ours: row[theirs] for ours, theirs, _ in jain_page.GOALS}
    for share in (0.5, 1.2):
        ours = {place: {name: np.full(2, share * v) for name, v in names.items()}}
        lines = [line for line in jain_page.goals(ours) if line]
        assert len(lines) == 3
        assert all(f"({share:.0%} of it)" in line for line in lines)
        assert jain_page.mean_of(ours, "IO")[1] == 0


def test_samples_follow_the_protocol():
    truth = np.repeat([1, 0], [300, 700])
    for purity in published.PURITIES:
        sample = uci.draw(truth, 100, purity, np.random.default_rng(0))
        assert sample.labelled.sum() == 100
        assert sample.truth[sample.labelled].sum() == round(100 * purity)
        assert np.array_equal(np.sort(sample.rows), np.arange(1000))
        assert sample.share == (300 - round(100 * purity)) / 900
    large = uci.draw(np.repeat([1, 0], [2000, 20_000]), 1000, 1.0, np.random.default_rng(0))
    assert (~large.labelled).sum() == 10_000
    assert abs(large.share - 1000 / 21_000) < 0.01


def test_networks_learn_and_do_not_score_what_they_saw():
    rng = np.random.default_rng(1)
    features, truth = uci.made_set(rng, 600)
    scores = networks.network_scores(features, truth, 0, 20)
    assert jain.roc_auc_score(truth, scores) > 0.9
    chance = networks.network_scores(rng.normal(size=(300, 5)), rng.integers(0, 2, 300), 0, 30)
    assert chance.std() > 0
    labels = np.random.default_rng(2).integers(0, 2, 300)
    noise = networks.network_scores(rng.normal(size=(300, 5)), labels, 0, 30)
    assert 0.35 < jain.roc_auc_score(labels, noise) < 0.65  # in-bag scores would remember


def test_recovery_is_exact_at_the_truth_and_infeasible_around_the_diagonal():
    share, purity, area = jain_figures.ONE
    area_pu = jain_figures.observed(share, purity, area)
    assert round(area_pu, 12) == 0.7
    square = jain_figures.recovered_square(area_pu, 101)
    assert square[75, 25] == pytest.approx(area)
    assert square[90, 40] == pytest.approx(area)  # the same difference
    assert square[100, 0] == pytest.approx(area_pu)
    assert np.isnan(square[50, 40])
    assert square[91, 50] == pytest.approx(0.5 + 0.2 / 0.41)
    assert square[25, 75] == pytest.approx(1 - area)
