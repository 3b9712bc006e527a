"""A parser whose complaints are sentences, and the types of what flags take. Loads nothing but argparse."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from puremetrics.checking.spelling import did_you_mean

__all__ = ["Parser", "WrongLine", "check_words", "number", "one_of", "parsers_of", "rows", "whole"]

_COMMA = re.compile(r"[-+]?\d*,\d+")
_PERCENT = re.compile(r"([-+]?[\d.,]+)\s*%")


class WrongLine(Exception):  # noqa: N818 (what it holds is a sentence for the terminal)
    """A command line that cannot be understood; holds the sentence that says why."""


class Parser(argparse.ArgumentParser):
    """argparse, except that a mistake raises `WrongLine`, with one sentence in place of the usage."""

    def error(self, message: str) -> NoReturn:
        """Raise the sentence for what argparse found."""
        raise WrongLine(f"{_sentence(message)} See {self.prog} --help.")


def _sentence(message: str) -> str:
    lacks = re.fullmatch(r"the following arguments are required: (.*)", message)
    if lacks:
        what = {"file": "the name of a file with scores", "ACTION": "an action, such as plan"}
        names = [what.get(name, name) for name in lacks[1].split(", ")]
        return f"The command needs {' and '.join(names)}."
    one = re.fullmatch(r"argument (\S+): expected one argument", message)
    if one:
        flag = one[1].rpartition("/")[2]
        return f"{flag} needs a value, and none follows it. Write a value that begins with - as {flag}=VALUE."
    several = re.fullmatch(r"argument file: expected at least one argument", message)
    if several:
        return "The command needs the name of a file with scores."
    placed = re.fullmatch(r"unrecognized arguments: (.*)", message)
    if placed:
        return (
            f"{placed[1].split()[0]!r} belongs to no flag. A flag takes one value: repeat it for each, as in "
            "--score a --score b. Name all files together, right after the command, and put quotation marks "
            "around a value that holds a space."
        )
    text = re.sub(r"^argument (?:\S+/)?(\S+?): ", r"\1 ", message)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".")


def check_words(parser: Parser, argv: Sequence[str]) -> None:
    """Raise for the first word that is neither a command nor a flag of it, with what was probably meant.

    argparse would complain first of what is missing, which is what the misspelled word was meant to be.
    """
    used, words = parser, list(argv)
    while (chosen := _commands(used)) is not None:
        place = next((i for i, word in enumerate(words) if not word.startswith("-")), None)
        if place is None:
            break
        word = words.pop(place)
        if word not in chosen:
            known = ", ".join(chosen)
            raise WrongLine(
                f"There is no command {word!r}.{did_you_mean(word, chosen, '{}')} The commands are: {known}."
            )
        used = chosen[word]
    flags = [flag for action in used._actions for flag in action.option_strings]
    for word in words:
        if word == "--":
            return
        flag = word.partition("=")[0]
        if not flag.startswith("--") or any(known.startswith(flag) for known in flags):
            continue
        meant = did_you_mean(flag, [name for name in flags if name.startswith("--")], "{}")
        raise WrongLine(
            f"{used.prog} has no flag {flag}.{meant} Leave it out, or choose one that "
            f"{used.prog} --help lists."
        )


def parsers_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands that read files; that of an only action stands for its command."""
    found = {}
    for name, own in (_commands(parser) or {}).items():
        actions = _commands(own)
        chosen = own if actions is None else next(iter(actions.values()))
        if any(action.dest == "file" for action in chosen._actions):
            found[name] = chosen
    return found


def _commands(parser: argparse.ArgumentParser) -> dict[str, Any] | None:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return None


def number(text: str) -> float:
    """A number with a decimal point."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(_no_number(text)) from None


def whole(text: str) -> int:
    """A whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a whole number. Write such as 200."
        ) from None


def rows(text: str) -> float:
    """A number of rows, or a share of them: 100 is not 1.0."""
    return int(text) if text.strip().isdigit() else number(text)


def one_of(name: str, words: Sequence[str]) -> Callable[[str], str]:
    """The type of a flag that takes one of some words."""

    def chosen(text: str) -> str:
        if text in words:
            return text
        meant = did_you_mean(text, words, "{}")
        listed = "" if len(words) > 12 and meant else f" Pass one of: {', '.join(words)}."
        raise argparse.ArgumentTypeError(f"does not take {text!r}.{meant}{listed}")

    chosen.__name__ = name
    return chosen


def _no_number(text: str) -> str:
    percent = _PERCENT.fullmatch(text.strip())
    if percent:
        try:
            share = f"{float(percent[1].replace(',', '.')) / 100:g}"
        except ValueError:
            share = "0.05"
        return f"{text!r} is written in percent. Write {share}."
    if _COMMA.fullmatch(text.strip()):
        point = text.strip().replace(",", ".")
        return f"{text!r} has a decimal comma. Write {point}."
    return f"{text!r} is not a number. Write such as 0.5."
