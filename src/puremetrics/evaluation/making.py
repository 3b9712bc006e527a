"""The standard set of everything: one honest picture of one or more classifiers.

`evaluate` states the assumptions once, for all models on the same rows, and puts results side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from puremetrics.auditing import Audit, Audited, audited_prior, check_alone
from puremetrics.bounds.contingency import LatentChoice
from puremetrics.bounds.largest import largest_prior
from puremetrics.checking.arguments import check_level, check_number, shown
from puremetrics.comparing.comparison import (
    Comparison,
    compare,
    comparison_of,
    joined_comparison,
)
from puremetrics.comparing.drifting import drift
from puremetrics.evaluation.biased import biased_prior
from puremetrics.evaluation.model import ModelEvaluation, Wanted, checked_rows
from puremetrics.evaluation.records import Evaluation
from puremetrics.evaluation.trusting import remarks_of, trust_of_models, trust_of_prior
from puremetrics.evidence import Joined, joint_prior
from puremetrics.exceptions import (
    InputError,
    PuremetricsError,
    UnsupportedError,
)
from puremetrics.numerics.formulas import find_formula
from puremetrics.priors.combining import of_models
from puremetrics.priors.estimate import estimate_prior
from puremetrics.priors.propensity import prior_from_propensities
from puremetrics.results import PriorEstimate
from puremetrics.setting import LabelBias, PriorLike, PurityLike, Setting, check_bias_alone
from puremetrics.statistics.catalogue import find, metrics
from puremetrics.statistics.statistic import Statistic
from puremetrics.tables.framing import takes_data
from puremetrics.tables.joint import JointTable
from puremetrics.tables.score_table import ScoreTable
from puremetrics.tables.segments import Segments

__all__ = ["evaluate"]

_SURE = 0.98  # largest prior that a correction is made with


@takes_data
def evaluate(
    tables: ScoreTable | Segments | JointTable | Mapping[str, ScoreTable] | Mapping[str, Segments],
    *,
    prior: PriorLike = None,
    purity: PurityLike = None,
    threshold: float | None = None,
    objective: str = "f1",
    top: int | None = None,
    confidence_level: float = 0.95,
    rng: Any = 0,
    label_bias: float | None = None,
    label_bias_side: str = "either",
    audit: Audit | None = None,
    also: str | Statistic | Sequence[str | Statistic] = (),
    prior_of: str = "population",
    evidence: Any = None,
) -> Evaluation:
    """Evaluate one classifier, or several on the same rows.

    Parameters
    ----------
    tables : ScoreTable, JointTable, Segments, or mapping of str to a table
        A `JointTable` knows which rows of its models belong together: their differences get intervals.
        A data frame of any library does as well, or a mapping of names to columns: name its columns with
        ``label``, ``score`` (one or several) and, if rows belong together, ``groups``, and pass the
        ``scenario``; ``pos_label``, ``unlabeled_label`` and ``neg_label`` are those of
        `ScoreTable.from_arrays`.
        For `Segments` (see `scan`), the rows of all segments are evaluated together, and ``drifts`` compares
        the segments of each model; ``drift`` is that of the first.
    prior : float, (low, high) or PriorEstimate, optional
        P(y = 1) in the population. Without one it is estimated from the scores of all models together, with
        an interval that allows for negatives that look like positives.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; a range widens every interval.
    threshold : float, optional
        Operating point, ``score >= threshold``; without one it is chosen to be best for ``objective``.
    objective : str, default "f1"
    top : int, optional
        For how many unlabeled rows, the best ones, it is told what checking them would find; 100 if left
        out, or all of fewer.
    confidence_level : float, default 0.95
    rng : int or Generator, default 0
        Seed of the bootstraps, so that a second run says the same.
    label_bias, label_bias_side : float, optional, and {"either", "high", "low"}
        How many times as likely to be labelled some positives may be as others; see `roc_auc`. It widens
        every interval and bound, and that of an estimated prior. Left out, labels are taken as a random
        sample of the positives, and trust is at most "fair", because nobody said so; 1 says so.
    audit : Audit, optional
        Rows that were checked (`plan_audit`), with their scores by every model. Figures then rest on them
        and assume neither a prior nor random labels; what follows if labels are random stands beside them.
    also : str, Statistic, or list of these, optional
        Further statistics to be told beside the figures, such as "ndcg" or "brier_score"; metrics at the
        operating point, such as "npv"; or one of your own.
    prior_of : {"population", "rows"}
        Whose share of positives the prior is; see `roc_auc`.
    evidence : list, optional
        What else is known of the positives: `LabelSources`, `Investigated`, `Judged`, `PublishedPrior`,
        `RandomLabels`, `KnownNegatives`, audits. Of a data frame it may be columns as well: several label
        columns (``label=["reported", "rule"]``), answers of people (``checked="outcome"``, with ``second``
        for second ones), a judge of all rows (``judge="llm"``). All of it is put together, prior, audit and
        ``label_bias`` included, and ``evaluation.evidence`` says what each kind is worth.

    Returns
    -------
    Evaluation
        ``print`` gives the verdict and five figures a model. ``evaluation["model"]["roc_auc"]`` is a figure
        with its interval, `details` all of them, `to_html` the report, `to_dict` and `to_frame` the numbers.
        Whatever is not on the first screen is computed when first asked for.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=range(40, 80), unlabeled=range(60), scenario="case_control")
    >>> result = evaluate(table, prior=0.2)
    >>> result.models["model"].corrected["roc_auc"].value > result.models["model"].naive["roc_auc"].value
    True
    """
    level = check_level(confidence_level)
    named, segments = _named(tables)
    _check_tables(named)
    formula, _ = find_formula(objective, {})
    at = None if threshold is None else check_number(threshold, "threshold")
    rows = checked_rows(top, next(iter(named.values())))
    extra = _further(also)
    bias = LabelBias.of(1.0 if label_bias is None else label_bias, label_bias_side)
    if not bias.is_random:
        check_bias_alone(next(iter(named.values())))
    first = next(iter(named))
    joined: dict[str, Joined] = {}
    if evidence is not None:
        joined = {
            name: Joined.stated(
                table, evidence, prior=prior, purity=purity, level=level, label_bias=label_bias,
                audit=audit, model=name,
            )
            for name, table in named.items()
        }  # fmt: skip
        prior, purity, audit, bias = (
            _stand_in(joint_prior(joined[first])),
            None,
            None,
            LabelBias(1.0),
        )
    if audit is not None:
        check_alone(prior, bias.most)
        prior = audited_prior(Audited.of(named[first], audit, purity, level, first))
        prior = _cut_below_one(prior)
    told = audit is not None or bool(joined)
    limit = None if told else _largest(named, prior, purity, level, bias)
    common, source, estimate = _common_setting(
        named, prior, purity, level, rng, limit, bias, prior_of
    )
    if told and estimate is not None and estimate.trust is not None:
        believed, source = estimate.trust, "from the audit" if audit else "from the evidence"
        trust = dict.fromkeys(named, believed)  # whatever the labels are like
    else:
        believed = trust_of_prior(named, common, prior, estimate, limit)
        trust = trust_of_models(named, believed, level)
    tested = prior is not None and not isinstance(prior, PriorEstimate)
    wanted = Wanted(
        at, formula, extra, rng, limit, _latent_choice(common),
        _possible_priors(common, estimate, limit), rows, label_bias is not None, top is not None,
    )  # fmt: skip
    models = {}
    for name, table in named.items():
        setting = common.on(table)
        checked = None if audit is None else Audited.of(table, audit, purity, level, name)
        models[name] = ModelEvaluation(
            name,
            table,
            trust[name],
            setting,
            wanted,
            tuple(remarks_of(setting, tested, at, limit if prior is None else None)),
            checked,
            joined.get(name),
        )
        for figure in extra:
            if isinstance(figure, Statistic):
                figure.check(table)
        _ = models[name].corrected  # what is wrong with the data is said here
    drifts = {
        name: drift(own, prior=prior, purity=purity, confidence_level=level)
        for name, own in segments.items()
    }
    found = list(trust.values())
    paired = None
    if isinstance(tables, JointTable) and len(named) > 1:
        with suppress(
            PuremetricsError
        ):  # a prior that the data contradict, or weights: nothing to compare
            paired = _compared(tables, common, audit, purity, level, joined)
    return Evaluation(
        models, common.assumed, source, limit, level, common,
        label_bias=bias.most,
        label_bias_side=bias.side,
        trust=found[0] if len(found) == 1 or all(t.level == "contradicted" for t in found) else believed,
        estimate=estimate,
        checked=audit,
        drifts=drifts,
        comparison=paired,
    )  # fmt: skip


def _further(also: Any) -> tuple[Statistic | str, ...]:
    """The statistics that are to be told as well; metrics by name wait for the threshold."""
    listed = [also] if isinstance(also, str | Statistic) else also
    if listed is None:
        return ()
    if not isinstance(listed, list | tuple):
        raise InputError(
            f"also={shown(also)} must be the name of a statistic, a Statistic, or a list of these, such as "
            "['ndcg', 'brier_score']."
        )
    known = metrics()
    return tuple(each if isinstance(each, str) and each in known else find(each) for each in listed)


def _compared(
    joint: JointTable,
    common: Setting,
    audit: Audit | None,
    purity: PurityLike,
    level: float,
    joined: Mapping[str, Joined],
) -> Comparison:
    """The models' ROC areas, pair by pair."""
    if joined:
        return joined_comparison(joint, find("roc_auc"), joined)
    if audit is not None:
        return compare(joint, audit=audit, purity=purity, confidence_level=level)
    return comparison_of(joint, find("roc_auc"), common)


