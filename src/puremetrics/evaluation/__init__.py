"""Everything at once: `evaluate` and what it returns."""

from puremetrics.evaluation.making import evaluate
from puremetrics.evaluation.model import ConfusionMatrix, ModelEvaluation
from puremetrics.evaluation.narrowing import Narrowing
from puremetrics.evaluation.records import SCHEMA_VERSION, Evaluation

__all__ = [
    "SCHEMA_VERSION",
    "ConfusionMatrix",
    "Evaluation",
    "ModelEvaluation",
    "Narrowing",
    "evaluate",
]
