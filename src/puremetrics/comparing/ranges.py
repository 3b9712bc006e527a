"""Which model is best at which prior (Claesen et al. 2015, Section 6.2).

The exact correction of the area under the ROC curve is one increasing map for all
models (Jain, Eq. (4)), so the prior never changes their order: Figure 4's flip comes from the corner
cases of Eq. (11). There the ranking of one model rises faster than 1/prior, which no curve can if the
prior is right. `best_by_prior` reports such priors as contradicted. The order by average precision or by
metrics at a threshold does depend on the prior.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.bounds.largest import largest_prior
from puremetrics.checking.arguments import check_number
from puremetrics.checking.columns import as_grid
from puremetrics.checking.types import FloatArray
from puremetrics.comparing.sensitivity import values_along
from puremetrics.exceptions import Diagnostic, InputError, UnsupportedError
from puremetrics.results import Columns, Result
from puremetrics.results.picture import Drawing
from puremetrics.setting import PurityLike, Setting, check_table, purity_range
from puremetrics.setting.assumed import resolve
from puremetrics.statistics.catalogue import find
from puremetrics.statistics.statistic import Statistic
from puremetrics.tables.score_table import ScoreTable

__all__ = ["ModelRanking", "best_by_prior", "default_priors", "ranking_of"]


@dataclass(frozen=True, eq=False, repr=False)
class ModelRanking(Result):
    """Which model is best at which prior.

    Attributes
    ----------
    prior : ndarray, shape (k,)
    values : dict of str to ndarray, shape (k,)
        The statistic of each model at each prior.
    ranges : list of (low, high, name)
        Ranges of the prior in which one model is best.
    crossings : list of float
        Priors at which the best model changes.
    dominant : str or None
        The model that is best at every prior, if there is one.
    contradicted : dict of str to float
        Smallest prior, of those tried, that each model's ranking contradicts (its corrected curve leaves
        the unit square by more than sampling error); infinite if none.
    """

    statistic: str
    prior: FloatArray
    values: dict[str, FloatArray]
    ranges: list[tuple[float, float, str]]
    crossings: list[float]
    dominant: str | None
    contradicted: dict[str, float]
    diagnostics: tuple[Diagnostic, ...] = ()

    def _drawing(self) -> Drawing:
        best = [name for *_, name in self.ranges]  # first, as not all of very many are drawn
        lines = {name: (self.prior, self.values[name]) for name in (*best, *self.values)}
        return Drawing("prior", self.statistic, lines)

    def frame(self) -> Columns:
        """Return the prior, and the statistic of each model."""
        return {"prior": self.prior, **self.values}

    def __str__(self) -> str:
        lines = [f"best by {self.statistic}:"]
        lines += [f"  prior {low:.4g} to {high:.4g}: {name}" for low, high, name in self.ranges]
        for name, limit in self.contradicted.items():
            if np.isfinite(limit):
                lines.append(f"  the ranking of {name} contradicts priors of {limit:.4g} and above")
        return "\n".join(lines)


def best_by_prior(
    tables: Mapping[str, ScoreTable],
    *,
    statistic: str = "roc_auc",
    threshold: float | Mapping[str, float] | None = None,
    priors: Any = None,
    purity: PurityLike = None,
    **options: float,
) -> ModelRanking:
    """Say which of several models is best at which prior.

    The tables must describe the same rows. Values are point estimates (`roc_auc`,
    `average_precision`); crossings are located by linear interpolation between the priors tried. Areas of
    more than 8,192 labelled scores are exact at five priors and interpolated in between, with an error far
    below the sampling error.

    Parameters
    ----------
    tables : mapping of str to ScoreTable
        At least two models.
    statistic : str
        Any statistic, or a metric at ``threshold``; errors and costs are minimised.
    threshold : float or mapping of str to float, optional
        For metrics of the confusion matrix: one for all models, or one for each.
    priors : array-like, optional
        Default: 101 values over the range that the labels of the first table allow. Those at which a
        metric is undefined for some model are left out.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; of a range, its middle is used.
    options
        Of the metric, such as ``beta``.

    Examples
    --------
    >>> a = ScoreTable.from_groups(positive=[9, 8], unlabeled=[7, 5, 1], scenario="case_control")
    >>> b = ScoreTable.from_groups(positive=[9, 3], unlabeled=[7, 5, 1], scenario="case_control")
    >>> best_by_prior({"a": a, "b": b}, priors=[0.0, 0.1]).dominant
    'a'
    """
    if not isinstance(tables, Mapping) or len(tables) < 2:
        raise InputError("best_by_prior compares models: pass two or more tables by name.")
    first = next(iter(tables.values()))
    for table in tables.values():
        check_table(table)
    if any((t.scenario, t.totals) != (first.scenario, first.totals) for t in tables.values()):
        raise InputError(
            "The tables differ in scenario or in their numbers of rows, so they do not describe the "
            "same rows. Score all models on the same rows first."
        )
    clean = 1.0 if purity is None else purity_range(purity)[0]
    grid = default_priors(first, clean) if priors is None else np.sort(as_grid(priors, "priors"))
    if not grid.size:
        raise InputError("priors is empty. Pass the priors to try, or leave it out.")
    common = Setting.of(first, float(grid[0]), clean)
    resolve(first, float(grid[-1]), clean)
    settings = {name: common.on(table) for name, table in tables.items()}
    asked = {
        name: find(statistic, options, threshold=_threshold_of(threshold, name)) for name in tables
    }
    for name, table in tables.items():
        asked[name].check(table)
    return ranking_of(settings, asked, grid)


def ranking_of(
    settings: Mapping[str, Setting],
    statistic: Statistic | Mapping[str, Statistic],
    grid: FloatArray | None = None,
    limits: Mapping[str, float] | None = None,
) -> ModelRanking:
    """The ranking of models by settings of the same rows, at priors that are possible.

    ``statistic`` may be one for each model, such as a metric at its own threshold. ``limits`` are the largest
    priors that the rankings allow, where they are known already.
    """
    if grid is None:
        first = next(iter(settings.values()))
        grid = default_priors(first.table, first.purity)
    if isinstance(statistic, Statistic):
        statistic = dict.fromkeys(settings, statistic)
    any_of = next(iter(statistic.values()))
    values = {
        name: values_along([setting.at(float(prior)) for prior in grid], statistic[name])
        for name, setting in settings.items()
    }
    defined = np.isfinite(list(values.values())).all(axis=0)
    if not defined.any():
        raise UnsupportedError(
            f"{any_of.name!r} is undefined for some model at every prior. Choose another threshold."
        )
    grid, values = grid[defined], {name: column[defined] for name, column in values.items()}
    contradicted = {
        name: _contradiction(setting, grid, (limits or {}).get(name))
        for name, setting in settings.items()
    }
    names, matrix = list(values), np.array(list(values.values()))
    matrix = any_of.sign * matrix
    best = matrix.argmax(axis=0)
    ranges, crossings, start = [], [], float(grid[0])
    for i in range(1, grid.size):
        if best[i] != best[i - 1]:
            gap = matrix[best[i - 1]] - matrix[best[i]]
            part = gap[i - 1] / (gap[i - 1] - gap[i])
            crossing = float(grid[i - 1] + part * (grid[i] - grid[i - 1]))
            ranges.append((start, crossing, names[best[i - 1]]))
            crossings.append(crossing)
            start = crossing
    ranges.append((start, float(grid[-1]), names[best[-1]]))
    top = matrix[best[0]]
    dominant = names[best[0]] if np.all(top >= matrix) else None
    return ModelRanking(any_of.name, grid, values, ranges, crossings, dominant, contradicted)


def _threshold_of(threshold: Any, name: str) -> float | None:
    if isinstance(threshold, Mapping):
        if name not in threshold:
            raise InputError(f"threshold has no entry for model {name!r}. Pass one for each model.")
        threshold = threshold[name]
    return None if threshold is None else check_number(threshold, "threshold")


def default_priors(table: ScoreTable, purity: float) -> FloatArray:
    """101 priors over the range that the labels allow."""
    low, high = table.design.prior_limits(table.totals, purity)
    high = min(high, purity)
    return np.asarray(np.linspace(low, low + 0.95 * (high - low), 101))


def _contradiction(setting: Setting, grid: FloatArray, limit: float | None) -> float:
    """Smallest prior at which some head would hold more latent positives than rows."""
    if limit is None:
        try:
            limit = largest_prior(
                setting.table,
                purity=setting.purity,
                label_bias=setting.bias.most,
                label_bias_side=setting.bias.side,
            ).prior
        except UnsupportedError:  # weights, or nothing hidden
            return float("inf")
    above = grid[grid > limit]
    return float(above[0]) if above.size else float("inf")
