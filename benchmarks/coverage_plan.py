"""Which intervals are tried on which settings, and why some numbers are low.

`SECTIONS` and `WITHOUT` together name every public function; a test compares them with the public names
and with what the functions say they return, so that no interval can be forgotten.
"""

from __future__ import annotations

from itertools import product

from coverage_choices import (
    bootstraps,
    by_propensity,
    choices,
    comparisons,
    evaluations,
    features,
    hulls,
    noisy_priors,
    other_priors,
    priors,
    slow_priors,
)
from coverage_lists import (
    Presences,
    bands,
    decisions,
    discoveries,
    lists,
    partial_areas,
    presences,
)
from coverage_probes import (
    Binned,
    DrawnShare,
    Latent,
    Section,
    Uncertain,
    bounds,
    calibration,
    correction,
    drawn_shares,
    published,
    rankings,
    uncertain,
)
from simulate_propensity import World as Chances
from worlds import MODELS, PERFECT, Model, World

CC, STS = "case_control", "single_training_set"

CORRECTION = tuple(
    [World(CC, auc, prior, 30, 300) for auc, prior in product((0.6, 0.76, 0.9, 0.98), (0.05, 0.5))]
    + [World(CC, 0.9, 0.2, 100, 1000)]
    + [World(STS, auc, 0.3, *size) for auc, size in ((0.76, (30, 300)), (0.9, (100, 1000)))]
    + [World(scenario, 0.9, 0.3, 30, 300, purity=0.9) for scenario in (CC, STS)]
    + [World(CC, auc, 0.2, 30, 300, levels=10) for auc in (0.76, 0.98)]
    + [World(STS, 0.9, 0.2, 30, 300, levels=10)]
)
UNCERTAIN = tuple(
    [Uncertain(World(CC, 0.9, 0.3, 30, 300), source) for source in ("range", "audit")]
    + [Uncertain(World(STS, 0.9, 0.3, 100, 1000), source) for source in ("range", "audit")]
    + [Uncertain(World(CC, 0.9, 0.3, 100, 1000, purity=0.9), "audit")]
    + [Uncertain(World(CC, 0.76, 0.3, 1000, 10_000), "audit", 60)]
    + [Uncertain(World(CC, auc, 0.2, 100, 1000), "estimate") for auc in (0.98, 0.9)]
    + [Uncertain(World(STS, 0.98, 0.3, 100, 1000), "estimate")]
)
BOUNDS = tuple(
    [Latent(World(CC, auc, prior, *size)) for auc, prior, size in (
        (0.76, 0.1, (30, 300)), (0.9, 0.3, (30, 300)), (0.9, 0.1, (100, 1000)),
        (0.98, 0.5, (100, 1000)), (0.9, 0.1, (1000, 1000)))]
    + [Latent(World(STS, 0.9, 0.3, *size)) for size in ((30, 300), (100, 1000))]
    + [Latent(World(CC, 0.9, 0.3, 100, 1000, levels=10))]
    + [Latent(world, known) for world, known in product(
        (World(CC, 0.9, 0.3, 30, 300), World(CC, 0.9, 0.1, 1000, 1000), World(STS, 0.9, 0.3, 100, 1000)),
        ("prior", "range"))]
    + [Latent(world, "prior") for world in (
        World(CC, 0.76, 0.1, 30, 300), World(CC, 0.98, 0.5, 100, 1000), World(STS, 0.9, 0.3, 30, 300),
        World(CC, 0.9, 0.3, 100, 1000, levels=10), World(STS, 0.9, 0.3, 100, 1000, levels=5),
        World(CC, 0.98, 0.02, 100, 1000))]
)  # fmt: skip
CALIBRATION = tuple(
    [Binned(model, scenario, 30, 300) for model, scenario in product((*MODELS, PERFECT), (CC, STS))]
    + [Binned(MODELS[0], CC, 100, 1000)]
    + [Binned(MODELS[0], scenario, 100, 1000, 0.9) for scenario in (CC, STS)]
    + [Binned(model, CC, 100, 1000, 1.0, "width", 1) for model in (*MODELS, PERFECT)]
    + [Binned(MODELS[1], STS, 100, 1000, 1.0, "width", 1)]
    + [Binned(Model("rare positives", -2.6, 1.8, 0.1), CC, *size)
       for size in ((30, 300), (100, 1000))]
    + [Binned(model, scenario, 100, 1000, 1.0, "balanced")
       for model, scenario in product((MODELS[0], PERFECT), (CC, STS))]
    + [Binned(Model("very rare positives", -7.8, 2.4, 0.002), CC, *size, 1.0, "balanced")
       for size in ((30, 3000), (100, 10_000))]
)  # fmt: skip
RANKINGS = tuple(
    [World(CC, auc, 0.1, 20, 2000) for auc in (0.76, 0.98)]
    + [World(CC, auc, 0.1, 30, 300) for auc in (0.5, 0.76, 0.9, 0.98)]
    + [World(CC, auc, 0.3, 100, 1000) for auc in (0.76, 0.98)]
    + [World(CC, 0.9, 0.3, 300, 300), World(CC, 0.9, 0.1, 30, 300, levels=10)]
)
PRIORS = tuple(
    [World(CC, auc, prior, *size) for auc, prior, size in product(
        (0.9977, 0.9615), (0.05, 0.3, 0.7), ((100, 1000), (500, 5000)))]
    + [World(CC, 0.8556, prior, 500, 5000) for prior in (0.05, 0.3)]
    + [World(CC, 0.9977, 0.3, 30, 300)]
    + [World(STS, 0.9977, 0.3, 100, 1000), World(STS, 0.9615, 0.3, 500, 5000)]
)  # fmt: skip
DRAWN = (
    *(DrawnShare(1000, share, of) for share, of in product((0.1, 0.3, 0.6, 0.9, 1.0), ("population", "rows"))),
    DrawnShare(300, 1.0, "rows"), DrawnShare(400, 1.0, "rows", 3), DrawnShare(400, 0.5, "rows", 3),
)  # fmt: skip

