"""Limits where prior and purity are not known exactly: one rule for every statistic.

A statistic T has a value and sampling limits at each pair of prior and purity. What is known of the pair
comes as places that may be true, each with independent errors that may have moved it (`setting.assumed`):

- **Errors.** An estimate of the prior from other rows errs independently of T. Distances from the value add
  up in squares on each side (MOVER): the sampling reach, and for each error how far T moves as the pair
  goes through the error's own interval. The union of limits over that interval would have both errors at
  their worst at once.
- **Places.** What a range leaves open is not random. The limits lie beyond the lowest and the highest
  place. The true value is at one of them, so only one of the two limits can fail as a rule, and a one-sided
  quantile is enough once the range is wide beside the sampling error (Imbens and Manski 2004; Stoye 2009).
  In between, the reaches are multiplied by the smallest factor with which every place, if it were the true
  one, would be held with the wanted chance. So the interval is for the value, not for the whole range.

Reaches are taken as those of normal errors for that factor alone.

**The same scores.** A prior that was read off the very rows of the statistic errs together with it: rows
that happen to lie high raise the one and lower the other. What each row does to the prior is known
(`RowEffects`), what it does to the statistic is its influence, and their covariance over all rows gives the
correlation of both errors (`correlation_with_prior`). With ρ, squared distances a² + b² + 2ρab add up; but
no less than the larger of both counts: a prior that is known exactly never gives a longer interval, and
what holds at the prior's own limits is held. The second is not asked of the ROC area (``offsets``), which
falls little where the prior does: negatives that lie high raise the prior and lower the area at a given
prior, and the corrected area hardly moves. Numbers in proportion to the prior have no such luck. At a
threshold the two shares that reach it have such a correlation each (`PriorByHead`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import RowEffects
from puremetrics.sampling.limits import contributions, linear_variance
from puremetrics.setting import Assumed, Setting, TwoSamples
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "KEPT",
    "PriorByHead",
    "correlation_with_prior",
    "factor_of_reach",
    "least_factor",
    "limits_over",
    "reaches_with_errors",
    "scale_of_errors",
]

Shared = float | tuple[Any, Any]  # one correlation, or those of errors down and up at every pair
_STEPS = 12  # halvings, down to 4e-5 of the reach
_ROUNDING = 1e-9
KEPT = 0.85  # of an estimated correlation, which is an estimate itself


def limits_over(
    assumed: Assumed,
    spreads: Iterable[Any],
    level: float,
    correlation: Shared = 0.0,
    span: tuple[Any, Any] = (-np.inf, np.inf),
    whole: bool = False,
    offsets: bool = False,
) -> tuple[Any, Any]:
    """Limits over all places, from a statistic and its sampling limits at every pair.

    ``spreads`` are the statistic, its lower and its upper limit, with one entry for each pair along the first
    axis; limits are looked at where a place is. ``correlation`` is that of the statistic and the prior, or
    those of its errors down and up at every pair; ``span`` is the range of the statistic. With ``whole`` the
    limits hold every place at once; with ``offsets`` both errors together may reach less far than that of the
    prior alone.
    """
    middle, low, high = (np.asarray(part, dtype=np.float64) for part in spreads)
    if assumed.is_point:
        return low[0], high[0]
    centres, below, above = reaches_with_errors(
        assumed, (middle, low, high), level, correlation, offsets
    )
    known = ~np.isnan(centres)
    factor = 1.0 if whole else factor_of_reach(centres, below, above, level, span)
    with np.errstate(invalid="ignore"):
        least, most = centres - factor * below, centres + factor * above
    # Where the statistic is undefined at a place, its limits are all that is said there.
    ends = [np.where(known, end, other) for end, other in ((least, below), (most, above))]
    return np.fmin.reduce(ends[0]), np.fmax.reduce(ends[1])


def reaches_with_errors(
    assumed: Assumed,
    spreads: tuple[FloatArray, FloatArray, FloatArray],
    level: float,
    correlation: Shared = 0.0,
    offsets: bool = False,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The statistic at every place, and its reaches below and above with all errors.

    Where it is undefined or infinite, it is NaN, and the limits themselves take the place of reaches.
    """
    middle, low, high = spreads
    places = [at for at, _ in assumed.placed]
    with np.errstate(invalid="ignore"):  # infinity less infinity
        centres = middle[places]
        below, above = centres - low[places], high[places] - centres
        below, above = np.where(below < 0, 0.0, below), np.where(above < 0, 0.0, above)
        scale = scale_of_errors(assumed, level)
        for place, (at, errors) in enumerate(assumed.placed):
            here = centres[place]
            by_side = correlation
            if isinstance(correlation, tuple):
                by_side = correlation[0][at], correlation[1][at]
            for error in errors:
                there = middle[list(error)]
                least, most = np.fmin.reduce(there), np.fmax.reduce(there)
                rises = np.sign(there[-1] - there[0])  # pairs are in order of the prior
                shared = [2 * part * rises for part in np.broadcast_to(by_side, 2)]
                down, up = scale * np.fmax(here - least, 0.0), scale * np.fmax(most - here, 0.0)
                below[place] = _added(below[place], down, shared[0], offsets)
                above[place] = _added(above[place], up, shared[1], offsets)
    known = np.isfinite(centres)
    if known.all():
        return centres, below, above
    limits = np.where(known, below, low[places]), np.where(known, above, high[places])
    return np.where(known, centres, np.nan), *limits


