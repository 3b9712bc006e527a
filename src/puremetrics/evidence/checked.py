"""Rows that somebody looked at: `Investigated` ones, a `Judged` list with people's answers, and audits.

**Chances unknown.** Alerts are investigated because somebody chose them. Rows of one stratum of the score are
taken as alike: those that were looked at tell the rate of all of them (missing at random given the score), up
to a bias Γ, by which the odds of being positive may be larger or smaller among rows that nobody looked at.
With ``chance`` (or ``features``, from which chances are estimated) rows of one stratum may differ by it: each
stands for 1/chance. Where nobody looked at all, positives stay open: such a gap is a stratum of its own.

**A checker who errs** says yes of a share q = se·p + (1 − sp)·(1 − p) of the rows of a stratum of which p
are positive (Rogan, Gladen 1978). Sensitivity se and specificity sp are numbers, ranges, or learnt: from rows
with a second answer that is right, or, of several checkers, from how they agree (Dawid, Skene 1979).

**A judge** such as a language model answers for every row. Strata are crossed with its answers, and people's
answers say how many of each are positive: what the judge gets wrong is measured, and it need not be any good
(prediction-powered inference; Angelopoulos and others 2023).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from puremetrics.auditing import Audit
from puremetrics.checking.answers import answers_with_gaps
from puremetrics.checking.arguments import check_number
from puremetrics.checking.columns import as_scores, check_same_length
from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.evidence.fit import Term
from puremetrics.evidence.ground import Ground, JudgedRows
from puremetrics.evidence.kind import Evidence, as_range, named_scores
from puremetrics.evidence.terms import Agreed, Answered
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.results import Columns
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Checked", "Investigated", "Judged", "agreement_of", "as_checked"]

_BY_COUNT, _BY_FIND = 0.15, 1.0  # what an answer, and one more that is yes, tell of a rate
_GAP, _AROUND = 10.0, 8  # times the spacing of so many checked rows next to it, without a check
_FEWEST_IN_GAP = 50.0
_JUDGE_CUTS = (0.2, 0.5, 0.8)  # of a judge's probabilities
_FEWEST_OF_ANSWER = 10  # people's answers to rows of which the judge said the same
_LEAST_CHANCE = 0.05  # of the mean chance: chances are clipped there


@dataclass(frozen=True, eq=False, repr=False)
class Checked(Evidence):
    """Unlabeled rows with answers: what `Investigated`, `Judged` and audits have in common.

    Attributes
    ----------
    scores : dict of str to ndarray
        Scores of the checked rows by each model; of a single one under the name "model".
    answers : ndarray of float, shape (rows, checkers)
        1, 0, or NaN where a checker gave none.
    weight : ndarray
        How many unlabeled rows each stands for, up to a common factor.
    names : tuple of str
        The checkers.
    sensitivity, specificity : tuple of float
        Between which the shares of right answers lie, of positive and of negative rows.
    second : ndarray of float
        Answers that are right, NaN where there is none.
    known_chances : bool
        Whether ``weight`` says by which chance rows were chosen.
    selection_bias : float
        Γ: how far the odds of rows that nobody looked at may differ from those that somebody did.
    """

    scores: dict[str, FloatArray]
    answers: FloatArray
    weight: FloatArray
    names: tuple[str, ...] = ("checker",)
    sensitivity: tuple[float, float] = (1.0, 1.0)
    specificity: tuple[float, float] = (1.0, 1.0)
    second: FloatArray = field(default_factory=lambda: np.empty(0))
    known_chances: bool = False
    selection_bias: float = 1.0
    tilt: tuple[float, float] = (
        0.0,
        0.0,
    )  # log odds of those looked at, above and below the threshold

    def __len__(self) -> int:
        return int(self.answers.shape[0])

    # ---------------------------------------------------------------- what it holds

    @property
    def _right(self) -> BoolArray:
        """Rows whose answer is taken as right: a second one, or all if the only checker does not err."""
        if self.second.size:
            return ~np.isnan(self.second)
        return np.full(len(self), self._infallible)

    @property
    def _infallible(self) -> bool:
        return len(self.names) == 1 and self.sensitivity == self.specificity == (1.0, 1.0)

    @property
    def positive(self) -> FloatArray:
        """Of each row the second answer, or the share of checkers who said yes."""
        told = np.asarray(np.nanmean(self.answers, axis=1))
        if not self.second.size:
            return told
        return np.where(np.isnan(self.second), told, self.second)

    @property
    def judged(self) -> Any:
        """The judge's answer to each checked row."""
        return 0

    def frame(self) -> Columns:
        """Return one row for each that was checked."""
        given = {name: self.answers[:, j] for j, name in enumerate(self.names)}
        second = {"second": self.second} if self.second.size else {}
        return {**self.scores, **given, **second, "weight": self.weight}

    def _errs(self) -> str:
        """A clause about who may err."""
        if len(self.names) > 1:
            return "checkers err independently of each other"
        if self.second.size:
            return "second answers are right, and rows got one whatever the first was"
        if self._infallible:
            return "their answers are right"
        spans = []
        for name, (low, high) in (
            ("sensitivity", self.sensitivity),
            ("specificity", self.specificity),
        ):
            spans.append(f"{name} is {low:g}" + ("" if low == high else f" to {high:g}"))
        return f"the checker's {' and '.join(spans)}"

    # ---------------------------------------------------------------- in the joint fit

    def check(self, table: ScoreTable) -> None:
        if len(self) > table.total_unl * (1 + 1e-9):
            raise InputError(
                f"{len(self)} rows were checked, but the table has only {table.total_unl:.0f} unlabeled "
                "ones. Pass answers of unlabeled rows, each once."
            )

    def cases(self) -> tuple[Checked, ...]:
        spans = (self.sensitivity, self.specificity)
        middle = (sum(spans[0]) / 2, sum(spans[1]) / 2)
        corners = dict.fromkeys([middle, *product(self.sensitivity, self.specificity)])
        reach = float(np.log(self.selection_bias))
        ways = (reach, -reach) if reach > 0 else ()
        tilts = [(0.0, 0.0), *product(ways, ways)]
        return tuple(
            replace(self, sensitivity=(se, se), specificity=(sp, sp), selection_bias=1.0, tilt=tilt)
            for tilt in tilts
            for se, sp in corners
        )

    def information(self, ground: Ground) -> FloatArray:
        given = ground.counted(self.scores, answer=self.judged)
        yes = ground.counted(self.scores, np.rint(self.positive), self.judged)
        # Answers yes that are wrong tell little: the more of them there are, the fewer strata.
        sensitivity, specificity = (sum(span) / 2 for span in (self.sensitivity, self.specificity))
        if self.second.size and self._twice is not None:
            hit, miss, wrong, right = (count + 0.5 for count in self._twice)
            sensitivity, specificity = hit / (hit + miss), right / (wrong + right)
        share = (1 - specificity) * float(given.sum()) / max(float(yes.sum()), 1e-300)
        true = max(1 - share, 0.1)
        by_count = _BY_COUNT * max(sensitivity + specificity - 1, 0.1) ** 2
        return (by_count * true * given + _BY_FIND * true**2 * yes) / ground.answers

    @property
    def _twice(self) -> tuple[float, float, float, float] | None:
        """First answers yes and no to positive rows, and to negative ones, where the second says what is."""
        if not self.second.size:
            return None
        both = ~np.isnan(self.second)
        first, truth = self.answers[both, 0] > 0, self.second[both] > 0
        found = [
            float(np.count_nonzero((truth == is_) & (first == said)))
            for is_ in (True, False)
            for said in (True, False)
        ]
        return found[0], found[1], found[2], found[3]

    def apart(self, ground: Ground) -> Any:
        if self.known_chances:
            return None
        return _gaps(ground.along(ground.counted(self.scores)), ground.along(ground.rows))

    def terms(self, ground: Ground, corrected: bool) -> list[Term]:
        cell = ground.cells_of(self.scores, self.judged)
        # Rows of one score that had different chances stand for each other only if many are taken together.
        alike = self.known_chances or float(np.ptp(self.weight)) == 0
        both = [ground.stratum, ground.piece if alike else ground.stratum]
        if ground.answers == 1 or np.ndim(self.judged) > 0:  # else what the judge said is unknown
            both = [which * ground.answers + ground.answer for which in both]
        stratum, group = (np.unique(which, return_inverse=True)[1] for which in both)
        number = int(group.max()) + 1
        weights = ground.rows
        if not self.known_chances:
            looked = np.bincount(cell, self.weight, ground.axis.size)
            empty = np.bincount(group, looked, number)[group] <= 0
            weights = np.where(empty, ground.rows, looked)
        place, right = group[cell], self._right
        total = np.maximum(np.bincount(stratum, ground.rows), 1e-300)
        share = np.bincount(stratum[cell], minlength=total.size) / total
        of_group = np.zeros(number, dtype=np.intp)
        of_group[group] = stratum
        left = np.maximum(1 - share, 1e-6)[of_group]  # where all were checked, nothing errs
        found: list[Term] = []
        if len(self.names) > 1 and not self.second.size:
            return [self._agreed(ground, group, weights, place, left, number)]
        tilt = self._tilts(ground, group, number)
        if right.any():
            yes, size = self._counted(place, right, self.positive, number)
            found.append(Answered(group, weights, yes / left, (size - yes) / left, tilt=tilt))
        others = ~right
        if others.any():
            yes, size = self._counted(place, others, self.positive, number)
            errors: dict[str, Any] = {}
            if self._twice is not None:
                errors = {"sensitivity": None, "specificity": None, "twice": self._twice}
            else:
                errors = {"sensitivity": self.sensitivity[0], "specificity": self.specificity[0]}
            found.append(
                Answered(group, weights, yes / left, (size - yes) / left, **errors, tilt=tilt)
            )
        return found

    def _counted(
        self, place: Any, rows: BoolArray, yes: FloatArray, groups: int
    ) -> tuple[FloatArray, FloatArray]:
        """Answers yes, and all of them, in each group: those of as many rows of equal weight."""
        place, weight = place[rows], self.weight[rows]
        total = np.bincount(place, weight, groups)
        squares = np.bincount(place, weight**2, groups)
        size = np.divide(total**2, squares, out=np.zeros(groups), where=squares > 0)
        held = np.bincount(place, weight * yes[rows], groups)
        return np.divide(held, total, out=np.zeros(groups), where=total > 0) * size, size

    def _agreed(
        self,
        ground: Ground,
        group: Any,
        weights: FloatArray,
        place: Any,
        left: FloatArray,
        groups: int,
    ) -> Agreed:
        coded = np.where(np.isnan(self.answers), -1, self.answers)
        patterns, which = np.unique(coded, axis=0, return_inverse=True)
        _, asked = np.unique(patterns < 0, axis=0, return_inverse=True)
        every = np.ones(len(self), dtype=np.bool_)
        _, size = self._counted(place, every, self.positive, groups)
        found = np.zeros((groups, patterns.shape[0]))
        np.add.at(found, (place, which.ravel()), self.weight)
        total = np.maximum(found.sum(axis=1, keepdims=True), 1e-300)
        return Agreed(
            group, weights, patterns, asked.ravel(), found / total * (size / left)[:, None]
        )

    def _tilts(self, ground: Ground, group: Any, groups: int) -> Any:
        if self.tilt == (0.0, 0.0):
            return 0.0
        view = next(iter(ground.views.values()))
        above = view.above if view.above.any() and not view.above.all() else None
        if above is None:  # no threshold: halves of what was checked
            held = np.cumsum(
                np.bincount(
                    view.places(next(iter(self.scores.values()))), minlength=view.labelled.size
                )
            )
            above = held > held[-1] / 2
        inside = np.bincount(group, (ground.rows + 1e-9) * above[view.cell], groups)
        part = inside / np.bincount(group, ground.rows + 1e-9, groups)
        return self.tilt[0] * part + self.tilt[1] * (1 - part)

    def remarks(self, ground: Ground, others: FloatArray) -> list[Diagnostic]:
        said = list(self.diagnostics)
        marks = self.apart(ground)
        if marks is None:
            return said
        rows, told = ground.along(ground.rows), ground.along(others)
        view = next(iter(ground.views.values()))
        for mark in np.unique(marks[marks % 2 == 1]):
            inside = np.flatnonzero(marks == mark)
            if told[inside].sum() >= 1:  # not open, then
                continue
            where = "some ranks"
            if len(ground.views) == 1:
                ends = np.concatenate([[-np.inf], view.edges, [np.inf]])
                low, high = ends[inside[0]], ends[inside[-1] + 1]
                where = f"scores from {low:.4g} to {high:.4g}"
                if np.isinf(low):
                    where = f"scores below {high:.4g}"
                elif np.isinf(high):
                    where = f"scores of {low:.4g} and above"
            said.append(
                Diagnostic(
                    "PM151",
                    f"nobody looked at the {rows[inside].sum():,.0f} unlabeled rows with {where}: how many "
                    "of them are positive stays open. Check a few of them.",
                )
            )
        return said


