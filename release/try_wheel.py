"""Install the wheel of a folder into a new environment with the core's dependencies only, and use it there.

``python release/try_wheel.py dist``
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
CORE = {"puremetrics", "numpy", "scipy", "pip", "setuptools"}  # the last two make environments


def _versions() -> dict[str, str | None]:
    spec = importlib.util.spec_from_file_location("release_check", HERE / "check.py")
    if spec is None or spec.loader is None:
        raise SystemExit("release/check.py is missing.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.versions()


def main(folder: Path) -> int:
    """Exit code of the smoke run."""
    wheels, sources = list(folder.glob("*.whl")), list(folder.glob("*.tar.gz"))
    if len(wheels) != 1 or len(sources) != 1:
        raise SystemExit(f"{folder} must hold one wheel and one sdist: {wheels + sources}")
    version = _versions()["src/puremetrics/__init__.py"]
    if wheels[0].name.split("-")[1] != version:
        raise SystemExit(f"{wheels[0].name} is not version {version}.")
    with tempfile.TemporaryDirectory() as temporary:
        venv.create(temporary, with_pip=True)
        python = str(Path(temporary) / "bin" / "python")
        pip = [python, "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", str(wheels[0].resolve())], check=True)
        subprocess.run([*pip, "check"], check=True)
        listed = subprocess.run(
            [*pip, "list", "--format", "json"], check=True, capture_output=True, text=True
        ).stdout
        more = {row["name"] for row in json.loads(listed)} - CORE
        if more:
            raise SystemExit(f"The core brought more than numpy and scipy: {sorted(more)}")
        # -I: neither the clone nor the user's packages can be imported by accident.
        command = [python, "-I", str(HERE / "smoke.py"), str(version)]
        return subprocess.run(command, cwd=temporary).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
