"""The reference kernels, in NumPy and SciPy."""

from typing import Any

import numpy as np

#: an array of any dtype
Array = np.ndarray[Any, np.dtype[Any]]
#: an array of integers
Indices = np.ndarray[Any, np.dtype[np.integer[Any]]]
