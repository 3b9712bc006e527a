"""Functions of tables that take labels and scores, or data frames, as well.

``roc_auc(y, score, scenario=…, prior=…)`` and ``evaluate(df, label="y", score=["a", "b"], scenario=…)`` build
the table, or the joint table of several models, and go on with that. Several label columns, or columns of
answers, are evidence (``evaluate(df, label=["reported", "rule"], checked="outcome", …)``) and are passed on
as such.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from puremetrics.checking.arguments import shown
from puremetrics.checking.columns import as_scores, columns_of, is_frame, unsigned
from puremetrics.checking.labels import label_masks
from puremetrics.exceptions import InputError
from puremetrics.scenarios import Scenario
from puremetrics.tables.joint import JointTable
from puremetrics.tables.populations import Populations
from puremetrics.tables.score_table import ScoreTable
from puremetrics.tables.segments import Segments

__all__ = ["tables_of_arrays", "tables_of_frame", "takes_data"]

Parameters = ParamSpec("Parameters")
Table = TypeVar("Table", contravariant=True)
Answer = TypeVar("Answer", covariant=True)
_TABLES = (ScoreTable, JointTable, Segments, Populations)
_COLUMNS = ("label", "score", "scenario", "groups", "pos_label", "unlabeled_label", "neg_label")
_ANSWERS = ("checked", "judge", "second")  # columns of a data frame that are evidence


class FromData(Protocol[Table, Parameters, Answer]):
    """A function of a table, of labels and scores, or of a data frame and the names of its columns."""

    @overload
    def __call__(
        self, table: Table, /, *args: Parameters.args, **more: Parameters.kwargs
    ) -> Answer: ...
    @overload
    def __call__(
        self, y: Any, score: Any, /, *args: Any, scenario: Scenario, **more: Any
    ) -> Answer: ...
    @overload
    def __call__(
        self, frame: Any, /, *args: Any, label: str, score: Any, scenario: Scenario, **more: Any
    ) -> Answer: ...


def takes_data(
    call: Callable[Concatenate[Table, Parameters], Answer],
) -> FromData[Table, Parameters, Answer]:
    """Let a function of a table take labels and scores, or a data frame, in its place.

    ``call(y, score, scenario=…)`` builds the table; ``score`` may be a mapping of models to scores, which
    builds a joint table. ``call(frame, label=…, score=…, scenario=…)`` does the same from columns by name.
    """
    own = inspect.signature(call)
    first = next(iter(own.parameters))

    @wraps(call)
    def with_data(*args: Any, **more: Any) -> Answer:
        columns = (*_COLUMNS, *_ANSWERS) if "evidence" in own.parameters else _COLUMNS
        given = {
            name: more.pop(name) for name in columns if name in more and name not in own.parameters
        }
        source = args[0] if args else more.get(first)
        if not args and first not in more and "y" in more and "y" not in own.parameters:
            args = (source := more.pop("y"),)
        if isinstance(source, _TABLES) or (isinstance(source, Mapping) and "label" not in given):
            if given:
                raise InputError(
                    f"{next(iter(given))} belongs to arrays or a data frame, but {call.__name__} was given "
                    f"a {type(source).__name__}, which already has it. Leave it out."
                )
            return call(*args, **more)
        if not args and first not in more:
            return call(*args, **more)  # which says what is missing
        several = isinstance(given.get("label"), list | tuple)
        if several or any(given.get(name) is not None for name in _ANSWERS):
            if several and "evidence" not in own.parameters:
                raise InputError(
                    f"label={shown(given['label'])} names several columns, which {call.__name__} cannot put "
                    "together. Name one, or use evaluate or a metric."
                )
            source, given, found = _with_evidence(source, given)
            if found:
                more["evidence"] = [*found, *_listed(more.get("evidence"))]
            args = (source, *args[1:]) if args else args
        by = more.pop("by") if "by" in own.parameters and more.get("by") is not None else None
        built: ScoreTable | JointTable | Populations
        if by is None:
            built, used = _built(call.__name__, source, args, given)
        else:
            built, used = _populations(source, args, given, by)
        if not args:
            more[first] = built
            return call(**more)  # type: ignore[call-arg]
        return call(built, *args[used:], **more)  # type: ignore[arg-type]

    taken = (*_COLUMNS, *_ANSWERS) if "evidence" in own.parameters else _COLUMNS
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in taken
    ]
    kept = [p for p in own.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    rest = [p for p in own.parameters.values() if p.kind is inspect.Parameter.VAR_KEYWORD]
    with_data.__signature__ = own.replace(parameters=[*kept, *added, *rest])  # type: ignore[attr-defined]
    return with_data


def _populations(
    source: Any, args: tuple[Any, ...], given: dict[str, Any], by: Any
) -> tuple[Populations, int]:
    """Unlabeled rows by population, and how many positional arguments they were made of."""
    arrays = given.get("label") is None
    if arrays:
        positional = len(args) > 1
        score = args[1] if positional else given.get("score")
        if score is None or is_frame(source):
            raise InputError(
                "by needs rows. Pass labels and scores with scenario=…, or a data frame with label=…, "
                "score=… and scenario=…."
            )
        if isinstance(score, Mapping):
            raise InputError("Populations are compared by the scores of one model. Pass one.")
        more = {key: value for key, value in given.items() if key != "score" and value is not None}
        scenario = more.pop("scenario", None)
        found = Populations.from_arrays(source, score, population=by, scenario=scenario, **more)
        return found, 2 if positional else 1
    for name in ("score", "scenario"):
        if given.get(name) is None:
            raise InputError(
                f"{name} is missing: a data frame needs label=…, score=… and scenario=…."
            )
    score = given["score"]
    listed = list(score) if isinstance(score, list | tuple) else [score]
    if len(listed) != 1:
        raise InputError("Populations are compared by the scores of one model. Name one column.")
    label, name = _name("label", given["label"]), _name("score", listed[0])
    columns = columns_of(source, list(dict.fromkeys([label, unsigned(name), _name("by", by)])))
    own = columns[name] if name in columns else -as_scores(columns[unsigned(name)], "score")
    marks = {
        key: given[key]
        for key in ("pos_label", "unlabeled_label", "neg_label", "groups")
        if given.get(key) is not None
    }
    scenario = given["scenario"]
    return Populations.from_arrays(
        columns[label], own, population=columns[by], scenario=scenario, by=str(by), **marks
    ), 1


def _built(
    name: str, source: Any, args: tuple[Any, ...], given: dict[str, Any]
) -> tuple[ScoreTable | JointTable, int]:
    """The table, and how many positional arguments it was made of."""
    if given.get("label") is not None:
        return tables_of_frame(source, **given), 1
    arrays = len(args) > 1 and not isinstance(args[1], str)
    if is_frame(source) and not arrays and given.get("score") is None:
        raise InputError(
            f"{name} was given a {type(source).__name__}. Name its columns and the scenario: label=…, "
            "score=…, scenario='single_training_set' or 'case_control'."
        )
    score = args[1] if arrays else given.pop("score", None)
    if score is None:
        raise InputError(
            f"{name} needs a ScoreTable, but was given {shown(source)}. Pass ScoreTable.from_arrays(y, "
            "score, scenario=…), or labels and scores: y, score, scenario=…."
        )
    return tables_of_arrays(source, score, **given), 2 if arrays else 1


def tables_of_arrays(
    y: Any, score: Any, *, scenario: Any = None, **given: Any
) -> ScoreTable | JointTable:
    """The table of labels and scores, or the joint table of several models' scores."""
    if scenario is None:
        raise InputError(
            "scenario is missing: labels and scores need scenario='single_training_set' if the labelled rows "
            "are some of the positives of one sample, or 'case_control' if they were collected separately."
        )
    known = {key: value for key, value in given.items() if value is not None}
    if isinstance(score, Mapping):
        return JointTable.from_arrays(y, score, scenario=scenario, **known)
    return ScoreTable.from_arrays(y, score, scenario=scenario, **known)


