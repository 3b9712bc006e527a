"""How a model fares from segment to segment: corrected AUC and prior of each, and whether they differ.

Each segment is corrected with its own prior, estimated from its scores unless one is given. Whether
segments differ is asked by Cochran's Q: the squared distances from the mean weighted by 1/SE², added up,
follow a χ² distribution with one degree of freedom less than there are segments if all are alike.
Standard errors are half widths of the intervals, so an uncertain prior counts. Only segments with at least
30 positives enter, since standard errors from fewer are too rough for a sum of many. If the priors are
estimated, the naive AUC (which needs none, and so has more power), the AUC and the prior are asked, each
at a third of the error rate. Segments that stand out are named by Holm's step-down test of their distances
from the mean of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from puremetrics._validation import FloatArray, check_level
from puremetrics.confusion import FEW_POSITIVES, heads_of
from puremetrics.correction import area_influence, roc_auc
from puremetrics.exceptions import Diagnostic, InputError, PuremetricsError
from puremetrics.intervals import linear_variance, normal_quantile, weighted_sum
from puremetrics.priors.estimate import estimate_prior
from puremetrics.results import Estimate, PriorEstimate
from puremetrics.scenario import PriorLike, PriorRange, comparison_share, resolve_prior
from puremetrics.segments import Segments
from puremetrics.table import ScoreTable

__all__ = ["Drift", "Homogeneity", "drift"]

_COLUMNS = (
    "segment", "rows", "positives", "naive_auc", "auc", "auc_low", "auc_high",
    "prior", "prior_low", "prior_high",
)  # fmt: skip
_ROWS_FOR_PRIOR = 100


@dataclass(frozen=True)
class Homogeneity:
    """Cochran's test that all segments have the same value.

    Attributes
    ----------
    name : str
        "naive_auc", "auc" or "prior".
    segments : int
        How many were compared.
    statistic, p_value : float
        Q, and the chance of one at least as large if segments are alike.
    mean : float
        Mean of the segments, weighted by precision.
    differ : bool
        Whether the chance is below the error rate, shared by the quantities that were asked.
    outliers : tuple
        Segments that stand out, by Holm's test; empty unless segments differ.
    """

    name: str
    segments: int
    statistic: float
    p_value: float
    mean: float
    differ: bool
    outliers: tuple[Any, ...]


@dataclass(frozen=True)
class Drift:
    """Corrected AUC and prior of each segment.

    Attributes
    ----------
    by : str
        Column of the segments.
    columns : dict of str to tuple
        What `frame` returns.
    reasons : dict
        Why the numbers of a segment are missing.
    tests : tuple of Homogeneity
    level : float
    prior_source : str
        "given", or "estimated per segment".
    """

    by: str
    columns: dict[str, tuple[Any, ...]]
    reasons: dict[Any, str]
    tests: tuple[Homogeneity, ...]
    level: float
    prior_source: str
    diagnostics: tuple[Diagnostic, ...] = ()

    def frame(self) -> dict[str, list[Any]]:
        """Return columns, one row a segment; a number that could not be computed is None."""
        return {name: list(column) for name, column in self.columns.items()}

    def __len__(self) -> int:
        return len(self.columns["segment"])

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        return {
            "by": self.by,
            "prior_source": self.prior_source,
            "segments": {
                **self.frame(),
                "segment": [_plain(key) for key in self.columns["segment"]],
            },
            "reasons": {str(key): reason for key, reason in self.reasons.items()},
            "tests": [
                {
                    "name": test.name,
                    "segments": test.segments,
                    "statistic": test.statistic,
                    "p_value": test.p_value,
                    "mean": test.mean,
                    "differ": test.differ,
                    "outliers": [_plain(key) for key in test.outliers],
                }
                for test in self.tests
            ],
            "diagnostics": [{"code": d.code, "message": d.message} for d in self.diagnostics],
        }

    def __str__(self) -> str:
        lines = [f"{len(self)} segments by {self.by!r}; prior {self.prior_source}"]
        rows = list(zip(*(self.columns[name] for name in _COLUMNS), strict=True))
        last = rows[-12:]  # what is latest matters most
        width = max([len(str(row[0])) for row in last] + [7])
        lines.append(
            f"  {'segment':<{width}}{'rows':>10}{'positives':>11}{'naive':>8}{'AUC':>8}"
            f"   {'interval':<17}{'prior':>7}"
        )
        if len(rows) > 12:
            lines.append(f"  … {len(rows) - 12} before these")
        for row in last:
            segment, size, positives, naive, auc, low, high, prior = row[:8]
            span = "" if low is None else f"{low:.4f} to {high:.4f}"
            shown = [_number(value) for value in (naive, auc)]
            lines.append(
                f"  {segment!s:<{width}}{size:>10.0f}{positives:>11.0f}{shown[0]:>8}{shown[1]:>8}"
                f"   {span:<17}{_number(prior):>7}"
            )
        lines += [f"  {_sentence(test)}" for test in self.tests]
        lines += [f"  {remark}" for remark in self.diagnostics if remark.code != "PM604"]
        return "\n".join(lines)


def drift(
    segments: Segments,
    *,
    prior: PriorLike | Mapping[Any, PriorLike] = None,
    purity: float = 1.0,
    confidence_level: float = 0.95,
) -> Drift:
    """Estimate AUC and prior of every segment, and test whether segments differ.

    Holds for each segment as `roc_auc` does: if its labelled positives are a random sample of its
    positives.

    Parameters
    ----------
    segments : Segments
    prior : float, (low, high), PriorEstimate, or mapping of segments to these, optional
        P(y = 1); one for all, or one each. Without it each segment's is estimated from its scores, if it
        has at least 30 positives and 100 unlabeled rows.
    purity : float, default 1
        Share of true positives among the labelled.
    confidence_level : float, default 0.95
        Of the intervals; the tests have an error rate of one minus that.

    Returns
    -------
    Drift
        Diagnostic PM604 says if segments differ by more than chance. Cost: some milliseconds a
        segment; 30 with an estimated prior.

    Examples
    --------
    >>> tables = {month: ScoreTable.from_groups(positive=range(20 + month, 60), unlabeled=range(50),
    ...           scenario="case_control") for month in (1, 2)}
    >>> result = drift(Segments("month", tables, tables[1].merge(tables[2]), {}), prior=0.2)
    >>> result.tests[0].differ
    False
    """
    if not isinstance(segments, Segments):
        raise InputError(
            f"drift takes Segments, not {type(segments).__name__}. Pass what scan(…, by=…) returned."
        )
    level = check_level(confidence_level)
    rows, reasons = [], {}
    raw: dict[str, list[_RawArea | None]] = {"naive_auc": [], "auc": []}
    for key, table in segments.items():
        row, reason, naive, area = _row(table, _prior_of(prior, key), purity, level)
        rows.append((key, *row))
        enough = table.total_pos >= FEW_POSITIVES
        raw["naive_auc"].append(naive if enough else None)
        raw["auc"].append(area if enough else None)
        if reason is not None:
            reasons[key] = reason.rstrip(".")
    columns = dict(zip(_COLUMNS, zip(*rows, strict=True), strict=True))
    for key, counts in segments.without_positives.items():
        reasons[key] = (
            f"{counts[0]} positives, {counts[1]} unlabeled rows and {counts[2]} negatives: nothing to "
            "compare"
        )
    names = ("naive_auc", "auc", "prior") if prior is None else ("auc",)
    tests = []
    for name in names:
        pooled = name == "naive_auc" or prior is not None
        place, value, error = (
            _pooled(raw[name]) if pooled else _own(name, columns, raw["auc"], level)
        )
        keys = [columns["segment"][i] for i in place]
        tests.append(_homogeneity(name, keys, value, error, (1 - level) / len(names)))
    found = tuple(test for test in tests if test is not None)
    return Drift(
        segments.by,
        columns,
        reasons,
        found,
        level,
        "estimated per segment" if prior is None else "given",
        _remarks(found, reasons, len(columns["segment"])),
    )


def _prior_of(prior: Any, key: Any) -> PriorLike:
    if not isinstance(prior, Mapping):
        return prior  # type: ignore[no-any-return]
    if key not in prior:
        raise InputError(f"prior has no value for segment {key!r}. Pass one for every segment.")
    return prior[key]  # type: ignore[no-any-return]


class _RawArea(NamedTuple):
    """An area without repair, and what its variance is made of."""

    value: float
    by_pos: float  # variance of a placement of a positive, and of another row
    by_others: float
    n_pos: float
    n_others: float
    gap: float

    @staticmethod
    def of(ranked: ScoreTable, known: PriorRange) -> _RawArea:
        gap = known.purity - comparison_share(ranked, known.value)
        heads = heads_of(ranked)
        below, above = area_influence(heads)
        area = weighted_sum(np.diff(heads.cmp), above)
        parts = linear_variance(ranked, below, above)
        n_pos, n_others = ranked.total_pos, ranked.total - ranked.total_pos
        return _RawArea(
            (area - (1 - gap) / 2) / gap,
            parts.from_positives * n_pos,
            parts.from_others * n_others,
            n_pos,
            n_others,
            gap,
        )


def _row(
    table: ScoreTable, prior: PriorLike, purity: float, level: float
) -> tuple[tuple[Any, ...], str | None, _RawArea, _RawArea | None]:
    """The numbers of a segment, why some are missing, and its areas without repair."""
    ranked = table.cut()
    as_labelled = ranked.unlabeled_as_negative()
    naive = roc_auc(as_labelled, prior=None, confidence_level=level)
    raw = _RawArea.of(as_labelled, resolve_prior(as_labelled, None, 1.0))
    sizes = (table.total, table.total_pos, naive.value)
    nothing = (None,) * 6
    used = prior
    if prior is None and table.total_unl > 0:
        if table.total_pos < FEW_POSITIVES or table.total_unl < _ROWS_FOR_PRIOR:
            reason = (
                f"{table.total_pos:g} positives and {table.total_unl:g} unlabeled rows are too few to "
                "estimate the prior"
            )
            return (*sizes, *nothing), reason, raw, None
        try:
            used = estimate_prior(ranked, confidence_level=level)
        except PuremetricsError as problem:
            return (*sizes, *nothing), f"the prior cannot be estimated: {problem}", raw, None
    try:
        known = resolve_prior(ranked, used, purity)
        area = roc_auc(ranked, prior=used, purity=purity, confidence_level=level)
    except PuremetricsError as problem:
        return (*sizes, *nothing), str(problem), raw, None
    assert area.interval is not None
    numbers = (area.value, *area.interval, known.value, known.low, known.high)
    return (*sizes, *numbers), _extreme(area, used), raw, _RawArea.of(ranked, known)


def _extreme(area: Estimate, prior: Any) -> str | None:
    codes = {d.code for d in area.diagnostics}
    if "PM102" in codes:
        return "the data contradict the prior"
    if isinstance(prior, PriorEstimate) and prior.interval is None:
        return "the prior was estimated without an interval"
    return None


def _pooled(areas: list[_RawArea | None]) -> tuple[list[int], FloatArray, FloatArray]:
    """Places, areas and standard errors, with the spread of the rows pooled over all segments.

    The error that a segment gives itself shrinks as its area comes out near 1, which would weight lucky
    segments too heavily: with 30 positives each, Cochran's test then raises three false alarms for one.
    """
    place = [i for i, area in enumerate(areas) if area is not None]
    known = [area for area in areas if area is not None]
    by_pos, by_others = (
        float(np.mean([area[i] for area in known])) if known else 0.0 for i in (1, 2)
    )
    variance = [(by_pos / a.n_pos + by_others / a.n_others) / a.gap**2 for a in known]
    return place, np.array([area.value for area in known]), np.sqrt(variance)


def _own(
    name: str, columns: dict[str, tuple[Any, ...]], areas: list[_RawArea | None], level: float
) -> tuple[list[int], FloatArray, FloatArray]:
    """Places, values and errors by the intervals: each segment's prior is uncertain by itself."""
    place = [i for i, area in enumerate(areas) if area is not None]
    value, low, high = (
        np.array([columns[f"{name}{end}"][i] for i in place], dtype=np.float64)
        for end in ("", "_low", "_high")
    )
    return place, value, (high - low) / (2 * normal_quantile(level))


