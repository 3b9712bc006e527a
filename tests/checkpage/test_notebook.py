"""`AuditPlan.check`: the page in a cell, its answers, and what it cannot show."""

import gc
import http.client
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import puremetrics as pm
from puremetrics.checkpage import read_sheet
from puremetrics.exceptions import InputError
from tests.checkpage.making import ask
from tests.checkpage.world import World


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return World()


def names():
    return [f"row {row}" for row in range(1500)]


@pytest.mark.parametrize("kind", ["mapping", "pandas", "arrow", "drawn"])
def test_it_shows_columns_of_all_rows_or_of_those_that_were_drawn(world, kind):
    show = {"name": names(), "score times ten": np.round(10 * world.score)}
    if kind == "pandas":
        show = pd.DataFrame(show, index=np.arange(1500)[::-1])  # by place, not by index
    elif kind == "arrow":
        show = pa.table(show)
    elif kind == "drawn":
        show = {name: [column[row] for row in world.rows] for name, column in show.items()}
    page = world.plan.check(world.rows, show)
    found = read_sheet(page.output)
    assert found.columns == ("name", "score times ten")
    assert [cells[0] for cells in found.cells] == [f"row {row}" for row in world.rows]
    page.stop()


def test_answers_come_back_as_an_audit(world):
    page = world.plan.check(
        world.rows,
        {"name": names()},
        table=world.table,
        until_width=0.4,
        checker="ann",
        question="Is it?",
    )
    server = page._server
    assert ask(server, "about")[2]["question"] == "Is it?"
    assert page.answers == [None] * 80
    for row, said in enumerate(world.said[:50]):
        assert ask(server, "answer", {"row": row, "said": said})[0] == 200
    assert page.answers[:50] == [said == "yes" for said in world.said[:50]]
    assert server.live.wait(50, 60)
    audit = page.audit()
    path = pm.follow_audit(world.table, audit, "precision", threshold=1.0, every=50)
    assert server.live.state()["low"] == pytest.approx(path.low[-1])
    assert page.audit(sequential=False).planned is None
    assert repr(page).startswith("50 of 80 rows have answers, in ")
    page.stop()
    with pytest.raises(OSError):  # noqa: PT011 (refused)
        http.client.HTTPConnection("127.0.0.1", server.port, timeout=2).request("GET", "/")
    again = world.plan.check(world.rows, {"name": names()})
    assert again.answers == page.answers
    again.stop()


def test_the_command_line_goes_on_with_it(world, capsys):
    page = world.plan.check(world.rows, {"name": names()})
    page.stop()
    from puremetrics.planning.sheets import read_plan

    plan, draw = read_plan((page.output.parent / "checked.csv.plan.json").read_text())
    assert plan.target == "precision"
    assert draw.place.tolist() == world.rows.tolist()


def test_a_cell_shows_a_frame_and_nothing_that_runs(world):
    page = world.plan.check(world.rows, {"name": names()})
    html = page._repr_html_()
    assert re.fullmatch(
        r'<iframe src="http://127\.0\.0\.1:\d+/[\w-]+/" title="Rows to check"[^>]*></iframe>', html
    )
    assert "frame-ancestors http://localhost:*" in page._server.policy
    page.stop()


def test_a_page_that_nobody_holds_any_longer_ends(world):
    page = world.plan.check(world.rows, {"name": names()})
    server = page._server
    del page
    gc.collect()
    assert server.ended.is_set()


@pytest.mark.parametrize(
    ("show", "given", "told"),
    [
        ([1, 2], {}, "must be a data frame"),
        ({"name": [1, 2]}, {}, "has 2 values"),
        ({"row": names()}, {}, "named 'row'"),
        ({"name": names()}, {"until_width": 0.1}, "pass table="),
        ({"name": names()}, {"overlap": 20}, "pass checker="),
        ({"name": names()}, {"output": "none/checked.csv"}, "no folder"),
        ({"name": names()}, {"images": "yes"}, "True or False"),
    ],
)
def test_what_cannot_be_is_told(world, show, given, told):
    with pytest.raises(InputError, match=told):
        world.plan.check(world.rows, show, **given)


def test_rows_that_forgot_their_draw_are_refused(world):
    with pytest.raises(InputError, match="no longer carry the draw"):
        world.plan.check(np.array([1, 2]), {"name": names()})
