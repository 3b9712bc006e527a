"""One of every public result, made from one small data set."""

from dataclasses import replace

import numpy as np

import puremetrics as pm


def made() -> dict[str, object]:
    """Results by the name of their class."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [40, 200])
    score = np.concatenate([rng.normal(2, 1, 80), rng.normal(0, 1, 160)])
    probability = 1 / (1 + np.exp(-score))
    table = pm.ScoreTable.from_arrays(y, probability, scenario="case_control")
    joint = pm.JointTable.from_arrays(
        y, {"a": probability, "b": rng.random(y.size)}, scenario="case_control"
    )
    segments = pm.Segments("half", {1: table, 2: joint["b"]}, table.merge(joint["b"]), {})
    evaluation = pm.evaluate(joint.tables, prior=(0.15, 0.25))
    model = evaluation.models["a"]
    compared, moved = pm.compare(joint, prior=0.2), pm.drift(segments, prior=0.2)
    calibration = pm.calibration_error(table, prior=0.2)
    folded = pm.cross_evaluate(
        y, probability, fold=np.arange(y.size) % 2, scenario="case_control", prior=0.2
    )
    halves = pm.Segments.from_arrays(
        y, probability, segment=np.arange(y.size) % 2, scenario="case_control"
    )
    parted = pm.compare_segments(halves, threshold=0.5)
    plan = pm.plan_audit(table, budget=40, target="roc_auc", prior=0.2)
    audit = plan.audit(rows := plan.draw(y, probability), np.arange(y.size)[rows] < 80)
    sources = pm.LabelSources.from_arrays(
        probability[y == 1], {"reported": np.arange(40) % 3 > 0, "rule": np.arange(40) % 2 == 0}
    )
    answers = np.where(np.arange(200) % 4, "", np.where(score[y == 0] > 1, "yes", "no"))
    looked = pm.Investigated.from_arrays(probability[y == 0], answers)
    results = [
        sources,
        looked,
        pm.Judged.from_arrays(probability[y == 0], score[y == 0] > 0.5, answers),
        pm.PublishedPrior(0.3, error=0.05),
        pm.RandomLabels(),
        pm.KnownNegatives(),
        pm.roc_auc(table, evidence=[looked, pm.RandomLabels()]).evidence,
        audit,
        plan,
        pm.audit_labels(table, audit),
        pm.follow_audit(table, replace(audit, planned=40), "roc_auc", width=0.1),
        pm.rank_cdf_band(table, prior=0.2),
        pm.bias_bound(n_pos=100, n_unl=1000, prior=0.2, n_bins=5),
        pm.mixture_calibration_error(score, y, max_components=2),
        pm.bootstrap(table, lambda t: pm.roc_auc(t, prior=0.2).value, n_resamples=10),
        calibration.bins,
        calibration,
        pm.calibration_test(table, prior=0.2, n_resamples=20),
        compared,
        compared.differences[0],
        pm.confusion_bounds(table, prior=0.2),
        pm.confusion_at_thresholds(table, prior=0.2),
        model.confusion,
        pm.roc_curve(table, prior=0.2),
        pm.roc_curve(table, prior=0.2, band="pointwise").band,
        pm.discovery_curve(table, prior=0.2),
        pm.net_benefit(table, prior=0.2),
        folded,
        parted,
        parted.gaps[0],
        pm.roc_bounds(table, prior=0.2),
        moved,
        moved.tests[0],
        pm.roc_auc(table, prior=0.2),
        evaluation,
        model,
        pm.hull_likelihood(table),
        pm.roc_hull(table, prior=0.2),
        pm.hull_variance(table, prior=0.2, n_resamples=5),
        pm.roc_auc_bounds(table, prior=0.2),
        pm.check_labelling(table, prior=0.2),
        pm.check_labelling(
            np.tile(y, 3),
            np.tile(probability, 3),
            by=np.arange(3 * y.size) % 3,
            scenario="case_control",
        ),
        pm.least_label_bias(table, prior=0.2),
        pm.tipping_point(table, above=0.6, prior=0.2),
        pm.label_bias_sensitivity(table, prior=0.2, ratios=[1, 2]),
        pm.best_by_prior(joint.tables),
        model.narrowing,
        pm.prior_derivatives(table, prior=0.2),
        pm.estimate_prior(table),
        pm.prior_sensitivity(table, priors=[0.1, 0.2]),
        pm.estimate_propensity(rng.normal(size=(y.size, 2)), y, attributes=[1]),
        pm.pulp_significance(table, threshold=0.5),
        pm.pulp(table),
        pm.recalibrate(table, prior=0.2),
        pm.reliability_curve(table, prior=0.2),
        pm.choose_threshold(table, objective="f1", prior=0.2, n_resamples=5),
    ]
    return {type(result).__name__: result for result in results}
