"""What `evaluate` returns: frozen records that show themselves as a page, JSON, columns or HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from puremetrics.bounds.contingency import LatentChoice
from puremetrics.bounds.metrics import bounds_along
from puremetrics.calibration.results import CalibrationResult
from puremetrics.checking.types import FloatArray
from puremetrics.comparing.comparison import Comparison
from puremetrics.comparing.drifting import Drift
from puremetrics.comparing.ranges import ModelRanking
from puremetrics.comparing.sensitivity import PriorSensitivity
from puremetrics.comparing.threshold_choice import ThresholdChoice
from puremetrics.comparing.tipping import TippingPoint
from puremetrics.correction.hull import HullResult
from puremetrics.evaluation.compact import Compact, compacted
from puremetrics.evaluation.exporting import csv_text, latex_table, markdown_table, paper_sentence
from puremetrics.evaluation.narrowing import Narrowing
from puremetrics.evaluation.page import model_lines, page_lines
from puremetrics.evaluation.plain import bounds_dict, model_dict, trust_dict, verdict_dict
from puremetrics.evaluation.short_page import short_lines
from puremetrics.evaluation.verdict import Verdict, verdict_of
from puremetrics.exceptions import Diagnostic
from puremetrics.listing.discovery import DiscoveryCurve
from puremetrics.results import (
    Columns,
    CurveBand,
    CurveBounds,
    Estimate,
    Interval,
    PriorEstimate,
    Result,
    Trust,
    json_ready,
)
from puremetrics.setting import Assumed, Setting
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "ENTRIES",
    "SCHEMA_VERSION",
    "Bounded",
    "ConfusionMatrix",
    "Evaluation",
    "ModelEvaluation",
]

SCHEMA_VERSION = 1
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


@dataclass(frozen=True, eq=False, repr=False)
class ModelEvaluation(Result):
    """Everything about one model.

    ``corrected`` are its figures. With an audit they rest on the checked rows, and so does ``calibration``;
    ``if_random`` and ``calibration_if_random`` are what follows if labels are a random sample of positives.
    """

    name: str
    table: ScoreTable = field(repr=False)
    naive: dict[str, Estimate]
    corrected: dict[str, Estimate]
    bounds: dict[str, Interval]
    prior_free: Mapping[str, Estimate]
    hull: HullResult
    calibration: CalibrationResult | None
    operating_point: ThresholdChoice | None
    confusion: ConfusionMatrix | None
    sensitivity: PriorSensitivity
    narrowing: Narrowing
    diagnostics: tuple[Diagnostic, ...]
    bounded: Bounded
    setting: Setting = field(compare=False)
    trust: Trust
    certain: dict[str, Interval] = field(default_factory=dict)
    tipping: dict[str, TippingPoint] = field(default_factory=dict)
    if_random: dict[str, Estimate] = field(default_factory=dict)
    calibration_if_random: CalibrationResult | None = None
    discovery: DiscoveryCurve | None = None
    discovery_rows: float | None = None
    bands: dict[str, CurveBand] = field(default_factory=dict)

    @property
    def discoveries(self) -> str:
        """What checking the best unlabeled rows would find if labels are random; empty if it is not known."""
        if self.discovery is None or self.discovery_rows is None:
            return ""
        return self.discovery.words(self.discovery_rows)

    @property
    def modelled_calibration(self) -> CalibrationResult | None:
        """The calibration error that follows from random labels and the prior."""
        return self.calibration_if_random or self.calibration

    @property
    def modelled(self) -> dict[str, Estimate]:
        """Figures that follow from random labels and the prior: what sliders move."""
        return self.if_random or self.corrected

    def frame(self) -> Columns:
        """Return one row for each metric: naive, corrected, interval and bounds."""
        rows = []
        for key, estimate in self.corrected.items():
            low, high = estimate.interval or (np.nan, np.nan)
            bound = self.bounds.get(key) or (np.nan, np.nan)
            rows.append((self.naive[key].value, estimate.value, low, high, *bound))
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


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Result):
    """One honest picture of one or more classifiers on the same rows.

    ``print(evaluation)`` gives the verdict and five figures a model, `details` everything; `to_dict` and
    `to_json` follow a versioned schema; `to_frame` gives one row per model and metric. ``comparison`` has the
    paired differences of the models' ROC areas, if their rows are paired (a `JointTable`).
    """

    models: dict[str, ModelEvaluation]
    prior: Assumed
    prior_source: str
    largest_prior: float | None
    level: float
    ranking: ModelRanking | None
    diagnostics: tuple[Diagnostic, ...]
    drift: Drift | None = None
    trust: Trust = field(default_factory=lambda: Trust("known", "the prior was given."))
    estimate: PriorEstimate | None = None
    label_bias: float = 1.0
    label_bias_side: str = "either"
    audit: Result | None = None
    comparison: Comparison | None = None
    drifts: dict[str, Drift] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """Who is better and by how much, what it means, how far to trust it, what to do next."""
        return verdict_of(self)

    @property
    def certain(self) -> Interval | None:
        """What is certain of an estimated prior: from the share that is labelled to the largest allowed."""
        found = None if self.estimate is None else self.estimate.certain
        if found is None or self.largest_prior is None:
            return found
        return replace(found, high=max(min(found.high, self.largest_prior), found.low))

    def __str__(self) -> str:
        return "\n".join(short_lines(self))

    def details(self) -> str:
        """Return all figures, as `puremetrics evaluate --verbose` prints them."""
        return "\n".join([*self.verdict.sentences, "", *page_lines(self)])

    def sentence(self, model: str | None = None) -> str:
        """Return the sentence for a paper: figures, intervals, bounds, the prior and where it comes from.

        Parameters
        ----------
        model : str, optional
            Default: the best by ROC AUC.
        """
        return paper_sentence(self, model)

    def to_markdown(self) -> str:
        """Return verdict and figures as Markdown."""
        return markdown_table(self)

    def to_latex(self) -> str:
        """Return the figures as a LaTeX table (booktabs)."""
        return latex_table(self)

    def to_csv(self) -> str:
        """Return `frame` as CSV."""
        return csv_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings under ``schema_version``."""
        ready: dict[str, Any] = json_ready(self._content())
        return ready

    def _content(self) -> dict[str, Any]:
        known = self.prior
        ranges = [] if self.ranking is None else self.ranking.ranges
        return {
            "schema_version": SCHEMA_VERSION,
            "verdict": verdict_dict(self.verdict),
            "trust": trust_dict(self.trust),
            "confidence_level": self.level,
            "prior": {
                "value": known.value,
                "low": known.low,
                "high": known.high,
                "purity": known.purity,
                "purity_low": known.purity_low,
                "purity_high": known.purity_high,
                "source": self.prior_source,
                "largest": self.largest_prior,
                "least": None if self.certain is None else self.certain.low,
                "separable": None if self.estimate is None else self.estimate.separable,
            },
            "label_bias": {"most": self.label_bias, "side": self.label_bias_side},
            "models": self.models,
            "ranking": None
            if self.ranking is None
            else {
                "statistic": self.ranking.statistic,
                "ranges": [{"low": low, "high": high, "best": best} for low, high, best in ranges],
            },
            "differences": [] if self.comparison is None else self.comparison.differences,
            "drift": self.drift,
            "drifts": self.drifts,
            "audit": self.audit,
            "diagnostics": self.diagnostics,
        }

    def to_json(self, **options: Any) -> str:
        """Return `to_dict` as JSON; infinite and undefined numbers become null."""
        return json.dumps(self.to_dict(), **{"indent": 1, **options}, allow_nan=False)

    def to_html(
        self,
        *,
        title: str | None = None,
        truth: Mapping[str, Mapping[str, float]] | None = None,
    ) -> str:
        """Return a self-contained page in which prior and purity can be moved.

        Parameters
        ----------
        title : str, optional
        truth : mapping of model to mapping of metric to number, optional
            Known values to show beside the estimates, such as those of fully labelled test data.
        """
        from puremetrics.report import render

        return render(self, title=title, truth=truth)

    def _repr_html_(self) -> str:
        from puremetrics.report import notebook

        return notebook(self)

    def frame(self) -> Columns:
        """Return columns, one row for each model and metric."""
        parts = [model.frame() for model in self.models.values()]
        names = np.repeat(list(self.models), [part["metric"].size for part in parts])
        joined = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
        return {"model": names, **joined}