@dataclass(frozen=True, eq=False, repr=False)
class Investigated(Checked):
    """Unlabeled rows that somebody chose to look at, by chances that nobody knows."""

    @classmethod
    def from_arrays(
        cls,
        score: Any,
        outcome: Any,
        *,
        chance: Any = None,
        features: Any = None,
        selection_bias: float = 1.0,
        sensitivity: Any = 1.0,
        specificity: Any = 1.0,
        second: Any = None,
    ) -> Investigated:
        """Make it of what was found.

        Parameters
        ----------
        score : array-like, shape (n,), or mapping of str to array-like
            Scores of unlabeled rows; of several models by their names. All of them may be passed.
        outcome : array-like, shape (n,), or mapping of str to array-like
            What was found: 1 or "yes", 0 or "no", and missing or empty where nobody looked. Of several
            checkers by their names: how often each errs is then learnt from how they agree.
        chance : array-like, shape (n,), optional
            The chance of each row to be looked at, where rows of one score had different ones. Only ratios
            count.
        features : array-like, shape (n, d), optional
            What decided whether somebody looked: chances are estimated from it, out of fold, by a logistic
            regression (needs scikit-learn). Rows that nobody looked at must be passed, too.
        selection_bias : float, default 1
            How many times as large the odds of being positive may be for rows that were looked at as for
            others of the same score, or the other way round. 1: they are alike.
        sensitivity, specificity : float or (low, high), default 1
            Share of right answers among positive and among negative rows.
        second : array-like, shape (n,), optional
            Second answers that are right, to some of the rows, chosen whatever the first answer was: how
            often the first ones err is learnt from them.

        Examples
        --------
        >>> found = Investigated.from_arrays([0.9, 0.8, 0.5, 0.1], ["yes", "no", "", ""])
        >>> len(found)
        2
        """
        return cls(
            **_read(
                score, outcome, chance, features, selection_bias, sensitivity, specificity, second
            )
        )

    @property
    def title(self) -> str:
        by = f" by {len(self.names)} checkers" if len(self.names) > 1 else ""
        found = int(np.count_nonzero(np.rint(self.positive)))
        return f"{len(self):,} investigated rows{by}, {found:,} of them positive"

    @property
    def assumes(self) -> str:
        alike = "rows that were looked at are like others of the same score"
        if self.selection_bias > 1:
            alike += f", up to odds {self.selection_bias:g} times as large or small"
        return f"{alike}, and {self._errs()}"


