"""Strategies of arguments that several functions share."""

from hypothesis import strategies as st

from tests.fuzz import values as v

BANDS = {
    "prior": v.priors,
    "rank_limits": v.among("exact", "bootstrap", "clopper_pearson", "dkw"),
    "confidence_level": v.levels,
    "basis": v.among("positives", "negatives", "tightest"),
    "simultaneous": v.flags,
    "prior_of": v.among("population", "rows"),
    "label_bias": v.biases,
    "label_bias_side": v.bias_sides,
}
BIAS = {name: BANDS[name] for name in ("label_bias", "label_bias_side")}
KNOWN = {"prior": v.priors, "purity": v.purities}
OPTIONS = v.mostly(
    st.one_of(
        st.just({}), st.just({}), st.fixed_dictionaries({"beta": v.positive_numbers}),
        st.fixed_dictionaries({"cost_fp": v.positive_numbers, "cost_fn": v.positive_numbers}),
    ),
    st.just({"nonsense": 1}),
)  # fmt: skip
CONCLUSIONS = v.among(
    "roc_auc",
    "average_precision",
    "brier_score",
    "calibration_error",
    "recall",
    "precision",
    "mcc",
    "fpr",
)
LABELS = {
    "pos_label": v.mostly(st.just(1), share=10),
    "unlabeled_label": v.mostly(st.just(0), share=10),
    "neg_label": v.mostly(st.sampled_from([None, -1, -1]), share=10),
}
SCENARIO = v.among(*v.SCENARIOS)
PRIOR_METHODS = (
    "combined", "combined_n", "alphamax", "alphamax_n", "best_bin", "slope", "dedpul",
    "elkan_noto", "elkan_noto_e2", "elkan_noto_e3",
)  # fmt: skip
TARGETS = v.among("precision", "recall", "f1", "roc_auc", "average_precision", "prior")


BOUND = {
    "n_pos": v.counts, "n_unl": v.counts, "prior": v.priors, "n_bins": v.counts,
    "binning": v.among("mass", "width"), "lipschitz": v.positive_numbers,
}  # fmt: skip
LOGITS = {  # twelve rows, whose lengths agree but for the odd column
    "logit": v.mostly(st.lists(st.one_of(st.floats(-9, 9), st.sampled_from([0.0, 2.5, -1e6, 1e300])),
                               min_size=12, max_size=12), v.hostile_column),
    "y": v.mostly(st.lists(st.sampled_from([0, 1, True, False]), min_size=12, max_size=12), v.hostile_column),
}  # fmt: skip
RANKING = {
    "table": v.given_tables,
    "confidence_level": v.mostly(st.sampled_from([None, 0.95, 0.5])),
}
own = st.just(...)
TOPS = v.mostly(
    st.sampled_from([1, 2, 3, 0.1, 0.5, 1.0, 2.5]), st.one_of(v.junk, st.just(10**9), st.just(-1))
)
UNCHECKED = {"table": v.given_tables, **KNOWN, "confidence_level": v.levels, **BIAS}
LISTED = {**UNCHECKED, "audit": v.no_audit}
AUDITED = {
    "table": v.given_tables, "audit": v.audits, "purity": v.purities, "confidence_level": v.levels,
}  # fmt: skip
