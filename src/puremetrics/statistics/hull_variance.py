"""How sure a ROC hull is: its variance split by sample (Lim, Won 2012), and limits of the curve.

**Variance** (`hull_variance`). A bootstrap splits the variance of the hull into the parts of the two samples
(Algorithm 1); see `correction.hull`. Resampled positives are tied with each other, and their hull varies less
than one of new positives would: by a tenth in its area, and by half at high false positive rates of a weak
model. The bootstrap shows by how much, if it is applied to its own samples (Hall and Martin 1988): as the
variance of hulls of samples is to the true one, so is that of hulls of samples of samples to theirs.
The variance due to the positives is divided by that ratio, which lies between a third and 1. In simulations
with 30 to 200 positives it then is 0.98 to 1.08 times the true one in the area (0.84 to 0.99 without), 0.9 to
1.3 times at false positive rates up to 0.6, and at 0.9 still 0.5 to 0.9 times (0.3 to 0.7 without); where the
hull of a strong model has reached 1 nothing is left to resample.

**Limits of the ROC curve** at given false positive rates (`curve_limits`), by inverting a test. A majorant
lies too high, by an amount that the bootstrap does not show: the bootstrap of a least concave majorant is
inconsistent (Kosorok 2008). So the limits do not start from the hull. They ask through which points the curve
can pass, as empirical likelihood does for two samples without correction (Claeskens, Jing, Peng, Zhou 2003).

Let a be the share of positives in the comparison sample F and b the purity. If the curve of positives against
negatives passes through (x, y), then at some threshold t (Jain, Eqs. (1) and (2), inverted)

    F(t) = a·y + (1 − a)·x,        G(t) = b·y + (1 − b)·x.

At a known t both shares are binomial, and the sum of their two squared standardised distances is χ² with two
degrees of freedom. The best t takes one of them away: the limits are the farthest y at which the minimum over
t stays below the quantile of χ² with one degree. No slope is estimated, and the curve need not be concave.

Distances are those of Agresti and Coull, with z²/2 successes and failures added. That pulls a share towards
½, and heights next to 1 would be given up too soon: from 0.9 on the likelihood ratio counts where it is
smaller.

In a single training set the labelled rows are part of F. With c their share, the other rows reach (F −
c·G)/(1 − c), independent of G. That uses c as observed; where the prior is that of the population, the error
of c adds to the variance, and n_F is reduced accordingly.

Upper limits are raised to their own least concave majorant. Where the true curve is concave that changes
little; where it is not, they hold for the hull of the true curve as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.arguments import as_generator, check_number, check_resamples
from puremetrics.checking.columns import as_grid
from puremetrics.checking.types import FloatArray
from puremetrics.correction.hull import height, hull_setting, majorant
from puremetrics.correction.rates import corrected_rates
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.monotone import concave_blocks
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.results import Columns, Interval, Result
from puremetrics.results.picture import Picture
from puremetrics.sampling.clustered import allow_for_groups_in_heads
from puremetrics.sampling.resampling import DEFAULT_RESAMPLES, resampled_tables
from puremetrics.sampling.uncertain import limits_over
from puremetrics.setting import PriorLike, PurityLike, Setting, TwoSamples
from puremetrics.statistics.roc_area import RocAuc
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = ["HullVariance", "curve_limits", "hull_variance"]


_LEAST_SPREAD = 1e-30  # of a share of exactly 0 or 1, at levels near 0
_THRESHOLDS = 33  # tried for each height
_HEIGHTS = 28  # and twice as many of these, on each side of the estimate
_NEAR_ONE = 0.9
_KNOTS = np.concatenate([[0.0, 0.01, 0.02, 0.05], np.arange(1, 11) / 10])


class _Path(NamedTuple):
    """The two samples as a path: shares of the labelled and of the other rows above each threshold."""

    pos: FloatArray
    other: FloatArray
    along: FloatArray
    sizes: tuple[float, float]
    labelled: float  # share of the labelled rows in the comparison sample
    random_share: bool

    @staticmethod
    def of(setting: Setting) -> _Path:
        samples = setting.samples
        counts, _ = samples.others
        running = np.concatenate([[0.0], np.cumsum(counts, dtype=np.float64)])
        pos, other = samples.heads.pos, running / running[-1]
        rows = float(samples.total_pos), float(running[-1])
        inside = rows[0] / sum(rows) if samples.one_sample else 0.0
        sizes = rows[0] / samples.effect[0], rows[1] / samples.effect[1]
        random_share = samples.one_sample and setting.table.total_unl > 0
        return _Path(pos, other, pos + other, sizes, inside, random_share)


def curve_limits(setting: Setting, fpr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Pointwise limits of the ROC curve and of its hull, at prior, purity and level of the setting."""
    at = np.union1d(fpr, _KNOTS)
    low, high = _pointwise(setting, at)
    raised = np.maximum.accumulate(np.concatenate([[0.0], high[1:]]))
    raised[-1] = 1.0
    ends = concave_blocks(np.diff(at), np.diff(raised))
    place = np.searchsorted(at, fpr)
    return low[place], np.clip(
        np.maximum(height(at[ends], raised[ends], fpr), high[place]), 0.0, 1.0
    )


