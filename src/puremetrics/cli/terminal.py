"""Text for whatever terminal there is: nothing that it cannot show, and nothing that it would obey.

**Words** (`in_commands`). What the library says is put in the words of the command line, by one table of
arguments and their flags. The library names its arguments (``pass threshold=…``); somebody at a terminal has
flags. What stands in quotation marks is the user's own and stays as it is.

**Progress** (`bar`). There is a progress bar on standard error, if that is a terminal and rich is there;
silence otherwise.
"""

from __future__ import annotations

import codecs
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = [
    "FLAGS",
    "Bar",
    "bar",
    "in_commands",
    "prepare",
    "say",
    "spell_out_invisible",
    "translated",
]


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


def spell_out_invisible(text: str) -> str:
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
    print(spell_out_invisible(str(text)), file=sys.stderr if error else sys.stdout)


def prepare() -> None:
    """Let standard output and error show any text in the encoding that they have."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="puremetrics")


def _spelled(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


class Bar:
    """What a long piece of work calls: `step` names it, `update` says how far it is."""

    def step(self, words: str) -> None:
        """Begin a new piece of work of unknown length."""

    def update(self, done: int, total: int | None) -> None:
        """Report how much is done."""


@contextmanager
def bar(*, wanted: bool = True) -> Iterator[Bar]:
    """Show a bar while the block runs; it disappears at the end, whatever happens."""
    if not (wanted and sys.stderr.isatty()):
        yield Bar()
        return
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
        )
    except ImportError:
        yield Bar()
        return
    columns: tuple[Any, ...] = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        yield _RichBar(shown)


class _RichBar(Bar):
    def __init__(self, shown: Any) -> None:
        self._shown = shown
        self._task = shown.add_task("reading", total=None)

    def step(self, words: str) -> None:
        self._shown.remove_task(self._task)
        self._task = self._shown.add_task(spell_out_invisible(words), total=None)

    def update(self, done: int, total: int | None) -> None:
        self._shown.update(self._task, completed=done, total=total)


FLAGS = {
    "audit": ("--audit", "FILE"),
    "budget": ("--budget", "N"),
    "by": ("--by", "COL"),
    "checker": ("--checker", "NAME"),
    "checkpoint": ("--checkpoint", "DIR"),
    "checked": ("--checked", "COL"),
    "confidence_level": ("--level", "L"),
    "dependence": ("--dependence", "RANGE"),
    "groups": ("--groups", "COL"),
    "judge": ("--judge", "COL"),
    "label": ("--label", "COL"),
    "label_bias": ("--label-bias", "G"),
    "label_bias_side": ("--label-bias-side", "S"),
    "method": ("--method", "M"),
    "neg_label": ("--neg-label", "V"),
    "objective": ("--objective", "M"),
    "overlap": ("--overlap", "PERCENT"),
    "pos_label": ("--pos-label", "V"),
    "prior": ("--prior", "P"),
    "propensity": ("--propensity", "COL"),
    "purity": ("--purity", "B"),
    "rng": ("--seed", "N"),
    "scenario": ("--scenario", "S"),
    "second": ("--second", "COL"),
    "selection_bias": ("--selection-bias", "G"),
    "sensitivity": ("--sensitivity", "RANGE"),
    "specificity": ("--specificity", "RANGE"),
    "score": ("--score", "COL"),
    "scores": ("--score", "COL"),
    "statistic": ("--statistic", "M"),
    "target": ("--target", "M"),
    "threshold": ("--threshold", "T"),
    "top": ("--top", "K"),
    "unlabeled_label": ("--unlabeled-label", "V"),
    "where": ("--where", "SQL"),
    "width": ("--until-width", "W"),
}
_PHRASES = (
    (" (choose_threshold finds one)", " (evaluate finds the best one)"),
    ("as a number, an interval (low, high), or an estimate from estimate_prior",
     "as --prior 0.12 or --prior 0.1:0.15, or leave it out to have it estimated"),
    ("Pass purity > prior", "Pass a --purity above the prior"),
    (" to ScoreTable.from_arrays", ""),
    ("scores must map at least two model names to their scores, such as {'a': …, 'b': …}",
     "A comparison needs at least two models. Pass --score once for each of them"),
    ("(None for missing values)", "('missing' for empty cells)"),
    ("Use the table before cut(); for a bootstrap pass cut=False", "Leave out --scan"),
    ("Use scan with a larger max_labelled, or without neg_label", "Leave out --neg-label"),
    ("Pass a larger max_labelled, or scan the segments one by one",
     "Use coarser segments, or evaluate one segment at a time with --where"),
    ("Scan one segment at a time", "Evaluate one segment at a time"),
    ("Leave out prior, or leave out audit and pass prior=prior_from_audit(audit, table=table), which "
     "assumes labels at random", "Leave out --prior, or leave out --audit"),
    ("Use roc_auc or another estimate that corrects for noisy labels", "Leave out --purity"),
    ("(plan_audit)", "(puremetrics audit plan --help)"),
    ("(prior_from_audit)", "(puremetrics audit plan --help)"),
    ("audit both samples with prior_from_audit", "audit both samples (puremetrics audit plan --help)"),
    ("(if you know it, pass label_bias=1)", "(if you know it, pass --label-bias 1)"),
    ("(pass prior=…)", "(pass --prior P)"),
    ("negate the scores.", "negate the scores:"),
    (" (out_of_fold_scores)", ""),
    ("Recalibrate the scores, or use brier_score", "Recalibrate the scores"),
    ("Use method='indirect', or scan with a larger max_labelled", "Leave out --method"),
    ("or leave it out if the rows are independent", "or leave out --groups if the rows are independent"),
)  # fmt: skip
_NAMES = "|".join(sorted(FLAGS, key=len, reverse=True))
_SNAKE = "|".join(sorted((name for name in FLAGS if "_" in name), key=len, reverse=True))
_QUOTED = r"(?:(?<![\w'])'[^']*'|(?<![\w\"])\"[^\"]*\")(?!\w)"
_PIECE = re.compile(
    rf"(?P<named>\b(?P<name>{_NAMES})=(?P<value>…|'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\([^)]*\)|[^\s,;)]+))"
    rf"|(?P<quoted>{_QUOTED})"
    rf"|(?P<verb>\b(?:[Pp]ass|[Ll]eave out|and|or|without) )(?P<bare>{_NAMES})(?P<than> (?:>=|<=) )?"
    r"(?P<after>[-+.\de]*\d)?(?=[\s.,;:]|$)"
    rf"|(?P<snake>(?<![-\w])(?:{_SNAKE})(?![-\w]))"
)
_BARE_AFTER = ("pass ", "Pass ", "leave out ", "Leave out ")


def translated(message: str) -> str:
    """The message with flags for arguments.

    >>> translated("target='f1' needs a threshold: pass threshold=….")
    '--target f1 needs a threshold: pass --threshold T.'
    >>> translated("prior=0.05 is impossible. Pass prior >= 0.12, or scenario='case_control'.")
    '--prior 0.05 is impossible. Pass --prior 0.12 or more, or --scenario case_control.'
    >>> translated("'prior=1' is a file. Leave out top.")
    "'prior=1' is a file. Leave out --top."
    """
    return _PIECE.sub(_replacement, in_commands(message))


def in_commands(text: str) -> str:
    """The text with commands for functions.

    >>> in_commands("Check more rows (plan_audit).")
    'Check more rows (puremetrics audit plan --help).'
    """
    for old, new in _PHRASES:
        text = text.replace(old, new)
    return text


def _replacement(found: re.Match[str]) -> str:
    if found["quoted"] is not None:
        return found[0]
    if found["snake"] is not None:
        return FLAGS[found["snake"]][0]
    if found["named"] is not None:
        flag, metavar = FLAGS[found["name"]]
        value, end = found["value"], ""
        if value[0] not in "'\"[(" and value[-1] in ".:" and len(value) > 1:
            value, end = value[:-1], value[-1]
        return f"{flag} {_written(found['name'], value, metavar)}{end}"
    flag = FLAGS[found["bare"]][0]
    if found["than"] is not None and found["after"] is not None:
        more = "or more" if ">=" in found["than"] else "or less"
        return f"{found['verb']}{flag} {found['after']} {more}"
    plain = found["after"] is None and found["than"] is None
    if plain and (found["verb"] in _BARE_AFTER or "_" in found["bare"]):
        return f"{found['verb']}{flag}"
    return found[0]


def _written(name: str, value: str, metavar: str) -> str:
    """A value as it is written after a flag."""
    if value == "…":
        return metavar
    if value == "None":
        return "missing" if name.endswith("_label") else metavar
    if value[0] in "'\"":
        return shlex.quote(value[1:-1]) if value[1:-1] else "''"
    if value[0] in "([":
        inside = [part.strip().strip("'\"") for part in value[1:-1].split(",")]
        return (":" if value[0] == "(" else f" {FLAGS[name][0]} ").join(inside)
    return value
