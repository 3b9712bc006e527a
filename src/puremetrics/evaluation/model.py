"""Everything about one model: the figures of the first screen, and the rest when something asks for it.

Figures are computed when `evaluate` is called. Everything else, such as bounds, hull, calibration, curves
of discoveries and tipping points, is computed once, when first asked for; the numbers are the same
whichever comes first. With an audit the figures rest on the checked rows. Those of the correction, at the
prior that the audit gives, stay beside them (``if_random``): they are what sliders move, and a difference
between the two is what biased labels do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from puremetrics.auditing import Audited, confusion_of, hidden_positives
from puremetrics.bounds.areas import precision_area_bounds, roc_area_bounds
from puremetrics.bounds.contingency import LatentChoice
from puremetrics.bounds.curves import pr_bounds_of, roc_bounds_of
from puremetrics.bounds.metrics import bounds_along, bounds_at_threshold
from puremetrics.calibration.audited import audited_calibration
from puremetrics.calibration.bins import score_span
from puremetrics.calibration.error import calibration_of
from puremetrics.calibration.results import CalibrationResult
from puremetrics.checking.types import FloatArray
from puremetrics.comparing.sensitivity import (
    LabelBiasSensitivity,
    PriorSensitivity,
    sensitivity_of,
)
from puremetrics.comparing.threshold import choice_of
from puremetrics.comparing.threshold_choice import ThresholdChoice
from puremetrics.comparing.tipping import TippingPoint
from puremetrics.correction.curve_bands import with_band
from puremetrics.correction.hull import HullResult, hull_of
from puremetrics.evaluation.biased import HEADLINES, bias_curves, tipping_points
from puremetrics.evaluation.compact import Compact, compacted
from puremetrics.evaluation.figures import (
    AREAS,
    AT_THRESHOLD,
    HEADLINE_FIGURES,
    figure_of,
    figures_at,
)
from puremetrics.evaluation.narrowing import Narrowing, narrowing_of
from puremetrics.evaluation.showing import bounds_dict, model_dict, model_lines
from puremetrics.evaluation.trusting import (
    FigureTrust,
    Grade,
    graded,
    lowest_grade,
    tells_number,
)
from puremetrics.evidence import Joined, RandomLabels
from puremetrics.exceptions import Diagnostic, InputError, PuremetricsError, UnsupportedError
from puremetrics.numerics.formulas import METRICS, Formula
from puremetrics.results import (
    Columns,
    CurveBand,
    CurveBounds,
    Estimate,
    Interval,
    Result,
    Trust,
    json_ready,
)
from puremetrics.sampling.list_ranks import check_top
from puremetrics.setting import Setting
from puremetrics.statistics.catalogue import find
from puremetrics.statistics.discoveries import DiscoveryCurve, discovery_of
from puremetrics.statistics.label_ranking import (
    lee_liu,
    mean_f1,
    mean_mutual_information,
    mean_pearson,
    pulp,
)
from puremetrics.statistics.statistic import Statistic
from puremetrics.statistics.worlds import audited_estimate, joined_estimate
from puremetrics.tables.score_table import ScoreTable

__all__ = ["ENTRIES", "Bounded", "ConfusionMatrix", "ModelEvaluation", "Wanted", "checked_rows"]

_PRIOR_FREE = {
    "pulp": pulp,
    "lee_liu": lee_liu,
    "mean_f1": mean_f1,
    "mean_mutual_information": mean_mutual_information,
    "mean_pearson": mean_pearson,
}
_IF_RANDOM = ("lee_liu",)  # of these, what takes labels as random
_PRIORS = 5  # over all that are possible
_TOLD = 100.0  # unlabeled rows
_RESAMPLES = 200  # show well enough what choosing the threshold costs
COUNT_WORDS = {
    "tp": "true positives",
    "fp": "false positives",
    "fn": "missed positives",
    "tn": "true negatives",
}
ENTRIES = tuple(COUNT_WORDS)


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionMatrix(Result):
    """Estimated counts at the operating point, in the population of the scenario.

    Attributes
    ----------
    threshold : float
    tp, fp, fn, tn : float
        Corrected counts, moved into their range where the prior is too high or the sample too small.
    bounds : dict of str to Interval
        What each count can be whichever unlabeled rows are positive; empty where bounds do not exist.
    likely : dict of str to Interval
        What each count is over the range of the prior and the purity, sampling error left aside.
    """

    threshold: float
    tp: float
    fp: float
    fn: float
    tn: float
    bounds: dict[str, Interval]
    diagnostics: tuple[Diagnostic, ...] = ()
    likely: dict[str, Interval] = field(default_factory=dict)

    def frame(self) -> Columns:
        """Return one row for each entry: count, and its bounds where there are some."""
        ends = [tuple(self.bounds[n]) if n in self.bounds else (np.nan, np.nan) for n in ENTRIES]
        low, high = np.array(ends).T
        counts = np.array([getattr(self, name) for name in ENTRIES])
        return {"entry": np.array(ENTRIES), "count": counts, "low": low, "high": high}

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, ready for JSON."""
        counts = {name: getattr(self, name) for name in ENTRIES}
        spans = {"bounds": bounds_dict(self.bounds), "likely": bounds_dict(self.likely)}
        found = {"threshold": self.threshold, **counts, **spans}
        ready: dict[str, Any] = json_ready(found)
        return ready

    def __str__(self) -> str:
        return self.words()

    def words(self, ranged: bool = False) -> str:
        """Return the counts in one line, or the ranges that are likely in their place."""
        parts = []
        for name, word in COUNT_WORDS.items():
            bound = self.bounds.get(name)
            ends = "" if bound is None else f" ({bound.low:.0f} to {bound.high:.0f})"
            shown = f"{getattr(self, name):.0f}"
            if ranged and name in self.likely:
                shown, ends = f"{self.likely[name].low:.0f} to {self.likely[name].high:.0f}", ""
            parts.append(f"{shown} {word}{ends}")
        return ", ".join(parts)


