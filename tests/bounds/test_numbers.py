"""How many latent positives there may be, from the definition of the quantiles; and which basis is taken."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.bounds.contingency import latent_range
from puremetrics.exceptions import InputError, PriorError
from puremetrics.setting import Setting
from tests.bounds.cases import ROWS
from tests.bounds.enumeration import binomial_range
from tests.small_tables import CC, SINGLE


def table_of(pos, unl, neg, scenario):
    groups = (np.arange(float(size)) for size in (pos, unl, neg))
    positive, unlabeled, negative = groups
    return pm.ScoreTable.from_groups(
        positive=positive,
        unlabeled=unlabeled,
        negative=negative if neg else None,
        scenario=scenario,
    )


shares = st.integers(0, 40).map(lambda k: k / 40)


@given(
    st.integers(1, 9),
    st.integers(2, 40),
    st.integers(0, 9),
    shares,
    shares,
    st.sampled_from([0.5, 0.9, 0.95]),
)
def test_quantiles_of_the_population(pos, unl, neg, one, other, level):
    low, high = sorted((one, other))
    for scenario in (CC, SINGLE):
        table = table_of(pos, unl, neg, scenario)
        least, most = table.design.prior_limits(table.totals)
        ends = [min(max(end, least), most) for end in (low, high)]
        if ends[1] >= 1:
            continue
        found = latent_range(Setting.of(table, tuple(ends), confidence_level=level))
        rows, seen = (unl, 0) if scenario == CC else (pos + unl + neg, pos)
        error = 0.2 * (1 - level)
        expected = [m - seen for m in binomial_range(rows, *ends, error)]
        first = int(scenario == CC and ends[1] > 0)
        last = unl - int(scenario == CC or neg == 0)
        assert (found.low, found.high) == tuple(min(max(m, first), last) for m in expected)
        if found.low < found.high:
            assert found.level == pytest.approx(1 - 0.8 * (1 - level))
        else:
            assert found.level == level


def test_the_share_among_the_rows_is_rounded():
    table = table_of(10, 100, 0, CC)
    for prior, numbers in ((0.304, (30, 30)), (0.306, (31, 31)), ((0.2, 0.4), (20, 40))):
        assert latent_range(Setting.of(table, prior), "rows") == (*numbers, 0.95)
    both = table_of(10, 80, 10, SINGLE)
    assert latent_range(Setting.of(both, 0.3), "rows")[:2] == (20, 20)
    with pytest.raises(InputError, match="prior_of='sample' is unknown"):
        pm.roc_bounds(table, prior=0.3, prior_of="sample")


def test_numbers_without_a_positive_or_a_negative_are_left_out():
    table = table_of(10, 30, 0, CC)
    rare = latent_range(Setting.of(table, 0.01))
    assert (rare.low, rare.high) == (1, 2)
    assert latent_range(Setting.of(table, 0.99))[1] == 29
    assert pm.roc_auc_bounds(table, prior=0.001).high == 1
    with pytest.raises(PriorError, match="Pass a larger prior"):
        pm.roc_auc_bounds(table, prior=0.0)
    with pytest.raises(PriorError, match="0 of the 30 unlabeled rows"):
        pm.roc_auc_bounds(table, prior=0.001, **ROWS)


BOUNDS = {
    "roc_auc": lambda t, **known: tuple(pm.roc_auc_bounds(t, **known)),
    "average_precision": lambda t, **known: tuple(pm.average_precision_bounds(t, **known)),
    "metric": lambda t, **known: tuple(pm.metric_bounds(t, "f1", threshold=0.5, **known)),
    "metric_curve": lambda t, **known: ends(pm.metric_curve_bounds(t, "mcc", **known)),
    "confusion": lambda t, **known: rates(pm.confusion_bounds(t, **known)),
    "roc": lambda t, **known: areas(pm.roc_bounds(t, **known)),
    "pr": lambda t, **known: areas(pm.pr_bounds(t, **known)),
}


def ends(pair):
    return pair.lower.y[5:-5], pair.upper.y[5:-5]


def areas(pair):
    return pair.lower.area, pair.upper.area


def rates(pair):
    return tuple(counts.fp / (counts.fp + counts.tn) for counts in (pair.upper, pair.lower))


def with_negatives(rng, scenario):
    sizes = rng.integers(3, 40), rng.integers(20, 120), rng.integers(3, 60)
    unlabeled = rng.normal(size=sizes[1]) + (rng.random(sizes[1]) < 0.4)
    return pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, sizes[0]).round(1), unlabeled=unlabeled.round(1),
        negative=rng.normal(size=sizes[2]).round(1), scenario=scenario,
    )  # fmt: skip


@pytest.mark.parametrize("name", sorted(BOUNDS))
@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_the_tightest_basis_is_never_wider_than_either(name, scenario):
    rng = np.random.default_rng(0)
    smaller = 0
    for _ in range(12):
        table = with_negatives(rng, scenario)
        low, high = table.design.prior_limits(table.totals)
        prior = low + 0.4 * (high - low)
        widths = {}
        for basis in ("positives", "negatives", "tightest"):
            found = BOUNDS[name](table, prior=prior, basis=basis)
            widths[basis] = np.subtract(found[1], found[0])
        best = np.fmin(widths["positives"], widths["negatives"])
        assert np.all(widths["tightest"] <= best + 1e-12)
        smaller += np.any(widths["negatives"] < widths["positives"] - 1e-9)
    assert smaller > 0


def drawn(rng, scenario, prior, labelled, rows):
    """Rows of a population; the labelled positives, the hidden ones and the negatives."""
    if scenario == CC:
        latent = rng.binomial(rows, prior)
        sizes = labelled, latent, rows - latent
    else:
        positives = rng.binomial(labelled + rows, prior)
        seen = rng.binomial(positives, labelled / (labelled + rows) / prior)
        sizes = seen, positives - seen, labelled + rows - positives
    return [rng.normal(shift, 1, size) for shift, size in zip((1.5, 1.5, 0), sizes, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_bounds_hold_if_the_prior_is_that_of_the_population(scenario):
    """As it is they do; taken for that of the rows they do not."""
    rng, prior, repeats = np.random.default_rng(8), 0.2, 400
    held = {"population": 0, "rows": 0}
    for _ in range(repeats):
        positive, hidden, negative = drawn(rng, scenario, prior, 100, 600)
        table = pm.ScoreTable.from_groups(
            positive=positive, unlabeled=np.concatenate([hidden, negative]), scenario=scenario
        )
        head = (hidden >= 0.5).sum() + (scenario == SINGLE) * (positive >= 0.5).sum()
        precision = head / (head + (negative >= 0.5).sum())
        for meaning in held:
            held[meaning] += precision in pm.metric_bounds(
                table, "precision", threshold=0.5, prior=prior, prior_of=meaning
            )
    assert held["population"] / repeats >= 0.95
    assert held["rows"] / repeats < 0.93
