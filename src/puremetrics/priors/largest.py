"""The largest prior that the data allow (Claesen et al. 2015, Lemma 4 and Appendix B, turned round).

If m of the unlabeled rows are positive, their rank distribution stays within
c(m) = sqrt(log(1/δ)/2 · (n + m)/(n·m)) below that of the n labelled ones, at all thresholds at once with
confidence 1 − δ (one-sided two-sample band). A head of h_U unlabeled rows holds at most h_U of them:
m·(G − c(m)) ≤ h_U at every threshold. The largest m for which that is true is an upper confidence limit of
the number of latent positives. The prior is that of the population they were drawn from: half of the error
level goes to the binomial (Clopper–Pearson) limit of its share given m of |U|, or in a single training set
given the labelled and m of all rows.

With labels of purity β, m counts the unlabeled rows that are distributed like the labelled ones, of which a
share β is positive: the limit of the prior is β times the one for clean labels.
"""

from __future__ import annotations

import numpy as np

from puremetrics.bounds.contingency import check_countable
from puremetrics.checking.arguments import check_level
from puremetrics.numerics.beta import beta_quantile
from puremetrics.results import Interval, PriorEstimate
from puremetrics.setting import PurityLike, purity_range
from puremetrics.tables.score_table import ScoreTable

__all__ = ["largest_prior"]


def largest_prior(
    table: ScoreTable, *, purity: PurityLike = None, confidence_level: float = 0.95
) -> PriorEstimate:
    """Upper confidence limit of the prior: above it the positives could not be placed.

    Holds if the labelled positives are a random sample of all positives; its coverage is checked by
    simulation. ``estimate_prior(table, method="slope")`` gives a slightly wider limit that is proved for
    samples of any size. Neither says how small the prior may be.

    Parameters
    ----------
    table : ScoreTable
        Without sampling weights.
    purity : float or (low, high), default 1
        Share of true positives among the labelled. The data limit the prior divided by the purity, so
        errors among the labels lower the limit; of a range, the high end counts.
    confidence_level : float, default 0.95

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=list(range(1000, 1100)) * 10, unlabeled=range(1100), scenario="case_control")
    >>> round(largest_prior(table).prior, 2)  # 100 of 1,100 rows, plus what 1,000 labels leave open
    0.12
    """
    check_countable(table)
    level = check_level(confidence_level)
    _, least, most = (1.0, 1.0, 1.0) if purity is None else purity_range(purity)
    return _largest(table, level, least, most)


def _largest(table: ScoreTable, level: float, least: float, purity: float) -> PriorEstimate:
    ranked = table.cut()
    size = int(table.total_unl)
    heads = np.cumsum(ranked.n_pos) / table.total_pos
    rows = np.cumsum(ranked.n_unl)
    within = (1 + level) / 2
    low, high = 0, size
    while low < high:  # the largest m that contradicts no threshold
        latent = (low + high + 1) // 2
        reach = _one_sided_reach(int(table.total_pos), latent, within)
        if np.all(latent * (heads - reach) <= rows + 1e-9):
            low = latent
        else:
            high = latent - 1
    design, totals = table.design, table.totals
    smallest = design.prior_limits(totals, least)[0]
    limit = min(design.prior_of(totals, purity, purity), design.prior_limits(totals, purity)[1])
    # Positives among the rows that stand for the population: the other half of the error.
    found, others = (int(rows) for rows in design.counted(*totals, low))
    if low < size:
        limit = min(purity * beta_quantile(found + 1, others, within), limit)
    interval = Interval(smallest, limit, level, "confidence", "two_sample_band")
    return PriorEstimate(
        prior=limit,
        interval=interval,
        unlabeled_share=design.unlabeled_share(totals, limit, purity),
        method="largest_prior",
        status="upper bound",
        scenario=table.scenario,
    )


def _one_sided_reach(labelled: int, latent: int, level: float) -> float:
    return float(np.sqrt(np.log(1 / (1 - level)) / 2 * (labelled + latent) / (labelled * latent)))
