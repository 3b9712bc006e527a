"""An `Evaluation` as plain numbers: what the page shows, and the counts that its script computes from.

Every figure of the page follows from the cut table of each model (`ScoreTable.cut`): the script applies
the library's own formulas to it at any prior, purity and threshold. Three things are not recomputed
there: bounds (the exact band needs hypergeometric tails), what would narrow the interval, and drift.
They hold at the evaluated prior and are hidden elsewhere; bounds at other thresholds are carried for a
known prior.

Tables of more than `ROWS` rows in all are merged into blocks that end at real operating points. The
script then adds what merging takes from the uncorrected area and averages precision across blocks;
`deviation` is the largest distance of its areas and their limits from the library's, found over a grid
of priors. At the evaluated prior the library's own are carried, and everything at a threshold is exact
in any case.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np

from puremetrics._rows import Rows
from puremetrics._validation import FloatArray
from puremetrics.bounds import confusion_bounds, pr_bounds, roc_bounds
from puremetrics.calibration.bins import reduce_to_bins
from puremetrics.confusion import heads_of
from puremetrics.correction import average_precision, roc_auc
from puremetrics.evaluation import Evaluation, ModelEvaluation
from puremetrics.exceptions import PuremetricsError
from puremetrics.intervals import normal_quantile, weighted_sum
from puremetrics.report.packing import pack, pack_scores, pack_steps
from puremetrics.report.thinning import thinned
from puremetrics.results import Curve, json_ready
from puremetrics.scenario import PriorRange, comparison_share, population_size, prior_limits
from puremetrics.table import ScoreTable

__all__ = ["AT_THRESHOLD", "ROWS", "payload"]

AT_THRESHOLD = ("precision", "recall", "specificity", "f1", "accuracy", "mcc")
ROWS = 12_000
_PRIORS = 240
_STEEPEST = 0.98  # prior over purity, at most: beyond it every figure is noise


def payload(
    evaluation: Evaluation, *, title: str, truth: Mapping[str, Mapping[str, float]] | None = None
) -> dict[str, Any]:
    """Everything the page's script needs, ready for JSON."""
    known, first = evaluation.prior, next(iter(evaluation.models.values())).table
    limit = max(ROWS // len(evaluation.models), 200)
    models = [_model(model, known, limit, evaluation.level) for model in evaluation.models.values()]
    for content, name in zip(models, evaluation.models, strict=True):
        content["truth"] = {k: float(v) for k, v in (truth or {}).get(name, {}).items()}
    content = {
        "title": title,
        "level": evaluation.level,
        "z": normal_quantile(evaluation.level),
        "single": first.scenario == "single_training_set",
        "totals": first.totals,
        "size": population_size(first),
        "home": {
            "prior": known.value,
            "low": known.low,
            "high": known.high,
            "purity": known.purity,
            "largest": evaluation.largest_prior,
        },
        "fixed": first.total_unl == 0,
        "steepest": _STEEPEST,
        "grid": _grids(first, known),
        "models": models,
    }
    ready: dict[str, Any] = json_ready(content)
    return ready


def _grids(table: ScoreTable, known: PriorRange) -> dict[str, list[float]]:
    """Positions of the sliders; the evaluated ones are among them."""
    if table.total_unl == 0:
        return {"prior": [known.value], "purity": [known.purity]}
    low = min(prior_limits(table, known.purity)[0], known.value)
    if table.scenario == "case_control":
        low = min(0.005, known.value / 4)
    high = max(min(prior_limits(table)[1], _STEEPEST), known.value)
    least = min(0.5, 0.8 * known.purity)
    steps = round((1 - least) / 0.005)
    return {
        "prior": _with(np.linspace(low, high, _PRIORS), known.value),
        "purity": _with(np.linspace(least, 1.0, steps + 1).round(6), known.purity),
    }


def _with(grid: FloatArray, value: float) -> list[float]:
    """The grid with the position nearest to a value replaced by it; the ends stay."""
    if value in grid:
        return [float(v) for v in grid]
    inner = grid[1:-1]
    inner[np.argmin(np.abs(inner - value))] = value
    return [float(v) for v in np.sort(grid)]


def _model(model: ModelEvaluation, known: PriorRange, limit: int, level: float) -> dict[str, Any]:
    table, ranked = model.table, model.table.cut()
    ends = _block_ends(ranked, limit)
    used = ranked if ends is None else _merged(ranked, ends)
    rows: dict[str, Any] = {
        "score": pack_scores(used.score),
        "pos": pack(used.n_pos),
        "unl": pack(used.n_unl),
        "neg": pack(used.n_neg) if used.total_neg > 0 else None,
        "squares": [pack(column) for column in used.squared_weights()] if used.weighted else None,
        "hidden": None if used.hidden is None else pack(used.hidden),
        "offset": _area(ranked) - _area(used) if ends is not None else 0.0,
        "merged": ends is not None,
    }
    at = model.corrected["recall"].threshold if "recall" in model.corrected else None
    calibration = None
    if model.calibration is not None:
        moments = reduce_to_bins(table, model.calibration.bins.upper)
        calibration = {
            "upper": moments.upper.tolist(),
            "sums": moments.sums.tolist(),
            "squares": moments.squares.tolist() if table.weighted else None,
        }
    heads = heads_of(ranked)
    place = [int(np.searchsorted(-ranked.score, -t, side="right")) for t in model.hull.threshold]
    return {
        "name": model.name,
        "rows": rows,
        "exact": None if ends is None else _exact(model),
        "deviation": 0.0 if ends is None else _deviation(table, used, known, rows["offset"]),
        "at": None if at is None else {"threshold": at, "heads": table.heads_around(at)},
        "hull": {"f": heads.cmp[place].tolist(), "g": heads.pos[place].tolist()},
        "bounds": {key: [b.low, b.high] for key, b in model.bounds.items()},
        "latent": _latent(table, ranked, ends, known, level),
        "band": _bands(table, known, level) if model.bounds else None,
        "calibration": calibration,
    }


# ------------------------------------------------------------------------------------- merging


def _block_ends(table: ScoreTable, limit: int) -> Any:
    """Index one past the last row of each block, of about equal mass; None if there is room for all."""
    if table.score.size <= limit:
        return None
    heads = heads_of(table)
    mass = (heads.pos[1:] + heads.cmp[1:]) / 2
    ends = np.searchsorted(mass, np.linspace(0, 1, limit + 1)[1:-1]) + 1
    return np.unique(np.append(ends, table.score.size))


def _merged(table: ScoreTable, ends: Any) -> ScoreTable:
    """The table with rows merged into blocks; a block takes its lowest score."""
    starts = np.concatenate([[0], ends[:-1]])
    given = [table.n_pos, table.n_unl, table.n_neg]
    if table.weighted:
        given += list(table.squared_weights())
    columns = [np.add.reduceat(column, starts) for column in given]
    rows = Rows.of(table.score[ends - 1].copy(), columns)
    return ScoreTable(table.scenario, table.resolution, True, None, rows)


def _exact(model: ModelEvaluation) -> dict[str, list[float]]:
    """The areas as evaluated: value, limits, naive value."""
    return {
        key: [
            model.corrected[key].value,
            *(model.corrected[key].interval or ()),
            model.naive[key].value,
        ]
        for key in ("roc_auc", "average_precision")
    }


def _area(table: ScoreTable) -> float:
    """The uncorrected area, labelled positives against the comparison sample."""
    heads = heads_of(table)
    return weighted_sum(np.diff(heads.cmp), heads.pos[1:] + heads.pos[:-1]) / 2


def _deviation(table: ScoreTable, used: ScoreTable, known: PriorRange, offset: float) -> float:
    """Largest distance between the page's figures and the library's over priors and two purities."""
    worst = 0.0
    priors = (*_grids(table, known)["prior"][:: _PRIORS // 8], known.value)
    for prior, purity in product(priors, (known.purity, 0.75 * known.purity)):
        if comparison_share(table, prior) > _STEEPEST * purity:
            continue
        with suppress(PuremetricsError):
            given: dict[str, Any] = {"prior": prior, "purity": purity}
            gap = purity - comparison_share(table, prior)
            for estimate in (roc_auc, average_precision):
                here, there = estimate(table, **given), estimate(used, **given)
                assert here.interval is not None
                assert there.interval is not None
                assert there.curve is not None
                x, y = there.curve.x, there.curve.y
                drawn = weighted_sum(np.diff(x), y[1:] + y[:-1]) / 2
                shift = offset / gap if estimate is roc_auc else drawn - there.value
                pairs = zip(
                    (here.value, *here.interval), (there.value, *there.interval), strict=True
                )
                worst = max(worst, *(abs(a - min(max(b + shift, 0.0), 1.0)) for a, b in pairs))
    return worst


# ------------------------------------------------------------------------------------- bounds


def _latent(
    table: ScoreTable, ranked: ScoreTable, ends: Any, known: PriorRange, level: float
) -> dict[str, Any] | None:
    """Fewest and most true positives at every row, for a prior that is known."""
    if not known.is_point or known.purity != 1.0:
        return None
    with suppress(PuremetricsError):
        bounds = confusion_bounds(ranked, prior=known.value, confidence_level=level)
        rows = slice(1, None) if ends is None else ends
        return {
            "low": pack_steps(bounds.lower.tp[rows]),
            "high": pack_steps(bounds.upper.tp[rows]),
            "positives": float(bounds.lower.tp[-1]),
        }
    return None


def _bands(table: ScoreTable, known: PriorRange, level: float) -> dict[str, Any] | None:
    """Outlines of the bounds on both curves, thinned for drawing."""
    span = known.value if known.is_point else (known.low, known.high)
    with suppress(PuremetricsError):
        curves = {
            "roc": roc_bounds(table, prior=span, confidence_level=level),
            "pr": pr_bounds(table, prior=span, confidence_level=level),
        }
        return {
            name: {side: _outline(getattr(pair, side)) for side in ("lower", "upper")}
            for name, pair in curves.items()
        }
    return None


def _outline(curve: Curve) -> list[int]:
    """Points x0, y0, x1, y1, … in ten-thousandths of the axes."""
    x, y = curve.x, curve.y
    if curve.reached is not None:  # hyperbolae between the points: follow them
        pieces = np.maximum(np.ceil(np.diff(x) / 0.01).astype(int), 1)
        at = np.concatenate(
            [i + np.arange(n) / n for i, n in enumerate(pieces)] + [[float(pieces.size)]]
        )
        places = np.arange(x.size)
        reached = np.interp(at, places, curve.reached)
        x, y = np.interp(at, places, x), np.interp(at, places, y)
        y = np.divide(x, reached, out=y, where=reached > 0)
    keep = thinned(x, y)
    points = np.stack([x[keep], y[keep]], axis=1)
    return [int(v) for v in np.rint(points * 10_000).ravel()]
