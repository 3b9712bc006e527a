"""What more answers, or a prior from elsewhere, would be worth beside evidence that is already there.

A forecast is a fit: the rows that a plan would draw get the answers that the evidence makes one expect, and
the interval is that of all evidence with them. Ranges that are left open stay so: widths are forecast at the
central case, and the interval as it is shrinks by the same factor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.evidence import Evidence, Joined, PublishedPrior, as_prior_evidence
from puremetrics.evidence.checked import AuditedRows
from puremetrics.evidence.joint import statistic_threshold
from puremetrics.exceptions import PuremetricsError
from puremetrics.planning.plan import plan_audit

if TYPE_CHECKING:
    from puremetrics.evaluation.model import ModelEvaluation
    from puremetrics.statistics.statistic import Statistic

__all__ = ["rows_to_settle", "with_answers", "with_known_prior"]

_APART = 2 * 1.96  # standard errors by which two priors must differ to be told apart on either side


def with_known_prior(model: ModelEvaluation, name: str) -> float | None:
    """The width of a figure if the prior were what the evidence gives; None if one was published."""
    joined = model.joined
    assert joined is not None
    if any(isinstance(kind, PublishedPrior) for kind in joined.evidence):
        return None
    with suppress(PuremetricsError):
        return _width(model, name, as_prior_evidence(joined.prior_value))
    return None


def with_answers(
    model: ModelEvaluation, name: str, budgets: Sequence[int]
) -> Iterator[tuple[int, float]]:
    """Widths of a figure with answers to so many more rows, planned for it, beside all evidence."""
    joined, statistic = model.joined, model.statistics[name]
    assert joined is not None
    rates = _expected(joined, statistic)
    known = model.setting.assumed
    for budget in budgets:
        try:
            plan = plan_audit(
                model.table, budget=budget, target=name, threshold=model.headlines[name].threshold,
                prior=known.value if known.is_point else (known.low, known.high),
                confidence_level=joined.level,
            )  # fmt: skip
            rows = _drawn(joined, plan.strata.edges, plan.draws, rates)
            yield budget, _width(model, name, rows)
        except PuremetricsError:
            return


def rows_to_settle(joined: Joined, least: int, most: int) -> int | None:
    """How many rows, drawn at random, tell which of two kinds that contradict each other is wrong.

    Their error must be so small that it keeps the two priors apart; None where more than ``most`` are needed.
    """
    from puremetrics.auditing.metrics import PRIOR

    clash = joined.disagreements[0]
    first, second = (joined.only([kind]).estimate(PRIOR).value for kind in clash[:2])
    unlabeled = joined.table.total_unl / joined.table.total
    if not joined.table.design.one_sample:
        unlabeled = 1.0
    middle, gap = (first + second) / 2, abs(first - second) / unlabeled
    needed = _APART**2 * middle * (1 - middle) / gap**2 if gap > 0 else np.inf
    return None if needed > most else int(max(np.ceil(needed / least) * least, least))


def _width(model: ModelEvaluation, name: str, more: Evidence) -> float:
    """The width of a figure with more evidence."""
    assert model.joined is not None
    statistic, central = model.statistics[name], _central(model.joined)
    now = central.estimate(statistic)
    then = replace(central, evidence=(*central.evidence, more), kept={}).estimate(statistic)
    width = model.graded[name].width * statistic.span
    return width * (then.high - then.low) / max(now.high - now.low, 1e-12)


def _central(joined: Joined) -> Joined:
    """The evidence in its central case."""
    if "central" not in joined.kept:
        cases = tuple(kind.cases()[0] for kind in joined.evidence)
        joined.kept["central"] = replace(joined, evidence=cases, kept={})
    found: Joined = joined.kept["central"]
    return found


def _expected(joined: Joined, statistic: Statistic) -> FloatArray:
    """The rate of positives among the unlabeled rows of each distinct score, by the best fit."""
    at = (statistic_threshold(statistic, joined.table),)
    found = joined.fitted(at, tuple(kind.cases()[0] for kind in joined.evidence))
    ground, scores = found.ground, joined.table.score
    rates = np.divide(
        found.best.hidden, ground.rows, out=np.zeros(ground.rows.size), where=ground.rows > 0
    )
    return np.asarray(rates[ground.cells_of({joined.model: scores, "model": scores})])


def _drawn(joined: Joined, edges: FloatArray, draws: FloatArray, rates: FloatArray) -> AuditedRows:
    """Rows evenly spaced in each stratum, with as many answers yes as are expected there."""
    score, unlabeled = joined.table.score, joined.table.n_unl
    stratum = np.searchsorted(edges, score, side="right")
    places, weights = [], []
    for number, wanted in enumerate(np.rint(draws).astype(int).tolist()):
        mine = np.flatnonzero((stratum == number) & (unlabeled > 0))
        rows = unlabeled[mine].sum() if mine.size else 0.0
        if wanted < 1 or rows <= 0:
            continue
        ranks = (np.arange(wanted) + 0.5) / wanted * rows
        places.append(mine[np.searchsorted(np.cumsum(unlabeled[mine]), ranks)])
        weights.append(np.full(wanted, rows / wanted))
    at = np.concatenate(places)
    at_weight = np.concatenate(weights)
    yes = np.diff(np.floor(np.concatenate([[0.0], np.cumsum(rates[at])]) + 0.5))
    return AuditedRows(
        scores={"model": score[at]}, answers=yes[:, None], weight=at_weight, known_chances=True
    )
