"""CPU time in units of a fixed piece of work, so that a test of speed says the same on any machine.

Seconds on a clock depend on the machine and on what else runs there. The ratio of two CPU times
of one process hardly does.
"""

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np


def cpu_seconds(call: Callable[[], Any]) -> float:
    """CPU seconds that this process spends on a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


@cache
def yard() -> float:
    """CPU seconds of ten million logarithms, the best of three goes: some 0.06 s."""
    numbers = np.random.default_rng(0).random(10**6)
    return min(cpu_seconds(lambda: [np.log(numbers) for _ in range(10)]) for _ in range(3))


def yards(call: Callable[[], Any]) -> float:
    """CPU time of a call in yards."""
    return cpu_seconds(call) / yard()
