"""The prior from an audit: unlabeled rows drawn at random and checked by hand.

**From the number of positives alone** (`prior_from_audit`). Of n checked rows k are positive. Clopper–Pearson
inverts the binomial test and covers with at least the level; Jeffreys is the Beta(k + 1/2, n − k + 1/2)
posterior, shorter and right on average. Where the unlabeled rows are few, the checked ones are a sizeable
part of them: the test is then hypergeometric and the posterior beta-binomial, and both intervals shrink to a
point when every row has been checked.

An audit identifies the prior itself, not only an upper bound of it: `combine` lets it correct an estimate
from scores.

**With labels at random** (`scaled_prior`): the share of positives among unlabeled rows from an audit, if
labels are a random sample of the positives. Labels then say where the hidden positives are, and all that the
audit has to tell is how many there are: with g the share of the labelled rows and u that of the unlabeled
ones in a range of scores, a row of that range is positive with chance α·g/u. Every checked row tells α,
wherever it was drawn and with whichever chance:

    α = Σ y / Σ g/u        over the checked rows:

as many positives were found as were to be expected. Weights that count sure answers more, as a likelihood has
them, would depend on the same labels as g does, and made α too small by up to a twelfth in simulation. The
denominator is a mean over the labelled rows, of Σ 1/u over the checked rows of their range; the numerator is
a sum of independent answers. Limits of both are those of bounded values (`sampling.bounded`), and squared
distances add up; so does the error that the rows have as a sample of the population. Ranges end at quantiles
of the labelled scores and at the strata of the plan.
"""

from __future__ import annotations

import math

import numpy as np

from puremetrics.auditing import Audit, Audited, audited_prior
from puremetrics.checking.arguments import (
    LARGEST_EXACT_INTEGER,
    check_choice,
    check_flag,
    check_level,
    check_number,
    check_share,
)
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.numerics import hypergeometric
from puremetrics.numerics.quantiles import beta_quantile
from puremetrics.results import Interval, PriorEstimate, Trust
from puremetrics.sampling.bounded import mean_reaches
from puremetrics.setting import PurityLike, check_table, purity_range
from puremetrics.tables.score_table import ScoreTable

__all__ = ["prior_from_audit", "rows_to_audit", "scaled_prior"]


def scaled_prior(audited: Audited) -> PriorEstimate:
    """The prior from an audit and labels that are a random sample of the positives."""
    table = audited.table
    if audited.purity[1] < 1.0:
        raise InputError(
            "random_labels assumes that all labelled rows are positive, but some are not (purity < 1). "
            "Leave out random_labels or purity."
        )
    value, low, high = _share(audited)
    design, totals = table.design, table.totals
    prior, least, most = (design.prior_of(totals, end, 1.0) for end in (value, low, high))
    by_rows = audited.row_quantile * float(
        np.sqrt(max(prior * (1 - prior), 0.0) / design.population_size(totals))
    )
    least = max(prior - float(np.hypot(prior - least, by_rows)), 0.0)
    most = min(prior + float(np.hypot(most - prior, by_rows)), 1.0)
    checked, found = audited.audit.n_checked, audited.audit.n_positive
    return PriorEstimate(
        prior,
        Interval(least, most, audited.level, "confidence", "audit_and_labels"),
        unlabeled_share=value,
        label_frequency=table.total_pos / (table.total_pos + value * table.total_unl),
        method="audit_and_labels",
        status="estimate from an audit and random labels",
        scenario=table.scenario,
        trust=Trust(
            "identified",
            f"{checked} unlabeled rows were checked, and {found} of them are positive; the labels show "
            "where the others are, if they are a random sample of the positives.",
            settle="audit_labels tests that with the same rows.",
        ),
        diagnostics=audited.diagnostics,
        n_groups=audited.alike.number,
        design_effect=audited.alike.design_effect,
    )


