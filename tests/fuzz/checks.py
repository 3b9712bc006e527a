"""What every call owes its caller, however hostile the input."""

import dataclasses
import json
import math
import pickle
import re
import signal
import threading
from contextlib import contextmanager
from types import MappingProxyType

import numpy as np

import puremetrics as pm
from puremetrics.numerics.formulas import METRICS

# A message helps if it says what to do. Each of these words starts or carries such a half-sentence.
ADVICE = re.compile(
    r"\b(apply|build|call|check|choose|convert|count it|did you mean|divide|draw|drop|estimate it|"
    r"evaluate|fit|give|install|it has:|leave|loosen|map|merge|must|name|needs?|pass|remove|rename|rescale|"
    r"resample|round|save|say what|score all|score them|subtract|such as|try|use|write)(?!\w)",
    re.IGNORECASE,
)
# Documented as NaN where a ratio is 0/0, or where there are no bounds; a plot leaves such points out.
DOCUMENTED = {
    "HullResult.threshold",  # a vertex of the cut has none
    "Curve.raw_y", "PriorDerivatives.precision", "CurveBounds.lower", "CurveBounds.upper",
    "PriorSensitivity.bound_low", "PriorSensitivity.bound_high",
    # no answer, nothing said alone, no other evidence
    *(f"{kind}.{name}" for kind in ("Investigated", "Judged") for name in ("answers", "second")),
    "Estimate.make_evidence", "PriorEstimate.make_evidence",  # makes a table when it is asked for
    "RandomLabels.step",  # NaN stands for the threshold
    "EvidenceTable.value", "EvidenceTable.without",
}  # fmt: skip
MAY_BE_UNDEFINED = {
    "PM103",
    "PM107",
    "PM302",
    "PM401",
}  # diagnostics that announce a missing number


def problem_with_sentence(text: str) -> str | None:
    """Why a message does not help, or None if it does."""
    if not text.strip():
        return "it is empty"
    if not text.rstrip().endswith((".", ".)", "?")):
        return "it does not end in a full stop"
    if len(text) > 2000:
        return f"it has {len(text)} characters"
    if not ADVICE.search(text):
        return "it does not say what to do"
    return None


