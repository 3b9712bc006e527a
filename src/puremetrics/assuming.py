"""`assume`: what is assumed about some rows, as an object that answers questions.

>>> import puremetrics as pm
>>> y, score = [1, 1, 1, 0, 0, 0, 0, 0], [9, 8, 4, 7, 5, 3, 2, 1]
>>> given = pm.assume(y, score, scenario="case_control", prior=0.2)
>>> round(given.roc_auc().value, 3)
0.917
>>> given.metric("recall", threshold=5).value
0.6666666666666666
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, signature
from typing import Any

import numpy as np

from puremetrics.auditing import Audit, Audited, check_alone, check_audit
from puremetrics.auditing.areas import audited_rates
from puremetrics.bounds import (
    average_precision_bounds,
    confusion_bounds,
    metric_bounds,
    metric_curve_bounds,
    pr_bounds,
    roc_auc_bounds,
    roc_bounds,
)
from puremetrics.bounds.largest import largest_prior
from puremetrics.calibration import reliability_curve
from puremetrics.checking.arguments import check_choice, check_level
from puremetrics.comparing.comparison import Comparison, compare
from puremetrics.comparing.sensitivity import (
    LabelBiasSensitivity,
    PriorSensitivity,
    PuritySensitivity,
    prior_sensitivity,
    sensitivity_to_bias,
    sensitivity_to_purity,
)
from puremetrics.comparing.threshold import choose_threshold
from puremetrics.comparing.threshold_choice import ThresholdChoice
from puremetrics.comparing.tipping import TippingPoint, tipping_point
from puremetrics.correction import pr_curve, roc_curve, roc_hull
from puremetrics.evaluation import Evaluation, evaluate
from puremetrics.evidence import Joined, joint_prior
from puremetrics.exceptions import InputError, PuremetricsError, UnsupportedError
from puremetrics.listing import discovery_curve, net_benefit
from puremetrics.results import Curve, Estimate, PriorEstimate
from puremetrics.results.protocol import number, percent
from puremetrics.setting import LabelBias, PriorLike, PurityLike, Setting, purity_range
from puremetrics.statistics import find
from puremetrics.statistics.label_ranking import (
    lee_liu,
    mean_f1,
    mean_mutual_information,
    mean_pearson,
    naive_auc,
    naive_average_precision,
    pseudo_f,
    pulp,
)
from puremetrics.statistics.statistic import Statistic
from puremetrics.statistics.worlds import audited_estimate, joined_estimate
from puremetrics.tables.framing import takes_data
from puremetrics.tables.joint import JointTable
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Assumptions", "assume"]

_CURVES: dict[str, Callable[..., Any]] = {
    "roc": roc_curve,
    "precision_recall": pr_curve,
    "hull": roc_hull,
    "reliability": reliability_curve,
    "discovery": discovery_curve,
    "net_benefit": net_benefit,
}
_BOUNDS: dict[str, Callable[..., Any]] = {
    "roc_auc": roc_auc_bounds,
    "average_precision": average_precision_bounds,
    "roc": roc_bounds,
    "precision_recall": pr_bounds,
    "confusion": confusion_bounds,
}
_RANKINGS: dict[str, Callable[..., Estimate]] = {
    "pulp": pulp,
    "lee_liu": lee_liu,
    "pseudo_f": pseudo_f,
    "mean_f1": mean_f1,
    "mean_mutual_information": mean_mutual_information,
    "mean_pearson": mean_pearson,
    "naive_auc": naive_auc,
    "naive_average_precision": naive_average_precision,
}


@takes_data
def assume(
    table: ScoreTable | JointTable,
    *,
    prior: PriorLike = None,
    purity: PurityLike = None,
    label_bias: float | None = None,
    label_bias_side: str = "either",
    audit: Audit | None = None,
    confidence_level: float = 0.95,
    prior_of: str = "population",
    evidence: Any = None,
) -> Assumptions:
    """State what is assumed about some rows, once, and ask as many questions as you like.

    Parameters
    ----------
    table : ScoreTable or JointTable
        The rows of one model, or of several. Labels and scores do as well (``assume(y, score, scenario=…)``),
        and so does a data frame with the names of its columns.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. What needs none, such as recall, can be asked without; `evaluate`
        estimates it if it is left out.
    purity : float or (low, high), default 1
        Share of true positives among the labelled.
    label_bias, label_bias_side : float, optional, and {"either", "high", "low"}
        How many times as likely to be labelled some positives may be as others; see `roc_auc`. Left out,
        labels are taken as a random sample; 1 says that they are, which `evaluate` trusts more.
    audit : Audit, optional
        Rows that were checked. Answers then rest on them, and assume neither a prior nor random labels.
    confidence_level : float, default 0.95
    prior_of : {"population", "rows"}
        Whether the prior is known of the population, or is the share of positives among the very rows at
        hand; see `roc_auc`.
    evidence : list, optional
        What else is known of the positives, such as `LabelSources` or `Investigated`; see `roc_auc`. Prior,
        audit and label bias then count as evidence like any other.

    Returns
    -------
    Assumptions
        ``print`` says what is assumed, and whether the data contradict it.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=range(30, 60), unlabeled=range(50), scenario="case_control")
    >>> given = assume(table, prior=(0.1, 0.2), label_bias=2)
    >>> given.roc_auc().interval.kind
    'combined'
    >>> given.along("label_bias", "roc_auc", at=[1, 2]).low.size
    2
    """
    if not isinstance(table, ScoreTable | JointTable):
        raise InputError(
            f"assume takes a ScoreTable or a JointTable, not {type(table).__name__}. Build one with "
            "ScoreTable.from_arrays, or pass labels and scores."
        )
    made = Assumptions(
        table,
        prior,
        purity,
        1.0 if label_bias is None else label_bias,
        label_bias_side,
        audit,
        confidence_level,
        prior_of=prior_of,
        labels_stated=label_bias is not None,
        evidence=evidence,
    )
    made.check()
    return made


@dataclass(frozen=True, eq=False, repr=False)
class Assumptions:
    """Some rows with everything that is assumed about them; made by `assume`.

    Attributes
    ----------
    data : ScoreTable or JointTable
    prior, purity, label_bias, label_bias_side, audit, confidence_level, prior_of
        As they were given.
    labels_stated : bool
        Whether ``label_bias`` was given.
    evidence : list or None
        As it was given.
    """

    data: ScoreTable | JointTable
    prior: PriorLike = None
    purity: PurityLike = None
    label_bias: float = 1.0
    label_bias_side: str = "either"
    audit: Audit | None = None
    confidence_level: float = 0.95
    model: str = "model"
    prior_of: str = "population"
    labels_stated: bool = True
    evidence: Any = None

    def check(self) -> None:
        """Raise if these assumptions are impossible."""
        check_level(self.confidence_level)
        bias = LabelBias.of(self.label_bias, self.label_bias_side)
        if self.purity is not None:
            purity_range(self.purity)
        if self.evidence is not None:
            if isinstance(self.data, ScoreTable):
                _ = self.joined
            return
        if self.audit is not None:
            check_audit(self.audit)
            check_alone(self.prior, self.label_bias)
            if isinstance(self.data, ScoreTable):
                _ = self._audited
        elif self.prior is not None or self._first.total_unl == 0:
            _ = self._setting_of(self._first)
        elif not bias.is_random:
            raise InputError(
                "label_bias=… says how far labels may be from random, and its effect depends on how many "
                "positives are hidden: pass prior=… as well."
            )

    # ---------------------------------------------------------------- one model

    @property
    def _first(self) -> ScoreTable:
        return (
            self.data
            if isinstance(self.data, ScoreTable)
            else next(iter(self.data.tables.values()))
        )

    @property
    def table(self) -> ScoreTable:
        """The table, if there is one model."""
        if isinstance(self.data, ScoreTable):
            return self.data
        if len(self.data.tables) == 1:
            return self._first
        raise InputError(
            f"There are {len(self.data.tables)} models: name one, as in "
            f"assumptions[{next(iter(self.data))!r}].roc_auc()."
        )

    def __getitem__(self, model: str) -> Assumptions:
        """What is assumed, about one of several models."""
        if isinstance(self.data, ScoreTable):
            raise InputError("There is only one model: call assumptions.roc_auc() directly.")
        return Assumptions(
            self.data[model], self.prior, self.purity, self.label_bias, self.label_bias_side,
            self.audit, self.confidence_level, model, self.prior_of, self.labels_stated, self.evidence,
        )  # fmt: skip

    def _setting_of(self, table: ScoreTable) -> Setting:
        return Setting.of(
            table, self.prior, self.purity, self.confidence_level, self.label_bias,
            self.label_bias_side, self.prior_of,
        )  # fmt: skip

    @cached_property
    def _setting(self) -> Setting:
        return self._setting_of(self.table)

    @cached_property
    def _audited(self) -> Audited:
        assert self.audit is not None
        return Audited.of(self.table, self.audit, self.purity, self.confidence_level, self.model)

    @cached_property
    def joined(self) -> Joined:
        """All evidence about the positives of the one model, put together."""
        return Joined.stated(
            self.table, self.evidence, prior=self.prior, purity=self.purity, level=self.confidence_level,
            label_bias=self.label_bias if self.labels_stated else None, audit=self.audit,
            model=self.model,
        )  # fmt: skip

    def joint_prior(self) -> PriorEstimate:
        """The prior that all evidence gives; wherever a prior is taken, so is this."""
        self._check_evidence("The joint prior")
        return joint_prior(self.joined)

    def _check_evidence(self, what: str) -> None:
        if self.evidence is None:
            raise InputError(f"{what} takes evidence: assume(…, evidence=[…]).")

    def _refuse_evidence(self, what: str) -> None:
        if self.evidence is not None:
            raise UnsupportedError(
                f"{what} cannot be had from evidence. Pass the prior that it gives: prior=assume(table, "
                "evidence=[…]).joint_prior()."
            )

    @property
    def _known(self) -> dict[str, Any]:
        """What functions of tables are told."""
        return {
            "prior": self.prior,
            "purity": self.purity,
            "confidence_level": self.confidence_level,
            "label_bias": self.label_bias,
            "label_bias_side": self.label_bias_side,
            "prior_of": self.prior_of,
        }

    def _check_options(self, call: Callable[..., Any], options: dict[str, Any]) -> None:
        """Raise for options that are assumptions, or that a function does not take."""
        takes = signature(call).parameters
        any_name = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in takes.values())
        for name in options:
            if name in self._known or name == "audit":
                raise InputError(
                    f"{name} is one of the assumptions. Leave it out here, and pass it to "
                    f"assume(…, {name}=…)."
                )
            if name not in takes and not any_name:
                raise InputError(f"{name!r} is not an option of {call.__name__}. Leave it out.")

    def _taken(
        self, call: Callable[..., Any], what: str, searched: str | None = None
    ) -> dict[str, Any]:
        """Those of the assumptions that a function takes; what it cannot allow for is refused.

        What is ``searched`` for need not be taken.
        """
        takes = signature(call).parameters
        plain = {"purity": (None, 1, 1.0), "label_bias": (1, 1.0), "label_bias_side": ("either",)}
        plain["prior_of"] = ("population",)
        for name, harmless in plain.items():
            if name not in {*takes, searched} and self._known[name] not in harmless:
                raise UnsupportedError(
                    f"{what} cannot allow for {name}={self._known[name]!r}. Leave it out, and say so with "
                    "the result, or use an estimate, which allows for it."
                )
        return {key: value for key, value in self._known.items() if key in takes}

    # ---------------------------------------------------------------- questions

    def estimate(
        self,
        statistic: str | Statistic,
        *,
        threshold: float | None = None,
        top: float | None = None,
        **options: Any,
    ) -> Estimate:
        """Estimate any statistic: a name, with its place and options, or a `Statistic`."""
        asked = find(statistic, options, threshold=threshold, top=top)
        asked.check(self.table)
        if self.evidence is not None:
            return joined_estimate(asked, self.joined)
        if self.audit is not None:
            return audited_estimate(asked, self._audited)
        if (asked.prior_free and self.prior is None) or asked.about_labels:
            known = (self.prior, self.purity, self.confidence_level)
            return asked.estimate(
                asked.assume(
                    self.table, *known, self.label_bias, self.label_bias_side, self.prior_of
                )
            )
        return asked.estimate(self._setting)

    def roc_auc(self, **options: Any) -> Estimate:
        """Estimate the area under the ROC curve; options are those of `roc_auc`, such as ``max_fpr``."""
        return self.estimate("roc_auc", **options)

    def average_precision(self, **options: Any) -> Estimate:
        """Estimate the average precision."""
        return self.estimate("average_precision", **options)

    def metric(
        self, name: str, *, threshold: float | None = None, top: float | None = None, **options: Any
    ) -> Estimate:
        """Estimate a metric of the confusion matrix, at a threshold or of the first rows; see `metric`."""
        return self.estimate(name, threshold=threshold, top=top, **options)

    def ranking(self, name: str = "pulp") -> Estimate:
        """Measure the ranking without a prior: "pulp" and its companions, or a naive area."""
        check_choice(name, tuple(_RANKINGS), "name")
        self._refuse_evidence("A ranking measure")
        takes = signature(_RANKINGS[name]).parameters
        known = {key: value for key, value in self._known.items() if key in takes}
        return _RANKINGS[name](self.table, **known)

    def curve(self, name: str, **options: Any) -> Any:
        """Recover a curve.

        Parameters
        ----------
        name : {"roc", "precision_recall", "hull", "reliability", "discovery", "net_benefit"}
        options
            Of `roc_curve`, `pr_curve`, `roc_hull`, `reliability_curve`, `discovery_curve` or `net_benefit`.
        """
        key = "precision_recall" if name == "pr" else name
        check_choice(key, tuple(_CURVES), "name")
        self._refuse_evidence("A curve")
        self._check_options(_CURVES[key], options)
        if self.audit is not None:
            return self._audited_curve(key)
        known = self._taken(_CURVES[key], f"The curve {key!r}")
        return _CURVES[key](self.table, **known, **options)

    def _audited_curve(self, name: str) -> Curve:
        """The curve of the positives that the audit found, spread over the rows."""
        tpr, fpr, share = audited_rates(self._audited)
        start = np.zeros(1)
        threshold = np.concatenate([[np.inf], self.table.score])
        tpr, fpr = np.concatenate([start, tpr]), np.concatenate([start, fpr])
        if name == "roc":
            return Curve(
                "roc", fpr, tpr, threshold, "false positive rate", "true positive rate",
                method="audit", prior=share,
            )  # fmt: skip
        if name == "precision_recall":
            reached = share * tpr + (1 - share) * fpr
            precision = np.divide(share * tpr, reached, out=np.ones_like(tpr), where=reached > 0)
            precision[0] = precision[min(1, precision.size - 1)]
            return Curve(
                "precision_recall", tpr, precision, threshold, "recall", "precision",
                interpolation="step", method="audit", prior=share,
            )  # fmt: skip
        raise UnsupportedError(
            f"An audit gives the curves 'roc' and 'precision_recall', not {name!r}. Leave out the audit, "
            "and pass the prior that it gives: prior_from_audit(audit, table=table)."
        )

    def bounds(self, name: str, **options: Any) -> Any:
        """Bound a number or a curve, whichever unlabeled rows are positive.

        Parameters
        ----------
        name : str
            "roc_auc", "average_precision", "roc", "precision_recall", "confusion", or a metric of the
            confusion matrix: at ``threshold``, or along all of them.
        options
            Of `roc_auc_bounds`, `metric_bounds` and so on.
        """
        self._refuse_evidence("Bounds")
        if self.audit is not None:
            raise UnsupportedError(
                "Bounds say what is possible without checked rows. Leave out the audit, and pass prior=…."
            )
        call = _BOUNDS.get("precision_recall" if name == "pr" else name)
        if call is not None:
            self._check_options(call, options)
            return call(self.table, **self._taken(call, f"The bounds of {name!r}"), **options)
        of_metric = metric_curve_bounds if options.get("threshold") is None else metric_bounds
        self._check_options(of_metric, options)
        known = self._taken(of_metric, f"The bounds of {name!r}")
        return of_metric(self.table, name, **known, **options)

    def along(
        self,
        what: str,
        statistic: str | Statistic = "roc_auc",
        *,
        at: Any = None,
        threshold: float | None = None,
        top: float | None = None,
        **options: Any,
    ) -> PriorSensitivity | LabelBiasSensitivity | PuritySensitivity:
        """Trace a statistic along what is assumed, the rest held where it is.

        Parameters
        ----------
        what : {"prior", "label_bias", "purity"}
        statistic, threshold, top, options
            As in `estimate`.
        at : array-like, optional
            The values to try.
        """
        check_choice(what, ("prior", "label_bias", "purity"), "what")
        self._refuse_evidence("A statistic along what is assumed")
        if self.audit is not None:
            raise UnsupportedError(
                f"With an audit no {what.replace('_', ' ')} is assumed, so there is nothing to vary. Leave "
                "out the audit."
            )
        asked = find(statistic, options, threshold=threshold, top=top)
        if what == "prior":
            known = self._taken(prior_sensitivity, "A statistic over a range of priors")
            return prior_sensitivity(self.table, statistic=asked, priors=at, **known)
        asked.check(self.table)
        if what == "label_bias":
            return sensitivity_to_bias(self._setting, asked, at)
        return sensitivity_to_purity(self._setting, asked, at)

    def tipping_point(self, statistic: str | Statistic = "roc_auc", **options: Any) -> TippingPoint:
        """Find how biased labels must be for a conclusion to fail; see `tipping_point`."""
        self._check_options(tipping_point, options)
        self._refuse_evidence("A tipping point")
        if self.audit is not None:
            raise UnsupportedError(
                "No label bias overturns what was checked, so there is no tipping point. Leave out the audit."
            )
        known = self._taken(tipping_point, "A tipping point", "label_bias")
        data = self.data if {"above", "below"}.isdisjoint(options) else self.table
        return tipping_point(data, statistic, **known, **options)

    def choose_threshold(self, objective: str = "f1", **options: Any) -> ThresholdChoice:
        """Choose an operating point; see `choose_threshold`."""
        self._check_options(choose_threshold, options)
        self._refuse_evidence("A choice of threshold")
        known = self._taken(choose_threshold, "Choosing a threshold")
        return choose_threshold(
            self.table, objective=objective, audit=self.audit, **known, **options
        )

    def compare(self, statistic: str | Statistic = "roc_auc", **options: Any) -> Comparison:
        """Compare the models; see `compare`."""
        if not isinstance(self.data, JointTable):
            raise InputError(
                "There is only one model. Pass the scores of several to compare them: assume(y, {'a': …, "
                "'b': …}, scenario=…)."
            )
        self._check_options(compare, options)
        more = {} if self.evidence is None else {"evidence": self.evidence}
        return compare(
            self.data, statistic=statistic, audit=self.audit, **self._known, **more, **options
        )

    def evaluate(self, **options: Any) -> Evaluation:
        """Evaluate everything at once; see `evaluate`. Without a prior it is estimated."""
        self._check_options(evaluate, options)
        known = {**self._known, "label_bias": self.label_bias if self.labels_stated else None}
        more = {} if self.evidence is None else {"evidence": self.evidence}
        return evaluate(self.data, audit=self.audit, **known, **more, **options)

    # ---------------------------------------------------------------- in words

    def __str__(self) -> str:
        return "\n".join([self._rows(), f"  {self._said()}", f"  {self._contradiction()}"])

    def __repr__(self) -> str:
        return f"<Assumptions: {self._rows()}; {self._said()}>"

    def _rows(self) -> str:
        if isinstance(self.data, JointTable):
            return f"{len(self.data.tables)} models ({', '.join(self.data)}); {self._first}"
        return str(self.data)

    def _said(self) -> str:
        if self.evidence is not None:
            kinds = "; ".join(kind.title for kind in self._first_joined.evidence)
            return f"rests on {kinds}; {percent(self.confidence_level)} intervals"
        if self.audit is not None:
            return (
                f"based on {self.audit.n_checked} checked rows, {self.audit.n_positive} of them positive; "
                f"assumes neither a prior nor random labels; {percent(self.confidence_level)} intervals"
            )
        if self.prior is None and self._first.total_unl > 0:
            prior = "no prior"
            if self.purity is not None:
                prior += f"; purity of the labels {self.purity}"
        else:
            known = self._setting_of(self._first).assumed
            prior = f"prior {number(known.value)}"
            if known.low != known.high:
                prior += f" ({number(known.low)} to {number(known.high)})"
            if isinstance(self.prior, PriorEstimate):
                prior += ", estimated"
            purity = f"{known.purity:.4g}"
            if known.purity_low < known.purity_high:
                purity += f" ({known.purity_low:.4g} to {known.purity_high:.4g})"
            prior += "; all labels correct" if known.clean else f"; purity of the labels {purity}"
        side = "" if self.label_bias_side == "either" else f" towards {self.label_bias_side} scores"
        labels = (
            "labels at random"
            if self.label_bias == 1
            else f"label bias up to {self.label_bias:g}{side}"
        )
        return f"assumes {prior}; {labels}; {percent(self.confidence_level)} intervals"

    def _contradiction(self) -> str:
        """Whether the data contradict what is assumed."""
        if self.evidence is not None:
            clashes = self._first_joined.trust
            if clashes.level == "contradicted":
                return f"contradicts itself: {clashes.reason}"
            return "the kinds of evidence do not contradict each other"
        if self.audit is not None:
            return "makes no assumption that the data could contradict"
        tables = {"": self.data} if isinstance(self.data, ScoreTable) else dict(self.data.tables)
        with suppress(PuremetricsError):
            limits = {name: self._largest(table) for name, table in tables.items()}
            name = min(limits, key=lambda key: limits[key])
            limit, whose = limits[name], f" of {name}" if name else ""
            if self.prior is None:
                return f"the ranking{whose} allows priors up to {limit:.4g}"
            least = self._setting_of(self._first).assumed.low
            if least > limit:
                return (
                    f"contradicted by the data: the ranking{whose} allows priors only up to {limit:.4g}, so "
                    "the prior is too high or the labels are more biased than assumed"
                )
            return f"the data do not contradict this: the ranking{whose} allows priors up to {limit:.4g}"
        return "these rows cannot show whether the data contradict this"

    @property
    def _first_joined(self) -> Joined:
        if isinstance(self.data, ScoreTable):
            return self.joined
        return self[next(iter(self.data))].joined

    def _largest(self, table: ScoreTable) -> float:
        found: float = largest_prior(
            table, purity=self.purity, confidence_level=self.confidence_level,
            label_bias=self.label_bias, label_bias_side=self.label_bias_side,
        ).prior  # fmt: skip
        return found
