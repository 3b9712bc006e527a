"""The numbers of each segment: its areas, its prior, and why some are missing.

Small segments with a given prior are computed together (`areas_of`), all others one by one. Whether all
segments are alike is asked by Cochran's test, and by Holm's which of them stand out (`homogeneity_of`).

**Corrected areas of very many small segments at once** (`areas_of`). What `statistics.roc_area` computes of
one table is computed on arrays with a row for each segment: the area under the envelope of its corrected
path, and its limits at a known prior and purity. Most of the time that a small segment costs goes into
objects, not numbers, so thousands of them together cost little more than one. Segments are put together by
the number of their rows, and padded with rows of nothing at the end.

The envelope is the one of `numerics.monotone`: three points a step, where it enters view, where it leaves it,
and its end. Its area inside the unit square needs no points on the border: the integral of a straight piece
that is cut to [0, 1] is known, with H(y) the integral of the cut height up to y,

    ∫ cut(y) dx = (x₁ − x₀) · (H(y₁) − H(y₀)) / (y₁ − y₀).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import FloatArray
from puremetrics.correction.rates import corrected_rates
from puremetrics.exceptions import Diagnostic, InputError, PuremetricsError
from puremetrics.numerics.quantiles import holm_rejected, normal_quantile, small_sample
from puremetrics.numerics.sums import weighted_sum
from puremetrics.priors.estimate import estimate_prior
from puremetrics.results import Estimate, PriorEstimate, Result
from puremetrics.sampling.bounded import PART_OF_OTHERS, unit_reaches
from puremetrics.sampling.clustered import allow_for_groups
from puremetrics.sampling.limits import linear_variance
from puremetrics.scenarios import KNOWN_ROWS, Design
from puremetrics.setting import FEW_POSITIVES, PriorLike, PurityLike, Setting, possible_priors
from puremetrics.statistics.roc_area import RocAuc, area_influence, direct_area, raw_area
from puremetrics.tables.score_table import ScoreTable
from puremetrics.tables.segments import FlatTables, Segments

__all__ = [
    "Homogeneity",
    "RawArea",
    "SegmentRow",
    "SmallAreas",
    "SmallRows",
    "areas_of",
    "homogeneity_of",
    "naive_areas",
    "own_prior",
    "pooled",
    "prior_of",
    "raw_areas",
    "segment_rows",
    "sentence_of",
    "small_rows",
]


@dataclass(frozen=True, eq=False, repr=False)
class Homogeneity(Result):
    """Cochran's test that all segments have the same value.

    Attributes
    ----------
    name : str
        "naive_auc", "auc" or "prior".
    segments : int
        How many were compared.
    statistic, p_value : float
        Q, and the chance of one at least as large if segments are alike.
    mean : float
        Mean of the segments, weighted by precision.
    differ : bool
        Whether the chance is below the error rate, shared by the quantities that were asked.
    outliers : tuple
        Segments that stand out, by Holm's test; empty unless segments differ.
    """

    name: str
    segments: int
    statistic: float
    p_value: float
    mean: float
    differ: bool
    outliers: tuple[Any, ...]
    diagnostics: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        return sentence_of(self)


class RawArea(NamedTuple):
    """An area without repair, and what its variance is made of."""

    value: float
    by_pos: float  # variance of a placement of a positive, and of another row
    by_others: float
    n_pos: float
    n_others: float
    gap: float

    @staticmethod
    def of(setting: Setting) -> RawArea:
        """The area of a setting."""
        below, above = area_influence(setting.heads)
        setting = allow_for_groups(setting, below, above)
        gap, samples, table = setting.gap, setting.samples, setting.ranked
        area = weighted_sum(np.diff(samples.heads.cmp), above)
        parts = linear_variance(samples, below, above)
        n_pos = samples.sizes[0]
        n_others = (table.total - table.total_pos) / samples.effect[1]
        return RawArea(
            direct_area(area, gap),
            parts.from_positives * n_pos,
            parts.from_others * n_others,
            n_pos,
            n_others,
            gap,
        )


def pooled(areas: list[RawArea | None]) -> tuple[list[int], FloatArray, FloatArray]:
    """Places, areas and standard errors, with the spread of the rows pooled over all segments.

    The error that a segment gives itself shrinks as its area comes out near 1, which would weight lucky
    segments too heavily: with 30 positives each, Cochran's test then raises three false alarms for one.
    """
    place = [i for i, area in enumerate(areas) if area is not None]
    known = [area for area in areas if area is not None]
    by_pos, by_others = (
        float(np.mean([area[i] for area in known])) if known else 0.0 for i in (1, 2)
    )
    variance = [(by_pos / a.n_pos + by_others / a.n_others) / a.gap**2 for a in known]
    return place, np.array([area.value for area in known]), np.sqrt(variance)


def homogeneity_of(
    name: str, keys: list[Any], value: FloatArray, error: FloatArray, allowed: float
) -> Homogeneity | None:
    """Cochran's Q, and by Holm's test the segments that stand out."""
    from scipy.special import chdtrc, ndtr

    keys = [key for key, own in zip(keys, error, strict=True) if own > 0]
    value, error = value[error > 0], error[error > 0]
    if len(keys) < 2:
        return None
    weight = 1 / error**2
    mean = weighted_sum(weight, value) / float(weight.sum())
    statistic = weighted_sum(weight, (value - mean) ** 2)
    p_value = float(chdtrc(len(keys) - 1, statistic))
    differ = p_value < allowed
    outliers: tuple[Any, ...] = ()
    if differ:
        spread = np.sqrt(np.maximum(error**2 - 1 / weight.sum(), 1e-300))
        beyond = 2 * ndtr(-np.abs(value - mean) / spread)
        outliers = tuple(keys[i] for i in holm_rejected(np.asarray(beyond), allowed))
    return Homogeneity(name, len(keys), statistic, p_value, mean, differ, outliers)


def sentence_of(test: Homogeneity) -> str:
    """What the test says."""
    what = {"naive_auc": "naive AUC", "auc": "AUC", "prior": "prior"}[test.name]
    if not test.differ:
        return (
            f"the {what} of {test.segments} segments differs by no more than chance (p "
            f"= {test.p_value:.2g}); mean {test.mean:.4f}"
        )
    named = ", ".join(str(key) for key in test.outliers[:8])
    more = f" and {len(test.outliers) - 8} more" if len(test.outliers) > 8 else ""
    out = f"; these stand out: {named}{more}" if named else "; no single one stands out"
    return (
        f"the {what} of {test.segments} segments differs by more than chance (p = {test.p_value:.2g}; "
        f"mean {test.mean:.4f}){out}"
    )


_MOST_ROWS = 256  # of a cut table; with more, a segment is worth computing by itself
_CELLS = 1 << 20  # numbers of one array
_LEVEL = 1e-12  # pieces of a curve that rise less are level

Kinds = tuple[FloatArray, FloatArray, FloatArray]


class SmallRows(NamedTuple):
    """Places of some segments among all, and their counts: shape (segments, rows), from the highest score."""

    place: npt.NDArray[np.intp]
    pos: FloatArray
    unl: FloatArray
    neg: FloatArray

    @property
    def totals(self) -> Kinds:
        """Positive, unlabeled and negative rows of each segment."""
        return self.pos.sum(axis=1), self.unl.sum(axis=1), self.neg.sum(axis=1)

    def only(self, kept: Any) -> SmallRows:
        """Those of some segments."""
        return SmallRows(*(column[kept] for column in self))


class SmallAreas(NamedTuple):
    """Areas, lower and upper limits, whether the data contradict the prior, and purity less share."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    contradicted: npt.NDArray[np.bool_]
    gap: FloatArray


