"""Raw readings in files, a block of runs each."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.assessment.passes import Study
from spotheight.types import FloatArray

BLOCK = 250
"""Runs that are done at once: enough to be fast, few enough to be stopped between."""


@dataclass(frozen=True)
class Store:
    """A folder that can be thrown away: it only saves computing time."""

    folder: Path

    def blocks(self, study: Study) -> list[int]:
        """The blocks that are there."""
        found = (self.folder / study.case).glob(f"{study.name}+*.npz")
        return sorted(int(path.stem.rpartition("+")[2]) for path in found)

    def keep(self, study: Study, block: int, readings: dict[str, FloatArray]) -> None:
        """Write a block at once."""
        path = self._path(study, block)
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}")
        with beside.open("wb") as file:
            narrow: Any = {k: v.astype(np.float32) for k, v in readings.items()}
            np.savez_compressed(file, **narrow)
        beside.replace(path)

    def readings(self, study: Study) -> dict[str, FloatArray]:
        """All runs of a study side by side, (readings, runs); empty where none was done."""
        blocks = [dict(self._load(study, block)) for block in self.blocks(study)]
        names = blocks[0] if blocks else {}
        return {name: np.concatenate([b[name] for b in blocks], axis=1) for name in names}

    def _load(self, study: Study, block: int) -> Iterator[tuple[str, FloatArray]]:
        with np.load(self._path(study, block)) as arrays:
            yield from ((name, arrays[name].astype(float)) for name in arrays.files)

    def _path(self, study: Study, block: int) -> Path:
        return self.folder / study.case / f"{study.name}+{block}.npz"
