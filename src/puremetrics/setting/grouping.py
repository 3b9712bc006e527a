"""What is known of the groups that rows belong to, for one statistic."""

from __future__ import annotations

from dataclasses import dataclass

from puremetrics.exceptions import Diagnostic

__all__ = ["FEW_GROUPS", "Grouping"]

FEW_GROUPS = 40


@dataclass(frozen=True)
class Grouping:
    """Groups of rows, and what they do to the variance of a statistic.

    Attributes
    ----------
    number : int
        Groups.
    design_effect : float
        Variance over the one that independent rows would have.
    degrees : float
        Degrees of freedom of the estimated variance.
    stretch : float
        What so few degrees of freedom make limits wider by.
    """

    number: int
    design_effect: float
    degrees: float
    stretch: float

    @classmethod
    def alone(cls, number: int) -> Grouping:
        """Groups of one row each, which change nothing."""
        return cls(number, 1.0, float("inf"), 1.0)

    def remarks(self) -> list[Diagnostic]:
        """PM140 if the groups are few."""
        if self.degrees >= FEW_GROUPS - 1:
            return []
        return [
            Diagnostic(
                "PM140",
                f"the rows belong to {self.number} groups, which say as much about how groups differ as "
                f"{self.degrees + 1:.0f} of equal weight would. Below {FEW_GROUPS} intervals are rough, "
                "and more groups would help most.",
            )
        ]
