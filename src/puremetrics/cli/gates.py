"""Gates: conditions under which a command ends with exit code 3, for pipelines that must stop.

A rule is ``[MODEL:]NAME[.PART] SIGN NUMBER``, such as ``forest:roc_auc.low < 0.8``. It is taken apart by one
pattern and compared; nothing in it is run. A gate that cannot be judged, because the figure is undefined or
something contradicts it, counts as failed: a pipeline must not go on by mistake.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from puremetrics.checking.arguments import shown
from puremetrics.checking.spelling import did_you_mean
from puremetrics.evaluation.trusting import GRADES
from puremetrics.exceptions import InputError
from puremetrics.results.protocol import LEVELS

if TYPE_CHECKING:
    from puremetrics.comparing import Comparison
    from puremetrics.evaluation import Evaluation

__all__ = [
    "FAILED",
    "NO_FIGURES",
    "Rule",
    "check_baseline",
    "failures",
    "parse_rules",
    "worse_models",
]

FAILED, NO_FIGURES = 3, 4  # exit codes
_FIGURES = (
    "roc_auc",
    "average_precision",
    "precision",
    "recall",
    "specificity",
    "f1",
    "accuracy",
    "mcc",
)
_FREE = ("pulp", "lee_liu", "mean_f1", "mean_mutual_information", "mean_pearson")
_OF_ALL = ("prior", "largest_prior")
_NAMES = (*_FIGURES, *_FREE, *_OF_ALL, "calibration_error", "trust")
_PARTS = ("value", "low", "high", "naive")
_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_RULE = re.compile(
    r"\s*(?:(?P<model>.+):)?\s*(?P<name>[A-Za-z_]\w*)(?:\.(?P<part>\w+))?\s*(?P<sign><=|>=|==|!=|<|>)"
    r"\s*(?P<limit>[^<>=!]+?)\s*"
)


@dataclass(frozen=True)
class Rule:
    """One condition that must not hold."""

    text: str
    model: str | None
    name: str
    part: str
    sign: str
    limit: float | str

    def holds(self, value: Any) -> bool:
        """Whether a value is on the wrong side; grades of trust are in order."""
        if self.limit in GRADES:
            return _SIGNS[self.sign](GRADES.index(value), GRADES.index(self.limit))
        return _SIGNS[self.sign](value, self.limit)


def parse_rules(texts: Sequence[str] | None, models: Sequence[str]) -> list[Rule]:
    """The rules, or an error that says what is wrong with one of them."""
    return [_parsed(text, models) for text in texts or ()]


def _parsed(text: str, models: Sequence[str]) -> Rule:
    found = _RULE.fullmatch(text)
    if found is None:
        raise InputError(
            f"--fail-if {shown(text)} is not a rule. Write a figure, a comparison and a number, such as "
            '"roc_auc.low < 0.8" or "forest:prior.high > 0.5"; the comparisons are < <= > >= == !=.'
        )
    name, part = found["name"], found["part"] or "value"
    if name not in _NAMES:
        raise InputError(
            f"--fail-if {shown(text)} names {shown(name)}, which is not a figure.{did_you_mean(name, _NAMES)}"
            f" Figures are: {', '.join(_NAMES)}."
        )
    if part not in _PARTS or (part == "naive" and name not in _FIGURES):
        raise InputError(
            f"--fail-if {shown(text)} asks for .{part} of {name}.{did_you_mean(part, _PARTS, '.{}')} A "
            "figure has .value, and .low and .high, the ends of its interval; corrected figures also have "
            ".naive."
        )
    model = None if found["model"] is None else found["model"].strip()
    if model is not None and model not in models:
        raise InputError(
            f"--fail-if {shown(text)} names the model {shown(model)}.{did_you_mean(model, models)} Name "
            f"one that --score names: {', '.join(models)}."
        )
    return Rule(text, model, name, part, found["sign"], _limit(found["limit"], name, found, text))


def _limit(written: str, name: str, found: re.Match[str], text: str) -> float | str:
    if name == "trust":
        if written in GRADES or (written in LEVELS and found["sign"] in ("==", "!=")):
            return written
        raise InputError(
            f"--fail-if {shown(text)}: trust is {', '.join(GRADES[:-1])} "
            f"or {GRADES[-1]}.{did_you_mean(written, GRADES, '{}')} Compare it with one of these, as in "
            f'"trust < good"; what the prior is based on ({", ".join(LEVELS)}) can be compared with == or '
            "!=."
        )
    try:
        number = float(written)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(
            f"--fail-if {shown(text)} compares with {shown(written)}, which is not a number. Use a number "
            "such as 0.8."
        )
    return number


def failures(rules: Sequence[Rule], result: Evaluation) -> list[str]:
    """One sentence for each rule and model of which the rule holds, or of which nobody can tell."""
    said = []
    for rule in rules:
        names = [None] if rule.name in _OF_ALL else [rule.model or name for name in result.models]
        for name in dict.fromkeys(names):
            value, why = _value(rule, name, result)
            whose = "" if name is None else f" of {name}"
            what = rule.name if rule.part == "value" else f"{rule.name}.{rule.part}"
            if why:
                said.append(f"{what}{whose} is not known: {why} (--fail-if {shown(rule.text)})")
            elif rule.holds(value):
                told = value if isinstance(value, str) else f"{value:.4f}"
                said.append(f"{what}{whose} is {told} (--fail-if {shown(rule.text)})")
    return said


def _value(rule: Rule, name: str | None, result: Evaluation) -> tuple[Any, str]:
    """The figure that a rule is about, or why there is none."""
    if name is None:
        if rule.name == "largest_prior":
            limit = result.largest_prior
            return limit, "" if limit is not None else "the data do not limit it"
        ends = {"value": result.prior.value, "low": result.prior.low, "high": result.prior.high}
        return ends[rule.part], ""
    model = result.models[name]
    if rule.name == "trust":
        return model.grade if rule.limit in GRADES else model.trust.level, ""
    if rule.part == "naive":
        return _number(model.naive[rule.name].value)
    if model.trust.level == "contradicted" and rule.name not in model.prior_free:
        return None, "the assumptions and the data contradict each other"
    try:
        estimate = model[rule.name]
    except InputError:
        return None, f"it was not computed for these rows (add it with --also {rule.name})"
    return _part(estimate.value, estimate.interval, rule.part)


def _part(value: float, interval: Any, part: str) -> tuple[Any, str]:
    if part == "value":
        return _number(value)
    if interval is None:
        return None, "it has no interval"
    return _number(interval.low if part == "low" else interval.high)


def _number(value: float) -> tuple[Any, str]:
    return (None, "it is undefined") if math.isnan(value) else (value, "")


def check_baseline(name: str | None, models: Sequence[str]) -> None:
    """Raise if the model that others are held against is none of the models."""
    if name is not None and name not in models:
        raise InputError(
            f"--fail-if-worse-than {shown(name)} names no model.{did_you_mean(name, models)} Name one that "
            f"--score names: {', '.join(models)}."
        )


def worse_models(result: Comparison, baseline: str) -> list[str]:
    """One sentence for each model that is significantly worse than the baseline.

    Significantly: the interval of its difference to the baseline, at a level at which the intervals of all
    pairs hold at once, lies wholly on the worse side of 0. For costs and errors the worse side is above 0.
    """
    sign = -1.0 if result.smaller_is_better else 1.0
    said = []
    for difference in result.differences:
        if baseline not in (difference.first, difference.second):
            continue
        own = difference.second == baseline
        other = difference.first if own else difference.second
        low, high = (
            difference.simultaneous if own else [-end for end in difference.simultaneous][::-1]
        )
        if (high if sign > 0 else -low) < 0:
            value = difference.value if own else -difference.value
            said.append(
                f"{other} is worse than {baseline} by {result.statistic}: difference {value:+.4f}, "
                f"{low:+.4f} to {high:+.4f} (--fail-if-worse-than {shown(baseline)})"
            )
    return said
