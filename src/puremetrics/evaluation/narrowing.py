"""Where the width of an interval comes from, and what more data would buy.

The width of the interval of the area under the ROC curve has four sources: few labelled positives, few rows
to compare them with, an uncertain prior (or purity), and biased labels. The first two come from the parts of
the linearised variance, the others are how much the range of the prior, and the bias, widen the interval.

Checking rows by hand serves in two ways. It tells the prior, and labels are still taken as random. Or the
area is estimated from the checked rows themselves (``audit=…``), which assumes neither: another interval,
narrower or wider than the one that is there.

**Advice** (`advice_of`) is about the headline figure with the widest interval: the smallest audit that about
halves it, else more labels, else a prior from elsewhere, each with the width to expect. Audits are forecast
by the positives that labels make one expect, a metric over all that its precision may be; more labels by the
same rows counted several times. Beside other evidence both are forecast with it (`expecting`). Where there
are no figures, it is about what contradicts what (`advice_without_figures`).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from puremetrics.auditing.expected_positives import expected_rates
from puremetrics.evaluation.expecting import rows_to_settle, with_answers, with_known_prior
from puremetrics.exceptions import Diagnostic, PuremetricsError, UnsupportedError
from puremetrics.planning.strata import Ground, area_outlook, flat_widths, rough_widths
from puremetrics.results import Columns, Estimate, Result
from puremetrics.sampling.limits import agresti_coull, linear_variance
from puremetrics.setting import RANDOM, Setting, independent
from puremetrics.statistics import naive_auc
from puremetrics.statistics.roc_area import RocAuc, area_influence
from puremetrics.statistics.statistic import Statistic

if TYPE_CHECKING:
    from puremetrics.evaluation.model import ModelEvaluation
    from puremetrics.evaluation.records import Evaluation

__all__ = [
    "ENOUGH",
    "MORE",
    "Advice",
    "Narrowing",
    "advice_of",
    "advice_without_figures",
    "narrowing_of",
]

_AUDITS = (50, 200, 1000)
_NEXT = 200  # rows of the plan that is proposed
_NARROWER = 0.98  # of the width: what saves less does not help


@dataclass(frozen=True, eq=False, repr=False)
class Narrowing(Result):
    """Where the width of the AUC's interval comes from, and what more data would buy.

    Attributes
    ----------
    width : float
        Of the interval as it is.
    due_to_positives, due_to_others, due_to_prior, due_to_bias : float
        Shares of it, adding up to 1.
    twice_the_labels, twice_the_rows : float
        Approximate width with twice as many labelled positives, or other rows.
    audits : dict of int to float
        Approximate width if so many unlabeled rows, drawn at random, were checked by hand to tell the prior.
    planned_audits, random_audits : dict of int to float
        Approximate width of the interval that such rows themselves give (``roc_auc(table, audit=…)``), which
        assumes neither a prior nor random labels: rows planned by `plan_audit`, or drawn at random. Empty
        where no audit can be planned: on tables that are cut or weighted, or have no unlabeled rows.
    """

    width: float
    due_to_positives: float
    due_to_others: float
    due_to_prior: float
    twice_the_labels: float
    twice_the_rows: float
    audits: dict[int, float]
    diagnostics: tuple[Diagnostic, ...] = ()
    due_to_bias: float = 0.0
    planned_audits: dict[int, float] = field(default_factory=dict)
    random_audits: dict[int, float] = field(default_factory=dict)

    def frame(self) -> Columns:
        """Return one row for the width as it is and for each thing that would narrow it."""
        rows = self._more_data
        for kind, audits in (("planned", self.planned_audits), ("random", self.random_audits)):
            rows |= {f"an audit of {n} {kind} rows": width for n, width in audits.items()}
        return {"what": np.array(list(rows)), "width": np.array(list(rows.values()))}

    @property
    def _more_data(self) -> dict[str, float]:
        """Widths of the interval as it is made now."""
        rows = {"now": self.width, "twice the labels": self.twice_the_labels}
        rows["twice the other rows"] = self.twice_the_rows
        return rows | {f"the prior from {n} random rows": w for n, w in self.audits.items()}

    @property
    def next_step(self) -> str:
        """How to get the rows to check; empty where no audit can be planned."""
        if not self.planned_audits:
            return ""
        budget = _NEXT if _NEXT in self.planned_audits else max(self.planned_audits)
        return f"plan_audit(table, budget={budget}, target='roc_auc') says which rows to check"

    def __str__(self) -> str:
        parts = zip(
            (self.due_to_positives, self.due_to_others, self.due_to_prior, self.due_to_bias),
            ("labelled positives", "other rows", "prior", "label bias"),
            strict=True,
        )
        told = ", ".join(
            f"{100 * share:.0f}% from the {what}"
            for share, what in parts
            if share > 0 or what != "label bias"
        )
        lines = [f"the AUC's interval is {self.width:.4f} wide: {told}"]
        lines += self._bought()
        lines += self._checked()
        return "\n".join(lines)

    def _bought(self) -> list[str]:
        """What more data, or a better prior, would do."""
        more = {what: width for what, width in self._more_data.items() if what != "now"}
        useful = [f"{what} ({width:.4f})" for what, width in more.items() if self._helps(width)]
        useless = [what for what, width in more.items() if not self._helps(width)]
        lines = [f"it would be narrower with {', '.join(useful)}"] if useful else []
        if useless:
            lines.append(f"it would hardly be narrower with {', '.join(useless)}")
        return lines

    def _checked(self) -> list[str]:
        """What rows checked by hand would do, with neither a prior nor random labels assumed."""
        helping = {n: width for n, width in self.planned_audits.items() if self._helps(width)}
        if self.planned_audits and not helping:
            return [f"an audit of up to {max(self.planned_audits)} rows would not help"]
        if not helping:
            return []
        told = [f"{n} rows ({_planned(w, self.random_audits[n])})" for n, w in helping.items()]
        return [
            f"checked by hand, with neither a prior nor random labels assumed: {', '.join(told)}"
        ]

    def _helps(self, width: float) -> bool:
        return width < _NARROWER * self.width


def _planned(planned: float, random: float) -> str:
    """The width that planned rows give, and random ones if that is another."""
    both = f"{planned:.4f}", f"{random:.4f}"
    return both[0] if both[0] == both[1] else f"{both[0]}, or {both[1]} if drawn at random"


def narrowing_of(setting: Setting, area: Estimate) -> Narrowing:
    """Return the sources of the width of the AUC's interval."""
    known = setting.assumed
    parts = linear_variance(setting.samples, *area_influence(setting.heads, setting.gap))
    fixed = area if known.is_point else RocAuc().estimate(setting.at(setting.prior))
    random = fixed
    if not setting.bias.is_random:
        random = RocAuc().estimate(setting.at(setting.prior).with_bias(RANDOM))
    assert area.interval is not None
    assert fixed.interval is not None
    assert random.interval is not None
    width, sampling = area.interval.width, random.interval.width
    by_prior = max(width - fixed.interval.width, 0.0) / width if width > 0 else 0.0
    by_bias = max(fixed.interval.width - sampling, 0.0) / width if width > 0 else 0.0
    share = parts.from_positives / parts.total if parts.total > 0 else 0.5
    spread = known.high - known.low
    audits = {}
    if spread > 0 and setting.table.total_unl > 0:
        for rows in _AUDITS:
            low, high = agresti_coull(known.value, rows, setting.level)
            audits[rows] = width - by_prior * width * (1 - min((high - low) / spread, 1.0))
    planned: dict[int, float] = {}
    at_random: dict[int, float] = {}
    if independent(setting.table):
        planned, at_random = area_outlook(
            setting.table, setting.unlabeled_share or 0.0, _AUDITS, setting.level
        )
    return Narrowing(
        width=width,
        due_to_positives=(1 - by_prior - by_bias) * share,
        due_to_others=(1 - by_prior - by_bias) * (1 - share),
        due_to_prior=by_prior,
        due_to_bias=by_bias,
        twice_the_labels=width - sampling * (1 - np.sqrt(share / 2 + 1 - share)),
        twice_the_rows=width - sampling * (1 - np.sqrt(share + (1 - share) / 2)),
        audits=audits,
        planned_audits=planned,
        random_audits=at_random,
    )