def scale_of_errors(assumed: Assumed, level: float) -> float:
    """What the distances to the limits of errors are multiplied by.

    Limits that reach beyond a range only as far as is needed would be cut once more by the factor of the
    range: the prior itself, put through the same rule, has to come out with the interval that it came with.
    """
    if not any(errors for _, errors in assumed.placed):
        return 1.0
    scale = normal_quantile(level) / normal_quantile(assumed.error_level)
    if not assumed.beyond_range:
        return scale
    return scale / _factor_of_prior(assumed)


def _factor_of_prior(assumed: Assumed) -> float:
    """The factor that the prior itself has, as a statistic without sampling error of its own; kept."""
    kept = assumed.__dict__
    if "_factor" not in kept:
        priors = assumed.arrays()[0]
        centres = priors[[at for at, _ in assumed.placed]]
        moved = [[priors[i] for e in errors for i in e] for _, errors in assumed.placed]
        lows, highs = (
            [f([c, *m]) for c, m in zip(centres, moved, strict=True)] for f in (min, max)
        )
        found = factor_of_reach(centres, centres - lows, highs - centres, assumed.error_level)
        kept["_factor"] = float(found)
    return float(kept["_factor"])


def _added(reach: Any, more: Any, shared: Any, offsets: bool) -> Any:
    """One reach from those of two errors, no shorter than the first, nor, unless it is offset, the second."""
    if not np.any(shared):
        return np.hypot(reach, more)
    with np.errstate(invalid="ignore"):
        both = reach**2 + more**2 + np.where(np.isnan(shared), 0.0, shared) * reach * more
        least = reach if offsets else np.maximum(reach, more)
        joint = np.sqrt(np.maximum(both, least**2))
        return np.where(np.isfinite(reach + more), joint, np.inf)


@dataclass(frozen=True, eq=False)
class PriorByHead:
    """How the error of a prior that was read off scores goes with the shares of G and F that reach a score.

    ``labelled`` and ``unlabeled`` are numbers of rows from the top, at the ends of the estimate's ranges;
    ``by_labelled`` and ``by_unlabeled`` the sums of what these rows do to the prior, in standard errors.
    """

    labelled: FloatArray
    unlabeled: FloatArray
    by_labelled: FloatArray
    by_unlabeled: FloatArray
    one_sample: bool

    @classmethod
    def of(cls, setting: Setting) -> PriorByHead | None:
        """Those of a setting; None if the prior is not from its scores, or rows count differently."""
        effects, table = setting.assumed.row_effects, setting.ranked
        one_sample = setting.design.one_sample
        if effects is None or table.weighted or setting.table.clusters is not None:
            return None
        if (one_sample and table.total_neg > 0) or _lowest_scores(table, effects) is None:
            return None
        sums, variance = [], 0.0
        for counts, effect in (
            (effects.labelled, effects.of_labelled),
            (effects.unlabeled, effects.of_unlabeled),
        ):
            moved = effect - weighted_sum(counts, effect) / max(float(counts.sum()), 1e-300)
            variance += weighted_sum(counts, moved**2)
            sums.append(np.concatenate([[0.0], np.cumsum(counts * moved)]))
        if variance <= 0:
            return None
        heads = [
            np.concatenate([[0.0], np.cumsum(c)]) for c in (effects.labelled, effects.unlabeled)
        ]
        by_labelled, by_unlabeled = (part / np.sqrt(variance) for part in sums)
        return cls(heads[0], heads[1], by_labelled, by_unlabeled, one_sample)

    def correlations(self, pos: float, cmp: float) -> tuple[float, float]:
        """Those of the two shares, where so large a part of G and of F reaches a score."""
        labels, others = float(self.labelled[-1]), float(self.unlabeled[-1])
        rows = labels + others if self.one_sample else others
        hidden = cmp * rows - pos * labels if self.one_sample else cmp * rows
        by_pos = float(np.interp(pos * labels, self.labelled, self.by_labelled))
        by_cmp = float(np.interp(hidden, self.unlabeled, self.by_unlabeled))
        if self.one_sample:
            by_cmp += by_pos
        found = []
        for by, share, size in ((by_pos, pos, labels), (by_cmp, cmp, rows)):
            spread = float(np.sqrt(size * share * (1 - share))) if 0 < share < 1 else 0.0
            found.append(KEPT * min(max(by / spread, -1.0), 1.0) if spread > 0 else 0.0)
        return found[0], found[1]


