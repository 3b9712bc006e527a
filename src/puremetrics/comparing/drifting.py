"""How a model fares from segment to segment: corrected AUC and prior of each, and whether they differ.

Each segment is corrected with its own prior, estimated from its scores unless one is given. Whether
segments differ is asked by Cochran's Q: the squared distances from the mean weighted by 1/SE², added up,
follow a χ² distribution with one degree of freedom less than there are segments if all are alike.
Standard errors of areas at a given prior, and of naive ones, rest on the spread of the rows pooled over all
segments: the error that a segment gives itself shrinks where it was lucky. If priors are estimated,
those of the corrected area and of the prior are half widths of each segment's own interval, since each
prior is uncertain by itself. Only segments with at least
30 positives enter, since standard errors from fewer are too rough for a sum of many. If the priors are
estimated, the naive AUC (which needs none, and so has more power), the AUC and the prior are asked, each
at a third of the error rate. Segments that stand out are named by Holm's step-down test of their distances
from the mean of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.checking.arguments import check_level
from puremetrics.checking.types import FloatArray
from puremetrics.comparing.segment_figures import (
    Homogeneity,
    RawArea,
    homogeneity_of,
    pooled,
    segment_rows,
    sentence_of,
)
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.results import Columns, Result, json_ready
from puremetrics.setting import PriorLike, PurityLike
from puremetrics.tables.segments import Segments

__all__ = ["Drift", "drift"]

_COLUMNS = (
    "segment", "rows", "positives", "naive_auc", "auc", "auc_low", "auc_high",
    "prior", "prior_low", "prior_high",
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Drift(Result):
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

    def frame(self) -> Columns:
        """Return columns, one row a segment; a number that could not be computed is NaN."""
        segments = np.empty(len(self), dtype=object)
        segments[:] = self.columns["segment"]
        numbers = {
            name: np.array(
                [np.nan if value is None else value for value in column], dtype=np.float64
            )
            for name, column in self.columns.items()
            if name != "segment"
        }
        return {"segment": segments, **numbers}

    def __len__(self) -> int:
        return len(self.columns["segment"])

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        ready: dict[str, Any] = json_ready(
            {
                "by": self.by,
                "prior_source": self.prior_source,
                "segments": {
                    **self.columns,
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
                "diagnostics": self.diagnostics,
            }
        )
        return ready

    def _told(self) -> list[str]:
        first = f"{len(self)} segments by {self.by!r}; prior {self.prior_source}"
        return [first, *(f"  {sentence_of(test)}" for test in self.tests)]

    def __str__(self) -> str:
        first, *tests = self._told()
        lines = [first]
        rows = list(zip(*(self.columns[name] for name in _COLUMNS), strict=True))
        last = rows[-12:]  # what is latest matters most
        width = max([len(str(row[0])) for row in last] + [7])
        lines.append(
            f"  {'segment':<{width}}{'rows':>10}{'positives':>11}{'naive':>8}{'AUC':>8}"
            f"   {'interval':<17}{'prior':>7}"
        )
        if len(rows) > 12:
            lines.append(f"  … {len(rows) - 12} earlier segments")
        for row in last:
            segment, size, positives, naive, auc, low, high, prior = row[:8]
            span = "" if low is None else f"{low:.4f} to {high:.4f}"
            shown = [_number(value) for value in (naive, auc)]
            lines.append(
                f"  {segment!s:<{width}}{size:>10.0f}{positives:>11.0f}{shown[0]:>8}{shown[1]:>8}"
                f"   {span:<17}{_number(prior):>7}"
            )
        lines += tests
        lines += [f"  {remark}" for remark in self.diagnostics if remark.code != "PM604"]
        return "\n".join(lines)


def drift(
    segments: Segments,
    *,
    prior: PriorLike | Mapping[Any, PriorLike] = None,
    purity: PurityLike = None,
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
    purity : float or (low, high), default 1
        Share of true positives among the labelled.
    confidence_level : float, default 0.95
        Of the intervals; the tests have an error rate of one minus that.

    Returns
    -------
    Drift
        Diagnostic PM604 says if segments differ by more than chance. Cost: at a known prior some 30
        microseconds for a small segment and milliseconds for a large one; 30 milliseconds if the prior is
        estimated.

    Examples
    --------
    >>> from puremetrics import ScoreTable
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
    found = segment_rows(segments, prior, purity, level)
    rows = [(key, *row.numbers) for key, row in found.items()]
    reasons = {k: row.reason.rstrip(".") for k, row in found.items() if row.reason is not None}
    raw = {"naive_auc": [r.naive for r in found.values()], "auc": [r.area for r in found.values()]}
    columns = dict(zip(_COLUMNS, zip(*rows, strict=True), strict=True))
    for key, counts in segments.without_positives.items():
        reasons[key] = (
            f"{counts[0]} positives, {counts[1]} unlabeled rows and {counts[2]} negatives: nothing to "
            "compare"
        )
    names = ("naive_auc", "auc", "prior") if prior is None else ("auc",)
    tests = []
    for name in names:
        together = name == "naive_auc" or prior is not None
        place, value, error = (
            pooled(raw[name]) if together else _own(name, columns, raw["auc"], level)
        )
        keys = [columns["segment"][i] for i in place]
        tests.append(homogeneity_of(name, keys, value, error, (1 - level) / len(names)))
    kept = tuple(test for test in tests if test is not None)
    return Drift(
        segments.by,
        columns,
        reasons,
        kept,
        level,
        "estimated per segment" if prior is None else "given",
        _remarks(kept, reasons, len(columns["segment"])),
    )


def _own(
    name: str, columns: dict[str, tuple[Any, ...]], areas: list[RawArea | None], level: float
) -> tuple[list[int], FloatArray, FloatArray]:
    """Places, values and errors by the intervals: each segment's prior is uncertain by itself."""
    place = [i for i, area in enumerate(areas) if area is not None]
    value, low, high = (
        np.array([columns[f"{name}{end}"][i] for i in place], dtype=np.float64)
        for end in ("", "_low", "_high")
    )
    return place, value, (high - low) / (2 * normal_quantile(level))


def _remarks(
    tests: tuple[Homogeneity, ...], reasons: dict[Any, str], segments: int
) -> tuple[Diagnostic, ...]:
    remarks = [Diagnostic("PM604", sentence_of(test)) for test in tests if test.differ]
    if reasons:
        first = next(iter(reasons))
        remarks.append(
            Diagnostic(
                "PM605",
                f"some numbers are missing for {len(reasons)} segments, such as {first!r}: {reasons[first]}.",
            )
        )
    return tuple(remarks)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _plain(key: Any) -> Any:
    return key if key is None or isinstance(key, str | int | float | bool) else str(key)
