"""Small segments that are computed together have the numbers that each has alone."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.comparing import segment_figures as module
from puremetrics.comparing.segment_figures import envelope_areas
from puremetrics.numerics.monotone import envelope


@st.composite
def segmented(draw):
    """Segments of some rows each: ties, known negatives, and segments without unlabeled rows."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    keys, size = draw(st.integers(1, 6)), draw(st.integers(2, 120))
    kinds = draw(st.sampled_from([(0.3, 0.7, 0.0), (0.1, 0.8, 0.1), (0.6, 0.2, 0.2)]))
    y = rng.choice([1, 0, -1], size=size, p=kinds)
    score = np.round(rng.normal(size=size) + 2 * (y == 1), draw(st.integers(0, 2)))
    scenario = draw(st.sampled_from(["case_control", "single_training_set"]))
    segment = rng.integers(keys, size=size)
    try:
        return pm.Segments.from_arrays(y, score, segment=segment, scenario=scenario, neg_label=-1)
    except pm.PuremetricsError:
        return None


def one_by_one(segments, prior, purity, level):
    """The rows without any put together."""
    with mock.patch.object(module, "small_rows", return_value=()):
        return module.segment_rows(segments, prior, purity, level)


def assert_alike(found, expected):
    assert list(found) == list(expected)
    for key, row in expected.items():
        assert found[key].reason == row.reason
        assert found[key].numbers == pytest.approx(row.numbers, abs=1e-9)
        for own, other in ((found[key].naive, row.naive), (found[key].area, row.area)):
            assert (own is None) == (other is None)
            assert own is None or tuple(own) == pytest.approx(tuple(other), abs=1e-9)


@given(
    segments=segmented(),
    prior=st.sampled_from([None, 0.02, 0.2, 0.5, 0.9, 1, (0.1, 0.2)]),
    purity=st.sampled_from([None, 1.0, 0.9, 0.6, 1]),
    level=st.sampled_from([0.95, 0.5]),
)
def test_together_as_one_by_one(segments, prior, purity, level):
    if segments is not None:
        rows = module.segment_rows(segments, prior, purity, level)
        assert_alike(rows, one_by_one(segments, prior, purity, level))


@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
def test_many_positives_a_segment(scenario):
    rng = np.random.default_rng(5)
    truth = rng.random(6000) < 0.4
    y, score = truth & (rng.random(6000) < 0.5), np.round(rng.normal(size=6000) + truth, 2)
    segment = rng.integers(20, size=6000)
    segments = pm.Segments.from_arrays(
        y.astype(int), score, segment=segment, scenario=scenario, by="month"
    )
    priors = {key: 0.3 + 0.01 * place for place, key in enumerate(segments)}
    for prior in (0.4, priors):
        rows = module.segment_rows(segments, prior, 0.95, 0.95)
        assert all(row.area is not None for row in rows.values())
        assert_alike(rows, one_by_one(segments, prior, 0.95, 0.95))


def test_most_are_computed_together():
    """Of a scanned file, no table is made for a segment that has all its numbers."""
    pa = pytest.importorskip("pyarrow")
    rng = np.random.default_rng(6)
    rows = {"y": (rng.random(4000) < 0.1).astype(int), "p": rng.random(4000)}
    data = pa.table({**rows, "land": rng.integers(200, size=4000)})
    segments = pm.scan(data, label="y", score="p", by="land", scenario="case_control")
    with mock.patch.object(module, "_row", side_effect=AssertionError):
        found = pm.drift(segments, prior=0.2)
    assert len(found) == len(segments)
    assert not segments.tables._made


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12), st.data()
)
def test_areas_of_envelopes(steps, data):
    pos, cmp = (np.array(column, dtype=float) for column in zip(*steps, strict=True))
    if not pos.sum() or not cmp.sum():
        return
    heads = [np.concatenate([[0.0], np.cumsum(own) / own.sum()]) for own in (pos, cmp)]
    share, purity = data.draw(st.sampled_from([(0.1, 1.0), (0.3, 0.8), (0.6, 0.9), (0.0, 1.0)]))
    apart = (heads[0] - heads[1]) / (purity - share)
    x, y = heads[1] - share * apart, heads[0] + (1 - purity) * apart
    curve = envelope(x, y, np.arange(x.size, 0.0, -1))
    padded = [np.append(own, [1.0, 1.0])[None, :] for own in (x, y)]
    area = np.sum(np.diff(curve[0]) * (curve[1][1:] + curve[1][:-1])) / 2
    assert envelope_areas(*padded)[0] == pytest.approx(area, abs=1e-12)
