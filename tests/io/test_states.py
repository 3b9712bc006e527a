"""States of parts that others count: on Dask, or in files that a job of every night leaves."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError, LabelError
from puremetrics.io.states import PartStates
from tests.io.scanning import COLUMNS, make_rows, pq

MARKS = {"neg_label": -1}


def split(rows, folder, parts=5):
    size = -(-rows.num_rows // parts)
    for i in range(parts):
        pq.write_table(rows.slice(i * size, size), folder / f"night-{i}.parquet")
    return sorted(folder.glob("*.parquet"))


def test_dask_adds_up_to_the_same_table(tmp_path):
    dask = pytest.importorskip("dask")
    rows = make_rows()
    parts = split(rows, tmp_path)
    states = PartStates("y", ["p", "q"], "case_control", **MARKS)
    look, count = dask.delayed(states.look), dask.delayed(states.count)
    cuts = dask.delayed(states.cuts)([look(str(part)) for part in parts])
    counted = [count(str(part), cuts) for part in parts]
    found = dask.delayed(states.tables)(cuts, counted).compute(scheduler="threads")
    right = pm.scan(rows, **COLUMNS | {"score": ["p", "q"]})
    for name in ("p", "q"):
        assert found[name].equals(right[name])


@pytest.mark.parametrize("options", [{"by": "country"}, {"where": "country = 'nl'"}])
def test_states_in_any_order(tmp_path, options):
    rows = make_rows()
    parts = split(rows, tmp_path)
    states = PartStates("y", ["p"], "case_control", **MARKS, **options)
    looked = [states.look(part) for part in parts]
    cuts = states.cuts(looked)
    assert states.cuts(looked[::-1]) == cuts
    order = np.random.default_rng(0).permutation(len(parts))
    found = states.tables(cuts, [states.count(parts[i], cuts) for i in order])["p"]
    right = pm.scan(rows, **COLUMNS, **options)
    if "by" in options:
        assert all(found[key].equals(right[key]) for key in right)
        found, right = found.total, right.total
    assert found.equals(right)


def test_a_missing_or_foreign_state_is_noticed(tmp_path):
    parts = split(make_rows(), tmp_path)
    states = PartStates("y", ["p"], "case_control", **MARKS)
    looked = [states.look(part) for part in parts]
    cuts = states.cuts(looked)
    counted = [states.count(part, cuts) for part in parts]
    with pytest.raises(InputError, match="parts are missing"):
        states.tables(cuts, counted[1:])
    other = states.cuts(looked[1:])
    with pytest.raises(InputError, match="other cuts"):
        states.tables(other, counted)
    with pytest.raises(InputError, match="no state"):
        states.tables(cuts, [])
    for wrong in (looked[0], counted[0][:-1], b"", "text"):
        with pytest.raises(InputError):
            states.tables(cuts, [wrong])
    with pytest.raises(LabelError):
        PartStates("y", ["p"], "case_control", pos_label=1, unlabeled_label=-1, neg_label=0).cuts(
            [PartStates("y", ["p"], "case_control", where="y = 0", **MARKS).look(parts[0])]
        )
