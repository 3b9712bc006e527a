"""How far an evaluation can be trusted, and what scores, labels and prior give reason to say.

**Grades** (`graded`). Each headline figure has a grade, and says what it rests on:

- *high*: rows that were checked, or labels of every row, say it, and its interval is at most 0.2 wide;
- *good*: checked rows, or assumptions that somebody stated (a prior, and how labels were given), and an
  interval at most 0.3 wide;
- *fair*: it rests on something that nobody stated: a prior that was estimated from the scores, or labels that
  are taken as a random sample because nothing else was said; or its interval is up to 0.5 wide;
- *low*: the interval is wider than half of the range, the prior that it needs is not known, rows of an audit
  were not checked in their order, or the data look damaged;
- *none*: the assumptions and the data contradict each other, so there is no figure.

An evaluation is as good as the worst figure that it is about.

**Trust** (`trust_of_prior`, `trust_of_models`). What contradicts what comes first. Everything that depends on
the prior is as good as the prior, so the trust of an evaluation is that of its prior: given, audited, or
estimated from scores (`priors.trusting`). Two things overrule it. A prior above what the rankings allow and
labels that are a random sample cannot both be true; nor can a purity below what they allow. And a ranking
that is backwards, no better than chance, or no ranking of rows that its model had not seen, gives no figure
worth a headline, whatever the prior. The limit that is told is that of all models.

**Remarks** (`remarks_of`) are what the scores, the labels and the prior themselves give reason to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from puremetrics.bounds.largest import above_largest
from puremetrics.calibration.bins import score_span
from puremetrics.comparing.ranges import ModelRanking
from puremetrics.comparing.tipping import TippingPoint
from puremetrics.evaluation.page_numbers import alike_share, least_purity
from puremetrics.evidence.checked import AuditedRows
from puremetrics.exceptions import Diagnostic, PuremetricsError, UnsupportedError
from puremetrics.priors.labelling import labelling_of, least_bias_of
from puremetrics.priors.trusting import contradiction
from puremetrics.results import Estimate, PriorEstimate, Result, Trust
from puremetrics.setting import PriorLike, Setting
from puremetrics.statistics import naive_auc
from puremetrics.statistics.statistic import Statistic
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from puremetrics.evaluation.model import ModelEvaluation

__all__ = [
    "CAUTIONS",
    "GRADES",
    "FigureTrust",
    "Grade",
    "about_labels",
    "crossing_remark",
    "graded",
    "is_damaged",
    "limit_remark",
    "lowest_grade",
    "remarks_of",
    "tells_number",
    "trust_of_models",
    "trust_of_prior",
]

Grade = Literal["none", "low", "fair", "good", "high"]
GRADES: tuple[Grade, ...] = ("none", "low", "fair", "good", "high")  # rising
CAUTIONS = ("PM508", "PM506", "PM509", "PM507")  # what is said before any figure
_DAMAGED = ("PM506", "PM509")  # figures of such rows are wrong
_HIGH, _GOOD, _KNOWN = 0.2, 0.3, 0.5  # the widest interval of each grade, of a range of 1
_FEW_CHECKED = 20  # rows, of which an audit says little about its own error


@dataclass(frozen=True, eq=False, repr=False)
class FigureTrust(Result):
    """How far a headline figure can be trusted, and what it rests on.

    Attributes
    ----------
    figure : str
        Its name, such as "precision".
    grade : {"high", "good", "fair", "low", "none"}
    rests_on : tuple of str
        What must be true for it: the prior, labels at random, no wrong label; or the rows that were checked.
    width : float
        Of its interval; 1 if it has none.
    tipping : TippingPoint or None
        How biased labels must be for the figure to fall below a round number.
    needs_prior : bool
        Whether the prior is one of the things that it rests on.
    """

    figure: str
    grade: Grade
    rests_on: tuple[str, ...]
    width: float
    tipping: TippingPoint | None = None
    needs_prior: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether the interval leaves at most half of the range, so that a single number means something."""
        return self.grade != "none" and self.width <= _KNOWN

    def __str__(self) -> str:
        return f"{self.figure}: {self.grade}, rests on {', '.join(self.rests_on) or 'nothing'}"


def lowest_grade(found: Mapping[str, FigureTrust]) -> Grade:
    """The worst grade; "none" of no figures."""
    return min((one.grade for one in found.values()), key=GRADES.index, default="none")


def graded(model: ModelEvaluation, figures: Mapping[str, Estimate]) -> dict[str, FigureTrust]:
    """How far each of these figures of a model can be trusted."""
    return {name: _graded(model, name, found) for name, found in figures.items()}


