"""The two ways in which positive-unlabeled data arise: the only module that knows them.

Every correction compares the labelled positives (sample G, of which a share ``purity`` is truly
positive) with a comparison sample F that holds a known share of positives:

=====================  ==============================  =====================  ==================
scenario               F                               share of positives     population counted
=====================  ==============================  =====================  ==================
case_control           the unlabeled rows              prior                  the unlabeled rows
  (no unlabeled rows)  the known negatives             0                      all rows, reweighted
single_training_set    all rows                        prior                  all rows
  (of known rows)      all rows that are not labelled  what the prior leaves  all rows
=====================  ==============================  =====================  ==================

In a single training set the population is the data set, so F holds the labelled rows as well. That
gives the same rates as comparing with the unlabeled at their own, smaller share of positives (both
solve the same two linear equations), and known negatives join without further assumptions.

**A single training set of known rows.** A prior may be the share of positives among the very rows at hand:
because every label is known, or because somebody counted (``prior_of="rows"``). Then so many of the rows that
are not labelled are positive, exactly, and labelled and other rows are two samples. As a share of the
population the prior is then a number that was drawn with the rows, and its binomial error counts
(`Setting.prior_drawn`). A prior of the population has no such error, but says only about how many positives
this sample has.

Conversions, with L, U, N the labelled, unlabeled and negative rows and n their sum:
``prior · n = purity · L + share · U`` in a single training set; ``prior = share`` in case-control.

Whatever differs between the two is a method of `Design`; no other module asks which one it has.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol, cast, get_args

import numpy as np

from puremetrics.checking.arguments import shown
from puremetrics.checking.types import CountArray, FloatArray
from puremetrics.exceptions import ScenarioError

__all__ = [
    "CASE_CONTROL",
    "KNOWN_ROWS",
    "PRIOR_OF",
    "SINGLE_TRAINING_SET",
    "Counted",
    "Design",
    "Scenario",
    "check_scenario",
    "design_of",
]

Scenario = Literal["case_control", "single_training_set"]
_HELP = (
    "Pass scenario='case_control' if the unlabeled rows are a sample of the whole population and the "
    "positives were collected separately (the prior is then the share of positives among the unlabeled). "
    "Pass scenario='single_training_set' if there was one sample and some of its positives got a label (the "
    "prior is then the share of positives among labelled and unlabeled rows together)."
)
PRIOR_OF = ("population", "rows")  # what a prior can be the share of positives of
PerKind = tuple[Any, Any, Any]  # something of the positive, unlabeled and negative rows


class Counted(Protocol):
    """What a design needs to know of a table."""

    @property
    def totals(self) -> tuple[float, float, float]:
        """Numbers of positive, unlabeled and negative rows."""

    @property
    def n_pos(self) -> CountArray:
        """Labelled positives by row."""

    @property
    def n_unl(self) -> CountArray:
        """Unlabeled rows by row."""

    @property
    def n_neg(self) -> CountArray:
        """Known negatives by row."""

    def squared_weights(self) -> tuple[CountArray, CountArray, CountArray]:
        """Sums of squared weights of the three kinds."""


class Design:
    """How the rows were sampled, and all that follows from it."""

    name: Scenario
    one_sample: bool  # whether labelled rows are part of F, and the sizes of the kinds random
    sentence: str
    biased: str  # what a label bias is a ratio of

    def favoured(self, times: str, verb: str = "") -> str:
        """What a label bias of so many times is: of chances in separate samples, of odds in one.

        With ``verb`` "may", what some positives may be.
        """
        raise NotImplementedError

    def preferred(self, ratio: str) -> str:
        """Some positives preferred to others by a ratio, "3 times" or "7%": a clause that follows "if"."""
        raise NotImplementedError

    def preferred_briefly(self, ratio: str) -> str:
        """The same in a few words that follow "at"."""
        raise NotImplementedError

    def compared(self, totals: PerKind) -> tuple[bool, bool, bool]:
        """Which of the three kinds make up the comparison sample F."""
        raise NotImplementedError

    def unused_negatives(self, totals: PerKind) -> float:
        """Known negatives that are no part of any sample that the correction uses."""
        raise NotImplementedError

    def share(self, totals: PerKind, prior: Any, purity: Any = 1.0) -> Any:
        """Share of positives in F, at a prior and a purity."""
        raise NotImplementedError

    def share_slope(self, totals: PerKind) -> float:
        """Derivative of that share by the prior."""
        raise NotImplementedError

    def population_size(self, totals: PerKind) -> float:
        """Number of rows that confusion counts refer to."""
        raise NotImplementedError

    def population(self, totals: PerKind) -> str:
        """Whom the prior is about, in words."""
        raise NotImplementedError

    def prior_of(self, totals: PerKind, share: Any, purity: Any = 1.0) -> Any:
        """Prior of the population from the share of positives among the unlabeled."""
        raise NotImplementedError

    def unlabeled_share(self, totals: PerKind, prior: Any, purity: Any = 1.0) -> Any:
        """Share of positives among the unlabeled; None if there are no unlabeled rows."""
        raise NotImplementedError

    def labelled_share(self, totals: PerKind, prior: Any, purity: Any = 1.0) -> Any:
        """Share of the population's positives that are among the labelled rows."""
        raise NotImplementedError

    def unlabeled_head(self, totals: PerKind, pos: Any, cmp: Any, neg: Any) -> Any:
        """Share of the unlabeled in a head, from those of the labelled, of F and of the known negatives."""
        raise NotImplementedError

    def unlabeled_share_error(self, totals: PerKind, prior: float, purity: float) -> float:
        """Standard error of that share if the prior is known: of the number of labels."""
        raise NotImplementedError

    def labelled_error(self, totals: PerKind, rows: float) -> float:
        """Standard error of the share of labelled rows in the population, if ``rows`` are independent."""
        raise NotImplementedError

    def rows_of_prior(self, totals: PerKind) -> tuple[bool, bool, bool]:
        """Of which of the three kinds the prior is the share of positives, if it is that of rows at hand."""
        raise NotImplementedError

    def prior_limits(self, totals: PerKind, purity: Any = 1.0) -> tuple[Any, Any]:
        """Smallest and largest prior that the counts allow."""
        raise NotImplementedError

    def prior_of_truth(self, totals: PerKind, positives: float, purity: float) -> float | None:
        """Prior at which hidden labels of all rows are weighed; None: their own share."""
        raise NotImplementedError

    def counted(self, pos: Any, unl: Any, neg: Any, latent: Any) -> tuple[Any, Any]:
        """Positive and negative rows of the population among rows with so many latent positives."""
        raise NotImplementedError

    # ------------------------------------------------------------ the same in both

    def comparison_counts(self, table: Counted) -> tuple[CountArray, CountArray]:
        """Counts of the comparison sample F per row of the table, and their squared weights."""
        used = self.compared(table.totals)
        counts = (table.n_pos, table.n_unl, table.n_neg)
        return _added(counts, used), _added(table.squared_weights(), used)

    def comparison_total(self, kinds: PerKind, totals: PerKind) -> float:
        """Rows of F, from those of the three kinds (such as a head of them)."""
        used = self.compared(totals)
        return float(sum([kind for kind, member in zip(kinds, used, strict=True) if member]))


