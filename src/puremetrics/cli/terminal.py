"""Text for whatever terminal there is: nothing that it cannot show, and nothing that it would obey."""

from __future__ import annotations

import codecs
import sys

__all__ = ["prepare", "say", "screened"]

_PLAIN = {
    "→": "->", "←": "<-", "…": "...", "−": "-", "–": "-", "—": "-", "×": "x", "·": ".", "≥": ">=",
    "≤": "<=", "≈": "~", "±": "+/-", "‘": "'", "’": "'", "“": '"', "”": '"', "\u202f": " ", "\u2009": " ",
    "\u00a0": " ", "━": "-", "²": "2", "χ": "chi", "α": "alpha", "π": "pi", "γ": "gamma", "∞": "inf",
}  # fmt: skip
_KEPT = "\n\t"


def _fall_back(error: UnicodeError) -> tuple[str, int]:
    """What to show for characters that a terminal does not have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(_PLAIN.get(char) or _spelled(char) for char in lost), error.end


codecs.register_error("puremetrics", _fall_back)


def screened(text: str) -> str:
    """The text with escape sequences and other invisible characters spelled out; lines stay lines."""
    if text.isprintable():
        return text
    return "".join(
        char
        if char in _KEPT or char.isprintable() or char in _PLAIN or (char.isspace() and char > "~")
        else _spelled(char)
        for char in text
    )


def say(text: object = "", *, error: bool = False) -> None:
    """Print a line or a page, on standard error if it is not what was asked for."""
    print(screened(str(text)), file=sys.stderr if error else sys.stdout)


def prepare() -> None:
    """Let standard output and error show any text in the encoding that they have."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="puremetrics")


def _spelled(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
