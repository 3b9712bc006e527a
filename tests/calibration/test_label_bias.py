"""Risks and the calibration error under biased labels, against linear programs and all corners."""

import numpy as np
import pytest

import puremetrics as pm
from tests.biased_tables import SCENARIOS, drawn
from tests.oracles import label_bias

TOLERANCE = 1e-9


def parts(seen, name):
    """What a positive adds at each score, and the part that does not depend on labels."""
    s, population = seen.score, seen.case.population
    if name == "brier_score":
        return 1 - 2 * s, float(population @ s**2)
    return np.log1p(-s) - np.log(s), float(-population @ np.log1p(-s))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_risks_reach_exactly_the_ends_of_the_linear_program(scenario):
    compared = 0
    for seen in drawn(21, scenario, 240):
        own = {name: parts(seen, name) for name in ("brier_score", "log_loss")}
        found = seen.case.mean_range([values for values, _ in own.values()], seen.ratio)
        compared += found is not None
        for i, (name, (values, rest)) in enumerate(own.items()):
            nonnegative = i == compared % 2
            result = getattr(pm, name)(seen.table, nonnegative=nonnegative, **seen.labels)
            low, high = result.bias_range
            assert 0 <= low <= high
            assert result.bias_range.kind == "identification"
            value = seen.prior * float(seen.case.share @ values) + rest
            if (
                found is None or abs(value - result.value) > 1e-12
            ):  # the negatives' part was held to 0
                continue
            expected = [max(seen.prior * end + rest, 0) for end in found[i]]
            assert [low, high] == pytest.approx(expected, abs=TOLERANCE), name
    assert compared >= 200


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_one_side_moves_one_end_of_a_risk(scenario):
    compared = 0
    for seen in drawn(22, scenario, 30):
        case = seen.case
        if np.any(seen.ratio * case.share / (1 + (seen.ratio - 1) * case.share) > case.caps):
            continue
        for name in ("brier_score", "log_loss"):
            call, compared = getattr(pm, name), compared + 1
            known = {"nonnegative": False, **seen.labels}
            both = call(seen.table, **known)
            high = call(seen.table, **known, label_bias_side="high").bias_range
            low = call(seen.table, **known, label_bias_side="low").bias_range
            # If high scores got the labels, positives with low scores are missing: the loss is larger.
            assert list(high) == pytest.approx([both.value, both.bias_range.high], abs=TOLERANCE)
            assert list(low) == pytest.approx([both.bias_range.low, both.value], abs=TOLERANCE)
    assert compared >= 12


def in_bins(seen, result):
    """Sums over the result's bins: score·F, shares of the labelled, and caps."""
    place = np.searchsorted(result.bins.upper, seen.score)
    size = result.bins.upper.size
    case = seen.case
    return [
        np.bincount(place, weights=weights, minlength=size)
        for weights in (case.population * seen.score, case.share, case.caps)
    ]


@pytest.mark.parametrize("side", ["either", "high", "low"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_calibration_error_reaches_exactly_the_ends(scenario, side):
    rng, binding = np.random.default_rng(23), 0
    for seen in drawn(23, scenario, 60):
        case, prior = seen.case, seen.prior
        options = {
            "n_bins": int(rng.integers(1, 7)),
            "binning": str(rng.choice(["balanced", "mass", "width"])),
            "label_bias_side": side,
        }
        result = pm.calibration_error(seen.table, **options, **seen.labels)
        scores, share, caps = in_bins(seen, result)
        assert np.abs(result.bins.gap) == pytest.approx(np.abs(scores - prior * share), abs=1e-12)
        value = float(np.abs(scores - prior * share).sum())
        room = np.maximum(caps, share)
        given = (scores, share, seen.ratio, room, prior, case.known)
        most = max(value, label_bias.largest_error(*given, side))
        tilted = share * np.array(list(label_bias.tilts(share.size, seen.ratio)))
        binding += bool(np.any(tilted / tilted.sum(axis=1, keepdims=True) > room))
        assert result.bias_range.high == pytest.approx(min(most, 1.0), abs=TOLERANCE)
        least = min(label_bias.least_error(*given, side), value)
        assert result.bias_range.low == pytest.approx(least, abs=TOLERANCE)
    assert binding >= 4


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_values_do_not_depend_on_the_bias(scenario):
    for seen in drawn(24, scenario, 8):
        for call in pm.brier_score, pm.log_loss, pm.calibration_error:
            random = call(seen.table, prior=seen.prior)
            biased = call(seen.table, **seen.labels)
            same = call(seen.table, prior=seen.prior, label_bias=1.0)
            assert same.to_dict() == random.to_dict()
            value = "error" if call is pm.calibration_error else "value"
            assert getattr(biased, value) == pytest.approx(getattr(random, value), abs=1e-12)
            assert biased.interval.low <= random.interval.low + 1e-12
            assert biased.interval.high >= random.interval.high - 1e-12


def test_ranges_are_nested():
    for scenario in SCENARIOS:
        for seen in drawn(25, scenario, 8):
            if np.any(seen.case.share > seen.case.caps):
                continue
            for call in pm.brier_score, pm.log_loss, pm.calibration_error:
                ranges = [
                    call(seen.table, prior=seen.prior, label_bias=bias).bias_range
                    for bias in (1.1, 2, 10, 1e6)
                ]
                assert np.all(np.diff([r.low for r in ranges]) <= TOLERANCE)
                assert np.all(np.diff([r.high for r in ranges]) >= -TOLERANCE)