def small_rows(segments: Segments) -> Iterator[SmallRows]:
    """Rows of the segments that are small and plain: no weights, no groups, unlabeled rows among them."""
    place, ends, columns = _cut_rows(segments)
    sizes = np.diff(ends)
    for width in 2 ** np.arange(1, int(_MOST_ROWS).bit_length()):
        members = np.flatnonzero((sizes <= width) & (sizes > width // 2))
        step = max(_CELLS // int(width), 1)
        for start in range(0, members.size, step):
            own = members[start : start + step]
            at = np.arange(width)
            inside = at < sizes[own][:, None]
            cells = np.where(inside, ends[own][:, None] + at, 0)
            counts = (np.where(inside, column[cells], 0).astype(np.float64) for column in columns)
            rows = SmallRows(place[own], *counts)
            yield rows.only(rows.totals[1] > 0)


def _cut_rows(segments: Segments) -> tuple[Any, Any, Any]:
    """Places, ends and counts of all plain segments, cut at their labelled scores."""
    tables = segments.tables
    if isinstance(tables, FlatTables):  # which are cut already
        return np.arange(len(tables)), tables.ends, tables.counts
    cut = [
        (place, table.cut())
        for place, table in enumerate(tables.values())
        if not table.weighted and table.clusters is None and table.hidden is None
    ]
    sizes = [table.score.size for _, table in cut]
    names = ("n_pos", "n_unl", "n_neg")
    none = np.zeros(0, dtype=np.int64)
    columns = [
        np.concatenate([none, *(getattr(table, name) for _, table in cut)]) for name in names
    ]
    return np.array([place for place, _ in cut], np.intp), np.cumsum([0, *sizes]), columns


def naive_areas(rows: SmallRows) -> FloatArray:
    """The area of labelled rows against all others."""
    others = rows.unl + rows.neg
    above = _influence(rows.pos, others)[1]
    return np.asarray((others * above).sum(axis=1) / others.sum(axis=1))


def raw_areas(rows: SmallRows, design: Design, gap: FloatArray) -> list[RawArea]:
    """Areas without repair, and what their variances are made of; see `sampling.limits`."""
    cmp, others = _samples(rows, design)
    below, above = _influence(rows.pos, cmp)
    total_pos, total_cmp = rows.pos.sum(axis=1), cmp.sum(axis=1)
    area = (cmp * above).sum(axis=1) / total_cmp
    via_pos, via_cmp = (
        (own - ((counts * own).sum(axis=1) / total)[:, None])
        * (small_sample(total) / total)[:, None]
        for own, counts, total in ((below, rows.pos, total_pos), (above, cmp, total_cmp))
    )
    labelled = via_pos + via_cmp if design.one_sample else via_pos
    n_others = rows.unl.sum(axis=1) + rows.neg.sum(axis=1)
    columns = (
        direct_area(area, gap),
        (rows.pos * labelled**2).sum(axis=1) * total_pos,
        (others * via_cmp**2).sum(axis=1) * n_others,
        total_pos,
        n_others,
        gap,
    )
    return [RawArea(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def _samples(rows: SmallRows, design: Design) -> tuple[FloatArray, FloatArray]:
    """Counts of the comparison sample, and of its rows that are not labelled positive."""
    used = design.compared((1.0, 1.0, 1.0))
    cmp = np.asarray(sum(own for own, member in zip(rows[1:], used, strict=True) if member))
    return cmp, cmp - rows.pos if design.one_sample else cmp


def _influence(pos: FloatArray, cmp: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Share of F below each row, and of G above it, ties half."""
    pos_heads, cmp_heads = _heads(pos), _heads(cmp)
    return (
        1 - (cmp_heads[:, 1:] + cmp_heads[:, :-1]) / 2,
        (pos_heads[:, 1:] + pos_heads[:, :-1]) / 2,
    )


def areas_of(
    rows: SmallRows, design: Design, prior: FloatArray, purity: float, level: float
) -> SmallAreas:
    """Corrected areas with their limits, at priors that the counts allow."""
    cmp, others = _samples(rows, design)
    share = design.share((1.0, 1.0, 1.0), prior)
    gap = purity - share
    tpr, fpr = corrected_rates(_heads(rows.pos), _heads(cmp), share[:, None], purity)
    value = envelope_areas(fpr, tpr)
    area, below, above = _uncorrected(rows, cmp, others, design.one_sample, level)
    raw = direct_area(area, gap)
    ends = np.stack([direct_area(end, gap) for end in (area - below, area + above)])
    low, high = ends.min(axis=0), ends.max(axis=0)
    # Where a repair moved the value beyond its limits it has a reach of its own, as in `statistics.worlds`.
    moved = ~((low < value) & (value < high)) & (low < 1) & (high > 0) & (value != raw)
    reach = np.maximum(raw - low, 0.0), np.maximum(high - raw, 0.0)
    low = np.where(moved, np.minimum(low, value - reach[0]), low)
    high = np.where(moved, np.maximum(high, value + reach[1]), high)
    low, high = np.minimum(low, value), np.maximum(high, value)
    inside = np.clip(value, 0.0, 1.0)
    contradicted = (np.clip(low, 0, 1) >= np.clip(high, 0, 1)) & (high > low)
    low = np.where(contradicted, inside - (value - low), low)
    high = np.where(contradicted, inside + (high - value), high)
    limits = np.minimum(np.clip(low, 0, 1), inside), np.maximum(np.clip(high, 0, 1), inside)
    return SmallAreas(value, *limits, contradicted, gap)


def _uncorrected(
    rows: SmallRows,
    cmp: FloatArray,
    others: FloatArray,
    one_sample: bool,
    level: float,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """AUC_pu, and how far it may lie below and above; see `sampling.bounded.linear_reaches`."""
    below, above = _influence(rows.pos, cmp)
    total_pos, total_cmp = rows.pos.sum(axis=1), cmp.sum(axis=1)
    labelled = total_pos / total_cmp if one_sample else np.zeros(total_pos.size)
    width = 1 - labelled  # what a labelled row adds through both samples lies in [labelled, 1]
    both = below + labelled[:, None] * above
    scaled = np.divide(both - labelled[:, None], width[:, None])
    by_pos = _reaches(rows.pos, scaled, level, 1.0)
    by_others = _reaches(others, above, level, PART_OF_OTHERS)
    error = np.sqrt(labelled * (1 - labelled) / total_cmp)
    apart = (rows.pos * above).sum(axis=1) / total_pos
    apart -= (others * above).sum(axis=1) / others.sum(axis=1)
    by_share = normal_quantile(level) * error * np.abs(apart)
    reaches = (
        np.sqrt((width * a) ** 2 + (width * b) ** 2 + by_share**2)
        for a, b in zip(by_pos, by_others, strict=True)
    )
    area = (cmp * above).sum(axis=1) / total_cmp
    return area, *reaches


def _reaches(
    counts: FloatArray, values: FloatArray, level: float, part: float
) -> tuple[FloatArray, FloatArray]:
    """How far the means of values in [0, 1] may lie below and above."""
    total = counts.sum(axis=1)
    mean = (counts * values).sum(axis=1) / total
    spread = (counts * (values - mean[:, None]) ** 2).sum(axis=1) / total
    return unit_reaches(mean, spread, total, level, part)


def envelope_areas(x: FloatArray, y: FloatArray) -> FloatArray:
    """Areas under the upper-left envelopes of paths inside the unit square; one path a row."""
    left = np.minimum.accumulate(x[:, ::-1], axis=1)[:, ::-1]
    top = np.maximum.accumulate(y, axis=1)
    x0, x1, y0, y1 = x[:, :-1], x[:, 1:], y[:, :-1], y[:, 1:]
    corner_x, corner_y = left[:, 1:], top[:, :-1]
    run, rise = x1 - x0, y1 - y0
    slanted = (run > 0) & (rise > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        enter_x = np.maximum(x0 + (corner_y - y0) / rise * run, x0)
        leave_y = np.minimum(y0 + (corner_x - x0) / run * rise, y1)
        visible = slanted & (enter_x < corner_x)
    points_x, points_y = (np.empty((x.shape[0], 3 * run.shape[1] + 1)) for _ in range(2))
    points_x[:, 0], points_y[:, 0] = left[:, 0], top[:, 0]
    points_x[:, 1::3], points_y[:, 1::3] = np.where(visible, enter_x, corner_x), corner_y
    points_x[:, 2::3], points_y[:, 2::3] = corner_x, np.where(visible, leave_y, corner_y)
    points_x[:, 3::3], points_y[:, 3::3] = corner_x, top[:, 1:]
    return _cut_areas(points_x, points_y)


def _cut_areas(x: FloatArray, y: FloatArray) -> FloatArray:
    """Areas between 0 and 1 under rising paths, whose height is cut to [0, 1]."""
    x0, x1, y0, y1 = x[:, :-1], x[:, 1:], y[:, :-1], y[:, 1:]
    run = x1 - x0
    slope = np.divide(y1 - y0, run, out=np.zeros_like(run), where=run > 0)
    start, stop = np.clip(x0, 0.0, 1.0), np.clip(x1, 0.0, 1.0)
    low, high = y0 + (start - x0) * slope, y0 + (stop - x0) * slope
    rises = high - low > _LEVEL
    mean = np.divide(_up_to(high) - _up_to(low), high - low, out=np.clip(low, 0, 1), where=rises)
    return np.asarray(((stop - start) * mean).sum(axis=1))


def _up_to(y: FloatArray) -> FloatArray:
    """The integral of the height cut to [0, 1], from 0 up to y."""
    inside = np.clip(y, 0.0, 1.0)
    return np.asarray(inside**2 / 2 + np.maximum(y - 1, 0.0))


def _heads(counts: FloatArray) -> FloatArray:
    """Shares of the rows at or above each row, with the empty head in front."""
    running = np.zeros((counts.shape[0], counts.shape[1] + 1))
    np.cumsum(counts, axis=1, out=running[:, 1:])
    return np.asarray(running / running[:, -1:])


_ROWS_FOR_PRIOR = 100
_NOTHING = (None,) * 6
_CONTRADICTED = "the data contradict the prior"


class SegmentRow(NamedTuple):
    """The numbers of a segment, why some are missing, and if positives are many its areas without repair.

    ``numbers`` are rows, positives, naive area, then area and prior with their limits.
    """

    numbers: tuple[Any, ...]
    reason: str | None
    naive: RawArea | None = None
    area: RawArea | None = None


def segment_rows(
    segments: Segments, prior: Any, purity: PurityLike, level: float
) -> dict[Any, SegmentRow]:
    """The numbers of all segments."""
    keys = list(segments)
    priors = [prior_of(prior, key) for key in keys]
    found: dict[int, SegmentRow] = {}
    for rows in small_rows(segments):
        found |= _together(segments, keys, rows, priors, purity, level)
    return {
        key: found[place] if place in found else _row(segments[key], priors[place], purity, level)
        for place, key in enumerate(keys)
    }


def _together(
    segments: Segments,
    keys: list[Any],
    rows: SmallRows,
    priors: list[Any],
    purity: PurityLike,
    level: float,
) -> dict[int, SegmentRow]:
    """Numbers of small segments by their places, if all that is assumed are numbers."""
    given = [priors[place] for place in rows.place]
    if not all(_is_number(assumed) for assumed in (*given, purity)):
        return {}
    design, clean = segments.total.design, 1.0 if purity is None else float(cast("Any", purity))
    typed = np.array([np.nan if prior is None else prior for prior in given])
    pos, unl, neg = rows.totals
    known = np.where(unl > 0, possible_priors(design, rows.totals, typed, clean), np.nan)
    naive = naive_areas(rows)
    found: dict[int, SegmentRow] = {}
    fits = np.flatnonzero(np.isfinite(known))
    own = rows.only(fits)
    areas = areas_of(own, design, known[fits], clean, level)
    enough = np.flatnonzero(pos[fits] >= FEW_POSITIVES)
    raw = dict(
        zip(enough.tolist(), raw_areas(own.only(enough), design, areas.gap[enough]), strict=True)
    )
    alone = dict(zip(enough.tolist(), _raw_naive(own.only(enough)), strict=True))
    numbers = zip(*(column.tolist() for column in areas[:4]), strict=True)
    for i, (value, low, high, contradicted) in enumerate(numbers):
        at = fits[i]
        prior = float(known[at])
        sizes = (float(pos[at] + unl[at] + neg[at]), float(pos[at]), float(naive[at]))
        reason = _CONTRADICTED if contradicted else None
        row = (*sizes, value, low, high, prior, prior, prior)
        found[int(rows.place[at])] = SegmentRow(row, reason, alone.get(i), raw.get(i))
    for at in np.flatnonzero(~np.isfinite(known) & (pos < FEW_POSITIVES)):
        place = int(rows.place[at])
        sizes = (float(pos[at] + unl[at] + neg[at]), float(pos[at]), float(naive[at]))
        reason = _why_not(segments[keys[place]], given[at], purity, level)
        if reason is not None:
            found[place] = SegmentRow((*sizes, *_NOTHING), reason)
    return found


def _is_number(assumed: Any) -> bool:
    """Whether nothing or a single number is assumed; one that no float holds gets its sentence elsewhere."""
    if assumed is None or isinstance(assumed, float):
        return True
    return isinstance(assumed, int) and not isinstance(assumed, bool) and abs(assumed) <= 1


def _raw_naive(rows: SmallRows) -> list[RawArea]:
    """Areas of the labelled rows against all others, which are taken for negatives."""
    return raw_areas(rows, KNOWN_ROWS, np.ones(rows.totals[0].size))


def _why_not(
    table: ScoreTable, prior: float | None, purity: PurityLike, level: float
) -> str | None:
    """Why nothing can be said at this prior."""
    if prior is None:
        return too_few(table.total_pos, table.total_unl)
    try:
        Setting.of(table, prior, purity, level)
    except PuremetricsError as problem:
        return str(problem)
    return None


def prior_of(prior: Any, key: Any) -> PriorLike:
    """The prior of a segment, from one for all or one each."""
    if not isinstance(prior, Mapping):
        return prior  # type: ignore[no-any-return]
    if key not in prior:
        raise InputError(f"prior has no value for segment {key!r}. Pass one for every segment.")
    return prior[key]  # type: ignore[no-any-return]


def _row(table: ScoreTable, prior: PriorLike, purity: PurityLike, level: float) -> SegmentRow:
    """The numbers of a single segment."""
    ranked = table.cut()
    as_labelled = Setting.naive(ranked, level)
    enough = table.total_pos >= FEW_POSITIVES
    raw = RawArea.of(as_labelled) if enough else None
    naive = direct_area(raw_area(as_labelled.samples), as_labelled.gap)
    sizes = (table.total, table.total_pos, naive)
    used = prior
    if prior is None and table.total_unl > 0:
        used, reason = own_prior(ranked, purity, level)
        if reason is not None:
            return SegmentRow((*sizes, *_NOTHING), reason, raw)
    try:
        setting = Setting.of(ranked, used, None if used is not prior else purity, level)
    except PuremetricsError as problem:
        return SegmentRow((*sizes, *_NOTHING), str(problem), raw)
    area, known = RocAuc().estimate(setting), setting.assumed
    assert area.interval is not None
    numbers = (area.value, *area.interval, known.value, known.low, known.high)
    corrected = RawArea.of(setting) if enough else None
    return SegmentRow((*sizes, *numbers), _extreme(area, used), raw, corrected)


def own_prior(
    ranked: ScoreTable, purity: PurityLike, level: float
) -> tuple[PriorEstimate | None, str | None]:
    """The prior of a segment, estimated from its scores; or why it cannot be."""
    reason = too_few(ranked.total_pos, ranked.total_unl)
    if reason is not None:
        return None, reason
    try:
        return estimate_prior(ranked, purity=purity, confidence_level=level), None
    except PuremetricsError as problem:
        return None, f"the prior cannot be estimated: {problem}"


def too_few(positives: float, unlabeled: float) -> str | None:
    """Why the prior cannot be estimated from so few rows."""
    if positives >= FEW_POSITIVES and unlabeled >= _ROWS_FOR_PRIOR:
        return None
    return f"{positives:g} positives and {unlabeled:g} unlabeled rows are too few to estimate the prior"


def _extreme(area: Estimate, prior: Any) -> str | None:
    codes = {d.code for d in area.diagnostics}
    if "PM102" in codes:
        return _CONTRADICTED
    if isinstance(prior, PriorEstimate) and prior.interval is None:
        return "the prior was estimated without an interval"
    return None
