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
    claesen = load("claesen", "reproductions")
    counts = [3768, 0, 1232], [3392, 41_608, 0]
    found = claesen.areas_of(counts, (0.0, 0.1))
    assert found == pytest.approx([72.52, 75.36], abs=0.005)
    assert [rank_by_rank(*counts, share) for share in (0.0, 0.1)] == pytest.approx(found, abs=0.01)


def test_piling_gains_what_the_page_says_and_nothing_more():
    claesen = load("claesen", "reproductions")
    most = claesen.most_by_piling(0.725)
    assert most - 0.05 * most**2 == pytest.approx(0.725)
    piled = claesen.corner(0.7254, "piled")
    at_zero, at_share = claesen.areas_of(piled, (0.0, 0.1))
    assert f"{at_zero:.1f}" == "72.5"
    assert f"{at_share:.1f}" == "75.4"
    assert rank_by_rank(*piled, 0.1) == pytest.approx(at_share, abs=0.01)
    rng = np.random.default_rng(3)
    for _ in range(300):  # no ranking of five blocks does better from its own area at share 0
        pos, unl = (rng.dirichlet(np.full(5, 0.4)) for _ in range(2))
        start, end = (rank_by_rank(1000 * pos, 9000 * unl, share, 40) / 100 for share in (0, 0.1))
        assert end <= claesen.most_by_piling(start) + 2e-3 or start < 0.5


def test_an_envelope_over_folds_goes_further():
    claesen = load("claesen", "reproductions")
    folded = claesen.corner(0.7254, "folded")
    at_zero, at_share = claesen.areas_of(folded, (0.0, 0.1))
    assert f"{at_zero:.1f}" == "72.5"
    assert at_share == pytest.approx(78.7, abs=0.1)
    assert rank_by_rank(*folded, 0.1) < 75.4