@contextmanager
def no_hang(seconds: float = 30.0):
    """Raise TimeoutError when the block takes so much processor time, or ten times that in all."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def fail(number, frame):
        raise TimeoutError(
            f"no answer after {seconds:g} seconds of the processor, or ten times that"
        )

    timers = (
        (signal.SIGPROF, signal.ITIMER_PROF, seconds),
        (signal.SIGALRM, signal.ITIMER_REAL, 10 * seconds),  # something waits for ever
    )
    before = [signal.signal(number, fail) for number, _, _ in timers]
    for _, timer, limit in timers:
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


@dataclasses.dataclass(frozen=True)
class Feasible:
    """A prior to be placed between the smallest and the largest that the table allows."""

    low: float
    high: float

    def of(self, table):
        if not isinstance(table, pm.ScoreTable):
            return self.low
        ends = table.design.prior_limits(table.totals)
        low, high = (ends[0] + part * (ends[1] - ends[0]) for part in (self.low, self.high))
        return low if low == high else (low, high)


@dataclasses.dataclass(frozen=True)
class Checked:
    """An audit of unlabeled rows of whatever table is drawn, and of labelled ones."""

    seed: int
    rows: int
    share: float
    labelled: int = 0
    weighted: bool = False
    planned: bool = False

    def of(self, table):
        if not isinstance(table, pm.ScoreTable):
            return self
        rng = np.random.default_rng(self.seed)
        scores = []
        for column, wanted in ((table.n_unl, self.rows), (table.n_pos, self.labelled)):
            each = np.minimum(np.nan_to_num(column), 30).astype(int)
            scores.append(rng.permutation(np.repeat(table.score, each))[:wanted])
        score = np.concatenate(scores)
        if score.size == 0:
            return self
        return pm.Audit.from_arrays(
            score,
            rng.random(score.size) < self.share,
            weight=rng.choice([1.0, 3.0, 1e6], score.size) if self.weighted else None,
            labelled=np.repeat([False, True], [scores[0].size, scores[1].size]),
            planned=score.size + 5 if self.planned else None,
        )


@dataclasses.dataclass(frozen=True)
class Told:
    """A kind of evidence about whatever table is drawn."""

    kind: str
    seed: int
    part: float  # of the rows that somebody looked at
    by_score: bool  # whether those are the highest
    share: float  # of answers that are yes, and the prior

    def of(self, table):
        rng = np.random.default_rng(self.seed)
        if self.kind == "published":
            return pm.PublishedPrior(self.share, error=max(self.part / 5, 1e-3))
        if self.kind in ("random", "biased"):
            return pm.RandomLabels(1.0 if self.kind == "random" else 1 + 5 * self.share)
        if self.kind == "negatives" or not isinstance(table, pm.ScoreTable):
            return pm.KnownNegatives()
        try:
            return self._of_rows(table, rng)
        except pm.PuremetricsError:  # a table without unlabeled rows, or without positives
            return pm.KnownNegatives()

    def _of_rows(self, table, rng):
        each = (table.n_pos, table.n_unl)
        pos, unl = (
            np.repeat(table.score, np.minimum(np.nan_to_num(column), 40).astype(int))
            for column in each
        )
        if self.kind in ("sources", "dependent"):
            first = rng.random(pos.size) < 0.6
            second = ~first | (rng.random(pos.size) < self.part)
            return pm.LabelSources.from_arrays(
                pos, {"a": first, "b": second}, dependence=(1, 3) if self.kind == "dependent" else 1
            )
        order = np.argsort(-unl) if self.by_score else rng.permutation(unl.size)
        looked = np.zeros(unl.size, dtype=bool)
        looked[order[: max(1, round(self.part * unl.size))]] = True
        answers = [
            np.where(looked, (rng.random(unl.size) < self.share).astype(float), np.nan)
            for _ in range(3)
        ]
        if self.kind == "judge":
            return pm.Judged.from_arrays(unl, rng.random(unl.size) < self.share, answers[0])
        if self.kind == "checkers":
            return pm.Investigated.from_arrays(unl, dict(zip("xyz", answers, strict=True)))
        known = {"sensitivity": (0.8, 0.9), "specificity": 0.9} if self.kind == "checker" else {}
        return pm.Investigated.from_arrays(unl, answers[0], **known)


def feasible(arguments: dict) -> dict:
    """Replace the feasible priors by numbers, and the audits by those of the table."""
    table = arguments.get("table", arguments.get("tables", arguments.get("joint")))
    if isinstance(table, pm.JointTable):
        table = table.tables
    if isinstance(table, dict):
        table = next(iter(table.values()), None)
    named = (Feasible, Checked, Told)
    return {
        name: value.of(table)
        if isinstance(value, named)
        else [one.of(table) if isinstance(one, named) else one for one in value]
        if name == "evidence" and isinstance(value, list)
        else value
        for name, value in arguments.items()
    }


def fingerprint(value):
    """Something that differs if the caller's data were changed."""
    if isinstance(value, np.ma.MaskedArray):
        return fingerprint(value.data), fingerprint(np.ma.getmaskarray(value))
    if isinstance(value, np.ndarray):
        content = repr(value.tolist()) if value.dtype.hasobject else value.tobytes()
        return value.dtype.str, value.shape, value.strides, value.flags.writeable, content
    if isinstance(value, pm.ScoreTable):
        return value.scenario, [fingerprint(c) for c in (value.score, *value._rows.counts())]
    if isinstance(value, pm.JointTable):
        return [fingerprint(t) for t in value.tables.values()], fingerprint(value.kind)
    if isinstance(value, dict | MappingProxyType):
        return [(repr(key), fingerprint(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return [fingerprint(item) for item in value]
    if isinstance(value, np.random.Generator):
        return None  # it is there to be used up
    return repr(value)


def undefined_numbers(value, where="result", announced=False):
    """Yield the places of NaN that no diagnostic of the same result announces."""
    if isinstance(value, float | np.floating):
        if math.isnan(value) and not announced:
            yield where
    elif isinstance(value, np.ndarray):
        if value.dtype.kind == "f" and np.isnan(value).any() and not announced:
            yield where
    elif isinstance(value, pm.ScoreTable | pm.JointTable):
        return
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        codes = {d.code for d in getattr(value, "diagnostics", ())}
        announced = announced or bool(codes & MAY_BE_UNDEFINED)
        for field in dataclasses.fields(value):
            if f"{type(value).__name__}.{field.name}" in DOCUMENTED:
                continue
            yield from undefined_numbers(
                getattr(value, field.name), f"{where}.{field.name}", announced
            )
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from undefined_numbers(item, f"{where}[{key!r}]", announced)
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from undefined_numbers(item, f"{where}[{i}]", announced)


RANGES = {formula.name: (formula.low, formula.high) for formula in METRICS.values()} | {
    "roc_auc": (0.0, 1.0), "average_precision": (0.0, 1.0), "brier_score": (0.0, 1.0),
    "log_loss": (0.0, math.inf), "calibration_error": (0.0, 1.0), "pulp": (0.0, 1.0),
    "naive_auc": (0.0, 1.0), "naive_average_precision": (0.0, 1.0), "mean_f1": (0.0, 1.0),
    "mean_pearson": (-1.0, 1.0), "prior": (0.0, 1.0), "bedroc": (0.0, 1.0), "ndcg": (0.0, 1.0),
}  # fmt: skip
UNREPAIRED = ("direct", "unbiased_risk")  # methods whose values are as the formula gives them


def impossible_numbers(value, where="result"):
    """Yield intervals that are turned round or lack their value, and values that no such quantity has."""
    if isinstance(value, pm.Interval):
        if value.low > value.high:
            yield f"{where}: {value.low!r} to {value.high!r}"
        return
    if isinstance(value, pm.ScoreTable | pm.JointTable | np.ndarray):
        return
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        holding = isinstance(value, pm.Estimate | pm.PriorEstimate | pm.Difference)
        interval = value.interval if holding else None
        number = getattr(value, "prior" if isinstance(value, pm.PriorEstimate) else "value", None)
        known = isinstance(number, float) and not math.isnan(number)
        if known and isinstance(interval, pm.Interval) and number not in interval:
            yield f"{where}: {number!r} is not in {interval.low!r} to {interval.high!r}"
        name = "prior" if isinstance(value, pm.PriorEstimate) else getattr(value, "name", None)
        if known and isinstance(value, pm.Estimate | pm.PriorEstimate) and name in RANGES:
            low, high = RANGES[name]
            if value.method not in UNREPAIRED and not low - 1e-12 <= number <= high + 1e-12:
                yield f"{where}: {name} is {number!r}, outside {low:g} to {high:g}"
            inside = interval is None or value.method in UNREPAIRED
            if not inside and not low - 1e-12 <= interval.low <= interval.high <= high + 1e-12:
                yield f"{where}: the interval of {name} leaves {low:g} to {high:g}: {interval}"
        for field in dataclasses.fields(value):
            yield from impossible_numbers(getattr(value, field.name), f"{where}.{field.name}")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from impossible_numbers(item, f"{where}[{key!r}]")
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from impossible_numbers(item, f"{where}[{i}]")


def use(result) -> None:
    """Do with a result what a caller does: print it, plot it, store it."""
    assert str(result)
    assert repr(result)
    for name in ("frame", "to_dict", "to_frame", "to_json", "estimate"):
        method = getattr(result, name, None)
        if callable(method):
            method()
    if hasattr(result, "to_dict"):
        from puremetrics.results import json_ready

        json.dumps(json_ready(result.to_dict()), allow_nan=False)
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        pickle.loads(pickle.dumps(result))


def hold_up(call, arguments: dict) -> bool:
    """Call with these arguments and check everything that is owed; True if there was an answer."""
    arguments = feasible(arguments)
    before = {name: fingerprint(value) for name, value in arguments.items()}
    errors = np.geterr()
    with no_hang():
        refused = None
        try:
            result = call(**arguments)
        except pm.PuremetricsError as error:
            refused = error
        if refused is not None:
            problem = problem_with_sentence(str(refused))
            assert problem is None, f"{type(refused).__name__}: {refused!s}\n  {problem}"
        else:
            silent = list(undefined_numbers(result))
            assert not silent, f"NaN without a diagnostic: {silent}"
            wrong = list(impossible_numbers(result))
            assert not wrong, f"impossible: {wrong}"
            use(result)
    assert np.geterr() == errors
    changed = [name for name, value in arguments.items() if fingerprint(value) != before[name]]
    assert not changed, f"the caller's {changed} were changed"
    return refused is None
