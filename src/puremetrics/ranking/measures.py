"""PULP and its companions: measures of a ranking that need no negatives and (mostly) no prior.

Hajizadeh, Li, Dollevoet and Tax (2014). A ranking of N rows, t of them labelled positive, has N + 1
operating points: b rows predicted positive, of which k are labelled. By Eq. (1),
X ~ Hypergeometric(N, t, b) hits are made by chance.

=========================  =============================================  ============
function                   mean over b = 0 … N of                         paper
=========================  =============================================  ============
`pulp`                     P(X ≤ k − 1): a random classifier hits fewer   Eqs. (2)–(3)
`lee_liu`                  r² / (b/N), with recall r = k/t                section 1
`pseudo_f`                 2 r / (b/N + prior)                            section 1
`mean_f1`                  2 k / (b + t)                                  section 3
`mean_mutual_information`  mutual information of label and prediction     section 3
`mean_pearson`             their correlation (phi coefficient)            section 3
`naive_auc`                (ROC AUC, unlabeled taken as negative)         section 3
`naive_average_precision`  (precision at labelled rows, likewise)         section 3
=========================  =============================================  ============

Symbols: Pr[y=1] is ``prior``, Pr[f(x)=1] is b/N. Terms that are 0/0 (at b = 0 or b = N) are 0.

What they refer to. All but two compare the labelled rows with all others, as the paper does: b counts all
rows in either scenario, and known negatives join the unlabeled as "the rest". These are statements about
the labels and the rows at hand; they change with the share of rows that carry a label, and say nothing of
the population. `lee_liu` and `pseudo_f` do: r²/Pr[f=1] estimates precision · recall / prior, and
2r/(Pr[f=1] + prior) estimates F1 / prior. Their operating points are therefore those of the population:

- *single training set*: all rows, as in the paper;
- *case-control*: the unlabeled rows only. Then N is their number, operating point b has the b-th of them as
  its threshold, and k counts the labelled rows that rank before it. Labelled rows were collected
  separately and are no part of Pr[f=1], nor are known negatives. As samples grow, the value tends to the
  mean of the term over Pr[f=1] uniform in (0, 1). Without unlabeled rows there is no sample of the
  population, and all rows stand for it as they are.

`pseudo_f` without a prior is the paper's: `mean_f1` over the share of labelled rows, of all rows.

Erratum: Eq. (2) writes F for both tails; the measure is P(X ≤ k − 1).

Deviations: Eq. (3) is not summed term by term, but by the identity in `kernels`, at
O(labelled). Rows with equal scores are one step: every value is the exact mean over all orders of
tied rows, so it does not depend on the order of the input (PULP's mean over a tied block of more
than 64 rows is computed to about 1e-11).

Intervals: the estimand is the mean of the measure over samples with as many labelled and as many
other rows. Its influence on both groups follows from the increments f(k, b) − f(k − 1, b), and is a mean over
the places of tied rows; limits are Student's on the logit scale of the values that rankings of these rows
can take, with one more row of each group at both ends. PULP saturates, so its derivative is also averaged
over the hits that samples may have, and the larger variance counts. Mutual information has no derivative
where the ranking is random; there the variance of its second-order term counts. Intervals are wide where a
measure is near its best value: few mistakes are seen, and the next sample may have more.
"""

from __future__ import annotations

from dataclasses import replace

from puremetrics.exceptions import Diagnostic
from puremetrics.ranking.frame import RankingEstimate, check_rows, estimate
from puremetrics.ranking.rows import Ranked
from puremetrics.results import Interval
from puremetrics.setting import PriorLike, Setting
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "lee_liu",
    "mean_f1",
    "mean_mutual_information",
    "mean_pearson",
    "pseudo_f",
    "pulp",
]


def pulp(table: ScoreTable, *, confidence_level: float | None = 0.95) -> RankingEstimate:
    """Mean chance, over operating points, that a random classifier hits fewer labelled positives.

    Needs neither the prior nor labels given at random: it says how much better than chance the
    ranking finds the rows that were labelled. It grows with the number of labelled rows, so it
    compares rankings of the same rows, not of different data sets. Its scale is its own: the terms
    at b = 0 and b = N are 0, a perfect ranking stays below 1 and a random one below 1/2; the
    result's ``best`` and ``chance`` say where.

    Parameters
    ----------
    table : ScoreTable
        Whole counts; sampling weights have no meaning here.
    confidence_level : float or None, default 0.95
        Level of the interval for the mean over samples of this size; None leaves it out.

    Returns
    -------
    RankingEstimate
        1/(N+1) Σ_b P(X ≤ k_b − 1), Eq. (3), X ~ Hypergeometric(N, t, b); with its curve over b/N.
        Ties: exact mean over random orders. Cost: O(labelled · log rows), error below 1e-9 up to
        1e8 rows. Its ``p_value`` is the chance that a ranking which knows nothing of the labels does
        as well; computed when asked for.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 3], unlabeled=[4, 2, 1, 0], scenario="single_training_set")
    >>> found = pulp(table)
    >>> round(found.value, 4), round(found.best, 4), round(found.chance, 4)
    (0.4, 0.4762, 0.1822)
    >>> round(found.p_value, 4)  # 2 of the 15 choices of two rows do as well
    0.1333
    """
    return estimate("pulp", table, confidence_level)


