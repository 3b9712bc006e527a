"""The oracles against each other, against closed forms and against printed numbers."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import pairwise, product

import pytest
from scipy import stats

from . import claesen, jain, limwon, pulp

SCENARIOS: tuple[jain.Scenario, ...] = ("case_control", "single_training_set")
SETTINGS = [(s, p, q) for s in SCENARIOS for p, q in ((0.3, 1.0), (Fraction(1, 5), 0.9))]


def rows(seed: int) -> tuple[list[float], list[float], list[float]]:
    rng = random.Random(seed)
    pos = [float(rng.randint(2, 9)) for _ in range(rng.randint(2, 6))]
    unl = [float(rng.randint(0, 8)) for _ in range(rng.randint(3, 9))]
    neg = [float(rng.randint(0, 6)) for _ in range(rng.randint(0, 2))]
    return pos, unl, neg


def area(points: list[tuple[Fraction, Fraction]]) -> Fraction:
    return sum(((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in pairwise(points)), Fraction(0))


# Jain


def test_full_labels_give_the_ordinary_table_and_area() -> None:
    pos, neg = [3.0, 2.0, 2.0, 1.0], [2.0, 1.0, 0.0]
    truth = jain.mann_whitney(pos, neg)
    assert jain.auc_direct(pos, [], neg, scenario="case_control", prior=0.4, purity=1) == truth
    assert jain.auc_envelope(pos, [], neg, scenario="case_control", prior=0.4, purity=1) == truth
    share = Fraction(4, 7)
    for scenario in SCENARIOS:
        table = jain.confusion(
            pos, [], neg, scenario=scenario, prior=share, purity=1, threshold=2.0
        )
        assert table == (3, 1, 1, 2)
        settings = {"scenario": scenario, "prior": share}
        assert jain.auc_direct(pos, [], neg, purity=1, **settings) == truth
        assert jain.auc_algorithm1_rows(pos, [], neg, purity=1, **settings) == truth
        ap = jain.average_precision_steps(pos, [], neg, **settings)
        assert ap == Fraction(1, 4) + Fraction(1, 2) * Fraction(3, 4) + Fraction(1, 4) * (
            Fraction(4, 6)
        )


@pytest.mark.parametrize(("scenario", "prior", "purity"), SETTINGS)
def test_area_under_the_raw_path_is_the_direct_correction(scenario, prior, purity) -> None:
    for seed in range(20):
        data = rows(seed)
        settings = {"scenario": scenario, "prior": prior, "purity": purity}
        path = jain.raw_path(*data, **settings)
        assert path[-1] == (1, 1)
        assert area(path) == jain.auc_direct(*data, **settings)


@pytest.mark.parametrize(("scenario", "prior", "purity"), SETTINGS)
def test_envelope_against_a_densely_sampled_polyline(scenario, prior, purity) -> None:
    steps = 40
    for seed in range(4):
        data = rows(seed)
        settings = {"scenario": scenario, "prior": prior, "purity": purity}
        path = jain.raw_path(*data, **settings)
        dense = [
            (x0 + (x1 - x0) * Fraction(i, steps), y0 + (y1 - y0) * Fraction(i, steps))
            for (x0, y0), (x1, y1) in pairwise(path)
            for i in range(steps + 1)
        ]
        rise = max(abs(y1 - y0) for (_, y0), (_, y1) in pairwise(path)) / steps
        for x in (Fraction(i, 17) for i in range(18)):
            sampled = max([Fraction(0), *(min(y, Fraction(1)) for e, y in dense if e <= x)])
            exact = jain.envelope_value(x, *data, **settings)
            assert sampled <= exact <= sampled + rise
        pieces = jain.envelope_pieces(*data, **settings)
        assert all(y0 <= y1 for _, y0, _, y1 in pieces)
        assert all(a[3] <= b[1] for a, b in pairwise(pieces))
        assert jain.auc_envelope(*data, **settings) <= 1


def test_envelope_and_algorithm_1_stay_close_on_a_well_filled_ranking() -> None:
    rng = random.Random(7)
    pos = [float(round(rng.gauss(7, 2))) for _ in range(200)]
    unl = [float(round(rng.gauss(7 if i % 5 == 0 else 4, 2))) for i in range(600)]
    for scenario, prior in (("case_control", 0.2), ("single_training_set", 0.4)):
        settings = {"scenario": scenario, "prior": prior, "purity": 1}
        envelope = jain.auc_envelope(pos, unl, [], **settings)
        literal = jain.auc_algorithm1_rows(pos, unl, [], **settings)
        assert envelope >= literal - Fraction(1, 200)
        assert abs(envelope - jain.auc_direct(pos, unl, [], **settings)) < Fraction(1, 50)


def test_envelope_may_fall_far_below_algorithm_1_when_vertices_leave_the_square() -> None:
    settings = {"scenario": "case_control", "prior": 0.3, "purity": 1}
    data = ([5.0, 2.0], [7.0, 0.0, 6.0, 7.0, 7.0], [])
    assert jain.auc_algorithm1_rows(*data, **settings) > jain.auc_envelope(*data, **settings) + 0.3


def test_metrics_by_hand() -> None:
    expected = {
        "precision": Fraction(3, 4),
        "recall": Fraction(3, 5),
        "specificity": Fraction(4, 5),
        "npv": Fraction(2, 3),
        "fpr": Fraction(1, 5),
        "fnr": Fraction(2, 5),
        "fdr": Fraction(1, 4),
        "fbeta": Fraction(2, 3),
        "accuracy": Fraction(7, 10),
        "balanced_accuracy": Fraction(7, 10),
        "informedness": Fraction(2, 5),
        "markedness": Fraction(5, 12),
        "positive_likelihood_ratio": Fraction(3),
        "negative_likelihood_ratio": Fraction(1, 2),
        "lift": Fraction(3, 2),
        "expected_cost": Fraction(3, 10),
        "jaccard": Fraction(1, 2),
        "cohen_kappa": Fraction(2, 5),
        "mcc": 10 / math.sqrt(600),
        "geometric_mean": math.sqrt(0.48),
    }
    for name, value in expected.items():
        found = jain.metric(name, 3, 1, 2, 4)
        assert found == (value if isinstance(value, Fraction) else pytest.approx(value))
        if name in ("accuracy", "expected_cost", "jaccard", "fbeta", "cohen_kappa", "mcc"):
            assert jain.metric(name, 0, 0, 0, 0) is None
    assert jain.metric("precision", 0, 0, 2, 3) is None
    assert jain.metric("positive_likelihood_ratio", 1, 0, 1, 3) == math.inf
    assert jain.metric("fbeta", 3, 1, 2, 4, beta=2) == Fraction(15, 24)
    assert jain.metric("expected_cost", 3, 1, 2, 4, cost_fp=2, cost_fn=5) == Fraction(12, 10)


# Claesen


def test_exhaustive_heads_equal_a_clip() -> None:
    unl = [4.0, 3.0, 3.0, 2.0, 1.0, 0.0]
    for threshold, n_latent, theta in product((5.0, 3.0, 2.0, 0.0), range(7), range(7)):
        head = claesen.count_at_least(unl, threshold)
        low, high = max(0, n_latent - (len(unl) - head)), min(head, n_latent)
        for side in ("upper", "lower"):
            found = claesen.exhaustive_heads(unl, threshold, n_latent, theta, side)
            assert found == min(max(theta, low), high)


def test_tables_add_up_and_bound_the_truth() -> None:
    pos, latent, others, neg = [5.0, 3.0], [4.0, 1.0], [2.0, 2.0, 0.0], [3.0, 0.0]
    unl = latent + others
    for threshold in (5.0, 4.0, 3.0, 2.0, 1.0, 0.0):
        rate = Fraction(claesen.count_at_least(latent, threshold), 2)
        truth = (
            claesen.count_at_least(latent, threshold),
            claesen.count_at_least(others, threshold),
        )
        for side in ("upper", "lower"):
            table = claesen.tables(pos, unl, neg, threshold, 2, rate, side, "case_control")
            assert table[:2] == truth
            assert sum(table) == 5
            full = claesen.tables(pos, unl, neg, threshold, 2, rate, side, "single_training_set")
            assert sum(full) == 9
            assert full[0] == truth[0] + claesen.count_at_least(pos, threshold)
    assert claesen.tables([], unl, [], 3.0, 2, Fraction(4, 5), "upper", "case_control")[0] == 1
    assert claesen.tables([], unl, [], 2.0, 2, Fraction(4, 5), "upper", "case_control")[0] == 2
    assert claesen.tables([], unl, [], 2.0, 2, Fraction(4, 5), "lower", "case_control")[0] == 1


def test_bands_against_scipy() -> None:
    for n in (1, 7, 20):
        for k in range(n + 1):
            band = claesen.binomial_band(k, n, 0.95)
            assert band[0] == Fraction(int(stats.binom.ppf(0.025, n, k / n)), n)
            assert band[1] == Fraction(int(stats.binom.ppf(0.975, n, k / n)), n)
            low, high = claesen.clopper_pearson(k, n, 0.9)
            assert low == pytest.approx(stats.beta.ppf(0.05, k, n - k + 1) if k else 0, abs=1e-11)
            assert high == pytest.approx(
                stats.beta.ppf(0.95, k + 1, n - k) if k < n else 1, abs=1e-11
            )


def test_hypergeometric_band_tends_to_clopper_pearson() -> None:
    n_latent = 3000
    for k in (0, 2, 6):
        low, high = claesen.hypergeometric_band(k, 6, n_latent, 0.95)
        limit = claesen.clopper_pearson(k, 6, 0.95)
        assert low / n_latent == pytest.approx(limit[0], abs=2e-3)
        assert high / n_latent == pytest.approx(limit[1], abs=2e-3)
    for k, n_latent in product(range(6), (0, 1, 4)):
        low, high = claesen.hypergeometric_band(k, 5, n_latent, 0.95)
        assert 0 <= low <= high <= n_latent


def test_hypergeometric_band_covers_by_enumeration() -> None:
    n_labelled, n_latent, level = 4, 6, Fraction(4, 5)
    bands = [claesen.hypergeometric_band(k, n_labelled, n_latent, level) for k in range(5)]
    for in_head in range(n_labelled + n_latent + 1):
        covered = Fraction(0)
        for k, (low, high) in enumerate(bands):
            if low <= in_head - k <= high:
                covered += claesen.hypergeometric_pmf(k, 10, in_head, n_labelled)
        assert covered >= level


def test_trapezoids() -> None:
    assert claesen.auc([(0, 0), (0.25, 0.75), (1, 1)]) == pytest.approx(0.75)


# PULP


def test_recurrence_over_operating_points() -> None:
    for n, t in ((1, 0), (1, 1), (5, 2), (8, 3), (9, 9)):
        for b, j in product(range(n), range(t + 1)):
            step = pulp.hypergeometric_pmf(n, t, b, j) * Fraction(t - j, n - b)
            assert pulp.at_most(n, t, b + 1, j) == pulp.at_most(n, t, b, j) - step


def test_pulp_against_scipy_and_itself() -> None:
    flags = [1, 0, 1, 1, 0, 0, 0, 1, 0]
    terms = [stats.hypergeom.cdf(k - 1, 9, 4, b) for b, k in enumerate(pulp.hits(flags))]
    assert float(pulp.pulp_strict(flags)) == pytest.approx(sum(terms) / 10, abs=1e-12)
    for b, k in product(range(10), range(5)):
        assert pulp.pulp_pvalue(9, 4, b, k) + pulp.at_most(9, 4, b, k - 1) == 1


def test_companions() -> None:
    flags = [1, 0, 1, 1, 0, 0, 0, 1, 0]
    f1 = pulp.mean_f1_strict(flags)
    assert f1 == sum(Fraction(2 * k, b + 4) for b, k in enumerate(pulp.hits(flags))) / 10
    assert pulp.pseudo_f_strict(flags, Fraction(4, 9)) == f1 * Fraction(9, 4)
    assert pulp.map_strict(flags) == (1 + Fraction(2, 3) + Fraction(3, 4) + Fraction(1, 2)) / 4
    assert pulp.auc_strict(flags) == Fraction(5 + 4 + 4 + 1, 20)
    assert pulp.lee_liu_strict([1, 0]) == (2 + Fraction(1)) / 3
    assert pulp.mean_mutual_information_strict([1, 0]) == pytest.approx(math.log(2) / 3)
    assert pulp.mean_pearson_strict([1, 0]) == pytest.approx(1 / 3)
    phi = [stats.pearsonr(flags, [1] * b + [0] * (9 - b))[0] for b in range(1, 9)]
    assert pulp.mean_pearson_strict(flags) == pytest.approx(sum(phi) / 10)


def test_tie_breaking() -> None:
    pos, rest = [3.0, 2.0, 2.0], [2.0, 1.0, 1.0]
    assert len(pulp.tie_breakings(pos, rest)) == 3
    assert pulp.mean_over_tie_breaking(pulp.auc_strict, pos, rest) == jain.mann_whitney(pos, rest)
    strict = pulp.mean_over_tie_breaking(pulp.pulp_strict, [3.0, 1.0], [2.0, 0.0])
    assert strict == pulp.pulp_strict([1, 0, 1, 0])


# Lim and Won

POS = [row.score for row in limwon.TABLE_1 if row.label == 1]
NEG = [row.score for row in limwon.TABLE_1 if row.label == 0]


def test_table_1_hull_columns() -> None:
    roc = limwon.empirical_roc(POS, NEG)
    for row, (x, y) in zip(limwon.TABLE_1, roc, strict=False):
        assert (round(float(x), 4), round(float(y), 4)) == (row.s_nd, row.s_d)
        assert round(float(limwon.majorant_at(x, roc)), 4) == row.s_d_lcm
    corners = [(Fraction(x, 18), Fraction(y, 9)) for x, y in ((0, 2), (3, 5), (6, 7), (9, 8))]
    assert limwon.hull(roc) == [*corners, (Fraction(5, 6), 1), (1, 1)]


def test_table_1_from_the_solver() -> None:
    fit = limwon.unconditional_npmle(POS, NEG)
    s_d, s_nd = limwon.survival(fit.f_d), limwon.survival(fit.f_nd)
    for j, row in enumerate(reversed(limwon.TABLE_1)):
        assert fit.f_d[j] == pytest.approx(row.f_d_lloyd, abs=6e-5)
        assert fit.f_nd[j] == pytest.approx(row.f_nd_lloyd, abs=6e-5)
        assert s_d[j] == pytest.approx(row.s_d_lloyd, abs=6e-5)
        assert s_nd[j] == pytest.approx(row.s_nd_lloyd, abs=6e-5)
    fit = limwon.conditional_npmle(POS, NEG)
    for value, row in zip(limwon.survival(fit.f_d), reversed(limwon.TABLE_1), strict=True):
        if row.score < 0.9:  # the top cell's mass sits on 0.9 here, above it in the table
            assert value == pytest.approx(row.s_d_lcm, abs=6e-5)


def test_both_likelihoods_lead_to_the_hull_with_ties() -> None:
    rng = random.Random(3)
    for _ in range(15):
        pos = [float(rng.randint(1, 9)) for _ in range(rng.randint(1, 7))]
        neg = [float(rng.randint(1, 8)) for _ in range(rng.randint(1, 7))]
        roc = limwon.empirical_roc(pos, neg)
        fit = limwon.conditional_npmle(pos, neg)
        assert math.fsum(fit.f_d) == pytest.approx(1, abs=1e-6)
        fitted = dict(zip(fit.scores, limwon.survival(fit.f_d), strict=True))
        for x in set(neg):
            top = float(limwon.majorant_at(limwon.survival_share(neg, x), roc))
            assert fitted[x] == pytest.approx(top, abs=1e-5)
        fit = limwon.unconditional_npmle(pos, neg)
        floats = [(float(x), float(y)) for x, y in roc]
        for x, y in zip(limwon.survival(fit.f_nd), limwon.survival(fit.f_d), strict=True):
            top = limwon.majorant_at(min(x, 1.0), floats)
            assert y == pytest.approx(top, abs=1e-4) if x > 1e-6 else y <= top + 1e-4
