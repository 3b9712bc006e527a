"""Bounds against exhaustive search over surrogate sets, and against every assignment they allow."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics import bands
from puremetrics.contingency import LatentChoice, head_at, whole_heads
from puremetrics.exceptions import InputError, PriorError, UnsupportedError

from .oracles import claesen
from .programs import load
from .strategies import Groups, groups, scenarios

METHODS = ("exact", "bootstrap", "clopper_pearson", "dkw")


def prior_of(data: Groups, scenario: str, latent: int) -> float:
    if scenario == "case_control":
        return latent / len(data.unl)
    return (len(data.pos) + latent) / (len(data.pos) + len(data.unl) + len(data.neg))


@st.composite
def cases(draw, max_size=8, negatives=True):
    data = draw(groups(max_size=max_size, negatives=negatives))
    scenario = draw(scenarios)
    smallest = 1 if scenario == "case_control" else 0
    latent = draw(st.integers(smallest, len(data.unl)))
    assume(len(data.unl) - latent + (len(data.neg) if scenario != "case_control" else 0) > 0)
    return data, scenario, latent


@given(cases(), st.sampled_from(METHODS), st.sampled_from([0.5, 0.8, 0.95]))
def test_tables_equal_exhaustive_search_over_all_surrogate_sets(case, method, level):
    data, scenario, latent = case
    bounds = pm.confusion_bounds(
        data.table(scenario), prior=prior_of(data, scenario, latent), band=method,
        confidence_level=level,
    )  # fmt: skip
    n = len(data.pos)
    for i, threshold in enumerate(map(float, bounds.upper.threshold)):
        k = int(sum(s >= threshold for s in data.pos))
        low, high = oracle_band(method, k, n, latent, level)
        for side, bound, table in (("lower", low, bounds.lower), ("upper", high, bounds.upper)):
            expected = claesen.tables(*data, threshold, latent, bound, side, scenario)
            got = (table.tp[i], table.fp[i], table.fn[i], table.tn[i])
            assert got == tuple(map(float, expected)), (side, threshold)


def oracle_band(method, k, n, latent, level):
    """Limits of the rate; for the exact band counts of latent positives as a rate."""
    if method == "exact":
        low, high = claesen.hypergeometric_band(k, n, latent, level)
        size = max(latent, 1)
        return Fraction(low, size), Fraction(high, size)
    if method == "bootstrap":
        return claesen.binomial_band(k, n, level)
    if method == "clopper_pearson":
        return claesen.clopper_pearson(k, n, level)
    reach = np.sqrt(np.log(2 / (1 - level)) / (2 * n))
    return max(k / n - reach, 0.0), min(k / n + reach, 1.0)


@given(cases(max_size=6), st.sampled_from(["positives", "negatives"]))
def test_curves_and_areas_hold_for_every_assignment_within_the_band(case, basis):
    from sklearn import metrics

    data, scenario, latent = case
    assume(basis == "positives" or data.neg)
    table, prior = data.table(scenario), prior_of(data, scenario, latent)
    known = {"prior": prior, "confidence_level": 0.6, "basis": basis}
    choice = LatentChoice.of(table, prior, "exact", 0.6, basis, False)
    heads = whole_heads(table)
    limits = [choice.x(heads, latent, side) for side in ("lower", "upper")]
    auc, ap = pm.roc_auc_bounds(table, **known), pm.average_precision_bounds(table, **known)
    curves = pm.roc_bounds(table, **known)
    for chosen in combinations(range(len(data.unl)), latent):
        positive = [data.unl[i] for i in chosen]
        inside = [sum(s >= t for s in positive) for t in heads.threshold]
        if not np.all((limits[0] <= inside) & (inside <= limits[1])):
            continue
        negative = [s for i, s in enumerate(data.unl) if i not in chosen]
        if scenario == "single_training_set":
            positive, negative = positive + data.pos, negative + data.neg
        y = [1] * len(positive) + [0] * len(negative)
        score = positive + negative
        assert auc.low - 1e-12 <= metrics.roc_auc_score(y, score) <= auc.high + 1e-12
        assert ap.low - 1e-12 <= metrics.average_precision_score(y, score) <= ap.high + 1e-12
        fpr, tpr, _ = metrics.roc_curve(y, score, drop_intermediate=False)
        for x, height in zip(fpr, tpr, strict=True):
            assert height <= highest(curves.upper, x) + 1e-12
            assert height >= lowest(curves.lower, x) - 1e-12


def highest(curve, x):
    """The curve at x, the top of it where it is vertical (with a little slack for rounding)."""
    return max(np.interp([x - 1e-9, x, x + 1e-9], curve.x, curve.y).max(),
               curve.y[np.abs(curve.x - x) < 1e-9].max(initial=0))  # fmt: skip


def lowest(curve, x):
    return min(np.interp([x - 1e-9, x, x + 1e-9], curve.x, curve.y).min(),
               curve.y[np.abs(curve.x - x) < 1e-9].min(initial=1))  # fmt: skip


@given(cases(max_size=14), st.sampled_from(METHODS), st.sampled_from(["positives", "negatives"]))
def test_cut_tables_give_the_curves_of_all_rows(case, method, basis):
    data, scenario, latent = case
    assume(basis == "positives" or data.neg)
    table = data.table(scenario)
    known = {"prior": prior_of(data, scenario, latent), "band": method, "basis": basis}
    tables = pm.confusion_bounds(table, **known)
    curves = pm.roc_bounds(table, **known)
    loose = pm.roc_auc_bounds(table.cut(), **known)
    rows = pm.ScoreTable.from_counts(
        table.score, n_pos=table.n_pos, n_unl=table.n_unl, n_neg=table.n_neg, scenario=scenario
    )
    assert pm.roc_auc_bounds(rows, **known) == pm.roc_auc_bounds(table, **known)
    for side in ("lower", "upper"):
        counts, curve = getattr(tables, side), getattr(curves, side)
        fpr = counts.fp / (counts.fp + counts.tn)
        tpr = counts.tp / (counts.tp + counts.fn)
        # Both ways: each row lies on the raw path, and each vertex of that on the path of all rows.
        for x, y in zip(fpr, tpr, strict=True):
            assert on_path(curve.raw_x, curve.raw_y, x, y)
        for x, y in zip(curve.raw_x, curve.raw_y, strict=True):
            assert on_path(fpr, tpr, x, y)
    assert loose.low <= curves.lower.area + 1e-12
    assert loose.high >= curves.upper.area - 1e-12


def on_path(xs, ys, x, y):
    dx, dy = np.diff(xs), np.diff(ys)
    length = dx**2 + dy**2
    part = np.divide((x - xs[:-1]) * dx + (y - ys[:-1]) * dy, length, out=np.zeros_like(dx),
                     where=length > 0)  # fmt: skip
    part = np.clip(part, 0, 1)
    gap = np.hypot(xs[:-1] + part * dx - x, ys[:-1] + part * dy - y)
    return gap.min(initial=np.inf) < 1e-9


@given(cases(), st.sampled_from(METHODS))
def test_curves_are_monotone_and_lower_stays_below_upper(case, method):
    data, scenario, latent = case
    table, prior = data.table(scenario), prior_of(data, scenario, latent)
    curves = pm.roc_bounds(table, prior=prior, band=method)
    for curve in (curves.lower, curves.upper):
        assert np.all(np.diff(curve.x) >= -1e-12)
        assert np.all(np.diff(curve.y) >= -1e-12)
        assert (curve.x[0], curve.y[0], curve.x[-1], curve.y[-1]) == (0, 0, 1, 1)
    assert curves.lower.area <= curves.upper.area + 1e-12
    auc = pm.roc_auc_bounds(table, prior=prior, band=method)
    assert (auc.low, auc.high) == (curves.lower.area, curves.upper.area)
    tables = pm.confusion_bounds(table, prior=prior, band=method)
    assert np.all(tables.lower.tp <= tables.upper.tp)
    for counts in (tables.lower, tables.upper):
        total = counts.tp + counts.fp + counts.fn + counts.tn
        assert np.all(total == total[0])
        assert min(counts.tp.min(), counts.fp.min(), counts.fn.min(), counts.tn.min()) >= 0


@given(cases(), st.integers(0, 3))
def test_a_range_of_priors_contains_the_bounds_of_its_points(case, more):
    data, scenario, latent = case
    table = data.table(scenario)
    high = min(latent + more, len(data.unl) - (0 if data.neg and scenario != "case_control" else 1))
    assume(high > latent)
    ends = prior_of(data, scenario, latent), prior_of(data, scenario, high)
    wide = pm.roc_auc_bounds(table, prior=ends)
    wide_ap = pm.average_precision_bounds(table, prior=ends)
    for end in ends:
        assert wide.low <= pm.roc_auc_bounds(table, prior=end).low + 1e-12
        assert wide.high >= pm.roc_auc_bounds(table, prior=end).high - 1e-12
        one = pm.average_precision_bounds(table, prior=end)
        # The step-wise sum is bounded on the vertices, of which a range of priors has more: its
        # bound may be tighter by up to a step.
        step = 1 / (len(data.pos) + latent)
        assert wide_ap.low <= one.low + step
        assert wide_ap.high >= one.high - step
        band = pm.rank_cdf_band(table, prior=end)
        broad = pm.rank_cdf_band(table, prior=ends)
        assert np.all(broad.lower <= band.lower + 1e-12)
        assert np.all(broad.upper >= band.upper - 1e-12)


@given(cases(), st.sampled_from(["precision", "recall", "f1", "mcc", "accuracy"]))
def test_metric_bounds_are_extremes_over_all_heads(case, name):
    data, scenario, latent = case
    table, prior = data.table(scenario), prior_of(data, scenario, latent)
    threshold = float(np.median(data.pos))
    choice = LatentChoice.of(table, prior, "exact", 0.95, "positives", False)
    heads = head_at(table, threshold)
    low, high = (int(choice.x(heads, latent, side)[0]) for side in ("lower", "upper"))
    from puremetrics.contingency import table_entries
    from puremetrics.formulas import METRICS

    values = [
        float(METRICS[name](*table_entries(table, heads, np.array([x]), latent))[0])
        for x in range(low, high + 1)
    ]
    assume(not np.isnan(values).any())
    got = pm.metric_bounds(table, name, threshold=threshold, prior=prior)
    assert tuple(got) == (min(values), max(values))


def test_a_users_own_metric_need_not_be_monotone():
    table = pm.ScoreTable.from_groups(
        positive=range(10, 30), unlabeled=range(40), scenario="case_control"
    )
    bounds = pm.metric_bounds(table, lambda tp, fp, fn, tn: (tp - 8) ** 2, threshold=20, prior=0.5)
    assert bounds.low == 0
    assert bounds.high > 1


@given(st.integers(1, 25), st.integers(0, 30), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_bands_equal_their_definitions(n, latent, level):
    heads = np.arange(n + 1)
    for method in METHODS:
        low, high = bands.latent_limits(heads, n, latent, method, level)
        for k in range(n + 1):
            lower, upper = oracle_band(method, k, n, latent, level)
            if method == "exact":
                expected = (float(lower) * max(latent, 1), float(upper) * max(latent, 1))
            elif method == "bootstrap":
                expected = ((lower * latent).__floor__(), (upper * latent).__ceil__())
            else:
                continue
            assert (low[k], high[k]) == pytest.approx(expected, abs=1e-9)
        assert np.all(np.diff(low) >= 0)
        assert np.all(np.diff(high) >= 0)


def test_resampling_agrees_with_its_exact_limit():
    table = pm.ScoreTable.from_groups(
        positive=range(50), unlabeled=range(20), scenario="case_control"
    )
    exact = pm.rank_cdf_band(table, method="bootstrap")
    drawn = pm.rank_cdf_band(table, method="bootstrap", n_resamples=20_000, rng=1)
    assert np.abs(exact.lower - drawn.lower).max() <= 0.02 + 1e-12
    assert np.abs(exact.upper - drawn.upper).max() <= 0.02 + 1e-12
    assert np.mean(exact.lower == drawn.lower) > 0.9


def test_large_tables_give_precise_bands():
    low, high = bands.latent_limits(np.array([500, 50_000]), 100_000, 10**8, "exact", 0.95)
    rough = bands._shares(np.array([500, 50_000]), 100_000, "clopper_pearson", 0.95)
    assert low / 1e8 == pytest.approx(rough[0], rel=1e-3)
    assert high / 1e8 == pytest.approx(rough[1], rel=1e-3)


def test_tightest_basis_is_one_of_the_two_and_not_wider():
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 20),
        unlabeled=np.concatenate([rng.normal(1, 1, 80), rng.normal(0, 1, 100)]),
        negative=rng.normal(0, 1, 400),
        scenario="single_training_set",
    )
    prior = 100 / 600
    widths = {
        basis: pm.roc_auc_bounds(table, prior=prior, basis=basis).width
        for basis in ("positives", "negatives", "tightest")
    }
    assert widths["tightest"] == widths["negatives"] < widths["positives"]


def test_simultaneous_bands_are_wider():
    table = pm.ScoreTable.from_groups(
        positive=range(100), unlabeled=range(300), scenario="case_control"
    )
    point = pm.rank_cdf_band(table, prior=0.5)
    joint = pm.rank_cdf_band(table, prior=0.5, simultaneous=True)
    middle = slice(30, 70)
    assert np.all(joint.upper[middle] > point.upper[middle])
    assert joint.simultaneous


CC = {"scenario": "case_control"}
TABLE = pm.ScoreTable.from_groups(positive=[3, 2], unlabeled=[2, 1, 0], **CC)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"prior": 0.05}, PriorError, "0 of the 3 unlabeled rows are positive.*larger prior"),
        ({"prior": 0.95}, PriorError, "smaller prior"),
        ({"prior": 0.3, "band": "wald"}, InputError, "Choose one of 'exact'"),
        ({"prior": 0.3, "basis": "negatives"}, InputError, "needs known negatives"),
        ({"prior": 0.3, "band": "bootstrap", "simultaneous": True}, InputError, "no simultaneous"),
    ],
)
def test_bad_settings_get_their_own_sentence(options, error, message):
    with pytest.raises(error, match=message):
        pm.roc_bounds(TABLE, **options)


def test_what_has_no_bounds_is_refused():
    weighted = pm.ScoreTable.from_arrays([1, 0, 0], [3, 2, 1], sample_weight=[1, 2, 1], **CC)
    with pytest.raises(UnsupportedError, match="count rows"):
        pm.roc_bounds(weighted, prior=0.3)
    full = pm.ScoreTable.from_groups(positive=[1], unlabeled=None, negative=[0], **CC)
    with pytest.raises(UnsupportedError, match="nothing is hidden"):
        pm.roc_auc_bounds(full, prior=0.5)
    with pytest.raises(PriorError, match="needs the number of latent positives"):
        pm.rank_cdf_band(TABLE)
    with pytest.raises(InputError, match="before cut"):
        pm.metric_bounds(TABLE.cut(), "f1", threshold=1, prior=0.3)
    with pytest.raises(InputError, match="undefined at threshold 9"):
        pm.metric_bounds(TABLE, "precision", threshold=9, prior=0.3)


widths = st.one_of(st.just(0.0), st.floats(0.05, 2))


@given(st.lists(st.tuples(widths, widths), min_size=1, max_size=6))
def test_hyperbolic_area_is_the_integral(steps):
    x = np.cumsum([0.0, *(a for a, _ in steps)])
    reached = np.cumsum([0.0, *(a + b for a, b in steps)])
    assume(x[-1] > 0)
    curve = pm.Curve("pr", x, x, x, "recall", "precision", "hyperbolic", reached=reached)
    total = 0.0
    for i in range(len(x) - 1):
        if x[i + 1] > x[i]:
            grid = np.linspace(x[i], x[i + 1], 4001)
            q = np.interp(grid, x[i : i + 2], reached[i : i + 2])
            ratio = np.divide(grid, q, out=np.full(grid.size, np.nan), where=q > 0)
            if np.isnan(ratio[0]):
                ratio[0] = ratio[1]
            total += np.trapezoid(ratio, grid)
    assert curve.area == pytest.approx(total, abs=2e-4)


simulate = load("simulate_bounds")


@pytest.mark.slow
@pytest.mark.parametrize(
    "setting",
    [
        simulate.Setting(1000, 50, 1000, 1.0),
        simulate.Setting(50, 500, 500, 1.0),
        simulate.Setting(200, 200, 200, 2.5),
        simulate.Setting(50, 500, 500, 1.0, ties=True),
    ],
    ids=str,
)
def test_bounds_cover_the_truth(setting):
    repeats = 400
    covered = setting.coverage(repeats, seed=3)
    slack = 3 * (0.94 * 0.06 / repeats) ** 0.5
    assert covered["rates, exact"] >= 0.94 - slack
    assert covered["AUC, exact"] >= 0.95
    if setting.latent < setting.labelled:  # the paper's band is not one for the latent positives
        assert covered["rates, bootstrap"] < 0.8


@pytest.mark.slow
def test_the_simultaneous_band_holds_everywhere_at_once():
    rng = np.random.default_rng(4)
    misses = 0
    for _ in range(400):
        known, hidden = rng.normal(size=80), rng.normal(size=120)
        heads = np.arange(81)
        low, high = bands.latent_limits(heads, 80, 120, "exact", 0.95, simultaneous=True)
        ordered = np.sort(known)[::-1]
        # Latent positives above each labelled one, with k or k + 1 labelled ones in the head.
        above = (hidden[None] >= ordered[:, None]).sum(axis=1)
        fine = np.all((low[1:] <= above) & (above <= high[:-1]))
        misses += not fine
    assert misses / 400 <= 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5


@pytest.mark.slow
def test_every_small_ranking_equals_exhaustive_search():
    """All rankings of up to three labelled and eight unlabeled rows: 180 thousand tables."""
    from functools import cache

    limits = cache(oracle_band)
    tables = 0
    for size, known in product(range(1, 9), (1, 2, 3)):
        for where in combinations(range(size + known), known):
            ranks = [float(size + known - i) for i in range(size + known)]
            data = Groups(
                [ranks[i] for i in where], [r for i, r in enumerate(ranks) if i not in where], []
            )
            for scenario in ("case_control", "single_training_set")[: 1 if size > 5 else 2]:
                for latent in range(int(scenario == "case_control"), size):
                    for method in ("exact", "bootstrap"):
                        prior = prior_of(data, scenario, latent)
                        bounds = pm.confusion_bounds(
                            data.table(scenario), prior=prior, band=method, confidence_level=0.8
                        )
                        for i, threshold in enumerate(map(float, bounds.upper.threshold)):
                            k = sum(s >= threshold for s in data.pos)
                            ends = limits(method, k, known, latent, 0.8)
                            for side, end in zip(("lower", "upper"), ends, strict=True):
                                table = getattr(bounds, side)
                                got = (table.tp[i], table.fp[i], table.fn[i], table.tn[i])
                                expected = claesen.tables(
                                    *data, threshold, latent, end, side, scenario
                                )
                                assert got == tuple(map(float, expected))
                                tables += 1
    assert tables == 179_928
