"""Where the width of an interval comes from, and what more data would buy.

The width of the interval of the area under the ROC curve has three sources: few labelled positives, few rows
to compare them with, an uncertain prior (or purity), and biased labels. The first two come from the parts of
the linearised variance, the others are how much the range of the prior, and the bias, widen the interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics.correction.areas import area_estimate, area_influence
from puremetrics.exceptions import Diagnostic
from puremetrics.results import Columns, Estimate, Result
from puremetrics.sampling.limits import agresti_coull
from puremetrics.sampling.variance import linear_variance
from puremetrics.setting import RANDOM, Setting

__all__ = ["Narrowing", "narrowing_of"]

_AUDITS = (50, 200, 1000)


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
        Approximate width if so many unlabeled rows, drawn at random, were checked by hand.
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

    def frame(self) -> Columns:
        """Return one row for the width as it is and for each thing that would narrow it."""
        rows = {"now": self.width, "twice the labels": self.twice_the_labels}
        rows["twice the other rows"] = self.twice_the_rows
        rows |= {f"an audit of {rows_} rows": width for rows_, width in self.audits.items()}
        return {"what": np.array(list(rows)), "width": np.array(list(rows.values()))}

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
        columns = self.frame()
        rows = zip(columns["what"][1:], columns["width"][1:], strict=True)
        bought = ", ".join(f"{what} {width:.4f}" for what, width in rows)
        return f"width of the AUC's interval, {self.width:.4f}: {told}\nit would be about: {bought}"


def narrowing_of(setting: Setting, area: Estimate) -> Narrowing:
    """Return the sources of the width of the AUC's interval."""
    known = setting.assumed
    parts = linear_variance(setting.samples, *area_influence(setting.heads, setting.gap))
    fixed = area if known.is_point else area_estimate(setting.at(setting.prior))
    random = fixed
    if not setting.bias.is_random:
        random = area_estimate(setting.at(setting.prior).with_bias(RANDOM))
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
    return Narrowing(
        width=width,
        due_to_positives=(1 - by_prior - by_bias) * share,
        due_to_others=(1 - by_prior - by_bias) * (1 - share),
        due_to_prior=by_prior,
        due_to_bias=by_bias,
        twice_the_labels=width - sampling * (1 - np.sqrt(share / 2 + 1 - share)),
        twice_the_rows=width - sampling * (1 - np.sqrt(share + (1 - share) / 2)),
        audits=audits,
    )
