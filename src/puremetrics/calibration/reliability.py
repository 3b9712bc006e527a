"""The reliability curve: estimated positive rate against score, in bins or isotonic.

Binned: the bins of `calibration.bins` (Kiryo, Section 3.1, Eq. (3)). Isotonic: the rising posterior of
`calibration.posterior`, each of whose steps is a bin. Limits are pointwise, those of the steps with an
allowance for their being chosen by the data (see `calibration.bin_rates`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from puremetrics.calibration.bin_rates import step_limits
from puremetrics.calibration.bins import check_probabilities, reduce_to_bins
from puremetrics.calibration.error import calibration_of
from puremetrics.calibration.gaps import bin_gaps
from puremetrics.calibration.posterior import isotonic_posterior
from puremetrics.calibration.results import CalibrationResult
from puremetrics.checking.arguments import check_choice
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.results import Columns, Result
from puremetrics.results.picture import Picture
from puremetrics.sampling.clustered import allow_for_groups_in_heads
from puremetrics.scenarios import Scenario
from puremetrics.setting import PriorLike, PurityLike, Setting, check_table
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = ["ReliabilityCurve", "binned_reliability", "reliability_curve"]


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityCurve(Result):
    """Estimated P(y = 1) along the score; a calibrated model lies on the diagonal.

    Attributes
    ----------
    lower, upper : ndarray, shape (k,)
        Range of scores of each point; (lower, upper], the first includes 0.
    score : ndarray
        Mean score of the population's rows in it.
    rate, low, high : ndarray
        Estimated share of positives in it, with pointwise limits.
    share : ndarray
        Share of the population in it; the height of the histogram below the diagram.
    """

    lower: FloatArray
    upper: FloatArray
    score: FloatArray
    rate: FloatArray
    low: FloatArray
    high: FloatArray
    share: FloatArray
    level: float
    method: str
    scenario: Scenario
    prior: float
    purity: float
    diagnostics: tuple[Diagnostic, ...] = field(default=())

    _picture = Picture(
        "score", ("rate",), (("low", "high"),), y_title="positive rate", diagonal=True
    )

    def frame(self) -> Columns:
        """Return what a reliability diagram draws, as columns."""
        names = ("lower", "upper", "score", "rate", "low", "high", "share")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        worst = int(np.argmax(np.abs(self.score - self.rate) * self.share))
        lines = [
            f"Reliability curve ({self.method}): {self.score.size} points; furthest from the diagonal at "
            f"score {self.score[worst]:.4g}, where the positive rate is {self.rate[worst]:.4g}",
            f"  assumes {self.scenario}, prior {self.prior:.4g}, purity {self.purity:.4g}",
        ]
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


@takes_data
def reliability_curve(
    table: ScoreTable,
    *,
    prior: PriorLike,
    method: str = "binned",
    binning: str = "balanced",
    n_bins: int | str = "optimal",
    purity: PurityLike = None,
    confidence_level: float = 0.95,
) -> ReliabilityCurve:
    """Estimate the share of positives as a function of the score.

    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives.

    Parameters
    ----------
    table : ScoreTable
        Of probabilities in [0, 1], not cut.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens the limits.
    method : {"binned", "isotonic"}
        Fixed bins, or the steps of the rising fit.
    binning, n_bins
        As in `calibration_error`, for "binned".
    purity : float or (low, high), default 1
        Share of true positives among the labelled; a range widens the limits.
    confidence_level : float, default 0.95
        Of the pointwise limits.

    Returns
    -------
    ReliabilityCurve
        Points with rows of the population only; the rate is not cut to [0, 1] for "binned"
        (diagnostic PM303), its limits are. One pass over the scores.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[0.9, 0.7], unlabeled=[0.9, 0.6, 0.2, 0.1], scenario="case_control")
    >>> curve = reliability_curve(table, prior=0.25, n_bins=2)
    >>> curve.score, curve.rate
    (array([0.3, 0.9]), array([0.16666667, 0.5       ]))
    """
    check_table(table)
    check_probabilities(table, "reliability_curve")
    method = check_choice(method, ("binned", "isotonic"), "method")
    setting = Setting.of(table, prior, purity, confidence_level)
    if method == "binned":
        return binned_reliability(calibration_of(setting, binning, n_bins))
    setting = allow_for_groups_in_heads(setting)
    steps = isotonic_posterior(setting)
    # A step starts at a score that belongs to it, and bins are closed above.
    upper = np.append(np.nextafter(steps.start[1:], 0.0), 1.0)
    gaps = bin_gaps(reduce_to_bins(table, upper), setting.prior, setting.purity)
    low, high = step_limits(setting, gaps)
    mean = np.full(upper.size, np.nan)
    np.divide(gaps.score_pop, gaps.share_pop, out=mean, where=gaps.share_pop > 0)
    filled = gaps.share_pop > 0
    return ReliabilityCurve(
        lower=gaps.moments.lower[filled],
        upper=upper[filled],
        score=mean[filled],
        rate=steps.value[filled],
        low=np.minimum(low, steps.value)[filled],
        high=np.maximum(high, steps.value)[filled],
        share=gaps.share_pop[filled],
        level=setting.level,
        method=method,
        scenario=setting.scenario,
        prior=setting.prior,
        purity=setting.purity,
        diagnostics=(*setting.diagnostics, *setting.rows.few_positives()),
    )


def binned_reliability(result: CalibrationResult) -> ReliabilityCurve:
    """The bins of a calibration error as a curve."""
    bins = result.bins
    share = bins.n_population / bins.n_population.sum()
    filled = share > 0
    return ReliabilityCurve(
        lower=bins.lower[filled],
        upper=bins.upper[filled],
        score=bins.mean_score[filled],
        rate=bins.positive_rate[filled],
        low=bins.rate_low[filled],
        high=bins.rate_high[filled],
        share=share[filled],
        level=result.interval.level,
        method="binned",
        scenario=result.scenario,
        prior=result.prior,
        purity=result.purity,
        diagnostics=result.diagnostics,
    )