SECTIONS = (
    Section(
        "Correction, known prior", "The truth is that of the population.",
        ("roc_auc", "average_precision", "metric", "prior_sensitivity"),
        CORRECTION, 400, correction,
    ),
    Section(
        "The top of the list", "The first 1% and 10% of the rows, at least three; the truth is that of the population.",
        ("rie", "bedroc", "enrichment_factor", "ndcg", "metric"),
        CORRECTION, 400, lists,
    ),
    Section(
        "Partial areas", "On McClish's scale; the truth is that of the population.",
        ("roc_auc",), CORRECTION, 400, partial_areas,
    ),
    Section(
        "Bands", "Pointwise, at four false positive rates and recalls, of which the worst counts; whole curves are tried by "
        "`simulate_bands.py`.",
        ("roc_curve", "pr_curve"), CORRECTION, 400, bands,
    ),
    Section(
        "Presences", "The Boyce index of even background scores; the truth is that of an endless sample.",
        ("boyce_index",),
        tuple(Presences(shape, labelled, 2000) for shape in ("rising", "bent", "hump") for labelled in (20, 50, 200, 1000)),
        400, presences,
    ),
    Section(
        "Discoveries", "The truth is what checking the first unlabeled rows of the sample would find.",
        ("discovery_curve",), CORRECTION, 400, discoveries,
    ),
    Section(
        "Decision curves", "Net benefit at five thresholds; the truth is that of the population.",
        ("net_benefit",), CALIBRATION[:9], 400, decisions,
    ),
    Section(
        "Correction, uncertain prior",
        "A range that is given is allowed for as it is, an error of the prior in squares.",
        ("roc_auc", "average_precision", "metric", "prior_from_audit"),
        UNCERTAIN, 250, uncertain,
    ),
    Section(
        "Labels by propensity",
        "Chances to be labelled differ by a factor up to the spread, and go with the score; they are known.",
        ("roc_auc", "average_precision", "metric", "prior_from_propensities"),
        tuple(Chances(scenario, spread, 100, link) for scenario, spread, link in (
            (CC, 8.0, 0.8), (CC, 8.0, -0.8), (STS, 3.0, 0.8), (STS, 8.0, 0.8), (STS, 8.0, -0.8))),
        400, by_propensity,
    ),
    Section(
        "Published numbers", "Conversions of an AUC and of a precision against the unlabeled rows, with their sizes.",
        ("corrected_auc", "corrected_precision"),
        (World(CC, 0.9, 0.2, 100, 1000), World(CC, 0.76, 0.05, 30, 300), World(STS, 0.9, 0.3, 100, 1000),
         World(CC, 0.9, 0.3, 100, 1000, purity=0.9)), 400, published,
    ),
    Section(
        "Bounds",
        "The truth is that of the rows at hand; of several thresholds (2%, 50% and 98% of the positives) the "
        "worst counts.",
        ("roc_auc_bounds", "average_precision_bounds", "confusion_bounds", "roc_bounds", "pr_bounds",
         "metric_bounds", "metric_curve_bounds", "rank_cdf_band", "prior_sensitivity"),
        BOUNDS, 400, bounds,
    ),
    Section(
        "Calibration",
        "The truth of a calibration error is that of the bins as they came out. For reliability curves the number "
        "is the mean over the points.",
        ("calibration_error", "brier_score", "log_loss", "reliability_curve"),
        CALIBRATION, 400, calibration,
    ),
    Section(
        "Drawn shares", "A single training set whose share of positives is drawn with its rows: the prior is given as the "
        "population's, or as the share of these rows; AUC 0.86, population's prior 0.3.",
        ("roc_auc", "average_precision", "metric"),
        DRAWN, 300, drawn_shares,
    ),
    Section(
        "Rankings", "The truth is the mean of the measure over samples of the same size.",
        ("pulp", "lee_liu", "mean_f1", "mean_mutual_information", "mean_pearson", "naive_auc",
         "naive_average_precision", "pseudo_f"),
        RANKINGS, 400, rankings,
    ),
    Section(
        "Priors", "An AUC of 0.998 is 4 σ, 0.962 is 2.5 σ and 0.856 is 1.5 σ apart.",
        ("estimate_prior", "largest_prior", "combine", "prior_from_audit", "check_labelling"),
        PRIORS, 200, priors,
    ),
    Section(
        "Priors, other methods", "Elkan–Noto takes probabilities fitted on another sample; 50 resamples.",
        ("estimate_prior",),
        (World(CC, 0.9977, 0.3, 100, 1000), World(CC, 0.9615, 0.3, 500, 5000)), 100, other_priors,
    ),
    Section(
        "Priors, AlphaMax with bootstrap", "50 resamples.",
        ("estimate_prior",), (World(CC, 0.9977, 0.3, 100, 1000),), 60, slow_priors,
    ),
    Section(
        "Priors, noisy labels", "",
        ("estimate_prior",),
        (World(CC, 0.9977, 0.3, 500, 5000, 0.9), World(CC, 0.9615, 0.3, 500, 5000, 0.9),
         World(STS, 0.9977, 0.3, 500, 5000, 0.9)), 200, noisy_priors,
    ),
    Section(
        "Priors from features", "Three features.",
        ("estimate_prior_from_features",), (World(CC, 0.95, 0.3, 200, 1000),), 40, features,
    ),
    Section(
        "Chosen thresholds", "The truth is the metric of the population at the threshold that was chosen.",
        ("choose_threshold",),
        (World(CC, 0.9, 0.2, 30, 300), World(CC, 0.76, 0.5, 30, 300), World(STS, 0.9, 0.3, 100, 1000),
         World(CC, 0.9, 0.3, 100, 1000, 0.9)), 200, choices,
    ),
    Section(
        "Evaluation", "The threshold is chosen for F1 on the same data.",
        ("evaluate",),
        (World(CC, 0.9, 0.2, 30, 300), World(STS, 0.9, 0.3, 100, 1000)), 200, evaluations,
    ),
    Section(
        "Comparisons", "Differences of three models on the same rows, AUC 0.9, 0.86 and 0.8; 99 resamples.",
        ("compare",),
        (World(CC, 0.9, 0.2, 30, 300), World(CC, 0.9, 0.3, 100, 1000, 0.9),
         World(STS, 0.9, 0.3, 100, 1000)), 200, comparisons,
    ),
    Section(
        "Bootstrap", "Of the direct area; 200 resamples.",
        ("bootstrap",),
        (World(CC, 0.76, 0.2, 30, 300), World(CC, 0.9, 0.2, 100, 1000)), 200, bootstraps,
    ),
    Section(
        "Hull", "Limits of the curve at five false positive rates, and the area below the hull; 100 resamples.",
        ("hull_variance",),
        (World(CC, 0.6, 0.2, 30, 300), World(CC, 0.76, 0.2, 30, 300), World(CC, 0.76, 0.2, 500, 5000),
         World(CC, 0.9, 0.2, 100, 1000), World(CC, 0.98, 0.5, 30, 300), World(CC, 0.9, 0.3, 30, 300, 0.9),
         World(STS, 0.9, 0.3, 100, 1000), World(STS, 0.95, 0.4, 30, 100),
         World(CC, 0.76, 0.2, 30, 300, levels=10)), 300, hulls,
    ),
)  # fmt: skip

