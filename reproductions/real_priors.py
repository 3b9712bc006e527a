"""Priors that are read off real scores: error, coverage and trust where the truth is known.

    python reproductions/real_priors.py [--quick] [--out docs/evidence] [--folder DATA] [--resume]

Draws from pools of real scores (`real_scores`): every cell once, with each model. Five parts: the prior
by itself, everything that `evaluate` says, several models at once, scores that say nothing, and comparisons
of two models. What is finished is kept in a file of the temporary folder, which `--resume` takes up.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from scipy.stats import norm, rankdata
from sklearn.metrics import (
    average_precision_score,
    f1_score,
    precision_score,
    roc_auc_score,
)

sys.path.insert(0, str(Path(__file__).parents[1]))
from reproductions.common import Run, asked
from reproductions.real_priors_page import page
from reproductions.real_scores import (
    LABELS,
    MODELS,
    Cell,
    Draw,
    Pool,
    cells,
    draw,
    generator,
    made_pools,
    pools,
    sizes,
)

import puremetrics as pm
import puremetrics.priors.combined as combining

SEED = 2026  # constants were chosen on draws of other seeds
PEERS = ("slope", "best_bin", "dedpul", "alphamax", "elkan_noto")
TOGETHER = ("lr_pu", "hgb_pu", "mlp_pu")
SEVERAL, NOISE, BACKWARDS, NULL = 300, 500, 100, 400  # draws
NOISE_ROWS = 10_000  # at most
COPY_NOISE = 0.5  # standard deviations of the scores, as normal quantiles of their ranks

Record = dict[str, Any]


class Store:
    """Results by key, each written to a file when it is there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text("utf-8").splitlines()
        self.done = {key: found for key, found, _ in map(json.loads, lines)}
        self.seconds = sum(json.loads(line)[2] for line in lines)

    def once(self, key: tuple[Any, ...], find: Callable[[], Any]) -> Any:
        name = " ".join(map(str, key))
        if name not in self.done:
            start = time.process_time()
            self.done[name] = find()
            spent = time.process_time() - start
            self.seconds += spent
            with self.path.open("a", encoding="utf-8") as out:
                out.write(json.dumps([name, self.done[name], spent]) + "\n")
        return self.done[name]


@contextmanager
def what_is_allowed_for():
    """Take down what the default method knows before it allows for look-alikes."""
    seen: dict[str, float] = {}

    def listening(share: float, low: float, high: float, apart: float, level: float) -> Any:
        seen.update(share=share, low=low, high=high, apart=apart)
        return combining_likely(share, low, high, apart, level)

    combining_likely = combining.likely_share
    with mock.patch.object(combining, "likely_share", listening):
        yield seen


def estimated(sample: Draw, model: str) -> Record:
    """The prior by every method, and the area that follows from the default."""
    scores = sample.scores(model)
    table = sample.table(scores)
    with what_is_allowed_for() as before:
        found = pm.estimate_prior(table)
    area = pm.roc_auc(table, prior=found)
    span = max(float(np.ptp(scores)), 1e-12)
    scaled = sample.table((scores - scores.min()) / span)
    peers = {
        name: pm.estimate_prior(
            scaled if name == "elkan_noto" else table, method=name, interval="none"
        ).prior
        for name in PEERS
    }
    assert found.interval is not None
    assert found.trust is not None
    assert area.interval is not None
    return {
        **sample.cell._asdict(), "model": model, "rows": sample.rows.size, "truth": sample.prior,
        "hidden": sample.hidden_share, "unlabeled": float(np.mean(~sample.labelled)),
        "prior": found.prior, "low": found.interval.low, "high": found.interval.high,
        "separable": found.separable, "upper": found.upper_limit, "trust": found.trust.level,
        "codes": [remark.code for remark in found.diagnostics], "before": before,
        "true_auc": sample.auc(scores), "auc": area.value, "auc_low": area.interval.low,
        "auc_high": area.interval.high, **peers,
    }  # fmt: skip


def evaluated(sample: Draw, model: str) -> Record:
    """What `evaluate` says without being told a prior, beside the truth."""
    scores = sample.scores(model)
    result = pm.evaluate(sample.table(scores))
    found = result.models["model"]
    y, z = sample.judged(scores)
    truth = {"roc_auc": roc_auc_score(y, z), "average_precision": average_precision_score(y, z)}
    if found.confusion is not None:
        above = z >= found.confusion.threshold
        truth["precision"] = precision_score(y, above, zero_division=0)
        everywhere = sample.pool[model][sample.pool["y"] == 1].astype(float)
        truth["recall"] = np.mean(everywhere >= found.confusion.threshold)
        truth["f1"] = f1_score(y, above, zero_division=0)
    record = {**sample.cell._asdict(), "model": model, "trust": result.trust.level}
    for name, value in truth.items():
        said = found.corrected[name]
        if said.interval is not None and np.isfinite(said.value):
            ends = said.interval.low, said.interval.high
            record[name] = [float(value), said.value, *ends]
    return record


def together(sample: Draw) -> Record:
    """The prior that three models share."""
    tables = {model: sample.table(sample.scores(model)) for model in TOGETHER}
    known = pm.evaluate(tables).prior
    single = {}
    for model, table in tables.items():
        found = pm.estimate_prior(table)
        assert found.interval is not None
        single[model] = [found.prior, found.interval.low, found.interval.high]
    shared = [known.value, known.low, known.high]
    return {**sample.cell._asdict(), "truth": sample.prior, "all": shared, "single": single}


