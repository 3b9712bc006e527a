"""Do the labels look like a random sample of the positives? Where the data can tell, they say so here.

**The check** (`check_labelling`). If a share a of the unlabeled rows is positive and the labelled ones are a
random sample of the positives, then among the unlabeled every range of scores holds at least a times its
share among the labelled:

    P_U(I) ≥ a · P_L(I)    for every interval I of scores.

Labels that favour some positives pile up where the unlabeled rows are too few for that. `largest_prior` asks
the same of heads of the ranking only, so it notices labels that favour high scores; intervals notice those
that favour low ones as well, if classes are far enough apart.

With labels of purity β, P_L = β·P_1 + (1 − β)·P_0 and P_U = a·P_1 + (1 − a)·P_0, so the same holds with a/β
in place of a (as a ≤ β).

Intervals (`score_intervals`) end at scores of the labelled whose ranks are fixed in advance by their number
alone, so that looking at all of them is a matter of the level only. One that spans k of the n + 1 gaps
between labelled rows and holds u of N unlabeled ones rejects a if a·k/(n + 1) exceeds u/N by more than a
normal quantile of its standard error under P_U = a·P_L, at error (1 − level)/J for each of J intervals. The
sharpest upper limit of a is the answer. `bounds.largest` takes heads, and limits with a proof for samples of
any size, which are less sharp; here the share of false alarms was measured (evidence/trust_selection.md, and
the tests). In a single training set a follows from the prior and the share of labelled rows, whose sampling
error is taken off first.

Without a prior, several populations can tell (``by``): see `priors.populations`.

What it cannot tell: biased labelling that leaves the scores of the positives as they are, or one that a
smaller prior would explain as well. A contradiction means that the prior is too high or that labels are not
at random, and does not say which.

**How biased labels must be** (`least_label_bias`), if the prior is known: the smallest Γ that the data allow.
An interval of scores holds a share g of the labelled and u of the unlabeled rows, of which a share α is
positive. If labels were at random it would hold a share g of the hidden positives, too, and they must fit:
α·g ≤ u. If not, labels favour the interval. With labels biased up to Γ it holds at least a share φ with
odds(φ) = odds(g)/Γ (see `setting.setting`), so that

    Γ ≥ odds(g) / odds(u/α).

The lower limit is the largest Γ that some interval rejects: the normal test of α·φ against u that the check
makes at Γ = 1, over the same intervals and with the same level for all of them together. It exceeds 1 exactly
where PM510 appears at that level.

The estimate is the smallest Γ at which every row has room for its hidden positives, exactly so, where each
labelled score has unlabeled rows of its own (`numerics.tilting.feasible_ratio`). Elsewhere the largest ratio
over fifty intervals would be large by chance alone: it is the limit at the level of even odds, which is as
often too large as too small if labels are at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from puremetrics.bounds.contingency import check_countable
from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.exceptions import Diagnostic, InputError, PriorError
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.numerics.tilting import feasible_ratio, shifted
from puremetrics.priors.populations import PopulationsCheck, populations_check
from puremetrics.results import Columns, Result
from puremetrics.results.protocol import number, percent
from puremetrics.sampling.clustered import head_effects
from puremetrics.scenarios import Scenario, design_of
from puremetrics.setting import PriorLike, PurityLike, Setting, check_table
from puremetrics.tables.framing import takes_data
from puremetrics.tables.populations import Populations
from puremetrics.tables.score_table import ScoreTable
from puremetrics.tables.segments import Segments

__all__ = [
    "LabellingCheck",
    "LeastLabelBias",
    "ScoreIntervals",
    "check_labelling",
    "labelling_of",
    "least_bias_of",
    "least_label_bias",
    "least_share",
    "score_intervals",
]


_FEWEST = 8  # labelled rows in an interval: fewer are not nearly normal
_CELLS = (2, 4, 8, 16)  # parts of equal size into which the labelled are cut
_HEADS = (0.03, 0.06, 0.12, 0.25, 0.35, 0.5, 0.65, 0.8, 0.9)


@dataclass(frozen=True)
class ScoreIntervals:
    """Some fifty intervals with their rows.

    Attributes
    ----------
    held, inside : ndarray
        Labelled and unlabeled rows in each.
    counted : ndarray
        Labelled rows that count: of those that end an interval, one of two does not.
    size_pos, size_unl : float
        What ``counted`` and ``inside`` are shares of.
    quantile : float
        Of the normal law, such that all intervals together err as rarely as the level says.
    wider : float
        What groups of alike rows multiply standard errors by; it is part of ``quantile``.
    """

    held: FloatArray
    inside: FloatArray
    counted: FloatArray
    size_pos: float
    size_unl: float
    quantile: float
    ranked: ScoreTable
    first: FloatArray
    last: FloatArray
    top: FloatArray
    bottom: FloatArray
    wider: float = 1.0

    def quantile_at(self, level: float) -> float:
        """The normal quantile that all intervals together ask for, at another level."""
        from scipy.special import ndtri

        return self.wider * float(ndtri(1 - (1 - level) / self.held.size))

    def scores(self, place: int) -> tuple[float, float]:
        """Lowest and highest score of an interval; infinite for heads and tails of the ranking."""
        score = self.ranked.score
        high = np.inf if self.first[place] == 0 else float(score[self.top[place]])
        low = -np.inf if self.last[place] == 0 else float(score[self.bottom[place]])
        return low, high


def score_intervals(setting: Setting) -> ScoreIntervals:
    """The intervals of a setting's table; whole counts are needed."""
    from scipy.special import ndtri

    table, ranked = setting.table, setting.ranked
    first, last = _intervals(int(table.total_pos))
    heads = np.cumsum(ranked.n_pos)
    top = np.where(first > 0, np.searchsorted(heads, first), 0)
    bottom = np.where(last > 0, np.searchsorted(heads, last), heads.size - 1)
    unlabeled = np.concatenate([[0], np.cumsum(ranked.n_unl)])
    inside = (unlabeled[bottom + 1] - unlabeled[top]).astype(np.float64)
    labelled = np.concatenate([[0], heads])
    held = (labelled[bottom + 1] - labelled[top]).astype(np.float64)
    # Rows that end an interval are in it by construction: one of two does not count, nor one of n + 1.
    counted = held - ((first > 0) & (last > 0))
    wider = 1.0
    if table.clusters is not None:
        wider = float(np.sqrt(max(head_effects(table.clusters, setting.level)[0])))
    quantile = wider * float(ndtri(1 - (1 - setting.level) / held.size))
    sizes = table.total_pos + 1, table.total_unl
    ends = first, last, top, bottom
    return ScoreIntervals(held, inside, counted, *sizes, quantile, ranked, *ends, wider)


