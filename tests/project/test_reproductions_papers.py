"""The reproductions: quick runs write a page and its figures, and their pieces are what they say."""

import re

import numpy as np
import pytest
from scipy.stats import spearmanr

from tests.programs import load

FIGURES = {"claesen": 5, "kiryo": 6, "lim_won": 4, "pulp": 3}
SAID = {
    "claesen": "| 0.1 | 75.5 | 75.0 | 74.7 | 74.7 |",
    "kiryo": "TCE 0.0744433 (less calibrated) and 0.0234589 (better calibrated)",
    "lim_won": "all 135 numbers reproduce",
    "pulp": "| paper | 0.918 | 0.903 |",
}


SLOW = {"kiryo", "lim_won", "pulp"}  # each repeats simulations of its paper


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if n in SLOW else ()) for n in FIGURES]
)
def test_a_quick_run_writes_a_page(name, tmp_path):
    load(name, "reproductions").main(["--quick", "--out", str(tmp_path)])
    page = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    shown = re.findall(r"\]\(([^)]+\.png)\)", page)
    assert len(shown) == FIGURES[name]
    assert all((tmp_path / picture).stat().st_size > 5000 for picture in shown)
    assert re.search(r"on \d{4}-\d\d-\d\d, seed \d+, in .* cores, Python .*, numpy ", page)
    assert SAID[name] in page
    assert "nan" not in page


def test_correlation_is_spearmans_over_problems_and_learners():
    pulp = load("pulp", "reproductions")
    values = np.random.default_rng(0).integers(9, size=(3, 2, 4, 5, 2, 9)).astype(float)
    found = pulp.correlation(values)
    assert found.shape == (3, 2, 9)
    one = values[2, 1].reshape(20, 2, 9)
    expected = [spearmanr(one[:, 0, i], one[:, 1, i]).statistic for i in range(9)]
    assert found[2, 1] == pytest.approx(expected, abs=1e-12)


def test_a_quick_choice_follows_the_true_area():
    pulp = load("pulp", "reproductions")
    values = np.zeros((1, 1, 1, 5, 2, 9))
    values[..., 0, 0] = values[..., 1, 6] = np.arange(5)  # PULP ranks as the true AUC does
    values[..., 1, 0] = -np.arange(5)
    with np.errstate(invalid="ignore"):
        found = pulp.choice(values)[0, 0, 0]
    assert found[6] == pytest.approx(1)
    assert found[0] == pytest.approx(-1)


def test_neighbouring_problems_have_folds_of_three_sizes():
    parts = load("pulp_experiment", "reproductions")
    sizes = np.arange(4.0)[:, None, None, None] + np.zeros(
        (2, 1, 7, 4, 5, 2, 9)
    )  # a value is its size's place
    results = parts.Results(list("abcdefg"), (0.3,), sizes, np.zeros((4, 3)))
    assert results.by_problem()[0, 0, :, 0, 0, 0].tolist() == [0, 2, 3, 0, 2, 3, 0]
    assert results.by_problem(parts.LARGE)[0, 0, :, 0, 0, 0].tolist() == [0, 1, 2, 0, 1, 2, 0]


def test_the_smallest_folds_are_counted_by_group():
    parts = load("pulp_experiment", "reproductions")
    x = np.random.default_rng(3).normal(size=(900, 60))
    truth = np.arange(900) < 320  # 160 labelled, 160 others, 69 negatives
    values, fewest = parts.run_problem(x, truth, "random", 0.7, 1, own=3, folds=2)
    assert parts.FOLDS == 8
    assert values.shape == (4, 20, 2, 9)
    assert fewest.tolist() == [[80, 80, 34], [40, 40, 18], [20, 20, 9], [5, 5, 3]]


def test_a_sample_of_a_world_has_its_calibration_error():
    worlds = load("logit_worlds", "reproductions")
    side = worlds.LogitMixture(np.array([0.3, 0.7]), np.array([0.0, 2.0]), np.array([1.0, 0.5]))
    world = worlds.LogitWorld(
        "made", 0.4, side, worlds.LogitMixture(np.ones(1), -np.ones(1), np.ones(1))
    )
    score, y = world.labelled(np.random.default_rng(1), 400_000)
    found = worlds.hidden_error(score, y, np.linspace(0, 1, 101)[1:])
    assert found == pytest.approx(world.truth, abs=0.005)
