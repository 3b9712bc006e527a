"""Measured coverage in harsh worlds: rare positives, few labels, saturated, tied and heavy-tailed scores.

Run: python benchmarks/simulate_harsh.py docs/evidence [samples a cell] [start of a group's name]. Numbers go to
harsh_coverage.json, the picture to harsh_coverage.png; simulate_everything.py puts both on top of the coverage page.
Groups that are not chosen keep their numbers; with 0 samples only the picture is drawn. Each combination of scenario, family, prior and number of labels is tried
with one strength of the model and one number of unlabeled rows, which rotate through the grid.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from coverage_lists import shots_of, tops_of, truths_of
from evidence import Record, each
from harsh_page import draw, sentence
from harsh_worlds import FAMILIES, LABELS, PRIORS, SCENARIOS, STRENGTHS, Harsh

import puremetrics as pm
from puremetrics.exceptions import PriorError

SEED = 2026
MOST_ROWS = 20_000  # of tables that are weighted row by row
CAUTIONS = ("PM105", "PM110", "PM314", "PM315")  # codes that say: take this interval with care
Trial = Callable[..., dict[str, tuple[float, float, float | None, float, Any]]]


def cells() -> list[Harsh]:
    """One world for each combination of scenario, family, prior and number of labels."""
    worlds, turn = [], 0
    for scenario in SCENARIOS:
        for family in FAMILIES:
            for prior in PRIORS:
                for labelled in LABELS:
                    strength = tuple(STRENGTHS)[turn % 3]
                    wide = scenario == "case_control" and turn % 2 == 0
                    worlds.append(Harsh(scenario, family, strength, prior, labelled, wide))
                    turn += 1
                turn += 1
    return worlds


def _shot(found: Any, truth: float | None) -> tuple[float, float, float | None, float, Any]:
    low, high = (np.nan, np.nan) if found.interval is None else found.interval
    return low, high, truth, found.value, found.diagnostics


def correction(world: Harsh, table: pm.ScoreTable) -> dict[str, Any]:
    known = {"prior": world.prior}
    shots = {
        "roc_auc": _shot(pm.roc_auc(table, **known), world.roc_auc),
        "average_precision": _shot(pm.average_precision(table, **known), world.average_precision),
    }
    at = world.threshold()
    for name in ("precision", "recall", "f1", "mcc"):
        found = pm.metric(table, name, threshold=at, **known)
        shots[f"metric, {name}"] = _shot(found, world.metric(name, at))
    return shots


def risks(world: Harsh, table: pm.ScoreTable) -> dict[str, Any]:
    return {
        f.__name__: _shot(f(table, prior=world.prior), getattr(world, f.__name__))
        for f in (pm.brier_score, pm.log_loss)
    }


def calibration(world: Harsh, table: pm.ScoreTable) -> dict[str, Any]:
    found = pm.calibration_error(table, prior=world.prior)
    truth, low, high = world.binned_error(found.bins.upper), *found.interval
    signed = found.signed_interval
    return {
        "calibration_error": (low, high, truth, found.error, found.diagnostics),
        "calibration_error, signed": (
            signed.low, signed.high, world.signed_error, found.signed_error, found.diagnostics,
        ),
    }  # fmt: skip


def reliability(world: Harsh, table: pm.ScoreTable) -> dict[str, Any]:
    curve = pm.reliability_curve(table, prior=world.prior, method="isotonic")
    rate = world.share_between(curve.lower, curve.upper)
    if not np.isfinite(rate[-1]):
        return {}
    top = (curve.low[-1], curve.high[-1], float(rate[-1]), curve.low[-1], curve.diagnostics)
    return {"reliability_curve, isotonic, top step": top}


def rankings(world: Harsh, table: pm.ScoreTable, rng: np.random.Generator) -> dict[str, Any]:
    """The truth is a mean over samples with as many labels."""
    table = world.table(rng, fixed=True)
    functions = (
        pm.pulp, pm.lee_liu, pm.mean_f1, pm.mean_mutual_information, pm.mean_pearson,
        pm.naive_average_precision,
    )  # fmt: skip
    return {f.__name__: _shot(f(table), None) for f in functions}


def weights(world: Harsh, table: pm.ScoreTable, rng: np.random.Generator) -> dict[str, Any]:
    """Rows are kept more often the higher they score, and weighted by the inverse.

    Samples whose labels alone weigh more than the prior allows are refused, and do not count.
    """
    if table.total > MOST_ROWS:
        return {}
    score, pos, _ = world.levels
    kept = np.minimum(0.2 + 0.8 * np.interp(table.score, score, np.cumsum(pos)), 1.0)
    counts = [rng.binomial(group, kept) for group in (table.n_pos, table.n_unl)]
    if min(count.sum() for count in counts) == 0:
        return {}
    label, weight = (np.concatenate([np.repeat(part, count) for part, count in zip(parts, counts, strict=True)])
                     for parts in (([1] * kept.size, [0] * kept.size), (1 / kept, 1 / kept)))  # fmt: skip
    scores = np.concatenate([np.repeat(table.score, count) for count in counts])
    weighted = pm.ScoreTable.from_arrays(
        label, scores, sample_weight=weight, scenario=world.scenario
    )
    try:
        found = correction(world, weighted)
    except PriorError:
        return {}
    return {f"{label}, weighted": shot for label, shot in found.items()}


_TRUTHS: dict[Any, dict[str, float]] = {}


def lists(world: Harsh, table: pm.ScoreTable) -> dict[str, Any]:
    """The first 1% and 10% of the list, at least three rows."""
    rows = float(table.design.population_size(table.totals))
    tops = tops_of(world.unlabeled)
    if (world, rows) not in _TRUTHS:
        _TRUTHS[world, rows] = truths_of(*world.rates, world.prior, rows, tops)
    found = shots_of(table, {"prior": world.prior}, _TRUTHS[world, rows], tops)
    named = {}
    for label, shot in found.items():
        name = label
        for place, top in reversed(list(enumerate(tops))):
            name = name.replace(f"top {top:g}", ("first 1%", "first 10%")[place])
        named[name] = (shot.low, shot.high, shot.truth, shot.value, ())
    return named


GROUPS: dict[str, Trial] = {
    "correction": correction,
    "weights": weights,
    "risks": risks,
    "calibration": calibration,
    "reliability": reliability,
    "rankings": rankings,
    "lists": lists,
}


def measure(world: Harsh, trial: Trial, samples: int) -> dict[str, list[float]]:
    """Share held, samples, median width, share of samples with a caution, and misses without one."""
    rng = np.random.default_rng([SEED, zlib.crc32(str(world).encode())])
    shots: dict[str, list[Any]] = {}
    for _ in range(samples):
        given = (world, world.table(rng), *([rng] if trial in (weights, rankings) else []))
        for label, shot in trial(*given).items():
            shots.setdefault(label, []).append(shot)
    found = {}
    for label, tried in shots.items():
        low, high, value = (np.array([shot[i] for shot in tried]) for i in (0, 1, 3))
        truths = [value.mean() if shot[2] is None else shot[2] for shot in tried]
        held = (low <= np.array(truths) + 1e-12) & (np.array(truths) <= high + 1e-12)
        warned = np.array([any(d.code in CAUTIONS for d in shot[4]) for shot in tried])
        defined = np.isfinite(low)
        if defined.any():
            found[label] = [
                float(held[defined].mean()), int(defined.sum()), float(np.median((high - low)[defined])),
                float(warned[defined].mean()),
            ]  # fmt: skip
    return found


def settled(task: tuple[str, Harsh, int]) -> dict[str, list[float]]:
    """One group of intervals in one world."""
    name, world, samples = task
    return measure(world, GROUPS[name], samples)


def renew(record: Record, samples: int, chosen: str) -> None:
    """Measure the chosen groups; each is kept when its last world is done."""
    for name in GROUPS:
        if not name.startswith(chosen):
            continue
        tasks = [(name, world, samples) for world in cells()]
        labels: dict[str, dict[str, list[float]]] = {}
        for (_, world, _), found in zip(tasks, each(settled, tasks), strict=True):
            for label, cell in found.items():
                labels.setdefault(label, {})[str(world)] = cell
            worst = min(found, key=lambda label: found[label][0], default="nothing to try")
            print(f"{name}: {world}: {worst} {found.get(worst, [np.nan])[0]:.3f}", flush=True)
        record.keep(name, labels)


def main(folder: str = "docs/evidence", samples: int = 1000, chosen: str = "") -> None:
    record = Record(Path(folder) / "harsh_coverage.json")
    if samples > 0:
        renew(record, samples, chosen)
    draw(record.parts, Path(folder) / "harsh_coverage.png")
    print(sentence(record.parts))


if __name__ == "__main__":
    given = sys.argv[1:]
    main(*given[:1], *(int(x) for x in given[1:2]), *given[2:3])
