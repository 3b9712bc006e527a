"""Tables with a known number of latent positives, and bands from their definitions."""

from fractions import Fraction

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from puremetrics.bounds.contingency import LatentChoice
from puremetrics.setting import Setting
from tests.oracles import claesen
from tests.strategies import Groups, groups, scenarios

METHODS = ("exact", "bootstrap", "clopper_pearson", "dkw")


def prior_of(data: Groups, scenario: str, latent: int) -> float:
    if scenario == "case_control":
        return latent / len(data.unl)
    return (len(data.pos) + latent) / (len(data.pos) + len(data.unl) + len(data.neg))


@st.composite
def cases(draw, max_size=8, negatives=True):
    data = draw(groups(max_size=max_size, negatives=negatives))
    scenario = draw(scenarios)
    smallest = 1 if scenario == "case_control" else 0
    latent = draw(st.integers(smallest, len(data.unl)))
    assume(len(data.unl) - latent + (len(data.neg) if scenario != "case_control" else 0) > 0)
    return data, scenario, latent


def oracle_band(method, k, n, latent, level):
    """Limits of the rate; for the exact band counts of latent positives as a rate."""
    if method == "exact":
        low, high = claesen.hypergeometric_band(k, n, latent, level)
        size = max(latent, 1)
        return Fraction(low, size), Fraction(high, size)
    if method == "bootstrap":
        return claesen.binomial_band(k, n, level)
    if method == "clopper_pearson":
        return claesen.clopper_pearson(k, n, level)
    reach = np.sqrt(np.log(2 / (1 - level)) / (2 * n))
    return max(k / n - reach, 0.0), min(k / n + reach, 1.0)


ROWS = {"prior_of": "rows"}  # the number of latent positives is known


def choice_of(table, prior, basis="positives", level=0.95, prior_of="rows"):
    setting = Setting.of(table, prior, confidence_level=level)
    return LatentChoice.of(setting, "exact", basis, False, prior_of)
