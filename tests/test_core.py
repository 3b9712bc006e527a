"""Each formula of the numerical core once, by hand: fast, and deterministic.

The other tests compare whole results with oracles on random tables; these pin the pieces.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

import puremetrics as pm
from puremetrics import confusion, intervals, pava, recovery, scenario
from puremetrics.calibration import gaps
from puremetrics.exceptions import InputError, NotIdentifiableError, PriorError
from puremetrics.formulas import METRICS, SMALLER_IS_BETTER, find_formula

CC, SINGLE = "case_control", "single_training_set"
TP, FP, FN, TN = 30, 12, 8, 50
N = TP + FP + FN + TN


def by_hand():
    tpr, tnr = TP / (TP + FN), TN / (TN + FP)
    ppv, npv = TP / (TP + FP), TN / (TN + FN)
    chance = ((TP + FP) * (TP + FN) + (TN + FP) * (TN + FN)) / N**2
    mcc = (TP * TN - FP * FN) / math.sqrt((TP + FP) * (TP + FN) * (TN + FP) * (TN + FN))
    return {
        "precision": (ppv, 0, 1), "recall": (tpr, 0, 1), "specificity": (tnr, 0, 1),
        "npv": (npv, 0, 1), "fpr": (1 - tnr, 0, 1), "fnr": (1 - tpr, 0, 1), "fdr": (1 - ppv, 0, 1),
        "f1": (2 * TP / (2 * TP + FP + FN), 0, 1), "fbeta": (2 * TP / (2 * TP + FP + FN), 0, 1),
        "accuracy": ((TP + TN) / N, 0, 1), "balanced_accuracy": ((tpr + tnr) / 2, 0, 1),
        "mcc": (mcc, -1, 1), "informedness": (tpr + tnr - 1, -1, 1),
        "markedness": (ppv + npv - 1, -1, 1),
        "positive_likelihood_ratio": (tpr / (1 - tnr), 0, math.inf),
        "negative_likelihood_ratio": ((1 - tpr) / tnr, 0, math.inf),
        "lift": (ppv / ((TP + FN) / N), 0, math.inf), "expected_cost": ((FP + FN) / N, 0, math.inf),
        "jaccard": (TP / (TP + FP + FN), 0, 1),
        "cohen_kappa": (((TP + TN) / N - chance) / (1 - chance), -1, 1),
        "geometric_mean": (math.sqrt(tpr * tnr), 0, 1),
        "predicted_positive_rate": ((TP + FP) / N, 0, 1),
    }  # fmt: skip


@pytest.mark.parametrize("name", sorted(METRICS))
@pytest.mark.parametrize("scale", [1, 1e-9, 1e12])
def test_every_metric_by_hand(name, scale):
    value, low, high = by_hand()[name]
    formula = METRICS[name]
    assert float(formula(*(scale * x for x in (TP, FP, FN, TN)))) == pytest.approx(value, rel=1e-14)
    assert (formula.name, formula.low, formula.high) == (name, low, high)


def test_options_and_other_names_by_hand():
    fbeta, options = find_formula("fbeta", {"beta": 2})
    assert float(fbeta(TP, FP, FN, TN, **options)) == pytest.approx(5 * TP / (5 * TP + 4 * FN + FP))
    cost, options = find_formula("expected_cost", {"cost_fp": 3, "cost_fn": 0.5})
    assert float(cost(TP, FP, FN, TN, **options)) == pytest.approx((3 * FP + 0.5 * FN) / N)
    for alias, name in (("tpr", "recall"), ("ppv", "precision"), ("youden", "informedness"),
                        ("tnr", "specificity"), ("f1_score", "f1")):  # fmt: skip
        assert find_formula(alias, {})[0].name == name
    for options in ({"beta": 0}, {"beta": -1}, {"beta": 1.01e100}, {"cost_fp": 1}):
        with pytest.raises(InputError):
            find_formula("fbeta", options)
    assert find_formula("fbeta", {"beta": 1e100})
    assert find_formula("expected_cost", {"cost_fp": 0.0})[1] == {"cost_fp": 0.0}
    with pytest.raises(InputError, match="at least 0"):
        find_formula("expected_cost", {"cost_fn": -0.1})
    assert set(SMALLER_IS_BETTER) <= set(METRICS)


def test_empty_margins_are_undefined_or_infinite():
    nothing = (0, 0, 8, 50)  # nothing predicted positive
    for name in ("precision", "fdr", "mcc", "lift", "markedness", "positive_likelihood_ratio"):
        assert math.isnan(METRICS[name](*nothing)), name
    assert float(METRICS["recall"](*nothing)) == 0
    assert float(METRICS["positive_likelihood_ratio"](5, 0, 3, 50)) == math.inf
    assert float(METRICS["negative_likelihood_ratio"](5, 9, 3, 0)) == math.inf
    # A sum that is zero but for rounding is zero.
    assert math.isnan(METRICS["fdr"](0.3, 0.0 * 3, 1, 1)) is False
    assert float(METRICS["precision"](0.1 + 0.2, -0.3, 1, 1)) == math.inf
    assert float(METRICS["precision"](0.1, -0.3, 1, 1)) == pytest.approx(-0.5)
    assert math.isnan(METRICS["geometric_mean"](-1, 2, 3, 4))


# ------------------------------------------------------------------------------ scenario


def tables():
    groups = {"positive": [5, 4, 2], "unlabeled": [4, 3, 1, 1], "negative": [1, 0]}
    return {s: pm.ScoreTable.from_groups(**groups, scenario=s) for s in (CC, SINGLE)}


def test_the_two_scenarios_by_hand():
    both = tables()
    labelled = pm.ScoreTable.from_groups(
        positive=[3, 2], unlabeled=None, negative=[1, 0, 0], scenario=CC
    )
    counts = {s: scenario.comparison_counts(t)[0].tolist() for s, t in both.items()}
    assert counts == {CC: [0, 1, 1, 0, 2, 0], SINGLE: [1, 2, 1, 1, 3, 1]}
    assert scenario.comparison_counts(labelled)[0].tolist() == [0, 0, 1, 2]
    cases = {CC: (both[CC], 4, 4, 0.3, 0.3), SINGLE: (both[SINGLE], 9, 9, 0.3, 0.5),
             "labels": (labelled, 3, 5, 0.0, None)}  # fmt: skip
    for table, total, size, share, _ in cases.values():
        assert scenario.comparison_total(table) == total
        assert scenario.population_size(table) == size
        assert scenario.comparison_share(table, 0.3) == share
    assert scenario.comparison_head(both[CC], (1, 2, 4)) == 2
    assert scenario.comparison_head(both[SINGLE], (1, 2, 4)) == 7
    assert scenario.comparison_head(labelled, (1, 0, 4)) == 4
    assert scenario.unlabeled_share(both[SINGLE], 5 / 9) == pytest.approx(0.5)
    assert scenario.unlabeled_share(both[SINGLE], 5 / 9, 0.5) == pytest.approx(0.875)
    assert scenario.unlabeled_share(both[SINGLE], 0.1) == 0
    assert scenario.unlabeled_share(both[SINGLE], 0.9) == 1
    assert scenario.unlabeled_share(labelled, 0.3) is None
    assert scenario.population_prior(both[SINGLE], 0.5, 0.5) == pytest.approx(3.5 / 9)
    assert scenario.prior_limits(both[CC]) == (0.0, 1.0)
    assert scenario.prior_limits(both[SINGLE]) == pytest.approx((3 / 9, 7 / 9))


def test_priors_are_resolved_by_hand():
    table = tables()[SINGLE]
    low, high = 3 / 9, 7 / 9
    known = scenario.resolve_prior(table, (low, 0.6))
    assert (known.low, known.high, known.value) == (low, 0.6, pytest.approx((low + 0.6) / 2))
    assert not known.is_point
    assert known.points(3).tolist() == pytest.approx([low, (low + 0.6) / 2, 0.6])
    one = scenario.resolve_prior(table, 0.5)
    assert one.is_point
    assert one.points().tolist() == [0.5]
    # A little rounding is forgiven and cut, more is not.
    assert scenario.resolve_prior(table, low - 5e-10).value == low
    assert scenario.resolve_prior(table, high + 5e-10).value == pytest.approx(high, abs=1e-15)
    for prior in (low - 2e-9, high + 2e-9, -0.1, 1.1, (0.6, 0.5), (0.4, 0.5, 0.6), "x", None):
        with pytest.raises(PriorError):
            scenario.resolve_prior(table, prior)
    for prior, purity in ((0.5, 0.5), (0.5, 0.4), (0.0, 0.0)):
        with pytest.raises(NotIdentifiableError):
            scenario.resolve_prior(tables()[CC], prior, purity)
    assert scenario.resolve_prior(tables()[CC], 0.5, 0.6).purity == 0.6
    assert [d.code for d in scenario.resolve_prior(tables()[CC], 0.5).diagnostics] == ["PM106"]
    assert not one.diagnostics
    interval = pm.Interval(0.2, 0.9, 0.95, "confidence", "x")
    cut = scenario.resolve_prior(table, pm.PriorEstimate(0.25, interval))
    assert (cut.low, cut.value) == (low, low)
    assert cut.high == pytest.approx(high)
    assert [d.code for d in cut.diagnostics] == ["PM108"]
    inside = pm.PriorEstimate(0.5, pm.Interval(0.4, 0.6, 0.95, "confidence", "x"), purity=0.9)
    found = scenario.resolve_prior(table, inside)
    assert (found.low, found.value, found.high, found.purity) == (0.4, 0.5, 0.6, 0.9)
    assert not found.diagnostics
    assert scenario.resolve_prior(table, inside, 0.8).purity == 0.8
    labels = pm.ScoreTable.from_groups(positive=[3, 2], unlabeled=None, negative=[1], scenario=CC)
    assert scenario.resolve_prior(labels, None, 0.9).value == pytest.approx(0.6)


# ------------------------------------------------------------------------------ intervals


def test_quantiles_and_proportions_by_hand():
    assert intervals.normal_quantile(0.95) == pytest.approx(1.959963984540054)
    assert intervals.student_quantile(10, 0.95) == pytest.approx(2.228138851964939)
    z = 1.959963984540054
    low, high = intervals.agresti_coull(0.3, 20, 0.95)
    padded = 20 + z**2
    centre = (6 + z**2 / 2) / padded
    reach = z * math.sqrt(centre * (1 - centre) / padded)
    assert (low, high) == pytest.approx((centre - reach, centre + reach))
    assert intervals.agresti_coull(0.0, 3, 0.95)[0] == 0.0
    assert intervals.agresti_coull(1.0, 3, 0.95)[1] == 1.0
    assert intervals.small_sample(5) == pytest.approx(math.sqrt(5 / 4))
    assert (intervals.small_sample(1), intervals.small_sample(0.5)) == (1.0, 1.0)
    assert intervals.weighted_sum(np.array([1, 2]), np.array([0.5, 3.0])) == 6.5
    variance = intervals.LinearVariance(0.01, 10.0, 0.004, 0.006)
    error = 2.228138851964939 * 0.1 / (0.7 * 0.3)
    ends = [1 / (1 + math.exp(-(math.log(7 / 3) + s * error))) for s in (-1, 1)]
    assert intervals.logit_limits(0.7, variance, 0.95) == pytest.approx(ends)
    wide = intervals.logit_limits(0.4, variance._replace(total=0.04), 0.95, -1.0, 1.0)
    assert wide == pytest.approx([2 * end - 1 for end in ends])


@pytest.mark.parametrize("weighted", [False, True])
def test_linear_variances_are_those_of_means_of_rows(weighted):
    rng = np.random.default_rng(0)
    y, score = np.repeat([1, 0, 0], [4, 5, 6]), np.arange(15.0)
    weight = rng.random(15) + 0.5 if weighted else None
    on_pos, on_cmp = rng.normal(size=15), rng.normal(size=15)  # by score, from the highest
    w = np.ones(15) if weight is None else weight
    for name in (CC, SINGLE):
        table = pm.ScoreTable.from_arrays(y, score, scenario=name, sample_weight=weight)
        found = intervals.linear_variance(table, on_pos, on_cmp)
        p, c = on_pos[::-1], on_cmp[::-1]  # in the order of the rows
        g, f = y == 1, (y == 0) if name == CC else np.ones(15, bool)
        sizes = [w[s].sum() ** 2 / (w[s] ** 2).sum() for s in (g, f)]
        parts = []
        for value, sample, size in ((p, g, sizes[0]), (c, f, sizes[1])):
            mean = np.average(value[sample], weights=w[sample])
            scale = math.sqrt(size / (size - 1)) / w[sample].sum()
            parts.append(np.where(sample, (value - mean) * scale, 0.0))
        via_pos = parts[0] + (parts[1] if name == SINGLE else 0)
        from_pos = float((w**2 * np.where(g, via_pos, 0) ** 2).sum())
        from_others = float((w**2 * np.where(~g, parts[1], 0) ** 2).sum())
        assert found.from_positives == pytest.approx(from_pos)
        assert found.from_others == pytest.approx(from_others)
        assert found.total == pytest.approx(from_pos + from_others)
        others = sizes[1] if name == CC else sizes[1] - sizes[0]
        spread = from_pos**2 / (sizes[0] - 1) + from_others**2 / max(others - 1, 1)
        assert found.degrees == pytest.approx(found.total**2 / spread)
        assert intervals.effective_sizes(table) == pytest.approx(tuple(sizes))


def test_recovered_limits_by_hand():
    both = tables()
    g, f = 2 / 3, 3 / 9
    for name, size in ((CC, 4), (SINGLE, 9)):
        table = both[name]
        ends_g = intervals.agresti_coull(g, 3, 0.9)
        ends_f = intervals.agresti_coull(f, size, 0.9)
        alone = intervals.recovered_limits(table, lambda a, b: a + 0 * b, g, f, 0.9)
        assert alone == pytest.approx(ends_g)
        other = intervals.recovered_limits(table, lambda a, b: 0 * a - b, g, f, 0.9)
        assert other == pytest.approx((-ends_f[1], -ends_f[0]))
        corr = 0.0 if name == CC else math.sqrt(3 / 9 * g * (1 - g) / (f * (1 - f)))
        for sign in (1, -1):  # of F in G ± F
            found = intervals.recovered_limits(table, lambda a, b, s=sign: a + s * b, g, f, 0.9)
            for side in (0, 1):
                by_g = abs(ends_g[side] - g)
                by_f = abs(ends_f[side if sign > 0 else 1 - side] - f)
                reach = math.sqrt(by_g**2 + by_f**2 + 2 * sign * corr * by_g * by_f)
                assert found[side] == pytest.approx(g + sign * f + (2 * side - 1) * reach)
    undefined = intervals.recovered_limits(both[CC], lambda a, b: a * np.nan, g, f, 0.9)
    assert undefined == (-math.inf, math.inf)


# ------------------------------------------------------------------------------ isotonic, repairs


def test_isotonic_fits_by_hand():
    fit = pava.bounded_isotonic
    assert fit(np.array([3.0, 1, 2]), np.array([1.0, 1, 2])).tolist() == [2, 2, 2]
    assert fit(np.array([1.0, 3, 2, 5]), np.array([1.0, 1, 3, 1])).tolist() == [1, 2.25, 2.25, 5]
    assert fit(np.array([-1.0, 0.5, 2]), np.ones(3), 0, 1).tolist() == [0, 0.5, 1]
    weights = np.array([1.0, 0, 1, 0])
    assert fit(np.array([1.0, 9, 2, 0]), weights).tolist() == [1, 2, 2, 2]
    assert fit(np.array([1.0, 1.5, 2, 7]), weights).tolist() == [1, 1.5, 2, 7]
    assert fit(np.array([2.0, 1, 3]), np.zeros(3), 0, 2.5).tolist() == [2, 2, 2.5]
    blocks = pava.concave_blocks(np.array([1.0, 0, 1, 1]), np.array([0.0, 2, 1, 0]))
    assert blocks.tolist() == [0, 2, 3, 4]


def test_envelopes_by_hand():
    t = np.array([math.inf, 3.0, 2, 1, 0])
    x, y = np.array([0, -0.2, 0.4, 0.2, 1.0]), np.array([0, 0.4, 0.4, 0.8, 1.0])
    out = recovery.envelope(x, y, t)
    area = float(np.sum(np.diff(out[0]) * (out[1][1:] + out[1][:-1])) / 2)
    # (0, 0.4) to (0.2, 0.4), up to (0.2, 0.8), straight to (1, 1)
    assert area == pytest.approx(0.2 * 0.4 + 0.8 * 0.9)
    assert np.all(np.diff(out[0]) >= 0)
    assert np.all(np.diff(out[1]) >= 0)
    # A slanted segment that dives under the best so far is seen from where it comes up again.
    x, y = np.array([0, 0.0, 0.2, 0.8, 1.0]), np.array([0, 0.6, 0.2, 0.8, 1.0])
    out = recovery.envelope(x, y, t)
    area = float(np.sum(np.diff(out[0]) * (out[1][1:] + out[1][:-1])) / 2)
    assert area == pytest.approx(0.6 * 0.6 + 0.2 * 0.7 + 0.2 * 0.9)
    beyond = recovery.envelope(np.array([0, 0.5, 1.5]), np.array([0, 0.5, 1.5]), t[:3])
    assert beyond[0].max() == beyond[1].max() == 1
    assert (beyond[0][-1], beyond[1][-1]) == (1, 1)
    x, y, _ = recovery.projection(np.array([0, 0.4, 0.2, 1.0]), np.array([0, 0.5, 0.6, 1.0]), t[:4])
    assert x.tolist() == pytest.approx([0, x[1], x[1], 1])
    assert 0.2 < x[1] < 0.4
    assert y.tolist() == pytest.approx([0, 0.5, 0.6, 1])


# ------------------------------------------------------------------------------ confusion


def test_corrected_rates_by_hand():
    g, f = np.array([0, 0.5, 1]), np.array([0, 0.2, 1])
    a, b = 0.1, 0.9
    tpr, fpr = confusion.corrected_rates(g, f, a, b)
    assert tpr == pytest.approx(((1 - a) * g - (1 - b) * f) / (b - a))
    assert fpr == pytest.approx((b * f - a * g) / (b - a))
    assert (tpr[-1], fpr[-1]) == (1, 1)
    heads = confusion.heads_of(tables()[CC])
    assert heads.pos.tolist() == pytest.approx([0, 1 / 3, 2 / 3, 2 / 3, 1, 1, 1])
    assert heads.cmp.tolist() == [0, 0, 0.25, 0.5, 0.5, 1, 1]
    assert heads.threshold.tolist() == [math.inf, 5, 4, 3, 2, 1, 0]
    assert confusion.shares_at(tables()[SINGLE], 4) == (2 / 3, 3 / 9)


def test_counts_and_diagnostics_by_hand():
    counts = pm.confusion_at_thresholds(tables()[CC], prior=0.25)
    a = Fraction(1, 4)
    for i, (g, f) in enumerate([(0, 0), (Fraction(1, 3), 0), (Fraction(2, 3), Fraction(1, 4))]):
        fpr = (f - a * g) / (1 - a)
        exact = [4 * a * g, 4 * (1 - a) * fpr, 4 * a * (1 - g), 4 * (1 - a) * (1 - fpr)]
        found = [getattr(counts, n)[i] for n in ("tp", "fp", "fn", "tn")]
        assert found == pytest.approx([float(x) for x in exact])
    assert {d.code for d in counts.diagnostics} == {"PM101", "PM106"}
    remarks = confusion.range_diagnostics
    assert not remarks(np.array([0.0, 1.0 + 1e-13]), np.array([-1e-13, 1.0]))
    assert "reaches 1.5" in remarks(np.array([-0.2, 1.5]), np.array([0.0, 1.0]))[0].message
    assert "reaches -0.7" in remarks(np.array([-0.7, 1.5]), np.array([0.0, 1.0]))[0].message
    for n, few in ((29, True), (30, False), (31, False)):
        table = pm.ScoreTable.from_groups(positive=range(n), unlabeled=[1], scenario=CC)
        assert bool(confusion.few_positives(table)) is few


def test_limits_are_cut_to_the_range_by_hand():
    known = scenario.resolve_prior(tables()[SINGLE], 0.5)
    formula = METRICS["mcc"]
    for value, ends, cut, codes in (
        (0.5, (-2.0, 0.9), (-1.0, 0.9), []),
        (1.2, (0.3, 1.7), (0.3, 1.0), ["PM101"]),
        (-1.2, (-1.7, -1.1), (-1.0, -1.0), ["PM101", "PM102"]),
        (1.0 + 1e-13, (1.0, 1.0), (1.0, 1.0), []),
        (1.5, (1.2, 1.7), (1.0, 1.0), ["PM101", "PM102"]),
    ):
        found, remarks = confusion.bounded_interval(value, *ends, formula, 0.9, known, "x")
        assert tuple(found) == cut
        assert [d.code for d in remarks] == codes
        assert (found.level, found.kind, found.method) == (0.9, "confidence", "x")


def test_ratios_with_a_pole_run_to_infinity_by_hand():
    table = pm.ScoreTable.from_groups(positive=[3, 3, 1], unlabeled=[3, 1, 0, 0], scenario=CC)
    ratio = pm.metric(table, "positive_likelihood_ratio", threshold=2, prior=0.3)
    g, f = 2 / 3, 1 / 4
    assert ratio.value == pytest.approx(g / ((f - 0.3 * g) / 0.7))
    assert ratio.interval.high == math.inf
    assert 0 <= ratio.interval.low < ratio.value


# ------------------------------------------------------------------------------ calibration gaps


@pytest.mark.parametrize(("gap", "noise"), [(0.0, 0.1), (0.05, 0.1), (-0.2, 0.1), (0.3, 0.0)])
def test_sizes_of_noisy_gaps_are_their_integrals(gap, noise):
    one = np.array([gap]), np.array([noise])
    if noise == 0:
        assert (
            gaps.folded_mean(*one) == gaps.split_size(*one) == gaps.debiased_size(*one) == abs(gap)
        )
        return
    z = np.linspace(-12, 12, 400_001)
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    mean = float(np.sum(np.abs(gap + noise * z) * density) * (z[1] - z[0]))
    assert float(gaps.folded_mean(*one)[0]) == pytest.approx(mean, rel=1e-8)
    assert float(gaps.debiased_size(*one)[0]) == pytest.approx(2 * abs(gap) - mean, rel=1e-7)
    phi = math.exp(-((gap / noise) ** 2) / 2) / math.sqrt(2 * math.pi)
    sign = math.erf(gap / noise / math.sqrt(2))
    assert float(gaps.split_size(*one)[0]) == pytest.approx(gap * sign - 2 * noise * phi)


@pytest.mark.parametrize(
    ("name", "prior", "purity"),
    [
        (CC, 0.3, 1.0),
        (SINGLE, 0.5, 1.0),
        (CC, 0.2, 0.8),
        (SINGLE, 0.5, 0.75),
        ("labels", None, 1.0),
    ],
)
def test_gaps_of_bins_by_hand(name, prior, purity):
    pos, unl = np.array([0.9, 0.8, 0.55, 0.2]), np.array([0.85, 0.6, 0.45, 0.4, 0.1, 0.05])
    if name == "labels":
        table = pm.ScoreTable.from_groups(positive=pos, unlabeled=None, negative=unl, scenario=CC)
        prior, share, cmp = 0.4, 0.0, unl
    else:
        table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario=name)
        share, cmp = prior, unl if name == CC else np.concatenate([pos, unl])
    found = pm.calibration_error(table, prior=prior if name != "labels" else None, purity=purity,
                                 n_bins=2, binning="width")  # fmt: skip
    expected = []
    for low, high in ((0.0, 0.5), (0.5, 1.0)):
        g, f = ((s > low) & (s <= high) for s in (pos, cmp))
        span = purity - share
        score = (prior - share) / span * (pos * g).mean() + (purity - prior) / span * (
            cmp * f
        ).mean()
        rate = ((1 - share) * g.mean() - (1 - purity) * f.mean()) / span
        expected.append(score - prior * rate)
    assert found.bins.gap == pytest.approx(np.array(expected), abs=1e-14)
    assert found.error == pytest.approx(float(np.abs(expected).sum()))


# ------------------------------------------------------------------------------ what mutants taught


def test_isotonic_fits_outside_the_heavy_entries():
    fit = pava.bounded_isotonic
    assert fit(np.array([-5.0, 1]), np.array([0.0, 1])).tolist() == [-5, 1]
    assert fit(np.array([5.0, 1]), np.array([0.0, 1])).tolist() == [1, 1]
    assert pava.concave_blocks(np.array([0.5, 4]), np.array([0.5, 1])).tolist() == [0, 1, 2]
    assert pava.concave_blocks(np.array([4, 0.5]), np.array([1, 0.5])).tolist() == [0, 2]


def test_repairs_by_hand():
    t = np.array([math.inf, 3.0, 2, 1, 0])
    x, y = np.array([0, 0.0, 0.6, 0.3, 1.0]), np.array([0, 0.2, 0.5, 0.9, 1.0])
    out = recovery.envelope(x, y, t)
    assert out[0] == pytest.approx([0, 0, 0.3, 0.3, 0.3, 1])
    assert out[1] == pytest.approx([0, 0.2, 0.35, 0.5, 0.9, 1])
    assert out[2].tolist() == [math.inf, 3, 2, 2, 1, 0]
    x, y = np.array([0, -5e-4, 0.5, 1.0]), np.array([0, 0.5, 0.75, 1.0])
    out = recovery.envelope(x, y, t[:4])
    assert out[0] == pytest.approx([0, 0, 0, 0.5, 1])
    assert out[1] == pytest.approx([0, 0.5, 0.5 + 0.25 * 5e-4 / 0.5005, 0.75, 1])
    x, y = np.array([0, 0.4, 0.2, 0.7, 1.0]), np.array([0, 0.5, 0.3, 0.8, 1.0])
    fitted = recovery.projection(x, y, t)
    pooled = (0.15 * 0.5 + 0.2 * 0.3) / 0.35
    assert fitted[1] == pytest.approx([0, pooled, pooled, 0.8, 1])
    left, right = pooled / 2, (0.8 - pooled) / 2
    together = (left * 0.4 + right * 0.2) / (left + right)
    assert fitted[0] == pytest.approx([0, together, together, 0.7, 1])


def test_undefined_metrics_say_why_by_hand():
    table = tables()[SINGLE]
    for threshold, words in ((99, "no row"), (-99, "every row")):
        name = "precision" if threshold > 0 else "npv"
        found = pm.metric(table, name, threshold=threshold, prior=0.5)
        assert any(words in d.message for d in found.diagnostics if d.code == "PM103")
        assert found.interval is None
    # Sums of weights may exceed their total by rounding, shares may not.
    rng = np.random.default_rng(0)
    y, weight = np.arange(50) % 2, rng.random(50)
    heavy = pm.ScoreTable.from_arrays(y, -np.arange(50), sample_weight=weight, scenario=CC)
    assert max(confusion.shares_at(heavy, -99)) <= 1


def test_weighted_rows_shared_by_both_samples_correlate_by_their_squares():
    y, weight = np.array([1, 1, 1, 0, 0, 0, 0]), np.array([3.0, 1, 1, 2, 1, 1, 1])
    table = pm.ScoreTable.from_arrays(
        y, [7, 3, 2, 6, 5, 1, 0], sample_weight=weight, scenario=SINGLE
    )
    g, f = confusion.shares_at(table, 4)
    sizes = intervals.effective_sizes(table)
    ends_g = intervals.agresti_coull(g, sizes[0], 0.9)
    ends_f = intervals.agresti_coull(f, sizes[1], 0.9)
    shared = (weight[:3] ** 2).sum() / (weight**2).sum()
    corr = math.sqrt(shared * g * (1 - g) / (f * (1 - f)))
    found = intervals.recovered_limits(table, lambda a, b: a + b, g, f, 0.9)
    for side in (0, 1):
        by_g, by_f = abs(ends_g[side] - g), abs(ends_f[side] - f)
        reach = math.sqrt(by_g**2 + by_f**2 + 2 * corr * by_g * by_f)
        assert found[side] == pytest.approx(g + f + (2 * side - 1) * reach)


def test_bins_without_labelled_rows_are_refilled_by_hand():
    sums = np.array([[2.0, 0], [1.0, 0], [0.6, 0]])
    filled = gaps._refilled(sums, np.array([0.5, 0.5]), np.array([0.3, 0.4]))
    assert filled == pytest.approx(np.array([[1, 1], [0.5, 0.4], [0.3, 0.16]]))


def test_squared_weights_of_the_comparison_sample_by_hand():
    y, weight = [1, 1, 0, 0, -1], [1.0, 2, 3, 1, 2]
    for name, total in ((CC, 10.0), (SINGLE, 19.0)):
        table = pm.ScoreTable.from_arrays(
            y, [5, 4, 3, 2, 1], sample_weight=weight, neg_label=-1, scenario=name
        )
        assert scenario.comparison_counts(table)[1].sum() == total


def test_a_single_unlabeled_row_is_the_comparison_sample():
    table = pm.ScoreTable.from_groups(positive=[3], unlabeled=[2], negative=[1, 0], scenario=CC)
    assert scenario.comparison_total(table) == scenario.population_size(table) == 1
    assert scenario.comparison_head(table, (1, 1, 0)) == 1
    assert scenario.comparison_counts(table)[0].tolist() == [0, 1, 0, 0]
    assert scenario.comparison_share(table, 0.2) == 0.2