def correlation_with_prior(
    setting: Setting, samples: TwoSamples, on_pos: FloatArray, on_cmp: FloatArray
) -> float:
    """Correlation of a statistic at given pairs and a prior that was read off the same scores; else 0.

    ``on_pos`` and ``on_cmp`` are the influence values of the statistic on rows of ``samples``.
    """
    effects = setting.assumed.row_effects
    if effects is None or samples.weighted or setting.table.clusters is not None:
        return 0.0
    lowest = _lowest_scores(setting.ranked, effects)
    if lowest is None:
        return 0.0
    table = samples.table
    place = np.minimum(np.searchsorted(-lowest, -table.score), lowest.size - 1)
    via_pos, via_cmp = contributions(samples, on_pos, on_cmp)
    both = via_pos + via_cmp if samples.one_sample else via_pos
    covered = prior_variance = 0.0
    for counts, effect, own in (
        (table.n_pos, effects.of_labelled, both),
        (table.n_unl, effects.of_unlabeled, via_cmp),
    ):
        moved = effect[place]
        moved = moved - weighted_sum(counts, moved) / max(float(counts.sum()), 1e-300)
        covered += weighted_sum(counts, moved * own)
        prior_variance += weighted_sum(counts, moved**2)
    variance = linear_variance(samples, on_pos, on_cmp).total
    if not (variance > 0 and prior_variance > 0 and np.isfinite(covered)):
        return 0.0
    return KEPT * float(np.clip(covered / np.sqrt(variance * prior_variance), -1.0, 1.0))


def _lowest_scores(table: ScoreTable, effects: RowEffects) -> FloatArray | None:
    """The lowest score of each range of an estimate; None if the table is not the one it was made from."""
    labelled, unlabeled = (
        np.concatenate([[0.0], np.cumsum(counts)]) for counts in (table.n_pos, table.n_unl)
    )
    ends = np.cumsum(effects.labelled)
    if labelled[-1] != ends[-1]:
        return None
    places = np.searchsorted(labelled, ends[:-1])
    places = np.concatenate([places, [labelled.size - 1]])
    if not np.array_equal(np.diff(unlabeled[places], prepend=0.0), effects.unlabeled):
        return None
    return np.asarray(table.score[places - 1], dtype=np.float64)


def least_factor(level: float) -> float:
    """The one-sided quantile over the two-sided one: the factor of a range that is very wide."""
    from scipy.special import ndtri

    return max(float(ndtri(level)) / normal_quantile(level), 0.0)


def factor_of_reach(
    centres: FloatArray,
    below: FloatArray,
    above: FloatArray,
    level: float,
    span: tuple[Any, Any] = (-np.inf, np.inf),
) -> FloatArray:
    """By how much of each reach every place, if it is the true one, is held with the wanted chance.

    Nor is the interval, as far as it lies in the range of the statistic, shorter than that of any place
    alone: who knows more has no longer interval.
    """
    from scipy.special import ndtr

    one = np.ones(centres.shape[1:])
    if len(centres) == 1:
        return one
    z, (lowest, highest) = normal_quantile(level), span
    least, most = one * least_factor(level), one
    finite = np.isfinite(centres) & np.isfinite(below) & np.isfinite(above)
    endless = (~finite & ~np.isnan(centres)).any(axis=0) | ~finite.any(axis=0)
    if not finite.all():
        centres = np.where(finite, centres, np.nan)
        below, above = np.where(finite, below, 0.0), np.where(finite, above, 0.0)

    def inside(low: FloatArray, high: FloatArray) -> FloatArray:
        """The length of intervals, as far as they lie in the range."""
        return np.asarray(
            np.minimum(np.maximum(high, lowest), highest)
            - np.minimum(np.maximum(low, lowest), highest)
        )

    longest = np.fmax.reduce(inside(centres - below, centres + above)) * (1 - _ROUNDING)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(_STEPS):
            factor = (least + most) / 2
            low = np.fmin.reduce(centres - factor * below)
            high = np.fmax.reduce(centres + factor * above)
            # A place without a reach is held wherever it lies between the limits: 0 / 0 does not count.
            held = ndtr(z * (high - centres) / above) - ndtr(z * (low - centres) / below)
            enough = ~(np.fmin.reduce(held) < level) & ~(inside(low, high) < longest)
            least, most = np.where(enough, least, factor), np.where(enough, factor, most)
    return np.where(endless, 1.0, most)
