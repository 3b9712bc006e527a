"""The one bootstrap, for any statistic of a table.

Intervals: "percentile", "basic" (percentile reflected at the estimate) and "bca" (Efron's bias-corrected
and accelerated; the acceleration comes from the jackknife over rows, or over 200 random parts of them).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from puremetrics.checking.arguments import (
    check_choice,
    check_flag,
    check_level,
    check_resamples,
    renamed,
    shown,
)
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError, PriorError, PuremetricsError
from puremetrics.results import Columns, Interval, Result
from puremetrics.sampling.resampling import (
    DEFAULT_RESAMPLES,
    KINDS_OF_ROWS,
    counts_by_kind,
    resampled_tables,
)
from puremetrics.setting import check_table
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = ["BootstrapResult", "bootstrap"]

_JACKKNIFE_PARTS = 200
_JACKKNIFE_ROWS = 300


@dataclass(frozen=True, eq=False, repr=False)
class BootstrapResult(Result):
    """What the bootstrap says about a statistic, a number or an array.

    Attributes
    ----------
    value, standard_error, low, high : float or ndarray
        The statistic of the table itself, the spread of its replicates, and the interval.
    replicates : ndarray, shape (n_resamples, …)
    level, method, scheme, resample
        How it was made.
    """

    value: Any
    standard_error: Any
    low: Any
    high: Any
    level: float
    method: str
    scheme: str
    resample: tuple[str, ...]
    replicates: FloatArray = field(repr=False)
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def interval(self) -> Interval:
        """The interval of a statistic that is a single number."""
        if np.ndim(self.value):
            raise InputError("The statistic is an array: use `low` and `high`.")
        name = f"bootstrap_{self.method}"
        return Interval(float(self.low), float(self.high), self.level, "confidence", name)

    def frame(self) -> Columns:
        """Return one row for each number of the statistic: value, standard error, low and high."""
        names = ("value", "standard_error", "low", "high")
        return {name: np.atleast_1d(np.asarray(getattr(self, name))).ravel() for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON; the replicates are left out."""
        found = super().to_dict()
        del found["replicates"]
        return found

    def __str__(self) -> str:
        how = f"{100 * self.level:g}% {self.method} bootstrap interval"
        drawn = f"  {len(self.replicates)} resamples ({self.scheme}) of {', '.join(self.resample)}"
        if np.ndim(self.value):
            return f"{np.size(self.value)} numbers with their {how}\n{drawn}"
        return (
            f"{self.value:.4f}, {how} {self.low:.4f} to {self.high:.4f}, "
            f"standard error {self.standard_error:.4f}\n{drawn}"
        )


@renamed(method="interval")
@takes_data
def bootstrap(
    table: ScoreTable,
    statistic: Callable[[ScoreTable], Any],
    *,
    resample: tuple[str, ...] | None = None,
    n_resamples: int = DEFAULT_RESAMPLES,
    scheme: str = "multinomial",
    interval: str = "percentile",
    confidence_level: float = 0.95,
    fixed_sizes: bool | None = None,
    cut: bool = True,
    rng: Any = 0,
    progress: Callable[[int, int], None] | None = None,
) -> BootstrapResult:
    """Bootstrap any statistic of a table.

    Parameters
    ----------
    table : ScoreTable
        Without sampling weights.
    statistic : callable
        Takes a `ScoreTable` and returns a number or an array.
    resample : tuple of {"pos", "unl", "neg"}, optional
        Kinds of rows to resample; the others are held fixed. Default: all kinds that have rows.
    n_resamples : int, default 500
    scheme : {"multinomial", "poisson"}
    interval : {"percentile", "basic", "bca"}
        How the interval is made from the replicates.
    confidence_level : float, default 0.95
    fixed_sizes : bool, optional
        Keep the size of each kind. Default: yes in case_control, no in a single training set
        whose kinds are all resampled.
    cut : bool, default True
        Cut the table at the labelled scores first; right for every statistic of ranks. Pass False
        for statistics that need the scores themselves.
    rng : int or Generator, default 0
        A second run says the same; None draws anew.
    progress : callable, optional
        Called with (done, total).

    Examples
    --------
    >>> from puremetrics import roc_auc
    >>> table = ScoreTable.from_groups(
    ...     positive=range(4, 40), unlabeled=range(30), scenario="case_control")
    >>> result = bootstrap(table, lambda t: roc_auc(t, prior=0.1, method="direct").value, rng=0)
    >>> bool(result.low < result.value < result.high)
    True
    """
    check_table(table)
    level = check_level(confidence_level)
    method = check_choice(interval, ("percentile", "basic", "bca"), "interval")
    for name, flag in (
        ("cut", cut),
        ("fixed_sizes", False if fixed_sizes is None else fixed_sizes),
    ):
        check_flag(flag, name)
    if method == "bca" and table.clusters is not None:
        raise InputError(
            "interval='bca' leaves out rows one by one, but these rows belong to groups. Use 'percentile' "
            "or 'basic'."
        )
    base = table.cut() if cut else table
    resample = KINDS_OF_ROWS if resample is None else resample
    n_resamples = check_resamples(n_resamples)
    if not callable(statistic):
        raise InputError(
            f"statistic must be a function of a ScoreTable, but is {shown(statistic)}. Pass a function such "
            "as lambda table: roc_auc(table, prior=0.1).value."
        )
    statistic = _guarded(statistic)
    value = _numbers(statistic(base))
    replicates = np.empty((n_resamples, *value.shape))
    tables = resampled_tables(base, resample, n_resamples, scheme, fixed_sizes, rng)
    for done, resampled in enumerate(tables, start=1):
        try:
            replicates[done - 1] = _numbers(statistic(resampled), value.shape)
        except PriorError as problem:
            raise PriorError(
                f"The prior is impossible in a resample: {problem} With fixed_sizes=True the number of "
                "labelled rows does not vary."
            ) from None
        if progress is not None:
            progress(done, n_resamples)
    acceleration = _acceleration(base, statistic, resample) if method == "bca" else np.zeros(())
    low, high = _limits(value, replicates, level, method, acceleration)
    undefined = int(np.isnan(replicates).reshape(n_resamples, -1).any(axis=1).sum())
    if undefined or np.isnan(value).any():
        where = f"in {undefined} of {n_resamples} resamples" if undefined else "on the table itself"
        raise InputError(
            f"The statistic is NaN {where}, so its spread is unknown. Pass a statistic that is a number "
            "on every table, such as one at another threshold."
        )
    error = replicates.std(axis=0, ddof=1)
    plain = (lambda a: a) if value.ndim else float
    return BootstrapResult(
        plain(value), plain(error), plain(low), plain(high), level, method, scheme,
        tuple(resample), replicates,
    )  # fmt: skip


