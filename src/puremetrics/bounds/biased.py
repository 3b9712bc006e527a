"""Bounds if labels are not at random: what a bias Γ makes of every band.

Let any two positives differ in their odds of being labelled by at most Γ (``label_bias``; in case-control: in
their chance of being sampled). Of n labelled and m latent positives K lie in a head, k of them labelled.

Given the scores of all n + m positives and the number of labels, a set of positives is the labelled one with
a probability that is proportional to the product of their odds. So P(k + 1) / P(k) is e_{k+1}(head) /
e_k(head) times e_{n−k−1}(tail) / e_{n−k}(tail), where e_j(·) is the j-th elementary symmetric polynomial of
the odds. Such quotients rise with each of the odds. They are therefore largest if all odds in the head are Γ
times those in the tail, which is Fisher's noncentral hypergeometric law, and its upper tail is never
exceeded. In case-control, with densities g and φ of labelled and latent positives, the odds are g / φ at the
scores, and the same holds. The lower tail is that of the law with odds 1/Γ.

``"exact"``
    K is kept until P(X ≥ k | K) with odds Γ, or P(X ≤ k | K) with odds 1/Γ, is half the error level or less.
    An unmarked row more makes P(X ≥ k) smaller and a marked one larger at any odds, so the limits are
    staircases in m, as they are for Γ = 1 (see `staircase`).
``"bootstrap"``, ``"clopper_pearson"``, ``"dkw"``
    Limits of the labelled rate are moved by log Γ on the logit scale.
``simultaneous=True`` with ``"exact"``
    The two-sample band knows no bias. Each side gets half the error level; of that the labelled and the
    latent positives get half each, as two one-sided bands of Dvoretzky, Kiefer, Wolfowitz and Massart, with
    the move by log Γ in between. At Γ > 1 it is wider than the band at Γ = 1 by more than Γ asks for.

If it is known which side is favoured (``label_bias_side``), only one limit moves: with "high", heads are
never labelled less often than the rest, which leaves the upper limit where it was; with "low" it is the
lower limit that stays.

Γ is about positives. ``basis="negatives"`` asks the known negatives, takes them as a random sample of all
negatives, and does not depend on it; "tightest" takes each basis with its own assumption.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.setting import LabelBias

__all__ = ["biased_range", "shifted", "split_band"]

_BLOCK = 16  # numbers of latent rows from one computed limit to the next
_FEW = 4000  # limits that are all computed


def shifted(low: Any, high: Any, bias: LabelBias) -> tuple[FloatArray, FloatArray]:
    """Limits of a rate among latent positives, from those among labelled ones."""
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    if bias.down > 1.0:
        low = low / (low + bias.down * (1.0 - low))
    if bias.up > 1.0:
        high = bias.up * high / (bias.up * high + (1.0 - high))
    return low, high


def split_band(
    heads: Any, known: int, latents: FloatArray, level: float, bias: LabelBias
) -> tuple[FloatArray, FloatArray]:
    """Rates of latent positives that hold at all heads at once; see the module's docstring."""
    part = np.log(4 / (1 - level)) / 2
    reach = np.sqrt(part / known)
    share = np.asarray(heads) / known
    low, high = shifted(np.maximum(share - reach, 0.0), np.minimum(share + reach, 1.0), bias)
    own = np.sqrt(part / np.maximum(latents, 1.0))
    return low - own, high + own


def biased_range(
    heads: FloatArray, known: int, first: int, last: int, alpha: float, bias: LabelBias
) -> tuple[FloatArray, FloatArray]:
    """Limits of the exact band for m = first, …, last (rows) and for each head (columns).

    Computed for every 16th number, or for all if they are few. From one number to the next a limit stays,
    unless the tail is then alpha or less; then it rises by one.
    """
    from puremetrics.bounds.staircase import exact_range

    numbers = np.arange(first, last + 1.0)[:, None]
    if bias.down == bias.up:
        both, place = np.unique(np.concatenate([heads, known - heads]), return_inverse=True)
        least = _least(both, known, numbers, alpha, bias.most)
        return least[:, place[: heads.size]], numbers - least[:, place[heads.size :]]
    low, high = exact_range(heads, known, first, last, alpha)
    if bias.down > 1.0:
        return _least(heads, known, numbers, alpha, bias.down), high
    return low, numbers - _least(known - heads, known, numbers, alpha, bias.up)


def _least(
    heads: FloatArray, known: int, numbers: FloatArray, alpha: float, odds: float
) -> FloatArray:
    from puremetrics.numerics.biased_limits import exceeds, least_latent
    from puremetrics.numerics.noncentral import log_at_least

    result = np.zeros((numbers.size, heads.size))
    if alpha == 0.0 or known == 0:
        return result
    block = 1 if result.size <= _FEW else _BLOCK
    marked = least_latent(heads, known, numbers[::block], alpha, odds) + heads
    result[::block] = marked - heads
    for step in range(1, min(block, numbers.size)):
        total = numbers[step::block] + known
        k, rows = np.broadcast_arrays(heads, total)
        marked = marked[: total.size]
        logs = log_at_least(k, rows, marked, known, odds)
        table = k.ravel(), rows.ravel(), marked.ravel()
        stays = exceeds(logs.ravel(), *table, labelled=known, odds=odds, alpha=alpha)
        marked = marked + ~stays.reshape(marked.shape)
        result[step::block] = marked - heads
    return result
