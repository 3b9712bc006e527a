"""How to draw the arguments of every public function; a name that is missing here fails the test.

An entry is the function and one strategy per parameter. Parameters without a strategy keep their
default, and must be listed in LEFT_OUT with the reason.
"""

import math

from hypothesis import strategies as st

import puremetrics as pm
from tests.fuzz import making as make
from tests.fuzz import values as v
from tests.fuzz.arguments import (
    AUDITED,
    BANDS,
    BIAS,
    BOUND,
    CONCLUSIONS,
    KNOWN,
    LISTED,
    LOGITS,
    OPTIONS,
    PRIOR_METHODS,
    RANKING,
    TARGETS,
    TOPS,
    UNCHECKED,
)
from tests.fuzz.ways_in import WAYS_IN

LEFT_OUT = {
    ("bootstrap", "progress"): "a callback of the caller, not data",
    ("scan", "progress"): "a callback of the caller, not data",
    ("estimate_prior_from_features", "estimator"): "a model of the caller, not data",
    ("out_of_fold_scores", "estimator"): "a model of the caller, not data",
    **{
        (name, column): "drawn by evaluate.frame"
        for name in pm.__all__
        for column in (
            "label",
            "score",
            "scenario",
            "groups",
            "pos_label",
            "unlabeled_label",
            "neg_label",
            "checked",
            "judge",
            "second",
        )
    },
}

ALSO = st.sampled_from([(), (), "ndcg", ["rie", "discrimination_slope"], ["brier_score"], ["f1"]])

