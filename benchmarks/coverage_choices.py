"""What is tried of priors, choices, comparisons and the bootstrap; see coverage_probes.py."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
from coverage_probes import FEW, Shot
from prior_worlds import labelled_probability
from scipy.special import bdtr, gammaln
from worlds import World

import puremetrics as pm
from puremetrics.correction.hull import height
from puremetrics.priors.labelling import check_labelling

# ------------------------------------------------------------------------------- priors


def priors(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    table = world.table(rng)
    truth = world.share_at_hand(table)
    found = pm.estimate_prior(table)
    largest = pm.largest_prior(table)
    checked_labels = check_labelling(table, prior=world.prior)
    other = pm.estimate_prior(table, method="alphamax", interval="likelihood_ratio")
    checked = 50
    audit = pm.prior_from_audit(checked, int(rng.binomial(checked, truth)))
    shots = {
        "estimate_prior, combined": Shot.about(found, truth),
        "estimate_prior, upper_limit": Shot(0.0, found.upper_limit, truth),
        "estimate_prior, alphamax, likelihood ratio": Shot.about(other, truth),
        "largest_prior": Shot.about(largest, world.prior),
        "check_labelling, at 0.99": Shot(0.0, checked_labels.largest_prior, world.prior),
    }
    if world.scenario == "case_control":
        for how in ("precision", "intersection"):
            joined = pm.combine(found, audit, how=how)
            shots[f"combine, {how}"] = Shot.about(joined, truth)
    return shots


def other_priors(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    sample, training = world.draw(rng), world.draw(rng)
    pairs = [(s.labelled, np.concatenate([s.hidden, s.negative])) for s in (sample, training)]
    labelled, unlabeled = labelled_probability(*pairs)
    table = pm.ScoreTable.from_groups(
        positive=labelled, unlabeled=unlabeled, scenario=world.scenario
    )
    shots = {}
    for method in ("best_bin", "slope", "dedpul", "elkan_noto", "elkan_noto_e2", "elkan_noto_e3"):
        found = pm.estimate_prior(table, method=method, n_resamples=50, rng=rng)
        shots[f"estimate_prior, {method}"] = Shot.about(found, world.prior)
    return shots


def slow_priors(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    table = world.table(rng)
    found = pm.estimate_prior(table, method="alphamax", n_resamples=50, rng=rng)
    return {"estimate_prior, alphamax, bootstrap": Shot.about(found, world.prior)}


def noisy_priors(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    table = world.table(rng)
    found = pm.estimate_prior(table, method="combined_n")
    return {"estimate_prior, combined_n": Shot.about(found, world.share_at_hand(table))}


def features(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    """Three features, each as informative as the world says."""
    tables = [world.joint(rng, {"a": world.auc, "b": world.auc, "c": world.auc}, alike=0.0)]
    rows = np.column_stack(list(tables[0].scores.values()))
    y = (tables[0].kind == 0).astype(int)
    found = pm.estimate_prior_from_features(rows, y, scenario=world.scenario, rng=rng)
    return {"estimate_prior_from_features": Shot.about(found, world.prior)}


# ------------------------------------------------------------------------------- propensities


def by_propensity(world: Any, rng: np.random.Generator) -> dict[str, Shot]:
    """Everything at known propensities of `simulate_propensity.World`, at the true prior."""
    y, score, chance = world.sample(rng)
    table = pm.ScoreTable.from_arrays(y, score, scenario=world.scenario, propensity=chance)
    truth, known = world.truth, {"prior": world.truth["prior"]}
    shots = {
        "roc_auc": Shot.about(pm.roc_auc(table, **known), truth["ROC AUC"]),
        "average_precision": Shot.about(
            pm.average_precision(table, **known), truth["average precision"]
        ),
    }
    for name in ("precision", "recall", "F1"):
        found = pm.metric(table, name.lower(), threshold=world.threshold, **known)
        shots[f"metric, {name.lower()}"] = Shot.about(found, truth[name])
    if table.design.one_sample:
        found = pm.prior_from_propensities(table)
        shots["prior_from_propensities"] = Shot.about(found, truth["prior"])
    return shots


# ------------------------------------------------------------------------------- choices


def choices(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    table = world.table(rng)
    known: dict[str, Any] = {"prior": world.prior, "purity": world.purity}
    shots = {}
    for name in ("f1", "informedness", "expected_cost"):
        choice = pm.choose_threshold(table, objective=name, n_resamples=FEW, rng=rng, **known)
        truth = world.metric(name, choice.threshold)
        shots[f"choose_threshold, {name}"] = Shot.about(choice.estimate, truth)
    limit = {"recall": (">=", 0.5)}
    choice = pm.choose_threshold(
        table, objective="precision", subject_to=limit, n_resamples=FEW, rng=rng, **known
    )
    truth = world.metric("precision", choice.threshold)
    shots["choose_threshold, precision at recall 0.5"] = Shot.about(choice.estimate, truth)
    return shots


def evaluations(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    table = world.table(rng)
    model = pm.evaluate(table, prior=world.prior, purity=world.purity, rng=rng).models["model"]
    at = model.operating_point.threshold
    shots = {"evaluate, roc_auc": Shot.about(model.corrected["roc_auc"], world.area)}
    for name in ("precision", "recall", "f1"):
        if name in model.corrected:
            shots[f"evaluate, {name} at the chosen threshold"] = Shot.about(
                model.corrected[name], world.metric(name, at)
            )
    return shots


AUCS = {"first": 0.9, "second": 0.86, "third": 0.8}


def comparisons(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    joint = world.joint(rng, AUCS)
    worlds = {name: replace(world, auc=auc) for name, auc in AUCS.items()}
    known: dict[str, Any] = {"prior": world.prior, "purity": world.purity}
    at = 1.2
    truths = {
        "roc_auc": {name: w.area for name, w in worlds.items()},
        "average_precision": {name: w.average_precision for name, w in worlds.items()},
        "f1": {name: w.metric("f1", at) for name, w in worlds.items()},
    }
    tried = (("roc_auc", "analytic"), ("average_precision", "analytic"), ("f1", "analytic"))
    if world.labelled <= 30:
        tried += (("roc_auc", "bootstrap"), ("average_precision", "bootstrap"))
    shots = {}
    for statistic, method in tried:
        options = {"threshold": at} if statistic == "f1" else {}
        with mock.patch(
            "puremetrics.comparing.comparison.ranking_of"
        ):  # slow, and not about intervals
            found = pm.compare(
                joint,
                statistic=statistic,
                interval=method,
                n_resamples=99,
                rng=rng,
                **known,
                **options,
            )
        truth = truths[statistic]
        gaps = [truth[d.first] - truth[d.second] for d in found.differences]
        first = found.differences[0]
        shots[f"compare, {statistic}, {method}"] = Shot.about(first, gaps[0])
        held = all(gap in d.simultaneous for gap, d in zip(gaps, found.differences, strict=True))
        shots[f"compare, {statistic}, {method}, three pairs at once"] = Shot(
            0.0, 1.0, 0.5 if held else 2.0
        )
    return shots


def bootstraps(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    table = world.table(rng)
    known: dict[str, Any] = {"prior": world.prior, "purity": world.purity, "method": "direct"}
    shots = {}
    for method, scheme in (
        ("percentile", "multinomial"), ("percentile", "poisson"), ("basic", "multinomial"),
        ("bca", "multinomial"),
    ):  # fmt: skip
        found = pm.bootstrap(
            table, lambda t: pm.roc_auc(t, **known).value, n_resamples=FEW, interval=method,
            scheme=scheme, fixed_sizes=True, rng=rng,
        )  # fmt: skip
        shots[f"bootstrap, {method}, {scheme}"] = Shot.of(found.interval, world.area, found.value)
    return shots


def hulls(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    fpr = np.array([0.01, 0.05, 0.1, 0.2, 0.5])
    found = pm.hull_variance(
        world.table(rng), prior=world.prior, purity=world.purity, fpr=fpr, n_resamples=100, rng=rng
    )
    truth = height(*world.rates()[::-1], fpr)
    shots = {"hull_variance, area": Shot.of(found.interval, world.area, found.corrected_area)}
    for i, rate in enumerate(fpr):
        label = f"hull_variance, at false positive rate {rate:g}"
        shots[label] = Shot(found.low[i], found.high[i], truth[i], found.tpr[i])
    return shots


# ------------------------------------------------------------------------------- audits, exactly


def audit_coverage(checked: int, rows: int | None) -> dict[str, tuple[float, float]]:
    """Lowest and mean coverage of an audit over all shares: sums of probabilities, nothing is drawn."""
    result = {}
    for method in ("clopper_pearson", "jeffreys"):
        limits = np.array([
            tuple(pm.prior_from_audit(checked, k, n_unlabeled=rows, method=method).interval)
            for k in range(checked + 1)
        ])  # fmt: skip
        counts = np.arange(checked + 1)
        if rows is None:
            shares = np.linspace(0.002, 0.998, 499)
            chances = [np.diff(bdtr(counts, checked, p), prepend=0.0) for p in shares]
        else:
            shares = np.arange(rows + 1) / rows
            chances = [_hypergeometric(counts, m, checked, rows) for m in range(rows + 1)]
        slack = 1e-9
        covered = np.array([
            float(chance[(limits[:, 0] <= p + slack) & (p - slack <= limits[:, 1])].sum())
            for p, chance in zip(shares, chances, strict=True)
        ])  # fmt: skip
        result[f"prior_from_audit, {method}"] = float(covered.min()), float(covered.mean())
    return result


def _hypergeometric(k: np.ndarray, total: int, checked: int, rows: int) -> np.ndarray:
    def choose(n: Any, r: Any) -> Any:
        return gammaln(n + 1) - gammaln(r + 1) - gammaln(n - r + 1)

    possible = (k <= total) & (checked - k <= rows - total)
    at = np.where(possible, k, max(0, checked - (rows - total)))
    log = choose(total, at) + choose(rows - total, checked - at) - choose(rows, checked)
    return np.where(possible, np.exp(log), 0.0)
