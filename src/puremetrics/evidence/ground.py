"""What evidence stands on: cells of unlabeled rows, and the strata that they are put together into.

Rows are counted in fine ranges of scores, with a boundary at the threshold in question. With a judge who
answered for every row, each range is split once more by the answer; with two models, by the ranges of both:
the pieces are the *cells* of `fit`. Cells lie along an *axis*: the score of the one model, or the mean of the
ranks that several models give. Two models that are compared disagree about some rows, so their cells have a
*side* as well: where one of them ranks a row higher, or alone flags it.

Cells next to each other are put together into strata that hold enough evidence for a rate of their own;
within a stratum rates follow a forecast, which is that of the labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.evidence.fit import Cells, grouped
from puremetrics.exceptions import InputError
from puremetrics.numerics.monotone import bounded_isotonic
from puremetrics.tables.joint import JointTable
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Ground", "JudgedRows", "View", "score_of"]

_FINE = 60  # ranges of unlabeled rows, and as many of labelled ones
_COARSE = 30  # the same for each of two models
_A_STRATUM, _MOST_STRATA = 12.0, 12  # pieces of evidence for each stratum
_LEAST, _MOST = 1e-4, 0.97  # rates that steps of the forecast have
_FARTHEST = 12.0  # log odds
_JUDGE_VARIES = 1.0  # standard deviation by which a judge's log odds ratio differs between strata
# Least standard deviation of the error of a forecast's slope by height, and correlation between strata.
_TILTS, _ALIKE_TILTS = 2.0, 0.7
_FIRST_SHARE, _NEARLY_ALL = (
    0.1,
    0.9,
)  # of positives among unlabeled rows, and among those at the top
_LIMIT_OF_TOP = 2.0  # standard errors
_PIECES = 4  # of a stratum, that tell its tilt
_ALIKE = 1 / 3  # part of the rows about which two models disagree little


class JudgedRows(NamedTuple):
    """Scores of all unlabeled rows by model, and which of ``number`` answers the judge gave to each."""

    scores: Mapping[str, FloatArray]
    answer: Any
    number: int


@dataclass(frozen=True, eq=False)
class View:
    """How one model sees the rows: its ranges of scores, rising, and what is known in each.

    Attributes
    ----------
    table : ScoreTable
        Of the model.
    edges : ndarray
        Scores that begin a range; the first range lies below all of them.
    labelled, unlabeled, negative : ndarray
        Rows of each range.
    above : ndarray of bool
        Which ranges reach the threshold.
    cell : ndarray of int
        The range of each cell.
    """

    table: ScoreTable
    edges: FloatArray
    labelled: FloatArray
    unlabeled: FloatArray
    negative: FloatArray
    above: BoolArray
    cell: Any

    @classmethod
    def of(cls, table: ScoreTable, threshold: float, fine: int) -> View:
        """The ranges of a table."""
        edges = [np.array([threshold])]
        for kind, total in (("pos", table.total_pos), ("unl", table.total_unl)):
            if total > 0:
                count = int(min(fine, total))
                ranks = np.unique(np.ceil(total * np.arange(1, count) / count))
                edges.append(table.scores_of(kind, np.maximum(ranks, 1)))
        every = np.unique(np.concatenate(edges))
        every = every[np.isfinite(every)]
        pos, unl, neg = (np.asarray(part, np.float64) for part in table.rows_between(every))
        starts = np.concatenate([[-np.inf], every])
        above = np.asarray(starts >= threshold)
        return cls(table, every, pos, unl, neg, above, np.arange(every.size + 1))

    def places(self, scores: FloatArray) -> Any:
        """The range of each score."""
        return np.searchsorted(self.edges, scores, side="right")

    def by_range(self, by_cell: FloatArray) -> FloatArray:
        """Sums over the cells of each range."""
        return _sums(self.cell, by_cell, self.labelled.size)


@dataclass(frozen=True, eq=False)
class Ground:
    """The cells of a table, or of two models' tables.

    Attributes
    ----------
    table : ScoreTable
        Of the (first) model.
    views : dict of str to View
        How each model sees the cells.
    axis, side, answer : ndarray of int
        Where each cell lies, between the models, and what the judge said of its rows.
    lean : ndarray
        How much higher the first of two models ranks a cell than the other does, in normal ranks.
    rows, labelled, negative : ndarray
        Rows of each cell that are unlabeled, labelled, and known to be negative; the latter two count at the
        judge's first answer.
    odds : ndarray
        Log odds of being positive in each cell, as forecast.
    stratum : ndarray of int
        The stratum of each cell, whatever the judge said.
    piece : ndarray of int
        The part of its stratum that each cell belongs to: rows are counted by it.
    likely : ndarray
        What the forecast was made of: positives of each cell, up to a factor.
    """

    table: ScoreTable
    views: dict[str, View]
    axis: Any
    side: Any
    answer: Any
    lean: FloatArray
    rows: FloatArray
    labelled: FloatArray
    negative: FloatArray
    odds: FloatArray
    stratum: Any
    piece: Any
    likely: FloatArray
    codes: Any = field(default=None)
    answers: int = 1

    # ---------------------------------------------------------------- making it

    @classmethod
    def of(
        cls, table: ScoreTable, model: str, threshold: float, judge: JudgedRows | None = None
    ) -> Ground:
        """The cells of one model's table."""
        view = View.of(table, threshold, _FINE)
        ranges, number = view.labelled.size, 1 if judge is None else judge.number
        axis, answer = np.repeat(np.arange(ranges), number), np.tile(np.arange(number), ranges)
        rows = view.unlabeled
        if judge is not None:
            code = view.places(score_of(judge.scores, model)) * number + judge.answer
            rows = np.bincount(code, minlength=ranges * number).astype(np.float64)
            _check_all(float(rows.sum()), table.total_unl)
        known = np.zeros((2, axis.size))
        known[:, ::number] = view.labelled, view.negative
        return cls._first(
            table, {model: replace(view, cell=axis)}, axis, 0 * axis, answer,
            np.zeros(axis.size), (rows, *known),
            np.arange(axis.size), number,
        )  # fmt: skip

    @classmethod
    def of_pair(
        cls,
        joint: JointTable,
        models: tuple[str, str],
        thresholds: tuple[float, float],
        judge: JudgedRows | None = None,
    ) -> Ground:
        """The cells of two models on the same rows."""
        views, places = {}, []
        for model, threshold in zip(models, thresholds, strict=True):
            views[model] = View.of(joint[model], threshold, _COARSE)
            places.append(views[model].places(joint.scores[model]))
        number = 1 if judge is None else judge.number
        second = views[models[1]].labelled.size
        code = (places[0] * second + places[1]) * number
        unlabeled = joint.kind == 1
        if judge is None:
            of_unlabeled = code[unlabeled]
        else:
            at = [views[model].places(score_of(judge.scores, model)) for model in models]
            of_unlabeled = (at[0] * second + at[1]) * number + judge.answer
            _check_all(float(of_unlabeled.size), joint[models[0]].total_unl)
        every = np.unique(np.concatenate([code, of_unlabeled]))
        rows, pos, neg = (
            np.bincount(np.searchsorted(every, some), minlength=every.size).astype(np.float64)
            for some in (of_unlabeled, code[joint.kind == 0], code[joint.kind == 2])
        )
        first, rest = np.divmod(every, second * number)
        ranges = (first, rest // number)
        ranks = []
        for model, own in zip(models, ranges, strict=True):
            view = views[model]
            views[model] = replace(view, cell=own)
            total = np.cumsum(view.unlabeled)
            ranks.append(((total - view.unlabeled / 2) / max(float(total[-1]), 1.0))[own])
        _, axis = np.unique(np.round((ranks[0] + ranks[1]) / 2 * 2 * _FINE), return_inverse=True)
        if np.isfinite(thresholds).all():
            side = 2 * views[models[0]].above[ranges[0]] + views[models[1]].above[ranges[1]]
        else:
            apart = ranks[0] - ranks[1]
            order = np.argsort(np.abs(apart), kind="stable")
            held = np.cumsum(rows[order]) / max(float(rows.sum()), 1.0)
            little = np.zeros(every.size, dtype=np.bool_)
            little[order] = held <= _ALIKE
            side = np.where(little, 0, np.where(apart > 0, 1, 2))
        return cls._first(
            joint[models[0]], views, axis, side, every % number, _normal(ranks[0]) - _normal(ranks[1]),
            (rows, pos, neg), every, number,
        )  # fmt: skip

    @classmethod
    def _first(
        cls, table: ScoreTable, views: dict[str, View], axis: Any, side: Any, answer: Any,
        lean: FloatArray, counts: tuple[FloatArray, ...], codes: Any, answers: int,
    ) -> Ground:  # fmt: skip
        rows, labelled, negative = counts
        strata = np.unique(side, return_inverse=True)[1]
        made = cls(
            table, views, axis, side, answer, lean, rows, labelled, negative, np.zeros(axis.size),
            strata, strata, labelled, codes, answers,
        )  # fmt: skip
        return made.forecast(made.labelled, made._most_likely())

    def _most_likely(self) -> float:
        """The share of positives at which nearly all rows at the top are positive, if labels are random."""
        if self.labelled.sum() <= 0:
            return _FIRST_SHARE
        found, of = (np.cumsum(self.along(c)[::-1]) for c in (self.labelled, self.rows))
        most = float(np.max((found - _LIMIT_OF_TOP * np.sqrt(found)) / np.maximum(of, 1.0)))
        if most <= 0:
            return _FIRST_SHARE
        share = _NEARLY_ALL * float(found[-1]) / most / max(float(of[-1]), 1.0)
        return float(np.clip(share, _LEAST, _NEARLY_ALL))

    # ---------------------------------------------------------------- rows of evidence

    def cells_of(self, scores: Mapping[str, FloatArray], answer: Any = 0) -> Any:
        """The cell of each row, from its scores by every model and what the judge said of it."""
        code = np.zeros(1, dtype=np.int64)
        for model, view in self.views.items():
            code = code * view.labelled.size + view.places(score_of(scores, model))
        found = np.searchsorted(self.codes, code * self.answers + answer)
        return np.minimum(found, self.codes.size - 1)

    def counted(
        self, scores: Mapping[str, FloatArray], weights: Any = None, answer: Any = 0
    ) -> FloatArray:
        """Rows, or sums of weights, in each cell."""
        return np.bincount(self.cells_of(scores, answer), weights, self.axis.size).astype(
            np.float64
        )

    def along(self, by_cell: FloatArray) -> FloatArray:
        """Sums over the cells at each place of the axis."""
        return _sums(self.axis, by_cell, int(self.axis.max()) + 1)

    # ---------------------------------------------------------------- strata and forecast

    def forecast(self, positives: FloatArray, share: float) -> Ground:
        """The ground with log odds in proportion to positives by cell, made to rise along the axis.

        ``share`` is that of positives among all unlabeled rows. What the judge said is left to the strata.
        """
        total, every = float(positives.sum()), float(self.rows.sum())
        odds = np.full(self.axis.size, np.log(share / (1 - share)))
        for side in np.unique(self.side) if total > 0 else ():
            mine = self.side == side
            number = int(self.axis.max()) + 1
            pos, unl = (_sums(self.axis[mine], c[mine], number) for c in (positives, self.rows))
            held = float(pos.sum())
            if held <= 0:
                pos, held = unl / max(float(unl.sum()), 1.0), 1.0  # as rare as can be, and flat
            count = int(np.clip(1.5 * np.sqrt(held), 2, 40))
            group = np.minimum(
                ((np.cumsum(pos) - pos / 2) / held * count).astype(np.intp), count - 1
            )
            _, group = np.unique(group, return_inverse=True)
            number_of = int(group.max()) + 1
            in_group, bottom = (_sums(group, column, number_of) for column in (pos, unl))
            wanted = share * every * (held / total) * (in_group + 0.1) / (held + 0.1 * number_of)
            rate = np.divide(wanted, bottom, out=np.ones_like(wanted), where=bottom > 0)
            risen = np.clip(bounded_isotonic(rate, bottom), _LEAST, _MOST)
            along = _between_steps(np.log(risen / (1 - risen)), group, in_group, unl)
            odds[mine] = along[self.axis[mine]]
        return replace(self, odds=odds, likely=positives)

    @cached_property
    def top(self) -> BoolArray:
        """The cells of those strata at the top in which positives may be as frequent as they get."""
        number, total = int(self.stratum.max()) + 1, float(self.likely.sum())
        counted = float(self.labelled.sum()) / total if total > 0 else 0.0
        likely, rows = (_sums(self.stratum, c, number) for c in (counted * self.likely, self.rows))
        height = _sums(self.stratum, (self.rows + 1e-9) * self.height, number) / (rows + 1e-9)
        found = np.zeros(number, dtype=np.bool_)
        for side in np.unique(self.side):
            mine = np.unique(self.stratum[self.side == side])
            mine = mine[np.argsort(-height[mine])]
            found[mine[: _top(likely[mine], np.maximum(rows[mine], 1e-9))]] = True
        return np.asarray(found[self.stratum])

    @property
    def piece_below_top(self) -> Any:
        """The pieces, all of the top as one.

        Where nearly every row is positive a rate may be below 1, but not above. Many such rates, each with a
        count of its own, would take every high count as a sign of more labels per positive, and so of fewer
        positives.
        """
        return np.unique(np.where(self.top, -1, self.piece), return_inverse=True)[1]

    def stratified(self, evidence: FloatArray, apart: Any = None) -> Ground:
        """The ground with strata of about equal evidence along each side.

        Strata end at the threshold of a single model, and where ``apart``, a number for each place of the
        axis, changes.
        """
        number = int(self.axis.max()) + 1
        cuts = np.zeros(number, dtype=np.bool_)
        if len(self.views) == 1:
            (view,) = self.views.values()
            cuts |= np.diff(view.above, prepend=view.above[:1])
        if apart is not None:
            cuts |= np.diff(apart, prepend=apart[:1]) != 0
        strata, pieces = np.zeros((2, self.axis.size), dtype=np.intp)
        for side in np.unique(self.side):
            mine = self.side == side
            along = np.bincount(self.axis[mine], evidence[mine], number)
            total = float(along.sum())
            count = int(np.clip(total / _A_STRATUM, 1, _MOST_STRATA))
            held = (np.cumsum(along) - along / 2) / max(total, 1e-300)
            ends = [
                (np.diff(parts, prepend=parts[0]) > 0) | cuts
                for parts in (_parts(held, count), _parts(held, count * _PIECES))
            ]
            stratum, piece = np.cumsum(ends[0]), np.cumsum(ends[0] | ends[1])
            strata[mine] = strata.max() + 1 + stratum[self.axis[mine]]
            pieces[mine] = pieces.max() + 1 + piece[self.axis[mine]]
        if (
            len(self.views) > 1
        ):  # the models' disagreement is told by rows on either side of its mean
            weight = self.rows + 1e-9
            mean = np.bincount(strata, weight * self.lean) / np.maximum(
                np.bincount(strata, weight), 1e-300
            )
            pieces = 2 * pieces + (self.lean > mean[strata])
        return replace(
            self,
            stratum=np.unique(strata, return_inverse=True)[1],
            piece=np.unique(pieces, return_inverse=True)[1],
        )

    @property
    def cells(self) -> Cells:
        """The cells of the fit: every stratum of every answer of the judge shifts by itself, and tilts.

        How much more rows of one answer are positive than those of another may differ from stratum to
        stratum, but not by orders of magnitude. Within a stratum the forecast may be too steep, or not steep
        enough: labels may favour high scores, and a judge be better at them. Of two models one may be right
        more often where they disagree.
        """
        own, shift = np.unique(self.stratum * self.answers + self.answer, return_inverse=True)
        rate = 1 / (1 + np.exp(-self.odds))
        weight = (self.rows + 1e-9) * rate * (1 - rate)

        def centred(values: FloatArray) -> FloatArray:
            middle = np.bincount(shift, weight * values) / np.bincount(shift, weight)
            return np.asarray(values - middle[shift])

        apart = centred(self.height)
        spread = np.bincount(shift, weight * apart**2) + 1e-9
        steep = np.bincount(shift, weight * apart * self.odds) / spread
        ways = [(grouped(shift, own.size).T * apart[:, None], np.maximum(np.abs(steep), _TILTS))]
        if len(self.views) > 1:
            sides = grouped(self.side, int(self.side.max()) + 1).T * centred(self.lean)[:, None]
            ways.append((sides, np.full(sides.shape[1], _TILTS)))
        held = [self._judge_held(own), *(_held_alike(errors) for _, errors in ways)]
        return Cells(
            self.rows,
            self.odds,
            shift,
            np.concatenate([way for way, _ in ways], axis=1),
            _blocks(held),
        )

    def _judge_held(self, own: Any) -> FloatArray:
        """How firmly the judge's odds ratios are held alike between strata."""
        if self.answers == 1:
            return np.zeros((own.size, own.size))
        stratum, answer = np.divmod(own, self.answers)
        added = np.concatenate([grouped(stratum, stratum.max() + 1), grouped(answer, self.answers)])
        return np.asarray((np.eye(own.size) - np.linalg.pinv(added) @ added) / _JUDGE_VARIES**2)

    @property
    def height(self) -> FloatArray:
        """Where each cell lies along the axis: the normal rank of its rows among all unlabeled ones."""
        rows = self.along(self.rows)
        rank = (np.cumsum(rows) - rows / 2 + 0.5) / (rows.sum() + 1)
        return np.asarray(_normal(rank)[self.axis])

    def population(self, model: str, hidden: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Positive and negative rows of the population in each range of a model."""
        view = self.views[model]
        positive, negative = self.table.design.counted(
            view.labelled, view.unlabeled, view.negative, view.by_range(hidden)
        )
        return np.asarray(positive, dtype=np.float64), np.asarray(negative, dtype=np.float64)

    @property
    def size(self) -> tuple[float, float]:
        """Positives of the population that are labelled, and its rows."""
        pos, neg = self.table.design.counted(self.table.total_pos, 0.0, self.table.total_neg, 0.0)
        return float(pos), float(pos + neg) + self.table.total_unl


def _between_steps(
    odds: FloatArray, group: Any, positives: FloatArray, rows: FloatArray
) -> FloatArray:
    """Log odds along the axis, from those of groups of places: straight lines in the normal rank.

    Beyond the middles of the outermost groups the line goes on as steeply as it does on the whole.
    """
    from scipy.special import ndtri

    rank = ndtri((np.cumsum(rows) - rows / 2 + 0.5) / (rows.sum() + 1))
    weight = rows + 1e-9
    middle = np.bincount(group, weight * rank) / np.bincount(group, weight)
    apart = middle - np.average(middle, weights=positives + 1e-9)
    spread = float((positives + 1e-9) @ apart**2)
    steep = float((positives * apart) @ odds) / spread if spread > 1e-9 else 0.0
    found = np.interp(rank, middle, odds)
    found += max(steep, 0.0) * (np.minimum(rank - middle[0], 0) + np.maximum(rank - middle[-1], 0))
    return np.asarray(np.clip(found, -_FARTHEST, _FARTHEST))


def _normal(rank: FloatArray) -> FloatArray:
    """Normal ranks, of shares of the rows."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(rank, 1e-6, 1 - 1e-6)), dtype=np.float64)


def _held_alike(errors: FloatArray) -> FloatArray:
    """One over the covariance of what has these standard errors, and the same sign rather than not."""
    spread = np.full((errors.size, errors.size), _ALIKE_TILTS)
    np.fill_diagonal(spread, 1.0)
    return np.asarray(np.linalg.inv(spread) / np.outer(errors, errors))


def _blocks(parts: list[FloatArray]) -> FloatArray:
    """Matrices along the diagonal of one."""
    from scipy.linalg import block_diag

    return np.asarray(block_diag(*parts), dtype=np.float64)


def _top(positives: FloatArray, rows: FloatArray) -> int:
    """How many strata from the first on may have as high a share of positives as any."""
    found, of = np.cumsum(positives), np.cumsum(rows)
    least = (found - _LIMIT_OF_TOP * np.sqrt(found)) / of
    best = int(np.argmax(least))
    less = (positives + _LIMIT_OF_TOP * np.sqrt(positives)) / rows < least[best]
    less[: best + 1] = False
    return int(np.argmax(less)) if less.any() else less.size


def _parts(held: FloatArray, count: int) -> Any:
    """So many parts of about equal evidence, from how much lies below each place."""
    return np.minimum((held * count).astype(np.intp), count - 1)


def _sums(place: Any, values: FloatArray, number: int) -> FloatArray:
    return np.asarray(np.bincount(place, values, number), dtype=np.float64)


def score_of(scores: Mapping[str, FloatArray], model: str) -> FloatArray:
    """Scores by a model; those of the only one whatever its name."""
    if model in scores:
        return scores[model]
    if len(scores) == 1 and "model" in scores:
        return scores["model"]
    raise InputError(
        f"The evidence has no scores for {model!r}, only for {', '.join(map(repr, scores))}. Pass "
        "every model's scores of its rows: {'a': …, 'b': …}."
    )


def _check_all(judged: float, unlabeled: float) -> None:
    if judged != unlabeled:
        raise InputError(
            f"The judge answered for {judged:.0f} unlabeled rows, but the table has {unlabeled:.0f}. Pass "
            "the judge's answers of all unlabeled rows, those that people checked included."
        )
