"""Functions of tables that take data frames as well.

``evaluate(df, label="y", score=["a", "b"], scenario=…)`` builds the table, or the joint table of several
models, and goes on with that.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from puremetrics.checking.arguments import shown
from puremetrics.checking.columns import columns_of, is_frame
from puremetrics.exceptions import InputError
from puremetrics.scenarios import Scenario
from puremetrics.tables.joint import JointTable
from puremetrics.tables.score_table import ScoreTable

__all__ = ["tables_of_frame", "takes_frames"]

Parameters = ParamSpec("Parameters")
Table = TypeVar("Table", contravariant=True)
Answer = TypeVar("Answer", covariant=True)
_COLUMNS = ("label", "score", "scenario", "groups", "pos_label", "unlabeled_label", "neg_label")


class FromFrames(Protocol[Table, Parameters, Answer]):
    """A function of a table, or of a data frame and the names of its columns."""

    @overload
    def __call__(
        self, table: Table, /, *args: Parameters.args, **more: Parameters.kwargs
    ) -> Answer: ...
    @overload
    def __call__(
        self, frame: Any, /, *, label: str, score: Any, scenario: Scenario, **more: Any
    ) -> Answer: ...


def takes_frames(
    call: Callable[Concatenate[Table, Parameters], Answer],
) -> FromFrames[Table, Parameters, Answer]:
    """Let a function of a table take a data frame in its place, with the names of its columns."""
    own = inspect.signature(call)
    first = next(iter(own.parameters))

    @wraps(call)
    def with_frames(*args: Any, **more: Any) -> Answer:
        given = {
            name: more.pop(name) for name in _COLUMNS if name in more and name not in own.parameters
        }
        source = args[0] if args else more.get(first)
        if given:
            built = tables_of_frame(source, **given)
            args, more = (
                (built, *args[1:]) if args else args,
                more if args else {**more, first: built},
            )
        elif is_frame(source) and not isinstance(source, Mapping):
            raise InputError(
                f"{call.__name__} was given a {type(source).__name__}. Name its columns and the scenario: "
                "label=…, score=…, scenario='single_training_set' or 'case_control'."
            )
        return call(*args, **more)

    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in _COLUMNS
    ]
    kept = [p for p in own.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    rest = [p for p in own.parameters.values() if p.kind is inspect.Parameter.VAR_KEYWORD]
    with_frames.__signature__ = own.replace(parameters=[*kept, *added, *rest])  # type: ignore[attr-defined]
    return with_frames


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
    columns = columns_of(
        frame, list(dict.fromkeys([label, *names, *([] if groups is None else [groups])]))
    )
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
