"""What is tried of single models: draw a sample, make intervals, know the truth.

A trial returns a `Shot` for each label. A label starts with the public function that made the interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri
from worlds import GRID, Model, Sample, World

import puremetrics as pm
from puremetrics.numerics.formulas import METRICS

LEVEL = 0.95
RATES = (0.02, 0.5, 0.98)  # true positive rates of the thresholds at which bounds are tried
FEW = 200  # resamples, where a bootstrap is tried


class Shot(NamedTuple):
    """Limits and truth: numbers, or arrays of places of which the worst counts, or (``mean``) all alike.

    ``value`` is the number inside the limits, if there is one; places may have one each. Without a truth it is
    the mean of ``value`` over all samples, as for ranking measures.
    """

    low: Any
    high: Any
    truth: Any = None
    value: Any = np.nan
    mean: bool = False

    @classmethod
    def of(cls, interval: Any, truth: Any = None, value: float = np.nan) -> Shot:
        low, high = (np.nan, np.nan) if interval is None else interval
        return cls(low, high, truth, value)

    @classmethod
    def about(cls, estimate: Any, truth: Any = None) -> Shot:
        """Of something with an interval, and a value that is what ``float`` says."""
        return cls.of(estimate.interval, truth, float(estimate))


Trial = Callable[[Any, np.random.Generator], dict[str, Shot]]


@dataclass(frozen=True)
class Section:
    """A group of intervals that are tried on the same samples."""

    title: str
    about: str
    tries: tuple[str, ...]  # public functions
    settings: tuple[Any, ...]
    repeats: int
    trial: Trial


# ------------------------------------------------------------------------------- the correction


def correction(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    table, at = world.table(rng), world.threshold()
    known: dict[str, Any] = {"prior": world.prior, "purity": world.purity}
    shots = {}
    for method in ("indirect", "direct", "projected"):
        found = pm.roc_auc(table, **known, method=method)
        shots[f"roc_auc, {method}"] = Shot.about(found, world.area)
    for method in ("indirect", "projected"):
        found = pm.average_precision(table, **known, method=method)
        shots[f"average_precision, {method}"] = Shot.about(found, world.average_precision)
    for name in METRICS:
        # a threshold within 0 and 1 would be that probability
        options = {"threshold_probability": 0.5} if name == "net_benefit" else {}
        found = pm.metric(table, name, threshold=at, **known, **options)
        shots[f"metric, {name}"] = Shot.about(found, world.metric(name, at))
    traced = pm.prior_sensitivity(table, priors=[world.prior], purity=world.purity, bounds=False)
    shots["prior_sensitivity, interval"] = Shot(
        traced.low[0], traced.high[0], world.area, traced.value[0]
    )
    return shots


@dataclass(frozen=True)
class DrawnShare:
    """Rows whose share of positives is drawn with them, and how many of the positives are labelled.

    ``of`` says whose share the prior is: "population", or "rows" for that of the rows themselves. Each row
    is there ``copies`` times, as a group.
    """

    rows: int
    frequency: float
    of: str
    copies: int = 1

    @property
    def world(self) -> World:
        return World("single_training_set", 0.86, 0.3, 0, self.rows)

    def known(self, rng: np.random.Generator) -> tuple[pm.ScoreTable, dict[str, Any]]:
        """A sample, and what is said of its prior."""
        positive = rng.random(self.rows) < self.world.prior
        label = (positive & (rng.random(self.rows) < self.frequency)).astype(int)
        columns = [np.repeat(c, self.copies) for c in (label, self.world.scores(rng, positive))]
        options: dict[str, Any] = {}
        if self.copies > 1:
            options["groups"] = np.repeat(np.arange(self.rows), self.copies)
        if self.frequency == 1.0:
            options |= {"neg_label": 0, "unlabeled_label": None}
        table = pm.ScoreTable.from_arrays(*columns, scenario=self.world.scenario, **options)
        prior = self.world.prior if self.of == "population" else float(positive.mean())
        return table, {"prior": prior, "prior_of": self.of}

    def __str__(self) -> str:
        labelled = (
            "all labels known"
            if self.frequency == 1.0
            else f"{self.frequency:g} of the positives labelled"
        )
        groups = "" if self.copies == 1 else f", each row {self.copies} times"
        return f"{self.rows} rows, {labelled}, prior of the {self.of}{groups}"


def drawn_shares(setting: DrawnShare, rng: np.random.Generator) -> dict[str, Shot]:
    (table, known), world = setting.known(rng), setting.world
    at = world.threshold()
    found = {
        "roc_auc": pm.roc_auc(table, **known),
        "average_precision": pm.average_precision(table, **known),
    }
    shots = {
        "roc_auc": Shot.about(found["roc_auc"], world.area),
        "average_precision": Shot.about(found["average_precision"], world.average_precision),
    }
    for name in ("precision", "f1", "accuracy", "npv", "recall"):
        estimate = pm.metric(table, name, threshold=at, **known)
        shots[f"metric, {name}"] = Shot.about(estimate, world.metric(name, at))
    return shots


@dataclass(frozen=True)
class Uncertain:
    """A world whose prior is not known: from where it comes, and how many rows are audited."""

    world: World
    source: str
    rows: int = 100

    def prior(self, table: pm.ScoreTable, rng: np.random.Generator) -> Any:
        world = self.world
        if self.source == "range":
            return 0.8 * world.prior, 1.2 * world.prior
        if self.source == "estimate":
            return pm.estimate_prior(table)
        share = world.prior
        if world.scenario == "single_training_set":
            total = world.labelled + world.unlabeled
            share = (world.prior * total - world.purity * world.labelled) / world.unlabeled
        found = int(rng.binomial(self.rows, share))
        return pm.prior_from_audit(self.rows, found, table=table)

    def __str__(self) -> str:
        source = {
            "range": "prior given as ±20%",
            "estimate": "prior estimated from the scores",
            "audit": f"prior from an audit of {self.rows} rows",
        }
        return f"{self.world}; {source[self.source]}"


def uncertain(setting: Uncertain, rng: np.random.Generator) -> dict[str, Shot]:
    world, at = setting.world, setting.world.threshold()
    table = world.table(rng)
    known: dict[str, Any] = {"prior": setting.prior(table, rng), "purity": world.purity}
    shots = {
        "roc_auc": Shot.about(pm.roc_auc(table, **known), world.area),
        "average_precision": Shot.about(
            pm.average_precision(table, **known), world.average_precision
        ),
    }
    for name in ("precision", "recall", "f1", "mcc", "expected_cost", "negative_likelihood_ratio"):
        found = pm.metric(table, name, threshold=at, **known)
        shots[f"metric, {name}"] = Shot.about(found, world.metric(name, at))
    return shots


# ------------------------------------------------------------------------------- bounds


class Latent(NamedTuple):
    """A world, and what is known of the number of positives among its rows."""

    world: World
    known: str = "count"

    def given(self) -> dict[str, Any]:
        """The prior that is passed, and whose it is."""
        prior = self.world.prior
        if self.known == "count":
            return {"prior": prior, "prior_of": "rows"}
        return {"prior": prior if self.known == "prior" else (0.9 * prior, 1.1 * prior)}

    def __str__(self) -> str:
        remark = {
            "count": "; the share of positives among the rows is known",
            "prior": "; the prior of the population is known",
            "range": "; the prior of the population is known within ±10%",
        }
        return f"{self.world}{remark[self.known]}"


def bounds(setting: Latent, rng: np.random.Generator) -> dict[str, Shot]:
    world = setting.world
    sample = world.draw(rng, counted=setting.known == "count")
    table, rows = sample.table(world.scenario), sample.revealed(world.scenario)
    known = setting.given()
    cuts = _cuts(world)
    counts = pm.confusion_at_thresholds(rows, prior=None)
    place = np.searchsorted(-counts.threshold, -np.array(cuts), side="right") - 1
    tpr, fpr = counts.metric("recall")[place], counts.metric("fpr")[place]
    area = pm.roc_auc(rows, prior=None).value
    precision = pm.average_precision(rows, prior=None).value
    shots = {
        "roc_auc_bounds": Shot.of(pm.roc_auc_bounds(table, **known), area),
        "average_precision_bounds": Shot.of(pm.average_precision_bounds(table, **known), precision),
    }
    found = pm.confusion_bounds(table, **known)
    at = np.searchsorted(-found.lower.threshold, -np.array(cuts), side="right") - 1
    ends = [part.metric("fpr")[at] for part in (found.upper, found.lower)]
    shots["confusion_bounds, fpr"] = Shot(*ends, fpr)
    roc = pm.roc_bounds(table, **known)
    shots["roc_bounds"] = Shot(_height(roc.lower, fpr, False), _height(roc.upper, fpr, True), tpr)
    middle = cuts[1]
    for name in ("f1", "precision"):
        truth = pm.metric(rows, name, threshold=middle, prior=None).value
        limits = pm.metric_bounds(table, name, threshold=middle, **known)
        shots[f"metric_bounds, {name}"] = Shot.of(limits, truth)
    curve = pm.metric_curve_bounds(table, "f1", **known)
    at = np.searchsorted(-curve.lower.threshold, -np.array(cuts), side="right") - 1
    f1 = counts.metric("f1")[place]
    shots["metric_curve_bounds, f1"] = Shot(curve.lower.y[at], curve.upper.y[at], f1)
    pr = pm.pr_bounds(table, **known)
    truth = np.array(counts.metric("precision")[place])
    shots["pr_bounds"] = Shot(
        _precision(pr.lower, tpr, False), _precision(pr.upper, tpr, True), truth
    )
    if setting.known == "prior":
        traced = pm.prior_sensitivity(table, priors=[world.prior])
        shots["prior_sensitivity, bounds"] = Shot(traced.bound_low[0], traced.bound_high[0], area)
    return shots | _bands(world, sample, table, cuts, known)


def _bands(
    world: World, sample: Sample, table: pm.ScoreTable, cuts: list[float], known: dict[str, Any]
) -> dict[str, Shot]:
    shots = {}
    hidden = np.array([(sample.hidden >= cut).mean() for cut in cuts])
    rate = np.array([world.rates_at(cut)[0] for cut in cuts])
    for method in ("exact", "bootstrap", "clopper_pearson", "dkw"):
        band = pm.rank_cdf_band(table, rank_limits=method, **known)
        at = np.searchsorted(-band.threshold, -np.array(cuts), side="right") - 1
        truth = hidden if method in ("exact", "bootstrap") else rate
        shots[f"rank_cdf_band, {method}"] = Shot(band.lower[at], band.upper[at], truth)
    band = pm.rank_cdf_band(table, **known, simultaneous=True)
    ordered = np.sort(sample.hidden)
    heads = 1 - np.searchsorted(ordered, band.threshold, side="left") / ordered.size
    held = bool(np.all((band.lower <= heads + 1e-12) & (heads <= band.upper + 1e-12)))
    shots["rank_cdf_band, simultaneous"] = Shot(0.0, 1.0, 0.5 if held else 2.0)
    return shots


def _cuts(world: World) -> list[float]:
    cuts = [world.shift - float(ndtri(rate)) for rate in RATES]
    return [float(np.digitize(cut, world.edges)) for cut in cuts] if world.levels else cuts


def _along(x: np.ndarray, y: np.ndarray, at: np.ndarray, last: bool) -> np.ndarray:
    """A curve that never turns back, at given places; of a vertical part its last or first point."""
    j = np.searchsorted(x, at, side="right" if last else "left")
    j = np.clip(j, 1, x.size - 1)
    run = x[j] - x[j - 1]
    part = np.divide(at - x[j - 1], run, out=np.full(at.size, float(not last)), where=run > 0)
    return y[j - 1] + np.clip(part, 0.0, 1.0) * (y[j] - y[j - 1])


def _height(curve: pm.Curve, fpr: np.ndarray, top: bool) -> np.ndarray:
    return _along(curve.x, curve.y, fpr, top)


def _precision(curve: pm.Curve, recall: np.ndarray, top: bool) -> np.ndarray:
    """Precision along a hyperbolic curve: recall over the share reached."""
    reached = _along(curve.x, curve.reached, recall, not top)
    return np.divide(recall, reached, out=np.full(recall.size, float(top)), where=reached > 0)


# ------------------------------------------------------------------------------- calibration


class Binned(NamedTuple):
    """A classifier, how it is sampled, and its bins."""

    model: Model
    scenario: str
    labelled: int
    unlabeled: int
    purity: float = 1.0
    binning: str = "mass"
    n_bins: Any = "optimal"

    def __str__(self) -> str:
        text = f"{self.scenario}, {self.model.name}, prior {self.model.prior:g}, "
        text += f"{self.labelled} + {self.unlabeled} rows"
        text += f", purity {self.purity:g}" if self.purity < 1 else ""
        kind = "balanced bins" if self.binning == "balanced" else f"bins of equal {self.binning}"
        return text + f", {self.n_bins} {kind}"


def calibration(setting: Binned, rng: np.random.Generator) -> dict[str, Shot]:
    model = setting.model
    table = model.table(rng, setting.labelled, setting.unlabeled, setting.scenario, setting.purity)
    known: dict[str, Any] = {"prior": model.prior, "purity": setting.purity}
    bins: dict[str, Any] = {"binning": setting.binning, "n_bins": setting.n_bins}
    found = pm.calibration_error(table, **known, **bins)
    truth = model.binned_truth(found.bins.upper)
    shots = {
        "calibration_error, analytic": Shot.about(found, truth),
        "calibration_error, signed": Shot.of(
            found.signed_interval, model.risks["signed_error"], found.signed_error
        ),
    }
    drawn = pm.calibration_error(
        table, **known, **bins, interval="bootstrap", n_resamples=FEW, rng=rng
    )
    shots["calibration_error, bootstrap"] = Shot.about(drawn, truth)
    for function in (pm.brier_score, pm.log_loss):
        name = function.__name__
        shots[name] = Shot.about(function(table, **known), model.risks[name])
    for method in ("binned", "isotonic"):
        options = bins if method == "binned" else {}
        curve = pm.reliability_curve(table, **known, method=method, **options)
        rate = model.rates(curve.lower, curve.upper)
        shots[f"reliability_curve, {method}, mean of the points"] = Shot(
            curve.low, curve.high, rate, curve.rate, mean=True
        )
        for name, at in (("top", -1), ("bottom", 0)):
            shots[f"reliability_curve, {method}, {name} point"] = Shot(
                curve.low[at], curve.high[at], rate[at], curve.rate[at]
            )
    filled = found.bins.n_population > 0
    worst = np.abs(_distances(model, found.bins.upper))[filled].max()
    shots["calibration_error, worst bin"] = Shot.of(found.max_interval, worst, found.max_error)
    return shots


def _distances(model: Model, upper: np.ndarray) -> np.ndarray:
    """True mean score less rate of positives, in bins that end at these scores."""
    places = model._places(upper)
    mass = model._integral(np.ones(GRID.size))
    gaps, shares = (np.diff(np.interp(places, GRID, run)) for run in (model.gaps, mass))
    return np.divide(gaps, shares, out=np.zeros(gaps.size), where=shares > 1e-12)


# ------------------------------------------------------------------------------- rankings


def rankings(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    table = world.table(rng)
    functions = (
        pm.pulp, pm.lee_liu, pm.mean_f1, pm.mean_mutual_information, pm.mean_pearson,
        pm.naive_auc, pm.naive_average_precision,
    )  # fmt: skip
    found = {function.__name__: function(table) for function in functions}
    found["pseudo_f, share of labels"] = pm.pseudo_f(table)
    found["pseudo_f, known prior"] = pm.pseudo_f(table, prior=world.prior)
    return {name: Shot.about(e) for name, e in found.items()}


# ------------------------------------------------------------------------------- published numbers


def published(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    """Conversions of numbers that somebody else has computed from the rows."""
    table, at = world.table(rng), world.threshold()
    sizes = {"n_pos": int(table.total_pos), "n_unl": int(table.total_unl)}
    known: dict[str, Any] = {
        "prior": world.prior, "purity": world.purity, "scenario": world.scenario,
    }  # fmt: skip
    area = pm.naive_auc(table).value
    shots = {}
    for method in ("worst_case", "hanley_mcneil"):
        found = pm.corrected_auc(area, **known, **sizes, interval=method)
        shots[f"corrected_auc, {method}"] = Shot.about(found, world.area)
    pos, unl, _ = table.heads_at(at)
    if pos + unl > 0:
        flagged = int(pos + unl)
        found = pm.corrected_precision(pos / flagged, **known, **sizes, n_flagged=flagged)
        shots["corrected_precision"] = Shot.about(found, world.metric("precision", at))
    return shots
