"""What biased labels leave open, against linear programs and against trying every tilt."""

import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import InputError, UnsupportedError
from tests.biased_tables import CC, SCENARIOS, SINGLE, draw, drawn
from tests.oracles import label_bias

TOLERANCE = 1e-9


def ends(interval):
    return pytest.approx(sorted(interval), abs=TOLERANCE)


def is_ordered(result):
    low, high = result.bias_range
    return 0 <= low <= high <= 1


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_areas_reach_exactly_the_ends_of_the_linear_program(scenario):
    compared = 0
    for seen in drawn(1, scenario, 230):
        case, table = seen.case, seen.table
        result = pm.roc_auc(table, **seen.labels)
        assert result.bias_range.kind == "identification"
        found = case.mean_range(label_bias.below(case.population), seen.ratio)
        assert result.bias_range.low <= result.value + 1e-12
        assert result.value <= result.bias_range.high + 1e-12
        if np.any(case.share > case.caps):  # labels at random do not fit, and the curve is repaired
            assert is_ordered(result)
            continue
        compared += 1
        assert list(result.bias_range) == ends(label_bias.auc(end, seen.prior) for end in found)
        assert is_ordered(result)
    assert compared >= 130


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_values_do_not_depend_on_the_bias(scenario):
    for seen in drawn(3, scenario, 15):
        table, prior = seen.table, {"prior": seen.prior}
        calls = [
            *(partial(pm.roc_auc, table, method=m) for m in ("indirect", "direct", "projected")),
            partial(pm.average_precision, table),
            partial(pm.metric, table, "f1", threshold=float(np.median(seen.score))),
        ]
        for call in calls:
            random = call(**prior)
            biased = call(**seen.labels)
            assert biased.value == pytest.approx(random.value, abs=1e-12)
            assert biased.interval.low <= random.interval.low + 1e-12
            assert biased.interval.high >= random.interval.high - 1e-12
            low, high = biased.bias_range
            assert biased.interval.low <= low + 1e-12
            assert high <= biased.interval.high + 1e-12
            assert call(**prior, label_bias=1, label_bias_side="high").to_dict() == random.to_dict()
        assert pm.roc_curve(table, **prior, label_bias=1).bias_range is None


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_one_side_leaves_the_other_end_at_the_value(scenario):
    compared = 0
    for seen in drawn(4, scenario, 50):
        case, table = seen.case, seen.table
        values = label_bias.below(case.population)
        capped = case.mean_range(values, seen.ratio)
        free = case.mean_range(values, seen.ratio, capped=False)
        if capped is None or np.any(case.share > case.caps):
            continue
        both = pm.roc_auc(table, **seen.labels).bias_range
        for side, end in ("high", 0), ("low", 1):
            result = pm.roc_auc(table, **seen.labels, label_bias_side=side)
            found = list(result.bias_range)
            assert found[1 - end] == pytest.approx(result.value, abs=TOLERANCE)
            if abs(capped[end] - free[end]) < 1e-12:
                compared += 1
                assert found[end] == pytest.approx(list(both)[end], abs=TOLERANCE)
                monotone = case.mean_range(values, seen.ratio, side=side)
                assert found[end] == pytest.approx(
                    label_bias.auc(monotone[end], seen.prior), abs=TOLERANCE
                )
    assert compared >= 30


def free_of_caps(seed, count):
    """Tables at which every tilt fits among the unlabeled rows, and the average precision of a tilt."""
    for scenario in SCENARIOS:
        for seen in drawn(seed, scenario, count, most=6):
            case = seen.case
            if np.all(seen.ratio * case.share / (1 + (seen.ratio - 1) * case.share) <= case.caps):

                def at(tilt, case=case):
                    return label_bias.average_precision(
                        case.found(tilt), case.population, case.prior
                    )

                yield seen, at


def test_average_precision_stays_within_all_tilts_and_contains_the_steps_to_each_side():
    compared = 0
    for seen, at in free_of_caps(5, 140):
        compared += 1
        result = pm.average_precision(seen.table, **seen.labels)
        k, (low, high) = seen.score.size, result.bias_range
        assert result.value == pytest.approx(at(np.ones(k)), abs=1e-12)
        values = [at(tilt) for tilt in label_bias.tilts(k, seen.ratio)]
        assert high <= max(values) + TOLERANCE  # convex in the distribution: largest at a corner
        assert label_bias.least_average_precision(seen.case, seen.ratio) - 1e-7 <= low
        up = max(at([seen.ratio] * cut + [1.0] * (k - cut)) for cut in range(k))
        down = min(at([1.0] * cut + [seen.ratio] * (k - cut)) for cut in range(k))
        assert low <= down + TOLERANCE
        assert up - TOLERANCE <= high
    assert compared >= 100