class _CaseControl(Design):
    name: Scenario = "case_control"
    one_sample = False
    biased = "chances"
    sentence = (
        "The unlabeled rows are a sample of the population; the positives were collected separately "
        "(case-control). The prior is the share of positives among the unlabeled rows."
    )

    def favoured(self, times: str, verb: str = "") -> str:
        return f"{'may be' if verb else 'are'} {times} times as likely to be labelled as others"

    def preferred(self, ratio: str) -> str:
        if ratio.endswith("%"):
            return f"some positives were {ratio} more likely to be labelled than others"
        return f"some positives were {ratio} as likely to be labelled as others"

    def preferred_briefly(self, ratio: str) -> str:
        return f"{ratio} higher chances" if ratio.endswith("%") else f"{ratio} the chance"

    def compared(self, totals: PerKind) -> tuple[bool, bool, bool]:
        return (False, True, False) if totals[1] > 0 else (False, False, True)

    def unused_negatives(self, totals: PerKind) -> float:
        return float(totals[2]) if totals[1] > 0 else 0.0

    def share(self, totals: PerKind, prior: Any, purity: Any = 1.0) -> Any:
        return prior if totals[1] > 0 else 0.0 * prior

    def share_slope(self, totals: PerKind) -> float:
        return 1.0 if totals[1] > 0 else 0.0

    def population_size(self, totals: PerKind) -> float:
        return float(totals[1] if totals[1] > 0 else sum(totals))

    def population(self, totals: PerKind) -> str:
        return "the unlabeled rows" if totals[1] > 0 else "all rows"

    def prior_of(self, totals: PerKind, share: Any, purity: Any = 1.0) -> Any:
        return share

    def unlabeled_share(self, totals: PerKind, prior: Any, purity: Any = 1.0) -> Any:
        return prior if totals[1] > 0 else None

    def labelled_share(self, totals: PerKind, prior: Any, purity: Any = 1.0) -> Any:
        return 0.0 * prior

    def unlabeled_head(self, totals: PerKind, pos: Any, cmp: Any, neg: Any) -> Any:
        return cmp

    def unlabeled_share_error(self, totals: PerKind, prior: float, purity: float) -> float:
        return 0.0

    def labelled_error(self, totals: PerKind, rows: float) -> float:
        return 0.0

    def rows_of_prior(self, totals: PerKind) -> tuple[bool, bool, bool]:
        return (False, True, False) if totals[1] > 0 else (True, True, True)

    def prior_limits(self, totals: PerKind, purity: Any = 1.0) -> tuple[Any, Any]:
        return 0.0 * purity, 0.0 * purity + 1.0

    def prior_of_truth(self, totals: PerKind, positives: float, purity: float) -> float | None:
        return (positives - purity * totals[0]) / totals[1] if totals[1] > 0 else None

    def counted(self, pos: Any, unl: Any, neg: Any, latent: Any) -> tuple[Any, Any]:
        return latent + 0.0, unl - latent


