"""Other packages on the same rows, beside the truth: ``python benchmarks/peers.py``.

Installs the packages into an environment of their own, in a cache folder, and asks each what it says of one table of
positive and unlabeled rows whose truth is known. Prints a table and writes docs/evidence/peers.md.

The rows are a single training set of two normal classes 1.5 apart, prior 0.3, of whose positives 0.3 were labelled at random.
Scores are the true P(y = 1 | x), and rows from 0.5 on are flagged: whatever differs is the metric, not the model.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from evidence import BLUE, GREEN, GREY, ORANGE, folded, opening, plain, save
from scipy.special import expit

import puremetrics as pm

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "evidence" / "peers.md"
PEERS = ("scikit-learn", "pulearn", "pu-toolbox", "quapy", "semisup-metrics")
LEFT_OUT = {
    "torchmetrics": "left out: it needs torch, which is larger than all else here together, and its metrics take full labels as scikit-learn's do"
}
PRIOR, FREQUENCY, CUT = 0.3, 0.3, 0.5
QUESTIONS = ("ROC AUC", "average precision", "recall", "precision", "specificity", "prior")
MARKS = (("D", GREY), ("^", ORANGE), ("s", GREEN), ("v", "#7a4fa3"), ("P", "black"))


def rows(count: int, seed: int) -> tuple[Any, Any, Any]:
    """Hidden truth, labels and scores."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(count) < PRIOR * count)  # the prior is exact in these rows
    x = rng.normal(1.5 * truth, 1.0)
    score = expit(1.5 * x - 1.125 + np.log(PRIOR / (1 - PRIOR)))
    return truth, truth & (rng.random(count) < FREQUENCY), score


def ours(y: Any, score: Any, prior: float | None) -> dict[str, Callable[[], Any]]:
    """Calls of this package by question, each from the arrays; without a prior labels are full."""

    def table() -> pm.ScoreTable:
        made = pm.ScoreTable.from_arrays(y, score, scenario="single_training_set")
        return made if prior is not None else made.unlabeled_as_negative()

    calls: dict[str, Callable[[], Any]] = {
        "ROC AUC": lambda: pm.roc_auc(table(), prior=prior),
        "average precision": lambda: pm.average_precision(table(), prior=prior),
    }
    for name in ("recall", "precision", "specificity"):
        calls[name] = lambda name=name: pm.metric(table(), name, threshold=CUT, prior=prior)
    if prior is not None:
        calls["prior"] = lambda: pm.estimate_prior(table())
    return calls


def environment(folder: Path) -> Path:
    """The Python of the peers' environment, made if there is none."""
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        venv.create(folder, with_pip=True, clear=True)
    return python


def installed(python: Path, package: str) -> str | None:
    """The version that is there now, or None if pip cannot have it."""
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", package]
    if subprocess.run(pip, capture_output=True, text=True, check=False).returncode:
        return None
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def asked(python: Path, package: str, file: Path) -> list[dict[str, Any]]:
    """What a package says of the rows in a file."""
    command = [str(python), str(HERE / "peer_calls.py"), str(file), package]
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=clean)
    if done.returncode:
        return [{"question": "", "call": "", "error": done.stderr.strip().splitlines()[-1]}]
    return list(json.loads(done.stdout.strip().splitlines()[-1]))


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """The result, and the best of three CPU times."""
    result, best = call(), []
    for _ in range(3):
        start = time.process_time()
        call()
        best.append(time.process_time() - start)
    return result, min(best)


def lines(
    answers: dict[str, list[dict[str, Any]]],
    missing: dict[str, str],
    own: dict[str, Any],
    truth: dict[str, float],
) -> list[str]:
    """The table, question by question, then the packages that have no row."""
    unit = next(a["seconds"] for a in answers["scikit-learn"] if a.get("call") == "roc_auc_score")
    said = [
        "| question | package | call | value | truth | interval | time |",
        "|---|---|---|---|---|---|---|",
    ]
    for question in QUESTIONS:
        found, seconds = own[question]
        interval = f"{found.interval.low:.3f} to {found.interval.high:.3f}"
        said.append(
            f"| {question} | **puremetrics** | | {float(found):.3f} | {truth[question]:.3f} | {interval} | {seconds / unit:.1f} |"
        )
        for package, rows_of in answers.items():
            for one in rows_of:
                if one["question"] != question:
                    continue
                value = f"fails: {one['error']}" if "error" in one else f"{one['value']:.3f}"
                took = "" if "error" in one else f"{one['seconds'] / unit:.1f}"
                said.append(
                    f"| {question} | {package} | `{one['call']}` | {value} | {truth[question]:.3f} | none | {took} |"
                )
    for package, words in missing.items():
        said.append(f"| | {package} | | {words} | | | |")
    return said


def sentence(
    answers: dict[str, list[dict[str, Any]]], own: dict[str, Any], truth: dict[str, float]
) -> str:
    """How far this package is from the truth, and those that take the unlabeled as negative."""
    far = {question: abs(float(found) - truth[question]) for question, (found, _) in own.items()}
    held = sum(truth[question] in found.interval for question, (found, _) in own.items())
    naive = [
        abs(a["value"] - truth[a["question"]]) for a in answers["scikit-learn"] if "value" in a
    ]
    return (
        f"Given the prior, puremetrics is within {max(far[q] for q in QUESTIONS[:-1]):.3f} of the truth on all five metrics; its "
        f"estimate of the prior is {far['prior']:.3f} off. Its 95% intervals hold the truth in {held} of {len(own)} cases; none "
        "of the other packages' calls gives one (pulearn and quapy can bootstrap one for the prior). Metrics that take the "
        f"unlabeled as negative are off by up to {max(naive):.2f}."
    )


