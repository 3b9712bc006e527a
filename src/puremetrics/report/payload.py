"""An `Evaluation` as plain numbers: what the page shows, and the counts that its script computes from.

Every figure of the page follows from the cut table of each model (`ScoreTable.cut`): the script applies the
library's own formulas to it at any prior, purity and threshold, with labels as a random sample. Four things
are not recomputed there: bounds (the exact band needs hypergeometric tails), what would narrow the interval,
drift, and what biased labels would do. They hold at the evaluated prior and are hidden elsewhere. Figures as
evaluated are carried where the script alone would say something else (`_evaluated`). Bounds at other
thresholds are carried in four decimals, rounded outwards; a table of more than `BLOCKS` rows has one pair for
each block of rows, which holds at every one of them; more than two models share twice as many blocks.

Nothing is estimated here: the evaluation holds it all, counts in blocks included (`evaluation.compact`).

**Packing** (`packed`). Columns of numbers become short text that the page's script unpacks without losing a
bit. Zeros and ones become bits, whole numbers variable-length bytes, scores that are short decimals
differences of whole numbers, anything else stays binary; each is written in base 64.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.comparing import LabelBiasSensitivity
from puremetrics.evaluation import Evaluation, ModelEvaluation
from puremetrics.evaluation.biased import HEADLINES
from puremetrics.evaluation.compact import STEEPEST, Compact, prior_grid
from puremetrics.evaluation.model import ENTRIES
from puremetrics.evaluation.page_numbers import (
    allowed_by,
    checked_rows_of,
    prior_by_head,
    sizes_in_groups,
    squares_in_groups,
    uncertain_at,
)
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.report import words
from puremetrics.report.if_biased import FEW
from puremetrics.report.pieces import thinned
from puremetrics.results import json_ready
from puremetrics.setting import Setting, check_one_weight
from puremetrics.tables.score_table import ScoreTable

__all__ = ["ROWS", "packed", "packed_scores", "packed_steps", "payload", "script_json"]


_LARGEST = 2**53


def packed(column: Any) -> dict[str, Any]:
    """Pack non-negative numbers; whole ones take about a byte each, zeros and ones a bit.

    >>> packed([1, 0, 300])
    {'t': 'v', 'b': 'AQCsAg=='}
    >>> packed([1, 0, 1])
    {'t': 'b', 'n': 3, 'b': 'BQ=='}
    """
    values = np.asarray(column, dtype=np.float64)
    if np.all((values == 0) | (values == 1)):
        bits = np.packbits(values.astype(bool), bitorder="little")
        return {"t": "b", "n": values.size, "b": _text(bits.tobytes())}
    whole = bool(np.all((values >= 0) & (values < _LARGEST) & (values == np.floor(values))))
    if whole:
        return {"t": "v", "b": _text(_varints(values.astype(np.uint64)))}
    return {"t": "f", "b": _text(values.astype("<f8").tobytes())}


def packed_scores(scores: FloatArray) -> dict[str, Any]:
    """Pack falling scores: as differences of whole numbers if they are decimals of few digits.

    >>> packed_scores(np.array([0.75, 0.5, 0.25]))
    {'t': 'd', 'k': 2, 's': 75, 'b': 'GRk='}
    """
    for digits in range(10):
        scaled = np.rint(scores * 10.0**digits)
        if np.abs(scaled).max() < _LARGEST and np.array_equal(scaled / 10.0**digits, scores):
            steps = (scaled[:-1] - scaled[1:]).astype(np.uint64)
            return {"t": "d", "k": digits, "s": int(scaled[0]), "b": _text(_varints(steps))}
    return {"t": "f", "b": _text(scores.astype("<f8").tobytes())}


def packed_steps(column: Any) -> dict[str, Any]:
    """Pack whole numbers that change little from one to the next, as differences of either sign.

    >>> packed_steps([300, 301, 300])
    {'t': 'z', 'b': '2AQCAQ=='}
    """
    steps = np.diff(np.asarray(column, dtype=np.int64), prepend=0)
    folded = np.where(steps < 0, -2 * steps - 1, 2 * steps).astype(np.uint64)
    return {"t": "z", "b": _text(_varints(folded))}


def script_json(content: Any) -> str:
    """JSON that cannot end or disturb the script element that holds it."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")  # lone surrogates
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _varints(values: Any) -> bytes:
    out = bytearray()
    for value in values.tolist():
        while value > 127:
            out.append(value & 127 | 128)
            value >>= 7
        out.append(value)
    return bytes(out)


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


