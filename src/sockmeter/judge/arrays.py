# SPDX-License-Identifier: MIT
"""The array types that the judge's functions speak in."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
