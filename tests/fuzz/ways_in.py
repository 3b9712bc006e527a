"""How to draw the arguments of whatever takes rows: tables, audits, files, features and scikit-learn."""

from hypothesis import strategies as st

import puremetrics as pm
from tests.fuzz import making as make
from tests.fuzz import values as v
from tests.fuzz.arguments import BIAS, KNOWN, LABELS, OPTIONS, SCENARIO, TARGETS, own

RANGE = v.mostly(
    st.one_of(st.sampled_from([1.0, (1, 2), (0.5, 2.0)]), st.tuples(v.shares, v.shares))
)
ANSWERS = {
    "outcome": v.mostly(own, v.hostile_column, 4),
    "chance": st.one_of(st.none(), st.none(), v.columns, v.hostile_column),
    "selection_bias": v.biases, "sensitivity": RANGE, "specificity": RANGE,
    "second": st.one_of(st.none(), st.none(), own, v.hostile_column),
}  # fmt: skip

WAYS_IN = {
    "Audit.from_arrays": (pm.Audit.from_arrays, {
        "score": v.mostly(v.columns, st.one_of(v.hostile_column, st.dictionaries(
            st.sampled_from("ab"), v.columns)), 4),
        "positive": v.mostly(st.lists(st.sampled_from([0, 1, True]), max_size=12), v.hostile_column, 4),
        "weight": st.one_of(st.none(), st.none(), v.columns, v.hostile_column),
        "labelled": st.one_of(st.none(), st.none(), st.lists(st.booleans(), max_size=12), v.hostile_column),
        "planned": v.mostly(st.sampled_from([None, None, 12, 400])),
        "groups": st.one_of(st.none(), st.none(), v.columns, v.hostile_column)}),
    "LabelSources.from_arrays": (pm.LabelSources.from_arrays, {
        "score": v.mostly(v.columns, v.hostile_column, 4),
        "sources": v.mostly(st.dictionaries(
            st.sampled_from("abc"), st.lists(st.sampled_from([0, 1]), max_size=12)), v.junk, 4),
        "dependence": RANGE}),
    "LabelSources.of_rows": (make.label_sources, {
        "both": v.rows(), "pattern": st.lists(st.integers(0, 7), min_size=1, max_size=5),
        "sources": st.integers(1, 8), "dependence": RANGE}),
    "Investigated.from_arrays": (make.investigated, {
        "both": v.rows(), "score": v.mostly(own, st.one_of(v.columns, v.hostile_column), 6), **ANSWERS}),
    "Judged.from_arrays": (make.judged, {
        "both": v.rows(), "score": v.mostly(own, st.one_of(v.columns, v.hostile_column), 6),
        "judge": v.mostly(own, v.hostile_column, 4), **ANSWERS}),
    "PublishedPrior": (pm.PublishedPrior, {
        "value": v.mostly(v.shares), "error": v.mostly(st.sampled_from([None, 0.01, 1e-12, 3])),
        "interval": v.mostly(st.one_of(st.none(), v.pairs))}),
    "RandomLabels": (pm.RandomLabels, {"label_bias": v.biases}),
    "KnownNegatives": (pm.KnownNegatives, {}),
    "Audit.first": (
        lambda table, audit, rows: audit.first(rows) if isinstance(audit, pm.Audit) else "none",
        {"table": v.whole_tables(), "audit": v.audits, "rows": v.counts}),
    "AuditPlan.draw": (
        lambda **o: make.drawn(**o)[1].tolist(),
        {"both": v.rows(), "y": v.mostly(own, v.hostile_column, 6),
         "score": v.mostly(own, st.one_of(v.columns, v.hostile_column), 6), **LABELS,
         "names": st.sampled_from([(), (), ("model",), ("a", "b")]), "rng": v.seeds,
         "budget": st.sampled_from([2, 3, 100]), "target": TARGETS}),
    "AuditPlan.draw_from": (
        lambda **o: make.drawn_from(**o).tolist(),
        {"both": v.rows(), "label": v.mostly(st.just("y"), share=10),
         "score": v.mostly(st.sampled_from(["p", "p", ["p"], {"a": "p", "b": "y"}, ["y"], []]), share=10),
         "id": v.mostly(st.sampled_from([None, None, "i", "p", "z"]), share=10),
         "where": v.mostly(st.sampled_from([None, None, None, "p > 0", "p >"]), share=10),
         "rng": v.seeds, **LABELS, "budget": st.sampled_from([2, 3, 100]), "target": TARGETS}),
    "AuditPlan.audit": (make.answered, {
        "both": v.rows(), "rows": v.mostly(own, v.hostile_column, 5),
        "positive": v.mostly(own, st.one_of(
            v.hostile_column, st.lists(st.sampled_from([0, 1, None]), max_size=4)), 3),
        "keep": st.sampled_from([None, None, 1, 2, 0]), "sequential": v.flags,
        "score": v.mostly(st.sampled_from([None, None, ...]), st.one_of(v.columns, v.hostile_column), 6),
        "names": st.sampled_from([(), (), ("a", "b")]), "budget": st.sampled_from([2, 5, 100]),
        "target": TARGETS}),
    "evaluate.frame": (make.framed, {
        "both": v.rows(), "call": st.sampled_from(["evaluate", "estimate_prior", "compare", "roc_auc"]),
        "kind": st.sampled_from(["mapping", "pandas", "polars", "pyarrow"]),
        "label": v.mostly(st.sampled_from(["y", "y", "z", None, ["y", "w"], ["y"], []]), share=8),
        **{name: v.mostly(st.sampled_from([None, None, None, "said", "y", "z"])) for name in (
            "checked", "judge", "second")},
        "score": v.mostly(st.sampled_from(["p", ["p", "q"], ["p", "q"], [], None, ["z"]]), share=8),
        "groups": v.mostly(st.sampled_from([None, None, "who", "z"]), share=8),
        "scenario": SCENARIO, **LABELS}),
    "ScoreTable.from_arrays": (make.from_arrays, {
        "both": v.rows(), "y": v.mostly(own, v.hostile_column, 4), "scenario": SCENARIO,
        "score": v.mostly(own, st.one_of(v.columns, v.hostile_column), 4), **LABELS,
        "sample_weight": st.one_of(st.none(), st.none(), v.columns, v.hostile_column),
        "propensity": st.one_of(st.none(), st.none(), v.columns, v.hostile_column),
        "groups": st.one_of(st.none(), st.none(), v.columns, v.hostile_column)}),
    "ScoreTable.from_groups": (pm.ScoreTable.from_groups, {
        "positive": v.mostly(v.columns, v.hostile_column, 4), "scenario": SCENARIO,
        "unlabeled": v.mostly(v.columns, v.hostile_column, 4),
        "negative": v.mostly(st.one_of(st.none(), v.columns), v.hostile_column, 4)}),
    "ScoreTable.from_counts": (pm.ScoreTable.from_counts, {
        "score": v.mostly(st.just([3.0, 2.0, 1.0]), v.hostile_column, 4), "scenario": SCENARIO,
        **{n: v.mostly(st.just([1, 0, 10**12]), v.hostile_column, 4) for n in ("n_pos", "n_unl")},
        "n_neg": v.mostly(st.none(), v.hostile_column, 4),
        "resolution": v.mostly(st.just(0.0), share=8)}),
    "ScoreTable.merge": (lambda table, other: table.merge(other), {
        "table": v.tables(), "other": v.given_tables}),
    "JointTable.from_arrays": (make.joint, {
        "both": v.rows(), "y": v.mostly(own, v.hostile_column, 4), "scenario": SCENARIO, **LABELS,
        "scores": v.mostly(own, st.one_of(
            v.junk, st.dictionaries(st.sampled_from("ab"), v.hostile_column)), 4),
        "propensity": st.one_of(st.none(), st.none(), v.columns, v.hostile_column),
        "groups": st.one_of(st.none(), st.none(), v.columns, v.hostile_column)}),
    "Recalibrator": (make.fit_recalibrator, {
        "both": v.rows(), "X": v.mostly(own, v.hostile_column, 8), **KNOWN, "scenario": SCENARIO,
        "method": v.among("isotonic", "platt", "temperature", "beta"), **LABELS,
        "sample_weight": st.one_of(st.none(), st.none(), v.columns)}),
    "RecalibrationMap.from_json": (make.stored_map, {
        "text": v.mostly(make.stored_maps()), "scores": v.mostly(v.columns, v.hostile_column)}),
    "RecalibrationMap.apply": (
        lambda table, other, **o: pm.recalibrate(table, **o).apply(other),
        {"table": v.tables(), "other": v.given_tables, **KNOWN,
         "method": v.among("isotonic", "platt", "temperature", "beta")}),
    "Segments": (pm.Segments, {
        "by": st.just("land"), "total": v.whole_tables(), "without_positives": st.just({}),
        "tables": st.dictionaries(st.sampled_from("abc"), v.whole_tables(), max_size=2)}),
    "Segments.from_arrays": (make.segments_of_arrays, {
        "both": v.rows(), "y": v.mostly(own, v.hostile_column, 6), "scenario": SCENARIO, **LABELS,
        "score": v.mostly(own, st.one_of(v.columns, v.hostile_column), 6),
        "segment": v.mostly(own, v.hostile_column, 4), "by": st.just("land"),
        "groups": st.one_of(st.none(), st.none(), v.columns, v.hostile_column)}),
    "cross_evaluate": (make.cross_evaluated, {
        "both": v.rows(), "y": v.mostly(own, v.hostile_column, 6), "scenario": SCENARIO, **LABELS,
        "score": v.mostly(own, st.one_of(v.columns, v.hostile_column), 6), **KNOWN,
        "fold": v.mostly(own, v.hostile_column, 4), "average": v.among("rates", "values"),
        "statistic": v.mostly(st.sampled_from([
            "roc_auc", "average_precision", "brier_score", "log_loss", "calibration_error", "recall",
            "f1", "lift", ["roc_auc", "mcc"], ["fbeta"], [], "pulp"])),
        "threshold": v.mostly(st.one_of(st.none(), v.thresholds)), "confidence_level": v.levels,
        "groups": st.one_of(st.none(), st.none(), v.columns, v.hostile_column),
        **BIAS, "options": OPTIONS}),
    "scan": (make.scan, {
        "rows": v.rows(), "source": v.mostly(own, v.hostile_column, 6), **LABELS,
        "segment": st.sampled_from(["x", "y", None, "é"]), "scenario": SCENARIO,
        "label": v.mostly(st.just("y")), "score": v.mostly(st.sampled_from(["p", ["p"], ["p", "p"]])),
        "by": v.mostly(st.sampled_from([None, None, "land", "p"])),
        "groups": v.mostly(st.sampled_from([None, None, "land", "p", "y"])),
        "where": v.mostly(st.sampled_from([None, None, None, "p > 0", "p >", "q = 1"])),
        "max_labelled": v.mostly(st.sampled_from([20_000_000, 1, 2])),
        "pieces": v.mostly(st.sampled_from([4096, 1])), "buckets": v.mostly(st.sampled_from([64, 1])),
        "threads": v.mostly(st.sampled_from([None, 1, 2])), "checkpoint": st.none()}),
    "estimate_prior_from_features": (make.with_labels(pm.estimate_prior_from_features), {
        "X": v.mostly(make.features(), v.hostile_column, 8), "positives": st.integers(0, 6),
        "scenario": SCENARIO, "method": v.among("combined", "tice", "km2"),
        "purity": st.one_of(st.none(), v.purities),
        "confidence_level": v.levels, "pos_label": v.mostly(st.just(1), share=20),
        "unlabeled_label": v.mostly(st.just(0), share=20), "rng": v.seeds}),
    "estimate_propensity": (make.with_labels(pm.estimate_propensity), {
        "X": v.mostly(make.features(), v.hostile_column, 8), "positives": st.integers(0, 6),
        "attributes": v.mostly(st.sampled_from([[0], (1,), [], [0, 1], [7], [True]])),
        "ridge": v.mostly(st.sampled_from([0.0, 1.0, 1e300])), "clip": v.mostly(st.sampled_from([0.01, 0.9])),
        "max_iterations": v.mostly(st.sampled_from([1, 50])),
        "pos_label": v.mostly(st.just(1), share=20),
        "unlabeled_label": v.mostly(st.just(0), share=20)}),
    "load_demo": (lambda: pm.load_demo(), {}),
    "out_of_fold_scores": (make.with_labels(pm.out_of_fold_scores), {
        "X": v.mostly(make.features(), v.hostile_column, 8), "positives": st.integers(0, 6),
        "n_folds": v.mostly(st.sampled_from([2, 3])), "rng": v.seeds,
        "pos_label": v.mostly(st.just(1), share=20),
        "unlabeled_label": v.mostly(st.just(0), share=20)}),
    "sklearn.ranks": (make.rank_score, {
        "both": v.rows(), "y": v.mostly(own, v.hostile_column, 6), "scenario": SCENARIO, **KNOWN, **LABELS,
        "score": v.mostly(own, st.one_of(v.columns, v.hostile_column), 6),
        "function": st.sampled_from(["roc_auc_score", "average_precision_score"]),
        "method": v.among("indirect", "projected", "direct")}),
    "sklearn.predictions": (make.prediction_score, {
        "both": v.rows(), "y": v.mostly(own, v.hostile_column, 6), "scenario": SCENARIO, **KNOWN, **LABELS,
        "y_pred": v.mostly(own, v.hostile_column, 4), "cut": st.sampled_from([0.0, 0.5, 1.0]),
        "function": st.sampled_from([
            "precision_score", "recall_score", "f1_score", "balanced_accuracy_score",
            "matthews_corrcoef"])}),
}  # fmt: skip
