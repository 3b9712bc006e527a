"""Published numbers corrected without the rows they came from (Jain, White, Radivojac 2017, Theorem 1).

What is assumed about a published number is stated here (`setting_of`), and the estimate made of it
(`estimate_of`).

Symbols: α is the share of positives among the unlabeled, β the purity, c the share of the labelled among all
rows that were evaluated.

- AUC, Eq. (4): AUC = ½ + (AUC_pu − ½)/(β − α). AUC_pu compares labelled with *unlabeled* rows. In
  case-control α is the prior. In a single training set the labelled rows have left the unlabeled ones, whose
  share of positives is α = (prior − β·c)/(1 − c): c must be known.
- Precision, before Eq. (3). Let ρ_pu be the share of the labelled among the flagged rows. The flagged share
  of the labelled over that of the comparison sample is

      r = (1 − c)/c · ρ_pu/(1 − ρ_pu) in case-control,        r = ρ_pu/c in a single training set,

  where the comparison sample is the unlabeled rows, and all rows. With a the prior,
  ρ = a·((1 − a)·r − (1 − β))/(β − a). Neither recall nor the rate of flagged rows is needed, but c is.

Sampling error. Only the number is at hand, not the placements of the rows. Whatever the two distributions,
the variance of AUC_pu is at most AUC_pu·(1 − AUC_pu)/min(n_pos, n_unl) (van Dantzig 1951; Birnbaum, Klose
1957): that of a share among so many rows, and its limits are those of such a share. The formula of Hanley and
McNeil (1982) gives about half the width and holds for scores that are roughly exponential; it is too small
where some positives score like the lowest negatives. For the precision the counts of flagged rows can be had
from ρ_pu and their number, and the interval is that of `metric`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from puremetrics.checking.arguments import (
    check_choice,
    check_count,
    check_level,
    check_number,
    shown,
)
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.formulas import Formula, find_formula
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.results import Estimate, Interval, IntervalKind
from puremetrics.sampling.limits import agresti_coull, bounded_interval, move_into_range
from puremetrics.scenarios import check_scenario, design_of
from puremetrics.setting import PriorLike, PurityLike, Setting
from puremetrics.setting.assumed import resolve
from puremetrics.statistics.roc_area import direct_area
from puremetrics.statistics.threshold_metric import ThresholdMetric
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "Sizes",
    "bounded",
    "corrected_auc",
    "corrected_precision",
    "estimate_of",
    "setting_of",
    "share_of",
    "sizes_of",
    "unlabeled_share",
]


Sizes = tuple[int, int] | None  # labelled and unlabeled rows, if known

_ANY_SHARE = 0.5  # of the labelled, where it does not matter


def share_of(value: object, name: str) -> float:
    """A published share, in [0, 1]."""
    number = check_number(value, name)
    if not 0.0 <= number <= 1.0:
        percent = f" Did you mean {number / 100:g}?" if 1.0 < number <= 100.0 else ""
        raise InputError(f"{name}={number:g} must lie in [0, 1].{percent}")
    return number


def sizes_of(n_pos: int | None, n_unl: int | None) -> Sizes:
    """Labelled and unlabeled rows: both or neither."""
    if n_pos is None and n_unl is None:
        return None
    if n_pos is None or n_unl is None:
        missing = "n_pos" if n_pos is None else "n_unl"
        raise InputError(f"{missing} is missing. Pass both sizes, or neither.")
    return check_count(n_pos, "n_pos"), check_count(n_unl, "n_unl")


def setting_of(
    scenario: object,
    prior: PriorLike,
    purity: PurityLike,
    level: float,
    labelled_share: float | None,
    sizes: Sizes,
) -> Setting:
    """Everything that is assumed, about a table of which only the sizes are known."""
    name = check_scenario(scenario)
    labelled = None if labelled_share is None else check_number(labelled_share, "labelled_share")
    if labelled is not None and not 0.0 < labelled < 1.0:
        raise InputError(f"labelled_share={labelled:g} must lie strictly between 0 and 1.")
    if sizes is not None:
        exact = sizes[0] / sum(sizes)
        if labelled is not None and abs(labelled - exact) > 0.005:
            raise InputError(
                f"labelled_share={labelled:g} contradicts n_pos={sizes[0]} and n_unl={sizes[1]}, which make "
                f"{exact:.4g}. Pass one or the other."
            )
        counts: tuple[float, float] = sizes
    elif labelled is not None:
        counts = (labelled, 1 - labelled)
    elif design_of(name).one_sample:
        raise InputError(
            f"scenario={shown(name)} needs labelled_share=L/(L + U), or n_pos and n_unl: the labelled "
            "positives are missing from the unlabeled rows, and it must be known how many they are."
        )
    else:
        counts = (_ANY_SHARE, 1 - _ANY_SHARE)
    table = ScoreTable.from_counts([0.0], n_pos=[counts[0]], n_unl=[counts[1]], scenario=name)
    if prior is None:
        raise InputError("prior is missing. Pass the share of positives in the population.")
    if sizes is None:
        resolve(table, prior, purity, "rows")  # shares alone leave nothing to chance
    return Setting.of(table, prior, purity, level)


def unlabeled_share(setting: Setting, prior: float, purity: float) -> float:
    """Share of positives among the unlabeled."""
    share: float | None = setting.design.unlabeled_share(setting.table.totals, prior, purity)
    assert share is not None  # there are unlabeled rows
    return share


def bounded(
    setting: Setting, formula: Formula, value: float, ends: list[float], sampled: bool, how: str
) -> tuple[Interval | None, list[Diagnostic]]:
    """An interval that says what it holds: sampling error, what is assumed, both, or None of neither."""
    found, remarks = bounded_interval(setting, formula, value, min(ends), max(ends), how)
    if not sampled and setting.assumed.is_point:
        return None, remarks
    kind: IntervalKind = setting.kind if sampled else "identification"
    level = setting.level if sampled else 1.0
    return Interval(found.low, found.high, level, kind, how), remarks


def estimate_of(
    setting: Setting,
    formula: Formula,
    value: float,
    interval: Interval | None,
    error: float | None,
    method: str,
    remarks: list[Diagnostic],
) -> Estimate:
    """The estimate, with what it assumes."""
    return Estimate.of(
        formula,
        value,
        interval,
        {
            "scenario": setting.scenario,
            "prior": setting.prior,
            "unlabeled_share": unlabeled_share(setting, setting.prior, setting.purity),
            "purity": setting.purity,
        },
        standard_error=error,
        method=method,
        diagnostics=(*setting.diagnostics, *remarks),
    )


_AUC = Formula("roc_auc", "ROC AUC", 0.0, 1.0, np.asarray)
_INTERVALS = ("worst_case", "hanley_mcneil")


def corrected_auc(
    auc_pu: float,
    *,
    prior: PriorLike,
    scenario: str,
    purity: PurityLike = None,
    labelled_share: float | None = None,
    n_pos: int | None = None,
    n_unl: int | None = None,
    auc_pu_error: float | None = None,
    auc_pu_limits: tuple[float, float] | None = None,
    interval: str = "worst_case",
    confidence_level: float = 0.95,
) -> Estimate:
    """Correct a published AUC of labelled against unlabeled rows, without the rows.

    Parameters
    ----------
    auc_pu : float
        The AUC of labelled positives against *unlabeled* rows, with ties counted half.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range makes an interval.
    scenario : {"case_control", "single_training_set"}
        Whether the unlabeled rows are a sample of the whole population, or what is left of one sample
        after some of its positives got a label.
    purity : float or (low, high), default 1
        Share of true positives among the labelled.
    labelled_share : float, optional
        Labelled rows over all rows, L/(L + U). A single training set needs it, or both sizes.
    n_pos, n_unl : int, optional
        Labelled and unlabeled rows behind the number. With both there is a sampling interval.
    auc_pu_error, auc_pu_limits : optional
        The published standard error of ``auc_pu``, or its interval (low, high) at ``confidence_level``. They
        take the place of what is computed from the sizes.
    interval : {"worst_case", "hanley_mcneil"}
        How the variance of ``auc_pu`` is had from the sizes: the largest that is possible, which holds for
        all scores, or the usual one, which holds for scores without outliers.
    confidence_level : float, default 0.95

    Returns
    -------
    Estimate
        As `roc_auc` with ``method="direct"`` would give it. The value may leave [0, 1], which PM101 says:
        prior, purity or scenario then contradict the published number.

    Examples
    --------
    >>> round(float(corrected_auc(0.70, prior=0.25, purity=0.75, scenario="case_control")), 3)
    0.9
    >>> found = corrected_auc(0.8, prior=(0.1, 0.3), scenario="case_control", n_pos=200, n_unl=5000)
    >>> print(f"{found.value:.3f}, {found.interval:.2f}")
    0.875, 0.77 to 1.00
    """
    area = share_of(auc_pu, "auc_pu")
    level = check_level(confidence_level)
    chosen = check_choice(interval, _INTERVALS, "interval")
    sizes = sizes_of(n_pos, n_unl)
    setting = setting_of(scenario, prior, purity, level, labelled_share, sizes)
    priors, purities = setting.assumed.arrays()
    shares = np.array([unlabeled_share(setting, *pair) for pair in setting.assumed.pairs])
    gaps = purities - shares
    limits = _limits_of_area(area, level, sizes, chosen, auc_pu_error, auc_pu_limits)
    value = direct_area(area, float(gaps[0]))
    moved = _share_errors(setting, sizes, priors, purities)
    ends = [value]
    for limit in limits or (area, area):
        ends += list(_moved(area, limit, gaps, moved if limits else 0.0 * gaps, level))
    sampled = limits is not None
    found, remarks = bounded(setting, _AUC, value, ends, sampled, chosen if sizes else "published")
    if found is not None:  # as in roc_auc: the direct value is left as the formula gives it
        found = Interval(
            min(found.low, value), max(found.high, value), found.level, found.kind, found.method
        )
    error = None
    if limits is not None:
        error = (limits[1] - limits[0]) / 2 / normal_quantile(level) / float(gaps[0])
    return estimate_of(setting, _AUC, value, found, error, "direct", remarks)


def corrected_precision(
    precision_pu: float,
    *,
    prior: PriorLike,
    scenario: str,
    purity: PurityLike = None,
    labelled_share: float | None = None,
    n_pos: int | None = None,
    n_unl: int | None = None,
    n_flagged: int | None = None,
    confidence_level: float = 0.95,
) -> Estimate:
    """Correct a published precision of labelled against unlabeled rows, without the rows.

    Parameters
    ----------
    precision_pu : float
        Share of labelled rows among the flagged ones: labelled flagged over labelled and unlabeled flagged.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range makes an interval.
    scenario : {"case_control", "single_training_set"}
    purity : float or (low, high), default 1
        Share of true positives among the labelled.
    labelled_share : float, optional
        Labelled rows over all rows that were evaluated, L/(L + U). It, or both sizes, must be known: the
        published number depends on how many labelled rows were put beside the unlabeled ones.
    n_pos, n_unl : int, optional
        Labelled and unlabeled rows.
    n_flagged : int, optional
        Rows that were flagged, labelled and unlabeled together. With both sizes it gives a sampling interval.
    confidence_level : float, default 0.95

    Returns
    -------
    Estimate
        As `metric` with ``"precision"`` would give it.

    Examples
    --------
    >>> found = corrected_precision(
    ...     0.25, prior=0.1, scenario="case_control", n_pos=200, n_unl=1000, n_flagged=160)
    >>> print(f"{found.value:.3f}, {found.interval:.2f}")
    0.167, 0.12 to 0.23
    """
    shown_share = share_of(precision_pu, "precision_pu")
    level = check_level(confidence_level)
    sizes = sizes_of(n_pos, n_unl)
    if sizes is None and labelled_share is None:
        raise InputError(
            "The precision of labelled against unlabeled rows depends on how many of each there were. Pass "
            "labelled_share=L/(L + U), or n_pos and n_unl."
        )
    setting = setting_of(scenario, prior, purity, level, labelled_share, sizes)
    formula = find_formula("precision", {})[0]
    if n_flagged is not None:
        return _from_counts(
            setting, formula, shown_share, check_count(n_flagged, "n_flagged"), sizes
        )
    design, totals = setting.design, setting.table.totals
    flagged = (shown_share, 1 - shown_share, 0.0)
    compared = design.comparison_total(flagged, totals)
    if compared <= 0:
        raise InputError(
            "precision_pu=1 says that no unlabeled row was flagged, so nothing is known about the rows that "
            "are flagged in the population. Pass the precision at a lower threshold."
        )
    ratio = shown_share / totals[0] * design.comparison_total(totals, totals) / compared
    priors, purities = setting.assumed.arrays()
    values = _precision(ratio, setting.shares_of(priors, purities), purities)
    found, remarks = bounded(setting, formula, float(values[0]), list(values), False, "published")
    value = move_into_range(formula, float(values[0]))
    return estimate_of(setting, formula, value, found, None, "correction", remarks)


# ---------------------------------------------------------------- the area


def _limits_of_area(
    area: float,
    level: float,
    sizes: Sizes,
    chosen: str,
    error: float | None,
    limits: tuple[float, float] | None,
) -> tuple[float, float] | None:
    """Limits of AUC_pu: as published, or those of a share among as many rows as the variance says."""
    if limits is not None:
        return _published(area, limits)
    if error is not None:
        spread = check_number(error, "auc_pu_error")
        if spread <= 0:
            raise InputError(f"auc_pu_error={shown(error)} must be positive.")
        size = max(area * (1 - area) / max(spread**2, 1e-300), 1.0)
        return agresti_coull(area, size, level)
    if sizes is None:
        return None
    size = float(min(sizes))
    if chosen == "hanley_mcneil" and 1e-9 < area < 1 - 1e-9:
        size = area * (1 - area) / _hanley_mcneil(area, *sizes)
    return agresti_coull(area, size, level)


def _published(area: float, limits: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = (share_of(end, "an end of auc_pu_limits") for end in limits)
    except (TypeError, ValueError) as problem:
        if isinstance(problem, InputError):
            raise
        raise InputError(
            f"auc_pu_limits={shown(limits)} must be the published interval, (low, high)."
        ) from None
    if not low <= area <= high:
        raise InputError(
            f"auc_pu={area:g} lies outside auc_pu_limits=({low:g}, {high:g}). Pass (low, high) around it."
        )
    return low, high


def _hanley_mcneil(area: float, n_pos: int, n_unl: int) -> float:
    """Variance of an AUC of exponential scores."""
    two_pos, two_unl = area / (2 - area), 2 * area**2 / (1 + area)
    parts = (n_pos - 1) * (two_pos - area**2) + (n_unl - 1) * (two_unl - area**2)
    return (area * (1 - area) + parts) / (n_pos * n_unl)


def _share_errors(
    setting: Setting, sizes: Sizes, priors: FloatArray, purities: FloatArray
) -> FloatArray:
    """Standard error of the share of positives among the unlabeled, where the number of labels is random."""
    if sizes is None:
        return np.zeros(priors.size)
    found = [
        setting.design.unlabeled_share_error(setting.table.totals, float(p), float(b))
        for p, b in zip(priors, purities, strict=True)
    ]
    return np.array(found)


def _moved(
    area: float, limit: float, gaps: FloatArray, errors: FloatArray, level: float
) -> FloatArray:
    """The corrected area at one limit of AUC_pu, with the error of the gap added in quadrature."""
    centre = direct_area(area, 1.0) - 0.5
    by_area = (limit - area) / gaps
    by_gap = normal_quantile(level) * errors * centre / gaps**2
    away = -1.0 if limit < area else 1.0
    return np.asarray(0.5 + centre / gaps + away * np.hypot(by_area, by_gap))


# ---------------------------------------------------------------- the precision


def _precision(ratio: float, share: FloatArray, purity: FloatArray) -> FloatArray:
    """Jain, before Eq. (3): from the flagged share of the labelled over that of the comparison sample."""
    return np.asarray(share * ((1 - share) * ratio - (1 - purity)) / (purity - share))


def _from_counts(
    setting: Setting,
    formula: Formula,
    shown_share: float,
    flagged: int,
    sizes: Sizes,
) -> Estimate:
    """What `metric` says of a table with the flagged rows above all others."""
    if sizes is None:
        raise InputError("n_flagged needs n_pos and n_unl as well, for a sampling interval.")
    found = round(shown_share * flagged)
    if found > sizes[0] or flagged - found > sizes[1]:
        raise InputError(
            f"precision_pu={shown_share:g} and n_flagged={flagged} make {found} labelled and "
            f"{flagged - found} unlabeled flagged rows, but there are {sizes[0]} and {sizes[1]}. "
            "Check that all three numbers are about the same rows."
        )
    table = ScoreTable.from_counts(
        [1.0, 0.0],
        n_pos=[found, sizes[0] - found],
        n_unl=[flagged - found, sizes[1] - flagged + found],
        scenario=setting.scenario,
    )
    estimate = ThresholdMetric(formula, 1.0).estimate(setting.on(table))
    return replace(estimate, threshold=None)
