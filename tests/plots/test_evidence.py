"""The picture of what each kind of evidence says draws the table, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

import puremetrics as pm
from puremetrics.exceptions import InputError
from puremetrics.plots import EvidenceDisplay

TABLE = pm.ScoreTable.from_groups(
    positive=np.arange(50, 100) / 100,
    unlabeled=np.arange(150) / 150,
    scenario="single_training_set",
)
RANDOM = np.random.default_rng(3)
CHECKED = RANDOM.choice(np.arange(150) / 150, 60, replace=False)
FOUND = pm.Investigated.from_arrays(CHECKED, (RANDOM.random(60) < CHECKED).astype(int))
KINDS = [FOUND, pm.PublishedPrior(0.5, 0.03)]


def drawn(kinds, **options):
    return EvidenceDisplay.from_table(TABLE, evidence=kinds, ax=Figure().subplots(), **options)


@pytest.mark.parametrize("figure", ["prior", "precision"])
def test_lines_and_points_are_those_of_the_table(figure):
    evaluation = pm.evaluate(TABLE, evidence=KINDS, threshold=0.5)
    display = EvidenceDisplay.from_evaluation(evaluation, figure=figure, ax=Figure().subplots())
    wanted = evaluation.evidence if figure == "prior" else evaluation["model"][figure].evidence
    for line, low, high in zip(display.lines_, wanted.low, wanted.high, strict=True):
        if line.get_linestyle() == "-":
            np.testing.assert_array_equal(line.get_xdata(), [low, high])
    points = np.ma.filled(display.points_.get_offsets(), np.nan)
    np.testing.assert_array_equal(points[:, 0], wanted.value)
    np.testing.assert_array_equal(display.joint_line_.get_xdata(), wanted.together[1:])
    np.testing.assert_array_equal(display.joint_point_.get_xdata(), wanted.together[:1])
    labels = [" ".join(t.get_text().split()) for t in display.ax_.get_yticklabels()]
    assert labels == [*wanted.kinds, "all together"]
    assert list(display.frame()["value"][:-1]) == pytest.approx(wanted.value, nan_ok=True)


def test_ways_to_make_it_say_the_same():
    table = drawn(KINDS)
    estimate = EvidenceDisplay.from_estimate(
        pm.assume(TABLE, evidence=KINDS).joint_prior(), ax=Figure().subplots()
    )
    y = np.repeat([1, 0], [50, 150])
    score = np.concatenate([np.arange(50, 100) / 100, np.arange(150) / 150])
    rows = EvidenceDisplay.from_predictions(
        y, score, scenario="single_training_set", evidence=KINDS, ax=Figure().subplots()
    )
    for other in (estimate, rows):
        np.testing.assert_allclose(other.table.value, table.table.value, rtol=1e-12)
        assert other.table.together == pytest.approx(table.table.together, rel=1e-12)


def test_what_contradicts_itself_has_no_common_value():
    display = drawn([FOUND, pm.PublishedPrior(0.95, 0.005)])
    assert display.table.contradicting == ((0, 1),)
    assert display.joint_point_ is display.joint_range_ is None
    assert len({line.get_color() for line in display.lines_}) == 1
    assert display.lines_[0].get_color() != drawn(KINDS).lines_[0].get_color()
    assert "one is wrong" in display.caption_.get_text().replace("\n", " ")


def test_a_kind_that_leaves_it_open_is_dotted_inside_the_axis():
    found = drawn(KINDS).table
    value, low, high = (getattr(found, name).copy() for name in ("value", "low", "high"))
    value[1], low[1], high[1] = np.nan, 0.0, 1.0
    display = EvidenceDisplay.from_estimate(
        replace(found, value=value, low=low, high=high), ax=Figure().subplots()
    )
    line = display.lines_[1]
    assert line.get_linestyle() == "--"
    start, end = display.ax_.get_xlim()
    assert end - start < 1
    assert start <= min(line.get_xdata()) <= max(line.get_xdata()) <= end


def test_there_must_be_evidence():
    plain = pm.evaluate(TABLE, prior=0.5)
    with pytest.raises(InputError, match="rests on no evidence"):
        EvidenceDisplay.from_evaluation(plain)
    with pytest.raises(InputError, match="rests on no evidence"):
        EvidenceDisplay.from_estimate(plain["model"]["roc_auc"])
