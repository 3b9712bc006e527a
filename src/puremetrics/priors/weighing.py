"""The prior that propensities give by themselves (Horvitz, Thompson 1952).

In a single training set a positive is labelled with chance e, so a labelled row stands for 1 / e positives:
prior = Σ_labelled (1 / e) / n. Each row adds z / e (z: whether it is labelled), and the variance of the
mean of that over rows is (Σ 1 / e² − n · prior²) / n². Unlike the ratio that weights a table, this needs
propensities of the right level, not only of the right ratios.
"""

from __future__ import annotations

from puremetrics.checking.arguments import check_level
from puremetrics.exceptions import PriorError, UnsupportedError
from puremetrics.results import Interval, PriorEstimate, Trust
from puremetrics.sampling.limits import agresti_coull
from puremetrics.setting import TwoSamples, check_table
from puremetrics.tables.score_table import ScoreTable

__all__ = ["prior_from_propensities"]


def prior_from_propensities(table: ScoreTable, *, confidence_level: float = 0.95) -> PriorEstimate:
    """Share of positives in a single training set, from the chances of its labelled rows.

    Parameters
    ----------
    table : ScoreTable
        Of a single training set, with propensities. Twice as large propensities halve the prior: their level
        must be right, which that of `estimate_propensity` is by the form of its models only.
    confidence_level : float, default 0.95

    Returns
    -------
    PriorEstimate
        Its interval takes the propensities as known, and is that of Agresti and Coull for as many rows as
        would make a plain share vary as much.

    Examples
    --------
    >>> table = ScoreTable.from_arrays(
    ...     [1, 1, 0, 0, 0, 0, 0, 0], range(8), scenario="single_training_set",
    ...     propensity=[0.5, 1] + 6 * [None])
    >>> prior_from_propensities(table).prior
    0.375
    """
    check_table(table)
    level = check_level(confidence_level)
    if not (table.has_propensities and table.design.one_sample):
        why = "has no propensities" if not table.has_propensities else f"is {table.scenario}"
        raise UnsupportedError(
            f"The table {why}. Propensities give the prior in a single training set only, where every "
            "positive had its chance: pass propensity=… and scenario='single_training_set' to "
            "ScoreTable.from_arrays."
        )
    samples, rows = TwoSamples(table), table.total
    inverse, squares, products = (float(column.sum()) for column in table.additive()[6:])
    prior = inverse / rows
    least, most = (float(end) for end in table.design.prior_limits(table.totals))
    if prior > most:
        raise PriorError(
            f"By their propensities the labelled rows stand for {inverse:.6g} positives, more than the "
            f"{most * rows:.6g} rows that can be positive. The propensities are too small: check their level."
        )
    error = squares - 2 * prior * products + prior**2 * float(samples.cmp_squares.sum())
    size = prior * (1 - prior) * rows**2 / error if 0 < prior < 1 and error > 0 else rows
    low, high = agresti_coull(prior, size, level)
    return PriorEstimate(
        prior,
        Interval(
            min(max(low, least), prior),
            max(min(high, most), prior),
            level,
            "confidence",
            "propensity",
        ),
        unlabeled_share=table.design.unlabeled_share(table.totals, prior),
        label_frequency=table.total_pos / inverse,
        method="propensity",
        status="estimate from propensities taken as known",
        trust=Trust(
            "identified",
            "the propensities of the labelled rows give the prior, if their level is right.",
        ),
        scenario=table.scenario,
        diagnostics=tuple(samples.few_positives()),
    )
