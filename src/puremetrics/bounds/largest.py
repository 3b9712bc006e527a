"""The largest prior that the data allow: above it the positives could not be placed.

Claesen et al. 2015, Lemma 4 and Appendix B, turned round (`largest_prior`). If m of the
unlabeled rows are positive, their rank distribution stays within c(m) = sqrt(log(1/δ)/2 · (n + m)/(n·m))
below that of the n labelled ones, at all thresholds at once with confidence 1 − δ (one-sided two-sample
band). A head of h_U unlabeled rows holds at most h_U of them: m·(G − c(m)) ≤ h_U at every threshold. The
largest m for which that is true is an upper confidence limit of the number of latent positives. The prior is
that of the population they were drawn from: half of the error level goes to the binomial (Clopper–Pearson)
limit of its share given m of |U|, or in a single training set given the labelled and m of all rows.

If labels may be biased by a factor Γ, that band does not hold. Let Y be the latent positives above the j-th
labelled one. Y ≤ y says that at least j of the j + y highest positives are labelled, the probability of which
is at most P(X ≥ j) by Fisher's law with odds Γ for j + y of n + m positives (`bounds.latent_limits`). So m is
contradicted if that is δ/J or less for y = h_U, the unlabeled rows at or above the j-th labelled one, for one
of J heads j. These are chosen before the data are seen: up to 32 of them, evenly spread on the logit scale of
j/n. Equal scores do no harm, as they only add rows to h_U. More latent positives make the probability
smaller, so the largest m is found by bisection.

With labels of purity β, m counts the unlabeled rows that are distributed like the labelled ones, of which a
share β is positive: the limit of the prior is β times the one for clean labels. Mixed with the same share of
negatives, labelled and latent positives differ by no more than Γ still.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from puremetrics.bounds.contingency import check_countable
from puremetrics.checking.arguments import check_level
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, UnsupportedError
from puremetrics.numerics.hypergeometric import log_at_least
from puremetrics.numerics.quantiles import beta_quantile
from puremetrics.results import Interval, PriorEstimate
from puremetrics.sampling.clustered import head_effects
from puremetrics.setting import LabelBias, PurityLike, Setting, purity_range
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = ["above_largest", "largest_prior"]


_HEADS = 32  # at which biased labels are looked at, at most


@takes_data
def largest_prior(
    table: ScoreTable,
    *,
    purity: PurityLike = None,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
) -> PriorEstimate:
    """Upper confidence limit of the prior: above it the positives could not be placed.

    Holds if the labelled positives are a random sample of all positives, or as far from one as ``label_bias``
    says; its coverage is checked by simulation. ``estimate_prior(table, method="slope")`` gives a slightly
    wider limit that is proved for samples of any size. Neither says how small the prior may be.

    Parameters
    ----------
    table : ScoreTable
        Without sampling weights.
    purity : float or (low, high), default 1
        Share of true positives among the labelled. The data limit the prior divided by the purity, so
        errors among the labels lower the limit; of a range, the high end counts.
    confidence_level : float, default 0.95
    label_bias : float, default 1
        Any two positives differ in their odds of being labelled by at most this factor; 1 says that labels
        are given at random. Bias allows more positives, as those without a label may rank lower.
    label_bias_side : {"either", "high", "low"}
        Whether higher scores are labelled more often ("high") or less often ("low"). With "low" the latent
        positives rank no lower than the labelled, and the limit is that of random labels.

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
    bias = LabelBias.of(label_bias, label_bias_side)
    worth, grouping = (1.0, 1.0), None
    if table.clusters is not None:
        worth, grouping = head_effects(table.clusters, level)
    found = _largest(table, level, least, most, bias.down, worth)
    if grouping is None:
        return found
    return replace(
        found,
        diagnostics=tuple(grouping.remarks()),
        n_groups=grouping.number,
        design_effect=grouping.design_effect,
    )


def _largest(
    table: ScoreTable,
    level: float,
    least: float,
    purity: float,
    odds: float,
    worth: tuple[float, float],
) -> PriorEstimate:
    design, totals = table.design, table.totals
    smallest = design.prior_limits(totals, least)[0]
    limit = min(design.prior_of(totals, purity, purity), design.prior_limits(totals, purity)[1])
    half = (1 + level) / 2
    latent = _most(_at_random(table, half, worth), 0, int(table.total_unl))
    if odds > 1.0:  # what random labels allow, biased ones allow as well
        possible = _biased(table, 1 - half, odds, worth[0])
        latent = _most(possible, latent, int(table.total_unl))
    if latent < table.total_unl:
        # Positives among the rows that stand for the population: the other half of the error.
        limit = min(_limit(table, latent, purity, half, worth[1]), limit)
    method = "two_sample_band" if odds == 1.0 else "fisher_heads"
    interval = Interval(smallest, limit, level, "confidence", method)
    return PriorEstimate(
        prior=limit,
        interval=interval,
        unlabeled_share=design.unlabeled_share(totals, limit, purity),
        method="largest_prior",
        status="upper bound",
        scenario=table.scenario,
    )


