"""Parts of the rows, such as folds and segments: their names in order, and the part of each row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.checking.groups import as_groups
from puremetrics.checking.labels import label_masks
from puremetrics.tables.building import check_totals

__all__ = ["KINDS", "Kinds", "Places", "places_of", "read_kinds", "sorted_keys"]

Kinds = npt.NDArray[np.int8]
Places = npt.NDArray[np.intp]
KINDS: dict[str, Any] = {"pos_label": 0, "unlabeled_label": 1, "neg_label": 2}


def read_kinds(y: Any, labels: dict[str, Any]) -> Kinds:
    """What kind of row each is: 0 labelled positive, 1 unlabeled, 2 known negative."""
    pos_label, unlabeled_label, neg_label = (labels[name] for name in KINDS)
    positive, unlabeled, _ = label_masks(y, pos_label, unlabeled_label, neg_label)
    kind = np.full(positive.size, 2, dtype=np.int8)
    kind[positive], kind[unlabeled] = 0, 1
    labelled = int(positive.sum())
    check_totals(labelled, kind.size - labelled, pos_label, unlabeled_label)
    return kind


def places_of(values: Any, size: int, title: str) -> tuple[list[Any], Places]:
    """Distinct names of parts of the rows, rising, and the part of each row."""
    column = as_groups(values, size, title)
    codes: dict[Any, int] = {}
    first = np.fromiter((codes.setdefault(key, len(codes)) for key in column.tolist()), np.intp)
    names = sorted_keys(list(codes))
    rank = np.empty(len(names), dtype=np.intp)
    rank[[codes[name] for name in names]] = np.arange(len(names))
    return names, rank[first]


def sorted_keys(keys: Any) -> list[Any]:
    """Keys in increasing order; of mixed types by type first, a missing value last."""
    known = [key for key in keys if key is not None]
    try:
        ordered = sorted(known)
    except TypeError:
        try:
            ordered = sorted(known, key=lambda key: (type(key).__name__, key))
        except TypeError:  # of one type, and without an order
            ordered = sorted(known, key=lambda key: (type(key).__name__, str(key)))
    return ordered + [None] * (len(list(keys)) - len(known))
