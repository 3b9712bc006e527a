"""Bounds on contingency tables, curves and metrics that hold whichever unlabeled rows are positive.

Claesen, Davis, De Smet, De Moor (2015). Renamed: the paper's β is the share of positives among the unlabeled.
P_L, N_L and U are the labelled positives, known negatives and unlabeled rows; m = |P_U| is the number of
latent positives. In the paper it is known, share · |U| rounded to a whole number; here it may also be random,
or the prior a range, and bounds are extremes over all m that are possible (both in `bounds.contingency`).

At a threshold whose head holds h_U unlabeled rows, a band (see `bounds.bands`) says that between θ_low and
θ_high of the m latent positives are in it. Eq. (11) with its corner cases is

    x = clip(θ, m − |tail(U)|, min(h_U, m)),

and Eqs. (4), (5), (12) give the table from x, which every entry is linear in. The upper bound takes θ_high:
more true positives, fewer false ones; the lower bound takes θ_low. What is counted follows the scenario: all
rows in a single training set (the paper's tables), the unlabeled rows in case-control.

Known negatives (Section 4.1) are counted where they are. Appendix C reversed, ``basis="negatives"``: latent
negatives follow the rank distribution of the known ones; y of them in the tail leave x = h_U − (|U| − m) + y
latent positives in the head. ``basis="tightest"`` asks both and takes the answer that is closer: of an area
or a curve as a whole, of a table or a metric at each threshold.

The paper takes labels as given at random. ``label_bias`` says how far they may be from that (see
`bounds.latent_limits`).

Errata: Eqs. (15) and (20) lack a factor 1/|U|, see `priors.derivatives`. A band on the population's rank
distribution is not one for the latent positives, see `bounds.bands`.
"""

from puremetrics.bounds.areas import average_precision_bounds, roc_auc_bounds
from puremetrics.bounds.bands import Band, rank_cdf_band
from puremetrics.bounds.curves import pr_bounds, roc_bounds
from puremetrics.bounds.metrics import confusion_bounds, metric_bounds, metric_curve_bounds

__all__ = [
    "Band",
    "average_precision_bounds",
    "confusion_bounds",
    "metric_bounds",
    "metric_curve_bounds",
    "pr_bounds",
    "rank_cdf_band",
    "roc_auc_bounds",
    "roc_bounds",
]
