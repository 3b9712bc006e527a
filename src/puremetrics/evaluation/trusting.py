"""How far an evaluation can be trusted, and what scores, labels and prior give reason to say.

**Trust** (`trust_of_prior`, `trust_of_models`). What contradicts what comes first. Everything that depends on
the prior is as good as the prior, so the trust of an evaluation is that of its prior: given, audited, or
estimated from scores (`priors.trusting`). Two things overrule it. A prior above what the rankings allow and
labels that are a random sample cannot both be true; nor can a purity below what they allow. And a ranking
that is backwards, no better than chance, or no ranking of rows that its model had not seen, gives no figure
worth a headline, whatever the prior. The limit that is told is that of all models.

**Remarks** (`remarks_of`) are what the scores, the labels and the prior themselves give reason to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

import numpy as np

from puremetrics.calibration.bins import score_span
from puremetrics.comparing.ranges import ModelRanking
from puremetrics.evaluation.page_numbers import alike_share, least_purity
from puremetrics.exceptions import Diagnostic, PuremetricsError, UnsupportedError
from puremetrics.priors.labelling import labelling_of, least_bias_of
from puremetrics.priors.trusting import contradiction
from puremetrics.results import PriorEstimate, Trust
from puremetrics.setting import PriorLike, Setting
from puremetrics.tables.score_table import ScoreTable

__all__ = ["crossing_remark", "limit_remark", "remarks_of", "trust_of_models", "trust_of_prior"]


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


_MUCH_TIED = 0.2
_LABELLING_LEVEL = 0.99


def remarks_of(setting: Setting, tested: bool) -> list[Diagnostic]:
    """Remarks on one model; ``tested`` if the prior does not come from the same scores."""
    table = setting.table
    remarks = []
    if table.hidden is not None:
        remarks.append(
            Diagnostic(
                "PM606",
                f"the labelled scores did not fit and were put into {table.score.size} buckets. ROC AUC "
                "and average precision come with brackets; all else counts the rows of a bucket as tied.",
            )
        )
    low, high = score_span(table)
    if low < 0 or high > 1:
        remarks.append(
            Diagnostic(
                "PM504",
                f"scores span {low:.4g} to {high:.4g} and are not probabilities, so calibration was left "
                "out. `recalibrate` turns them into probabilities.",
            )
        )
    tied = _largest_tie(table)
    if tied >= _MUCH_TIED:
        remarks.append(
            Diagnostic(
                "PM505",
                f"{100 * tied:.0f} % of the unlabeled rows share one score, and no threshold can part "
                "them: curves are straight there, and tied pairs count one half. Score them more "
                "finely if you can.",
            )
        )
    if tested:
        with suppress(PuremetricsError):  # weights, or no unlabeled rows: nothing to compare
            remarks += labelling_of(setting.with_level(_LABELLING_LEVEL)).diagnostics
    return remarks


def crossing_remark(ranking: ModelRanking) -> list[Diagnostic]:
    """PM502 if the best model depends on the prior within its range, which the ranking is of."""
    if not ranking.crossings:
        return []
    low, high = float(ranking.prior[0]), float(ranking.prior[-1])
    return [
        Diagnostic(
            "PM502",
            f"the best model by AUC changes at prior {ranking.crossings[0]:.4g}, inside its range "
            f"{low:.4g} to {high:.4g}: narrow the prior before choosing a model.",
        )
    ]


def limit_remark(limit: float | None, setting: Setting) -> list[Diagnostic]:
    """PM503 if the prior is above what the ranking allows."""
    least = setting.assumed.low
    if limit is None or least <= limit:
        return []
    how = "not a random sample"
    with suppress(PuremetricsError):
        bias = least_bias_of(setting).low
        if bias > max(setting.bias.most, 1.0):
            how = f"biased: some positives {setting.design.favoured(f'at least {bias:.3g}')}"
    return [
        Diagnostic(
            "PM503",
            f"prior {least:.4g} exceeds {limit:.4g}, the largest that the ranking allows with "
            f"confidence {setting.level:g}: the prior is too high, or the labels are {how}.",
        )
    ]


def _largest_tie(table: ScoreTable) -> float:
    """Share of the unlabeled rows in the largest group of ties, if it is large; O(log rows)."""
    if table.total_unl == 0 or table.is_cut or table.is_scanned:
        return 0.0
    heads = np.floor(table.total_unl * np.arange(1, 10) / 10)
    above, through = table.unlabeled_steps(heads)
    return float(np.max(through - above)) / table.total_unl
