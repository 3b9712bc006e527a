"""Confidence bands on the rank distribution of the positives hidden among the unlabeled.

Claesen et al. (2015), Section 4.2. At a threshold whose head holds k of the n labelled positives, a band says
how many of the m latent positives (those among the unlabeled) the head may hold. It depends on the threshold
only through k, so at most n + 1 inversions are needed, whatever the number of rows.

``"exact"`` (default)
    Labelled and latent positives are exchangeable. Given K positives in the head among n + m, the
    labelled ones in it are hypergeometric(n + m, K, n). All K that neither one-sided test rejects at
    half the error level form the band. It holds for finite m, which the bands below ignore.
``"bootstrap"``
    The paper's pointwise percentile bootstrap of the labelled rank distribution. No resampling is
    needed: the resampled count in the head is Binomial(n, k/n). With ``n_resamples`` it is resampled
    all the same, as a check.
``"clopper_pearson"``, ``"dkw"``
    Exact binomial limits, and the Dvoretzky–Kiefer–Wolfowitz band, for the population's rate.

Erratum: a band for the population's rank distribution is not one for the latent positives, which are a finite
sample themselves. Measured coverage of the bootstrap band, nominal 95%, is 0.44 to 0.92; that of the exact
band 0.95 to 0.97 (evidence/bounds.md).

``simultaneous=True`` asks for all thresholds at once. For ``"exact"`` that is the two-sample band |F_latent −
F_labelled| ≤ sqrt(log(2/δ)/2 · (n + m)/(n·m)). Wei and Dudley (2012) prove the constant 2 for equal sizes
from 458 on; for others its coverage is checked by simulation in the tests. For ``"dkw"`` the band is
simultaneous anyway (for the population), and the others have no such version.

All of this takes labels as given at random. With ``label_bias`` Γ > 1 any two positives may differ in their
odds of being labelled by up to Γ, and every band becomes wider: see `bounds.latent_limits`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.bounds.contingency import check_countable, check_rank_limits, latent_range, spread
from puremetrics.bounds.latent_limits import LatentLimits, rate_limits, shifted
from puremetrics.checking.arguments import check_level, check_resamples, renamed
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, PriorError
from puremetrics.results import Columns, Result
from puremetrics.results.picture import Picture
from puremetrics.sampling.clustered import allow_for_groups_in_heads, head_effects
from puremetrics.sampling.resampling import resampled_tables
from puremetrics.setting import LabelBias, PriorLike, Setting
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Band", "rank_cdf_band"]


@dataclass(frozen=True, eq=False, repr=False)
class Band(Result):
    """Band on the share of latent positives that score at least each threshold.

    Attributes
    ----------
    threshold : ndarray, shape (k,)
        Falling thresholds; the first, infinite, has an empty head.
    estimate, lower, upper : ndarray, shape (k,)
        Share of the labelled positives in the head, and limits for the latent ones.
    level, method, simultaneous
        Nominal coverage, at each threshold or at all of them at once.
    """

    threshold: FloatArray
    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    level: float
    method: str
    simultaneous: bool
    diagnostics: tuple[Diagnostic, ...] = ()

    _picture = Picture(
        "threshold",
        ("estimate",),
        (("lower", "upper"),),
        y_title="share of latent positives at or above",
    )

    def frame(self) -> Columns:
        """Return what a plot draws."""
        return {
            "threshold": self.threshold,
            "estimate": self.estimate,
            "lower": self.lower,
            "upper": self.upper,
        }

    def __str__(self) -> str:
        where = "at all thresholds at once" if self.simultaneous else "at each threshold"
        return (
            f"Band on the ranks of the latent positives at {self.threshold.size} thresholds\n"
            f"  {100 * self.level:g}% confidence {where}; band {self.method!r}"
        )


@renamed(method="rank_limits", band="rank_limits")
@takes_data
def rank_cdf_band(
    table: ScoreTable,
    *,
    rank_limits: str = "exact",
    prior: PriorLike = None,
    confidence_level: float = 0.95,
    simultaneous: bool = False,
    prior_of: str = "population",
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    n_resamples: int | None = None,
    rng: Any = 0,
) -> Band:
    """Band on the rank distribution of the latent positives.

    Holds if the labelled positives are a random sample of all positives, or as far from one as
    ``label_bias`` says.

    Parameters
    ----------
    table : ScoreTable
        Without sampling weights.
    rank_limits : {"exact", "bootstrap", "clopper_pearson", "dkw"}
        See the module's docstring.
    prior : float, (low, high) or PriorEstimate
        Needed by "exact", which depends on the number of latent positives. The limits hold for all
        numbers that are possible at the prior, or anywhere in its range.
    confidence_level : float, default 0.95
    simultaneous : bool, default False
        Ask for a band that holds at all thresholds at once ("exact" and "dkw" only).
    prior_of : {"population", "rows"}
        Whose prior it is; see `confusion_bounds`.
    label_bias, label_bias_side
        How far labels may be from random; see `confusion_bounds`. Bands other than "exact" are moved by its
        logarithm on the logit scale.
    n_resamples, rng
        Make "bootstrap" resample this often, instead of taking its exact limit.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> band = rank_cdf_band(table, prior=0.5, prior_of="rows")
    >>> band.estimate
    array([0.  , 0.25, 0.5 , 0.75, 1.  , 1.  ])
    >>> band.upper
    array([0.75, 1.  , 1.  , 1.  , 1.  , 1.  ])
    """
    check_countable(table)
    level = check_level(confidence_level)
    made = check_rank_limits(rank_limits, simultaneous)
    ranked = table.cut()
    heads = np.concatenate([[0], np.cumsum(ranked.n_pos)])
    labelled = int(table.total_pos)
    threshold = np.concatenate([[np.inf], ranked.score])
    worth = 1.0
    remarks: tuple[Diagnostic, ...] = ()
    if table.clusters is not None:
        (worth, _), grouping = head_effects(table.clusters, level)
        remarks = tuple(grouping.remarks())
    if made == "exact":
        if prior is None and table.total_unl > 0:
            raise PriorError(
                "The exact band needs the number of latent positives. Pass prior=…, or choose "
                "rank_limits='clopper_pearson', which bounds the population's rate instead."
            )
        setting = Setting.of(table, prior, None, level, label_bias, label_bias_side)
        setting = allow_for_groups_in_heads(setting)
        lower, upper = _shares(setting, heads, simultaneous, prior_of)
    else:
        bias = LabelBias.of(label_bias, label_bias_side)
        if made == "bootstrap" and n_resamples is not None:
            limits = _resampled(ranked, level, n_resamples, rng)
        else:
            known = min(max(round(labelled / worth), 1), labelled)
            limits = rate_limits(np.rint(heads * (known / labelled)), known, made, level)
        lower, upper = shifted(*limits, bias)
    return Band(threshold, heads / labelled, lower, upper, level, made, simultaneous, remarks)


def _shares(
    setting: Setting, heads: Any, simultaneous: bool, prior_of: str
) -> tuple[FloatArray, FloatArray]:
    """Limits of x/m by the exact band, extremes over all numbers of latent positives that are possible."""
    first, last, level = latent_range(setting, prior_of)
    labelled = int(heads[-1])
    numbers = spread(first, last, (first + last) / 2, labelled, heads.size)
    effect = setting.samples.effect[0]
    limits = LatentLimits(labelled, "exact", level, simultaneous, setting.bias, effect)
    low, high, place = limits.over(heads, numbers)
    size = numbers[:, None]
    least, most = (low, size), (high, size)
    if numbers.size <= last - first:  # as in `corner_tables`: x stays first, or rises first
        least = low[:-1], size[1:] - np.diff(low, axis=0)
        most = high[1:], size[:-1] + np.diff(high, axis=0)
    lower = (least[0] / np.maximum(least[1], 1.0)).min(axis=0)
    upper = (most[0] / np.maximum(most[1], 1.0)).max(axis=0)
    return lower[place], upper[place]


def _resampled(
    ranked: ScoreTable, level: float, n_resamples: int, rng: Any
) -> tuple[FloatArray, FloatArray]:
    labelled = int(ranked.total_pos)
    n_resamples = check_resamples(n_resamples, smallest=1)
    tables = resampled_tables(ranked, ("pos",), n_resamples, fixed_sizes=True, rng=rng)
    heads = np.array([np.concatenate([[0], np.cumsum(table.n_pos)]) for table in tables])
    error = (1 - level) / 2
    lower, upper = np.quantile(heads, [error, 1 - error], axis=0, method="inverted_cdf")
    return lower / labelled, upper / labelled
