"""Old spellings of keyword arguments, which keep working for a while and say so."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import ParamSpec, TypeVar

from puremetrics.exceptions import InputError

__all__ = ["renamed"]

P = ParamSpec("P")
R = TypeVar("R")


def renamed(
    values: Mapping[str, Mapping[object, object]] | None = None, /, **new_names: str
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function take old keyword arguments: ``@renamed(old="new")``.

    ``values`` maps old values of an argument to new ones, such as ``{"method": {"influence": "analytic"}}``.
    """
    changed = values or {}

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for old, new in new_names.items():
                if old not in kwargs:
                    continue
                if new in kwargs:
                    raise InputError(
                        f"{function.__name__} got both {old!r} and {new!r}, which is the new name of the "
                        f"same argument. Pass {new!r} alone."
                    )
                value = kwargs.pop(old)
                said = changed.get(old, {})
                kwargs[new] = said.get(value, value) if isinstance(value, str) else value
                warnings.warn(
                    f"{function.__name__}({old}=…) is now called {new}=…; the old name will go in "
                    "version 1.0.",
                    DeprecationWarning,
                    stacklevel=2,
                )
            return function(*args, **kwargs)

        return call

    return decorate
