"""How far an answer can be trusted: a level, and one sentence that says why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from puremetrics.exceptions import Diagnostic
from puremetrics.results.protocol import Result

__all__ = ["LEVELS", "Trust", "TrustLevel", "most_trusted"]

TrustLevel = Literal["known", "audited", "identified", "upper_bound", "contradicted"]
LEVELS: tuple[TrustLevel, ...] = ("known", "audited", "identified", "upper_bound", "contradicted")


@dataclass(frozen=True, eq=False, repr=False)
class Trust(Result):
    """How far an answer can be trusted.

    Attributes
    ----------
    level : {"known", "audited", "identified", "upper_bound", "contradicted"}
        "known": the prior was given. "audited": rows that were checked say it. "identified": it was
        estimated, and the classes are far enough apart for that. "upper_bound": it was estimated from classes
        that overlap, where negatives that look like positives would count as positives; if the purity of the
        labels was estimated with it, it may be off either way. "contradicted":
        what was assumed and what the data say cannot both be true.
    reason : str
        One sentence.
    limit : float or None
        At level "upper_bound": the largest prior that the data allow, where it is known.
    settle : str
        What would settle the question, where something would: one sentence, or nothing.
    """

    level: TrustLevel
    reason: str
    settle: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    limit: float | None = None

    @property
    def words(self) -> str:
        """Reason, limit and remedy."""
        most = "" if self.limit is None else f" The prior is at most {self.limit:.3g}."
        return f"{self.reason}{most} {self.settle}".strip()

    def __str__(self) -> str:
        return f"{self.level.replace('_', ' ')}: {self.words}"


def most_trusted(*found: Trust) -> Trust:
    """The one with the highest level; the first of equals."""
    return min(found, key=lambda trust: LEVELS.index(trust.level))
