"""Results of the calibration error: the bins, the error with its guarantees, and what is fragile about them.

`CalibrationBins` and `CalibrationResult` are frozen. `bin_remarks` says in words what is fragile about bins.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from puremetrics.calibration.bins import BinMoments
from puremetrics.calibration.gaps import BinGaps
from puremetrics.calibration.theory import BiasBound
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.results import Columns, Estimate, Interval, Named, Result, json_ready
from puremetrics.results.picture import Picture
from puremetrics.scenarios import Scenario
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "CalibrationBins",
    "CalibrationResult",
    "bin_remarks",
    "crowded_bin",
    "cut_error",
    "nothing_left",
]


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationBins(Result):
    """One entry for each bin (lower, upper]; the first bin includes its lower edge, 0.

    Attributes
    ----------
    lower, upper : ndarray, shape (B,)
        Edges.
    n_pos, n_population : ndarray
        Labelled positives, and rows of the population's sample (weighted).
    mean_score : ndarray
        Mean score of the population's rows; NaN where there are none (diagnostic PM302).
    positive_rate, rate_low, rate_high : ndarray
        Estimated P(y = 1 | bin), not cut to [0, 1], and its interval, which is; NaN, and [0, 1],
        in bins without rows of the population.
    gap, noise : ndarray
        P(bin) · (mean score − positive rate), and its standard error.
    contribution : ndarray
        What the bin adds to the calibration error, |gap|.
    """

    lower: FloatArray
    upper: FloatArray
    n_pos: FloatArray
    n_population: FloatArray
    mean_score: FloatArray
    positive_rate: FloatArray
    rate_low: FloatArray
    rate_high: FloatArray
    gap: FloatArray
    noise: FloatArray
    contribution: FloatArray
    diagnostics: tuple[Diagnostic, ...] = ()

    _picture = Picture(
        "mean_score",
        ("positive_rate",),
        (("rate_low", "rate_high"),),
        x_title="mean score",
        y_title="positive rate",
        diagonal=True,
    )

    @classmethod
    def of(
        cls,
        moments: BinMoments,
        mean_score: FloatArray,
        rates: tuple[FloatArray, FloatArray, FloatArray],
        gap: FloatArray,
        noise: FloatArray,
    ) -> CalibrationBins:
        """From power sums, and the rate of positives with its limits."""
        return cls(
            lower=moments.lower,
            upper=moments.upper,
            n_pos=moments.positives[0],
            n_population=moments.comparison[0],
            mean_score=mean_score,
            positive_rate=rates[0],
            rate_low=rates[1],
            rate_high=rates[2],
            gap=gap,
            noise=noise,
            contribution=np.abs(gap),
        )

    def __len__(self) -> int:
        return self.upper.size

    def __str__(self) -> str:
        worst = int(np.argmax(self.contribution))
        return (
            f"{len(self)} bins of the score from {self.lower[0]:.4g} to {self.upper[-1]:.4g}\n"
            f"  the largest gap, {self.gap[worst]:+.4f}, is from {self.lower[worst]:.4g} to "
            f"{self.upper[worst]:.4g}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationResult(Result):
    """A calibration error with its bins and guarantees; ``float(result)`` is ``error``.

    Attributes
    ----------
    error : float
        Plug-in estimate of the binned calibration error, ECE_PU.
    debiased : float
        The same less its estimated upward bias; at least 0 (PM306 says if that mattered).
    interval : Interval
        Of the binned calibration error; "combined" if the prior is a range.
    standard_error : float
        Of ``error``.
    signed_error, signed_interval : float, Interval
        Mean score less prior: positive if over-confident on the whole, unless the interval holds 0.
    overconfidence, underconfidence : float
        Sums of positive gaps and of negative gaps (in size); they add up to ``error``, unless that was
        cut at 1 (PM315).
    max_error, max_bin, max_interval : float, int, Interval
        Largest |mean score − positive rate| of a bin, corrected for noise: 0 unless some bin is off for
        sure. Its index, and an interval that allows for the choice of the bin; see `worst`.
    bins : CalibrationBins
    bias_bound : BiasBound or None
        Theorem 1; None if bins are too small for it (PM304).
    prior_interval : Interval or None
        What the range of the prior alone makes of ``error`` ("identification").
    prior_shift : float
        Theorem 2: ``error`` is at most this far from its value at any prior of the range; with
        noisy labels, the largest shift found over the range.
    label_bias, bias_range : float, Interval or None
        How biased labels may be, and what that alone leaves open ("identification").
    n_checked : int or None
        Rows of the audit that this rests on.
    n_groups, design_effect : int and float, or None
        Groups that the rows belong to, and what they multiply the variance by.
    moments : BinMoments
        Power sums of the scores in each bin, from which all of this is computed.
    """

    error: float
    bins: CalibrationBins = field(repr=False)
    bias_bound: BiasBound | None
    debiased: float
    interval: Interval
    standard_error: float
    signed_error: float
    signed_interval: Interval
    overconfidence: float
    underconfidence: float
    max_error: float
    max_bin: int
    max_interval: Interval
    prior_interval: Interval | None
    prior_shift: float
    binning: str
    n_bins: int
    scenario: Scenario
    prior: float
    unlabeled_share: float | None
    purity: float
    diagnostics: tuple[Diagnostic, ...] = ()
    moments: BinMoments | None = field(default=None, repr=False, compare=False)
    label_bias: float = 1.0
    bias_range: Interval | None = None
    n_checked: int | None = None
    n_groups: int | None = None
    design_effect: float | None = None

    def __float__(self) -> float:
        return self.error

    _picture = CalibrationBins._picture

    def frame(self) -> Columns:
        """Return the per-bin columns that a reliability diagram draws."""
        return self.bins.frame()

    @property
    def bins_in_words(self) -> str:
        """What the bins have in common."""
        return "balanced bins" if self.binning == "balanced" else f"bins of equal {self.binning}"

    @property
    def direction(self) -> str:
        """Whether scores are too high on the whole, too low, or neither for sure."""
        shown = f"{abs(self.signed_error):.4f}"
        if 0.0 in self.signed_interval or float(shown) == 0.0:
            return "not clearly over- or under-confident"
        return f"{'over' if self.signed_error > 0 else 'under'}-confident overall"

    def estimate(self) -> Estimate:
        """Return the error as an `Estimate`, as other metrics come."""
        assumed = (
            "scenario", "prior", "unlabeled_share", "purity", "label_bias", "n_checked", "n_groups",
            "design_effect",
        )  # fmt: skip
        return Estimate.of(
            Named("calibration_error", "Calibration error"),
            self.error,
            self.interval,
            {name: getattr(self, name) for name in assumed},
            standard_error=self.standard_error,
            method=f"{self.n_bins} {self.bins_in_words}",
            diagnostics=self.diagnostics,
            bias_range=self.bias_range,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, strings and lists; undefined entries of bins are None."""
        bound = self.bias_bound
        ready: dict[str, Any] = json_ready(
            {
                **self.estimate().to_dict(),
                "debiased": self.debiased,
                "signed_error": self.signed_error,
                "overconfidence": self.overconfidence,
                "underconfidence": self.underconfidence,
                "max_error": self.max_error,
                "max_low": self.max_interval.low,
                "max_high": self.max_interval.high,
                "bias_bound": None if bound is None else bound.expected,
                "lipschitz": None if bound is None else bound.lipschitz,
                "bins": self.frame(),
            }
        )
        return ready

    def __str__(self) -> str:
        first, *rest = str(self.estimate()).split("\n")
        least, most = self.max_interval.low, self.max_interval.high
        lines = [
            first,
            f"  debiased {self.debiased:.4f}; mean score minus prior {self.signed_error:+.4f} "
            f"({self.direction}); worst bin {self.max_error:.4f} ({least:.4f} to {most:.4f})",
        ]
        if self.bias_bound is not None:
            lines.append(f"  {self.bias_bound}")
        return "\n".join(lines + rest)