def least_share(setting: Setting, prior: float, purity: float) -> float:
    """Share of positives among the unlabeled, less the sampling error of the number of labels."""
    share: float | None = setting.design.unlabeled_share(setting.table.totals, prior, purity)
    assert share is not None  # there are unlabeled rows
    error = setting.design.unlabeled_share_error(setting.table.totals, prior, purity)
    return max(share - normal_quantile(setting.level) * error, 0.0)


def _intervals(size: int) -> tuple[FloatArray, FloatArray]:
    """First and last rank (from the top, 1 to n) of the labelled at each interval; 0: open end."""
    pairs: set[tuple[int, int]] = set()
    for share in _HEADS:
        rank = int(np.ceil(share * size))
        pairs |= {(0, rank), (size + 1 - rank, 0)}
    for cells in _CELLS:
        ends = np.unique(np.linspace(1, size, cells + 1).round().astype(int))
        pairs |= {(int(a), int(b)) for a, b in pairwise(ends)}
    kept = sorted(pair for pair in pairs if _rows(*pair, size) >= min(_FEWEST, size - 1))
    if not kept:
        kept = [(0, size)]
    first, last = np.array(kept).T
    return first, last


def _rows(first: int, last: int, size: int) -> int:
    """Labelled rows that an interval holds, one of them as its end."""
    return (last if last > 0 else size + 1) - first


_MOST = 1e6