def test_average_precision_contains_steps_in_both_directions():
    for seen, at in free_of_caps(5, 300):
        low, high = pm.average_precision(seen.table, **seen.labels).bias_range
        steps = [at(tilt) for tilt in label_bias.step_tilts(seen.score.size, seen.ratio)]
        assert low <= min(steps) + TOLERANCE
        assert max(steps) - TOLERANCE <= high


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_curves_lie_between_shifted_heads(scenario):
    compared = 0
    for seen in drawn(6, scenario, 60):
        case, table, prior = seen.case, seen.table, seen.prior
        head, room = np.cumsum(case.share), np.cumsum(case.caps)
        least = np.append(np.maximum(0, 1 - np.cumsum(case.caps[::-1])[::-1][1:]), 1.0)
        least, room = np.minimum(least, head), np.maximum(np.minimum(room, 1), head)
        roc = pm.roc_curve(table, method="direct", **seen.labels).bias_range
        pr = pm.pr_curve(table, **seen.labels).bias_range
        for name, ratio in ("lower", 1 / seen.ratio), ("upper", seen.ratio):
            moved = [label_bias.shifted(share, ratio) for share in head]
            moved = np.clip(moved, least, room)
            tpr = dict(zip(seen.score, case.known * head + (1 - case.known) * moved, strict=True))
            share = dict(zip(seen.score, np.cumsum(case.population), strict=True))
            curve = getattr(roc, name)
            for t, x, y in zip(curve.threshold[1:], curve.x[1:], curve.y[1:], strict=True):
                assert y == pytest.approx(tpr[t], abs=TOLERANCE)
                assert x == pytest.approx((share[t] - prior * tpr[t]) / (1 - prior), abs=TOLERANCE)
            if np.any(np.diff(curve.x) < 0):  # a curve that has to be repaired first
                continue
            compared += 1
            curve = getattr(pr, name)
            for t, x, y in zip(curve.threshold[1:], curve.x[1:], curve.y[1:], strict=True):
                assert x == pytest.approx(tpr[t], abs=TOLERANCE)
                assert y == pytest.approx(prior * tpr[t] / share[t], abs=TOLERANCE)
    assert compared >= 60


@st.composite
def tables(draw_, scenario=None):
    seed = draw_(st.integers(0, 2**32 - 1))
    scenario = scenario or draw_(st.sampled_from(SCENARIOS))
    return draw(np.random.default_rng(seed), scenario)


@given(tables(), st.integers(2, 40))
def test_counts_of_all_rows_times_a_number_change_no_range(seen, times):
    many = seen._replace(pos=seen.pos * times, unl=seen.unl * times, neg=seen.neg * times)
    one, other = (pm.roc_auc(t.table, **seen.labels).bias_range for t in (seen, many))
    assert list(one) == ends(other)


@given(tables())
def test_monotone_maps_of_the_scores_change_no_range(seen):
    mapped = seen._replace(score=np.exp(3 * seen.score))
    for call in pm.roc_auc, pm.average_precision:
        one, other = (call(t.table, **seen.labels).bias_range for t in (seen, mapped))
        assert list(one) == ends(other)


@given(tables(scenario=CC))
def test_flipped_scores_mirror_the_range(seen):
    flipped = seen._replace(score=-seen.score)
    case = seen.case
    assume(np.all(case.share <= case.caps))  # else the curve is repaired
    one, other = (pm.roc_auc(t.table, **seen.labels).bias_range for t in (seen, flipped))
    assert [1 - one.high, 1 - one.low] == ends(other)


def test_propensities_of_equal_size_change_nothing_and_others_move_the_shares():
    compared = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        score = rng.integers(1, 7, 300) / 8
        y = np.zeros(300, int)
        y[rng.choice(300, 40, replace=False, p=score / score.sum())] = 1
        prior, ratio = 0.2, 2.0
        chance = rng.uniform(0.3, 1.0, 7)[(8 * score).astype(int)]
        known = {"prior": prior, "label_bias": ratio}
        plain = pm.ScoreTable.from_arrays(y, score, scenario=CC)
        even = pm.ScoreTable.from_arrays(y, score, scenario=CC, propensity=np.full(300, 0.5))
        one, other = (pm.roc_auc(table, **known).bias_range for table in (plain, even))
        assert list(one) == ends(other)
        table = pm.ScoreTable.from_arrays(y, score, scenario=CC, propensity=chance)
        result = pm.roc_auc(table, **known)
        levels = np.arange(6, 0, -1) / 8
        pos, unl = (
            np.array([np.sum(w[(score == s) & (y == group)]) for s in levels])
            for w, group in ((1 / chance, 1), (np.ones(300), 0))
        )
        case = label_bias.case(pos, unl, np.zeros(6), scenario=CC, prior=prior)
        found = case.mean_range(label_bias.below(case.population), ratio)
        if found is not None:
            compared += 1
            assert list(result.bias_range) == ends(label_bias.auc(end, prior) for end in found)
    assert compared >= 12


