"""Sheets: what is written comes back, and so does what spreadsheet programs make of it."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from puremetrics.checkpage import Sheet, read_sheet
from puremetrics.checkpage.sheet import Answer, Answers, sheet_bytes
from puremetrics.exceptions import InputError
from tests.checkpage.making import sheet

SAID = st.sampled_from(["yes", "no", "unsure"])
ONE = st.builds(Answer, SAID, st.sampled_from(["ann", 'b"o,b', ""]), st.just("2026-01-02"))


@st.composite
def answers(draw):
    first = draw(st.one_of(st.none(), ONE))
    second = draw(st.one_of(st.none(), ONE)) if first else None
    settled = draw(st.one_of(st.none(), ONE)) if second else None
    return Answers(first, second, settled)


ODD = st.sampled_from(list(",;\t\"'\r\n =\0\u2028"))
CELLS = st.text(ODD | st.characters(blacklist_categories=("Cs",)), max_size=12)


@given(
    st.lists(st.tuples(st.tuples(CELLS, CELLS), answers()), min_size=1, max_size=6),
    st.booleans(),
)
def test_what_is_written_comes_back(tmp_path_factory, rows, second):
    cells, given_ = zip(*rows, strict=True)
    made = Sheet(("a", "b"), list(range(len(rows))), list(cells), list(given_))
    path = tmp_path_factory.mktemp("sheet") / "checked.csv"
    path.write_bytes(sheet_bytes(made, second=second))
    found = read_sheet(path)
    assert found.cells == made.cells
    assert found.columns == made.columns
    assert found.answers == made.answers
    assert [one.final for one in found.answers] == [one.final for one in made.answers]


def test_the_file_is_what_evaluate_reads():
    made = sheet(4)
    made.answers[0] = Answers(Answer("yes", "ann", "t"))
    made.answers[1] = Answers(Answer("unsure", "ann", "t"))
    made.answers[2] = Answers(Answer("yes", "ann", "t"), Answer("no", "bob", "t"))
    lines = list(csv.DictReader(io.StringIO(sheet_bytes(made).decode())))
    assert [line["positive"] for line in lines] == ["1", "", "", ""]
    assert [line["row"] for line in lines] == ["3", "10", "17", "24"]
    assert lines[0]["checker"] == "ann"
    assert lines[2]["second_answer"] == "no"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_spreadsheet_program_may_have_saved_it(tmp_path, delimiter):
    path = tmp_path / "sheet.csv"
    text = "order,row,positive\r\n1,5,1\r\n2,6,\r\n3,7,No\r\n,,\r\n".replace(",", delimiter)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    found = read_sheet(path)
    assert found.places == [5, 6, 7]
    assert [one.final for one in found.answers] == ["yes", "", "no"]


def test_an_answer_typed_by_hand_counts():
    text = "order,row,positive,answer,checker,checked_at\n1,5,0,yes,ann,t\n2,6,1,,,\n"
    found = [one.final for one in _read(text).answers]
    assert found == ["no", "yes"]


def _read(text, tmp=None):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sheet.csv"
        path.write_text(text)
        return read_sheet(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "no column 'row'"),
        ("order,row,positive\n", "holds no row"),
        ("order,row,positive\n1,x,\n", "Line 2"),
        ("order,row,positive\n1,-4,\n", "Keep that column"),
        ("order,row,positive\n1,4,\n2,4,\n", "row 4 twice"),
        ("order,row,positive\n1,4,maybe\n", "has the answer 'maybe'"),
        ("", "no column"),
    ],
)
def test_what_is_not_a_sheet_is_told(text, said):
    with pytest.raises(InputError, match=said):
        _read(text)


def test_bytes_that_are_not_text_are_told(tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_bytes(b"order,row,positive\n1,5,\xff\n")
    with pytest.raises(InputError, match="UTF-8"):
        read_sheet(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_sheet(tmp_path / "none.csv")


def test_long_cells_are_read(tmp_path):
    path = tmp_path / "sheet.csv"
    long = "x" * 400_000
    path.write_bytes(sheet_bytes(Sheet(("text",), [1], [(long,)])))
    assert read_sheet(path).cells == [(long,)]
    assert csv.field_size_limit() < 400_000


@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")),
        st.lists(st.text(ODD | st.sampled_from("01ynrow"), max_size=8), max_size=12).map(
            lambda lines: ("order,row,positive,answer\n" + "\n".join(lines)).encode()
        ),
    )
)
def test_any_bytes_are_a_sheet_or_a_sentence(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("sheet") / "checked.csv"
    path.write_bytes(content)
    try:
        found = read_sheet(path)
    except InputError:
        return
    again = path.with_name("again.csv")
    again.write_bytes(sheet_bytes(found))
    assert read_sheet(again).answers == found.answers
    assert read_sheet(again).cells == found.cells
