"""Segments compared: values, gaps and ratios from their definitions, what holds at once, and who is worst."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, studentized_range

import puremetrics as pm
from puremetrics.comparing.segment_gaps import Version, difference_limits, ratio_limits
from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.numerics.quantiles import simultaneous_level
from tests.oracles import folds as oracle

SCENARIOS = ["case_control", "single_training_set"]
APART = {"east": 1.2, "north": 2.0, "south": 1.2, "west": 1.2}


def rows(seed=1, size=1200):
    rng = np.random.default_rng(seed)
    land = rng.choice(list(APART), size, p=[0.3, 0.3, 0.3, 0.1])
    truth = rng.random(size) < 0.3
    y = (truth & (rng.random(size) < 0.5)).astype(int)
    score = rng.normal(size=size) + truth * np.array([APART[name] for name in land])
    return y, score, land, rng


def segments(scenario="case_control", seed=1, **options):
    y, score, land, _ = rows(seed)
    return pm.Segments.from_arrays(y, score, segment=land, scenario=scenario, by="land", **options)


def test_segments_of_arrays_are_tables_of_their_rows():
    y, score, land, _ = rows()
    found = segments()
    assert list(found) == sorted(APART)
    for name, table in found.items():
        mine = land == name
        assert table.equals(
            pm.ScoreTable.from_arrays(y[mine], score[mine], scenario="case_control")
        )
    assert found.total.equals(pm.ScoreTable.from_arrays(y, score, scenario="case_control"))
    assert found.rows is None
    drifted = pm.drift(found, prior=0.2).frame()
    assert drifted["auc"][0] == pm.roc_auc(found["east"], prior=0.2).value
    few = pm.Segments.from_arrays(
        [1, 0, 0, 1, 1], [1, 2, 3, 4, 5], segment=[0, 0, 1, 2, 0], scenario="case_control"
    )
    assert dict(few.without_positives) == {1: (0, 1, 0), 2: (1, 0, 0)}
    assert list(few) == [0]


def test_a_segment_of_one_group_has_no_table():
    y, score, land, _ = rows()
    group = np.where(land == "west", 0, np.arange(1200))
    found = pm.Segments.from_arrays(y, score, segment=land, scenario="case_control", groups=group)
    assert list(found) == ["east", "north", "south"]
    compared = pm.compare_segments(found, threshold=1.0)
    assert compared.reasons == {"west": "all of its rows belong to one group"}
    assert [remark.code for remark in compared.diagnostics if remark.code == "PM605"]


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("statistic", ["precision", "fpr", "mcc", "f1"])
def test_estimates_are_those_of_each_segment(scenario, statistic):
    found = segments(scenario)
    priors = dict(zip(APART, (0.25, 0.3, 0.35, 0.4), strict=True))
    compared = pm.compare_segments(found, statistic=statistic, threshold=1.0, prior=priors)
    for name, table in found.items():
        alone = pm.metric(table, statistic, threshold=1.0, prior=priors[name])
        assert compared.estimates[name] == alone
        low, high = compared.simultaneous[name]
        assert low <= alone.interval.low <= alone.interval.high <= high
    for gap in compared.gaps:
        a, b = (compared.estimates[name].value for name in (gap.first, gap.second))
        assert gap.difference == a - b
        assert gap.simultaneous.low <= gap.interval.low <= a - b <= gap.interval.high
        assert gap.interval.high <= gap.simultaneous.high
        assert (gap.ratio is None) == (statistic == "mcc")
        if gap.ratio is not None:
            assert gap.ratio == a / b
            assert gap.ratio in gap.ratio_interval


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_recall_needs_no_prior(scenario):
    found = segments(scenario)
    compared = pm.compare_segments(found, threshold=1.0)
    assert compared.statistic == "recall"
    for name, table in found.items():
        for prior in (0.3, 0.5):
            alone = pm.metric(table, "recall", threshold=1.0, prior=prior)
            assert compared.estimates[name].value == pytest.approx(alone.value)
            assert tuple(compared.estimates[name].interval) == pytest.approx(tuple(alone.interval))
        assert compared.estimates[name].prior is None


def test_gaps_and_ratios_of_two_recalls_are_those_of_the_definition():
    y, score, land, _ = rows()
    kept = np.isin(land, ["north", "south"])
    y, score, land = y[kept], score[kept], land[kept]
    found = pm.Segments.from_arrays(y, score, segment=land, scenario="case_control")
    gap = pm.compare_segments(found, threshold=1.0).gaps[0]
    parts = []
    for name in ("north", "south"):
        mine = score[(land == name) & (y == 1)]
        hits = int((mine >= 1).sum())
        limits = oracle.agresti_coull(hits, mine.size, norm.ppf(0.975))
        parts.append((hits / mine.size, *limits))
    assert (gap.first, gap.second) == ("north", "south")
    assert tuple(gap.interval) == pytest.approx(oracle.mover(*parts), abs=1e-9)
    assert tuple(gap.simultaneous) == pytest.approx(
        oracle.mover(*parts), abs=1e-9
    )  # there is one gap
    assert tuple(gap.ratio_interval) == pytest.approx(oracle.mover_ratio(*parts), abs=1e-6)


SHARES = st.tuples(*[st.floats(0.01, 0.99)] * 3).map(sorted).map(lambda v: (v[1], v[0], v[2]))


@given(SHARES, SHARES, st.floats(-0.9, 0.9))
def test_limits_are_those_of_the_definition(first, second, correlation):
    versions = [[Version(v, v - low, high - v)] for v, low, high in (first, second)]
    assert difference_limits(*versions, correlation) == pytest.approx(
        oracle.mover(first, second, correlation), abs=1e-9
    )
    low, high = ratio_limits(*versions, correlation)
    assert low <= first[0] / second[0] * (1 + 1e-9)
    assert first[0] / second[0] <= high * (1 + 1e-9)
    if abs(correlation) < 1e-9:
        known = oracle.mover_ratio(first, second)
        assert (low, high) == pytest.approx(known, rel=1e-5, abs=1e-6)


def test_uncertain_versions_do_not_offset_each_other():
    first = [Version(0.5, 0.1, 0.1), Version(0.6, 0.1, 0.1)]
    second = [Version(0.2, 0.1, 0.1), Version(0.3, 0.1, 0.1)]
    reach = 0.1 * np.sqrt(2)
    assert difference_limits(first, second, 0.0) == pytest.approx((0.2 - reach, 0.4 + reach))
    assert ratio_limits([Version(0.2, 0.2, 0.1)], [Version(0.1, 0.1, 0.1)], 0.0) == (0.0, np.inf)


@pytest.mark.parametrize("count", [2, 3, 6])
def test_the_level_at_which_all_hold(count):
    """Tukey's studentized range for all pairs of independent estimates of equal variance."""
    pairs = np.array([
        np.eye(count)[a] - np.eye(count)[b] for a in range(count) for b in range(a)
    ])  # fmt: skip
    found = norm.ppf((1 + simultaneous_level(np.eye(count), pairs, 0.95)) / 2)
    assert found == pytest.approx(studentized_range.ppf(0.95, count, np.inf) / np.sqrt(2), rel=0.01)
    alone = simultaneous_level(np.eye(count), np.eye(count), 0.95)
    assert alone == pytest.approx(0.95 ** (1 / count), abs=0.002)
    same = simultaneous_level(np.ones((count, count)), np.eye(count), 0.95)
    assert same == pytest.approx(0.95, abs=0.004)  # all are one
    assert simultaneous_level(np.zeros((count, count)), np.eye(count), 0.95) == 1 - 0.05 / count