_SAME = 1e-9  # relative spread of scores that count as one


def bin_remarks(
    table: ScoreTable, bins: CalibrationBins, wanted: int, binning: str
) -> list[Diagnostic]:
    """Bins that were merged, are empty, or have impossible rates; and scores that were bucketed."""
    remarks = []
    kind = "balanced bins" if binning == "balanced" else f"bins of equal {binning}"
    if len(bins) < wanted:
        remarks.append(
            Diagnostic(
                "PM301",
                f"{wanted} {kind} became {len(bins)}: scores are tied, or there are fewer scores than bins, "
                "so bins with equal edges were merged.",
            )
        )
    empty = int(np.count_nonzero(np.isnan(bins.positive_rate)))
    if empty:
        remarks.append(
            Diagnostic(
                "PM302",
                f"{empty} of {len(bins)} bins contain no rows of the population: their mean score and "
                "positive rate are undefined (NaN). The error counts their labelled rows.",
            )
        )
    outside = int(
        np.count_nonzero((bins.positive_rate > 1 + 1e-12) | (bins.positive_rate < -1e-12))
    )
    if outside:
        worst = float(np.nanmax(np.abs(bins.positive_rate - 0.5)))
        shown = 0.5 + worst if 0.5 + worst in bins.positive_rate else 0.5 - worst
        remarks.append(
            Diagnostic(
                "PM303",
                f"the estimated positive rate falls outside [0, 1] in {outside} of {len(bins)} bins (it "
                f"reaches {shown:.4g}). Small excursions are sampling error; large ones mean that the prior "
                "is too high or that the labels are not a random sample.",
            )
        )
    if table.resolution > 0 and not table.is_scanned:  # a scan keeps the sums of the scores
        remarks.append(
            Diagnostic(
                "PM305",
                f"scores were bucketed to a resolution of {table.resolution:g}, so the calibration "
                f"error is known to within {table.resolution:g}.",
            )
        )
    return remarks