def _homogeneity(
    name: str, keys: list[Any], value: FloatArray, error: FloatArray, allowed: float
) -> Homogeneity | None:
    """Cochran's Q, and by Holm's test the segments that stand out."""
    from scipy.special import chdtrc, ndtr

    keys = [key for key, own in zip(keys, error, strict=True) if own > 0]
    value, error = value[error > 0], error[error > 0]
    if len(keys) < 2:
        return None
    weight = 1 / error**2
    mean = weighted_sum(weight, value) / float(weight.sum())
    statistic = weighted_sum(weight, (value - mean) ** 2)
    p_value = float(chdtrc(len(keys) - 1, statistic))
    differ = p_value < allowed
    outliers: tuple[Any, ...] = ()
    if differ:
        spread = np.sqrt(np.maximum(error**2 - 1 / weight.sum(), 1e-300))
        beyond = 2 * ndtr(-np.abs(value - mean) / spread)
        outliers = tuple(keys[i] for i in _holm(np.asarray(beyond), allowed))
    return Homogeneity(name, len(keys), statistic, p_value, mean, differ, outliers)


def _holm(p_values: FloatArray, error: float) -> list[int]:
    """Places whose p-value passes Holm's step-down test, most extreme first."""
    order = np.argsort(p_values, kind="stable")
    limits = error / np.arange(p_values.size, 0, -1)
    passed = p_values[order] < limits
    count = int(np.argmin(passed)) if not passed.all() else p_values.size
    return [int(i) for i in order[:count]]


