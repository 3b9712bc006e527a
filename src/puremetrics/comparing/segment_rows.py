"""The numbers of each segment: its areas, its prior, and why some are missing.

Small segments with a given prior are computed together (`small_segments`), all others one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np

from puremetrics.comparing.homogeneity import RawArea
from puremetrics.comparing.small_segments import (
    SmallRows,
    areas_of,
    naive_areas,
    raw_areas,
    small_rows,
)
from puremetrics.correction.areas import area_estimate, direct_area, raw_area
from puremetrics.exceptions import InputError, PuremetricsError
from puremetrics.priors.estimate import estimate_prior
from puremetrics.results import Estimate, PriorEstimate
from puremetrics.scenarios import SINGLE_TRAINING_SET
from puremetrics.setting import FEW_POSITIVES, PriorLike, PurityLike, Setting, possible_priors
from puremetrics.tables.score_table import ScoreTable
from puremetrics.tables.segments import Segments

__all__ = ["SegmentRow", "own_prior", "prior_of", "segment_rows"]

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
    known = possible_priors(design, rows.totals, typed, clean)
    pos, unl, neg = rows.totals
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
    """Areas of the labelled rows against all others, which are one sample."""
    pos, unl, neg = rows.totals
    return raw_areas(rows, SINGLE_TRAINING_SET, 1 - pos / (pos + unl + neg))


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
    area, known = area_estimate(setting), setting.assumed
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
