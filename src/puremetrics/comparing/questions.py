"""What a conclusion rests on: a statistic of one model against a number, or one model against another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from puremetrics.comparing.biased import linear_values
from puremetrics.comparing.compared import Compared
from puremetrics.comparing.comparison import difference_ends
from puremetrics.correction.areas import raw_area
from puremetrics.correction.biased import BiasedHeads
from puremetrics.correction.biased_area import area_end, biased_area_limit, direct_area
from puremetrics.correction.curves import area_of, roc_curve_of
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.formulas import SMALLER_IS_BETTER
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Estimate
from puremetrics.scenarios import Scenario
from puremetrics.setting import LabelBias, Setting
from puremetrics.tables.joint import JointTable

__all__ = ["LOSSES", "Question", "about_model", "about_pair"]

LOSSES = ("brier_score", "log_loss", "calibration_error")


class Question:
    """A conclusion: what must stay above 0, as estimated and at its lower limit, at each Γ."""

    @property
    def statistic(self) -> str:
        """Name of the statistic."""
        raise NotImplementedError

    @property
    def scenario(self) -> Scenario:
        """How the data arose."""
        raise NotImplementedError

    @property
    def subject(self) -> str:
        """What is concluded about."""
        raise NotImplementedError

    @property
    def relation(self) -> str:
        """What is concluded: "above 0.8"."""
        raise NotImplementedError

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Remarks about the assumptions."""
        raise NotImplementedError

    def value(self) -> float:
        """The statistic at random labels."""
        raise NotImplementedError

    def margin(self, ratio: float) -> float:
        """How far the worse end of the range is on the right side."""
        raise NotImplementedError

    def sure_margin(self, ratio: float) -> float:
        """The same of the worse limit of the interval."""
        raise NotImplementedError

    def guess(self) -> float | None:
        """The tipping point by a formula, where there is one."""
        return None

    @property
    def deviation(self) -> float:
        """How far the margin may be off by computation."""
        return 1e-10


def about_model(setting: Setting, measured: Compared, target: float, below: bool) -> Question:
    """Whether a statistic is above a number, or below it."""
    plain = measured.name == "roc_auc" and setting.ranked.hidden is None  # no buckets to allow for
    return (_Area if plain else _Single)(setting, measured, target, below)


def about_pair(
    joint: JointTable, measured: Compared, points: dict[str, Setting], names: tuple[str, str]
) -> Question:
    """Whether the first model is better than the second."""
    return _Pair(joint, measured, points, names)


@dataclass(frozen=True)
class _Single(Question):
    """A statistic of one model above or below a number."""

    setting: Setting
    measured: Compared
    target: float
    below: bool

    @property
    def statistic(self) -> str:
        return self.measured.name

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return self.setting.diagnostics

    @property
    def scenario(self) -> Scenario:
        return self.setting.scenario

    @property
    def subject(self) -> str:
        return self.measured.estimate(self.setting).title

    @property
    def relation(self) -> str:
        return f"{'below' if self.below else 'above'} {self.target:g}"

    def value(self) -> float:
        return self.measured.estimate(self.setting).value

    def _at(self, ratio: float) -> Setting:
        return self.setting.with_bias(LabelBias(ratio, self.setting.bias.side))

    def _signed(self, ends: Any) -> float:
        return float(self.target - max(ends) if self.below else min(ends) - self.target)

    def margin(self, ratio: float) -> float:
        found = self.measured.estimate(self._at(ratio))
        return self._signed((found.value, *(found.bias_range or ())))

    def sure_margin(self, ratio: float) -> float:
        interval = self.measured.estimate(self._at(ratio)).interval
        return -np.inf if interval is None else self._signed(tuple(interval))