CALLS = {
    **WAYS_IN,
    "HullResult.best_threshold": (
        lambda table, **o: pm.roc_hull(table, prior=0.3).best_threshold(**o),
        {"table": v.tables(), "cost_fp": v.positive_numbers, "cost_fn": v.positive_numbers,
         "prior": v.priors}),
    "HullVariance.with_more": (
        lambda table, **o: pm.hull_variance(table, n_resamples=3, rng=0).with_more(**o),
        {"table": v.tables(), "positives": v.positive_numbers, "others": v.positive_numbers}),
    "assume": (lambda table, **o: (str(given := pm.assume(table, **o)), given.roc_auc()), {
        "table": v.given_tables, **KNOWN, "confidence_level": v.levels, **BIAS, "audit": v.no_audit}),
    "audit_labels": (pm.audit_labels, {
        "table": v.given_tables, "audit": v.audits, "confidence_level": v.levels}),
    "average_precision": (pm.average_precision, {
        "table": v.given_tables, **KNOWN, "method": v.among("indirect", "projected"),
        "confidence_level": v.levels, **BIAS, "audit": v.no_audit}),
    "average_precision.audit": (pm.average_precision, AUDITED),
    "average_precision_bounds": (pm.average_precision_bounds, {"table": v.given_tables, **BANDS}),
    "bedroc": (pm.bedroc, {**LISTED, "alpha": v.positive_numbers}),
    "best_by_prior": (lambda tables, options, **o: pm.best_by_prior(tables, **o, **options), {
        "tables": make.same_rows, "statistic": v.among("roc_auc", "average_precision", "f1", "fpr"),
        "threshold": v.mostly(st.one_of(st.none(), v.thresholds)), "purity": v.purities,
        "priors": st.one_of(st.none(), st.lists(v.shares, max_size=4), v.hostile_column),
        "options": OPTIONS}),
    "bias_bound": (pm.bias_bound, {
        **BOUND, "delta": v.levels, "pos_factor": v.mostly(st.none()),
        "unl_factor": v.positive_numbers}),
    "bootstrap": (pm.bootstrap, {
        "table": v.given_tables, "statistic": v.mostly(st.sampled_from(make.STATISTICS)),
        "resample": v.mostly(st.sampled_from([None, None, ("pos",), ("pos", "unl"), ("neg",)])),
        "n_resamples": v.resamples, "scheme": v.among("multinomial", "poisson"),
        "interval": v.among("percentile", "basic", "bca"), "confidence_level": v.levels,
        "fixed_sizes": v.mostly(st.sampled_from([None, True, False])), "cut": v.flags,
        "rng": v.seeds}),
    "boyce_index": (pm.boyce_index, {
        "table": v.given_tables, "smoothing": v.among("none", "monotone"),
        "confidence_level": v.levels, "n_resamples": v.resamples, "rng": v.seeds}),
    "brier_score": (pm.brier_score, {
        "table": v.given_tables, **KNOWN, "nonnegative": v.flags, "confidence_level": v.levels, **BIAS,
        "audit": v.no_audit}),
    "brier_score.audit": (pm.brier_score, AUDITED),
    "calibration_error": (pm.calibration_error, {
        "table": v.given_tables, **KNOWN, "binning": v.among("balanced", "mass", "width"),
        "n_bins": v.mostly(st.one_of(st.just("optimal"), st.integers(1, 40)), st.one_of(
            v.junk, st.just(10**12))),
        "lipschitz": v.positive_numbers, "confidence_level": v.levels, "delta": v.levels,
        "interval": v.among("analytic", "bootstrap"), "n_resamples": v.resamples,
        "rng": v.seeds, **BIAS, "audit": v.no_audit}),
    "calibration_error.audit": (pm.calibration_error, {
        **AUDITED, "binning": v.among("balanced", "mass", "width"),
        "n_bins": v.mostly(st.one_of(st.just("optimal"), st.integers(1, 40)))}),
    "check_labelling": (pm.check_labelling, {
        "table": v.given_tables, **KNOWN, "confidence_level": v.levels,
        "by": v.mostly(st.none())}),
    "check_labelling.by": (lambda segments, **o: pm.check_labelling(segments, **o), {
        "segments": v.mostly(make.segments()), "prior": v.mostly(st.none()),
        "confidence_level": v.levels}),
    "calibration_test": (pm.calibration_test, {
        "table": v.given_tables, **KNOWN, "n_bins": v.mostly(st.one_of(
            st.just("auto"), st.integers(1, 30))), "n_resamples": v.resamples, "rng": v.seeds}),
    "corrected_auc": (pm.corrected_auc, {
        "auc_pu": v.mostly(st.floats(0, 1)), **KNOWN, "scenario": v.among(
            "case_control", "single_training_set"),
        "labelled_share": v.mostly(st.one_of(st.none(), st.floats(0, 1))),
        "n_pos": st.one_of(st.none(), v.counts), "n_unl": st.one_of(st.none(), v.counts),
        "auc_pu_error": v.mostly(st.one_of(st.none(), st.floats(0, 0.2))),
        "auc_pu_limits": v.mostly(st.one_of(st.none(), st.tuples(st.floats(0, 1), st.floats(0, 1)))),
        "interval": v.among("worst_case", "hanley_mcneil"), "confidence_level": v.levels}),
    "corrected_precision": (pm.corrected_precision, {
        "precision_pu": v.mostly(st.floats(0, 1)), **KNOWN, "scenario": v.among(
            "case_control", "single_training_set"),
        "labelled_share": v.mostly(st.one_of(st.none(), st.floats(0, 1))),
        "n_pos": st.one_of(st.none(), v.counts), "n_unl": st.one_of(st.none(), v.counts),
        "n_flagged": st.one_of(st.none(), v.counts), "confidence_level": v.levels}),
    "choose_threshold": (
        lambda table, options, **o: pm.choose_threshold(table, **o, **options),
        {"table": v.small_tables, "objective": v.metric_names, **KNOWN, "worst_case": v.flags,
         "subject_to": v.mostly(st.sampled_from([
             None, None, {"precision": (">=", 0.5)}, {"recall": ("<=", 0.2)}, {"x": (">=", 1)},
             {"recall": ("=", 1)}, {"recall": 3}, {"recall": (">=", math.nan)}])),
         "confidence_level": v.levels, "n_resamples": v.resamples, "rng": v.seeds, **BIAS,
         "audit": v.no_audit, "options": OPTIONS}),
    "choose_threshold.audit": (lambda table, options, **o: pm.choose_threshold(table, **o, **options), {
        **AUDITED, "table": v.small_tables, "objective": v.metric_names, "n_resamples": v.resamples,
        "rng": v.seeds, "options": OPTIONS}),
    "combine": (pm.combine, {
        "first": v.mostly(v.prior_estimates), "second": v.mostly(v.prior_estimates),
        "how": v.among("precision", "intersection")}),
    "compare": (lambda joint, options, **o: pm.compare(joint, **o, **options), {
        "top": st.one_of(st.none(), st.none(), TOPS),
        "joint": v.mostly(make.joints(), share=20), **KNOWN,
        "statistic": v.among("roc_auc", "average_precision", "f1", "recall", "mcc",
                             "rie", "bedroc", "ndcg", "enrichment_factor", "net_benefit"),
        "threshold": v.mostly(st.one_of(st.none(), v.thresholds)), "confidence_level": v.levels,
        "interval": v.mostly(st.sampled_from([None, "analytic", "bootstrap"])),
        "n_resamples": v.resamples, "rng": v.seeds, **BIAS, "audit": v.mostly(st.none(), share=15),
        "options": OPTIONS}),
    "compare.audit": (make.compared_with_audit, {
        "joint": make.joints(), "seed": st.integers(0, 9), "checked": st.sampled_from([1, 3, 30]),
        "purity": v.purities, "statistic": v.among("roc_auc", "average_precision", "f1", "recall", "mcc"),
        "threshold": v.mostly(st.one_of(st.none(), v.thresholds)), "confidence_level": v.levels}),
    "compare_segments": (lambda segments, options, **o: pm.compare_segments(segments, **o, **options), {
        "segments": v.mostly(make.segments()), "prior": st.one_of(st.none(), v.priors),
        "statistic": v.among("recall", "precision", "mcc", "roc_auc", "brier_score", "lift"),
        "threshold": v.mostly(st.one_of(st.none(), v.thresholds)), "confidence_level": v.levels,
        "reference": v.mostly(st.sampled_from([None, None, "a", "z", []])), "purity": v.purities,
        **BIAS, "options": OPTIONS}),
    "confusion_at_thresholds": (
        pm.confusion_at_thresholds, {"table": v.given_tables, **KNOWN, "raw": v.flags}
    ),
    "confusion_bounds": (pm.confusion_bounds, {"table": v.given_tables, **BANDS}),
    "discovery_curve": (pm.discovery_curve, {
        **UNCHECKED, "rows": st.one_of(st.none(), st.none(), v.counts, v.hostile_column),
        "band": v.among("pointwise", "simultaneous")}),
    "drift": (pm.drift, {
        "segments": v.mostly(make.segments()), "prior": st.one_of(st.none(), v.priors),
        "purity": v.purities, "confidence_level": v.levels}),
    "enrichment_factor": (pm.enrichment_factor, {**LISTED, "top": TOPS}),
    "estimate_prior": (pm.estimate_prior, {
        "table": v.given_tables, "method": v.among(*PRIOR_METHODS), "confidence_level": v.levels,
        "purity": st.one_of(st.none(), v.purities), "interval": v.among("auto", "bootstrap"),
        "n_resamples": v.resamples, "rng": v.seeds}),
    "evaluate": (pm.evaluate, {
        "tables": v.mostly(st.one_of(v.tables(), make.same_rows), share=20), **KNOWN,
        "threshold": v.mostly(st.one_of(st.none(), v.thresholds)), "objective": v.metric_names,
        "top": st.one_of(st.none(), st.none(), TOPS), "also": v.mostly(ALSO, share=20),
        "confidence_level": v.levels, "rng": v.seeds, **BIAS, "audit": v.no_audit}),
    "evaluate.audit": (lambda table, **o: pm.evaluate(table, **o), {
        **AUDITED, "table": v.small_tables, "threshold": v.mostly(st.one_of(st.none(), v.thresholds)),
        "objective": v.metric_names}),
    "fcmi_bound": (pm.fcmi_bound, {
        "vc_dimension": v.counts, "n_pos": v.positive_numbers, "n_unl": v.positive_numbers,
        "levels": v.counts, "rows": v.mostly(st.sampled_from(["all", "unlabeled"])),
        **{name: v.mostly(st.none()) for name in (
            "metric_entropy", "n_parameters", "radius", "slope", "resolution")}}),
    "fcmi_bound.metric_entropy": (pm.fcmi_bound, {
        "metric_entropy": v.positive_numbers, "n_pos": v.positive_numbers, "n_unl": v.positive_numbers}),
    "fcmi_bound.n_parameters": (pm.fcmi_bound, {
        "n_parameters": v.counts, "n_pos": v.positive_numbers, "n_unl": v.positive_numbers,
        "radius": v.positive_numbers, "slope": st.one_of(st.none(), v.positive_numbers),
        "resolution": v.positive_numbers}),
    "follow_audit": (lambda table, options, **o: make.followed(table, **o, **options), {
        **AUDITED, "statistic": v.mostly(st.one_of(v.metric_names, st.sampled_from(
            ["roc_auc", "average_precision", "prior"]))),
        "threshold": v.mostly(st.one_of(st.none(), v.thresholds, v.thresholds)),
        "every": v.mostly(st.sampled_from([1, 10, 50])), "planned": st.sampled_from([None, 200, 200, 1000]),
        "width": v.mostly(st.sampled_from([None, 0.1, 0.9, 1e-9])),
        "above": v.mostly(st.one_of(st.none(), st.floats(0, 1))),
        "below": v.mostly(st.one_of(st.none(), st.none(), st.floats(0, 1))), "options": OPTIONS}),
    "generalization_bound": (pm.generalization_bound, {
        **BOUND, "fcmi": v.positive_numbers, "fcmi_unlabeled": st.one_of(
            st.none(), v.positive_numbers)}),
    "hull_likelihood": (pm.hull_likelihood, {"table": v.given_tables}),
    "hull_variance": (pm.hull_variance, {
        "table": v.given_tables, **KNOWN, "fpr": st.one_of(st.none(), v.hostile_column),
        "n_resamples": v.resamples, "confidence_level": v.levels, "rng": v.seeds}),
    "largest_prior": (pm.largest_prior, {
        "table": v.given_tables, "purity": v.purities, "confidence_level": v.levels, **BIAS}),
    "label_bias_sensitivity": (
        lambda table, options, **o: pm.label_bias_sensitivity(table, **o, **options),
        {"table": v.small_tables, "statistic": CONCLUSIONS, **KNOWN, "confidence_level": v.levels,
         "top": st.one_of(st.none(), st.none(), TOPS),
         "threshold": v.mostly(st.one_of(st.none(), v.thresholds)),
         "ratios": v.mostly(st.lists(st.floats(1, 50), max_size=3), v.hostile_column),
         "label_bias_side": v.bias_sides, "options": OPTIONS}),
    "least_label_bias": (pm.least_label_bias, {
        "table": v.given_tables, **KNOWN, "confidence_level": v.levels}),
    "lee_liu": (pm.lee_liu, RANKING),
    "log_loss": (pm.log_loss, {
        "table": v.given_tables, **KNOWN, "nonnegative": v.flags, "confidence_level": v.levels,
        "eps": v.mostly(st.sampled_from([1e-15, 1e-3, 0.5, 1e-17, 2.0**-53])), **BIAS,
        "audit": v.no_audit}),
    "log_loss.audit": (pm.log_loss, AUDITED),
    "ndcg.audit": (pm.ndcg, {**AUDITED, "top": st.one_of(st.none(), TOPS)}),
    "rie.audit": (pm.rie, AUDITED),
    "mean_f1": (pm.mean_f1, RANKING),
    "mean_mutual_information": (pm.mean_mutual_information, RANKING),
    "mean_pearson": (pm.mean_pearson, RANKING),
    "metric": (lambda table, options, **o: pm.metric(table, **o, **options), {
        "table": v.given_tables, "statistic": v.metric_names,
        "threshold": st.one_of(v.thresholds, v.thresholds, st.none()), "top": st.one_of(st.none(), TOPS),
        **KNOWN, "confidence_level": v.levels, **BIAS, "audit": v.no_audit, "options": OPTIONS}),
    "metric.audit": (lambda table, options, **o: pm.metric(table, **o, **options), {
        **AUDITED, "statistic": v.metric_names, "threshold": st.one_of(v.thresholds, st.none()),
        "top": st.one_of(st.none(), TOPS), "options": OPTIONS}),
    "metric_bounds": (lambda table, options, **o: pm.metric_bounds(table, **o, **options), {
        "table": v.given_tables, "statistic": st.one_of(v.metric_names, st.sampled_from(make.ENTRIES)),
        "threshold": v.thresholds, **BANDS, "options": OPTIONS}),
    "metric_curve_bounds": (
        lambda table, options, **o: pm.metric_curve_bounds(table, **o, **options),
        {"table": v.given_tables, "statistic": st.one_of(v.metric_names, st.sampled_from(make.ENTRIES)),
         **BANDS, "options": OPTIONS}),
    "naive_auc": (pm.naive_auc, RANKING),
    "naive_average_precision": (pm.naive_average_precision, RANKING),
    "ndcg": (pm.ndcg, {**LISTED, "top": st.one_of(st.none(), TOPS)}),
    "net_benefit": (pm.net_benefit, {
        **UNCHECKED, "thresholds": st.one_of(
            st.none(), st.lists(st.floats(0, 1), max_size=4), v.hostile_column)}),
    "mixture_calibration_error": (pm.mixture_calibration_error, {
        **LOGITS, "prior": st.one_of(st.none(), v.priors),
        "max_components": v.mostly(st.sampled_from([1, 2, 3])), "rng": v.seeds}),
    "optimal_bins": (pm.optimal_bins, {
        **{name: BOUND[name] for name in ("prior", "n_pos", "n_unl")},
        "lipschitz": v.mostly(st.one_of(st.none(), v.positive_numbers, v.positive_numbers)),
        "binning": v.among(None, "mass", "width", "balanced"),
        "fcmi": st.one_of(st.none(), v.positive_numbers),
        "fcmi_unlabeled": st.one_of(st.none(), st.none(), v.positive_numbers)}),
    "plan_audit": (pm.plan_audit, {
        "table": v.given_tables, "budget": v.mostly(st.sampled_from([2, 3, 40, 10**6])),
        "target": TARGETS, "threshold": v.mostly(st.one_of(st.none(), v.thresholds), share=8),
        "prior": st.one_of(st.none(), v.priors, v.priors), "confidence_level": v.levels, "rng": v.seeds}),
    "pr_bounds": (pm.pr_bounds, {"table": v.given_tables, **BANDS}),
    "pr_curve": (pm.pr_curve, {
        "table": v.given_tables, **KNOWN, "method": v.among("indirect", "projected"), **BIAS,
        "band": v.among(None, "pointwise", "simultaneous"), "confidence_level": v.levels}),
    "prior_derivatives": (pm.prior_derivatives, {"table": v.given_tables, "prior": v.priors}),
    "prior_from_audit": (pm.prior_from_audit, {
        "random_labels": v.mostly(st.just(False), share=15), "n_checked": v.counts, "n_positive": v.counts,
        "table": st.one_of(st.none(), v.given_tables), "n_unlabeled": st.one_of(
            st.none(), v.counts),
        "method": v.among("clopper_pearson", "jeffreys"), "purity": st.one_of(st.none(), v.purities),
        "confidence_level": v.levels}),
    "prior_from_audit.audit": (
        lambda audit, **o: pm.prior_from_audit(audit, **o), {
            **AUDITED, "n_positive": v.mostly(st.none()), "random_labels": v.flags}),
    "prior_from_propensities": (pm.prior_from_propensities, {
        "table": v.given_tables, "confidence_level": v.levels}),
    "prior_sensitivity": (lambda table, options, **o: pm.prior_sensitivity(table, **o, **options), {
        "table": v.small_tables, "statistic": CONCLUSIONS, "options": OPTIONS,
        "threshold": v.mostly(st.one_of(st.none(), v.thresholds)),
        "top": st.one_of(st.none(), st.none(), TOPS),
        "priors": st.one_of(st.none(), st.lists(v.shares, max_size=4), v.hostile_column),
        "purity": v.purities, "bounds": v.flags, "confidence_level": v.levels, **BIAS}),
    "prior_shift_bound": (pm.prior_shift_bound, {"prior": v.priors, "other": v.priors}),
    "pseudo_f": (pm.pseudo_f, {**RANKING, "prior": v.mostly(st.one_of(st.none(), v.priors))}),
    "pulp": (pm.pulp, RANKING),
    "pulp_significance": (pm.pulp_significance, {
        "table": v.given_tables, "threshold": v.thresholds}),
    "rank_cdf_band": (pm.rank_cdf_band, {
        "table": v.given_tables, "rank_limits": BANDS["rank_limits"], "prior": st.one_of(st.none(), v.priors),
        "confidence_level": v.levels, "simultaneous": v.flags, "prior_of": BANDS["prior_of"],
        **BIAS, "n_resamples": st.one_of(st.none(), v.resamples), "rng": v.seeds}),
    "recalibrate": (pm.recalibrate, {
        "table": v.given_tables, **KNOWN,
        "method": v.among("isotonic", "platt", "temperature", "beta")}),
    "reliability_curve": (pm.reliability_curve, {
        "table": v.given_tables, **KNOWN, "method": v.among("binned", "isotonic"),
        "binning": v.among("mass", "width"), "confidence_level": v.levels,
        "n_bins": v.mostly(st.one_of(st.just("optimal"), st.integers(1, 40)))}),
    "rie": (pm.rie, {**LISTED, "alpha": v.positive_numbers}),
    "roc_auc": (pm.roc_auc, {
        "table": v.given_tables, **KNOWN, "method": v.among("direct", "indirect", "projected"),
        "confidence_level": v.levels, **BIAS, "audit": v.no_audit,
        "max_fpr": v.mostly(st.sampled_from([None, None, 0.1, 0.5, 1.0])),
        "recall_range": v.mostly(st.sampled_from([None, None, None, (0.5, 1.0), (0.9, 0.1)]))}),
    "roc_auc.audit": (pm.roc_auc, {**AUDITED, "max_fpr": st.sampled_from([None, None, 0.1])}),
    "roc_auc_bounds": (pm.roc_auc_bounds, {
        "table": v.given_tables, **BANDS,
        "max_fpr": v.mostly(st.sampled_from([None, None, 0.1, 0.5, 1.0])),
        "recall_range": v.mostly(st.sampled_from([None, None, None, (0.5, 1.0), (0.9, 0.1)]))}),
    "roc_bounds": (pm.roc_bounds, {"table": v.given_tables, **BANDS}),
    "roc_curve": (pm.roc_curve, {
        "table": v.given_tables, **KNOWN, "method": v.among("direct", "indirect", "projected"),
        **BIAS, "band": v.among(None, "pointwise", "simultaneous"), "confidence_level": v.levels}),
    "roc_hull": (pm.roc_hull, {
        "table": v.given_tables, **KNOWN, "limit_slope": v.flags}),
    "rows_to_audit": (pm.rows_to_audit, {
        "width": v.mostly(st.one_of(st.floats(0.01, 1), st.floats(0, 1e-3))), "guess": v.priors,
        "n_unlabeled": st.one_of(st.none(), v.counts), "confidence_level": v.levels}),
    "tipping_point": (lambda table, options, **o: pm.tipping_point(table, **o, **options), {
        "table": v.mostly(st.one_of(v.small_tables, make.joints()), share=20), "statistic": CONCLUSIONS,
        **KNOWN, "above": v.mostly(st.one_of(st.none(), st.floats(0, 1))),
        "below": v.mostly(st.one_of(st.none(), st.none(), st.floats(0, 1))),
        "top": st.one_of(st.none(), st.none(), TOPS),
        "threshold": v.mostly(st.one_of(st.none(), v.thresholds)),
        "first": v.mostly(st.sampled_from([None, None, "a", "b"])),
        "second": v.mostly(st.sampled_from([None, None, "b"])), "confidence_level": v.levels,
        "label_bias_side": v.bias_sides, "options": OPTIONS}),
}  # fmt: skip

