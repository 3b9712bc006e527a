"""States of finished files, saved so that a later run need not read them again."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from pathlib import Path
from typing import Any

from puremetrics.exceptions import InputError
from puremetrics.io.writing import whole_file

__all__ = ["Checkpoint"]


class Checkpoint:
    """A folder of saved states, each under the digest of all that it depends on."""

    def __init__(self, folder: str | Path, *settings: Any) -> None:
        self.folder = Path(folder)
        self.settings = settings
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass  # better now than after the first file has been read
        except OSError as error:
            raise InputError(
                f"The folder {str(self.folder)!r} cannot be written to: {error.strerror or error}. Pass "
                "another one for checkpoints."
            ) from None

    def _path(self, identity: Any, step: str) -> Path:
        text = repr((self.settings, identity, step)).encode()
        return self.folder / f"{hashlib.blake2b(text, digest_size=16).hexdigest()}.counts"

    def name(self, identity: Any, step: str) -> str:
        """The file of a state, for messages."""
        return str(self._path(identity, step))

    def load(self, identity: Any, step: str) -> bytes | None:
        """Return what was saved; None if nothing was."""
        with contextlib.suppress(FileNotFoundError):
            return self._path(identity, step).read_bytes()
        return None

    def save(self, identity: Any, step: str, data: bytes) -> None:
        """Save a state whole or not at all."""
        with whole_file(self._path(identity, step), sync=True) as out:
            out.write(data)
