"""Random labels tested from several populations, without a prior."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError, PriorError, UnsupportedError
from puremetrics.priors import populations as checked
from puremetrics.tables.populations import Populations
from tests.oracles import populations as oracle
from tests.programs import load

World = load("simulate_populations").Populations
CC, ONE = "case_control", "single_training_set"


def rows(seed=0, scenario=CC, priors=(0.1, 0.4), n=3000, labelled=200, **more):
    return World(scenario, priors, n, labelled, **more).draw(np.random.default_rng(seed))


def counts(label, score, place):
    found = Populations.from_arrays(label, score, population=place, scenario=CC)
    return checked._counts(found.labelled, list(found.unlabeled.values()))


@pytest.mark.parametrize("levels", [0, 7])
@pytest.mark.parametrize("labelled", [25, 90, 400])
def test_ranges_are_those_of_the_oracle(labelled, levels):
    label, score, place = rows(labelled, n=400, labelled=labelled, levels=levels)
    parts = [score[(label == 0) & (place == j)] for j in (0, 1)]
    ends = oracle.ranges(score[label == 1], parts)
    pos, unl = counts(label, score, place)
    wanted = [oracle.counted(own, ends) for own in (score[label == 1], *parts)]
    np.testing.assert_array_equal(np.vstack([pos, unl]), wanted)


@pytest.mark.parametrize("ratio", [1.0, 1.5, 1 / 1.5])
def test_the_line_is_the_most_likely_one(ratio):
    label, score, place = rows(3, n=40_000, labelled=4000, ratio=ratio)
    pos, unl = counts(label, score, place)
    fit = checked._Fit.of(pos, unl)
    wanted, _, weights = oracle.likelihood_ratio(pos, *unl)
    assert fit.alone == pytest.approx(wanted, rel=0.03)
    told = (weights[1] - weights[0]) / (1 - weights[0])
    assert fit.excess[1] == pytest.approx(told, abs=2e-3)
    assert fit.rest == pytest.approx(0, abs=1e-6)  # two populations leave nothing for the classes


def test_shares_on_the_line_fit_exactly():
    pos = np.array([0.05, 0.1, 0.2, 0.25, 0.4])
    neg = np.array([0.4, 0.3, 0.15, 0.1, 0.05])
    unl = np.array([(1 - a) * neg + a * pos for a in (0.1, 0.3, 0.6)]) * 1e5
    fit = checked._Fit.of(1000 * pos, unl)
    assert fit.alone == pytest.approx(0, abs=1e-4)
    assert fit.excess == pytest.approx([0, 0.2 / 0.9, 0.5 / 0.9], abs=1e-3)
    tilted = pos * np.exp(np.cumsum(pos) - pos / 2)
    biased = checked._Fit.of(1e5 * tilted / tilted.sum(), unl)
    assert biased.tilt == pytest.approx(1, abs=0.1)
    assert biased.alone - biased.tilted > 50
    assert biased.rest < 1  # of three degrees of freedom: unlabeled rows are as they were
    shifted = unl.copy()
    shifted[1] = np.roll(unl[1], 1)
    assert checked._Fit.of(1000 * pos, shifted).rest > 100


def noticed(repeats, seed, **world):
    told = []
    for i in range(repeats):
        label, score, place = rows([seed, i], **world)
        found = pm.check_labelling(
            label, score, by=place, scenario=world.get("scenario", CC), confidence_level=0.95
        )
        told.append((found.p_value < 0.05, (found.p_classes or 1) < 0.05))
    return np.mean(told, axis=0)


@pytest.mark.parametrize("scenario", [CC, ONE])
@pytest.mark.parametrize("priors", [(0.1, 0.4), (0.1, 0.2, 0.3), (0.2, 0.2)])
def test_false_alarms_are_as_rare_as_the_level_says(scenario, priors):
    labels, classes = noticed(100, 5, scenario=scenario, priors=priors, n=2000, labelled=150)
    assert labels <= 0.05 + 3 * (0.05 * 0.95 / 100) ** 0.5
    assert classes <= 0.05 + 3 * (0.05 * 0.95 / 100) ** 0.5


@pytest.mark.parametrize("scenario", [CC, ONE])
@pytest.mark.parametrize("ratio", [1 / 4, 4])
def test_biased_labels_are_noticed_on_either_side(scenario, ratio):
    labels, _ = noticed(15, 6, scenario=scenario, ratio=ratio, n=10_000, labelled=400)
    assert labels >= 0.8


def test_classes_that_change_are_told_apart_from_labels_by_three_populations():
    _, changed = noticed(10, 7, priors=(0.1, 0.2, 0.4), n=20_000, labelled=300, shift=0.2)
    assert changed == 1
    labels, biased = noticed(20, 8, priors=(0.1, 0.2, 0.4), n=10_000, labelled=400, ratio=4)
    assert labels > 0.8
    assert biased <= 0.2


def test_what_it_says():
    label, score, place = rows(1, n=10_000, labelled=400, ratio=6)
    frame = {"y": label, "p": score, "month": np.array(["May", "June"])[place]}
    found = pm.check_labelling(frame, label="y", score="p", by="month", scenario=CC)
    assert found.contradicted
    assert found.favoured == "high"
    assert found.ratio > 1.5
    assert 1 < found.noticed < 4
    assert list(found.excess) == ["June", "May"]
    assert found.excess["May"] == 0.0
    assert (
        0.2 < found.excess["June"] < 0.4
    )  # less than (0.4 − 0.1)/0.9, towards labels that lie too high
    (remark,) = found.diagnostics
    assert remark.code == "PM511"
    for part in ("by 'month'", "favour high scores", "cannot tell which", "label_bias"):
        assert part in remark.message
    assert "two populations cannot tell biased labels from classes that changed" in str(found)
    alike = pm.check_labelling(*rows(1, priors=(0.2, 0.2))[:2], by=rows(1)[2], scenario=CC)
    assert "too alike" in str(alike)
    assert not alike.contradicted
    for few in (0.95, 0.999):
        again = pm.check_labelling(
            frame, label="y", score="p", by="month", scenario=CC, confidence_level=few
        )
        assert again.p_value == found.p_value
        assert (again.noticed < found.noticed) == (few < 0.99)


def test_arrays_frames_segments_and_order_agree():
    label, score, place = rows(2, priors=(0.1, 0.2, 0.3), scenario=ONE)
    found = pm.check_labelling(label, score, by=place, scenario=ONE)
    mixed = np.random.default_rng(0).permutation(label.size)
    again = pm.check_labelling(
        {"y": label[mixed], "s": -np.exp(-score[mixed]), "j": 5 - place[mixed]},
        label="y", score="s", by="j", scenario=ONE,
    )  # fmt: skip
    assert again.p_value == pytest.approx(found.p_value, rel=1e-6)
    assert again.p_classes == pytest.approx(found.p_classes, rel=1e-6)
    segments = pm.Segments.from_arrays(label, score, segment=place, scenario=ONE, by="part")
    told = pm.check_labelling(segments)
    assert told.p_value == pytest.approx(found.p_value, rel=1e-12)
    assert told.by == "part"
    low = pm.check_labelling(
        {"y": label, "s": -score, "j": place}, label="y", score="-s", by="j", scenario=ONE
    )
    assert low.p_value == pytest.approx(found.p_value, rel=1e-12)


def test_where_labelled_rows_are_from_is_of_no_account():
    label, score, place = rows(4)
    apart = np.where(label == 1, -1, place)
    first, second = (pm.check_labelling(label, score, by=by, scenario=CC) for by in (place, apart))
    assert first == second


def test_small_populations_are_left_out_by_name():
    label, score, place = rows(5)
    place = np.where((np.arange(place.size) < 30) & (label == 0), 7, place)
    found = pm.check_labelling(label, score, by=place, scenario=CC)
    assert found.left_out == (7,)
    assert "left out, with fewer than 50 unlabeled rows: 7" in str(found)


def refused(match, *args, error=InputError, **more):
    with pytest.raises(error, match=match):
        pm.check_labelling(*args, **more)


def test_refusals():
    label, score, place = rows(6)
    table = pm.ScoreTable.from_arrays(label, score, scenario=CC)
    segments = pm.Segments.from_arrays(label, score, segment=place, scenario=CC)
    given = {"by": place, "scenario": CC}
    frame = {"y": label, "p": score, "j": place}
    refused("prior=… or by=…", table, error=PriorError)
    refused("does not know which row is whose", table, by=place)
    refused("leave out by", segments, by="part")
    refused("no prior is needed", label, score, **given, prior=0.5)
    refused("no purity is needed", label, score, **given, purity=0.5)
    kept = ((label == 1) & (np.cumsum(label) <= 19)) | (label == 0)
    refused("too few to compare", label[kept], score[kept], by=place[kept], scenario=CC)
    refused("only 1 has at least 50", label, score, by=np.ones(label.size, dtype=int), scenario=CC)
    refused("no value of the column has", label, score, by=np.arange(label.size), scenario=CC)
    refused("more than 50", label, score, by=np.arange(label.size) % 51, scenario=CC)
    refused("at least 3 are needed", label, (score > 1).astype(float), **given)
    refused("one model", label, {"a": score, "b": score}, **given)
    refused("by needs rows", label, **given)
    refused("one model", frame, label="y", score=["p", "y"], by="j", scenario=CC)
    refused("score is missing", {"y": label, "j": place}, label="y", by="j", scenario=CC)
    refused(
        "Keep one row of each group", label, score, groups=place, error=UnsupportedError, **given
    )
    refused("by has", label, score, by=place[:-1], scenario=CC)