@dataclass(frozen=True, eq=False, repr=False)
class AuditedRows(Checked):
    """The unlabeled rows of an audit: chosen by known chances."""

    @property
    def title(self) -> str:
        found = int(np.count_nonzero(np.rint(self.positive)))
        return f"{len(self):,} audited rows, {found:,} of them positive"

    @property
    def assumes(self) -> str:
        return f"rows were drawn by chance, and {self._errs()}"


@dataclass(frozen=True, eq=False, repr=False)
class Judged(Checked):
    """A judge's answers to all unlabeled rows, and people's answers to some of them.

    Attributes
    ----------
    every : dict of str to ndarray
        Scores of all unlabeled rows.
    said : ndarray of int
        Which of its answers the judge gave to each of them.
    judged_rows : ndarray of int
        The same of the rows that people checked.
    yes : tuple of float
        Of each answer, how far it is a yes.
    """

    every: dict[str, FloatArray] = field(default_factory=dict)
    said: Any = None
    judged_rows: Any = None
    yes: tuple[float, ...] = (0.0, 1.0)

    @classmethod
    def from_arrays(
        cls,
        score: Any,
        judge: Any,
        outcome: Any,
        *,
        chance: Any = None,
        features: Any = None,
        selection_bias: float = 1.0,
        sensitivity: Any = 1.0,
        specificity: Any = 1.0,
        second: Any = None,
    ) -> Judged:
        """Make it of all unlabeled rows.

        Parameters
        ----------
        score : array-like, shape (n,), or mapping of str to array-like
            Scores of all unlabeled rows; of several models by their names.
        judge : array-like, shape (n,)
            What the judge says of each: 1 or 0, or the probability of being positive.
        outcome : array-like, shape (n,)
            What people found: 1 or "yes", 0 or "no", and missing or empty where nobody looked.
        chance, features, selection_bias, sensitivity, specificity, second
            As in `Investigated.from_arrays`; they are about the people, not the judge.

        Examples
        --------
        >>> found = Judged.from_arrays([0.9, 0.8, 0.5, 0.1], [1, 1, 0, 0], ["yes", "no", "", "no"])
        >>> len(found)
        3
        """
        share = as_scores(judge, "judge")
        if share.size and not (np.all(share >= 0) and np.all(share <= 1)):
            raise InputError(
                "judge must be 1 or 0, or a probability, of every unlabeled row. Check the column, or divide "
                "percentages by 100."
            )
        own = _read(
            score, outcome, chance, features, selection_bias, sensitivity, specificity, second
        )
        every = named_scores(score, share.size)
        looked = _looked(outcome)[0]
        check_same_length(looked.size, share.size, "outcome and judge")
        cut = np.digitize(share, _cuts_of(share, share[looked]))
        number = int(cut.max()) + 1
        means = tuple(float(share[cut == one].mean()) for one in range(number))
        return cls(**own, every=every, said=cut, judged_rows=cut[looked], yes=means)

    @property
    def judge(self) -> JudgedRows:
        return JudgedRows(self.every, self.said, len(self.yes))

    @property
    def judged(self) -> Any:
        return self.judged_rows

    @property
    def title(self) -> str:
        return f"a judge of all rows, and {len(self):,} human answers"

    @property
    def assumes(self) -> str:
        alike = (
            "rows that people looked at are like others of the same score and answer of the judge"
        )
        if self.known_chances:
            alike = "rows for people were drawn by chance"
        return f"{alike}, and {self._errs()}"


