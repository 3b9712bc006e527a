"""A progress bar on standard error, if that is a terminal and rich is there; silence otherwise."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from puremetrics.cli.terminal import screened

__all__ = ["Bar", "bar"]


class Bar:
    """What a long piece of work calls: `step` names it, `update` says how far it is."""

    def step(self, words: str) -> None:
        """Begin a new piece of work of unknown length."""

    def update(self, done: int, total: int | None) -> None:
        """Report how much is done."""


@contextmanager
def bar(*, wanted: bool = True) -> Iterator[Bar]:
    """Show a bar while the block runs; it disappears at the end, whatever happens."""
    if not (wanted and sys.stderr.isatty()):
        yield Bar()
        return
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
        )
    except ImportError:
        yield Bar()
        return
    columns: tuple[Any, ...] = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        yield _RichBar(shown)


class _RichBar(Bar):
    def __init__(self, shown: Any) -> None:
        self._shown = shown
        self._task = shown.add_task("reading", total=None)

    def step(self, words: str) -> None:
        self._shown.remove_task(self._task)
        self._task = self._shown.add_task(screened(words), total=None)

    def update(self, done: int, total: int | None) -> None:
        self._shown.update(self._task, completed=done, total=total)
