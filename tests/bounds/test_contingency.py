"""Latent positives in heads by hand: limits, bends, class sizes."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.bounds import contingency
from puremetrics.exceptions import InputError, PriorError, UnsupportedError
from puremetrics.io.score_keys import Cuts
from puremetrics.io.second_pass import CutCounts
from puremetrics.setting import check_known_head
from tests.bounds.cases import choice_of
from tests.small_tables import CC, SINGLE, tables


def test_a_checked_choice_cannot_be_changed():
    choice = choice_of(tables()[CC], 0.5)
    with pytest.raises(FrozenInstanceError):
        choice.basis = "negatives"
    with pytest.raises(AttributeError):
        contingency.whole_heads(tables()[CC]).pos = None


def test_class_sizes_and_entries_by_hand():
    both = tables()  # 3 positive, 4 unlabeled, 2 negative rows
    one = {name: choice_of(table, (1 if name == CC else 4) / (4 if name == CC else 9))
           for name, table in both.items()}  # fmt: skip
    assert {(choice.low, choice.high) for choice in one.values()} == {(1, 1)}
    assert one[CC].class_sizes(1) == (1, 3)
    assert one[SINGLE].class_sizes(1) == (4, 5)
    assert one[SINGLE].class_sizes(0) == (3, 6)
    for latent, word in ((0, "larger"), (4, "smaller")):
        with pytest.raises(PriorError, match=f"Pass a {word} prior"):
            one[CC].class_sizes(latent)
    # At score 2: 3 positive and 2 unlabeled rows, one of which is taken for a latent positive.
    for name, expected in ((CC, (1, 1, 0, 2)), (SINGLE, (4, 1, 0, 4))):
        heads = contingency.head_at(both[name], 2)
        found = one[name].entries(heads, np.array([1.0]), 1)
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
            choice = replace(choice_of(table, 0.5, basis), low=latent, high=latent)
            low, high = (choice.x(heads, latent, side) for side in ("lower", "upper"))
            assert np.all(low <= high)
            assert np.all(low >= np.maximum(latent - (9 - heads.unl), 0))
            assert np.all(high <= np.minimum(heads.unl, latent))
            # Along a run x is piecewise linear in the head, and bends where `kinks` says.
            nodes = np.array([float(latent)])
            *limits, place = choice.theta(heads, nodes)
            for side, theta in zip(("lower", "upper"), limits, strict=True):
                concave, convex = (kink[0] for kink in choice.kinks(theta[:, place], nodes))
                for i in range(heads.unl.size):
                    head = np.arange(10.0)
                    same = contingency.HeadCounts(
                        head, *(np.full(10, column[i]) for column in (heads.pos,)), head,
                        np.full(10, heads.neg[i]),
                    )  # fmt: skip
                    bend = np.diff(choice.x(same, latent, side), 2)
                    for at, sign in ((concave[i], -1), (convex[i], 1)):
                        if 1 <= at <= 8 and concave[i] != convex[i]:
                            assert bend[int(at) - 1] == sign


def test_thresholds_inside_merged_scores_are_refused():
    table = tables()[CC]
    check_known_head(table, 2.5)
    with pytest.raises(UnsupportedError, match="needs the scores of all rows"):
        pm.metric_bounds(table.cut(), "recall", threshold=2, prior=0.5)
    counts = CutCounts(Cuts(np.array([5.0]), np.array([1]), np.array([0]), (1, 5, 0), False))
    counts.update(np.array([9.0, 8, 7, 5, 2, 1]))
    scanned = counts.to_table(CC)
    for threshold, words in ((8, "from 7 to 9"), (1.5, "from 1 to 2")):
        with pytest.raises(InputError, match=words):
            check_known_head(scanned, threshold)
    for threshold in (10, 7, 6, 5, 1, 0):  # all that was merged is on one side
        check_known_head(scanned, threshold)
