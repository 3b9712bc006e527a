"""One likelihood for everything that is known about the positives: values, and intervals by inversion.

Unlabeled rows are counted in *cells*: ranges of scores, perhaps crossed with what a judge said. Of the N rows
of a cell H = N·r are expected to be positive, and the log odds of r are those of a forecast plus a shift, one
for each *stratum* of cells, plus what may be wrong with the forecast within a stratum (`Cells.bent`). Shifts
are free.

Every kind of evidence is a set of counts with expected values μ that depend on the rates and on numbers of
its own, such as the rates at which sources catch positives (`Term`). All counts are taken as independent
Poisson ones (answers yes and no as two of them, the same as a binomial law), so with J the slopes of μ

    score = Jᵀ(n/μ − 1),        information I = Jᵀ diag(1/μ) J.

**Intervals.** A number T(H) may be t if the best fit with T = t is not too far from the data. That fit solves
score + λ·g = 0 with g the slopes of T, by steps Δ = I⁻¹(score + λg) whose λ leads to T = t, and

    z(t) = −λ·√V,   V = gᵀI⁻¹g,   corrected for the skewness γ of the score:   z + γ/6·(q² − 1)

is compared with the normal quantile q. For one binomial that is Wilson's interval, with a correction for rare
events that makes it close to the mid-P one; for several it knows that a stratum without a find may hold some.
The signed root of the deviance, less γ/6, is another such distance, which errs to the short side as the score
errs to the long one: the mean of both is taken. Nothing is approximated by a normal law at the best fit, so
limits stay inside what is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np

from puremetrics.checking.types import FloatArray

__all__ = ["Cells", "Counts", "Fit", "Limit", "Place", "Target", "Term", "grouped"]

_STEPS = 80
_LONGEST_STEP = 2.0  # of a parameter, all of which are on logarithmic scales
_FARTHEST = 25.0  # log odds from which a rate is 0 or 1
_CLOSE, _NEAR = 1e-10, 1e-4  # steps at which a best fit is found, and a place to start from
# The correction for skewness is one for numbers near the quantile: next to the best fit, where an expected
# count may be far below 1, it would be larger than the distance itself.
_LONGER, _SHORTER = 0.35, 0.6
# A score test errs to the long side where few are found, the root of the deviance to the short one: distances
# are half of each. Where rates reach an end their slopes vanish, and with them the score: there the root
# alone says how far off a number is, by this part of it.
_PART_OF_ROOT = 0.65
_SOFT = 0.5  # answers in each stratum, for a place to start from that is at no end


@dataclass(frozen=True, eq=False)
class Cells:
    """Unlabeled rows by cell, the forecast of their rates, and in which ways that may be wrong.

    Attributes
    ----------
    rows : ndarray
        Unlabeled rows of each cell.
    odds : ndarray
        Log odds that one of them is positive, as forecast.
    stratum : ndarray of int
        The stratum of each cell, whose log odds shift together.
    bent : ndarray, shape (cells, bends), optional
        What else may be added to the log odds: so many times each column.
    held : ndarray, shape (parameters, parameters), optional
        A matrix Q: shifts and bends θ are expected to have a small θᵀQθ, which is taken off twice the log
        likelihood.
    """

    rows: FloatArray
    odds: FloatArray
    stratum: Any
    bent: FloatArray | None = None
    held: FloatArray | None = None

    @cached_property
    def moving(self) -> FloatArray:
        """What each parameter adds to the log odds of each cell: shifts of strata first, then bends."""
        shifts = grouped(self.stratum, self.strata).T
        return shifts if self.bent is None else np.concatenate([shifts, self.bent], axis=1)

    @cached_property
    def strata(self) -> int:
        """How many strata there are."""
        return int(self.stratum.max()) + 1

    @property
    def number(self) -> int:
        """How many parameters there are."""
        return int(self.moving.shape[1])

    @cached_property
    def share(self) -> FloatArray:
        """The part of its stratum's rows that each cell holds."""
        of_strata = np.bincount(self.stratum, self.rows, self.strata)
        return np.asarray(self.rows / np.maximum(of_strata, 1e-300)[self.stratum])

    def rates(self, moved: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The rate of positives in each cell, and its slope by the log odds."""
        from scipy.special import expit

        odds = self.odds + self.moving @ moved
        rate = expit(np.clip(odds, -_FARTHEST, _FARTHEST))
        inside = np.abs(odds) < _FARTHEST
        return np.asarray(rate), np.where(inside, rate * (1 - rate), 0.0)


class Counts(NamedTuple):
    """What was counted, what was to be expected, and the slopes of that.

    ``by_rate`` has a column for each cell, ``by_own`` one for each number of the kind itself.
    """

    found: FloatArray
    expected: FloatArray
    by_rate: FloatArray
    by_own: FloatArray
    held: FloatArray | None = (
        None  # what its own numbers are expected to be about 0 with: 1/variance
    )


class Limit(NamedTuple):
    """What is known of a number directly: its distance in standard errors, with slopes by the rates."""

    off: float
    by_rate: FloatArray


class Term(Protocol):
    """One kind of evidence, as counts or as a limit."""

    @property
    def start(self) -> FloatArray:
        """First guesses of its own numbers."""

    def at(self, rates: FloatArray, own: FloatArray) -> Counts | Limit:
        """What it says if these are the rates of positives."""


class Target(Protocol):
    """A number that depends on how many positives each cell holds."""

    def __call__(self, hidden: FloatArray) -> tuple[float, FloatArray]:
        """The number, and what one more positive in each cell adds to it."""


Bracket = tuple[
    float, float, float, float
]  # a number with its distance, and another beyond the end


def grouped(group: Any, number: int) -> FloatArray:
    """A matrix that adds up cells by group; cells of group −1 belong to none."""
    return np.asarray(group == np.arange(number)[:, None], dtype=np.float64)


class Place(NamedTuple):
    """The likelihood at some parameters."""

    theta: FloatArray
    hidden: FloatArray
    gain: FloatArray  # what the log odds add to the positives of each cell
    score: FloatArray
    information: FloatArray
    expected: FloatArray
    slopes: FloatArray  # of the expected counts, by parameter
    distance: float  # deviance: twice what the log likelihood is below that of a perfect fit


@dataclass(frozen=True, eq=False)
class Fit:
    """Cells, and everything that is known about their positives.

    ``soft`` answers that agree with the forecast are put into each stratum, where rates must not reach an
    end; ``floor`` answers yes and as many no, which only keep a search from getting lost at an end.
    """

    cells: Cells
    terms: tuple[Term, ...]
    soft: float = 0.0
    floor: float = 0.0

    # ---------------------------------------------------------------- parameters

    def start(self) -> FloatArray:
        """First guesses: no shifts."""
        own = [np.asarray(term.start, dtype=np.float64) for term in self.terms]
        return np.concatenate([np.zeros(self.cells.number), *own])

    @cached_property
    def _parts(self) -> list[slice]:
        ends = self.cells.number + np.cumsum([0, *(len(term.start) for term in self.terms)])
        return [slice(int(a), int(b)) for a, b in pairwise(ends)]

    def own(self, term: Term, theta: FloatArray) -> FloatArray:
        """The numbers of a kind of evidence itself."""
        return theta[self.part_of(term)]

    def part_of(self, term: Term) -> slice:
        """Where the numbers of a kind of evidence itself are among all."""
        return self._parts[next(i for i, one in enumerate(self.terms) if one is term)]

    # ---------------------------------------------------------------- the likelihood

    def at(self, theta: FloatArray) -> Place:
        """Score and information at some parameters."""
        cells, size = self.cells, theta.size
        ours = slice(0, cells.number)
        rates, steep = cells.rates(theta[ours])
        score, information = np.zeros(size), np.zeros((size, size))
        every, found, expected, distance = [], [], [], 0.0
        shifting = cells.moving * steep[:, None]
        for term, part in zip(self.terms, self._parts, strict=True):
            said = term.at(rates, theta[part])
            slopes = np.zeros((1 if isinstance(said, Limit) else said.found.size, size))
            slopes[:, ours] = said.by_rate @ shifting
            if isinstance(said, Limit):
                score -= said.off * slopes[0]
                information += slopes.T @ slopes
                distance += said.off**2
                continue
            slopes[:, part] += said.by_own
            if said.held is not None:
                score[part] -= said.held * theta[part]
                information[part, part] += np.diag(said.held)
                distance += float(said.held @ theta[part] ** 2)
            every.append(slopes)
            found.append(said.found)
            expected.append(said.expected)
        if cells.held is not None:
            pull = cells.held @ theta[ours]
            score[ours] -= pull
            information[ours, ours] += cells.held
            distance += float(theta[ours] @ pull)
        if self.soft:
            told, _ = cells.rates(np.zeros(cells.number))
            weight = self.soft * cells.share
            score[ours] += (weight * (told - rates)) @ cells.moving
            firm = (weight * np.maximum(steep, 1e-4))[:, None]
            information[ours, ours] += cells.moving.T @ (firm * cells.moving)
        if self.floor:
            weight = self.floor * cells.share
            score[ours] += (weight * (1 - 2 * rates)) @ cells.moving
            inside = np.clip(rates, 1e-300, 1 - 1e-16)
            distance -= 2 * float(weight @ (np.log(inside) + np.log1p(-inside)))
            # What the curvature is where nothing else pulls away from an end.
            information[ours, ours] += cells.moving.T @ (weight[:, None] * cells.moving)
        slopes = np.vstack(every) if every else np.zeros((0, size))
        counted, mean = (np.concatenate(c) if c else np.zeros(0) for c in (found, expected))
        mean = np.maximum(mean, 1e-300)
        score += slopes.T @ (counted / mean - 1)
        information += (slopes / mean[:, None]).T @ slopes
        some = counted > 0
        distance += 2 * float(np.sum(counted[some] * np.log(counted[some] / mean[some])))
        distance -= 2 * float(np.sum(counted - mean))
        hidden, gain = cells.rows * rates, cells.rows * steep
        return Place(theta, hidden, gain, score, information, mean, slopes, distance)

    def slope(self, place: Place, by_cell: FloatArray) -> FloatArray:
        """Slopes of a number by all parameters, from those by the positives of each cell."""
        slope = np.zeros(place.score.size)
        slope[: self.cells.number] = (by_cell * place.gain) @ self.cells.moving
        return slope

    # ---------------------------------------------------------------- the best fit

    def best(self, start: FloatArray | None = None) -> Place:
        """The fit that makes the evidence most likely."""
        place = self.at(self.start() if start is None else start)
        for _ in range(4 * _STEPS):
            step = _limited(_solve(self._damped(place, place.score), place.score))
            tried = self.at(place.theta + step)
            for _ in range(6):
                if tried.distance <= place.distance + 1e-9 or self.soft:
                    break
                step = step / 2
                tried = self.at(place.theta + step)
            place = tried
            if np.abs(step).max(initial=0.0) < (_NEAR if self.soft else _CLOSE):
                break
        return place

    def error(self, place: Place, target: Target) -> float:
        """Standard error of a number at the best fit."""
        slope = self.slope(place, target(place.hidden)[1])
        return float(np.sqrt(max(float(slope @ _solve(place.information, slope)), 0.0)))

    # ---------------------------------------------------------------- intervals

    def end(
        self, start: Place, least: Place, target: Target, quantile: float, side: int, last: float
    ) -> float:
        """Where the evidence begins to contradict a number, below (−1) or above (+1) its best value.

        ``start`` is a fit whose rates are at no end, ``least`` the best one; ``last`` is where to stop at the
        latest.
        """
        value = target(start.hidden)[0]
        error = self.error(start, target)
        if side * (last - value) <= 0:
            return last
        kept = start.theta

        def excess(wanted: float) -> float:
            nonlocal kept
            found = self._held(target, wanted, kept, quantile, least)
            if found is None:  # the path led astray: once more from the start
                found = self._held(target, wanted, start.theta, quantile, least)
            if found is None:
                return np.inf
            kept, away = found
            return away * side - quantile

        scale = max(error * quantile, 1e-9 * max(abs(value), 1e-9))
        at_near = excess(value)
        if at_near >= 0:  # the soft fit lies outside: walk back to where the evidence allows it
            bracket = self._bracket(value, at_near, -side, scale, excess, None)
            assert bracket is not None
            return self._between(bracket, excess)
        found = self._bracket(value, at_near, side, scale, excess, last)
        return last if found is None else self._between(found, excess)

    @staticmethod
    def _bracket(
        near: float,
        at_near: float,
        way: int,
        scale: float,
        excess: Callable[[float], float],
        last: float | None,
    ) -> Bracket | None:
        """Two numbers with the end between them: distances below and above the quantile."""
        inward = last is None
        far, at_far = near, at_near
        for _ in range(30):
            far = near + way * scale
            if last is not None and way * (far - last) >= 0:
                far = last - way * 1e-7 * abs(last - near)
                at_far = excess(far)
                return None if at_far < 0 else (near, at_near, far, at_far)
            at_far = excess(far)
            if inward and at_far < 0:
                return far, at_far, near, at_near
            if not inward and at_far >= 0:
                return near, at_near, far, at_far
            near, at_near, scale = far, at_far, 1.6 * scale
        return near, at_near, far, at_far

    @staticmethod
    def _between(bracket: Bracket, excess: Callable[[float], float]) -> float:
        """Illinois' version of the false position; where no fit was found, halving."""
        near, at_near, far, at_far = bracket
        tolerance = 1e-4 * max(abs(far - near), 1e-12)
        for _ in range(40):
            middle = (near + far) / 2
            if np.isfinite(at_far) and at_far > at_near:
                straight = (near * at_far - far * at_near) / (at_far - at_near)
                middle = straight if min(near, far) < straight < max(near, far) else middle
            at_middle = excess(middle)
            if abs(at_middle) < 1e-4 or abs(far - near) < tolerance:
                return middle
            if at_middle < 0:
                near, at_near = middle, at_middle
                at_far = at_far / 2 if np.isfinite(at_far) else at_far
            else:
                far, at_far = middle, at_middle
                at_near /= 2
        return (near + far) / 2

    def _held(
        self, target: Target, wanted: float, start: FloatArray, quantile: float, least: Place
    ) -> tuple[FloatArray, float] | None:
        """The best fit at which a number is what is wanted, and how far it is from the evidence.

        None if the number cannot be that.
        """
        theta, size, pull = start.copy(), max(abs(wanted), 1e-6), 0.0
        for turn in range(_STEPS):
            place = self.at(theta)
            value, by_cell = target(place.hidden)
            slope = self.slope(place, by_cell)
            matrix = self._damped(place, place.score + pull * slope)
            both = _solve(matrix, np.stack([place.score, slope], axis=1))
            variance = float(slope @ both[:, 1])
            if not variance > 0:
                return None
            pull = (wanted - value - float(slope @ both[:, 0])) / variance
            step = both[:, 0] + pull * both[:, 1]
            close = abs(value - wanted) < 1e-6 * size
            if close and np.abs(step).max() < 1e-5:
                break
            if turn + 1 < _STEPS:
                theta = theta + _limited(step)
        if abs(value - wanted) > 1e-3 * size:
            return None
        towards = _solve(place.information, slope)
        root = np.sqrt(max(place.distance - least.distance, 0.0))
        root = float(np.copysign(root, wanted - target(least.hidden)[0]))
        variance = float(slope @ towards)
        return theta, self._away(
            place, towards, variance, float(pull * np.sqrt(variance)), root, quantile
        )

    def _damped(self, place: Place, uphill: FloatArray) -> FloatArray:
        """The information, with what keeps rates near an end from running away from it and back."""
        number = self.cells.strata
        matrix = place.information.copy()
        at = np.arange(number)
        matrix[at, at] += np.maximum(-uphill[:number], 0.0)
        return matrix

    @staticmethod
    def _away(
        place: Place,
        towards: FloatArray,
        variance: float,
        plain: float,
        root: float,
        quantile: float,
    ) -> float:
        """The distance in standard errors, corrected for skewness; positive above the best fit."""
        effect = (place.slopes @ towards) / place.expected  # of one more of each count
        skewness = float(np.sum(effect**3 * place.expected)) / variance**1.5

        def moved(distance: float, by: float) -> float:
            part = _LONGER if by * distance > 0 else _SHORTER
            return distance + float(np.clip(by, -part * abs(distance), part * abs(distance)))

        by_score = moved(plain, skewness / 6 * (quantile**2 - 1))
        away = (by_score + moved(root, -skewness / 6)) / 2
        return away if abs(away) > _PART_OF_ROOT * abs(root) else _PART_OF_ROOT * root


def softened(cells: Cells, terms: Sequence[Term]) -> Place:
    """A fit whose rates are at no end, to start from."""
    return Fit(cells, tuple(terms), _SOFT).best()


def _limited(step: FloatArray) -> FloatArray:
    longest = float(np.abs(step).max(initial=0.0))
    return step if longest <= _LONGEST_STEP else step * (_LONGEST_STEP / longest)


def _solve(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """Solve with a matrix whose rows differ by orders of magnitude."""
    scale = 1 / np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    scale = np.minimum(scale, 1e12)
    scaled = matrix * np.outer(scale, scale)
    scaled[np.diag_indices_from(scaled)] += 1e-12
    scaled_right = right * (scale if right.ndim == 1 else scale[:, None])
    try:
        found = np.linalg.solve(scaled, scaled_right)
    except np.linalg.LinAlgError:
        found = np.linalg.lstsq(scaled, scaled_right, rcond=None)[0]
    return np.asarray(found * (scale if right.ndim == 1 else scale[:, None]))