def test_a_bias_on_top_of_propensities_is_refused_in_a_single_training_set():
    labels, score = [1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1]
    table = pm.ScoreTable.from_arrays(
        labels, score, scenario=SINGLE, propensity=[0.5, 1] + 4 * [None]
    )
    for call in (
        lambda: pm.roc_auc(table, prior=0.5, label_bias=2),
        lambda: pm.evaluate(table, label_bias=2),
        lambda: pm.tipping_point(table, above=0.6, prior=0.5),
        lambda: pm.label_bias_sensitivity(table, prior=0.5),
    ):
        with pytest.raises(UnsupportedError, match="propensities"):
            call()


def test_many_scores_have_ranges_that_grow_with_the_bias():
    rng = np.random.default_rng(0)
    positive = rng.normal(2.5, 1, 300)
    unlabeled = np.where(rng.random(4000) < 0.3, rng.normal(2.5, 1, 4000), rng.normal(0, 1, 4000))
    groups = [np.round(1 / (1 + np.exp(4 - 2.5 * x)), 2) for x in (positive, unlabeled)]
    table = pm.ScoreTable.from_groups(positive=groups[0], unlabeled=groups[1], scenario=CC)
    before = (1.0, 0.0)
    for ratio in (1.2, 2.0, 2.9, 3.0, 4.0, 10.0):
        result = pm.roc_auc(table, prior=0.3, label_bias=ratio)
        low, high = result.bias_range
        assert low <= result.value <= high
        assert low < before[0]
        assert high > before[1]
        before = low, high
    point = pm.tipping_point(table, above=0.85, prior=0.3)
    lows = [
        pm.roc_auc(table, prior=0.3, label_bias=factor * point.label_bias).bias_range.low
        for factor in (0.999, 1.001)
    ]
    assert lows[0] > 0.85 > lows[1]


def test_without_unlabeled_rows_there_is_no_room_to_run_out_of():
    table = pm.ScoreTable.from_groups(
        positive=[3, 2, 1, 0.5], unlabeled=[], negative=np.linspace(0, 1.8, 50), scenario=CC
    )
    found = pm.metric(table, "recall", threshold=1.9, prior=0.3, label_bias=5)
    assert list(found.bias_range) == ends([1 / 6, 5 / 6])


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_any_bias_up_to_a_million_without_a_warning(scenario):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seen in drawn(8, scenario, 6):
            for ratio in (1 + 1e-12, 1 + 1e-6, 1e3, 1e6):
                known = {"prior": seen.prior, "label_bias": ratio}
                for result in (
                    pm.roc_auc(seen.table, **known),
                    pm.average_precision(seen.table, **known),
                    pm.metric(seen.table, "precision", threshold=float(seen.score[1]), **known),
                ):
                    assert is_ordered(result)
                    if ratio < 1.1 and np.all(seen.case.share <= seen.case.caps):
                        assert result.bias_range.width <= 10 * (ratio - 1) + 1e-12
                        assert result.value == pytest.approx(result.bias_range.low, abs=1e-4)


CALLS = (
    pm.roc_auc,
    pm.average_precision,
    pm.roc_curve,
    pm.pr_curve,
    lambda table, **known: pm.metric(table, "recall", threshold=0.5, **known),
    pm.brier_score,
    pm.log_loss,
    pm.calibration_error,
)


@pytest.mark.parametrize("call", CALLS)
def test_bad_arguments_are_named(call):
    table = draw(np.random.default_rng(0), CC).table
    for bias in (0.5, 0, -1, np.nan, np.inf, 1e7, "2", True, None):
        with pytest.raises(InputError, match="label_bias"):
            call(table, prior=0.1, label_bias=bias)
    with pytest.raises(InputError, match="Did you mean 2"):
        call(table, prior=0.1, label_bias=0.5)
    for side in ("up", "", 1, None):
        with pytest.raises(InputError, match=r"label_bias_side.*either"):
            call(table, prior=0.1, label_bias=2, label_bias_side=side)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("side", ["high", "low"])