# ------------------------------------------------------------------------ what to do next

_BUDGETS = (50, 100, 200, 400, 800)
_TIMES = (2, 4, 8)
ENOUGH = 0.1  # width of an interval that needs no narrowing
_TESTED = 100  # rows to check where nothing but the assumptions is in doubt
_AUDITED_PRIOR = 200  # rows to check for the prior
_HALF = 0.55  # of the width: what a recommended audit leaves at most
_THIRD_LESS = 0.65  # of the width: what anything that is recommended leaves at most
_MOST_PRIOR = 0.98
_TELLING = 20  # checked rows whose interval tells what more of them would give
_WORLDS = 5  # precisions inside the interval at which an audit is forecast
_MOST_SAVED = 0.5  # of the width, by strata
_LEAST_RECALL = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class Advice(Result):
    """What would narrow the widest headline figure most cheaply, and what else would.

    Attributes
    ----------
    kind : {"audit", "labels", "rows", "prior", "reverse", "nothing"}
        Check rows by hand; get more labelled positives; get more rows of both kinds; find the prior
        elsewhere; negate the scores; or nothing that is known to help, or that is needed.
    figure : str
        The figure that is to become narrower.
    model : str
    width, expected : float
        The width of its interval now, and what to expect of it then.
    rows : int or None
        Rows to check by hand.
    times : int or None
        How many times as many labels, or rows, as there are.
    threshold : float or None
        Where the figure is taken.
    alternatives : dict of str to float
        Other ways, and the width to expect of each.
    """

    kind: str
    figure: str
    model: str
    width: float
    expected: float
    rows: int | None = None
    times: int | None = None
    threshold: float | None = None
    alternatives: dict[str, float] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        return (
            f"{self.kind} for {self.figure}: {self.width:.3f} now, about {self.expected:.3f} then"
        )


