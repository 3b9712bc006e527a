"""Priors from audited rows, and estimates combined."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puremetrics import PriorEstimate
from puremetrics.exceptions import InputError
from puremetrics.priors import combine, prior_from_audit, rows_to_audit
from puremetrics.priors import from_audit as audit
from puremetrics.results import Interval
from tests.oracles import priors as oracle
from tests.priors.cases import codes, normal_table


@given(st.integers(1, 60), st.data(), st.sampled_from([0.8, 0.95]))
def test_audit_equals_the_oracle(checked, data, level):
    positive = data.draw(st.integers(0, checked))
    found = prior_from_audit(checked, positive, confidence_level=level)
    assert tuple(found.interval) == pytest.approx(
        oracle.clopper_pearson(positive, checked, level), abs=1e-12
    )
    rows = checked + data.draw(st.integers(0, 30))
    finite = prior_from_audit(checked, positive, n_unlabeled=rows, confidence_level=level)
    low, high = oracle.finite_limits(positive, checked, rows, level)
    share = positive / checked  # need not be a whole number of the rows, and is held all the same
    assert tuple(finite.interval) == pytest.approx((min(low, share), max(high, share)), abs=1e-9)
    for method in ("clopper_pearson", "jeffreys"):
        everything = prior_from_audit(checked, positive, n_unlabeled=checked, method=method)
        assert everything.interval.low == everything.interval.high == everything.prior


def test_jeffreys_is_inside_clopper_pearson():
    exact, bayes = (
        prior_from_audit(200, 14, method=name).interval for name in ("clopper_pearson", "jeffreys")
    )
    assert exact.low < bayes.low < bayes.high < exact.high
    for rows, close in ((1_000_000, 1e-4), (10_000_000, 1e-5), (2**53, 1e-5)):
        large = prior_from_audit(200, 14, n_unlabeled=rows, method="jeffreys").interval
        assert tuple(large) == pytest.approx(tuple(bayes), abs=close)


@pytest.mark.parametrize("method", ["clopper_pearson", "jeffreys"])
@pytest.mark.parametrize(
    ("checked", "positive", "rows"),
    [(9999, 10, 10_000), (4_999_999, 7, 5_000_000), (10**9, 1000, 10**9), (10**9, 1000, 10**9 + 1)],
)
def test_of_nearly_all_rows_nearly_everything_is_known(method, checked, positive, rows):
    found = prior_from_audit(checked, positive, n_unlabeled=rows, method=method)
    assert found.interval.low <= found.prior <= found.interval.high
    assert found.interval.low >= positive / rows
    assert found.interval.high <= (positive + rows - checked) / rows
    assert found.interval.width <= (rows - checked) / rows


@given(st.integers(1, 10**12), st.data(), st.sampled_from([1e-9, 0.5, 0.95, 1 - 1e-9]))
def test_intervals_of_audits_of_any_size_hold_their_value(checked, data, level):
    positive = data.draw(st.one_of(st.integers(0, checked), st.integers(0, min(checked, 20))))
    rows = data.draw(
        st.one_of(st.none(), st.integers(checked, checked + 50), st.integers(checked, 2**50))
    )
    for method in ("clopper_pearson", "jeffreys"):
        found = prior_from_audit(
            checked, positive, n_unlabeled=rows, method=method, confidence_level=level
        )
        assert 0 <= found.interval.low <= found.prior <= found.interval.high <= 1


def test_the_law_of_very_many_rows_is_that_of_few(monkeypatch):
    for left, a, b in (
        (60_000, 1.5, 0.5),
        (60_000, 0.5, 3.5),
        (90_000, 14.5, 186.5),
        (90_000, 3.5, 1e7),
    ):
        exact = audit._positives_left(left, a, b)
        monkeypatch.setattr(audit, "_AT_ONCE", 20_000)
        coarse = audit._positives_left(left, a, b)
        monkeypatch.undo()
        for chance in (1e-6, 0.025, 0.5, 0.975, 1 - 1e-6):
            ends = [
                n[min(int(np.searchsorted(below, chance)), n.size - 1)]
                for n, below in (exact, coarse)
            ]
            assert ends[1] == pytest.approx(ends[0], abs=2 + 1e-3 * left * min(chance, 1 - chance))


@pytest.mark.parametrize("width", [5e-324, 1e-300, 9e-8])
def test_a_width_that_no_audit_reaches_is_refused(width):
    with pytest.raises(InputError, match="at least 1e-07"):
        rows_to_audit(width)
    assert rows_to_audit(1e-7) > 10**14


def test_audit_converts_by_scenario():
    table = normal_table(0.3, scenario="single_training_set")
    found = prior_from_audit(100, 30, table=table)
    assert found.unlabeled_share == 0.3
    assert found.prior == pytest.approx((500 + 0.3 * 5000) / 5500)
    assert found.label_frequency == pytest.approx(500 / 2000)
    with pytest.raises(InputError, match="only 50 unlabeled"):
        prior_from_audit(100, 30, n_unlabeled=50)
    with pytest.raises(InputError, match="no more can be positive"):
        prior_from_audit(10, 11)
    with pytest.raises(InputError, match="whole number"):
        prior_from_audit(10, 2.5)


def test_combine():
    scores = PriorEstimate(0.12, Interval(0.09, 0.16, 0.95, "confidence", "combined"))
    audit = prior_from_audit(400, 40)
    both = combine(scores, audit)
    assert both.interval.width < min(scores.interval.width, audit.interval.width)
    assert 0.1 < both.prior < 0.12
    loose = PriorEstimate(0.3, Interval(0.02, 0.8, 0.95, "confidence", "combined"))
    assert combine(loose, audit).prior == pytest.approx(audit.prior, abs=0.01)
    meet = combine(scores, audit, how="intersection")
    assert meet.interval.low == max(0.09, audit.interval.low)
    assert meet.interval.level == pytest.approx(0.9)
    far = combine(scores, prior_from_audit(400, 4))
    assert "PM204" in codes(far)
    assert far.interval.low < 0.01
    assert far.interval.high == 0.16
    assert "PM204" in codes(combine(scores, prior_from_audit(400, 4), how="intersection"))
    with pytest.raises(InputError, match="one of them has none"):
        combine(scores, PriorEstimate(0.1))
    with pytest.raises(InputError, match="same level"):
        combine(scores, prior_from_audit(400, 40, confidence_level=0.9))


@given(st.sampled_from([0.02, 0.1, 0.3]), st.sampled_from([0.05, 0.2, 0.5]))
@settings(max_examples=12, deadline=None)
def test_rows_to_audit_reach_the_width(width, guess):
    rows = rows_to_audit(width, guess=guess)
    low, high = prior_from_audit(rows, round(guess * rows)).interval
    assert high - low <= width
    fewer = max(int(rows * 0.9), 1)
    low, high = prior_from_audit(fewer, round(guess * fewer)).interval
    assert high - low > width * 0.9
    assert rows_to_audit(width, guess=guess, n_unlabeled=100) <= 100


def test_noisy_labels_count_less_in_a_single_training_set():
    table = normal_table(0.3, scenario="single_training_set")
    found = prior_from_audit(100, 30, table=table, purity=0.8)
    assert found.unlabeled_share == 0.3
    assert found.prior == pytest.approx((0.8 * 500 + 0.3 * 5000) / 5500)
    assert found.purity == 0.8
    wide = prior_from_audit(100, 30, table=table, purity=(0.7, 0.9))
    assert wide.prior == pytest.approx(found.prior)
    assert wide.interval.low < found.interval.low < found.interval.high < wide.interval.high
    assert tuple(wide.purity_interval) == (0.7, 0.9)
    separate = normal_table(0.3)
    assert prior_from_audit(100, 30, table=separate, purity=0.8).prior == 0.3