def meaningless(sample: Draw, model: str, kind: str, rng: np.random.Generator) -> Record:
    """The trust in scores that are shuffled or backwards."""
    scores = sample.scores(model)
    scores = rng.permutation(scores) if kind == "shuffled" else -scores
    found = pm.evaluate(sample.table(scores)).trust
    return {"labels": sample.cell.labels, "kind": kind, "trust": found.level}


def noisy_copies(scores: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Two models that are equally good: the same scores with noise of the same size."""
    normal = norm.ppf((rankdata(scores) - 0.5) / scores.size)
    return {name: normal + COPY_NOISE * rng.normal(size=scores.size) for name in ("a", "b")}


def compared(sample: Draw, models: dict[str, np.ndarray], better: float) -> Record:
    """A comparison of two models with the true prior and with an estimate; ``better``: by how much a is."""
    joint = pm.JointTable.from_arrays(
        sample.labelled.astype(int), models, scenario=sample.cell.scenario
    )
    found = [pm.estimate_prior(table) for table in joint.tables.values()]
    lowest = min(found, key=lambda one: one.interval.high)
    first, second = (sample.auc(scores) for scores in models.values())
    record = {**sample.cell._asdict(), "better": better, "difference": first - second}
    for name, prior in {"estimate": lowest, "truth": sample.prior}.items():
        said = pm.compare(joint, prior=prior).differences[0]
        record[name] = [said.p_value, said.value, said.interval.low, said.interval.high]
    return record


def experiment(run: Run, found: dict[str, Pool], store: Store) -> dict[str, list[Record]]:
    """All five parts."""
    every = list(cells(found, (30,) if run.quick else LABELS))
    if run.quick:
        every = [c for c in every if c.wanted == 0.2 and c.frequency == 0.5]
    rng = generator(run.seed, "parts")
    several, null = (1, 2) if run.quick else (SEVERAL, NULL)
    kinds = {"shuffled": NOISE, "backwards": BACKWARDS}

    def of(cell: Cell) -> Draw:
        return draw(cell, found[cell.set], run.seed)

    def each(part: str, chosen: Sequence[tuple[Any, ...]], find: Callable[..., Any]) -> list[Any]:
        start = time.perf_counter()
        results = [store.once((part, *key), lambda key=key: find(*key)) for key in chosen]
        print(f"{part}: {len(results)} in {time.perf_counter() - start:.0f} s", flush=True)
        return results

    def pick(pool: Sequence[Cell], count: int) -> list[tuple[int, Cell, str]]:
        places, models = rng.integers(len(pool), size=count), rng.integers(len(MODELS), size=count)
        pairs = zip(places, models, strict=True)
        return [(i, pool[place], MODELS[model]) for i, (place, model) in enumerate(pairs)]

    def all_models(cell: Cell) -> list[Record]:
        sample = of(cell)
        return [estimated(sample, model) for model in MODELS]

    def null_pair(i: int, cell: Cell, model: str) -> Record:
        sample = of(cell)
        copies = noisy_copies(sample.scores(model), generator(run.seed, "null", i))
        return compared(sample, copies, 0.0)

    def without_meaning(kind: str, i: int, cell: Cell, model: str) -> Record:
        return meaningless(of(cell), model, kind, generator(run.seed, kind, i, *cell))

    def real_pair(cell: Cell) -> Record:
        sample, pool = of(cell), found[cell.set]
        pair = generator(run.seed, "pair", *cell).choice(MODELS, 2, replace=False)
        areas = [roc_auc_score(pool["y"], pool[model]) for model in pair]
        scores = {str(model): sample.scores(model) for model in pair}
        return compared(sample, scores, float(areas[0] - areas[1]))

    third = [
        (cell, model) for cell in every for model in MODELS
        if cell.labels == max(LABELS) or generator(run.seed, "third", *cell, model).random() < 1 / 3
    ]  # fmt: skip
    some = rng.choice(len(every), min(several, len(every)), replace=False)
    small = [cell for cell in every if sum(sizes(cell, found[cell.set])) <= NOISE_ROWS]
    silent = [
        (kind, i, cell, model)
        for kind, count in kinds.items()
        for labels in LABELS
        if (fitting := [cell for cell in small if cell.labels == labels])
        for i, cell, model in pick(fitting, 2 if run.quick else count)
    ]
    return {
        "prior": [r for found in each("prior", [(c,) for c in every], all_models) for r in found],
        "evaluate": each("evaluate", third, lambda cell, model: evaluated(of(cell), model)),
        "several": each("several", [(every[i],) for i in some], lambda cell: together(of(cell))),
        "pairs": each("pairs", [(cell,) for cell in every], real_pair),
        "null": each("null", pick(every, null), null_pair),
        "noise": each("noise", silent, without_meaning),
    }


def main(arguments: Sequence[str] | None = None) -> Path | None:
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--resume", action="store_true")
    mine, rest = own.parse_known_args(arguments)
    run = asked("real_priors", SEED, rest)
    found = made_pools(run.seed) if run.quick else pools(run.folder)
    if not found:
        return None
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) if run.quick else Path(tempfile.gettempdir())
        path = folder / f"puremetrics-real-priors-{run.seed}.jsonl"
        if not (mine.resume and path.exists()):
            path.write_text("", encoding="utf-8")
        store = Store(path)
        parts = experiment(run, found, store)
    return run.write(page(run, parts, store.seconds))


if __name__ == "__main__":
    main()
