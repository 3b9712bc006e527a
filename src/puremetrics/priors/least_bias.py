"""How biased labels must be, if the prior is known: the smallest Γ that the data allow.

An interval of scores holds a share g of the labelled and u of the unlabeled rows, of which a share α is
positive. If labels were at random it would hold a share g of the hidden positives, too, and they must fit:
α·g ≤ u. If not, labels favour the interval. With labels biased up to Γ it holds at least a share φ with
odds(φ) = odds(g)/Γ (see `setting.label_bias`), so that

    Γ ≥ odds(g) / odds(u/α).

The lower limit is the largest Γ that some interval rejects: the normal test of α·φ against u that
`labelling` makes at Γ = 1, over the same intervals and with the same level for all of them together. It
exceeds 1 exactly where PM510 appears at that level.

The estimate is the smallest Γ at which every row has room for its hidden positives, exactly so, where each
labelled score has unlabeled rows of its own (`numerics.tilting.feasible_ratio`). Elsewhere the largest ratio
over fifty intervals would be large by chance alone: it is the limit at the level of even odds, which is as
often too large as too small if labels are at random.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics.bounds.contingency import check_countable
from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.tilting import feasible_ratio, shifted
from puremetrics.priors.score_intervals import ScoreIntervals, least_share, score_intervals
from puremetrics.results import Columns, Result
from puremetrics.results.words import number, percent
from puremetrics.scenarios import Scenario, design_of
from puremetrics.setting import PriorLike, PurityLike, Setting, check_table
from puremetrics.tables.score_table import ScoreTable

__all__ = ["LeastLabelBias", "least_bias_of", "least_label_bias"]

_MOST = 1e6


@dataclass(frozen=True, eq=False, repr=False)
class LeastLabelBias(Result):
    """The smallest label bias that data and prior allow; ``float(result)`` is its estimate.

    Attributes
    ----------
    label_bias : float
        Estimate: 1 if labels may be at random, infinite if no bias explains the data.
    low : float
        Lower confidence limit.
    score_low, score_high : float
        The range of scores that shows it most clearly; infinite ends for heads and tails of the ranking.
    labelled, unlabeled : float
        Shares of the labelled and of the unlabeled rows in it.
    prior, purity, level, scenario : float and str
        What was assumed, and the confidence of the limit.
    """

    label_bias: float
    low: float
    score_low: float
    score_high: float
    labelled: float
    unlabeled: float
    prior: float
    purity: float
    level: float
    scenario: Scenario
    diagnostics: tuple[Diagnostic, ...] = ()

    def __float__(self) -> float:
        return self.label_bias

    def frame(self) -> Columns:
        """Return one row."""
        names = ("label_bias", "low", "score_low", "score_high", "labelled", "unlabeled")
        return {name: np.array([getattr(self, name)]) for name in names}

    def __str__(self) -> str:
        if self.low <= 1:
            said = f"Labels may be at random, up to chance, if the prior is {number(self.prior)}"
        else:
            said = (
                f"Some positives {design_of(self.scenario).favoured(f'at least {self.low:.3g}')}, if the "
                f"prior is {number(self.prior)}"
            )
        return (
            f"{said}\n"
            f"  label bias {number(self.label_bias)}, with {percent(self.level)} confidence at least "
            f"{number(self.low)}\n"
            f"  scores from {self.score_low:.4g} to {self.score_high:.4g} hold {self.labelled:.4g} of the "
            f"labelled and {self.unlabeled:.4g} of the unlabeled rows"
        )


def least_label_bias(
    table: ScoreTable,
    *,
    prior: PriorLike,
    purity: PurityLike = None,
    confidence_level: float = 0.95,
) -> LeastLabelBias:
    """Find how biased labels must at least be, given the prior.

    Parameters
    ----------
    table : ScoreTable
        Whole counts, with unlabeled rows.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population, known from elsewhere; of a range, the low end counts. A prior that was
        estimated from the same scores assumes random labels and says nothing here.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; of a range, the high end counts.
    confidence_level : float, default 0.95
        Of ``low``.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=list(range(1000, 1100)) * 5, unlabeled=range(1100), scenario="case_control")
    >>> least_label_bias(table, prior=0.08).low
    1.0
    >>> least_label_bias(table, prior=0.3).low > 2
    True
    """
    check_table(table)
    return least_bias_of(Setting.of(table, prior, purity, confidence_level))


def least_bias_of(setting: Setting) -> LeastLabelBias:
    """The smallest label bias of a setting, at its level."""
    check_countable(setting.table)
    prior, purity = setting.assumed.low, setting.assumed.purity_high
    cells = score_intervals(setting)
    tested = min(least_share(setting, prior, purity) / purity, 1.0)
    lows = _limits(cells, tested, cells.quantile)
    worst = int(np.argmax(lows))
    estimate = _estimate(setting.at(prior, purity), cells)
    if lows[worst] <= 1 and estimate > 1:
        worst = int(np.argmax(cells.held / cells.size_pos - tested * cells.inside / cells.size_unl))
    low_score, high_score = cells.scores(worst)
    return LeastLabelBias(
        max(estimate, float(lows[worst])),
        float(lows.max()),
        low_score,
        high_score,
        float(cells.held[worst]) / setting.table.total_pos,
        float(cells.inside[worst]) / cells.size_unl,
        prior,
        purity,
        setting.level,
        setting.scenario,
        setting.diagnostics,
    )


def _limits(cells: ScoreIntervals, share: float, quantile: float) -> FloatArray:
    """Largest Γ that each interval rejects, by bisection on its logarithm; 1 if it rejects none."""
    low, high = np.zeros(cells.held.size), np.full(cells.held.size, np.log(_MOST))
    for step in range(60):
        log = np.zeros_like(low) if step == 0 else (low + high) / 2
        rejected = _rejected(cells, share, np.exp(log), quantile)
        if step == 0:
            high = np.where(rejected, high, 0.0)
            continue
        low, high = np.where(rejected, log, low), np.where(rejected, high, log)
    return np.asarray(np.exp(low))


def _rejected(cells: ScoreIntervals, share: float, ratio: FloatArray, quantile: float) -> BoolArray:
    """Whether each interval would have to hold more hidden positives than it does at such a bias."""
    size, rows = cells.size_pos, cells.size_unl
    least = shifted(cells.counted / size, 1 / ratio)
    rate = np.clip((size * least + cells.inside) / (size + share * rows), 0.0, 1.0)
    labelled = np.clip(shifted(rate, ratio), 1e-12, 1 - 1e-12)
    variance = share**2 * (rate * (1 - rate)) ** 2 / (labelled * (1 - labelled) * size)
    variance += share * rate * (1 - share * rate) / rows
    return np.asarray(share * least - cells.inside / rows > quantile * np.sqrt(variance))


def _estimate(setting: Setting, cells: ScoreIntervals) -> float:
    """The smallest Γ at which all intervals have room, or all rows where they have unlabeled ones."""
    share = min((setting.unlabeled_share or 0.0) / setting.purity, 1.0)
    if share <= 0:
        return 1.0
    ranked = setting.ranked
    rows = ranked.n_unl.astype(np.float64)
    by_row = feasible_ratio(np.diff(setting.heads.pos), rows / rows.sum() / max(share, 1e-300))
    if np.isfinite(by_row):
        return by_row
    return float(_limits(cells, share, cells.quantile_at(0.5)).max())
