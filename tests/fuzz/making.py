"""What calls are made of: tables, joint tables, draws and answers from drawn rows, or from something else."""

import json
import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics import sklearn as pu
from tests.fuzz import values as v

STATISTICS = (
    lambda t: t.total_pos,
    lambda t: pm.roc_auc(t, prior=0.3, method="direct").value,
    lambda t: np.array([t.total_unl, 1.0]),
    lambda t: None,
    lambda t: math.nan,
    lambda t: "x",
    lambda t: t.n_pos.astype(float),
)
ENTRIES = (lambda tp, fp, fn, tn: tp + fp, lambda *e: None, lambda *e: math.nan, lambda *e: "x",
           lambda tp, fp, fn, tn: -(tp - 1) ** 2)  # fmt: skip


def from_arrays(both, y, score, **options):
    labels, scores = both
    return pm.ScoreTable.from_arrays(
        labels if y is ... else y, scores if score is ... else score, **options
    )


def joint(both, y, scores, **options):
    labels, column = both
    named = {"a": column, "b": column[::-1]} if scores is ... else scores
    return pm.JointTable.from_arrays(labels if y is ... else y, named, **options)


def rank_score(both, y, score, function, **options):
    """A float in range, whatever the ranking."""
    labels, scores = both
    given = (labels if y is ... else y), (scores if score is ... else score)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pu.RepairedScoreWarning)
        value = getattr(pu, function)(*given, **options)
    assert 0 <= value <= 1, value
    return value


def prediction_score(both, y, y_pred, cut, function, **options):
    """A float in range, whatever was predicted."""
    labels, scores = both
    predicted = [1 if score >= cut else 0 for score in scores] if y_pred is ... else y_pred
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pu.RepairedScoreWarning)
        value = getattr(pu, function)(labels if y is ... else y, predicted, **options)
    assert (-1 if function == "matthews_corrcoef" else 0) <= value <= 1, value
    return value


@st.composite
def joints(draw):
    table = draw(v.whole_tables())
    scores = np.repeat(table.score, (table.n_pos + table.n_unl + table.n_neg))
    labels = np.concatenate([
        np.repeat([1, 0, -1], [p, u, n])
        for p, u, n in zip(table.n_pos, table.n_unl, table.n_neg, strict=True)
    ])  # fmt: skip
    other = draw(st.permutations(range(scores.size)))
    return pm.JointTable.from_arrays(
        labels, {"a": scores, "b": scores[list(other)]}, scenario=table.scenario, neg_label=-1
    )


same_rows = v.mostly(
    st.one_of(joints().map(lambda joint: joint.tables), joints().map(lambda j: dict(j.tables)),
              v.named_tables), share=20)  # fmt: skip


