"""Every prior estimator on the twelve UCI sets of Jain, White and Radivojac (2017): error and time.

    python reproductions/prior_estimators.py [--quick] [--repeats N] [--out docs/evidence] [--folder DATA] [--resume]

Clean labels, the paper's protocol (`uci`), out-of-bag scores of the default ensemble, one sample of each set
after the other, with what papers print beside. KM2 and TIcE read features and are run on fewer samples. Every
finished sample is kept in a file of the temporary folder, which `--resume` takes up.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).parents[1]))
from reproductions.common import BLUE, GREY, Run, asked, dataset, plain_axes, table
from reproductions.published import JAIN, PRIOR_COLUMNS, PRIORS, TIMES, UCI
from reproductions.uci import Sample, draw, labelled_rows, made_set

import puremetrics as pm
from puremetrics.priors import estimate_prior, estimate_prior_from_features, out_of_fold_scores

SEED = 100  # samples of earlier seeds were looked at while the default was chosen
REPEATS, SLOW_REPEATS = 5, 1
ON_SCORES = (
    "combined", "alphamax", "best_bin", "slope", "dedpul", "elkan_noto", "elkan_noto_e2", "elkan_noto_e3",
)  # fmt: skip
ON_FEATURES = ("tice", "km2")
METHODS = (*ON_SCORES, *ON_FEATURES)
DEFAULT = METHODS[0]


Record = dict[str, Any]


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """What a function returns, and the processor time that it took: others may use the machine too."""
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def measure(features: np.ndarray, sample: Sample, seed: int, slow: bool) -> Record:
    """Error and seconds of every method on one sample."""
    labels = sample.labelled.astype(int)
    features = features[sample.rows]
    scores, scoring = timed(lambda: out_of_fold_scores(features, labels, rng=seed))
    one_auc = min(timed(lambda: roc_auc_score(labels, scores))[1] for _ in range(5))
    scores_table = pm.ScoreTable.from_arrays(labels, scores, scenario="case_control")
    record: Record = {"share": sample.share, "scoring": scoring, "one AUC": one_auc}
    for name in METHODS:
        if name in ON_SCORES:
            ask = partial(estimate_prior, scores_table, method=name, interval="none")
        elif slow:
            ask = partial(
                estimate_prior_from_features,
                features,
                labels,
                method=name,
                scenario="case_control",
                rng=seed,
            )
        else:
            continue
        found, record[f"seconds {name}"] = timed(ask)
        record[name] = abs(found.prior - sample.share)
    return record


def experiment(run: Run, repeats: int, store: Path) -> list[Record]:
    """All samples, set by set, each appended to the store when done."""
    records = [json.loads(line) for line in store.read_text("utf-8").splitlines()]
    done = {(record["set"], record["repeat"]) for record in records}
    for name in ("made",) if run.quick else UCI:
        if run.quick:
            features, classes = made_set(np.random.default_rng(run.seed))
        else:
            data = dataset(name, run)
            if data is None:
                continue
            features, classes = data.X, data.y
        for repeat in range(repeats):
            if (name, repeat) in done:
                continue
            rng = np.random.default_rng(run.seed + repeat)
            sample = draw(classes, labelled_rows(name), 1.0, rng)
            found = measure(features, sample, repeat, repeat < SLOW_REPEATS)
            records.append({"set": name, "repeat": repeat, **found})
            with store.open("a", encoding="utf-8") as out:
                out.write(json.dumps(records[-1]) + "\n")
        print(f"{name} done", flush=True)
    return [record for record in records if record["repeat"] < repeats]


def column(records: list[Record], name: str, of: str | None = None) -> np.ndarray:
    """Values of one column, of all sets or of one."""
    chosen = [r for r in records if name in r and of in (None, r["set"])]
    return np.array([r[name] for r in chosen])


def shown(values: np.ndarray) -> str:
    error = f" ± {values.std(ddof=1) / np.sqrt(values.size):.3f}" if values.size > 1 else ""
    return f"{values.mean():.3f}{error}"


def best_published(name: str) -> float | None:
    """The smallest error that any paper prints; Jain's e stands in where there is no other."""
    printed = [value for value in PRIORS.get(name, ()) if value is not None]
    if printed or (name, 1.0) not in JAIN:
        return min(printed, default=None)
    return JAIN[name, 1.0]["e"]


