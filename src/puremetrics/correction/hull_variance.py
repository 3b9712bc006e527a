"""A bootstrap that splits the variance of the hull by group (Lim, Won 2012, Algorithm 1); see `hull`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from puremetrics.checking.arguments import as_generator, check_number, check_resamples
from puremetrics.checking.columns import as_grid
from puremetrics.checking.types import FloatArray
from puremetrics.correction.areas import area_estimate
from puremetrics.correction.hull import height, hull_setting, majorant
from puremetrics.correction.hull_limits import curve_limits
from puremetrics.correction.rates import corrected_rates
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.results import Columns, Interval, Result
from puremetrics.sampling.clustered import robust_heads
from puremetrics.sampling.resampling import DEFAULT_RESAMPLES, resampled_tables
from puremetrics.setting import PriorLike, PurityLike, Setting, TwoSamples
from puremetrics.tables.score_table import ScoreTable

__all__ = ["HullVariance", "hull_variance"]

_MOST_HEIGHTS = 20_000_000  # heights of resampled hulls in memory
_SMALL = 0.1  # false positive rates at which curves are steep


@dataclass(frozen=True, eq=False, repr=False)
class HullVariance(Result):
    """Variance of the hull at fixed false positive rates, split by group.

    Attributes
    ----------
    fpr, tpr : ndarray, shape (k,)
        Where, and the hull there.
    due_to_pos, due_to_others, total : ndarray, shape (k,)
        Variance due to the positives, due to the rows they are compared with, and their sum.
    low, high : ndarray, shape (k,)
        Pointwise confidence limits, within [0, 1], of the ROC curve of positives against negatives and of its
        hull, which are the same where that curve is concave (`hull_limits`). They reach up to the hull.
    area, area_due_to_pos, area_due_to_others : float
        The same for the area under the hull. On average the area is too large: a majorant lies above the
        curve that it is fitted to.
    corrected_area : float
        The area less its bias, which is estimated as twice the excess of resampled hulls.
    interval : Interval
        Interval of the area under the true curve and of that under its hull; it holds ``corrected_area``.
    """

    fpr: FloatArray
    tpr: FloatArray
    due_to_pos: FloatArray
    due_to_others: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    area: float
    area_due_to_pos: float
    area_due_to_others: float
    replicates: dict[str, FloatArray] = field(repr=False)
    diagnostics: tuple[Diagnostic, ...] = ()
    corrected_area: float | None = None
    interval: Interval | None = None

    @property
    def total(self) -> FloatArray:
        """Sum of both parts, Eq. (22)."""
        return self.due_to_pos + self.due_to_others

    def with_more(self, *, positives: float = 1.0, others: float = 1.0) -> float:
        """Standard error of the area if the groups were so many times as large (inf: unlimited)."""
        times = []
        for name, given in (("positives", positives), ("others", others)):
            times.append(
                np.inf
                if isinstance(given, float) and given == np.inf
                else check_number(given, name)
            )
            if times[-1] <= 0:
                raise InputError(
                    f"{name}={times[-1]:g}: pass how many times as large the group becomes, a positive "
                    "number."
                )
        positives, others = times
        return float(np.sqrt(self.area_due_to_pos / positives + self.area_due_to_others / others))

    def frame(self) -> Columns:
        """Return the curve with its limits and both parts of its variance."""
        names = ("fpr", "tpr", "low", "high", "due_to_pos", "due_to_others")
        return {name: getattr(self, name) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON; the replicates are left out."""
        found = super().to_dict()
        del found["replicates"]
        return found

    def __str__(self) -> str:
        now = self.with_more()
        lines = [f"Area under the hull: {self.area:.4f}, standard error {now:.4f}"]
        if self.corrected_area is not None and self.interval is not None:
            lines.append(f"  less its bias {self.corrected_area:.4f}, {self.interval.words()}")
        lines.append(
            f"  with unlimited other rows the error would still be {self.with_more(others=np.inf):.4f}, "
            f"with unlimited positives {self.with_more(positives=np.inf):.4f}"
        )
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


