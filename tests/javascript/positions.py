"""Positions of the report's sliders, and what the data allow at each of them."""

import math
import os

import numpy as np

import puremetrics as pm
from puremetrics.evaluation.compact import STEEPEST
from puremetrics.evaluation.trusting import trust_of_prior
from puremetrics.exceptions import UnsupportedError
from puremetrics.priors.ratio_methods import largest_share
from puremetrics.priors.samples import Samples
from puremetrics.setting import Setting

# Positions of the sliders in each case besides those at home; eight meet every kind that `positions` knows.
MANY = 14 if os.environ.get("PUREMETRICS_EXPLORE") else 5


def positions(evaluation, content, count, seed):
    """Home first, then both ends of the sliders, then anywhere on them and between their steps."""
    rng, known = np.random.default_rng(seed), evaluation.prior
    home, grid = (known.value, known.purity), content["grid"]
    model = next(iter(evaluation.models.values()))
    yield from [home] * 3  # at three thresholds
    if content["fixed"]:
        return
    for number in range(count):
        typed = number % 3 == 2
        purity = (
            float(rng.uniform(grid["purity"][0], 1)) if typed else float(rng.choice(grid["purity"]))
        )
        if number % 4 == 0:
            purity = known.purity
        low, high = model.setting.design.prior_limits(model.table.totals, purity)
        low, high = max(low, grid["prior"][0]), min(high, STEEPEST * purity, grid["prior"][-1])
        if low > high:
            continue
        inside = [p for p in grid["prior"] if low <= p <= high]
        prior = float(rng.uniform(low, high)) if typed or not inside else float(rng.choice(inside))
        yield {0: low, 1: high}.get(number, prior), purity


def allowed_at(evaluation, content, prior, purity):
    """Largest prior and least purity that the data allow, and what evaluating there would contradict."""
    if content["fixed"]:
        return None
    tables = {name: model.table for name, model in evaluation.models.items()}
    biased = {
        "label_bias": evaluation.label_bias,
        "label_bias_side": evaluation.label_bias_side,
    }
    level = 1 - (1 - evaluation.level) / len(tables)
    try:
        limits = [
            pm.largest_prior(table, purity=purity, confidence_level=level, **biased).prior
            for table in tables.values()
        ]
    except UnsupportedError:
        limits = [math.inf]
    first = next(iter(tables.values()))
    hidden = first.design.unlabeled_share(first.totals, prior, purity)
    alike = min(largest_share(Samples.of(t).swapped(), level) for t in tables.values())
    setting = Setting.of(first, prior, purity, evaluation.level)
    trust = trust_of_prior(
        tables, setting, prior, None, None if limits == [math.inf] else min(limits)
    )
    what = {"a prior": "prior", "a purit": "purity"}
    against = what[trust.reason[:7]] if trust.level == "contradicted" else None
    return {"largest": min(limits), "least": 1 - alike * (1 - hidden), "against": against}


def rows_checked(offered, number, rng):
    """Rows that are checked: as evaluated, both ends, on the slider, and anywhere between its steps."""
    if offered is None:
        return None
    grid = offered["grid"]
    some = {0: offered["home"], 1: grid[0], 2: grid[-1], 3: offered["home"]}
    typed = float(np.round(rng.uniform(grid[0], grid[-1]) ** rng.uniform(0.2, 1), number % 2))
    typed = min(max(typed, grid[0]), grid[-1])
    return some.get(number, typed if number % 2 else float(rng.choice(grid)))
