"""Every public function against hostile arguments.

`make test` tries a few hundred; ``PUREMETRICS_FUZZ=2000 pytest tests/fuzz`` tries 2,000 per function.
"""

import inspect
import os

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

import puremetrics as pm
from tests.fuzz.calls import CALLS, ERRORS, LEFT_OUT, RESULTS
from tests.fuzz.checks import hold_up

EXAMPLES = int(os.environ.get("PUREMETRICS_FUZZ", "10"))
SLOW = {"evaluate", "evaluate.audit", "plan_audit", "audit_labels", "follow_audit",
        "choose_threshold", "estimate_prior", "prior_sensitivity", "best_by_prior",
        "estimate_prior_from_features", "out_of_fold_scores", "compare"}  # fmt: skip
quick = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
)


def test_every_public_name_has_a_strategy():
    covered = {name.split(".")[0] for name in CALLS} - {"sklearn"} | RESULTS | ERRORS
    missing = sorted(set(pm.__all__) - covered)
    assert not missing, f"say in tests/fuzz/calls.py how to draw the arguments of {missing}"
    assert not covered - set(pm.__all__), "a name in tests/fuzz/calls.py is gone"


def test_every_parameter_is_drawn():
    missing = [
        f"{parameter!r} of {name}"
        for name, (_, drawn) in CALLS.items()
        if inspect.isfunction(getattr(pm, name, None))
        for parameter in inspect.signature(getattr(pm, name)).parameters
        if parameter not in drawn
        and (name, parameter) not in LEFT_OUT
        and not (parameter == "y" and "positives" in drawn)
    ]
    assert not missing, f"say in tests/fuzz/calls.py how to draw {missing}"


def fuzz(name, examples=EXAMPLES):
    """A hypothesis test of one entry; also the harness of benchmarks/fuzz.py."""
    call, strategies = CALLS[name]

    @settings(quick, max_examples=examples)
    @given(st.fixed_dictionaries(strategies))
    def attack(arguments):
        note(f"{name}({arguments})")
        hold_up(call, arguments)

    return attack


@pytest.mark.parametrize("name", sorted(CALLS))
def test_an_answer_or_a_sentence(name):
    share = 10 if "features" in name or "out_of_fold" in name else 3 if name in SLOW else 1
    share = (
        5 if name.endswith(".evidence") else share
    )  # a joint fit for each kind, and for all but one
    fuzz(name, max(EXAMPLES // share, 1))()
