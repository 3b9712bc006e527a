"""The two scenarios: which rows are compared with the positives, and what a prior means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import ScenarioError
from puremetrics.scenarios import (
    CASE_CONTROL,
    SINGLE_TRAINING_SET,
    check_scenario,
    design_of,
)
from puremetrics.setting.assumed import resolve
from tests.small_tables import CC, SINGLE, tables
from tests.strategies import groups, scenarios


def comparison_total(table):
    return table.design.comparison_total(table.totals, table.totals)


def test_the_two_scenarios_by_hand():
    both = tables()
    labelled = pm.ScoreTable.from_groups(
        positive=[3, 2], unlabeled=None, negative=[1, 0, 0], scenario=CC
    )
    counts = {s: t.design.comparison_counts(t)[0].tolist() for s, t in both.items()}
    assert counts == {CC: [0, 1, 1, 0, 2, 0], SINGLE: [1, 2, 1, 1, 3, 1]}
    assert labelled.design.comparison_counts(labelled)[0].tolist() == [0, 0, 1, 2]
    cases = {CC: (both[CC], 4, 4, 0.3, 0.3), SINGLE: (both[SINGLE], 9, 9, 0.3, 0.5),
             "labels": (labelled, 3, 5, 0.0, None)}  # fmt: skip
    for table, total, size, share, _ in cases.values():
        assert comparison_total(table) == total
        assert table.design.population_size(table.totals) == size
        assert table.design.share(table.totals, 0.3) == share
    assert both[CC].design.comparison_total((1, 2, 4), both[CC].totals) == 2
    assert both[SINGLE].design.comparison_total((1, 2, 4), both[SINGLE].totals) == 7
    assert labelled.design.comparison_total((1, 0, 4), labelled.totals) == 4
    assert both[SINGLE].design.unlabeled_share(both[SINGLE].totals, 5 / 9) == pytest.approx(0.5)
    assert both[SINGLE].design.unlabeled_share(both[SINGLE].totals, 5 / 9, 0.5) == pytest.approx(
        0.875
    )
    assert both[SINGLE].design.unlabeled_share(both[SINGLE].totals, 0.1) == 0
    assert both[SINGLE].design.unlabeled_share(both[SINGLE].totals, 0.9) == 1
    assert labelled.design.unlabeled_share(labelled.totals, 0.3) is None
    assert both[SINGLE].design.prior_of(both[SINGLE].totals, 0.5, 0.5) == pytest.approx(3.5 / 9)
    assert both[CC].design.prior_limits(both[CC].totals) == (0.0, 1.0)
    assert both[SINGLE].design.prior_limits(both[SINGLE].totals) == pytest.approx((3 / 9, 7 / 9))


def test_squared_weights_of_the_comparison_sample_by_hand():
    y, weight = [1, 1, 0, 0, -1], [1.0, 2, 3, 1, 2]
    for name, total in ((CC, 10.0), (SINGLE, 19.0)):
        table = pm.ScoreTable.from_arrays(
            y, [5, 4, 3, 2, 1], sample_weight=weight, neg_label=-1, scenario=name
        )
        assert table.design.comparison_counts(table)[1].sum() == total


def test_a_single_unlabeled_row_is_the_comparison_sample():
    table = pm.ScoreTable.from_groups(positive=[3], unlabeled=[2], negative=[1, 0], scenario=CC)
    assert comparison_total(table) == table.design.population_size(table.totals) == 1
    assert table.design.comparison_total((1, 1, 0), table.totals) == 1
    assert table.design.comparison_counts(table)[0].tolist() == [0, 1, 0, 0]
    assert table.design.share(table.totals, 0.2) == 0.2
    # It is what positives are compared with, so the known negatives are not, and that is said.
    assert [d.code for d in resolve(table, 0.2).diagnostics] == ["PM106"]
    alone = pm.ScoreTable.from_groups(positive=[3], unlabeled=[2], scenario=CC)
    assert not resolve(alone, 0.2).diagnostics


@given(groups(), scenarios, st.floats(0, 1), st.sampled_from([1.0, 0.8]))
def test_conversions_are_inverse_and_count_positives(data, scenario, share, purity):
    table = data.table(scenario)
    design = table.design
    prior = design.prior_of(table.totals, share, purity)
    assert design.unlabeled_share(table.totals, prior, purity) == pytest.approx(share, abs=1e-9)
    if scenario == "case_control":
        assert prior == share
    else:
        positives = purity * len(data.pos) + share * len(data.unl)
        assert prior * table.total == pytest.approx(positives)
    low, high = design.prior_limits(table.totals, purity)
    assert low - 1e-12 <= prior <= high + 1e-12


@given(groups(), scenarios)
def test_the_comparison_sample_and_the_population(data, scenario):
    table = data.table(scenario)
    counts, squares = table.design.comparison_counts(table)
    rows = len(data.unl) if scenario == "case_control" else table.total
    assert counts.sum() == squares.sum() == comparison_total(table) == rows
    assert table.design.population_size(table.totals) == rows


def test_designs_have_names_and_unknown_ones_are_explained():
    assert [design_of(name) for name in (CC, SINGLE)] == [CASE_CONTROL, SINGLE_TRAINING_SET]
    for name in (CC, SINGLE):
        assert check_scenario(name) == design_of(name).name == name
        assert tables()[name].design is design_of(name)
    for wrong in ("both", 3, ["case_control"]):
        with pytest.raises(ScenarioError, match=r"is unknown.*case_control.*single_training_set"):
            check_scenario(wrong)
    with pytest.raises(ScenarioError, match="scenario is missing"):
        check_scenario(None)


@given(groups(), scenarios, st.floats(0.01, 0.9))
def test_the_slope_of_the_share_is_its_derivative(data, scenario, prior):
    for table in (data.table(scenario), data._replace(unl=[], neg=[0.0]).table(scenario)):
        design, totals = table.design, table.totals
        step = (design.share(totals, prior + 1e-3) - design.share(totals, prior)) / 1e-3
        assert design.share_slope(totals) == pytest.approx(step)


@given(groups(), scenarios)
def test_counted_rows_are_those_of_the_population(data, scenario):
    table = data.table(scenario)
    for latent in range(len(data.unl) + 1):
        positives, negatives = table.design.counted(*table.totals, latent)
        assert positives + negatives == table.design.population_size(table.totals)
        assert positives == latent + (len(data.pos) if scenario == SINGLE else 0)