def lee_liu(table: ScoreTable, *, confidence_level: float | None = 0.95) -> RankingEstimate:
    """Mean over operating points of recall² / share predicted positive (Lee and Liu).

    At one operating point it estimates precision · recall / prior if the labelled positives are a
    random sample of all positives; no prior is needed. The share predicted positive, and the operating
    points, are those of the population: of all rows in a single training set, of the unlabeled rows in
    case-control. ``metric(table, "lee_liu", threshold=…)`` gives it at one threshold.

    Parameters and result are those of `pulp`. Formula: 1/(N+1) Σ_{b ≥ 1} (k/t)² N / b, with b of the N rows
    of the population predicted positive. Cost: O(labelled · log rows).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 3], unlabeled=[4, 2, 1, 0], scenario="single_training_set")
    >>> round(lee_liu(table).value, 4)
    1.1357
    """
    return estimate("lee_liu", table, confidence_level)


def pseudo_f(
    table: ScoreTable, *, prior: PriorLike = None, confidence_level: float | None = 0.95
) -> RankingEstimate:
    """Mean over operating points of 2 · recall / (share predicted positive + share of positives).

    Parameters
    ----------
    table : ScoreTable
    prior : float, (low, high), PriorEstimate or None
        P(y = 1) in the population of the scenario, whose rows are counted: all rows in a single training
        set, the unlabeled rows in case-control. A range widens the interval. None takes the share of
        labelled rows among all rows, and counts all rows, as the paper does: the result is then
        `mean_f1` divided by that share.
    confidence_level : float or None, default 0.95

    Returns
    -------
    RankingEstimate
        1/(N+1) Σ_b 2 (k/t) / (b/N + prior), as for `lee_liu`; at one operating point it estimates
        F1 / prior.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 3], unlabeled=[4, 2, 1, 0], scenario="single_training_set")
    >>> round(pseudo_f(table, prior=0.5).value, 4)
    1.3211
    """
    check_rows(table)
    labelled = table.total_pos / table.total
    if prior is None:
        return estimate("pseudo_f", table, confidence_level, labelled, Ranked.all_rows(table))
    setting = Setting.of(table, prior)
    ranked = Ranked.population(table)

    def at(point: Setting) -> RankingEstimate:
        share = labelled if ranked.stands_in else point.prior
        return estimate("pseudo_f", table, confidence_level, share, ranked)

    found = at(setting)
    interval = found.interval
    if interval is not None and not setting.assumed.is_point:
        known = setting.assumed
        limits = [at(setting.at(end)).interval for end in (known.low, known.high)]
        ends = [tuple(limit) for limit in (*limits, interval) if limit is not None]
        low, high = min(end[0] for end in ends), max(end[1] for end in ends)
        interval = Interval(low, high, interval.level, "combined", interval.method)
    return replace(
        found,
        interval=interval,
        prior=setting.prior,
        unlabeled_share=setting.unlabeled_share,
        diagnostics=(*setting.diagnostics, *found.diagnostics, *_stand_in(ranked, labelled)),
    )


def _stand_in(ranked: Ranked, labelled: float) -> list[Diagnostic]:
    if not ranked.stands_in:
        return []
    return [
        Diagnostic(
            "PM402",
            "there are no unlabeled rows, so no sample of the population says how many rows are predicted "
            f"positive. All rows count as they are, and their share of labelled ones, {labelled:.4g}, takes "
            "the place of the prior. Use metric(table, 'pseudo_f', threshold=…), which weighs both groups by "
            "the prior.",
        )
    ]


def mean_f1(table: ScoreTable, *, confidence_level: float | None = 0.95) -> RankingEstimate:
    """Mean over operating points of F1 with the unlabeled taken as negative, 2 k / (b + t).

    Parameters and result are those of `pulp`. Cost: O(labelled · log rows).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 3], unlabeled=[4, 2, 1, 0], scenario="single_training_set")
    >>> round(mean_f1(table).value, 4)
    0.5293
    """
    return estimate("mean_f1", table, confidence_level)


def mean_mutual_information(
    table: ScoreTable, *, confidence_level: float | None = 0.95
) -> RankingEstimate:
    """Mean over operating points of the mutual information, in nats, of label and prediction.

    Parameters and result are those of `pulp`. It does not tell a ranking from its reverse, and is 0
    in the limit of many rows for a random one.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 3], unlabeled=[4, 2, 1, 0], scenario="single_training_set")
    >>> round(mean_mutual_information(table).value, 4)
    0.1169
    """
    return estimate("mean_mutual_information", table, confidence_level)


def mean_pearson(table: ScoreTable, *, confidence_level: float | None = 0.95) -> RankingEstimate:
    """Mean over operating points of the correlation of label and prediction (phi coefficient).

    Parameters and result are those of `pulp`; a random ranking has 0 on average.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 3], unlabeled=[4, 2, 1, 0], scenario="single_training_set")
    >>> round(mean_pearson(table).value, 4)
    0.3437
    """
    return estimate("mean_pearson", table, confidence_level)
