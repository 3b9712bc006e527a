"""Exact numbers of tables given as counts, for sizes at which no rows can be written out.

``rows`` are (score, positives, comparison rows) from the highest score down. Everything is a Fraction, or an
mpmath number of 60 digits where logarithms or harmonic numbers are needed. Imports nothing from the package.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import mpmath

mpmath.mp.dps = 60
Counts = Sequence[int]


def area(pos: Counts, cmp: Counts) -> Fraction:
    """Chance that a random positive is above a random comparison row, ties one half."""
    total, above = Fraction(0), 0
    for p, c in zip(pos, cmp, strict=True):
        total += c * (above + Fraction(p, 2))
        above += p
    return total / (sum(pos) * sum(cmp))


def corrected_area(pos: Counts, cmp: Counts, prior: float, purity: float = 1.0) -> Fraction:
    """Jain, Eq. (4), at the exact values of the floats."""
    gap = Fraction(purity) - Fraction(prior)
    return (area(pos, cmp) - (1 - gap) / 2) / gap


def confusion(pos: Counts, cmp: Counts, prior: float, size: int, row: int) -> tuple[Fraction, ...]:
    """(tp, fp, fn, tn) of a population of that size, with the first ``row`` rows predicted positive."""
    a = Fraction(prior)
    g, f = Fraction(sum(pos[:row]), sum(pos)), Fraction(sum(cmp[:row]), sum(cmp))
    fpr = (f - a * g) / (1 - a)
    return size * a * g, size * (1 - a) * fpr, size * a * (1 - g), size * (1 - a) * (1 - fpr)


def _power_sums(start: int, size: int) -> tuple[mpmath.mpf, mpmath.mpf, mpmath.mpf]:
    """Sums of 1, j and j² over (start + j), j = 1 … size."""
    zeroth = mpmath.digamma(start + size + 1) - mpmath.digamma(start + 1)
    first = size - start * zeroth
    return zeroth, first, mpmath.mpf(size) * (size + 1) / 2 - start * first


def naive_average_precision(pos: Counts, rest: Counts) -> mpmath.mpf:
    """Mean precision at the labelled rows, averaged over the orders of tied rows."""
    total, hits, rank = mpmath.mpf(0), 0, 0
    for p, r in zip(pos, rest, strict=True):
        m = p + r
        if p:
            slope = mpmath.mpf(p - 1) / (m - 1) if m > 1 else mpmath.mpf(0)
            zeroth, first, _ = _power_sums(rank, m)
            total += mpmath.mpf(p) / m * ((hits + 1 - slope) * zeroth + slope * first)
        hits, rank = hits + p, rank + m
    return total / hits


def mean_f1(pos: Counts, rest: Counts) -> mpmath.mpf:
    """Mean over all operating points of 2 K / (b + t), K averaged over the orders of tied rows."""
    t, n = sum(pos), sum(pos) + sum(rest)
    total, hits, rank = mpmath.mpf(0), 0, 0
    for p, r in zip(pos, rest, strict=True):
        m = p + r
        zeroth, first, _ = _power_sums(rank + t, m)
        total += hits * zeroth + mpmath.mpf(p) / m * first
        hits, rank = hits + p, rank + m
    return 2 * total / (n + 1)


def lee_liu(pos: Counts, rest: Counts) -> mpmath.mpf:
    """Mean over operating points of (K / t)² / (b / N); K is hypergeometric inside a tied block."""
    t, n = sum(pos), sum(pos) + sum(rest)
    total, hits, rank = mpmath.mpf(0), 0, 0
    for p, r in zip(pos, rest, strict=True):
        m = p + r
        share = mpmath.mpf(p) / m
        spread = share * (m - p) / (mpmath.mpf(m) * (m - 1)) if m > 1 else mpmath.mpf(0)
        zeroth, first, second = _power_sums(rank, m)
        total += hits**2 * zeroth + (2 * hits * share + spread * m) * first
        total += (share**2 - spread) * second
        hits, rank = hits + p, rank + m
    return total * n / mpmath.mpf(t) ** 2 / (n + 1)


def upper_tail(k: int, total: int, marked: int, drawn: int) -> mpmath.mpf:
    """P(X ≥ k) of the hypergeometric distribution, by its ratio of neighbours, until nothing is added."""
    log_first = (
        _log_choose(marked, k) + _log_choose(total - marked, drawn - k) - _log_choose(total, drawn)
    )
    term = result = mpmath.mpf(1)
    x = k
    while term > result * mpmath.mpf(10) ** -40 and x < min(marked, drawn):
        term *= mpmath.mpf(marked - x) * (drawn - x)
        term /= mpmath.mpf(x + 1) * (total - marked - drawn + x + 1)
        result += term
        x += 1
    return mpmath.exp(log_first) * result


def _log_choose(n: int, k: int) -> mpmath.mpf:
    return mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)


def brier_score(scores: Sequence[float], pos: Counts, cmp: Counts, prior: float) -> Fraction:
    """Unbiased risk of the squared loss, clean labels: prior · E_G[(1 − s)² − s²] + E_F[s²]."""
    a = Fraction(prior)
    exact = [Fraction(s) for s in scores]
    over_pos = sum(p * ((1 - s) ** 2 - s**2) for s, p in zip(exact, pos, strict=True))
    over_cmp = sum(c * s**2 for s, c in zip(exact, cmp, strict=True))
    return a * over_pos / sum(pos) + over_cmp / sum(cmp)


def one_bin_gap(scores: Sequence[float], cmp: Counts, prior: float) -> Fraction:
    """Calibration error with a single bin: the mean score against the prior."""
    mean = sum(Fraction(s) * c for s, c in zip(scores, cmp, strict=True)) / sum(cmp)
    return abs(mean - Fraction(prior))
