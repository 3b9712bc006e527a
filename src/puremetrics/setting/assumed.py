"""Prior and purity as a user gives them, checked against the table and made a set of possible pairs.

A number is taken as known. Of a range ``(low, high)`` the point estimate is made at its middle, of a
`PriorEstimate` at the estimate (with its purity, unless one is given).

Two things can be uncertain about a pair of prior and purity, and they are kept apart, because they widen
intervals differently (`sampling.uncertain`). A range that somebody gives, or look-alikes that no sample
shows, leave open *where* the pair is: every place in it may be the true one. An estimate has an *error*,
which is as random as that of the rows: an audit of 200 rows, or a published prior with its interval. A
`Place` is a pair that is possible, with the errors that may have moved it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.arguments import check_share, shown
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, NotIdentifiableError, PriorError, ScenarioError
from puremetrics.numerics.quantiles import wilson
from puremetrics.results import Interval, Pair, Place, PriorEstimate, RowEffects
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
    places : tuple of Place
        Which of them may be the true one, and which are where an error may have moved it; all of them are
        places of their own if this is empty.
    error_level : float
        Confidence level of the errors.
    beyond_range : bool
        Whether the errors already reach only as far as is needed beyond a range, such as that of look-alikes,
        and not to limits on either side.
    row_effects : RowEffects or None
        How the prior follows the rows, if it was read off scores.
    """

    value: float
    low: float
    high: float
    purity: float = 1.0
    purity_low: float = 1.0
    purity_high: float = 1.0
    pairs: tuple[Pair, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    places: tuple[Place, ...] = ()
    error_level: float = 0.95
    beyond_range: bool = False
    row_effects: RowEffects | None = None

    @property
    def is_range(self) -> bool:
        """Whether more than one place is possible, errors aside."""
        return len(self.placed) > 1

    @cached_property
    def placed(self) -> tuple[tuple[int, tuple[tuple[int, ...], ...]], ...]:
        """The places by their number among the pairs, each with those of its errors."""
        if not self.places:
            return tuple((number, ()) for number in range(len(self.pairs)))
        number_of = {pair: number for number, pair in reversed(list(enumerate(self.pairs)))}
        return tuple(
            (number_of[place.pair], tuple(tuple(number_of[p] for p in e) for e in place.errors))
            for place in self.places
        )

    def mapped(self, move: Callable[[float, float], Pair]) -> Assumed:
        """The same with every pair moved."""
        moved = {pair: move(*pair) for pair in self.pairs}
        places = tuple(
            Place(moved[place.pair], tuple(tuple(moved[p] for p in e) for e in place.errors))
            for place in self.places
        )
        priors = [pair[0] for pair in moved.values()]
        return replace(
            self, value=moved[self.pairs[0]][0], low=min(priors), high=max(priors),
            pairs=tuple(moved[pair] for pair in self.pairs), places=places,
        )  # fmt: skip

    def only(self, kept: Callable[[list[Pair]], Iterable[Pair]]) -> Assumed:
        """With those pairs alone that a function keeps: of the places, and of each error."""
        chosen = set(kept([self.pairs[at] for at, _ in self.placed])) | {self.pairs[0]}
        places = []
        for at, errors in self.placed:
            if self.pairs[at] in chosen:
                left = [tuple(kept([self.pairs[i] for i in error])) for error in errors]
                places.append(Place(self.pairs[at], tuple(left)))
        return replace(self, pairs=_all_pairs(self.pairs[0], places), places=tuple(places))

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


def _all_pairs(first: Pair, places: Iterable[Place]) -> tuple[Pair, ...]:
    """Every pair that places and their errors name, once."""
    found = {first: None}
    for place in places:
        found[place.pair] = None
        found |= {pair: None for error in place.errors for pair in error}
    return tuple(found)


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
    level = prior.interval.level if isinstance(prior, PriorEstimate) and prior.interval else 0.95
    pairs = _all_pairs((known.prior[0], known.purity[0]), known.places)
    beyond, effects = False, None
    if isinstance(prior, PriorEstimate):
        beyond = prior.open_range is not None
        effects = prior.row_effects if purity is None else None
    return Assumed(
        *known.prior, *known.purity, pairs, tuple(remarks), known.places, level, beyond, effects
    )


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


class Known(NamedTuple):
    """Prior and purity with their ranges, and the places that are possible, the central one first."""

    prior: Span
    purity: Span
    places: tuple[Place, ...]


def _of_numbers(counts: Counts, prior: PriorLike, purity: Span, remarks: list[Diagnostic]) -> Known:
    """What a user typed: impossible numbers are refused, not mended."""
    if prior is None:
        value, low, high = (_prior_of_labels(counts, share) for share in purity)
        pairs = [(_prior_of_labels(counts, share), share) for share in _values(purity, _ALONE)]
        _check_gap(counts.share(high, purity[1]), high, purity[1])
        return Known((value, low, high), purity, _first((value, purity[0]), pairs))
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
    return Known((value, low, high), purity, _first((value, purity[0]), kept))


def _of_estimate(
    counts: Counts, estimate: PriorEstimate, labels: Span | None, remarks: list[Diagnostic]
) -> Known:
    """What was estimated: cut to what is possible, and said."""
    _check_estimate(counts.table.scenario, estimate)
    places = estimate.places if labels is None else ()
    if labels is None:
        share = 1.0 if estimate.purity is None else estimate.purity
        ends = estimate.purity_interval or (share, share)
        labels = (share, min(*ends, share), max(*ends, share))
    low, high = tuple(estimate.interval) if estimate.interval is not None else (estimate.prior,) * 2
    low, high = _cut_to_limits(counts, low, high, labels, remarks)
    value = min(max(estimate.prior, low), high)
    _check_gap(counts.share(value, labels[0]), value, labels[0])
    centre = value, labels[0]
    if not places:
        purities = _values(labels, _EACH)
        places = tuple(
            place for b in purities for place in _by_purity(estimate, value, low, high, b)
        )

    def inside(pair: Pair) -> Pair:
        return _inside(counts, *pair), float(pair[1])

    kept = []
    for place in places:
        if _together(counts, *inside(place.pair)):
            errors = [[p for p in map(inside, e) if _together(counts, *p)] for e in place.errors]
            kept.append(Place(inside(place.pair), tuple(tuple(error) for error in errors if error)))
    if centre not in [place.pair for place in kept]:
        kept.insert(0, Place(centre))
    kept.sort(key=lambda place: place.pair != centre)
    return Known((value, low, high), labels, tuple(kept))


def _by_purity(
    estimate: PriorEstimate, value: float, low: float, high: float, purity: float
) -> list[Place]:
    """Where the prior may be at one purity: where it was estimated, or all that look-alikes leave open."""
    interval, open_ = estimate.interval, estimate.open_range
    if interval is not None and open_ is None and interval.kind != "confidence":
        open_ = interval  # nothing says which part of it is an error
    if open_ is None:
        errors = [_line(low, high, _ALONE, purity)] if low < high else []
        if estimate.of_rows is not None and interval is not None:
            errors.append(_line(*wilson(value, estimate.of_rows, interval.level), _EACH, purity))
        return [Place((value, purity), tuple(errors))]
    least, most = (min(max(end, low), high) for end in open_)
    found = [Place(pair) for pair in _line(least, most, _ALONE, purity)]
    below, above = (_line(*ends, _EACH, purity) for ends in ((low, least), (most, high)))
    found[0] = Place(found[0].pair, (below,) if low < least else ())
    found[-1] = Place(found[-1].pair, (*found[-1].errors, *((above,) if most < high else ())))
    return found


def _line(low: float, high: float, count: int, purity: float) -> tuple[Pair, ...]:
    """Pairs along a range of priors."""
    values = np.linspace(low, high, count) if low < high else [low]
    return tuple((float(prior), float(purity)) for prior in values)


def _values(span: Span, count: int) -> FloatArray:
    value, low, high = span
    return np.array([value]) if low == high else np.linspace(low, high, count)


def _first(centre: Pair, pairs: list[Pair]) -> tuple[Place, ...]:
    """A place for each pair, the central one first."""
    return Place(centre), *(Place(pair) for pair in pairs if pair != centre)


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
