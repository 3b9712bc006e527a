"""Load the programs of benchmarks/, reproductions/ and release/ as modules, for short versions in tests."""

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def load(name: str, folder: str = "benchmarks"):
    if str(ROOT / folder) not in sys.path:  # a program's neighbours, as when it is run by itself
        sys.path.append(str(ROOT / folder))
    spec = importlib.util.spec_from_file_location(name, ROOT / folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
