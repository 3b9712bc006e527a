"""PULP and its companions against the paper's definition on raw rows, and at sizes beyond it."""

import math
import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln
from sklearn.metrics import average_precision_score, roc_auc_score

from puremetrics import ScoreTable, hypergeometric, ranking
from puremetrics.exceptions import InputError, PriorError, UnsupportedError
from puremetrics.ranking import kernels, ties
from puremetrics.ranking.kernels import Blocks
from tests.oracles import pulp as oracle
from tests.strategies import groups, scenarios

ORACLES = {
    "pulp": oracle.pulp_strict,
    "lee_liu": oracle.lee_liu_strict,
    "mean_f1": oracle.mean_f1_strict,
    "mean_mutual_information": oracle.mean_mutual_information_strict,
    "mean_pearson": oracle.mean_pearson_strict,
    "naive_auc": oracle.auc_strict,
    "naive_average_precision": oracle.map_strict,
    "pseudo_f": None,
}
NAMES = sorted(ORACLES)


def measure(name, table, **options):
    return getattr(ranking, name)(table, **options)


def simulated(rng, labelled, others, shift=1.0, digits=None, scenario="case_control"):
    pos, rest = rng.normal(size=labelled) + shift, rng.normal(size=others)
    if digits is not None:
        pos, rest = pos.round(digits), rest.round(digits)
    return ScoreTable.from_groups(positive=pos, unlabeled=rest, scenario=scenario)


def expected_terms(table):
    """Every term of every measure at b = 0 … N, from E[K] and E[K²]; O(rows), for large tables."""
    sizes = (table.n_pos + table.n_unl + table.n_neg).astype(int)
    n, t = int(sizes.sum()), float(table.n_pos.sum())
    place = np.arange(1.0, n + 1) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    pos = np.repeat(table.n_pos.astype(float), sizes)
    size = np.repeat(sizes.astype(float), sizes)
    before = np.repeat(np.cumsum(table.n_pos) - table.n_pos, sizes)
    share = pos / size
    mean = np.concatenate([[0.0], before + place * share])
    spread = share * (1 - share) * place * (size - place) / np.maximum(size - 1, 1)
    square = mean**2 + np.concatenate([[0.0], spread])
    b = np.arange(n + 1.0)
    some = np.maximum(b, 1)
    inner = np.maximum(b * (n - b), 1)
    phi = np.where((b > 0) & (b < n), (n * mean - b * t) / np.sqrt(t * (n - t) * inner), 0.0)
    return (
        b,
        mean,
        {
            "lee_liu": np.where(b > 0, square * n / (some * t**2), 0.0),
            "mean_f1": 2 * mean / (b + t),
            "mean_pearson": phi,
        },
    )


def information(n, t, b, k):
    total = np.zeros(b.shape)
    for cell, row, column in (
        (k, t, b), (t - k, t, n - b), (b - k, n - t, b), (n - t - b + k, n - t, n - b)
    ):  # fmt: skip
        some = cell > 0
        part = cell[some] / n
        total[some] += part * np.log(
            cell[some] * n / (row * np.broadcast_to(column, b.shape)[some])
        )
    return total


def term(name, n, t, b, k):
    """One term of a measure, written out."""
    if name == "pulp":
        return float(oracle.at_most(n, t, b, k - 1))
    if name == "lee_liu":
        return (k / t) ** 2 * n / b if b else 0.0
    if name == "mean_f1":
        return 2 * k / (b + t)
    if name == "mean_pearson":
        return (k * n - b * t) / np.sqrt(t * (n - t) * b * (n - b)) if 0 < b < n else 0.0
    return information(n, t, np.array([float(b)]), np.array([float(k)]))[0]


def pulp_by_recurrence(hits, n, t):
    """P(X_b ≤ k_b − 1) from one operating point to the next, in long doubles."""
    long = np.longdouble
    terms, below, chance = [long(0)], long(0), long(1)  # P(X ≤ k − 1), P(X = k) at b = 0, k = 0
    n, t = long(n), long(t)
    for b in range(len(hits) - 1):
        k, b_ = long(hits[b]), long(b)
        # P(X = k) and P(X = k − 1) at this b
        step_up = (t - k) / (n - b_)
        less = chance * k * (n - t - b_ + k) / ((t - k + 1) * (b_ - k + 1))
        below = below - less * (t - k + 1) / (n - b_)  # now P(X_{b+1} ≤ k − 1)
        chance = chance * (1 - step_up) + less * (t - k + 1) / (n - b_)  # P(X_{b+1} = k)
        if hits[b + 1] > hits[b]:
            below = below + chance
            gone, left = k + 1, n - t - (b_ + 1) + k + 1
            chance = chance * (t - k) * (b_ + 1 - k) / (gone * left) if left > 0 else long(0)
        terms.append(below)
    return np.array(terms)


