"""One test for many things of a kind: it tries all of them and lists those that fail."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def for_every(names: str, values: Iterable[Any], show: Callable[[Any], str] = str) -> Callable:
    """Like ``pytest.mark.parametrize``, but one test for all values, which names every offender.

    ``names`` are the arguments that a value stands for; the others of the test are fixtures.
    """
    wanted = names.replace(",", " ").split()
    listed = list(values)

    def decorate(test: Callable) -> Callable:
        @functools.wraps(test)
        def tried(**fixtures: Any) -> None:
            assert listed, "nothing to try"
            failed, first = [], None
            for value in listed:
                given = dict(zip(wanted, value if len(wanted) > 1 else (value,), strict=True))
                try:
                    test(**given, **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    first = first or error
                    said = str(error).split("\n\n")[0] or type(error).__name__
                    failed.append(f"{', '.join(map(show, given.values()))}: {said}")
            if failed:
                text = "\n".join(failed)
                raise AssertionError(f"{len(failed)} of {len(listed)} fail:\n{text}") from first

        signature = inspect.signature(test)
        fixtures = [p for name, p in signature.parameters.items() if name not in wanted]
        tried.__signature__ = signature.replace(parameters=fixtures)
        return tried

    return decorate
