"""Every example runs when the site is built; a wrong output is a warning, which ``-W`` turns into failure.

Pages that programs wrote hold what those programs did and are not run again. The fences of any other page
share one namespace and one empty folder (with the demo data as ``demo.csv``), in their order:

- ``pycon``: ``>>>`` examples whose output is compared (``...`` stands for anything);
- ``python``: code that must run;
- ``console``: lines after ``$ `` are commands of ``puremetrics``, whose output is compared likewise.

A fence such as ``python needs=spark`` runs where Spark is (pyspark and Java; else the module of that
name), or where PUREMETRICS_REQUIRE names it. Other fences (``sh``, ``text``, ``json`` …) are not run.
Docstrings of the package run as doctests, too. ``sphinx-build -D run_examples=0`` leaves all of that out, for
a quick look at the layout, ``-D run_docstrings=0`` docstrings alone.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import pkgutil
import re
import shlex
import shutil
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from site_pages import pages_of_programs
from sphinx.application import Sphinx
from sphinx.util import logging

import puremetrics

_log = logging.getLogger(__name__)
FENCE = re.compile(
    r"^```(pycon|python|console)(?: needs=(\w+))?\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL
)
_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
# Need software that the machine which builds the site may not have: run by their own tests.
_NOT_HERE = ("puremetrics.io.spark",)


@dataclass(frozen=True)
class Failure:
    """One example that did not do what the page says."""

    page: str
    line: int
    text: str


def check_page(page: Path) -> list[Failure]:
    """Run all fences of a page."""
    text = page.read_text(encoding="utf-8")
    failures: list[Failure] = []
    space: dict[str, Any] = {"__name__": "__page__"}
    with workshop():
        for fence in FENCE.finditer(text):
            kind, need, source = fence.groups()
            if need is not None and not available(need):
                continue
            line = text.count("\n", 0, fence.start(3)) + 1
            with warnings.catch_warnings():
                if need is not None:
                    warnings.simplefilter("ignore")  # of software that is not ours
                for said in _RUN[kind](source, space, page.name, line):
                    failures.append(Failure(str(page), line, said))
    return failures


def available(need: str) -> bool:
    """Whether fences with this need can run here; ``PUREMETRICS_REQUIRE`` says that they must."""
    if need in os.environ.get("PUREMETRICS_REQUIRE", ""):
        return True
    if need == "spark":
        return bool(find_spec("pyspark") and shutil.which("java"))
    return bool(find_spec(need))


def check_docstrings() -> list[Failure]:
    """Run the doctests of every module of the package."""
    failures = []
    for found in pkgutil.walk_packages(puremetrics.__path__, "puremetrics."):
        if found.name.startswith(_NOT_HERE) or found.name.endswith("__main__"):
            continue
        module = import_module(found.name)
        finder = doctest.DocTestFinder(exclude_empty=True)
        with workshop():
            for test in finder.find(module):
                for said in _doctest(test):
                    failures.append(Failure(found.name, test.lineno or 0, said))
    return failures


def _pycon(source: str, space: dict[str, Any], name: str, line: int) -> list[str]:
    test = doctest.DocTestParser().get_doctest(source, space, name, name, line)
    test.globs = space  # get_doctest copies; later fences see what earlier ones defined
    return _doctest(test)


def _doctest(test: doctest.DocTest) -> list[str]:
    said = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=_FLAGS, verbose=False)
    result = runner.run(test, out=said.write, clear_globs=False)
    return [said.getvalue()] if result.failed else []


def run_python(source: str, space: dict[str, Any], name: str, line: int) -> list[str]:
    """Run code; return what went wrong."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile("\n" * (line - 1) + source, name, "exec"), space)
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
    finally:
        _close_figures()
    return []


def _console(source: str, _space: dict[str, Any], _name: str, _line: int) -> list[str]:
    failures = []
    for command, wanted in commands(source):
        printed, code = run_command(command)
        if code:
            failures.append(f"`{command}` ended with {code}:\n{printed}")
        elif not agrees(wanted, printed):
            failures.append(f"`{command}` printed\n{printed}")
    return failures


def commands(source: str) -> Iterator[tuple[str, str]]:
    """Commands, which a backslash at the end of a line continues, with what they print."""
    for part in re.split(r"^\$ ", source, flags=re.MULTILINE)[1:]:
        lines = part.split("\n")
        last = next(i for i, line in enumerate(lines) if not line.endswith("\\"))
        yield "\n".join(lines[: last + 1]), "\n".join(lines[last + 1 :])


def run_command(command: str) -> tuple[str, int]:
    """What a command of puremetrics prints, and its exit code."""
    words = shlex.split(command.replace("\\\n", " "))
    if words[0] != "puremetrics":
        return "only commands of puremetrics are run; use a `sh` fence\n", 1
    from puremetrics.cli import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            code = main(words[1:])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        except Exception as error:  # a defect, which the page's check reports like any other
            return f"{out.getvalue()}{type(error).__name__}: {error}\n", 1
    return out.getvalue(), int(code or 0)


def agrees(wanted: str, printed: str) -> bool:
    """Whether an output is the one on the page, whose ``...`` stands for anything."""
    return doctest.OutputChecker().check_output(wanted, printed, _FLAGS)


_RUN = {"pycon": _pycon, "python": run_python, "console": _console}


@contextlib.contextmanager
def workshop() -> Iterator[None]:
    """An empty folder with the demo data, no screen, warnings as errors."""
    os.environ["MPLBACKEND"] = "agg"
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        shutil.copy(Path(puremetrics.__file__).parent / "data" / "demo.csv", folder)
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _close_figures() -> None:
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def _run_all(app: Sphinx) -> None:
    if not app.config.run_examples:
        return
    failures: list[Failure] = []
    made = [f"evidence/{name}" for name in pages_of_programs(Path(app.srcdir))]
    for name in sorted(set(app.project.docnames) - set(made)):
        failures += check_page(Path(app.env.doc2path(name)))
    if app.config.run_docstrings:
        failures += check_docstrings()
    for failure in failures:
        text = textwrap.indent(failure.text, "    ")
        _log.warning("example failed:\n%s", text, location=f"{failure.page}:{failure.line}")


def setup(app: Sphinx) -> dict[str, Any]:
    """Run the examples before anything is read."""
    app.add_config_value("run_examples", True, "", types=(bool, str))
    app.add_config_value("run_docstrings", True, "", types=(bool, str))
    app.connect("builder-inited", _run_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
