"""Comparing models by the top of their lists: budgets, early recognition, partial areas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.comparing.measured import Compared, Influence
from puremetrics.correction.listed import Listed, Statistic, listed_estimate, listed_value
from puremetrics.correction.partial import (
    Part,
    check_part,
    partial_estimate,
    partial_influence,
    partial_value,
)
from puremetrics.correction.top_metric import PRIOR_FREE, at_top
from puremetrics.exceptions import InputError
from puremetrics.listing.early import check_alpha, of_bedroc, of_enrichment, of_ndcg, of_rie
from puremetrics.numerics.formulas import find_formula
from puremetrics.results import Estimate
from puremetrics.sampling.list_ranks import check_top
from puremetrics.setting import (
    RANDOM,
    LabelBias,
    PriorLike,
    PurityLike,
    Setting,
    check_bias_alone,
)
from puremetrics.tables.score_table import ScoreTable

__all__ = ["listed_statistic"]

_NAMES = ("enrichment_factor", "rie", "bedroc", "ndcg")
_STEP = 1e-6


def listed_statistic(
    statistic: Any, threshold: float | None, options: dict[str, float], top: object
) -> Compared | None:
    """A statistic of the top of the list; None if it is another one."""
    known = statistic if isinstance(statistic, str) else ""
    if known == "roc_auc" and "max_fpr" in options and len(options) == 1:
        part = check_part(options["max_fpr"], None)
        return None if part is None else _Partial("partial_roc_auc", part)
    own = known in _NAMES
    if not own and top is None:
        return None
    if threshold is not None:
        raise InputError("Both threshold and top were given, or a threshold of no use. Pass one.")
    if not own:
        formula, checked = find_formula(statistic, dict(options))
        budget = check_top(top)
        free = formula.name in PRIOR_FREE
        span = formula.high - formula.low
        return _Listed(formula.name, lambda s: at_top(s, formula, checked, budget), free, span)
    return _early(str(statistic), dict(options), top)


def _early(name: str, options: dict[str, float], top: object) -> Compared:
    takes_alpha = name in ("rie", "bedroc")
    for option in options:
        if option != "alpha" or not takes_alpha:
            raise InputError(f"{option!r} is not an option of {name!r}. Leave it out.")
    if takes_alpha:
        if top is not None:
            raise InputError(f"{name!r} is about the whole list. Leave out top, or change alpha.")
        alpha = check_alpha(options.get("alpha", 20.0))
        if name == "rie":
            return _Listed(name, lambda s: of_rie(s, alpha, True), True, np.inf)
        return _Listed(name, lambda s: of_bedroc(s, alpha), False, 1.0)
    if name == "enrichment_factor":
        if top is None:
            raise InputError("'enrichment_factor' is about the first rows: pass top=….")
        budget = check_top(top)
        return _Listed(name, lambda s: of_enrichment(s, budget, True), True, np.inf)
    some = None if top is None else check_top(top)
    return _Listed(name, lambda s: of_ndcg(s, some), False, 1.0)


@dataclass(frozen=True)
class _Listed(Compared):
    name: str
    make: Callable[[Setting], Statistic]
    prior_free: bool
    span: float

    def assume(
        self,
        table: ScoreTable,
        prior: PriorLike,
        purity: PurityLike,
        level: float,
        bias: LabelBias = RANDOM,
    ) -> Setting:
        if not bias.is_random:
            check_bias_alone(table)
        free = self.prior_free and prior is None and purity is None and bias.is_random
        if free and table.total_unl > 0:
            return Setting.prior_free(table, level)
        return Setting.of(table, prior, purity, level).with_bias(bias)

    def estimate(self, setting: Setting) -> Estimate:
        return listed_estimate(setting, self.make(setting))

    def value(self, setting: Setting) -> float:
        return listed_value(setting, self.make(setting))

    def influence(self, setting: Setting) -> Influence:
        """Those of θ, times the derivative of the statistic."""
        made = self.make(setting)
        listed = Listed(setting, made.discount, made.rows)
        around = made.of(setting, np.array([listed.value - _STEP, listed.value + _STEP]))
        slope = float(around[1] - around[0]) / (2 * _STEP)
        on_pos, on_cmp = listed.influence()
        return slope * on_pos, slope * on_cmp


@dataclass(frozen=True)
class _Partial(Compared):
    name: str
    part: Part

    def estimate(self, setting: Setting) -> Estimate:
        return partial_estimate(setting, self.part)

    def value(self, setting: Setting) -> float:
        return partial_value(setting, self.part)

    def influence(self, setting: Setting) -> tuple[FloatArray, FloatArray]:
        return partial_influence(setting, self.part)