def summary(
    points: dict[str, list[tuple[str, float]]], intervals: dict[str, tuple[float, float]]
) -> plt.Figure:
    """Distances from the truth: of each package by question, and this package's intervals."""
    drawing, ax = plt.subplots(figsize=(7.4, 3.9), layout="constrained")
    ax.axvline(0, color="black", lw=1)
    looks = dict(zip([name for name in points if name != "puremetrics"], MARKS, strict=False))
    step = 0.8 / len(points)
    for row, (package, values) in enumerate(points.items()):
        mark, colour = looks.get(package, ("o", BLUE))
        places = [QUESTIONS.index(question) - 0.4 + (row + 0.5) * step for question, _ in values]
        ax.plot(
            [gap for _, gap in values],
            places,
            mark,
            color=colour,
            ms=6,
            alpha=0.9,
            mew=0,
            label=package,
        )
    for question, limits in intervals.items():
        ax.plot(
            limits, [QUESTIONS.index(question) - 0.4 + 0.5 * step] * 2, color=BLUE, lw=2, alpha=0.5
        )
    for place in range(1, len(QUESTIONS)):
        ax.axhline(place - 0.5, color=GREY, lw=0.5, alpha=0.5)
    ax.set_yticks(range(len(QUESTIONS)), QUESTIONS)
    plain(
        ax, ylim=(len(QUESTIONS) - 0.5, -0.5),
        xlabel="value − truth (0: right; blue lines: 95% intervals of puremetrics)",
    )  # fmt: skip
    drawing.legend(loc="outside upper center", ncols=len(points), frameon=False, fontsize=8)
    return drawing


def distances(
    answers: dict[str, list[dict[str, Any]]], own: dict[str, Any], truth: dict[str, float]
) -> tuple[dict[str, list[tuple[str, float]]], dict[str, tuple[float, float]]]:
    """What `summary` draws."""
    points = {"puremetrics": [(q, float(found) - truth[q]) for q, (found, _) in own.items()]}
    for package, said in answers.items():
        known = [(a["question"], a["value"] - truth[a["question"]]) for a in said if "value" in a]
        if known:
            points[package] = known
    limits = {
        q: (found.interval.low - truth[q], found.interval.high - truth[q])
        for q, (found, _) in own.items()
    }
    return points, limits


def page(said: str, table: Sequence[str], count: int, seed: int, versions: dict[str, str]) -> str:
    """The page of the site, which opens with what was found."""
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    return "\n".join(
        [
            *opening(
                "Other packages on the same rows",
                said,
                "peers.png",
                "How far each package is from the truth",
                f"A single training set of {count} rows: two normal classes 1.5 apart, prior {PRIOR}, label frequency {FREQUENCY}, labels at random. Scores are the true "
                f"probabilities, and rows from {CUT} on are flagged. Every package got the labels, the scores and, where it takes one, the true prior; the rows called *prior* "
                "had to estimate it. *Truth* is the metric of the hidden labels of these rows. *Time* is CPU time over that of `roc_auc_score` of scikit-learn. "
                f"Versions: {named}, Python {platform.python_version()}.",
                f"python benchmarks/peers.py --rows {count} --seed {seed}",
            ),
            *folded("Every question, package and call", table),
            "scikit-learn does what it is made for, with labels that are not what it is made for: it stands for every metric that takes the unlabeled as negative. "
            "`pu_roc_auc_score` takes its prior for the share among the unlabeled rows, which in a single training set is smaller "
            "([more](../coming_from/pulearn.md)). `pu_specificity_score` takes scores for probabilities of being labelled, which these are not. Both have a second row with what they "
            "take, and are right there. `pu_auc_roc` asks for true "
            "labels, and quapy for both classes: they got what there was. One table of one design says little about a package as a whole.",
            "",
        ]
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    parser.add_argument("--folder", type=Path, default=cache / "puremetrics-peers")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    truth, y, score = rows(options.rows, options.seed)
    python = environment(options.folder)
    answers: dict[str, list[dict[str, Any]]] = {}
    missing, versions = dict(LEFT_OUT), {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.npz"
        np.savez(file, y=y, score=score, prior=PRIOR, cut=CUT)
        for package in PEERS:
            version = installed(python, package)
            if version is None:
                missing[package] = "cannot be installed by pip"
                continue
            versions[package] = version
            answers[package] = asked(python, package, file)
    own = {name: timed(call) for name, call in ours(y, score, PRIOR).items()}
    known = {name: float(call()) for name, call in ours(truth, score, None).items()}
    known |= {"prior": float(truth.mean())}
    table = lines(answers, missing, own, known)
    print("\n".join(table))
    options.page.parent.mkdir(parents=True, exist_ok=True)
    said = sentence(answers, own, known)
    text = page(said, table, options.rows, options.seed, versions)
    options.page.write_text(text, encoding="utf-8")
    save(summary(*distances(answers, own, known)), options.page.with_name("peers.png"))


if __name__ == "__main__":
    sys.exit(main())
