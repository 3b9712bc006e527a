"""What is assumed, stated once: prior, purity, label bias and confidence level of a table."""

from puremetrics.setting.assumed import (
    Assumed,
    PriorLike,
    PurityLike,
    check_before_rows,
    possible_priors,
    purity_range,
)
from puremetrics.setting.requirements import (
    check_bias_alone,
    check_independent,
    check_known_head,
    check_one_weight,
    check_table,
    check_uncut,
    check_unlabeled,
    check_whole,
    independent,
)
from puremetrics.setting.setting import RANDOM, Grouping, LabelBias, Setting
from puremetrics.setting.two_samples import FEW_POSITIVES, Heads, TwoSamples

__all__ = [
    "FEW_POSITIVES",
    "RANDOM",
    "Assumed",
    "Grouping",
    "Heads",
    "LabelBias",
    "PriorLike",
    "PurityLike",
    "Setting",
    "TwoSamples",
    "check_before_rows",
    "check_bias_alone",
    "check_independent",
    "check_known_head",
    "check_one_weight",
    "check_table",
    "check_uncut",
    "check_unlabeled",
    "check_whole",
    "independent",
    "possible_priors",
    "purity_range",
]
