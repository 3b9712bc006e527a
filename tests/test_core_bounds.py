"""Pieces of the bounds by hand: limits of latent positives, bends, range maxima."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

import puremetrics as pm
from puremetrics import bounds, contingency
from puremetrics.exceptions import InputError, PriorError
from puremetrics.io.cuts import CutCounts, Cuts

from .test_core_scenario import CC, SINGLE, tables


def choice_of(table, prior, basis="positives", level=0.95):
    return contingency.LatentChoice.of(table, prior, "exact", level, basis, False)


def test_a_checked_choice_cannot_be_changed():
    choice = choice_of(tables()[CC], 0.5)
    with pytest.raises(FrozenInstanceError):
        choice.level = 0.5
    with pytest.raises(FrozenInstanceError):
        contingency.whole_heads(tables()[CC]).pos = None


def test_class_sizes_and_entries_by_hand():
    both = tables()  # 3 positive, 4 unlabeled, 2 negative rows
    assert contingency.class_sizes(both[CC], 1) == (1, 3)
    assert contingency.class_sizes(both[SINGLE], 1) == (4, 5)
    assert contingency.class_sizes(both[SINGLE], 0) == (3, 6)
    for latent, word in ((0, "larger"), (4, "smaller")):
        with pytest.raises(PriorError, match=f"Pass a {word} prior"):
            contingency.class_sizes(both[CC], latent)
    # At score 2: 3 positive and 2 unlabeled rows, one of which is taken for a latent positive.
    for name, expected in ((CC, (1, 1, 0, 2)), (SINGLE, (4, 1, 0, 4))):
        heads = contingency.head_at(both[name], 2)
        found = contingency.table_entries(both[name], heads, np.array([1.0]), 1)
        assert tuple(float(entry[0]) for entry in found) == expected


def test_latent_positives_fit_into_the_head_and_into_the_tail():
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 6).round(1),
        unlabeled=rng.normal(0, 1, 9).round(1),
        negative=rng.normal(-1, 1, 5).round(1),
        scenario=SINGLE,
    )
    heads = contingency.whole_heads(table)
    for basis in ("positives", "negatives"):
        for latent in (0, 4, 9):
            choice = replace(choice_of(table, 0.5, basis), latents=(latent,))
            low, high = (choice.x(heads, latent, side) for side in ("lower", "upper"))
            assert np.all(low <= high)
            assert np.all(low >= np.maximum(latent - (9 - heads.unl), 0))
            assert np.all(high <= np.minimum(heads.unl, latent))
            # Along a run x is piecewise linear in the head, and bends where `kinks` says.
            for side in ("lower", "upper"):
                concave, convex = choice.kinks(heads, latent, side)
                for i in range(heads.unl.size):
                    head = np.arange(10.0)
                    same = contingency.Heads(
                        head, *(np.full(10, column[i]) for column in (heads.pos,)), head,
                        np.full(10, heads.neg[i]),
                    )  # fmt: skip
                    bend = np.diff(choice.x(same, latent, side), 2)
                    for at, sign in ((concave[i], -1), (convex[i], 1)):
                        if 1 <= at <= 8 and concave[i] != convex[i]:
                            assert bend[int(at) - 1] == sign


def test_numbers_of_latent_positives_that_were_skipped_cost_a_row():
    table = pm.ScoreTable.from_groups(positive=range(9), unlabeled=range(100), scenario=CC)
    heads = contingency.whole_heads(table)
    some, every = choice_of(table, (0.2, 0.6)), choice_of(table, (0.2, 0.25))
    assert len(some.latents) < 41
    assert every.latents == tuple(range(20, 26))
    for choice, slack in ((some, 1), (every, 0)):
        one = replace(choice, latents=(20,))
        for side, sign in (("lower", -1), ("upper", 1)):
            gap = choice._limits(heads.pos, 9, 20)[side] - one._limits(heads.pos, 9, 20)[side]
            assert np.all(gap == sign * slack)


def test_the_tightest_basis_is_the_one_with_more_known_rows():
    for pos, neg, basis in ((40, 2, "positives"), (2, 40, "negatives")):
        table = pm.ScoreTable.from_groups(
            positive=np.linspace(0, 1, pos), unlabeled=np.linspace(0, 1, 30),
            negative=np.linspace(0, 1, neg), scenario=CC,
        )  # fmt: skip
        for prior in (0.5, (0.4, 0.6)):
            assert choice_of(table, prior, "tightest").basis == basis


def test_thresholds_inside_merged_scores_are_refused():
    table = tables()[CC]
    contingency.check_operating_point(table, 2.5)
    with pytest.raises(InputError, match="no longer knows"):
        pm.metric_bounds(table.cut(), "recall", threshold=2, prior=0.5)
    counts = CutCounts(Cuts(np.array([5.0]), np.array([1]), np.array([0]), (1, 5, 0), False))
    counts.update(np.array([9.0, 8, 7, 5, 2, 1]))
    scanned = counts.to_table(CC)
    for threshold, words in ((8, "from 7 to 9"), (1.5, "from 1 to 2")):
        with pytest.raises(InputError, match=words):
            contingency.check_operating_point(scanned, threshold)
    for threshold in (10, 7, 6, 5, 1, 0):  # all that was merged is on one side
        contingency.check_operating_point(scanned, threshold)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 33])
def test_range_maxima_are_those_of_slices(size):
    values = np.random.default_rng(size).permutation(size).astype(float)
    first, last = (end.ravel() for end in np.meshgrid(np.arange(size), np.arange(size)))
    first, last = first[first <= last], last[first <= last]
    expected = [values[a : b + 1].max() for a, b in zip(first, last, strict=True)]
    assert bounds._range_maximum(values, first, last).tolist() == expected


def test_precision_and_recall_of_a_roc_curve_by_hand():
    x, y = np.array([0, 0, 0.5, 1.0]), np.array([0, 0.5, 0.75, 1.0])
    roc = pm.Curve("roc_upper", x, y, np.array([np.inf, 3, 2, 1]), "", "")
    found = bounds._to_precision_recall(roc, 3.0)  # three negatives a positive
    assert found.x.tolist() == y.tolist()
    assert found.y == pytest.approx([1, 1, 0.75 / (0.75 + 1.5), 0.25])
    assert found.reached == pytest.approx([0, 0.5, 2.25, 4])
    assert found.name == "precision_recall_upper"
    # Where negatives come first, precision is 0 from the start.
    late = pm.Curve("roc_lower", np.array([0, 0.5, 1]), np.array([0, 0.0, 1]), np.ones(3), "", "")
    assert bounds._to_precision_recall(late, 1.0).y.tolist() == [0, 0, 0.5]


def test_step_sums_of_tied_scores_are_within_the_bounds_of_average_precision():
    """Ties push the step-wise sum below, or above, the area under the hyperbolae."""
    # The truth may be: positives 3, 2, 2, 0 and negative 2 among the unlabeled.
    low = pm.ScoreTable.from_groups(positive=[3, 2], unlabeled=[3, 0, 2, 2, 2], scenario=CC)
    known = {"prior": 4 / 5, "confidence_level": 0.3}
    steps = 1 / 4 * 1 + 2 / 4 * 3 / 4 + 1 / 4 * 4 / 5
    assert steps < pm.pr_bounds(low, **known).lower.area
    assert pm.average_precision_bounds(low, **known).low <= steps
    # Positives 3 and 0, negative 1 among the unlabeled.
    high = pm.ScoreTable.from_groups(positive=[3, 0, 0], unlabeled=[0, 1, 3], scenario=CC)
    known = {"prior": 2 / 3, "confidence_level": 0.3}
    steps = 1 / 2 * 1 + 1 / 2 * 2 / 3
    assert steps > pm.pr_bounds(high, **known).upper.area
    assert steps <= pm.average_precision_bounds(high, **known).high + 1e-12


@pytest.mark.parametrize(("name", "prior"), [(CC, 0.3), (SINGLE, 0.44)])
def test_without_ties_steps_and_hyperbolae_nearly_agree(name, prior):
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1.5, 1, 200),
        unlabeled=rng.normal(0, 1, 800) + 1.5 * (rng.random(800) < 0.3),
        scenario=name,
    )
    curves = pm.pr_bounds(table, prior=prior)
    found = pm.average_precision_bounds(table, prior=prior)
    assert curves.lower.area - 0.01 < found.low <= curves.lower.area
    assert curves.upper.area <= found.high < curves.upper.area + 0.05
    low, high = bounds._step_sums(table, choice_of(table, prior))
    assert low == pytest.approx(curves.lower.area, abs=0.02)
    assert high == pytest.approx(curves.upper.area, abs=0.05)


def test_bounds_over_a_range_of_priors_are_extremes_of_its_points():
    rng = np.random.default_rng(5)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 15).round(1), unlabeled=rng.normal(0, 1, 20).round(1), scenario=CC
    )
    points = [k / 20 for k in range(6, 11)]
    wide = pm.confusion_bounds(table, prior=(0.3, 0.5))
    each = [pm.confusion_bounds(table, prior=point) for point in points]
    for side, best in (("upper", np.min), ("lower", np.max)):
        counts = [getattr(bound, side) for bound in each]
        rates = [c.fp / (c.fp + c.tn) for c in counts]
        chosen = getattr(wide, side)
        assert chosen.fp / (chosen.fp + chosen.tn) == pytest.approx(best(rates, axis=0))
        assert chosen.tp + chosen.fp == pytest.approx(counts[0].tp + counts[0].fp)  # the head
    at = float(table.score[table.score.size // 2])
    names = ["tp", "recall", "precision", "mcc"]
    together = bounds.bounds_at_threshold(table, names, threshold=at, prior=(0.3, 0.5))
    for name in names[1:]:
        one = [pm.metric_bounds(table, name, threshold=at, prior=point) for point in points]
        found = pm.metric_bounds(table, name, threshold=at, prior=(0.3, 0.5))
        assert tuple(found) == pytest.approx((min(b.low for b in one), max(b.high for b in one)))
        assert tuple(together[name]) == tuple(found)
        curve = pm.metric_curve_bounds(table, name, prior=(0.3, 0.5))
        row = curve.lower.x.tolist().index(at)
        assert (curve.lower.y[row], curve.upper.y[row]) == pytest.approx(tuple(found))


def test_own_metrics_need_not_be_monotone():
    table = pm.ScoreTable.from_groups(positive=range(5, 15), unlabeled=np.arange(20), scenario=CC)
    known = {"prior": 0.5, "confidence_level": 0.95}
    least, most = pm.metric_bounds(table, lambda tp, fp, fn, tn: tp, threshold=10, **known)
    assert most - least >= 3
    middle = (least + most) // 2

    def hill(tp, fp, fn, tn):  # highest between the ends
        return -((tp - middle) ** 2)

    found = pm.metric_bounds(table, hill, threshold=10, **known)
    assert found.high == 0
    assert found.low == -(max(middle - least, most - middle) ** 2)
    curve = pm.metric_curve_bounds(table, hill, **known)
    row = curve.upper.x.tolist().index(10)
    assert (curve.lower.y[row], curve.upper.y[row]) == tuple(found)


def test_own_metrics_are_tried_at_as_many_values_as_is_documented():
    table = pm.ScoreTable.from_groups(
        positive=range(100), unlabeled=np.arange(1000) / 10, scenario=CC
    )
    tried = []
    pm.metric_bounds(
        table, lambda tp, fp, fn, tn: tried.append(tp) or tp, threshold=50, prior=0.5, band="dkw"
    )
    assert np.ptp(tried[0]) > 65
    assert tried[0].size == np.unique(tried[0]).size == 65