# Sections whose single sample takes more than a second.
TAKES_LONG = ("Priors, AlphaMax with bootstrap", "Priors from features")
# What looks like limits but are edges of bins, or ranges without sampling error; and limits of other functions.
# Audits are tried by simulate_audits and simulate_looking, folds and segments by simulate_folds.
ELSEWHERE: tuple[str, ...] = (
    "assume", "audit_labels", "calibration_test", "compare_segments", "cross_evaluate", "follow_audit",
    "label_bias_sensitivity",
)  # fmt: skip
# Public functions without an interval of their own.
WITHOUT = (
    "best_by_prior", "bias_bound", "confusion_at_thresholds", "drift", "estimate_propensity",
    "fcmi_bound", "generalization_bound",
    "hull_likelihood", "least_label_bias", "load_demo", "mixture_calibration_error", "optimal_bins",
    "out_of_fold_scores", "plan_audit", "prior_derivatives", "prior_shift_bound", "pulp_significance", "recalibrate",
    "roc_hull", "rows_to_audit", "scan", "tipping_point",
)  # fmt: skip
# Why a number may lie below the floor: start of "section: label", a part of the setting, and the reason.
AUDIT = (
    "Jeffreys' interval of an audit is right on average over shares, not at each: near 0 and 1 it holds less often; "
    "`clopper_pearson`, the default, holds everywhere."
)
REASONS: tuple[tuple[str, str, str], ...] = (
    (
        "Comparisons: compare, average_precision, bootstrap",
        "30 + 300",
        "With 30 labelled rows the bootstrap misses part of the skew of average precision, and of three differences at "
        'once one is missed a little too often; `interval="analytic"` covers 0.99.',
    ),
    (
        "Bounds: rank_cdf_band, bootstrap",
        "",
        "The paper's bootstrap band is one for the population's rank distribution, not for the finite sample of latent "
        "positives (see the erratum in `bands`); it is there for comparison, and `exact` is the default.",
    ),
    (
        "Correction, known prior: metric, positive_likelihood_ratio",
        " 30 + 300 rows",
        "The ratio has a pole where the corrected false positive rate is 0, as it nearly is at an AUC of 0.98: its upper "
        "limit is carried over from limits of the rates on a straight scale and is then too low; `fpr` and `recall` "
        "themselves hold.",
    ),
    (
        "Priors: combine, intersection",
        "",
        "Its level is 0.90, as two intervals of 95% must both hold, and it says so.",
    ),
    (
        "Presences: boyce_index, ",
        "bent",
        "Noise in neighbouring windows draws the index towards 0, which resampling does not show. Limits are stretched to 1 "
        "where a rising ratio is possible; a ratio that is nearly monotone but bends is held by percentiles alone. PM113 says "
        "so below 200 presences.",
    ),
    (
        "Bootstrap: bootstrap, ",
        " 30 + 300 rows",
        "With 30 labelled rows a bootstrap of the plain statistic does not reach its level: resamples vary like n − 1 "
        "of n rows, and nothing is studentised. The analytic interval of `roc_auc` holds there; with 100 labelled "
        "rows both do.",
    ),
    (
        "Priors, other methods: estimate_prior, elkan_noto",
        "",
        "Elkan–Noto's estimate is an average over labelled rows of their probability to be labelled, right only if every "
        "positive has the same one, that is if classes do not overlap at all; a bootstrap shows how an estimate varies, "
        "not how far its method is off.",
    ),
    (
        "Priors, other methods: estimate_prior, ",
        "",
        "The best bin and DEDPUL are biased ([measured](priors.md)), which a bootstrap of them does not show; the default holds.",
    ),
    (
        "Priors: estimate_prior, alphamax, likelihood ratio",
        "",
        "AlphaMax places its elbow too high where classes overlap, and its interval does not know; the default does "
        "better.",
    ),
)
