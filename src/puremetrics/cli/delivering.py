"""Where results go: a page for the terminal, JSON, a report, a summary in Markdown."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from puremetrics.cli.terminal import say
from puremetrics.cli.translating import in_commands, translated

if TYPE_CHECKING:
    from puremetrics.evaluation import Evaluation

__all__ = ["deliver", "in_flags", "short_page", "write_report"]

_REMARK = re.compile(r"^\s*PM\d{3}: ")


def write_report(
    target: str | None, result: Evaluation, notes: Sequence[str | None] = (), **options: Any
) -> None:
    """Write the HTML report, if one was asked for; notes are short lines below its title."""
    if target is not None:
        from puremetrics.io.writing import write_text
        from puremetrics.report import render

        write_text(target, render(result, notes=[note for note in notes if note], **options))


def deliver(options: argparse.Namespace, content: dict[str, Any], page: str) -> None:
    """Write the JSON whole or not at all, and print the page unless JSON goes to standard output."""
    if options.json is not None:
        from puremetrics.results import json_ready

        text = json.dumps(json_ready(content), indent=1, allow_nan=False) + "\n"
        if options.json == "-":
            sys.stdout.write(text)
            return
        from puremetrics.io.writing import write_text

        write_text(options.json, text)
    say(in_flags(page))


def in_flags(page: str) -> str:
    """The page with commands for functions, and flags for arguments in its remarks."""
    return "\n".join(
        translated(line) if _REMARK.match(line) else in_commands(line) for line in page.split("\n")
    )


def short_page(result: Evaluation) -> str:
    """The screen of an evaluation in the words of the command line."""
    from puremetrics.evaluation.short_page import short_lines

    return "\n".join(short_lines(result, in_flags, "--verbose"))
