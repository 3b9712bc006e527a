"""What is assumed about a published number, and the estimate made of it; see `conversions`."""

from __future__ import annotations

from puremetrics.checking.arguments import check_count, check_number, shown
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.formulas import Formula
from puremetrics.results import Estimate, Interval, IntervalKind
from puremetrics.sampling.limits import bounded_interval
from puremetrics.scenarios import check_scenario, design_of
from puremetrics.setting import PriorLike, PurityLike, Setting
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "Sizes",
    "bounded",
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
            f"scenario={shown(name)} needs labelled_share=L/(L + U), or n_pos and n_unl: labelled rows are "
            "positives that the unlabeled rows have lost, and how many must be known."
        )
    else:
        counts = (_ANY_SHARE, 1 - _ANY_SHARE)
    table = ScoreTable.from_counts([0.0], n_pos=[counts[0]], n_unl=[counts[1]], scenario=name)
    if prior is None:
        raise InputError("prior is missing. Pass the share of positives in the population.")
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
    return Estimate(
        name=formula.name,
        title=formula.title,
        value=value,
        interval=interval,
        standard_error=error,
        method=method,
        scenario=setting.scenario,
        prior=setting.prior,
        unlabeled_share=unlabeled_share(setting, setting.prior, setting.purity),
        purity=setting.purity,
        diagnostics=(*setting.diagnostics, *remarks),
    )
