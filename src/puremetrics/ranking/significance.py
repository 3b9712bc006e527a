"""Fisher's exact test at one threshold: the term of PULP that everybody can read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics.checking.arguments import check_number
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics import hypergeometric
from puremetrics.ranking.frame import check_rows
from puremetrics.results import Result
from puremetrics.setting import check_independent, check_known_head, check_uncut
from puremetrics.tables.score_table import ScoreTable

__all__ = ["PulpSignificance", "pulp_significance"]


@dataclass(frozen=True, eq=False, repr=False)
class PulpSignificance(Result):
    """How likely a random classifier does at least as well at one threshold.

    Attributes
    ----------
    threshold : float
        Rows with ``score >= threshold`` are predicted positive.
    predicted, hits : int
        Rows predicted positive, and labelled positives among them (b and k).
    total, labelled : int
        All rows and all labelled positives (N and t).
    expected : float
        Hits that a random choice of as many rows has on average.
    p_value, log_p_value : float
        P(X ≥ k), and its natural logarithm, which does not underflow.
    """

    threshold: float
    predicted: int
    hits: int
    total: int
    labelled: int
    expected: float
    p_value: float
    log_p_value: float
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def value(self) -> float:
        """P(X ≤ k − 1), the term of PULP at this operating point."""
        return float(-np.expm1(self.log_p_value))

    def __str__(self) -> str:
        power = self.log_p_value / np.log(10)
        chance = f"{self.p_value:.3g}" if self.p_value > 1e-290 else f"10^{power:.1f}"
        return (
            f"score >= {self.threshold:g}: {self.predicted} of {self.total} rows predicted positive hit "
            f"{self.hits} of {self.labelled} labelled positives, {self.expected:.4g} expected by "
            f"chance; a random choice does as well with probability {chance}"
        )


def pulp_significance(table: ScoreTable, *, threshold: float) -> PulpSignificance:
    """Chance that a random classifier hits at least as many labelled positives at this threshold.

    Fisher's exact test, one-sided: the classifier is compared with a random choice of as many rows.
    A small probability says that the classifier knows something about the labelled rows, not that
    it is good.

    Parameters
    ----------
    table : ScoreTable
        Whole counts, not cut.
    threshold : float
        Rows with ``score >= threshold`` are predicted positive; it must not be chosen on these
        data.

    Returns
    -------
    PulpSignificance
        P(X ≥ k), Eq. (2), with X ~ Hypergeometric(N, t, b), and its logarithm. Cost: O(rows) once,
        for the counts.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 3], unlabeled=[4, 2, 1, 0], scenario="single_training_set")
    >>> print(pulp_significance(table, threshold=3))
    score >= 3: 3 of 6 rows predicted positive hit 2 of 2 labelled positives, 1 expected by chance;
    a random choice does as well with probability 0.2
    """
    check_rows(table)
    check_independent(
        table, "pulp_significance", "Use the interval of pulp, which allows for groups."
    )
    check_uncut(table, "pulp_significance")
    at = check_number(threshold, "threshold")
    check_known_head(table, at)
    head = int(np.searchsorted(-table.score, -at, side="right"))
    hits = int(table.n_pos[:head].sum())
    predicted = hits + int(table.n_unl[:head].sum()) + int(table.n_neg[:head].sum())
    total, labelled = int(table.total), int(table.total_pos)
    log_p = float(hypergeometric.log_sf(hits - 1, total, labelled, predicted))
    return PulpSignificance(
        at,
        predicted,
        hits,
        total,
        labelled,
        labelled * predicted / total,
        float(np.exp(log_p)),
        log_p,
    )
