"""From a statistic and a setting to an `Estimate`: the only way to one.

A setting leaves some things open: a range of the prior, labels that may be biased, rows that belong to groups,
scores in buckets. Whatever the statistic is, they are dealt with in this order:

1. groups decide how many independent rows the rows count for;
2. the value is that at the central prior and purity, with labels at random;
3. limits are the lowest and the highest over all worlds that are possible, and reach as far as biased labels
   move them;
4. buckets move limits outwards by as much as the exact value may differ;
5. limits are cut to the range of the statistic, and hold the value.

With an audit the statistic rests on the checked rows instead, and nothing is left open.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from puremetrics.auditing import Audited
from puremetrics.auditing.metrics import told_of
from puremetrics.exceptions import Diagnostic
from puremetrics.results import Estimate
from puremetrics.sampling.list_ranks import widened
from puremetrics.setting import Setting
from puremetrics.statistics.statistic import Statistic

__all__ = ["audited_estimate", "estimate"]


def estimate(statistic: Statistic, setting: Setting) -> Estimate:
    """The statistic in a setting: value, interval, and everything that is assumed."""
    setting = statistic.with_groups(setting)
    here = statistic.centre(setting)
    remarks = [*setting.diagnostics, *here.remarks, *statistic.samples(setting).few_positives()]
    interval = bracket = bias_range = None
    if not np.isnan(here.raw):
        low, high = statistic.limits(setting, here)
        if not setting.bias.is_random:
            bias_range, beyond = statistic.biased(setting, here)
            low, high = min(low, *bias_range, *beyond), max(high, *bias_range, *beyond)
        bracket = statistic.bracket(setting, here)
        ends = widened((min(low, here.raw), max(high, here.raw)), here.raw, bracket)
        interval, more = statistic.cut(setting, here.raw, ends)
        remarks += more
        interval = replace(
            interval, low=min(interval.low, here.value), high=max(interval.high, here.value)
        )
    error = here.standard_error
    return Estimate.of(
        statistic,
        here.value,
        interval,
        setting.told(),
        standard_error=None if error is None else setting.standard_error(error),
        **statistic.place(setting.table),
        method=statistic.method,
        diagnostics=tuple(remarks),
        curve=here.curve,
        bracket=bracket,
        raw=here.raw if here.unrepaired is None else here.unrepaired,
        bias_range=bias_range,
    )


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
        told_of(audited),
        **statistic.place(audited.table),
        method="audit",
        diagnostics=tuple(remarks),
    )
