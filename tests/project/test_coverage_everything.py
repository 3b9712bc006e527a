"""No interval is left out of the coverage table, and its short version holds."""

import dataclasses
import inspect
import typing

import numpy as np
import pytest

import puremetrics as pm
from tests.programs import load

plan = load("coverage_plan")
page = load("coverage_page")
program = load("simulate_everything")
choices = load("coverage_choices")
LIMITS = ({"low", "high"}, {"lower", "upper"})
FUNCTIONS = sorted(name for name in pm.__all__ if inspect.isfunction(getattr(pm, name)))


def holds_limits(kind, seen=()):
    """Whether a result type holds an interval, or a pair of arrays of limits, at any depth."""
    if kind is pm.Interval:
        return True
    parts = typing.get_args(kind)
    if parts:
        return any(holds_limits(part, seen) for part in parts)
    if not dataclasses.is_dataclass(kind) or kind in seen:
        return False
    hints = typing.get_type_hints(kind)
    if any(pair <= set(hints) for pair in LIMITS):
        return True
    fields = (hints[field.name] for field in dataclasses.fields(kind))
    return any(holds_limits(part, (*seen, kind)) for part in fields)


def test_every_function_that_returns_limits_is_tried():
    tried = {name for section in plan.SECTIONS for name in section.tries}
    assert tried <= set(FUNCTIONS)
    assert not tried & set(plan.WITHOUT)
    for name in FUNCTIONS:
        result = typing.get_type_hints(getattr(pm, name))["return"]
        if holds_limits(result):
            assert name in tried or name in plan.ELSEWHERE, f"nothing tries the limits of {name}"
    assert set(FUNCTIONS) == tried | set(plan.WITHOUT) | set(plan.ELSEWHERE)


QUICK = [section for section in plan.SECTIONS if section.title not in plan.TAKES_LONG]


@pytest.mark.slow
@pytest.mark.parametrize("section", QUICK, ids=lambda section: section.title)
def test_sections_try_what_they_say(section):
    ends = section.settings[0], section.settings[-1]
    shots = [section.trial(setting, np.random.default_rng(1)) for setting in ends]
    made = {label.split(",")[0] for found in shots for label in found}
    assert made <= set(section.tries)
    assert set(section.tries) - made <= {"prior_from_audit"}  # which makes the prior that is used
    every = (shot for found in shots for shot in found.values())
    assert all(np.all(np.asarray(s.low) <= np.asarray(s.high)) for s in every)


def test_audits_cover_exactly():
    covered = choices.audit_coverage(40, None) | {
        f"{label}, finite": value for label, value in choices.audit_coverage(20, 100).items()
    }
    assert covered["prior_from_audit, clopper_pearson"][0] >= 0.95
    assert covered["prior_from_audit, clopper_pearson, finite"][0] >= 0.95
    assert covered["prior_from_audit, jeffreys"][1] == pytest.approx(0.95, abs=0.01)


REPEATS = 150
# Three standard errors below 0.93, on the same samples in every run.
LEAST = 0.93 - 3 * (0.93 * 0.07 / REPEATS) ** 0.5
SHORT = [
    ("Correction, known prior", 1),
    ("Bounds", 2),
    ("Calibration", 0),
    ("Rankings", 9),
]


@pytest.mark.slow
@pytest.mark.parametrize(("title", "place"), SHORT)
def test_intervals_cover(title, place):
    section = next(section for section in plan.SECTIONS if section.title == title)
    cells = program.measure(section, section.settings[place], REPEATS, seed=3)
    setting = str(section.settings[place])
    for label, cell in cells.items():
        if page.reason_of(f"{title}: {label}", setting) is None:
            assert cell.share >= LEAST, f"{label} covers only {cell.share:.3f}"
    if title == "Bounds":  # the harness can see a band that does not hold
        assert cells["rank_cdf_band, bootstrap"].share < 0.85
