"""Statistics by name: every file of this folder registers its own, and everybody finds them here.

The package loads all of its files, so a new file is known without another change.

>>> find("recall", threshold=0.5).title
'Recall (true positive rate)'
>>> find("roc_auc", {"max_fpr": 0.1}).name
'partial_roc_auc'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from puremetrics.auditing import Audit, Audited, check_alone
from puremetrics.bounds.largest import above_largest
from puremetrics.checking.arguments import shown
from puremetrics.evidence import Joined
from puremetrics.exceptions import InputError
from puremetrics.numerics.formulas import ALIASES, METRICS
from puremetrics.results import Estimate
from puremetrics.setting import PriorLike, PurityLike
from puremetrics.statistics.statistic import Statistic
from puremetrics.statistics.worlds import audited_estimate, joined_estimate
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Ask", "estimate_from", "find", "find_some", "metrics", "names", "register"]


@dataclass
class Ask:
    """What a caller asks for: a name, a place, and options. A builder takes what it knows."""

    name: str
    threshold: Any = None
    top: Any = None
    options: dict[str, Any] = field(default_factory=dict)

    def take(self, option: str, default: Any = None) -> Any:
        """An option that the statistic knows, or its default."""
        return self.options.pop(option, default)

    def take_all(self) -> dict[str, Any]:
        """All options; the statistic refuses those that it does not know."""
        taken, self.options = self.options, {}
        return taken

    def take_threshold(self) -> Any:
        """The score from which on rows are predicted positive."""
        taken, self.threshold = self.threshold, None
        return taken

    def take_top(self) -> Any:
        """The budget."""
        taken, self.top = self.top, None
        return taken

    def check_all_taken(self) -> None:
        """Raise if something was asked that the statistic knows nothing of."""
        place = "threshold" if self.threshold is not None else "top"
        if getattr(self, place) is not None:
            raise InputError(f"{self.name!r} takes no {place}. Leave it out.")
        if self.options:
            raise InputError(
                f"{next(iter(self.options))!r} is not an option of {self.name!r}. Leave it out."
            )


Build = Callable[[Ask], Statistic]
_BUILDERS: dict[str, Build] = {}
_METRICS: list[str] = []
_LISTED: list[str] = []


def register(name: str, build: Build, *, metric: bool = False, listed: bool = True) -> None:
    """Make a statistic known by its name; ``build`` makes it of what is asked.

    ``metric`` marks the metrics of a confusion matrix, which `metric` and thresholds are about; other
    spellings of a name are not ``listed``.
    """
    _BUILDERS[name] = build
    for wanted, kept in ((metric, _METRICS), (listed, _LISTED)):
        if wanted and name not in kept:
            kept.append(name)


def names() -> list[str]:
    """The names of all statistics, without other spellings."""
    return sorted(_LISTED)


def metrics() -> list[str]:
    """The names of the metrics of a confusion matrix, which take a threshold or a budget."""
    return sorted(name for name in _METRICS if name in _LISTED)


def find(
    statistic: object,
    options: Mapping[str, Any] | None = None,
    *,
    threshold: Any = None,
    top: Any = None,
    metrics_only: bool = False,
) -> Statistic:
    """The statistic of that name, its options checked; a `Statistic` is taken as it is."""
    given = {key: value for key, value in (options or {}).items() if value is not None}
    if isinstance(statistic, Statistic):
        if given or threshold is not None or top is not None:
            raise InputError(
                f"{statistic.name!r} was passed as an object, which already has a threshold or top, and "
                "options. Leave out threshold, top and options."
            )
        return statistic
    allowed = _METRICS if metrics_only else _BUILDERS
    if not isinstance(statistic, str) or statistic not in allowed:
        listed = [name for name in names() if name in allowed]
        what = "metric" if metrics_only else "statistic"
        raise InputError(
            f"There is no {what} {shown(statistic)}. Choose one of {', '.join(listed)}."
        )
    ask = Ask(statistic, threshold, top, given)
    found = _BUILDERS[statistic](ask)
    ask.check_all_taken()
    return found


def find_some(
    statistic: object, options: Mapping[str, Any], threshold: Any
) -> tuple[Statistic, set[str], bool]:
    """A statistic with those of the options, and the threshold, that it takes; and which these are."""
    if isinstance(statistic, Statistic):
        return statistic, set(), False
    if not isinstance(statistic, str) or statistic not in _BUILDERS:
        return find(statistic), set(), False
    takes = METRICS[ALIASES.get(statistic, statistic)].options if statistic in _METRICS else ()
    if statistic in _METRICS:
        own = {key: value for key, value in options.items() if key in takes}
        return find(statistic, own, threshold=threshold), set(own), True
    ask = Ask(statistic, options=dict(options))
    found = _BUILDERS[statistic](ask)
    return found, set(options) - set(ask.options), False


def estimate_from(
    statistic: Statistic,
    table: ScoreTable,
    prior: PriorLike = None,
    purity: PurityLike = None,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    audit: Audit | None = None,
    prior_of: str = "population",
    evidence: Any = None,
) -> Estimate:
    """The estimate of a table under the assumptions that a user states."""
    if evidence is not None:
        stated = None if label_bias == 1 else label_bias
        joined = Joined.stated(
            table, evidence, prior=prior, purity=purity, level=confidence_level, label_bias=stated,
            audit=audit,
        )  # fmt: skip
        return joined_estimate(statistic, joined)
    if audit is not None:
        check_alone(prior, label_bias)
        return audited_estimate(statistic, Audited.of(table, audit, purity, confidence_level))
    setting = statistic.assume(
        table, prior, purity, confidence_level, label_bias, label_bias_side, prior_of
    )
    found = statistic.estimate(setting)
    against = above_largest(setting)
    return replace(found, diagnostics=(*found.diagnostics, *against)) if against else found
