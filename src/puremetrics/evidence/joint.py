"""`Joined`: a table, and all evidence about its positives together.

Every kind of evidence is a part of one likelihood (`fit`) of the positives in strata of the score (`ground`).
A statistic is a function of these positives (`goals`): its value is that of the best fit, its interval holds
every value that the evidence does not contradict. The rows as a sample of the population come on top, as
everywhere in this package: squares of both reaches add up.

**What is left open.** A range that somebody gave, of a dependence or of a checker's sensitivity, makes cases.
The value is that of the central ones; the interval reaches over all, at the quantile by which one point
somewhere between them is held (Imbens, Manski 2004). Where ranges are many, each is moved by itself, and what
each adds to the reach is added up. The range of a prior is one limit, not several cases.

**What contradicts what.** Two kinds of evidence are compared by what each alone says of the prior, and of
the share of positives that lie above the middle of the scores. Pairs that differ beyond chance are named, and
their evidence is not averaged: there is no value then, and the interval holds what each of them would give.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from puremetrics.auditing import Audit
from puremetrics.auditing.metrics import PRIOR
from puremetrics.checking.arguments import check_level
from puremetrics.checking.types import FloatArray
from puremetrics.evidence.assumed import RandomLabels, as_prior_evidence
from puremetrics.evidence.checked import Checked, Judged, agreement_of, as_checked
from puremetrics.evidence.fit import Fit, Place, Term, softened
from puremetrics.evidence.goals import Described, Difference, Goal, JudgeRate, goal_of
from puremetrics.evidence.ground import Ground
from puremetrics.evidence.kind import Evidence
from puremetrics.evidence.sources import LabelSources
from puremetrics.evidence.terms import Agreed, Answered
from puremetrics.exceptions import Diagnostic, InputError, UnsupportedError
from puremetrics.numerics.formulas import METRICS, Formula
from puremetrics.numerics.quantiles import holm_adjusted, normal_quantile
from puremetrics.results import PriorEstimate, Trust
from puremetrics.results.protocol import number
from puremetrics.tables.joint import JointTable
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Disagreement", "Joined", "Reached", "as_evidence"]

_FLOOR = 0.01  # answers in each stratum that keep a search from getting lost
_PASSES = 2  # of forecast and strata
_MOST_CASES = 16  # beyond that each range is moved by itself
_CHANCE = 0.05  # level at which evidence contradicts


class Reached(NamedTuple):
    """A value with its limits."""

    value: float
    low: float
    high: float


class Disagreement(NamedTuple):
    """Two kinds of evidence that do not fit together, and by what chance they would differ so much."""

    first: int
    second: int
    p_value: float


class _Above(NamedTuple):
    """A formula of the confusion matrix at a threshold."""

    formula: Formula
    threshold: float

    @property
    def low(self) -> float:
        return self.formula.low

    @property
    def high(self) -> float:
        return self.formula.high

    def cut_at(self, table: ScoreTable) -> float:
        return self.threshold

    def of_counts(self, tp: Any, fp: Any, fn: Any, tn: Any) -> FloatArray:
        return self.formula(tp, fp, fn, tn)


class _Fitted(NamedTuple):
    """The fit of one case: what it stands on, a place at no end to search from, and the best places.

    ``least`` is where the evidence is most likely, ``best`` the same with as little bias as can be.
    """

    ground: Ground
    fit: Fit
    soft: Place
    least: Place
    best: Place


@dataclass(frozen=True, eq=False)
class Joined:
    """A table with evidence; with a second model and the joint table, what both models have in common."""

    table: ScoreTable
    evidence: tuple[Evidence, ...]
    level: float = 0.95
    model: str = "model"
    joint: JointTable | None = None
    other: str | None = None
    kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, table: ScoreTable, evidence: Any, level: float = 0.95, model: str = "model"
    ) -> Joined:
        """Check what a user passes."""
        found = as_evidence(evidence)
        for kind in found:
            kind.check(table)
        if table.weighted or table.has_propensities:
            raise UnsupportedError(
                "Evidence counts rows, so it cannot allow for weights or propensities. Leave them out."
            )
        if table.total_unl <= 0:
            raise UnsupportedError(
                "All rows are labelled, so there is nothing that evidence could tell. Leave it out."
            )
        return cls(table, found, check_level(level), model)

    def __getstate__(self) -> dict[str, Any]:
        # Fits are found by the identity of the evidence, which a copy in another process does not have.
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**own, "kept": {}}

    @property
    def single(self) -> Joined:
        """The evidence of the first model alone."""
        return self if self.other is None else replace(self, joint=None, other=None, kept={})

    @classmethod
    def stated(
        cls,
        table: ScoreTable,
        evidence: Any,
        *,
        prior: Any = None,
        purity: Any = None,
        level: float = 0.95,
        label_bias: float | None = None,
        audit: Audit | None = None,
        model: str = "model",
    ) -> Joined:
        """All that a user states: a prior, a label bias and an audit are evidence like any other.

        Labels are taken as random only if somebody says so: by ``label_bias``, or by `RandomLabels`.
        """
        if purity is not None and not (np.ndim(purity) == 0 and purity == 1):
            raise UnsupportedError(
                "Evidence takes all labels as right, so purity=… cannot be passed beside it. Leave it out, "
                "or leave out the labels of a source that errs."
            )
        found = list(evidence) if isinstance(evidence, list | tuple) else [evidence]
        if label_bias is not None:
            found.append(RandomLabels(label_bias))
        if audit is not None:
            found.append(audit)
        if prior is not None:
            found.append(as_prior_evidence(prior))
        return cls.of(table, found, level, model)

    def assumptions(self) -> dict[str, Any]:
        """What an estimate says of its assumptions."""
        at = self.prior_value
        known = not np.isnan(at)
        clusters = self.table.clusters
        alone = clusters is None or clusters.alone
        return {
            "scenario": self.table.scenario,
            "prior": at if known else None,
            "unlabeled_share": self.table.design.unlabeled_share(self.table.totals, at)
            if known
            else None,
            "purity": 1.0,
            "label_bias": 1.0,
            "n_groups": None if alone or clusters is None else clusters.number,
            "design_effect": None if alone else self._stretch**2,
        }

    @cached_property
    def prior_value(self) -> float:
        """The share of positives in the population; NaN if evidence contradicts itself."""
        if self.disagreements:
            return np.nan
        central = self.fitted((-np.inf,), self._cases[0][0])
        return goal_of(central.ground, self.model, PRIOR)(central.best.hidden)[0]

    def of_pair(self, joint: JointTable, models: tuple[str, str]) -> Joined:
        """The evidence of two models on the same rows."""
        first, second = models
        return replace(self, table=joint[first], model=first, joint=joint, other=second, kept={})

    def only(self, kinds: Sequence[int]) -> Joined:
        """The table with some of the evidence."""
        key = ("only", tuple(kinds))
        if key not in self.kept:
            self.kept[key] = replace(self, evidence=tuple(self.evidence[i] for i in kinds), kept={})
        found: Joined = self.kept[key]
        return found

    def at_level(self, level: float) -> Joined:
        """The same at another confidence level."""
        return replace(self, level=level, kept={})

    # ---------------------------------------------------------------- fits

    @cached_property
    def _stretch(self) -> float:
        """What intervals are longer by because rows belong to groups."""
        from puremetrics.tables.clusters import head_effect

        clusters = self.table.clusters
        if clusters is None or clusters.alone:
            return 1.0
        parts = [part for part in (clusters.pos, clusters.unl) if part is not None]
        return float(np.sqrt(max(1.0, *(head_effect(part) for part in parts))))

    def _ground(self, thresholds: tuple[float, ...]) -> Ground:
        judge = next((k.judge for k in self.evidence if k.judge is not None), None)
        if self.joint is None or self.other is None:
            return Ground.of(self.table, self.model, thresholds[0], judge)
        pair = (self.model, self.other)
        return Ground.of_pair(self.joint, pair, (thresholds[0], thresholds[-1]), judge)

    def fitted(self, thresholds: tuple[float, ...], case: tuple[Evidence, ...]) -> _Fitted:
        """The fit of all evidence in one case, with strata that end at the thresholds."""
        key = (thresholds, tuple(id(kind) for kind in case))
        if key not in self.kept:
            self.kept[key] = (self._fit(thresholds, case), case)  # which keeps the ids taken
        found: _Fitted = self.kept[key][0]
        return found

    def _fit(self, thresholds: tuple[float, ...], case: tuple[Evidence, ...]) -> _Fitted:
        central = self._cases[0][0]
        ground = (
            self._stratified(thresholds, case)
            if case is central
            else self.fitted(thresholds, central).ground
        )
        terms, right = (
            tuple(term for kind in case for term in kind.terms(ground, corrected))
            for corrected in (False, True)
        )
        fit, soft = Fit(ground.cells, terms, floor=_FLOOR), softened(ground.cells, terms)
        best = Fit(ground.cells, right).best(softened(ground.cells, right).theta)
        return _Fitted(ground, fit, soft, fit.best(soft.theta), best)

    def _stratified(self, thresholds: tuple[float, ...], case: tuple[Evidence, ...]) -> Ground:
        """Strata that hold enough evidence each, and a forecast within them."""
        ground = self._ground(thresholds)
        marks = [apart for kind in case if (apart := kind.apart(ground)) is not None]
        apart = None if not marks else np.unique(np.stack(marks), axis=1, return_inverse=True)[1]
        told = [kind.information(ground) for kind in case]
        ground = ground.stratified(sum(told, np.zeros(ground.axis.size)), apart)
        for _ in range(_PASSES):
            parts = [kind.terms(ground, False) for kind in case]
            terms = tuple(term for part in parts for term in part)
            soft = softened(ground.cells, terms)
            fit, positives = Fit(ground.cells, terms), ground.labelled
            scale = np.ones(ground.axis.size)
            for kind, part in zip(case, parts, strict=True):
                for term in part:
                    positives = kind.positives(ground, fit.own(term, soft.theta), positives)
            np.divide(positives, ground.labelled, out=scale, where=ground.labelled > 0)
            share = float(np.clip(soft.hidden.sum() / max(ground.rows.sum(), 1.0), 1e-4, 0.9))
            ground = ground.forecast(positives, share)
            weighed = [
                each * (scale if isinstance(kind, LabelSources) else 1.0)
                for kind, each in zip(case, told, strict=True)
            ]
            ground = ground.stratified(sum(weighed, np.zeros(ground.axis.size)), apart)
        return ground

    @cached_property
    def _cases(self) -> tuple[list[tuple[Evidence, ...]], bool]:
        """The cases, the central one first, and whether they are all combinations of the ranges."""
        own = [kind.cases() for kind in self.evidence]
        if np.prod([len(each) for each in own]) <= _MOST_CASES:
            return [tuple(case) for case in product(*own)], True
        central = tuple(each[0] for each in own)
        found = [central]
        for place, each in enumerate(own):
            for one in each[1:]:
                found.append((*central[:place], one, *central[place + 1 :]))
        return found, False

    # ---------------------------------------------------------------- estimates

    def estimate(self, statistic: Described) -> Reached:
        """A statistic of the model."""
        at = (statistic_threshold(statistic, self.table),)
        return self._reached(at, lambda ground: goal_of(ground, self.model, statistic))

    def difference(self, statistic: Described) -> Reached:
        """A statistic of the first model less that of the other."""
        assert self.joint is not None
        assert self.other is not None
        tables = (self.joint[self.model], self.joint[self.other])
        at = tuple(statistic_threshold(statistic, table) for table in tables)
        span = statistic.high - statistic.low

        def goal(ground: Ground) -> Goal:
            first, second = (goal_of(ground, name, statistic) for name in ground.views)
            return Difference(first, second, -span, span)

        return self._reached(at, goal)

    def counts(self, threshold: float) -> tuple[float, float, float, float]:
        """True and false positives, false and true negatives at a threshold, by the best fit."""
        found = self.fitted((threshold,), self._cases[0][0])
        above = found.ground.views[self.model].above
        positive, negative = found.ground.population(self.model, found.best.hidden)
        tp, fp, fn, tn = (
            float(part[side].sum()) for side in (above, ~above) for part in (positive, negative)
        )
        return tp, fp, fn, tn

    def _reached(self, at: tuple[float, ...], make: Any) -> Reached:
        """Value and limits over all cases."""
        cases, whole = self._cases
        fits = [self.fitted(at, case) for case in cases]
        goals = [make(there.ground) for there in fits]
        value = goals[0](fits[0].best.hidden)[0]
        if np.isnan(value):
            return Reached(value, np.nan, np.nan)
        q = normal_quantile(self.level) * self._stretch
        first = self._limits(fits[0], goals[0], value, q)
        if len(cases) == 1:
            return first
        found = [goal(there.best.hidden)[0] for goal, there in zip(goals, fits, strict=True)]
        middles = np.array([value if np.isnan(middle) else middle for middle in found])
        reach = max(first.high - value, value - first.low)
        shorter = _quantile_of_point(self.level, float(np.ptp(middles)), reach / q)
        q *= shorter / normal_quantile(self.level)
        every = [
            self._limits(there, goal, float(middle), q)
            for there, goal, middle in zip(fits, goals, middles, strict=True)
        ]
        lows, highs = (np.array([one[side] for one in every]) for side in (1, 2))
        if whole:
            return Reached(value, float(lows.min()), float(highs.max()))
        low, high = lows[0], highs[0]
        for place in range(len(self.evidence)):
            mine = [i for i, case in enumerate(cases) if i and case[place] is not cases[0][place]]
            if mine:
                low -= max(0.0, lows[0] - lows[mine].min())
                high += max(0.0, highs[mine].max() - highs[0])
        return Reached(value, float(max(low, goals[0].low)), float(min(high, goals[0].high)))

    def _limits(self, found: _Fitted, goal: Goal, value: float, q: float) -> Reached:
        low, high = (
            found.fit.end(found.soft, found.least, goal, q, side, last)
            for side, last in ((-1, goal.low), (1, goal.high))
        )
        rows = q * goal.error_of_rows(found.best.hidden)
        low, high = min(low, value), max(high, value)
        return Reached(
            value,
            max(value - float(np.hypot(value - low, rows)), goal.low),
            min(value + float(np.hypot(high - value, rows)), goal.high),
        )

    def told(self, statistic: Described) -> Reached:
        """A statistic as it is told: without a value, and with what each would give, if kinds contradict."""
        return self._together(lambda part: part.estimate(statistic))

    def told_difference(self, statistic: Described) -> Reached:
        """The difference of two models, likewise."""
        return self._together(lambda part: part.difference(statistic))

    def _together(self, measure: Any) -> Reached:
        if not self.disagreements:
            found: Reached = measure(self)
            return found
        each = [measure(part) for part in self.consistent]
        return Reached(np.nan, min(one.low for one in each), max(one.high for one in each))

    @property
    def kind(self) -> Any:
        """What intervals are: sampling error, or what is left open as well."""
        stated = any(kind.open for kind in self.evidence)
        return "combined" if stated or self.disagreements else "confidence"

    # ---------------------------------------------------------------- what contradicts what

    @cached_property
    def disagreements(self) -> tuple[Disagreement, ...]:
        """Pairs of kinds that differ beyond chance, allowing for how many pairs there are."""
        if self.other is not None:
            return self.single.disagreements
        pairs = list(combinations(range(len(self.evidence)), 2))
        chances = np.array([self._chance_of(*pair) for pair in pairs])
        if not pairs:
            return ()
        adjusted = holm_adjusted(chances)
        return tuple(
            Disagreement(*pair, float(p))
            for pair, p in zip(pairs, adjusted, strict=True)
            if p < _CHANCE
        )

    @property
    def consistent(self) -> list[Joined]:
        """The evidence without one or the other of each pair that contradicts itself."""
        sets = [set(range(len(self.evidence)))]
        for one, other, _ in self.disagreements:
            sets = [
                less
                for kept in sets
                for less in ((kept - {one}, kept - {other}) if {one, other} <= kept else (kept,))
            ]
        found: list[Joined] = []
        for kept in sorted({tuple(sorted(kept)) for kept in sets if kept}):
            found.append(self.only(kept))
        return found

    def _chance_of(self, first: int, second: int) -> float:
        """The chance by which two kinds of evidence would differ so much if both were right.

        What they leave open speaks in their favour: of all cases the ones that fit best count.
        """
        pairs = product(self._alone(first), self._alone(second))
        return max(_chance_to_differ(one, other, self.level) for one, other in pairs)

    def _alone(self, place: int) -> list[tuple[Reached, ...]]:
        """What one kind alone says of the prior, and of where positives lie, in each of its cases."""
        key = ("alone", place)
        if key not in self.kept:
            goals: list[Described] = [PRIOR]
            if self.table.total_pos > 1:
                middle = float(
                    self.table.scores_of("pos", np.ceil(np.array([self.table.total_pos / 2])))[0]
                )
                goals.append(_Above(METRICS["recall"], middle))
            own = (
                replace(self, evidence=(case,), kept={}) for case in self.evidence[place].extremes()
            )
            self.kept[key] = [tuple(one.estimate(goal) for goal in goals) for one in own]
        found: list[tuple[Reached, ...]] = self.kept[key]
        return found

    # ---------------------------------------------------------------- in words

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is fragile about the evidence, and what contradicts what."""
        at = (-np.inf,) * (1 if self.other is None else 2)
        found = self.fitted(at, self._cases[0][0])
        told = [kind.information(found.ground) for kind in self.evidence]
        said = [
            remark
            for kind, own in zip(self.evidence, told, strict=True)
            for remark in kind.remarks(found.ground, sum(told) - own)
        ]
        said += [
            Diagnostic("PM152", self._clash(clash) + " Find out which, and leave the other out.")
            for clash in self.disagreements
        ]
        return tuple(said)

    def _clash(self, clash: Disagreement) -> str:
        one, other = self.evidence[clash.first], self.evidence[clash.second]
        alone = [self.only([i]).estimate(PRIOR) for i in (clash.first, clash.second)]
        told = [
            f"a prior of {number(a.value)} ({number(a.low)} to {number(a.high)})" for a in alone
        ]
        return (
            f"two assumptions cannot both hold: that {one.assumes}; and that {other.assumes}. The first "
            f"({one.title}) alone gives {told[0]}, the second ({other.title}) {told[1]}."
        )

    @cached_property
    def trust(self) -> Trust:
        """How far the evidence can be trusted."""
        if self.disagreements:
            return Trust("contradicted", self._clash(self.disagreements[0]))
        rest = "; ".join(kind.title for kind in self.evidence)
        return Trust("evidence", f"the figures rest on evidence beside the scores: {rest}.")

    # ---------------------------------------------------------------- judges and checkers

    @cached_property
    def rates(self) -> dict[str, Reached]:
        """How often judge and checkers are right, how often they agree, and what label sources catch.

        Empty where evidence contradicts itself, or says nothing of the kind.
        """
        rates: dict[str, Reached] = {}
        if self.disagreements:
            return rates
        at = (-np.inf,) * (1 if self.other is None else 2)
        found = self.fitted(at, self._cases[0][0])
        for kind in self.evidence:
            if isinstance(kind, LabelSources) and self.table.design.one_sample:
                rates.update(self._caught(kind))
            if isinstance(kind, Judged):
                for name, positives in (("sensitivity", True), ("specificity", False)):
                    rates[f"judge's {name}"] = self._reached(at, _judge_rate(kind.yes, positives))
            if isinstance(kind, Checked) and len(kind.names) > 1:
                told = agreement_of(kind.answers, kind.names)
                for first, second, share in zip(
                    told["first"], told["second"], told["agree"], strict=True
                ):
                    rates[f"{first} and {second} agree"] = Reached(float(share), np.nan, np.nan)
        for term in found.fit.terms:
            if isinstance(term, Answered | Agreed) and term.start.size:
                rates.update(self._learnt(found, term))
        return rates

    def _caught(self, kind: LabelSources) -> dict[str, Reached]:
        """The share of all positives that each source of labels caught."""
        prior, rows = self.estimate(PRIOR), self.table.total
        return {
            f"{name} catches": Reached(
                *(
                    min(float(kind.caught[:, place].sum()) / max(end * rows, 1e-300), 1.0)
                    for end in (prior.value, prior.high, prior.low)
                )
            )
            for place, name in enumerate(kind.names)
        }

    def _learnt(self, found: _Fitted, term: Term) -> dict[str, Reached]:
        """Sensitivity and specificity of checkers, from the best fit, with limits on the logit scale."""
        names = next(
            (k.names for k in self.evidence if isinstance(k, Checked) and not k._infallible),
            ("checker",),
        )
        part = found.fit.part_of(term)
        own = found.soft.theta[part] + (term.usual if isinstance(term, Agreed) else 0.0)
        spread = np.sqrt(np.maximum(np.diag(np.linalg.pinv(found.soft.information))[part], 0.0))
        q, rates = normal_quantile(self.level), {}
        for place, (at, error) in enumerate(zip(own, spread, strict=True)):
            what = "sensitivity" if place < own.size // 2 else "specificity"
            ends = 1 / (1 + np.exp(-(at + np.array([0.0, -q * error, q * error]))))
            rates[f"{names[place % len(names)]}'s {what}"] = Reached(*(float(end) for end in ends))
        return rates


