"""Prior and purity as a user gives them, checked against the table and made a set of possible pairs.

A number is taken as known. Of a range ``(low, high)`` the point estimate is made at its middle, of a
`PriorEstimate` at the estimate (with its purity, unless one is given). Ranges widen every interval that
is computed from them, to the union over all pairs of prior and purity that are possible together.
Together with a range at level 1 − δ, limits at level 1 − δ are guaranteed for 1 − 2δ only, though the
union usually covers more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.checking.arguments import check_share, shown
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, NotIdentifiableError, PriorError, ScenarioError
from puremetrics.numerics.quantiles import wilson
from puremetrics.results import Interval, PriorEstimate
from puremetrics.scenarios import Design, Scenario, design_of
from puremetrics.setting.requirements import check_table
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "Assumed",
    "PriorLike",
    "PurityLike",
    "check_before_rows",
    "possible_priors",
    "purity_range",
    "resolve",
]

PriorLike = float | tuple[float, float] | Interval | PriorEstimate | None
PurityLike = float | tuple[float, float] | Interval | None
Span = tuple[float, float, float]  # value, low, high

_SMALLEST_GAP = 1e-14  # of purity and prior; every correction divides by it
_BELOW = 1 - 1e-6  # an estimated prior is cut to this part of the purity at most
_CHANCE = 1 - 1e-6  # level at which a sample contradicts a prior
_SLACK = 1e-9  # a prior typed as 0.12 may fall short of 1200/10000 by rounding
_ALONE, _EACH = 17, 9  # values of a range: if it is the only one, and if both are ranges


@dataclass(frozen=True)
class Assumed:
    """Prior and purity: a number each, the range around it, and the pairs that are possible together.

    Attributes
    ----------
    value, low, high : float
        The prior.
    purity, purity_low, purity_high : float
        The share of true positives among the labelled.
    pairs : tuple of (prior, purity)
        The first is the one that values are computed at; the others span what is possible.
    """

    value: float
    low: float
    high: float
    purity: float = 1.0
    purity_low: float = 1.0
    purity_high: float = 1.0
    pairs: tuple[tuple[float, float], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def is_point(self) -> bool:
        """Whether prior and purity are both taken as known."""
        return len(self.pairs) <= 1

    @property
    def clean(self) -> bool:
        """Whether every label is taken to be right."""
        return self.purity_low == 1.0

    @staticmethod
    def point(prior: float, purity: float) -> Assumed:
        """Both known, and not checked again."""
        return Assumed(prior, prior, prior, purity, purity, purity, ((prior, purity),))

    def arrays(self) -> tuple[FloatArray, FloatArray]:
        """Priors and purities of all pairs."""
        priors, purities = np.array(self.pairs).T
        return priors, purities

    def refined(self, place: int, steps: int = 9) -> tuple[FloatArray, FloatArray]:
        """Pairs around one of them, between its neighbours; to find an extreme between the pairs."""
        prior, purity = self.pairs[place]
        spans = []
        for centre, low, high in (
            (prior, self.low, self.high),
            (purity, self.purity_low, self.purity_high),
        ):
            reach = (high - low) / (_EACH - 1)
            ends = max(centre - reach, low), min(centre + reach, high)
            spans.append(np.linspace(*ends, steps) if ends[1] > ends[0] else np.array([centre]))
        priors, purities = (grid.ravel() for grid in np.meshgrid(*spans))
        apart = purities - priors >= _SMALLEST_GAP
        apart[0] |= not apart.any()
        return priors[apart], purities[apart]


def resolve(
    table: ScoreTable,
    prior: PriorLike,
    purity: PurityLike = None,
    prior_of: str = "population",
) -> Assumed:
    """Check prior and purity of any form against the table; the only place that does.

    A prior of the population may lie below the share of labelled rows in a single training set: a sample may
    have more positives than are to be expected, up to what chance makes possible. That of the rows may not.
    """
    check_table(table)
    labels = None if purity is None else purity_range(purity)
    remarks: list[Diagnostic] = []
    if isinstance(prior, np.ndarray) and prior.ndim == 0 and prior is not np.ma.masked:
        prior = prior.item()
    if isinstance(prior, PriorEstimate):
        known = _of_estimate(Counts(table, exact=True), prior, labels, remarks)
    else:
        clean = (1.0, 1.0, 1.0) if labels is None else labels
        known = _of_numbers(Counts(table, exact=prior_of == "rows"), prior, clean, remarks)
    unused = table.design.unused_negatives(table.totals)
    if unused > 0:
        remarks.append(
            Diagnostic(
                "PM106",
                f"the {unused:g} known negatives are a separate sample in {table.scenario} "
                "and are not used by the correction, which compares positives with the unlabeled; "
                "the bounds can use them (basis='negatives').",
            )
        )
    return Assumed(*known[0], *known[1], known[2], tuple(remarks))


def purity_range(purity: PurityLike) -> Span:
    """Check a purity, a number or a range."""
    return _range(purity, "purity")


def _range(given: Any, name: str) -> Span:
    if isinstance(given, Interval):
        given = (given.low, given.high)
    if not _is_pair(given, name):
        value = check_share(given, name)
        return value, value, value
    low, high = (check_share(end, name) for end in given)
    if low > high:
        raise PriorError(
            f"{name}=({low:g}, {high:g}) is not an interval: its lower end comes first. Pass "
            "(low, high)."
        )
    return (low + high) / 2, low, high


def _is_pair(given: Any, name: str) -> bool:
    single = isinstance(given, np.ndarray) and given.ndim == 0
    if single or isinstance(given, str | set | frozenset | dict) or not hasattr(given, "__len__"):
        return False
    if len(given) != 2:
        raise PriorError(
            f"{name}={shown(given)} has {len(given)} values. Pass a number or (low, high)."
        )
    return True


@dataclass(frozen=True)
class Counts:
    """How many rows of each kind there are, and which priors they allow.

    Unless the prior is about the rows themselves (``exact``), it may miss what they allow by what chance
    makes possible.
    """

    table: ScoreTable
    exact: bool

    @property
    def rows(self) -> float:
        """Rows that are independent, at most."""
        table = self.table
        if table.clusters is not None:
            return float(table.clusters.number)
        return table.effective_rows((True, True, True))

    def prior_limits(self, purity: float) -> tuple[float, float]:
        """Smallest and largest prior that is possible."""
        low, high = self.table.design.prior_limits(self.table.totals, purity)
        if self.exact or (low == 0.0 and high == 1.0):
            return low, high
        return chance_limits(low, high, self.rows)

    def snapped(self, prior: float, purity: Span) -> float:
        """The prior, or what the rows themselves allow if it is off by rounding alone."""
        limits = self.table.design.prior_limits
        ends = limits(self.table.totals, purity[1])[0], limits(self.table.totals, purity[2])[1]
        if 0 < ends[0] - prior <= _SLACK:
            return float(ends[0])
        return float(ends[1]) if 0 < prior - ends[1] <= _SLACK else prior

    def by_chance(self, prior: float, purity: float) -> list[Diagnostic]:
        """PM114 if the rows have more positives, or more negatives, than the prior leaves room for."""
        low, high = self.table.design.prior_limits(self.table.totals, purity)
        if low - _SLACK <= prior <= high + _SLACK:
            return []
        few = prior < low
        kind, share = ("positive", low) if few else ("negative", 1 - high)
        return [
            Diagnostic(
                "PM114",
                f"{100 * share:.3g}% of the rows are labelled {kind}, but at a prior of {prior:.4g} one "
                f"would expect at most {100 * (prior if few else 1 - prior):.3g}%. A sample can have that "
                "many by chance; if the prior was counted on these rows, it is wrong.",
            )
        ]

    def share(self, prior: float, purity: float) -> float:
        """Share of positives in the comparison sample."""
        return float(self.table.design.share(self.table.totals, prior, purity))


def chance_limits(low: Any, high: Any, rows: Any) -> tuple[Any, Any]:
    """The smallest and the largest prior of a population whose sample may have such shares."""
    return wilson(low, rows, _CHANCE)[0], wilson(high, rows, _CHANCE)[1]


Known = tuple[Span, Span, tuple[tuple[float, float], ...]]


def _of_numbers(counts: Counts, prior: PriorLike, purity: Span, remarks: list[Diagnostic]) -> Known:
    """What a user typed: impossible numbers are refused, not mended."""
    if prior is None:
        value, low, high = (_prior_of_labels(counts, share) for share in purity)
        pairs = [(_prior_of_labels(counts, share), share) for share in _values(purity, _ALONE)]
        _check_gap(counts.share(high, purity[1]), high, purity[1])
        return (value, low, high), purity, _first((value, purity[0]), pairs)
    value, low, high = _range(prior, "prior")
    low, high = (_possible(counts, end, purity) for end in (low, high))
    value = min(max(value, low), high)
    _check_gap(counts.share(high, purity[1]), high, purity[1])
    count = _ALONE if purity[1] == purity[2] or low == high else _EACH
    pairs = [
        (float(p), float(b))
        for b in _values(purity, count)
        for p in _values((value, low, high), count)
    ]
    kept = [pair for pair in pairs if _together(counts, *pair)]
    if not kept:
        raise PriorError(
            f"hardly any combination of prior {low:g} to {high:g} and purity {purity[1]:g} to {purity[2]:g} "
            "fits the label counts: with so few unlabeled rows one determines the other. Leave one out, or "
            "narrow both."
        )
    if len(kept) < len(pairs):
        shares = [share for _, share in kept]
        purity = (min(max(purity[0], min(shares)), max(shares)), min(shares), max(shares))
        remarks.append(
            Diagnostic(
                "PM109",
                f"only {purity[1]:.4g} to {purity[2]:.4g} of the purity range was used, the part that the "
                "prior and the label counts allow.",
            )
        )
    remarks += counts.by_chance(value, purity[0])
    return (value, low, high), purity, _first((value, purity[0]), kept)


def _of_estimate(
    counts: Counts, estimate: PriorEstimate, labels: Span | None, remarks: list[Diagnostic]
) -> Known:
    """What was estimated: cut to what is possible, and said."""
    _check_estimate(counts.table.scenario, estimate)
    region = estimate.region if labels is None else None
    if labels is None:
        share = 1.0 if estimate.purity is None else estimate.purity
        ends = estimate.purity_interval or (share, share)
        labels = (share, min(*ends, share), max(*ends, share))
    low, high = tuple(estimate.interval) if estimate.interval is not None else (estimate.prior,) * 2
    low, high = _cut_to_limits(counts, low, high, labels, remarks)
    value = min(max(estimate.prior, low), high)
    _check_gap(counts.share(value, labels[0]), value, labels[0])
    count = _ALONE if labels[1] == labels[2] else _EACH
    if region is None:
        pairs = [(p, b) for b in _values(labels, count) for p in _values((value, low, high), count)]
    else:
        # Nor is less possible than the prior's own interval says by itself.
        alone = [(float(p), labels[0]) for p in _values((value, low, high), _EACH)]
        pairs = [(float(p), float(b)) for p, b in region] + alone
    cut = [(_inside(counts, p, b), b) for p, b in pairs]
    cut = [pair for pair in cut if _together(counts, *pair)]
    return (value, low, high), labels, _first((value, labels[0]), cut)


def _values(span: Span, count: int) -> FloatArray:
    value, low, high = span
    return np.array([value]) if low == high else np.linspace(low, high, count)


def _first(
    centre: tuple[float, float], pairs: list[tuple[float, float]]
) -> tuple[tuple[float, float], ...]:
    others = [pair for pair in pairs if pair != centre]
    return (centre, *others)


def _prior_of_labels(counts: Counts, purity: float) -> float:
    if counts.table.total_unl > 0:
        raise PriorError(
            f"prior is missing, and {counts.table.total_unl:g} rows are unlabeled. Pass the share of "
            "positives in the population as a number, an interval (low, high), or an estimate "
            "from estimate_prior."
        )
    return purity * counts.table.total_pos / counts.table.total


def _possible(counts: Counts, prior: float, purity: Span) -> float:
    """The prior, moved by rounding errors at most; refused if no purity of the range allows it."""
    low = counts.prior_limits(purity[1])[0]
    high = counts.prior_limits(purity[2])[1]
    if prior < low - _SLACK:
        raise PriorError(
            f"prior={prior:g} is impossible: in scenario {counts.table.scenario!r} "
            f"{purity[1] * counts.table.total_pos:g} of {counts.table.total:g} rows "
            f"({purity[1] * counts.table.total_pos / counts.table.total:.4g}) are already labelled positive. "
            f"Pass prior >= {low:.4g}, or scenario='case_control' if the unlabeled rows "
            "were drawn separately."
        )
    if prior > high + _SLACK:
        raise PriorError(
            f"prior={prior:g} is impossible: {counts.table.total_neg:g} of {counts.table.total:g} rows are "
            f"known negatives, so at most {high:.4g} can be positive. Pass prior <= {high:.4g}."
        )
    return counts.snapped(float(min(max(prior, low), high)), purity)


def possible_priors(design: Design, totals: Any, priors: FloatArray, purity: float) -> FloatArray:
    """Known priors of many tables with unlabeled rows, moved as `resolve` moves them; NaN if refused."""
    exact = [np.asarray(end) for end in design.prior_limits(totals, purity)]
    low, high = chance_limits(exact[0], exact[1], np.asarray(sum(totals)))
    apart = purity - design.share((1.0, 1.0, 1.0), priors) >= _SMALLEST_GAP
    typed = (priors > 0) & (priors < 1) & (0 < purity <= 1)
    fits = typed & apart & (priors >= low - _SLACK) & (priors <= high + _SLACK)
    found = np.clip(priors, low, high)
    found = np.where((found < exact[0]) & (found >= exact[0] - _SLACK), exact[0], found)
    found = np.where((found > exact[1]) & (found <= exact[1] + _SLACK), exact[1], found)
    return np.where(fits, found, np.nan)


def check_before_rows(scenario: Scenario, prior: PriorLike, purity: PurityLike = None) -> None:
    """Refuse a prior and a purity that no table of the scenario allows, where there is none yet."""
    labels = (1.0, 1.0, 1.0) if purity is None else purity_range(purity)
    if prior is None:
        return
    if isinstance(prior, PriorEstimate):
        _check_estimate(scenario, prior)
        return
    design, totals = design_of(scenario), (1.0, 1.0, 0.0)  # of any table with both kinds
    _, low, high = _range(prior, "prior")
    if low == 0.0 < design.prior_limits(totals, labels[1])[0]:
        raise PriorError(
            f"prior={low:g} is impossible: in scenario {scenario!r} the labelled rows are part of the "
            "population, so some of it is positive. Pass prior > 0, or scenario='case_control' if the "
            "unlabeled rows were drawn separately."
        )
    _check_gap(design.share(totals, high, labels[1]), high, labels[1])


def _check_gap(share: float, prior: float, purity: float) -> None:
    """Raise unless labelled rows hold more positives than F does."""
    if purity - share < _SMALLEST_GAP:
        raise NotIdentifiableError(
            f"purity={purity:g} with prior={prior:g}: the labelled rows must hold a larger share of "
            "positives than the population, otherwise labelled and unlabeled rows do not differ "
            "and no correction can tell positives from negatives. Pass purity > prior."
        )


def _together(counts: Counts, prior: float, purity: float) -> bool:
    low, high = counts.prior_limits(purity)
    apart = purity - counts.share(prior, purity) >= _SMALLEST_GAP
    return bool(low - _SLACK <= prior <= high + _SLACK and apart)


def _inside(counts: Counts, prior: float, purity: float) -> float:
    low, high = counts.prior_limits(purity)
    return float(min(max(prior, low), min(high, purity * _BELOW)))


def _cut_to_limits(
    counts: Counts, low: float, high: float, purity: Span, remarks: list[Diagnostic]
) -> tuple[float, float]:
    """Cut the interval of an estimate, unlike one that the user typed, to what is possible."""
    smallest = counts.prior_limits(purity[1])[0]
    largest = min(counts.prior_limits(purity[2])[1], purity[2] * _BELOW)
    if high < smallest - _SLACK or low > largest + _SLACK:
        _possible(counts, high if high < smallest else low, purity)
    cut = min(max(low, smallest), largest), min(max(high, smallest), largest)
    if cut != (low, high):
        remarks.append(
            Diagnostic(
                "PM108",
                f"the estimated prior's interval {low:.4g} to {high:.4g} was cut to "
                f"{cut[0]:.4g} to {cut[1]:.4g}, the part that the label counts allow.",
            )
        )
    return cut


def _check_estimate(scenario: Scenario, estimate: PriorEstimate) -> None:
    check_share(estimate.prior, "the estimated prior")
    for end in estimate.interval or ():
        check_share(end, "an end of the estimated prior's interval")
    if estimate.scenario is not None and estimate.scenario != scenario:
        raise ScenarioError(
            f"The prior was estimated for scenario {estimate.scenario!r}, but the table is {scenario!r}, "
            "where the prior means a different share. Estimate it on a table of that scenario."
        )
