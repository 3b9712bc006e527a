"""The array types of all signatures."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["BoolArray", "CountArray", "FloatArray"]


FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
CountArray = npt.NDArray[np.int64] | npt.NDArray[np.float64]