class _SingleTrainingSet(Design):
    name: Scenario = "single_training_set"
    one_sample = True
    biased = "odds"
    sentence = (
        "One sample was drawn, and some of its positives got a label (single training set). The prior "
        "is the share of positives among all rows."
    )

    def favoured(self, times: str, verb: str = "") -> str:
        return (
            f"{'may have' if verb else 'have'} {times} times the odds of a label that others have"
        )

    def preferred(self, ratio: str) -> str:
        if ratio.endswith("%"):
            return f"some positives had {ratio} higher odds of a label"
        return f"some positives had {ratio} the odds of a label that others have"

    def preferred_briefly(self, ratio: str) -> str:
        return f"{ratio} higher odds" if ratio.endswith("%") else f"{ratio} the odds"

    def compared(self, totals: PerKind) -> tuple[bool, bool, bool]:
        return (True, True, True)

    def unused_negatives(self, totals: PerKind) -> float:
        return 0.0

    def share(self, totals: PerKind, prior: Any, purity: Any = 1.0) -> Any:
        return prior

    def share_slope(self, totals: PerKind) -> float:
        return 1.0

    def population_size(self, totals: PerKind) -> float:
        return float(sum(totals))

    def population(self, totals: PerKind) -> str:
        return "all rows"

    def prior_of(self, totals: PerKind, share: Any, purity: Any = 1.0) -> Any:
        return (purity * totals[0] + share * totals[1]) / sum(totals)

    def unlabeled_share(self, totals: PerKind, prior: Any, purity: Any = 1.0) -> Any:
        if totals[1] == 0:
            return None
        share = np.clip((prior * sum(totals) - purity * totals[0]) / totals[1], 0.0, 1.0)
        return share if np.ndim(share) else float(share)

    def labelled_share(self, totals: PerKind, prior: Any, purity: Any = 1.0) -> Any:
        positives = np.maximum(prior * sum(totals), purity * totals[0])
        return purity * totals[0] / np.maximum(positives, 1e-300)  # 0 if nothing is positive

    def unlabeled_head(self, totals: PerKind, pos: Any, cmp: Any, neg: Any) -> Any:
        rows = sum(totals) * cmp - totals[0] * pos - totals[2] * neg
        return np.clip(rows / max(totals[1], 1.0), 0.0, 1.0)

    def unlabeled_share_error(self, totals: PerKind, prior: float, purity: float) -> float:
        rows = sum(totals)
        labelled = totals[0] / rows
        error = np.sqrt(labelled * (1 - labelled) / rows) * (purity - prior) / (1 - labelled) ** 2
        return float(error)

    def labelled_error(self, totals: PerKind, rows: float) -> float:
        labelled = totals[0] / sum(totals)
        return float(np.sqrt(labelled * (1 - labelled) / max(rows, 1.0)))

    def rows_of_prior(self, totals: PerKind) -> tuple[bool, bool, bool]:
        return (True, True, True)

    def prior_limits(self, totals: PerKind, purity: Any = 1.0) -> tuple[Any, Any]:
        return self.prior_of(totals, 0.0, purity), self.prior_of(totals, 1.0, purity)

    def prior_of_truth(self, totals: PerKind, positives: float, purity: float) -> float | None:
        return None

    def counted(self, pos: Any, unl: Any, neg: Any, latent: Any) -> tuple[Any, Any]:
        return latent + 0.0 + pos, unl - latent + neg


