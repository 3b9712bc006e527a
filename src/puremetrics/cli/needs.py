"""What a command cannot do without, told with the columns that the file has."""

from __future__ import annotations

import argparse
from contextlib import suppress

from puremetrics.checking.arguments import listed, shown
from puremetrics.cli.arguments import NEEDED
from puremetrics.exceptions import InputError, PuremetricsError

__all__ = ["check_needed"]


def check_needed(options: argparse.Namespace) -> None:
    """Raise for flags that were left out and have no default, all of them in one sentence."""
    given = vars(options)
    lacking = [name for name in NEEDED if name in given and given[name] is None]
    if options.command != "audit":  # only a sheet must have a name
        lacking = [name for name in lacking if name != "output"]
    if lacking:
        told = "; ".join(f"{_flag(name)}, {NEEDED[name]}" for name in lacking)
        action = f" {options.action}" if "action" in options else ""
        raise InputError(f"{options.command}{action} needs {told}.{_columns(options, lacking)}")
    if options.label in options.score:
        raise InputError(
            f"--label and --score both name the column {shown(options.label)}. The labels cannot be the "
            f"scores: name two columns.{_columns(options, ['label'])}"
        )


def _flag(name: str) -> str:
    word = {"label": "COL", "score": "COL", "scenario": "S", "budget": "N", "output": "FILE"}[name]
    return f"{'-o' if name == 'output' else '--' + name} {word}"


def _columns(options: argparse.Namespace, lacking: list[str]) -> str:
    """What columns there are to choose from; nothing if that cannot be told."""
    if not {"label", "score"} & set(lacking) or options.file[0] == "-":
        return ""
    from puremetrics.io.files import column_names, expand

    with suppress(PuremetricsError, OSError):
        first = expand(options.file)[0]
        return f" The columns of {first.name!r} are: {listed(column_names(first))}."
    return ""
