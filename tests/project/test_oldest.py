"""The oldest versions that are declared are the ones that are tested."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = [*project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        listed += extra
    found = {}
    for requirement in listed:
        match = re.fullmatch(r"([a-z0-9-]+)>=([0-9.]+)", requirement)
        if match:
            found.setdefault(match[1], set()).add(match[2])
    return found


def test_every_oldest_version_is_pinned():
    lines = (ROOT / "tests" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    tools = {"build", "mypy", "ruff", "towncrier", "twine"}  # no test imports them
    for name, versions in declared().items():
        assert len(versions) == 1, f"{name} is declared with several oldest versions"
        if name in tools:
            continue
        wanted = versions.pop()
        assert (pinned[name] + ".").startswith(wanted + "."), (
            f"{name}>={wanted}, but {pinned[name]}"
        )
    indirect = {"pyparsing"}  # newer ones warn when the oldest matplotlib is imported
    assert set(pinned) - set(declared()) == indirect
