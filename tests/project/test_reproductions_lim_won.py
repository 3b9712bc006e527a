"""Corollary 1 of Lim and Won, and pairs of ordered curves; and a page of which one section is made anew."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.programs import load

SCORES = st.lists(st.integers(0, 6), min_size=2, max_size=7)


@given(SCORES, SCORES)
def test_the_most_likely_curve_at_fixed_true_positive_rates_is_the_hull(pos, neg):
    orders = load("lim_won_orders", "reproductions")
    _, solved, hull = orders.at_fixed_tpr(np.array(pos, float), np.array(neg, float))
    assert solved == pytest.approx(hull, abs=2e-6)


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # SciPy before 1.15
@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(3, 9))
def test_no_ordered_pair_is_more_likely(seed, size):
    orders = load("lim_won_orders", "reproductions")
    rng = np.random.default_rng(seed)
    counts = [rng.integers(0, 5, size) + (np.arange(size) == 0) for _ in range(2)]
    held = orders.ordered_masses(*counts)
    likely = sum(map(orders.log_likelihood, counts, held))
    for mass in held:
        assert mass.sum() == pytest.approx(1)
        assert np.all(np.diff(mass[1:]) <= 1e-7)
    assert np.all(np.cumsum(held[0]) >= np.cumsum(held[1]) - 1e-7)
    free = [orders.concave_masses(c) for c in counts]
    pooled = orders.concave_masses(counts[0] + counts[1])
    assert likely <= sum(map(orders.log_likelihood, counts, free)) + 1e-6
    for weight in (0.0, 0.1, 0.5, 1.0):  # other concave pairs in this order
        for _ in range(5):
            drawn = [rng.dirichlet(np.ones(size)) for _ in range(2)]
            drawn = [orders.concave_masses(d) for d in drawn]
            if np.any(np.cumsum(drawn[0]) < np.cumsum(drawn[1])):
                drawn = [pooled, pooled]
            other = [(1 - weight) * p + weight * d for p, d in zip(held, drawn, strict=True)]
            with np.errstate(divide="ignore"):
                assert sum(map(orders.log_likelihood, counts, other)) <= likely + 1e-6


def test_hulls_in_order_stay_as_they_are():
    orders = load("lim_won_orders", "reproductions")
    rng = np.random.default_rng(0)
    pos, neg = rng.normal(1, 1, 30), rng.normal(0, 1, 20)
    upper, lower = orders.cells(pos + 3, neg), orders.cells(pos, neg)
    fpr, tpr = orders.hull_of(pos, neg)
    masses = orders.ordered_masses(upper, lower)
    heights = np.interp(np.arange(1, 20) / 20, fpr, tpr)
    assert np.cumsum(masses[1])[1:-1] == pytest.approx(heights)


def test_one_section_is_made_and_the_others_stand(tmp_path):
    program = load("lim_won", "reproductions")
    page = tmp_path / "lim_won.md"
    page.write_text(
        "# Title\n\nHead.\n\n## Table 1: old\n\nOld table.\n\n## Figure 1: old\n\nOld figure.\n"
    )
    program.main(["--quick", "--out", str(tmp_path), "--only", "Corollary 1"])
    made = page.read_text(encoding="utf-8")
    assert made.startswith(
        "# Lim and Won (2012), reproduced\n\nHead.\n\n## Table 1: old\n\nOld table.\n\n## Corollary 1: "
    )
    assert made.endswith("## Figure 1: old\n\nOld figure.\n")
    assert "--only 'Corollary 1'` on " in made
    program.main(["--quick", "--out", str(tmp_path), "--only", "Corollary 1"])
    assert page.read_text(encoding="utf-8").count("## ") == 3
    with pytest.raises(SystemExit, match="can be made by themselves"):
        program.main(["--quick", "--out", str(tmp_path), "--only", "Figure 9"])