@dataclass(frozen=True, eq=False, repr=False)
class LeastLabelBias(Result):
    """The smallest label bias that data and prior allow; ``float(result)`` is its estimate.

    Attributes
    ----------
    label_bias : float
        Estimate: 1 if labels may be at random, infinite if no bias explains the data.
    low : float
        Lower confidence limit.
    score_low, score_high : float
        The range of scores that shows it most clearly; infinite ends for heads and tails of the ranking.
    labelled, unlabeled : float
        Shares of the labelled and of the unlabeled rows in it.
    prior, purity, level, scenario : float and str
        What was assumed, and the confidence of the limit.
    """

    label_bias: float
    low: float
    score_low: float
    score_high: float
    labelled: float
    unlabeled: float
    prior: float
    purity: float
    level: float
    scenario: Scenario
    diagnostics: tuple[Diagnostic, ...] = ()

    def __float__(self) -> float:
        return self.label_bias

    def frame(self) -> Columns:
        """Return one row."""
        names = ("label_bias", "low", "score_low", "score_high", "labelled", "unlabeled")
        return {name: np.array([getattr(self, name)]) for name in names}

    def __str__(self) -> str:
        if self.low <= 1:
            said = (
                f"Labels are consistent with random labelling if the prior is {number(self.prior)}"
            )
        else:
            said = (
                f"Some positives {design_of(self.scenario).favoured(f'at least {self.low:.3g}')}, if the "
                f"prior is {number(self.prior)}"
            )
        return (
            f"{said}\n"
            f"  label bias {number(self.label_bias)}, with {percent(self.level)} confidence at least "
            f"{number(self.low)}\n"
            f"  scores from {self.score_low:.4g} to {self.score_high:.4g} hold {self.labelled:.4g} of the "
            f"labelled and {self.unlabeled:.4g} of the unlabeled rows"
        )


@takes_data
def least_label_bias(
    table: ScoreTable,
    *,
    prior: PriorLike,
    purity: PurityLike = None,
    confidence_level: float = 0.95,
) -> LeastLabelBias:
    """Find how biased labels must at least be, given the prior.

    Parameters
    ----------
    table : ScoreTable
        Whole counts, with unlabeled rows.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population, known from elsewhere; of a range, the low end counts. A prior that was
        estimated from the same scores assumes random labels and says nothing here.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; of a range, the high end counts.
    confidence_level : float, default 0.95
        Of ``low``.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=list(range(1000, 1100)) * 5, unlabeled=range(1100), scenario="case_control")
    >>> least_label_bias(table, prior=0.08).low
    1.0
    >>> least_label_bias(table, prior=0.3).low > 2
    True
    """
    check_table(table)
    return least_bias_of(Setting.of(table, prior, purity, confidence_level))


def least_bias_of(setting: Setting) -> LeastLabelBias:
    """The smallest label bias of a setting, at its level."""
    check_countable(setting.table)
    prior, purity = setting.assumed.low, setting.assumed.purity_high
    cells = score_intervals(setting)
    tested = min(least_share(setting, prior, purity) / purity, 1.0)
    lows = _limits(cells, tested, cells.quantile)
    worst = int(np.argmax(lows))
    estimate = _estimate(setting.at(prior, purity), cells)
    if lows[worst] <= 1 and estimate > 1:
        worst = int(np.argmax(cells.held / cells.size_pos - tested * cells.inside / cells.size_unl))
    low_score, high_score = cells.scores(worst)
    return LeastLabelBias(
        max(estimate, float(lows[worst])),
        float(lows.max()),
        low_score,
        high_score,
        float(cells.held[worst]) / setting.table.total_pos,
        float(cells.inside[worst]) / cells.size_unl,
        prior,
        purity,
        setting.level,
        setting.scenario,
        setting.diagnostics,
    )


def _limits(cells: ScoreIntervals, share: float, quantile: float) -> FloatArray:
    """Largest Γ that each interval rejects, by bisection on its logarithm; 1 if it rejects none."""
    low, high = np.zeros(cells.held.size), np.full(cells.held.size, np.log(_MOST))
    for step in range(60):
        log = np.zeros_like(low) if step == 0 else (low + high) / 2
        rejected = _rejected(cells, share, np.exp(log), quantile)
        if step == 0:
            high = np.where(rejected, high, 0.0)
            continue
        low, high = np.where(rejected, log, low), np.where(rejected, high, log)
    return np.asarray(np.exp(low))


