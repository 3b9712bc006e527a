"""How far the corner cases of Claesen's Eq. (11) can move an area: Figure 4."""

import numpy as np
import pytest

from tests.programs import load


def rank_by_rank(pos, unl, share, steps=400):
    """Area at this share from Eq. (11) at every rank, counted on rows of each block in small steps."""
    labelled, rest = sum(pos), sum(unl)
    latent = share * rest
    tpr, fpr, head_pos, head_unl = [0.0], [0.0], 0.0, 0.0
    for p, u in zip(pos, unl, strict=True):
        for _ in range(steps):
            head_pos, head_unl = head_pos + p / steps, head_unl + u / steps
            surrogate = min(head_unl, latent * head_pos / labelled)
            if latent - surrogate > rest - head_unl:
                surrogate = latent - (rest - head_unl)
            tpr.append((head_pos + surrogate) / (labelled + latent))
            fpr.append((head_unl - surrogate) / (rest - latent))
    x, y = np.array(fpr), np.array(tpr)
    return 50 * float(np.sum(np.diff(x) * (y[1:] + y[:-1])))


def test_the_counterexample_to_the_old_claim():
    claesen = load("claesen_flips", "reproductions")
    counts = [3768, 0, 1232], [3392, 41_608, 0]
    found = claesen.areas_of(counts, (0.0, 0.1))
    assert found == pytest.approx([72.52, 75.36], abs=0.005)
    assert [rank_by_rank(*counts, share) for share in (0.0, 0.1)] == pytest.approx(found, abs=0.01)


def test_piling_gains_what_the_page_says_and_nothing_more():
    claesen = load("claesen_flips", "reproductions")
    most = claesen.most_by_piling(0.725)
    assert most - 0.05 * most**2 == pytest.approx(0.725)
    piled = claesen.corner(claesen.PRINTED, "piled")
    at_zero, at_share = claesen.areas_of(piled, (0.0, 0.1))
    assert f"{at_zero:.1f}" == "72.5"
    assert f"{at_share:.1f}" == "75.4"
    assert rank_by_rank(*piled, 0.1) == pytest.approx(at_share, abs=0.01)
    rng = np.random.default_rng(3)
    for _ in range(300):  # no ranking of five blocks does better from its own area at share 0
        pos, unl = (rng.dirichlet(np.full(5, 0.4)) for _ in range(2))
        start, end = (rank_by_rank(1000 * pos, 9000 * unl, share, 40) / 100 for share in (0, 0.1))
        assert end <= claesen.most_by_piling(start) + 2e-3 or start < 0.5


def test_no_ranking_on_a_grid_gains_more_by_piling():
    """Every rising u(p) on a grid at once: the least cost for each last u and each sum of u so far."""
    claesen = load("claesen_flips", "reproductions")
    share, size = 0.1, 60
    levels = np.arange(size + 1)
    best = np.full((size + 1, size * size + 1), np.inf)
    best[0, 0] = 0.0
    for p in (np.arange(size) + 0.5) / size:
        before = np.minimum.accumulate(best, axis=0)
        cost = np.clip((levels / size - share * p) / (1 - share), 0, 1) / size
        best = np.full_like(best, np.inf)
        for u in levels:
            best[u, u:] = before[u, : best.shape[1] - u] + cost[u]
    for area in (0.6, 0.725, 0.9):
        found = 1 - float(best[:, round((1 - area) * size * size)].min())
        most = claesen.most_by_piling(area)
        assert most - 6e-3 < found < most + 1e-3


def test_an_envelope_over_folds_goes_further_and_not_beyond_its_maximum():
    claesen = load("claesen_flips", "reproductions")
    folded = claesen.corner(claesen.PRINTED, "folded")
    at_zero, at_share = claesen.areas_of(folded, (0.0, 0.1))
    assert f"{at_zero:.1f}" == "72.5"
    assert at_share == pytest.approx(at_zero / 0.9, abs=1e-6)
    assert rank_by_rank(*folded, 0.1) < 75.4
    rng = np.random.default_rng(4)
    reached = []
    for _ in range(300):
        pos, unl = (rng.multinomial(n, rng.dirichlet(np.full(6, 0.3))) for n in (500, 4500))
        pos[0], pos[-1], unl[0], unl[-1] = pos[0] + 1, pos[-1] + 1, unl[0] + 1, unl[-1] + 1
        start, end = claesen.areas_of((pos.tolist(), unl.tolist()), (0.0, 0.1))
        most = 100 * claesen.most_by_folding(start / 100)
        assert end <= most + 0.05
        reached.append(end / most)
    assert max(reached) > 0.95


def test_rank_cdfs_are_those_of_figure_1():
    ranks = load("claesen_ranks", "reproductions")
    quarter, third = 1 / 4, 1 / 3
    first = [quarter, quarter, 0.5, 0.5, 0.5, 0.75, 0.75, 1, 1]
    second = [0, third, third, 2 * third, 2 * third, 2 * third, 1, 1, 1]
    for members, expected in zip(ranks.SETS.values(), (first, second), strict=True):
        assert ranks.rank_cdf(ranks.RANKING, members) == pytest.approx(expected)
        assert ranks.true_positive_rates(ranks.RANKING, members) == pytest.approx(expected)
