"""Every public function at 1e4 to 1e7 rows, as ratios to building the table in the same run.

Run: python benchmarks/growth.py [--rows 1e4 1e5 …] [--only NAME …] [--labelled 0.02] [--limit SECONDS]

Writes benchmarks/growth.csv, after every function, and the page docs/evidence/benchmarks.md. Times are CPU seconds, best
of three where they are short, of a process of its own: one that takes longer than the limit, or that breaks, ends
there and is listed with what it had reached (">12" times building the table). A function that would take longer
than the limit at the next size, if it grew with the number of rows, is not tried there.
"""

from __future__ import annotations

import argparse
import csv
import math
import multiprocessing
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import puremetrics as pm

HERE = Path(__file__).resolve().parent
FILE = HERE / "growth.csv"
SCENARIO = "single_training_set"
BUILDING = "ScoreTable.from_arrays"
JOINT = "JointTable.from_arrays"
SORTING = "np.sort"
BAR = 5.0  # of those that the bar was set for, at ten million rows
BARRED = (
    "prior_sensitivity", "prior_sensitivity, average precision", "best_by_prior", "compare",
    "compare, average precision", "recalibrate, beta", "recalibrate, temperature",
)  # fmt: skip


def calls(rows: int, labelled: float) -> dict[str, Callable[[], Any]]:
    """What is measured, on fresh rows."""
    rng = np.random.default_rng(0)
    share = max(2 * labelled, 0.1)
    truth = rng.random(rows) < share
    y = (truth & (rng.random(rows) < labelled / share)).astype(np.int64)
    x = rng.normal(size=rows) + 1.2 * truth
    score, other = (1 / (1 + np.exp(2.5 - 1.2 * (x + e))) for e in (0, 0.5 * rng.normal(size=rows)))
    table = pm.ScoreTable.from_arrays(y, score, scenario=SCENARIO)
    second = pm.ScoreTable.from_arrays(y, other, scenario=SCENARIO)
    both = {"a": table, "b": second}
    weights = rng.random(rows) + 0.5
    checked = rng.choice(np.flatnonzero(y == 0), 300, replace=False)
    audit = pm.Audit.from_arrays(score[checked], truth[checked], planned=400)
    known = {"prior": share}
    joint = pm.JointTable.from_arrays(y, {"a": score, "b": other}, scenario=SCENARIO)

    def segments() -> pm.Segments:
        cut = rows // 4
        parts = {
            name: pm.ScoreTable.from_arrays(y[i::4][:cut], score[i::4][:cut], scenario=SCENARIO)
            for i, name in enumerate("abcd")
        }
        return pm.Segments("land", parts, table, {})

    def of(name: str, **options: Any) -> Callable[[], Any]:
        return lambda: getattr(pm, name)(table, **options)

    features = np.stack([x, x + rng.normal(size=rows), rng.normal(size=rows)], axis=1)
    found: dict[str, Callable[[], Any]] = {
        SORTING: lambda: np.sort(score),
        BUILDING: lambda: pm.ScoreTable.from_arrays(y, score, scenario=SCENARIO),
        "ScoreTable.from_arrays, weights": lambda: pm.ScoreTable.from_arrays(
            y, score, sample_weight=weights, scenario=SCENARIO
        ),
        JOINT: lambda: pm.JointTable.from_arrays(y, {"a": score, "b": other}, scenario=SCENARIO),
        "assume": of("assume", **known),
        "audit_labels": of("audit_labels", audit=audit),
        "best_by_prior": lambda: pm.best_by_prior(both),
        "best_by_prior, average precision": lambda: pm.best_by_prior(
            both, statistic="average_precision"
        ),
        "bias_bound": lambda: pm.bias_bound(n_pos=rows // 10, n_unl=rows, n_bins=20, **known),
        "bootstrap": of("bootstrap", statistic=pm.naive_auc),
        "choose_threshold": of("choose_threshold", objective="f1", **known),
        "combine": lambda: pm.combine(pm.prior_from_audit(300, 30), pm.prior_from_audit(200, 25)),
        "compare": lambda: pm.compare(joint, **known),
        "compare, average precision": lambda: pm.compare(
            joint, statistic="average_precision", **known
        ),
        "bedroc": of("bedroc", **known),
        "boyce_index": of("boyce_index"),
        "compare_segments": lambda: pm.compare_segments(segments(), threshold=0.5),
        "cross_evaluate": lambda: pm.cross_evaluate(
            y, score, fold=np.arange(rows) % 5, scenario=SCENARIO, **known
        ),
        "discovery_curve": of("discovery_curve", **known),
        "enrichment_factor": of("enrichment_factor", top=0.01),
        "ndcg": of("ndcg", **known),
        "net_benefit": of("net_benefit", **known),
        "rie": of("rie"),
        "corrected_auc": lambda: pm.corrected_auc(0.7, scenario="case_control", **known),
        "corrected_precision": lambda: pm.corrected_precision(
            0.2,
            scenario="case_control",
            n_pos=rows // 10,
            n_unl=rows,
            n_flagged=rows // 20,
            **known,
        ),
        "drift": lambda: pm.drift(segments(), **known),
        "estimate_prior_from_features": lambda: pm.estimate_prior_from_features(
            features, y, scenario=SCENARIO
        ),
        "estimate_propensity": lambda: pm.estimate_propensity(features, y, attributes=[0]),
        "evaluate": of("evaluate"),
        "evaluate, two models": lambda: pm.evaluate(both, **known),
        "fcmi_bound": lambda: pm.fcmi_bound(vc_dimension=11, n_pos=rows // 10, n_unl=rows),
        "follow_audit": of("follow_audit", audit=audit, statistic="prior"),
        "generalization_bound": lambda: pm.generalization_bound(
            n_pos=rows // 10, n_unl=rows, n_bins=20, fcmi=1.0, **known
        ),
        "label_bias_sensitivity": of("label_bias_sensitivity", statistic="roc_auc", **known),
        "metric": of("metric", statistic="f1", threshold=0.3, **known),
        "metric_bounds": of("metric_bounds", statistic="f1", threshold=0.3, **known),
        "metric_curve_bounds": of("metric_curve_bounds", statistic="f1", **known),
        "mixture_calibration_error": lambda: pm.mixture_calibration_error(
            x, truth, max_components=2
        ),
        "optimal_bins": lambda: pm.optimal_bins(n_pos=rows // 10, n_unl=rows, **known),
        "out_of_fold_scores": lambda: pm.out_of_fold_scores(features, y),
        "plan_audit": of("plan_audit", budget=300, target="roc_auc", **known),
        "prior_from_audit": lambda: pm.prior_from_audit(300, 30, table=table),
        "prior_from_propensities": lambda: pm.prior_from_propensities(
            pm.ScoreTable.from_arrays(
                y, score, propensity=np.where(y == 1, 0.3, 1.0), scenario=SCENARIO
            )
        ),
        "prior_sensitivity, average precision": of(
            "prior_sensitivity", statistic="average_precision"
        ),
        "prior_shift_bound": lambda: pm.prior_shift_bound(prior=share, other=share / 2),
        "pulp_significance": of("pulp_significance", threshold=0.3),
        "rows_to_audit": lambda: pm.rows_to_audit(0.05),
        "tipping_point": of("tipping_point", statistic="roc_auc", above=0.6, **known),
        "scan": lambda: pm.scan(_arrow(y, score), label="y", score="p", scenario=SCENARIO),
    }
    for method in ("isotonic", "platt", "temperature", "beta"):
        found[f"recalibrate, {method}"] = of("recalibrate", method=method, **known)
    for name in (
        "average_precision", "average_precision_bounds", "brier_score", "calibration_error", "calibration_test",
        "check_labelling", "confusion_at_thresholds", "confusion_bounds", "least_label_bias", "log_loss",
        "pr_bounds", "pr_curve", "prior_derivatives", "rank_cdf_band", "reliability_curve", "roc_auc",
        "roc_auc_bounds", "roc_bounds", "roc_curve", "roc_hull",
    ):  # fmt: skip
        found[name] = of(name, **known)
    for name in (
        "estimate_prior", "hull_likelihood", "hull_variance", "largest_prior", "lee_liu", "mean_f1",
        "mean_mutual_information", "mean_pearson", "naive_auc", "naive_average_precision",
        "prior_sensitivity", "pseudo_f", "pulp",
    ):  # fmt: skip
        found[name] = of(name)
    return found


def _arrow(y: Any, score: Any) -> Any:
    import pyarrow

    return pyarrow.table({"y": y, "p": score})


def seconds(call: Callable[[], Any]) -> float:
    """CPU time; the best of three if it is short, so that imports and fresh memory do not count."""
    best = np.inf
    for _ in range(3):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
        if best > 10.0:
            break
    return float(best)


def apart(call: Callable[[], Any], limit: float) -> tuple[float, bool]:
    """Seconds that a call takes in a process of its own; at least so many if it does not come to its end."""
    forked = multiprocessing.get_context("fork")
    receiver, sender = forked.Pipe(duplex=False)
    start = time.monotonic()
    process = forked.Process(target=lambda: sender.send(seconds(call)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which sit idle here
        process.start()
    sender.close()
    try:
        found = receiver.recv() if receiver.poll(2 * limit) else None  # twice: in real time
    except EOFError:  # it ended without an answer
        found = None
    if found is None:
        process.kill()
    process.join()
    if found is not None:
        return float(found), True
    return min(time.monotonic() - start, limit), False


def measure(
    sizes: Sequence[int],
    labelled: float,
    limit: float,
    only: Sequence[str] | None,
    keep: Callable[[list[dict[str, str]]], None] = lambda rows: None,
) -> list[dict[str, str]]:
    """One row for each function and size: seconds over those of building the table.

    ``keep`` gets all rows so far after every function.
    """
    rows: list[dict[str, str]] = []
    last: dict[str, tuple[float, int]] = {}
    for size in sizes:
        made = calls(size, labelled)
        names = [SORTING, BUILDING, *sorted(set(made) - {SORTING, BUILDING})]
        base = min(seconds(made[BUILDING]) for _ in range(3))
        for name in names:
            if only and name not in only and name not in (SORTING, BUILDING):
                continue
            before, at = last.get(name, (0.0, size))
            if before * size / at > limit:
                continue
            took, done = (base, True) if name == BUILDING else apart(made[name], limit)
            last[name] = (took if done else math.inf), size
            ratio = f"{'' if done else '>'}{took / base:.2f}"
            rows.append({"function": name, "rows": str(size), "ratio": ratio})
            keep(rows)
            print(f"{name:<42}{size:>12}{took:10.3f} s{ratio:>12}", file=sys.stderr, flush=True)
        made.clear()
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, nargs="+", default=[1e4, 1e5, 1e6, 1e7])
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--labelled", type=float, default=0.02)
    parser.add_argument(
        "--limit", type=float, default=60.0, help="CPU seconds that a call may take"
    )
    parser.add_argument("--file", type=Path, default=FILE)
    parser.add_argument("--no-page", action="store_true")
    options = parser.parse_args(arguments)

    def keep(rows: list[dict[str, str]]) -> None:
        with options.file.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, ("function", "rows", "ratio"), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    sizes = [int(n) for n in options.rows]
    measure(sizes, options.labelled, options.limit, options.only, keep)
    if not options.no_page:
        from page import main as write_page

        write_page(["--no-run"])


if __name__ == "__main__":
    main()
