"""The array types of all signatures."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["BoolArray", "CountArray", "FloatArray", "IntArray"]


FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
CountArray = npt.NDArray[np.int64] | npt.NDArray[np.float64]