def test_groups_in_several_segments_make_them_dependent():
    """Every group has the same rows in both segments: both recalls are off by the same."""
    rng = np.random.default_rng(3)
    y, score = rng.integers(2, size=200), rng.normal(size=200)
    twice = {"y": np.r_[y, y], "score": np.r_[score, score], "segment": np.repeat(["a", "b"], 200)}
    groups = np.tile(np.arange(200) // 2, 2)
    kept = np.r_[np.ones(200, bool), rng.random(200) < 0.8]
    y, score, land, groups = (
        values[kept] for values in (twice["y"], twice["score"], twice["segment"], groups)
    )
    found = pm.Segments.from_arrays(y, score, segment=land, scenario="case_control", groups=groups)
    gap = pm.compare_segments(found, threshold=0.0).gaps[0]
    labelled = y == 1
    parts = [
        [(score[i] >= 0, groups[i]) for i in np.flatnonzero(labelled & (land == name))]
        for name in "ab"
    ]
    correlation = oracle.recall_correlation(*parts)
    assert 0.6 < correlation < 1
    own = [pm.compare_segments(found, threshold=0.0).estimates[name] for name in "ab"]
    limits = oracle.mover(*[(e.value, *e.interval) for e in own], correlation)
    assert tuple(gap.interval) == pytest.approx(limits, abs=1e-9)
    apart = pm.Segments.from_arrays(
        y, score, segment=land, scenario="case_control", groups=groups + 1000 * (land == "b")
    )
    assert (
        pm.compare_segments(apart, threshold=0.0).gaps[0].interval.width > 1.3 * gap.interval.width
    )


def test_groups_of_one_row_change_nothing():
    plain, alone = segments(), segments(groups=np.arange(1200))
    for options in ({}, {"statistic": "precision", "prior": 0.3}):
        first, second = (pm.compare_segments(s, threshold=1.0, **options) for s in (plain, alone))
        for a, b in zip(first.gaps, second.gaps, strict=True):
            assert tuple(a.simultaneous) == pytest.approx(tuple(b.simultaneous), abs=1e-9)


def test_a_reference_is_compared_with_all_others():
    every = pm.compare_segments(segments(), threshold=1.0)
    found = pm.compare_segments(segments(), threshold=1.0, reference="north")
    assert len(every.gaps) == 6
    assert [(gap.first, gap.second) for gap in found.gaps] == [
        ("east", "north"), ("south", "north"), ("west", "north"),
    ]  # fmt: skip
    values = {name: estimate.value for name, estimate in found.estimates.items()}
    assert found.largest_difference == max(abs(values[k] - values["north"]) for k in values)
    mine = next(g for g in every.gaps if (g.first, g.second) == ("east", "north"))
    assert found.gaps[0].simultaneous.width < mine.simultaneous.width  # three gaps, not six
    assert found.gaps[0].interval == mine.interval


def test_extremes_follow_from_what_holds_at_once():
    found = pm.compare_segments(segments(), threshold=1.0)
    values = {name: estimate.value for name, estimate in found.estimates.items()}
    assert found.worst == min(values, key=values.get)
    bands = list(found.simultaneous.values())
    assert tuple(found.worst_interval) == (min(b.low for b in bands), min(b.high for b in bands))
    assert found.largest_difference == max(values.values()) - min(values.values())
    assert found.smallest_ratio == pytest.approx(min(values.values()) / max(values.values()))
    assert found.smallest_ratio in found.ratio_interval
    assert found.difference_interval.low > 0
    assert "north" not in found.may_be_worst
    assert found.worst in found.may_be_worst
    assert any(remark.code == "PM604" for remark in found.diagnostics)
    wrong = pm.compare_segments(segments(), statistic="fnr", threshold=1.0)
    assert wrong.worst == found.worst  # of errors the highest is worst
    assert wrong.worst_interval.high == pytest.approx(1 - found.worst_interval.low)
    assert wrong.may_be_worst == found.may_be_worst


def test_gaps_to_a_reference_leave_the_worst_to_the_bands():
    """Segments that nobody compares with each other are told apart by what holds for all at once."""
    rng = np.random.default_rng(4)
    land = np.repeat(["a", "b", "c"], 2000)
    truth = rng.random(land.size) < 0.4
    score = rng.normal(truth * np.select([land == "a", land == "b"], [2.0, 1.9], 0.4))
    y = truth & (rng.random(land.size) < 0.5)
    made = pm.Segments.from_arrays(y, score, segment=land, scenario="single_training_set")
    for statistic, more in (("roc_auc", {}), ("fnr", {"threshold": 0.8})):
        found = pm.compare_segments(made, statistic=statistic, prior=0.4, reference="a", **more)
        assert {(gap.first, gap.second) for gap in found.gaps} == {("b", "a"), ("c", "a")}
        assert found.may_be_worst == ("c",)


def test_every_statistic_can_be_compared():
    y, score, land, _ = rows()
    chance = 1 / (1 + np.exp(0.7 - score))
    found = pm.Segments.from_arrays(
        y, chance, segment=land, scenario="single_training_set", groups=np.arange(1200) // 2
    )
    for name in ("roc_auc", "average_precision", "brier_score", "log_loss", "calibration_error"):
        compared = pm.compare_segments(found, statistic=name, prior=0.35)
        assert len(compared.gaps) == 6
        assert all(gap.difference in gap.simultaneous for gap in compared.gaps)
        assert compared.worst in compared.may_be_worst
    with pytest.raises(InputError, match="pulp"):
        pm.compare_segments(found, statistic="pulp")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_range_of_the_prior_holds_all_pairs_of_its_points(scenario):
    found, ends = segments(scenario), (0.25, 0.35)
    wide = pm.compare_segments(found, statistic="precision", threshold=1.0, prior=ends)
    for first in ends:
        for second in ends:
            priors = dict(zip(APART, (first, second, first, second), strict=True))
            point = pm.compare_segments(found, statistic="precision", threshold=1.0, prior=priors)
            for a, b in zip(wide.gaps, point.gaps, strict=True):
                assert a.interval.low <= b.interval.low + 1e-12
                assert a.interval.high >= b.interval.high - 1e-12
            assert wide.difference_interval.high >= point.difference_interval.high - 1e-12
    assert wide.gaps[0].interval.kind == "combined"


def test_labels_may_be_biased_in_one_segment():
    plain = pm.compare_segments(segments(), threshold=1.0, prior=0.3)
    biased = pm.compare_segments(segments(), threshold=1.0, prior=0.3, label_bias={"north": 2.0})
    for a, b in zip(plain.gaps, biased.gaps, strict=True):
        if "north" in (a.first, a.second):
            assert b.interval.low < a.interval.low
        else:
            assert b.interval == a.interval
    both = pm.compare_segments(segments(), threshold=1.0, prior=0.3, label_bias=2.0)
    ranges = [both.estimates[name].bias_range for name in ("north", "south")]
    gap = next(g for g in both.gaps if (g.first, g.second) == ("north", "south"))
    assert gap.interval.low <= ranges[0].low - ranges[1].high
    assert gap.interval.high >= ranges[0].high - ranges[1].low


def test_priors_are_estimated_where_none_is_given():
    found = pm.compare_segments(segments(), statistic="precision", threshold=1.0)
    known = pm.estimate_prior(segments()["north"])
    assert found.estimates["north"].prior == pytest.approx(known.prior)
    assert found.estimates["north"].interval.kind == "combined"


def test_few_labels_are_said():
    y, score, land, _ = rows()
    y[(land == "west") & (np.cumsum(land == "west") > 30)] = 0
    found = pm.Segments.from_arrays(y, score, segment=land, scenario="case_control")
    compared = pm.compare_segments(found, threshold=1.0)
    said = [remark.message for remark in compared.diagnostics if remark.code == "PM105"]
    assert len(said) == 1
    assert f"west ({found['west'].total_pos:g})" in said[0]
    assert "north" not in said[0]
    west = compared.estimates["west"].interval
    assert west.width > 2 * compared.estimates["north"].interval.width


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"segments": 3}, "takes Segments, not int"),
        ({"threshold": None}, "pass threshold"),
        ({"reference": "middle"}, "There is no segment 'middle'"),
        ({"reference": []}, "is not a segment"),
        ({"prior": {"middle": 0.3}}, "which is not a segment"),
        ({"prior": {"north": 0.3}}, "prior has no value for segment 'east'"),
        ({"label_bias": {"middle": 2}}, "which is not a segment"),
        ({"label_bias": 0.5}, "Did you mean 2"),
        ({"statistic": "nonsense"}, "There is no statistic"),
        ({"beta": 2.0}, "not an option"),
        ({"confidence_level": 95}, "strictly between 0 and 1"),
    ],
)
def test_mistakes_get_a_sentence(change, sentence):
    known = {"segments": segments(), "threshold": 1.0, **change}
    with pytest.raises(pm.PuremetricsError, match=sentence):
        pm.compare_segments(known.pop("segments"), **known)


