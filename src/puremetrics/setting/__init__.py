"""What is assumed, stated once: prior, purity and confidence level of a table."""

from puremetrics.setting.assumed import Assumed, PriorLike, PurityLike, purity_range
from puremetrics.setting.requirements import (
    check_known_head,
    check_table,
    check_uncut,
    check_unlabeled,
    check_whole,
)
from puremetrics.setting.setting import Setting
from puremetrics.setting.two_samples import FEW_POSITIVES, Heads, TwoSamples

__all__ = [
    "FEW_POSITIVES",
    "Assumed",
    "Heads",
    "PriorLike",
    "PurityLike",
    "Setting",
    "TwoSamples",
    "check_known_head",
    "check_table",
    "check_uncut",
    "check_unlabeled",
    "check_whole",
    "purity_range",
]