# ---------------------------------------------------------------- against the definition


@given(data=groups(max_size=5), scenario=scenarios, prior=st.floats(0.0, 1.0))
@settings(max_examples=60, deadline=None)
def test_equals_the_mean_over_all_tie_breakings(data, scenario, prior):
    rest = [*data.unl, *data.neg]
    table = data.table(scenario)
    for name, strict in ORACLES.items():
        if name == "pseudo_f":
            n, t = len(data.pos) + len(rest), len(data.pos)
            share = (t + prior * len(data.unl)) / n
            given_prior = prior if scenario == "case_control" else share
            if scenario == "case_control" and prior >= 1:
                continue
            if scenario == "single_training_set" and share >= 1:
                continue
            value = measure(name, table, prior=given_prior).value
            wanted = oracle.mean_over_tie_breaking(
                partial(oracle.pseudo_f_strict, prior=share),
                data.pos, rest,
            )  # fmt: skip
            assert value == pytest.approx(
                float(wanted), abs=1e-9
            )  # the share passes through floats
            continue
        wanted = float(oracle.mean_over_tie_breaking(strict, data.pos, rest))
        assert measure(name, table).value == pytest.approx(wanted, abs=1e-12), name


@pytest.mark.parametrize(
    "name", ["pulp", "lee_liu", "mean_f1", "mean_mutual_information", "mean_pearson"]
)
def test_curve_holds_every_operating_point_of_a_small_strict_ranking(name):
    flags = [1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 1]
    table = ScoreTable.from_arrays(flags, -np.arange(12.0), scenario="single_training_set")
    curve = measure(name, table).curve
    assert curve.x == pytest.approx(np.arange(14) / 13)
    for b in range(13):
        assert curve.y[b + 1] == pytest.approx(term(name, 12, 5, b, sum(flags[:b])), abs=1e-13)


@given(data=groups(), scenario=scenarios)
@settings(max_examples=60, deadline=None)
def test_curve_and_value_agree_and_input_order_does_not_matter(data, scenario):
    table = data.table(scenario)
    labels, scores = data.arrays()
    turned = ScoreTable.from_arrays(
        labels[::-1], scores[::-1], neg_label=-1, unlabeled_label=0, scenario=scenario
    )
    for name in NAMES:
        found = measure(name, table)
        assert found.curve.area == pytest.approx(found.value, abs=1e-12)
        assert measure(name, turned).value == found.value
        assert measure(name, table.cut()).value == found.value
        assert found.curve.threshold[0] == np.inf
        if found.interval is not None:
            assert found.interval.low <= found.value <= found.interval.high
        if name != "naive_auc":
            assert found.worst - 1e-12 <= found.value <= found.best + 1e-12
            assert found.worst - 1e-12 <= found.chance <= found.best + 1e-12


@given(data=groups(negatives=True))
@settings(max_examples=30, deadline=None)
def test_known_negatives_are_part_of_the_rest_and_scenarios_agree(data):
    joined = ScoreTable.from_groups(
        positive=data.pos, unlabeled=[*data.unl, *data.neg], scenario="case_control"
    )
    for name in NAMES:
        value = measure(name, joined).value
        assert measure(name, data.table("case_control")).value == pytest.approx(value, abs=1e-14)
        assert measure(name, data.table("single_training_set")).value == pytest.approx(
            value, abs=1e-14
        )


def test_strict_rankings_give_scikit_learns_answers():
    rng = np.random.default_rng(3)
    y, score = (rng.random(500) < 0.2).astype(int), rng.normal(size=500)
    table = ScoreTable.from_arrays(y, score, scenario="single_training_set")
    assert ranking.naive_auc(table).value == pytest.approx(roc_auc_score(y, score), abs=1e-12)
    value = ranking.naive_average_precision(table).value
    assert value == pytest.approx(average_precision_score(y, score), abs=1e-12)


def test_pseudo_f_without_prior_is_f1_over_the_share_of_labels():
    table = simulated(np.random.default_rng(0), 20, 80, digits=1)
    assert ranking.pseudo_f(table).value == pytest.approx(ranking.mean_f1(table).value / 0.2)


# ---------------------------------------------------------------- large tables