def _limits(
    value: FloatArray, replicates: FloatArray, level: float, method: str, acceleration: FloatArray
) -> tuple[FloatArray, FloatArray]:
    error = (1 - level) / 2
    if method != "bca":
        low, high = np.quantile(replicates, [error, 1 - error], axis=0)
        return (2 * value - high, 2 * value - low) if method == "basic" else (low, high)
    from scipy.special import ndtr, ndtri

    count = replicates.shape[0]
    below = (replicates < value).sum(axis=0) + (replicates == value).sum(axis=0) / 2
    bias = ndtri(np.clip(below / count, 0.5 / count, 1 - 0.5 / count))
    ordered = np.sort(replicates, axis=0)
    limits = []
    for tail in (error, 1 - error):
        z = bias + ndtri(tail)
        share = ndtr(bias + z / (1 - acceleration * z))
        place = np.clip(np.floor(share * (count + 1)).astype(np.int64) - 1, 0, count - 1)
        limits.append(np.take_along_axis(ordered, place[None], axis=0)[0])
    return limits[0], limits[1]


def _acceleration(
    table: ScoreTable, statistic: Callable[[ScoreTable], Any], resample: tuple[str, ...]
) -> FloatArray:
    """Skewness of the jackknife: each row of the table left out once, weighted by its count.

    With more than 300 occupied rows they are left out in 200 random parts instead (random, because
    parts interleaved by rank would average away the very skewness that is sought).
    """
    counts = counts_by_kind(table, resample)
    parts, weights = [], []
    for name in resample:
        column = np.asarray(counts[name])
        total = int(column.sum())
        if total < 2:
            continue
        values, times = [], []
        for gone, count in _left_out(column, total):
            columns = {**counts, name: column - gone}
            values.append(
                _numbers(statistic(table.with_counts(*(columns[key] for key in KINDS_OF_ROWS))))
            )
            times.append(count)
        jackknife, share = np.array(values), np.array(times, dtype=np.float64)
        centre = np.tensordot(share, jackknife, axes=1) / share.sum()
        parts.append((total - 1) / total * (centre - jackknife))  # comparable between kinds
        weights.append(share)
    if not parts:
        return np.zeros(())
    together, weight = np.concatenate(parts), np.concatenate(weights)
    spread = np.tensordot(weight, together**2, axes=1)
    skew = np.tensordot(weight, together**3, axes=1)
    return np.asarray(np.divide(skew, 6 * spread**1.5, out=np.zeros_like(spread), where=spread > 0))


def _left_out(column: Any, total: int) -> Iterator[tuple[Any, int]]:
    occupied = np.flatnonzero(column)
    if occupied.size <= _JACKKNIFE_ROWS:
        for row in occupied:
            gone = np.zeros_like(column)
            gone[row] = 1
            yield gone, int(column[row])
        return
    generator = np.random.default_rng(0)
    left = column.copy()
    for number in range(_JACKKNIFE_PARTS):
        size = int(left.sum()) // (_JACKKNIFE_PARTS - number)
        gone = np.zeros_like(column)
        rows = np.flatnonzero(left)
        gone[rows] = generator.multivariate_hypergeometric(left[rows], size, method="marginals")
        left = left - gone
        yield gone, 1


def _guarded(statistic: Callable[[ScoreTable], Any]) -> Callable[[ScoreTable], Any]:
    """The statistic; what it raises by itself comes with a sentence that says whose error it is."""

    def of(table: ScoreTable) -> Any:
        try:
            return statistic(table)
        except PuremetricsError:
            raise
        except Exception as error:
            raise InputError(
                f"The statistic raised {type(error).__name__}: {str(error).rstrip('.')}. Pass a function "
                "that takes a ScoreTable and returns a number, or an array of numbers."
            ) from error

    return of


def _numbers(result: Any, shape: tuple[int, ...] | None = None) -> FloatArray:
    """What a statistic returned, as floats of the shape that it had on the table itself."""
    array = None
    if result is not None:
        with suppress(TypeError, ValueError):
            array = np.asarray(result, dtype=np.float64)
    if array is None or (shape is not None and array.shape != shape):
        raise InputError(
            f"The statistic returned {type(result).__name__} {result!r:.40}, but must return a number or "
            "an array of numbers, of the same shape for every table."
        )
    return array
