"""Early recognition: how far up the ranked list the positives are.

Truchon and Bayly (2007) have the first three, Järvelin and Kekäläinen (2002) the last one.

All are functions of one sum over the positives by their rank (`correction.listed`). With N rows in the
list, of which a share π is positive, θ the mean over the positives of a discount φ of the rank r, and x =
k/N:

- enrichment factor: θ/x with φ = 1 in the first k rows. At random it is 1.
- RIE, robust initial enhancement: θ·α/(1 − e^(−α)) with φ = e^(−α·r/N). At random it is 1. With whole
  ranks this equals the usual ratio (1/n Σ e^(−α·r_i/N)) / ((1 − e^(−α)) / (N·(e^(α/N) − 1))), because the
  mean of φ over the stretch of one row differs from e^(−α·r_i/N) by a factor that is the same for all rows.
- BEDROC: (RIE − least)/(most − least), where the positives come last and first:
  most = (1 − e^(−α·π)) / (π·(1 − e^(−α))), least = (1 − e^(α·π)) / (π·(1 − e^α)).
- nDCG: π·N·θ/D(min(k, π·N)) with φ = 1/log2(i + 1) for the i-th of the first k rows, and D its sum over so
  many rows. The gain of a row is whether it is positive; in PU data, how likely. Rows of one score share
  the mean of their discounts, as in scikit-learn.

The first two need no prior as long as labels are right and at random.
"""

from __future__ import annotations

import numpy as np

from puremetrics.checking.arguments import check_number
from puremetrics.checking.types import FloatArray
from puremetrics.correction.listed import Statistic, listed_estimate
from puremetrics.correction.top_metric import setting_of
from puremetrics.exceptions import InputError
from puremetrics.numerics.discounts import Even, Exponential, Logarithmic
from puremetrics.numerics.formulas import Formula
from puremetrics.results import Estimate
from puremetrics.sampling.list_ranks import Ranks, Top, check_top
from puremetrics.setting import PriorLike, PurityLike, Setting
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "bedroc",
    "check_alpha",
    "enrichment_factor",
    "ndcg",
    "of_bedroc",
    "of_enrichment",
    "of_ndcg",
    "of_rie",
    "rie",
]

_SMALLEST_ALPHA, _LARGEST_ALPHA = 1e-6, 500.0


def enrichment_factor(
    table: ScoreTable,
    *,
    top: float,
    prior: PriorLike = None,
    purity: PurityLike = None,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
) -> Estimate:
    """Estimate how many times as dense positives are in the first rows as in all of them.

    It needs no prior if every label is right and labels are at random.

    Parameters
    ----------
    table : ScoreTable
        Cut and scanned tables serve as well as whole ones.
    top : int or float
        The first so many rows of the population, or such a share of them if it is a float up to 1. In
        case-control the population is the unlabeled rows. Rows tied at the end count in proportion.
    prior : float, (low, high) or PriorEstimate, optional
        Needed with a purity below 1, or a label bias.
    purity : float or (low, high), default 1
        Share of true positives among the labelled.
    confidence_level : float, default 0.95
    label_bias, label_bias_side : float, default 1, and {"either", "high", "low"}
        How many times as likely to be labelled some positives may be as others; see `roc_auc`.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[9, 8, 3], unlabeled=range(10), scenario="case_control")
    >>> round(float(enrichment_factor(table, top=2)), 3)
    3.333
    """
    checked = check_top(top)
    setting, known = setting_of(
        table, prior, purity, confidence_level, label_bias, label_bias_side,
        prior_free=True, what="The enrichment factor",
    )  # fmt: skip
    return listed_estimate(setting, of_enrichment(setting, checked, known))


def rie(
    table: ScoreTable,
    *,
    alpha: float = 20.0,
    prior: PriorLike = None,
    purity: PurityLike = None,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
) -> Estimate:
    """Estimate the robust initial enhancement (RIE).

    It is the mean over the positives of e^(−alpha·rank/rows), as a ratio to that of a random order.

    It needs no prior if every label is right and labels are at random.

    Parameters
    ----------
    table : ScoreTable
    alpha : float, default 20
        How early is early: with 20 the first 8 % of the rows hold 80 % of the weight.
    prior, purity, confidence_level, label_bias, label_bias_side
        Those of `enrichment_factor`.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[9, 8, 3], unlabeled=range(10), scenario="case_control")
    >>> round(float(rie(table)), 3)
    3.272
    """
    early = check_alpha(alpha)
    setting, known = setting_of(
        table, prior, purity, confidence_level, label_bias, label_bias_side,
        prior_free=True, what="RIE",
    )  # fmt: skip
    return listed_estimate(setting, of_rie(setting, early, known))


def bedroc(
    table: ScoreTable,
    *,
    prior: PriorLike = None,
    purity: PurityLike = None,
    alpha: float = 20.0,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
) -> Estimate:
    """Estimate BEDROC: `rie` on a scale from 0, all positives last, to 1, all of them first.

    Parameters
    ----------
    table : ScoreTable
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens the interval.
    purity, alpha, confidence_level, label_bias, label_bias_side
        Those of `rie`.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[9, 8, 3], unlabeled=range(10), scenario="case_control")
    >>> round(float(bedroc(table, prior=0.2)), 3)
    0.667
    """
    early = check_alpha(alpha)
    setting = Setting.of(table, prior, purity, confidence_level, label_bias, label_bias_side)
    return listed_estimate(setting, of_bedroc(setting, early))


