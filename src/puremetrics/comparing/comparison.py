"""Comparing models on the same rows: paired differences, multiplicity, and where the prior decides.

Two models scored on the same rows err together, so their difference is known better than either. Its variance
is that of the difference of their influence values, row by row: for the area under the ROC curve that is the
paired form of DeLong, Delong and Clarke-Pearson (1988), carried through the correction (Jain, Eq. (4));
metrics at a threshold use their own. ``interval="bootstrap"`` resamples rows instead, each with its scores by
all models. It is the default for average precision, whose influence values belong to the raw sum, which
varies more than the repaired one: valid there, but up to twice as wide. Brier score and log loss are compared
by their unbiased estimates, the calibration error by its debiased one (see `statistics`).

Limits and p-values are Student's, which matters where few rows are labelled.

*Which of two models has the larger ROC area needs no prior.* The correction divides both by the same purity −
share, so the sign of the difference is that of the uncorrected areas, whatever the prior is. The p-value is
theirs (paired DeLong). How large the difference is does depend on the prior: its interval holds all values
that a range of priors allows, on the side of 0 that the test has settled.

With more than two models every pair is compared: p-values are adjusted by Holm's procedure, and
``simultaneous`` intervals by Bonferroni's, so that all of them hold at once.

**Biased labels** (`tilted_pairs`): differences of two models when labels may be biased. Both models are
judged by the same positives, so one tilt φ of the labelled rows (see `correction.biased`) moves both. The
difference is most extreme where φ favours the rows that speak most for one of the models: with h the
difference of what a labelled row adds to each statistic, φ is a tilt by h. For what is linear in the heads of
the positives that is exact: ROC areas, risks, and at a threshold recall, precision, F1 and all whose
denominators the bias does not change. For others, such as average precision, steps of several sizes along h
and along the difference of both models' ranks are tried, h is taken again at the best one as long as that
gains, and the best of all is kept. Calibration errors have bins of their own: there each model is taken at
its own worst, which encloses.

Where every labelled row has unlabeled ones with the same scores by both models, hidden positives are held to
what these have room for. Elsewhere that is left out, which encloses. A known side (``label_bias_side``) is
not used: it is about one model's scores, and two models differ.

A tilted difference is that of rows with propensities, and so is its error.

**With an audit** (`audited_comparison`) there is no prior, and no assumption about the labels. Estimates of
the models and differences of pairs come from the same checked rows (`auditing.pairs`), so what both models
get right cancels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from puremetrics.auditing import Audit, check_alone
from puremetrics.auditing.areas import Measured
from puremetrics.auditing.metrics import assumptions_of_audit
from puremetrics.auditing.pairs import Paired
from puremetrics.checking.arguments import check_choice, check_level, check_resamples, renamed
from puremetrics.checking.types import FloatArray
from puremetrics.comparing.differences import (
    Difference,
    Spread,
    differences_of,
    replicates,
    with_sign_of_order,
)
from puremetrics.comparing.ranges import ModelRanking, ranking_of
from puremetrics.correction.biased import SIDES, BiasedHeads, bias_interval, room_of_cells
from puremetrics.evidence import Joined, Reached
from puremetrics.exceptions import Diagnostic, InputError, UnsupportedError
from puremetrics.numerics.quantiles import (
    holm_adjusted,
    normal_quantile,
    small_sample,
    student_quantile,
)
from puremetrics.numerics.sums import weighted_sum
from puremetrics.numerics.tilting import capped_rows, extreme_tilt
from puremetrics.results import Columns, Estimate, Interval, Result
from puremetrics.sampling.clustered import error_over_groups, with_prior_effect
from puremetrics.sampling.resampling import DEFAULT_RESAMPLES
from puremetrics.setting import LabelBias, PriorLike, PurityLike, Setting, TwoSamples
from puremetrics.statistics.catalogue import find
from puremetrics.statistics.statistic import Statistic
from puremetrics.statistics.worlds import joined_estimate, slope_by_prior
from puremetrics.tables.framing import takes_data
from puremetrics.tables.joint import JointTable

__all__ = [
    "Comparison",
    "TiltedPair",
    "audited_comparison",
    "compare",
    "comparison_of",
    "difference_ends",
    "error_of",
    "tilted_pairs",
]


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
    labelled = joint.kind == 0
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
        factor = np.ones(joint.kind.size)
        factor[joint.kind == 0] = 1 + found.weight * (phi / share - 1)
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
        labelled = joint.kind == 0
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
        return extreme_tilt(share, values, ratio)
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
        return extreme_tilt(share, values, ratio)
    return np.asarray(share * (phi / np.where(together > 0, together, 1.0))[cell])


def _caps(
    joint: JointTable, pair: tuple[str, str], share: FloatArray, found: BiasedHeads
) -> tuple[FloatArray, FloatArray] | None:
    """The cell of each labelled row and the room of each cell; None where rows have cells of their own."""
    hidden_share = found.hidden_share
    sizes = [joint.tables[name].score.size for name in pair]
    unlabeled = joint.kind == 1
    if hidden_share <= 0 or max(sizes) > _COARSE or not unlabeled.any():
        return None
    code = joint.whole_places[pair[0]] * sizes[1] + joint.whole_places[pair[1]]
    room = np.bincount(code[unlabeled], minlength=sizes[0] * sizes[1]).astype(np.float64)
    cell = code[joint.kind == 0]
    if np.any(room[cell] == 0):
        return None
    together = np.bincount(cell, weights=share, minlength=room.size).astype(np.float64)
    return cell, room_of_cells(together, room / room.sum(), hidden_share)


def _without_side(setting: Setting) -> Setting:
    return setting.with_bias(LabelBias(setting.bias.most))


def audited_comparison(
    joint: JointTable,
    statistic: Statistic,
    audit: Audit,
    purity: PurityLike,
    confidence_level: float,
) -> tuple[dict[str, Estimate], list[Difference], tuple[Diagnostic, ...]]:
    """Estimates of all models, differences of all pairs, and remarks."""
    level = check_level(confidence_level)
    paired = Paired.of(joint, audit, purity, level)
    for table in joint.tables.values():
        statistic.check(table)
    measure = statistic.audited_pair
    estimates = {
        model: _estimate(paired, statistic, model, measure(paired, {model: 1.0})) for model in joint
    }
    pairs = list(combinations(joint, 2))
    strict = paired.with_level(1 - (1 - level) / len(pairs))
    found = [measure(paired, {a: 1.0, b: -1.0}) for a, b in pairs]
    together = [measure(strict, {a: 1.0, b: -1.0}) for a, b in pairs]
    chances = np.array([_chance(one, paired.base.quantile) for one in found])
    adjusted = holm_adjusted(chances)
    interval = paired.base.interval
    differences = [
        Difference(
            first, second, one.value,
            max(one.high - one.value, one.value - one.low) / paired.base.quantile,
            interval(one.low, one.high), interval(all_.low, all_.high), float(p), float(q),
        )
        for (first, second), one, all_, p, q in zip(
            pairs, found, together, chances, adjusted, strict=True
        )
    ]  # fmt: skip
    return estimates, differences, paired.base.diagnostics


def joined_comparison(
    joint: JointTable, statistic: Statistic, joined: Mapping[str, Joined]
) -> Comparison:
    """Differences of all pairs from all evidence about the positives."""
    for table in joint.tables.values():
        statistic.check(table)
    estimates = {name: joined_estimate(statistic, own) for name, own in joined.items()}
    pairs = list(combinations(joint, 2))
    both = [joined[first].of_pair(joint, (first, second)) for first, second in pairs]
    level = both[0].level
    quantile = normal_quantile(level)
    found = [one.told_difference(statistic) for one in both]
    strict = 1 - (1 - level) / len(pairs)
    together = [one.at_level(strict).told_difference(statistic) for one in both]
    chances = np.array([_chance(Measured(*one), quantile) for one in found])
    adjusted = holm_adjusted(chances)

    def interval(one: Reached, at: float, kind: Any) -> Interval:
        return Interval(one.low, one.high, at, kind, "evidence")

    differences = [
        Difference(
            first, second, one.value, max(one.high - one.value, one.value - one.low) / quantile,
            interval(one, level, own.kind), interval(all_, strict, own.kind), float(p), float(q),
        )
        for (first, second), own, one, all_, p, q in zip(
            pairs, both, found, together, chances, adjusted, strict=True
        )
    ]  # fmt: skip
    first = next(iter(joined.values()))
    return Comparison(
        statistic.name, estimates, differences, None, "evidence", first.diagnostics,
        statistic.smaller_is_better,
    )  # fmt: skip


def _chance(found: Measured, quantile: float) -> float:
    """Two-sided p-value of no difference, from the limit on the side of 0."""
    from scipy.special import ndtr

    if np.isnan(found.value):  # contradicting evidence has no value
        return float(not found.low <= 0 <= found.high)
    reach = found.value - found.low if found.value > 0 else found.high - found.value
    if reach <= 0:
        return float(found.value == 0)
    return float(2 * ndtr(-abs(found.value) / reach * quantile))


def _estimate(paired: Paired, statistic: Statistic, model: str, found: Measured) -> Estimate:
    audited = paired.models[model]
    if not np.isfinite(found.value):
        raise UnsupportedError(
            f"{statistic.title} of model {model!r} is undefined with the positives that the audit found, so "
            "it cannot be compared. Check more rows, or choose another threshold or statistic."
        )
    return Estimate.of(
        statistic,
        found.value,
        audited.interval(found.low, found.high),
        assumptions_of_audit(audited),
        **statistic.place(audited.table),
        method="audit",
        diagnostics=audited.diagnostics,
    )


Resampling = tuple[int, Any] | None  # how often, and with which generator; None: influence values


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Estimates of each model, differences of each pair, and which is best at which prior."""

    statistic: str
    estimates: dict[str, Estimate]
    differences: list[Difference]
    ranking: ModelRanking | None
    method: str
    diagnostics: tuple[Diagnostic, ...] = ()
    smaller_is_better: bool = False

    def frame(self) -> Columns:
        """Return one row for each pair of models."""
        rows = [difference.frame() for difference in self.differences]
        return {key: np.concatenate([row[key] for row in rows]) for key in rows[0]}

    def __str__(self) -> str:
        lines = [f"{name}: {estimate.value:.4f}" for name, estimate in self.estimates.items()]
        lines += [str(difference) for difference in self.differences]
        if self.ranking is not None:
            lines.append(str(self.ranking))
        return "\n".join(lines)


