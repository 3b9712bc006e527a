"""A quick version of reproductions/real_priors.py, and its parts."""

import json

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("sklearn")
import puremetrics as pm
from puremetrics.priors import lookalikes
from tests.programs import load

real_priors = load("real_priors", "reproductions")
from reproductions import real_priors_refit, real_priors_tables, real_scores  # noqa: E402

CELL = real_scores.Cell("made_overlapping", "case_control", 0.2, 30, 0.2)


@pytest.fixture(scope="module")
def pools():
    return real_scores.made_pools(3, 2000)


@pytest.mark.slow
def test_quick(tmp_path):
    page = real_priors.main(["--quick", "--out", str(tmp_path)]).read_text("utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "real_priors-overlap.png", "real_priors.md", "real_priors.png",
    ]  # fmt: skip
    assert "| made_overlapping | " in page
    assert "| all three at once | " in page
    assert "nan" not in page


def test_pools_of_a_folder(tmp_path, pools, capsys):
    assert real_scores.pools(tmp_path) == {}
    assert "Without pools" in capsys.readouterr().out
    (tmp_path / "score_pools").mkdir()
    np.savez(tmp_path / "score_pools" / "one.npz", **pools["made_apart"])
    found = real_scores.pools(tmp_path)["one"]
    assert all(np.array_equal(found[name], pools["made_apart"][name]) for name in found)


@pytest.mark.parametrize("scenario", real_scores.SCENARIOS)
def test_a_draw_is_what_the_cell_says(pools, scenario):
    cell = CELL._replace(scenario=scenario)
    sample = real_scores.draw(cell, pools[cell.set], 0)
    assert sample.labelled.sum() == 30
    assert sample.truth.sum() == 150
    assert np.array_equal(sample.truth, pools[cell.set]["y"][sample.rows] == 1)
    assert np.all(sample.truth[sample.labelled])
    assert sample.prior == pytest.approx(0.2, abs=0.002)
    assert np.unique(sample.rows).size == sample.rows.size
    again = real_scores.draw(cell, pools[cell.set], 0)
    assert np.array_equal(again.rows, sample.rows)


def test_cells_are_those_that_the_pool_can_fill(pools):
    found = list(real_scores.cells(pools))
    assert CELL in found
    assert not any(cell.labels == 1000 and cell.frequency < 0.5 for cell in found)


def test_the_same_constants_give_the_same_estimate(pools):
    sample = real_scores.draw(CELL, pools[CELL.set], 1)
    records = [real_priors.estimated(sample, model) for model in real_scores.MODELS]
    data = real_priors_tables.Data.of(records)
    now = real_priors_refit.Constants(lookalikes.EXPECTED, lookalikes.MOST)
    found = real_priors_refit.outcome(data, now)
    assert found.error == pytest.approx(np.abs(data["prior"] - data["truth"]), abs=1e-12)
    assert np.array_equal(found.held, real_priors_tables.held(data))


def test_best_bin_is_that_of_the_paper(pools):
    sample = real_scores.draw(CELL, pools[CELL.set], 2)
    scores = sample.scores("hgb_pu")
    labelled, unlabeled = scores[sample.labelled], scores[~sample.labelled]
    reach = sum(np.sqrt(np.log(40) / (2 * group.size)) for group in (labelled, unlabeled))
    tried = []
    for at in scores[scores <= labelled.max()]:
        above = [float(np.mean(group >= at)) for group in (unlabeled, labelled)]
        tried.append(((above[0] + 1.01 * reach) / above[1], above[0] / above[1]))
    found = pm.estimate_prior(sample.table(scores), method="best_bin", interval="none")
    assert found.prior == pytest.approx(min(min(tried)[1], 1), abs=1e-12)


def test_copies_are_equally_good_and_differ():
    rng = np.random.default_rng(0)
    truth = rng.random(20_000) < 0.3
    copies = real_priors.noisy_copies(2 * truth + rng.normal(size=truth.size), rng)
    areas = [np.mean(c[truth][:5000, None] > c[~truth][:200]) for c in copies.values()]
    assert areas[0] == pytest.approx(areas[1], abs=0.03)
    assert np.corrcoef(copies["a"], copies["b"])[0, 1] < 0.95


def test_a_stopped_run_goes_on_where_it_was(tmp_path):
    path = tmp_path / "kept.jsonl"
    path.write_text("", encoding="utf-8")
    assert real_priors.Store(path).once(("a", 1), lambda: [1.5]) == [1.5]
    again = real_priors.Store(path)
    assert again.once(("a", 1), pytest.fail) == [1.5]
    assert json.loads(path.read_text("utf-8"))[:2] == ["a 1", [1.5]]
    assert again.seconds >= 0
