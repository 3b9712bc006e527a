"""Inputs with heavy ties, as three groups of scores."""

from typing import NamedTuple

from hypothesis import strategies as st

from puremetrics import ScoreTable


class Groups(NamedTuple):
    pos: list[float]
    unl: list[float]
    neg: list[float]

    def table(self, scenario: str) -> ScoreTable:
        return ScoreTable.from_groups(
            positive=self.pos, unlabeled=self.unl, negative=self.neg, scenario=scenario
        )

    def arrays(self) -> tuple[list[int], list[float]]:
        labels = [1] * len(self.pos) + [0] * len(self.unl) + [-1] * len(self.neg)
        return labels, [*self.pos, *self.unl, *self.neg]


scenarios = st.sampled_from(["case_control", "single_training_set"])
tied_scores = st.integers(-3, 3).map(float)
loose_scores = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 3))
scores = st.one_of(tied_scores, tied_scores, loose_scores)


@st.composite
def groups(draw, max_size=12, negatives=True, unlabeled=True):
    pos = draw(st.lists(scores, min_size=1, max_size=max_size))
    unl = draw(st.lists(scores, min_size=1, max_size=max_size)) if unlabeled else []
    smallest = 0 if unlabeled else 1
    neg = draw(st.lists(scores, min_size=smallest, max_size=max_size)) if negatives else []
    return Groups(pos, unl, neg)


@st.composite
def settings_for(draw, data: Groups, scenario: str):
    """A feasible prior and purity for the data."""
    purity = draw(st.sampled_from([1.0, 0.9, 0.75]))
    if scenario == "case_control":
        prior = draw(st.floats(0.01, 0.7 * purity))
    else:
        total = len(data.pos) + len(data.unl) + len(data.neg)
        low = purity * len(data.pos) / total
        high = min((purity * len(data.pos) + len(data.unl)) / total, 0.99 * purity)
        prior = low + draw(st.floats(0.0, 1.0)) * max(high - low, 0.0)
        if prior >= 0.995 * purity:
            purity = 1.0
    return prior, purity
