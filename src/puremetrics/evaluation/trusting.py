"""How far an evaluation can be trusted: what contradicts what comes first.

Everything that depends on the prior is as good as the prior, so the trust of an evaluation is that of its
prior: given, audited, or estimated from scores (`priors.trusting`). Two things overrule it. A prior above
what the rankings allow and labels that are a random sample cannot both be true; nor can a purity below what
they allow. And a ranking that is backwards, no better than chance, or no ranking of rows that its model had
not seen, gives no figure worth a headline, whatever the prior. The limit that is told is that of all models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from puremetrics.evaluation.allowed import alike_share, least_purity
from puremetrics.exceptions import UnsupportedError
from puremetrics.priors.trusting import contradiction
from puremetrics.results import PriorEstimate, Trust
from puremetrics.setting import PriorLike, Setting
from puremetrics.tables.score_table import ScoreTable

__all__ = ["trust_of_models", "trust_of_prior"]


def trust_of_prior(
    named: Mapping[str, ScoreTable],
    setting: Setting,
    given: PriorLike,
    estimate: PriorEstimate | None,
    limit: float | None,
) -> Trust:
    """The trust of the prior that all models share; ``limit`` is the largest that all of them allow."""
    against = _prior_against(setting, limit) or _purity_against(named, setting)
    if against is not None:
        return against
    if estimate is not None:
        found = estimate.trust or Trust("known", "the prior was given as an estimate.")
        return replace(found, limit=limit) if found.limit is not None else found
    if given is None:
        return Trust("known", "every row is labelled, so the prior can be counted.")
    return Trust("known", "the prior was given.")


def trust_of_models(
    named: Mapping[str, ScoreTable], prior: Trust, level: float
) -> dict[str, Trust]:
    """The trust of every model: that of the prior, unless its own scores say otherwise."""
    if prior.level == "contradicted":
        return dict.fromkeys(named, prior)
    return {name: _against(table, level) or prior for name, table in named.items()}


def _prior_against(setting: Setting, limit: float | None) -> Trust | None:
    least = setting.assumed.low
    if limit is None or least <= limit:
        return None
    meant = f" (if {least:g} % was meant, pass {least / 100:g})"
    known = setting.assumed
    at = "" if known.clean else f" at purity {known.purity_high:.4g}"
    return Trust(
        "contradicted",
        f"a prior of {least:.4g} is above {limit:.4g}, the largest that the data allow{at} with confidence "
        f"{setting.level:g}: the prior is too high, or the labels are not a random sample of the positives"
        f"{meant if least / 100 <= limit and least >= 0.1 else ''}.",
        "Checking some unlabeled rows would tell which (prior_from_audit).",
    )


def _purity_against(named: Mapping[str, ScoreTable], setting: Setting) -> Trust | None:
    """A purity below what the data allow.

    Labelled rows are a mixture β P + (1 − β) N and the unlabeled are a P + (1 − a) N. If the labelled contain
    the unlabeled's distribution at most with share s, then 1 − β ≤ s (1 − a).
    """
    known = setting.assumed
    if known.purity_high == 1.0 or setting.table.total_unl == 0:
        return None
    if setting.table.has_propensities and setting.design.one_sample:
        return None  # the unlabeled positives differ from the labelled ones
    level = 1 - (1 - setting.level) / len(named)
    hidden = setting.design.unlabeled_share(setting.table.totals, known.low, known.purity_high)
    least = least_purity(alike_share(list(named.values()), level), float(hidden))
    if known.purity_high >= least:
        return None
    return Trust(
        "contradicted",
        f"a purity of {known.purity_high:.4g} is below {least:.4g}, the least that the data allow with "
        f"confidence {setting.level:g} at prior {known.low:.4g}: the labelled rows differ too much from the "
        "unlabeled ones for so many of them to be wrong.",
        "Checking some labelled rows would tell the purity.",
    )


def _against(table: ScoreTable, level: float) -> Trust | None:
    if table.total_unl == 0:
        return None
    try:
        return contradiction(table, level)
    except UnsupportedError:
        return None
