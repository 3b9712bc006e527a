"""Are labels a random sample of the positives? An audit tells, and how biased they are.

Let g be the distribution of the labelled rows over the scores and φ that of the positives that an audit found
among the unlabeled: all positives in case-control, the hidden ones in a single training set. If labels are at
random the two agree. With G and Φ the shares above a cut, the ratio of odds(G) and odds(Φ) is how much more
often positives above the cut are labelled than those below: a ratio of chances, in a single training set of
odds, and so a lower limit of the Γ of ``label_bias``.

Three cuts, at quartiles of the labelled scores, share the error level. Limits of Φ are those of the audit,
limits of G are Agresti and Coull's; squared distances add up on the logit scale. The p-value is the level at
which the first of the three intervals excludes 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from puremetrics.auditing import Audit, Audited, hidden_positives
from puremetrics.exceptions import Diagnostic
from puremetrics.results import Columns, Interval, Result
from puremetrics.results.protocol import number, percent
from puremetrics.sampling.limits import agresti_coull
from puremetrics.scenarios import Scenario, design_of
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = ["LabelAudit", "audit_labels"]

_CUTS = (0.25, 0.5, 0.75)
_STEPS = 40
_MOST = 1e6


@dataclass(frozen=True, eq=False, repr=False)
class LabelAudit(Result):
    """What an audit says of the labels.

    Attributes
    ----------
    p_value : float
        Of the test that labels are a random sample of the positives.
    label_bias : float
        The largest ratio found between positives above and below a cut; 1 if labels are at random.
    interval : Interval
        Of that ratio. Between single positives it may be larger.
    favours : {"high", "low"}
        Which scores are labelled more often.
    threshold : float
        The cut at which it was found.
    purity : float or None
        Share of the checked labelled rows that are positive.
    purity_interval : Interval or None
    n_checked, n_positive : int
        Unlabeled rows that were checked, and positives among them.
    """

    p_value: float
    label_bias: float
    interval: Interval
    favours: str
    threshold: float
    purity: float | None
    purity_interval: Interval | None
    n_checked: int
    n_positive: int
    scenario: Scenario
    diagnostics: tuple[Diagnostic, ...] = ()

    def __float__(self) -> float:
        return self.label_bias

    def frame(self) -> Columns:
        """Return one row."""
        numbers = {
            "p_value": self.p_value,
            "label_bias": self.label_bias,
            "low": self.interval.low,
            "high": self.interval.high,
            "threshold": self.threshold,
        }
        return {name: np.array([value]) for name, value in numbers.items()}

    def __str__(self) -> str:
        level = percent(self.interval.level)
        if self.interval.low <= 1:
            said = f"The audit does not contradict random labels (p = {self.p_value:.3g})"
        else:
            more = design_of(self.scenario).favoured(f"at least {self.interval.low:.3g}")
            said = (
                f"Labels are not at random (p = {self.p_value:.3g}): positives with {self.favours} "
                f"scores {more}"
            )
        lines = [
            said,
            f"  label bias {number(self.label_bias)}, {level} confidence interval "
            f"{number(self.interval.low)} to {number(self.interval.high)}, at score >= {self.threshold:.4g}",
            f"  {self.n_positive} positives among {self.n_checked} checked unlabeled rows",
        ]
        if self.purity is not None:
            lines.append(
                f"  purity of the labels {number(self.purity)} ({self.purity_interval:.4f})"
            )
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


@takes_data
def audit_labels(table: ScoreTable, audit: Audit, *, confidence_level: float = 0.95) -> LabelAudit:
    """Test whether labels are a random sample of the positives, and measure how biased they are.

    Parameters
    ----------
    table : ScoreTable
    audit : Audit
        Unlabeled rows that were checked; labelled ones among them tell the purity.
    confidence_level : float, default 0.95

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=range(150, 200), unlabeled=range(200), scenario="case_control")
    >>> audit = Audit.from_arrays(range(0, 200, 2), [score >= 150 for score in range(0, 200, 2)])
    >>> audit_labels(table, audit).p_value > 0.05
    True
    """
    audited = Audited.of(table, audit, None, confidence_level)
    cuts = _cuts(table)
    levels = 1 - (1 - audited.level) / len(cuts)
    found = [_log_odds(audited, cut, levels) for cut in cuts]
    ratios = [max(abs(value), 0.0) for value, _, _ in found]
    worst = int(np.argmax(ratios))
    value = found[worst][0]
    least = max(0.0, *(max(low, -high) for _, low, high in found))
    most = max(max(abs(low), abs(high)) for _, low, high in found)
    purity, purity_interval = None, None
    if audit.labelled.any():
        purity, *ends = audited.purity
        purity_interval = Interval(ends[0], ends[1], audited.level, "confidence", "audit")
    remarks = list(audited.diagnostics)
    chance = min(1.0, len(cuts) * min(_chance(audited, cut) for cut in cuts))
    if least > 0:
        remarks.append(
            Diagnostic(
                "PM132",
                "the positives that the audit found differ from the labelled ones by more than chance: "
                "estimates that assume labels at random are wrong. Use audit=…, which does not assume it, "
                "or label_bias=….",
            )
        )
    return LabelAudit(
        chance,
        _ratio(ratios[worst]),
        Interval(_ratio(least), _ratio(most), audited.level, "confidence", "audit"),
        "high" if value >= 0 else "low",
        float(cuts[worst]),
        purity,
        purity_interval,
        audit.n_checked,
        audit.n_positive,
        table.scenario,
        tuple(remarks),
    )


def _ratio(log: float) -> float:
    return float(np.exp(min(log, np.log(_MOST)))) if log < np.log(_MOST) else float(np.inf)


def _cuts(table: ScoreTable) -> Any:
    """Labelled scores at the quartiles."""
    held = np.cumsum(table.n_pos)
    places = np.searchsorted(held, held[-1] * np.array(_CUTS))
    return np.unique(table.score[np.minimum(places, table.score.size - 1)])


def _log_odds(audited: Audited, cut: float, level: float) -> tuple[float, float, float]:
    """log(odds(G)/odds(Φ)) at a cut, and its limits."""
    at = replace(audited, level=level)
    above, below = hidden_positives(at, cut)
    table = audited.table
    share = table.heads_at(cut)[0] / table.total_pos
    labelled = table.total_pos * (at.quantile / at.row_quantile) ** 2  # so many independent ones
    own = agresti_coull(share, labelled, at.strict_level)
    with np.errstate(divide="ignore"):
        value = _logit(share, table.total_pos) - _log_ratio(above.value, below.value)
        up = _logit(share, table.total_pos) - np.log(own[1] / max(1 - own[1], 1e-12))
        down = np.log(max(own[0], 1e-12) / (1 - own[0])) - _logit(share, table.total_pos)
        moves = [
            _log_ratio(above.high, below.value) - _log_ratio(above.value, below.value),
            _log_ratio(above.value, below.low) - _log_ratio(above.value, below.value),
        ]
        others = [
            _log_ratio(above.value, below.value) - _log_ratio(above.low, below.value),
            _log_ratio(above.value, below.value) - _log_ratio(above.value, below.high),
        ]
    low = value - float(np.sqrt(np.sum(np.square([down, *moves]))))
    high = value + float(np.sqrt(np.sum(np.square([up, *others]))))
    return value, low, high


def _log_ratio(first: float, second: float) -> float:
    """With half a positive more on both sides, so that it is finite."""
    return float(np.log((first + 0.5) / (second + 0.5)))


def _logit(share: float, size: float) -> float:
    return float(np.log((share * size + 0.5) / ((1 - share) * size + 0.5)))


def _chance(audited: Audited, cut: float) -> float:
    """The error level at which the interval at a cut begins to exclude 1."""
    low, high = 1e-12, 1.0 - 1e-9
    for _ in range(_STEPS):
        middle = float(np.sqrt(low * high))
        _, below, above = _log_odds(audited, cut, 1 - middle)
        low, high = (low, middle) if below > 0 or above < 0 else (middle, high)
    return high
