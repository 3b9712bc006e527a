"""Write the results that `test_regression` compares with: `python -m tests.regression.record`.

Run it only after a change of numbers that is meant, and say in the changelog which and why.
"""

import gzip
import json
from pathlib import Path
from typing import Any

from tests.regression.calls import calls, joint_calls, outcome
from tests.regression.tables import joint, tables

FILE = Path(__file__).with_name("results.json.gz")
JOINTS = 12


def results() -> dict[str, dict[str, Any]]:
    """The outcome of every call on every table."""
    found = {
        name: {key: outcome(call) for key, call in calls(table, prior).items()}
        for name, table, prior in tables()
    }
    for number in range(JOINTS):
        made, prior = joint(number)
        found[f"joint {number}"] = {
            key: outcome(call) for key, call in joint_calls(made, prior).items()
        }
    return found


if __name__ == "__main__":
    text = json.dumps(results(), separators=(",", ":"))
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{FILE.name}: {FILE.stat().st_size} bytes")
