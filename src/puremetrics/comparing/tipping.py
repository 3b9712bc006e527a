"""How biased would labels have to be for a conclusion to fail?

A conclusion such as "the AUC is above 0.8" holds at Γ (see `setting.setting`) as long as the low end of
what biased labels leave open is above 0.8. The low end falls as Γ grows, so there is one Γ at which it fails:
the tipping point. With q the share of F below each labelled row, a = (1 − prior)·target + prior/2 and c the
share of the positives that are labelled (0 in case-control), the area reaches the target at

    Γ* = Σ g·(q − a')₊ / Σ g·(a' − q)₊,     a' = (a − c·mean(q)) / (1 − c),

which is the equation of an expectile read the other way round. Recall reaches r at odds(G)/odds(r). For two
models and the difference d of their q, "the first is better" fails at the same ratio with
a' = −c·mean(d)/(1 − c): in case-control no prior is needed. Where hidden positives would not fit among the
unlabeled, and for statistics without such a formula, the point is searched for on the scale of log Γ.

The lower confidence limit is the Γ at which the lower limit of the interval meets the target: up to there the
conclusion holds with the confidence of that interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from puremetrics.calibration.bins import check_probabilities
from puremetrics.checking.arguments import check_number, shown
from puremetrics.comparing.compared import compared
from puremetrics.comparing.questions import LOSSES, Question, about_model, about_pair
from puremetrics.exceptions import Diagnostic, InputError, UnsupportedError
from puremetrics.results import Columns, Result
from puremetrics.results.protocol import number, percent
from puremetrics.scenarios import Scenario, design_of
from puremetrics.setting import (
    LabelBias,
    PriorLike,
    PurityLike,
    Setting,
    check_bias_alone,
    check_table,
    check_uncut,
)
from puremetrics.tables.joint import JointTable
from puremetrics.tables.score_table import ScoreTable

__all__ = ["TippingPoint", "tipping_of", "tipping_point"]

_ANY = 1e-9  # a prior at which rates are defined
_MOST = 1e6  # the largest Γ that is looked at; what holds there holds for any


@dataclass(frozen=True, eq=False, repr=False)
class TippingPoint(Result):
    """The smallest label bias at which a conclusion fails; ``float(point)`` is that bias.

    Attributes
    ----------
    subject, relation : str
        The conclusion: "ROC AUC" is "above 0.8".
    label_bias : float
        Estimate of the ratio at which it fails: infinite where no bias can overturn it, 1 where it does not
        hold at all.
    low : float
        Lower confidence limit of that ratio: up to it the conclusion holds with confidence.
    value, target : float
        The statistic (or difference) as it is corrected, and what it is compared with.
    level : float
        Confidence level of the interval that ``low`` comes from.
    scenario : str
        In case-control the bias is a ratio of chances, in a single training set one of odds.
    """

    statistic: str
    subject: str
    relation: str
    label_bias: float
    low: float
    value: float
    target: float
    level: float
    scenario: Scenario
    diagnostics: tuple[Diagnostic, ...] = ()

    def __float__(self) -> float:
        return self.label_bias

    def frame(self) -> Columns:
        """Return one row."""
        numbers = ("label_bias", "low", "value", "target")
        columns = {name: np.array([getattr(self, name)]) for name in numbers}
        return {"conclusion": np.array([self.conclusion]), **columns}

    @property
    def conclusion(self) -> str:
        """What is concluded: "ROC AUC is above 0.8"."""
        return f"{self.subject} is {self.relation}"

    @property
    def words(self) -> str:
        """The result as a sentence."""
        if self.label_bias <= 1.0:
            return f"{self.subject} is not {self.relation}, even if labels are at random."
        if self.low <= 1.0:
            return f"It is not certain that {self.conclusion}, even if labels are at random."
        if np.isinf(self.low):
            return f"{self.subject} stays {self.relation} however biased the labels are."
        favoured = design_of(self.scenario).favoured(f"more than {self._times}")
        return f"{self.subject} stays {self.relation} unless some positives {favoured}."

    @property
    def short(self) -> str:
        """The same after another one of its kind."""
        if self.label_bias <= 1.0 or self.low <= 1.0 or np.isinf(self.low):
            return self.words
        return f"{self.subject} stays {self.relation} unless it is more than {self._times} times."

    @property
    def _times(self) -> str:
        """The limit rounded down to two digits, or to as many as it takes to differ from 1."""
        if self.low >= 100:
            return f"{np.floor(self.low):.0f}"
        for digits in range(1 if self.low < 10 else 0, 16):
            rounded = np.floor(self.low * 10**digits + 1e-9) / 10**digits
            if rounded > 1:
                return (
                    f"{rounded:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{rounded:.0f}"
                )
        return f"{self.low!r}"

    def __str__(self) -> str:
        lines = [
            self.words,
            f"  the conclusion fails at a label bias of {number(self.label_bias)}, with "
            f"{percent(self.level)} confidence not before {number(self.low)}",
        ]
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


def tipping_point(
    table: ScoreTable | JointTable,
    statistic: str = "roc_auc",
    *,
    above: float | None = None,
    below: float | None = None,
    prior: PriorLike = None,
    purity: PurityLike = None,
    threshold: float | None = None,
    first: str | None = None,
    second: str | None = None,
    confidence_level: float = 0.95,
    label_bias_side: str = "either",
    **options: float,
) -> TippingPoint:
    """Find how biased labels must be for a conclusion to fail.

    Parameters
    ----------
    table : ScoreTable or JointTable
        Of one model, for "the statistic is above (or below) a number"; or of two, for "the first is better
        than the second".
    statistic : str
        "roc_auc", "average_precision", "brier_score", "log_loss", "calibration_error", or a metric at
        ``threshold``.
    above, below : float
        One of them, for one model: the conclusion is that the statistic is above, or below, this number.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population.
    purity : float or (low, high), default 1
        Share of true positives among the labelled.
    threshold : float, optional
        For metrics of the confusion matrix.
    first, second : str, optional
        Models of a joint table; by default the first two.
    confidence_level : float, default 0.95
    label_bias_side : {"either", "high", "low"}
        Which scores labels are known to favour, if it is known; see `roc_auc`. For one model only.
    options
        Of the metric, such as ``beta``.

    Returns
    -------
    TippingPoint
        ``label_bias`` is infinite where no bias can overturn the conclusion, and 1 where it does not hold at
        all; ``low`` is its lower confidence limit.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=range(50, 100), unlabeled=range(80), scenario="case_control")
    >>> point = tipping_point(table, "roc_auc", above=0.7, prior=0.1)
    >>> 1 < point.low < point.label_bias
    True
    """
    if isinstance(table, JointTable):
        if above is not None or below is not None:
            raise InputError(
                "A joint table asks whether the first model is better than the second: there is no number "
                "to compare with. Leave out above and below, or pass the table of one model."
            )
        names = _two_models(table, first, second)
        measured = compared(statistic, threshold, options)
        _check_biasable(measured.name, table[names[0]])
        bias = LabelBias.of(1.0, label_bias_side)
        ordered = measured.name in ("roc_auc", "recall")
        if prior is None and ordered and not table[names[0]].design.one_sample:
            prior = _ANY  # which one is larger does not depend on it
        common = measured.assume(table[names[0]], prior, purity, confidence_level, bias)
        points = {name: measured.on(common, table[name]) for name in names}
        return _point(about_pair(table, measured, points, names), 0.0, common.level)
    check_table(table)
    if first is not None or second is not None:
        raise InputError("first and second name the models of a JointTable. Leave them out here.")
    if (above is None) == (below is None):
        raise InputError("Pass above=… or below=…: what the statistic is concluded to be.")
    target = check_number(below if above is None else above, "below" if above is None else "above")
    setting = Setting.of(table, prior, purity, confidence_level, label_bias_side=label_bias_side)
    return tipping_of(
        setting, statistic, target, below=above is None, threshold=threshold, options=options
    )


def tipping_of(
    setting: Setting,
    statistic: str,
    target: float,
    *,
    below: bool = False,
    threshold: float | None = None,
    options: dict[str, float] | None = None,
) -> TippingPoint:
    """The tipping point of one model in a setting."""
    measured = compared(statistic, threshold, options or {})
    _check_biasable(measured.name, setting.table)
    if not measured.ranks_only:
        check_uncut(setting.table, statistic)
        if measured.name in LOSSES:
            check_probabilities(setting.table, statistic)
    return _point(about_model(setting, measured, target, below), target, setting.level)


def _check_biasable(statistic: str, table: ScoreTable) -> None:
    if statistic == "pulp":
        raise UnsupportedError(
            "pulp judges the ranking of the labelled rows themselves and assumes nothing about how labels "
            "were given, so no bias can overturn it. Choose another statistic."
        )
    check_bias_alone(table)


def _point(question: Question, target: float, level: float) -> TippingPoint:
    margin = question.margin(1.0)
    if np.isnan(margin):
        raise UnsupportedError(
            f"{question.subject} is undefined here, so nothing can be concluded from it. Choose another "
            "threshold or statistic."
        )
    if margin <= 0:
        found = low = 1.0
    else:
        found = _crossing(question.margin, question.guess(), question.deviation)
        low = 1.0
        if question.sure_margin(1.0) > 0:
            low = min(_crossing(question.sure_margin, None, within=1e-5), found)
    return TippingPoint(
        question.statistic,
        question.subject,
        question.relation,
        found,
        low,
        question.value(),
        target,
        level,
        question.scenario,
        question.diagnostics,
    )


def _crossing(
    margin: Callable[[float], float],
    guess: float | None,
    deviation: float = 0.0,
    within: float = 1e-13,
) -> float:
    """Where a margin that is positive at 1 reaches 0; infinite if it never does."""
    from scipy.optimize import brentq

    if guess is not None and 1.0 <= guess <= _MOST and abs(margin(guess)) <= deviation:
        return guess
    low, high = 0.0, float(np.log(2.0))
    while margin(float(np.exp(high))) > 0:
        if high >= np.log(_MOST):
            return np.inf
        low, high = high, min(2 * high, float(np.log(_MOST)))
    root = brentq(lambda log: margin(float(np.exp(log))), low, high, xtol=within, rtol=1e-13)
    return float(np.exp(root))


def _two_models(joint: JointTable, first: str | None, second: str | None) -> tuple[str, str]:
    names = list(joint)
    for word, given in (("first", first), ("second", second)):
        if given is not None and not isinstance(given, str):
            raise InputError(
                f"{word}={shown(given)} is not the name of a model. Pass one of {', '.join(names)}."
            )
    if first is None and second is None and len(names) > 2:
        raise InputError(
            f"There are {len(names)} models. Say which two: first=…, second=… of {', '.join(names)}."
        )
    one = names[0] if first is None else first
    other = next(name for name in names if name != one) if second is None else second
    for name in (one, other):
        _ = joint[name]
    if one == other:
        raise InputError(f"first and second are both {one!r}. Name two different models.")
    return one, other
