"""PULP and its companions: measures of a ranking that need no negatives and (mostly) no prior.

Hajizadeh, Li, Dollevoet and Tax (2014). A ranking of N rows, t of them labelled positive, has N + 1 operating
points: b rows predicted positive, of which k are labelled. By Eq. (1), X ~ Hypergeometric(N, t, b) hits are
made by chance.

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

**What they refer to.** All but two compare the labelled rows with all others, as the paper does: b counts all
rows in either scenario, and known negatives join the unlabeled as "the rest". These are statements about the
labels and the rows at hand; they change with the share of rows that carry a label, and say nothing of the
population. `lee_liu` and `pseudo_f` do: r²/Pr[f=1] estimates precision · recall / prior, and 2r/(Pr[f=1] +
prior) estimates F1 / prior. Their operating points are therefore those of the population:

- *single training set*: all rows, as in the paper;
- *case-control*: the unlabeled rows only. Then N is their number, operating point b has the b-th of them as
  its threshold, and k counts the labelled rows that rank before it. Labelled rows were collected
  separately and are no part of Pr[f=1], nor are known negatives. As samples grow, the value tends to the
  mean of the term over Pr[f=1] uniform in (0, 1). Without unlabeled rows there is no sample of the
  population, and all rows stand for it as they are.

`pseudo_f` without a prior is the paper's: `mean_f1` over the share of labelled rows, of all rows.

Erratum: Eq. (2) writes F for both tails; the measure is P(X ≤ k − 1).

Deviations: Eq. (3) is not summed term by term, but by the identity in `ranking.kernels`, at O(labelled). Rows
with equal scores are one step: every value is the exact mean over all orders of tied rows, so it does not
depend on the order of the input (PULP's mean over a tied block of more than 64 rows is computed to about
1e-11).

**Intervals.** The estimand is the mean of the measure over samples with as many labelled and as many other
rows. Its influence on both kinds of rows follows from the increments f(k, b) − f(k − 1, b), and is a mean
over the places of tied rows; limits are Student's on the logit scale of the values that rankings of these
rows can take, with one more row of each kind at both ends. PULP saturates, so its derivative is also averaged
over the hits that samples may have, and the larger variance counts. Mutual information has no derivative
where the ranking is random; there the variance of its second-order term counts. Intervals are wide where a
measure is near its best value: few mistakes are seen, and the next sample may have more.

Three of them everybody can read: `naive_auc` and `naive_average_precision`, with the unlabeled taken as
negative, are what most people report; `pulp_significance` is Fisher's exact test at one threshold, the term
of PULP there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from puremetrics.checking.arguments import check_level, check_number
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics import hypergeometric
from puremetrics.ranking import kernels
from puremetrics.ranking.frame import RankingEstimate, check_rows, estimate, finish
from puremetrics.ranking.influence import Cells, Spread, influence_of
from puremetrics.ranking.measures import MEASURES, Ranked
from puremetrics.results import Curve, Estimate, Interval, Result
from puremetrics.sampling.limits import contributions
from puremetrics.setting import (
    PriorLike,
    PurityLike,
    Setting,
    check_independent,
    check_known_head,
    check_table,
    check_uncut,
    check_whole,
)
from puremetrics.statistics.catalogue import register
from puremetrics.statistics.roc_area import RocAuc
from puremetrics.statistics.statistic import Statistic
from puremetrics.tables.framing import takes_data
from puremetrics.tables.joint import JointTable
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "LabelRanking",
    "PulpSignificance",
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


@dataclass(frozen=True)
class LabelRanking(Statistic):
    """A measure of the ranking of labelled rows among all rows, which assumes nothing about labels."""

    name: str
    prior_free = True
    about_labels = True

    @property
    def title(self) -> str:  # type: ignore[override]
        return MEASURES[self.name].title

    @property
    def low(self) -> float:  # type: ignore[override]
        return MEASURES[self.name].lowest

    def check(self, table: ScoreTable) -> None:
        check_whole(table, "A ranking measure", "roc_auc, which takes weights")

    def assume(
        self,
        table: ScoreTable,
        prior: PriorLike = None,
        purity: PurityLike = None,
        level: float = 0.95,
        label_bias: float = 1.0,
        label_bias_side: str = "either",
        prior_of: str = "population",
    ) -> Setting:
        self.check(table)
        return Setting.without_prior(table, level, self.stand_in_prior(table))

    def estimate(self, setting: Setting) -> Estimate:
        return estimate(self.name, setting.table, setting.level)

    def value(self, world: Setting) -> float:
        return estimate(self.name, world.table, None).value

    def row_errors(self, joint: JointTable, name: str, world: Setting) -> FloatArray:
        ranked = Ranked.all_rows(joint.tables[name])
        influence = influence_of(Cells.of(ranked), MEASURES[self.name], None).around
        via_pos, via_rest = contributions(ranked.samples, *influence)
        place = joint.places[name]
        return np.where(joint.kind == 0, via_pos[place], via_rest[place])

    def check_between(self) -> None:
        raise InputError(
            f"{self.name!r} depends on how many rows are labelled. Use 'roc_auc' or 'recall'."
        )

    why_not_audited = "it is about the labels themselves"


for _name in ("pulp", "mean_f1", "mean_mutual_information", "mean_pearson"):
    register(_name, lambda ask: LabelRanking(ask.name))


@takes_data
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


@takes_data
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


@takes_data
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
            "there are no unlabeled rows, so no sample of the population shows how many rows are predicted "
            f"positive. All rows count as they are, and the share of labelled ones, {labelled:.4g}, "
            "replaces the prior. Use metric(table, 'pseudo_f', threshold=…), which weights both kinds by "
            "the prior.",
        )
    ]


@takes_data
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


@takes_data
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


@takes_data
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


_TOP = 1000  # ranks whose 1/τ² are summed


@takes_data
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
    level = check_level(0.95 if confidence_level is None else confidence_level)
    # Two samples: in one training set the area would be that against all rows, divided by their share
    # of negatives, which costs digits where these are few.
    found = RocAuc().estimate(Setting.naive(table.cut(), level, two_samples=True))
    title = "ROC AUC, unlabeled treated as negative"
    return replace(
        found, name="naive_auc", title=title, method="naive", scenario=table.scenario,
        interval=None if confidence_level is None else found.interval,
        prior=None, unlabeled_share=None, purity=None,
    )  # fmt: skip


@takes_data
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
    check_rows(table)
    ranked = Ranked.all_rows(table)
    blocks = ranked.blocks
    parts = kernels.average_precision_parts(blocks)
    recall = np.concatenate([[0.0], (blocks.hits + blocks.labelled) / blocks.marked])
    precision = parts / blocks.labelled
    score = ranked.table.score[np.asarray(ranked.pos) > 0]
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


def _precision_influence(ranked: Ranked) -> Spread:
    """Influence of a labelled and of another row of each score on the average precision.

    A row lowers the precision k / τ of all labelled rows below it; a labelled one also raises k
    there. Of a labelled row that joins s unlabeled ones at the top, 1/τ is anything from 1/s to 1: limits
    take its root mean square, without which samples that have no label at the top seem too certain.
    """
    cells = Cells.of(ranked)
    blocks = ranked.blocks
    precision = cells.hits_at_labels / cells.b
    lowered = cells.by_row(cells.new_hits * precision / cells.b)
    raised = cells.by_row(cells.new_hits / cells.b)
    own = cells.at_row(precision)
    on_rest = -(blocks.total - blocks.marked) / blocks.marked * lowered
    on_pos = own + raised - lowered
    top = on_pos[0]
    if ranked.pos[0] == 0:
        places = np.arange(1.0, min(ranked.size[0], _TOP) + 1)
        top += float(np.sqrt(np.sum(places**-2.0) / ranked.size[0])) - own[0]
    beyond = np.array([top, own[-1]]), on_rest[[0, -1]]
    return Spread((on_pos, on_rest), (on_pos, on_rest), beyond, beyond)


@dataclass(frozen=True, eq=False, repr=False)
class PulpSignificance(Result):
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
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def value(self) -> float:
        """P(X ≤ k − 1), the term of PULP at this operating point."""
        return float(-np.expm1(self.log_p_value))

    def __str__(self) -> str:
        power = self.log_p_value / np.log(10)
        chance = f"{self.p_value:.3g}" if self.p_value > 1e-290 else f"10^{power:.1f}"
        return (
            f"score >= {self.threshold:g}: {self.predicted} of {self.total} rows predicted positive "
            f"include {self.hits} of {self.labelled} labelled positives ({self.expected:.4g} expected by "
            f"chance); a random choice does as well with probability {chance}"
        )


@takes_data
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
    score >= 3: 3 of 6 rows predicted positive include 2 of 2 labelled positives (1 expected by chance);
    a random choice does as well with probability 0.2
    """
    check_rows(table)
    check_independent(
        table, "pulp_significance", "Use the interval of pulp, which allows for groups."
    )
    check_uncut(table, "pulp_significance")
    at = check_number(threshold, "threshold")
    check_known_head(table, at)
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
