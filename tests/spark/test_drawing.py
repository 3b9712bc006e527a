"""Rows of a plan drawn on a real cluster: by their identifiers, wherever they lie."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError, LabelError
from puremetrics.io.random_rows import Chance, numbers_of
from tests.spark.test_spark import make

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
COLUMNS = {"label": "y", "score": "p"}


@pytest.fixture(scope="module")
def rows():
    made = make(20_000)
    names = pa.array([f"person {i}" for i in range(len(made))])
    return made.append_column("name", names).append_column("number", pa.array(range(len(made))))


@pytest.fixture(scope="module")
def frame(session, rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    pq.write_table(rows, path)
    return session.read.parquet(str(path))


@pytest.fixture(scope="module")
def plan(rows):
    table = pm.scan(rows, **COLUMNS, scenario="case_control")
    return pm.plan_audit(table, budget=120, target="roc_auc", prior=0.2)


def smallest(plan, rows, name, seed):
    """The definition: of each stratum the unlabeled rows whose identifiers have the smallest keys."""
    chance, numbers = Chance.of(seed), numbers_of(rows[name], name)
    keys, order = chance.keys(numbers), chance.order(numbers)
    stratum = np.digitize(rows["p"].to_numpy(), plan.strata.edges)
    found = []
    for number, wanted in enumerate(plan.draws.astype(int)):
        own = np.flatnonzero((rows["y"].to_numpy() == 0) & (stratum == number))
        found += sorted(own.tolist(), key=lambda row: keys[row])[:wanted]
    return sorted(found, key=lambda row: order[row])


def test_partitions_do_not_matter_and_answers_come_back(frame, rows, plan):
    wanted = smallest(plan, rows, "name", 3)
    seen = []
    for own in (frame, frame.repartition(5), frame.repartitionByRange(3, "p")):
        drawn = plan.draw_from(
            own, **COLUMNS, id="name", rng=3, progress=lambda *done: seen.append(done)
        )
        assert drawn.identifiers.tolist() == [f"person {row}" for row in wanted]
        assert drawn.tolist() == list(range(120))
        np.testing.assert_array_equal(drawn.draw.scores["model"], rows["p"].to_numpy()[wanted])
    assert seen == [(20_000, 20_000)] * 3
    answers = np.arange(120) % 3 == 0
    audit = plan.audit(drawn[:60], answers[:60])
    own = plan.audit(np.array(wanted)[:60], answers[:60], score=rows["p"].to_numpy())
    np.testing.assert_array_equal(audit.weight, own.weight)
    table = pm.scan(frame, **COLUMNS, scenario="case_control")
    assert pm.roc_auc(table, audit=audit).value == pm.roc_auc(table, audit=own).value


def test_one_job(frame, plan, session):
    context = session.sparkContext
    context.setJobGroup("drawing", "drawing")
    plan.draw_from(frame, **COLUMNS, id="name")
    jobs = context.statusTracker().getJobIdsForGroup("drawing")
    context.setLocalProperty("spark.jobGroup.id", None)
    assert len(jobs) == 1


def test_numbers_as_identifiers_several_models_and_conditions(frame, rows, plan):
    wanted = smallest(plan, rows, "number", 0)
    drawn = plan.draw_from(frame, label="y", score=["p", "q"], id="number")
    assert drawn.identifiers.tolist() == wanted
    np.testing.assert_array_equal(drawn.draw.scores["q"], rows["q"].to_numpy()[wanted])
    narrow = frame.selectExpr("y", "p", "cast(number as int) as number")
    assert plan.draw_from(narrow, **COLUMNS, id="number").identifiers.tolist() == wanted
    table = pm.scan(rows, **COLUMNS, scenario="case_control", where="land = 'NL'")
    some = pm.plan_audit(table, budget=40, target="prior", prior=0.2)
    found = some.draw_from(frame, **COLUMNS, id="number", where="land = 'NL'")
    kept = rows.filter(pa.compute.equal(rows["land"], "NL"))
    places = smallest(some, kept, "number", 0)
    assert found.identifiers.tolist() == kept["number"].to_numpy()[places].tolist()


def test_mistakes_come_back_as_sentences(frame, rows, plan):
    with pytest.raises(InputError, match="have no position"):
        plan.draw_from(frame, **COLUMNS)
    with pytest.raises(InputError, match="no column 'who'"):
        plan.draw_from(frame, **COLUMNS, id="who")
    with pytest.raises(InputError, match="Draw from the rows that the planned table"):
        plan.draw_from(frame.where("number > 10"), **COLUMNS, id="name")
    with pytest.raises(LabelError, match="partition"):
        plan.draw_from(frame, **COLUMNS, id="name", unlabeled_label=7)
    empty = frame.selectExpr("y", "p", "if(number = 17, null, name) as name")
    assert rows["y"][17].as_py() == 0
    with pytest.raises(InputError, match="Column 'name' has no value in row"):
        plan.draw_from(empty, **COLUMNS, id="name")
    lists = frame.selectExpr("y", "p", "array(name) as name")
    with pytest.raises(InputError, match="not an identifier"):
        plan.draw_from(lists, **COLUMNS, id="name")


@pytest.mark.parametrize("twin", [0, -1])
def test_identifiers_that_are_there_twice_are_noticed(twin, frame, plan, rows):
    """Also if the last row that is drawn of a stratum has a twin that just is not."""
    drawn = plan.draw_from(frame, **COLUMNS, id="number")
    keys = Chance.of(0).keys(numbers_of(pa.array(drawn.identifiers.tolist()), "number"))
    stratum = plan.strata.of(rows["p"].to_numpy()[drawn.identifiers.astype(int)])
    top = np.flatnonzero(stratum == plan.draws.size - 1)
    number = drawn.identifiers[top[np.argsort(keys[top])[twin]]]
    left = np.ones(len(rows), dtype=bool)
    left[drawn.identifiers.astype(int)] = False
    left &= (rows["y"].to_numpy() == 0) & (rows["p"].to_numpy() >= plan.strata.edges[-1])
    other = np.flatnonzero(left)[0]
    doubled = frame.selectExpr(
        "y", "p", f"if(number = {other}, cast({number} as long), number) as number"
    )
    with pytest.raises(InputError, match=f"Two unlabeled rows have {number} in 'number'"):
        plan.draw_from(doubled, **COLUMNS, id="number")
