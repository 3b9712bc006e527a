"""What an evaluation hands to JSON, as plain mappings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from puremetrics.comparing.tipping import TippingPoint
    from puremetrics.evaluation.model import ModelEvaluation
    from puremetrics.evaluation.verdict import Verdict
    from puremetrics.results import Interval, Trust

__all__ = ["bounds_dict", "model_dict", "trust_dict", "verdict_dict"]


def bounds_dict(bounds: Mapping[str, Interval]) -> dict[str, Any]:
    """Intervals by name."""
    return {key: {"low": b.low, "high": b.high, "level": b.level} for key, b in bounds.items()}


def verdict_dict(verdict: Verdict) -> dict[str, Any]:
    """The sentences by what they are about."""
    names = ("best", "ranking", "meaning", "trust", "next_step")
    return {name: getattr(verdict, name) for name in names}


def trust_dict(trust: Trust) -> dict[str, str]:
    """Level, reason and remedy."""
    return {"level": trust.level, "reason": trust.reason, "settle": trust.settle}


def _tipping_dict(point: TippingPoint) -> dict[str, Any]:
    found = {"target": point.target, "label_bias": point.label_bias, "low": point.low}
    return {**found, "words": point.words}


def model_dict(model: ModelEvaluation) -> dict[str, Any]:
    """Everything about a model."""
    pos, unl, neg = model.table.totals
    choice, calibration = model.operating_point, model.calibration
    narrowing = model.narrowing.to_dict()
    del narrowing["diagnostics"]
    curve = model.sensitivity.frame()
    return {
        "rows": {
            "positive": pos,
            "unlabeled": unl,
            "negative": neg,
            "scenario": model.table.scenario,
        },
        "trust": trust_dict(model.trust),
        "naive": model.naive,
        "corrected": model.corrected,
        "if_random": model.if_random,
        "bounds": bounds_dict(model.bounds),
        "certain": bounds_dict(model.certain),
        "tipping": {key: _tipping_dict(point) for key, point in model.tipping.items()},
        "prior_free": dict(model.prior_free),
        "hull": {"area": model.hull.area, "largest_prior": model.hull.largest_prior},
        "calibration_error": None if calibration is None else calibration.error,
        "operating_point": None
        if choice is None
        else {
            "threshold": choice.threshold,
            "objective": choice.objective,
            "estimate": choice.estimate,
            "tp": choice.tp,
            "fp": choice.fp,
            "fn": choice.fn,
            "tn": choice.tn,
        },
        "confusion": model.confusion,
        "discovery": None
        if model.discovery is None or model.discovery_rows is None
        else {
            "rows": model.discovery_rows,
            "estimate": model.discovery.at(model.discovery_rows),
            "curve": model.discovery.frame(),
            "words": model.discoveries,
        },
        "sensitivity": {key: column for key, column in curve.items() if "bound" not in key},
        "narrowing": narrowing,
        "diagnostics": model.diagnostics,
    }
