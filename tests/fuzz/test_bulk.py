"""A few of the files and command lines that ``benchmarks/fuzz_bulk.py`` runs by the thousand."""

import contextlib
import io

import pytest

from tests.fuzz.bulk import run_case, target_case


@pytest.mark.parametrize("kind", ["files", "commands"])
def test_cases_by_number(kind):
    codes = {run_case(kind, seed) for seed in range(1, 26)}
    assert codes == {0, 2}


def test_targets_by_number():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        codes = {target_case(seed) for seed in range(30)}
    assert codes == {2, 4}  # a prior that so few rows contradict
