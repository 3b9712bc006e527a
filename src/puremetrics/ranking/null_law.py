"""How likely a ranking that knows nothing of the labels has a PULP as large: a p-value of PULP itself.

Null hypothesis: every choice of t labelled rows among the N rows is equally likely, whatever their scores.
1 − PULP is the mean over operating points of Fisher's p-values P(X ≥ k), which depend on each other, so its
law has no closed form. Twice a mean of p-values is always a valid p-value (Rüschendorf 1982; Vovk and
Wang 2020): that is the answer where the order of the unlabeled rows is not known any more (cut tables), and
for more than a million labels. It cannot fall below 2/(t + 1).

Elsewhere the law is that of labellings of the same rows, ties included:

- *Few labellings.* All of them are counted, with their probabilities: the p-value is exact.
- *Many.* Labellings are drawn from a mixture of the null law and of laws that favour the top: row by row, a
  labelled row comes next with the odds θ · (labelled rows left) : (others left), for a ladder of θ. With
  weights w = null / mixture,

      p = (w(table) + Σ_i w_i · [PULP_i ≥ PULP]) / (n + 1)

  is valid on average over generators, whatever the mixture (Harrison 2012), and reaches p-values far below
  1/n. The generator is fixed, so the simulation's own error is added (95 %, one-sided): a few per cent.
  Below one in a million the simulation says no more than that. Rows are taken in cells (`null_cells`), single
  rows at both ends, more towards the middle, ties together; in each the number of labelled rows is proposed
  by a binomial law.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.ranking.null_cells import NullCells, Terms
from puremetrics.tables.score_table import ScoreTable

__all__ = ["NullLaw"]

DRAWS = 4000
LEAST = 1e-6  # what a simulation can show
_RUNGS = np.array([0.0, 1.0, 2.0, 3.0, 4.5, 6.5, 9.0])  # log-odds, in units of what chance does
_BEYOND = 1.645  # standard errors of the simulation that are added
_ALL = 3000  # labellings that are counted one by one
_LARGEST = 10**9  # rows of numpy's hypergeometric law
_SLACK = 1e-10  # of equal values
_MOST_LABELS = 10**6  # that are placed one by one


class NullLaw:
    """The law of PULP over all labellings of the rows of a table; made when first asked for."""

    def __init__(self, table: ScoreTable, value: float) -> None:
        self.value = value
        self._table: ScoreTable | None = table

    @cached_property
    def p_value(self) -> float:
        """Probability of a PULP as large."""
        table = self._table
        assert table is not None
        if table.is_cut or table.is_scanned or table.total_pos > _MOST_LABELS:
            return min(2 * (1 - self.value), 1.0)
        groups = (table.n_pos, table.n_unl, table.n_neg)
        pos, *others = (np.asarray(group, dtype=np.int64) for group in groups)
        return p_value_of(pos, pos + others[0] + others[1])

    def __getstate__(self) -> dict[str, Any]:
        # The table may be large: only its answer is kept.
        return {"value": self.value, "_table": None, "p_value": self.p_value}


def p_value_of(pos: Any, rows: Any) -> float:
    """Probability of a PULP as large, from labelled and all rows of each score, best first."""
    cells = NullCells.of(rows)
    marked = int(pos.sum())
    hits = np.add.reduceat(pos, cells.first_scores)
    if marked == 1:  # PULP falls with the rank
        reached = np.cumsum(rows)[int(np.argmax(pos))]
        return float(reached / cells.total)
    rng = np.random.default_rng(0)
    every = cells.labellings(marked, _ALL)
    if every is not None and cells.rows_are_units(rows):
        values = cells.exact(np.vstack([hits, every]))
        reached = values[1:] >= values[0] - _SLACK
        log_weight = _log_choose(cells.size, every).sum(axis=1)[reached]
        chance = np.exp(log_weight - _log_choose(cells.total, float(marked)))
        return min(float(chance.sum()), 1.0)
    terms = Terms.of(cells, marked)
    places = _numbers(pos) * np.repeat((rows + 1) / (pos + 1), pos)  # of tied rows: on average
    least = terms.pulp_of_ranks(hits, np.repeat(np.cumsum(rows) - rows, pos) + places) - _SLACK
    proposal = Proposal.ladder(cells, marked)
    drawn, possible = proposal.draw(rng, DRAWS)
    reached = possible & (terms.pulp(drawn, rng) >= least)
    own, *weights = np.exp(proposal.log_weights(np.vstack([hits, drawn[reached]])))
    some = np.concatenate([weights, np.zeros(DRAWS - len(weights))])
    error = float(np.std(some)) / np.sqrt(DRAWS)
    return float(np.clip((own + some.sum()) / (DRAWS + 1) + _BEYOND * error, LEAST, 1.0))


@dataclass(frozen=True, eq=False)
class Proposal:
    """A mixture of the null law and of laws that favour the top, by log-odds of a labelled row."""

    cells: NullCells
    marked: int
    log_odds: FloatArray
    share: FloatArray

    @staticmethod
    def ladder(cells: NullCells, marked: int) -> Proposal:
        """Rungs up to what chance does once in a million times."""
        unit = np.sqrt(1 / marked + 1 / max(cells.total - marked, 1.0))
        return Proposal(cells, marked, _RUNGS * unit, np.full(_RUNGS.size, 1 / _RUNGS.size))

    def draw(self, rng: np.random.Generator, count: int) -> tuple[Any, Any]:
        """Labelled rows in every unit, and which of the draws are possible at all."""
        which = rng.choice(self.log_odds.size, size=count, p=self.share)
        odds = np.exp(self.log_odds[which])
        plain = np.flatnonzero(which == 0)
        left = np.full(count, self.marked, dtype=np.int64)
        rows = int(self.cells.total)
        possible = np.ones(count, dtype=np.bool_)
        drawn = np.zeros((count, self.cells.size.size), dtype=np.int64)
        for unit, size in enumerate(self.cells.size.astype(np.int64).tolist()):
            if size == rows:
                drawn[:, unit] = left
                break
            inner, outer, tries = _urn(size, left, rows)
            chance = odds * inner / (odds * inner + outer)
            taken = rng.binomial(tries, chance)
            if plain.size and rows <= _LARGEST:
                taken[plain] = rng.hypergeometric(left[plain], rows - left[plain], size)
            fits = np.maximum(taken, size - (rows - left))
            possible &= fits == taken
            drawn[:, unit] = fits
            left = left - fits
            rows -= size
        return drawn, possible

    def log_weights(self, drawn: Any) -> FloatArray:
        """Log of null / mixture for every draw."""
        sizes = self.cells.size
        rows = self.cells.total - (np.cumsum(sizes) - sizes)
        left = (self.marked - (np.cumsum(drawn, axis=1) - drawn)).astype(np.float64)
        null = _log_choose(sizes, drawn).sum(axis=1) - _log_choose(
            self.cells.total, float(self.marked)
        )
        choice = rows > sizes  # of the last unit all that is left is taken
        taken = drawn[:, choice].astype(np.float64)
        inner, outer, tries = _urn(sizes[choice], left[:, choice], rows[choice])
        with np.errstate(divide="ignore", invalid="ignore"):
            fixed = np.where(taken > 0, taken * np.log(inner), 0.0)
            fixed += np.where(tries > taken, (tries - taken) * np.log(outer), 0.0)
        fixed += _log_choose(tries, taken)
        parts = []  # log of each part of the mixture over the null law
        for log_odds, share in zip(self.log_odds, self.share, strict=True):
            if log_odds == 0 and self.cells.total <= _LARGEST:
                parts.append(np.full(drawn.shape[0], np.log(share)))
                continue
            both = tries * np.log(np.exp(log_odds) * inner + outer)
            chance = fixed.sum(axis=1) + log_odds * taken.sum(axis=1) - both.sum(axis=1)
            parts.append(np.log(share) + chance - null)
        stacked = np.stack(parts)
        most = stacked.max(axis=0)
        return np.asarray(-most - np.log(np.exp(stacked - most).sum(axis=0)))


def _urn(size: Any, left: Any, rows: Any) -> tuple[Any, Any, Any]:
    """Odds ``inner`` : ``outer`` of each of so many tries to be a labelled row of the unit.

    Tries are the rows of the unit, or the labelled rows that are left, whichever are fewer.
    """
    by_row = size <= left
    return (
        np.where(by_row, left, size),
        np.where(by_row, rows - left, rows - size),
        np.where(by_row, size, left),
    )


def _numbers(counts: Any) -> Any:
    """1, 2, … within each group of so many."""
    return np.arange(1, counts.sum() + 1) - np.repeat(np.cumsum(counts) - counts, counts)


def _log_choose(total: Any, chosen: Any) -> FloatArray:
    from scipy.special import gammaln

    return np.asarray(gammaln(total + 1) - gammaln(chosen + 1) - gammaln(total - chosen + 1))
