"""Brier score and log loss without negatives (Kiryo, Eq. (2) and the non-negative risk after it).

The risk E[ℓ(s, Y)] in the population is prior · E[ℓ(s, 1) | y = 1] + (1 − prior) · E[ℓ(s, 0) | y = 0].
Both conditional means follow from those over the labelled rows and over the comparison sample, which
is the same linear step as for rates (`confusion.corrected_rates`; Jain, Eqs. (1) and (2)). With clean
case-control data it is Eq. (2): prior · mean_P[ℓ(s, 1) − ℓ(s, 0)] + mean_U[ℓ(s, 0)].

The negatives' part is a difference of two means and can come out negative, which no risk can be.
``nonnegative=True`` (default) then counts it as 0, the correction max(·, 0) of the paper, and diagnostic
PM307 says so. The unbiased value is wanted where many risks are averaged.

Intervals: Student limits around the unbiased value with the linearised variance of `intervals`, cut to
the range of the risk.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from puremetrics._validation import FloatArray, check_flag, check_level, check_number
from puremetrics.calibration.bins import check_probabilities, merged_remark
from puremetrics.confusion import corrected_rates, few_positives
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.intervals import linear_variance, student_quantile, weighted_sum
from puremetrics.results import Estimate, Interval
from puremetrics.scenario import (
    PriorLike,
    check_table,
    comparison_counts,
    comparison_share,
    resolve_prior,
    unlabeled_share,
)
from puremetrics.table import ScoreTable

__all__ = ["brier_score", "log_loss"]


def brier_score(
    table: ScoreTable,
    *,
    prior: PriorLike,
    purity: float = 1.0,
    nonnegative: bool = True,
    confidence_level: float = 0.95,
) -> Estimate:
    """Estimate the mean squared distance of scores from the labels, E[(score − Y)²].

    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives.

    Parameters
    ----------
    table : ScoreTable
        Of probabilities in [0, 1], not cut.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens the interval.
    purity : float, default 1
        Share of true positives among the labelled.
    nonnegative : bool, default True
        Count the negatives' part as 0 where its estimate is negative.
    confidence_level : float, default 0.95

    Returns
    -------
    Estimate
        Eq. (2) with the squared loss: prior · mean_P[1 − 2·s] + mean_U[s²]. O(distinct scores).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[0.9, 0.7], unlabeled=[0.9, 0.6, 0.2, 0.1], scenario="case_control")
    >>> round(float(brier_score(table, prior=0.5)), 4)
    0.025
    """
    check_table(table)
    check_probabilities(table, "brier_score")
    return _risk(
        table, prior, purity, nonnegative, confidence_level, "brier_score", "Brier score",
        (1 - table.centre) ** 2, table.centre**2, 1.0,
        merged_remark(table, "brier_score", _spread(table)),
    )  # fmt: skip


def log_loss(
    table: ScoreTable,
    *,
    prior: PriorLike,
    purity: float = 1.0,
    nonnegative: bool = True,
    confidence_level: float = 0.95,
    eps: float = 1e-15,
) -> Estimate:
    """Estimate the mean negative log-likelihood of the labels, −E[Y·log s + (1 − Y)·log(1 − s)].

    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives.

    Parameters
    ----------
    table, prior, purity, nonnegative, confidence_level
        As in `brier_score`.
    eps : float, default 1e-15
        Scores are moved into [eps, 1 − eps], since the loss at 0 and 1 is infinite; diagnostic
        PM308 says how many were. The result depends on ``eps`` if there are any.

    Returns
    -------
    Estimate
        Eq. (2) with the logistic loss: −prior · mean_P[logit s] − mean_U[log(1 − s)], in nats.
        O(distinct scores).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[0.9, 0.7], unlabeled=[0.9, 0.6, 0.2, 0.1], scenario="case_control")
    >>> round(float(log_loss(table, prior=0.5)), 4)
    0.1257
    """
    check_table(table)
    check_probabilities(table, "log_loss")
    margin = check_number(eps, "eps")
    if not 0.0 < margin < 0.5:
        raise InputError(f"eps={margin:g} must lie between 0 and 0.5.")
    score = np.clip(table.centre, margin, 1 - margin)
    moved = table.centre != score
    remarks = merged_remark(table, "log_loss")
    if moved.any():
        rows = float(sum(column[moved].sum() for column in (table.n_pos, table.n_unl, table.n_neg)))
        remarks.append(
            Diagnostic(
                "PM308",
                f"{rows:g} rows score below {margin:g} or above 1 − {margin:g}, where the log loss "
                "is next to infinite; they were moved to that limit, and the result depends on it. "
                "Recalibrate the scores, or use brier_score.",
            )
        )
    return _risk(
        table, prior, purity, nonnegative, confidence_level, "log_loss", "Log loss",
        -np.log(score), -np.log1p(-score), np.inf, remarks,
    )  # fmt: skip


def _risk(
    table: ScoreTable,
    prior: PriorLike,
    purity: float,
    nonnegative: bool,
    confidence_level: float,
    name: str,
    title: str,
    if_positive: FloatArray,
    if_negative: FloatArray,
    largest: float,
    remarks: list[Diagnostic],
) -> Estimate:
    level = check_level(confidence_level)
    known = resolve_prior(table, prior, purity)
    means = _means(table)
    pos_means, cmp_means = means(if_positive), means(if_negative)

    def parts(point: float) -> tuple[float, float]:
        share = comparison_share(table, point)
        on_positives = corrected_rates(*pos_means, share, known.purity)[0]
        on_negatives = corrected_rates(*cmp_means, share, known.purity)[1]
        return float(point * on_positives), float((1 - point) * on_negatives)

    positives, negatives = parts(known.value)
    diagnostics = [*known.diagnostics, *few_positives(table), *remarks]
    value = positives + negatives
    if check_flag(nonnegative, "nonnegative") and negatives < 0:
        diagnostics.append(
            Diagnostic(
                "PM307",
                f"the negatives' part of {name} came out at {negatives:.4g} and counts as 0; the "
                f"unbiased value is {value:.4g}. It is sampling error, or the prior is too high.",
            )
        )
        value = positives
    errors, lows, highs = [], [], []
    for point in (known.value, *known.points()):
        share = comparison_share(table, point)
        through_g, through_f = _influence(if_positive, if_negative, point, share, known.purity)
        variance = linear_variance(table, through_g, through_f)
        reach = student_quantile(variance.degrees, level) * np.sqrt(variance.total)
        middle = sum(parts(float(point)))
        errors.append(float(np.sqrt(variance.total)))
        lows.append(middle - reach)
        highs.append(middle + reach)
    low, high = (min(max(end, 0.0), largest) for end in (min(lows), max(highs)))
    return Estimate(
        name=name,
        title=title,
        value=value,
        interval=Interval(
            float(low),
            float(high),
            level,
            "confidence" if known.is_point else "combined",
            "student",
        ),
        standard_error=errors[0],
        method="nonnegative_risk" if nonnegative else "unbiased_risk",
        scenario=table.scenario,
        prior=known.value,
        unlabeled_share=unlabeled_share(table, known.value, known.purity),
        purity=known.purity,
        diagnostics=tuple(diagnostics),
    )


def _spread(table: ScoreTable) -> float:
    """Largest mean squared deviation of the scores inside merged rows."""
    size = table.n_pos + table.n_unl + table.n_neg
    return weighted_sum(size, (table.highest - table.score) ** 2) / 4 / float(size.sum())


def _means(table: ScoreTable) -> Callable[[FloatArray], tuple[FloatArray, FloatArray]]:
    """Means of a function of the score over G and over F, as arrays that `corrected_rates` takes."""
    counts, _ = comparison_counts(table)
    total = float(counts.sum())

    def both(values: FloatArray) -> tuple[FloatArray, FloatArray]:
        over_pos = weighted_sum(table.n_pos, values) / table.total_pos
        return np.asarray(over_pos), np.asarray(weighted_sum(counts, values) / total)

    return both


def _influence(
    if_positive: FloatArray, if_negative: FloatArray, prior: float, share: float, purity: float
) -> tuple[FloatArray, FloatArray]:
    """What a row of G, and of F, adds to the risk, up to the size of its sample."""
    span = purity - share
    on_pos = prior * (1 - share) / span * if_positive - (1 - prior) * share / span * if_negative
    on_cmp = (1 - prior) * purity / span * if_negative - prior * (1 - purity) / span * if_positive
    return on_pos, on_cmp