def _stand_in(estimate: PriorEstimate) -> PriorEstimate:
    """The estimate as a correction can take it: with a value even where evidence contradicts itself."""
    if np.isnan(estimate.prior) and estimate.interval is not None:
        estimate = replace(estimate, prior=(estimate.interval.low + estimate.interval.high) / 2)
    return _cut_below_one(estimate)


def _cut_below_one(estimate: PriorEstimate) -> PriorEstimate:
    """The estimate as a correction can take it: an interval that does not reach 1."""
    interval = estimate.interval
    if interval is None or interval.high < _SURE:
        return estimate
    cut = replace(interval, low=min(interval.low, _SURE), high=_SURE)
    return replace(estimate, prior=min(estimate.prior, _SURE), interval=cut)


def _common_setting(
    named: Mapping[str, ScoreTable],
    prior: PriorLike,
    purity: PurityLike,
    level: float,
    rng: Any,
    limit: float | None,
    bias: LabelBias,
    prior_of: str,
) -> tuple[Setting, str, PriorEstimate | None]:
    """What is assumed about the rows that all models share, where the prior comes from, and its estimate.

    All models have the same prior: what their scores say of it is put together (`of_models`), and nothing
    above what all of them allow is kept.
    """
    first = next(iter(named.values()))
    if prior is not None:
        given = prior if isinstance(prior, PriorEstimate) else None
        source = "given" if given is None else "estimate"
        known = (level, bias.most, bias.side, prior_of)
        return Setting.of(first, prior, purity, *known), source, given
    if first.total_unl == 0:
        return Setting.of(first, None, purity, level).with_bias(bias), "labels", None
    if purity is None and first.has_propensities and first.design.one_sample:
        weighed = prior_from_propensities(first, confidence_level=level)
        return Setting.of(first, weighed, purity, level), "given by the propensities", weighed
    found = {
        name: estimate_prior(table, purity=purity, confidence_level=level, rng=rng)
        for name, table in named.items()
    }
    source = "estimated from the scores"
    if len(found) > 1:
        source += f" of {len(found)} models"
    estimate = _cut_to_limit(
        biased_prior(of_models(list(found.values())), first, bias, limit), limit, level
    )
    return Setting.of(first, estimate, None, level).with_bias(bias), source, estimate


