"""The tables and the figure of `real_priors`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from reproductions.common import table
from reproductions.real_scores import LABELS

Record = dict[str, Any]

BANDS = ((0.0, 0.8), (0.8, 0.87), (0.87, 0.93), (0.93, 1.01))
BAND_NAMES = ("below 0.8", "0.8 to 0.87", "0.87 to 0.93", "above 0.93")
ROUNDING = 1e-9


class Data:
    """Records by column."""

    def __init__(self, columns: dict[str, np.ndarray]) -> None:
        self.columns = columns

    @staticmethod
    def of(records: Sequence[Record]) -> Data:
        """All columns that every record has; what `before` holds gets a name of its own."""
        flat = [
            r | {f"before_{name}": value for name, value in r.get("before", {}).items()}
            for r in records
        ]
        names = set.intersection(*(set(r) for r in flat)) - {"before", "codes", "single"}
        return Data({name: np.array([r[name] for r in flat]) for name in names})

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def where(self, chosen: np.ndarray) -> Data:
        return Data({name: column[chosen] for name, column in self.columns.items()})

    def band(self, place: int) -> Data:
        low, high = BANDS[place]
        return self.where((self["true_auc"] >= low) & (self["true_auc"] < high))


def shown(values: Iterable[Any], digits: int = 3) -> str:
    """A mean, or a dash if there is nothing to average."""
    values = np.asarray(list(values), dtype=float)
    return f"{values.mean():.{digits}f}" if values.size else "–"


def held(data: Data) -> np.ndarray:
    """Whether the interval holds the true prior."""
    return inside(data["truth"], data["low"], data["high"])


def held_without(data: Data) -> np.ndarray:
    """Whether the interval would, without the allowance for look-alikes."""
    return inside(data["hidden"], data["before_low"], data["before_high"])


def inside(truth: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return (low <= truth + ROUNDING) & (truth <= high + ROUNDING)


def bad(data: Data) -> np.ndarray:
    """Whether an answer is far off."""
    far = np.abs(data["prior"] - data["truth"]) > 0.1
    return far | (np.abs(data["auc"] - data["true_auc"]) > 0.05)


def coverage_table(data: Data) -> list[str]:
    """Coverage by AUC and labels, with the number of cases, beside that without the allowance."""
    rows = []
    for place, name in enumerate((*BAND_NAMES, "all")):
        part = data if name == "all" else data.band(place)
        row = [name]
        for labels in LABELS:
            cell = part.where(part["labels"] == labels)
            row += [shown(held(cell)), shown(held_without(cell)), str(len(cell))]
        rows.append(row)
    head = [
        title
        for labels in LABELS
        for title in (f"{labels} labels", "without the allowance", "cases")
    ]
    return table(["AUC", *head], rows)


def width_table(data: Data) -> list[str]:
    """Mean width of the interval."""
    rows = []
    for place, name in enumerate((*BAND_NAMES, "all")):
        part = data if name == "all" else data.band(place)
        widths = [
            part["high"][part["labels"] == n] - part["low"][part["labels"] == n] for n in LABELS
        ]
        rows.append([name, *(shown(width) for width in widths)])
    return table(["AUC", *(f"{labels} labels" for labels in LABELS)], rows)


def methods_table(data: Data, methods: dict[str, str]) -> list[str]:
    """Mean absolute error of each method, over all cases and parts of them, and mean error."""
    parts = [data, *(data.band(place) for place in range(len(BANDS)))]
    parts += [data.where(data["labels"] == labels) for labels in LABELS]
    parts.append(data.where(wanted(data, 0.01)))
    rows = []
    for name, title in methods.items():
        errors = [shown(np.abs(part[name] - part["truth"])) for part in parts]
        rows.append([title, *errors, f"{np.mean(data[name] - data['truth']):+.3f}"])
    labels = [f"{labels} labels" for labels in LABELS]
    head = ["method", "all", *(f"AUC {name}" for name in BAND_NAMES), *labels, "prior 0.01"]
    return table([*head, "mean error"], rows)


def wanted(data: Data, prior: float) -> np.ndarray:
    return np.array([value == prior for value in data["wanted"]])


def trust_table(data: Data) -> list[str]:
    rows = []
    for level in ("identified", "upper_bound", "contradicted"):
        part = data.where(data["trust"] == level)
        off = np.abs(part["prior"] - part["truth"])
        rows.append(
            [level, f"{len(part) / len(data):.3f}", shown(bad(part)), shown(off), shown(held(part)),
             shown(part["true_auc"])]
        )  # fmt: skip
    rows.append(
        ["all", "1.000", shown(bad(data)), shown(np.abs(data["prior"] - data["truth"])),
         shown(held(data)), shown(data["true_auc"])]
    )  # fmt: skip
    head = ["level", "share of cases", "far off", "error of the prior", "coverage", "mean AUC"]
    return table(head, rows)


def turned(records: Sequence[Record]) -> str:
    """How often PM207 says that the ranking turns, in words."""
    groups: dict[bool, list[Record]] = {True: [], False: []}
    for record in records:
        linear = record["set"] == "shuttle" and record["model"].startswith("lr")
        groups[linear].append(record)
    told = []
    for labels in LABELS:
        rates = [
            shown(("PM207" in r["codes"] for r in groups[linear] if r["labels"] == labels), 3)
            for linear in (True, False)
        ]
        told.append(f"with {labels} labels in {rates[0]} of its cases ({rates[1]} of all others)")
    return ", ".join(told)


def sets_table(data: Data) -> list[str]:
    rows = []
    for name in dict.fromkeys(data["set"]):
        part = data.where(data["set"] == name)
        known = part.where(part["trust"] == "identified")
        errors = [shown(np.abs(part[c] - part["truth"])) for c in ("prior", "separable")]
        rows.append(
            [name, str(len(part)), shown(part["true_auc"]), *errors, shown(held(part)),
             shown(part["high"] - part["low"]), shown(part["trust"] == "identified"),
             shown(bad(known))]
        )  # fmt: skip
    head = ["set", "cases", "mean AUC", "error", "error as if separable", "coverage", "width"]
    return table([*head, "identified", "far off, of the identified"], rows, summary="All data sets")


def failing(data: Data, below: float = 0.9) -> str:
    """Models of sets whose coverage is low, in words."""
    found = []
    for name, model in dict.fromkeys(zip(data["set"], data["model"], strict=True)):
        part = data.where((data["set"] == name) & (data["model"] == model))
        if held(part).mean() < below:
            found.append(f"{name}, {model} ({held(part).mean():.2f} of {len(part)})")
    return "; ".join(found) or "none"


def evaluate_table(records: Sequence[Record], names: Sequence[str]) -> list[str]:
    rows = []
    for name in names:
        for labels in (*LABELS, None):
            values = np.array(
                [r[name] for r in records if name in r and labels in (None, r["labels"])]
            ).reshape(-1, 4)
            truth, value, low, high = values.T
            rows.append(
                [name, "all" if labels is None else str(labels), shown(inside(truth, low, high)),
                 shown(value - truth), shown(np.abs(value - truth)), shown(high - low),
                 str(len(values))]
            )  # fmt: skip
    head = ["metric", "labels", "coverage", "bias", "mean absolute error", "width", "cases"]
    return table(head, rows, summary="Five metrics, by the number of labels")


def several_table(records: Sequence[Record], models: Sequence[str]) -> list[str]:
    """One model each, and all at once, on the same draws."""
    truth = np.array([r["truth"] for r in records])
    rows = []
    for title in (*models, "all three at once"):
        found = np.array([r["single"].get(title, r["all"]) for r in records])
        value, low, high = found.T
        rows.append(
            [title, shown(inside(truth, low, high)), shown(high - low), shown(np.abs(value - truth)),
             f"{np.mean(value - truth):+.3f}"]
        )  # fmt: skip
    return table(["scores", "coverage", "width", "mean absolute error", "mean error"], rows)


def noise_table(records: Sequence[Record]) -> list[str]:
    rows = []
    for kind in ("shuffled", "backwards"):
        for labels in LABELS:
            levels = [r["trust"] for r in records if (r["kind"], r["labels"]) == (kind, labels)]
            said = [shown(level == name for level in levels) for name in _LEVELS]
            rows.append([kind, str(labels), *said, str(len(levels))])
    return table(["scores", "labels", *_LEVELS, "draws"], rows)


_LEVELS = ("contradicted", "upper_bound", "identified")
_APART = ((0.0, 0.01), (0.01, 0.03), (0.03, 1.0))


def pairs_table(pairs: Sequence[Record], null: Sequence[Record]) -> list[str]:
    """How often a comparison is decided, and rightly; and how often the interval holds the difference."""
    rows = []
    groups = {
        f"areas {low:g} to {high:g} apart" if high < 1 else f"areas more than {low:g} apart": [
            r for r in pairs if low <= abs(r["better"]) < high
        ]
        for low, high in _APART
    }
    for title, records in (groups | {"equally good copies": list(null)}).items():
        row = [title, str(len(records))]
        for prior in ("truth", "estimate"):
            said = [(r[prior], r) for r in records]
            sure = [(d[0] < 0.05, d[1] * r["better"] > 0) for d, r in said]
            row += [shown(a and b for a, b in sure), shown(a and not b for a, b in sure)]
            row.append(shown(d[2] <= r["difference"] <= d[3] for d, r in said))
        rows.append(row)
    head = ["right winner", "wrong winner", "coverage of the difference"]
    told = [f"{what}, {prior}" for prior in ("true prior", "estimate") for what in head]
    return table(["pairs", "draws", *told], rows)


def misjudged(data: Data, least: int = 3) -> str:
    """Models of sets that are often called identified and are far off, in words."""
    sure = data["trust"] == "identified"
    found = []
    for name, model in dict.fromkeys(zip(data["set"], data["model"], strict=True)):
        part = sure & (data["set"] == name) & (data["model"] == model)
        count = int(bad(data)[part].sum())
        if count >= least:
            found.append(f"{name}, {model} ({count} of {part.sum()})")
    return "; ".join(found) or "none"