def _pointwise(setting: Setting, fpr: FloatArray) -> tuple[FloatArray, FloatArray]:
    path = _Path.of(setting)
    first, last = _crossings(setting, fpr)
    limit = normal_quantile(setting.level)
    even = np.linspace(0.0, 1.0, _HEIGHTS)
    steps = np.unique(np.concatenate([even**3, 1 - even**2]))  # dense at both ends
    ends = []
    for start, end in ((np.minimum(first, last), 0.0), (np.maximum(first, last), 1.0)):
        heights = start[:, None] + (end - start)[:, None] * steps
        distance = np.sqrt(_statistic(path, setting, fpr[:, None], heights, limit**2 / 2))
        ends.append(_last_inside(heights, distance, limit))
    return ends[0], ends[1]


def _crossings(setting: Setting, fpr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Heights at which the corrected path first and last reaches the false positive rates, in [0, 1]."""
    heads = setting.samples.heads
    tpr, rate = corrected_rates(heads.pos, heads.cmp, setting.share, setting.purity)
    most, least = np.maximum.accumulate(rate), np.minimum.accumulate(rate[::-1])[::-1]
    found = []
    for after in (np.searchsorted(most, fpr), np.searchsorted(least, fpr, side="right")):
        after = np.clip(after, 1, rate.size - 1)
        run = rate[after] - rate[after - 1]
        part = np.divide(fpr - rate[after - 1], run, out=np.ones_like(fpr), where=run > 0)
        step = tpr[after] - tpr[after - 1]
        found.append(np.clip(tpr[after - 1] + np.clip(part, 0.0, 1.0) * step, 0.0, 1.0))
    return found[0], found[1]


def _statistic(
    path: _Path, setting: Setting, fpr: FloatArray, tpr: FloatArray, added: float
) -> FloatArray:
    """How far curves through the points (fpr, tpr) are from the rows, at the best threshold."""
    share, purity = setting.share, setting.purity
    wanted_pos = np.clip(purity * tpr + (1 - purity) * fpr, 0.0, 1.0)
    wanted_cmp = share * tpr + (1 - share) * fpr
    rest = 1 - path.labelled
    wanted = np.clip((wanted_cmp - path.labelled * wanted_pos) / rest, 0.0, 1.0)
    size_pos, size = path.sizes
    sizes = np.full_like(wanted, size)
    if path.random_share:
        slope = (wanted_cmp - wanted_pos) / rest**2
        noise = slope**2 * path.labelled * rest / (size + size_pos)
        sizes = size / (1 + size * noise / np.maximum(wanted * (1 - wanted), 1 / size))
    # Beyond all places at which one of the shares, or its centre, fits exactly, everything fits worse.
    places = [
        place
        for column, at, rows in ((path.pos, wanted_pos, size_pos), (path.other, wanted, sizes))
        for pulled in (0.0, added)
        for place in _places(column, path.along, np.clip(at + (2 * at - 1) * pulled / rows, 0, 1))
    ]
    low, high = np.minimum.reduce(places), np.maximum.reduce(places)
    along = low[..., None] + (high - low)[..., None] * np.linspace(0.0, 1.0, _THRESHOLDS)
    corners = path.along[np.minimum(np.searchsorted(path.along, along), path.along.size - 1)]
    along = np.concatenate([along, corners], axis=-1)  # the best threshold is often a corner
    seen, wanted_pos = np.interp(along, path.along, path.pos), wanted_pos[..., None]
    first = _distance(seen, wanted_pos, size_pos, added)
    if np.any(wanted_pos >= _NEAR_ONE):
        first = np.minimum(first, _near_one(seen, wanted_pos, size_pos))
    seen = np.interp(along, path.along, path.other)
    second = _distance(seen, wanted[..., None], sizes[..., None], added)
    return np.asarray((first + second).min(axis=-1))


def _places(column: FloatArray, along: FloatArray, at: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where along the path a share is first and last equal to ``at``."""
    first = np.clip(np.searchsorted(column, at, side="left"), 0, column.size - 1)
    last = np.clip(np.searchsorted(column, at, side="right") - 1, 0, column.size - 1)
    before = np.maximum(first - 1, 0)
    run = column[first] - column[before]
    part = np.divide(at - column[before], run, out=np.ones_like(at), where=run > 0)
    start = along[before] + np.clip(part, 0.0, 1.0) * (along[first] - along[before])
    return start, np.where(column[last] == at, along[last], start)


def _distance(seen: FloatArray, given: FloatArray, size: Any, added: float) -> FloatArray:
    """Squared standardised distance of a share, with ``added`` successes and failures (Agresti, Coull)."""
    padded = size + 2 * added
    centre = (seen * size + added) / padded
    spread = np.maximum(centre * (1 - centre), _LEAST_SPREAD)
    return np.asarray((centre - given) ** 2 * padded / spread)


def _near_one(seen: FloatArray, given: FloatArray, size: float) -> FloatArray:
    """The likelihood ratio where the share is close to 1, and no limit elsewhere."""
    from scipy.special import rel_entr

    ratio = rel_entr(seen, given) + rel_entr(1 - seen, 1 - given)
    return np.asarray(np.where(given >= _NEAR_ONE, 2 * size * np.maximum(ratio, 0.0), np.inf))


def _last_inside(heights: FloatArray, distance: FloatArray, limit: float) -> FloatArray:
    """The farthest height of each row within the limit, between the last one inside and the next."""
    inside = distance <= limit
    last = heights.shape[1] - 1 - np.argmax(inside[:, ::-1], axis=1)
    last = np.where(inside.any(axis=1), last, 0)
    rows, after = np.arange(last.size), np.minimum(last + 1, heights.shape[1] - 1)
    near, far = distance[rows, last], distance[rows, after]
    run = np.where(np.isfinite(far), far - near, 0.0)
    part = np.divide(limit - near, run, out=np.zeros_like(run), where=run > 0)
    part = np.clip(part, 0.0, 1.0)
    return np.asarray(heights[rows, last] + part * (heights[rows, after] - heights[rows, last]))


_MOST_HEIGHTS = 20_000_000  # heights of resampled hulls in memory
_SMALL = 0.1  # false positive rates at which curves are steep
_AGAIN = 20  # samples, and samples of each, that show how much less resampled positives vary
_LEAST_KEPT = 1 / 3


@dataclass(frozen=True, eq=False, repr=False)
class HullVariance(Result):
    """Variance of the hull at fixed false positive rates, split by group.

    Attributes
    ----------
    fpr, tpr : ndarray, shape (k,)
        Where, and the hull there.
    due_to_pos, due_to_others, total : ndarray, shape (k,)
        Variance due to the positives, due to the rows they are compared with, and their sum. That of the
        positives allows for resampled ones that vary less than new ones would; ``replicates`` are as drawn.
    low, high : ndarray, shape (k,)
        Pointwise confidence limits, within [0, 1], of the ROC curve of positives against negatives and of its
        hull, which are the same where that curve is concave (`curve_limits`). They reach up to the hull.
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
                    f"{name}={times[-1]:g}: pass how many times as large the sample becomes, a positive "
                    "number."
                )
        positives, others = times
        return float(np.sqrt(self.area_due_to_pos / positives + self.area_due_to_others / others))

    _picture = Picture(
        "fpr",
        ("tpr",),
        (("low", "high"),),
        x_title="false positive rate",
        y_title="true positive rate",
        diagonal=True,
    )

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
            lines.append(
                f"  corrected for its bias: {self.corrected_area:.4f}, {self.interval.words()}"
            )
        lines.append(
            f"  with unlimited other rows the error would still be {self.with_more(others=np.inf):.4f}, "
            f"with unlimited positives {self.with_more(positives=np.inf):.4f}"
        )
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


@takes_data
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
    single training set the sizes of the groups vary, too. Resampled positives vary too little; a bootstrap
    of the bootstrap says by how much, and that is allowed for.

    Parameters
    ----------
    table : ScoreTable
        Without sampling weights.
    prior, purity
        As in `roc_hull`; ranges widen the limits.
    fpr : array-like, optional
        False positive rates at which the hull is evaluated; default 0, 0.01 … 1.
    n_resamples : int, default 500
        Of each sample.
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
    extremes = setting.at_extremes()
    corners = extremes.points()

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
    again = [
        np.var(
            [
                heights(t)
                for t in resampled_tables(sample, ("pos",), _AGAIN, scheme, True, generator)
            ],
            axis=0,
            ddof=1,
        )
        for sample in resampled_tables(used, ("pos",), _AGAIN, scheme, True, generator)
    ]
    kept = np.ones_like(parts["pos"])
    np.divide(np.mean(again, axis=0), parts["pos"], out=kept, where=parts["pos"] > 0)
    parts["pos"] = parts["pos"] / np.clip(kept, _LEAST_KEPT, 1.0)
    lifted = sum(values.mean(axis=0) - centre for values in replicates.values())
    limits = [curve_limits(allow_for_groups_in_heads(corner), grid) for corner in corners]
    inside = np.clip(centre[:, :-1], [ends[0] for ends in limits], [ends[1] for ends in limits])
    spreads = inside, *zip(*limits, strict=True)
    low, high = limits_over(extremes.assumed, spreads, setting.level)
    low, high = np.minimum(low, centre[0, :-1]), np.maximum(high, centre[0, :-1])
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
            *allow_for_groups_in_heads(setting).diagnostics,
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
    direct = RocAuc("direct").estimate(setting).interval
    assert direct is not None
    unbiased = area - 2 * np.maximum(lifted, 0.0)
    reach = normal_quantile(setting.level) * np.sqrt(variance)
    most = limits_over(
        setting.at_extremes().assumed,
        (unbiased, unbiased - reach, unbiased + reach),
        setting.level,
    )[1]
    low = min(max(direct.low, 0.0), 1.0)
    high = min(max(direct.high, float(most), low), 1.0)
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
            "apart: the curve is steep there, and a few rows decide where it runs. Rely on the limits, not "
            "the hull, or label more positives.",
        )
    ]
