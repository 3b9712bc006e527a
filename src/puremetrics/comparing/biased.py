"""Differences of two models when labels may be biased.

Both models are judged by the same positives, so one tilt φ of the labelled rows (see `correction.biased`)
moves both. The difference is most extreme where φ favours the rows that speak most for one of the models:
with h the difference of what a labelled row adds to each statistic, φ is a tilt by h. For what is linear in
the heads of the positives that is exact: ROC areas, risks, and at a threshold recall, precision, F1 and all
whose denominators the bias does not change. For others, such as average precision, h is taken again at the
tilt that it led to, until nothing changes. Calibration errors have bins of their own: there each model is
taken at its own worst, which encloses.

Where every labelled row has unlabeled ones with the same scores by both models, hidden positives are held to
what these have room for. Elsewhere that is left out, which encloses. A known side (``label_bias_side``) is
not used: it is about one model's scores, and two models differ.

A tilted difference is that of rows with propensities, and so is its error.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.comparing.compared import Compared
from puremetrics.correction.biased import SIDES, BiasedHeads
from puremetrics.numerics.sums import weighted_sum
from puremetrics.numerics.tilting import capped_rows, tilted
from puremetrics.setting import LabelBias, Setting
from puremetrics.tables.joint import JointTable

__all__ = ["TiltedPair", "tilted_pairs"]

_COARSE = 1000  # different scores of a model up to which rows may share those of both
_TURNS = 20


class TiltedPair(NamedTuple):
    """Rows tilted towards one end of a difference, both settings there, and what the tilt adds if linear."""

    joint: JointTable
    first: Setting
    second: Setting
    moved: float | None


def tilted_pairs(
    joint: JointTable,
    measured: Compared,
    points: dict[str, Setting],
    pair: tuple[str, str],
) -> list[TiltedPair]:
    """The most extreme tilts of a pair, against the first model and for it."""
    found = BiasedHeads(_without_side(points[pair[0]]))
    return [_tilted(joint, measured, points, pair, found, side) for side in SIDES]


def linear_values(
    joint: JointTable, measured: Compared, points: dict[str, Setting], pair: tuple[str, str]
) -> tuple[FloatArray, FloatArray]:
    """What each labelled row adds to the difference, up to the number of rows; and its share of all."""
    labelled = joint.group == 0
    first, second = (
        measured.labelled_influence(joint, name, points[name])[labelled] for name in pair
    )
    weight = np.ones(first.size) if joint.weight is None else joint.weight[labelled]
    return first - second, weight / weight.sum()


def _tilted(
    joint: JointTable,
    measured: Compared,
    points: dict[str, Setting],
    pair: tuple[str, str],
    found: BiasedHeads,
    side: str,
) -> TiltedPair:
    values, share = linear_values(joint, measured, points, pair)
    caps = _caps(joint, pair, found.hidden_share)
    labelled = joint.group == 0
    ratio, here, at = found.ratio(side), joint, dict(points)
    phi = share
    for _ in range(_TURNS if not measured.linear else 1):
        signed = values if side == "high" else -values
        again = _extreme(share, signed, ratio, caps)
        if np.array_equal(again, phi):
            break
        phi = again
        factor = np.ones(joint.group.size)
        factor[labelled] = 1 + found.weight * (phi / share - 1)
        here = joint.tilted(factor)
        at = {name: measured.on(points[name], here.tables[name]) for name in pair}
        if not measured.linear:
            values = linear_values(here, measured, at, pair)[0]
    moved = found.weight * weighted_sum(phi - share, values) if measured.linear else None
    return TiltedPair(here, at[pair[0]], at[pair[1]], moved)


def _extreme(
    share: FloatArray,
    values: FloatArray,
    ratio: float,
    caps: tuple[FloatArray, FloatArray] | None,
) -> FloatArray:
    """φ by labelled row; with caps, cells of rows with the same scores share theirs."""
    if caps is None:
        return tilted(share, values, ratio)
    cell, room = caps
    together = np.bincount(cell, weights=share, minlength=room.size).astype(np.float64)
    mean = np.divide(
        np.bincount(cell, weights=share * values, minlength=room.size),
        together,
        out=np.zeros_like(room),
        where=together > 0,
    )
    phi = capped_rows(together, mean, ratio, room)
    if phi is None:
        return tilted(share, values, ratio)
    return np.asarray(share * (phi / np.where(together > 0, together, 1.0))[cell])


def _caps(
    joint: JointTable, pair: tuple[str, str], hidden_share: float
) -> tuple[FloatArray, FloatArray] | None:
    """The cell of each labelled row and the room of each cell; None where rows have cells of their own."""
    sizes = [joint.tables[name].score.size for name in pair]
    unlabeled = joint.group == 1
    if hidden_share <= 0 or max(sizes) > _COARSE or not unlabeled.any():
        return None
    code = joint.whole_places[pair[0]] * sizes[1] + joint.whole_places[pair[1]]
    room = np.bincount(code[unlabeled], minlength=sizes[0] * sizes[1]).astype(np.float64)
    cell = code[joint.group == 0]
    if np.any(room[cell] == 0):
        return None
    return cell, room / room.sum() / hidden_share


def _without_side(setting: Setting) -> Setting:
    return setting.with_bias(LabelBias(setting.bias.most))
