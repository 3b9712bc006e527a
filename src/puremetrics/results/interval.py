"""An interval that says what it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from puremetrics.exceptions import Diagnostic
from puremetrics.results.protocol import Result
from puremetrics.results.words import number, percent

__all__ = ["Interval", "IntervalKind"]

IntervalKind = Literal["confidence", "identification", "combined", "resolution"]


@dataclass(frozen=True, eq=False, repr=False)
class Interval(Result):
    """An interval that says what it is.

    Attributes
    ----------
    low, high : float
        Its ends, within the range that the quantity can take.
    level : float
        Nominal coverage, such as 0.95; 1 for a pure identification interval.
    kind : {"confidence", "identification", "combined", "resolution"}
        Sampling error; what the data cannot tell however many there are (an uncertain prior);
        both; or what the buckets of a reader hide.
    method : str
        How it was computed.
    """

    low: float
    high: float
    level: float
    kind: IntervalKind
    method: str
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def width(self) -> float:
        """High minus low."""
        return self.high - self.low

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        found = super().to_dict()
        del found["diagnostics"]
        return found

    def words(self) -> str:
        """The interval within a sentence: "95 % confidence interval 0.9 to 1"."""
        return (
            f"{percent(self.level)} {self.kind} interval {number(self.low)} to {number(self.high)}"
        )

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __format__(self, spec: str) -> str:
        return f"{self.low:{spec}} to {self.high:{spec}}" if spec else str(self)

    def __str__(self) -> str:
        return f"{number(self.low)} to {number(self.high)} ({self.level:.3g} {self.kind})"
