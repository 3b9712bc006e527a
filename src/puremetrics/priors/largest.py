"""The largest prior, and the largest share of positives among the unlabeled, that the data allow.

**The prior** (`largest_prior`; Claesen et al. 2015, Lemma 4 and Appendix B, turned round). If m of the
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

**The share** (`largest_share`), with a guarantee for finite samples. Papers: Blanchard, Lee, Scott 2010;
Sanderson, Scott 2014 (the share is the slope at the end of the ROC curve of labelled against unlabeled). For
every threshold t the share a satisfies a ≤ q_U(t) / q_P(t): positives alone already account for a q_P(t).

The published bounds put a uniform band around both distributions. A sharper one needs no band: fix ranks k_1
… k_J in advance, and let t_k be the k-th highest labelled score. Whatever the distribution, q_P(t_k) is at
least a Beta(k, m − k + 1) variable (equal to one without ties), and given the labelled the unlabeled rows at
or above t_k are binomial. So

    a ≤ min over k of  (Clopper–Pearson upper limit of q_U(t_k)) / (lower beta quantile of
    q_P(t_k)),

each limit at error (1 − level)/(2J), holds with probability of at least the level, in samples of any size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from puremetrics.bounds.contingency import check_countable
from puremetrics.checking.arguments import check_level
from puremetrics.checking.types import FloatArray
from puremetrics.numerics.hypergeometric import log_at_least
from puremetrics.numerics.quantiles import beta_quantile
from puremetrics.priors.samples import UPPER_BOUND, Samples, ShareFit
from puremetrics.results import Interval, PriorEstimate
from puremetrics.sampling.clustered import head_effects
from puremetrics.setting import LabelBias, PurityLike, purity_range
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = ["bound_ranks", "largest_prior", "largest_share", "slope"]


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
    says; its coverage is checked by
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
        counted = design.counted(*totals, latent)
        found, others = (int(rows) / worth[1] for rows in counted)
        limit = min(purity * float(beta_quantile(found + 1, others, half)), limit)
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


_RANKS = 14
_ROUNDING = 1e-9  # by which an effective number of rows may fall short of a whole one


def slope(samples: Samples, level: float = 0.95) -> ShareFit:
    """Plug-in slope at the ranks of the bound, with the bound as a one-sided interval.

    The plug-in is the ratio q_U/q_P at the rank where the bound is smallest, so it is too large on
    average where classes overlap: the result calls itself an upper bound.

    Examples
    --------
    >>> pos, unl = np.array([60.0, 30, 10]), np.array([60.0, 30, 910])
    >>> samples = Samples(np.arange(3.0)[::-1], pos, unl, True)
    >>> fit = slope(samples)
    >>> round(fit.share, 3), round(fit.high, 3)
    (0.1, 0.15)
    """
    ranks, limits, ratios = _limits(samples, level)
    best = int(np.argmin(limits))
    share = min(float(ratios[best]), 1.0)
    high = min(float(limits[best]), 1.0)
    shares = ranks / samples.size_pos
    return ShareFit(min(share, high), shares, limits, 0.0, high, status=UPPER_BOUND)


def largest_share(samples: Samples, level: float = 0.95) -> float:
    """Upper confidence limit of the share of positives among the unlabeled."""
    return min(float(_limits(samples, level)[1].min()), 1.0)


def bound_ranks(size: int) -> FloatArray:
    """Ranks among the labelled at which the bound is taken; fixed by their number alone."""
    shares = np.concatenate([2.0 ** -np.arange(1, _RANKS - 4), [0.97, 0.9, 0.8, 0.65, 0.35]])
    ranks = np.unique(np.ceil(shares * size))
    enough = ranks[ranks >= min(4, size)]
    return np.asarray(enough)


def _limits(samples: Samples, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    size_pos, size_unl = samples.size_pos, samples.size_unl
    ranks = bound_ranks(max(int(size_pos + _ROUNDING), 1))
    error = (1 - level) / (2 * ranks.size)
    total_pos, total_unl = samples.cumulative()
    # The first edge with at least k labelled at or above; sums of weights may fall short by rounding.
    place = np.searchsorted(total_pos, ranks * (1 - 1e-12))
    found = total_unl[place]
    upper = np.ones(ranks.size)
    part = found < size_unl
    upper[part] = beta_quantile(found[part] + 1, size_unl - found[part], 1 - error)
    lower = beta_quantile(ranks, size_pos - ranks + 1, error)
    return (
        ranks,
        np.asarray(upper / lower),
        np.asarray(found / size_unl * size_pos / total_pos[place]),
    )