def _graded(model: ModelEvaluation, name: str, found: Estimate) -> FigureTrust:
    statistic = model.statistics[name]
    width = _width(found, statistic)
    by_prior = _needs_prior(model, statistic)
    rests_on = _assumptions(model, by_prior)
    grade = _by_width(width)
    if model.trust.level == "contradicted":
        grade = "none"
    elif model.audited is not None:
        audit = model.audited.audit
        if any(remark.code == "PM131" for remark in audit.diagnostics):
            grade = "low"
        elif audit.n_checked < _FEW_CHECKED:
            grade = _at_most("fair", grade)
    elif model.joined is not None:
        if not all(isinstance(kind, AuditedRows) for kind in model.joined.evidence):
            grade = _at_most("good", grade)
    elif model.table.total_unl > 0:
        stated = model.wanted.labels_stated or model.table.has_propensities
        estimated = by_prior and model.trust.level in ("identified", "upper_bound")
        grade = _at_most("good" if stated and not estimated else "fair", grade)
        if by_prior and model.trust.level == "upper_bound" and width > _GOOD:
            grade = "low"
    if is_damaged(model):
        grade = _at_most("low", grade)
    beside = model.audited is not None or model.joined is not None
    prior = by_prior and not beside and model.table.total_unl > 0
    return FigureTrust(name, grade, rests_on, width, needs_prior=prior)


def is_damaged(model: ModelEvaluation) -> bool:
    """Whether the rows themselves make every figure wrong, whatever is assumed."""
    return any(remark.code in _DAMAGED for remark in model.remarks)


def tells_number(model: ModelEvaluation, name: str) -> bool:
    """Whether a figure is told as a number: its interval leaves at most half of the range.

    Nor is it where the prior that it needs was estimated from classes that overlap.
    """
    found, statistic = model.corrected[name], model.statistics[name]
    if model.trust.level == "contradicted" or _width(found, statistic) > _KNOWN:
        return False
    return model.trust.level != "upper_bound" or not _needs_prior(model, statistic)


def _width(found: Estimate, statistic: Statistic) -> float:
    """Of the interval, as a share of what the figure can be; 1 without one."""
    ends = found.interval
    return 1.0 if ends is None or np.isnan(ends.width) else ends.width / statistic.span


def _by_width(width: float) -> Grade:
    if width > _KNOWN:
        return "low"
    return "high" if width <= _HIGH else "good" if width <= _GOOD else "fair"


def _at_most(most: Grade, grade: Grade) -> Grade:
    return min(most, grade, key=GRADES.index)


def _needs_prior(model: ModelEvaluation, statistic: Statistic) -> bool:
    """Whether a figure changes with the prior: not that of random, right labels which needs none."""
    setting = model.setting
    return not (statistic.prior_free and setting.bias.is_random and setting.assumed.clean)


def _assumptions(model: ModelEvaluation, by_prior: bool) -> tuple[str, ...]:
    """What must be true for a figure to be right, in words that follow "if"."""
    if model.audited is not None:
        return ("the answers to the checked rows are right",)
    if model.joined is not None:
        return tuple(kind.assumes for kind in model.joined.evidence)
    if model.table.total_unl == 0:
        return ()
    known = model.setting.assumed
    said = []
    if by_prior:
        if known.is_point:
            said.append(f"the prior is {known.value:.4g}")
        else:
            said.append(f"the prior is between {known.low:.3g} and {known.high:.3g}")
    return (*said, *about_labels(model))


def about_labels(model: ModelEvaluation) -> tuple[str, str]:
    """What must be true of the labels: how they were given, and how many are right."""
    known, bias = model.setting.assumed, model.setting.bias
    if model.table.has_propensities:
        given = "labels were given with the chances that the propensities say"
    elif bias.is_random:
        given = "labels are a random sample of the positives"
    else:
        what = "odds" if model.setting.design.one_sample else "chance"
        side = "" if bias.side == "either" else f", {bias.side} scores preferred"
        most = f"{bias.most:.4g} times the {what} of a label that another has"
        given = f"no positive has more than {most}{side}"
    right = "no label is wrong"
    if known.purity_low < 1.0:
        ends = dict.fromkeys(f"{100 * end:.3g}" for end in (known.purity_low, known.purity_high))
        right = f"{' to '.join(ends)}% of the labels are right"
    return given, right