@pytest.mark.parametrize(
    ("n", "t"), [(5000, 1), (5000, 40), (5000, 2500), (4999, 4990), (300, 299)]
)
@pytest.mark.parametrize("shift", [0.0, 1.0, 6.0])
def test_pulp_equals_direct_sums(n, t, shift):
    """Eq. (4): log-factorials and a plain sum, nothing shared with the package."""
    rng = np.random.default_rng(n + t)
    table = simulated(rng, t, n - t, shift)
    hits = np.concatenate([[0], np.cumsum(table.n_pos)])
    log_factorial = gammaln(np.arange(n + 2.0) + 1)
    total = 0.0
    for b, k in enumerate(hits):
        i = np.arange(max(0, t + b - n), min(k - 1, t, b) + 1)
        logs = (
            log_factorial[t] + log_factorial[n - t] + log_factorial[b] + log_factorial[n - b]
            - log_factorial[i] - log_factorial[t - i] - log_factorial[n - t - b + i]
            - log_factorial[b - i] - log_factorial[n]
        )  # fmt: skip
        total += np.exp(logs).sum()
    assert ranking.pulp(table).value == pytest.approx(total / (n + 1), abs=1e-9)


@pytest.mark.parametrize("digits", [None, 1, 3])
def test_companions_equal_sums_over_all_rows(digits):
    table = simulated(np.random.default_rng(8), 3000, 200_000, digits=digits)
    b, mean, terms = expected_terms(table)
    for name, wanted in terms.items():
        assert measure(name, table).value == pytest.approx(wanted.mean(), abs=1e-12), name
    if digits is None:
        wanted = information(b[-1], 3000.0, b, mean).mean()
        assert ranking.mean_mutual_information(table).value == pytest.approx(wanted, abs=1e-13)


def test_tied_information_equals_a_mean_over_random_orders():
    rng = np.random.default_rng(5)
    table = simulated(rng, 60, 400, digits=0)
    sizes = table.n_pos + table.n_unl
    values = []
    for _ in range(1500):
        flags = np.concatenate(
            [rng.permutation(np.arange(m) < p) for p, m in zip(table.n_pos, sizes, strict=True)]
        )
        k = np.concatenate([[0.0], np.cumsum(flags)])
        values.append(information(460.0, 60.0, np.arange(461.0), k).mean())
    error = np.std(values) / np.sqrt(len(values))
    assert abs(ranking.mean_mutual_information(table).value - np.mean(values)) < 4 * error


@pytest.mark.slow
def test_pulp_equals_the_recurrence_at_a_million_rows():
    rng = np.random.default_rng(4)
    table = simulated(rng, 10_000, 990_000, 0.02)
    hits = np.concatenate([[0], np.cumsum(table.n_pos)])
    wanted = float(pulp_by_recurrence(hits, hits.size - 1, hits[-1]).mean())
    assert 0.2 < wanted < 0.97
    assert ranking.pulp(table).value == pytest.approx(wanted, abs=1e-9)


@pytest.mark.slow
def test_pulp_of_known_rankings_at_a_hundred_million_rows():
    """Reversing labelled and other rows, and random rankings, have values of their own."""
    n, t = 1e8, 1e6
    rng = np.random.default_rng(0)
    rank = np.sort(rng.choice(int(n), int(t), replace=False)) + 1.0
    ones = np.ones(rank.size)
    blocks = Blocks(n, t, np.arange(t), rank - 1, ones, ones)
    turned = Blocks(n, t, np.arange(t), n - rank[::-1], ones, ones)
    at = np.array([n])
    value = kernels.pulp_sums(blocks, at)[0] / (n + 1)
    other = kernels.pulp_sums(turned, at)[0] / (n + 1)
    # P(X < K) + P(X > K) + P(X = K) = 1; the last, at integers between labelled rows, in closed form.
    edges = np.concatenate([[0.0], rank, [n + 1]])
    k = np.arange(t + 1)
    upto = [hypergeometric.cdf(k, n + 1, t + 1, edge) for edge in (edges[:-1], edges[1:])]
    same = float(np.sum(upto[0] - upto[1])) / (t + 1)
    assert value + other + same == pytest.approx(1.0, abs=1e-9)
    top = Blocks(n, t, np.zeros(1), np.zeros(1), np.array([t]), np.array([t]))
    best = kernels.pulp_sums(top, at)[0] / (n + 1)
    table = ScoreTable.from_counts([1, 0], n_pos=[t, 0], n_unl=[0, n - t], scenario="case_control")
    found = ranking.pulp(table, confidence_level=None)
    assert found.best == pytest.approx(best, abs=1e-12)
    assert found.value == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("start", [0.0, 0.3, 5.0, 23.5, 24.0, 31.0, 1e4])