def scan(rows, source, segment, **options):
    import pyarrow as pa

    labels, scores = rows
    if source is ...:
        land = [segment] * (len(labels) // 2) + ["x"] * (len(labels) - len(labels) // 2)
        source = pa.table({"y": labels, "p": [float(score) for score in scores], "land": land})
    return pm.scan(source, **options)


@st.composite
def segments(draw):
    tables = draw(st.dictionaries(st.sampled_from("abc"), v.whole_tables(), min_size=1, max_size=3))
    total = next(iter(tables.values()))
    return pm.Segments("land", tables, total, {"z": (0, 3, 0)})


def segments_of_arrays(both, y, score, segment, **options):
    labels, column = both
    given = np.arange(len(labels)) % 2 if segment is ... else segment
    return pm.Segments.from_arrays(
        labels if y is ... else y, column if score is ... else score, segment=given, **options
    )


def cross_evaluated(both, y, score, fold, options, **known):
    """Two folds that deal out labelled and other rows in turn, unless other ones are given."""
    labels, column = both
    if fold is ...:
        fold = np.zeros(len(labels), dtype=int)
        for label in set(labels):
            mine = np.flatnonzero(np.asarray(labels) == label)
            fold[mine] = np.arange(mine.size) % 2
    given = labels if y is ... else y, column if score is ... else score
    return pm.cross_evaluate(*given, fold=fold, **known, **options)


def stored_map(text, scores):
    return pm.RecalibrationMap.from_json(text).predict(scores)


@st.composite
def stored_maps(draw):
    """JSON of a map, with one entry replaced or removed."""
    method = draw(st.sampled_from(["isotonic", "platt", "beta", "temperature"]))
    table = pm.ScoreTable.from_groups(
        positive=[0.9, 0.4], unlabeled=[0.8, 0.5, 0.2, 0.1], scenario="case_control"
    )
    data = json.loads(pm.recalibrate(table, prior=0.25, method=method).to_json())
    key = draw(st.sampled_from(sorted(data)))
    odd = st.sampled_from(
        [None, 1, "x", [], {}, [1, "x"], [None], {"a": None}, -5, 1e400, [2, 1], [[1], [2]], True]
    )
    if draw(st.booleans()):
        data[key] = draw(odd)
    elif draw(st.booleans()):
        del data[key]
    text = json.dumps(data)
    cut = draw(st.one_of(st.none(), st.none(), st.integers(0, len(text))))
    return text[:cut]


def drawn(both, y, score, names, budget, target, **options):
    """A plan and its draw; ``y`` and ``score`` may be others than those it was made for."""
    labels, scores = both
    given = {"pos_label": 1, "unlabeled_label": 0, "neg_label": -1} | options
    rng = given.pop("rng", 0)
    table = pm.ScoreTable.from_arrays(labels, scores, scenario="case_control", neg_label=-1)
    plan = pm.plan_audit(table, budget=budget, target=target, threshold=0.5, prior=0.3)
    column = scores if score is ... else score
    rows = plan.draw(
        labels if y is ... else y,
        dict.fromkeys(names, column) if names else column,
        rng=rng,
        **given,
    )
    return plan, rows, column


def drawn_from(both, budget, target, **options):
    """Rows drawn from an Arrow table of the rows that the plan was made for."""
    pyarrow = pytest.importorskip("pyarrow")
    labels, scores = both
    table = pm.ScoreTable.from_arrays(labels, scores, scenario="case_control", neg_label=-1)
    plan = pm.plan_audit(table, budget=budget, target=target, threshold=0.5, prior=0.3)
    rows = pyarrow.table(
        {"y": labels, "p": np.asarray(scores, dtype=float), "i": np.arange(len(labels))}
    )
    return plan.draw_from(rows, **{"neg_label": -1} | options)


def followed(table, audit, planned, **options):
    """An audit that is looked at while it grows, if it is one."""
    if planned is not None and isinstance(audit, pm.Audit):
        audit = replace(audit, planned=planned)
    return pm.follow_audit(table, audit, **options)


def answered(both, rows, positive, keep, score, sequential, names, **options):
    plan, places, column = drawn(both, ..., ..., names, **options)
    kept = places[:keep] if rows is ... else rows
    size = len(kept) if rows is ... else 3
    said = [i % 2 for i in range(size)] if positive is ... else positive
    given = column if score is ... else score
    return plan.audit(kept, said, score=given, sequential=sequential)


def compared_with_audit(joint, seed, checked, **options):
    """Some unlabeled rows of all models were checked."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(np.flatnonzero(joint.kind == 1))[:checked]
    scores = {name: column[rows] for name, column in joint.scores.items()}
    return pm.compare(
        joint, audit=pm.Audit.from_arrays(scores, rng.random(rows.size) < 0.5), **options
    )


def fit_recalibrator(both, X, sample_weight, **options):
    labels, scores = both
    given = [[s] for s in scores] if X is ... else X
    return pm.Recalibrator(**options).fit(given, labels, sample_weight).transform(given)


def label_sources(both, pattern, sources, **options):
    """Rows that some of the sources caught, in turn."""
    _, scores = both
    named = {
        f"source {j}": [(pattern[i % len(pattern)] >> j) & 1 for i in range(len(scores))]
        for j in range(sources)
    }
    return pm.LabelSources.from_arrays(scores, named, **options)


def _answers(scores, outcome, second):
    said = [("yes", "no", "", "yes")[i % 4] for i in range(len(scores))]
    again = [("", "no", "")[i % 3] if s else "" for i, s in enumerate(said)]
    return {
        "outcome": said if outcome is ... else outcome,
        "second": again if second is ... else second,
    }


def investigated(both, score, outcome, second, **options):
    given = both[1] if score is ... else score
    return pm.Investigated.from_arrays(given, **_answers(both[1], outcome, second), **options)


def judged(both, score, judge, outcome, second, **options):
    given = both[1] if score is ... else score
    said = [i % 2 for i in range(len(both[1]))] if judge is ... else judge
    return pm.Judged.from_arrays(given, said, **_answers(both[1], outcome, second), **options)


@st.composite
def features(draw):
    n = draw(st.integers(2, 14))
    number = st.one_of(st.floats(-3, 3), st.sampled_from([0.0, 1e308, 5e-324]))
    return np.array(draw(st.lists(number, min_size=2 * n, max_size=2 * n))).reshape(n, 2)


def with_labels(function):
    def call(X, positives, **options):
        y = np.zeros(len(X) if hasattr(X, "__len__") else 2, dtype=int)
        y[:positives] = 1
        return function(X, y, **options)

    return call


def framed(both, call, kind, **named):
    """A function of tables, of a data frame in their place."""
    import pandas
    import polars
    import pyarrow

    y, score = both
    columns = {"y": list(y), "p": list(score), "q": list(score)[::-1], "who": list(range(len(y)))}
    columns |= {"w": columns["y"][::-1], "said": [(None, 1, 0)[i % 3] for i in range(len(y))]}
    kinds = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "pyarrow": pyarrow.table}
    try:
        frame = columns if kind == "mapping" else kinds[kind](columns)
    except Exception:  # rows that no data frame holds
        frame = columns
    known = {} if call == "estimate_prior" else {"prior": 0.5}
    return getattr(pm, call)(frame, **known, **named)