def _judge_rate(yes: tuple[float, ...], positives: bool) -> Callable[[Ground], JudgeRate]:
    """How often a judge says yes of positives, or no of negatives."""
    return lambda ground: JudgeRate(ground, np.array(yes)[ground.answer], positives)


def as_evidence(evidence: Any) -> tuple[Evidence, ...]:
    """Check a list of evidence; audits and estimates of the prior are evidence, too."""
    listed = list(evidence) if isinstance(evidence, list | tuple) else [evidence]
    if not listed:
        raise InputError("evidence is empty. Pass at least one kind, or leave it out.")
    found: list[Evidence] = []
    for one in listed:
        if isinstance(one, Evidence):
            found.append(one)
        elif isinstance(one, Audit):
            found.append(as_checked(one))
        elif isinstance(one, PriorEstimate):
            found.append(as_prior_evidence(one))
        else:
            raise InputError(
                f"evidence holds a {type(one).__name__}, which is none. Pass LabelSources, Investigated, "
                "Judged, PublishedPrior, RandomLabels, KnownNegatives, an Audit or an estimate of the prior."
            )
    if sum(kind.judge is not None for kind in found) > 1:
        raise InputError("There are two judges. Pass one, or combine their answers first.")
    sources = [isinstance(kind, LabelSources) for kind in found]
    if sum(sources) > 1:
        raise InputError("LabelSources stand twice. Pass all sources in one.")
    if any(sources) and any(isinstance(kind, RandomLabels) for kind in found):
        raise InputError(
            "Label sources say themselves how labels depend on the score, so RandomLabels would count the "
            "same rows twice. Leave one of them out."
        )
    return tuple(found)