def _rejected(cells: ScoreIntervals, share: float, ratio: FloatArray, quantile: float) -> BoolArray:
    """Whether each interval would have to hold more hidden positives than it does at such a bias."""
    size, rows = cells.size_pos, cells.size_unl
    least = shifted(cells.counted / size, 1 / ratio)
    rate = np.clip((size * least + cells.inside) / (size + share * rows), 0.0, 1.0)
    labelled = np.clip(shifted(rate, ratio), 1e-12, 1 - 1e-12)
    variance = share**2 * (rate * (1 - rate)) ** 2 / (labelled * (1 - labelled) * size)
    variance += share * rate * (1 - share * rate) / rows
    return np.asarray(share * least - cells.inside / rows > quantile * np.sqrt(variance))


def _estimate(setting: Setting, cells: ScoreIntervals) -> float:
    """The smallest Γ at which all intervals have room, or all rows where they have unlabeled ones."""
    share = min((setting.unlabeled_share or 0.0) / setting.purity, 1.0)
    if share <= 0:
        return 1.0
    ranked = setting.ranked
    rows = ranked.n_unl.astype(np.float64)
    by_row = feasible_ratio(np.diff(setting.heads.pos), rows / rows.sum() / max(share, 1e-300))
    if np.isfinite(by_row):
        return by_row
    return float(_limits(cells, share, cells.quantile_at(0.5)).max())


@dataclass(frozen=True, eq=False, repr=False)
class LabellingCheck(Result):
    """The largest prior that random labelling allows, and the range of scores that limits it.

    Attributes
    ----------
    largest_prior : float
        Upper confidence limit of the prior, if labels are a random sample of the positives.
    low, high : float
        The range of scores in which labels are densest compared with unlabeled rows; infinite ends for
        heads and tails of the ranking.
    labelled, unlabeled : float
        Shares of the labelled and of the unlabeled rows in it.
    prior, purity, level : float
        What was assumed, and the confidence of the limit.
    diagnostics : tuple of Diagnostic
        PM510 if the prior exceeds the limit.
    """

    largest_prior: float
    low: float
    high: float
    labelled: float
    unlabeled: float
    prior: float
    purity: float
    level: float
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def contradicted(self) -> bool:
        """Whether prior and random labelling cannot both be right."""
        return bool(self.diagnostics)

    def __str__(self) -> str:
        verdict = "contradicts" if self.contradicted else "does not contradict"
        lines = [
            f"Random labelling allows priors up to {self.largest_prior:.4g} ({100 * self.level:g}% "
            f"confidence), which {verdict} a prior of {self.prior:.4g}",
            f"  limited by scores from {self.low:.4g} to {self.high:.4g}: {self.labelled:.4g} of the "
            f"labelled and {self.unlabeled:.4g} of the unlabeled rows",
        ]
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