@dataclass(frozen=True)
class Bounded:
    """All bounds of one model, from one band; ``choice`` is what they were made from."""

    intervals: dict[str, Interval]
    roc: CurveBounds | None
    precision_recall: CurveBounds | None
    choice: LatentChoice | None = field(compare=False)

    def along(
        self, table: ScoreTable, statistics: Sequence[str]
    ) -> dict[str, tuple[FloatArray, FloatArray]]:
        """Bounds of metrics and counts at every row of the cut table; nothing without bounds."""
        return {} if self.choice is None else bounds_along(self.choice, table, statistics)


@dataclass(frozen=True)
class Wanted:
    """What is asked of every model of an evaluation.

    Attributes
    ----------
    threshold : float or None
        Operating point; None to choose the one that is best for ``objective``.
    objective : Formula
    also : tuple of Statistic or str
        Further figures; a metric by its name is told at the operating point.
    rng : int or Generator
        Of the choice.
    limit : float or None
        The largest prior that the data allow.
    choice : LatentChoice or None
        What decides bounds, if there are any.
    possible : tuple of float or None
        The ends between which an estimated prior is certain to lie.
    rows : float or None
        Unlabeled rows of which it is told what checking them would find.
    labels_stated : bool
        Whether somebody said how labels were given, not only took them as random for want of better.
    told_rows : bool
        Whether somebody asked what checking ``rows`` would find.
    """

    threshold: float | None
    objective: Formula
    also: tuple[Statistic | str, ...] = ()
    rng: Any = 0
    limit: float | None = None
    choice: LatentChoice | None = None
    possible: tuple[float, float] | None = None
    rows: float | None = None
    labels_stated: bool = False
    told_rows: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class ModelEvaluation(Result):
    """Everything about one model.

    ``corrected`` are its figures. With an audit they rest on the checked rows, and so does ``calibration``;
    ``if_random`` and ``calibration_if_random`` are what follows if labels are a random sample of positives.
    ``model["roc_auc"]`` is a figure by name.
    """

    name: str
    table: ScoreTable = field(repr=False)
    trust: Trust
    setting: Setting = field(compare=False)
    wanted: Wanted = field(compare=False)
    remarks: tuple[Diagnostic, ...] = ()
    audited: Audited | None = field(default=None, compare=False)
    joined: Joined | None = field(default=None, compare=False)

    parts: ClassVar[tuple[str, ...]] = (
        "operating_point", "corrected", "naive", "if_random", "bounds", "prior_free", "hull",
        "calibration", "calibration_if_random", "confusion", "sensitivity", "narrowing", "certain",
        "tipping", "discovery", "bands", "diagnostics",
    )  # fmt: skip

    # ---------------------------------------------------------------- the first screen

    @cached_property
    def operating_point(self) -> ThresholdChoice | None:
        """The threshold that is best for the objective; None if one was given, or none can be chosen."""
        if self.wanted.threshold is not None or not self.table.whole:
            return None
        told = [METRICS[key] for key in AT_THRESHOLD]
        return choice_of(
            self.setting, self.wanted.objective, {}, n_resamples=_RESAMPLES, rng=self.wanted.rng,
            also=told,
        )  # fmt: skip

    @cached_property
    def threshold(self) -> float | None:
        """The operating point that figures are told at."""
        if self.operating_point is None:
            return self.wanted.threshold
        chosen = self.operating_point.threshold
        return chosen if np.isfinite(chosen) else None

    @cached_property
    def statistics(self) -> dict[str, Statistic]:
        """The statistics behind the figures, by name."""
        return {
            **figures_at(self.threshold),
            **self.further,
        }

    @cached_property
    def further(self) -> dict[str, Statistic]:
        """The statistics that were asked for beside the usual figures, by name; metrics at the threshold.

        Where several have one name, or that of a usual figure, their place is part of it.
        """
        usual = figures_at(self.threshold)
        found: dict[str, Statistic] = {}
        for asked in self.wanted.also:
            figure = figure_of(asked, self.threshold) if isinstance(asked, str) else asked
            if figure is None or (isinstance(asked, str) and asked in usual):
                continue
            place = "".join(f" {key} {at:g}" for key, at in figure.place(self.table).items() if at)
            taken = figure.name in usual or figure.name in found
            found[f"{figure.name}{place if taken else ''}"] = figure
        return found

    @cached_property
    def modelled(self) -> dict[str, Estimate]:
        """Figures that follow from random labels and the prior: what sliders move."""
        chosen = {} if self.operating_point is None else self.operating_point.metrics
        return {
            key: chosen[key] if key in chosen else figure.estimate(self.setting)
            for key, figure in self.statistics.items()
        }

    @cached_property
    def corrected(self) -> dict[str, Estimate]:
        """The figures."""
        if self.audited is None and self.joined is None:
            return self.modelled
        found = {}
        for key, figure in self.statistics.items():
            with suppress(UnsupportedError):  # checked rows, or evidence, do not tell it
                if self.audited is not None:
                    found[key] = audited_estimate(figure, self.audited)
                elif self.joined is not None:
                    found[key] = joined_estimate(figure, self.joined)
        return found

    @property
    def takes_random_labels(self) -> bool:
        """Whether figures rest on labels that are a random sample of the positives."""
        if self.joined is not None:
            return any(isinstance(kind, RandomLabels) for kind in self.joined.evidence)
        return self.audited is None

    @cached_property
    def if_left_out(self) -> dict[str, dict[str, Estimate]]:
        """Where evidence contradicts itself: headline figures without each kind that may be wrong."""
        if self.joined is None or not self.joined.disagreements:
            return {}
        every = [kind.title for kind in self.joined.evidence]
        found: dict[str, dict[str, Estimate]] = {}
        for part in self.joined.consistent:
            left = [title for title in every if title not in [k.title for k in part.evidence]]
            figures = {name: self.statistics[name] for name in HEADLINE_FIGURES}
            found[" and ".join(left)] = {
                name: joined_estimate(figure, part) for name, figure in figures.items()
            }
        return found

    @property
    def if_random(self) -> dict[str, Estimate]:
        """With an audit: the figures that follow if labels are random; else empty."""
        return {} if self.audited is None else self.modelled

    @cached_property
    def naive(self) -> dict[str, Estimate]:
        """The figures with every unlabeled row taken as negative."""
        setting = Setting.naive(self.table, self.setting.level)
        return {key: figure.estimate(setting) for key, figure in self.statistics.items()}

    def __getitem__(self, figure: str) -> Estimate:
        """A figure by name, the calibration error, or a measure that needs no prior."""
        if figure in self.corrected:
            return self.corrected[figure]
        others = dict(self.prior_free)
        if self.calibration is not None:
            error = self.calibration.estimate()
            others[error.name] = error
        if figure not in others:
            known = ", ".join([*self.corrected, *others])
            raise InputError(f"There is no figure {figure!r} of {self.name!r}. There are: {known}.")
        return others[figure]

    @cached_property
    def headlines(self) -> dict[str, Estimate]:
        """The figures that the verdict is about: what an audit was planned for, then the usual ones."""
        target = None if self.audited is None else self.audited.audit.target
        names = dict.fromkeys([*([target] if target else []), *HEADLINE_FIGURES])
        found = {name: self.corrected[name] for name in names if name in self.corrected}
        return {name: each for name, each in found.items() if np.isfinite(each.value)}

    @cached_property
    def graded(self) -> dict[str, FigureTrust]:
        """How far each headline figure can be trusted, and what it rests on."""
        return graded(self, self.headlines)

    def is_told(self, figure: str) -> bool:
        """Whether a figure is told as a number, and not by its interval alone."""
        return tells_number(self, figure)

    @cached_property
    def grade(self) -> Grade:
        """How far the model's figures can be trusted: "high", "good", "fair", "low", or "none".

        It is that of the worst headline figure. With an audit it is that of the figures that the audit was
        able to tell, and of the one it was planned for.
        """
        if self.trust.level == "contradicted":
            return "none"
        found = self.graded
        if self.audited is not None:
            told = {name: one for name, one in found.items() if one.is_known}
            lead = next(iter(found.items()), None)
            if lead is not None and (self.audited.audit.target is not None or not told):
                told |= dict([lead])
            found = told
        return lowest_grade(found)

    @cached_property
    def narrowing(self) -> Narrowing:
        """Where the width of the area's interval comes from, and what more data would buy."""
        return narrowing_of(self.setting, self.modelled["roc_auc"])

    @cached_property
    def tipping(self) -> dict[str, TippingPoint]:
        """How biased labels must be for the headlines to fail; nothing overturns what was checked."""
        beside = self.audited is not None or self.joined is not None
        if self.trust.level == "contradicted" or beside:
            return {}
        return tipping_points(self.setting, self.threshold)

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:  # type: ignore[override]
        """Each kind of remark once."""
        seen = {remark.code: remark for remark in self.remarks if remark.code == "PM606"}
        figures = self.modelled if self.joined is None else self.corrected
        told = [d for estimate in figures.values() for d in estimate.diagnostics]
        checked = () if self.audited is None else self.audited.diagnostics
        for remark in (*told, *self.remarks, *checked):
            seen.setdefault(remark.code, remark)
        return tuple(seen.values())

    # ---------------------------------------------------------------- when asked for

    @cached_property
    def bounded(self) -> Bounded:
        """All bounds, from one band; none with evidence, since they take labels as random."""
        choice = None if self.joined is not None else self.wanted.choice
        return _bounded(None if choice is None else choice.on(self.setting), self.threshold)

    @property
    def bounds(self) -> dict[str, Interval]:
        """What each figure is whichever unlabeled rows are positive."""
        return {k: bound for k, bound in self.bounded.intervals.items() if k not in ENTRIES}

    @cached_property
    def prior_free(self) -> Mapping[str, Estimate]:
        """Measures of the ranking that need no prior."""
        with suppress(UnsupportedError):
            level = self.setting.level
            return {
                name: measure(self.table, confidence_level=level)
                for name, measure in _PRIOR_FREE.items()
                if name not in _IF_RANDOM or self.joined is None
            }
        return {}

    @cached_property
    def hull(self) -> HullResult:
        """The ROC convex hull."""
        return hull_of(self.setting.at(self.setting.prior))

    @cached_property
    def modelled_calibration(self) -> CalibrationResult | None:
        """The calibration error that follows from random labels and the prior; None of other scores."""
        low, high = score_span(self.table)
        if self.joined is not None and not self.takes_random_labels:
            return None
        if low >= 0 and high <= 1 and high > low and not self.table.is_cut:
            with suppress(UnsupportedError):
                return calibration_of(self.setting)
        return None

    @cached_property
    def calibration(self) -> CalibrationResult | None:
        """The calibration error; None if scores are not probabilities."""
        if self.audited is None or self.modelled_calibration is None:
            return self.modelled_calibration
        return audited_calibration(self.audited)

    @property
    def calibration_if_random(self) -> CalibrationResult | None:
        """With an audit: the calibration error if labels are random; else None."""
        return None if self.audited is None else self.modelled_calibration

    @cached_property
    def confusion(self) -> ConfusionMatrix | None:
        """Counts at the operating point."""
        if self.threshold is None:
            return None
        found = _confusion(self.setting, self.threshold, self.bounded.intervals)
        if self.joined is not None:
            tp, fp, fn, tn = self.joined.counts(self.threshold)
            return replace(found, tp=tp, fp=fp, fn=fn, tn=tn, bounds={}, likely={})
        return found if self.audited is None else _audited_confusion(self.audited, found)

    @cached_property
    def sensitivity(self) -> PriorSensitivity:
        """The ROC area around the prior."""
        setting, limit = self.setting, self.wanted.limit
        around = [setting.at(prior) for prior in _nearby_priors(setting)]
        largest = setting.design.prior_limits(self.table.totals, setting.purity)[1]
        return sensitivity_of(
            around, self.statistics["roc_auc"], largest if limit is None else limit
        )

    def bias_curves(self, figures: Sequence[str] = HEADLINES) -> dict[str, LabelBiasSensitivity]:
        """Headline figures over the label bias, computed once; none where no bias can overturn them."""
        known: dict[str, LabelBiasSensitivity] = self.__dict__.setdefault("_bias_curves", {})
        missing = [name for name in figures if name not in known]
        if missing:
            known |= bias_curves(self, missing)
        return {name: known[name] for name in figures if name in known}

    @cached_property
    def certain(self) -> dict[str, Interval]:
        """What each figure is over all priors that are certain to be possible, with its sampling error."""
        if self.wanted.possible is None:
            return {}
        return _over_priors(self.setting, self.wanted.possible, self.statistics, self.modelled)

    @cached_property
    def discovery(self) -> DiscoveryCurve | None:
        """How many positives the best unlabeled rows hold if labels are random."""
        rows = self.wanted.rows
        if rows is None or self.trust.level == "contradicted" or self.joined is not None:
            return None
        return discovery_of(self.setting, np.array([rows]))

    @property
    def discovery_rows(self) -> float | None:
        """Unlabeled rows of which it is told what checking them would find."""
        return self.wanted.rows

    @property
    def discoveries(self) -> str:
        """What checking the best unlabeled rows would find if labels are random; empty if it is not known."""
        if self.discovery is None or self.discovery_rows is None:
            return ""
        return self.discovery.words(self.discovery_rows)

    @cached_property
    def bands(self) -> dict[str, CurveBand]:
        """Confidence bands of both curves, at each point; none where rows have two weights."""
        found = {}
        for key in AREAS:
            curve = self.modelled[key].curve
            with suppress(UnsupportedError):
                band = None if curve is None else with_band(self.setting, curve, "pointwise").band
                if band is not None:
                    found[key] = band
        return found

    # ---------------------------------------------------------------- handing on

    def frame(self) -> Columns:
        """Return one row for each metric: naive, corrected, interval and bounds."""
        rows = []
        for key, estimate in self.corrected.items():
            bound = self.bounds.get(key) or (np.nan, np.nan)
            rows.append(
                (self.naive[key].value, estimate.value, estimate.low, estimate.high, *bound)
            )
        names = ("naive", "corrected", "low", "high", "bound_low", "bound_high")
        columns = dict(zip(names, np.array(rows).T, strict=True))
        return {"metric": np.array(list(self.corrected)), **columns}

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        ready: dict[str, Any] = json_ready(model_dict(self))
        return ready

    def compact(self, limit: int, thorough: bool = True) -> Compact:
        """The counts in at most so many rows, for a page that computes by itself (`compacted`)."""
        return compacted(self.setting, limit, thorough)

    def __str__(self) -> str:
        return "\n".join(model_lines(self, self.setting.level))

    def _told(self) -> list[str]:
        return model_lines(self, self.setting.level, table=False)


