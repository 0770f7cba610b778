"""The array types that everything above speaks."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
TextArray = NDArray[np.object_]
"""An array of ``str``; where a value may be absent it holds ``None``."""

Json = Any
"""Whatever ``json.loads`` may give."""
