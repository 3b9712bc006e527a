"""What the answers say so far, while they come in: the target's interval, and whether it is enough.

`look_at` is one look at an audit, that of `follow_audit` after the last row: its interval holds at all looks
together, so that stopping because of it is allowed. Rows that somebody was unsure about count for nothing;
"enough" is said only if it were so with all of them positive and with all of them negative, too.

`Live` does that in a thread of its own, once the table is counted, always for the newest answers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from puremetrics.auditing import Audit
from puremetrics.auditing.metrics import PRIOR
from puremetrics.exceptions import InputError, PuremetricsError
from puremetrics.numerics.formulas import METRICS
from puremetrics.planning.following import AuditPath, follow_audit, widths_ahead
from puremetrics.planning.plan import AuditPlan
from puremetrics.planning.sheets import Looked, audit_of_looked, read_plan
from puremetrics.priors.estimate import estimate_prior
from puremetrics.setting import PurityLike
from puremetrics.setting.setting import Setting
from puremetrics.statistics.catalogue import find
from puremetrics.statistics.worlds import estimate
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Counted", "Live", "Look", "look_at"]

_HELPS_LITTLE = 0.8  # of the width stays even if all rows are checked
_ANSWERS = {"yes": True, "no": False}


@dataclass(frozen=True)
class Counted:
    """The rows that an audit is about: the table of the planned model, and what was found of drawn rows."""

    table: ScoreTable
    looked: Looked


@dataclass(frozen=True)
class Look:
    """What the answers say at one look.

    Attributes
    ----------
    path : AuditPath
        Of this look alone, as `follow_audit` makes it.
    unsure : int
        Rows without an answer because somebody was unsure.
    enough : bool
        Whether it is narrow enough, however the unsure rows turn out.
    planned_width, least_width : float
        The width to expect when all planned rows are checked, and when all unlabeled rows are.
    """

    path: AuditPath
    unsure: int
    enough: bool
    planned_width: float
    least_width: float

    @property
    def checked(self) -> int:
        """Rows with an answer."""
        return int(self.path.checked[-1])

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return float(self.path.low[-1])

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return float(self.path.high[-1])

    def rounded(self, value: float) -> str:
        """A value with as many digits as the width of the interval leaves room for."""
        width = max(self.high - self.low, 1e-6)
        return f"{value:.{int(np.clip(np.ceil(-np.log10(width)) + 1, 2, 5))}f}"

    @property
    def futile(self) -> bool:
        """Whether checking more would change little."""
        width = self.high - self.low
        never = self.path.more is not None and bool(np.isinf(self.path.more))
        return not self.enough and (never or self.least_width > _HELPS_LITTLE * width)

    @property
    def words(self) -> str:
        """Whether to go on, in a sentence or two."""
        width = self.path.width
        if self.enough:
            assert width is not None
            return f"Narrow enough: at most {width:g} wide. You can stop."
        if width is not None and self.path.enough:
            rows = "row" if self.unsure == 1 else "rows"
            return f"Narrow enough, but the {self.unsure} unsure {rows} could change that. Settle them first."
        if self.futile:
            return (
                "Checking more will not help much: most of the width is left even if all rows are checked, "
                "because they are only a sample themselves."
            )
        told = []
        if width is not None:
            told.append(self.path.words.split(". ", 1)[-1])
        if np.isfinite(self.planned_width) and self.checked < self.path.planned:
            told.append(
                f"After all {self.path.planned} rows it will be about {self.planned_width:.2g} wide."
            )
        return " ".join(told)


def look_at(
    table: ScoreTable,
    audit: Audit,
    plan: AuditPlan,
    *,
    width: float | None = None,
    purity: PurityLike = None,
    confidence_level: float = 0.95,
    unsure: Sequence[Audit] = (),
    ahead: bool = True,
) -> Look:
    """What an audit says at its last row of the statistic that it was planned for.

    Parameters
    ----------
    table, width, purity, confidence_level
        As in `follow_audit`.
    audit : Audit
        Of the rows that have an answer; made with ``sequential=True``.
    plan : AuditPlan
    unsure : sequence of Audit
        The same with all unsure rows positive, and with all of them negative.
    ahead : bool
        Whether to tell the widths to expect, which takes as long as the rest.
    """
    given: Any = {
        "threshold": plan.threshold if plan.target in METRICS else None,
        "purity": purity,
        "confidence_level": confidence_level,
    }

    def last(some: Audit) -> AuditPath:
        own = _own(some, plan)
        return follow_audit(table, own, plan.target, every=len(own), width=width, **given)

    path = last(audit)
    enough = path.enough and all(last(other).enough for other in unsure)
    widths = (np.nan, np.nan)
    if ahead:
        widths = widths_ahead(table, _own(audit, plan), plan.target, path.planned, **given)
    count = len(unsure[0]) - len(audit) if unsure else 0
    return Look(path, count, width is not None and enough, *widths)


def _own(audit: Audit, plan: AuditPlan) -> Audit:
    """The audit as the planned model alone sees it."""
    strata = audit.strata
    assert strata is not None
    scores = {"model": audit.score_of(plan.strata.model)}
    return replace(audit, scores=scores, strata=replace(strata, model="model"))


class Live:
    """The newest look, made in a thread while people go on answering.

    Parameters
    ----------
    plan : str
        What `planning.sheets.plan_text` wrote.
    places : sequence of int
        The rows of the sheet.
    load : callable
        Counts the data: returns a `Counted`. It may take long, and may raise.
    width, purity, confidence_level
        As in `follow_audit`.
    """

    def __init__(
        self,
        plan: str,
        places: Sequence[int],
        load: Callable[[], Counted],
        *,
        width: float | None = None,
        purity: PurityLike = None,
        confidence_level: float = 0.95,
    ) -> None:
        self.plan = read_plan(plan)[0]
        self.text, self._places, self._load = plan, list(places), load
        self._given: Any = {
            "width": width,
            "purity": purity,
            "confidence_level": confidence_level,
        }
        self.counted: Counted | None = None
        self.look: Look | None = None
        self.trouble = ""
        self.since: int | None = None  # rows at which it was enough first
        self.promised: Any = None
        self.trail: dict[int, tuple[float, float]] = {}
        self._wanted: tuple[int, list[str], list[bool]] | None = None
        self._done = -1
        self._news, self._ended = threading.Condition(), False
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Begin to count."""
        self._thread.start()

    def stop(self) -> None:
        """Let the thread end."""
        with self._news:
            self._ended = True
            self._news.notify_all()

    def over(self, seconds: float) -> bool:
        """Whether the thread has ended, waiting for it so long at most."""
        self.stop()
        if self._thread.is_alive():
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def tell(self, version: int, final: list[str], unsure: list[bool]) -> None:
        """Look at these answers as soon as possible; older ones are forgotten."""
        with self._news:
            self._wanted = (version, final, unsure)
            self._news.notify_all()

    def wait(self, version: int, seconds: float) -> bool:
        """Wait until the answers of a version have been looked at."""
        with self._news:
            return self._news.wait_for(lambda: self._done >= version or bool(self.trouble), seconds)

    def audit(self, final: Sequence[str]) -> Audit:
        """The audit that these answers make."""
        assert self.counted is not None
        looked = self.counted.looked
        answers = [_ANSWERS.get(said) for said in final]
        return audit_of_looked(self.text, self._places, answers, lambda _: looked, sequential=True)

    def state(self) -> dict[str, Any]:
        """What a page shows of it."""
        with self._news:
            base: dict[str, Any] = {
                "target": self.plan.target,
                "threshold": self.plan.threshold,
                "width": self._given["width"],
                "version": self._done,
                "promised": self.promised,
            }
            if self.trouble:
                return {**base, "state": "none", "words": self.trouble}
            if self.counted is None:
                return {**base, "state": "counting", "words": "The rows are being counted."}
            if self.look is None:
                return {
                    **base,
                    "state": "early",
                    "words": "The first answers will show what they say.",
                }
            look = self.look
            value = float(look.path.value[-1])
            return {
                **base,
                "state": "ready",
                "value": None if np.isnan(value) else value,
                "low": look.low,
                "high": look.high,
                "told": f"{look.rounded(look.low)} to {look.rounded(look.high)}",
                "best": "" if np.isnan(value) else look.rounded(value),
                "checked": look.checked,
                "planned": look.path.planned,
                "level": look.path.level,
                "enough": look.enough or self.since is not None,
                "futile": look.futile,
                "unsure": look.unsure,
                "words": self._words(look),
                "against": self._against(look),
                "trail": [[n, *ends] for n, ends in sorted(self.trail.items())],
            }

    def _against(self, look: Look) -> str:
        """Whether the answers say more or less than the labels promised."""
        if self.promised is None or look.low <= self.promised["value"] <= look.high:
            return ""
        return "less" if self.promised["value"] > look.high else "more"

    def _words(self, look: Look) -> str:
        if not look.enough and self.since is not None:
            return f"Narrow enough since row {self.since}. You can stop."
        return look.words

    # ---------------------------------------------------------------- in the thread

    def _work(self) -> None:
        try:
            counted = self._load()
            if self.plan.strata.rows.sum() != counted.table.total_unl:
                raise InputError(
                    "The data have other unlabeled rows than those that the audit was planned on."
                )
        except PuremetricsError as error:
            return self._give_up(f"There is no interval while you check: {error}")
        except Exception as error:  # a page without an interval is better than none
            return self._give_up(f"There is no interval while you check ({type(error).__name__}).")
        with self._news:
            self.counted = counted
        self._promise(counted)
        while True:
            with self._news:
                self._news.wait_for(lambda: self._ended or self._wanted is not None)
                if self._ended:
                    return None
                assert self._wanted is not None
                version, final, unsure = self._wanted
                self._wanted = None
            self._look(version, final, unsure)

    def _give_up(self, words: str) -> None:
        with self._news:
            self.trouble = words
            self._news.notify_all()

    def _look(self, version: int, final: list[str], unsure: list[bool]) -> None:
        look, trouble = None, ""
        try:
            if any(final):
                look = self.made(final, unsure)
        except PuremetricsError as error:
            trouble = f"There is no interval while you check: {error}"
        except Exception as error:  # people must be able to go on
            trouble = f"There is no interval while you check ({type(error).__name__})."
        with self._news:
            self.look, self._done = look, version
            self.trouble = trouble
            if look is not None:
                self.trail = {n: ends for n, ends in self.trail.items() if n < look.checked}
                self.trail[look.checked] = (look.low, look.high)
                if self.since is not None and self.since > look.checked:
                    self.since = None
                if look.enough and self.since is None:
                    self.since = look.checked
            else:
                self.trail, self.since = {}, None
            self._news.notify_all()

    def made(self, final: Sequence[str], unsure: Sequence[bool]) -> Look:
        """The look at these answers."""
        assert self.counted is not None
        others = []
        if any(unsure):
            for said in ("yes", "no"):
                filled = [said if u else f for f, u in zip(final, unsure, strict=True)]
                others.append(self.audit(filled))
        return look_at(
            self.counted.table, self.audit(final), self.plan, unsure=others, **self._given
        )

    def _promise(self, counted: Counted) -> None:
        """What the labels say of the target without any answer, if they were random."""
        with suppress(Exception):  # it is only told beside the rest
            plan, table = self.plan, counted.table
            level = self._given["confidence_level"]
            found: Any = estimate_prior(table, purity=self._given["purity"], confidence_level=level)
            if plan.target != PRIOR.name:
                at = plan.threshold if plan.target in METRICS else None
                setting = Setting.of(table, found, confidence_level=level)
                found = estimate(find(plan.target, {}, threshold=at), setting)
            ends = found.interval
            with self._news:
                self.promised = {
                    "value": float(found),
                    "low": None if ends is None else ends.low,
                    "high": None if ends is None else ends.high,
                    "told": f"{float(found):.2g}",
                }
