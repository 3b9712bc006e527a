"""Scores to count at and between, found in the first pass."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from puremetrics.checking.types import FloatArray
from puremetrics.io.keys import Int64
from puremetrics.io.packing import pack, unpack

__all__ = ["NEGATIVE", "POSITIVE", "UNLABELED", "Cuts"]

POSITIVE, UNLABELED, NEGATIVE = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Cuts:
    """Scores to count at and between; the same for all counts that are added up.

    Attributes
    ----------
    score : ndarray, shape (m,)
        Increasing.
    n_pos, n_neg : ndarray of int64, shape (m,), or None
        Labelled rows at each cut, if every labelled score is a cut; None if they did not fit.
    totals : (int, int, int)
        Positive, unlabeled and negative rows of the first pass.
    sums : bool
        Whether sums of scores are kept, which needs scores in [0, 1].
    buckets : int
        Largest number of rows of a table whose labelled scores did not fit.
    """

    score: FloatArray
    n_pos: Int64 | None
    n_neg: Int64 | None
    totals: tuple[int, ...]
    sums: bool
    buckets: int = 16384

    @property
    def exact(self) -> bool:
        """Whether every labelled score is a cut; `CutCounts.update` then needs no labels."""
        return self.n_pos is not None

    def to_bytes(self) -> bytes:
        """Return the cuts as checked bytes."""
        arrays: dict[str, Any] = {"score": self.score}
        if self.n_pos is not None and self.n_neg is not None:
            arrays |= {"n_pos": self.n_pos, "n_neg": self.n_neg}
        plain = {"totals": list(self.totals), "sums": self.sums, "buckets": self.buckets}
        return pack("cuts", plain, arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> Cuts:
        """Return the cuts that `to_bytes` stored."""
        plain, arrays = unpack(data, "cuts")
        return cls(
            arrays["score"],
            arrays.get("n_pos"),
            arrays.get("n_neg"),
            tuple(plain["totals"]),
            plain["sums"],
            plain["buckets"],
        )

    def digest(self) -> str:
        """A short name of these cuts: counts with the same one can be added up."""
        return hashlib.blake2b(self.to_bytes(), digest_size=16).hexdigest()
