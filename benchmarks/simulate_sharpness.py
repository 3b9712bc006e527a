"""How long intervals are beside how long they need be; writes docs/evidence/sharpness.md and its picture.

Run: python benchmarks/simulate_sharpness.py docs/evidence [repeats]. Simulated: two normal classes, and what may be known
of the prior. Real scores with the truth beside them are taken from the folder score_pools in the one that
PUREMETRICS_DATA_FOLDER names; without it that part keeps its numbers, which sharpness.json holds.
"""

from __future__ import annotations

import os
import sys
import warnings
import zlib
from itertools import product
from pathlib import Path
from typing import Any

import evidence
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ndtr
from sharpness import Shot, sharpness

import puremetrics as pm
from puremetrics.exceptions import PuremetricsError

REPEATS, SEED = 60, 36
SCENARIOS = ("case_control", "single_training_set")
# Separation in standard deviations, prior, labels, rows.
SETTINGS = (
    (1.2, 0.1, 50, 2000), (1.2, 0.3, 300, 3000), (1.8, 0.05, 100, 5000),
    (1.8, 0.2, 800, 8000), (2.6, 0.1, 100, 3000), (2.6, 0.3, 200, 2000),
)  # fmt: skip
KNOWN = (
    "prior known", "audit of 50 rows", "audit of 200 rows", "audit of 1000 rows", "range, truth at an end",
    "range, truth in the middle", "purity 0.9 to 1, truth at an end", "nothing",
)  # fmt: skip
STATISTICS = ("roc_auc", "average_precision", "precision", "recall", "f1")
HEAD = ("known of the prior", "statistic", "samples", "coverage", "λ95", "mean width")
MODELS = ("lr_pu", "hgb_pu", "mlp_pu", "lr_sup", "hgb_sup")
PRIORS, MOST_ROWS = (None, 0.01, 0.05, 0.2, 0.5), 60_000
LABELS = {
    SCENARIOS[0]: (30, 100, 1000),
    SCENARIOS[1]: (0.05, 0.2, 0.5),
}  # numbers; label frequencies


def truths(
    tpr: np.ndarray, fpr: np.ndarray, prior: float, at: tuple[float, float]
) -> dict[str, float]:
    """All statistics of a curve that is given by its rates, and of the point with two rates."""
    gain, middle = np.diff(tpr), (tpr[1:] + tpr[:-1]) / 2
    reached = prior * tpr[1:] + (1 - prior) * fpr[1:]
    own, other = at
    found = prior * own
    return {
        "roc_auc": float(np.sum(np.diff(fpr) * middle)),
        "average_precision": float(np.sum(gain * prior * tpr[1:] / np.maximum(reached, 1e-300))),
        "precision": found / (found + (1 - prior) * other),
        "recall": own,
        "f1": 2 * found / (found + (1 - prior) * other + prior),
        "prior": prior,
    }


def estimated(
    table: pm.ScoreTable, prior: Any, threshold: float, truth: dict[str, float], purity: Any = None
) -> dict[str, Shot]:
    """Every statistic with its interval, and the truth."""
    found = {
        "roc_auc": pm.roc_auc(table, prior=prior, purity=purity),
        "average_precision": pm.average_precision(table, prior=prior, purity=purity),
    }
    for name in STATISTICS[2:]:
        found[name] = pm.metric(table, name, threshold=threshold, prior=prior, purity=purity)
    shots = {
        name: Shot(truth[name], estimate.value, estimate.low, estimate.high)
        for name, estimate in found.items()
        if estimate.interval is not None
    }
    if isinstance(prior, pm.PriorEstimate) and prior.interval is not None:
        shots["prior"] = Shot(truth["prior"], prior.prior, *prior.interval)
    return shots


def simulated(task: tuple[Any, str, int, int]) -> tuple[str, dict[str, list[Shot]]]:
    """Samples of one setting and scenario, with one kind of knowledge of the prior."""
    (apart, prior, labels, rows), scenario, kind, repeats = task
    rng = np.random.default_rng([SEED, zlib.crc32(repr(task).encode())])
    grid = np.linspace(-6, apart + 6, 20_001)[::-1]
    tpr, fpr = ndtr(apart - grid), ndtr(-grid)
    threshold = apart / 2 + 0.4
    truth = truths(tpr, fpr, prior, (float(ndtr(apart - threshold)), float(ndtr(-threshold))))
    shots: dict[str, list[Shot]] = {}
    for turn in range(repeats):
        pure = (0.9 if turn % 2 else 1.0) if kind.startswith("purity") else 1.0
        hidden = rng.random(rows) < prior
        scores = rng.normal(apart * hidden, 1)
        if scenario == SCENARIOS[0]:
            own = rng.normal(apart * (rng.random(labels) < pure), 1)
            table = pm.ScoreTable.from_groups(positive=own, unlabeled=scores, scenario=scenario)
        else:
            right = hidden & (rng.random(rows) < pure * labels / (prior * rows))
            wrong = ~hidden & (rng.random(rows) < (1 - pure) * labels / ((1 - prior) * rows))
            table = pm.ScoreTable.from_arrays(
                (right | wrong).astype(int), scores, scenario=scenario
            )
        known, purity = prior, None
        if kind.startswith("audit"):
            checked = int(kind.split()[2])
            unlabeled = (
                np.flatnonzero(~(right | wrong)) if scenario == SCENARIOS[1] else np.arange(rows)
            )
            drawn = rng.choice(unlabeled, min(checked, unlabeled.size), replace=False)
            known = pm.prior_from_audit(drawn.size, int(hidden[drawn].sum()), table=table)
        elif kind == "range, truth at an end":
            known = (prior, 1.5 * prior) if turn % 2 else (0.67 * prior, prior)
        elif kind == "range, truth in the middle":
            known = (0.8 * prior, 1.2 * prior)
        elif kind.startswith("purity"):
            purity = (0.9, 1.0)
        try:
            if kind == "nothing":
                known = pm.estimate_prior(table)
            found = estimated(table, known, threshold, truth, purity)
        except PuremetricsError:  # a sample whose labels leave no room for the prior
            continue
        for name, shot in found.items():
            shots.setdefault(name, []).append(shot)
    return kind, shots


