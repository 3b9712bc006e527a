"""Where rows come from: packed files, folders, Excel workbooks, empty cells as unlabeled rows."""

import datetime
import gzip
import json
import sys
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puremetrics.cli import main
from puremetrics.exceptions import InputError, MissingDependencyError
from puremetrics.io.excel import excel_table
from puremetrics.io.files import expand, read_columns

CSV = "y,p\n" + "1,0.9\n0,0.5\n0,0.1\n1,0.6\n" * 5
OPTIONS = ["--label", "y", "--score", "p", "--scenario", "case_control", "--prior", "0.2"]
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
DOC = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def rows_of(capsys, *argv):
    code = main(["evaluate", *map(str, argv), *OPTIONS, "--json", "-"])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out)["models"]["p"]["rows"]


def workbook(path, cells, *, shared=(), hidden=False, formats=()):
    """A workbook as Excel writes it; cells are the XML of the second sheet if the first is hidden."""
    sheets = [("one", "rId1", 'state="hidden" ' if hidden else ""), ("two", "rId2", "")]
    listed = "".join(
        f'<sheet name="{n}" sheetId="{i}" {state}r:id="{r}"/>'
        for i, (n, r, state) in enumerate(sheets, 1)
    )
    texts = "".join(f"<si><t>{text}</t></si>" for text in shared)
    formats = "".join(f'<xf numFmtId="{number}"/>' for number in formats)
    own = {1: cells, 2: ""} if not hidden else {1: "", 2: cells}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{PACKAGE}">'
            f'<Relationship Id="rId1" Type="{DOC}/officeDocument" Target="xl/workbook.xml"/>'
            "</Relationships>",
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{DOC}"><sheets>{listed}</sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{PACKAGE}">'
            f'<Relationship Id="rId1" Type="{DOC}/worksheet" Target="worksheets/sheet1.xml"/>'
            f'<Relationship Id="rId2" Type="{DOC}/worksheet" Target="/xl/worksheets/sheet2.xml"/>'
            "</Relationships>",
        )
        archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}">{texts}</sst>')
        archive.writestr(
            "xl/styles.xml", f'<styleSheet xmlns="{MAIN}"><cellXfs>{formats}</cellXfs></styleSheet>'
        )
        for number, content in own.items():
            archive.writestr(
                f"xl/worksheets/sheet{number}.xml",
                f'<worksheet xmlns="{MAIN}"><sheetData>{content}</sheetData></worksheet>',
            )


def data_rows(values):
    return "".join(
        f'<row r="{i}"><c r="A{i}"><v>{y}</v></c><c r="B{i}"><v>{p}</v></c></row>'
        for i, (y, p) in enumerate(values, 2)
    )


HEAD = '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>'
VALUES = [(1, 0.9), (0, 0.5), (0, 0.1), (1, 0.6)] * 5


def test_packed_files_and_folders_say_the_same(capsys, tmp_path):
    (tmp_path / "a.csv").write_text(CSV)
    whole = rows_of(capsys, tmp_path / "a.csv")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    assert rows_of(capsys, tmp_path / "a.csv.gz") == whole
    (tmp_path / "a.csv.zst").write_bytes(pa.compress(CSV.encode(), codec="zstd", asbytes=True))
    assert rows_of(capsys, tmp_path / "a.csv.zst") == whole
    parts = tmp_path / "parts" / "month=1"
    parts.mkdir(parents=True)
    table = pa.table({"y": [y for y, _ in VALUES], "p": [p for _, p in VALUES]})
    pq.write_table(table.slice(0, 8), parts / "part-0.parquet")
    pq.write_table(table.slice(8), parts.parent / "part-1.parquet")
    for marker in ("_SUCCESS", ".part-0.parquet.crc"):
        (parts / marker).write_text("x")
    for more in ([], ["--scan"]):
        assert rows_of(capsys, tmp_path / "parts", *more) == whole
    (parts / "extra.csv").write_text(CSV)
    with pytest.raises(InputError, match="different formats"):
        expand(tmp_path / "parts")


