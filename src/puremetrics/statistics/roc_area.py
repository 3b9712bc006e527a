"""The corrected area under the ROC curve (Jain, White, Radivojac 2017).

Symbols: the paper's α is ``prior`` (in case-control), β is ``purity``, γ and η the true and false
positive rates; AUC_pu is the area of labelled positives against the comparison sample.

- Eq. (4): AUC = (AUC_pu − (1 − (β − α))/2) / (β − α), ``method="direct"``. It equals the signed area
  under the raw corrected path: the correction is affine, and the path runs from (0, 0) to (1, 1).
- Algorithm 1, ``method="indirect"`` (default): the envelope of that path, see `numerics.monotone`.
- ``method="projected"``, not in the paper: the bounded isotonic projection of the path.

In simulation (table in the docs) the indirect area has the smallest error overall and by far above
an AUC of 0.9; the projected one is best below 0.8 with few positives or a large prior, where the
indirect one is biased upwards.

Intervals: AUC_pu is the mean over labelled rows of the share of F below them, and as well the mean over F of
the share of labelled rows above: two means of bounded values. `sampling.bounded` gives each its limits, which
allow for what a small sample may have missed, and puts them together; Eq. (4) carries them over, at the
smallest and at the largest β − α that are possible: in between it is monotone. The standard error is
DeLong's (shared rows accounted for in a single training set).

Biased labels: the uncorrected area is the mean over labelled rows of the share of F below them, ties half,
so it is a sum of the kind that `correction.biased` is about. What the unlabeled have room for is itself
subject to sampling error: the range is taken once more with heads of the unlabeled at their limits, and the
distance added as a part of its own. Where the limit without any such room is closer, that one counts.

Errata: the caption of Figure 4 gives AUC_pu = 0.80 for (α, β, AUC) = (0.25, 0.75, 0.90); Eq. (4) gives
0.70.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.auditing import Audit, Audited, audited_area
from puremetrics.auditing.areas import Measured
from puremetrics.auditing.pairs import Paired, Signs, at_all_purities, paired_area
from puremetrics.bounds.areas import roc_area_bounds
from puremetrics.bounds.contingency import LatentChoice
from puremetrics.bounds.curves import roc_bounds_of
from puremetrics.checking.arguments import check_choice
from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import SIDES, BiasedHeads, bias_interval, free_tilt, tilted_reach
from puremetrics.correction.curves import (
    METHODS,
    area_of,
    check_part,
    curve_with_bias_band,
    roc_curve_of,
)
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Estimate, Interval
from puremetrics.sampling.bounded import combined_reach, linear_reaches
from puremetrics.sampling.limits import linear_variance
from puremetrics.sampling.list_ranks import bracket_of, extreme_orders
from puremetrics.setting import Heads, LabelBias, PriorLike, PurityLike, Setting, TwoSamples
from puremetrics.statistics.catalogue import Ask, estimate_from, find, register
from puremetrics.statistics.partial_area import PartialRocAuc
from puremetrics.statistics.statistic import (
    Centre,
    ExpectedSum,
    Influence,
    Limits,
    Spans,
    Spreads,
    Statistic,
)
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "RocAuc",
    "area_influence",
    "direct_area",
    "no_bracket",
    "no_variance",
    "raw_area",
    "roc_auc",
]


@takes_data
def roc_auc(
    table: ScoreTable,
    *,
    prior: PriorLike = None,
    purity: PurityLike = None,
    method: str = "indirect",
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    audit: Audit | None = None,
    prior_of: str = "population",
    evidence: Any = None,
    max_fpr: float | None = None,
    recall_range: tuple[float, float] | None = None,
) -> Estimate:
    """Estimate the area under the ROC curve of positives against negatives.

    It is the chance that a random positive scores above a random negative, ties counting half.
    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives.

    Parameters
    ----------
    table : ScoreTable
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens the interval, whose kind is then "combined".
    purity : float or (low, high), default 1
        Share of true positives among the labelled; must exceed the prior. A range widens the interval.
        Left out, it is that of the prior's estimate, if it has one.
    method : {"indirect", "direct", "projected"}
        See the module's docstring.
    confidence_level : float, default 0.95
    label_bias : float, default 1
        How many times as likely to be labelled some positives may be as others (in a single training set:
        ratio of odds); 1 means labels at random. More widens the interval to all that is possible.
    label_bias_side : {"either", "high", "low"}
        "high" if higher scores are known to be labelled no less often than lower ones, "low" for the
        opposite.
    audit : Audit, optional
        Rows that were checked (`plan_audit`). The estimate then rests on them, and assumes neither a prior
        nor random labels: leave out ``prior`` and ``label_bias``.
    prior_of : {"population", "rows"}
        Whether the prior is known of the population, or is the share of positives among the very rows at
        hand, because somebody counted. In the latter case its own sampling error is allowed for; so it is
        if every label is known and no prior is given.
    evidence : list, optional
        What else is known of the positives, such as `LabelSources`, `Investigated` or `PublishedPrior`. All
        of it is put together, and prior, audit and label bias count as evidence like any other. Labels are
        then taken as random only if `RandomLabels` is among it.
    max_fpr : float, optional
        Only the part of the curve up to this false positive rate counts, on McClish's scale: chance is ½, a
        perfect ranking 1, as with scikit-learn's ``max_fpr``.
    recall_range : (low, high), optional
        Only the part between these true positive rates counts, on the same scale.

    Returns
    -------
    Estimate
        Its ``curve`` is the ROC curve whose area is the value. The value of "direct" may leave
        [0, 1]; ``raw`` has it for all methods. The interval is cut to [0, 1], and reaches up to such a value.
        ``bias_range`` is what biased labels leave open, without sampling error.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[4, 2, 2], unlabeled=[4, 3, 2, 1, 0, 0], scenario="case_control")
    >>> round(float(roc_auc(table, prior=0.25, method="direct")), 3)
    0.759
    """
    statistic = find(
        "roc_auc", {"max_fpr": max_fpr, "recall_range": recall_range, "method": method}
    )
    return estimate_from(
        statistic, table, prior, purity, confidence_level, label_bias, label_bias_side, audit,
        prior_of, evidence,
    )  # fmt: skip


@dataclass(frozen=True)
class RocAuc(Statistic):
    """The area under the ROC curve; ``method`` says how the corrected path is made a curve."""

    method: str = "indirect"
    name = "roc_auc"
    title = "ROC AUC"
    linear = True
    interval_method = "placements_beta"
    ranked_by_prior = True
    in_blocks = True
    order_ignores_prior = True
    offsets_prior = True

    def value(self, world: Setting) -> float:
        return area_of(roc_curve_of, world, self.method)

    def plain(self, world: Setting) -> float:
        return float(direct_area(raw_area(world.samples), world.gap))

    def uncorrected(self, world: Setting) -> float:
        return raw_area(world.samples)

    def influence(self, world: Setting) -> Influence:
        """DeLong's placements over β − α."""
        return area_influence(world.heads, world.gap)

    def spans(self, world: Setting) -> Spans:
        samples, most = world.samples, 1 / world.gap
        least = samples.total_pos / samples.total_cmp if samples.one_sample else 0.0
        return (least * most, most), (0.0, most)

    def centre(self, setting: Setting) -> Centre:
        curve = curve_with_bias_band(setting, roc_curve_of, self.method, in_blocks=True)
        variance = linear_variance(setting.samples, *area_influence(setting.heads))
        remarks = [*curve.diagnostics, *no_bracket(setting.ranked, self.method)]
        if variance.total == 0.0:
            remarks.append(no_variance(self.name))
        error = float(np.sqrt(variance.total)) / setting.gap
        return Centre(curve.area, curve.area, error, curve, tuple(remarks), self.plain(setting))

    def limits_at(self, world: Setting) -> Limits:
        ends = [direct_area(end, world.gap) for end in _uncorrected_limits(world)]
        return min(ends), max(ends)

    def spreads_over(self, setting: Setting) -> Spreads:
        """By Eq. (4), from area and limits before the correction, which are the same in all worlds."""
        priors, purities = setting.assumed.arrays()
        gaps = purities - setting.shares_of(priors, purities)
        ends = raw_area(setting.samples), *_uncorrected_limits(setting)
        return Spreads(*(np.asarray(direct_area(end, gaps)) for end in ends))

    def limits(self, setting: Setting, centre: Centre) -> Limits:
        """Those of all worlds, and the repaired values at the ends of a range, which may lie outside."""
        low, high = super().limits(setting, centre)
        if not setting.assumed.is_range:
            return low, high
        values = [self.value(world) for world in self._ends(setting)]
        return min(low, *values), max(high, *values)

    def _ends(self, setting: Setting) -> list[Setting]:
        """The places of the smallest and of the largest gap, in which the area is monotone."""
        pairs = [setting.assumed.pairs[at] for at, _ in setting.assumed.placed]
        priors, purities = np.array(pairs).T
        gaps = purities - setting.shares_of(priors, purities)
        return [setting.at(*pairs[int(place(gaps))]) for place in (np.argmin, np.argmax)]

    def cut(self, setting: Setting, raw: float, ends: Limits) -> tuple[Interval, list[Diagnostic]]:
        interval, remarks = super().cut(setting, raw, ends)
        if self.method == "direct":  # as the formula gives it
            low, high = min(interval.low, raw), max(interval.high, raw)
            interval = setting.interval(low, high, interval.method)
        return interval, remarks

    def bracket(self, setting: Setting, centre: Centre) -> Interval | None:
        """Between the areas of the two extreme orders inside buckets; see `sampling.list_ranks`.

        The projection is no pointwise repair, and nothing is certain about it.
        """
        if setting.ranked.hidden is None or self.method == "projected":
            return None
        ends = [
            area_of(roc_curve_of, setting, self.method, TwoSamples(order).heads)
            for order in extreme_orders(setting.ranked)
        ]
        return bracket_of(min(ends), max(ends), centre.value)

    def bias_range(self, setting: Setting, centre: Centre) -> Interval:
        return bias_interval(area_range(setting, self.method, centre.value))

    def bias_limits(self, setting: Setting, centre: Centre, open_: Interval) -> list[float]:
        others = [] if setting.assumed.is_point else setting.extremes()[1:]
        return area_limits([setting, *others])

    def tipping_guess(self, setting: Setting, target: float, below: bool) -> float | None:
        """The equation of an expectile read the other way round; see `comparing.tipping`."""
        found = BiasedHeads(setting.with_bias(LabelBias(2.0, setting.bias.side)))
        if setting.ranked.hidden is not None or setting.purity < 1 or found.part <= 0:
            return None
        share, placed = np.diff(found.found), found.placements
        mass = setting.share
        reached = (1 - mass) * target + mass / 2
        reached = (reached - (1 - found.part) * weighted_sum(share, placed)) / found.part
        up, down = (
            weighted_sum(share, np.maximum(sign * (placed - reached), 0.0)) for sign in (1, -1)
        )
        up, down = (down, up) if below else (up, down)
        return up / down if down > 0 else np.inf

    def audited(self, audited: Audited) -> Measured:
        return audited_area(audited)

    def audited_pair(self, paired: Paired, signs: Signs) -> Measured:
        return at_all_purities(paired, lambda end: paired_area(end, signs))

    def expected_sum(self, positives: FloatArray, rows: FloatArray) -> ExpectedSum:
        total, size = max(float(positives.sum()), 1e-9), max(float(rows.sum()), 1e-9)
        share = min(total / size, 1 - 1e-3)
        heads = np.cumsum(rows[::-1])[::-1]
        below, bottom = 1 - (heads - rows / 2) / size, total * (1 - share)
        value = min(max((float(positives @ below) - total * share / 2) / bottom, 0.0), 1.0)
        gain = below - value - 2 * share * (0.5 - value)
        others = (np.cumsum(positives[::-1])[::-1] - positives / 2) / size
        return ExpectedSum.of(value, gain, others, bottom, positives, rows)

    def bounds(self, choice: LatentChoice) -> Interval:
        return roc_area_bounds(roc_bounds_of(choice))


