"""Values for every kind of parameter: mostly sound, now and then anything at all."""

import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

import puremetrics as pm
from tests.fuzz.checks import Checked, Feasible, Told

SCENARIOS = ("case_control", "single_training_set")
ODD_SCORES = (
    0.0, -0.0, 1.0, 0.5, 5e-324, -5e-324, 1e-310, 1e308, -1e308, 1.7976931348623157e308,
    float(np.nextafter(1, 2)), float(np.nextafter(1, 0)), 0.1 + 0.2, 0.3, 1e-16,
)  # fmt: skip
JUNK = (
    lambda: None, lambda: True, lambda: math.nan, lambda: math.inf, lambda: -math.inf, lambda: -1,
    lambda: 0, lambda: 1, lambda: 2, lambda: -0.0, lambda: 1e308, lambda: 5e-324, lambda: 10**400,
    lambda: -(10**400), lambda: 2**63, lambda: Fraction(1, 3), lambda: Fraction(10**400, 3),
    lambda: Decimal("0.3"), lambda: "0.3", lambda: "", lambda: "nonsense", lambda: b"x",
    lambda: "\ud800", lambda: [], lambda: (), lambda: {}, lambda: [0.1, 0.2], lambda: (0.4, 0.1),
    lambda: (math.nan, 0.5), lambda: [[1], [2, 3]], lambda: [None, 1], lambda: {0.1}, object,
    lambda: Decimal("sNaN"), lambda: [1, Decimal("sNaN")], lambda: [2**53, 2**53 + 1, 0.5],
    lambda: np.array([2**60, 2**60 + 1], dtype=object), lambda: np.array([1, np.longdouble("1e4000")]),
    lambda: np.array([(1, 2), (0, 1)], dtype=[("a", int), ("b", int)]), lambda: 1e-17,
    lambda: 1 - 2.0**-53, lambda: np.array([[1], [0, 1]], dtype=object), lambda: 10**9, lambda: 10**12,
    lambda: np.float32(0.3), lambda: np.array(0.3), lambda: np.array([]), lambda: np.array("x"),
    lambda: np.array([0.1, 0.2]), lambda: np.array([["a"]]), lambda: np.datetime64("NaT", "D"),
    lambda: 1 + 2j, lambda: len, lambda: Ellipsis, lambda: np.int64(3), lambda: np.bool_(True),
    lambda: np.ma.masked, lambda: range(3), lambda: np.array([1, None], dtype=object),
    lambda: iter([1, 2]), lambda: {"a": 1}, lambda: pm.PriorEstimate(math.nan),
    lambda: pm.Interval(0.4, 0.2, 0.95, "confidence", "x"), lambda: np.array([[[1.0]]]),
)  # fmt: skip
junk = st.sampled_from(range(len(JUNK))).map(lambda i: JUNK[i]())


def mostly(sound, odd=junk, share=12):
    """One in ``share`` values is odd."""
    return st.integers(0, share - 1).flatmap(lambda i: odd if i == share - 1 else sound)


def among(*choices):
    return mostly(st.sampled_from(choices), share=20)


finite = st.floats(allow_nan=False, allow_infinity=False)
score_kinds = {
    "tied": st.just(0.5),
    "few": st.integers(0, 3).map(lambda i: i / 3),
    "probability": st.floats(0, 1),
    "small": st.integers(-4, 4).map(float),
    "odd": st.sampled_from(ODD_SCORES),
    "any": finite,
}
sizes = st.sampled_from([1, 1, 2, 3, 8, 30])


