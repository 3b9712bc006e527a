"""Names that were misspelled: which of the known ones was probably meant. Loads nothing heavy."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["did_you_mean", "nearest"]


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one; None if none is alike.

    >>> nearest("forset", ["words", "forest"])
    'forest'
    >>> nearest("Y-True", ["y_true", "y_pred"])
    'y_true'
    """
    from difflib import get_close_matches

    names = list(dict.fromkeys(known))[:5000]
    plain: dict[str, str] = {}
    for each in names:
        plain.setdefault(_plain(each), each)
    found = get_close_matches(_plain(name[:200]), list(plain), n=1, cutoff=0.6)
    return plain[found[0]] if found else None


def did_you_mean(name: str, known: Iterable[str], show: str = "{!r}") -> str:
    """A question at the end of a sentence, with a space before it; empty if nothing is alike.

    >>> did_you_mean("forset", ["words", "forest"])
    " Did you mean 'forest'?"
    """
    found = nearest(name, known)
    return "" if found is None else f" Did you mean {show.format(found)}?"


def _plain(name: str) -> str:
    return name.casefold().replace("-", "_").replace(" ", "_")