def dash(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def verdict(errors: dict[str, float]) -> str:
    """Count the sets on which the default beats every published figure; name those where it is far off."""
    bars = {name: best for name in errors if (best := best_published(name)) is not None}
    better = [name for name, best in bars.items() if errors[name] < best]
    worse = [
        f"{name} ({errors[name]:.3f} against {best:.3f})"
        for name, best in bars.items()
        if errors[name] > best + 0.02
    ]
    return (
        f"The default is better than the best published figure on {len(better)} of {len(bars)} sets "
        f"({', '.join(better) or 'none'}), and more than 0.02 worse on: {', '.join(worse) or 'none'}."
    )


def opening(run: Run, errors: dict[str, dict[str, float]]) -> list[str]:
    """What was found, and the plot of it; mean errors by method and set."""
    means = {method: float(np.mean(list(of.values()))) for method, of in errors.items()}
    first, second, *_ = sorted((m for m in METHODS if m != DEFAULT), key=means.__getitem__)
    return [
        f"The default (`{DEFAULT}`) misses the share of positives by {means[DEFAULT]:.3f} on average over {len(errors[DEFAULT])} "
        f"sets; next come `{first}` with {means[first]:.3f} and `{second}` with {means[second]:.3f}. The default was chosen "
        "among sixty variants on other samples of these same sets, so its error here is somewhat optimistic.",
        "",
        *run.figure(summary(errors), "prior_estimators", "Mean absolute error of each method, and on each set"),
    ]  # fmt: skip


def summary(errors: dict[str, dict[str, float]]) -> plt.Figure:
    """The mean error of every method, best first, with a dot for each set."""
    ranked = sorted(errors, key=lambda method: np.mean(list(errors[method].values())))
    drawing, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for place, method in enumerate(ranked):
        values = list(errors[method].values())
        colour = BLUE if method == DEFAULT else GREY
        ax.barh(place, np.mean(values), color=colour, height=0.6, alpha=0.55, lw=0)
        ax.plot(values, [place] * len(values), "o", color=colour, ms=4, mew=0, alpha=0.9)
        ax.text(0.5, place, f"{np.mean(values):.3f}", va="center", ha="right", fontsize=9)
    ax.text(0.5, -0.8, "mean", va="center", ha="right", fontsize=9, color=GREY)
    ax.set_yticks(range(len(ranked)), [f"{m} (default)" if m == DEFAULT else m for m in ranked])
    ax.invert_yaxis()
    plain_axes(
        ax, xlim=(0, 0.5), xlabel="mean absolute error of the share of positives (bar: all sets; dots: each set)"
    )  # fmt: skip
    return drawing


def page(run: Run, records: list[Record], repeats: int, already: int = 0) -> list[str]:
    names = list(dict.fromkeys(record["set"] for record in records))
    errors = {m: {name: column(records, m, name) for name in names} for m in METHODS}
    by_set = {m: {name: float(v.mean()) for name, v in of.items()} for m, of in errors.items()}
    lines = run.head(
        "Prior estimators on twelve UCI sets",
        lambda: opening(run, by_set),
        timed=not already,
    )
    lines += [PROTOCOL.format(repeats=repeats, slow=SLOW_REPEATS), ""]
    rows = [
        [
            name,
            f"{column(records, 'share', name).mean():.3f}",
            dash(best_published(name)),
            *(shown(errors[m][name]) for m in METHODS),
        ]
        for name in names
    ]
    means = [np.mean(list(by_set[m].values())) for m in METHODS]
    rows.append(["mean", "", "", *(f"{mean:.3f}" for mean in means)])
    lines += [
        "## Mean absolute error",
        "",
        *table(["set", "share", "best published", *METHODS], rows),
    ]
    lines += [verdict(by_set[DEFAULT]), ""]
    lines += [] if run.quick else [READING, ""]
    printed = [[name, *map(dash, PRIORS[name])] for name in names if name in PRIORS]
    lines += [
        "## What papers print",
        "",
        *(table(["set", *PRIOR_COLUMNS], printed) if printed else []),
    ]
    lines += [PUBLISHED, "", "## Time", ""]
    one = column(records, "one AUC").mean()
    spent = {m: column(records, f"seconds {m}").mean() for m in METHODS}
    times = [[m, f"{1000 * spent[m]:.1f}", f"{spent[m] / one:.1f}"] for m in METHODS]
    lines += table(["method", "ms an estimate", "multiple of one `roc_auc_score`"], times)
    return [
        *lines,
        f"Processor time, from the sorted table (TIcE and KM2: from the features). Scoring by 600 trees, needed by all but TIcE and KM2, took "
        f"{column(records, 'scoring').mean():.1f} s a sample. Public implementations, as multiples of one "
        "`roc_auc_score` on 10,000 rows: "
        + "; ".join(f"{name} {multiple}" for name, multiple in TIMES.items())
        + ".",
    ]


PROTOCOL = """\
Clean labels: 1,000 labelled positives (100 in housing, concrete, pima and pageblocks), at most 10,000 unlabeled rows, all
drawn at random. Scores are out-of-bag means of 600 trees of two kinds, the default ensemble; TIcE and KM2 read the
features themselves. Mean absolute error of the share of positives among the unlabeled over {repeats} samples ({slow} for
TIcE and KM2) ± its standard error. No interval is computed. Gas holds eight of its ten batches. About eight score models
and sixty variants of the default were compared on other samples of these same sets when it was chosen, so its errors
here are somewhat optimistic; see [the page on estimating the prior](priors.md)."""
READING = """\
Bank and wine, where the default is worse than the best figure in print, have overlapping classes; on bank the largest share
that the data allow seems to exceed the true one, and every method of ours but e3 errs upwards there. e3 takes the largest
score for the label frequency and errs downwards on all sets, which is luck on bank. The other estimators of Elkan and
Noto take it for granted that classes do not overlap. TIcE is worse here than in print on most sets. It bounds the label
frequency from below, so it errs upwards; on one sample each, twice the labels (half of all positives) brought its
error from 0.38 to 0.25 on wine and from 0.19 to 0.11 on mushroom. KM2 is thinned to 250 rows of each sample."""
PUBLISHED = """\
AlphaMax and DistCurve: Zeiberg, Jain and Radivojac (2020). Protocols differ between papers, in sample sizes, in classes
and in what is averaged, so compare orders of magnitude, not digits. For pima, "best published" is the error of β − α
in Jain, White and Radivojac (2017) with clean labels."""


def main(arguments: Sequence[str] | None = None) -> Path:
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--repeats", type=int)
    own.add_argument("--resume", action="store_true")
    mine, rest = own.parse_known_args(arguments)
    run = asked("prior_estimators", SEED, rest)
    repeats = mine.repeats or (1 if run.quick else REPEATS)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) if run.quick else Path(tempfile.gettempdir())
        store = folder / f"puremetrics-prior-estimators-{run.seed}.jsonl"
        if not (mine.resume and store.exists()):
            store.write_text("", encoding="utf-8")
        already = len(store.read_text("utf-8").splitlines())
        records = experiment(run, repeats, store)
    return run.write(page(run, records, repeats, already))


if __name__ == "__main__":
    main()