@st.composite
def tables(draw):
    """Sound tables of every origin: groups, counts up to 1e12, weights, chances; cut, merged, flipped."""
    one = score_kinds[draw(st.sampled_from(sorted(score_kinds)))]
    scenario = {"scenario": draw(st.sampled_from(SCENARIOS))}
    origins = ["groups", "groups", "counts", "counts", "fractions", "weights", "propensities"]
    origins += ["together", "together"]
    origin = draw(st.sampled_from(origins))
    if origin == "groups":
        lists = [draw(st.lists(one, min_size=n, max_size=n)) for n in (draw(sizes), draw(sizes))]
        negative = draw(st.lists(one, max_size=3))
        unlabeled = lists[1] if not negative or draw(st.booleans()) else []
        table = pm.ScoreTable.from_groups(
            positive=lists[0], unlabeled=unlabeled, negative=negative, **scenario
        )
    else:
        n = draw(st.integers(2, 8))
        scores = draw(st.lists(one, min_size=n, max_size=n))
        if origin in ("weights", "propensities", "together"):
            weight = st.sampled_from([0.0, 1e-3, 0.5, 1.0, 2.0, 1e6])
            weights = draw(st.lists(weight, min_size=n, max_size=n))
            weights[0] = weights[1] = 1.5
            labels = [
                1,
                0,
                *draw(st.lists(st.sampled_from([1, 0, -1]), min_size=n - 2, max_size=n - 2)),
            ]
            given = {} if origin == "together" else {"sample_weight": weights}
            if origin == "together" or draw(st.integers(0, 3)) == 0:
                names = draw(st.lists(st.integers(0, 3), min_size=n - 2, max_size=n - 2))
                given["groups"] = [0, 1, *names]
            if origin == "propensities":
                chance = st.sampled_from([1.0, 0.5, 0.3, 1e-3, 1e-9])
                given["propensity"] = draw(st.lists(chance, min_size=n, max_size=n))
                if draw(st.booleans()):
                    given.pop("sample_weight")
            table = pm.ScoreTable.from_arrays(labels, scores, **given, neg_label=-1, **scenario)
        else:
            count = (
                st.one_of(st.integers(0, 5), st.sampled_from([0, 10**12, 10**6, 2 * 10**13]))
                if origin == "counts"
                else st.floats(0, 9, allow_subnormal=False).map(lambda x: round(x, 2))
            )
            columns = [draw(st.lists(count, min_size=n, max_size=n)) for _ in range(3)]
            columns[0][0], columns[1][1] = columns[0][0] or 1, columns[1][1] or 2
            n_neg = columns[2] if draw(st.booleans()) else None
            table = pm.ScoreTable.from_counts(
                scores, n_pos=columns[0], n_unl=columns[1], n_neg=n_neg, **scenario,
                resolution=draw(st.sampled_from([0.0, 0.0, 1e-3])),
            )  # fmt: skip
    how = draw(st.sampled_from(["as is"] * 12 + ["cut", "merge", "flip", "naive", "pickle"]))
    return {
        "as is": lambda: table,
        "cut": table.cut,
        "merge": lambda: table if table.clusters is not None else table.merge(table),
        "flip": table.flipped,
        "naive": table.unlabeled_as_negative,
        "pickle": lambda: pickle.loads(pickle.dumps(table)),
    }[how]()


@st.composite
def whole_tables(draw):
    """Small tables without weights, on which everything has an answer at some prior."""
    one = score_kinds[draw(st.sampled_from(["few", "probability"]))]
    return pm.ScoreTable.from_groups(
        positive=draw(st.lists(one, min_size=1, max_size=12)),
        unlabeled=draw(st.lists(one, min_size=1, max_size=30)),
        negative=draw(st.lists(one, max_size=3)),
        scenario=draw(st.sampled_from(SCENARIOS)),
    )


@st.composite
def rows(draw):
    """Labels and scores of rows, sometimes in a container or type that is unusual."""
    n = draw(st.integers(1, 12))
    one = score_kinds[draw(st.sampled_from(sorted(score_kinds)))]
    labels = draw(st.lists(st.sampled_from([1, 0, 0, -1]), min_size=n, max_size=n))
    scores = draw(st.lists(one, min_size=n, max_size=n))
    return labels, scores


CONTAINERS = (
    list, tuple, np.array, lambda v: np.array(v, dtype=object), lambda v: np.array(v, dtype=">f8"),
    lambda v: np.repeat(np.array(v, dtype=float), 2)[::2], lambda v: np.array(v, dtype=float)[:, None],
    lambda v: np.ma.masked_array(v), lambda v: np.array(v, dtype=np.longdouble),
)  # fmt: skip
columns = st.builds(
    lambda make, values: make(values),
    st.sampled_from(CONTAINERS),
    st.lists(st.one_of(*score_kinds.values()), min_size=0, max_size=12),
)
hostile_column = st.one_of(
    junk,
    st.lists(junk, max_size=4),
    st.lists(st.floats(), max_size=4),
    st.lists(st.text(max_size=3), max_size=4),
    st.lists(st.integers(), max_size=4),
    st.binary(max_size=8).map(lambda b: np.frombuffer(b, dtype=np.uint8)),
)

