"""Counting somewhere else: states of the parts of a source, made by anybody and added up here.

What counts rows on Spark works wherever functions and bytes can be sent: Dask, Ray, or a job that keeps the
state of each night in a file. A part is looked at, then counted; both give bytes, and bytes of any number of
parts make the table that `scan` of all of them together makes, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from puremetrics.exceptions import InputError
from puremetrics.io.batches import RowReader
from puremetrics.io.counting import FirstPass, SecondPass, check_totals
from puremetrics.io.first_pass import MAX_LABELLED
from puremetrics.io.packing import pack_many, unpack_many
from puremetrics.io.parts import read_batches
from puremetrics.io.passes import count_batches
from puremetrics.io.score_keys import Cuts
from puremetrics.io.segment_passes import SegmentedCuts
from puremetrics.io.sources import open_source
from puremetrics.scenarios import Scenario, check_scenario

__all__ = ["PartStates"]


@dataclass(frozen=True)
class PartStates:
    """How the parts of a source are counted; it can be sent to other machines.

    Parameters are those of `puremetrics.scan`; ``score`` is a list of columns.

    Examples
    --------
    >>> import pyarrow
    >>> parts = [pyarrow.table({"y": [1, 0], "p": [0.9, 0.8]}), pyarrow.table({"y": [0], "p": [0.1]})]
    >>> states = PartStates("y", ["p"], "case_control")
    >>> cuts = states.cuts([states.look(part) for part in parts])
    >>> print(states.tables(cuts, [states.count(part, cuts) for part in parts])["p"].cut())
    3 rows → 2 rows, cut at the labelled scores: 1 positive, 0 negative, 2 unlabeled, case_control
    """

    label: str
    score: Sequence[str]
    scenario: Scenario
    pos_label: Any = 1
    unlabeled_label: Any = 0
    neg_label: Any = None
    by: str | None = None
    where: str | None = None
    max_labelled: int = MAX_LABELLED
    pieces: int = 4096
    buckets: int = 16384

    @property
    def _reader(self) -> RowReader:
        marks = (self.pos_label, self.unlabeled_label, self.neg_label)
        return RowReader(self.label, tuple(self.score), *marks, self.by)

    def look(self, part: Any) -> bytes:
        """Return the labelled scores of a part, which is anything that `scan` takes."""
        return self._counted(part, FirstPass(self._reader, self.max_labelled))

    def cuts(self, looked: Iterable[bytes]) -> bytes:
        """Return the scores at which all parts are to be counted, from what `look` said of each."""
        work = FirstPass(self._reader, self.max_labelled)
        total = _added(work, looked)
        for state in total.values():
            check_totals(state.total.totals if self.by else state.totals, self._reader)
        made = {n: s.cuts(pieces=self.pieces, buckets=self.buckets) for n, s in total.items()}
        return pack_many("cuts of parts", list(made), [own.to_bytes() for own in made.values()])

    def count(self, part: Any, cuts: bytes) -> bytes:
        """Return the counts of a part at the cuts."""
        return self._counted(part, self._work(cuts))

    def tables(self, cuts: bytes, counted: Iterable[bytes]) -> dict[str, Any]:
        """Return the table, or the segments, of each score column, from the counts of all parts."""
        scenario = check_scenario(self.scenario)
        total = _added(self._work(cuts), counted)
        if self.by is None:
            return {name: state.to_table(scenario) for name, state in total.items()}
        return {name: state.to_segments(self.by, scenario) for name, state in total.items()}

    def _work(self, cuts: bytes) -> SecondPass:
        kind: Any = Cuts if self.by is None else SegmentedCuts
        names, made = unpack_many("cuts of parts", cuts)
        return SecondPass(self._reader, {n: kind.from_bytes(own) for n, own in zip(names, made)})  # noqa: B905

    def _counted(self, part: Any, work: FirstPass | SecondPass) -> bytes:
        reader, state = self._reader, work.empty()
        options: Any = {"scores": reader.score_columns, "once": True}
        with open_source(part, reader.columns, self.where, **options) as opened:
            for own in opened:
                batches = (batch for _, _, batch in read_batches([own], reader.columns))
                count_batches(batches, reader, work, state, place=own.place)
        return work.to_bytes(state)


def _added(work: FirstPass | SecondPass, states: Iterable[bytes]) -> Any:
    """All states together."""
    total, some = work.empty(), False
    for state in states:
        if not isinstance(state, bytes):
            raise InputError("States are bytes. Pass what look and count returned.")
        work.absorb(total, work.from_bytes(state))
        some = True
    if not some:
        raise InputError("There are no states to add up. Pass those of at least one part.")
    return total
