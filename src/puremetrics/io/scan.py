"""`scan`: a table from any amount of rows, read twice and never held."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack, overload

from puremetrics.checking.arguments import check_count
from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.io.batches import RowReader
from puremetrics.io.conditions import check_text
from puremetrics.io.counting import count_tables
from puremetrics.io.first_pass import MAX_LABELLED
from puremetrics.io.passes import Checkpoint, Pass, Progress
from puremetrics.io.sources import open_source
from puremetrics.scenarios import Scenario, check_scenario
from puremetrics.tables.score_table import ScoreTable
from puremetrics.tables.segments import Segments

__all__ = ["scan"]

_MOST_CUTS = 2**22  # pieces or buckets; each takes some ten bytes a thread and column
_MOST_THREADS = 256
_TOGETHER = 64  # score columns that are counted in the same passes

Counted = ScoreTable | Segments | dict[str, ScoreTable] | dict[str, Segments]


class ScanOptions(TypedDict, total=False):
    """What `scan` takes besides the columns."""

    scenario: Scenario | None
    pos_label: Any
    unlabeled_label: Any
    neg_label: Any
    groups: str | None
    where: str | None
    max_labelled: int
    pieces: int
    buckets: int
    threads: int | None
    checkpoint: str | Path | None
    progress: Progress | None


@overload
def scan(
    source: Any, *, label: str, score: str, by: None = None, **options: Unpack[ScanOptions]
) -> ScoreTable: ...


@overload
def scan(
    source: Any, *, label: str, score: str, by: str, **options: Unpack[ScanOptions]
) -> Segments: ...


@overload
def scan(
    source: Any,
    *,
    label: str,
    score: Sequence[str],
    by: None = None,
    **options: Unpack[ScanOptions],
) -> dict[str, ScoreTable]: ...


@overload
def scan(
    source: Any, *, label: str, score: Sequence[str], by: str, **options: Unpack[ScanOptions]
) -> dict[str, Segments]: ...


def scan(
    source: Any,
    *,
    label: str,
    score: str | Sequence[str],
    scenario: Scenario | None = None,
    pos_label: Any = 1,
    unlabeled_label: Any = 0,
    neg_label: Any = None,
    by: str | None = None,
    groups: str | None = None,
    where: str | None = None,
    max_labelled: int = MAX_LABELLED,
    pieces: int = 4096,
    buckets: int = 16384,
    threads: int | None = None,
    checkpoint: str | Path | None = None,
    progress: Progress | None = None,
) -> Counted:
    """Count any amount of rows into a table, without holding them.

    Rows are read twice: first for the labelled scores, then to be counted at and between them. Everything
    about ranks is then exactly what the rows in memory would give; ``table.cut()`` has the same bits.

    Parameters
    ----------
    source
        A path, a pattern such as ``"scores/*.parquet"`` or a list of them (Parquet, CSV, TSV, JSON lines,
        Arrow); a DuckDB relation; a pyarrow dataset; a Spark data frame; or anything with
        ``__arrow_c_stream__`` (polars, pandas, pyarrow). A stream that can be read only once is kept in
        a temporary file meanwhile.
    label : str
        Column of the labels.
    score : str or list of str
        Column of the scores; a list gives a dict of tables, made in the same passes. "-p" stands for column
        "p" where low scores mean positive.
    scenario : {"case_control", "single_training_set"}
    pos_label, unlabeled_label, neg_label : scalar
        As for `ScoreTable.from_arrays`.
    by : str, optional
        Column of the segments: one table for each of its values, up to thousands, as `Segments`.
    groups : str, optional
        Column that names the groups which rows belong to, as for `ScoreTable.from_arrays`. Memory stays
        bounded: of more than 16,384 groups several count as one. Not together with ``by``.
    where : str, optional
        Count only rows for which this SQL condition holds; it may use any column.
    max_labelled : int, default 20 million
        If there are more distinct labelled scores than that, rows are counted in buckets instead, and areas
        carry a bracket that contains the exact value. Memory grows by about 250 bytes for each.
    pieces : int, default 4096
        Cuts of equal mass besides the labelled scores, for calibration.
    buckets : int, default 16384
        Number of buckets, where there must be some: the bracket of an uncorrected AUC is at most
        about 1/buckets wide.
    threads : int, optional
        Default: the number of processors, at most 8. The result does not depend on it.
    checkpoint : path, optional
        A folder where the counts of finished files are kept, so that a killed run goes on where it
        stopped. If files are added or change, the others are spared the first reading; the second is
        spared only while the cuts stay the same, and new labels usually make new cuts.
    progress : callable, optional
        Called with the rows read so far, over all passes, and how many there will be, if that is known.

    Returns
    -------
    ScoreTable, Segments, or a dict of them if ``score`` is a list

    Notes
    -----
    Memory: about 250 bytes a distinct labelled score, and some 400 MB for the rows being sorted.
    Cost: two readings and sorting; see docs/scan.md.

    Examples
    --------
    >>> import pyarrow
    >>> rows = pyarrow.table({"y": [1, 0, 1, 0, 0], "p": [0.9, 0.8, 0.7, 0.7, 0.1]})
    >>> print(scan(rows, label="y", score="p", scenario="case_control").cut())
    5 rows → 4 rows, cut at the labelled scores: 2 positive, 0 negative, 3 unlabeled, case_control
    """
    scenario = check_scenario(scenario)
    names = (
        (score,)
        if isinstance(score, str)
        else tuple(score)
        if isinstance(score, list | tuple)
        else ()
    )
    if not names or not all(isinstance(name, str) for name in names):
        raise InputError("score must be the name of a column, or a list of names.")
    check_text("label", label)
    for name in names:
        check_text("score", name)
    check_text("by", by, optional=True)
    check_text("groups", groups, optional=True)
    if by is not None and groups is not None:
        raise UnsupportedError(
            f"by={by!r} and groups={groups!r} cannot be counted in one scan. Scan one segment at a time, "
            "with where=…, or leave out one of them."
        )
    check_text("where", where, optional=True)
    if len(set(names)) < len(names):
        raise InputError(f"score={list(names)!r} names a column twice. Name it once.")
    settings = {"max_labelled": max_labelled, "pieces": pieces, "buckets": buckets}
    check_count(max_labelled, "max_labelled")
    for name, size in (("pieces", pieces), ("buckets", buckets)):
        check_count(size, name, largest=_MOST_CUTS)
    reader = RowReader(label, names, pos_label, unlabeled_label, neg_label, by, groups)
    if type(source).__module__.split(".")[0] == "pyspark":
        from puremetrics.io.spark import scan_spark

        if checkpoint is not None:
            raise UnsupportedError(
                "A checkpoint keeps the counts of finished files, but a Spark data frame has none. Leave "
                "out checkpoint; cache or checkpoint the frame itself, for example with frame.checkpoint()."
            )

        tables = scan_spark(
            source, reader=reader, scenario=scenario, where=where, progress=progress, **settings
        )
        return _asked_for(tables, score)
    workers = min(os.cpu_count() or 1, 8)
    if threads is not None:
        workers = check_count(threads, "threads", largest=_MOST_THREADS)
    found: dict[str, Any] = {}
    with open_source(source, reader.columns, where, scores=reader.score_columns) as parts:
        sets = [names[at : at + _TOGETHER] for at in range(0, len(names), _TOGETHER)]
        for at, some in enumerate(sets):  # states of many columns at once would fill the memory
            own = replace(reader, scores=some)
            saved = None
            if checkpoint is not None:
                saved = Checkpoint(checkpoint, repr(own), where, max_labelled)
            reading = Pass(own, parts, workers, _among(progress, at, len(sets)), saved)
            known = [part.rows for part in parts]
            if all(rows is not None for rows in known):
                reading.expected = 2 * sum(rows for rows in known if rows is not None)
            found |= count_tables(reading, scenario, settings)
    return _asked_for(found, score)


def _among(progress: Progress | None, at: int, groups: int) -> Progress | None:
    """The progress of one of several groups of columns, as part of the whole."""
    if progress is None or groups == 1:
        return progress

    def told(done: int, total: int | None) -> None:
        progress(
            done if total is None else at * total + done, None if total is None else groups * total
        )

    return told


def _asked_for(tables: dict[str, Any], score: str | Sequence[str]) -> Counted:
    """The table of the one column asked for, or those of all."""
    found: Counted = tables[score] if isinstance(score, str) else tables
    return found