def trust_of_prior(
    named: Mapping[str, ScoreTable],
    setting: Setting,
    given: PriorLike,
    estimate: PriorEstimate | None,
    limit: float | None,
) -> Trust:
    """The trust of the prior that all models share; ``limit`` is the largest that all of them allow."""
    against = _prior_against(setting, limit) or _purity_against(named, setting)
    if against is not None:
        return against
    if estimate is not None:
        found = estimate.trust or Trust("known", "the prior was given as an estimate.")
        return replace(found, limit=limit) if found.limit is not None else found
    if given is None:
        return Trust("known", "every row is labelled, so the prior can be counted.")
    return Trust("known", "the prior was given.")


def trust_of_models(
    named: Mapping[str, ScoreTable], prior: Trust, level: float
) -> dict[str, Trust]:
    """The trust of every model: that of the prior, unless its own scores say otherwise."""
    if prior.level == "contradicted":
        return dict.fromkeys(named, prior)
    return {name: _against(table, level) or prior for name, table in named.items()}


def _prior_against(setting: Setting, limit: float | None) -> Trust | None:
    least = setting.assumed.low
    if limit is None or least <= limit:
        return None
    meant = f" (if {least:g}% was meant, pass {least / 100:g})"
    known = setting.assumed
    at = "" if known.clean else f" at purity {known.purity_high:.4g}"
    return Trust(
        "contradicted",
        f"a prior of {least:.4g} is above {limit:.4g}, the largest that the data allow{at} with confidence "
        f"{setting.level:g}: the prior is too high, or the labels are not a random sample of the positives"
        f"{meant if least / 100 <= limit and least >= 0.1 else ''}.",
        "Checking some unlabeled rows would tell which (prior_from_audit).",
    )


def _purity_against(named: Mapping[str, ScoreTable], setting: Setting) -> Trust | None:
    """A purity below what the data allow.

    Labelled rows are a mixture β P + (1 − β) N and the unlabeled are a P + (1 − a) N. If the labelled contain
    the unlabeled's distribution at most with share s, then 1 − β ≤ s (1 − a).
    """
    known = setting.assumed
    if known.purity_high == 1.0 or setting.table.total_unl == 0:
        return None
    if setting.table.has_propensities and setting.design.one_sample:
        return None  # the unlabeled positives differ from the labelled ones
    level = 1 - (1 - setting.level) / len(named)
    hidden = setting.design.unlabeled_share(setting.table.totals, known.low, known.purity_high)
    least = least_purity(alike_share(list(named.values()), level), float(hidden))
    if known.purity_high >= least:
        return None
    return Trust(
        "contradicted",
        f"a purity of {known.purity_high:.4g} is below {least:.4g}, the least that the data allow with "
        f"confidence {setting.level:g} at prior {known.low:.4g}: the labelled rows differ too much from the "
        "unlabeled ones for so many of them to be wrong.",
        "Checking some labelled rows would tell the purity.",
    )


def _against(table: ScoreTable, level: float) -> Trust | None:
    if table.total_unl == 0:
        return None
    try:
        return contradiction(table, level)
    except UnsupportedError:
        return None


_MUCH_TIED = 0.2
_LABELLING_LEVEL = 0.99
_SEEN = 0.95  # AUC of labelled against unlabeled rows
_LEFT = 0.6  # hidden positives for each labelled one, at most
_DISTINCT = 20  # scores
_SOME = 1000  # rows of a table


def remarks_of(
    setting: Setting, tested: bool, threshold: float | None = None, limit: float | None = None
) -> list[Diagnostic]:
    """Remarks on one model; ``tested`` if the prior does not come from the same scores.

    ``threshold`` is the one that was given; ``limit`` the largest prior that the data allow, if none was
    given.
    """
    table = setting.table
    low, high = score_span(table)
    remarks = [*_traps(table, threshold, low, high), *_seen_in_training(setting, limit)]
    if table.hidden is not None:
        remarks.append(
            Diagnostic(
                "PM606",
                f"the labelled scores did not fit and were put into {table.score.size} buckets. ROC AUC "
                "and average precision come with brackets; all else counts the rows of a bucket as tied.",
            )
        )
    if low < 0 or high > 1:
        remarks.append(
            Diagnostic(
                "PM504",
                f"scores span {low:.4g} to {high:.4g} and are not probabilities, so calibration was left "
                "out. `recalibrate` turns them into probabilities.",
            )
        )
    tied = _largest_tie(table)
    if tied >= _MUCH_TIED:
        remarks.append(
            Diagnostic(
                "PM505",
                f"{100 * tied:.0f}% of the unlabeled rows share one score, and no threshold can part "
                "them: curves are straight there, and tied pairs count one half. Score them more "
                "finely if you can.",
            )
        )
    if tested:
        with suppress(PuremetricsError):  # weights, or no unlabeled rows: nothing to compare
            remarks += labelling_of(setting.with_level(_LABELLING_LEVEL)).diagnostics
    return remarks


