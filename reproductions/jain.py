"""Reproduce Jain, White and Radivojac (2017): Tables 1 and 2, Figures 1 to 4.

    python reproductions/jain.py [--quick] [--repeats N] [--out docs/evidence] [--folder DATA] [--resume]

Twelve UCI sets become positive-unlabeled samples (`uci`), a hundred bagged small networks score them out of
bag (`networks`), and the areas under the ROC and precision-recall curves of positives against negatives are
recovered: with the true share of positives and purity (R) and with estimated ones (E), indirectly (I) and
directly (D). Training takes about an hour. The scores of every sample are kept in the temporary folder;
`--resume` takes up what is there.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

sys.path.insert(0, str(Path(__file__).parents[1]))
from reproductions.common import Run, asked, dataset
from reproductions.jain_page import page
from reproductions.networks import network_scores
from reproductions.published import PURITIES, UCI
from reproductions.uci import Sample, draw, labelled_rows, made_set

import puremetrics as pm
from puremetrics.priors import estimate_prior

SEED = 2017
REPEATS, QUICK_REPEATS = 50, 2
NETWORKS, QUICK_NETWORKS = 100, 10
Record = dict[str, Any]


def recovered(
    table: pm.ScoreTable, prior: float, purity: float, method: str, area: str = "roc_auc"
) -> float:
    """An area, set to 0 or 1 where it leaves the range, as the paper does."""
    if purity - prior < 1e-3:  # nothing is left to tell apart: the infeasible region of Figure 4
        return 1.0
    estimate = getattr(pm, area)(table, prior=prior, purity=purity, method=method)
    return float(np.clip(estimate.value, 0.0, 1.0))


def measure(sample: Sample, scores: np.ndarray, traditional: np.ndarray) -> Record:
    """Errors of every recovery on one sample.

    Parameters
    ----------
    scores : ndarray
        Of the ensemble trained on labelled against unlabeled rows.
    traditional : ndarray
        Of the ensemble trained on the true classes: its areas are the paper's truth. The areas of
        ``scores`` themselves against the hidden classes ("own") are what a recovery estimates.
    """
    unlabeled = ~sample.labelled
    table = pm.ScoreTable.from_arrays(sample.labelled.astype(int), scores, scenario="case_control")
    purity = float(sample.truth[sample.labelled].mean())
    classes = sample.truth[unlabeled]
    found: Record = {
        "share": sample.share,
        "AUC": roc_auc_score(classes, traditional[unlabeled]),
        "own AUC": roc_auc_score(classes, scores[unlabeled]),
        "AUC_pu": roc_auc_score(sample.labelled, scores),
        "AP": average_precision_score(classes, traditional[unlabeled]),
        "own AP": average_precision_score(classes, scores[unlabeled]),
        "AP_pu": average_precision_score(sample.labelled, scores),
    }
    known = {"R": (sample.share, purity)}
    for letter, method in (("E", "alphamax_n"), ("O", "combined_n")):
        estimate = estimate_prior(table, method=method, interval="none")
        assert estimate.purity is not None
        known[letter] = estimate.prior, estimate.purity
        name = "e" if letter == "E" else "e ours"
        found[name] = abs(estimate.purity - estimate.prior - (purity - sample.share))
        found[f"share {letter}"], found[f"purity {letter}"] = known[letter]
    # Told that labels are clean, which the two above are not; of use where purity is 1.
    told = estimate_prior(table, method="combined", interval="none").prior
    found["e told"] = abs(1 - told - (purity - sample.share))
    known["T"] = told, 1.0
    values = {"PU": found["AUC_pu"]}
    areas = {"AP PU": found["AP_pu"]}
    for letter, pair in known.items():
        values[f"I{letter}"] = recovered(table, *pair, "indirect")
        values[f"D{letter}"] = recovered(table, *pair, "direct")
        values[f"P{letter}"] = recovered(table, *pair, "projected")
        areas[f"AP I{letter}"] = recovered(table, *pair, "indirect", "average_precision")
        areas[f"AP P{letter}"] = recovered(table, *pair, "projected", "average_precision")
    for truth, group in (("AUC", values), ("AP", areas)):
        for name, value in group.items():
            found[name] = abs(value - found[truth])
            found[f"own {name}"] = abs(value - found[f"own {truth}"])
    return found


def sets(run: Run) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, features and classes of each set that can be had."""
    if run.quick:
        yield ("made", *made_set(np.random.default_rng(run.seed)))
        return
    for name in UCI:
        found = dataset(name, run)
        if found is not None:
            yield name, found.X, found.y


def kept(place: Path, make: Callable[[], np.ndarray]) -> np.ndarray:
    """Scores from the store, or made and stored there under another name first."""
    if place.exists():
        return np.load(place).astype(float)
    scores = make().astype(np.float32)
    scratch = place.with_suffix(".part.npy")
    np.save(scratch, scores)
    scratch.replace(place)
    return scores.astype(float)


def experiment(run: Run, repeats: int, store: Path) -> list[Record]:
    """All samples, repeat by repeat; scores already in the store are not made again."""
    networks = QUICK_NETWORKS if run.quick else NETWORKS
    data = {name: (X, y) for name, X, y in sets(run)}
    records: list[Record] = []
    for repeat in range(repeats):
        for place, (name, (features, classes)) in enumerate(data.items()):
            traditional = kept(
                store / f"{name}.npy",
                partial(network_scores, features, classes, run.seed, networks),
            )
            for purity in PURITIES:
                rng = np.random.default_rng([run.seed, repeat, place, round(100 * purity)])
                sample = draw(classes, labelled_rows(name), purity, rng)
                scores = kept(
                    store / f"{name}-{purity}-{repeat}.npy",
                    partial(
                        network_scores,
                        features[sample.rows],
                        sample.labelled,
                        run.seed + repeat,
                        networks,
                    ),
                )
                found = measure(sample, scores, traditional[sample.rows])
                records.append({"set": name, "purity": purity, "repeat": repeat, **found})
        print(f"repeat {repeat + 1} of {repeats} done", flush=True)
    return records


def main(arguments: Sequence[str] | None = None) -> Path:
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--repeats", type=int)
    own.add_argument("--resume", action="store_true")
    mine, rest = own.parse_known_args(arguments)
    run = asked("jain", SEED, rest)
    repeats = mine.repeats or (QUICK_REPEATS if run.quick else REPEATS)
    run.makes("Figure 1", "Figure 2", "Figures 3 and 4")
    if run.only:  # Figures 1 and 2 need no scores: the second is drawn from the tables of the page
        return run.write(page(run, [], 0))
    if run.quick:
        with tempfile.TemporaryDirectory() as scratch:
            records = experiment(run, repeats, Path(scratch))
    else:
        store = Path(tempfile.gettempdir()) / f"puremetrics-jain-{run.seed}"
        store.mkdir(exist_ok=True)
        for old in store.glob("*.npy") if not mine.resume else ():
            old.unlink()
        records = experiment(run, repeats, store)
    return run.write(page(run, records, repeats, mine.resume))


if __name__ == "__main__":
    main()
