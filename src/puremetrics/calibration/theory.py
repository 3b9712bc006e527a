"""What theory promises about the binned calibration error (Kiryo, Futami, Sugiyama 2025).

- Theorem 1, `bias_bound`: how far the estimate can be from the true (unbinned) calibration error, in
  expectation and with probability 1 − δ, for classifiers that have not seen the evaluation data.
- Theorem 2, `prior_shift_bound`: a wrong prior shifts the estimate by at most the prior's error.
- Theorem 3, `generalization_bound`: as Theorem 1 on the data the classifier was trained on, given the
  functional conditional mutual information (fCMI).
- Corollary 1, `optimal_bins`: the number of bins that balances both parts of the bound.

Renamed: π_P is ``prior``, n_P and n_U are ``n_pos`` and ``n_unl``, B is ``n_bins``, L is ``lipschitz``; UWB
and UMB are ``binning="width"`` and ``"mass"``. Every bound assumes that the score has a density and that P(y
= 1 | score) changes by at most ``lipschitz`` times a change of the score. No data prove such a constant
(`suggested_lipschitz` makes a guess), so the bounds are only as good as this assumption. They are worst
cases: measured biases are many times smaller.

Beyond the paper: ``pos_factor`` and ``unl_factor``, the most that one row of either sample can add to the
estimate, times the sample's size. They are ``prior`` and 1 in the paper; noisy labels make them larger, and
the bounded-differences argument is otherwise the same. In a single training set with L labelled of n rows,
given L, a labelled row (in both samples) adds at most prior/L in size and any other row 1/n, so the bound for
equal widths holds with n_unl = n. For equal mass it is taken over by analogy. So it is for balanced bins,
which no theorem is about: a bin of mass 1/B in ½·G + ½·F holds at most 2/B of the population instead of 1/B,
so every part of the bound that comes from the mass of a bin is doubled.

Errata: Section 5.2 gives the rate with exponent −1/3; it is +1/3, as in Corollary 1.

**fCMI from a VC dimension** (`fcmi_bound`): how much the outputs of a trained model can tell about its
training rows. Theorem 3 asks for the functional conditional mutual information (fCMI): what the outputs on a
supersample, n = n_P + n_U pairs of rows one of each of which was trained on, tell about which of each pair it
was. Section 4.3 says that it is O(log n) for a class of finite VC dimension and leaves the constant to
Steinke and Zakynthinou (2020). Here is one, with its proof.

Let a model have K values, v_1 < … < v_K, and let d be the pseudo-dimension of the class it is chosen from:
the largest number of pairs (row, value), "is the output at this row at least this value?", that the models of
the class answer in every possible way. For K = 2 it is the VC dimension.

1. Outputs are determined by m·(K − 1) such answers, m = 2n. A family of sets shatters at least as many
   sets as it has members (Pajor 1985), and no shattered set asks twice about one row, since outputs
   above the higher value are above the lower one. So at most Σ_{i ≤ d} C(m, i)·(K − 1)^i matrices of
   outputs are possible: for K = 2 the lemma of Sauer and Shelah, in general that of Haussler and Long (1995).
2. Given the supersample, information is at most the logarithm of that number, whatever the algorithm and its
   randomness, because these choose among them. It is also at most n·log 2, all that the choice of rows holds.
3. For fCMI_U the same, with the m = 2·n_U outputs on unlabeled rows; and it is at most fCMI.

The closed form d·log(e·m·(K − 1)/d), for d ≤ m, is slightly larger than the sum, which costs no more.

Beware: the paper assumes a score with a density and calls its class a VC class all the same. The outputs of
such a model can take infinitely many values and may well give away every training row: then fCMI is n·log 2,
whatever the VC dimension. With bins of equal width there is a way out. Round every score to the middle of one
of K cells of equal width, K a multiple of the number of bins. That keeps it in its bin and moves it by at
most 1/(2K), so the calibration error in bins moves by at most 1/(2K) in the sample and in the population; the
pseudo-dimension does not grow. So Theorem 3 holds for the model as it is, with this fCMI, if 1/K is added.
For bins of equal mass, whose edges are scores, that is not shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, log1p, sqrt

from scipy.special import betaln

from puremetrics.checking.arguments import (
    check_choice,
    check_count,
    check_level,
    check_number,
    check_share,
)
from puremetrics.exceptions import Diagnostic, InputError, UnsupportedError
from puremetrics.results import Result
from puremetrics.tables.rows import MOST_ROWS

__all__ = [
    "BiasBound",
    "bias_bound",
    "fcmi_bound",
    "generalization_bound",
    "optimal_bins",
    "prior_shift_bound",
]


_BINNINGS = ("mass", "width")


@dataclass(frozen=True, eq=False, repr=False)
class BiasBound(Result):
    """A bound on |estimate − true calibration error|, and what it assumes.

    ``float(bound)`` is the bound in expectation.

    Attributes
    ----------
    expected : float
        Bound on the expected distance.
    probable : float or None
        Bound that holds with probability ``1 - delta``.
    delta : float
        Chance that ``probable`` fails.
    binning_part, sampling_part : float
        What comes from binning, and what from finite samples; they add up to ``expected``.
    lipschitz : float
        Assumed: P(y = 1 | score) changes by at most this times a change of the score.
    estimated : bool
        Whether that constant is a guess from the data, which makes the bounds guesses too.
    """

    expected: float
    probable: float | None
    delta: float | None
    binning_part: float
    sampling_part: float
    lipschitz: float
    n_bins: int
    binning: str
    theorem: str
    diagnostics: tuple[Diagnostic, ...] = ()
    estimated: bool = False

    def __float__(self) -> float:
        return self.expected

    def __str__(self) -> str:
        text = f"{self.expected:.4f} in expectation"
        if self.probable is not None and self.delta is not None:
            text += f", {self.probable:.4f} with probability {1 - self.delta:g}"
        return (
            f"bias at most {text} ({self.theorem}, assuming that P(y = 1 | score) is Lipschitz with "
            f"constant {self.lipschitz:.4g}{', a guess from the data' if self.estimated else ''})"
        )


def optimal_bins(*, prior: float, n_pos: float, n_unl: float) -> int:
    """Return the number of bins that minimises the order of the bias bound (Corollary 1).

    B = ⌈(prior²/n_pos + 1/n_unl)^(−1/3)⌉, as in the paper's experiments (Section 5.1).

    >>> optimal_bins(prior=0.5, n_pos=1000, n_unl=10000)
    15
    """
    prior = check_share(prior, "prior")
    n_pos, n_unl = check_size(n_pos, "n_pos"), check_size(n_unl, "n_unl")
    rate = prior**2 / n_pos + 1 / n_unl
    # The slack keeps exact cubes, such as 1/1000, from being rounded up by one.
    return max(1, ceil(float(rate ** (-1 / 3)) - 1e-9))


def bias_bound(
    *,
    n_pos: float,
    n_unl: float,
    prior: float,
    n_bins: int,
    binning: str = "mass",
    lipschitz: float = 1.0,
    delta: float = 0.05,
    pos_factor: float | None = None,
    unl_factor: float = 1.0,
) -> BiasBound:
    """Bound the distance of the estimate from the true calibration error (Theorem 1).

    Holds if classifier and evaluation data are independent, the score has a density, and
    P(y = 1 | score) is Lipschitz with the given constant. O(1).

    Parameters
    ----------
    n_pos, n_unl : float
        Sizes of the two samples; ``n_unl >= 2 * n_bins`` for bins of equal mass.
    prior : float
        P(y = 1).
    n_bins : int
    binning : {"mass", "width", "balanced"}
    lipschitz : float, default 1
        The constant of a calibrated model; models that are not have larger ones.
    delta : float, default 0.05
        Chance that the second bound may fail.
    pos_factor, unl_factor : float, optional
        See the module; the paper's are ``prior`` and 1.

    Examples
    --------
    >>> print(bias_bound(n_pos=1000, n_unl=10_000, prior=0.5, n_bins=15, binning="width"))
    bias at most 0.2186 in expectation, 0.2302 with probability 0.95 (Theorem 1, ...
    """
    binning = check_choice(binning, ("mass", "width", "balanced"), "binning")
    n_pos, n_unl = check_size(n_pos, "n_pos"), check_size(n_unl, "n_unl")
    share, n_bins = check_share(prior, "prior"), check_count(n_bins, "n_bins")
    factor = share if pos_factor is None else check_number(pos_factor, "pos_factor")
    unl_factor = check_number(unl_factor, "unl_factor")
    constant, delta = _check_lipschitz(lipschitz), check_level(delta, "delta")
    mass = binning != "width"
    fullest = 2 if binning == "balanced" else 1  # largest mass of a bin, times the number of bins
    if mass and n_unl < 2 * n_bins:
        raise UnsupportedError(
            f"Theorem 1 needs at least two unlabeled rows a bin, but {n_unl:g} rows make {n_bins} "
            "bins of equal mass. Use fewer bins, or binning='width'."
        )
    binned = fullest * (1 + constant) / n_bins
    extra = fullest * (3 + 2 * constant) * n_bins / (n_unl - n_bins) if mass else 0.0

    def sampled(exponent: float) -> float:
        if not mass:
            return sqrt(2 * (factor / n_pos * factor + unl_factor / n_unl * unl_factor) * exponent)
        left = n_unl - n_bins
        both = sqrt(factor / n_pos * factor + unl_factor / left * unl_factor)
        return sqrt(2 * exponent) * (fullest * (1 + constant) / sqrt(left) + both) + extra

    expected, probable = sampled(n_bins * log(2)), sampled(n_bins * log(2) - log(delta))
    return BiasBound(
        expected=binned + expected,
        probable=binned + probable,
        delta=delta,
        binning_part=binned,
        sampling_part=expected,
        lipschitz=constant,
        n_bins=n_bins,
        binning=binning,
        theorem="by analogy with Theorem 1" if binning == "balanced" else "Theorem 1",
    )


def prior_shift_bound(prior: float, other: float) -> float:
    """Bound the change of the calibration error when one prior is used for another (Theorem 2).

    Holds for any scores and data with clean labels, at fixed bins. By the triangle inequality the
    change is at most |prior − other| · Σ_b P(b | y = 1) = |prior − other|.

    >>> round(prior_shift_bound(0.5, 0.55), 3)
    0.05
    """
    return abs(check_share(prior, "prior") - check_share(other, "other"))


def generalization_bound(
    *,
    n_pos: float,
    n_unl: float,
    prior: float,
    n_bins: int,
    fcmi: float,
    fcmi_unlabeled: float | None = None,
    binning: str = "mass",
    lipschitz: float = 1.0,
) -> BiasBound:
    """Bound the expected distance on the very data that the classifier was trained on (Theorem 3).

    Holds if the score has a density and P(y = 1 | score) is Lipschitz with the given constant. O(1).

    Parameters
    ----------
    n_pos, n_unl, prior, n_bins, binning, lipschitz
        As in `bias_bound`, of the training data.
    fcmi : float
        Functional conditional mutual information, in nats, between the classifier's outputs on a
        supersample and the choice of the training half; 0 for a classifier that ignores its data.
    fcmi_unlabeled : float, optional
        The same through the outputs on the unlabeled rows; it is at most ``fcmi``, its default.

    Examples
    --------
    >>> bound = generalization_bound(
    ...     n_pos=1000, n_unl=10_000, prior=0.5, n_bins=15, fcmi=5.0, binning="width")
    >>> round(float(bound), 4)
    0.341
    """
    binning = check_choice(binning, _BINNINGS, "binning")
    n_pos, n_unl = check_size(n_pos, "n_pos"), check_size(n_unl, "n_unl")
    prior, constant = check_share(prior, "prior"), _check_lipschitz(lipschitz)
    n_bins = check_count(n_bins, "n_bins")
    fcmi = _check_information(fcmi, "fcmi")
    on_unl = (
        fcmi if fcmi_unlabeled is None else _check_information(fcmi_unlabeled, "fcmi_unlabeled")
    )
    if on_unl > fcmi:
        raise InputError(
            f"fcmi_unlabeled={on_unl:g} exceeds fcmi={fcmi:g}, but a part of the outputs cannot tell "
            "more than all of them. Check which is which."
        )
    binned = (1 + constant) / n_bins
    sampled = sqrt(8 * (prior**2 / n_pos + 1 / n_unl) * (fcmi + n_bins * log(2)))
    if binning == "mass":
        sampled += (1 + constant) * sqrt(8 / n_unl * (on_unl + n_bins * log(2)))
    return BiasBound(
        expected=binned + sampled,
        probable=None,
        delta=None,
        binning_part=binned,
        sampling_part=sampled,
        lipschitz=constant,
        n_bins=n_bins,
        binning=binning,
        theorem="Theorem 3",
    )


def _check_lipschitz(value: object) -> float:
    number = check_number(value, "lipschitz")
    if number < 0:
        raise InputError(
            f"lipschitz={number:g} is negative, but it bounds an absolute slope. Pass at least 0."
        )
    return number


def _check_information(value: object, name: str) -> float:
    number = check_number(value, name)
    if number < 0:
        raise InputError(f"{name}={number:g} is negative, but information is not. Pass at least 0.")
    return number


def check_size(value: object, name: str) -> float:
    number = check_number(value, name)
    if not number > 0:
        raise InputError(f"{name}={number:g} must be a positive number of rows.")
    if number > MOST_ROWS:
        raise InputError(
            f"{name}={number:g} rows are more than a table can hold. Pass at most 1e15."
        )
    return number


def fcmi_bound(
    *, vc_dimension: int, n_pos: float, n_unl: float, levels: int = 2, rows: str = "all"
) -> float:
    """Bound the functional conditional mutual information by a VC dimension, in nats.

    log Σ_{i ≤ d} C(m, i)·(levels − 1)^i on the m = 2·(n_pos + n_unl) rows of the supersample, and never
    more than (n_pos + n_unl)·log 2. It goes into `generalization_bound`. O(1).

    Parameters
    ----------
    vc_dimension : int
        VC dimension of the class that the model was chosen from: k + 1 for thresholds on linear functions
        of k features, 0 if there was no choice. With more than two levels it is the pseudo-dimension,
        which is k + 1 for linear functions of k features, or a fixed increasing function of these.
    n_pos, n_unl : float
        Numbers of training rows.
    levels : int, default 2
        How many values the outputs have. For scores with a density, in bins of equal width, take a multiple
        of the number of bins and add ``1 / levels`` to the bound of Theorem 3.
    rows : {"all", "unlabeled"}
        Outputs on which rows: all of them (fCMI), or the unlabeled (fCMI_U).

    Examples
    --------
    A linear model of ten features, whose probabilities are judged in 15 bins of equal width:

    >>> import puremetrics as pm
    >>> found = pm.fcmi_bound(vc_dimension=11, n_pos=10_000, n_unl=100_000, levels=150)
    >>> round(found, 1)
    172.9
    >>> bound = pm.generalization_bound(
    ...     n_pos=10_000, n_unl=100_000, prior=0.5, n_bins=15, fcmi=found, binning="width")
    >>> round(float(bound) + 1 / 150, 3)
    0.367
    """
    rows = check_choice(rows, ("all", "unlabeled"), "rows")
    dimension = check_count(vc_dimension, "vc_dimension", smallest=0)
    steps = check_count(levels, "levels") - 1
    n_pos, n_unl = check_size(n_pos, "n_pos"), check_size(n_unl, "n_unl")
    seen = 2 * (n_pos + n_unl)
    found = min(seen / 2 * log(2), _log_patterns(seen, dimension, steps))
    return found if rows == "all" else min(found, _log_patterns(2 * n_unl, dimension, steps))


def _log_patterns(seen: float, dimension: int, steps: int) -> float:
    """Return log Σ_{i ≤ d} C(m, i)·s^i, added up from the largest term, the last, downwards.

    From d = m / 4 on it is log (1 + s)^m, which is larger; what the choice of rows holds is less there.
    """
    if dimension == 0 or steps == 0:
        return 0.0
    if 4 * dimension >= seen:
        return seen * log(1 + steps)
    seen = ceil(seen)
    term = total = 1.0
    for i in range(dimension, 0, -1):
        term *= i / ((seen - i + 1) * steps)  # below 1/3, so few terms count
        if term < 1e-17:
            break
        total += term
    largest = -log1p(seen) - float(betaln(seen - dimension + 1, dimension + 1))
    return largest + dimension * log(steps) + log(total)