def advice_of(model: ModelEvaluation) -> Advice:
    """What would narrow the widest headline figure of a model."""
    widths = {name: one.width for name, one in model.graded.items()}
    if model.audited is not None and model.audited.audit.target in widths:
        widths = {name: w for name, w in widths.items() if name == model.audited.audit.target}
    name = max(widths, key=lambda each: widths[each])
    width = widths[name] * model.statistics[name].span
    at = model.headlines[name].threshold
    found = Advice(
        "nothing",
        name,
        model.name,
        width,
        width,
        threshold=None if at is None else _short(model, at),
    )
    if width <= ENOUGH:
        testable = model.joined is not None or _audits(model, name, np.inf)
        tested = _TESTED if model.audited is None and testable else None
        return replace(found, rows=tested)
    audits = _audits(model, name, _HALF * width)
    labels = _more_labels(model, name)
    more = "rows" if model.setting.design.one_sample else "labels"
    known = _with_known_prior(model, name)
    ways: list[Advice] = []
    for most in (_HALF, _THIRD_LESS):
        ways += [
            replace(found, kind="audit", rows=rows, expected=then)
            for rows, then in audits.items()
            if then <= most * width
        ][:1]
        ways += [
            replace(found, kind=more, times=times, expected=then)
            for times, then in labels.items()
            if then <= most * width
        ][:1]
    if known is not None and known <= _THIRD_LESS * width:
        ways.append(replace(found, kind="prior", expected=known))
    if not ways:
        return found
    chosen = ways[0]
    others = {}
    if chosen.kind != "prior" and known is not None and known <= _THIRD_LESS * width:
        others["a prior known from elsewhere"] = known
    if chosen.kind != more and labels and labels[4] <= _THIRD_LESS * width:
        others[f"four times as many {MORE[more]}"] = labels[4]
    return replace(chosen, alternatives=others)


def advice_without_figures(result: Evaluation) -> Advice | None:
    """What would help where the assumptions and the data contradict each other."""
    name, model = next(iter(result.models.items()))
    table, known = model.table, result.prior
    ranked = naive_auc(table).interval
    if ranked is not None and ranked.high < 0.5:
        return Advice("reverse", "roc_auc", name, 1.0, 1.0)
    if model.joined is not None:
        rows = rows_to_settle(model.joined, _BUDGETS[0], _BUDGETS[-1])
        if rows is None or rows > table.total_unl:
            return None
        width = known.high - known.low
        return Advice("audit", "prior", name, width, width / 2, rows=rows)
    if result.checked is not None or result.prior_source != "given" or not independent(table):
        return None
    if table.is_cut or not table.whole or table.total_unl < _AUDITED_PRIOR:
        return None
    low, high = agresti_coull(known.value, _AUDITED_PRIOR, result.level)
    return Advice("audit", "prior", name, 1.0, high - low, rows=_AUDITED_PRIOR)


MORE = {"labels": "labelled positives", "rows": "rows labelled at the same rate"}