@pytest.mark.parametrize("count", [0, 1, 2, 30, 4000])
def test_closed_sums_are_exact(start, count):
    terms = start + np.arange(1.0, count + 1)
    found = kernels.harmonic(np.array([start]), np.array([float(count)]))[0]
    assert found == pytest.approx(math.fsum(1 / terms), rel=3e-15, abs=0)
    low, high = np.array([np.floor(start)]), np.array([np.floor(start) + count])
    terms = np.arange(low[0] + 1, high[0] + 1)
    found = kernels._entropy_sums(low, high, 1e5)[0]
    wanted = math.fsum(terms * np.log(terms / 1e5))
    assert found == pytest.approx(wanted, rel=1e-14, abs=0)
    for total in (high[0] + 1, high[0] + 60, 2e6):
        root = kernels._RootSums(total)
        for power in (-0.5, 0.5):
            wanted = math.fsum(terms**power / np.sqrt(total - terms))
            found = root.between(power, low, high)[0]
            # The second is a difference of numbers near sqrt(N b).
            slack = 0.0 if power < 0 else 1e-15 * np.sqrt(total * high[0])
            assert found == pytest.approx(wanted, rel=1e-14, abs=slack)


@pytest.mark.parametrize(
    ("n", "t", "hits", "rows", "labelled", "size"),
    [
        (1000, 100, 0, 0, 100, 1000),
        (1000, 100, 20, 150, 30, 300),
        (5000, 50, 0, 10, 50, 1990),
        (5000, 1000, 500, 2500, 100, 900),
        (20000, 5, 1, 500, 1, 900),
        (4000, 3990, 1990, 1990, 1000, 1005),
        (100_000, 20_000, 4800, 20_000, 100, 1000),
        (900, 450, 200, 410, 3, 70),
        (800, 799, 0, 0, 799, 800),
    ],
)
def test_tied_blocks_equal_the_double_sum(n, t, hits, rows, labelled, size):
    place, inner = np.meshgrid(np.arange(1, size + 1), np.arange(labelled), indexing="ij")
    chance = np.exp(hypergeometric.log_pmf(inner, size - 1, labelled - 1, place - 1))
    chance *= hypergeometric.cdf(hits + inner, n + 1, t + 1, rows + place)
    wanted = chance.sum() / size
    block = (np.array([float(x)]) for x in (hits, rows, labelled, size))
    found = ties.tied_pulp(n, t, *block)[0] / labelled
    assert found == pytest.approx(wanted, abs=2e-11)


def test_a_fully_tied_table_is_the_mean_over_all_rankings():
    n, t = 3000, 700
    table = ScoreTable.from_counts([0], n_pos=[t], n_unl=[n - t], scenario="case_control")
    i, b = np.meshgrid(np.arange(t + 1), np.arange(n + 1), indexing="ij")
    ties = np.exp(2 * hypergeometric.log_pmf(i, n, t, b)).sum(axis=0)
    found = ranking.pulp(table, confidence_level=None)
    assert found.value == pytest.approx(((1 - ties) / 2).mean(), abs=1e-10)
    assert found.chance == found.value


# ---------------------------------------------------------------- significance and refusals


def test_significance_is_fishers_tail_and_does_not_underflow():
    table = ScoreTable.from_groups(
        positive=[5, 4, 2], unlabeled=[4, 3, 1], negative=[0, 0], scenario="single_training_set"
    )
    found = ranking.pulp_significance(table, threshold=4)
    assert (found.predicted, found.hits, found.total, found.labelled) == (3, 2, 8, 3)
    assert found.p_value == pytest.approx(float(oracle.pulp_pvalue(8, 3, 3, 2)), abs=1e-15)
    assert found.value == pytest.approx(1 - found.p_value)
    assert found.expected == pytest.approx(9 / 8)
    nothing = ranking.pulp_significance(table, threshold=9)
    assert (nothing.p_value, nothing.log_p_value, nothing.hits) == (1.0, 0.0, 0)
    huge = ScoreTable.from_counts(
        [1, 0], n_pos=[5000, 0], n_unl=[5000, 990_000], scenario="case_control"
    )
    found = ranking.pulp_significance(huge, threshold=1)
    assert found.p_value == 0.0
    assert -1e5 < found.log_p_value < -1e4
    assert "10^" in str(found)


