"""Evidence about positives beside the scores: kinds of it, and all of them put together."""

from puremetrics.evidence.assumed import (
    KnownNegatives,
    PublishedPrior,
    RandomLabels,
    as_prior_evidence,
)
from puremetrics.evidence.checked import Investigated, Judged, agreement_of
from puremetrics.evidence.joint import Joined, Reached, as_evidence
from puremetrics.evidence.kind import Evidence
from puremetrics.evidence.sources import LabelSources
from puremetrics.evidence.table import EvidenceTable, TableOf, joint_prior

__all__ = [
    "Evidence",
    "EvidenceTable",
    "Investigated",
    "Joined",
    "Judged",
    "KnownNegatives",
    "LabelSources",
    "PublishedPrior",
    "RandomLabels",
    "Reached",
    "TableOf",
    "agreement_of",
    "as_evidence",
    "as_prior_evidence",
    "joint_prior",
]