@takes_data
def check_labelling(
    table: ScoreTable | Segments | Populations,
    *,
    prior: PriorLike = None,
    purity: PurityLike = None,
    confidence_level: float = 0.99,
    by: Any = None,
) -> LabellingCheck | PopulationsCheck:
    """Check whether labels can be a random sample of the positives, given the prior or several populations.

    **With a prior.** If labelling is at random and the prior is right, PM510 appears in about a share
    1 − ``confidence_level`` of all samples or less (0.002 to 0.018 measured at 0.99).

    **Without one**, from two or more populations, such as months or regions (``by``): if labels are at
    random, and positives and negatives look the same in all of them, the unlabeled scores of the populations
    differ in one way only, towards the labelled scores. PM511 says that they do not, which it also does in a
    share 1 − ``confidence_level`` of samples in which all is as assumed. It tests both assumptions together:
    classes that differ between populations look like biased labels. Populations must differ in their share
    of positives, or nothing can be noticed; the result says what would be.

    Parameters
    ----------
    table : ScoreTable, or Segments for populations
        Whole counts, with unlabeled rows. Labels and scores, or a data frame, as everywhere.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population; of a range, the low end is tested. A prior estimated from the
        same scores is no test: it assumes random labelling.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; of a range, the high end is tested. Populations need none.
    confidence_level : float, default 0.99
    by : str or array
        The column of a data frame, or an array with one value per row, that says which population a row is
        of. Those of labelled rows are of no account.

    Returns
    -------
    LabellingCheck
        The smallest upper limit of the prior over some 50 intervals. Cost: O(labelled · log rows).
    PopulationsCheck
        With ``by`` or segments: the p-value, what it is about, and which bias would be noticed.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=list(range(1000, 1100)) * 5, unlabeled=range(1100), scenario="case_control")
    >>> check_labelling(table, prior=0.08).contradicted
    False
    >>> check_labelling(table, prior=0.3).diagnostics[0].code
    'PM510'

    Two months, the second with more positives, of which the obvious ones were labelled:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> month = np.repeat([1, 2], 10_000)
    >>> spam = rng.random(20_000) < np.where(month == 1, 0.1, 0.4)
    >>> score = rng.normal(1.5 * spam)
    >>> reported = spam & (rng.random(20_000) < np.where(score > 1.5, 0.3, 0.05))
    >>> frame = {"reported": reported.astype(int), "p": score, "month": month}
    >>> columns = {"label": "reported", "score": "p", "scenario": "single_training_set"}
    >>> check_labelling(frame, **columns, by="month").diagnostics[0].code
    'PM511'
    """
    if isinstance(table, ScoreTable):
        if by is not None:
            raise InputError(
                "by tells populations of rows apart, but a ScoreTable does not know which row is whose. Pass "
                "labels and scores, a data frame, or the segments of a scan."
            )
        if prior is None:
            raise PriorError(
                "check_labelling needs a prior from elsewhere, or populations that differ in theirs: pass "
                "prior=… or by=…, a column such as a month or a region."
            )
        return labelling_of(Setting.of(table, prior, purity, confidence_level))
    if not isinstance(table, Segments | Populations):
        check_table(table)
    if isinstance(table, Segments):
        check_countable(table.total)
        if by is not None:
            raise InputError("The segments already say what the populations are: leave out by.")
        table = Populations.of_segments(table)
    for name, given in (("prior", prior), ("purity", purity)):
        if given is not None:
            raise InputError(
                f"With populations no {name} is needed, nor used: leave out {name}, or leave out by."
            )
    return populations_check(table, confidence_level)


def labelling_of(setting: Setting) -> LabellingCheck:
    """The check of a setting, at its level; of ranges the ends that contradict least."""
    table, level = setting.table, setting.level
    check_countable(table)
    prior, purity = setting.assumed.low, setting.assumed.purity_high
    cells = score_intervals(setting)
    limit = _labelling_limits(cells)
    worst = int(np.argmin(limit))
    share = min(purity * float(limit[worst]), 1.0)
    largest = float(setting.design.prior_of(table.totals, share, purity))
    part, found = (
        float(cells.held[worst]) / table.total_pos,
        float(cells.inside[worst]) / table.total_unl,
    )
    low, high = cells.scores(worst)
    remarks = []
    tested = least_share(setting, prior, purity)
    bias = least_bias_of(setting).low if tested > share else 1.0
    if tested > share and (setting.bias.is_random or bias > setting.bias.most):
        remarks.append(
            Diagnostic(
                "PM510",
                f"scores from {low:.4g} to {high:.4g} hold {100 * part:.3g}% of the labelled but only "
                f"{100 * found:.3g}% of the unlabeled rows, too few if {100 * tested:.3g}% of these are "
                f"positive: some positives {setting.design.favoured(f'at least {bias:.3g}')} "
                f"(label_bias), or the prior is too high. "
                "Audit some unlabeled rows there (prior_from_audit), or pass the chances of being labelled "
                "(propensity=…).",
            )
        )
    return LabellingCheck(largest, low, high, part, found, prior, purity, level, tuple(remarks))


def _labelling_limits(cells: ScoreIntervals) -> FloatArray:
    """Largest share of positives that each interval does not reject, by bisection."""
    size_pos, size_unl = cells.size_pos, cells.size_unl
    low, high = np.zeros(cells.held.size), np.ones(cells.held.size)
    for _ in range(50):
        share = (low + high) / 2
        rate = np.minimum((cells.counted + cells.inside) / (size_pos + share * size_unl), 1.0)
        variance = share**2 * rate * (1 - rate) / size_pos
        variance += share * rate * (1 - share * rate) / size_unl
        gap = share * cells.counted / size_pos - cells.inside / size_unl
        fine = gap <= cells.quantile * np.sqrt(variance)
        low, high = np.where(fine, share, low), np.where(fine, high, share)
    return np.where(high == 1.0, 1.0, low)