def statistic_threshold(statistic: Described, table: ScoreTable) -> float:
    """Where the ranges of a statistic must end: its threshold, or the end of its list."""
    at = statistic.cut_at(table) if hasattr(statistic, "cut_at") else -np.inf
    return float(at)


def _quantile_of_point(level: float, open_: float, error: float) -> float:
    """The quantile at which both ends of a range hold one point of it (Imbens and Manski 2004)."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    if error <= 0:
        return normal_quantile(level)
    ratio = open_ / error
    if float(ndtr(ratio)) - 0.5 >= level:  # what is left open holds it so often by itself
        return 0.0
    return float(
        brentq(
            lambda c: float(ndtr(c + ratio) - ndtr(-c)) - level, 0.0, normal_quantile(level) + 1e-9
        )
    )


_OF_PRIOR, _OF_SHAPE = 0.8, 0.2  # parts of the chance of an error that both comparisons share


def _chance_to_differ(
    first: tuple[Reached, ...], second: tuple[Reached, ...], level: float
) -> float:
    """The chance of two sets of numbers being so far apart, from limits on the sides that face each other."""
    from scipy.special import ndtr

    chances = []
    for one, other, part in zip(first, second, (_OF_PRIOR, _OF_SHAPE), strict=False):
        low, high = (one, other) if one.value <= other.value else (other, one)
        reach = float(np.hypot(low.high - low.value, high.value - high.low)) / normal_quantile(
            level
        )
        apart = (high.value - low.value) / reach if reach > 0 else np.inf * (high.value > low.value)
        if np.isfinite(apart) or apart == np.inf:
            chances.append(2 * float(ndtr(-apart)) / part)
    return min([1.0, *chances])
