"""Use an installed puremetrics: compute a few numbers, make a page, run the examples of the docstrings.

``python -I release/smoke.py 0.1.0``. Needs nothing but the package with its core dependencies. Examples of
modules that need an extra are left out and listed.
"""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import sys
from importlib.metadata import version
from types import ModuleType

import puremetrics as pm

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
EXTRAS = {"duckdb", "matplotlib", "pandas", "polars", "pyarrow", "pyspark", "python_calamine", "rich",
          "sklearn"}  # fmt: skip
AT_LEAST = 100  # examples: fewer would mean that most modules were left out


def compute() -> None:
    """The demo data from the wheel, a number of each kind, and the page with its assets."""
    demo = pm.load_demo()
    table = pm.ScoreTable.from_arrays(
        demo["reported"], demo["forest"], scenario="single_training_set"
    )
    area = pm.roc_auc(table, prior=0.394)
    low, high = area.interval
    if not low <= area.value <= high or not 0.9 < area.value <= 1:
        raise SystemExit(f"The AUC of the demo data is wrong: {area}")
    page = pm.evaluate(table, prior=0.394).to_html()
    if "<html" not in page or "<script" not in page:
        raise SystemExit("The page of the demo data is not whole.")


def missing(error: BaseException | None) -> str | None:
    """The extra whose absence an error tells of."""
    while error is not None:
        name = (getattr(error, "name", None) or "").split(".")[0]
        if isinstance(error, ImportError) and name in EXTRAS:
            return name
        error = error.__cause__ or error.__context__
    return None


class Runner(doctest.DocTestRunner):
    """Examples that end for want of an extra are set aside."""

    def __init__(self) -> None:
        super().__init__(optionflags=FLAGS)
        self.aside: set[str] = set()

    def report_unexpected_exception(self, out, test, example, exc_info):  # type: ignore[no-untyped-def]
        """Tell of it, unless an extra is missing."""
        if test.name in self.aside or missing(exc_info[1]):
            self.aside.add(test.name)  # what follows lacks what this example would have made
        else:
            super().report_unexpected_exception(out, test, example, exc_info)


def modules() -> tuple[list[ModuleType], list[str]]:
    """Every module that can be imported, and the names of those that want an extra."""
    loaded, left = [pm], []
    for info in pkgutil.walk_packages(pm.__path__, "puremetrics.", onerror=lambda name: None):
        if info.name.endswith("__main__"):
            continue
        try:
            loaded.append(importlib.import_module(info.name))
        except ImportError as error:
            if missing(error) is None:
                raise
            left.append(info.name)
    return loaded, left


def examples() -> int:
    """Run the docstrings; the number that failed."""
    loaded, left = modules()
    runner, finder = Runner(), doctest.DocTestFinder(exclude_empty=True)
    failed = tried = 0
    for module in loaded:
        for test in finder.find(module, module.__name__):
            if not test.examples:
                continue
            result = runner.run(test)
            if test.name not in runner.aside:
                failed += result.failed
                tried += result.attempted
    aside = sorted([*left, *runner.aside])
    print(f"{tried} examples, {failed} failed; left out for want of an extra: {aside}")
    if tried < AT_LEAST:
        raise SystemExit(f"Only {tried} examples ran, at least {AT_LEAST} were expected.")
    return failed


if __name__ == "__main__":
    if not (pm.__version__ == version("puremetrics") == sys.argv[1]):
        raise SystemExit(f"{sys.argv[1]} was built, {version('puremetrics')} is installed.")
    compute()
    sys.exit(1 if examples() else 0)
