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

Errata: the caption of Figure 4 gives AUC_pu = 0.80 for (α, β, AUC) = (0.25, 0.75, 0.90); Eq. (4) gives
0.70.
"""

from __future__ import annotations

import numpy as np

from puremetrics.auditing import Audit, Audited, audited_area, check_alone
from puremetrics.checking.arguments import check_choice
from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import bias_interval
from puremetrics.correction.biased_area import area_limits, area_range, direct_area
from puremetrics.correction.curves import METHODS, area_of, banded, roc_curve_of
from puremetrics.correction.partial import check_part, partial_estimate
from puremetrics.exceptions import Diagnostic, UnsupportedError
from puremetrics.numerics.formulas import Formula
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Estimate, Interval
from puremetrics.sampling.bounded import linear_reaches
from puremetrics.sampling.clustered import robust
from puremetrics.sampling.limits import LinearVariance, bounded_interval, linear_variance
from puremetrics.sampling.list_ranks import bracket_of, extreme_orders, widened
from puremetrics.setting import Heads, PriorLike, PurityLike, Setting, TwoSamples
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "area_estimate",
    "area_influence",
    "direct_area",
    "no_bracket",
    "no_variance",
    "raw_area",
    "roc_auc",
    "without_variance",
]

_AUC = Formula("roc_auc", "ROC AUC", 0.0, 1.0, np.asarray)


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
    part = check_part(max_fpr, recall_range)
    if audit is not None:
        check_alone(prior, label_bias)
        if part is not None:
            raise UnsupportedError(
                "Partial areas of an audit are not known here. Leave out audit, or max_fpr and recall_range."
            )
        return audited_area(Audited.of(table, audit, purity, confidence_level))
    setting = Setting.of(table, prior, purity, confidence_level, label_bias, label_bias_side)
    checked = check_choice(method, METHODS, "method")
    if part is not None:
        return partial_estimate(setting, part, checked)
    return area_estimate(setting, checked)


def area_estimate(setting: Setting, method: str = "indirect") -> Estimate:
    """The area of a setting, with its curve and interval."""
    setting = robust(setting, *area_influence(setting.heads))
    curve = banded(setting, roc_curve_of, method, in_blocks=True)
    uncorrected, variance, limits = _uncorrected_area(setting)
    ends = [direct_area(end, gap) for end in limits for gap in setting.gaps]
    value = curve.area
    ends += [area_of(roc_curve_of, point, method) for point in _extremes(setting)]
    biased = None
    if not setting.bias.is_random:
        biased = bias_interval(area_range(setting, method, value))
        ends += [biased.low, biased.high, *area_limits([setting, *_extremes(setting)])]
    remarks = [*curve.diagnostics, *setting.samples.few_positives()]
    remarks += no_bracket(setting.ranked, method)
    if variance.total == 0.0:
        remarks.append(no_variance(_AUC.name))
    bracket = _area_bracket(setting, method, value)
    low, high = widened((min(*ends, value), max(*ends, value)), value, bracket)
    interval, out_of_range = bounded_interval(setting, _AUC, value, low, high, "placements_beta")
    if method == "direct":  # as the formula gives it
        ends_here = min(interval.low, value), max(interval.high, value)
        interval = setting.interval(*ends_here, interval.method)
    return Estimate(
        name=_AUC.name,
        title=_AUC.title,
        value=value,
        interval=interval,
        standard_error=setting.standard_error(float(np.sqrt(variance.total))) / setting.gap,
        method=method,
        scenario=setting.scenario,
        prior=setting.prior,
        unlabeled_share=setting.unlabeled_share,
        purity=setting.purity,
        curve=curve,
        diagnostics=(*setting.diagnostics, *remarks, *out_of_range),
        bracket=bracket,
        raw=direct_area(uncorrected, setting.gap),
        label_bias=setting.bias.most,
        bias_range=biased,
        n_groups=setting.n_groups,
        design_effect=setting.design_effect,
    )


def _extremes(setting: Setting) -> list[Setting]:
    """The setting at the smallest and at the largest gap; nothing if both are known."""
    if setting.assumed.is_point:
        return []
    priors, purities = setting.assumed.arrays()
    gaps = purities - setting.shares_of(priors)
    pairs = [setting.assumed.pairs[int(place(gaps))] for place in (np.argmin, np.argmax)]
    return [setting.at(*pair) for pair in pairs]


def raw_area(samples: TwoSamples) -> float:
    """AUC_pu, the uncorrected area of labelled positives against the comparison sample."""
    heads = samples.heads
    return weighted_sum(np.diff(heads.cmp), heads.pos[1:] + heads.pos[:-1]) / 2


def area_influence(heads: Heads, gap: float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Influence of each row on the corrected area through G and F: DeLong's placements over β − α."""
    above = (heads.pos[1:] + heads.pos[:-1]) / 2  # share of G above each row, ties half
    below = 1 - (heads.cmp[1:] + heads.cmp[:-1]) / 2  # share of F below each row, ties half
    return below / gap, above / gap


def _uncorrected_area(setting: Setting) -> tuple[float, LinearVariance, tuple[float, float]]:
    """AUC_pu, its variance and its limits."""
    samples = setting.samples
    below, above = area_influence(samples.heads)
    area = weighted_sum(np.diff(samples.heads.cmp), above)
    least = samples.total_pos / samples.total_cmp if samples.one_sample else 0.0
    low, high = linear_reaches(samples, below, above, setting.level, ((least, 1.0), (0.0, 1.0)))
    return area, linear_variance(samples, below, above), (area - low, area + high)


def without_variance(setting: Setting, value: float) -> tuple[float, float]:
    """Limits where all rows agree: n alike are not yet surprising if a share up to 1 − doubt differs."""
    doubt = ((1 - setting.level) / 2) ** (1 / min(setting.samples.sizes))
    return value * doubt, 1 - (1 - value) * doubt


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
            "scores were put into buckets, and method='projected' has no bracket that is sure to contain "
            "the exact value. Use method='indirect', or scan with a larger max_labelled.",
        )
    ]


def _area_bracket(setting: Setting, method: str, value: float) -> Interval | None:
    """Between the areas of the two extreme orders inside buckets; see `sampling.list_ranks`.

    The projection is no pointwise repair, and nothing is certain about it.
    """
    if setting.ranked.hidden is None or method == "projected":
        return None
    ends = [
        area_of(roc_curve_of, setting, method, TwoSamples(order).heads)
        for order in extreme_orders(setting.ranked)
    ]
    return bracket_of(min(ends), max(ends), value)