@pytest.mark.parametrize("hidden", [False, True])
def test_a_workbook_says_what_a_csv_file_says(capsys, tmp_path, hidden):
    path = tmp_path / "a.xlsx"
    workbook(path, HEAD + data_rows(VALUES), shared=["y", "p"], hidden=hidden)
    (tmp_path / "a.csv").write_text(CSV)
    assert rows_of(capsys, path) == rows_of(capsys, tmp_path / "a.csv")
    assert rows_of(capsys, path, "--where", "p > 0.3")["unlabeled"] == 5
    assert rows_of(capsys, path, "--scan")["positive"] == 10


def test_cells_of_all_kinds(tmp_path):
    cells = (
        HEAD + '<row r="2"><c r="B2"><v>0.5</v></c></row>'
        '<row r="3"><c t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c><c><v>1E-3</v></c></row>'
        '<row r="4"><c r="A4" t="b"><v>1</v></c><c r="B4"><f>1/2</f><v>2</v></c></row><row r="5"/>'
    )
    workbook(tmp_path / "a.xlsx", cells, shared=["y", "p"])
    found = excel_table(tmp_path / "a.xlsx", "'a.xlsx'").to_pydict()
    assert found == {"y": [None, "ab", "True"], "p": [0.5, 0.001, 2.0]}
    flags = HEAD + '<row><c t="b"><v>1</v></c><c><v>3</v></c></row>'
    workbook(tmp_path / "b.xlsx", flags, shared=["y", "p"])
    table = excel_table(tmp_path / "b.xlsx", "'b.xlsx'")
    assert [str(kind) for kind in table.schema.types] == ["bool", "int64"]


def test_dates_are_dates(tmp_path):
    days = HEAD + "".join(
        f'<row r="{i}"><c r="A{i}" s="1"><v>{45000 + i}</v></c>'
        f'<c r="B{i}" s="2"><v>{45000 + i / 4}</v></c></row>'
        for i in range(2, 7)
    )
    workbook(tmp_path / "a.xlsx", days + '<row r="9"/>', shared=["y", "p"], formats=[0, 14, 22])
    table = excel_table(tmp_path / "a.xlsx", "'a.xlsx'")
    assert [str(kind) for kind in table.schema.types] == ["date32[day]", "timestamp[us]"]
    assert table["y"][0].as_py() == datetime.date(2023, 3, 17)
    assert table["p"][2].as_py() == datetime.datetime(2023, 3, 16)
    found = read_columns(tmp_path / "a.xlsx", ["y"], where="y > '2023-03-17' AND p < '2023-03-16'")
    assert len(found["y"]) == 1
    mixed = HEAD + '<row><c s="1"><v>45000</v></c><c><v>1</v></c></row><row><c><v>7</v></c></row>'
    workbook(tmp_path / "b.xlsx", mixed, shared=["y", "p"], formats=[0, 14])
    found = excel_table(tmp_path / "b.xlsx", "'b.xlsx'").to_pydict()
    assert found == {"y": ["2023-03-15", "7"], "p": [1, None]}


def test_errors_are_no_empty_cells(capsys, tmp_path):
    error = (
        '<row r="22"><c r="A22" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="B22"><v>0.5</v></c></row>'
    )
    workbook(tmp_path / "a.xlsx", HEAD + data_rows(VALUES) + error, shared=["y", "p"])
    assert main(["evaluate", str(tmp_path / "a.xlsx"), *OPTIONS]) == 2
    assert "#DIV/0!" in capsys.readouterr().err


def test_columns_without_names_and_rows_without_cells_are_passed_over(tmp_path):
    cells = (
        '<row r="3"><c r="C3"><v>2026</v></c><c r="E3" t="s"><v>0</v></c></row>'
        '<row r="5"><c r="D5"><v>1</v></c></row><row r="6"><c r="C6"><v>2.5</v></c></row>'
    )
    workbook(tmp_path / "a.xlsx", cells, shared=["y"])
    table = excel_table(tmp_path / "a.xlsx", "'a.xlsx'")
    assert table.to_pydict() == {"2026": [2.5], "y": [None]}