def _remarks(
    tests: tuple[Homogeneity, ...], reasons: dict[Any, str], segments: int
) -> tuple[Diagnostic, ...]:
    remarks = [Diagnostic("PM604", _sentence(test)) for test in tests if test.differ]
    if reasons:
        first = next(iter(reasons))
        remarks.append(
            Diagnostic(
                "PM605",
                f"{len(reasons)} segments lack some numbers, such as {first!r}: {reasons[first]}.",
            )
        )
    return tuple(remarks)


def _sentence(test: Homogeneity) -> str:
    what = {"naive_auc": "naive AUC", "auc": "AUC", "prior": "prior"}[test.name]
    if not test.differ:
        return (
            f"the {what} of {test.segments} segments differs no more than by chance "
            f"(p = {test.p_value:.2g}); mean {test.mean:.4f}"
        )
    named = ", ".join(str(key) for key in test.outliers[:8])
    more = f" and {len(test.outliers) - 8} more" if len(test.outliers) > 8 else ""
    out = f"; these stand out: {named}{more}" if named else "; no single one stands out"
    return (
        f"the {what} of {test.segments} segments differs by more than chance (p = {test.p_value:.2g}; "
        f"mean {test.mean:.4f}){out}"
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _plain(key: Any) -> Any:
    return key if key is None or isinstance(key, str | int | float | bool) else str(key)
