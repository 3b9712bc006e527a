"""The class prior, estimated from scores, from features, or from an audit.

Everything is about one number, the share of positives among the unlabeled;
the scenario turns it into the prior of the population. Without further knowledge
only the *largest* share that the data allow can be identified (irreducibility: no part of the
negatives looks exactly like positives), and every result says so in ``status``. ``upper_limit`` is
an upper confidence limit that holds without any assumption on the negatives.

>>> from puremetrics import ScoreTable
>>> table = ScoreTable.from_counts(
...     [3, 2, 1], n_pos=[60, 30, 10], n_unl=[60, 30, 910], scenario="case_control")
>>> print(estimate_prior(table))
Prior: 0.099..., 95 % confidence interval 0.07... to 0.13...
  case_control; method 'combined'; largest share the data allow; the true one may be smaller
  at most 0.1501 with 95 % confidence
"""

from puremetrics.priors.audit import combine, prior_from_audit, rows_to_audit
from puremetrics.priors.derivatives import PriorDerivatives, prior_derivatives
from puremetrics.priors.estimate import METHODS, estimate_prior
from puremetrics.priors.features import estimate_prior_from_features, out_of_fold_scores
from puremetrics.priors.labelling import LabellingCheck, check_labelling
from puremetrics.priors.largest import largest_prior
from puremetrics.priors.sensitivity import PriorSensitivity, prior_sensitivity

__all__ = [
    "METHODS",
    "LabellingCheck",
    "PriorDerivatives",
    "PriorSensitivity",
    "check_labelling",
    "combine",
    "estimate_prior",
    "estimate_prior_from_features",
    "largest_prior",
    "out_of_fold_scores",
    "prior_derivatives",
    "prior_from_audit",
    "prior_sensitivity",
    "rows_to_audit",
]