def checked_rows(top: object, table: ScoreTable) -> float | None:
    """How many unlabeled rows it is told of; None if there are none, or none can be told apart."""
    if table.total_unl == 0 or (table.has_propensities and table.design.one_sample):
        if top is not None:
            raise UnsupportedError(
                "top=… asks what checking unlabeled rows would find, and there are none, or propensities "
                "leave it open in a single training set. Leave out top."
            )
        return None
    if top is None:
        return min(_TOLD, table.total_unl)
    rows = check_top(top)
    return rows.rows_of(table.total_unl)


def _over_priors(
    setting: Setting,
    ends: tuple[float, float],
    figures: Mapping[str, Statistic],
    told: Mapping[str, Estimate],
) -> dict[str, Interval]:
    """What each figure is over all priors that are certain to be possible, with its sampling error there."""
    priors = np.linspace(*ends, _PRIORS)
    purities = np.full(_PRIORS, setting.purity)
    found = {}
    for key, estimate in told.items():
        values = np.append(figures[key].values_over(setting, priors, purities), estimate.value)
        known = [float(value) for value in values[np.isfinite(values)]]
        for prior in (ends[0], float(np.mean(ends)), ends[1]):
            with suppress(PuremetricsError):
                known += figures[key].estimate(setting.at(prior)).interval or ()
        known += estimate.interval or ()
        if known:
            ends_here = min(known), max(known)
            found[key] = Interval(*ends_here, setting.level, "combined", "prior_range")
    return found