@renamed({"method": {"influence": "analytic"}}, method="interval")
@takes_data  # type: ignore[arg-type]  # because of **options
def compare(
    joint: JointTable,
    *,
    statistic: str | Statistic = "roc_auc",
    prior: PriorLike = None,
    purity: PurityLike = None,
    threshold: float | None = None,
    top: float | None = None,
    confidence_level: float = 0.95,
    interval: str | None = None,
    n_resamples: int = DEFAULT_RESAMPLES,
    rng: Any = 0,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    audit: Audit | None = None,
    prior_of: str = "population",
    evidence: Any = None,
    **options: float,
) -> Comparison:
    """Compare models scored on the same rows.

    Parameters
    ----------
    joint : JointTable, or a data frame with ``label``, ``score`` and ``scenario``, as in `evaluate`
    statistic : str
        "roc_auc", "average_precision"; "brier_score", "log_loss" or "calibration_error" of probabilities;
        "pulp"; a metric at ``threshold`` or of the first rows (``top``); "enrichment_factor" (``top``),
        "rie", "bedroc" (``alpha=``) or "ndcg"; "roc_auc" also up to a false positive rate (``max_fpr=``).
        Or a `Statistic` of your own.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens every difference. "pulp" needs none.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; likewise.
    threshold : float, optional
        For metrics of the confusion matrix; the same for all models.
    top : int or float, optional
        In place of a threshold: the first so many rows of each model's list, or such a share of them.
    confidence_level : float, default 0.95
    interval : {"analytic", "bootstrap"}, optional
        Where the spread comes from. Default: the bootstrap for average precision, influence values
        ("analytic") otherwise.
    n_resamples, rng : int, default 500 and 0
        Of the bootstrap; its cost is O(rows) a resample, and of more than 200,000 rows O(blocks).
    label_bias, label_bias_side : float, default 1, and {"either", "high", "low"}
        How many times as likely to be labelled some positives may be as others; see `roc_auc`. Differences
        are widened by the worst bias of all rows at once, whichever side it favours. "pulp" needs none.
    audit : Audit, optional
        Rows that were checked, with their scores by all models. Then neither a prior nor random labels are
        assumed. For "roc_auc", "average_precision", "brier_score", "log_loss" and metrics at a threshold.
    prior_of : {"population", "rows"}
        Whose share of positives the prior is; see `roc_auc`.
    evidence : list, optional
        What else is known of the positives, with scores by all models; see `roc_auc`. Not for "pulp".
    options
        Of the metric, such as ``beta``.

    Examples
    --------
    >>> joint = JointTable.from_arrays(
    ...     [1, 1, 1, 0, 0, 0], {"a": [6, 5, 3, 4, 2, 1], "b": [6, 1, 3, 4, 2, 5]},
    ...     scenario="case_control")
    >>> compare(joint, prior=0.1).differences[0].value > 0
    True
    """
    if not isinstance(joint, JointTable):
        raise InputError(
            "compare needs a JointTable, in which all models score the same rows. Build one with "
            "JointTable.from_arrays."
        )
    asked = find(statistic, options, threshold=threshold, top=top).for_differences()
    if evidence is not None:
        if interval is not None:
            raise InputError("Intervals of evidence come from its likelihood. Leave out interval.")
        joined = {
            name: Joined.stated(
                table, evidence, prior=prior, purity=purity, level=confidence_level, audit=audit,
                label_bias=None if label_bias == 1 else label_bias, model=name,
            )
            for name, table in joint.tables.items()
        }  # fmt: skip
        return joined_comparison(joint, asked, joined)
    if audit is not None:
        check_alone(prior, label_bias)
        if interval is not None:
            raise InputError("Intervals of an audit come from its answers. Leave out interval.")
        alone, pairwise, remarks = audited_comparison(joint, asked, audit, purity, confidence_level)
        return Comparison(
            asked.name, alone, pairwise, None, "audit", remarks, asked.smaller_is_better
        )
    chosen = asked.compared_by if interval is None else interval
    method = check_choice(chosen, ("analytic", "bootstrap"), "interval")
    resampling = (check_resamples(n_resamples), rng) if method == "bootstrap" else None
    for table in joint.tables.values():
        asked.check(table)
    first = next(iter(joint.tables.values()))
    common = asked.assume(
        first, prior, purity, confidence_level, label_bias, label_bias_side, prior_of
    )
    found = comparison_of(joint, asked, common, resampling)
    if not asked.ranked_by_prior:
        return found
    settings = {name: asked.on(common, table) for name, table in joint.tables.items()}
    return replace(found, ranking=ranking_of(settings, asked))


