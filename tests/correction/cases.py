"""Tables of any kind with a prior and a purity that fit them."""

from hypothesis import assume
from hypothesis import strategies as st

import puremetrics as pm
from tests.strategies import groups, scenarios, settings_for

TOLERANCE = 1e-12


@st.composite
def cases(draw, **options):
    data = draw(groups(**options))
    scenario = draw(scenarios)
    prior, purity = draw(settings_for(data, scenario))
    assume(purity - prior > 0.02)
    return data, scenario, prior, purity


SINGLE = pm.ScoreTable.from_groups(
    positive=[5, 4, 3],
    unlabeled=[4, 3, 2, 1, 0, 0, 0],
    negative=[1, 0],
    scenario="single_training_set",
)
