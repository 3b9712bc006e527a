"""Published numbers, corrected: against raw rows, against the tables, and against Jain's own figures."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics import corrected_auc, corrected_precision
from puremetrics.exceptions import InputError, NotIdentifiableError, PriorError, ScenarioError
from tests.programs import load
from tests.small_tables import CC, SINGLE

ROWS = st.lists(st.integers(0, 6), min_size=1, max_size=15)


# ------------------------------------------------------------------ from the definitions, on raw rows


def area_of(above, below):
    """Share of pairs in the right order, ties half, exactly."""
    wins = sum(Fraction(2 * (a > b) + (a == b), 2) for a in above for b in below)
    return wins / (len(above) * len(below))


def known_world(seed, scenario, purity):
    """Labelled, hidden positives and negatives of a table whose hidden numbers fit prior and purity."""
    rng = np.random.default_rng(seed)
    right, wrong, hidden, negative = round(20 * purity), round(20 * (1 - purity)), 12, 40
    positives, negatives = rng.integers(2, 9, right), rng.integers(0, 7, wrong)
    rest = rng.integers(2, 9, hidden), rng.integers(0, 7, negative)
    prior = hidden / (hidden + negative)
    if scenario == SINGLE:
        prior = (right + hidden) / (20 + hidden + negative)
    return np.concatenate([positives, negatives]), np.concatenate(rest), prior


@pytest.mark.parametrize("scenario", [CC, SINGLE])
@pytest.mark.parametrize("purity", [1.0, 0.9])
@pytest.mark.parametrize("seed", range(5))
def test_the_table_and_its_published_numbers_agree(scenario, purity, seed):
    labelled, unlabeled, prior = known_world(seed, scenario, purity)
    table = pm.ScoreTable.from_groups(positive=labelled, unlabeled=unlabeled, scenario=scenario)
    auc_pu = float(area_of(labelled.tolist(), unlabeled.tolist()))
    known = {"prior": prior, "purity": purity, "scenario": scenario}
    sizes = {"n_pos": labelled.size, "n_unl": unlabeled.size}
    direct = pm.roc_auc(table, prior=prior, purity=purity, method="direct")
    found = corrected_auc(auc_pu, **known, **sizes)
    assert float(found) == pytest.approx(float(direct), abs=1e-12)
    assert found.unlabeled_share == pytest.approx(direct.unlabeled_share)
    share = labelled.size / (labelled.size + unlabeled.size)
    alone = corrected_auc(auc_pu, **known, labelled_share=share)
    assert float(alone) == pytest.approx(float(direct), abs=1e-12)
    assert alone.interval is None
    for threshold in (3, 5):
        flagged = int((labelled >= threshold).sum() + (unlabeled >= threshold).sum())
        precision_pu = float((labelled >= threshold).sum()) / flagged
        metric = pm.metric(table, "precision", threshold=threshold, prior=prior, purity=purity)
        counted = corrected_precision(precision_pu, **known, **sizes, n_flagged=flagged)
        assert float(counted) == pytest.approx(float(metric), abs=1e-12)
        assert tuple(counted.interval) == pytest.approx(tuple(metric.interval), abs=1e-12)
        alone = corrected_precision(precision_pu, **known, labelled_share=share)
        assert float(alone) == pytest.approx(float(metric), abs=1e-12)


@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_population_numbers_come_back(scenario):
    """Two levels of scores with known probabilities: the corrected numbers are the true ones."""
    tpr, fpr, prior, purity, labelled = 0.7, 0.2, 0.3, 0.8, 0.25
    unlabeled = prior if scenario == CC else (prior - purity * labelled) / (1 - labelled)
    above = purity * tpr + (1 - purity) * fpr
    others = unlabeled * tpr + (1 - unlabeled) * fpr
    auc_pu = above * (1 - others) + (above * others + (1 - above) * (1 - others)) / 2
    known = {"prior": prior, "purity": purity, "scenario": scenario, "labelled_share": labelled}
    assert float(corrected_auc(auc_pu, **known)) == pytest.approx((1 + tpr - fpr) / 2)
    precision_pu = labelled * above / (labelled * above + (1 - labelled) * others)
    truth = prior * tpr / (prior * tpr + (1 - prior) * fpr)
    assert float(corrected_precision(precision_pu, **known)) == pytest.approx(truth)


def test_the_erratum_of_figure_4():
    """(α, β, AUC) = (0.25, 0.75, 0.90) belongs to AUC_pu = 0.70, not to 0.80."""
    assert float(corrected_auc(0.70, prior=0.25, purity=0.75, scenario=CC)) == pytest.approx(0.9)
    beyond = corrected_auc(0.80, prior=0.25, purity=0.75, scenario=CC)
    assert float(beyond) == pytest.approx(1.1)
    assert [remark.code for remark in beyond.diagnostics] == ["PM101"]


@given(
    auc_pu=st.floats(0, 1), prior=st.floats(0, 0.9), purity=st.floats(0.3, 1), n=st.integers(1, 500),
    scenario=st.sampled_from([CC, SINGLE]), how=st.sampled_from(["worst_case", "hanley_mcneil"]),
)  # fmt: skip
def test_the_interval_holds_the_value(auc_pu, prior, purity, n, scenario, how):
    many = 10 * n
    if scenario == SINGLE:
        prior = max(prior, purity / 11)
    assume(purity - prior > 0.05)
    assume(prior <= (purity * n + many) / (n + many))
    found = corrected_auc(
        auc_pu, prior=prior, purity=purity, scenario=scenario, n_pos=n, n_unl=many, interval=how
    )
    assert found.interval.low <= float(found) <= found.interval.high
    assert found.interval.low < found.interval.high
    assert found.interval.kind == "confidence"
    wider = corrected_auc(
        auc_pu, prior=prior, purity=purity, scenario=scenario, n_pos=n, n_unl=many,
        confidence_level=0.99, interval=how,
    )  # fmt: skip
    if "PM102" in {remark.code for remark in found.diagnostics}:
        return  # all of it lay outside [0, 1]
    assert wider.interval.low <= found.interval.low + 1e-12
    assert wider.interval.high >= found.interval.high - 1e-12


def test_ranges_are_the_union_over_what_is_possible():
    ends = [
        float(corrected_auc(0.75, prior=p, purity=b, scenario=CC))
        for p in (0.1, 0.2, 0.3)
        for b in (0.8, 0.9)
    ]
    found = corrected_auc(0.75, prior=(0.1, 0.3), purity=(0.8, 0.9), scenario=CC)
    assert tuple(found.interval) == pytest.approx((min(ends), max(ends)))
    assert (found.interval.kind, found.interval.level) == ("identification", 1.0)
    both = corrected_auc(0.75, prior=(0.1, 0.3), purity=0.85, scenario=CC, n_pos=90, n_unl=900)
    assert (both.interval.kind, both.interval.level) == ("combined", 0.95)
    estimate = pm.PriorEstimate(0.2, pm.Interval(0.1, 0.3, 0.95, "confidence", "by hand"))
    same = corrected_auc(0.75, prior=estimate, purity=0.85, scenario=CC, n_pos=90, n_unl=900)
    assert same.interval.low == pytest.approx(both.interval.low)
    precision = corrected_precision(
        0.3, prior=(0.1, 0.3), purity=(0.8, 1.0), scenario=CC, labelled_share=0.2
    )
    grid = [
        float(corrected_precision(0.3, prior=p, purity=b, scenario=CC, labelled_share=0.2))
        for p in np.linspace(0.1, 0.3, 9)
        for b in np.linspace(0.8, 1.0, 9)
    ]
    assert tuple(precision.interval) == pytest.approx((min(grid), max(grid)))


def test_limits_of_the_area_by_hand():
    z = 1.959963984540054
    size = 80  # the smaller sample: the largest variance that is possible is that of a share among so many
    centre = (0.8 * size + z * z / 2) / (size + z * z)
    reach = z * math.sqrt(centre * (1 - centre) / (size + z * z))
    found = corrected_auc(0.8, prior=0.2, scenario=CC, n_pos=80, n_unl=900)
    expected = [0.5 + (end - 0.5) / 0.8 for end in (centre - reach, centre + reach)]
    assert tuple(found.interval) == pytest.approx(expected)
    published = corrected_auc(0.8, prior=0.2, scenario=CC, auc_pu_limits=(0.7, 0.88))
    assert tuple(published.interval) == pytest.approx([0.75, 0.975])
    assert published.standard_error == pytest.approx(0.18 / 2 / z / 0.8)
    error = math.sqrt(0.8 * 0.2 / 80)
    same = corrected_auc(0.8, prior=0.2, scenario=CC, auc_pu_error=error)
    assert tuple(same.interval) == pytest.approx(expected)


def test_a_random_number_of_labels_adds_to_the_error():
    """In a single training set the share among the unlabeled has an error of its own."""
    z, prior, labelled, rest = 1.959963984540054, 0.3, 100, 900
    rate = labelled / (labelled + rest)
    share = (prior - rate) / (1 - rate)
    error = math.sqrt(rate * (1 - rate) / (labelled + rest)) * (1 - prior) / (1 - rate) ** 2
    gap, centre = 1 - share, (0.8 * labelled + z * z / 2) / (labelled + z * z)
    reach = z * math.sqrt(centre * (1 - centre) / (labelled + z * z))
    value, moved = 0.5 + 0.3 / gap, z * error * 0.3 / gap**2
    found = corrected_auc(0.8, prior=prior, scenario=SINGLE, n_pos=labelled, n_unl=rest)
    low, high = ((end - 0.8) / gap for end in (centre - reach, centre + reach))
    expected = value - math.hypot(low, moved), value + math.hypot(high, moved)
    assert tuple(found.interval) == pytest.approx(expected)


def test_what_is_missing_or_impossible_is_said():
    known = {"prior": 0.2, "scenario": SINGLE}
    with pytest.raises(InputError, match="labelled_share"):
        corrected_auc(0.8, **known)
    with pytest.raises(InputError, match="how many of each"):
        corrected_precision(0.3, prior=0.2, scenario=CC)
    with pytest.raises(ScenarioError, match="missing"):
        corrected_auc(0.8, prior=0.2, scenario=None)
    with pytest.raises(PriorError, match="impossible"):
        corrected_auc(0.8, **known, labelled_share=0.4)
    with pytest.raises(NotIdentifiableError, match="larger share"):
        corrected_auc(0.8, prior=0.7, purity=0.6, scenario=CC)
    with pytest.raises(InputError, match=r"Did you mean 0\.8"):
        corrected_auc(80, prior=0.2, scenario=CC)
    with pytest.raises(InputError, match="n_unl is missing"):
        corrected_auc(0.8, prior=0.2, scenario=CC, n_pos=10)
    with pytest.raises(InputError, match="contradicts"):
        corrected_auc(0.8, **known, labelled_share=0.1, n_pos=50, n_unl=50)
    with pytest.raises(InputError, match="outside auc_pu_limits"):
        corrected_auc(0.8, prior=0.2, scenario=CC, auc_pu_limits=(0.1, 0.2))
    with pytest.raises(InputError, match="published interval"):
        corrected_auc(0.8, prior=0.2, scenario=CC, auc_pu_limits=0.1)
    with pytest.raises(InputError, match="must be positive"):
        corrected_auc(0.8, prior=0.2, scenario=CC, auc_pu_error=0)
    with pytest.raises(InputError, match="prior is missing"):
        corrected_auc(0.8, prior=None, scenario=CC)
    with pytest.raises(InputError, match="strictly between"):
        corrected_auc(0.8, prior=0.2, scenario=CC, labelled_share=1)
    with pytest.raises(InputError, match="no unlabeled row was flagged"):
        corrected_precision(1.0, prior=0.2, scenario=CC, labelled_share=0.1)
    with pytest.raises(InputError, match="n_pos and n_unl as well"):
        corrected_precision(0.3, prior=0.2, scenario=CC, labelled_share=0.1, n_flagged=10)
    with pytest.raises(InputError, match="but there are 10 and 20"):
        corrected_precision(0.9, prior=0.2, scenario=CC, n_pos=10, n_unl=20, n_flagged=20)
    above = corrected_precision(0.9, prior=0.5, scenario=CC, labelled_share=0.2)
    assert float(above) == 1.0
    assert [remark.code for remark in above.diagnostics] == ["PM101"]


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [CC, SINGLE])
@pytest.mark.parametrize("family", ["smooth", "5% at the bottom"])
def test_the_worst_case_covers_whatever_the_scores(scenario, family):
    harsh = load("harsh_worlds").Harsh(scenario, family, "good", 0.1, 60)
    rng, repeats = np.random.default_rng(4), 200
    hits = {"worst_case": 0, "hanley_mcneil": 0}
    for _ in range(repeats):
        labelled, hidden, negative = harsh.counts(rng)
        unlabeled = hidden + negative
        below = np.cumsum(unlabeled) - unlabeled / 2
        auc_pu = float(np.dot(labelled, below) / labelled.sum() / unlabeled.sum())
        for how in hits:
            found = corrected_auc(
                auc_pu, prior=0.1, scenario=scenario, n_pos=int(labelled.sum()),
                n_unl=int(unlabeled.sum()), interval=how,
            )  # fmt: skip
            hits[how] += harsh.roc_auc in found.interval
    assert hits["worst_case"] / repeats >= 0.93
    if family != "smooth":
        assert hits["hanley_mcneil"] < hits["worst_case"]