def drawn_from(pool: Path, cell: tuple[str, Any, Any, int]) -> dict[str, dict[str, Shot]]:
    """One sample of real scores: with the prior known, and with nothing."""
    scenario, wanted, labels, _ = cell
    rng = np.random.default_rng([SEED, zlib.crc32(f"{pool.stem} {cell}".encode())])
    model = MODELS[rng.integers(len(MODELS))]
    held = np.load(pool)
    truth, score = held["y"].astype(bool), held[model].astype(np.float64)
    rank = np.empty(score.size)
    rank[np.lexsort((rng.random(score.size), score))] = np.arange(
        score.size
    )  # ties in random order
    prior = float(truth.mean()) if wanted is None else wanted
    rows = min(MOST_ROWS, int(min(truth.sum() / prior, (~truth).sum() / (1 - prior))))
    positives = int(rng.binomial(rows, prior))
    if rows < 100 or positives < 3 or (labels > 1 and labels > truth.sum()):
        return {}

    def draw(kind: np.ndarray, size: int) -> np.ndarray:
        return rng.choice(rank[kind], size) + 0.9 * rng.random(size)

    scores = np.concatenate([draw(truth, positives), draw(~truth, rows - positives)])
    if scenario == SCENARIOS[0]:
        table = pm.ScoreTable.from_groups(
            positive=draw(truth, labels), unlabeled=scores, scenario=scenario
        )
    else:
        y = np.arange(rows) < positives
        y &= rng.random(rows) < labels
        if y.sum() < 5:
            return {}
        table = pm.ScoreTable.from_arrays(y.astype(int), scores, scenario=scenario)
    order = np.argsort(-rank)
    tpr, fpr = (
        np.concatenate([[0.0], np.cumsum(kind[order]) / kind.sum()]) for kind in (truth, ~truth)
    )
    flagged = prior * tpr + (1 - prior) * fpr
    place = int(np.searchsorted(flagged, min(rng.choice([0.5, 1, 2]) * prior, 0.9)))
    place = min(max(place, 1), order.size)
    threshold = float(rank[order[place - 1]])
    known = truths(tpr, fpr, prior, (float(tpr[place]), float(fpr[place])))
    found = {}
    for kind in ("prior known", "nothing"):
        try:
            given = prior if kind == "prior known" else pm.estimate_prior(table)
            found[kind] = estimated(table, given, threshold, known)
        except PuremetricsError:
            continue
    return found


def real(task: tuple[Path, int]) -> dict[str, dict[str, dict[str, list[Shot]]]]:
    """All cells of one pool: by kind, by cell of scenario and labels, by statistic."""
    pool, repeats = task
    shots: dict[str, Any] = {}
    for scenario in SCENARIOS:
        for prior, labels, turn in product(PRIORS, LABELS[scenario], range(repeats)):
            found = drawn_from(pool, (scenario, prior, labels, turn))
            for kind, by_name in found.items():
                at = shots.setdefault(kind, {}).setdefault(f"{scenario}, {labels:g}", {})
                for name, shot in by_name.items():
                    at.setdefault(name, []).append(shot)
    return shots


