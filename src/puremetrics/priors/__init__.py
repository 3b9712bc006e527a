"""The class prior, estimated from scores, from features, or from an audit.

Everything is about one number, the share of positives among the unlabeled; the scenario turns it into the
prior of the population. Three statements about it are kept apart. *Certain*: it lies between the share that
is labelled already and ``upper_limit``, whatever the negatives are. *If no negative looks like a
positive*: ``separable``, the largest share that the data allow. *Likely*: ``prior`` and ``interval``, which
allow for as many look-alikes as real data have shown. ``trust`` says how far that goes.

>>> from puremetrics import ScoreTable
>>> table = ScoreTable.from_counts(
...     [3, 2, 1], n_pos=[60, 30, 10], n_unl=[60, 30, 910], scenario="case_control")
>>> print(estimate_prior(table))
The classes are clearly separated, so the prior can be estimated from the scores (estimated AUC 0.951).
Prior: 0.0745, 95% combined interval 0.0288 to 0.1308
  0.1011 if no negative looks like a positive
  at least 0, at most 0.1471 with 95% confidence, whatever the negatives are
  case_control; method 'combined'; likely; allows for negatives that look like positives
"""

from puremetrics.bounds.largest import largest_prior
from puremetrics.priors.audited_labels import LabelAudit, audit_labels
from puremetrics.priors.combining import combine
from puremetrics.priors.derivatives import PriorDerivatives, prior_derivatives
from puremetrics.priors.estimate import METHODS, estimate_prior
from puremetrics.priors.features import estimate_prior_from_features, out_of_fold_scores
from puremetrics.priors.from_audit import prior_from_audit, rows_to_audit
from puremetrics.priors.labelling import (
    LabellingCheck,
    LeastLabelBias,
    check_labelling,
    least_label_bias,
)
from puremetrics.priors.populations import PopulationsCheck
from puremetrics.priors.propensity import (
    PropensityEstimate,
    estimate_propensity,
    prior_from_propensities,
)

__all__ = [
    "METHODS",
    "LabelAudit",
    "LabellingCheck",
    "LeastLabelBias",
    "PopulationsCheck",
    "PriorDerivatives",
    "PropensityEstimate",
    "audit_labels",
    "check_labelling",
    "combine",
    "estimate_prior",
    "estimate_prior_from_features",
    "estimate_propensity",
    "largest_prior",
    "least_label_bias",
    "out_of_fold_scores",
    "prior_derivatives",
    "prior_from_audit",
    "prior_from_propensities",
    "rows_to_audit",
]
