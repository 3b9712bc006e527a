"""How much the outputs of a trained model can tell about its training rows, from a VC dimension.

Theorem 3 of Kiryo, Futami, Sugiyama (2025) asks for the functional conditional mutual information
(fCMI): what the outputs on a supersample, n = n_P + n_U pairs of rows one of each of which was trained
on, tell about which of each pair it was. Section 4.3 says that it is O(log n) for a class of finite VC
dimension and leaves the constant to Steinke and Zakynthinou (2020). Here is one, with its proof.

Let a model have K values, v_1 < … < v_K, and let d be the pseudo-dimension of the class it is chosen from:
the largest number of pairs (row, value), "is the output at this row at least this value?", that the models
of the class answer in every possible way. For K = 2 it is the VC dimension.

1. Outputs are determined by m·(K − 1) such answers, m = 2n. A family of sets shatters at least as many
   sets as it has members (Pajor 1985), and no shattered set asks twice about one row, since outputs
   above the higher value are above the lower one. So at most Σ_{i ≤ d} C(m, i)·(K − 1)^i matrices of
   outputs are possible: for K = 2 the lemma of Sauer and Shelah, in general that of Haussler and Long (1995).
2. Given the supersample, information is at most the logarithm of that number, whatever the algorithm and its
   randomness, because these choose among them. It is also at most n·log 2, all that the choice of rows holds.
3. For fCMI_U the same, with the m = 2·n_U outputs on unlabeled rows; and it is at most fCMI.

The closed form d·log(e·m·(K − 1)/d), for d ≤ m, is slightly larger than the sum, which costs no more.

Beware: the paper assumes a score with a density and calls its class a VC class all the same. The outputs
of such a model can take infinitely many values and may well give away every training row: then fCMI is
n·log 2, whatever the VC dimension. With bins of equal width there is a way out. Round every score to the
middle of one of K cells of equal width, K a multiple of the number of bins. That keeps it in its bin and
moves it by at most 1/(2K), so the calibration error in bins moves by at most 1/(2K) in the sample and in
the population; the pseudo-dimension does not grow. So Theorem 3 holds for the model as it is, with this
fCMI, if 1/K is added. For bins of equal mass, whose edges are scores, that is not shown.
"""

from __future__ import annotations

from math import ceil, log, log1p

from scipy.special import betaln

from puremetrics.calibration.theory import check_size
from puremetrics.checking.arguments import check_choice, check_count

__all__ = ["fcmi_bound"]


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
