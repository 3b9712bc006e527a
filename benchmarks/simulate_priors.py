"""Error, time and coverage of every prior estimator; writes docs/evidence/priors.md and its picture.

Run: python benchmarks/simulate_priors.py docs/evidence/priors.md [section …] [--quick]. Every section can be made again by
itself; the others keep their numbers, which priors.json holds. With the section `none` only the page is written. Truth is
known: mixtures are drawn at a chosen share. Real data are the matter of reproductions/prior_estimators.py.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import evidence
import numpy as np
from prior_worlds import (
    FAMILIES,
    FEW,
    GAPS,
    HELD_OUT,
    METHODS,
    NOISY,
    PRIORS,
    SEED,
    SIZES,
    Rows,
    labelled_probability,
    largest,
    mixture,
    normal,
    sample,
    table_of,
)
from priors_page import draw, page
from sharpness import lambda95, need_of

from puremetrics.priors import estimate_prior


def _mixture(task: tuple[float, float, int, int, int]) -> dict[str, tuple[float, float]]:
    """Mean absolute error and milliseconds of each method on one normal mixture."""
    share, gap, m, n, samples = task
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in METHODS}
    for repeat in range(samples):
        rng = np.random.default_rng([SEED, repeat, int(1000 * share), int(10 * gap), m])
        groups = sample(rng, normal(gap), normal(0), share, m, n)
        training = sample(rng, normal(gap), normal(0), share, m, n)
        table = table_of(*labelled_probability(groups, training))
        for name in METHODS:
            start = time.process_time()
            error = abs(largest(table, name) - share)
            found[name].append((error, 1000 * (time.process_time() - start)))
    return {name: tuple(np.mean(pairs, axis=0)) for name, pairs in found.items()}  # type: ignore[misc]


def synthetic(samples: int) -> Rows:
    """By method: mean absolute error over all mixtures, by distance and by prior; milliseconds."""
    grid = list(product(PRIORS, GAPS, SIZES))
    tasks = [(share, gap, *size, samples) for share, gap, size in grid]
    found = list(evidence.each(_mixture, tasks))
    rows = []
    for name in METHODS:
        error, spent = np.array([cell[name] for cell in found]).T
        parts = [[gap == cell[1] for cell in grid] for gap in GAPS]
        parts += [[share == cell[0] for cell in grid] for share in PRIORS]
        numbers = [error.mean(), *(error[part].mean() for part in parts), spent.mean()]
        rows.append([name, *map(float, numbers)])
    return rows


def _size(task: tuple[int, float, int]) -> list[Any]:
    """Mean absolute error of the default by distance, for one number of rows and prior."""
    rows, share, samples = task
    row: list[Any] = [rows, share]
    for gap in (1.0, 2.0, 3.0, 4.0):
        found = []
        for repeat in range(min(samples, 3) if rows == 1_000_000 else samples):
            rng = np.random.default_rng([SEED, 1, repeat, int(1000 * share), int(10 * gap)])
            groups = sample(rng, normal(gap), normal(0), share, rows // 10, rows - rows // 10)
            found.append(abs(largest(table_of(*groups)) - share))
        row.append(float(np.mean(found)))
    return row


def sizes(samples: int) -> Rows:
    """By number of rows and prior."""
    grid = product((200, 2_000, 20_000, 1_000_000), (0.001, 0.01, 0.1, 0.5, 0.9, 0.99))
    return list(evidence.each(_size, [(*cell, samples) for cell in grid]))


def _family(task: tuple[str, bool, int]) -> list[Any]:
    """Mean absolute error and mean error of five methods on one family of scores."""
    title, held, samples = task
    positives, negatives, alike = (HELD_OUT if held else FAMILIES)[title]
    errors = []
    for share, (m, n), repeat in product(PRIORS, SIZES, range(samples)):
        rng = np.random.default_rng([SEED, 2 + 10 * held, repeat, int(1000 * share), m])
        table = table_of(*sample(rng, positives, negatives, share, m, n))
        truth = share + (1 - share) * alike
        errors.append([largest(table, name) - truth for name in FEW])
    return [
        title,
        *zip(*(np.mean(e, axis=0).tolist() for e in (np.abs(errors), errors)), strict=True),
    ]


def families(samples: int) -> Rows:
    """By family that was seen while choosing the default."""
    return list(evidence.each(_family, [(title, False, samples) for title in FAMILIES]))


def held_out(samples: int) -> Rows:
    """By family that was not."""
    return list(evidence.each(_family, [(title, True, samples) for title in HELD_OUT]))


def _case(task: tuple[str, float, int, int, float, int]) -> list[Any]:
    """Coverage and mean width of the default, of its bound, and of AlphaMax; λ95 of the default."""
    scenario, gap, m, n, share, samples = task
    runs, needs = [], []
    truth = share if scenario == "case_control" else (m + share * n) / (m + n)
    for repeat in range(samples):
        rng = np.random.default_rng([SEED, 3, repeat, int(1000 * share), int(10 * gap), m])
        table = table_of(*sample(rng, normal(gap), normal(0), share, m, n), scenario)
        found = estimate_prior(table)
        other = estimate_prior(table, method="alphamax", interval="likelihood_ratio").interval
        ends, top = found.interval, found.upper_limit
        runs.append((truth in ends, ends.width, truth <= top, top, truth in other, other.width))
        needs.append(need_of(truth, found.prior, ends))
    return [scenario, gap, m, n, share, *np.mean(runs, axis=0).tolist(), lambda95(needs)]


def coverage(samples: int) -> Rows:
    """By scenario, distance, size and prior."""
    cases = [("case_control", gap, *size, share) for gap, size, share in product(
        GAPS[::-1], SIZES, PRIORS)]  # fmt: skip
    cases += [("case_control", 4.0, 100, 1_000, share) for share in PRIORS]
    cases += [("single_training_set", 4.0, 500, 5_000, share) for share in PRIORS]
    return list(evidence.each(_case, [(*case, samples) for case in cases]))


def _noisy(task: tuple[float, float, float, int]) -> list[Any]:
    """Mean absolute errors of the prior and of the purity by two methods."""
    gap, share, purity, samples = task
    row: list[Any] = [gap, share, purity]
    for name in NOISY:
        errors = []
        for repeat in range(samples):
            rng = np.random.default_rng([SEED, 4, repeat, int(1000 * share), int(10 * gap)])
            labelled = mixture(normal(gap), normal(0), purity)(rng, 1_000)
            _, unlabeled = sample(rng, normal(gap), normal(0), share, 1, 10_000)
            found = estimate_prior(table_of(labelled, unlabeled), method=name, interval="none")
            errors.append((abs(found.prior - share), abs(found.purity - purity)))
        row.append(np.mean(errors, axis=0).tolist())
    return row


def noise(samples: int) -> Rows:
    """By distance, prior and purity."""
    grid = product((2.5, 4.0), (0.1, 0.3, 0.5), (1.0, 0.95, 0.75))
    return list(evidence.each(_noisy, [(*cell, samples) for cell in grid]))


# name: what measures it, and how many samples of each setting it takes
SECTIONS: dict[str, tuple[Callable[[int], Rows], int]] = {
    "synthetic": (synthetic, 12),
    "sizes": (sizes, 10),
    "families": (families, 4),
    "held_out": (held_out, 4),
    "coverage": (coverage, 100),
    "noise": (noise, 10),
}


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("target", nargs="?", default="docs/evidence/priors.md", type=Path)
    reader.add_argument("sections", nargs="*", default=list(SECTIONS), help=", ".join(SECTIONS))
    reader.add_argument("--quick", action="store_true", help="two samples of each setting")
    given = reader.parse_args()
    record = evidence.Record(given.target.with_suffix(".json"))
    for name, (measured, samples) in SECTIONS.items():
        if name in given.sections:
            taken = 2 if given.quick else samples
            record.keep(name, {"samples": taken, "rows": measured(taken)})
            print(name, flush=True)
    picture = given.target.with_suffix(".png")
    draw(record.parts, picture)
    lines = page(record.parts, record.when, picture.name)
    given.target.write_text("\n".join(lines), "utf-8")


if __name__ == "__main__":
    main()
