"""Is the tree ready for a release? Prints what stands in the way, and then ends with 1.

``python release/check.py`` reads files only; ``make release-check`` goes on to build, check and try the wheel
(docs/releasing.md).
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def found(pattern: str, file: Path) -> str | None:
    """First group of the first match of a pattern that is looked for line by line."""
    match = re.search(pattern, file.read_text(encoding="utf-8"), re.MULTILINE)
    return match[1] if match else None


def versions(root: Path = ROOT) -> dict[str, str | None]:
    """The version in every file that states one; the package's is the one that counts."""
    return {
        "src/puremetrics/__init__.py": found(
            r'^__version__ = "(.+)"$', root / "src" / "puremetrics" / "__init__.py"
        ),
        "CITATION.cff": found(r'^version: "?([^"\s]+)"?$', root / "CITATION.cff"),
        "recipe/recipe.yaml": found(r'^  version: "?([^"\s]+)"?$', root / "recipe" / "recipe.yaml"),
    }


def fragments(root: Path = ROOT) -> list[Path]:
    """Fragments of the changelog that are not assembled yet."""
    return sorted(p for p in (root / "changelog.d").glob("*.md") if p.name != "template.md")


def obstacles(root: Path, changed: str) -> list[str]:
    """What stands in the way, one sentence each; ``changed`` is what ``git status --porcelain`` says."""
    stated = versions(root)
    version = stated["src/puremetrics/__init__.py"]
    said = [
        f"{file} says version {other}, the package {version}. Write {version} there."
        for file, other in stated.items()
        if other != version
    ]
    waiting = fragments(root)
    if waiting:
        said.append(
            f"The changelog is not assembled: {len(waiting)} fragments wait in changelog.d. "
            "Run `make changelog-write` and commit."
        )
    if version and not found(rf"^(## puremetrics {re.escape(version)} )\(", root / "CHANGELOG.md"):
        said.append(
            f"CHANGELOG.md has no section for version {version}. Raise the version in "
            "src/puremetrics/__init__.py if it is an old one, run `make changelog-write`, and commit."
        )
    if changed.strip():
        said.append(
            f"The tree has changes that are not committed:\n{changed.rstrip()}\nCommit them or put "
            "them away: what is released must be what is recorded."
        )
    return said


def main() -> int:
    """Print the obstacles; 0 if there are none."""
    changed = subprocess.run(
        ["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    said = obstacles(ROOT, changed)
    for sentence in said:
        print(sentence, file=sys.stderr)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
