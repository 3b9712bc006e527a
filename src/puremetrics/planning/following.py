"""Following an audit while answers come in, and when to stop.

`AuditPath` is an audit as it looked while answers came in, and whether it is enough. After every few rows the
statistic is estimated from the rows checked so far, in the order of checking, with the interval of the
confidence sequence (`auditing.audited`). It holds at all looks together, so whatever makes one stop at a
look, the interval there holds. Looks before and after it need no correction.

**How many more rows.** The part of an interval's width that comes from checking falls like 1/√n, and is 0
when all N rows are checked; the part that rows have as a sample of the population stays; the factor of the
sequence changes with n. That gives about the number of rows at which the rule will be met, if the estimate
stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from puremetrics.auditing.audit import Audit
from puremetrics.auditing.audited import Audited, Total, level_while_looking
from puremetrics.auditing.metrics import audited_prior
from puremetrics.checking.arguments import check_count, check_number
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.results import Columns, Result
from puremetrics.results.picture import Picture
from puremetrics.results.protocol import number
from puremetrics.scenarios import Scenario
from puremetrics.setting import PurityLike
from puremetrics.statistics.catalogue import find
from puremetrics.statistics.worlds import audited_estimate
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = ["AuditPath", "follow_audit", "widths_ahead"]


@dataclass(frozen=True, eq=False, repr=False)
class AuditPath(Result):
    """A statistic from the rows checked so far, look by look.

    Attributes
    ----------
    statistic : str
    threshold : float or None
    planned : int
        Rows that are to be checked at most.
    checked : ndarray of int
        Rows checked at each look.
    value, low, high : ndarray
        The estimate then, and its interval; intervals hold at all looks together.
    level : float
    width, above, below : float or None
        When to stop.
    stopped : int or None
        Rows at which the rule was met first; None if it is not met yet, or there is none.
    more : float or None
        About how many more rows will meet it: 0 if it is met, inf if not even all unlabeled rows would, None
        if that cannot be said yet, or there is no rule.
    """

    statistic: str
    threshold: float | None
    planned: int
    checked: Any
    value: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    width: float | None
    above: float | None
    below: float | None
    stopped: int | None
    more: float | None
    scenario: Scenario
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def enough(self) -> bool:
        """Whether the rule to stop has been met."""
        return self.stopped is not None

    _picture = Picture(
        "checked", ("value",), (("low", "high"),), x_title="rows checked", y_title="{0.statistic}"
    )

    def frame(self) -> Columns:
        """Return one row for each look."""
        return {name: getattr(self, name) for name in ("checked", "value", "low", "high")}

    @property
    def words(self) -> str:
        """What was found so far, and whether to go on."""
        at = "" if self.threshold is None else f" at score >= {self.threshold:g}"
        span = f"{number(float(self.low[-1]))} to {number(float(self.high[-1]))}"
        found = (
            f"Checked {self.checked[-1]} of {self.planned} rows: {self.statistic}{at} is "
            f"{number(float(self.value[-1]))} ({span})"
        )
        if self.width is None and self.above is None and self.below is None:
            return f"{found}."
        return f"{found}{self._met}" if self.enough else f"{found}. {self._missing}"

    @property
    def _met(self) -> str:
        """What was met at the look that stopped, as the end of a sentence."""
        assert self.stopped is not None
        look = int(np.searchsorted(self.checked, self.stopped))
        low, high = float(self.low[look]), float(self.high[look])
        met = []
        if self.width is not None and high - low <= self.width:
            met.append("narrow enough")
        limit, word = (self.below, "below") if self.above is None else (self.above, "above")
        if limit is not None and not low <= limit <= high:
            holds = (low > limit) == (word == "above")
            met.append(f"{'' if holds else 'not '}{word} {limit:g}")
        since = "" if look == len(self.checked) - 1 else f", since row {self.stopped}"
        return f", which is {' and '.join(met)}{since}; you can stop."

    @property
    def _missing(self) -> str:
        """How many more rows, about."""
        goals = [] if self.width is None else [f"make it at most {self.width:g} wide"]
        for limit, word in ((self.above, "above"), (self.below, "below")):
            if limit is not None:
                goals.append(f"decide whether it is {word} {limit:g}")
        goal = " or ".join(goals)
        if self.more is None:
            return f"It is too early to say how many more rows would {goal}."
        if np.isinf(self.more):
            return (
                f"Even checking all unlabeled rows would not {goal}: they are only a sample themselves. "
                "Stop, or ask for less."
            )
        rows = about(self.more)
        total = int(self.checked[-1]) + rows
        beyond = (
            f", {total} in all, more than the {self.planned} planned"
            if total > self.planned
            else ""
        )
        return f"About {rows} more rows would {goal}{beyond}."

    def __str__(self) -> str:
        return "\n".join([self.words, *(f"  {remark}" for remark in self.diagnostics)])


def about(rows: float) -> int:
    """A forecast as it is told: tens below 200, and two digits above."""
    unit = 10 if rows < 200 else 10 ** (int(np.log10(rows)) - 1)
    return int(np.ceil(rows / unit) * unit)


_TRIED = 400  # numbers of rows for the forecast
Span = tuple[float, float]


@takes_data  # type: ignore[arg-type]  # because of **options
def follow_audit(
    table: ScoreTable,
    audit: Audit,
    statistic: str = "f1",
    *,
    threshold: float | None = None,
    every: int = 10,
    width: float | None = None,
    above: float | None = None,
    below: float | None = None,
    purity: PurityLike = None,
    confidence_level: float = 0.95,
    **options: float,
) -> AuditPath:
    """Look at an audit after every few rows, and say whether it is enough.

    Intervals hold at all looks together, so you may stop at any of them. Rows must be in the order in which
    they were checked, and that order be random, as that of `AuditPlan.draw` is.

    Parameters
    ----------
    table : ScoreTable
        Of whole rows, not cut.
    audit : Audit
        What was checked so far, with the number of rows that are to be checked at most:
        ``plan.audit(rows, answers, sequential=True)`` or ``Audit.from_arrays(…, planned=200)``. That number
        tunes the intervals and must be fixed before the first look; an audit without it is refused, for
        the rows at hand may be so many because of what they said.
    statistic : str
        A metric at ``threshold`` (see `metric`), "prior", or any statistic that an audit tells, such as
        "roc_auc", "average_precision" or "brier_score".
    threshold : float, optional
        For a metric: rows with ``score >= threshold`` are predicted positive.
    every : int, default 10
        Look after so many rows, and at the last one.
    width : float, optional
        Stop when the interval is at most so wide.
    above, below : float, optional
        Stop when it is decided whether the statistic is above, or below, this number. With a width too, the
        first rule that is met stops.
    purity, confidence_level, options
        As in `metric`.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=range(800, 1000), unlabeled=range(1000), scenario="case_control")
    >>> rows = [(37 * i) % 1000 for i in range(60)]
    >>> audit = Audit.from_arrays(rows, [row >= 900 for row in rows], planned=100)
    >>> path = follow_audit(table, audit, "precision", threshold=500, below=0.6)
    >>> path.enough, path.stopped
    (True, 30)
    """
    whole = Audited.of(table, audit, purity, confidence_level)
    measure, title, span = _measure(statistic, threshold, options)
    step = check_count(every, "every")
    wanted, limit = _rule(width, above, below)
    if whole.audit.planned is None:
        raise InputError(
            "This audit does not record how many rows are to be checked at most, and intervals that hold at "
            "every look depend on that number. Pass plan.audit(rows, answers, sequential=True), or "
            "Audit.from_arrays(…, planned=…) with the number that was fixed beforehand."
        )
    looks = [k for k in range(step, len(audit) + step, step) if not audit.labelled[:k].all()]
    looks = [min(k, len(audit)) for k in looks]
    found = [measure(replace(whole, audit=whole.audit.first(k))) for k in looks]
    value = np.array([float(estimate) for estimate in found])
    ends = [span if e.interval is None else (e.interval.low, e.interval.high) for e in found]
    low, high = np.array(ends, dtype=np.float64).T
    met = np.zeros(len(looks), dtype=np.bool_)
    if wanted is not None:
        with np.errstate(invalid="ignore"):
            met |= high - low <= wanted
    if limit is not None:
        met |= (low > limit) | (high < limit)
    stopped = looks[int(np.argmax(met))] if met.any() else None
    more: float | None = 0.0
    if stopped is None:
        settled = measure(_with_known_positives(whole)).interval
        most = span if settled is None else (settled.low, settled.high)
        last = float(value[-1]), (float(low[-1]), float(high[-1]))
        more = _further(whole, *last, most, wanted, limit, span)
    return AuditPath(
        statistic=title,
        threshold=None if threshold is None else float(threshold),
        planned=whole.audit.planned,
        checked=np.array(looks),
        value=value,
        low=low,
        high=high,
        level=whole.level,
        width=wanted,
        above=None if above is None else limit,
        below=None if below is None else limit,
        stopped=stopped,
        more=more,
        scenario=table.scenario,
        diagnostics=_remarks(found),
    )


def widths_ahead(
    table: ScoreTable,
    audit: Audit,
    statistic: str,
    rows: int,
    *,
    threshold: float | None = None,
    purity: PurityLike = None,
    confidence_level: float = 0.95,
    **options: float,
) -> tuple[float, float]:
    """How wide the interval will be once so many rows are checked, and once all unlabeled ones are.

    The second width is what no check takes away: rows are a sample of a population. NaN where too little is
    known. Arguments are those of `follow_audit`.
    """
    whole = Audited.of(table, audit, purity, confidence_level)
    measure, _, span = _measure(statistic, threshold, options)
    now, planned = whole.audit.n_checked, whole.audit.planned
    found, settled = measure(whole).interval, measure(_with_known_positives(whole)).interval
    if found is None or settled is None or planned is None or now == 0:
        return np.nan, np.nan
    if (found.low, found.high) == span:
        return np.nan, np.nan
    size, kept = found.high - found.low, min(settled.high - settled.low, found.high - found.low)
    total = table.total_unl
    then = min(max(rows, now), total)
    left = (1 / then - 1 / total) / (1 / now - 1 / total) if now < total else 0.0
    factor = _factor(int(then), planned, whole.level) / _factor(now, planned, whole.level)
    return float(factor * np.sqrt((size**2 - kept**2) * left + kept**2)), float(kept)


def _remarks(found: list[Any]) -> tuple[Diagnostic, ...]:
    """Those of the last look, and that a value was undefined at an earlier one."""
    seen = {remark.code: remark for remark in found[-1].diagnostics}
    for estimate in found:
        if np.isnan(float(estimate)):
            seen |= {r.code: r for r in estimate.diagnostics if r.code not in seen}
    return tuple(seen.values())


def _measure(
    statistic: object, threshold: float | None, options: dict[str, float]
) -> tuple[Callable[[Audited], Any], str, Span]:
    """The statistic as a function of checked rows, its name, and where its values can lie."""
    if statistic == "prior":
        if threshold is not None or options:
            raise InputError("'prior' takes neither a threshold nor options. Leave them out.")
        return audited_prior, "prior", (0.0, 1.0)
    found = find(statistic, options, threshold=threshold)
    return lambda audited: audited_estimate(found, audited), found.name, (found.low, found.high)


def _rule(width: object, above: object, below: object) -> tuple[float | None, float | None]:
    """The widest interval that will do, and the number that it must not hold."""
    wanted = None if width is None else check_number(width, "width")
    if wanted is not None and wanted <= 0:
        raise InputError(
            f"width={wanted:g} can never be reached. Pass a number above 0, such as 0.1."
        )
    if above is not None and below is not None:
        raise InputError(
            "Pass above or below, not both: only one conclusion can be tested at a time."
        )
    if above is None and below is None:
        return wanted, None
    name, limit = ("below", below) if above is None else ("above", above)
    return wanted, check_number(limit, name)


class _Settled(Audited):
    """An audit as if all hidden positives were known: what is left is that rows are a sample."""

    def total(self, *args: Any, **more: Any) -> Total:
        return Total(super().total(*args, **more).value, 0.0, 0.0)


def _with_known_positives(audited: Audited) -> Audited:
    return _Settled(**{field.name: getattr(audited, field.name) for field in fields(audited)})


def _further(
    audited: Audited,
    value: float,
    ends: Span,
    least: Span,
    wanted: float | None,
    limit: float | None,
    span: Span,
) -> float | None:
    """Rows beyond those checked until the first rule is met: inf if never, None if too little is known."""
    goals = []  # what there is, what would be left if all rows were checked, and what is wanted
    if wanted is not None:
        goals.append((ends[1] - ends[0], least[1] - least[0], wanted))
    if limit is not None:
        side = 0 if value > limit else 1
        goals.append((abs(value - ends[side]), abs(value - least[side]), abs(value - limit)))
    if not goals or not np.isfinite([value, *ends]).all() or ends == span:
        return None
    now, planned = audited.audit.n_checked, audited.audit.planned
    assert planned is not None
    rows = audited.table.total_unl
    tried = np.unique(np.ceil(np.geomspace(now, max(rows, now), _TRIED)))[1:]
    factor = np.array([_factor(int(n), planned, audited.level) for n in tried])
    factor /= _factor(now, planned, audited.level)
    left = (1 / tried - 1 / rows) / (1 / now - 1 / rows) if now < rows else np.zeros(tried.size)
    first = np.inf
    for size, kept, goal in goals:
        kept = min(kept, size)
        reach = factor * np.sqrt((size**2 - kept**2) * left + kept**2)
        met = np.flatnonzero(reach < goal)
        if met.size:
            first = min(first, float(tried[met[0]] - now))
    return first


def _factor(checked: int, planned: int, level: float) -> float:
    return normal_quantile(level_while_looking(checked, planned, level))
