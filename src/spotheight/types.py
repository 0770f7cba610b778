"""The array types that everything above speaks."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
NarrowArray = NDArray[np.float32]
"""Many random draws, which need no more digits."""

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
TextArray = NDArray[np.object_]
"""An array of ``str``; where a value may be absent it holds ``None``."""

Json = Any
"""Whatever ``json.loads`` may give."""
