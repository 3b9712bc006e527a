"""Measured coverage in harsh worlds: rare positives, few labels, saturated, tied and heavy-tailed scores.

Run: python benchmarks/simulate_harsh.py docs [samples a cell] [group of statistics] [part/parts]. Numbers go to
harsh_coverage.json, the picture to harsh_coverage.png; coverage_page.py puts both on top of the coverage page.
With 0 samples only the picture is drawn. Each combination of scenario, family, prior and number of labels is tried
with one strength of the model and one number of unlabeled rows, which rotate through the grid.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from harsh_worlds import FAMILIES, LABELS, PRIORS, SCENARIOS, STRENGTHS, Harsh

import puremetrics as pm

FLOOR = 0.93
SEED = 2026
CAUTIONS = ("PM105", "PM110", "PM314", "PM315")  # codes that say: take this interval with care
Trial = Callable[[Harsh, pm.ScoreTable], dict[str, tuple[float, float, float | None, float, Any]]]


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
    curve = pm.reliability_curve(table, prior=world.prior, method="isotonic")
    rate = world.share_between(curve.lower, curve.upper)
    shots = {
        "calibration_error": (low, high, truth, found.error, found.diagnostics),
        "calibration_error, signed": (
            signed.low, signed.high, world.signed_error, found.signed_error, found.diagnostics,
        ),
    }  # fmt: skip
    if np.isfinite(rate[-1]):
        top = (curve.low[-1], curve.high[-1], float(rate[-1]), curve.low[-1], curve.diagnostics)
        shots["reliability_curve, isotonic, top step"] = top
    return shots


def rankings(world: Harsh, table: pm.ScoreTable) -> dict[str, Any]:
    functions = (
        pm.pulp, pm.lee_liu, pm.mean_f1, pm.mean_mutual_information, pm.mean_pearson,
        pm.naive_average_precision,
    )  # fmt: skip
    return {f.__name__: _shot(f(table), None) for f in functions}


GROUPS: dict[str, Trial] = {
    "correction": correction,
    "risks": risks,
    "calibration": calibration,
    "rankings": rankings,
}


def measure(world: Harsh, trial: Trial, samples: int) -> dict[str, list[float]]:
    """Share held, samples, median width, share of samples with a caution, and misses without one."""
    rng = np.random.default_rng([SEED, zlib.crc32(str(world).encode())])
    shots: dict[str, list[Any]] = {}
    for _ in range(samples):
        for label, shot in trial(world, world.table(rng)).items():
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


def draw(done: dict[str, Any], target: Path) -> str:
    """The picture, and the sentence above it."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    labels = [label for group in done.values() for label in group]
    figure, ax = plt.subplots(figsize=(9, 0.42 * len(labels) + 1.3), layout="constrained")
    rng = np.random.default_rng(0)
    total = low = silent = 0
    for row, label in enumerate(labels):
        group = next(group for group in done.values() if label in group)
        numbers = np.array(list(group[label].values()))
        share, warned = numbers[:, 0], numbers[:, 3] > 0.999
        spread = row + rng.uniform(-0.25, 0.25, share.size)
        for mask, color, name in (
            (~warned, "#2563eb", "no warning"),
            (warned, "#f59e0b", "warned in every sample"),
        ):
            ax.scatter(
                share[mask],
                spread[mask],
                s=9,
                color=color,
                alpha=0.65,
                label=name if row == 0 else None,
            )
        total, low = total + share.size, low + int((share < FLOOR).sum())
        silent += int(((share < FLOOR) & ~warned).sum())
    ax.axvline(0.95, color="#111827", linewidth=1)
    ax.axvline(FLOOR, color="#dc2626", linewidth=1, linestyle="--")
    ax.set_yticks(range(len(labels)), labels)
    ax.invert_yaxis()
    ax.set_xlabel("share of samples whose 95 % interval holds the truth, one dot for each setting")
    ax.legend(loc="lower left", frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(target, dpi=130)
    plt.close(figure)
    return (
        f"Of {total:,} harsh settings, nominal 95 % intervals hold the truth in at least {FLOOR:g} of the samples in "
        f"all but {low}; of those, {low - silent} carry a warning in every sample."
    )


def main(folder: str, samples: int = 1000, group: str = "", part: str = "0/1") -> None:
    numbers = Path(folder) / "harsh_coverage.json"
    mine, parts = (int(x) for x in part.split("/"))
    for name, trial in GROUPS.items():
        if samples == 0 or not name.startswith(group):
            continue
        for world in cells()[mine::parts]:
            found = measure(world, trial, samples)
            done = json.loads(numbers.read_text(encoding="utf-8")) if numbers.exists() else {}
            for label, cell in found.items():
                done.setdefault(name, {}).setdefault(label, {})[str(world)] = cell
            numbers.write_text(
                json.dumps(done, ensure_ascii=False, indent=0) + "\n", encoding="utf-8"
            )
            worst = min(found, key=lambda label: found[label][0])
            print(f"{name}: {world}: {worst} {found[worst][0]:.3f}", flush=True)
    done = json.loads(numbers.read_text(encoding="utf-8"))
    print(draw(done, Path(folder) / "harsh_coverage.png"))


if __name__ == "__main__":
    given = sys.argv[1:]
    main(given[0], *(int(x) for x in given[1:2]), *given[2:4])