def comparison_of(
    joint: JointTable, asked: Statistic, common: Setting, resampling: Resampling = None
) -> Comparison:
    """The comparison of models in a setting, without the ranking along the prior."""
    settings = {name: asked.on(common, table) for name, table in joint.tables.items()}
    estimates = {name: asked.estimate(s.at(s.prior)) for name, s in settings.items()}
    for name, estimate in estimates.items():
        if not np.isfinite(estimate.value):
            raise UnsupportedError(
                f"{estimate.title} of model {name!r} is undefined at this threshold, so it cannot be "
                "compared. Choose a threshold inside the range of the scores, or another metric."
            )
    pairs = list(combinations(joint, 2))
    method = "analytic" if resampling is None else "bootstrap"
    spreads, ranges, biased_spreads = [], None, []
    orders = _orders(joint, settings, pairs, asked)
    corners = common.at_extremes()
    for end in corners.points():
        points = {name: setting.at(end.prior, end.purity) for name, setting in settings.items()}
        here = _spreads(joint, points, asked, pairs, resampling)
        spreads.append(here)
        if not common.bias.is_random:
            told = [
                (with_sign_of_order(s[0], i, orders, end.gap), *s[1:]) for i, s in enumerate(here)
            ]
            tilted = []
            for bias in common.bias.smaller() if resampling is None else [common.bias]:
                biased = {name: point.with_bias(bias) for name, point in points.items()}
                tilted += _tilted_spreads(joint, biased, asked, pairs, resampling, told)
            biased_spreads += tilted
            ranges = ranges or [
                bias_interval([float(np.clip(s[0], -asked.span, asked.span)) for s in ends])
                for ends in zip(*tilted, strict=True)
            ]
    differences = differences_of(
        corners, pairs, spreads, f"paired_{method}", orders, ranges, biased_spreads
    )
    return Comparison(
        asked.name, estimates, differences, None, method, common.diagnostics,
        asked.smaller_is_better,
    )  # fmt: skip


