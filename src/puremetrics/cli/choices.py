"""Words that flags take, by group, as ``--help`` shows them. Written out: ``--help`` loads no library.

A test compares them with what the library knows.
"""

from __future__ import annotations

__all__ = [
    "ALIASES",
    "CHOICES",
    "METHODS",
    "METRICS",
    "SCENARIOS",
    "SIDES",
    "STATISTICS",
    "TARGETS",
    "told",
]

Grouped = dict[str, tuple[str, ...]]

METRICS: Grouped = {
    "one kind of error": (
        "precision", "recall", "specificity", "npv", "fpr", "fnr", "fdr",
        "positive_likelihood_ratio", "negative_likelihood_ratio",
    ),
    "both together": (
        "f1", "fbeta", "accuracy", "balanced_accuracy", "mcc", "informedness", "markedness", "jaccard",
        "cohen_kappa", "geometric_mean", "lee_liu", "pseudo_f",
    ),
    "use of the list": ("lift", "predicted_positive_rate", "expected_cost", "net_benefit"),
}  # fmt: skip
ALIASES = ("tpr", "sensitivity", "tnr", "ppv", "matthews_corrcoef", "youden", "f1_score")
STATISTICS: Grouped = {
    "whole ranking": ("roc_auc", "average_precision", "pulp", "rie", "bedroc", "ndcg"),
    "probabilities": ("brier_score", "log_loss", "calibration_error"),
    "first rows, with --top": ("enrichment_factor", "any metric"),
    "with --threshold": ("any metric",),
}
METHODS: Grouped = {
    "default": ("combined",),
    "noisy labels": ("combined_n", "alphamax_n"),
    "others": ("alphamax", "best_bin", "slope", "dedpul"),
    "calibrated scores": ("elkan_noto", "elkan_noto_e2", "elkan_noto_e3"),
}
TARGETS: Grouped = {
    "with --threshold": ("precision", "recall", "f1"),
    "whole ranking": ("roc_auc", "average_precision"),
    "share of positives": ("prior",),
}
SCENARIOS = ("case_control", "single_training_set")
SIDES = ("either", "high", "low")


def _flat(groups: Grouped) -> tuple[str, ...]:
    return tuple(word for words in groups.values() for word in words if " " not in word)


CHOICES: dict[str, tuple[str, ...]] = {
    "scenario": SCENARIOS,
    "objective": (*_flat(METRICS), *ALIASES),
    "statistic": (*_flat(STATISTICS), *_flat(METRICS), *ALIASES),
    "method": _flat(METHODS),
    "target": _flat(TARGETS),
    "label_bias_side": SIDES,
}


def told(flag: str, groups: Grouped) -> str:
    """The values of a flag for the end of ``--help``, in lines of at most 80 characters."""
    import textwrap

    lines = [f"values of {flag}:"]
    for name, words in groups.items():
        text = f"{name}: {', '.join(words)}"
        lines += textwrap.wrap(
            text, 78, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        )
    return "\n".join(lines) + "\n"
