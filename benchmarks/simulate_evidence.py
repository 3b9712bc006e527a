"""Coverage, λ95 and width with evidence of every kind, and how often contradicting evidence is named.

Run: python benchmarks/simulate_evidence.py docs/evidence [repeats] [kinds]. Writes docs/evidence/evidence_kinds.md, its
picture, and the numbers as JSON, from which kinds that are not named are taken. Real scores with the truth beside them
are taken from the folder score_pools in the one that PUREMETRICS_DATA_FOLDER names.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import evidence
import evidence_worlds as worlds
import matplotlib.pyplot as plt
import numpy as np
from evidence_worlds import STATISTICS, World
from sharpness import Shot, sharpness

import puremetrics as pm

REPEATS = 100
CLASHES = {
    "a cause shared by both sources": (1.0, 0.0),
    "all assumptions hold": (0.0, 0.0),
    "a prior that is 1.6 times too high": (0.0, 0.6),
}
KINDS = {
    "sources": "label sources",
    "investigated": "investigated rows",
    "checkers": "checkers who err",
    "judge": "a judge of all rows",
    "together": "several kinds together",
    "pools": "real scores",
}


def every() -> list[World]:
    """All settings."""
    return [
        *_sources(),
        *_investigated(),
        *_checkers(),
        *_judges(),
        *_together(),
        *_pools(),
    ]


def _sources() -> list[World]:
    grid = [
        (20_000, 0.1, (0.3, 0.2), (1, -0.5)),
        (20_000, 0.1, (0.3, 0.2), (2, -2)),
        (20_000, 0.1, (0.3, 0.2), (2, 2)),
        (20_000, 0.1, (0.15, 0.1), (0, 0)),
        (50_000, 0.02, (0.3, 0.2), (1, -0.5)),
        (100_000, 0.005, (0.5, 0.3), (1, 0)),
        (5_000, 0.4, (0.2, 0.2), (-1, 1)),
        (20_000, 0.1, (0.2, 0.2, 0.2), (1, 0, -1)),
    ]
    found = []
    for rows, prior, rates, slopes in grid:
        told = f"{rows:,} rows, prior {prior:g}, catch rates {_listed(rates)}, slopes {_listed(slopes)}"
        found.append(World("sources", told, rows, prior, worlds.sources(rates, slopes)))
    for shared, stated in ((0.5, (1.0, 1.6)), (0.0, (0.8, 1.5))):
        told = f"20,000 rows, prior 0.1, a shared cause of SD {shared:g}, dependence {_listed(stated)} stated"
        known = worlds.sources((0.3, 0.2), (1, -0.5), shared, stated)
        found.append(World("sources", told, 20_000, 0.1, known))
    return found


def _investigated() -> list[World]:
    grid = [
        (20_000, 0.1, 0.03, 1.0),
        (20_000, 0.1, 0.3, 1.0),
        (20_000, 0.1, 0.01, 0.5),
        (20_000, 0.02, 0.05, 1.0),
        (100_000, 0.005, 0.02, 1.5),
        (5_000, 0.4, 0.05, 0.5),
    ]
    return [
        World(
            "investigated",
            f"{rows:,} rows, prior {prior:g}, {share:.0%} investigated, slope {slope:g}",
            rows,
            prior,
            worlds.investigated(share, slope),
        )
        for rows, prior, share, slope in grid
    ]


def _checkers() -> list[World]:
    found = []
    for sensitivity, specificity, told in (
        (0.7, 0.98, "known"),
        (0.9, 0.9, "known"),
        (0.85, 0.97, "range"),
        (0.8, 0.95, "second"),
    ):
        words = {
            "known": "known",
            "range": "given as ranges",
            "second": "learnt from second answers to 40%",
        }
        text = f"sensitivity {sensitivity:g}, specificity {specificity:g}, {words[told]}"
        known = worlds.investigated(0.05, 0.5, sensitivity, specificity, told)
        found.append(World("checkers", text, 20_000, 0.1, known))
    trio = worlds.checkers(0.05, ((0.9, 0.97), (0.8, 0.98), (0.85, 0.95)))
    found.append(World("checkers", "three checkers, errors learnt from them", 20_000, 0.1, trio))
    return found


def _judges() -> list[World]:
    grid = [
        (0.9, 0.95, 150, 0.0, -np.inf),
        (0.9, 0.95, 150, 0.0, 1.0),
        (0.7, 0.95, 150, 0.0, -np.inf),
        (0.8, 0.9, 400, 0.0, -np.inf),
        (0.98, 0.99, 150, 0.0, -np.inf),
        (0.9, 0.95, 150, 1.0, -np.inf),
    ]
    found = []
    for sensitivity, specificity, answers, slope, where in grid:
        of = "" if np.isinf(where) else " to flagged rows"
        told = f"sensitivity {sensitivity:g}, specificity {specificity:g}, slope {slope:g}, {answers} human answers{of}"
        known = worlds.judged(sensitivity, specificity, answers, slope, where)
        found.append(World("judge", told, 20_000, 0.1, known))
    return found


def _together() -> list[World]:
    sources = worlds.sources((0.3, 0.2), (1, -0.5))
    return [
        World(
            "together", "random labels and 200 audited rows", 20_000, 0.1,
            worlds.random_labels(0.2, 200),
        ),
        World(
            "together", "random labels and 200 audited rows, prior 0.02", 20_000, 0.02,
            worlds.random_labels(0.4, 200),
        ),
        World(
            "together", "random labels and a published prior", 20_000, 0.1,
            worlds.random_labels(0.2, 0, 0.01),
        ),
        World(
            "together", "two sources and a published prior", 20_000, 0.1, worlds.several(sources),
        ),
    ]  # fmt: skip


def _pools() -> list[World]:
    folder = Path(os.environ.get("PUREMETRICS_DATA_FOLDER", "")) / "score_pools"
    found = []
    for name, column in (
        ("bank", "hgb_pu"), ("covtype", "lr_pu"), ("mnist_odd", "mlp_pu"), ("news_sci", "lr_pu"),
        ("pageblocks", "hgb_pu"), ("spambase", "hgb_sup"), ("landsat", "lr_pu"), ("shuttle", "lr_pu"),
    ):  # fmt: skip
        path = folder / f"{name}.npz"
        if not path.exists():
            continue
        for kind, known in (
            ("two sources", worlds.sources((0.3, 0.2), (0.5, -0.3))),
            ("5% investigated", worlds.investigated(0.05, 0.5)),
            ("a judge and 300 answers", worlds.judged(0.9, 0.95, 300)),
        ):
            told = f"{name}, {column}: {kind}"
            found.append(World("pools", told, 20_000, 0.1, known, pool=f"{path}:{column}"))
    return found


def _listed(numbers: Any) -> str:
    return "/".join(f"{n:g}" for n in numbers)


# ---------------------------------------------------------------------- running


def run(task: tuple[int, int]) -> dict[str, Any]:
    """Coverage, λ95, width and width of the evidence without the newest kind, by statistic."""
    number, repeats = task
    world = every()[number]
    shots: dict[str, list[Shot]] = {name: [] for name in STATISTICS}
    alone: dict[str, list[float]] = {name: [] for name in STATISTICS}
    clashes, thin = 0, 0
    for repeat in range(repeats):
        rng = np.random.default_rng([37, number, repeat])
        truth, score, true = worlds.draw(world, rng)
        known = world.known(rng, truth, score)
        table = pm.ScoreTable.from_arrays(known.label, score, scenario="single_training_set")
        told = worlds.measured(table, known.evidence, world.threshold)
        clashes += any(d.code == "PM152" for d in told["prior"].diagnostics)
        thin += any(d.code in ("PM150", "PM151") for d in told["prior"].diagnostics)
        for name, estimate in told.items():
            ends, value = estimate.interval, float(estimate)
            if np.isnan(value):
                value = (ends.low + ends.high) / 2
            shots[name].append(Shot(true[name], value, ends.low, ends.high))
        if known.alone:
            for name, estimate in worlds.measured(table, known.alone, world.threshold).items():
                alone[name].append(estimate.interval.high - estimate.interval.low)
    found: dict[str, Any] = {
        name: [*sharpness(mine)[:3], float(np.mean(alone[name])) if alone[name] else None]
        for name, mine in shots.items()
    }
    return {
        "kind": world.kind,
        "told": world.told,
        "clashes": clashes / repeats,
        "thin": thin / repeats,
        **found,
    }


def clash(task: tuple[str, int]) -> dict[str, Any]:
    """How often two sources and a published prior are said to contradict each other."""
    name, repeats = task
    shared, off = CLASHES[name]
    known = worlds.sources((0.3, 0.2), (1, -0.5), shared)
    world = World("clash", name, 20_000, 0.1, known)
    named = 0
    for repeat in range(repeats):
        rng = np.random.default_rng([38, len(name), repeat])
        truth, score, _ = worlds.draw(world, rng)
        held = known(rng, truth, score)
        prior = float(rng.normal(0.1 * (1 + off), 0.005))
        table = pm.ScoreTable.from_arrays(held.label, score, scenario="single_training_set")
        evidence_ = [*held.evidence, pm.PublishedPrior(prior, error=0.005)]
        told = pm.assume(table, evidence=evidence_).joint_prior()
        named += any(d.code == "PM152" for d in told.diagnostics)
    return {"told": name, "named": named / repeats}


# ---------------------------------------------------------------------- the page


def sentence(rows: list[dict[str, Any]], repeats: int) -> str:
    """What the picture says."""
    shares = np.array([[row[name][0] for name in STATISTICS] for row in rows])
    needed = np.array([[row[name][1] for name in STATISTICS] for row in rows])
    error = float(np.sqrt(0.95 * 0.05 / repeats))
    low = int(np.count_nonzero(shares < 0.93 - 2 * error))
    return (
        f"95% intervals from evidence of several kinds held the truth in {shares.mean():.3f} of the samples; {low} of "
        f"{shares.size} shares are below 0.93 by more than two standard errors ({error:.3f}). The median of λ95 is "
        f"{np.median(needed):.2f}: by so much could intervals be shorter and still hold the truth in 95%."
    )


def page(record: evidence.Record, repeats: int) -> list[str]:
    """The page: a sentence, the picture, tables."""
    rows = [row for kind in KINDS for row in record.parts.get(kind, ())]
    lines = evidence.opening(
        "Coverage with evidence of several kinds",
        sentence(rows, repeats),
        "evidence_kinds.png",
        "Coverage by statistic and kind of evidence, one dot for each setting",
        f"{len(rows)} settings, {repeats} samples each. Two normal classes {worlds.APART:g} standard deviations apart (AUC "
        "0.87), threshold one standard deviation above the mean negative, or rows of real data sets. *Slope* says how "
        "strongly the log odds of being caught, or looked at, rise with the score.",
        f"python benchmarks/simulate_evidence.py docs/evidence {repeats}",
        record.when,
    )
    words = [evidence.words(name) for name in STATISTICS]
    for kind, title in KINDS.items():
        mine = record.parts.get(kind, ())
        if not mine:
            continue
        lines += [
            f"## {title[0].upper()}{title[1:]}: coverage, [λ95](sharpness.md), mean width",
            "",
        ]
        told = [
            [
                row["told"],
                *(f"{row[n][0]:.2f}, {row[n][1]:.2f}, {row[n][2]:.3f}" for n in STATISTICS),
            ]
            for row in mine
        ]
        lines += evidence.table(("setting", *words), told)
    worth = [row for row in rows if row["prior"][3] is not None]
    if worth:
        told = [
            [row["told"], *(f"{row[n][2] / row[n][3]:.2f}" for n in STATISTICS)] for row in worth
        ]
        lines += [
            "## Worth: width with the judge, the labels or the published prior, over that without",
            "",
            *evidence.table(("setting", *words), told),
        ]
    lines += [
        "## Contradictions",
        "",
        "Two sources, said to be independent, and a published prior (0.1 ± 0.005): how often they are said to contradict "
        "each other.",
        "",
        *evidence.table(
            ("samples in which", "named"),
            [[row["told"], f"{row['named']:.3f}"] for row in record.parts.get("clashes", ())],
        ),
        f"In all other settings of this page every assumption holds; {np.mean([r['clashes'] for r in rows]):.3f} of their "
        "samples were said to contradict themselves.",
        "",
    ]
    return lines


def draw(record: evidence.Record, path: Path) -> None:
    """The coverage of every setting, by statistic and kind."""
    shades = ("#1f5fa8", "#d9822b", "#2e8b57", "#8e5ba8", "#8a8f98", "#b03a48")
    colours = dict(zip(KINDS.values(), shades, strict=True))
    rows = {
        evidence.words(name): {
            title: [row[name][0] for row in record.parts.get(kind, ())]
            for kind, title in KINDS.items()
        }
        for name in STATISTICS
    }
    figure, ax = plt.subplots(figsize=(7, 5.2), layout="constrained")
    evidence.strips(ax, rows, colours, 0.7)
    ax.set_xlim(0.7, 1.005)
    evidence.plain(ax, xlabel=evidence.HELD)
    names = ax.get_legend_handles_labels()
    figure.legend(*names, loc="outside upper center", ncols=3, frameon=False, markerscale=2)
    evidence.save(figure, path)


def main(folder: Path = Path("docs/evidence"), repeats: int = REPEATS, kinds: str = "") -> None:
    record = evidence.Record(folder / "evidence_kinds.json")
    wanted = kinds.split(",") if kinds else [*KINDS, "clashes"]
    for kind in KINDS:
        tasks = [(number, repeats) for number, world in enumerate(every()) if world.kind == kind]
        if kind in wanted and tasks:
            record.keep(kind, list(evidence.each(run, tasks)))
    if "clashes" in wanted:
        record.keep("clashes", list(evidence.each(clash, [(name, repeats) for name in CLASHES])))
    draw(record, folder / "evidence_kinds.png")
    (folder / "evidence_kinds.md").write_text("\n".join(page(record, repeats)), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]), *map(int, sys.argv[2:3]), *sys.argv[3:4])
