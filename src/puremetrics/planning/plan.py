"""Planning an audit: which rows to check so that a few of them say most.

Strata and checks are those that make the expected interval narrowest (`planning.strata`), where labels at
random make one expect positives. Some checks go to every stratum: the labels may be wrong about where
positives are, and then the audit is to notice. A plan made from a wrong forecast is less efficient, no more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from puremetrics.auditing import Audit, Strata
from puremetrics.auditing.expected_positives import expected_rates
from puremetrics.auditing.metrics import PRIOR
from puremetrics.checking.arguments import (
    as_generator,
    check_count,
    check_flag,
    check_level,
    check_number,
)
from puremetrics.checking.columns import as_column, as_scores, check_same_length, is_missing_value
from puremetrics.checking.groups import as_groups
from puremetrics.checking.labels import label_masks
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError, UnsupportedError
from puremetrics.numerics.formulas import METRICS
from puremetrics.planning.drawing import Draw, DrawnRows, draw_of, drawn_places
from puremetrics.planning.strata import Ground, best_plan, plan_for_strata, random_width
from puremetrics.priors.estimate import estimate_prior
from puremetrics.results import Columns, PriorEstimate, Result
from puremetrics.setting import PriorLike, check_known_head, check_table, independent
from puremetrics.setting.assumed import resolve
from puremetrics.statistics.catalogue import find_some
from puremetrics.statistics.statistic import Statistic
from puremetrics.statistics.threshold_metric import ThresholdMetric
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from puremetrics.checkpage.notebook import CheckPage

__all__ = ["TARGETS", "AuditPlan", "plan_audit"]

TARGETS = ("precision", "recall", "f1", "roc_auc", "average_precision", "prior")  # the usual ones
_PRIOR = ThresholdMetric(PRIOR, -np.inf)
_BUDGETS = (50, 100, 200, 500, 1000)
_GROUPED = Diagnostic(
    "PM141",
    "rows belong to groups, and how alike the answers of one group are is known only once they are checked: "
    "the expected widths are those of independent rows, and so too small.",
)


@dataclass(frozen=True, eq=False, repr=False)
class AuditPlan(Result):
    """Which rows to check, and what that will tell.

    Attributes
    ----------
    target : str
        The statistic that the audit is planned for.
    threshold : float or None
    budget : int
        Rows to check.
    strata : Strata
        Ranges of scores, the lowest first, and the unlabeled rows in each.
    draws, expected_rate : ndarray
        Rows to draw from each, and the share of positives that the labels make one expect there.
    width, random_width : float
        Of the interval to expect, and of that of as many rows drawn at random.
    widths, random_widths : dict of int to float
        The same for other budgets, with the strata of this one.
    prior : float
        What was taken as the prior.
    level : float
    """

    target: str
    threshold: float | None
    budget: int
    strata: Strata
    draws: FloatArray
    expected_rate: FloatArray
    width: float
    random_width: float
    widths: dict[int, float]
    random_widths: dict[int, float]
    prior: float
    level: float
    diagnostics: tuple[Diagnostic, ...] = ()

    def draw(
        self,
        y: Any,
        score: Any,
        *,
        groups: Any = None,
        rng: Any = 0,
        pos_label: Any = 1,
        unlabeled_label: Any = 0,
        neg_label: Any = None,
    ) -> DrawnRows:
        """Pick the rows to look at: their places, in the order in which to check them.

        Parameters
        ----------
        y, score : array-like, shape (n,)
            Labels and scores of the rows that the table was built from; ``score`` may map names of
            several models to their scores, the planned one first.
        groups : array-like, shape (n,), optional
            The group that each row belongs to, if the table has groups; `audit` then knows those of the
            rows that were drawn.
        rng : int or Generator, default 0
            The same seed draws the same rows.
        pos_label, unlabeled_label, neg_label : scalar
            As in `ScoreTable.from_arrays`.

        Returns
        -------
        ndarray of int
            For `audit`. The order is random: the first of them are a draw by themselves.
        """
        named = score if isinstance(score, Mapping) else {"model": score}
        if not named:
            raise InputError("score is empty. Pass the scores that the table was built from.")
        columns = {str(name): as_scores(column, "score") + 0.0 for name, column in named.items()}
        _, unlabeled, _ = label_masks(y, pos_label, unlabeled_label, neg_label)
        for column in columns.values():
            check_same_length(unlabeled.size, column.size, "y and score")
        model = self.model_among(columns)
        places = drawn_places(
            self.strata, self.draws, np.flatnonzero(unlabeled), columns[model], as_generator(rng)
        )
        scores = {name: column[places] for name, column in columns.items()}
        names = None if groups is None else as_groups(groups, unlabeled.size)[places]
        return DrawnRows.of(Draw(places, scores, groups=names))

    def draw_from(
        self,
        source: Any,
        *,
        label: str,
        score: Any,
        id: str | None = None,
        rng: Any = 0,
        pos_label: Any = 1,
        unlabeled_label: Any = 0,
        neg_label: Any = None,
        where: str | None = None,
        progress: Callable[[int, int | None], None] | None = None,
    ) -> DrawnRows:
        """Pick the rows to look at from files or streams of any size, or on Spark, in one pass.

        Memory holds the rows that are drawn and one batch. Which they are depends on the seed and the order
        of rows, not on how these are split into files or batches; on Spark on the seed and the identifiers.

        Parameters
        ----------
        source
            Whatever `scan` takes, with the rows that the table was built from. Places of rows are numbers in
            the order in which it is read, from 0: sort a DuckDB relation, or name an identifier.
        label : str
            Column of the labels.
        score : str, list of str, or mapping of str to str
            Column of the scores; of several models a list, or a mapping of their names to columns.
        id : str, optional
            Column of identifiers, to be remembered in ``rows.identifiers``. They must differ from row to
            row. Needed on Spark, where rows have no place.
        rng : int or Generator, default 0
            The same seed draws the same rows; others than `draw` does.
        pos_label, unlabeled_label, neg_label : scalar
            As in `ScoreTable.from_arrays`.
        where : str, optional
            Draw only among rows for which this SQL condition holds, as in `scan`. Places then count these.
        progress : callable, optional
            Called with the rows read so far, and how many there will be, if that is known.

        Returns
        -------
        ndarray of int
            For `audit`: places of the rows; on Spark their numbers in this draw. The order is random: the
            first of them are a draw by themselves.

        Examples
        --------
        >>> import pyarrow
        >>> names = [f"row {i}" for i in range(1000)]
        >>> rows = pyarrow.table({"y": [0, 0, 0, 1] * 250, "p": range(1000), "name": names})
        >>> table = ScoreTable.from_arrays(rows["y"], rows["p"], scenario="case_control")
        >>> plan = plan_audit(table, budget=20, target="prior", prior=0.3)
        >>> drawn = plan.draw_from(rows, label="y", score="p", id="name")
        >>> len(drawn), drawn.identifiers[0] == names[drawn[0]]
        (20, True)
        """
        from puremetrics.io.drawing import (
            draw_rows,
        )  # io lies below, and is loaded by whoever calls

        return draw_rows(
            self, source, label=label, score=score, id=id, rng=rng, pos_label=pos_label,
            unlabeled_label=unlabeled_label, neg_label=neg_label, where=where, progress=progress,
        )  # fmt: skip

    def audit(
        self,
        rows: Any,
        positive: Any,
        *,
        score: Any = None,
        groups: Any = None,
        sequential: bool = False,
    ) -> Audit:
        """Put the answers to rows that were drawn: an audit for ``audit=…``.

        Parameters
        ----------
        rows : ndarray of int
            What `draw` or `draw_from` returned, or a part of it.
        positive : array-like
            The answer to each of them: 1 or 0, True or False; None where there is none yet.
        score : array-like, optional
            Scores of all rows, if ``rows`` are plain numbers that have forgotten their draw.
        groups : array-like, optional
            The group that each of ``rows`` belongs to, if the table has groups and the draw was not told.
        sequential : bool, default False
            Pass True if you look at results while answers come in and may stop when they are good enough.
        """
        looked = check_flag(sequential, "sequential")
        place = np.asarray(as_column(rows, "rows"))
        answers = as_column(positive, "positive").astype(object)
        check_same_length(place.size, answers.size, "rows and positive")
        if place.dtype.kind not in "iu":
            raise InputError(
                "rows must be row positions, which are whole numbers. Pass what plan.draw returned."
            )
        values, counts = np.unique(place, return_counts=True)
        if values.size < place.size:
            raise InputError(
                f"Row {values[counts > 1][0]} appears twice. Each row is checked once: drop one of them."
            )
        draw = getattr(rows, "draw", None) or draw_of(place, score)
        at = draw.at(place)
        strange = np.flatnonzero(at < 0)
        if strange.size:
            raise InputError(
                f"Row {place[strange[0]]} was not drawn ({strange.size} such rows). Answers count only for "
                "rows that were drawn at random: pass those that plan.draw returned."
            )
        answered = np.array([not is_missing_value(answer) for answer in answers], dtype=np.bool_)
        if not answered.any():
            raise InputError("No row has an answer yet. Check some, in the order of the draw.")
        kept = np.sort(at[answered])
        remarks: tuple[Diagnostic, ...] = ()
        if not np.array_equal(kept, np.arange(kept.size)) and score is None:
            remarks = (
                Diagnostic(
                    "PM131",
                    f"{kept.size} of {draw.place.size} rows are checked, but not the first ones of the "
                    "draw. If they were picked for a reason that has to do with the answer, results are "
                    "biased: check rows in the order of the draw.",
                ),
            )
        sequence = np.argsort(at[answered], kind="stable")
        chosen = at[answered][sequence]
        names = None if draw.groups is None else draw.groups[chosen]
        if groups is not None:
            names = as_groups(groups, place.size)[answered][sequence]
        found = Audit.from_arrays(
            {name: column[chosen] for name, column in draw.scores.items()},
            answers[answered][sequence],
            planned=draw.place.size if looked else None,
            groups=names,
        )
        strata = replace(self.strata, model=self.model_among(found.scores))
        weight = found.weight_by_strata(strata)
        return replace(found, weight=weight, strata=strata, diagnostics=remarks, target=self.target)

    def check(
        self,
        rows: DrawnRows,
        show: Any = None,
        *,
        table: ScoreTable | None = None,
        output: str | Path = "checked.csv",
        until_width: float | None = None,
        question: str | None = None,
        checker: str = "",
        overlap: float = 0.0,
        images: bool = False,
    ) -> CheckPage:
        """Check rows on a page inside a notebook, by keys, one row at a time.

        The page is served by this process on this machine alone, and every answer is kept in a file before
        the next row appears. Calling it again goes on where it ended.

        Parameters
        ----------
        rows : ndarray of int
            What `draw` or `draw_from` returned.
        show : data frame or mapping of str to array-like, optional
            What people see of each row: columns of all rows, or of ``rows`` in their order. Left out, the
            columns that `draw_from` kept.
        table : ScoreTable, optional
            What the plan was made for: the page then shows the interval of the target while answers come in.
        output : path
            The file of answers; its plan is kept beside it, so that the command line can read both.
        until_width : float, optional
            Say when the interval is at most so wide.
        question : str, optional
            What is asked of every row.
        checker : str
            Who answers.
        overlap : float, default 0
            Share of the rows, in percent, that two people check.
        images : bool
            Whether pictures are loaded from addresses in the cells.

        Returns
        -------
        CheckPage
            Shown as a frame in a cell. ``page.answers`` are the answers so far, ``page.audit()`` the audit
            that they make, ``page.stop()`` ends it.

        Examples
        --------
        >>> y, score = [1] * 20 + [0] * 80, list(range(100))
        >>> table = ScoreTable.from_arrays(y, score, scenario="single_training_set")
        >>> plan = plan_audit(table, budget=5, target="prior", prior=0.3)
        >>> rows = plan.draw(y, score)
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> page = plan.check(
        ...     rows, {"name": [f"row {i}" for i in range(100)]}, output=f"{folder.name}/checked.csv")
        >>> page.answers, page.address.startswith("http://127.0.0.1:")
        ([None, None, None, None, None], True)
        >>> page.stop()
        >>> folder.cleanup()
        """
        from puremetrics.checkpage.notebook import open_page  # which lies below, like io

        return open_page(
            self, rows, show, table=table, output=output, until_width=until_width, question=question,
            checker=checker, overlap=overlap, images=images,
        )  # fmt: skip

    def model_among(self, scores: Mapping[str, Any]) -> str:
        """The model whose scores the strata are about: the first, if the plan has no name for it."""
        if self.strata.model in scores:
            return self.strata.model
        if self.strata.model != "model":
            raise InputError(
                f"The plan uses the scores of {self.strata.model!r}, but only those "
                f"of {', '.join(map(repr, scores))} were given. Pass those of {self.strata.model!r} as well."
            )
        return next(iter(scores))

    def frame(self) -> Columns:
        """Return one row for each stratum, the highest scores first."""
        edges = self.strata.edges
        columns = {
            "from": np.concatenate([[-np.inf], edges]),
            "up to": np.concatenate([edges, [np.inf]]),
            "rows": self.strata.rows,
            "to check": self.draws,
            "expected rate": self.expected_rate,
        }
        return {name: column[::-1] for name, column in columns.items()}

    def _told(self) -> list[str]:
        at = "" if self.threshold is None else f" at score >= {self.threshold:g}"
        others = ", ".join(f"{rows}: {width:.3f}" for rows, width in self.widths.items())
        return [
            f"Check {self.draws.sum():.0f} rows: the {self.level:.0%} interval of {self.target}{at} will be "
            f"about {self.width:.3f} wide ({self.random_width:.3f} if as many rows were drawn at random)",
            f"  width by rows checked: {others}",
        ]

    def __str__(self) -> str:
        first, last = self._told()
        lines = [first, f"  {'scores':<24}{'rows':>12}{'to check':>10}{'expected':>10}"]
        columns = self.frame()
        for low, high, rows, draws, rate in zip(*columns.values(), strict=True):
            span = f"{low:.4g} and above" if np.isinf(high) else f"{low:.4g} to {high:.4g}"
            span = f"below {high:.4g}" if np.isinf(low) else span
            lines.append(f"  {span:<24}{rows:>12.0f}{draws:>10.0f}{100 * rate:>8.2g}%")
        lines.append(last)
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


@takes_data
def plan_audit(
    table: ScoreTable,
    *,
    budget: int,
    target: str = "f1",
    threshold: float | None = None,
    prior: PriorLike = None,
    confidence_level: float = 0.95,
    rng: Any = 0,
) -> AuditPlan:
    """Plan which unlabeled rows to check by hand.

    Parameters
    ----------
    table : ScoreTable
        Of whole rows, not cut; a scanned one is fine. If its rows belong to groups, what their answers have
        in common is known only when they are checked: the widths to expect are those of independent rows.
    budget : int
        How many rows can be checked.
    target : {"f1", "precision", "recall", "roc_auc", "average_precision", "prior"}
        What is to become known. The audit serves all statistics, and this one best.
    threshold : float, optional
        Needed for precision, recall and F1; strata are cut there.
    prior : float, (low, high) or PriorEstimate, optional
        A guess is good enough. Left out, it is estimated from the scores.
    confidence_level : float, default 0.95
    rng : int or Generator, default 0
        Of the estimate of the prior.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=range(800, 1000), unlabeled=range(1000), scenario="case_control")
    >>> plan = plan_audit(table, budget=100, target="precision", threshold=700, prior=0.1)
    >>> plan.width < plan.random_width
    True
    """
    check_table(table)
    level, count = check_level(confidence_level), check_count(budget, "budget", smallest=2)
    if table.is_cut or not table.whole or table.total_unl == 0:
        raise UnsupportedError(
            "Planning an audit needs a table of whole rows, not cut, with unlabeled ones among them. Build "
            "it from the rows themselves."
        )
    at = None if threshold is None else check_number(threshold, "threshold")
    wanted = _target(target, at)
    if at is not None:
        check_known_head(table, at)
    if prior is None:
        prior = estimate_prior(table, confidence_level=level, rng=rng)
    assumed = resolve(table, prior, None)
    share = table.design.unlabeled_share(table.totals, assumed.value) or 0.0
    share = min(max(float(share), 1.0 / table.total_unl), 1.0)
    ground = Ground.of(table, expected_rates(table, share), at)
    made = best_plan(ground, wanted, count, level)
    known = prior.diagnostics if isinstance(prior, PriorEstimate) else ()
    if not independent(table):
        known = (*known, _GROUPED)
    others = [rows for rows in _BUDGETS if rows <= table.total_unl]
    return AuditPlan(
        wanted.name,
        at,
        count,
        Strata("model", made.edges, made.expected.rows),
        made.checked,
        made.expected.rate,
        made.width,
        random_width(ground, wanted, count, level),
        {rows: plan_for_strata(made.edges, made.expected, rows).width for rows in others},
        {rows: random_width(ground, wanted, rows, level) for rows in others},
        assumed.value,
        level,
        tuple(known),
    )


def _target(target: object, threshold: float | None) -> Statistic:
    """The statistic that a plan makes most of; the share of positives is one of counts, too."""
    if isinstance(target, str) and target == PRIOR.name:
        return _PRIOR
    if isinstance(target, str) and target in METRICS and threshold is None:
        raise InputError(
            f"target={target!r} needs a threshold: pass threshold=… (choose_threshold finds one)."
        )
    found = find_some(target, {}, threshold)[0]
    some = np.ones(2)
    by_counts, by_sum = found.of_counts(some, some, some, some), found.expected_sum(some, 2 * some)
    if by_counts is None and by_sum is None:
        raise UnsupportedError(
            f"An audit cannot be planned for {found.name!r}, which is neither an area nor a metric at a "
            f"threshold. Plan for one of {', '.join(TARGETS)}: the answers can also be used "
            f"for {found.name!r}."
        )
    return found