def _spreads(
    joint: JointTable,
    points: dict[str, Setting],
    statistic: Statistic,
    pairs: list[tuple[str, str]],
    resampling: Resampling,
) -> list[Spread]:
    """The difference of each pair, its standard error and degrees of freedom."""
    values = {name: statistic.difference_value(point) for name, point in points.items()}
    joint = joint.fewer if resampling is None else joint
    if resampling is None or any(point.prior_drawn for point in points.values()):
        rows = {name: statistic.row_errors(joint, name, p) for name, p in points.items()}
    if resampling is None:
        unclear = {name: statistic.unclear(point) for name, point in points.items()}
        errors = [error_of(joint, rows[a] - rows[b], unclear[a] + unclear[b]) for a, b in pairs]
    else:
        drawn = replicates(joint, points, statistic, *resampling)
        errors = [_spread_of(joint, drawn[a] - drawn[b]) for a, b in pairs]
    found = []
    for (a, b), (error, degrees) in zip(pairs, errors, strict=True):
        if points[a].prior_drawn:
            by_prior = _error_by_prior(joint, points, statistic, (a, b), rows[a] - rows[b])
            error = float(np.hypot(error, by_prior))
        found.append((values[a] - values[b], error, degrees))
    return found


def _error_by_prior(
    joint: JointTable,
    points: dict[str, Setting],
    statistic: Statistic,
    pair: tuple[str, str],
    rows: FloatArray,
) -> float:
    """What a prior that was drawn with the rows adds to the error of a difference.

    ``rows`` is what each row adds to it otherwise.
    """
    first, second = (slope_by_prior(statistic, points[name]) for name in pair)
    point = points[pair[0]]
    if joint.units is not None:
        sums = np.bincount(joint.units.place, rows, minlength=joint.units.total)
        point = with_prior_effect(point, sums.astype(np.float64), first - second)
    return abs(first - second) * point.prior_error