class _KnownRows(_SingleTrainingSet):
    """A single training set of which it is known how many of the rows at hand are positive."""

    one_sample = False

    def compared(self, totals: PerKind) -> tuple[bool, bool, bool]:
        return (False, True, True)

    def share(self, totals: PerKind, prior: Any, purity: Any = 1.0) -> Any:
        others = totals[1] + totals[2]
        hidden = np.maximum(prior * sum(totals) - purity * totals[0], 0.0)
        share = np.where(totals[1] > 0, hidden / np.maximum(others, 1e-300), 0.0 * prior)
        return share if np.ndim(share) else float(share)

    def share_slope(self, totals: PerKind) -> float:
        return float(sum(totals) / (totals[1] + totals[2])) if totals[1] > 0 else 0.0

    def unlabeled_head(self, totals: PerKind, pos: Any, cmp: Any, neg: Any) -> Any:
        rows = (totals[1] + totals[2]) * cmp - totals[2] * neg
        return np.clip(rows / max(totals[1], 1.0), 0.0, 1.0)

    def unlabeled_share_error(self, totals: PerKind, prior: float, purity: float) -> float:
        return 0.0


CASE_CONTROL: Design = _CaseControl()
SINGLE_TRAINING_SET: Design = _SingleTrainingSet()
KNOWN_ROWS: Design = _KnownRows()
_DESIGNS = {design.name: design for design in (CASE_CONTROL, SINGLE_TRAINING_SET)}


def design_of(scenario: Scenario) -> Design:
    """The design of that name."""
    return _DESIGNS[scenario]


def check_scenario(scenario: object) -> Scenario:
    """Return the scenario, or explain the two there are."""
    if isinstance(scenario, str) and scenario in get_args(Scenario):
        return cast(Scenario, scenario)
    found = "scenario is missing" if scenario is None else f"scenario={shown(scenario)} is unknown"
    raise ScenarioError(f"{found}; it decides what the prior means. {_HELP}")


def _added(columns: PerKind, used: tuple[bool, bool, bool]) -> CountArray:
    members = [column for column, member in zip(columns, used, strict=True) if member]
    return cast(FloatArray, sum(members[1:], start=members[0]))
