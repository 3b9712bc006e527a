"""Sizes, priors, scores and dtypes at the ends of what is allowed, against exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import NotIdentifiableError, PuremetricsError, ScoreError
from puremetrics.ranking import kernels

oracle = pytest.importorskip("tests.oracles.counts", reason="needs mpmath", exc_type=ImportError)

CC, SINGLE = {"scenario": "case_control"}, {"scenario": "single_training_set"}
TRILLION = 10**12
# Counts of positives and of others from the top: mixed, separated, tied, one against a trillion.
SHAPES = {
    "mixed": ([TRILLION // 2, 3, 10**6, 1], [7, TRILLION, 10**9 + 1, 5]),
    "separated": ([TRILLION, 0], [0, TRILLION]),
    "reversed": ([0, TRILLION], [TRILLION, 0]),
    "tied": ([TRILLION], [TRILLION]),
    "one positive": ([0, 1, 0], [TRILLION, 0, TRILLION]),
    "one unlabeled": ([TRILLION, 0, TRILLION], [0, 1, 0]),
    "one each": ([1, 0], [0, 1]),
    "small block far down": ([0, 40], [TRILLION, 60]),
    "long run of positives": ([3, 50_000, 1], [9, 0, 17]),
}
PRIORS = (1e-9, 0.05, 0.5, 1 - 1e-9)


def table_of(shape, scenario=CC):
    pos, rest = SHAPES[shape]
    return pm.ScoreTable.from_counts(range(len(pos), 0, -1), n_pos=pos, n_unl=rest, **scenario)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("shape", SHAPES)
def test_areas_of_trillions_are_those_of_fractions(shape, prior):
    pos, rest = SHAPES[shape]
    truth = oracle.corrected_area(pos, rest, prior)
    found = pm.roc_auc(table_of(shape), prior=prior, method="direct")
    # Eq. (4) divides by 1 − prior, and so it does with the rounding of the shares.
    assert found.value == pytest.approx(float(truth), abs=4e-15 / (1 - prior), rel=1e-14)
    # The interval is cut to [0, 1], but for a value beyond.
    assert min(0, found.value) <= found.interval.low <= found.interval.high <= max(1, found.value)
    naive = pm.naive_auc(table_of(shape)).value
    assert naive == pytest.approx(float(oracle.area(pos, rest)), rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("shape", SHAPES)
def test_confusion_matrices_of_trillions_are_those_of_fractions(shape, prior):
    pos, rest = SHAPES[shape]
    counts = pm.confusion_at_thresholds(table_of(shape), prior=prior, raw=True)
    size = sum(rest)
    for row in range(len(pos) + 1):
        truth = oracle.confusion(pos, rest, prior, size, row)
        found = [float(getattr(counts, name)[row]) for name in ("tp", "fp", "fn", "tn")]
        assert found == pytest.approx([float(x) for x in truth], abs=4e-16 * size / (1 - prior))
        assert sum(found) == pytest.approx(size, rel=1e-14)
        if 0 < row < len(pos) and prior in (0.05, 0.5):
            _check_metrics(table_of(shape), len(pos) + 1 - row, prior, truth)


def _check_metrics(table, threshold, prior, truth):
    tp, fp, fn, tn = truth
    exact = {
        "recall": (tp, tp + fn),
        "precision": (tp, tp + fp),
        "specificity": (tn, tn + fp),
        "accuracy": (tp + tn, tp + fp + fn + tn),
        "f1": (2 * tp, 2 * tp + fp + fn),
        "jaccard": (tp, tp + fp + fn),
        "predicted_positive_rate": (tp + fp, tp + fp + fn + tn),
    }
    for name, (top, bottom) in exact.items():
        found = pm.metric(table, name, threshold=threshold, prior=prior)
        if bottom > 1e-6 * (tp + fp + fn + tn):  # below, rounding of the shares is all that is left
            assert found.raw == pytest.approx(float(top / bottom), rel=1e-9, abs=1e-9), name
        elif np.isnan(found.value):
            assert "PM103" in {d.code for d in found.diagnostics}


@pytest.mark.parametrize("shape", SHAPES)
def test_ranking_measures_of_trillions_are_those_of_60_digits(shape):
    pos, rest = SHAPES[shape]
    table = table_of(shape, SINGLE)  # whose population is all rows
    for name in ("naive_average_precision", "mean_f1", "lee_liu"):
        truth = float(getattr(oracle, name)(pos, rest))
        assert getattr(pm, name)(table).value == pytest.approx(truth, rel=1e-12, abs=0), name


@pytest.mark.parametrize("shape", SHAPES)
def test_all_ranking_measures_answer_within_their_range(shape):
    table = table_of(shape)
    for name in ("pulp", "mean_mutual_information", "mean_pearson", "pseudo_f", "lee_liu"):
        found = getattr(pm, name)(table)
        slack = 1e-9 * (1 + abs(found.best))
        assert found.worst - slack <= found.value <= found.best + slack, name
        assert np.all(np.isfinite(found.curve.y)), name


def test_a_perfect_ranking_has_the_known_pulp_at_every_size():
    for t in (1, 50, kernels._RUN, kernels._RUN + 1, 10**6, TRILLION):
        table = pm.ScoreTable.from_counts([2, 1], n_pos=[t, 0], n_unl=[0, 3 * t], **CC)
        assert pm.pulp(table).value == pytest.approx(pm.pulp(table).best, rel=1e-10)


def test_long_runs_of_positives_are_those_of_single_rows(monkeypatch):
    pos, rest = [5, 12_000, 3], [40, 0, 900]
    names = ("pulp", "lee_liu", "mean_f1", "mean_pearson", "pseudo_f", "mean_mutual_information",
             "naive_average_precision")  # fmt: skip

    def values():
        table = pm.ScoreTable.from_counts([3, 2, 1], n_pos=pos, n_unl=rest, **CC)
        return [getattr(pm, name)(table, confidence_level=None).value for name in names]

    closed = values()
    monkeypatch.setattr(kernels, "_RUN", 10**9)
    assert closed == pytest.approx(values(), rel=1e-11)


@pytest.mark.parametrize("name", ["pulp", "mean_mutual_information", "lee_liu", "mean_f1"])
def test_curves_with_tied_positives_stay_in_range(name):
    # A grid point inside a block of tied positives once counted none of them, and all at its end.
    tied = pm.ScoreTable.from_groups(positive=[5, 5, 5, 2], unlabeled=[3, 1], **CC)
    apart = pm.ScoreTable.from_groups(positive=[7, 6, 5, 2], unlabeled=[3, 1], **CC)
    one, two = getattr(pm, name)(tied), getattr(pm, name)(apart)
    assert one.value == pytest.approx(two.value, rel=1e-12)
    assert one.curve.area == pytest.approx(one.value, rel=1e-12)
    assert one.curve.y.min() >= -1e-15
    assert one.curve.y.max() <= two.curve.y.max() + 1e-12


@pytest.mark.parametrize(
    ("total", "marked", "drawn", "k"),
    [(TRILLION, 10**6, 10**6, 5), (TRILLION, 5 * 10**11, 100, 80), (10**6, 10, 10, 10), (2, 1, 1, 1),
     (TRILLION, 1, 1, 1), (TRILLION, 10**9, 10**3, 30)],
)  # fmt: skip
def test_significance_of_trillions_is_that_of_60_digits(total, marked, drawn, k):
    others = total - drawn - marked + k
    table = pm.ScoreTable.from_counts(
        [2, 1], n_pos=[k, marked - k], n_unl=[drawn - k, others], **SINGLE
    )
    found = pm.pulp_significance(table, threshold=2)
    truth = oracle.upper_tail(k, total, marked, drawn)
    assert found.p_value == pytest.approx(float(truth), rel=1e-11, abs=0)
    assert found.value == pytest.approx(float(1 - truth), rel=1e-11)


@pytest.mark.parametrize("shape", ["mixed", "separated", "reversed", "tied"])
@pytest.mark.parametrize("band", ["exact", "clopper_pearson", "dkw", "bootstrap"])
def test_bounds_of_trillions_keep_the_sums_of_their_tables(shape, band):
    table = table_of(shape, SINGLE)
    positives = table.total_pos + round(table.total_unl * 0.25)
    known = {"prior": positives / table.total, "prior_of": "rows"}
    bounds = pm.confusion_bounds(table, **known, rank_limits=band)
    for side in (bounds.lower, bounds.upper):
        for entry in (side.tp, side.fp, side.fn, side.tn):
            assert np.all(entry == np.round(entry))
            assert np.all(entry >= 0)
        assert np.all(abs(side.tp + side.fn - positives) <= 1)
        assert np.all(side.tp + side.fp + side.fn + side.tn == table.total)
    assert np.all(bounds.lower.tp <= bounds.upper.tp)
    ends = pm.roc_auc_bounds(table, **known, rank_limits=band)
    assert 0 <= ends.low <= ends.high <= 1


@pytest.mark.parametrize("prior", PRIORS)
def test_risks_and_calibration_of_trillions_are_those_of_fractions(prior):
    scores, pos, rest = (
        [0.9, 0.1 + 0.2, 1e-16, 5e-324],
        [TRILLION, 7, 0, 1],
        [3, TRILLION, 10**9, 2],
    )
    table = pm.ScoreTable.from_counts(scores, n_pos=pos, n_unl=rest, **CC)
    truth = oracle.brier_score(scores, pos, rest, prior)
    found = pm.brier_score(table, prior=prior, nonnegative=False).value
    assert found == pytest.approx(float(truth), rel=1e-13, abs=1e-15)
    gap = oracle.one_bin_gap(scores, rest, prior)
    error = pm.calibration_error(table, prior=prior, n_bins=1).error
    assert error == pytest.approx(float(gap), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_one_row_of_each_kind_has_every_answer(scenario):
    for pos, unl in ((0.9, 0.1), (0.1, 0.9), (0.5, 0.5)):
        table = pm.ScoreTable.from_groups(positive=[pos], unlabeled=[unl], **scenario)
        prior = 0.3 if scenario is CC else 0.75
        area = 1.0 if pos > unl else 0.0 if pos < unl else 0.5
        assert pm.naive_auc(table).value == area
        truth = float(oracle.corrected_area([pos > unl, pos <= unl], [unl >= pos, unl < pos], 0.3))
        if scenario is CC and area != 0.5:
            assert pm.roc_auc(table, prior=prior, method="direct").value == pytest.approx(truth)
        for call in (pm.average_precision, pm.calibration_error, pm.brier_score, pm.log_loss):
            result = call(table, prior=prior)
            number = getattr(result, "value", None)
            assert number is None or np.isfinite(number)
        assert 0 <= pm.pulp(table).value <= 1
        assert pm.evaluate(table, prior=prior).to_json()


# ------------------------------------------------------------------------------ scores


def neighbours(count):
    values = [1.0]
    for _ in range(count - 1):
        values.append(float(np.nextafter(values[-1], 2)))
    return values


LADDERS = {
    "last bit": neighbours(12),
    "denormals": [i * 5e-324 for i in range(1, 13)],
    "around zero": [(i - 6) * 5e-324 for i in range(12)],
    "huge": [(i - 5.5) * 3e307 for i in range(12)],
    "all magnitudes": [-1.7e308, -1.0, -1e-300, -5e-324, 0.0, 5e-324, 1e-300, 1e-16, 1.0,
                       float(np.nextafter(1, 2)), 1e300, 1.7976931348623157e308],
}  # fmt: skip


@pytest.mark.parametrize("ladder", LADDERS)
@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_only_the_order_of_extreme_scores_counts(ladder, scenario):
    steps = LADDERS[ladder]
    assert sorted(set(steps)) == list(steps)
    rng = np.random.default_rng(3)
    ranks = {"positive": rng.integers(3, 12, 20), "unlabeled": rng.integers(0, 12, 60)}
    plain = pm.ScoreTable.from_groups(**ranks, **scenario)
    odd = pm.ScoreTable.from_groups(
        **{name: np.array(steps)[r] for name, r in ranks.items()}, **scenario
    )
    assert odd.score.size == plain.score.size
    known = {"prior": 0.4}
    for one, two in (
        [pm.roc_auc(t, **known).to_dict() for t in (plain, odd)],
        [pm.average_precision(t, **known).to_dict() for t in (plain, odd)],
        [pm.pulp(t).value for t in (plain, odd)],
        [pm.roc_hull(t, **known).area for t in (plain, odd)],
        [tuple(pm.roc_auc_bounds(t, **known)) for t in (plain, odd)],
        [pm.estimate_prior(t, rng=0).prior for t in (plain, odd)],
        [pm.recalibrate(t, **known).value.tolist() for t in (plain, odd)],
    ):
        assert one == two
    for at in (0, 5, 11):
        one = pm.metric(plain, "f1", threshold=at, **known)
        two = pm.metric(odd, "f1", threshold=steps[at], **known)
        assert (one.value, one.interval) == (two.value, two.interval)
    flipped = odd.flipped().flipped()
    assert flipped.equals(odd) or np.array_equal(flipped.score, odd.score)


@pytest.mark.parametrize("ladder", ["huge", "all magnitudes", "denormals"])
@pytest.mark.parametrize("method", ["platt", "temperature", "isotonic"])
def test_maps_of_extreme_scores_rise_and_stay_probabilities(ladder, method):
    steps = np.array(LADDERS[ladder])
    table = pm.ScoreTable.from_groups(positive=steps[4:], unlabeled=steps, **CC)
    found = pm.recalibrate(table, prior=0.3, method=method)(steps)
    assert np.all((found >= 0) & (found <= 1))
    assert np.all(np.diff(found) >= 0)


@pytest.mark.parametrize("prior", [1e-300, 1e-9, 1 - 1e-9])
def test_extreme_priors_are_answered(prior):
    rng = np.random.default_rng(4)
    table = pm.ScoreTable.from_groups(positive=rng.random(50), unlabeled=rng.random(80), **CC)
    for call in (pm.roc_auc, pm.average_precision, pm.brier_score, pm.log_loss):
        found = call(table, prior=prior)
        assert np.isfinite(found.value)
        assert found.interval.low <= found.interval.high
    for name in ("precision", "f1", "mcc", "lift"):
        assert not np.isnan(pm.metric(table, name, threshold=0.5, prior=prior).value)


def test_purity_and_prior_must_be_apart():
    table = pm.ScoreTable.from_groups(positive=[2.0, 1.0], unlabeled=[1.0, 0.0], **CC)
    for prior, purity in ((0.0, 5e-324), (0.3, 0.3 + 1e-15), (1 - 1e-14, 1.0), (0.5, 0.4)):
        with pytest.raises(NotIdentifiableError, match="Pass purity > prior"):
            pm.roc_auc(table, prior=prior, purity=purity)


# ------------------------------------------------------------------------------ dtypes


@pytest.mark.parametrize(
    "convert",
    [
        lambda a: a.astype(np.float16), lambda a: a.astype(np.float32), lambda a: a.astype(np.int8),
        lambda a: a.astype(np.uint64), lambda a: a.astype(">f8"), lambda a: a.astype(">i4"),
        lambda a: a.astype(np.longdouble), lambda a: np.repeat(a, 3)[::3],
        lambda a: a[::-1].copy()[::-1], lambda a: np.asfortranarray(np.stack([a, a], 1))[:, 0],
        lambda a: a.astype(object), lambda a: np.ma.masked_array(a), lambda a: [int(x) for x in a],
        lambda a: [Fraction(int(x), 1) for x in a], lambda a: (np.float32(x) for x in a),
    ],
)  # fmt: skip
def test_every_number_type_gives_the_same_results(convert):
    rng = np.random.default_rng(5)
    y, score = rng.random(60) < 0.4, rng.integers(0, 9, 60).astype(float)
    given = convert(score)
    if hasattr(given, "__next__"):
        with pytest.raises(PuremetricsError, match="one-dimensional"):
            pm.ScoreTable.from_arrays(y, given, **CC)
        return
    made = pm.ScoreTable.from_arrays(y, given, **CC)
    plain = pm.ScoreTable.from_arrays(y, score, **CC)
    assert made.equals(plain)
    joint = pm.JointTable.from_arrays(y, {"a": given, "b": score[::-1]}, **CC)
    assert joint["a"].equals(plain)
    to_probability = pm.recalibrate(plain, prior=0.3)
    assert np.array_equal(to_probability(given), to_probability(score))
    model = pm.Recalibrator(prior=0.3, **CC).fit(given, y)
    assert np.array_equal(model.transform(given)[:, 0], to_probability(score))


def test_booleans_are_scores_of_a_classifier_without_scores():
    y, predicted = np.array([1, 1, 0, 0, 0], bool), np.array([1, 0, 1, 0, 0], bool)
    table = pm.ScoreTable.from_arrays(y, predicted, **CC)
    assert table.score.tolist() == [1.0, 0.0]
    exact = oracle.corrected_area([1, 1], [1, 2], 0.1)
    assert pm.roc_auc(table, prior=0.1, method="direct").value == pytest.approx(float(exact))


def test_read_only_memory_maps_are_left_alone(tmp_path):
    rng = np.random.default_rng(6)
    columns = {"y": rng.integers(0, 2, 500), "s": rng.normal(size=500), "w": rng.random(500) + 0.5}
    opened = {}
    for name, column in columns.items():
        np.save(tmp_path / f"{name}.npy", column)
        opened[name] = np.load(tmp_path / f"{name}.npy", mmap_mode="r")
    before = {name: (tmp_path / f"{name}.npy").read_bytes() for name in columns}
    for weight in (None, opened["w"]):
        table = pm.ScoreTable.from_arrays(opened["y"], opened["s"], sample_weight=weight, **CC)
        assert np.isfinite(pm.roc_auc(table, prior=0.2).value)
    pm.JointTable.from_arrays(opened["y"], {"a": opened["s"], "b": opened["w"]}, **CC)
    for name, column in opened.items():
        assert not column.flags.writeable
        assert (tmp_path / f"{name}.npy").read_bytes() == before[name]


def test_what_float64_cannot_hold_is_refused():
    for values in ([2**53 + 1, 0], np.array([np.longdouble(1) + np.finfo(np.longdouble).eps, 0])):
        if np.asarray(values).dtype.itemsize > 8 or isinstance(values, list):
            with pytest.raises(ScoreError):
                pm.ScoreTable.from_arrays([1, 0], values, **CC)
    # float16 and float32 are exact in float64: their last bits stay apart.
    for dtype in (np.float16, np.float32):
        pair = np.array([1, np.nextafter(dtype(1), dtype(2))], dtype=dtype)
        assert pm.ScoreTable.from_arrays([0, 1], pair, **CC).score.size == 2