def hull_variance(
    table: ScoreTable,
    *,
    prior: PriorLike = None,
    purity: PurityLike = None,
    fpr: Any = None,
    n_resamples: int = DEFAULT_RESAMPLES,
    confidence_level: float = 0.95,
    rng: Any = 0,
) -> HullVariance:
    """Variance of the hull due to the positives and due to the rows they are compared with.

    Conditional bootstrap (Algorithm 1): one group is resampled, the other held fixed. The two variances
    add up to the total one, Eq. (22). Each is what would remain if the other group were unlimited. In a
    single training set the sizes of the groups vary, too.

    Parameters
    ----------
    table : ScoreTable
        Without sampling weights.
    prior, purity
        As in `roc_hull`; ranges widen the limits.
    fpr : array-like, optional
        False positive rates at which the hull is evaluated; default 0, 0.01 … 1.
    n_resamples : int, default 500
        Of each group.
    confidence_level : float, default 0.95
    rng : int or Generator, default 0
        A second run says the same; None draws anew.

    Returns
    -------
    HullVariance
        Cost: O(labelled) a resample, whatever the number of unlabeled rows.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=range(10, 40), unlabeled=None, negative=range(30), scenario="case_control")
    >>> variance = hull_variance(table, n_resamples=50, rng=0)
    >>> bool(variance.with_more(others=float("inf")) < variance.with_more())
    True
    """
    setting = hull_setting(table, prior, purity, confidence_level)
    n_resamples = check_resamples(n_resamples)
    grid = np.linspace(0, 1, 101) if fpr is None else as_grid(fpr, "fpr")
    if not np.all((grid >= 0) & (grid <= 1)):
        raise InputError("fpr must hold false positive rates, between 0 and 1.")
    if n_resamples * grid.size > _MOST_HEIGHTS:
        raise InputError(
            f"{n_resamples} resamples at {grid.size} false positive rates do not fit into memory. Pass "
            f"n_resamples and fpr whose product is at most {_MOST_HEIGHTS:_}."
        )
    used = setting.ranked
    # One training set has no fixed numbers of labelled and other rows: Poisson counts let them vary.
    scheme = "poisson" if table.design.one_sample else "multinomial"
    others = tuple(name for name, n in (("unl", used.total_unl), ("neg", used.total_neg)) if n > 0)
    # At a given false positive rate the hull rises with the prior and falls with the purity.
    corners = setting.extremes()

    def heights(resampled: ScoreTable) -> FloatArray:
        f, g, _ = majorant(TwoSamples(resampled))
        found = []
        for corner in corners:
            tpr, rate = corrected_rates(g, f, corner.share, corner.purity)
            area = float(np.sum(np.diff(rate) * (tpr[1:] + tpr[:-1])) / 2)
            found.append(np.append(np.clip(height(rate, tpr, grid), 0.0, 1.0), area))
        return np.array(found)

    centre = heights(used)
    generator = as_generator(rng)
    replicates = {
        name: np.array(
            [
                heights(t)
                for t in resampled_tables(used, groups, n_resamples, scheme, True, generator)
            ]
        )
        for name, groups in (("pos", ("pos",)), ("others", others))
    }
    parts = {name: values.var(axis=0, ddof=1) for name, values in replicates.items()}
    lifted = sum(values.mean(axis=0) - centre for values in replicates.values())
    limits = [curve_limits(robust_heads(corner), grid) for corner in corners]
    low = np.minimum(np.min([ends[0] for ends in limits], axis=0), centre[0, :-1])
    high = np.maximum(np.max([ends[1] for ends in limits], axis=0), centre[0, :-1])
    area, interval = _unbiased(
        setting, centre[:, -1], np.asarray(lifted)[:, -1], (parts["pos"] + parts["others"])[:, -1]
    )
    return HullVariance(
        fpr=grid,
        tpr=centre[0, :-1],
        due_to_pos=parts["pos"][0, :-1],
        due_to_others=parts["others"][0, :-1],
        low=low,
        high=high,
        level=setting.level,
        area=float(centre[0, -1]),
        area_due_to_pos=float(parts["pos"][0, -1]),
        area_due_to_others=float(parts["others"][0, -1]),
        replicates={name: values[:, 0] for name, values in replicates.items()},
        diagnostics=(
            *robust_heads(setting).diagnostics,
            *setting.samples.few_positives(),
            *_little_known(grid, low, high),
        ),
        corrected_area=area,
        interval=interval,
    )


def _unbiased(
    setting: Setting, area: FloatArray, lifted: FloatArray, variance: FloatArray
) -> tuple[float, Interval]:
    """The area less its bias, and an interval of the area under the true curve and under its hull.

    Resampled hulls exceed the hull that they are drawn from, and that one exceeds the true one by about as
    much again, so that twice the excess is taken off. The direct area (Jain, Eq. (4)) has no such bias, and
    the hull's area cannot be smaller: its interval is the one to start from. Where the true curve is not
    concave, its hull has the larger area, so the upper limit is at least that of the area less its bias.
    """
    direct = area_estimate(setting, "direct").interval
    assert direct is not None
    unbiased = area - 2 * np.maximum(lifted, 0.0)
    reach = normal_quantile(setting.level) * np.sqrt(variance)
    low = min(max(direct.low, 0.0), 1.0)
    high = min(max(direct.high, float(np.max(unbiased + reach)), low), 1.0)
    value = min(max(float(unbiased[0]), low), high)
    return value, setting.interval(low, high, "direct_area_and_hull")


def _little_known(fpr: FloatArray, low: FloatArray, high: FloatArray) -> list[Diagnostic]:
    """PM111 where limits at small false positive rates are more than half of the scale apart."""
    wide = fpr[(fpr > 0) & (fpr <= _SMALL) & (high - low > 0.5)]
    if not wide.size:
        return []
    return [
        Diagnostic(
            "PM111",
            f"at false positive rates up to {wide.max():.3g} the limits of the curve are more than 0.5 "
            "apart: the curve is steep there, and a few rows decide where it runs. Read the limits, not "
            "the hull, or label more positives.",
        )
    ]
