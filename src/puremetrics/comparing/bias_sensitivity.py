"""A statistic against the bias of labels: how much depends on their being random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.calibration.bins import check_probabilities
from puremetrics.checking.columns import as_grid
from puremetrics.checking.types import FloatArray
from puremetrics.comparing.compared import compared
from puremetrics.comparing.questions import LOSSES
from puremetrics.exceptions import Diagnostic, InputError, UnsupportedError
from puremetrics.results import Columns, Result
from puremetrics.results.protocol import number
from puremetrics.setting import (
    LabelBias,
    PriorLike,
    PurityLike,
    Setting,
    check_bias_alone,
    check_uncut,
)
from puremetrics.tables.score_table import ScoreTable

__all__ = ["LabelBiasSensitivity", "label_bias_sensitivity", "sensitivity_to_bias"]

_MOST, _COUNT = 5.0, 33


@dataclass(frozen=True, eq=False, repr=False)
class LabelBiasSensitivity(Result):
    """A statistic against the label bias.

    Attributes
    ----------
    statistic, title : str
    label_bias : ndarray, shape (k,)
    value : float
        The corrected value, which does not depend on it.
    low, high : ndarray, shape (k,)
        Interval: bias and sampling error.
    bias_low, bias_high : ndarray, shape (k,)
        What the bias alone leaves open.
    threshold, level : float
    """

    statistic: str
    title: str
    label_bias: FloatArray
    value: float
    low: FloatArray
    high: FloatArray
    bias_low: FloatArray
    bias_high: FloatArray
    threshold: float | None
    level: float
    diagnostics: tuple[Diagnostic, ...] = ()

    def frame(self) -> Columns:
        """Return what a plot draws."""
        return {
            "label bias": self.label_bias,
            "low": self.low,
            "high": self.high,
            "bias low": self.bias_low,
            "bias high": self.bias_high,
        }

    def __str__(self) -> str:
        return (
            f"{self.title} {number(self.value)}; {number(self.low[-1])} to {number(self.high[-1])} with a "
            f"label bias up to {self.label_bias[-1]:g}"
        )


def label_bias_sensitivity(
    table: ScoreTable,
    statistic: str = "roc_auc",
    *,
    ratios: Any = None,
    prior: PriorLike,
    purity: PurityLike = None,
    threshold: float | None = None,
    confidence_level: float = 0.95,
    label_bias_side: str = "either",
    **options: float,
) -> LabelBiasSensitivity:
    """Trace a statistic and its interval over the label bias.

    Parameters
    ----------
    table : ScoreTable
    statistic : str
        "roc_auc", "average_precision", "brier_score", "log_loss", "calibration_error", or a metric at
        ``threshold``.
    ratios : array-like, optional
        Label biases, 1 or more. Default: 33 values from 1 to 5.
    prior, purity, threshold, confidence_level, label_bias_side, options
        As in `tipping_point`.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=range(30, 60), unlabeled=range(50), scenario="case_control")
    >>> curve = label_bias_sensitivity(table, prior=0.1, ratios=[1, 2])
    >>> bool(curve.low[1] < curve.low[0])
    True
    """
    setting = Setting.of(table, prior, purity, confidence_level, label_bias_side=label_bias_side)
    return sensitivity_to_bias(setting, statistic, ratios, threshold, dict(options))


def sensitivity_to_bias(
    setting: Setting,
    statistic: str,
    ratios: Any = None,
    threshold: float | None = None,
    options: dict[str, float] | None = None,
) -> LabelBiasSensitivity:
    """The same of a setting."""
    table, measured = setting.table, compared(statistic, threshold, options or {})
    if measured.name == "pulp":
        raise UnsupportedError(
            "pulp assumes nothing about how labels were given, so it does not depend on their bias. "
            "Choose another statistic."
        )
    check_bias_alone(table)
    if not measured.ranks_only:
        check_uncut(table, statistic)
        if measured.name in LOSSES:
            check_probabilities(table, statistic)
    grid = np.geomspace(1.0, _MOST, _COUNT) if ratios is None else as_grid(ratios, "ratios")
    grid = np.sort(grid)
    if not grid.size:
        raise InputError("ratios is empty. Pass label biases to try, or leave it out.")
    plain = measured.estimate(setting)
    if plain.interval is None:
        raise InputError(f"{plain.title} is undefined at this threshold. Choose another one.")
    ends = np.full((4, grid.size), np.nan)
    for i, ratio in enumerate(grid):
        bias = LabelBias.of(float(ratio), setting.bias.side)
        found = plain if bias == setting.bias else measured.estimate(setting.with_bias(bias))
        assert found.interval is not None
        ends[:, i] = *found.interval, *(found.bias_range or (plain.value, plain.value))
    low, high, bias_low, bias_high = ends
    return LabelBiasSensitivity(
        measured.name,
        plain.title,
        grid,
        plain.value,
        low,
        high,
        bias_low,
        bias_high,
        plain.threshold,
        setting.level,
        plain.diagnostics,
    )