# ---------------------------------------------------------------------- reading


def _looked(outcome: Any) -> tuple[BoolArray, FloatArray, tuple[str, ...]]:
    """Which rows have an answer, the answers by checker, and the checkers."""
    named = outcome if isinstance(outcome, Mapping) else {"checker": outcome}
    if not named:
        raise InputError("outcome is empty. Pass at least one column of answers.")
    columns = []
    for name, values in named.items():
        given, yes = answers_with_gaps(
            values, "outcome" if name == "checker" else f"outcome[{name!r}]"
        )
        columns.append(np.where(given, yes.astype(np.float64), np.nan))
        if columns[-1].size != columns[0].size:
            raise InputError(
                f"outcome[{name!r}] has {columns[-1].size} answers, but the first checker has "
                f"{columns[0].size}. Pass columns of the same rows, empty where nobody looked."
            )
    answers = np.stack(columns, axis=1)
    return ~np.isnan(answers).all(axis=1), answers, tuple(str(name) for name in named)


def _read(
    score: Any, outcome: Any, chance: Any, features: Any, selection_bias: Any, sensitivity: Any,
    specificity: Any, second: Any,
) -> dict[str, Any]:  # fmt: skip
    looked, answers, names = _looked(outcome)
    scores = named_scores(score, looked.size)
    if not looked.any():
        raise InputError("Nobody looked at any row. Pass at least one answer.")
    weight = np.ones(looked.size)
    if chance is not None and features is not None:
        raise InputError("chance and features were both given. Pass one of them.")
    if features is not None:
        chance = _chances(features, looked)
    if chance is not None:
        chances = as_scores(chance, "chance")
        check_same_length(chances.size, looked.size, "chance and outcome")
        if not np.all(chances[looked] > 0):
            raise InputError(
                "chance holds values of 0 or less at rows that somebody looked at. Pass the chance that each "
                "of them had, or leave out their answers."
            )
        weight = 1 / np.maximum(chances, _LEAST_CHANCE * float(chances[looked].mean()))
    again = np.empty(0)
    if second is not None:
        if len(names) > 1:
            raise InputError("second=… is for a single checker. Pass all answers as outcome={…}.")
        given, yes = answers_with_gaps(second, "second")
        check_same_length(given.size, looked.size, "second and outcome")
        if np.any(given & ~looked):
            raise InputError(
                "second holds answers to rows that have no first one. Leave those empty."
            )
        again = np.where(given, yes.astype(np.float64), np.nan)[looked]
        if not given.any():
            raise InputError("second holds no answer. Leave it out.")
    bias = check_number(selection_bias, "selection_bias")
    if not 1 <= bias <= 1e4:
        raise InputError(
            f"selection_bias={bias:g} must be 1 (rows are alike) or more: it is a ratio of odds."
        )
    spans = as_range(sensitivity, "sensitivity", 0, 1), as_range(specificity, "specificity", 0, 1)
    if spans[0][0] + spans[1][0] <= 1:
        raise InputError(
            f"A checker with sensitivity {spans[0][0]:g} and specificity {spans[1][0]:g} tells nothing: they "
            "must add up to more than 1."
        )
    return {
        "scores": {name: column[looked] for name, column in scores.items()},
        "answers": answers[looked],
        "weight": weight[looked],
        "names": names,
        "sensitivity": spans[0],
        "specificity": spans[1],
        "second": again,
        "selection_bias": bias,
        "known_chances": chance is not None,
    }


