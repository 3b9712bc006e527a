"""Every metric of a two-by-two confusion matrix, as a plain function of its four entries.

The entries may be counts or shares (every metric is homogeneous of degree zero), scalars or
arrays. Where a metric is undefined it is NaN; the callers turn that into a diagnostic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.checking.arguments import check_number, shown
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError

__all__ = ["ALIASES", "METRICS", "Formula", "at_own_risk", "find_formula"]

_AT_RISK = "threshold_probability"


@dataclass(frozen=True)
class Formula:
    """One metric: how to compute it, and where its values can lie."""

    name: str
    title: str
    low: float
    high: float
    compute: Callable[..., FloatArray]
    options: tuple[str, ...] = ()
    smaller_is_better: bool = False
    prior_free: bool = False  # the same at every prior, if labels are right and at random
    prior_free_at_top: bool = False  # likewise among a given number of rows

    def __call__(self, tp: Any, fp: Any, fn: Any, tn: Any, **options: float) -> FloatArray:
        """Return the metric of the four entries, elementwise; NaN where undefined."""
        entries = [np.asarray(v, dtype=np.float64) for v in (tp, fp, fn, tn)]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.asarray(self.compute(*entries, **options), dtype=np.float64)


def _ratio(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """Divide; x/0 is infinite with the sign of x, 0/0 is NaN."""
    return np.asarray(np.divide(top, bottom + 0.0), dtype=np.float64)


def _sum(a: FloatArray, b: FloatArray) -> FloatArray:
    """Add; what is zero but for rounding is zero, so that 0/0 is recognised as such."""
    total = a + b
    return np.where(np.abs(total) <= 1e-14 * (np.abs(a) + np.abs(b)), 0.0, total)


def _precision(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return _ratio(tp, _sum(tp, fp))


def _recall(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return _ratio(tp, _sum(tp, fn))


def _specificity(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return _ratio(tn, _sum(tn, fp))


def _npv(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return _ratio(tn, _sum(tn, fn))


def _fpr(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return _ratio(fp, _sum(fp, tn))


def _fnr(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return _ratio(fn, _sum(fn, tp))


def _fdr(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return _ratio(fp, _sum(fp, tp))


def _fbeta(
    tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray, beta: float = 1.0
) -> FloatArray:
    return _ratio((1 + beta**2) * tp, (1 + beta**2) * tp + beta**2 * fn + fp)


def _accuracy(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return _ratio(tp + tn, tp + fp + fn + tn)


def _balanced(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return (_recall(tp, fp, fn, tn) + _specificity(tp, fp, fn, tn)) / 2


def _mcc(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    # Each factor is scaled by the total first: counts up to 1e12 would overflow in the product.
    n = tp + fp + fn + tn
    tp, fp, fn, tn = tp / n, fp / n, fn / n, tn / n
    spread = np.sqrt(_sum(tp, fp) * _sum(tp, fn)) * np.sqrt(_sum(tn, fp) * _sum(tn, fn))
    return _ratio(tp * tn - fp * fn, spread)


def _informedness(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return _recall(tp, fp, fn, tn) - _fpr(tp, fp, fn, tn)


def _markedness(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return _precision(tp, fp, fn, tn) + _npv(tp, fp, fn, tn) - 1


def _positive_lr(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return _ratio(_recall(tp, fp, fn, tn), _fpr(tp, fp, fn, tn))


def _negative_lr(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return _ratio(_fnr(tp, fp, fn, tn), _specificity(tp, fp, fn, tn))


def _lift(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return _ratio(_precision(tp, fp, fn, tn) * (tp + fp + fn + tn), tp + fn)


def _cost(
    tp: FloatArray,
    fp: FloatArray,
    fn: FloatArray,
    tn: FloatArray,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
) -> FloatArray:
    return _ratio(cost_fp * fp + cost_fn * fn, tp + fp + fn + tn)


def _jaccard(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return _ratio(tp, tp + fp + fn)


def _kappa(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    n = tp + fp + fn + tn
    tp, fp, fn, tn = tp / n, fp / n, fn / n, tn / n
    by_chance = (tp + fp) * (tp + fn) + (tn + fp) * (tn + fn)
    return _ratio(tp + tn - by_chance, 1 - by_chance)


def _geometric(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    product = _recall(tp, fp, fn, tn) * _specificity(tp, fp, fn, tn)
    return np.sqrt(product)


def _predicted(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return _ratio(tp + fp, tp + fp + fn + tn)


def _lee_liu(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    return _ratio(_recall(tp, fp, fn, tn) ** 2, _sum(tp, fp) / (tp + fp + fn + tn))


def _pseudo_f(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
    shares = (_sum(tp, fp) + _sum(tp, fn)) / (tp + fp + fn + tn)
    return _ratio(2 * _recall(tp, fp, fn, tn), shares)


def _net_benefit(
    tp: FloatArray,
    fp: FloatArray,
    fn: FloatArray,
    tn: FloatArray,
    threshold_probability: float = 0.5,
) -> FloatArray:
    odds = threshold_probability / (1 - threshold_probability)
    return (tp - odds * fp) / (tp + fp + fn + tn)


METRICS: dict[str, Formula] = {
    formula.name: formula
    for formula in (
        Formula("precision", "Precision", 0, 1, _precision),
        Formula("recall", "Recall (true positive rate)", 0, 1, _recall, (), False, True, True),
        Formula("specificity", "Specificity (true negative rate)", 0, 1, _specificity),
        Formula("npv", "Negative predictive value", 0, 1, _npv),
        Formula("fpr", "False positive rate", 0, 1, _fpr, smaller_is_better=True),
        Formula("fnr", "False negative rate", 0, 1, _fnr, (), True, True, True),
        Formula("fdr", "False discovery rate", 0, 1, _fdr, smaller_is_better=True),
        Formula("f1", "F1 score", 0, 1, _fbeta),
        Formula("fbeta", "F-beta score", 0, 1, _fbeta, ("beta",)),
        Formula("accuracy", "Accuracy", 0, 1, _accuracy),
        Formula("balanced_accuracy", "Balanced accuracy", 0, 1, _balanced),
        Formula("mcc", "Matthews correlation", -1, 1, _mcc),
        Formula("informedness", "Informedness (Youden's J)", -1, 1, _informedness),
        Formula("markedness", "Markedness", -1, 1, _markedness),
        Formula("positive_likelihood_ratio", "Positive likelihood ratio", 0, np.inf, _positive_lr),
        Formula(
            "negative_likelihood_ratio",
            "Negative likelihood ratio",
            0,
            np.inf,
            _negative_lr,
            (),
            True,
        ),
        Formula("lift", "Lift", 0, np.inf, _lift, prior_free_at_top=True),
        Formula("expected_cost", "Expected cost", 0, np.inf, _cost, ("cost_fp", "cost_fn"), True),
        Formula("net_benefit", "Net benefit", -np.inf, 1, _net_benefit, (_AT_RISK,)),
        Formula("jaccard", "Jaccard index", 0, 1, _jaccard),
        Formula("cohen_kappa", "Cohen's kappa", -1, 1, _kappa),
        Formula("geometric_mean", "Geometric mean of recall and specificity", 0, 1, _geometric),
        Formula("predicted_positive_rate", "Share predicted positive", 0, 1, _predicted),
        Formula("lee_liu", "Lee–Liu (recall² / share predicted positive)", 0, np.inf, _lee_liu),
        Formula("pseudo_f", "Pseudo-F (F1 / prior)", 0, np.inf, _pseudo_f),
    )
}

ALIASES = {
    "tpr": "recall",
    "sensitivity": "recall",
    "tnr": "specificity",
    "ppv": "precision",
    "matthews_corrcoef": "mcc",
    "youden": "informedness",
    "f1_score": "f1",
}


def find_formula(name: object, options: dict[str, Any]) -> tuple[Formula, dict[str, float]]:
    """Return the formula of that name and its checked options."""
    key = ALIASES.get(name, name) if isinstance(name, str) else name
    if not isinstance(key, str) or key not in METRICS:
        raise InputError(
            f"There is no metric {shown(name)}. Choose one of {', '.join(sorted(METRICS))}."
        )
    formula = METRICS[key]
    for option in options:
        if option not in formula.options:
            takes = f"takes {', '.join(formula.options)}" if formula.options else "takes no option"
            raise InputError(
                f"{option!r} is not an option of {key!r}, which {takes}. Leave it out."
            )
    checked = {option: check_number(value, option) for option, value in options.items()}
    for option, value in checked.items():
        if value > 1e100:
            raise InputError(f"{option}={value:g} is too large to compute with. Rescale the costs.")
        if option == _AT_RISK and not 0 < value < 1:
            raise InputError(
                f"{option}={value:g} must lie between 0 and 1: a false positive costs its odds, in units "
                f"of what "
                "a true positive is worth."
            )
        if value < 0 or (option == "beta" and value == 0):
            raise InputError(
                f"{option}={value:g} must be {'positive' if option == 'beta' else 'at least 0'}."
            )
    return formula, checked


def at_own_risk(formula: Formula, options: dict[str, float], threshold: float) -> dict[str, float]:
    """Options of a metric at a threshold: the net benefit is that of probabilities, unless told otherwise."""
    if _AT_RISK in formula.options and _AT_RISK not in options and 0 < threshold < 1:
        return options | {_AT_RISK: threshold}
    return options
