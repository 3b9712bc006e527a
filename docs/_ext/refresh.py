"""Write what examples really print into their pages: ``python docs/_ext/refresh.py docs/tour.md …``.

For after a deliberate change of results. Read the difference before you keep it: the build checks that
pages say what the code does, not that it should.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import examples


def refreshed(text: str) -> str:
    """The page with the outputs of its ``pycon`` and ``console`` fences as they come out now."""
    space: dict[str, Any] = {"__name__": "__page__"}

    def fence(found: re.Match[str]) -> str:
        kind, need, source = found.groups()
        if need is not None and not examples.available(need):
            return found[0]
        if kind == "python":
            failed = examples.run_python(source, space, "page", 1)
            if failed:
                raise RuntimeError(failed[0])
            return found[0]
        body = _pycon(source, space) if kind == "pycon" else _console(source)
        return f"```{kind}{f' needs={need}' if need else ''}\n{body}\n```"

    with examples.workshop(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return examples.FENCE.sub(fence, text)


def _pycon(source: str, space: dict[str, Any]) -> str:
    lines = []
    for example in doctest.DocTestParser().get_examples(source):
        first, *more = example.source.rstrip("\n").split("\n")
        lines += [f">>> {first}", *(f"... {line}".rstrip() for line in more)]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            if example.exc_msg is None:
                exec(compile(example.source, "page", "single"), space)
            else:
                out.write(example.want)
        lines += _kept(example.want, out.getvalue())
    return "\n".join(lines)


def _console(source: str) -> str:
    lines = []
    for command, wanted in examples.commands(source):
        printed, _ = examples.run_command(command)
        lines += [f"$ {command}", *_kept(wanted, printed)]
    return "\n".join(lines)


def _kept(wanted: str, printed: str) -> list[str]:
    """What the page says if that is right (it may leave parts out by ``...``), else what was printed."""
    said = wanted if examples.agrees(wanted, printed) else printed
    return [said.rstrip("\n")] if said.strip() else []


if __name__ == "__main__":
    for name in sys.argv[1:]:
        page = Path(name).resolve()
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")