def _most(possible: Callable[[int], bool], low: int, high: int) -> int:
    """The largest number of latent positives that contradicts no threshold, between two."""
    if low < high and possible(high):
        return high
    while low < high:
        latent = (low + high + 1) // 2
        if possible(latent):
            low = latent
        else:
            high = latent - 1
    return low


def _at_random(
    table: ScoreTable, level: float, worth: tuple[float, float]
) -> Callable[[int], bool]:
    """Whether so many latent positives contradict no threshold, if labels are given at random."""
    ranked = table.cut()
    heads = np.cumsum(ranked.n_pos) / table.total_pos
    rows = np.cumsum(ranked.n_unl)

    def possible(latent: int) -> bool:
        reach = _one_sided_reach(table.total_pos / worth[0], latent / worth[1], level)
        return bool(np.all(latent * (heads - reach) <= rows + 1e-9))

    return possible


def _heads(table: ScoreTable) -> tuple[FloatArray, FloatArray]:
    """Heads of the labelled rows at which biased labels are looked at, and the unlabeled rows in them."""
    ranked, labelled = table.cut(), int(table.total_pos)
    logits = np.linspace(-1.0, 1.0, _HEADS) * np.log(labelled + 1.0)
    heads = np.unique(np.ceil(labelled / (1.0 + np.exp(-logits))).clip(1, labelled))
    rows = np.cumsum(ranked.n_unl)[np.searchsorted(np.cumsum(ranked.n_pos), heads)]
    return heads, np.asarray(rows, dtype=np.float64)


def _biased(
    table: ScoreTable, error: float, odds: float, worth: float = 1.0
) -> Callable[[int], bool]:
    """Whether so many latent positives contradict none of some heads, at odds that may differ."""
    labelled = int(table.total_pos)
    heads, rows = _heads(table)
    level = np.log(error / heads.size)
    known = min(max(round(labelled / worth), 1), labelled)
    counted = np.rint(heads * (known / labelled))

    def possible(latent: int) -> bool:
        marked = np.minimum(counted + rows, known + latent)
        logs = log_at_least(counted, known + latent, marked, known, odds)
        return bool(np.all(logs > level))

    return possible


def _one_sided_reach(labelled: float, latent: float, level: float) -> float:
    return float(np.sqrt(np.log(1 / (1 - level)) / 2 * (labelled + latent) / (labelled * latent)))


def above_largest(
    setting: Setting, limit: float | None = None, how: str = "not a random sample"
) -> list[Diagnostic]:
    """PM503 if the prior is above what the ranking allows.

    ``limit`` is what it allows, if that is known already; ``how`` says what else the labels may be.
    """
    least, table = setting.assumed.low, setting.table
    if limit is None:
        if not setting.prior_known or table.total_unl == 0 or _allows(setting, least):
            return []
        limit = largest_prior(
            table,
            purity=(setting.assumed.purity_low, setting.assumed.purity_high),
            confidence_level=setting.level,
            label_bias=setting.bias.most,
            label_bias_side=setting.bias.side,
        ).prior
    if least <= limit:
        return []
    return [
        Diagnostic(
            "PM503",
            f"prior {least:.4g} exceeds {limit:.4g}, the largest prior that the ranking allows "
            f"({100 * setting.level:g}% confidence): the prior is too high, or the labels are {how}.",
        )
    ]


def _allows(setting: Setting, prior: float) -> bool:
    """Whether a prior is at most the largest one; one look at the heads tells.

    The smallest number of latent positives whose limit reaches the prior is possible, or none is.
    """
    table, purity = setting.table, setting.assumed.purity_high
    try:
        check_countable(table)
    except UnsupportedError:  # weights: nothing can be counted
        return True
    worth = (1.0, 1.0) if table.clusters is None else head_effects(table.clusters, setting.level)[0]
    half, unlabeled = (1 + setting.level) / 2, int(table.total_unl)

    def reaches(latent: int) -> bool:
        return _limit(table, latent, purity, half, worth[1]) >= prior

    latent = bisect_left(range(unlabeled), True, key=reaches)
    if latent in (0, unlabeled) or _at_random(table, half, worth)(latent):
        return True
    odds = setting.bias.down
    return odds > 1.0 and _biased(table, 1 - half, odds, worth[0])(latent)


def _limit(table: ScoreTable, latent: int, purity: float, half: float, worth: float) -> float:
    """Limit of the prior of a population, half of whose error it takes, from so many latent positives."""
    counted = table.design.counted(*table.totals, latent)
    found, others = (int(rows) / worth for rows in counted)
    return purity * float(beta_quantile(found + 1, others, half))
