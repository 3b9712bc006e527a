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

Symbols: Pr[y=1] is ``prior``, Pr[f(x)=1] is b/N. All rows count in either scenario; known negatives
join the unlabeled as "the rest". Terms that are 0/0 (at b = 0 or b = N) are 0.

Erratum: Eq. (2) writes F for both tails; the measure is P(X ≤ k − 1).

Deviations: Eq. (3) is not summed term by term, but by the identity in `kernels`, at
O(labelled). Rows with equal scores are one step: every value is the exact mean over all orders of
tied rows, so it does not depend on the order of the input (PULP's mean over a tied block of more
than 64 rows is computed to about 1e-11).

Intervals: the estimand is the mean of the measure over samples with as many labelled and as many
other rows. Its influence on both groups follows from the increments f(k, b) − f(k − 1, b); limits
are Student's on the logit scale of the values that rankings of these rows can take, with one more
row of each group at both ends. PULP saturates, so its derivative is also averaged over the hits that
samples may have, and the larger variance counts. In ten simulated settings with 20 to 300 labelled
rows, random to nearly perfect, 95 % intervals held the mean in 0.93 of the samples or more
(docs/trust_coverage.md). They are wide where a measure is near its best value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from puremetrics import hypergeometric
from puremetrics._validation import check_number
from puremetrics.contingency import check_operating_point
from puremetrics.correction import roc_auc
from puremetrics.exceptions import InputError
from puremetrics.ranking import kernels
from puremetrics.ranking.frame import (
    RankingEstimate,
    Spread,
    blocks_of,
    check_whole,
    estimate,
    finish,
    row_sizes,
)
from puremetrics.results import Curve, Estimate, Interval
from puremetrics.scenario import PriorLike, check_table, resolve_prior, unlabeled_share
from puremetrics.table import ScoreTable

__all__ = [
    "PulpSignificance",
    "RankingEstimate",
    "lee_liu",
    "mean_f1",
    "mean_mutual_information",
    "mean_pearson",
    "naive_auc",
    "naive_average_precision",
    "pseudo_f",
    "pulp",
    "pulp_significance",
]

_TOP = 1000  # ranks whose 1/τ² are summed


