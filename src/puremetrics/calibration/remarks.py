"""What is fragile about bins, in words."""

from __future__ import annotations

import numpy as np

from puremetrics.calibration.gaps import BinGaps
from puremetrics.calibration.outcome import CalibrationBins
from puremetrics.exceptions import Diagnostic
from puremetrics.tables.score_table import ScoreTable

__all__ = ["bin_remarks", "crowded_bin", "cut_error", "nothing_left"]

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
                f"{wanted} {kind} became {len(bins)}: scores are tied, or fewer than "
                "the bins, and bins between equal edges were merged.",
            )
        )
    empty = int(np.count_nonzero(np.isnan(bins.positive_rate)))
    if empty:
        remarks.append(
            Diagnostic(
                "PM302",
                f"{empty} of {len(bins)} bins hold no row of the population: their mean score and "
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
                f"the estimated positive rate leaves [0, 1] in {outside} of {len(bins)} bins (it "
                f"reaches {shown:.4g}). Small excursions are sampling error; large ones say that "
                "the prior is too high or that the labels are not a random sample.",
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
            f"the bin from {low:.4g} to {high:.4g} holds {share:.0%} of the {what}: errors of opposite "
            "sign inside it cancel and stay unseen. Use binning='balanced', more bins, or finer scores.",
        )
    ]


def cut_error(error: float) -> list[Diagnostic]:
    """PM315 if the plug-in exceeds what an error of probabilities can be."""
    if error <= 1.0:
        return []
    return [
        Diagnostic(
            "PM315",
            f"the calibration error came out at {error:.4g} and is reported as 1, the largest that there "
            "is: more labelled rows lie in some bins than the population has. The prior is too high, or "
            "the labels are not a random sample of the positives.",
        )
    ]


def nothing_left(debiased: float) -> list[Diagnostic]:
    """PM306 if the debiased error is negative."""
    if debiased >= 0:
        return []
    return [
        Diagnostic(
            "PM306",
            f"the debiased calibration error came out at {debiased:.4g} and is reported as 0: "
            "the gaps are smaller than their noise, so nothing speaks against calibration.",
        )
    ]


def _one_score(gaps: BinGaps, place: int) -> bool:
    """Whether all rows of a bin have the same score, so that nothing can hide in it."""
    count, first, second = gaps.moments.sums[:, :, place].sum(axis=0)
    return bool(second - first / count * first <= _SAME * second)