def test_workbooks_that_cannot_be_read(tmp_path):
    workbook(tmp_path / "a.xlsx", "")
    with pytest.raises(InputError, match="empty first row"):
        read_columns(tmp_path / "a.xlsx", ["y"])
    workbook(tmp_path / "b.xlsx", HEAD + data_rows(VALUES), shared=["y"])
    with pytest.raises(InputError, match=r"'b\.xlsx' cannot be read"):
        read_columns(tmp_path / "b.xlsx", ["y"])
    with zipfile.ZipFile(tmp_path / "c.xlsx", "w") as archive:
        archive.writestr("x", "y")
    with pytest.raises(InputError, match=r"'c\.xlsx' cannot be read"):
        read_columns(tmp_path / "c.xlsx", ["y"])
    (tmp_path / "d.xlsx").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600))
    with pytest.raises(InputError, match=r"it has a password"):
        read_columns(tmp_path / "d.xlsx", ["y"])


@pytest.mark.parametrize(
    "row",
    [
        '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        "<row r = '2'><c r = 'xfd1048576'><v>1</v></c></row>",
        '<row r="4294967290"><c><v>1</v></c></row>',
        '<x:row r="2"><x:c s="1" r="A4294967290"><v>1</v></x:c></x:row>',
        '<row r="2"><c n=">" r="XFD1048576"><v>1</v></c></row>',
    ],
)
def test_cells_far_apart_do_not_end_the_process(tmp_path, row):
    workbook(tmp_path / "a.xlsx", HEAD + row, shared=["y", "p"])
    with pytest.raises(InputError, match=r"'a\.xlsx' has a sheet with cells far below"):
        read_columns(tmp_path / "a.xlsx", ["y"])


def test_empty_cells_may_lie_anywhere(tmp_path):
    far = '<row r="1048576" s="1"><c r="A1048576" s="1"/><c r="XFD1048576" s="1"></c></row>'
    workbook(tmp_path / "a.xlsx", HEAD + data_rows(VALUES) + far, shared=["y", "p"])
    assert len(read_columns(tmp_path / "a.xlsx", ["y"])["y"]) == 20


def test_workbooks_too_large_to_unpack(tmp_path, monkeypatch):
    workbook(tmp_path / "a.xlsx", HEAD + data_rows(VALUES), shared=["y", "p"])
    monkeypatch.setattr("puremetrics.io.excel._MOST_BYTES", 1000)
    with pytest.raises(InputError, match=r"'a\.xlsx' is too large for a workbook"):
        read_columns(tmp_path / "a.xlsx", ["y"])


def test_a_workbook_without_its_reader(tmp_path, monkeypatch):
    workbook(tmp_path / "a.xlsx", HEAD + data_rows(VALUES), shared=["y", "p"])
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingDependencyError, match=r"Install puremetrics\[cli\]"):
        read_columns(tmp_path / "a.xlsx", ["y"])


def test_empty_cells_beside_the_positives_are_the_unlabeled(capsys, tmp_path):
    for name, text in {
        "words.csv": CSV.replace("\n1,", "\nspam,").replace("\n0,", "\n,"),
        "numbers.csv": CSV.replace("\n0,", "\n,"),
    }.items():
        (tmp_path / name).write_text(text)
        given = [tmp_path / name] + (["--pos-label", "spam"] if name == "words.csv" else [])
        for more in ([], ["--scan"]):
            assert rows_of(capsys, *given, *more) == {
                "positive": 10, "unlabeled": 10, "negative": 0, "scenario": "case_control",
            }  # fmt: skip
    (tmp_path / "n.csv").write_text(CSV.replace("\n0,0.5", "\n,0.5"))
    assert rows_of(capsys, tmp_path / "n.csv", "--neg-label", "0")["negative"] == 5