def test_what_cannot_be_compared_is_said():
    one = pm.Segments.from_arrays(
        [1, 0, 1, 1], [1, 2, 3, 4], segment=list("aabb"), scenario="case_control"
    )
    with pytest.raises(
        UnsupportedError,
        match=r"Only 1 of the segments can be compared, but a comparison needs two. 'b'",
    ):
        pm.compare_segments(one, threshold=1.0)
    found = segments(groups=np.arange(1200) // 2)
    nameless = pm.Segments("land", found.tables, found.total, {})
    with pytest.raises(UnsupportedError, match="not record which groups they share"):
        pm.compare_segments(nameless, threshold=1.0)
    top = {name: table.score[0] for name, table in segments().items()}
    above = sorted(top.values())[1]  # nothing is flagged in the segment whose top is lowest
    some = pm.compare_segments(segments(), statistic="precision", threshold=above, prior=0.3)
    assert some.reasons == {min(top, key=top.get): "Precision is undefined there"}


def test_results_can_be_read():
    found = pm.compare_segments(segments(), threshold=1.0)
    text = str(found)
    assert text.startswith("Recall (true positive rate) at score >= 1 of 4 segments by 'land'")
    assert "largest difference" in text
    assert "worst: " in text
    frame = found.frame()
    assert frame["segment"].tolist() == sorted(APART)
    assert np.all(frame["low_at_once"] <= frame["low"])
    assert np.all(frame["high_at_once"] >= frame["high"])
    gaps = found.gap_frame()
    assert gaps["difference"].tolist() == [gap.difference for gap in found.gaps]
    assert json.loads(json.dumps(found.to_dict()))["worst"] == found.worst
    assert found == pm.compare_segments(segments(), threshold=1.0)
    assert str(found.gaps[0]).startswith("east − north: ")
