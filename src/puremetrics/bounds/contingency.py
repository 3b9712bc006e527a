"""Contingency tables from the number of latent positives in a head (Claesen, Section 4.1).

`LatentChoice.x` is Eq. (11): how many of the latent positives a head holds, at the limits that a band
sets; `LatentChoice.entries` is Eq. (12). The package's docstring explains the symbols.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from puremetrics.bounds.limits import BAND_METHODS, LatentLimits
from puremetrics.checking.arguments import check_choice, check_flag
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError, PriorError, UnsupportedError
from puremetrics.numerics.sums import weighted_sum
from puremetrics.setting import Setting, check_unlabeled, check_whole
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "HeadCounts",
    "LatentChoice",
    "check_band",
    "check_countable",
    "head_at",
    "latent_counts",
    "whole_heads",
]

_BASES = ("positives", "negatives", "tightest")
_LATENT_GRID = 9


class HeadCounts(NamedTuple):
    """Whole numbers of rows at or above each threshold."""

    threshold: FloatArray
    pos: FloatArray
    unl: FloatArray
    neg: FloatArray


def check_countable(table: ScoreTable) -> None:
    """Refuse tables that have no bounds: with weights, or with nothing hidden."""
    check_whole(table, "A bound", "roc_auc and its companions")
    check_unlabeled(table)


def check_band(band: str, simultaneous: bool) -> str:
    """Return the name of a band, if it is one that can hold at all thresholds at once."""
    band = check_choice(band, BAND_METHODS, "band")
    if check_flag(simultaneous, "simultaneous") and band not in ("exact", "dkw"):
        raise InputError(f"There is no simultaneous {band!r} band. Use band='exact' or 'dkw'.")
    return band


def latent_counts(setting: Setting) -> tuple[int, ...]:
    """Whole numbers of latent positives from the low to the high end of the prior; nine if they are many."""
    known, table = setting.assumed, setting.table
    if not known.clean:
        raise UnsupportedError(
            f"Bounds assume that every labelled positive is one, but the purity is {known.purity:g}. Use "
            "roc_auc and its companions, which correct for noisy labels."
        )
    counts = []
    for point in (known.low, known.high):
        share = setting.design.unlabeled_share(table.totals, point)
        assert share is not None
        counts.append(int(np.floor(share * table.total_unl + 0.5)))
    low, high = counts
    if high - low <= _LATENT_GRID:
        return tuple(range(low, high + 1))
    return tuple(sorted({round(m) for m in np.linspace(low, high, _LATENT_GRID)}))


def head_at(table: ScoreTable, threshold: float) -> HeadCounts:
    """The head at one threshold, as arrays of length one."""
    pos, unl, neg = (np.array([count]) for count in table.heads_at(threshold))
    return HeadCounts(np.array([threshold]), pos, unl, neg)


def whole_heads(table: ScoreTable) -> HeadCounts:
    """Heads at every row of the table, the empty one first."""
    columns = [
        np.concatenate([[0.0], np.cumsum(column)])
        for column in (table.n_pos, table.n_unl, table.n_neg)
    ]
    return HeadCounts(np.concatenate([[np.inf], table.score]), *columns)


@dataclass(frozen=True)
class LatentChoice:
    """Everything that decides the limits of x, the latent positives in a head."""

    setting: Setting
    latents: tuple[int, ...]
    basis: str
    positives: LatentLimits
    negatives: LatentLimits

    @classmethod
    def of(
        cls,
        setting: Setting,
        band: str = "exact",
        basis: str = "positives",
        simultaneous: bool = False,
    ) -> LatentChoice:
        """Check everything a user can get wrong, once for all bounds."""
        table = setting.table
        check_countable(table)
        band = check_band(band, simultaneous)
        basis = check_choice(basis, _BASES, "basis")
        if table.total_neg == 0:
            if basis == "negatives":
                raise InputError("basis='negatives' needs known negatives, and there are none.")
            basis = "positives"
        latents = latent_counts(setting)
        limits = [
            LatentLimits(int(size), band, setting.level, simultaneous)
            for size in (table.total_pos, table.total_neg)
        ]
        made = cls(setting, latents, basis, limits[0], limits[1])
        for latent in latents:
            made.class_sizes(latent)
        return made._tightest() if basis == "tightest" else made

    def on(self, setting: Setting) -> LatentChoice:
        """The same for another model on the same rows, whose limits need not be computed again."""
        return replace(self, setting=setting)

    @property
    def band(self) -> str:
        """Name of the band."""
        return self.positives.method

    @property
    def level(self) -> float:
        """Nominal coverage."""
        return self.setting.level

    def class_sizes(self, latent: Any) -> tuple[Any, Any]:
        """Positives and negatives among the rows that are counted."""
        totals = self.setting.table.totals
        positives, negatives = self.setting.design.counted(*totals, latent)
        if np.any(positives == 0) or np.any(negatives == 0):
            none = bool(np.any(positives == 0))
            what, which = ("positive", "larger") if none else ("negative", "smaller")
            number = np.min(latent) if none else np.max(latent)
            raise PriorError(
                f"At this prior {number:g} of the {totals[1]:g} unlabeled rows are positive, so no row "
                f"that counts is {what} and its rate is 0/0. Pass a {which} prior."
            )
        return positives, negatives

    def entries(
        self, heads: HeadCounts, x: FloatArray, latent: Any
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Eq. (12), with the labelled rows in a single training set."""
        positives, negatives = self.class_sizes(latent)
        tp, fp = self.setting.design.counted(heads.pos, heads.unl, heads.neg, x)
        return tp, fp, positives - tp, negatives - fp

    def prepare(self) -> None:
        """Compute at once what curves will ask for."""
        if self.basis == "negatives":
            unlabeled = int(self.setting.table.total_unl)
            self.negatives.prepare(tuple(unlabeled - latent for latent in self.latents))
        else:
            self.positives.prepare(self.latents)

    def x(self, heads: HeadCounts, latent: int, side: str) -> FloatArray:
        """Eq. (11): latent positives in each head, at the lower or the upper limit."""
        return self._possible(self._theta(heads, latent, side), heads.unl, latent)

    def x_range(self, head: HeadCounts, latents: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Eq. (11) at both limits, in one head, for several numbers of latent positives."""
        if self.basis == "negatives":
            hidden = self.setting.table.total_unl - latents
            theta = self.negatives.at_once(self.negatives.known - float(head.neg[0]), hidden)
        else:
            theta = self.positives.at_once(float(head.pos[0]), latents)
        low, high = theta[0] - self._slack, theta[1] + self._slack
        return self._possible(low, head.unl, latents), self._possible(high, head.unl, latents)

    def _possible(self, theta: FloatArray, reached: FloatArray, latent: Any) -> FloatArray:
        """Corner cases of Eq. (11): no more than there are, in the head or in all."""
        unlabeled = int(self.setting.table.total_unl)
        if self.basis == "negatives":
            others, tail = unlabeled - latent, unlabeled - reached
            kept = np.clip(theta, np.maximum(others - reached, 0), np.minimum(tail, others))
            return np.asarray(reached - others + kept)
        smallest = np.maximum(latent - (unlabeled - reached), 0)
        return np.clip(theta, smallest, np.minimum(reached, latent))

    @property
    def _slack(self) -> float:
        """Rows by which limits are widened.

        Limits jump by one row as the number of latent positives changes. Where only some numbers
        within the range of the prior are tried, one row more on either side covers the others.
        """
        return float(len(self.latents) <= self.latents[-1] - self.latents[0])

    def kinks(self, heads: HeadCounts, latent: int, side: str) -> tuple[FloatArray, FloatArray]:
        """Where x(h_U) bends along the unlabeled run that starts at each vertex.

        First the concave bend (slope 1 to 0), then the convex one (0 to 1).
        """
        unlabeled = int(self.setting.table.total_unl)
        theta = self._theta(heads, latent, side)
        if self.basis == "negatives":
            return unlabeled - theta, unlabeled - latent - theta
        return theta, unlabeled - latent + theta

    def _theta(self, heads: HeadCounts, latent: int, side: str) -> FloatArray:
        """The band's limit of latent positives in heads, or of latent negatives in tails."""
        if self.basis == "negatives":
            unlabeled = int(self.setting.table.total_unl)
            low, high = self.negatives(self.negatives.known - heads.neg, unlabeled - latent)
        else:
            low, high = self.positives(heads.pos, latent)
        return low - self._slack if side == "lower" else high + self._slack

    def _tightest(self) -> LatentChoice:
        heads = whole_heads(self.setting.ranked)
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