@dataclass(frozen=True)
class PulpSignificance:
    """How likely a random classifier does at least as well at one threshold.

    Attributes
    ----------
    threshold : float
        Rows with ``score >= threshold`` are predicted positive.
    predicted, hits : int
        Rows predicted positive, and labelled positives among them (b and k).
    total, labelled : int
        All rows and all labelled positives (N and t).
    expected : float
        Hits that a random choice of as many rows has on average.
    p_value, log_p_value : float
        P(X ≥ k), and its natural logarithm, which does not underflow.
    """

    threshold: float
    predicted: int
    hits: int
    total: int
    labelled: int
    expected: float
    p_value: float
    log_p_value: float

    @property
    def value(self) -> float:
        """P(X ≤ k − 1), the term of PULP at this operating point."""
        return float(-np.expm1(self.log_p_value))

    def __str__(self) -> str:
        power = self.log_p_value / np.log(10)
        chance = f"{self.p_value:.3g}" if self.p_value > 1e-290 else f"10^{power:.1f}"
        return (
            f"score >= {self.threshold:g}: {self.predicted} of {self.total} rows predicted positive hit "
            f"{self.hits} of {self.labelled} labelled positives, {self.expected:.4g} expected by "
            f"chance; a random choice does as well with probability {chance}"
        )


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
        1e8 rows.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 3], unlabeled=[4, 2, 1, 0], scenario="single_training_set")
    >>> found = pulp(table)
    >>> round(found.value, 4), round(found.best, 4), round(found.chance, 4)
    (0.4, 0.4762, 0.1822)
    """
    return estimate("pulp", table, confidence_level)


def lee_liu(table: ScoreTable, *, confidence_level: float | None = 0.95) -> RankingEstimate:
    """Mean over operating points of recall² / share predicted positive (Lee and Liu).

    At one operating point it estimates precision · recall / prior if the labelled positives are a
    random sample of all positives; no prior is needed.

    Parameters and result are those of `pulp`. Formula: 1/(N+1) Σ_{b ≥ 1} (k/t)² N / b. Cost:
    O(labelled · log rows).

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
        P(y = 1) in the population of the scenario. The measure counts all rows, so the share of
        positives among all rows is used, labelled ones included. None takes the share of labelled
        rows, as the paper does: the result is then `mean_f1` divided by that share. A range widens
        the interval.
    confidence_level : float or None, default 0.95

    Returns
    -------
    RankingEstimate
        1/(N+1) Σ_b 2 (k/t) / (b/N + share), as for `pulp`.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 3], unlabeled=[4, 2, 1, 0], scenario="single_training_set")
    >>> round(pseudo_f(table, prior=0.5).value, 4)
    1.3211
    """
    check_whole(table)
    if prior is None:
        return estimate("pseudo_f", table, confidence_level, table.total_pos / table.total)
    known = resolve_prior(table, prior)

    def at(point: float) -> RankingEstimate:
        share = unlabeled_share(table, point)
        hidden = 0.0 if share is None else share * table.total_unl
        everywhere = (table.total_pos + hidden) / table.total
        return estimate("pseudo_f", table, confidence_level, everywhere)

    found = at(known.value)
    interval = found.interval
    if interval is not None and not known.is_point:
        limits = [at(end).interval for end in (known.low, known.high)]
        ends = [tuple(limit) for limit in (*limits, interval) if limit is not None]
        low, high = min(end[0] for end in ends), max(end[1] for end in ends)
        interval = Interval(low, high, interval.level, "combined", interval.method)
    return replace(
        found,
        interval=interval,
        prior=known.value,
        unlabeled_share=unlabeled_share(table, known.value),
        diagnostics=(*(d for d in known.diagnostics if d.code != "PM106"), *found.diagnostics),
    )


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


def naive_auc(table: ScoreTable, *, confidence_level: float | None = 0.95) -> Estimate:
    """ROC AUC with every row that is not a labelled positive taken as negative.

    An estimate of the true AUC only if hardly any unlabeled row is positive; `roc_auc` corrects for
    them. Tied pairs count one half, which is the mean over random orders.

    Parameters
    ----------
    table : ScoreTable
        Sampling weights are taken into account.
    confidence_level : float or None, default 0.95

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 3], unlabeled=[4, 2, 1, 0], scenario="single_training_set")
    >>> naive_auc(table).value
    0.875
    """
    check_table(table)
    # Two samples: in one training set the area would be that against all rows, divided by their share
    # of negatives, which costs digits where these are few.
    naive = replace(table.cut().unlabeled_as_negative(), scenario="case_control")
    level = 0.95 if confidence_level is None else confidence_level
    found = roc_auc(naive, prior=None, confidence_level=level)
    title = "ROC AUC, unlabeled taken as negative"
    return replace(
        found, name="naive_auc", title=title, method="naive", scenario=table.scenario,
        interval=None if confidence_level is None else found.interval,
        prior=None, unlabeled_share=None, purity=None,
    )  # fmt: skip


def naive_average_precision(
    table: ScoreTable, *, confidence_level: float | None = 0.95
) -> RankingEstimate:
    """Mean precision at the labelled rows, with every other row taken as negative.

    Without ties this is scikit-learn's ``average_precision_score``; with ties it is the exact mean
    over random orders of the tied rows, whereas scikit-learn gives each of them the precision at
    the end of its block.

    Parameters are those of `pulp`. The curve is precision over recall by steps, and its area the
    value: 1/t Σ_k k / τ_k, with τ_k the rank of the k-th labelled row.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 3], unlabeled=[4, 2, 1, 0], scenario="single_training_set")
    >>> round(naive_average_precision(table).value, 4)
    0.8333
    """
    check_whole(table)
    ranked = table.cut()
    blocks = blocks_of(ranked)
    parts = kernels.average_precision_parts(blocks)
    recall = np.concatenate([[0.0], (blocks.hits + blocks.labelled) / blocks.marked])
    precision = parts / blocks.labelled
    score = ranked.score[np.asarray(ranked.n_pos) > 0]
    curve = Curve(
        name="naive precision-recall curve",
        x=recall,
        y=np.concatenate([precision[:1], precision]),
        threshold=np.concatenate([[np.inf], score]),
        x_label="recall",
        y_label="precision",
        interpolation="step",
        method="naive",
    )

    value = float(parts.sum()) / blocks.marked
    spread = None if confidence_level is None else _precision_influence(ranked)
    return finish(ranked, "naive_average_precision", value, curve, spread, confidence_level)


def pulp_significance(table: ScoreTable, *, threshold: float) -> PulpSignificance:
    """Chance that a random classifier hits at least as many labelled positives at this threshold.

    Fisher's exact test, one-sided: the classifier is compared with a random choice of as many rows.
    A small probability says that the classifier knows something about the labelled rows, not that
    it is good.

    Parameters
    ----------
    table : ScoreTable
        Whole counts, not cut.
    threshold : float
        Rows with ``score >= threshold`` are predicted positive; it must not be chosen on these
        data.

    Returns
    -------
    PulpSignificance
        P(X ≥ k), Eq. (2), with X ~ Hypergeometric(N, t, b), and its logarithm. Cost: O(rows) once,
        for the counts.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 3], unlabeled=[4, 2, 1, 0], scenario="single_training_set")
    >>> print(pulp_significance(table, threshold=3))
    score >= 3: 3 of 6 rows predicted positive hit 2 of 2 labelled positives, 1 expected by chance;
    a random choice does as well with probability 0.2
    """
    check_whole(table)
    at = check_number(threshold, "threshold")
    if table.is_cut:
        raise InputError("A cut table no longer knows every score. Use the table before cut().")
    check_operating_point(table, at)
    head = int(np.searchsorted(-table.score, -at, side="right"))
    hits = int(table.n_pos[:head].sum())
    predicted = hits + int(table.n_unl[:head].sum()) + int(table.n_neg[:head].sum())
    total, labelled = int(table.total), int(table.total_pos)
    log_p = float(hypergeometric.log_sf(hits - 1, total, labelled, predicted))
    return PulpSignificance(
        at,
        predicted,
        hits,
        total,
        labelled,
        labelled * predicted / total,
        float(np.exp(log_p)),
        log_p,
    )


def _precision_influence(table: ScoreTable) -> Spread:
    """Influence of a labelled and of another row of each score on the average precision.

    A row lowers the precision k / τ of all labelled rows below it; a labelled one also raises k
    there. Of a labelled row that joins s unlabeled ones at the top, 1/τ is anything from 1/s to 1: limits
    take its root mean square, without which samples that have no label at the top seem too certain.
    """
    pos, size = np.asarray(table.n_pos, dtype=np.float64), row_sizes(table)
    hits = np.cumsum(pos) - (pos - 1) / 2
    rank = np.cumsum(size) - (size - 1) / 2
    raised, lowered = pos / rank, pos * hits / rank**2
    raised, lowered = (np.cumsum(x[::-1])[::-1] - x / 2 for x in (raised, lowered))
    on_rest = -(size.sum() - pos.sum()) / pos.sum() * lowered
    on_pos = hits / rank + raised - lowered
    at_top = on_pos.copy()
    if pos[0] == 0:
        places = np.arange(1.0, min(size[0], _TOP) + 1)
        at_top[0] += float(np.sqrt(np.sum(places**-2.0) / size[0])) - hits[0] / rank[0]
    return Spread((on_pos, on_rest), (at_top, on_rest))