def ndcg(
    table: ScoreTable,
    *,
    prior: PriorLike = None,
    purity: PurityLike = None,
    top: float | None = None,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
) -> Estimate:
    """Estimate the normalised discounted cumulative gain, of all rows or of the first ones.

    Parameters
    ----------
    table : ScoreTable
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens the interval.
    top : int or float, optional
        The first so many rows of the population, or such a share of them; all rows if left out.
    purity, confidence_level, label_bias, label_bias_side
        Those of `enrichment_factor`.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[9, 8, 3], unlabeled=range(10), scenario="case_control")
    >>> round(float(ndcg(table, prior=0.2, top=5)), 3)
    0.667
    """
    checked = None if top is None else check_top(top)
    setting = Setting.of(table, prior, purity, confidence_level, label_bias, label_bias_side)
    return listed_estimate(setting, of_ndcg(setting, checked))


def check_alpha(alpha: object) -> float:
    """How early is early."""
    number = check_number(alpha, "alpha")
    if not _SMALLEST_ALPHA <= number <= _LARGEST_ALPHA:
        raise InputError(
            f"alpha={number:g} must lie between {_SMALLEST_ALPHA:g}, where all rows count the same but for "
            f"rounding, and {_LARGEST_ALPHA:g}; 20 is usual."
        )
    return number


# -------------------------------------------------------------------------------- as functions of θ


def of_enrichment(setting: Setting, top: Top, needs_prior: bool) -> Statistic:
    """The enrichment factor as a function of the recall of the first rows."""
    total = Ranks(setting).total
    rows = top.rows_of(total)
    share = rows / total
    formula = Formula("enrichment_factor", "Enrichment factor", 0.0, 1 / share, np.asarray)

    def possible(point: Setting) -> tuple[float, float]:
        return _most_in(point, share)

    return Statistic(
        formula, Even(), rows, lambda _, theta: theta / share, possible, needs_prior, top=rows
    )


def of_rie(setting: Setting, alpha: float, needs_prior: bool) -> Statistic:
    """RIE as a function of the mean discount."""
    total = Ranks(setting).total
    discount = Exponential(alpha, total)
    chance = float(discount.mean(0.0, total))
    ends = float(discount.level(total)) / chance, 1 / chance
    formula = Formula("rie", "RIE", *ends, np.asarray)

    def possible(point: Setting) -> tuple[float, float]:
        least, most = _rie_ends(alpha, point.prior)
        return least * chance, most * chance

    return Statistic(
        formula, discount, total, lambda _, theta: theta / chance, possible, needs_prior
    )


def of_bedroc(setting: Setting, alpha: float) -> Statistic:
    """BEDROC as a function of the mean discount."""
    total = Ranks(setting).total
    discount = Exponential(alpha, total)
    chance = float(discount.mean(0.0, total))
    formula = Formula("bedroc", "BEDROC", 0.0, 1.0, np.asarray)

    def of(point: Setting, theta: FloatArray) -> FloatArray:
        least, most = _rie_ends(alpha, point.prior)
        if not 0 < point.prior < 1:
            return np.full(theta.shape, np.nan)
        return (theta / chance - least) / (most - least)

    def possible(point: Setting) -> tuple[float, float]:
        least, most = _rie_ends(alpha, point.prior)
        return least * chance, most * chance

    return Statistic(formula, discount, total, of, possible)


def of_ndcg(setting: Setting, top: Top | None) -> Statistic:
    """The nDCG as a function of the mean discount of the first rows."""
    total = Ranks(setting).total
    rows = total if top is None else top.rows_of(total)
    discount = Logarithmic()
    formula = Formula("ndcg", "nDCG", 0.0, 1.0, np.asarray)

    def ideal(point: Setting) -> float:
        return float(discount.total(min(max(point.prior, 0.0) * total, rows)))

    def of(point: Setting, theta: FloatArray) -> FloatArray:
        best = ideal(point)
        if best <= 0:
            return np.full(theta.shape, np.nan)
        return point.prior * total * theta / best

    def possible(point: Setting) -> tuple[float, float]:
        return 0.0, ideal(point) / max(point.prior * total, 1e-300)

    told = None if top is None else rows
    return Statistic(formula, discount, rows, of, possible, top=told)


def _most_in(point: Setting, share: float) -> tuple[float, float]:
    """The least and the largest share of the positives that can be in such a share of the rows."""
    prior = max(point.prior, 1e-300)
    return max(1 - (1 - share) / prior, 0.0), min(share / prior, 1.0)


def _rie_ends(alpha: float, prior: float) -> tuple[float, float]:
    """RIE with all positives last, and with all of them first; none at all is a limit of few."""
    scale, mass = alpha / -np.expm1(-alpha), alpha * max(prior, 0.0)
    if mass == 0.0:
        return float(scale * np.exp(-alpha)), float(scale)
    # Divided by the mass itself: its product with anything below 1 may underflow.
    least, most = np.exp(-alpha) * (np.expm1(mass) / mass), np.expm1(-mass) / -mass
    return float(scale * least), float(scale * most)