def difference_ends(
    joint: JointTable, points: dict[str, Setting], statistic: Statistic, pair: tuple[str, str]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Both ends of what biased labels leave of a difference, and its limits there."""
    here = _spreads(joint, points, statistic, [pair], None)
    first, second = (statistic.plain(points[name]) for name in pair)
    here = [(first - second, *here[0][1:])]
    ends = [here]
    setting = points[pair[0]]
    if not setting.bias.is_random:
        ends += _tilted_spreads(joint, points, statistic, [pair], None, here)
    spreads = [end[0] for end in ends]
    limits = [
        value + sign * student_quantile(degrees, setting.level) * error
        for value, error, degrees in spreads
        for sign in (-1, 1)
    ]
    values = [value for value, _, _ in spreads]
    return (min(values), max(values)), (min(limits), max(limits))


def _tilted_spreads(
    joint: JointTable,
    points: dict[str, Setting],
    statistic: Statistic,
    pairs: list[tuple[str, str]],
    resampling: Resampling,
    here: list[Spread],
) -> list[list[Spread]]:
    """Spreads of pairs at both ends of what biased labels allow, each pair with rows tilted for itself."""
    ends: list[list[Spread]] = [[], []]
    for pair, (value, error, degrees) in zip(pairs, here, strict=True):
        own, other = (statistic.biased_alone(points[name]) for name in pair)
        if own is not None and other is not None:  # both at their worst: encloses
            (low, high, grown), (other_low, other_high, other_grown) = own, other
            wide = error * max(grown, other_grown)
            ends[0].append((low - other_high, wide, degrees))
            ends[1].append((high - other_low, wide, degrees))
            continue
        for found, end in zip(tilted_pairs(joint, statistic, points, pair), ends, strict=True):
            both = dict(zip(pair, (found.first, found.second), strict=True))
            spread = _spreads(found.joint, both, statistic, [pair], resampling)[0]
            if found.moved is not None:
                spread = (value + found.moved, *spread[1:])
            end.append(spread)
    return ends


def _orders(
    joint: JointTable,
    settings: dict[str, Setting],
    pairs: list[tuple[str, str]],
    statistic: Statistic,
) -> list[Spread] | None:
    """Differences before any correction, where these tell which model is better at every prior."""
    points = {name: setting.at(setting.prior) for name, setting in settings.items()}
    raw = {name: statistic.uncorrected(point) for name, point in points.items()}
    if any(value is None for value in raw.values()):
        return None
    known = {name: value for name, value in raw.items() if value is not None}
    joint = joint.fewer
    rows = {name: p.gap * statistic.row_errors(joint, name, p) for name, p in points.items()}
    return [(known[a] - known[b], *error_of(joint, rows[a] - rows[b], 0.0)) for a, b in pairs]


def error_of(joint: JointTable, rows: FloatArray, more: float) -> tuple[float, float]:
    """Standard error of a sum over rows, and its degrees of freedom (Welch and Satterthwaite).

    ``more`` is a variance that is not a sum over rows.
    """
    if joint.units is not None and not joint.independent:
        found, degrees = error_over_groups(rows, joint.kind == 0, joint.units)
        effect = found / max(weighted_sum(rows, rows), 1e-300)
        return float(np.sqrt(found + more * max(effect, 1.0))), degrees
    parts = [
        (float(np.sum(rows[g] ** 2)), int(g.sum())) for g in (joint.kind == k for k in range(3))
    ]
    parts[1] = parts[1][0] * joint.stands_for, int(parts[1][1] * joint.stands_for)
    if joint.weight is not None:
        own = joint.weight[joint.kind == 0]
        parts[0] = parts[0][0], int(own.sum() ** 2 / np.sum(own**2))
    total = sum(part for part, _ in parts)
    spread = sum(part**2 / max(size - 1, 1) for part, size in parts)
    return float(np.sqrt(total + more)), total**2 / spread if spread > 0 else 1.0


def _spread_of(joint: JointTable, drawn: FloatArray) -> tuple[float, float]:
    """Standard error of replicates, and its degrees of freedom."""
    labelled = TwoSamples(next(iter(joint.tables.values()))).sizes[0]
    if joint.units is not None and not joint.independent:  # as many as groups that have a label
        labelled = float(np.unique(joint.units.place[joint.kind == 0]).size)
    return float(np.std(drawn, ddof=1)) * small_sample(labelled), max(labelled - 1, 1.0)
