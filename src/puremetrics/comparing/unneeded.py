"""Statistics that need no prior: recall and its complement, as long as labels are pure and random.

The labelled positives are then a random sample of the positives, and the share of them above a threshold is
the recall, whatever the prior is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from puremetrics.checking.arguments import check_level
from puremetrics.comparing.compared import Compared
from puremetrics.results import Estimate
from puremetrics.setting import Assumed, LabelBias, Setting, TwoSamples
from puremetrics.tables.score_table import ScoreTable

__all__ = ["forgotten_prior", "needs_prior", "without_prior"]

_FREE = ("recall", "fnr")
_ANY = 0.5  # a prior that cancels


def needs_prior(measured: Compared, prior: Any, purity: Any, bias: LabelBias) -> bool:
    """Whether the statistic depends on a prior, or one was given."""
    pure = purity is None or (isinstance(purity, int | float) and purity == 1)
    return prior is not None or measured.name not in _FREE or not pure or not bias.is_random


def without_prior(table: ScoreTable, level: float) -> Setting:
    """A setting in which the prior cancels."""
    known = Assumed.point(_ANY, 1.0)
    return Setting(table, TwoSamples(table.cut()), TwoSamples(table), known, check_level(level))


def forgotten_prior(estimate: Estimate) -> Estimate:
    """The estimate, which does not assume the prior that it was made with."""
    return replace(estimate, prior=None, unlabeled_share=None)