class _Area(_Single):
    """The ROC area, without the parts of an estimate that a search does not need."""

    @property
    def subject(self) -> str:
        return self._plain.title

    def value(self) -> float:
        return self._plain.value

    @cached_property
    def _plain(self) -> Estimate:
        return self.measured.estimate(self._at(1.0))

    @property
    def _side(self) -> str:
        return "high" if self.below else "low"

    @cached_property
    def _blocks(self) -> tuple[Setting, float, float]:
        """The setting on blocks, and how much the area and the uncorrected area differ there."""
        blocks = self.setting.on_blocks()
        if blocks is self.setting:
            return blocks, 0.0, 0.0
        moved = self.value() - area_of(roc_curve_of, blocks, "indirect")
        return blocks, moved, raw_area(self.setting.samples) - raw_area(blocks.samples)

    @property
    def deviation(self) -> float:
        return 1e-10 if self._blocks[0] is self.setting else 1e-6

    def margin(self, ratio: float) -> float:
        value = self.value()
        if ratio == 1.0:
            return self._signed((value,))
        blocks, moved, _ = self._blocks
        biased = blocks.with_bias(LabelBias(ratio, blocks.bias.side))
        found = BiasedHeads(biased, by_score=blocks is self.setting)
        return self._signed((value, area_end(found, "indirect", self._side) + moved))

    def sure_margin(self, ratio: float) -> float:
        if ratio == 1.0:
            interval = self._plain.interval
            assert interval is not None
            return self._signed(tuple(interval))
        blocks, _, moved = self._blocks
        points = blocks.with_bias(LabelBias(ratio, blocks.bias.side)).extremes()
        ends = [direct_area(biased_area_limit(p, self._side) + moved, p.gap) for p in points]
        return self._signed(ends)

    def guess(self) -> float | None:
        found = BiasedHeads(self._at(2.0))
        if self.setting.purity < 1 or found.part <= 0:
            return None
        share, placed = np.diff(found.found), found.placements
        prior = self.setting.share
        a = (1 - prior) * self.target + prior / 2
        a = (a - (1 - found.part) * weighted_sum(share, placed)) / found.part
        up, down = _parts(share, placed - a)
        up, down = (down, up) if self.below else (up, down)
        return up / down if down > 0 else np.inf


@dataclass(frozen=True)
class _Pair(Question):
    """One model better than another."""

    joint: JointTable
    measured: Compared
    points: dict[str, Setting]
    names: tuple[str, str]

    @property
    def statistic(self) -> str:
        return self.measured.name

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return self.points[self.names[0]].diagnostics

    @property
    def scenario(self) -> Scenario:
        return self.points[self.names[0]].scenario

    @property
    def subject(self) -> str:
        title = self.measured.estimate(self.points[self.names[0]]).title
        return f"{title} of {self.names[0]}"

    @property
    def relation(self) -> str:
        return f"{'above' if self._sign > 0 else 'below'} that of {self.names[1]}"

    @property
    def _sign(self) -> float:
        return -1.0 if self.measured.name in (*SMALLER_IS_BETTER, *LOSSES) else 1.0

    def value(self) -> float:
        first, second = (self.measured.plain(self.points[name]) for name in self.names)
        return first - second

    def _ends(self, ratio: float) -> tuple[tuple[float, float], tuple[float, float]]:
        points = {
            name: point.with_bias(LabelBias(ratio, point.bias.side))
            for name, point in self.points.items()
        }
        return difference_ends(self.joint, points, self.measured, self.names)

    def margin(self, ratio: float) -> float:
        return min(self._sign * end for end in self._ends(ratio)[0])

    def sure_margin(self, ratio: float) -> float:
        return min(self._sign * end for end in self._ends(ratio)[1])

    def guess(self) -> float | None:
        if not self.measured.linear:
            return None
        values, share = linear_values(self.joint, self.measured, self.points, self.names)
        setting = self.points[self.names[0]].with_bias(LabelBias(2.0))
        weight = BiasedHeads(setting).weight
        if setting.purity < 1 or weight <= 0:
            return None
        values = self._sign * values
        target = weighted_sum(share, values) - self._sign * self.value() / weight
        up, down = _parts(share, values - target)
        return up / down if down > 0 else np.inf


def _parts(share: Any, apart: Any) -> tuple[float, float]:
    """Sums of what is above and of what is below 0."""
    return weighted_sum(share, np.maximum(apart, 0.0)), weighted_sum(share, np.maximum(-apart, 0.0))
