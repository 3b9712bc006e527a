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
from functools import cached_property
from typing import Any

import numpy as np

from puremetrics.checking.arguments import check_number, shown
from puremetrics.comparing.comparison import difference_ends, linear_values
from puremetrics.correction.biased import BiasedHeads
from puremetrics.exceptions import Diagnostic, InputError, UnsupportedError
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Columns, Result
from puremetrics.results.protocol import number, percent
from puremetrics.scenarios import Scenario, design_of
from puremetrics.setting import LabelBias, PriorLike, PurityLike, Setting, check_table
from puremetrics.statistics.catalogue import find
from puremetrics.statistics.statistic import Centre, Statistic
from puremetrics.tables.framing import takes_data
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
        return f"{self.subject} could {self.condition}."

    @property
    def short(self) -> str:
        """The sentence in short, where it follows another one of its kind."""
        if self.label_bias <= 1.0 or self.low <= 1.0 or np.isinf(self.low):
            return self.words
        return f"{self.subject} could {self._failing} at {self.brief}."

    @property
    def condition(self) -> str:
        """What may happen from ``low`` on: "fall below 0.8 if some positives were 3 times as likely …"."""
        return f"{self._failing} if {design_of(self.scenario).preferred(self.ratio)}"

    @property
    def _failing(self) -> str:
        side, _, rest = self.relation.partition(" ")
        return f"{'fall below' if side == 'above' else 'rise above'} {rest}"

    @property
    def brief(self) -> str:
        """``low`` in a few words: "3.4 times the odds" or "7% higher odds"."""
        return design_of(self.scenario).preferred_briefly(self.ratio)

    @property
    def ratio(self) -> str:
        """``low`` as a multiple, or as what one chance exceeds another by: "3.4 times" or "7%"."""
        if float(self._times) >= 2:
            return f"{self._times} times"
        more = f"{100 * (float(self._times) - 1):.10g}"
        return f"{more}%"

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
            f"  the conclusion fails at a label bias of {number(self.label_bias)} "
            f"(with {percent(self.level)} confidence, not below {number(self.low)})",
        ]
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


