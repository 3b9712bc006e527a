"""Does a model serve all segments alike? Gaps without negatives, with simultaneous intervals.

What fairlearn's MetricFrame gives for full labels: a statistic of each segment, differences, ratios and the
worst segment; here each with an interval. Every segment is corrected with a prior of its own. Recall needs
none, if the labels are a random sample of the segment's positives: how many positives were labelled may
differ from segment to segment, but not which.

Limits of a gap are put together from those of both segments (`comparing.segment_gaps`). All gaps hold at
once: limits of the segments are made at the level at which the largest of all studentized gaps stays inside
(max |z|, at most Bonferroni's). The largest difference and the worst value have been chosen, and their
intervals allow for it: they follow from intervals that hold at once, whichever pair or segment is the extreme
one in truth.

Groups that have rows in several segments make these dependent: with s_ga the sum over the rows of group g in
segment a of what they add to its error, the correlation is Σ_g s_ga·s_gb / sqrt(Σ s_ga² · Σ s_gb²).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from puremetrics.checking.arguments import check_level, shown
from puremetrics.checking.types import FloatArray
from puremetrics.comparing.segment_figures import own_prior, prior_of
from puremetrics.comparing.segment_gaps import (
    METHOD,
    SegmentComparison,
    SegmentGap,
    Version,
    gap_of,
    largest_of,
    smallest_of,
    worst_of,
)
from puremetrics.exceptions import Diagnostic, InputError, PuremetricsError, UnsupportedError
from puremetrics.numerics.quantiles import normal_quantile, simultaneous_level
from puremetrics.results import Estimate, Interval
from puremetrics.sampling.uncertain import reaches_with_errors
from puremetrics.setting import FEW_POSITIVES, LabelBias, PriorLike, PurityLike, Setting
from puremetrics.statistics.catalogue import find
from puremetrics.statistics.statistic import Statistic
from puremetrics.tables.joint import JointTable
from puremetrics.tables.segments import Segments

__all__ = ["compare_segments"]


def compare_segments(
    segments: Segments,
    *,
    statistic: str | Statistic = "recall",
    threshold: float | None = None,
    prior: PriorLike | Mapping[Any, PriorLike] = None,
    purity: PurityLike = None,
    reference: Any = None,
    confidence_level: float = 0.95,
    label_bias: float | Mapping[Any, float] = 1.0,
    label_bias_side: str = "either",
    **options: float,
) -> SegmentComparison:
    """Compare a statistic between segments, with intervals that hold for all gaps at once.

    Holds for each segment as `metric` and `roc_auc` do: if its labelled positives are a random sample of its
    positives.

    Parameters
    ----------
    segments : Segments
        From `Segments.from_arrays`, or from ``scan(…, by=…)``.
    statistic : str, default "recall"
        A metric at ``threshold``; "roc_auc", "average_precision"; "brier_score", "log_loss" or
        "calibration_error" of probabilities.
    threshold : float, optional
        For metrics of the confusion matrix; the same in all segments.
    prior : float, (low, high), PriorEstimate, or mapping of segments to these, optional
        P(y = 1); one for all, or one each. Recall needs none if labels are pure and random. For all else
        each segment's is estimated from its scores if it is left out, as `drift` does.
    purity : float or (low, high), default 1
        Share of true positives among the labelled.
    reference : object, optional
        A segment that all others are compared with. Default: every pair.
    confidence_level : float, default 0.95
    label_bias, label_bias_side : float or mapping of segments to floats, default 1; {"either", "high", "low"}
        How far labels may be from random inside a segment; see `roc_auc`. It may differ between segments, and
        nothing says that biases offset each other. Needs a prior.
    options
        Of the metric, such as ``beta``.

    Returns
    -------
    SegmentComparison
        PM604 says if segments differ by more than chance, PM605 which were left out, PM105 which have so few
        labels that their intervals are approximate.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y, land = rng.integers(2, size=400), rng.choice(["north", "south"], 400)
    >>> score = rng.normal(size=400) + y * np.where(land == "north", 2, 1)
    >>> segments = Segments.from_arrays(y, score, segment=land, scenario="case_control", by="land")
    >>> found = compare_segments(segments, threshold=0.5)
    >>> found.worst, found.difference_interval.low > 0
    ('south', True)
    """
    if not isinstance(segments, Segments):
        raise InputError(
            f"compare_segments takes Segments, not {type(segments).__name__}. Build them with "
            "Segments.from_arrays, or with scan(…, by=…)."
        )
    level = check_level(confidence_level)
    asked = find(statistic, options, threshold=threshold).for_differences()
    asked.check_between()
    _check_names(segments, prior, label_bias, reference)
    settings, reasons = _settings(
        segments, asked, prior, purity, level, label_bias, label_bias_side
    )
    estimates: dict[Any, Estimate] = {}
    for key, setting in settings.items():
        found = asked.estimate(setting)
        if not np.isfinite(found.value) or found.interval is None:
            reasons[key] = f"{found.title} is undefined there"
            continue
        if not np.isfinite(_half_width(found)):
            reasons[key] = f"the interval of {found.title} is unbounded there"
            continue
        estimates[key] = found
    _check_enough(estimates, reasons, reference)
    keys = list(estimates)
    kept = [settings[key] for key in keys]
    correlation = _correlations(segments, asked, dict(zip(keys, kept, strict=True)))
    spread = np.array([_half_width(estimates[key]) for key in keys]) / normal_quantile(level)
    covariance = correlation * np.outer(spread, spread)
    pairs = [
        (a, b)
        for a, b in combinations(range(len(keys)), 2)
        if reference is None or reference in (keys[a], keys[b])
    ]
    if reference is not None:
        pairs = [(b, a) if keys[a] == reference else (a, b) for a, b in pairs]
    contrasts = np.zeros((len(pairs), len(keys)))
    for row, (a, b) in enumerate(pairs):
        contrasts[row, a], contrasts[row, b] = 1.0, -1.0
    if any(setting.kind == "combined" for setting in kept):  # widths are not sampling error alone
        covariance = np.zeros_like(covariance)
    each = [_versions(asked, setting, level) for setting in kept]
    levels = [
        simultaneous_level(covariance, rows, level) for rows in (contrasts, np.eye(len(keys)))
    ]
    all_gaps, all_values = (
        [_at_level(asked, s, at, near) for s, near in zip(kept, each, strict=True)] for at in levels
    )
    low, high = asked.low, asked.high
    gaps = [
        gap_of(
            estimates, (keys[a], keys[b]), (each[a], each[b]), (all_gaps[a], all_gaps[b]),
            float(correlation[a, b]), level, (low, high),
        )
        for a, b in pairs
    ]  # fmt: skip
    bands = {}
    for key, versions in zip(keys, all_values, strict=True):
        ends = min(v.value - v.below for v in versions), max(v.value + v.above for v in versions)
        own = estimates[key].interval
        assert own is not None
        bands[key] = Interval(
            max(min(ends[0], own.low), low),
            min(max(ends[1], own.high), high),
            level,
            own.kind,
            METHOD,
        )
    largest, of_largest = largest_of(gaps, high - low)
    smallest, of_smallest = smallest_of(gaps)
    worst, of_worst, maybe = worst_of(asked, estimates, bands, gaps)
    first = estimates[keys[0]]
    return SegmentComparison(
        segments.by, asked.name, first.title, estimates, bands, gaps, reference, largest, of_largest,
        smallest, of_smallest, worst, of_worst, maybe, reasons,
        _remarks(segments, estimates, gaps, reasons),
    )  # fmt: skip


def _check_names(segments: Segments, prior: Any, bias: Any, reference: Any) -> None:
    """Raise for names that are no segments."""
    every = {*segments.tables, *segments.without_positives}
    for title, given in (("prior", prior), ("label_bias", bias)):
        if isinstance(given, Mapping):
            unknown = [key for key in given if key not in every]
            if unknown:
                raise InputError(
                    f"{title} names {shown(unknown[0])}, which is not a segment by {segments.by!r}. Name "
                    "segments as they appear in "
                    "the column, such as "
                    + ", ".join(repr(key) for key in list(segments)[:3])
                    + "."
                )
    if reference is not None:
        try:
            segments[reference]
        except TypeError:
            raise InputError(
                f"reference={shown(reference)} is not a segment. Pass one as it appears in the column."
            ) from None


def _settings(
    segments: Segments,
    statistic: Statistic,
    prior: Any,
    purity: Any,
    level: float,
    label_bias: Any,
    side: Any,
) -> tuple[dict[Any, Setting], dict[Any, str]]:
    """What is assumed of each segment, and why some are left out."""
    found: dict[Any, Setting] = {}
    reasons = {}
    for key, counts in segments.without_positives.items():
        several = counts[0] > 0 and sum(counts) > counts[0]
        reasons[key] = (
            "all of its rows belong to one group"
            if several
            else f"{counts[0]} positives, {counts[1]} unlabeled rows and {counts[2]} negatives"
        )
    for key, table in segments.items():
        given = label_bias.get(key, 1.0) if isinstance(label_bias, Mapping) else label_bias
        bias = LabelBias.of(given, side)
        used = prior_of(prior, key)
        if statistic.prior_free and used is None and purity in (None, 1) and bias.is_random:
            found[key] = statistic.assume(table, None, None, level)
            continue
        try:
            if used is None and table.total_unl > 0:
                used, reason = own_prior(table.cut(), purity, level)
                if reason is not None:
                    reasons[key] = reason
                    continue
            own = None if used is not prior_of(prior, key) else purity
            found[key] = Setting.of(table, used, own, level, bias.most, bias.side)
        except PuremetricsError as problem:
            if isinstance(problem, InputError):
                raise
            reasons[key] = str(problem).rstrip(".")
    return found, reasons


def _check_enough(estimates: dict[Any, Any], reasons: dict[Any, str], reference: Any) -> None:
    """Raise if there is nothing to compare."""
    if reference is not None and reference not in estimates:
        raise UnsupportedError(
            f"The reference {reference!r} cannot be used: {reasons[reference]}. Choose another one."
        )
    if len(estimates) < 2:
        why = "".join(f" {key!r}: {reason}." for key, reason in list(reasons.items())[:3])
        raise UnsupportedError(
            f"Only {len(estimates)} of the segments can be compared, but a comparison needs two.{why} Use "
            "coarser ones."
        )


def _correlations(
    segments: Segments, statistic: Statistic, settings: dict[Any, Setting]
) -> FloatArray:
    """Correlations of the segments' estimates, by groups that have rows in several of them."""
    rows, count = segments.rows, len(settings)
    grouped = any(table.clusters is not None for table in segments.tables.values())
    if rows is None and grouped:
        raise UnsupportedError(
            "These segments do not record which groups they share. Build them with Segments.from_arrays(…, "
            "groups=…)."
        )
    if rows is None or rows.units.alone:
        return np.eye(count)
    sums = np.zeros((count, rows.units.total))
    for number, (key, setting) in enumerate(settings.items()):
        members = rows.members[key]
        joint = JointTable({"": setting.table}, rows.kind[members], {"": rows.score[members]})
        with np.errstate(invalid="ignore"):
            added = statistic.row_errors(joint, "", setting.at(setting.prior))
        added = np.where(np.isfinite(added), added, 0.0)
        sums[number] = np.bincount(rows.units.place[members], added, minlength=rows.units.total)
    product = sums @ sums.T
    size = np.sqrt(np.diag(product))
    size = np.where(size > 0, size, 1.0)
    found = np.clip(product / np.outer(size, size), -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def _half_width(estimate: Estimate) -> float:
    assert estimate.interval is not None
    return estimate.interval.width / 2


def _versions(statistic: Statistic, setting: Setting, level: float) -> list[Version]:
    """The estimate at every extreme that may be true, with its reach at a level and what errors add to it."""
    corners = setting.at_extremes()
    worlds = [point.at(point.prior, point.purity).with_level(level) for point in corners.points()]
    estimates = [statistic.estimate(world) for world in worlds]
    known = [estimate.interval or (np.nan, np.nan) for estimate in estimates]
    low, high = np.array([tuple(ends) for ends in known]).T
    values = np.array([estimate.value for estimate in estimates])
    found = []
    reaches = reaches_with_errors(corners.assumed, (values, low, high), level)
    for (at, _), value, below, above in zip(corners.assumed.placed, *reaches, strict=True):
        if estimates[at].interval is None:
            continue
        open_ = estimates[at].bias_range
        ends = {value} if open_ is None else {min(open_.low, value), max(open_.high, value)}
        down, up = max(below - (value - min(ends)), 0.0), max(above - (max(ends) - value), 0.0)
        found += [Version(float(end), float(down), float(up)) for end in sorted(ends)]
    return found


def _at_level(
    statistic: Statistic, setting: Setting, level: float, plain: list[Version]
) -> list[Version]:
    """The versions at a higher level, with reaches that grow at least as a normal error's would.

    Limits of shares of few rows lean towards the middle, more so the higher the level: far out they would
    grow too slowly on one side.
    """
    grown = normal_quantile(level) / normal_quantile(setting.level)
    return [
        Version(far.value, max(far.below, grown * near.below), max(far.above, grown * near.above))
        for far, near in zip(_versions(statistic, setting, level), plain, strict=True)
    ]


def _remarks(
    segments: Segments,
    estimates: dict[Any, Estimate],
    gaps: list[SegmentGap],
    reasons: dict[Any, str],
) -> tuple[Diagnostic, ...]:
    found = []
    apart = [gap for gap in gaps if gap.simultaneous.low > 0 or gap.simultaneous.high < 0]
    if apart:
        widest = max(apart, key=lambda gap: abs(gap.difference))
        found.append(
            Diagnostic(
                "PM604",
                f"{len(apart)} of {len(gaps)} gaps between segments are larger than chance alone explains; "
                f"the largest is {widest}.",
            )
        )
    few = [key for key in estimates if segments[key].total_pos < FEW_POSITIVES]
    if few:
        listed = ", ".join(f"{key} ({segments[key].total_pos:g})" for key in few[:5])
        more = f" and {len(few) - 5} more" if len(few) > 5 else ""
        found.append(
            Diagnostic(
                "PM105",
                f"few labelled positives in {listed}{more}: with fewer than {FEW_POSITIVES}, intervals are "
                "approximate and gaps hard to detect. More labels there would help most.",
            )
        )
    if reasons:
        first = next(iter(reasons))
        found.append(
            Diagnostic(
                "PM605",
                f"{len(reasons)} segments were left out, such as {first!r}: {reasons[first]}.",
            )
        )
    codes = {remark.code for remark in found}
    for key, estimate in estimates.items():
        for remark in estimate.diagnostics:
            if remark.code not in codes:
                codes.add(remark.code)
                found.append(Diagnostic(remark.code, f"in {key}, {remark.message}"))
    return tuple(found)
