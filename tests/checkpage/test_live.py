"""The interval while people check: that of `follow_audit`, at every row, and no word too much."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.checkpage import look_at
from puremetrics.checkpage.live import Counted
from puremetrics.exceptions import InputError
from tests.checkpage.making import Clock
from tests.checkpage.world import World


def told(live, final, unsure=None, version=1):
    live.tell(version, final, unsure or [False] * len(final))
    assert live.wait(version, 60)
    return live.state()


@pytest.mark.parametrize("target", ["precision", "f1", "prior", "roc_auc", "average_precision"])
def test_it_is_what_follow_audit_says_of_the_same_answers(target):
    world = World(target=target)
    live = world.live(width=0.2)
    live.start()
    final = [""] * len(world.rows)
    order = np.random.default_rng(1).permutation(len(final))  # answered in any order
    for version, count in enumerate((1, 7, 20, 53, 80), start=1):
        for row in order[:count]:
            final[row] = world.said[row]
        state = told(live, list(final), version=version)
        answers = [None if said == "" else said == "yes" for said in final]
        audit = world.plan.audit(world.rows, answers, sequential=True)
        path = pm.follow_audit(
            world.table, audit, target, threshold=world.threshold, width=0.2, every=count
        )
        assert state["state"] == "ready"
        assert state["checked"] == count
        assert state["low"] == pytest.approx(path.low[-1], abs=1e-12)
        assert state["high"] == pytest.approx(path.high[-1], abs=1e-12)
        assert live.look.path.more == pytest.approx(path.more) if path.more is not None else True
    live.stop()


def test_the_last_of_many_looks_is_the_same():
    """A look at the last row is that of a path with looks all along."""
    world = World()
    answers = [said == "yes" for said in world.said]
    audit = world.plan.audit(world.rows, answers, sequential=True)
    path = pm.follow_audit(world.table, audit, "precision", threshold=1.0, width=0.25, every=5)
    for look, count in enumerate(path.checked):
        found = look_at(world.table, audit.first(int(count)), world.plan, width=0.25)
        assert (found.low, found.high) == pytest.approx((path.low[look], path.high[look]))
    stops = [
        look_at(world.table, audit.first(int(n)), world.plan, width=0.25).enough
        for n in path.checked
    ]
    assert path.stopped == path.checked[stops.index(True)]


def test_it_says_when_to_stop_and_remembers_since_when():
    world = World()
    live = world.live(width=0.3)
    live.start()
    since = None
    for count in range(5, 81, 5):
        state = told(live, world.said[:count] + [""] * (80 - count), version=count)
        if state["enough"] and since is None:
            since = count
            assert "You can stop" in state["words"]
            assert state["high"] - state["low"] <= 0.3
    assert since is not None
    assert live.since == since
    assert len(state["trail"]) == 16
    state = told(live, world.said[:5] + [""] * 75, version=100)  # answers taken back
    assert not state["enough"]
    assert [n for n, _, _ in state["trail"]] == [5]
    live.stop()


def test_unsure_rows_hold_the_stop_sign_back():
    world = World()
    answers = [said == "yes" for said in world.said]
    audit = world.plan.audit(world.rows, answers, sequential=True)
    width = (lambda look: look.high - look.low)(look_at(world.table, audit, world.plan)) + 0.01
    assert look_at(world.table, audit, world.plan, width=width).enough
    live = world.live(width=width)
    live.start()
    unsure = [row >= 50 for row in range(80)]
    final = [said if row < 50 else "" for row, said in enumerate(world.said)]
    live.tell(1, final, unsure)
    assert live.wait(1, 60)
    look = live.look
    assert look.unsure == 30
    assert not look.enough
    few = [row >= 79 for row in range(80)]
    wide = world.live(width=2.0)
    wide.start()
    state = told(wide, [said if row < 79 else "" for row, said in enumerate(world.said)], few)
    assert state["enough"]  # whichever it is
    assert state["unsure"] == 1
    live.stop()
    wide.stop()


def test_futile_and_forecast():
    world = World(rows=300, budget=200)
    answers = [said == "yes" for said in world.said]
    audit = world.plan.audit(world.rows, answers, sequential=True)
    late = look_at(world.table, audit, world.plan, width=0.001)
    assert late.path.more == np.inf
    assert late.futile
    assert "will not help much" in late.words
    early = look_at(World().table, _first(World(), 20), World().plan, width=0.15)
    assert not early.futile
    assert "more rows would make it at most 0.15 wide" in early.words
    assert early.least_width < early.planned_width < early.high - early.low
    done = look_at(World().table, _first(World(), 80), World().plan)
    assert done.planned_width == pytest.approx(done.high - done.low)


def _first(world, count):
    answers = [said == "yes" for said in world.said]
    return world.plan.audit(world.rows, answers, sequential=True).first(count)


def test_the_forecast_of_the_width_comes_about():
    """From 40 of 80 rows on it is told to a fifth, on average over draws."""
    ratios = []
    for seed in range(12):
        world = World(seed)
        half = look_at(world.table, _first(world, 40), world.plan)
        whole = look_at(world.table, _first(world, 80), world.plan)
        ratios.append(half.planned_width / (whole.high - whole.low))
    assert 0.8 < np.median(ratios) < 1.25, ratios


def test_what_the_labels_promise_is_told_beside_it():
    world = World()
    live = world.live()
    live.start()
    state = told(live, world.said)
    prior = pm.estimate_prior(world.table)
    wanted = pm.metric(world.table, "precision", threshold=1.0, prior=prior)
    assert state["promised"]["value"] == pytest.approx(wanted.value)
    live.stop()


def test_data_that_cannot_be_counted_are_told():
    world = World()

    def gone():
        raise InputError("There is no file 'scores.csv'. Check the path.")

    for load, said in (
        (gone, "There is no file"),
        (lambda: Counted(World(seed=1).table, world.looked), "other unlabeled rows"),
        (lambda: 1 / 0, "ZeroDivisionError"),
    ):
        live = world.live()
        live._load = load
        live.start()
        live.tell(1, world.said, [False] * 80)
        assert live.wait(1, 60)
        state = live.state()
        assert state["state"] == "none"
        assert said in state["words"]


def test_scores_that_changed_are_told():
    world = World()
    moved = {"model": world.looked.scores["model"] + 1}
    live = world.live()
    live._load = lambda: Counted(world.table, world.looked._replace(scores=moved))
    live.start()
    assert "differ from those" in told(live, world.said)["words"]


def test_a_session_tells_it_every_answer(tmp_path):
    from puremetrics.checkpage import CheckServer, Session

    world = World()
    made = Session(world.sheet(), tmp_path / "checked.csv", checker="ann", now=Clock())
    server = CheckServer(made, world.live(width=0.3))
    for row in range(12):
        made.say(row, world.said[row] if row != 5 else "unsure")
    assert server.live.wait(made.version, 60)
    state = server.live.state()
    assert state["checked"] == 11
    assert state["unsure"] == 1
    server.stop()
