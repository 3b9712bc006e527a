"""Differences of two models when labels may be biased.

Both models are judged by the same positives, so one tilt φ of the labelled rows (see `correction.biased`)
moves both. The difference is most extreme where φ favours the rows that speak most for one of the models:
with h the difference of what a labelled row adds to each statistic, φ is a tilt by h. For what is linear in
the heads of the positives that is exact: ROC areas, risks, and at a threshold recall, precision, F1 and all
whose denominators the bias does not change. For others, such as average precision, steps of several sizes
along h and along the difference of both models' ranks are tried, h is taken again at the best one as long as
that gains, and the best of all is kept. Calibration errors have bins of their own: there each model is taken
at its own worst, which encloses.

Where every labelled row has unlabeled ones with the same scores by both models, hidden positives are held to
what these have room for. Elsewhere that is left out, which encloses. A known side (``label_bias_side``) is
not used: it is about one model's scores, and two models differ.

A tilted difference is that of rows with propensities, and so is its error.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import SIDES, BiasedHeads, room_of_cells
from puremetrics.numerics.sums import weighted_sum
from puremetrics.numerics.tilting import capped_rows, tilted
from puremetrics.setting import LabelBias, Setting
from puremetrics.statistics.statistic import Statistic
from puremetrics.tables.joint import JointTable

__all__ = ["TiltedPair", "tilted_pairs"]

_COARSE = 1000  # different scores of a model up to which rows may share those of both
_TURNS = 6
_PARTS = tuple(np.arange(1, 20) / 20)  # of the labelled rows, at which steps are tried
_GAIN = 1e-9


class TiltedPair(NamedTuple):
    """Rows tilted towards one end of a difference, both settings there, and what the tilt adds if linear."""

    joint: JointTable
    first: Setting
    second: Setting
    moved: float | None


def tilted_pairs(
    joint: JointTable,
    statistic: Statistic,
    points: dict[str, Setting],
    pair: tuple[str, str],
) -> list[TiltedPair]:
    """The most extreme tilts of a pair, against the first model and for it."""
    found = BiasedHeads(_without_side(points[pair[0]]))
    return [_tilted(joint, statistic, points, pair, found, side) for side in SIDES]


def linear_values(
    joint: JointTable, statistic: Statistic, points: dict[str, Setting], pair: tuple[str, str]
) -> tuple[FloatArray, FloatArray]:
    """What each labelled row adds to the difference, up to the number of rows; and its share of all."""
    labelled = joint.group == 0
    first, second = (
        statistic.labelled_influence(joint, name, points[name])[labelled] for name in pair
    )
    weight = np.ones(first.size) if joint.weight is None else joint.weight[labelled]
    return first - second, weight / weight.sum()


def _tilted(
    joint: JointTable,
    statistic: Statistic,
    points: dict[str, Setting],
    pair: tuple[str, str],
    found: BiasedHeads,
    side: str,
) -> TiltedPair:
    values, share = linear_values(joint, statistic, points, pair)
    caps = _caps(joint, pair, share, found)
    sign, ratio = (1.0 if side == "high" else -1.0), found.ratio(side)

    def tilted_to(phi: FloatArray) -> TiltedPair:
        factor = np.ones(joint.group.size)
        factor[joint.group == 0] = 1 + found.weight * (phi / share - 1)
        here = joint.tilted(factor)
        at = [statistic.on(points[name], here.tables[name]) for name in pair]
        return TiltedPair(here, at[0], at[1], None)

    if statistic.linear:
        phi = _extreme(share, sign * values, ratio, caps)
        return tilted_to(phi)._replace(moved=found.weight * weighted_sum(phi - share, values))

    def size(tried: TiltedPair) -> float:
        first, second = map(statistic.difference_value, (tried.first, tried.second))
        return sign * (first - second)

    starts = [_extreme(share, sign * values, ratio, caps)]
    if caps is None:  # steps need not fit into cells
        labelled = joint.group == 0
        first, second = (points[name].heads.cmp[joint.places[name][labelled]] for name in pair)
        for order in (sign * values, sign * (second - first)):  # heads count from the top
            starts += [_step(share, order, ratio, part) for part in _PARTS]
    best = max(map(tilted_to, starts), key=size)
    for _ in range(_TURNS):
        at = {pair[0]: best.first, pair[1]: best.second}
        again = linear_values(best.joint, statistic, at, pair)[0]
        following = tilted_to(_extreme(share, sign * again, ratio, caps))
        if size(following) <= size(best) + _GAIN:
            break
        best = following
    return best


def _step(share: FloatArray, values: FloatArray, ratio: float, part: float) -> FloatArray:
    """φ that counts the rows with the largest values, a part of all, ``ratio`` times as much as others."""
    order = np.argsort(-values, kind="stable")
    inside = np.cumsum(share[order]) <= part
    phi = share.copy()
    phi[order[inside]] *= ratio
    return np.asarray(phi / phi.sum())


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
    joint: JointTable, pair: tuple[str, str], share: FloatArray, found: BiasedHeads
) -> tuple[FloatArray, FloatArray] | None:
    """The cell of each labelled row and the room of each cell; None where rows have cells of their own."""
    hidden_share = found.hidden_share
    sizes = [joint.tables[name].score.size for name in pair]
    unlabeled = joint.group == 1
    if hidden_share <= 0 or max(sizes) > _COARSE or not unlabeled.any():
        return None
    code = joint.whole_places[pair[0]] * sizes[1] + joint.whole_places[pair[1]]
    room = np.bincount(code[unlabeled], minlength=sizes[0] * sizes[1]).astype(np.float64)
    cell = code[joint.group == 0]
    if np.any(room[cell] == 0):
        return None
    together = np.bincount(cell, weights=share, minlength=room.size).astype(np.float64)
    rows, counts = room / room.sum(), found.samples.sizes
    return cell, room_of_cells(together, rows, hidden_share, counts, max(sizes))


def _without_side(setting: Setting) -> Setting:
    return setting.with_bias(LabelBias(setting.bias.most))
