"""The errors that puremetrics raises, and the coded diagnostics that results carry.

Wrong input raises one of the errors below; its message says what was found, why it cannot be, and what to do.
A legitimate but fragile answer is returned, with one or more `Diagnostic`s.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "DIAGNOSTIC_CODES",
    "Diagnostic",
    "InputError",
    "LabelError",
    "MissingDataError",
    "MissingDependencyError",
    "NotIdentifiableError",
    "PriorError",
    "PuremetricsError",
    "ScenarioError",
    "ScoreError",
    "UnsupportedError",
    "WeightError",
]


class PuremetricsError(ValueError):
    """The root of all errors that puremetrics raises on purpose."""


class InputError(PuremetricsError):
    """The input has the wrong type, shape or range."""


class ScoreError(InputError):
    """The scores cannot be ranked: missing, infinite, or not numbers."""


class LabelError(InputError):
    """The labels cannot be read as positive, unlabeled and negative."""


class WeightError(InputError):
    """The weights are negative, infinite, or have no meaning for the estimator."""


class ScenarioError(PuremetricsError):
    """The scenario is missing or unknown, or two tables disagree about it."""


class PriorError(PuremetricsError):
    """The class prior, or the purity of the labels, is impossible for these data."""


class NotIdentifiableError(PriorError):
    """Prior and purity leave nothing to tell positives and negatives apart."""


class UnsupportedError(PuremetricsError):
    """The question has no answer for this kind of table."""


class MissingDataError(PuremetricsError):
    """A data set could not be had: no package index, no folder, or a file that is not the expected one."""


class MissingDependencyError(PuremetricsError, ImportError):
    """An optional dependency is not installed."""


DIAGNOSTIC_CODES: dict[str, str] = {
    "PM101": "a corrected value lies outside its range",
    "PM102": "the whole interval lies outside the range of the quantity",
    "PM103": "the metric is undefined at this threshold",
    "PM105": "few labelled positives",
    "PM106": "known negatives are not used here, or are assumed to be a random sample",
    "PM107": "the sampling variance could not be estimated",
    "PM108": "the interval of the prior was cut to what the data allow",
    "PM109": "part of the range of the purity is impossible",
    "PM110": "hardly any rows of the comparison sample are positive",
    "PM111": "little is known about the curve at small false positive rates",
    "PM112": "rows tied at the end of a top list count in proportion",
    "PM113": "with few presences a Boyce index is biased towards 0",
    "PM114": "the rows have more labels than the prior would suggest",
    "PM115": "an impossible value was moved into its range",
    "PM120": "a few labels with small propensities carry most of the weight",
    "PM121": "estimated propensities were clipped",
    "PM122": "propensities are only weakly identified",
    "PM130": "an audit found few positives",
    "PM131": "the rows of an audit were not checked in order",
    "PM132": "an audit shows that the labels are not a random sample",
    "PM140": "few groups of rows",
    "PM141": "a plan cannot know how alike the rows of a group are",
    "PM150": "few rows were labelled by more than one source",
    "PM151": "nobody looked at some of the rows",
    "PM152": "two kinds of evidence contradict each other",
    "PM301": "bins were merged because scores are tied",
    "PM302": "some bins contain no rows of the population",
    "PM303": "a bin's estimated positive rate lies outside [0, 1]",
    "PM304": "too few rows per bin for the bias bound",
    "PM305": "scores were bucketed, which limits the precision of a calibration error",
    "PM306": "the debiased calibration error came out negative",
    "PM307": "the non-negative correction changed the risk",
    "PM308": "scores of exactly 0 or 1 were moved inwards for the log loss",
    "PM310": "a fitted map reached the limit of a parameter",
    "PM311": "fitted probabilities were clipped to [0, 1]",
    "PM312": "a fitted map is constant and ranks nothing",
    "PM313": "the search for a fitted map stopped before it settled",
    "PM314": "one bin holds most of the labelled positives",
    "PM315": "a calibration error outside its range was clipped",
    "PM316": "scores of exactly 0 or 1 were given a place on the logit scale",
    "PM401": "all rows are tied, so a ranking measure has no interval",
    "PM402": "without unlabeled rows a ranking measure treats the given rows as the population",
    "PM501": "the best choice ignores the scores",
    "PM502": "the best model changes inside the range of the prior",
    "PM503": "the prior exceeds what the ranking allows",
    "PM504": "scores are not probabilities, so calibration was left out",
    "PM505": "many unlabeled rows share one score",
    "PM506": "every row seems to appear several times",
    "PM507": "the scores have only two values, like hard predictions",
    "PM508": "the threshold lies outside the range of the scores",
    "PM509": "the scores look as if the model was trained on these rows",
    "PM510": "labels look biased, or the prior too high: there are too few unlabeled rows where labels are "
    "dense",
    "PM511": "populations contradict random labels, or classes differ between them",
    "PM201": "classes overlap: the prior relies on extrapolation",
    "PM202": "label noise makes the prior unidentifiable",
    "PM203": "labelled scores lie far above the unlabeled ones",
    "PM204": "estimates of the prior disagree",
    "PM205": "the estimated prior lies at the edge of what can be estimated",
    "PM206": "the scores contradict what an estimate of the prior assumes",
    "PM207": "the top of the ranking is not its purest part",
    "PM601": "bin edges were moved to cuts of the scan",
    "PM602": "scores between two cuts of the scan are replaced by their mean",
    "PM603": "the threshold lies among scores that the scan has merged",
    "PM604": "segments differ by more than chance",
    "PM605": "segments without positives, or with too few rows",
    "PM606": "scores were bucketed, and no bracket holds the exact value for certain",
}


@dataclass(frozen=True)
class Diagnostic:
    """A coded remark on a result: what is fragile about it, and what to do.

    Attributes
    ----------
    code : str
        One of `DIAGNOSTIC_CODES`; stable across versions.
    message : str
        What was found and what to do, in plain words.
    """

    code: str
    message: str

    def __post_init__(self) -> None:
        if self.code not in DIAGNOSTIC_CODES:
            raise KeyError(f"{self.code} is not a registered diagnostic code")

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"
