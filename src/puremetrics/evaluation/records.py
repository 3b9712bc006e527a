"""What `evaluate` returns: frozen records that show themselves as a page, JSON, columns or HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from puremetrics.calibration.outcome import CalibrationResult
from puremetrics.drifting import Drift
from puremetrics.evaluation.narrowing import Narrowing
from puremetrics.evaluation.page import page_lines
from puremetrics.exceptions import Diagnostic
from puremetrics.hull import HullResult
from puremetrics.results import Estimate, Interval, json_ready
from puremetrics.scenario import PriorRange
from puremetrics.sensitivity import ModelRanking, PriorSensitivity
from puremetrics.table import ScoreTable
from puremetrics.threshold import ThresholdChoice

__all__ = ["ENTRIES", "SCHEMA_VERSION", "ConfusionMatrix", "Evaluation", "ModelEvaluation"]

SCHEMA_VERSION = 1
ENTRIES = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True)
class ConfusionMatrix:
    """Estimated counts at the operating point, in the population of the scenario.

    Attributes
    ----------
    threshold : float
    tp, fp, fn, tn : float
        Corrected counts; outside their range if the prior is too high or the sample too small.
    bounds : dict of str to Interval
        What each count can be whichever unlabeled rows are positive; empty where bounds do not exist.
    """

    threshold: float
    tp: float
    fp: float
    fn: float
    tn: float
    bounds: dict[str, Interval]

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, ready for JSON."""
        counts = {name: getattr(self, name) for name in ENTRIES}
        return {"threshold": self.threshold, **counts, "bounds": _bounds_dict(self.bounds)}


@dataclass(frozen=True)
class ModelEvaluation:
    """Everything about one model."""

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


@dataclass(frozen=True)
class Evaluation:
    """One honest picture of one or more classifiers on the same rows.

    ``print(evaluation)`` is a page for the terminal; `to_dict` and `to_json` follow a versioned schema;
    `to_frame` gives one row per model and metric.
    """

    models: dict[str, ModelEvaluation]
    prior: PriorRange
    prior_source: str
    largest_prior: float | None
    level: float
    ranking: ModelRanking | None
    diagnostics: tuple[Diagnostic, ...]
    drift: Drift | None = None

    def __str__(self) -> str:
        return "\n".join(page_lines(self))

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings under ``schema_version``."""
        return {
            "schema_version": SCHEMA_VERSION,
            "confidence_level": self.level,
            "prior": {
                "value": self.prior.value,
                "low": self.prior.low,
                "high": self.prior.high,
                "purity": self.prior.purity,
                "source": self.prior_source,
                "largest": self.largest_prior,
            },
            "models": {name: _model_dict(model) for name, model in self.models.items()},
            "ranking": None
            if self.ranking is None
            else {
                "statistic": self.ranking.statistic,
                "ranges": [
                    {"low": low, "high": high, "best": best}
                    for low, high, best in self.ranking.ranges
                ],
            },
            "drift": None if self.drift is None else self.drift.to_dict(),
            "diagnostics": [{"code": d.code, "message": d.message} for d in self.diagnostics],
        }

    def to_json(self, **options: Any) -> str:
        """Return `to_dict` as JSON; infinite and undefined numbers become null."""
        return json.dumps(json_ready(self.to_dict()), **{"indent": 1, **options}, allow_nan=False)

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

    def to_frame(self) -> dict[str, list[Any]]:
        """Return columns that any data frame library takes, one row per model and metric."""
        names = ("model", "metric", "naive", "corrected", "low", "high", "bound_low", "bound_high")
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for model in self.models.values():
            for metric_name, estimate in model.corrected.items():
                low, high = estimate.interval or (np.nan, np.nan)
                bound = model.bounds.get(metric_name)
                row = (
                    model.name, metric_name, model.naive[metric_name].value, estimate.value, low, high,
                    np.nan if bound is None else bound.low, np.nan if bound is None else bound.high,
                )  # fmt: skip
                for name, value in zip(names, row, strict=True):
                    columns[name].append(value)
        return columns


def _bounds_dict(bounds: Mapping[str, Interval]) -> dict[str, Any]:
    return {key: {"low": b.low, "high": b.high, "level": b.level} for key, b in bounds.items()}


def _model_dict(model: ModelEvaluation) -> dict[str, Any]:
    pos, unl, neg = model.table.totals
    choice = model.operating_point
    return {
        "rows": {
            "positive": pos,
            "unlabeled": unl,
            "negative": neg,
            "scenario": model.table.scenario,
        },
        "naive": {key: e.to_dict() for key, e in model.naive.items()},
        "corrected": {key: e.to_dict() for key, e in model.corrected.items()},
        "bounds": _bounds_dict(model.bounds),
        "prior_free": {key: e.to_dict() for key, e in model.prior_free.items()},
        "hull": {"area": model.hull.area, "largest_prior": model.hull.largest_prior},
        "calibration_error": None if model.calibration is None else model.calibration.error,
        "operating_point": None
        if choice is None
        else {
            "threshold": choice.threshold,
            "objective": choice.objective,
            "estimate": choice.estimate.to_dict(),
            "tp": choice.tp,
            "fp": choice.fp,
            "fn": choice.fn,
            "tn": choice.tn,
        },
        "confusion": None if model.confusion is None else model.confusion.to_dict(),
        "sensitivity": {
            k: v.tolist() for k, v in model.sensitivity.frame().items() if "bound" not in k
        },
        "narrowing": {
            "width": model.narrowing.width,
            "due_to_positives": model.narrowing.due_to_positives,
            "due_to_others": model.narrowing.due_to_others,
            "due_to_prior": model.narrowing.due_to_prior,
            "twice_the_labels": model.narrowing.twice_the_labels,
            "twice_the_rows": model.narrowing.twice_the_rows,
            "audits": {str(k): v for k, v in model.narrowing.audits.items()},
        },
        "diagnostics": [{"code": d.code, "message": d.message} for d in model.diagnostics],
    }
