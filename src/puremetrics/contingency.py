"""Contingency tables from the number of latent positives in a head (Claesen, Section 4.1).

`LatentChoice.x` is Eq. (11): how many of the latent positives a head holds, at the limits that a band
sets; `table_entries` is Eq. (12). `bounds` explains the symbols.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from puremetrics._validation import FloatArray, check_choice, check_flag, check_level
from puremetrics.bands import BAND_METHODS, check_whole, latent_counts, latent_limits
from puremetrics.exceptions import InputError, PriorError
from puremetrics.intervals import weighted_sum
from puremetrics.scenario import PriorLike, check_table
from puremetrics.table import ScoreTable

__all__ = [
    "Heads",
    "LatentChoice",
    "check_operating_point",
    "class_sizes",
    "head_at",
    "table_entries",
    "whole_heads",
]

_BASES = ("positives", "negatives", "tightest")


@dataclass(frozen=True)
class Heads:
    """Whole numbers of rows at or above each threshold."""

    threshold: FloatArray
    pos: FloatArray
    unl: FloatArray
    neg: FloatArray


def check_operating_point(table: ScoreTable, threshold: float) -> None:
    """Raise if a scanned table does not know how many rows reach the threshold."""
    least, most = table.heads_around(threshold)
    if least != most:
        at = int(np.searchsorted(-table.score, -threshold, side="right"))
        raise InputError(
            f"The scan has merged the scores from {table.score[at]:g} to {table.highest[at]:g}, so it is "
            f"not known how many of them reach {threshold:g}. Use {table.score[at]!r} as the threshold."
        )


def head_at(table: ScoreTable, threshold: float) -> Heads:
    """The head at one threshold, as arrays of length one."""
    pos, unl, neg = (np.array([count]) for count in table.heads_at(threshold))
    return Heads(np.array([threshold]), pos, unl, neg)


def whole_heads(table: ScoreTable) -> Heads:
    """Heads at every row of the table, the empty one first."""
    check_table(table)
    columns = [
        np.concatenate([[0.0], np.cumsum(column)])
        for column in (table.n_pos, table.n_unl, table.n_neg)
    ]
    return Heads(np.concatenate([[np.inf], table.score]), *columns)


@dataclass(frozen=True)
class LatentChoice:
    """Everything that decides the limits of x, the latent positives in a head."""

    labelled: int
    unlabeled: int
    negatives: int
    latents: tuple[int, ...]
    method: str
    level: float
    basis: str
    simultaneous: bool

    @classmethod
    def of(
        cls,
        table: ScoreTable,
        prior: PriorLike,
        band: str,
        confidence_level: float,
        basis: str,
        simultaneous: bool,
    ) -> LatentChoice:
        """Check everything a user can get wrong, once for all bounds."""
        check_whole(table)
        band = check_choice(band, BAND_METHODS, "band")
        basis = check_choice(basis, _BASES, "basis")
        level = check_level(confidence_level)
        if check_flag(simultaneous, "simultaneous") and band not in ("exact", "dkw"):
            raise InputError(f"There is no simultaneous {band!r} band. Use band='exact' or 'dkw'.")
        if table.total_neg == 0:
            if basis == "negatives":
                raise InputError("basis='negatives' needs known negatives, and there are none.")
            basis = "positives"
        latents = latent_counts(table, prior)
        sizes = int(table.total_pos), int(table.total_unl), int(table.total_neg)
        for latent in latents:
            class_sizes(table, latent)
        made = cls(*sizes, latents, band, level, basis, simultaneous)
        return made._tightest(table) if basis == "tightest" else made

    def x(self, heads: Heads, latent: int, side: str) -> FloatArray:
        """Eq. (11): latent positives in each head, at the lower or the upper limit."""
        if self.basis == "negatives":
            others = self.unlabeled - latent
            tail = self.unlabeled - heads.unl
            theta = self._limits(self.negatives - heads.neg, self.negatives, others)[side]
            kept = np.clip(theta, np.maximum(others - heads.unl, 0), np.minimum(tail, others))
            return np.asarray(heads.unl - others + kept)
        theta = self._limits(heads.pos, self.labelled, latent)[side]
        smallest = np.maximum(latent - (self.unlabeled - heads.unl), 0)
        return np.clip(theta, smallest, np.minimum(heads.unl, latent))

    def kinks(self, heads: Heads, latent: int, side: str) -> tuple[FloatArray, FloatArray]:
        """Where x(h_U) bends along the unlabeled run that starts at each vertex.

        First the concave bend (slope 1 to 0), then the convex one (0 to 1).
        """
        if self.basis == "negatives":
            theta = self._limits(
                self.negatives - heads.neg, self.negatives, self.unlabeled - latent
            )[side]
            return self.unlabeled - theta, self.unlabeled - latent - theta
        theta = self._limits(heads.pos, self.labelled, latent)[side]
        return theta, self.unlabeled - latent + theta

    def _limits(self, known: FloatArray, size: int, hidden: int) -> dict[str, FloatArray]:
        low, high = latent_limits(known, size, hidden, self.method, self.level, self.simultaneous)
        # Limits jump by one row as the number of latent positives changes. Where only some numbers
        # within the range of the prior are tried, one row more on either side covers the others.
        slack = float(len(self.latents) <= self.latents[-1] - self.latents[0])
        return {"lower": low - slack, "upper": high + slack}

    def _tightest(self, table: ScoreTable) -> LatentChoice:
        heads = whole_heads(table.cut())
        weight = np.diff(heads.unl, prepend=0.0)
        widths = {}
        for basis in ("positives", "negatives"):
            choice = replace(self, basis=basis)
            gaps = [
                choice.x(heads, latent, "upper") - choice.x(heads, latent, "lower")
                for latent in self.latents
            ]
            widths[basis] = (weighted_sum(weight, np.mean(gaps, axis=0)), choice)
        return min(widths.values(), key=lambda pair: pair[0])[1]


def class_sizes(table: ScoreTable, latent: int) -> tuple[float, float]:
    """Positives and negatives among the rows that are counted."""
    if table.scenario == "single_training_set":
        positives = table.total_pos + latent
        negatives = table.total_neg + table.total_unl - latent
    else:
        positives, negatives = float(latent), table.total_unl - latent
    if positives == 0 or negatives == 0:
        what = "positive" if positives == 0 else "negative"
        raise PriorError(
            f"At this prior {latent} of the {table.total_unl:g} unlabeled rows are positive, so no row "
            f"that counts is {what} and its rate is 0/0. Pass a "
            f"{'larger' if positives == 0 else 'smaller'} prior."
        )
    return positives, negatives


def table_entries(
    table: ScoreTable, heads: Heads, x: FloatArray, latent: int
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Eq. (12), with the labelled rows in a single training set."""
    positives, negatives = class_sizes(table, latent)
    tp, fp = x + 0.0, heads.unl - x
    if table.scenario == "single_training_set":
        tp, fp = tp + heads.pos, fp + heads.neg
    return tp, fp, positives - tp, negatives - fp
