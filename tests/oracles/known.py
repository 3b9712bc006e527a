"""Statistics of rows whose classes are all known, row by row from the definitions."""

import math

from tests.oracles import top


def discrimination_slope(positive, score):
    """Tjur 2009: mean score of the positives less that of the negatives."""
    yes = [s for p, s in zip(positive, score, strict=True) if p]
    no = [s for p, s in zip(positive, score, strict=True) if not p]
    return math.fsum(yes) / len(yes) - math.fsum(no) / len(no)


def brier_score(positive, score):
    """Mean squared distance of the score from 1 or 0."""
    return math.fsum((s - p) ** 2 for p, s in zip(positive, score, strict=True)) / len(score)


def log_loss(positive, score):
    """Mean negative log-likelihood."""
    found = (-math.log(s if p else 1 - s) for p, s in zip(positive, score, strict=True))
    return math.fsum(found) / len(score)


def _discounted(positive, score, discount):
    """Mean of a discount over the positives; every one of them is in the list."""
    own = [s for p, s in zip(positive, score, strict=True) if p]
    return top.mean_discount(own, list(score), discount, lambda above: math.nan)


def enrichment_factor(positive, score, k):
    """Share of the positives among the first k rows, over the share of rows that they are."""
    return _discounted(positive, score, top.even(k)) / (k / len(score))


def rie(positive, score, alpha):
    """Mean of exp(-alpha u) over the positives, over that of all places."""
    return _discounted(positive, score, top.exponential(alpha)) * alpha / (1 - math.exp(-alpha))


def bedroc(positive, score, alpha):
    """Truchon and Bayly 2007: RIE between its least and its most."""
    share = sum(positive) / len(score)
    most = (1 - math.exp(-alpha * share)) / (share * (1 - math.exp(-alpha)))
    least = (1 - math.exp(alpha * share)) / (share * (1 - math.exp(alpha)))
    return (rie(positive, score, alpha) - least) / (most - least)


def ndcg(positive, score, k=None):
    """Järvelin and Kekäläinen 2002, with a gain of 1 for a positive; tied rows share their discounts."""
    k = len(score) if k is None else k
    count = sum(positive)
    return count * _discounted(positive, score, top.logarithmic(k)) / top.ideal_gain(count, k)


def roc_auc(positive, score):
    """Over all pairs of a positive and a negative."""
    yes = [s for p, s in zip(positive, score, strict=True) if p]
    no = [s for p, s in zip(positive, score, strict=True) if not p]
    return math.fsum((s > t) + 0.5 * (s == t) for s in yes for t in no) / (len(yes) * len(no))


def kolmogorov_smirnov(positive, score):
    """The largest distance of the true from the false positive rate, over all thresholds."""
    yes = [s for p, s in zip(positive, score, strict=True) if p]
    no = [s for p, s in zip(positive, score, strict=True) if not p]

    def above(rows, at):
        return sum(s >= at for s in rows) / len(rows)

    return max(0.0, *(above(yes, at) - above(no, at) for at in {*score}))
