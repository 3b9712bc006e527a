"""Cross-validation without negatives: means over folds, with intervals from what every row adds.

`CrossEvaluation` has these means with their intervals, and what each fold says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from puremetrics.checking.arguments import check_choice, check_level, shown
from puremetrics.checking.types import FloatArray
from puremetrics.comparing.comparison import error_of
from puremetrics.comparing.differences import Difference, Spread, differences_of
from puremetrics.exceptions import Diagnostic, InputError, UnsupportedError
from puremetrics.results import Columns, Estimate, Result
from puremetrics.results.protocol import number
from puremetrics.scenarios import Scenario
from puremetrics.setting import LabelBias, PriorLike, PurityLike, Setting
from puremetrics.statistics.catalogue import find_some
from puremetrics.statistics.over_folds import fold_error_by_prior, fold_slope_by_prior
from puremetrics.statistics.statistic import Statistic
from puremetrics.tables.folds import Folds

__all__ = ["CrossEvaluation", "cross_evaluate"]


@dataclass(frozen=True, eq=False, repr=False)
class CrossEvaluation(Result):
    """Every statistic of every model: its mean over folds with an interval, and its value in each fold.

    Attributes
    ----------
    folds : tuple
        Names of the folds, rising.
    labelled, rows : tuple of int
        Labelled positives, and all rows, of each fold.
    estimates : dict of str to dict of str to Estimate
        By model and statistic.
    by_fold : dict of str to dict of str to ndarray
        Values of the folds, likewise. That of a small fold may lie outside the range of the quantity, or be
        NaN.
    differences : dict of str to list of Difference
        By statistic: those of every pair of models.
    """

    folds: tuple[Any, ...]
    labelled: tuple[int, ...]
    rows: tuple[int, ...]
    estimates: dict[str, dict[str, Estimate]]
    by_fold: dict[str, dict[str, FloatArray]]
    differences: dict[str, list[Difference]]
    diagnostics: tuple[Diagnostic, ...] = ()

    def __getitem__(self, statistic: str) -> Estimate:
        """The mean over folds of a statistic, if there is one model."""
        if len(self.estimates) > 1:
            raise InputError(
                f"There are {len(self.estimates)} models: name one, as in "
                f"estimates[{next(iter(self.estimates))!r}]"
                f"[{statistic!r}]."
            )
        found = next(iter(self.estimates.values()))
        if statistic not in found:
            raise InputError(f"{statistic!r} was not requested. Available: {', '.join(found)}.")
        return found[statistic]

    def frame(self) -> Columns:
        """Return one row for each model and statistic."""
        rows = [
            (model, name, estimate)
            for model, found in self.estimates.items()
            for name, estimate in found.items()
        ]
        columns = [estimate.frame() for _, _, estimate in rows]
        numbers = {
            key: np.concatenate([column[key] for column in columns])
            for key in ("value", "low", "high", "standard_error", "threshold")
        }
        names = {"model": [row[0] for row in rows], "statistic": [row[1] for row in rows]}
        return {**{key: np.array(column) for key, column in names.items()}, **numbers}

    def fold_frame(self) -> Columns:
        """Return one row for each model, statistic and fold."""
        found: dict[str, list[Any]] = {"model": [], "statistic": [], "fold": [], "value": []}
        for model, statistics in self.by_fold.items():
            for name, values in statistics.items():
                for fold, value in zip(self.folds, values.tolist(), strict=True):
                    for key, item in zip(found, (model, name, fold, value), strict=True):
                        found[key].append(item)
        folds = np.empty(len(found["fold"]), dtype=object)
        folds[:] = found["fold"]
        return {key: folds if key == "fold" else np.array(column) for key, column in found.items()}

    def __str__(self) -> str:
        least, most = min(self.labelled), max(self.labelled)
        each = f"{least}" if least == most else f"{least} to {most}"
        lines = [
            f"{len(self.folds)} folds of {sum(self.rows)} rows, {each} labelled positives each"
        ]
        several = len(self.estimates) > 1
        for model, found in self.estimates.items():
            for name, estimate in found.items():
                at = "" if estimate.threshold is None else f" at score >= {estimate.threshold:g}"
                who = f"{model}: " if several else ""
                said = "" if estimate.interval is None else f", {estimate.interval.words()}"
                values = self.by_fold[model][name]
                known = values[np.isfinite(values)]
                spread = (
                    f"; folds {number(known.min())} to {number(known.max())}" if known.size else ""
                )
                lines.append(f"  {who}{estimate.title}{at}: {number(estimate.value)}{said}{spread}")
        for name, pairs in self.differences.items():
            lines += [f"  {name}, {difference}" for difference in pairs]
        first = next(iter(next(iter(self.estimates.values())).values()))
        if first.n_groups is not None:
            lines.append(f"  rows belong to {first.n_groups} groups, summed over all folds")
        lines += [f"  {remark}" for remark in self.diagnostics]
        return "\n".join(lines)


def cross_evaluate(
    y: Any,
    score: Any,
    *,
    fold: Any,
    scenario: Scenario,
    statistic: str | Sequence[str] = "roc_auc",
    prior: PriorLike = None,
    purity: PurityLike = None,
    threshold: float | None = None,
    groups: Any = None,
    average: str = "rates",
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    pos_label: Any = 1,
    unlabeled_label: Any = 0,
    neg_label: Any = None,
    **options: float,
) -> CrossEvaluation:
    """Average statistics over the folds of a cross-validation, with intervals.

    Every row has the score of a model that did not see it, and the name of its fold. Scores of different
    folds come from different models and are never ranked against each other.
    `puremetrics.sklearn.cross_evaluate` does the same from an estimator and a splitter.

    Parameters
    ----------
    y : array-like, shape (n,)
        Labels.
    score : array-like, shape (n,), or mapping of names to these
        Scores of one model, or of several on the same rows and folds.
    fold : array-like, shape (n,)
        The fold that each row was held out in: numbers or text. Every fold needs labelled rows.
    scenario : {"case_control", "single_training_set"}
    statistic : str or list of str, default "roc_auc"
        "roc_auc", "average_precision"; "brier_score", "log_loss", "calibration_error" of probabilities; or
        metrics at ``threshold``.
    prior, purity
        As for `compare`, and the same in all folds. Recall needs no prior if labels are pure.
    threshold : float, optional
        For metrics of the confusion matrix.
    groups : array-like, shape (n,), optional
        Names of the groups that rows belong to. Those of one group may be in several folds.
    average : {"rates", "values"}, default "rates"
        Of a metric at a threshold: the metric of the mean rates over folds, or the mean of the folds'
        metrics. For metrics that are linear in the rates, such as recall, both are the same. Means of
        ratios such as precision and F1 are biased if folds are small, and undefined if one of them flags no
        row.
    confidence_level : float, default 0.95
    label_bias, label_bias_side : float, default 1, and {"either", "high", "low"}
        For metrics at a threshold; see `roc_auc`.
    pos_label, unlabeled_label, neg_label : scalar
        As for `ScoreTable.from_arrays`.
    options
        Of the metrics, such as ``beta``.

    Returns
    -------
    CrossEvaluation
        Values are averaged before any repair, where these would not average out. Intervals hold for the
        models as they were trained: they say how good these are, not how good others from the same recipe
        would be.

    Examples
    --------
    >>> y, score = [1, 0, 0, 1, 0, 0, 1, 0], [5, 4, 2, 9, 3, 1, 6, 7]
    >>> found = cross_evaluate(y, score, fold=[0, 0, 0, 1, 1, 1, 1, 0], scenario="case_control", prior=0.1)
    >>> round(found["roc_auc"].value, 3), found.by_fold["model"]["roc_auc"].round(3).tolist()
    (0.87, [0.685, 1.056])
    """
    labels = {"pos_label": pos_label, "unlabeled_label": unlabeled_label, "neg_label": neg_label}
    folds = Folds.read(y, score, fold, groups, scenario, labels)
    level = check_level(confidence_level)
    bias = LabelBias.of(label_bias, label_bias_side)
    how = check_choice(average, ("rates", "values"), "average")
    asked = _asked(statistic, threshold, dict(options))
    _check_bias(folds, asked, bias)
    estimates: dict[str, dict[str, Estimate]] = {name: {} for name in folds.scores}
    by_fold: dict[str, dict[str, Any]] = {name: {} for name in folds.scores}
    differences = {}
    common: dict[bool, Setting] = {}
    for one in asked:
        if one.prior_free not in common:
            common[one.prior_free] = one.assume_of(
                folds.together, prior, purity, level, label_bias, label_bias_side
            )
        setting = common[one.prior_free]
        for name in folds.scores:
            values = one.fold_values(folds, name, setting)
            found = one.over_folds(folds, name, setting)
            if how == "values":
                found = one.of_fold_values(folds, found, values)
            estimates[name][one.name] = found
            by_fold[name][one.name] = values
        if len(folds.scores) > 1:
            differences[one.name] = _differences(folds, one, setting, estimates)
    sizes = [(int((folds.kind[rows] == 0).sum()), rows.size) for rows in folds.members]
    return CrossEvaluation(
        tuple(folds.names),
        tuple(size[0] for size in sizes),
        tuple(size[1] for size in sizes),
        estimates,
        by_fold,
        differences,
        _remarks(estimates),
    )


def _asked(statistic: Any, threshold: Any, options: dict[str, Any]) -> list[Statistic]:
    """The statistics of these names, each with the place and the options that it takes."""
    names = [statistic] if isinstance(statistic, str | Statistic) else statistic
    if not isinstance(names, list | tuple) or not names:
        raise InputError(
            f"statistic={shown(statistic)} must be a name, or a list of names, such as ['roc_auc', 'recall']."
        )
    found, left, placed = [], set(options), False
    for name in names:
        one, taken, at = find_some(name, options, threshold)
        one.check_between()
        left -= taken
        placed |= at
        found.append(one.for_differences())
    if left:
        raise InputError(f"{sorted(left)[0]!r} is not an option of any statistic. Leave it out.")
    if threshold is not None and not placed:
        raise InputError(
            "None of these statistics takes a threshold. Leave it out, or add a metric that does."
        )
    twice = {one.name for one in found if sum(one.name == other.name for other in found) > 1}
    if twice:
        raise InputError(f"statistic lists {sorted(twice)[0]!r} twice. List each one once.")
    return found


def _check_bias(folds: Folds, asked: list[Statistic], bias: LabelBias) -> None:
    """Raise where biased labels are not allowed for."""
    if bias.is_random:
        return
    for one in asked:
        one.check_bias_over_folds(folds)


def _differences(
    folds: Folds,
    statistic: Statistic,
    setting: Setting,
    estimates: dict[str, dict[str, Estimate]],
) -> list[Difference]:
    """Paired differences of all models: those of the same rows."""
    for name, found in estimates.items():
        if not np.isfinite(found[statistic.name].value):
            raise UnsupportedError(
                f"{found[statistic.name].title} of model {name!r} is undefined at this threshold, so "
                "it cannot be "
                "compared. Choose a threshold inside the range of the scores, or another metric."
            )
    if not setting.bias.is_random:
        raise UnsupportedError(
            "Differences between models over folds cannot allow for label_bias. Pass one model, or leave "
            "out label_bias."
        )
    pairs = list(combinations(folds.scores, 2))
    spreads = []
    corners = setting.at_extremes()
    for point in corners.points():
        values, rows, more = {}, {}, {}
        for name in folds.scores:
            values[name] = statistic.fold_mean(folds, name, point)
            rows[name] = statistic.fold_rows(folds, name, point)
            more[name] = statistic.fold_unclear(folds, name, point)
        here: list[Spread] = []
        for a, b in pairs:
            apart = rows[a] - rows[b]
            error, degrees = error_of(folds.rows, apart, more[a] + more[b])
            if point.prior_drawn:
                first, second = (
                    fold_slope_by_prior(statistic, folds, name, point) for name in (a, b)
                )
                by_prior = fold_error_by_prior(point, folds, apart, first - second)
                error = float(np.hypot(error, by_prior))
            here.append((values[a] - values[b], error, degrees))
        spreads.append(here)
    return differences_of(corners, pairs, spreads, "paired_folds")


def _remarks(estimates: dict[str, dict[str, Estimate]]) -> tuple[Diagnostic, ...]:
    """The first remark of each kind."""
    found: dict[str, Diagnostic] = {}
    for statistics in estimates.values():
        for estimate in statistics.values():
            for remark in estimate.diagnostics:
                found.setdefault(remark.code, remark)
    return tuple(found.values())