def test_a_known_side_is_sharp_where_room_binds(scenario, side):
    compared = 0
    for seen in drawn(11, scenario, 60):
        case = seen.case
        if np.any(case.share > case.caps) or np.any((seen.pos > 0) & (seen.unl == 0)):
            continue
        values = label_bias.below(case.population)
        found = pm.roc_auc(seen.table, **seen.labels, label_bias_side=side).bias_range
        exact = case.mean_range(values, seen.ratio, side=side)
        assert list(found) == ends(label_bias.auc(end, seen.prior) for end in exact)
        free = case.mean_range(values, seen.ratio, side=side, capped=False)
        compared += float(np.max(np.abs(exact - free))) > 1e-6
    assert compared >= 5


NESTED = {
    "roc_auc": pm.roc_auc,
    "partial area": partial(pm.roc_auc, max_fpr=0.3),
    "average_precision": pm.average_precision,
    "brier_score": pm.brier_score,
    "log_loss": pm.log_loss,
    "calibration_error": lambda *a, **k: pm.calibration_error(*a, n_bins=4, **k).estimate(),
    "ndcg": pm.ndcg,
    "bedroc": pm.bedroc,
    "enrichment_factor": partial(pm.enrichment_factor, top=0.2),
    "precision of the first rows": partial(pm.metric, statistic="precision", top=10),
    **{
        name: partial(pm.metric, statistic=name, threshold=0.5)
        for name in ("recall", "precision", "f1", "mcc", "balanced_accuracy")
    },
}
BY_SEARCH = {"average_precision": 1e-5}  # how far ends may be off that a search finds


@given(
    tables(),
    st.sampled_from(sorted(NESTED)),
    st.sampled_from(["either", "high", "low"]),
    st.lists(st.floats(0.001, 4), min_size=2, max_size=4),
)
def test_a_larger_bias_never_narrows(seen, name, side, logs):
    """Ranges and intervals hold the value, and those of every smaller bias."""
    slack = BY_SEARCH.get(name, TOLERANCE)
    last = NESTED[name](seen.table, prior=seen.prior)
    assume(not np.isnan(last.value) and last.interval is not None)
    value = last.value
    ranges, limits = (value, value), tuple(last.interval)
    for ratio in np.exp(sorted(logs)):
        found = NESTED[name](
            seen.table, prior=seen.prior, label_bias=float(ratio), label_bias_side=side
        )
        assert found.value == pytest.approx(value, abs=1e-12)
        assert found.interval.low <= found.bias_range.low + 1e-12
        assert found.bias_range.high <= found.interval.high + 1e-12
        assert found.bias_range.low <= ranges[0] + slack
        assert ranges[1] <= found.bias_range.high + slack
        assert found.interval.low <= limits[0] + TOLERANCE
        assert limits[1] <= found.interval.high + TOLERANCE
        ranges, limits = tuple(found.bias_range), tuple(found.interval)


def test_room_that_was_too_small_does_not_open_up_again():
    table = pm.ScoreTable.from_counts([3, 2, 1], n_pos=[4, 6, 0], n_unl=[2, 30, 68], scenario=CC)
    ranges = [pm.roc_auc(table, prior=0.3, label_bias=g).bias_range for g in (2, 8, 12)]
    assert [round(found.high, 4) for found in ranges] == [0.9986] * 3
    assert ranges[0].low > ranges[1].low > ranges[2].low


def test_average_precision_goes_on_from_the_best_step():
    table = pm.ScoreTable.from_counts(
        [0.9, 0.75, 0.4, 0.3], n_pos=[5, 11, 1, 6], n_unl=[8, 21, 42, 9], scenario=CC
    )
    found = pm.average_precision(table, prior=0.3242, label_bias=2.36)
    assert found.bias_range.high == pytest.approx(0.739, abs=0.0005)  # attained; steps reach 0.713
    assert found.bias_range.low <= found.value <= found.bias_range.high


def test_average_precision_leaves_out_tilts_that_room_has_bent_beyond_the_bias():
    # The first row is full: with heads cut to their room, a step would tilt the others by a factor of 9.
    table = pm.ScoreTable.from_counts(
        [4, 3, 2, 1], n_pos=[11, 2, 0, 10], n_unl=[12, 25, 36, 46], scenario=CC
    )
    found = pm.average_precision(table, prior=0.2035, label_bias=3.561)
    assert found.bias_range.high == pytest.approx(0.6524, abs=0.0005)
