"""`LabelSources`: two or more sources of labels, and how many positives all of them miss.

Each source, such as complaints, a rule or a registry, catches some of the positives. If at a given score they
catch independently of each other, the odds of being caught by one are told by those that another one caught:
of n₁₁ caught by both and n₀₁ by the second alone, the first has the odds n₁₁/n₀₁. A positive that nobody
caught weighs 1 where one that sources S caught weighs Π o_j over j in S, so the caught rows say how many
there are that nobody caught. With two sources and one score that is the estimate of Chapman (1951),
n₁₀·n₀₁/(n₁₁ + 1), with its correction for small counts.

**Score.** Odds of being caught may depend on the score in any smooth way, each source in its own: they are
straight lines with bends in the rank of a row among the caught ones, on a normal scale, and slopes and bends
are held to sizes that sources have, so that strata with few double catches borrow from their neighbours. So
prior and label bias are identified together: nothing is assumed of how labels depend on the score.

**Dependence** θ that the score does not explain: how many times the odds of being caught by one source are as
large for those that another caught. θ = 1 is independence. Cases that are easy for everybody mean θ > 1, and
then the estimate at θ = 1 is too low: a lower limit. A range of θ is taken as open.

**Many sources.** If catch rates differ from case to case, those missed by all of k sources are at least
(k − 1)/k · f₁²/(2·f₂), with f₁ and f₂ those caught by exactly one and two (Chao 1987): `least_hidden`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from puremetrics.auditing import as_answers
from puremetrics.checking.columns import as_column
from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.evidence.fit import Term
from puremetrics.evidence.ground import Ground
from puremetrics.evidence.kind import Evidence, as_range, named_scores
from puremetrics.evidence.terms import Caught
from puremetrics.exceptions import Diagnostic, InputError, ScenarioError
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.results import Columns, Interval
from puremetrics.tables.score_table import ScoreTable

__all__ = ["LabelSources"]

_MOST_SOURCES = 6
_A_BIN, _MOST_BINS = 8, 25  # caught rows among which the sources' odds are compared
_KNOTS = (0.1, 0.35, 0.65, 0.9)  # quantiles of the caught rows at which slopes may bend
_NEARLY_ALL = 0.6  # positives among the rows at the top
_SLOPE, _BEND = (
    3.0,
    0.7,
)  # standard deviations that slopes and bends of log odds are expected to have
_EDGE, _INSIDE = 0.08, 0.35  # beyond the first, ranks of few caught rows follow those of all rows
_FEW_TWICE = 8


@dataclass(frozen=True, eq=False, repr=False)
class LabelSources(Evidence):
    """Labelled rows with the sources that labelled them.

    Attributes
    ----------
    scores : dict of str to ndarray
        Scores of the labelled rows by each model; of a single one under the name "model".
    caught : ndarray of bool, shape (rows, sources)
        Which source labelled which row.
    names : tuple of str
        The sources.
    dependence : tuple of float
        Between which numbers θ lies: how many times the odds of being caught by one source are as large
        for positives that another source caught, at the same score.
    """

    scores: dict[str, FloatArray]
    caught: BoolArray
    names: tuple[str, ...]
    dependence: tuple[float, float] = (1.0, 1.0)

    @classmethod
    def from_arrays(cls, score: Any, sources: Any, *, dependence: Any = 1.0) -> LabelSources:
        """Make it of one column for each source.

        Parameters
        ----------
        score : array-like, shape (n,), or mapping of str to array-like
            Scores of the rows; of several models by their names. All rows may be passed: those that no
            source labelled count for nothing here.
        sources : mapping of str to array-like, shape (n,)
            For each source a column of 1 or True for rows that it labelled, 0 or False for others.
        dependence : float or (low, high), default 1
            How many times the odds of being caught by one source are as large for positives that another
            source caught, at the same score. 1 is independence; above it, what is easy to find for one is
            easy for the other, and there are more positives than independent sources would say.

        Examples
        --------
        >>> sources = LabelSources.from_arrays(
        ...     [0.9, 0.8, 0.7, 0.2], {"reported": [1, 1, 0, 0], "rule": [1, 0, 1, 0]})
        >>> sources.counts
        {'reported and rule': 1, 'reported alone': 1, 'rule alone': 1}
        """
        if not isinstance(sources, Mapping) or len(sources) < 2:
            raise InputError(
                "sources must map at least two names to their columns, such as {'reported': …, 'rule': …}. "
                "One source is the label itself: pass it as label=…."
            )
        if len(sources) > _MOST_SOURCES:
            raise InputError(
                f"There are {len(sources)} sources, but at most {_MOST_SOURCES} are compared. Pass those "
                "that work alike as one: a row is caught by the group if one of them caught it."
            )
        columns = []
        for name, values in sources.items():
            columns.append(
                as_answers(as_column(values, f"sources[{name!r}]"), f"sources[{name!r}]")
            )
            if columns[-1].size != columns[0].size:
                raise InputError(
                    f"sources[{name!r}] has {columns[-1].size} rows, but the first source has "
                    f"{columns[0].size}. Pass columns of the same rows."
                )
        caught = np.stack(columns, axis=1)
        scores = named_scores(score, caught.shape[0])
        some = caught.any(axis=1)
        if not some.any():
            raise InputError("No source labelled any row. Check the columns.")
        names = tuple(str(name) for name in sources)
        for name, column in zip(names, columns, strict=True):
            if not column.any():
                raise InputError(f"The source {name!r} labelled no row. Leave it out.")
        return cls(
            scores={model: column[some] for model, column in scores.items()},
            caught=caught[some],
            names=names,
            dependence=as_range(dependence, "dependence", 0.01, 100.0),
        )

    # ---------------------------------------------------------------- what it holds

    @property
    def counts(self) -> dict[str, int]:
        """How many rows which sources labelled."""
        found = {}
        for code in sorted(set(self._code.tolist()), key=lambda c: (-int(c).bit_count(), c)):
            members = [name for j, name in enumerate(self.names) if code >> j & 1]
            alone = " alone" if len(members) == 1 else ""
            found[" and ".join(members) + alone] = int(np.count_nonzero(self._code == code))
        return found

    @property
    def _code(self) -> Any:
        return self.caught @ (1 << np.arange(len(self.names)))

    @property
    def twice(self) -> int:
        """Rows that more than one source labelled."""
        return int(np.count_nonzero(self.caught.sum(axis=1) > 1))

    @property
    def title(self) -> str:
        word = "two" if len(self.names) == 2 else str(len(self.names))
        return f"{word} label sources ({', '.join(self.names)})"

    @property
    def assumes(self) -> str:
        low, high = self.dependence
        if low == high == 1.0:
            return "sources catch independently of each other at a given score, and all labels are right"
        many = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        return (
            f"having been caught by one source makes the odds of the other {many} times as large at a given "
            "score, and all labels are right"
        )

    def frame(self) -> Columns:
        """Return one row for each set of sources."""
        found = self.counts
        return {"caught by": np.array(list(found)), "rows": np.array(list(found.values()))}

    def least_hidden(self, level: float = 0.95) -> tuple[float, Interval]:
        """At least so many positives were caught by no source (Chao 1987), if sources are independent.

        It holds where catch rates differ from case to case, too. The interval is that of a log-normal law.
        """
        times = self.caught.sum(axis=1)
        once, twice = int(np.count_nonzero(times == 1)), int(np.count_nonzero(times == 2))
        part = (len(self.names) - 1) / len(self.names)
        hidden = part * once * max(once - 1, 0) / (2 * (twice + 1))
        ratio = once / max(twice, 1)
        variance = max(twice, 1) * (
            part / 2 * ratio**2 + part**2 * ratio**3 + part**2 / 4 * ratio**4
        )
        if hidden <= 0:
            return 0.0, Interval(0.0, 0.0, level, "confidence", "chao")
        spread = np.exp(normal_quantile(level) * np.sqrt(np.log1p(variance / hidden**2)))
        return hidden, Interval(hidden / spread, hidden * spread, level, "confidence", "chao")

    # ---------------------------------------------------------------- in the joint fit

    def check(self, table: ScoreTable) -> None:
        if not table.design.one_sample:
            raise ScenarioError(
                "Label sources say how many positives of the same rows they missed, so the labelled rows "
                "must be part of the sample: scenario='single_training_set'. In case-control they were "
                "collected apart; leave out the sources."
            )
        if table.total_pos != self.caught.shape[0]:
            raise InputError(
                f"The sources labelled {self.caught.shape[0]} rows, but the table has {table.total_pos:.0f} "
                "positives. A row must be labelled positive if, and only if, a source caught it: pass "
                "label=['reported', 'rule', …], which sees to that."
            )

    def cases(self) -> tuple[LabelSources, ...]:
        low, high = self.dependence
        if low == high:
            return (self,)
        tried = (float(np.sqrt(low * high)), low, high)
        return tuple(replace(self, dependence=(theta, theta)) for theta in tried)

    def information(self, ground: Ground) -> FloatArray:
        return ground.counted(self.scores)

    def positives(self, ground: Ground, own: FloatArray, positives: FloatArray) -> FloatArray:
        (term,) = self.terms(ground, False)
        assert isinstance(term, Caught)
        weight = term.weights(term.by_cell, own).sum(axis=1)
        return np.asarray(positives * (1 + weight) / weight)

    def terms(self, ground: Ground, corrected: bool) -> list[Term]:
        cell = ground.cells_of(self.scores)
        place = ground.axis[cell]
        held = np.bincount(place, minlength=int(ground.axis.max()) + 1).astype(np.float64)
        total = float(held.sum())
        at = _normal_ranks(held, ground.along(ground.rows))
        count = int(np.clip(total / _A_BIN, 1, _MOST_BINS))
        bins = np.minimum(((np.cumsum(held) - held / 2) / total * count).astype(np.intp), count - 1)
        _, bins = np.unique(bins, return_inverse=True)
        number = len(self.names)
        patterns = np.array(
            [[code >> j & 1 for j in range(number)] for code in range(1, 1 << number)],
            dtype=np.float64,
        )
        found = np.zeros((int(bins.max()) + 1, patterns.shape[0]))
        np.add.at(found, (bins[place], self._code - 1), 1.0)
        held_in_bins = np.bincount(bins, held)
        middle = np.bincount(bins, held * at) / np.maximum(held_in_bins, 1)
        centre = float(np.average(at, weights=held))
        knots = np.quantile(np.repeat(at, held.astype(np.intp)), _KNOTS)

        def basis(x: FloatArray) -> FloatArray:
            bends = [np.maximum(x - knot, 0) - max(centre - knot, 0) for knot in knots]
            return np.stack([np.ones_like(x), x - centre, *bends], axis=1)

        top = float(ground.rows[ground.top] @ (1 / (1 + np.exp(-ground.odds[ground.top]))))
        nearly_all = top > _NEARLY_ALL * float(ground.rows[ground.top].sum())
        piece = ground.piece_below_top if nearly_all else ground.piece
        caught = np.bincount(piece[cell], minlength=int(piece.max()) + 1).astype(np.float64)
        if corrected:  # Chapman's one more of those caught twice, shared out
            pairs = patterns.sum(axis=1) == 2
            found[:, pairs] += found.sum(axis=1, keepdims=True) / total / pairs.sum()
            caught = caught * (1 + 1 / total)
        firm = np.array([0.0, _SLOPE**-2, *[_BEND**-2] * len(_KNOTS)])
        return [
            Caught(
                patterns, found, basis(middle), basis(at)[ground.axis], ground.rows, piece,
                caught, self.dependence[0], firm,
            )
        ]  # fmt: skip

    def remarks(self, ground: Ground, others: FloatArray) -> list[Diagnostic]:
        said = list(self.diagnostics)
        if self.twice < _FEW_TWICE:
            rows = {0: "no row was", 1: "only one row was"}.get(
                self.twice, f"only {self.twice} rows were"
            )
            said.append(
                Diagnostic(
                    "PM150",
                    f"{rows} labelled by more than one source; with fewer than "
                    f"{_FEW_TWICE} hardly anything is known of those that all sources missed.",
                )
            )
        return said


def _normal_ranks(held: FloatArray, rows: FloatArray) -> FloatArray:
    """Where places lie among the caught rows, on a normal scale.

    Beyond the outermost caught rows ranks do not grow any more, but the rows there do: the scale goes on with
    the ranks of all rows, as steep as it is just inside.
    """
    from scipy.special import ndtri

    rank, of_all = (
        (np.cumsum(counts) - counts / 2 + 0.5) / (counts.sum() + 1) for counts in (held, rows)
    )
    at, along = ndtri(rank), ndtri(of_all)
    for mine in (rank, 1 - rank):
        edge, inside = (int(np.argmin(np.abs(mine - share))) for share in (_EDGE, _INSIDE))
        if edge == inside or along[edge] == along[inside]:
            continue
        steep = (at[inside] - at[edge]) / (along[inside] - along[edge])
        beyond = np.arange(at.size) < edge if mine is rank else np.arange(at.size) > edge
        at = np.where(beyond, at[edge] + steep * (along - along[edge]), at)
    return np.asarray(at)