def _asked(ask: Ask) -> Statistic:
    """The area, or the part of it that is asked for."""
    part = check_part(ask.take("max_fpr"), ask.take("recall_range"))
    method = check_choice(ask.take("method", "indirect"), METHODS, "method")
    return RocAuc(method) if part is None else PartialRocAuc(part, method)


register("roc_auc", _asked)


def raw_area(samples: TwoSamples) -> float:
    """AUC_pu, the uncorrected area of labelled positives against the comparison sample."""
    return _area(samples.heads)


def area_influence(heads: Heads, gap: float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Influence of each row on the corrected area through G and F: DeLong's placements over β − α."""
    above = (heads.pos[1:] + heads.pos[:-1]) / 2  # share of G above each row, ties half
    below = 1 - (heads.cmp[1:] + heads.cmp[:-1]) / 2  # share of F below each row, ties half
    return below / gap, above / gap


def _uncorrected_limits(setting: Setting) -> Limits:
    """Limits of AUC_pu."""
    samples = setting.samples
    below, above = area_influence(samples.heads)
    area = weighted_sum(np.diff(samples.heads.cmp), above)
    least = samples.total_pos / samples.total_cmp if samples.one_sample else 0.0
    low, high = linear_reaches(samples, below, above, setting.level, ((least, 1.0), (0.0, 1.0)))
    return area - low, area + high


def no_variance(name: str) -> Diagnostic:
    """PM107: nothing in the sample varies."""
    return Diagnostic(
        "PM107",
        f"the sampling variance of {name} came out as 0, because the rows are perfectly separated "
        "or all tied. The interval is then a conservative guess, not a measurement.",
    )


def no_bracket(table: ScoreTable, method: str) -> list[Diagnostic]:
    """PM606 if buckets leave the value of a projected curve open."""
    if table.hidden is None or method != "projected":
        return []
    return [
        Diagnostic(
            "PM606",
            "scores were put into buckets, and method='projected' has no bracket that is guaranteed to "
            "contain the exact value. Use method='indirect', or scan with a larger max_labelled.",
        )
    ]


_ENDS = ((1.0, 0.0), (0.0, 1.0))  # rows above and below all others
_SLACK = 1e-12


def area_range(setting: Setting, method: str, value: float) -> tuple[float, float]:
    """Smallest and largest area that biased labels allow, around the value and without sampling error."""
    blocks = setting.on_blocks()
    moved = 0.0 if blocks is setting else value - area_of(roc_curve_of, blocks, method)
    found = BiasedHeads(blocks, by_score=blocks is setting)
    low, high = (area_end(found, method, side) + moved for side in SIDES)
    return low, high


def area_end(found: BiasedHeads, method: str, side: str) -> float:
    """The smallest or the largest area of heads that are possible."""
    return area_of(roc_curve_of, found.setting, method, found.for_area(side))


def area_limits(points: Sequence[Setting]) -> list[float]:
    """Lower limits of the low ends and upper limits of the high ends, at several priors and purities."""
    blocks = points[0].on_blocks()
    moved = 0.0
    if blocks is not points[0]:
        moved = _area(points[0].heads) - _area(blocks.heads)
    ends = []
    for point in points:
        at = blocks.at(point.prior, point.purity)
        ends += [direct_area(biased_area_limit(at, side) + moved, point.gap) for side in SIDES]
    return ends


def biased_area_limit(setting: Setting, side: str) -> float:
    """The lower limit of the low end, or the upper limit of the high end, as an uncorrected area."""
    found, sign = BiasedHeads(setting), 1.0 if side == "high" else -1.0
    shares = free_tilt(found, found.placements, side)
    phi = np.concatenate([[0.0], np.cumsum(shares)])
    heads = found.with_hidden(phi)
    above = (heads.pos[1:] + heads.pos[:-1]) / 2
    reach = tilted_reach(found, found.placements, above, shares, side, _ENDS)
    free = sign * _area(heads)
    least, most = found.fits()
    if np.all(phi <= most + _SLACK) and np.all(phi >= least - _SLACK):
        return sign * (free + reach)
    fitting, loose = (
        sign * _area(found.by_heads(side, slack)) for slack in (0.0, normal_quantile(setting.level))
    )
    return sign * min(free + reach, fitting + combined_reach(reach, loose - fitting))


def direct_area(area: Any, gap: Any) -> Any:
    """Jain, Eq. (4), of numbers or of arrays; ``gap`` is β − α."""
    return (area - (1 - gap) / 2) / gap


def _area(heads: Heads) -> float:
    """The area under the straight lines through heads of G against heads of F."""
    return weighted_sum(np.diff(heads.cmp), heads.pos[1:] + heads.pos[:-1]) / 2