# Whose share of positives the prior is, wherever one is given to an estimate.
for _name in (
    "assume", "average_precision", "bedroc", "brier_score", "calibration_error", "compare",
    "enrichment_factor", "evaluate", "log_loss", "metric", "ndcg", "pr_curve", "rie", "roc_auc", "roc_curve",
):  # fmt: skip
    CALLS[_name][1]["prior_of"] = BANDS["prior_of"]

# Evidence beside the scores, of the table's own rows, wherever it is taken.
for _name in (
    "assume", "average_precision", "bedroc", "brier_score", "compare", "enrichment_factor", "evaluate",
    "log_loss", "metric", "ndcg", "rie", "roc_auc",
):  # fmt: skip
    CALLS[_name][1]["evidence"] = v.no_evidence
    own_call, drawn = CALLS[_name]
    rest = {"prior": st.one_of(st.none(), v.priors), "purity": st.one_of(st.none(), v.purities)}
    CALLS[f"{_name}.evidence"] = (
        own_call,
        {**drawn, **rest, "audit": v.no_audit, "evidence": v.evidence},
    )

# Frozen results: nobody builds them but the functions above, whose answers are taken apart instead.
RESULTS = {
    "Assumptions", "Statistic",
    "AuditPath", "Band", "BiasBound", "BootstrapResult", "CalibrationBins", "CalibrationResult",
    "CalibrationTest", "Comparison",
    "ConfusionBounds", "ConfusionCounts", "ConfusionMatrix", "Curve", "CurveBand", "CurveBounds",
    "Diagnostic",
    "DecisionCurve", "DiscoveryCurve",
    "EvidenceTable",
    "CrossEvaluation", "SegmentComparison", "SegmentGap",
    "Difference", "Drift", "Estimate", "Evaluation", "Homogeneity", "HullLikelihood", "Interval",
    "LabelAudit", "LabelBiasSensitivity", "LabellingCheck", "LeastLabelBias", "MixtureCalibration",
    "ModelEvaluation", "ModelRanking",
    "Narrowing", "PopulationsCheck", "PriorDerivatives", "PriorEstimate", "PriorSensitivity",
    "PropensityEstimate", "PulpSignificance", "TippingPoint",
    "RankingEstimate", "ReliabilityCurve", "ThresholdChoice",
}  # fmt: skip
ERRORS = {"PuremetricsError"}