def _audits(model: ModelEvaluation, name: str, enough: float) -> dict[int, float]:
    """Widths to expect of a figure from audits of so many rows, rising; none if none can be planned.

    Beside other evidence it ends with the first that is short enough.
    """
    table, statistic = model.table, model.statistics[name]
    if table.is_cut or not table.whole or table.total_unl < _BUDGETS[0] or table.has_propensities:
        return {}
    if model.joined is not None:
        found: dict[int, float] = {}
        for rows, then in with_answers(model, name, [b for b in _BUDGETS if b <= table.total_unl]):
            found[rows] = then
            if then <= enough:
                break
        return found
    checked = 0 if model.audited is None else model.audited.audit.n_checked
    budgets = [rows for rows in _BUDGETS if 1.5 * checked <= rows <= table.total_unl]
    if model.audited is not None and model.audited.audit.target == name and checked >= _TELLING:
        width = model.graded[name].width * statistic.span  # more rows of the same plan
        return {rows: width * float(np.sqrt(checked / rows)) for rows in budgets}
    ground = _ground(model, statistic, model.setting.assumed.value)
    with suppress(UnsupportedError):
        if ground.sum_of(statistic) is None:
            return _metric_audits(model, statistic, ground, budgets)
        known = model.setting.assumed
        most = min(known.high, _MOST_PRIOR)
        priors = {(known.low + most) / 2}  # which a handful of checked rows does not put at an end
        if model.audited is None:
            priors = {(known.low + known.value) / 2, known.value, (most + known.value) / 2}
        rough = [
            rough_widths(_ground(model, statistic, prior), statistic, budgets, model.setting.level)
            for prior in sorted(priors)
        ]
        # Between the narrowest and the widest, on the scale of logarithms.
        return {
            rows: float(np.sqrt(min(f[rows] for f in rough) * max(f[rows] for f in rough)))
            for rows in budgets
        }
    return {}


def _ground(model: ModelEvaluation, statistic: Statistic, prior: float) -> Ground:
    """Where positives are expected among the unlabeled rows at a prior."""
    table = model.table
    share = float(model.setting.design.unlabeled_share(table.totals, prior) or 0.0)
    within = min(max(share, 1.0 / table.total_unl), 1.0)
    return Ground.of(table, expected_rates(table, within), statistic.threshold)


def _metric_audits(
    model: ModelEvaluation, statistic: Statistic, ground: Ground, budgets: list[int]
) -> dict[int, float]:
    """Widths of a metric, over all that its precision may be, and less what strata by score save.

    What is hidden above the threshold follows from the precision, what is hidden below from the recall.
    """
    level = model.setting.level
    rough = rough_widths(ground, statistic, budgets, level)
    flat = rough_widths(ground, statistic, budgets, level, strata=1)
    ends = model.corrected["precision"].interval
    found = max(model.corrected["recall"].value, _LEAST_RECALL)
    if ends is None or not np.isfinite(found):
        return rough
    hidden = []
    for place in (np.arange(_WORLDS) + 0.5) / _WORLDS:
        precision = ends.low + place * ends.width
        counted = [float(c) for c in ground.counted(0.0, ground.above)]
        hits = precision * sum(counted)
        missed = hits * (1 - found) / found
        hidden.append((hits - counted[0], missed - float(ground.counted(0.0, ~ground.above)[0])))
    widths = flat_widths(ground, statistic, budgets, level, hidden)
    saved = {rows: rough[rows] / flat[rows] if flat[rows] > 0 else 1.0 for rows in budgets}
    return {rows: widths[rows] * min(max(saved[rows], _MOST_SAVED), 1.0) for rows in budgets}


def _more_labels(model: ModelEvaluation, name: str) -> dict[int, float]:
    """Widths with so many times as many labels (case-control) or rows; none where the prior is open."""
    setting, table, statistic = model.setting, model.table, model.statistics[name]
    if (
        model.audited is not None
        or model.joined is not None
        or table.weighted
        or table.clusters is not None
        or table.is_scanned
    ):
        return {}
    if not setting.assumed.is_point and not statistic.prior_free:
        return {}
    found = {}
    for times in _TIMES:
        others = times if setting.design.one_sample else 1
        counts = (times * table.n_pos, others * table.n_unl, others * table.n_neg)
        with suppress(PuremetricsError):
            larger = statistic.estimate(setting.on(table.with_counts(*counts))).interval
            if larger is not None:
                found[times] = larger.width
    return found if len(found) == len(_TIMES) else {}


def _with_known_prior(model: ModelEvaluation, name: str) -> float | None:
    """The width if the prior were known to be what it is taken for; None if it is, or does not matter."""
    if model.joined is not None:
        return with_known_prior(model, name)
    setting, statistic = model.setting, model.statistics[name]
    if setting.assumed.is_point or statistic.prior_free or model.audited is not None:
        return None
    with suppress(PuremetricsError):
        ends = statistic.estimate(setting.at(setting.prior)).interval
        return None if ends is None else ends.width
    return None


def _short(model: ModelEvaluation, threshold: float) -> float:
    """The threshold in as few digits as flag the same rows."""
    rows = model.setting.rows
    wanted = rows.shares_at(threshold)
    for digits in range(3, 17):
        rounded = float(f"{threshold:.{digits}g}")
        if rows.shares_at(rounded) == wanted:
            return rounded
    return threshold
