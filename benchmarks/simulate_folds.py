"""Coverage of means over folds and of gaps between segments, printed as tables.

Run: python benchmarks/simulate_folds.py folds|segments [repeats]. The tables are in
docs/theory/folds_and_segments.md.

Folds: worlds of `group_worlds`, one fixed model, so that the mean over folds has the truth of the
population. Folds hold whole groups, or rows at random. Segments: normal scores whose classes lie apart by a
number of their own in each segment; groups have rows in all segments.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from group_worlds import GroupWorld
from scipy.special import ndtr

import puremetrics as pm

RANKS = ("roc_auc", "average_precision")
CHANCES = ("brier_score", "calibration_error")
AT = ("precision", "recall", "f1")
FOLDS = (
    (100, 1, 0.0, 0.2, 5), (200, 1, 0.0, 0.2, 5), (400, 1, 0.0, 0.4, 10), (1500, 1, 0.0, 0.2, 5),
    (40, 20, 0.6, 0.2, 5), (150, 5, 0.3, 0.4, 5),
)  # fmt: skip
SEGMENTS = (
    (400, 0, 0.0, (1.8, 1.8, 1.8)), (2000, 0, 0.0, (2.2, 1.8, 1.5, 1.8, 1.2)),
    (2000, 100, 0.5, (1.8, 1.8, 1.8, 1.4)), (800, 60, 0.6, (2.0, 1.5)),
)  # fmt: skip
PRIOR, THRESHOLD = 0.3, 1.0


def folds_of(rows: dict[str, Any], count: int, rng: Any, whole_groups: bool) -> Any:
    """Folds of whole groups, or of rows, stratified by label."""
    if whole_groups:
        return rng.permutation(int(rows["group"].max()) + 1)[rows["group"]] % count
    fold = np.empty(rows["y"].size, dtype=int)
    for label in (0, 1):
        mine = np.flatnonzero(rows["y"] == label)
        fold[rng.permutation(mine)] = np.arange(mine.size) % count
    return fold


def fold_coverage(
    world: GroupWorld, count: int, repeats: int, whole_groups: bool | None, seed: int
) -> dict[str, tuple[float, float]]:
    """How often intervals hold the truth, and how wide they are; without ``whole_groups`` rows are independent."""
    rng, truths = np.random.default_rng(seed), world.truths()
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in (*RANKS, *CHANCES, *AT)}
    for _ in range(repeats):
        rows = world.draw(rng)
        fold = folds_of(rows, count, rng, bool(whole_groups))
        fewest = min(int(rows["y"][fold == k].sum()) for k in range(count))
        few = fewest < 1 or np.bincount(fold, minlength=count).min() - fewest < 1
        if few or (world.scenario == "single_training_set" and rows["y"].mean() >= world.prior):
            continue
        known: dict[str, Any] = {
            "fold": fold, "scenario": world.scenario, "prior": world.prior,
            "groups": None if whole_groups is None else rows["group"],
        }  # fmt: skip
        ranked = pm.cross_evaluate(
            rows["y"], rows["score"], statistic=[*RANKS, *AT], threshold=world.threshold, **known
        )
        chances = pm.cross_evaluate(
            rows["y"], rows["probability"], statistic=list(CHANCES), **known
        )
        for found in (ranked, chances):
            for name, estimate in found.estimates["model"].items():
                held = truths[name] in estimate.interval  # type: ignore[operator]
                runs[name].append((float(held), estimate.interval.width))  # type: ignore[union-attr]
    return {name: tuple(np.mean(found, axis=0)) for name, found in runs.items()}  # type: ignore[misc]


def segment_rows(
    rng: Any, size: int, groups: int, alike: float, apart: Any, scenario: str
) -> tuple[Any, Any, Any, Any]:
    """Labels, scores, segments and groups."""
    apart = np.asarray(apart)
    truth = rng.random(size) < PRIOR
    labelled = int(size * PRIOR * 0.4) if scenario == "case_control" else 0
    truth = np.r_[truth, np.ones(labelled, dtype=bool)]
    y = np.r_[np.zeros(size, dtype=int), np.ones(labelled, dtype=int)]
    if not labelled:
        y = (truth & (rng.random(size) < 0.4)).astype(int)
    segment = rng.integers(apart.size, size=y.size)
    group = rng.integers(groups, size=y.size) if groups else np.arange(y.size)
    common = rng.normal(size=(int(group.max()) + 1, 2))[group, truth.astype(int)]
    own = rng.normal(size=y.size)
    score = apart[segment] * truth + np.sqrt(alike) * common + np.sqrt(1 - alike) * own
    return y, score, segment, group


def segment_coverage(
    size: int, groups: int, alike: float, apart: Any, scenario: str, repeats: int, seed: int
) -> dict[str, Any]:
    """How often a gap, all gaps, all ratios, the worst value, the largest gap and the smallest ratio are held."""
    rng, far = np.random.default_rng(seed), np.asarray(apart)
    recall, fpr = ndtr(far - THRESHOLD), ndtr(-THRESHOLD) + 0 * far
    hits = PRIOR * recall
    truths = {
        "recall": recall, "precision": hits / (hits + (1 - PRIOR) * fpr), "fpr": fpr,
        "roc_auc": ndtr(far / np.sqrt(2)),
    }  # fmt: skip
    runs: dict[str, list[Any]] = {name: [] for name in truths}
    for _ in range(repeats):
        y, score, segment, group = segment_rows(rng, size, groups, alike, apart, scenario)
        made = pm.Segments.from_arrays(
            y, score, segment=segment, scenario=scenario, groups=group if groups else None
        )
        for name, truth in truths.items():
            known: dict[str, Any] = {} if name == "recall" else {"prior": PRIOR}
            if name != "roc_auc":
                known["threshold"] = THRESHOLD
            found = pm.compare_segments(made, statistic=name, **known)
            if len(found.estimates) < far.size:
                continue
            gaps = [(gap, truth[gap.first], truth[gap.second]) for gap in found.gaps]
            worst = truth.max() if name == "fpr" else truth.min()
            runs[name].append((
                np.mean([a - b in gap.interval for gap, a, b in gaps]),
                all(a - b in gap.simultaneous for gap, a, b in gaps),
                all(a / b in gap.ratio_interval for gap, a, b in gaps),
                worst in found.worst_interval,
                truth.max() - truth.min() in found.difference_interval,
                truth.min() / truth.max() in found.ratio_interval,
            ))  # fmt: skip
    return {name: np.mean(found, axis=0) for name, found in runs.items()}


def main() -> None:
    what = sys.argv[1] if len(sys.argv) > 1 else "folds"
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    scenarios = ("case_control", "single_training_set")
    if what == "folds":
        names = (*RANKS, *AT, *CHANCES)
        print(
            "| groups × rows | alike | prior | folds | of | samples | " + " | ".join(names) + " |"
        )
        print("|---" * (6 + len(names)) + "|")
        for scenario in scenarios:
            for groups, rows, alike, prior, count in FOLDS:
                for whole in (True, False) if rows > 1 else (None,):
                    world = GroupWorld(groups, rows, alike, prior, scenario)
                    found = fold_coverage(world, count, repeats, whole, 7)
                    kind = {True: "groups", False: "rows", None: "rows"}[whole]
                    cells = " | ".join(f"{found[name][0]:.3f}" for name in names)
                    where = "two" if scenario == "case_control" else "one"
                    first = f"| {groups} × {rows} | {alike:g} | {prior:g} | {count} | {kind} | {where} | "
                    print(first + cells + " |", flush=True)
        return
    print(
        "| rows | groups | samples | statistic | a gap | all gaps | all ratios | worst | largest | ratio |"
    )
    print("|---" * 10 + "|")
    for scenario in scenarios:
        for size, groups, alike, apart in SEGMENTS:
            found = segment_coverage(size, groups, alike, apart, scenario, repeats, 0)
            for name, shares in found.items():
                where = "two" if scenario == "case_control" else "one"
                cells = " | ".join(f"{share:.3f}" for share in shares)
                print(
                    f"| {size} in {len(apart)} | {groups or '–'} | {where} | {name} | {cells} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