def _bounded(choice: LatentChoice | None, threshold: float | None) -> Bounded:
    """Bounds of everything, from one band."""
    if choice is None:
        return Bounded({}, None, None, None)
    try:
        roc = roc_bounds_of(choice)
        pr = pr_bounds_of(choice, roc)
        intervals = {
            "roc_auc": roc_area_bounds(roc),
            "average_precision": precision_area_bounds(choice, pr),
        }
    except PuremetricsError:
        return Bounded({}, None, None, None)
    with suppress(PuremetricsError):
        if threshold is not None:
            names = (*AT_THRESHOLD, *ENTRIES)
            intervals |= bounds_at_threshold(choice, names, threshold)
    return Bounded(intervals, roc, pr, choice)


def _confusion(
    setting: Setting, threshold: float, bounds: Mapping[str, Interval]
) -> ConfusionMatrix:
    """Counts from the corrected rates at the operating point, their bounds, and ranges over the prior."""
    pairs = np.array([(setting.prior, setting.purity), *setting.assumed.pairs])
    recall, specificity = (
        find(name, threshold=threshold).values_over(setting, *pairs.T)
        for name in ("recall", "specificity")
    )
    size = setting.population_size
    positive, negative = pairs[:, 0] * size, (1 - pairs[:, 0]) * size
    found = np.where(positive > 0, positive * recall, 0.0)  # without positives there is no recall
    spared = np.where(negative > 0, negative * specificity, 0.0)
    counts = np.stack([found, negative - spared, positive - found, spared])
    tp, fp, fn, tn = counts[:, 0].tolist()
    ranges = zip(ENTRIES, counts.min(axis=1), counts.max(axis=1), strict=True)
    return ConfusionMatrix(
        threshold,
        tp,
        fp,
        fn,
        tn,
        bounds={name: bounds[name] for name in ENTRIES if name in bounds},
        likely={
            name: Interval(float(low), float(high), 1.0, "identification", "prior_range")
            for name, low, high in ranges
        },
    )


def _nearby_priors(setting: Setting) -> list[float]:
    """Priors from half to one and a half times the one used, as far as they are possible."""
    known, table = setting.assumed, setting.table
    low, high = setting.design.prior_limits(table.totals, known.purity)
    high = min(high, 0.98 * known.purity)
    ends = max(0.5 * known.value, low), min(max(1.5 * known.value, known.high), high)
    if table.total_unl == 0 or ends[0] >= ends[1]:
        return [known.value]
    return [float(prior) for prior in np.linspace(ends[0], ends[1], 9)]


def _audited_confusion(audited: Audited, confusion: ConfusionMatrix) -> ConfusionMatrix:
    """The confusion matrix with the positives that the audit found on both sides of the threshold."""
    above, below = hidden_positives(audited, confusion.threshold)
    purity = audited.purity[0]
    tp, fp, fn, tn = confusion_of(audited, above, below, above.value, below.value, purity)
    return replace(
        confusion, tp=float(tp), fp=float(fp), fn=float(fn), tn=float(tn), bounds={}, likely={}
    )
