"""What theory promises about the binned calibration error (Kiryo, Futami, Sugiyama 2025).

- Theorem 1, `bias_bound`: how far the estimate can be from the true (unbinned) calibration error, in
  expectation and with probability 1 − δ, for classifiers that have not seen the evaluation data.
- Theorem 2, `prior_shift_bound`: a wrong prior shifts the estimate by at most the prior's error.
- Theorem 3, `generalization_bound`: as Theorem 1 on the data the classifier was trained on, given the
  functional conditional mutual information (fCMI).
- Corollary 1, `optimal_bins`: the number of bins that balances both parts of the bound; given the constant
  ``lipschitz``, the number that minimises the bound itself.

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

**The number of bins that minimises a bound** (`optimal_bins` with ``lipschitz``). Corollary 1 has its order
alone. Every bound is a/B + g(B), and convex in u = 1/B: that is to say, B²·g'(B) rises with B, because it
does so for every part of g. For √B it is B^(3/2)/2, for B/(n − B) it is n·B²/(n − B)², for √(B/(n − B)) it is
n/2·(B/(n − B))^(3/2), and for √(I + B·log 2), with information I, it is in proportion to B²/√(I + B·log 2).
The last one is √h with h = B·q and q = p + 1/(n − B). The logarithm of B²·h'/√h has the derivative
2/B + h''/h' − h'/(2h), in which h'' > 0 and h'/h = 1/B + 1/((n − B)²·q) ≤ 1/B + 1/(n − B) ≤ 2/B, as long as
B ≤ n/2; and no more bins than that are allowed. A convex function falls, then rises, so the best whole number
is the first B with g(B + 1) − g(B) ≥ a/(B·(B + 1)), and bisection finds it: multiplied by B·(B + 1) the left
side is a slope between neighbours of a convex function, which rises. Differences of roots are taken as
(x − y)/(√x + √y), so that nothing cancels. Up to 1e15 rows, the number is right but for rounding in the
sixteenth digit of that slope.

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

**fCMI from metric entropy** (`fcmi_bound` with ``metric_entropy`` or ``n_parameters``). Section 4.2 names
metric entropy, the logarithm of a covering number, as the other way to bound fCMI. A cover of resolution ε is
a list of N models of the class such that the outputs of every model of the class differ by at most ε from
those of one on the list, at every row.

1. *A model that is on a list.* If the model that is used is one of N, fixed before the data were seen, its
   outputs on the supersample are one of N matrices: fCMI ≤ log N, whatever the algorithm. Nothing is added
   to Theorem 3, for bins of either kind, and each of these models can well have scores with a density. Models
   of k numbers of b bits are such a list, with log N = k·b·log 2. So are models whose k numbers are rounded,
   after training, to points of a cover of the ball of radius R in which they lie, in any norm. A largest set
   of points of the ball that are more than r apart is a cover of resolution r; the balls of radius r/2 around
   them do not overlap and lie in one of radius R + r/2, so there are at most (1 + 2·R/r)^k points.
2. *A class of infinitely many models*, outputs of which change by at most ``slope`` times a change of the k
   numbers. With r = ε/slope the same points make a cover of resolution ε in the outputs. But log N bounds
   the information of the nearest model on the list, not of the model itself: the digits beyond ε of a single
   number can hold the training rows, so that fCMI is n·log 2 in a class for which N is 1. Metric entropy
   alone is therefore no bound of fCMI, and Theorem 3 cannot be used with it as it is.

What can be shown for infinite classes, for bins of equal width, needs one assumption more: that scores of no
model of the class have a density above M in the population. Let f be the model, f* the nearest one on the
list, I = min(log N, n·log 2), and A the rows where f* is within ε of one of the B − 1 inner edges of bins. A
row outside of A is in one bin by both models; P(A) ≤ s = 2·ε·M·(B − 1), and prior·P(A | y = 1) ≤ s, too.

- The first part of the bound, (1 + L)/B, holds for f itself. The second is about the distance of two
  calibration errors in bins, in the sample and in the population. For f* it is that of Theorem 3 with I.
- In the population these errors of f and f* differ by at most ε + 2·P(A), because a row adds at most 1 to a
  bin. In the sample it is ε + 2·U(A) + 2·prior·G(A), with the shares U(A) of the unlabeled and G(A) of the
  labelled training rows.
- These shares can exceed P(A), because f* is chosen by these rows, but hardly. Let the rows be those of a
  supersample. Over the choice of training rows alone, with f* held fixed, a pair of rows has
  E exp((train − 2.1·test)/2) ≤ 1, where train and test say whether its rows are in A: if one of them is, it
  is (e^0.5 + e^−1.05)/2 = 0.9993, if both are, e^−0.55. So by the variational formula of Donsker and Varadhan
  E U(A) ≤ 2.1·P(A) + 2·I/n_U, and likewise E G(A) ≤ 2.1·P(A | y = 1) + 2·I/n_P.

Together Theorem 3 holds for f with I in place of fCMI if

    2·ε + 20.8·ε·M·(B − 1) + 4·I·(prior/n_P + 1/n_U)

is added (10.4·s is the middle part). With ε of the order 1/n all of it is small beside the rest. For bins of
equal mass, again, it is not shown. Round the parameters: then the first case holds.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, floor, log, log1p, sqrt

from scipy.special import betaln

from puremetrics.checking.arguments import (
    LARGEST_EXACT_INTEGER,
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


def optimal_bins(
    *,
    prior: float,
    n_pos: float,
    n_unl: float,
    lipschitz: float | None = None,
    binning: str | None = None,
    fcmi: float | None = None,
    fcmi_unlabeled: float | None = None,
) -> int:
    """Return the number of bins that minimises the order of the bias bound, or the bound itself.

    Without ``lipschitz`` it is the order (Corollary 1), B = ⌈(prior²/n_pos + 1/n_unl)^(−1/3)⌉, as in the
    paper's experiments (Section 5.1). With it, it is the whole number at which `bias_bound` (Theorem 1) is
    smallest in expectation; with ``fcmi``, too, that at which `generalization_bound` (Theorem 3) is.

    Parameters
    ----------
    prior : float
        P(y = 1).
    n_pos, n_unl : float
        Sizes of the two samples.
    lipschitz : float, optional
        Assumed: P(y = 1 | score) changes by at most this times a change of the score. 1 for a calibrated
        model.
    binning : {"mass", "width", "balanced"}, optional
        Equal mass unless said otherwise, at most one bin for every two unlabeled rows. "balanced" is not
        for Theorem 3.
    fcmi, fcmi_unlabeled : float, optional
        As in `generalization_bound`: for the rows that the model was trained on.

    Notes
    -----
    The bound is convex in 1/B (the module has the proof), so that some fifty steps find the number. If two
    are equally good it is the smaller one; it is never above 2**53.

    Examples
    --------
    >>> sizes = {"prior": 0.5, "n_pos": 1000, "n_unl": 10_000}
    >>> optimal_bins(**sizes)
    15
    >>> best = optimal_bins(**sizes, lipschitz=1.0, binning="width")
    >>> best
    32
    >>> [round(float(bias_bound(**sizes, n_bins=b, binning="width")), 4) for b in (15, best)]
    [0.2186, 0.1871]
    >>> optimal_bins(**sizes, lipschitz=1.0, binning="width", fcmi=5.0)
    22
    """
    prior = check_share(prior, "prior")
    n_pos, n_unl = check_size(n_pos, "n_pos"), check_size(n_unl, "n_unl")
    # The largest float would make infinite differences; one bin is best long before.
    rate_pos = min(prior / n_pos * prior, 1e200)
    if lipschitz is None:
        for name, value in (
            ("binning", binning), ("fcmi", fcmi), ("fcmi_unlabeled", fcmi_unlabeled)
        ):  # fmt: skip
            if value is not None:
                raise InputError(
                    f"{name} was given without lipschitz, but the order of the bound (Corollary 1) does not "
                    "depend on it. Also pass lipschitz (1 for a calibrated model) to minimise the bound "
                    f"itself, or leave {name} out."
                )
        rate = prior**2 / n_pos + 1 / n_unl
        # The slack keeps exact cubes, such as 1/1000, from being rounded up by one.
        return max(1, ceil(float(rate ** (-1 / 3)) - 1e-9))
    binnings = (*_BINNINGS, "balanced") if fcmi is None else _BINNINGS
    binning = check_choice("mass" if binning is None else binning, binnings, "binning")
    slopes = 1 + _check_lipschitz(lipschitz)
    if fcmi is not None:
        on_all, on_unl = _check_informations(fcmi, fcmi_unlabeled)
        growth = _growth_of_theorem_3(binning, slopes, rate_pos, n_unl, on_all, on_unl)
    elif fcmi_unlabeled is not None:
        raise InputError(
            "fcmi_unlabeled was given without fcmi, but Theorem 3 needs the information in all outputs. "
            "Also pass fcmi, or leave fcmi_unlabeled out."
        )
    else:
        growth = _growth_of_theorem_1(binning, slopes, rate_pos, n_unl)
    most = LARGEST_EXACT_INTEGER if binning == "width" else floor(n_unl / 2)
    if most < 1:
        raise _too_few_rows(n_unl, 1)
    # The first number from which one bin more does not gain; growth is that of the bound over a.
    return 1 + bisect_left(range(1, most), True, key=lambda b: growth(b) * b * (b + 1) >= 1)


def _growth_of_theorem_1(
    binning: str, slopes: float, rate_pos: float, n_unl: float
) -> Callable[[int], float]:
    """Return what one bin more adds to the sampling part of `bias_bound`, over a of a/B."""
    lead = slopes * (2 if binning == "balanced" else 1)
    unit = sqrt(2 * log(2))

    def with_width(b: int) -> float:
        return unit * sqrt(rate_pos + 1 / n_unl) / (sqrt(b) + sqrt(b + 1)) / lead

    def with_mass(b: int) -> float:
        left, after = n_unl - b, n_unl - b - 1
        ratio = n_unl / left / after  # growth of B/(n − B)
        of_edges = ratio / (sqrt(b / left) + sqrt((b + 1) / after))
        roots = sqrt(b * (rate_pos + 1 / left)) + sqrt((b + 1) * (rate_pos + 1 / after))
        return unit * (of_edges + (rate_pos + ratio) / roots / lead) + (2 + 1 / slopes) * ratio

    return with_width if binning == "width" else with_mass


def _growth_of_theorem_3(
    binning: str, slopes: float, rate_pos: float, n_unl: float, on_all: float, on_unl: float
) -> Callable[[int], float]:
    """Return what one bin more adds to the sampling part of `generalization_bound`, over a of a/B."""
    bit = log(2)

    def of_root(told: float, b: int) -> float:
        return bit / (sqrt(told + b * bit) + sqrt(told + (b + 1) * bit))

    def growth(b: int) -> float:
        found = sqrt(8 * (rate_pos + 1 / n_unl)) * of_root(on_all, b) / slopes
        return found + (sqrt(8 / n_unl) * of_root(on_unl, b) if binning == "mass" else 0.0)

    return growth


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
        raise _too_few_rows(n_unl, n_bins)
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
    fcmi, on_unl = _check_informations(fcmi, fcmi_unlabeled)
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


def _too_few_rows(n_unl: float, n_bins: int) -> UnsupportedError:
    bins = f"{n_bins} bins" if n_bins > 1 else "a bin"
    return UnsupportedError(
        f"Theorem 1 needs at least two unlabeled rows per bin, but {n_unl:g} rows were put into {bins} of "
        "equal mass. Use fewer bins, or binning='width'."
    )


def _check_informations(fcmi: object, fcmi_unlabeled: object) -> tuple[float, float]:
    """Return fCMI and fCMI_U, which is at most fCMI."""
    on_all = _check_information(fcmi, "fcmi")
    if fcmi_unlabeled is None:
        return on_all, on_all
    on_unl = _check_information(fcmi_unlabeled, "fcmi_unlabeled")
    if on_unl > on_all:
        raise InputError(
            f"fcmi_unlabeled={on_unl:g} exceeds fcmi={on_all:g}, but some of the outputs cannot tell more "
            "than all of them. Check which is which."
        )
    return on_all, on_unl


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
    *,
    vc_dimension: int | None = None,
    n_pos: float,
    n_unl: float,
    levels: int = 2,
    rows: str = "all",
    metric_entropy: float | None = None,
    n_parameters: int | None = None,
    radius: float | None = None,
    slope: float | None = None,
    resolution: float | None = None,
) -> float:
    """Bound the functional conditional mutual information by the size of a class of models, in nats.

    The size is a VC dimension d: log Σ_{i ≤ d} C(m, i)·(levels − 1)^i on the m = 2·(n_pos + n_unl) rows of
    the supersample. Or it is metric entropy, the logarithm of a number of models, given as such or for models
    of k parameters: k·log(1 + 2·radius·slope/resolution). Never more than (n_pos + n_unl)·log 2. It goes into
    `generalization_bound`. O(1).

    Parameters
    ----------
    vc_dimension : int, optional
        VC dimension of the class that the model was chosen from: k + 1 for thresholds on linear functions
        of k features, 0 if there was no choice. With more than two levels it is the pseudo-dimension,
        which is k + 1 for linear functions of k features, or a fixed increasing function of these.
    n_pos, n_unl : float
        Numbers of training rows.
    levels : int, default 2
        How many values the outputs have, for a VC dimension. For scores with a density, in bins of equal
        width, take a multiple of the number of bins and add ``1 / levels`` to the bound of Theorem 3.
    rows : {"all", "unlabeled"}
        Outputs on which rows: all of them (fCMI), or the unlabeled (fCMI_U).
    metric_entropy : float, optional
        Logarithm of the number of models, in nats: k·b·log 2 for k parameters of b bits. Or that of a
        covering number; see the notes.
    n_parameters : int, optional
        How many numbers a model is made of.
    radius : float, optional
        They lie in a ball of this radius, in any norm.
    slope : float, default 1
        No output changes by more than this times a change of the parameters, in the same norm. With 1 the
        resolution is one of the parameters themselves.
    resolution : float, optional
        Every model is within this of one that is counted: in its outputs, or for a slope of 1 in its
        parameters.

    Notes
    -----
    Metric entropy bounds fCMI if the model that is used is one of those that are counted: parameters with
    so many bits, or rounded to points that are ``resolution`` apart. Then nothing is to be added, and bins
    may have equal mass. If it is only near one of them, at a resolution ε in the outputs, it may tell more
    about its training rows than this number says. Theorem 3 then holds for bins of equal width, if scores
    have a density of at most M whatever the model, and if
    2·ε + 20.8·ε·M·(n_bins − 1) + 4·fcmi·(prior/n_pos + 1/n_unl) is added. The module has the proofs.

    Examples
    --------
    A linear model of ten features, whose probabilities are judged in 15 bins of equal width:

    >>> import puremetrics as pm
    >>> sizes = {"n_pos": 10_000, "n_unl": 100_000}
    >>> found = pm.fcmi_bound(vc_dimension=11, **sizes, levels=150)
    >>> round(found, 1)
    172.9
    >>> bound = pm.generalization_bound(**sizes, prior=0.5, n_bins=15, fcmi=found, binning="width")
    >>> round(float(bound) + 1 / 150, 3)
    0.367

    The same with the eleven numbers, between −8 and 8, rounded to points that are 0.01 apart:

    >>> found = pm.fcmi_bound(n_parameters=11, radius=8, resolution=0.01, **sizes)
    >>> round(found, 1)
    81.2
    >>> bound = pm.generalization_bound(**sizes, prior=0.5, n_bins=15, fcmi=found, binning="width")
    >>> round(float(bound), 3)
    0.293
    """
    rows = check_choice(rows, ("all", "unlabeled"), "rows")
    n_pos, n_unl = check_size(n_pos, "n_pos"), check_size(n_unl, "n_unl")
    steps = check_count(levels, "levels") - 1
    sizes = {
        "vc_dimension": vc_dimension,
        "metric_entropy": metric_entropy,
        "n_parameters": n_parameters,
    }
    _check_one_size(sizes)
    of_ball = {"radius": radius, "slope": slope, "resolution": resolution}
    for name, value in (of_ball if n_parameters is None else {}).items():
        if value is not None:
            raise InputError(
                f"{name} was given without n_parameters, but it is about the parameters of a model. Pass "
                f"n_parameters, or leave {name} out."
            )
    seen = 2 * (n_pos + n_unl)
    most = seen / 2 * log(2)  # what the choice of rows holds
    if vc_dimension is not None:
        dimension = check_count(vc_dimension, "vc_dimension", smallest=0)
        found = min(most, _log_patterns(seen, dimension, steps))
        return found if rows == "all" else min(found, _log_patterns(2 * n_unl, dimension, steps))
    if steps != 1:
        raise InputError(
            f"levels={levels} was given without vc_dimension, but metric entropy counts models, whatever "
            "values they have. Leave levels out."
        )
    if metric_entropy is not None:
        return min(most, _check_information(metric_entropy, "metric_entropy"))
    return min(most, _log_cover(n_parameters, **of_ball))


def _check_one_size(sizes: Mapping[str, object]) -> None:
    given = [name for name, value in sizes.items() if value is not None]
    if len(given) != 1:
        found = f"{' and '.join(given)} were given" if given else "none was given"
        raise InputError(
            f"fcmi_bound needs exactly one measure of the size of the model class, but {found}. Pass one "
            f"of {', '.join(sizes)}."
        )


def _log_cover(n_parameters: object, *, radius: object, slope: object, resolution: object) -> float:
    """Return the logarithm of the number of points that cover a ball, at most."""
    count = check_count(n_parameters, "n_parameters", smallest=0)
    wanted = {"radius": radius, "slope": 1.0 if slope is None else slope, "resolution": resolution}
    numbers = []
    for name, value in wanted.items():
        if value is None:
            raise InputError(
                f"n_parameters also needs {name}: the parameters lie in a ball of that radius, and are "
                "counted at that resolution. Pass radius and resolution."
            )
        number = check_number(value, name)
        if number < 0 or (number == 0 and name == "resolution"):
            least = "above 0" if name == "resolution" else "at least 0"
            raise InputError(
                f"{name}={number:g} is not a possible distance. Pass a number {least}."
            )
        numbers.append(number)
    ratio = numbers[0] * numbers[1] / numbers[2]
    # The middle of the ball is near enough to all of it.
    return 0.0 if count == 0 or ratio <= 1 else count * log1p(2 * ratio)


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