def test_weights_and_cut_tables_are_refused():
    weighted = ScoreTable.from_arrays(
        [1, 0, 1, 0], [4, 3, 2, 1], sample_weight=[1, 2, 1, 1], scenario="case_control"
    )
    for name in NAMES:
        if name != "naive_auc":
            with pytest.raises(UnsupportedError, match="operating points"):
                measure(name, weighted)
    assert ranking.naive_auc(weighted).value == pytest.approx((1 + 1 / 3) / 2)
    table = simulated(np.random.default_rng(0), 5, 9)
    with pytest.raises(InputError, match="cut"):
        ranking.pulp_significance(table.cut(), threshold=0.0)
    with pytest.raises(InputError, match="threshold"):
        ranking.pulp_significance(table, threshold=np.nan)
    with pytest.raises(InputError, match="confidence_level"):
        ranking.pulp(table, confidence_level=95)
    with pytest.raises(PriorError):
        ranking.pseudo_f(table, prior=2)


@pytest.mark.parametrize("turn", [1, -1])
def test_perfect_and_reversed_rankings_still_have_an_interval(turn):
    scores = turn * np.arange(60.0)
    table = ScoreTable.from_groups(
        positive=scores[40:], unlabeled=scores[:40], scenario="case_control"
    )
    for name in set(NAMES) - {"naive_auc"}:
        found = measure(name, table)
        end = found.best if turn > 0 else found.worst
        if turn > 0 or name != "mean_mutual_information":
            assert found.value == pytest.approx(end, abs=1e-14)
        assert found.interval.low <= found.value <= found.interval.high
        assert found.interval.width > 1e-3 * (found.best - found.worst)
        assert found.interval.low >= found.worst - 1e-12
        assert found.interval.high <= found.best + 1e-12
        assert found.standard_error >= 0


def test_a_single_score_gives_chance_and_a_diagnostic():
    table = ScoreTable.from_groups(positive=[1, 1], unlabeled=[1, 1, 1], scenario="case_control")
    for name in set(NAMES) - {"naive_auc"}:
        found = measure(name, table)
        assert found.interval is None
        assert found.value == found.chance
        assert [d.code for d in found.diagnostics] == ["PM105", "PM401"]


def test_a_range_of_priors_widens_pseudo_f():
    table = simulated(np.random.default_rng(1), 40, 200)
    point, wide = ranking.pseudo_f(table, prior=0.2), ranking.pseudo_f(table, prior=(0.1, 0.3))
    assert wide.interval.kind == "combined"
    assert wide.interval.low < point.interval.low < point.interval.high < wide.interval.high


def test_results_can_be_pickled_and_printed():
    found = ranking.pulp(simulated(np.random.default_rng(1), 40, 200, digits=1))
    again = pickle.loads(pickle.dumps(found))
    assert again.chance == found.chance
    assert str(found).startswith("PULP: 0.9")


# ---------------------------------------------------------------- intervals


def coverage(labelled, others, shift, repeats, digits=None, names=NAMES, seed=0):
    """Share of samples whose interval holds the mean over samples of that size."""
    rng = np.random.default_rng(seed)
    values = {name: [] for name in names}
    for _ in range(3 * repeats):
        table = simulated(rng, labelled, others, shift, digits)
        for name in names:
            level = {} if name == "naive_auc" else {"confidence_level": None}
            values[name].append(measure(name, table, **level).value)
    held = dict.fromkeys(names, 0)
    for _ in range(repeats):
        table = simulated(rng, labelled, others, shift, digits)
        for name in names:
            interval = measure(name, table).interval
            held[name] += interval is not None and float(np.mean(values[name])) in interval
    return {name: count / repeats for name, count in held.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("labelled", "others", "shift", "digits"),
    [(40, 400, 1.0, None), (40, 400, 0.0, None), (100, 300, 0.5, None), (60, 300, 1.0, 0)],
)
def test_intervals_cover(labelled, others, shift, digits):
    repeats = 250
    for name, share in coverage(labelled, others, shift, repeats, digits).items():
        # Mutual information is curved near chance.
        nominal = 0.91 if name == "mean_mutual_information" else 0.93
        assert share >= nominal - 3 * (nominal * (1 - nominal) / repeats) ** 0.5, name


def test_a_value_that_rounds_to_the_best_one_has_an_interval():
    rng = np.random.default_rng(0)
    table = ScoreTable.from_groups(
        positive=rng.normal(2, 1, 50_000),
        unlabeled=rng.normal(0, 1, 10**6),
        scenario="case_control",
    )
    found = ranking.pulp(table)
    assert found.value > 0.9999
    assert found.interval.low <= found.value <= found.interval.high <= 1.0
