"""Bounds on parts of the area under the ROC curve, against every labelling that is possible."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import InputError
from tests.bounds import enumeration
from tests.bounds.cases import ROWS, cases, prior_of
from tests.small_tables import CC, SINGLE, tables

SHARES = st.integers(1, 19).map(lambda x: Fraction(x, 20))
PARTS = st.one_of(
    st.builds(lambda end: {"max_fpr": end}, SHARES),
    st.lists(SHARES, min_size=2, max_size=2, unique=True).map(
        lambda ends: {"recall_range": tuple(sorted(ends))}
    ),
    st.builds(lambda low: {"recall_range": (low, Fraction(1))}, SHARES),
)


def as_floats(part):
    return {
        name: float(value) if name == "max_fpr" else tuple(map(float, value))
        for name, value in part.items()
    }


@given(cases(max_size=6), PARTS, st.sampled_from([0.3, 0.8, 0.95]))
def test_bounds_of_a_part_hold_every_labelling_and_are_sharp_where_the_whole_is(case, part, level):
    data, scenario, latent = case
    paths = list(enumeration.paths(data.pos, data.unl, data.neg, latent, level, scenario))
    assume(paths)
    known = {"prior": prior_of(data, scenario, latent), "confidence_level": level, **ROWS}
    table = data.table(scenario)
    found = pm.roc_auc_bounds(table, **known, **as_floats(part))
    values = [float(enumeration.scaled_part(path, **part)) for path in paths]
    assert found.low - 1e-9 <= min(values) <= max(values) <= found.high + 1e-9
    whole = pm.roc_auc_bounds(table, **known)
    areas = [float(enumeration.part_below(path, Fraction(1))) for path in paths]
    if whole.low == pytest.approx(min(areas), abs=1e-9):
        assert found.low == pytest.approx(min(values), abs=1e-9)
    if whole.high == pytest.approx(max(areas), abs=1e-9):
        assert found.high == pytest.approx(max(values), abs=1e-9)


@pytest.mark.parametrize("scenario", [CC, SINGLE])
@pytest.mark.parametrize("basis", ["positives", "negatives", "tightest"])
def test_parts_of_known_negatives_lie_between_those_of_the_curves(scenario, basis):
    table = tables()[scenario]
    known = {"prior": 0.5, "basis": basis, **ROWS}
    curves = pm.roc_bounds(table, **known)
    whole = pm.roc_auc_bounds(table, **known)
    assert pm.roc_auc_bounds(table, max_fpr=1.0, **known) == whole
    assert pm.roc_auc_bounds(table, recall_range=(0, 1), **known) == whole
    found = pm.roc_auc_bounds(table, max_fpr=0.5, **known)
    if basis != "tightest":
        assert found.high == pytest.approx(_half(curves.upper), abs=1e-6)
        assert found.low == pytest.approx(_half(curves.lower), abs=1e-6)
    assert (found.kind, found.level) == (whole.kind, whole.level)


def _half(curve):
    """McClish's number of the area up to a false positive rate of 1/2."""
    x = np.linspace(0, 0.5, 200_001)[:-1] + 0.5 / 400_000
    area = float(np.interp(x, curve.x, curve.y).mean() / 2)
    return (1 + (area - 0.125) / (0.5 - 0.125)) / 2


def test_parts_that_are_none_get_a_sentence():
    table = tables()[CC]
    with pytest.raises(InputError, match="Both max_fpr and recall_range"):
        pm.roc_auc_bounds(table, prior=0.5, max_fpr=0.1, recall_range=(0.5, 1))
    with pytest.raises(InputError, match="above 0 and be at most 1"):
        pm.roc_auc_bounds(table, prior=0.5, max_fpr=0.0)
