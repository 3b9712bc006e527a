"""What `evaluate` returns: the models, what is assumed of all of them, and the answer in a few sentences.

It shows itself as a page for the terminal, JSON, columns or HTML.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from puremetrics.auditing import Audit
from puremetrics.checking.types import FloatArray
from puremetrics.comparing.comparison import Comparison
from puremetrics.comparing.drifting import Drift
from puremetrics.comparing.ranges import ModelRanking, default_priors, ranking_of
from puremetrics.evaluation.audited import AuditSummary, audit_summary
from puremetrics.evaluation.model import ModelEvaluation
from puremetrics.evaluation.showing import (
    csv_text,
    latex_table,
    markdown_table,
    page_lines,
    paper_sentence,
    short_lines,
    trust_dict,
    verdict_dict,
)
from puremetrics.evaluation.trusting import crossing_remark, limit_remark
from puremetrics.evaluation.verdict import Verdict, verdict_of
from puremetrics.evidence import EvidenceTable
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.planning.plan import AuditPlan, plan_audit
from puremetrics.results import Columns, Interval, PriorEstimate, Result, Trust, json_ready
from puremetrics.setting import Assumed, Setting
from puremetrics.statistics.catalogue import find, metrics

__all__ = ["SCHEMA_VERSION", "Evaluation"]

SCHEMA_VERSION = 1
_MANY = 20_000  # rows of a cut table
_CHECKED = 200  # rows of an audit, where no number is recommended
_INSIDE = 9  # priors inside its range at which it is looked which model is best


def _priors_to_rank(common: Setting) -> FloatArray | None:
    """Priors at which models are ranked: fewer than by default where a ranking has many steps."""
    if common.ranked.score.size <= _MANY:
        return None
    return default_priors(common.table, common.purity)[::4]


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Result):
    """One honest picture of one or more classifiers on the same rows.

    ``print(evaluation)`` gives the verdict and five figures a model, `details` everything; `to_dict` and
    `to_json` follow a versioned schema; `to_frame` gives one row per model and metric. ``comparison`` has the
    paired differences of the models' ROC areas, if their rows are paired (a `JointTable`).
    """

    models: dict[str, ModelEvaluation]
    prior: Assumed
    prior_source: str
    largest_prior: float | None
    level: float
    common: Setting = field(compare=False)
    trust: Trust = field(default_factory=lambda: Trust("known", "the prior was given."))
    estimate: PriorEstimate | None = None
    label_bias: float = 1.0
    label_bias_side: str = "either"
    checked: Audit | None = field(default=None, compare=False)
    comparison: Comparison | None = None
    drifts: dict[str, Drift] = field(default_factory=dict)

    parts: ClassVar[tuple[str, ...]] = ("ranking", "diagnostics", "audit", "evidence")

    def __getitem__(self, model: str) -> ModelEvaluation:
        """A model by name: ``evaluation["forest"]["roc_auc"]`` is a figure of it."""
        if model not in self.models:
            known = ", ".join(self.models)
            raise InputError(f"There is no model {model!r}. There are: {known}.")
        return self.models[model]

    @property
    def drift(self) -> Drift | None:
        """How the first model fares from segment to segment, if there are segments."""
        return next(iter(self.drifts.values()), None)

    @cached_property
    def ranking(self) -> ModelRanking | None:
        """Which of several models is best at which prior, if labels are random; None with evidence."""
        if len(self.models) < 2 or self.rests_on_evidence:
            return None
        return self._ranking(_priors_to_rank(self.common))

    @property
    def rests_on_evidence(self) -> bool:
        """Whether figures rest on evidence that was passed, and not on random labels and a prior."""
        return any(model.joined is not None for model in self.models.values())

    def _ranking(self, priors: FloatArray | None) -> ModelRanking:
        points = {name: model.setting for name, model in self.models.items()}
        limits = {} if self.largest_prior is None else dict.fromkeys(points, self.largest_prior)
        return ranking_of(points, find("roc_auc"), priors, limits)

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:  # type: ignore[override]
        """Remarks about the prior, the models together, and the segments."""
        found = list(() if self.estimate is None else self.estimate.diagnostics)
        if self.ranking is not None and not self.common.assumed.is_point:
            known = self.common.assumed
            found += crossing_remark(self._ranking(np.linspace(known.low, known.high, _INSIDE)))
        found += limit_remark(self.largest_prior, self.common)
        if self.drift is not None:
            found += [remark for remark in self.drift.diagnostics if remark.code == "PM604"]
        return tuple(found)

    @cached_property
    def audit(self) -> AuditSummary | None:
        """What an audit says of the rows, stratum by stratum, and of the labels."""
        if self.checked is None:
            return None
        first, model = next(iter(self.models.items()))
        return audit_summary(model.table, self.checked, self.level, first)

    @cached_property
    def evidence(self) -> EvidenceTable | None:
        """What each kind of evidence says of the prior, and what it is worth; None if there is none.

        ``evaluation["model"]["precision"].evidence`` is the same of a figure.
        """
        made = None if self.estimate is None else self.estimate.evidence
        return made if isinstance(made, EvidenceTable) else None

    @cached_property
    def verdict(self) -> Verdict:
        """Who is better and by how much, what it means, how far to trust it, what to do next."""
        return verdict_of(self)

    def plan_audit(
        self, *, budget: int | None = None, target: str | None = None, model: str | None = None
    ) -> AuditPlan:
        """Plan which unlabeled rows to check by hand: by default what ``verdict.next_step`` recommends.

        Parameters
        ----------
        budget : int, optional
            How many rows; default: as many as recommended, or 200.
        target : str, optional
            What is to become known; default: the headline figure with the widest interval.
        model : str, optional
            Default: the best by ROC AUC.

        Returns
        -------
        AuditPlan
            ``plan.draw(y, score)`` picks the rows, ``plan.audit(rows, answers)`` makes an audit of what they
            turned out to be.
        """
        advice = self.verdict.advice
        name = model or self.verdict.best or next(iter(self.models))
        own = self[name]
        wanted = target or (advice.figure if advice is not None else "precision")
        rows = budget or (advice.rows if advice is not None else None) or _CHECKED
        at = own.threshold if wanted in metrics() else None
        known = self.prior
        plan = plan_audit(
            own.table,
            budget=rows,
            target=wanted,
            threshold=at,
            prior=known.value if known.is_point else (known.low, known.high),
            confidence_level=self.level,
        )
        named = name if len(self.models) > 1 else plan.strata.model
        return replace(plan, strata=replace(plan.strata, model=named))

    @property
    def certain(self) -> Interval | None:
        """What is certain of an estimated prior: from the share that is labelled to the largest allowed."""
        found = None if self.estimate is None else self.estimate.certain
        if found is None or self.largest_prior is None:
            return found
        return replace(found, high=max(min(found.high, self.largest_prior), found.low))

    def __str__(self) -> str:
        return "\n".join(short_lines(self))

    def details(self) -> str:
        """Return all figures, as `puremetrics evaluate --verbose` prints them."""
        return "\n".join([*self.verdict.sentences, "", *page_lines(self)])

    def sentence(self, model: str | None = None) -> str:
        """Return the sentence for a paper: figures, intervals, bounds, the prior and where it comes from.

        Parameters
        ----------
        model : str, optional
            Default: the best by ROC AUC.
        """
        return paper_sentence(self, model)

    def to_markdown(self) -> str:
        """Return verdict and figures as Markdown."""
        return markdown_table(self)

    def to_latex(self) -> str:
        """Return the figures as a LaTeX table (booktabs)."""
        return latex_table(self)

    def to_csv(self) -> str:
        """Return `frame` as CSV."""
        return csv_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings under ``schema_version``."""
        ready: dict[str, Any] = json_ready(self._content())
        return ready

    def _content(self) -> dict[str, Any]:
        known = self.prior
        ranges = [] if self.ranking is None else self.ranking.ranges
        return {
            "schema_version": SCHEMA_VERSION,
            "verdict": verdict_dict(self.verdict),
            "trust": trust_dict(self.trust, self.verdict.grade),
            "confidence_level": self.level,
            "prior": {
                "value": None
                if self.rests_on_evidence and self.trust.level == "contradicted"
                else known.value,
                "low": known.low,
                "high": known.high,
                "purity": known.purity,
                "purity_low": known.purity_low,
                "purity_high": known.purity_high,
                "source": self.prior_source,
                "largest": self.largest_prior,
                "least": None if self.certain is None else self.certain.low,
                "separable": None if self.estimate is None else self.estimate.separable,
            },
            "label_bias": {
                "most": None if self.rests_on_evidence else self.label_bias,
                "side": self.label_bias_side,
            },
            "models": self.models,
            "ranking": None
            if self.ranking is None
            else {
                "statistic": self.ranking.statistic,
                "ranges": [{"low": low, "high": high, "best": best} for low, high, best in ranges],
            },
            "differences": [] if self.comparison is None else self.comparison.differences,
            "drift": self.drift,
            "drifts": self.drifts,
            "audit": self.audit,
            "evidence": self.evidence,
            "diagnostics": self.diagnostics,
        }

    def to_json(self, **options: Any) -> str:
        """Return `to_dict` as JSON; infinite and undefined numbers become null."""
        return json.dumps(self.to_dict(), **{"indent": 1, **options}, allow_nan=False)

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        title: str | None = None,
        truth: Mapping[str, Mapping[str, float]] | None = None,
    ) -> str:
        """Return a self-contained page in which prior, purity and threshold can be moved.

        Parameters
        ----------
        path : path, optional
            Where the page is written as well, whole or not at all.
        title : str, optional
        truth : mapping of model to mapping of metric to number, optional
            Known values to show beside the estimates, such as those of fully labelled test data.
        """
        from puremetrics.report import render

        page = render(self, title=title, truth=truth)
        if path is not None:
            from puremetrics.io.writing import write_text

            write_text(Path(path), page)
        return page

    def _repr_html_(self) -> str:
        from puremetrics.report import notebook

        return notebook(self)

    def frame(self) -> Columns:
        """Return columns, one row for each model and metric."""
        parts = [model.frame() for model in self.models.values()]
        names = np.repeat(list(self.models), [part["metric"].size for part in parts])
        joined = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
        return {"model": names, **joined}