def _listed(evidence: Any) -> list[Any]:
    if evidence is None:
        return []
    return list(evidence) if isinstance(evidence, list | tuple) else [evidence]


_ANY_SOURCE = "label of any source"


def _with_evidence(
    frame: Any, given: dict[str, Any]
) -> tuple[dict[Any, Any], dict[str, Any], list[Any]]:
    """A data frame with one label column, what names its columns, and the evidence of the others."""
    from puremetrics.evidence.columns import evidence_of_columns, label_of_sources

    if not is_frame(frame):
        named = [name for name in ("label", *_ANSWERS) if given.get(name) is not None]
        raise InputError(
            f"{named[0]} names columns of a data frame, but {shown(frame)} was given. Pass a data frame, or "
            "evidence=[…]."
        )
    rest = {key: value for key, value in given.items() if key not in _ANSWERS}
    label, score, groups = rest.get("label"), rest.get("score"), rest.get("groups")
    if score is None or label is None:
        return frame, rest, []  # building the table says what is missing
    several = isinstance(label, list | tuple)
    labels = [_name("label", one) for one in (label if several else [label])]
    if not labels:
        raise InputError("label is empty. Name at least one column of labels.")
    listed = list(score) if isinstance(score, list | tuple) else [score]
    scores = [_name("score", one) for one in listed]
    answers = {name: _name(name, given[name]) for name in _ANSWERS if given.get(name) is not None}
    named = [] if groups is None else [_name("groups", groups)]
    wanted = [*labels, *answers.values(), *(unsigned(name) for name in scores), *named]
    columns: dict[Any, Any] = dict(columns_of(frame, list(dict.fromkeys(wanted))))
    marks = (
        rest.get("pos_label") if rest.get("pos_label") is not None else 1,
        rest.get("unlabeled_label", 0) if "unlabeled_label" in rest else 0,
    )
    sources = None
    if len(set(labels)) > 1:
        if rest.get("neg_label") is not None:
            raise InputError(
                "neg_label belongs to a single label column. With several sources pass only those that "
                "mark positives."
            )
        labelled, sources = label_of_sources({name: columns[name] for name in labels}, *marks)
        columns[_ANY_SOURCE] = labelled.astype(int)
        rest = {**rest, "label": _ANY_SOURCE, "pos_label": 1, "unlabeled_label": 0}
        unlabeled = ~labelled
    else:
        rest = {**rest, "label": labels[0]}
        unlabeled = label_masks(columns[rest["label"]], *marks, rest.get("neg_label"))[1]
    for name in scores:
        if name not in columns:
            columns[name] = -as_scores(columns[unsigned(name)], "score")
    of_models = {str(name): as_scores(columns[name], "score") for name in scores}
    if len(of_models) == 1:
        of_models = {"model": next(iter(of_models.values()))}
    found = evidence_of_columns(
        of_models, unlabeled, sources=sources, **{name: columns[at] for name, at in answers.items()}
    )
    return columns, rest, found


