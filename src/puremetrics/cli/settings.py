"""Defaults of flags from a file: ``puremetrics.toml``, or ``[tool.puremetrics]`` in ``pyproject.toml``.

Keys are flags without their dashes. At the top they hold for every command that has the flag, in a table
such as ``[evaluate]`` for that command. Flags on the line win.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from puremetrics.checking.arguments import clean, listed, shown
from puremetrics.checking.spelling import did_you_mean
from puremetrics.exceptions import InputError

__all__ = ["Settings", "fill_in", "read_settings"]

_NOT_HERE = ("help", "version", "file", "no_settings", "command", "action")


@dataclass(frozen=True)
class Settings:
    """What a settings file says for one command: values by the name that options have, and the file."""

    file: str
    values: dict[str, Any]

    def words(self, used: list[str]) -> str:
        """One line that says what was taken from the file."""
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in used)
        return f"settings: {flags} from {clean(self.file)}"


def read_settings(parsers: dict[str, argparse.ArgumentParser], command: str) -> Settings | None:
    """The settings of the working folder for a command; None if there is no file with any."""
    import tomllib

    for name in ("puremetrics.toml", "pyproject.toml"):
        path = Path(name)
        if not path.is_file():
            continue
        own = name == "puremetrics.toml"
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            if not own:  # of other tools; whoever needs it will complain
                continue
            raise InputError(
                f"{name} cannot be read: {clean(str(error)).rstrip('.')}. Correct it, or pass --no-settings."
            ) from None
        table = content if own else content.get("tool", {}).get("puremetrics")
        if table is not None:
            place = name if own else "[tool.puremetrics] in pyproject.toml"
            if not isinstance(table, dict):
                raise InputError(f"{place} must be a table of settings.")
            return Settings(place, _values(table, place, parsers, command))
    return None


def _values(
    table: dict[str, Any], place: str, parsers: dict[str, Any], command: str
) -> dict[str, Any]:
    actions = {name: _actions(parser) for name, parser in parsers.items()}
    every = {flag for own in actions.values() for flag in own}
    found: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            if key not in parsers:
                raise InputError(
                    f"{place} has a table [{clean(key)}], which is not a command.{did_you_mean(key, parsers)}"
                    f" The commands are: {', '.join(parsers)}."
                )
            continue
        name = _known(key, every, place, "any command")
        if name in actions[command]:
            found[name] = _typed(actions[command][name], value, key, place)
    for key, value in table.get(command, {}).items():
        name = _known(key, actions[command], f"[{command}] of {place}", f"the command {command}")
        found[name] = _typed(actions[command][name], value, key, place)
    return found


def _actions(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    return {action.dest: action for action in parser._actions if action.dest not in _NOT_HERE}


def _known(key: str, names: Any, place: str, whose: str) -> str:
    name = key.replace("-", "_")
    if name not in names:
        flags = sorted(each.replace("_", "-") for each in names)
        why = " Name files on the command line." if name in ("file", "files") else ""
        raise InputError(
            f"{place} sets {shown(key)}, which is not a flag of {whose}.{did_you_mean(key, flags)}{why} "
            f"Flags are: {listed(flags)}."
        )
    return name


def _typed(action: argparse.Action, value: Any, key: str, place: str) -> Any:
    """The value of a setting as the command line would read it."""
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise InputError(f"{place} sets {shown(key)} to {shown(value)}. Write true or false.")
        return value or None
    many = isinstance(action, argparse._AppendAction)
    if many:
        given = value if isinstance(value, list) else [value]
        return [_one(action, each, key, place) for each in given]
    if isinstance(value, list) and len(value) == 2 and key in ("prior", "purity"):
        value = f"{value[0]}:{value[1]}"
    return _one(action, value, key, place)


def _one(action: argparse.Action, value: Any, key: str, place: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"{place} sets {shown(key)} to {shown(value)}. Write text or a number.")
    if action.type is None:
        return str(value)
    try:
        return action.type(str(value))  # type: ignore[operator]
    except argparse.ArgumentTypeError as error:
        raise InputError(f"{place} sets {shown(key)}, but: {key} {error}") from None


def fill_in(
    options: argparse.Namespace, settings: Settings | None, defaults: dict[str, Any]
) -> None:
    """Give the options that were left out their values: from the settings, or the defaults."""
    used = []
    for name, value in vars(options).items():
        if value is not None:
            continue
        if settings is not None and settings.values.get(name) is not None:
            setattr(options, name, settings.values[name])
            used.append(name)
        elif name in defaults:
            setattr(options, name, defaults[name])
    options.settings_used = settings.words(used) if settings is not None and used else None
    if options.settings_used and sys.stderr is not None:
        from puremetrics.cli.terminal import say

        say(options.settings_used, error=True)
