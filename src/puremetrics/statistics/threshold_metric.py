"""Every metric of the confusion matrix at one threshold, with its interval.

A metric is a function of the two shares G and F at the threshold, at a prior and a purity. Its interval
carries Agresti–Coull limits of both shares through that function (`sampling.limits`), at every pair of
prior and purity that is possible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from puremetrics.auditing import Audit, Audited, audited_metric
from puremetrics.auditing.areas import Measured
from puremetrics.auditing.pairs import Paired, PairedMetric, Signs
from puremetrics.bounds.contingency import LatentChoice
from puremetrics.bounds.metrics import bounds_at_threshold
from puremetrics.checking.arguments import check_number, renamed
from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import SIDES, BiasedHeads, bias_interval, biased_rate
from puremetrics.correction.rates import corrected_rates, range_diagnostics, rate_errors
from puremetrics.exceptions import Diagnostic, InputError, UnsupportedError
from puremetrics.numerics.formulas import ALIASES, METRICS, Formula, at_own_risk, find_formula
from puremetrics.numerics.quantiles import small_sample
from puremetrics.results import Estimate, Interval
from puremetrics.sampling.clustered import at_threshold
from puremetrics.sampling.limits import recovered
from puremetrics.sampling.list_ranks import bracket_of, check_top
from puremetrics.sampling.uncertain import PriorByHead, Shared, limits_over
from puremetrics.setting import (
    RANDOM,
    PriorLike,
    PurityLike,
    Setting,
    TwoSamples,
    check_known_head,
    check_uncut,
)
from puremetrics.statistics.catalogue import Ask, estimate_from, find, register
from puremetrics.statistics.over_folds import fold_error_by_prior, fold_slope_by_prior
from puremetrics.statistics.statistic import (
    Centre,
    Influence,
    Limits,
    OfFormula,
    Statistic,
    errors_by_row,
)
from puremetrics.statistics.top_of_list import TopMetric
from puremetrics.tables.framing import takes_data
from puremetrics.tables.joint import JointTable
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from puremetrics.tables.folds import Folds

__all__ = ["ThresholdMetric", "metric", "metric_function", "metric_limits"]

OfShares = Callable[[FloatArray, FloatArray], FloatArray]
Biased = tuple[str, float] | None  # a side, and the threshold
Options = dict[str, float]


@renamed(name="statistic")
@takes_data  # type: ignore[arg-type]  # because of **options
def metric(
    table: ScoreTable,
    statistic: str,
    *,
    threshold: float | None = None,
    top: float | None = None,
    prior: PriorLike = None,
    purity: PurityLike = None,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    audit: Audit | None = None,
    prior_of: str = "population",
    evidence: Any = None,
    **options: float,
) -> Estimate:
    """Estimate any metric of the confusion matrix at one threshold or budget, with its interval.

    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives, and if the threshold was not chosen on these data.

    Parameters
    ----------
    table : ScoreTable
    statistic : str
        precision, recall, specificity, f1, fbeta (``beta=``), accuracy, balanced_accuracy, mcc,
        informedness, markedness, positive_likelihood_ratio, negative_likelihood_ratio, lift,
        expected_cost (``cost_fp=``, ``cost_fn=``), net_benefit (``threshold_probability=``, by default the
        threshold itself if it is a probability), npv, fpr, fnr, fdr, jaccard, cohen_kappa,
        geometric_mean, predicted_positive_rate, lee_liu (recall² / share predicted positive, in which the
        prior cancels if the labels are pure) or pseudo_f (F1 / prior).
    threshold : float
        Rows with ``score >= threshold`` are predicted positive.
    top : int or float
        In place of a threshold: the first so many rows of the population are, or such a share of them if
        it is a float up to 1. In case-control the population is the unlabeled rows. Rows tied at the end
        count in proportion (PM112). The interval knows that the last score was found on the same rows.
        Recall, fnr and lift then need no prior, as long as every label is right.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens the interval.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; a range widens the interval. Left out, it is that of
        the prior's estimate, if it has one.
    confidence_level : float, default 0.95
    label_bias, label_bias_side : float, default 1, and {"either", "high", "low"}
        How many times as likely to be labelled some positives may be as others; see `roc_auc`.
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

    Returns
    -------
    Estimate
        Its value is that of corrected rates moved into [0, 1], so that it fits the other metrics at the
        threshold; ``raw`` is what came out of the rates themselves. The interval carries Agresti–Coull limits
        of both samples' shares through the metric, and is cut to the range that the metric can take.
        Diagnostic PM101 says where values are outside by more than sampling error. ``bias_range`` is what
        biased labels leave open, without sampling error.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[4, 3, 2], unlabeled=[3, 2, 1, 0, 0], scenario="case_control")
    >>> round(float(metric(table, "precision", threshold=2, prior=0.2)), 3)
    0.5
    """
    found = find(statistic, options, threshold=threshold, top=top, metrics_only=True)
    return estimate_from(
        found, table, prior, purity, confidence_level, label_bias, label_bias_side, audit,
        prior_of, evidence,
    )  # fmt: skip


@dataclass(frozen=True)
class ThresholdMetric(OfFormula):
    """A metric of the confusion matrix at one threshold."""

    formula: Formula
    threshold: float
    options: Options = field(default_factory=dict)
    ranks_only = False
    interval_method = "agresti_coull_mover"
    of_rates = True

    @property
    def prior_free(self) -> bool:  # type: ignore[override]
        return self.formula.prior_free

    @property
    def order_ignores_prior(self) -> bool:  # type: ignore[override]
        return self.formula.prior_free

    def check(self, table: ScoreTable) -> None:
        check_uncut(table, "metric")

    def at(self, threshold: float) -> ThresholdMetric:
        """The metric at another threshold."""
        return replace(self, threshold=threshold)

    def place(self, table: ScoreTable) -> dict[str, float | None]:
        return {"threshold": self.threshold}

    @property
    def _unbounded(self) -> bool:
        return bool(np.isinf(self.high))

    def _shares(self, world: Setting) -> tuple[float, float]:
        """Shares of G and F that reach the threshold; halfway where a scan has merged scores around it."""
        around = world.rows.shares_around(self.threshold)
        g, f = ((least + most) / 2 for least, most in zip(*around, strict=True))
        return g, f

    def _raw(self, world: Setting, shares: tuple[float, float]) -> float:
        compute = metric_function(world, self.formula, self.options, possible=self._unbounded)
        return float(compute(*(np.array([share]) for share in shares))[0])

    def _possible(self, world: Setting, shares: tuple[float, float], raw: float) -> float:
        """The metric of rates that were moved into [0, 1], which fits the other metrics at the threshold."""
        compute = metric_function(world, self.formula, self.options, possible=True)
        value = float(compute(*(np.array([share]) for share in shares))[0])
        return self.inside(raw if np.isnan(value) else value)

    def value(self, world: Setting) -> float:
        shares = self._shares(world)
        raw = self._raw(world, shares)
        return raw if np.isnan(raw) else self._possible(world, shares, raw)

    def values_over(self, setting: Setting, priors: FloatArray, purities: FloatArray) -> FloatArray:
        heads = [np.array([share]) for share in self._shares(setting)]
        found, raw = (
            metric_function(setting, self.formula, self.options, (priors, purities), possible)(
                *heads
            )[:, 0]
            for possible in (True, self._unbounded)
        )
        return np.clip(np.where(np.isnan(found), raw, found), self.low, self.high)

    def slopes(self, world: Setting) -> tuple[float, float]:
        """Derivatives of the metric by the shares of G and F at the threshold."""
        compute = metric_function(world, self.formula, self.options)
        g, f = world.rows.shares_at(self.threshold)
        step = 1e-6
        at = compute(np.array([g + step, g - step, g, g]), np.array([f, f, f + step, f - step]))
        with np.errstate(invalid="ignore"):  # a ratio with an empty bottom
            return float(at[0] - at[1]) / (2 * step), float(at[2] - at[3]) / (2 * step)

    def influence(self, world: Setting) -> Influence:
        inside = (world.table.score >= self.threshold).astype(np.float64)
        by_pos, by_cmp = self.slopes(world)
        return by_pos * inside, by_cmp * inside

    def with_groups(self, setting: Setting) -> Setting:
        if setting.table.clusters is None:
            return setting
        return at_threshold(setting, self.threshold, self.slopes(setting))

    def centre(self, setting: Setting) -> Centre:
        samples = setting.rows
        around = samples.shares_around(self.threshold)
        g, f = self._shares(setting)
        raw = self._raw(setting, (g, f))
        remarks = []
        if self._unbounded:
            heads, known = (np.array([g]), np.array([f])), (setting.share, setting.purity)
            errors = rate_errors(*heads, *known, samples.sizes)
            remarks += range_diagnostics(*corrected_rates(*heads, *known), errors)
        if around[0] != around[1]:
            remarks.append(_between_cuts(setting.table, self.threshold))
        if np.isnan(raw):
            remarks.append(_undefined(self.formula, g, f, self.threshold))
            return Centre(raw, raw, remarks=tuple(remarks))
        return Centre(self._possible(setting, (g, f), raw), raw, remarks=tuple(remarks))

    def limits_at(self, world: Setting) -> Limits:
        return metric_limits(
            world, world.rows, self, self._shares(world), world.rows.sizes_at(self.threshold)
        )

    def limits(self, setting: Setting, centre: Centre) -> Limits:
        low, high = self.limits_at(setting.with_bias(RANDOM))  # over all worlds at once
        if setting.assumed.is_point:
            return low, high
        # Where rates are impossible, a value is moved, and may leave the limits of its own world.
        values = self.values_over(setting, *setting.assumed.arrays())
        places = values[[at for at, _ in setting.assumed.placed]]
        return float(np.fmin(low, np.fmin.reduce(places))), float(
            np.fmax(high, np.fmax.reduce(places))
        )

    def bracket(self, setting: Setting, centre: Centre) -> Interval | None:
        around = setting.rows.shares_around(self.threshold)
        if around[0] == around[1]:
            return None
        compute = metric_function(setting, self.formula, self.options, possible=self._unbounded)
        ends = _over_box(compute, around)
        return None if ends is None else bracket_of(*ends, centre.raw)

    def bias_range(self, setting: Setting, centre: Centre) -> Interval:
        """The metric at the lowest and at the highest true positive rate."""
        return _bias_range(setting, self, self._shares(setting), centre.value)

    def bias_limits(self, setting: Setting, centre: Centre, open_: Interval) -> list[float]:
        return list(self.limits_at(setting))

    def labelled_influence(self, joint: JointTable, name: str, world: Setting) -> FloatArray:
        inside = joint.scores[name] >= self.threshold
        return np.asarray(np.where(inside, self.slopes(world)[0], 0.0))

    def row_errors(self, joint: JointTable, name: str, world: Setting) -> FloatArray:
        """The derivative of the metric by each head, if the row is in the head."""
        return self._errors(joint, name, world, self.slopes(world), world.rows.sizes)

    def _errors(
        self,
        joint: JointTable,
        name: str,
        world: Setting,
        slopes: tuple[float, float],
        sizes: tuple[float, float],
    ) -> FloatArray:
        inside = np.where(joint.scores[name] >= self.threshold, 1.0, 0.0)
        totals = world.rows.total_pos, world.rows.total_cmp
        shares = world.rows.shares_at(self.threshold)
        via_pos, via_cmp = (
            slope * (inside - share) / total * small_sample(size)
            for slope, share, total, size in zip(slopes, shares, totals, sizes, strict=True)
        )
        return errors_by_row(joint, world, via_pos, via_cmp)

    # ---------------------------------------------------------------- folds: of the mean rates

    def fold_rows(self, folds: Folds, name: str, world: Setting) -> FloatArray:
        """The derivative at the mean rates, times how far a row is from the rate of its fold."""
        together = world.on(folds.decided(name, self.threshold))
        with np.errstate(invalid="ignore"):
            slopes = self.at(0.5).slopes(together)
        found = np.empty(folds.kind.size)
        for rows, joint in zip(folds.members, folds.joints, strict=True):
            own = world.on(joint.tables[name])
            sizes = own.rows.total_pos, own.rows.total_cmp
            found[rows] = self._errors(joint, name, own, slopes, sizes) / len(folds.names)
        return found

    def fold_mean(self, folds: Folds, name: str, world: Setting) -> float:
        table = folds.decided(name, self.threshold)
        return self.at(0.5).value(world.on(table))

    def over_folds(self, folds: Folds, name: str, setting: Setting) -> Estimate:
        """The metric of the rates averaged over folds."""
        table = folds.decided(name, self.threshold)
        found = self.at(0.5).estimate(setting.on(table))
        rows = self.fold_rows(folds, name, setting.at(setting.prior))
        error = float(np.sqrt(np.sum(rows**2)))
        if folds.units is not None and not folds.units.alone and found.design_effect is not None:
            error *= float(np.sqrt(found.design_effect))
        if setting.prior_drawn:
            slope = fold_slope_by_prior(self, folds, name, setting)
            error = float(np.hypot(error, fold_error_by_prior(setting, folds, rows, slope)))
        known = error if np.isfinite(error) else None  # not at a pole of the metric
        return replace(
            found, threshold=self.threshold, method="mean_over_folds", standard_error=known
        )

    def check_bias_over_folds(self, folds: Folds) -> None:
        for name in folds.scores:
            if folds.decided(name, self.threshold).has_propensities:
                raise UnsupportedError(
                    "label_bias needs folds that have the same share of labelled rows in a single training "
                    "set: other folds weigh labelled rows twice over. Use stratified folds of equal size, or "
                    "leave it out."
                )

    def of_fold_values(self, folds: Folds, found: Estimate, values: FloatArray) -> Estimate:
        """The mean of the folds' values, with the reach of the metric of the mean rates.

        The interval holds that metric's own, since the mean of the values is biased.
        """
        undefined = [folds.names[i] for i in np.flatnonzero(~np.isfinite(values))]
        if undefined:
            raise UnsupportedError(
                f"{found.title} is undefined or infinite in fold {undefined[0]!r}, and in {len(undefined)} "
                f"of {len(values)} folds, so there is no mean of the folds' values. Use average='rates', or "
                "larger folds."
            )
        value = float(np.mean(values))
        interval = found.interval
        if interval is None:
            return replace(found, value=value, raw=value)
        low = max(min(interval.low, value - (found.value - interval.low)), self.low)
        high = min(max(interval.high, value + (interval.high - found.value)), self.high)
        return replace(
            found, value=value, raw=value, interval=replace(interval, low=low, high=high)
        )

    # ---------------------------------------------------------------- checked rows, and bounds

    def audited(self, audited: Audited) -> Measured | None:
        found = audited_metric(audited, self.formula, self.options, self.threshold)
        return None if found is None else Measured(*found)

    def audited_pair(self, paired: Paired, signs: Signs) -> Measured:
        for table in paired.joint.tables.values():
            check_known_head(table, self.threshold)
        return PairedMetric(self.formula, self.options, self.threshold).of(paired, signs)

    def of_counts(self, tp: Any, fp: Any, fn: Any, tn: Any) -> FloatArray:
        return self.formula(tp, fp, fn, tn, **self.options)

    def bounds(self, choice: LatentChoice) -> Interval:
        return bounds_at_threshold(choice, (self.name,), self.threshold, self.options)[self.name]


def _asked(ask: Ask) -> Statistic:
    """The metric at a threshold, or of the first rows if a budget is given."""
    formula, options = find_formula(ask.name, ask.take_all())
    if check_place(ask, formula) == "top":
        return TopMetric(formula, check_top(ask.take_top()), options)
    at = check_number(ask.take_threshold(), "threshold")
    return ThresholdMetric(formula, at, at_own_risk(formula, options, at))


def check_place(ask: Ask, formula: Formula) -> str:
    """Which place is asked for; there must be one of both."""
    if (ask.threshold is None) == (ask.top is None):
        if ask.top is None:
            raise InputError(
                f"Neither threshold nor top was given, but {formula.name!r} is a metric of the confusion "
                "matrix: pass threshold=… for rows with at least that score, or top=… for that many rows "
                "from the top of the list."
            )
        raise InputError(
            "Both threshold and top were given. Pass threshold=… for rows with at least that score, or "
            "top=… for that many rows from the top of the list."
        )
    return "top" if ask.threshold is None else "threshold"


for _name in (*METRICS, *ALIASES):
    register(_name, _asked, metric=True, listed=_name in METRICS)


def _bias_range(
    setting: Setting, metric: ThresholdMetric, shares: tuple[float, float], value: float
) -> Interval:
    """The metric at the lowest and at the highest true positive rate that biased labels allow."""
    heads = np.array([shares[0]]), np.array([shares[1]])
    tpr = float(corrected_rates(*heads, setting.share, setting.purity)[0][0])
    found, inside = BiasedHeads(setting), setting.ranked.score >= metric.threshold
    hidden = _unlabeled_head(setting, metric.threshold, *shares)
    ends = []
    for side in SIDES:
        rate = np.array([found.rate_at(tpr, hidden, inside, side)])
        end = float(_of_rates(setting, metric.formula, metric.options, rate, heads[1])[0])
        ends.append(value if np.isnan(end) else metric.inside(end))
    return bias_interval(ends)


def _of_rates(
    setting: Setting, formula: Formula, options: Options, tpr: FloatArray, cmp: FloatArray
) -> FloatArray:
    """The metric at true positive rates, moved into [0, 1] with the false positive rates that follow."""
    fpr = np.clip((cmp - setting.share * tpr) / (1 - setting.share), 0.0, 1.0)
    tpr, prior = np.clip(tpr, 0.0, 1.0), setting.prior
    return formula(
        prior * tpr, (1 - prior) * fpr, prior * (1 - tpr), (1 - prior) * (1 - fpr), **options
    )


def _unlabeled_head(setting: Setting, threshold: float, pos: Any, cmp: Any) -> Any:
    """Share of the unlabeled that reach the threshold, as it follows from the other shares."""
    totals = setting.table.totals
    neg = setting.table.heads_at(threshold)[2] / totals[2] if totals[2] > 0 else 0.0
    return setting.design.unlabeled_head(totals, pos, cmp, neg)


def metric_function(
    setting: Setting,
    formula: Formula,
    options: Options,
    pairs: tuple[FloatArray, FloatArray] | None = None,
    possible: bool = False,
    biased: Biased = None,
) -> OfShares:
    """The metric as a function of the shares G and F at a threshold.

    With ``pairs`` of prior and purity, of shape (k,), values have one more axis in front, of length k.
    With ``possible`` rates are moved into [0, 1] first. A ratio of rates has a pole at 0: beyond it the
    sign flips, and limits must run to infinity instead. With ``biased``, a side and the threshold, it is the
    metric at the lowest or at the highest true positive rate that biased labels allow.
    """
    if pairs is None:
        prior, purity = np.array(setting.prior), np.array(setting.purity)
    else:
        prior, purity = (column[:, None] for column in pairs)
    share = setting.shares_of(prior, purity)

    def compute(pos: FloatArray, cmp: FloatArray) -> FloatArray:
        tpr, fpr = corrected_rates(pos, cmp, share, purity)
        if biased is not None:
            side, threshold = biased
            hidden = _unlabeled_head(setting, threshold, pos, cmp)
            tpr = biased_rate(setting, tpr, hidden, side, prior, purity)
            fpr = (cmp - share * tpr) / (1 - share)
        if possible:
            tpr, fpr = np.clip(tpr, 0.0, 1.0), np.clip(fpr, 0.0, 1.0)
        return formula(
            prior * tpr, (1 - prior) * fpr, prior * (1 - tpr), (1 - prior) * (1 - fpr), **options
        )

    return compute


def metric_limits(
    setting: Setting,
    samples: TwoSamples,
    metric: ThresholdMetric,
    shares: tuple[float, float],
    sizes: tuple[float, float] | None = None,
) -> Limits:
    """Limits of the metric over all that is possible."""
    formula, options = metric.formula, metric.options
    assumed, unbounded = setting.assumed, bool(np.isinf(formula.high))
    heads = [np.array([share]) for share in shares]
    sides = [None] if setting.bias.is_random else [None, *((s, metric.threshold) for s in SIDES)]
    with_prior = None if assumed.is_point else PriorByHead.of(setting)
    ends = []
    for biased in sides:
        compute = metric_function(setting, formula, options, assumed.arrays(), unbounded, biased)
        found = recovered(samples, compute, *shares, setting.level, sizes)
        middle = compute(*heads)[:, 0]
        span, whole = (metric.low, metric.high), len(sides) > 1
        shared: Shared = 0.0
        if with_prior is not None and not whole:
            shared = found.shared(with_prior.correlations(*shares))
        spreads = middle, found.low, found.high
        ends.append(limits_over(assumed, spreads, setting.level, shared, span, whole))
    low, high = np.fmin.reduce([end[0] for end in ends]), np.fmax.reduce([end[1] for end in ends])
    return float(np.where(np.isnan(low), np.inf, low)), float(
        np.where(np.isnan(high), -np.inf, high)
    )


def _over_box(compute: OfShares, around: list[tuple[float, float]]) -> tuple[float, float] | None:
    """Smallest and largest value between two heads: at the corners, and on a grid in between."""
    grids = [np.linspace(least, most, 17) for least, most in zip(*around, strict=True)]
    values = compute(*np.meshgrid(*grids))
    known = values[~np.isnan(values)]
    return (float(known.min()), float(known.max())) if known.size else None


def _between_cuts(table: ScoreTable, threshold: float) -> Diagnostic:
    """PM603: the scan has merged scores on both sides of the threshold."""
    place = int(np.searchsorted(-table.score, -threshold, side="right"))
    return Diagnostic(
        "PM603",
        f"the scan has merged the scores from {table.score[place]:g} to {table.highest[place]:g}, so how "
        f"many of them reach {threshold:g} is known only within limits. Use {table.score[place]:g} as the "
        "threshold for exact results.",
    )


def _undefined(formula: Formula, g: float, f: float, threshold: float) -> Diagnostic:
    """PM103: the metric has no value at this threshold."""
    if (g, f) in ((0, 0), (1, 1)):
        what = "no row" if g == 0 else "every row"
        why = f"where {what} is predicted positive. Choose a threshold inside the range of the scores."
    else:
        why = "where a corrected rate is negative. Try a smaller prior, or a threshold with more rows."
    return Diagnostic("PM103", f"{formula.name} is undefined at threshold {threshold:g}, {why}")
