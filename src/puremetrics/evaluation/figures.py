"""The figures that an evaluation is about: two areas, and six metrics at the threshold."""

from __future__ import annotations

from puremetrics.statistics.catalogue import find
from puremetrics.statistics.statistic import Statistic

__all__ = ["AREAS", "AT_THRESHOLD", "HEADLINE_FIGURES", "figure_of", "figures_at"]

AREAS = ("roc_auc", "average_precision")
HEADLINE_FIGURES = ("roc_auc", "precision", "recall")  # what the verdict is about
AT_THRESHOLD = ("precision", "recall", "specificity", "f1", "accuracy", "mcc")


def figure_of(name: str, threshold: float | None) -> Statistic | None:
    """The figure of that name; None if it is one at a threshold and there is none."""
    if name in AREAS:
        return find(name)
    return None if threshold is None else find(name, threshold=threshold)


def figures_at(threshold: float | None) -> dict[str, Statistic]:
    """All figures, by name."""
    found = {name: figure_of(name, threshold) for name in (*AREAS, *AT_THRESHOLD)}
    return {name: figure for name, figure in found.items() if figure is not None}
