"""Files that a command writes, looked at before the work: writable, not the same, and not to be read."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from puremetrics.exceptions import InputError
from puremetrics.io.files import expand
from puremetrics.io.writing import check_target, same_file

__all__ = ["check_targets"]


def check_targets(options: argparse.Namespace) -> None:
    """Refuse at once a target that cannot be written, not after the work is done."""
    given = vars(options)
    if given.get("output") == "-":
        raise InputError("A report goes into a file of its own. Pass its name to -o.")
    if given.get("markdown") == "-":
        raise InputError("A summary goes into a file of its own. Pass its name to --markdown.")
    targets = list(_targets(options))
    for target in targets:
        check_target(target)
    for at, target in enumerate(targets):
        if any(same_file(target, other) for other in targets[:at]):
            raise InputError(
                f"{str(target)!r} is to be written twice, with different content. Name another file."
            )
    if targets:
        for read in _read(options):
            for target in targets:
                if same_file(target, read):
                    raise InputError(
                        f"{str(target)!r} is a file to be read. Name another one to write."
                    )


def _targets(options: argparse.Namespace) -> Iterator[Path]:
    given = vars(options)
    output, numbers = given.get("output"), given.get("json")
    if output is not None:
        yield Path(output)
        if given.get("action") == "plan":
            yield Path(f"{output}.plan.json")
    if numbers not in (None, "-"):
        yield Path(str(numbers))
    if given.get("markdown") is not None:
        yield Path(given["markdown"])


def _read(options: argparse.Namespace) -> Iterator[Path]:
    given = vars(options)
    names = [name for name in given.get("file") or () if name != "-"]
    yield from expand(names) if names else ()
    for name in ("audit", "audit_plan"):
        if given.get(name):
            yield Path(given[name])
    if given.get("audit"):
        yield Path(f"{given['audit']}.plan.json")
