"""The calibration error from rows that were checked: no prior, and no assumption about the labels.

Scores of all rows are known, so that in bin b only the positives are not. Those among the unlabeled rows are
estimated with limits as every sum over positives is (`auditing.audited`), and labelled rows of a single
training set count as positives up to their purity:

    d_b = (Σ score − positives) / rows of the population,      error = Σ|d_b|.

The estimand is that of `calibration.error`, and so are the three sizes of a gap: as it is, debiased, and
split, which is where the interval begins. How far Σ sign·d_b may be off is one sum over positives again, so
that what the answers of one cell say about several bins is not counted twice. The purity, and the rows as a
sample of the population, add their parts in squares. Checked rows are few as a rule, and so are bins:
⌈n^(1/3)⌉ for n answers, the best number for fully labelled rows (Kiryo, Section 5.1, at n_P = ∞).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from puremetrics.auditing import Audited, audited_prior
from puremetrics.auditing.audited import Pieces, Stretches, Total
from puremetrics.auditing.metrics import cut_to_possible
from puremetrics.calibration.bin_rates import score_reaches, worst_of
from puremetrics.calibration.bins import (
    BinMoments,
    bin_edges,
    check_bin_count,
    check_probabilities,
    moved_edges,
    reduce_to_bins,
)
from puremetrics.calibration.gaps import (
    BoundedMean,
    bounded_reach,
    debiased_size,
    expected_sign,
    split_size,
)
from puremetrics.calibration.results import (
    CalibrationBins,
    CalibrationResult,
    bin_remarks,
    nothing_left,
)
from puremetrics.checking.arguments import check_choice
from puremetrics.checking.types import FloatArray
from puremetrics.numerics.quantiles import beta_quantile
from puremetrics.sampling.bounded import combined_reach

__all__ = ["audited_calibration"]


def audited_calibration(
    audited: Audited, binning: str = "balanced", n_bins: int | str = "optimal"
) -> CalibrationResult:
    """The binned calibration error of a table with an audit."""
    table = audited.table
    check_probabilities(table, "calibration_error")
    wanted = _bin_count(n_bins, audited.audit.n_checked)
    upper = bin_edges(table, binning, wanted)
    found = _AuditedBins(audited, reduce_to_bins(table, upper))
    gap, sign, below, above = found.gap, found.sign, *found.reaches(found.sign, 1.0)
    split = float(split_size(gap, found.noise).sum())
    error, debiased = float(np.abs(gap).sum()), float(debiased_size(gap, found.noise).sum())
    prior = audited_prior(audited)
    signed = float(gap.sum())
    down, up = found.reaches(np.ones_like(sign), 0.0)
    bins = found.bins()
    low, high, largest, place = found.worst()
    remarks = [*audited.diagnostics, *bin_remarks(table, bins, wanted, binning)]
    remarks += [*moved_edges(table, binning, wanted, upper), *nothing_left(debiased)]
    return CalibrationResult(
        error=min(error, 1.0),
        bins=bins,
        bias_bound=None,
        debiased=min(max(debiased, 0.0), 1.0),
        interval=audited.interval(
            max(min(split, 1.0) - below, 0.0), min(max(error + above, 0.0), 1.0)
        ),
        standard_error=combined_reach(below, above) / np.sqrt(2) / audited.quantile,
        signed_error=signed,
        signed_interval=audited.interval(max(signed - down, -1.0), min(signed + up, 1.0)),
        overconfidence=float(np.maximum(gap, 0).sum()),
        underconfidence=float(np.maximum(-gap, 0).sum()),
        max_error=largest,
        max_bin=place,
        max_interval=audited.interval(low, high),
        prior_interval=None,
        prior_shift=0.0,
        binning=binning,
        n_bins=len(bins),
        scenario=table.scenario,
        prior=prior.prior,
        unlabeled_share=prior.unlabeled_share,
        purity=audited.purity[0],
        diagnostics=tuple(remarks),
        moments=found.moments,
        n_checked=audited.audit.n_checked,
    )


def _bin_count(n_bins: object, checked: int) -> int:
    if isinstance(n_bins, str):
        check_choice(n_bins, ("optimal",), "n_bins")
        return int(np.ceil(checked ** (1 / 3) - 1e-9))
    return check_bin_count(n_bins)


@dataclass(frozen=True, eq=False)
class _AuditedBins:
    """Positives of each bin, and how far they may be off."""

    audited: Audited
    moments: BinMoments

    @property
    def size(self) -> float:
        """Rows of the population."""
        return float(self.moments.comparison[0].sum())

    @cached_property
    def pieces(self) -> Pieces:
        """Ranges of scores in which cell, forecast and bin are the same; a bin begins above its edge."""
        starts = np.nextafter(self.moments.upper[:-1], np.inf)
        return self.audited.pieces(self.audited.edges, starts)

    @cached_property
    def _places(self) -> tuple[Any, Any]:
        """The bin of each piece and of each checked row."""
        last = self.moments.upper.size - 1
        starts = np.concatenate([[-np.inf], self.pieces.edges])
        found = (
            np.minimum(np.searchsorted(self.moments.upper, score, side="left"), last)
            for score in (starts, self.audited.score)
        )
        pieces, checked = found
        return pieces, checked

    def total(self, values: FloatArray) -> Total:
        """Σ over the positives among the unlabeled rows of what each bin has."""
        pieces, checked = self._places
        here = values[pieces]
        return self.audited.total(
            self.pieces,
            self.audited.cells,
            here * self.pieces.rows,
            Stretches.of(self.pieces, here),
            values[checked],
        )

    @cached_property
    def _hidden(self) -> list[Total]:
        """Positives among the unlabeled rows of each bin, no fewer and no more than can be."""
        _, checked = self._places
        found = []
        for place, unit in enumerate(np.eye(self.moments.upper.size)):
            mine = (checked == place).astype(np.float64)
            rows = self.moments.sums[:, 0, place]
            made = cut_to_possible(
                self.audited, self.total(unit), mine, *(float(part) for part in rows)
            )
            found.append(Total(made.value, made.value - made.low, made.high - made.value))
        return found

    def _known(self, purity: float) -> FloatArray:
        """Labelled rows of the population that are positive."""
        pos, _, neg = self.moments.sums[:, 0]
        positive, _ = self.audited.counted(pos, 0.0 * pos, neg, 0.0, purity)
        return np.asarray(positive + 0.0 * pos, dtype=np.float64)

    @cached_property
    def positives(self) -> FloatArray:
        """Positives of the population in each bin."""
        hidden = np.array([total.value for total in self._hidden])
        return np.asarray(self._known(self.audited.purity[0]) + hidden)

    @cached_property
    def gap(self) -> FloatArray:
        """d_b."""
        return np.asarray((self.moments.comparison[1] - self.positives) / self.size)

    @cached_property
    def noise(self) -> FloatArray:
        """Standard error of each gap."""
        reach = np.array([[total.down, total.up] for total in self._hidden]) / self.size
        by_answers = np.sqrt((reach**2).mean(axis=1)) / self.audited.quantile
        purity, least, most = (self._known(value) for value in self.audited.purity)
        by_purity = np.maximum(most - purity, purity - least) / self.size / self.audited.quantile
        by_rows = np.maximum(self._squares - self.gap**2 * self.size, 0.0) / self.size**2
        by_rows *= (self.audited.row_quantile / self.audited.quantile) ** 2
        return np.asarray(np.sqrt(by_answers**2 + by_purity**2 + by_rows))

    @cached_property
    def _squares(self) -> FloatArray:
        """Σ (score − truth)² in each bin, the positives taken at the mean score of the bin."""
        count, first, second = self.moments.comparison
        mean = np.divide(first, count, out=np.zeros_like(first), where=count > 0)
        return np.asarray(np.maximum(second - 2 * mean * self.positives + self.positives, 0.0))

    @cached_property
    def sign(self) -> FloatArray:
        """Expected sign of each gap."""
        return expected_sign(self.gap, self.noise)

    def reaches(self, signs: FloatArray, unclear: float) -> tuple[float, float]:
        """How far Σ signs·gap may be off; ``unclear`` adds the noise of gaps whose sign is not certain."""
        total, size, z = self.total(signs), self.size, self.audited.quantile
        purity, least, most = (
            float(signs @ self._known(value)) / size for value in self.audited.purity
        )
        moves = sorted((purity - least, purity - most))  # more positives, smaller gaps
        mean = float(signs @ self.gap)
        square = float((signs**2 + unclear * (1 - signs**2)) @ self._squares) / size
        alone = (
            size * (z / self.audited.row_quantile) ** 2
        )  # independent rows that would say as much
        rows = BoundedMean(alone, mean, max(square - mean**2, 0.0) / alone, -1.0, 1.0)
        by_rows = bounded_reach(rows, self.audited.strict_level)
        rest = unclear * z * float(np.sqrt((1 - signs**2) @ self.noise**2))
        below = combined_reach(total.up / size, max(-moves[0], 0.0), by_rows[0], rest)
        above = combined_reach(total.down / size, max(moves[1], 0.0), by_rows[1], rest)
        return below, above

    def rates(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Rate of positives in each bin of the population, and its limits.

        A bin may have few answers of its own. Its limits reach as far as those of Clopper and Pearson for
        these, and those of the estimate.
        """
        rows, z = self.moments.comparison[0], self.audited.row_quantile
        some = np.where(rows > 0, rows, np.nan)
        purity, least, most = (self._known(value) for value in self.audited.purity)
        exact = self._exact * self.moments.sums[1, 0][:, None]
        hidden = np.array([total.value for total in self._hidden])
        down, up = (np.array([getattr(t, side) for t in self._hidden]) for side in ("down", "up"))
        down, up = np.maximum(down, hidden - exact[:, 0]), np.maximum(up, exact[:, 1] - hidden)
        rate = np.clip(self.positives / some, 0.0, 1.0)
        by_rows = z * np.sqrt((rate * (1 - rate) + z**2 / some / 4) / some)
        low = rate - np.sqrt((down**2 + (purity - least) ** 2) / some**2 + by_rows**2)
        high = rate + np.sqrt((up**2 + (most - purity) ** 2) / some**2 + by_rows**2)
        empty = rows == 0
        return (
            rate,
            np.where(empty, 0.0, np.clip(low, 0.0, 1.0)),
            np.where(empty, 1.0, np.clip(high, 0.0, 1.0)),
        )

    @property
    def _exact(self) -> FloatArray:
        """Limits of the rate among the unlabeled rows of each bin, from its own answers alone."""
        tail, (_, checked) = (1 - self.audited.strict_level) / 2, self._places
        ends = np.tile([0.0, 1.0], (self.moments.upper.size, 1))
        for place in np.unique(checked):
            mine = checked == place
            weight = self.audited.weight[mine]
            size = float(weight.sum() ** 2 / np.sum(weight**2)) / (1 + self.audited.alike.answers)
            found = size * float(np.average(self.audited.answer[mine], weights=weight))
            if found > 0:
                ends[place, 0] = beta_quantile(found, size - found + 1, tail)
            if found < size:
                ends[place, 1] = beta_quantile(found + 1, size - found, 1 - tail)
        return ends

    def bins(self) -> CalibrationBins:
        """What each bin holds."""
        count, first, _ = self.moments.comparison
        mean = np.divide(first, count, out=np.full(count.size, np.nan), where=count > 0)
        return CalibrationBins.of(self.moments, mean, self.rates(), self.gap, self.noise)

    def worst(self) -> tuple[float, float, float, int]:
        """Limits of the largest distance over bins, its size, and the bin."""
        filled: Any = np.flatnonzero(self.moments.comparison[0] > 0)
        level = 1 - (1 - self.audited.level) / filled.size
        strict = replace(self, audited=replace(self.audited, level=level))
        rate, low, high = (column[filled] for column in strict.rates())
        middle = (self.moments.lower + self.moments.upper) / 2
        scores = score_reaches(self.moments, middle, filled, level)
        mean = (self.moments.comparison[1][filled]) / self.moments.comparison[0][filled]
        found = worst_of(mean - rate, scores, (rate - low, high - rate), filled)
        return found.low, found.high, found.size, found.place
