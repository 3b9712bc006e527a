"""Single arguments: numbers, shares, levels, choices, seeds, and what is said about wrong ones.

Old spellings of keyword arguments, which keep working for a while and say so.
"""

from __future__ import annotations

import functools
import numbers
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec, TypeVar, cast

import numpy as np

from puremetrics.exceptions import InputError, PriorError

__all__ = [
    "LARGEST_EXACT_INTEGER",
    "MOST_RESAMPLES",
    "as_generator",
    "check_choice",
    "check_count",
    "check_flag",
    "check_level",
    "check_number",
    "check_resamples",
    "check_share",
    "clean",
    "listed",
    "renamed",
    "shown",
]


LARGEST_EXACT_INTEGER = 2**53
MOST_RESAMPLES = 100_000  # limits of the bootstrap hardly move beyond some thousand
_NEAREST_LEVEL = 1e-9  # to 0 and to 1


def shown(value: object, longest: int = 60) -> str:
    """Return the value as a message shows it: on one line, not too long, whatever it is."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an integer too long to print, or an object that cannot
        text = f"a {type(value).__name__}"
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= longest else text[: longest - 1] + "…"


def clean(text: str, longest: int = 200) -> str:
    r"""Return text for a terminal: escape sequences and other invisible characters are spelled out.

    >>> print(clean("a\x1b[31mb"))
    a\x1b[31mb
    """
    seen = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text[: longest + 1]
    )
    return seen if len(seen) <= longest else seen[: longest - 1] + "…"


def listed(names: Sequence[str], longest: int = 600) -> str:
    """Return names as a message lists them: those that fit, and how many more there are."""
    found: list[str] = []
    for name in names:
        found.append(clean(str(name), 60))
        if sum(map(len, found)) + 2 * len(found) > longest:
            break
    more = len(names) - len(found)
    return ", ".join(found) + (f" and {more} more" if more else "")


def check_choice(value: object, choices: tuple[str, ...], name: str) -> str:
    """Return ``value`` if it is one of ``choices``."""
    if isinstance(value, str) and value in choices:
        return value
    listed = ", ".join(repr(choice) for choice in choices)
    raise InputError(f"{name}={shown(value)} is unknown. Choose one of {listed}.")


def check_number(value: object, name: str) -> float:
    """Return a finite float."""
    if isinstance(value, np.ndarray) and value.ndim == 0 and value is not np.ma.masked:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputError(f"{name} must be a number, but is {shown(value)}.")
    try:
        number = float(value)
    except OverflowError:
        raise InputError(f"{name} is too large for a float. Pass a finite number.") from None
    if not np.isfinite(number):
        raise InputError(f"{name}={number} is not finite. Pass a finite number.")
    return number


def check_share(value: object, name: str) -> float:
    """Return a float in [0, 1]."""
    try:
        number = check_number(value, name)
    except InputError as error:
        raise PriorError(str(error)) from None
    if not 0.0 <= number <= 1.0:
        percent = " (a percentage? divide by 100)" if 1.0 < number <= 100.0 else ""
        raise PriorError(f"{name}={number:g} is not a share: it must lie in [0, 1]{percent}.")
    return number


def check_level(level: object, name: str = "confidence_level") -> float:
    """Return a confidence level strictly between 0 and 1, and not so close to them that floats blur it.

    Several statements at once need levels closer to 1 than the one that was asked for, and the last float
    below 1 is 1 − 1e-16: what a level leaves open must stay far above that.
    """
    number = check_number(level, name)
    if not 0.0 < number < 1.0:
        hint = f" Did you mean {number / 100:g}?" if 1.0 < number < 100.0 else ""
        raise InputError(f"{name}={number:g} must lie strictly between 0 and 1.{hint}")
    if not _NEAREST_LEVEL <= number <= 1 - _NEAREST_LEVEL:
        end = 0 if number < 0.5 else 1
        raise InputError(
            f"{name}={number!r} is closer to {end} than any sample can resolve. Pass a number "
            f"from {_NEAREST_LEVEL:g} to 1 − {_NEAREST_LEVEL:g}."
        )
    return number


def check_count(
    value: object, name: str, smallest: int = 1, largest: int = LARGEST_EXACT_INTEGER
) -> int:
    """Return a whole number of at least ``smallest`` and at most ``largest``."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or int(cast(int, value)) < smallest:
        raise InputError(f"{name}={shown(value)} must be a whole number of at least {smallest}.")
    if int(cast(int, value)) > largest:
        if largest == LARGEST_EXACT_INTEGER:
            most = "at most 2**53, the largest count that floats can hold"
        else:
            most = f"at most {largest:_}: more would exhaust memory or time without any gain"
        raise InputError(f"{name}={shown(value)} must be {most}.")
    return int(cast(int, value))


def check_resamples(value: object, smallest: int = 2) -> int:
    """Return a number of resamples that ends some day."""
    return check_count(value, "n_resamples", smallest, MOST_RESAMPLES)


def check_flag(value: object, name: str) -> bool:
    """Return True or False; anything else is a mistake, even where Python would find it true."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name}={shown(value)} must be True or False.")
    return bool(value)


def as_generator(rng: object) -> np.random.Generator:
    """Return a generator from a seed, a generator, or None (fresh entropy)."""
    if isinstance(rng, np.random.Generator):
        return rng
    if rng is None or isinstance(rng, numbers.Integral | np.random.SeedSequence):
        if isinstance(rng, numbers.Integral) and (isinstance(rng, bool) or int(rng) < 0):
            raise InputError(f"rng={shown(rng)} is not a seed. Pass a non-negative integer.")
        return np.random.default_rng(cast("int | None", rng))
    raise InputError(
        f"rng must be None, an integer seed or a numpy Generator, but is {shown(rng)}."
    )


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
                    f"{function.__name__}({old}=…) is now called {new}=…; the old name will be removed in "
                    "version 1.0.",
                    DeprecationWarning,
                    stacklevel=2,
                )
            return function(*args, **kwargs)

        return call

    return decorate