shares = st.one_of(
    st.floats(0, 1), st.sampled_from([0.0, 1e-9, 1e-3, 0.1, 0.3, 0.5, 0.9, 1 - 1e-9, 1.0])
)
pairs = st.tuples(shares, shares).map(lambda p: tuple(sorted(p)))
prior_estimates = st.builds(
    lambda p, pair, purity, scenario: pm.PriorEstimate(
        min(max(p, pair[0]), pair[1]),
        pm.Interval(*pair, 0.95, "confidence", "test"),
        purity=purity,
        scenario=scenario,
    ),
    shares, pairs, st.one_of(st.none(), shares), st.sampled_from([None, *SCENARIOS]),
)  # fmt: skip
feasible = st.one_of(shares.map(lambda s: Feasible(s, s)), pairs.map(lambda p: Feasible(*p)))
priors = mostly(st.one_of(feasible, feasible, shares, pairs, prior_estimates), share=15)
purities = mostly(st.one_of(st.just(1.0), st.none(), shares, pairs), share=15)
levels = mostly(
    st.sampled_from([0.95, 0.9, 0.5, 1e-9, 1 - 1e-9]),
    st.one_of(junk, st.floats(0, 1)),
    share=15,
)
thresholds = mostly(st.one_of(*score_kinds.values()), share=15)
biases = mostly(st.sampled_from([1, 1.0, 1.0, 1.5, 2, 4.0, 1000.0, 1e6]), share=15)
bias_sides = among("either", "either", "high", "low")
audits = mostly(
    st.builds(
        Checked, st.integers(0, 9), st.sampled_from([1, 2, 5, 30, 200]),
        st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.sampled_from([0, 0, 2]), st.booleans(), st.booleans(),
    ),
    share=15,
)  # fmt: skip
no_audit = mostly(st.none(), st.one_of(junk, audits), share=15)
kinds_of_evidence = st.sampled_from([
    "sources", "dependent", "investigated", "checker", "checkers", "judge", "published", "random", "biased",
    "negatives",
])  # fmt: skip
pieces = mostly(
    st.builds(
        Told,
        kinds_of_evidence,
        st.integers(0, 9),
        st.sampled_from([0.02, 0.3, 1.0]),
        st.booleans(),
        shares,
    ),
    st.one_of(junk, audits, prior_estimates),
    share=15,
)
evidence = mostly(st.lists(pieces, min_size=1, max_size=3), st.one_of(junk, pieces), share=15)
no_evidence = mostly(st.none(), share=25)
flags = mostly(st.booleans(), share=20)
resamples = mostly(st.sampled_from([1, 2, 5, 20]), share=15)
seeds = mostly(st.builds(lambda seed: seed, st.integers(0, 9)), share=20)
metric_names = among(
    "precision", "recall", "specificity", "f1", "fbeta", "accuracy", "balanced_accuracy", "mcc",
    "informedness", "markedness", "positive_likelihood_ratio", "negative_likelihood_ratio", "lift",
    "expected_cost", "net_benefit", "npv", "fpr", "fnr", "fdr", "jaccard", "cohen_kappa", "geometric_mean",
    "predicted_positive_rate",
)  # fmt: skip
positive_numbers = mostly(
    st.one_of(st.floats(1e-6, 1e6), st.sampled_from([1, 2.0, 0, 1e12, 1e-12]))
)
counts = mostly(
    st.one_of(st.integers(1, 1000), st.sampled_from([0, 9999, 10000, 10**6, 10**9, 10**12]))
)
given_tables = mostly(tables(), share=25)
small_tables = mostly(whole_tables(), share=25)
named_tables = mostly(
    st.dictionaries(st.sampled_from(["a", "b", "c"]), tables(), min_size=1, max_size=3), share=20
)