def _chances(features: Any, looked: BoolArray) -> FloatArray:
    """Chances of being looked at, by a model that has not seen the row."""
    from puremetrics.priors.features import out_of_fold_scores

    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ImportError:  # out_of_fold_scores says what to install
        return out_of_fold_scores(features, looked.astype(np.int64))
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return out_of_fold_scores(features, looked.astype(np.int64), estimator=model)


def _cuts_of(every: FloatArray, checked: FloatArray) -> FloatArray:
    """Where a judge's probabilities are cut, so that people checked some rows of each answer."""
    values = np.unique(every)
    cuts = [0.5] if values.size <= 2 else list(_JUDGE_CUTS)
    while len(cuts) > 1:
        held = np.bincount(np.digitize(checked, cuts), minlength=len(cuts) + 1)
        few = int(np.argmin(held))
        if held[few] >= _FEWEST_OF_ANSWER:
            break
        del cuts[min(few, len(cuts) - 1)]
    inside = [cut for cut in cuts if (every < cut).any() and (every >= cut).any()]
    return np.array(inside)


def _gaps(looked: FloatArray, rows: FloatArray) -> Any:
    """A number for each place, odd where nobody looked although checked rows next to it lie much closer."""
    at = np.flatnonzero(looked > 0)
    marks = np.zeros(looked.size, dtype=np.intp)
    if at.size == 0:
        return marks + 1
    total = np.cumsum(rows)
    # Checked rows by their rank among all, ties spread evenly over their range.
    ranks = np.concatenate(
        [total[i] - rows[i] * (np.arange(int(looked[i])) + 0.5)[::-1] / int(looked[i]) for i in at]
    )
    ends = np.concatenate([[0.0], ranks, [float(total[-1])]])
    for place in np.flatnonzero(np.diff(ends) >= _FEWEST_IN_GAP):
        below, above = ranks[max(place - _AROUND, 0) : place], ranks[place : place + _AROUND]
        spacing = max(
            (
                float(side[-1] - side[0]) / (side.size - 1)
                for side in (below, above)
                if side.size > 1
            ),
            default=np.inf,
        )
        if ends[place + 1] - ends[place] > _GAP * spacing:
            inside = (total > ends[place]) & (total - rows < ends[place + 1]) & (looked == 0)
            marks[inside] = 1
    runs = np.cumsum(np.diff(marks, prepend=0) != 0)
    return np.where(marks == 1, 2 * runs + 1, 2 * runs)


