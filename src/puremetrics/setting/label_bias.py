"""How far labels may be from random: one number, Γ.

Labels are at random if every positive has the same chance of getting one. Γ ≥ 1 says how far that may fail:
any two positives differ in their chance of being labelled by at most a factor Γ (Rosenbaum's form). In a
single training set it is the odds that differ by at most Γ, which says the same of the positives that are
left: the hidden positives against the labelled ones.

Let g be the distribution of the labelled positives over the scores and φ that of the positives that the
correction has to find: all of them in case-control, the hidden ones in a single training set. Then

    φ ∝ g · v    with v between 1 and Γ,

and v is large where labels are rare. Γ = 1 leaves φ = g. Tan's form, φ/g between 1/Γ and Γ, is nested with
this one: Rosenbaum at Γ ⊂ Tan at Γ ⊂ Rosenbaum at Γ².

``side`` says more, for those who know it. With "high", higher scores are never labelled less often (obvious
cases got their labels first), so v falls with the score, and what is corrected can only be too good. With
"low", higher scores are never labelled more often.
"""

from __future__ import annotations

from dataclasses import dataclass

from puremetrics.checking.arguments import check_choice, check_number
from puremetrics.exceptions import InputError

__all__ = ["RANDOM", "SIDES_OF_BIAS", "LabelBias"]

SIDES_OF_BIAS = ("either", "high", "low")
_MOST = 1e6


@dataclass(frozen=True)
class LabelBias:
    """The largest ratio of two positives' chances of being labelled, and the side that it favours."""

    most: float = 1.0
    side: str = "either"

    @classmethod
    def of(cls, label_bias: object, side: object = "either") -> LabelBias:
        """Check what a user gives."""
        most = check_number(label_bias, "label_bias")
        if not 1.0 <= most <= _MOST:
            hint = f" Did you mean {1 / most:.4g}?" if 0 < most < 1 else ""
            raise InputError(
                f"label_bias={most:g} must lie between 1 (labels at random) and {_MOST:.0e}: it is the "
                f"ratio of the largest to the smallest chance of a positive to be labelled.{hint}"
            )
        return cls(most, check_choice(side, SIDES_OF_BIAS, "label_bias_side"))

    @property
    def is_random(self) -> bool:
        """Whether labels are taken to be a random sample of the positives."""
        return self.most == 1.0

    @property
    def down(self) -> float:
        """The factor by which positives with low scores may be under-labelled."""
        return 1.0 if self.side == "low" else self.most

    @property
    def up(self) -> float:
        """The factor by which positives with high scores may be under-labelled."""
        return 1.0 if self.side == "high" else self.most


RANDOM = LabelBias()
