"""Random labels tested without a prior, from populations that differ in how many rows are positive.

If labelled rows are a random sample of the positives, with scores P_1, and months or regions differ in their
share of positives but not in what a positive or a negative looks like, the unlabeled rows of population j are

    U_j = α_j·P_1 + (1 − α_j)·P_0,    so that    U_j − P_1 = (1 − α_j)·(P_0 − P_1):

seen from the labelled rows, all populations lie in one direction. Neither the α_j nor P_0 need be known, and
labels may be as frequent as they like in each population. With one population r as the origin,

    U_j = (1 − t_j)·U_r + t_j·P_1,    t_j = (α_j − α_r) / (1 − α_r).

In both scenarios: the labelled rows of a single training set leave positives behind that are a random
sample as well, so α_j is the share of positives *among the unlabeled*. Labels of purity β lie on the line,
too, since P_L − P_0 = β·(P_1 − P_0).

**The test.** Scores are cut into K ranges, which hold equal shares of labelled and unlabeled rows put
together at equal weight. With shares û and p̂ of the ranges,

    y_j = û_j − (1 − t_j)·û_r − t_j·p̂

has mean 0 and

    Cov(y_i, y_j) = [i = j]·Σ_j/N_j + (1 − t_i)(1 − t_j)·Σ_r/N_r + t_i t_j·Σ_p/L,

Σ the multinomial covariance of fitted shares. Generalised least squares finds the t_j, along P_1 − U_r.
Labels whose chance rises or falls with the score, P_L ∝ P_1·exp(η·h), h the rank among the labelled from −½
to ½, move y_j by −η·t_j·P_1·(h − mean h) to first order. Most of the level, 0.8 of it, goes to this one
direction: one degree of freedom in place of the (J − 1)(K − 2) of a general test, which is why mild biases
are noticed far more often. Strong biases bend the line, so the remaining 0.2 go to the K − 3 other directions
along t_j in which labels can differ from the positives. As y and its covariance are those at the t_j found,
both keep their size where populations hardly differ (t → 0): they then have no power, and the result says so.

With three or more populations, the unlabeled rows can be asked by themselves: what deviates neither along
P_1 − U_r nor along t, whatever the labels are, contradicts classes that are the same in all populations.
That is a χ² with (J − 2)(K − 2) degrees of freedom, `p_classes`, which biased labels do not affect.

What it cannot tell: classes that differ between populations look like biased labels where this second test
does not notice them, with two populations always. How often that happens is measured
(evidence/populations.md).

The line through mixtures is that of mutual contamination models (Scott, Blanchard and Handy 2013); the test
of it against labels in one direction was derived here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.arguments import check_level, listed, shown
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.results import Columns, Result
from puremetrics.results.protocol import number
from puremetrics.scenarios import Scenario
from puremetrics.tables.populations import Counted, Populations

__all__ = ["PopulationsCheck", "populations_check"]

_FEWEST_LABELLED, _FEWEST_UNLABELED = 20, 50
_MOST = 50  # populations
_RANGES, _ROWS_A_RANGE = (4, 10), 10  # as few and as many ranges; labelled rows for each
_STEPS = 6  # of the fit
_WITHIN = 0.9  # the share of positives, by rank, that a ratio of chances is about
_POWER = 0.8
_OF_TILT = 0.8  # of the level; the rest is for biases of any other form


@dataclass(frozen=True, eq=False, repr=False)
class PopulationsCheck(Result):
    """Whether labels can be a random sample of the positives, from how populations differ.

    Attributes
    ----------
    p_value : float
        Of the test that labels favour no scores. It assumes that positives and negatives look the same in
        all populations, so it is a test of both together.
    p_classes : float or None
        Of the test that classes are alike, which biased labels do not affect; None for two populations.
    favoured : str
        "high" or "low": the scores that labels seem to favour; "some" if neither explains a rejection.
    ratio : float
        Estimated ratio of the chances of a label between positives at the 95th and at the 5th percent of the
        ranking of positives, the larger to the smaller. To first order, so too small for strong biases.
    noticed : float
        The ratio that such samples notice in about half of the cases or more at this level; infinite if
        none. To first order it is the one for 80%, and 41% to 79% were measured.
    excess : mapping
        By population, the share of its unlabeled rows by which positives exceed those of the population with
        the fewest, relative to what is not positive there.
    left_out : tuple
        Populations with too few unlabeled rows.
    by, level, scenario : str, float and str
        What tells populations apart, the confidence asked for, and the scenario.
    diagnostics : tuple of Diagnostic
        PM511 if the p-value is below 1 − level.
    """

    p_value: float
    p_classes: float | None
    favoured: str
    ratio: float
    noticed: float
    excess: Mapping[Any, float]
    left_out: tuple[Any, ...]
    by: str
    level: float
    scenario: Scenario
    diagnostics: tuple[Diagnostic, ...] = field(default=())

    @property
    def contradicted(self) -> bool:
        """Whether labels cannot be at random if classes are the same in all populations."""
        return bool(self.diagnostics)

    def frame(self) -> Columns:
        """Return one row a population."""
        return {
            "population": np.array([str(name) for name in self.excess]),
            "excess": np.array(list(self.excess.values())),
        }

    def __str__(self) -> str:
        verdict = "contradict" if self.contradicted else "do not contradict"
        lines = [
            f"{len(self.excess)} populations by {self.by!r} {verdict} random labels, if classes look the "
            f"same in all of them: {_p(self.p_value)}",
        ]
        if self.favoured == "some":
            lines.append(
                "  labels favour some scores strongly, or in a way that neither rises nor falls with them"
            )
        elif self.noticed <= 100:
            lines.append(
                f"  labels seem to favour {self.favoured} scores by a factor of {number(self.ratio)}; one of "
                f"{number(self.noticed)} would be noticed in about half of the samples or more"
            )
        else:
            lines.append(
                "  populations are too alike in their shares of positives for this test to notice anything"
            )
        if self.p_classes is not None:
            lines.append(
                "  classes that look the same in all of them, by the unlabeled rows alone: "
                f"{_p(self.p_classes)}"
            )
        else:
            lines.append(
                "  two populations cannot tell biased labels from classes that changed; a third one helps"
            )
        if self.left_out:
            lines.append(
                f"  left out, with fewer than {_FEWEST_UNLABELED} unlabeled rows: {_names(self.left_out)}"
            )
        return "\n".join(lines + [f"  {remark}" for remark in self.diagnostics])


def _p(value: float) -> str:
    return "p < 0.0001" if value < 1e-4 else f"p = {value:.4f}"


def _names(keys: tuple[Any, ...]) -> str:
    told = listed([str(key) for key in keys[:8]])
    return told if len(keys) <= 8 else f"{told} and {len(keys) - 8} more"


def populations_check(populations: Populations, level: float) -> PopulationsCheck:
    """Test random labels from at least two populations."""
    from scipy.special import chdtrc

    level = check_level(level)
    names, left_out, counted = _kept(populations)
    labelled, unlabeled = _counts(populations.labelled, counted)
    fit = _Fit.of(labelled, unlabeled)
    of_tilt = float(chdtrc(1, max(fit.alone - fit.tilted, 0.0))) / _OF_TILT
    if labelled.size > 3:
        other = float(chdtrc(labelled.size - 3, max(fit.tilted - fit.rest, 0.0))) / (1 - _OF_TILT)
    else:
        other = 1.0
    p_value = min(of_tilt, other, 1.0)
    freedom = (len(names) - 2) * (labelled.size - 2)
    p_classes = float(chdtrc(freedom, fit.rest)) if freedom else None
    favoured = "high" if fit.tilt >= 0 else "low"
    if p_value <= 1 - level < of_tilt:
        favoured = "some"
    ratio = float(np.exp(min(_WITHIN * abs(fit.tilt), 700.0)))
    reach = normal_quantile(1 - _OF_TILT * (1 - level)) + normal_quantile(2 * _POWER - 1)
    log_noticed = _WITHIN * reach * fit.error
    noticed = float(np.exp(log_noticed)) if log_noticed < 700 else np.inf
    remarks = []
    if p_value <= 1 - level:
        doubt = "or positives or negatives look different there"
        if p_classes is not None and p_classes <= 1 - level:
            doubt = (
                f"or, as unlabeled rows say by themselves ({_p(p_classes)}), classes look different"
            )
        remarks.append(
            Diagnostic(
                "PM511",
                f"populations by {populations.by!r} contradict random labels ({_p(p_value)}): either "
                f"labels favour {favoured} scores, {doubt} from population to population. The test cannot "
                "tell which. Audit some unlabeled rows (plan_audit), say how biased labels may be "
                "(label_bias=…), or compare populations in which classes are the same.",
            )
        )
    excess = dict(zip(names, fit.excess.tolist(), strict=True))
    return PopulationsCheck(
        p_value, p_classes, favoured, ratio, noticed, excess, left_out, populations.by, level,
        populations.scenario, tuple(remarks),
    )  # fmt: skip


def _kept(populations: Populations) -> tuple[list[Any], tuple[Any, ...], list[Counted]]:
    """The populations that have enough unlabeled rows, those that do not, and the scores of the former."""
    rows = float(populations.labelled[1].sum())
    if rows < _FEWEST_LABELLED:
        raise InputError(
            f"There are {rows:g} labelled rows, too few to compare populations with. Collect at least "
            f"{_FEWEST_LABELLED}, or pass a prior in place of by."
        )
    enough = {
        name: own
        for name, own in populations.unlabeled.items()
        if own[1].sum() >= _FEWEST_UNLABELED
    }
    left_out = tuple(name for name in populations.unlabeled if name not in enough)
    if len(enough) < 2:
        found = f"only {shown(next(iter(enough)))} has" if enough else "no value of the column has"
        raise InputError(
            f"By {populations.by!r} {found} at least {_FEWEST_UNLABELED} unlabeled rows, and random labels "
            "are tested between two or more. Name a column with two or more such values, or pass a prior."
        )
    if len(enough) > _MOST:
        raise InputError(
            f"By {populations.by!r} there are {len(enough)} populations, more than {_MOST}. Name a coarser "
            "column, such as quarters in place of days."
        )
    return list(enough), left_out, list(enough.values())


def _counts(labelled: Counted, unlabeled: list[Counted]) -> tuple[FloatArray, FloatArray]:
    """Rows in ranges of the scores: of the labelled, and of each population."""
    every = [labelled, *unlabeled]
    score = np.concatenate([own for own, _ in every])
    rows, hidden = labelled[1].sum(), sum(float(weight.sum()) for _, weight in unlabeled)
    weight = np.concatenate([labelled[1] / rows, *(own / hidden for _, own in unlabeled)])
    order = np.argsort(score, kind="stable")
    score, heads = score[order], np.cumsum(weight[order])
    ranges = int(np.clip(rows // _ROWS_A_RANGE, *_RANGES))
    ends = np.searchsorted(heads, heads[-1] * np.arange(1, ranges) / ranges)
    cuts = np.unique(score[np.minimum(ends, score.size - 1)])
    cuts = cuts[cuts > score[0]]
    counts = np.array(
        [
            np.bincount(np.searchsorted(cuts, own, side="right"), weight, cuts.size + 1)
            for own, weight in every
        ]
    )
    if counts.shape[1] < 3:
        raise InputError(
            "Scores have too few different values to compare populations by: ranges with equal shares of the "
            f"rows leave {counts.shape[1]}, and at least 3 are needed. Pass scores, not hard predictions."
        )
    return counts[0], counts[1:]


class _Fit(NamedTuple):
    """All populations on one line through the labelled rows, and what deviates from it.

    Attributes
    ----------
    alone, tilted, rest : float
        Least weighted sums of squares: of the line; with labels tilted along the ranks as well; with
        labels free to differ from the positives in any way.
    tilt, error : float
        Slope of the log of the chance of a label along the rank of a positive, with its standard error.
    excess : ndarray
        By population, t less that of the smallest, as a share of the rest.
    """

    alone: float
    tilted: float
    rest: float
    tilt: float
    error: float
    excess: FloatArray

    @classmethod
    def of(cls, labelled: FloatArray, unlabeled: FloatArray) -> _Fit:
        """Fit by generalised least squares, with covariances at fitted shares."""
        ranges, rows = labelled.size, unlabeled.sum(axis=1)
        size = labelled.sum()
        seen, seen_unl = labelled / size, unlabeled / rows[:, None]
        added = 0.5 / ranges  # so that no range is empty in the first step
        pos = (labelled + added) / (size + 0.5)
        # The population least like the labelled: it has the lowest ranks among them.
        origin = int(np.argmin(seen_unl @ (np.cumsum(pos) - pos / 2)))
        others = np.delete(np.arange(rows.size), origin)
        base = (unlabeled[origin] + added) / (rows[origin] + 0.5)
        share, free = np.zeros(others.size), ranges - 1
        floor = 0.2 / rows.sum()
        for _ in range(_STEPS):
            of_pos, of_base = _spread(pos, size), _spread(base, rows[origin])
            kept = 1 - share
            spread = np.kron(np.outer(kept, kept), of_base) + np.kron(
                np.outer(share, share), of_pos
            )
            for i, j in enumerate(others):
                at = slice(i * free, (i + 1) * free)
                mixed = np.maximum(kept[i] * base + share[i] * pos, 1e-9)
                spread[at, at] += _spread(mixed / mixed.sum(), rows[j])
            gap = seen_unl[others] - kept[:, None] * seen_unl[origin] - np.outer(share, seen)
            weight = np.linalg.pinv(spread, hermitian=True)
            y = gap[:, :-1].ravel()
            line = np.kron(np.eye(others.size), (pos - base)[:-1, None])
            step = np.linalg.lstsq(line.T @ weight @ line, line.T @ weight @ y, rcond=None)[0]
            left = (weight @ (y - line @ step)).reshape(others.size, free)
            next_pos = _whole(seen[:-1] + of_pos @ (share @ left), floor)
            next_base = _whole(seen_unl[origin, :-1] + of_base @ (kept @ left), floor)
            at_fit = share, pos, weight, y, line
            pos, base, share = next_pos, next_base, np.clip(share + step, -0.5, 0.999)
        return cls._tested(*at_fit, others, origin)

    @classmethod
    def _tested(
        cls,
        share: FloatArray,
        pos: FloatArray,
        weight: FloatArray,
        y: FloatArray,
        line: FloatArray,
        others: Any,
        origin: int,
    ) -> _Fit:
        ranks = np.cumsum(pos) - pos / 2 - 0.5
        tilt = -(pos * (ranks - pos @ ranks))[:-1]
        alone, _, _ = _squares(line, weight, y)
        wide = np.hstack([line, np.kron(share[:, None], tilt[:, None])])
        tilted, found, errors = _squares(wide, weight, y)
        anyhow = np.hstack([line, np.kron(share[:, None], np.eye(tilt.size))])
        rest, _, _ = _squares(anyhow, weight, y)
        every = np.zeros(others.size + 1)
        every[others] = share
        lowest = every.min()
        return cls(
            alone,
            tilted,
            rest,
            float(found[-1]),
            float(errors[-1]),
            (every - lowest) / (1 - lowest),
        )


def _spread(shares: FloatArray, rows: float) -> FloatArray:
    """Covariance of observed shares, all but the last."""
    found: FloatArray = (np.diag(shares) - np.outer(shares, shares))[:-1, :-1] / rows
    return found


def _whole(shares: FloatArray, floor: float) -> FloatArray:
    """Shares with the last one added, none below the floor."""
    full = np.maximum(np.append(shares, 1 - shares.sum()), floor)
    whole: FloatArray = full / full.sum()
    return whole


def _squares(
    columns: FloatArray, weight: FloatArray, y: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Least weighted sum of squares, with the coefficients and their errors."""
    normal = columns.T @ weight @ columns
    scale = np.sqrt(np.maximum(np.diag(normal), 0.0))
    scale = np.where(scale > 0, scale, 1.0)
    inverse = np.linalg.pinv(normal / np.outer(scale, scale), rcond=1e-10, hermitian=True)
    inverse /= np.outer(scale, scale)
    found = inverse @ (columns.T @ weight @ y)
    left = y - columns @ found
    errors = np.sqrt(np.maximum(np.diag(inverse), 0.0))
    errors = np.where(errors > 0, errors, np.inf)
    return float(left @ weight @ left), found, errors
