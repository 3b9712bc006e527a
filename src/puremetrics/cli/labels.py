"""Label values in the type of their column: the command line knows only text."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["label_values"]

_SEEN = 100_000


def label_values(column: Any, options: argparse.Namespace) -> dict[str, Any]:
    """Return ``pos_label``, ``unlabeled_label`` and ``neg_label`` as values of the column."""
    import numpy as np

    values = np.asarray(column)
    given = {
        "pos_label": options.pos_label,
        "unlabeled_label": options.unlabeled_label,
        "neg_label": options.neg_label,
    }
    return {name: _typed(value, values) for name, value in given.items()}


def _typed(text: str | None, values: Any) -> Any:
    """The value of the column that a word on the command line means."""
    if text is None or text == "missing":
        return None
    kind = values.dtype.kind
    boolean = kind == "b" or (
        kind == "O" and any(isinstance(value, bool) for value in values[:_SEEN].tolist())
    )
    if kind == "O":  # text, or anything with empty cells
        present = {value for value in values[:_SEEN].tolist() if value is not None}
        if text in present:
            return text
        same = [value for value in present if str(value).lower() == text.lower()]
        if same:
            return same[0]
        kind = "U" if any(isinstance(value, str) for value in present) else "f"
    if kind not in "biuf":
        return text
    words = {"true": 1.0, "false": 0.0}
    if boolean:  # what CSV readers take for booleans
        words |= {"yes": 1.0, "t": 1.0, "no": 0.0, "f": 0.0}
    try:
        return words[text.lower()] if text.lower() in words else float(text)
    except ValueError:
        return text