def _share(audited: Audited) -> tuple[float, float, float]:
    """α and its limits."""
    table, level = audited.table, audited.strict_level
    pieces = audited.pieces(audited.edges)
    place = np.searchsorted(pieces.edges, audited.score, side="right")
    held = np.bincount(place, minlength=pieces.rows.size).astype(np.float64)
    # What one labelled row of each range adds to the denominator.
    each = np.divide(
        held * table.total_unl, pieces.rows, out=np.zeros(held.size), where=pieces.rows > 0
    )
    bottom = float(pieces.labelled @ each) / table.total_pos
    top = float(audited.answer.sum())
    if bottom <= 0:
        return 0.5, 0.0, 1.0  # no labelled row scores where rows were checked
    value = min(top / bottom, 1.0)
    count = float(audited.answer.size)
    left = audited.answer - audited.expected
    span = -float(audited.expected.max()), 1 - float(audited.expected.min())
    down, up = (
        count * audited.common_factor * reach
        for reach in mean_reaches(np.ones(left.size), left, None, level, span)
    )
    fewer, more = (
        audited.row_quantile / audited.quantile * reach
        for reach in mean_reaches(pieces.labelled, each, None, level, (0.0, float(each.max())))
    )
    by_labels = value * more / (bottom + more), value * fewer / max(bottom - fewer, 1e-300)
    low = value - float(np.hypot(down / bottom, by_labels[0]))
    high = value + float(np.hypot(up / bottom, by_labels[1]))
    rows = table.total_unl
    least = float(audited.answer.sum()) / rows
    most = 1 - float((1 - audited.answer).sum()) / rows
    value = min(max(value, least), most)
    return value, min(max(low, least), value), max(min(high, most), value)


_AT_ONCE = 2_000_000  # numbers of positives whose chances are held in memory
_FAR = 1e-12  # chance beyond which positives left over are not looked for
_NARROWEST = 1e-7  # width of an interval that an audit can be planned for


def prior_from_audit(
    n_checked: int | Audit,
    n_positive: int | None = None,
    *,
    table: ScoreTable | None = None,
    n_unlabeled: int | None = None,
    method: str = "clopper_pearson",
    purity: PurityLike = None,
    confidence_level: float = 0.95,
    random_labels: bool = False,
) -> PriorEstimate:
    """Prior with an exact interval from unlabeled rows that were drawn at random and checked.

    Parameters
    ----------
    n_checked : int or Audit
        Rows checked, drawn at random; or an audit of any design, with ``table`` and nothing else.
    n_positive : int
        Positives found among them.
    table : ScoreTable, optional
        The table the rows were drawn from. Its scenario turns the share among the unlabeled into
        the prior (in a single training set the labelled rows count too), and its unlabeled rows are
        the finite population.
    n_unlabeled : int, optional
        Number of unlabeled rows, if no table is given. None: so many that it does not matter.
    method : {"clopper_pearson", "jeffreys"}
    purity : float or (low, high), default 1
        Share of true positives among the labelled, which count too in a single training set.
    confidence_level : float, default 0.95
    random_labels : bool, default False
        For an `Audit`: take labels as a random sample of the positives. They then say where hidden positives
        are, and the audit how many there are, which makes the interval narrower; see `priors.from_audit`.
        `audit_labels` tests the assumption. Corrected metrics at such a prior use labels and audit together.

    Examples
    --------
    >>> estimate = prior_from_audit(200, 14)
    >>> round(estimate.prior, 3), round(estimate.interval.low, 4), round(estimate.interval.high, 4)
    (0.07, 0.0388, 0.1147)
    """
    check_flag(random_labels, "random_labels")
    if isinstance(n_checked, Audit):
        if table is None or n_positive is not None or n_unlabeled is not None:
            raise InputError(
                "An audit already holds what was checked and found: pass it with table=…, the table it was "
                "drawn from, and leave out n_positive and n_unlabeled."
            )
        audited = Audited.of(table, n_checked, purity, confidence_level)
        return (scaled_prior if random_labels else audited_prior)(audited)
    if random_labels:
        raise InputError(
            "random_labels needs the scores of checked rows, and counts have none. Pass an Audit, or leave "
            "out random_labels."
        )
    checked, positive = _whole(n_checked, "n_checked"), _whole(n_positive, "n_positive")
    level = check_level(confidence_level)
    method = check_choice(method, ("clopper_pearson", "jeffreys"), "method")
    if checked == 0 or positive > checked:
        raise InputError(
            f"n_checked={checked} and n_positive={positive}: at least one row must have been checked, "
            "and no more can be positive than were checked. Count again."
        )
    if table is not None:
        check_table(table)
    if table is not None and n_unlabeled is None and table.whole:
        n_unlabeled = int(table.total_unl)
    rows = None if n_unlabeled is None else _whole(n_unlabeled, "n_unlabeled")
    if rows is not None and rows < checked:
        raise InputError(
            f"n_checked={checked}, but there are only {rows} unlabeled rows. Check the numbers: only "
            "unlabeled rows count, each once."
        )
    low, high = _limits(positive, checked, rows, level, method)
    share = positive / checked
    prior, frequency = share, None
    labels = None if purity is None else purity_range(purity)
    clean, least, most = labels or (1.0, 1.0, 1.0)
    if table is not None:
        design, totals = table.design, table.totals
        prior = design.prior_of(totals, share, clean)
        low, high = design.prior_of(totals, low, least), design.prior_of(totals, high, most)
        found = clean * table.total_pos
        positives = found + share * table.total_unl
        frequency = found / positives if positives > 0 else None
    low, high = (
        min(low, prior),
        max(high, prior),
    )  # positives are whole numbers, their share need not be
    return PriorEstimate(
        prior,
        Interval(low, high, level, "confidence", method),
        unlabeled_share=share,
        label_frequency=frequency,
        method=f"audit_{method}",
        status="estimate from an audit",
        trust=Trust(
            "audited", f"{checked} rows were checked, and {positive} of them are positive."
        ),
        scenario=None if table is None else table.scenario,
        of_rows=None
        if table is None or rows is None
        else table.design.population_size(table.totals),
        purity=None if labels is None else clean,
        purity_interval=None
        if least == most
        else Interval(least, most, level, "identification", "given"),
    )


