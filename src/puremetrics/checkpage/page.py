"""The page as HTML: one file with its style and script inside, served, or alone with the rows in it.

`served` is the page that a `CheckServer` answers with; rows come from there. `alone` is the same page for
somebody without Python: rows are inside, answers stay in that browser until they are saved as a sheet. Both
allow their own script and style by their hashes, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from importlib import resources
from typing import Any

from puremetrics import __version__
from puremetrics.checkpage.sheet import FIRST, Sheet, line_starts
from puremetrics.planning.sheets import ANSWER

__all__ = ["alone", "served"]

_SCRIPTS = ("cells", "keeping", "interval", "checking")


def served(*, framed: str = "", images: bool = False) -> tuple[str, str]:
    """The page that a server gives out, and its content security policy.

    ``framed`` are the addresses of pages that may show it in a frame.
    """
    frames = framed or "'none'"
    return _put_together("", "null"), _policy("'self'", images) + f"; frame-ancestors {frames}"


def alone(
    sheet: Sheet,
    *,
    columns: Sequence[str] | None = None,
    question: str = "",
    images: bool = False,
    name: str = "checked.csv",
) -> str:
    """The page with the rows of a sheet inside.

    Parameters
    ----------
    sheet : Sheet
    columns : sequence of str, optional
        Those to show; all by default.
    question : str, optional
        What is asked of every row.
    images : bool
        Whether addresses of images are loaded.
    name : str
        What answers are saved as.
    """
    starts = line_starts(sheet)
    key = hashlib.sha256("\n".join(starts).encode("utf-8", "backslashreplace")).hexdigest()[:24]
    shown = [column for column in (columns or sheet.columns) if column in sheet.columns]
    at = {column: place for place, column in enumerate(sheet.columns)}
    content = {
        "mode": "alone",
        "key": f"puremetrics {key}",
        "question": question or "Is this row positive?",
        "columns": shown,
        "images": images,
        "output": name,
        "places": sheet.places,
        "cells": [[cells[at[column]] for column in shown] for cells in sheet.cells],
        "head": f"{starts[0]},{','.join((ANSWER, *FIRST))}",
        "starts": starts[1:],
    }
    policy = _policy("'none'", images)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    return _put_together(meta, _script_json(content))


def _policy(connect: str, images: bool) -> str:
    pictures = "data: https: http:" if images else "data:"
    return (
        f"default-src 'none'; script-src '{_hash(_script())}'; style-src '{_hash(_style())}'; "
        f"img-src {pictures}; connect-src {connect}; base-uri 'none'; form-action 'none'"
    )


def _put_together(policy: str, data: str) -> str:
    parts = {
        "policy": policy,
        "version": __version__,
        "style": _style(),
        "script": _script(),
        "data": data,
    }
    return re.sub(r"\{\{([a-z]+)\}\}", lambda match: parts[match[1]], _asset("template.html"))


def _script_json(content: Any) -> str:
    """JSON that cannot end or disturb the script element that holds it."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _style() -> str:
    return re.sub(r"\s+", " ", _asset("style.css")).strip()


def _script() -> str:
    """All files in one, without indentation and comments of their own line."""
    lines = [line.strip() for name in _SCRIPTS for line in _asset(f"{name}.js").splitlines()]
    parts = "\n".join(line for line in lines if line and not line.startswith("//"))
    return f"'use strict';\n(() => {{\n{parts}\n}})();\n"


def _asset(name: str) -> str:
    return (resources.files("puremetrics.checkpage") / "assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return "sha256-" + base64.b64encode(digest).decode("ascii")