ROWS = 12_000
BLOCKS = 900
_THOROUGH = 2  # models whose blocks are compared with their rows everywhere
_STEP = 1.1  # of the slider of rows checked, at least
_UNDEFINED = -99_999  # no metric in ten-thousandths, and no count


def payload(
    evaluation: Evaluation,
    *,
    title: str,
    truth: Mapping[str, Mapping[str, float]] | None = None,
    allowed: Evaluation | None = None,
) -> dict[str, Any]:
    """Everything the page's script needs, ready for JSON.

    ``allowed`` is the evaluation with all models, those included that are not shown: what contradicts the
    assumptions is read off every ranking.
    """
    first = next(iter(evaluation.models.values()))
    known, setting = evaluation.prior, first.setting
    check_one_weight(setting.table, "The page's script", "Print the evaluation, or use its frames.")
    fixed = setting.table.total_unl == 0
    told = HEADLINES if len(evaluation.models) <= FEW else HEADLINES[:1]
    limit = max(ROWS // len(evaluation.models), 200)
    blocks = max(min(BLOCKS, 2 * BLOCKS // len(evaluation.models)), 60)
    models = [
        _model(model, model.compact(limit, i < _THOROUGH), blocks, told)
        for i, model in enumerate(evaluation.models.values())
    ]
    for content, name in zip(models, evaluation.models, strict=True):
        content["truth"] = {k: float(v) for k, v in (truth or {}).get(name, {}).items()}
    content = {
        "title": title,
        "level": evaluation.level,
        "z": normal_quantile(evaluation.level),
        "single": setting.table.total_unl > 0 and first.table.design.one_sample,
        "drawn": [world.prior for world in setting.other_populations()]
        if fixed and setting.prior_drawn
        else None,
        "totals": setting.table.totals,
        "size": setting.population_size,
        "best": _best(evaluation),
        "home": {
            "prior": known.value,
            "low": known.low,
            "high": known.high,
            "purity": known.purity,
            "bias": evaluation.label_bias,
            "moved": words.moved_sentence(evaluation),
            "clean": known.clean,
            "purities": [known.purity_low, known.purity_high],
            **uncertain_at(known, evaluation.level),
            "largest": evaluation.largest_prior,
        },
        "fixed": fixed,
        "steepest": STEEPEST,
        "grid": _grids(setting),
        "allowed": None if fixed else vars(allowed_by(allowed or evaluation)),
        "checked": _checked(evaluation),
        "models": models,
    }
    ready: dict[str, Any] = json_ready(content)
    return ready


def _grids(setting: Setting) -> dict[str, list[float]]:
    """Positions of the sliders; the evaluated ones are among them."""
    known = setting.assumed
    if setting.table.total_unl == 0:
        return {"prior": [known.value], "purity": [known.purity]}
    least = min(0.5, 0.8 * known.purity)
    steps = round((1 - least) / 0.005)
    return {
        "prior": _with(_short(prior_grid(setting)), known.value),
        "purity": _with(np.linspace(least, 1.0, steps + 1).round(6), known.purity),
    }


def _best(evaluation: Evaluation) -> int:
    """Place of the model with the largest ROC area: its threshold is moved first."""
    areas = [model.modelled["roc_auc"].value for model in evaluation.models.values()]
    return max(range(len(areas)), key=lambda i: (areas[i], -i))


def _short(grid: FloatArray) -> FloatArray:
    """A grid in five decimals, which are fewer characters; the ends stay."""
    return np.concatenate([grid[:1], grid[1:-1].round(5), grid[-1:]])


def _checked(evaluation: Evaluation) -> dict[str, Any] | None:
    """How many of the best unlabeled rows are checked: as evaluated, points of the curves, slider."""
    told = [model for model in evaluation.models.values() if model.discovery is not None]
    if not told or told[0].discovery is None or told[0].discovery_rows is None:
        return None
    home, points = told[0].discovery_rows, told[0].discovery.rows[1:]
    kept = [float(points[0])]
    for point in points[1:].tolist():
        if point >= _STEP * kept[-1] or point in (home, points[-1]):
            kept.append(point)
    return {"home": home, "points": [0.0, *points.tolist()], "grid": kept}


def _discovery(model: ModelEvaluation) -> dict[str, Any] | None:
    """The rows that the curve of discoveries is computed from."""
    rows = checked_rows_of(model)
    if rows is None:
        return None
    return {
        "pos": packed(rows.labelled),
        "unl": packed(rows.unlabeled),
        "squares": None if rows.squares is None else [packed(column) for column in rows.squares],
        "heavy": rows.heavy,
    }


def _with(grid: FloatArray, value: float) -> list[float]:
    """The grid with the position nearest to a value replaced by it; the ends stay."""
    if value in grid:
        return [float(v) for v in grid]
    inner = grid[1:-1]
    inner[np.argmin(np.abs(inner - value))] = value
    return [float(v) for v in np.sort(grid)]


def _model(
    model: ModelEvaluation, compact: Compact, blocks: int, told: Sequence[str]
) -> dict[str, Any]:
    used = compact.table
    rows: dict[str, Any] = {
        "score": packed_scores(used.score),
        "pos": packed(used.n_pos),
        "unl": packed(used.n_unl),
        "neg": packed(used.n_neg) if used.total_neg > 0 else None,
        "squares": _squares(model, used),
        "hidden": None if used.hidden is None else packed(used.hidden),
        "offset": compact.offset,
        "merged": compact.ends is not None,
    }
    table, heads = model.table, model.setting.heads
    at = model.modelled["recall"].threshold if "recall" in model.modelled else None
    calibration = None
    calibrated = model.modelled_calibration
    if calibrated is not None and calibrated.moments is not None:
        moments = calibrated.moments
        calibration = {
            "upper": moments.upper,
            "top": moments.top,
            "sums": moments.sums,
            "squares": moments.squares if table.weighted or table.clusters is not None else None,
        }
    score = model.setting.ranked.score
    place = [int(np.searchsorted(-score, -t, side="right")) for t in model.hull.threshold]
    return {
        "name": model.name,
        "ranged": _ranged(model),
        "rows": rows,
        "evaluated": _evaluated(model, compact.ends is not None or table.clusters is not None),
        "biased": {key: _over_bias(curve) for key, curve in model.bias_curves(told).items()},
        "deviation": compact.deviation,
        "at": None if at is None else _at(model, at),
        "hull": {"f": heads.cmp[place], "g": heads.pos[place]},
        "byHead": prior_by_head(model.setting),
        "bounds": {key: [b.low, b.high] for key, b in model.bounds.items()},
        "counts": None
        if model.confusion is None
        else {key: [b.low, b.high] for key, b in model.confusion.bounds.items()},
        "along": None if at is None else _along(model, compact.ends, blocks),
        "band": _bands(model),
        "calibration": calibration,
        "discovery": _discovery(model),
    }


def _ranged(model: ModelEvaluation) -> list[str]:
    """What is told as a range in place of a number, as evaluated."""
    told = [key for key, found in model.modelled.items() if words.is_ranged(model, found)]
    return [*told, "calibration", "found"] if words.is_open(model) else told


def _squares(model: ModelEvaluation, used: ScoreTable) -> list[Any] | None:
    """Squared weights; those of grouped rows are larger by the design effects of the area."""
    if model.table.clusters is None:
        return [packed(column) for column in used.squared_weights()] if used.weighted else None
    return [packed(column) for column in squares_in_groups(model, used)]


def _at(model: ModelEvaluation, threshold: float) -> dict[str, Any]:
    """The evaluated threshold: rows above it, and how many rows weighted or grouped ones count for there."""
    sizes = None
    if model.table.clusters is not None:
        sizes = sizes_in_groups(model, threshold)
    elif model.table.weighted:
        sizes = list(model.setting.rows.sizes_at(threshold))
    return {"threshold": threshold, "heads": model.table.heads_around(threshold), "sizes": sizes}


def _evaluated(model: ModelEvaluation, rough: bool) -> dict[str, Any]:
    """Figures of the evaluation where the script alone would say something else.

    Areas if the page has rows in blocks or groups (``rough``), metrics at a threshold that was chosen on
    these rows, and all that has an interval if prior or purity are uncertain, labels may be biased, or the
    prior was drawn with the rows: value, both limits and the naive value; limits of the bins, and of
    discoveries at every point.
    """
    known = model.setting.bias.is_random and model.setting.assumed.is_point
    biased = not known or model.setting.prior_drawn
    chosen = model.operating_point is not None
    found: dict[str, Any] = {
        key: [estimate.value, *(estimate.interval or (np.nan, np.nan)), model.naive[key].value]
        for key, estimate in model.modelled.items()
        if biased or (rough if estimate.threshold is None else chosen)
    }
    calibrated = model.modelled_calibration
    if biased and calibrated is not None:
        bins = calibrated.bins
        found["calibration"] = {
            "interval": list(calibrated.interval),
            "low": bins.rate_low,
            "high": bins.rate_high,
        }
    if biased and model.discovery is not None:
        found["discovery"] = [model.discovery.low, model.discovery.high]
    return found


def _over_bias(curve: LabelBiasSensitivity) -> dict[str, Any]:
    """A figure over the label bias: its value, and both pairs of limits at each bias."""
    names = ("label_bias", "value", "low", "high", "bias_low", "bias_high", "threshold")
    return {name: getattr(curve, name) for name in names}


def _along(model: ModelEvaluation, ends: Any, blocks: int) -> dict[str, Any] | None:
    """Bounds at every block of rows, rounded outwards: whole counts, and ten-thousandths of metrics."""
    names = [key for key in model.bounds if model.modelled[key].threshold is not None]
    found = model.bounded.along(model.setting.ranked, [*names, *ENTRIES])
    if not found:
        return None
    rows = slice(None) if ends is None else ends - 1
    shown = next(iter(found.values()))[0][rows].size
    width = -(-shown // blocks)
    first = np.arange(0, shown, width)
    packs = {}
    for key, (low, high) in found.items():
        unit = 1.0 if key in ENTRIES else 1e4
        least = np.minimum.reduceat(np.floor(low[rows] * unit + 1e-9), first)
        most = np.maximum.reduceat(np.ceil(high[rows] * unit - 1e-9), first)
        undefined = np.isnan(least) | np.isnan(most)
        packs[key] = [packed_steps(np.where(undefined, _UNDEFINED, end)) for end in (least, most)]
    return {"width": width, "bounds": packs}


def _bands(model: ModelEvaluation) -> dict[str, Any] | None:
    """Outlines of the confidence bands of both curves, thinned for drawing."""
    if len(model.bands) < 2:
        return None
    return {
        name: {"lower": _outline(band.x, band.low), "upper": _outline(band.x, band.high)}
        for name, band in zip(("roc", "pr"), model.bands.values(), strict=True)
    }


def _outline(x: FloatArray, y: FloatArray) -> list[dict[str, Any]]:
    """Points in ten-thousandths of the axes: all x, and all y."""
    keep = thinned(x, y)
    return [packed_steps(np.rint(points[keep] * 10_000)) for points in (x, y)]