def crowded_bin(gaps: BinGaps, wanted: int) -> list[Diagnostic]:
    """PM314 if one of several bins holds most labels or most expected positives, at several scores."""
    if wanted < 2:
        return []
    moments = gaps.moments
    labels = moments.positives[0] / moments.positives[0].sum()
    scores = np.maximum(gaps.score_pop, 0.0)
    expected = scores / scores.sum() if scores.sum() > 0 else scores
    fullest = int(np.argmax(np.maximum(labels, expected)))
    share = float(max(labels[fullest], expected[fullest]))
    if share <= 0.5 or _one_score(gaps, fullest):
        return []
    labelled = labels[fullest] >= expected[fullest]
    what = "labelled positives" if labelled else "positives that the scores expect"
    low, high = moments.lower[fullest], moments.upper[fullest]
    return [
        Diagnostic(
            "PM314",
            f"the bin from {low:.4g} to {high:.4g} holds {share:.0%} of the {what}: errors of opposite sign "
            "inside it cancel out and go unnoticed. Use binning='balanced', more bins, or finer scores.",
        )
    ]


def cut_error(error: float) -> list[Diagnostic]:
    """PM315 if the plug-in exceeds what an error of probabilities can be."""
    if error <= 1.0:
        return []
    return [
        Diagnostic(
            "PM315",
            f"the calibration error came out at {error:.4g} and is reported as 1, the largest possible "
            "value: in some bins the labelled rows imply more positives than the population has rows. The "
            "prior is too high, or the labels are not a random sample of the positives.",
        )
    ]


def nothing_left(debiased: float) -> list[Diagnostic]:
    """PM306 if the debiased error is negative."""
    if debiased >= 0:
        return []
    return [
        Diagnostic(
            "PM306",
            f"the debiased calibration error came out at {debiased:.4g} and is reported as 0: the gaps are "
            "smaller than their noise, so there is no evidence of miscalibration.",
        )
    ]


def _one_score(gaps: BinGaps, place: int) -> bool:
    """Whether all rows of a bin have the same score, so that nothing can hide in it."""
    count, first, second = gaps.moments.sums[:, :, place].sum(axis=0)
    return bool(second - first / count * first <= _SAME * second)