def measured(record: evidence.Record, repeats: int) -> None:
    """Measure both parts, and keep the numbers of what could be measured."""
    tasks = list(product(SETTINGS, SCENARIOS, KNOWN, [repeats]))
    shots: dict[str, dict[str, list[Shot]]] = {}
    cells: dict[str, dict[str, list[float]]] = {}
    for task, (kind, found) in zip(tasks, evidence.each(simulated, tasks), strict=True):
        for name, own in found.items():
            shots.setdefault(kind, {}).setdefault(name, []).extend(own)
            cells.setdefault(kind, {}).setdefault(name, []).append(sharpness(own).coverage)
        print(task[:3])
    rows = [
        [kind, name, *_row(found), min(cells[kind][name])]
        for kind, by_name in shots.items()
        for name, found in by_name.items()
    ]
    record.keep("simulated", rows)
    folder = Path(os.environ.get("PUREMETRICS_DATA_FOLDER", "")) / "score_pools"
    pools = sorted(folder.glob("*.npz"))
    if not pools:
        return
    together: dict[str, Any] = {}
    for found in evidence.each(real, [(pool, max(repeats // 20, 1)) for pool in pools]):
        for kind, by_cell in found.items():
            for cell, by_name in by_cell.items():
                for name, own in by_name.items():
                    at = together.setdefault(kind, {}).setdefault(name, {})
                    at.setdefault(cell, []).extend(own)
    rows = []
    for kind, by_name in together.items():
        for name, by_cell in by_name.items():
            all_ = [shot for own in by_cell.values() for shot in own]
            lowest = min(sharpness(own).coverage for own in by_cell.values())
            rows.append([kind, name, *_row(all_), lowest])
    record.keep("real", rows)


def _row(shots: list[Shot]) -> list[float]:
    found = sharpness(shots)
    return [found.count, found.coverage, found.lambda95, found.width]


def drawing(rows: list[list[Any]], path: Path) -> None:
    """λ95 of every statistic, by what is known of the prior."""
    figure, ax = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
    kinds = list(dict.fromkeys(row[0] for row in rows))
    colours = dict(zip(STATISTICS, (evidence.BLUE, evidence.ORANGE, evidence.GREEN, evidence.GREY, "black"), strict=True))  # fmt: skip
    for name, colour in colours.items():
        own = [(row[4], kinds.index(row[0])) for row in rows if row[1] == name]
        ax.plot(
            *zip(*own, strict=True), "o", color=colour, label=evidence.words(name), ms=7, alpha=0.8
        )
    ax.axvspan(0.85, 1.0, color=evidence.GREY, alpha=0.15, zorder=0)
    ax.axvline(1.0, color="black", lw=0.8)
    ax.set_yticks(range(len(kinds)), kinds)
    ax.invert_yaxis()
    ax.legend(loc="lower left", fontsize=8, frameon=False)
    evidence.plain(ax, xlabel="λ95: how much of its length an interval needs", xlim=(0.3, 1.15))
    evidence.save(figure, path)


def page(record: evidence.Record, repeats: int) -> list[str]:
    """The page."""
    rows, pools = record.parts["simulated"], record.parts.get("real", [])
    # A prior from counts of checked rows is that of the rows at hand, and the truth here that of the population.
    rows = [row for row in rows if row[1] != "prior" or not row[0].startswith("audit")]
    areas = [row for row in rows if row[1] != "prior"]
    within = np.mean([0.85 <= row[4] <= 1.05 for row in areas])
    lines = evidence.opening(
        "How much longer than needed",
        f"Of {len(areas)} kinds of intervals {within:.0%} need between 0.85 and 1.05 of their length to hold the truth in "
        f"95% of simulated samples; coverage is {min(row[3] for row in areas):.3f} to {max(row[3] for row in areas):.3f}.",
        "sharpness.png",
        "How much of their length intervals need, by statistic and by what is known of the prior",
        "λ95 is the 95% quantile of the distance from value to truth, over that from the value to the interval's end on "
        "that side: at 0.6 intervals could be 0.6 times as long. The grey band is where they should be. If the truth is at the middle of a range that was given, an interval "
        "that would hold either end is longer than needed. Two normal "
        f"classes, {len(SETTINGS)} settings (1.2 to 2.6 σ apart, priors 0.05 to 0.3, 50 to 800 labels) in both scenarios.",
        "python benchmarks/simulate_sharpness.py docs/evidence",
        " and ".join(sorted(set(record.days.values()))),
    )
    head = (*HEAD, "lowest coverage of a setting")
    lines += ["## Simulated", "", *evidence.table(head, _named(rows), "Every kind and statistic")]
    if pools:
        lines += [
            "## Real scores",
            "",
            "Samples of fifteen sets, five models each, both scenarios, priors from 0.01 to 0.5 and the set's own, 30 to "
            "1000 labels or 5% to 50% of the positives labelled; the truth is that of the whole set at that prior. The last "
            "column is the lowest coverage of a scenario and number of labels.",
            "",
            *evidence.table((*HEAD, "lowest cell"), _named(pools)),
        ]
    return lines


def _named(rows: list[list[Any]]) -> list[list[Any]]:
    return [[row[0], evidence.words(row[1]), *row[2:]] for row in rows]


def main(target: str = "docs/evidence", repeats: int = REPEATS) -> None:
    warnings.simplefilter("ignore")
    folder = Path(target)
    record = evidence.Record(folder / "sharpness.json")
    if repeats > 0:
        measured(record, repeats)
    drawing(record.parts["simulated"], folder / "sharpness.png")
    (folder / "sharpness.md").write_text("\n".join(page(record, repeats)), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:2], *(int(x) for x in sys.argv[2:3]))
