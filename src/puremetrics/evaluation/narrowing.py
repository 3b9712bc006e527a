"""Where the width of an interval comes from, and what more data would buy.

The width of the interval of the area under the ROC curve has four sources: few labelled positives, few rows
to compare them with, an uncertain prior (or purity), and biased labels. The first two come from the parts of
the linearised variance, the others are how much the range of the prior, and the bias, widen the interval.

Checking rows by hand serves in two ways. It tells the prior, and labels are still taken as random. Or the
area is estimated from the checked rows themselves (``audit=…``), which assumes neither: another interval,
narrower or wider than the one that is there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from puremetrics.exceptions import Diagnostic
from puremetrics.planning.strata import area_outlook
from puremetrics.results import Columns, Estimate, Result
from puremetrics.sampling.limits import agresti_coull, linear_variance
from puremetrics.setting import RANDOM, Setting, independent
from puremetrics.statistics.roc_area import RocAuc, area_influence

__all__ = ["Narrowing", "narrowing_of"]

_AUDITS = (50, 200, 1000)
_NEXT = 200  # rows of the plan that is proposed
_NARROWER = 0.98  # of the width: what saves less does not help


@dataclass(frozen=True, eq=False, repr=False)
class Narrowing(Result):
    """Where the width of the AUC's interval comes from, and what more data would buy.

    Attributes
    ----------
    width : float
        Of the interval as it is.
    due_to_positives, due_to_others, due_to_prior, due_to_bias : float
        Shares of it, adding up to 1.
    twice_the_labels, twice_the_rows : float
        Approximate width with twice as many labelled positives, or other rows.
    audits : dict of int to float
        Approximate width if so many unlabeled rows, drawn at random, were checked by hand to tell the prior.
    planned_audits, random_audits : dict of int to float
        Approximate width of the interval that such rows themselves give (``roc_auc(table, audit=…)``), which
        assumes neither a prior nor random labels: rows planned by `plan_audit`, or drawn at random. Empty
        where no audit can be planned: on tables that are cut or weighted, or have no unlabeled rows.
    """

    width: float
    due_to_positives: float
    due_to_others: float
    due_to_prior: float
    twice_the_labels: float
    twice_the_rows: float
    audits: dict[int, float]
    diagnostics: tuple[Diagnostic, ...] = ()
    due_to_bias: float = 0.0
    planned_audits: dict[int, float] = field(default_factory=dict)
    random_audits: dict[int, float] = field(default_factory=dict)

    def frame(self) -> Columns:
        """Return one row for the width as it is and for each thing that would narrow it."""
        rows = self._more_data
        for kind, audits in (("planned", self.planned_audits), ("random", self.random_audits)):
            rows |= {f"an audit of {n} {kind} rows": width for n, width in audits.items()}
        return {"what": np.array(list(rows)), "width": np.array(list(rows.values()))}

    @property
    def _more_data(self) -> dict[str, float]:
        """Widths of the interval as it is made now."""
        rows = {"now": self.width, "twice the labels": self.twice_the_labels}
        rows["twice the other rows"] = self.twice_the_rows
        return rows | {f"the prior from {n} random rows": w for n, w in self.audits.items()}

    @property
    def next_step(self) -> str:
        """How to get the rows to check; empty where no audit can be planned."""
        if not self.planned_audits:
            return ""
        budget = _NEXT if _NEXT in self.planned_audits else max(self.planned_audits)
        return (
            f"plan_audit(table, budget={budget}, target='roc_auc') says which rows to check, and so does "
            f"'puremetrics audit plan … --budget {budget} --target roc_auc'"
        )

    def __str__(self) -> str:
        parts = zip(
            (self.due_to_positives, self.due_to_others, self.due_to_prior, self.due_to_bias),
            ("labelled positives", "other rows", "prior", "label bias"),
            strict=True,
        )
        told = ", ".join(
            f"{100 * share:.0f} % from the {what}"
            for share, what in parts
            if share > 0 or what != "label bias"
        )
        lines = [f"the AUC's interval is {self.width:.4f} wide: {told}"]
        lines += self._bought()
        lines += self._checked()
        return "\n".join(lines)

    def _bought(self) -> list[str]:
        """What more data, or a better prior, would do."""
        more = {what: width for what, width in self._more_data.items() if what != "now"}
        useful = [f"{what} ({width:.4f})" for what, width in more.items() if self._helps(width)]
        useless = [what for what, width in more.items() if not self._helps(width)]
        lines = [f"it would be narrower with {', '.join(useful)}"] if useful else []
        if useless:
            lines.append(f"it would hardly be narrower with {', '.join(useless)}")
        return lines

    def _checked(self) -> list[str]:
        """What rows checked by hand would do, with neither a prior nor random labels assumed."""
        helping = {n: width for n, width in self.planned_audits.items() if self._helps(width)}
        if self.planned_audits and not helping:
            return [f"an audit of up to {max(self.planned_audits)} rows would not help"]
        if not helping:
            return []
        told = [f"{n} rows ({_planned(w, self.random_audits[n])})" for n, w in helping.items()]
        return [
            f"checked by hand, with neither a prior nor random labels assumed: {', '.join(told)}",
            self.next_step,
        ]

    def _helps(self, width: float) -> bool:
        return width < _NARROWER * self.width


def _planned(planned: float, random: float) -> str:
    """The width that planned rows give, and random ones if that is another."""
    both = f"{planned:.4f}", f"{random:.4f}"
    return both[0] if both[0] == both[1] else f"{both[0]}, or {both[1]} if drawn at random"


def narrowing_of(setting: Setting, area: Estimate) -> Narrowing:
    """Return the sources of the width of the AUC's interval."""
    known = setting.assumed
    parts = linear_variance(setting.samples, *area_influence(setting.heads, setting.gap))
    fixed = area if known.is_point else RocAuc().estimate(setting.at(setting.prior))
    random = fixed
    if not setting.bias.is_random:
        random = RocAuc().estimate(setting.at(setting.prior).with_bias(RANDOM))
    assert area.interval is not None
    assert fixed.interval is not None
    assert random.interval is not None
    width, sampling = area.interval.width, random.interval.width
    by_prior = max(width - fixed.interval.width, 0.0) / width if width > 0 else 0.0
    by_bias = max(fixed.interval.width - sampling, 0.0) / width if width > 0 else 0.0
    share = parts.from_positives / parts.total if parts.total > 0 else 0.5
    spread = known.high - known.low
    audits = {}
    if spread > 0 and setting.table.total_unl > 0:
        for rows in _AUDITS:
            low, high = agresti_coull(known.value, rows, setting.level)
            audits[rows] = width - by_prior * width * (1 - min((high - low) / spread, 1.0))
    planned: dict[int, float] = {}
    at_random: dict[int, float] = {}
    if independent(setting.table):
        planned, at_random = area_outlook(
            setting.table, setting.unlabeled_share or 0.0, _AUDITS, setting.level
        )
    return Narrowing(
        width=width,
        due_to_positives=(1 - by_prior - by_bias) * share,
        due_to_others=(1 - by_prior - by_bias) * (1 - share),
        due_to_prior=by_prior,
        due_to_bias=by_bias,
        twice_the_labels=width - sampling * (1 - np.sqrt(share / 2 + 1 - share)),
        twice_the_rows=width - sampling * (1 - np.sqrt(share + (1 - share) / 2)),
        audits=audits,
        planned_audits=planned,
        random_audits=at_random,
    )