def rows_to_audit(
    width: float,
    *,
    guess: float = 0.5,
    n_unlabeled: int | None = None,
    confidence_level: float = 0.95,
) -> int:
    """Number of rows to check for a Clopper–Pearson interval of the wanted width.

    Parameters
    ----------
    width : float
        High minus low, from 1e-7 to 1.
    guess : float, default 0.5
        Expected share of positives; 0.5 is the worst case.
    n_unlabeled : int, optional
        Number of unlabeled rows; with few of them fewer have to be checked.

    Examples
    --------
    >>> rows_to_audit(0.1)
    402
    >>> rows_to_audit(0.1, guess=0.1), rows_to_audit(0.1, guess=0.1, n_unlabeled=300)
    (159, 105)
    """
    wanted, guess = check_share(width, "width"), check_share(guess, "guess")
    level = check_level(confidence_level)
    if wanted < _NARROWEST:
        raise InputError(
            f"width={wanted:g} would take more rows than anybody can check. Pass a width of at "
            f"least {_NARROWEST:g}."
        )
    if n_unlabeled is not None and _whole(n_unlabeled, "n_unlabeled") == 0:
        raise InputError(
            "n_unlabeled=0: there is no row to check. Pass the number of unlabeled rows."
        )

    def reached(checked: int) -> bool:
        # Positives come in whole numbers, so the width must hold on either side of the guess.
        found = math.floor(guess * checked), math.ceil(guess * checked)
        limits = (_binomial_limits(float(k), float(checked), level) for k in found)
        return all(high - low <= wanted for low, high in limits)

    most = 1
    while not reached(most):
        most *= 2
    fewest = most // 2
    while most - fewest > 1:
        middle = (most + fewest) // 2
        fewest, most = (fewest, middle) if reached(middle) else (middle, most)
    if n_unlabeled is None:
        return most
    rows = _whole(n_unlabeled, "n_unlabeled")
    return min(rows, math.ceil(most * rows / (most + rows - 1)))


def _limits(
    positive: int, checked: int, rows: int | None, level: float, method: str
) -> tuple[float, float]:
    if method == "jeffreys":
        return _jeffreys_limits(positive, checked, rows, level)
    if rows is None:
        return _binomial_limits(float(positive), float(checked), level)
    return _hypergeometric_limits(positive, checked, rows, level)