def _traps(table: ScoreTable, threshold: float | None, low: float, high: float) -> list[Diagnostic]:
    """What a file shows to be wrong before anything is computed: copied rows, predictions, a threshold."""
    found = []
    if threshold is not None and (threshold > high or threshold <= low):
        flagged = "no row" if threshold > high else "every row"
        meant = ""
        if threshold > high and low <= threshold / 100 <= high:
            meant = f" If {threshold:g}% was meant, pass threshold={threshold / 100:g}."
        found.append(
            Diagnostic(
                "PM508",
                f"the scores lie between {low:.4g} and {high:.4g}, so a threshold of {threshold:g} flags "
                f"{flagged}.{meant}",
            )
        )
    if table.is_cut or table.is_scanned or table.weighted:
        return found
    if table.score.size == 2 and table.total > _DISTINCT:
        found.append(
            Diagnostic(
                "PM507",
                f"there are only two scores, {table.score[1]:.4g} and {table.score[0]:.4g}: these look like "
                "predictions. ROC AUC and average precision of predictions are those of a single threshold. "
                "Pass the probabilities or scores behind them.",
            )
        )
    copies = _copies(table)
    if copies > 1 and table.score.size >= _DISTINCT:
        found.append(
            Diagnostic(
                "PM506",
                f"every score occurs {'twice' if copies == 2 else f'{copies} times'} with the same label: "
                "rows seem to be copied, which makes every interval too narrow. Remove the copies, or name "
                "what the rows share as groups.",
            )
        )
    return found


def _copies(table: ScoreTable) -> int:
    """How many times every score occurs with each label, at the least."""
    for rows in (
        slice(_SOME),
        slice(None),
    ):  # the first ones tell nearly always, and spare the rest
        columns = [np.asarray(c[rows]) for c in (table.n_pos, table.n_unl, table.n_neg)]
        shared = int(np.gcd.reduce([np.gcd.reduce(c.astype(np.int64)) for c in columns]))
        if shared <= 1:
            return 1
    return shared


def _seen_in_training(setting: Setting, limit: float | None) -> list[Diagnostic]:
    """Labelled rows so far above the others that hardly any of these can be positive.

    Positives among the unlabeled score like labelled ones, unless the model has learnt which rows are
    labelled. Scores of rows that trees or boosting were trained on left at most half as many hidden
    positives as labelled ones in ten of ten trials; held-out scores of the same models left three to five
    times as many.
    """
    table = setting.table
    if limit is None or min(table.total_pos, table.total_unl) < _DISTINCT or table.has_propensities:
        return []
    share = setting.design.unlabeled_share(table.totals, limit) or 0.0
    hidden = float(share) * table.total_unl
    if hidden > _LEFT * table.total_pos or naive_auc(table).value < _SEEN:
        return []
    return [
        Diagnostic(
            "PM509",
            f"labelled rows score so far above all others that at most {100 * float(share):.2g}% of the "
            "unlabeled rows can be positive. Either nearly every positive is labelled, or the model was "
            "trained on these rows: use scores of rows that it has not seen.",
        )
    ]


def crossing_remark(ranking: ModelRanking) -> list[Diagnostic]:
    """PM502 if the best model depends on the prior within its range, which the ranking is of."""
    if not ranking.crossings:
        return []
    low, high = float(ranking.prior[0]), float(ranking.prior[-1])
    return [
        Diagnostic(
            "PM502",
            f"the best model by AUC changes at prior {ranking.crossings[0]:.4g}, inside its range "
            f"{low:.4g} to {high:.4g}: narrow the prior before choosing a model.",
        )
    ]


def limit_remark(limit: float | None, setting: Setting) -> list[Diagnostic]:
    """PM503 if the prior is above what the ranking allows, with how biased labels would have to be."""
    if limit is None or setting.assumed.low <= limit:
        return []
    how = "not a random sample"
    with suppress(PuremetricsError):
        bias = least_bias_of(setting).low
        if bias > max(setting.bias.most, 1.0):
            how = f"biased: some positives {setting.design.favoured(f'at least {bias:.3g}')}"
    return above_largest(setting, limit, how)


def _largest_tie(table: ScoreTable) -> float:
    """Share of the unlabeled rows in the largest group of ties, if it is large; O(log rows)."""
    if table.total_unl == 0 or table.is_cut or table.is_scanned:
        return 0.0
    heads = np.floor(table.total_unl * np.arange(1, 10) / 10)
    above, through = table.unlabeled_steps(heads)
    return float(np.max(through - above)) / table.total_unl
