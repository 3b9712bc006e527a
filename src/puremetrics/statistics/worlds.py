"""From a statistic and a setting to an `Estimate`.

A setting leaves some things open: a range of the prior, labels that may be biased, rows that belong to
groups, scores in buckets. Whatever the statistic is, they are dealt with in this order:

1. groups decide how many independent rows the rows count for;
2. the value is that at the central prior and purity, with labels at random;
3. limits are the lowest and the highest over all worlds that are possible; a prior that was drawn with the
   rows has an error of its own, independent of theirs, and the squares of both reaches add up; they reach
   as far as biased labels move them;
4. buckets move limits outwards by as much as the exact value may differ;
5. limits are cut to the range of the statistic, and hold the value.

With an audit the statistic rests on the checked rows instead, and nothing is left open. With several kinds of
evidence it is that of the positives which they give together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from puremetrics.auditing import Audited
from puremetrics.auditing.metrics import assumptions_of_audit
from puremetrics.correction.biased import bias_interval
from puremetrics.evidence import Joined, TableOf
from puremetrics.exceptions import Diagnostic
from puremetrics.results import Estimate, Interval
from puremetrics.sampling.bounded import combined_limits
from puremetrics.sampling.clustered import group_variance, with_prior_effect
from puremetrics.sampling.list_ranks import widen_limits
from puremetrics.setting import LabelBias, Setting
from puremetrics.statistics.statistic import Centre, Limits, Statistic

__all__ = [
    "Reach",
    "audited_estimate",
    "estimate",
    "joined_estimate",
    "reach_of",
    "reaches_over",
    "slope_by_prior",
    "with_prior_error",
]


def estimate(statistic: Statistic, setting: Setting) -> Estimate:
    """The statistic in a setting: value, interval, and everything that is assumed."""
    setting = _with_groups(statistic, setting)
    here = statistic.centre(setting)
    remarks = [*setting.diagnostics, *here.remarks, *statistic.samples(setting).few_positives()]
    found = Reach()
    if not np.isnan(here.raw):
        found = reach_of(statistic, setting, here)
    error = here.standard_error
    if error is not None and setting.prior_drawn:
        by_prior = slope_by_prior(statistic, setting) * setting.prior_error
        error = float(np.hypot(error, by_prior))
    return Estimate.of(
        statistic,
        here.value,
        found.interval,
        setting.told(),
        **statistic.place(setting.table),
        standard_error=None if error is None else setting.standard_error(error),
        method=statistic.method,
        diagnostics=(*remarks, *found.remarks, *_moved(statistic, here, found)),
        curve=here.curve,
        bracket=found.bracket,
        raw=_came_out(here),
        bias_range=found.bias_range,
    )


def reaches_over(
    statistic: Statistic, setting: Setting, biases: Sequence[LabelBias]
) -> list[Reach]:
    """How far the statistic may be off at several label biases, around one centre.

    Each bias holds what smaller ones leave open, and the centre keeps what was found of those.
    """
    setting = _with_groups(statistic, setting)
    here = statistic.centre(setting)
    return [reach_of(statistic, setting.with_bias(bias), here) for bias in biases]


def _with_groups(statistic: Statistic, setting: Setting) -> Setting:
    """The setting with groups of rows allowed for, in the rates of both classes and in a drawn prior."""
    setting = statistic.with_groups(setting)
    clusters = setting.table.clusters
    if not setting.prior_drawn or clusters is None or clusters.alone:
        return setting
    samples, influence = statistic.samples(setting), statistic.influence(setting)
    sums = group_variance(samples, *influence).sums
    return with_prior_effect(setting, sums, slope_by_prior(statistic, setting))


def _came_out(here: Centre) -> float:
    """What the formula gave, before any repair."""
    return here.raw if here.unrepaired is None else here.unrepaired


def _moved(statistic: Statistic, here: Centre, found: Reach) -> list[Diagnostic]:
    """PM115 if what came out is impossible, or comes from impossible rates, and was moved."""
    came_out = _came_out(here)
    if {"PM101", "PM102"} & {remark.code for remark in (*here.remarks, *found.remarks)}:
        return []
    if np.isnan(came_out) or np.isnan(here.value):
        return []
    why = None
    if not statistic.low - _SLACK <= came_out <= statistic.high + _SLACK:
        why = "which is impossible, and is reported as {}. That is within sampling error."
    elif statistic.of_rates and abs(came_out - here.value) > _SLACK:
        why = (
            "from a rate below 0 or above 1, and is reported as {}, with that rate moved into range. That "
            "happens with few rows."
        )
    if why is None:
        return []
    told = f"{statistic.name} came out at {came_out:.4g}, {why.format(f'{here.value:.4g}')}"
    return [Diagnostic("PM115", told)]


_SLACK = 1e-9


class Reach(NamedTuple):
    """How far a statistic may be from its value, and what is remarkable about that."""

    interval: Interval | None = None
    bias_range: Interval | None = None
    bracket: Interval | None = None
    remarks: tuple[Diagnostic, ...] = ()


def reach_of(statistic: Statistic, setting: Setting, here: Centre) -> Reach:
    """The interval around a centre: all worlds, biased labels, buckets, and the range of the statistic."""
    bracket = statistic.bracket(setting, here)

    def cut(low: float, high: float) -> tuple[Interval, list[Diagnostic]]:
        around = widen_limits((min(low, here.raw), max(high, here.raw)), here.raw, bracket)
        return statistic.cut(setting, here.raw, around)

    limits = with_prior_error(statistic, setting, here, statistic.limits(setting, here))
    limits = _around_both(statistic, here, limits)
    interval, remarks = cut(*limits)
    ends, open_ = [here.value, *interval], None
    if not setting.bias.is_random:
        open_, beyond = _with_bias(statistic, setting, here, limits)
        ends += [statistic.inside(end) for end in widen_limits(beyond, here.raw, bracket)]
        remarks = cut(*beyond)[1]
    low, high = min(ends), max(ends)
    if (low, high) != (interval.low, interval.high):
        interval = replace(interval, low=low, high=high)
    return Reach(interval, open_, bracket, tuple(remarks))


def _with_bias(
    statistic: Statistic, setting: Setting, here: Centre, limits: Limits
) -> tuple[Interval, Limits]:
    """What biased labels leave open, and limits beyond it; those of a smaller bias lie inside."""

    def opened(bias: LabelBias) -> tuple[Interval, Limits]:
        if bias not in here.biased:
            biased = setting.with_bias(bias)
            found = statistic.bias_range(biased, here)
            beyond = (*found, *statistic.bias_limits(biased, here, found), here.raw)
            here.biased[bias] = found, (min(beyond), max(beyond))
        return here.biased[bias]

    bias = setting.bias
    at = {step: opened(step) for step in bias.steps}
    ranges = [
        at[one][0] if one in at else statistic.bias_range(setting, here) for one in bias.smaller()
    ]
    open_ = bias_interval([end for found in ranges for end in found])
    random = min(limits[0], here.raw), max(limits[1], here.raw)
    low, high = bias.between([random, *(ends for _, ends in at.values())])
    return open_, (min(low, open_.low), max(high, open_.high))


def _around_both(statistic: Statistic, here: Centre, limits: Limits) -> Limits:
    """Limits that hold a repaired value with its own reach, where the repair moved it beyond them."""
    came_out, (low, high) = _came_out(here), limits
    # Moved down, it needs room below; moved up, above.
    held = low < here.value <= high if came_out > here.value else low <= here.value < high
    impossible = limits[0] >= statistic.high or limits[1] <= statistic.low
    if held or impossible or not np.isfinite(came_out) or here.value == came_out:
        return limits
    below, above = max(came_out - limits[0], 0.0), max(limits[1] - came_out, 0.0)
    return min(limits[0], here.value - below), max(limits[1], here.value + above)


def with_prior_error(
    statistic: Statistic, setting: Setting, here: Centre, limits: Limits
) -> Limits:
    """Limits that allow for a prior which is the share of positives among rows that were drawn.

    Given how many rows of each class there are, the rates of both classes do not depend on it: the two
    reaches are independent.
    """
    if not setting.prior_drawn:
        return limits
    moved = [statistic.value(world) for world in setting.other_populations()]
    moved = [end for end in moved if not np.isnan(end)]
    below = max([here.value - end for end in moved], default=0.0)
    above = max([end - here.value for end in moved], default=0.0)
    low, high = combined_limits(here.raw, limits, below, above)
    return float(low), float(high)


def slope_by_prior(statistic: Statistic, setting: Setting) -> float:
    """What the statistic gains as the share of positives in the population rises, rates as they are."""
    worlds = setting.other_populations()
    first, second = (statistic.difference_value(world) for world in worlds)
    slope = (second - first) / (worlds[1].prior - worlds[0].prior)
    return float(slope) if np.isfinite(slope) else 0.0


def audited_estimate(statistic: Statistic, audited: Audited) -> Estimate:
    """The statistic from checked rows: no prior, and no assumption about the labels."""
    statistic.check(audited.table)
    found = statistic.audited(audited)
    remarks, interval, value = list(audited.diagnostics), None, np.nan
    if found is None or np.isnan(found.value):
        remarks.append(
            Diagnostic(
                "PM103",
                f"{statistic.name} is undefined with the positives that the audit found. Check more rows"
                f"{'' if statistic.threshold is None else ', or choose another threshold'}.",
            )
        )
    else:
        value = statistic.inside(found.value)
        low, high = statistic.inside(found.low), statistic.inside(found.high)
        interval = audited.interval(min(low, value), max(high, value))
    return Estimate.of(
        statistic,
        value,
        interval,
        assumptions_of_audit(audited),
        **statistic.place(audited.table),
        method="audit",
        diagnostics=tuple(remarks),
    )


def joined_estimate(statistic: Statistic, joined: Joined) -> Estimate:
    """The statistic from all evidence about the positives."""
    statistic.check(joined.table)
    found = joined.told(statistic)
    remarks = list(joined.diagnostics)
    interval, value = None, found.value
    if np.isnan(found.low):
        remarks.append(
            Diagnostic(
                "PM103",
                f"{statistic.name} is undefined with the positives that the evidence gives. Choose another "
                "threshold.",
            )
        )
    else:
        value = statistic.inside(value) if not np.isnan(value) else value
        interval = Interval(
            statistic.inside(found.low), statistic.inside(found.high), joined.level, joined.kind,
            "evidence",
        )  # fmt: skip
    return Estimate.of(
        statistic,
        value,
        interval,
        joined.assumptions(),
        **statistic.place(joined.table),
        method="evidence",
        diagnostics=tuple(remarks),
        make_evidence=TableOf(joined, statistic),
    )