def _binomial_limits(positive: float, checked: float, level: float) -> tuple[float, float]:
    error = (1 - level) / 2
    low = beta_quantile(positive, checked - positive + 1, error) if positive > 0 else 0.0
    high = beta_quantile(positive + 1, checked - positive, 1 - error) if positive < checked else 1.0
    return float(low), float(high)


def _hypergeometric_limits(
    positive: int, checked: int, rows: int, level: float
) -> tuple[float, float]:
    """Smallest and largest number of positives that neither tail rejects; both tails are monotone."""
    error = (1 - level) / 2 - 1e-12  # a tail equal to the error does not reject, rounding or not
    smallest, largest = positive, rows - (checked - positive)

    def upper_tail(total: int) -> float:
        return float(hypergeometric.sf(positive - 1, rows, total, checked))

    def lower_tail(total: int) -> float:
        return float(hypergeometric.cdf(positive, rows, total, checked))

    low, high = smallest, largest
    if not upper_tail(smallest) > error:  # the first total whose upper tail exceeds the error
        left, right = smallest, largest
        while right - left > 1:
            middle = (left + right) // 2
            left, right = (left, middle) if upper_tail(middle) > error else (middle, right)
        low = right
    if not lower_tail(largest) > error:  # the last total whose lower tail exceeds the error
        left, right = smallest, largest
        while right - left > 1:
            middle = (left + right) // 2
            left, right = (middle, right) if lower_tail(middle) > error else (left, middle)
        high = left
    return low / rows, high / rows


def _jeffreys_limits(
    positive: int, checked: int, rows: int | None, level: float
) -> tuple[float, float]:
    error, a, b = (1 - level) / 2, positive + 0.5, checked - positive + 0.5
    if rows is None:
        low, high = beta_quantile(a, b, error), beta_quantile(a, b, 1 - error)
        return (0.0 if positive == 0 else low), (1.0 if positive == checked else high)
    found, below = _positives_left(rows - checked, a, b)
    ends = [int(np.searchsorted(below, chance)) for chance in (error, 1 - error)]
    low, high = (positive + float(found[min(end, found.size - 1)]) for end in ends)
    return (0.0 if positive == 0 else low / rows), high / rows


def _positives_left(left: int, a: float, b: float) -> tuple[FloatArray, FloatArray]:
    """Numbers of positives among the rows left, rising, and the chance that there are no more.

    Their law is beta-binomial. Of very many rows only the likely numbers are looked at, at steps that are
    small at both ends; from one to the next the chance changes by its ratio halfway.
    """
    from scipy.special import betaln, gammaln

    if left <= _AT_ONCE:
        found = np.arange(left + 1.0)
        log = gammaln(left + 1) - gammaln(found + 1) - gammaln(left - found + 1)
        log += betaln(found + a, left - found + b) - betaln(a, b)
        return found, np.cumsum(np.exp(log))
    ends = beta_quantile(a, b, np.array([_FAR, 1 - _FAR])) * left
    reach = 8 * np.sqrt(ends) + 50
    first, last = max(ends[0] - reach[0], 0.0), min(ends[1] + reach[1], float(left))
    turn = np.sin(np.linspace(0, np.pi / 2, _AT_ONCE)) ** 2
    found = np.unique((first + (last - first) * turn).round())
    halfway = (found[1:] + found[:-1] - 1) / 2
    ratio = np.log1p((a - 1) / (halfway + 1)) + np.log1p((1 - b) / (left - halfway - 1 + b))
    log = np.cumsum(np.append(0.0, np.diff(found) * ratio))
    below = np.cumsum(np.exp(log - log.max()) * np.diff(found, prepend=found[0] - 1))
    return found, below / below[-1]


def _whole(value: object, name: str) -> int:
    number = check_number(value, name)
    if number < 0 or number != int(number):
        raise InputError(f"{name}={number:g} must be a whole number of rows, zero or more.")
    if number > LARGEST_EXACT_INTEGER:
        raise InputError(f"{name} must be at most 2**53, the largest count that floats can hold.")
    return int(number)