class Question:
    """A conclusion: what must stay above 0, as estimated and at its lower limit, at each Γ."""

    @property
    def statistic(self) -> str:
        """Name of the statistic."""
        raise NotImplementedError

    @property
    def scenario(self) -> Scenario:
        """How the data arose."""
        raise NotImplementedError

    @property
    def subject(self) -> str:
        """What is concluded about."""
        raise NotImplementedError

    @property
    def relation(self) -> str:
        """What is concluded: "above 0.8"."""
        raise NotImplementedError

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Remarks about the assumptions."""
        raise NotImplementedError

    def value(self) -> float:
        """The statistic at random labels."""
        raise NotImplementedError

    def margin(self, ratio: float) -> float:
        """How far the worse end of the range is on the right side."""
        raise NotImplementedError

    def sure_margin(self, ratio: float) -> float:
        """How far the worse limit of the interval is on the right side."""
        raise NotImplementedError

    def guess(self) -> float | None:
        """The tipping point by a formula, where there is one."""
        return None

    @property
    def deviation(self) -> float:
        """How far the margin may be off by computation."""
        return 1e-10


@dataclass(frozen=True)
class ModelQuestion(Question):
    """A statistic of one model above or below a number."""

    setting: Setting
    asked: Statistic
    target: float
    below: bool

    @property
    def statistic(self) -> str:
        return self.asked.name

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return self.setting.diagnostics

    @property
    def scenario(self) -> Scenario:
        return self.setting.scenario

    @property
    def subject(self) -> str:
        return self.asked.title

    @property
    def relation(self) -> str:
        return f"{'below' if self.below else 'above'} {self.target:g}"

    @cached_property
    def _grouped(self) -> Setting:
        return self.asked.with_groups(self._at(1.0, self.setting))

    @cached_property
    def _centre(self) -> Centre:
        return self.asked.centre(self._grouped)

    def value(self) -> float:
        return self._centre.value

    def _at(self, ratio: float, setting: Setting) -> Setting:
        return setting.with_bias(LabelBias(ratio, setting.bias.side))

    def _signed(self, ends: Any) -> float:
        return float(self.target - max(ends) if self.below else min(ends) - self.target)

    def margin(self, ratio: float) -> float:
        value = self.value()
        if ratio == 1.0 or np.isnan(value):
            return self._signed((value,))
        at = self._at(ratio, self._grouped)
        return self._signed((value, *self.asked.bias_range(at, self._centre)))

    def sure_margin(self, ratio: float) -> float:
        found = self.asked.interval_around(self._at(ratio, self._grouped), self._centre)
        return -np.inf if found is None else self._signed(tuple(found))

    @property
    def deviation(self) -> float:
        return 1e-10 if self.setting.on_blocks() is self.setting else 1e-6

    def guess(self) -> float | None:
        return self.asked.tipping_guess(self.setting, self.target, self.below)


@dataclass(frozen=True)
class PairQuestion(Question):
    """One model better than another."""

    joint: JointTable
    asked: Statistic
    points: dict[str, Setting]
    names: tuple[str, str]

    @property
    def statistic(self) -> str:
        return self.asked.name

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return self.points[self.names[0]].diagnostics

    @property
    def scenario(self) -> Scenario:
        return self.points[self.names[0]].scenario

    @property
    def subject(self) -> str:
        return f"{self.asked.title} of {self.names[0]}"

    @property
    def relation(self) -> str:
        return f"{'above' if self.asked.sign > 0 else 'below'} that of {self.names[1]}"

    def value(self) -> float:
        first, second = (self.asked.plain(self.points[name]) for name in self.names)
        return first - second

    def _ends(self, ratio: float) -> tuple[tuple[float, float], tuple[float, float]]:
        points = {
            name: point.with_bias(LabelBias(ratio, point.bias.side))
            for name, point in self.points.items()
        }
        return difference_ends(self.joint, points, self.asked, self.names)

    def margin(self, ratio: float) -> float:
        return min(self.asked.sign * end for end in self._ends(ratio)[0])

    def sure_margin(self, ratio: float) -> float:
        return min(self.asked.sign * end for end in self._ends(ratio)[1])

    def guess(self) -> float | None:
        if not self.asked.linear:
            return None
        values, share = linear_values(self.joint, self.asked, self.points, self.names)
        setting = self.points[self.names[0]].with_bias(LabelBias(2.0))
        weight = BiasedHeads(setting).weight
        if setting.purity < 1 or weight <= 0:
            return None
        values = self.asked.sign * values
        target = weighted_sum(share, values) - self.asked.sign * self.value() / weight
        up, down = _parts(share, values - target)
        return up / down if down > 0 else np.inf


def _parts(share: Any, apart: Any) -> tuple[float, float]:
    """Sums of what is above and of what is below 0."""
    return weighted_sum(share, np.maximum(apart, 0.0)), weighted_sum(share, np.maximum(-apart, 0.0))


@takes_data  # type: ignore[arg-type]  # because of **options
def tipping_point(
    table: ScoreTable | JointTable,
    statistic: str | Statistic = "roc_auc",
    *,
    above: float | None = None,
    below: float | None = None,
    prior: PriorLike = None,
    purity: PurityLike = None,
    threshold: float | None = None,
    top: float | None = None,
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
        Any statistic that depends on the labels: "roc_auc", "average_precision", "brier_score", "ndcg", a
        metric at ``threshold`` …
    above, below : float
        One of them, for one model: the conclusion is that the statistic is above, or below, this number.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population.
    purity : float or (low, high), default 1
        Share of true positives among the labelled.
    threshold : float, optional
        For metrics of the confusion matrix.
    top : int or float, optional
        For statistics of the first rows.
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
                "With a JointTable the question is whether the first model is better than the second, so "
                "above and below have no meaning. Leave them out, or pass the table of one model."
            )
        names = _two_models(table, first, second)
        asked = find(statistic, options, threshold=threshold, top=top).for_differences()
        asked.check_biasable(table[names[0]])
        if prior is None and asked.order_ignores_prior and not table[names[0]].design.one_sample:
            prior = _ANY  # which one is larger does not depend on it
        common = asked.assume(
            table[names[0]], prior, purity, confidence_level, 1.0, label_bias_side
        )
        points = {name: asked.on(common, table[name]) for name in names}
        return _point(PairQuestion(table, asked, points, names), 0.0, common.level)
    check_table(table)
    if first is not None or second is not None:
        raise InputError("first and second name the models of a JointTable. Leave them out here.")
    if (above is None) == (below is None):
        raise InputError("Pass above=… or below=…, the conclusion to test.")
    target = check_number(below if above is None else above, "below" if above is None else "above")
    asked = find(statistic, options, threshold=threshold, top=top)
    asked.check_biasable(table)
    asked.check(table)
    setting = Setting.of(table, prior, purity, confidence_level, label_bias_side=label_bias_side)
    return tipping_of(setting, asked, target, below=above is None)


def tipping_of(
    setting: Setting, statistic: Statistic, target: float, *, below: bool = False
) -> TippingPoint:
    """The tipping point of one model in a setting."""
    statistic.check_biasable(setting.table)
    statistic.check(setting.table)
    return _point(ModelQuestion(setting, statistic, target, below), target, setting.level)


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
            f"There are {len(names)} models. Choose two, as first=… and second=…, from {', '.join(names)}."
        )
    one = names[0] if first is None else first
    other = next(name for name in names if name != one) if second is None else second
    for name in (one, other):
        _ = joint[name]
    if one == other:
        raise InputError(f"first and second are both {one!r}. Name two different models.")
    return one, other