def _name(what: str, value: object) -> Any:
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise InputError(
        f"{what}={shown(value)} does not name a column. Pass the name of one"
        f"{', or a list of names' if what == 'score' else ''}."
    )


def tables_of_frame(frame: Any, **given: Any) -> ScoreTable | JointTable:
    """The table of one score column, or the joint table of several."""
    for name in ("label", "score", "scenario"):
        if given.get(name) is None:
            raise InputError(
                f"{name} is missing: a data frame needs label=…, score=… and scenario=…."
            )
    if not is_frame(frame):
        raise InputError(
            f"label, score and scenario name columns of a data frame, but {shown(frame)} was given. Leave "
            "them out, or pass a data frame or a mapping of names to columns."
        )
    label, groups = _name("label", given["label"]), given.get("groups")
    score = given["score"]
    listed = list(score) if isinstance(score, list | tuple) else [score]
    names = list(dict.fromkeys(_name("score", each) for each in listed))
    if not names:
        raise InputError("score is empty. Name at least one column of scores.")
    if groups is not None:
        _name("groups", groups)
    found = dict.fromkeys([label, *map(unsigned, names), *([] if groups is None else [groups])])
    columns = columns_of(frame, list(found))
    for name in names:
        if name not in columns:
            columns[name] = -as_scores(columns[unsigned(name)], "score")
    more = {
        name: given[name]
        for name in ("pos_label", "unlabeled_label", "neg_label")
        if given.get(name) is not None
    }
    if groups is not None:
        more["groups"] = columns[groups]
    scenario = given["scenario"]
    if len(names) == 1:
        return ScoreTable.from_arrays(columns[label], columns[names[0]], scenario=scenario, **more)
    scores = {str(name): columns[name] for name in names}
    return JointTable.from_arrays(columns[label], scores, scenario=scenario, **more)
