"""Do the labels look like a random sample of the positives? Where the data can tell, they say so here.

If a share a of the unlabeled rows is positive and the labelled ones are a random sample of the positives,
then among the unlabeled every range of scores holds at least a times its share among the labelled:

    P_U(I) ≥ a · P_L(I)    for every interval I of scores.

Labels that favour some positives pile up where the unlabeled rows are too few for that. `largest_prior`
asks the same of heads of the ranking only, so it notices labels that favour high scores; intervals
notice those that favour low ones as well, if classes are far enough apart.

With labels of purity β, P_L = β·P_1 + (1 − β)·P_0 and P_U = a·P_1 + (1 − a)·P_0, so the same holds with
a/β in place of a (as a ≤ β).

Intervals end at scores of the labelled whose ranks are fixed in advance by their number alone. One that
spans k of the n + 1 gaps between labelled rows and holds u of N unlabeled ones rejects a if a·k/(n + 1)
exceeds u/N by more than a normal quantile of its standard error under P_U = a·P_L, at error (1 − level)/J
for each of J intervals. The sharpest upper limit of a is the answer. `priors.slope` takes heads, and limits
with a proof for samples of any size, which are less sharp; here the share of false alarms was measured
(evidence/trust_selection.md, and the tests). In a single training set a follows from the prior and the share
of labelled rows, whose sampling error is taken off first.

What it cannot tell: biased labelling that leaves the scores of the positives as they are, or one
that a smaller prior would explain as well. A contradiction means that the prior is too high or that
labels are not at random, and does not say which.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics.bounds.contingency import check_countable
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.priors.least_bias import least_bias_of
from puremetrics.priors.score_intervals import ScoreIntervals, least_share, score_intervals
from puremetrics.results import Result
from puremetrics.setting import PriorLike, PurityLike, Setting, check_table
from puremetrics.tables.score_table import ScoreTable

__all__ = ["LabellingCheck", "check_labelling", "labelling_of"]


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
            f"Random labelling allows priors up to {self.largest_prior:.4g} with confidence "
            f"{self.level:g}, which {verdict} {self.prior:.4g}",
            f"  limited by scores from {self.low:.4g} to {self.high:.4g}: {self.labelled:.4g} of the "
            f"labelled and {self.unlabeled:.4g} of the unlabeled rows",
        ]
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


def check_labelling(
    table: ScoreTable,
    *,
    prior: PriorLike,
    purity: PurityLike = None,
    confidence_level: float = 0.99,
) -> LabellingCheck:
    """Check whether labels can be a random sample of the positives, given the prior.

    If labelling is at random and the prior is right, PM510 appears in about a share
    1 − ``confidence_level`` of all samples or less (0.002 to 0.018 measured at 0.99).

    Parameters
    ----------
    table : ScoreTable
        Whole counts, with unlabeled rows.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population; of a range, the low end is tested. A prior estimated from the
        same scores is no test: it assumes random labelling.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; of a range, the high end is tested.
    confidence_level : float, default 0.99

    Returns
    -------
    LabellingCheck
        The smallest upper limit of the prior over some 50 intervals. Cost: O(labelled · log rows).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=list(range(1000, 1100)) * 5, unlabeled=range(1100), scenario="case_control")
    >>> check_labelling(table, prior=0.08).contradicted
    False
    >>> check_labelling(table, prior=0.3).diagnostics[0].code
    'PM510'
    """
    check_table(table)
    return labelling_of(Setting.of(table, prior, purity, confidence_level))


def labelling_of(setting: Setting) -> LabellingCheck:
    """The check of a setting, at its level; of ranges the ends that contradict least."""
    table, level = setting.table, setting.level
    check_countable(table)
    prior, purity = setting.assumed.low, setting.assumed.purity_high
    cells = score_intervals(setting)
    limit = _limits(cells)
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
                f"scores from {low:.4g} to {high:.4g} hold {100 * part:.3g} % of the labelled but only "
                f"{100 * found:.3g} % of the unlabeled rows, too few if {100 * tested:.3g} % of these are "
                f"positive: some positives {setting.design.favoured(f'at least {bias:.3g}')} "
                f"(label_bias), or the prior is too high: with random labels it is at most {largest:.4g}. "
                "Audit some unlabeled rows there (prior_from_audit), or pass the chances of being labelled "
                "(propensity=…).",
            )
        )
    return LabellingCheck(largest, low, high, part, found, prior, purity, level, tuple(remarks))


def _limits(cells: ScoreIntervals) -> FloatArray:
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