def as_checked(audit: Audit, sensitivity: Any = 1.0, specificity: Any = 1.0) -> AuditedRows:
    """The unlabeled rows of an audit as evidence."""
    hidden = ~audit.labelled
    return AuditedRows(
        scores={name: column[hidden] for name, column in audit.scores.items()},
        answers=audit.positive[hidden].astype(np.float64)[:, None],
        weight=audit.weight[hidden],
        sensitivity=as_range(sensitivity, "sensitivity", 0, 1),
        specificity=as_range(specificity, "specificity", 0, 1),
        known_chances=True,
    )


def agreement_of(answers: FloatArray, names: tuple[str, ...]) -> Columns:
    """How often each pair of checkers agrees, and Cohen's kappa, over the rows that both answered."""
    first, second, rows, agree, kappa = [], [], [], [], []
    for i, one in enumerate(names):
        for j in range(i + 1, len(names)):
            both = ~np.isnan(answers[:, [i, j]]).any(axis=1)
            a, b = answers[both, i], answers[both, j]
            same = float(np.mean(a == b)) if a.size else np.nan
            p, q = (float(x.mean()) if x.size else np.nan for x in (a, b))
            chance = p * q + (1 - p) * (1 - q)
            first.append(one)
            second.append(names[j])
            rows.append(a.size)
            agree.append(same)
            kappa.append((same - chance) / (1 - chance) if a.size and chance < 1 else np.nan)
    return {
        "first": np.array(first), "second": np.array(second), "rows": np.array(rows),
        "agree": np.array(agree), "kappa": np.array(kappa),
    }  # fmt: skip