def _possible_priors(
    common: Setting, estimate: PriorEstimate | None, limit: float | None
) -> tuple[float, float] | None:
    """The ends between which an estimated prior is certain to lie, as far as figures exist there."""
    if estimate is None or estimate.certain is None:
        return None
    low, high = estimate.certain
    most = common.assumed.purity * 0.98
    high = min(high, high if limit is None else limit, most)
    return (low, high) if low < high else None


def _cut_to_limit(estimate: PriorEstimate, limit: float | None, level: float) -> PriorEstimate:
    """The estimate as far as all models allow it, with the one limit that is told everywhere."""
    if limit is None:
        return estimate
    if estimate.upper_limit is not None:
        estimate = replace(estimate, upper_limit=limit, upper_level=level)
    if estimate.certain is not None:
        sure = estimate.certain
        estimate = replace(estimate, certain=replace(sure, high=max(limit, sure.low)))
    interval = estimate.interval
    if interval is None or interval.high <= limit or limit <= interval.low:
        return estimate
    return replace(
        estimate, prior=min(estimate.prior, limit), interval=replace(interval, high=limit)
    )


def _latent_choice(common: Setting) -> LatentChoice | None:
    """What decides bounds; None with noisy or weighted labels, or if nothing is hidden."""
    with suppress(PuremetricsError):
        return LatentChoice.of(common)
    return None


def _largest(
    named: Mapping[str, ScoreTable],
    prior: PriorLike,
    purity: PurityLike,
    level: float,
    bias: LabelBias,
) -> float | None:
    """The largest prior that all rankings allow, at a level that makes up for having several."""
    if purity is None and isinstance(prior, PriorEstimate):
        purity = prior.purity if prior.purity_interval is None else prior.purity_interval
    each = 1 - (1 - level) / len(named)
    with suppress(UnsupportedError):
        return min(
            largest_prior(
                table,
                purity=purity,
                confidence_level=each,
                label_bias=bias.most,
                label_bias_side=bias.side,
            ).prior
            for table in named.values()
        )
    return None


def _named(tables: Any) -> tuple[Any, dict[str, Segments]]:
    """Tables by the name of their model, and the segments of those that have any."""
    named = {"model": tables} if isinstance(tables, ScoreTable | Segments) else tables
    if isinstance(tables, JointTable):
        return dict(tables.tables), {}
    if not isinstance(named, Mapping):
        return named, {}
    segments = {name: table for name, table in named.items() if isinstance(table, Segments)}
    whole = {k: t.total if isinstance(t, Segments) else t for k, t in named.items()}
    return whole, segments


def _check_tables(named: Any) -> None:
    if not isinstance(named, Mapping) or not named:
        raise InputError(
            f"evaluate takes a ScoreTable, or a mapping of model names to tables, but was given "
            f"{shown(named)}. Build tables with ScoreTable.from_arrays."
        )
    first = next(iter(named.values()))
    for name, table in named.items():
        if not isinstance(table, ScoreTable):
            raise InputError(
                f"{shown(name)} is a {type(table).__name__}, not a ScoreTable. Build one with "
                "ScoreTable.from_arrays."
            )
        if (table.scenario, table.totals) != (first.scenario, first.totals):
            raise InputError(
                f"{name!r} differs from the first table in scenario or in its numbers of rows. Models "
                "are compared on the same rows: evaluate others separately."
            )
