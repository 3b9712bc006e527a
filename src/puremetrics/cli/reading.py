"""Files as tables or columns, for the commands: read whole, or counted if they are large or asked to be."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from puremetrics.checking.arguments import shown
from puremetrics.cli.labels import label_values
from puremetrics.cli.progress import Bar
from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.io.columns import check_text
from puremetrics.io.files import expand, read_columns
from puremetrics.scenarios import check_scenario
from puremetrics.tables.joint import JointTable
from puremetrics.tables.score_table import ScoreTable

__all__ = ["check_segments", "counted", "read_rows", "read_tables"]

LOADED = 2**31  # bytes of files that are read whole
MOST_PAIRED = 12  # models whose pairs are compared
_LOOK = 20_000  # rows that show whether a column names segments
_SEGMENTS = 200  # fewer may be as many as rows
_MOST_SHARE = 0.5


def read_tables(options: argparse.Namespace, shown: Bar) -> Any:
    """A table per score column, or segments of one; counted from the files when they are large."""
    return counted(options, shown)[0]


def counted(options: argparse.Namespace, shown: Bar) -> tuple[Any, dict[str, Any]]:
    """The tables, and what else they took: label values, and propensities."""
    files = expand(options.file)
    wants = [getattr(options, name, None) for name in ("by", "scan", "checkpoint")]
    if not any(wants) and sum(file.stat().st_size for file in files) <= LOADED:
        labels, columns, marks = read_rows(options, shown)
        if 1 < len(columns) <= MOST_PAIRED:  # the same rows: differences of models have intervals
            return JointTable.from_arrays(
                labels, columns, scenario=options.scenario, **marks
            ), marks
        return {
            name: ScoreTable.from_arrays(labels, column, scenario=options.scenario, **marks)
            for name, column in columns.items()
        }, marks
    if options.propensity is not None:
        raise UnsupportedError(
            "Propensities belong to rows, which a scan does not keep. Leave out --propensity, or --by, "
            "--scan and --checkpoint, with files of up to 2 GB."
        )
    seen = read_columns(files[0], [options.label], where=options.where, limit=100_000)
    if len(files) == 1 or not options.where:
        _check_any(options, len(seen[options.label]))
    marks = label_values(seen[options.label], options, whole=False)
    shown.step("counting")
    from puremetrics.io.scan import scan

    return scan(
        files,
        label=options.label,
        score=options.score,
        scenario=options.scenario,
        by=wants[0],
        groups=options.groups,
        where=options.where,
        checkpoint=wants[2],
        progress=shown.update,
        **marks,
    ), marks


def read_rows(
    options: argparse.Namespace, shown: Bar
) -> tuple[Any, Mapping[str, Any], dict[str, Any]]:
    """The labels, the score columns, and what else a table takes: label values, propensities, groups."""
    check_scenario(options.scenario)
    for name in ("label", "propensity", "groups", "where"):
        check_text(name, getattr(options, name), optional=True)
    wanted = [options.label, *options.score]
    for name in (options.propensity, options.groups):
        if name is not None and name not in wanted:
            wanted.append(name)
    columns = read_columns(
        options.file, wanted, scores=options.score, where=options.where, progress=shown.update
    )
    labels = columns[options.label]
    _check_any(options, len(labels))
    more = label_values(labels, options)
    if options.propensity is not None:
        more["propensity"] = columns[options.propensity]
    if options.groups is not None:
        more["groups"] = columns[options.groups]
    return labels, {name: columns[name] for name in options.score}, more


def _check_any(options: argparse.Namespace, rows: int) -> None:
    """Raise if there is no row to work with."""
    if rows:
        return
    if options.where is not None:
        raise InputError(
            f"0 rows are left after --where {shown(options.where)}. Check the condition: text in SQL has "
            "single quotes, and its capitals matter."
        )
    raise InputError(f"0 rows are in {', '.join(map(shown, options.file[:3]))}. Check the file.")


def check_segments(options: argparse.Namespace) -> None:
    """Refuse at once a column that has a value of its own for nearly every row, such as an id."""
    if options.by is None:
        return
    first = expand(options.file)[0]
    column = read_columns(first, [options.by], where=options.where, limit=_LOOK)[options.by]
    distinct = len(column.unique())
    if distinct > max(_SEGMENTS, _MOST_SHARE * len(column)):
        raise InputError(
            f"--by {options.by} has {distinct} different values in the first {len(column)} rows, such as "
            f"{shown(column[0].as_py())}: nearly every row would be a segment of its own. Name a column with "
            "few values, such as a month or a country."
        )
