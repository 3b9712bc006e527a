"""Files and command lines by the thousand: ``python benchmarks/fuzz_bulk.py files --first 1 --count 5000``.

Cases are those of tests/fuzz/bulk.py, each made from its seed. They run in a process of their own, which is
started again after a case that ended it. Prints what broke a promise, with its seed, and a summary.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import traceback
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))


def work(kind: str, first: int, last: int) -> None:
    """Run cases and say how each one went."""
    from tests.fuzz.bulk import run_case

    warnings.simplefilter("error")
    for seed in range(first, last):
        print("start", seed, flush=True)
        try:
            print("code", run_case(kind, seed), flush=True)
        except BaseException as error:
            said = " | ".join(traceback.format_exc().splitlines()[-3:])
            print("broke", seed, type(error).__name__, ascii(said)[:1500], flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=("files", "commands"))
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    last = given.first + given.count
    if given.worker:
        work(given.kind, given.first, last)
        return
    at, codes, broken = given.first, {0: 0, 2: 0}, []
    while at < last:
        command = [
            sys.executable,
            __file__,
            given.kind,
            "--worker",
            "--first",
            str(at),
            "--count",
            str(last - at),
        ]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as worker:
            for line in worker.stdout:
                word, _, rest = line.partition(" ")
                if word == "start":
                    at = int(rest)
                elif word == "code":
                    codes[int(rest)] = codes.get(int(rest), 0) + 1
                elif word == "broke":
                    broken.append(line)
                    print(line, end="", flush=True)
        if worker.returncode:
            broken.append(f"seed {at} ended the process with {worker.returncode}\n")
            print(broken[-1], end="", flush=True)
        at += 1
    print(
        f"{given.count} {given.kind}, seeds {given.first} to {last - 1}: {codes}, {len(broken)} broke a promise"
    )


if __name__ == "__main__":
    main()
