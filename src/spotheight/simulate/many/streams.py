"""Random streams side by side: the run of each row draws from a generator of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from spotheight.types import FloatArray, IntArray


@dataclass(frozen=True)
class Streams:
    """Several generators that are used as one; runs lie on the last axis, or before the groups."""

    generators: Sequence[Generator]

    def random(self, size: int | tuple[int, int]) -> FloatArray:
        """Uniform numbers for each run: (runs,), or (turns, runs)."""
        if isinstance(size, int):
            return np.array([one.random() for one in self.generators])
        return np.stack([one.random(size[0]) for one in self.generators], axis=-1)

    def beta(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Rates of each run, (runs, ...)."""
        rows = zip(self.generators, a, b, strict=True)
        return np.stack([one.beta(first, second) for one, first, second in rows])

    def only(self, rows: IntArray) -> "Streams":
        """Those of some runs."""
        return Streams([self.generators[row] for row in rows])


Stream = Generator | Streams
"""Random numbers of one step of many runs: shared by all of them, or each run's own."""


def stream_of(rng: Stream, rows: IntArray) -> Stream:
    """Those of some runs."""
    return rng.only(rows) if isinstance(rng, Streams) else rng
