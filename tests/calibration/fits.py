"""Tables of probabilities with a setting, and functions applied to them."""

from hypothesis import assume
from hypothesis import strategies as st

from tests.calibration.cases import probability_groups
from tests.strategies import scenarios, settings_for

METHODS = ["isotonic", "platt", "temperature", "beta"]


@st.composite
def cases(draw, source=probability_groups, **options):
    data = draw(source(**options))
    scenario = draw(scenarios)
    prior, purity = draw(settings_for(data, scenario))
    assume(purity - prior > 0.05)
    return data, {"scenario": scenario, "prior": prior, "purity": purity}


def fitted(function, data, known, **options):
    table = data.table(known["scenario"])
    return function(table, prior=known["prior"], purity=known["purity"], **options)
