"""The reliability curve: estimated positive rate against score, in bins or isotonic.

Binned: the bins of `calibration` (Kiryo, Section 3.1, Eq. (3)). Isotonic: the rising posterior of
`posterior`, each of whose steps is a bin. Limits carry those of both samples' shares through the rate
(see `intervals.recovered_limits`), bin by bin: they are pointwise. Steps of the isotonic curve are
chosen by the data, so its limits are approximate, and narrow steps at the ends are optimistic.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from puremetrics._validation import FloatArray, Scenario, check_choice, check_level
from puremetrics.calibration.bins import check_probabilities, reduce_to_bins
from puremetrics.calibration.error import calibration_error, rate_limits
from puremetrics.calibration.gaps import bin_gaps
from puremetrics.calibration.posterior import isotonic_posterior
from puremetrics.confusion import few_positives
from puremetrics.exceptions import Diagnostic
from puremetrics.scenario import PriorLike, check_table, resolve_prior
from puremetrics.table import ScoreTable

__all__ = ["ReliabilityCurve", "reliability_curve"]


@dataclass(frozen=True)
class ReliabilityCurve:
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

    def frame(self) -> dict[str, FloatArray]:
        """Return what a reliability diagram draws, as columns."""
        names = ("lower", "upper", "score", "rate", "low", "high", "share")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        worst = int(np.argmax(np.abs(self.score - self.rate) * self.share))
        lines = [
            f"Reliability curve ({self.method}): {self.score.size} points; furthest from the diagonal "
            f"at score {self.score[worst]:.4g}, where {self.rate[worst]:.4g} are positive",
            f"  assumes {self.scenario}, prior {self.prior:.4g}, purity {self.purity:.4g}",
        ]
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


def reliability_curve(
    table: ScoreTable,
    *,
    prior: PriorLike,
    method: str = "binned",
    binning: str = "mass",
    n_bins: int | str = "optimal",
    purity: float = 1.0,
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
    purity : float, default 1
        Share of true positives among the labelled.
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
    (array([0.15, 0.75]), array([0. , 0.5]))
    """
    check_table(table)
    check_probabilities(table, "reliability_curve")
    level = check_level(confidence_level)
    method = check_choice(method, ("binned", "isotonic"), "method")
    if method == "binned":
        result = calibration_error(
            table,
            prior=prior,
            binning=binning,
            n_bins=n_bins,
            purity=purity,
            confidence_level=level,
        )
        bins, diagnostics = result.bins, result.diagnostics
        known_prior, known_purity = result.prior, result.purity
        columns = (
            bins.lower, bins.upper, bins.mean_score, bins.positive_rate, bins.rate_low,
            bins.rate_high, bins.n_population / bins.n_population.sum(),
        )  # fmt: skip
    else:
        known = resolve_prior(table, prior, purity)
        known_prior, known_purity = known.value, known.purity
        steps = isotonic_posterior(table, known.value, known.purity)
        # A step starts at a score that belongs to it, and bins are closed above.
        upper = np.append(np.nextafter(steps.start[1:], 0.0), 1.0)
        gaps = bin_gaps(reduce_to_bins(table, upper), known.value, known.purity)
        sizes = table if table.weighted else gaps.moments.table
        _, low, high = rate_limits(sizes, gaps, known, level)
        mean = np.full(upper.size, np.nan)
        np.divide(gaps.score_pop, gaps.share_pop, out=mean, where=gaps.share_pop > 0)
        columns = (gaps.moments.lower, upper, mean, steps.value, low, high, gaps.share_pop)
        diagnostics = (*known.diagnostics, *few_positives(table))
    filled = columns[-1] > 0
    lower, upper, score, rate, low, high, share = (column[filled] for column in columns)
    return ReliabilityCurve(
        lower=lower,
        upper=upper,
        score=score,
        rate=rate,
        low=low,
        high=high,
        share=share,
        level=level,
        method=method,
        scenario=table.scenario,
        prior=known_prior,
        purity=known_purity,
        diagnostics=diagnostics,
    )
