"""The correction against oracles written from Jain's definitions on raw rows."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import InputError, NotIdentifiableError, PriorError
from puremetrics.formulas import METRICS

from .oracles import jain
from .strategies import groups, scenarios, settings_for

TOLERANCE = 1e-12


@st.composite
def cases(draw, **options):
    data = draw(groups(**options))
    scenario = draw(scenarios)
    prior, purity = draw(settings_for(data, scenario))
    assume(purity - prior > 0.02)
    return data, scenario, prior, purity


@given(cases())
def test_direct_and_indirect_auc_equal_the_oracles(case):
    data, scenario, prior, purity = case
    table = data.table(scenario)
    known = {"scenario": scenario, "prior": prior, "purity": purity}
    scale = 1 / (purity - prior) ** 2
    direct = pm.roc_auc(table, prior=prior, purity=purity, method="direct")
    assert direct.value == pytest.approx(
        float(jain.auc_direct(*data, **known)), abs=TOLERANCE * scale
    )
    indirect = pm.roc_auc(table, prior=prior, purity=purity, method="indirect")
    oracle = float(jain.auc_envelope(*data, **known))
    assert indirect.value == pytest.approx(oracle, abs=TOLERANCE * scale)


@given(cases())
def test_confusion_counts_equal_the_oracle_at_every_threshold(case):
    data, scenario, prior, purity = case
    counts = pm.confusion_at_thresholds(data.table(scenario), prior=prior, purity=purity)
    for i, threshold in enumerate(counts.threshold):
        expected = (
            jain.confusion(
                *data, scenario=scenario, prior=prior, purity=purity, threshold=float(threshold)
            )
            if np.isfinite(threshold)
            else None
        )
        got = (counts.tp[i], counts.fp[i], counts.fn[i], counts.tn[i])
        if expected is None:
            assert got[0] == got[1] == 0
        else:
            assert got == pytest.approx(
                [float(x) for x in expected], abs=TOLERANCE * sum(map(len, data)) / (purity - prior)
            )


@given(cases(), st.sampled_from(sorted(METRICS)), st.floats(-4, 4))
def test_every_metric_equals_the_oracle(case, name, threshold):
    assume(name != "predicted_positive_rate")
    data, scenario, prior, purity = case
    estimate = pm.metric(
        data.table(scenario), name, threshold=threshold, prior=prior, purity=purity
    )
    entries = jain.confusion(
        *data, scenario=scenario, prior=prior, purity=purity, threshold=threshold
    )
    key = "fbeta" if name == "f1" else name
    expected = jain.metric(key, *entries)
    bottoms = [entries[0] + entries[1], entries[2] + entries[3], entries[0], entries[1], entries[3]]
    assume(all(x == 0 or abs(x) > 1e-2 for x in bottoms))  # near 0/0 every rounding is amplified
    if expected is None:
        assert np.isnan(estimate.value) or not np.isfinite(estimate.value)
    elif abs(float(expected)) < 1e9:
        tight = TOLERANCE * max(1.0, abs(float(expected))) / (purity - prior) ** 2 / 1e-2
        assert estimate.value == pytest.approx(float(expected), abs=tight)
        assert estimate.interval.low <= estimate.interval.high


@given(cases())
def test_curve_and_area_agree_and_curve_is_possible(case):
    data, scenario, prior, purity = case
    table = data.table(scenario)
    for method in ("indirect", "projected"):
        estimate = pm.roc_auc(table, prior=prior, purity=purity, method=method)
        curve = pm.roc_curve(table, prior=prior, purity=purity, method=method)
        assert curve.area == estimate.value == estimate.curve.area
        assert (curve.x[0], curve.y[0], curve.x[-1], curve.y[-1]) == (0, 0, 1, 1)
        for values in (curve.x, curve.y):
            assert values.min() >= 0
            assert values.max() <= 1
            assert np.all(np.diff(values) >= -TOLERANCE)
        precision = pm.pr_curve(table, prior=prior, purity=purity, method=method)
        average = pm.average_precision(table, prior=prior, purity=purity, method=method)
        assert precision.area == average.value
        assert 0 <= average.value <= 1 + TOLERANCE
        assert np.all((precision.y >= 0) & (precision.y <= 1 + TOLERANCE))
        assert estimate.interval.low <= estimate.value <= estimate.interval.high


@given(cases(negatives=False))
def test_both_precision_formulas_of_the_paper_agree(case):
    data, _, prior, purity = case
    assume(0.01 < prior < 0.9 * purity)
    table = data.table("case_control")
    counts = pm.confusion_at_thresholds(table, prior=prior, purity=purity)
    pos, unl = len(data.pos), len(data.unl)
    for i, threshold in enumerate(counts.threshold[1:], start=1):
        labelled = sum(s >= threshold for s in data.pos) / pos
        others = sum(s >= threshold for s in data.unl) / unl
        if others == 0:
            continue
        naive = pos * labelled / (pos * labelled + unl * others)
        c = pos / (pos + unl)
        through = (
            prior
            * (1 - prior)
            / (purity - prior)
            * ((1 - c) / c * naive / (1 - naive) - (1 - purity) / (1 - prior))
        )
        assert counts.tp[i] / (counts.tp[i] + counts.fp[i]) == pytest.approx(through, abs=1e-9)


@given(groups(unlabeled=False), scenarios)
def test_full_labels_give_scikit_learn_numbers(data, scenario):
    from sklearn import metrics

    table = data.table(scenario)
    y = [1] * len(data.pos) + [0] * len(data.neg)
    score = [*data.pos, *data.neg]
    auc = metrics.roc_auc_score(y, score)
    for method in ("direct", "indirect", "projected"):
        assert pm.roc_auc(table, prior=None, method=method).value == pytest.approx(
            auc, abs=TOLERANCE
        )
    ap = metrics.average_precision_score(y, score)
    assert pm.average_precision(table, prior=None).value == pytest.approx(ap, abs=TOLERANCE)
    fpr, tpr, _ = metrics.roc_curve(y, score, drop_intermediate=False)
    curve = pm.roc_curve(table, prior=None)
    assert np.interp(fpr, curve.x, curve.y)[-1] == 1
    assert curve.area == pytest.approx(metrics.auc(fpr, tpr), abs=TOLERANCE)
    threshold = data.neg[0]
    predicted = [s >= threshold for s in score]
    assert (
        pm.metric(table, "mcc", threshold=threshold, prior=None).value
        == pytest.approx(metrics.matthews_corrcoef(y, predicted), abs=TOLERANCE, nan_ok=True)
        or len(set(predicted)) == 1
    )
    for ours, theirs in (
        ("precision", metrics.precision_score),
        ("recall", metrics.recall_score),
        ("f1", metrics.f1_score),
        ("accuracy", metrics.accuracy_score),
        ("balanced_accuracy", metrics.balanced_accuracy_score),
    ):
        value = pm.metric(table, ours, threshold=threshold, prior=None).value
        assert value == pytest.approx(theirs(y, predicted), abs=TOLERANCE)


@given(groups(negatives=False), st.floats(0.01, 0.2))
def test_average_precision_is_the_raw_sum_where_nothing_needs_repair(data, prior):
    data = data._replace(unl=data.unl + 3 * data.pos)  # every positive is tied with unlabeled rows
    raw = pm.roc_curve(data.table("case_control"), prior=prior, method="direct")
    assert np.all(np.diff(raw.x) >= 0)
    expected = jain.average_precision_steps(*data, scenario="case_control", prior=prior)
    for method in ("indirect", "projected"):
        estimate = pm.average_precision(data.table("case_control"), prior=prior, method=method)
        assert estimate.value == pytest.approx(float(expected), abs=TOLERANCE)


def test_indirect_is_algorithm_1_with_many_rows():
    rng = np.random.default_rng(3)
    pos, unl = rng.normal(1.5, 1, 300), rng.normal(0, 1, 4000) + 1.5 * (rng.random(4000) < 0.3)
    data = [list(map(float, pos)), list(map(float, unl)), []]
    for purity in (1.0, 0.9):
        known = {"scenario": "case_control", "prior": 0.3, "purity": purity}
        literal = _algorithm_1(pos, unl, 0.3, purity)
        table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario="case_control")
        ours = pm.roc_auc(table, prior=0.3, purity=purity).value
        assert ours == pytest.approx(literal, abs=2e-3)
    assert float(jain.auc_direct(data[0][:40], data[1][:200], [], **known)) < 1.2


def _algorithm_1(pos, unl, prior, purity):
    thresholds = np.sort(np.concatenate([pos, unl]))[::-1]
    g = (pos[None] >= thresholds[:, None]).mean(1)
    f = (unl[None] >= thresholds[:, None]).mean(1)
    tpr = ((1 - prior) * g - (1 - purity) * f) / (purity - prior)
    fpr = (purity * f - prior * g) / (purity - prior)
    inside = (tpr >= 0) & (tpr <= 1) & (fpr >= 0) & (fpr <= 1)
    order = np.lexsort((tpr[inside], fpr[inside]))
    x = np.concatenate([[0], fpr[inside][order], [1]])
    y = np.maximum.accumulate(np.concatenate([[0], tpr[inside][order], [1]]))
    return np.trapezoid(y, x)


def test_caption_of_figure_4_is_wrong_and_equation_4_is_right():
    alpha, beta, auc = 0.25, 0.75, 0.90
    auc_pu = auc * (beta - alpha) + (1 - (beta - alpha)) / 2
    assert auc_pu == pytest.approx(0.70)


def test_worked_example_of_figure_1():
    # Three labelled positives and five unlabeled rows of which one is positive: the share is 1/5.
    table = pm.ScoreTable.from_groups(
        positive=[0.9, 0.7, 0.6],
        unlabeled=[0.8, 0.5, 0.4, 0.3, 0.2],
        scenario="single_training_set",
    )
    estimate = pm.roc_auc(table, prior=4 / 8, method="direct")
    assert estimate.unlabeled_share == pytest.approx(1 / 5)
    naive = 1 - 2 / 15
    assert estimate.value == pytest.approx((naive - 0.1) / 0.8)


@given(cases())
def test_monotone_maps_of_the_scores_change_nothing(case):
    data, scenario, prior, purity = case
    mapped = type(data)(*([np.arctan(s / 7) * 3 for s in group] for group in data))
    assume(len({s for g in mapped for s in g}) == len({s for g in data for s in g}))
    one, two = (pm.roc_auc(d.table(scenario), prior=prior, purity=purity) for d in (data, mapped))
    assert one.value == two.value
    assert tuple(one.interval) == tuple(two.interval)


@given(cases())
def test_flipping_the_scores_gives_one_minus_auc(case):
    data, scenario, prior, purity = case
    table = data.table(scenario)
    flipped = pm.roc_auc(table.flipped(), prior=prior, purity=purity, method="direct").value
    assert flipped == pytest.approx(
        1 - pm.roc_auc(table, prior=prior, purity=purity, method="direct").value, abs=1e-9
    )


@given(cases())
def test_scenarios_agree_on_rates_at_matching_priors(case):
    # Comparing with all rows at the prior equals comparing with the unlabeled at their share.
    data, _, prior, purity = case
    data = data._replace(neg=[])
    one = data.table("single_training_set")
    low, high = (
        purity * one.total_pos / one.total,
        (purity * one.total_pos + one.total_unl) / one.total,
    )
    overall = low + prior * (high - low)
    share = (overall * one.total - purity * one.total_pos) / one.total_unl
    assume(purity - overall > 0.02)
    assume(purity - share > 0.02)
    two = data.table("case_control")
    a = pm.roc_auc(one, prior=overall, purity=purity, method="direct").value
    b = pm.roc_auc(two, prior=share, purity=purity, method="direct").value
    assert a == pytest.approx(b, rel=1e-6, abs=1e-9)


@given(cases(), st.floats(0.2, 0.9))
def test_an_interval_of_priors_contains_the_results_at_its_points(case, part):
    data, scenario, prior, purity = case
    table = data.table(scenario)
    low = table.total_pos * purity / table.total if scenario != "case_control" else 0.0
    start = low + part * (prior - low)
    assume(start < prior)
    wide = pm.roc_auc(table, prior=(start, prior), purity=purity)
    assert wide.interval.kind == "combined"
    for at in (start, prior):
        point = pm.roc_auc(table, prior=at, purity=purity)
        assert point.interval.kind == "confidence"
        assert wide.interval.low <= point.interval.low + 1e-9
        assert wide.interval.high >= point.interval.high - 1e-9


def test_prior_estimate_is_taken_with_its_interval_and_purity():
    table = pm.ScoreTable.from_groups(
        positive=[5, 4, 3, 1], unlabeled=[4, 3, 2, 2, 1, 0, 0], scenario="case_control"
    )
    interval = pm.Interval(0.1, 0.3, 0.95, "confidence", "test")
    estimate = pm.roc_auc(table, prior=pm.PriorEstimate(0.2, interval, purity=0.9))
    assert estimate.purity == 0.9
    assert estimate.prior == 0.2
    assert estimate.interval.kind == "combined"
    beyond = pm.PriorEstimate(0.2, pm.Interval(0.1, 1.0, 0.95, "confidence", "test"))
    assert "PM108" in {d.code for d in pm.roc_auc(table, prior=beyond).diagnostics}


SINGLE = pm.ScoreTable.from_groups(
    positive=[5, 4, 3],
    unlabeled=[4, 3, 2, 1, 0, 0, 0],
    negative=[1, 0],
    scenario="single_training_set",
)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"prior": 0.1}, PriorError, "3 of 12 rows .0.25. are already labelled positive"),
        ({"prior": 0.9}, PriorError, "2 of 12 rows are known negatives"),
        ({"prior": 12}, PriorError, "percentage"),
        ({"prior": None}, PriorError, "prior is missing, and 7 rows are unlabeled"),
        ({"prior": "0.3"}, PriorError, "must be a number"),
        ({"prior": (0.4, 0.3)}, PriorError, "not an interval"),
        ({"prior": (0.1, 0.3)}, PriorError, "already labelled"),
        ({"prior": (0.3, 0.4, 0.5)}, PriorError, "3 values"),
        ({"prior": float("nan")}, PriorError, "not finite"),
        ({"prior": 0.5, "purity": 0.5}, NotIdentifiableError, "Pass purity > prior"),
        ({"prior": 0.5, "purity": 1.5}, PriorError, "purity=1.5 is not a share"),
        ({"prior": 0.5, "method": "best"}, InputError, "Choose one of 'direct'"),
        ({"prior": 0.5, "confidence_level": 95}, InputError, "Did you mean 0.95"),
    ],
)
def test_impossible_settings_get_their_own_sentence(options, error, message):
    with pytest.raises(error, match=message):
        pm.roc_auc(SINGLE, **options)


def test_values_outside_their_range_are_kept_and_named():
    table = pm.ScoreTable.from_groups(
        positive=[9, 8, 7], unlabeled=[6, 5, 4, 3], scenario="case_control"
    )
    direct = pm.roc_auc(table, prior=0.5, method="direct")
    assert direct.value == 1.5
    assert {"PM101", "PM107"} <= {d.code for d in direct.diagnostics}
    indirect = pm.roc_auc(table, prior=0.5)
    assert indirect.value == 1.0
    assert indirect.curve.raw_x.min() < 0
    precision = pm.metric(table, "precision", threshold=7, prior=0.5)
    assert precision.value == np.inf
    assert "PM101" in {d.code for d in precision.diagnostics}
    assert 0 < precision.interval.low < precision.interval.high == 1


def test_undefined_metrics_say_so():
    table = pm.ScoreTable.from_groups(positive=[2], unlabeled=[1, 0], scenario="case_control")
    estimate = pm.metric(table, "precision", threshold=5, prior=0.2)
    assert np.isnan(estimate.value)
    assert estimate.interval is None
    assert "PM103" in {d.code for d in estimate.diagnostics}


def test_known_negatives_are_counted_in_one_training_set_and_named_elsewhere():
    assert pm.roc_auc(SINGLE, prior=0.4).diagnostics[-1].code != "PM106"
    table = pm.ScoreTable.from_groups(
        positive=[5, 4], unlabeled=[4, 2, 1], negative=[1, 0], scenario="case_control"
    )
    assert "PM106" in {d.code for d in pm.roc_auc(table, prior=0.3).diagnostics}


def test_metric_options_and_names_are_checked():
    with pytest.raises(InputError, match="no metric 'auc'"):
        pm.metric(SINGLE, "auc", threshold=1, prior=0.4)
    with pytest.raises(InputError, match="'beta' is not an option of 'precision'"):
        pm.metric(SINGLE, "precision", threshold=1, prior=0.4, beta=2)
    with pytest.raises(InputError, match="must be positive"):
        pm.metric(SINGLE, "fbeta", threshold=1, prior=0.4, beta=0)
    with pytest.raises(InputError, match="before cut"):
        pm.metric(SINGLE.cut(), "precision", threshold=1, prior=0.4)
    two = pm.metric(SINGLE, "fbeta", threshold=3, prior=0.4, beta=1).value
    assert two == pm.metric(SINGLE, "f1", threshold=3, prior=0.4).value
    assert pm.metric(SINGLE, "sensitivity", threshold=3, prior=0.4).name == "recall"


def test_metrics_along_all_thresholds_match_those_at_one():
    counts = pm.confusion_at_thresholds(SINGLE, prior=0.4)
    along = counts.metric("f1")
    for i, threshold in enumerate(counts.threshold[1:], start=1):
        at = pm.metric(SINGLE, "f1", threshold=float(threshold), prior=0.4).value
        assert along[i] == pytest.approx(at, abs=1e-12)


def test_inverse_propensity_weights_undo_biased_labelling():
    rng = np.random.default_rng(5)
    n = 40_000
    y = rng.random(n) < 0.3
    score = rng.normal(size=n) + 1.5 * y
    propensity = 1 / (1 + np.exp(-2 * (score - 1)))  # confident positives are labelled more often
    labelled = y & (rng.random(n) < 0.5 * propensity)
    truth = pm.ScoreTable.from_groups(
        positive=score[y], unlabeled=None, negative=score[~y], scenario="case_control"
    )
    auc = pm.roc_auc(truth, prior=None).value
    labels = np.concatenate([np.ones(labelled.sum()), np.zeros(n)])
    scores = np.concatenate([score[labelled], score])
    weight = np.concatenate([1 / propensity[labelled], np.ones(n)])
    plain, weighted = (
        pm.roc_auc(
            pm.ScoreTable.from_arrays(labels, scores, scenario="case_control", sample_weight=w),
            prior=0.3,
            method="direct",
        )
        for w in (None, weight)
    )
    assert abs(plain.value - auc) > 0.05
    assert auc in weighted.interval
    assert weighted.interval.width > plain.interval.width


def test_a_prior_that_the_data_contradict_is_named():
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(3, 1, 500),
        unlabeled=np.concatenate([rng.normal(3, 1, 100), rng.normal(0, 1, 900)]),
        scenario="case_control",
    )
    assert "PM102" in {d.code for d in pm.roc_auc(table, prior=0.6, method="direct").diagnostics}
    assert "PM102" not in {d.code for d in pm.roc_auc(table, prior=0.1).diagnostics}
