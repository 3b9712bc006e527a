"""A real cluster on this machine: a master, two workers, executors in processes of their own."""

import os
import shutil
import subprocess
import sys
import sysconfig
import warnings
from pathlib import Path

import pytest

BRIEF = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # for a minute compiling well does not pay


def _missing():
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "pyspark is not installed: pip install 'puremetrics[spark]'."
    return None if shutil.which("java") else "There is no java, which Spark runs on."


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory):
    """A Python with numpy and pyarrow but without this package, as on a cluster."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    found = sysconfig.get_path("purelib", vars={"base": str(folder)})
    # a path in a .pth file is searched, but the .pth files in it (of editable installs) are not read
    Path(found, "shared.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    python = folder / "bin" / "python"
    code = "import numpy, pyarrow, importlib.util as u; print(u.find_spec('puremetrics'))"
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(python), "-c", code], check=True, capture_output=True, text=True, cwd=folder, env=own
    )
    assert done.stdout.strip() == "None"
    return str(python)


@pytest.fixture(scope="session")
def session(bare_python):
    """Spark on two executors with one core and 1 GB each."""
    problem = _missing()
    if problem:
        if "spark" in os.environ.get("PUREMETRICS_REQUIRE", ""):
            pytest.fail(problem)
        pytest.skip(problem)
    path = os.environ.pop("PYTHONPATH", None)  # of this process: executors would inherit it
    os.environ["PYSPARK_PYTHON"] = bare_python
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        made = (
            SparkSession.builder.master("local-cluster[2,1,1024]")
            .appName("puremetrics tests")
            .config("spark.ui.enabled", "false")
            .config("spark.executor.memory", "1g")
            .config("spark.task.maxFailures", "2")  # a lost executor is one
            .config("spark.driver.extraJavaOptions", BRIEF)
            .config("spark.executor.extraJavaOptions", BRIEF)
            .config("spark.sql.shuffle.partitions", "4")
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", "5000")
            .getOrCreate()
        )
    made.sparkContext.setLogLevel("OFF")
    from puremetrics.io.spark import ship_package

    ship_package(made)
    yield made
    made.stop()
    if path is not None:
        os.environ["PYTHONPATH"] = path
